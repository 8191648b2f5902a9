"""The best p that a pair may have against all assignments of signs, few topics that differ, verdicts by their table."""

import numpy as np
import pytest
from helpers import keys

from irci.stats.bounded import differing_topics, few_differ
from irci.stats.decisions import best_signs_p, best_t_p, verdicts
from irci.stats.signs import sign_flip
from irci.stats.tests import constant_difference_p, paired_t, without_spread


def test_constant_differences_have_the_p_of_signs() -> None:
    """The same difference everywhere, up to rounding: t is infinite, signs count topics."""
    d = np.array([[0.3 - 0.1, 0.2, 0.4 - 0.2], [0.0, 0.0, 0.0], [0.2, 0.2, 0.1]])
    assert without_spread(d).tolist() == [True, True, False]
    found = constant_difference_p(d)
    assert found[0] == sign_flip(d[:1], keys(3), 100, 1)[0] == 0.25
    assert np.isnan(found[1:]).all()
    assert constant_difference_p(d[:, :2])[0] == 0.5
    assert np.isnan(constant_difference_p(d[:, :1])).all()


def test_best_p_is_that_of_the_best_case() -> None:
    """All differences turned to one side: the t test's own p; signs' own p where all can be gone through."""
    d = np.random.default_rng(6).normal(0, 0.1, (20, 9))
    d[:10, 3:] = 0
    d[10:12, 2:] *= 1e-6
    assert best_t_p(d) == pytest.approx(paired_t(np.abs(d), 0.95).p, rel=1e-9)
    assert best_signs_p(d) == pytest.approx(sign_flip(np.abs(d), keys(9), 512, 1), abs=1e-15)
    assert differing_topics(d)[0][:12].tolist() == [3] * 10 + [2] * 2  # what is next to nothing is none
    assert best_signs_p(d, 0.2).tolist() == [0.25] * 10 + [0.2] * 10
    assert (best_t_p(d) <= paired_t(d, 0.95).p * (1 + 1e-9)).all()


def test_best_p_at_the_edges() -> None:
    d = np.array([[0.0] * 6, [0.1, -0.1, 0.1, 0.1, 0.1, -0.1], [0.5, 0, 0, 0, 0, 0]])
    assert best_t_p(d)[[0, 1]].tolist() == [1, 1 / 32]  # one size: infinite t, the p of signs is printed
    assert best_t_p(d)[2] == pytest.approx(paired_t(d, 0.95).p[2])
    assert best_signs_p(d).tolist() == [1, 1 / 32, 1]
    assert np.isnan(best_t_p(d[:, :1])).all()


def test_verdicts_by_their_table() -> None:
    rows = [
        # difference, adjusted p, best p, identical, p of equivalence, of not worse, few differ
        (0.0, 1.0, 1.0, True, 0.0, 0.0, False, "identical", ""),
        (0.1, 0.05, 1e-9, False, 0.5, 0.01, False, "better", ""),
        (-0.1, 0.01, 1e-9, False, 0.5, 0.5, False, "worse", ""),
        (0.01, 0.01, 1e-9, False, 0.05, 0.01, False, "better", "negligible"),
        (-0.01, 0.01, 1e-9, False, 0.01, 0.01, False, "worse", "negligible"),
        (0.01, 0.3, 0.0625, False, 0.01, 0.01, False, "equivalent", ""),
        (0.01, 0.3, 0.01, False, 0.2, 0.05, False, "not worse", ""),
        (0.01, 0.3, 0.0625, False, 0.2, 0.051, False, "inconclusive", "unresolvable"),
        (0.01, np.nan, np.nan, False, np.nan, np.nan, False, "inconclusive", "unresolvable"),
        (0.01, 0.051, 0.05, False, 0.2, 0.2, False, "inconclusive", ""),
        (0.01, 0.3, 0.0625, False, 0.2, 0.2, True, "inconclusive", "few-differ"),
    ]
    difference, p, best, identical, *of_margin, expected, reasons = (np.array(each) for each in zip(*rows, strict=True))
    found = verdicts(difference, p, best, identical, 1 - 0.95, *of_margin)
    assert found == (expected.tolist(), reasons.tolist())
    without, why = verdicts(difference, p, best, identical, 0.05)
    assert without[3:6] == ["better", "worse", "inconclusive"]
    assert why[5] == "unresolvable"


def test_few_differ_whatever_jitter_others_have() -> None:
    """Nine of fifty that differ, the others by nothing, rounding, jitter, or up to a hundredth of the largest difference; ten
    that exceed a tenth are enough."""
    rng = np.random.default_rng(8)
    for jitter in (0, 1e-16, 1e-8, 0.0019):
        d = np.r_[np.linspace(0.05, 0.2, 9), jitter * rng.uniform(-1, 1, 41)][np.newaxis]
        assert differing_topics(d)[0].tolist() == [9]
        assert few_differ(d).all()
        assert few_differ(-1000 * d).all()
    ten = np.r_[np.linspace(0.05, 0.2, 9), 0.021, np.zeros(40)][np.newaxis]
    assert not few_differ(ten).any()
    assert few_differ(np.array([[0.1, 0.2, 1e-8], [0.1, 0.2, 0.3], [0, 0, 0]])).tolist() == [True, False, True]


def test_few_differ_by_more_than_a_tenth() -> None:
    """Fewer than ten and fewer than half, as of skewed differences."""
    d = np.r_[np.linspace(0.3, 0.6, 9), np.full(41, 0.05)][np.newaxis]
    number, share = differing_topics(d)
    assert (number.item(), share.item()) == (9, 0.1)
    assert few_differ(d).all()
    assert not few_differ(d[:, :18]).any()  # half
    assert not few_differ(np.r_[d[0], 0.07][np.newaxis]).any()
