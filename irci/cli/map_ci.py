"""irci map-ci: its options, and what it does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from irci.choices import (
    FailIf,
    MeanMethod,
    MetaMethod,
    PairCorrection,
    Pairing,
    Population,
    Slots,
    TopicInterval,
    TopicTest,
)
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.parameters import MarginSize, Whole
from irci.cli.tables import table_option
from irci.cli.validation import validated

if TYPE_CHECKING:
    from irci.output.report import Report


@click.command("map-ci", cls=Command, short_help="How sure is a mean score, and is one run really better?")
@options.measures
@options.per_topic
@click.option("-n", "--no-summary", is_flag=True, help="Do not print the means of single runs.")
@click.option(
    "--population",
    type=click.Choice(get_args(Population)),
    help="What varies: the documents, the topics, or both at once.  [default: a line for documents and one for topics]",
)
@click.option(
    "--method",
    type=click.Choice(get_args(MeanMethod)),
    help="bootstrap: resample; parametric: documents by the delta rule; t: topics by the t distribution.  [default: bootstrap"
    " for documents, t for topics]",
)
@click.option(
    "--interval",
    type=click.Choice(get_args(TopicInterval)),
    help="Kind of interval over topics, of means and of differences; simultaneous: of all differences at once; prediction: for"
    " the mean over other topics, not for the mean over all such topics.  [default: t, or percentile with --method bootstrap]",
)
@click.option("--compare", is_flag=True, help="Compare all runs with the first, or with --baseline.")
@click.option("--baseline", metavar="NAME", help="Compare all runs with this one, or with their mean or median.")
@click.option("--all-pairs", is_flag=True, help="Compare all runs with each other.")
@click.option(
    "--pairing",
    type=click.Choice(get_args(Pairing)),
    help="Resample the same documents for both runs, or others for each.  [default: paired, or independent with --method"
    " parametric]",
)
@click.option(
    "--test",
    type=click.Choice(get_args(TopicTest)),
    default="t",
    show_default=True,
    help="Test over topics: paired t, signs flipped at random, Wilcoxon's or the sign test (which are not about means);"
    " normal: t, and over documents p below 1e-4 in full.",
)
@click.option(
    "--correction",
    type=click.Choice(get_args(PairCorrection)),
    help="How p_adjusted allows for the number of pairs: Holm, the largest statistic of all pairs by signs of topics,"
    " Benjamini-Hochberg, or not. The family is all pairs compared (with --ranks, all pairs of runs), of one measure, over"
    " one population.  [default: holm, or maxt with --ranks]",
)
@click.option(
    "--equivalence",
    type=MarginSize(),
    metavar="MARGIN",
    help="Which pairs differ by less than this: .01, or 2% of the baseline's mean (two one-sided t tests).",
)
@click.option(
    "--power", is_flag=True, help="What difference would have been found, and how many topics this one would take."
)
@click.option(
    "--fail-if",
    type=click.Choice(get_args(FailIf)),
    help="End with status 5 if a run is significantly worse than what it is compared with, not shown to be equivalent,"
    " or if nothing can be told.",
)
@click.option(
    "--new-topics",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="With --interval prediction: over how many other topics.  [default: as many again]",
)
@click.option(
    "--meta",
    type=click.Choice(get_args(MetaMethod)),
    help="Combine the logit differences of single topics: fixed effect (documents vary), random effects (topics vary;"
    " Hartung-Knapp, or random-z with a normal quantile), or Stouffer's test. Without pairs, the logits themselves.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Print within which limits each run's rank lies, and letters: runs sharing one are not significantly different.",
)
@click.option(
    "--slots",
    type=click.Choice(get_args(Slots)),
    default="fresh",
    show_default=True,
    help="With --population both, give a topic drawn twice other documents each time, or the same.",
)
@options.resamples_of_documents("2000; of signs 20,000, or 10,000 for all pairs at once")
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
@options.files
def map_ci_command(given: Given) -> Report:
    """How precise is a run's mean score, and is one run really better than another?

    Example: irci map-ci --all-pairs qrels.txt run1.txt run2.txt

    Prints trec_eval's map twice: with the limits between which it would vary over collections of this size and
    kind (topics fixed), and over other topics. The second is what a claim about new queries needs. Columns: measure,
    topic (or all), value, lower, upper, run, population; of differences (--compare, --baseline, --all-pairs)
    measure_diff, ..., run, baseline, population, p, p_adjusted, effect_size, test. -m lmap averages logits, -m gm_map
    logarithms.

    Files may be gzip; - is standard input.
    """
    from irci.studies.map_ci import Settings, map_ci

    if given["validate"]:
        return validated(given, "map-ci")
    given.refuse(*options.VALIDATION, message="{} is for --validate.")
    given.refuse_nothing("per_topic", "compare", "baseline", "all_pairs", "ranks", "meta")
    # -B says how often documents and topics are resampled, and if it is given how many signs are drawn.
    chosen = {} if given.has("resamples") else {"resamples": None}
    return map_ci(given.record(Settings, **chosen), given.inputs())
