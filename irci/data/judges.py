"""Several judges of the same topics: their judgments read, matched, and every run scored by each while it is read once."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import raw, text
from irci.base.types import Bools, Ints, offsets, owners
from irci.data.experiment import Experiment, ExperimentRun, Judge, RunScores
from irci.data.inputs import Inputs, where
from irci.data.missing import SETTLED
from irci.data.notices import warn_of_topics
from irci.data.rankings import Qrels
from irci.data.scores import Scores
from irci.measures import Measure


def read_judges(inputs: Inputs) -> list[Judge]:
    """QRELS first, then each of --other-qrels, on the topics asked for."""
    path, *_ = inputs.paths()
    judges = [Judge.read(inputs, file) for file in (path, *inputs.other_qrels)]
    if inputs.topics is None:
        return judges
    topics = sorted({text(topic) for judge in judges for topic in judge.qrels.topics}, key=raw)
    kept = set(where(topics, inputs.asked_for(topics, ", ".join(judge.path for judge in judges), "judged")))
    return [judge.only(_among(judge.qrels, {raw(topic) for topic in kept})) for judge in judges]


def on_topics_of(judge: Judge, other: Judge) -> Judge:
    """A judge's judgments of the topics that another has judged too; those dropped are counted."""
    of_first, _ = on_topics_of_both(judge, other)
    warn_of_topics(judge.path, f"that {other.path} does not judge, dropped", lacking(judge.qrels, other.qrels))
    return of_first


def lacking(qrels: Qrels, other: Qrels) -> list[str]:
    """The topics of the first judgments that the others lack."""
    return where([text(topic) for topic in qrels.topics], ~_among(qrels, set(other.topics)))


def on_topics_of_both(first: Judge, second: Judge) -> tuple[Judge, Judge]:
    """Both judges' judgments of the topics that both have judged; raises DataError if there are none."""
    keep = _among(first.qrels, set(second.qrels.topics))
    if not keep.any():
        raise DataError(f"{first.path} and {second.path} have no topic in common")
    return first.only(keep), second.only(_among(second.qrels, set(first.qrels.topics)))


def _among(qrels: Qrels, topics: set[bytes]) -> Bools:
    return np.array([topic in topics for topic in qrels.topics], np.bool_)


def experiments_by(
    inputs: Inputs, measures: Sequence[Measure], judges: Sequence[Judge], levels: Sequence[int] = ()
) -> list[Experiment]:
    """The experiment as each judge sees it; `levels`: the lowest relevant grade of each, unless -l's."""
    if inputs.scores:
        raise UsageError("scores are of one judge: give QRELS and RUNs.")
    settings = inputs._replace(topics=None)  # judges have theirs
    return [
        Experiment(settings._replace(relevance_level=level), measures, judge)
        for judge, level in zip(judges, levels or [inputs.relevance_level] * len(judges), strict=True)
    ]


def runs_by(experiments: Sequence[Experiment]) -> Iterator[list[ExperimentRun]]:
    """Each run of the first experiment as all of them see it, one run after the other; forgotten when the next is asked for.
    What is noticed of the runs is told once: as the judge of most topics sees it."""
    for path, name, run in experiments[0].read():
        by_each = [experiment.judged(path, name, run) for experiment in experiments]
        del run
        yield by_each
        for judged_run in by_each:
            judged_run.let_go()
    max(experiments, key=lambda experiment: len(experiment.topics)).notices.tell()


def scores_by(experiments: Sequence[Experiment], measures: Sequence[Measure]) -> list[Scores]:
    """The scores of the same runs in each experiment, on its own topics; nan where a topic does not count, or is still to be
    settled."""
    scores_of_judge = [RunScores(measures) for _ in experiments]
    for by_each in runs_by(experiments):
        for scores, run in zip(scores_of_judge, by_each, strict=True):
            scores.add(run)
    return [
        scores.unsettled(experiment.topics) if experiment.inputs.missing in SETTLED else scores.on(experiment.topics)
        for scores, experiment in zip(scores_of_judge, experiments, strict=True)
    ]


def matched(first: Qrels, second: Qrels) -> tuple[Ints, Ints]:
    """Documents (whose names have the same bytes) that two judges both gave a grade of 0 or more for the same topic: rows
    int64[P] of the first and of the second judgments, by topic and place in the first."""
    place_of = {topic: index for index, topic in enumerate(second.topics)}
    pairs: list[tuple[int, int]] = []
    for index, topic in enumerate(first.topics):
        if topic in place_of:
            ours, theirs = _graded(first, index), _graded(second, place_of[topic])
            pairs += [(row, theirs[docno]) for docno, row in ours.items() if docno in theirs]
    indices = np.array(pairs, np.int64).reshape(-1, 2)
    return indices[:, 0], indices[:, 1]


def _graded(qrels: Qrels, topic: int) -> dict[bytes, int]:
    # The rows of the documents of a topic that have a grade; a negative one is none, as in trec_eval.
    begin, end = qrels.offsets[topic : topic + 2].tolist()
    docnos = qrels.docnos.take(slice(begin, end)).texts()
    return {docno: row for row, docno in enumerate(docnos, begin) if qrels.grade[row] >= 0}


def common(first: Judge, second: Judge) -> tuple[Judge, Judge]:
    """Both judges with only the documents that both have judged."""
    of_first, of_second = matched(first.qrels, second.qrels)
    return _of_rows(first, of_first), _of_rows(second, np.sort(of_second))


def _of_rows(judge: Judge, rows: Ints) -> Judge:
    qrels = judge.qrels
    sizes = np.bincount(owners(qrels.offsets)[rows], minlength=len(qrels.topics))
    return judge._replace(qrels=qrels.take(rows, offsets(sizes)))


class Share(NamedTuple):
    """Numbers of documents that the first judge gave a grade (None: any), and of these that the second judged."""

    grade: int | None
    documents: int
    judged: int


def shares(first: Qrels, second: Qrels) -> list[Share]:
    """Shares of each grade of the first that the second judged, ascending; a negative grade is none."""
    judged = np.zeros(len(first.grade), np.bool_)
    judged[matched(first, second)[0]] = True
    grades = np.unique(first.grade[first.grade >= 0]).tolist()
    return [
        Share(grade, int((first.grade == grade).sum()), int((judged & (first.grade == grade)).sum()))
        for grade in grades
    ]
