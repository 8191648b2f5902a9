"""Do two judges find the same pairs of runs to differ, and whom does the other favour? Paired t tests.

All pairs of runs under each judge; and of each run its score by the other judge less its score by the first. Only the bias
relative to the mean of all runs can change an order; it depends on which runs those are.

A. Moffat, F. Scholer and P. Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012; N. Ferro and
M. Sanderson, "How do you test a test?", WSDM 2022 (the six counts, and bias).
"""

from dataclasses import dataclass

import numpy as np

from irci.base.choices import Correction
from irci.base.types import Bools, Floats
from irci.stats.decisions import all_pairs
from irci.stats.tests import PAIRS_AT_ONCE, SAME_SUM, PairedTest, adjusted, paired_t_or_signs


@dataclass(frozen=True)
class Agreement:
    """Counts of pairs: active, both judges find a difference; mixed, one does; passive, none does; and whether their means
    agree in sign (a zero has none, and disagrees with any). `first`, `second`: pairs that each finds to differ."""

    active_agree: int
    active_disagree: int
    mixed_agree: int
    mixed_disagree: int
    passive_agree: int
    passive_disagree: int
    first: int
    second: int

    @property
    def bias(self) -> float:
        """1 - AA/(AA + AD + (MA + MD)/2) (Ferro & Sanderson's publication bias); nan of nothing."""
        return self._without(self.active_agree + self.active_disagree + (self.mixed_agree + self.mixed_disagree) / 2)

    @property
    def unconfirmed(self) -> float:
        """The share of pairs that the second finds to differ and the first does not confirm."""
        return self._without(self.second)

    @property
    def missed(self) -> float:
        """The share of pairs that the first finds to differ and the second does not find, or finds reversed."""
        return self._without(self.first)

    @property
    def pairs(self) -> int:
        active, mixed = self.active_agree + self.active_disagree, self.mixed_agree + self.mixed_disagree
        return active + mixed + self.passive_agree + self.passive_disagree

    def _without(self, all_of_them: float) -> float:
        return 1 - self.active_agree / all_of_them if all_of_them else np.nan


@dataclass(frozen=True)
class Compared:
    """Tests of the P pairs that differ under either judge: signs of mean differences and p, [P] each; `identical`: other
    pairs."""

    signs: tuple[Floats, Floats]
    p: tuple[Floats, Floats]
    identical: int

    def agreement(self, alpha: float) -> Agreement:
        same = self.signs[0] == self.signs[1]
        first, second = (p <= alpha for p in self.p)
        classes = first & second, first ^ second, ~(first | second)
        (aa, ad), (ma, md), (pa, pd) = ([int((each & of).sum()) for of in (same, ~same)] for each in classes)
        return Agreement(aa, ad, ma, md, pa, pd, int(first.sum()), int(second.sum()))


def compare(first: Floats, second: Floats, correction: Correction = "none") -> Compared:
    """Test all pairs of rows of first[R, T] and of second[R, T], the scores by either judge."""
    pairs = all_pairs(len(first))
    found: list[tuple[Floats, ...]] = []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        a, b = pairs[start : start + PAIRS_AT_ONCE].T
        differences = first[a] - first[b], second[a] - second[b]
        different = np.any(differences[0], axis=1) | np.any(differences[1], axis=1)
        tested = [_tested(each[different]) for each in differences]
        found.append((*tested[0], *tested[1]))
    sign_first, p_first, sign_second, p_second = map(np.concatenate, zip(*found, strict=True))
    p = adjusted(p_first, correction), adjusted(p_second, correction)
    return Compared((sign_first, sign_second), p, len(pairs) - len(p_first))


def _tested(differences: Floats) -> tuple[Floats, Floats]:
    """The signs of the means of differences[P, T], 0 where these are rounding, and p."""
    test = paired_t_or_signs(differences, 0.95)
    nothing = np.abs(test.mean) <= SAME_SUM * np.abs(differences).max(axis=1, initial=0.0)
    return np.where(nothing, 0.0, np.sign(test.mean)), test.p


@dataclass(frozen=True)
class Biases:
    """Paired t tests, of R runs each, and their p adjusted by Holm's method: the bias of each run, and relative to all."""

    absolute: PairedTest
    relative: PairedTest
    p_adjusted: tuple[Floats, Floats]


def biases(first: Floats, second: Floats, confidence: float) -> Biases:
    """Biases by scores first[R, T] and second[R, T] of the same runs on the same topics by either judge."""
    differences = _differences(first, second)
    absolute = paired_t_or_signs(differences, confidence)
    relative = paired_t_or_signs(_but_for_rounding(differences - differences.mean(axis=0), differences), confidence)
    return Biases(absolute, relative, (adjusted(absolute.p, "holm"), adjusted(relative.p, "holm")))


def contrast(first: Floats, second: Floats, group: Bools, confidence: float) -> PairedTest:
    """The mean bias of the runs of a group, bool[R], less that of the others, topic by topic: a test of one."""
    differences = _differences(first, second)
    of_topics = differences[group].mean(axis=0) - differences[~group].mean(axis=0)
    return paired_t_or_signs(_but_for_rounding(of_topics[np.newaxis], differences), confidence)


def _differences(first: Floats, second: Floats) -> Floats:
    """float64[R, T]: second less first; 0 where the same score comes of other grades, as nDCG of 0 and 3 for 0 and 1."""
    return _but_for_rounding(second - first, np.stack((first, second)).reshape(-1, first.shape[1]))


def _but_for_rounding(found: Floats, of: Floats) -> Floats:
    """found[R, T], 0 where it is rounding beside what it comes `of`, float64[N, T]."""
    return np.where(np.abs(found) <= SAME_SUM * np.abs(of).max(axis=0), 0.0, found)
