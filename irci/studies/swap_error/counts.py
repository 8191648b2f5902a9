"""Rates from counts that somebody else has made: how often the first system of a pair is better, worse, equal."""

import logging
from collections.abc import Iterator

import numpy as np

from irci.base.errors import FormatError, Problem, plural
from irci.base.names import BLANKS, file_name
from irci.base.numerals import whole_number
from irci.base.types import Ints
from irci.data.score_formats import read_cells
from irci.data.text_files import read_text_lines
from irci.methods.swap_error.error_rate import rates_of_counts
from irci.output.report import Report, Table
from irci.studies.sources_in_words import SETS, among

logger = logging.getLogger("irci")

FIELDS = 5  # of a line of counts

Counts = dict[tuple[str, str], tuple[int, int, int]]


def rates_of_file(path: str) -> Report:
    """The error rate and the share of ties of a file of counts."""
    found = read_counts(path)
    totals = {sum(counts) for counts in found.values()}
    if len(totals) > 1:
        logger.warning(
            f"counts of {plural(len(found), 'pair')} add up to {min(totals)} to {max(totals)}, not to one number of query sets"
        )
    name = file_name(path).removesuffix(".csv").removesuffix(".tsv").removeprefix("matrix_")
    row = row_of_counts(np.array(list(found.values())))
    signature = {"command": "swap-error", "procedure": "error-rate"}
    sources = among(SETS, ["error-rate"])
    return Report([Table("matrix", name, [row])], signature, lambda: _explanation(row), sources=sources)


def row_of_counts(triples: Ints) -> dict[str, str | int | float]:
    """What counts better, worse, equal [P, 3] come to."""
    errors, ties, comparisons = rates_of_counts(triples)
    return {
        "pairs": len(triples), "errors": errors, "equal": ties, "comparisons": comparisons, "rate": errors / comparisons,
        "ties": ties / comparisons,
    }  # fmt: skip


def _explanation(row: dict[str, str | int | float]) -> Iterator[str]:
    of_all = f"{row['errors']} of {row['comparisons']}"
    yield f"{row['rate']:.1%} of comparisons ({of_all}) contradict what most query sets say of the pair."
    yield f"Another {row['ties']:.1%} ({row['equal']}) are ties."


def read_counts(path: str) -> Counts:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path)
    found: Counts = {}
    problems = []
    rows = read_cells(lines, path) if lines else []
    for place, (number, cells) in enumerate(rows):
        try:
            first, second, *counts = (cell.strip(BLANKS) for cell in cells)
            better, worse, equal = (whole_number(count) for count in counts)
            if min(better, worse, equal) < 0 or not first or not second or first == second:
                raise ValueError
        except ValueError:
            if place or len(cells) != FIELDS or any(map(_is_count, cells[2:])):
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


def _is_count(cell: str) -> bool:
    """Whether a cell is a number, or nothing, and so no name of a column."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True
