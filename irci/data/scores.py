"""Tables of scores, computed or read (`irci.data.score_files`), and the text that they are saved as."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from irci.base.errors import DataError
from irci.base.records import Record
from irci.base.types import Bools, Floats
from irci.measures import one_name_each

# Of scores: variances of variances of them are numbers, and not all 0.
SMALLEST, LARGEST = 1e-50, 1e50
LONG = ("run", "topic", "measure", "split", "part", "value")
WHOLE = "0"  # the split, and the part, that is the whole collection


class Lacking(Record):
    """Topics that runs of a table lack. `missing`: runs that are not in it, with what they score, float64[T] of each measure;
    `of`: how many of how many topics each of these lacks. `near` bool[R, T] by measure: where a run that is in it lacks a
    topic, and scores 0. `order`: all runs, as they came."""

    missing: Mapping[str, Mapping[str, Floats]]
    of: Mapping[str, str]
    near: Mapping[str, Bools]
    order: Sequence[str]


class Scores(Record):
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came.
    `collection`: what their collection is called, if it has a name. `of_tasks`: topics are tasks that models are
    run on, where one that lacks a score was not run, rather than without result. `one_a_file`: each file that they were read
    from brought one run. `whole`: the same before runs and topics were left out, to be saved;
    `lacking`: what runs lack, if anything may be. `before`: of points, by their names, the scores that they are of."""

    runs: list[str]
    topics: list[str]
    values: dict[str, Floats]
    collection: str | None = None
    of_tasks: bool = False
    one_a_file: bool = False
    whole: "Scores | None" = None
    lacking: Lacking | None = None
    before: Mapping[str, Floats] = {}


def renamed(tables: Sequence[Scores]) -> list[Scores]:
    """The tables with one name for each measure, that of the first table which has it."""
    name_of = one_name_each()
    return [
        table._replace(
            values={name_of(name): values for name, values in table.values.items()},
        )
        for table in tables
    ]


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


Row = tuple[str, str, str, str, object, object, float]


def long_table(begin: str, rows: Iterable[Row]) -> str:
    """The text of a long table, of rows of a beginning, run, topic, measure, split, part and value; nan is left out.
    `begin`: of the header."""
    lines = (
        f"{of_row}{run}\t{topic}\t{measure}\t{split}\t{part}\t{value!r}\n"
        for of_row, run, topic, measure, split, part, value in rows
        if not math.isnan(value)
    )
    return "".join((begin, "\t".join(LONG), "\n", *lines))
