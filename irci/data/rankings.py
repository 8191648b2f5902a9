"""Runs and qrels as arrays, however they were given; those in lines of a text, by the compiled scanner, and what is wrong with
one, told by lines; document identifiers, as places in the bytes that name them.

Bytes alone say whether two documents are the same.
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from irci.base import BLANKS, Record, UsageError, plural, raw, spelled
from irci.base.choices import Duplicates, Ties
from irci.base.types import Array, Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.data.text_files import Problems, TextFile, is_finite, is_integer, number_in, shown, tell_comments
from irci.kernels.hashing import public_hashes
from irci.kernels.ranking import JudgmentTables, are_counted, find_duplicates, judgment_tables
from irci.kernels.scan import WHOLE, Comments, Found, Layout, Stretches, scan_records
from irci.kernels.words import BLANK, LONGEST
from irci.system import in_order, in_shares

# Of this process alone, so that nobody can make docnos for which tables are slow. No result depends on it.
_secret: Words = np.frombuffer(os.urandom(16), np.uint64) | np.array([0, 1], np.uint64)


def secret() -> Words:
    """uint64[2]: what tables of docnos are keyed by in this process."""
    return _secret


class Docnos(NamedTuple):
    """Document identifiers as places in a file's bytes: uint8[n], int64[L], int32[L], and their hashes uint64[L], under this
    process's secret, for tables."""

    buffer: Bytes
    start: Ints
    length: Ints32
    hash: Words

    @classmethod
    def room(cls, buffer: Bytes, lines: int) -> "Docnos":
        return cls(buffer, np.empty(lines, np.int64), np.empty(lines, np.int32), np.empty(lines, np.uint64))

    def take(self, rows: Ints | slice) -> "Docnos":
        return Docnos(self.buffer, self.start[rows], self.length[rows], self.hash[rows])

    def public_hashes(self) -> Words:
        """uint64[L]: the hashes that splits and streams are keyed by, the same everywhere. Different docnos may share one."""
        return np.asarray(public_hashes(self))

    def texts(self) -> Iterator[bytes]:
        memory = self.buffer.data
        for start, length in zip(self.start.tolist(), self.length.tolist(), strict=True):
            yield bytes(memory[start : start + length])


class Run(Record):
    """One run: L lines of a file, or documents in one, grouped by topic.

    `lines` int32[L] (int64 from 2^31 lines on) are indices into docnos and score, in file order inside a topic; the topic
    named topics[g] has lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    It is empty where nothing names one. `precedence` int64[L]: which of the documents with equal scores comes first, the
    lowest; int64[0] where docnos decide. `duplicates`: how many documents were left out, as their topic has them with a better
    rank.
    """

    path: str
    tag: bytes
    other_tag_line: int | None
    topics: list[bytes]
    docnos: Docnos
    score: Floats
    precedence: Ints
    lines: Lines
    offsets: Ints
    lines_with_extra_fields: int = 0
    duplicates: int = 0


class Qrels(Record):
    """Judgments, J rows grouped by topic: topics sorted bytewise, topics[t] has rows offsets[t]:offsets[t+1].
    `path`: the file that they are of; `whole`: all that is in it, if that is more."""

    topics: list[bytes]
    docnos: Docnos
    grade: Array[Any]  # int64[J], or float64[J] where some are no whole numbers
    offsets: Ints
    highest_grade: int  # of the whole file, whatever topics are kept, rounded up
    path: str = ""
    whole: "Qrels | None" = None

    @cached_property
    def tables(self) -> JudgmentTables:
        """The row of a docno's hash, a table a topic."""
        return JudgmentTables(*judgment_tables(self.docnos.hash, self.offsets))

    def only(self, keep: Bools) -> "Qrels":
        sizes = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(keep, sizes))
        topics = [topic for topic, kept in zip(self.topics, keep.tolist(), strict=True) if kept]
        return self.take(rows, offsets(sizes[keep]))._replace(topics=topics)

    def take(self, rows: Ints, offsets: Ints) -> "Qrels":
        """The judgments in these rows, grouped by topic at new offsets; all topics stay."""
        whole = self.whole or self
        return self._replace(docnos=self.docnos.take(rows), grade=self.grade[rows], offsets=offsets, whole=whole)


def judgments_digest(qrels: Qrels) -> str:
    """SHA-256 of judgments, 64 hex digits, whatever format they came in: of lines `topic TAB docno TAB grade LF`, sorted
    bytewise by topic and docno. Of TREC's `awk '{print $1 "\\t" $3 "\\t" $4}' FILE | LC_ALL=C sort | sha256sum` prints it."""
    import hashlib  # takes time

    digest = hashlib.sha256()
    for topic, begin, end in zip(qrels.topics, qrels.offsets[:-1].tolist(), qrels.offsets[1:].tolist(), strict=True):
        docnos = qrels.docnos.take(slice(begin, end)).texts()
        judgments = sorted(zip(docnos, qrels.grade[begin:end].tolist(), strict=True))
        texts = [(docno, spelled(grade) if isinstance(grade, float) else str(grade)) for docno, grade in judgments]
        digest.update(b"".join([b"%b\t%b\t%b\n" % (topic, docno, grade.encode()) for docno, grade in texts]))
    return digest.hexdigest()


def grouped(topic_of: Sequence[bytes], begins: Ints, num_lines: int) -> tuple[list[bytes], Lines, Ints]:
    """Topics, their lines and where each group begins, from stretches that begin at lines int64[S] and name their topics."""
    # A topic that goes on from one share into the next is one stretch.
    index: dict[bytes, int] = {}
    stretch_topic = [index.setdefault(topic, len(index)) for topic in topic_of]
    first = np.diff(stretch_topic, prepend=-1) != 0
    whole = np.int32 if num_lines < 2**31 else np.int64
    if len(index) == first.sum():  # every topic in one piece
        return list(index), np.arange(num_lines, dtype=whole), np.append(begins[first], num_lines)
    line_topic = np.repeat(stretch_topic, np.diff(begins, append=num_lines))
    return list(index), np.argsort(line_topic, kind="stable").astype(whole), offsets(np.bincount(line_topic))


def sorted_by_topic(
    topics: Sequence[bytes], docnos: Docnos, grade: Array[Any], lines: Lines, topic_offsets: Ints
) -> Qrels:
    """Judgments whose lines[topic_offsets[g]:topic_offsets[g+1]] are of the topic named topics[g]."""
    order = sorted(range(len(topics)), key=topics.__getitem__)
    if order == list(range(len(topics))) and len(lines) == len(grade) and (np.diff(lines) == 1).all():  # nothing moves
        return Qrels(list(topics), docnos, grade, topic_offsets, highest_grade=math.ceil(grade.max().item()))
    sizes = np.diff(topic_offsets)[order]
    rows = lines[ranges(topic_offsets[order], sizes)]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=offsets(sizes),
        highest_grade=math.ceil(grade.max().item()),
    )


# Whether ranks may be lacking, as where documents were left out, or are 1, 2, ... in every topic (or 0, 1, ... in every one),
# as numbers must be that are not said to be ranks.
Gaps = Literal["with gaps", "without gaps"]
SAID = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
ANY = "below a header (query_id, doc_id, rank, with tabs between them) ranks begin anywhere"


def whole(numbers: Floats) -> tuple[Ints, Ints]:
    """int64[L]: whole numbers; and the places of those that are none, or too large to tell."""
    is_whole = (np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers))
    return np.where(is_whole, numbers, 0).astype(np.int64), np.flatnonzero(~is_whole)


def has_fractions(numbers: Floats) -> bool:
    """True if some are no whole numbers, as grades are."""
    return bool((np.floor(numbers) < numbers).any())


def are_fractions(numbers: Floats) -> bool:
    """True if all can be grades, and some are no whole numbers."""
    return bool((np.abs(numbers) < WHOLE).all()) and has_fractions(numbers)


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, gaps: Gaps) -> tuple[Ints, str] | None:
    """Lines whose rank is none, and why: those of the first kind of which there are some.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1].
    """
    sizes, first = np.diff(edges), edges[:-1][np.diff(edges) > 0]
    if are_counted(rank, lines, edges):  # as nearly always
        return None if gaps == "with gaps" else _other_beginnings(rank, lines[first])
    of_line, topic = rank[lines], owners(edges)
    wrong = np.append(whole(rank)[1], np.flatnonzero(rank < 0))
    if len(wrong):
        return np.unique(wrong), "is not a whole number from 0 on" + f"; {SAID}" * (gaps == "without gaps")
    order = np.lexsort((of_line, topic))
    again = order[1:][(np.diff(topic[order]) == 0) & (np.diff(of_line[order]) == 0)]
    if len(again):
        return lines[again].astype(np.int64), f"twice in its topic; {SAID}"
    if gaps == "with gaps":
        return None
    lowest = np.repeat(of_line[order[first]], sizes[sizes > 0])
    beyond = np.flatnonzero((of_line - lowest >= np.repeat(sizes, sizes)) | (lowest > 1))
    if len(beyond):
        return lines[beyond].astype(np.int64), f"where a topic has ranks 1, 2, ... or 0, 1, ...; {SAID}"
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if len(falls) and falls.all():
        return lines[first[:1]].astype(np.int64), f"first, and the others fall from line to line; {SAID}"
    return _other_beginnings(rank, lines[order[first]])


def _other_beginnings(rank: Floats, begins: Lines) -> tuple[Ints, str] | None:
    # The lines with the lowest ranks, one a topic, that begin with 0 where most topics do with 1, or the reverse.
    is_zero = rank[begins] == 0
    if is_zero.all() or not is_zero.any():
        return None
    usual = int(2 * np.count_nonzero(is_zero) <= len(begins))
    return begins[is_zero == usual].astype(np.int64), f"begins its topic, where others begin with {usual}; {ANY}"


def precedence(path: str, ties: Ties, lines: int, ranks: Callable[[], Ints] | None) -> Ints:
    """int64[L]: places of lines among those with the same score, the lowest first; int64[0] where docnos decide.
    `ranks`: reads those of a run, if it has any. Raises UsageError where it has none and ties go by them."""
    if ties == "rank":
        if ranks is None:
            raise UsageError(f"{path} has no ranks for --ties rank, as TREC's runs and a column rank have.")
        return ranks()
    return np.arange(lines if ties == "file" else 0)


def without_duplicates(run: Run, again: Ints) -> Run:
    """The run without all but the best of the documents that a topic has several times: that with the highest score, of these
    that with the lowest precedence, of these the first.

    again int64[D, 2]: lines with a document that their topic has before, and the first lines with it.
    """
    if not len(again):
        return run
    first = np.unique(again[:, 1])
    of, those = np.concatenate((first, again[:, 1])), np.concatenate((first, again[:, 0]))
    places = run.precedence[those] if len(run.precedence) else np.zeros(len(those), np.int64)
    order = np.lexsort((those, places, -run.score[those], of))
    is_kept = np.ones(len(run.score), np.bool_)
    is_kept[those[order[1:][np.diff(of[order]) == 0]]] = False
    kept = is_kept[run.lines]
    return run._replace(lines=run.lines[kept], offsets=offsets(kept)[run.offsets], duplicates=len(again))


# From lines of a text, by the compiled scanner.


HASHED = (
    "begins with # as comments do, but has the fields of a record ({}): a comment has a blank behind its #;"
    " topics whose names begin with # can be read from csv or JSON"
)


Kind = Literal["run", "qrels"]


class Records(Record):
    """The kind of records in a text: the names of their fields, where they are, and the place of the rank (None: without).
    `role`: what their numbers are called; `by_rank`: ranks."""

    names: Sequence[str]
    layout: Layout
    rank: int | None = None
    role: str = "score"
    by_rank: Gaps | None = None

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


class Listing(Record):
    """Records in the lines of a text. `only_whole`: grades are whole numbers."""

    file: TextFile
    records: Records
    only_whole: bool = False

    @property
    def header(self) -> Sequence[str]:
        """The names of the fields."""
        return self.records.names


class Scanned(NamedTuple):
    """Findings in a text: the docnos and numbers float64[L] of its records, all else, and problems so far."""

    file: TextFile
    docnos: Docnos
    number: Floats
    found: Found
    problems: Problems


def scanned(path: str, file: TextFile, records: Records, threads: int = 1) -> Scanned:
    """The records of a text."""
    role = records.role
    docnos, number, scan = _in_shares(file, records.layout, threads)
    scan = _without_comments(path, file, scan, records)
    problems = Problems(file)
    problems.add("fields", scan.short, lambda i: records.wrong(file, int(scan.short[i])))
    unread = scan.slow[_read_slow(file, scan.slow, number, records.layout.is_whole)]
    if not records.layout.is_whole:  # else `integers` tells
        problems.add(role, unread[:, 1], lambda i: f"{role} {shown(file.token(*unread[i, 1:]))} is not a finite number")
    return Scanned(file, docnos, number, scan, problems)


def _in_shares(file: TextFile, layout: Layout, threads: int) -> tuple[Docnos, Floats, Found]:
    # The docnos and numbers of a text, and what else is found in it; positions are those of the file.
    edges = file.shares(threads)
    shares = len(edges) - 1
    sizes = in_order(lambda share: file.occurrences(edges[share], edges[share + 1]), range(shares), shares)
    room = offsets(list(sizes))
    docnos, number = Docnos.room(file.buffer, room[-1]), np.empty(room[-1])

    def scan(share: int) -> Found:
        here = slice(*room[share : share + 2])
        result: Found = scan_records(edges[share], edges[share + 1], layout, docnos.take(here), number[here], secret())
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
    numbers, wrong = whole(records.number)
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
    if has_fractions(numbers):
        return numbers
    has_points = any(not is_integer(records.file.token(*span)) for span in slow[:, 1:].tolist())
    return whole(numbers)[0] if has_points else None


def _by_topic(records: Scanned, threads: int = 1, mend: str | None = "") -> tuple[list[bytes], Lines, Ints, Ints]:
    """Topics, their lines, those of topics[g] from offsets[g] to offsets[g+1], and int64[D, 2]: lines with a document that
    their topic has before, and the first lines with it. These are problems, of which `mend` says what can be done, unless it
    is None."""
    file, docnos, problems, stretches = records.file, records.docnos, records.problems, records.found.stretches
    places = zip(stretches.start.tolist(), stretches.length.tolist(), strict=True)
    topic_of = [file.token(begin, begin + length) for begin, length in places]
    topics, lines, edges = grouped(topic_of, stretches.line, len(docnos.start))

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


def scanned_run(
    path: str, listing: Listing, threads: int, ties: Ties = "docno", duplicates: Duplicates = "error"
) -> Run:
    """The run in a text; `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document that a
    topic has again. Raises FormatError for what is wrong with it."""
    file, records, by_rank = listing.file, listing.records, listing.records.by_rank
    records_read = scanned(path, file, records, threads)
    _, docnos, score, scan, problems = records_read
    read_ranks = None if records.rank is None else partial(_ranks, records_read, records, records.rank, threads)
    places = precedence(path, "docno" if by_rank else ties, len(score), read_ranks)
    other = scan.tags.other
    mend = None
    if duplicates == "error":
        several = f"; line {file.line_number(other)} has another tag: are these several runs?" if other >= 0 else ""
        mend = several or "; --duplicates first keeps one"
    topics, lines, edges, again = _by_topic(records_read, threads, mend)
    if by_rank and not problems.worded:
        wrong = wrong_ranks(score, lines, edges, by_rank)
        if wrong is not None:
            wrong_lines, reason = wrong
            problems.add("rank", docnos.start[wrong_lines], lambda i: f"rank {spelled(score[wrong_lines[i]])} {reason}")
    problems.refuse(path, len(score), records.expected)
    if by_rank:
        np.negative(score, out=score)
    run = Run(
        path=path, tag=file.token(*scan.tags[:2]), other_tag_line=file.line_number(other) if other >= 0 else None,
        topics=topics, docnos=docnos, score=score, precedence=places, lines=lines, offsets=edges,
        lines_with_extra_fields=scan.lines_with_extra_fields,
    )  # fmt: skip
    return without_duplicates(run, again)


def _ranks(of_run: Scanned, records: Records, rank: int, threads: int) -> Ints:
    # int64[L]: the ranks of lines, which are read only where ties go by them.
    layout = records.layout._replace(number=rank, is_whole=records.layout.separator == BLANK)
    docnos, number, scan = _in_shares(of_run.file, layout, threads)
    _read_slow(of_run.file, scan.slow, number, layout.is_whole)
    return integers(Scanned(of_run.file, docnos, number, scan, of_run.problems), "rank", " (--ties rank)")


def scanned_qrels(path: str, listing: Listing, *, fractions: bool = False) -> Qrels:
    """The judgments in a text. Raises FormatError for what is wrong with them. `fractions`: grades may be no whole numbers."""
    records_read = scanned(path, listing.file, listing.records)
    grade: Array[Any] | None = _with_points(records_read) if fractions and not listing.only_whole else None
    if grade is None:  # what is no number at all has been told
        grade = np.empty(0, np.int64) if "grade" in records_read.problems.counts else integers(records_read, "grade")
    topics, lines, edges, _ = _by_topic(records_read)
    records_read.problems.refuse(path, len(records_read.number), listing.records.expected)
    return sorted_by_topic(topics, records_read.docnos, grade, lines, edges)
