"""judges: from request and inputs to a report, in tables and in sentences."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.names import first_names, plural
from irci.compare.sources_in_words import JUDGES
from irci.compare.wording import amount, number, p_text
from irci.data.inputs import Inputs
from irci.data.score_tables import refuse_no_scores
from irci.estimators.judges import FEW, Agreement, Correlation
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.output.wording import as_typed, mean_of
from irci.studies.judges.compared import JudgeFindings, JudgePair, JudgesRequest, findings, judges_of
from irci.studies.judges.rows import (
    BINARY,
    rows_of_agreement,
    rows_of_bias,
    rows_of_confusion,
    rows_of_labels,
    rows_of_order,
    rows_of_scores,
)

ALPHA = 0.05  # of what is said of single runs


def compare_judges(request: JudgesRequest, inputs: Inputs, *, with_runs: bool) -> Report:
    """Report of how far others' judgments agree with QRELS, and of what they make of the runs, if there are any."""
    refuse_no_scores(request.measures)
    pairs = judges_of(inputs)
    comparisons = list(findings(request, inputs, pairs)) if with_runs else []
    labels = {pair.name: list(rows_of_labels(pair, request)) for pair in pairs}
    numbers = [comparison.topics for comparison in comparisons] or [len(pair.labels.tables) for pair in pairs]
    of_runs = {
        "alphas": " ".join(map(str, request.alphas)), "correction": request.correction, "groups": request.groups,
        "num_runs": len(comparisons[0].runs),
    } if comparisons else {}  # fmt: skip
    return Report(
        tables=list(_tables(request, pairs, comparisons, labels)),
        signature={
            "command": "judges", "judges": " ".join(pair.name for pair in pairs), "levels": inputs.levels_told,
            "confidence": request.confidence, "resamples": request.resamples, "seed": request.seed, **of_runs,
            "num_topics": " ".join(map(str, dict.fromkeys(numbers))), **inputs.signature(),
        },
        explain=lambda: _sentences(request, pairs, comparisons, labels),
        conclude=lambda: _conclusions(request, pairs, comparisons, labels),
        sources=JUDGES,
    )  # fmt: skip


def _tables(
    request: JudgesRequest,
    pairs: Sequence[JudgePair],
    comparisons: Sequence[JudgeFindings],
    labels: dict[str, list[Row]],
) -> Iterator[Table]:
    yield from tables("confusion", "", [row for pair in pairs for row in rows_of_confusion(pair)])
    yield from tables("labels", "", [row for rows in labels.values() for row in rows])
    by_measure = {
        measure: [comparison for comparison in comparisons if comparison.measure == measure]
        for measure in dict.fromkeys(comparison.measure for comparison in comparisons)
    }
    for measure, of_measure in by_measure.items():
        yield from tables("order", measure, [row for comparison in of_measure for row in rows_of_order(comparison)])
    for measure, of_measure in by_measure.items():
        rows = [row for comparison in of_measure for row in rows_of_agreement(comparison, request)]
        yield from tables("judged_pairs", measure, rows)
    for comparison in comparisons:
        yield from tables("bias", comparison.measure, rows_of_bias(comparison, request))
    for comparison in comparisons:
        yield from tables("score", comparison.measure, rows_of_scores(comparison))


def _conclusions(
    request: JudgesRequest,
    pairs: Sequence[JudgePair],
    comparisons: Sequence[JudgeFindings],
    labels: dict[str, list[Row]],
) -> Iterator[str]:
    """Say if runs would rank differently; without runs, how far labels agree."""
    if not comparisons:
        for pair in pairs:
            yield from _of_labels(pair, labels[pair.name], request)
    for comparison in comparisons:
        yield _of_order(comparison, request)


def _sentences(
    request: JudgesRequest,
    pairs: Sequence[JudgePair],
    comparisons: Sequence[JudgeFindings],
    labels: dict[str, list[Row]],
) -> Iterator[str]:
    """Say judge by judge how far they agree, then what the numbers do not say."""
    for pair in pairs:
        for of_measure in (comparison for comparison in comparisons if comparison.judge == pair.name):
            yield _of_order(of_measure, request)
            yield from _of_coefficients(of_measure, request)
            yield from _of_pairs(of_measure, request)
            yield from _of_bias(of_measure, request)
        yield from _of_labels(pair, labels[pair.name], request)
    yield "Intervals are for other topics like these: both judges and the runs are taken as given."
    if comparisons:
        yield (
            "A high tau does not mean that the same differences would be published: see the shares that are not confirmed,"
            " and missed."
        )
    yield "kappa depends on the documents and on the share that is relevant: compare kappas on the same documents only."
    if comparisons and request.groups is None:
        yield (
            "A model may favour runs that it made, reranked or was tuned on: --groups tests whether it scores these runs"
            " higher than QRELS does."
        )
    if len(pairs) == 1:
        yield "People disagree too: another person's judgments as one more --other-qrels show how much."


def _interval(lower: float, upper: float, request: JudgesRequest) -> str:
    if math.isnan(lower) or math.isnan(upper):
        return ""
    return f"{100 * request.confidence:g}% CI {amount(lower)} to {amount(upper)}"


def _of_order(comparison: JudgeFindings, request: JudgesRequest) -> str:
    """Say if the runs rank differently by the other judge."""
    runs, mean = plural(len(comparison.runs), "run"), mean_of(comparison.measure)
    tau = comparison.order.tau
    if math.isnan(tau.value):
        return f"{comparison.judge} or QRELS scores all {runs} equal in {mean}: there is no Kendall's tau."
    topics = plural(comparison.topics, "topic")
    numbers = ", ".join(filter(None, (_interval(tau.lower, tau.upper, request), topics)))
    most = int(comparison.order.drops.max())
    if tau.value >= 1:
        return f"{comparison.judge} ranks the {runs} by {mean} as QRELS does: Kendall's tau {amount(tau.value)} ({numbers})."
    changes = (
        f"; {comparison.runs[int(comparison.order.drops.argmax())]} falls by {plural(most, 'place')}" if most else ""
    )
    return (
        f"{comparison.judge} ranks the {runs} by {mean} differently from QRELS: Kendall's tau {amount(tau.value)}"
        f" ({numbers}){changes}."
    )


def _of_coefficients(comparison: JudgeFindings, request: JudgesRequest) -> Iterator[str]:
    if not math.isnan(comparison.order.tau_ap.value):
        yield f"tau_AP, which weighs the top of the ranking most, is {_correlation(comparison.order.tau_ap, request)}."
    if comparison.has_no_width:
        yield "The interval of tau has no width, as no resample of the topics changes it: this is no certainty."
    if len(comparison.runs) < FEW:
        yield f"Fewer than {FEW} runs have no interval of tau."


def _correlation(coefficient: Correlation, request: JudgesRequest) -> str:
    interval = _interval(coefficient.lower, coefficient.upper, request)
    return f"{amount(coefficient.value)} ({interval})" if interval else amount(coefficient.value)


def _of_pairs(comparison: JudgeFindings, request: JudgesRequest) -> Iterator[str]:
    alpha = request.alphas[0]
    counts: Agreement = comparison.compared.agreement(alpha)
    corrected = "" if request.correction == "none" else f", p adjusted by {request.correction}"
    measure = as_typed(comparison.measure)
    yield (
        f"By {measure}, {counts.active_agree} of {plural(counts.pairs, 'pair')} of runs differ significantly"
        f" by both judges in the same direction ({alpha:g}{corrected}), {counts.active_disagree or 'none'} in opposite ones."
    )
    second, first = plural(counts.second, "pair"), plural(counts.first, "pair")
    if counts.unconfirmed > 0:
        yield f"QRELS does not confirm {counts.unconfirmed:.1%} of {second} that {comparison.judge} finds to differ."
    elif counts.second:
        yield f"QRELS confirms all that {comparison.judge} finds to differ: {second}."
    if counts.missed > 0:
        yield f"{comparison.judge} misses {counts.missed:.1%} of {first} that QRELS finds to differ."
    elif counts.first:
        yield f"{comparison.judge} misses none that QRELS finds to differ: {first}."
    if comparison.compared.identical:
        yield f"{plural(comparison.compared.identical, 'pair')} of runs with the same scores on every topic are left out."


def _of_bias(comparison: JudgeFindings, request: JudgesRequest) -> Iterator[str]:
    absolute, relative = comparison.biases.absolute, comparison.biases.relative
    mean = float(absolute.mean.mean())
    level = f"{amount(abs(mean))} {'higher' if mean > 0 else 'lower'}" if mean else "the same"
    yield f"{comparison.judge} scores the runs {level} on average."
    significant = comparison.biases.p_adjusted[1] <= ALPHA
    for verb, has_sign in (("favours", relative.mean > 0), ("disfavours", relative.mean < 0)):
        places = np.flatnonzero(significant & has_sign)
        if len(places):
            largest = places[np.argsort(-np.abs(relative.mean[places]), kind="stable")].tolist()
            names = first_names([comparison.runs[place] for place in largest])
            yield f"Relative to all runs it {verb} {len(places)} of them significantly (Holm, {ALPHA:g}): {names}."
    if not significant.any():
        yield "Relative to all runs it favours or disfavours none significantly; this does not mean that it treats all alike."
    if comparison.group is not None:
        value, p = float(comparison.group.mean[0]), float(comparison.group.p[0])
        interval = _interval(float(comparison.group.lower[0]), float(comparison.group.upper[0]), request)
        way = f"{amount(abs(value))} {'higher' if value > 0 else 'lower'}" if value else "neither higher nor lower"
        evidence = f" ({interval}; {p_text(p)})" if p < 1 else ""
        yield f"Compared with QRELS it scores the runs of {request.groups} {way} than the other runs{evidence}."


def _of_labels(pair: JudgePair, rows: Sequence[Row], request: JudgesRequest) -> Iterator[str]:
    documents, topics = plural(pair.labels.documents, "document"), plural(len(pair.labels.tables), "topic")
    for row in (row for row in rows if row["measure"] == "kappa"):
        kind = "relevant or not" if row["weights"] == BINARY else f"grades, weights {row['weights']}"
        value, lower, upper = (number(row, name) for name in ("value", "lower", "upper"))
        numbers = ", ".join(filter(None, (_interval(lower, upper, request), documents, topics)))
        value_text = "undefined" if math.isnan(value) else amount(value)
        yield f"{pair.name}'s kappa with QRELS is {value_text} ({kind}; {numbers})."
    first, second = pair.labels.binary(pair.level, pair.other_level).means()
    yield f"QRELS finds {first:.1%} of these documents relevant, {pair.name} {second:.1%}."
