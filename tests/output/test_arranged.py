"""How results are shown: decimals, the order of rows; the version of every command."""

import csv
import io
import math
from functools import partial

import pytest
from click.testing import CliRunner
from command_lines import irci as command
from command_lines import result_lines
from helpers import SMALL, interval

import irci as package
from irci.base.choices import FOR_READING
from irci.cli.group import main
from irci.output.report import arranged
from irci.output.tables import Row, Table

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(next((SMALL / "runs").glob(f"{name}.run*"))) for name in ("charlie", "delta", "alpha")]
ARRANGED = {
    "ap-ci": ["-B", "20", "-m", "map", "-m", "P_5"],
    "map-ci": ["-m", "map", "-m", "lmap", "--all-pairs"],
    "partition-anova": ["-B", "20", "--policy", "drop"],
    "stdap-ci": [],
}
Rows = list[dict[str, str]]


irci = partial(command, status=0)


def rows(*arguments: str) -> Rows:
    return list(csv.DictReader(io.StringIO(irci(*arguments, "--quiet", "--format", "csv", QRELS, *RUNS).stdout)))


@pytest.mark.sample(3)
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("form", FOR_READING)
@pytest.mark.parametrize("digits", [1, 4, 9, 17])
def test_digits(form: str, digits: int) -> None:
    """Of every number but p-values and counts; four by default."""
    command = ["compare", "--quiet", "-n", "--format", form, QRELS, *RUNS]
    exact = rows("compare", "-n")
    shown = irci(*command, "--digits", str(digits)).stdout
    for row in exact:
        assert f"{float(row['value']):.{digits}f}" in shown
        assert f"{float(row['upper']):.{digits}f}" in shown
        if float(row["p"]) > 1e-4:
            assert f"{float(row['p']):.4g}" in shown
    shown = shown.replace(f" --digits {digits}", "")  # of the line typed, which a page has
    assert (irci(*command).stdout == shown) == (digits == 4)


def test_counts_have_no_decimals() -> None:
    shown = irci("ap-ci", "-B", "0", "--quiet", "-m", "num_ret", "--digits", "9", QRELS, RUNS[2]).stdout
    assert result_lines(shown)[-2:] == [
        "num_ret               \t9\t200\tnan\tnan\talpha", "num_ret               \tall\t4000\tnan\tnan\talpha",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl"])
def test_digits_are_refused_where_all_are_written(form: str) -> None:
    for options in (["--digits", "4", "--format", form], ["--format", form, "--digits", "4"]):
        refused = CliRunner().invoke(main, ["ap-ci", *options, QRELS, *RUNS])
        assert refused.exit_code == 2
        assert f"--digits is for text, table, latex, markdown, html; {form} has full precision." in refused.stderr


@pytest.mark.parametrize("command", ["ap-ci", "map-ci", "stdap-ci"])
def test_by_value_against_definition(command: str) -> None:
    """The same rows, the best first, for each measure, population and topic; and so are pairs. The topics keep their order."""
    asked, groups = (command, *ARRANGED[command], "-q"), dict[tuple[str, ...], list[float]]()
    found = rows(*asked, "--sort", "value")
    assert sorted(map(str, found)) == sorted(map(str, rows(*asked)))
    for row in found:
        key = (row["measure"], row["topic"], row.get("population", ""))
        groups.setdefault(key, []).append(float(row["value"]))
    for values in groups.values():
        assert values == sorted(values, reverse=True)
    means = [measure for measure, topic, _ in groups if not measure.endswith("_diff") and topic != "all"]
    topics = [topic for measure, topic, _ in groups if measure == means[0]]
    assert topics == [*sorted(topics[:-1]), "all"] or topics == [*sorted(topics[:-2]), "all", "all"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", ["ap-ci", "map-ci", "stdap-ci", "partition-anova"])
def test_by_name_against_definition(command: str) -> None:
    """The same as if the runs had been given in that order, where rows are of runs alone."""
    options = [option for option in ARRANGED[command] if option != "--all-pairs"]
    options += ["--table", "effect"] if command == "partition-anova" else []
    for more in ([], ["-q"]) if command != "partition-anova" else ([],):
        expected = irci(command, *options, *more, QRELS, *sorted(RUNS)).stdout
        assert irci(command, *options, *more, "--sort", "name", QRELS, *RUNS).stdout == expected


def test_pairs_by_name_and_by_value() -> None:
    found = rows("map-ci", "--population", "topics", "-n", "--all-pairs", "--sort", "name")
    pairs = [(row["run"], row["baseline"]) for row in found]
    assert pairs == [("alpha", "charlie"), ("alpha", "delta"), ("delta", "charlie")]
    by_value = [
        float(row["difference"])
        for row in rows("partition-anova", *ARRANGED["partition-anova"], "--test", "none", "--sort", "value")
        if row["table"] == "pair_map"
    ]
    assert by_value == sorted(by_value, reverse=True)
    assert len(by_value) == 3


def test_ranks_have_the_best_first() -> None:
    found = [row for row in rows("map-ci", "-n", "--ranks", "--sort", "value") if row["measure"] == "rank"]
    assert [row["run"] for row in found] == ["alpha", "charlie", "delta"]


def test_undefined_values_come_last() -> None:
    values = {"a": math.nan, "b": 1.0, "c": 2.0, "d": 1.0}
    shown: list[Row] = [interval(value, 0, run=run) for run, value in values.items()]
    (found,) = arranged([Table("estimate", "", shown)], "value")
    assert [each["run"] for each in found.rows] == ["c", "b", "d", "a"]


def test_names_are_sorted_by_their_bytes() -> None:
    shown = [{"run": run, "value": 0.0} for run in ("é", "\udcff", "a", "B", "z")]
    (found,) = arranged([Table("effect", "", shown)], "name")
    assert [each["run"] for each in found.rows] == ["B", "a", "z", "é", "\udcff"]


def test_arrangements_are_refused_where_nothing_is_arranged() -> None:
    for arguments in (
        ["ap-ci", "--validate", "2", "--sort", "name"],
        ["stdap-ci", "--validate", "9", "--sort", "value"],
    ):
        assert CliRunner().invoke(main, [*arguments, QRELS, *RUNS]).exit_code == 2, arguments


@pytest.mark.parametrize("command", ["", "measures", *ARRANGED, "swap-error", "wcw"])
def test_every_command_tells_the_version(command: str) -> None:
    for option in ("-v", "--version"):
        assert irci(*filter(None, [command]), option).stdout == f"irci, version {package.__version__}\n"
