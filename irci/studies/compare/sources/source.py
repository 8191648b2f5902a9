"""What the engine asks of a source of variation; most need to give estimates, and the units that one sign is drawn for."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irci.base.errors import DataError
from irci.base.types import Bools, Floats, Pairs
from irci.bootstrap.joint_resamples import NOTHING, common_topics, on_topics
from irci.methods.compare.tested import Tested
from irci.output.report import Row
from irci.output.report import Source as InReport
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.signs import is_exact, p_by_signs, topic_signs
from irci.stats.tests import as_t
from irci.stats.units import Units

if TYPE_CHECKING:
    from irci.studies.compare.family import Family

logger = logging.getLogger("irci")


class Source:
    """A source of variation: its words, and estimates of means and differences with errors that it makes.

    `name`: the population of its rows; `lead`: how sentences about it begin, and `among` those about many; `explains`: what
    limits over it are for, in a sentence; `over`: what varies, for captions; `counted`: the units that messages count.
    `labels`: further columns behind the population. `before`: the columns, `df` or of the estimates, that stand before the
    name of the test, the others behind it. `has_draws`: signs of its units, or joint resamples, from which the largest
    statistic of all pairs follows. `least_p`: p below it is not told to readers. `observes`: sentences begin with what was
    observed. `own_notices`: what is to be warned of is its own. `members_of`: the groups that are given, whose differences
    signs of members count as chance. `label`: of pictures; `varies` and `stays`: what a page says of it.
    """

    name: str = ""
    lead: str = ""
    explains: str = ""
    over: str = ""
    counted: str = ""
    labels: Mapping[str, str] = {}
    before: Sequence[str] = ("df",)
    tests: Sequence[str] = ("t", "randomization")
    has_draws = True
    has_test_column = True
    tells_verdicts = True
    least_p = 1e-16
    observes = False
    own_notices = False
    label = ""
    varies = ""
    stays = "The documents, their judgments and the runs"
    members_of = ""

    @property
    def in_report(self) -> InReport:
        """The words for pictures and pages."""
        return InReport(self.label, f"In rows for {self.name}, {self.varies}. {self.stays} stay the same there.")

    @property
    def among(self) -> str:
        """How sentences about many pairs, or ranks, begin."""
        return self.lead

    def estimates(self, values: Floats, pairs: Pairs) -> Estimates:
        """Estimates of each of pairs[P, 2] (a run, or a run less its baseline) of values[rows, M] on the measure's scale."""
        raise NotImplementedError

    def units(self, values: Floats, mask: Bools) -> Units:
        """What one sign is drawn for, of the scores bool[M] that the mask chooses."""
        raise NotImplementedError

    def of_runs(self, values: Floats) -> Floats:
        """Scores float64[rows, M] of what is compared: these as they are, unless several rows make a run."""
        return values

    def tested(self, family: Family) -> Tested:
        """Estimates of the family's contrasts, with limits and p of each by itself."""
        of = self.estimates(family.values, family.pairs)
        limits = of.limits(family.design.confidence)
        if family.design.test == "randomization":
            p, p_error = self._randomization(family)
            return Tested(of, limits, p, ["randomization"] * len(p), p_error)
        return Tested(of, limits, of.p(), np.where(of.constant & (of.value != 0), "signs", "t").tolist())

    def means(self, alone: Family) -> Tested:
        """The same of single runs, by Student's t, whatever test is asked for of pairs."""
        return self.tested(alone)

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        """Limits of each contrast by itself at another confidence."""
        return tested.of.limits(confidence)

    def at_once(self, family: Family, tested: Tested) -> tuple[Floats, Interval | None]:
        """Adjusted p of all pairs at once, and limits if they are asked for, by one sign a unit."""
        of, common = tested.of, family.common
        if not common.any():
            if not family.scored.where:
                raise DataError("the runs have no topic in common")
            logger.warning(f"{family.title}: the runs have no topic in common, so no pairs are compared there")
        if np.isnan(of.value).all():
            unknown = np.full_like(of.value, np.nan)
            return unknown, (unknown, unknown)
        found, units = family.simultaneous(self)
        p = np.where(np.isnan(of.value) | (of.units < 2), np.nan, found.p)
        if not family.request.adjusted_limits:
            return p, None
        number = len(units.keys)
        if not np.isfinite(found.width) and number > 1:
            few = f"{number} {self.name}" if found.exact else f"{found.signs.number} resamples (-B)"
            family.warn_of_no_limits_at_once(few)
        if units.weights is None:
            return p, of.within(as_t(found.largest_u, number))
        # What signs do not reject: standard errors are not those of as many units alike. None varies: as without weights.
        known = ~np.isnan(of.error)
        lower, upper = (
            np.where(of.constant, of.value, np.where(known, each, np.nan)) for each in (found.lower, found.upper)
        )
        if np.isfinite(found.width) and np.isnan(lower[known]).any():
            logger.warning(f"{family.title}: {self.name} of such unequal weights allow no limits for all pairs at once")
        return p, (lower, upper)

    def _randomization(self, family: Family) -> tuple[Floats, Floats]:
        """Two-sided p[P] by one sign a unit, and its Monte-Carlo error, 0 where all signs are gone through."""
        pairs, number = family.pairs, family.design.signs
        p, error = np.full((2, len(pairs)), np.nan)
        for mask, some in common_topics(self.of_runs(family.values), pairs):
            if mask.any():
                units = self.units(family.values, mask)
                differences = on_topics(units.values, pairs[some], np.ones(len(units.keys), np.bool_))
                p[some] = p_by_signs(differences, topic_signs(units.keys, number, family.design.seed))
                drawn = not is_exact(len(units.keys), number)
                error[some] = np.sqrt(p[some] * (1 - p[some]) / number) if drawn else 0.0
        return p, error

    def equivalence_p(self, family: Family, tested: Tested, margin: Floats) -> Floats:
        """p[P] of two one-sided tests of differences as large as margin[P]."""
        return tested.of.equivalence_p(margin)

    def baseline_means(self, family: Family, shown: int) -> Floats:
        """The baselines' means, float64[shown], on the topics that they share with the run."""
        chosen, mean = family.pairs[:shown], np.full(shown, np.nan)
        alone = np.column_stack((chosen[:, 1], np.full(shown, NOTHING)))
        for mask, some in common_topics(self.of_runs(family.values), chosen):
            mean[some] = self.estimates(np.where(mask, family.values, np.nan), alone[some]).value
        return mean

    def run_means(self, family: Family, runs: int) -> Floats:
        """The means of all runs, float64[runs], on the topics that all of them share: what ranks go by."""
        alone = np.column_stack((np.arange(runs), np.full(runs, NOTHING)))
        return self.estimates(np.where(family.common, family.values, np.nan), alone).value

    def identical(self, family: Family, same: Bools) -> Bools:
        """Which pairs are identical, of those bool[P] that score the same on every topic."""
        return same

    def directions(self, family: Family, values: Floats) -> Floats:
        """The signs, float64[P], of what the test speaks of, of differences values[P]."""
        return np.sign(values)

    def topics_per_unit(self, family: Family) -> float:
        """The topics that another unit like these brings along; nan if it brings none."""
        return 1.0

    def most_units(self, family: Family, tested: Tested) -> int:
        """The most units that any contrast has."""
        return int(tested.of.units.max(initial=0))

    def sentence(self, row: Row) -> str | None:
        """A sentence of its own on a difference, of a source without p."""
        return None

    def conclusion(self, run: str, difference: float, *, found: bool) -> str:
        """What a significant, or another, difference of a run less its baseline says."""
        if not found:
            return "not enough evidence to tell which run scores higher"
        return f"evidence that {run} scores {'higher' if difference > 0 else 'lower'} on average"

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """What else is to be said of rows of means, or of differences."""
        return ()
