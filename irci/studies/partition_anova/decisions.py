"""Rows of pairs of systems in partition-anova: which differ by what criterion, and whether criteria agree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.records import Record
from irci.base.types import Array, Bools, Floats, all_pairs, reaches
from irci.estimators.partition_anova import agreement
from irci.output.tables import Rows

Row = dict[str, Any]


class Decisions(Record):
    """Decisions on pairs by one criterion: p[P], adjusted p, and the sign of each difference."""

    test: str
    correction: str
    p: Floats
    p_adjusted: Floats
    sign: Array[np.int64]

    def at(self, alpha: float) -> Array[np.int64]:
        """int64[P]: the sign of each significant difference, else 0."""
        return np.where(reaches(self.p_adjusted, alpha), self.sign, 0)


class PairRows:
    """Rows on the pairs of some runs; the first alpha is that of single pairs."""

    def __init__(self, runs: Sequence[str], alphas: Sequence[float]) -> None:
        self.runs = runs
        self.alphas = alphas
        self.pairs = all_pairs(len(runs))

    def counts(self, decisions: Decisions) -> Iterator[Row]:
        for alpha in self.alphas:
            found = int((decisions.at(alpha) != 0).sum())
            yield {
                "test": decisions.test, "alpha": alpha, "pairs": found,
                "percent": 100 * found / len(decisions.p), "correction": decisions.correction,
            }  # fmt: skip

    def agreement(self, decisions: Sequence[Decisions]) -> Iterator[Row]:
        """Rows of how many splits tell a pair apart, and whether in one direction."""
        classes, unanimous, both = agreement(np.array([decision.at(self.alphas[0]) for decision in decisions]))
        total = len(self.pairs)
        for name, count in {**classes, "unanimous": unanimous, "both_directions": both}.items():
            yield {"between": "splits", "decision": name, "pairs": count, "percent": 100 * count / total}

    def opposed(self, decisions: Sequence[Decisions], tests: Sequence[Decisions]) -> dict[str, Bools]:
        """The pairs bool[P] that two splits, or a split and a test, or two tests, find to differ in opposite directions."""
        signs = np.array([decision.at(self.alphas[0]) for decision in decisions])
        of_tests = [(test.test, test.at(self.alphas[0])) for test in tests]
        conflicts = [("split/split", (signs > 0).any(axis=0) & (signs < 0).any(axis=0))]
        conflicts += [(f"{decisions[0].test}/{test}", (signs * by_test < 0).any(axis=0)) for test, by_test in of_tests]
        conflicts += [
            (f"{test}/{other}", by_test * by_other < 0)
            for index, (test, by_test) in enumerate(of_tests)
            for other, by_other in of_tests[:index]
        ]
        return {between: np.asarray(where) for between, where in conflicts if np.any(where)}

    def conflicts(self, opposed: Mapping[str, Bools]) -> Iterator[Row]:
        """Rows of how many pairs two criteria find to differ in opposite directions."""
        for between, where in opposed.items():
            number = int(where.sum())
            yield {"between": between, "decision": "opposite", "pairs": number, "percent": 100 * number / len(where)}

    def singly(self, decisions: Decisions, differences: Floats) -> Rows:
        signs = decisions.at(self.alphas[0])

        def row(pair: int) -> Row:
            return {
                "runs": self.name(pair), "difference": float(differences[pair]),
                "p": float(decisions.p[pair]), "p_adjusted": float(decisions.p_adjusted[pair]),
                "decision": ("=", ">", "<")[signs[pair]], "test": decisions.test,
            }  # fmt: skip

        return Rows(len(signs), row)

    def votes(self, differences: Floats, decisions: Sequence[Decisions]) -> Iterator[Row]:
        """In how many splits each pair is told apart, one way and the other: what a picture shows."""
        signs = np.array([decision.at(self.alphas[0]) for decision in decisions])
        better, worse = (signs > 0).sum(axis=0).tolist(), (signs < 0).sum(axis=0).tolist()
        splits = f", of {len(decisions)} splits" if len(decisions) > 1 else ""
        what = f"significant differences ({decisions[0].test}, {decisions[0].correction}, {self.alphas[0]:g}){splits}"
        for index, (first, second) in enumerate(self.pairs.tolist()):
            yield {
                "run": self.runs[first], "baseline": self.runs[second],
                "value": float(differences[index]), "share": (better[index] - worse[index]) / len(decisions), "test": what,
            }  # fmt: skip

    def name(self, pair: int) -> str:
        """The name of a pair, as tables have it."""
        first, second = self.pairs[pair]
        return f"{self.runs[first]}/{self.runs[second]}"
