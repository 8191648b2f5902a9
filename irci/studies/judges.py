"""judges: how far another's judgments agree with QRELS, and whether runs would rank differently by them.

The labels of both are compared, and the scores of the same runs by each, on the documents that both have judged.
"""

import itertools
import math
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from irci.base import DataError, Record, UsageError, first_few, first_names, places_by_name, plural
from irci.base.choices import LabelWeights
from irci.base.types import Bools, Floats, Ints, owners
from irci.comparison.means import sources_of
from irci.data.experiment import Judge, RunScores, common, experiments_by, matched, on_topics_of, read_judges, runs_by
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.rules import matching, read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.scores import not_missing
from irci.estimators.judges import (
    FEW,
    Correlation,
    Labels,
    SignificanceByBoth,
    biases,
    compare,
    contrast,
    disagreement,
    kappa,
    kappa_over_topics,
    labels_of,
    order,
)
from irci.estimators.means import Design, MeanInterval, topic_interval
from irci.measures import MAP, Measure
from irci.options.asked import Asked
from irci.output.columns import as_typed, mean_of
from irci.output.report import Report
from irci.output.tables import NO_WORD, Row, number, tables
from irci.stats.tests import PairedTest
from irci.wording import amount, notify, p_text, say

FEW_HOLES = 0.01  # of the documents that QRELS has judged, without another judge's grade
ALPHA = 0.05  # of biases of single runs
LISTED = 10  # runs in a sentence
BINARY = "binary"
WEIGHTS: tuple[LabelWeights, ...] = ("none", "linear", "quadratic")


class JudgePair(Record):
    """QRELS and another's judgments of the documents that both have judged; from which grades on these are relevant."""

    name: str  # of the other
    first: Judge
    second: Judge
    level: int
    other_level: int

    @cached_property
    def labels(self) -> Labels:
        first, second = self.first.qrels, self.second.qrels
        of_first, of_second = matched(first, second)
        return labels_of(owners(first.offsets)[of_first], first.grade[of_first], second.grade[of_second])

    @property
    def same_scale(self) -> bool:
        """True if the grades of one mean what those of the other do, as far as the highest ones tell."""
        return self.first.whole.highest_grade == self.second.whole.highest_grade


class RunsByBoth(Record):
    """Comparison of two judges' scores of R runs by one measure.

    judge: str  # the name of the other judge
    topics: int
    group: PairedTest | None  # contrast of the runs of --groups
    means: tuple[Sequence[MeanInterval], Sequence[MeanInterval]]  # [R] by QRELS, and by the judge
    """

    judge: str
    measure: str
    runs: Sequence[str]
    topics: int
    order: tuple[Correlation, Correlation, Ints]  # tau, tau_AP, and by how many places each run falls
    compared: SignificanceByBoth
    biases: list[tuple[PairedTest, Floats]]  # [R] absolute, and relative to all runs, with adjusted p
    group: PairedTest | None
    means: tuple[Sequence[MeanInterval], Sequence[MeanInterval]]


def compare_judges(request: Asked, inputs: Inputs, *, with_runs: bool) -> Report:
    """Report of how far others' judgments agree with QRELS, and of what they make of the runs, if there are any."""
    refuse_no_scores(request.measures)
    pairs = judges_of(inputs)
    comparisons = list(_comparisons(request, inputs, pairs)) if with_runs else []
    labels = {pair.name: list(_label_rows(pair, request)) for pair in pairs}
    printed = tables("confusion", "", [row for pair in pairs for row in _confusion_rows(pair)])
    printed += tables("labels", "", itertools.chain.from_iterable(labels.values()))
    for kind, rows_of in (("order", _order_rows), ("judged_pairs", _agreement_rows)):
        for measure, group in itertools.groupby(comparisons, lambda comparison: comparison.measure):
            printed += tables(kind, measure, [row for comparison in group for row in rows_of(comparison, request)])
    for comparison in comparisons:
        printed += tables("bias", comparison.measure, _bias_rows(comparison, request))
    for comparison in comparisons:
        printed += tables("score", comparison.measure, _score_rows(comparison))
    topics = [comparison.topics for comparison in comparisons] or [len(pair.labels.tables) for pair in pairs]
    of_runs = {
        "alphas": " ".join(map(str, request.alphas)), "correction": request.correction, "groups": request.groups,
        "num_runs": len(comparisons[0].runs),
    } if comparisons else {}  # fmt: skip
    return Report(
        tables=printed,
        signature={
            "command": "judges", "judges": " ".join(pair.name for pair in pairs), "levels": inputs.levels_told,
            "confidence": request.confidence, "resamples": request.resamples, "seed": request.seed, **of_runs,
            "num_topics": " ".join(map(str, dict.fromkeys(topics))), **inputs.signature(),
        },
        explain=lambda: _explanation(request, pairs, comparisons, labels),
        conclude=lambda: (
            [text for each in comparisons for text in (_on_order(each, request), *islice(_on_pairs(each, request), 2))]
            or [sentence for pair in pairs for sentence in _on_labels(pair, labels[pair.name], request)]
        ),
        sources=sources_of("judges"),
    )  # fmt: skip


# Scores by both.


def judges_of(inputs: Inputs) -> list[JudgePair]:
    """QRELS against each of --other-qrels, on the documents that both have judged."""
    first, *later = read_judges(inputs)
    pairs = []
    for other in later:
        on_topics = on_topics_of(first, other)
        both = common(on_topics, on_topics_of(other, first))
        number, judged = len(both[0].qrels.grade), int((on_topics.qrels.grade >= 0).sum())
        if not number:
            raise DataError(
                f"{first.path} and {other.path} have judged no document in common; are docnos spelled differently?"
            )
        if number < (1 - FEW_HOLES) * judged:
            documents = plural(judged, "document")
            notify("few_judged_by_both", path=other.path, share=number / judged, documents=documents, first=first.path)
        name, level = inputs.name_of_judge(other.path), inputs.level_of(other.path)
        pairs.append(JudgePair(name, *both, inputs.relevance_level, level))
    if len({pair.name for pair in pairs}) < len(pairs):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return pairs


def scored_by(
    request: Asked, inputs: Inputs, pairs: Sequence[JudgePair]
) -> tuple[list[str], list[dict[str, tuple[Floats, Floats]]]]:
    """The runs by name, and for each pair of judges their scores by either, float64[R, T] twice, of each measure on the
    topics that no run lacks; every run read once."""
    measures = request.measures or [MAP]
    judges = [judge for pair in pairs for judge in (pair.first, pair.second)]
    levels = [level for pair in pairs for level in (pair.level, pair.other_level)]
    experiments = experiments_by(inputs, measures, judges, levels)
    for experiment in experiments:
        experiment.tells_missing = inputs.missing != "auto"
    scores = [RunScores(measures) for _ in experiments]
    for run_by_judge in runs_by(experiments):
        for of_judge, run in zip(scores, run_by_judge, strict=True):
            of_judge.add(run)
    names = scores[0].names
    is_left = not_missing(names, scores[0].absent, inputs, experiments[0].topics)
    order_of_runs = [run for run in places_by_name(names) if is_left[run]]
    runs = [names[run] for run in order_of_runs]
    views = [
        (experiment.topics, of_judge.on(experiment.topics).values)
        for experiment, of_judge in zip(experiments, scores, strict=True)
    ]
    scored = []
    for (topics, first), (other_topics, second) in zip(views[::2], views[1::2], strict=True):
        # On the topics that count for both and that no run lacks.
        column_of = {topic: column for column, topic in enumerate(other_topics)}
        columns = [(column, column_of[topic]) for column, topic in enumerate(topics) if topic in column_of]
        here, other = np.array(columns, np.int64).reshape(-1, 2).T
        values = {name: (first[name][order_of_runs][:, here], second[name][order_of_runs][:, other]) for name in first}
        lacking = np.any([np.isnan(by_judge).any(axis=0) for both in values.values() for by_judge in both], axis=0)
        in_both = [topics[column] for column in here]
        warn_of_topics("all runs", "that some run lacks, dropped", where(in_both, lacking))
        if len(runs) < 2 or (~lacking).sum() < 2:
            raise DataError("needs at least two runs that share two topics")
        kept = {name: (both[0][:, ~lacking], both[1][:, ~lacking]) for name, both in values.items()}
        scored.append(kept)
    return runs, scored


def _comparisons(request: Asked, inputs: Inputs, pairs: Sequence[JudgePair]) -> Iterator[RunsByBoth]:
    """Compare the scores of the runs by each pair of judges, measure by measure."""
    runs, scored = scored_by(request, inputs, pairs)
    groups = _groups(request.groups, [pair.name for pair in pairs], runs)
    confidence, draws = request.confidence, {"resamples": request.resamples, "seed": request.seed}
    for measure in request.measures or [MAP]:
        for pair, scores, group in zip(pairs, scored, groups, strict=True):
            first, second = scores[measure.name]
            yield RunsByBoth(
                pair.name, measure.name, runs, first.shape[1],
                order(first, second, confidence=confidence, **draws),
                compare(first, second, request.correction),
                biases(first, second, confidence),
                None if group is None else contrast(first, second, group, confidence),
                (_means(first, measure, confidence), _means(second, measure, confidence)),
            )  # fmt: skip


def _groups(requested: str | None, judges: Sequence[str], runs: Sequence[str]) -> list[Bools | None]:
    """The runs bool[R] that each judge's own model made, None where none are known."""
    if requested is None:
        return [None] * len(judges)
    if not os.path.exists(requested) or os.path.isdir(requested):
        return [matching(requested, runs, "--groups")] * len(judges)
    judge_of = read_teams(requested)
    groups: list[Bools | None] = []
    for judge in judges:
        group = np.array([judge_of.get(run) == judge for run in runs], np.bool_)
        if group.all():
            raise DataError(f"{requested}: all runs are {judge}'s: nothing to compare")
        groups.append(group if group.any() else None)
    if not any(group is not None for group in groups):
        raise DataError(f"{requested}: no run of {', '.join(judges)}")
    return groups


def _means(scores: Floats, measure: Measure, confidence: float) -> list[MeanInterval]:
    """The means of scores[R, T], with limits over topics as map-ci has them."""
    base = measure.base
    return [topic_interval(base.scale().forward(row), Design(confidence=confidence), base.ends) for row in scores]


# Rows.


def _confusion_rows(pair: JudgePair) -> Iterator[Row]:
    """How many documents have each grade by the one and each by the other, of grades that they give."""
    table, grades = pair.labels.table, pair.labels.grades.tolist()
    for row, column in itertools.product(*(np.flatnonzero(table.any(axis=axis)).tolist() for axis in (1, 0))):
        documents = int(table[row, column])
        yield {
            "judge": pair.name, "grade": grades[row], "grade_judge": grades[column], "documents": documents,
            "percent": 100 * documents / pair.labels.documents,
        }  # fmt: skip


def _label_rows(pair: JudgePair, request: Asked) -> Iterator[Row]:
    """kappa of the grades, by all weights, and of what is relevant; and overlap.

    Grades are compared where both scales end at the same one; of grades 0 and 1 they are what is relevant.
    """
    labels, binary = pair.labels, pair.labels.binary(pair.level, pair.other_level)
    is_binary = set(labels.grades.tolist()) <= {0, 1} and pair.level == pair.other_level == 1
    kinds: list[tuple[str, Labels, LabelWeights]] = [(BINARY, binary, "none")]
    if pair.same_scale and not is_binary:
        kinds = [*((weights, labels, weights) for weights in WEIGHTS), *kinds]

    def row(measure: str, value: float, lower: float = math.nan, upper: float = math.nan) -> Row:
        return {
            "measure": measure, "topic": "all", "value": value, "lower": lower, "upper": upper,
            "judge": pair.name, "documents": labels.documents, "topics": len(labels.tables),
        }  # fmt: skip

    for name, graded, weights in kinds:
        cost = disagreement(graded.grades, weights)
        limits = kappa_over_topics(
            graded, cost, confidence=request.confidence, resamples=request.resamples, seed=request.seed
        )
        yield row(f"kappa_{name}", float(kappa(graded.table, cost)), *limits)
    yield row("overlap", binary.overlap())


def _order_rows(comparison: RunsByBoth, _: Asked) -> Iterator[Row]:
    """tau, tau_AP and the largest drop."""
    tau, tau_ap, drops = comparison.order
    most = float(drops.max())
    falls = comparison.runs[int(drops.argmax())] if most > 0 else NO_WORD
    for name, value, lower, upper, run in (
        ("tau", tau.value, tau.lower, tau.upper, NO_WORD),
        ("tau_ap", tau_ap.value, tau_ap.lower, tau_ap.upper, NO_WORD),
        ("max_drop", most, math.nan, math.nan, falls),
    ):
        yield {
            "measure": f"{name}_{comparison.measure}", "topic": "all", "value": value, "lower": lower, "upper": upper,
            "run": run, "judge": comparison.judge, "topics": comparison.topics,
        }  # fmt: skip


def _agreement_rows(comparison: RunsByBoth, request: Asked) -> Iterator[Row]:
    """The six counts at each level."""
    for alpha in request.alphas:
        counts = comparison.compared.agreement(alpha)
        yield {"judge": comparison.judge, **counts, "alpha": alpha, "correction": request.correction}


def _bias_rows(comparison: RunsByBoth, request: Asked) -> Iterator[Row]:
    """Each run's bias, absolute and relative, and the contrast of a group."""
    kinds: list[tuple[str, PairedTest, Sequence[str], Floats]] = [
        (name, test, comparison.runs, p_adjusted)
        for name, (test, p_adjusted) in zip(("bias", "relative_bias"), comparison.biases, strict=True)
    ]
    if comparison.group is not None:
        kinds.append(("group_bias", comparison.group, [str(request.groups)], comparison.group.p))
    for name, test, runs, p_adjusted in kinds:
        for index, run in enumerate(runs):
            yield {
                "measure": f"{name}_{comparison.measure}", "topic": "all", "value": float(test.mean[index]),
                "lower": float(test.lower[index]), "upper": float(test.upper[index]), "run": run,
                "judge": comparison.judge, "p": float(test.p[index]), "p_adjusted": float(p_adjusted[index]),
            }  # fmt: skip


def _score_rows(comparison: RunsByBoth) -> Iterator[Row]:
    """Each run's mean by either judge, with limits over topics."""
    for run, first, second in zip(comparison.runs, *comparison.means, strict=True):
        for of, mean in (("QRELS", first), ("judge", second)):
            yield {
                "measure": comparison.measure, "topic": "all", "value": mean.value, "lower": mean.lower, "upper": mean.upper,
                "run": run, "judge": comparison.judge, "of": of,
            }  # fmt: skip


# Sentences.


def _explanation(
    request: Asked,
    pairs: Sequence[JudgePair],
    comparisons: Sequence[RunsByBoth],
    labels: dict[str, list[Row]],
) -> Iterator[str]:
    """Say judge by judge how far they agree, then what the numbers do not say."""
    for pair in pairs:
        for comparison in (comparison for comparison in comparisons if comparison.judge == pair.name):
            yield _on_order(comparison, request)
            yield from _orders(comparison)
            yield from _on_tau(comparison, request)
            yield from _on_pairs(comparison, request)
            yield from _on_bias(comparison, request)
        yield from _on_labels(pair, labels[pair.name], request)
    yield say("judges.topics")
    if comparisons:
        yield say("judges.high_tau")
    yield say("judges.kappas")
    if comparisons and request.groups is None:
        yield say("judges.own_runs")
    if len(pairs) == 1:
        yield say("judges.people")


def _interval(lower: float, upper: float, request: Asked) -> str:
    is_known = not (math.isnan(lower) or math.isnan(upper))
    return f"{100 * request.confidence:g}% CI {amount(lower)} to {amount(upper)}" if is_known else ""


def _on_order(comparison: RunsByBoth, request: Asked) -> str:
    """Say if the runs rank differently by the other judge."""
    tau, _, drops = comparison.order
    interval = _interval(tau.lower, tau.upper, request)
    numbers = ", ".join(filter(None, (interval, plural(comparison.topics, "topic"))))
    most = int(drops.max())
    how = (
        "no_order" if math.isnan(tau.value) else "same_order" if tau.value >= 1 else "falls" if most else "other_order"
    )
    return say(
        f"judges.{how}", judge=comparison.judge, runs=plural(len(comparison.runs), "run"),
        mean=mean_of(comparison.measure), tau=amount(tau.value), numbers=numbers,
        run=comparison.runs[int(drops.argmax())], places=plural(most, "place"),
    )  # fmt: skip


def _orders(comparison: RunsByBoth) -> Iterator[str]:
    """The runs in both orders where these differ, of few runs."""
    if len(comparison.runs) > LISTED or not comparison.order[2].any():
        return
    by_qrels, by_judge = (
        ", ".join(comparison.runs[index] for index in np.argsort([-mean.value for mean in means], kind="stable"))
        for means in comparison.means
    )
    yield say("judges.orders", by_qrels=by_qrels, judge=comparison.judge, by_judge=by_judge)


def _on_tau(comparison: RunsByBoth, request: Asked) -> Iterator[str]:
    tau, tau_ap, _ = comparison.order
    if not math.isnan(tau_ap.value):
        interval = _interval(tau_ap.lower, tau_ap.upper, request)
        yield say("judges.tau_ap", value=amount(tau_ap.value), interval=f" ({interval})" if interval else "")
    if tau.lower == tau.upper and (comparison.biases[0][0].p < 1).any():  # the two judges' scores being different
        yield say("judges.no_width")
    if len(comparison.runs) < FEW:
        yield say("judges.few_runs", few=FEW)


def _on_pairs(comparison: RunsByBoth, request: Asked) -> Iterator[str]:
    compared, alpha = comparison.compared, request.alphas[0]
    is_reversed, (first, second) = compared.reversed(alpha), compared.significant(alpha)
    counts = compared.agreement(alpha)
    confirmed, contrary = int(counts["AA"]), int(counts["AD"])
    reversals = [
        "{} over {}".format(*(comparison.runs[run] for run in (pair if sign > 0 else pair[::-1])))
        for pair, sign in zip(compared.pairs[is_reversed], compared.signs[1][is_reversed], strict=True)
    ]
    facts = {"judge": comparison.judge, "measure": as_typed(comparison.measure), "alpha": alpha}
    facts["adjusted"] = "not adjusted" if request.correction == "none" else f"adjusted by {request.correction}"
    missed = first - confirmed - contrary
    yield say(
        "judges.pairs" if first else "judges.no_pairs", first=first, same=confirmed or "none",
        share=_share(confirmed, first), missed=missed or "none", reversed=contrary or "none",
        names=f" ({comparison.judge}: {first_few(reversals)})" if reversals else "", **facts,
    )  # fmt: skip
    if second:
        share = _share(confirmed, second)
        yield say("judges.by_judge", second=second, same=confirmed or "none", share=share, **facts)
    if compared.identical:
        yield say("judges.identical", pairs=plural(compared.identical, "pair"))


def _share(number: int, of: int) -> str:
    return f" ({number / of:.0%})" if number else ""


def _way(difference: float, neither: str) -> str:
    """The size and the direction of a difference, in words."""
    return f"{amount(abs(difference))} {'higher' if difference > 0 else 'lower'}" if difference else neither


def _on_bias(comparison: RunsByBoth, request: Asked) -> Iterator[str]:
    (absolute, _), (relative, p_adjusted) = comparison.biases
    yield say("judges.level", judge=comparison.judge, way=_way(float(absolute.mean.mean()), "the same"))
    significant = p_adjusted <= ALPHA
    for verb, has_sign in (("favours", relative.mean > 0), ("disfavours", relative.mean < 0)):
        runs = np.flatnonzero(significant & has_sign)
        if len(runs):
            largest_first = runs[np.argsort(-np.abs(relative.mean[runs]), kind="stable")].tolist()
            names = first_names([comparison.runs[run] for run in largest_first])
            yield say("judges.favours", verb=verb, number=len(runs), alpha=ALPHA, names=names)
    if not significant.any():
        yield say("judges.favours_none")
    if comparison.group is not None:
        value, p, lower, upper = (float(getattr(comparison.group, name)[0]) for name in ("mean", "p", "lower", "upper"))
        evidence = f" ({_interval(lower, upper, request)}; {p_text(p)})" if p < 1 else ""
        way = _way(value, "neither higher nor lower")
        yield say("judges.group", runs=request.groups, way=way, evidence=evidence)


def _on_labels(pair: JudgePair, rows: Sequence[Row], request: Asked) -> Iterator[str]:
    documents, topics = plural(pair.labels.documents, "document"), plural(len(pair.labels.tables), "topic")
    for row in (row for row in rows if str(row["measure"]).startswith("kappa")):
        weights = str(row["measure"]).removeprefix("kappa_")
        kind = "relevant or not" if weights == BINARY else f"grades, weights {weights}"
        value, lower, upper = (number(row, name) for name in ("value", "lower", "upper"))
        numbers = ", ".join(filter(None, (_interval(lower, upper, request), documents, topics)))
        kappa_text = "undefined" if math.isnan(value) else amount(value)
        yield say("judges.kappa", judge=pair.name, value=kappa_text, kind=kind, numbers=numbers)
    first, second = pair.labels.binary(pair.level, pair.other_level).means()
    yield say("judges.relevant", first=first, judge=pair.name, second=second)
    higher = pair.other_level + 1
    _, of_higher = pair.labels.binary(pair.level, higher).means()
    if of_higher > 0 and abs(of_higher - first) < abs(second - first):
        yield say("judges.higher_level", level=higher, share=of_higher, file=pair.name)
