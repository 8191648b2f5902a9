"""The small-R correction: closed forms against every case to 1e-12, published values, the paper's example, and by hand
which interval it takes."""

import naive
import numpy as np
import pytest

from irci.stats.intervals import bullet_share, corrected, lead_balloon_limit, silver_bullet_limit

ALPHA = 0.05


def u0(num_relevant: int, depth: int, alpha: float = ALPHA) -> float:
    return float(silver_bullet_limit(np.array([num_relevant]), np.array([depth]), alpha)[0])


def test_printed_example() -> None:
    """R = 4 gives u = .53, so the threshold is one-sided."""
    assert float(bullet_share(np.array([4]), ALPHA)[0]) == pytest.approx(0.5271, abs=5e-5)


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize("num_relevant", [1, 2, 3, 5, 9])
def test_silver_bullets_against_enumeration(num_relevant: int, depth: int) -> None:
    u = float(bullet_share(np.array([num_relevant]), ALPHA)[0])
    expected = naive.expected_ap_of_bullets(num_relevant, depth, u)
    assert u0(num_relevant, depth) == pytest.approx(expected, abs=1e-12)


def test_silver_bullets_against_published_values() -> None:
    published = {1: 0.0071112, 2: 0.0064105, 3: 0.0055205, 4: 0.0047740, 5: 0.0041812, 10: 0.0025369, 50: 0.0006000}
    for num_relevant, limit in published.items():
        assert u0(num_relevant, 1000) == pytest.approx(limit, abs=5.1e-8)
    assert u0(5, 0) == u0(5, 1000)  # an empty list has a nominal depth


def test_lead_balloons_against_published_values() -> None:
    published = {1: 0.05, 2: 0.2236, 3: 0.3684, 4: 0.4729, 5: 0.5493, 10: 0.7411, 50: 0.9418}
    limits = lead_balloon_limit(np.array(list(published)), ALPHA)
    assert limits == pytest.approx(list(published.values()), abs=5.1e-5)


def test_lead_balloons_against_enumeration() -> None:
    """E(AP) when each of 4 documents on top is lost with probability u: the rest stay on top with precision 1."""
    u = float(bullet_share(np.array([4]), ALPHA)[0])
    expected = sum(
        u ** (4 - sum(kept)) * (1 - u) ** sum(kept) * naive.average_precision([1] * sum(kept), 4)
        for kept in np.ndindex(2, 2, 2, 2)
    )
    assert float(lead_balloon_limit(np.array([4]), ALPHA)[0]) == pytest.approx(expected, abs=1e-15)


#         AP    lower  upper  R  which
CASES = [
    (0.000, 0.000, 0.000, 4, "[0, U0]"),  # nothing found
    (1.000, 1.000, 1.000, 4, "[L1, 1]"),  # all on top
    (0.004, 0.003, 0.006, 4, "[0, U0]"),  # near 0, and U0 = .0048 is wider
    (0.004, 0.001, 0.009, 4, "same"),  # near 0, but wide enough
    (0.005, 0.005, 0.005, 4, "same"),  # above U0
    (0.800, 0.500, 0.900, 4, "[L1, 1]"),  # near 1, and L1 = .4729 is wider
    (0.800, 0.300, 0.900, 4, "same"),  # near 1, but wide enough
    (0.480, 0.480, 0.480, 4, "same"),  # above L1 but below one half
    (0.600, 0.600, 0.600, 10, "same"),  # below L1 = .7411
    (0.000, 0.000, 0.000, 0, "same"),  # no relevant document
]


def test_which_interval() -> None:
    ap, lower, upper, num_relevant, expected = (np.array(column) for column in zip(*CASES, strict=True))
    retrieved = np.full(len(CASES), 1000)
    (low, high), marked = corrected(ap, (lower, upper), num_relevant, retrieved, 1 - ALPHA)
    u, lead = silver_bullet_limit(num_relevant, retrieved, ALPHA), lead_balloon_limit(num_relevant, ALPHA)
    for i, which in enumerate(expected.tolist()):
        limits = {"[0, U0]": (0.0, u[i]), "[L1, 1]": (lead[i], 1.0), "same": (lower[i], upper[i])}[which]
        assert (low[i], high[i]) == pytest.approx(limits, abs=1e-12)
        assert marked[i] == (limits != (lower[i], upper[i]))
