"""irci compare: right means that it prints what map-ci prints of the same pairs, byte for byte, and names the baseline."""

from io import StringIO

import pytest
from command_lines import irci, printed
from helpers import SMALL, TESTDATA

import irci as package
from irci.cli import writing
from irci.options.given import Given
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Table

QRELS = str(SMALL / "qrels.txt")
ALPHA, BRAVO, CHARLIE = (str(path) for path in sorted((SMALL / "runs").iterdir())[:3])
SCORES = ["--scores", str(SMALL / "ten.csv")]
SEVERAL = ["--collections", str(TESTDATA / "several")]


@pytest.mark.parametrize(
    "options",
    [
        "--format json --explain -m map -m P_5", "-q --format csv", "--layout wide --format latex",
        "--ranks --test randomization", "--equivalence .02 --power --show-width --format jsonl -n",
    ],
)  # fmt: skip
def test_it_is_map_ci_over_topics_with_the_first_run_as_baseline(options: str) -> None:
    """The settings that a report is signed with are the same too."""
    files, given = [QRELS, BRAVO, ALPHA, CHARLIE], options.split()
    expected = printed("map-ci", "--quiet", "--baseline", "bravo", "--population", "topics", *given, *files)
    assert printed("compare", "--quiet", *given, *files) == expected
    assert "bravo" in expected


def test_compare_and_the_first_run_named_are_the_same() -> None:
    """--compare alone names its baseline in the signature, and says if it is the best or the worst run, as --baseline does."""
    options = ["--quiet", "--explain", "--format", "json", QRELS, ALPHA, BRAVO, CHARLIE]
    assert printed("map-ci", "--compare", *options) == printed("map-ci", "--baseline", "alpha", *options)


@pytest.mark.parametrize(
    ("given", "as_map_ci"),
    [
        (["--population", "documents,topics", QRELS, ALPHA, BRAVO], ["--compare"]),
        (["--clusters", str(SMALL / "clusters.txt"), QRELS, ALPHA, BRAVO], ["--compare"]),
        ([*SCORES, "--baseline", "run03"], []),
        ([*SEVERAL, "--baseline", "bm25"], []),
    ],
)
def test_other_sources_print_what_map_ci_prints(given: list[str], as_map_ci: list[str]) -> None:
    assert printed("compare", "--quiet", *given) == printed("map-ci", "--quiet", *as_map_ci, *given)


@pytest.mark.parametrize(("given", "option"), [(SCORES, "--scores"), (SEVERAL, "--collections")])
def test_where_no_run_comes_first_the_baseline_must_be_named(given: list[str], option: str) -> None:
    assert f"{option}: which run comes first" in printed("compare", *given, status=2)


@pytest.mark.parametrize("name", ["bravo.run.gz", BRAVO, "bravo"])
def test_a_baseline_may_be_named_by_its_file(name: str) -> None:
    files = ["--quiet", "-n", QRELS, ALPHA, BRAVO]
    rows = printed("compare", "--baseline", name, *files)
    assert rows == printed("map-ci", "--population", "topics", "--baseline", "bravo", *files)
    assert printed("compare", "--population", "judgments", "--baseline", name, *files).count("\tbravo\t") == 1


@pytest.mark.parametrize("option", ["--all-pairs", "--compare", "--validate", "--sample=3", "--splits=2"])
def test_what_it_does_not_take(option: str) -> None:
    assert f"No such option '{option.partition('=')[0]}'" in printed("compare", option, QRELS, ALPHA, BRAVO, status=2)


def test_the_answer_stands_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """On standard error, and not where it is said already, or nothing is to be."""
    line = ["compare", "-m", "nDCG@10", QRELS, ALPHA, CHARLIE]
    silent = irci(*line)
    monkeypatch.setattr(writing, "is_terminal", lambda: True)
    told = irci(*line)
    assert told.stdout == silent.stdout
    answer = [
        each.removeprefix("irci: ") for each in told.stderr.splitlines() if each not in silent.stderr.splitlines()
    ]
    explained = [each.removeprefix("# ") for each in printed(*line, "--explain").splitlines()]
    assert len(answer) == 2
    assert [each for each in explained if each in answer] == answer
    for option in ("--quiet", "--explain"):
        assert not set(answer) & {each.removeprefix("irci: ") for each in irci(*line, option).stderr.splitlines()}
    assert "scores" not in irci("map-ci", "--compare", *line[1:]).stderr


def test_many_runs_are_counted_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "is_terminal", lambda: True)
    told = irci("compare", QRELS, ALPHA, BRAVO, CHARLIE).stderr
    assert "of 2 runs score significantly" in told
    assert "than alpha" in told


def test_python() -> None:
    report = package.compare(QRELS, [ALPHA, BRAVO], measures="P@5")
    assert report.to_text() == printed("compare", "--quiet", "-m", "P@5", QRELS, ALPHA, BRAVO)
    with pytest.raises(package.UsageError, match="name one with"):
        package.compare(scores=str(SMALL / "ten.csv"))


def test_many_rows_on_a_terminal_end_with_how_to_see_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """--table with the shortest of the tables, and --baseline where all pairs are compared."""
    given = Given.of("map-ci", {"all_pairs": True}, {})
    told: list[str] = []
    monkeypatch.setattr(writing.logger, "info", told.append)

    def told_of(*numbers: int) -> str:
        told.clear()
        rows = [{"measure": "map"}] * max(numbers)
        kinds: list[Kind] = ["estimate", "difference"]
        found = [Table(kind, "", rows[:number]) for kind, number in zip(kinds, numbers, strict=True)]
        writing.tell_how_to_see_less(given, Report(found, {}))
        return " ".join(told)

    assert told_of(1, 500) == ""
    monkeypatch.setattr("sys.stdout", Terminal())
    assert told_of(1, 199) == ""
    assert "201 rows; to see less: --baseline NAME in place of --all-pairs, --table estimate" in told_of(1, 200)
    assert "--table difference" in told_of(200, 2)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True
