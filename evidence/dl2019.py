"""Claims of one experiment by other sources of variation: TREC 2019 Deep Learning, nDCG@10, 61 runs, other
judges being a language model, who judged all, and two people, who judged a part.

All p and verdicts are those that irci's commands print, some of them on files of the documents that two judges judged.
"""

import gzip
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from commands import SHARED, rows

from irci.base.names import file_name
from irci.base.types import Bools, Floats
from irci.stats.tests import adjusted, paired_t_or_signs

TREC = SHARED / "trec-dl19-passage"
LABELS = SHARED / "llm-judgments-dl19"
QRELS = TREC / "qrels.dl19-passage.gz"
OTHERS = {
    "GPT-4 (UMBRELA)": LABELS / "qrels.dl19.umbrela-gpt4.gz",
    "second person": LABELS / "qrels.dl19.assessor-b.gz",
    "third person": LABELS / "qrels.dl19.assessor-c.gz",
}
MODEL, *PEOPLE = OTHERS
MEASURE = "nDCG@10"
ALPHA = 0.05
Pair = tuple[str, str]
Grades = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Differences:
    """Differences of pairs, always in the same order, p and adjusted p, float64[P]."""

    value: Floats
    p: Floats
    p_adjusted: Floats

    @classmethod
    def of(cls, qrels: Path, population: str = "topics", correction: str = "maxt", **options: object) -> "Differences":
        """Rows that map-ci prints; options that are True are flags."""
        words = itertools.chain.from_iterable(_words(name, value) for name, value in options.items())
        found = rows(
            "map-ci", "-n", "--names", "file", "--all-pairs", "-m", MEASURE, "--population", population,
            "--correction", correction, *words, qrels, *runs(),
        )  # fmt: skip
        by_pair = {(row["run"], row["baseline"]): row for row in found}
        columns = [[by_pair[pair][name] for pair in pairs()] for name in ("value", "p", "p_adjusted")]
        return cls(*np.array(columns, np.float64))

    @property
    def is_found(self) -> Bools:
        """bool[P]: those that differ significantly."""
        return np.asarray(self.p_adjusted <= ALPHA)

    def confirms(self, other: "Differences") -> Bools:
        """bool[P]: those of the other that have the same sign here and differ significantly."""
        return np.asarray((np.sign(self.value) == np.sign(other.value)) & self.is_found)


def _words(name: str, value: object) -> list[object]:
    return [f"--{name.replace('_', '-')}", *([] if value is True else [value])]


def runs() -> list[Path]:
    """The files of the runs."""
    return sorted((TREC / "runs").iterdir())


def pairs() -> list[Pair]:
    """All pairs of them, as map-ci has them."""
    names = [file_name(str(path)) for path in runs()]
    return [(later, earlier) for earlier, later in itertools.combinations(names, 2)]


def grades_of(path: Path) -> Grades:
    """Grades that a judge gave, by topic and document."""
    lines = (line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines())
    return {(topic, docno): grade for topic, _, docno, grade in lines}


def in_common(of: Grades, other: Grades, folder: Path, name: str) -> Path:
    """A file of the judgments of documents that another judged too."""
    path = folder / f"{name}.qrels"
    path.write_text(
        "".join(f"{topic} 0 {docno} {of[topic, docno]}\n" for topic, docno in of if (topic, docno) in other)
    )
    return path


def scores(qrels: Path, **options: object) -> Floats:
    """float64[P, T]: the differences of pairs on each topic."""
    words = itertools.chain.from_iterable(_words(name, value) for name, value in options.items())
    found = rows(
        "map-ci", "-q", "-n", "--names", "file", "-m", MEASURE, "--population", "topics", *words, qrels, *runs()
    )
    by_run: dict[str, list[float]] = {}
    for row in found:
        by_run.setdefault(row["run"], []).append(row["value"])
    return np.array([np.subtract(by_run[run], by_run[baseline]) for run, baseline in pairs()])


def changed(first: Floats, second: Floats) -> Bools:
    """bool[P]: differences that are significantly other by two judges: a paired t test of differences[P, T], not adjusted."""
    return np.asarray(paired_t_or_signs(first - second, 1 - ALPHA).p <= ALPHA)


def counted(pairs: Bools) -> int:
    """The number of pairs chosen."""
    return int(pairs.sum())


@dataclass(frozen=True)
class Lost:
    """Numbers of claims by a source: how many it confirms, and how many are weaker; of these, how many are significantly
    other differences (None where that is not asked); how many have another sign; how many have p of at most .05 unadjusted."""

    confirmed: int
    weaker: int
    changed: int | None
    other_sign: int
    unadjusted: int | None

    @classmethod
    def of(cls, claims: Bools, first: Differences, by: Differences, changed: Bools | None = None) -> "Lost":
        """Numbers among bool[P] claims by a first judge."""
        same = np.sign(by.value) == np.sign(first.value)
        weaker = claims & same & ~by.is_found
        of_weaker = None if changed is None else counted(weaker & changed)
        unadjusted = counted(claims & same & (by.p <= ALPHA))
        return cls(
            counted(claims & by.confirms(first)), counted(weaker), of_weaker, counted(claims & ~same), unadjusted
        )


class Recomputed:
    """All figures, found when they are asked for."""

    def __init__(self, folder: Path) -> None:
        """`folder`: for files of what two judges judged."""
        self.folder = folder
        first = grades_of(QRELS)
        self.common: dict[str, Path] = {}
        self.control: dict[str, Path] = {}
        for name in PEOPLE:
            other = grades_of(OTHERS[name])
            self.common[name] = in_common(other, first, folder, f"{name} in common")
            self.control[name] = in_common(first, other, folder, f"control of {name}")

    @cached_property
    def first(self) -> Differences:
        """The claims are those that NIST's judgments show by max-T."""
        return Differences.of(QRELS)

    @property
    def claims(self) -> Bools:
        """bool[P]: the claims."""
        return self.first.is_found

    @cached_property
    def documents(self) -> Differences:
        """Over documents."""
        return Differences.of(QRELS, "documents", "holm")

    @cached_property
    def both(self) -> Differences:
        """Over topics and documents at once."""
        return Differences.of(QRELS, "both", "holm")

    @cached_property
    def model(self) -> Differences:
        """By the language model, who judged all."""
        return Differences.of(OTHERS[MODEL])

    @cached_property
    def people(self) -> dict[str, Differences]:
        """By people on the documents in common."""
        return {name: Differences.of(path, judged_only=True) for name, path in self.common.items()}

    @cached_property
    def sustained(self) -> Differences:
        """By NIST on these documents, which are the same for both people."""
        return Differences.of(self.control[PEOPLE[0]], judged_only=True)

    @cached_property
    def circular(self) -> dict[str, Differences]:
        """By people if what they did not judge is taken as irrelevant."""
        return {name: Differences.of(OTHERS[name]) for name in PEOPLE}

    @cached_property
    def printed(self) -> list[dict[str, Any]]:
        """The rows of the claims that --survives prints."""
        others = [word for path in OTHERS.values() for word in ("--other-qrels", path)]
        return rows(
            "map-ci", "-n", "--names", "file", "--all-pairs", "--survives", "-m", MEASURE, *others, "--table", "claim", QRELS,
            *runs(),
        )  # fmt: skip

    def verdicts(self, column: str) -> dict[Pair, str]:
        """A column of these rows, by pair."""
        found = {(row["run"], row["baseline"]): str(row[column]) for row in self.printed}
        return {
            pair: found[pair] if pair in found else found[pair[::-1]]
            for pair, is_claim in zip(pairs(), self.claims, strict=True)
            if is_claim
        }

    @cached_property
    def signs_are_sure(self) -> Bools:
        """bool[P]: the claims whose sign no grades of unjudged documents change."""
        verdicts = self.verdicts("judgments")
        return np.array([verdicts.get(pair) == "confirmed" for pair in pairs()])

    @cached_property
    def confirmations(self) -> list[Bools]:
        """bool[P] each: the claims that each of six sources confirms, people on documents in common; both is the second."""
        by = [self.documents, self.both, self.model, *self.people.values()]
        found = [self.claims & each.confirms(self.first) for each in by]
        return [*found[:2], self.signs_are_sure, *found[2:]]

    @property
    def by_number(self) -> Counter[int]:
        """Numbers of claims by how many of the six sources confirm them."""
        return Counter(np.sum(self.confirmations, axis=0)[self.claims].tolist())

    @property
    def by_p_all(self) -> int:
        """The number of claims that survive all: Holm's method on the largest p of each pair, over topics among them."""
        largest = self.first.p
        for each in (self.documents, self.both, self.model, *self.people.values()):
            largest = np.maximum(largest, np.where(np.sign(each.value) == np.sign(self.first.value), each.p, 1.0))
        open_sign = self.claims & ~self.signs_are_sure
        return int((self.claims & (adjusted(np.where(open_sign, 1.0, largest), "holm") <= ALPHA)).sum())

    @cached_property
    def changes(self) -> dict[str, Bools]:
        """By judge, which differences are significantly other: people's by those of NIST on the documents in common."""
        found = {MODEL: changed(scores(QRELS), scores(OTHERS[MODEL]))}
        control = scores(self.control[PEOPLE[0]], judged_only=True)
        return found | {name: changed(control, scores(path, judged_only=True)) for name, path in self.common.items()}

    def lost(self) -> Iterator[tuple[str, Lost]]:
        """Numbers by each source, of all claims."""
        claims, first = self.claims, self.first
        yield "documents", Lost.of(claims, first, self.documents)
        yield "topics and documents at once", Lost.of(claims, first, self.both)
        sure = int(self.signs_are_sure.sum())
        yield "unjudged documents (any grades)", Lost(sure, 0, None, int(claims.sum()) - sure, None)
        yield f"{MODEL}, who judged all", Lost.of(claims, first, self.model, self.changes[MODEL])
        for name in PEOPLE:
            yield f"{name}, documents in common", Lost.of(claims, first, self.people[name], self.changes[name])
        yield "*control: NIST on these documents*", Lost.of(claims, first, self.sustained)
        for name in PEOPLE:
            yield f"*wrong: {name}, the rest taken as irrelevant*", Lost.of(claims, first, self.circular[name])
