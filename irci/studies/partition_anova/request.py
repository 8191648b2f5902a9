"""The request of partition-anova."""

from collections.abc import Sequence
from typing import Any

from irci.base.choices import Correction, PublishedTest, RunTest
from irci.base.records import values_of
from irci.data.parts import Splitting
from irci.data.versions import Versions
from irci.estimators.partition_anova import ResidualBootstrap
from irci.measures import Measure

# Of --published, unless others are given.
PUBLISHED_TESTS: tuple[PublishedTest, ...] = ("unpaired-t", "randomization-one-sided")


class PartitionAnovaRequest(ResidualBootstrap, Splitting):
    """The options of partition-anova by their names. `alphas`: 1 less each level of confidence; `lists_pairs`: however many
    they are."""

    measures: Sequence[Measure] = ()
    versions: Versions | None = None
    correction: Correction = "bh"
    tests: tuple[RunTest | PublishedTest, ...] = ("t", "randomization")
    alphas: tuple[float, ...] = (0.05, 0.01)
    lists_pairs: bool = False
    groups: str | None = None

    def signature(self) -> dict[str, Any]:
        """The options that change a digit, but for the splits."""
        replicates = {"policy": self.policy} if self.versions is None else {"versions": self.versions.given}
        return {
            **values_of(self, ResidualBootstrap),
            **replicates,
            "correction": self.correction,
            "tests": " ".join(self.tests),
            "alphas": " ".join(f"{alpha:g}" for alpha in self.alphas),
            "groups": self.groups,
            **({"parts_file": self.parts} if isinstance(self.parts, str) and self.versions is None else {}),
        }
