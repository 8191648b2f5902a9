"""Comparison of a report with the one that its line gives when it is typed again: receipts, settings, rows and sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from irci.base import DataError, FormatError, plural, raw, text, visible
from irci.data import BYTES, JUDGMENTS
from irci.data.text_files import TextFile
from irci.output.formats import DIGITS, for_reading

OF_MACHINES = ("irci", "computed_with")  # settings that say who computed, not what
PARTS = ("signature", "rows", "notes")
ROUNDING = 1e-9  # of a number, where other processors round otherwise
SHOWN = 20  # differences
Report = Mapping[str, Any]


def read_report(path: str) -> dict[str, Any]:
    """The report in a file of json. Raises FormatError for what is none, DataError for one without a line to type again."""
    file = TextFile.read(path)
    data = file.token(file.start, file.size)
    try:
        report = json.loads(text(data), object_pairs_hook=_object, parse_constant=_refused)
        raw(json.dumps(report, ensure_ascii=False))  # halves of surrogate pairs have no bytes
        signature, rows, notes = report["signature"], report["rows"], report.get("notes", [])
        if not isinstance(signature["command"], str) or not isinstance(signature, dict) or set(report) - set(PARTS):
            raise ValueError
        if not isinstance(notes, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError
        cells = (*signature.values(), *notes, *(cell for row in rows for cell in row.values()))
        if not all(cell is None or isinstance(cell, str | int | float) for cell in cells):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "; to check a page or a table, type its own line again" * (raw(BYTES) in data)
        raise FormatError.whole_file(path, f"no report of --format json, which alone can be verified{hint}") from None
    if not isinstance(signature.get("line"), str):
        raise DataError(f"{path}: no line to type again: a call from Python has none")
    return {"signature": signature, "rows": rows, "notes": notes}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _refused(constant: str) -> None:
    raise ValueError(constant)


def verified(reported: Report, computed: Report) -> tuple[list[str], list[str]]:
    """Compare a report with one computed again: lines on what was compared, and on all that differs. Numbers are compared
    to the last digit where the same kind of processor and the same libraries computed both, else as they are printed."""
    both = reported, computed
    exactly = len({report["signature"].get("computed_with") for report in both}) == 1
    files: list[dict[str, Any]] = []
    settings: list[dict[str, Any]] = []
    for report in both:
        of_files = {name: cell for name, cell in report["signature"].items() if name.startswith((JUDGMENTS, BYTES))}
        files.append(of_files)
        no_settings = {*of_files, *OF_MACHINES}
        settings.append({name: cell for name, cell in report["signature"].items() if name not in no_settings})
    notes = enumerate(zip_longest(reported["notes"], computed.get("notes", [])), 1)
    compared = {
        "files": (files[0], _differing_cells("", *files, exactly=True)),
        "settings": (settings[0], _differing_cells("", *settings, exactly=exactly)),
        "rows": (reported["rows"], _differing_rows(reported["rows"], computed["rows"], exactly=exactly)),
        "notes": (
            reported["notes"],
            (_difference(f"note {number}", *pair) for number, pair in notes if pair[0] != pair[1]),
        ),
    }
    number = reported["signature"].get("deviations")
    lines = [f"plan\t{number}\tdeviations from it"] if number else []
    differences = []
    for part, (items, unlike) in compared.items():
        wrong = list(unlike)
        how = f"agree {'to the last digit' if exactly else f'in {DIGITS} decimals'}" if part == "rows" else "agree"
        if items or wrong:
            lines.append(f"{part}\t{len(items)}\t{f'{len(wrong)} differ' if wrong else how}")
        differences += wrong
    for name in OF_MACHINES:
        values = [report["signature"].get(name) for report in both]
        if values[0] != values[1]:
            lines.append("\t".join([name, *map(_cell, values)]))
    return lines, differences


def _differing_cells(where: str, reported: Report, computed: Report, *, exactly: bool) -> Iterator[str]:
    for name in dict.fromkeys((*reported, *computed)):
        in_both = name in reported and name in computed
        if not in_both or not _agree(name, reported[name], computed[name], exactly=exactly):
            yield _difference(f"{where}{name}", reported.get(name), computed.get(name))


def _differing_rows(reported: Sequence[Any], computed: Sequence[Any], *, exactly: bool) -> Iterator[str]:
    for number, rows in enumerate(zip_longest(reported, computed), 1):
        names = [
            None if row is None else " ".join(cell for cell in row.values() if isinstance(cell, str)) for row in rows
        ]
        if None in rows:
            yield _difference(f"row {number}", *names)
        else:
            yield from _differing_cells(f"row {number} ({names[1]}): ", *rows, exactly=exactly)


def _agree(name: str, reported: Any, computed: Any, *, exactly: bool) -> bool:
    if type(reported) is not type(computed):
        return False
    if reported == computed or exactly or not isinstance(reported, float):
        return bool(reported == computed)
    if math.isclose(reported, computed, rel_tol=ROUNDING, abs_tol=ROUNDING):
        return True
    return for_reading(name, reported, f".{DIGITS}f") == for_reading(name, computed, f".{DIGITS}f")


def _difference(where: str, reported: Any, computed: Any) -> str:
    """A line: where the difference stands, what the report says there, and what is computed now; None if there is nothing."""
    return "\t".join([visible(where), _cell(reported), _cell(computed)])


def _cell(value: Any) -> str:
    return "nothing" if value is None else visible(str(value))


def summary(path: str, differences: Sequence[str]) -> str:
    """How much of a report differs, in words."""
    return f"{path}: {plural(len(differences), 'difference')} between what it says and what is found again"
