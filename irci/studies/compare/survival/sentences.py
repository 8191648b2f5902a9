"""Claims in plain words: one by one, or how many of them each source confirms."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.names import plural
from irci.output.tables import Row
from irci.stats.decisions import separated
from irci.stats.survival import VERDICTS
from irci.studies.compare.survival.claims import Claims
from irci.studies.wording import MOST, amount, number, p_text

IN_WORDS = {"untold": "cannot be told"}


def conclusion(claims: Claims) -> Iterator[str]:
    """Each claim in a sentence, or how many each source confirms."""
    rows = list(claims.rows())
    if not rows:
        yield f"In {claims.measure}, there is no claim to be tried: no pair differs significantly over topics."
    elif len(rows) <= MOST:
        for row, place in zip(rows, claims.places, strict=True):
            yield _sentence(claims, row, place)
    else:
        yield from _counted(claims, rows)


def sentences(claims: Claims, not_checked: Sequence[str]) -> Iterator[str]:
    """The same, and what it means; `not_checked`: the names of sources."""
    yield from conclusion(claims)
    if not claims.places:
        return
    yield (
        "Weaker means the same sign, not significant; contrary another one, not significant: neither is evidence against a"
        " claim by itself."
    )
    yield "Topics and documents at once hold both, and are no further evidence; unjudged documents are worst cases."
    for source in claims.others.values():
        yield from source.notes()
    pairs = len(claims.family.pairs)
    of_pairs = f", by Holm's method for {plural(pairs, 'pair')}" if pairs > 1 else ""
    yield f"p_all is the largest p of topics and of all sources that could be told{of_pairs}; the counts are no such test."
    *others, last = not_checked
    yield f"Not checked: {', '.join(others)} and {last}."


def _sentence(claims: Claims, row: Row, place: int) -> str:
    by_verdict: dict[str, list[str]] = {}
    for name, source in claims.others.items():
        remark = source.remark(claims.family, place)
        by_verdict.setdefault(str(row[name]), []).append(source.in_words + f", {remark}" * bool(remark))
    confirmed = by_verdict.pop("confirmed", [])
    survives = f"survives {row['survives']} of {row['of']} sources" + f" ({', '.join(confirmed)})" * bool(confirmed)
    others = [
        f"{IN_WORDS.get(verdict, verdict)}: {', '.join(by_verdict[verdict])}"
        for verdict in VERDICTS
        if verdict in by_verdict
    ]
    p = number(row, "p_all")
    told = f" ({p_text(p, 'p of all')})" if p == p else ""
    who = f"That {row['run']} scores higher than {row['baseline']} in {claims.measure} (by {amount(number(row, 'value'))})"
    return f"{'; '.join([f'{who} {survives}{told}', *others])}."


def _counted(claims: Claims, rows: Sequence[Row]) -> Iterator[str]:
    parts = []
    for name, source in claims.others.items():
        counts = Counter(str(row[name]) for row in rows)
        confirmed = counts.pop("confirmed", 0)
        others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        parts.append(f"{source.in_words} {confirmed or 'none'}{f' ({others})' if others else ''}")
    yield f"Of {len(rows)} claims in {claims.measure}, these confirm: {'; '.join(parts)}."
    for source in claims.others.values():
        yield from source.of_many(claims.family, claims.places)
    p_all = np.nan_to_num(np.array([number(row, "p_all") for row in rows]), nan=1.0)
    found = int(separated(p_all, claims.family.request.alpha).sum())
    yield f"In {claims.measure}, {found or 'none'} of {len(rows)} claims survive all sources together (by p_all)."
