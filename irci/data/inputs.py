"""Inputs: the files named, the options that say what of them is used, and how each is read."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irci.base.choices import Missing, Names, NoRelevant, ScoresFormat, Standardisation, Ties
from irci.base.errors import DataError, FormatError
from irci.base.names import STDIN, file_name, raw, text
from irci.base.types import Bools, Progress, as_they_are
from irci.data.in_memory import NOTHING, Documents, Memory, file_and_content, qrels_of, run_of
from irci.data.notices import warn_of_topics
from irci.data.text_files import read_lines
from irci.data.trec_files import Qrels, Run, read_qrels, read_run


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
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            return qrels_of(path, documents)
        return read_qrels(*file_and_content(path, self.memory))

    def read_run(self, path: str) -> tuple[str, Run]:
        if path in self.memory and isinstance(documents := self.memory[path].content, Documents):
            run = run_of(path, documents, self.ties)
        else:
            file, content = file_and_content(path, self.memory)
            run = read_run(file, self.threads, self.ties, content)
        if path in self.memory and (name := self.memory[path].name):
            return name, run
        if self.names == "file":
            return file_name(path), run
        if run.other_tag_line is not None:
            raise DataError(
                f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                " --names file names the run by its file"
            )
        return text(run.tag), run

    def signature(self) -> dict[str, Any]:
        """The options about judgments and runs that change a digit."""
        names = "relevance_level max_grade depth judged_only ties topics missing no_relevant names"
        return {name: getattr(self, name) for name in names.split()}

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


def read_topics(chosen: str) -> set[str]:
    """The topics of a list with commas, or in a file, one a line. Raises FormatError if there is no such file."""
    path = file_of_topics(chosen)
    if path is None:
        return {text(topic.strip()) for topic in raw(chosen).split(b",")}
    try:
        return set(map(text, read_lines(path)))
    except FileNotFoundError:
        raise FormatError.whole_file(path, "no such file or directory") from None
