"""Runs and qrels: the plain reader of both, and checks that irci reads the same and computes the same AP."""

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import naive
import numpy as np

from fuzzing.findings import expect, given
from fuzzing.plain_text import Refused, both, content, is_finite, is_whole, number_in, shown
from irci import system
from irci.base import FormatError
from irci.data import text_files
from irci.data.collection import judge
from irci.data.inputs import TREC
from irci.data.rankings import Qrels, Run, scanned
from irci.data.text_files import TextFile
from irci.measures import MAP, JudgedLists

HASHED = (
    "begins with # as comments do, but has the fields of a record ({}): a comment has a blank behind its #; topics whose names"
    " begin with # can be read from csv or JSON"
)

Scores = dict[bytes, list[tuple[bytes, bytes]]]  # topic -> documents with their scores
Grades = dict[bytes, dict[bytes, int]]


@dataclass
class Lines:
    """What is wrong with the lines of a run or of qrels, and topic -> docno -> line of those that have all fields."""

    names: str
    problems: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    first: Grades = field(default_factory=dict)
    mend: str = ""

    def lacks(self, number: int, fields: Sequence[bytes]) -> None:
        """Note a line with too few fields, or too many, or with what may be the name of a topic or a comment."""
        many = "field" if len(fields) == 1 else "fields"
        wanted = len(self.names.split())
        reason = f"{len(fields)} {many}, expected {wanted} ({self.names})"
        self.wrong("fields", number, HASHED.format(self.names) if fields[0].startswith(b"#") else reason)

    def wrong(self, kind: str, number: int, reason: str) -> None:
        """Note that something of a kind is wrong with a line."""
        self.problems.setdefault(kind, []).append((number, reason))

    def seen(self, number: int, topic: bytes, docno: bytes) -> None:
        """Note a document, or that it is there again."""
        first = self.first.setdefault(topic, {}).setdefault(docno, number)
        if first != number:
            again = f"document {shown(docno)} twice for topic {shown(topic)}, first on line {first}"
            self.wrong("again", number, again)

    def refuse(self) -> None:
        """Refuse the file if anything is wrong or nothing is there: each kind once, where it is found first."""
        if self.problems:
            told = []
            for kind, alike in self.problems.items():
                (number, reason), *others = alike
                reason += self.mend * (kind == "again")
                lines = ", ".join([*(str(other) for other, _ in others[:3]), *(["..."] if len(others) > 3 else [])])
                more = f" (and {len(others)} more line{'s' * (len(others) > 1)}: {lines})" if others else ""
                told.append((number, f"{number}: {reason}{more}"))
            raise Refused([line for _, line in sorted(told, key=lambda each: each[0])])
        if not self.first:
            raise Refused([f" empty file: no line of {self.names}"])


def plain_run(data: bytes) -> dict[str, Any]:
    """Topics in order, for each its documents with their scores, the tag, the line of another one, lines with more fields."""
    lines = Lines("topic Q0 docno rank score tag", mend="; --duplicates first keeps one")
    scored: Scores = {}
    tags: list[tuple[int, bytes]] = []
    longer = 0
    for number, fields in content(data, range(6, 10**6), 4, is_finite):
        if len(fields) < 6 or fields[0].startswith(b"#"):
            lines.lacks(number, fields)
            continue
        topic, _, docno, _, score, tag, *rest = fields
        value = number_in(score.decode("latin-1"))
        if math.isnan(value):
            lines.wrong("score", number, f"score {shown(score)} is not a finite number")
        lines.seen(number, topic, docno)
        scored.setdefault(topic, []).append((docno, bits(value)))
        tags.append((number, tag))
        longer += bool(rest)
    others = [number for number, tag in tags if tag != tags[0][1]]
    if others:
        lines.mend = f"; line {others[0]} has another tag: are these several runs?"
    lines.refuse()
    other_tag = others[0] if others else None
    return {"topics": [*scored], "scores": scored, "tag": tags[0][1], "other tag": other_tag, "longer": longer}


def plain_qrels(data: bytes) -> Grades:
    """Topics in bytewise order, for each the documents and their grades."""
    lines = Lines("topic iteration docno grade")
    grades: Grades = {}
    for number, fields in content(data, [4], 3, is_finite):
        if len(fields) != 4 or fields[0].startswith(b"#"):
            lines.lacks(number, fields)
            continue
        topic, _, docno, grade = fields
        if not is_whole(grade):
            lines.wrong("grade", number, f"grade {shown(grade)} is not an integer")
        lines.seen(number, topic, docno)
        grades.setdefault(topic, {})[docno] = int(float(grade)) if not lines.problems else 0
    lines.refuse()
    return dict(sorted(grades.items()))


def bits(value: float) -> bytes:
    """A score to the last bit; the sign of zero, which orders nothing, is not kept."""
    return struct.pack("<d", value + 0.0)


# Runs and qrels as irci reads them, in the plain reader's terms.


def read_run(run: Run) -> dict[str, Any]:
    """The same of irci's reading."""
    docnos = list(run.docnos.texts())
    pairs = [(docnos[line], bits(float(run.score[line]))) for line in run.lines.tolist()]
    edges = run.offsets.tolist()
    scores = {topic: pairs[edges[place] : edges[place + 1]] for place, topic in enumerate(run.topics)}
    tags = {"tag": run.tag, "other tag": run.other_tag_line, "longer": run.lines_with_extra_fields}
    return {"topics": run.topics, "scores": scores} | tags


def read_qrels(qrels: Qrels) -> Grades:
    """The same of irci's reading."""
    rows = list(zip(qrels.docnos.texts(), qrels.grade.tolist(), strict=True))
    edges = qrels.offsets.tolist()
    return {topic: dict(rows[edges[place] : edges[place + 1]]) for place, topic in enumerate(qrels.topics)}


def trec_of(data: bytes, threads: int = 1) -> Run:
    """A TREC run, whatever its first line."""
    return scanned(given(data), TextFile.read(given(data)), TREC["run"], threads).run("docno", "error", threads)


def trec_qrels(data: bytes, **options: bool) -> Qrels:
    """TREC qrels likewise."""
    return scanned(given(data), TextFile.read(given(data)), TREC["qrels"], 1).qrels(**options)


def check_run(data: bytes) -> bool:
    """A run: the very documents, scores and reasons; and AP by some judgments of it."""
    return _check_run(data, threads=1)


def check_shares(data: bytes) -> bool:
    """The same of a run that several threads read, each a share of a few bytes."""
    with mock.patch.object(text_files, "SHARE", 12), mock.patch.object(system, "FEW_STEPS", -1):
        return _check_run(data, threads=3)


def _check_run(data: bytes, threads: int) -> bool:
    found = both(lambda: plain_run(data), lambda: trec_of(data, threads), exactly=True)
    if found is None:
        return False
    plain, run = found
    read = read_run(run)
    for what, expected in plain.items():
        expect(read[what] == expected, f"{what} read wrongly", (read[what], expected))
    retrieved = {topic: [docno for docno, _ in pairs] for topic, pairs in plain["scores"].items()}
    judgments = {
        of: {docno: zlib.crc32(docno) % 3 for docno in retrieved[of]} | {b"unretrieved": 1} for of in retrieved
    }
    # Nothing but a line end at the head, where a topic might be taken for a byte order mark.
    judged = ((topic, *pair) for topic, grades in judgments.items() for pair in grades.items())
    qrels = b"\n" + b"".join(b"%b 0 %b %d\n" % line for line in judged)
    _check_ap(run, trec_qrels(qrels), plain["scores"], judgments, threads)
    return True


def check_qrels(data: bytes) -> bool:
    """Qrels: the very documents, grades and reasons; and AP of a run that retrieves what is judged, but for the last."""
    found = both(lambda: plain_qrels(data), lambda: trec_qrels(data), exactly=True)
    _check_fractions(data, None if found is None else found[0])
    if found is None:
        return False
    judgments, qrels = found
    expect(list(judgments) == qrels.topics, "topics read wrongly")
    expect(read_qrels(qrels) == judgments, "grades read wrongly", (read_qrels(qrels), judgments))
    retrieved = {topic: [*list(grades)[:-1], b"unjudged"] for topic, grades in judgments.items()}
    scored = {topic: [(docno, zlib.crc32(docno) % 7) for docno in docnos] for topic, docnos in retrieved.items()}
    lines = (b"%b Q0 %b 0 %d x\n" % (topic, *pair) for topic, pairs in scored.items() for pair in dict(pairs).items())
    run = trec_of(b"\n" + b"".join(lines))
    of_run = {topic: [(docno, bits(score)) for docno, score in dict(pairs).items()] for topic, pairs in scored.items()}
    _check_ap(run, qrels, of_run, judgments)
    return True


def _check_fractions(data: bytes, judgments: Grades | None) -> None:
    """Where grades may have fractions whole ones are the same, and others are float's."""
    try:
        found = read_qrels(trec_qrels(data, fractions=True))
    except FormatError as error:
        expect(judgments is None, "refused where grades may have fractions", error)
        return
    if judgments is None:
        text = TextFile.read(given(data))
        lines = text.content.split(b"\n")
        fields = [line.split() for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
        judgments = {topic: {} for topic, *_ in sorted(fields)}
        for topic, _, docno, grade, *_ in fields:
            judgments[topic][docno] = float(grade)  # type: ignore[assignment]
    expect(found == judgments, "fractions read wrongly", (found, judgments))


def _check_ap(run: Run, qrels: Qrels, scores: Scores, judgments: Grades, threads: int = 1) -> None:
    """AP of every judged topic against its definition."""
    judged = judge(qrels, run, threads=threads)
    found = MAP.scores(JudgedLists.of_no_run(qrels, 1).of_run(judged)).tolist()
    expected = []
    for topic in qrels.topics:
        grades = judgments[topic]
        ranking = sorted(((struct.unpack("<d", score), docno) for docno, score in scores[topic]), reverse=True)
        relevance = [int(grades.get(docno, 0) > 0) for _, docno in ranking]
        expected.append(naive.average_precision(relevance, sum(grade > 0 for grade in grades.values())))
    close = np.allclose(found, expected, rtol=0, atol=1e-12)
    expect(close, "AP is another", (found, expected))
