"""The measures trec_eval lacks: against plain transcriptions of their definitions and examples worked by hand.

What both have is compared in test_trec_eval.py; how measures are spelled is in test_measure_names.py.
"""

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from command_lines import irci, result_lines
from helpers import judged_lists, written

from irci.measures import TABLE, Measure, parse


def score(name: str, grades: list[int], missing: list[int], level: int = 1, most: int | None = None) -> float:
    (measure,) = parse(name)
    return float(measure.scores(judged_lists(grades, missing, level, most))[0])


LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("grades", "missing", "scores"),
    [
        # Grades 2, 0, 1; a 3 is missed. R = 3; cg = 2, 2, 3; cg* = 3, 5, 6: ratios (1 + 2)/(1 + 3) and (2 + 3)/(3 + 6).
        ([2, 0, 1], [3], {"Q": (3 / 4 + 5 / 9) / 3, "Q_2": 3 / 4 / 3}),
        # The first of the 2s is at rank 2: BR(1) = (1 + 1)/(1 + 2) and BR(2) = (2 + 3)/(2 + 4).
        ([1, 2, 2], [], {"Pplus": (2 / 3 + 5 / 6) / 2, "Pplus_1": 2 / 3}),
        ([0, 0], [1], {"Pplus": 0}),
        # Of at most 2: p = 1/4, 3/4; ERR = 1/4 + 3/4 * 3/4 / 2 = 17/32. Ideal 2, 1: 3/4 + 1/4 * 1/4 / 2 = 25/32.
        ([1, 2], [], {"ERR": 17 / 32, "nERR": 17 / 25, "ERR_1": 1 / 4, "nERR_1": 1 / 3}),
        ([1, 2, 1], [], {"ndcg_exp_cut_2": (1 + 3 / LOG3) / (3 + 1 / LOG3)}),
        ([0, -1, 1, 1], [], {"RR": 1 / 3, "RR@3": 1 / 3, "RR@2": 0, "RR(rel=2)": 1 / 3}),
        # The second is not judged: places below the ranking's end are judged for unj, and none for Judged.
        ([1, -1, 0], [], {"Judged@1": 1, "Judged@2": 1 / 2, "Judged@3": 2 / 3, "Judged@10": 2 / 3, "Judged": 2 / 3,
                          "unj_1": 0, "unj_2": 1 / 2, "unj_3": 1 / 3, "unj_10": 1 / 10}),
        # Weights 1/2, 1/4, 1/8; gains 1/2 and 1, or 1 where the grade is high enough.
        ([1, 0, 2], [], {"RBP(p=0.5)": 1 / 4 + 1 / 8, "RBP(p=0.5,rel=1)": 1 / 2 + 1 / 8}),
        ([1], [], {"RBP(rel=1)": 1 - 0.8, "RBP": 1 - 0.8, "rbp_p=0.8": 1 - 0.8, "rbp": 1 - 0.9}),
        # A missed 1: at rank 2 the best ranking has 2 + 1, this one 2. Of relevant documents one is below one.
        ([0, 2], [1], {"G": 2 / math.log2(2 + 3 - 2) / 3, "binG": 1 / math.log2(2 + 1) / 2}),
        ([0, 0, 0, 2], [1], {"G": 2 / math.log2(2 + 3 + 2 - 2) / 3}),
        # Gains down to each rank 1, 1, 2, 2, 2 over 2, 2 + 1 / log2(3), the same from there on.
        ([1, 0, 2, 0, 0], [], {"ndcg_rel": (1 / 2 + 2 / (2 + 1 / LOG3)) / 2,
                               "Rndcg": (1 / 2 + 1 / (2 + 1 / LOG3) + 2 / (2 + 1 / LOG3)) / 3}),
        ([1, 0], [2], {"ndcg_rel": (1 / 2 + 1 / (2 + 1 / LOG3)) / 2}),
        ([1, 0, 2], [], {"Rndcg": (1 / 2 + 1 / (2 + 1 / LOG3)) / 2}),  # one document more: no point
    ],
)  # fmt: skip
def test_scores_by_hand(grades: list[int], missing: list[int], scores: dict[str, float]) -> None:
    """Exactly; at another level too."""
    for name, expected in scores.items():
        assert score(name, grades, missing) == expected, name
    assert score("RR(rel=2)", [1, 2], [], level=2) == 1 / 2
    assert score("RBP(p=0.5,rel=2)", [1, 0, 2], [], level=2) == 1 / 8


def test_rbp_and_its_residual_are_at_most_1() -> None:
    """Nothing can be gained beyond 1, which a run of relevant and unjudged documents alone can reach (Moffat & Zobel)."""
    rng = np.random.default_rng(5)
    for p in (0.5, 0.9):
        for _ in range(50):
            grades = rng.choice([-1, 0, 1], int(rng.integers(1, 30))).tolist()
            bound = score(f"rbp_p={p}", grades, []) + score(f"rbp_resid_p={p}", grades, [])
            lost = sum((1 - p) * p**place for place, grade in enumerate(grades) if grade == 0)
            assert bound == pytest.approx(1 - lost, abs=1e-12)


OF_RANKINGS = [Measure(family, value) for family in TABLE if not family.by_intent for value in family.defaults]


def test_no_relevant_document_scores_nothing() -> None:
    """But what is about documents that are not relevant."""
    others = {"num_q": 1, "num_ret": 3, "num_nonrel_judged_ret": 2, "utility": -3, "Judged": 2 / 3, "rbp_resid": 0.819}
    for measure in OF_RANKINGS:
        name = measure.family.name
        expected = 1 / measure.cut if name == "unj" else others.get(name, 0)
        found = measure.scores(judged_lists([0, -1, 0], [0]))[0]
        assert float(found) == pytest.approx(expected, abs=1e-15), measure.name


def test_what_a_measure_looks_at_is_declared() -> None:
    """A measure that does not look at something scores the same when only that changes; one that does, not always."""
    changed: dict[str, set[str]] = {"grades": set(), "nonrelevant": set(), "retrieved": set()}
    for grades in ([2, 0, 1, -1, 0, 1], [0, 1, -1, 2, 1, 0, 0], [1, 0, 0, 2], [-1, 1]):
        lists = judged_lists(grades, [1, 2, 0])
        judged = lists.grades > 0
        others = {
            "grades": lists._replace(grades=np.minimum(lists.grades, 1), ideal=np.minimum(lists.ideal, 1)),
            "nonrelevant": lists._replace(
                ranks=lists.ranks[judged], grades=lists.grades[judged], offsets=np.array([0, judged.sum()]),
                nonrelevant=np.zeros(1, np.int64),
            ),
            "retrieved": lists._replace(retrieved=lists.retrieved + 5),
        }  # fmt: skip
        for measure in OF_RANKINGS:
            for what, other in others.items():
                if measure.scores(other)[0] != measure.scores(lists)[0]:
                    changed[what].add(measure.family.name)
    of_rankings = [family for family in TABLE if not family.by_intent]
    assert changed == {
        "grades": {family.name for family in of_rankings if family.sight in ("gains", "grades")},
        "nonrelevant": {family.name for family in of_rankings if family.sight == "judgments"},
        "retrieved": {family.name for family in of_rankings if family.sees_retrieved},
    }


def test_levels_that_change_nothing_are_none() -> None:
    changed = set()
    for measure in OF_RANKINGS:
        for grades in ([0, 1, 2, 0, 1, 2], [0, 1, 0]):
            if len({float(measure.scores(judged_lists(grades, [1, 2], level))[0]) for level in (1, 2)}) > 1:
                changed.add(measure.family.name)
    assert changed == {family.name for family in TABLE if family.level != "none"}


def of_perfect_list(tmp_path: Path, grades: list[int], *options: str, status: int = 0) -> Result:
    ordered = sorted(grades, reverse=True)
    qrels = written(tmp_path / "qrels", "".join(f"1 0 d{place} {grade}\n" for place, grade in enumerate(ordered)))
    run = written(tmp_path / "run", "".join(f"1 Q0 d{place} 0 {-place} r\n" for place in range(len(ordered))))
    return irci("ap-ci", "-B", "0", "-n", "-q", *options, qrels, run, status=status)


PERFECT = ["-m", "ndcg_cut_10", "-m", "ndcg", "-m", "Q", "-m", "Pplus", "-m", "nERR", "-m", "ndcg_exp_cut_10"]


@pytest.mark.parametrize(
    "grades", [[1000] * 10, [1000, 999, 1], [1] * 3, [2**53 - 1] * 10, [9 * 10**15, 8 * 10**15, 10**12]]
)
def test_a_perfect_list_scores_1_whatever_its_grades(tmp_path: Path, grades: list[int]) -> None:
    """Where gains are grades, nothing depends on their size."""
    measures = PERFECT if max(grades) <= 1000 else PERFECT[:8]
    result = of_perfect_list(tmp_path, grades, *measures)
    assert [line.split("\t")[2] for line in result_lines(result.stdout)] == ["1.0000"] * (len(measures) // 2)
    assert result.stderr == ""
    if max(grades) > 1000:
        rbp = of_perfect_list(tmp_path, grades, "-m", "rbp").stdout
        assert rbp == of_perfect_list(tmp_path, [grade // 10**12 for grade in grades], "-m", "rbp").stdout


@pytest.mark.parametrize("measure", ["ERR", "nERR", "ndcg_exp_cut_10"])
def test_grades_beyond_exponential_gains_are_refused(tmp_path: Path, measure: str) -> None:
    for grade in (1001, 1024, 2**53 - 1):
        refused = of_perfect_list(tmp_path, [grade, 1], "-m", measure, status=4)
        assert refused.stdout == ""
        assert f"qrels: grade {grade} of topic 1, but gains 2^grade - 1 are computed up to grade 1000" in refused.stderr
    beyond = of_perfect_list(tmp_path, [3, 1], "-m", measure, "--max-grade", "2", status=4)
    assert "grade 3 of topic 1, but --max-grade is 2" in beyond.stderr
