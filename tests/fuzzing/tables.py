"""Tables of scores: no plain reader of all formats, but what must be so whatever the format."""

import math
from collections.abc import Sequence

from fuzzing.findings import Finding, expect, given
from fuzzing.plain_text import numbers_of, plain_cells, spelling
from irci import base
from irci.base import DataError, FormatError, raw
from irci.data.parts import PartScores, read_part_scores
from irci.data.parts import saved_text as saved_parts
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


def check_parts(data: bytes) -> bool:
    """Scores on parts: likewise; and every line has the columns of the header."""
    try:
        table = read_part_scores([given(data)])
    except (FormatError, DataError) as error:
        expect(str(error).startswith(base.STDIN), "a refusal that does not name the file", error)
        return False
    cells = parts_of(table)
    check_numbers(list(cells.values()), data, table.numbers)
    check_names(*table.runs, *table.topics, *table.whole)
    widths = {len(row) for row in plain_cells(data)}
    expect(len(widths) == 1, "lines of different numbers of columns", widths)
    saved = saved_parts(table).encode("utf-8", "surrogateescape")
    expect(parts_of(read_part_scores([given(saved)])) == cells, "what was saved is read as something else")
    return True


def parts_of(table: PartScores) -> dict[tuple[object, ...], float]:
    """Run, topic, measure, split, part -> score."""
    cells: dict[tuple[object, ...], float] = {}
    for measure, whole in table.whole.items():
        tables = {(0, 0): whole}
        for number, of_split in zip(table.numbers, table.splits[measure], strict=True):
            tables |= {(number, part + 1): of_split[:, :, part] for part in range(of_split.shape[2])}
        for (split, part), values in tables.items():
            for topic, of_topic in zip(table.topics, values.tolist(), strict=True):
                for run, value in zip(table.runs, of_topic, strict=True):
                    if not math.isnan(value):
                        cells[run, topic, measure, split, part] = value
    return cells
