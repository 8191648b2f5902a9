"""TREC runs and qrels, from bytes to arrays.

Runs: `topic Q0 docno rank score tag`, the rank ignored unless ties go by it; qrels: `topic iteration docno grade`. Fields
are separated by blanks or tabs in any number. Blank lines and comments, which begin with `#`, are skipped, as trec_eval does.
What begins with `#` and has the fields of a record is refused: topics that begin so would be lost.
"""

import numpy as np

from irci.base.choices import Duplicates, Ties
from irci.base.names import plural
from irci.base.types import Floats, Ints
from irci.data.rankings import Docnos, Qrels, Run, secret, sorted_by_topic
from irci.data.scanned import (
    HASHED,
    MEND_HASHED,
    Asked,
    Reader,
    Scanned,
    as_run,
    by_topic,
    refuse_duplicates,
    scanned,
    told_of_comments,
)
from irci.data.text_files import Problems, TextFile, is_finite, is_integer, shown
from irci.kernels.fields import LONGEST
from irci.kernels.records import Found
from irci.kernels.scan import scan_qrels, scan_ranks, scan_run

RUN_FIELDS = "topic Q0 docno rank score tag"
QRELS_FIELDS = "topic iteration docno grade"


def read_run(
    path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None, duplicates: Duplicates = "error"
) -> Run:
    """Read a TREC run, plain or gzip, or standard input for `-`; each thread takes a share of a large one.

    `ties`: what orders documents with equal scores. `content`: what the file holds, if that is known. Raises FormatError for
    what is no run: too few fields, a score that is no finite number, a docno twice in a topic; a rank that is no integer if
    ties go by rank.
    """
    return run_of(path, TextFile.read(path, content), Asked(threads, ties, duplicates))


def run_of(path: str, file: TextFile, asked: Asked) -> Run:
    """The run in a text. Raises FormatError as `read_run` does."""
    reader = Reader(RUN_FIELDS, _scan_run, lambda place: _wrong_fields(file, place, RUN_FIELDS), is_number=is_finite)
    found = scanned(path, file, reader, "score", asked.threads)
    tag = file.token(*found.found.tags[:2])
    return as_run(path, reader, found, asked, ranks=lambda: _ranks(found), tag=tag, meant=lambda: _meant(file, "run"))


def _scan_run(begin: int, end: int, docnos: Docnos, score: Floats) -> Found:
    found: Found = scan_run(begin, end, docnos, score, secret())
    return found


def _ranks(found: Scanned) -> Ints:
    # int64[L]: the whole numbers behind docnos; others are problems.
    rank = np.empty(len(found.number), np.int64)
    rubbish: Ints = scan_ranks(found.docnos, rank)
    found.problems.add(
        "rank", rubbish[:, 0], lambda i: f"rank {shown(found.file.token(*rubbish[i]))} is not an integer (--ties rank)"
    )
    return rank


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read TREC qrels, plain or gzip, or standard input for `-`, or from what the file holds.

    Raises FormatError for what is no qrels: other than four fields, a grade that is no integer, a docno twice in a
    topic.
    """
    return qrels_of(path, TextFile.read(path, content))


def qrels_of(path: str, file: TextFile) -> Qrels:
    """The judgments in a text. Raises FormatError as `read_qrels` does."""
    room = file.occurrences(0, file.size)
    docnos, grade = Docnos.room(file.buffer, room), np.empty(room, np.int64)
    scan: Found = scan_qrels(file.start, file.size, docnos, grade, secret())
    scan = told_of_comments(path, file, scan, QRELS_FIELDS, is_integer)
    docnos, grade = docnos.take(slice(scan.lines)), grade[: scan.lines]
    problems = Problems(file)
    problems.add("fields", scan.short, lambda i: _wrong_fields(file, scan.short[i], QRELS_FIELDS))
    problems.add("grade", scan.slow[:, 1], lambda i: f"grade {shown(file.token(*scan.slow[i, 1:]))} is not an integer")
    groups = by_topic(problems, docnos, scan.stretches)
    refuse_duplicates(problems, docnos, groups)
    problems.refuse(path, len(grade), QRELS_FIELDS, lambda: _meant(file, "qrels"))
    return sorted_by_topic(groups.topics, docnos, grade, groups.lines, groups.offsets)


def _meant(file: TextFile, given_as: str) -> str:
    from irci.data.guesses import hint  # only for what is wrong

    return hint(file.first_line(), given_as)


def _wrong_fields(file: TextFile, at: int, expected: str) -> str:
    end = file.line_end(at)
    if end - at > LONGEST:
        return f"a line of {end - at} bytes"
    line = file.token(at, end)
    if line.startswith(b"#"):
        return f"{HASHED} ({expected}): {MEND_HASHED}"
    return f"{plural(len(line.split()), 'field')}, expected {len(expected.split())} ({expected})"
