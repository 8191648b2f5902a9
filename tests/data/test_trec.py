"""Reading: right means what the naive reader finds, scores to the bit of float(), and the exact message for what is wrong."""

import gzip
import io
import itertools
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import collection
import make
import naive
import numpy as np
import pytest
from helpers import SMALL, TESTDATA, all_written, refusal, unpacked, written
from hypothesis import given
from hypothesis import strategies as st

from irci import base
from irci.base import FormatError
from irci.data import inputs as trec
from irci.data import text_files
from irci.data.collection import judge
from irci.data.rankings import Qrels, Run

TOKEN = st.binary(min_size=1, max_size=24).filter(lambda token: token.split() == [token])
TOKEN = TOKEN.filter(lambda token: b"\0" not in token and not token.startswith((b"\xef\xbb\xbf", b"\x1f\x8b")))


@pytest.mark.parametrize(
    "token", ["0x10", "1e", "1e+", ".", "+", "-", "e5", "1.2.3", "--1", "1d5", "1e5.0", "infinity", "high", "１"]
)
def test_what_is_no_number(tmp_path: Path, token: str) -> None:
    path = written(tmp_path / "run", f"1 Q0 a 1 {token} tag\n")
    assert refusal(lambda: trec.read_run(path), path) == [f":1: score '{token}' is not a finite number"]


@pytest.mark.parametrize("number", ["1.5", "-12.3456", "12345678.12345678", "1.1234567890123456", "12"])
def test_any_byte_anywhere_in_a_number_against_float(number: str, tmp_path: Path) -> None:
    """What float() reads, and no more, but for the underscore and what is not ASCII."""
    accepted: dict[bytes, float] = {}
    refused: list[bytes] = []
    for place, byte in itertools.product(range(len(number)), range(1, 256)):
        token = number[:place].encode() + bytes([byte]) + number[place + 1 :].encode()
        if token.split() != [token]:
            continue
        try:
            expected = float(token.replace(b"_", b"?"))
        except ValueError:
            expected = math.inf
        if math.isinf(expected):
            refused.append(token)
        else:
            accepted[token] = expected

    def scores_of(tokens: Iterable[bytes]) -> list[float]:
        lines = (b"1 Q0 d%d 1 %b x\n" % pair for pair in enumerate(tokens))
        return trec.read_run(written(tmp_path / "run", b"".join(lines))).score.tolist()

    assert scores_of(accepted) == list(accepted.values())
    (told,) = refusal(lambda: scores_of(refused))  # all, as none is among the lines that are not counted
    more = f"(and {len(refused) - 1} more lines: 2, 3, 4, ...)"
    assert re.fullmatch(rf".*:1: score .* is not a finite number {re.escape(more)}", told)


@pytest.mark.parametrize("line", [
    "%s Q0 a 1 2.5 x\n", "1 Q0 %s 1 2.5 x\n", "1 Q0 %s 1 2.5 %s\n", "1 Q0 %s 1 2.5 x\r\n", "1 Q0 %s 1 2.5 x y\n",
    " 1 Q0 %s 1 2.5 x\n", "1 Q0 %s  1 2.5 x\n", "1\tQ0\t%s\t1\t2.5\tx\n", "1 Q0 %s 1\v2.5\fx \n", "1 Q0 \1%s\37 1 2.5 x\n",
    "1 Q0 %s 1 2.5 \n", "1 Q0 %s 1 2.5\n",
])  # fmt: skip
def test_lines_of_every_length_against_split(line: str, tmp_path: Path) -> None:
    """Fields are sought for in blocks of 64 bytes: whatever their places in these, they are found."""
    lines = [line.replace("%s", f"{length:03d}" + "d" * length) for length in range(150)]
    path = written(tmp_path / "run", "".join(lines))
    fields = [each.encode().split() for each in lines]
    if len(fields[0]) < 6:
        assert "and 149 more lines: 2, 3, 4, ..." in refusal(lambda: trec.read_run(path))[0]
        return
    run = trec.read_run(path)
    topics = [run.topics[np.searchsorted(run.offsets, place, "right") - 1] for place in range(150)]
    assert [run.lines.tolist(), topics] == [list(range(150)), [each[0] for each in fields]]
    assert list(run.docnos.texts()) == [each[2] for each in fields]
    assert run.score.tolist() == [2.5] * 150
    assert run.tag == fields[0][5]
    assert run.other_tag_line == (2 if fields[0][5] != fields[1][5] else None)
    assert run.lines_with_extra_fields == (150 if len(fields[0]) > 6 else 0)


def small(name: str) -> tuple[Qrels, Run]:
    return trec.read_qrels(str(SMALL / "qrels.txt")), trec.read_run(str(SMALL / "runs" / name))


@pytest.mark.parametrize("name", ["alpha.run", "charlie.run.gz", "delta.run.gz", "echo.run.gz"])
def test_judged_ranks_against_naive(name: str) -> None:
    """On testdata: charlie has a thousand ties, delta misses a topic."""
    judgments, rankings = naive.read_qrels(str(SMALL / "qrels.txt")), naive.read_run(str(SMALL / "runs" / name))
    qrels, run = small(name)
    judged = judge(qrels, run)
    for number, topic in enumerate(qrels.topics):
        ranked, grades = enumerate(rankings.get(topic, []), 1), judgments[topic]
        found = slice(judged.offsets[number], judged.offsets[number + 1])
        pairs = zip(judged.ranks[found], qrels.grade[judged.rows[found]], strict=True)
        assert list(pairs) == [(rank, grades[docno]) for rank, docno in ranked if docno in grades]
        assert judged.missing[number] == (topic not in rankings)


def test_ties_that_touch_a_judged_document(tmp_path: Path) -> None:
    ranked = "".join(f"1 Q0 {docno} 0 {score} x\n" for docno, score in zip("abcdef", "332111", strict=True))
    qrels, run = all_written(tmp_path, {"qrels": "1 0 a 0\n1 0 c 1\n1 0 e 1\n", "run": ranked})
    judged = judge(trec.read_qrels(qrels), trec.read_run(run))
    assert judged.tied.tolist() == [2]  # a with b, e with d and f; c stands alone


@given(docnos=st.lists(TOKEN, min_size=1, max_size=8, unique=True))
def test_docno_hash_against_naive(tmp_path_factory: pytest.TempPathFactory, docnos: list[bytes]) -> None:
    text = b"".join(b"1 Q0 %b 1 1 x\n" % docno for docno in docnos)
    path = written(tmp_path_factory.mktemp("run") / "run", text)
    assert trec.read_run(path).docnos.public_hashes().tolist() == [naive.docno_hash(docno) for docno in docnos]


@pytest.mark.parametrize("name", sorted(make.BAD))
def test_bad_files(name: str) -> None:
    path, (content, reasons) = TESTDATA / "bad" / name, make.BAD[name]
    assert path.read_bytes() == content
    told = refusal(lambda: (trec.read_run if name.endswith(".run") else trec.read_qrels)(str(path)), path)
    assert told == [f"{':' if reason[0].isdigit() else ': '}{reason}" for reason in reasons]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = gzip.compress(b"1 Q0 a 1 2 x")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    run = trec.read_run("-")
    assert (run.topics, run.tag, run.score.tolist()) == ([b"1"], b"x", [2.0])


def test_names_from_files() -> None:
    expected = {"runs/input.Sab8A1.gz": "Sab8A1", "a.run": "a", "a.b.txt.gz": "a.b", "/x/bm25": "bm25", ".gz": ".gz"}
    assert {path: base.file_name(path) for path in expected} == expected
    assert base.file_name("-") == "stdin"


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        pytest.param(SMALL, make.small_files, marks=pytest.mark.check),
        pytest.param(TESTDATA, collection.files, marks=pytest.mark.slow),
    ],
)
def test_testdata_is_what_the_script_makes(folder: Path, files: Callable[[], dict[str, str]]) -> None:
    for name, content in files().items():
        path = folder / name
        assert unpacked(path if path.exists() else folder / f"{name}.gz") == content.encode()
    assert make.other_judge((SMALL / "qrels.txt").read_text()) == (SMALL / "llm.txt").read_text()


def test_many_problems_are_counted_but_not_worded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To find a line's number means counting newlines: done for what is shown, or a wrong file would take for ever."""
    path, asked = written(tmp_path / "run", "1 Q0 a 1 2\n" * 5000 + "1 Q0 a 1 x t\n" * 5000), []
    monkeypatch.setattr(text_files.TextFile, "line_number", lambda self, position: asked.append(position) or 1)
    told = "\n".join(refusal(lambda: trec.read_run(path)))
    assert re.findall(r"and (\d+) more", told) == ["4999", "4999", "4998"]
    assert len(asked) < 50


@pytest.mark.usefixtures("many_threads")
def test_topics_are_shared_out_to_threads() -> None:
    qrels, run = small("charlie.run.gz")
    alone, shared = judge(qrels, run), judge(qrels, run, threads=3)
    for name in ("offsets", "ranks", "rows", "retrieved", "tied", "missing", "lines", "line_offsets"):
        assert (getattr(shared, name) == getattr(alone, name)).all(), name


PACKED = gzip.compress(b"1 0 a 1\n" * 500, mtime=0)


@pytest.mark.parametrize(
    "content",
    [
        PACKED, PACKED + PACKED, PACKED + bytes(9), PACKED + b"x", PACKED + b"\x1f\x8b", PACKED[:-1], PACKED[:-9], PACKED[:15],
        PACKED[:-8] + bytes(8), PACKED[:-4] + b"\xff\xff\xff\x7f", PACKED[:30] + b"\xff" + PACKED[31:],
        gzip.compress(b"", mtime=0), b"\x1f\x8b",
    ],
)  # fmt: skip
def test_gzip_is_unpacked_as_by_pythons_module(content: bytes) -> None:
    try:
        expected = gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        with pytest.raises(FormatError, match=r"^x.gz: damaged gzip file \("):
            text_files.read_bytes("x.gz", content)
    else:
        buffer, size = text_files.read_bytes("x.gz", content)
        assert buffer[:size].tobytes() == expected


def test_a_checksum_is_called_as_it_is() -> None:
    with pytest.raises(FormatError, match=r"^x.gz: damaged gzip file \(CRC check failed"):
        text_files.read_bytes("x.gz", PACKED[:-8] + bytes(8))
