"""Inputs: the files named, the options that say what of them is used, and how each is read; and the files that each of several
collections is made of, as a list says, or a folder.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base import (
    OF_COLLECTIONS,
    STDIN,
    DataError,
    Record,
    file_name,
    first_few,
    first_names,
    is_list,
    logger,
    plural,
    raw,
    stem,
    text,
)
from irci.base.choices import Duplicates, Missing, Names, NoRelevant, Standardisation, Ties
from irci.base.types import Bools, Ends, ProgressBar, as_they_are, gathered
from irci.data import text_files
from irci.data.file_bytes import pipe_at, tag_of
from irci.data.notices import warn_of_topics
from irci.data.ranking_files import read_qrels, read_run
from irci.data.rankings import Qrels, Run, judgments_digest
from irci.data.receipts import kept
from irci.wording import notify

LIKELY = 10  # a fraction above is rather the score of a run than a grade


class Inputs(Record):
    """The files and the options that say what of them is used, under their names on the command line.

    `files`: QRELS and RUNs, or with `scores` files of scores. `other_qrels`: others' judgments of the same topics; `levels`:
    their lowest relevant grades by path, None where they have none of their own. `range`: the ends of their measures' scales,
    if they are said. `level_elsewhere`: another collection has grades as high as `relevance_level`. `settled`: the scores to
    which the runs were settled before, whose topics and runs alone count. `memory`: what of these are no paths but stand for
    something else. `baseline_first`: runs of `scores` are compared with that of the first file. `prefix`: what the names of
    runs' files begin with, which is no part of a run's name. `by_file`: paths of runs that are named by their files, as
    others have their tags. `measures_apart`: measures by which other runs are missing are to be asked for apart.
    `by_intent`: the second column of qrels is the intent (`irci.data.ranking_files`). `fractions`: grades need not be whole.
    """

    files: tuple[str, ...] = ()
    scores: bool = False
    save_scores: str | None = None
    range: Ends | None = None
    standardise: Standardisation | None = None
    relevance_level: Any = 1  # a whole number, or with `fractions` any
    level_elsewhere: bool = False
    max_grade: int | None = None
    depth: int | None = None
    judged_only: bool = False
    ignore_identical_ids: bool = False
    ties: Ties = "docno"
    duplicates: Duplicates = "error"
    topics: str | None = None
    missing: Missing = "auto"
    by_intent: bool = False
    fractions: bool = False
    measures_apart: bool = False
    settled: Any = None
    baseline_first: bool = False
    no_relevant: NoRelevant = "zero"
    names: Names | None = None
    by_file: frozenset[str] = frozenset()
    other_qrels: tuple[str, ...] = ()
    levels: Mapping[str, int | None] = {}
    threads: int = 1
    progress: ProgressBar = as_they_are
    prefix: str = ""
    memory: text_files.Memory = text_files.NOTHING

    def read_qrels(self, path: str) -> Qrels:
        digest = None
        if self.by_intent:
            from irci.data.ranking_files import read_by_intent  # only for these

            if path in self.memory and isinstance(self.memory[path].content, text_files.Documents):
                raise DataError(f"{path}: judgments by intent are read from a file")
            qrels, digest = read_by_intent(*text_files.file_and_content(path, self.memory))
        elif path in self.memory and isinstance(documents := self.memory[path].content, text_files.Documents):
            from irci.data import in_memory  # only for these

            qrels = in_memory.qrels_of(path, documents, fractions=self.fractions)
        else:
            path, content = text_files.file_and_content(path, self.memory)
            qrels = read_qrels(path, content, fractions=self.fractions)
        if qrels.grade.dtype.kind == "f" and (highest := qrels.grade.max()) > LIKELY:
            notify("large_fractions", qrels=path, highest=float(highest))
        if (receipts := kept()) is not None:
            receipts.add_judgments(path, digest or judgments_digest(qrels))
        return qrels

    def level_of(self, path: str) -> Any:
        """The lowest relevant grade of others' judgments."""
        level = self.levels.get(path)
        return self.relevance_level if level is None else level

    @property
    def levels_told(self) -> str:
        """The lowest relevant grades of others' judgments, in their order."""
        return " ".join(str(self.level_of(path)) for path in self.other_qrels)

    def name_of_judge(self, path: str) -> str:
        """The name that judgments are given by, else that of their file."""
        return (path in self.memory and self.memory[path].name) or file_name(path)

    def read_run(self, path: str) -> tuple[str, Run]:
        if path in self.memory and isinstance(documents := self.memory[path].content, text_files.Documents):
            from irci.data import in_memory

            run = in_memory.run_of(path, documents, self.ties, self.duplicates)
        else:
            file, content = text_files.file_and_content(path, self.memory)
            run = read_run(file, self.threads, self.ties, content, self.duplicates)
        if path in self.memory and (name := self.memory[path].name):
            return name, run
        if not run.tag:
            return self._without_prefix(stem(path)), run
        if self.names == "file" or path in self.by_file:
            return self._without_prefix(file_name(path)), run
        if run.other_tag_line is not None:
            raise DataError(
                f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                " --names file names the run by its file"
            )
        return text(run.tag), run

    def with_names_apart(self, paths: Sequence[str]) -> "Inputs":
        """The same with TREC runs that share a tag named by their files, unless --names is given; one file twice is told of
        where it is read."""
        if self.names is not None or len(paths) < 2:
            return self
        tags = [(tag_of(path), path) for path in paths if path not in self.memory]
        by_tag = gathered((tag, path) for tag, path in tags if tag)
        shared = {tag: same for tag, same in by_tag.items() if len({*map(os.path.realpath, same)}) == len(same) > 1}
        for tag, same in shared.items() if self.settled is None else ():
            names = first_few([self._without_prefix(file_name(path)) for path in same])
            logger.info(f"{len(same)} runs have the tag {tag!r}, and are named by their files: {names}")
        return self._replace(by_file=frozenset(path for same in shared.values() for path in same))

    def _without_prefix(self, name: str) -> str:
        return name.removeprefix(self.prefix) if f"{name}." != self.prefix else ALONE

    @property
    def has_only_scores(self) -> bool:
        """True if scores are compared of which no rankings are known, as files or standardisation give them."""
        return self.scores or self.standardise is not None

    def signature(self) -> dict[str, Any]:
        """The options about judgments and runs that change a digit."""
        names = "relevance_level max_grade depth judged_only ties topics missing no_relevant names"
        asked: dict[str, Any] = {"ignore_identical_ids": True} if self.ignore_identical_ids else {}
        asked |= {} if self.duplicates == "error" else {"duplicates": self.duplicates}
        return {name: getattr(self, name) for name in names.split()} | {"names": self.names or "tag"} | asked

    def paths(self) -> list[str]:
        """The files named on the command line, and in the lists among them; standard input may stand for one file only."""
        lists = [path[1:] for path in self.files if is_list(path) and path not in self.memory]
        paths = [file for path in self.files for file in (_listed_in(path[1:]) if path[1:] in lists else [path])]
        if [*lists, file_of_topics(self.topics), *paths, *self.other_qrels].count(STDIN) > 1:
            raise DataError("standard input (-) can be read only once")
        refuse_pipes_named_twice([*paths, *self.other_qrels])
        if not self.scores or not any(map(os.path.isdir, paths)):
            return paths
        from irci.data.model_results import files_in  # only for these

        # A folder of scores stands for the results in it.
        return [file for path in paths for file in (os.path.isdir(path) and files_in(path)) or [path]]

    @property
    def named(self) -> str:
        """The files in words, the first few if they are many."""
        return first_names(self.paths())

    def asked_for(self, topics: Sequence[str], path: str, present: str) -> Bools:
        """bool[T]: the topics that are asked for, all unless --topics says otherwise; some must be `present`."""
        if self.topics is None:
            return np.ones(len(topics), np.bool_)
        requested = read_topics(self.topics)
        warn_of_topics(path, f"asked for but not {present}", sorted(requested - set(topics)))
        keep = np.array([topic in requested for topic in topics], np.bool_)
        if not keep.any():
            hint = ""
            if file_of_topics(self.topics) is None and os.path.exists(self.topics):
                hint = f"; --topics {self.topics} is a list of topics: to read the file write @{self.topics}"
            elif re.fullmatch(r"\d+-\d+", self.topics):
                hint = f"; {self.topics} is the name of one topic, not a range: list topics with commas, or write @FILE"
            raise DataError(f"{path}: none of the topics asked for is {present}{hint}")
        return keep


ONLY_QRELS = "only QRELS given: add RUNs, or --scores if this is a file of scores. QRELS come first: {} RUN..."
ALONE = "run"  # the name of a run that has none of its own


def where(topics: Sequence[str], is_selected: Bools) -> list[str]:
    """The topics selected."""
    return [topic for topic, is_in in zip(topics, is_selected.tolist(), strict=True) if is_in]


def _listed_in(path: str) -> list[str]:
    return [os.path.join(os.curdir, file) if is_list(file) else file for file in map(text, text_files.read_lines(path))]


def file_of_topics(topics: str | None) -> str | None:
    """The file that --topics names: @FILE, a path with a slash in it, or standard input. Anything else is a list."""
    if topics is None:
        return None
    if topics.startswith("@"):
        return topics[1:]
    return topics if "/" in topics or topics == STDIN else None


def refuse_pipes_named_twice(paths: Sequence[str]) -> None:
    """Raise DataError for a named pipe that several paths lead to: what is read of it once is gone, and waited for then."""
    path_of_pipe: dict[tuple[int, int], str] = {}
    for path in paths:
        if pipe := pipe_at(path):
            if pipe in path_of_pipe:
                raise DataError(f"{path}: a pipe can be read only once, and {path_of_pipe[pipe]} is the same")
            path_of_pipe[pipe] = path


def read_topics(topics: str) -> set[str]:
    """The topics of a list with commas, or in a file, one a line. Raises FormatError if there is no such file."""
    path = file_of_topics(topics)
    if path is None:
        return {text(topic.strip()) for topic in raw(topics).split(b",")}
    return set(map(text, text_files.read_lines(path)))


MEAN = "all"  # what stands in the place of a collection's name where all are meant
QRELS = ("qrels.txt", "qrels/test.tsv")  # ours, and BEIR's; gzipped or not
RUNS = "runs"


class CollectionFiles(NamedTuple):
    """A collection: its name, and its files, which are qrels and runs or files of scores. `prefix`: what the names of its
    runs' files begin with, which is no part of a run's name."""

    name: str
    files: tuple[str, ...]
    prefix: str = ""


def read_collection_list(path: str, *, scores: bool) -> list[CollectionFiles]:
    """The collections of a file of lines (name, qrels, runs; with `scores` name and files of scores), or of a folder with
    NAME/qrels.txt or NAME/qrels/test.tsv and runs; at least two. Raises FormatError for what is neither."""
    collections = list(_of_folder(path)) if os.path.isdir(path) else _of_lines(path, scores)
    refuse_one([collection.name for collection in collections], path)
    return collections


def refuse_one(names: Sequence[str], where: str) -> None:
    """Raise DataError if there is but one collection, or one with the name of their mean."""
    for reserved in OF_COLLECTIONS:
        if reserved in names:
            raise DataError(f"{where}: a collection is called {reserved}, as the mean over collections is: rename it")
    if len(names) < 2:
        raise DataError(f"{where}: {plural(len(names), 'collection')}, where several are compared")


def _of_lines(path: str, scores: bool) -> list[CollectionFiles]:
    asks, fewest = ("name and files of scores", 2) if scores else ("name, qrels and runs", 3)
    folder = "" if path == STDIN else os.path.dirname(path)
    split = (
        (number, line.split("\t") if "\t" in line else text_files.fields_of(line))
        for number, line in text_files.read_text_lines(path)
    )
    records = ((number, [field.strip() for field in fields if field.strip()] or [""]) for number, fields in split)
    rows = text_files.table_of(
        path,
        records,
        lambda fields: None if len(fields) >= fewest else (f"{plural(len(fields), 'field')}, expected {asks}", ""),
        "collection {!r}",
    )
    return [
        CollectionFiles(name, tuple(path for file in files for path in _matching(os.path.join(folder, file))))
        for (name,), files in rows.items()
    ]


def _matching(path: str) -> list[str]:
    # The files that a pattern of the shell's stands for; a path stands for itself.
    from glob import glob  # takes time

    return [path] if os.path.lexists(path) else sorted(glob(path), key=os.fsencode) or [path]


def qrels_in(path: str) -> dict[str, str]:
    """The qrels of each collection of a folder, by name; those of a folder in it that is none itself are called NAME/PART, as
    CQADupstack's twelve."""
    qrels: dict[str, str] = {}
    for name in _folders_in(path):
        parts = (
            [name] if _qrels_of(path, name) else [f"{name}/{part}" for part in _folders_in(os.path.join(path, name))]
        )
        qrels |= {part: qrels_path for part in parts if (qrels_path := _qrels_of(path, part))}
    return qrels


def _of_folder(path: str) -> Iterator[CollectionFiles]:
    """The collections of a folder by name. What has no qrels is something else."""
    qrels = qrels_in(path)
    if not qrels:
        contents = first_few(_listed(path)) or "nothing"
        wanted = " or ".join(f"NAME/{qrels_name}" for qrels_name in QRELS)
        raise DataError(f"{path}: no {wanted} in this folder, which holds {contents}")
    for name, of_name in qrels.items():
        runs, prefix = _runs_of(path, name, qrels)
        yield CollectionFiles(name, (of_name, *runs), prefix)


def _qrels_of(path: str, name: str) -> str | None:
    files = (os.path.join(path, name, qrels_name + packed) for qrels_name in QRELS for packed in ("", ".gz"))
    return next(filter(os.path.isfile, files), None)


def _runs_of(path: str, name: str, names: Iterable[str]) -> tuple[list[str], str]:
    """The files of a collection's runs, those in NAME/runs, or called NAME.* in a folder runs beside it; and what their names
    begin with that is no part of a run's name. PART.* may lie in runs/NAME or in NAME/runs."""
    own = os.path.join(path, name, RUNS)
    if names_of_runs := _listed(own):
        return [os.path.join(own, run) for run in names_of_runs], ""
    above, _, last = name.rpartition("/")
    # a.b.run is of a.b, if there is such a collection, not of a.
    longer = tuple(
        f"{last}{other_name.removeprefix(name)}." for other_name in names if other_name.startswith(f"{name}.")
    )
    for folder in (os.path.join(path, RUNS, above), os.path.join(path, above, RUNS)):
        names_of_runs = [run for run in _listed(folder) if run.startswith(f"{last}.") and not run.startswith(longer)]
        if names_of_runs:
            return [os.path.join(folder, run) for run in names_of_runs], f"{last}."
    raise DataError(f"{own}: no runs of collection {name}, nor {os.path.join(path, RUNS, name)}.*")


def _folders_in(path: str) -> list[str]:
    return [name for name in _listed(path) if os.path.isdir(os.path.join(path, name))]


def _listed(path: str) -> list[str]:
    """The names in a folder, but hidden ones, bytewise; none if it is no folder."""
    names = os.listdir(path) if os.path.isdir(path) else []
    return sorted((name for name in names if not name.startswith(".")), key=os.fsencode)
