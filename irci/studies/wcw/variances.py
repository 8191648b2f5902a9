"""Variances estimated from runs or scores: within systems, what topics and systems leave, of pairs' differences; and within
clusters and between them."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import STDIN, places_by_name, plural
from irci.base.records import Record
from irci.base.types import Ends, Ints
from irci.compare.wording import plain
from irci.data.inputs import Inputs
from irci.data.missing import with_pipes_kept
from irci.data.notices import warn_of_few_groups
from irci.data.scale_ends import ends_of_scales
from irci.data.score_files import read_scores
from irci.data.score_tables import scores_by_collection
from irci.data.scores import Scores, renamed
from irci.estimators.wcw import (
    clustered_effective_df,
    clustered_variances,
    combined_df,
    effective_df,
    system_variance,
)
from irci.measures import named
from irci.output.tables import Row, Table, tables
from irci.stats.estimates import Nested, pooled
from irci.stats.power import variance_upper
from irci.studies.wcw.pairs import Part, chosen_pairs
from irci.studies.wcw.request import VarianceDesign, WcwRequest

FEW_TOPICS, FEW_RUNS = 10, 5  # fewer tell too little of a variance
# The scores of one collection, of all measures, and the cluster of each topic, if they come in some.
Collection = tuple[Scores, Ints | None]


class Variance(Record):
    """The variance of a measure's scores, as estimated from files.

    kind: str  # one-way: within a system; two-way: what topics and systems leave; else which pair's differences it is of
    value: float
    df: int  # as many as if systems were independent
    upper_df: tuple[float, ...]  # effective ones; of clusters, those of the mean squares between and within
    topics: int
    runs: int  # those that are not copies of others
    nested: Nested | None  # how much of it is within clusters, and how much between them
    pair: tuple[str, str] | None  # a pair's runs
    ends: Ends | None  # of the scale, if it has any
    """

    measure: str
    kind: str
    value: float
    df: int
    upper_df: tuple[float, ...]
    topics: int
    runs: int
    nested: Nested | None = None
    pair: tuple[str, str] | None = None
    ends: Ends | None = None

    def design(self) -> VarianceDesign:
        """The design that is planned for."""
        nested = self.nested
        design = VarianceDesign(self.measure, self.value, upper=self._upper(), ends=self.ends)
        if nested is not None:
            size = float(nested.sizes.mean())
            design = design._replace(
                variance=nested.of_cluster, size=size, correlation=nested.correlation, df_share=nested.df_share
            )
        if self.pair is None:
            return design
        assert design.upper is not None
        return design._replace(pair=self.kind, variance=design.variance / 2, upper=design.upper / 2)

    def _upper(self) -> float:
        """The upper limit of the variance; of clusters by that of the mean square between, without which there is none, and of
        that within where it adds."""
        nested = self.nested
        if nested is None:
            return float(variance_upper(self.value, *self.upper_df))
        between, within = map(float, variance_upper([nested.between_ms, nested.within_ms], self.upper_df))
        if np.isnan(between):
            return between
        either = [nested._replace(between_ms=between, within_ms=ms) for ms in (nested.within_ms, within)]
        return max(each.of_cluster for each in either)

    def rows(self) -> Iterator[Row]:
        """The variance, or that within clusters and that between them, with what it costs that topics come in these."""
        runs: Row = {} if self.pair is None else dict(zip(("run", "baseline"), self.pair, strict=True))
        nested = self.nested
        if nested is None:
            of_limit: Row = {"upper": self._upper(), "upper_df": self.upper_df[0]}
            yield {"kind": self.kind, "value": self.value, "df": self.df, **of_limit, "topics": self.topics, **runs}
            return
        size = float(nested.sizes.mean())
        alone = nested.between + nested.within_ms if nested.within_df else nested.between
        of_clusters: Row = {
            "icc": nested.correlation, "cluster_size": plain(size),
            "design_effect": nested.of_cluster * size / alone if alone > 0 else 1.0,
        }  # fmt: skip
        counted: Row = {"topics": self.topics, "clusters": len(nested.sizes), **of_clusters, **runs}
        yield {"kind": f"{self.kind} within clusters", "value": nested.within_ms, "df": nested.within_df, **counted}
        yield {"kind": f"{self.kind} between clusters", "value": nested.between, "df": nested.between_df, **counted}


def tables_of(variances: Sequence[Variance]) -> Iterator[Table]:
    """The tables of each measure's variances; those of pairs, which name the runs, are one of their own."""
    for measure, of_measure in groupby(variances, key=attrgetter("measure")):
        in_measure = list(of_measure)
        for is_pair in (False, True):
            of_kind = [each for each in in_measure if (each.pair is not None) is is_pair]
            yield from tables("variance", measure, [row for each in of_kind for row in each.rows()])


def variances_of(request: WcwRequest, inputs: Inputs) -> tuple[list[Variance], dict[str, str]]:
    """For each measure the variances, pooled over collections by degrees of freedom; and what --save-scores writes."""
    several = _by_collection(inputs)
    if len(several) > 1 and inputs.save_scores is not None:
        raise DataError("--save-scores writes the scores of one collection: leave it out")
    read = [scores_by_collection(each, request.measures) for each in several]
    found, files = renamed([table for of_files, _ in read for table in of_files]), read[0][1]
    clusters, are_all = request.clusters, inputs.topics is None
    collections: list[Collection] = [
        (table, None if clusters is None else clusters.of_topics(table.topics, are_all=are_all).place)
        for table in found
    ]
    names = dict.fromkeys(name for table in found for name in table.values)
    values = [table.values for table in found]
    measures = [measure for measure in map(named, names) if all(measure.base.name in each for each in values)]
    ends = ends_of_scales(measures, values, None, inputs.standardise)
    variances = [
        each._replace(ends=ends.get(name)) for name in names for each in _of_measure(name, collections, request)
    ]
    _warn_of_few(variances)
    return variances, files


def _by_collection(inputs: Inputs) -> list[Inputs]:
    """The inputs of each collection: several files of scores of the same runs are of a collection each."""
    if not inputs.scores or len(inputs.files) < 2 or STDIN in inputs.files:
        return [inputs]
    inputs = with_pipes_kept(inputs)  # they are read to see what runs they have, and again
    read = [read_scores([path], memory=inputs.memory)[0] for path in inputs.files]
    runs, measures = (
        {frozenset(getattr(table, name)) for tables in read for table in tables} for name in ("runs", "values")
    )
    has_same = len(runs) == len(measures) == 1
    return [inputs._replace(files=(path,)) for path in inputs.files] if has_same else [inputs]


def _of_measure(name: str, collections: Sequence[Collection], request: WcwRequest) -> Iterator[Variance]:
    """The variances within systems and those of pairs, as far as a tool takes them or all are asked for."""
    parts = [_part(*collection, name) for collection in collections]
    several = min(len(part.runs) for part in parts) > 1
    if set(request.chosen_tools) - {"paired"} or request.lists_variances:
        yield _pooled(parts, name, "one-way")
    if request.lists_variances and several:
        yield _pooled(parts, name, "two-way")
    if "paired" not in request.chosen_tools and not request.lists_variances:
        return
    pairs = chosen_pairs(parts)
    if not pairs and request.tools_for("difference") == ("paired",) and (request.differences or request.tools):
        raise DataError(f"{name}: one run makes no pair: give two, or plan by its own variance with --tool anova or ci")
    runs = sum(len(np.unique(part.scores, axis=1).T) for part in parts)
    for kind, pair in pairs.items():
        yield _pooled(pair.parts, name, kind)._replace(runs=runs, pair=(pair.run, pair.baseline))


def _warn_of_few(variances: Sequence[Variance]) -> None:
    """Say so where topics, or clusters, or runs are too few for more than a rough estimate; a pair planned for by itself has
    as many runs as it takes."""
    topics = min(variance.topics for variance in variances)
    of_clusters = [len(variance.nested.sizes) for variance in variances if variance.nested is not None]
    runs = min((variance.runs for variance in variances if variance.kind != "pair"), default=FEW_RUNS)
    if of_clusters:
        warn_of_few_groups(
            min(of_clusters), "cluster", "the variance between them is a rough estimate, and so is what it takes"
        )
    few = [plural(topics, "topic")] if topics < FEW_TOPICS and not of_clusters else []
    few += [plural(runs, "different run")] if runs < FEW_RUNS else []
    if few:
        logger.warning(f"only {' and '.join(few)}: the variance is a rough estimate, and so is what it takes")


def _pooled(parts: Sequence[Part], name: str, kind: str) -> Variance:
    scores, residual = [part.scores for part in parts], kind == "two-way"
    found = [system_variance(each, residual=residual) for each in scores]
    effective = [effective_df(each, residual=residual) for each in scores]
    squares, df = [variance * degrees for variance, degrees in found], sum(degrees for _, degrees in found)
    of_all = Variance(
        name, kind, sum(squares) / df, df, (combined_df(squares, effective),),
        topics=sum(map(len, scores)), runs=sum(len(np.unique(each, axis=1).T) for each in scores),
    )  # fmt: skip
    if parts[0].place is None:
        return of_all
    nested, upper_df = _nested(parts, residual=residual)
    return of_all._replace(nested=nested, upper_df=upper_df)


def _part(table: Scores, clusters: Ints | None, name: str) -> Part:
    """The scores of a collection, by the runs' names, so that their order changes no digit. DataError of fewer than two
    topics, or of one cluster."""
    if name not in table.values:
        raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
    order = places_by_name(table.runs)
    values = table.values[name][order]
    is_complete = np.asarray(~np.isnan(values).any(axis=0))  # standardised scores of other topics have been dropped
    complete = np.ascontiguousarray(values.T[is_complete])
    if len(complete) < 2:
        raise DataError(f"{name}: a variance needs at least two topics")
    place = None if clusters is None else np.unique(clusters[is_complete], return_inverse=True)[1]
    if place is not None and not place.any():
        raise DataError(f"{name}: one cluster: a variance between clusters needs at least two")
    return Part([table.runs[each] for each in order], complete, place)


def _nested(parts: Sequence[Part], *, residual: bool) -> tuple[Nested, tuple[float, ...]]:
    """Mean squares between and within clusters, pooled, and their effective degrees of freedom."""
    in_clusters = [(part.scores, part.place) for part in parts if part.place is not None]
    found = [clustered_variances(*part, residual=residual) for part in in_clusters]
    df = [clustered_effective_df(*part, residual=residual) for part in in_clusters]
    squares = [(nested.between_ms * nested.between_df, nested.within_ms * nested.within_df) for nested in found]
    upper_df = [combined_df(*both) for both in zip(zip(*squares, strict=True), zip(*df, strict=True), strict=True)]
    return pooled(found), tuple(upper_df)
