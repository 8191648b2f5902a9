"""Ends of scales: between which scores of a measure lie, as the user says, as is known of the measure, or as is seen.

Bounded limits (`irci.stats.bounded`) rest on them, so a score beyond them is refused.
"""

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from irci.base.choices import Standardisation
from irci.base.errors import DataError
from irci.base.types import Ends, Floats
from irci.data.measures import Measure
from irci.stats.bounded import SAME
from irci.stats.scales import PLAIN

logger = logging.getLogger("irci")

UNIT = (0.0, 1.0)


def ends_of_scales(
    measures: Sequence[Measure],
    values: Mapping[str, Floats],
    runs: Sequence[str],
    topics: Sequence[str],
    given: Ends | None,
    standardised: Standardisation | None,
    *,
    tell: bool = True,
) -> dict[str, Ends]:
    """The ends of the scales of those measures that have any, by name; values[base name] float64[runs, T], nan where there is
    none. `given`: what the user says of all; `standardised`: how scores are; `tell`: what is taken for a scale.

    Measures that are counts, or averaged as logits or logarithms, have none. Of a measure that is not of the table the scale
    is 0 to 1 if all its scores lie there. Raises DataError for a score that lies beyond.
    """
    found: dict[str, Ends] = {}
    taken = []
    for measure in measures:
        if measure.is_count or measure.scale() != PLAIN:
            continue
        scores = values[measure.base.name]
        ends = given or measure.ends
        if ends is None and not measure.is_known and standardised != "z" and _lie_within(scores, UNIT):
            ends = UNIT
            taken += [measure.name] * (standardised is None)
        if ends is not None:
            _refuse_beyond(measure.name, scores, ends, runs, topics, is_given=given is not None)
            found[measure.name] = ends
    if taken and tell:
        logger.info(f"{', '.join(taken)}: all scores lie between 0 and 1, which is taken for the scale (--range)")
    return found


def _slack(ends: Ends) -> float:
    return SAME * (ends[1] - ends[0])


def _lie_within(scores: Floats, ends: Ends) -> bool:
    slack = _slack(ends)
    return bool((np.isnan(scores) | ((scores >= ends[0] - slack) & (scores <= ends[1] + slack))).all())


def _refuse_beyond(
    measure: str, scores: Floats, ends: Ends, runs: Sequence[str], topics: Sequence[str], *, is_given: bool
) -> None:
    if _lie_within(scores, ends):
        return
    slack = _slack(ends)
    run, topic = np.argwhere((scores < ends[0] - slack) | (scores > ends[1] + slack))[0].tolist()
    scale = f"{ends[0]:g} to {ends[1]:g}"
    beyond = (
        f"beyond --range {ends[0]:g},{ends[1]:g}"
        if is_given
        else f"beyond its scale, {scale} (--range, or --interval t)"
    )
    raise DataError(f"{measure} of run {runs[run]} on topic {topics[topic]} is {scores[run, topic]:.10g}, {beyond}")
