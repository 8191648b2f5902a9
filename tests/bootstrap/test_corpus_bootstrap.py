"""The corpus bootstrap: right means the exact distribution on small rankings, and the literal bootstrap's on larger ones;
acceleration against deleting documents one by one, the infinitesimal jackknife against numerical derivatives.

Bounds of randomised checks are Monte-Carlo standard errors; seeds are fixed.
"""

import naive
import numpy as np
import pytest
from helpers import ap_scores, lists_of, random_ranking, resampled_scores
from numpy.typing import NDArray
from scipy import stats

from irci.base.streams import Purpose, seed_word, topic_keys
from irci.data.collection import Relevance
from irci.estimators.ap_ci import ap_acceleration, ap_delta_sd
from irci.estimators.documents import LARGEST_RATE
from irci.kernels.generator import LANES, draw, pair_table, seed_lanes
from irci.stats.intervals import clamped_logit

RESAMPLES = 50_000
Z = 4  # standard errors


def ap_of(*rankings: tuple[list[int], int], resamples: int = RESAMPLES, seed: int = 1) -> NDArray[np.float64]:
    lists = lists_of(*rankings)
    keys = topic_keys([str(number).encode() for number in range(len(rankings))])
    return resampled_scores(lists, keys, resamples=resamples, seed=seed, threads=2)


# Exact values (methods: conditional on R* > 0): E[AP*], sd of AP*, sd of its logit clamped at 1e-5.
PUBLISHED = [
    ([0, 1], 1, 0.65934889, 0.27580977, 5.64725699),
    ([1, 0, 1], 2, 0.85618325, 0.20550994, 5.30238019),
    ([1, 0, 1], 3, 0.57301939, 0.30529821, None),
    ([1], 2, 0.5, 0.37966791, None),
    ([0, 0, 0, 1], 1, 0.3539452919, None, None),
    ([0] * 9 + [1], 1, 0.1351604371, None, None),
]


@pytest.mark.parametrize(("relevance", "num_relevant", "mean", "sd", "logit_sd"), PUBLISHED)
def test_published_values(
    relevance: list[int], num_relevant: int, mean: float, sd: float | None, logit_sd: float | None
) -> None:
    """Of the oracle itself 8 digits."""
    drawn = ap_of((relevance, num_relevant))[0]
    assert abs(drawn.mean() - mean) < Z * drawn.std() / np.sqrt(RESAMPLES)
    if sd is None:
        return
    ap, probability = naive.exact_ap_distribution(relevance, num_relevant, most_copies=14)
    assert probability @ ap == pytest.approx(mean, abs=6e-9)
    for values, expected in ((ap, sd), (clamped_logit(ap), logit_sd)):
        if expected is not None:
            assert np.sqrt(probability @ (values - probability @ values) ** 2) == pytest.approx(expected, abs=6e-9)


SMALL = [
    ([0, 1], 1), ([1, 0, 1], 2), ([1, 0, 1], 3), ([1], 2), ([0, 1, 1], 2), ([1, 1, 0, 1], 5), ([0, 0, 1, 0], 2),
    ([1, 0, 0, 1, 1], 4), ([0, 1, 0, 1, 0], 2), ([1, 1, 1, 0, 1], 7), ([0, 1, 1, 0, 0, 1], 3), ([1, 0, 1, 0, 1, 0], 3),
]  # fmt: skip


def enumerated(relevance: list[int], num_relevant: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seven copies of a document leave out 1e-5 of all outcomes, a hundredth of what so many resamples tell."""
    return naive.exact_ap_distribution(relevance, num_relevant, 9 if len(relevance) < 5 else 7)


@pytest.mark.sample(6)
@pytest.mark.parametrize(("relevance", "num_relevant"), SMALL)
def test_atoms_against_enumeration(relevance: list[int], num_relevant: int) -> None:
    """The probability of every value of AP* that has more than one percent of it."""
    exact, probability = enumerated(relevance, num_relevant)
    drawn = ap_of((relevance, num_relevant))[0]
    for value in exact[probability > 0.01]:
        expected = probability[np.isclose(exact, value, rtol=0, atol=1e-9)].sum()
        share = np.isclose(drawn, value, rtol=0, atol=1e-9).mean()
        assert abs(share - expected) < Z * np.sqrt(expected * (1 - expected) / RESAMPLES)


def test_large_gaps_and_runs_in_pieces() -> None:
    """Rates beyond one table: 40,000 relevant documents in a row below a gap of 40,000, as many not retrieved."""
    size = 40_000
    assert size > 2 * LARGEST_RATE
    lists = lists_of(([0] * size + [1] * size, 2 * size))
    ap = resampled_scores(lists, topic_keys([b"1"]), resamples=2000, seed=1)[0]
    rng = np.random.default_rng(1)
    gap, run, rest = rng.poisson(size, (3, 2000))
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 3 * size))))
    expected = (run - gap * (harmonic[gap + run] - harmonic[gap])) / (run + rest)
    assert abs(ap.mean() - expected.mean()) < Z * np.sqrt((ap.var() + expected.var()) / 2000)
    assert ap.std() == pytest.approx(expected.std(), rel=Z * np.sqrt(1 / 2000))


@pytest.mark.parametrize(("gap", "run"), [(0, 1), (3, 1), (24, 3), (100, 0), (0, 40), (900, 0), (LARGEST_RATE, 0)])
def test_tables_against_scipy(gap: int, run: int) -> None:
    """Exact: what every cell gives adds up to the Poisson probabilities to 2^-32 a draw."""
    bits, threshold, choice, *most = pair_table(float(gap), float(run))
    # A word's lower 32 - bits bits are the fraction, in steps of 2^bits: so many fractions lie below the threshold.
    kept = np.where(choice[:, 0] == choice[:, 1], 1.0, np.ceil(threshold / 2**bits) / 2.0 ** (32 - bits)) / 2**bits
    probability: dict[int, float] = {}
    for weights, packed in ((kept, choice[:, 0]), (2.0**-bits - kept, choice[:, 1])):
        for value, weight in zip(packed.tolist(), weights.tolist(), strict=True):
            probability[value] = probability.get(value, 0.0) + weight
    packed = np.array(list(probability))
    expected = stats.poisson.pmf(packed >> 16, gap) * stats.poisson.pmf(packed & 0xFFFF, run)
    left_out = 1 - expected.sum()
    assert left_out < 2**bits * 2.0**-40
    error = np.array(list(probability.values())) - expected
    assert np.abs(error).sum() < 2**bits * 2.0**-33 + 2 * left_out
    # Rounding to the nearest favours neither side: the mean moves by no more than a random walk of roundings would.
    spread = np.sqrt(gap + run) + 1
    assert abs(error @ (packed >> 16)) < 6 * spread * 2.0**-33 * 2 ** (bits / 2) + 1e-9
    assert most == [max(packed >> 16), max(packed & 0xFFFF)]


def test_generator_against_its_authors() -> None:
    """The first outputs of xoshiro256++ from the state 1, 2, 3, 4, as its implementations' tests have them."""
    state = np.tile(np.array([[1], [2], [3], [4]], np.uint64), LANES)
    bits = np.empty(LANES, np.uint64)
    for expected in (41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205):
        draw(LANES, state, bits)
        assert (bits == np.uint64(expected)).all()


def test_streams_against_naive() -> None:
    word, key, first = 2**63 + 12345, 987654321987, 512
    state = np.empty((4, LANES), np.uint64)
    bits = np.empty(LANES, np.uint64)
    seed_lanes(state, np.uint64(word), np.uint64(key), first)
    lanes = (0, 1, 100, LANES - 1)
    streams = [naive.lane_seed(word, key, first + lane) for lane in lanes]
    for _ in range(3):
        draw(LANES, state, bits)
        assert [int(bits[lane]) for lane in lanes] == [naive.xoshiro256pp(stream) for stream in streams]


@pytest.mark.parametrize("bits", [0, 1, 31, 32, 33, 64, 127, 128, 129, 500])
def test_seed_words_against_numpy(bits: int) -> None:
    """SeedSequence, whose stability is promised; a changed word would change every published interval."""
    for seed in (2**bits - 1, 2**bits, 3**bits // 5):
        for purpose in Purpose:
            (word,) = np.random.SeedSequence(seed, spawn_key=(purpose,)).generate_state(1, np.uint64)
            assert seed_word(seed, purpose) == word
    assert Purpose.CORPUS_BOOTSTRAP == 1
    assert len({int(seed_word(seed, Purpose.CORPUS_BOOTSTRAP)) for seed in range(100)}) == 100


def test_nothing_retrieved_and_everything_on_top() -> None:
    ap = ap_of(([0, 0], 3), ([1, 1, 0], 2), ([0], 0), resamples=300)
    assert (ap[[0, 2]] == 0).all()
    assert (ap[1] == 1).all()


@pytest.fixture
def many() -> tuple[Relevance, NDArray[np.uint64]]:
    rng = np.random.default_rng(3)
    rankings = [(random_ranking(rng, 200, 0.1), 40) for _ in range(30)]
    return lists_of(*rankings), topic_keys([b"%d" % number for number in range(30)])


def test_threads_and_prefix(many: tuple[Relevance, NDArray[np.uint64]]) -> None:
    """The first resamples are the same whatever their number, and by however many threads."""
    lists, keys = many
    long, *others = (resampled_scores(lists, keys, resamples=1000, seed=1, threads=n) for n in (1, 2, 7))
    assert all(np.array_equal(long, other) for other in others)
    for resamples in (1, LANES - 1, LANES, LANES + 1, 999):
        assert np.array_equal(resampled_scores(lists, keys, resamples=resamples, seed=1), long[:, :resamples])


def test_company(many: tuple[Relevance, NDArray[np.uint64]]) -> None:
    """A topic's resamples do not depend on the other topics."""
    lists, keys = many
    together = resampled_scores(lists, keys, resamples=300, seed=1)
    alone = resampled_scores(lists.only(np.arange(len(keys)) == 11), keys[11:12], resamples=300, seed=1)
    assert np.array_equal(alone[0], together[11])


def test_seed_and_topic_change_the_draws(many: tuple[Relevance, NDArray[np.uint64]]) -> None:
    lists, keys = many
    first = resampled_scores(lists, keys, resamples=300, seed=1)
    assert (resampled_scores(lists, keys, resamples=300, seed=2) != first).mean() > 0.9
    assert (resampled_scores(lists, keys[::-1].copy(), resamples=300, seed=1) != first).mean() > 0.9
    assert abs(np.corrcoef(first[0], first[1])[0, 1]) < Z / np.sqrt(300)


# BCa's acceleration, and the infinitesimal jackknife.


FEW = [([1], 1), ([0, 1], 1), ([1, 0, 1], 2), ([0, 1, 1, 0, 0], 4), ([1, 1], 2), ([1], 3), ([0, 0], 2)]
RANKINGS = [*FEW, ([0, 0, 1], 1)] + [(random_ranking(np.random.default_rng(n), 60, 0.2), 25) for n in range(10)]


def test_acceleration_against_naive() -> None:
    lists = lists_of(*RANKINGS)
    fast = ap_acceleration(lists, ap_scores(lists))
    for acceleration, (relevance, num_relevant) in zip(fast, RANKINGS, strict=True):
        ap = naive.average_precision(relevance, num_relevant)
        d = np.array([ap - left_out for left_out in naive.ap_without_each(relevance, num_relevant)])
        if np.abs(d).max(initial=0) < 1e-15:
            assert np.isnan(acceleration)
        else:
            assert acceleration == pytest.approx((d**3).sum() / (6 * (d**2).sum() ** 1.5), rel=1e-9)


def test_delta_sd_against_numerical_derivatives() -> None:
    lists = lists_of(*RANKINGS)
    fast = ap_delta_sd(lists, ap_scores(lists))
    step = 1e-6
    for sd, (relevance, num_relevant) in zip(fast, RANKINGS, strict=True):
        missing = num_relevant - sum(relevance)
        variance = 0.0
        for i in range(len(relevance)):
            up, down = (
                naive.weighted_ap(relevance, [1 + sign * step * (j == i) for j in range(len(relevance))], missing)
                for sign in (1, -1)
            )
            variance += ((up - down) / (2 * step)) ** 2
        ones = [1.0] * len(relevance)
        rise = naive.weighted_ap(relevance, ones, missing + step) - naive.weighted_ap(relevance, ones, missing - step)
        variance += missing * (rise / (2 * step)) ** 2
        assert sd == pytest.approx(np.sqrt(variance), abs=1e-7)
