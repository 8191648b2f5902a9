"""Reading what a command is asked to read, and saying what in it was not as a careful reader would expect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irci.cli.console import inform, plural, warn, warn_of_topics, with_progress
from irci.data.collection import Collection, JudgedRun, Relevance, judge
from irci.data.measures import Judgments, Measure
from irci.data.names import STDIN, file_name, places_by_name, raw, text
from irci.data.scores import Scores, read_scores
from irci.data.text_files import read_lines
from irci.data.trec_files import Run, read_qrels, read_run
from irci.errors import DataError, FormatError
from irci.stats.standardisation import reference_factors, standardised


@dataclass(frozen=True)
class Inputs:
    """The options that say what of the input is used, under their names on the command line."""

    relevance_level: int = 1
    max_grade: int | None = None
    depth: int | None = None
    topics: str | None = None
    missing: str = "zero"
    no_relevant: str = "zero"
    names: str = "tag"
    threads: int = 1
    quiet: bool = False

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> "Inputs":
        """Those among the options of a command, which are taken out of it."""
        return cls(**{field.name: options.pop(field.name) for field in fields(cls)})

    def signature(self) -> dict[str, Any]:
        """What of it changes a digit."""
        return {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("quiet", "threads")
        }

    def collection(self, path: str) -> Collection:
        """Read the judgments and keep the topics asked for."""
        qrels = read_qrels(path)
        if self.topics is not None:
            qrels = qrels.only(self._asked_for([text(topic) for topic in qrels.topics], path, "judged"))
        relevant = Relevance.binary(qrels, self.relevance_level).counts.sum(axis=1)
        if self.no_relevant == "drop" and not relevant.any():
            raise DataError(f"{path}: no topic has relevant documents")
        what = "scored 0 and given no interval" if self.no_relevant == "zero" else "dropped"
        self._warn_of_topics(path, f"without relevant documents, {what}", where(qrels.topics, relevant == 0))
        return Collection.of(qrels.only(relevant > 0) if self.no_relevant == "drop" else qrels)

    def read(self, paths: Sequence[str]) -> Iterator[tuple[str, str, Run]]:
        """Read run files one after the other as (path, name, run); no two of a name."""
        path_of: dict[str, str] = {}
        for path in with_progress(paths, "run"):
            run = read_run(path, self.threads)
            if self.names == "tag" and run.other_tag_line is not None:
                raise DataError(
                    f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                    " --names file names the run by its file"
                )
            name = file_name(path) if self.names == "file" else text(run.tag)
            if name in path_of:
                other = " (--names file names runs by their files)" if self.names == "tag" else ""
                raise DataError(f"{path_of[name]} and {path} are both named {name!r}{other}")
            path_of[name] = path
            yield path, name, run
            del run  # before the next one is read, as those do who are given it: memory is for one run

    def runs(self, collection: Collection, paths: Sequence[str]) -> Iterator[tuple[str, Run, JudgedRun]]:
        """Read runs one after the other as (name, run, what of it is judged)."""
        for path, name, run in self.read(paths):
            judged = judge(collection, run, self.depth, self.threads)
            if judged.missing.all():
                first = text(run.topics[0])
                raise DataError(f"{path}: none of its {len(run.topics)} topics is judged (topic {first}, ...)")
            self._check_missing(path, collection, judged)
            self.check_run(path, collection, judged, run)
            yield name, run, judged
            del run, judged

    def kept(self, judged: JudgedRun) -> NDArray[np.bool_]:
        """bool[T]: the topics that count for a run: all, or those it has."""
        return ~judged.missing if self.missing == "drop" else np.ones(len(judged.missing), np.bool_)

    def scored(self, qrels: str, paths: Sequence[str], measures: Sequence[Measure]) -> Scores:
        """Read judgments and runs, and score every run; nan where a topic does not count."""
        if not paths:
            raise DataError("QRELS alone: runs are needed, or --scores")
        collection = self.collection(qrels)
        judgments = Judgments.of(collection.qrels, self.relevance_level, self.max_grade)
        values: dict[str, list[NDArray[np.float64]]] = {measure.name: [] for measure in measures}
        names = []
        for name, run, judged in self.runs(collection, paths):
            lists, kept = judgments.of_run(judged), self.kept(judged)
            names.append(name)
            for measure in measures:
                values[measure.name].append(np.where(kept, measure.scores(lists), np.nan))
            del run, judged
        topics = [text(topic) for topic in collection.qrels.topics]
        return Scores(names, topics, {name: np.array(of_runs) for name, of_runs in values.items()})

    def scores(self, paths: Sequence[str], scores_format: str | None, measures: Sequence[Measure]) -> Scores:
        """Read score files; keep the topics and, if any is named, the measures asked for; say how each file was read."""
        name = measures[0].name if len(measures) == 1 else None
        table, recognised = read_scores(paths, scores_format, name)
        if not self.quiet:
            for path, form in recognised:
                inform(f"{path}: read as {form}")
        values = table.values
        wanted = {measure.name for measure in measures} or set(values)
        if not wanted <= set(values):
            raise DataError(f"no scores of {', '.join(sorted(wanted - set(values)))}; there are {', '.join(values)}")
        keep = self._asked_for(table.topics, ", ".join(paths), "there")
        chosen = {name: values[name][:, keep] for name in values if name in wanted}
        return Scores(table.runs, where_text(table.topics, keep), chosen)

    def filled(self, scores: Scores) -> Scores:
        """The missing scores of each run as --missing says: 0, or still nan for what is dropped."""
        absent = np.asarray(np.isnan(list(scores.values.values())).any(axis=0))
        for run, missing in zip(scores.runs, absent, strict=True):
            topics = where_text(scores.topics, missing)
            if topics and self.missing == "error":
                raise DataError(f"{run}: {plural(len(topics), 'topic')} missing (--missing error): {topics[0]} ...")
            self._warn_of_topics(run, "missing, " + ("scored 0" if self.missing == "zero" else "dropped"), topics)
        if self.missing == "drop":
            return scores
        return Scores(
            scores.runs, scores.topics, {name: np.nan_to_num(values) for name, values in scores.values.items()}
        )

    def standardised(self, scores: Scores, kind: str) -> Scores:
        """Every measure standardised over the runs, under a name that says so.

        A measure drops the topics that some run lacks, and those on which all runs score the same.
        """
        if len(scores.runs) < 2:
            raise DataError("to standardise scores takes at least two runs")
        values = {}
        # By name: the order of runs makes no difference, not even in the last bit.
        order = places_by_name(scores.runs)
        for name, given in scores.values.items():
            relative = standardised(given, *reference_factors(given[order]), kind)
            values[f"{name}_{kind}" if kind == "z" else f"{name}_std_{kind}"] = relative
            lacking = np.asarray(np.isnan(given).any(axis=0))
            same = np.asarray(np.isnan(relative).all(axis=0)) & ~lacking
            self._warn_of_topics(name, "that some run lacks, dropped", where_text(scores.topics, lacking))
            self._warn_of_topics(name, "on which all runs score the same, dropped", where_text(scores.topics, same))
            if (lacking | same).all():
                raise DataError(f"{name}: no topic is left to standardise")
        return Scores(scores.runs, scores.topics, values)

    def _asked_for(self, topics: Sequence[str], path: str, present: str) -> NDArray[np.bool_]:
        """Which of the topics are asked for: all unless --topics says otherwise; some must be `present`."""
        if self.topics is None:
            return np.ones(len(topics), np.bool_)
        chosen = {text(topic) for topic in read_topics(self.topics)}
        self._warn_of_topics(path, f"asked for but not {present}", sorted(chosen - set(topics)))
        keep = np.array([topic in chosen for topic in topics], np.bool_)
        if not keep.any():
            raise DataError(f"{path}: none of the topics asked for is {present}")
        return keep

    def _check_missing(self, path: str, collection: Collection, judged: JudgedRun) -> None:
        """Say which topics are missing and which are not judged, or refuse the run."""
        missing = where(collection.qrels.topics, judged.missing)
        if missing and self.missing == "error":
            raise DataError(
                f"{path}: {plural(len(missing), 'judged topic')} missing (--missing error): {missing[0]} ..."
            )
        what = "scored 0 (their intervals mean nothing)" if self.missing == "zero" else "dropped"
        self._warn_of_topics(path, f"missing, {what}", missing, "judged ")
        if self.topics is None and self.no_relevant == "zero":
            unknown = [text(topic) for topic in judged.unknown_topics]
            self._warn_of_topics(path, "without judgments, ignored", unknown)

    def check_run(self, path: str, collection: Collection, judged: JudgedRun, run: Run) -> None:
        """Say where ties decide, and what of the lines was not read."""
        ties = f"with ties that touch a judged document ({judged.tied.sum()} of these; ordered by docno, as trec_eval)"
        self._warn_of_topics(path, ties, where(collection.qrels.topics, judged.tied > 0))
        if run.lines_with_extra_fields and not self.quiet:
            warn(f"{path}: {plural(run.lines_with_extra_fields, 'line')} with more than six fields, the rest ignored")

    def _warn_of_topics(self, what: str, happens: str, topics: Sequence[str], kind: str = "") -> None:
        if not self.quiet:
            warn_of_topics(what, happens, topics, kind)


def run_files(runs: Sequence[str], runs_from: str | None, qrels: str) -> list[str]:
    """The run files named on the command line and in a file; standard input may stand for one file only."""
    try:
        listed = [] if runs_from is None else [text(line) for line in read_lines(runs_from)]
    except FileNotFoundError:
        raise FormatError.whole_file(str(runs_from), "no such file or directory") from None
    paths = [*runs, *listed]
    if [qrels, runs_from, *paths].count(STDIN) > 1:
        raise DataError("standard input (-) can be read only once")
    return paths


def read_topics(chosen: str) -> set[bytes]:
    """The topics in a file, one a line, or else in a list with commas."""
    try:
        return set(read_lines(chosen))
    except FileNotFoundError:
        return {topic.strip() for topic in raw(chosen).split(b",")}


def where(topics: Sequence[bytes], chosen: NDArray[np.bool_]) -> list[str]:
    """The topics chosen, as they are printed."""
    return where_text([text(topic) for topic in topics], chosen)


def where_text(topics: Sequence[str], chosen: NDArray[np.bool_]) -> list[str]:
    """The topics chosen."""
    return [topic for topic, is_chosen in zip(topics, chosen.tolist(), strict=True) if is_chosen]
