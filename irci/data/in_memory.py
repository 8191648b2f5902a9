"""Judgments and runs that are objects in memory, laid out as those that are read from files: mappings, data frames, of pandas,
polars and others that are much like them, and parquet, which polars or pyarrow reads, if one of them is installed.

What a file is refused for is refused here, by FormatError that names the run, topic and document.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np

from irci.base import FormatError, Problem, Record, is_text, plural, raw, spelled
from irci.base.choices import Duplicates, Ties
from irci.base.types import Array, Bytes, Floats, Ints, offsets, owners
from irci.data import rankings
from irci.data.headers import DOCNO, GRADE, RANK, SCORE, TOPIC, column_named, grade_named
from irci.data.text_files import DIGITS, Documents, Values
from irci.kernels.hashing import table_hashes
from irci.kernels.ranking import find_duplicates
from irci.kernels.words import PADDING

NAMES, NUMBERS = "iuO", "iufO"  # the kinds of numpy's arrays that hold them
NO_PART_OF_NAMES = b" \t\v\f\r\0"  # and line feeds: what would not be one field of a line


def run_of(label: str, documents: Documents, ties: Ties, duplicates: Duplicates = "error") -> rankings.Run:
    """A run, which messages call `label`. Raises FormatError for what no file may hold either."""
    call = _Given.laid_out(label, documents)
    again = call.again()
    if duplicates == "error":
        call.refuse(again[:, 0], lambda line: "given twice")
    score, role = _floats(documents.numbers), "rank" if documents.by_rank else "score"
    not_finite = np.flatnonzero(~np.isfinite(score))
    call.refuse(not_finite, lambda line: f"{role} {_shown(documents.numbers[line])} is not a finite number")
    if documents.by_rank:
        wrong = rankings.wrong_ranks(score, call.lines, call.offsets, has_gaps=True)
        if wrong is not None:
            wrong_lines, reason = wrong
            call.refuse(wrong_lines, lambda line: f"rank {spelled(score[line])} {reason}")
        score, ties = -score, "docno"
    ranks = documents.ranks
    read_ranks = None if ranks is None else partial(call.integers, "rank", ranks)
    run = rankings.Run(
        path=label, tag=b"", other_tag_line=None, topics=call.topics, docnos=call.docnos,
        score=score, lines=call.lines, offsets=call.offsets,
        precedence=rankings.precedence(label, ties, len(score), read_ranks),
    )  # fmt: skip
    return rankings.without_duplicates(run, again)


def of_mapping(topics: Mapping[Any, Mapping[Any, Any]]) -> Documents:
    """The documents of {topic: {docno: number}}; topics without any are left out."""
    with_documents = {topic: documents for topic, documents in topics.items() if documents}
    numbers = list(chain.from_iterable(documents.values() for documents in with_documents.values()))
    sizes = np.array([len(documents) for documents in with_documents.values()], np.int64)
    return Documents(list(with_documents), sizes, list(chain.from_iterable(with_documents.values())), numbers)


def qrels_of(label: str, documents: Documents, *, fractions: bool = False) -> rankings.Qrels:
    """Judgments, which messages call `label`, whose grades are whole unless they may have `fractions`. Raises FormatError for
    what no file may hold either."""
    call = _Given.laid_out(label, documents)
    call.refuse(call.again()[:, 0], lambda line: "given twice")
    numbers = _floats(documents.numbers) if fractions and not documents.only_whole else np.empty(0)
    grade = numbers if rankings.are_fractions(numbers) else call.integers("grade", documents.numbers)
    return rankings.sorted_by_topic(call.topics, call.docnos, grade, call.lines, call.offsets)


class _Given(Record):
    """Documents laid out: their docnos in one text, and lines[offsets[g]:offsets[g+1]] for the topic named topics[g]."""

    label: str
    documents: Documents
    docnos: rankings.Docnos
    topics: list[bytes]
    lines: Array[Any]
    offsets: Ints

    @classmethod
    def laid_out(cls, label: str, documents: Documents) -> "_Given":
        number = len(documents.docnos)
        if not number:
            raise FormatError.whole_file(label, "empty: no document (a generator gives its items only once)")
        names = _names(label, "topic", documents.topics)
        begins = np.cumsum(documents.sizes) - documents.sizes
        _refuse_unfit(label, documents, "topic", names, begins)
        docnos = _packed(label, documents)
        return cls(label, documents, docnos, *rankings.grouped([raw(name) for name in names], begins, number))

    def again(self) -> Ints:
        """int64[D, 2]: lines with a document that their topic has before, and the first lines with it."""
        return np.asarray(find_duplicates(self.docnos, self.lines, self.offsets))

    def integers(self, role: str, values: Values) -> Ints:
        """int64[L]: numbers with a point are taken if nothing but 0 follows it; others have 18 digits at most, as in files."""
        numbers, wrong = rankings.whole(_floats(values))
        exact = [line for line in wrong.tolist() if _is_whole(values[line])]
        numbers[exact] = [int(values[line]) for line in exact]
        wrong = wrong[~np.isin(wrong, exact)]
        self.refuse(wrong, lambda line: f"{role} {_shown(values[line])} is not an integer")
        return numbers

    def refuse(self, wrong: Ints, reason: Callable[[int], str]) -> None:
        """Raise FormatError if there are such lines, naming the first one."""
        if len(wrong):
            document = int(wrong.min())
            topic = self.documents.topics[int(owners(offsets(self.documents.sizes))[document])]
            position = f"topic {str(topic)!r}, document {str(self.documents.docnos[document])!r}"
            more = f" (and {plural(len(wrong) - 1, 'more document')})" if len(wrong) > 1 else ""
            raise _refusal(self.label, self.documents, document, reason(document) + more, position)


def _refusal(label: str, documents: Documents, document: int, reason: str, position: str = "") -> FormatError:
    """The refusal of documents for one of them, at a place that is named unless a file's line tells it."""
    if documents.line_of is None:
        return FormatError.whole_file(f"{label}, {position}" if position else label, reason)
    problem = Problem(documents.line_of(document), f"{position}: {reason}" if position else reason)
    return FormatError(label, [problem])


def _names(label: str, role: str, names: Sequence[Any]) -> list[str]:
    kinds = set(map(type, names))
    if kinds <= {str}:
        return list(names)
    if all(map(is_kind_of_name, kinds)):
        return list(map(str, names))
    wrong = next(name for name in names if not is_kind_of_name(type(name)))
    raise FormatError.whole_file(label, f"{role} {_shown(wrong)} is neither text nor a whole number")


def unfit(role: str, name: str) -> str:
    """Why this cannot be the name of a topic or a document in a file; "" if it can."""
    if not name:
        return f"no name for a {role}"
    is_field = not any(letter in name for letter in NO_PART_OF_NAMES.decode() + "\n")
    why = " (it is empty, or contains a blank, a line end or a NUL)"
    return "" if is_field and is_text(name) else f"{role} {name!r} cannot be a name in a file{why}"


def _refuse_unfit(label: str, documents: Documents, role: str, names: Sequence[str], begins: Ints) -> None:
    # Refuse names that are not one field of a line in a file; `begins`: the documents that have them.
    first = dict(zip(reversed(names), reversed(begins.tolist()), strict=True))
    for name in dict.fromkeys(names):
        if reason := unfit(role, name):
            raise _refusal(label, documents, first[name], reason)


def _packed(label: str, documents: Documents) -> rankings.Docnos:
    # All docnos in one text, a line each: joined and told apart by what loops in C.
    names = documents.docnos
    try:
        text = "\n".join(names)
    except TypeError:
        text = "\n".join(names := _names(label, "document", names))
    try:
        data = bytearray(raw(text))
    except UnicodeEncodeError:
        _refuse_unfit(label, documents, "document", names, np.arange(len(names)))
        raise
    size = len(data)
    is_clean = len(data.translate(None, NO_PART_OF_NAMES)) == size
    data += b"\n" + bytes(PADDING + 1)
    buffer = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(buffer[: size + 1] == ord("\n"))
    start = np.concatenate(([0], ends[:-1] + 1))
    length = (ends - start).astype(np.int32)
    if not is_clean or len(ends) != len(names) or not length.all():
        _refuse_unfit(label, documents, "document", names, np.arange(len(names)))
    return rankings.Docnos(buffer, start, length, table_hashes(buffer, start, length, rankings.secret()))


def _floats(values: Values) -> Floats:
    # float64[L]: nan for what is no number.
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(np.float64)
    if all(map(is_kind_of_number, set(map(type, values)))):
        try:
            return np.fromiter(values, np.float64, len(values))
        except OverflowError:
            pass
    return np.fromiter(map(_float, values), np.float64, len(values))


def is_kind_of_name(kind: type) -> bool:
    """True of text and of whole numbers, which stand for their digits."""
    return issubclass(kind, str) or (is_kind_of_number(kind) and not issubclass(kind, float | np.floating))


def is_kind_of_number(kind: type) -> bool:
    """True of Python's numbers and numpy's, but not of truth values and of spans of time, which are subclasses."""
    return issubclass(kind, float | int | np.floating | np.integer) and not issubclass(kind, bool | np.timedelta64)


def _is_whole(value: Any) -> bool:
    kind = type(value)
    return is_kind_of_name(kind) and not issubclass(kind, str) and abs(int(value)) < 10**DIGITS


def _float(value: Any) -> float:
    try:
        return float(value) if is_kind_of_number(type(value)) else np.nan
    except OverflowError:
        return np.nan


def _shown(value: Any) -> str:
    # A value as a message shows it, shortened; a number of numpy's as a number.
    value = value.item() if isinstance(value, np.generic) else value
    spelling = str(value) if is_kind_of_number(type(value)) else repr(value)
    return spelling if len(spelling) <= 40 else spelling[:37] + "..."


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
    names = list(frame.columns)
    number_column = grade_named(names) if kind == "qrels" else column_named(names, (*SCORE, *RANK))
    number = (number_column,) if number_column else GRADE if kind == "qrels" else SCORE
    topics, docnos, numbers = (column(label, frame, names_of_column) for names_of_column in (TOPIC, DOCNO, number))
    has_ranks = kind == "run" and number_column not in RANK and names.count(*RANK) == 1
    ranks = _array(frame[RANK[0]], NUMBERS)[rows] if has_ranks else None
    by_topic, by_docno = (_array(cells, NAMES)[rows] for cells in (topics, docnos))
    documents = in_stretches(by_topic, by_docno.tolist(), _array(numbers, NUMBERS)[rows], ranks)
    return documents._replace(by_rank=number_column in RANK)


def column(label: str, frame: Any, names: Sequence[str]) -> Any:
    """The column with one of these names, the first that is there."""
    columns = list(frame.columns)
    name = column_named(columns, names)
    if name is None:
        there_are = ", ".join(map(str, columns))
        raise FormatError.whole_file(label, f"no column {' or '.join(names[:2])}; there are {there_are}")
    if columns.count(name) > 1:
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
    for library in ("polars", "pyarrow.parquet"):
        try:
            module: Any = import_module(library)
            frame = module.read_parquet(content) if library == "polars" else Arrow(module.read_table(content))
        except ImportError:
            continue
        except Exception as error:  # whatever a library says of a file that is damaged
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise FormatError.whole_file(path, f"parquet that cannot be read: {reason}") from error
        return of_frame(path, frame, kind)
    raise FormatError.whole_file(path, "parquet, which polars or pyarrow reads: pip install polars")
