"""Effects on single topics combined into one (methods of meta-analysis, as Cormack & Lynam 2006, section 6, propose), and how
much effects differ.

Fixed effect: the topics share one effect. Random effects: each topic has its own, of which the mean is estimated
(R. DerSimonian and N. Laird, Controlled Clinical Trials 7, 1986). Stouffer: a test alone (S. A. Stouffer et al. 1949).
Hartung & Knapp: random effects whose standard error comes from how far the effects lie apart, with a t instead of a normal
quantile (J. Hartung and G. Knapp, Statistics in Medicine 20, 2001; J. IntHout, J. P. A. Ioannidis and G. F. Borm, BMC Medical
Research Methodology 14, 2014).

Effects[P, k] and their standard errors[P, k], above 0, are nan where there are none.
"""

import numpy as np

from irci.base.choices import MetaMethod
from irci.base.types import Floats
from irci.stats.intervals import Interval
from irci.stats.power import crossing
from irci.stats.scales import excess
from irci.stats.tests import Estimates, without_spread
from irci.system import special

LEAST_VARIANCE = 1e-300  # over which 1 is not infinite


def weighted(effects: Floats, errors: Floats) -> tuple[Floats, Floats, Floats]:
    """The means[P] weighted by 1 / errors^2, nan of none, their standard errors[P], the fixed effects; and Q[P] about them."""
    weights = 1 / errors**2
    total = np.nansum(weights, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.nansum(weights * effects, axis=1) / total
        return mean, total**-0.5, np.nansum(weights * (effects - mean[:, np.newaxis]) ** 2, axis=1)


def heterogeneity(effects: Floats, errors: Floats) -> Floats:
    """Q about the fixed effect, its p by chi^2, I^2 (a share) and tau^2 by DerSimonian & Laird, float64[4, P]: nan of none."""
    degrees, (_, error, q) = (~np.isnan(effects / errors)).sum(axis=1) - 1, weighted(effects, errors)
    beyond = excess(q, degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = error**-2 - np.nansum((1 / errors**2) ** 2, axis=1) * error**2
        of_several = q, special.chdtrc(degrees, q), np.where(q > 0, beyond / q, 0.0), beyond / spread
    return np.where(degrees > 0, of_several, np.where(degrees == 0, [[0.0], [1.0], [0.0], [0.0]], np.nan))


def combined(effects: Floats, errors: Floats, method: MetaMethod) -> Estimates:
    """The combined effects of each row; `random` by Hartung & Knapp, whose squared standard error is sum w (y - m)^2 /
    ((k - 1) sum w), also where that is less than the normal one's 1 / sum w: nan of one topic, or of the same effect on all,
    from which nothing can be learnt about how far effects lie apart. By `stouffer` z, of standard error 1.

    Columns: Q, Q_p, I2, tau2 and fixed_error, that of a fixed effect, but for Stouffer.
    """
    number = np.count_nonzero(~np.isnan(effects), axis=1)
    if method == "stouffer":
        with np.errstate(invalid="ignore"):
            z = np.nansum(effects / errors, axis=1) / np.sqrt(number)
        return Estimates(z, np.ones(len(z)), np.full(len(z), np.inf), number)
    (value, error, _), df = weighted(effects, errors), np.full(len(effects), np.inf)
    q, q_p, i2, tau2 = heterogeneity(effects, errors)
    columns = {"Q": q, "Q_p": q_p, "I2": i2, "tau2": 0 * tau2, "fixed_error": error}
    if method == "random":
        columns["tau2"], df = tau2, number - 1.0
        value, error, q = weighted(effects, np.hypot(errors, np.sqrt(tau2)[:, np.newaxis]))
        is_alike = without_spread(np.where(np.isnan(effects), value[:, np.newaxis], effects))
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(is_alike | (df < 1), np.nan, error * np.sqrt(q / df))
    return Estimates(value, error, df, number, columns)


def tau2_limits(effects: Floats, errors: Floats, confidence: float) -> Interval:
    """Limits[2, ...] of tau^2, not below 0, from effects[..., k] and errors[..., k] above 0: those under which Q, with weights
    1 / (errors^2 + tau^2), is at its upper and lower quantile of chi^2. nan of one effect, where one is not known, and where
    an error is 0, infinite or not known. (W. Viechtbauer, "Confidence intervals for the amount of heterogeneity in
    meta-analysis", Statistics in Medicine 26, 2007.)"""
    is_known = (np.isfinite(effects) & np.isfinite(errors) & (errors > 0)).all(axis=-1) & (effects.shape[-1] > 1)
    shape, tails = (
        effects.shape[:-1],
        np.reshape([1 - confidence, 1 + confidence], (2,) + (1,) * (effects.ndim - 1)) / 2,
    )
    levels = special.chdtri(effects.shape[-1] - 1, tails)  # which chi^2 exceeds with these probabilities
    # In units in which no square overflows, about the effect that weighs most, which keeps its digits.
    heaviest = np.take_along_axis(effects, np.argmin(errors, axis=-1)[..., np.newaxis], axis=-1)

    def q(tau2: Floats) -> Floats:
        weights = 1 / np.maximum(variances + tau2[..., np.newaxis], LEAST_VARIANCE)
        mean = (weights * scaled).sum(axis=-1, keepdims=True) / weights.sum(axis=-1, keepdims=True)
        return np.asarray((weights * (scaled - mean) ** 2).sum(axis=-1))

    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.maximum(np.ptp(effects, axis=-1), errors.max(axis=-1))[..., np.newaxis]
        scaled, variances = (effects - heaviest) / unit, (errors / unit) ** 2
        levels = np.where(q(np.zeros(shape)) > levels, -levels, np.nan)  # nan: reached by 0
        limits = crossing(lambda tau2: -q(tau2), levels, levels.shape)
        return np.where(is_known, np.where(np.isnan(levels), 0.0, limits) * unit[..., 0] ** 2, np.nan)
