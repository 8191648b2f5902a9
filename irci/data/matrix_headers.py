"""Headers of matrices of scores: what their lines and columns are, and of which measure they hold the scores."""

from collections.abc import Sequence
from typing import NamedTuple

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, file_name, stem
from irci.data.headers import COLUMNS, TOPICS, is_number, lowered, rows_are_runs
from irci.data.measures import is_measure

IDS = {*COLUMNS["topic"]} - {"query"}  # what columns of topics are called, and no run


class Header(NamedTuple):
    """The header of a matrix: what its columns of scores are called and of which measure they are; whether lines are runs,
    and whether a column before the others names the lines."""

    columns: list[str]
    measure: str
    by_run: bool
    named: bool


def columns_of(header: Sequence[str], path: str, number: int, measure: str | None) -> Header:
    """The header of a matrix, whose measure is called as asked for, else as its file. One column behind the topics that is
    called as a measure, or `score` or `value`, holds that measure (asked for, if it has no name) of a run called as the file.
    Raises FormatError for what names no runs."""
    names = [name.strip(BLANKS) for name in header]
    if is_of_one_run(names):
        own = names[1] if is_measure(names[1]) else measure or names[1].lower()
        return Header([stem(path)], own, by_run=False, named=True)
    by_run = rows_are_runs(lowered(header))
    named = by_run or lowered(header)[0] in TOPICS
    _check_columns(names[named:], names, path, number, by_run=by_run)
    return Header(names[named:], measure or file_name(path).removesuffix(".csv"), by_run, named)


def is_of_one_run(names: Sequence[str]) -> bool:
    """True of a header of topics and a measure, known by its name or called score or value."""
    if len(names) != 2 or names[0].lower() not in TOPICS:
        return False
    return names[1].lower() in COLUMNS["value"] or is_measure(names[1])


def _check_columns(columns: Sequence[str], names: Sequence[str], path: str, number: int, *, by_run: bool) -> None:
    """Refuse a header of a matrix whose columns are not different runs, or topics if lines are runs."""
    if all(map(is_number, names)):
        reason = (
            "all cells are numbers, so there is no header with run names (of runs 1,2,..., put a topic column first)"
        )
    elif columns and (any if by_run else all)(map(is_measure, columns)):
        reason = (
            "the columns are measures: give one measure a file, with runs as columns, or run, topic, measure, value"
        )
    elif not all(columns) or len({*columns}) < max(len(columns), 1) or any(map(has_point, columns)):
        reason = f"the header must name each {'topic' if by_run else 'run'} once"
    elif not names[0] and (of_topics := [name for name in columns if name.lower() in IDS]):
        reason = f"a column before {of_topics[0]}, without a name: leave row numbers out (pandas: to_csv(index=False))"
    else:
        return
    raise FormatError(path, [Problem(number, reason)])


def has_point(name: str) -> bool:
    """True of a decimal fraction, which is no name of a run."""
    return "." in name and is_number(name)
