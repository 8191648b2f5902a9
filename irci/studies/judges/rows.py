"""Rows of two judges' comparison: labels, orders of runs, significant pairs, biases, scores."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from irci.base.choices import LabelWeights
from irci.estimators.judges import Correlation, Labels, disagreement, kappa, kappa_over_topics
from irci.output.tables import NO_WORD, Row
from irci.stats.tests import PairedTest
from irci.studies.judges.compared import JudgeFindings, JudgePair, JudgesRequest

BINARY = "binary"
WEIGHTS: tuple[LabelWeights, ...] = ("none", "linear", "quadratic")


def rows_of_confusion(pair: JudgePair) -> Iterator[Row]:
    """How many documents have each grade by the one and each by the other, of grades that they give."""
    table, grades = pair.labels.table, pair.labels.grades.tolist()
    for row, column in itertools.product(*(np.flatnonzero(table.any(axis=axis)).tolist() for axis in (1, 0))):
        number = int(table[row, column])
        yield {
            "judge": pair.name, "grade_a": grades[row], "grade_b": grades[column], "documents": number,
            "percent": 100 * number / pair.labels.documents,
        }  # fmt: skip


def rows_of_labels(pair: JudgePair, request: JudgesRequest) -> Iterator[Row]:
    """kappa of the grades, by all weights, and of what is relevant; and overlap.

    Grades are compared where both scales end at the same one; of grades 0 and 1 they are what is relevant.
    """
    labels, binary = pair.labels, pair.labels.binary(pair.level, pair.other_level)
    is_binary = set(labels.grades.tolist()) <= {0, 1} and pair.level == pair.other_level == 1
    if pair.same_scale and not is_binary:
        for weights in WEIGHTS:
            yield _row_of_kappa(pair, labels, weights, weights, request)
    yield _row_of_kappa(pair, binary, "none", BINARY, request)
    yield _row_of_labels("overlap", pair, binary.overlap(), BINARY)


def _row_of_kappa(pair: JudgePair, labels: Labels, weights: LabelWeights, name: str, request: JudgesRequest) -> Row:
    cost = disagreement(labels.grades, weights)
    lower, upper = kappa_over_topics(
        labels, cost, confidence=request.confidence, resamples=request.resamples, seed=request.seed
    )
    return _row_of_labels("kappa", pair, float(kappa(labels.table, cost)), name, lower, upper)


def _row_of_labels(
    name: str, pair: JudgePair, value: float, weights: str, lower: float = math.nan, upper: float = math.nan
) -> Row:
    return {
        "measure": name, "topic": "all", "value": value, "lower": lower, "upper": upper, "weights": weights,
        "judge": pair.name, "documents": pair.labels.documents, "topics": len(pair.labels.tables),
    }  # fmt: skip


def rows_of_order(comparison: JudgeFindings) -> Iterator[Row]:
    """tau, tau_AP and the largest drop."""
    most = float(comparison.order.drops.max())
    falls = comparison.runs[int(comparison.order.drops.argmax())] if most > 0 else NO_WORD
    for name, coefficient, run in (
        ("tau", comparison.order.tau, NO_WORD),
        ("tau_ap", comparison.order.tau_ap, NO_WORD),
        ("max_drop", Correlation(most, math.nan, math.nan), falls),
    ):
        yield {
            "measure": f"{name}_{comparison.measure}", "topic": "all", "value": coefficient.value,
            "lower": coefficient.lower, "upper": coefficient.upper, "run": run, "judge": comparison.judge,
            "topics": comparison.topics, "runs": len(comparison.runs),
        }  # fmt: skip


def rows_of_agreement(comparison: JudgeFindings, request: JudgesRequest) -> Iterator[Row]:
    """The six counts at each level."""
    for alpha in request.alphas:
        counts = comparison.compared.agreement(alpha)
        yield {
            "judge": comparison.judge, "AA": counts.active_agree, "AD": counts.active_disagree, "MA": counts.mixed_agree,
            "MD": counts.mixed_disagree, "PA": counts.passive_agree, "PD": counts.passive_disagree, "bias": counts.bias,
            "unconfirmed": counts.unconfirmed, "missed": counts.missed, "pairs": counts.pairs,
            "identical": comparison.compared.identical, "alpha": alpha, "correction": request.correction,
        }  # fmt: skip


def rows_of_bias(comparison: JudgeFindings, request: JudgesRequest) -> Iterator[Row]:
    """Each run's bias, absolute and relative, and the contrast of a group."""
    tests = (("bias", comparison.biases.absolute), ("relative_bias", comparison.biases.relative))
    for (name, test), p_adjusted in zip(tests, comparison.biases.p_adjusted, strict=True):
        for index, run in enumerate(comparison.runs):
            yield _row_of_bias(name, comparison, test, index, run, float(p_adjusted[index]))
    if comparison.group is not None:
        assert request.groups is not None
        yield _row_of_bias("group_bias", comparison, comparison.group, 0, request.groups, float(comparison.group.p[0]))


def _row_of_bias(
    name: str, comparison: JudgeFindings, test: PairedTest, place: int, run: str, p_adjusted: float
) -> Row:
    return {
        "measure": f"{name}_{comparison.measure}", "topic": "all", "value": float(test.mean[place]),
        "lower": float(test.lower[place]), "upper": float(test.upper[place]), "run": run, "judge": comparison.judge,
        "p": float(test.p[place]), "p_adjusted": p_adjusted,
    }  # fmt: skip


def rows_of_scores(comparison: JudgeFindings) -> Iterator[Row]:
    """Each run's mean by either judge, with limits over topics."""
    for run, first, second in zip(comparison.runs, *comparison.by_each, strict=True):
        yield {
            "measure": comparison.measure, "topic": "all", "value": first.value, "lower": first.lower, "upper": first.upper,
            "run": run, "judge": comparison.judge,
            "value_b": second.value, "lower_b": second.lower, "upper_b": second.upper,
        }  # fmt: skip
