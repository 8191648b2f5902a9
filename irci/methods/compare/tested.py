"""Estimates with their limits and a test of 0."""

from dataclasses import dataclass

from irci.base.types import Floats
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval


@dataclass(frozen=True)
class Tested:
    """P estimates, their limits, two-sided p[P], and for each the test that p comes from.

    Tests: t, randomization, wilcoxon, sign, signs (where the difference is the same on all units, so that t would be
    infinite), or normal (from a resampled standard error). `p_error`: the Monte-Carlo error of p, 0 where all signs are gone
    through; None where none is told.
    """

    of: Estimates
    limits: Interval
    p: Floats
    test: list[str]
    p_error: Floats | None = None
