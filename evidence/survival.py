"""The tables of doc/survival.md, computed anew: make survival

They are about one experiment (`dl2019.py`), whose runs and judgments must be there.
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from commands import ROOT
from dl2019 import ALPHA, MODEL, PEOPLE, Recomputed, counted
from page import Table

PAGE = ROOT / "doc" / "survival.md"


def tables(of: Recomputed) -> Iterator[Table]:
    """The tables of the page."""
    yield _by_source(of)
    yield _of_people(of)
    yield _of_all(of)
    theirs = of.model.is_found
    lines = [
        ("claims", counted(theirs)), ("confirmed by NIST", counted(theirs & of.first.confirms(of.model))),
        ("reversed by NIST", counted(theirs & of.first.is_found & ~of.first.confirms(of.model))),
    ]  # fmt: skip
    yield Table(f"The other way round: claims by {MODEL}", ("what", "pairs"), lines)


def _by_source(of: Recomputed) -> Table:
    lines = [
        (name, *map(_shown, (each.confirmed, each.weaker, each.changed, each.other_sign, each.unadjusted)))
        for name, each in of.lost()
    ]
    headers = (
        "source",
        "confirmed",
        "weaker",
        "of these changed",
        "contrary or reversed",
        f"p ≤ {ALPHA:g}, not adjusted",
    )
    return Table("What other sources say of the claims", headers, lines)


def _of_people(of: Recomputed) -> Table:
    sustained = of.claims & of.sustained.confirms(of.first)
    lines = [(name, counted(sustained & of.people[name].confirms(of.first))) for name in PEOPLE]
    every = ("of", counted(sustained))
    headers = ("judge of a part", "on documents in common, of claims that NIST sustains there")
    return Table("Two people who judged a part", headers, [*lines, every])


def _of_all(of: Recomputed) -> Table:
    by, judges = of.confirmations, np.all(of.confirmations[3:], axis=0)
    sustained = of.claims & of.sustained.confirms(of.first) & judges
    lines = [
        ("pairs", len(of.claims)),
        (f"significant over topics, p ≤ {ALPHA:g}, not adjusted", counted(of.first.p <= ALPHA)),
        ("claims: significant by the largest statistic of all pairs", counted(of.claims)),
        *((f"claims that {sources} of the six confirm", of.by_number[sources]) for sources in range(6, 1, -1)),
        ("claims that all confirm but topics and documents at once", counted(np.all([by[0], *by[2:]], axis=0))),
        ("claims that NIST sustains on documents in common, and all three judges confirm", counted(sustained)),
        ("the same, confirmed by topics and documents at once too", counted(sustained & by[1])),
        ("claims that survive all, by p_all", of.by_p_all),
    ]
    return Table("All six sources, people by documents in common", ("what", "pairs"), lines)


def _shown(number: int | None) -> object:
    return "-" if number is None else number


def with_tables(page: str, found: Iterator[Table]) -> str:
    """A page with these tables in place of those of the same captions. Raises ValueError if there is not one of each."""
    for table in found:
        begin = re.compile(rf"\*\*{re.escape(table.caption)}\*\*\n\n(\|.*\n)+")
        page, times = begin.subn(lambda _, table=table: f"{table.text()}\n", page)
        if times != 1:
            raise ValueError(f"{PAGE}: {times} tables are called {table.caption!r}")
    return page


def main() -> None:
    """Write the page anew."""
    with tempfile.TemporaryDirectory() as folder:
        page = with_tables(PAGE.read_text(encoding="utf-8"), tables(Recomputed(Path(folder))))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
