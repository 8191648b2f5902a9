"""The measures trec_eval lacks: against plain transcriptions of their definitions and examples worked by hand. And names.

What both have is compared in test_trec_eval.py.
"""

import math
from collections.abc import Callable
from pathlib import Path

import naive
import numpy as np
import pytest
from click.testing import CliRunner, Result
from conftest import TESTDATA

from irci.cli.group import main
from irci.data.measures import FAMILIES, TABLE, JudgedLists, Measure, parse
from irci.kernels import measures as kernels


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


def test_no_relevant_document_scores_nothing() -> None:
    for family in TABLE:
        for measure in parse(family.name):
            value = float(measure.scores(lists_of([0, -1, 0], [0]))[0])
            assert value == (3 if family.name == "num_ret" else 0), measure.name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("map", ["map"]),
        ("AP", ["map"]),
        ("P_10", ["P_10"]),
        ("P.5,10,20", ["P_5", "P_10", "P_20"]),
        ("P@10", ["P_10"]),
        ("P", [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        ("nDCG@10", ["ndcg_cut_10"]),
        ("nDCG", ["ndcg"]),
        ("AP@100", ["map_cut_100"]),
        ("R@1000", ["recall_1000"]),
        ("RR", ["recip_rank"]),
        ("ndcg_cut.10", ["ndcg_cut_10"]),
        ("ndcg_exp_cut_10", ["ndcg_exp_cut_10"]),
        ("ndcg_cut_100000", ["ndcg_cut_100000"]),
        ("iprec_at_recall_0.50", ["iprec_at_recall_0.50"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("set_F_2", ["set_F_2"]),
        # As they were given, as trec_eval has parameters; cutoffs are whole numbers, recalls have two decimals.
        ("set_F.2.0,.50,1e10,1234567", ["set_F_2.0", "set_F_.50", "set_F_1e10", "set_F_1234567"]),
        ("rbp.0.123456789", ["rbp_p=0.123456789"]),
        ("P.05", ["P_5"]),
        ("map_cut.1234567", ["map_cut_1234567"]),
        ("iprec_at_recall.0.5,.121", ["iprec_at_recall_0.50", "iprec_at_recall_0.12"]),
        ("rbp.p=0.8", ["rbp_p=0.8"]),
        ("rbp", ["rbp"]),
        ("P+@20", ["Pplus_20"]),
        ("Q", ["Q"]),
        ("11pt_avg", ["11pt_avg"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [measure.name for measure in parse(text)] == names


def test_names_are_read_back() -> None:
    for text in (*FAMILIES, "set_F.2.0,1e10", "rbp.0.123456789"):
        for measure in parse(text):
            assert parse(measure.name) == [measure]
            assert parse(measure.name)[0].name == measure.name


def test_a_parameter_that_nobody_spelled_is_printed_in_full() -> None:
    assert Measure(FAMILIES["set_F"], 2.0).name == "set_F_2"
    assert Measure(FAMILIES["rbp"], 0.123456789).name == "rbp_p=0.123456789"


def test_a_measure_is_printed_once_and_two_are_not_printed_as_one() -> None:
    """The same parameter spelled twice is one; recalls that print alike are refused."""
    files = [str(TESTDATA / "qrels.txt"), str(TESTDATA / "runs" / "alpha.run")]
    command = ["map-ci", "--quiet", "--population", "topics"]
    printed = CliRunner().invoke(main, [*command, "-m", "set_F.2.0,2", "-m", "set_F_2e0", *files]).stdout
    assert [line.split()[0] for line in printed.splitlines()] == ["set_F_2.0"]
    refused = CliRunner().invoke(main, [*command, "-m", "iprec_at_recall.0.121,.124", *files])
    assert refused.exit_code == 2
    assert "several measures would be printed as iprec_at_recall_0.12" in refused.stderr


@pytest.mark.parametrize(
    "text", ["", "nope", "MAPS", "P_0", "P_x", "P_-1", "map_10", "P_1_0", "P_\u0661", "P@", "ndcg_cut_1.5", "rbp_p=2",
             "iprec_at_recall_10", "P_99999999999999999999", "bpref@10", "set_F_nan"],
)  # fmt: skip
def test_what_is_no_measure(text: str) -> None:
    with pytest.raises(ValueError, match=r"needs a|no measure|takes no"):
        parse(text)


def test_near_misses_are_named() -> None:
    with pytest.raises(ValueError, match=r"no measure 'Num_Ret'; is it num_ret\?"):
        parse("Num_Ret")


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
    assert [line.split("\t")[2] for line in printed.stdout.splitlines()] == ["1.0000"] * 6
    assert printed.stderr == ""


@pytest.mark.parametrize("grades", [[10**18 - 1] * 10, [9 * 10**17, 8 * 10**17, 10**14]])
def test_sums_of_grades_pass_any_integer(tmp_path: Path, grades: list[int]) -> None:
    """Ten grades of nearly 10^18 add up to more than 2^63; where gains are grades, nothing depends on their size."""
    perfect = scores_of_a_perfect_list(tmp_path, grades, *PERFECT[:8]).stdout.splitlines()
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
