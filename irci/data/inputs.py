"""Inputs: the files named, the options that say what of them is used, and how each is read; and which files each of several
collections is made of, as a list or a folder says."""

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from irci.base.choices import Duplicates, Missing, Names, NoRelevant, ScoresFormat, Standardisation, Ties
from irci.base.errors import DataError, FormatError, UsageError
from irci.base.names import OF_COLLECTIONS, STDIN, file_name, plural, raw, stem, text
from irci.base.names import first_few as first
from irci.base.types import Bools, Ends, Progress, as_they_are
from irci.data.in_memory import qrels_of, run_of
from irci.data.notices import warn_of_topics
from irci.data.ranking_formats import read_qrels, read_run
from irci.data.rankings import Qrels, Run
from irci.data.text_files import (
    NOTHING,
    Documents,
    Memory,
    fields_of,
    file_and_content,
    read_lines,
    read_text_lines,
    table_of,
)


@dataclass(frozen=True)
class Inputs:
    """The files and the options that say what of them is used, under their names on the command line.

    `files`: QRELS and RUNs, or with `scores` files of scores. `other_qrels`: others' judgments of the same topics. `progress`
    shows how far what takes long is. `collection`: the name that saved scores are given. `scale`: what scores
    that are read are multiplied by; `range`: the ends of their measures' scales, if they are said. `level_elsewhere`: another
    collection has grades as high as `relevance_level`. `memory`: what of these are no paths
    but stand for something else.
    """

    files: tuple[str, ...] = ()
    runs_from: str | None = None
    scores: bool = False
    scores_format: ScoresFormat | None = None
    save_scores: str | None = None
    collection: str | None = None
    scale: float | None = None
    range: Ends | None = None
    standardise: Standardisation | None = None
    relevance_level: int = 1
    level_elsewhere: bool = False
    max_grade: int | None = None
    depth: int | None = None
    judged_only: bool = False
    ties: Ties = "docno"
    duplicates: Duplicates = "error"
    topics: str | None = None
    missing: Missing = "zero"
    no_relevant: NoRelevant = "zero"
    names: Names = "tag"
    other_qrels: tuple[str, ...] = ()
    threads: int = 1
    progress: Progress = as_they_are
    memory: Memory = field(default_factory=lambda: NOTHING)

    def read_qrels(self, path: str) -> Qrels:
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            return qrels_of(path, documents)
        return read_qrels(*file_and_content(path, self.memory))

    def name_of_judge(self, path: str) -> str:
        """The name that judgments are given by, else that of their file."""
        return (path in self.memory and self.memory[path].name) or file_name(path)

    def read_run(self, path: str) -> tuple[str, Run]:
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            run = run_of(path, documents, self.ties, self.duplicates)
        else:
            file, content = file_and_content(path, self.memory)
            run = read_run(file, self.threads, self.ties, content, self.duplicates)
        if path in self.memory and (name := self.memory[path].name):
            return name, run
        if not run.tag:
            return stem(path), run
        if self.names == "file":
            return file_name(path), run
        if run.other_tag_line is not None:
            raise DataError(
                f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                " --names file names the run by its file"
            )
        return text(run.tag), run

    @property
    def has_only_scores(self) -> bool:
        """True if scores are compared of which no rankings are known, as files or standardisation give them."""
        return self.scores or self.standardise is not None

    def signature(self) -> dict[str, Any]:
        """The options about judgments and runs that change a digit."""
        names = "relevance_level max_grade depth judged_only ties topics missing no_relevant names"
        duplicates = {} if self.duplicates == "error" else {"duplicates": self.duplicates}
        return {name: getattr(self, name) for name in names.split()} | duplicates | self.scaling()

    def scaling(self) -> dict[str, Any]:
        """What scores that are read are multiplied by, if they are."""
        return {} if self.scale is None else {"scale": self.scale}

    def topics_averaged(self, number: int) -> str:
        """The number of topics that means are over, in words: up to so many where each run has those that it is scored on."""
        return "up to " * (self.missing == "drop") + plural(number, "topic")

    def paths(self) -> list[str]:
        """The files named on the command line and by --runs-from; standard input may stand for one file only."""
        try:
            listed = [] if self.runs_from is None else [text(line) for line in read_lines(self.runs_from)]
        except FileNotFoundError:
            raise FormatError.whole_file(str(self.runs_from), "no such file or directory") from None
        paths = [*self.files, *listed]
        if [self.runs_from, file_of_topics(self.topics), *paths, *self.other_qrels].count(STDIN) > 1:
            raise DataError("standard input (-) can be read only once")
        refuse_pipes_named_twice([*paths, *self.other_qrels])
        return paths

    def asked_for(self, topics: Sequence[str], path: str, present: str) -> Bools:
        """bool[T]: the topics that are asked for, all unless --topics says otherwise; some must be `present`."""
        if self.topics is None:
            return np.ones(len(topics), np.bool_)
        chosen = read_topics(self.topics)
        warn_of_topics(path, f"asked for but not {present}", sorted(chosen - set(topics)))
        keep = np.array([topic in chosen for topic in topics], np.bool_)
        if not keep.any():
            hint = ""
            if file_of_topics(self.topics) is None and os.path.exists(self.topics):
                hint = f"; --topics {self.topics} is a list of topics: to read the file write @{self.topics}"
            elif re.fullmatch(r"\d+-\d+", self.topics):
                hint = f"; {self.topics} is the name of one topic, not a range: list topics with commas, or write @FILE"
            raise DataError(f"{path}: none of the topics asked for is {present}{hint}")
        return keep


def where(topics: Sequence[str], chosen: Bools) -> list[str]:
    """The topics chosen."""
    return [topic for topic, is_chosen in zip(topics, chosen.tolist(), strict=True) if is_chosen]


def file_of_topics(chosen: str | None) -> str | None:
    """The file that --topics names: @FILE, a path with a slash in it, or standard input. Anything else is a list."""
    if chosen is None:
        return None
    if chosen.startswith("@"):
        return chosen[1:]
    return chosen if "/" in chosen or chosen == STDIN else None


def refuse_pipes_named_twice(paths: Sequence[str]) -> None:
    """Raise DataError for a named pipe that several paths lead to: what is read of it once is gone, and waited for then."""
    found: dict[tuple[int, int], str] = {}
    for path in paths:
        with suppress(OSError, ValueError):
            status = os.stat(path)
            if stat.S_ISFIFO(status.st_mode):
                pipe = status.st_dev, status.st_ino
                if pipe in found:
                    raise DataError(f"{path}: a pipe can be read only once, and {found[pipe]} is the same")
                found[pipe] = path


def read_topics(chosen: str) -> set[str]:
    """The topics of a list with commas, or in a file, one a line. Raises FormatError if there is no such file."""
    path = file_of_topics(chosen)
    if path is None:
        return {text(topic.strip()) for topic in raw(chosen).split(b",")}
    try:
        return set(map(text, read_lines(path)))
    except FileNotFoundError:
        raise FormatError.whole_file(path, "no such file or directory") from None


MEAN = "all"  # what stands in the place of a collection's name where all are meant
QRELS = ("qrels.txt", "qrels.txt.gz")


class CollectionFiles(NamedTuple):
    """A collection: its name, and its files, which are qrels and runs or files of scores."""

    name: str
    files: tuple[str, ...]


def read_collection_list(path: str, *, scores: bool) -> list[CollectionFiles]:
    """The collections of a file of lines (name, qrels, runs; with `scores` name and files of scores), or of a folder with
    NAME/qrels.txt and NAME/runs/*; at least two. Raises FormatError for what is neither."""
    if os.path.isdir(path):
        if scores:
            raise UsageError(
                f"--collections {path}: a folder holds qrels and runs; with --scores give a file that lists files of scores."
            )
        found = list(_of_folder(path))
    else:
        found = _of_lines(path, scores)
    refuse_one([each.name for each in found], path)
    return found


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
    split = ((number, line.split("\t") if "\t" in line else fields_of(line)) for number, line in read_text_lines(path))
    records = ((number, [field.strip() for field in fields if field.strip()] or [""]) for number, fields in split)
    found = table_of(
        path,
        records,
        lambda fields: None if len(fields) >= fewest else (f"{plural(len(fields), 'field')}, expected {asks}", ""),
        "collection {!r}",
    )
    return [
        CollectionFiles(name, tuple(each for file in files for each in _matching(os.path.join(folder, file))))
        for (name,), files in found.items()
    ]


def _matching(path: str) -> list[str]:
    # The files that a pattern of the shell's stands for; a path stands for itself.
    from glob import glob  # takes time

    return [path] if os.path.lexists(path) else sorted(glob(path), key=os.fsencode) or [path]


def _of_folder(path: str) -> list[CollectionFiles]:
    # By name; what has no qrels is something else.
    found = []
    for name in sorted(os.listdir(path), key=os.fsencode):
        qrels = next((file for each in QRELS if os.path.exists(file := os.path.join(path, name, each))), None)
        if qrels is None or name.startswith("."):
            continue
        folder = os.path.join(path, name, "runs")
        runs = sorted(os.listdir(folder), key=os.fsencode) if os.path.isdir(folder) else []
        files = [os.path.join(folder, run) for run in runs if not run.startswith(".")]
        if not files:
            raise DataError(f"{folder}: no runs of collection {name}")
        found.append(CollectionFiles(name, (qrels, *files)))
    if not found:
        others = first(sorted(os.listdir(path), key=os.fsencode)) or "nothing"
        raise DataError(f"{path}: no NAME/{QRELS[0]} in this folder, which holds {others}")
    return found
