"""The request of wcw, and designs by what is sampled: topics, or clusters of topics."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from irci.base.choices import PowerTool, Tool, WidthTool
from irci.base.errors import DataError, UsageError
from irci.base.records import Record, check
from irci.base.types import Ends
from irci.methods.wcw import TopicSetDesign, clustered_variance
from irci.output.tables import Row
from irci.stats.power import fewest_groups, fewest_units
from irci.studies.wording import plain

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.measures import Measure
    from irci.data.rules import Clusters

SIZES = (10, 20, 50, 100)
CURVE = (*range(5, 50, 5), *range(50, 210, 10))
CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CLOSE = 1e-9
# What is planned, and by which formula each tool plans it; pairs have half the variance of their differences.
Amount = Literal["width", "difference"]
AMOUNTS: Final[tuple[Amount, ...]] = ("width", "difference")
FORMULAS: Mapping[Amount, Mapping[Tool, WidthTool | PowerTool]] = {
    "width": {"paired": "ci", "anova": "anova", "ci": "ci"},
    "difference": {"paired": "t", "anova": "anova", "t": "t"},
}
# What numbers of topics are asked for with each tool.
OF_SIZES: Mapping[Tool, Amount] = {"paired": "difference", "t": "difference", "anova": "width", "ci": "width"}


class WcwRequest(TopicSetDesign):
    """The options of wcw by their names. None for `sizes`: 10, 20, 50 and 100, unless there are widths or differences."""

    variances: tuple[tuple[str, float], ...] = ()
    measures: "Sequence[Measure]" = ()
    sizes: tuple[int, ...] | None = None
    widths: tuple[float, ...] | None = None
    differences: tuple[float, ...] | None = None
    curve: bool = False
    power: bool = False
    looks: int | None = None
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

    def amounts(self, of: Amount) -> Sequence[float]:
        """The widths, or differences, that topics are asked for."""
        return (self.widths if of == "width" else self.differences) or ()

    def tools_for(self, of: Amount) -> tuple[Tool, ...]:
        """The tools that plan for widths, or for differences: with files, pairs' unless others, or their variance, are asked
        for."""
        independent: tuple[Tool, ...] = ("t",) if self.looks is not None else tuple(FORMULAS[of])[1:]
        usual: tuple[Tool, ...] = independent if self.variances or self.residual else ("paired",)
        return tuple(tool for tool in dict.fromkeys(self.tools) or usual if tool in FORMULAS[of])

    @property
    def tools_for_sizes(self) -> tuple[Tool, ...]:
        """The tools that tell what numbers of topics are worth."""
        if self.power:
            return self.tools_for("difference")
        return tuple(dict.fromkeys(self.tools)) or self.tools_for("width")

    @property
    def chosen_tools(self) -> tuple[Tool, ...]:
        """All tools that are used."""
        asked = [self.tools_for_sizes] if self.chosen_sizes else []
        asked += [self.tools_for(of) for of in AMOUNTS if self.amounts(of)]
        return tuple(dict.fromkeys(tool for tools in asked for tool in tools))

    @property
    def chosen_sizes(self) -> Sequence[int]:
        """The numbers of topics that widths, or differences, are printed for."""
        return self.sizes or (CURVE if self.curve else () if self.widths or self.differences else SIZES)

    def refuse_contradictions(self) -> None:
        """Raise UsageError for options that do not go together."""
        only = set(self.tools)
        has_icc, has_clusters, has_size = (given is not None for given in (self.icc, self.clusters, self.cluster_size))
        for is_wrong, message in (
            (self.beta >= 1 - self.alpha, "1 - beta must be larger than alpha."),
            (self.curve and self.sizes, "use --curve or --sizes, not both."),
            (
                self.widths and not self.differences and (self.power or "t" in only),
                f"{'--power' if self.power else '--tool t'} is about a difference to be found: use --difference in place of"
                " --width.",
            ),
            (
                self.power and not (self.sizes and self.differences),
                "--power needs --sizes and --difference; for the number of topics needed, leave it out.",
            ),
            (
                self.power and (self.widths or "ci" in only),
                "--power is about differences: leave out --width and --tool ci.",
            ),
            (
                self.differences and not self.widths and not self.sizes and "ci" in only,
                "--tool ci is about the width of an interval: use --width in place of --difference.",
            ),
            (self.widths and not self.tools_for("width"), "--width takes --tool paired, ci or anova."),
            (self.differences and not self.tools_for("difference"), "--difference takes --tool paired, t or anova."),
            (
                self.variances and "paired" in only,
                "--tool paired needs QRELS and RUN..., or --scores, for differences of pairs: use --tool t with --variance.",
            ),
            (
                self.residual and "paired" in only,
                "--residual is for --tool anova, ci and t: pairs have the variance of their own differences.",
            ),
            (has_icc and has_clusters, "--clusters tells the correlation within clusters: leave out --icc."),
            (has_icc and not has_size, "--icc needs --cluster-size."),
            (
                self.noncentrality and (has_icc or has_clusters or has_size),
                "--noncentrality is of systems, whatever the topics: leave out clusters of these.",
            ),
        ):
            if is_wrong:
                raise UsageError(message)


class _OneTool(Record):
    tool: Tool


class Design(Record):
    """A measure's variance of what is sampled: of a topic's score, or of the mean of a cluster of `size` topics.

    `word`: what that is called. `correlation`: of two topics of a cluster. `sizes_differ`: `size` is an average, and the
    variance what each cluster adds to that of a mean, times their number. `upper`: the upper limit of a variance that is
    estimated, nan where there is none; None of one that is given. `pair`: the pair of runs that it is planned for, whose
    differences have twice the variance; "" for systems that vary independently. `ends`: of the scale, if it has any.
    """

    measure: str
    variance: float
    size: float = 1.0
    word: str = "topic"
    correlation: float = 0.0
    sizes_differ: bool = False
    upper: float | None = None
    pair: str = ""
    ends: Ends | None = None

    @classmethod
    def assumed(cls, measure: str, variance: float, request: WcwRequest, upper: float | None = None) -> "Design":
        """The design for a variance of topics' scores (its upper limit), and the correlation within clusters, if any."""
        if request.icc is None or request.cluster_size is None:
            return cls(measure, variance, upper=upper)
        size = request.cluster_size
        of_cluster = partial(clustered_variance, correlation=request.icc, size=size)
        safe = None if upper is None else of_cluster(upper)
        return cls(measure, of_cluster(variance), size, "cluster", request.icc, upper=safe)

    @property
    def cautious(self) -> float:
        """The variance that plans go by: of one that is estimated the upper limit, else half of them find too little."""
        return self.variance if self.upper is None else self.upper

    def fewest_units(self, tool: Tool, request: WcwRequest) -> int:
        """The fewest that a test can find anything on: p of pairs is no less than signs can give."""
        fewest = fewest_units if self.word == "topic" else fewest_groups
        return fewest(request.alpha) if tool == "paired" else 2

    def possible(self, difference: float) -> float:
        """A difference that is found, infinite where the scale has none as large."""
        return math.inf if self.ends is not None and difference > self.ends[1] - self.ends[0] else difference

    def units(self, topics: int) -> int:
        return math.floor(topics / self.size * (1 + CLOSE))

    def topics(self, units: int) -> int:
        return math.ceil(units * self.size * (1 - CLOSE))

    def of(self, topics: Sequence[int]) -> Sequence[int]:
        """These numbers of topics, each without those left over, and without those that make fewer than two clusters."""
        return sorted({self.topics(self.units(number)) for number in topics if self.units(number) > 1})

    def columns(self, units: float) -> Row:
        """Columns that tell of clusters: none of topics."""
        return {} if self.word == "topic" else {f"{self.word}s": units, "cluster_size": plain(self.size)}

    def purpose(self, tool: Tool, request: WcwRequest) -> Row:
        """The tool, and what the number is for."""
        of_tool = "best-worst" if tool == "anova" else "average-pair" if request.residual else "independent-pair"
        return {"tool": tool, "purpose": self.pair or of_tool}

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
