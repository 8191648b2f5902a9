"""map-ci --judge: what people would say of all topics, from the few that they judged and a judge's labels of all."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from irci.base.choices import Correction
from irci.base.errors import DataError, UsageError, plural, unknown
from irci.base.types import Floats, Ints, Pairs
from irci.bootstrap.joint_resamples import NOTHING, POOLED, Comparison
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.methods.map_ci.prediction_powered import (
    FEW,
    LEAST_OTHERS,
    TUNED_FROM,
    Estimate,
    Varies,
    human_only,
    prediction_powered,
)
from irci.output.report import Bounded, PValue, Report, Row, Table, tables
from irci.stats.tests import adjusted
from irci.studies.comparing import Comparing
from irci.studies.map_ci.judge_sentences import explanation
from irci.studies.map_ci.judged import Judged, judged_runs, judged_scores, refuse_too_few
from irci.studies.sources_in_words import WITH_A_JUDGE, among

logger = logging.getLogger("irci")

Estimator = Literal["human", "ppi"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)
POPULATIONS: tuple[Varies, ...] = get_args(Varies)
ALIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike
# In pictures.
IN_WORDS = {"topics": "other topics", "judgments": "these topics", "human": "people alone", "ppi": "with the judge"}


@dataclass(frozen=True)
class Settings(Comparing):
    """What is asked, under the options' names. `lam`: lambda, or None for 1 with few human topics and tuned from 20 on;
    `populations`: new topics, these, or both; `level_b`: the judge's lowest relevant grade."""

    measures: Sequence[Measure] = ()
    populations: tuple[Varies, ...] = POPULATIONS
    no_summary: bool = False
    compare: bool = False
    baseline: str | None = None
    all_pairs: bool = False
    correction: Correction = "holm"
    lam: float | Literal["tuned"] | None = None
    level_b: int | None = None
    confidence: float = 0.95

    def lambda_of(self, human: int) -> float | None:
        """What lambda is with so many human topics; None: tuned. By their number alone, never by what is found."""
        if self.lam is None:
            return 1.0 if human < TUNED_FROM else None
        return None if self.lam == "tuned" else float(self.lam)


@dataclass(frozen=True)
class Answers:
    """Of P runs or pairs, each float64[P] or int64[P]: human and other topics, the judge's mean and correlation, p of Welch's
    test that it scores human topics as the others; estimates and adjusted p by population and estimator."""

    human: Ints
    others: Ints
    judge: Floats
    correlation: Floats
    estimates: dict[tuple[Varies, Estimator], Estimate]
    p_adjusted: dict[tuple[Varies, Estimator], Floats] = field(default_factory=dict)

    def adjusted(self, correction: Correction) -> "Answers":
        """With p adjusted for the number of pairs, over each population and by each estimator."""
        return replace(self, p_adjusted={key: adjusted(each.p, correction) for key, each in self.estimates.items()})


def few_human(settings: Settings, inputs: Inputs) -> Report:
    """Means and differences of runs by few people and a judge, the people's alone beside them."""
    if settings.all_pairs and (settings.compare or settings.baseline is not None):
        raise UsageError("--all-pairs already compares every two runs: leave out --compare and --baseline.")
    if inputs.scores:
        judged, measures = judged_scores(inputs, settings.measures)
    else:
        judged, measures = judged_runs(inputs, settings.measures, settings.level_b)
    _check_runs(settings, judged)
    means, differences = [], []
    for measure in measures:
        comparison = Comparison.of(judged.runs, settings.baseline, settings.has_pairs, settings.all_pairs, alone=False)
        alone = Comparison.of(judged.runs, None, False, False, alone=True)
        of_runs = answers(settings, judged, measure, alone)
        of_pairs = answers(settings, judged, measure, comparison) if settings.has_pairs else None
        _warn(settings, measure.name, of_runs, of_pairs)
        _warn_of_sample(judged, measure)
        if not settings.no_summary:
            means += tables("estimate", "", list(_rows(settings, measure, alone, of_runs)))
        if of_pairs is not None:
            rows = list(_rows(settings, measure, comparison, of_pairs.adjusted(settings.correction)))
            differences += tables("difference", measure.name, rows)
    _warn_of_labels(judged)
    found = [*means, *differences]
    return Report(
        tables=found,
        signature=_signature(settings, inputs, judged, measures),
        explain=lambda: explanation(found, settings.confidence),
        drawn=lambda: [_drawn(table) for table in found],
        sources=among(WITH_A_JUDGE, settings.populations),
    )


def answers(settings: Settings, judged: Judged, measure: Measure, comparison: Comparison) -> Answers:
    """Everything about each run (pairs with nothing) or pair of runs."""
    number = len(comparison.pairs)
    parts = judged.effects(measure.name, comparison, comparison.pairs)
    estimates: dict[tuple[Varies, Estimator], list[Estimate]] = {}
    for _, scores in parts:
        lam = settings.lambda_of(scores.number)
        refuse_too_few(scores.number)
        for varies in settings.populations:
            alone = human_only(scores, varies, settings.confidence)
            ppi = prediction_powered(scores, varies, lam, settings.confidence)
            estimates.setdefault((varies, "human"), []).append(alone)
            estimates.setdefault((varies, "ppi"), []).append(ppi)
    places = np.concatenate([some for some, _ in parts])
    back = np.empty(number, np.int64)
    back[places] = np.arange(number)

    def in_order(values: Sequence[Floats]) -> Floats:
        return np.concatenate(values)[back]

    return Answers(
        in_order([np.full(len(some), scores.number) for some, scores in parts]).astype(np.int64),
        in_order([np.full(len(some), scores.rest) for some, scores in parts]).astype(np.int64),
        in_order([scores.judge_mean for _, scores in parts]),
        in_order([scores.correlation for _, scores in parts]),
        {key: Estimate(*map(in_order, zip(*several, strict=True))) for key, several in estimates.items()},
    )


def _check_runs(settings: Settings, judged: Judged) -> None:
    if settings.has_pairs and len(judged.runs) < 2:
        raise DataError("to compare runs, give at least two")
    if settings.baseline is not None and settings.baseline not in (*judged.runs, *POOLED):
        raise DataError(unknown("run", settings.baseline, judged.runs))


def _rows(settings: Settings, measure: Measure, comparison: Comparison, found: Answers) -> Iterator[Row]:
    """For each run or pair a row a population and estimator."""
    name = measure.name if comparison.pairs[0, 1] == NOTHING else f"{measure.name}_diff"
    for place, pair in enumerate(comparison.pairs.tolist()):
        for varies in settings.populations:
            for estimator in ESTIMATORS:
                row = _row(name, comparison, pair, (varies, estimator), found, place)
                yield Bounded(row) if measure.is_bounded and pair[1] == NOTHING else row


def _row(
    name: str, comparison: Comparison, pair: Pairs, key: tuple[Varies, Estimator], found: Answers, place: int
) -> dict[str, str | float | int | bool | None]:
    of, (varies, estimator) = found.estimates[key], key
    run, baseline = pair
    p: dict[str, float] = {}
    if baseline != NOTHING:
        p = {"p": PValue(of.p[place]), "p_adjusted": PValue(found.p_adjusted[key][place])}
    return {
        "measure": name, "topic": "all", "value": float(of.value[place]), "lower": float(of.lower[place]),
        "upper": float(of.upper[place]), "run": comparison.names[run],
        **({} if baseline == NOTHING else {"baseline": comparison.names[baseline]}),
        "population": varies, "estimator": estimator, **p, "human": int(found.human[place]),
        "others": int(found.others[place]), "lambda": float(of.lam[place]), "r": float(found.correlation[place]),
        "gain": float(of.gain[place]), "judge_mean": float(found.judge[place]),
    }  # fmt: skip


def _drawn(table: Table) -> Table:
    """A table for a picture, which has a series for each population and estimator."""
    rows = [
        {**row, "population": f"{IN_WORDS[str(row['population'])]}, {IN_WORDS[str(row['estimator'])]}"}
        for row in table.rows
    ]
    return Table(table.kind, table.measure, rows)


def _warn(settings: Settings, measure: str, of_runs: Answers, of_pairs: Answers | None) -> None:
    """Of few human topics, of a judge who does not help, and of limits that have no width."""
    least = int((of_runs if of_pairs is None else of_pairs).human.min())
    if least < FEW:
        logger.warning(
            f"{measure}: only {plural(least, 'topic')} judged by people: limits rest on scores (or differences) being close"
            " to normal"
        )
    if not of_runs.others.any():
        logger.warning(f"{measure}: people have judged every topic of the judge's, who adds nothing")
        return
    _warn_of_estimates(settings, measure, of_runs, "run")
    if of_pairs is not None:
        _warn_of_estimates(settings, f"{measure}_diff", of_pairs, "pair")


def _warn_of_estimates(settings: Settings, measure: str, found: Answers, what: str) -> None:
    for (varies, estimator), of in found.estimates.items():
        if estimator == "human":
            continue
        few = (found.others < LEAST_OTHERS) & (varies == "topics")
        reasons = {"too few others": few, "scores or differences that do not rise with people's": ~few}
        for reason, for_it in reasons.items():
            alone = int((for_it & (of.lam == 0)).sum())
            if alone and settings.lam != 0:
                logger.warning(
                    f"{measure}: lambda is 0 for {plural(alone, what)}, over {varies}: people's topics count alone (the judge"
                    f" has {reason})"
                )
        without = int((of.upper == of.lower).sum())
        if without:
            logger.warning(f"{measure}: limits over {varies} without width for {plural(without, what)}: nothing varies")


def _warn_of_sample(judged: Judged, measure: Measure) -> None:
    """Say so if human topics look unlike the others by the judge's scores."""
    scores = judged.judge[measure.name]
    scored = ~np.isnan(scores).all(axis=0)
    human, others = (np.nanmean(scores[:, some], axis=0) for some in (scored & judged.human, scored & ~judged.human))
    if len(others) > 1:
        p = _welch_p(human, others)
        if p < ALIKE:
            logger.warning(
                f"{measure.name}: by the judge the human topics score {human.mean():.4f}, the others {others.mean():.4f}"
                f" (Welch's t test: p = {p:.2g}): do they come from a random sample?"
            )


def _warn_of_labels(judged: Judged) -> None:
    """Say so if the judge has judged more of the first documents on human topics than on others, or fewer."""
    for name, shares in judged.judged.items():
        scored = ~np.isnan(shares).all(axis=0)
        if not (scored & ~judged.human).any():
            continue
        human, others = (float(np.nanmean(shares[:, scored & some])) for some in (judged.human, ~judged.human))
        if abs(human - others) > JUDGED_ALIKE:
            logger.warning(
                f"{name}: {human:.3f} by the judge on human topics, {others:.3f} on the others: were their labels made alike?"
            )


def _welch_p(first: Floats, second: Floats) -> float:
    """Two-sided p of Welch's t test of two samples; 1 where neither varies."""
    from irci.system.special import stdtr

    parts = [float(each.var(ddof=1)) / len(each) for each in (first, second)]
    error = sum(parts)
    if error == 0:
        return 1.0
    df = error**2 / (parts[0] ** 2 / (len(first) - 1) + parts[1] ** 2 / (len(second) - 1))
    return float(2 * stdtr(df, -abs(first.mean() - second.mean()) / np.sqrt(error)))


def _signature(
    settings: Settings, inputs: Inputs, judged: Judged, measures: Sequence[Measure]
) -> dict[str, str | float | int | bool | None]:
    compared = settings.baseline or ("all pairs" if settings.all_pairs else "first" if settings.compare else None)
    return {
        "command": "map-ci",
        "measures": " ".join(measure.name for measure in measures),
        "judge": inputs.other_qrels[0],
        "few_human": " ".join(settings.populations),
        "lambda": "auto" if settings.lam is None else settings.lam,
        "baseline": compared,
        "correction": settings.correction,
        "confidence": settings.confidence,
        **inputs.signature(),
        "level_b": settings.level_b,
        "scores": inputs.scores,
        "num_topics": len(judged.topics),
        "num_human": int(judged.human.sum()),
    }
