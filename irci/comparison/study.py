"""Means, differences and ranks of runs, whatever varies: from a request and scores to a report, with its captions: what means
are over, and what limits and tests rest on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irci.base import DataError, UsageError, file_name, logger, plural, unknown
from irci.base.choices import PairCorrection
from irci.base.types import ProgressBar, all_pairs, as_they_are
from irci.comparison import notices, sentences
from irci.comparison.best import captions_of_best, check_best, row_of_best, row_of_lead
from irci.comparison.claims import failures, resolution
from irci.comparison.family import Family, Scored, is_diagnostic
from irci.comparison.meta import combined_rows
from irci.comparison.missing import (
    missing_contrasts,
    of_those_made,
    pairs_of_missing,
    sentences_of_missing,
    untold_of_missing,
    without_missing,
)
from irci.comparison.reading import by_base, design_of
from irci.comparison.rows import (
    Block,
    OnMeasure,
    Scope,
    differences,
    kinds_of_limits,
    lacking_cells,
    means,
    rows_of_blocks,
    rows_of_ranks,
    rows_of_topic_differences,
    rows_of_topics,
)
from irci.comparison.sources import Source
from irci.data.inputs import Inputs
from irci.data.scores import warn_of_margin
from irci.estimators.joint_resamples import POOLED, Comparison
from irci.estimators.means import Design
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.shown import TESTS
from irci.output.tables import NO_WORD, PARTS, Caption, Row, Table, tables
from irci.stats.bounded import share_limit
from irci.stats.scales import PLAIN
from irci.stats.signs import is_exact
from irci.wording import kinds_in_words


def caption(scope: Scope, source_name: str) -> Caption:
    """The caption of means with limits over the source shown."""
    scored, design, on_measures = scope.scored, scope.design, scope.on
    source = next(on for on in scored.sources if on.name == source_name)
    pairs = [(on.pairs or on.families[-1]) for on in on_measures if on.families and source.has_p]
    ranked = [on.ranked for on in on_measures if on.ranked is not None and source.has_p]
    return Caption(
        f"Means over {scored.made_of}",
        _limits(source, design, on_measures),
        _test(source, design, pairs) if pairs else "",
        _test(source, design, ranked or pairs) if ranked or (pairs and source.observes) else "",
        list(sentences.of_families(on_measures, one_population=True)),
        list(captions_of_best(on_measures)),
    )


def _limits(source: Source, design: Design, on_measures: Sequence[OnMeasure]) -> str:
    tested = [on.alone.over(source).tested for on in on_measures if not on.measure.is_count]
    kinds = [kind for on in tested for kind, lower in zip(on.interval, on.limits[0], strict=False) if lower == lower]
    if own := source.limits_in_caption():
        return own
    resamples = f"{design.resamples} resamples"
    facts = {
        "confidence": f"{100 * design.confidence:g}%", "kind": kinds_in_words(kinds), "resamples": resamples,
        "by": " or ".join(resamples if kind == "linear" else kind for kind in dict.fromkeys(kinds)) or resamples,
        "number": "as many" if design.new_topics is None else str(design.new_topics),
        "over": source.over, "predicted": source.word("predicted"),
    }  # fmt: skip
    predicts = design.interval == "prediction" and source.is_plain_topics
    return source.say("predicted_limits" if predicts or source.word("predicted") else "limits", **facts)


# What p comes from in place of the test asked for, by the name in rows; not where t's is only kept from being too small.
INSTEAD = {
    "midp": "McNemar's mid-p where all scores are 0 or 1", "signs": "signs where all differences are equal",
    "bounded": "p of bounded limits where scores hardly vary",
    "points": "the sign test of points of two runs",
}  # fmt: skip


def kinds_and_tests(families: Iterable[tuple[Family, Source]]) -> tuple[str, str]:
    """The kinds of limits of several families, each over a source, in words; and which other tests some of their pairs have
    than the one asked for (`tests_instead`)."""
    kinds: set[str] = set()
    tests: list[str] = []
    for family, source in families:
        tested = family.over(source).tested
        kinds |= {*kinds_of_limits(family, source, tested).tolist()}
        tests += tested.test
    return kinds_in_words(kinds - {NO_WORD}), tests_instead(tests)


def tests_instead(tests: Iterable[str]) -> str:
    """In brackets, which other tests some pairs have than the one asked for; "" where all have that."""
    test_names = set(tests)
    words_of_tests = "; ".join(words for name, words in INSTEAD.items() if name in test_names)
    return f" ({words_of_tests})" if words_of_tests else ""


def _test(source: Source, design: Design, families: Sequence[Family]) -> str:
    family = families[0]
    correction = family.correction_over(source.name)
    # p is adjusted for none of those of which nothing is known.
    tested_pairs = [int((~np.isnan(member.over(source).p_adjusted)).sum()) for member in family.adjusted_as_one]
    pairs = family.number if source.observes else sum(tested_pairs)
    number = plural(pairs, "pair") + " of each measure" * (len(families) > 1)
    if len(tested_pairs) > 1:
        number = f"{plural(pairs, 'difference')} in {len(tested_pairs)} measures"
    of_pairs = f"of the {number}" if correction == "none" else f"for {number}"
    exact = is_exact(source.most_units(family, family.over(source).tested), design.signs)
    if pairs and correction == "maxt" and source.units_alone:
        signs = f"all signs of {source.counted}" if exact else f"{design.signs} random signs of {source.counted}"
        return f"randomization test by the largest t of {number}, {signs}"
    drawn = f" ({'all' if exact else design.signs} signs)" if design.test in ("randomization", "wilcoxon") else ""
    test = source.say(
        "test", test=TESTS[design.test], plain="t test" if design.test == "t" else "randomization test", signs=drawn,
        over=source.over, resamples=f"{design.resamples} resamples",
        by="delta method" if design.interval == "parametric" else f"{design.resamples} resamples",
    )  # fmt: skip
    test += tests_instead(name for member in families for name in member.over(source).tested.test)
    if pairs <= 1:
        return test
    return f"{test}, {sentences.adjusted_in_words(correction)} {of_pairs}"


def compared(request: Asked, scored: Scored, inputs: Inputs) -> Scope:
    """The comparisons of scores, nothing of which is computed yet. Refuses what cannot be told of these runs and measures."""
    correction = correction_over(request, scored.sources)
    asked = _checked(request, scored)
    request = of_those_made(asked, scored) if scored.missing else asked
    if request.best:
        check_best(scored.measures)
    for measure in scored.measures:
        _check_margin(request, measure, inputs.standardise)
        counts = "worse" in (request.fail_if or ()) and not is_diagnostic(request, measure, scored.measures)
        if counts and not measure.more_is_better:
            raise UsageError(f"--fail-if worse: {measure.name} tells how much is judged, of which more is not better.")
    design = design_of(request, correction)
    return Scope(
        asked, request, scored, design, list(on_measures(request, scored, design, inputs.threads, inputs.progress))
    )


def report_of(
    whole: Scope,
    signature: Mapping[str, Any],
    scopes: Sequence[Scope] = (),
    between: Callable[[Family], Iterable[Row]] = lambda _: (),
) -> Report:
    """The report on all topics. `scopes`: all whose rows stand side by side, that of all topics among them; `between`: rows
    of how differences vary between them."""
    scored = whole.scored
    scopes = scopes or [whole]
    reported = [whole, *(scope for scope in scopes if scope is not whole and scope.scored.where)]
    for scope in reported:
        notices.warn_of_bases(scope)
    result = list(tables_of(whole, scopes, between))
    for scope in reported:
        notices.warn(scope)
    scored.further_notices()
    if "inferior" in (whole.request.fail_if or ()):
        _tell_identical(whole)

    def made() -> Sequence[Table]:
        """The tables with their rows of all topics alone, of runs that are not missing."""
        parts = {name: label for of in scored.sources for name, label in of.labels.items() if name in PARTS}
        of_whole = result
        if len(scopes) > 1:
            rows = ([row for row in table.rows if parts.items() <= {**parts, **row}.items()] for table in result)
            of_whole = [table._replace(rows=own) for table, own in zip(result, rows, strict=True)]
        return without_missing(of_whole, scored) if scored.missing else of_whole

    return Report(
        tables=result,
        signature=_signature(whole, signature),
        explain=lambda: [
            *sentences.explanation(whole, made()),
            *(sentences_of_missing(scored) if scored.missing else ()),
            *sentences.means_against_points(whole),
            *(sentences.sentences_of_points(scored) if signature.get("standardise") == "rank" else ()),
        ],
        conclude=lambda: chain(
            sentences.conclusion(whole, made()),
            sentences.means_against_points(whole),
            sentences_of_missing(scored) if scored.missing else (),
        ),
        failures=list(_failures(whole)),
        untold=[
            *_failures(whole, untold=True),
            *(untold_of_missing(whole) if scored.missing else ()),
        ],
        drawn=lambda: [table for table in result if table.kind != "topic"],  # those are ap-ci's picture
        files=scored.files,
        caption=lambda source_name: caption(whole, source_name),
        sources={source.name: source.in_report for source in scored.sources},
    )


def tables_of(whole: Scope, scopes: Sequence[Scope], between: Callable[[Family], Iterable[Row]]) -> Iterator[Table]:
    """The tables of means, then of the best runs, and of pairs and ranks by each measure."""
    yield from _means(scopes)
    for on_measures in [scope.on for scope in scopes if scope.request.best]:
        yield from tables("best", "", [row_of_best(on.alone, on.best) for on in on_measures if on.best is not None])
        leads = [(on.pairs, on.lead) for on in on_measures]
        rows = [row_of_lead(pairs, lead) for pairs, lead in leads if pairs is not None and lead is not None]
        yield from tables("best", "", rows)
    for of_base in by_base(list({on.measure.name: on.measure for scope in scopes for on in scope.on}.values())):
        names = [measure.name for measure in of_base if not measure.is_count]
        on_base = [[on for on in scope.on if on.measure.name in names] for scope in scopes]
        for name in names:
            yield from _differences(scopes, name)
            for pairs in whole.paired:
                if pairs.measure.name == name:
                    yield from tables("heterogeneity", name, between(pairs))
        for scope, of_scope in zip(scopes, on_base, strict=True):
            if scope.request.meta is not None and scope.scored.resampled is not None and of_scope:
                family = of_scope[0].pairs or of_scope[0].alone
                yield combined_rows(family, scope.scored.resampled, scope.request.meta)
        for name in names:
            ranked = [
                row
                for scope, of_scope in zip(scopes, on_base, strict=True)
                for on in of_scope
                if on.ranked is not None and on.measure.name == name
                for row in rows_of_ranks(on.ranked, scope.scored.sources)
            ]
            yield from tables("rank", name, ranked)


def _means(scopes: Sequence[Scope]) -> Iterator[Table]:
    """A table of scores of topics, if asked for, and one of means a run; runs that are missing come last."""
    blocks: list[Block] = []
    for measure in dict.fromkeys(on.measure.name for scope in scopes for on in scope.on):
        for scope in scopes:
            for on in (on for on in scope.on if on.measure.name == measure and not scope.request.no_summary):
                for source in scope.scored.sources:
                    blocks += means(on.alone, source)
                    if missing := [(run, "") for run in scope.scored.missing]:
                        blocks.append(missing_contrasts(scope.asked, on.measure, scope.scored, source, missing))
    by_run: dict[str, list[tuple[Block, int]]] = {}
    for scope in scopes:
        by_run |= {run: [] for run in scope.scored.runs if run not in by_run}
    by_run |= {run: [] for scope in scopes for run in scope.scored.missing if run not in by_run}
    for block in blocks:
        for contrast in np.flatnonzero(block.is_told).tolist():
            by_run[block.names[block.pairs[contrast, 0]]].append((block, contrast))
    lacking = lacking_cells(blocks)
    for run, contrasts in by_run.items():
        for scope in scopes:
            if scope.request.per_topic and run in scope.scored.runs:
                run_index = scope.scored.runs.index(run)
                yield from tables("topic", "", rows_of_topics(scope.scored, run_index, [on.alone for on in scope.on]))
        yield from tables("estimate", "", [block.row(contrast, lacking) for block, contrast in contrasts])


def _differences(scopes: Sequence[Scope], measure: str) -> Iterator[Table]:
    """The differences by a measure; of each pair those on single topics first, if they are asked for."""
    blocks: list[Block] = []
    missing: list[Block] = []
    in_order: list[Block] = []  # those of a missing run behind the others of the same scope and source
    by_topic: list[Family] = []
    for scope in scopes:
        for on in (on for on in scope.on if on.measure.name == measure):
            for source in scope.scored.sources:
                of_made = [differences(on.pairs, source)] if on.pairs is not None else []
                pairs = pairs_of_missing(scope.asked, scope.scored) if scope.scored.missing else []
                of_missing = [missing_contrasts(scope.asked, on.measure, scope.scored, source, pairs)] if pairs else []
                blocks += of_made
                missing += of_missing
                in_order += [*of_made, *of_missing]
            by_topic += [on.pairs] if scope.asked.per_topic and on.pairs is not None else []
    if not by_topic:
        yield from tables("difference", measure, rows_of_blocks(in_order))
        return
    rows, first = rows_of_blocks(blocks), 0
    for pair, number in enumerate(np.sum([block.is_told for block in blocks], axis=0).tolist()):
        yield from tables("topic_difference", measure, rows_of_topic_differences(by_topic[0], pair))
        yield from tables("difference", measure, rows[first : first + number])
        first += number
    yield from tables("difference", measure, rows_of_blocks(missing))


def correction_over(request: Asked, sources: Sequence[Source], *, of_ranks: bool = False) -> PairCorrection:
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


def _checked(request: Asked, scored: Scored) -> Asked:
    """The request with its baseline by name. Raises DataError if there are too few runs, or none of this name."""
    if (request.has_pairs or request.ranks) and len(scored.every_run) < 2:
        raise DataError("to compare runs, give at least two")
    by_name = of_runs(request, scored.every_run, scored.paths)
    for baseline in by_name.baseline:
        if baseline not in (*scored.every_run, *POOLED):
            raise DataError(unknown("run", baseline, scored.every_run))
    if {*POOLED} <= {*by_name.baseline} - {*scored.every_run}:
        raise UsageError("--baseline takes one of mean and median, and runs.")
    return by_name


def of_runs(request: Asked, runs: Sequence[str], paths: Sequence[str] = ()) -> Asked:
    """The request with the baselines by their names among these runs: the first run where none is named, or those that were
    read from files that are named; `paths`: where each was read, if each has a file."""
    if request.is_with_first:
        return request.replaced(baseline=(runs[0],))
    files = [(path, os.path.basename(path), file_name(path)) for path in paths]

    def run_of(baseline: str) -> str:
        if len(runs) != len(files):
            return baseline
        of_file = [run for run, names in zip(runs, files, strict=True) if baseline in names]
        return baseline if baseline in runs or len(of_file) != 1 else of_file[0]

    return request.replaced(baseline=tuple(dict.fromkeys(map(run_of, request.baseline))))


def compared_with(request: Asked) -> str | None:
    """The run, or runs, that others are compared with, in words."""
    return "all pairs" if request.all_pairs else ", ".join(request.baseline) or None


def _check_margin(request: Asked, measure: Measure, standardise: object) -> None:
    """Refuse a margin that all differences lie within, and a share of a mean of this measure where 0 is not the least that a
    mean can be."""
    margin, scale = request.margin, measure.scale()
    if margin is None:
        return
    if not margin.is_share:
        ends = (request.range or measure.ends) if scale == PLAIN and standardise is None else None
        if request.range is not None and ends is not None:
            warn_of_margin(margin.amount, ends)
        if ends is not None and margin.amount >= ends[1] - ends[0]:
            raise UsageError(
                f"--margin {margin}: scores in {measure.name} are between {ends[0]:g} and {ends[1]:g}, where any two runs are"
                " as near: give an amount such as .02, or 2% of the baseline's mean."
            )
        return
    if standardise == "z":
        raise UsageError(f"--margin {margin}: a percentage of a mean of z scores means nothing: give an amount.")
    if scale != PLAIN:
        of_scale = f"a mean{sentences.SCALES.get(scale.name, '')}, like {measure.name}"
        raise UsageError(f"--margin {margin}: a percentage of {of_scale}, means nothing: use an amount.")


def on_measures(
    request: Asked, scored: Scored, design: Design, threads: int, progress: ProgressBar = as_they_are
) -> Iterator[OnMeasure]:
    """The comparisons on each measure."""
    runs, is_joint = scored.runs, request.family != "each"
    means = Comparison.of(runs, (), False, False, alone=True)
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
            without, as_one = request.replaced(adjusted_limits=False), families_of_ranks if is_joint else []
            of_all_pairs = means._replace(pairs=all_pairs(len(runs)))
            on_measure.ranked = Family(without, of_ranks, scored, measure, of_all_pairs, threads, progress, as_one)
            families_of_ranks.append(on_measure.ranked)
        yield on_measure


def _failures(scope: Scope, *, untold: bool = False) -> Iterator[str]:
    """The pairs of which --fail-if holds, or is `untold`, each in the first source that tells of it, or the first of all."""
    if not {*(scope.request.fail_if or ())} - {"reversed"}:  # which claims tell of
        return
    sources = [source for source in scope.scored.sources if source.tells_verdicts]
    for pairs in scope.paired:
        if pairs.is_diagnostic:
            continue
        is_reported = np.array([pairs.over(source).tested.of.is_told for source in sources])
        for index, source in enumerate(sources):
            is_first = is_reported.argmax(axis=0) == index
            yield from failures(pairs, resolution(pairs, source), source, is_first, untold=untold)


def _tell_identical(scope: Scope) -> None:
    """Say of runs that --fail-if inferior lets pass, as they score the same, how many other topics may differ."""
    source = next(source for source in scope.scored.sources if source.tells_verdicts)
    for pairs in scope.paired:
        claims = resolution(pairs, source)
        for index, names in enumerate(pairs.names_of_pairs()):
            if claims.verdict[index] == "identical" and claims.equivalence is not None and not pairs.is_diagnostic:
                units, of_pair = int(claims.equivalence.units[index]), "{run} against {baseline}".format(**names)
                share = f"up to {share_limit(0, units, pairs.alpha):.1%} of others may differ"
                identical = f"identical on these {units} {source.counted}; {share}"
                logger.info(f"{pairs.measure.name}: {of_pair}: {identical}")


def _signature(scope: Scope, signature: Mapping[str, Any]) -> dict[str, str | float | int | bool | None]:
    request, scored, design = scope.request, scope.scored, scope.design
    names = {
        "command": f"map-ci --{scored.kind}" if scored.kind else "map-ci",
        "measures": " ".join(measure.name for measure in scored.measures),
        "populations": " ".join(dict.fromkeys(source.name for source in scored.sources)),
        "baseline": compared_with(request),
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
