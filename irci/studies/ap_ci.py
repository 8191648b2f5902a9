"""ap-ci: each topic's score with its limits, and their mean."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irci.base.choices import DOCUMENTS
from irci.base.errors import UsageError, logger
from irci.base.names import plural
from irci.base.records import Record, values_of
from irci.base.types import Floats
from irci.compare.sources_in_words import AP
from irci.compare.wording import highest_means, sentences_of_means
from irci.data.collection import relevant_ranks
from irci.data.experiment import Experiment, ExperimentRun, files_of
from irci.data.inputs import Inputs, where
from irci.data.missing import not_missing
from irci.data.notices import Kind, Notices, warn_of_few_resamples, warn_of_no_limits
from irci.data.scores import Scores
from irci.estimators import ap_ci as method
from irci.estimators.ap_ci import ApIntervals, IntervalMethod, without_limits
from irci.measures import MAP, Measure, named
from irci.output.report import Report
from irci.output.tables import Bounded, Caption, Cell, Row, Table, tables

OF_SCORES = "no limits: files of scores have no documents to resample (irci map-ci gives limits over topics)"
OF_STANDARDISED = "no limits: standardised scores depend on the other runs (irci map-ci gives limits over topics)"


class ApCiRequest(IntervalMethod):
    """The options of ap-ci by their names. `lists_topics`: their table is asked for."""

    measures: Sequence[Measure] = ()
    lists_topics: bool = True
    no_summary: bool = False

    def of_method(self, *, standardised: bool) -> IntervalMethod:
        """The method's part of the request. No documents are resampled for scores that depend on other runs."""
        others = [measure.name for measure in self.measures if measure.family is not MAP.family]
        if others and self.interval in ("bca", "parametric"):
            raise UsageError(f"--interval {self.interval} is for map, not for {', '.join(others)}.")
        unbounded = [measure.name for measure in self.measures if not (measure.is_bounded or measure.is_count)]
        if unbounded and self.interval == "logit":
            raise UsageError(
                f"--interval {self.interval} needs scores between 0 and 1, which {', '.join(unbounded)} does not have."
            )
        resamples = 0 if standardised else self.resamples
        return IntervalMethod(**values_of(self, IntervalMethod) | {"resamples": resamples})


class RunIntervals(Record):
    """One run: its topics, and for each measure their intervals."""

    name: str
    topics: list[str]
    intervals: list[ApIntervals]


def ap_ci(request: ApCiRequest, inputs: Inputs) -> Report:
    """Report of how precise each topic's average precision is, or its score by other measures."""
    of_method = request.of_method(standardised=inputs.standardise is not None)
    if inputs.scores:
        from irci.data.score_tables import score_files  # takes time

        table = score_files(inputs, request.measures)
        results = _without_limits(table)
    else:
        table, results = _resampled(request, of_method, inputs)
    _warn_of_no_limits(request, inputs, of_method)
    files = files_of(inputs, table)
    if inputs.standardise is not None:
        from irci.data.score_tables import standardised_scores

        results = _without_limits(standardised_scores(table, inputs))
    measures = {result.measure.name: result.measure for run in results for result in run.intervals}
    kinds = dict.fromkeys(map(of_method.kind_of, filter(of_method.gives_limits, measures.values())))
    how = "parametric" if of_method.interval == "parametric" else f"{of_method.resamples} resamples"
    signature = {
        "command": "ap-ci",
        **of_method._asdict() | {"interval": " ".join(kinds) or of_method.kind_of(MAP)},
        **inputs.signature(),
        "scores": inputs.scores,
        "standardise": inputs.standardise,
        "measures": " ".join(measures),
        "num_topics": len(table.topics),
    }
    return Report(
        tables=tables_of_runs(results, per_topic=request.lists_topics, summary=not request.no_summary),
        signature=signature,
        explain=lambda: _explanation(results, request.confidence),
        conclude=lambda: _conclusion(results, request.confidence),
        drawn=lambda: tables_of_runs(results, per_topic=True, summary=True),
        files=files,
        caption=lambda _: Caption(
            f"Means over {plural(len(table.topics), 'topic')}",
            # The means' limits are linear, whatever those of topics.
            f"{100 * of_method.confidence:g}% confidence limits over documents ({how}; topics fixed)",
        ),
        sources=AP,
    )


def _resampled(request: ApCiRequest, of_method: IntervalMethod, inputs: Inputs) -> tuple[Scores, list[RunIntervals]]:
    measures = request.measures or [MAP]
    for kind in dict.fromkeys(map(of_method.kind_of, filter(of_method.gives_limits, measures))):
        if request.lists_topics and kind in ("percentile", "bca"):
            warn_of_few_resamples(kind, of_method.resamples, of_method.confidence, ", or --interval logit")
    experiment = Experiment(inputs, measures)
    # Measures that look at the same documents share their ranks; those without limits need none.
    with_limits = {measure.sees: measure for measure in measures if of_method.gives_limits(measure)}
    relevances = {sees: experiment.relevance(measure) for sees, measure in with_limits.items()}
    step_tables = None
    if relevances and of_method.interval != "parametric":
        from irci.estimators.documents import StepTables

        step_tables = StepTables()

    def of_run(run: ExperimentRun, scores: Sequence[Floats]) -> list[ApIntervals]:
        kept = run.kept
        ranks = {sees: relevant_ranks(run.judged, relevance).only(kept) for sees, relevance in relevances.items()}
        return [
            method.ap_ci(
                value[kept], ranks[measure.sees], experiment.keys[kept], of_method, measure=measure,
                threads=inputs.threads, tables=step_tables,
            )
            if of_method.gives_limits(measure)
            else without_limits(value[kept], measure)
            for measure, value in zip(measures, scores, strict=True)
        ]  # fmt: skip

    results, scored, absent, notices = [], [], [], Notices()
    for run in experiment.runs():
        scored.append([run.scores(measure) for measure in measures])
        absent.append(run.judged.missing)
        results.append(RunIntervals(run.name, where(experiment.topics, run.kept), of_run(run, scored[-1])))
        if request.lists_topics:
            _notice_intervals(notices, results[-1], of_method)
    notices.tell()
    names = [run.name for run in results]
    values = {measure.name: np.array([of_run[i] for of_run in scored]) for i, measure in enumerate(measures)}
    whole = {
        name: np.where(absent, np.nan, each) if inputs.missing == "auto" else each for name, each in values.items()
    }
    made = not_missing(names, np.array(absent), inputs)
    table = Scores(
        where(names, made), experiment.topics, {name: each[made] for name, each in values.items()},
        whole=Scores(names, experiment.topics, whole),
    )  # fmt: skip
    return table, [run for run, is_made in zip(results, made, strict=True) if is_made]


def _warn_of_no_limits(request: ApCiRequest, inputs: Inputs, of_method: IntervalMethod) -> None:
    if request.interval != "parametric" and request.resamples == 0:
        return
    if inputs.standardise is not None or inputs.scores:
        logger.warning(OF_SCORES if inputs.standardise is None else OF_STANDARDISED)
    else:
        warn_of_no_limits(measure for measure in request.measures or [MAP] if not of_method.gives_limits(measure))


def _without_limits(table: Scores) -> list[RunIntervals]:
    return [
        RunIntervals(
            run, table.topics, [without_limits(values[index], named(name)) for name, values in table.values.items()]
        )
        for index, run in enumerate(table.runs)
    ]


def _notice_intervals(notices: Notices, run: RunIntervals, of_method: IntervalMethod) -> None:
    topics = np.array(run.topics, object)
    for result in run.intervals:
        kind = of_method.kind_of(result.measure)
        hint = (
            " (a single topic says little: look at the mean)" if kind == "percentile" else "; try --interval percentile"
        )
        for happens, chosen in {
            "without BCa limits, percentile taken": result.fallen_back,
            f"with an interval wider than 0.9{hint}": result.useless,
        }.items():
            notices.add(run.name, Kind(happens, about=result.measure.name), topics[chosen].tolist())


def tables_of_runs(results: Iterable[RunIntervals], *, per_topic: bool, summary: bool) -> list[Table]:
    """Run after run, its topics and its means."""
    found = []
    for run in results:
        if per_topic:
            found += tables("topic", "", _rows_of_topics(run))
        if summary:
            found += tables("estimate", "", _rows_of_means(run))
    return found


def _rows_of_topics(run: RunIntervals) -> Iterator[Row]:
    for index, topic in enumerate(run.topics):
        for found in run.intervals:
            if found.measure.is_of_topics and not np.isnan(found.value[index]):
                limits = float(found.value[index]), float(found.lower[index]), float(found.upper[index])
                yield _row(found.measure, topic, run.name, *limits, corrected=bool(found.corrected[index]))


def _rows_of_means(run: RunIntervals) -> Iterator[Row]:
    for found in run.intervals:
        if not np.isnan(found.summary):
            yield _row(found.measure, "all", run.name, found.summary, found.summary_lower, found.summary_upper)


def _row(
    measure: Measure, topic: str, run: str, value: float, lower: float, upper: float, *, corrected: bool = False
) -> Row:
    row: dict[str, Cell] = {
        "measure": measure.name, "topic": topic, "value": round(value) if measure.is_count else value,
        "lower": float(lower), "upper": float(upper), "run": run, "corrected": corrected,
    }  # fmt: skip
    return Bounded(row) if measure.is_bounded else row


def _all_means(results: Sequence[RunIntervals]) -> list[Row]:
    return [row for run in results for row in _rows_of_means(run)]


TOPICS_STAY = "The topics are taken as given; irci map-ci --population topics lets them vary."


def _conclusion(results: Sequence[RunIntervals], confidence: float) -> Iterator[str]:
    rows = _all_means(results)
    yield from highest_means(rows, confidence, DOCUMENTS)
    if _have_limits(rows):
        yield TOPICS_STAY


def _have_limits(rows: Iterable[Row]) -> bool:
    return any(not math.isnan(float(row["lower"] or 0)) for row in rows)


def _explanation(results: Sequence[RunIntervals], confidence: float) -> Iterator[str]:
    rows = _all_means(results)
    yield from sentences_of_means(rows, confidence, DOCUMENTS)
    if _have_limits(rows):
        yield TOPICS_STAY
