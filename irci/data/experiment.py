"""An experiment: a collection and runs, read, judged and scored one after the other; by several judges of the same topics too,
while each run is read once.

What in them is not as a careful reader would expect is warned of.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from irci.base import DataError, UsageError, plural, raw, text
from irci.base.choices import HIGHEST_EXPONENT, Ties
from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats, Words, offsets, owners
from irci.data.collection import JudgedRun, Relevance, extremes, judge, ties_of, without_identical_ids
from irci.data.inputs import ONLY_QRELS, Inputs, where
from irci.data.rankings import Qrels, Run
from irci.data.scores import SETTLED, Scores, saved_text, settle
from irci.measures import ListsByLevel, Measure, judgments_by_level, lists_by_level
from irci.measures.ties import Ties as TiesOfRun
from irci.measures.ties import expected_scores, has_expectation
from irci.wording import Notice, notices_of_run, notify, tell_of_runs, warn_of_topics

# What orders documents with equal scores.
ORDERED: dict[Ties, str] = {"docno": "by docno, as trec_eval", "rank": "by rank", "file": "as in the file"}
# Another order of ties is worth a word from here on: of a standard error, about a tenth of a 95% interval's half width.
WORTH_A_WORD = 0.2
SEEN = 5e-5  # in four decimals
UNJUDGED = "without judgments, ignored"


class ExperimentRun:
    """One run of an experiment: its lines, what of them is judged, and bool[T] the topics that count for it."""

    def __init__(
        self, name: str, run: Run, judged: JudgedRun, lists: ListsByLevel, kept: Bools, ties: TiesOfRun | None
    ) -> None:
        self.name, self.run, self.judged, self.lists, self.kept, self.ties = name, run, judged, lists, kept, ties

    def scores(self, measure: Measure) -> Floats:
        """float64[T]: its score on each topic, the mean over all orders of `ties`; nan where a topic does not count."""
        lists, ties = self.lists(measure.level), self.ties
        scores = measure.scores(lists) if ties is None else expected_scores(measure, lists, ties, self.judged.tied > 0)
        return np.where(self.kept, scores, np.nan)


def files_of(inputs: Inputs, *tables: Scores) -> dict[str, str]:
    """Text by file, as --save-scores writes it, with the names of collections that have one."""
    if inputs.save_scores is None:
        return {}
    whole = ((table.whole or table)._replace(collection=table.collection) for table in tables)
    return {inputs.save_scores: saved_text(*whole)}


class Experiment:
    """Judgments, and the runs to be read one after the other: `for run in experiment.runs()`.
    `topics` and `keys` uint64[T]: the topics' names and stream keys; `tells_missing`: notices say what each run lacks."""

    def __init__(
        self, inputs: Inputs, measures: Sequence[Measure], qrels: Qrels | None = None, *, with_intervals: bool = True
    ) -> None:
        """Read the judgments, or take these; those refused that one of the measures to be scored cannot do with.

        `with_intervals`: whether topics may have intervals; those of missing topics mean nothing, and topics without relevant
        documents have none.
        """
        self.inputs, self._measures, self._with_intervals = inputs, measures, with_intervals
        path, *self.paths = inputs.paths()
        if not self.paths:
            raise UsageError(ONLY_QRELS.format(path))
        if inputs.ties == "mean" and not all(map(has_expectation, measures)):
            names = ", ".join(measure.name for measure in measures if not has_expectation(measure))
            raise UsageError(f"--ties mean: the mean over orders is not known for {names}: choose other measures.")
        self.qrels = qrels or inputs.read_qrels(path)
        self._whole_qrels = self.qrels.whole or self.qrels
        self.why_no_level = self._why_no_level()
        if self.why_no_level and not inputs.level_elsewhere:
            raise DataError(self.why_no_level)
        self._choose_topics("given no interval, but counted" if with_intervals else "counted")
        self.topics = [text(topic) for topic in self.qrels.topics]
        self._check_grades(measures)
        self.judgments = judgments_by_level(self.qrels, inputs.relevance_level, inputs.max_grade)
        for level in sorted({measure.level or 0 for measure in measures}):  # --no-relevant is about -l's
            if level > inputs.relevance_level:
                lacks = (self.judgments(level).relevant == 0) & (self.judgments(None).relevant > 0)
                happens = f"without documents of grade {level}, scored 0 by measures with rel={level}"
                warn_of_topics(self.qrels.path, happens, where(self.topics, lacks))
        self.notices: list[Notice] = []  # on runs
        self.tells_missing = True

    @cached_property
    def keys(self) -> Words:
        """uint64[T]: the topics' stream keys."""
        return topic_keys(self.qrels.topics)

    def runs(self) -> Iterator[ExperimentRun]:
        """Read, judge and give away one run after the other; each is forgotten when the next one is asked for."""
        return (run for (run,) in runs_by([self]))

    def judged(self, path: str, name: str, run: Run) -> ExperimentRun:
        """A run with what of it is judged; refused if that is nothing, or lacks topics where --missing is error."""
        inputs, judged = self.inputs, self.judge(run)
        if judged.missing.all():
            first = text(run.topics[0])
            raise DataError(
                f"{path}: has {plural(len(run.topics), 'topic')}, none judged; are topics spelled differently?"
                f" (topic {first} of {path}; topic {self.topics[0]} of {self.qrels.path})"
            )
        self.check_documents(path, run, len(judged.rows))
        missing = where(self.topics, judged.missing)
        if missing and inputs.missing == "error":
            number = plural(len(missing), "judged topic")
            raise DataError(f"{path}: {number} missing (--missing error): {missing[0]} ...")
        if self.tells_missing:
            fate = "scored 0 (their intervals mean nothing)" if self._with_intervals else "scored 0"
            fate = "dropped" if inputs.missing == "drop" else fate
            self.notices += notices_of_run(path, f"missing, {fate}", missing, noun="judged topic")
        if inputs.topics is None and inputs.no_relevant == "zero":
            known = set(self._whole_qrels.topics)
            self.notices += notices_of_run(path, UNJUDGED, [text(topic) for topic in run.topics if topic not in known])
        kept = ~judged.missing if inputs.keeps_missing else np.ones(len(judged.missing), np.bool_)
        lists = lists_by_level(self.judgments, judged)
        self.notice(path, run, judged, lists, kept)
        ties = ties_of(run, judged) if inputs.ties == "mean" and judged.tied.any() else None
        return ExperimentRun(name, run, judged, lists, kept, ties)

    def relevance(self, measure: Measure) -> Relevance:
        level = self.inputs.relevance_level if measure.level is None else measure.level
        return Relevance.of(self.qrels, measure.family.sight, level, self.inputs.max_grade)

    def read(self) -> Iterator[tuple[str, str, Run]]:
        """The runs that count, as `Inputs.read_runs` reads them."""
        for path, name, run in self.inputs.read_runs(self.paths):
            if self.inputs.ignore_identical_ids:
                run, number = without_identical_ids(run)
                then = "with the id of its topic, left out"
                self.notices += notices_of_run(path, then, number=number, noun="document")
            yield path, name, run
            del run

    def judge(self, run: Run) -> JudgedRun:
        inputs = self.inputs
        return judge(self.qrels, run, inputs.depth, inputs.threads, judged_only=inputs.judged_only)

    def check_documents(self, path: str, run: Run, judged_documents: int) -> None:
        """Refuse a run of which no document is judged, however deep, on any topic of the qrels: its docnos are others.
        `judged_documents`: how many it has among those that are used."""
        if not judged_documents and not len(judge(self._whole_qrels, run).rows):
            own, judged = (text(next(docnos.texts())) for docnos in (run.docnos, self._whole_qrels.docnos))
            raise DataError(
                f"{path}: none of its documents is judged; are docnos spelled differently?"
                f" (docno {own} of {path}; docno {judged} of {self.qrels.path})"
            )

    def notice(self, run_name: str, run: Run, judged: JudgedRun, lists: ListsByLevel, kept: Bools) -> None:
        """Take notice of what a run has that a careful reader would not expect; bool[T] `kept`: the topics that count."""
        if judged.tied.any() and self.inputs.ties != "mean":
            self._notice_ties(run_name, run, judged, lists, kept)
        then = "twice in a topic: the better rank kept"
        self.notices += notices_of_run(run_name, then, number=run.duplicates, noun="document")
        then = "with more than six fields, the rest ignored"
        self.notices += notices_of_run(run_name, then, number=run.lines_with_extra_fields, noun="line")

    def _notice_ties(self, run_name: str, run: Run, judged: JudgedRun, lists: ListsByLevel, kept: Bools) -> None:
        # Say of the measure whose mean other orders of ties move most how far they do, if that is worth a word.
        ties = ties_of(run, judged)
        orders = [lists_by_level(self.judgments, order) for order in extremes(judged, ties, self.qrels)] + [lists]
        moved = []
        for measure in self._measures:
            if not measure.scores_topics:
                continue
            least, most, printed = (measure.scores(order(measure.level))[kept] for order in orders)
            has_error = measure.family.summary == "mean" and len(printed) > 1
            error = np.std(printed, ddof=1) / np.sqrt(len(printed)) if has_error else 0.0
            mean = measure.summary(printed)
            lowest, highest = sorted((measure.summary(least), measure.summary(most)))
            if highest > lowest and max(highest - mean, mean - lowest) > max(WORTH_A_WORD * error, SEEN):
                moved.append((highest - lowest, lowest, highest, measure))
        if not moved:
            return
        by, lowest, highest, measure = max(moved, key=lambda of_measure: of_measure[0])
        ordered, expected = ORDERED[self.inputs.ties], ""
        if has_expectation(measure):
            scores = expected_scores(measure, lists(measure.level), ties, judged.tied > 0)
            expected = f", {measure.summary(scores[kept]):.4f} on average (--ties mean)"
        detail = f" (ordered {ordered}; {measure.name} is {lowest:.4f} to {highest:.4f} in other orders{expected})"
        topics = where(self.topics, judged.tied > 0)
        self.notices += notices_of_run(run_name, "with tied scores of judged documents", topics, detail=detail, size=by)

    def scores(self, measures: Sequence[Measure], hearers: Sequence[Callable[[ExperimentRun], None]] = ()) -> Scores:
        """The scores of all runs, those that are missing too, on the topics that --missing leaves; `hearers` are told of each
        run, on all topics, while it is there."""
        inputs, is_alone = self.inputs, self.inputs.standardise == "rank" or len(self.paths) == 1
        self.tells_missing = inputs.missing not in SETTLED or (inputs.missing == "auto" and is_alone)
        (table,) = scored_by([self], measures, hearers)
        if self.tells_missing:
            return table if inputs.keeps_missing else table.with_zeros
        return settle(table, inputs, paths=self.paths)

    def _choose_topics(self, without: str) -> None:
        # The judgments of the topics asked for; what becomes of topics without relevant documents is told.
        inputs, qrels = self.inputs, self.qrels
        if inputs.topics is not None:
            qrels = qrels.only(inputs.asked_for([text(topic) for topic in qrels.topics], qrels.path, "judged"))
        relevant = Relevance.of(qrels, "relevance", inputs.relevance_level).num_relevant
        if inputs.no_relevant == "drop" and not relevant.any():
            raise DataError(f"{qrels.path}: no topic has relevant documents")
        fate = f"{without} in means" if inputs.no_relevant == "zero" else "dropped"
        lacking = where([text(topic) for topic in qrels.topics], relevant == 0)
        warn_of_topics(qrels.path, f"without relevant documents, {fate}", lacking)
        self.qrels = qrels.only(relevant > 0) if inputs.no_relevant == "drop" else qrels

    def _why_no_level(self) -> str:
        # The reason to refuse a level that nothing reaches, in the judgments or on the scale, of which a notice says so where
        # another collection has it; "" of others.
        level, highest = self.inputs.relevance_level, self._whole_qrels.highest_grade
        if level <= max(1, highest, self.inputs.max_grade or 0):
            return ""
        if self.inputs.level_elsewhere:
            notify("no_such_grade", qrels=self.qrels.path, level=level, highest=highest)
        is_other = self.qrels.path in self.inputs.other_qrels
        mend = "FILE:1 gives a file a level of its own" if is_other else "--max-grade says where the scale ends"
        return f"{self.qrels.path}: no judgment has a grade of {level} or more (-l), the highest is {highest}; {mend}"

    def _check_grades(self, measures: Sequence[Measure]) -> None:
        # Refuse grades beyond what gains 2^grade - 1 are computed of, or beyond the scale's end.
        names = [measure.name for measure in measures if measure.family.exponential]
        limit = self.inputs.max_grade or HIGHEST_EXPONENT
        highest = self.qrels.highest_grade
        if names and self.qrels.grade.dtype.kind != "i":
            grade = next(grade for grade in self.qrels.grade.tolist() if grade != int(grade))
            of_gains = f"of which there is no gain 2^grade - 1 ({', '.join(names)})"
            raise DataError(f"{self.qrels.path}: grade {grade:g} is no whole number, {of_gains}")
        if not names or highest <= limit:
            return
        first = int(np.argmax(self.qrels.grade))
        topic = owners(self.qrels.offsets)[first]
        of_topic = f" of topic {self.topics[topic]}" if self.qrels.grade[first] == highest else ""
        limited_by = "--max-grade is" if self.inputs.max_grade else "gains 2^grade - 1 are computed up to grade"
        raise DataError(f"{self.qrels.path}: grade {highest}{of_topic}, but {limited_by} {limit} ({', '.join(names)})")


def read_judges(inputs: Inputs) -> list[Qrels]:
    """QRELS first, then each of --other-qrels, on the topics asked for."""
    path, *_ = inputs.paths()
    judges = [inputs.read_qrels(file) for file in (path, *inputs.other_qrels)]
    if inputs.topics is None:
        return judges
    topics = sorted({text(topic) for qrels in judges for topic in qrels.topics}, key=raw)
    asked = inputs.asked_for(topics, ", ".join(qrels.path for qrels in judges), "judged")
    return [qrels.on(map(raw, where(topics, asked))) for qrels in judges]


def on_topics_of(qrels: Qrels, other: Qrels, then: str = "dropped") -> Qrels:
    """The judgments of the topics that the others have too; those left out are counted, if `then` says what becomes of them.
    Raises DataError if there are none."""
    of_both = qrels.on(other.topics)
    if not of_both.topics:
        raise DataError(f"{qrels.path} and {other.path} have no topic in common")
    judged, left_out = set(of_both.topics), f"that {other.path} does not judge, {then}"
    warn_of_topics(qrels.path, left_out, [text(topic) for topic in qrels.topics if then and topic not in judged])
    return of_both


def experiments_by(
    inputs: Inputs, measures: Sequence[Measure], judges: Sequence[Qrels], levels: Sequence[float] = ()
) -> list[Experiment]:
    """The experiment as each judge sees it; `levels`: the lowest relevant grade of each, unless -l's."""
    settings = inputs.replaced(topics=None)  # judges have theirs
    return [
        Experiment(settings.replaced(relevance_level=level), measures, qrels)
        for qrels, level in zip(judges, levels or [inputs.relevance_level] * len(judges), strict=True)
    ]


def runs_by(experiments: Sequence[Experiment]) -> Iterator[list[ExperimentRun]]:
    """Each run of the first experiment as all of them see it, one run after the other; forgotten when the next is asked for.
    What is noticed of the runs is told once: as the judge of most topics sees it."""
    for path, name, run in experiments[0].read():
        by_each = [experiment.judged(path, name, run) for experiment in experiments]
        del run
        yield by_each
        for judged_run in by_each:
            vars(judged_run).clear()  # memory is for one run at a time
    tell_of_runs(max(experiments, key=lambda experiment: len(experiment.topics)).notices)


def scored_by(
    experiments: Sequence[Experiment],
    measures: Sequence[Measure],
    hearers: Sequence[Callable[[ExperimentRun], None]] = (),
) -> list[Scores]:
    """The scores of the same runs in each experiment, on its own topics; nan where a topic does not count, and where a run
    lacks one, if that is still to be settled. `hearers` are told of each run, as the first experiment has it, while it is
    there."""
    names: list[str] = []
    is_settled_later = experiments[0].inputs.missing in SETTLED
    rows: list[list[list[Floats]]] = [[[] for _ in measures] for _ in experiments]  # of each run [T]
    for by_each in runs_by(experiments):
        names.append(by_each[0].name)
        for run, of_measures in zip(by_each, rows, strict=True):
            is_absent = run.judged.missing & is_settled_later
            for measure, of_runs in zip(measures, of_measures, strict=True):
                of_runs.append(np.where(is_absent, np.nan, run.scores(measure)))
        for hear in hearers:
            hear(by_each[0])
    return [
        Scores(names, experiment.topics, {
            measure.name: np.array(of_runs).reshape(len(names), len(experiment.topics))  # no run where all are missing
            for measure, of_runs in zip(measures, of_measures, strict=True)
        })
        for experiment, of_measures in zip(experiments, rows, strict=True)
    ]  # fmt: skip


def common(first: Qrels, second: Qrels) -> tuple[Qrels, Qrels]:
    """Two judges' judgments of the documents that both gave a grade of 0 or more for a topic, of which they share some: row by
    row of the same documents, whose names have the same bytes. Raises DataError if there are none."""
    first, second = first.on(second.topics), second.on(first.topics)
    no_scores, lines = np.zeros(len(second.grade)), np.arange(len(second.grade), dtype=np.int32)
    judged = judge(first, Run(second.path, second.topics, second.docnos, no_scores, lines, second.offsets))
    rows, of_second = judged.rows.astype(np.int64), judged.lines[judged.places].astype(np.int64)
    is_graded = (first.grade[rows] >= 0) & (second.grade[of_second] >= 0)  # a negative grade is none, as in trec_eval
    order = np.flatnonzero(is_graded)[np.argsort(rows[is_graded])]
    if not len(order):
        both = f"{first.path} and {second.path}"
        raise DataError(f"{both} have judged no document in common; are docnos spelled differently?")
    edges = offsets(np.bincount(owners(first.offsets)[rows[order]], minlength=len(first.topics)))
    return first.take(rows[order], edges), second.take(of_second[order], edges)
