"""Effects on single topics combined into one (methods of meta-analysis, as Cormack & Lynam 2006, section 6, propose).

Fixed effect: the topics share one effect. Random effects: each topic has its own, of which the mean is estimated
(R. DerSimonian and N. Laird, Controlled Clinical Trials 7, 1986). Stouffer: a test alone (S. A. Stouffer et al. 1949).
Hartung & Knapp: random effects whose standard error comes from how far the effects lie apart, with a t instead of a normal
quantile (J. Hartung and G. Knapp, Statistics in Medicine 20, 2001; J. IntHout, J. P. A. Ioannidis and G. F. Borm, BMC Medical
Research Methodology 14, 2014).
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from irci.base.choices import MetaMethod
from irci.base.types import Floats
from irci.stats.power import crossing
from irci.stats.scales import excess
from irci.stats.tests import without_spread
from irci.system import special

LEAST_VARIANCE = 1e-300  # over which 1 is not infinite


class Combined(NamedTuple):
    """The combined effect, its standard error and z; Q (nan for Stouffer), its p, I^2 (a share) and tau^2 of k topics; nan of
    none. For Stouffer the effect and standard error are nan. df: z is a t of so many degrees of freedom (infinite: normal).
    fixed_error: the standard error of a fixed effect, nan for Stouffer."""

    effect: float = math.nan
    standard_error: float = math.nan
    z: float = math.nan
    q: float = math.nan
    q_p: float = math.nan
    i2: float = math.nan
    tau2: float = math.nan
    topics: int = 0
    df: float = math.inf
    fixed_error: float = math.nan

    def p(self) -> float:
        return float(2 * special.stdtr(self.df, -abs(self.z)))

    def p_above(self) -> float:
        """Single-tailed, of an effect that is not above 0 (Cormack & Lynam 2006, section 9)."""
        return float(special.stdtr(self.df, -self.z))

    def limits(self, confidence: float) -> tuple[float, float]:
        reach = float(special.stdtrit(self.df, (1 + confidence) / 2)) * self.standard_error
        return self.effect - reach, self.effect + reach


def fixed_effect(effects: Floats, errors: Floats) -> Combined:
    """The mean of effects[k] weighted by 1 / errors[k]^2, with the heterogeneity around it."""
    weights = 1 / errors**2
    effect = float((weights * effects).sum() / weights.sum())
    standard_error = float(weights.sum() ** -0.5)
    q = float((weights * (effects - effect) ** 2).sum())
    degrees = len(effects) - 1
    return Combined(
        effect=effect,
        standard_error=standard_error,
        z=effect / standard_error,
        q=q,
        q_p=float(special.chdtrc(degrees, q)) if degrees else 1.0,
        i2=float(excess(q, degrees)) / q if degrees and q > 0 else 0.0,
        tau2=0.0,
        topics=len(effects),
        fixed_error=standard_error,
    )


def random_effects(effects: Floats, errors: Floats) -> Combined:
    """DerSimonian & Laird: weights 1 / (errors^2 + tau^2), tau^2 from the excess of Q over its degrees of freedom."""
    fixed = fixed_effect(effects, errors)
    weights = 1 / errors**2
    spread = weights.sum() - (weights**2).sum() / weights.sum()
    tau2 = float(excess(fixed.q, len(effects) - 1) / spread) if len(effects) > 1 else 0.0
    weighted = fixed_effect(effects, np.sqrt(errors**2 + tau2))
    return fixed._replace(effect=weighted.effect, standard_error=weighted.standard_error, z=weighted.z, tau2=tau2)


def hartung_knapp(effects: Floats, errors: Floats) -> Combined:
    """The random effects' mean with the squared standard error q = sum w (y - m)^2 / ((k - 1) sum w), and t of k - 1.

    q is taken as it is, also where it is less than the normal one's 1 / sum w. One topic, or the same effect on all, from
    which nothing can be learnt about how far effects lie apart: nan but for the effect.
    """
    result = random_effects(effects, errors)
    df = len(effects) - 1
    weights = 1 / (errors**2 + result.tau2)
    squares = float((weights * (effects - result.effect) ** 2).sum() / weights.sum())
    is_known = df > 0 and not without_spread(effects[np.newaxis])[0]
    error = math.sqrt(squares / df) if is_known else math.nan
    return result._replace(standard_error=error, z=result.effect / error, df=float(df))


def tau2_limits(effects: Floats, errors: Floats, confidence: float) -> tuple[float, float]:
    """Limits of tau^2, not below 0, from effects[k] and errors[k] above 0: those under which Q, with weights 1 / (errors^2 +
    tau^2), is at its upper and lower quantile of chi^2. nan of one effect, where one is not known, and where an error is 0,
    infinite or not known. (W. Viechtbauer, "Confidence intervals for the amount of heterogeneity in meta-analysis", Statistics
    in Medicine 26, 2007.)"""
    degrees, tail = len(effects) - 1, (1 - confidence) / 2
    if degrees < 1 or not (np.isfinite(effects) & np.isfinite(errors) & (errors > 0)).all():
        return math.nan, math.nan
    # In units in which no square overflows, about the effect that weighs most, which keeps its digits.
    unit = max(float(np.ptp(effects)), float(errors.max()))
    scaled, variances = (effects - effects[np.argmin(errors)]) / unit, (errors / unit) ** 2

    def excess(tau2: Floats | float, level: float) -> float:
        weights = 1 / np.maximum(variances + tau2, LEAST_VARIANCE)
        mean = (weights * scaled).sum() / weights.sum()
        return level - float((weights * (scaled - mean) ** 2).sum())

    # chdtri: the level that chi^2 exceeds with this probability.
    levels = (float(special.chdtri(degrees, probability)) for probability in (tail, 1 - tail))
    lower, upper = (
        0.0 if excess(0.0, level) >= 0 else float(crossing(partial(excess, level=level), 0.0)) for level in levels
    )
    return lower * unit**2, upper * unit**2


def stouffer(effects: Floats, errors: Floats) -> Combined:
    """z = sum of effects / errors, over the square root of their number."""
    return Combined(z=float((effects / errors).sum() / np.sqrt(len(effects))), topics=len(effects))


METHODS: dict[MetaMethod, Callable[[Floats, Floats], Combined]] = {
    "fixed": fixed_effect,
    "random": hartung_knapp,
    "stouffer": stouffer,
}
