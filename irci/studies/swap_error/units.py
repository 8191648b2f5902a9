"""Units that topic sets are made of: single topics, all topics of a cluster together, or collections; and scores on them."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import places_by_name
from irci.base.types import Floats, Ints
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.rules import Clusters
from irci.data.score_tables import joined, scores_by_collection
from irci.data.scores import Scores
from irci.output.tables import Row
from irci.stats.estimates import group_means, group_sums
from irci.studies.swap_error.request import SwapErrorRequest


@dataclass(frozen=True)
class Units:
    """U units, each drawn as a whole; `word`: what one of them is called. `topics`: how many topics they have together.

    `totals`: of each measure float64[runs, U]. A mean over a set is the sum of its units' totals, divided by that of their
    `weights` float64[U].
    """

    word: str
    totals: Mapping[str, Floats]
    weights: Floats
    topics: int

    @classmethod
    def of(cls, table: Scores, clusters: Clusters | None, *, alike: bool) -> "Units":
        """Topics, or clusters of them; raises DataError if there is but one."""
        if clusters is None:
            return cls("topic", table.values, np.ones(len(table.topics)), len(table.topics))
        place = clusters.of_topics(table.topics).place
        if not place.any():
            raise DataError(f"{clusters.given}: one cluster: nothing can be drawn")
        return cls.of_groups("cluster", table.values, place, alike=alike)

    @classmethod
    def of_groups(cls, word: str, values: Mapping[str, Floats], place: Ints, *, alike: bool) -> "Units":
        """Groups place[T] of the topics of values[runs, T]: a mean weighs topics alike, or groups if `alike`."""
        total, sizes = (group_means, np.ones(place.max() + 1)) if alike else (group_sums, np.bincount(place))
        totals = {measure: total(scores, place) for measure, scores in values.items()}
        return cls(word, totals, sizes.astype(np.float64), len(place))

    def __len__(self) -> int:
        return len(self.weights)

    def columns(self) -> Row:
        return {} if self.word == "topic" else {"units": f"{self.word}s"}

    def signature(self) -> dict[str, str | int]:
        return {} if self.word == "topic" else {"units": f"{self.word}s", f"num_{self.word}s": len(self)}


def common_scores(request: SwapErrorRequest, inputs: Inputs) -> tuple[Units, list[str], dict[str, str]]:
    """The units that sets are made of, with the scores of all runs, by name, on the topics that all of them have; the runs'
    names; and what --save-scores writes."""
    tables, files = scores_by_collection(inputs, request.measures)
    if len(tables) > 1:
        if request.clusters is not None:
            raise UsageError(
                "--clusters are of the topics of one collection; of several, sets are made of collections."
            )
        found = joined([_of_all_runs(table, f"collection {table.collection}") for table in tables])
        if len(found.runs) < 2:
            raise DataError("needs at least two runs in all collections")
        return Units.of_groups("collection", found.values, found.place, alike=True), found.runs, files
    if request.clusters is not None and inputs.topics is None:
        request.clusters.warn_of_others(tables[0].topics)
    table = _of_all_runs(tables[0], "all runs")
    order = places_by_name(table.runs)
    if len(order) < 2 or len(table.topics) < 2:
        raise DataError("needs at least two runs that share two topics")
    table = replace(table, values={measure: values[order] for measure, values in table.values.items()})
    units = Units.of(table, request.clusters, alike=request.mean == "clusters")
    return units, [table.runs[place] for place in order], files


def _of_all_runs(table: Scores, name: str) -> Scores:
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    warn_of_topics(name, "that some run lacks, dropped", where(table.topics, lacking))
    values = {measure: each[:, ~lacking] for measure, each in table.values.items()}
    return replace(table, topics=where(table.topics, ~lacking), values=values)


def pair_names(systems: Sequence[str]) -> list[str]:
    """Every two systems, A/B."""
    return [f"{first}/{second}" for first, second in itertools.combinations(systems, 2)]


def refuse_negative(measure: str, values: Floats, as_percentage: bool, instead: str) -> None:
    """Refuse scores below 0 where differences are told in percent."""
    if (values < 0).any() and as_percentage:
        raise DataError(f"{measure}: a percentage of scores below 0 means nothing: {instead}")
