"""--survives: claims, what each other source says of them against the rows that map-ci prints for it, words and refusals."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from command_lines import printed
from helpers import ROOT, SHARED, SMALL

import irci
from irci.comparison import survival as study
from irci.comparison.family import Family
from irci.comparison.sources import Witness
from irci.stats.decisions import Told
from irci.stats.tests import adjusted
from irci.wording import amount, say

SEVERAL = ROOT / "testdata" / "several"
QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
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


def rows(found: Any, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for table in found.tables if table.kind == kind for row in table.rows]


def by_pair(found: list[dict[str, Any]], population: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["baseline"]): row for row in found if row["population"] == population}


@pytest.mark.parametrize("measure", ["map", "P_10"])
def test_claims_and_verdicts_are_those_of_the_rows_of_each_source(measure: str) -> None:
    """By max-T over topics, by Holm's p over documents, and by signs that are sure; p_all by hand."""
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures=measure, **OPTIONS), "claim")
    over = {}
    for name in ("topics", "documents", "judgments"):
        more = {"correction": "maxt"} if name == "topics" else {}
        alone = irci.map_ci(QRELS, RUNS, population=name, measures=measure, **OPTIONS, **more)
        over[name] = by_pair(rows(alone, "difference"), name)
    claims = {pair for pair, row in over["topics"].items() if row["p_adjusted"] <= 0.05}
    turned = [(row["run"], row["baseline"]) for row in found]
    assert {pair if pair in over["topics"] else pair[::-1] for pair in turned} == claims
    largest = {}
    for pair, row in over["topics"].items():
        told = [row["p"], over["documents"][pair]["p"]]
        told += [0.0] * (over["judgments"][pair]["sign"] == "determined")
        largest[pair] = max(told)
    p_all = dict(zip(largest, adjusted(np.array(list(largest.values())), "holm").tolist(), strict=True))
    for row, pair in zip(found, turned, strict=True):
        pair = pair if pair in over["topics"] else pair[::-1]
        assert row["value"] == pytest.approx(abs(over["topics"][pair]["value"]))
        assert row["documents"] == ("confirmed" if over["documents"][pair]["p_adjusted"] <= 0.05 else "not confirmed")
        assert row["judgments"] == ("confirmed" if over["judgments"][pair]["sign"] == "determined" else "not testable")
        # Documents and their judgments are found on the claim's own topics, and do not count.
        assert (row["survives"], row["of"]) == (0, 0)
        assert float(row["p_all"]) == pytest.approx(p_all[pair], abs=1e-12)


@pytest.mark.check
def test_other_rows_are_as_without_claims() -> None:
    """The populations asked for, as without --survives."""
    given: dict[str, Any]
    for given in (
        {"population": "topics", "baseline": "alpha"},
        {"population": "documents", "baseline": "bravo", "resamples": 300},
        {"baseline": "alpha", "ranks": True},
    ):
        alone, beside = (irci.map_ci(QRELS, RUNS, survives=survives, **given) for survives in (False, True))
        for kind in ("estimate", "difference", "rank"):
            assert repr(rows(beside, kind)) == repr(rows(alone, kind))


@pytest.mark.parametrize("source", OWN)
def test_a_source_with_an_option_of_its_own(source: str) -> None:
    """Claims are topics' by max-T, verdicts are by Holm's p of the source alone; the report's own rows are as without."""
    found = irci.map_ci(**OWN[source], survives=True, **OPTIONS)
    claims, beside = rows(found, "claim"), rows(found, "difference")
    beside = [row for row in beside if row.get("collection", "all") == "all"]
    own = {name: value for name, value in OWN[source].items() if name != "resamples"}
    alone = irci.map_ci(**own, population=source, correction="holm", **OPTIONS)
    columns = ("run", "baseline", "value", "lower", "upper", "p", "p_adjusted", "df", "test")
    by_source = [row for row in beside if row["population"] == source]
    alone_too = [row for row in rows(alone, "difference") if row["population"] == source]
    assert [[row[name] for name in columns] for row in by_source] == [
        [row[name] for name in columns] for row in alone_too
    ]
    plain = {
        name: value for name, value in OWN[source].items() if name != "clusters"
    }  # claims are about topics, whatever these
    by_largest = rows(irci.map_ci(**plain, population="topics", correction="maxt", **OPTIONS), "difference")
    by_largest = [row for row in by_largest if row.get("collection", "all") == "all"]
    of_topics, of_source = by_pair(by_largest, "topics"), by_pair(beside, source)
    significant = {pair for pair, row in of_topics.items() if row["p_adjusted"] <= 0.05}
    turned = {
        pair if pair in of_topics else pair[::-1]: row for row in claims for pair in [(row["run"], row["baseline"])]
    }
    assert set(turned) == significant
    for pair, row in turned.items():
        of_pair = of_source[pair]
        if source == "seeds" and of_pair["seeds"] + of_pair["seeds_baseline"] < 6:
            assert row[source] == "not testable"
        else:
            assert row[source] == ("confirmed" if of_pair["p_adjusted"] <= 0.05 else "not confirmed")
        assert row["p_adjusted"] == of_topics[pair]["p_adjusted"]
    named = {"clusters": "other clusters of topics", "versions": "other wordings"}.get(source, f"other {source}")
    (not_checked,) = (each for each in found.conclusion if each.startswith("Not checked: "))
    assert named not in not_checked
    assert ("other documents" in not_checked) == (source != "clusters")


def test_another_source_changes_nothing_but_what_is_counted() -> None:
    given: dict[str, Any] = {"survives": True, "all_pairs": True, "resamples": 300}
    alone = rows(irci.map_ci(QRELS, RUNS, **given), "claim")
    beside = rows(irci.map_ci(QRELS, RUNS, clusters=CLUSTERS, **given), "claim")
    of_topics = ("run", "baseline", "value", "p_adjusted", "documents", "judgments")
    assert [[row[name] for name in of_topics] for row in beside] == [[row[name] for name in of_topics] for row in alone]
    for row, before in zip(beside, alone, strict=True):
        assert row["of"] == before["of"] + 1
        assert row["survives"] == before["survives"] + (row["clusters"] == "confirmed")
        assert float(row["p_all"]) >= float(before["p_all"])


def test_few_clusters_tell_nothing() -> None:
    """Signs of five clusters find nothing at .05, though limits over them may leave out 0."""
    clusters = {str(topic): f"c{topic % 5}" for topic in range(1, 21)}
    found = irci.map_ci(QRELS, RUNS, survives=True, clusters=clusters, all_pairs=True, resamples=300)
    claims = rows(found, "claim")
    assert {row["clusters"] for row in claims} == {"not testable"}
    assert all("no source could be tested; not testable: " in each for each in found.conclusion if "p_all" in each)
    told = f"{len(claims)} of {len(claims)} differences in map cannot be tested by other clusters of topics: only 5 clusters."
    assert told in found.conclusion


@pytest.mark.check
def test_one_family_of_all_measures() -> None:
    """Claims are those of the joint p over topics, and p_all is Holm's of the largest p on all measures."""
    given: dict[str, Any] = {"measures": "map,P_10", "all_pairs": True, "family": "joint"}
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, resamples=300, **given), "claim")
    joint = irci.map_ci(QRELS, RUNS, correction="maxt", population="topics", resamples=300, **given)
    p = [row["p_adjusted"] for row in rows(joint, "difference")]
    assert sorted(row["p_adjusted"] for row in found) == sorted(each for each in p if each <= 0.05)
    largest, signs = [], ("determined", "undetermined")
    beside = irci.map_ci(QRELS, RUNS, survives=True, resamples=300, population="topics,documents,judgments", **given)
    by_measure: dict[tuple[str, str, str], list[float]] = {}
    for row in rows(beside, "difference"):
        of_one = by_measure.setdefault((row["measure"], row["run"], row["baseline"]), [])
        of_one.append((0.0, math.nan)[signs.index(row["sign"])] if row["population"] == "judgments" else row["p"])
    largest = [np.nanmax(each) for each in by_measure.values()]
    by_hand = adjusted(np.array(largest), "holm")[np.array(p) <= 0.05]
    assert sorted(float(row["p_all"]) for row in found) == pytest.approx(sorted(by_hand.tolist()), abs=1e-12)


def scored_rankings(kind: str, topics: int, rng: np.random.Generator) -> tuple[bytes, list[bytes]]:
    """Judgments of 20 documents a topic, and three rankings of them: next to the same, with ties, two equal ones, ..."""
    qrels, runs = [], [b""] * 3
    for topic in range(topics):
        grades = rng.integers(0, 3, 20)
        qrels += [f"{topic} 0 d{document} {grade}\n" for document, grade in enumerate(grades)]
        common = grades + rng.normal(0, 1, 20)
        for run in range(3):
            of_kind = {
                "apart": grades * (1 + 2 * run) + rng.normal(0, 1, 20),
                "copies": common + 1e-9 * rng.normal(0, 1, 20),
                "ties": np.round(grades * (1 + run) / 3 + rng.normal(0, 0.3, 20)),
                "equal": common if run < 2 else 4 * grades + rng.normal(0, 1, 20),
                "perfect": (grades if run else -grades).astype(float),
            }[kind].tolist()
            lines = [f"{topic} Q0 d{document} 0 {score!r} r{run}\n" for document, score in enumerate(of_kind)]
            runs[run] += "".join(lines).encode()
    return "".join(qrels).encode(), runs


def contradictions(found: Any, by_maxt: Any, populations: list[str]) -> list[str]:
    """Claims that the largest statistic over topics does not have, and verdicts that the rows beside them do not."""
    result, of = [], {}
    for table in found.tables:
        if table.kind == "difference":
            of |= {(table.measure, row["population"], row["run"], row["baseline"]): row for row in table.rows}
    claimed = set()
    for table in (table for table in found.tables if table.kind == "claim"):
        for claim in table.rows:
            pair = (claim["run"], claim["baseline"])
            pair = pair if (table.measure, "topics", *pair) in of else pair[::-1]
            claimed.add((table.measure, *pair))
            topics = of[table.measure, "topics", *pair]
            verdicts = []
            for name in populations:
                row, same = (
                    of[table.measure, name, *pair],
                    of[table.measure, name, *pair]["value"] * topics["value"] > 0,
                )
                sure = row["sign"] == "determined" if name == "judgments" else row["p_adjusted"] <= 0.05
                verdict = ("confirmed" if same else "reversed") if sure else "not confirmed"
                verdicts.append("not testable" if claim[name] == "not testable" else verdict)
            result += [f"{claim}: {verdicts}"] * ([claim[name] for name in populations] != verdicts)
            counted = [
                each for name, each in zip(populations, verdicts, strict=True) if name not in ("documents", "judgments")
            ]
            told = len(counted) - counted.count("not testable")
            result += [f"{claim}: counts"] * ((claim["survives"], claim["of"]) != (counted.count("confirmed"), told))
            result += [f"{claim}: sign"] * ((claim["run"] == pair[0]) != (topics["value"] > 0))
    for table in (table for table in by_maxt.tables if table.kind == "difference"):
        for row in table.rows:
            of_pair = (table.measure, row["run"], row["baseline"])
            is_claim = row["p_adjusted"] <= 0.05 and row["value"] != 0
            result += [f"{of_pair}: a claim or not"] * (is_claim != (of_pair in claimed))
    return result


@pytest.mark.sample(3)
@pytest.mark.parametrize("topics", [1, 3, 6, 12])
@pytest.mark.parametrize("kind", ["apart", "copies", "ties", "equal", "perfect"])
def test_verdicts_never_contradict_the_rows_beside_them(kind: str, topics: int) -> None:
    """On near copies, ties, equal runs, scores of 0 and 1, few topics, and all of these in one cluster."""
    qrels, runs = scored_rankings(kind, topics, np.random.default_rng(topics))
    given: dict[str, Any] = {"survives": True, "measures": "map,P_1", "resamples": 100}
    for pairs in ({"all_pairs": True}, {"baseline": "r1"}):
        found = irci.map_ci(qrels, runs, population="topics,documents,judgments", **given, **pairs)
        plain = {**given, "survives": False, "correction": "maxt", "population": "topics"}
        assert not contradictions(found, irci.map_ci(qrels, runs, **plain, **pairs), ["documents", "judgments"])
    one = {str(topic): "one" for topic in range(topics)}
    found = irci.map_ci(
        qrels, runs, clusters=one, population="clusters,topics,documents,judgments", **given, all_pairs=True
    )
    # One cluster has no row, and so tells of no claim.
    assert not any("clusters" in row for row in rows(found, "claim"))


class Contrary(Witness):
    """A judge who finds the opposite of everything, and a half of it significantly."""

    name = "seeds"

    def evidence(self, family: Family) -> Told:
        value = -family.over_topics.of.value
        p = np.where(np.arange(len(value)) % 2, 0.001, 0.9)
        return Told(value, p, p)


def test_reversed_claims_end_with_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "sources_asked", lambda *_: ([Contrary()], ["everything else"]))
    given: dict[str, Any] = {"all_pairs": True, "survives": True, "resamples": 100}
    found = irci.map_ci(QRELS, RUNS, fail_if="reversed,not-equivalent", margin=0.5, **given)
    claims = rows(found, "claim")
    reversed_ones = [row for row in claims if row["seeds"] == "reversed"]
    assert reversed_ones
    assert {row["seeds"] for row in claims} == {"reversed", "not confirmed"}
    assert all(float(row["p_all"]) == 1 for row in claims)
    told = [each for each in found.failures if "reversed" in each]
    assert told == [
        f"map: {row['run']} against {row['baseline']}: reversed by other seeds (--fail-if reversed)"
        for row in reversed_ones
    ]
    assert any("reversed: other seeds" in each for each in found.conclusion)
    assert not any(
        "verdict" in row for row in rows(irci.map_ci(QRELS, RUNS, fail_if="reversed", **given), "difference")
    )


def test_measures_that_look_at_the_top_tell_nothing_over_documents() -> None:
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures="RR", **OPTIONS), "claim")
    assert found
    assert {row["documents"] for row in found} == {"not testable"}


def test_no_claim() -> None:
    found = irci.compare(QRELS, RUNS[:2], survives=True, topics="1,2,4,5", resamples=100)
    assert not rows(found, "claim")
    assert any("there is nothing to confirm" in each for each in found.conclusion)


def ranked_runs(scores: dict[str, list[list[int]]], unjudged: bool = False) -> tuple[bytes, list[bytes]]:
    """Judgments, and runs that retrieve judged documents d0, d1, ... of each topic in the order given; one that is not judged
    behind those of the first run."""
    topics = range(len(next(iter(scores.values()))))
    qrels = "".join(f"{topic} 0 d{each} {int(each < 2)}\n" for topic in topics for each in range(5))
    runs = []
    for name, orders in scores.items():
        lines = [
            f"{topic} Q0 d{each} 0 {9 - rank} {name}\n" for topic in topics for rank, each in enumerate(orders[topic])
        ]
        lines += [f"{topic} Q0 other 0 1 {name}\n" for topic in topics if unjudged and not runs]
        runs.append("".join(lines).encode())
    return qrels.encode(), runs


GOOD, MIDDLE, BAD = [0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [2, 3, 4, 0, 1]


def test_claims_of_few_topics() -> None:
    """Signs of 5 topics find something at .1, of 4 do not: where p_adjusted is 1/16 there is a claim."""
    for topics, claims in ((5, 1), (4, 0)):
        qrels, runs = ranked_runs({"good": [GOOD, MIDDLE, *[GOOD] * (topics - 2)], "bad": [BAD] * topics})
        found = irci.compare(qrels, runs, survives=True, measures="map", confidence=0.9, resamples=100)
        assert len(rows(found, "claim")) == claims
        over_topics = by_pair(rows(found, "difference"), "topics")
        assert [row["p_adjusted"] for row in over_topics.values()] == [2 ** (1 - topics)]


def test_that_nothing_is_unjudged_is_said() -> None:
    """No grades can change a sign then, and that is no evidence."""
    for unjudged in (False, True):
        qrels, runs = ranked_runs({"good": [GOOD, MIDDLE] * 6, "bad": [BAD] * 12}, unjudged)
        found = irci.compare(qrels, runs, survives=True, measures="map,P_5", resamples=100)
        told = [each for each in found.conclusion if "on these topics" in each]
        # Behind five judged documents one of grade 1 counts in the average precision, but not down to rank 5.
        assert [("unjudged documents (there are none)" in each) for each in told] == [not unjudged]


def test_words() -> None:
    found = irci.compare(QRELS, RUNS, survives=True, resamples=300)
    (first, *_) = rows(found, "claim")
    lead = f"{first['run']} scores {amount(first['value'])} higher than bravo in map (all sources jointly: p_all"
    (sentence,) = (each for each in found.sentences if each.startswith(lead))
    no_source = say("survival.no_source")
    assert f"{no_source}; on these topics, which do not count, confirmed: documents" in sentence
    assert any("Not checked: a second set of judgments" in each for each in found.conclusion)
    assert not any("%" in each for each in found.sentences if "survive" in each)


@pytest.mark.check
def test_the_table_of_dl_2019() -> None:
    """The published counts of 692 claims among 1830 pairs, those with random draws within 5: documents and bounds confirm all
    of them; people's are of claims that QRELS sustains on the documents in common."""
    folder, labels = SHARED / "trec-dl19-passage", SHARED / "llm-judgments-dl19"
    if not (folder.exists() and labels.exists()):
        pytest.skip("no TREC 2019 here")
    files = [folder / "qrels.dl19-passage.gz", *sorted((folder / "runs").iterdir())]
    others = [
        word
        for name in ("umbrela-gpt4", "assessor-b", "assessor-c")
        for word in ("--other-qrels", labels / f"qrels.dl19.{name}.gz")
    ]
    words = (
        "-n",
        "--all-pairs",
        "--survives",
        "-m",
        "nDCG@10",
        "--names",
        "file",
        "--table",
        "claim",
        "--format",
        "tsv",
    )
    lines = [line.split("\t") for line in printed("map-ci", "--quiet", *words, *others, *files).splitlines()]
    header, claims = lines[0], lines[1:]
    counts = Counter(
        (name.replace("qrels.dl19.", ""), cell) for row in claims for name, cell in zip(header, row, strict=True)
    )
    assert len(claims) == 692
    exact = {
        ("documents", "confirmed"): 692, ("judgments", "confirmed"): 692, ("judge:umbrela-gpt4", "confirmed"): 580,
        ("change:umbrela-gpt4", "changed"): 75,
        ("control:assessor-b", "confirmed"): 494, ("judge:assessor-b", "confirmed"): 472,
        ("control:assessor-c", "confirmed"): 494, ("judge:assessor-c", "confirmed"): 462,
    }  # fmt: skip
    assert {key: counts[key] for key in exact} == exact
    shown = Counter(cell for row in claims for name, cell in zip(header, row, strict=True) if name.startswith("judge:"))
    assert not shown["reversed"]
    assert shown["not testable"] == 2 * (692 - 494)  # which people sustain on what assessors judged, or not
