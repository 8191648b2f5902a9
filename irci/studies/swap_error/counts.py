"""Rates from counts that somebody else has made: how often the first system of a pair is better, worse, equal."""

import logging
from collections.abc import Iterator

import numpy as np

from irci.base.errors import plural
from irci.base.names import file_name
from irci.base.types import Ints
from irci.data.scores import read_counts
from irci.methods.swap_error.error_rate import rates_of_counts
from irci.output.report import Report, Table
from irci.studies.sources_in_words import SETS, among

logger = logging.getLogger("irci")


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
    """Row of what counts better, worse, equal [P, 3] come to."""
    errors, ties, comparisons = rates_of_counts(triples)
    return {
        "pairs": len(triples), "errors": errors, "equal": ties, "comparisons": comparisons, "rate": errors / comparisons,
        "ties": ties / comparisons,
    }  # fmt: skip


def _explanation(row: dict[str, str | int | float]) -> Iterator[str]:
    of_all = f"{row['errors']} of {row['comparisons']}"
    yield f"{row['rate']:.1%} of comparisons ({of_all}) contradict what most query sets say of the pair."
    yield f"Another {row['ties']:.1%} ({row['equal']}) are ties."
