"""Pairs of runs compared on one measure: what each population says of them, adjusted together."""

import logging
from dataclasses import dataclass, field

import numpy as np

from irci.base.choices import PairCorrection, Varies
from irci.base.errors import DataError
from irci.base.types import Floats
from irci.bootstrap.joint_resamples import Comparison, common_topics, on_topics
from irci.data.measures import Measure
from irci.methods.map_ci.adjusted_limits import level
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.signs import is_exact, p_by_signs, topic_signs
from irci.stats.simultaneous import simultaneous
from irci.stats.tests import adjusted, as_t
from irci.studies.map_ci.family import warn_of_too_few
from irci.studies.structured.settings import Settings
from irci.studies.structured.structure import Structure

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class Tested:
    """Of P pairs in one population: estimates, limits, p, its Monte-Carlo error by --test randomization, what it comes from,
    adjusted p, and limits that allow for the number of pairs if asked for."""

    of: Estimates
    limits: Interval
    p: Floats
    p_error: Floats | None
    test: list[str]
    p_adjusted: Floats
    limits_adjusted: Interval | None


@dataclass(frozen=True)
class Compared:
    """A family of pairs, compared on one measure."""

    settings: Settings
    structure: Structure
    correction: PairCorrection
    measure: Measure
    comparison: Comparison
    threads: int = 1
    _tested: dict[Varies, Tested] = field(default_factory=dict)
    _values: list[Floats] = field(default_factory=list)

    @property
    def prefix(self) -> str:
        """What messages begin with: the collection, if it is one of several."""
        return f"{self.structure.where}: " if self.structure.where else ""

    @property
    def title(self) -> str:
        """What messages on this measure begin with."""
        return self.prefix + self.measure.name

    @property
    def values(self) -> Floats:
        """Scores on the measure's scale; with maxt those that all runs have."""
        if not self._values:
            values = self.settings.scale(self.measure).forward(
                self.structure.scores(self.measure.base, self.comparison)
            )
            if self.correction == "maxt":
                values = np.where(np.isnan(values).any(axis=0), np.nan, values)
            self._values.append(values)
        return self._values[0]

    @property
    def signs(self) -> int:
        """How many assignments of signs are drawn, where there are more."""
        return self.settings.signs(self.correction)

    def is_exact(self, varies: Varies) -> bool:
        """Whether all assignments of signs are gone through."""
        return is_exact(int(self.tested(varies).of.units.max(initial=0)), self.signs)

    def tested(self, varies: Varies) -> Tested:
        """What one population says, found once."""
        if varies not in self._tested:
            self._tested[varies] = self._test(varies)
        return self._tested[varies]

    def _test(self, varies: Varies) -> Tested:
        settings, confidence = self.settings, self.settings.confidence
        of = self.structure.estimates(self.values, self.comparison.pairs, varies)
        p, p_error, test = of.p(), None, np.where(of.constant & (of.value != 0), "signs", "t").tolist()
        if settings.test == "randomization":
            p, p_error = self._randomization(varies)
            test = ["randomization"] * len(p)
        limits, limits_adjusted = of.limits(confidence), None
        if self.correction == "maxt":
            p_adjusted, at_once = self._together(of, varies)
            if settings.interval == "simultaneous":
                assert at_once is not None
                limits = at_once
            limits_adjusted = at_once if settings.adjusted_limits else None
        else:
            p_adjusted = adjusted(p, self.correction)
            if settings.adjusted_limits and self.correction != "none":
                at, chosen = level(p_adjusted, self.correction, confidence)
                lower, upper = of.limits(at)
                limits_adjusted = np.where(chosen, lower, np.nan), np.where(chosen, upper, np.nan)
        return Tested(of, limits, p, p_error, test, p_adjusted, limits_adjusted)

    def _randomization(self, varies: Varies) -> tuple[Floats, Floats]:
        """Two-sided p[P] by one sign a unit, and its Monte-Carlo error, 0 where all signs are gone through."""
        pairs, number = self.comparison.pairs, self.signs
        p, error = np.full((2, len(pairs)), np.nan)
        for mask, some in common_topics(self.structure.of_runs(self.values), pairs):
            if mask.any():
                units = self.structure.units(self.values, mask, varies)
                differences = on_topics(units.values, pairs[some], np.ones(len(units.keys), np.bool_))
                p[some] = p_by_signs(differences, topic_signs(units.keys, number, self.settings.seed))
                drawn = not is_exact(len(units.keys), number)
                error[some] = np.sqrt(p[some] * (1 - p[some]) / number) if drawn else 0.0
        return p, error

    def _together(self, of: Estimates, varies: Varies) -> tuple[Floats, Interval | None]:
        """Adjusted p of all pairs at once, and limits if they are asked for, by one sign a unit."""
        common = np.asarray(~np.isnan(self.values).any(axis=0))
        if not common.any():
            if not self.structure.where:
                raise DataError("the runs have no topic in common")
            logger.warning(f"{self.title}: the runs have no topic in common, so no pairs are compared there")
        if np.isnan(of.value).all():
            unknown = np.full_like(of.value, np.nan)
            return unknown, (unknown, unknown)
        units = self.structure.units(self.values, common, varies)
        found = simultaneous(
            units.values, self.comparison.pairs, units.keys, weights=units.weights, resamples=self.signs,
            seed=self.settings.seed, confidence=self.settings.confidence, threads=self.threads,
        )  # fmt: skip
        p = np.where(np.isnan(of.value) | (of.units < 2), np.nan, found.p)
        if self.settings.interval != "simultaneous" and not self.settings.adjusted_limits:
            return p, None
        if not np.isfinite(found.width) and len(units.keys) > 1:
            number = f"{len(units.keys)} {varies}" if found.exact else f"{found.signs.number} resamples (-B)"
            warn_of_too_few(self.title, number)
        if units.weights is None:
            return p, of.within(as_t(found.largest_u, len(units.keys)))
        # By what signs do not reject: standard errors are not those of as many units alike. None varies: as without weights.
        known = ~np.isnan(of.error)
        lower, upper = (
            np.where(of.constant, of.value, np.where(known, each, np.nan)) for each in (found.lower, found.upper)
        )
        if np.isfinite(found.width) and np.isnan(lower[known]).any():
            logger.warning(f"{self.title}: {varies} of such unequal weights allow no limits for all pairs at once")
        return p, (lower, upper)
