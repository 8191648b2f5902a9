"""Names as pictures show them: drawable, short enough, different where runs are, with a note on what is left out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from irci.base.names import visible_unicode

LONGEST_LABEL = 32  # letters
LEAST_LABEL = 12
GAP = "…"
SEPARATED = re.compile(r".*[-_./:+ ]", re.DOTALL)  # up to the last sign between parts of a name


class Naming(NamedTuple):
    """Short names of runs.

    short: by name
    prefix: what all names begin with, and no short one does
    """

    short: Mapping[str, str] = {}
    prefix: str = ""

    def notes(self, words: Iterable[str]) -> list[str]:
        """Explain, below a panel with these words, a prefix and gaps if it has names without it, or with them."""
        text = "\n".join(words)
        notes = []
        if self.prefix and any(name in text for name in self.short.values()):
            notes.append(f"all names of runs begin with {label(self.prefix, 2 * LONGEST_LABEL)}")
        if GAP in text:
            notes.append(f"{GAP} stands for letters left out")
        return notes


def naming(names: Iterable[str], longest: int) -> Naming:
    """Shorten names if any is too long: first by a common prefix, then in the middle."""
    distinct = list(dict.fromkeys(names))
    if max(map(len, distinct), default=0) <= longest:
        return Naming({name: name for name in distinct})
    prefix = _common_prefix(distinct)
    short: dict[str, str] = {}
    for name in distinct:
        rest, number = name[len(prefix) :], 1
        short[name] = label(rest, longest)
        while list(short.values()).count(short[name]) > 1:  # what tells them apart is in the gap
            number += 1
            short[name] = label(rest, longest, f"{GAP}{number}{GAP}")
    return Naming(short, prefix)


def _common_prefix(names: Sequence[str]) -> str:
    """Return the whole parts that all of several names begin with, and none consists of."""
    first, last = min(names), max(names)  # what these two begin with, all do
    same = 0
    while first != last and same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    parts = SEPARATED.match(first[:same])
    prefix = parts.group() if parts else ""
    return "" if prefix == first else prefix


def label(name: object, longest: int = LONGEST_LABEL, gap: str = GAP) -> str:
    """Shorten a name to its beginning and end, with a gap between them."""
    text = str(name)
    if len(text) <= longest:
        return text
    end = (longest - len(gap)) // 2
    return text[: longest - len(gap) - end] + gap + text[len(text) - end :]


def drawable(name: str) -> str:
    """Write as escapes what can neither be drawn nor stand in an svg: all that is neither printable nor a blank."""
    return "".join(
        letter if letter.isprintable() or letter.isspace() else letter.encode("unicode_escape").decode()
        for letter in visible_unicode(name)
    )
