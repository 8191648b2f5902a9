"""Tables of scores: no plain reader of all formats, but what must be so whatever the format."""

import math
from collections.abc import Sequence

from fuzzing.findings import Finding, expect, given
from fuzzing.plain_text import numbers_of, spelling
from irci import base
from irci.base import DataError, FormatError, raw
from irci.data.score_files import read_scores
from irci.data.scores import Scores, saved_text


def check_names(*names: str) -> None:
    """Names that can stand in a line of a table: not empty, no tabs, no line ends, bytes when written."""
    for name in names:
        expect(name != "", "an empty name")
        expect(not set(name) & set("\t\n\0"), "a name with a tab or a line end", repr(name))
        raw(name)


def check_numbers(values: Sequence[float], data: bytes, others: Sequence[int] = ()) -> None:
    """Finite numbers, spelled out in the file, and whole ones of any size."""
    expect(len(values) > 0, "a table without scores")
    expect(all(map(math.isfinite, values)), "a score that is not finite", values)
    strange = {*values, *others} - numbers_of(data)
    expect(not strange, f"a number that is not in the file{spelling(data)}", strange)


def check_scores(data: bytes, form: str | None = None) -> bool:
    """Scores: finite, all of them in the file, under names that can be printed, and the same when saved and read again."""
    try:
        (table,), _ = read_scores([given(data)], form)
    except (FormatError, DataError) as error:
        expect(str(error).startswith(base.STDIN), "a refusal that does not name the file", error)
        return False
    cells = cells_of(table)
    if b"task_name" not in data:  # means over subsets are not in the file
        check_numbers(list(cells.values()), data)
    check_names(*table.runs, *table.topics, *table.values)
    saved = saved_text(table).encode("utf-8", "surrogateescape")
    try:
        (again,), ((_, recognised),) = read_scores([given(saved)])
    except (FormatError, DataError) as error:
        raise Finding("what was saved is refused", error) from None
    expect(recognised == "long", "what was saved is taken for something else", recognised)
    expect(cells_of(again) == cells, "what was saved is read as something else", (cells, cells_of(again)))
    return True


def cells_of(table: Scores) -> dict[tuple[str, str, str], float]:
    """Run, topic, measure -> score."""
    return {
        (run, topic, measure): value
        for measure, values in table.values.items()
        for run, of_run in zip(table.runs, values.tolist(), strict=True)
        for topic, value in zip(table.topics, of_run, strict=True)
        if not math.isnan(value)
    }
