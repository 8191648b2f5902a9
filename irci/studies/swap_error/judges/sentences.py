"""Sentences on what another's judgments make of an experiment: findings first, then what would mislead."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from irci.base.errors import plural
from irci.methods.swap_error.judges.order import FEW, Correlation
from irci.output.report import Row
from irci.output.wording import in_words, mean_of
from irci.studies.swap_error.judges.compared import JudgePair
from irci.studies.swap_error.judges.rows import BINARY, NO_WIDTH, JudgeFindings
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.wording import amount, first_names, p_text

ALPHA = 0.05  # of what is said of single runs


def sentences(
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
    pairs, measure = plural(counts.pairs, "pair"), in_words(found.measure)
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
