"""--survives with other judges: verdicts against what map-ci prints by their judgments, and by files of the documents that
both judged; judges of little; refusals."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import irci as command
from helpers import QRELS, RUNS
from scipy import stats

import irci
from irci.comparison import survival

MEASURES = "nDCG@10,map"
BY_MAXT: dict[str, Any] = {"correction": "maxt", "resamples": 300}
Grades = dict[tuple[str, str], int]  # (topic, docno) -> grade


def grades_of(path: Path) -> Grades:
    fields = [line.split() for line in path.read_text().splitlines()]
    return {(topic, docno): int(grade) for topic, _, docno, grade in fields}


FIRST = grades_of(Path(QRELS))
TOPICS = sorted({topic for topic, _ in FIRST})


def written(path: Path, grades: Grades) -> str:
    path.write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items()))
    return str(path)


def judged_again(seed: int, agreement: float = 0.9) -> Grades:
    """Another's grades of all documents: the same for most of them."""
    rng = np.random.default_rng(seed)
    return {key: grade if rng.random() < agreement else int(rng.integers(0, 3)) for key, grade in FIRST.items()}


def by_grade(grades: Grades, shares: Mapping[int, float], seed: int = 1) -> Grades:
    """A share of those to which the first judge gave each grade."""
    rng = np.random.default_rng(seed)
    return {key: grade for key, grade in grades.items() if rng.random() < shares[FIRST[key]]}


def survived(qrels: str | Path, *others: str, **options: Any) -> Any:
    given = {"measures": MEASURES, "all_pairs": True, "resamples": 300, **options}
    return irci.map_ci(str(qrels), RUNS, survives=True, other_qrels=others, **given)


def rows(found: Any, kind: str, measure: str = "") -> list[dict[str, Any]]:
    return [
        dict(row)
        for table in found.tables
        if table.kind == kind and table.measure in ("", measure)
        for row in table.rows
    ]


def differences(qrels: str, measure: str, **options: Any) -> dict[frozenset[str], dict[str, Any]]:
    """Rows over topics, by pair; the sign of the difference is that of the run whose name comes first."""
    found = irci.map_ci(qrels, RUNS, population="topics", all_pairs=True, measures=measure, **options)
    return {
        frozenset((row["run"], row["baseline"])): {
            **row,
            "value": row["value"] * (1 if row["run"] < row["baseline"] else -1),
        }
        for row in rows(found, "difference", measure)
    }


def verdict(claimed: float, other: float, p_adjusted: float) -> str:
    if p_adjusted > 0.05:
        return "not confirmed"
    return "confirmed" if claimed * other > 0 else "reversed"


@pytest.mark.parametrize("measure", ["nDCG@10", "map"])
def test_a_judge_of_all_is_asked_as_claims_are(tmp_path: Path, measure: str) -> None:
    """Two judges at once; p of the change is that of the differences of both."""
    paths = [written(tmp_path / f"judge{seed}.txt", judged_again(seed, 0.6 - 0.2 * seed)) for seed in (1, 2)]
    claims = rows(survived(QRELS, *paths, measures=measure), "claim", measure)
    first = differences(str(QRELS), measure)
    assert claims
    verdicts = set()
    for path in paths:
        name = Path(path).stem
        theirs = differences(path, measure)
        for row in claims:
            pair = frozenset((row["run"], row["baseline"]))
            told = theirs[pair]
            expected = verdict(first[pair]["value"], told["value"], told["p_adjusted"])
            assert row[f"judge:{name}"] == expected
            verdicts.add(expected)
            assert (row[f"change:{name}"] == "-") == (expected in ("confirmed", "reversed"))
            assert f"control:{name}" not in row
    assert {"confirmed", "not confirmed"} <= verdicts


def test_of_several_measures_as_one_family_so_are_the_judges(tmp_path: Path) -> None:
    path = written(tmp_path / "other.txt", judged_again(1, 0.7))
    found = survived(QRELS, path, family="joint")
    every = irci.map_ci(path, RUNS, population="topics", all_pairs=True, measures=MEASURES, family="joint")
    for measure in MEASURES.split(","):
        first = differences(str(QRELS), measure)
        theirs = {frozenset((row["run"], row["baseline"])): row for row in rows(every, "difference", measure)}
        for row in rows(found, "claim", measure):
            pair = frozenset((row["run"], row["baseline"]))
            sign = 1 if theirs[pair]["run"] < theirs[pair]["baseline"] else -1
            expected = verdict(first[pair]["value"], sign * theirs[pair]["value"], theirs[pair]["p_adjusted"])
            assert row["judge:other"] == expected


def test_change_is_the_paired_test_of_both_judges_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(survival, "MOST", 0)  # counted, as many claims are
    path = written(tmp_path / "other.txt", judged_again(2, 0.3))
    report = survived(QRELS, path, measures="map")
    claims, by_each = rows(report, "claim", "map"), []
    for qrels in (str(QRELS), path):
        found = irci.map_ci(qrels, RUNS, per_topic=True, population="topics", measures="map")
        by_each.append({(row["run"], row["topic"]): row["value"] for row in rows(found, "topic")})
    words = set()
    for row in claims:
        by_first, by_second = (
            np.array([each[row["run"], topic] - each[row["baseline"], topic] for topic in TOPICS]) for each in by_each
        )
        expected = "changed" if stats.ttest_rel(by_first, by_second).pvalue <= 0.05 else "not shown to differ"
        words.add(expected)
        assert row["change:other"] in (expected, "-")
    assert "changed" in words
    changed = sum(row["change:other"] == "changed" for row in claims)
    assert f"In map, {changed} of the {sum(row['change:other'] != '-' for row in claims)} that other tests" in "".join(
        report.sentences
    )


def test_documents_that_both_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By either judge, from files of these alone and rankings of these; not testable where the first does not confirm."""
    monkeypatch.setattr(survival, "MOST", 0)
    second = by_grade(judged_again(1, 0.5), {0: 0.1, 1: 0.5, 2: 0.6})
    path = written(tmp_path / "part.txt", second)
    control = written(tmp_path / "control.txt", {key: FIRST[key] for key in second})
    report = survived(QRELS, path, measures="nDCG@10")
    claims = rows(report, "claim", "nDCG@10")
    first = differences(str(QRELS), "nDCG@10")
    by_first, by_second = (differences(each, "nDCG@10", judged_only=True, **BY_MAXT) for each in (control, path))
    for row in claims:
        pair = frozenset((row["run"], row["baseline"]))
        claimed = first[pair]["value"]
        expected = verdict(claimed, by_first[pair]["value"], by_first[pair]["p_adjusted"])
        assert row["control:part"] == expected
        told = verdict(claimed, by_second[pair]["value"], by_second[pair]["p_adjusted"])
        assert row["judge:part"] == (told if expected == "confirmed" else "not testable")
    assert {row["control:part"] for row in claims} == {"confirmed", "not confirmed"}
    sustained = sum(row["control:part"] == "confirmed" for row in claims)
    assert f"QRELS itself sustains {sustained} of {len(claims)} differences" in "".join(report.sentences)


@pytest.mark.check
def test_shares_of_what_was_judged(tmp_path: Path) -> None:
    second = by_grade(judged_again(1), {0: 0.1, 1: 0.5, 2: 1.0})
    second |= {(TOPICS[0], "elsewhere"): 1}  # which the first did not judge
    found = survived(QRELS, written(tmp_path / "part.txt", second))
    of_grade = [key for key in FIRST if FIRST[key] == 1]
    of_second = sum(key in second for key in of_grade)
    told = " ".join(found.sentences)
    assert f"{len(second) - 1} of {len(FIRST)} documents" in told
    assert f"{of_second / len(of_grade):.0%} of grade 1" in told
    assert "100% of grade 2" in told
    assert "circular" in told


def five_topics() -> Grades:
    return {key: grade for key, grade in FIRST.items() if key[0] in TOPICS[:5]}


def one_a_topic() -> Grades:
    return {(topic, next(docno for of, docno in FIRST if of == topic)): 1 for topic in TOPICS}


LITTLE: dict[str, tuple[Callable[[], Grades], str]] = {
    "five topics": (five_topics, "only 5 topics"),
    "a part of five topics": (lambda: by_grade(five_topics(), {0: 0.5, 1: 1, 2: 1}), "only 5 topics"),
}  # fmt: skip


@pytest.mark.parametrize("case", LITTLE)
def test_a_judge_of_too_little_tells_nothing(tmp_path: Path, case: str) -> None:
    grades, reason = LITTLE[case]
    found = survived(QRELS, written(tmp_path / "little.txt", grades()), measures="map")
    without = survived(QRELS, measures="map")
    claims = rows(found, "claim", "map")
    assert {row["judge:little"] for row in claims} == {"not testable"}
    assert {row["change:little"] for row in claims} == {"-"}
    for row, plain in zip(claims, rows(without, "claim", "map"), strict=True):
        assert (row["survives"], row["of"], row["p_all"]) == (plain["survives"], plain["of"], plain["p_all"])
    assert any(reason in each for each in found.sentences)


@pytest.mark.parametrize("options", [{"measures": "AP(rel=2)"}, {"measures": "map", "relevance_level": 2},
    {"measures": "map", "relevance_level": 2, "max_grade": 2}])  # fmt: skip
def test_a_judge_without_a_document_of_the_grade_asked_for(tmp_path: Path, options: dict[str, Any]) -> None:
    """All runs score 0 by him, which is no finding about them; by a measure that sees his grades he is asked all the same."""
    lenient = written(tmp_path / "llm.qrels", {key: min(grade, 1) for key, grade in FIRST.items()})
    names = options["measures"], "nDCG@10"
    found = survived(QRELS, lenient, **{**options, "measures": ",".join(names)})
    without = survived(QRELS, **options)
    claims = rows(found, "claim", names[0])
    assert {row["judge:llm.qrels"] for row in claims} == {"not testable"}
    assert {row["change:llm.qrels"] for row in claims} == {"-"}
    assert repr([row["p_all"] for row in claims]) == repr([row["p_all"] for row in rows(without, "claim", names[0])])
    counts = [(row["survives"], row["of"]) for row in claims]
    assert counts == [(row["survives"], row["of"]) for row in rows(without, "claim", names[0])]
    assert any("no document has grade 2 in llm.qrels" in each for each in found.sentences)
    assert "confirmed" in {row["judge:llm.qrels"] for row in rows(found, "claim", names[1])}


def test_one_document_a_topic(tmp_path: Path) -> None:
    """On these QRELS itself sustains nothing, so that the judge is not asked."""
    found = survived(QRELS, written(tmp_path / "one.txt", one_a_topic()), measures="map")
    claims = rows(found, "claim", "map")
    assert {row["judge:one"] for row in claims} == {"not testable"}
    assert {row["control:one"] for row in claims} <= {"not confirmed", "not testable"}


@pytest.mark.parametrize(("topic", "message"), [("nowhere", "no topic"), (TOPICS[0], "no document")])
def test_a_judge_of_other_topics_or_documents_is_refused(tmp_path: Path, topic: str, message: str) -> None:
    other = written(tmp_path / "other", {(topic, "elsewhere"): 1})
    asked = ("map-ci", "--baseline", "alpha", "--survives", "--other-qrels", other, str(QRELS), *RUNS)
    assert f"{message} in common" in command(*asked, status=4).stderr
