"""How the format of a score file (`irci.data.score_formats`) is recognised by its content, and what else the file may be."""

from collections.abc import Sequence

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS
from irci.data.guesses import kind_of
from irci.data.headers import COLUMNS, TOPICS, is_number, known, lowered, not_understood, rows_are_runs
from irci.data.matrix_headers import is_of_one_run
from irci.data.measures import is_measure
from irci.data.score_formats import RUN_ID, Lines, read_cells

RANKING_HINTS = {"run": "is this a run", "qrels": "are these qrels"}


def recognise(lines: Lines, path: str) -> str:
    """The format of a file from its lines."""
    form = by_first_lines(lines[:2], path)
    if form is not None:
        return form
    rows = [[cell.strip(BLANKS) for cell in line.split("\t")] for _, line in lines]
    first, second = (sum(len(row) > i and names_measure(row[i]) for row in rows) for i in (0, 1))
    return by_measures(first, second, lines[0][1], path)


def by_first_lines(lines: Lines, path: str) -> str | None:
    """The format of a file from its first two lines; None for output of trec_eval, or of ir_measures."""
    head = lines[0][1]
    if head.startswith("{"):
        from irci.data import json_scores  # only for these

        return "json" if json_scores.looks_so(head) else "ir_measures"
    names = lowered(read_cells(lines[:1], path)[0][1])
    # A header as well as the fields of a record, of a run or of qrels: no topic and no measure is called as its first cell is.
    numbered = (names[0] in TOPICS or rows_are_runs(names)) and all(name.isdecimal() for name in names[1:])
    if not numbered:
        refuse_rankings(lines, path)
    if len(known(names)) == len(COLUMNS):
        return "long"
    fields = head.split("\t")
    no_number = len(fields) >= 3 and not is_number(fields[2])
    if numbered or len(fields) in (1, 2) or ((rows_are_runs(names) or no_number) and fields[0].strip(BLANKS) != RUN_ID):
        _refuse_other_tables(lines, names, path)
        return "matrix"
    if len(fields) >= 6:
        return "irci"
    return None


def names_measure(cell: str) -> bool:
    """True of what trec_eval has in its first column, and ir_measures in its second."""
    return cell == RUN_ID or is_measure(cell)


def by_measures(first: int, second: int, head: str, path: str) -> str:
    """The format from the numbers of lines with a measure in the first and in the second column, and the first line."""
    if first != second:
        return "trec_eval" if first > second else "ir_measures"
    before, _, _ = head.partition("\t")
    if before != before.rstrip(BLANKS):  # padded, as trec_eval does
        return "trec_eval"
    raise FormatError.whole_file(path, "trec_eval's or ir_measures' output? Say which by --scores-format")


def refuse_rankings(lines: Lines, path: str) -> None:
    """Refuse what seems to be a run or qrels."""
    number, head = lines[0]
    if (seeming := kind_of(head)) in RANKING_HINTS:
        raise FormatError(
            path, [Problem(number, f"{RANKING_HINTS[seeming]}? Without --scores, QRELS and RUNs are read")]
        )


def _refuse_other_tables(lines: Lines, names: Sequence[str], path: str) -> None:
    header, *first = (cells for _, cells in read_cells(lines[:2], path))
    if is_of_one_run([name.strip(BLANKS) for name in header]):
        return
    with_names = names[0] in TOPICS or rows_are_runs(names)
    cells = [cell.strip(BLANKS) for cell in (first[0][with_names:] if first else ())]
    numbers = [not cell or is_number(cell.replace(",", ".")) for cell in cells]
    has_labels = len(numbers) > 1 and not numbers[0] and not with_names
    if len(known(names)) > 1 or numbers.count(False) > 1 or has_labels:
        raise not_understood(header, path, lines[0][0])
