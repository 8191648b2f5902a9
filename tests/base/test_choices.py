"""Words that are no choice."""

import numpy as np
import pytest

from irci.stats.tests import adjusted


def test_nothing_falls_through() -> None:
    """An unknown word."""
    with pytest.raises(AssertionError, match="zz"):
        adjusted(np.ones(2), "zz")  # type: ignore[arg-type]
