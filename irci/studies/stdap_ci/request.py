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
        values["sizes"] = " ".join(map(str, self.sizes))
        if self.clusters:
            values |= {"units": "clusters", "clusters": self.clusters.given, "mean": self.mean or "topics"}
        return values

    def refuse_contradictions(self) -> None:
        given = [name for name in ("reference", "reference_sample", "factors") if getattr(self, name) is not None]
        is_plain = self.transform == "none"
        saves = self.save_factors is not None
        for is_wrong, message in (
            (self.mean is not None and self.clusters is None, "--mean is for --clusters."),
            (
                len(given) > 1 or (given and is_plain and not self.type_one),
                "use one of --reference, --reference-sample and --factors, and none with --transform none.",
            ),
            (self.leave_one_out and saves, "--leave-one-out makes factors for each run: leave out --save-factors."),
            (is_plain and saves, "--transform none makes no factors: leave out --save-factors."),
            (
                self.leave_one_out and (given == ["factors"] or is_plain or self.type_one),
                "--leave-one-out needs reference runs: leave out --factors, --type-one and --transform none.",
            ),
            (
                self.type_one and (self.transform in ("cdf", "ab") or self.reference or self.factors),
                "--type-one takes z scores by all runs or by --reference-sample, or --transform none.",
            ),
        ):
            if is_wrong:
                raise UsageError(message)
