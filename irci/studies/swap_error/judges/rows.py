"""The rows that compare two judges: their labels, the orders of runs, significant pairs, biases, scores."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from irci.base.choices import LabelWeights
from irci.methods.swap_error.judges.agreement import Biases, Compared, Correlation, Order
from irci.methods.swap_error.judges.labels import Labels, disagreement, kappa, kappa_asymptotic, kappa_over_topics
from irci.output.tables import NO_WORD, Row
from irci.stats.tests import PairedTest
from irci.studies.swap_error.judges.compared import JudgePair
from irci.studies.swap_error.request import SwapErrorRequest

BINARY = "binary"
NO_WIDTH = "the limits of tau have no width, as no topic alone changes it: that is no certainty"


@dataclass(frozen=True)
class JudgeFindings:
    """Findings of one measure on one pair of judges, of R runs by name on T topics; the means and limits by either, [R]
    each."""

    judge: str
    measure: str
    runs: Sequence[str]
    topics: int
    order: Order
    compared: Compared
    biases: Biases
    group: PairedTest | None
    by_each: tuple[PairedTest, PairedTest]

    @property
    def has_no_width(self) -> bool:
        """True if limits of tau promise a certainty that there is not, the two judges' scores being different."""
        tau = self.order.tau
        return tau.lower == tau.upper and bool((self.biases.absolute.p < 1).any())


def rows_of_order(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[Row]:
    """tau, tau_AP and the largest drop."""
    interval = "percentile (low)" if request.interval == "percentile" else request.interval
    most = float(found.order.drops.max())
    falls = found.runs[int(found.order.drops.argmax())] if most > 0 else NO_WORD
    for name, each, run in (
        ("tau", found.order.tau, NO_WORD),
        ("tau_ap", found.order.tau_ap, NO_WORD),
        ("max_drop", Correlation(most, math.nan, math.nan), falls),
    ):
        yield {
            "measure": f"{name}_{found.measure}", "topic": "all", "value": each.value, "lower": each.lower,
            "upper": each.upper, "run": run, "judge": found.judge, "topics": found.topics, "runs": len(found.runs),
            "interval": NO_WORD if math.isnan(each.lower) else interval,
        }  # fmt: skip


def rows_of_agreement(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[Row]:
    """The six counts at each level."""
    for alpha in request.levels:
        counts = found.compared.agreement(alpha)
        yield {
            "judge": found.judge, "AA": counts.active_agree, "AD": counts.active_disagree, "MA": counts.mixed_agree,
            "MD": counts.mixed_disagree, "PA": counts.passive_agree, "PD": counts.passive_disagree, "bias": counts.bias,
            "unconfirmed": counts.unconfirmed, "missed": counts.missed, "pairs": counts.pairs,
            "identical": found.compared.identical, "alpha": alpha, "correction": request.correction,
        }  # fmt: skip


def rows_of_labels(each: JudgePair, request: SwapErrorRequest) -> Iterator[Row]:
    """kappa of the grades and of what is relevant, overlap, the shares relevant and the mean grades."""
    labels, binary = each.labels, each.labels.binary(each.level, each.other_level)
    is_binary = set(labels.grades.tolist()) <= {0, 1} and each.level == each.other_level == 1
    if each.same_scale and not is_binary:
        yield _row_of_kappa(each, labels, request.weights, request.weights, request)
    yield _row_of_kappa(each, binary, "none", BINARY, request)
    yield _row_of_labels("overlap", each, binary.overlap(), BINARY)
    for name, value in zip(("relevant_a", "relevant_b"), binary.means(), strict=True):
        yield _row_of_labels(name, each, value, BINARY)
    for name, value in zip(("grade_a", "grade_b"), labels.means(), strict=True):
        yield _row_of_labels(name, each, value, NO_WORD)


def _row_of_kappa(each: JudgePair, labels: Labels, weights: LabelWeights, name: str, request: SwapErrorRequest) -> Row:
    cost = disagreement(labels.grades, weights)
    if request.kappa_interval == "asymptotic":
        lower, upper = kappa_asymptotic(labels, cost, confidence=request.confidence)
    else:
        lower, upper = kappa_over_topics(
            labels, cost, confidence=request.confidence, resamples=request.resamples_or(2000), seed=request.seed
        )
    return _row_of_labels("kappa", each, float(kappa(labels.table, cost)), name, lower, upper, request.kappa_interval)


def _row_of_labels(
    name: str, each: JudgePair, value: float, weights: str, lower: float = math.nan, upper: float = math.nan,
    interval: str = NO_WORD,
) -> Row:  # fmt: skip
    return {
        "measure": name, "topic": "all", "value": value, "lower": lower, "upper": upper, "run": NO_WORD,
        "judge": each.name, "weights": weights, "documents": each.labels.documents, "topics": len(each.labels.tables),
        "interval": interval,
    }  # fmt: skip


def rows_of_confusion(each: JudgePair) -> Iterator[Row]:
    """Rows of how many documents have each grade by the one and each by the other, of grades that they give."""
    table, grades = each.labels.table, each.labels.grades.tolist()
    for row, column in itertools.product(*(np.flatnonzero(table.any(axis=axis)).tolist() for axis in (1, 0))):
        number = int(table[row, column])
        yield {
            "judge": each.name, "grade_a": grades[row], "grade_b": grades[column], "documents": number,
            "percent": 100 * number / each.labels.documents,
        }  # fmt: skip


def rows_of_bias(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[Row]:
    """Each run's bias, absolute and relative, and the contrast of a group."""
    tests = (("bias", found.biases.absolute), ("relative_bias", found.biases.relative))
    for (name, test), p_adjusted in zip(tests, found.biases.p_adjusted, strict=True):
        for place, run in enumerate(found.runs):
            yield _row_of_bias(name, found, test, place, run, float(p_adjusted[place]))
    if found.group is not None:
        assert request.group is not None
        yield _row_of_bias("group_bias", found, found.group, 0, request.group, float(found.group.p[0]))


def _row_of_bias(name: str, found: JudgeFindings, test: PairedTest, place: int, run: str, p_adjusted: float) -> Row:
    return {
        "measure": f"{name}_{found.measure}", "topic": "all", "value": float(test.mean[place]),
        "lower": float(test.lower[place]), "upper": float(test.upper[place]), "run": run, "judge": found.judge,
        "p": float(test.p[place]), "p_adjusted": p_adjusted,
    }  # fmt: skip


def rows_of_scores(found: JudgeFindings) -> Iterator[Row]:
    """Each run's mean by either judge, with limits over topics."""
    first, second = found.by_each
    for place, run in enumerate(found.runs):
        yield {
            "measure": found.measure, "topic": "all", "value": float(first.mean[place]),
            "lower": float(first.lower[place]), "upper": float(first.upper[place]), "run": run, "judge": found.judge,
            "value_b": float(second.mean[place]), "lower_b": float(second.lower[place]),
            "upper_b": float(second.upper[place]),
        }  # fmt: skip
