"""--survives: claims, what each other source says of them against the rows that map-ci prints for it, words and refusals;
other judges against what map-ci prints by their judgments, and by files of the documents that both judged."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import command_lines
import numpy as np
import pytest
from command_lines import irci as command
from helpers import QRELS, ROOT, RUNS, SMALL, shared, words
from scipy import stats

import irci
from irci.comparison import survival as study
from irci.comparison.family import Family
from irci.comparison.sources import Source
from irci.stats.tests import adjusted

SEVERAL = ROOT / "testdata" / "several"
CLUSTERS = str(SMALL / "clusters.txt")
OPTIONS: dict[str, Any] = {"all_pairs": True}
# Sources of variation that have an option of their own, each with what it is asked of.
OWN: dict[str, dict[str, Any]] = {
    "clusters": {"qrels": QRELS, "runs": RUNS, "clusters": CLUSTERS, "resamples": 300},
    "seeds": {"scores": str(SMALL / "seeds.csv"), "seeds": str(SMALL / "seeds.txt")},
    "versions": {
        "scores": str(SMALL / "versions.csv"), "versions": r"(?P<topic>\d+)(?P<version>\d\d)", "missing": "error",
    },
    "collections": {"qrels": str(SEVERAL), "measures": "nDCG@10"},
}  # fmt: skip


def rows(found: Any, kind: str, measure: str = "") -> list[dict[str, Any]]:
    """Of one measure, or of all."""
    tables = [table for table in found.tables if table.kind == kind and (not measure or table.measure in ("", measure))]
    return [dict(row) for table in tables for row in table.rows]


def by_pair(found: list[dict[str, Any]], population: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["baseline"]): row for row in found if row["population"] == population}


def turned(pair: tuple[str, str], of: Collection[tuple[str, str]]) -> tuple[str, str]:
    """A pair as it stands among these."""
    return pair if pair in of else pair[::-1]


@pytest.mark.parametrize("measure", ["map", "P_10"])
def test_claims_and_verdicts_are_those_of_the_rows_of_each_source(measure: str) -> None:
    """By p over topics and over documents as in the pairs' rows, and by signs that are sure; p_all by hand."""
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures=measure, **OPTIONS), "claim")
    topics, documents, judgments = (
        by_pair(rows(irci.map_ci(QRELS, RUNS, population=name, measures=measure, **OPTIONS), "difference"), name)
        for name in ("topics", "documents", "judgments")
    )
    of = {turned((row["run"], row["baseline"]), topics): row for row in found}
    assert of.keys() == {pair for pair, row in topics.items() if row["p_adjusted"] <= 0.05}
    sure = {pair: row["sign"] == "determined" for pair, row in judgments.items()}
    largest = [max(row["p"], documents[pair]["p"], 0.0) for pair, row in topics.items()]
    p_all = dict(zip(topics, adjusted(np.array(largest), "holm").tolist(), strict=True))
    for pair, row in of.items():
        assert row["value"] == pytest.approx(abs(topics[pair]["value"]))
        assert row["p_adjusted"] == topics[pair]["p_adjusted"]
        assert row["documents"] == ("confirmed" if documents[pair]["p_adjusted"] <= 0.05 else "not confirmed")
        assert row["judgments"] == ("confirmed" if sure[pair] else "not testable")
        # Documents and their judgments are found on the claim's own topics, and do not count.
        assert (row["survives"], row["of"]) == (0, 0)
        assert float(row["p_all"]) == pytest.approx(p_all[pair], abs=1e-12)


@pytest.mark.parametrize("source", OWN)
def test_a_source_with_an_option_of_its_own(source: str) -> None:
    """Claims are by topics' p, verdicts by that of the source alone; the report's own rows are as without."""

    def compared(**options: Any) -> list[dict[str, Any]]:
        every = rows(irci.map_ci(**options, **OPTIONS), "difference")
        return [row for row in every if row.get("collection", "all") == "all"]

    found = irci.map_ci(**OWN[source], survives=True, **OPTIONS)
    own = {name: value for name, value in OWN[source].items() if name != "resamples"}
    columns = ("run", "baseline", "value", "lower", "upper", "p", "p_adjusted", "df", "test")
    beside, alone = (
        [[row[name] for name in columns] for row in each if row["population"] == source]
        for each in (rows(found, "difference"), rows(irci.map_ci(**own, population=source, **OPTIONS), "difference"))
    )
    assert beside == alone
    plain = {
        name: value for name, value in OWN[source].items() if name not in ("clusters", "resamples")
    }  # claims are about topics
    of_topics = by_pair(compared(**plain, population="topics"), "topics")
    of_source = by_pair([row for row in rows(found, "difference") if row.get("collection", "all") == "all"], source)
    claims = {turned((row["run"], row["baseline"]), of_topics): row for row in rows(found, "claim")}
    assert claims.keys() == {pair for pair, row in of_topics.items() if row["p_adjusted"] <= 0.05}
    for pair, row in claims.items():
        of_pair = of_source[pair]
        verdict = "confirmed" if of_pair["p_adjusted"] <= 0.05 else "not confirmed"
        if source == "seeds" and of_pair["seeds"] + of_pair["seeds_baseline"] < 6:
            verdict = "not testable"
        assert (row[source], row["p_adjusted"]) == (verdict, of_topics[pair]["p_adjusted"])
    named = {"clusters": "other clusters of topics", "versions": "other wordings"}.get(source, f"other {source}")
    (not_checked,) = (each for each in found.conclusion if each.startswith("Not checked: "))
    assert named not in not_checked
    assert ("other documents" in not_checked) == (source != "clusters")


def test_few_clusters_tell_nothing() -> None:
    """Signs of five clusters find nothing at .05, though limits over them may leave out 0."""
    clusters = {str(topic): f"c{topic % 5}" for topic in range(1, 21)}
    found = irci.map_ci(QRELS, RUNS, survives=True, clusters=clusters, all_pairs=True, resamples=300)
    claims = rows(found, "claim")
    assert {row["clusters"] for row in claims} == {"not testable"}
    assert all("no source could be tested; not testable: " in each for each in found.conclusion if "p_all" in each)
    told = f"{len(claims)} of {len(claims)} differences in map cannot be tested by other clusters of topics: only 5 clusters."
    assert told in found.conclusion
    one = irci.map_ci(
        QRELS, RUNS, survives=True, clusters=dict.fromkeys(clusters, "one"), all_pairs=True, resamples=300
    )
    assert not any("clusters" in row for row in rows(one, "claim"))  # which has no row at all


class Contrary(Source):
    """A judge who finds the opposite of everything, and a half of it significantly."""

    name = "seeds"

    def evidence(self, family: Family) -> np.ndarray:
        value = -family.over_topics.of.value
        p = np.where(np.arange(len(value)) % 2, 0.001, 0.9)
        return np.stack((value, p, p))

    def remark(self, family: Family, index: int) -> str:
        return ""


def test_reversed_claims_end_with_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "sources_asked", lambda *_: ([Contrary()], ["everything else"]))
    given: dict[str, Any] = {"all_pairs": True, "survives": True, "resamples": 100}
    found = irci.map_ci(QRELS, RUNS, fail_if="reversed,not-equivalent", margin=0.5, **given)
    claims = rows(found, "claim")
    assert {row["seeds"] for row in claims} == {"reversed", "not confirmed"}
    assert all(float(row["p_all"]) == 1 for row in claims)
    assert [each for each in found.failures if "reversed" in each] == [
        f"map: {row['run']} against {row['baseline']}: reversed by other seeds (--fail-if reversed)"
        for row in claims if row["seeds"] == "reversed"
    ]  # fmt: skip
    assert any("reversed: other seeds" in each for each in found.conclusion)
    plain = rows(irci.map_ci(QRELS, RUNS, fail_if="reversed", **given), "difference")
    assert not any("verdict" in row for row in plain)


def test_measures_that_look_at_the_top_tell_nothing_over_documents() -> None:
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures="RR", **OPTIONS), "claim")
    assert found
    assert {row["documents"] for row in found} == {"not testable"}


@pytest.mark.check
def test_the_table_of_dl_2019() -> None:
    """The published counts of 692 claims among 1830 pairs, those with random draws within 5: documents and bounds confirm all
    of them; people's are of claims that QRELS sustains on the documents in common."""
    folder, labels = shared("trec-dl19-passage"), shared("llm-judgments-dl19")
    files = [folder / "qrels.dl19-passage.gz", *sorted((folder / "runs").iterdir())]
    asked = words("-n --all-pairs --survives --correction maxt -m nDCG@10 --names file --table claim")
    for name in ("umbrela-gpt4", "assessor-b", "assessor-c"):
        asked += ["--other-qrels", str(labels / f"qrels.dl19.{name}.gz")]
    claims = command_lines.rows("map-ci", *asked, *files)
    counts = Counter((name.replace("qrels.dl19.", ""), cell) for row in claims for name, cell in row.items())
    assert len(claims) == 692
    exact = {
        ("documents", "confirmed"): 692, ("judgments", "confirmed"): 692, ("judge:umbrela-gpt4", "confirmed"): 580,
        ("change:umbrela-gpt4", "changed"): 75,
        ("control:assessor-b", "confirmed"): 494, ("judge:assessor-b", "confirmed"): 472,
        ("control:assessor-c", "confirmed"): 494, ("judge:assessor-c", "confirmed"): 462,
    }  # fmt: skip
    assert {key: counts[key] for key in exact} == exact
    shown = Counter(cell for row in claims for name, cell in row.items() if name.startswith("judge:"))
    assert not shown["reversed"]
    assert shown["not testable"] == 2 * (692 - 494)  # which people sustain on what assessors judged, or not


# Other judges.


MEASURES = "nDCG@10,map"
BY_MAXT: dict[str, Any] = {"correction": "maxt", "resamples": 300}
Grades = dict[tuple[str, str], int]  # (topic, docno) -> grade


def grades_of(path: Path) -> Grades:
    fields = [line.split() for line in path.read_text().splitlines()]
    return {(topic, docno): int(grade) for topic, _, docno, grade in fields}


FIRST = grades_of(Path(QRELS))
TOPICS = sorted({topic for topic, _ in FIRST})


def judgments_file(path: Path, grades: Grades) -> str:
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
    paths = [judgments_file(tmp_path / f"judge{seed}.txt", judged_again(seed, 0.6 - 0.2 * seed)) for seed in (1, 2)]
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


def test_change_is_the_paired_test_of_both_judges_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study, "MOST", 0)  # counted, as many claims are
    path = judgments_file(tmp_path / "other.txt", judged_again(2, 0.3))
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
    monkeypatch.setattr(study, "MOST", 0)
    second = by_grade(judged_again(1, 0.5), {0: 0.1, 1: 0.5, 2: 0.6})
    path = judgments_file(tmp_path / "part.txt", second)
    control = judgments_file(tmp_path / "control.txt", {key: FIRST[key] for key in second})
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


def five_topics() -> Grades:
    return {key: grade for key, grade in FIRST.items() if key[0] in TOPICS[:5]}


LITTLE: dict[str, tuple[Callable[[], Grades], str]] = {
    "five topics": (five_topics, "only 5 topics"),
    "a part of five topics": (lambda: by_grade(five_topics(), {0: 0.5, 1: 1, 2: 1}), "only 5 topics"),
}  # fmt: skip


@pytest.mark.parametrize("case", LITTLE)
def test_a_judge_of_too_little_tells_nothing(tmp_path: Path, case: str) -> None:
    grades, reason = LITTLE[case]
    found = survived(QRELS, judgments_file(tmp_path / "little.txt", grades()), measures="map")
    without = survived(QRELS, measures="map")
    claims = rows(found, "claim", "map")
    assert {row["judge:little"] for row in claims} == {"not testable"}
    assert {row["change:little"] for row in claims} == {"-"}
    for row, plain in zip(claims, rows(without, "claim", "map"), strict=True):
        assert (row["survives"], row["of"], row["p_all"]) == (plain["survives"], plain["of"], plain["p_all"])
    assert any(reason in each for each in found.sentences)


@pytest.mark.parametrize(
    "options", [{"measures": "AP(rel=2)"}, {"measures": "map", "relevance_level": 2, "max_grade": 2}]
)
def test_a_judge_without_a_document_of_the_grade_asked_for(tmp_path: Path, options: dict[str, Any]) -> None:
    """All runs score 0 by him, which is no finding about them; by a measure that sees his grades he is asked all the same."""
    lenient = judgments_file(tmp_path / "llm.qrels", {key: min(grade, 1) for key, grade in FIRST.items()})
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


@pytest.mark.parametrize(("topic", "message"), [("nowhere", "no topic"), (TOPICS[0], "no document")])
def test_a_judge_of_other_topics_or_documents_is_refused(tmp_path: Path, topic: str, message: str) -> None:
    other = judgments_file(tmp_path / "other", {(topic, "elsewhere"): 1})
    asked = ("map-ci", "--baseline", "alpha", "--survives", "--other-qrels", other, str(QRELS), *RUNS)
    assert f"{message} in common" in command(*asked, status=4).stderr
