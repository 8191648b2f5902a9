"""The request of wcw."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irci.base.choices import Tool, check
from irci.base.errors import UsageError
from irci.methods.wcw import TopicSetDesign

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.measures import Measure
    from irci.data.rules import Clusters

SIZES = (10, 20, 50, 100)
CURVE = (*range(5, 50, 5), *range(50, 210, 10))


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
        """The tools, each once."""
        return tuple(dict.fromkeys(self.tools)) or (("anova", "t") if self.power else ("anova", "ci"))

    @property
    def chosen_sizes(self) -> Sequence[int]:
        """The numbers of topics that widths are printed for."""
        return self.sizes or (CURVE if self.curve else () if self.widths else SIZES)

    def refuse_size_alone(self) -> None:
        """Raise UsageError for a size of clusters of which nothing is known."""
        if self.cluster_size is not None and self.icc is None:
            raise UsageError("--cluster-size needs --icc, or --clusters and files.")

    def refuse_contradictions(self) -> None:
        """Raise UsageError for what does not go together."""
        if self.beta >= 1 - self.alpha:
            raise UsageError("1 - beta must be larger than alpha.")
        if self.curve and self.sizes:
            raise UsageError("use --curve or --sizes, not both.")
        if self.power and not (self.sizes and self.widths):
            raise UsageError("--power needs --sizes and --width.")
        if self.power and "ci" in self.chosen_tools:
            raise UsageError("--tool ci has no power: use --tool anova or t.")
        if self.icc is not None and self.clusters is not None:
            raise UsageError("--clusters tells the correlation within clusters: leave out --icc.")
        if self.icc is not None and self.cluster_size is None:
            raise UsageError("--icc needs --cluster-size.")
        if self.noncentrality and (self.icc, self.clusters, self.cluster_size) != (None, None, None):
            raise UsageError("--noncentrality is of systems, whatever the topics: leave out clusters of these.")


@dataclass(frozen=True)
class _OneTool:
    tool: Tool
