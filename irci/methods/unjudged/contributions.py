"""Contributions of runs to the judgments of a collection: is a run that was not in the pool judged as fairly?

Each run is scored again without the judgments of documents that only its own group had in its pool, as if that group had come
after the judging (J. Zobel, "How reliable are the results of large-scale information retrieval experiments?", SIGIR 1998; by
group: E. M. Voorhees, CLEF 2001).
"""

from collections.abc import Sequence

import numpy as np

from irci.base.types import Bools, Floats, Ints, Ints32


def in_pools(runs: Sequence[tuple[Ints32, Ints32]], group: Ints, judgments: int, depth: int) -> Bools:
    """bool[G, J]: which judgments[J] are of documents that a group had in its pool, down to this rank of any of its runs.
    `runs`: ranks and rows of the judged documents that each retrieves; group int64[R]: theirs."""
    found = np.zeros((group.max(initial=-1) + 1, judgments), np.bool_)
    for (ranks, rows), of in zip(runs, group.tolist(), strict=True):
        found[of, rows[ranks <= depth]] = True
    return found


def only_in_own(pools: Bools) -> Bools:
    """bool[G, J]: those of pools[G, J] that no other group had."""
    return np.asarray(pools & (pools.sum(axis=0) == 1))


def places(means: Floats) -> Ints:
    """int64[R]: the place of each mean, the highest first; equal ones have the same."""
    return np.asarray(1 + (means[np.newaxis] > means[:, np.newaxis]).sum(axis=1))
