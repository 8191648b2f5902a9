"""Tables to text, table, tsv, csv, json, jsonl, latex or markdown. Computes nothing.

Text, table, latex and markdown are for reading, with 4 decimals and limits no further than scores go; the others for machines,
with every digit as it was computed. An undefined number is nan, in json null; so is an infinite one there.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence

from irci.choices import Format
from irci.output.kinds import COLUMNS, ESTIMATES
from irci.output.report import Cell, PValue, Row, Signature, Table, as_read

Tables = Sequence[Table]
Notes = Sequence[str]
Writer = Callable[[Tables, Signature, Notes], str]


def as_text(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """trec_eval's lines, extended: measure padded to 22, topic, value, lower, upper, run, and what follows.

    What is true or false is the column's name or nothing, and a line ends with its last cell that is something. Notes are
    lines that begin with #, and so do the names of the columns of what is no estimate of a measure.
    """
    lines: list[str] = []
    columns: list[str] = []
    for table in tables:
        if table.kind not in ESTIMATES and table.columns != columns:
            lines.append("# " + "\t".join(table.columns))
        columns = table.columns
        lines += map(_line, table.printed())
    return "".join(f"{line}\n" for line in (*lines, *(f"# {note}" for note in notes)))


def _line(row: Row) -> str:
    """A row as text, its first cell padded as trec_eval does."""
    first, *rest = (_for_reading(name, cell, "6.4f") for name, cell in as_read(row).items())
    return "\t".join([f"{first:<22}", *rest]).rstrip("\t")


def as_tsv(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """A header of all column names, then one unpadded line a row; what a row has not is empty."""
    columns = _columns(tables)
    lines = [columns] if tables else []
    lines += [[_for_machines(row.get(column, "")) for column in columns] for row in _rows(tables)]
    return "".join("\t".join(line) + "\n" for line in lines)


def as_csv(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """Like tsv, with commas, and quotes where they are needed (RFC 4180 but for the line ends)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = _columns(tables)
    if tables:
        writer.writerow(columns)
    writer.writerows([_for_machines(row.get(column, "")) for column in columns] for row in _rows(tables))
    return out.getvalue()


def as_json(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """{"signature": {...}, "rows": [{column: value}, ...]}, and "notes" if there are any."""
    document: dict[str, object] = {"signature": dict(signature), "rows": [_defined(row) for row in _rows(tables)]}
    if notes:
        document["notes"] = list(notes)
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def as_jsonl(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """The signature on a line of its own, then one object a row, then one a note."""
    lines: list[Mapping[str, object]] = [{"signature": dict(signature)}, *(_defined(row) for row in _rows(tables))]
    lines += [{"note": note} for note in notes]
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)


def as_table(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """Aligned columns with a header, and the signature below."""
    return _tabulated(tables, "simple") + _below("# ", "", [*notes, _in_a_line(signature)])


def as_markdown(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """A pipe table; names are escaped."""
    # No -- may stand in a comment.
    comments = [line.replace("--", "- -") for line in (*notes, _in_a_line(signature))]
    return _tabulated(tables, "github", _escape_markdown) + _below("<!-- ", " -->", comments)


def as_latex(tables: Tables, signature: Signature, notes: Notes = ()) -> str:
    """A booktabs tabular; names are escaped."""
    return _tabulated(tables, "latex_booktabs") + _below("% ", "", [*notes, _in_a_line(signature)])


FORMATS: dict[Format, Writer] = {
    "text": as_text,
    "table": as_table,
    "tsv": as_tsv,
    "csv": as_csv,
    "json": as_json,
    "jsonl": as_jsonl,
    "latex": as_latex,
    "markdown": as_markdown,
}


def _is_undefined(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)


def _defined(row: Row) -> dict[str, Cell]:
    return {name: None if _is_undefined(cell) else cell for name, cell in row.items()}


def _for_machines(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(float(cell)) if isinstance(cell, float) else str(cell)


def _for_reading(name: str, cell: Cell, form: str) -> str:
    if isinstance(cell, bool):
        return name if cell else ""
    if isinstance(cell, float):
        if COLUMNS[name].is_p and not _is_undefined(cell):
            return str(cell if isinstance(cell, PValue) else PValue(cell))
        return str(float(cell)) if _is_undefined(cell) else format(cell, form)
    return str(cell)


def _rows(tables: Tables) -> list[Row]:
    return [row for table in tables for row in table.printed()]


def _columns(tables: Tables) -> list[str]:
    """All columns, in the order in which they first come."""
    return list(dict.fromkeys(column for table in tables for column in table.columns))


def _tabulated(tables: Tables, style: str, escape: Callable[[Cell], Cell] | None = None) -> str:
    """Tables one after the other; those with the same columns become one."""
    stretches: list[tuple[list[str], list[Row]]] = []
    for table in tables:
        if not stretches or stretches[-1][0] != table.columns:
            stretches.append((table.columns, []))
        stretches[-1][1].extend(map(as_read, table.printed()))
    return "\n\n".join(_one_table(columns, rows, style, escape) for columns, rows in stretches or [([], [])])


def _one_table(
    columns: Sequence[str], rows: Sequence[Row], style: str, escape: Callable[[Cell], Cell] | None = None
) -> str:
    from tabulate import tabulate

    numbers = [
        all(type(cell) in (int, float) for cell in column)
        for column in zip(*(row.values() for row in rows), strict=True)
    ]
    if escape is not None:
        rows = [{name: escape(cell) for name, cell in row.items()} for row in rows]
    cells = [[_for_reading(name, cell, ".4f") for name, cell in row.items()] for row in rows]
    align = ["right" if is_number else "left" for is_number in numbers]
    # disable_numparse: a topic called 007 or 1e5 stays what it is called.
    table: str = tabulate(cells, headers=columns, tablefmt=style, colalign=align or None, disable_numparse=True)
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
