"""How far scores could move by ties, and their means, against all orders that documents with equal scores may have."""

import itertools
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci as command
from command_lines import printed
from helpers import SMALL, judged_lists, unpacked, written

import irci
from irci.measures import parse
from irci.measures.ties import EXPECTED, Ties, expected_scores

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
        least, mean, most = (np.mean([end(values) for values in ends[measure]]) for end in (min, np.mean, max))
        report = irci.score(qrels, run, measures=measure, max_grade=2)
        scores = [float(row["value"]) for table in report.tables for row in table.rows if row["topic"] != "all"]
        assert len(scores) == len(qrels)
        warned = " ".join(report.warnings)
        told = re.search(
            r"; (\S+) is ([\d.]+) to ([\d.]+) in other orders(?:, ([\d.]+) on average \(--ties mean\))?\)", warned
        )
        far = max(0.2 * np.std(scores, ddof=1) / len(scores) ** 0.5, 5e-5)
        if max(most - np.mean(scores), np.mean(scores) - least) <= far:
            assert "tied" not in warned
            continue
        assert told is not None, (measure, least, most, warned)
        assert told[1] == measure
        assert [float(told[2]), float(told[3])] == pytest.approx([least, most], abs=0.51e-4)
        assert (told[4] is None) if measure == "bpref" else float(told[4]) == pytest.approx(mean, abs=0.51e-4)


def test_of_several_runs_the_widest_move_is_told() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    apart, tied = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    worse = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "x": 1, "y": 1}}
    (told,) = irci.score(qrels, {"apart": apart, "tied": tied}, measures=["P@2", "RR"]).warnings
    assert told == (
        "run 'tied': 1 topic with tied scores of judged documents (ordered by docno, as trec_eval; RR is 0.7500 to 1.0000 in"
        " other orders, 0.8750 on average (--ties mean)): 1"
    )
    (told,) = irci.score(qrels, {"tied": tied, "worse": worse}, measures=["RR"]).warnings
    assert told.startswith(
        "run 'worse': 2 topics with tied scores of judged documents (ordered by docno, as trec_eval; RR is "
    )
    assert told.endswith(": 1 2 (the like of 1 other run: run 'tied')")
    assert not irci.score(qrels, {"tied": tied}, measures=["P@2"]).warnings  # no other order changes that
    (row,) = irci.map_ci(qrels, {"tied": tied}, measures=["RR"], ties="mean").table("estimate").rows
    assert row["value"] == 0.875


def test_unjudged_documents_in_ties_and_missing_topics() -> None:
    """Only what is tied with a judged document moves; a topic that is missing counts as the mean counts it."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    run = {"1": {"x": 3, "y": 3, "a": 2, "z": 2}}
    zero, drop = (irci.score(qrels, {"r": run}, measures="RR", missing=each).warnings for each in ("zero", "drop"))
    assert "RR is 0.1250 to 0.1667 in other orders" in " ".join(zero)
    assert "RR is 0.2500 to 0.3333 in other orders" in " ".join(drop)


NAMES = [
    "map", "map_cut_3", "recip_rank", "RR@2", "P_1", "P_3", "recall_3", "relative_P_3", "success_1", "success_3", "ndcg",
    "ndcg_cut_3", "nDCG(dcg='exp-log2')@4", "nDCG(dcg='exp-log2')", "rbp", "rbp_p=0.5", "RBP(rel=1)", "ERR", "ERR@3",
]  # fmt: skip


@pytest.mark.parametrize("sizes", [(6,), (1, 5, 2), (3, 1, 4), (2, 2, 2, 1), (1, 1, 6)])
def test_means_over_orders_against_enumeration(sizes: tuple[int, ...]) -> None:
    """Unjudged and irrelevant documents among them, and topics without relevant ones."""
    assert {parse(name)[0].family.name for name in NAMES} == set(EXPECTED)
    draw = random.Random(sum(sizes))
    for _ in range(6):
        tied = [[draw.choice([-1, -1, 0, 1, 2, 3]) for _ in range(size)] for size in sizes]
        missing, level = [draw.choice([0, 1, 2]) for _ in range(2)], draw.choice([1, 2])
        firsts = [1 + sum(sizes[:place]) for place in range(len(sizes))]
        of_judged = [(first, len(tie)) for first, tie in zip(firsts, tied, strict=True) for grade in tie if grade >= 0]
        ties = Ties(*np.array(of_judged, np.int64).reshape(-1, 2).T)
        orders = [
            judged_lists(list(itertools.chain(*order)), missing, level, 3)
            for order in itertools.product(*(sorted({*itertools.permutations(tie)}) for tie in tied))
        ]
        for name in NAMES:
            (measure,) = parse(name)
            scores = [measure.scores(lists)[0] for lists in orders]
            found = expected_scores(measure, orders[0], ties, np.ones(1, np.bool_))
            assert found[0] == pytest.approx(math.fsum(scores) / len(scores), abs=1e-12), name


def test_means_over_orders_do_not_depend_on_names(tmp_path: Path) -> None:
    """Other docnos leave all rows as they are, but for what adding up in another order does."""
    options = ["map-ci", "--quiet", "-q", "--ties", "mean", "-m", "map", "-m", "nDCG@10", "-m", "RR"]
    files = [SMALL / "qrels.txt", SMALL / "runs" / "charlie.run.gz"]
    renamed = []
    for path in files:
        fields = [line.split() for line in unpacked(path).decode().splitlines()]
        text = "".join(" ".join([*of[:2], of[2][::-1] + "x", *of[3:]]) + "\n" for of in fields)
        renamed.append(written(tmp_path / path.stem, text))
    assert printed(*options, *renamed) == printed(*options, *files)
    by_docno = [word if word != "mean" else "docno" for word in options]
    assert printed(*by_docno, *renamed) != printed(*by_docno, *files)


@pytest.mark.parametrize(
    "options",
    ["ap-ci", "map-ci -M 5", "compare --population documents", "compare --survives", "map-ci -m bpref", "partition-anova",
     "map-ci --meta fixed", "map-ci --versions (?P<topic>.)(?P<version>.)"],
)  # fmt: skip
def test_what_has_no_mean_over_orders_is_refused(options: str) -> None:
    files = [SMALL / "qrels.txt", SMALL / "runs" / "alpha.run", SMALL / "runs" / "bravo.run.gz"]
    refused = command(*options.split(), "--ties", "mean", *files)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--ties mean" in refused.stderr


def test_a_judge_beside_expected_scores() -> None:
    """Shares of judged documents, which only a warning is about, have no mean over orders, and need none."""
    judged = command("map-ci", "-m", "P_5", "--ties", "mean", "--judge", SMALL / "llm.txt",
                     SMALL / "qrels.txt", SMALL / "runs" / "bravo.run.gz")  # fmt: skip
    assert judged.exit_code == 0
    assert len(re.findall("^P_5", judged.stdout, re.MULTILINE)) == 4
