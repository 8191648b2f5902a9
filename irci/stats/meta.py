"""Effects on single topics combined into one (methods of meta-analysis, as Cormack & Lynam 2006, section 6, propose).

Fixed effect: the topics share one effect. Random effects: each topic has its own, of which the mean is estimated
(R. DerSimonian and N. Laird, Controlled Clinical Trials 7, 1986). Stouffer: a test alone (S. A. Stouffer et al. 1949).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irci.choices import MetaMethod
from irci.types import Floats


class Combined(NamedTuple):
    """The combined effect, its standard error and z; Q (nan for Stouffer), its p, I^2 (a share) and tau^2 of k topics.

    For Stouffer the effect and standard error are nan.
    """

    effect: float
    standard_error: float
    z: float
    q: float
    q_p: float
    i2: float
    tau2: float
    topics: int


def fixed_effect(effects: Floats, errors: Floats) -> Combined:
    """The mean of effects[k] weighted by 1 / errors[k]^2, with the heterogeneity around it."""
    from scipy.special import chdtrc

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
        q_p=float(chdtrc(degrees, q)) if degrees else 1.0,
        i2=max(0.0, (q - degrees) / q) if degrees and q > 0 else 0.0,
        tau2=0.0,
        topics=len(effects),
    )


def random_effects(effects: Floats, errors: Floats) -> Combined:
    """DerSimonian & Laird: weights 1 / (errors^2 + tau^2), tau^2 from the excess of Q over its degrees of freedom."""
    fixed = fixed_effect(effects, errors)
    weights = 1 / errors**2
    spread = weights.sum() - (weights**2).sum() / weights.sum()
    tau2 = max(0.0, float((fixed.q - (len(effects) - 1)) / spread)) if len(effects) > 1 else 0.0
    weighted = fixed_effect(effects, np.sqrt(errors**2 + tau2))
    return fixed._replace(effect=weighted.effect, standard_error=weighted.standard_error, z=weighted.z, tau2=tau2)


def stouffer(effects: Floats, errors: Floats) -> Combined:
    """z = sum of effects / errors, over the square root of their number."""
    nan = float("nan")
    z = float((effects / errors).sum() / np.sqrt(len(effects)))
    return Combined(nan, nan, z, nan, nan, nan, nan, len(effects))


METHODS: dict[MetaMethod, Callable[[Floats, Floats], Combined]] = {
    "fixed": fixed_effect,
    "random": random_effects,
    "stouffer": stouffer,
}
