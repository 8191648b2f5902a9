"""Variances that wcw plans by, estimated from runs or scores: within systems, what topics and systems leave, and of the
differences of pairs; within clusters and between them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irci.base import STDIN, DataError, places_by_name, plural, raw
from irci.base.types import Floats, Ints
from irci.data.inputs import Inputs
from irci.data.rules import clusters_of
from irci.data.score_files import read_scores
from irci.data.score_tables import scores_by_collection
from irci.data.scores import NO_RUN_LEFT, ends_of_scales, refuse_impossible, renamed, with_pipes_kept
from irci.estimators.wcw import MEDIAN, WORST
from irci.measures import named
from irci.options.asked import Asked
from irci.stats.estimates import Nested, nested, pooled
from irci.stats.tests import PAIRS_AT_ONCE, mean_and_sd, on_topics, without_spread
from irci.studies.wcw import Variance, all_tools, tools_for
from irci.wording import notify, warn_of_few_groups

FEW_TOPICS, FEW_RUNS = 10, 5  # fewer say too little of a variance


class Part(NamedTuple):
    """The scores of one collection."""

    runs: Sequence[str]  # by name
    scores: Floats  # [n, runs]
    cluster: Ints  # [n], of each topic, its own if they come in none


def variances_of(request: Asked, inputs: Inputs) -> list[Variance]:
    """For each measure the variances, pooled over collections by degrees of freedom, as far as they are wanted: one-way,
    two-way and of pairs. DataError of a single run where only a pair can be planned for."""
    tools, measures, clusters = all_tools(request), request.measures, request.clusters
    is_wanted = {"one-way": set(tools) - {"paired"}, "two-way": False, "pairs": "paired" in tools}
    kinds = [kind for kind, is_so in is_wanted.items() if is_so or "variance" in request.tables]
    needs_pair = tools_for(request, "difference") == ("paired",) and bool(request.differences or request.tools)
    of_files = [scores_by_collection(collection, measures) for collection in _by_collection(inputs)]
    scored = renamed([table for tables_of_file in of_files for table in tables_of_file])
    cluster_of: list[Ints | None] = [
        None if clusters is None else clusters_of(clusters, table.topics, are_all=inputs.topics is None).place
        for table in scored
    ]
    names = dict.fromkeys(name for table in scored for name in table.values)
    values = [table.values for table in scored]
    everywhere = [measure for measure in map(named, names) if all(measure.base.name in by_name for by_name in values)]
    ends = ends_of_scales(everywhere, values, None, inputs.standardise)
    variances: list[Variance] = []
    for name in names:
        parts = []
        for table, cluster in zip(scored, cluster_of, strict=True):
            if name not in table.values:
                raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
            order = places_by_name(table.runs)  # so that the order of runs changes no digit
            runs = [table.runs[index] for index in order]
            parts.append(_part(name, runs, table.values[name][order], cluster))
        number = sum(len(np.unique(part.scores, axis=1).T) for part in parts)
        has_several = min(len(part.runs) for part in parts) > 1
        of_measure = [
            _pooled(parts, name, kind, number, in_clusters=clusters is not None)
            for kind in kinds
            if kind == "one-way" or (kind == "two-way" and has_several)
        ]
        pairs = chosen_pairs(parts) if "pairs" in kinds else {}
        if needs_pair and "pairs" in kinds and not pairs:
            raise DataError(
                f"{name}: one run makes no pair: give two, or plan by its own variance with --tool anova or ci"
            )
        for kind, (run, baseline) in pairs.items():
            differences, pair = _differences(parts, run, baseline)
            of_pair = _pooled(differences, name, kind, number, in_clusters=clusters is not None)
            of_measure.append(of_pair._replace(pair=pair))
        variances += [variance._replace(ends=ends.get(name)) for variance in of_measure]
        for difference in (request.differences or ()) if name in ends else ():
            refuse_impossible(name, difference, ends[name])
    _warn_of_few(variances)
    return variances


def _by_collection(inputs: Inputs) -> list[Inputs]:
    """The inputs of each collection: several files of scores of the same runs are of a collection each."""
    if not inputs.scores or len(inputs.files) < 2 or STDIN in inputs.files:
        return [inputs]
    inputs = with_pipes_kept(inputs)  # they are read to see what runs they have, and again
    read = [table for path in inputs.files for table in read_scores([path], memory=inputs.memory)[0]]
    is_same = all(len({frozenset(getattr(table, name)) for table in read}) == 1 for name in ("runs", "values"))
    return [inputs._replace(files=(path,)) for path in inputs.files] if is_same else [inputs]


def _part(name: str, runs: Sequence[str], values: Floats, cluster: Ints | None) -> Part:
    """The scores of values[m, T] on topics that all runs have; DataError of fewer than two, of no run, or of one cluster."""
    if not runs:
        raise DataError(NO_RUN_LEFT)
    is_complete = np.asarray(~np.isnan(values).any(axis=0))  # standardised scores of other topics have been dropped
    scores = np.ascontiguousarray(values.T[is_complete])
    if len(scores) < 2:
        raise DataError(f"{name}: a variance needs at least two topics")
    if cluster is None:
        return Part(runs, scores, np.arange(len(scores)))
    cluster = np.unique(cluster[is_complete], return_inverse=True)[1]
    if not cluster.any():
        raise DataError(f"{name}: one cluster: a variance between clusters needs at least two")
    return Part(runs, scores, cluster)


def _warn_of_few(variances: Sequence[Variance]) -> None:
    """Say so where topics, or clusters, or runs are too few for more than a rough estimate; a pair planned for by itself has
    as many runs as it takes."""
    topics = min(variance.topics for variance in variances)
    clusters = [len(variance.nested.sizes) for variance in variances if variance.nested is not None]
    runs = min((variance.runs for variance in variances if variance.kind != "pair"), default=FEW_RUNS)
    if clusters:
        rough = "the variance between them is a rough estimate, and so is what it takes"
        warn_of_few_groups(min(clusters), "cluster", rough)
    few = [plural(topics, "topic")] if topics < FEW_TOPICS and not clusters else []
    few += [plural(runs, "different run")] if runs < FEW_RUNS else []
    if few:
        notify("few_units", number=" and ".join(few), then="the variance is a rough estimate, and so is what it takes")


def _pooled(parts: Sequence[Part], name: str, kind: str, runs: int, *, in_clusters: bool) -> Variance:
    whole = pooled([nested(part.scores, part.cluster, residual=kind == "two-way") for part in parts])
    variance = Variance(
        name, whole.between_ms, kind, whole.between_df, whole.effective_df[:1],
        topics=sum(len(part.scores) for part in parts), runs=runs,
    )  # fmt: skip
    return variance._replace(nested=whole, upper_df=whole.effective_df) if in_clusters else variance


# Pairs.


def chosen_pairs(parts: Sequence[Part]) -> Mapping[str, tuple[str, str]]:
    """The pairs to plan for: the one whose differences vary as those of the median pair, and the one that only a tenth of
    pairs vary more than; none without a pair.

    They are ordered by the variance of their differences, pooled over parts, or if topics come in clusters by that of a
    cluster's mean times its topics: topics needed are in proportion to it. Pairs that score the same on every topic are left
    out, unless all do.
    """
    runs = sorted({run for part in parts for run in part.runs}, key=raw)
    first, second = np.triu_indices(len(runs), 1)
    is_scored, differs = np.zeros((2, len(first)), np.bool_)
    squares, df = np.zeros((2, len(first)))
    in_clusters = any(part.cluster.max() + 1 < len(part.cluster) for part in parts)
    nested_of: dict[int, list[Nested]] = {}
    for part in parts:
        scores = np.full((len(runs), len(part.scores)), np.nan)
        scores[[runs.index(run) for run in part.runs]] = part.scores.T
        has_scores = ~np.isnan(scores[:, 0])
        of_part = np.flatnonzero(has_scores[first] & has_scores[second])
        for start in range(0, len(of_part), PAIRS_AT_ONCE):
            pairs = of_part[start : start + PAIRS_AT_ONCE]
            differences = on_topics(scores, np.column_stack((first[pairs], second[pairs])))
            mean, sd = mean_and_sd(differences)
            is_scored[pairs], df[pairs] = True, df[pairs] + len(part.scores) - 1
            differs[pairs] |= (mean != 0) | (sd != 0)
            squares[pairs] += sd**2 * (len(part.scores) - 1)
            for pair, of_topics in zip(pairs.tolist(), differences, strict=True) if in_clusters else ():
                of_pair = nested(of_topics[:, np.newaxis], part.cluster, residual=False)
                nested_of.setdefault(pair, []).append(of_pair)
    pairs = np.flatnonzero(differs if differs.any() else is_scored)
    variance = squares[pairs] / df[pairs]
    if in_clusters:
        of_all = [pooled(nested_of[pair]) for pair in pairs.tolist()]
        variance = np.array([of_pair.of_cluster * float(of_pair.sizes.mean()) for of_pair in of_all])
    order = pairs[np.argsort(variance, kind="stable")].tolist()
    half, most = -(-len(order) // 2), -(-9 * len(order) // 10)  # with which half of them, and nine in ten, are counted
    selected = {"pair": order[0]} if len(order) == 1 else {}
    if len(order) > 1:
        selected = {MEDIAN: order[half - 1], WORST: order[most - 1]}
    return {word: (runs[first[pair]], runs[second[pair]]) for word, pair in selected.items()}


def _differences(parts: Sequence[Part], first: str, second: str) -> tuple[list[Part], tuple[str, str]]:
    """The differences[n, 1] of a pair in each part that has both runs; first the run that scores higher. Differences that are
    one number but for rounding are left at 0."""
    differences = []
    for part in parts:
        if {first, second} <= set(part.runs):
            pair = np.array([[part.runs.index(first), part.runs.index(second)]])
            differences.append(Part((), on_topics(np.ascontiguousarray(part.scores.T), pair).T, part.cluster))
    if sum(float(part.scores.sum()) for part in differences) < 0:
        differences = [part._replace(scores=-part.scores) for part in differences]
        first, second = second, first
    return [part._replace(scores=part.scores * ~without_spread(part.scores.T)) for part in differences], (first, second)
