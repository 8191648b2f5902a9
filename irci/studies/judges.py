"""judges: how far another's judgments agree with QRELS, and whether runs would rank differently by them.

The labels of both are compared, and the scores of the same runs by each, on the documents that both have judged.
"""

import itertools
import math
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base import DataError, first_few, first_names, places_by_name, plural
from irci.base.choices import LabelWeights
from irci.base.types import Bools, Floats, owners
from irci.comparison.means import sources_of
from irci.data.experiment import common, experiments_by, matched, on_topics_of, read_judges, scored_by
from irci.data.inputs import Inputs, where
from irci.data.rankings import Qrels
from irci.data.rules import matching, read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.scores import not_missing
from irci.estimators.judges import (
    FEW,
    Labels,
    biases,
    compare,
    disagreement,
    kappa,
    kappa_over_topics,
    labels_of,
    order,
)
from irci.estimators.means import Design, topic_means
from irci.measures import MAP, Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import NO_WORD, Kind, Row, mean_of, rows_of, tables
from irci.wording import amount, notify, p_text, say, warn_of_topics

FEW_HOLES = 0.01  # of the documents that QRELS has judged, without another judge's grade
ALPHA = 0.05  # of biases of single runs
LISTED = 10  # runs in a sentence
WEIGHTS: tuple[LabelWeights, ...] = ("none", "linear", "quadratic")


class JudgePair(NamedTuple):
    """QRELS and another's judgments of the documents that both have judged; from which grades on these are relevant."""

    name: str  # of the other
    first: Qrels
    second: Qrels
    level: int
    other_level: int
    labels: Labels


class ScoredByBoth(NamedTuple):
    """The scores float64[R, T] of the same R runs by QRELS and by another judge."""

    judge: str
    measure: Measure
    runs: list[str]
    first: Floats
    second: Floats


Answer = tuple[list[Row], list[str]]  # the rows of a table, and sentences
KINDS: tuple[Kind, ...] = ("confusion", "labels", "order", "judged_pairs", "bias", "score")


def compare_judges(request: Asked, inputs: Inputs, *, with_runs: bool) -> Report:
    """Report of how far others' judgments agree with QRELS, and of what they make of the runs, if there are any."""
    refuse_no_scores(request.measures)
    pairs = judges_of(inputs)
    all_scored = scores_of_both(request, inputs, pairs) if with_runs else []
    groups = _groups(request.groups, pairs, all_scored[0].runs) if with_runs else {}
    answers: list[tuple[str, str, dict[Kind, Answer]]] = []
    for scored in all_scored:
        on_runs = (
            _on_order(request, scored) | _on_pairs(request, scored) | _on_bias(request, scored, groups[scored.judge])
        )
        answers.append((scored.judge, scored.measure.name, on_runs))
    answers += [(pair.name, "", _on_labels(request, pair)) for pair in pairs]
    rows: dict[tuple[Kind, str, str], list[Row]] = {}
    sentences: dict[str, list[str]] = {pair.name: [] for pair in pairs}
    conclusion: list[str] = []
    for judge, measure, answer in answers:
        for kind, (rows_of_kind, said) in answer.items():
            judge_of_table = judge if kind in ("bias", "score") else ""  # these have a table a judge
            rows.setdefault((kind, measure, judge_of_table), []).extend(rows_of_kind)
            sentences[judge] += said
            conclusion += said[: {"order": 1, "judged_pairs": 2}.get(kind, 0)]
    topics = [scored.first.shape[1] for scored in all_scored] or [len(pair.labels.tables) for pair in pairs]
    of_runs = {
        "alphas": " ".join(map(str, request.alphas)), "correction": request.correction, "groups": request.groups,
        "num_runs": len(all_scored[0].runs),
    } if all_scored else {}  # fmt: skip
    explanation = [*itertools.chain(*sentences.values())]
    remarks = {
        "topics": True, "high_tau": with_runs, "kappas": True, "own_runs": with_runs and request.groups is None,
        "people": len(pairs) == 1,
    }  # fmt: skip
    return Report(
        tables=[table for kind in KINDS for key, own in rows.items() if key[0] == kind for table in tables(*key[:2], own)],
        signature={
            "command": "judges", "judges": " ".join(pair.name for pair in pairs), "levels": inputs.levels_told,
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
    pairs = []
    for other in later:
        on_topics = on_topics_of(first, other)
        both = common(on_topics, on_topics_of(other, first))
        number, judged = len(both[0].grade), int((on_topics.grade >= 0).sum())
        if number < (1 - FEW_HOLES) * judged:
            documents = plural(judged, "document")
            notify("few_judged_by_both", path=other.path, share=number / judged, documents=documents, first=first.path)
        of_first, of_second = matched(*both)
        labels = labels_of(owners(both[0].offsets)[of_first], both[0].grade[of_first], both[1].grade[of_second])
        name, level = inputs.name_of_judge(other.path), inputs.levels.get(other.path, inputs.relevance_level)
        pairs.append(JudgePair(name, *both, inputs.relevance_level, level, labels))
    inputs.refuse_judges_of_one_name()
    return pairs


def scores_of_both(request: Asked, inputs: Inputs, pairs: Sequence[JudgePair]) -> list[ScoredByBoth]:
    """The scores of the runs, by name, by each measure and pair of judges, on the topics that no run lacks; every run read
    once."""
    measures = request.measures or [MAP]
    judges = [judge for pair in pairs for judge in (pair.first, pair.second)]
    levels = [level for pair in pairs for level in (pair.level, pair.other_level)]
    experiments = experiments_by(inputs, measures, judges, levels)
    for experiment in experiments:
        experiment.tells_missing = inputs.missing != "auto"
    (tables, (absent, *_)) = zip(*scored_by(experiments, measures), strict=True)
    is_left = not_missing(tables[0].runs, absent, inputs, tables[0].topics)
    order_of_runs = [run for run in places_by_name(tables[0].runs) if is_left[run]]
    runs = [tables[0].runs[run] for run in order_of_runs]
    scored = []
    for pair, *by_both in zip(pairs, tables[::2], tables[1::2], strict=True):
        # On the topics that count for both and that no run lacks.
        in_both = set(by_both[0].topics) & set(by_both[1].topics)
        by_either = []
        for table in by_both:
            columns = [index for index, topic in enumerate(table.topics) if topic in in_both]
            by_either.append(np.array([table.values[measure.name][order_of_runs][:, columns] for measure in measures]))
        lacking = np.asarray(np.isnan(by_either).any(axis=(0, 1, 2)))
        topics = [topic for topic in by_both[0].topics if topic in in_both]
        warn_of_topics("all runs", "that some run lacks, dropped", where(topics, lacking))
        if len(runs) < 2 or (~lacking).sum() < 2:
            raise DataError("needs at least two runs that share two topics")
        first, second = (values[..., ~lacking] for values in by_either)
        scored += [
            ScoredByBoth(pair.name, measure, runs, first[index], second[index])
            for index, measure in enumerate(measures)
        ]
    return sorted(scored, key=lambda of_pair: measures.index(of_pair.measure))


def _groups(requested: str | None, pairs: Sequence[JudgePair], runs: Sequence[str]) -> dict[str, Bools | None]:
    """The runs bool[R] that each judge's own model made, by the judge's name; None where none are known."""
    groups: dict[str, Bools | None] = {pair.name: None for pair in pairs}
    if requested is None:
        return groups
    if not os.path.exists(requested) or os.path.isdir(requested):
        return dict.fromkeys(groups, matching(requested, runs, "--groups"))
    judge_of = read_teams(requested)
    for judge in groups:
        group = np.array([judge_of.get(run) == judge for run in runs], np.bool_)
        if group.all():
            raise DataError(f"{requested}: all runs are {judge}'s: nothing to compare")
        groups[judge] = group if group.any() else None
    if not any(group is not None for group in groups.values()):
        raise DataError(f"{requested}: no run of {', '.join(groups)}")
    return groups


# Rows and sentences.


def _on_labels(request: Asked, pair: JudgePair) -> dict[Kind, Answer]:
    """How many documents have each grade by the one and each by the other; kappa of the grades, by all weights, and of what is
    relevant; and overlap.

    Grades are compared where both scales end at the same one; of grades 0 and 1 they are what is relevant.
    """
    labels, binary = pair.labels, pair.labels.binary(pair.level, pair.other_level)
    topics, table, grades = len(labels.tables), labels.table, labels.grades.tolist()
    documents = int(table.sum())
    confusion: list[Row] = [
        {
            "judge": pair.name, "grade": grades[row], "grade_judge": grades[column], "documents": int(table[row, column]),
            "percent": 100 * table[row, column].item() / documents,
        }
        for row, column in itertools.product(*(np.flatnonzero(table.any(axis=axis)).tolist() for axis in (1, 0)))
    ]  # fmt: skip
    is_binary = set(grades) <= {0, 1} and pair.level == pair.other_level == 1
    kinds: list[tuple[str, Labels, LabelWeights, str]] = [("binary", binary, "none", "relevant or not")]
    if pair.first.highest_grade == pair.second.highest_grade and not is_binary:
        kinds = [*((weights, labels, weights, f"grades, weights {weights}") for weights in WEIGHTS), *kinds]
    values: dict[str, Sequence[float]] = {}
    sentences = []
    for name, graded, weights, in_words in kinds:
        cost = disagreement(graded.grades, weights)
        value = float(kappa(graded.table, cost))
        limits = kappa_over_topics(
            graded, cost, confidence=request.confidence, resamples=request.resamples, seed=request.seed
        )
        values[f"kappa_{name}"] = value, *limits
        counted = plural(documents, "document"), plural(topics, "topic")
        sentences.append(say(
            "judges.kappa", judge=pair.name, value="undefined" if math.isnan(value) else amount(value), kind=in_words,
            numbers=", ".join(filter(None, (_interval(request, *limits), *counted))),
        ))  # fmt: skip
    values["overlap"] = binary.overlap(), math.nan, math.nan
    value, lower, upper = np.array([*values.values()]).T
    rows = rows_of(
        measure=[*values], topic="all", value=value, lower=lower, upper=upper, judge=pair.name, documents=documents,
        topics=topics,
    )  # fmt: skip
    first, second = binary.means()
    sentences.append(say("judges.relevant", first=first, judge=pair.name, second=second))
    return {"confusion": (confusion, []), "labels": (rows, sentences)}


def _interval(request: Asked, lower: float, upper: float) -> str:
    is_known = not (math.isnan(lower) or math.isnan(upper))
    return f"{100 * request.confidence:g}% CI {amount(lower)} to {amount(upper)}" if is_known else ""


def _on_order(request: Asked, scored: ScoredByBoth) -> dict[Kind, Answer]:
    """tau, tau_AP and the largest drop: whether the runs rank differently by the other judge; and the runs' means by either,
    with limits over topics as map-ci has them."""
    runs, topics = scored.runs, scored.first.shape[1]
    base, design = scored.measure.base, Design(confidence=request.confidence)
    means = [topic_means(base.scale().forward(scores), design, base.ends) for scores in (scored.first, scored.second)]
    value = np.column_stack([tested.of.value for tested in means]).ravel()
    lower, upper = np.stack([tested.limits for tested in means], axis=-1).reshape(2, -1)
    score_rows = rows_of(
        measure=scored.measure.name, topic="all", value=value, lower=lower, upper=upper,
        run=[run for run in runs for _ in means], judge=scored.judge, of=["QRELS", "judge"] * len(runs),
    )  # fmt: skip
    correlations, drops = order(
        scored.first, scored.second, confidence=request.confidence, resamples=request.resamples, seed=request.seed
    )
    (tau, lower, upper), (tau_ap, low, high) = correlations.tolist()
    most, falls = int(drops.max()), runs[int(drops.argmax())]
    columns = np.vstack((correlations, (most, math.nan, math.nan))).T
    rows = rows_of(
        measure=[f"{name}_{scored.measure.name}" for name in ("tau", "tau_ap", "max_drop")], topic="all",
        value=columns[0], lower=columns[1], upper=columns[2], run=[NO_WORD, NO_WORD, falls if most > 0 else NO_WORD],
        judge=scored.judge, topics=topics,
    )  # fmt: skip
    kind = "no_order" if math.isnan(tau) else "same_order" if tau >= 1 else "falls" if most else "other_order"
    sentences = [say(
        f"judges.{kind}", judge=scored.judge, runs=plural(len(runs), "run"), mean=mean_of(scored.measure.name),
        tau=amount(tau), numbers=", ".join(filter(None, (_interval(request, lower, upper), plural(topics, "topic")))),
        run=falls, places=plural(most, "place"),
    )]  # fmt: skip
    if len(runs) <= LISTED and drops.any():
        by_qrels, by_judge = (
            ", ".join(runs[index] for index in np.argsort(-tested.of.value, kind="stable")) for tested in means
        )
        sentences.append(say("judges.orders", by_qrels=by_qrels, judge=scored.judge, by_judge=by_judge))
    if not math.isnan(tau_ap):
        interval = _interval(request, low, high)
        sentences.append(say("judges.tau_ap", value=amount(tau_ap), interval=f" ({interval})" if interval else ""))
    if lower == upper and not np.allclose(scored.first, scored.second):
        sentences.append(say("judges.no_width"))
    if len(runs) < FEW:
        sentences.append(say("judges.few_runs", few=FEW))
    return {"order": (rows, sentences), "score": (score_rows, [])}


def _on_pairs(request: Asked, scored: ScoredByBoth) -> dict[Kind, Answer]:
    """The six counts at each level: what the judge confirms, misses and reverses."""
    compared, alpha = compare(scored.first, scored.second, request.correction), request.alphas[0]
    counts = {alpha: compared.agreement(alpha) for alpha in request.alphas}
    rows: list[Row] = [
        {"judge": scored.judge, **of_level, "alpha": level, "correction": request.correction}
        for level, of_level in counts.items()
    ]
    first, second = (compared.p <= alpha).sum(axis=1).tolist()
    is_reversed = (compared.p <= alpha).all(axis=0) & (compared.signs[0] != compared.signs[1])
    confirmed, contrary = int(counts[alpha]["AA"]), int(counts[alpha]["AD"])
    reversals = [
        "{} over {}".format(*(scored.runs[run] for run in (pair if sign > 0 else pair[::-1])))
        for pair, sign in zip(compared.pairs[is_reversed], compared.signs[1][is_reversed], strict=True)
    ]
    adjusted = "not adjusted" if request.correction == "none" else f"adjusted by {request.correction}"
    facts = {"judge": scored.judge, "measure": scored.measure.name, "alpha": alpha, "adjusted": adjusted}
    facts["same"] = confirmed or "none"
    sentences = [say(
        "judges.pairs" if first else "judges.no_pairs", first=first, share=_share(confirmed, first),
        missed=first - confirmed - contrary or "none", reversed=contrary or "none",
        names=f" ({scored.judge}: {first_few(reversals)})" if reversals else "", **facts,
    )]  # fmt: skip
    if second:
        sentences.append(say("judges.by_judge", second=second, share=_share(confirmed, second), **facts))
    if compared.identical:
        sentences.append(say("judges.identical", pairs=plural(compared.identical, "pair")))
    return {"judged_pairs": (rows, sentences)}


def _share(number: int, of: int) -> str:
    return f" ({number / of:.0%})" if number else ""


def _way(difference: float, neither: str) -> str:
    """The size and the direction of a difference, in words."""
    return f"{amount(abs(difference))} {'higher' if difference > 0 else 'lower'}" if difference else neither


def _on_bias(request: Asked, scored: ScoredByBoth, group: Bools | None) -> dict[Kind, Answer]:
    """Each run's bias, absolute and relative to all runs, and the contrast of a group."""
    tests = biases(scored.first, scored.second, request.confidence, group)
    (absolute, _), (relative, p_relative) = tests["bias"], tests["relative_bias"]
    sentences = [say("judges.level", judge=scored.judge, way=_way(float(absolute.mean.mean()), "the same"))]
    is_significant = p_relative <= ALPHA
    for verb, has_sign in (("favours", relative.mean > 0), ("disfavours", relative.mean < 0)):
        runs = np.flatnonzero(is_significant & has_sign)
        if len(runs):
            largest_first = runs[np.argsort(-np.abs(relative.mean[runs]), kind="stable")].tolist()
            names = first_names([scored.runs[run] for run in largest_first])
            sentences.append(say("judges.favours", verb=verb, number=len(runs), alpha=ALPHA, names=names))
    if not is_significant.any():
        sentences.append(say("judges.favours_none"))
    if group is not None:
        test, _ = tests["group_bias"]
        interval = _interval(request, *test.limits[:, 0].tolist())
        evidence = f" ({interval}; {p_text(float(test.p[0]))})" if test.p[0] < 1 else ""
        way = _way(float(test.mean[0]), "neither higher nor lower")
        sentences.append(say("judges.group", runs=request.groups, way=way, evidence=evidence))
    rows = [
        row
        for name, (test, p_adjusted) in tests.items()
        for row in rows_of(
            measure=f"{name}_{scored.measure.name}", topic="all", value=test.mean, lower=test.limits[0], upper=test.limits[1],
            run=[str(request.groups)] if name == "group_bias" else scored.runs, judge=scored.judge, p=test.p,
            p_adjusted=p_adjusted,
        )
    ]  # fmt: skip
    return {"bias": (rows, sentences)}
