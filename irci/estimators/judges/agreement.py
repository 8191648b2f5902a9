"""Do two judges put the runs in the same order? Kendall's tau, tau_AP, and how far a run falls, with limits over topics.

Do they find the same pairs of runs to differ, and whom does the other favour? Paired t tests.

Topics vary, the same ones for both judges. A resample adds sampling noise a second time, which lowers tau, so that with many
runs percentile limits lie too low. With few, the jackknife's are a matter of luck: tau then jumps as one topic is left out, or
does not move at all. So limits of tau reach as far as percentiles and their mirror image, and those of tau_AP as far as
percentiles and the jackknife's, whose coverage is in doc/trust.md.

All pairs of runs under each judge; and of each run its score by the other judge less its score by the first. Only the bias
relative to the mean of all runs can change an order; it depends on which runs those are.

M. G. Kendall 1945 (tau_b); E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank correlation coefficient for information
retrieval", SIGIR 2008; A. Moffat, F. Scholer and P. Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012;
N. Ferro and M. Sanderson, "How do you test a test?", WSDM 2022 (the six counts, and bias).
"""

import numpy as np

from irci.base.choices import Correction
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints, all_pairs
from irci.estimators.joint_resamples import resampled_means, topic_counts
from irci.stats.intervals import normal_quantile, percentile_interval
from irci.stats.scales import mean_over_topics
from irci.stats.tests import PAIRS_AT_ONCE, SAME_SUM, PairedTest, adjusted, paired_t_or_signs

FEW = 5  # runs: of fewer, a rank correlation has no limits
SAME_MEAN = 1e-12  # means that differ by no more than this share of the largest are equal: they are sums in some order


class Correlation(Record):
    """A rank correlation with its limits, nan where there are none."""

    value: float
    lower: float
    upper: float


class Order(Record):
    """tau_b, tau_AP with the first judge as reference, and drops int64[R]: by how many places each run falls."""

    tau: Correlation
    tau_ap: Correlation
    drops: Ints


def order(first: Floats, second: Floats, *, confidence: float, resamples: int = 2000, seed: int = 1) -> Order:
    """Compare the orders of the means of first[R, T] and second[R, T], the scores by either judge of the same runs."""
    means = mean_over_topics(first.T), mean_over_topics(second.T)
    tau, tau_ap = correlations(*means)
    drops = _ranks(means[1]) - _ranks(means[0])
    if len(first) < FEW or first.shape[1] < 2:
        return Order(Correlation(tau, np.nan, np.nan), Correlation(tau_ap, np.nan, np.nan), drops)
    counts = topic_counts(first.shape[1], resamples, seed)
    drawn = _of_each(resampled_means(first, counts).T, resampled_means(second, counts).T)
    without = _of_each(_without_each(first), _without_each(second))
    return Order(
        Correlation(tau, *_mirrored(tau, drawn[:, 0], confidence)),
        Correlation(tau_ap, *_jackknifed(tau_ap, drawn[:, 1], without[:, 1], confidence)),
        drops,
    )


def correlations(first: Floats, second: Floats) -> tuple[float, float]:
    """tau_b and tau_AP of two orders, by the means [R] of the same runs."""
    both = signs(first), signs(second)
    return tau_b(*both), tau_ap(*both)


def signs(means: Floats) -> Floats:
    """float64[R, R]: the sign of means[i] - means[j]; 0 where they are equal but for rounding."""
    difference = means[:, np.newaxis] - means
    return np.where(np.abs(difference) <= SAME_MEAN * np.abs(means).max(initial=0.0), 0.0, np.sign(difference))


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau_b from the signs[R, R] of two orders; nan where all means of one are equal."""
    untied = np.sqrt((first != 0).sum() * (second != 0).sum())
    return float((first * second).sum() / untied) if untied else np.nan


def tau_ap(first: Floats, second: Floats) -> float:
    """tau_AP from the signs[R, R] of two orders, the first the reference; nan where all means of one are equal.

    2/(R-1) sum over places i > 1 of C_i/(i-1), less 1: C_i counts the runs above place i of the second order that the first
    has above it too, one half for a tie in either. (Yilmaz et al. 2008, equation 5.) Runs that the second ties take each
    of their places equally often.
    """
    runs = len(first)
    if not first.any() or not second.any():
        return np.nan
    above = second < 0
    credit = (above * (1 - first) / 2).sum(axis=1)
    place, tied = 1 + above.sum(axis=1), (second == 0).sum(axis=1)
    # Of place i: the sum of 1/(j-1), j up to i.
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, runs))))
    shares = harmonic[place + tied - 1] - harmonic[place - 1]
    among_tied = ((tied - (place == 1)) - (place - 1) * shares) / 2
    found = float(2 / (runs - 1) * ((credit * shares + among_tied) / tied).sum() - 1)
    return round(found, 15)  # sums of fractions: what is perfect is 1


def _ranks(means: Floats) -> Ints:
    return np.asarray(1 + (signs(means) < 0).sum(axis=1))


def _of_each(first: Floats, second: Floats) -> Floats:
    """float64[N, 2]: tau_b and tau_AP of each of N topic sets, by the means [N, R] over them."""
    return np.array([correlations(a, b) for a, b in zip(first, second, strict=True)])


def _without_each(scores: Floats) -> Floats:
    """float64[T, R]: the means of scores[R, T] without each of the topics in turn."""
    topics = scores.shape[1]
    return np.asarray((mean_over_topics(scores.T) * topics - scores.T) / (topics - 1))


def _mirrored(value: float, drawn: Floats, confidence: float) -> tuple[float, float]:
    """Percentiles of drawn[B], or their mirror images about the value where these lie farther."""
    lower, upper = (float(each) for each in percentile_interval(drawn, confidence))
    return max(min(lower, 2 * value - upper), -1.0), min(max(upper, 2 * value - lower), 1.0)


def _jackknifed(value: float, drawn: Floats, without: Floats, confidence: float) -> tuple[float, float]:
    """Percentiles of drawn[B], or the jackknife's limits, se^2 = (T-1)/T sum of squares of without[T] less their mean, where
    these lie farther."""
    lower, upper = (float(each) for each in percentile_interval(drawn, confidence))
    topics = len(without)
    error = float(np.sqrt((topics - 1) / topics * ((without - without.mean()) ** 2).sum()))
    margin = normal_quantile(confidence) * error
    return max(min(lower, value - margin), -1.0), min(max(upper, value + margin), 1.0)


class Agreement(Record):
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


class SignificanceByBoth(Record):
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


def compare(first: Floats, second: Floats, correction: Correction = "none") -> SignificanceByBoth:
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
    return SignificanceByBoth((sign_first, sign_second), p, len(pairs) - len(p_first))


def _tested(differences: Floats) -> tuple[Floats, Floats]:
    """The signs of the means of differences[P, T], 0 where these are rounding, and p."""
    test = paired_t_or_signs(differences, 0.95)
    nothing = np.abs(test.mean) <= SAME_SUM * np.abs(differences).max(axis=1, initial=0.0)
    return np.where(nothing, 0.0, np.sign(test.mean)), test.p


class Biases(Record):
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
