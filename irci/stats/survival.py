"""Claims about pairs of runs, and what other sources of variation say of them.

That all of several sources agree is shown by the largest of their p, none of them adjusted: the union of their null hypotheses
is rejected where each is (R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24, 1982).
For a family of pairs these largest p are adjusted by Holm's method. Pairs confirmed by each source with p adjusted by steps
within that source are no such claim: with half of the pairs equal in each of two sources it errs in 9 to 11 of 100 experiments
at .05, with five sources in 20 to 24.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from irci.base.types import Bools, Floats
from irci.stats.decisions import separated
from irci.stats.tests import adjusted

Survival = Literal["confirmed", "not confirmed", "reversed", "not testable"]
VERDICTS: tuple[Survival, ...] = get_args(Survival)
FEWEST_TOLD = 2


class Told(NamedTuple):
    """One source on P pairs, float64[P] each: the difference, two-sided p, and p adjusted for the family; nan where nothing
    can be told."""

    value: Floats
    p: Floats
    p_adjusted: Floats

    def where(self, known: Bools) -> "Told":
        """The same with nothing told of pairs that are not known[P]."""
        return Told(*(np.where(known, each, np.nan) for each in self))

    @property
    def is_told(self) -> Bools:
        """bool[P]: there is a difference, and p."""
        return np.asarray(~np.isnan(self.p) & ~np.isnan(self.value) & (self.value != 0))


def survival(claimed: Floats, other: Told, alpha: float) -> list[Survival]:
    """Verdicts[P] of another source on P claims, each that the difference claimed[P] has the sign it has."""
    same, found = np.sign(claimed) == np.sign(other.value), separated(np.nan_to_num(other.p_adjusted, nan=1.0), alpha)
    place = np.where(found, np.where(same, 0, 2), 1)
    return [VERDICTS[each] for each in np.where(other.is_told, place, 3).tolist()]


def p_of_all(claimed: Floats, sources: Sequence[Told]) -> Floats:
    """p[P], by Holm's method for all P pairs, that all sources that can be told agree with the sign of claimed[P], that of the
    claim among them; nan of pairs of which fewer than two can be told, which count for the others as p of 1 do."""
    told = np.array([each.is_told for each in sources])
    against = np.array([np.sign(each.value) != np.sign(claimed) for each in sources])
    p = np.where(told, np.where(against, 1.0, np.array([each.p for each in sources])), -np.inf).max(axis=0)
    has_p = told.sum(axis=0) >= FEWEST_TOLD
    return np.where(has_p, adjusted(np.where(has_p, p, 1.0), "holm"), np.nan)
