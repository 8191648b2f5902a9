"""Rows to text, tsv or json. Computes nothing."""

import json
import math
from collections.abc import Callable, Mapping, Sequence

Cell = str | float | int | bool | None
Row = Mapping[str, Cell]
Signature = Mapping[str, Cell]


def as_text(rows: Sequence[Row], signature: Signature) -> str:
    """trec_eval's lines, extended: measure padded to 22, topic, value, lower, upper, run, and what follows.

    What is true or false is the column's name or nothing, and a line ends with its last cell that is something.
    """
    return "".join("\t".join(_text_cell(name, cell) for name, cell in row.items()).rstrip("\t") + "\n" for row in rows)


def as_tsv(rows: Sequence[Row], signature: Signature) -> str:
    """A header of column names, then one unpadded line a row at full precision; an undefined number is nan."""
    lines = [list(rows[0])] if rows else []
    lines += [[_tsv_cell(cell) for cell in row.values()] for row in rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def as_json(rows: Sequence[Row], signature: Signature) -> str:
    """{"signature": ..., "rows": [...]} at full precision; an undefined number is null."""
    defined = [{name: None if _is_undefined(cell) else cell for name, cell in row.items()} for row in rows]
    return json.dumps({"signature": dict(signature), "rows": defined}, indent=1, allow_nan=False) + "\n"


FORMATS: dict[str, Callable[[Sequence[Row], Signature], str]] = {"text": as_text, "tsv": as_tsv, "json": as_json}


def _is_undefined(cell: Cell) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def _tsv_cell(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(cell) if isinstance(cell, float) else str(cell)


def _text_cell(name: str, cell: Cell) -> str:
    if name == "measure":
        return f"{cell:<22}"
    if isinstance(cell, bool):
        return name if cell else ""
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else f"{cell:6.4f}"
    return str(cell)
