"""Selection in words: several measures, each a family of its own, and a baseline that may have been chosen by its score."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.bootstrap.joint_resamples import POOLED
from irci.studies.compare.families import of_families
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure

FEWEST_RUNS = 3  # of two, one is the best anyway


def sentences_of_selection(request: Request, found: Sequence[OnMeasure]) -> Iterator[str]:
    """Sentences on the measures compared, and on the baseline."""
    yield from of_families(found)
    compared = [each for each in found if each.families]
    all_are = request.ranks or request.baseline_picked
    if request.baseline is not None and request.baseline not in POOLED and not all_are:
        yield from _of_baseline(request.baseline, [each for each in compared if each.measure.more_is_better])


def _of_baseline(baseline: str, compared: Sequence[OnMeasure]) -> Iterator[str]:
    """That a baseline is the best or the worst run, by which measures, if it is."""
    ends: dict[str, list[str]] = {}
    for on in compared:
        family = on.alone
        means = family.over(family.scored.sources[0]).tested.of.value
        if len(means) < FEWEST_RUNS or baseline not in family.names or np.isnan(means).any() or np.ptp(means) == 0:
            continue
        mean = means[family.names.index(baseline)]
        for word, extreme in (("highest", means.max()), ("lowest", means.min())):
            if mean == extreme:
                ends.setdefault(word, []).append(on.measure.name)
    for word, measures in ends.items():
        runs = len(compared[0].alone.names)
        yield (
            f"{baseline} has the {word} mean of {runs} runs in {', '.join(measures)}: if it was chosen for its score, compare"
            " all pairs (irci map-ci --all-pairs)."
        )
