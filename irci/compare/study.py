"""Means, differences and ranks of runs, whatever varies: from a request and scores to a report, with its captions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irci.base.choices import PairCorrection
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import unknown
from irci.base.types import Progress, all_pairs, as_they_are
from irci.compare import notices
from irci.compare.best import row_of_best, row_of_lead
from irci.compare.captions import caption
from irci.compare.claims import failures, identical_on_these
from irci.compare.family import Family, Scored, Source
from irci.compare.family_sentences import check_best
from irci.compare.meta import Combination
from irci.compare.missing_rows import (
    missing_differences,
    missing_means,
    of_those_made,
    sentences_of_missing,
    untold_of_missing,
    without_missing,
)
from irci.compare.reading import by_base
from irci.compare.request import Request
from irci.compare.rows import (
    OnMeasure,
    rows_of_differences,
    rows_of_means,
    rows_of_ranks,
    rows_of_topic_differences,
    rows_of_topics,
)
from irci.compare.sentences import conclusion, explanation, means_against_points, sentences_of_points
from irci.estimators.compare.means import Design
from irci.estimators.joint_resamples import POOLED, Comparison
from irci.measures import Measure
from irci.output.report import Report
from irci.output.tables import Row, Table, joined, tables


class ComparedRuns(NamedTuple):
    """The comparisons on all measures, of what was read, with the `signature` of that; what was `asked` of all runs, and what
    that is of those which are not missing."""

    asked: Request
    request: Request
    scored: Scored
    design: Design
    signature: Mapping[str, Any]
    on: Sequence[OnMeasure]


def report_on(
    request: Request,
    scored: Scored,
    signature: Mapping[str, Any],
    *,
    threads: int = 1,
    progress: Progress = as_they_are,
) -> Report:
    """Means, differences, combined effects and ranks of runs. `signature`: of what was read."""
    return report_of(compared(request, scored, signature, threads, progress))


def compared(
    request: Request, scored: Scored, signature: Mapping[str, Any], threads: int, progress: Progress = as_they_are
) -> ComparedRuns:
    """The comparisons of scores, nothing of which is computed yet. Refuses what cannot be told of these runs and measures."""
    correction = correction_over(request, scored.sources)
    asked = _checked(request, scored)
    request = of_those_made(asked, scored)
    check_best(request, scored.measures)
    for measure in scored.measures:
        request.check_margin(measure, signature.get("standardise"))
        request.check_direction(measure, scored.measures)
    design = request.design(correction)
    on = list(on_measures(request, scored, design, threads, progress))
    return ComparedRuns(asked, request, scored, design, signature, on)


def report_of(comparisons: ComparedRuns) -> Report:
    """The report on comparisons."""
    asked, request, scored, design, signature, found = comparisons
    compares = request.has_pairs or request.ranks or request.best
    for measures in _bases(found) if compares or request.meta is not None else ():
        notices.warn_of_base(request, scored, measures)
    result = list(tables_of(asked, request, scored, found))
    notices.warn(request, scored, found)
    scored.further_notices(found)
    _tell_identical(request, scored, found)
    return Report(
        tables=result,
        signature=_signature(request, scored, design, signature),
        explain=lambda: [
            *explanation(request, scored, without_missing(result, scored), found),
            *sentences_of_missing(scored),
            *means_against_points(scored, found),
            *(sentences_of_points(scored) if signature.get("standardise") == "rank" else ()),
        ],
        conclude=lambda: chain(
            conclusion(request, scored, without_missing(result, scored), found),
            means_against_points(scored, found),
            sentences_of_missing(scored),
        ),
        failures=list(_failures(request, scored, found)),
        untold=[
            *_failures(request, scored, found, untold=True),
            *untold_of_missing(asked, scored, [each.measure.name for each in found if each.finds]),
        ],
        drawn=lambda: [table for table in result if table.kind != "topic"],  # those are ap-ci's picture
        files=scored.files,
        caption=lambda shown: caption(request, scored, design, shown, found),
        sources={source.name: source.in_report for source in scored.sources},
    )


def tables_of(asked: Request, request: Request, scored: Scored, on: Sequence[OnMeasure]) -> Iterator[Table]:
    """The tables of means, then of the best runs, and of pairs and ranks by each measure."""
    yield from _means(request, scored, on)
    yield from _best(on)
    yield from _comparisons(asked, request, scored, on)


def correction_over(request: Request, sources: Sequence[Source], *, of_ranks: bool = False) -> PairCorrection:
    """How p allows for the number of pairs, or of all pairs that ranks go by, where claims are tried of those over topics.
    Raises UsageError where sources lack the joint draws that are asked for."""
    without = next((source.name for source in sources if not source.has_draws), "")
    of_ranks = of_ranks or (request.ranks and not request.has_pairs)
    correction: PairCorrection = request.correction or ("maxt" if of_ranks and not without else "holm")
    asked = {
        "--correction maxt": correction == "maxt",
        "--test randomization": request.test == "randomization",
    }
    for option, is_asked in asked.items():
        if is_asked and without:
            raise UsageError(f"{option} changes signs, which {without} do not have: choose another --population.")
    return correction


def _checked(request: Request, scored: Scored) -> Request:
    """The request with its baseline by name. Raises DataError if there are too few runs, or none of this name."""
    if (request.has_pairs or request.ranks) and len(scored.every_run) < 2:
        raise DataError("to compare runs, give at least two")
    found = request.of_runs(scored.every_run, scored.paths)
    if found.baseline is not None and found.baseline not in (*scored.every_run, *POOLED):
        raise DataError(unknown("run", found.baseline, scored.every_run))
    return found


def on_measures(
    request: Request, scored: Scored, design: Design, threads: int, progress: Progress = as_they_are
) -> Iterator[OnMeasure]:
    """The comparisons on each measure."""
    runs, is_joint = scored.runs, request.family != "each"
    means = Comparison.of(runs, None, False, False, alone=True)
    pairs = Comparison.of(runs, request.baseline, True, request.all_pairs, alone=False) if request.has_pairs else None
    # A run's own limits do not depend on the others, nor on a test of pairs; pairs do not depend on ranks.
    of_means = design._replace(correction="none", test="t")
    of_ranks = design._replace(correction=correction_over(request, scored.sources, of_ranks=True))
    families_of_pairs: list[Family] = []
    families_of_ranks: list[Family] = []
    for measure in scored.measures:
        alone = Family(request, of_means, scored, measure, means, threads)
        on_measure = OnMeasure(alone, None, None)
        if pairs is not None and not measure.is_count:
            as_one = families_of_pairs if is_joint else []
            on_measure.pairs = Family(request, design, scored, measure, pairs, threads, progress, as_one)
            families_of_pairs.append(on_measure.pairs)
        if request.ranks and not measure.is_count:
            without, as_one = request._replace(adjusted_limits=False), families_of_ranks if is_joint else []
            every = means._replace(pairs=all_pairs(len(runs)))
            on_measure.ranked = Family(without, of_ranks, scored, measure, every, threads, progress, as_one)
            families_of_ranks.append(on_measure.ranked)
        yield on_measure


def _bases(found: Sequence[OnMeasure]) -> list[list[OnMeasure]]:
    measures = [each.measure for each in found if not each.measure.is_count]
    return [[each for each in found if each.measure in some] for some in by_base(measures)]


def _means(request: Request, scored: Scored, found: Sequence[OnMeasure]) -> Iterator[Table]:
    rows: list[Row] = []
    for index in range(len(scored.runs)):
        if request.per_topic:
            yield from tables("topic", "", rows_of_topics(scored, index, [each.alone for each in found]))
        if not request.no_summary:
            rows = [row for each in found for row in rows_of_means(each.alone, index, scored.sources)]
            yield from tables("estimate", "", rows)
    if not request.no_summary:
        yield from missing_means(request, scored, rows)


def _best(found: Sequence[OnMeasure]) -> Iterator[Table]:
    rows = [row_of_best(each.alone, each.alone.best) for each in found if each.alone.best is not None]
    yield from tables("best", "", rows)
    compared = [each.pairs for each in found if each.pairs is not None]
    leads = [(family, family.lead_of_best) for family in compared]
    yield from tables("best", "", [row_of_lead(family, lead) for family, lead in leads if lead is not None])


def _comparisons(asked: Request, request: Request, scored: Scored, found: Sequence[OnMeasure]) -> Iterator[Table]:
    for some in _bases(found):
        for each in some:
            yield from _differences(asked, scored, each)
            if each.pairs is not None:
                notices.warn_of_tests(each, scored.sources)
        if request.meta is not None and scored.resampled is not None:
            first, has_pairs = some[0], request.has_pairs and some[0].pairs is not None
            family = first.pairs if has_pairs and first.pairs is not None else first.alone
            yield Combination(family, scored.resampled, request.meta).table()
        for each in some:
            if each.ranked is not None:
                yield from tables("rank", each.measure.name, rows_of_ranks(each.ranked, scored.sources))


def _differences(asked: Request, scored: Scored, on: OnMeasure) -> Iterator[Table]:
    telling = [source for source in scored.sources if source.tells_verdicts and on.tells_verdicts]
    claims = {source.name: on.resolution(source) for source in telling}
    rows: Sequence[Row] = []
    if on.pairs is not None:
        rows = rows_of_differences(on.pairs, scored.sources, claims)
    missing = missing_differences(asked, on.measure, scored, rows[:1])
    if not asked.per_topic or on.pairs is None:
        yield from tables("difference", on.measure.name, joined(rows, missing))
        return
    for pair in range(on.shown):
        yield from tables("topic_difference", on.measure.name, rows_of_topic_differences(on.pairs, pair))
        each = len(scored.sources)
        yield from tables("difference", on.measure.name, rows[pair * each : (pair + 1) * each])
    yield from tables("difference", on.measure.name, missing)


def _failures(request: Request, scored: Scored, found: Sequence[OnMeasure], *, untold: bool = False) -> Iterator[str]:
    """The pairs of which --fail-if holds, or is `untold`, each in the first source that tells of it, or the first of all."""
    if not {*(request.fail_if or ())} - {"reversed"}:  # which claims tell of
        return
    sources = [source for source in scored.sources if source.tells_verdicts]
    for on in found:
        if on.pairs is None or not on.finds:
            continue
        told = np.array([on.pairs.over(source).tested.of.is_told for source in sources])
        for index, source in enumerate(sources):
            chosen = told.argmax(axis=0) == index
            yield from failures(on.pairs, on.resolution(source), source, chosen, untold=untold)


def _tell_identical(request: Request, scored: Scored, found: Sequence[OnMeasure]) -> None:
    """Say of runs that pass as they are identical how many other topics may differ."""
    if "inferior" not in (request.fail_if or ()):
        return
    source = next(source for source in scored.sources if source.tells_verdicts)
    for on in found:
        if on.pairs is not None and on.finds:
            for told in identical_on_these(on.pairs, on.resolution(source), source):
                logger.info(told)


def _signature(
    request: Request, scored: Scored, design: Design, signature: Mapping[str, Any]
) -> dict[str, str | float | int | bool | None]:
    names = {
        "command": f"map-ci --{scored.kind}" if scored.kind else "map-ci",
        "measures": " ".join(measure.name for measure in scored.measures),
        "populations": " ".join(dict.fromkeys(source.name for source in scored.sources)),
        "baseline": request.compared_with,
    }
    asked = {
        "range": None if request.range is None else "{:g},{:g}".format(*request.range),
        "margin": None if request.margin is None else str(request.margin),
        **({} if request.family == "each" else {"family": request.family}),
        **({"best": True} if request.best else {}),
    }
    if not scored.kind:
        estimated = design.signature() if any(source.has_p for source in scored.sources) else {}
        return {**names, **estimated, **asked, **signature, **scored.signature}
    return {
        **names, "test": design.test, "interval": design.interval, "correction": design.correction, "signs": design.signs,
        **asked, "confidence": design.confidence, "seed": design.seed,
        **signature, **scored.signature,
    }  # fmt: skip
