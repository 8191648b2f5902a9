"""Bounds of scores over all grades that unjudged documents could have: right means what brute force over all assignments finds
on tiny rankings, for every measure and for pairs; on real lists with judgments removed, that no assignment gets out."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from helpers import all_written, inputs_of
from naive_measures import Topic
from naive_unjudged import EXACT, TWO_GRADES, cut_of, extremes, is_unknown, rbp_extremes, score_of

from irci.base.types import Floats
from irci.data.collection import RetrievedDocuments
from irci.data.experiment import Experiment
from irci.estimators.unjudged import Side, bounds, bounds_kind, difference_bounds, is_sure, side, unjudged_documents
from irci.measures import parse

MOST = 3
ALL = (*EXACT, *TWO_GRADES)
OF_PAIRS_EXACT = ("P_2", "set_P", "ndcg", "ndcg_cut_2", "ndcg_exp_cut_3")
OF_PAIRS_OUTER = ("map", "map_cut_2", "Rprec", "recall_2", "recip_rank", "success_2", "ERR", "nERR@2")


@dataclass(frozen=True)
class Case:
    """A topic of two runs: documents by rank, and the grades of those judged."""

    runs: tuple[tuple[str, ...], tuple[str, ...]]
    grades: dict[str, int]

    def unknown(self, run: int, cut: int) -> list[str]:
        """Documents of one run that are of unknown grade."""
        return [each for each in self.runs[run][:cut] if is_unknown(self.grades.get(each))]

    def topic(self, run: int, more: dict[str, int] | None = None, level: int = 1) -> Topic:
        """What a run has of it, with these grades too."""
        grades = self.grades | (more or {})
        lacked = [grade for docno, grade in grades.items() if docno not in self.runs[run]]
        return Topic(tuple(grades.get(each) for each in self.runs[run]), tuple(lacked), level, MOST)


def random_case(rng: np.random.Generator, most: int = MOST) -> Case:
    """Two short rankings of the same documents, some judged, and a few judged documents that neither retrieves."""
    names = [f"d{place}" for place in range(6)]
    runs = tuple(tuple(rng.permutation(names)[: rng.integers(1, 6)].tolist()) for _ in range(2))
    grades = {name: int(rng.integers(-1, most + 1)) for name in names if rng.random() < 0.6}
    grades |= {f"m{place}": int(rng.integers(0, most + 1)) for place in range(rng.integers(0, 3))}
    return Case((runs[0], runs[1]), grades)


def experiment_of(cases: Sequence[Case], folder: Path, level: int = 1, most: int = MOST) -> Experiment:
    """Two runs of these topics, read from files."""
    texts = {"qrels": "".join(f"{number:05d} 0 nothing 0\n" for number in range(len(cases))), "run0": "", "run1": ""}
    for number, case in enumerate(cases):
        texts["qrels"] += "".join(f"{number:05d} 0 {docno} {grade}\n" for docno, grade in case.grades.items())
        for run, name in enumerate(("run0", "run1")):
            ranked = enumerate(case.runs[run])
            texts[name] += "".join(f"{number:05d} Q0 {docno} 0 {1000 - rank} {name}\n" for rank, docno in ranked)
    return Experiment(inputs_of(*all_written(folder, texts), relevance_level=level, max_grade=most), ())


def sides_of(experiment: Experiment, names: Sequence[str]) -> dict[str, list[Side]]:
    """Of the runs, by each measure."""
    numbered = RetrievedDocuments(experiment.qrels, np.zeros(len(experiment.qrels.grade), np.bool_), to_the_end=True)
    sides: dict[str, list[Side]] = {name: [] for name in names}
    for run in experiment.runs():
        documents = unjudged_documents(run.judged, experiment.qrels, numbered.add(run.run, run.judged))
        for name, (measure,) in zip(names, map(parse, names), strict=True):
            sides[name].append(side(measure, run.lists(measure.level), run.scores(measure), *documents))
    return sides


def found_bounds(experiment: Experiment, name: str) -> list[Floats]:
    """Of each run: scores, lower and upper ones, and the share judged."""
    return [*map(bounds, sides_of(experiment, [name])[name])]


def found_differences(experiment: Experiment, names: Sequence[str]) -> dict[str, Floats]:
    """Of run0 less run1, by each measure."""
    return {name: difference_bounds(*both) for name, both in sides_of(experiment, names).items()}


def check_bounds(cases: Sequence[Case], folder: Path, names: Sequence[str], level: int = 1) -> None:
    """Of every single ranking by every measure, against all assignments."""
    experiment = experiment_of(cases, folder, level)
    names = [name for name in names if level == 1 or "rel=" not in name]  # which has a level of its own
    for name in names:
        for run, (value, low, high, _) in enumerate(found_bounds(experiment, name)):
            for place, case in enumerate(cases):
                topic = case.topic(run, {"nothing": 0}, level)
                lower, upper = extremes(topic, name)
                # Ranks below the end of a list may hold relevant documents too.
                expected = lower, upper + (0.8 ** len(topic.ranking) if name.startswith("RBP") else 0)
                assert (low[place], high[place]) == pytest.approx(expected, abs=1e-12), (name, topic)
                assert value[place] == pytest.approx(score_of(name)(topic), abs=1e-12)
                assert low[place] <= value[place] <= high[place]


def check_outer(cases: Sequence[Case], folder: Path) -> None:
    """nERR's bounds hold all that there can be."""
    experiment = experiment_of(cases, folder)
    assert bounds_kind(parse("nERR@2")[0], MOST, 1, of_pairs=False) == "outer"
    for run, (_, lower, upper, _) in enumerate(found_bounds(experiment, "nERR@2")):
        for place, case in enumerate(cases):
            least, most = extremes(case.topic(run), "nERR@2")
            assert lower[place] <= least + 1e-12
            assert upper[place] >= most - 1e-12


def check_differences(cases: Sequence[Case], folder: Path) -> None:
    """Of every pair, against all assignments to the unknown documents of both."""
    experiment = experiment_of(cases, folder)
    every = found_differences(experiment, (*OF_PAIRS_EXACT, *OF_PAIRS_OUTER))
    for name, (_, lower, upper) in every.items():
        score, is_exact = score_of(name), name in OF_PAIRS_EXACT
        assert bounds_kind(parse(name)[0], MOST, 1, of_pairs=True) == ("exact" if is_exact else "outer")
        for place, case in enumerate(cases):
            unknown = sorted({each for run in (0, 1) for each in case.unknown(run, cut_of(name))})
            differences = [
                score(case.topic(0, more)) - score(case.topic(1, more))
                for grades in itertools.product(range(MOST + 1), repeat=len(unknown))
                for more in [dict(zip(unknown, grades, strict=True))]
            ]
            least, most = min(differences), max(differences)
            if is_exact:
                assert (lower[place], upper[place]) == pytest.approx((least, most), abs=1e-12), (name, case)
            assert lower[place] <= least + 1e-12, (name, case)
            assert upper[place] >= most - 1e-12, (name, case)


def random_cases(number: int, seed: int) -> list[Case]:
    rng = np.random.default_rng(seed)
    return [random_case(rng) for _ in range(number)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("level", [1, 2])
def test_bounds_against_enumeration(level: int, tmp_path: Path) -> None:
    check_bounds(random_cases(12, level), tmp_path, ALL, level)


def test_outer_bounds_against_enumeration(tmp_path: Path) -> None:
    check_outer(random_cases(40, 3), tmp_path)


@pytest.mark.check
def test_differences_against_enumeration(tmp_path: Path) -> None:
    check_differences(random_cases(20, 4), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_bounds_and_differences_against_enumeration(seed: int, tmp_path: Path) -> None:
    check_bounds(random_cases(600, 10 + seed), tmp_path, ALL, 1 + seed % 3)
    check_outer(random_cases(600, 20 + seed), tmp_path)
    check_differences(random_cases(150, 30 + seed), tmp_path)


def test_rbp_bounds_against_the_definition(tmp_path: Path) -> None:
    """Holes, and the ranks below the end of the list unless it is left out, have the highest gain that is judged so far."""
    cases = random_cases(40, 5)
    experiment = experiment_of(cases, tmp_path)
    for run, (_, lower, upper, _) in enumerate(found_bounds(experiment, "rbp_p=0.8")):
        for place, case in enumerate(cases):
            expected = rbp_extremes(case.topic(run), 0.8)
            assert (lower[place], upper[place]) == pytest.approx(expected, abs=1e-12)


def test_rbp_differences_against_enumeration(tmp_path: Path) -> None:
    """Gains from 0 to 1 of either's holes, beside them what may stand below the end of a list."""
    cases = random_cases(40, 6)
    _, lower, upper = found_differences(experiment_of(cases, tmp_path), ["rbp_p=0.8"])["rbp_p=0.8"]
    assert bounds_kind(parse("rbp_p=0.8")[0], MOST, 1, of_pairs=True) == "outer"
    for place, case in enumerate(cases):
        unknown = sorted({each for run in (0, 1) for each in case.unknown(run, 10**9)})
        divisor = max([1, *(case.grades.values())])

        def rbp(run: int, gains: dict[str, float], case: Case = case) -> float:
            return 0.2 * sum(gains.get(docno, 0.0) * 0.8**i for i, docno in enumerate(case.runs[run]))

        judged = {docno: max(grade, 0) / divisor for docno, grade in case.grades.items()}
        differences = [
            rbp(0, gains) - rbp(1, gains)
            for some in itertools.product((0.0, 1.0), repeat=len(unknown))
            for gains in [judged | dict(zip(unknown, some, strict=True))]
        ]
        below = [0.8 ** len(case.runs[run]) for run in (0, 1)]
        expected = min(differences) - below[1], max(differences) + below[0]
        assert (lower[place], upper[place]) == pytest.approx(expected, abs=1e-12)


def judged_throughout(case: Case, rng: np.random.Generator) -> Case:
    """The case with every document of either run judged."""
    every = {docno: int(rng.integers(0, MOST + 1)) for run in case.runs for docno in run}
    return Case(case.runs, every | {docno: max(grade, 0) for docno, grade in case.grades.items()})


@pytest.mark.check
def test_all_judged_leaves_nothing_open(tmp_path: Path) -> None:
    """The bounds are the score to the last bit, of runs and of pairs; RBP's leave open what is below the end of a list."""
    rng = np.random.default_rng(7)
    cases = [judged_throughout(case, rng) for case in random_cases(300, 7)]
    experiment = experiment_of(cases, tmp_path)
    for run, (value, lower, upper, _) in enumerate(found_bounds(experiment, "rbp_p=0.8")):
        below = [0.8 ** len(case.runs[run]) for case in cases]
        assert np.array_equal(lower, value)
        assert upper == pytest.approx(value + below, abs=1e-12)
    names = [*(name for name in ALL if not name.lower().startswith("rbp")), "nERR@2"]
    of_runs = [(name, found) for name in names for found in found_bounds(experiment, name)]
    of_pairs = [*found_differences(experiment, names).items()]
    for name, (value, lower, upper, *_) in of_runs + of_pairs:
        assert np.array_equal([lower, upper], [value] * 2), name


def test_worked_examples(tmp_path: Path) -> None:
    """What is usually said of holes is wrong: a relevant one lowers AP, and a middle grade is best for nDCG."""
    ap = Case((("a", "b", "c", "x"), ("a",)), {"a": 1, "b": 0, "c": 0})
    gains = Case((("a", "x"), ("a",)), {"a": 2, "m": 2})
    experiment = experiment_of([ap, gains], tmp_path)
    assert found_bounds(experiment, "map")[0][:, 0].tolist() == [1.0, 0.75, 1.0, 0.75]
    _, lower, upper, _ = found_bounds(experiment, "ndcg_cut_2")[0]
    ratio = 2 / (2 + 2 / np.log2(3))
    assert (lower[1], upper[1]) == pytest.approx((ratio, 1.0), abs=1e-12)
    assert ratio == pytest.approx(0.613, abs=5e-4)
    assert (2 + 3 / np.log2(3)) / (3 + 2 / np.log2(3)) == pytest.approx(0.913, abs=5e-4)  # with the highest grade


def test_of_two_grades_q_is_exact() -> None:
    (q,) = parse("Q")
    assert [bounds_kind(q, highest, 1, of_pairs=False) for highest in (1, MOST)] == ["exact", "two-grade"]


def test_a_pair_is_sure_beyond_rounding_or_if_it_is_always_equal() -> None:
    assert is_sure(*np.array([(0.1, 0.2), (-0.2, -0.1), (0.0, 0.0)]).T).all()
    assert not is_sure(*np.array([(0.0, 0.2), (1e-17, 0.2), (-0.1, 0.1), (np.nan, np.nan)]).T).any()
