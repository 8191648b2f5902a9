"""Topics and documents together, other samples, Hartung-Knapp: against theory, enumeration and statsmodels."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from irci.stats.estimates import Nested
from irci.stats.intervals import both_populations, prediction_interval
from irci.stats.meta import hartung_knapp, random_effects
from irci.stats.scales import excess
from irci.stats.tests import paired_t


def test_both_populations_by_hand() -> None:
    """Variances .02 between topics and .005 of documents, 10 topics: V = .0025, df = 9 (.0025 / .002)^2 = 14.0625."""
    found = both_populations(np.array([0.11]), np.array([0.02]), np.array([0.005]), 10, 0.95)
    assert (found.error[0], found.df[0]) == pytest.approx((0.05, 14.0625))
    assert (found.sd_topics[0] ** 2, found.sd_documents[0] ** 2) == pytest.approx((0.002, 0.0005))
    assert found.upper[0] - 0.11 == pytest.approx(stats.t.isf(0.025, 14.0625) * 0.05)
    assert found.lower[0] == pytest.approx(0.22 - found.upper[0])
    assert found.p[0] == pytest.approx(2 * stats.t.sf(2.2, 14.0625))


def test_both_populations_without_documents_is_the_t_test() -> None:
    d = np.random.default_rng(1).normal(0.03, 0.1, (5, 12))
    t = paired_t(d, 0.9)
    found = both_populations(t.mean, d.var(axis=1, ddof=1), np.zeros(5), 12, 0.9)
    assert (found.lower, found.p) == (pytest.approx(t.lower, abs=1e-12), pytest.approx(t.p, rel=1e-9))


def test_both_populations_at_the_edges() -> None:
    """No variance between topics: normal quantiles. None at all: p 1 for no difference, nan for one. One topic: nan."""
    value, zero = np.array([0.1, 0.0, 0.1]), np.zeros(3)
    found = both_populations(value, zero, np.array([0.02, 0.0, 0.0]), 5, 0.95)
    assert found.df[0] == math.inf
    assert found.upper[0] == pytest.approx(0.1 + stats.norm.isf(0.025) * math.sqrt(0.004))
    assert found.p == pytest.approx([2 * stats.norm.sf(0.1 / math.sqrt(0.004)), 1, math.nan], nan_ok=True)
    one = both_populations(value, zero, zero + 0.01, 1, 0.95)
    assert all(np.isnan(column).all() for column in (one.lower, one.p, one.df, one.sd_topics))


def test_prediction_intervals_by_the_formula() -> None:
    """The next mean varies too: by s^2 / m, over m topics that it is of, or as many as here."""
    reach = stats.t.isf(0.025, 11) * 0.2
    for others in (None, 12, 40):
        found = prediction_interval(np.array([0.3]), np.array([0.2]), 12, 0.95, others)
        away = reach * math.sqrt(1 / 12 + 1 / (others or 12))
        assert np.concatenate(found) == pytest.approx([0.3 - away, 0.3 + away])
    assert np.isnan(prediction_interval(np.array([0.3]), np.array([0.2]), 1, 0.95)).all()


def test_what_is_beyond_a_part_is_no_rounding() -> None:
    whole, part = np.array([0.3, 0.3, 0.1, np.nan]), np.array([0.1 + 0.2, 0.1, 0.2, 0.1])
    for one, other in ((whole, part), (1e9 * whole, 1e9 * part)):
        np.testing.assert_allclose(excess(one, other), one[0] / 0.3 * np.array([0, 0.2, 0, np.nan]), rtol=1e-12)
    assert excess(0.1 + 0.2, 0.3) == excess(0.0, 0.0) == 0
    nested = Nested(0.1 + 0.2, 4, 0.3, 5, 2.0, np.full(5, 2))
    assert (nested.between, nested.correlation) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_hartung_knapp_against_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.1, 0.3, 12)
    effects = rng.normal(0.2, errors) + rng.normal(0, 0.4, 12)
    theirs = combine_effects(effects, errors**2, method_re="dl", use_t=True)
    found = hartung_knapp(effects, errors)
    assert theirs.tau2 > 0  # theirs goes on with a negative one
    assert (found.effect, found.standard_error) == pytest.approx((theirs.mean_effect_re, theirs.sd_eff_w_re_hksj))
    assert found.limits(0.95) == pytest.approx(theirs.conf_int(alpha=0.05, use_t=True)[3])
    assert found.p() == pytest.approx(2 * stats.t.sf(abs(found.effect / found.standard_error), 11))


def test_combined_limits_and_p() -> None:
    effects, errors = np.array([0.30, -0.10, 0.55, 0.20, 0.0]), np.array([0.15, 0.20, 0.25, 0.10, 0.30])
    normal = random_effects(effects, errors)  # those of Hartung and Knapp take another error
    assert normal.limits(0.95) == pytest.approx(
        (0.1995555 - 1.959964 * 0.0871822, 0.1995555 + 1.959964 * 0.0871822), abs=1e-6
    )
    assert normal.p() == pytest.approx(2 * stats.norm.sf(normal.z))
    one = hartung_knapp(effects[:1], errors[:1])
    assert one.effect == pytest.approx(0.3)
    assert np.isnan([one.standard_error, one.z, one.p(), *one.limits(0.95)]).all()
    # Effects closer together than their errors: q as it is, so that the interval is the narrower one.
    close = hartung_knapp(np.array([0.2, 0.21, 0.2]), np.array([0.1, 0.1, 0.1]))
    assert close.standard_error == pytest.approx(np.std([0.2, 0.21, 0.2], ddof=1) / math.sqrt(3))
