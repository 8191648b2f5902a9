"""Designs by what is sampled: topics, or clusters of topics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from irci.base.errors import DataError
from irci.methods.wcw import clustered_variance
from irci.output.report import Row
from irci.studies.wcw.request import SIZES, WcwRequest

CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CLOSE = 1e-9


def plain(number: float) -> float:
    """A whole number as such, which is printed without decimals."""
    return int(number) if number == int(number) else number


@dataclass(frozen=True)
class Design:
    """A measure's variance of what is sampled: of a topic's score, or of the mean of a cluster of `size` topics.

    `word`: what that is called. `correlation`: of two topics of a cluster. `sizes_differ`: `size` is an average, and the
    variance what each cluster adds to that of a mean, times their number.
    """

    measure: str
    variance: float
    size: float = 1.0
    word: str = "topic"
    correlation: float = 0.0
    sizes_differ: bool = False

    @classmethod
    def assumed(cls, measure: str, variance: float, request: WcwRequest) -> "Design":
        """The design for a variance of topics' scores, and the correlation within clusters, if any."""
        if request.icc is None or request.cluster_size is None:
            return cls(measure, variance)
        size = request.cluster_size
        return cls(measure, clustered_variance(variance, request.icc, size), size, "cluster", request.icc)

    def units(self, topics: int) -> int:
        return math.floor(topics / self.size * (1 + CLOSE))

    def topics(self, units: int) -> int:
        return math.ceil(units * self.size * (1 - CLOSE))

    def of(self, topics: Sequence[int]) -> Sequence[int]:
        """These numbers of topics, each without those left over, and without those that make fewer than two clusters."""
        return sorted({self.topics(self.units(number)) for number in topics if self.units(number) > 1})

    def columns(self, units: int) -> Row:
        """Columns that tell of clusters: none of topics."""
        return {} if self.word == "topic" else {f"{self.word}s": units, "cluster_size": plain(self.size)}

    def sizes(self, request: WcwRequest) -> Sequence[int]:
        """The numbers of topics that widths are printed for, those in whole clusters; raises DataError for one asked for that
        makes fewer than two."""
        if self.word == "topic":
            return request.chosen_sizes
        few = [topics for topics in request.sizes or () if self.units(topics) < 2]
        if few:
            raise DataError(f"--sizes {few[0]}: fewer than two {self.word}s of {self.size:g} topics")
        enough = self.of(request.chosen_sizes)
        if enough or request.chosen_sizes != SIZES:
            return enough
        return [self.topics(units) for units in CLUSTERS]
