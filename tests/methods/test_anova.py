"""Analysis of variance against statsmodels, the residual bootstrap against enumeration and a literal refit on its draws."""

import itertools

import naive
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from irci.base.streams import Purpose, seed_word
from irci.base.types import all_pairs
from irci.kernels.generator import LANES, draw, seed_lanes
from irci.stats.anova import MODELS, TERMS, anova, pair_p_values, residual_bootstrap, tukey, unpaired_t

Y = np.random.default_rng(1).beta(1, 3, (5, 4, 3)) + np.linspace(0, 0.3, 4)[:, np.newaxis]
FORMULAS = {
    "additive": "y ~ C(topic) + C(system)",
    "interaction": "y ~ C(topic) * C(system)",
    "parts": "y ~ C(topic) * C(system) + C(part) + C(system):C(part) + C(topic):C(part)",
    "nested": "y ~ C(topic) * C(system) + C(topic):C(part)",
}


@pytest.mark.parametrize("model", MODELS)
def test_table_against_statsmodels(model: str) -> None:
    topic, system, part = (axis.ravel() for axis in np.indices(Y.shape))
    data = {"y": Y.ravel(), "topic": topic, "system": system, "part": part}
    theirs = anova_lm(ols(FORMULAS[model], pd.DataFrame(data)).fit())
    ours = anova(Y, model)
    within = "part(topic)" if model == "nested" else "topic:part"
    if model == "nested":  # parts of a topic are its own, and a sample: topics are held against them
        line, error = theirs.loc["C(topic)"], theirs.loc["C(topic):C(part)"]
        theirs.loc["C(topic)", "F"] = line["mean_sq"] / error["mean_sq"]
        theirs.loc["C(topic)", "PR(>F)"] = stats.f.sf(line["mean_sq"] / error["mean_sq"], line["df"], error["df"])
    names = {"Residual": "error", "C(topic)": "topic", "C(system)": "system", "C(topic):C(system)": "topic:system",
             "C(part)": "part", "C(system):C(part)": "system:part", "C(topic):C(part)": within}  # fmt: skip
    assert {names[source] for source in theirs.index} == set(ours.table) - {"total"}
    for source, line in theirs.iterrows():
        df, squares, mean, f, p, _ = ours.table[names[str(source)]]
        assert (df, squares, mean) == (line["df"], pytest.approx(line["sum_sq"]), pytest.approx(line["mean_sq"]))
        if source != "Residual":
            assert (f, p) == (pytest.approx(line["F"]), pytest.approx(line["PR(>F)"]))
    assert ours.df == ours.table["error"][0]
    assert (ours.residuals**2).sum() == pytest.approx(ours.table["error"][1])


def test_effects_and_omega_squared() -> None:
    found = anova(Y, "interaction")
    assert found.system == pytest.approx(Y.mean(axis=(0, 2)) - Y.mean(), abs=1e-14)
    assert anova(Y, "additive").system == pytest.approx(found.system, abs=1e-14)
    df, squares, *_, omega2 = found.table["system"]
    mean_error, total = found.table["error"][2], found.table["total"][1]
    assert omega2 == pytest.approx((squares - df * mean_error) / (total + mean_error))


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_fits_leaves_no_residuals(model: str) -> None:
    """Sums of the effects it has, which rounding leaves inexact, whatever all scores have in common; and nothing else is
    taken for rounding."""
    rng = np.random.default_rng(2)
    y = np.zeros((5, 4, 3))
    for axes in itertools.chain(*(TERMS[source] for source in MODELS[model])):
        y = y + rng.random([size if axis in axes else 1 for axis, size in enumerate(y.shape)])
    for constant in (0, 1, 1e6):
        assert not anova(y + constant, model).residuals.any()
        assert anova(y + constant + 1e-7 * rng.standard_normal(y.shape), model).residuals.any()


@pytest.mark.parametrize(
    ("model", "shape"), [("interaction", (5, 4, 1)), ("parts", (1, 4, 3)), ("parts", (5, 4, 1)), ("nested", (5, 4, 1))]
)
def test_models_without_a_degree_of_freedom(model: str, shape: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no degree of freedom"):
        anova(Y[: shape[0], :, : shape[2]], model)


def test_bootstrap_against_enumeration() -> None:
    """One topic, two systems, two parts: every assignment of the four residuals."""
    y = np.array([[[0.1, 0.4], [0.3, 0.9]]])
    resamples = 40_000
    fit = anova(y, "interaction")
    replicates = residual_bootstrap(fit, resamples, 1, split=1, published=True)
    residuals = (y - y.mean(axis=2, keepdims=True)).ravel()
    every = itertools.product(residuals, repeat=4)
    exact = np.array([fit.system[0] + np.mean(e[:2]) - np.mean(e) for e in every])
    for value in np.unique(exact.round(9)):
        chance = (np.abs(exact - value) < 1e-8).mean()
        share = (np.abs(replicates[0] - value) < 1e-8).mean()
        assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / resamples)
    assert replicates[0] == pytest.approx(-replicates[1], abs=1e-14)
    means = residual_bootstrap(fit, resamples, 1, split=1, published=True, is_centred=False)
    assert means - means.mean(axis=0) == pytest.approx(replicates, abs=1e-14)
    assert np.corrcoef(means)[0, 1] == pytest.approx(0, abs=4 / np.sqrt(resamples))


def drawn(resample: int, draws: int, pool: int, split: int) -> list[int]:
    """Which residuals a resample gets: two draws a word, the upper half first."""
    state = naive.lane_seed(int(seed_word(1, Purpose.RESIDUALS)), split, resample)
    words = [naive.xoshiro256pp(state) for _ in range((draws + 1) // 2)]
    halves = [half for word in words for half in (word >> 32, word & 0xFFFFFFFF)]
    return [half * pool >> 32 for half in halves[:draws]]


@pytest.mark.parametrize("model", ["additive", "interaction", "nested"])
def test_fast_path_against_refit_with_dummies(model: str) -> None:
    """y* = fit + e* fitted by least squares on dummy variables, on the draws that the fast path makes."""
    model_fit = anova(Y, model)
    replicates = residual_bootstrap(model_fit, 700, 1, split=3)
    n, m, x = Y.shape
    topic, system, part = (axis.ravel() for axis in np.indices(Y.shape))
    columns = [np.ones(Y.size), *(topic == i for i in range(n)), *(system == j for j in range(m))]
    if model != "additive":
        columns += [(topic == i) & (system == j) for i in range(n) for j in range(m)]
    if model == "nested":
        columns += [(topic == i) & (part == k) for i in range(n) for k in range(x)]
    design = np.column_stack(columns).astype(float)
    residuals = model_fit.residuals.ravel()
    fit = Y.ravel() - residuals
    rescaled = residuals * np.sqrt(Y.size / model_fit.df)
    # The kernel gives system j the draws j n x to (j + 1) n x - 1.
    by_system = np.argsort(system, kind="stable")
    for resample in (0, 1, 299, 699):
        y = fit.copy()
        y[by_system] += rescaled[drawn(resample, Y.size, Y.size, 3)]
        fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
        of_systems = np.array([fitted[system == j].mean() for j in range(m)]) - fitted.mean()
        assert replicates[:, resample] == pytest.approx(of_systems, abs=1e-10)


def test_threads_and_prefix() -> None:
    fit = anova(Y, "interaction")
    one = residual_bootstrap(fit, 3000, 1, split=1)
    for threads in (2, 5):
        assert np.array_equal(residual_bootstrap(fit, 3000, 1, split=1, threads=threads), one)
    fewer = residual_bootstrap(fit, 700, 1, split=1)
    assert np.array_equal(fewer, one[:, :700])
    assert not np.array_equal(residual_bootstrap(fit, 700, 1, split=2), fewer)


def test_one_stream_is_the_lane_of_its_resample() -> None:
    state, bits = np.empty((4, LANES), np.uint64), np.empty(LANES, np.uint64)
    seed_lanes(state, np.uint64(5), np.uint64(7), 300, 0, 1)
    stream = naive.lane_seed(5, 7, 300)
    for _ in range(5):
        draw(1, state, bits)
        assert int(bits[0]) == naive.xoshiro256pp(stream)


def test_p_values_against_plain_formulas() -> None:
    resamples, fit = 999, anova(Y, "interaction")
    effects, replicates = fit.system, residual_bootstrap(fit, resamples, 1, split=1)
    for published in (False, True):
        found = pair_p_values(fit, replicates, published=published)
        for p, (i, j) in zip(found, all_pairs(4), strict=True):
            d = replicates[i] - replicates[j]
            if published:
                low, high = sorted((i, j), key=lambda system: effects[system])
                above = (replicates[low] >= effects[high]).sum() + 1
                below = (replicates[high] <= effects[low]).sum() + 1
                expected = min(1, (above + below) / (resamples + 1))
            else:
                tails = ((d <= 0).sum() + 1) / (resamples + 1), ((d >= 0).sum() + 1) / (resamples + 1)
                expected = min(1, 2 * min(tails))
            assert p == pytest.approx(expected, rel=1e-12)
    mirrored = np.vstack((replicates[0], replicates[0, ::-1]))  # twice each tail is more than 1
    assert pair_p_values(fit, mirrored, published=False).tolist() == [1]


def test_unpaired_t_against_scipy() -> None:
    scores = np.random.default_rng(1).random((4, 20))
    first, second = scores[all_pairs(4).T]
    assert unpaired_t(scores.T) == pytest.approx(stats.ttest_ind(first, second, axis=1).pvalue, rel=1e-10)
    assert unpaired_t(scores[[0, 0]].T).tolist() == [1]


def test_tukey_against_enumeration() -> None:
    """Three topics, three systems: all 6^3 ways to shuffle labels within topics."""
    values = np.random.default_rng(3).random((3, 3)) + np.array([0, 0.4, 0.1])
    ranges = []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=3):
        means = np.mean([values[t, list(order)] for t, order in enumerate(orders)], axis=0)
        ranges.append(np.ptp(means))
    resamples = 40_000
    for p, (i, j) in zip(tukey(values, resamples, 1), all_pairs(3), strict=True):
        exact = (np.array(ranges) >= abs(values.mean(axis=0)[i] - values.mean(axis=0)[j]) - 1e-12).mean()
        assert abs(p - exact) < 4 * np.sqrt(exact * (1 - exact) / resamples) + 2 / resamples


@pytest.mark.parametrize("published", [False, True])
def test_p_of_tied_scores_goes_by_no_last_bit(published: bool) -> None:
    """Where every replicate and estimate is a multiple of .1, and then off by rounding."""
    rng = np.random.default_rng(3)
    fit = anova(Y, "interaction")
    fit = fit._replace(system=fit.system.round(1))
    tied = rng.integers(-2, 3, (len(fit.system), 99)) / 10
    off = tied + rng.uniform(-1e-15, 1e-15, tied.shape)
    assert (
        pair_p_values(fit, off, published=published).tolist() == pair_p_values(fit, tied, published=published).tolist()
    )
