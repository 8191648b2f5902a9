"""How far scores could move by ties, against all orders that documents with equal scores may have."""

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest

import irci

MEASURES = ["AP", "nDCG@3", "RR", "P@2", "bpref", "ERR@5"]


def orders_of(scores: dict[str, float]) -> Iterator[dict[str, float]]:
    """A ranking with its ties in every order."""
    tied = [
        [docno for docno, score in scores.items() if score == level]
        for level in sorted(set(scores.values()), reverse=True)
    ]
    for order in itertools.product(*map(itertools.permutations, tied)):
        yield {docno: scores[docno] for docnos in order for docno in docnos}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.check) for seed in range(1, 6))])
def test_no_order_of_ties_scores_beyond_what_is_told(seed: int) -> None:
    """For each measure by itself, on three topics: the mean's ends are those of the topics'."""
    random = np.random.default_rng(seed)
    docnos = [f"d{place}" for place in range(6)]
    qrels = {topic: {docno: int(random.integers(0, 3)) for docno in docnos[:4]} | {"r": 1} for topic in ("1", "2", "3")}
    run = {topic: {docno: float(random.integers(0, 3)) for docno in docnos} for topic in qrels}
    ends: dict[str, list[list[float]]] = {measure: [] for measure in MEASURES}
    for topic, scores in run.items():
        reports = [
            irci.score({topic: qrels[topic]}, {topic: order}, measures=MEASURES, ties="file", max_grade=2)
            for order in orders_of(scores)
        ]
        for measure in MEASURES:
            found = [{row["measure"]: row["value"] for row in each.table("estimate").rows} for each in reports]
            ends[measure].append([float(str(values[measure])) for values in found])
    for measure in MEASURES:
        least, most = (np.mean([end(values) for values in ends[measure]]) for end in (min, max))
        report = irci.score(qrels, run, measures=measure, max_grade=2)
        scores = [float(row["value"]) for table in report.tables for row in table.rows if row["topic"] != "all"]
        assert len(scores) == len(qrels)
        warned = " ".join(report.warnings)
        told = re.search(r"; (\S+) is ([\d.]+) to ([\d.]+) in other orders\)", warned)
        far = max(0.2 * np.std(scores, ddof=1) / len(scores) ** 0.5, 5e-5)
        if max(most - np.mean(scores), np.mean(scores) - least) <= far:
            assert "tied" not in warned
            continue
        assert told is not None, (measure, least, most, warned)
        assert told[1] == measure
        assert [float(told[2]), float(told[3])] == pytest.approx([least, most], abs=0.51e-4)


def test_of_several_runs_the_widest_move_is_told() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    apart, tied = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    worse = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "x": 1, "y": 1}}
    (told,) = irci.score(qrels, {"apart": apart, "tied": tied}, measures=["P@2", "RR"]).warnings
    assert told == (
        "run 'tied': 1 topic with tied scores of judged documents (ordered by docno, as trec_eval; RR is 0.7500 to 1.0000 in"
        " other orders): 1"
    )
    (told,) = irci.score(qrels, {"tied": tied, "worse": worse}, measures=["RR"]).warnings
    assert told == (
        "2 runs: tied scores of judged documents in up to 2 topics, ordered by docno as trec_eval does; other orders move"
        " a mean by up to 0.5833 (RR)"
    )
    assert not irci.score(qrels, {"tied": tied}, measures=["P@2"]).warnings  # no other order changes that


def test_unjudged_documents_in_ties_and_missing_topics() -> None:
    """Only what is tied with a judged document moves; a topic that is missing counts as the mean counts it."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"x": 3, "y": 3, "a": 2, "z": 2}}
    zero, drop = (irci.score(qrels, {"r": run}, measures="RR", missing=each).warnings for each in ("zero", "drop"))
    assert "RR is 0.1250 to 0.1667 in other orders" in " ".join(zero)
    assert "RR is 0.2500 to 0.3333 in other orders" in " ".join(drop)
