"""Judgments and runs that are objects in memory, laid out as those that are read from files: mappings, data frames, of pandas,
polars and others that are much like them, and parquet, which polars or pyarrow reads, if one of them is installed.

What a file is refused for is refused here, by FormatError that names the run, topic and document.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from irci.base import FormatError, Problem, is_text, raw
from irci.base.types import Array, Bytes, Ints
from irci.data.headers import RANK, of_ranking
from irci.data.rankings import SCORES, Docnos, DocumentRows, Form, Kind, Numbers, secret
from irci.data.text_files import Documents
from irci.kernels.hashing import table_hashes
from irci.kernels.words import PADDING

Values = Sequence[Any] | Array[Any]
NAMES, NUMBERS = "iuO", "iufO"  # the kinds of numpy's arrays that hold them
NO_PART_OF_NAMES = b" \t\v\f\r\0"  # and line feeds: what would not be one field of a line


def held(
    path: str, topics: Sequence[Any], sizes: Ints, docnos: Sequence[Any], numbers: Values, ranks: Values | None = None,
    *, form: Form = SCORES, line_of: Callable[[int], int | None] = lambda row: None,
) -> DocumentRows:  # fmt: skip
    """The rows of L documents as they are given, in stretches of one topic each: `topics` and how many documents, int64[S].
    `docnos`, `numbers` and `ranks` beside these, if there are any: L of each.
    Of a file: `line_of` gives the line that a document is on, if that is known. Raises FormatError for names that no file may
    hold either."""
    if not len(docnos):
        raise FormatError.whole_file(path, "empty: no document (a generator gives its items only once)")

    def packed(role: str, names: Sequence[Any], rows: Ints) -> Docnos:
        """Names, of these rows, in one text, a line each: joined and told apart by what loops in C."""
        try:
            text = "\n".join(names)
        except TypeError:
            if not all(map(is_kind_of_name, set(map(type, names)))):
                # Spelled by Python: 3.0 and b'3' are seen to be wrong by their point and letter.
                wrong = next(name for name in names if not is_kind_of_name(type(name)))
                raise FormatError.whole_file(path, f"{role} {wrong!r:.40} is neither text nor a whole number") from None
            text = "\n".join(names := [*map(str, names)])
        data = bytearray(raw(text) if is_text(text) else b"")
        size = len(data)
        is_clean = len(data.translate(None, NO_PART_OF_NAMES)) == size
        data += b"\n" + bytes(PADDING + 1)
        buffer = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(buffer[: size + 1] == ord("\n"))
        start = np.concatenate(([0], ends[:-1] + 1))
        length = (ends - start).astype(np.int32)
        if not is_clean or len(ends) != len(names) or not length.all():
            for name, row in zip(names, rows.tolist(), strict=True):
                if reason := unfit(role, name):
                    raise FormatError(path, [Problem(line_of(row), reason)])
        return Docnos(buffer, start, length, table_hashes(buffer, start, length, secret()))

    begins = np.cumsum(sizes) - sizes
    names = [*packed("topic", topics, begins).texts()]
    return DocumentRows(
        path, form, packed("document", docnos, np.arange(len(docnos))), _numbers(numbers), names, begins, line_of,
        None if ranks is None else lambda: _numbers(ranks), has_lines=False,
    )  # fmt: skip


def unfit(role: str, name: str) -> str:
    """Why this cannot be the name of a topic or a document in a file; "" if it can."""
    if not name:
        return f"no name for a {role}"
    is_field = not any(letter in name for letter in NO_PART_OF_NAMES.decode() + "\n")
    why = " (it is empty, or contains a blank, a line end or a NUL)"
    return "" if is_field and is_text(name) else f"{role} {name!r} cannot be a name in a file{why}"


def _numbers(values: Values) -> Numbers:
    """Numbers as they are, nan for what is none."""

    def number(value: Any) -> float:
        try:
            return float(value) if is_kind_of_number(type(value)) else np.nan
        except OverflowError:
            return np.nan

    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(np.float64), values.__getitem__
    if all(map(is_kind_of_number, set(map(type, values)))):
        with suppress(OverflowError):  # of a number beyond all doubles
            return np.fromiter(values, np.float64, len(values)), values.__getitem__
    return np.fromiter(map(number, values), np.float64, len(values)), values.__getitem__


def is_kind_of_name(kind: type) -> bool:
    """True of text and of whole numbers, which stand for their digits."""
    return issubclass(kind, str) or (is_kind_of_number(kind) and not issubclass(kind, float | np.floating))


def is_kind_of_number(kind: type) -> bool:
    """True of Python's numbers and numpy's, but not of truth values and of spans of time, which are subclasses."""
    return issubclass(kind, float | int | np.floating | np.integer) and not issubclass(kind, bool | np.timedelta64)


# Data frames.


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


def framed(thing: Any) -> Any:
    """A data frame, which a table of pyarrow's becomes."""
    return Arrow(thing) if hasattr(thing, "column_names") else thing


def of_frame(label: str, frame: Any, kind: str, rows: Any = slice(None)) -> Documents:
    """The documents in these rows of a frame; `kind`: qrels or run. Raises FormatError if a column is lacking."""
    topic, docno, number, _, rank = of_ranking(label, None, list(frame.columns), kind)
    topics, docnos = (_array(frame[name], NAMES)[rows] for name in (topic, docno))
    numbers, ranks = (_array(frame[name], NUMBERS)[rows] if name else None for name in (number, rank))
    return in_stretches(topics, docnos.tolist(), numbers, ranks, form=Form(by_rank=number in RANK))


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


def in_stretches(topics: Any, docnos: Sequence[Any], *numbers: Any, form: Form = SCORES) -> Documents:
    """Documents, L of each, as stretches of one topic."""
    try:
        begins = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1]))) if len(topics) else np.arange(0)
    except (TypeError, ValueError, OverflowError):  # something among them that is not compared, and which is refused
        begins = np.arange(len(topics))
    sizes = np.diff(begins, append=len(topics))
    names = topics[begins].tolist()
    return lambda path: held(path, names, sizes.astype(np.int64), docnos, *numbers, form=form)


def of_parquet(path: str, buffer: Bytes, size: int, kind: Kind) -> DocumentRows:
    """The rows in a file of these bytes. Raises FormatError for what is none."""
    content = io.BytesIO(buffer[:size].tobytes())
    for library in ("polars", "pyarrow.parquet"):
        try:
            module: Any = import_module(library)
            frame = module.read_parquet(content) if library == "polars" else Arrow(module.read_table(content))
        except ImportError:
            continue
        except Exception as error:  # whatever a library says of a file that is damaged
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise FormatError.whole_file(path, f"parquet that cannot be read: {reason}") from error
        rows: DocumentRows = of_frame(path, frame, kind)(path)
        return rows
    raise FormatError.whole_file(path, "parquet, which polars or pyarrow reads: pip install polars")
