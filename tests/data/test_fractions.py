"""Grades that are no whole numbers: gains by value, relevance from a threshold on; whole ones stay as they are."""

import json
import random
from pathlib import Path

import naive
import pytest
from command_lines import printed, rows
from helpers import all_written, written

import irci as package

SCALE = 4  # in whole numbers
Judgments = dict[str, dict[str, int]]


def drawn(seed: int) -> tuple[Judgments, dict[str, list[str]]]:
    """Quarters of grades by topic and docno, and rankings."""
    draw = random.Random(seed)
    topics = [f"t{number}" for number in range(8)]
    judgments = {topic: {f"d{place}": draw.choice([0, 0, 1, 2, 3, 5, 8]) for place in range(15)} for topic in topics}
    judgments["t0"]["d0"] = 1
    return judgments, {topic: draw.sample([f"d{place}" for place in range(25)], 20) for topic in topics}


def files_of(folder: Path, judgments: Judgments, ranking: dict[str, list[str]], scale: int) -> list[str]:
    lines = (f"{topic} 0 {docno} {grade / scale:g}\n" for topic, of in judgments.items() for docno, grade in of.items())
    placed = ((topic, place, docno) for topic, docnos in ranking.items() for place, docno in enumerate(docnos))
    run = "".join(f"{topic} Q0 {docno} 0 {-place} r\n" for topic, place, docno in placed)
    return all_written(folder, {f"{scale}.qrels": "".join(lines), "r.run": run})


def scores(*arguments: object) -> dict[tuple[str, str], float]:
    return {(row["topic"], row["measure"]): row["value"] for row in rows("map-ci", "-q", *arguments)}


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_whole_grades_four_times_as_large(seed: int, tmp_path: Path) -> None:
    """Of measures of relevance at a threshold, and of nDCG, which does not depend on the unit of gains."""
    judgments, ranking = drawn(seed)
    names = "nDCG@10 nDCG AP P@5 RR R@10 Bpref infAP IPrec@0.1 Rprec binG ndcg_rel Rndcg unj_5 Judged@10 rbp_resid"
    measures = [word for name in names.split() for word in ("-m", name)]
    of_quarters = scores(*measures, "-l", ".5", *files_of(tmp_path, judgments, ranking, SCALE))
    of_whole = scores(*measures, "-l", "2", *files_of(tmp_path, judgments, ranking, 1))
    assert len(of_quarters) > 80
    assert of_quarters == pytest.approx(of_whole, abs=1e-12)


@pytest.mark.parametrize("level", [0.5, 1, 1.25])
def test_gains_by_value_against_a_plain_transcription(level: float, tmp_path: Path) -> None:
    judgments, ranking = drawn(7)
    found = scores(
        "-m", "Q@10", "-m", "P+@10", "-m", "RBP(p=0.5)", "-l", level, *files_of(tmp_path, judgments, ranking, SCALE)
    )
    for topic, of in judgments.items():
        grades = [of.get(docno, -SCALE) / SCALE for docno in ranking[topic]]
        missing = [grade / SCALE for docno, grade in of.items() if docno not in ranking[topic]]
        assert found[topic, "Q@10"] == pytest.approx(naive.q_measure(grades, missing, 10, level, 2), abs=1e-12)
        assert found[topic, "P+@10"] == pytest.approx(naive.p_plus(grades, missing, 10, level, 2), abs=1e-12)
        highest = max(1, *grades, *missing)
        rbp = sum(max(grade, 0) / highest / 2**rank for rank, grade in enumerate(grades, 1))
        assert found[topic, "RBP(p=0.5)"] == pytest.approx(rbp, abs=1e-12)


def test_objects_frames_and_tables_may_have_fractions(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    judgments, ranking = drawn(1)
    qrels, run = files_of(tmp_path, judgments, ranking, SCALE)
    quarters = {topic: {docno: grade / SCALE for docno, grade in of.items()} for topic, of in judgments.items()}
    table = [(topic, docno, grade) for topic, of in quarters.items() for docno, grade in of.items()]
    frame = pandas.DataFrame(table, columns=["query_id", "doc_id", "relevance"])
    frame.to_csv(tmp_path / "table.csv", index=False)
    expected = rows("map-ci", "-m", "nDCG@10", qrels, run)
    assert rows("map-ci", "-m", "nDCG@10", tmp_path / "table.csv", run) == expected
    for held in (quarters, frame):
        report = package.map_ci(held, run, measures=["nDCG@10"])
        assert json.loads(report.to_json())["rows"] == expected
        assert "QRELS come first" not in "".join(report.warnings)
    scores = {topic: {docno: 10 * grade + 0.1 for docno, grade in of.items()} for topic, of in quarters.items()}
    assert "up to 20.1: if these are scores of a run" in "".join(package.map_ci(scores, run).warnings)


def test_whole_numbers_with_a_point_are_whole(tmp_path: Path) -> None:
    qrels, run = files_of(tmp_path, *drawn(2), 1)
    points = written(tmp_path / "points", Path(qrels).read_text().replace("\n", ".0\n"))
    asked = ["map-ci", "--quiet", "-m", "map", "-m", "nDCG", "-m", "ERR@10"]
    assert printed(*asked, points, run) == printed(*asked, qrels, run)


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ("ap-ci", 3, "4.qrels:1: grade '"),
        ("map-ci --population documents", 3, "is not an integer"),
        ("map-ci --population judgments", 3, "is not an integer"),
        ("compare --survives", 3, "is not an integer"),
        ("partition-anova", 3, "is not an integer"),
        ("judges --other-qrels 4.qrels", 3, "is not an integer"),
        ("map-ci -m ERR", 4, "4.qrels: grade 0.25 is no whole number, of which there is no gain 2^grade - 1 (ERR)"),
        ("ap-ci -l .5", 2, "--relevance-level 0.5: a level that is no whole number is for means over topics"),
        ("map-ci -l half", 2, "'half' is not a number from 0 to "),
    ],
)
def test_where_grades_have_to_be_whole(options: str, status: int, told: str, tmp_path: Path) -> None:
    judgments, ranking = drawn(0)
    judgments["t0"] = {"d0": 1}
    qrels, run = files_of(tmp_path, judgments, ranking, SCALE)
    other = written(tmp_path / "s.run", Path(run).read_text().replace(" r\n", " s\n"))
    assert told in printed(*options.replace("4.qrels", qrels).split(), qrels, run, other, status=status)


@pytest.mark.parametrize("text", ['{"1": {"a": 0.5}}', "query-id\tcorpus-id\tscore\n1\ta\t0.5\n"])
def test_a_run_in_place_of_judgments_is_still_told_by_its_scores(text: str, tmp_path: Path) -> None:
    """Objects and BEIR's columns may hold either."""
    path = written(tmp_path / "x", text)
    printed("map-ci", path, path, status=3)
