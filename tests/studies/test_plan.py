"""Plans: what is written, what compare takes from them, what contradicts them, and what a result says of deviations."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest
from command_lines import irci, printed, rows
from helpers import TESTDATA

import irci as python
from irci.data.plans import in_order
from irci.options.rows import PLANNED

QRELS = TESTDATA / "qrels.txt"
BM25, HYBRID, RERANKED = (TESTDATA / "runs" / f"{name}.run" for name in ("bm25", "hybrid", "reranked"))
PLAN, FIRST = TESTDATA / "plan" / "plan.toml", TESTDATA / "plan" / "first25.txt"
AT_25 = ["--topics", f"@{FIRST}", QRELS, BM25, RERANKED]
ALL = [QRELS, BM25, RERANKED]


def written(folder: Path, *words: object) -> Path:
    path = folder / "plan.toml"
    path.unlink(missing_ok=True)
    assert printed("compare", "--save-plan", path, *words) == ""
    return path


def test_another_plan_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path, "-m", "map", *ALL)
    before = path.read_bytes()
    assert printed("compare", "--save-plan", path, "-m", "map", *ALL) == ""  # the same
    said = irci("compare", "--save-plan", path, "-m", "P_10", *ALL, status=4).stderr
    assert "there is another plan: remove it, or choose another name" in said
    assert path.read_bytes() == before


def signature_of(*words: object) -> dict[str, object]:
    return json.loads(printed("compare", "--quiet", "--format", "json", *words))["signature"]


def test_the_plan_of_the_story_is_what_the_command_writes(tmp_path: Path) -> None:
    """Without results, from files of which only names are read; from Python too."""
    listed = TESTDATA / "plan" / "topics.txt"
    words = ["-m", "nDCG@10", "--looks", "10,25,50", "--topics", f"@{listed}", "--seed", "2"]
    assert written(tmp_path, *words, *ALL).read_text() == PLAN.read_text()
    found = tomllib.loads(PLAN.read_text())
    assert (found["baseline"], found["runs"], found["looks"]) == ("bm25", ["bm25", "reranked"], [10, 25, 50])
    assert sorted(found["topics"]) == listed.read_text().split()
    for number in (10, 25):
        assert (TESTDATA / "plan" / f"first{number}.txt").read_text().split() == found["topics"][:number]
    path = tmp_path / "python.toml"
    asked = {"measures": "nDCG@10", "looks": [10, 25, 50], "topics": listed, "seed": 2}
    report = python.compare(QRELS, [BM25, RERANKED], save_plan=path, **asked)
    assert (path.read_text(), [*report.tables]) == (PLAN.read_text(), [])
    assert tomllib.loads(written(tmp_path, "--baseline", "bm25").read_text()) == {
        "measure": ["map"],
        "baseline": ["bm25"],
    }


def test_a_plan_has_the_seed_of_what_it_draws(tmp_path: Path) -> None:
    words = ["--baseline", "bm25", "--topics", "1,2,3", "--seed", "7"]
    assert "seed" not in tomllib.loads(written(tmp_path, *words).read_text())
    found = tomllib.loads(written(tmp_path, *words, "--test", "randomization").read_text())
    assert (found["seed"], found["topics"]) == (7, in_order(["1", "2", "3"], 7))


@pytest.mark.parametrize(
    "words",
    [
        ["--looks", "25,50"],
        ["-m", "AP", "-m", "P_10", "--family", "joint", "--margin", "2%", "--confidence", ".9"],
        ["--interval", "prediction:30", "--range", "0,1", "-l", "2", "--missing", "drop"][:2],
        ["--test", "randomization", "--seed", "3", "-B", "300", "--judged-only"],
    ],
)
def test_a_plan_has_the_digits_of_the_same_test_typed_out(words: list[str], tmp_path: Path) -> None:
    files = [*AT_25] if "--looks" in words else ALL
    assert rows("compare", "--plan", written(tmp_path, *words, *ALL), *files) == rows("compare", *words, *files)


def test_a_plan_by_hand_has_numbers_and_lists(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "measure = 'nDCG@10'\nbaseline = 'bm25'\nmargin = 0.02\nconfidence = 0.9\nlooks = [25, 50]\njudged-only = true\n"
    )
    with_looks = path.read_text().replace("margin = 0.02\n", "")
    words = ["-m", "nDCG@10", "--confidence", ".9", "--judged-only"]
    path.write_text(with_looks.replace("looks = [25, 50]\n", "margin = 0.02\n"))
    assert rows("compare", "--plan", path, *ALL) == rows("compare", *words, "--margin", ".02", *ALL)
    path.write_text(with_looks)
    assert rows("compare", "--plan", path, *AT_25) == rows("compare", *words, "--looks", "25,50", *AT_25)


# Of each option that a plan fixes a value that contradicts the plan of the story.
OTHERS = {
    "family": "joint", "baseline": "reranked", "test": "randomization", "measure": "AP",
    "correction": "maxt", "margin": ".02", "looks": "25,50", "interval": "t", "range": "0,2",
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
    assert f"{spelled} contradicts --plan: {PLAN} has " in said


def test_what_a_plan_fixes_of_rankings_is_not_taken_of_scores(tmp_path: Path) -> None:
    path = written(tmp_path, "--baseline", "bm25", "--relevance-level", "2")
    said = " ".join(printed("compare", "--plan", path, "--scores", "scores.tsv", status=2).split())
    assert "scores are read that are already computed: leave out --relevance-level." in said


def test_deviations_are_counted_and_told(tmp_path: Path) -> None:
    """Runs and topics that one of plan and files has alone; none where the plan names none."""
    path = written(tmp_path, "-m", "AP", *ALL)
    assert signature_of("--plan", path, *ALL)["deviations"] == 0
    selected = ["--plan", path, "--topics", "301,302", *ALL]
    assert "has no topics, and --topics selects 2 topics: a deviation" in irci("compare", *selected).stderr
    assert signature_of(*selected)["deviations"] == 1
    path.write_text(path.read_text() + 'topics = ["301", 302, "999"]\n')
    asked = ["--plan", path, "--topics", "301,302,303,304", QRELS, BM25, HYBRID]
    told = irci("compare", *asked).stderr
    for apart in (
        "run of the plan not given (reranked)",
        "topics not in the plan (303 304)",
        "of the plan not given (999)",
    ):
        assert apart in told
    assert signature_of(*asked)["deviations"] == 5
    path.write_text("runs = ['reranked']\nbaseline = 'bm25'\n")  # which need not be said twice
    assert signature_of("--plan", path, *ALL)["deviations"] == 0
    assert "planned" not in printed("compare", "--plan", path, "--format", "json", *ALL)


def test_looks_that_can_stop_nothing_are_told(tmp_path: Path) -> None:
    """Of levels of looks at 10, 25 and 50 topics, to two digits; 2 of 2^10 signs are more than the first."""
    asked = ["compare", "--save-plan", tmp_path / "p.toml", "--baseline", "bm25", "--looks"]
    said = irci(*asked, "10,25,50").stderr
    assert re.findall(r"p over (\d+) topics is never below (\S+), above the (\S+) of", said) == [
        ("10", "0.002", "1.1e-06")
    ]
    assert "random order" in said
    assert "random order" not in irci(*asked, "10,25", "--topics", "1,2,3").stderr
    assert "at 10 of 7000 topics nothing can be found" in irci(*asked, "10,7000", status=2).stderr


def test_a_changed_plan_is_another_one(tmp_path: Path) -> None:
    """Its digest stands in settings, and a report that rests on it is told apart by irci verify."""
    path, report = written(tmp_path, "--baseline", "bm25"), tmp_path / "report.json"
    report.write_text(printed("compare", "--plan", path, "--quiet", "--format", "json", *ALL))
    signature = json.loads(report.read_text())["signature"]
    assert signature["plan"] == signature[f"sha256:{path}"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert python.compare(QRELS, [BM25, RERANKED], plan=path).signature["plan"] == signature["plan"]
    assert irci("verify", report).exit_code == 0
    path.write_text(path.read_text() + "# changed\n")
    told = irci("verify", report, status=5).stdout
    assert re.search(rf"^differs\tplan\t{signature['plan']}\t", told, re.M)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("-m map", "--save-plan needs --baseline NAME, or QRELS, BASELINE and RUNs"),
        ("--baseline bm25 --looks 10,25 --margin .02", "--looks and --margin do not go together"),
        ("--baseline bm25 --confidence 2", "must be between 0 and 1"),
        (f"--plan {PLAN}", "--save-plan contradicts --plan"),
        ("--baseline bm25 --survives", "--survives: no plan fixes this"),
    ],
)
def test_plans_that_cannot_be_are_refused(words: str, why: str, tmp_path: Path) -> None:
    said = irci("compare", "--save-plan", tmp_path / "p.toml", *words.split(), status=2)
    assert (said.stdout, (tmp_path / "p.toml").exists()) == ("", False)
    assert why in " ".join(said.stderr.split())
