"""Data frames, of pandas, polars and others that are much like them, as documents of runs and of qrels; and parquet, which
polars or pyarrow reads, if one of them is installed."""

import io
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from irci.base.errors import FormatError
from irci.base.types import Bytes
from irci.data.headers import DOCNO, GRADE, RANK, SCORE, TOPIC, column_named, grade_named
from irci.data.text_files import Documents

NAMES, NUMBERS = "iuO", "iufO"  # the kinds of numpy's arrays that hold them


def is_frame(thing: Any) -> bool:
    """True of a data frame, of pandas, polars or others that are much like them."""
    kind = type(thing)
    return hasattr(kind, "columns") and hasattr(kind, "__getitem__") and not issubclass(kind, Mapping)


class Arrow:
    """A table of pyarrow's as a data frame, without pandas."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.columns = table.column_names

    def __getitem__(self, name: str) -> Any:
        column = self.table[name]
        return SimpleNamespace(to_numpy=column.to_numpy, to_list=column.to_pylist)


def collected(label: str, frame: Any) -> Any:
    """A frame; one of polars' that is not computed yet is. Raises FormatError where that fails."""
    if hasattr(frame, "column_names"):
        return Arrow(frame)
    if not hasattr(frame, "collect"):
        return frame
    try:
        return frame.collect()
    except Exception as error:  # of polars, which is not imported here
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise FormatError.whole_file(label, f"a lazy frame that cannot be computed: {reason}") from error


def of_frame(label: str, frame: Any, kind: str, rows: Any = slice(None)) -> Documents:
    """The documents in these rows of a frame; `kind`: qrels or run. Raises FormatError if a column is lacking."""
    names = list(frame.columns)
    found = grade_named(names) if kind == "qrels" else column_named(names, (*SCORE, *RANK))
    number = (found,) if found else GRADE if kind == "qrels" else SCORE
    topics, docnos, numbers = (column(label, frame, known) for known in (TOPIC, DOCNO, number))
    has_ranks = kind == "run" and found not in RANK and names.count(*RANK) == 1
    ranks = _array(frame[RANK[0]], NUMBERS)[rows] if has_ranks else None
    by_topic, by_docno = (_array(each, NAMES)[rows] for each in (topics, docnos))
    documents = in_stretches(by_topic, by_docno.tolist(), _array(numbers, NUMBERS)[rows], ranks)
    return documents._replace(by_rank=found in RANK)


def column(label: str, frame: Any, names: Sequence[str]) -> Any:
    """The column with one of these names, the first that is there."""
    there = list(frame.columns)
    name = column_named(there, names)
    if name is None:
        in_index = set(names) & {
            each for each in getattr(getattr(frame, "index", None), "names", ()) if each is not None
        }
        hint = "; it is in the index: .reset_index()" if in_index else f"; there are {', '.join(map(str, there))}"
        raise FormatError.whole_file(label, f"no column {' or '.join(names[:2])}{hint}")
    if there.count(name) > 1:
        raise FormatError.whole_file(label, f"two columns named {name}")
    return frame[name]


def _array(column: Any, kinds: str) -> Any:
    """A column as an array of one of these kinds of numpy's, else of objects: numpy would make numbers of times and of missing
    names, and several columns of lists."""
    try:
        array = column.to_numpy()
    except Exception:  # whatever a library says of types that numpy has not
        array = None
    return array if array is not None and array.ndim == 1 and array.dtype.kind in kinds else objects(column.to_list())


def objects(values: Sequence[Any]) -> Any:
    """An array of objects."""
    return np.fromiter(values, object, len(values))


def in_stretches(topics: Any, docnos: Sequence[Any], numbers: Any, ranks: Any = None) -> Documents:
    """Documents, L of each, as stretches of one topic."""
    try:
        begins = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1]))) if len(topics) else np.arange(0)
    except (TypeError, ValueError, OverflowError):  # something among them that is not compared, and which is refused
        begins = np.arange(len(topics))
    sizes = np.diff(begins, append=len(topics))
    return Documents(topics[begins].tolist(), sizes.astype(np.int64), docnos, numbers, ranks)


def of_parquet(path: str, buffer: Bytes, size: int, kind: str) -> Documents:
    """The documents in a file of these bytes. Raises FormatError for what is none."""
    content = io.BytesIO(buffer[:size].tobytes())
    for library in (_by_polars, _by_pyarrow):
        try:
            frame = library(content)
        except ImportError:
            continue
        except Exception as error:  # whatever a library says of a file that is damaged
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise FormatError.whole_file(path, f"parquet that cannot be read: {reason}") from error
        return of_frame(path, frame, kind)
    raise FormatError.whole_file(path, "parquet, which polars or pyarrow reads: pip install polars")


def _by_polars(content: io.BytesIO) -> Any:
    import polars

    return polars.read_parquet(content)


def _by_pyarrow(content: io.BytesIO) -> Any:
    from pyarrow import parquet

    return Arrow(parquet.read_table(content))
