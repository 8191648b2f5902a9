"""The request of swap-error."""

from collections.abc import Sequence
from dataclasses import dataclass

from irci.base.choices import (
    Base,
    Checked,
    Correction,
    Fit,
    KappaInterval,
    LabelWeights,
    MeanOverClusters,
    Procedure,
    TauInterval,
    TopicDraw,
)
from irci.base.errors import DataError, UsageError
from irci.base.names import plural
from irci.data.measures import Measure
from irci.data.rules import Clusters
from irci.data.versions import Versions
from irci.methods.swap_error import error_rate, swap


@dataclass(frozen=True)
class SwapErrorRequest(Checked):
    """The options by their names. None: as many `trials`, such `sizes`, as the procedure has by default.

    `level_b`: the lowest relevant grade of other judges, None where that is all judges'.
    """

    procedure: Procedure = "error-rate"
    measures: Sequence[Measure] = ()
    fuzziness: tuple[float, ...] = (5,)
    base: Base = "larger"
    sizes: tuple[int, ...] | None = None
    versions: Versions | None = None
    clusters: Clusters | None = None
    mean: MeanOverClusters | None = None
    matrix: bool = False
    draw: TopicDraw | None = None
    sets: int = 100
    designs: int = 50
    trials: int | None = None
    at: tuple[int, ...] | None = None
    relative: bool = False
    fit: Fit = "probit"
    max_rate: float = 0.05
    alphas: tuple[float, ...] | None = None
    resamples: int | None = None
    figures: bool = False
    level_b: int | None = None
    common: bool = False
    labels_only: bool = False
    weights: LabelWeights = "none"
    interval: TauInterval = "jackknife"
    kappa_interval: KappaInterval = "topics"
    correction: Correction = "none"
    group: str | None = None
    confidence: float = 0.95
    seed: int = 1

    def refuse_contradictions(self) -> None:
        if self.procedure == "swap":
            self.of_swaps()
        for is_wrong, message in (
            (self.matrix and self.versions is None, "--matrix is for --versions."),
            (self.clusters is not None and self.versions is not None, "--clusters and --versions do not go together."),
            (self.mean is not None and self.clusters is None, "--mean is for --clusters."),
        ):
            if is_wrong:
                raise UsageError(message)
        resamples = self.resamples_or(1000)
        low = [alpha for alpha in self.levels if not 1 / resamples <= alpha < 1]
        if self.procedure == "discriminative-power" and low:
            raise UsageError(f"--alpha {low[0]:g} with {resamples} resamples: it must be between 1/B and 1.")

    def of_clusters(self) -> dict[str, str]:
        return {} if self.clusters is None else {"clusters": self.clusters.given, "mean": self.mean or "topics"}

    @property
    def levels(self) -> tuple[float, ...]:
        return self.alphas or ((0.05,) if self.procedure == "judges" else (0.01, 0.05, 0.1))

    def resamples_or(self, default: int) -> int:
        return default if self.resamples is None else self.resamples

    def of_error_rates(self) -> error_rate.QuerySetDesign:
        return error_rate.QuerySetDesign(
            self.fuzziness, self.base, self.designs, self.trials or 100, self.sets, self.draw or "subset", self.seed
        )

    def of_swaps(self) -> swap.SwapTrials:
        draw = self.draw or "partition"
        if draw == "subset":
            raise UsageError("--procedure swap takes --draw partition or --draw bootstrap.")
        return swap.SwapTrials(draw, self.trials or 50, self.relative, self.fit, self.seed)

    def sizes_up_to(self, most: int, default: Sequence[int], unit: str = "topic") -> list[int]:
        """The sizes of topic sets, ascending; of the default those there are topics (or other units) for."""
        sizes = sorted(set(self.sizes or [size for size in default if size <= most]))
        if sizes[-1] > most:
            raise DataError(f"--sizes {sizes[-1]}: a topic set can have at most {plural(most, unit)}")
        return sizes
