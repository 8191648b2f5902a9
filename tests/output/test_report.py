"""Formats: what is printed, read back, with the decimals and in the order asked for. (Names are those of test_escaping.)"""

import csv
import io
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from command_lines import irci, printed, result_lines, rows_of
from helpers import SMALL, interval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import irci as package
from irci.base.choices import FOR_READING, NO_NOTES, Format
from irci.options.commands import COMMANDS
from irci.output import formats
from irci.output.formats import WRITTEN
from irci.output.report import Report, arranged
from irci.output.tables import KINDS, Bounded, Row, Table, meanings, tables
from irci.system import write_file

ROWS: list[dict[str, Any]] = [
    interval(1 / 3, run="é\udcff", topic="1", lower=math.nan, upper=2 / 3, corrected=True),
    interval(7, run="x", measure="num_ret", lower=0.25, upper=1.0, corrected=False),
]
SIGNATURE = {"irci": "0", "depth": None}
COLUMNS = ["measure", "topic", "value", "lower", "upper", "run", "corrected"]

NAME = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zs", "Zl", "Zp"]), min_size=1, max_size=12)
NUMBER = st.floats(allow_infinity=False) | st.integers(0, 10**6)
NAMES, NUMBERS = (
    dict.fromkeys(names, of) for names, of in ((("measure", "topic", "run"), NAME), (COLUMNS[2:5], NUMBER))
)
RANDOM_ROWS = st.lists(
    st.fixed_dictionaries(NAMES | NUMBERS | {"corrected": st.booleans()}).map(
        lambda row: {name: row[name] for name in COLUMNS}
    ),
    max_size=6,
)


QRELS, (RUN, RUN_2, *_) = str(SMALL / "qrels.txt"), map(str, sorted((SMALL / "runs").iterdir()))


def written(form: str, shown: list[Table], signature: dict[str, Any], notes: tuple[str, ...] = ()) -> str:
    return "".join(formats.written(Report(shown, signature), form, notes))  # type: ignore[arg-type]


def estimates(rows: list[dict[str, Any]]) -> list[Table]:
    return tables("estimate", "", rows)


def test_limits_of_bounded_scores_are_clipped_for_reading_only() -> None:
    row = interval(0.1, run="a", lower=-0.25, upper=1.25)
    shown: dict[type, tuple[str, str]] = {Bounded: ("0.0000", "1.0000"), dict: ("-0.2500", "1.2500")}
    for make, (lower, upper) in shown.items():
        shown_by = {name: written(name, estimates([make(row)]), {}, ()) for name in WRITTEN}
        for name in ("text", "table", "latex", "markdown"):
            assert [(lower in shown_by[name]), (upper in shown_by[name])] == [True, True], name
            assert ("-0.25" in shown_by[name]) == (make is dict)
        for name in ("csv", "tsv", "json", "jsonl"):
            assert "-0.25" in shown_by[name], name
            assert "1.25" in shown_by[name], name
    both = Bounded({**row, "lower": -1.25, "baseline": "b"})
    assert "\t-1.0000\t1.0000\t" in written("text", tables("difference", "", [both]), {})  # of two such
    undefined = Bounded({**row, "lower": math.nan, "upper": math.nan})
    assert written("text", estimates([undefined]), {}).split()[-3:-1] == ["nan", "nan"]


def same(first: Any, second: Any) -> bool:
    """Equal, or both nan."""
    return first == second or (first != first and second != second)


def test_text_is_trec_evals_line_extended() -> None:
    assert written("text", estimates(ROWS), SIGNATURE) == (
        "# measure\ttopic\tvalue\tlower\tupper\trun\tcorrected\n"
        "map                   \t1\t0.3333\tnan\t0.6667\té\udcff\tcorrected\n"
        "num_ret               \tall\t7\t0.2500\t1.0000\tx\n"
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["tsv", "csv"])
@given(rows=RANDOM_ROWS)
def test_tsv_and_csv_are_read_back(name: str, rows: list[dict[str, Any]]) -> None:
    text = written(name, estimates(rows), SIGNATURE)
    lines = csv.reader(io.StringIO(text)) if name == "csv" else (line.split("\t") for line in text.split("\n")[:-1])
    read = list(lines)
    assert len(read) == (len(rows) + 1 if rows else 0)
    assert read[:1] == ([COLUMNS] if rows else [])
    for row, cells in zip(rows, read[1:], strict=True):
        assert [cells[i] for i in (0, 1, 5)] == [row["measure"], row["topic"], row["run"]]
        assert all(same(float(cells[i]), row[COLUMNS[i]]) for i in (2, 3, 4))
        assert cells[6] == ("true" if row["corrected"] else "false")


@given(rows=RANDOM_ROWS)
def test_json_and_jsonl_are_read_back(rows: list[dict[str, Any]]) -> None:
    document = json.loads(written("json", estimates(rows), SIGNATURE))
    assert written("json", estimates(rows), SIGNATURE) == json.dumps(document, indent=1) + "\n"
    others = [json.loads(line) for line in written("jsonl", estimates(rows), SIGNATURE, ("a note",)).splitlines()]
    assert document["signature"] == SIGNATURE
    expected = [{name: None if cell != cell else cell for name, cell in row.items()} for row in rows]
    assert document["rows"] == others == expected


def test_files_are_replaced_links_followed_and_pipes_written_to(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_file(str(link), b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(str(pipe), b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [link, pipe, target]


ESTIMATE = interval(0.5, 0.25, run="x")
RATE = {"size": 5, "rate": 0.25}


def test_tables_that_are_no_estimates_are_named_by_kind_and_measure() -> None:
    """In text a line with the columns goes before them, once for tables that it fits."""
    rates = [Table("error_rate", measure, [RATE]) for measure in ("map", "P_10")]
    expected = [
        "# measure\ttopic\tvalue\tlower\tupper\trun",
        "map                   \tall\t0.5000\t0.2500\t0.7500\tx",
        "# table\tsize\trate",
        "error_rate_map        \t5\t0.2500",
        "error_rate_P_10       \t5\t0.2500",
    ]
    shown = [*estimates([ESTIMATE]), *rates]
    assert written("text", shown, SIGNATURE).splitlines() == expected
    assert json.loads(written("json", shown, SIGNATURE))["rows"] == [
        ESTIMATE, {"table": "error_rate_map", **RATE}, {"table": "error_rate_P_10", **RATE},
    ]  # fmt: skip
    assert written("table", rates, SIGNATURE).splitlines()[0].split() == ["table", "size", "rate"]
    assert written("table", rates, SIGNATURE).splitlines()[3].split() == ["error_rate_P_10", "5", "0.2500"]


def test_what_is_the_same_in_all_rows_is_said_once() -> None:
    """Methods are never columns; a population is one where there are several; formats for machines have all."""
    topics = {**ESTIMATE, "population": "topics", "interval": "t", "df": 49.0}
    documents = {**topics, "population": "documents", "interval": "normal"}
    signature = {"confidence": 0.9, "num_topics": 50}
    lines = written("text", estimates([topics]), signature).splitlines()
    assert lines[0] == "# measure\ttopic\tvalue\tlower\tupper\trun"
    assert lines[1] == "# 90% confidence intervals over topics (t), 50 topics"
    lines = written("text", estimates([topics, documents]), signature).splitlines()
    assert lines[0] == "# measure\ttopic\tvalue\tlower\tupper\trun\tpopulation"
    assert lines[1] == "# 90% confidence intervals over topics (t), over documents (normal), 50 topics"
    assert [line.split("\t")[6] for line in lines[2:]] == ["topics", "documents"]
    assert written("tsv", estimates([topics]), signature).splitlines()[0].split("\t") == list(topics)
    bounded = {**topics, "interval": "bounded"}
    assert "over topics (t or bounded by the scale), 50" in written("text", estimates([topics, bounded]), signature)


@pytest.mark.parametrize(("adjusted", "has_column"), [((0.01, 0.02), False), ((0.02, 0.04), True)])
def test_p_adjusted_is_shown_where_it_is_not_p(adjusted: tuple[float, float], has_column: bool) -> None:
    rows = [{**ESTIMATE, "baseline": "y", "p": p, "p_adjusted": q} for p, q in zip((0.01, 0.02), adjusted, strict=True)]
    header = written("text", tables("difference", "map", rows), {}).splitlines()[0].split("\t")
    assert ("p_adjusted" in header) == has_column


def test_a_column_that_the_kind_does_not_have_is_an_error_of_ours() -> None:
    with pytest.raises(AssertionError, match="shoe_size"):
        tables("estimate", "", [{"measure": "map", "shoe_size": 43}])


def test_kinds_of_tables_and_their_columns() -> None:
    """An answer in one sentence; meanings of a line each, none said again where the kind has a meaning of its own."""
    own = dict(meanings())
    shared = own.pop("columns")
    assert list(own) == list(KINDS)
    without = {column for name, kind in KINDS.items() for column in kind.columns if column not in own[name]}
    assert without == set(shared) - {"table"}
    assert {kind for row in COMMANDS.values() for kind in row.tables} == set(KINDS) - {"vote"}  # which is only drawn
    for name, kind in KINDS.items():
        assert own[name]["answer"].endswith(".")
        assert own[name]["answer"].count(". ") == 0
        assert len(own[name]["answer"]) < 120
        # Estimates are named by their measure, and no others have limits, or a cell of a run.
        assert kind.is_estimate == ("measure" in kind.columns and name != "in_interval"), name
        assert kind.is_estimate >= kind.has_limits, name
        assert not kind.has_limits or kind.names.startswith("measure topic value lower upper"), name
        assert not kind.cell or kind.names.startswith("measure topic value lower upper run"), name
        assert not kind.sorted_with or {"value", "difference"} & set(kind.columns), name
        assert len(set(kind.columns)) == len(kind.columns)
        assert set(own[name]) <= {"answer", *kind.columns}
        assert all(what != shared.get(column) for column, what in own[name].items())
        for column, what in [*own[name].items(), *shared.items()]:
            assert what
            assert "\n" not in what
            assert what.endswith(".") == (column == "answer")


def test_sentences_and_what_tables_and_columns_mean_are_apart_and_go_in_this_order() -> None:
    """A column is told with its table, and again where it means something else; those of every estimate are not told."""
    rates = [Table("error_rate", measure, [RATE]) for measure in ("map", "P_10")]
    swaps = Table("needed", "map", [{"size": 5, "rate": 0.05}])
    report = Report([*estimates([ESTIMATE]), *rates, swaps], {}, lambda: ["So it is."])
    assert report.sentences == ["So it is."]
    assert report.explanation == [
        "So it is.",
        f"means: {meanings()['estimate']['answer']}",
        f"error_rate_MEASURE: {meanings()['error_rate']['answer']}",
        "  size: topics (or units) in a set",
        "  rate: share of comparisons in which a set disagrees with most sets",
        f"needed_map: {meanings()['needed']['answer']}",
        "  size: topics (or units) in each of two sets",
        "  rate: the highest rate of swaps allowed",
    ]


def test_limits_of_scores_end_where_the_scale_does(tmp_path: Path) -> None:
    """t over few topics with small scores: 0 in json and in text; of unknown measures, means of logits and z scores in both
    what the formula says."""
    values = {("map", "a"): [0.0, 0.0, 0.02, 0.3], ("liked", "a"): [0.0, 0.0, 0.1, 0.7]}
    values |= {(measure, run): [0.4, 0.2, 0.1, 0.3] for measure in ("map", "liked") for run in "bc"}
    lines = [f"{run},{t},{measure},{value}\n" for (measure, run), of in values.items() for t, value in enumerate(of)]
    (tmp_path / "scores.csv").write_text("run,topic,measure,value\n" + "".join(lines))
    command = ["map-ci", "--interval", "t", "--quiet", "--scores", tmp_path / "scores.csv"]
    lower = np.mean(values["liked", "a"]) - stats.t.ppf(0.975, 3) * stats.sem(values["liked", "a"])
    for asked, negative in (([], {"liked": lower}), (["-m", "map", "-m", "lmap"], {"lmap_logit": None})):
        found = {(row["measure"], row["run"]): row["lower"] for row in rows_of(*command, *asked)}
        shown = {tuple(line.split()[0:6:5]): line.split()[3] for line in printed(*command, *asked).splitlines()}
        assert (found["map", "a"], shown["map", "a"]) == (0, "0.0000")
        for name, expected in negative.items():
            assert found[name, "a"] == pytest.approx(expected or found[name, "a"])
            assert shown[name, "a"] == f"{found[name, 'a']:.4f}" < "0"


@pytest.mark.parametrize("form", get_args(Format))
def test_explanations_are_served_or_refused_by_every_format(form: Any) -> None:
    """Never dropped: the sentence is in the output, or there is none."""
    asked = ["map-ci", "--quiet", "--population", "topics", "--format", form, "--explain", QRELS, RUN, RUN_2]
    shown = irci(*asked)
    assert shown.exit_code == (2 if form in NO_NOTES else 0)
    assert ("for the mean over the population of topics" in shown.stdout) == (form not in NO_NOTES)


RUNS = [str(next((SMALL / "runs").glob(f"{name}.run*"))) for name in ("charlie", "delta", "alpha")]
ARRANGED = {
    "ap-ci": ["-B", "20", "-m", "map", "-m", "P_5"],
    "map-ci": ["-m", "map", "-m", "lmap", "--all-pairs"],
    "partition-anova": ["-B", "20", "--policy", "drop"],
    "stdap-ci": [],
}
Rows = list[dict[str, str]]


def rows(*arguments: str) -> Rows:
    return list(csv.DictReader(io.StringIO(printed(*arguments, "--quiet", "--format", "csv", QRELS, *RUNS))))


@pytest.mark.sample(3)
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("form", FOR_READING)
@pytest.mark.parametrize("digits", [1, 4, 9, 17])
def test_digits(form: str, digits: int) -> None:
    """Of every number but p-values and counts; four by default."""
    command = ["compare", "--quiet", "-n", "--format", form, QRELS, *RUNS]
    exact = rows("compare", "-n")
    shown = printed(*command, "--digits", str(digits))
    for row in exact:
        assert f"{float(row['value']):.{digits}f}" in shown
        assert f"{float(row['upper']):.{digits}f}" in shown
        if float(row["p"]) > 1e-4:
            assert f"{float(row['p']):.4g}" in shown
    shown = shown.replace(f" --digits {digits}", "")  # of the line typed, which a page has
    assert (printed(*command) == shown) == (digits == 4)


def test_counts_have_no_decimals() -> None:
    shown = printed("ap-ci", "-B", "0", "--quiet", "-m", "num_ret", "--digits", "9", QRELS, RUNS[2])
    assert result_lines(shown)[-2:] == [
        "num_ret               \t9\t200\tnan\tnan\talpha", "num_ret               \tall\t4000\tnan\tnan\talpha",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl"])
def test_digits_are_refused_where_all_are_written(form: str) -> None:
    for options in (["--digits", "4", "--format", form], ["--format", form, "--digits", "4"]):
        refused = irci("ap-ci", *options, QRELS, *RUNS)
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
        expected = printed(command, *options, *more, QRELS, *sorted(RUNS))
        assert printed(command, *options, *more, "--sort", "name", QRELS, *RUNS) == expected


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


def test_undefined_values_come_last() -> None:
    values = {"a": math.nan, "b": 1.0, "c": 2.0, "d": 1.0}
    shown: list[Row] = [interval(value, 0, run=run) for run, value in values.items()]
    (found,) = arranged([Table("estimate", "", shown)], "value")
    assert [each["run"] for each in found.rows] == ["c", "b", "d", "a"]


def test_names_are_sorted_by_their_bytes() -> None:
    shown = [{"run": run, "value": 0.0} for run in ("é", "\udcff", "a", "B", "z")]
    (found,) = arranged([Table("effect", "", shown)], "name")
    assert [each["run"] for each in found.rows] == ["B", "a", "z", "é", "\udcff"]


@pytest.mark.parametrize("command", ["", "measures", *ARRANGED, "swap-error", "wcw"])
def test_every_command_tells_the_version(command: str) -> None:
    for option in ("-v", "--version"):
        assert printed(*filter(None, [command]), option) == f"irci, version {package.__version__}\n"
