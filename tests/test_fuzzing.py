"""Fuzzing: what it once found stays mended, a little of it every time, and the checks notice what they are for."""

from collections.abc import Callable
from pathlib import Path
from unittest import mock

import naive
import pytest
from fuzz import Report, fuzz, shrink
from fuzzing import findings, tables
from fuzzing.findings import Finding, expect, limits, outcome
from fuzzing.mutants import Mutator
from fuzzing.plain_text import BOM
from fuzzing.targets import CORPUS, SCORES, SEEDS, TARGETS, corpus, warm_up

from irci.data import text_files
from irci.data import trec_files as trec
from irci.data.scores import Scores

FILES = sorted(CORPUS.iterdir())


@pytest.fixture(autouse=True)
def standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness reads from standard input, which others want back; kernels are compiled before time is taken."""
    monkeypatch.setattr("sys.stdin", None)
    warm_up()


def checked(path: Path) -> str:
    """What the check of a file of the corpus finds, without the target's name; nothing if all is well."""
    name = path.name.split(".")[0]
    try:
        with limits():
            outcome(name, TARGETS[name], path.read_bytes())
    except Finding as finding:
        return finding.label.removeprefix(f"{name}: ")
    return ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_was_found_stays_mended(path: Path) -> None:
    assert checked(path) == ""


def test_every_file_of_the_corpus_has_a_target() -> None:
    assert sorted(path for name in TARGETS for path in corpus(name)) == FILES


def fuzzed(number: int, seed: int) -> Report:
    """So many mutants for every target."""
    report = Report()
    for name in TARGETS:
        fuzz(name, number, seed, report)
    return report


def shortest(report: Report) -> list[str]:
    """What was found, with the shortest file that shows it."""
    return [f"{label}: {data!r}" for label, (data, _) in report.findings.items()]


def test_some_mutants() -> None:
    """No finding; and a fair share of the mutants is accepted, or little would have been checked."""
    report = fuzzed(100, seed=1)
    assert shortest(report) == []
    assert {name: report.given[name] for name in TARGETS} == dict.fromkeys(TARGETS, 100)
    assert all(report.accepted[name] >= 8 for name in TARGETS), report.accepted


@pytest.mark.slow
def test_many_mutants() -> None:
    assert shortest(fuzzed(5000, seed=2)) == []


def test_same_seed_same_files() -> None:
    first, second = Mutator(3), Mutator(3)
    for _ in range(50):
        assert first.mutant(SEEDS["run"]) == second.mutant(SEEDS["run"])


def test_seeds_are_accepted() -> None:
    """What mutants are made of is valid."""
    with limits():
        for name, seeds in SEEDS.items():
            assert all(outcome(name, TARGETS[name], data) for data in seeds), name


# The checks notice faults that are planted.


def finding_of(name: str, data: bytes) -> str:
    with pytest.raises(Finding) as caught:
        outcome(name, TARGETS[name], data)
    return caught.value.label


def lenient_scores(file: text_files.TextFile, slow: object, score: object) -> list[int]:
    """A reader that takes all that float() takes."""
    for line, begin, end in slow.tolist():  # type: ignore[attr-defined]
        score[line] = float(file.token(begin, end))  # type: ignore[index]
    return []


@pytest.mark.parametrize(
    ("planted", "target", "data", "label"),
    [
        (mock.patch.object(trec, "_read_slow_scores", lenient_scores), "run", b"1 Q0 a 1 1_0 x", "run: accepted"),
        (mock.patch.object(trec, "_read_slow_scores", lenient_scores), "run", b"1 Q0 a 1 inf x", "run: accepted"),
        (mock.patch.object(text_files, "BYTE_ORDER_MARK", b"\1"), "run",
         BOM + b"1 Q0 a 1 1 x", "run: topics read wrongly"),
        (mock.patch.object(trec, "shown", repr), "qrels", b"1 0 a x", "qrels: refused for another reason"),
        (mock.patch.object(naive, "average_precision", return_value=1e-11), "qrels", b"1 0 a 0", "qrels: AP is another"),
        (mock.patch.object(text_files, "_lower_first", str.index), "run", b"\x1f\x8b", "run: TypeError in _read_bytes"),
    ],
)  # fmt: skip
def test_planted_faults_are_found(planted: mock._patch, target: str, data: bytes, label: str) -> None:
    with planted:
        assert finding_of(target, data) == label


def test_planted_faults_of_tables_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    data = SCORES["long"][1]
    read = tables.read_scores

    def changed(change: Callable[[Scores], Scores]) -> None:
        def other(*arguments: object) -> object:
            table, recognised = read(*arguments)
            return change(table), recognised

        monkeypatch.setattr(tables, "read_scores", other)

    changed(lambda table: Scores(["", *table.runs[1:]], table.topics, table.values))
    assert finding_of("scores", data) == "scores: an empty name"
    changed(lambda table: Scores(table.runs, table.topics, {name: each / 3 for name, each in table.values.items()}))
    assert finding_of("scores", data) == "scores: a number that is not in the file"
    changed(lambda table: Scores([f"{run}!" for run in table.runs], table.topics, table.values))
    assert finding_of("scores", data) == "scores: what was saved is read as something else"


def test_a_reader_that_hangs_or_takes_all_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "SECONDS", 0.05)

    def hang(data: bytes) -> bool:
        while True:
            pass

    def hoard(data: bytes) -> bool:
        return bool(bytearray(findings.MEMORY * 2))

    with limits():
        for check, label in ((hang, "run: TimeoutError in _too_slow"), (hoard, "run: MemoryError in hoard")):
            with pytest.raises(Finding) as caught:
                outcome("run", check, b"")
            assert caught.value.label == label


def test_a_finding_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(data: bytes) -> bool:
        expect(b"ab" not in data, "ab")
        return True

    monkeypatch.setitem(TARGETS, "run", check)
    assert shrink("run", b"x" * 100 + b"ab" + b"y" * 77, "run: ab") == b"ab"
