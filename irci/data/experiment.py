"""An experiment: a collection and runs, read, judged and scored one after the other; or scores from files.

What in them is not as a careful reader would expect is warned of.
"""

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irci.base.choices import HIGHEST_EXPONENT, Missing, Names, NoRelevant, ScoresFormat, Standardisation, Ties
from irci.base.errors import DataError, FormatError, UsageError, first_few, plural
from irci.base.names import STDIN, file_name, places_by_name, text
from irci.base.streams import topic_keys
from irci.base.types import Progress, as_they_are, owners
from irci.data.collection import Collection, JudgedRun, Relevance, judge
from irci.data.in_memory import NOTHING, Documents, Memory, file_and_content, qrels_of, run_of
from irci.data.measures import MAP, Judgments, JudgmentsByLevel, Measure, RunLists, is_measure
from irci.data.mistaken import OF_SCORES
from irci.data.notices import Kind, Notices, warn_of_topics
from irci.data.scores import Scores, read_scores, saved_text
from irci.data.text_files import read_lines
from irci.data.topics import file_of_topics, read_topics
from irci.data.trec_files import Qrels, Run, read_qrels, read_run
from irci.stats.standardisation import reference_factors, standardised
from irci.system.interrupts import heed

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

logger = logging.getLogger("irci")

# What orders documents with equal scores: as one run is told, and as several are.
ORDERED: dict[Ties, tuple[str, str]] = {
    "docno": ("by docno, as trec_eval", "by docno as trec_eval does"),
    "rank": ("by rank", "by rank"),
    "file": ("as in the file", "as in the files"),
}
TIES = {
    ties: Kind(
        "with ties that touch a judged document",
        of_many=f"ties that touch a judged document in up to {{things}}, ordered {of_many}",
    )
    for ties, (_, of_many) in ORDERED.items()
}
UNJUDGED = Kind("without judgments, ignored")
MISSING = {
    "zero": Kind("missing, scored 0 (their intervals mean nothing)", "judged topic"),
    "drop": Kind("missing, dropped", "judged topic"),
}
MISSING_WITHOUT_INTERVALS = {**MISSING, "zero": Kind("missing, scored 0", "judged topic")}
NOT_SCORED = {"zero": Kind("missing, scored 0"), "drop": Kind("missing, dropped")}
EXTRA_FIELDS = Kind("with more than six fields, the rest ignored", "line")


@dataclass(frozen=True)
class Inputs:
    """The files and the options that say what of them is used, under their names on the command line.

    `files`: QRELS and RUNs, or with `scores` files of scores. `other_qrels`: others' judgments of the same topics. `progress`
    shows how far what takes long is. `collection`: the name that saved scores are given. `memory`: what of these are no paths
    but stand for something else.
    """

    files: tuple[str, ...] = ()
    runs_from: str | None = None
    scores: bool = False
    scores_format: ScoresFormat | None = None
    save_scores: str | None = None
    collection: str | None = None
    standardise: Standardisation | None = None
    relevance_level: int = 1
    max_grade: int | None = None
    depth: int | None = None
    judged_only: bool = False
    ties: Ties = "docno"
    topics: str | None = None
    missing: Missing = "zero"
    no_relevant: NoRelevant = "zero"
    names: Names = "tag"
    other_qrels: tuple[str, ...] = ()
    threads: int = 1
    progress: Progress = as_they_are
    memory: Memory = field(default_factory=lambda: NOTHING)

    def read_qrels(self, path: str) -> Qrels:
        """The judgments of this name, from memory or a file."""
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            return qrels_of(path, documents)
        return read_qrels(*file_and_content(path, self.memory))

    def read_run(self, path: str) -> tuple[str, Run]:
        """The run of this name, from memory or a file, and what it is called."""
        name = self.memory[path].name if path in self.memory else None
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            run = run_of(path, documents, self.ties)
        else:
            file, content = file_and_content(path, self.memory)
            run = read_run(file, self.threads, self.ties, content)
        return name or _name_of(path, run, self.names), run

    def signature(self) -> dict[str, Any]:
        """What of the judgments and runs changes a digit."""
        names = (
            "relevance_level",
            "max_grade",
            "depth",
            "judged_only",
            "ties",
            "topics",
            "missing",
            "no_relevant",
            "names",
        )
        return {name: getattr(self, name) for name in names}

    def paths(self) -> list[str]:
        """The files named on the command line and by --runs-from; standard input may stand for one file only."""
        try:
            listed = [] if self.runs_from is None else [text(line) for line in read_lines(self.runs_from)]
        except FileNotFoundError:
            raise FormatError.whole_file(str(self.runs_from), "no such file or directory") from None
        paths = [*self.files, *listed]
        if [self.runs_from, file_of_topics(self.topics), *paths, *self.other_qrels].count(STDIN) > 1:
            raise DataError("standard input (-) can be read only once")
        return paths

    def asked_for(self, topics: Sequence[str], path: str, present: str) -> Bools:
        """Which of the topics are asked for: all unless --topics says otherwise; some must be `present`."""
        if self.topics is None:
            return np.ones(len(topics), np.bool_)
        chosen = {text(topic) for topic in read_topics(self.topics)}
        warn_of_topics(path, f"asked for but not {present}", sorted(chosen - set(topics)))
        keep = np.array([topic in chosen for topic in topics], np.bool_)
        if not keep.any():
            hint = ""
            if file_of_topics(self.topics) is None and os.path.exists(self.topics):
                hint = f"; --topics {self.topics} is a list of topics: to read the file write @{self.topics}"
            raise DataError(f"{path}: none of the topics asked for is {present}{hint}")
        return keep


@dataclass(frozen=True)
class Judge:
    """Somebody's judgments: the file, all that is in it, and what of it is used."""

    path: str
    whole: Qrels
    qrels: Qrels

    @classmethod
    def read(cls, inputs: Inputs, path: str) -> "Judge":
        """All judgments of this name."""
        qrels = inputs.read_qrels(path)
        return cls(path, qrels, qrels)

    def only(self, keep: Bools) -> "Judge":
        """The judgments of the topics where bool[T] `keep` is true."""
        return replace(self, qrels=self.qrels.only(keep))


@dataclass
class ExperimentRun:
    """One run of an experiment: its lines, what of them is judged, and bool[T] the topics that count for it."""

    name: str
    path: str
    run: Run
    judged: JudgedRun
    lists: RunLists
    kept: Bools

    def scores(self, measure: Measure) -> Floats:
        """float64[T]: its score on each topic; nan where a topic does not count."""
        return np.where(self.kept, measure.scores(self.lists.at(measure.level)), np.nan)

    def let_go(self) -> None:
        """Forget everything: memory is for one run at a time."""
        self.__dict__.clear()


class Experiment:
    """Judgments, and the runs to be read one after the other: `for run in experiment.runs()`.

    `topics` and `keys` uint64[T]: the topics' names and stream keys.
    """

    def __init__(
        self, inputs: Inputs, measures: Sequence[Measure], judge: "Judge | None" = None, *, with_intervals: bool = True
    ) -> None:
        """Read the judgments, or take this judge's; those refused that one of the measures to be scored cannot do with.

        `with_intervals`: whether topics may have intervals; those of missing topics mean nothing, and topics without relevant
        documents have none.
        """
        self.inputs, self._with_intervals = inputs, with_intervals
        path, *self.paths = inputs.paths()
        if not self.paths:
            raise UsageError("only QRELS given: add RUNs, or --scores if this is a file of scores.")
        judge = judge or Judge.read(inputs, path)
        self.qrels_path, self._whole_qrels = judge.path, judge.whole
        without = "given no interval, but counted" if with_intervals else "counted"
        self.collection = _collection(inputs, judge.qrels, self.qrels_path, measures, without)
        self.topics = [text(topic) for topic in self.qrels.topics]
        self.keys = topic_keys(self.qrels.topics)
        self._check_grades(measures)
        self.judgments = JudgmentsByLevel(self.qrels, inputs.relevance_level, inputs.max_grade, self._warn_of_level)
        self.notices = Notices()

    @property
    def qrels(self) -> Qrels:
        """The judgments of the topics that are used."""
        return self.collection.qrels

    def runs(self) -> Iterator[ExperimentRun]:
        """Read, judge and give away one run after the other; each is forgotten when the next one is asked for."""
        for path, name, run in self.read():
            whole = self.judged(path, name, run)
            del run
            yield whole
            whole.let_go()
        self.notices.tell()

    def judged(self, path: str, name: str, run: Run) -> ExperimentRun:
        """A run with what of it is judged; refused if that is nothing."""
        judged = self.judge(run)
        if judged.missing.all():
            first = text(run.topics[0])
            hint = f"; {OF_SCORES}" if is_measure(first) else ""
            raise DataError(f"{path}: none of its {len(run.topics)} topics is judged (topic {first}, ...){hint}")
        self.check_documents(path, run, len(judged.rows))
        self._check_missing(path, judged)
        self.notice(path, run, judged)
        return ExperimentRun(name, path, run, judged, self.judgments.of_run(judged), self._kept(judged))

    def relevance(self, measure: Measure) -> Relevance:
        """What of the judgments a measure sees."""
        return measure.relevance(self.qrels, self.inputs.relevance_level, self.inputs.max_grade)

    def read(self) -> Iterator[tuple[str, str, Run]]:
        """Read run files one after the other as (path, name, run); no two of a name."""
        path_of: dict[str, str] = {}
        for path in self.inputs.progress(self.paths, "run"):
            heed()
            name, run = self.inputs.read_run(path)
            if name in path_of:
                other = " (--names file names runs by their files)" if self.inputs.names == "tag" else ""
                raise DataError(f"{path_of[name]} and {path} are both named {name!r}{other}")
            path_of[name] = path
            yield path, name, run
            del run  # before the next one is read, as those do who are given it

    def judge(self, run: Run) -> JudgedRun:
        """What a run retrieves of what is judged."""
        inputs = self.inputs
        return judge(self.collection, run, inputs.depth, inputs.threads, judged_only=inputs.judged_only)

    def check_documents(self, path: str, run: Run, found: int) -> None:
        """Refuse a run of which no document is judged, however deep, on any topic of the qrels: its docnos are others.

        `found`: how many judged documents it has among those that are used.
        """
        if found or len(judge(Collection.of(self._whole_qrels), run).rows):
            return
        known = set(self._whole_qrels.topics)
        group = next((group for group, topic in enumerate(run.topics) if topic in known), 0)
        retrieved = run.docnos.take(run.lines[run.offsets[group] : run.offsets[group] + 1])
        own, judged = (text(next(docnos.texts())) for docnos in (retrieved, self._whole_qrels.docnos))
        raise DataError(
            f"{path}: none of its documents is judged; are docnos spelled differently?"
            f" (docno {own} of {path}; docno {judged} of {self.qrels_path})"
        )

    def notice(self, run_name: str, run: Run, judged: JudgedRun) -> None:
        """Where ties decide, and what of the lines was not read."""
        tied = where(self.topics, judged.tied > 0)
        ties = self.inputs.ties
        self.notices.add(run_name, TIES[ties], tied, f" ({judged.tied.sum()} of these; ordered {ORDERED[ties][0]})")
        self.notices.count(run_name, EXTRA_FIELDS, run.lines_with_extra_fields)

    def scores(self, measures: Sequence[Measure]) -> Scores:
        """The scores of all runs; nan where a topic does not count."""
        values: dict[str, list[Floats]] = {measure.name: [] for measure in measures}
        names = []
        for run in self.runs():
            names.append(run.name)
            for measure in measures:
                values[measure.name].append(run.scores(measure))
        return Scores(names, self.topics, {name: np.array(of_runs) for name, of_runs in values.items()})

    def _check_grades(self, measures: Sequence[Measure]) -> None:
        """Refuse grades beyond what gains 2^grade - 1 are computed of, or beyond the scale's end."""
        names = [measure.name for measure in measures if measure.family.exponential]
        limit = self.inputs.max_grade or HIGHEST_EXPONENT
        highest = self.qrels.highest_grade
        if not names or highest <= limit:
            return
        first = int(np.argmax(self.qrels.grade))
        topic = owners(self.qrels.offsets)[first]
        of_topic = f" of topic {self.topics[topic]}" if self.qrels.grade[first] == highest else ""
        what = "--max-grade is" if self.inputs.max_grade else "gains 2^grade - 1 are computed up to grade"
        raise DataError(f"{self.qrels_path}: grade {highest}{of_topic}, but {what} {limit} ({', '.join(names)})")

    def _warn_of_level(self, level: int, judgments: Judgments) -> None:
        """Say which topics have no relevant documents at a measure's own level: --no-relevant is about -l's."""
        if level > self.inputs.relevance_level:
            relevant = Judgments.of(self.qrels, self.inputs.relevance_level).relevant
            without = where(self.topics, (judgments.relevant == 0) & (relevant > 0))
            happens = f"without documents of grade {level}, scored 0 by measures with rel={level}"
            warn_of_topics(self.qrels_path, happens, without)

    def _kept(self, judged: JudgedRun) -> Bools:
        return ~judged.missing if self.inputs.missing == "drop" else np.ones(len(judged.missing), np.bool_)

    def _check_missing(self, path: str, judged: JudgedRun) -> None:
        """Notice which topics are missing and which are not judged, or refuse the run."""
        missing = where(self.topics, judged.missing)
        if self.inputs.missing != "error":
            kinds = MISSING if self._with_intervals else MISSING_WITHOUT_INTERVALS
            self.notices.add(path, kinds[self.inputs.missing], missing)
        elif missing:
            raise DataError(
                f"{path}: {plural(len(missing), 'judged topic')} missing (--missing error): {missing[0]} ..."
            )
        if self.inputs.topics is None and self.inputs.no_relevant == "zero":
            known = set(self._whole_qrels.topics)
            self.notices.add(path, UNJUDGED, [text(topic) for topic in judged.unknown_topics if topic not in known])


def _collection(inputs: Inputs, qrels: Qrels, path: str, measures: Sequence[Measure], without: str) -> Collection:
    """The judgments of the topics asked for; what becomes of topics without relevant documents in these measures is told."""
    if inputs.topics is not None:
        qrels = qrels.only(inputs.asked_for([text(topic) for topic in qrels.topics], path, "judged"))
    relevant = Relevance.binary(qrels, inputs.relevance_level).num_relevant
    if inputs.no_relevant == "drop" and not relevant.any():
        raise DataError(f"{path}: no topic has relevant documents")
    others = [measure.name for measure in measures if measure.may_score_without(inputs.relevance_level)]
    counted = "" if others and len(others) == len(measures) else " as 0"
    but = f" (not by {first_few(others)})" if others and counted else ""
    what = f"{without} in means{counted}{but}" if inputs.no_relevant == "zero" else "dropped"
    lacking = where([text(topic) for topic in qrels.topics], relevant == 0)
    warn_of_topics(path, f"without relevant documents, {what}", lacking)
    return Collection.of(qrels.only(relevant > 0) if inputs.no_relevant == "drop" else qrels)


def _name_of(path: str, run: Run, names: Names) -> str:
    if names == "file":
        return file_name(path)
    if run.other_tag_line is not None:
        raise DataError(
            f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
            " --names file names the run by its file"
        )
    return text(run.tag)


def refuse_no_scores(measures: Sequence[Measure]) -> None:
    """Refuse measures that are no score of single topics averaged as it is: counts, means of logits and of logarithms."""
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise UsageError(f"{', '.join(wrong)}: not a mean of scores of topics, which this command needs")


def scores_of(
    inputs: Inputs, measures: Sequence[Measure], *, standardise: bool = True
) -> tuple[Scores, dict[str, str]]:
    """The scores of all runs, from runs or from files of scores, completed as --missing says and standardised if asked for;
    and what --save-scores writes: a file's path and text."""
    refuse_no_scores(measures)
    table = score_files(inputs, measures) if inputs.scores else _scores_of_runs(inputs, measures or [MAP])
    saved = files_of(inputs, table)
    if standardise and inputs.standardise is not None:
        table = standardised_scores(table, inputs.standardise)
    return table, saved


def _scores_of_runs(inputs: Inputs, measures: Sequence[Measure]) -> Scores:
    return Experiment(inputs, measures).scores(measures)


def files_of(inputs: Inputs, table: Scores) -> dict[str, str]:
    """What --save-scores writes, with the name of the collection if it has one."""
    if inputs.save_scores is None:
        return {}
    return {inputs.save_scores: saved_text(replace(table, collection=inputs.collection or table.collection))}


class SeveralCollections(DataError):
    """Scores of several collections, `tables`, where those of one are expected."""

    def __init__(self, where: str, tables: Sequence[Scores]) -> None:
        names = first_few([str(table.collection) for table in tables])
        super().__init__(
            f"{where}: scores of {len(tables)} collections ({names}): this is done for one at a time (means and"
            " differences by map-ci can be over several)"
        )
        self.tables = tables


def score_files(inputs: Inputs, measures: Sequence[Measure], *, complete: bool = True) -> Scores:
    """Read score files of one collection; keep the topics and, if any is named, the measures asked for; say how each file
    was read. Raises SeveralCollections for those of more, of which topics are not mixed.

    `complete`: missing scores become what --missing says.
    """
    tables = read_tables(inputs, measures)
    if len(tables) > 1:
        raise SeveralCollections(", ".join(inputs.paths()), tables)
    return chosen_scores(inputs, tables[0], measures, complete=complete)


def read_tables(inputs: Inputs, measures: Sequence[Measure]) -> list[Scores]:
    """All that is in score files, a table a collection, as it is (see `chosen_scores`); say how each file was read.

    `measures`: if one is asked for, that is what a matrix holds.
    """
    name = measures[0].name if len(measures) == 1 else None
    tables, recognised = read_scores(inputs.paths(), inputs.scores_format, name, inputs.memory)
    for path, form in recognised:
        logger.info(f"{path}: read as {form}")
    return tables


def chosen_scores(inputs: Inputs, table: Scores, measures: Sequence[Measure], *, complete: bool = True) -> Scores:
    """Of one collection's scores the topics and, if any is named, the measures asked for.

    `complete`: missing scores become what --missing says.
    """
    values = table.values
    wanted = {measure.name for measure in measures} or set(values)
    if not wanted <= set(values):
        raise DataError(f"no scores of {', '.join(sorted(wanted - set(values)))}; there are {', '.join(values)}")
    keep = inputs.asked_for(table.topics, ", ".join(inputs.paths()), "there")
    chosen = {name: values[name][:, keep] for name in values if name in wanted}
    scores = replace(table, topics=where(table.topics, keep), values=chosen)
    return completed(scores, inputs.missing) if complete else scores


def completed(scores: Scores, missing: Missing) -> Scores:
    """The missing scores of each run as --missing says: 0, or still nan for what is dropped."""
    absent = np.asarray(np.isnan(list(scores.values.values())).any(axis=0))
    notices = Notices()
    for run, lacking in zip(scores.runs, absent, strict=True):
        topics = where(scores.topics, lacking)
        who = run if scores.collection is None else f"{run} in {scores.collection}"
        if missing != "error":
            notices.add(who, NOT_SCORED[missing], topics)
        elif topics:
            raise DataError(f"{who}: {plural(len(topics), 'topic')} missing (--missing error): {topics[0]} ...")
    notices.tell()
    if missing == "drop":
        return scores
    return replace(scores, values={name: np.nan_to_num(values) for name, values in scores.values.items()})


def standardised_scores(scores: Scores, kind: Standardisation) -> Scores:
    """Every measure standardised over the runs, under a name that says so.

    A measure drops the topics that some run lacks, and those on which all runs score the same.
    """
    if len(scores.runs) < 2:
        raise DataError("to standardise scores, give at least two runs")
    values = {}
    # By name: the order of runs makes no difference, not even in the last bit.
    order = places_by_name(scores.runs)
    for name, given in scores.values.items():
        relative = standardised(given, *reference_factors(given[order]), kind)
        values[f"{name}_{kind}" if kind == "z" else f"{name}_std_{kind}"] = relative
        lacking = np.asarray(np.isnan(given).any(axis=0))
        same = np.asarray(np.isnan(relative).all(axis=0)) & ~lacking
        warn_of_topics(name, "that some run lacks, dropped", where(scores.topics, lacking))
        warn_of_topics(name, "on which all runs score the same, dropped", where(scores.topics, same))
        if (lacking | same).all():
            raise DataError(f"{name}: no topic is left to standardise")
    return replace(scores, values=values)


def where(topics: Sequence[str], chosen: Bools) -> list[str]:
    """The topics chosen."""
    return [topic for topic, is_chosen in zip(topics, chosen.tolist(), strict=True) if is_chosen]
