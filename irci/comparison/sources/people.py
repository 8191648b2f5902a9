"""People who judged few topics, and a judge who judged all: what would people say of all topics? In words: which
question each row answers, what the judge is worth, what would mislead."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import plural
from irci.base.types import Bools, Floats, Ints
from irci.comparison.family import Family, Scored, Source
from irci.comparison.judged import Judged, judged_runs, judged_scores, refuse_too_few
from irci.comparison.missing_rows import sentences_of_missing, without_missing
from irci.comparison.request import Request
from irci.comparison.rows import OnMeasure
from irci.comparison.sentences import sentences_of_selection
from irci.comparison.study import report_on
from irci.comparison.wording import amount, direction, interval_in_words, number, p_text
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.estimators.compare.edges import limits, means_due
from irci.estimators.compare.means import Tested
from irci.estimators.compare.prediction_powered import (
    FEW,
    FEWEST,
    LEAST_OTHERS,
    TUNED_FROM,
    BothScores,
    Estimate,
    Varies,
    balance_p,
    human_only,
    mostly_ties,
    pooled_slope,
    prediction_powered,
)
from irci.measures import Measure, named
from irci.output.report import Report
from irci.output.tables import NO_WORD, Row, SourceInReport, Table, as_read
from irci.stats.bounded import mostly_one_score
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.tests import adjusted, no_less_than_signs, reaching_zero
from irci.wording import notify, say

HUMAN, WITH_JUDGE = "human", "ppi"
SAME_TOPICS = "same-topics"
VARIES: dict[str, Varies] = {TOPICS: "topics", SAME_TOPICS: "judgments"}
IN_PICTURES = {HUMAN: "people alone", WITH_JUDGE: "with the judge"}


class People(Source):
    """People's topics, for new ones or for exactly these, alone or with the judge's scores of all."""

    has_draws = has_test_column = tells_verdicts = False
    before = ("human", "others", "lambda", "r", "gain", "judge_mean")
    own_notices = True

    def __init__(self, judged: Judged, request: Request, name: str, estimator: str) -> None:
        self.judged, self.request, self.name = judged, request, name
        self.labels = {"estimator": estimator}
        self.words_as = "people" if name == TOPICS else "people-of-these"
        self._found: dict[int, tuple[Estimate, dict[str, Floats]]] = {}

    def tested(self, family: Family) -> Tested:
        estimate, columns = self._estimates(family, family.design.confidence)
        units = columns["human"].astype(np.int64)
        of = Estimates(estimate.value, estimate.error, estimate.df, units, columns)
        limits = _limits(family, estimate, units, family.design.confidence)
        p = no_less_than_signs(estimate.p, units)[0]
        if not family.is_of_pairs:
            return Tested(of, limits, p, [])
        ties = self._ties(family)
        (lower, upper), gain = limits, np.where(ties, np.nan, columns["gain"])
        all_columns = {**columns, "gain": gain, "reason": np.where(ties, "ties", NO_WORD)}
        limits = np.where(ties, np.nan, lower), np.where(ties, np.nan, upper)
        return Tested(of._replace(columns=all_columns), limits, np.where(ties, np.nan, p), [])

    def _ties(self, family: Family) -> Bools:
        """bool[P]: pairs of which nothing but people's means on new topics is told, as their human topics hardly differ."""
        has_ties, ends = np.zeros(len(family.pairs), np.bool_), family.ends
        if ends is None or (self.name == TOPICS and self.labels["estimator"] == HUMAN):
            return has_ties
        for in_block, scores in self._effects(family):
            has_ties[in_block] = mostly_ties(scores.human, ends[1] - ends[0])
        return has_ties

    def means(self, alone: Family) -> Tested:
        """People's topics alone, if others like these vary, have the limits of any sample of topics; all others rest on how
        scores vary about what the judge says, and there are none where half of people's or more are one score, and
        fewer than 10 another."""
        tested, ends = self.tested(alone), alone.ends
        if ends is None:
            return tested
        (lower, upper), gain = tested.limits, tested.of.columns["gain"].copy()
        kinds = np.full(len(lower), "t", object)
        for in_block, scores in self._effects(alone):
            human = scores.human
            if self.name == TOPICS and self.labels["estimator"] == HUMAN:
                due = means_due(human, ends, alone.design.interval)
                of_some = limits(human[due], tested.of.value[in_block][due], ends, alone.design.confidence)
                (lower[in_block[due]], upper[in_block[due]]), kinds[in_block[due]] = of_some, "bounded"
            else:
                unknown = in_block[mostly_one_score(human, *ends, half=True)]
                lower[unknown] = upper[unknown] = gain[unknown] = np.nan
        of = tested.of._replace(columns={**tested.of.columns, "gain": gain})
        return tested._replace(of=of, limits=(lower, upper), interval=kinds.tolist())

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        estimate, _ = self._estimates(family, confidence)
        lower, upper = _limits(family, estimate, tested.of.units, confidence)
        if not family.is_of_pairs:
            return lower, upper
        ties = self._ties(family)
        return np.where(ties, np.nan, lower), np.where(ties, np.nan, upper)

    def run_means(self, family: Family, runs: int) -> Floats:
        alone = family.comparison._replace(pairs=np.column_stack((np.arange(runs), np.full(runs, -1))))
        estimate, _ = self._estimates(replace(family, comparison=alone, _adjusted={}), family.design.confidence)
        return estimate.value

    def _of(self, family: Family) -> Judged:
        return self.judged.without_lacking() if family.is_without else self.judged

    def _effects(self, family: Family) -> list[tuple[Ints, BothScores]]:
        """The scores of each contrast, and which [k] of the family they are of; none of those that have too few human topics
        without what runs lack."""
        parts = self._of(family).effects(family.measure.name, family.comparison, family.pairs)
        if not family.is_without:
            refuse_too_few(min(scores.number for _, scores in parts))
        return [(in_block, scores) for in_block, scores in parts if scores.number >= FEWEST]

    def _estimates(self, family: Family, confidence: float) -> tuple[Estimate, dict[str, Floats]]:
        """Estimates of each contrast, with the human and the other topics, the judge's mean and correlation, ..."""
        columns = np.full((len(Estimate._fields) + 2, len(family.pairs)), np.nan)
        human, rest = np.zeros((2, len(family.pairs)), np.int64)
        varies = VARIES[self.name]
        for in_block, scores in self._effects(family):
            if self.labels["estimator"] == HUMAN:
                estimate = human_only(scores, varies, confidence)
            else:
                estimate = prediction_powered(scores, varies, self._lambda(family, scores.number), confidence)
            columns[:, in_block] = *estimate, scores.correlation, scores.judge_mean
            human[in_block], rest[in_block] = scores.number, scores.rest
        *of_estimate, r, judge_mean = columns
        estimate = Estimate(*of_estimate)
        counts = {"human": human, "others": rest, "lambda": estimate.lam, "r": r, "gain": estimate.gain}
        return estimate, {**counts, "judge_mean": judge_mean}

    def _lambda(self, family: Family, human: int) -> float | None:
        """The lambda with so many human topics; None: tuned. By their number and that of runs, never by what is found."""
        return self._in_common(family) if human < TUNED_FROM else None

    def _in_common(self, family: Family) -> float:
        """The slope that all runs have in common; 1 of too few runs, or where too few topics are scored by all."""
        judged = self._of(family)
        people, judge = (scores[family.measure.name][:, judged.human] for scores in (judged.people, judged.judge))
        if (~np.isnan(people + judge).any(axis=0)).sum() < FEWEST:
            return 1.0
        slope = pooled_slope(people, judge, of_pairs=family.is_of_pairs)
        return 1.0 if slope is None else slope


def with_judge(request: Request, inputs: Inputs) -> Report:
    """Means and differences of runs by few people and a judge, the people's alone beside them."""
    if inputs.scores:
        judged, measures = judged_scores(inputs, request.measures)
    else:
        judged, measures = judged_runs(inputs, request.measures)
    request = request.of_runs(judged.runs if judged.lacking is None else judged.lacking.order)
    names = [name for name in (TOPICS, SAME_TOPICS) if request.population is None or name in request.population]
    sources = [People(judged, request, name, estimator) for name in names for estimator in (HUMAN, WITH_JUDGE)]
    on_measures: list[OnMeasure] = []

    def warn(findings: Sequence[OnMeasure]) -> None:
        on_measures.extend(findings)
        warn_of_people(judged, findings)

    scored = Scored(
        judged.runs, judged.topics, measures, judged.people, np.empty(0, np.uint64), sources, kind="judge",
        further_notices=warn, lacking=judged.lacking,
    )  # fmt: skip
    report = report_on(request, scored, {}, threads=inputs.threads)
    return report._replace(
        signature=_signature(request, inputs, judged, measures, names),
        explain=lambda: chain(
            explanation(without_missing(report.tables, scored), request.confidence),
            sentences_of_missing(scored),
            sentences_of_selection(request, on_measures),
        ),
        conclude=None,
        drawn=lambda: [_drawn(table, report.sources) for table in report.tables],
        caption=None,
    )


def _limits(family: Family, estimate: Estimate, units: Ints, confidence: float) -> Interval:
    """Limits[P], which hold 0 where signs of so few units[P] cannot tell a difference from it."""
    limits = estimate.lower, estimate.upper
    return reaching_zero(limits, units, confidence) if family.is_of_pairs else limits


def _drawn(table: Table, sources: Mapping[str, SourceInReport]) -> Table:
    rows = [
        {**row, "population": f"{sources[str(row['population'])].label}, {IN_PICTURES[str(row['estimator'])]}"}
        for row in table.rows
    ]
    return Table(table.kind, table.measure, rows)


def _signature(
    request: Request, inputs: Inputs, judged: Judged, measures: Sequence[Measure], names: Sequence[str]
) -> dict[str, str | float | int | bool | None]:
    return {
        "command": "map-ci",
        "measures": " ".join(measure.name for measure in measures),
        "judge": inputs.other_qrels[0],
        "few_human": " ".join(names),
        "baseline": request.compared_with,
        "correction": request.correction or "holm",
        "confidence": request.confidence,
        **inputs.signature(),
        "levels": inputs.levels_told,
        "scores": inputs.scores,
        "num_topics": len(judged.topics),
        "num_human": int(judged.human.sum()),
    }


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
