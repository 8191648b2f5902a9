"""The plain reader: text, lines, cells and numbers, as slowly as may be."""

import csv
import gzip
import io
import math
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

from fuzzing.findings import expect
from irci import base
from irci.base import FormatError, text

BOM = b"\xef\xbb\xbf"
ISSPACE = "\t\n\v\f\r "  # in C; Python knows more
# What a number looks like, in digits of ASCII: float() knows more spellings, which other programs read differently.
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?[0-9]+")
Plain = TypeVar("Plain")
Ours = TypeVar("Ours")


class Refused(Exception):
    """The plain reader's refusal: the lines of the message without the path."""

    def __init__(self, reasons: Sequence[str] = ()):
        super().__init__(*reasons)
        self.reasons = list(reasons)


def refuse_unless(condition: object) -> None:
    """The plain reader's refusal of a line, whatever the reason."""
    if not condition:
        raise Refused


def both(
    plain: Callable[[], Plain],
    ours: Callable[[], Ours],
    data: bytes = b"",
    path: str = base.STDIN,
    exactly: bool = False,
) -> tuple[Plain, Ours] | None:
    """What both readers make of a file; None if both refuse it, perhaps for exactly the same reasons. The plain one refuses by
    Refused, ValueError or csv.Error."""
    refused: Exception | None = None
    try:
        expected = plain()
    except (Refused, ValueError, csv.Error) as error:
        refused = error
    try:
        found = ours()
    except FormatError as error:
        expect(refused is not None, "refused", error)
        expect(str(error).startswith(path), "a refusal that does not name what it is of", error)
        if exactly and isinstance(refused, Refused):
            lines = (line.removeprefix(path + ":") for line in str(error).splitlines())
            lines = (re.sub(r"(damaged gzip file) \(.*\)", r"\1", line) for line in lines)
            what_it_seems = (" is this", " is the second", " are these")
            told = [line for line in lines if not line.startswith(what_it_seems)]
            expect(told == refused.reasons, "refused for another reason", (told, refused.reasons))
        return None
    expect(refused is None, f"accepted{spelling(data) if data else ''}", found)
    return expected, found


def agree(plain: Callable[[], object], ours: Callable[[], object], data: bytes = b"", **options: Any) -> bool:
    """Whether both readers accept a file, and then read the same."""
    pair = both(plain, ours, data, **options)
    expect(pair is None or pair[0] == pair[1], "read wrongly", pair)
    return pair is not None


def plain_text(data: bytes) -> bytes:
    """What is in a file, without a byte order mark."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise Refused([" damaged gzip file"]) from None
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise Refused([f"{line}: binary data (a NUL byte), not text"])
    if b"\r" in data.split(b"\n", 1)[0].rstrip():
        raise Refused([" lines end in CR alone, not in LF or CR LF"])
    return data.removeprefix(BOM)


def content(
    data: bytes, widths: Collection[int], place: int, is_number: Callable[[bytes], bool]
) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the fields of every line that is neither blank nor a comment: # before a blank, or before what has not as
    many fields as these, with a number in that place."""
    for number, line in enumerate(plain_text(data).split(b"\n"), 1):
        fields = line.split()
        if not fields or fields[0] == b"#":
            continue
        if not fields[0].startswith(b"#") or (len(fields) in widths and is_number(fields[place])):
            yield number, fields


def is_finite(token: bytes) -> bool:
    """True of a finite number."""
    return not math.isnan(number_in(token.decode("latin-1")))


def is_whole(token: bytes) -> bool:
    """True of a whole number that a double tells from the next."""
    number = number_in(token.decode("latin-1"))
    return abs(number) < 2**53 and number == math.floor(number)


def is_comment(line: str) -> bool:
    """True if a line begins with # and a blank, whatever follows."""
    return re.match("#+$", re.split(f"[{ISSPACE}]", line.lstrip(ISSPACE))[0]) is not None


def plain_lines(data: bytes, record: str | Callable[[str], object] = "$^") -> list[str]:
    """The lines of a text file; blank ones are left out, and comments at its head that look like no record."""
    is_record = record if callable(record) else re.compile(record).fullmatch
    lines = [text(line).rstrip("\r") for line in plain_text(data).split(b"\n") if line.strip()]
    while lines and is_comment(lines[0]) and not is_record(lines[0]):
        del lines[0]
    return lines


def cells_of(line: str, header: str = "") -> list[str]:
    """The cells of a line of csv or tsv; the header tells the separator."""
    header = header or line
    if "\t" in header:
        return line.split("\t")
    return next(csv.reader([line], delimiter=";" if header.count(";") > header.count(",") else ","))


def plain_cells(data: bytes, record: str | Callable[[str], object] = "$^") -> list[list[str]]:
    """The cells of csv or tsv."""
    lines = plain_lines(data, record)
    if any("\t" in lines[0] and "\r" in line for line in lines):
        raise csv.Error
    return [cells_of(line, lines[0]) for line in lines]


def shown(token: bytes) -> str:
    """A token in a message."""
    escaped = token.decode("utf-8", "backslashreplace")
    return repr(escaped if len(escaped) <= 40 else escaped[:37] + "...")


def number_in(token: str) -> float:
    """The finite number that a token spells, or nan."""
    value = float(token) if DECIMAL.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan


def numbers_of(data: bytes) -> set[float]:
    """Every number that is spelled out in a file."""
    found = [each[0] for each in DECIMAL.finditer(text(plain_text(data)))]
    return {*map(float, found), *(int(each) for each in found if INTEGER.fullmatch(each) and len(each) < 4000)}


def spelling(data: bytes) -> str:
    """Whether something in a file may have been taken for a number that is none."""
    content = text(plain_text(data))
    odd = re.search("[0-9]_[0-9]", content) or any(each.isdigit() and not each.isascii() for each in content)
    return ", oddly spelled" if odd else ""
