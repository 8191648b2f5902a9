"""partition-anova: which systems differ, system-topic interaction counted?

Estimates the effect of each system in an analysis of variance of scores on parts of the collection, which are replicates
of each (topic, system) score. Resampled: the residuals of the fitted model. Assumes that scores on a part represent those on
the whole, and that residuals are exchangeable. The topics are fixed: nothing is said about others.

E. M. Voorhees, D. Samarov and I. Soboroff, "Using replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

from typing import NamedTuple

import numpy as np

from irci.base.choices import Model
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, all_pairs
from irci.kernels.anova import drawn_sums
from irci.kernels.generator import LANES
from irci.stats.anova import Anova, anova
from irci.stats.intervals import percentile_interval
from irci.system import claim, in_order

ROUNDING = 1e-12  # differences of effects that are no larger are 0: where scores are tied, rounding alone makes them


class ResidualBootstrap(NamedTuple):
    """The model, and how its residuals are drawn, rescaled by sqrt(N / df) so that their variance is the error's."""

    model: Model = "interaction"
    published: bool = False  # residuals are left as they are, and p is computed as in the paper (`pair_p_values`)
    resamples: int = 10_000
    confidence: float = 0.95
    seed: int = 1


class SystemEffects(NamedTuple):
    """The effects of m systems."""

    fit: Anova
    replicates: Floats  # [m, B]
    lower: Floats  # [m]
    upper: Floats  # [m]
    is_exact: bool  # the model fits every score, so that nothing tells how far scores vary by chance

    @property
    def value(self) -> Floats:
        """float64[m]: the estimates."""
        return self.fit.system


def partition_anova(
    y: Floats, settings: ResidualBootstrap, *, split: int, threads: int = 1, is_centred: bool = True
) -> SystemEffects:
    """Bootstrap ANOVA of the scores y[n, m, x] of n topics, m systems (sorted by name: a system's place keys its draws) and x
    parts. `split`: which split it is, for independent draws; `is_centred`: replicates are effects, which add up to 0, and not
    means that also vary together.

    The bootstrap refits y* = fit + e*; of that only s*_j = s_j + mean_j(e*) - mean(e*) is needed. Where all residuals are 0
    there is nothing to resample, which is no certainty: limits are nan.
    Raises ValueError if the model leaves no degree of freedom.
    """
    topics, systems, parts = y.shape
    fit = anova(y, settings.model)
    residuals = fit.residuals.ravel()
    if not settings.published:
        residuals = residuals * np.sqrt(y.size / fit.df)
    draws = topics * parts
    word, key = seed_word(settings.seed, Purpose.RESIDUALS), np.uint64(split)
    # Whole blocks of lanes, several a thread.
    step = LANES * max(1, -(-settings.resamples // (4 * threads * LANES)))
    claim(2 * systems, settings.resamples)  # they are sorted in a copy
    replicates = np.empty((systems, settings.resamples))

    def fill(first: int) -> None:
        drawn_sums(residuals, word, key, draws, first, replicates[:, first : first + step])

    list(in_order(fill, range(0, settings.resamples, step), threads))
    replicates /= draws  # in place: these are the largest arrays
    if is_centred:
        replicates -= replicates.mean(axis=0)
    replicates += fit.system[:, np.newaxis]
    is_exact = not residuals.any()
    lower, upper = np.full((2, systems), np.nan) if is_exact else percentile_interval(replicates, settings.confidence)
    return SystemEffects(fit, replicates, lower, upper, is_exact)


def pair_p_values(effects: SystemEffects, *, published: bool) -> Floats:
    """Two-sided p[P] of all pairs' differences, in the order of `all_pairs`.

    Twice the smaller tail of s*_i - s*_j beyond 0, (k + 1)/(B + 1); `published`: the tails of each system's own distribution
    beyond the other's estimate, which ignores half the variance. Without residuals p is nan, and 1 of systems that are alike.
    """
    pairs = all_pairs(len(effects.replicates))
    if effects.is_exact:
        is_alike = np.abs(np.diff(effects.value[pairs])[:, 0]) <= ROUNDING
        return np.where(is_alike, 1, np.nan)
    replicates, value, resamples = effects.replicates, effects.value, effects.replicates.shape[1]
    ordered, tails = np.sort(replicates, axis=1) if published else replicates, np.empty((len(pairs), 2))
    for pair, (system, other) in enumerate(pairs.tolist()):
        if published:
            low, high = (system, other) if value[system] <= value[other] else (other, system)
            above = resamples - np.searchsorted(ordered[low], value[high] - ROUNDING, side="left")
            tails[pair] = above, np.searchsorted(ordered[high], value[low] + ROUNDING, side="right")
        else:
            difference = replicates[other] - replicates[system]
            tails[pair] = (difference <= ROUNDING).sum(), (difference >= -ROUNDING).sum()
    shares = (tails + 1) / (resamples + 1)
    return np.asarray(np.minimum(shares.sum(axis=1) if published else 2 * shares.min(axis=1), 1))
