"""The request of partition-anova."""

from collections.abc import Sequence
from typing import Any

from irci.base.choices import Correction, RunTest
from irci.base.records import values_of
from irci.data.measures import Measure
from irci.data.parts import Splitting
from irci.data.versions import Versions
from irci.methods.partition_anova import ResidualBootstrap

# What --published sets, unless the option is given.
PUBLISHED: dict[str, Any] = {
    "residuals": "raw",
    "p_value": "marginal",
    "tests": ("unpaired-t", "randomization-one-sided"),
}


class PartitionAnovaRequest(ResidualBootstrap, Splitting):
    """The options of partition-anova by their names. `parts`: 2, or as many as `parts_file` names, if None."""

    measures: Sequence[Measure] = ()
    versions: Versions | None = None
    correction: Correction = "bh"
    tests: tuple[RunTest, ...] = ("t", "randomization")
    test_correction: Correction = "none"
    alphas: tuple[float, ...] = (0.05, 0.01)
    pairs: bool = False
    groups: str | None = None

    def signature(self) -> dict[str, Any]:
        """The options that change a digit, but for the splits."""
        replicates = {"policy": self.policy} if self.versions is None else {"versions": self.versions.given}
        return {
            **values_of(self, ResidualBootstrap),
            **replicates,
            "correction": self.correction,
            "tests": " ".join(self.tests),
            "test_correction": self.test_correction,
            "alphas": " ".join(f"{alpha:g}" for alpha in self.alphas),
            "pairs": self.pairs,
            "groups": self.groups,
            **({"parts_file": self.parts_file} if self.versions is None else {}),
        }
