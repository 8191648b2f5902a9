"""What is as likely to count for as against where runs are equal, and so gets one sign."""

from typing import NamedTuple

import numpy as np

from irci.base.types import Floats, Words


class Units(NamedTuple):
    """values float64[rows, U], whose sums are in proportion to the means, and the stream keys uint64[U].

    weights float64[U]: how much each counts in a mean, where some count more: a mean less by x makes values less by x weights.
    `members`: how much each counts where all count alike, as do sums of so many scores.
    """

    values: Floats
    keys: Words
    weights: Floats | None = None
    members: int = 1

    @property
    def counts(self) -> Floats:
        """How much each counts in a mean, float64[U]."""
        return np.full(len(self.keys), float(self.members)) if self.weights is None else self.weights
