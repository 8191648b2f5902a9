"""Groups laid end to end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irci.base.types import offsets, owners, ranges

SIZES = st.lists(st.integers(0, 5), max_size=8)


@given(SIZES)
def test_groups_against_loops(sizes: list[int]) -> None:
    edges = [sum(sizes[:group]) for group in range(len(sizes) + 1)]
    owner = [group for group, size in enumerate(sizes) for _ in range(size)]
    assert offsets(sizes).tolist() == offsets(np.array(sizes, np.int32)).tolist() == edges
    assert owners(offsets(sizes)).tolist() == owner


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5)), max_size=8))
def test_ranges_against_loops(groups: list[tuple[int, int]]) -> None:
    begins, sizes = np.array(groups, np.int64).reshape(-1, 2).T
    assert ranges(begins, sizes).tolist() == [begin + i for begin, size in groups for i in range(size)]


@pytest.mark.parametrize("kind", [np.bool_, np.int32, np.int64])
def test_offsets_have_64_bits(kind: type) -> None:
    edges = offsets(np.ones(3, kind))
    assert edges.dtype == np.int64
    assert edges.tolist() == [0, 1, 2, 3]
    assert owners(edges).dtype == np.int64


def test_offsets_of_what_is_kept() -> None:
    kept = np.array([True, False, True, True])
    assert offsets(kept)[offsets([2, 0, 2])].tolist() == [0, 1, 1, 3]
