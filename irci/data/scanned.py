"""Rankings and judgments in lines, from a text to arrays by the compiled scanner; and what is wrong with it, told by lines."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irci.base import BLANKS, Record, plural, raw, spelled
from irci.base.choices import Duplicates, Ties
from irci.base.types import Array, Floats, Ints, Lines, offsets, owners, ranges
from irci.data import rankings
from irci.data.text_files import Problems, TextFile, is_finite, is_integer, number_in, shown, tell_comments
from irci.kernels.ranking import find_duplicates
from irci.kernels.scan import WHOLE, Comments, Found, Layout, Stretches, scan_records
from irci.kernels.words import BLANK, LONGEST
from irci.system import in_order, in_shares

HASHED = (
    "begins with # as comments do, but has the fields of a record ({}): a comment has a blank behind its #;"
    " topics whose names begin with # can be read from csv or JSON"
)


class RunOptions(Record):
    """How a run is to be read: by so many threads; what orders documents with equal scores; what becomes of a document that a
    topic has again."""

    threads: int
    ties: Ties = "docno"
    duplicates: Duplicates = "error"


class Records(Record):
    """The kind of records in a text: the names of their fields, where they are, and the place of the rank (None: without)."""

    names: Sequence[str]
    layout: Layout
    rank: int | None = None

    @property
    def expected(self) -> str:
        return (" " if self.layout.separator == BLANK else ", ").join(self.names)

    def wrong(self, file: TextFile, start: int) -> str:
        """The reason why the line at a place is no record."""
        end = file.line_end(start)
        if end - start > LONGEST:
            return f"a line of {end - start} bytes"
        line = file.token(start, end)
        if self.layout.separator == BLANK:
            if line.startswith(b"#"):
                return HASHED.format(self.expected)
            return f"{plural(len(line.split()), 'field')}, expected {len(self.names)} ({self.expected})"
        cells = line.split(bytes([self.layout.separator]))
        if len(cells) != len(self.names):
            return f"{plural(len(cells), 'column')}, expected {len(self.names)} as in the header"
        for role, column in (("topic", self.layout.topic), ("document", self.layout.docno)):
            name = cells[column].strip(raw(BLANKS))
            if name.split() != [name]:
                return f"{role} {shown(name)} {'has a blank in it' if name else 'is empty'}"
        return "a name in quotation marks, where the header is in none: are they part of it?"


class Scanned(NamedTuple):
    """Findings in a text: the docnos and numbers float64[L] of its records, all else, and problems so far."""

    file: TextFile
    docnos: rankings.Docnos
    number: Floats
    found: Found
    problems: Problems


def scanned(path: str, file: TextFile, records: Records, role: str, threads: int = 1) -> Scanned:
    """The records of a text; `role`: what their numbers are called."""
    docnos, number, scan = _in_shares(file, records.layout, threads)
    scan = _without_comments(path, file, scan, records)
    problems = Problems(file)
    problems.add("fields", scan.short, lambda i: records.wrong(file, int(scan.short[i])))
    unread = scan.slow[_read_slow(file, scan.slow, number, records.layout.is_whole)]
    if not records.layout.is_whole:  # else `integers` tells
        problems.add(role, unread[:, 1], lambda i: f"{role} {shown(file.token(*unread[i, 1:]))} is not a finite number")
    return Scanned(file, docnos, number, scan, problems)


def _in_shares(file: TextFile, layout: Layout, threads: int) -> tuple[rankings.Docnos, Floats, Found]:
    # The docnos and numbers of a text, and what else is found in it; positions are those of the file.
    edges = file.shares(threads)
    shares = len(edges) - 1
    sizes = in_order(lambda share: file.occurrences(edges[share], edges[share + 1]), range(shares), shares)
    room = offsets(list(sizes))
    docnos, number = rankings.Docnos.room(file.buffer, room[-1]), np.empty(room[-1])

    def scan(share: int) -> Found:
        here = slice(*room[share : share + 2])
        result: Found = scan_records(
            edges[share], edges[share + 1], layout, docnos.take(here), number[here], rankings.secret()
        )
        return result

    scans = list(in_order(scan, range(shares), shares))
    lines = np.array([share_scan.lines for share_scan in scans])
    if lines.sum() < room[-1]:  # blank lines and comments leave room
        filled = slice(lines[0]) if shares == 1 else ranges(room[:-1], lines)
        docnos, number = docnos.take(filled), number[filled]
    return docnos, number, _joined(file, scans)


def _joined(file: TextFile, shares: Sequence[Found]) -> Found:
    # The findings of all shares as one: lines are counted from the first one's.
    before = offsets([share.lines for share in shares])
    for share, lines_before in zip(shares, before, strict=False):
        share.stretches.line[:] += lines_before
        share.slow[:, 0] += lines_before
    tagged = [share for share in shares if share.lines] or shares[:1]
    first = tagged[0]
    tag = file.token(*first.tags[:2])
    # A share whose first tag is not the file's begins with the other tag.
    later_tags = [
        share.tags.other if file.token(*share.tags[:2]) == tag else int(share.stretches.start[0]) for share in tagged
    ]
    return first._replace(
        lines=int(before[-1]),
        stretches=Stretches(*map(np.concatenate, zip(*(share.stretches for share in shares), strict=True))),
        short=np.concatenate([share.short for share in shares]),
        slow=np.concatenate([share.slow for share in shares]),
        lines_with_extra_fields=sum(share.lines_with_extra_fields for share in shares),
        tags=first.tags._replace(other=next((other for other in later_tags if other >= 0), -1)),
        comments=Comments(
            sum(share.comments.number for share in shares),
            next((share.comments.first for share in shares if share.comments.number), -1),
        ),
    )


def _without_comments(path: str, file: TextFile, scan: Found, records: Records) -> Found:
    # Findings without comments, of which the number is told. Of the lines that begin with # and could not be read those are
    # comments too whose number is none.
    if records.layout.separator != BLANK:
        return scan
    is_number = is_integer if records.layout.is_whole else is_finite
    begins = scan.short[file.buffer[scan.short] == ord("#")].tolist()
    fields = ((begin, file.token(begin, file.line_end(begin)).split()) for begin in begins)
    more = [begin for begin, of_line in fields if not is_number(of_line[records.layout.number])]
    number, first = scan.comments
    first = min([*more[:1], *[first] * (number > 0)], default=-1)
    tell_comments(path, number + len(more), lambda: file.line_number(first))
    return scan._replace(short=np.setdiff1d(scan.short, np.array(more, np.int64))) if more else scan


def _read_slow(file: TextFile, slow: Ints, number: Floats, is_whole: bool = False) -> list[int]:
    # Fill in the numbers the scanner left to float(), nan where integers are wanted; return which of these are not finite.
    unread = []
    for i, (line, begin, end) in enumerate(slow.tolist()):
        number[line] = math.nan if is_whole else number_in(file.token(begin, end))
        if not math.isfinite(number[line]):
            unread.append(i)
    return unread


def integers(records: Scanned, role: str, more: str = "") -> Ints:
    """int64[L]: the numbers, of 18 digits at most; others are problems, with what `more` is to be said of them."""
    slow = {line: records.file.token(*span) for line, *span in records.found.slow.tolist()}
    numbers, wrong = rankings.whole(records.number)
    exact = {line: int(token) for line, token in slow.items() if is_integer(token)}  # beyond what a double holds
    numbers[[*exact]] = [*exact.values()]
    wrong = wrong[[line not in exact for line in wrong.tolist()]]  # np.isin would import numpy.ma
    tokens = [shown(slow[line]) if line in slow else spelled(records.number[line]) for line in wrong.tolist()]
    records.problems.add(role, records.docnos.start[wrong], lambda i: f"{role} {tokens[i]} is not an integer{more}")
    return numbers


def _with_points(records: Scanned) -> Array[Any] | None:
    """float64[L]: the numbers, of which some are not whole, or int64[L] if all are; None where none is written with a point,
    or one cannot be read or is too large."""
    numbers, slow = records.number.copy(), records.found.slow
    if _read_slow(records.file, slow, numbers) or (np.abs(numbers) >= WHOLE).any():
        return None
    if rankings.has_fractions(numbers):
        return numbers
    has_points = any(not is_integer(records.file.token(*span)) for span in slow[:, 1:].tolist())
    return rankings.whole(numbers)[0] if has_points else None


def _by_topic(records: Scanned, threads: int = 1, mend: str | None = "") -> tuple[list[bytes], Lines, Ints, Ints]:
    """Topics, their lines, those of topics[g] from offsets[g] to offsets[g+1], and int64[D, 2]: lines with a document that
    their topic has before, and the first lines with it. These are problems, of which `mend` says what can be done, unless it
    is None."""
    file, docnos, problems, stretches = records.file, records.docnos, records.problems, records.found.stretches
    places = zip(stretches.start.tolist(), stretches.length.tolist(), strict=True)
    topic_of = [file.token(begin, begin + length) for begin, length in places]
    topics, lines, edges = rankings.grouped(topic_of, stretches.line, len(docnos.start))

    def of_topics(part: slice) -> Ints:
        return np.asarray(find_duplicates(docnos, lines, edges[part.start : part.stop + 1]))

    def reason(i: int) -> str:
        line, earlier = again[i]
        topic = topics[owners(edges)[np.flatnonzero(lines == line)[0]]]
        docno = shown(file.token(docnos.start[line], docnos.start[line] + docnos.length[line]))
        first = file.line_number(docnos.start[earlier])
        return f"document {docno} twice for topic {shown(topic)}, first on line {first}{mend}"

    again = np.concatenate(in_shares(of_topics, len(topics), threads, len(lines)) or [np.empty((0, 2), np.int64)])
    if mend is not None:
        problems.add("document", docnos.start[again[:, 0]], reason)
    return topics, lines, edges, again


def run_of(
    path: str, file: TextFile, records: Records, asked: RunOptions, *, role: str = "score",
    by_rank: rankings.Gaps | None = None, meant: Callable[[], str] = str,
) -> rankings.Run:  # fmt: skip
    """The run in a text. Raises FormatError for what is wrong with it.

    `role`: what its numbers are called; `by_rank`: ranks. `meant`: gives what the file may be instead, or nothing.
    """
    records_read = scanned(path, file, records, role, asked.threads)
    _, docnos, score, scan, problems = records_read
    read_ranks = None if records.rank is None else partial(_ranks, records_read, records, records.rank, asked.threads)
    places = rankings.precedence(path, "docno" if by_rank else asked.ties, len(score), read_ranks)
    other = scan.tags.other
    mend = None
    if asked.duplicates == "error":
        several = f"; line {file.line_number(other)} has another tag: are these several runs?" if other >= 0 else ""
        mend = several or "; --duplicates first keeps one"
    topics, lines, edges, again = _by_topic(records_read, asked.threads, mend)
    if by_rank and not problems.worded:
        wrong = rankings.wrong_ranks(score, lines, edges, by_rank)
        if wrong is not None:
            wrong_lines, reason = wrong
            problems.add("rank", docnos.start[wrong_lines], lambda i: f"rank {spelled(score[wrong_lines[i]])} {reason}")
    problems.refuse(path, len(score), records.expected, meant)
    if by_rank:
        np.negative(score, out=score)
    run = rankings.Run(
        path=path, tag=file.token(*scan.tags[:2]), other_tag_line=file.line_number(other) if other >= 0 else None,
        topics=topics, docnos=docnos, score=score, precedence=places, lines=lines, offsets=edges,
        lines_with_extra_fields=scan.lines_with_extra_fields,
    )  # fmt: skip
    return rankings.without_duplicates(run, again)


def _ranks(of_run: Scanned, records: Records, rank: int, threads: int) -> Ints:
    # int64[L]: the ranks of lines, which are read only where ties go by them.
    layout = records.layout._replace(number=rank, is_whole=records.layout.separator == BLANK)
    docnos, number, scan = _in_shares(of_run.file, layout, threads)
    _read_slow(of_run.file, scan.slow, number, layout.is_whole)
    return integers(Scanned(of_run.file, docnos, number, scan, of_run.problems), "rank", " (--ties rank)")


def qrels_of(
    path: str, file: TextFile, records: Records, meant: Callable[[Floats], str], *, fractions: bool = False
) -> rankings.Qrels:
    """The judgments in a text. Raises FormatError for what is wrong with them. `meant`: gives what the file may be instead by
    its numbers, or nothing; `fractions`: grades may be no whole numbers."""
    records_read = scanned(path, file, records, "grade")
    grade: Array[Any] | None = _with_points(records_read) if fractions else None
    if grade is None:  # what is no number at all has been told
        grade = np.empty(0, np.int64) if "grade" in records_read.problems.counts else integers(records_read, "grade")
    topics, lines, edges, _ = _by_topic(records_read)
    records_read.problems.refuse(path, len(records_read.number), records.expected, lambda: meant(records_read.number))
    return rankings.sorted_by_topic(topics, records_read.docnos, grade, lines, edges)
