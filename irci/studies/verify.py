"""Comparison of a report with what is found again: its receipts, settings, rows and sentences, by those of the same line typed
again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from irci.base.errors import DataError, FormatError
from irci.base.names import plural, raw, text, visible
from irci.data.receipts import BYTES, JUDGMENTS
from irci.data.text_files import TextFile
from irci.output.formats import DIGITS, for_reading

OF_MACHINES = ("irci", "computed_with")  # settings that say who computed, not what
PARTS = ("signature", "rows", "notes")
ROUNDING = 1e-9  # of a number, where other processors round otherwise
SHOWN = 20  # differences


class Difference(NamedTuple):
    """Difference from what is found again: where it stands, what a report says there, and what is found now; None if there
    is nothing."""

    where: str
    told: Any
    found: Any

    def __str__(self) -> str:
        return f"{visible(self.where)}\t{_shown(self.told)}\t{_shown(self.found)}"


class Verified(NamedTuple):
    """Comparisons made, a line each, and all that differs."""

    lines: Sequence[str]
    differences: Sequence[Difference]


def read_report(path: str) -> dict[str, Any]:
    """The report in a file of json. Raises FormatError for what is none, DataError for one without a line to type again."""
    file = TextFile.read(path)
    data = file.token(file.start, file.size)
    try:
        found = json.loads(text(data), object_pairs_hook=_object, parse_constant=_refused)
        raw(json.dumps(found, ensure_ascii=False))  # halves of surrogate pairs have no bytes
        signature, rows, notes = found["signature"], found["rows"], found.get("notes", [])
        if not isinstance(signature["command"], str) or not isinstance(signature, dict) or set(found) - set(PARTS):
            raise ValueError
        if not isinstance(notes, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError
        if not all(map(_is_cell, (*signature.values(), *notes, *(cell for row in rows for cell in row.values())))):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        shown = "; a page or a table has a line, which can be typed again" * (raw(BYTES) in data)
        raise FormatError.whole_file(path, f"not a report: irci writes one with --format json{shown}") from None
    if not isinstance(signature.get("line"), str):
        raise DataError(f"{path}: no line to type again: a call from Python has none")
    return {"signature": signature, "rows": rows, "notes": notes}


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(pairs)
    return found


def _refused(constant: str) -> None:
    raise ValueError(constant)


def elsewhere(words: Sequence[str], signature: Mapping[str, Any], *, here_first: bool) -> dict[str, str]:
    """Words that name a file, or a folder of files, which the signature has a receipt of but which is not where they say, with
    the path by which it is found here: by as much of the end of its path as leads to a file. `here_first`: those that name it
    by its path from the root are looked for here before."""
    read = [name.removeprefix(begin) for name in signature for begin in (JUDGMENTS, BYTES) if name.startswith(begin)]
    found = {}
    for word in words:
        mark = "@" if word.startswith("@") else ""
        path = word.removeprefix("@")
        is_input = path in read or any(name.startswith(f"{path}/") for name in read)
        if is_input and "/" in path and (not os.path.exists(path) or (here_first and os.path.isabs(path))):
            parts = path.split("/")
            ends = ("/".join(parts[index:]) for index in range(1, len(parts)))
            here = next((end for end in ends if end and os.path.exists(end)), None)
            if here is not None:
                found[word] = mark + here
    return found


def as_told(found: Mapping[str, Any], moved: Mapping[str, str], line: str) -> dict[str, Any]:
    """A report found again with the paths that were told in place of those by which files were found; `line`: the one told."""
    paths = {here.removeprefix("@"): told.removeprefix("@") for told, here in moved.items()}
    words = {here: told for told, here in moved.items()}

    def renamed(name: str) -> str:
        begin = next((begin for begin in (JUDGMENTS, BYTES) if name.startswith(begin)), "")
        return begin + paths.get(name.removeprefix(begin), name.removeprefix(begin)) if begin else name

    signature = {renamed(name): words.get(value, value) for name, value in found["signature"].items()}
    return {**found, "signature": signature | ({"line": line} if moved else {})}


def verified(told: Mapping[str, Any], found: Mapping[str, Any]) -> Verified:
    """Comparison of a report with one found again, each with signature, rows and notes: to the last digit where the
    same kind of processor and the same libraries computed both, else as it is printed."""
    computed = [each["signature"].get("computed_with") for each in (told, found)]
    exactly = computed[0] == computed[1]
    (files, settings), (files_found, settings_found) = (_divided(each["signature"]) for each in (told, found))
    compared = {
        "files": (files, _cells("", files, files_found, exactly=True)),
        "settings": (settings, _cells("", settings, settings_found, exactly=exactly)),
        "rows": (told["rows"], _rows(told["rows"], found["rows"], exactly=exactly)),
        "notes": (told["notes"], _notes(told["notes"], found.get("notes", []))),
    }
    lines, differences = [], []
    for part, (there, unlike) in compared.items():
        wrong = list(unlike)
        how = f"agree {'to the last digit' if exactly else f'in {DIGITS} decimals'}" if part == "rows" else "agree"
        if there or wrong:
            lines.append(f"{part}\t{len(there)}\t{f'{len(wrong)} differ' if wrong else how}")
        differences += wrong
    for name in OF_MACHINES:
        if told["signature"].get(name) != found["signature"].get(name):
            lines.append("\t".join([name, *(_shown(each["signature"].get(name)) for each in (told, found))]))
    return Verified(lines, differences)


def _divided(signature: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    # Receipts of files, and settings, without those that say who computed.
    files = {name: value for name, value in signature.items() if name.startswith((JUDGMENTS, BYTES))}
    return files, {name: value for name, value in signature.items() if name not in (*files, *OF_MACHINES)}


def _cells(where: str, told: Mapping[str, Any], found: Mapping[str, Any], *, exactly: bool) -> Iterator[Difference]:
    for name in dict.fromkeys((*told, *found)):
        there = name in told and name in found
        if not there or not _agree(name, told[name], found[name], exactly=exactly):
            yield Difference(f"{where}{name}", told.get(name), found.get(name))


def _rows(told: Sequence[Any], found: Sequence[Any], *, exactly: bool) -> Iterator[Difference]:
    for number, (row, again) in enumerate(zip_longest(told, found), 1):
        if row is None or again is None:
            yield Difference(f"row {number}", _name(row), _name(again))
        else:
            yield from _cells(f"row {number} ({_name(again)}): ", row, again, exactly=exactly)


def _notes(told: Sequence[Any], found: Sequence[Any]) -> Iterator[Difference]:
    for number, (note, again) in enumerate(zip_longest(told, found), 1):
        if note != again:
            yield Difference(f"note {number}", note, again)


def _name(row: Mapping[str, Any] | None) -> str | None:
    return None if row is None else " ".join(str(cell) for cell in row.values() if isinstance(cell, str))


def _agree(name: str, told: Any, found: Any, *, exactly: bool) -> bool:
    if type(told) is not type(found):
        return False
    if told == found or exactly or not isinstance(told, float):
        return bool(told == found)
    return math.isclose(told, found, rel_tol=ROUNDING, abs_tol=ROUNDING) or _read(name, told) == _read(name, found)


def _read(name: str, number: float) -> str:
    return for_reading(name, number, f".{DIGITS}f")


def _shown(value: Any) -> str:
    return "nothing" if value is None else visible(str(value))


def summary(path: str, differences: Sequence[Difference]) -> str:
    """How much of a report differs, in words."""
    return f"{path}: {plural(len(differences), 'difference')} between what it says and what is found again"
