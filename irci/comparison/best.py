"""The run that came out best, over topics, or that leads a baseline by most: limits that allow for its having been picked, its
corrected mean, and whether another run may be better; in a row and in words.

Being picked can only flatter, so that the upper limit is that of a run by itself. The lower limit of its mean is the bounded
one at alpha/2k a side, of k runs: rare low scores that no topic has shown are allowed for, which takes a scale with ends. That
of its difference from a baseline that was named beforehand is Bonferroni's t for all runs but the baseline, and no higher than
the bounded one where few topics differ. Whether the best one is better than all others needs no correction for their number:
the largest p of its pairs will do (K. Hung and W. Fithian, "Rank verification for exponential families", Ann. Statist. 47,
2019).

I. Andrews, T. Kitagawa and A. McCloskey, "Inference on winners", QJE 139, 2024; Y. Benjamini, Y. Hechtlinger and P. B. Stark,
"Confidence intervals for selected parameters", 2019.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from irci.base import DataError
from irci.base.choices import TOPICS
from irci.base.types import Ends, Floats, Ints, Ints32, reaches
from irci.comparison.family import Family, difference_name
from irci.comparison.sources import Source
from irci.estimators.joint_resamples import resampled_means, topic_counts
from irci.estimators.means import Design, Tested, limits_by_ends, of_differences
from irci.output.tables import NO_WORD, Cell, PValue, Row
from irci.stats.bounded import few_differ
from irci.stats.decisions import agreeing
from irci.stats.scales import mean_over_topics
from irci.stats.tests import on_topics
from irci.wording import amount, p_text, say

EQUAL = 1e-12  # means that differ by no more are tied


class Best(NamedTuple):
    """The best of several runs: its place among a family's contrasts, and those of runs that are tied with it; of how many
    it was picked; its mean with limits, its corrected mean, and the largest p of a t test against any other run (nan:
    there is none). No lower limit (nan) without ends of the scale.

    Or the largest difference from a baseline that was named beforehand, without the last two.
    """

    family: Family
    place: int
    tied: list[int]
    of: int
    value: float
    lower: float
    upper: float
    corrected: float = math.nan
    p: float = math.nan


def best_of(alone: Family, pairs: Family | None) -> list[Best]:
    """The best run over topics by its mean, and by its difference from a baseline that was named beforehand, if this
    measure picks it."""
    topics, measure = alone.scored.plain_topics, alone.measure
    if topics is None or not measure.more_is_better:
        return []
    return [_best_run(alone, topics), *(() if pairs is None else _lead(pairs, topics))]


def _best_run(alone: Family, topics: Source) -> Best:
    """The best run by its mean over plain topics. Raises DataError if no topics are common to all."""
    common, scored = alone.common, alone.scored
    if not common.any():
        raise DataError(f"{alone.title}: the runs have no topic in common, so none is the best")
    scores = alone.values[:, common]
    runs, means = len(scores), mean_over_topics(scores.T)
    tied = tied_with_best(means).tolist()
    place, p = tied[0], math.nan
    value, (lower, upper) = float(means[place]), alone.tested(topics).limits[:, place].tolist()
    corrected = value
    if runs > 1 and scores.shape[1] < 2:
        lower = upper = corrected = math.nan
    elif runs > 1:
        counts = topic_counts(scores.shape[1], alone.design.resamples, alone.design.seed)
        corrected = min(corrected_mean(scores, place, counts), value)
        values = {name: np.where(common, of_base, np.nan) for name, of_base in scored.values.items()}
        pairs = np.array([(place, other) for other in range(runs) if other != place])
        comparison = alone.comparison._replace(pairs=pairs)
        lead = replace(alone, scored=scored._replace(values=values), comparison=comparison, adjusted_with=[])
        p = float(lead.tested(topics).p.max())
        lower = _lowest(alone, place, partial(_lower_limit, place=place))
    numbers = alone.measure.scale().back(np.array([value, lower, upper, corrected]))
    value, lower, upper, corrected = numbers.tolist()
    return Best(alone, place, tied, runs, value, lower, upper, corrected, p)


def _lowest(family: Family, place: int, limit: Callable[[Family], float]) -> float:
    """A lower limit of the contrast at a place, or that without topics which some run of it lacks, where that is lower."""
    without = family.without_lacking if family.lacks_topics()[place] else None
    return limit(family) if without is None else float(np.fmin(limit(family), limit(without)))


def _lower_limit(alone: Family, place: int) -> float:
    """The lower limit of the mean of the run at a place, the best of all, on the topics that all have; nan without these or
    ends of the scale."""
    scores = alone.values[[place]][:, alone.common]
    if alone.ends is None or not scores.size:
        return math.nan
    confidence = 1 - (1 - alone.design.confidence) / len(alone.pairs)
    return float(limits_by_ends(scores, mean_over_topics(scores.T), alone.ends, confidence)[0, 0])


def tied_with_best(means: Floats) -> Ints:
    """The places of the best of means[k], the first of them the one that is picked, int64[r]."""
    return np.flatnonzero(means >= means.max() - EQUAL)


def corrected_mean(scores: Floats, place: int, counts: Ints32) -> float:
    """The mean of the run at a place, the best of scores[k, n], less how much that of the best on resampled topics, counts
    int32[n, B], is above its mean on average (of runs tied there, on average over these); never more than the mean."""
    observed, means = scores.mean(axis=1), resampled_means(scores, counts)
    best = means >= means.max(axis=0) - EQUAL
    flattery = float((((means - observed[:, np.newaxis]) * best).sum(axis=0) / best.sum(axis=0)).mean())
    return float(observed[place]) - max(flattery, 0.0)


def _lead(family: Family, topics: Source) -> Iterator[Best]:
    """The best run's difference over plain topics from a baseline that was named beforehand, if there is one."""
    adjusted, common = family.over(topics), family.common
    is_adjusted = family.design.correction in ("holm", "maxt")
    baselines = () if family.request.all_pairs else family.request.baseline
    # The mean of all runs is no run, and not in the family that ranks go by.
    if not (is_adjusted and len(baselines) == 1 and baselines[0] in family.names and common.any()):
        return
    with_baseline = np.flatnonzero(family.pairs[:, 1] == family.names.index(baselines[0]))
    differences = on_topics(family.values, family.pairs[with_baseline], common)
    tied = tied_with_best(mean_over_topics(differences.T))
    index, runs = int(with_baseline[tied[0]]), len(with_baseline)
    if common.sum() < 2 or runs < 2 or np.isnan(adjusted.limits[0][index]):
        return

    def lower_limit(of: Family) -> float:
        (lead,) = on_topics(of.values, of.pairs[[index]], of.common)
        return lower_limit_of_lead(of.tested(topics), index, lead, runs, of.design, family.ends)

    limits = limits_of_lead(adjusted, index, _lowest(family, index, lower_limit), family.design)
    yield Best(family, index, with_baseline[tied].tolist(), runs, float(adjusted.of.value[index]), *limits)


def lower_limit_of_lead(
    tested: Tested, place: int, lead: Floats, runs: int, design: Design, ends: Ends | None
) -> float:
    """The lower limit of the difference at a place, lead[n] on the topics that all runs share, the largest of so many runs
    from one baseline; nan without `ends` of the scores' scale."""
    if ends is None or not len(lead):
        return math.nan
    confidence, scale = 1 - (1 - design.confidence) / runs, of_differences(ends)
    lower = np.fmin(tested.limits[0][place], tested.of.limits(confidence)[0][place])
    if tested.interval[place] == "bounded" or few_differ(lead[np.newaxis])[0]:
        lower = np.fmin(lower, limits_by_ends(lead[np.newaxis], tested.of.value[[place]], scale, confidence)[0][0])
    return float(np.maximum(lower, scale[0]))


def limits_of_lead(tested: Tested, place: int, lower: float, design: Design) -> tuple[float, float]:
    """Limits of the difference at a place, the largest from one baseline, that allow for its having been picked; they agree
    with adjusted p."""
    own = tested.limits[:, [place]]
    # Its own bounded limits may hold 0 though p of signs is small: those that allow for more hold it, too.
    p = np.where((own[0] <= 0) & (own[1] >= 0), np.nan, tested.p_adjusted[[place]])
    lowest, highest = agreeing(np.stack(([lower], own[1])), tested.of.value[[place]], p, design.confidence)
    return lowest.item(), highest.item()


def row_of_best(best: Best) -> Row:
    """The row of the best run by a measure, or of its difference from a baseline."""
    family, (run, baseline) = best.family, best.family.pairs[best.place].tolist()
    name, of_pair, own = difference_name(family.measure), {"baseline": family.names[baseline]}, dict[str, Cell]()
    if not family.is_of_pairs:
        name, of_pair, own = family.measure.name, {}, {"corrected": best.corrected, "p_best": PValue(best.p)}
    return {
        "measure": name, "topic": "all", "value": best.value, "lower": best.lower, "upper": best.upper,
        "run": family.names[run], **of_pair, "population": TOPICS, "of": best.of, **own,
        "reason": "unbounded" if best.of > 1 and family.ends is None else NO_WORD,
    }  # fmt: skip


def sentences_of_best(best: Best, *, is_alone: bool) -> Iterator[str]:
    """Which run is the best by a measure, how good it is, and whether another one may be better; or by how much it leads a
    baseline. `is_alone`: pairs are not asked for."""
    family, (run, baseline) = best.family, best.family.pairs[best.place].tolist()
    facts = {
        "run": family.names[run], "measure": family.measure.name, "all": best.of, "p": p_text(best.p),
        "confidence": 100 * family.request.confidence, "value": amount(best.value), "lower": amount(best.lower),
        "upper": amount(best.upper), "mean": amount(best.corrected),
    }  # fmt: skip
    has_lower = not math.isnan(best.lower)
    if family.is_of_pairs:
        kind = "lead" if has_lower else "lead_without_lower"
        yield say(f"best.{kind}", **facts, baseline=family.names[baseline])
    elif best.of == 1:
        yield say("best.only", **facts)
    else:
        evidence = "is_shown" if reaches(best.p, family.alpha) else "is_not_shown"
        parts = {
            "corrected": "nothing" if math.isnan(best.corrected) else "corrected",
            "interval": "between" if has_lower else "nothing" if math.isnan(best.upper) else "at_most",
            "evidence": "nothing" if math.isnan(best.p) else evidence,
        }
        yield say("best.picked", **facts, **{part: say(f"best.{name}", **facts) for part, name in parts.items()})
        if is_alone:
            yield say("best.beyond")
