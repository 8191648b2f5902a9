"""What is claimed of little, sparse, constant and bounded data, over every source: rows, sentences, warnings and conditions of
--fail-if, held against the rules that every claim obeys.

`python tests/studies/test_claims.py` prints the distinct sentences, numbers and names masked, to be read as a whole.
"""

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import irci

ALPHA, MARGIN = 0.05, 0.05
TOPICS = (1, 2, 3, 5, 9, 10, 50)
KINDS = ("sparse", "rare", "constant", "shifted", "hits", "perfect", "graded", "copies", "apart")
RUNS = (2, 5)
RUN_NAMES = "abcdefgh"
SOURCES: dict[str, dict[str, Any]] = {
    "topics": {},
    "clusters": {"clusters": r"(?P<cluster>c\d+)-\d+"},
    "seeds": {"seeds": r"(?P<system>[a-z]+)_s(?P<seed>\d)"},
    "versions": {"versions": r"(?P<topic>t\d+)-(?P<version>\d+)"},
    "collections": {},
}


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


def csv_of(source: str, kind: str, runs: int, topics: int) -> bytes:
    """A table of scores whose topics, or runs, belong together as the source has it."""
    values = scores(kind, runs, topics)
    rows = []
    for run, topic in itertools.product(range(runs), range(topics)):
        value, name = float(values[run, topic]), RUN_NAMES[run]
        topic_name = {"clusters": f"c{topic % 4}-{topic}", "versions": f"t{topic // 2}-{topic % 2}"}.get(
            source, f"{topic}"
        )
        if source == "seeds":
            bumps = (0.0, 0.01, -0.01) if kind in ("graded", "apart") else (0.0,) * 3
            for seed, bump in enumerate(bumps):
                rows.append(f"{name}_s{seed},{topic_name},AP,{min(max(value + bump, 0), 1)!r}")
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


def report_of(case: Case, **others: Any) -> Any:
    options = {"all_pairs": True, "equivalence": str(MARGIN), "power": True, "fail_if": "not-equivalent"}
    options |= {"adjusted_limits": case.runs > 2, "correction": case.correction, **SOURCES[case.source], **others}
    return irci.map_ci(scores=csv_of(case.source, case.kind, case.runs, case.topics), **options)


def tried(case: Case) -> Any:
    """The report, or None where too little is there for any."""
    try:
        return report_of(case)
    except (irci.DataError, irci.UsageError):
        return None


NO_WORDS = re.compile(
    r"\bnan\b|\binf\b|\bNone\b|  |\.\.|\b1 (topics|pairs|runs|clusters|systems)\b|[^.?]$", re.MULTILINE
)


def differences(report: Any) -> list[dict[str, Any]]:
    return [row for table in report.tables if table.kind == "difference" for row in table.rows]


def number(row: dict[str, Any], name: str) -> float:
    value = row.get(name)
    return math.nan if value is None or isinstance(value, str) else float(value)


def units_of(case: Case, row: dict[str, Any]) -> np.ndarray:
    """float64[U]: the differences of a row on the units of its source, by its population: topics, means over clusters, ..."""
    values = scores(case.kind, case.runs, case.topics)
    run, baseline = (RUN_NAMES.index(str(row[side])[0]) for side in ("run", "baseline"))
    apart = values[run] - values[baseline]
    place = np.arange(case.topics)
    match case.source, row["population"]:
        case ("clusters", "clusters"):
            label = place % 4
        case ("versions", "topics"):
            label = place // 2
        case ("collections", "collections"):
            label = place % 3
        case ("collections", _) if row["collection"] != "all":
            return apart[place % 3 == int(str(row["collection"]).removeprefix("col"))]
        case _:
            return apart
    return np.array([apart[label == each].mean() for each in np.unique(label)])


def reach_of_nothing(units: int) -> float:
    """The upper bounded limit at confidence 1 - 2 alpha of so many differences, all 0, on a scale of length 1: the c at which
    F(c) = 1 - (1 - c)^U / 2 is 1 - alpha, about ln(.5 / alpha) / U. Where some differ the limits reach further."""
    return float(1 - (2 * ALPHA) ** (1 / units))


def broken_by(case: Case, row: dict[str, Any]) -> Iterator[str]:
    """The rules that a row breaks."""
    p, p_adjusted, verdict = number(row, "p"), number(row, "p_adjusted"), row["verdict"]
    apart = units_of(case, row)
    size = np.abs(apart)
    differ = int((size > 0.01 * size.max()).sum())  # more than next to nothing, beside the largest
    few = differ < min(10, len(size))
    plain = case.source == "topics"
    if p_adjusted < p:
        yield "p_adjusted below p"
    if plain and row.get("test") != "midp":
        if p < 2.0 ** (1 - case.topics) * (1 - 1e-12):
            yield "p below what signs allow"
        if case.topics > 1 and number(row, "smallest_p") < 2.0 ** (1 - case.topics) * (1 - 1e-12):
            yield "smallest p below what signs allow"
    if number(row, "p_equivalence") < 2.0**-case.topics * (1 - 1e-12):
        yield "p of equivalence below what signs allow"
    if verdict.startswith(("better", "worse")) and not p_adjusted <= ALPHA * (1 + 1e-9):
        yield "a direction without a small p"
    if verdict == "few-differ" and not few:
        yield "few-differ where many differ"
    if verdict == "equivalent" and few and size.max() > 1e-9 and reach_of_nothing(len(size)) > MARGIN:
        yield "equivalent though few units differ"
    lower, upper = number(row, "lower_adjusted"), number(row, "upper_adjusted")
    if lower == lower and not math.isnan(p_adjusted) and row.get("test") != "signs":
        holds = lower < 0 < upper
        if p_adjusted <= ALPHA and holds:
            yield "adjusted limits hold 0 against p_adjusted"
        if p_adjusted > ALPHA * (1 + 1e-9) and (lower > 0 or upper < 0):
            yield "adjusted limits leave out 0 against p_adjusted"
    lower, upper = number(row, "lower"), number(row, "upper")
    if plain and lower == lower and row.get("test") != "signs":
        if p <= ALPHA * (1 - 1e-9) and lower < 0 < upper:
            yield "limits hold 0 against p"
        if p > ALPHA * (1 + 1e-9) and (lower > 0 or upper < 0):
            yield "limits leave out 0 against p"
    if lower == upper and number(row, "value") == number(row, "value"):
        yield "limits without width"
    if not (lower != lower or lower <= number(row, "value") <= upper):
        yield "limits without the value"
    reversal = number(row, "reversal")
    if plain and np.ptp(apart) < 1e-12 and reversal == reversal:  # copies, about 1e-10 apart, have some
        yield "reversal without spread"


def broken_by_mean(case: Case, row: dict[str, Any]) -> Iterator[str]:
    lower, value, upper = (number(row, name) for name in ("lower", "value", "upper"))
    if case.source == "topics" and lower == lower and not 0 <= lower <= value <= upper <= 1:
        yield "limits off the scale, or without the mean"
    if lower == upper and lower == lower:
        yield "limits without width"


def broken_by_words(case: Case, report: Any) -> Iterator[str]:
    rows = differences(report)
    verdicts = {row["verdict"] for row in rows}
    text = "\n".join(report.sentences)
    claims = {
        r"\bevidence that\b": any(each.startswith(("better", "worse")) for each in verdicts),
        r"differ on average by less than": any("equivalent" in each or "negligible" in each for each in verdicts),
        r"equal scores": "identical" in verdicts,
        r"unlikely to": False,  # documents vary nowhere here
        r"at once": any(number(row, "lower_adjusted") == number(row, "lower_adjusted") for row in rows)
        or "No limits that hold for all pairs at once" in text,
        r"adjusted p": case.runs > 2,
    }
    for words, may in claims.items():
        if re.search(words, text) and not may:
            yield f"words: {words}"
    for sentence in report.sentences:
        between = re.search(
            r"lies between (\S+) and (\S+) .*: evidence that (?!.*although the limits contain 0)", sentence
        )
        if between and float(between[1]) < 0 < float(between[2]):
            yield f"evidence beside limits that hold 0: {sentence}"
        if re.search(r"is 0\.0000 here \(p = 1\)", sentence) and verdicts == {"identical"}:
            yield f"equal scores told as evidence that lacks: {sentence}"
        if re.match(r"0% of the variance", sentence):
            yield f"nothing told as known: {sentence}"
        if re.search(r"(?<!meant to )hold for all \d+ pairs at once", sentence):
            yield f"more than the warning leaves: {sentence}"
        if re.search(NO_WORDS, sentence):
            yield f"language: {sentence}"


def broken(case: Case) -> set[str]:
    report = tried(case)
    if report is None:
        return set()
    found = {rule for row in differences(report) for rule in broken_by(case, row)}
    means = [row for table in report.tables if table.kind == "estimate" for row in table.rows]
    found |= {f"mean: {rule}" for row in means for rule in broken_by_mean(case, row)}
    return found | set(broken_by_words(case, report))


@pytest.mark.sample(25)
@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_claims_hold_under_their_conditions(case: Case) -> None:
    assert broken(case) == set()


def masked(sentence: str) -> str:
    sentence = re.sub(r"\b[a-h](_s\d)?\b(?!\w)", "RUN", sentence)
    return re.sub(r"-?\d*\.?\d+(e-?\d+)?", "#", sentence)


def main() -> None:
    every: dict[str, str] = {}
    for case in cases():
        report = tried(case)
        for sentence in [] if report is None else [*report.sentences, *(f"(warning) {w}" for w in report.warnings)]:
            every.setdefault(masked(sentence), f"{sentence}   [{case.name}]")
    for sentence in every.values():
        print(sentence)


if __name__ == "__main__":
    main()
