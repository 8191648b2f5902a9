"""Differences of pairs on units that one sign each is drawn for, and all pairs of several families by the same signs."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.methods.compare.means import Design
from irci.stats.signs import Units
from irci.stats.simultaneous import Layer, Simultaneous, stacked

OnUnits = tuple[Ints, Floats, Floats | None]


def unit_differences(values: Floats, pairs: Pairs, units_of: Callable[[Bools], Units]) -> Iterator[OnUnits]:
    """Pairs[p] of pairs[P, 2] of runs with scores values[runs, M], their differences[p, U] on the units of the scores bool[M]
    that both have, and the units' weights[U], None where these count alike."""
    for mask, some in in_blocks(common_topics(values, pairs)):
        if mask.any():
            units = units_of(mask)
            every = np.ones(len(units.keys), np.bool_)
            yield some, on_topics(units.values, pairs[some], every) / units.counts, units.weights


def by_the_same_signs(
    units: Sequence[Units], pairs: Sequence[Pairs], common: Sequence[Bools], keys: Words, design: Design, threads: int
) -> list[Simultaneous]:
    """All pairs at once of each of several families, of measures or slices, by one sign for each of their units together, with
    these keys; `common`: the scores bool[M] that all rows of a family have."""
    some = np.logical_or.reduce(common)
    layers = [
        Layer(of.values, chosen, of.weights, None if there.sum() == some.sum() else there[some])
        for of, chosen, there in zip(units, pairs, common, strict=True)
    ]
    return stacked(layers, keys, resamples=design.signs, seed=design.seed, threads=threads)
