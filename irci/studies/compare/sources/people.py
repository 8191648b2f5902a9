"""People who judged few topics, and a judge who judged all: what would people say of all topics?"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import plural
from irci.base.types import Floats, Pairs
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.methods.compare.means import Tested
from irci.methods.compare.prediction_powered import (
    FEW,
    LEAST_OTHERS,
    TUNED_FROM,
    Estimate,
    Varies,
    human_only,
    prediction_powered,
)
from irci.output.report import Report
from irci.output.tables import Source as InReport
from irci.output.tables import Table
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.tests import unequal_variances_p
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.judged import Judged, judged_runs, judged_scores, refuse_too_few
from irci.studies.compare.people_sentences import explanation
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure
from irci.studies.compare.study import report_on

logger = logging.getLogger("irci")

SAME_TOPICS = "same-topics"
VARIES: dict[str, Varies] = {TOPICS: "topics", SAME_TOPICS: "judgments"}
HUMAN, WITH_JUDGE = "human", "ppi"
ALIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike
IN_PICTURES = {HUMAN: "people alone", WITH_JUDGE: "with the judge"}


class People(Source):
    """People's topics, for new ones or for exactly these, alone or with the judge's scores of all."""

    has_draws = has_test_column = tells_verdicts = False
    before = ("human", "others", "lambda", "r", "gain", "judge_mean")
    counted = TOPICS
    own_notices = True

    def __init__(self, judged: Judged, request: Request, name: str, estimator: str) -> None:
        self.judged, self.request, self.name, self.over = judged, request, name, name
        self.labels = {"estimator": estimator}
        self.lead, self.label = "On new topics of this kind", "other topics"
        self.varies = "the topics vary: limits are for the mean that people would give over all topics of this kind"
        self.stays = "The judge, its labels and the runs"
        if name == SAME_TOPICS:
            self.lead, self.label = "On exactly these topics", "these topics"
            self.varies = (
                "the draw of the topics that people judged varies: limits are for the mean that people would give on exactly"
                " these topics"
            )
            self.stays = "The topics, the judge, its labels and the runs"
        self._found: dict[int, tuple[Estimate, dict[str, Floats]]] = {}

    @property
    def in_report(self) -> InReport:
        found = super().in_report
        return found._replace(page=f"With a judge, i{found.page[1:]}")

    def tested(self, family: Family) -> Tested:
        found, columns = self._estimates(family, family.design.confidence)
        units = columns["human"].astype(np.int64)
        of = Estimates(found.value, found.error, found.df, units, columns)
        return Tested(of, (found.lower, found.upper), found.p, [])

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        found, _ = self._estimates(family, confidence)
        return found.lower, found.upper

    def run_means(self, family: Family, runs: int) -> Floats:
        alone = replace(family.comparison, pairs=np.column_stack((np.arange(runs), np.full(runs, -1))))
        found, _ = self._estimates(replace(family, comparison=alone, _adjusted={}), family.design.confidence)
        return found.value

    def _estimates(self, family: Family, confidence: float) -> tuple[Estimate, dict[str, Floats]]:
        """Estimates of each contrast, with the human and the other topics, the judge's mean and correlation, ..."""
        pairs: Pairs = family.pairs
        parts = self.judged.effects(family.measure.name, family.comparison, pairs)
        estimates, columns = [], []
        varies = VARIES[self.name]
        for some, scores in parts:
            refuse_too_few(scores.number)
            if self.labels["estimator"] == HUMAN:
                found = human_only(scores, varies, confidence)
            else:
                found = prediction_powered(scores, varies, self._lambda(scores.number), confidence)
            estimates.append(found)
            full = np.full(len(some), 1)
            columns.append((full * scores.number, full * scores.rest, scores.correlation, scores.judge_mean))
        places = np.concatenate([some for some, _ in parts])
        back = np.empty(len(pairs), np.int64)
        back[places] = np.arange(len(pairs))
        found = Estimate(*(np.concatenate(each)[back] for each in zip(*estimates, strict=True)))
        human, others, r, judge_mean = (np.concatenate(each)[back] for each in zip(*columns, strict=True))
        told = {"human": human, "others": others, "lambda": found.lam, "r": r, "gain": found.gain}
        return found, {**told, "judge_mean": judge_mean}

    def _lambda(self, human: int) -> float | None:
        """The lambda with so many human topics; None: tuned. By their number alone, never by what is found."""
        if self.request.lam is None:
            return 1.0 if human < TUNED_FROM else None
        return None if self.request.lam == "tuned" else float(self.request.lam)


def with_judge(request: Request, inputs: Inputs) -> Report:
    """Means and differences of runs by few people and a judge, the people's alone beside them."""
    if inputs.scores:
        judged, measures = judged_scores(inputs, request.measures)
    else:
        judged, measures = judged_runs(inputs, request.measures, request.level_b)
    names = [name for name in (TOPICS, SAME_TOPICS) if request.population is None or name in request.population]
    sources = [People(judged, request, name, estimator) for name in names for estimator in (HUMAN, WITH_JUDGE)]
    scored = Scored(
        judged.runs, judged.topics, measures, judged.people, np.empty(0, np.uint64), sources, kind="judge",
        further_notices=lambda found: _warn(request, judged, found),
    )  # fmt: skip
    report = report_on(request, scored, {}, threads=inputs.threads)
    return replace(
        report,
        signature=_signature(request, inputs, judged, measures, names),
        explain=lambda: explanation(report.tables, request.confidence),
        drawn=lambda: [_drawn(table, report.sources) for table in report.tables],
        caption=None,
    )


def _drawn(table: Table, sources: Mapping[str, InReport]) -> Table:
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
        "lambda": "auto" if request.lam is None else request.lam,
        "baseline": request.compared_with,
        "correction": request.correction or "holm",
        "confidence": request.confidence,
        **inputs.signature(),
        "level_b": request.level_b,
        "scores": inputs.scores,
        "num_topics": len(judged.topics),
        "num_human": int(judged.human.sum()),
    }


def _warn(request: Request, judged: Judged, found: Sequence[OnMeasure]) -> None:
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
            logger.warning(f"{on.measure.name}: people have judged every topic of the judge's, who adds nothing")
        else:
            for family, what, last in ((on.alone, "run", None), (on.pairs, "pair", on.shown)):
                if family is not None:
                    _warn_of_estimates(request, family, what, last)
        _warn_of_sample(judged, on.measure)
    _warn_of_labels(judged)


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
            if alone and request.lam != 0:
                logger.warning(
                    f"{name}: lambda is 0 for {plural(alone, what)}, over {source.name}: people's topics count alone (the"
                    f" judge has {reason})"
                )
        without = int((upper == lower)[:last].sum())
        if without:
            logger.warning(
                f"{name}: limits over {source.name} without width for {plural(without, what)}: nothing varies"
            )


def _warn_of_sample(judged: Judged, measure: Measure) -> None:
    scores = judged.judge[measure.name]
    scored = ~np.isnan(scores).all(axis=0)
    human, others = (np.nanmean(scores[:, some], axis=0) for some in (scored & judged.human, scored & ~judged.human))
    if len(others) > 1:
        p = unequal_variances_p(human, others)
        if p < ALIKE:
            logger.warning(
                f"{measure.name}: by the judge the human topics score {human.mean():.4f}, the others {others.mean():.4f}"
                f" (Welch's t test: p = {p:.2g}): do they come from a random sample?"
            )


def _warn_of_labels(judged: Judged) -> None:
    for name, shares in judged.judged.items():
        scored = ~np.isnan(shares).all(axis=0)
        if not (scored & ~judged.human).any():
            continue
        human, others = (float(np.nanmean(shares[:, scored & some])) for some in (judged.human, ~judged.human))
        if abs(human - others) > JUDGED_ALIKE:
            logger.warning(
                f"{name}: {human:.3f} by the judge on human topics, {others:.3f} on the others: were their labels made alike?"
            )
