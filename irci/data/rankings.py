"""Runs and qrels as arrays, however they were given; those in lines of a text, by the compiled scanner, and what is wrong with
one, told by lines; document identifiers, as places in the bytes that name them.

Bytes alone say whether two documents are the same.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from irci.base import BLANKS, LINES, FormatError, Problem, Record, UsageError, plural, raw, spelled
from irci.base.choices import Duplicates, Ties
from irci.base.types import Array, Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.data.text_files import TextFile, is_finite, is_integer, number_in, shown, tell_comments
from irci.kernels.hashing import public_hashes
from irci.kernels.ranking import JudgmentTables, find_duplicates, judgment_tables
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

    def on(self, topics: Iterable[bytes]) -> "Qrels":
        """The judgments of these topics."""
        kept = set(topics)
        return self.only(np.array([topic in kept for topic in self.topics], np.bool_))

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
    sizes = np.diff(topic_offsets)[order]
    rows = lines[ranges(topic_offsets[order], sizes)]
    return Qrels(
        topics=[topics[group] for group in order],
        docnos=docnos.take(rows),
        grade=grade[rows],
        offsets=offsets(sizes),
        highest_grade=math.ceil(grade.max().item()),
    )


OF_SCORES = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"


def whole(numbers: Floats) -> tuple[Ints, Ints]:
    """int64[L]: whole numbers; and the places of those that are none, or too large to tell."""
    is_whole = (np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers))
    return np.where(is_whole, numbers, 0).astype(np.int64), np.flatnonzero(~is_whole)


def are_fractions(numbers: Floats) -> bool:
    """True if all can be grades, and some are no whole numbers."""
    return bool((np.abs(numbers) < WHOLE).all() and (np.floor(numbers) < numbers).any())


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, *, has_gaps: bool) -> tuple[Ints, str] | None:
    """Lines whose rank is none, and why: those of the first kind of which there are some.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1]. `has_gaps`: ranks may be lacking, as where documents
    were left out; else they are 1, 2, ... in all topics, or 0, 1, ... in all, as what is not said to be ranks must be.
    """
    of_line, topic, sizes = rank[lines], owners(edges), np.diff(edges)
    first = edges[:-1][sizes > 0]
    of_first = of_line[first]
    are_counted = np.array_equal(of_line - np.repeat(of_first, sizes[sizes > 0]), np.arange(len(lines)) - edges[topic])
    if (
        are_counted and np.isin(of_first, (0, 1)).all() and (has_gaps or len(set(of_first.tolist())) < 2)
    ):  # as nearly always
        return None
    wrong = np.append(whole(rank)[1], np.flatnonzero(rank < 0))
    if len(wrong):
        return np.unique(wrong), "is not a whole number from 0 on" + f"; {OF_SCORES}" * (not has_gaps)
    order = np.lexsort((of_line, topic))
    again = order[1:][(np.diff(topic[order]) == 0) & (np.diff(of_line[order]) == 0)]
    if len(again):
        return lines[again].astype(np.int64), f"twice in its topic; {OF_SCORES}"
    if has_gaps:
        return None
    counted = np.arange(len(lines)) - edges[topic] + min(of_line.min(), 1)
    others = order[of_line[order] != counted]
    if len(others):
        return lines[others].astype(np.int64), f"where all topics have ranks 1, 2, ... or all 0, 1, ...; {OF_SCORES}"
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if len(falls) and falls.all():
        return lines[first[:1]].astype(np.int64), f"first, and the others fall from line to line; {OF_SCORES}"
    return None


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
    `role`: what their numbers are called, ranks if `by_rank`, which may have gaps; `only_whole`: grades are whole numbers."""

    names: Sequence[str]
    layout: Layout
    rank: int | None = None
    role: str = "score"
    by_rank: bool = False
    has_gaps: bool = True
    only_whole: bool = False

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
        topic, docno = (shown(cells[column].strip(raw(BLANKS))) for column in (self.layout.topic, self.layout.docno))
        return f"topic {topic}, document {docno}: a name is empty, has a blank in it, or is in quotation marks"


class ScannedText:
    """The records that the scanner finds in a text, docnos and numbers float64[L], all else in `found`; and what is wrong with
    them, of which only the first few of a kind are worded, however many there are."""

    def __init__(self, path: str, file: TextFile, records: Records, threads: int = 1) -> None:
        self.path, self.file, self.records, self.threads = path, file, records, threads
        self.docnos, self.number, found = _in_shares(file, records.layout, threads)
        self.found = _without_comments(path, file, found, records)
        self.problems: list[Problem] = []
        self._counts: dict[str, int] = {}
        self.add("fields", self.found.short, lambda i: records.wrong(file, int(self.found.short[i])))
        if records.role != "grade":  # else `integers` tells
            unread = found.slow[~np.isfinite(self.number[found.slow[:, 0]])]
            reason = "is not a finite number"
            self.add(
                records.role, unread[:, 1], lambda i: f"{records.role} {shown(file.token(*unread[i, 1:]))} {reason}"
            )

    def add(self, kind: str, positions: Ints, reason: Callable[[int], str]) -> None:
        """A kind of problem: where it occurs, and what to say of the i-th occurrence."""
        self._counts[kind] = len(positions)
        for i in np.argsort(positions, kind="stable")[: 1 + LINES].tolist():
            self.problems.append(Problem(self.file.line_number(positions[i]), reason(i), kind))

    def refuse(self) -> None:
        """Raise FormatError if there is any problem, or no line at all."""
        if self.problems:
            raise FormatError(self.path, self.problems, self._counts)
        if not len(self.number):
            raise FormatError.whole_file(self.path, f"empty file: no line of {self.records.expected}")

    def integers(self, role: str, number: Floats, slow: Ints, *, has_points: bool, more: str = "") -> Ints:
        """int64[L]: numbers of 18 digits at most, which may end in .0 if they have points; others are problems, with what
        `more` is to be said of them."""
        tokens = {line: self.file.token(*span) for line, *span in slow.tolist()}
        integers, wrong = whole(number)
        not_whole = set(wrong.tolist())
        for line, token in tokens.items():
            if is_integer(token):  # beyond what a double holds
                integers[line] = int(token)
                not_whole.discard(line)
            elif not has_points:
                not_whole.add(line)
        lines = sorted(not_whole)
        spellings = (shown(tokens[line]) if line in tokens else spelled(number[line]) for line in lines[: 1 + LINES])
        reasons = [f"{role} {spelling} is not an integer{more}" for spelling in spellings]
        self.add(role, self.docnos.start[np.array(lines, np.int64)], reasons.__getitem__)
        return integers

    def ranks(self, rank: int) -> Ints:
        """int64[L]: the ranks of lines, which are read only where ties go by them."""
        is_of_trec = self.records.layout.separator == BLANK
        layout = self.records.layout._replace(number=rank, is_whole=is_of_trec)
        _, number, found = _in_shares(self.file, layout, self.threads)
        return self.integers("rank", number, found.slow, has_points=not is_of_trec, more=" (--ties rank)")

    def by_topic(self, mend: str | None = "") -> tuple[list[bytes], Lines, Ints, Ints]:
        """Topics, their lines, those of topics[g] from offsets[g] to offsets[g+1], and int64[D, 2]: lines with a document that
        their topic has before, and the first lines with it. These are problems, of which `mend` says what can be done, unless
        it is None."""
        file, docnos, stretches = self.file, self.docnos, self.found.stretches
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

        shares = in_shares(of_topics, len(topics), self.threads, len(lines))
        again = np.concatenate(shares or [np.empty((0, 2), np.int64)])
        if mend is not None:
            self.add("document", docnos.start[again[:, 0]], reason)
        return topics, lines, edges, again


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
    found = _joined(file, scans)
    for line, begin, end in found.slow.tolist():  # what the scanner left to float()
        number[line] = number_in(file.token(begin, end))
    return docnos, number, found


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


def scanned_run(
    path: str, file: TextFile, records: Records, threads: int, ties: Ties = "docno", duplicates: Duplicates = "error"
) -> Run:
    """The run in a text; `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document that a
    topic has again. Raises FormatError for what is wrong with it."""
    text = ScannedText(path, file, records, threads)
    score, found, by_rank = text.number, text.found, records.by_rank
    read_ranks = None if records.rank is None else partial(text.ranks, records.rank)
    places = precedence(path, "docno" if by_rank else ties, len(score), read_ranks)
    other_tag_line = file.line_number(found.tags.other) if found.tags.other >= 0 else None
    mend = None
    if duplicates == "error":
        several = f"; line {other_tag_line} has another tag: are these several runs?" if other_tag_line else ""
        mend = several or "; --duplicates first keeps one"
    topics, lines, edges, again = text.by_topic(mend)
    if by_rank and not text.problems:
        wrong = wrong_ranks(score, lines, edges, has_gaps=records.has_gaps)
        if wrong is not None:
            wrong_lines, reason = wrong
            text.add(
                "rank", text.docnos.start[wrong_lines], lambda i: f"rank {spelled(score[wrong_lines[i]])} {reason}"
            )
    text.refuse()
    run = Run(
        path=path, tag=file.token(*found.tags[:2]), other_tag_line=other_tag_line, topics=topics, docnos=text.docnos,
        score=-score if by_rank else score, precedence=places, lines=lines, offsets=edges,
        lines_with_extra_fields=found.lines_with_extra_fields,
    )  # fmt: skip
    return without_duplicates(run, again)


def scanned_qrels(path: str, file: TextFile, records: Records, *, fractions: bool = False) -> Qrels:
    """The judgments in a text. Raises FormatError for what is wrong with them. `fractions`: grades may be no whole numbers."""
    text = ScannedText(path, file, records)
    grade: Array[Any] = text.number
    may_be_fractions = fractions and not records.only_whole
    if not (may_be_fractions and are_fractions(grade)):
        has_points = may_be_fractions or not records.layout.is_whole
        grade = text.integers("grade", grade, text.found.slow, has_points=has_points)
    topics, lines, edges, _ = text.by_topic()
    text.refuse()
    return sorted_by_topic(topics, text.docnos, grade, lines, edges)
