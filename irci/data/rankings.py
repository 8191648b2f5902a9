"""Runs and qrels as arrays, however they were given; those in lines of a text, by the compiled scanner; document identifiers,
as places in the bytes that name them.

Bytes alone say whether two documents are the same.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from irci.base import BLANKS, LINES, FormatError, Problem, UsageError, plural, raw, spelled
from irci.base.choices import Duplicates, Ties
from irci.base.types import Array, Bools, Bytes, Floats, Ints, Ints32, Lines, Words, offsets, owners, ranges
from irci.data.text_files import TextFile, number_in, shown, tell_comments
from irci.kernels.hashing import public_hashes
from irci.kernels.ranking import find_duplicates
from irci.kernels.scan import WHOLE, Layout, scan_records
from irci.kernels.words import BLANK, LONGEST
from irci.measures.scorers import NO_INTENTS
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

    def take(self, rows: Ints | slice) -> "Docnos":
        return Docnos(self.buffer, self.start[rows], self.length[rows], self.hash[rows])

    def public_hashes(self) -> Words:
        """uint64[L]: the hashes that splits and streams are keyed by, the same everywhere. Different docnos may share one."""
        return np.asarray(public_hashes(self))

    def texts(self) -> Iterator[bytes]:
        content = self.buffer.tobytes()
        for start, end in zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True):
            yield content[start:end]


class Run(NamedTuple):
    """One run: L lines of a file, or documents in one, grouped by topic.

    `lines` int32[L] (int64 from 2^31 lines on) are indices into docnos and score, in file order inside a topic; the topic
    named topics[g] has lines[offsets[g]:offsets[g+1]]. `tag` is the first line's; `other_tag_line` a line with another one.
    It is empty where nothing names one. `precedence` int64[L]: which of the documents with equal scores comes first, the
    lowest; int64[0] where docnos decide. `duplicates`: how many documents were left out, as their topic has them with a better
    rank.
    """

    path: str
    topics: list[bytes]
    docnos: Docnos
    score: Floats
    lines: Lines
    offsets: Ints
    precedence: Ints = np.empty(0, np.int64)
    tag: bytes = b""
    other_tag_line: int | None = None
    lines_with_extra_fields: int = 0
    duplicates: int = 0


class Qrels(NamedTuple):
    """Judgments, J rows grouped by topic: topics sorted bytewise, topics[t] has rows offsets[t]:offsets[t+1].
    `path`: the file that they are of; `whole`: all that is in it, if that is more; `intents`: see `JudgedLists`."""

    topics: list[bytes]
    docnos: Docnos
    grade: Array[Any]  # int64[J], or float64[J] where some are no whole numbers
    offsets: Ints
    highest_grade: int  # of the whole file, whatever topics are kept, rounded up
    path: str = ""
    whole: "Qrels | None" = None
    intents: Floats = NO_INTENTS

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
        docnos, whole = self.docnos.take(rows), self.whole or self
        return self._replace(docnos=docnos, grade=self.grade[rows], offsets=offsets, whole=whole)


def judgments_digest(qrels: Qrels) -> str:
    """SHA-256 of judgments, 64 hex digits, whatever format they came in: of lines `topic TAB docno TAB grade LF`, sorted
    bytewise. Of TREC's `awk '{print $1 "\\t" $3 "\\t" $4}' FILE | LC_ALL=C sort | sha256sum` prints it."""
    topics = np.repeat(np.array(qrels.topics, object), np.diff(qrels.offsets))
    # Each is spelled once; by its bits, as -0 is spelled otherwise than 0.
    bits, index = np.unique(qrels.grade.astype(np.float64).view(np.int64), return_inverse=True)
    spellings = np.array([raw(spelled(grade)) for grade in bits.view(np.float64).tolist()], object)[index]
    return digest_of(map(b"\t".join, zip(topics, qrels.docnos.texts(), spellings, strict=True)))


def digest_of(lines: Iterable[bytes]) -> str:
    """SHA-256 of lines, sorted bytewise."""
    import hashlib  # takes time

    return hashlib.sha256(b"".join([line + b"\n" for line in sorted(lines)])).hexdigest()


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


Kind = Literal["run", "qrels"]
OF_SCORES = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
COUNTED = f"where all topics have ranks 1, 2, ... or all 0, 1, ...; {OF_SCORES}"


def are_whole(numbers: Floats) -> Bools:
    """bool[L]: whole numbers, and none that is too large for a double to tell it from the next."""
    return np.asarray((np.abs(numbers) < WHOLE) & (numbers == np.floor(numbers)))


def wrong_ranks(rank: Floats, lines: Lines, edges: Ints, *, has_gaps: bool) -> tuple[Ints, str]:
    """Lines whose rank is none, and why.

    rank float64[L]; lines by topic, those of topic g at edges int64[G+1]. `has_gaps`: ranks may be lacking, as where documents
    were left out; else they are 1, 2, ... in all topics, or 0, 1, ... in all, as what is not said to be ranks must be.
    """
    of_line, topic = rank[lines], owners(edges)
    counted = np.arange(len(lines)) - edges[topic] + (of_line != 0).all()
    if np.array_equal(of_line, counted):
        return lines[:0], ""
    order = np.lexsort((of_line, topic))
    if has_gaps:
        is_again = (np.diff(of_line[order]) == 0) & (np.diff(topic[order]) == 0)
        wrong = np.append(np.flatnonzero(~are_whole(rank) | (rank < 0)), lines[order[1:][is_again]])
        return np.unique(wrong), "is not a whole number from 0 on, once a topic"
    wrong = lines[order[of_line[order] != counted]]
    falls = np.diff(of_line)[np.diff(topic) == 0] < 0
    if not len(wrong) and len(falls) and falls.all():
        return lines[:1], f"first, and the others fall from line to line; {OF_SCORES}"
    return wrong, COUNTED


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


# The numbers of L rows: float64[L], nan for what is none; and what is given for a row, of a text its bytes or number.
Numbers = tuple[Floats, Callable[[int], Any]]


class Form(NamedTuple):
    """The meaning of documents' numbers: `by_rank`, ranks in place of scores, which may have gaps; `is_ambiguous`, grades or
    scores, of which the grades are whole numbers and the scores are not."""

    by_rank: bool = False
    has_gaps: bool = True
    is_ambiguous: bool = False


SCORES = Form()


class DocumentRows:
    """L rows of a run or of judgments, however they were given, grouped by topic as in a Run; and what is wrong with them, of
    which only the first few of a kind are worded, however many there are."""

    tag: bytes = b""
    other_tag_line: int | None = None
    lines_with_extra_fields = 0

    def __init__(
        self, path: str, form: Form, docnos: Docnos, numbers: Numbers, topic_of: Sequence[bytes], begins: Ints,
        line_of: Callable[[int], int | None], ranks: Callable[[], Numbers] | None = None, *, has_lines: bool = True,
    ) -> None:  # fmt: skip
        """`topic_of`: the topics of stretches of rows, which begin at int64[S]; `line_of`: the line of a file that a row is
        on, if it is known; `ranks`: those beside scores, if there are any; `has_lines`: each row has a line of its own."""
        self.path, self.form, self.docnos, self.numbers = path, form, docnos, numbers
        self.topics, self.lines, self.offsets = grouped(topic_of, begins, len(docnos.start))
        self._topic_of, self._begins = topic_of, begins
        self._line_of, self._ranks, self._has_lines = line_of, ranks, has_lines
        self._problems: list[Problem] = []
        self._counts: dict[str, int] = {}

    def _names(self, row: int) -> tuple[str, str]:
        """Topic and document of a row as messages show them."""
        docno = next(self.docnos.take(slice(row, row + 1)).texts())
        return shown(self._topic_of[int(np.searchsorted(self._begins, row, "right")) - 1]), shown(docno)

    def add(
        self, kind: str, rows: Array[Any], reason: Callable[[int], str], line_of: Callable[[int], int] | None = None
    ) -> None:
        """A kind of problem: which rows have it, or other places whose lines are known, and what to say of one."""
        self._counts[kind] = len(rows)
        for row in np.sort(rows)[: 1 + LINES].tolist():
            self._problems.append(Problem((line_of or self._line_of)(row), reason(row), kind))

    def _add_numbers(self, role: str, rows: Array[Any], cell: Callable[[int], Any], reason: str) -> None:
        def reason_of(row: int) -> str:
            place = "" if self._has_lines else "topic {}, document {}: ".format(*self._names(row))
            return f"{place}{role} {shown(cell(row))} {reason}"

        self.add(role, rows, reason_of)

    def _duplicates(self, mend: str | None, threads: int = 1) -> Ints:
        """int64[D, 2]: rows with a document that their topic has before, and the first rows with it. These are problems, of
        which `mend` says what can be done, unless it is None."""

        def of_topics(part: slice) -> Ints:
            return np.asarray(find_duplicates(self.docnos, self.lines, self.offsets[part.start : part.stop + 1]))

        shares = in_shares(of_topics, len(self.topics), threads, len(self.lines))
        again = np.concatenate(shares or [np.empty((0, 2), np.int64)])

        def reason(row: int) -> str:
            topic, docno = self._names(row)
            first_line = self._line_of(again[again[:, 0] == row][0, 1])
            first = "" if first_line is None else f", first on line {first_line}"
            return f"document {docno} twice for topic {topic}{first}{mend}"

        if mend is not None:
            self.add("document", again[:, 0], reason)
        return again

    def _refuse(self) -> None:
        if self._problems:
            raise FormatError(self.path, self._problems, self._counts)

    def run(self, ties: Ties, duplicates: Duplicates, threads: int = 1) -> Run:
        """The run that these are; `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document
        that a topic has again. Raises FormatError for what is wrong with them."""
        (score, cell), by_rank = self.numbers, self.form.by_rank
        role = "rank" if by_rank else "score"
        self._add_numbers(role, np.flatnonzero(~np.isfinite(score)), cell, "is not a finite number")
        precedence: Array[Any] = np.arange(len(score) if ties == "file" and not by_rank else 0)
        if ties == "rank" and not by_rank:
            if self._ranks is None:
                raise UsageError(f"{self.path} has no ranks for --ties rank, as TREC's runs and a column rank have.")
            precedence, rank = self._ranks()
            self._add_numbers("rank", np.flatnonzero(~are_whole(precedence)), rank, "is not an integer (--ties rank)")
        mend = "; --duplicates first keeps one"
        if self.other_tag_line is not None:
            mend = f"; line {self.other_tag_line} has another tag: are these several runs?"
        again = self._duplicates(mend if duplicates == "error" else None, threads)
        if by_rank and not self._problems:
            wrong, reason = wrong_ranks(score, self.lines, self.offsets, has_gaps=self.form.has_gaps)
            self._add_numbers("rank", wrong, cell, reason)
        self._refuse()
        if self.form.is_ambiguous and are_whole(score).all():
            raise FormatError.whole_file(self.path, "BEIR's header of qrels, and whole numbers below it")
        run = Run(
            path=self.path, tag=self.tag, other_tag_line=self.other_tag_line, topics=self.topics, docnos=self.docnos,
            score=-score if by_rank else score, precedence=precedence.astype(np.int64), lines=self.lines,
            offsets=self.offsets, lines_with_extra_fields=self.lines_with_extra_fields,
        )  # fmt: skip
        return without_duplicates(run, again)

    def qrels(self, *, fractions: bool = False) -> Qrels:
        """The judgments that these are. Raises FormatError for what is wrong with them. `fractions`: grades may be no whole
        numbers, but where a run looks like these."""
        grade, cell = self.numbers
        is_whole = are_whole(grade)
        if not fractions or self.form.is_ambiguous or not (np.abs(grade) < WHOLE).all():
            self._add_numbers("grade", np.flatnonzero(~is_whole), cell, "is not an integer")
        self._duplicates("")
        self._refuse()
        order = sorted(range(len(self.topics)), key=self.topics.__getitem__)
        sizes = np.diff(self.offsets)[order]
        rows = self.lines[ranges(self.offsets[order], sizes)]
        return Qrels(
            topics=[self.topics[group] for group in order],
            docnos=self.docnos.take(rows),
            grade=grade[rows].astype(np.int64) if is_whole.all() else grade[rows],
            offsets=offsets(sizes),
            highest_grade=math.ceil(grade.max().item()),
        )


# From lines of a text, by the compiled scanner.


HASHED = (
    "begins with # as comments do, but has the fields of a record ({}): a comment has a blank behind its #;"
    " topics whose names begin with # can be read from csv or JSON"
)


class Records(NamedTuple):
    """Lines of a text that are records: the names of their fields, where they are, and the place of a rank beside a score (-1:
    none)."""

    names: Sequence[str]
    layout: Layout
    rank: int = -1
    form: Form = SCORES

    @property
    def expected(self) -> str:
        return (" " if self.layout.separator == BLANK else ", ").join(self.names)

    def is_record(self, line: bytes) -> bool:
        """True of a line between whose fields are blanks, and whose number is one."""
        fields, layout = line.split(), self.layout
        has_all = len(fields) == layout.fields or (len(fields) > layout.fields and layout.has_more)
        return has_all and math.isfinite(number_in(fields[layout.number]))

    def is_comment(self, line: bytes) -> bool:
        """True of a line that begins with `#`, unless it is a record without a blank behind the mark: a topic may be meant."""
        is_marked = self.layout.separator == BLANK and line.lstrip().startswith(b"#")
        return is_marked and (line.split()[0] == b"#" or not self.is_record(line))

    def wrong(self, line: bytes) -> str:
        """The reason why a line is no record."""
        if len(line) > LONGEST:
            return f"a line of {len(line)} bytes"
        if self.layout.separator == BLANK:
            if line.lstrip().startswith(b"#"):
                return HASHED.format(self.expected)
            return f"{plural(len(line.split()), 'field')}, expected {len(self.names)} ({self.expected})"
        cells = line.split(bytes([self.layout.separator]))
        if len(cells) != len(self.names):
            return f"{plural(len(cells), 'column')}, expected {len(self.names)} as in the header"
        topic, docno = (shown(cells[column].strip(raw(BLANKS))) for column in (self.layout.topic, self.layout.docno))
        return f"topic {topic}, document {docno}: a name is empty, has a blank in it, or is in quotation marks"


def scanned(path: str, file: TextFile, records: Records, threads: int) -> DocumentRows:
    """The rows of the records in a text. Raises FormatError if there is no line but blank ones and comments."""
    docnos, numbers, longer, stretches, unread = _scanned(file, records.layout, threads)
    layout = records.layout._replace(number=records.rank, is_whole=False)

    def row_line(row: int) -> int:
        return file.line_number(int(docnos.start[row]))

    def line_at(start: int) -> bytes:
        return file.token(start, file.line_end(start))

    rows = DocumentRows(
        path, records.form, docnos, numbers, [file.token(*span) for span in stretches[:, 1:3].tolist()], stretches[:, 0],
        row_line, None if records.rank < 0 else lambda: _scanned(file, layout, threads)[1],
    )  # fmt: skip
    rows.lines_with_extra_fields = longer
    tags = [file.token(*span) for span in stretches[:, 3:].tolist()] if layout.tag >= 0 else []
    rows.tag = tags[0] if tags else b""
    other_tags = (stretch for stretch, tag in enumerate(tags) if tag != rows.tag)
    if (stretch := next(other_tags, None)) is not None:
        rows.other_tag_line = row_line(stretches[stretch, 0])
    is_comment = np.array([records.is_comment(line_at(start)) for start in unread.tolist()], np.bool_)
    comments, wrong = unread[is_comment], unread[~is_comment]
    tell_comments(path, len(comments), lambda: file.line_number(comments[0]))
    rows.add("fields", wrong, lambda start: records.wrong(line_at(start)), file.line_number)
    if not len(wrong) and not len(docnos.start):
        raise FormatError.whole_file(path, f"empty file: no line of {records.expected}")
    return rows


def _scanned(file: TextFile, layout: Layout, threads: int) -> tuple[Docnos, Numbers, int, Ints, Ints]:
    """The docnos and numbers of a text, and what else the scanner finds in it: how many lines have more fields, stretches,
    and lines that are no records."""
    edges = file.shares(threads)
    shares = len(edges) - 1
    sizes = in_order(lambda share: file.occurrences(edges[share], edges[share + 1]), range(shares), shares)
    room = offsets(list(sizes))
    size = room[-1]
    docnos = Docnos(file.buffer, np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint64))
    number = np.empty(size)

    def scan(share: int) -> tuple[int, int, Ints, Ints, Ints]:
        own = slice(*room[share : share + 2])
        scans: tuple[int, int, Ints, Ints, Ints] = scan_records(
            edges[share], edges[share + 1], layout, docnos.take(own), number[own], secret()
        )
        return scans

    counts, longer, stretches, unread, slow = zip(*in_order(scan, range(shares), shares), strict=True)
    before = offsets(counts)
    if before[-1] < size:  # blank lines and comments leave room
        filled = slice(before[-1]) if shares == 1 else ranges(room[:-1], np.diff(before))
        docnos, number = docnos.take(filled), number[filled]
    for first, *of_share in zip(before, stretches, slow, strict=False):
        for indexed in of_share:
            indexed[:, 0] += first
    spans = {row: span for row, *span in np.concatenate(slow).tolist()}
    for row, span in spans.items():  # what the scanner left to float()
        number[row] = number_in(file.token(*span))
    numbers = number, lambda row: file.token(*spans[row]) if row in spans else number[row]
    return docnos, numbers, sum(longer), np.concatenate(stretches), np.concatenate(unread)
