"""Report of what several judges make of the same runs."""

import logging
from collections.abc import Iterator, Sequence

from irci.data.inputs import Inputs
from irci.data.rules import matching
from irci.data.score_tables import refuse_no_scores
from irci.methods.swap_error.judges.agreement import biases, compare, contrast
from irci.methods.swap_error.judges.order import order
from irci.output.report import Report, Row, Table, tables
from irci.stats.tests import paired_t
from irci.studies.swap_error.judges.compared import JudgePair, Scored, judges_of, scored_by
from irci.studies.swap_error.judges.rows import (
    NO_WIDTH,
    JudgeFindings,
    rows_of_agreement,
    rows_of_bias,
    rows_of_confusion,
    rows_of_labels,
    rows_of_order,
    rows_of_scores,
)
from irci.studies.swap_error.judges.sentences import sentences
from irci.studies.swap_error.request import SwapErrorRequest

logger = logging.getLogger("irci")


def compare_judges(request: SwapErrorRequest, inputs: Inputs) -> Report:
    """Report of whether another's judgments would contradict this experiment, for each of --other-qrels."""
    refuse_no_scores(request.measures)
    judges = judges_of(request, inputs)
    found = [] if request.labels_only else list(_found(request, judges, scored_by(request, inputs, judges)))
    for one in judges:
        if request.weights != "none" and not one.same_scale:
            first, second = (judge.whole.highest_grade for judge in (one.first, one.second))
            logger.warning(
                f"{one.name}: its highest grade is {second}, that of QRELS {first}: no kappa of grades, so --weights"
                f" {request.weights} has no effect"
            )
    if request.interval == "percentile" and found:
        logger.warning(
            "percentile limits of tau lie too low, since a resample adds sampling noise a second time: on TREC 2019, 95%"
            " limits held the tau of all topics in 77% of samples of 20 topics, and in 87% of 43 (--interval jackknife)"
        )
    for each in found:
        if each.has_no_width:
            logger.warning(f"{each.judge}: {each.measure}: {NO_WIDTH}")
    labels = {each.name: list(rows_of_labels(each, request)) for each in judges}
    return Report(
        tables=list(_tables(request, judges, found, labels)),
        signature=_signature(request, judges, found),
        explain=lambda: sentences(request, judges, found, labels),
    )


def _found(request: SwapErrorRequest, judges: Sequence[JudgePair], scored: Sequence[Scored]) -> Iterator[JudgeFindings]:
    confidence, resamples = request.confidence, request.resamples_or(2000)
    for measure in scored[0].values:
        for each, scores in zip(judges, scored, strict=True):
            first, second = scores.values[measure]
            group = None if request.group is None else matching(request.group, scores.runs, "--group")
            yield JudgeFindings(
                each.name, measure, scores.runs, len(scores.topics),
                order(first, second, confidence=confidence, interval=request.interval, resamples=resamples, seed=request.seed),
                compare(first, second, request.correction),
                biases(first, second, confidence),
                None if group is None else contrast(first, second, group, confidence),
                (paired_t(first, confidence), paired_t(second, confidence)),
            )  # fmt: skip


def _tables(
    request: SwapErrorRequest, judges: Sequence[JudgePair], found: Sequence[JudgeFindings], labels: dict[str, list[Row]]
) -> Iterator[Table]:
    for measure in dict.fromkeys(each.measure for each in found):
        some = [each for each in found if each.measure == measure]
        yield from tables("order", measure, [row for each in some for row in rows_of_order(each, request)])
        yield from tables("judged_pairs", measure, [row for each in some for row in rows_of_agreement(each, request)])
    yield from tables("labels", "", [row for rows in labels.values() for row in rows])
    yield from tables("confusion", "", [row for each in judges for row in rows_of_confusion(each)])
    for each in found:
        yield from tables("bias", each.measure, rows_of_bias(each, request))
    for each in found:
        yield from tables("score", each.measure, rows_of_scores(each))


def _signature(
    request: SwapErrorRequest, judges: Sequence[JudgePair], found: Sequence[JudgeFindings]
) -> dict[str, str | int | float | bool | None]:
    numbers = dict.fromkeys(each.topics for each in found) or dict.fromkeys(len(each.labels.tables) for each in judges)
    return {
        "judges": " ".join(each.name for each in judges), "level_b": judges[0].other_level, "common": request.common,
        "weights": request.weights, "interval": request.interval, "kappa_interval": request.kappa_interval,
        "confidence": request.confidence, "alphas": " ".join(map(str, request.levels)), "correction": request.correction,
        "group": request.group, "resamples": request.resamples_or(2000), "seed": request.seed,
        "num_runs": len(found[0].runs) if found else 0, "num_topics": " ".join(map(str, numbers)),
    }  # fmt: skip
