"""Fuzzing: what it once found stays mended, a little of it every time, and the checks notice what they are for."""

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from unittest import mock

import click
import naive
import pytest
from command_lines import by_python
from fuzz import Report, fuzz
from fuzzing import findings, tables
from fuzzing.findings import Finding, limits, outcome
from fuzzing.options import CommandLines
from fuzzing.plain_text import BOM
from fuzzing.targets import CORPUS, FOREIGN, LINES, SCORES, SEEDS, TARGETS, corpus, maker, warm_up
from helpers import ROOT

from irci.base import DataError
from irci.cli.group import main
from irci.data import rankings, text_files
from irci.data.scores import Scores
from irci.options.commands import COMMANDS

FILES = sorted(CORPUS.iterdir())
WARM_UP = cache(warm_up)  # which takes as long each time


@pytest.fixture(autouse=True)
def standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness reads from standard input, which others want back; kernels are compiled before time is taken."""
    monkeypatch.setattr("sys.stdin", None)
    WARM_UP(lines=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_was_found_stays_mended(path: Path) -> None:
    name = path.name.split(".")[0]
    with limits():
        outcome(name, TARGETS[name], path.read_bytes())


FILE_TARGETS = [name for name in TARGETS if name != LINES]


def fuzzed(number: int, seed: int, names: Sequence[str] = FILE_TARGETS) -> Report:
    """So many mutants for every target."""
    report = Report()
    for name in names:
        fuzz(name, maker(name, seed), number, report)
    return report


def shortest(report: Report) -> list[str]:
    """What was found, with the shortest file that shows it."""
    return [f"{label}: {data!r}" for label, (data, _) in report.findings.items()]


@pytest.mark.check
def test_some_mutants() -> None:
    """No finding; and a fair share of the mutants is accepted, or little would have been checked."""
    report = fuzzed(100, seed=1)
    assert shortest(report) == []
    assert report.given == dict.fromkeys(FILE_TARGETS, 100)
    assert all(report.accepted[name] >= 6 for name in FILE_TARGETS), report.accepted


def test_some_command_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """No finding; kernels may have to be compiled first."""
    monkeypatch.setattr(findings, "SECONDS", 120.0)
    report = fuzzed(30, seed=2, names=[LINES])
    assert shortest(report) == []
    assert report.accepted[LINES] >= 4


@pytest.mark.slow
def test_many_mutants_and_command_lines() -> None:
    assert shortest(fuzzed(5000, seed=2)) == []
    warm_up()
    assert shortest(fuzzed(3000, seed=2, names=[LINES])) == []


UNDER_BOUNDS_CHECKS = """
import sys
from fuzz import Report, fuzz
from fuzzing.targets import maker, warm_up
name, number = sys.argv[1:]
warm_up(lines=False)
report = Report()
fuzz(name, maker(name, 3), int(number), report)
print(report.given[name], report.findings)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FOREIGN, "any-run", "any-qrels"])
def test_hostile_files_of_every_format(name: str) -> None:
    """Kernels look whether places are in their arrays."""
    settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(Path(sys.prefix) / "bounds")}
    settings["PYTHONPATH"] = os.pathsep.join(str(ROOT / folder) for folder in ("", "tests", "testdata"))
    done = by_python("-W", "ignore", "-c", UNDER_BOUNDS_CHECKS, name, "100000", env=os.environ | settings)
    assert done.stdout == "100000 {}\n"


def test_every_option_is_tried() -> None:
    """Of every command, and most of them with values."""
    make = CommandLines(1)
    tried: dict[str, set[str]] = {}
    for _ in range(4000):
        name, *arguments = make.line().decode("utf-8", "surrogateescape").split("\0")
        tried.setdefault(name, set()).update(each.partition("=")[0] for each in arguments)
    assert set(tried) == set(COMMANDS)
    for name, given in tried.items():
        options = [each for each in main.commands[name].params if isinstance(each, click.Option)]
        assert [option.opts for option in options if not given & set(option.opts)] == []


def test_same_seed_same_files() -> None:
    for name in ("run", LINES):
        first, second = maker(name, 3), maker(name, 3)
        for _ in range(50):
            assert first() == second()


def test_seeds_are_accepted() -> None:
    """What mutants are made of is valid; every file of the corpus has a target."""
    assert sorted(path for name in TARGETS for path in corpus(name)) == FILES
    with limits():
        for name, seeds in SEEDS.items():
            assert all(outcome(name, TARGETS[name], data) for data in seeds), name


# The checks notice faults that are planted.


def finding_of(name: str, data: bytes) -> str:
    with pytest.raises(Finding) as caught:
        outcome(name, TARGETS[name], data)
    return caught.value.label


@pytest.mark.parametrize(
    ("planted", "target", "data", "label"),
    [
        (mock.patch.object(rankings, "number_in", float), "run", b"1 Q0 a 1 1_0 x", "run: accepted"),
        (mock.patch.object(rankings, "number_in", len), "run", b"1 Q0 a 1 inf x", "run: accepted"),
        (mock.patch.object(text_files, "BYTE_ORDER_MARK", b"\1"), "run",
         BOM + b"1 Q0 a 1 1 x", "run: topics read wrongly"),
        (mock.patch.object(rankings, "shown", repr), "qrels", b"1 0 a x", "qrels: refused for another reason"),
        (mock.patch.object(naive, "average_precision", return_value=1e-11), "qrels", b"1 0 a 0", "qrels: AP is another"),
        (mock.patch.object(text_files, "MOST_PACKED", "x"), "run", b"\x1f\x8b", "run: TypeError in _unpacked"),
    ],
)  # fmt: skip
def test_planted_faults_are_found(planted: mock._patch, target: str, data: bytes, label: str) -> None:
    with planted:
        assert finding_of(target, data) == label


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (lambda table: table._replace(runs=["", *table.runs[1:]]), "an empty name"),
        (lambda table: table._replace(values={name: each / 3 for name, each in table.values.items()}),
         "a number that is not in the file"),
        (lambda table: table._replace(runs=[f"{run}!" for run in table.runs]), "what was saved is read as something else"),
    ],
)  # fmt: skip
def test_faults_of_tables_are_found(monkeypatch: pytest.MonkeyPatch, change: Callable[..., Scores], label: str) -> None:
    read = tables.read_scores

    def changed(*arguments: object) -> object:
        (table,), recognised = read(*arguments)
        return [change(table)], recognised

    monkeypatch.setattr(tables, "read_scores", changed)
    assert finding_of("scores", SCORES["long"][1]) == f"scores: {label}"


def test_a_reader_that_hangs_or_takes_all_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "SECONDS", 0.05)

    def hang(data: bytes) -> bool:
        while True:
            pass

    def hoard(data: bytes) -> bool:
        return bool(bytearray(findings.MEMORY * 2))

    with limits():
        for check, label in ((hang, "run: TooSlow in _too_slow"), (hoard, "run: MemoryError in hoard")):
            monkeypatch.setitem(TARGETS, "run", check)
            assert finding_of("run", b"") == label


def print_and_refuse(*_: object) -> None:
    click.echo("a line")
    raise DataError("nothing to be done")


@pytest.mark.parametrize(
    ("planted", "label"),
    [
        (lambda *_: 1 / 0, "ZeroDivisionError in invoke"),
        (lambda *_: warnings.warn("overflow", RuntimeWarning, stacklevel=1), "RuntimeWarning in invoke"),
        (print_and_refuse, "something printed before an error"),
        (lambda *_: click.echo("a line", err=True), "a line on standard error that irci does not begin"),
        (lambda *_: click.echo("irci: \x07", err=True), "a control character on standard error"),
        (lambda *_: click.get_current_context().exit(7), "status 7"),
        (lambda *_: click.get_current_context().exit(4), "status 4 without a word"),
    ],
)
def test_planted_faults_of_commands_are_found(monkeypatch: pytest.MonkeyPatch, planted: object, label: str) -> None:
    monkeypatch.setattr("irci.cli.writing.write", planted)
    assert finding_of(LINES, b"wcw\0--quiet\0--variance=AP=.1").startswith(f"{LINES}: {label}")
