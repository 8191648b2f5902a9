"""What map-ci is asked, and which of it does not go together."""

from collections.abc import Sequence
from dataclasses import dataclass

from irci.base.choices import (
    BOTH,
    DOCUMENTS,
    TOPICS,
    FailIf,
    MeanMethod,
    MetaMethod,
    PairCorrection,
    Pairing,
    Population,
    Slots,
    SmallR,
    TopicInterval,
    TopicTest,
    check,
)
from irci.base.errors import UsageError
from irci.base.numerals import Margin
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.methods.map_ci.means import Settings as MethodSettings
from irci.studies.comparing import Comparing

RESAMPLES = 2000
SIGNS, SIGNS_OF_ONE_TEST = 10_000, 20_000


@dataclass(frozen=True)
class Settings(Comparing):
    """What is asked, under the options' names.

    None for `population` is documents and topics, each by itself; for `method` bootstrap over documents and t over topics; for
    `interval` t, or percentile with --method bootstrap; for `pairing` paired, or independent with --method parametric; for
    `correction` holm, or maxt with ranks and simultaneous limits; for `resamples` 2000, and of signs 10,000, or 20,000 for
    one test by itself.
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
    correction: PairCorrection | None = None
    adjusted_limits: bool = False
    meta: MetaMethod | None = None
    ranks: bool = False
    slots: Slots = "fresh"
    equivalence: Margin | None = None
    power: bool = False
    fail_if: FailIf | None = None
    new_topics: int | None = None
    resamples: int | None = None
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = 1e-5
    small_r: SmallR = "wider"

    def __post_init__(self) -> None:
        check(self)

    @property
    def takes_several_runs(self) -> bool:
        """Whether something is asked of several runs, or of effects on single topics."""
        return self.has_pairs or self.ranks or self.meta is not None

    @property
    def chosen_correction(self) -> PairCorrection:
        """How p allows for the number of pairs."""
        return self.correction or ("maxt" if self.ranks or self.interval == "simultaneous" else "holm")

    @property
    def signs(self) -> int:
        """How many assignments of signs are drawn."""
        by_itself = self.test in ("randomization", "wilcoxon") and self.chosen_correction != "maxt"
        return self.resamples or (SIGNS_OF_ONE_TEST if by_itself else SIGNS)

    @property
    def tells_verdicts(self) -> bool:
        """Whether pairs are told in a word what topics say of them."""
        return self.equivalence is not None or self.power or self.fail_if is not None

    def populations(self, inputs: Inputs) -> tuple[Population, ...]:
        """What varies; of scores alone the topics do."""
        if inputs.scores or inputs.standardise is not None:
            if self.population not in (None, TOPICS):
                raise UsageError(
                    f"--population {self.population} resamples documents, which files of scores do not have."
                )
            return (TOPICS,)
        return (DOCUMENTS, TOPICS) if self.population is None else (self.population,)

    def of_method(self, populations: Sequence[Population]) -> MethodSettings:
        """What the methods take. Raises UsageError for what does not go together."""
        self._check_pairs_and_measures()
        self._check_methods(populations)
        self._check_many_pairs(populations)
        self._check_adjusted_limits()
        self._check_resamples(populations)
        return MethodSettings(
            method="parametric" if self.method == "parametric" else "bootstrap",
            interval=self._interval,
            resamples=self._resamples,
            signs=self.signs,
            confidence=self.confidence,
            seed=self.seed,
            epsilon=self.epsilon,
            small_r=self.small_r,
            slots=self.slots,
            pairing=self._pairing,
            test=self.test,
            correction=self.chosen_correction,
            meta=self.meta or "",
            new_topics=self.new_topics,
        )

    @property
    def _resamples(self) -> int:
        return RESAMPLES if self.resamples is None else self.resamples

    @property
    def _pairing(self) -> Pairing:
        return self.pairing or ("independent" if self.method == "parametric" else "paired")

    @property
    def _interval(self) -> TopicInterval:
        return self.interval or ("percentile" if self.method == "bootstrap" else "t")

    def _check_pairs_and_measures(self) -> None:
        if self.all_pairs and (self.compare or self.baseline is not None):
            raise UsageError("--all-pairs already compares every two runs: leave out --compare and --baseline.")
        counts = [measure.name for measure in self.measures if measure.is_count]
        if counts:
            raise UsageError(f"{', '.join(counts)}: a count is not averaged over topics: choose other measures.")
        unbounded = [measure.name for measure in self.measures if not measure.is_bounded]
        if unbounded and (self.meta is not None or self.method == "parametric"):
            option = "--meta" if self.meta is not None else "--method parametric"
            raise UsageError(f"{option} needs scores between 0 and 1, which {', '.join(unbounded)} does not have.")

    def _check_methods(self, populations: Sequence[Population]) -> None:
        """Refuse what needs documents or topics to vary where they do not, and methods that contradict each other."""
        if self.method == "parametric" and DOCUMENTS not in populations:
            raise UsageError("--method parametric needs --population documents.")
        if (self.method == "t" or self.interval is not None) and TOPICS not in populations:
            raise UsageError("--method t and --interval need --population topics.")
        if self.method == "t" and self.interval not in (None, "t"):
            raise UsageError(f"--interval {self.interval} resamples topics; --method t does not.")
        if self.method == "parametric" and self.pairing == "paired":
            raise UsageError("--method parametric treats each run by itself: use --pairing independent.")
        if self.pairing == "independent" and DOCUMENTS not in populations:
            raise UsageError("--pairing independent needs --population documents.")
        if self.meta is not None and DOCUMENTS not in populations:
            raise UsageError("--meta combines intervals over documents: leave out --population.")
        if self.test not in ("t", "normal") and TOPICS not in populations:
            raise UsageError("--test needs --population topics.")
        if self.test == "normal" and DOCUMENTS not in populations:
            raise UsageError("--test normal needs --population documents.")
        if self.new_topics is not None and self._interval != "prediction":
            raise UsageError("--new-topics is for --interval prediction.")
        if self.slots == "shared" and BOTH not in populations:
            raise UsageError("--slots needs --population both.")

    def _check_many_pairs(self, populations: Sequence[Population]) -> None:
        """Refuse what would let ranks, adjusted p and limits of one output contradict each other, or says nothing."""
        correction, topics = self.chosen_correction, TOPICS in populations
        if self.ranks and correction not in ("maxt", "holm"):
            raise UsageError("--ranks hold for all pairs at once: use --correction maxt or holm.")
        if self._pairing == "independent" and (self.ranks or correction == "maxt"):
            why = "--method parametric" if self.pairing is None else "--pairing independent"
            raise UsageError(f"--ranks and --correction maxt compare runs paired: leave out {why}.")
        if self.test in ("wilcoxon", "sign") and (self.ranks or correction == "maxt"):
            raise UsageError(f"--ranks and --correction maxt are about means, --test {self.test} is not.")
        if self._interval == "simultaneous" and not self.has_pairs:
            raise UsageError("--interval simultaneous needs pairs: add --compare, --baseline or --all-pairs.")
        if self._interval == "simultaneous" and correction != "maxt":
            raise UsageError("--interval simultaneous goes with --correction maxt only.")
        for option, asked in (
            ("--equivalence", self.equivalence is not None),
            ("--power", self.power),
            ("--fail-if", self.fail_if is not None),
        ):
            if asked and not (self.has_pairs and topics):
                raise UsageError(f"{option} needs pairs over topics: add --compare, --baseline or --all-pairs.")
        if self.fail_if == "not-equivalent" and self.equivalence is None:
            raise UsageError("--fail-if not-equivalent needs --equivalence MARGIN.")

    def _check_adjusted_limits(self) -> None:
        """Refuse them where nothing is adjusted, or p and limits are about different things."""
        if not self.adjusted_limits:
            return
        if not self.has_pairs:
            raise UsageError("--adjusted-limits needs pairs: add --compare, --baseline or --all-pairs.")
        if self.chosen_correction == "none":
            raise UsageError("--adjusted-limits: --correction none adjusts nothing.")
        if self.test in ("wilcoxon", "sign"):
            raise UsageError(f"--adjusted-limits: limits are about means, --test {self.test} is not.")
        if self._interval == "prediction":
            raise UsageError(
                "--adjusted-limits: --interval prediction has none, as p is not about means over new topics."
            )

    def _check_resamples(self, populations: Sequence[Population]) -> None:
        if self._resamples > 0:
            return
        correction = self.chosen_correction
        for option, asked in (
            (f"--interval {self._interval}", self._interval not in ("t", "prediction")),
            (f"--test {self.test}", self.test in ("randomization", "wilcoxon")),
            ("--ranks", self.ranks and correction == "maxt"),
            ("--correction maxt", correction == "maxt"),
            ("--population both", BOTH in populations),
            ("--meta", self.meta is not None),
        ):
            if asked:
                raise UsageError(f"{option} needs resamples: use -B 2 or more.")
