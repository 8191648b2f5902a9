"""A family: contrasts (means of runs, or differences) on one measure that are adjusted together, over each source."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irci.base.types import Bools, Floats, Pairs, Progress, as_they_are
from irci.bootstrap.joint_resamples import NOTHING, Comparison
from irci.data.measures import Measure
from irci.methods.compare.adjusted_limits import level
from irci.methods.compare.design import Design
from irci.methods.compare.differences import over_topics
from irci.methods.compare.tested import Tested
from irci.stats.intervals import Interval
from irci.stats.simultaneous import Simultaneous, simultaneous
from irci.stats.tests import adjusted
from irci.stats.units import Units
from irci.studies.compare.request import Request

if TYPE_CHECKING:
    from irci.studies.compare.scored import Scored
    from irci.studies.compare.sources.source import Source

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class Adjusted:
    """What one source says of a family: each contrast by itself, p adjusted for their number, and limits if asked for."""

    tested: Tested
    p_adjusted: Floats
    limits_adjusted: Interval | None


@dataclass(frozen=True)
class Family:
    """Contrasts of rows of scores by one measure. With maxt only topics that all runs share count."""

    request: Request
    design: Design
    scored: Scored
    measure: Measure
    comparison: Comparison
    threads: int = 1
    progress: Progress = as_they_are
    _adjusted: dict[str, Adjusted] = field(default_factory=dict)
    _simultaneous: dict[str, tuple[Simultaneous, Units]] = field(default_factory=dict)

    @property
    def pairs(self) -> Pairs:
        """The contrasts int64[P, 2]: run and baseline, or NOTHING."""
        return self.comparison.pairs

    @property
    def names(self) -> list[str]:
        """The rows' names."""
        return self.comparison.names

    @property
    def title(self) -> str:
        """What messages begin with: the collection, if it is one of several, and the measure."""
        return self.prefix + self.measure.name

    @property
    def prefix(self) -> str:
        """The collection, if it is one of several."""
        return f"{self.scored.where}: " if self.scored.where else ""

    @property
    def is_of_pairs(self) -> bool:
        """Whether contrasts are differences."""
        return bool((self.pairs[:, 1] != NOTHING).all())

    @cached_property
    def raw(self) -> Floats:
        """Scores float64[rows, M]."""
        values = self.scored.scores(self.measure.base, self.comparison)
        if self.design.correction == "maxt":
            values = np.where(np.isnan(values).any(axis=0), np.nan, values)
        return values

    @cached_property
    def values(self) -> Floats:
        """The scores on the scale on which the measure is averaged."""
        return self.request.scale(self.measure).forward(self.raw)

    @property
    def common(self) -> Bools:
        """The scores bool[M] that all rows have."""
        return np.asarray(~np.isnan(self.values).any(axis=0))

    @cached_property
    def over_topics(self) -> Tested:
        """The contrasts with topics as a plain sample."""
        return over_topics(self.values, self.pairs, self.scored.keys, self.design, self.progress)

    def over(self, source: Source) -> Adjusted:
        """What a source says, found once."""
        key = source.name + "".join(source.labels.values())
        if key not in self._adjusted:
            self._adjusted[key] = self._adjust(source)
        return self._adjusted[key]

    def _adjust(self, source: Source) -> Adjusted:
        tested = source.tested(self) if self.is_of_pairs else source.means(self)
        correction, limits = self.design.correction, None
        if correction == "maxt":
            p_adjusted, limits = source.at_once(self, tested)
        else:
            p_adjusted = adjusted(tested.p, correction)
            if self.request.adjusted_limits and correction != "none":
                limits = self._limits_at_level(source, tested, p_adjusted)
        return Adjusted(tested, p_adjusted, limits if self.request.adjusted_limits else None)

    def _limits_at_level(self, source: Source, tested: Tested, p_adjusted: Floats) -> Interval:
        """Limits that go with p adjusted by holm or bh; nan for pairs that have none."""
        assert self.design.correction in ("holm", "bh")
        confidence, chosen = level(p_adjusted, self.design.correction, self.design.confidence)
        nothing = np.full(len(chosen), np.nan)
        lower, upper = source.limits(self, tested, confidence) if chosen.any() else (nothing, nothing)
        return np.where(chosen, lower, np.nan), np.where(chosen, upper, np.nan)

    def simultaneous(self, source: Source) -> tuple[Simultaneous, Units]:
        """All pairs at once by signs of a source's units, on the scores that all rows have."""
        if source.name not in self._simultaneous:
            units = source.units(self.values, self.common)
            found = simultaneous(
                units.values, self.pairs, units.keys, weights=units.weights, resamples=self.design.signs,
                seed=self.design.seed, confidence=self.design.confidence, threads=self.threads,
            )  # fmt: skip
            self._simultaneous[source.name] = found, units
        return self._simultaneous[source.name]

    def at(self, confidence: float) -> Design:
        """The design with another confidence."""
        return replace(self.design, confidence=confidence)

    def warn_of_no_limits_at_once(self, few: str) -> None:
        """Say of what there are too few for limits that hold for all pairs at once."""
        logger.warning(f"{self.title}: {few} allow no limits for all pairs at once at this confidence")
