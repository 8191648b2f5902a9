"""Variances that wcw plans by, estimated from runs or scores: within systems, what topics and systems leave, and of the
differences of pairs; within clusters and between them. And topics that people must judge beside a judge of many."""

import math
import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from irci.base import STDIN, DataError, UsageError, plural, raw
from irci.base.choices import TOPICS
from irci.base.types import Ends, Floats, Ints
from irci.comparison.means import sources_of
from irci.data.inputs import Inputs
from irci.data.rules import grouped_topics
from irci.data.score_files import read_scores
from irci.data.score_tables import scores_of
from irci.data.scores import NO_RUN_LEFT, Scores, ends_of_scales, renamed
from irci.data.text_files import InMemory, read_bytes
from irci.estimators.prediction_powered import FEWEST, least_width, topics_needed, widths, within_correlation
from irci.estimators.wcw import MEDIAN, WORST
from irci.measures import named
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, number, tables
from irci.stats.groups import nested
from irci.stats.power import variance_upper
from irci.stats.tests import contrasts, mean_and_sd, on_topics, without_spread
from irci.studies.wcw import SIZES, Variance, all_tools, wcw
from irci.wording import notify, say, warn_of_few_groups

FEW_TOPICS, FEW_RUNS = 10, 5  # fewer say too little of a variance

# Of a collection the scores[R, n] of all runs by name, nan of those that it lacks, and the cluster[n] of each topic.
Part = tuple[Floats, Ints]


def planned_from(request: Asked, inputs: Inputs) -> Report:
    """Report of how many topics a measure needs, by variances in files, one-way and of pairs, pooled over collections by df;
    and of these, and of two-way ones, if asked for. DataError of a single run where only a pair can be planned for."""
    tools, measures, clusters = all_tools(request), request.measures, request.clusters
    is_printed = "variance" in request.tables
    needs_pair = "paired" in tools and "anova" not in request.tools and (request.differences or request.tools)
    of_files = [scores_of(collection, measures, takes_several=True)[0] for collection in _by_collection(inputs)]
    scored = renamed([table for tables_of_file in of_files for table in tables_of_file])
    cluster_of = [np.arange(len(table.topics)) for table in scored]
    if clusters is not None:
        are_all = inputs.topics is None
        cluster_of = [grouped_topics(clusters, "cluster", table.topics, are_all=are_all).place for table in scored]
    names = dict.fromkeys(name for table in scored for name in table.values)
    values = [table.values for table in scored]
    everywhere = [measure for measure in map(named, names) if all(measure.base.name in by_name for by_name in values)]
    ends = ends_of_scales(everywhere, values, None, inputs.standardise)
    variances, printed = list[Variance](), list[Table]()
    for name in names:
        runs, parts = _parts(name, scored, cluster_of)
        different_runs = sum(len(np.unique(scores[~np.isnan(scores[:, 0])], axis=0)) for scores, _ in parts)
        pooled_by = partial(_pooled, name, different_runs, ends.get(name), in_clusters=clusters is not None)
        of_systems = [pooled_by("one-way", parts)] if is_printed or set(tools) - {"paired"} else []
        pairs = chosen_pairs(runs, parts) if is_printed or "paired" in tools else {}
        if needs_pair and not pairs:
            raise DataError(
                f"{name}: one run makes no pair: give two, or plan by its own variance with --tool anova or ci"
            )
        of_pairs = [pooled_by(kind, *_differences(runs, parts, pair)) for kind, pair in pairs.items()]
        variances += [variance for variance, _ in (*of_systems, *of_pairs)]
        if is_printed:  # those of pairs, which name the runs, are a table of their own
            of_systems += [pooled_by("two-way", parts)] if min(len(table.runs) for table in scored) > 1 else []
            for of_table in (of_systems, of_pairs):
                printed += tables("variance", name, (row for _, rows in of_table for row in rows))
        low, high = ends.get(name, (-math.inf, math.inf))
        if large := [difference for difference in request.differences or () if difference > high - low]:
            raise DataError(f"{name}: no means of scores from {low:g} to {high:g} differ by {large[0]:g}")
    _warn_of_few(variances)
    return wcw(request, variances, printed, inputs)


def _by_collection(inputs: Inputs) -> list[Inputs]:
    """The inputs of each collection: several files of scores of the same runs are of a collection each."""
    paths = inputs.paths()
    if not inputs.scores or len(paths) < 2:
        return [inputs]
    # They are read to see what runs they have, and again, which pipes cannot be.
    pipes = [path for path in paths if path not in inputs.memory and (path == STDIN or not os.path.isfile(path))]
    held = {path: InMemory(buffer[:size].tobytes()) for path in pipes for buffer, size in [read_bytes(path)]}
    inputs = inputs.replaced(memory={**inputs.memory, **held})
    read = [table for path in paths for table in read_scores([path], memory=inputs.memory)[0]]
    is_same = all(len({frozenset(getattr(table, name)) for table in read}) == 1 for name in ("runs", "values"))
    are_parts = is_same and not any(table.of_tasks for table in read)
    return [inputs.replaced(files=(path,)) for path in paths] if are_parts else [inputs]


def _parts(name: str, scored: Sequence[Scores], clusters: Sequence[Ints]) -> tuple[Sequence[str], list[Part]]:
    """All runs by name, and the scores of a measure in each collection, on topics that all of its runs have; DataError of
    fewer than two, of no run, of one cluster, or of a collection without the measure."""
    runs = sorted({run for table in scored for run in table.runs}, key=raw)
    parts = list[Part]()
    for table, cluster in zip(scored, clusters, strict=True):
        if name not in table.values:
            raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
        if not table.runs:
            raise DataError(NO_RUN_LEFT)
        # Standardised scores of other topics have been dropped.
        is_complete = np.asarray(~np.isnan(table.values[name]).any(axis=0))
        if is_complete.sum() < 2:
            raise DataError(f"{name}: a variance needs at least two topics")
        cluster = np.unique(cluster[is_complete], return_inverse=True)[1]
        if not cluster.any():
            raise DataError(f"{name}: one cluster: a variance between clusters needs at least two")
        scores = np.full((len(runs), len(cluster)), np.nan)
        scores[[runs.index(run) for run in table.runs]] = table.values[name][:, is_complete]
        parts.append((scores, cluster))
    return runs, parts


def _warn_of_few(variances: Sequence[Variance]) -> None:
    """Say so where topics, or clusters, or runs are too few for more than a rough estimate; a pair has all that it takes."""
    topics, clusters = (min(getattr(variance, units) for variance in variances) for units in ("topics", "clusters"))
    runs = min((variance.runs for variance in variances if variance.kind != "pair"), default=FEW_RUNS)
    if clusters:
        rough = "the variance between them is a rough estimate, and so is what it takes"
        warn_of_few_groups(clusters, "cluster", rough)
    few = [plural(topics, "topic")] if topics < FEW_TOPICS and not clusters else []
    few += [plural(runs, "different run")] if runs < FEW_RUNS else []
    if few:
        notify("few_units", number=" and ".join(few), then="the variance is a rough estimate, and so is what it takes")


def _pooled(
    measure: str, runs: int, ends: Ends | None, kind: str, parts: Sequence[Part], pair: tuple[str, ...] = (), *,
    in_clusters: bool,
) -> tuple[Variance, list[Row]]:  # fmt: skip
    """The variance of a topic's score, or of its mean over a cluster; its upper limit by that of the mean square between
    clusters, without which there is none, and of that within where it adds. And rows of the table of variances."""
    whole = nested(parts, residual=kind == "two-way")
    between, within = map(float, variance_upper([whole.between_ms, whole.within_ms], whole.effective_df))
    upper = max(whole._replace(between_ms=between, within_ms=ms).of_cluster for ms in (whole.within_ms, within))
    upper = between if math.isnan(between) else upper
    topics, clusters = int(whole.sizes.sum()), len(whole.sizes)
    rows: list[Row] = [
        {"kind": kind, "value": whole.between_ms, "df": whole.between_df, "upper": upper, "topics": topics}
    ]
    if in_clusters:
        counted: Row = {"topics": topics, "clusters": clusters, "icc": whole.correlation}
        rows = [
            {"kind": f"{kind} within clusters", "value": whole.within_ms, "df": whole.within_df, **counted},
            {"kind": f"{kind} between clusters", "value": whole.between, "df": whole.between_df, **counted},
        ]
    share = 2 if pair else 1
    variance = Variance(
        measure, whole.of_cluster / share, upper / share, kind, is_of_pair=bool(pair), runs=runs,
        topics=topics, clusters=clusters if in_clusters else 0, size=float(whole.sizes.mean()),
        correlation=whole.correlation, df_share=whole.df_share, ends=ends,
    )  # fmt: skip
    return variance, [{**row, **dict(zip(("run", "baseline"), pair, strict=False))} for row in rows]


# Pairs.


def chosen_pairs(runs: Sequence[str], parts: Sequence[Part]) -> dict[str, Ints]:
    """The pairs to plan for, rows int64[2]: the median one, and the one that a tenth of pairs vary more than; none without a
    pair.

    They are ordered by the variance of their differences, pooled over parts, or if topics come in clusters by that of a
    cluster's mean times its topics: topics needed are in proportion to it. Pairs that never differ are out, unless all do.
    """
    pairs = np.column_stack(np.triu_indices(len(runs), 1))
    squares, df, differs = np.zeros((3, len(pairs)))
    in_clusters = any(cluster.max() + 1 < len(cluster) for _, cluster in parts)
    parts_of = [list[Part]() for _ in pairs if in_clusters]
    for scores, cluster in parts:
        for index, _, differences in contrasts(scores, pairs):
            mean, sd = mean_and_sd(differences)
            df[index] += differences.shape[1] - 1
            squares[index] += sd**2 * (differences.shape[1] - 1)
            differs[index] += (mean != 0) | (sd != 0)
            for pair, of_pair in zip(index.tolist(), differences, strict=True) if in_clusters else ():
                parts_of[pair].append((of_pair[np.newaxis], cluster))
    taken = np.flatnonzero(differs if differs.any() else df)
    variance = squares[taken] / df[taken]
    if in_clusters:
        of_all = [nested(parts_of[pair], residual=False) for pair in taken.tolist()]
        variance = np.array([of_pair.of_cluster * float(of_pair.sizes.mean()) for of_pair in of_all])
    ordered = pairs[taken[np.argsort(variance, kind="stable")]]
    # With those at these places half of them, and nine in ten, are counted.
    places = {MEDIAN: (len(ordered) - 1) // 2, WORST: (9 * len(ordered) - 1) // 10} if len(ordered) > 1 else {"pair": 0}
    return {kind: ordered[place] for kind, place in places.items() if len(ordered)}


def _differences(runs: Sequence[str], parts: Sequence[Part], pair: Ints) -> tuple[list[Part], tuple[str, ...]]:
    """The differences[1, n] of a pair in each collection, nan where it lacks a run, 0 where they are one number but for
    rounding; and the names of both, first the run that scores higher."""
    differences = [(on_topics(scores, pair[np.newaxis]), cluster) for scores, cluster in parts]
    sign = -1 if sum(float(np.nansum(of_part)) for of_part, _ in differences) < 0 else 1
    varying = [(of_part * ~without_spread(of_part), cluster) for of_part, cluster in differences]
    return varying, (runs[pair[0]], runs[pair[1]])[::sign]


# Topics that people must judge.

VARIES = {TOPICS: "new topics", "judgments": "these topics"}
MOST_TOPICS = 1_000_000  # that people alone could judge


def human_topics(request: Asked, inputs: Inputs | None) -> Report:
    """Widths for numbers of human topics, and human topics for widths, with a judge and without."""
    # With the correlation of both's scores, and how many topics the judge has.
    planned, printed, sentences = list[tuple[Variance, float, int]](), list[Table](), list[str]()
    if inputs is not None:
        for variance, correlation, judged, rows in _by_both(request, inputs):
            planned.append((variance, correlation, judged))
            printed += tables("variance", variance.measure, rows)
    elif request.variances:
        assert isinstance(request.judge, tuple)
        planned = [(Variance(name, value, value), *request.judge) for name, value in request.variances]
    else:
        raise UsageError("Missing --variance NAME=V, or --judge with QRELS and RUN... to estimate it from.")
    for variance, correlation, judged in planned:
        sizes = request.sizes or (() if request.widths else [size for size in SIZES if size <= judged])
        if any(not FEWEST <= size <= judged for size in sizes):
            raise UsageError(f"--sizes: human topics are from {FEWEST} to {judged}, as many as the judge has.")
        for kind, plan, targets in (("width", _width, sizes), ("needed", _needed, request.widths or ())):
            rows = [plan(request, *target, variance, correlation, judged) for target in product(targets, VARIES)]
            printed += tables("width", variance.measure, rows)
            for row in (row for row in rows if not math.isnan(number(row, "topics"))):
                over = VARIES[str(row["population"])]
                sentences.append(say(f"human_topics.{kind}", **row, measure=variance.measure, over=over))
    for variance, r, _ in planned:
        sentences.append(say("human_topics.at_best", measure=variance.measure, correlation=r, share=1 - r**2))
    sentences += [say("human_topics.differences"), say("human_topics.normal")]
    signature: Signature = {
        "command": "wcw", "alpha": request.alpha,
        "judge": ":".join(map(str, request.judge or ())) if inputs is None else inputs.other_qrels[0],
        **({} if inputs is None else {"levels": inputs.levels_told, **inputs.signature()}),
    }  # fmt: skip
    return Report(printed, signature, explain=lambda: sentences, sources=sources_of("size", ["topics"]))


def _by_both(request: Asked, inputs: Inputs) -> Iterator[tuple[Variance, float, int, list[Row]]]:
    """Variance and correlation within runs, on topics that people judged and all have; the judge's number of topics; rows."""
    from irci.comparison.sources.people import judged

    by_people, by_judge, human, measures = judged(inputs, request.measures)
    for name in (measure.name for measure in measures):
        people, judge = by_people.made.values[name], by_judge.values[name]
        if not len(people):
            raise DataError(NO_RUN_LEFT)
        is_complete = human & ~np.isnan(people + judge).any(axis=0)
        if is_complete.sum() < FEWEST:
            raise DataError(f"{name}: fewer than {FEWEST} topics judged by people that all runs have")
        y, f = (np.ascontiguousarray(scores[:, is_complete].T) for scores in (people, judge))
        variance, (row,) = _pooled(name, 0, None, "one-way", [(y.T, np.arange(len(y)))], in_clusters=False)
        df, r = int(number(row, "df")) - 1, within_correlation(y, f)
        of_both: Row = {"kind": "correlation", "value": r, "df": df, "upper": math.nan, "topics": len(y)}
        yield variance, r, len(human), [row, of_both]


def _width(request: Asked, size: int, varies: str, variance: Variance, correlation: float, judged: int) -> Row:
    """The width of an interval with so many human topics."""
    confidence, is_new = 1 - request.alpha, varies == TOPICS
    width, alone = (
        float(widths(np.array([size]), variance.value, r, judged, confidence, new_topics=is_new)[0])
        for r in (correlation, 0.0)
    )
    return {"topics": size, "width": width, "alone": alone, "population": varies, "r": correlation}


def _needed(request: Asked, width: float, varies: str, variance: Variance, correlation: float, judged: int) -> Row:
    """The human topics that an interval of this width takes; nan if none do."""
    upper, confidence, is_new = variance.upper, 1 - request.alpha, varies == TOPICS
    topics, alone = (
        topics_needed(width, upper, r, most, confidence, new_topics=is_new) if upper > 0 else math.nan
        for r, most in ((correlation, judged), (0.0, MOST_TOPICS if is_new else judged))
    )
    if math.isnan(topics) and upper > 0:
        least = least_width(upper, correlation, judged, confidence, new_topics=is_new)
        why = f"those for new topics are at least {least:.4f} wide, however many of these people judge"
        aim = f"interval as narrow as {width:g} with {judged} topics"
        notify("lacking", measure=variance.measure, what=aim, who="", why=why)
    return {"width": width, "topics": topics, "alone": alone, "population": varies, "r": correlation}
