"""The request of wcw, and designs by what is sampled: topics, or clusters of topics."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from irci.base.choices import Tool
from irci.base.errors import DataError, UsageError
from irci.base.records import Record, check
from irci.base.types import Ends
from irci.compare.wording import plain
from irci.estimators.wcw import Formula, TopicSetDesign
from irci.output.tables import Row
from irci.stats.power import fewest_groups, fewest_units

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.rules import Clusters
    from irci.measures import Measure

SIZES = (10, 20, 50, 100)
CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CLOSE = 1e-9
# What is planned, and the formula by which each tool plans it: for each amount the first tool is the usual one.
Amount = Literal["width", "difference"]
AMOUNTS: Final[tuple[Amount, ...]] = ("width", "difference")
FORMULAS: Mapping[Amount, Mapping[Tool, Formula]] = {
    "width": {"anova": "anova", "ci": "ci", "paired": "ci"},
    "difference": {"paired": "t", "anova": "anova"},
}
# What numbers of topics are asked for with each tool.
OF_SIZES: Mapping[Tool, Amount] = {"anova": "width", "ci": "width", "paired": "difference"}
WORST = "90th percentile of pairs"  # the pair that numbers of topics are for where nothing else is asked for


class WcwRequest(TopicSetDesign):
    """The options of wcw by their names. None for `sizes`: 10, 20, 50 and 100, unless there are widths or differences.
    `lists_variances`: the table of variances is asked for."""

    variances: tuple[tuple[str, float], ...] = ()
    measures: "Sequence[Measure]" = ()
    sizes: tuple[int, ...] | None = None
    widths: tuple[float, ...] | None = None
    differences: tuple[float, ...] | None = None
    tools: tuple[Tool, ...] = ()
    clusters: "Clusters | None" = None
    lists_variances: bool = False

    def __post_init__(self) -> None:
        for tool in self.tools:
            check(_OneTool(tool))
        if self.power <= self.alpha:
            raise UsageError("--power must be larger than --alpha.")

    def amounts(self, amount: Amount) -> Sequence[float]:
        """The widths, or differences, that topics are asked for."""
        return (self.widths if amount == "width" else self.differences) or ()

    def tools_for(self, amount: Amount) -> tuple[Tool, ...]:
        """The tools that plan for widths, or for differences."""
        usual = next(iter(FORMULAS[amount]))
        return tuple(tool for tool in dict.fromkeys(self.tools) or (usual,) if tool in FORMULAS[amount])

    @property
    def tools_for_sizes(self) -> tuple[Tool, ...]:
        """The tools that tell what numbers of topics are worth; from files the usual ones stand in one row."""
        if not self.chosen_sizes:
            return ()
        return tuple(dict.fromkeys(self.tools)) or (("anova",) if self.variances else ("anova", "paired"))

    @property
    def chosen_tools(self) -> tuple[Tool, ...]:
        """All tools that are used."""
        of_amounts = [self.tools_for(amount) for amount in AMOUNTS if self.amounts(amount)]
        return tuple(dict.fromkeys(tool for tools in (self.tools_for_sizes, *of_amounts) for tool in tools))

    @property
    def chosen_sizes(self) -> Sequence[int]:
        """The numbers of topics that widths, or differences, are printed for."""
        return self.sizes or (() if self.widths or self.differences else SIZES)


class _OneTool(Record):
    tool: Tool


class VarianceDesign(Record):
    """A measure's variance of what is sampled: of a topic's score, or of the mean of a cluster of `size` topics.

    measure: str
    variance: float  # where clusters differ in size, what each adds to the variance of a mean, times their number
    size: float  # topics in a cluster, on average; nan: topics come in no clusters
    correlation: float  # of two topics of a cluster
    df_share: float  # degrees of freedom over the number of units less one: below 1 where clusters differ in size
    upper: float | None  # upper limit of a variance that is estimated, nan where there is none
    pair: str  # which pair of runs it is planned for, whose differences have twice the variance; "": independent systems
    ends: Ends | None  # of the scale, if it has any
    """

    measure: str
    variance: float
    size: float = math.nan
    correlation: float = 0.0
    df_share: float = 1.0
    upper: float | None = None
    pair: str = ""
    ends: Ends | None = None

    @property
    def in_clusters(self) -> bool:
        """True if clusters are what is sampled."""
        return not math.isnan(self.size)

    def cautious(self, request: WcwRequest) -> float:
        """The variance that plans go by: of one that is estimated the upper limit, else half of them find too little."""
        return self.variance if self.upper is None or request.published else self.upper

    def fewest_units(self, tool: Tool, request: WcwRequest) -> int:
        """The fewest that a test can find anything on: p of pairs is no less than signs can give."""
        fewest = fewest_groups if self.in_clusters else fewest_units
        return fewest(request.alpha) if tool == "paired" and self.pair else 2

    def possible(self, difference: float) -> float:
        """A difference that is found, infinite where the scale has none as large."""
        return math.inf if self.ends is not None and difference > self.ends[1] - self.ends[0] else difference

    def units(self, topics: int) -> int:
        return math.floor(topics / self.size * (1 + CLOSE)) if self.in_clusters else topics

    def topics(self, units: int) -> int:
        return math.ceil(units * self.size * (1 - CLOSE)) if self.in_clusters else units

    def of(self, topics: Sequence[int]) -> Sequence[int]:
        """These numbers of topics, each without those left over, and without those that make fewer than two clusters."""
        return sorted({self.topics(self.units(number)) for number in topics if self.units(number) > 1})

    def columns(self, units: float) -> Row:
        """Columns that tell of clusters: none of topics."""
        return {"clusters": units, "cluster_size": plain(self.size)} if self.in_clusters else {}

    def purpose(self, tool: Tool) -> Row:
        """The tool, and what the number is for."""
        return {"tool": tool, "purpose": self.pair or ("best-worst" if tool == "anova" else "independent-pair")}

    def sizes(self, request: WcwRequest) -> Sequence[int]:
        """The numbers of topics that widths are printed for, those in whole clusters; raises DataError for one asked for that
        makes fewer than two."""
        if not self.in_clusters:
            return request.chosen_sizes
        if few := [topics for topics in request.sizes or () if self.units(topics) < 2]:
            raise DataError(f"--sizes {few[0]}: fewer than two clusters of {self.size:g} topics")
        enough = self.of(request.chosen_sizes)
        is_enough = enough or request.chosen_sizes != SIZES
        return enough if is_enough else [self.topics(units) for units in CLUSTERS]
