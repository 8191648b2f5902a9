"""Names of runs, topics and files: bytes in files, text where they are printed."""

from collections.abc import Sequence
from pathlib import PurePath

from irci.base.errors import visible

STDIN = "-"
OF_COLLECTIONS = ("all", "mean")  # what stands for the mean over collections, so that none is called so
# What stands between fields and is no part of a name: C's isspace, as in runs. Other scripts' blanks are letters of a name.
BLANKS = " \t\n\r\v\f"


def text(name: bytes) -> str:
    """A topic's or a run's name for printing; bytes that are no UTF-8 survive the way out."""
    return name.decode("utf-8", "surrogateescape")


def raw(name: str) -> bytes:
    """The bytes that `text` made a name of."""
    return name.encode("utf-8", "surrogateescape")


def is_name(name: str) -> bool:
    """Whether it can stand in a line of a table."""
    return bool(name) and not set(name) & set("\t\n")


def is_text(name: str) -> bool:
    """Whether it has bytes: a half of a surrogate pair has none."""
    try:
        raw(name)
    except UnicodeEncodeError:
        return False
    return True


def places_by_name(names: Sequence[str]) -> list[int]:
    """Where the names stand, in bytewise order of the names: what pools runs takes them so, whatever order they came in."""
    return sorted(range(len(names)), key=lambda place: raw(names[place]))


def file_name(path: str) -> str:
    """The name of a run taken from its file: the base name without `input.`, .gz, .txt and .run, and blanks around it.

    It is named as it is shown: what may stand in the name of a file, such as a tab, may not in a line of a table.
    """
    name = visible(PurePath(path).name if path != STDIN else "stdin")
    stem = name.removeprefix("input.")
    while stem.endswith((".gz", ".txt", ".run")):
        stem = stem[: stem.rindex(".")]
    return stem.strip(BLANKS) or name.strip(BLANKS) or repr(name)
