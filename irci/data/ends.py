"""Ends of scales: between which scores of a measure lie, as the user says, as is known of the measure, or as is seen.

Bounded limits (`irci.stats.bounded`) rest on them, and a measure's name does, so a score beyond them is refused.
"""

from collections.abc import Sequence

import numpy as np

from irci.base.errors import DataError, FormatError
from irci.base.types import Bools, Ends, Floats
from irci.data.measures import named
from irci.stats.bounded import SAME

UNIT = (0.0, 1.0)
PERCENT = 100.0


def lie_within(scores: Floats, ends: Ends) -> bool:
    """True if all scores, but nan, lie between the ends, or beyond them by rounding."""
    return not _beyond(scores, ends).any()


def _beyond(scores: Floats, ends: Ends) -> Bools:
    slack = SAME * (ends[1] - ends[0])
    return np.asarray((scores < ends[0] - slack) | (scores > ends[1] + slack))


def refuse_beyond(measure: str, scores: Floats, ends: Ends, runs: Sequence[str], topics: Sequence[str]) -> None:
    """Raise DataError for a score, of float64[runs, T], beyond the ends that the user gave."""
    beyond = np.argwhere(_beyond(scores, ends))
    if len(beyond):
        run, topic = beyond[0].tolist()
        raise DataError(
            f"{measure} of run {runs[run]} on topic {topics[topic]} is {scores[run, topic]:.10g},"
            f" beyond --range {ends[0]:g},{ends[1]:g}"
        )


def refuse_other_scale(where: str, measure: str, scores: Floats) -> None:
    """Raise FormatError for scores read of a measure that irci knows, and that never has such; `where`: the files."""
    ends = named(measure).ends
    if ends is None or lie_within(scores, ends):
        return
    least, greatest = float(np.nanmin(scores)), float(np.nanmax(scores))
    found = f"up to {greatest:.10g}" if greatest > ends[1] else f"down to {least:.10g}"
    percentages = least >= ends[0] and greatest <= PERCENT * ends[1]
    hint = (
        "percentages? --scale .01 divides them" if percentages else "standardised? Then give the measure another name"
    )
    raise FormatError.whole_file(
        where, f"scores {found} for {measure}, whose range is {ends[0]:g} to {ends[1]:g}: {hint}"
    )
