"""Documents that have the id of their topic, as a query that is itself a document of its collection (ArguAna, Quora) is the
first to be retrieved: BEIR leaves them out of rankings, and leaves judgments as they are.

Thakur et al., NeurIPS Datasets and Benchmarks 2021.
"""

import numpy as np

from irci.base.errors import DataError
from irci.base.types import Bools, offsets
from irci.data.notices import Kind
from irci.data.rankings import Docnos, Run

LEFT_OUT = Kind(
    "with the id of its topic, left out", "document", of_many="up to {things} with the id of its topic, left out"
)


def without_identical_ids(run: Run) -> tuple[Run, int]:
    """The run without documents that have the id of their topic, which stays though nothing is left of it; and how many these
    are. Raises DataError if there are no others."""
    keep = np.ones(len(run.lines), np.bool_)
    for topic, begin, end in zip(run.topics, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        keep[begin:end] = ~_are(topic, run.docnos.take(run.lines[begin:end]))
    if not keep.any():
        raise DataError(f"{run.path}: all documents have the id of their topic (--ignore-identical-ids)")
    return run._replace(lines=run.lines[keep], offsets=offsets(keep)[run.offsets]), int((~keep).sum())


def _are(name: bytes, docnos: Docnos) -> Bools:
    """bool[L]: docnos that are this name, byte by byte; few are left to compare after the first ones."""
    same: Bools = np.asarray(docnos.length == len(name))
    places = np.flatnonzero(same)
    for at, byte in enumerate(name):
        places = places[docnos.buffer[docnos.start[places] + at] == byte]
    same[:] = False
    same[places] = True
    return same
