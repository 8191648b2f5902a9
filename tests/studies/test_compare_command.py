"""irci compare: right means that it prints what map-ci prints of the same pairs, byte for byte but for the name of the command
in the settings, and names the baseline."""

import re
from pathlib import Path

import pytest
from command_lines import irci, printed, without_receipts
from helpers import QRELS, SMALL, TESTDATA

import irci as package
from irci.cli import writing

ALPHA, BRAVO, CHARLIE = (str(path) for path in sorted((SMALL / "runs").iterdir())[:3])
FIVE = [str(path) for path in sorted((TESTDATA / "runs").iterdir())]
SCORES = ["--scores", str(SMALL / "ten.csv")]
SEVERAL = [str(TESTDATA / "several")]


@pytest.mark.parametrize(
    "options",
    [
        "--format json --explain -m map -m P_5", "-q --format csv", "--layout wide --format latex",
        "--ranks --test randomization", "--margin .02 --power --format jsonl -n",
    ],
)  # fmt: skip
def test_it_is_map_ci_over_topics_with_the_first_run_as_baseline(options: str) -> None:
    """The settings that a report is signed with are the same too, but for the command that was typed."""
    files, given = [QRELS, BRAVO, ALPHA, CHARLIE], options.split()
    expected = printed("map-ci", "--quiet", "--baseline", "bravo", "--population", "topics", *given, *files)
    found = printed("compare", "--quiet", *given, *files)
    expected = expected.replace("command=map-ci", "command=compare")
    expected = expected.replace('"command": "map-ci"', '"command": "compare"')
    assert without_receipts(found) == without_receipts(expected)
    assert "bravo" in expected


@pytest.mark.parametrize("given", [SCORES, SEVERAL])
def test_where_no_run_comes_first_the_baseline_must_be_named(given: list[str]) -> None:
    assert "which run comes first" in printed("compare", *given, status=2)


def test_the_run_of_the_first_file_of_scores_is_the_baseline(tmp_path: Path) -> None:
    """Where each file holds one run; else the message names the runs."""
    for name in ("new", "old"):
        (tmp_path / f"{name}.csv").write_text("topic,map\n1,.1\n2,.2\n3,.5\n")
    (tmp_path / "both.csv").write_text("topic,b,a\n1,.1,.2\n2,.2,.4\n3,.5,.3\n")
    (tmp_path / "empty.csv").write_text("topic,c\n1,.1\n2,\n3,.5\n")
    new, old, both, other = (tmp_path / f"{name}.csv" for name in ("new", "old", "both", "empty"))
    for files, baseline in (([old, new], "old"), ([new, old], "new"), ([other, new, old], "c")):
        line = ["--quiet", "--scores", "-m", "map", *files]
        assert printed("compare", *line) == printed("compare", "--baseline", baseline, *line)
    for files, names in (([both], "b a"), ([both, old], "b a old"), ([old, both], "old b a"), ([other, both], "c b a")):
        told = printed("compare", "--scores", "-m", "map", *files, status=2)
        assert f"(there are {names}): name one with --baseline NAME, or add --all-pairs" in told
    assert "\tb\t" in printed("compare", "--all-pairs", "--quiet", "--scores", both)


@pytest.mark.parametrize("name", ["bravo.run.gz", BRAVO, "bravo"])
def test_a_baseline_may_be_named_by_its_file(name: str) -> None:
    files = ["--quiet", "-n", QRELS, ALPHA, BRAVO]
    rows = printed("compare", "--baseline", name, *files)
    assert rows == printed("map-ci", "--population", "topics", "--baseline", "bravo", *files)
    assert printed("compare", "--population", "judgments", "--baseline", name, *files).count("\tbravo\t") == 1


def test_the_baseline_may_be_one_of_the_runs_too() -> None:
    """As runs/* has it; a run given twice is refused as ever."""
    once = printed("compare", "--quiet", QRELS, BRAVO, ALPHA, CHARLIE)
    assert printed("compare", "--quiet", QRELS, BRAVO, ALPHA, BRAVO, CHARLIE) == once
    assert "given twice" in printed("compare", QRELS, BRAVO, ALPHA, CHARLIE, ALPHA, status=4)
    assert "given twice" in printed("map-ci", QRELS, BRAVO, ALPHA, BRAVO, status=4)


def test_what_fails_no_build_is_told() -> None:
    line = ("compare", "--quiet", QRELS, ALPHA, CHARLIE, "--fail-if")
    told = (
        "irci: passes, though for 1 of 1 difference it is not shown which run is better"
        " (to fail there: --fail-if worse,inconclusive)\n"
    )
    assert told in irci(line[0], *line[2:], "worse").stderr
    assert irci(*line, "worse").stderr == ""
    assert "not shown" not in irci(line[0], *line[2:], "worse,inconclusive").stderr


def test_the_answer_stands_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """On standard error, and not where it is said already, or nothing is to be."""
    line = ["compare", "-m", "nDCG@10", QRELS, ALPHA, CHARLIE]
    silent = irci(*line)
    monkeypatch.setattr(writing, "is_terminal", lambda: True)
    told = irci(*line)
    assert told.stdout == silent.stdout
    answer = [
        each.removeprefix("irci: ") for each in told.stderr.splitlines() if each not in silent.stderr.splitlines()
    ]
    (explained,) = re.findall(
        "# (charlie scores .* lower than alpha in nDCG@10 .*, inconclusive: .*)\n", printed(*line, "--explain")
    )
    assert answer == [explained]
    for option in ("--quiet", "--explain"):
        assert not set(answer) & {each.removeprefix("irci: ") for each in irci(*line, option).stderr.splitlines()}
    assert "inconclusive" not in silent.stderr
    assert "irci: With " in irci("wcw", "--difference", ".05", *line[1:]).stderr


def test_the_answer_without_a_baseline() -> None:
    """All runs ranked: the best. No pairs: the highest, of one run its mean. None is said to be better without a test."""
    qrels = str(TESTDATA / "qrels.txt")
    ranked = package.map_ci(qrels, FIVE, measures=["map", "P@10"], ranks=True, population="topics")
    best = [
        [str(row["run"]) for row in ranked.table("rank", each).rows if row["lower"] == 1] for each in ("map", "P@10")
    ]
    assert [len(each) for each in best] == [1, 2]
    for names, sentence in zip(best, ranked.conclusion, strict=True):
        assert all(name in sentence for name in names)
        assert "bm25" not in sentence
    highest = "reranked scores highest of 5 runs in map, .5186; no difference was tested."
    assert package.map_ci(qrels, FIVE).conclusion == package.ap_ci(qrels, FIVE).conclusion[:-1] == [highest]
    alone = package.stdap_ci(qrels, FIVE).conclusion
    assert alone[0].startswith("reranked scores highest of 5 runs in smap, ")
    assert alone[1].startswith("Z scores by bm25, bm25+rm3, dense, hybrid, reranked: ")
    assert package.map_ci(qrels, FIVE[:1]).conclusion[0].startswith("bm25+rm3 scores .377 in map (95% CI ")
