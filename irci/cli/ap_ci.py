"""irci ap-ci: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.cli import options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from irci.data.experiment import Inputs
    from irci.data.measures import Measure
    from irci.data.scores import Scores
    from irci.methods.ap_ci import ApIntervals, Settings

    Result = tuple[str, list[str], list[ApIntervals]]


@click.command("ap-ci", cls=options.Command, short_help="How precise is each topic's average precision?")
@options.measures
@options.per_topic
@options.no_summary
@click.option(
    "--interval",
    type=click.Choice(["logit", "linear", "percentile", "bca", "delta-logit"]),
    help="Kind of interval for each topic; that of the mean is always linear.  [default: logit, or delta-logit with"
    " --method delta]",
)
@click.option(
    "--method",
    type=click.Choice(["bootstrap", "delta"]),
    default="bootstrap",
    show_default=True,
    help="Resample, or take the standard deviation from a closed form (map; linear and delta-logit).",
)
@options.resamples
@options.confidence
@options.seed
@options.small_r
@click.option("--no-small-r", is_flag=True, help="Leave such intervals as they are.")
@options.epsilon
@click.option(
    "--bca-ties",
    type=click.Choice(["strict", "mid"]),
    default="strict",
    show_default=True,
    help="Of the replicates equal to AP, count none as below it, or half where they exceed 5%.",
)
@click.option(
    "--bca-quantile",
    type=click.Choice(["type7", "order"]),
    default="type7",
    show_default=True,
    help="Quantiles by interpolation, or the order statistics of S-Plus' bcanon.",
)
@options.validation
@options.inputs
@options.outputs
@options.qrels
@options.runs
def ap_ci_command(
    qrels: str,
    runs: tuple[str, ...],
    runs_from: str | None,
    measures: Sequence[Measure],
    per_topic: bool,
    no_summary: bool,
    interval: str | None,
    method: str,
    small_r: str,
    no_small_r: bool,
    output_format: str,
    output: str | None,
    plot: str | None,
    explain: bool,
    scores: bool,
    scores_format: str | None,
    save_scores: str | None,
    standardise: str | None,
    validate: bool,
    **others: Any,
) -> None:
    """How precise is each topic's average precision?

    Example: irci ap-ci -q qrels.txt run.txt

    Prints trec_eval's map with the limits between which it would vary over collections like this one: the
    documents are resampled, topics and system stay fixed. Columns: measure, topic (or all), value, lower, upper,
    run; the first three are what `trec_eval -q -c -m map` prints. Limits that come from the correction for few
    relevant documents are marked in a seventh, `corrected`. Nothing is said about other topics.

    Files may be gzip; - is standard input.
    """
    from dataclasses import asdict

    from irci.cli.console import save, write
    from irci.data.experiment import Inputs, run_files
    from irci.data.measures import MAP
    from irci.methods import ap_ci

    inputs = Inputs.taken_from(others)
    options.check_validation(validate)
    if validate:
        from irci.studies.validation import validate_command

        validate_command("ap-ci", inputs, run_files(runs, runs_from, qrels))
        return
    for name in ("splits", "split_by", "figures"):
        del others[name]
    interval = interval or ("delta-logit" if method == "delta" else "logit")
    check_ap_only(measures, interval, method)
    if standardise is not None:
        others["resamples"] = 0  # no documents are resampled for scores that depend on other runs
    settings = ap_ci.Settings(interval=interval, method=method, small_r="none" if no_small_r else small_r, **others)
    paths = run_files(runs, runs_from, qrels)
    signature = {
        "irci": irci.__version__,
        "command": "ap-ci",
        **asdict(settings),
        **inputs.signature(),
        "scores": scores,
        "standardise": standardise,
    }
    if scores:
        table = inputs.filled(inputs.scores([qrels, *paths], scores_format, measures))
        results = table_results(table)
    else:
        if not paths:
            raise click.UsageError("Missing argument 'RUN...'.")
        results, table = run_results(inputs, qrels, paths, measures or [MAP], settings, per_topic)
    if save_scores is not None:
        save(table, save_scores)
    if standardise is not None:
        results = table_results(inputs.standardised(table, standardise))

    def rows_of(per_topic: bool, summary: bool) -> list[dict[str, Any]]:
        return [
            dict(row) for run, topics, of_run in results for row in ap_ci.rows(of_run, run, topics, per_topic, summary)
        ]

    signature["measures"] = " ".join(
        dict.fromkeys(result.measure.name for _, _, of_run in results for result in of_run)
    )
    signature["num_topics"] = len(table.topics)
    rows = rows_of(per_topic, not no_summary)
    notes = explanation(rows_of(False, True), settings.confidence) if explain else ()
    write(rows, output_format, output, signature, notes, plot=plot, drawn=rows_of(True, True) if plot else None)


def explanation(rows: Sequence[dict[str, Any]], confidence: float) -> list[str]:
    """The means in plain words."""
    from irci.studies.sentences import sentences_of_means

    what = "on these topics, with other documents of this kind,"
    return [
        *sentences_of_means(((row, what) for row in rows), confidence),
        "The topics are fixed: what other topics would bring, irci map-ci --population topics says.",
    ]


def run_results(
    inputs: Inputs,
    qrels: str,
    paths: Sequence[str],
    measures: Sequence[Measure],
    settings: Settings,
    per_topic: bool,
) -> tuple[list[Result], Scores]:
    """The intervals of every run: (name, topics, one result a measure); and the scores as a table."""
    import numpy as np

    from irci.bootstrap.documents import StepTables
    from irci.data.collection import relevant_ranks
    from irci.data.measures import Judgments
    from irci.data.names import text
    from irci.data.scores import Scores
    from irci.methods.ap_ci import ap_ci, without_limits
    from irci.streams import topic_keys

    collection = inputs.collection(qrels)
    topics = np.array([text(topic) for topic in collection.qrels.topics], object)
    keys = topic_keys(collection.qrels.topics)
    judgments = Judgments.of(collection.qrels, inputs.relevance_level, inputs.max_grade)
    # Measures that look at the same documents share their ranks; those without limits need none.
    with_limits = {measure.family.graded: measure for measure in measures if settings.gives_limits(measure)}
    relevances = {
        graded: measure.relevance(collection.qrels, inputs.relevance_level) for graded, measure in with_limits.items()
    }
    tables = StepTables()
    results: list[Result] = []
    scored: list[list[NDArray[np.float64]]] = []
    for name, run, judged in inputs.runs(collection, paths):
        lists = judgments.of_run(judged)
        kept = inputs.kept(judged)
        scored.append([np.where(kept, measure.scores(lists), np.nan) for measure in measures])
        ranks = {graded: relevant_ranks(judged, relevance).only(kept) for graded, relevance in relevances.items()}
        of_run = [
            ap_ci(
                value[kept],
                ranks[measure.family.graded],
                keys[kept],
                settings,
                measure=measure,
                threads=inputs.threads,
                tables=tables,
            )
            if settings.gives_limits(measure)
            else without_limits(value[kept], measure)
            for measure, value in zip(measures, scored[-1], strict=True)
        ]
        results.append((name, topics[kept].tolist(), of_run))
        if per_topic and not inputs.quiet:
            for result in of_run:
                warn_of_intervals(name, topics[kept], result, settings.interval)
        del run, judged
    values = {measure.name: np.array([each[i] for each in scored]) for i, measure in enumerate(measures)}
    return results, Scores([name for name, _, _ in results], topics.tolist(), values)


def table_results(table: Scores) -> list[Result]:
    """The scores of a table, without limits."""
    from irci.data.measures import named
    from irci.methods.ap_ci import without_limits

    return [
        (run, table.topics, [without_limits(values[place], named(name)) for name, values in table.values.items()])
        for place, run in enumerate(table.runs)
    ]


def check_ap_only(measures: Sequence[Measure], interval: str, method: str) -> None:
    """Refuse what is defined for AP alone, and kinds of interval that need replicates where there are none."""
    if method == "delta" and interval not in ("linear", "delta-logit"):
        raise click.UsageError(f"--interval {interval} needs replicates; --method delta has none.")
    for option, wanted in (("--interval bca", interval == "bca"), ("--method delta", method == "delta")):
        others = [measure.name for measure in measures if measure.name != "map"]
        if wanted and others:
            raise click.UsageError(f"{option} is for map, not for {', '.join(others)}.")


def warn_of_intervals(run: str, topics: NDArray[np.object_], result: ApIntervals, interval: str) -> None:
    """Say which intervals are not what was asked for, or say nothing."""
    from irci.cli.console import warn_of_topics

    hint = "" if interval == "percentile" else "; try --interval percentile"
    for happens, chosen in (
        ("with few relevant documents or none found, interval corrected (--no-small-r leaves it)", result.corrected),
        ("without BCa limits, percentile taken", result.fallen_back),
        (f"with an interval wider than 0.9{hint}", result.useless),
    ):
        warn_of_topics(f"{run}: {result.measure.name}", happens, topics[chosen].tolist())
