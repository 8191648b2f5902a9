"""judges: agreement of two judges' labels, and of what they say of the same runs. The topics vary, the same ones for both.

Labels: Cohen's kappa and overlap. Limits come from topics drawn with replacement, the documents of a topic staying together:
the textbook's standard error takes documents for independent, and is four to five times too small on the topics of TREC 2019.

Order: Kendall's tau, tau_AP, and how far a run falls. A resample adds sampling noise a second time, which lowers tau, so that
with many runs percentile limits lie too low. With few, the jackknife's are a matter of luck: tau then jumps as one topic is
left out, or does not move at all. So limits of tau reach as far as percentiles and their mirror image, and those of tau_AP as
far as percentiles and the jackknife's, whose coverage is in doc/trust.md.

Pairs and bias: paired t tests of all pairs of runs under each judge; and of each run's score by the other judge less its
score by the first. Only the bias relative to the mean of all runs can change an order; it depends on which runs those are.

J. Cohen 1960 and 1968 (weights); E. M. Voorhees, "Variations in relevance judgments and the measurement of retrieval
effectiveness", IPM 36, 2000 (overlap); M. G. Kendall 1945 (tau_b); E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank
correlation coefficient for information retrieval", SIGIR 2008; A. Moffat, F. Scholer and P. Thomas, "Models and metrics: IR
evaluation as a user process", ADCS 2012; N. Ferro and M. Sanderson, "How do you test a test?", WSDM 2022 (counts and bias).
"""

from typing import NamedTuple

import numpy as np

from irci.base.choices import Correction, LabelWeights
from irci.base.streams import Purpose
from irci.base.types import Bools, Floats, Ints, Pairs, all_pairs
from irci.estimators.joint_resamples import resampled_means, topic_counts
from irci.estimators.means import Design, Tested, over_topics, paired_t
from irci.stats.intervals import normal_quantile, percentile_interval
from irci.stats.scales import SAME_SUM, mean_over_topics
from irci.stats.tests import adjusted
from irci.system import claim

FEW = 5  # runs: of fewer, a rank correlation has no limits
SAME_MEAN = 1e-12  # means that differ by no more than this share of the largest are equal: they are sums in some order


class Labels(NamedTuple):
    """Documents of T topics that both have judged: tables float64[T, K, K] count those with a grade by the first and one by
    the second, of grades int64[K], ascending."""

    tables: Floats
    grades: Ints

    def binary(self, level: int, other_level: int) -> "Labels":
        """The labels with grades 0 and 1: below the lowest relevant grade of each judge, or not."""
        first, second = (
            np.stack((self.grades < lowest, self.grades >= lowest)).astype(np.float64)
            for lowest in (level, other_level)
        )
        return Labels(first @ self.tables @ second.T, np.array([0, 1]))

    @property
    def table(self) -> Floats:
        return np.asarray(self.tables.sum(axis=0))


def labels_of(topic: Ints, first: Ints, second: Ints) -> Labels:
    """Labels by each document's topic and grades, int64[D] each; topics without any document count for nothing."""
    topics, position = np.unique(topic, return_inverse=True)
    grades, both = np.unique(np.concatenate((first, second)), return_inverse=True)
    shape = len(topics), len(grades), len(grades)
    claim(*shape)
    cells = np.ravel_multi_index((position, both[: len(first)], both[len(first) :]), shape)
    return Labels(np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64), grades)


def disagreement(grades: Ints, weights: LabelWeights) -> Floats:
    """float64[K, K]: how much it counts that one judge gives this grade and the other that one, from 0 to 1."""
    distance = np.abs(grades[:, np.newaxis] - grades).astype(np.float64)
    if weights == "none":
        return np.where(distance > 0, 1.0, 0.0)
    share: Floats = distance / max(distance.max(initial=0.0), 1.0)
    return share if weights == "linear" else np.square(share)


def kappa(tables: Floats, weights: Floats) -> Floats:
    """1 - sum w O / sum w E of tables[..., K, K], E from the margins; nan where both margins lie in one class."""
    number = tables.sum(axis=(-2, -1))
    expected = np.einsum("...i,...j,ij->...", tables.sum(axis=-1), tables.sum(axis=-2), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappas: Floats = 1 - (tables * weights).sum(axis=(-2, -1)) * number / expected
    return np.where(expected > 0, kappas, np.nan)


def kappa_over_topics(
    labels: Labels, weights: LabelWeights, *, confidence: float, resamples: int, seed: int
) -> tuple[float, float, float]:
    """Kappa, and percentile limits over topics drawn with replacement; nan of one topic. Resamples without a kappa are left
    out."""
    cost, topics, limits = disagreement(labels.grades, weights), len(labels.tables), np.full(2, np.nan)
    if topics > 1:
        counts = topic_counts(topics, resamples, seed, Purpose.LABELS).astype(np.float64)
        kappas = kappa(np.einsum("tb,tij->bij", counts, labels.tables, optimize=True), cost)
        if (defined := kappas[~np.isnan(kappas)]).size:
            limits = np.array(percentile_interval(defined, confidence))
    return float(kappa(labels.table, cost)), float(limits[0]), float(limits[1])


def order(scores: Floats, *, confidence: float, resamples: int = 2000, seed: int = 1) -> tuple[Floats, Ints]:
    """Compare the orders of the means of scores[2, R, T] by either judge of the same runs: tau_b and tau_AP with the first
    judge as reference, float64[2, 3], each with its limits, nan where there are none; and drops int64[R]: by how many places
    each run falls."""
    _, runs, topics = scores.shape
    by_topic = np.moveaxis(scores, -1, 0)
    means, correlations = mean_over_topics(by_topic), np.full((2, 3), np.nan)
    correlations[:, 0] = tau, tau_ap = _correlations(means[np.newaxis])[0]
    if runs >= FEW and topics > 1:
        counts = topic_counts(topics, resamples, seed)
        drawn = _correlations(np.stack([resampled_means(of_judge, counts).T for of_judge in scores], axis=1))
        without = _correlations((means * topics - by_topic) / (topics - 1))[:, 1]
        percentiles = [np.array(percentile_interval(of_one, confidence)) for of_one in drawn.T]
        # The mirror image of percentiles about tau; the jackknife, se^2 = (T-1)/T sum of squares about the mean, of tau_AP.
        error = np.sqrt((topics - 1) / topics * ((without - without.mean()) ** 2).sum())
        margin = normal_quantile(confidence) * error
        alternatives = 2 * tau - percentiles[0][::-1], tau_ap + np.array([-margin, margin])
        for limits, *both in zip(correlations[:, 1:], percentiles, alternatives, strict=True):
            limits[:] = np.clip((np.minimum(*both)[0], np.maximum(*both)[1]), -1.0, 1.0)
    above = [(signs(of_judge) < 0).sum(axis=1) for of_judge in means]
    return correlations, above[1] - above[0]


def _correlations(means: Floats) -> Floats:
    # float64[N, 2]: tau_b and tau_AP of each of N topic sets, by the means [N, 2, R] over them.
    both = [(signs(first), signs(second)) for first, second in means]
    return np.array([(tau_b(*pair), tau_ap(*pair)) for pair in both])


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
    position, tied = 1 + above.sum(axis=1), (second == 0).sum(axis=1)
    # Of place i: the sum of 1/(j-1), j up to i.
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, runs))))
    shares = harmonic[position + tied - 1] - harmonic[position - 1]
    among_tied = ((tied - (position == 1)) - (position - 1) * shares) / 2
    total = float(2 / (runs - 1) * ((credit * shares + among_tied) / tied).sum() - 1)
    return round(total, 15)  # sums of fractions: what is perfect is 1


def compare(scores: Floats, correction: Correction = "none") -> tuple[Pairs, Floats, Floats, int]:
    """Test all pairs of runs by scores[2, R, T] by either judge: the pairs [P, 2] that differ by either; by each judge signs
    of mean differences and p, [2, P]; and how many other pairs there are."""
    _, runs, topics = scores.shape
    pairs, keys = all_pairs(runs), np.zeros(topics, np.uint64)
    tested = [over_topics(of_judge, pairs, keys, Design()) for of_judge in scores]
    value, error = (np.array([getattr(test.of, name) for test in tested]) for name in ("value", "error"))
    is_different = np.any((value != 0) | (error > 0), axis=0)
    is_zero = np.abs(value) <= SAME_SUM * np.abs(scores).max(axis=(1, 2))[:, np.newaxis]
    p = np.array([adjusted(test.p[is_different], correction) for test in tested])
    signs_of_means = np.where(is_zero, 0.0, np.sign(value))[:, is_different]
    return pairs[is_different], signs_of_means, p, int((~is_different).sum())


def agreement(signs: Floats, p: Floats, alpha: float) -> dict[str, float]:
    """Counts of pairs by signs and p, [2, P]: AA and AD (active), both judges find a difference; MA and MD (mixed), one does;
    PA and PD (passive), none does; A, their means agree in sign, or D (a zero has none, and disagrees with any).

    bias: 1 - AA/(AA + AD + (MA + MD)/2) (Ferro & Sanderson's publication bias); nan of nothing, as the others are.
    unconfirmed: the share of pairs that the second finds to differ and the first does not confirm.
    missed: the share of pairs that the first finds to differ and the second does not find, or finds reversed.
    """
    same, (first, second) = signs[0] == signs[1], p <= alpha
    counts: dict[str, float] = {}
    for name, in_class in (("A", first & second), ("M", first ^ second), ("P", ~(first | second))):
        counts |= {f"{name}A": int((in_class & same).sum()), f"{name}D": int((in_class & ~same).sum())}
    wholes = {"bias": counts["AA"] + counts["AD"] + (counts["MA"] + counts["MD"]) / 2}
    wholes |= {"unconfirmed": int(second.sum()), "missed": int(first.sum())}
    return counts | {name: 1 - counts["AA"] / whole if whole else np.nan for name, whole in wholes.items()}


def biases(scores: Floats, confidence: float, group: Bools | None = None) -> dict[str, Tested]:
    """Paired t tests, their p adjusted by Holm's method, by scores[2, R, T] by either judge: the bias of each run; relative to
    all; and of a group, bool[R], one test of the mean bias of its runs less that of the others, topic by topic."""

    def but_for_rounding(values: Floats, terms: Floats) -> Floats:
        """values[..., T], 0 where they are rounding beside the terms float64[N, T] that they come of."""
        return np.where(np.abs(values) <= SAME_SUM * np.abs(terms).max(axis=0), 0.0, values)

    # 0 where the same score comes of other grades, as nDCG of 0 and 3 for 0 and 1.
    bias = but_for_rounding(scores[1] - scores[0], np.concatenate(scores))
    differences = {"bias": bias, "relative_bias": but_for_rounding(bias - bias.mean(axis=0), bias)}
    if group is not None:
        by_topic = bias[group].mean(axis=0) - bias[~group].mean(axis=0)
        differences["group_bias"] = but_for_rounding(by_topic[np.newaxis], bias)
    tests = {name: paired_t(values, confidence) for name, values in differences.items()}
    return {name: test._replace(p_adjusted=adjusted(test.p, "holm")) for name, test in tests.items()}
