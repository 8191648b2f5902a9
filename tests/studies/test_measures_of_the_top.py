"""What is said of measures that hang on a few documents, and of those of which more is not better."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, printed, rows, warnings_of
from helpers import QRELS, RUNS, all_written, words

from irci.measures import TABLE, parse

TOO_SURE = "p and limits over documents are too confident for "


def jittered(folder: Path, seed: int, topics: int = 40, documents: int = 60, relevant: int = 10) -> list[str]:
    """Judgments, and two copies of one ranking whose scores are shaken: on every topic neither is better than the other."""
    rng = np.random.default_rng(seed)
    files = dict.fromkeys(("qrels", "copy1", "copy2"), "")
    for topic in range(1, topics + 1):
        is_relevant = rng.permutation(documents) < relevant
        level = rng.normal(0, 1, documents) + 1.2 * is_relevant
        files["qrels"] += "".join(f"{topic} 0 d{topic}-{d} {int(each)}\n" for d, each in enumerate(is_relevant))
        for run in ("copy1", "copy2"):
            scores = level + rng.normal(0, 0.6, documents)
            files[run] += "".join(f"{topic} Q0 d{topic}-{d} 1 {score:.6f} {run}\n" for d, score in enumerate(scores))
    return all_written(folder, files)


def differences(paths: list[str], *arguments: str) -> Iterator[tuple[str, str, float]]:
    """Measure, population and p of each difference."""
    for row in rows("compare", "--population", "topics,documents", "-n", *arguments, *paths):
        yield str(row["measure"]), str(row["population"]), float(row["p"])


def test_the_measures_of_the_top() -> None:
    of_the_top = [measure.name for family in TABLE if family.defaults != (None,) or not family.parameter
                  for measure in parse(family.name if family.level != "required" else "RBP(rel=1)")
                  if measure.is_of_the_top]  # fmt: skip
    assert of_the_top == ["success_1", "success_5", "success_10"]
    for name in ("RR", "RR@10", "P+", "P+@5", "P@1", "nDCG@1", "Success@5"):
        assert parse(name)[0].is_of_the_top, name
    for name in ("AP", "P@5", "P@10", "nDCG@10", "ERR@20", "Rprec", "RBP", "AP@100"):
        assert not parse(name)[0].is_of_the_top, name


def test_p_over_documents_of_shaken_copies_is_no_finding(tmp_path: Path) -> None:
    """A draw in which RR tells two such copies apart over documents, and not over topics."""
    paths = jittered(tmp_path, 24)
    found = {(measure, population): p for measure, population, p in differences(paths, "-m", "RR")}
    assert found["RR_diff", "documents"] < 0.05 < found["RR_diff", "topics"]
    said = irci("compare", "--population", "topics,documents", "-n", "--explain", "-m", "RR", *paths, status=0)
    assert f"{TOO_SURE}RR: about 10 in 100 equal pairs have p below .05 (--population topics)" in said.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [["--baseline=alpha"], ["--ranks"], ["--all-pairs"]])
def test_who_is_warned(options: list[str]) -> None:
    measures = ["-m", "RR", "-m", "map", "-m", "Success@1"]
    (warned,) = [
        each
        for each in warnings_of("map-ci", "--population", "topics,documents", "-n", *options, *measures, QRELS, *RUNS)
        if TOO_SURE in each
    ]
    assert warned.startswith(f"{TOO_SURE}RR, Success@1: ")
    both = ["--population", "topics,documents"]
    for others in ([*options, *measures], [*both, *options, "-m", "map"], [*both, *measures]):
        assert not any(TOO_SURE in each for each in warnings_of("map-ci", *others, QRELS, *RUNS))


def unjudged(folder: Path) -> list[str]:
    """Judgments, and two runs, the second of which retrieves far more that nobody judged, on most topics."""
    files = dict.fromkeys(("qrels", "known", "unknown"), "")
    for topic, d in itertools.product(range(12), range(10)):
        files["qrels"] += f"{topic} 0 d{d} {int(d < 3)}\n"
        files["known"] += f"{topic} Q0 d{d} 1 {-d} known\n"
        files["unknown"] += f"{topic} Q0 {'x' if d < 3 + topic % 4 else 'd'}{d} 1 {-d} unknown\n"
    return all_written(folder, files)


def test_more_unjudged_documents_are_not_better(tmp_path: Path) -> None:
    paths = unjudged(tmp_path)
    options = words("-n --baseline known --ranks --power --population topics -m unj_5 -m rbp_resid")
    told = printed("map-ci", *options, "--explain", *paths)
    sentences = [line for line in told.splitlines() if line.startswith("# ") and not line.startswith("#  ")]
    assert any(line.startswith("# unknown scores .85 more than known in unj_5 (95% CI ") for line in sentences)
    assert "unknown is the highest of 2 runs in unj_5" in told
    assert not any(word in line for line in sentences for word in ("better", "best", " higher ", "worse"))
    assert {row["verdict"] for row in rows("map-ci", *options, *paths) if "verdict" in row} == {"more"}
    (judged,) = rows("compare", "-n", "--power", "--population", "topics", "-m", "Judged@5", *paths)
    assert judged["verdict"] == "less"


@pytest.mark.parametrize("population", ["topics", "topics,judgments"])
def test_how_much_is_judged_is_no_finding_beside_another_measure(tmp_path: Path, population: str) -> None:
    """What is told of it is what was seen; neither a family nor a condition counts it. p stays in its row."""
    asked = ["compare", "-n", "--population", population, "-m", "P@5,Judged@5"]
    paths = unjudged(tmp_path)
    told = [line for line in printed(*asked, "--explain", *paths).splitlines() if line.startswith("# ")]
    (seen,) = (
        line for line in told if "in Judged@5" in line and "show how much" not in line and "No bounds" not in line
    )
    assert seen.startswith("# unknown scores .8500 less than known in Judged@5")
    assert "# Differences in Judged@5 show how much is judged, not which run is better." in told
    assert not any("families" in line for line in told)
    found = {row["measure"]: row for row in rows(*asked, *paths) if row["population"] == "topics"}
    assert 0 < found["Judged@5_diff"]["p_adjusted"] < 0.05
    # P@5 is worse; of Judged@5, which differs as much, nothing fails.
    failed = printed(*asked, "--fail-if", "worse", *paths, status=5)
    assert "P@5: unknown against known: worse" in failed
    assert "Judged@5: unknown" not in failed
    assert "2 families" in printed("compare", "-n", "--explain", "-m", "P@5,AP", *paths)
