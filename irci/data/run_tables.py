"""Files that say something of runs other than scores: their teams, and how often each of a pair is better."""

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS
from irci.base.numerals import whole_number
from irci.data.score_formats import is_number, read_cells
from irci.data.text_files import read_text_lines

Counts = dict[tuple[str, str], tuple[int, int, int]]


def read_teams(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team` or `run group` is left out."""
    teams: dict[str, str] = {}
    problems = []
    for place, (number, line) in enumerate(read_text_lines(path)):
        fields = [field.strip(BLANKS) for field in line.split("\t")]
        if len(fields) != 2:
            problems.append(Problem(number, f"{len(fields)} fields with tabs, expected 2 (run, team)", "fields"))
        elif place == 0 and fields[0].lower() == "run" and fields[1].lower() in ("team", "group"):
            continue
        elif not all(fields):
            problems.append(Problem(number, "no run or no team"))
        elif fields[0] in teams:
            problems.append(Problem(number, f"run {fields[0]!r} twice", "again"))
        else:
            teams[fields[0]] = fields[1]
    if problems:
        raise FormatError(path, problems)
    return teams


def read_counts(path: str) -> Counts:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path)
    found: Counts = {}
    problems = []
    for place, (number, cells) in enumerate(read_cells(lines, path) if lines else []):
        try:
            first, second, *counts = (cell.strip(BLANKS) for cell in cells)
            better, worse, equal = (whole_number(count) for count in counts)
            if min(better, worse, equal) < 0 or not first or not second or first == second:
                raise ValueError
        except ValueError:
            if place or len(cells) != 5 or any(is_number(cell or "nan") for cell in cells[2:]):
                problems.append(Problem(number, "not two systems and how often the first is better, worse, equal"))
            continue
        if (first, second) in found or (second, first) in found:
            problems.append(Problem(number, f"{first} and {second} twice", "again"))
        found[first, second] = better, worse, equal
    if problems:
        raise FormatError(path, problems)
    if not any(sum(counts) for counts in found.values()):
        raise FormatError.whole_file(path, "no counts")
    return found
