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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from irci.base import DataError
from irci.base.choices import TOPICS
from irci.base.types import Ends, Floats, Ints, Ints32, reaches
from irci.comparison.family import Family, difference_name
from irci.comparison.sources import Source
from irci.estimators.joint_resamples import resampled_means, topic_counts
from irci.estimators.means import Design, Tested, limits_by_ends, of_differences
from irci.output.tables import NO_WORD, Cell, PValue, Row
from irci.stats.decisions import agreeing
from irci.stats.scales import few_differ, mean_over_topics
from irci.stats.tests import on_topics
from irci.wording import Notice, amount, notice, p_text, say

EQUAL = 1e-12  # means that differ by no more are tied


Picked = tuple[Row, list[str], list[Notice]]


def best_of(alone: Family, pairs: Family | None) -> Iterator[Picked]:
    """The best run over topics by its mean, and by its difference from a baseline that was named beforehand, if this measure
    picks it: a row of each, sentences and notices. There is no lower limit (nan) without ends of the scale."""
    topics, measure = alone.scored.plain_topics, alone.measure
    if topics is not None and measure.more_is_better:
        yield _best_run(alone, topics, is_alone=pairs is None)
        yield from () if pairs is None else _lead(pairs, topics)


def _picked(
    family: Family, place: int, runs: int, value: float, limits: Sequence[float], **own: Cell
) -> tuple[Row, dict[str, Any]]:
    """A row of the contrast at a place, picked of so many, with its `own` cells; and facts for sentences."""
    (run, baseline), (lower, upper), measure = family.pairs[place].tolist(), limits, family.measure.name
    names = {"run": family.names[run]} | ({"baseline": family.names[baseline]} if family.is_of_pairs else {})
    row: Row = {
        "measure": difference_name(family.measure) if family.is_of_pairs else measure, "topic": "all", "value": value,
        "lower": lower, "upper": upper, **names, "population": TOPICS, "of": runs, **own,
        "reason": "unbounded" if runs > 1 and family.ends is None else NO_WORD,
    }  # fmt: skip
    facts = {"measure": measure, "all": runs, "confidence": 100 * family.request.confidence, "value": amount(value)}
    return row, {**names, **facts, "lower": amount(lower), "upper": amount(upper)}


def _best_run(alone: Family, topics: Source, *, is_alone: bool) -> Picked:
    """The best run by its mean over plain topics. Raises DataError if no topics are common to all."""
    if not alone.common.any():
        raise DataError(f"{alone.title}: the runs have no topic in common, so none is the best")
    scores, p = alone.values[:, alone.common], math.nan
    runs, means = len(scores), mean_over_topics(scores.T)
    place, *tied = tied_with_best(means).tolist()
    # Value, lower and upper limit, and the corrected value.
    numbers = np.array([means[place], *alone.tested(topics).limits[:, place], means[place]])
    if runs > 1 and scores.shape[1] < 2:
        numbers[1:] = math.nan
    elif runs > 1:
        counts = topic_counts(scores.shape[1], alone.design.resamples, alone.design.seed)
        numbers[3] = min(corrected_mean(scores, place, counts), means[place])
        pairs = np.array([(place, other) for other in range(runs) if other != place])
        on_common, comparison = alone.scored.replaced(mask=alone.common), alone.comparison._replace(pairs=pairs)
        lead = replace(alone, scored=on_common, comparison=comparison, adjusted_with=[])
        p = float(lead.tested(topics).p.max())
        numbers[1] = _lowest(alone, place, partial(_lower_limit, place=place))
    value, lower, upper, corrected = alone.measure.scale().back(numbers).tolist()
    row, facts = _picked(alone, place, runs, value, (lower, upper), corrected=corrected, p_best=PValue(p))
    if runs == 1:
        return row, [say("best.only", **facts)], []
    facts |= {"p": p_text(p), "mean": amount(corrected)}
    parts = {
        "corrected": "nothing" if math.isnan(corrected) else "corrected",
        "interval": "between" if not math.isnan(lower) else "nothing" if math.isnan(upper) else "at_most",
        "evidence": "nothing" if math.isnan(p) else "is_shown" if reaches(p, alone.alpha) else "is_not_shown",
    }
    sentences = [say("best.picked", **facts, **{part: say(f"best.{name}", **facts) for part, name in parts.items()})]
    notices, why = list[Notice](), "the scale has no known ends (--range)"
    if tied:
        names = [alone.names[run] for run in (place, *tied)]
        notices.append(notice("tied_best", measure=alone.title, names=names))
    if alone.ends is None:
        notices.append(notice("lacking", measure=alone.title, what="lower limit", who=" for the best run", why=why))
    return row, [*sentences, *([say("best.beyond")] if is_alone else [])], notices


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


def _lead(family: Family, topics: Source) -> Iterator[Picked]:
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
    row, facts = _picked(family, index, runs, float(adjusted.of.value[index]), limits)
    yield row, [say("best.lead_without_lower" if math.isnan(limits[0]) else "best.lead", **facts)], []


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
