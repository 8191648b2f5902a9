"""Checks that kernels rely on: compiled loops look at no bounds, so each kernel checks at its border that its arrays go
together.

That the numbers in them are places in others is for their makers to see to; `make bounds` runs the tests with numba's checks.
"""

from irci.native.compiled import njit


@njit
def expect(holds):
    """Raise ValueError, an internal error, unless that holds."""
    if not holds:
        raise ValueError("arrays whose lengths do not go together")


@njit
def expect_groups(offsets, groups, elements):
    """So many groups, laid end to end at offsets, of at most so many elements; or ValueError."""
    expect(len(offsets) == groups + 1 and offsets[0] >= 0 and offsets[groups] <= elements)
