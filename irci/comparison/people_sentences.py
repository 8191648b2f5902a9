"""People and a judge in words, notices too: which question each row answers, what the judge is worth, what would mislead."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import plural
from irci.comparison.family import Family
from irci.comparison.judged import Judged
from irci.comparison.rows import OnMeasure
from irci.comparison.wording import amount, direction, interval_in_words, number, p_text
from irci.data.notices import warn_of_few_groups
from irci.estimators.compare.prediction_powered import FEW, LEAST_OTHERS, balance_p
from irci.measures import named
from irci.output.tables import Row, Table, as_read
from irci.stats.tests import adjusted
from irci.wording import notify, say

HUMAN, WITH_JUDGE = "human", "ppi"
ROUNDING = 1e-9  # of gains
MOST = 10  # runs or pairs reported one by one


def explanation(tables: Sequence[Table], confidence: float) -> Iterator[str]:
    """Each run or pair with the judge and without, and what to make of it."""
    rows = [as_read(row) for table in tables for row in table.rows]
    ppi = [row for row in rows if row["estimator"] == WITH_JUDGE]
    alone = {_key(row): row for row in rows if row["estimator"] == HUMAN}
    ppi = [row for row in ppi if "baseline" in row] or ppi
    populations = dict.fromkeys(str(row["population"]) for row in ppi)
    if len(ppi) <= MOST * len(populations):
        yield from (_sentence(row, alone[_key(row)], confidence) for row in ppi)
    else:
        yield from (sentence for population in populations for sentence in _gains(ppi, population))
    sections = {"topics": "people", "same-topics": "people-of-these"}
    yield from (say(f"source.{sections[population]}.explains") for population in populations)
    if ppi:
        off = max(ppi, key=_off)
        yield say("people.judge", off=amount(_off(off)), run=off["run"])
        r = sorted(number(row, "r") for row in ppi if not math.isnan(number(row, "r")))
        if r:
            of_range = f"{r[0]:.2f}" if r[0] == r[-1] else f"{r[0]:.2f} to {r[-1]:.2f}"
            yield say("people.correlations", what="differences" if "baseline" in ppi[0] else "scores", r=of_range)
    yield from (say(f"people.{name}") for name in ("random", "tuned", "favours", "decide"))


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("measure", "run", "baseline", "population"))


def _off(row: Row) -> float:
    return abs(number(row, "judge_mean") - number(row, "value"))


def _sentence(row: Row, alone: Row, confidence: float) -> str:
    """A sentence on a run or pair: with the judge first, unless people's topics alone give a narrower interval."""
    has_none = math.isnan(number(row, "lower"))
    if has_none or number(row, "gain") > 1 + ROUNDING:
        judged = "no CI" if has_none else f"{_interval(row)}, wider (gain {number(row, 'gain'):.2f})"
        who, evidence = _observed(alone), _evidence(alone, confidence)
        return say("people.alone", who=who, evidence=evidence, human=row["human"], judged=judged)
    return say("people.estimate", who=_observed(row), evidence=_evidence(row, confidence), alone=_interval(alone))


def _observed(row: Row) -> str:
    value, measure = number(row, "value"), str(row["measure"]).removesuffix("_diff")
    facts = {"population": say(f"population.{row['population']}"), "run": row["run"], "measure": measure}
    if "baseline" not in row:
        return say("people.run", **facts, value=amount(value))
    word = direction(1.0 if value >= 0 else -1.0, named(measure))
    return say("people.pair", **facts, value=amount(abs(value)), word=word, baseline=row["baseline"])


def _evidence(row: Row, confidence: float) -> str:
    if math.isnan(number(row, "lower")):
        return say("people.no_interval")
    p = number(row, "p_adjusted") if "p_adjusted" in row else math.nan
    of_p = "" if math.isnan(p) else f"; {p_text(p, 'adjusted p')}"
    return say("people.evidence", confidence=f"{100 * confidence:g}%", interval=_interval(row), p=of_p)


def _interval(row: Row) -> str:
    lower, upper = number(row, "lower"), number(row, "upper")
    return "no CI" if math.isnan(lower) else interval_in_words(lower, upper)


def _gains(rows: Sequence[Row], population: str) -> Iterator[str]:
    gains = sorted(
        gain for row in rows if row["population"] == population and not math.isnan(gain := number(row, "gain"))
    )
    if gains:
        wider = sum(gain > 1 + ROUNDING for gain in gains)
        yield say(
            "people.gains", population=say(f"population.{population}"), least=f"{gains[0]:.2f}", most=f"{gains[-1]:.2f}",
            number=len(gains), median=f"{gains[len(gains) // 2]:.2f}",
            wider=say("people.wider", number=wider) if wider else "",
        )  # fmt: skip


UNLIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike


def warn_of_people(judged: Judged, on_measures: Sequence[OnMeasure]) -> None:
    """Warn of too few human topics, of those unlike the others, and of a judge who adds nothing, or less."""
    for on in on_measures:
        measure, sources = on.measure.name, on.alone.scored.sources
        families = [(on.alone, "run"), *([(on.pairs, "pair")] if on.pairs is not None else [])]
        columns = families[-1][0].over(sources[0]).tested.of.columns
        least = int(columns["human"].min())
        if least < FEW:
            then = "limits rest on scores (or differences) being close to normal"
            warn_of_few_groups(least, "topic", f"judged by people in {measure}: {then}", few=FEW)
        if not on.alone.over(sources[0]).tested.of.columns["others"].any():
            why = "people judged all topics that the judge has"
            notify("lacking", measure=measure, what="gain by the judge", who="", why=why)
        for family, noun in families:
            _warn_of_family(judged, family, noun)
    for name, shares in judged.judged.items():
        scored = ~np.isnan(shares).all(axis=0)
        if (scored & ~judged.human).any():
            human, rest = (float(np.nanmean(shares[:, scored & part])) for part in (judged.human, ~judged.human))
            if abs(human - rest) > JUDGED_ALIKE:
                notify("judge_labels", measure=name, human=f"{human:.3f}", others=f"{rest:.3f}")


def _warn_of_family(judged: Judged, family: Family, noun: str) -> None:
    name = f"{family.measure.name}_diff" if family.is_of_pairs else family.measure.name
    sources, has_others = family.scored.sources, False
    is_without = np.zeros(len(family.pairs), np.bool_)
    for source in sources:
        tested = family.over(source).tested
        columns, (lower, upper) = tested.of.columns, tested.limits
        is_without |= columns["reason"] == "ties" if family.is_of_pairs else np.isnan(lower)
        has_others = has_others or bool(columns["others"].any())
        if source.labels["estimator"] == HUMAN or not columns["others"].any():
            continue
        is_few = (columns["others"] < LEAST_OTHERS) & (source.name == TOPICS)
        for is_so, why in (
            (is_few, "too few topics"),
            (~is_few, "scores or differences that do not rise with people's"),
        ):
            if count := int((is_so & (columns["lambda"] == 0)).sum()):
                who = f" for {plural(count, noun)} over {source.name}"
                notify("lacking", measure=name, what="gain by the judge", who=who, why=f"the judge has {why}")
        if count := int((columns["gain"] > 1 + ROUNDING).sum()):
            gain = f"{np.nanmax(columns['gain']):.2f}"
            notify("judge_wider", measure=name, population=source.name, who=plural(count, noun), gain=gain)
        if count := int((upper == lower).sum()):
            of = {"what": f"limits with any width over {source.name}", "who": f" for {plural(count, noun)}"}
            notify("lacking", measure=name, why="nothing varies", **of)
    if count := int(is_without.sum()):
        why = "half or more of the human topics hardly differ from their median, and fewer than 10 do"
        who = f" for {plural(count, noun)}"
        notify("lacking", measure=name, what="limits with the judge, or on the same topics,", who=who, why=why)
    if has_others:
        _warn_of_draw(judged, family)


def _warn_of_draw(judged: Judged, family: Family) -> None:
    """Say so if the judge scores some run, or sees some pair differ, otherwise on human topics than on the others: by the
    smallest p of them all, by Holm's method."""
    pairs = family.pairs
    p, human, rest = np.full((3, len(pairs)), np.nan)
    for some_pairs, scores in judged.effects(family.measure.name, family.comparison, pairs):
        p[some_pairs] = balance_p(scores)
        human[some_pairs], rest[some_pairs] = scores.judge.mean(axis=-1), scores.others.mean(axis=-1)
    p = adjusted(p, "holm")
    if (p < UNLIKE).any():
        index = int(np.nanargmin(p))
        run, baseline = (family.names[row] for row in pairs[index].tolist())
        who = f"{run} minus {baseline} differs by" if family.is_of_pairs else f"{run} scores"
        notify(
            "judge_draw", measure=family.measure.name, who=who, human=amount(float(human[index])),
            others=amount(float(rest[index])),
            p=p_text(float(p[index]), "adjusted p" if len(pairs) > 1 else "p"),
        )  # fmt: skip
