"""Estimates with a standard error and degrees of freedom of their own: limits, and p by Student's t."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from irci.base.types import Bools, Floats, Ints
from irci.stats.intervals import Interval
from irci.system import special


@dataclass(frozen=True)
class Estimates:
    """P means or differences, float64[P] each: value, standard error (0: nothing varies; nan: not known) and degrees of
    freedom (infinite: normal).

    `units` int64[P]: how many things vary, which each have a sign. `columns`: what else is told of each, by name. `told`
    bool[P]: which of them something is said of; None: all.
    """

    value: Floats
    error: Floats
    df: Floats
    units: Ints
    columns: Mapping[str, Floats | Ints] = field(default_factory=dict)
    told: Bools | None = None

    def limits(self, confidence: float) -> Interval:
        """value +- t standard errors; the value where nothing varies, nan where the error or the freedom lacks."""
        with np.errstate(invalid="ignore"):
            return self.within(special.stdtrit(self.df, (1 + confidence) / 2))

    def within(self, width: Floats | float) -> Interval:
        """value +- so many standard errors; the value where nothing varies (among two units or more)."""
        with np.errstate(invalid="ignore"):
            reach = np.where(self.constant, 0.0, np.where(np.isfinite(width), width, np.nan) * self.error)
        return self.value - reach, self.value + reach

    def p(self) -> Floats:
        """Two-sided p[P] of a value of 0; where nothing varies but the value is not 0, what signs can say: 2^(1 - units)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * special.stdtr(self.df, -np.abs(self.value / self.error))
        by_signs = np.where(self.value == 0, 1.0, 2.0 ** (1 - self.units))
        return np.where(self.constant, by_signs, p)

    def equivalence_p(self, margin: Floats) -> Floats:
        """p[P] of two one-sided t tests that the value lies less than margin[P] from 0 (D. J. Schuirmann, Journal of
        Pharmacokinetics and Biopharmaceutics 15, 1987). Where nothing varies, what signs can say:
        2^-units within it, else 1."""
        below, above = self.value + margin, self.value - margin
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.maximum(special.stdtr(self.df, -below / self.error), special.stdtr(self.df, above / self.error))
        return np.where(self.constant, np.where((below > 0) & (above < 0), 2.0**-self.units, 1.0), p)

    @property
    def is_told(self) -> Bools:
        return np.ones(len(self.value), np.bool_) if self.told is None else self.told

    @property
    def constant(self) -> np.ndarray:
        """bool[P]: where nothing varies, though there are units that could."""
        return np.asarray((self.error == 0) & (self.units > 1))
