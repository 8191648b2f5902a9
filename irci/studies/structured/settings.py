"""What is asked of structured topics, and which of it does not go together."""

from collections.abc import Sequence
from dataclasses import dataclass

from irci.base.choices import FailIf, PairCorrection, StructuredInterval, StructuredTest, Varies, check
from irci.base.errors import UsageError
from irci.base.numerals import Margin
from irci.data.measures import Measure
from irci.stats.scales import Scale
from irci.studies.comparing import Comparing

SIGNS, SIGNS_OF_ONE_TEST = 10_000, 20_000


@dataclass(frozen=True)
class Settings(Comparing):
    """What is asked, under the options' names.

    None for `population` is all that vary; for `correction` holm, or maxt with ranks and simultaneous limits where signs can
    be changed in all populations; for `resamples`, which are of signs, 10,000, or 20,000 for
    one test by itself.
    """

    measures: Sequence[Measure] = ()
    no_summary: bool = False
    population: Varies | None = None
    compare: bool = False
    baseline: str | None = None
    all_pairs: bool = False
    test: StructuredTest = "t"
    interval: StructuredInterval | None = None
    correction: PairCorrection | None = None
    adjusted_limits: bool = False
    ranks: bool = False
    equivalence: Margin | None = None
    fail_if: FailIf | None = None
    resamples: int | None = None
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        check(self)
        self._check_pairs()
        self._check_resamples(self.correction)

    def signs(self, correction: PairCorrection) -> int:
        """How many assignments of signs are drawn."""
        by_itself = self.test == "randomization" and correction != "maxt"
        if self.resamples is None:
            return SIGNS_OF_ONE_TEST if by_itself else SIGNS
        return self.resamples

    @property
    def tells_verdicts(self) -> bool:
        """Whether pairs are told in a word what is found of them."""
        return self.equivalence is not None or self.fail_if is not None

    def scale(self, measure: Measure) -> Scale:
        """The scale on which a measure is averaged."""
        return measure.scale(self.epsilon)

    def varying(self, varies: Sequence[Varies]) -> tuple[Varies, ...]:
        """Which of what may vary rows are printed for."""
        return tuple(each for each in varies if self.population in (None, each))

    def chosen_correction(self, with_signs: Sequence[Varies], varies: Sequence[Varies]) -> PairCorrection:
        """How p allows for the number of pairs. Raises UsageError for what does not go together."""
        wants_all = self.ranks or self.interval == "simultaneous"
        possible = set(varies) <= set(with_signs)
        correction = self.correction or ("maxt" if wants_all and possible else "holm")
        without = next((each for each in varies if each not in with_signs), "")
        asked = {
            "--correction maxt": correction == "maxt", "--interval simultaneous": self.interval == "simultaneous",
            "--test randomization": self.test == "randomization",
        }  # fmt: skip
        for option, is_asked in asked.items():
            if is_asked and without:
                raise UsageError(f"{option} changes signs, which {without} do not have: choose another --population.")
        self._check_resamples(correction)
        return correction

    def _check_resamples(self, correction: PairCorrection | None) -> None:
        """Raise UsageError if signs are to be drawn, but none of them."""
        asked = {
            "--test randomization": self.test == "randomization", "--interval simultaneous": self.interval == "simultaneous",
            "--correction maxt": self.correction == "maxt", "--ranks": correction == "maxt",
        }  # fmt: skip
        for option, is_asked in asked.items():
            if is_asked and self.resamples == 0:
                raise UsageError(f"{option} needs resamples: use -B 2 or more.")

    def _check_pairs(self) -> None:
        """Raise UsageError for what does not go together, whatever the structure."""
        correction = self.correction
        if self.ranks and correction in ("bh", "none"):
            raise UsageError("--ranks hold for all pairs at once: use --correction maxt or holm.")
        if self.interval == "simultaneous" and correction not in (None, "maxt"):
            raise UsageError("--interval simultaneous goes with --correction maxt only.")
        if self.interval == "simultaneous" and not self.has_pairs:
            raise UsageError("--interval simultaneous needs pairs: add --compare, --baseline or --all-pairs.")
        if self.adjusted_limits and (not self.has_pairs or correction == "none"):
            raise UsageError("--adjusted-limits needs pairs, and a --correction other than none.")
        for option, is_given in (("--equivalence", self.equivalence), ("--fail-if", self.fail_if)):
            if is_given is not None and not self.has_pairs:
                raise UsageError(f"{option} needs pairs: add --compare, --baseline or --all-pairs.")
        if self.fail_if == "not-equivalent" and self.equivalence is None:
            raise UsageError("--fail-if not-equivalent needs --equivalence MARGIN.")
        if self.all_pairs and (self.compare or self.baseline is not None):
            raise UsageError("--all-pairs already compares every two runs: leave out --compare and --baseline.")
