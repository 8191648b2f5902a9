"""Plans: what is written, what compare takes from them, what contradicts them, and what is told of each test."""

import hashlib
import json
import re
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_lines import irci, printed, rows
from helpers import TESTDATA

import irci as python
from irci.base.errors import DataError
from irci.data.plans import Plan, as_toml, in_order
from irci.options.planned import PLANNED

QRELS = TESTDATA / "qrels.txt"
BM25, HYBRID, RERANKED = (TESTDATA / "runs" / f"{name}.run" for name in ("bm25", "hybrid", "reranked"))
PLAN, FIRST = TESTDATA / "plan" / "plan.toml", TESTDATA / "plan" / "first25.txt"
AT_25 = ["--topics", f"@{FIRST}", QRELS, BM25, RERANKED]


def written(folder: Path, *words: object) -> Path:
    path = folder / "plan.toml"
    irci("plan", "-o", path, "--baseline", "bm25", *words, status=0)
    return path


def test_an_order_of_many_topics_takes_no_time() -> None:
    order = in_order(map(str, range(20_000)), seed=1)
    began = time.process_time()
    Plan("plan.toml", {}, None, order).check_topics(sorted(order[:19_000]), looks=True)
    with pytest.raises(DataError, match="are not the first 19000 topics"):
        Plan("plan.toml", {}, None, order).check_topics(sorted(order[1:19_001]), looks=True)
    assert time.process_time() - began < 0.5  # 2 s where each was looked for in a list


def without_plan(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "plan"} for row in found]


def test_the_plan_of_the_story_is_what_the_command_writes(tmp_path: Path) -> None:
    listed = TESTDATA / "plan" / "topics.txt"
    words = ["-m", "nDCG@10", "--looks", "10,25,50", "--topics", f"@{listed}", "--order-seed", "2"]
    assert written(tmp_path, *words).read_text() == PLAN.read_text()
    order = tomllib.loads(PLAN.read_text())["topics"]["order"]
    assert sorted(order) == listed.read_text().split()
    for number in (10, 25):
        assert (TESTDATA / "plan" / f"first{number}.txt").read_text().split() == order[:number]


def test_a_planned_test_has_the_digits_of_the_same_test_typed_out() -> None:
    typed = rows("compare", "-m", "nDCG@10", "-m", "AP", "--baseline", "bm25", "--looks", "10,25,50", *AT_25)
    planned = rows("compare", "--plan", PLAN, "-m", "AP", *AT_25)
    assert without_plan(planned) == typed
    marks = {(row.get("table", row.get("measure")), row.get("plan")) for row in planned}
    assert marks == {
        ("nDCG@10", None), ("AP", None), ("nDCG@10_diff", "planned"), ("AP_diff", "exploratory"),
        ("look_nDCG@10", "planned"), ("look_AP", "exploratory"),
    }  # fmt: skip


def test_what_no_plan_names_is_exploratory(tmp_path: Path) -> None:
    path = written(tmp_path, "-m", "nDCG@10", "--number", "50")
    found = rows("compare", "--plan", path, "--population", "topics,documents", "--power", QRELS, BM25, RERANKED)
    told = {(row["measure"], row["population"]): row["plan"] for row in found if "plan" in row}
    assert told == {
        ("nDCG@10_diff", "topics"): "planned", ("nDCG@10_diff", "documents"): "exploratory",
    }  # fmt: skip
    said = printed("compare", "--plan", path, "-m", "AP", "--explain", "--quiet", QRELS, BM25, RERANKED)
    assert "# Planned beforehand, in " in said
    assert "# Exploratory, as no plan names it: difference_AP." in said


# Of each option that a plan fixes a value that contradicts the plan of the story.
OTHERS = {
    "family": "joint", "baseline": "reranked", "test": "randomization",
    "correction": "maxt", "margin": ".02", "adjusted_limits": None, "looks": "25,50", "interval": "t", "range": "0,2",
    "confidence": ".9", "resamples": "300", "seed": "2", "relevance_level": "2", "max_grade": "3", "depth": "10",
    "judged_only": None, "ties": "rank", "missing": "drop", "no_relevant": "drop", "ignore_identical_ids": None,
    "ranks": None, "best": None, "survives": None, "standardise": "z",
    "all_pairs": None, "small_r": "none",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted({*PLANNED, *OTHERS} - {"measures"}))
def test_what_contradicts_a_plan_is_refused(name: str) -> None:
    spelled = f"--{name.replace('_', '-')}"
    words = [spelled] if OTHERS[name] is None else [spelled, OTHERS[name]]
    said = " ".join(irci("map-ci", "--plan", PLAN, *words, *AT_25, status=2).stderr.split())
    assert f"{spelled} contradicts the plan: {PLAN} has " in said


def test_what_a_plan_has_may_be_said_again() -> None:
    words = [
        "--baseline",
        "bm25",
        "-m",
        "ndcg_cut_10",
        "--looks",
        "10,25,50",
        "--confidence",
        ".95",
    ]
    assert printed("compare", "--plan", PLAN, *words, "--quiet", *AT_25) == printed(
        "compare", "--plan", PLAN, "--quiet", *AT_25
    )


def test_what_a_plan_fixes_of_rankings_is_not_taken_of_scores(tmp_path: Path) -> None:
    path = written(tmp_path, "--number", "50", "--relevance-level", "2")
    said = " ".join(printed("compare", "--plan", path, "--scores", "scores.tsv", status=2).split())
    assert f"{path} has relevance-level = '2', which scores do not tell: give QRELS and RUNs." in said


def test_other_topics_are_refused(tmp_path: Path) -> None:
    said = printed(
        "compare", "--plan", PLAN, QRELS, BM25, RERANKED, "--topics", ",".join(map(str, range(301, 326))), status=4
    )
    assert "these are not the first 25 topics of the plan's order" in said
    path = written(tmp_path, "--number", "49")
    assert f"{path}: 49 topics planned; here are 50" in printed(
        "compare", "--plan", path, QRELS, BM25, RERANKED, status=4
    )
    joint = written(tmp_path, "-m", "AP", "-m", "P_10", "--family", "joint", "--number", "50")
    said = " ".join(printed("compare", "--plan", joint, "-m", "RR", QRELS, BM25, RERANKED, status=2).split())
    assert "-m RR contradicts the plan" in said


def test_a_plan_tells_what_its_looks_can_stop() -> None:
    """Levels of looks at 10, 25 and 50 topics, to two digits; 2 of 2^10 signs are more than the first."""
    asked = ["plan", "--baseline", "bm25", "--looks"]
    said = irci(*asked, "10,25,50").stderr
    assert "1.1e-06 at 10 topics, 0.0031 at 25 topics, 0.049 at 50 topics" in said
    assert re.findall(r"p over (\d+) topics is never below (\S+):", said) == [("10", "0.002")]
    assert "random order" in said
    assert "random order" not in irci(*asked, "10,25", "--topics", "@" + str(TESTDATA / "plan" / "topics.txt")).stderr
    assert "at 10 of 7000 topics nothing can be found" in irci(*asked, "10,7000", status=2).stderr


def test_a_pilot_tells_how_many_topics(tmp_path: Path) -> None:
    """As wcw does, at the upper limit of the variance; unless the number is given."""
    words = ["-m", "nDCG@10", "--difference", ".05", QRELS, BM25, RERANKED]
    plan = tomllib.loads(written(tmp_path, *words).read_text())
    needed = [row for row in rows("wcw", *words) if row["table"].startswith("topics")]
    assert plan["topics"]["number"] == max(row["topics"] for row in needed)
    assert plan["needed"]["topics_nDCG@10 pair"] == {"topics": needed[0]["topics"]}
    assert plan["pilot"][f"sha256:{BM25}"] == hashlib.sha256(BM25.read_bytes()).hexdigest()
    assert tomllib.loads(written(tmp_path, *words, "--number", "70").read_text())["topics"] == {"number": 70}


def test_a_changed_plan_is_another_one(tmp_path: Path) -> None:
    """Its digest stands in settings, and a report that rests on it is told apart by irci verify."""
    path, report = written(tmp_path, "--number", "50"), tmp_path / "report.json"
    report.write_text(printed("compare", "--plan", path, "--quiet", "--format", "json", QRELS, BM25, RERANKED))
    signature = json.loads(report.read_text())["signature"]
    assert signature["plan"] == signature[f"sha256:{path}"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert python.compare(QRELS, [BM25, RERANKED], plan=path).signature["plan"] == signature["plan"]
    assert irci("verify", report).exit_code == 0
    path.write_text(path.read_text() + "# changed\n")
    told = irci("verify", report, status=5).stdout
    assert re.search(rf"^differs\tplan\t{signature['plan']}\t", told, re.M)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a plan: no [compare]; irci plan writes one"),
        ("[compare]\nmeasure = nothing\n", ":2: not TOML: "),
        ("[compare]\nmeasure = ['map']\n", "not a plan: no baseline"),
        ("[compare]\nmeasure = 'map'\nbaseline = 'bm25'\n", "measure: 'map' is no value of it"),
        ("[compare]\nmeasure = ['map']\nbaseline = 'bm25'\nadjusted-limits = 'yes'\n", "'yes' is no value of it"),
        ("[compare]\nmeasure = ['map']\nbaseline = true\n", "True is no value of it"),
        (
            "[compare]\nmeasure = ['map']\nbaseline = 'bm25'\nconfidence = '2'\n",
            "confidence: '2' must be between 0 and 1",
        ),
        ("[compare]\nmeasure = ['map']\nbaseline = 'bm25'\nthreads = '2'\n", "threads is none of what a plan fixes: "),
        ("[compare]\nmeasure = ['mpa']\nbaseline = 'bm25'\n", "measure: "),
        ("[compare]\nmeasure = []\nbaseline = 'bm25'\n", "measure is no text, nor true, nor a list of text: []"),
        ("compare = 1\n", "not a plan: no [compare]"),
        (
            "[compare]\nmeasure = ['map']\nbaseline = 'bm25'\n[topics]\nnumber = '5'\n",
            "number of topics '5' is no positive",
        ),
        (
            "[compare]\nmeasure = ['map']\nbaseline = 'bm25'\n[topics]\norder = ['1', '1']\n",
            "order is no list of so many",
        ),
        ("measure\ttopic\n", "not TOML"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    said = printed("compare", "--plan", path, QRELS, BM25, RERANKED, status=3)
    assert said.startswith(f"irci: {path}:")
    assert why in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["-m", "map", "--number", "50"], "Missing option '--baseline'"),
        (["--baseline", "bm25"], "how many topics?"),
        (["--baseline", "bm25", "--number", "50", QRELS, BM25, RERANKED], "add it, or leave them out"),
        (["--baseline", "bm25", "--number", "50", "--difference", ".02"], "--difference is for QRELS and RUNs"),
        (["--baseline", "bm25", "--looks", "10,25", "--number", "50"], "leave out --number"),
        (["--baseline", "bm25", "--looks", "10,25", "--margin", ".02"], "leave out --margin and --power"),
        (["--baseline", "bm25", "--number", "50", "--confidence", "2"], "must be between 0 and 1"),
        (["--baseline", "bm25", "--number", "50", "--test", "u"], "'u' is not one of"),
        (["--baseline", "bm25", "--number", "50", "--equivalence", ".02"], "did you mean --margin MARGIN?"),
    ],
)
def test_plans_that_cannot_be_are_refused(words: list[object], why: str) -> None:
    said = irci("plan", *words)
    assert (said.exit_code in (2, 3), said.stdout) == (True, "")
    assert why in " ".join(said.stderr.split())


def test_names_of_any_letters_are_read_back() -> None:
    names = ['a"b', "a\\b", "é", "𝔄", "\x7f", "tab\tand\x01", "'", "#", "="]
    values = {"list": names, **{name: name for name in names}, "many": [str(number) for number in range(25)]}
    found = tomllib.loads(
        as_toml("a comment", {"compare": values, "topics": {"number": 3, "of": {"x y": 1.5, "z": True}}})
    )
    assert found == {"compare": values, "topics": {"number": 3, "of": {"x y": 1.5, "z": True}}}


def test_a_look_that_no_plan_has_is_not_advised() -> None:
    topics = ",".join(FIRST.read_text().split()[:12])
    said = " ".join(printed("compare", "--plan", PLAN, "--topics", topics, QRELS, BM25, RERANKED, status=2).split())
    assert "there are 12 topics; the next look is at 25." in said
    assert "For a look now" not in said
