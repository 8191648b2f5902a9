"""Report of what several judges make of the same runs, in tables and in sentences."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from irci.base.errors import logger
from irci.base.names import first_names, plural
from irci.data.inputs import Inputs
from irci.data.measures import MAP
from irci.data.rules import matching
from irci.data.score_tables import refuse_no_scores
from irci.methods.swap_error.judges.agreement import FEW, Correlation, biases, compare, contrast, order
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.output.wording import as_typed, mean_of
from irci.studies.swap_error.judges.compared import (
    BINARY,
    NO_WIDTH,
    JudgeFindings,
    JudgePair,
    Scored,
    judges_of,
    means_of,
    rows_of_agreement,
    rows_of_bias,
    rows_of_confusion,
    rows_of_labels,
    rows_of_order,
    rows_of_scores,
    scored_by,
)
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.wording import amount, p_text

ALPHA = 0.05  # of what is said of single runs


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
    for each in found:
        if each.has_no_width:
            logger.warning(f"{each.judge}: {each.measure}: {NO_WIDTH}")
    numbers = [each.topics for each in found] or [len(each.labels.tables) for each in judges]
    labels = {each.name: list(rows_of_labels(each, request)) for each in judges}
    return Report(
        tables=list(_tables(request, judges, found, labels)),
        signature={
            "judges": " ".join(each.name for each in judges), "level_b": judges[0].other_level, "common": request.common,
            "weights": request.weights, "kappa_interval": request.kappa_interval,
            "confidence": request.confidence, "alphas": " ".join(map(str, request.levels)),
            "correction": request.correction, "group": request.group, "resamples": request.resamples_or(2000),
            "seed": request.seed, "num_runs": len(found[0].runs) if found else 0,
            "num_topics": " ".join(map(str, dict.fromkeys(numbers))),
        },
        explain=lambda: _sentences(request, judges, found, labels),
    )  # fmt: skip


def _found(request: SwapErrorRequest, judges: Sequence[JudgePair], scored: Sequence[Scored]) -> Iterator[JudgeFindings]:
    confidence, resamples = request.confidence, request.resamples_or(2000)
    for asked in request.measures or [MAP]:
        measure = asked.name
        for each, scores in zip(judges, scored, strict=True):
            first, second = scores.values[measure]
            group = None if request.group is None else matching(request.group, scores.runs, "--group")
            yield JudgeFindings(
                each.name, measure, scores.runs, len(scores.topics),
                order(first, second, confidence=confidence, resamples=resamples, seed=request.seed),
                compare(first, second, request.correction),
                biases(first, second, confidence),
                None if group is None else contrast(first, second, group, confidence),
                (means_of(first, asked, confidence), means_of(second, asked, confidence)),
            )  # fmt: skip


def _tables(
    request: SwapErrorRequest, judges: Sequence[JudgePair], found: Sequence[JudgeFindings], labels: dict[str, list[Row]]
) -> Iterator[Table]:
    for measure in dict.fromkeys(each.measure for each in found):
        some = [each for each in found if each.measure == measure]
        yield from tables("order", measure, [row for each in some for row in rows_of_order(each)])
        yield from tables("judged_pairs", measure, [row for each in some for row in rows_of_agreement(each, request)])
    yield from tables("labels", "", [row for rows in labels.values() for row in rows])
    yield from tables("confusion", "", [row for each in judges for row in rows_of_confusion(each)])
    for each in found:
        yield from tables("bias", each.measure, rows_of_bias(each, request))
    for each in found:
        yield from tables("score", each.measure, rows_of_scores(each))


def _sentences(
    request: SwapErrorRequest,
    judges: Sequence[JudgePair],
    found: Sequence[JudgeFindings],
    labels: Mapping[str, Sequence[Row]],
) -> Iterator[str]:
    """Judge by judge what was found, then what the numbers do not say."""
    for each in judges:
        for of_measure in (one for one in found if one.judge == each.name):
            yield from _of_order(of_measure, request)
            yield from _of_pairs(of_measure, request)
            yield from _of_bias(of_measure, request)
        yield from _of_labels(each, labels[each.name], request)
    yield "Limits are for other topics of this kind: both judges, and the runs, are taken as given."
    if found:
        yield (
            "Limits of a score by one judge are for other topics, not for another judge: they need not hold the other's score."
        )
        yield (
            "A high tau does not mean that the same differences would be published: look at the shares that are not confirmed,"
            " and missed."
        )
    yield (
        "kappa moves with the documents that are judged and with the share that is relevant: compare kappas only on the same"
        " documents."
    )
    if found and request.group is None:
        yield (
            "Judgments by a model that made, trained or reranked some of the runs, or that was tuned on these topics, may"
            " favour them: --group tests whether it scores these runs higher than QRELS does, beside the others."
        )
    if len(judges) == 1:
        yield "People disagree too: another person's judgments, as one more --other-qrels, show how much."


def _limits(lower: float, upper: float, request: SwapErrorRequest, what: str) -> str:
    if math.isnan(lower) or math.isnan(upper):
        return ""
    return f" ({100 * request.confidence:g}% limits {what} {amount(lower)} to {amount(upper)})"


def _of_order(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[str]:
    what = f"the orders of {plural(len(found.runs), 'run')} by {mean_of(found.measure)} under QRELS and under {found.judge}"
    if math.isnan(found.order.tau.value):
        yield f"Between {what} there is no Kendall's tau, since one judge scores all of them alike."
    else:
        yield f"Kendall's tau between {what} is {_correlation(found.order.tau, request)}."
        yield f"tau_AP, in which the top of the ranking counts most, is {_correlation(found.order.tau_ap, request)}."
        if found.has_no_width:
            yield f"There {NO_WIDTH}."
        if len(found.runs) < FEW:
            yield f"Of fewer than {FEW} runs, tau has no limits."
    most = int(found.order.drops.max())
    if most > 0:
        run = found.runs[int(found.order.drops.argmax())]
        yield f"{run} falls by {plural(most, 'place')} under {found.judge}, the largest fall of all."


def _correlation(each: Correlation, request: SwapErrorRequest) -> str:
    return f"{amount(each.value)}{_limits(each.lower, each.upper, request, 'over topics')}"


def _of_pairs(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[str]:
    alpha = request.levels[0]
    counts = found.compared.agreement(alpha)
    pairs, measure = plural(counts.pairs, "pair"), as_typed(found.measure)
    corrected = "" if request.correction == "none" else f", p adjusted ({request.correction})"
    yield (
        f"At level {alpha:g}{corrected}, {counts.active_agree} of {pairs} of runs differ significantly in {measure} under"
        f" both judges, in the same direction; {counts.active_disagree or 'none'} in opposite directions."
    )
    second, first = plural(counts.second, "pair"), plural(counts.first, "pair")
    if counts.unconfirmed > 0:
        yield f"QRELS does not confirm {counts.unconfirmed:.1%} of {second} that {found.judge} finds to differ."
    elif counts.second:
        yield f"QRELS confirms all that {found.judge} finds to differ: {second}."
    if counts.missed > 0:
        yield f"{found.judge} misses {counts.missed:.1%} of {first} that QRELS finds to differ."
    elif counts.first:
        yield f"{found.judge} misses none that QRELS finds to differ: {first}."
    if found.compared.identical:
        yield f"{plural(found.compared.identical, 'pair')} of runs with the same scores on every topic are left out."


def _of_bias(found: JudgeFindings, request: SwapErrorRequest) -> Iterator[str]:
    absolute, relative = found.biases.absolute, found.biases.relative
    mean = float(absolute.mean.mean())
    level = f"{amount(abs(mean))} {'higher' if mean > 0 else 'lower'}" if mean else "the same"
    yield f"{found.judge} scores the runs {level} on average."
    significant = found.biases.p_adjusted[1] <= ALPHA
    for verb, chosen in (("favours", relative.mean > 0), ("disfavours", relative.mean < 0)):
        places = np.flatnonzero(significant & chosen)
        if len(places):
            largest = places[np.argsort(-np.abs(relative.mean[places]), kind="stable")].tolist()
            names = first_names([found.runs[place] for place in largest])
            yield f"Relative to all runs it {verb} {len(places)} of them significantly (Holm, {ALPHA:g}): {names}."
    if not significant.any():
        yield "Relative to all runs it favours or disfavours none significantly; that is no proof that it treats all alike."
    if found.group is not None:
        value, p = float(found.group.mean[0]), float(found.group.p[0])
        limits = _limits(float(found.group.lower[0]), float(found.group.upper[0]), request, "over topics")
        way = f"{amount(abs(value))} {'higher' if value > 0 else 'lower'}" if value else "neither higher nor lower"
        favour = f"{way} than the others{limits}, {p_text(p)}" if p < 1 else f"{way} than the others"
        yield f"Compared with QRELS it scores runs that match {request.group} {favour}."


def _of_labels(each: JudgePair, rows: Sequence[Row], request: SwapErrorRequest) -> Iterator[str]:
    documents, topics = plural(each.labels.documents, "document"), plural(len(each.labels.tables), "topic")
    for row in (row for row in rows if row["measure"] == "kappa"):
        kind = "relevant or not" if row["weights"] == BINARY else f"of grades, weights {row['weights']}"
        value, lower, upper = (float(str(row[name])) for name in ("value", "lower", "upper"))
        how = "over topics" if row["interval"] == "topics" else "documents taken for independent"
        shown = "undefined" if math.isnan(value) else amount(value) + _limits(lower, upper, request, how)
        yield f"On {documents} of {topics} that both have judged, {each.name}'s kappa ({kind}) with QRELS is {shown}."
    first, second = each.labels.binary(each.level, each.other_level).means()
    yield f"QRELS finds {first:.1%} of these relevant, {each.name} {second:.1%}."
