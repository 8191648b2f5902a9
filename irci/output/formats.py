"""Rows to text, table, tsv, csv, json, jsonl, latex or markdown, and onto disk. Computes nothing.

Text, table, latex and markdown are for reading, with 4 decimals; the others for machines, with every digit. An undefined
number is nan, in json null; so is an infinite one there.
"""

import csv
import io
import json
import math
import os
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence

Cell = str | float | int | bool | None
Row = Mapping[str, Cell]
Signature = Mapping[str, Cell]
Notes = Sequence[str]
Writer = Callable[[Sequence[Row], Signature, Notes], str]

P_VALUES = ("p", "p_adjusted", "Q_p")  # printed with 4 significant digits


def as_text(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """trec_eval's lines, extended: measure padded to 22, topic, value, lower, upper, run, and what follows.

    What is true or false is the column's name or nothing, and a line ends with its last cell that is something. Notes are
    lines that begin with #, and so do the names of the columns of what is no estimate of a measure.
    """
    lines: list[str] = []
    columns: list[str] = []
    for row in rows:
        if next(iter(row)) != "measure" and list(row) != columns:
            lines.append("# " + "\t".join(row))
        columns = list(row)
        lines.append(_line(row))
    return "".join(f"{line}\n" for line in (*lines, *(f"# {note}" for note in notes)))


def _line(row: Row) -> str:
    """A row as text, its first cell padded as trec_eval does."""
    first, *rest = (_for_reading(name, cell, "6.4f") for name, cell in row.items())
    return "\t".join([f"{first:<22}", *rest]).rstrip("\t")


def as_tsv(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """A header of all column names, then one unpadded line a row; what a row has not is empty."""
    columns = _columns(rows)
    lines = [columns] if rows else []
    lines += [[_for_machines(row.get(column, "")) for column in columns] for row in rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def as_csv(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """Like tsv, with commas, and quotes where they are needed (RFC 4180 but for the line ends)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = _columns(rows)
    if rows:
        writer.writerow(columns)
    writer.writerows([_for_machines(row.get(column, "")) for column in columns] for row in rows)
    return out.getvalue()


def as_json(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """{"signature": {...}, "rows": [{column: value}, ...]}, and "notes" if there are any."""
    document: dict[str, object] = {"signature": dict(signature), "rows": [_defined(row) for row in rows]}
    if notes:
        document["notes"] = list(notes)
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def as_jsonl(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """The signature on a line of its own, then one object a row, then one a note."""
    lines: list[Mapping[str, object]] = [{"signature": dict(signature)}, *(_defined(row) for row in rows)]
    lines += [{"note": note} for note in notes]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def as_table(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """Aligned columns with a header, and the signature below."""
    return _tabulated(rows, "simple") + _below("# ", "", [*notes, _in_a_line(signature)])


def as_markdown(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """A pipe table; names are escaped."""
    escaped = [{name: _escape_markdown(cell) for name, cell in row.items()} for row in rows]
    # No -- may stand in a comment.
    comments = [line.replace("--", "- -") for line in (*notes, _in_a_line(signature))]
    return _tabulated(escaped, "github") + _below("<!-- ", " -->", comments)


def as_latex(rows: Sequence[Row], signature: Signature, notes: Notes = ()) -> str:
    """A booktabs tabular; names are escaped."""
    return _tabulated(rows, "latex_booktabs") + _below("% ", "", [*notes, _in_a_line(signature)])


FORMATS: dict[str, Writer] = {
    "text": as_text,
    "table": as_table,
    "tsv": as_tsv,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": as_latex,
    "markdown": as_markdown,
}


def write_file(path: str, text: bytes) -> None:
    """Write a file as a whole or not at all: whoever reads `path` sees the old content or the new one. Raises OSError.

    A link stays a link to the file written; a pipe or a device (/dev/stdout) is written to as it is.
    """
    if path.startswith("/dev/") or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "wb") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_of(path: str) -> int:
    """The permissions of a file, or those that a new one would get."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _is_undefined(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)


def _defined(row: Row) -> dict[str, Cell]:
    return {name: None if _is_undefined(cell) else cell for name, cell in row.items()}


def _for_machines(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(cell) if isinstance(cell, float) else str(cell)


def _for_reading(name: str, cell: Cell, form: str) -> str:
    if isinstance(cell, bool):
        return name if cell else ""
    if isinstance(cell, float):
        return str(cell) if _is_undefined(cell) else format(cell, ".4g" if name in P_VALUES else form)
    return str(cell)


def _columns(rows: Sequence[Row]) -> list[str]:
    """All columns, in the order in which they first come."""
    return list(dict.fromkeys(column for row in rows for column in row))


def _tabulated(rows: Sequence[Row], style: str) -> str:
    """A table for each stretch of rows with the same columns."""
    stretches: list[list[Row]] = []
    for row in rows:
        if stretches and list(stretches[-1][0]) == list(row):
            stretches[-1].append(row)
        else:
            stretches.append([row])
    return "\n\n".join(_one_table(stretch, style) for stretch in stretches or [[]])


def _one_table(rows: Sequence[Row], style: str) -> str:
    from tabulate import tabulate

    cells = [[_for_reading(name, cell, ".4f") for name, cell in row.items()] for row in rows]
    numbers = [
        all(type(cell) in (int, float) for cell in column)
        for column in zip(*(row.values() for row in rows), strict=True)
    ]
    align = ["right" if is_number else "left" for is_number in numbers]
    # disable_numparse: a topic called 007 or 1e5 stays what it is called.
    table: str = tabulate(
        cells, headers=list(rows[0]) if rows else [], tablefmt=style, colalign=align or None, disable_numparse=True
    )
    return table


def _below(begin: str, end: str, comments: Sequence[str]) -> str:
    """Comments below a table."""
    return "\n" + "".join(f"{begin}{comment}{end}\n" for comment in comments)


def _escape_markdown(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return "".join("\\" + character if character in "\\|*_`<>[]" else character for character in cell)


def _in_a_line(signature: Signature) -> str:
    return " ".join(f"{name}={cell}" for name, cell in signature.items())
