"""--ignore-identical-ids: documents that have the id of their topic, left out as BEIR does."""

from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, printed, rows, warnings_of
from helpers import SMALL, all_written

QRELS, ASKED = SMALL / "qrels.txt", "--ignore-identical-ids"


@pytest.fixture(params=["auto", "zero"])
def missing(request: pytest.FixtureRequest) -> str:
    """How missing topics are dealt with; only zero takes a topic of which nothing is left for a missing one."""
    return str(request.param)


@pytest.fixture
def files(tmp_path: Path, missing: str) -> list[str]:
    """Qrels, and two runs with topics' own documents among others that begin or end alike; what BEIR leaves of these."""
    rng = np.random.default_rng(4)
    topics = [f"q{number}" for number in range(1, 13)]
    docnos = [*topics, *(f"{topic}0" for topic in topics), *(f"x{topic}" for topic in topics), "q", "Q1"]
    judged = "".join(f"{topic} 0 {docno} {rng.integers(0, 3)}\n" for topic in topics for docno in docnos[::2])
    texts = {"qrels": judged, "r1": "", "r2": "", "r1.left": "", "r2.left": ""}
    for name in ("r1", "r2"):
        run = {topic: {docno: rng.integers(1, 30) for docno in rng.permutation(docnos)[:20]} for topic in topics}
        run["q2"] = {"q2": 1} | ({"q1": 0.5} if missing == "auto" else {})
        for topic, docno, score in ((topic, *pair) for topic, of in run.items() for pair in of.items()):
            line = f"{topic} Q0 {docno} 0 {score} {name}\n"
            texts[name] += line
            texts[f"{name}.left"] += line * (docno != topic)
    return all_written(tmp_path, texts)


@pytest.mark.parametrize(
    "command",
    ["ap-ci -q -B 50 -m map -m nDCG@10", "ap-ci -q -B 0 -M 3 -m P_5 -m num_ret", "ap-ci --population judgments",
     "compare -m nDCG@10", "compare --population judgments", "stdap-ci --standardise none",
     "swap-error --sizes 5 --trials 2", "wcw", "partition-anova --policy drop -B 50"],
)  # fmt: skip
def test_what_is_left_is_as_if_nothing_else_had_been_retrieved(command: str, files: list[str], missing: str) -> None:
    """Document by document, before the cut of -M; a topic without any is as a missing one, scored 0."""
    asked, (qrels, *runs) = [*command.split(), "--quiet", "--missing", missing], files
    found = printed(*asked, ASKED, qrels, *runs[:2])
    assert found == printed(*asked, qrels, *runs[2:])
    assert found != printed(*asked, qrels, *runs[:2])


def test_a_run_of_which_nothing_is_left_was_made(files: list[str]) -> None:
    """Its score on the topic is 0, and it lacks none."""
    report = irci("map-ci", "--population", "topics", "-q", ASKED, *files[:3])
    assert "lack" not in report.stderr
    assert "q2" in report.stdout


def test_what_is_left_out_is_told(files: list[str], tmp_path: Path) -> None:
    qrels, first, second, *_ = files
    number = sum(line.split()[0] == line.split()[2] for line in Path(first).read_text().splitlines())
    told = f"{first}: {number} documents with the id of its topic, left out"
    assert told in warnings_of("ap-ci", "-B0", ASKED, qrels, first)
    several = "\n".join(warnings_of("ap-ci", "-B0", ASKED, qrels, first, second))
    assert "with the id of its topic, left out (the like of 1 other run: " in several
    (own,) = all_written(tmp_path, {"own": "q1 Q0 q1 1 1 x\nq2 Q0 q2 1 1 x\n"})
    assert "all documents have the id of their topic" in printed("ap-ci", ASKED, qrels, own, status=4)


def test_the_signature_says_so_only_if_asked() -> None:
    options = ["map-ci", "--format", "json", "--population", "topics", QRELS, *sorted((SMALL / "runs").iterdir())]
    assert '"ignore_identical_ids": true' in printed(*options, ASKED)
    assert "ignore_identical_ids" not in printed(*options)
    assert rows(*options) == rows(*options, ASKED)  # no document is called as a topic there
