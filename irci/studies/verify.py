"""Comparison of a report with the one that its line gives when it is typed again: receipts, settings, rows and sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from irci.base import DataError, FormatError, raw, text, visible
from irci.data import BYTES, JUDGMENTS
from irci.data.text_files import TextFile
from irci.output.formats import DIGITS, for_reading

OF_MACHINES = ("irci", "computed_with")  # settings that say who computed, not what
PARTS = ("signature", "rows", "notes")
ROUNDING = 1e-9  # of a number, where other processors round otherwise
Report = Mapping[str, Any]


def read_report(path: str) -> dict[str, Any]:
    """The report in a file of json. Raises FormatError for what is none, DataError for one without a line to type again."""

    def refused(what: object) -> None:
        raise ValueError(what)

    try:
        report = json.loads(
            text(TextFile.read(path).content),
            object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else refused(pairs),
            parse_constant=refused,
        )
        raw(json.dumps(report, ensure_ascii=False))  # halves of surrogate pairs have no bytes
        signature, rows, notes = report["signature"], report["rows"], report.get("notes", [])
        cells = (*signature.values(), *notes, *(cell for row in rows for cell in row.values()))
        are_kinds = isinstance(signature["command"], str) and isinstance(notes, list) and set(report) <= set(PARTS)
        if not (are_kinds and all(cell is None or isinstance(cell, str | int | float) for cell in cells)):
            raise ValueError(path)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FormatError.whole_file(path, "no report of --format json, which alone can be verified") from None
    if not isinstance(signature.get("line"), str):
        raise DataError(f"{path}: no line to type again: a call from Python has none")
    return {"signature": signature, "rows": rows, "notes": notes}


def verified(reported: Report, computed: Report) -> tuple[list[str], list[str]]:
    """Compare a report with one computed again: lines on what was compared, and on all that differs. Numbers are compared
    to the last digit where the same kind of processor and the same libraries computed both, else as they are printed."""
    of_machines = {name: [report["signature"].get(name) for report in (reported, computed)] for name in OF_MACHINES}
    exactly = len(set(of_machines["computed_with"])) == 1
    number = reported["signature"].get("deviations")
    lines = [f"plan\t{number}\tdeviations from it"] if number else []
    differences: list[str] = []
    computed_parts = _parts(computed)
    for part, items in _parts(reported).items():
        wrong = list(_differing("", items, computed_parts[part], exactly=exactly or part == "files"))
        how = f"agree {'to the last digit' if exactly else f'in {DIGITS} decimals'}" if part == "rows" else "agree"
        if items or wrong:
            lines.append(f"{part}\t{len(items)}\t{f'{len(wrong)} differ' if wrong else how}")
        differences += wrong
    lines += ["\t".join([name, *map(_cell, values)]) for name, values in of_machines.items() if len(set(values)) > 1]
    return lines, differences


def _parts(report: Report) -> dict[str, dict[str, Any]]:
    """The parts that are compared: files and settings, by name, and rows and notes, by number."""
    signature = report["signature"]
    files = {name: cell for name, cell in signature.items() if name.startswith((JUDGMENTS, BYTES))}
    return {
        "files": files,
        "settings": {name: cell for name, cell in signature.items() if name not in {*files, *OF_MACHINES}},
        "rows": {f"row {number}": row for number, row in enumerate(report["rows"], 1)},
        "notes": {f"note {number}": note for number, note in enumerate(report.get("notes", []), 1)},
    }


def _differing(where: str, reported: Report, computed: Report, *, exactly: bool) -> Iterator[str]:
    """A line for each difference, of rows cell by cell: where it stands, what the report says, and what is computed now."""
    for name in dict.fromkeys((*reported, *computed)):
        first, second = reported.get(name), computed.get(name)
        if isinstance(first, dict) and isinstance(second, dict):
            yield from _differing(f"{name} ({_cell(second)}): ", first, second, exactly=exactly)
            continue
        agree = name in reported and name in computed and type(first) is type(second) and first == second
        if not agree and isinstance(first, float) and isinstance(second, float) and not exactly:
            is_close = math.isclose(first, second, rel_tol=ROUNDING, abs_tol=ROUNDING)
            printed = (for_reading(name, cell, f".{DIGITS}f") for cell in (first, second))
            agree = is_close or len({*printed}) == 1
        if not agree:
            yield "\t".join([visible(f"{where}{name}"), _cell(first), _cell(second)])


def _cell(value: Any) -> str:
    if isinstance(value, dict):  # the words of a row
        value = " ".join(cell for cell in value.values() if isinstance(cell, str))
    return "nothing" if value is None else visible(str(value))
