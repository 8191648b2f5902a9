"""Variances estimated from runs or scores: within systems, or what topics and systems leave; within and between clusters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.names import places_by_name, plural
from irci.base.types import Bools, Floats, Ints
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.score_tables import Joined, joined, scores_by_collection
from irci.data.scores import Scores
from irci.methods.wcw import (
    clustered_effective_df,
    clustered_variances,
    combined_df,
    design_effect,
    effective_df,
    system_variance,
)
from irci.output.tables import Row, Table, tables
from irci.stats.estimates import Nested, pooled
from irci.stats.power import variance_upper
from irci.studies.wcw.request import Design, WcwRequest
from irci.studies.wording import plain

FEW_TOPICS, FEW_RUNS = 10, 5  # fewer tell too little of a variance
# The scores of one collection, and the cluster of each topic, if they come in some.
Part = tuple[Scores | Joined, Ints | None]


@dataclass(frozen=True)
class Variance:
    """The variance of a measure's scores within a system (or what topics and systems leave), as estimated from files; with
    `nested`, how much of it is within clusters (or collections: `word`) and how much between them.

    `df`: as many as if systems were independent; `upper_df`: effective ones, with `nested` of the mean squares between and
    within. `runs`: those that are not copies of others.
    """

    measure: str
    value: float
    df: int
    upper_df: tuple[float, ...]
    topics: int
    runs: int
    word: str = "topic"
    nested: Nested | None = None
    clusters: int = 0

    def design(self, request: WcwRequest) -> Design:
        if self.nested is None:
            upper = float(variance_upper(self.value, *self.upper_df))
            return Design.assumed(self.measure, self.value, request, upper)
        size, variance = self._planned(self.nested, request)
        if np.isnan(variance):
            raise DataError(
                f"{self.measure}: each cluster has one topic, which says nothing of clusters of {size:g} (--icc assumes"
                " a correlation)"
            )
        differ = self.nested.sizes_differ and request.cluster_size is None
        upper = self._upper(self.nested, request)
        return Design(self.measure, variance, size, self.word, self.nested.correlation, differ, upper)

    def _upper(self, found: Nested, request: WcwRequest) -> float:
        """The upper limit of what is planned: by that of the mean square between, without which there is none, and of that
        within where it adds."""
        between, within = map(float, variance_upper([found.between_ms, found.within_ms], self.upper_df))
        if np.isnan(between):
            return between
        either = [replace(found, between_ms=between, within_ms=ms) for ms in (found.within_ms, within)]
        return max(self._planned(each, request)[1] for each in either)

    def _planned(self, found: Nested, request: WcwRequest) -> tuple[float, float]:
        """Topics of a cluster, and the variance of a mean over clusters, times their number. Sizes are as in the
        files unless one is given: means weigh topics alike, or collections, as map-ci's do."""
        if request.cluster_size is not None:
            return request.cluster_size, found.of_mean(request.cluster_size)
        size = float(found.sizes.mean()) if found.sizes_differ else found.size
        return size, found.of_cluster(alike=self.word == "collection")

    def tables(self, request: WcwRequest) -> Iterator[Table]:
        way = "two-way" if request.residual else "one-way"
        if self.nested is None:
            of_limit: Row = {"upper": float(variance_upper(self.value, *self.upper_df)), "upper_df": self.upper_df[0]}
            row: Row = {"kind": way, "value": self.value, "df": self.df, **of_limit, "topics": self.topics}
            yield from tables("variance", self.measure, [row])
            return
        found = self.nested
        counted: Row = {"topics": self.topics, f"{self.word}s": self.clusters}
        both: list[Row] = [
            {"kind": f"{way} within {self.word}s", "value": found.within_ms, "df": found.within_df, **counted},
            {"kind": f"{way} between {self.word}s", "value": found.between, "df": found.between_df, **counted},
        ]
        yield from tables("variance", self.measure, both)
        size, variance = self._planned(found, request)
        effect = design_effect(size, found.correlation) if size != 1 else 1.0
        if request.cluster_size is None and found.sizes_differ and variance > 0:
            effect = variance * size / (found.between + found.within_ms)
        of_clusters: Row = {"icc": found.correlation, "cluster_size": plain(size), "design_effect": effect}
        yield from tables("clustering", self.measure, [of_clusters])


def variances_of(request: WcwRequest, inputs: Inputs) -> tuple[list[Variance], dict[str, str]]:
    """For each measure its variance, pooled over files if asked for; and what --save-scores writes."""
    if request.pool and inputs.save_scores is not None:
        raise UsageError("--pool reads files of scores: leave out --save-scores.")
    if request.pool and not inputs.scores:
        raise UsageError("--pool needs --scores, with one file per collection.")
    several = [replace(inputs, files=(path,)) for path in inputs.files] if request.pool else [inputs]
    read = [scores_by_collection(each, request.measures) for each in several]
    found, files = [table for some, _ in read for table in some], read[0][1]
    if request.pool or len(found) == 1:
        word = "topic" if request.clusters is None else "cluster"
        clusters, are_all = request.clusters, inputs.topics is None
        parts: list[Part] = [
            (each, None if clusters is None else clusters.of_topics(each.topics, are_all=are_all).place)
            for each in found
        ]
    else:
        if request.clusters is not None or request.icc is not None:
            raise UsageError("scores of several collections: these are the clusters, unless --pool is given.")
        word, of_all = "collection", joined(found)
        parts = [(of_all, of_all.place)]
    if request.cluster_size is not None and word == "topic" and request.icc is None:
        raise UsageError("--cluster-size needs --clusters, or --icc.")
    names = dict.fromkeys(name for table, _ in parts for name in table.values)
    variances = [_pooled(parts, name, request, word) for name in names]
    _warn_of_few(variances, word)
    return variances, files


def _warn_of_few(variances: Sequence[Variance], word: str) -> None:
    """Say so where topics, or clusters, or runs are too few for more than a rough estimate."""
    topics, runs, clusters = (min(getattr(each, of) for each in variances) for of in ("topics", "runs", "clusters"))
    if word != "topic":
        warn_of_few_groups(clusters, word, "the variance between them is a rough estimate, and so is what it takes")
    few = [plural(topics, "topic")] if topics < FEW_TOPICS and word == "topic" else []
    few += [plural(runs, "different run")] if runs < FEW_RUNS else []
    if few:
        logger.warning(f"only {' and '.join(few)}: the variance is a rough estimate, and so is what it takes")


def _pooled(parts: Sequence[Part], name: str, request: WcwRequest, word: str) -> Variance:
    complete = [_complete(table, name, request) for table, _ in parts]
    scores = [of_topics for of_topics, _ in complete]
    found = [system_variance(each, residual=request.residual) for each in scores]
    effective = [effective_df(each, residual=request.residual) for each in scores]
    squares, df = [variance * degrees for variance, degrees in found], sum(degrees for _, degrees in found)
    of_all = Variance(
        name, sum(squares) / df, df, (combined_df(squares, effective),),
        topics=sum(map(len, scores)), runs=sum(len(np.unique(each, axis=1).T) for each in scores),
    )  # fmt: skip
    if word == "topic":
        return of_all
    places = [_place(of, whole, name, word) for (_, of), (_, whole) in zip(parts, complete, strict=True)]
    nested, upper_df = _nested(scores, places, residual=request.residual)
    return replace(of_all, word=word, nested=nested, upper_df=upper_df, clusters=len(nested.sizes))


def _complete(table: Scores | Joined, name: str, request: WcwRequest) -> tuple[Floats, Bools]:
    """The scores[n, m] of topics on which all runs have one, by the runs' names, so that their order changes no digit; and
    which topics these are. DataError of fewer than two."""
    if name not in table.values:
        raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
    values = table.values[name][places_by_name(table.runs)]
    whole = np.asarray(~np.isnan(values).any(axis=0))
    complete = np.ascontiguousarray(values.T[whole])
    if len(complete) < 2 or (request.residual and complete.shape[1] < 2):
        raise DataError(f"{name}: a variance needs at least two topics" + (" and two runs" if request.residual else ""))
    return complete, whole


def _place(clusters: Ints | None, whole: Bools, name: str, word: str) -> Ints:
    """The cluster of each topic that is left, int64[n], from 0 on."""
    assert clusters is not None
    place = np.unique(clusters[whole], return_inverse=True)[1]
    if not place.any():
        raise DataError(f"{name}: one {word}: a variance between {word}s needs at least two")
    return place


def _nested(scores: Sequence[Floats], places: Sequence[Ints], *, residual: bool) -> tuple[Nested, tuple[float, ...]]:
    """Mean squares between and within clusters, pooled, and their effective degrees of freedom."""
    each = list(zip(scores, places, strict=True))
    found = [clustered_variances(*part, residual=residual) for part in each]
    df = [clustered_effective_df(*part, residual=residual) for part in each]
    squares = [(of.between_ms * of.between_df, of.within_ms * of.within_df) for of in found]
    upper_df = [combined_df(*both) for both in zip(zip(*squares, strict=True), zip(*df, strict=True), strict=True)]
    return pooled(found), tuple(upper_df)
