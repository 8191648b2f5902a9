"""Tables to text, table, tsv, csv, json, jsonl, latex or markdown (html: irci.output.page). Computes nothing.

Text, table, latex and markdown are for reading, with 4 decimals or as many as are wanted, and limits no further than scores
go, and with the columns that `irci.output.shown` picks; the others for machines, with all columns and every digit as it was
computed. An undefined number is nan, in json null; so is an infinite one there. The signature is in json.

A name (any text: cells, notes, the signature) is written by one function a format: `visible` in text, table, tsv and csv;
`visible_unicode` in json and jsonl, which are UTF-8; `in_markdown` and `in_comment`, and in latex tabulate with `_in_latex`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from types import SimpleNamespace
from typing import Any

from irci.base import DataError, visible, visible_unicode
from irci.base.choices import FORMATS, Format
from irci.output.columns import P_VALUES
from irci.output.kinds import KINDS
from irci.output.shown import stretches
from irci.output.tables import ALL, Cell, PValue, Row, Signature, Table, as_read

Tables = Sequence[Table]
Notes = Sequence[str]
# Gives what is written in pieces, of rows that are made one after the other.
Writer = Callable[[Tables, Signature, Notes], Iterator[str]]

DIGITS = 4  # decimals, as trec_eval prints
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # which every kind of Markdown takes; not all take \<


def as_text(
    tables: Tables, signature: Signature, notes: Notes = (), sources: Sequence[str] = (), digits: int = DIGITS
) -> Iterator[str]:
    """Write trec_eval's lines, extended: measure padded to 22, topic, value, lower, upper, run, and what follows.

    What is true or false is the column's name or nothing, and a line ends with its last cell that is something. Lines that
    begin with # are names of columns, what is the same in all rows, and notes.
    """
    _refuse_topic_called_all(tables)
    for stretch in stretches(tables, signature, sources):
        if len(stretch.header) > 1:  # a column of topics is a list of them, for --topics
            yield "# " + "\t".join(stretch.header) + "\n"
            yield from _comments([stretch.line])
        for row in _rows(stretch.tables):
            cells = (for_reading(name, cell, f"{digits + 2}.{digits}f") for name, cell in as_read(row).items())
            first, *rest = cells
            yield "\t".join([f"{first:<22}" if rest else first, *rest]).rstrip("\t") + "\n"
    yield from _comments(notes)


def _comments(lines: Iterable[str]) -> Iterator[str]:
    return (f"# {visible(line)}\n" for line in lines if line)


def as_separated(form: Format, tables: Tables, signature: Signature, notes: Notes = ()) -> Iterator[str]:
    """Write a header of all column names, then one unpadded line a row; what a row has not is empty."""
    _refuse_topic_called_all(tables)
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    rows = ([for_machines(row.get(column, "")) for column in columns] for row in _rows(tables))
    return in_lines(form, chain([columns] if tables else [], rows))


def in_lines(form: Format, lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write lines of cells with tabs between them, or with commas, and quotes where they are needed (RFC 4180)."""
    if form == "tsv":
        return ("\t".join(line) + "\n" for line in lines)
    import csv  # takes time

    as_it_is: Any = SimpleNamespace(write=str)  # writerow gives what writing gives
    return map(csv.writer(as_it_is, lineterminator="\n").writerow, lines)


def _refuse_topic_called_all(tables: Tables) -> None:
    # Refuse what --scores would read back as a mean: it leaves lines over all topics out.
    of_topics = [table for table in tables if KINDS[table.kind].of_topics and KINDS[table.kind].is_estimate]
    if any(row.get("topic") == ALL for table in of_topics for row in table.rows):
        raise DataError(
            f"a topic is called {ALL}, which text, tsv and csv cannot tell apart from the mean over topics:"
            " rename it, or leave out -q (--save-scores FILE keeps the scores of topics apart, --format json prints them)"
        )


def as_json(tables: Tables, signature: Signature, notes: Notes = ()) -> Iterator[str]:
    """Write {"signature": {...}, "rows": [{column: value}, ...]}, and "notes" if there are any."""
    import json  # takes time

    def indented(value: object) -> str:
        return json.dumps(value, indent=1, allow_nan=False).replace("\n", "\n ")

    # Of a row; what indents by itself is slow, and leaves cycles behind, row by row.
    cells = json.JSONEncoder(allow_nan=False, separators=(",\n   ", ": "))
    yield '{\n "signature": ' + indented(_in_json(signature)) + ',\n "rows": ['
    separator, end = "", ""
    for row in _rows(tables):
        yield f"{separator}\n  {{\n   {cells.encode(_in_json(row))[1:-1]}\n  }}"
        separator, end = ",", "\n "
    yield end + "]"
    if notes:
        yield ',\n "notes": ' + indented([visible_unicode(note.strip()) for note in notes])
    yield "\n}\n"


def as_jsonl(tables: Tables, signature: Signature, notes: Notes = ()) -> Iterator[str]:
    """Write one object a row, and nothing else."""
    import json

    yield from (json.dumps(_in_json(row), allow_nan=False) + "\n" for row in _rows(tables))


def as_aligned(
    form: Format,
    tables: Tables,
    signature: Signature,
    notes: Notes = (),
    sources: Sequence[str] = (),
    digits: int = DIGITS,
) -> Iterator[str]:
    """Write columns below their headers, a pipe table, or a booktabs tabular; names are escaped.

    What is the same in all rows, and notes, follow as comments.
    """
    families, texts = list(stretches(tables, signature, sources)), []
    for stretch in families:
        rows = list(map(as_read, _rows(stretch.tables)))
        cells = [
            [
                (in_markdown if form == "markdown" and isinstance(cell, str) else str)(
                    for_reading(name, cell, f".{digits}f")
                )
                for name, cell in ((name, row.get(name, "")) for name in stretch.header)
            ]
            for row in rows
        ]
        align = [
            "right" if all(type(row[name]) in (int, float) for row in rows if name in row) else "left"
            for name in stretch.header
        ]
        texts.append(ALIGNED[form]([stretch.header, *cells], align))
    lines = [*(stretch.line for stretch in families if stretch.line), *notes]
    begin, end, escape = COMMENTS[form]
    yield "\n\n".join(texts) + below(begin, end, lines, escape)


def writer(form: Format, digits: int = DIGITS, sources: Sequence[str] = ()) -> Writer:
    """Return the function that writes a format; of one for reading, with so many decimals. `sources`: what varies, where rows
    name no population."""
    write = WRITERS[form]
    return partial(write, digits=digits, sources=sources) if FORMATS[form].for_reading else write


def _is_undefined(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)


def _in_json(row: Row) -> dict[str, Cell]:
    return {
        name: visible_unicode(cell) if isinstance(cell, str) else None if _is_undefined(cell) else cell
        for name, cell in row.items()
    }


def for_machines(cell: Cell) -> str:
    """A cell with every digit."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(float(cell)) if isinstance(cell, float) else visible(str(cell))


def for_reading(name: str, cell: Cell, form: str) -> str:
    """A cell of a column as people read it; `form`: how numbers are written that are no p-values."""
    if isinstance(cell, bool):
        return name if cell else ""
    if isinstance(cell, float):
        if isinstance(cell, PValue) and cell < cell.least:
            return str(cell)
        if name in P_VALUES and not _is_undefined(cell):
            return str(cell if isinstance(cell, PValue) else PValue(cell))
        return str(float(cell)) if _is_undefined(cell) else format(cell, form)
    return visible(str(cell))


def _rows(tables: Iterable[Table]) -> Iterator[Row]:
    return (row for table in tables for row in table.printed())


def in_columns(header: Sequence[str], cells: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Align columns, with a line of dashes below the header, and two blanks between them."""
    from tabulate import SEPARATING_LINE, DataRow, Line, TableFormat

    row = DataRow("", "  ", "")
    # The header is a row, as tabulate makes columns two letters wider than their headers.
    style = TableFormat(None, Line("", "-", "  ", ""), None, None, row, row, 0, None)
    table = _tabulated([header, SEPARATING_LINE, *cells], tablefmt=style, colalign=align or None)
    return "\n".join(map(str.rstrip, table.split("\n")))


def in_pipes(rows: Sequence[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Write a table of Markdown; the first row is its header."""
    return _tabulated(rows[1:], headers=rows[0], tablefmt="github", colalign=align or None)


def _in_booktabs(rows: Sequence[Sequence[str]], align: Sequence[str]) -> str:
    return _in_latex(_tabulated(rows[1:], headers=rows[0], tablefmt="latex_booktabs", colalign=align or None))


def _tabulated(rows: Sequence[Any], **how: Any) -> str:
    from tabulate import tabulate

    # disable_numparse: a topic called 007 or 1e5 stays what it is called.
    table: str = tabulate(rows, disable_numparse=True, **how)
    return table


def below(begin: str, end: str, notes: Notes, escape: Callable[[str], str] = str) -> str:
    """Write comments below a table."""
    return "\n" + "".join(f"{begin}{escape(visible(comment))}{end}\n" for comment in notes)


def in_markdown(name: str) -> str:
    """Escape a name that is nothing but text in a cell of a pipe table."""
    return re.sub(r"[\\|*_`~$\[\]]", r"\\\g<0>", "".join(ENTITIES.get(letter, letter) for letter in name))


def in_comment(text: str) -> str:
    """Keep -- out of a comment of HTML, however many dashes follow one another."""
    return re.sub("-(?=-)", "- ", text)


def in_latex(name: str) -> str:
    """Escape a name as a cell of LaTeX."""
    from tabulate import LATEX_ESCAPE_RULES

    return _in_latex("".join(LATEX_ESCAPE_RULES.get(letter, letter) for letter in name))


def _in_latex(table: str) -> str:
    """Remove the LaTeX that tabulate leaves in names: ligatures, and a * or [ that the \\\\ before it would take."""
    table = re.sub("-(?=-)", "-{}", table).replace("|", r"\textbar{}")
    return re.sub(r"(?m)^( *)([*\[])", r"\1{\2}", table)


ALIGNED: Mapping[Format, Callable[[Sequence[Sequence[str]], Sequence[str]], str]] = {
    "table": lambda rows, align: in_columns(rows[0], rows[1:], align), "markdown": in_pipes, "latex": _in_booktabs,
}  # fmt: skip
COMMENTS: Mapping[Format, tuple[str, str, Callable[[str], str]]] = {
    "table": ("# ", "", str), "markdown": ("<!-- ", " -->", in_comment), "latex": ("% ", "", str),
}  # fmt: skip
WRITERS: Mapping[Format, Callable[..., Iterator[str]]] = {
    "text": as_text,
    "table": partial(as_aligned, "table"),
    "tsv": partial(as_separated, "tsv"),
    "csv": partial(as_separated, "csv"),
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": partial(as_aligned, "latex"),
    "markdown": partial(as_aligned, "markdown"),
}
