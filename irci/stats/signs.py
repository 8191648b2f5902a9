"""Tests by signs of topics and by ranks; what gets one sign; assignments of signs: all of them where these are few, else signs
at random.

Under the null hypothesis of a randomization test a topic's difference is as likely as its negative. Signs are keyed by topic,
and so the same for all pairs and tests.

Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) and the sign test ask whether differences are symmetric about 0, or
have median 0, and not whether the means that are printed differ: where differences are skewed they reject equal means ever
more often the more topics there are.

Many pairs at once: which differ, by one sign a topic. The statistic of a pair is u = |sum D| / sqrt(sum D^2), which grows with
the paired t: t = u sqrt((T - 1) / (T - u^2)). Signs leave its denominator as it is, so that near copies, which differ on few
topics k, stay below sqrt(k) instead of setting the width for all. It assumes that where runs are equal their deviations from
the topic's level are jointly symmetric.

Pairs on several measures, or on several slices of the topics, make one family too, stacked, under the same signs. u
makes their scales comparable; that of a slice of n topics is at most sqrt(n), so that small ones cost nothing.

Step-down maxima: P. H. Westfall and S. S. Young, "Resampling-based multiple testing", 1993; J. P. Romano and M. Wolf, "Exact
and approximate stepdown methods for multiple hypothesis testing", JASA 100, 2005. In retrieval: L. Boytsov, A. Belova and
P. Westfall, "Deciding on an adjustment for multiplicity in IR experiments", SIGIR 2013.
"""

from typing import Literal, NamedTuple

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, Pairs, Words
from irci.kernels.topics import draw_sign_bits, step_down_counts
from irci.stats.scales import SAME, tied_places
from irci.system import claim, in_shares, special

# Sums under signs that differ by no more than this share are equal: they are added up in different orders.
ROUNDING = 1e-9
AT_ONCE = 256  # assignments: the sums of runs stay in the second-level cache while all pairs are gone through
BYTES = np.arange(256, dtype=np.uint8)[:, np.newaxis]
SIGNS_OF_BYTE = np.where(np.unpackbits(BYTES, axis=1, bitorder="little"), -1.0, 1.0)


class Signs(NamedTuple):
    """Assignments of signs: bits uint64[T, W] (a set bit is -1, 64 assignments a word), their number, whether they are all.
    If `exact` they are the half of all 2^T in which the first topic's sign is +; the other half are their negatives."""

    bits: Words
    number: int
    exact: bool

    def p(self, as_extreme: Ints) -> Floats:
        """p from how many assignments are as extreme; drawn ones are joined by the observed one: (k + 1) / (B + 1)."""
        return as_extreme / self.number if self.exact else (as_extreme + 1) / (self.number + 1)

    def matrix(self, first: int, last: int) -> Floats:
        """float64[T, last - first]: the signs in assignments first to last - 1."""
        bits = self.bits.astype("<u8", copy=False).view(np.uint8)[:, first // 8 : -(-last // 8)]
        signs: Floats = SIGNS_OF_BYTE.take(bits, axis=0).reshape(len(bits), -1)
        return signs[:, first % 8 :][:, : last - first]


def topic_signs(keys: Words, resamples: int, seed: int) -> Signs:
    """Signs for topics with these stream keys[T]: all assignments where 2^T <= B, else B at random.
    The first of more resamples are those of fewer."""
    topics = len(keys)
    if topics and is_exact(topics, resamples):
        number = 2 ** (topics - 1)
        set_bits = np.arange(number) >> np.arange(-1, topics - 1)[:, np.newaxis].clip(0) & 1
        set_bits[0] = 0
        padded = np.zeros((topics, -(-number // 64) * 64), np.uint8)
        padded[:, :number] = set_bits
        return Signs(np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64), number, True)
    claim(topics, -(-resamples // 64))
    bits = np.empty((topics, -(-resamples // 64)), np.uint64)
    draw_sign_bits(seed_word(seed, Purpose.SIGN_FLIP), keys, bits)
    return Signs(bits, resamples, False)


def p_by_signs(terms: Floats, keys: Words, resamples: int, seed: int, *, one_sided: bool = False) -> Floats:
    """p[P] of the randomization test: how often signs of topics make a sum of terms[P, T] as extreme, on either side or, if
    `one_sided`, on the side observed.

    All 2^T signs where these are no more than `resamples`, which is exact; else (k + 1)/(B + 1). `keys` uint64[T]: the topics'
    stream keys, so that a topic's signs are the same for all pairs.
    """
    signs, side = topic_signs(keys, resamples, seed), np.positive if one_sided else np.abs
    if one_sided:
        terms = terms * np.where(terms.sum(axis=1) < 0, -1, 1)[:, np.newaxis]
    least = side(terms.sum(axis=1)) - ROUNDING * np.abs(terms).sum(axis=1)
    count = np.zeros(len(terms), np.int64)
    for first in range(0, signs.number, AT_ONCE):
        sums = terms @ signs.matrix(first, min(first + AT_ONCE, signs.number))
        count += (side(sums) >= least[:, np.newaxis]).sum(axis=1)
        if one_sided and signs.exact:  # the other half
            count += (-sums >= least[:, np.newaxis]).sum(axis=1)
    return count / (2 * signs.number) if one_sided and signs.exact else signs.p(count)


def is_exact(topics: int, resamples: int) -> bool:
    """True where all assignments of signs are gone through."""
    return topics < 63 and 2**topics <= resamples


def signed_ranks(differences: Floats) -> Floats:
    """The ranks of |D|, differences[P, T], with the signs of D; 0 where D is, which have no rank. Sizes that differ by
    rounding are ties, whose rank is their mean. Wilcoxon's test is by signs of these."""
    size = np.abs(differences.T)
    rounding = SAME * size.max(axis=0, initial=0.0)
    size = np.where(size > rounding, size, 0.0)
    ranks = tied_places(size, lambda ascending: rounding) + 1 - (size == 0).sum(axis=0)
    return np.where(size > 0, np.copysign(ranks, differences.T), 0.0).T


def directions(differences: Floats, test: Literal["wilcoxon", "sign"]) -> Floats:
    """The sign[P] of what the test speaks of, which need not be that of the mean of differences[P, T]."""
    above, below = _above_and_below(differences)
    total = signed_ranks(differences).sum(axis=1) if test == "wilcoxon" else above - below
    return np.asarray(np.sign(total), np.float64)


def sign_test(differences: Floats) -> Floats:
    """p[P] of the sign test of differences[P, T]: how many of those that are not 0 lie above it, against a fair coin; 1 of
    none."""
    above, below = _above_and_below(differences)
    return np.asarray(np.minimum(1.0, 2 * special.bdtr(np.minimum(above, below), above + below, 0.5)))


def _above_and_below(differences: Floats) -> tuple[Ints, Ints]:
    rounding = SAME * np.abs(differences).max(axis=1, initial=0.0, keepdims=True)
    return (differences > rounding).sum(axis=1), (differences < -rounding).sum(axis=1)


class Units(NamedTuple):
    """values float64[rows, U], whose sums are in proportion to the means, and the stream keys uint64[U].

    weights float64[U]: how much each counts in a mean, where some count more: a mean less by x makes values less by x weights.
    """

    values: Floats
    keys: Words
    weights: Floats | None = None

    @property
    def counts(self) -> Floats:
        """How much each counts in a mean, float64[U]."""
        return np.ones(len(self.keys)) if self.weights is None else self.weights


class Simultaneous(NamedTuple):
    """p[P] of pairs, adjusted step by step; `maxima`: the largest u of the whole family under each of the `signs`,
    ascending."""

    p: Floats
    signs: Signs
    maxima: Floats

    def p_of(self, t: Floats, topics: int) -> Floats:
        """p[P] of statistics t[P] on so many topics, for all pairs at once in a single step: of pairs whose standard error is
        another one (topics and documents together)."""
        if topics < 2:
            return np.full(len(t), np.nan)
        u = np.abs(t) * np.sqrt(topics / (topics - 1 + np.square(t)))
        count = self.signs.number - np.searchsorted(self.maxima, u * (1 - ROUNDING), side="left")
        # Among all assignments there is always the observed one.
        return np.where(np.isnan(t), np.nan, self.signs.p(np.maximum(count, int(self.signs.exact))))


def step_down(
    values: Floats, pairs: Pairs, keys: Words, *, resamples: int = 10_000, seed: int = 1, threads: int = 1
) -> Simultaneous:
    """Compare pairs[P, 2] of rows of scores values[R, U], one family, by the same signs of topics; keys uint64[U]: their
    streams. Rows are of one measure or of several, 0 on topics outside of a slice that they are of."""
    signs = topic_signs(keys, resamples, seed)
    # Of a run in units of which a double holds all sums: these are exact, in whatever order BLAS adds them up.
    unit = 2 * np.spacing(np.abs(values).sum(axis=1, keepdims=True))
    scores = np.ascontiguousarray(np.rint(values / unit) * unit)
    u, inverse, slack = _statistics(values, pairs)
    order = np.argsort(-u, kind="stable")
    criteria = np.ascontiguousarray(pairs[order]), inverse[order], (u - slack)[order]
    maxima = np.empty(signs.number)

    def work(blocks: slice) -> Ints:
        # How often the largest u of a pair and those after it reaches its threshold; the largest u of all.
        counts = np.zeros(len(pairs), np.int64)
        for first in range(blocks.start * AT_ONCE, min(blocks.stop * AT_ONCE, signs.number), AT_ONCE):
            of_block = maxima[first : first + AT_ONCE]
            step_down_counts(scores @ signs.matrix(first, first + len(of_block)), *criteria, counts, of_block)
        return counts

    as_large: Ints = np.sum(in_shares(work, -(-signs.number // AT_ONCE), threads), axis=0, dtype=np.int64)
    p = np.empty(len(u))
    p[order] = np.maximum.accumulate(signs.p(as_large))
    p[inverse == 0] = 1.0
    return Simultaneous(p, signs, np.sort(maxima))


def _statistics(values: Floats, pairs: Pairs) -> Floats:
    # float64[3, P]: u; 1 / sqrt(sum D^2), which signs do not change, 0 where there is nothing to divide by, so that the pair
    # never counts; rounding in u.
    (first, second), topics = pairs.T, values.shape[1]
    differences, squares = np.zeros((2, len(pairs)))
    for scores in values.T:  # one after the other, so that nobody's company makes a difference
        of_topic = scores[first] - scores[second]
        differences += of_topic
        squares += of_topic**2
    largest, total = np.abs(values).max(axis=1, initial=0.0), np.abs(values).sum(axis=1)
    nothing = topics * (SAME * np.maximum(largest[first], largest[second])) ** 2
    with np.errstate(divide="ignore"):
        inverse = np.where(squares > nothing, 1 / np.sqrt(squares), 0.0)
    # Sums of runs are rounded before they are subtracted: that may be much next to a near copy's sum D^2.
    rounding = topics * np.finfo(float).eps * (total[first] + total[second])
    return np.stack((np.abs(differences) * inverse, inverse, ROUNDING + rounding * inverse))
