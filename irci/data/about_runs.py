"""Files that say of runs their teams, and how often each of a pair is better."""

import re

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, whole_number
from irci.data.headers import is_number
from irci.data.score_formats import read_cells
from irci.data.text_files import problems_of, read_text_lines, table_of

COUNTS = re.compile(
    r"""("[^"]*"|[^\t,;"]+)([\t,;])("[^"]*"|[^\t,;"]+)(\2 *[0-9]+ *){3}"""
)  # a line of two names and three
Counts = dict[tuple[str, str], tuple[int, int, int]]


def read_teams(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team`, `run group` or `run judge` is left out."""
    lines = read_text_lines(path, is_record=lambda line: line.count("\t") == 1)
    records = [(number, [field.strip(BLANKS) for field in line.split("\t")]) for number, line in lines]
    if records and [name.lower() for name in records[0][1]] in (["run", "team"], ["run", "group"], ["run", "judge"]):
        del records[0]
    rows = table_of(
        path,
        records,
        lambda fields: (
            (f"{len(fields)} fields with tabs, expected 2 (run, team)", "fields")
            if len(fields) != 2
            else None
            if all(fields)
            else ("no run or no team", "")
        ),
        "run {!r}",
    )
    return {run: team for (run,), (team,) in rows.items()}


def read_counts(path: str) -> Counts | None:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    None for a file that has no such line among its first two. Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path, is_record=lambda line: COUNTS.fullmatch(line) is not None)
    if not any(COUNTS.fullmatch(line) for _, line in lines[:2]):
        return None
    counts_of_pair: Counts = {}
    with problems_of(path) as problems:
        for index, (number, cells) in enumerate(read_cells(lines, path)):
            try:
                first, second, *counts = (cell.strip(BLANKS) for cell in cells)
                better, worse, equal = (whole_number(count) for count in counts)
                if min(better, worse, equal) < 0 or not first or not second or first == second:
                    raise ValueError
            except ValueError:
                if index or len(cells) != 5 or any(is_number(cell or "nan") for cell in cells[2:]):
                    problems.append(Problem(number, "not two systems and how often the first is better, worse, equal"))
                continue
            if (first, second) in counts_of_pair or (second, first) in counts_of_pair:
                problems.append(Problem(number, f"{first} and {second} twice", "again"))
            counts_of_pair[first, second] = better, worse, equal
    if not any(sum(counts) for counts in counts_of_pair.values()):
        raise FormatError.whole_file(path, "no counts")
    return counts_of_pair
