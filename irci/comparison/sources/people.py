"""People who judged few topics, and a judge who judged all: what would people say of all topics?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats, Ints
from irci.comparison.family import Family, Scored, Source
from irci.comparison.judged import Judged, judged_runs, judged_scores, refuse_too_few
from irci.comparison.missing_rows import sentences_of_missing, without_missing
from irci.comparison.people_sentences import HUMAN, WITH_JUDGE, explanation, warn_of_people
from irci.comparison.request import Request
from irci.comparison.rows import OnMeasure
from irci.comparison.sentences import sentences_of_selection
from irci.comparison.study import report_on
from irci.data.inputs import Inputs
from irci.estimators.compare.edges import limits, means_due
from irci.estimators.compare.means import Tested
from irci.estimators.compare.prediction_powered import (
    FEWEST,
    TUNED_FROM,
    BothScores,
    Estimate,
    Varies,
    human_only,
    mostly_ties,
    pooled_slope,
    prediction_powered,
)
from irci.measures import Measure
from irci.output.report import Report
from irci.output.tables import NO_WORD, SourceInReport, Table
from irci.stats.bounded import mostly_one_score
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.tests import no_less_than_signs, reaching_zero

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
