"""irci map-ci: its options, and what it does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from irci.base.choices import (
    JUDGMENTS,
    FailIf,
    MeanMethod,
    MetaMethod,
    PairCorrection,
    Pairing,
    Population,
    Slots,
    TopicInterval,
    TopicTest,
    Varies,
)
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.judge import OF_JUDGE, drawn, judged, judging
from irci.cli.parameters import MarginSize, Whole
from irci.cli.structured import is_structured, of_collections, of_structure, refuse_of_structures, structures
from irci.cli.tables import table_option
from irci.cli.unjudged import bounded, refuse_options_of_bounds, unjudged_options
from irci.cli.validation import validated

if TYPE_CHECKING:
    from irci.output.report import Report


@click.command("map-ci", cls=Command, short_help="How precise is a mean score, and is one run really better?")
@options.measures_with("Any measure except counts will do; limits for measures other than map go beyond the paper.")
@options.per_topic
@click.option("-n", "--no-summary", is_flag=True, help="Do not print the means of the runs.")
@click.option(
    "--population",
    type=click.Choice(list(dict.fromkeys((*get_args(Population), *get_args(Varies))))),
    help="What varies: the documents, the topics, or both at once; judgments: bounds over all grades that unjudged documents"
    " could have, instead of confidence limits; clusters and the rest: with the option of that name.  [default: print one line"
    " for documents and one for topics; with such an option, for all that it has]",
)
@unjudged_options(
    "With --population judgments: which unjudged documents may have any grade up to --max-grade, those down to a measure's"
    " cutoff, or all that are retrieved.  [default: scored]"
)
@click.option(
    "--method",
    type=click.Choice(get_args(MeanMethod)),
    help="bootstrap: resample; parametric: the delta rule, over documents; t: the t distribution, over topics.  [default:"
    " bootstrap for documents, t for topics]",
)
@click.option(
    "--interval",
    type=click.Choice(get_args(TopicInterval)),
    help="Kind of interval over topics, for means and differences. simultaneous: limits for all differences at once;"
    " prediction: limits for the mean over a new sample of topics, rather than over all topics of this kind.  [default: t, or"
    " percentile with --method bootstrap]",
)
@click.option("--compare", is_flag=True, help="Compare all runs with the first one, or with --baseline.")
@click.option(
    "--baseline", metavar="NAME", help="Compare all runs with this run, or with the mean or median of all runs."
)
@click.option("--all-pairs", is_flag=True, help="Compare every pair of runs.")
@click.option(
    "--pairing",
    type=click.Choice(get_args(Pairing)),
    help="Resample the same documents for both runs, or different documents for each.  [default: paired, or independent with"
    " --method parametric]",
)
@click.option(
    "--test",
    type=click.Choice(get_args(TopicTest)),
    default="t",
    show_default=True,
    help="Test over topics: paired t test, randomization (random sign flips), or Wilcoxon's or the sign test, which do not"
    " compare means. normal: paired t test, and print p over documents in full even below 1e-4.",
)
@click.option(
    "--correction",
    type=click.Choice(get_args(PairCorrection)),
    help="How p_adjusted accounts for the number of pairs: by Holm's method (holm), the largest statistic of all pairs (maxt),"
    " Benjamini and Hochberg's method (bh), or not at all (none). A family is all pairs compared (with --ranks, all pairs of"
    " runs) for one measure and one population.  [default: holm, or maxt with --ranks]",
)
@click.option(
    "--adjusted-limits",
    is_flag=True,
    help="Add limits of differences that account for the number of pairs as p_adjusted does: columns lower_adjusted and"
    " upper_adjusted. With holm or maxt they hold for all pairs at once; with bh they are for the significant pairs.",
)
@click.option(
    "--equivalence",
    type=MarginSize(),
    metavar="MARGIN",
    help="Test which pairs differ by less than this margin: .01, or 2% of the baseline's mean (two one-sided t tests).",
)
@click.option(
    "--power",
    is_flag=True,
    help="Add the difference that these topics could detect, and the number of topics needed to detect the one observed.",
)
@click.option(
    "--fail-if",
    type=click.Choice(get_args(FailIf)),
    help="End with status 5 if a run is significantly worse than its baseline, is not shown to be equivalent to it, or if"
    " the comparison is left unresolved; of several collections, on average over them.",
)
@click.option(
    "--new-topics",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="With --interval prediction: the size of the new sample of topics.  [default: as many as now]",
)
@click.option(
    "--meta",
    type=click.Choice(get_args(MetaMethod)),
    help="Combine the topics' differences of logits by a fixed effect (documents vary), by random effects (topics vary;"
    " Hartung-Knapp limits, or normal ones with random-z), or by Stouffer's test. Without pairs, combine the logits"
    " themselves.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Print limits for each run's rank, and letters: runs that share a letter are not significantly different.",
)
@click.option(
    "--slots",
    type=click.Choice(get_args(Slots)),
    default="fresh",
    show_default=True,
    help="With --population both: resample documents anew for each copy of a topic drawn more than once (fresh), or use the"
    " same documents for all copies (shared).",
)
@judging
@structures
@options.resamples_of_documents("2000; for sign flips 20,000, or 10,000 for all pairs at once")
@options.confidence
@options.seed
@options.epsilon
@options.small_r
@options.no_small_r
@options.validation
@options.inputs
@options.arrangement
@table_option("map-ci")
@options.layouts
@options.outputs
@options.files_or_option
def map_ci_command(given: Given) -> Report:
    """How precise is a run's mean score, and is one run really better than another?

    Example: irci map-ci --all-pairs qrels.txt run1.txt run2.txt

    Prints trec_eval's map twice: with confidence limits for the mean expected on collections of this size and kind (topics
    fixed), and with limits for the mean over all topics of this kind. A claim about new queries needs the second. The
    columns are measure, topic (or all), value, lower, upper, run, population; differences (--compare, --baseline,
    --all-pairs) have measure_diff, ..., run, baseline, population, p, p_adjusted, effect_size, test. -m lmap averages
    logits, -m gm_map logarithms.

    With --judge, combines people's judgments of a few topics with a judge's (such as a language model's) of all of them.

    Files may be gzipped; - is standard input.
    """
    from irci.data.score_tables import SeveralCollections
    from irci.studies.map_ci import Settings, map_ci

    if not given["files"] and given["collections"] is None:
        raise click.MissingParameter(ctx=given.context, param_hint="'QRELS RUN...'", param_type="argument")
    if given["sample"] is not None:
        return drawn(given)
    if given["judge"] is not None:
        return judged(given)
    given.refuse(*OF_JUDGE, message="{} is for --judge.")
    if is_structured(given):
        return of_structure(given)
    if given["scores"] and (given["population"] == "collections" or given["mean"] in ("topics", "collections")):
        return of_collections(given)
    refuse_of_structures(given)
    if given["validate"]:
        return validated(given, "map-ci")
    if given["population"] == JUDGMENTS:
        return bounded(given, "map-ci")
    refuse_options_of_bounds(given, "--population judgments")
    given.refuse(*options.VALIDATION, message="{} is for --validate.")
    given.refuse_nothing("per_topic", "compare", "baseline", "all_pairs", "ranks", "meta")
    # -B says how often documents and topics are resampled, and if it is given how many signs are drawn.
    chosen = {} if given.has("resamples") else {"resamples": None}
    try:
        return map_ci(given.record(Settings, **chosen), given.inputs())
    except SeveralCollections as found:
        return of_collections(given, found.tables)
