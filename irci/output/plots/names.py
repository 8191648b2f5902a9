"""Names as pictures show them: drawable, short enough, different where runs are, and what has been left out of them said."""

import re
from collections.abc import Iterable, Mapping

from irci.base.names import visible_unicode
from irci.base.records import Record

LONGEST_LABEL = 32
LEAST_LABEL = 12
GAP = "…"
SEPARATED = re.compile(r".*[-_./:+ ]", re.DOTALL)  # up to the last sign between parts of a name


class Naming(Record):
    """Short names of runs, by name, and the prefix that all names begin with and no short one does."""

    short: Mapping[str, str] = {}
    prefix: str = ""

    def notes(self, words: Iterable[str]) -> list[str]:
        """The notes that these words of a panel call for: on the prefix where a run is named, on gaps where there are any."""
        shown = "\n".join(words)
        found = []
        if self.prefix and any(name in shown for name in self.short.values()):
            found.append(f"all names of runs begin with {label(self.prefix, 2 * LONGEST_LABEL)}")
        if GAP in shown:
            found.append(f"{GAP} stands for letters left out")
        return found


def naming(names: Iterable[str], longest: int) -> Naming:
    """Short names of runs. If any is too long, a common prefix goes first, then the middle of those that still are."""
    distinct = list(dict.fromkeys(names))
    if max(map(len, distinct), default=0) <= longest:
        return Naming({name: name for name in distinct})
    prefix = _common_prefix(distinct)
    short: dict[str, str] = {}
    taken: set[str] = set()
    for name in distinct:
        rest, number = name[len(prefix) :], 1
        cut = label(rest, longest)
        while cut in taken:  # what tells them apart is in the gap
            number += 1
            cut = label(rest, longest, f"{GAP}{number}{GAP}")
        taken.add(cut)
        short[name] = cut
    return Naming(short, prefix)


def _common_prefix(names: list[str]) -> str:
    """The whole parts that all of several names begin with, and none consists of."""
    first, last = min(names), max(names)  # what these two begin with, all do
    same = 0
    while first != last and same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    found = SEPARATED.match(first[:same])
    prefix = found.group() if found else ""
    return "" if prefix == first else prefix


def label(name: object, longest: int = LONGEST_LABEL, gap: str = GAP) -> str:
    """A name that is not too long: beginning and end, with a gap between them."""
    text = str(name)
    if len(text) <= longest:
        return text
    end = (longest - len(gap)) // 2
    return text[: longest - len(gap) - end] + gap + text[len(text) - end :]


def drawable(name: str) -> str:
    """A name as it can be drawn, and stand in an svg: what is not printable, nor a blank, is written as escapes."""
    return "".join(
        letter if letter.isprintable() or letter.isspace() else letter.encode("unicode_escape").decode()
        for letter in visible_unicode(name)
    )
