"""The best run by a measure, over topics: its mean and its lead over a baseline, with limits that allow for its having been
picked, in rows and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irci.base import DataError
from irci.base.choices import TOPICS
from irci.base.types import reaches
from irci.comparison.family import Family, difference_name
from irci.comparison.sources import Source
from irci.estimators.best import Best, best_mean, limits_of_lead, lower_limit, lower_limit_of_lead, tied_with_best
from irci.estimators.joint_resamples import on_topics
from irci.output.tables import NO_WORD, Cell, PValue, Row
from irci.stats.scales import mean_over_topics
from irci.wording import amount, p_text, say

if TYPE_CHECKING:
    from irci.comparison.rows import OnMeasure


def best_run(alone: Family, topics: Source) -> Best:
    """The best run by its mean over plain topics. Raises DataError if no topics are common to all."""
    if not alone.common.any():
        raise DataError(f"{alone.title}: the runs have no topic in common, so none is the best")
    scores, keys = alone.values[:, alone.common], alone.scored.keys[alone.common]
    limits = alone.tested(topics).limits
    best = best_mean(scores, limits, keys, alone.design, alone.ends, are_points=alone.are_points)
    without = alone.without_lacking
    if without is None or best.of == 1 or not without.common.any():
        return best
    of_fewer = lower_limit(without.values[best.place, without.common], best.of, alone.design, alone.ends)
    pairs = np.array([(best.place, other) for other in range(best.of) if other != best.place])
    lead = replace(alone, comparison=alone.comparison._replace(pairs=pairs), measures=[])
    lower = min(best.lower, of_fewer) if alone.lacks_topics(topics)[best.place] else best.lower
    return best._replace(lower=lower, p=float(lead.tested(topics).p.max()))


def lead_of_best(family: Family, topics: Source) -> Best | None:
    """The best run's difference over plain topics from a baseline that was named beforehand, if there is one."""
    adjusted = family.over(topics)
    is_adjusted = family.design.correction in ("holm", "maxt")
    baselines = () if family.request.all_pairs else family.request.baseline
    # The mean of all runs is no run, and not in the family that ranks go by.
    if not (is_adjusted and len(baselines) == 1 and baselines[0] in family.names and family.common.any()):
        return None
    with_baseline = np.flatnonzero(family.pairs[:, 1] == family.names.index(baselines[0]))
    differences = on_topics(family.values, family.pairs[with_baseline], family.common)
    tied = tied_with_best(mean_over_topics(differences.T))
    index, lead, number = int(with_baseline[tied[0]]), differences[tied[0]], len(with_baseline)
    if len(lead) < 2 or number < 2 or np.isnan(adjusted.tested.limits[0][index]):
        return None
    lower = lower_limit_of_lead(adjusted.tested, index, lead, number, family.design, family.ends)
    without = family.without_lacking
    if without is not None and family.lacks_topics(topics)[index] and without.common.any():
        (lead,) = on_topics(without.values, family.pairs[[index]], without.common)
        of_fewer = lower_limit_of_lead(without.tested(topics), index, lead, number, family.design, family.ends)
        lower = min(lower, of_fewer)
    limits = limits_of_lead(adjusted.tested, index, lower, adjusted.p_adjusted, family.design)
    return Best(index, with_baseline[tied].tolist(), number, float(adjusted.tested.of.value[index]), *limits)


def _on_scores(family: Family, best: Best) -> tuple[float, ...]:
    """Its mean, limits and corrected mean, transformed back."""
    numbers = np.array([best.value, best.lower, best.upper, best.corrected])
    return tuple(family.measure.scale().back(numbers).tolist())


def row_of_best(family: Family, best: Best) -> Row:
    """The row of the best run by a measure, or of its difference from a baseline."""
    run, baseline = family.pairs[best.place].tolist()
    names, own = {"run": family.names[run]}, dict[str, Cell]()
    if family.is_of_pairs:
        name, limits = difference_name(family.measure), [best.value, best.lower, best.upper]
        names["baseline"] = family.names[baseline]
    else:
        name, (*limits, corrected) = family.measure.name, _on_scores(family, best)
        own = {"corrected": corrected, "p_best": PValue(best.p)}
    return {
        "measure": name, "topic": "all", **dict(zip(("value", "lower", "upper"), limits, strict=True)),
        **names, "population": TOPICS, "of": best.of, **own,
        "reason": "unbounded" if best.of > 1 and family.ends is None else NO_WORD,
    }  # fmt: skip


def sentences_of_best(on_measures: Sequence[OnMeasure]) -> Iterator[str]:
    """For each measure which run is the best, how good it is, and whether another one may be better."""
    for on in on_measures:
        if on.best is not None:
            yield _sentence(on.alone, on.best)
        if on.pairs is not None and (lead := on.lead) is not None:
            run, baseline = (on.pairs.names[side] for side in on.pairs.pairs[lead.place].tolist())
            yield say(
                "best.lead" if lead.lower == lead.lower else "best.lead_without_lower", run=run, baseline=baseline,
                all=lead.of, measure=on.measure.name, value=amount(lead.value), lower=amount(lead.lower),
                upper=amount(lead.upper), confidence=100 * on.pairs.request.confidence,
            )  # fmt: skip


def _sentence(family: Family, best: Best) -> str:
    facts = {
        "run": family.names[best.place], "measure": family.measure.name, "all": best.of, "p": p_text(best.p),
        "confidence": 100 * family.request.confidence,
        **dict(zip(("value", "lower", "upper", "mean"), map(amount, _on_scores(family, best)), strict=True)),
    }  # fmt: skip
    if best.of == 1:
        return say("best.only", **facts)
    parts = {
        "corrected": "corrected" if best.corrected == best.corrected else "nothing",
        "interval": "between" if best.lower == best.lower else "at_most" if best.upper == best.upper else "nothing",
        "evidence": "nothing" if best.p != best.p else _outcome(family, best),
    }
    return say("best.picked", **facts, **{part: say(f"best.{name}", **facts) for part, name in parts.items()})


def _outcome(family: Family, best: Best) -> str:
    """If it is shown that no other run given is better: every pair of the best run is significant by itself."""
    return "is_shown" if reaches(best.p, family.alpha) else "is_not_shown"


def captions_of_best(on_measures: Sequence[OnMeasure]) -> Iterator[str]:
    """By which measures it is shown that no run is better than the best, and by which not."""
    measures_of_outcome: dict[str, list[str]] = {}
    for on in on_measures:
        if on.best is not None and on.best.p == on.best.p:
            measures_of_outcome.setdefault(_outcome(on.alone, on.best), []).append(on.measure.name)
    for outcome, measures in sorted(measures_of_outcome.items(), reverse=True):
        yield say(f"best.{outcome}_in", measures=", ".join(measures))
