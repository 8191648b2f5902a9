"""map-ci --judge in plain words, warnings too: which question each line answers, what the judge is worth, what would
mislead."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import logger
from irci.base.names import plural
from irci.compare.family import Family
from irci.compare.judged import Judged
from irci.compare.request import Request
from irci.compare.rows import OnMeasure
from irci.compare.wording import amount, direction, number, p_text
from irci.estimators.compare.prediction_powered import FEW, LEAST_OTHERS, balance_p
from irci.measures import named
from irci.output.tables import Row, Table, as_read
from irci.stats.tests import adjusted

HUMAN, WITH_JUDGE = "human", "ppi"
ROUNDING = 1e-9  # of gains
MOST = 10  # runs or pairs told one by one
FOR = {"same-topics": "On exactly these topics", "topics": "On new topics of this kind"}
QUESTIONS = {
    "same-topics": "Lines for same-topics are about what people would say of exactly these topics, had they judged all of"
    " them.",
    "topics": "Lines for topics are about what people would say of all topics of this kind; claims about a system need these.",
}
MISLEADING = (
    "All of this assumes that the human topics were drawn at random, and that the judge, its prompt and the pool"
    " were the same on all topics; no figure here can show that.",
    "It does not hold for a judge tuned or prompted with these human labels, nor for human labels filled in with the judge's.",
    "A judge that favours a run, perhaps one made with it, does not make these limits wrong: the run's own human topics"
    " correct for that.",
    "Decide which line to report before you look: limits hold less often if the narrower of ppi and human is picked.",
)


def explanation(found: Sequence[Table], confidence: float) -> Iterator[str]:
    """Each run or pair with the judge and without, and what to make of it."""
    rows = [as_read(row) for table in found for row in table.rows]
    ppi = [row for row in rows if row["estimator"] == WITH_JUDGE]
    alone = {_key(row): row for row in rows if row["estimator"] == HUMAN}
    differences = [row for row in ppi if "baseline" in row]
    told = differences or ppi
    populations = dict.fromkeys(str(row["population"]) for row in told)
    if len(told) <= MOST * len(populations):
        for row in told:
            yield _sentence(row, alone[_key(row)], confidence)
    else:
        yield from _in_summary(told, populations)
    yield from (QUESTIONS[population] for population in populations)
    if told:
        yield _of_judge(told)
        yield from _correlations(told)
    yield from MISLEADING


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("measure", "run", "baseline", "population"))


def _sentence(row: Row, alone: Row, confidence: float) -> str:
    """A sentence on a run or pair: with the judge first, unless people's topics alone give narrower limits."""
    if math.isnan(number(row, "lower")):
        by = f"{FOR[str(row['population'])]}, by {row['human']} human topics"
        if math.isnan(number(alone, "lower")):
            return f"{by}, {_told(alone, confidence)}."
        return f"{by} alone, {_told(alone, confidence)}; with the judge there are no limits."
    if number(row, "gain") > 1 + ROUNDING:
        return (
            f"{FOR[str(row['population'])]}, by {row['human']} human topics alone, {_told(alone, confidence)}; with the"
            f" judge wider ones, {_limits(row)} (gain {number(row, 'gain'):.2f})."
        )
    return (
        f"{FOR[str(row['population'])]}, {_told(row, confidence)}; the {row['human']} human topics alone give"
        f" {_limits(alone)}."
    )


def _told(row: Row, confidence: float) -> str:
    value, measure, tested = number(row, "value"), str(row["measure"]), ""
    who = f"{row['run']} scores {amount(value)} in {measure}"
    if "baseline" in row:
        measure = measure.removesuffix("_diff")
        word = direction(1.0 if value >= 0 else -1.0, named(measure))
        who = f"{row['run']} scores {amount(abs(value))} {word} than {row['baseline']} in {measure}"
        p = number(row, "p_adjusted")
        tested = "" if math.isnan(p) else f", {p_text(p, 'adjusted p')}"
    if math.isnan(number(row, "lower")):
        return f"{who} (no limits)"
    return f"{who} (limits {_limits(row)} with {100 * confidence:g}% confidence{tested})"


def _limits(row: Row) -> str:
    return f"{amount(number(row, 'lower'))} to {amount(number(row, 'upper'))}"


def _in_summary(rows: Sequence[Row], populations: Iterable[str]) -> Iterator[str]:
    for population in populations:
        gains = sorted(number(row, "gain") for row in rows if row["population"] == population)
        gains = [gain for gain in gains if not math.isnan(gain)]
        if gains:
            middle = gains[len(gains) // 2]
            yield (
                f"{FOR[population]}, limits with the judge are {gains[0]:.2f} to {gains[-1]:.2f} times as wide as those of"
                f" people alone (median of {len(gains)}: {middle:.2f}){_where_wider(gains)}."
            )


def _where_wider(gains: Sequence[float]) -> str:
    wider = sum(gain > 1 + ROUNDING for gain in gains)
    return f"; where they are wider ({wider}), rely on people alone" if wider else ""


def _of_judge(rows: Sequence[Row]) -> str:
    """A sentence on the judge alone, who is no estimate of what people say."""
    off = max(rows, key=_off)
    return (
        f"The judge's own means (column judge_mean) differ from these by up to {amount(_off(off))} ({off['run']}), however"
        " many topics it has: do not publish an interval from its labels alone."
    )


def _off(row: Row) -> float:
    return abs(number(row, "judge_mean") - number(row, "value"))


def _correlations(rows: Sequence[Row]) -> Iterator[str]:
    r = sorted(each for row in rows if not math.isnan(each := number(row, "r")))
    if r:
        amounts = f"{r[0]:.2f}" if r[0] == r[-1] else f"{r[0]:.2f} to {r[-1]:.2f}"
        what = "differences" if "baseline" in rows[0] else "scores"
        yield f"Over the human topics, the judge's {what} correlate {amounts} with people's."


ALIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike


def warn_of_people(request: Request, judged: Judged, found: Sequence[OnMeasure]) -> None:
    """Warn of too few human topics, of those unlike the others, and of a judge who adds nothing, or less."""
    for on in found:
        families = [family for family in (on.alone, on.pairs) if family is not None]
        columns = families[-1].over(on.alone.scored.sources[0]).tested.of.columns
        least = int(columns["human"].min())
        if least < FEW:
            logger.warning(
                f"{on.measure.name}: only {plural(least, 'topic')} judged by people: limits rest on scores (or differences)"
                " being close to normal"
            )
        if not on.alone.over(on.alone.scored.sources[0]).tested.of.columns["others"].any():
            logger.warning(
                f"{on.measure.name}: people have judged all topics that the judge has, so the judge adds nothing"
            )
        else:
            for family, what, last in ((on.alone, "run", None), (on.pairs, "pair", on.shown)):
                if family is not None:
                    _warn_of_estimates(request, family, what, last)
                    _warn_of_draw(judged, family, last)
        _warn_of_unknown(on.alone)
        if on.pairs is not None:
            _warn_of_ties(on.pairs, on.shown)
    _warn_of_labels(judged)


def _warn_of_unknown(alone: Family) -> None:
    """Say of how many runs no limits are claimed."""
    without = [np.isnan(alone.over(source).tested.limits[0]) for source in alone.scored.sources]
    if number := int(np.any(without, axis=0).sum()):
        logger.warning(
            f"{alone.measure.name}: no limits with the judge, or on the same topics, for {plural(number, 'run')}: half or"
            " more of the human topics have the same score, and fewer than 10 another, so how much others do is not known"
        )


def _warn_of_ties(family: Family, shown: int) -> None:
    """Say of how many pairs nothing is claimed with the judge."""
    without = [family.over(source).tested.of.columns["reason"][:shown] == "ties" for source in family.scored.sources]
    if number := int(np.any(without, axis=0).sum()):
        logger.warning(
            f"{family.measure.name}_diff: no limits with the judge, or on the same topics, for {plural(number, 'pair')}: half"
            " or more of the human topics hardly differ from their median, and fewer than 10 do"
        )


def _warn_of_estimates(request: Request, family: Family, what: str, last: int | None) -> None:
    name = f"{family.measure.name}_diff" if family.is_of_pairs else family.measure.name
    for source in family.scored.sources:
        if source.labels["estimator"] == HUMAN:
            continue
        tested = family.over(source).tested
        columns, (lower, upper) = tested.of.columns, tested.limits
        few = (columns["others"] < LEAST_OTHERS) & (source.name == TOPICS)
        reasons = {"too few others": few, "scores or differences that do not rise with people's": ~few}
        for reason, for_it in reasons.items():
            alone = int((for_it & (columns["lambda"] == 0))[:last].sum())
            if alone:
                logger.warning(
                    f"{name}: lambda is 0 for {plural(alone, what)}, over {source.name}: only people's topics count (the"
                    f" judge has {reason})"
                )
        wider = columns["gain"][:last] > 1 + ROUNDING
        if wider.any():
            logger.warning(
                f"{name}: limits over {source.name} are wider with the judge than without for"
                f" {plural(int(wider.sum()), what)} (gain up to {np.nanmax(columns['gain'][:last]):.2f}): rely on people's"
                " topics alone"
            )
        without = int((upper == lower)[:last].sum())
        if without:
            logger.warning(
                f"{name}: limits over {source.name} have no width for {plural(without, what)}: nothing varies"
            )


def _warn_of_draw(judged: Judged, family: Family, last: int | None) -> None:
    """Say so if the judge scores some run, or sees some pair differ, otherwise on human topics than on the others: by the
    smallest p of them all, by Holm's method."""
    pairs = family.pairs[:last]
    p, human, others = np.full((3, len(pairs)), np.nan)
    for some, scores in judged.effects(family.measure.name, family.comparison, pairs):
        p[some] = balance_p(scores)
        human[some], others[some] = scores.judge.mean(axis=-1), scores.others.mean(axis=-1)
    p = adjusted(p, "holm")
    if not (p < ALIKE).any():
        return
    place = int(np.nanargmin(p))
    run, baseline = (family.names[row] for row in pairs[place].tolist())
    verb, who = ("differs by", f"{run} minus {baseline}") if family.is_of_pairs else ("scores", run)
    name = "adjusted p" if len(pairs) > 1 else "p"
    logger.warning(
        f"{family.measure.name}: by the judge, {who} {verb} {human[place]:.4f} on the human topics, {others[place]:.4f} on the"
        f" others (Welch's t test: {name} = {p[place]:.2g}): were the human topics drawn at random? If so, the draw was"
        " unlucky"
    )


def _warn_of_labels(judged: Judged) -> None:
    for name, shares in judged.judged.items():
        scored = ~np.isnan(shares).all(axis=0)
        if not (scored & ~judged.human).any():
            continue
        human, others = (float(np.nanmean(shares[:, scored & some])) for some in (judged.human, ~judged.human))
        if abs(human - others) > JUDGED_ALIKE:
            logger.warning(
                f"{name}: {human:.3f} by the judge on human topics, {others:.3f} on the others: were their labels made in the"
                " same way?"
            )
