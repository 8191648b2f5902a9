"""--adjusted-limits: for each population the limits of a family's differences that allow for their number."""

from dataclasses import replace
from typing import get_args

import numpy as np

from irci.base.choices import BOTH, TOPICS, Population, ResampledInterval
from irci.data.measures import Measure
from irci.data.notices import warn_of_few_resamples
from irci.methods.map_ci.adjusted_limits import level, within
from irci.methods.map_ci.differences import Differences, limits_over_topics, over_both, over_documents
from irci.stats.decisions import max_t_width
from irci.stats.intervals import Interval
from irci.studies.map_ci.family import Family, warn_of_too_few


def adjusted_limits(family: Family, measure: Measure) -> dict[Population, Interval]:
    """Those that go with the family's adjusted p."""
    tested = family.tested(measure)
    return {population: _over(family, measure, population) for population in tested.differences}


def _over(family: Family, measure: Measure, population: Population) -> Interval:
    correction = family.asked.method.correction
    tested = family.tested(measure)
    found, p_adjusted = tested.differences[population], tested.p_adjusted[population]
    match correction:
        case "maxt":
            return _at_once(family, measure, population, found)
        case "holm" | "bh":
            confidence, chosen = level(p_adjusted, correction, family.asked.method.confidence)
        case _:
            raise AssertionError("refused before")
    if not chosen.any():
        return np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    lower, upper = _at(confidence, family, measure, population, found)
    return np.where(chosen, lower, np.nan), np.where(chosen, upper, np.nan)


def _at_once(family: Family, measure: Measure, population: Population, found: Differences) -> Interval:
    """By the largest statistic of all pairs."""
    if population == TOPICS:
        together = family.simultaneous(measure)
        return together.lower, together.upper
    if population == BOTH:
        return within(found, family.simultaneous(measure).width)
    if family.joint.of_all is None:
        return within(found, np.inf)
    settings = family.asked.method
    replicates = family.joint.of_all.means(settings.scale(measure))
    width = max_t_width(replicates, family.comparison.pairs, settings.confidence)
    if not np.isfinite(width):
        warn_of_too_few(measure.name, f"{settings.resamples} resamples (-B)")
    return within(found, width)


def _at(confidence: float, family: Family, measure: Measure, population: Population, found: Differences) -> Interval:
    """The family's differences with ordinary limits at another confidence."""
    settings = replace(family.asked.method, confidence=confidence)
    scale, pairs = settings.scale(measure), family.comparison.pairs
    on_scale = scale.forward(family.values)
    if population == TOPICS:
        if settings.interval in get_args(ResampledInterval):
            limits = f"{measure.name}: adjusted {settings.interval}"
            warn_of_few_resamples(limits, settings.resamples, confidence, ", or --interval t")
        return limits_over_topics(on_scale, pairs, settings)
    spreads = family.joint.spreads.get(scale.name) if population == BOTH else None
    if spreads is not None:
        found = over_both(found, on_scale, spreads, settings)
    else:
        found = over_documents(found, found.error, confidence)
    return found.lower, found.upper
