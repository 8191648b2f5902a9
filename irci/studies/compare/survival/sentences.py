"""Claims in plain words: one by one, or how many of them each source confirms."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from irci.base.choices import JUDGMENTS
from irci.base.names import plural
from irci.output.tables import Row
from irci.stats.decisions import separated
from irci.stats.survival import VERDICTS
from irci.studies.compare.family import Witness
from irci.studies.compare.survival.claims import Claims
from irci.studies.wording import MOST, amount, number, p_text

LATER = VERDICTS[1:]  # in the order in which they stand behind the sources that confirm a claim


def conclusion(found: Sequence[Claims], not_checked: Sequence[str]) -> Iterator[str]:
    """Each claim on each measure in a sentence, or how many each source confirms; `not_checked`: the names of sources."""
    for claims in found:
        rows = list(claims.rows())
        if not rows:
            yield f"In {claims.measure}, there is no claim to be tried: no pair differs significantly over topics."
        elif len(rows) <= MOST:
            for row, place in zip(rows, claims.places, strict=True):
                yield _sentence(claims, row, place)
        else:
            yield from _counted(claims, rows)
        yield from _why_untold(claims)
    if any(claims.places for claims in found) and not_checked:
        yield f"Not checked: {_listed(not_checked)}."


def sentences(found: Sequence[Claims], not_checked: Sequence[str]) -> Iterator[str]:
    """The same, and what it means."""
    yield from conclusion(found, not_checked)
    if not any(claims.places for claims in found):
        return
    yield "Not confirmed means not significant: no evidence against a claim by itself."
    if any(not source.brings_others for source in found[0].others.values()):
        yield "What is said on these topics is not counted: chance in the choice of topics passes it."
    if JUDGMENTS in found[0].others:
        yield "Unjudged documents are worst cases over all their grades."
    for source in found[0].others.values():
        yield from source.notes()
    family = found[0].family
    of_all = "differences in all measures" if found[0].as_one else "pairs"
    of_pairs = f", by Holm's method for {family.number} {of_all}" if family.number > 1 else ""
    yield f"p_all is the largest p of topics and of all sources that could be told{of_pairs}; the counts are no such test."


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _sentence(claims: Claims, row: Row, place: int) -> str:
    counted, beside = (
        [(name, each) for name, each in claims.others.items() if each.brings_others == it] for it in (True, False)
    )
    who = f"That {row['run']} scores higher than {row['baseline']} in {claims.measure} (by {amount(number(row, 'value'))})"
    p = number(row, "p_all")
    lead = f"{who}: {p_text(p, 'p_all')};" if p == p else who
    by_verdict = _by_verdict(claims, row, place, counted)
    confirmed = by_verdict.pop("confirmed", [])
    sources = f"survives {row['survives']} of {row['of']} {'source' if row['of'] == 1 else 'sources'}"
    if counted and row["of"] == 0:
        sources = "no source could be tested"
    survives = sources if counted else "no source with other topics, seeds, collections or judges was asked"
    told = [f"{lead} {survives}" + f" ({', '.join(confirmed)})" * bool(confirmed), *_listed_by(by_verdict)]
    if counted and "reversed" not in by_verdict:
        told.append("reversed: none")
    if beside:
        told.append(f"on these topics {', '.join(_listed_by(_by_verdict(claims, row, place, beside), VERDICTS))}")
    return f"{'; '.join(told)}."


def _by_verdict(claims: Claims, row: Row, place: int, sources: Sequence[tuple[str, Witness]]) -> dict[str, list[str]]:
    """Names of sources, with their remarks, by the verdict of each on a claim."""
    found: dict[str, list[str]] = {}
    for name, source in sources:
        remark = "" if row[name] == "not testable" else source.remark(claims.family, place)
        found.setdefault(str(row[name]), []).append(source.in_claims + f" ({remark})" * bool(remark))
    return found


def _listed_by(by_verdict: Mapping[str, Sequence[str]], order: Sequence[str] = LATER) -> list[str]:
    return [f"{verdict}: {', '.join(by_verdict[verdict])}" for verdict in order if verdict in by_verdict]


def _why_untold(claims: Claims) -> Iterator[str]:
    """For each source that tells nothing of some claims, why that is so, if it is known."""
    for name, source in claims.others.items():
        untold = [place for place in claims.places if claims.verdicts[name][place] == "not testable"]
        no_difference = {place for place in untold if claims.told[name].value[place] == 0}
        whys = Counter(
            "no difference" if place in no_difference else source.remark(claims.family, place) for place in untold
        )
        for why, times in whys.items():
            if why:
                of = f"{times} of {plural(len(claims.places), 'claim')} in {claims.measure}"
                yield f"{of} cannot be tested by {source.in_claims}: {why}."


def _counted(claims: Claims, rows: Sequence[Row]) -> Iterator[str]:
    p_all = np.nan_to_num(np.array([number(row, "p_all") for row in rows]), nan=1.0)
    found = int(separated(p_all, claims.family.request.alpha).sum())
    yield f"In {claims.measure}, {found or 'none'} of {len(rows)} claims survive all sources together (by p_all)."
    for counted in (True, False):
        parts = []
        for name, source in claims.others.items():
            if source.brings_others == counted:
                counts = Counter(str(row[name]) for row in rows)
                confirmed = counts.pop("confirmed", 0)
                others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LATER if counts[verdict])
                parts.append(f"{source.in_claims} {confirmed or 'none'}{f' ({others})' if others else ''}")
        if parts:
            where = "these confirm" if counted else "on these topics these confirm"
            yield f"Of {len(rows)} claims in {claims.measure}, {where}: {'; '.join(parts)}."
    for source in claims.others.values():
        yield from source.sentences_on_claims(claims.family, claims.places)
