"""The request of stdap-ci."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irci.base.choices import Checked, MeanOverClusters, Transform
from irci.base.errors import UsageError
from irci.data.measures import Measure
from irci.data.rules import Clusters


@dataclass(frozen=True)
class StdapCiRequest(Checked):
    """The options by their names."""

    measures: Sequence[Measure] = ()
    per_topic: bool = False
    no_summary: bool = False
    reference: str | None = None
    reference_sample: int | None = None
    factors: str | None = None
    save_factors: str | None = None
    transform: Transform = "z"
    leave_one_out: bool = False
    ddof: int = 1
    type_one: bool = False
    sizes: tuple[int, ...] = (5,)
    trials: int = 1000
    replace: bool = False
    figures: bool = False
    confidence: float = 0.95
    seed: int = 1
    clusters: Clusters | None = None
    mean: MeanOverClusters | None = None

    def signature(self) -> dict[str, Any]:
        """All of it but the measures, which rows name, and clusters if there are none."""
        others = ("measures", "clusters", "mean")
        values = {name: value for name, value in self.__dict__.items() if name not in others}
        of_clusters = (
            {"units": "clusters", "clusters": self.clusters.given, "mean": self.mean or "topics"}
            if self.clusters
            else {}
        )
        return values | {"sizes": " ".join(map(str, self.sizes))} | of_clusters

    def refuse_contradictions(self) -> None:
        """Raise UsageError for what does not go together."""
        given = [name for name in ("reference", "reference_sample", "factors") if getattr(self, name) is not None]
        is_plain = self.transform == "none"
        if self.mean is not None and self.clusters is None:
            raise UsageError("--mean is for --clusters.")
        if len(given) > 1 or (given and is_plain and not self.type_one):
            raise UsageError(
                "use one of --reference, --reference-sample and --factors, and none with --transform none."
            )
        if self.leave_one_out and self.save_factors is not None:
            raise UsageError("--leave-one-out makes factors for each run: leave out --save-factors.")
        if is_plain and self.save_factors is not None:
            raise UsageError("--transform none makes no factors: leave out --save-factors.")
        if self.leave_one_out and (given == ["factors"] or is_plain or self.type_one):
            raise UsageError(
                "--leave-one-out needs reference runs: leave out --factors, --type-one and --transform none."
            )
        if self.type_one and (self.transform in ("cdf", "ab") or self.reference or self.factors):
            raise UsageError("--type-one takes z scores by all runs or by --reference-sample, or --transform none.")
