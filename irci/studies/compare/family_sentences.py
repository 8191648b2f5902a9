"""All pairs of a family in plain words: how p is adjusted, and for which pairs limits and signs hold."""

import math
from collections.abc import Iterator, Sequence

from irci.base.choices import OverMeasures, PairCorrection
from irci.output.tables import Row
from irci.studies.compare.family import Scored, Source
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure, rows_of_differences
from irci.studies.wording import number
from irci.wording import say

HOW_ADJUSTED = {
    "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
    "bh": "by Benjamini and Hochberg's method",
}  # fmt: skip


def is_of(row: Row, source: Source) -> bool:
    """True if a row is about a source."""
    return row["population"] == source.name and all(row.get(name) == label for name, label in source.labels.items())


def sentences_of_family(request: Request, scored: Scored, on: OnMeasure) -> Iterator[str]:
    """Sentences on all pairs of a family: how p is adjusted, and what limits and signs hold for."""
    family = on.pairs
    assert family is not None
    sources = [source for source in scored.sources if source.has_p]
    correction, pairs = family.design.correction, family.number
    if not sources:
        return
    rows = rows_of_differences(family, on.shown, sources, {})
    if pairs > 1 and scored.kind != "collections":  # each of which has a family of its own
        counts = {sum(is_of(row, source) for row in rows) for source in sources} - {0}
        of_pairs = "up to " * (len(counts) > 1) + str(pairs)  # of some nothing is known over one of the sources
        others = {family.correction_over(source.name) for source in sources} - {correction}
        yield from how_adjusted(of_pairs, correction, request.family, otherwise=next(iter(others), None))
        yield from limits_hold(request, rows, correction, of_pairs)
    if correction == "maxt" and not all(source.observes for source in scored.sources):
        by_signs = [source for source in sources if family.correction_over(source.name) == "maxt"]
        yield from _of_signs(request, by_signs, rows, "adjusted p" if pairs > 1 else "p that decides")


def how_adjusted(
    pairs: str,
    correction: PairCorrection,
    family: OverMeasures = "each",
    each: str = "each measure and each population",
    *,
    otherwise: PairCorrection | None = None,
) -> Iterator[str]:
    """For how many pairs p is adjusted, how over topics and, if that is another way, `otherwise`, and `each` of what by
    itself."""
    how = HOW_ADJUSTED.get(correction, "")
    how = how if otherwise is None else f"over topics {how}, otherwise {HOW_ADJUSTED[otherwise]}"
    kind = "none" if correction == "none" else "joint" if family == "joint" else "each"
    yield say(f"adjusted.{kind}", pairs=pairs, how=how, each=each)


def limits_hold(request: Request, rows: Sequence[Row], correction: PairCorrection, pairs: str) -> Iterator[str]:
    """For which of so many pairs limits hold."""
    if correction == "none":
        return
    yield say("adjusted.alone")
    if request.adjusted_limits:
        without = all(math.isnan(number(row, "lower_adjusted")) for row in rows) and correction != "bh"
        kind = "no_limits" if without else "selected" if correction == "bh" else "at_once"
        sure = f"{100 * request.confidence:g}% confidence"
        yield say(f"adjusted.{kind}", alpha=f"{100 * request.alpha:.4g}", pairs=pairs, sure=sure)


def _of_signs(request: Request, sources: Sequence[Source], rows: Sequence[Row], p_name: str) -> Iterator[str]:
    if request.test == "t":
        limits = " and limits for all pairs at once come" if request.adjusted_limits else " comes"
        yield say("adjusted.by_signs", p_name=p_name, over=" over topics" * request.survives, limits=limits)
    for source in sources:
        if source.members_of and any(is_of(row, source) for row in rows):
            yield say(
                "adjusted.members", members=source.name, groups=source.members_of, p_name=p_name,
                limits=" and limits for all pairs at once are" if request.adjusted_limits else " is",
                instead="" if request.survives else "; --correction holm has more power there",
            )  # fmt: skip
