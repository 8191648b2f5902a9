"""Measures by intent: an example published for ndeval, plain transcriptions on random rankings, files refused."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from command_lines import printed, rows
from helpers import all_written

from irci import map_ci
from irci.base import DataError

MEASURES = ("alpha_nDCG", "nERR_IA", "Dsharp_nDCG")
EXAMPLE = "0 a A 1\n0 b B 1\n0 b D 1\n0 c C 1\n0 c E 0\n"  # pyndeval's own, E aside
Documents = dict[str, dict[str, int]]  # grades by intent, by docno


def run_of(documents: list[str], topic: str = "0", tag: str = "x") -> str:
    return "".join(f"{topic} Q0 {docno} 1 {-rank} {tag}\n" for rank, docno in enumerate(documents, 1))


def files_of(folder: Path, qrels: str, run: str) -> list[str]:
    return all_written(folder, {"qrels.txt": qrels, "0.run": run})


def scores(files: list[str], *measures: str) -> dict[tuple[str, str], float]:
    asked = [word for measure in measures for word in ("-m", measure)]
    return {(row["topic"], row["measure"]): row["value"] for row in rows("map-ci", "-q", *asked, *files)}


def test_the_example_of_ndeval(tmp_path: Path) -> None:
    """alpha-nDCG .7868 and nERR-IA .8297 of A, D, E, B (E is judged here, and not relevant); D#: two of three intents, and
    gains at 1, 2 and 4 of three."""
    found = scores(files_of(tmp_path, EXAMPLE, run_of(["A", "D", "E", "B"])), *(f"{name}@5" for name in MEASURES))
    discount = [1 / math.log2(rank + 1) for rank in range(1, 5)]
    ndcg = (discount[0] + discount[1] + discount[3]) / sum(discount)
    assert found["0", "alpha_nDCG@5"] == pytest.approx(0.7868, abs=1e-4)
    assert found["0", "nERR_IA@5"] == pytest.approx(0.8297, abs=1e-4)
    assert found["0", "Dsharp_nDCG@5"] == pytest.approx((2 / 3 + ndcg) / 2, abs=1e-12)


def greedy(relevant: Documents, cut: int) -> list[str]:
    """The best ranking: the document of the highest gain next, of equal ones that with the last docno, as ndeval has it."""
    seen: Counter[str] = Counter()
    left, best = sorted(relevant, reverse=True), []
    while left and len(best) < cut:
        gains = [sum(0.5 ** seen[intent] for intent in relevant[docno]) for docno in left]
        best.append(left.pop(gains.index(max(gains))))
        seen.update(relevant[best[-1]].keys())
    return best


def plain(ranking: list[str], relevant: Documents, cut: int) -> tuple[float, float, float]:
    def novelty(documents: list[str], discount: Callable[[int], float]) -> float:
        seen: Counter[str] = Counter()
        total = 0.0
        for rank, docno in enumerate(documents[:cut], 1):
            intents = [*relevant.get(docno, ())]
            total += sum(0.5 ** seen[intent] for intent in intents) / discount(rank)
            seen.update(intents)
        return total

    def graded(documents: list[str]) -> float:
        gains = [sum(relevant.get(docno, {}).values()) for docno in documents[:cut]]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    best = greedy(relevant, cut)
    by_gain = sorted(relevant, key=lambda docno: -sum(relevant[docno].values()))
    intents = {intent for grades in relevant.values() for intent in grades}
    found = {intent for docno in ranking[:cut] for intent in relevant.get(docno, ())}
    discounts: list[Callable[[int], float]] = [lambda rank: math.log2(rank + 1), float]
    alpha, err = (novelty(ranking, discount) / novelty(best, discount) for discount in discounts)
    return alpha, err, (len(found) / len(intents) + graded(ranking) / graded(by_gain)) / 2


def test_measures_against_plain_transcriptions(tmp_path: Path) -> None:
    """Some intents have no relevant document, some documents grades 0 and -2; one topic has no relevant document."""
    draw = random.Random(7)
    qrels, run, expected = "9 1 d1 0\n", run_of(["d1"], "9"), {("9", f"{name}@10"): 0.0 for name in MEASURES}
    for topic in map(str, range(1, 9)):
        documents: Documents = {}
        for intent in range(draw.randint(1, 5)):
            for docno in draw.sample(range(30), draw.randint(1, 12)):
                grade = draw.choice([-2, 0, 1, 1, 2, 3])
                qrels += f"{topic} {intent} d{docno} {grade}\n"
                documents.setdefault(f"d{docno}", {}).update({str(intent): grade} if grade > 0 else {})
        relevant = {docno: grades for docno, grades in documents.items() if grades}
        ranking = [f"d{docno}" for docno in draw.sample(range(40), 20)]
        run += run_of(ranking, topic)
        for cut in (3, 10):
            for name, value in zip(MEASURES, plain(ranking, relevant, cut), strict=True):
                expected[topic, f"{name}@{cut}"] = value
    found = scores(files_of(tmp_path, qrels, run), *(f"{name}@{cut}" for name in MEASURES for cut in (3, 10)))
    assert len(expected) > 50
    for place, value in expected.items():
        assert found[place] == pytest.approx(value, abs=1e-12), place


def test_names_as_papers_have_them(tmp_path: Path) -> None:
    files = files_of(tmp_path, EXAMPLE, run_of(["A"]))
    of_papers, of_irci = (
        [*scores(files, *(f"{name}@5" for name in names)).values()]
        for names in (("alpha-nDCG", "nERR-IA", "D#-nDCG"), MEASURES)
    )
    assert of_papers == of_irci


OF_INTENTS = "map-ci -m alpha_nDCG@5"


@pytest.mark.parametrize(
    ("line", "qrels", "status", "message"),
    [
        (OF_INTENTS, "0 a A\n", 3, "qrels.txt:1: 3 fields, expected 4 (topic intent docno grade)"),
        (OF_INTENTS, "0 a A 1.5\n", 3, "qrels.txt:1: grade '1.5' is not an integer"),
        (OF_INTENTS, "0 a A 1\n0 b A 1\n0 a A 1\n", 3, "qrels.txt:3: intent a of topic '0', document 'A' twice"),
        (OF_INTENTS, "", 3, "qrels.txt: empty file"),
        ("map-ci", "0 a A 1\n0 b A 1\n", 3, "qrels.txt:2: document 'A' twice for topic '0'"),
        (f"{OF_INTENTS} -m map", EXAMPLE, 2, "ask for them separately"),
        (f"{OF_INTENTS} -l 2", EXAMPLE, 2, "--relevance-level has no effect on alpha_nDCG@5"),
        (f"{OF_INTENTS} --population documents", EXAMPLE, 2, "no documents are resampled by intent"),
        (f"{OF_INTENTS} --meta random", EXAMPLE, 2, "no documents are resampled by intent"),
        ("ap-ci -m alpha_nDCG@5", EXAMPLE, 2, "no documents are resampled by intent"),
    ],
)
def test_refusals(tmp_path: Path, line: str, qrels: str, status: int, message: str) -> None:
    files = files_of(tmp_path, qrels, run_of(["A"]))
    assert message in printed(*line.split(), *files, status=status)


def test_judgments_in_memory_have_no_intents() -> None:
    with pytest.raises(DataError, match="judgments by intent are read from a file"):
        map_ci({"0": {"A": 1}}, {"x": {"0": {"A": 1.0}}}, measures=["alpha_nDCG@5"])


def test_receipts_are_of_judgments_whatever_their_order(tmp_path: Path) -> None:
    receipts = []
    for text in (EXAMPLE, "".join(reversed(EXAMPLE.splitlines(keepends=True))), EXAMPLE.replace("E 0", "E 1")):
        files = files_of(tmp_path, text, run_of(["A"]))
        signature = json.loads(printed("map-ci", "--format", "json", "-m", "nERR_IA@5", *files))["signature"]
        receipts.append([cell for name, cell in signature.items() if "judg" in name])
    same, reordered, changed = receipts
    assert len(same) > 0
    assert same == reordered != changed
