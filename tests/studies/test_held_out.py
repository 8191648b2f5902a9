"""How often limits miss and tests err on scores of TREC runs that no rule was made on: topics of a table are drawn with
replacement, and of runs that follow each other by mean the scores are swapped where two are to be equal."""

import naive_structured
import numpy as np
import pytest
from helpers import SHARED
from scipy import stats

from irci.estimators.stdap_ci import interval_of
from irci.stats.estimates import groups_vary, members_vary
from irci.stats.intervals import prediction_interval
from irci.stats.scales import reference_factors

TABLES = ("adhoc7_ap", "robust2004_ap", "web2010_ndcg20")


def table(name: str) -> np.ndarray:
    """Scores [runs, topics], the best three quarters of runs, by mean."""
    path = SHARED / "score-matrices" / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip("score-matrices is not beside this checkout")
    scores = np.loadtxt(path, delimiter=",", skiprows=1).T
    return np.asarray(scores[np.argsort(-scores.mean(axis=1), kind="stable")][: 3 * len(scores) // 4])


def neighbours(name: str) -> np.ndarray:
    """Differences [pairs, topics] of each run and the next."""
    return np.asarray(np.diff(table(name)[::2], axis=0))


# Clusters of topics.


def in_clusters(d: np.ndarray, sizes: tuple[int, ...], share: float, number: int, seed: int) -> np.ndarray:
    """Differences [number, topics] of mean 0 of pairs of runs on topics drawn again, of which this share of the variance is
    clusters', normal."""
    rng = np.random.default_rng(seed)
    d = (d - d.mean(axis=1, keepdims=True)) / d.std(axis=1, keepdims=True)
    pair = rng.integers(0, len(d), (number, 1))
    own = d[pair, rng.integers(0, d.shape[1], (number, sum(sizes)))]
    of_clusters = np.repeat(rng.normal(size=(number, len(sizes))), sizes, axis=1)
    return np.asarray(np.sqrt(1 - share) * own + np.sqrt(share) * of_clusters)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("sizes", [(24, *(2,) * 28), (40, 20, 10, 5, 4, 3, *(2,) * 12, *(1,) * 12)])
def test_limits_over_clusters_of_unlike_sizes_hold(sizes: tuple[int, ...], share: float) -> None:
    """They miss at most 4%, where degrees of freedom as of independent topics missed up to 7%: of few that are large."""
    place, number = np.repeat(np.arange(len(sizes)), sizes), 4000
    independent = naive_structured.cr2(np.arange(len(place)).tolist(), place.tolist(), 0.0)[2]
    missed, before = np.zeros((2, len(TABLES)))
    for of, name in enumerate(TABLES):
        found = groups_vary(in_clusters(neighbours(name), sizes, share, number, of), place, by_group=False)
        assert found.df.min() > 1 - 1e-9
        assert found.df.max() < len(sizes) - 1 + 1e-9
        missed[of] = (found.p() <= 0.05).mean()
        before[of] = (2 * stats.t.sf(np.abs(found.value / found.error), independent) <= 0.05).mean()
    error = np.sqrt(0.05 * 0.95 / number)
    assert missed.max() < 0.05 + 2 * error
    assert before.mean() > 0.065 - 2 * error or len(set(sizes)) == 2 or share == 0.1


# The wider claim, and one more collection.


def of_collections(d: np.ndarray, number: int, size: int, tau: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences [number, topics] of pairs of runs in `number` collections, side by side, whose true differences (the second
    result, of one more in the last column) vary by tau standard deviations of topics."""
    rng = np.random.default_rng(seed)
    d = (d - d.mean(axis=1, keepdims=True)) / d.std(axis=1, keepdims=True)
    experiments = 3000
    pair = rng.integers(0, len(d), (experiments, 1))
    true = rng.normal(0, tau, (experiments, number + 1))
    return d[pair, rng.integers(0, d.shape[1], (experiments, number * size))] + np.repeat(
        true[:, :-1], size, axis=1
    ), true


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 5, 8])
@pytest.mark.parametrize("tau", [0.0, 0.1, 0.3])
def test_limits_over_collections_hold(number: int, tau: float) -> None:
    """The wider of those over collections and over topics of these miss at most 5%; where the first are the narrower ones they
    alone miss 6% or more."""
    place = np.repeat(np.arange(number), 30)
    missed, narrower, there = np.zeros((3, len(TABLES)))
    for of, name in enumerate(TABLES):
        d, _ = of_collections(neighbours(name), number, 30, tau, of)
        (low, high), given = (find(d, place, by_group=True).limits(0.95) for find in (groups_vary, members_vary))
        wider = np.minimum(low, given[0]), np.maximum(high, given[1])
        missed[of] = ((wider[0] > 0) | (wider[1] < 0)).mean()
        is_narrower = high - low < given[1] - given[0]
        narrower[of] = is_narrower.mean()
        there[of] = ((low > 0) | (high < 0))[is_narrower].mean()
    assert missed.max() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 3000)
    assert tau > 0 or (narrower.min() > 0.05 and there.min() > 0.06)


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 5, 8])
@pytest.mark.parametrize("tau", [0.05, 0.15, 0.4])
def test_one_more_collection_lies_inside(number: int, tau: float) -> None:
    """Its true difference, in 95% or more."""
    place = np.repeat(np.arange(number), 30)
    for of, name in enumerate(TABLES):
        d, true = of_collections(neighbours(name), number, 30, tau, of)
        found = groups_vary(d, place, by_group=True)
        lower, upper = prediction_interval(found.value, found.error * np.sqrt(number), number, 0.95, new_topics=1)
        assert ((true[:, -1] < lower) | (true[:, -1] > upper)).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 3000)


# Standardised scores.


@pytest.mark.slow
@pytest.mark.parametrize(("references", "least"), [(3, 0.09), (5, 0.06), (30, 0)])
def test_z_scores_of_a_run_outside_its_references(references: int, least: float) -> None:
    """95% limits miss in 9% or more with 3 references, 6 with 5; those of the cdf in 4 to 7% with any number."""
    missed, number = np.zeros((2, len(TABLES))), 1000
    for of, name in enumerate(TABLES):
        scores, rng = table(name), np.random.default_rng(of)
        for _ in range(number):
            run, *others = rng.permutation(len(scores))[: references + 1]
            mean, sd = reference_factors(scores[others])
            z = ((scores[run] - mean) / np.where(sd > 0, sd, np.nan))[sd > 0]
            for kind, (values, ends) in enumerate(((z, None), (stats.norm.cdf(z), (0.0, 1.0)))):
                found = interval_of(values[rng.integers(0, len(values), 50)], 0.95, ends)
                missed[kind, of] += not found.lower <= values.mean() <= found.upper
    z, cdf = missed.mean(axis=1) / number
    error = np.sqrt(0.05 * 0.95 / number / len(TABLES))
    assert z > least - 3 * error
    assert cdf < 0.06 + 3 * error
