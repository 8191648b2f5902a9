"""Words that are no choice."""

import numpy as np
import pytest

from irci.stats.scales import standardised
from irci.stats.tests import adjusted


def test_nothing_falls_through() -> None:
    """An unknown word."""
    scores, one = np.array([[0.1, 0.2], [0.3, 0.5]]), np.ones(2)
    for unchecked in (
        lambda: standardised(scores, one, one, "zz"),  # type: ignore[arg-type]
        lambda: adjusted(one, "zz"),  # type: ignore[arg-type]
    ):
        with pytest.raises(AssertionError, match="zz"):
            unchecked()
