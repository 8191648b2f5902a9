"""What partition-anova is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from irci.base.choices import Correction, Model, Policy, PValue, ResidualDraw, Residuals, RunTest, check
from irci.data.measures import Measure
from irci.data.versions import Versions
from irci.methods.partition_anova import Settings as MethodSettings

# What --published sets, unless the option is given.
PUBLISHED: dict[str, Any] = {
    "residuals": "raw",
    "p_value": "marginal",
    "tests": ("unpaired-t", "randomization-one-sided"),
}


@dataclass(frozen=True)
class Settings:
    """What is asked, under the options' names. `parts`: 2, or as many as `parts_file` names, if None."""

    measures: Sequence[Measure] = ()
    parts: int | None = None
    splits: int = 1
    parts_file: str | None = None
    versions: Versions | None = None
    policy: Policy = "redraw"
    model: Model = "interaction"
    residuals: Residuals = "rescaled"
    draw: ResidualDraw = "replacement"
    p_value: PValue = "difference"
    correction: Correction = "bh"
    tests: tuple[RunTest, ...] = ("t", "randomization")
    test_correction: Correction = "none"
    alphas: tuple[float, ...] = (0.05, 0.01)
    pairs: bool = False
    groups: str | None = None
    write_parts: str | None = None
    resamples: int = 10_000
    confidence: float = 0.95
    seed: int = 1

    def __post_init__(self) -> None:
        check(self)

    def of_method(self) -> MethodSettings:
        """What the method takes."""
        return MethodSettings(**{field.name: getattr(self, field.name) for field in fields(MethodSettings)})

    def signature(self) -> dict[str, Any]:
        """What of it changes a digit, but for the splits."""
        replicates = {"policy": self.policy} if self.versions is None else {"versions": self.versions.given}
        return {
            **self.of_method().signature(),
            **replicates,
            "correction": self.correction,
            "tests": " ".join(self.tests),
            "test_correction": self.test_correction,
            "alphas": " ".join(f"{alpha:g}" for alpha in self.alphas),
            "pairs": self.pairs,
            "groups": self.groups,
            **({"parts_file": self.parts_file} if self.versions is None else {}),
        }
