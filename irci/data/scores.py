"""Tables of scores, computed or read (`irci.data.score_reading`), the text that they are saved as, and scores that cannot be.

Ends of scales are those between which scores of a measure lie, as the user says, as is known of the measure, or as is seen.
Bounded limits (`irci.stats.bounded`) rest on them, and a measure's name does, so a score beyond them is refused.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.errors import DataError, FormatError
from irci.base.types import Bools, Ends, Floats
from irci.data.measures import named, one_name_each
from irci.stats.scales import SAME

SMALLEST = 1e-50  # of scores: variances of variances of them are not all 0
LONG = ("run", "topic", "measure", "split", "part", "value")
UNIT = (0.0, 1.0)
PERCENT = 100.0
WHOLE = "0"  # the split, and the part, that is the whole collection


@dataclass(frozen=True, repr=False, eq=False)
class Scores:
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came.
    `collection`: what their collection is called, if it has a name."""

    runs: list[str]
    topics: list[str]
    values: dict[str, Floats]
    collection: str | None = None


def renamed(tables: Sequence[Scores]) -> list[Scores]:
    """The tables with one name for each measure, that of the first table which has it."""
    name_of = one_name_each()
    return [replace(table, values={name_of(name): values for name, values in table.values.items()}) for table in tables]


def refuse_tiny(measure: str, values: Floats, where: str) -> None:
    """Raise DataError if all scores of a measure are so small that their squares would be 0, though they are not."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    if 0 < largest < SMALLEST:
        raise DataError(
            f"{where}: no score of {measure} is larger than {largest:g}: too small to compute with (--scale multiplies all)"
        )


def saved_text(*tables: Scores) -> str:
    """The long table, with tabs, that `read_scores` reads back to the last digit; each collection but one has its name."""
    named_tables = any(scores.collection is not None for scores in tables)
    rows = (
        (f"{scores.collection}\t" * named_tables, run, topic, measure, WHOLE, WHOLE, value)
        for scores in tables
        for measure, values in scores.values.items()
        for run, of_run in zip(scores.runs, values, strict=True)
        for topic, value in zip(scores.topics, of_run.tolist(), strict=True)
    )
    return long_table("collection\t" * named_tables, rows)


def long_table(begin: str, rows: Iterable[tuple[str, str, str, str, object, object, float]]) -> str:
    """The text of a long table, of rows of a beginning, run, topic, measure, split, part and value; nan is left out. `begin`:
    of the header."""
    lines = (
        f"{of_row}{run}\t{topic}\t{measure}\t{split}\t{part}\t{value!r}\n"
        for of_row, run, topic, measure, split, part, value in rows
        if not math.isnan(value)
    )
    return "".join((begin, "\t".join(LONG), "\n", *lines))


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


def refuse_other_scale(where: str, measure: str, scores: Floats, scale: float | None) -> None:
    """Raise FormatError for scores of a measure that irci knows, and that never has such; `where`: the files, `scale`: by what
    the scores in them have been multiplied."""
    ends = named(measure).ends
    if ends is None or lie_within(scores, ends):
        return
    by = 1.0 if scale is None else scale
    least, greatest = float(np.nanmin(scores)), float(np.nanmax(scores))
    direction, worst = ("up", greatest) if greatest > ends[1] else ("down", least)
    found = f"{direction} to {worst:.10g}" + ("" if scale is None else f" ({worst / by:.10g} before --scale {by:.10g})")
    if lie_within(scores / by, ends):
        hint = "leave out --scale"
    elif least >= ends[0] and greatest / by <= PERCENT * ends[1]:
        hint = "percentages? --scale .01 divides them"
    else:
        hint = "standardised? Then give the measure another name"
    raise FormatError.whole_file(
        where, f"scores {found} for {measure}, whose range is {ends[0]:g} to {ends[1]:g}: {hint}"
    )
