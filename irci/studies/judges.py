"""judges: how far another's judgments agree with QRELS, and whether runs would rank differently by them.

The labels of both are compared, and the scores of the same runs by each, on the documents that both have judged.
"""

import math
import os
from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np

from irci.base import DataError, first_few, first_names, plural, raw
from irci.base.choices import LabelWeights
from irci.base.types import Bools, Floats, gathered, owners
from irci.comparison.means import sources_of
from irci.data.experiment import common, experiments_by, on_topics_of, read_judges, scored_by
from irci.data.inputs import Inputs, where
from irci.data.rankings import Qrels
from irci.data.rules import matching, read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.scores import without_missing
from irci.estimators import judges as estimator
from irci.estimators.means import Design, topic_means
from irci.measures import MAP, Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import NO_WORD, Kind, Row, mean_of, rows_of, tables
from irci.wording import amount, notify, p_text, say, warn_of_topics

FEW_HOLES = 0.01  # of the documents that QRELS has judged, without another judge's grade
ALPHA = 0.05  # of biases of single runs
LISTED = 10  # runs in a sentence


# The other judge's name, QRELS and the other's judgments of documents that both have judged, the grades from which on these
# are relevant by either, and their labels.
JudgePair = tuple[str, Sequence[Qrels], tuple[int, int], estimator.Labels]
Answer = tuple[Kind, str, str, list[Row], list[str]]  # of a table the measure, the judge and rows; and sentences
OF_JUDGES = ("bias", "score")  # kinds with a table a judge
CONCLUDED = {"order": 1, "judged_pairs": 2}  # how many of their sentences are the conclusion


def compare_judges(request: Asked, inputs: Inputs) -> Report:
    """Report of how far others' judgments agree with QRELS, and of what they make of the runs, if there are any."""
    refuse_no_scores(request.measures)
    pairs, with_runs = judges_of(inputs), request.use.name == "runs"
    runs, scored = scores_of_both(request, inputs, pairs) if with_runs else ([], {})
    groups = _groups(request.groups, [name for name, *_ in pairs], runs) if with_runs else {}
    names, answers = [name for name, *_ in pairs], list[Answer]()
    for (measure, judge), scores in scored.items():
        about = request, judge, measure, runs, scores
        answers += [*_on_order(*about), _on_pairs(*about), _on_bias(*about, groups[judge])]
    answers += [answer for pair in pairs for answer in _on_labels(request, pair)]
    rows = gathered(
        ((kind, measure, judge if kind in OF_JUDGES else ""), row) for kind, measure, judge, own, _ in answers for row in own
    )  # fmt: skip
    explanation = [text for name in names for _, _, judge, _, said in answers if judge == name for text in said]
    conclusion = [text for kind, *_, said in answers for text in said[: CONCLUDED.get(kind, 0)]]
    topics = [scores.shape[-1] for scores in scored.values()] or [len(labels.tables) for *_, labels in pairs]
    of_runs = {
        "alphas": " ".join(map(str, request.alphas)), "correction": request.correction, "groups": request.groups,
        "num_runs": len(runs),
    } if scored else {}  # fmt: skip
    remarks = {
        "topics": True, "high_tau": with_runs, "kappas": True, "own_runs": with_runs and request.groups is None,
        "people": len(pairs) == 1,
    }  # fmt: skip
    of_kinds = [(key[:2], own) for kind in request.command.tables for key, own in rows.items() if key[0] == kind]
    return Report(
        tables=[table for key, own in of_kinds for table in tables(*key, own)],
        signature={
            "command": "judges", "judges": " ".join(names), "levels": inputs.levels_told,
            "confidence": request.confidence, "resamples": request.resamples, "seed": request.seed, **of_runs,
            "num_topics": " ".join(map(str, dict.fromkeys(topics))), **inputs.signature(),
        },
        explain=lambda: explanation + [say(f"judges.{name}") for name, is_so in remarks.items() if is_so],
        conclude=lambda: conclusion or explanation,
        sources=sources_of("judges"),
    )  # fmt: skip


# Scores by both.


def judges_of(inputs: Inputs) -> list[JudgePair]:
    """QRELS against each of --other-qrels, on the documents that both have judged."""
    first, *later = read_judges(inputs)
    pairs = list[JudgePair]()
    for other in later:
        on_topics = on_topics_of(first, other)
        both = common(on_topics, on_topics_of(other, first))
        number, judged = len(both[0].grade), int((on_topics.grade >= 0).sum())
        if number < (1 - FEW_HOLES) * judged:
            documents = plural(judged, "document")
            notify("few_judged_by_both", path=other.path, share=number / judged, documents=documents, first=first.path)
        labels = estimator.labels_of(owners(both[0].offsets), both[0].grade, both[1].grade)
        levels = inputs.relevance_level, inputs.levels.get(other.path, inputs.relevance_level)
        pairs.append((inputs.name_of_judge(other.path), both, levels, labels))
    inputs.refuse_judges_of_one_name()
    return pairs


def scores_of_both(
    request: Asked, inputs: Inputs, pairs: Sequence[JudgePair]
) -> tuple[list[str], dict[tuple[Measure, str], Floats]]:
    """The runs by name, and by measure and judge their scores float64[2, R, T] by QRELS and by the judge, where no run lacks
    any."""
    measures = request.measures or [MAP]
    judges = [judge for _, both, _, _ in pairs for judge in both]
    experiments = experiments_by(inputs, measures, judges, [level for _, _, levels, _ in pairs for level in levels])
    for experiment in experiments:
        experiment.tells_missing = inputs.missing != "auto"
    tables = scored_by(experiments, measures)
    runs = sorted(without_missing(tables[0], inputs, names_topics=True).runs, key=raw)
    if not inputs.keeps_missing:
        tables = [table.with_zeros for table in tables]
    scores = dict[tuple[Measure, str], Floats]()
    for (name, *_), first, second in zip(pairs, tables[::2], tables[1::2], strict=True):
        # On the topics that count for both and that no run lacks.
        topics = where(first.topics, np.isin(first.topics, second.topics))
        by_both = [(table.only(runs).values, np.isin(table.topics, topics)) for table in (first, second)]
        by_measure = np.array(
            [[values[measure.name][:, in_both] for values, in_both in by_both] for measure in measures]
        )
        lacking = np.asarray(np.isnan(by_measure).any(axis=(0, 1, 2)))
        warn_of_topics("all runs", "that some run lacks, dropped", where(topics, lacking))
        if len(runs) < 2 or (~lacking).sum() < 2:
            raise DataError("needs at least two runs that share two topics")
        scores |= {(measure, name): of[..., ~lacking] for measure, of in zip(measures, by_measure, strict=True)}
    return runs, {(measure, name): scores[measure, name] for measure in measures for name, *_ in pairs}


def _groups(requested: str | None, judges: Sequence[str], runs: Sequence[str]) -> dict[str, Bools | None]:
    """The runs bool[R] that each judge's own model made, by the judge's name; None where none are known."""
    if requested is None:
        return dict.fromkeys(judges)
    if not os.path.exists(requested) or os.path.isdir(requested):
        return dict.fromkeys(judges, matching(requested, runs, "--groups"))
    judge_of = read_teams(requested)
    groups = {judge: np.array([judge_of.get(run) == judge for run in runs], np.bool_) for judge in judges}
    if of_all := [judge for judge, group in groups.items() if group.all()]:
        raise DataError(f"{requested}: all runs are {of_all[0]}'s: nothing to compare")
    if not np.any([*groups.values()]):
        raise DataError(f"{requested}: names no run of {', '.join(groups)}")
    return {judge: group if group.any() else None for judge, group in groups.items()}


# Rows and sentences.


def _on_labels(request: Asked, pair: JudgePair) -> Iterator[Answer]:
    """How many documents have which grades by both; kappa of the grades, by all weights, and of what is relevant; overlap.

    Grades are compared where both scales end at the same one; of grades 0 and 1 they are what is relevant.
    """
    judge, (first, second), levels, labels = pair
    binary, topics, table, grades = labels.binary(*levels), len(labels.tables), labels.table, labels.grades
    documents, (row, column) = int(table.sum()), np.nonzero(np.outer(table.any(axis=1), table.any(axis=0)))
    (neither, second_alone), (first_alone, both) = binary.table.tolist()
    confusion = rows_of(
        judge=judge, grade=grades[row], grade_judge=grades[column], documents=table[row, column].astype(np.int64),
        percent=100 * table[row, column] / documents,
    )  # fmt: skip
    is_binary = set(grades.tolist()) <= {0, 1} and levels == (1, 1)
    kinds: list[tuple[str, estimator.Labels, LabelWeights, str]] = [("binary", binary, "none", "relevant or not")]
    if first.highest_grade == second.highest_grade and not is_binary:
        of_grades = [(weights, labels, weights, f"grades, weights {weights}") for weights in get_args(LabelWeights)]
        kinds = [*of_grades, *kinds]
    values: dict[str, Sequence[float]] = {}
    sentences = []
    for name, graded, weights, in_words in kinds:
        kappa, *limits = estimator.kappa_over_topics(
            graded, weights, confidence=request.confidence, resamples=request.resamples, seed=request.seed
        )
        values[f"kappa_{name}"] = kappa, *limits
        counted = plural(documents, "document"), plural(topics, "topic")
        sentences.append(say(
            "judges.kappa", judge=judge, value="undefined" if math.isnan(kappa) else amount(kappa),
            kind=in_words, numbers=", ".join(filter(None, (_interval(request, *limits), *counted))),
        ))  # fmt: skip
    values["overlap"] = both / (documents - neither) if documents > neither else math.nan, math.nan, math.nan
    value, lower, upper = np.array([*values.values()]).T
    rows = rows_of(
        measure=[*values], topic="all", value=value, lower=lower, upper=upper, judge=judge, documents=documents,
        topics=topics,
    )  # fmt: skip
    share, other_share = ((alone + both) / documents for alone in (first_alone, second_alone))
    sentences.append(say("judges.relevant", first=share, judge=judge, second=other_share))
    yield "confusion", "", judge, confusion, []
    yield "labels", "", judge, rows, sentences


def _interval(request: Asked, lower: float, upper: float) -> str:
    is_known = not (math.isnan(lower) or math.isnan(upper))
    return f"{100 * request.confidence:g}% CI {amount(lower)} to {amount(upper)}" if is_known else ""


def _on_order(request: Asked, judge: str, measure: Measure, runs: Sequence[str], scores: Floats) -> Iterator[Answer]:
    """tau, tau_AP and the largest drop: whether the runs rank differently by the other judge; and the runs' means by either,
    with limits over topics as map-ci has them."""
    topics, base, design = scores.shape[-1], measure.base, Design(confidence=request.confidence)
    means = [topic_means(base.scale().forward(by_judge), design, base.ends) for by_judge in scores]
    value = np.column_stack([tested.of.value for tested in means]).ravel()
    lower, upper = np.stack([tested.limits for tested in means], axis=-1).reshape(2, -1)
    yield "score", measure.name, judge, rows_of(
        measure=measure.name, topic="all", value=value, lower=lower, upper=upper,
        run=[run for run in runs for _ in means], judge=judge, of=["QRELS", "judge"] * len(runs),
    ), []  # fmt: skip
    correlations, drops = estimator.order(
        scores, confidence=request.confidence, resamples=request.resamples, seed=request.seed
    )
    (tau, lower, upper), (tau_ap, low, high) = correlations.tolist()
    most, falls = int(drops.max()), runs[int(drops.argmax())]
    columns = np.vstack((correlations, (most, math.nan, math.nan))).T
    rows = rows_of(
        measure=[f"{name}_{measure.name}" for name in ("tau", "tau_ap", "max_drop")], topic="all", value=columns[0],
        lower=columns[1], upper=columns[2], run=[NO_WORD, NO_WORD, falls if most > 0 else NO_WORD], judge=judge,
        topics=topics,
    )  # fmt: skip
    kind = "no_order" if math.isnan(tau) else "same_order" if tau >= 1 else "falls" if most else "other_order"
    sentences = [say(
        f"judges.{kind}", judge=judge, runs=plural(len(runs), "run"), mean=mean_of(measure.name),
        tau=amount(tau), numbers=", ".join(filter(None, (_interval(request, lower, upper), plural(topics, "topic")))),
        run=falls, places=plural(most, "place"),
    )]  # fmt: skip
    if len(runs) <= LISTED and drops.any():
        orders = [", ".join(runs[run] for run in np.argsort(-tested.of.value, kind="stable")) for tested in means]
        sentences.append(say("judges.orders", by_qrels=orders[0], judge=judge, by_judge=orders[1]))
    if not math.isnan(tau_ap):
        interval = _interval(request, low, high)
        sentences.append(say("judges.tau_ap", value=amount(tau_ap), interval=f" ({interval})" if interval else ""))
    if lower == upper and not np.allclose(scores[0], scores[1]):
        sentences.append(say("judges.no_width"))
    if len(runs) < estimator.FEW:
        sentences.append(say("judges.few_runs", few=estimator.FEW))
    yield "order", measure.name, judge, rows, sentences


def _on_pairs(request: Asked, judge: str, measure: Measure, runs: Sequence[str], scores: Floats) -> Answer:
    """The six counts at each level: what the judge confirms, misses and reverses."""
    pairs, signs, p, identical = estimator.compare(scores, request.correction)
    counts, alpha = {level: estimator.agreement(signs, p, level) for level in request.alphas}, request.alphas[0]
    rows: list[Row] = [
        {"judge": judge, **of_level, "pairs": len(pairs), "alpha": level, "correction": request.correction}
        for level, of_level in counts.items()
    ]
    first, second = (p <= alpha).sum(axis=1).tolist()
    is_reversed = (p <= alpha).all(axis=0) & (signs[0] != signs[1])
    confirmed, contrary = int(counts[alpha]["AA"]), int(counts[alpha]["AD"])
    reversals = [
        "{} over {}".format(*(runs[run] for run in (pair if sign > 0 else pair[::-1])))
        for pair, sign in zip(pairs[is_reversed], signs[1][is_reversed], strict=True)
    ]
    adjusted = "not adjusted" if request.correction == "none" else f"adjusted by {request.correction}"
    facts = {"judge": judge, "measure": measure.name, "alpha": alpha, "adjusted": adjusted}
    facts["same"] = confirmed or "none"
    share, other_share = (f" ({confirmed / whole:.0%})" if confirmed else "" for whole in (first, second))
    sentences = [say(
        "judges.pairs" if first else "judges.no_pairs", first=first, share=share,
        missed=first - confirmed - contrary or "none", reversed=contrary or "none",
        names=f" ({judge}: {first_few(reversals)})" if reversals else "", **facts,
    )]  # fmt: skip
    if second:
        sentences.append(say("judges.by_judge", second=second, share=other_share, **facts))
    if identical:
        sentences.append(say("judges.identical", pairs=plural(identical, "pair")))
    return "judged_pairs", measure.name, judge, rows, sentences


def _way(difference: float, neither: str) -> str:
    """The size and the direction of a difference, in words."""
    return f"{amount(abs(difference))} {'higher' if difference > 0 else 'lower'}" if difference else neither


def _on_bias(
    request: Asked, judge: str, measure: Measure, runs: Sequence[str], scores: Floats, group: Bools | None
) -> Answer:
    """Each run's bias, absolute and relative to all runs, and the contrast of a group."""
    tests = estimator.biases(scores, request.confidence, group)
    relative = tests["relative_bias"].of.value
    sentences = [say("judges.level", judge=judge, way=_way(float(tests["bias"].of.value.mean()), "the same"))]
    is_significant = tests["relative_bias"].p_adjusted <= ALPHA
    for verb, has_sign in (("favours", relative > 0), ("disfavours", relative < 0)):
        favoured = np.flatnonzero(is_significant & has_sign)
        if len(favoured):
            largest_first = favoured[np.argsort(-np.abs(relative[favoured]), kind="stable")].tolist()
            names = first_names([runs[run] for run in largest_first])
            sentences.append(say("judges.favours", verb=verb, number=len(favoured), alpha=ALPHA, names=names))
    if not is_significant.any():
        sentences.append(say("judges.favours_none"))
    if group is not None:
        test = tests["group_bias"]
        interval = _interval(request, *test.limits[:, 0].tolist())
        evidence = f" ({interval}; {p_text(float(test.p[0]))})" if test.p[0] < 1 else ""
        way = _way(float(test.of.value[0]), "neither higher nor lower")
        sentences.append(say("judges.group", runs=request.groups, way=way, evidence=evidence))
    rows = [
        row
        for name, test in tests.items()
        for row in rows_of(
            measure=f"{name}_{measure.name}", topic="all", value=test.of.value, lower=test.limits[0], upper=test.limits[1],
            run=[str(request.groups)] if name == "group_bias" else list(runs), judge=judge, p=test.p,
            p_adjusted=test.p_adjusted,
        )
    ]  # fmt: skip
    return "bias", measure.name, judge, rows, sentences
