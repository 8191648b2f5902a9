"""Findings of compiled scanners in a text, made a run or qrels; and what is wrong with it, told by lines."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, assert_never

import numpy as np

from irci.base.choices import Duplicates, Ties
from irci.base.errors import UsageError
from irci.base.names import spelled
from irci.base.records import Record
from irci.base.types import Floats, Ints, Lines, offsets, owners, ranges
from irci.data.rankings import Docnos, Qrels, Run, grouped, secret, sorted_by_topic
from irci.data.ranks import Gaps, whole, without_duplicates, wrong_ranks
from irci.data.text_files import Problems, TextFile, is_integer, number_in, shown, tell_comments
from irci.kernels.fields import NEWLINE
from irci.kernels.hashing import table_hashes
from irci.kernels.ranking import find_duplicates
from irci.kernels.records import Comments, Found, Stretches
from irci.system.work import in_order, in_shares

NO_PART_OF_NAMES = b" \t\v\f\r\n\0"
Scan = Callable[[int, int, Docnos, Floats], Found]


class Reader(Record):
    """How the records of a text are found, and what is said of those that are none.

    `expected`: what a record is. `scan`: a scanner of the text between two places. `wrong`: what is wrong at a place where
    there is no record. `once`: a byte that each record has at least once. `decode`: names without what is escaped
    in them, no longer than they were, or empty for what is none. `shares`: whether it can be scanned from any line on.
    `is_number`: what the number of a record is, in formats in which a line that begins with # is a comment.
    """

    expected: str
    scan: Scan
    wrong: Callable[[int], str]
    once: int = NEWLINE
    decode: Callable[[list[bytes]], list[bytes]] | None = None
    shares: bool = True
    is_number: Callable[[bytes], bool] | None = None


class Asked(Record):
    """How a run is to be read: by so many threads; what orders documents with equal scores; what becomes of a document that a
    topic has again."""

    threads: int = 1
    ties: Ties = "docno"
    duplicates: Duplicates = "error"


class Scanned(NamedTuple):
    """Findings in a text: the docnos and numbers float64[L] of its records, all else, and problems so far."""

    file: TextFile
    docnos: Docnos
    number: Floats
    found: Found
    problems: Problems


def scanned(path: str, file: TextFile, reader: Reader, what: str, threads: int = 1) -> Scanned:
    """A text as its reader finds it; `what` the numbers are."""
    docnos, number, found = _in_shares(file, reader, threads)
    if reader.is_number is not None:
        found = told_of_comments(path, file, found, reader.expected, reader.is_number)
    problems = Problems(file)
    problems.add("fields", found.short, lambda i: reader.wrong(int(found.short[i])))
    if len(found.escaped) and not len(found.short):
        docnos = docnos._replace(buffer=file.buffer.copy())  # what was read may be looked at elsewhere
        file = problems.file = file._replace(buffer=docnos.buffer)
        _decode(problems, docnos, found, reader)
    unread = found.slow[_read_slow(file, found.slow, number)]
    problems.add(what, unread[:, 1], lambda i: f"{what} {shown(file.token(*unread[i, 1:]))} is not a finite number")
    return Scanned(file, docnos, number, found, problems)


def told_of_comments(path: str, file: TextFile, found: Found, fields: str, is_number: Callable[[bytes], bool]) -> Found:
    """Findings without comments, of which the number is told. Of the lines that begin with # and could not be read those
    are comments too in which the field of the number, the last but the tag in `fields`, is none."""
    place = len(fields.removesuffix(" tag").split()) - 1
    begins = found.short[file.buffer[found.short] == ord("#")].tolist()
    more = [begin for begin in begins if not is_number(file.token(begin, file.line_end(begin)).split()[place])]
    number, first = found.comments
    first = min([*more[:1], *[first] * (number > 0)], default=-1)
    tell_comments(path, number + len(more), lambda: file.line_number(first))
    return found._replace(short=np.setdiff1d(found.short, np.array(more, np.int64))) if more else found


HASHED = "begins with # as comments do, but has the fields of a record"
MEND_HASHED = "a comment has a blank behind its #; topics whose names begin with # can be read from csv or JSON"


def numbers_of(file: TextFile, reader: Reader, threads: int) -> tuple[Floats, dict[int, bytes]]:
    """float64[L]: the numbers that a reader finds, nan for others; and what some of them were written as, by line."""
    _, number, found = _in_shares(file, reader, threads)
    _read_slow(file, found.slow, number)
    return number, {line: file.token(begin, end) for line, begin, end in found.slow.tolist()}


def _in_shares(file: TextFile, reader: Reader, threads: int) -> tuple[Docnos, Floats, Found]:
    # The docnos and numbers of a text, and what else is found in it; positions are those of the file.
    edges = file.shares(threads if reader.shares else 1)
    shares = len(edges) - 1
    sizes = in_order(lambda share: file.occurrences(edges[share], edges[share + 1], reader.once), range(shares), shares)
    room = offsets(list(sizes))
    docnos, number = Docnos.room(file.buffer, room[-1]), np.empty(room[-1])

    def scan(share: int) -> Found:
        here = slice(*room[share : share + 2])
        return reader.scan(edges[share], edges[share + 1], docnos.take(here), number[here])

    found = list(in_order(scan, range(shares), shares))
    lines = np.array([each.lines for each in found])
    if lines.sum() < room[-1]:  # blank lines and comments leave room
        filled = slice(lines[0]) if shares == 1 else ranges(room[:-1], lines)
        docnos, number = docnos.take(filled), number[filled]
    return docnos, number, _joined(file, found)


def _joined(file: TextFile, shares: Sequence[Found]) -> Found:
    # The findings of all shares as one: lines are counted from the first one's.
    before = offsets([share.lines for share in shares])
    stretches = offsets([len(share.stretches.line) for share in shares])
    for share, lines_before, stretches_before in zip(shares, before, stretches, strict=False):
        share.stretches.line[:] += lines_before
        share.slow[:, 0] += lines_before
        share.escaped[:, 0] += np.where(share.escaped[:, 0] < 0, -stretches_before, lines_before)
    tagged = [share for share in shares if share.lines] or shares[:1]
    first = tagged[0]
    tag = file.token(*first.tags[:2])
    # A share whose first tag is not the file's begins with the other tag.
    others = [
        share.tags.other if file.token(*share.tags[:2]) == tag else int(share.stretches.start[0]) for share in tagged
    ]
    return first._replace(
        lines=int(before[-1]),
        stretches=Stretches(*map(np.concatenate, zip(*(share.stretches for share in shares), strict=True))),
        short=np.concatenate([share.short for share in shares]),
        slow=np.concatenate([share.slow for share in shares]),
        escaped=np.concatenate([share.escaped for share in shares]),
        lines_with_extra_fields=sum(share.lines_with_extra_fields for share in shares),
        tags=first.tags._replace(other=next((other for other in others if other >= 0), -1)),
        comments=Comments(
            sum(share.comments.number for share in shares),
            next((share.comments.first for share in shares if share.comments.number), -1),
        ),
    )


def _decode(problems: Problems, docnos: Docnos, found: Found, reader: Reader) -> None:
    # Names without what is escaped in them, in their own places: they are shorter.
    assert reader.decode is not None
    file, (of, begins, ends) = problems.file, found.escaped.T.copy()
    memory = file.buffer.data
    written = [bytes(memory[begin:end]) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    names = reader.decode(written)
    lengths, joined = np.array([len(name) for name in names], np.int32), b"".join(names)
    if not lengths.all() or len(joined.translate(None, NO_PART_OF_NAMES)) < len(joined):
        reasons = {
            place: reason for place, name in enumerate(names) if (reason := unfit(name) if name else "is no text")
        }
        places = np.array([*reasons], np.int64)
        problems.add("name", begins[places], lambda i: f"name {shown(written[places[i]])} {reasons[int(places[i])]}")
    file.buffer[ranges(begins, lengths)] = np.frombuffer(joined, np.uint8)
    is_docno = of >= 0
    lines = of[is_docno]
    docnos.length[lines] = lengths[is_docno]
    found.stretches.length[-1 - of[~is_docno]] = lengths[~is_docno]
    docnos.hash[lines] = table_hashes(file.buffer, docnos.start[lines], docnos.length[lines], secret())


def unfit(name: bytes) -> str:
    """Why something can be no name of a topic or a document; "" if it can."""
    if not name:
        return "is empty"
    if b"\0" in name:
        return "has a NUL in it"
    if b"\n" in name or b"\r" in name:
        return "has a line end in it"
    return "has a blank in it" if name.split() != [name] else ""


def _read_slow(file: TextFile, slow: Ints, number: Floats) -> list[int]:
    # Fill in the numbers the scanner left to float(); return which of these are not finite.
    unread = []
    for i, (line, begin, end) in enumerate(slow.tolist()):
        number[line] = number_in(file.token(begin, end))
        if not math.isfinite(number[line]):
            unread.append(i)
    return unread


class Groups(Record):
    """Lines by topic: those of the topic named topics[g] are lines[offsets[g]:offsets[g+1]]. `again` int64[D, 2]: lines with a
    document that their topic has before, and the first lines with it."""

    topics: list[bytes]
    lines: Lines
    offsets: Ints
    again: Ints


def by_topic(problems: Problems, docnos: Docnos, stretches: Stretches, threads: int = 1) -> Groups:
    """The lines of a file by topic, from stretches of one topic each."""
    places = zip(stretches.start.tolist(), stretches.length.tolist(), strict=True)
    topic_of = [problems.file.token(begin, begin + length) for begin, length in places]
    topics, lines, topic_offsets = grouped(topic_of, stretches.line, len(docnos.start))

    def of_topics(some: slice) -> Ints:
        return np.asarray(find_duplicates(docnos, lines, topic_offsets[some.start : some.stop + 1]))

    pairs = np.concatenate(in_shares(of_topics, len(topics), threads, len(lines)) or [np.empty((0, 2), np.int64)])
    return Groups(topics, lines, topic_offsets, pairs)


def refuse_duplicates(problems: Problems, docnos: Docnos, groups: Groups, mend: str = "") -> None:
    """Documents that a topic has twice are problems; `mend`: what can be done about them."""
    file = problems.file

    def reason(i: int) -> str:
        line, earlier = groups.again[i]
        topic = groups.topics[owners(groups.offsets)[np.flatnonzero(groups.lines == line)[0]]]
        docno = shown(file.token(docnos.start[line], docnos.start[line] + docnos.length[line]))
        first = file.line_number(docnos.start[earlier])
        return f"document {docno} twice for topic {shown(topic)}, first on line {first}{mend}"

    problems.add("document", docnos.start[groups.again[:, 0]], reason)


def as_run(
    path: str, reader: Reader, found: Scanned, asked: Asked, *, ranks: Callable[[], Ints] | None = None, tag: bytes = b"",
    by_rank: Gaps | None = None, meant: Callable[[], str] = str,
) -> Run:  # fmt: skip
    """The run that was found. Raises FormatError for what is wrong with it.

    `ranks`: reads int64[L] the ranks that --ties rank takes, if there are any. `by_rank`: the numbers are ranks. `meant`:
    gives what the file may be instead, or nothing.
    """
    file, docnos, score, scan, problems = found
    precedence = _precedence(path, len(score), asked.ties, ranks)
    groups = by_topic(problems, docnos, scan.stretches, asked.threads)
    if asked.duplicates == "error":
        other = scan.tags.other
        several = f"; line {file.line_number(other)} has another tag: are these several runs?" if other >= 0 else ""
        refuse_duplicates(problems, docnos, groups, several or "; --duplicates first keeps one")
    if by_rank and not problems.worded:
        wrong = wrong_ranks(score, groups.lines, groups.offsets, by_rank)
        if wrong is not None:
            which, reason = wrong
            problems.add("rank", docnos.start[which], lambda i: f"rank {spelled(score[which[i]])} {reason}")
    problems.refuse(path, len(score), reader.expected, meant)
    if by_rank:
        np.negative(score, out=score)
    if len(groups.again):
        lines, edges = without_duplicates(score, precedence, groups.lines, groups.offsets, groups.again)
        groups = groups._replace(lines=lines, offsets=edges)
    return Run(
        path=path,
        tag=tag,
        other_tag_line=file.line_number(scan.tags.other) if scan.tags.other >= 0 else None,
        topics=groups.topics,
        docnos=docnos,
        score=score,
        precedence=precedence,
        lines=groups.lines,
        offsets=groups.offsets,
        lines_with_extra_fields=scan.lines_with_extra_fields,
        duplicates=len(groups.again),
    )


def _precedence(path: str, lines: int, ties: Ties, ranks: Callable[[], Ints] | None) -> Ints:
    # int64[L]: places of lines among those with the same score, the lowest first; ranks are read only here.
    match ties:
        case "docno":
            return np.empty(0, np.int64)
        case "file":
            return np.arange(lines)
        case "rank":
            if ranks is None:
                raise UsageError(f"{path} has no ranks for --ties rank, as TREC's runs and a column rank have.")
            return ranks()
        case _:
            assert_never(ties)


def as_qrels(path: str, reader: Reader, found: Scanned, meant: Callable[[], str] = str) -> Qrels:
    """The judgments that were found, whose numbers are grades. Raises FormatError for what is wrong with them."""
    docnos, number, problems = found.docnos, found.number, found.problems
    groups = by_topic(problems, docnos, found.found.stretches)
    refuse_duplicates(problems, docnos, groups)
    grade, wrong = whole(number)
    exact = {line: token for line, *place in found.found.slow.tolist() if is_integer(token := found.file.token(*place))}
    grade[[*exact]] = [*map(int, exact.values())]  # beyond what a double holds
    wrong = wrong[~np.isin(wrong, [*exact])]
    if not problems.worded:
        problems.add("grade", docnos.start[wrong], lambda i: f"grade {spelled(number[wrong[i]])} is not an integer")
    problems.refuse(path, len(grade), reader.expected, meant)
    return sorted_by_topic(groups.topics, docnos, grade, groups.lines, groups.offsets)
