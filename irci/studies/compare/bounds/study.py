"""Bounds of unjudged documents: from request and inputs to a report, and what they say in plain words, and do not."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from irci.base.choices import JUDGMENTS
from irci.base.errors import UsageError, logger
from irci.base.names import plural
from irci.base.records import Record
from irci.data.experiment import Experiment, files_of
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure
from irci.data.read_again import read_settled
from irci.methods.unjudged.bounds import RBP, bounds_kind
from irci.output.report import Report
from irci.output.tables import Caption, Row, Signature, Source
from irci.output.tables import tables as rows_as_tables
from irci.studies.compare.bounds.pairs import Compared, compared
from irci.studies.compare.bounds.runs import (
    RunBounds,
    check_grades,
    check_measures,
    level_of,
    mean_bounds,
    read_runs,
    tables_of_runs,
    which_documents,
)
from irci.studies.compare.family import Scored
from irci.studies.compare.family import Source as SourceOfVariation
from irci.studies.compare.missing_rows import missing_differences, missing_means, of_those_made, sentences_of_missing
from irci.studies.compare.request import Request
from irci.studies.compare.rows import difference_name
from irci.studies.wording import MOST, amount

NO_PAIRS: Row = {"sign": "", "bounds": ""}
OF_GRADES = Source(
    "",
    "The grades of unjudged documents vary: bounds are the least and the greatest score over all of them, worst cases. The"
    " judgments there are, the topics and the runs stay the same; nothing is said about how likely a score is.",
)


def unjudged(request: Request, inputs: Inputs, command: str) -> Report:
    """Between which bounds does a run score, and differ from others, whatever grades unjudged documents have?"""
    if inputs.has_only_scores or inputs.judged_only:
        raise UsageError("bounds of unjudged documents need rankings with these documents in them.")
    return read_settled(inputs, lambda inputs: _unjudged(request, inputs, command))


def _unjudged(request: Request, inputs: Inputs, command: str) -> Report:
    measures = request.measures or [MAP]
    check_measures(request, measures, inputs)
    experiment = Experiment(inputs, measures, with_intervals=False)
    highest = begin(request, experiment, measures)
    which = which_documents(request, measures)
    runs, table = read_runs(request, experiment, measures)
    scored = Scored.of(table, measures)._replace(sources=[OfGrades()])
    asked = request.of_runs(scored.every_run, experiment.paths)
    request = of_those_made(asked, scored)
    warn_of_no_bounds(measures, inputs, highest)
    topics = table.topics
    pairs = [
        compared(request, topics, runs, measure, inputs.relevance_level, highest, inputs.progress)
        for measure in (measures if request.has_pairs else ())
    ]
    limits = f"bounds over all grades, 0 to {highest}, of {which.rstrip(',')} (worst cases)"
    tables = tables_of_runs(request, topics, runs, measures)
    of_means = [row for table in tables if table.kind == "bounds" for row in table.rows]
    tables += [] if request.no_summary else missing_means(request, scored, of_means, "bounds")
    differences = [table for each in pairs for table in each.tables()]
    for measure in measures if asked.has_pairs else ():
        of_pairs = [table.rows[0] for table in differences if table.kind == "difference_bounds"]
        rows = missing_differences(asked, measure, scored, of_pairs or [NO_PAIRS])
        differences += rows_as_tables("difference_bounds", difference_name(measure, request.scale(measure)), rows)
    told = Told(request, measures, runs, pairs, highest)
    return Report(
        tables=[*tables, *differences],
        signature={"command": command, **_signature(request, inputs, measures, highest, len(topics))},
        explain=lambda: chain(sentences(told), sentences_of_missing(scored)),
        conclude=lambda: chain(_conclusion(told), sentences_of_missing(scored)),
        files=files_of(inputs, table),
        caption=lambda _: Caption(f"Means over {plural(len(topics), 'topic')}", limits),
        sources={JUDGMENTS: OF_GRADES},
    )


def begin(request: Request, experiment: Experiment, measures: Sequence[Measure]) -> int:
    """The highest grade of the scale, which is told with the documents that may have it."""
    highest = experiment.judgments.at(None).most
    check_grades(experiment, measures, highest)
    which = which_documents(request, measures)
    logger.info(
        f"bounds: {which} may have any grade from 0 to {highest} (--max-grade); all others count as not relevant"
    )
    return highest


def _signature(request: Request, inputs: Inputs, measures: Sequence[Measure], highest: int, topics: int) -> Signature:
    return {
        "measures": " ".join(measure.name for measure in measures),
        "baseline": request.compared_with,
        **inputs.signature(),
        "max_grade": highest,
        "num_topics": topics,
    }


def warn_of_no_bounds(measures: Sequence[Measure], inputs: Inputs, highest: int) -> None:
    """Say which measures have none."""
    level = inputs.relevance_level
    without = [each.name for each in measures if bounds_kind(each, highest, level_of(each, level)) is None]
    if without:
        logger.warning(f"{', '.join(without)}: no bounds over the grades of unjudged documents are known")


KINDS = {
    "outer": "outer ones, which perhaps no grades reach: the true bounds may be narrower",
    "two-grade": "two-grade ones, for unjudged documents of grade 0 or {highest} alone: grades between may go beyond them",
}
# What more there is to say of kinds where pairs are told.
OF_PAIRS = {"outer": ", and a pair that is open may in truth be sure", "two-grade": ", so that no pair is sure or open"}
NOTHING_OPEN = "and no unjudged document that counts here could change that"


class OfGrades(SourceOfVariation):
    """Grades of unjudged documents, for rows of runs that are missing."""

    name = JUDGMENTS


class Told(Record):
    """The bounds of runs and of pairs by these measures, to be told; `highest`: grade of the scale."""

    request: Request
    measures: Sequence[Measure]
    runs: Sequence[RunBounds]
    pairs: Sequence[Compared]
    highest: int


def sentences(told: Told) -> Iterator[str]:
    """Pairs first if they are asked for, or else runs; then what bounds are, and what would be misread."""
    if told.pairs:
        for compared in told.pairs:
            yield from _of_pairs(told, compared)
    else:
        for measure in told.measures:
            yield from _of_runs(told, measure)
    if all(of.kind is None for run in told.runs for of in run.bounds.values()):
        return
    yield f"Bounds are the least and the greatest value that any grades of unjudged documents, 0 to {told.highest}, allow."
    yield "They are worst cases, no confidence limits: nothing is said about which values are likely, nor about other topics."
    yield _unknown(told)
    yield from _of_kinds(told)
    if told.pairs:
        yield (
            "Sure means that no grades of these documents change which run is better; other topics still could, and so"
            " could unjudged documents that count as not relevant here."
        )


def _conclusion(told: Told) -> Iterator[str]:
    """The answer by each measure: of the pair, or of how many pairs; or of the first run."""
    for pairs in told.pairs:
        counted = len(pairs.value) > 1 and pairs.kind in ("exact", "outer")
        yield from (_of_many(pairs),) if counted else islice(_of_pairs(told, pairs), 1)
    if not told.pairs:
        yield from islice(sentences(told), 1)


def _of_runs(told: Told, measure: Measure) -> Iterator[str]:
    if len(told.runs) <= MOST:
        yield from (_of_run(told, run, measure) for run in told.runs if run.kept.any())
        return
    means = [mean_bounds(measure, run, told.request) for run in told.runs if run.kept.any()]
    widths = [upper - lower for _, lower, upper, _ in means]
    values, judged = [mean[0] for mean in means], [mean[3] for mean in means]
    best = told.runs[int(np.argmax(values))].name
    yield f"{best} scores highest of {len(means)} runs in {measure.name}, {amount(max(values))}."
    if np.isfinite(widths).all():
        yield (
            f"The bounds of a run are {amount(float(np.median(widths)))} apart (median; {amount(min(widths))} to"
            f" {amount(max(widths))}); {_percent(float(np.median(judged)))} of its documents are judged (median;"
            f" {_percent(min(judged))} to {_percent(max(judged))})."
        )


def _of_run(told: Told, run: RunBounds, measure: Measure) -> str:
    value, lower, upper, judged = mean_bounds(measure, run, told.request)
    scored = f"{run.name} scores {amount(value)} in {measure.name}"
    if np.isnan(lower):
        return f"{scored}."
    if lower == upper:
        return f"{scored}, {NOTHING_OPEN}."
    open_grades = (
        f"if its unjudged documents have grade 0 or {told.highest} alone"
        if run.bounds[measure.name].kind == "two-grade"
        else "whatever grades its unjudged documents have"
    )
    looked_at = f"its first {measure.cut} documents" if measure.cut else "its documents"
    return (
        f"{scored}; {open_grades}, between {amount(lower)} and {amount(upper)}"
        f" ({_percent(judged)} of {looked_at} are judged)."
    )


def _percent(share: float) -> str:
    """A share, never rounded to all or nothing."""
    percent = 100 * share
    return f"{percent:.1f}%" if 0 < min(percent, 100 - percent) < 1 else f"{percent:.0f}%"


def _of_pairs(told: Told, compared: Compared) -> Iterator[str]:
    if len(compared.value) > MOST:
        if compared.kind in ("exact", "outer"):
            yield _of_many(compared)
        return
    for pair, is_sure in enumerate(compared.is_sure):
        yield _of_pair(told, compared, pair, is_sure=is_sure)


def _of_many(compared: Compared) -> str:
    number, sure, name = len(compared.value), sum(compared.is_sure), compared.name.removesuffix("_diff")
    same = "unjudged documents cannot change which run is better, whatever their grades"
    if sure == number:
        return f"The {number} pairs are all sure in {name}: {same}."
    how_many = f"{sure} are" if sure > 1 else "one is" if sure else "none is"
    found = f"Of {plural(number, 'pair')}, {how_many} sure in {name}"
    if not sure:
        return f"{found}: grades of unjudged documents may decide all of them, which are open."
    others = "the other one, which is open" if number - sure == 1 else f"the other {number - sure}, which are open"
    return f"{found}: {same}. These may decide {others}."


def _of_pair(told: Told, compared: Compared, pair: int, *, is_sure: bool) -> str:
    run, baseline = compared.names(pair)
    value, lower, upper = (float(each[pair]) for each in (compared.value, compared.lower, compared.upper))
    of_pair = f"{run} scores {_apart(value, baseline)} in {compared.name.removesuffix('_diff')}"
    if np.isnan(lower):
        return f"{of_pair}."
    between = f"the difference lies between {amount(lower)} and {amount(upper)}"
    if lower == upper:
        return f"{of_pair}, {NOTHING_OPEN}."
    if compared.kind == "two-grade":
        return f"{of_pair}; if unjudged documents have grade 0 or {told.highest} alone, {between}."
    if is_sure:
        more = "more" if value > 0 else "less"
        return f"{of_pair}, and {more} whatever grades unjudged documents have: {between}."
    return f"{of_pair}, but grades of unjudged documents may decide which is better: {between}."


def _apart(value: float, baseline: str) -> str:
    if value == 0:
        return f"as much as {baseline}"
    return f"{amount(abs(value))} {'more' if value > 0 else 'less'} than {baseline}"


def _unknown(told: Told) -> str:
    return f"Only {which_documents(told.request, told.measures)} may have any grade; all others count as not relevant."


def _of_kinds(told: Told) -> Iterator[str]:
    kinds: dict[str, list[str]] = {}
    for measure in told.measures:
        found = next((each.kind for each in told.pairs if each.measure == measure), None) if told.pairs else None
        kind = found if told.pairs else told.runs[0].bounds[measure.name].kind
        kinds.setdefault(str(kind), []).append(measure.name)
    for name, what in KINDS.items():
        if name in kinds:
            more = OF_PAIRS[name] if told.pairs else ""
            yield f"Bounds of {', '.join(kinds[name])} are {what.format(highest=told.highest)}{more}."
    graded = [measure.name for measure in told.measures if measure.family.name == "rbp"]
    if graded and told.highest > 1:
        yield (
            f"In {', '.join(graded)} gains stay divided by the highest grade judged on the topic; once a higher one is judged,"
            " a score may lie below its bounds."
        )
    of_rbp = [measure.name for measure in told.measures if measure.family.name in RBP]
    if of_rbp:
        yield f"In {', '.join(of_rbp)} the ranks below the end of a list may hold relevant documents too."
    too_high = [
        measure.name
        for measure in told.measures
        if any((run.bounds[measure.name].lower < run.bounds[measure.name].value).any() for run in told.runs)
    ]
    if too_high:
        yield (
            f"A score in {', '.join(too_high)} may turn out too high as well as too low: unjudged documents that are relevant"
            " also enlarge R, or what the ideal ranking gains."
        )
