"""Means, differences and ranks of runs, whatever varies: from a request and scores to a report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from irci.base import DataError, UsageError, file_name, unknown
from irci.base.choices import PairCorrection
from irci.base.types import all_pairs
from irci.comparison import notices, rows, sentences
from irci.comparison.claims import failures
from irci.comparison.family import Family, Scored
from irci.comparison.reading import design_of
from irci.comparison.rows import Block, OnMeasure, Scope
from irci.comparison.sources import Source
from irci.data.inputs import Inputs
from irci.estimators.means import Design
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.stats.scales import PLAIN
from irci.stats.tests import POOLED, Comparison
from irci.wording import notify, say


def compared(request: Asked, scored: Scored, inputs: Inputs) -> Scope:
    """The comparisons of scores, nothing of which is computed yet. Refuses what cannot be told of these runs and measures: too
    few runs, no baseline of this name, no measure that picks a best run."""
    correction, runs = correction_over(request, scored.sources), scored.table.runs
    if (request.has_pairs or request.ranks) and len(runs) < 2:
        raise DataError("to compare runs, give at least two")
    request = asked = of_runs(request, runs, scored.paths)
    if missing := [baseline for baseline in asked.baseline if baseline not in (*runs, *POOLED)]:
        raise DataError(unknown("run", missing[0], runs))
    if {*POOLED} <= {*asked.baseline} - {*runs}:
        raise UsageError("--baseline takes one of mean and median, and runs.")
    if scored.table.missing:
        made = tuple(name for name in asked.baseline if name not in scored.table.missing)
        request = asked.replaced(baseline=made)
        if len(scored.runs) < 2:
            request = request.replaced(ranks=False, best=False)
        if asked.has_pairs and (len(scored.runs) < 2 or (asked.baseline and not made)):  # there are no pairs
            request = request.replaced(compare=False, baseline=(), all_pairs=False, meta=None)
    if request.best and not any(measure.more_is_better for measure in scored.measures):
        names = ", ".join(measure.name for measure in scored.measures)
        raise UsageError(f"--best: by {names} no run is better than another.")
    design = design_of(request, correction)
    comparisons = on_measures(request, scored, design, inputs.threads)
    for on in comparisons:
        _check_margin(request, on.measure, inputs.standardise)
        if "worse" in (request.fail_if or ()) and not (on.alone.is_diagnostic or on.measure.more_is_better):
            raise UsageError(
                f"--fail-if worse: {on.measure.name} shows how much is judged, of which more is not better."
            )
    return Scope(asked, request, scored, design, comparisons)


def report_of(
    whole: Scope, signature: Mapping[str, Any], scopes: Sequence[Scope] = (), between: Mapping[str, Sequence[Row]] = {}
) -> Report:
    """The report on all topics. `scopes`: all whose rows stand side by side, that of all topics among them; `between`: rows on
    how differences vary between them, by measure."""
    scored = whole.scored
    result = list(tables_of(whole, scopes or [whole], between))
    for scope in [whole, *(scope for scope in scopes if scope.scored.where)]:
        notices.warn(scope)
    failing = [of_pair for family in whole.paired for of_pair in failures(family)] if whole.request.fail_if else []
    by_scores, beside = list[str](), list[str]()
    if (standardised := signature.get("standardise")) is not None:
        by_scores = [say("report.points" if standardised == "rank" else "report.standardised", all=len(scored.runs))]
        # Of points, what a sample of tasks is, where nothing says how topics belong together.
        by_scores += [say("report.tasks")] if standardised == "rank" and not scored.kind else []

    if scored.table.missing:  # nothing else in an answer speaks of them
        beside = [f"{rows.they_lack(scored.table.missing)}: 0 counts there, and nothing is tested."]
    return Report(
        tables=result,
        signature=_signature(whole, signature),
        explain=lambda: chain(sentences.explanation(whole, scopes or [whole]), beside, by_scores),
        conclude=lambda: chain(sentences.conclusion(whole), beside),
        failures=[pair for fails, pair in failing if fails],
        untold=[*(pair for fails, pair in failing if not fails), *rows.untold_of_missing(whole)],
        # Scores of topics are ap-ci's picture; of parts all that is printed is drawn.
        drawn=None if scopes else lambda: [table for table in result if table.kind != "topic"],
        files=scored.files,
        caption=lambda: sentences.of_families(whole, scopes or [whole], one_population=True),
        sources={source.name: source.in_report for source in scored.sources},
    )


def tables_of(whole: Scope, scopes: Sequence[Scope], between: Mapping[str, Sequence[Row]]) -> Iterator[Table]:
    """The tables of means, scores of topics before them if they are asked for, of runs that are missing last; then of the best
    runs; and of pairs, that of each behind its own topics', and ranks by each measure."""
    request, scored = whole.request, whole.scored

    def blocks(measure: Measure, *, of_pairs: bool) -> Iterator[Block]:
        for scope in scopes:
            on = scope.on_measure(measure)
            family = on.alone if not of_pairs else on.pairs if on.pairs is not None and len(on.pairs.pairs) else None
            for source in scope.scored.sources:
                yield from () if family is None else rows.findings(family, source)
                yield from rows.missing_contrasts(scope, measure, source, of_pairs=of_pairs)

    of_means = [blocks(measure, of_pairs=False) for measure in scored.measures if not request.no_summary]
    families = [on.alone for on in whole.on if on.measure.is_of_topics]
    by_topic = (rows.on_topics(scored, families, run) for run in range(len(scored.runs) * request.per_topic))
    yield from rows.tables_of_contrasts("", [*chain.from_iterable(of_means)], by_topic)
    best_rows = [row for on in whole.on for row, *_ in on.best]
    for of_pairs in (False, True):
        yield from tables("best", "", (row for row in best_rows if ("baseline" in row) == of_pairs))
    for of_base in whole.by_base:
        for on in of_base:
            pairs = [on.pairs] if on.pairs is not None else []
            single = range(len(pairs[0].pairs) * request.per_topic if pairs else 0)
            by_topic = (rows.on_topics(scored, pairs, pair) for pair in single)
            yield from rows.tables_of_contrasts(on.measure.name, [*blocks(on.measure, of_pairs=True)], by_topic)
            yield from tables("heterogeneity", on.measure.name, between.get(on.measure.name, ()))
        yield from tables("meta", of_base[0].measure.base.name, of_base[0].combined[0])
        for on in of_base:
            of_scopes = (rows.of_ranks(scope.on_measure(on.measure)) for scope in scopes)
            yield from tables("rank", on.measure.name, chain.from_iterable(of_scopes))


def correction_over(request: Asked, sources: Sequence[Source], *, of_ranks: bool = False) -> PairCorrection:
    """How p allows for the number of pairs, or of all pairs that ranks go by, where claims are tried of those over topics.
    Raises UsageError where sources lack the joint draws that are asked for."""
    without = next((source.name for source in sources if not source.has_draws), "")
    of_ranks = of_ranks or (request.ranks and not request.has_pairs)
    correction: PairCorrection = request.correction or ("maxt" if of_ranks and not without else "holm")
    if without and (correction == "maxt" or request.test == "randomization"):
        option = "--correction maxt" if correction == "maxt" else "--test randomization"
        raise UsageError(f"{option} changes signs, which {without} do not have: choose another --population.")
    return correction


def of_runs(request: Asked, runs: Sequence[str], paths: Sequence[str] = ()) -> Asked:
    """The request with the baselines by their names among these runs: the first run where none is named, or those that were
    read from files that are named; `paths`: where each was read, if each has a file."""
    if request.is_with_first:
        return request.replaced(baseline=(runs[0],))
    files = [(path, os.path.basename(path), file_name(path)) for path in paths if len(runs) == len(paths)]
    baselines = []
    for baseline in request.baseline:
        of_file = [run for run, names in zip(runs, files, strict=False) if baseline in names]
        baselines.append(baseline if baseline in runs or len(of_file) != 1 else of_file[0])
    return request.replaced(baseline=tuple(dict.fromkeys(baselines)))


def compared_with(request: Asked) -> str | None:
    """The run, or runs, that others are compared with, in words."""
    return "all pairs" if request.all_pairs else " and ".join(request.baseline) or None


def _check_margin(request: Asked, measure: Measure, standardise: object) -> None:
    """Refuse a margin that all differences lie within, and a share of a mean of this measure where 0 is not the least that a
    mean can be."""
    margin, scale = request.margin, measure.scale()
    if margin is None:
        return
    ends = (request.range or measure.ends) if scale == PLAIN and standardise is None else None
    if margin.is_share and (scale != PLAIN or standardise == "z"):
        of_scale = f"a mean{sentences.SCALES.get(scale.name, '')}, like {measure.name},"
        of_scale = "a mean of z scores" if standardise == "z" else of_scale
        raise UsageError(f"--margin {margin}: a percentage of {of_scale} means nothing: give an amount.")
    if not margin.is_share and ends is not None:
        share = margin.amount / (ends[1] - ends[0])
        if request.range is not None and share < 0.01:  # as one in other units than the scores would be
            notify("small_margin", margin=margin.amount, percentage=100 * share, low=ends[0], high=ends[1])
        if margin.amount >= ends[1] - ends[0]:
            raise UsageError(
                f"--margin {margin}: scores in {measure.name} are between {ends[0]:g} and {ends[1]:g}, where any two runs are"
                " as near: give an amount such as .02, or 2% of the baseline's mean."
            )


def on_measures(request: Asked, scored: Scored, design: Design, threads: int) -> list[OnMeasure]:
    """The comparisons on each measure."""

    def families(asked: Asked, design: Design, comparison: Comparison, *, is_joint: bool) -> list[Family]:
        as_one = list[Family]()
        members = [
            Family(asked, design, scored, measure, comparison, threads, as_one if is_joint else [])
            for measure in scored.measures
        ]
        as_one += members
        return members

    means, is_joint = Comparison.alone(scored.runs), request.family != "each"
    pairs: Sequence[Family | None] = [None] * len(scored.measures)
    ranked = pairs
    # A run's own limits do not depend on the others, nor on a test of pairs; pairs do not depend on ranks.
    alone = families(request, design._replace(correction="none", test="t"), means, is_joint=False)
    if request.has_pairs:
        comparison = Comparison.of(scored.runs, request.baseline, all_pairs=request.all_pairs)
        pairs = families(request, design, comparison, is_joint=is_joint)
    if request.ranks:
        of_ranks = design._replace(correction=correction_over(request, scored.sources, of_ranks=True))
        comparison = means._replace(pairs=all_pairs(len(scored.runs)))
        ranked = families(request.replaced(adjusted_limits=False), of_ranks, comparison, is_joint=is_joint)
    return list(map(OnMeasure, scored.measures, alone, pairs, ranked))


STRUCTURED = ("signs", "confidence", "seed", "test", "correction", "interval")  # settings where topics belong together


def _signature(scope: Scope, signature: Mapping[str, Any]) -> dict[str, str | float | int | bool | None]:
    request, scored, design = scope.request, scope.scored, scope.design
    has_settings = scored.kind or any(source.has_p for source in scored.sources)
    settings = design._asdict() if has_settings else {}
    of_ranks = correction_over(request, scored.sources, of_ranks=True) if request.ranks else design.correction
    unusual = {
        "family": request.family if request.family != "each" else None,
        "best": request.best or None,
        "correction_of_ranks": of_ranks if of_ranks != design.correction else None,
    }
    return {
        "command": f"map-ci --{scored.kind}" if scored.kind else "map-ci",
        "measures": " ".join(measure.name for measure in scored.measures),
        "populations": " ".join(dict.fromkeys(source.name for source in scored.sources)),
        "baseline": compared_with(request) or compared_with(scope.asked),
        **{name: value for name, value in settings.items() if not scored.kind or name in STRUCTURED},
        "range": None if request.range is None else "{:g},{:g}".format(*request.range),
        "margin": None if request.margin is None else str(request.margin),
        **{name: value for name, value in unusual.items() if value is not None},
        **signature,
        **scored.signature,
    }
