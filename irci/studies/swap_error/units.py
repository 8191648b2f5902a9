"""Units that topic sets are made of: single topics, all topics of a cluster together, or collections."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from irci.base.errors import DataError
from irci.base.types import Floats, Ints
from irci.data.rules import Clusters
from irci.data.scores import Scores
from irci.output.report import Row
from irci.stats.estimates import group_means, group_sums


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
        """Columns that tell of them: none of topics."""
        return {} if self.word == "topic" else {"units": f"{self.word}s"}

    def signature(self) -> dict[str, str | int]:
        """Name and number of the units for a signature, if they are not topics."""
        return {} if self.word == "topic" else {"units": f"{self.word}s", f"num_{self.word}s": len(self)}
