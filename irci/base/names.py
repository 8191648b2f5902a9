"""Names and numbers as they are written: bytes in files and on the command line, text where a user reads them."""

import os
import re
from collections.abc import Callable, Container, Iterable, Sequence

from irci.base.records import Record

STDIN = "-"
NAMED = 5  # things in a message
MOST_KNOWN = 20  # where one of them is to be picked
OF_COLLECTIONS = ("all", "mean")  # what stands for the mean over collections, so that none is called so
# What stands between fields and is no part of a name: C's isspace, as in runs. Other scripts' blanks are letters of a name.
BLANKS = " \t\n\r\v\f"
BORDA = "_borda"  # ends the name of points


def text(name: bytes) -> str:
    """A topic's or a run's name for printing; bytes that are no UTF-8 survive the way out."""
    return name.decode("utf-8", "surrogateescape")


def raw(name: str) -> bytes:
    """The bytes that `text` made a name of; of any text, those that are written."""
    return name.encode("utf-8", "surrogateescape")


def is_name(name: str) -> bool:
    """True if it can stand in a line of a table."""
    return bool(name) and not set(name) & set("\t\n\0")


def is_list(path: str) -> bool:
    """True of @FILE, which stands for the files that FILE lists, one a line."""
    return path.startswith("@") and len(path) > 1


def path_and_level(raw: str, in_memory: Container[str] = ()) -> tuple[str, int | None]:
    """The path of FILE:N and N, the lowest grade that counts there; of a FILE alone, and of one that is called so, no level.

    in_memory: names of what is no file, to be taken as they are
    """
    path, _, level = raw.rpartition(":")
    if raw in in_memory or not (path and level.isascii() and level.isdecimal()) or os.path.lexists(raw):
        return raw, None
    return path, int(level)


def takes(convert: Callable[[str], object], text: str) -> bool:
    """True if a conversion, which raises ValueError for what it does not take, takes the text."""
    try:
        convert(text)
    except ValueError:
        return False
    return True


def is_text(name: str) -> bool:
    """True if it has bytes: a half of a surrogate pair has none."""
    return takes(raw, name)


def places_by_name(names: Sequence[str]) -> list[int]:
    """Where the names stand, in bytewise order of the names: what pools runs takes them so, whatever order they came in."""
    return sorted(range(len(names)), key=lambda index: raw(names[index]))


def file_name(path: str) -> str:
    """The name of a run taken from its file: the base name without `input.`, .gz, .txt and .run, and blanks around it.

    It is named as it is shown: what may stand in the name of a file, such as a tab, may not in a line of a table.
    """
    name = visible(os.path.basename(path.rstrip(os.sep)) if path != STDIN else "stdin")
    stem = name.removeprefix("input.")
    while stem.endswith((".gz", ".txt", ".run")):
        stem = stem[: stem.rindex(".")]
    return stem.strip(BLANKS) or name.strip(BLANKS) or repr(name)


def stem(path: str) -> str:
    """The name of a run whose file has no tags: that of the file, without .csv, .tsv, .json or .parquet too."""
    name = file_name(path)
    return (
        name.removesuffix(next((end for end in (".csv", ".tsv", ".json", ".parquet") if name.endswith(end)), ""))
        or name
    )


class Margin(Record):
    """Within which runs are equivalent: an amount, or a share of the baseline's mean."""

    amount: float
    is_share: bool = False

    def __str__(self) -> str:
        return f"{100 * self.amount:g}%" if self.is_share else f"{self.amount:g}"


def decimal(token: str) -> float:
    """The number that a token spells. Raises ValueError for what only Python takes for one: 1_000, digits of other
    scripts, separators of control characters around it."""
    if "_" in token or not token.isascii() or not token.strip(BLANKS).isprintable():
        raise ValueError(token)
    return float(token)


def whole_number(token: str) -> int:
    """The whole number, between -2^53 and 2^53, that a token spells as `decimal` takes it. Raises ValueError for others."""
    if not abs(decimal(token)) < 2**53:
        raise ValueError(token)
    return int(token)


# What is obeyed, not shown: control characters, also as bytes that are no UTF-8, ends of lines and paragraphs, overridden
# directions of writing.
OBEYED = "[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"


def spelled(number: float) -> str:
    """A double as short as it is told from all others: 7, 11.3."""
    return repr(float(number)).removesuffix(".0")


def visible(text: str) -> str:
    """A text, such as a name, without what a terminal obeys or what ends a line: that is written \\x1b, \\n, \\u2028.

    Everything else stays: a backslash too, and other bytes that are no UTF-8 (as surrogates).
    """
    return (
        text
        if text.isprintable()
        else re.sub(OBEYED, lambda match: repr(match.group())[1:-1].replace("\\udc", "\\x"), text)
    )


def visible_unicode(text: str) -> str:
    """The same where bytes that are no UTF-8 cannot go: they are written \\xff."""
    return visible(text).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_few(names: Sequence[str]) -> str:
    """The first few names, and dots for the others."""
    return " ".join(names[:NAMED]) + (" ..." if len(names) > NAMED else "")


def first_names(names: Sequence[str], most: int = NAMED) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def nearest(name: str, names: Iterable[str]) -> str:
    """The known name that is spelled most like another one; "" if none is much like it."""
    from difflib import get_close_matches  # takes time

    return next(iter(get_close_matches(name, list(names), 1)), "")


def unknown(role: str, name: str, names: Sequence[str]) -> str:
    """That a thing of this name is not there, which one may be meant, and what there is."""
    near = nearest(name.lower(), [known_name.lower() for known_name in names])
    meant = next((f"; did you mean {known_name}?" for known_name in names if near == known_name.lower()), ".")
    more = f" and {len(names) - MOST_KNOWN} more" if len(names) > MOST_KNOWN else ""
    return f"no {role} is named {name!r}{meant} There are {', '.join(names[:MOST_KNOWN])}{more}"


def either(words: Sequence[str], last: str = "or") -> str:
    """One of several words, or all with `last` and."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end
