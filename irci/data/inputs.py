"""Inputs: the files named, the options that say what of them is used, and how each is read.

Of runs and of qrels the first bytes, and the first line that is no comment, tell the format. TREC's runs have lines `topic Q0
docno rank score tag`, of which the rank is ignored unless ties go by it; qrels `topic iteration docno grade`; MS MARCO's runs
`qid pid rank`. Fields are separated by blanks or tabs in any number. Blank lines and comments, which begin with `#`, are
skipped, as trec_eval does. What begins with `#` and has the fields of a record is refused: topics that begin so would be lost.
A text whose first record is one of TREC's is that: no other format is looked for. What is none of the others either is read
as TREC, whose reader says what is wrong. Qrels by intent, TREC's diversity format, have lines `topic intent docno grade`, in
which a document has a line an intent.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from irci.base import (
    BLANKS,
    STDIN,
    DataError,
    FormatError,
    UsageError,
    file_name,
    file_of_topics,
    first_few,
    first_names,
    is_list,
    logger,
    plural,
    raw,
    stem,
    takes,
    text,
    whole_number,
)
from irci.base.choices import Duplicates, Ties
from irci.base.types import Bools, gathered
from irci.data import BYTES, JUDGMENTS, receipts, text_files
from irci.data.rankings import DocumentRows, Form, Kind, Qrels, Records, Run, digest_of, judgments_digest, scanned
from irci.data.text_files import Documents, TextFile, read_bytes, tag_of
from irci.kernels.scan import Layout
from irci.kernels.words import BLANK
from irci.system import claim, heed, with_progress
from irci.wording import notify, warn_of_topics

if TYPE_CHECKING:
    from irci.options.asked import Asked
else:  # which is made in a room above this one
    Asked = object


class Inputs(Asked):
    """All that is asked, under the names of options, and how the files are read.

    `levels`: the lowest relevant grades of `other_qrels` by path, where they have one of their own. `level_elsewhere`: another
    collection has grades as high as `relevance_level`. `score_tables`: what was read of `scores`, a table a collection, of
    the topics and measures asked for.
    """

    levels: Mapping[str, int] = {}
    level_elsewhere: bool = False
    score_tables: Sequence[Any] = ()

    def __init__(self, asked: Asked, **values: Any) -> None:
        """`values`: in place of those asked for."""
        self.__dict__.update(values, asked=asked)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(self.asked, name)

    def replaced(self, **values: Any) -> "Inputs":
        """The same with other values."""
        return Inputs(**{**self.__dict__, **values})

    def read_qrels(self, path: str) -> Qrels:
        digest = None
        file, content = text_files.file_or_held(path, self.memory)
        if any(measure.family.by_intent for measure in self.measures or ()):
            qrels, digest = read_by_intent(file, content)
        else:
            qrels = read_qrels(file, content, fractions=self.are_means_over_topics)
        if qrels.grade.dtype.kind == "f" and (highest := qrels.grade.max()) > 10:  # the score of a run
            notify("large_fractions", qrels=file, highest=float(highest))
        if (kept := receipts.get()) is not None:
            kept.digests.pop(BYTES + file, None)  # in place of that of the file that they come from
            kept.digests[JUDGMENTS + file] = digest or judgments_digest(qrels)
        return qrels._replace(path=path)

    @property
    def levels_told(self) -> str:
        """The lowest relevant grades of others' judgments, in their order."""
        return " ".join(str(self.levels.get(path, self.relevance_level)) for path in self.other_qrels)

    def name_of_judge(self, path: str) -> str:
        """The name that judgments are given by, else that of their file."""
        name = path in self.memory and self.memory[path].name
        return name or file_name(text_files.file_or_held(path, self.memory)[0])

    def refuse_judges_of_one_name(self) -> None:
        """Raise UsageError for two of others' judgments that are told apart by nothing."""
        names = [self.name_of_judge(path) for path in self.other_qrels]
        if len(set(names)) < len(names):
            raise UsageError("--other-qrels: two files of one name: rename one.")

    def read_runs(self, paths: Sequence[str]) -> Iterator[tuple[str, str, Run]]:
        """Read run files one after the other as (path, name, run); no two of a name. TREC runs that share a tag are named by
        their files, unless --names is given; one file twice is told of where it is read."""
        is_tagged = self.names is None and len(paths) > 1
        by_tag = gathered((tag_of(path), path) for path in paths if is_tagged and path not in self.memory)
        by_file: set[str] = set()
        for tag, same in by_tag.items():
            if tag and len({*map(os.path.realpath, same)}) == len(same) > 1:
                by_file.update(same)
                names = first_few([file_name(path) for path in same])
                logger.info(f"{len(same)} runs have the tag {tag!r}, and are named by their files: {names}")
        path_of: dict[str, str] = {}
        for path in with_progress(paths, "run"):
            heed()
            file, content = text_files.file_or_held(path, self.memory)
            run = read_run(file, self.threads, self.ties, content, self.duplicates)
            is_by_file = self.names == "file" or path in by_file
            name = (path in self.memory and self.memory[path].name) or ""
            if run.tag and not (name or is_by_file) and run.other_tag_line is not None:
                raise DataError(
                    f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                    " --names file names the run by its file"
                )
            name = name or (stem(file) if not run.tag else file_name(file) if is_by_file else text(run.tag))
            if name in path_of and is_same_file(path, path_of[name]):
                raise DataError(f"{path}: given twice as a run: leave it out once; --baseline NAME names one of RUNs")
            if name in path_of:
                other = "rename a file" if is_by_file else "--names file names runs by their files"
                raise DataError(f"{path_of[name]} and {path} are both named {name!r}: {other}")
            path_of[name] = path
            yield path, name, run
            del run  # before the next one is read, as those do who are given it

    @property
    def has_only_scores(self) -> bool:
        """True if scores are compared of which no rankings are known, as files or standardisation give them."""
        return self.scores or self.standardise is not None

    @property
    def keeps_missing(self) -> bool:
        """True if missing scores stay so: topics are dropped, or have no points, which is less than a score of 0."""
        return self.missing == "drop" or self.standardise == "rank"

    def signature(self) -> dict[str, Any]:
        """The options about judgments and runs that change a digit."""
        names = "relevance_level max_grade depth judged_only ties topics missing no_relevant names"
        asked: dict[str, Any] = {"ignore_identical_ids": True} if self.ignore_identical_ids else {}
        asked |= {} if self.duplicates == "error" else {"duplicates": self.duplicates}
        return {name: getattr(self, name) for name in names.split()} | {"names": self.names or "tag"} | asked

    def paths(self) -> list[str]:
        """The files named on the command line, and in the lists among them; standard input may stand for one file only."""
        lists, paths = list[str](), list[str]()
        for path in self.files:
            if is_list(path) and path not in self.memory:
                lists.append(path[1:])
                names = map(text, text_files.read_lines(path[1:]))
                paths += [os.path.join(os.curdir, name) if is_list(name) else name for name in names]
            else:
                paths.append(path)
        if [*lists, file_of_topics(self.topics), *paths, *self.other_qrels].count(STDIN) > 1:
            raise DataError("standard input (-) can be read only once")
        if not self.scores or not any(map(os.path.isdir, paths)):
            return paths
        from irci.data.collection_files import files_in  # only for these

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
            raise DataError(f"{path}: none of the topics asked for is {present} (--topics takes a list, or @FILE)")
        return keep


ONLY_QRELS = "only QRELS given: add RUNs, or --scores if this is a file of scores. QRELS come first: {} RUN..."


def is_same_file(path: str, other: str) -> bool:
    """True if two paths lead to one file."""
    with suppress(OSError, ValueError):
        return os.path.samefile(path, other)
    return path == other


def where(topics: Sequence[str], is_selected: Bools) -> list[str]:
    """The topics selected."""
    return [topic for topic, is_in in zip(topics, is_selected.tolist(), strict=True) if is_in]


def read_topics(topics: str) -> set[str]:
    """The topics of a list with commas, or in a file, one a line. Raises FormatError if there is no such file."""
    path = file_of_topics(topics)
    if path is None:
        return {text(topic.strip()) for topic in raw(topics).split(b",")}
    return set(map(text, text_files.read_lines(path)))


# Files of runs and of qrels.

TREC = {
    "run": Records(["topic", "Q0", "docno", "rank", "score", "tag"], Layout(BLANK, 0, 2, 4, 5, 6, has_more=True), 3),
    "qrels": Records(["topic", "iteration", "docno", "grade"], Layout(BLANK, 0, 2, 3, -1, 4, is_whole=True)),
}
MS_MARCO = Records(["qid", "pid", "rank"], Layout(BLANK, 0, 1, 2, -1, 3), form=Form(by_rank=True, has_gaps=False))
LONGEST_HEADER = 1 << 16  # bytes of a line that tell what it is


def read_run(
    path: str, threads: int = 1, ties: Ties = "docno", content: bytes | Documents | None = None,
    duplicates: Duplicates = "error",
) -> Run:  # fmt: skip
    """Read a run file of any format, plain or gzip, or standard input for `-`, or what the file holds if that is given; each
    thread takes a share of a large one.

    `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document that a topic has again. Raises
    FormatError for what is no run: too few fields, a score that is no finite number, a docno twice in a topic; a rank that is
    no integer if ties go by rank.
    """
    return _rows(path, content, "run", threads).run(ties, duplicates, threads)


def read_qrels(path: str, content: bytes | Documents | None = None, *, fractions: bool = False) -> Qrels:
    """Read relevance judgments of any format, as `read_run` does runs. Raises FormatError for what is none: a grade that is no
    integer, unless `fractions` may be grades, a docno twice in a topic."""
    return _rows(path, content, "qrels").qrels(fractions=fractions)


def _rows(path: str, content: bytes | Documents | None, kind: Kind, threads: int = 1) -> DocumentRows:
    """The rows of a file, by the reader of its format."""
    if callable(content):
        held: DocumentRows = content(path)
        return held
    buffer, size = read_bytes(path, content)
    if size > 8 and buffer[:4].tobytes() == buffer[size - 4 : size].tobytes() == b"PAR1":  # parquet
        from irci.data import in_memory  # takes time

        return in_memory.of_parquet(path, buffer, size, kind)
    file, records = TextFile.of(path, buffer, size), TREC[kind]
    start, first = file.start, b""  # of the first line that TREC's reader takes for no comment, shortened
    while start < file.size:
        end = file.line_end(start)
        first = file.token(start, min(end, start + LONGEST_HEADER))
        if first.strip() and not records.is_comment(first):
            break
        start, first = end + 1, b""
    if first and not records.is_record(first):
        from irci.data import foreign_files

        is_json = text(first).lstrip(BLANKS).startswith(("{", "["))
        table = None if is_json else foreign_files.columns(path, file, start, kind)
        if is_json or table is not None:
            above = file.token(file.start, start).split(b"\n")
            comments = [number for number, line in enumerate(above, 1) if line.strip()]
            text_files.tell_comments(path, len(comments), lambda: comments[0])
        if is_json:
            return foreign_files.json_rows(path, file, start, kind)
        # The third column is ranks, or the file is refused, lest scores be read upside down.
        fields = first.split()
        if table is not None:
            file, records = table
        elif kind == "run" and len(fields) == 3 and text_files.number_in(fields[2]).is_integer():
            records = MS_MARCO
    return scanned(path, file, records, threads)


def read_by_intent(path: str, content: bytes | Documents | None = None) -> tuple[Qrels, str]:
    """Judgments whose grades are rows of their `intents`; and SHA-256 of the lines, sorted.

    Raises FormatError for other lines, a grade that is no integer, a document twice for an intent.
    """
    if callable(content):
        raise DataError(f"{path}: judgments by intent are read from a file")

    def wrong(fields: Sequence[str]) -> str:
        if len(fields) != 4:
            return f"{plural(len(fields), 'field')}, expected 4 (topic intent docno grade)"
        return "" if takes(whole_number, fields[3]) else f"grade {fields[3]!r} is not an integer"

    records = text_files.read_fields(path, content)
    table = text_files.table_of(path, records, wrong, "intent {1} of topic {0!r}, document {2!r}", keys=3)
    if not table:
        raise FormatError.whole_file(path, "empty file: no judgments")
    from irci.data.in_memory import in_stretches, objects  # takes time

    grade_of = {names: whole_number(grade) for names, (grade,) in table.items()}
    lines = [raw("\t".join((*names, str(grade)))) for names, grade in grade_of.items()]
    documents = sorted({(topic, docno) for topic, _, docno in grade_of}, key=lambda names: [*map(raw, names)])
    row_of = {document: row for row, document in enumerate(documents, 1)}
    columns: dict[str, dict[str, int]] = {}  # of the intents of each topic
    for topic, intent, _ in grade_of:
        columns.setdefault(topic, {}).setdefault(intent, len(columns[topic]))
    shape = len(documents) + 1, max(map(len, columns.values()))
    claim(*shape)
    intents = np.zeros(shape)
    for (topic, intent, docno), grade in grade_of.items():
        intents[row_of[topic, docno], columns[topic][intent]] = max(grade, 0)
    numbers = (intents.any(axis=1) * np.arange(len(intents)))[1:].tolist()
    topics, docnos = zip(*documents, strict=True)
    rows: DocumentRows = in_stretches(objects(topics), docnos, numbers)(path)
    return rows.qrels()._replace(intents=intents), digest_of(lines)
