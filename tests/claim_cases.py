"""Cases of little, sparse, constant and bounded data over every source of variation, and the reports on them, of which
`tests/studies/test_claims.py` holds every claim against its condition.
"""

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import irci

MARGIN = 0.05
TOPICS = (1, 2, 3, 5, 9, 10, 50)
KINDS = ("sparse", "rare", "constant", "shifted", "hits", "perfect", "graded", "copies", "apart")
MANY = 20
RUNS = (1, 2, 5)
RUN_NAMES = [first + second for first in "bcdfg" for second in "jkqvxz"]
SOURCES: dict[str, dict[str, Any]] = {
    "topics": {},
    "clusters": {"clusters": r"(?P<cluster>c\d+)-\d+"},
    "seeds": {"seeds": r"(?P<system>[a-z]+)_s(?P<seed>\d)"},
    "versions": {"versions": r"(?P<topic>t\d+)-(?P<version>\d+)"},
    "collections": {},
    "slices": {"slices": r"(?P<slice>s\d)-\d+"},
}


OTHERS = ("clusters", "seeds", "versions", "collections")  # that claims over topics are tried by


def scores(kind: str, runs: int, topics: int) -> np.ndarray:
    """float64[runs, topics] of a kind: what a test could take for more than it is."""
    rng = np.random.default_rng([runs, topics, KINDS.index(kind)])
    level = rng.uniform(0.2, 0.8, topics)
    own = rng.normal(0, 0.1, (runs, topics))
    found = np.tile(level, (runs, 1))
    match kind:
        case "sparse":  # runs after the first differ on two topics, a little
            found[1:, :2] += 0.005
        case "rare":  # and one of these by much
            found[1:, :1] -= 0.15
            found[1:, 1:3] += 0.01 * np.arange(1, runs)[:, np.newaxis]
        case "constant":
            found[:] = 0.4
        case "shifted":  # differences of one size
            found += 0.1 * np.arange(runs)[:, np.newaxis]
        case "hits":
            found = (own + 0.1 > 0).astype(float)
        case "perfect":
            found[:] = 1.0
        case "copies":  # but for rounding
            found += 1e-9 * own
        case "apart":
            found += 0.3 * np.arange(runs)[:, np.newaxis] / runs + own / 5
        case "graded":
            found += own
    return np.clip(found, 0, 1)


def by_seed(kind: str, values: np.ndarray) -> np.ndarray:
    """float64[runs, topics, 3]: what each of three seeds makes of scores[runs, topics]; at the ends of the scale their mean is
    another than the score."""
    bumps = (0.0, 0.01, -0.01) if kind in ("graded", "apart") else (0.0,) * 3
    return np.clip(values[..., np.newaxis] + bumps, 0, 1)


def csv_of(source: str, kind: str, runs: int, topics: int) -> bytes:
    """A table of scores whose topics, or runs, belong together as the source has it."""
    values = scores(kind, runs, topics)
    rows = []
    for run, topic in itertools.product(range(runs), range(topics)):
        value, name = float(values[run, topic]), RUN_NAMES[run]
        topic_name = {
            "clusters": f"c{topic % 4}-{topic}",
            "versions": f"t{topic // 2}-{topic % 2}",
            "slices": f"s{topic % 3}-{topic}",
        }.get(source, f"{topic}")
        if source == "seeds":
            for seed, each in enumerate(by_seed(kind, values)[run, topic].tolist()):
                rows.append(f"{name}_s{seed},{topic_name},AP,{each!r}")
        elif source == "collections":
            rows.append(f"{name},{topic_name},AP,{value!r},col{topic % 3}")
        else:
            rows.append(f"{name},{topic_name},AP,{value!r}")
    head = "run,topic,measure,value" + ",collection" * (source == "collections")
    return "\n".join([head, *rows, ""]).encode()


class Case(NamedTuple):
    source: str
    kind: str
    topics: int
    runs: int
    correction: str

    @property
    def name(self) -> str:
        return "-".join(map(str, self))


def cases() -> Iterator[Case]:
    for source, kind, topics, runs in itertools.product(SOURCES, KINDS, TOPICS, RUNS):
        if source == "collections" and topics < 5:
            continue
        yield Case(source, kind, topics, runs, "holm")
        if runs > 2:
            yield Case(source, kind, topics, runs, "maxt")
        if runs > 1 and source in OTHERS:
            yield Case(source, kind, topics, runs, "survives")


def cases_of_many() -> Iterator[Case]:
    """Cases of many runs, which take longer."""
    for source, kind, topics in itertools.product(
        SOURCES, ("sparse", "hits", "perfect", "copies", "apart"), (2, 10, 50)
    ):
        yield Case(source, kind, topics, MANY, "maxt")


def report_of(case: Case) -> Any:
    """The report on a case, with all that can be asked of so many runs."""
    options: dict[str, Any] = dict(SOURCES[case.source])
    if case.runs > 1:
        options |= {"all_pairs": True, "margin": str(MARGIN), "power": True, "fail_if": "not-equivalent"}
        options |= {"survives": True} if case.correction == "survives" else {"correction": case.correction}
    if case.source == "collections" and case.correction == "survives":
        options |= {"population": "topics,collections"}  # of scores it says that they are of several
    if case.source == "seeds" and case.correction == "maxt":  # signs, which seeds do not have
        options |= {"population": "topics"}
    if case.source == "topics":
        options |= {"best": True}
    if case.runs > 2:
        # Ranks beside claims go by another correction than rows do.
        options |= {"ranks": case.correction != "survives"}
    return irci.map_ci(scores=csv_of(case.source, case.kind, case.runs, case.topics), **options)


@cache
def tried(case: Case) -> Any:
    """The report, or why there is none: too little is there for any."""
    try:
        return report_of(case)
    except (irci.DataError, irci.UsageError) as error:
        return str(error)


def rows_of(report: Any, kind: str) -> list[dict[str, Any]]:
    """All rows of a kind."""
    return [row for table in report.tables if table.kind == kind for row in table.rows]


def rows_of_claims(case: Case) -> list[dict[str, Any]]:
    """The pairs over topics that claims are made of, whatever clusters they lie in."""
    options = {name: value for name, value in SOURCES[case.source].items() if name != "clusters"}
    options |= {"all_pairs": True, "population": "topics"}
    try:
        report = irci.map_ci(scores=csv_of(case.source, case.kind, case.runs, case.topics), **options)
    except irci.DataError:  # versions of one topic
        return []
    return [row for row in rows_of(report, "difference") if row.get("collection", "all") == "all"]


def populations(report: Any) -> list[str]:
    """What a report has means over, in order."""
    return list(dict.fromkeys(str(row["population"]) for row in rows_of(report, "estimate")))
