"""Rows of means and differences in plain words, one by one or counted, and what goes for all pairs: how p is adjusted, for
which pairs limits hold."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import OverMeasures, PairCorrection
from irci.data.measures import named
from irci.output.tables import Row
from irci.stats.decisions import separated
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure
from irci.studies.wording import (
    although,
    amount,
    name_of_p,
    number,
    p_text,
    sentence_on_detectable,
    sentence_on_margin,
    sentence_on_topics_needed,
)

HOW_ADJUSTED = {
    "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
    "bh": "by Benjamini and Hochberg's method",
}  # fmt: skip
HOLD_ALONE = "Limits of differences hold for each pair on its own."


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
    if family == "joint" and correction != "none":
        how = _how(correction, otherwise)
        yield f"p is adjusted for {pairs} differences in all measures {how}, for each population by itself."
    elif correction == "none":
        yield f"p is not adjusted for the number of pairs, {pairs}; limits of differences hold for each pair on its own."
    else:
        yield f"p is adjusted for {pairs} pairs {_how(correction, otherwise)}, for {each} by itself."


def is_of(row: Row, source: Source) -> bool:
    """True if a row is about a source."""
    return row["population"] == source.name and all(row.get(name) == label for name, label in source.labels.items())


def _how(correction: PairCorrection, otherwise: PairCorrection | None) -> str:
    how = HOW_ADJUSTED[correction]
    return how if otherwise is None else f"over topics {how}, otherwise {HOW_ADJUSTED[otherwise]}"


def otherwise(family: Family, sources: Sequence[Source]) -> PairCorrection | None:
    """How p of those sources is adjusted that are treated differently from topics, None if none is."""
    found = {family.correction_over(source.name) for source in sources} - {family.design.correction}
    return next(iter(found), None)


def sentences_of_family(request: Request, scored: Scored, rows: Sequence[Row], on: OnMeasure) -> Iterator[str]:
    """Sentences on all pairs of a family: how p is adjusted, and what limits and signs hold for."""
    assert on.pairs is not None
    correction, pairs = on.pairs.design.correction, on.pairs.number
    if pairs > 1 and scored.kind != "collections":  # each of which has a family of its own
        counts = {sum(is_of(row, source) for row in rows) for source in scored.sources} - {0}
        of_pairs = "up to " * (len(counts) > 1) + str(pairs)  # of some nothing is known over one of the sources
        how = otherwise(on.pairs, scored.sources)
        yield from how_adjusted(of_pairs, correction, request.family, otherwise=how)
        yield from limits_hold(request, rows, correction, of_pairs)
    if correction == "maxt":
        by_signs = [source for source in scored.sources if on.pairs.correction_over(source.name) == "maxt"]
        yield from _of_signs(request, by_signs, rows, "adjusted p" if pairs > 1 else "p that decides")


def limits_hold(request: Request, rows: Sequence[Row], correction: PairCorrection, pairs: str) -> Iterator[str]:
    """For which of so many pairs limits hold."""
    if correction == "none":
        return
    yield HOLD_ALONE
    if not request.adjusted_limits:
        return
    if all(math.isnan(number(row, "lower_adjusted")) for row in rows) and correction != "bh":
        yield "No limits that hold for all pairs at once can be given."
    elif correction == "bh":
        yield (
            "Adjusted limits are for the pairs whose adjusted p is significant: over many experiments, on average at most"
            f" {100 * request.alpha:.4g}% of them miss the true difference, where an experiment without such pairs counts as"
            " 0%. That is proved for independent pairs, which pairs on the same topics are not. It is said only of limits of"
            " pairs so selected, so the other pairs have none."
        )
    else:
        yield (
            f"Adjusted limits are meant to hold for all {pairs} pairs at once with {100 * request.confidence:g}% confidence,"
            " and exclude 0 where the adjusted p is significant."
        )


def _of_signs(request: Request, sources: Sequence[Source], rows: Sequence[Row], p_name: str) -> Iterator[str]:
    if request.test == "t":
        limits = " and limits for all pairs at once come" if request.adjusted_limits else " comes"
        over = " over topics" * request.survives
        yield f"The {p_name}{over}{limits} from signs (--correction maxt), p of each pair from the test its row names."
    for source in sources:
        members, groups = source.name, source.members_of
        if groups and any(is_of(row, source) for row in rows):
            and_limits = " and limits for all pairs at once are" if request.adjusted_limits else " is"
            instead = "" if request.survives else "; --correction holm has more power there"
            yield (
                f"Signs of {members} count differences between {groups} as chance too, so over {members} the {p_name}"
                f"{and_limits} cautious where {groups} differ{instead}."
            )


def sentences_of_row(row: Row, source: Source, request: Request, pairs: int, few: str = "") -> Iterator[str]:
    """Sentences on a mean, or on a difference: its limits and p, equivalence, and what the test can find. `pairs`: of which p
    is adjusted; `few`: on how few units the two differ, where these are too few."""
    name = name_of_p(1 if request.correction == "none" else pairs)
    yield _estimate(row, source, request, name)
    yield from _of_equivalence(row, source, request, name_of_p(pairs), few)
    yield from _of_power(row, source, request)


def _estimate(row: Row, source: Source, request: Request, p_name: str) -> str:
    lower, upper, percent = number(row, "lower"), number(row, "upper"), f"{100 * request.confidence:g}%"
    limits = f"between {amount(lower)} and {amount(upper)} ({percent} confidence"
    if source.predicted:
        return _predicted(row, source, request, p_name)
    if (own := source.sentence(row)) is not None:
        return own
    if "baseline" not in row:
        if math.isnan(lower):
            return f"{row['run']} scores {amount(number(row, 'value'))} in {row['measure']}."
        return f"{source.lead}, the mean of {row['run']} in {row['measure']} lies {limits})."
    value, p = number(row, "value"), row["p_adjusted"]
    of_measure = str(row["measure"]).removesuffix("_diff")
    who = f"{row['run']} minus {row['baseline']} in {of_measure}"
    if row.get("verdict") == "identical":
        same = "the two have equal scores on every topic (to nine digits)"
        return f"{source.lead}, there is no difference to test for {who}: {same}."
    if math.isnan(value) or not isinstance(p, float) or math.isnan(p):
        return f"{source.lead}, nothing can be said about {who}."
    found = bool(separated(np.array([p]), request.alpha)[0])
    between = f"lies {limits}, " if not math.isnan(lower) else f"is {amount(value)} here ("
    conclusion = source.conclusion(str(row["run"]), value, named(of_measure), found=found)
    found_alone = found if p_name == "p" else bool(separated(np.array([number(row, "p")]), request.alpha)[0])
    but = although(lower, upper, found=found, found_alone=found_alone)
    if row.get("test") == "t, signs" and not found_alone:  # the least p that there is
        but += f" (so few {source.counted} allow no smaller p)"
    return f"{source.lead}, the mean difference of {who} {between}{p_text(p, p_name)}): {conclusion}{but}."


def _predicted(row: Row, source: Source, request: Request, p_name: str) -> str:
    """Limits of one more, and beside them p of the mean over all, which is another question."""
    lower, upper, is_pair = number(row, "lower"), number(row, "upper"), "baseline" in row
    measure = str(row["measure"]).removesuffix("_diff") if is_pair else str(row["measure"])
    who = f"difference of {row['run']} minus {row['baseline']}" if is_pair else f"mean of {row['run']}"
    limits = f"between {amount(lower)} and {amount(upper)} ({100 * request.confidence:g}% confidence)"
    told = f"lies {limits}" if lower <= upper else "can lie anywhere"
    if not is_pair or math.isnan(p := number(row, "p_adjusted")):
        return f"In {source.predicted}, the true {who} in {measure} {told}."
    found = bool(separated(np.array([p]), request.alpha)[0])
    conclusion = source.conclusion(str(row["run"]), number(row, "value"), named(measure), found=found)
    lead = f"{source.lead[:1].lower()}{source.lead[1:]}"
    return f"In {source.predicted}, the true {who} in {measure} {told}; {lead}, {p_text(p, p_name)}: {conclusion}."


def _of_equivalence(row: Row, source: Source, request: Request, p_name: str, few: str) -> Iterator[str]:
    margin = request.margin
    if margin is None or not source.tells_verdicts or "p_equivalence_adjusted" not in row:
        return
    if row["verdict"] == "identical":
        return
    within = f"{margin} of the baseline's mean" if margin.is_share else amount(margin.amount)
    p = number(row, "p_equivalence_adjusted")
    found = bool(separated(np.array([p]), request.alpha)[0])
    yield sentence_on_margin(source.lead, within, p, p_name, found=found, few=few)


def _of_power(row: Row, source: Source, request: Request) -> Iterator[str]:
    if not request.power or not source.tells_verdicts or "topics_needed" not in row:
        return
    needed, detectable = number(row, "topics_needed"), number(row, "detectable")
    if detectable > 0:
        yield f"{source.lead}, {sentence_on_detectable(detectable, f'a true difference of {amount(detectable)}')}"
    if not math.isnan(needed):
        yield sentence_on_topics_needed(needed)


def counted(rows: Sequence[Row], sources: Sequence[Source], request: Request) -> Iterator[str]:
    """How many pairs differ significantly, a sentence a measure and source."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        source = next(source for source in sources if is_of(row, source))
        groups.setdefault((str(row["measure"]).removesuffix("_diff"), source.key), []).append(row)
    p_name = "p" if request.correction == "none" else "adjusted p"
    for (measure, key), of_group in groups.items():
        source = next(source for source in sources if source.key == key)
        columns = {column: [row[column] for row in of_group] for column in of_group[0]}
        if (own := source.sentence_on_many(measure, columns)) is not None:
            yield own
            continue
        p = np.array([number(row, "p_adjusted") for row in of_group])
        count = int(separated(np.nan_to_num(p, nan=1.0), request.alpha).sum())
        yield f"{source.lead}, {count or 'none'} of {len(p)} pairs differ significantly in {measure} (by {p_name})."
