"""irci map-ci: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.cli import options

if TYPE_CHECKING:
    from irci.data.measures import Measure
    from irci.methods.map_ci.means import Settings
    from irci.studies.map_ci.runs import Question


@click.command(
    "map-ci", cls=options.Command, short_help="How precise is a mean, and is one run really better than another?"
)
@options.measures
@options.per_topic
@click.option("-n", "--no-summary", is_flag=True, help="Do not print the means of single runs.")
@click.option(
    "--population",
    type=click.Choice(["documents", "topics", "both"]),
    help="What varies: the documents, the topics, or both at once.  [default: a line for documents and one for topics]",
)
@click.option(
    "--method",
    type=click.Choice(["bootstrap", "parametric", "t"]),
    help="bootstrap: resample; parametric: documents by the delta rule; t: topics by the t distribution.  [default: bootstrap"
    " for documents, t for topics]",
)
@click.option(
    "--interval",
    type=click.Choice(["t", "percentile", "bca"]),
    help="Kind of interval over topics, of means and of differences.  [default: t, or percentile with --method"
    " bootstrap]",
)
@click.option("--compare", is_flag=True, help="Compare all runs with the first, or with --baseline.")
@click.option("--baseline", metavar="NAME", help="Compare all runs with this one, or with their mean or median.")
@click.option("--all-pairs", is_flag=True, help="Compare all runs with each other.")
@click.option(
    "--pairing",
    type=click.Choice(["paired", "independent"]),
    help="Resample the same documents for both runs, or others for each.  [default: paired, or independent with --method"
    " parametric]",
)
@click.option(
    "--test",
    type=click.Choice(["t", "randomization"]),
    default="t",
    show_default=True,
    help="Test over topics: paired t, or signs flipped at random.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p_adjusted allows for the number of pairs shown: Holm, Benjamini-Hochberg, or not.",
)
@click.option(
    "--meta",
    type=click.Choice(["fixed", "random", "stouffer"]),
    help="Combine the logit differences of single topics (documents vary): fixed effect, random effects, or Stouffer's test."
    " Without pairs, the logits themselves.",
)
@click.option("--ranks", is_flag=True, help="Print within which limits each run's rank lies, and letters of tied runs.")
@click.option(
    "--slots",
    type=click.Choice(["fresh", "shared"]),
    default="fresh",
    show_default=True,
    help="With --population both, give a topic drawn twice other documents each time, or the same.",
)
@options.resamples
@options.confidence
@options.seed
@options.epsilon
@options.small_r
@options.validation
@options.inputs
@options.outputs
@options.qrels
@options.runs
def map_ci_command(
    qrels: str,
    runs: tuple[str, ...],
    runs_from: str | None,
    measures: Sequence[Measure],
    per_topic: bool,
    no_summary: bool,
    population: str | None,
    method: str | None,
    interval: str | None,
    compare: bool,
    baseline: str | None,
    all_pairs: bool,
    pairing: str | None,
    meta: str | None,
    ranks: bool,
    explain: bool,
    output_format: str,
    output: str | None,
    plot: str | None,
    scores: bool,
    scores_format: str | None,
    save_scores: str | None,
    standardise: str | None,
    validate: bool,
    **others: Any,
) -> None:
    """How precise is a run's mean score, and is one run really better than another?

    Example: irci map-ci --all-pairs qrels.txt run1.txt run2.txt

    Prints trec_eval's map twice: with the limits between which it would vary over other documents (topics fixed),
    and over other topics. The second is what a claim about new queries needs. Columns: measure, topic (or all),
    value, lower, upper, run, population; of differences (--compare, --baseline, --all-pairs) measure_diff, ...,
    run, baseline, population, p, p_adjusted, effect_size, test. -m lmap averages logits, -m gm_map logarithms.

    Files may be gzip; - is standard input.
    """
    from irci.cli.console import save, warn, write
    from irci.data.experiment import Inputs, run_files
    from irci.data.measures import MAP, named
    from irci.methods.map_ci.means import Settings
    from irci.stats.tests import is_exact
    from irci.studies.map_ci.pairs import Pairs
    from irci.studies.map_ci.runs import Evidence, Question, grouped, read_runs, rows_of_runs

    if all_pairs and (compare or baseline is not None):
        raise click.UsageError("--all-pairs compares every two runs: leave out --compare and --baseline.")
    inputs = Inputs.taken_from(others)
    options.check_validation(validate)
    if validate:
        from irci.studies.validation import validate_command

        validate_command("map-ci", inputs, run_files(runs, runs_from, qrels))
        return
    for name in ("splits", "split_by", "figures"):
        del others[name]
    populations = chosen_populations(population, scores or standardise is not None)
    settings = Settings(**chosen_methods(method, interval, pairing, populations), meta=meta or "", **others)
    question = Question(
        populations, per_topic, not no_summary, compare or baseline is not None, baseline, all_pairs, ranks, meta is not None
    )  # fmt: skip
    check(question, settings, measures)
    if explain and output_format in ("tsv", "csv"):
        raise click.UsageError("--explain has no place in tsv and csv.")
    paths = run_files(runs, runs_from, qrels)
    evidence = Evidence()
    if scores:
        table = inputs.filled(inputs.scores([qrels, *paths], scores_format, [measure.base for measure in measures]))
        measures = measures or [named(name) for name in table.values]
    elif paths:
        measures = measures or [MAP]
        table, evidence = read_runs(question, settings, inputs, qrels, paths, measures, inputs.threads)
    else:
        raise click.UsageError("Missing argument 'RUN...'.")
    if save_scores is not None:
        save(table, save_scores)
    if standardise is not None:
        table, evidence = inputs.standardised(table, standardise), Evidence()
        measures = [named(name) for name in table.values]
    rows = list(rows_of_runs(question, settings, table, evidence, measures))
    sentences = [] if not explain or question.has_pairs else explanation(rows, settings.confidence)
    for base, of_base in grouped(measures) if question.takes_several_runs else ():
        pairs = Pairs.of(question, settings, table, evidence, base, of_base, inputs.threads)
        if not inputs.quiet:
            pairs.warn_of_few_relevant()
        for measure in of_base:
            if question.has_pairs:
                rows += pairs.rows(measure)
                if not (pairs.can_reject or inputs.quiet):
                    what = "topics" if is_exact(len(table.topics), settings.resamples) else "resamples (-B)"
                    warn(f"{measure.name}: too few {what} for any p_adjusted below {1 - settings.confidence:g}")
            if explain and question.has_pairs:
                sentences += pairs.sentences(measure)
        if question.meta:
            rows += pairs.rows_of_meta()
            if explain:
                sentences.append(
                    "The combination of single topics weighs each by how precisely it is known, and is of logits: it may well"
                    " differ from the plain mean of differences, which weighs all topics alike."
                )
        if question.ranks and explain:
            sentences.append(
                "Between its limits each run's rank lies, all ranks at once; runs that share a letter are not told apart."
            )
        for measure in of_base:
            if question.ranks:
                rows += pairs.rows_of_ranks(measure)
    signature = {
        "irci": irci.__version__,
        "command": "map-ci",
        "measures": " ".join(measure.name for measure in measures),
        **question.signature(),
        **settings.signature(),
        **inputs.signature(),
        "scores": scores,
        "standardise": standardise,
        "num_topics": len(table.topics),
    }
    write(rows, output_format, output, signature, sentences, plot=plot)


def explanation(rows: Sequence[dict[str, Any]], confidence: float) -> list[str]:
    """The means in plain words."""
    from irci.studies.sentences import sentences_of_means

    what = {
        "documents": "with other documents of this kind, on these topics",
        "topics": "on other topics of this kind",
        "both": "with other documents and on other topics of this kind",
    }
    means = ((row, what[row["population"]]) for row in rows if row["topic"] == "all")
    return list(sentences_of_means(means, confidence))


def chosen_populations(population: str | None, from_scores: bool) -> tuple[str, ...]:
    """What varies; of scores alone the topics do."""
    if from_scores and population not in (None, "topics"):
        raise click.UsageError(f"--population {population} resamples documents, which scores do not have.")
    if from_scores:
        return ("topics",)
    return ("documents", "topics") if population is None else (population,)


def chosen_methods(
    method: str | None, interval: str | None, pairing: str | None, populations: tuple[str, ...]
) -> dict[str, Any]:
    """How documents and how topics are dealt with."""
    if method == "parametric" and "documents" not in populations:
        raise click.UsageError("--method parametric is for documents.")
    if (method == "t" or interval is not None) and "topics" not in populations:
        raise click.UsageError("--method t and --interval are for topics.")
    if method == "t" and interval not in (None, "t"):
        raise click.UsageError(f"--interval {interval} resamples topics; --method t does not.")
    if method == "parametric" and pairing == "paired":
        raise click.UsageError("--method parametric resamples each run by itself: --pairing independent.")
    if pairing == "independent" and "documents" not in populations:
        raise click.UsageError("--pairing independent is for documents.")
    return {
        "pairing": pairing or ("independent" if method == "parametric" else "paired"),
        "method": "parametric" if method == "parametric" else "bootstrap",
        "interval": interval or ("percentile" if method == "bootstrap" else "t"),
    }


def check(question: Question, settings: Settings, measures: Sequence[Measure]) -> None:
    """Refuse what cannot be asked."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise click.UsageError(f"{', '.join(counts)}: a count has no mean score.")
    if settings.meta and "documents" not in question.populations:
        raise click.UsageError("--meta combines what resampled documents say: leave out --population.")
    if settings.test == "randomization" and "topics" not in question.populations:
        raise click.UsageError("--test is for topics.")
    if settings.slots == "shared" and "both" not in question.populations:
        raise click.UsageError("--slots is for --population both.")
    if settings.resamples == 0:
        for option, asked in (
            ("--interval " + settings.interval, settings.interval != "t"),
            ("--test randomization", settings.test == "randomization"),
            ("--population both", "both" in question.populations),
            ("--ranks", question.ranks),
            ("--meta", question.meta),
        ):
            if asked:
                raise click.UsageError(f"{option} needs resamples: take more than 0.")
