"""The measures trec_eval lacks: against plain transcriptions of their definitions and examples worked by hand.

What both have is compared in test_trec_eval.py; how measures are spelled is in test_measure_names.py.
"""

import math
from collections.abc import Callable
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner, Result
from command_lines import result_lines

from irci.cli.group import main
from irci.kernels import measures as kernels
from irci.measures import FAMILIES, TABLE, JudgedLists, Measure, parse


def lists_of(grades: list[int], missing: list[int], level: int = 1, most: int | None = None) -> JudgedLists:
    """One topic: the grades of the ranking (-1: not judged), and those of judged documents it does not retrieve."""
    judged = np.flatnonzero(np.array(grades) >= 0)
    every = np.array([*(grade for grade in grades if grade >= 0), *missing], np.int64)
    ideal = np.sort(every[(every > 0) | (every >= level)])[::-1]
    return JudgedLists(
        offsets=np.array([0, len(judged)]),
        ranks=(judged + 1).astype(np.int32),
        grades=np.array(grades, np.int64)[judged],
        level=level,
        retrieved=np.array([len(grades)]),
        relevant=np.array([(every >= level).sum()]),
        nonrelevant=np.array([(every < level).sum()]),
        ideal=ideal.copy(),
        ideal_offsets=np.array([0, len(ideal)]),
        most=int(every.max(initial=0)) if most is None else most,
    )


def score(name: str, grades: list[int], missing: list[int], level: int = 1, most: int | None = None) -> float:
    (measure,) = parse(name)
    return float(measure.scores(lists_of(grades, missing, level, most))[0])


def test_q_by_hand() -> None:
    """Grades 2, 0, 1; a 3 is missed. R = 3; cg = 2, 2, 3; cg* = 3, 5, 6: ratios (1 + 2)/(1 + 3) and (2 + 3)/(3 + 6)."""
    assert score("Q", [2, 0, 1], [3]) == pytest.approx((3 / 4 + 5 / 9) / 3, abs=1e-15)
    assert score("Q_2", [2, 0, 1], [3]) == pytest.approx(3 / 4 / 3, abs=1e-15)


def test_p_plus_by_hand() -> None:
    """The first of the 2s is at rank 2: BR(1) = (1 + 1)/(1 + 2) and BR(2) = (2 + 3)/(2 + 4)."""
    assert score("Pplus", [1, 2, 2], []) == pytest.approx((2 / 3 + 5 / 6) / 2, abs=1e-15)
    assert score("Pplus_1", [1, 2, 2], []) == pytest.approx(2 / 3, abs=1e-15)
    assert score("Pplus", [0, 0], [1]) == 0


def test_err_by_hand() -> None:
    """Grades 1, 2 of at most 2: p = 1/4, 3/4; ERR = 1/4 + 3/4 * 3/4 / 2 = 17/32. Ideal 2, 1: 3/4 + 1/4 * 1/4 / 2 = 25/32."""
    assert score("ERR", [1, 2], []) == pytest.approx(17 / 32, abs=1e-15)
    assert score("nERR", [1, 2], []) == pytest.approx(17 / 25, abs=1e-15)
    assert score("ERR_1", [1, 2], []) == pytest.approx(1 / 4, abs=1e-15)
    assert score("nERR_1", [1, 2], []) == pytest.approx(1 / 3, abs=1e-15)


def test_ndcg_exp_by_hand() -> None:
    assert score("ndcg_exp_cut_2", [1, 2, 1], []) == pytest.approx(
        (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)), abs=1e-15
    )


NAIVE: dict[str, Callable[..., float]] = {
    "Q": naive.q_measure,
    "Pplus": naive.p_plus,
    "ERR": naive.err,
    "nERR": naive.nerr,
    "ndcg_exp_cut": naive.ndcg_exp,
}


@pytest.mark.parametrize("family", NAIVE)
@pytest.mark.parametrize("level", [1, 2])
def test_random_rankings_against_naive(family: str, level: int) -> None:
    rng = np.random.default_rng(level)
    for _ in range(60):
        depth = int(rng.integers(1, 40))
        grades = rng.choice([-1, 0, 1, 2, 3], depth, p=[0.3, 0.3, 0.2, 0.1, 0.1]).tolist()
        missing = rng.integers(0, 4, int(rng.integers(0, 12))).tolist()
        cut = int(rng.integers(1, 45))
        expected = NAIVE[family](grades, missing, cut, level, 3)
        assert score(f"{family}_{cut}", grades, missing, level, 3) == pytest.approx(expected, abs=1e-12)


def test_q_with_beta_0_is_ap() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        lists = lists_of(rng.integers(-1, 4, 30).tolist(), rng.integers(0, 4, 10).tolist())
        ap = kernels.average_precision(lists, 1000)[0]
        assert kernels.q_measure(lists, 1000, 0.0)[0] == pytest.approx(ap, abs=1e-15)
        assert kernels.q_measure(lists, 7, 0.0)[0] == pytest.approx(kernels.average_precision(lists, 7)[0], abs=1e-15)


def test_rr_is_cut_by_hand() -> None:
    assert [score(name, [0, -1, 1, 1], []) for name in ("RR", "RR@3", "RR@2", "RR(rel=2)")] == [1 / 3, 1 / 3, 0, 1 / 3]
    assert score("RR(rel=2)", [1, 2], [], level=2) == 1 / 2


def test_judged_and_unjudged_by_hand() -> None:
    """Three documents, the second not judged: places below the ranking's end are judged for unj, and none for Judged."""
    ranking = [1, -1, 0]
    assert [score(f"Judged@{k}", ranking, []) for k in (1, 2, 3, 10)] == [1, 1 / 2, 2 / 3, 2 / 3]
    assert score("Judged", ranking, []) == 2 / 3
    assert [score(f"unj_{k}", ranking, []) for k in (1, 2, 3, 10)] == [0, 1 / 2, 1 / 3, 1 / 10]


def test_rbp_of_grades_and_of_relevance_by_hand() -> None:
    """Grades 1, 0, 2 with p = 1/2: weights 1/2, 1/4, 1/8; gains 1/2 and 1, or 1 where the grade is high enough."""
    assert score("RBP(p=0.5)", [1, 0, 2], []) == 1 / 4 + 1 / 8
    assert score("RBP(p=0.5,rel=1)", [1, 0, 2], [], level=1) == 1 / 2 + 1 / 8
    assert score("RBP(p=0.5,rel=2)", [1, 0, 2], [], level=2) == 1 / 8
    assert score("RBP(rel=1)", [1], []) == pytest.approx(1 - 0.8, abs=1e-15)
    assert score("RBP", [1], []) == score("rbp_p=0.8", [1], []) == pytest.approx(1 - 0.8, abs=1e-15)
    assert score("rbp", [1], []) == pytest.approx(1 - 0.9, abs=1e-15)


def test_rbp_and_its_residual_are_at_most_1() -> None:
    """Nothing can be gained beyond 1, which a run of relevant and unjudged documents alone can reach (Moffat & Zobel)."""
    rng = np.random.default_rng(5)
    for p in (0.5, 0.9):
        for _ in range(50):
            grades = rng.choice([-1, 0, 1], int(rng.integers(1, 30))).tolist()
            bound = score(f"rbp_p={p}", grades, []) + score(f"rbp_resid_p={p}", grades, [])
            lost = sum((1 - p) * p**place for place, grade in enumerate(grades) if grade == 0)
            assert bound == pytest.approx(1 - lost, abs=1e-12)


def test_gain_by_hand() -> None:
    """Grades 0, 2 and a missed 1: at rank 2 the best ranking has 2 + 1, this one 2. Of relevant documents one is below one."""
    assert score("G", [0, 2], [1]) == pytest.approx(2 / math.log2(2 + 3 - 2) / 3, abs=1e-15)
    assert score("G", [0, 0, 0, 2], [1]) == pytest.approx(2 / math.log2(2 + 3 + 2 - 2) / 3, abs=1e-15)
    assert score("binG", [0, 2], [1]) == pytest.approx(1 / math.log2(2 + 1) / 2, abs=1e-15)


def test_ndcg_at_documents_and_levels_by_hand() -> None:
    """Grades 1, 0, 2, 0, 0, with gains down to each rank 1, 1, 2, 2, 2 over 2, 2 + 1 / log2(3), the same from there on."""
    best = 2 + 1 / math.log2(3)
    assert score("ndcg_rel", [1, 0, 2, 0, 0], []) == pytest.approx((1 / 2 + 2 / best) / 2, abs=1e-15)
    assert score("ndcg_rel", [1, 0], [2]) == pytest.approx((1 / 2 + 1 / best) / 2, abs=1e-15)
    assert score("Rndcg", [1, 0, 2, 0, 0], []) == pytest.approx((1 / 2 + 1 / best + 2 / best) / 3, abs=1e-15)
    assert score("Rndcg", [1, 0, 2], []) == pytest.approx(
        (1 / 2 + 1 / best) / 2, abs=1e-15
    )  # one document more: no point


def test_no_relevant_document_scores_nothing() -> None:
    """But what is about documents that are not relevant."""
    others = {
        "num_q": 1,
        "num_ret": 3,
        "num_nonrel_judged_ret": 2,
        "utility": -3,
        "Judged": 2 / 3,
        "rbp_resid": 0.729 + 0.09,
    }
    for family in (family for family in TABLE if not family.by_intent):
        for measure in [Measure(family, parameter) for parameter in family.defaults]:
            value = float(measure.scores(lists_of([0, -1, 0], [0]))[0])
            expected = 1 / measure.cut if family.name == "unj" else others.get(family.name, 0)
            assert value == pytest.approx(expected, abs=1e-15), measure.name


def test_what_a_measure_looks_at_is_declared() -> None:
    """A measure that does not look at something scores the same when only that changes; one that does, not always."""
    of_grades, of_judged, of_retrieved = set(), set(), set()
    rankings = [[2, 0, 1, -1, 0, 1], [0, 1, -1, 2, 1, 0, 0], [1, 0, 0, 2], [-1, 1]]
    for family in (family for family in TABLE if not family.by_intent):
        for measure in [Measure(family, value) for value in family.defaults]:
            for grades in rankings:
                lists = lists_of(grades, [1, 2, 0])
                flat = np.minimum(lists.grades, 1)
                ideal = np.minimum(lists.ideal, 1)
                judged = lists.grades > 0
                fewer = lists._replace(
                    ranks=lists.ranks[judged], grades=lists.grades[judged], offsets=np.array([0, judged.sum()]),
                    nonrelevant=np.zeros(1, np.int64),
                )  # fmt: skip
                value = measure.scores(lists)[0]
                of_grades |= (
                    {family.name} if measure.scores(lists._replace(grades=flat, ideal=ideal))[0] != value else set()
                )
                of_judged |= {family.name} if measure.scores(fewer)[0] != value else set()
                longer = lists._replace(retrieved=lists.retrieved + 5)
                of_retrieved |= {family.name} if measure.scores(longer)[0] != value else set()
    assert of_grades == {family.name for family in TABLE if family.looks_at.grades and not family.by_intent}
    assert of_judged == {family.name for family in TABLE if family.looks_at.nonrelevant}
    assert of_retrieved == {family.name for family in TABLE if family.looks_at.retrieved}


def test_levels_that_change_nothing_are_none() -> None:
    changed = set()
    for family in (family for family in TABLE if not family.by_intent):
        for measure in [Measure(family, value) for value in family.defaults]:
            for grades in ([0, 1, 2, 0, 1, 2], [0, 1, 0]):
                values = {float(measure.scores(lists_of(grades, [1, 2], level))[0]) for level in (1, 2)}
                changed |= {family.name} if len(values) > 1 else set()
    assert changed == {family.name for family in TABLE if family.level != "none"}


def test_a_collection_that_leaves_a_measure_undefined_is_declared() -> None:
    """Every measure that divides by R or by the best ranking's gain says so; the others have a score without either."""
    undefined = {family.name: family.undefined_without for family in TABLE}
    of_gain = {"G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "nERR", "ndcg_exp", "ndcg_exp_cut"} | {
        family.name for family in TABLE if family.by_intent
    }
    assert {name for name, lacks in undefined.items() if lacks == "gain"} == of_gain
    never = {
        "num_q", "num_ret", "num_rel", "num_rel_ret", "recip_rank", "P", "utility", "success", "set_P",
        "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj", "Judged", "rbp_binary", "Pplus", "ERR",
    }  # fmt: skip
    assert {name for name, lacks in undefined.items() if not lacks} == never


def test_measures_are_distinct() -> None:
    assert len({family.name for family in TABLE}) == len(FAMILIES) == len(TABLE)
    assert Measure(FAMILIES["P"], 5) == parse("P_5")[0]


def scores_of_a_perfect_list(tmp_path: Path, grades: list[int], *options: str) -> Result:
    ordered = sorted(grades, reverse=True)
    (tmp_path / "qrels").write_text("".join(f"1 0 d{place} {grade}\n" for place, grade in enumerate(ordered)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{place} 0 {-place} r\n" for place in range(len(ordered))))
    arguments = ["ap-ci", "-B", "0", "-n", "-q", *options, str(tmp_path / "qrels"), str(tmp_path / "run")]
    return CliRunner().invoke(main, arguments)


PERFECT = ["-m", "ndcg_cut_10", "-m", "ndcg", "-m", "Q", "-m", "Pplus", "-m", "nERR", "-m", "ndcg_exp_cut_10"]


@pytest.mark.parametrize("grades", [[1000] * 10, [1000, 999, 1], [1] * 3])
def test_a_perfect_list_scores_1_whatever_its_grades(tmp_path: Path, grades: list[int]) -> None:
    printed = scores_of_a_perfect_list(tmp_path, grades, *PERFECT)
    assert [line.split("\t")[2] for line in result_lines(printed.stdout)] == ["1.0000"] * 6
    assert printed.stderr == ""


@pytest.mark.parametrize("grades", [[10**18 - 1] * 10, [9 * 10**17, 8 * 10**17, 10**14]])
def test_sums_of_grades_pass_any_integer(tmp_path: Path, grades: list[int]) -> None:
    """Ten grades of nearly 10^18 add up to more than 2^63; where gains are grades, nothing depends on their size."""
    perfect = result_lines(scores_of_a_perfect_list(tmp_path, grades, *PERFECT[:8]).stdout)
    assert [line.split("\t")[2] for line in perfect] == ["1.0000"] * 4
    rbp = scores_of_a_perfect_list(tmp_path, grades, "-m", "rbp").stdout
    assert rbp == scores_of_a_perfect_list(tmp_path, [grade // 10**14 for grade in grades], "-m", "rbp").stdout


@pytest.mark.parametrize("measure", ["ERR", "nERR", "ndcg_exp_cut_10"])
def test_grades_beyond_exponential_gains_are_refused(tmp_path: Path, measure: str) -> None:
    for grade in (1001, 1024, 10**18 - 1):
        refused = scores_of_a_perfect_list(tmp_path, [grade, 1], "-m", measure)
        assert (refused.exit_code, refused.stdout) == (4, "")
        assert f"qrels: grade {grade} of topic 1, but gains 2^grade - 1 are computed up to grade 1000" in refused.stderr
    beyond = scores_of_a_perfect_list(tmp_path, [3, 1], "-m", measure, "--max-grade", "2")
    assert (beyond.exit_code, "grade 3 of topic 1, but --max-grade is 2" in beyond.stderr) == (4, True)
