"""The functions of irci: the commands' own answers, from whatever holds judgments, runs and scores; what a call gives back;
and what it leaves alone: reports, notebooks, threads, interrupts, types."""

import asyncio
import copy
import inspect
import json
import multiprocessing
import os
import pickle
import re
import runpy
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from command_lines import by_python, printed
from held import (
    FUNCTIONS,
    GOOD,
    GRADES,
    JUDGED,
    LONG,
    QRELS,
    RANKED,
    RUNS,
    SCORED,
    Metric,
    Qrel,
    Ranking,
    ScoredDoc,
    refused,
    said,
    shuffled,
    triples,
)
from helpers import ROOT

import irci
from irci.api.functions import INPUTS, keywords_of
from irci.base import UsageError
from irci.cli.group import main


class OfRanx:
    """As ranx's Qrels and Run hold judgments and runs."""

    def __init__(self, content: Ranking, name: str | None = None) -> None:
        self.content, self.name = content, name

    def to_dict(self) -> Ranking:
        return self.content


# Each way to hold judgments and runs: (qrels, runs).
HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "files": (QRELS, lambda: list(RUNS)),
    "dicts": (JUDGED, lambda: RANKED),
    "pandas": (
        pd.DataFrame(triples(JUDGED), columns=["query_id", "doc_id", "relevance"]),
        lambda: {name: pd.DataFrame(shuffled(run), columns=["qid", "docno", "score"]) for name, run in RANKED.items()},
    ),
}


# A row a document of every run, in no order.
ALL_RUNS = pd.DataFrame(
    [(name, *row) for name, run in RANKED.items() for row in shuffled(run)], columns=["run", "qid", "docno", "score"]
).sample(frac=1, random_state=1)
ALL_RUNS = ALL_RUNS.sort_values("run", key=lambda names: names.map(list(RANKED).index), kind="stable")


MORE_HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "paths by name": (str(QRELS), lambda: dict(zip(RANKED, map(str, RUNS), strict=True))),
    "bytes": (QRELS.read_bytes(), lambda: [path.read_bytes() for path in RUNS]),
    "tuples": (
        [Qrel(*row) for row in triples(JUDGED)],
        lambda: {name: (ScoredDoc(*row) for row in triples(run)) for name, run in RANKED.items()},
    ),
    "ranx": (OfRanx(JUDGED), lambda: [OfRanx(run, name) for name, run in RANKED.items()]),
    "a frame of all runs": (pd.DataFrame(triples(JUDGED), columns=["qid", "docno", "label"]), lambda: ALL_RUNS),
    "frames of some runs": (
        JUDGED,
        lambda: [
            pl.DataFrame(ALL_RUNS[ALL_RUNS["run"] == name].rename(columns={"run": "tag"}).to_dict("list"))
            for name in RANKED
        ],
    ),
}


# Command lines, and the same as options of a function.
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("ap-ci", "-B 50", {"resamples": 50}),
    ("ap-ci", "-q -B 100 -m map -m P.5,10 --interval percentile --seed 7 -l 2 -M 50",
     {"resamples": 100, "measures": ["map", "P.5,10"], "interval": "percentile", "seed": 7,
      "relevance_level": 2, "depth": 50}),
    ("ap-ci", "--validate 2 -B 50 -J", {"validate": 2, "resamples": 50, "judged_only": True}),
    ("compare", "-B 100 --population topics,documents -m nDCG@10 -m RR@10",
     {"resamples": 100, "population": "topics,documents", "measures": ["nDCG@10", "RR@10"]}),
    ("map-ci", "--all-pairs --ranks --population topics --sort value",
     {"all_pairs": True, "ranks": True, "population": "topics", "sort": "value"}),
    ("map-ci", "--baseline alpha --population topics --margin 2% --test randomization -B 200 --missing drop",
     {"baseline": "alpha", "population": "topics", "margin": "2%", "test": "randomization", "resamples": 200,
      "missing": "drop"}),
    ("partition-anova", "-B 50 --policy drop", {"resamples": 50, "policy": "drop"}),
    ("partition-anova", "-x 2,3 --policy mean -B 50 --test none --confidence .9",
     {"x": [2, 3], "policy": "mean", "resamples": 50, "test": "none", "confidence": 0.9}),
    ("partition-anova", "--splits 3 --policy zero -B 50 --published", {"splits": 3, "policy": "zero", "resamples": 50,
     "published": True}),
    ("stdap-ci", "", {}),
    ("stdap-ci", "--reference alpha,bravo,delta --standardise cdf -q",
     {"reference": ["alpha", "bravo", "delta"], "standardise": "cdf", "per_topic": True}),
    ("stdap-ci", "--validate 20 --sizes 3,5", {"validate": 20, "sizes": [3, 5]}),
    ("swap-error", "--sizes 3,5 --trials 5", {"sizes": (3, 5), "trials": 5}),
    ("swap-error", "--procedure swap --trials 10", {"procedure": "swap", "trials": 10}),
    ("swap-error", "--procedure discriminative-power -B 50 --alpha .05",
     {"procedure": "discriminative-power", "resamples": 50, "alpha": [0.05]}),
    ("judges", f"--other-qrels {QRELS.parent / 'llm.txt'}:2 -B 50 --alpha .1 --groups ^a",
     {"other_qrels": f"{QRELS.parent / 'llm.txt'}:2", "resamples": 50, "alpha": 0.1, "groups": "^a"}),
    ("wcw", "--sizes 20,50", {"sizes": [20, 50]}),
    ("wcw", "--difference .1 --tool anova --power .9", {"difference": 0.1, "tools": "anova", "power": 0.9}),
    ("wcw", "--sizes 5-9 --standardise z -m map -m P_10", {"sizes": "5-9", "standardise": "z", "measures": ["map", "P_10"]}),
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("command", "line", "options"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_files_dicts_and_frames_give_the_json_of_the_command(command: str, line: str, options: dict[str, Any]) -> None:
    expected = said([command, *line.split(), str(QRELS), *map(str, RUNS)])
    for held, (qrels, runs) in HELD.items():
        assert FUNCTIONS[command](qrels, runs(), **options).to_json() == expected, held


@pytest.mark.check
def test_whatever_else_holds_them_gives_the_same() -> None:
    expected = irci.ap_ci(QRELS, RUNS, resamples=50).to_json()
    for held, (qrels, runs) in MORE_HELD.items():
        assert irci.ap_ci(qrels, runs(), resamples=50).to_json() == expected, held


SEEDS_OF = {f"{name}.{seed}": (name, seed) for name in ("alpha", "bravo") for seed in range(2)}
VERSIONS_OF = {f"{name}.{version}": (name, f"v{version}") for name in ("alpha", "bravo") for version in range(2)}
OF_TOPICS = {topic: f"cluster {place % 4}".replace(" ", "-") for place, topic in enumerate(JUDGED)}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("option", "table", "columns"),
    [
        ("clusters", OF_TOPICS, ("topic", "cluster")),
        ("slices", OF_TOPICS, ("topic", "slice")),
        ("seeds", SEEDS_OF, ("run", "system", "seed")),
        ("passes", {"people": ("1", "a"), "model": ("2", "a")}, ("file", "pass", "judge")),
        ("versions", VERSIONS_OF, ("run", "system", "version")),
    ],
)
def test_what_belongs_together_is_told_by_files_dicts_and_frames(
    option: str, table: dict[str, Any], columns: tuple[str, ...], tmp_path: Path
) -> None:
    runs = {
        name: RANKED[name.partition(".")[0]]
        for name in (SEEDS_OF if option in ("seeds", "versions") else ("alpha", "bravo"))
    }
    rows = [(key, *([of] if isinstance(of, str) else of)) for key, of in table.items()]
    (tmp_path / "file").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    frames = pd.DataFrame(rows, columns=list(columns)), pl.DataFrame(rows, list(columns), orient="row")
    more = {"other_qrels": {"people": JUDGED, "model": JUDGED}} if option == "passes" else {}
    said = {
        irci.compare(JUDGED, runs, **more, **{option: each}).to_text("csv")
        for each in (tmp_path / "file", table, *frames)
    }
    assert len(said) == 1


def test_collections_are_files_or_what_is_in_memory(tmp_path: Path) -> None:
    """The same collection thrice, each held in another way, is what a list of files gives."""
    (tmp_path / "list").write_text(
        "".join(f"{name}\t{QRELS.absolute()}\t{RUNS[0].absolute()}\t{RUNS[1].absolute()}\n" for name in "abc")
    )
    some = dict([*RANKED.items()][:2])
    held = {"a": (QRELS, RUNS[:2]), "b": (JUDGED, some), "c": [QRELS, some]}
    from_list, from_memory = (irci.map_ci(collections=each, baseline="alpha") for each in (tmp_path / "list", held))
    assert from_list.to_text("csv") == from_memory.to_text("csv")
    assert from_list.signature == from_memory.signature


def test_one_run_needs_no_name_and_may_have_two() -> None:
    (name, run), *_ = RANKED.items()
    alone = irci.score(JUDGED, run).to_pandas("estimate")
    assert list(alone["run"]) == ["run"]
    assert list(alone["value"]) == list(irci.score(JUDGED, {name: run}).to_pandas("estimate")["value"])
    with RUNS[0].open("rb") as file:
        assert irci.score(JUDGED, file).to_json() == irci.score(JUDGED, RUNS[0]).to_json()
    twice = irci.score(QRELS, {"a": RUNS[0], "b": RUNS[0]}).to_pandas("estimate")
    assert list(twice["run"]) == ["a", "b"]


def test_score_is_what_ap_ci_prints_without_resamples() -> None:
    line = ["ap-ci", "-B", "0", "-q", "-m", "P@10", str(QRELS), *map(str, RUNS)]
    assert irci.score(QRELS, RUNS, measures="P@10").to_json() == said(line)


def test_ties_go_by_the_order_given_or_by_a_column_of_ranks() -> None:
    grades, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    ranked = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": 1.0, "rank": [3, 2, 1]})

    def rr(run: Any, ties: Any) -> float:
        return float(irci.score(grades, {"x": run}, measures="RR", ties=ties).to_pandas("estimate")["value"][0])

    assert [rr(run, ties) for ties in ("docno", "file")] == [1 / 2, 1.0]
    assert [rr(ranked, ties) for ties in ("docno", "file", "rank")] == [1 / 2, 1 / 2, 1 / 2]
    assert rr(ranked.assign(rank=[2, 1, 3]), "rank") == 1.0
    refused(UsageError, r"run 'x' has no ranks for --ties rank, as .*", rr, run, "rank")


def test_files_and_judges_may_be_called_as_what_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "qrels"
    run.write_bytes(RUNS[0].read_bytes())
    assert irci.score(JUDGED, ["qrels"]).to_json() == irci.score(QRELS, [RUNS[0]]).to_json()
    assert irci.score(JUDGED, {"alpha": "qrels"}).to_json() == irci.score(QRELS, [RUNS[0]]).to_json()
    none = {topic: dict.fromkeys(of, 0) for topic, of in JUDGED.items()}
    kappas = [irci.judges(JUDGED, other_qrels={name: none}).to_pandas()["value"] for name in ("qrels", "other")]
    assert kappas[0].equals(kappas[1])


def test_a_judge_s_scores_are_held_as_people_s_are(tmp_path: Path) -> None:
    people, judge = (
        {
            run: {"map": {str(topic): topic * step % 1 for topic in range(number)}}
            for run, step in (("a", 0.13), ("b", 0.29))
        }
        for number in (8, 20)
    )
    rows = [(run, topic, "map", value) for run, of in judge.items() for topic, value in of["map"].items()]
    frame, path = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"]), tmp_path / "judge.csv"
    frame.to_csv(path, index=False)
    expected = irci.map_ci(scores=people, judge=path).to_pandas("estimate")
    for held in (judge, frame, path.read_bytes(), [path]):
        assert irci.map_ci(scores=people, judge=held).to_pandas("estimate").equals(expected)
    judge["a"]["map"]["3"] = float("nan")
    wrong = "judge: scores, row 4 .'a', '3', .* not a finite number"
    refused(irci.FormatError, wrong, irci.map_ci, scores=people, judge=judge)
    refused(UsageError, "judge: one table of scores, not 2 files.", irci.map_ci, scores=people, judge=[path, path])
    refused(UsageError, "judge: scores: a int is neither .*", irci.map_ci, scores=people, judge=7)


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\n" + "".join(f"{r},{t},{m},{v}\n" for r, t, m, v in LONG))
    return path


def test_scores_from_whatever_holds_them(long_file: Path) -> None:
    expected = said(["map-ci", "--scores", "--baseline", "bm25", str(long_file)])
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
        assert irci.map_ci(scores=scores, baseline="bm25").to_json() == expected, what


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


def test_without_data() -> None:
    assert irci.wcw(variances={"AP": 0.0471}, width=0.1).to_json() == said(
        ["wcw", "--variance", "AP=.0471", "--width", ".1"]
    )
    line = ["stdap-ci", "--summary", "a=.1,.9,50", "--summary", "b=.3,1,40,base"]
    summaries = {"a": (0.1, np.float64(0.9), 50), "b": (0.3, 1, 40, "base")}
    assert irci.stdap_ci(summaries=summaries).to_json() == said(line)
    refused(UsageError, r"Missing argument .*", irci.stdap_ci)
    refused(UsageError, r"fewer files given than QRELS BASELINE RUN\.\.\.: .*", irci.compare, QRELS, RUNS[:1])


def test_another_judge_in_memory_is_the_commands(tmp_path: Path) -> None:
    other = tmp_path / "other"
    lenient = {topic: {docno: max(1, grade) for docno, grade in of.items()} for topic, of in JUDGED.items()}
    other.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in triples(lenient)))
    line = ["judges", "-B", "50", "--other-qrels", str(other), str(QRELS), *map(str, RUNS)]
    expected = json.loads(said(line))["rows"]
    for each in (other, lenient, pd.DataFrame(triples(lenient), columns=["qid", "docno", "label"])):
        report = irci.judges(JUDGED, RANKED, resamples=50, other_qrels=each)
        rows = json.loads(report.to_json())["rows"]
        assert [without_names(row) for row in rows] == [without_names(row) for row in expected]
    line[4] = f"{other}:2"
    expected = json.loads(said(line))["rows"]
    for each in (f"{other}:2", (lenient, 2), [(other, 2)], {"other": (lenient, 2)}, {"other": f"{other}:2"}):
        rows = json.loads(irci.judges(JUDGED, RANKED, resamples=50, other_qrels=each).to_json())["rows"]
        assert [without_names(row) for row in rows] == [without_names(row) for row in expected]
    other.rename(tmp_path / "other:2")  # which is then the name of a file
    report = irci.judges(JUDGED, RANKED, resamples=50, other_qrels=f"{other}:2")
    assert (report.signature["levels"], set(report.to_pandas()["judge"].dropna())) == ("1", {"other:2"})
    other = tmp_path / "other:2"
    for each in ({"gpt": lenient, "human": JUDGED}, {"gpt": other, "human": QRELS.read_bytes()}):
        report = irci.judges(JUDGED, other_qrels=each)
        assert set(report.to_pandas()["judge"]) == {"gpt", "human"}
    refused(UsageError, ".*two files of one name.*", irci.judges, JUDGED, other_qrels={1: lenient, "1": JUDGED})


def without_names(row: dict[str, Any]) -> dict[str, Any]:
    """A row but for what names judges by their files."""
    return {name: cell for name, cell in row.items() if not isinstance(cell, str)}


def test_signatures_are_the_options_of_the_commands() -> None:
    """Of both doors the same: keywords are the long options, of the same defaults."""
    for name, function in FUNCTIONS.items():
        command, declared = main.commands[name], inspect.signature(function).parameters
        assert list(declared) == [*INPUTS[: 3 if "scores" in declared else 2], *keywords_of(name)], name
        context = click.Context(command)
        options = {str(each.name): each for each in command.params}
        for keyword, row in keywords_of(name).items():
            option, default = options[row.name], declared[keyword].default
            assert f"--{keyword.replace('_', '-')}" in option.opts or row.many or keyword in ("x", "lam"), keyword
            if keyword == "threads":  # of the machine
                assert default is None
            elif row.many:
                assert default == ()
            elif default is None:
                assert option.value_is_missing(option.get_default(context)), (name, keyword)
            else:
                expected = option.type_cast_value(context, option.get_default(context))
                assert expected in (default, (default,)), (name, keyword)
    declared = inspect.signature(irci.score).parameters
    assert set(declared) < set(inspect.signature(irci.ap_ci).parameters)
    assert all(declared[each].default == inspect.signature(irci.ap_ci).parameters[each].default for each in declared)


def test_the_stub_for_type_checkers_is_current() -> None:
    stub = runpy.run_path(str(ROOT / "doc" / "make.py"))["stub"]
    assert (ROOT / "irci" / "__init__.pyi").read_text() == stub()


def test_help_tells_of_every_option() -> None:
    for name, function in FUNCTIONS.items():
        assert function.__doc__ is not None
        for each in keywords_of(name):
            assert f"\n    {each}: " in function.__doc__


@pytest.mark.check
def test_nothing_but_the_standard_library_is_loaded_and_nothing_printed() -> None:
    """By the import; and nothing of the command line, nor anything that holds inputs, by calls."""
    program = (
        "import sys; before = set(sys.modules); import irci; assert 'map_ci' in dir(irci)\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "assert new - {'irci'} <= sys.stdlib_module_names, new\n"
        "qrels = {'1': {'a': 1, 'b': 0}, '2': {'a': 1}}\n"
        "report = irci.ap_ci(qrels, {'x': {'1': {'b': 2, 'a': 1}}})\n"
        "missing, wide = report.warnings\n"
        "assert 'missing' in missing and 'wider than' in wide, report.warnings\n"
        "try:\n    irci.ap_ci(qrels, {'x': {'1': {'b': 2}}}, confidence=95)\n"
        "except irci.IrciError: pass\n"
        "irci.wcw(variances={'AP': .05})\n"
        "irci.score(qrels, {'x': {'1': {'a': 1}, '2': {'a': 1}}})\n"
        "others = ('pandas', 'polars', 'ir_measures', 'matplotlib', 'click', 'irci.cli')\n"
        "assert not {name for name in sys.modules if name.startswith(others)}"
    )
    result = by_python("-c", program)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_report_is_what_the_command_says() -> None:
    line = ["compare", "-m", "map", "-m", "P_10", str(QRELS), *map(str, RUNS)]
    report = irci.compare(QRELS, RUNS, measures=["map", "P_10"])
    result = CliRunner().invoke(main, line, prog_name="irci")
    assert report.to_text() == result.stdout
    warned = [line for line in result.stderr.splitlines() if "irci: warning" in line]
    assert [f"irci: warning: {warning}" for warning in report.warnings] == warned
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
    refused(UsageError, r"no table rank; there are estimate; difference \(of map, P_10\)", report.table, "rank")
    refused(UsageError, r"no table rank; there are estimate; difference \(of map, P_10\)", report.to_pandas, "rank")


def test_a_papers_table_is_that_of_the_command() -> None:
    line = ["compare", "--population", "topics", str(QRELS), *map(str, RUNS), "--layout", "wide"]
    report = irci.compare(QRELS, RUNS, population="topics")
    for form in ("latex", "markdown"):
        assert report.to_text(form, layout="wide") == CliRunner().invoke(main, [*line, "--format", form]).stdout
    assert irci.score(QRELS, RUNS).to_text("table", digits=2, layout="wide", limits="none")
    refused(UsageError, r"no format 'json' in the layout 'wide'; .*", report.to_text, "json", layout="wide")
    planned = irci.wcw(variances={"AP": 0.05})
    refused(UsageError, r"--layout wide is for means of runs .*", planned.to_text, "latex", layout="wide")
    refused(UsageError, r"no format 'html' in the layout 'long'; .*", report.to_text, "html")


def test_tables_of_several_measures_are_named() -> None:
    report = irci.swap_error(QRELS, RUNS, measures=["map", "P_10"], sizes=[5], trials=2)
    of_one = report.table("error_rate", "map")
    assert (of_one.measure, {row["size"] for row in of_one.rows}) == ("map", {5})
    assert irci.map_ci(QRELS, RUNS, measures=["map", "P_10"]).table("estimate").measure == ""
    refused(UsageError, r"tables 'error_rate' of several measures: name one of P_10, map", report.table, "error_rate")
    assert set(report.to_pandas("error_rate")["table"]) == {"error_rate_map", "error_rate_P_10"}


def test_pandas_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    report = irci.score(GRADES, GOOD)
    monkeypatch.setitem(sys.modules, "pandas", None)
    refused(UsageError, "to_pandas needs pandas: pip install pandas", report.to_pandas)


@pytest.mark.check
def test_a_notebook_shows_sentences_picture_tables_and_warnings(tmp_path: Path) -> None:
    hostile = {"<b>&": GOOD, "x": {"301": {"FT-3": 1.0}}}
    report = irci.compare(GRADES, hostile)
    html = report._repr_html_()
    assert "<b>&" not in html
    assert html.index("&lt;b&gt;&amp;") < html.index("data:image/svg") < html.index("<table") < html.index("Warnings:")
    folded = [f'<summary><h3 id="table{number}-heading"' in html for number in (1, 2)]
    assert folded == [False, True]
    picture = report.plot()
    assert picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    refused(UsageError, r".*figure.doc' does not end in \.png, \.svg, \.pdf", picture.save, tmp_path / "figure.doc")
    nothing = irci.ap_ci(QRELS, RUNS, validate=2, resamples=20)
    with pytest.raises(irci.DataError, match="nothing to draw"):
        nothing.plot()
    assert "<table" in nothing._repr_html_()


@pytest.mark.check
def test_a_report_is_pickled_with_all_that_it_can_be_asked_for() -> None:
    report = irci.compare(JUDGED, RANKED, population="topics,documents", ranks=True, resamples=50)
    for other in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        again = pickle.loads(pickle.dumps(other))
        assert again.to_json(explain=True) == report.to_json(explain=True)
        assert list(again.caption()) == list(report.caption())
        assert (again.plot().svg, again.warnings) == (report.plot().svg, report.warnings)
        assert str(again.table("difference").rows[-1]["p"]) == str(report.table("difference").rows[-1]["p"])
    claims = irci.compare(JUDGED, RANKED, survives=True, resamples=50)  # which are of no population
    for one in (irci.map_ci(JUDGED, RANKED, population="topics"), claims):
        assert pickle.loads(pickle.dumps(one)).to_text("latex", layout="wide") == one.to_text("latex", layout="wide")


@pytest.mark.parametrize("given", [b"301 0 d x\n301 0 d 1\n301 0 d 1\n", b"", {"301": {"d\n": 1}}])
def test_an_error_comes_back_from_another_process(given: Any) -> None:
    with pytest.raises(irci.IrciError) as raised:
        irci.score(given, RANKED)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), again.args, str(again)) == (type(raised.value), raised.value.args, str(raised.value))


@pytest.mark.check
def test_a_panel_is_drawn_into_axes_of_ones_own() -> None:
    from matplotlib.figure import Figure

    report = irci.compare(JUDGED, RANKED, population="topics")
    figure = report.figure()
    titles = [axis.get_title(loc="left") for axis in figure.axes]
    assert len(titles) == 2
    for place, title in enumerate(titles):
        axis = Figure(figsize=(7, 3)).subplots()
        assert report.plot(ax=axis, panel=place) is axis
        assert (axis.get_title(), axis.get_title(loc="left")) == (title, "")  # where set_title puts one of the user's
        names = [label.get_text() for label in axis.get_yticklabels()]
        assert names == [label.get_text() for label in figure.axes[place].get_yticklabels()]
        assert axis.get_xlabel().endswith("95% limits")
    refused(UsageError, r"panel= is one to be drawn into ax=\.", report.plot, panel=1)
    refused(
        UsageError, r"ax='x\.png' are no axes; a picture is saved by \.plot\(\)\.save\(path\)\.", report.plot, "x.png"
    )
    there_are = r"there are 0 or 'estimate': mean .*; 1 or 'difference': difference .*"
    for wrong in (2, "rank", "difference P_10", "mean"):
        refused(UsageError, rf"no panel {wrong!r}; {there_are}", report.plot, ax=axis, panel=wrong)
    refused(UsageError, r"width= is that of the whole picture; .*", report.plot, ax=axis, width=7)
    assert report.figure(width="column").get_figwidth() == pytest.approx(3.3)
    assert report.plot(width=5).svg.startswith("<?xml")
    assert 'width="360pt"' in report.plot(width=5).svg
    for wrong in ("wide", 2.9, True, 41):
        refused(
            UsageError,
            rf"width={wrong!r} is no width: 'column' or 'page', or from 3 to 40 inches\.",
            report.figure,
            wrong,
        )
    nothing = irci.ap_ci(QRELS, RUNS, validate=2, resamples=20)
    for ask in (nothing.figure, lambda: nothing.plot(ax=axis)):
        with pytest.raises(irci.DataError, match="nothing to draw"):
            ask()


def test_files_that_are_asked_for_are_written(tmp_path: Path) -> None:
    irci.score(QRELS, RUNS, save_scores=tmp_path / "python.tsv")
    printed("ap-ci", "-B", "0", "--save-scores", tmp_path / "shell.tsv", QRELS, *RUNS)
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
    report = irci.compare(QRELS, RUNS, population="topics", fail_if="inconclusive")
    assert report.untold
    assert not report.failures


def test_calls_in_threads_in_an_event_loop_and_after_a_fork() -> None:
    quiet, loud = irci.score(GRADES, GOOD), irci.map_ci(JUDGED, RANKED, population="documents", resamples=200)
    assert not quiet.warnings
    assert loud.warnings

    def calls() -> list[irci.Report]:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(irci.map_ci, JUDGED, RANKED, population="documents", resamples=200)
            second = pool.submit(irci.score, GRADES, GOOD)
            return [first.result(), second.result()]

    async def within_a_loop() -> irci.Report:
        return irci.map_ci(JUDGED, RANKED, population="documents", resamples=200)

    again = calls()
    assert [report.to_json() for report in again] == [loud.to_json(), quiet.to_json()]
    assert [report.warnings for report in again] == [loud.warnings, quiet.warnings]
    assert asyncio.run(within_a_loop()).to_json() == loud.to_json()
    ours, theirs = multiprocessing.Pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks of processes with threads
        child = multiprocessing.get_context("fork").Process(
            target=lambda: theirs.send(irci.map_ci(JUDGED, RANKED, population="documents", resamples=200).to_json())
        )
        child.start()
    assert ours.poll(60)
    assert ours.recv() == loud.to_json()
    child.join()


@pytest.fixture
def handler() -> Iterator[Any]:
    """Python's own handler of interrupts, which processes in the background of a shell begin without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.check
def test_an_interrupt_stops_a_call_and_leaves_the_next_one_working(handler: Any) -> None:
    """As in a notebook's cell: Python's own handler is in force, before and after."""
    expected = irci.map_ci(JUDGED, RANKED, all_pairs=True, population="documents", resamples=20).to_json()
    began, timer = time.monotonic(), threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        irci.map_ci(JUDGED, RANKED, all_pairs=True, population="documents", resamples=10_000_000)
    assert time.monotonic() - began < 60
    assert signal.getsignal(signal.SIGINT) is handler
    assert irci.map_ci(JUDGED, RANKED, all_pairs=True, population="documents", resamples=20).to_json() == expected


@pytest.mark.check
def test_the_page_runs_and_lists_what_is_public() -> None:
    page = (ROOT / "doc" / "python.md").read_text()
    scope: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(block, scope)
    assert {name for name in irci.__all__ if f"irci.{name}" not in page} == set()
    found = vars(irci.Report).items()
    public = [name for name, value in found if not name.startswith("_") and callable(value)]
    public += [name for name, value in found if isinstance(value, property)]
    inner = {"confidence", "pictures", "measures", "runs", "layout_in"}
    assert {name for name in public if f"report.{name}" not in page} == inner
    inner |= {"explain", "conclude", "drawn", "files", "caption", "sources"}
    fields = set(irci.Report._fields) - inner
    assert {name for name in fields if f"report.{name}" not in page} == set()


@pytest.mark.slow
def test_types_of_users_are_checked_strictly(tmp_path: Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(
        "import irci\n\n\ndef best(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:\n"
        "    report: irci.Report = irci.map_ci(qrels, {'a': run}, measures='map', population='topics')\n"
        "    table: irci.Table = report.table('estimate')\n"
        "    reveal_type(report.warnings)\n    irci.map_ci(qrels, run, correction='everything')\n"
        "    irci.map_ci(qrels, run, compares=True)\n    return float(str(table.rows[0]['value']))\n"
    )
    flags = ("--strict", "--follow-imports=silent", "--config-file=")
    result = by_python("-m", "mypy", *flags, program, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT)})
    told = [line.partition("user.py:")[2] for line in result.stdout.splitlines()]
    assert "Sequence[" in told[0], result.stdout
    assert told[1].startswith('8: error: Argument "correction" to "map_ci" has incompatible type'), result.stdout
    assert told[2].startswith('9: error: Unexpected keyword argument "compares" for "map_ci"'), result.stdout
    assert "Found 2 errors" in result.stdout
