"""Tests by signs of topics and by ranks; what gets one sign; assignments of signs: all of them where these are few, else signs
at random.

Under the null hypothesis of a randomization test a topic's difference is as likely as its negative. Signs are keyed by topic,
and so the same for all pairs and tests.

Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) and the sign test ask whether differences are symmetric about 0, or
have median 0, and not whether the means that are printed differ: where differences are skewed they reject equal means ever
more often the more topics there are.
"""

from typing import Literal, NamedTuple

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, Ints, Words
from irci.kernels.topics import draw_sign_bits, unpack_signs
from irci.stats.scales import SAME
from irci.stats.tests import PAIRS_AT_ONCE, SAME_SUM
from irci.system import special
from irci.system.work import claim

# Sums under signs that differ by no more than this share are equal: they are added up in different orders.
ROUNDING = 1e-9
AT_ONCE = 1024


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
        signs = np.empty((len(self.bits), last - first))
        for bits, of_topic in zip(self.bits, signs, strict=True):
            unpack_signs(bits, first, of_topic)
        return signs


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
    bits = np.empty((topics, -(-resamples // 64)), np.uint64)
    draw_sign_bits(seed_word(seed, Purpose.SIGN_FLIP), keys, bits)
    return Signs(bits, resamples, False)


def p_by_signs(terms: Floats, signs: Signs, rounding: float = ROUNDING, *, one_sided: bool = False) -> Floats:
    """p[P]: how often signs make the sum of terms[P, T] as large as it is, on either side or, if `one_sided`, above 0."""
    side = np.positive if one_sided else np.abs
    least = side(terms.sum(axis=1)) - rounding * np.abs(terms).sum(axis=1)
    count = np.zeros(len(terms), np.int64)
    for first in range(0, signs.number, AT_ONCE):
        sums = terms @ signs.matrix(first, min(first + AT_ONCE, signs.number))
        count += (side(sums) >= least[:, np.newaxis]).sum(axis=1)
        if one_sided and signs.exact:  # the other half
            count += (-sums >= least[:, np.newaxis]).sum(axis=1)
    return count / (2 * signs.number) if one_sided and signs.exact else signs.p(count)


def sign_flip(differences: Floats, keys: Words, resamples: int, seed: int, *, one_sided: bool = False) -> Floats:
    """p[P] of the randomization test: how often signs at random make a mean of differences[P, T] as extreme, on either side
    or, if `one_sided`, on the side observed.

    All 2^T signs where these are no more than `resamples`, which is exact; else (k + 1)/(B + 1). `keys` uint64[T]: the topics'
    stream keys, so that a topic's signs are the same for all pairs.
    """
    if not is_exact(len(keys), resamples):
        claim(len(keys) + PAIRS_AT_ONCE, resamples)
    signs = topic_signs(keys, resamples, seed)
    if one_sided:
        differences = differences * np.where(differences.sum(axis=1) < 0, -1, 1)[:, np.newaxis]
    return p_by_signs(differences, signs, SAME_SUM, one_sided=one_sided)


def smallest_sign_flip_p(topics: int, resamples: int) -> float:
    """The smallest p that `sign_flip` can give."""
    return 2 / 2**topics if is_exact(topics, resamples) else 1 / (resamples + 1)


def is_exact(topics: int, resamples: int) -> bool:
    """True where all assignments of signs are gone through."""
    return topics < 63 and 2**topics <= resamples


class SignTest(NamedTuple):
    """The sign test of P pairs, float64[P] each: numbers of differences above and below 0, and two-sided binomial p."""

    above: Floats
    below: Floats
    p: Floats


def wilcoxon_p(differences: Floats, signs: Signs) -> Floats:
    """p[P] of Wilcoxon's test of differences[P, T], by signs of topics: exact, ties and all, where these are gone through.
    Differences of 0 are dropped before ranking. Ranks of ties are their mean."""
    return p_by_signs(np.array([signed_ranks(row) for row in differences]).reshape(differences.shape), signs)


def signed_ranks(differences: Floats) -> Floats:
    """The ranks of |D|, differences[T], with the signs of D; 0 where D is. Sizes that differ by rounding are ties."""
    size = np.abs(differences)
    rounding = SAME * size.max(initial=0.0)
    ranked = np.flatnonzero(size > rounding)
    order = ranked[np.argsort(size[ranked], kind="stable")]
    group = np.cumsum(np.diff(size[order], prepend=0.0) > rounding)
    places = np.arange(1.0, len(order) + 1)
    ranks = np.zeros(len(size))
    sizes = np.bincount(group, minlength=1)
    ranks[order] = (np.bincount(group, places, minlength=1) / np.maximum(sizes, 1))[group]
    return np.where(size > rounding, np.copysign(ranks, differences), 0.0)


def directions(differences: Floats, test: Literal["wilcoxon", "sign"]) -> Floats:
    """The sign[P] of what the test speaks of, which need not be that of the mean of differences[P, T]."""
    if test == "wilcoxon":
        return np.sign([signed_ranks(row).sum() for row in differences])
    above, below, _ = sign_test(differences)
    return np.sign(above - below)


def sign_test(differences: Floats) -> SignTest:
    """The sign test of differences[P, T]: how many of those that are not 0 lie above it, against a fair coin; p 1 of none."""
    rounding = SAME * np.abs(differences).max(axis=1, initial=0.0, keepdims=True)
    above, below = (differences > rounding).sum(axis=1), (differences < -rounding).sum(axis=1)
    p = np.minimum(1.0, 2 * special.bdtr(np.minimum(above, below), above + below, 0.5))
    return SignTest(above.astype(np.float64), below.astype(np.float64), p)


class Units(NamedTuple):
    """values float64[rows, U], whose sums are in proportion to the means, and the stream keys uint64[U].

    weights float64[U]: how much each counts in a mean, where some count more: a mean less by x makes values less by x weights.
    `members`: how much each counts where all count alike, as do sums of so many scores.
    """

    values: Floats
    keys: Words
    weights: Floats | None = None
    members: int = 1

    @property
    def counts(self) -> Floats:
        """How much each counts in a mean, float64[U]."""
        return np.full(len(self.keys), float(self.members)) if self.weights is None else self.weights
