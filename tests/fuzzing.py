"""Whatever bytes a file holds, its reader refuses it for a good reason or reads exactly what is there: checks and mutants.

Each check takes the bytes of one file. It hands them to a reader as standard input (the path on which they are unpacked and
read as from disk), and raises Finding if the reader crashed, or took or refused what the plain reader below does not. By
hand: python tests/fuzzing.py SECONDS [SEED [TARGET ...]]
"""

import csv
import gzip
import io
import json
import math
import random
import re
import resource
import signal
import struct
import sys
import time
import traceback
import types
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import naive
import numpy as np

from irci.data import collection, names, text_files
from irci.data import trec_files as trec
from irci.data.collection import Collection, judge
from irci.data.factors import as_lines, read_factors
from irci.data.measures import MAP, Judgments, named
from irci.data.names import raw, text
from irci.data.part_scores import PartScores, read_part_scores
from irci.data.part_scores import saved_text as saved_parts
from irci.data.scores import FORMATS, Scores, read_scores, saved_text
from irci.data.versions import Versions
from irci.errors import DataError, FormatError
from irci.studies.swap_error.counts import read_counts

TESTDATA = Path(__file__).parent.parent / "testdata"
CORPUS = TESTDATA / "fuzz"

Plain = TypeVar("Plain")
Ours = TypeVar("Ours")

BOM = b"\xef\xbb\xbf"
# What a number looks like, in digits of ASCII: float() knows more spellings, which other programs read differently.
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?[0-9]+")
MEMORY = 512 << 20  # bytes that a reader may take beyond what is in use
SECONDS = 5.0  # that a reader may take


class Finding(AssertionError):
    """A reader that crashed, or read what is not there, or refused what it should not; `label` says which, in short."""

    def __init__(self, label: str, detail: object = ""):
        super().__init__(f"{label} {detail}")
        self.label = label


class Refused(Exception):
    """The plain reader's refusal: the lines of the message without the path, and how many problems there are."""

    def __init__(self, reasons: Sequence[str], count: int | None = None):
        super().__init__(*reasons)
        more = (count or 0) - len(reasons[:10])
        self.reasons = [*reasons[:10], *([f" and {more} more lines like these"] if more > 0 else [])]


def expect(condition: bool, label: str, detail: object = "") -> None:
    """A finding unless the condition holds."""
    if not condition:
        raise Finding(label, detail)


# Reading from memory.


def given(data: bytes) -> str:
    """The path under which a reader finds these bytes."""
    sys.stdin = types.SimpleNamespace(buffer=io.BytesIO(data))
    return names.STDIN


@contextmanager
def limits() -> Iterator[None]:
    """No more memory than is decent, and an alarm for readers that hang."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    before = resource.getrlimit(resource.RLIMIT_AS)
    alarm = signal.signal(signal.SIGALRM, _too_slow)
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, alarm)


def _too_slow(*_: object) -> None:
    raise TimeoutError


def outcome(name: str, check: Callable[[bytes], bool], data: bytes) -> bool:
    """Whether a file was accepted. A crash of the reader becomes a finding that names where it happened."""
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            return check(data)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Finding as finding:
        finding.label = f"{name}: {finding.label}"
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame.name for frame in where if "/irci/" in frame.filename]
        place = ours[-1] if ours else where[-1].name
        raise Finding(f"{name}: {type(error).__name__} in {place}", error) from error


# What the plain reader makes of text, runs and qrels.


def plain_text(data: bytes) -> bytes:
    """What is in a file, without a byte order mark."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise Refused([" damaged gzip file"]) from None
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise Refused([f"{line}: binary data (a NUL byte), not text"])
    if b"\r" in data.split(b"\n", 1)[0].rstrip():
        raise Refused([" lines end in CR alone, not in LF or CR LF"])
    return data.removeprefix(BOM)


def content(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the fields of every line that is neither blank nor a comment."""
    for number, line in enumerate(plain_text(data).split(b"\n"), 1):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            yield number, fields


def shown(token: bytes) -> str:
    """A token in a message."""
    escaped = token.decode("utf-8", "backslashreplace")
    return repr(escaped if len(escaped) <= 40 else escaped[:37] + "...")


def number_in(token: str) -> float:
    """The finite number that a token spells, or nan."""
    value = float(token) if DECIMAL.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan


@dataclass
class Lines:
    """What is wrong with the lines of a run or of qrels, and topic -> docno -> line of those that have all fields."""

    names: str
    problems: list[tuple[int, str]] = field(default_factory=list)
    first: dict[bytes, dict[bytes, int]] = field(default_factory=dict)

    def lacks(self, number: int, fields: Sequence[bytes]) -> None:
        """Note a line with too few fields, or too many."""
        many = "field" if len(fields) == 1 else "fields"
        wanted = len(self.names.split())
        hint = "; is this a run? The qrels come first" if (len(fields), wanted) == (6, 4) else ""
        self.problems.append((number, f"{len(fields)} {many}, expected {wanted} ({self.names}){hint}"))

    def seen(self, number: int, topic: bytes, docno: bytes) -> None:
        """Note a document, or that it is there again."""
        first = self.first.setdefault(topic, {}).setdefault(docno, number)
        if first != number:
            again = f"document {shown(docno)} again for topic {shown(topic)} (first on line {first})"
            self.problems.append((number, again))

    def refuse(self) -> None:
        """Refuse the file if anything is wrong or nothing is there."""
        if self.problems:
            raise Refused([f"{number}: {reason}" for number, reason in self.problems], len(self.problems))
        if not self.first:
            raise Refused([f" empty file: no line of {self.names}"])


def plain_run(data: bytes) -> dict[str, Any]:
    """Topics in order, for each its documents with their scores, the tag, the line of another one, lines with more fields."""
    lines = Lines("topic Q0 docno rank score tag")
    scored: dict[bytes, list[tuple[bytes, bytes]]] = {}
    tags: list[tuple[int, bytes]] = []
    longer = 0
    for number, fields in content(data):
        if len(fields) < 6:
            lines.lacks(number, fields)
            continue
        topic, _, docno, _, score, tag, *rest = fields
        value = number_in(score.decode("latin-1"))
        if math.isnan(value):
            lines.problems.append((number, f"score {shown(score)} is not a finite number"))
        lines.seen(number, topic, docno)
        scored.setdefault(topic, []).append((docno, bits(value)))
        tags.append((number, tag))
        longer += bool(rest)
    lines.refuse()
    others = [number for number, tag in tags if tag != tags[0][1]]
    return {
        "topics": list(scored), "scores": scored, "tag": tags[0][1], "other tag": min(others, default=None), "longer": longer,
    }  # fmt: skip


def plain_qrels(data: bytes) -> dict[bytes, dict[bytes, int]]:
    """Topics in bytewise order, for each the documents and their grades."""
    lines = Lines("topic iteration docno grade")
    grades: dict[bytes, dict[bytes, int]] = {}
    for number, fields in content(data):
        if len(fields) != 4:
            lines.lacks(number, fields)
            continue
        topic, _, docno, grade = fields
        if not INTEGER.fullmatch(grade.decode("latin-1")) or len(grade.lstrip(b"+-")) > 18:
            lines.problems.append((number, f"grade {shown(grade)} is not an integer"))
        lines.seen(number, topic, docno)
        grades.setdefault(topic, {})[docno] = int(grade) if not lines.problems else 0
    lines.refuse()
    return dict(sorted(grades.items()))


def bits(value: float) -> bytes:
    """A score to the last bit; the sign of zero, which orders nothing, is not kept."""
    return struct.pack("<d", value + 0.0)


# Runs and qrels as irci reads them, in the plain reader's terms.


def read_run(run: trec.Run) -> dict[str, Any]:
    """The same of irci's reading."""
    docnos = list(run.docnos.texts())
    pairs = [(docnos[line], bits(float(run.score[line]))) for line in run.lines.tolist()]
    edges = run.offsets.tolist()
    scores = {topic: pairs[edges[place] : edges[place + 1]] for place, topic in enumerate(run.topics)}
    return {
        "topics": run.topics, "scores": scores, "tag": run.tag, "other tag": run.other_tag_line,
        "longer": run.lines_with_extra_fields,
    }  # fmt: skip


def read_qrels(qrels: trec.Qrels) -> dict[bytes, dict[bytes, int]]:
    """The same of irci's reading."""
    rows = list(zip(qrels.docnos.texts(), qrels.grade.tolist(), strict=True))
    edges = qrels.offsets.tolist()
    return {topic: dict(rows[edges[place] : edges[place + 1]]) for place, topic in enumerate(qrels.topics)}


def both(plain: Callable[[], Plain], ours: Callable[[], Ours]) -> tuple[Plain, Ours] | None:
    """What both readers make of a file; None if both refuse it, and for the same reasons."""
    try:
        expected = plain()
    except Refused as refused:
        try:
            ours()
        except FormatError as error:
            told = [line.removeprefix(names.STDIN + ":") for line in str(error).splitlines()]
            told = [re.sub(r"(damaged gzip file) \(.*\)", r"\1", line) for line in told]
            expect(told == refused.reasons, "refused for another reason", (told, refused.reasons))
            return None
        raise Finding("accepted", refused.reasons) from None
    try:
        return expected, ours()
    except FormatError as error:
        raise Finding("refused", error) from None


def check_run(data: bytes) -> bool:
    """A run: the very documents, scores and reasons; and AP by some judgments of it."""
    return _check_run(data, threads=1)


def check_shares(data: bytes) -> bool:
    """The same of a run that several threads read, each a share of a few bytes."""
    with mock.patch.object(text_files, "SHARE", 12), mock.patch.object(collection, "MANY_LINES", 1):
        return _check_run(data, threads=3)


def _check_run(data: bytes, threads: int) -> bool:
    found = both(lambda: plain_run(data), lambda: trec.read_run(given(data), threads))
    if found is None:
        return False
    plain, run = found
    read = read_run(run)
    for what, expected in plain.items():
        expect(read[what] == expected, f"{what} read wrongly", (read[what], expected))
    judgments = {
        topic: {docno: zlib.crc32(docno) % 3 for docno, _ in pairs} | {b"unretrieved": 1}
        for topic, pairs in plain["scores"].items()
    }
    # Nothing but a line end at the head, where a topic might be taken for a byte order mark.
    qrels = b"\n" + b"".join(
        b"%b 0 %b %d\n" % (topic, docno, grade)
        for topic, grades in judgments.items()
        for docno, grade in grades.items()
    )
    _check_ap(run, trec.read_qrels(given(qrels)), plain["scores"], judgments, threads)
    return True


def check_qrels(data: bytes) -> bool:
    """Qrels: the very documents, grades and reasons; and AP of a run that retrieves what is judged, but for the last."""
    found = both(lambda: plain_qrels(data), lambda: trec.read_qrels(given(data)))
    if found is None:
        return False
    judgments, qrels = found
    expect(list(judgments) == qrels.topics, "topics read wrongly")
    expect(read_qrels(qrels) == judgments, "grades read wrongly", (read_qrels(qrels), judgments))
    scored = {
        topic: [(docno, zlib.crc32(docno) % 7) for docno in [*list(grades)[:-1], b"unjudged"]]
        for topic, grades in judgments.items()
    }
    lines = (b"%b Q0 %b 0 %d x\n" % (topic, *pair) for topic, pairs in scored.items() for pair in dict(pairs).items())
    run = trec.read_run(given(b"\n" + b"".join(lines)))
    of_run = {topic: [(docno, bits(score)) for docno, score in dict(pairs).items()] for topic, pairs in scored.items()}
    _check_ap(run, qrels, of_run, judgments)
    return True


def _check_ap(
    run: trec.Run,
    qrels: trec.Qrels,
    scores: dict[bytes, list[tuple[bytes, bytes]]],
    judgments: dict[bytes, dict[bytes, int]],
    threads: int = 1,
) -> None:
    """AP of every judged topic against its definition."""
    judged = judge(Collection.of(qrels), run, threads=threads)
    found = MAP.scores(Judgments.of(qrels, 1).of_run(judged)).tolist()
    expected = []
    for topic in qrels.topics:
        grades = judgments[topic]
        ranking = sorted(((struct.unpack("<d", score), docno) for docno, score in scores[topic]), reverse=True)
        relevance = [int(grades.get(docno, 0) > 0) for _, docno in ranking]
        expected.append(naive.average_precision(relevance, sum(grade > 0 for grade in grades.values())))
    close = np.allclose(found, expected, rtol=0, atol=1e-12)
    expect(close, "AP is another", (found, expected))


# Tables of scores: no plain reader of all formats, but what must be so whatever the format.


def numbers_of(data: bytes) -> set[float]:
    """Every number that is spelled out in a file."""
    found = [each[0] for each in DECIMAL.finditer(text(plain_text(data)))]
    return {*map(float, found), *(int(each) for each in found if INTEGER.fullmatch(each) and len(each) < 4000)}


def check_names(*names: str) -> None:
    """Names that can stand in a line of a table: not empty, no tabs, no line ends, bytes when written."""
    for name in names:
        expect(name != "", "an empty name")
        expect(not set(name) & set("\t\n\0"), "a name with a tab or a line end", repr(name))
        raw(name)


def check_scores(data: bytes, form: str | None = None) -> bool:
    """Scores: finite, all of them in the file, under names that can be printed, and the same when saved and read again."""
    try:
        table, _ = read_scores([given(data)], form)
    except (FormatError, DataError) as error:
        expect(str(error).startswith(names.STDIN), "a refusal that does not name the file", error)
        return False
    cells = cells_of(table)
    check_numbers(list(cells.values()), data)
    check_names(*table.runs, *table.topics, *table.values)
    saved = saved_text(table).encode("utf-8", "surrogateescape")
    try:
        again, ((_, recognised),) = read_scores([given(saved)])
    except (FormatError, DataError) as error:
        raise Finding("what was saved is refused", error) from None
    expect(recognised == "long", "what was saved is taken for something else", recognised)
    expect(cells_of(again) == cells, "what was saved is read as something else", (cells, cells_of(again)))
    return True


def cells_of(table: Scores) -> dict[tuple[str, str, str], float]:
    """Run, topic, measure -> score."""
    return {
        (run, topic, measure): value
        for measure, values in table.values.items()
        for run, of_run in zip(table.runs, values.tolist(), strict=True)
        for topic, value in zip(table.topics, of_run, strict=True)
        if not math.isnan(value)
    }


def check_numbers(values: Sequence[float], data: bytes, others: Sequence[int] = ()) -> None:
    """Finite numbers, spelled out in the file, and whole ones of any size."""
    expect(len(values) > 0, "a table without scores")
    expect(all(map(math.isfinite, values)), "a score that is not finite", values)
    strange = {*values, *others} - numbers_of(data)
    expect(not strange, f"a number that is not in the file{spelling(data)}", strange)


def spelling(data: bytes) -> str:
    """Whether something in a file may have been taken for a number that is none."""
    content = text(plain_text(data))
    odd = re.search("[0-9]_[0-9]", content) or any(each.isdigit() and not each.isascii() for each in content)
    return ", oddly spelled" if odd else ""


def check_parts(data: bytes) -> bool:
    """Scores on parts: likewise; and every line has the columns of the header."""
    try:
        table = read_part_scores([given(data)])
    except (FormatError, DataError) as error:
        expect(str(error).startswith(names.STDIN), "a refusal that does not name the file", error)
        return False
    cells = parts_of(table)
    check_numbers(list(cells.values()), data, table.numbers)
    check_names(*table.runs, *table.topics, *table.whole)
    widths = {len(row) for row in plain_cells(data)}
    expect(len(widths) == 1, "lines of different numbers of columns", widths)
    saved = saved_parts(table).encode("utf-8", "surrogateescape")
    expect(parts_of(read_part_scores([given(saved)])) == cells, "what was saved is read as something else")
    return True


def parts_of(table: PartScores) -> dict[tuple[object, ...], float]:
    """Run, topic, measure, split, part -> score."""
    cells: dict[tuple[object, ...], float] = {}
    for measure, whole in table.whole.items():
        tables = {(0, 0): whole}
        for number, of_split in zip(table.numbers, table.splits[measure], strict=True):
            tables |= {(number, part + 1): of_split[:, :, part] for part in range(of_split.shape[2])}
        for (split, part), values in tables.items():
            for topic, of_topic in zip(table.topics, values.tolist(), strict=True):
                for run, value in zip(table.runs, of_topic, strict=True):
                    if not math.isnan(value):
                        cells[run, topic, measure, split, part] = value
    return cells


def plain_lines(data: bytes) -> list[str]:
    """The lines of a text file; blank ones, and comments at its head, are left out."""
    lines = [text(line).rstrip("\r") for line in plain_text(data).split(b"\n") if line.strip()]
    while lines and lines[0].lstrip().startswith("#"):
        del lines[0]
    return lines


def plain_cells(data: bytes) -> list[list[str]]:
    """The cells of csv or tsv."""
    lines = plain_lines(data)
    separate = "\t" in lines[0]
    return [line.split("\t") if separate else next(csv.reader([line])) for line in lines]


def agree(data: bytes, plain: Callable[[], object], ours: Callable[[], object]) -> bool:
    """Whether both readers accept a file, and then read the same. The plain one refuses by Refused, ValueError, csv.Error."""
    try:
        expected = plain()
    except (Refused, ValueError, csv.Error):
        expected = None
    try:
        found = ours()
    except FormatError as error:
        expect(expected is None, "refused", error)
        expect(str(error).startswith(names.STDIN), "a refusal that does not name the file", error)
        return False
    expect(expected is not None, f"accepted{spelling(data)}", found)
    expect(found == expected, "read wrongly", (found, expected))
    return True


def refuse_unless(condition: object) -> None:
    """The plain reader's refusal of a line."""
    if not condition:
        raise ValueError


def plain_versions(data: bytes) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Run, or run and topic id -> what `cell` should answer."""
    lines = [[cell.strip() for cell in line.split("\t")] for line in plain_lines(data)]
    refuse_unless({len(fields) for fields in lines} in ({3}, {5}) and all(map(all, lines)))
    if len(lines[0]) == 3:
        table = {(run, "any"): (system, "any", version) for run, system, version in lines}
    else:
        table = {(run, topic_id): (system, topic, version) for run, topic_id, system, topic, version in lines}
    refuse_unless(len(table) == len(lines))
    return table


def check_versions(data: bytes) -> bool:
    """Files of versions: accepted if lines are three or five full fields, no key twice; every cell as in the file."""

    def ours() -> dict[tuple[str, ...], tuple[str, ...] | None]:
        cell = Versions.of_file(given(data)).cell
        try:
            keys = list(plain_versions(data))
        except (Refused, ValueError):
            keys = []
        expect(cell("no such run", "no such topic") is None, "a cell for what is not there")
        return {(run, topic): cell(run, topic) for run, topic in keys}

    return agree(data, lambda: plain_versions(data), ours)


def plain_factors(data: bytes) -> dict[tuple[str, str], tuple[float, float]]:
    """Topic, measure -> mean and sd."""
    table: dict[tuple[str, str], tuple[float, float]] = {}
    for line in plain_lines(data):
        topic, measure, mean, sd = line.split()
        key = topic, named(measure).name
        refuse_unless(key not in table and number_in(sd) >= 0 and not math.isnan(number_in(mean)))
        table[key] = float(mean), float(sd) + 0.0
    refuse_unless(table)
    return table


def check_factors(data: bytes) -> bool:
    """Files of factors: accepted if lines are topic, measure, mean and sd, none twice; also when written and read again."""
    try:
        topics = list(dict.fromkeys(topic for topic, _ in plain_factors(data)))
    except (Refused, ValueError):
        topics = ["1"]

    def ours(of: bytes = data) -> dict[tuple[str, str], tuple[float, float]]:
        factors = read_factors(given(of), topics)
        return {
            (topic, measure): (mean, 0.0 if math.isnan(sd) else sd)
            for measure, (means, sds) in factors.items()
            for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True)
            if not math.isnan(mean)
        }

    accepted = agree(data, lambda: plain_factors(data), ours)
    if accepted:
        # As above: a topic of another line than the first may look like a byte order mark.
        saved = b"\n" + raw(as_lines(read_factors(given(data), topics), topics))
        expect(ours(saved) == ours(), "what was saved is read as something else")
    return accepted


def plain_counts(data: bytes) -> dict[tuple[str, str], tuple[int, ...]]:
    """Pair -> the three counts."""
    table: dict[tuple[str, str], tuple[int, ...]] = {}
    pairs = set()
    for place, cells in enumerate(plain_cells(data) if plain_lines(data) else []):
        if place == 0 and len(cells) == 5 and not any(map(_is_number, cells[2:])):
            continue
        first, second, *counts = (cell.strip() for cell in cells)
        refuse_unless(len(counts) == 3 and first and second and first != second)
        refuse_unless(frozenset((first, second)) not in pairs and all(map(INTEGER.fullmatch, counts)))
        pairs.add(frozenset((first, second)))
        table[first, second] = tuple(map(int, counts))
        refuse_unless(all(0 <= count < 2**53 for count in table[first, second]))
    refuse_unless(any(map(any, table.values())))
    return table


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def check_counts(data: bytes) -> bool:
    """Files of counts: accepted if lines are two systems and three counts, no pair twice; a header may go before."""
    return agree(data, lambda: plain_counts(data), lambda: read_counts(given(data)))


def check_list(data: bytes) -> bool:
    """Lists of topics or of runs: the lines that are neither blank nor comments."""

    def plain() -> list[bytes]:
        lines = [line.strip() for line in plain_text(data).splitlines()]
        return [line for line in lines if line and not line.startswith(b"#")]

    return agree(data, plain, lambda: text_files.read_lines(given(data)))


def _of_form(form: str) -> Callable[[bytes], bool]:
    return lambda data: check_scores(data, form)


TARGETS: dict[str, Callable[[bytes], bool]] = {
    "run": check_run,
    "shares": check_shares,
    "qrels": check_qrels,
    "scores": check_scores,
    **{f"scores-{form}": _of_form(form) for form in FORMATS},
    "parts": check_parts,
    "versions": check_versions,
    "factors": check_factors,
    "counts": check_counts,
    "list": check_list,
}


# Files to begin with, and what is done to them.

RUN = b"""401 Q0 FT911-1 1 2.5 tag
401 Q0 FT911-2 2 2.5 tag
401 Q0 FT911-22 3 1e-1 tag
402 Q0 LA010189-0001 1 -3.25 tag
402 Q0 FT911-1 2 -7 tag
401 Q0 z 9 0.1000000000000000055511151231257827 tag
"""
QRELS = b"401 0 FT911-1 1\n401 0 FT911-2 0\n401 0 FT911-22 2\n402 0 LA010189-0001 -1\n402 0 a 1\n40 0 b 3\n"
PARTS = b"""run\ttopic\tmeasure\tsplit\tpart\tvalue
a\t1\tmap\t0\t0\t0.5
a\t1\tmap\t1\t1\t0.25
a\t1\tmap\t1\t2\t0.75
b\t1\tmap\t1\t1\t0.125
b\t2\tmap\t1\t2\t1.0
a\t2\tP_10\t2\t1\t0.1
a\t2\tP_10\t2\t2\t0.1
"""
TREC_EVAL = (
    b"map                   \t1\t0.1\nmap                   \t2\t0.5\nP_10                  \t1\t0.3\n"
    b"runid                 \tall\tfirst\nmap                   \tall\t0.3\n"
    b"map                   \t1\t0.2\nrelstring             \t1\t'011'\nmap                   \tall\t0.3\n"
)
JSON = b"""{"query_id": "1", "measure": "AP", "value": 0.5}
{"query_id": "2", "measure": "nDCG@10", "value": 1}
{"query_id": "all", "measure": "AP", "value": 0.25}
"""
SCORES = {
    "trec_eval": [TREC_EVAL],
    "ir_measures": [JSON, b"q1\tnDCG@10\t0.25\nq1\tAP\t0.5\nq2\tnDCG@10\t0.75\nall\tnDCG@10\t0.5\n"],
    "irci": [b"map                   \t1\t0.1\t0.05\t0.2\tbm25\nmap                   \tall\t0.1\tnan\tnan\tbm25\n"],
    "long": [PARTS, b"Query,System,Metric,Score\n2,a,map,.5\n10,a,AP,.25\n2,\"b,c\",P_10,1e-3\nall,a,map,1\n"],
    "matrix": [b"a,b\n.1,.2\n.3,7e-04\n", b"topic\ta\tb\n401\t.1\t.2\n402\t.3\t.4\nall\t.2\t.3\n"],
}  # fmt: skip
SEEDS: dict[str, list[bytes]] = {
    "run": [
        RUN,
        RUN.replace(b"\n", b"\r\n"),
        BOM + b"# comment\n\n" + RUN,
        b"1 Q0 a 1 1 x",
        gzip.compress(RUN, mtime=0),
    ],
    "shares": [RUN, BOM + b"# comment\n\n" + RUN, RUN.replace(b"tag\n402", b"other\n402")],
    "qrels": [QRELS, QRELS.replace(b" ", b"\t"), BOM + b"\n #c\n" + QRELS, gzip.compress(QRELS, mtime=0)],
    "scores": [each for some in SCORES.values() for each in some],
    **{f"scores-{form}": some for form, some in SCORES.items()},
    "parts": [PARTS, PARTS.replace(b"\t", b","), PARTS + PARTS[: PARTS.index(b"\n") + 1]],
    "versions": [b"r1\ts1\tv1\nr2\ts1\tv2\n", b"r\t401-1\ts\t401\t1\nr\t401-2\ts\t401\t2\nq\t401-1\tq\t401\t1\n"],
    "factors": [b"1\tmap\t0.25\t0.125\n2\tmap\t0.5\t0.0\n1\tP_10\t-1e-3\t2\n", b"1 AP 0.1 0.1\n1 recall_5 0.5 0.2\n"],
    "counts": [b"a,b,3,2,1\na,c,0,0,6\n", b"system\tother\tbetter\tworse\tequal\na\tb\t3\t2\t1\nb\tc\t1\t1\t0\n"],
    "list": [b"401\n402\n# c\n\n403\n", b"401\r\n402"],
}
TOKENS = [
    b"1e999", b"-0.0", b"-0", b"1e-320", b"5e-324", b"2.2250738585072011e-308", b"0x1p3", b"1_0", b"nan", b"-inf",
    b"Infinity", b"\x00", b"\r", b"\r\n", b"\n", b"\n\n", b"\x0b", b"\x0c", b"\t", b"  ", BOM, b"#", b" #", b"\x1c",
    b"\x1f", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc2\xa0", b"\xe2\x80\xa8",
    b"\xef\xbc\x91", b"\xd9\xa1", b"+5", b"5.", b".5", b"1e+05", b"1E5", b"1e", b"--1", b"9007199254740993", b"1e23",
    b"123456789012345678901234567890", b"1" * 400, b"0" * 30 + b"1.5", b"x" * 64, b"x" * 5000, b"000000000000000000",
    b"9" * 18, b"9" * 19, b"-9223372036854775808", b'"', b'""', b",", b"'", b"{", b"}", b"[", b":", b"\\u0009",
    b"\\ud800", b"all", b"runid", b"run", b"topic", b"part", b"split", b"value", b"measure", b"map", b"AP", b"P_10",
    b"P_5,10", b"num_ret", b"None", b"null", b"0", b"1", b"2", b"1.0", b"1000000000000", b"iprec_at_recall_0.101",
    b"P_99999999999", b"\x1f\x8b", b"Q0", b"1e16", b"8.5e22", b"1.7976931348623159e308",
]  # fmt: skip
SEPARATED = re.compile(rb"[^\s,]+")


class Mutator:
    """Valid files turned into others, by a generator of its own: the same seed, the same files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ways = [
            self.change_bytes, self.insert_token, self.replace_token, self.swap_tokens, self.duplicate_line, self.swap_lines,
            self.delete_line, self.delete_stretch, self.truncate, self.copy_stretch,
        ]  # fmt: skip

    def mutant(self, seeds: Sequence[bytes]) -> bytes:
        """One of the files, changed in one to six ways; at times spliced with another, at times packed."""
        data = self.random.choice(seeds)
        if data.startswith(text_files.GZIP_MAGIC) and self.random.random() < 0.5:
            return self.change_bytes(data) if self.random.random() < 0.5 else self.truncate(data)
        if data.startswith(text_files.GZIP_MAGIC):
            data = gzip.decompress(data)
        if self.random.random() < 0.1:
            other = self.random.choice(seeds)
            data = data[: self.random.randrange(len(data) + 1)] + other[self.random.randrange(len(other) + 1) :]
        for _ in range(min(1 + int(self.random.expovariate(0.8)), 6)):
            data = self.random.choice(self.ways)(data)
        return gzip.compress(data, 1) if self.random.random() < 0.01 else data

    def _place(self, data: bytes) -> int:
        return self.random.randrange(len(data) + 1)

    def change_bytes(self, data: bytes) -> bytes:
        """A few bytes become others."""
        changed = bytearray(data)
        for _ in range(self.random.randint(1, 3) if data else 0):
            changed[self.random.randrange(len(data))] = self.random.randrange(256)
        return bytes(changed)

    def insert_token(self, data: bytes) -> bytes:
        """Something special anywhere."""
        place = self._place(data)
        return data[:place] + self.random.choice(TOKENS) + data[place:]

    def _tokens(self, data: bytes) -> list[re.Match[bytes]]:
        return list(SEPARATED.finditer(data[:20000]))

    def replace_token(self, data: bytes) -> bytes:
        """Something special, or another of the file's own tokens, in place of one."""
        tokens = self._tokens(data)
        if not tokens:
            return data
        old = self.random.choice(tokens)
        new = self.random.choice(TOKENS) if self.random.random() < 0.7 else self.random.choice(tokens)[0]
        return data[: old.start()] + new + data[old.end() :]

    def swap_tokens(self, data: bytes) -> bytes:
        """Two tokens change places."""
        tokens = self._tokens(data)
        if len(tokens) < 2:
            return data
        a, b = sorted(self.random.sample(tokens, 2), key=lambda found: found.start())
        return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]

    def duplicate_line(self, data: bytes) -> bytes:
        """A line once more, anywhere."""
        lines = data.split(b"\n")
        lines.insert(self.random.randrange(len(lines) + 1), self.random.choice(lines))
        return b"\n".join(lines)

    def swap_lines(self, data: bytes) -> bytes:
        """Two lines change places."""
        lines = data.split(b"\n")
        a, b = (self.random.randrange(len(lines)) for _ in range(2))
        lines[a], lines[b] = lines[b], lines[a]
        return b"\n".join(lines)

    def delete_line(self, data: bytes) -> bytes:
        """A line less."""
        lines = data.split(b"\n")
        del lines[self.random.randrange(len(lines))]
        return b"\n".join(lines)

    def delete_stretch(self, data: bytes) -> bytes:
        """A few bytes less."""
        place = self._place(data)
        return data[:place] + data[place + self.random.randint(1, 8) :]

    def copy_stretch(self, data: bytes) -> bytes:
        """A few bytes of the file somewhere else again."""
        source, target = self._place(data), self._place(data)
        return data[:target] + data[source : source + self.random.randint(1, 40)] + data[target:]

    def truncate(self, data: bytes) -> bytes:
        """The file breaks off."""
        return data[: self._place(data)]


@dataclass
class Report:
    """How many files each target was given and accepted, and the shortest file of each finding."""

    given: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    often: Counter[str] = field(default_factory=Counter)

    def note(self, finding: Finding, data: bytes) -> None:
        """Keep the file if it is the shortest of its kind."""
        self.often[finding.label] += 1
        if finding.label not in self.findings or len(data) < len(self.findings[finding.label][0]):
            self.findings[finding.label] = data, str(finding)[:300]


def fuzz(name: str, number: int, seed: int, report: Report, stop: float = math.inf) -> None:
    """So many mutants for one target, or until `stop` (of the monotonic clock)."""
    mutator = Mutator(seed)
    found = [path.read_bytes() for path in corpus(name) if path.stat().st_size < 4096]
    seeds = SEEDS[name] * (1 + 2 * len(found) // len(SEEDS[name])) + found  # most mutants come from what is valid
    with limits():
        for _ in range(number):
            if time.monotonic() > stop:
                break
            data = mutator.mutant(seeds)
            report.given[name] += 1
            try:
                report.accepted[name] += outcome(name, TARGETS[name], data)
            except Finding as finding:
                report.note(finding, data)


def warm_up() -> None:
    """Have the kernels compiled, which takes longer than a reader may."""
    for data in SEEDS["run"]:
        check_run(data)
    check_shares(RUN)
    check_qrels(QRELS)


def corpus(name: str) -> list[Path]:
    """The files kept for a target: they are named TARGET.what-it-is."""
    return sorted(path for path in CORPUS.glob(f"{name}.*"))


def shrink(name: str, data: bytes, label: str) -> bytes:
    """A shorter file with the same finding: stretches left out as long as that works."""

    def same(candidate: bytes) -> bool:
        try:
            outcome(name, TARGETS[name], candidate)
        except Finding as finding:
            return finding.label == label
        return False

    size = max(len(data) // 2, 1)
    while size:
        place = 0
        while place < len(data):
            candidate = data[:place] + data[place + size :]
            if same(candidate):
                data = candidate
            else:
                place += size
        size //= 2
    return data


def main(seconds: float, seed: int = 0, *names: str) -> None:
    """Fuzz the targets in turns, then print what came out, findings minimised."""
    warm_up()
    began = time.monotonic()
    report = Report()
    turn = 0
    while time.monotonic() < began + seconds:
        for name in names or TARGETS:
            fuzz(name, 1000, seed * 1_000_003 + turn, report, began + seconds)
        turn += 1
    spent = time.monotonic() - began
    for name, count in report.given.items():
        print(f"{name}\t{count}\t{report.accepted[name]} accepted")
    print(f"all\t{report.given.total()}\t{report.given.total() / spent:.0f} a second")
    with limits():
        for label, (data, told) in report.findings.items():
            smallest = shrink(label.split(":")[0], data, label)
            print(json.dumps({"label": label, "times": report.often[label], "file": repr(smallest), "told": told}))


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:])
