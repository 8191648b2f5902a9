"""partition-anova: which systems differ, system-topic interaction counted?

Estimates the effect of each system in an analysis of variance of scores on parts of the collection, which are replicates
of each (topic, system) score. Resampled: the residuals of the fitted model. Assumes that scores on a part represent those on
the whole, and that residuals are exchangeable. The topics are fixed: nothing is said about others.

E. M. Voorhees, D. Samarov and I. Soboroff, "Using replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

import numpy as np

from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, all_pairs
from irci.kernels.anova import drawn_sums
from irci.kernels.generator import LANES
from irci.stats.anova import Anova
from irci.stats.intervals import percentile_interval
from irci.system import claim, in_order

ROUNDING = 1e-12  # differences of effects that are no larger are 0: where scores are tied, rounding alone makes them


def residual_bootstrap(
    fit: Anova, resamples: int, seed: int, *, split: int, published: bool = False, threads: int = 1, is_centred: bool = True
) -> Floats:  # fmt: skip
    """Replicates float64[m, B] of the effects of m systems in a fitted model; a system's place, by name, keys its draws.

    Its residuals are rescaled by sqrt(N / df), so that their variance is the error's, unless as `published` they are left as
    they are. `split`: which split it is, for independent draws; `is_centred`: replicates are effects, which add up to 0, and
    not means that also vary together. The bootstrap refits y* = fit + e*; of that only
    s*_j = s_j + mean_j(e*) - mean(e*) is needed.
    """
    topics, systems, parts = fit.residuals.shape
    residuals = fit.residuals.ravel() * (1 if published else np.sqrt(fit.residuals.size / fit.df))
    draws = topics * parts
    word, key = seed_word(seed, Purpose.RESIDUALS), np.uint64(split)
    # Whole blocks of lanes, several a thread.
    step = LANES * max(1, -(-resamples // (4 * threads * LANES)))
    claim(2 * systems, resamples)  # they are sorted in a copy
    replicates = np.empty((systems, resamples))

    def fill(first: int) -> None:
        drawn_sums(residuals, word, key, draws, first, replicates[:, first : first + step])

    list(in_order(fill, range(0, resamples, step), threads))
    replicates /= draws  # in place: these are the largest arrays
    if is_centred:
        replicates -= replicates.mean(axis=0)
    replicates += fit.system[:, np.newaxis]
    return replicates


def effect_limits(fit: Anova, replicates: Floats, confidence: float) -> Floats:
    """Limits float64[2, m] of effects from replicates[m, B]; nan where the model fits every score, which is no certainty."""
    if not fit.residuals.any():
        return np.full((2, len(fit.system)), np.nan)
    return percentile_interval(replicates, confidence)


def pair_p_values(fit: Anova, replicates: Floats, *, published: bool) -> Floats:
    """Two-sided p[P] of all pairs' differences of effects, in the order of `all_pairs`, from replicates[m, B].

    Twice the smaller tail of s*_i - s*_j beyond 0, (k + 1)/(B + 1); `published`: the tails of each system's own distribution
    beyond the other's estimate, which ignores half the variance. Without residuals p is nan, and 1 of systems that are alike.
    """
    value, pairs, resamples = fit.system, all_pairs(len(replicates)), replicates.shape[1]
    if not fit.residuals.any():
        return np.where(np.abs(np.diff(value[pairs])[:, 0]) <= ROUNDING, 1, np.nan)
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
