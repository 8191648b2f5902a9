"""Two judges compared: the labels of both, and the scores of the same runs by each on the topics of both; and the rows that
compare them: labels, orders of runs, significant pairs, biases, scores."""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from irci.base.choices import LabelWeights
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import places_by_name
from irci.base.records import Record
from irci.base.types import Bools, Floats, owners
from irci.data.experiment import Experiment, ExperimentRun, Judge, RunScores
from irci.data.inputs import Inputs, where
from irci.data.judges import Matched, common, experiments_by, matched, on_topics_of, read_judges, runs_by
from irci.data.measures import MAP, Measure
from irci.data.missing import left
from irci.data.notices import warn_of_topics
from irci.data.scale_ends import lie_within
from irci.methods.compare.means import Design, MeanInterval, topic_interval
from irci.methods.swap_error.judges.agreement import Biases, Compared, Correlation, Order
from irci.methods.swap_error.judges.labels import Labels, disagreement, kappa, kappa_asymptotic, kappa_over_topics
from irci.output.tables import NO_WORD, Row
from irci.stats.tests import PairedTest
from irci.studies.swap_error.request import SwapErrorRequest

FEW_HOLES = 0.01  # of the documents scored, that one judge has judged and the other has not


class JudgePair(Record):
    """QRELS and another's judgments, on the topics of both. `name`: of the other."""

    name: str
    first: Judge
    second: Judge
    level: int
    other_level: int

    @cached_property
    def rows(self) -> Matched:
        return matched(self.first.qrels, self.second.qrels)

    @cached_property
    def labels(self) -> Labels:
        first, second = self.first.qrels, self.second.qrels
        topic = owners(first.offsets)[self.rows.of_first]
        return Labels.of(topic, first.grade[self.rows.of_first], second.grade[self.rows.of_second])

    @property
    def same_scale(self) -> bool:
        """True if the grades of one mean what those of the other do, as far as the highest ones tell."""
        return self.first.whole.highest_grade == self.second.whole.highest_grade

    def warn_of_holes(self, seen: tuple[Bools, Bools]) -> None:
        """Say so if many documents that count for one judge have no judgment by the other; seen bool[J]: scored ones."""
        judges = self.first, self.second
        for judge, other, of, rows in zip(judges, judges[::-1], seen, self.rows, strict=True):
            lacking = of & (judge.qrels.grade >= 0)
            scored = int(lacking.sum())
            lacking[rows] = False
            if lacking.sum() > FEW_HOLES * scored:
                logger.warning(
                    f"{other.path}: {lacking.sum() / scored:.0%} of the retrieved documents that {judge.path} judges have no"
                    " judgment here, and score as irrelevant: then pools differ, not opinions (--common leaves them out)"
                )


class Scored(Record):
    """Scores by either judge, of each measure float64[R, T] twice; runs by name, topics of both that no run lacks."""

    runs: list[str]
    topics: list[str]
    values: dict[str, tuple[Floats, Floats]]


def judges_of(request: SwapErrorRequest, inputs: Inputs) -> list[JudgePair]:
    """QRELS against each of --other-qrels; only the documents that both have judged, if that is asked for."""
    first, *others = read_judges(inputs)
    level = inputs.relevance_level
    other_level = level if request.level_b is None else request.level_b
    found = []
    for other in others:
        pair = on_topics_of(first, other), on_topics_of(other, first)
        pair = common(*pair) if request.common else pair
        found.append(JudgePair(inputs.name_of_judge(other.path), *pair, level, other_level))
        if not len(found[-1].rows.of_first):
            raise DataError(
                f"{first.path} and {other.path} have judged no document in common; are docnos spelled differently?"
            )
    if len({each.name for each in found}) < len(found):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return found


def scored_by(request: SwapErrorRequest, inputs: Inputs, judges: Sequence[JudgePair]) -> list[Scored]:
    """The runs scored by both judges of each pair, every run read once."""
    measures = request.measures or [MAP]
    # One for all pairs that have the same judgments in common.
    wanted = {key: judge for each in judges for key, judge in zip(_keys(each), (each.first, each.second), strict=True)}
    levels = [level for _, level, *_ in wanted]
    experiments = experiments_by(inputs, measures, list(wanted.values()), levels)
    views = [View(each, measures) for each in experiments]
    for by_each in runs_by(experiments):
        for view, run in zip(views, by_each, strict=True):
            view.add(run)
    of = dict(zip(wanted, views, strict=True))
    names = views[0].scores.names
    made = left(names, views[0].scores.absent, inputs)
    order = [place for place in places_by_name(names) if made[place]]
    found = []
    for each in judges:
        both = [of[key] for key in _keys(each)]
        if not request.common:
            each.warn_of_holes((both[0].seen_of(each.first), both[1].seen_of(each.second)))
        found.append(_aligned([names[run] for run in order], order, both))
    return found


def _keys(each: JudgePair) -> list[tuple[str, int, int, tuple[bytes, ...]]]:
    """Keys that tell the judgments of either judge from others: the file, the level, what of it is used."""
    both = (each.first, each.level), (each.second, each.other_level)
    return [(judge.path, level, len(judge.qrels.grade), tuple(judge.qrels.topics)) for judge, level in both]


class View:
    """One judge's view of all runs: their scores, and which judgments of documents they retrieve."""

    def __init__(self, experiment: Experiment, measures: Sequence[Measure]) -> None:
        self.topics = experiment.topics
        self.scores = RunScores(measures)
        cuts = [measure.cut for measure in measures]
        self._cut = max(cuts) if all(cuts) else np.iinfo(np.int64).max  # below which no measure looks
        self._kept = set(experiment.qrels.topics)
        self._seen = np.zeros(len(experiment.qrels.grade), np.bool_)

    def add(self, run: ExperimentRun) -> None:
        self._seen[run.judged.rows[run.judged.ranks <= self._cut]] = True
        self.scores.add(run)

    def seen_of(self, judge: Judge) -> Bools:
        """bool[J]: which of the judge's judgments are of documents that a run has where a measure looks."""
        kept = np.array([topic in self._kept for topic in judge.qrels.topics], np.bool_)
        found = np.zeros(len(judge.qrels.grade), np.bool_)
        found[kept[owners(judge.qrels.offsets)]] = self._seen
        return found


def _aligned(names: list[str], order: list[int], views: Sequence[View]) -> Scored:
    """The scores by both on the topics that count for both and that no run lacks."""
    first, second = views
    place_in = {topic: place for place, topic in enumerate(second.topics)}
    pairs = [(here, place_in[topic]) for here, topic in enumerate(first.topics) if topic in place_in]
    columns = np.array(pairs, np.int64).reshape(-1, 2).T
    both = [view.scores.on(view.topics).values for view in views]
    found = {
        name: [values[name][order][:, chosen] for values, chosen in zip(both, columns, strict=True)] for name in both[0]
    }
    lacking = np.any([np.isnan(each).any(axis=0) for both in found.values() for each in both], axis=0)
    topics = [first.topics[here] for here, _ in pairs]
    warn_of_topics("all runs", "that some run lacks, dropped", where(topics, lacking))
    if len(names) < 2 or (~lacking).sum() < 2:
        raise DataError("needs at least two runs that share two topics")
    kept = {name: (both[0][:, ~lacking], both[1][:, ~lacking]) for name, both in found.items()}
    return Scored(names, where(topics, ~lacking), kept)


BINARY = "binary"
NO_WIDTH = "the limits of tau have no width, as no resample changes it: that is no certainty"


class JudgeFindings(Record):
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
    by_each: tuple[Sequence[MeanInterval], Sequence[MeanInterval]]

    @property
    def has_no_width(self) -> bool:
        """True if limits of tau promise a certainty that there is not, the two judges' scores being different."""
        tau = self.order.tau
        return tau.lower == tau.upper and bool((self.biases.absolute.p < 1).any())


def rows_of_order(found: JudgeFindings) -> Iterator[Row]:
    """tau, tau_AP and the largest drop."""
    most = float(found.order.drops.max())
    falls = found.runs[int(found.order.drops.argmax())] if most > 0 else NO_WORD
    for name, each, run, interval in (
        ("tau", found.order.tau, NO_WORD, "mirrored"),
        ("tau_ap", found.order.tau_ap, NO_WORD, "jackknife"),
        ("max_drop", Correlation(most, math.nan, math.nan), falls, NO_WORD),
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
    for run, first, second in zip(found.runs, *found.by_each, strict=True):
        yield {
            "measure": found.measure, "topic": "all", "value": first.value, "lower": first.lower, "upper": first.upper,
            "run": run, "judge": found.judge,
            "value_b": second.value, "lower_b": second.lower, "upper_b": second.upper,
        }  # fmt: skip


def means_of(scores: Floats, measure: Measure, confidence: float) -> list[MeanInterval]:
    """The means of scores[R, T], with limits over topics as map-ci has them."""
    base = measure.base
    ends = base.ends if base.ends is not None and lie_within(scores, base.ends) else None
    return [topic_interval(row, base, Design(confidence=confidence), ends) for row in scores]
