"""Variances estimated from runs or scores: of pairs' differences; within systems, or what topics and systems leave; within and
between clusters."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.names import places_by_name, plural
from irci.base.records import Record
from irci.base.types import Ends, Ints
from irci.data.inputs import Inputs
from irci.data.measures import named
from irci.data.notices import warn_of_few_groups
from irci.data.scale_ends import ends_of_scales
from irci.data.score_tables import Joined, joined, scores_by_collection
from irci.data.scores import Scores, renamed
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
from irci.studies.wcw.pairs import Part, chosen_pairs
from irci.studies.wcw.request import Design, WcwRequest
from irci.studies.wording import plain

FEW_TOPICS, FEW_RUNS = 10, 5  # fewer tell too little of a variance
# The scores of one collection, of all measures, and the cluster of each topic, if they come in some.
Collection = tuple[Scores | Joined, Ints | None]


class Variance(Record):
    """The variance of a measure's scores within a system (or what topics and systems leave), or of a pair's differences, as
    estimated from files; with `nested`, how much of it is within clusters (or collections: `word`) and how much between them.

    `df`: as many as if systems were independent; `upper_df`: effective ones, with `nested` of the mean squares between and
    within. `runs`: those that are not copies of others. `pair`: which one, and its two runs.
    `ends`: of the scale, if it has any.
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
    pair: tuple[str, str, str] | None = None
    ends: Ends | None = None

    def design(self, request: WcwRequest) -> Design:
        """Design that is planned for. Raises DataError for sizes of clusters of which the files say nothing."""
        found = self._design(request)._replace(ends=self.ends)
        if self.pair is None:
            return found
        upper = None if found.upper is None else found.upper / 2
        return found._replace(pair=self.pair[0], variance=found.variance / 2, upper=upper)

    def _design(self, request: WcwRequest) -> Design:
        if self.nested is None:
            upper = float(variance_upper(self.value, *self.upper_df))
            return Design.assumed(self.measure, self.value, request, upper)
        size, variance = planned(self.nested, self.word, request)
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
        either = [found._replace(between_ms=between, within_ms=ms) for ms in (found.within_ms, within)]
        return max(planned(each, self.word, request)[1] for each in either)

    def rows(self, request: WcwRequest) -> Iterator[Row]:
        """The variance, or that within clusters and that between them."""
        way = "two-way" if request.residual else "one-way"
        runs: Row = {}
        if self.pair is not None:
            way, run, baseline = self.pair
            runs = {"run": run, "baseline": baseline}
        if self.nested is None:
            of_limit: Row = {"upper": float(variance_upper(self.value, *self.upper_df)), "upper_df": self.upper_df[0]}
            yield {"kind": way, "value": self.value, "df": self.df, **of_limit, "topics": self.topics, **runs}
            return
        found = self.nested
        counted: Row = {"topics": self.topics, f"{self.word}s": self.clusters, **runs}
        yield {"kind": f"{way} within {self.word}s", "value": found.within_ms, "df": found.within_df, **counted}
        yield {"kind": f"{way} between {self.word}s", "value": found.between, "df": found.between_df, **counted}

    def clustering(self, request: WcwRequest) -> Iterator[Row]:
        """Cost of clusters, if there are any."""
        found = self.nested
        if found is None:
            return
        size, variance = planned(found, self.word, request)
        effect = design_effect(size, found.correlation) if size != 1 else 1.0
        if request.cluster_size is None and found.sizes_differ and variance > 0:
            effect = variance * size / (found.between + found.within_ms)
        of_pair: Row = {} if self.pair is None else {"purpose": self.pair[0]}
        yield {"icc": found.correlation, "cluster_size": plain(size), "design_effect": effect, **of_pair}


def planned(found: Nested, word: str, request: WcwRequest) -> tuple[float, float]:
    """Topics of a cluster, and the variance of a mean over clusters, times their number. Sizes are as in the files unless one
    is given: means weigh topics alike, or collections, as map-ci's do."""
    if request.cluster_size is not None:
        return request.cluster_size, found.of_mean(request.cluster_size)
    size = float(found.sizes.mean()) if found.sizes_differ else found.size
    return size, found.of_cluster(alike=word == "collection")


def tables_of(variances: Sequence[Variance], request: WcwRequest) -> Iterator[Table]:
    """The tables of each measure's variances; those of pairs, which name the runs, are one of their own."""
    for measure, of_measure in groupby(variances, key=attrgetter("measure")):
        some = list(of_measure)
        for paired in (False, True):
            of_kind = [each for each in some if (each.pair is not None) is paired]
            yield from tables("variance", measure, [row for each in of_kind for row in each.rows(request)])
            yield from tables("clustering", measure, [row for each in of_kind for row in each.clustering(request)])


def variances_of(request: WcwRequest, inputs: Inputs) -> tuple[list[Variance], dict[str, str]]:
    """For each measure the variances that the tools take, pooled over files if asked for; and what --save-scores writes."""
    if request.pool and inputs.save_scores is not None:
        raise UsageError("--pool reads files of scores: leave out --save-scores.")
    if request.pool and not inputs.scores:
        raise UsageError("--pool needs --scores, with one file per collection.")
    several = [inputs._replace(files=(path,)) for path in inputs.files] if request.pool else [inputs]
    read = [scores_by_collection(each, request.measures) for each in several]
    found, files = renamed([table for some, _ in read for table in some]), read[0][1]
    if request.pool or len(found) == 1:
        word = "topic" if request.clusters is None else "cluster"
        clusters, are_all = request.clusters, inputs.topics is None
        collections: list[Collection] = [
            (each, None if clusters is None else clusters.of_topics(each.topics, are_all=are_all).place)
            for each in found
        ]
    else:
        if request.clusters is not None or request.icc is not None:
            raise UsageError("scores of several collections: these are the clusters, unless --pool is given.")
        word, of_all = "collection", joined(found)
        collections = [(of_all, of_all.place)]
    if request.cluster_size is not None and word == "topic" and request.icc is None:
        raise UsageError("--cluster-size needs --clusters, or --icc.")
    names = dict.fromkeys(name for table, _ in collections for name in table.values)
    values = [table.values for table, _ in collections]
    measures = [measure for measure in map(named, names) if all(measure.base.name in each for each in values)]
    ends = ends_of_scales(measures, values, None, inputs.standardise)
    variances = [
        each._replace(ends=ends.get(name)) for name in names for each in _of_measure(name, collections, request, word)
    ]
    _warn_of_few(variances, word)
    return variances, files


def _of_measure(name: str, collections: Sequence[Collection], request: WcwRequest, word: str) -> Iterator[Variance]:
    """The variance within systems, if a tool takes it, and those of pairs, if they are planned for."""
    parts = [_part(*each, name, request, word) for each in collections]
    if set(request.chosen_tools) - {"paired"}:
        yield _pooled(parts, name, word, residual=request.residual)
    if "paired" not in request.chosen_tools:
        return
    pairs = chosen_pairs(parts, lambda found: planned(found, word, request))
    if not pairs:
        raise DataError(
            f"{name}: one run makes no pair: give two, or plan by its own variance with --tool anova, ci or t"
        )
    runs = sum(len(np.unique(part.scores, axis=1).T) for part in parts)
    for kind, pair in pairs.items():
        found = _pooled(pair.parts, name, word, residual=False)
        yield found._replace(runs=runs, pair=(kind, pair.run, pair.baseline))


def _warn_of_few(variances: Sequence[Variance], word: str) -> None:
    """Say so where topics, or clusters, or runs are too few for more than a rough estimate; a pair planned for by itself has
    as many runs as it takes."""
    topics, clusters = (min(getattr(each, of) for each in variances) for of in ("topics", "clusters"))
    runs = min((each.runs for each in variances if each.pair is None or each.pair[0] != "pair"), default=FEW_RUNS)
    if word != "topic":
        warn_of_few_groups(clusters, word, "the variance between them is a rough estimate, and so is what it takes")
    few = [plural(topics, "topic")] if topics < FEW_TOPICS and word == "topic" else []
    few += [plural(runs, "different run")] if runs < FEW_RUNS else []
    if few:
        logger.warning(f"only {' and '.join(few)}: the variance is a rough estimate, and so is what it takes")


def _pooled(parts: Sequence[Part], name: str, word: str, *, residual: bool) -> Variance:
    scores = [part.scores for part in parts]
    found = [system_variance(each, residual=residual) for each in scores]
    effective = [effective_df(each, residual=residual) for each in scores]
    squares, df = [variance * degrees for variance, degrees in found], sum(degrees for _, degrees in found)
    of_all = Variance(
        name, sum(squares) / df, df, (combined_df(squares, effective),),
        topics=sum(map(len, scores)), runs=sum(len(np.unique(each, axis=1).T) for each in scores),
    )  # fmt: skip
    if word == "topic":
        return of_all
    nested, upper_df = _nested(parts, residual=residual)
    return of_all._replace(word=word, nested=nested, upper_df=upper_df, clusters=len(nested.sizes))


def _part(table: Scores | Joined, clusters: Ints | None, name: str, request: WcwRequest, word: str) -> Part:
    """The scores of topics on which all runs have one, by the runs' names, so that their order changes no digit. DataError of
    fewer than two, or of one cluster."""
    if name not in table.values:
        raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
    order = places_by_name(table.runs)
    values = table.values[name][order]
    whole = np.asarray(~np.isnan(values).any(axis=0))
    complete = np.ascontiguousarray(values.T[whole])
    if 1 < whole.sum() < len(whole):
        logger.warning(
            f"{name}: planned by the {whole.sum()} of {len(whole)} topics that all runs have, for each pair too"
        )
    if len(complete) < 2 or (request.residual and complete.shape[1] < 2):
        raise DataError(f"{name}: a variance needs at least two topics" + (" and two runs" if request.residual else ""))
    place = None if clusters is None else np.unique(clusters[whole], return_inverse=True)[1]
    if place is not None and not place.any():
        raise DataError(f"{name}: one {word}: a variance between {word}s needs at least two")
    return Part([table.runs[each] for each in order], complete, place)


def _nested(parts: Sequence[Part], *, residual: bool) -> tuple[Nested, tuple[float, ...]]:
    """Mean squares between and within clusters, pooled, and their effective degrees of freedom."""
    each = [(part.scores, part.place) for part in parts if part.place is not None]
    found = [clustered_variances(*part, residual=residual) for part in each]
    df = [clustered_effective_df(*part, residual=residual) for part in each]
    squares = [(of.between_ms * of.between_df, of.within_ms * of.within_df) for of in found]
    upper_df = [combined_df(*both) for both in zip(zip(*squares, strict=True), zip(*df, strict=True), strict=True)]
    return pooled(found), tuple(upper_df)
