"""Variances estimated from runs or scores: within systems, or what topics and systems leave; within and between clusters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import places_by_name
from irci.base.types import Ints
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.score_tables import Joined, joined, scores_by_collection
from irci.data.scores import Scores
from irci.methods.wcw import clustered_variances, design_effect, system_variance
from irci.output.tables import Row, Table, tables
from irci.stats.estimates import Nested, pooled
from irci.studies.wcw.request import Design, WcwRequest
from irci.studies.wording import plain

# The scores of one collection, and the cluster of each topic, if they come in some.
Part = tuple[Scores | Joined, Ints | None]


@dataclass(frozen=True)
class Variance:
    """The variance of a measure's scores within a system (or what topics and systems leave), as estimated from files; with
    `nested`, how much of it is within clusters (or collections: `word`) and how much between them."""

    measure: str
    value: float
    df: int
    topics: int
    word: str = "topic"
    nested: Nested | None = None
    clusters: int = 0

    def design(self, request: WcwRequest) -> Design:
        if self.nested is None:
            return Design.assumed(self.measure, self.value, request)
        size, variance = self._planned(self.nested, request)
        if np.isnan(variance):
            raise DataError(
                f"{self.measure}: each cluster has one topic, which says nothing of clusters of {size:g} (--icc assumes"
                " a correlation)"
            )
        differ = self.nested.sizes_differ and request.cluster_size is None
        return Design(self.measure, variance, size, self.word, self.nested.correlation, differ)

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
            row: Row = {"kind": way, "value": self.value, "df": self.df, "topics": self.topics}
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
    if word != "topic":
        fewest = min(each.clusters for each in variances)
        warn_of_few_groups(fewest, word, "the variance between them is a rough estimate, and so is what it takes")
    return variances, files


def _pooled(parts: Sequence[Part], name: str, request: WcwRequest, word: str) -> Variance:
    squares = degrees = topics = 0.0
    of_parts: list[Nested] = []
    clusters = 0
    for table, clusters_of in parts:
        if name not in table.values:
            raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
        values = table.values[name][places_by_name(table.runs)]  # the runs' order changes no digit
        whole = ~np.isnan(values).any(axis=0)
        complete = np.ascontiguousarray(values.T[whole])
        if len(complete) < 2 or (request.residual and complete.shape[1] < 2):
            raise DataError(
                f"{name}: a variance needs at least two topics" + (" and two runs" if request.residual else "")
            )
        if clusters_of is not None:
            place = np.unique(clusters_of[whole], return_inverse=True)[1]
            if not place.any():
                raise DataError(f"{name}: one {word}: a variance between {word}s needs at least two")
            of_parts.append(clustered_variances(complete, place, residual=request.residual))
            clusters += int(place.max()) + 1
        variance, df = system_variance(complete, residual=request.residual)
        squares, degrees, topics = squares + variance * df, degrees + df, topics + len(complete)
    nested = pooled(of_parts) if of_parts else None
    return Variance(name, squares / degrees, int(degrees), int(topics), word, nested, clusters)
