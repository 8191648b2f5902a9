"""The functions of irci: the commands' own answers, from whatever holds the judgments, runs and scores."""

import asyncio
import contextlib
import gzip
import inspect
import json
import logging
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from command_lines import plain_words
from conftest import ROOT, SHARED, SMALL, TESTDATA

import irci
from irci.api.call import NOT_OPTIONS, command_of, options_of
from irci.cli.group import main
from irci.errors import FormatError, IrciError, UsageError

FUNCTIONS = {
    "ap-ci": irci.ap_ci, "map-ci": irci.map_ci, "partition-anova": irci.partition_anova, "stdap-ci": irci.stdap_ci,
    "swap-error": irci.swap_error, "wcw": irci.wcw,
}  # fmt: skip
QRELS = SMALL / "qrels.txt"
RUNS = sorted((SMALL / "runs").iterdir())

Ranking = dict[str, dict[str, float]]


class Qrel(NamedTuple):
    """As ir_measures names them."""

    query_id: str
    doc_id: str
    relevance: int


class ScoredDoc(NamedTuple):
    """As ir_measures names them."""

    query_id: str
    doc_id: str
    score: float


@pytest.fixture(autouse=True)
def _as_in_a_fresh_process() -> None:
    """The command line, which runs in this process too, leaves its own settings."""
    logging.getLogger("irci").setLevel(logging.NOTSET)


def lines_of(path: Path) -> list[list[str]]:
    """The fields of a file's lines, read as anybody would."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def qrels_of(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in lines_of(path):
        found.setdefault(topic, {})[docno] = int(grade)
    return found


def run_of(path: Path) -> tuple[str, Ranking]:
    """A run's tag and pytrec_eval's dict."""
    found: Ranking = {}
    lines = lines_of(path)
    for topic, _, docno, _, score, *_ in lines:
        found.setdefault(topic, {})[docno] = float(score)
    return lines[0][5], found


JUDGED = qrels_of(QRELS)
RANKED = dict(run_of(path) for path in RUNS)


def triples(ranking: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(topic, docno, number) for topic, of in ranking.items() for docno, number in of.items()]


def shuffled(ranking: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Any]]:
    """Topics in no order: scores alone order a ranking."""
    rows = triples(ranking)
    return [rows[place] for place in np.random.default_rng(1).permutation(len(rows))]


# Each way to hold judgments and runs: (qrels, runs).
HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "files": (QRELS, lambda: list(RUNS)),
    "dicts": (JUDGED, lambda: RANKED),
    "pandas": (
        pd.DataFrame(triples(JUDGED), columns=["query_id", "doc_id", "relevance"]),
        lambda: {name: pd.DataFrame(shuffled(run), columns=["qid", "docno", "score"]) for name, run in RANKED.items()},
    ),
}
MORE_HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "paths by name": (str(QRELS), lambda: dict(zip(RANKED, map(str, RUNS), strict=True))),
    "bytes": (QRELS.read_bytes(), lambda: [path.read_bytes() for path in RUNS]),
    "tuples": (
        [Qrel(*row) for row in triples(JUDGED)],
        lambda: {name: (ScoredDoc(*row) for row in triples(run)) for name, run in RANKED.items()},
    ),
    "polars": (
        pl.DataFrame(triples(JUDGED), ["qid", "docno", "label"], orient="row"),
        lambda: {
            name: pl.DataFrame(shuffled(run), ["query_id", "doc_id", "score"], orient="row")
            for name, run in RANKED.items()
        },
    ),
}

# Command lines, and the same as options of a function.
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("ap-ci", "-B 50", {"resamples": 50}),
    ("ap-ci", "-q -B 100 -m map -m P.5,10 --interval percentile --seed 7 -l 2 -M 50",
     {"per_topic": True, "resamples": 100, "measures": ["map", "P.5,10"], "interval": "percentile", "seed": 7,
      "relevance_level": 2, "depth": 50}),
    ("ap-ci", "--validate --splits 2 -B 50 -J", {"validate": True, "splits": 2, "resamples": 50, "judged_only": True}),
    ("map-ci", "--compare -B 100 -m nDCG@10 -m RR@10",
     {"compare": True, "resamples": 100, "measures": ["nDCG@10", "RR@10"]}),
    ("map-ci", "--all-pairs --ranks --population topics --sort value --show-width",
     {"all_pairs": True, "ranks": True, "population": "topics", "sort": "value", "show_width": True}),
    ("map-ci", "--baseline alpha --population topics --equivalence 2% --test randomization -B 200 --missing drop",
     {"baseline": "alpha", "population": "topics", "equivalence": "2%", "test": "randomization", "resamples": 200,
      "missing": "drop"}),
    ("partition-anova", "-B 50 --policy drop", {"resamples": 50, "policy": "drop"}),
    ("partition-anova", "-x 3 --policy mean -B 50 --tests none --alpha .1 --pairs",
     {"x": 3, "policy": "mean", "resamples": 50, "tests": "none", "alpha": 0.1, "pairs": True}),
    ("partition-anova", "--splits 3 --policy zero -B 50 --published", {"splits": 3, "policy": "zero", "resamples": 50,
     "published": True}),
    ("stdap-ci", "", {}),
    ("stdap-ci", "--reference alpha,bravo --transform cdf -q",
     {"reference": ["alpha", "bravo"], "transform": "cdf", "per_topic": True}),
    ("stdap-ci", "--type-one --sizes 3,5 --trials 20", {"type_one": True, "sizes": [3, 5], "trials": 20}),
    ("swap-error", "--sizes 3,5 --designs 5", {"sizes": (3, 5), "designs": 5}),
    ("swap-error", "--procedure swap --trials 10", {"procedure": "swap", "trials": 10}),
    ("swap-error", "--procedure discriminative-power -B 50 --alpha .05",
     {"procedure": "discriminative-power", "resamples": 50, "alpha": [0.05]}),
    ("wcw", "--sizes 20,50", {"sizes": [20, 50]}),
    ("wcw", "--width .1 --tool t --residual", {"width": 0.1, "tools": "t", "residual": True}),
    ("wcw", "--curve --standardise z -m map -m P_10", {"curve": True, "standardise": "z", "measures": ["map", "P_10"]}),
]  # fmt: skip


def said(line: Iterable[str]) -> str:
    """What a command prints as json."""
    result = CliRunner().invoke(main, [*line, "--format", "json"], prog_name="irci", catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("command", "line", "options"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_files_dicts_and_frames_give_the_json_of_the_command(command: str, line: str, options: dict[str, Any]) -> None:
    expected = said([command, *line.split(), str(QRELS), *map(str, RUNS)])
    for held, (qrels, runs) in HELD.items():
        assert FUNCTIONS[command](qrels, runs(), **options).to_json() == expected, held


def test_whatever_else_holds_them_gives_the_same() -> None:
    expected = irci.ap_ci(QRELS, RUNS, resamples=50).to_json()
    for held, (qrels, runs) in MORE_HELD.items():
        assert irci.ap_ci(qrels, runs(), resamples=50).to_json() == expected, held


def test_one_run_needs_no_name(tmp_path: Path) -> None:
    (name, run), *_ = RANKED.items()
    alone = irci.score(JUDGED, run).to_pandas("estimate")
    assert list(alone["run"]) == ["run"]
    assert list(alone["value"]) == list(irci.score(JUDGED, {name: run}).to_pandas("estimate")["value"])
    with RUNS[0].open("rb") as file:
        assert irci.score(JUDGED, file).to_json() == irci.score(JUDGED, RUNS[0]).to_json()


def test_score_is_what_ap_ci_prints_without_resamples() -> None:
    line = ["ap-ci", "-B", "0", "-q", "-m", "P_10", str(QRELS), *map(str, RUNS)]
    assert irci.score(QRELS, RUNS, measures="P@10", per_topic=True).to_json() == said(line)


def test_signatures_are_the_options_of_the_commands() -> None:
    for name, function in FUNCTIONS.items():
        command = command_of(name)
        options, declared = options_of(command), inspect.signature(function).parameters
        assert list(declared) == [*NOT_OPTIONS, *options], name
        context = click.Context(command)
        for each, option in options.items():
            default = declared[each].default
            if each == "progress":  # which never is shown unless asked for
                assert default is False
            elif each == "threads":
                assert default is None
            elif option.is_flag:
                assert default is False
            elif option.multiple:
                assert default == ()
            elif default is None:
                assert "default" not in option.to_info_dict() or option.value_is_missing(option.get_default(context))
            else:
                given = default if isinstance(default, tuple | str) else (default,)
                expected = option.type_cast_value(context, option.get_default(context))
                assert expected in (default, given), (name, each)
    declared = inspect.signature(irci.score).parameters
    assert set(declared) < set(inspect.signature(irci.ap_ci).parameters)
    assert all(declared[each].default == inspect.signature(irci.ap_ci).parameters[each].default for each in declared)


def test_help_tells_of_every_option() -> None:
    for name, function in FUNCTIONS.items():
        assert function.__doc__ is not None
        for each in options_of(command_of(name)):
            assert f"\n    {each}: " in function.__doc__


def test_nothing_but_the_standard_library_is_loaded_and_nothing_printed() -> None:
    program = (
        "import sys; before = set(sys.modules); import irci; assert 'map_ci' in dir(irci)\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "assert new - {'irci'} <= sys.stdlib_module_names, new\n"
        "qrels = {'1': {'a': 1, 'b': 0}, '2': {'a': 1}}\n"
        "report = irci.ap_ci(qrels, {'x': {'1': {'b': 2, 'a': 1}}}, resamples=20)\n"
        "assert len(report.warnings) == 1, report.warnings\n"
        "try:\n    irci.ap_ci(qrels, {'x': {'1': {'b': 2}}}, confidence=95)\n"
        "except irci.IrciError: pass\n"
        "assert not {'pandas', 'polars', 'ir_measures', 'matplotlib'} & set(sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


GOLDEN = sorted((TESTDATA / "golden").glob("*/cmd"))
JSON = [path for path in GOLDEN if " --format json" in path.read_text()]  # and jsonl


@pytest.mark.parametrize("path", JSON, ids=lambda path: path.parent.name)
def test_golden_json_cases_through_the_function(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is parsed of the line is given to the function, under its keywords."""
    monkeypatch.chdir(ROOT)
    words = plain_words(path.read_text().strip().partition(" | ")[0])
    assert words is not None
    _, name, *line = words
    command = command_of(name)
    line = [found for word in line for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
    context = command.make_context(name, line)
    known = {str(option.name): key for key, option in options_of(command).items()}
    given = {
        key: value
        for each, key in known.items()
        if context.get_parameter_source(each) == click.core.ParameterSource.COMMANDLINE
        and (value := context.params[each]) is not None
    }
    if "measures" in given:
        given["measures"] = [measure.name for measure in given["measures"]]
    if "variances" in given:
        given["variances"] = dict(given["variances"])
    qrels, *runs = [*context.params["files"], None][: None if context.params["files"] else 1]
    report = FUNCTIONS[name](qrels, runs[:-1] or None, **given)
    warned = "" if "--quiet" in line else "".join(f"irci: warning: {warning}\n" for warning in report.warnings)
    expected = path.with_name("out").read_text()
    assert (warned + report.to_text(context.params["output_format"]))[: len(expected)] == expected


def refused(kind: type[IrciError], message: str, function: Callable[..., Any], *args: Any, **options: Any) -> None:
    """It is refused, by an error of this kind whose whole message is matched."""
    with pytest.raises(kind) as error:
        function(*args, **options)
    assert type(error.value) is kind
    assert re.fullmatch(message, str(error.value)), str(error.value)


GOOD: Ranking = {"301": {"FT-1": 2.0, "FT-2": 1.0}, "302": {"FT-1": 1.0}}
GRADES = {"301": {"FT-1": 1, "FT-3": 0}, "302": {"FT-2": 1, "FT-1": 0}}
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("ranking", "message"),
    [
        ({"301": {"FT-1": NAN}}, r"run 'bm25', topic '301', document 'FT-1': score nan is not a finite number"),
        (
            {"301": {"FT-1": INF, "FT-2": -INF}},
            r"run 'bm25', topic '301', document 'FT-1': score inf is not a finite number \(and 1 more document\)",
        ),
        ({"301": {"FT-1": "1.5"}}, r"run 'bm25', topic '301', document 'FT-1': score '1.5' is not a finite number"),
        ({"301": {"FT-1": None}}, r"run 'bm25', topic '301', document 'FT-1': score None is not a finite number"),
        ({"301": {"FT-1": True}}, r"run 'bm25', topic '301', document 'FT-1': score True is not a finite number"),
        ({"301": {"FT-1": 10**400}}, r".*'FT-1': score 1000.*\.\.\. is not a finite number"),
        ({"301": {1: 1.0, "1": 2.0}}, r"run 'bm25', topic '301', document '1': given twice"),
        ({301: {"a": 1.0}, "301": {"a": 2.0}}, r"run 'bm25', topic '301', document 'a': given twice"),
        ({"301": {"": 1.0}}, r"run 'bm25': no name for a document"),
        ({"301": {"a b": 1.0}}, r"run 'bm25': document 'a b' is no name that a file could hold .*"),
        ({"301": {"a\nb": 1.0}}, r"run 'bm25': document 'a\\nb' is no name that a file could hold .*"),
        ({"301": {"a\0": 1.0}}, r"run 'bm25': document 'a\\x00' is no name .*"),
        ({"301": {"\ud800": 1.0}}, r"run 'bm25': document '\\ud800' is no name .*"),
        ({"#1": {"a": 1.0}}, r"run 'bm25': topic '#1' is no name that a file could hold .*"),
        ({NAN: {"a": 1.0}}, r"run 'bm25': topic nan is neither text nor a whole number.*"),
        ({None: {"a": 1.0}}, r"run 'bm25': topic None is neither text nor a whole number"),
        ({"301": {("a",): 1.0}}, r"run 'bm25': document \('a',\) is neither text nor a whole number"),
        ({"301": {"a": 1.0}, "302": 3.0}, r"run 'bm25', topic '302': a float, not {docno: number}"),
        ({}, r"run 'bm25': empty: no document .*"),
        ({"301": {}}, r"run 'bm25': empty: no document .*"),
    ],
)  # fmt: skip
def test_what_no_file_may_hold_is_refused_with_its_place(ranking: Any, message: str) -> None:
    refused(FormatError, message, irci.score, GRADES, {"bm25": ranking})


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ({"301": {"FT-1": 0.5}}, r"qrels, topic '301', document 'FT-1': grade 0.5 is not an integer"),
        ({"301": {"FT-1": NAN}}, r"qrels, topic '301', document 'FT-1': grade nan is not an integer"),
        ({"301": {"FT-1": "1"}}, r"qrels, topic '301', document 'FT-1': grade '1' is not an integer"),
        ({"301": {"FT-1": 2**80}}, r"qrels, topic '301', document 'FT-1': grade \d+ is not an integer"),
        ({"301": {"FT-1": INF}}, r"qrels, topic '301', document 'FT-1': grade inf is not an integer"),
        ({}, r"qrels: empty: no document .*"),
        ([("301", "FT-1", 1)], r"qrels: a tuple among the items, which lacks query_id, doc_id or relevance"),
    ],
)
def test_judgments_too(grades: Any, message: str) -> None:
    refused(FormatError, message, irci.score, grades, {"bm25": GOOD})


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"qid": ["301", "301"], "docno": ["FT-1", "FT-2"], "score": [2.0, 1.0]} | columns)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (frame(score=[NAN, 1.0]), r"run 'bm25', topic '301', document 'FT-1': score nan is not a finite number"),
        (frame(score=pd.array([1, None], "Int64")), r".*document 'FT-2': score (<NA>|nan) is not a finite number"),
        (frame(score=[1.0, "x"]), r"run 'bm25', topic '301', document 'FT-2': score 'x' is not a finite number"),
        (frame(score=[True, False]), r"run 'bm25', topic '301', document 'FT-1': score True is not a finite number .*"),
        (frame(qid=["301", None]), r"run 'bm25': topic (None|nan) is neither text nor a whole number.*"),
        (frame(qid=[301.0, NAN]), r"run 'bm25': topic (301.0|nan) is neither text .*by \.astype\(int\)"),
        (frame(qid=pd.Categorical(["301", None])), r"run 'bm25': topic nan is neither text nor a whole number.*"),
        (frame(qid=pd.array([301, None], "Int64")), r"run 'bm25': topic <NA> is neither text nor a whole number"),
        (frame(docno=["FT-1", None]), r"run 'bm25': document (None|nan) is neither text nor a whole number.*"),
        (frame(docno=["FT-1", "FT-1"]), r"run 'bm25', topic '301', document 'FT-1': given twice"),
        (frame().rename(columns={"score": "sim"}), r"run 'bm25': no column score; there are qid, docno, sim"),
        (frame().set_index(["qid", "docno"]), r"run 'bm25': no column query_id or qid; it is in the index: \.reset_index\(\)"),
        (pd.concat([frame(), frame()[["score"]]], axis=1), r"run 'bm25': two columns named score"),
        (frame().iloc[:0], r"run 'bm25': empty: no document .*"),
        (frame().set_axis(pd.MultiIndex.from_tuples([("a", "qid"), ("a", "docno"), ("a", "score")]), axis=1),
         r"run 'bm25': no column query_id or qid; there are .*"),
        (pl.DataFrame(frame(score=[NAN, 1.0]).to_dict("list")), r".*document 'FT-1': score nan is not a finite number"),
        (pl.DataFrame(frame().to_dict("list") | {"qid": ["301", None]}),
         r"run 'bm25': topic None is neither text nor a whole number"),
    ],
)  # fmt: skip
def test_frames_are_refused_likewise(held: Any, message: str) -> None:
    refused(FormatError, message, irci.score, GRADES, {"bm25": held})


ODD: list[Any] = [
    "", " ", "a b", "\n", "\t", "\0", "\ud800", "#1", "\u2028", "x" * 5000, 7, -1, 10**30, 1.5, NAN, True, None, b"a", ("a",),
    Decimal(1), np.int64(3), np.float32(1), np.bool_(True), pd.NA, pd.NaT, 10**400, 1j, object(),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:12])
def test_whatever_stands_anywhere_is_taken_or_refused(odd: Any) -> None:
    """A report, or an error of ours: nothing else."""
    calls: list[Callable[[], Any]] = []
    for place in range(3):
        row = [*("301", "FT-1", 1)[:place], odd, *("301", "FT-1", 1)[place + 1 :]]
        rows = [("302", "FT-1", 1), tuple(row)]
        frames = [pd.DataFrame(rows, columns=["qid", "docno", name]) for name in ("score", "label")]
        calls += [
            lambda row=row: irci.score(GRADES, {"x": {row[0]: {row[1]: row[2]}, "302": {"FT-1": 1}}}),
            lambda row=row: irci.score({row[0]: {row[1]: row[2]}, "302": {"FT-1": 1}}, GOOD),
            lambda rows=rows: irci.score(GRADES, {"x": [ScoredDoc(*each) for each in rows]}),
            lambda frames=frames: irci.score(GRADES, {"x": frames[0]}),
            lambda frames=frames: irci.score(frames[1], GOOD),
        ]
    cell = [("a", "1", "map", 0.5), ("b", "1", "map", 0.25)]
    for place in range(4):
        rows = [*cell, (*cell[0][:place], odd, *cell[0][place + 1 :])]
        calls.append(
            lambda rows=rows: irci.map_ci(scores=pd.DataFrame(rows, columns=["run", "qid", "measure", "value"]))
        )
    calls += [
        lambda: irci.score(GRADES, {odd: GOOD}), lambda: irci.score(GRADES, odd), lambda: irci.score(odd, GOOD),
        lambda: irci.map_ci(scores={odd: {"map": {"1": 0.5}}}), lambda: irci.map_ci(scores=odd),
        *(lambda name=name: irci.map_ci(GRADES, {"x": GOOD, "y": GOOD}, population="topics", **{name: odd})  # type: ignore[misc]
          for name in ("measures", "topics", "confidence", "resamples", "baseline", "equivalence", "sort", "depth")),
        lambda: irci.wcw(variances={"AP": odd}), lambda: irci.wcw(variances={"AP": 0.1}, width=odd),
    ]  # fmt: skip
    for call in calls:
        with contextlib.suppress(IrciError):
            call().to_json()


def test_frames_of_other_types_hold_the_same() -> None:
    expected = irci.score(GRADES, {"bm25": GOOD}).to_json()
    rows = triples(GOOD)
    plain = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    held: list[Any] = [
        plain.astype({"qid": int}), plain.astype({"qid": "category", "docno": "category"}),
        plain.astype({"qid": object, "docno": object, "score": object}), plain.astype({"qid": "Int64"}),
        plain.astype({"score": "Float64"}), plain.astype({"score": "float32"}), plain.astype({"score": int}),
        plain.set_index("docno", drop=False), plain.iloc[::-1], plain.assign(docid=7, rank=1, query="x y"),
        {int(topic): of for topic, of in GOOD.items()}, {**GOOD, "999": {}},
        pl.DataFrame(rows, ["qid", "docno", "score"], orient="row").lazy(),
        pl.DataFrame(rows, ["qid", "docno", "score"], orient="row").with_columns(pl.col("qid").cast(pl.Categorical)),
    ]  # fmt: skip
    for number, each in enumerate(held):
        assert irci.score(GRADES, {"bm25": each}).to_json() == expected, number
    floats = {topic: {docno: float(grade) for docno, grade in of.items()} for topic, of in GRADES.items()}
    assert irci.score(floats, {"bm25": GOOD}).to_json() == expected


def test_a_generator_gives_its_items_once() -> None:
    items = (ScoredDoc(*row) for row in triples(GOOD))
    irci.score(GRADES, {"a": items})
    refused(FormatError, r"run 'a': empty: no document \(a generator .*\)", irci.score, GRADES, {"a": items})
    refused(UsageError, r"no runs: .*", irci.score, GRADES, items)
    refused(UsageError, r"no runs: .*", irci.score, GRADES, {}.values())


def test_ties_go_by_the_order_given_or_by_a_column_of_ranks() -> None:
    grades, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    ranked = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": 1.0, "rank": [3, 2, 1]})

    def rr(run: Any, ties: Any) -> float:
        return float(irci.score(grades, {"x": run}, measures="RR", ties=ties).to_pandas("estimate")["value"][0])

    assert [rr(run, ties) for ties in ("docno", "file")] == [1 / 2, 1.0]
    assert [rr(ranked, ties) for ties in ("docno", "file", "rank")] == [1 / 2, 1 / 2, 1 / 2]
    assert rr(ranked.assign(rank=[2, 1, 3]), "rank") == 1.0
    refused(UsageError, r"run 'x' has no ranks for --ties rank: .*", rr, run, "rank")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, r"confidence: 95 must be between 0 and 1; did you mean 0.95\?"),
        ({"confidence": "x"}, r"confidence: x must be between 0 and 1.*"),
        ({"confidence": [0.9]}, r"confidence: .*"),
        ({"resamples": 1}, r"resamples: one resample has no spread: .*"),
        ({"resamples": 10.5}, r"resamples: 10.5 is not a valid whole number."),
        ({"resamples": True}, r"resamples: True is not a valid whole number."),
        ({"resamples": -1}, r"resamples: -1 is not in the range .*"),
        ({"measures": "mapp"}, r"measures: no measure 'mapp'; is it map\?.*"),
        ({"measures": [["map"]]}, r"measures: no measure .*"),
        ({"interval": "wide"}, r"interval: 'wide' is not one of .*"),
        ({"per_topic": 1}, r"per_topic: 1 is neither True nor False."),
        ({"seed": 2**70}, r"seed: .*"),
        ({"threads": 0}, r"threads: 0 is not in the range .*"),
        ({"topics": ["a,b"]}, r"topics: 'a,b' cannot stand in a list.*"),
        ({"topics": "999"}, r"(?s).*none of the topics asked for is judged"),
        ({"splits": 3}, r"--splits is for --validate."),
        ({"save_scores": "-"}, r"save_scores: '-' is no path of a file."),
        ({"save_scores": "/no/such/folder/x"}, r"--save-scores: .*"),
        ({"scores": {}}, r"scores= is in place of qrels and runs: leave those out."),
        ({"interval": "linear", "method": "delta", "measures": "P_5"}, r"--method delta is for map, not for P_5."),
    ],
)
def test_options_are_refused_as_on_the_command_line(options: dict[str, Any], message: str) -> None:
    kind = irci.DataError if "none of the topics" in message else UsageError
    refused(kind, message, irci.ap_ci, GRADES, {"bm25": GOOD}, **options)


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        (None, None, r"give qrels and runs, or scores=\."),
        (GRADES, None, r"qrels and runs go together: give both, or scores=\."),
        (GRADES, [GOOD], r"runs: item 1 is no file but a dict: name runs in memory, .*"),
        (GRADES, 7, r"runs: a int is neither a file, a mapping, a data frame nor a list\."),
        (GRADES, {"x": 7}, r"run 'x': a int is neither .*"),
        (GRADES, {"": GOOD}, r"'' is no name for a run: .*"),
        (GRADES, {"a\tb": GOOD}, r".*is no name for a run: .*"),
        (GRADES, {"x": "-"}, r"- is standard input on the command line only: .*"),
        (GRADES, [open], r"runs: item 1 is no file .*"),
    ],
)
def test_inputs_that_are_none(qrels: Any, runs: Any, message: str) -> None:
    refused(UsageError, message, irci.score, qrels, runs)


def test_files_keep_their_own_refusals(tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 FT-1 1 x tag\n")
    refused(FormatError, rf"{bad}:1: score 'x' is not a finite number.*", irci.score, GRADES, bad)
    refused(FormatError, r"run 'a':1: score 'x' is not a finite number.*", irci.score, GRADES, {"a": bad.read_bytes()})
    refused(FormatError, r"nowhere: no such file or directory", irci.score, GRADES, "nowhere")
    with bad.open() as file:
        refused(UsageError, rf"{bad} is open as text: open it in mode 'rb'\.", irci.score, GRADES, file)


def test_two_names_for_one_file() -> None:
    report = irci.score(QRELS, {"a": RUNS[0], "b": RUNS[0]})
    assert list(report.to_pandas("estimate")["run"]) == ["a", "b"]


# Scores: as trec_eval would have them, of two runs, two measures, three topics.
SCORED = {
    "bm25": {"map": {"1": 0.5, "2": 0.25, "3": 1.0}, "P_10": {"1": 0.1, "2": 0.3, "3": 0.2}},
    "splade": {"map": {"1": 0.625, "2": 0.75, "3": 0.3}, "P_10": {"1": 0.4, "2": 0.3, "3": 0.1}},
}
LONG = [
    (run, topic, measure, value)
    for run, of in SCORED.items()
    for measure, topics in of.items()
    for topic, value in topics.items()
]


class Metric(NamedTuple):
    """As ir_measures' iter_calc gives them; its measures are objects."""

    query_id: str
    measure: object
    value: float


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\n" + "".join(f"{r},{t},{m},{v}\n" for r, t, m, v in LONG))
    return path


def test_scores_from_whatever_holds_them(long_file: Path) -> None:
    expected = said(["map-ci", "--scores", "--compare", str(long_file)])
    rows = pd.DataFrame(LONG, columns=["name", "qid", "measure", "value"])  # as pt.Experiment(perquery=True) has it
    results = {
        run: [Metric(topic, measure, value) for other, topic, measure, value in LONG if other == run] for run in SCORED
    }
    held: dict[str, Any] = {
        "file": long_file, "bytes": long_file.read_bytes(), "files": [long_file], "mapping": SCORED, "long": rows,
        "filtered": rows[rows["value"] > -1].iloc[::1], "int topics": rows.astype({"qid": int}), "iter_calc": results,
        "polars": pl.DataFrame(LONG, ["run", "topic", "measure", "value"], orient="row"),
        "category": rows.astype({"name": "category", "measure": "category"}),
    }  # fmt: skip
    for what, scores in held.items():
        assert irci.map_ci(scores=scores, compare=True).to_json() == expected, what


def test_a_wide_frame_is_a_matrix_of_one_measure(tmp_path: Path) -> None:
    wide = pd.DataFrame({run: of["map"] for run, of in SCORED.items()})
    path = tmp_path / "map.csv"
    wide.to_csv(path)
    expected = said(["map-ci", "--scores", "--all-pairs", str(path)])
    held: list[Any] = [
        wide, wide.rename_axis("topic"), wide.rename_axis("qid").reset_index(), pl.from_dict(
            wide.rename_axis("qid").reset_index().to_dict("list")
        ),
    ]  # fmt: skip
    for number, each in enumerate(held):
        assert irci.map_ci(scores=each, all_pairs=True, measures="map").to_json() == expected, number


def test_scores_of_parts_are_a_long_frame(tmp_path: Path) -> None:
    saved = tmp_path / "parts.tsv"
    irci.partition_anova(QRELS, RUNS, policy="drop", resamples=20, save_scores=saved)
    expected = said(["partition-anova", "--scores", "--policy", "drop", "-B", "20", str(saved)])
    frame = pd.read_csv(saved, sep="\t", dtype={"topic": str})
    assert irci.partition_anova(scores=frame, policy="drop", resamples=20).to_json() == expected
    assert irci.partition_anova(scores=saved, policy="drop", resamples=20).to_json() == expected


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"x": {"map": {"1": NAN}}}, r"scores, run 'x', topic '1', measure 'map': value nan is not a finite number"),
        ({"x": {"map": {"1": "0.5"}}}, r"scores, run 'x', topic '1', measure 'map': value '0.5' is not a number"),
        ({"x": {"map": {None: 0.5}}}, r"scores, run 'x', topic 'None', measure 'map': None is no name: .*"),
        ({"x": {"map": 0.5}}, r"scores, run 'x', measure 'map': a float, not {topic: value}"),
        ({"x": 0.5}, r"scores, run 'x': a float, not .*"),
        ({"x\ty": {"map": {"1": 0.5}}}, r"scores, run 'x\\ty', .*: 'x\\ty' is no name: .*"),
        ({"x": {"map": {"1": 0.5}, "AP": {"1": 0.5}}}, r"scores:3: map of run 'x' on topic '1' twice"),
        ([("1", "map", 0.5)], r"scores, run 'run': a tuple among the items, which lacks query_id, measure or value"),
        (pd.DataFrame(LONG, columns=["run", "topic", "measure", "value"]).assign(value=NAN),
         r"scores, column 'value', row 1: value nan is not a finite number"),
        (pd.DataFrame(LONG, columns=["run", "topic", "measure", "value"]).assign(topic=[1.0, NAN] * 6),
         r"scores, column 'topic', row 1: 1.0 is no name: .*"),
        (pd.DataFrame(LONG, columns=["run", "topic", "measure", "sim"]), r"scores.*: .*"),
        (pd.DataFrame([(1, 2, 3)], columns=["run", "run", "value"]), r"scores: two columns named run"),
        (pd.DataFrame(), r"scores.*"),
    ],
)  # fmt: skip
def test_scores_are_refused_with_their_place(scores: Any, message: str) -> None:
    refused(FormatError, message, irci.map_ci, scores=scores)


def test_scores_that_are_none() -> None:
    refused(UsageError, r"scores: a int is neither .*", irci.map_ci, scores=3)
    with pytest.raises(IrciError, match="scores"):
        irci.map_ci(scores={})
    with pytest.raises(IrciError, match="scores"):
        irci.map_ci(scores=[])


def test_a_report_is_what_the_command_says() -> None:
    line = ["map-ci", "--compare", "-m", "map", "-m", "P_10", "-B", "100", str(QRELS), *map(str, RUNS)]
    report = irci.map_ci(QRELS, RUNS, compare=True, measures=["map", "P_10"], resamples=100)
    result = CliRunner().invoke(main, line, prog_name="irci")
    assert report.to_text() == result.stdout
    assert [f"irci: warning: {warning}" for warning in report.warnings] == result.stderr.splitlines()
    assert json.loads(report.to_json(explain=True))["notes"] == [line.strip() for line in report.explanation]
    assert report.sentences == report.explanation[: len(report.sentences)]
    assert report.signature["irci"] == irci.__version__
    rows = json.loads(report.to_json())["rows"]
    assert report.to_pandas().astype(object).where(lambda frame: frame.notna(), None).to_dict("records") == [
        {**dict.fromkeys(report.to_pandas().columns), **row} for row in rows
    ]
    differences = report.to_pandas("difference")
    assert list(differences["run"]) == [row["run"] for row in report.table("difference").rows]
    assert differences["p"].dtype == float
    refused(UsageError, r"no table rank; there are estimate, difference map, difference P_10", report.table, "rank")
    refused(UsageError, r"no table rank; there are estimate, difference map, difference P_10", report.to_pandas, "rank")


def test_a_papers_table_is_that_of_the_command() -> None:
    line = ["map-ci", "--compare", "--population", "topics", str(QRELS), *map(str, RUNS), "--layout", "wide"]
    report = irci.map_ci(QRELS, RUNS, compare=True, population="topics")
    for form in ("latex", "csv"):
        assert report.to_text(form, layout="wide") == CliRunner().invoke(main, [*line, "--format", form]).stdout
    assert irci.score(QRELS, RUNS).to_text("table", digits=2, layout="wide", limits="none")
    refused(UsageError, r"the layout wide is for means of runs, .*", report.to_text, "json", layout="wide")
    refused(UsageError, r"the layout wide .*", irci.wcw(noncentrality=True).to_text, "latex", layout="wide")
    refused(UsageError, r"no format 'html' in the layout 'long'; .*", report.to_text, "html")


def test_tables_of_several_measures_are_named() -> None:
    report = irci.swap_error(QRELS, RUNS, measures=["map", "P_10"], sizes=[5], designs=2)
    assert {row["size"] for row in report.table("error_rate", "map").rows} == {5}
    refused(UsageError, r"tables 'error_rate' of several measures: name one of map, P_10", report.table, "error_rate")
    assert set(report.to_pandas("error_rate")["table"]) == {"error_rate_map", "error_rate_P_10"}


def test_pandas_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    report = irci.score(GRADES, GOOD)
    monkeypatch.setitem(sys.modules, "pandas", None)
    refused(UsageError, "to_pandas needs pandas: pip install pandas", report.to_pandas)


def test_a_notebook_shows_sentences_picture_tables_and_warnings(tmp_path: Path) -> None:
    hostile = {"<b>&": GOOD, "x": {"301": {"FT-3": 1.0}}}
    report = irci.map_ci(GRADES, hostile, compare=True, resamples=50)
    html = report._repr_html_()
    assert "<b>&" not in html
    assert html.index("&lt;b&gt;&amp;") < html.index("data:image/svg") < html.index("<table") < html.index("Warnings:")
    picture = report.plot()
    assert picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    refused(UsageError, r".*figure.doc' does not end in \.png, \.svg, \.pdf", picture.save, tmp_path / "figure.doc")
    nothing = irci.ap_ci(QRELS, RUNS, validate=True, splits=2, resamples=20)
    with pytest.raises(irci.DataError, match="nothing to draw"):
        nothing.plot()
    assert "<table" in nothing._repr_html_()


def test_without_data() -> None:
    assert irci.wcw(variances={"AP": 0.0471}, width=0.1).to_json() == said(
        ["wcw", "--variance", "AP=.0471", "--width", ".1"]
    )
    line = ["stdap-ci", "--summary", "a=.1,.9,50", "--summary", "b=.3,1,40,base", "--any-reference"]
    summaries = {"a": (0.1, np.float64(0.9), 50), "b": (0.3, 1, 40, "base")}
    assert irci.stdap_ci(summaries=summaries, any_reference=True).to_json() == said(line)
    refused(UsageError, r"Missing QRELS and RUN.*|give qrels.*", irci.stdap_ci)


def test_files_that_are_asked_for_are_written(tmp_path: Path) -> None:
    irci.score(QRELS, RUNS, save_scores=tmp_path / "python.tsv")
    CliRunner().invoke(
        main, ["ap-ci", "-B", "0", "--save-scores", str(tmp_path / "shell.tsv"), str(QRELS), *map(str, RUNS)]
    )
    assert (tmp_path / "python.tsv").read_bytes() == (tmp_path / "shell.tsv").read_bytes()
    run = tmp_path / "x.run"
    run.write_bytes(RUNS[0].read_bytes())
    refused(UsageError, r"--save-scores: .*: would overwrite the input .*", irci.score, QRELS, [run], save_scores=run)
    assert irci.score(QRELS, RUNS, topics=[1, 2]).to_json() == irci.score(QRELS, RUNS, topics="1,2").to_json()
    (tmp_path / "topics").write_text("1\n2\n")
    report = irci.score(QRELS, RUNS, topics=tmp_path / "topics")
    assert list(report.to_pandas("estimate")["value"]) == list(
        irci.score(QRELS, RUNS, topics=["1", "2"]).to_pandas("estimate")["value"]
    )


def test_what_fails_a_command_is_left_to_the_caller() -> None:
    report = irci.map_ci(QRELS, RUNS, compare=True, population="topics", fail_if="unresolved")
    assert report.failures


def test_calls_in_threads_in_an_event_loop_and_after_a_fork() -> None:
    quiet, loud = irci.score(GRADES, GOOD), irci.map_ci(JUDGED, RANKED, resamples=200)
    assert not quiet.warnings
    assert loud.warnings

    def calls() -> list[irci.Report]:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(irci.map_ci, JUDGED, RANKED, resamples=200)
            second = pool.submit(irci.score, GRADES, GOOD)
            return [first.result(), second.result()]

    async def within_a_loop() -> irci.Report:
        return irci.map_ci(JUDGED, RANKED, resamples=200)

    again = calls()
    assert [report.to_json() for report in again] == [loud.to_json(), quiet.to_json()]
    assert [report.warnings for report in again] == [loud.warnings, quiet.warnings]
    assert asyncio.run(within_a_loop()).to_json() == loud.to_json()
    ours, theirs = multiprocessing.Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks of processes with threads
        child = multiprocessing.get_context("fork").Process(
            target=lambda: theirs.send(irci.map_ci(JUDGED, RANKED, resamples=200).to_json())
        )
        child.start()
    assert ours.poll(60)
    assert ours.recv() == loud.to_json()
    child.join()


def test_an_interrupt_stops_a_call_and_leaves_the_next_one_working() -> None:
    """As in a notebook's cell: Python's own handler is in force, before and after."""
    expected = irci.map_ci(JUDGED, RANKED, all_pairs=True, resamples=20).to_json()
    handler = signal.getsignal(signal.SIGINT)
    assert handler is signal.default_int_handler
    began, timer = time.monotonic(), threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        irci.map_ci(JUDGED, RANKED, all_pairs=True, resamples=10_000_000)
    assert time.monotonic() - began < 60
    assert signal.getsignal(signal.SIGINT) is handler
    assert irci.map_ci(JUDGED, RANKED, all_pairs=True, resamples=20).to_json() == expected


def test_dl19_by_the_reader_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    folder = SHARED / "trec-dl19-passage"
    if not folder.is_dir():
        pytest.skip("trec-dl19-passage is not beside this checkout")
    paths = sorted((folder / "runs").iterdir())[::20]
    qrels = folder / "qrels.dl19-passage.gz"
    with gzip.open(qrels, "rt") as file:
        judged = list(ir_measures.read_trec_qrels(file.read()))
    runs = {}
    for path in paths:
        text = gzip.decompress(path.read_bytes()).decode()
        runs[text.split(None, 6)[5]] = list(ir_measures.read_trec_run(text))
    options: dict[str, Any] = {"compare": True, "resamples": 100, "population": "topics"}
    measures = [ir_measures.nDCG @ 10, ir_measures.RR(rel=2), ir_measures.AP(rel=2)]
    report = irci.map_ci(judged, runs, measures=measures, **options)
    assert report.to_json() == irci.map_ci(qrels, paths, measures=[str(each) for each in measures], **options).to_json()
    values = ir_measures.iter_calc([ir_measures.nDCG @ 10], judged, runs[next(iter(runs))])
    ours = {row["topic"]: row["value"] for row in irci.score(judged, runs[next(iter(runs))], measures=ir_measures.nDCG @ 10,
                                                             per_topic=True).table("topic").rows}  # fmt: skip
    for metric in values:
        assert ours[metric.query_id] == pytest.approx(metric.value, abs=1e-4)


def test_the_page_runs_and_lists_what_is_public() -> None:
    page = (ROOT / "doc" / "python.md").read_text()
    scope: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(block, scope)
    assert {name for name in irci.__all__ if f"irci.{name}" not in page} == set()
    public = [name for name, value in vars(irci.Report).items() if not name.startswith("_") and callable(value)]
    public += [name for name, value in vars(irci.Report).items() if isinstance(value, property)]
    inner = {"confidence", "pictures", "explain"}
    assert {name for name in public if f"report.{name}" not in page} == inner
    fields = set(irci.Report.__dataclass_fields__) - {"explain", "drawn", "files", "caption"}
    assert {name for name in fields if f"report.{name}" not in page} == set()


@pytest.mark.slow
def test_types_of_users_are_checked_strictly(tmp_path: Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(
        "import irci\n\n\ndef best(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:\n"
        "    report: irci.Report = irci.map_ci(qrels, {'a': run}, measures='map', population='topics')\n"
        "    table: irci.Table = report.table('estimate')\n"
        "    reveal_type(report.warnings)\n    irci.map_ci(qrels, run, population='everything')\n"
        "    irci.map_ci(qrels, run, compares=True)\n    return float(str(table.rows[0]['value']))\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", str(program)],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)},
    )  # fmt: skip
    told = [line.partition("user.py:")[2] for line in result.stdout.splitlines()]
    assert "Sequence[" in told[0], result.stdout
    assert told[1].startswith('8: error: Argument "population" to "map_ci" has incompatible type'), result.stdout
    assert told[2].startswith('9: error: Unexpected keyword argument "compares" for "map_ci"'), result.stdout
    assert "Found 2 errors" in result.stdout
