"""The request of wcw, and designs by what is sampled: topics, or clusters of topics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from irci.base.choices import Tool, check
from irci.base.errors import DataError, UsageError
from irci.methods.wcw import TopicSetDesign, clustered_variance
from irci.output.tables import Row
from irci.studies.wording import plain

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.measures import Measure
    from irci.data.rules import Clusters

SIZES = (10, 20, 50, 100)
CURVE = (*range(5, 50, 5), *range(50, 210, 10))
CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CLOSE = 1e-9


@dataclass(frozen=True)
class WcwRequest(TopicSetDesign):
    """The options of wcw by their names. None for `sizes`: 10, 20, 50 and 100, unless there are widths."""

    variances: tuple[tuple[str, float], ...] = ()
    measures: "Sequence[Measure]" = ()
    sizes: tuple[int, ...] | None = None
    widths: tuple[float, ...] | None = None
    curve: bool = False
    power: bool = False
    tools: tuple[Tool, ...] = ()
    noncentrality: bool = False
    residual: bool = False
    pool: bool = False
    clusters: "Clusters | None" = None
    cluster_size: int | None = None
    icc: float | None = None

    def __post_init__(self) -> None:
        for tool in self.tools:
            check(_OneTool(tool))

    @property
    def chosen_tools(self) -> tuple[Tool, ...]:
        return tuple(dict.fromkeys(self.tools)) or (("anova", "t") if self.power else ("anova", "ci"))

    @property
    def chosen_sizes(self) -> Sequence[int]:
        """The numbers of topics that widths are printed for."""
        return self.sizes or (CURVE if self.curve else () if self.widths else SIZES)

    def refuse_contradictions(self) -> None:
        has_icc, has_clusters, has_size = (given is not None for given in (self.icc, self.clusters, self.cluster_size))
        for is_wrong, message in (
            (self.beta >= 1 - self.alpha, "1 - beta must be larger than alpha."),
            (self.curve and self.sizes, "use --curve or --sizes, not both."),
            (self.power and not (self.sizes and self.widths), "--power needs --sizes and --width."),
            (self.power and "ci" in self.chosen_tools, "--tool ci has no power: use --tool anova or t."),
            (has_icc and has_clusters, "--clusters tells the correlation within clusters: leave out --icc."),
            (has_icc and not has_size, "--icc needs --cluster-size."),
            (
                self.noncentrality and (has_icc or has_clusters or has_size),
                "--noncentrality is of systems, whatever the topics: leave out clusters of these.",
            ),
        ):
            if is_wrong:
                raise UsageError(message)


@dataclass(frozen=True)
class _OneTool:
    tool: Tool


@dataclass(frozen=True)
class Design:
    """A measure's variance of what is sampled: of a topic's score, or of the mean of a cluster of `size` topics.

    `word`: what that is called. `correlation`: of two topics of a cluster. `sizes_differ`: `size` is an average, and the
    variance what each cluster adds to that of a mean, times their number. `upper`: the upper limit of a variance that is
    estimated, nan where there is none; None of one that is given.
    """

    measure: str
    variance: float
    size: float = 1.0
    word: str = "topic"
    correlation: float = 0.0
    sizes_differ: bool = False
    upper: float | None = None

    @classmethod
    def assumed(cls, measure: str, variance: float, request: WcwRequest, upper: float | None = None) -> "Design":
        """The design for a variance of topics' scores (its upper limit), and the correlation within clusters, if any."""
        if request.icc is None or request.cluster_size is None:
            return cls(measure, variance, upper=upper)
        size = request.cluster_size
        of_cluster = partial(clustered_variance, correlation=request.icc, size=size)
        safe = None if upper is None else of_cluster(upper)
        return cls(measure, of_cluster(variance), size, "cluster", request.icc, upper=safe)

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
        if few := [topics for topics in request.sizes or () if self.units(topics) < 2]:
            raise DataError(f"--sizes {few[0]}: fewer than two {self.word}s of {self.size:g} topics")
        enough = self.of(request.chosen_sizes)
        is_enough = enough or request.chosen_sizes != SIZES
        return enough if is_enough else [self.topics(units) for units in CLUSTERS]
