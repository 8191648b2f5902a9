"""What map-ci is asked, and which of it does not go together."""

from collections.abc import Sequence
from dataclasses import dataclass

from irci.bootstrap.joint_resamples import Draws
from irci.choices import (
    BOTH,
    DOCUMENTS,
    TOPICS,
    Correction,
    MeanMethod,
    MetaMethod,
    Pairing,
    Population,
    Slots,
    SmallR,
    TopicInterval,
    TopicTest,
    check,
)
from irci.data.experiment import Inputs
from irci.data.measures import Measure
from irci.errors import UsageError
from irci.methods.map_ci.means import Settings as MethodSettings


@dataclass(frozen=True)
class Settings:
    """What is asked, under the options' names.

    None for `population` is documents and topics, each by itself; for `method` bootstrap over documents and t over topics; for
    `interval` t, or percentile with --method bootstrap; for `pairing` paired, or independent with --method parametric.
    """

    measures: Sequence[Measure] = ()
    per_topic: bool = False
    no_summary: bool = False
    population: Population | None = None
    method: MeanMethod | None = None
    interval: TopicInterval | None = None
    compare: bool = False
    baseline: str | None = None
    all_pairs: bool = False
    pairing: Pairing | None = None
    test: TopicTest = "t"
    correction: Correction = "holm"
    meta: MetaMethod | None = None
    ranks: bool = False
    slots: Slots = "fresh"
    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = 1e-5
    small_r: SmallR = "wider"
    no_small_r: bool = False

    def __post_init__(self) -> None:
        check(self)

    @property
    def has_pairs(self) -> bool:
        """Whether runs are compared."""
        return self.compare or self.baseline is not None or self.all_pairs

    @property
    def takes_several_runs(self) -> bool:
        """Whether something is asked of several runs, or of effects on single topics."""
        return self.has_pairs or self.ranks or self.meta is not None

    @property
    def compared_with(self) -> str | None:
        """What runs are compared with, in words."""
        if self.baseline is not None:
            return self.baseline
        return "all pairs" if self.all_pairs else "first" if self.compare else None

    @property
    def draws(self) -> Draws:
        """How joint resamples are drawn."""
        return Draws(self.resamples, self.seed, self.slots == "fresh")

    def populations(self, inputs: Inputs) -> tuple[Population, ...]:
        """What varies; of scores alone the topics do."""
        if inputs.scores or inputs.standardise is not None:
            if self.population not in (None, TOPICS):
                raise UsageError(f"--population {self.population} resamples documents, which scores do not have.")
            return (TOPICS,)
        return (DOCUMENTS, TOPICS) if self.population is None else (self.population,)

    def of_method(self, populations: Sequence[Population]) -> MethodSettings:
        """What the methods take. Raises UsageError for what does not go together."""
        self._check_pairs_and_measures()
        self._check_methods(populations)
        self._check_resamples(populations)
        return MethodSettings(
            method="parametric" if self.method == "parametric" else "bootstrap",
            interval=self._interval,
            resamples=self.resamples,
            confidence=self.confidence,
            seed=self.seed,
            epsilon=self.epsilon,
            small_r="none" if self.no_small_r else self.small_r,
            slots=self.slots,
            pairing=self.pairing or ("independent" if self.method == "parametric" else "paired"),
            test=self.test,
            correction=self.correction,
            meta=self.meta or "",
        )

    @property
    def _interval(self) -> TopicInterval:
        return self.interval or ("percentile" if self.method == "bootstrap" else "t")

    def _check_pairs_and_measures(self) -> None:
        if self.all_pairs and (self.compare or self.baseline is not None):
            raise UsageError("--all-pairs compares every two runs: leave out --compare and --baseline.")
        counts = [measure.name for measure in self.measures if measure.is_count]
        if counts:
            raise UsageError(f"{', '.join(counts)}: a count has no mean score.")

    def _check_methods(self, populations: Sequence[Population]) -> None:
        """Refuse what needs documents or topics to vary where they do not, and methods that contradict each other."""
        if self.method == "parametric" and DOCUMENTS not in populations:
            raise UsageError("--method parametric is for documents.")
        if (self.method == "t" or self.interval is not None) and TOPICS not in populations:
            raise UsageError("--method t and --interval are for topics.")
        if self.method == "t" and self.interval not in (None, "t"):
            raise UsageError(f"--interval {self.interval} resamples topics; --method t does not.")
        if self.method == "parametric" and self.pairing == "paired":
            raise UsageError("--method parametric resamples each run by itself: --pairing independent.")
        if self.pairing == "independent" and DOCUMENTS not in populations:
            raise UsageError("--pairing independent is for documents.")
        if self.meta is not None and DOCUMENTS not in populations:
            raise UsageError("--meta combines what resampled documents say: leave out --population.")
        if self.test == "randomization" and TOPICS not in populations:
            raise UsageError("--test is for topics.")
        if self.slots == "shared" and BOTH not in populations:
            raise UsageError("--slots is for --population both.")

    def _check_resamples(self, populations: Sequence[Population]) -> None:
        if self.resamples > 0:
            return
        for option, asked in (
            (f"--interval {self._interval}", self._interval != "t"),
            ("--test randomization", self.test == "randomization"),
            ("--population both", BOTH in populations),
            ("--ranks", self.ranks),
            ("--meta", self.meta is not None),
        ):
            if asked:
                raise UsageError(f"{option} needs resamples: take more than 0.")
