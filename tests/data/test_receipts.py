"""Digests of what is read: those that other tools print, and of judgments the same for every format."""

import hashlib
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command_lines import printed
from helpers import SMALL, all_written, inputs_of, unpacked, written

from irci.data.rankings import judgments_digest

QRELS, RUN, PACKED = SMALL / "qrels.txt", SMALL / "runs" / "alpha.run", SMALL / "runs" / "bravo.run.gz"
SHELL = 'awk \'{print $1 "\\t" $3 "\\t" $4}\' | LC_ALL=C sort | sha256sum'


def digest_of(lines: list[tuple[str, str, int]]) -> str:
    """That of judgments, by the definition."""
    ordered = sorted(lines, key=lambda line: (line[0].encode(), line[1].encode()))
    text = "".join(f"{topic}\t{docno}\t{grade}\n" for topic, docno, grade in ordered)
    return hashlib.sha256(text.encode()).hexdigest()


def judgments(path: str) -> str:
    return judgments_digest(inputs_of().read_qrels(path))


def by_shell(qrels: bytes) -> str:
    return subprocess.run(SHELL, shell=True, input=qrels, capture_output=True, check=True).stdout.split()[0].decode()


def test_files_against_other_tools() -> None:
    """The bytes of a file, unpacked, as `zcat | sha256sum` has them; judgments as awk and sort put them in order."""
    signature = json.loads(printed("compare", "--format", "json", "--quiet", QRELS, RUN, PACKED))["signature"]
    for path in (RUN, PACKED):
        assert signature[f"sha256:{path}"] == hashlib.sha256(unpacked(path)).hexdigest()
    assert signature[f"judgments:{QRELS}"] == by_shell(QRELS.read_bytes())
    assert [name for name in signature if name.endswith(str(QRELS))] == [f"judgments:{QRELS}"]


@pytest.mark.parametrize("seed", range(6))
def test_judgments_against_the_definition(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Docnos of any bytes and lengths, some of which others begin with; negative grades, and rare ones; topics in shares."""
    draw = np.random.default_rng(seed)
    letters = ["a", "aa", "b", "é", "~", "0", "A" * 9]
    docnos = sorted({"".join(draw.choice(letters, draw.integers(1, 9))) for _ in range(60)})
    grades = [0, 1, 2, -1, 10**15] if seed % 2 else [0, 1]
    topics = draw.permutation([1, 2, 10, 100, 11])
    pairs = [(str(topic), docno) for topic in topics for docno in draw.permutation(docnos[: draw.integers(1, 60)])]
    judged = [(*pair, int(draw.choice(grades))) for pair in pairs]
    text = "".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in judged)
    assert judgments(written(tmp_path / "qrels.txt", text)) == digest_of(judged)


def test_what_is_read_by_the_way_is_hashed_too(tmp_path: Path) -> None:
    """Lists of topics and of runs, rules, standard input."""
    listed, topics = map(Path, all_written(tmp_path, {"runs.txt": f"{PACKED}\n{RUN}\n", "topics.txt": "1\n5\n"}))
    words = ["--topics", f"@{topics}", "--clusters", SMALL / "clusters.txt", "--quiet"]
    qrels = QRELS.read_text() + "1 0 d7 1\n"
    found = printed("map-ci", *words, "--population", "topics", "--format", "json", "-", f"@{listed}", given=qrels)
    signature = json.loads(found)["signature"]
    told = {name: digest for name, digest in signature.items() if name.startswith("sha256:")}
    files = (RUN, listed, topics, SMALL / "clusters.txt", PACKED)
    assert told == {f"sha256:{path}": hashlib.sha256(unpacked(path)).hexdigest() for path in files}
    assert signature["judgments:-"] == by_shell(qrels.encode())


@pytest.mark.check
def test_receipts_stand_where_there_is_a_place_for_them() -> None:
    words = ["--quiet", QRELS, RUN, PACKED]
    for form in ("text", "table", "markdown", "latex", "tsv", "csv", "jsonl"):
        assert "sha256:" not in printed("compare", "--format", form, *words)
    for form in ("json", "html"):
        assert f"sha256:{RUN}" in printed("compare", "--format", form, *words)
