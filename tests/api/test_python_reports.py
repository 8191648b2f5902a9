"""What a call from Python gives back, and what it leaves alone: reports, notebooks, threads, interrupts, types."""

import asyncio
import copy
import inspect
import json
import multiprocessing
import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from command_lines import by_python, printed
from held import FUNCTIONS, GOOD, GRADES, JUDGED, QRELS, RANKED, RUNS, refused
from helpers import ROOT

import irci
from irci.api.functions import stub
from irci.api.signatures import inputs_of, keywords_of
from irci.base.errors import UsageError
from irci.cli.group import main


def test_signatures_are_the_options_of_the_commands() -> None:
    """Of both doors the same: keywords are the long options, of the same defaults."""
    for name, function in FUNCTIONS.items():
        command, declared = main.commands[name], inspect.signature(function).parameters
        assert list(declared) == [*inputs_of(name), *keywords_of(name)], name
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
    for form in ("latex", "csv"):
        assert report.to_text(form, layout="wide") == CliRunner().invoke(main, [*line, "--format", form]).stdout
    assert irci.score(QRELS, RUNS).to_text("table", digits=2, layout="wide", limits="none")
    refused(UsageError, r"the layout wide is for means of runs, .*", report.to_text, "json", layout="wide")
    refused(UsageError, r"the layout wide .*", irci.wcw(variances={"AP": 0.05}).to_text, "latex", layout="wide")
    refused(UsageError, r"no format 'html' in the layout 'long'; .*", report.to_text, "html")


def test_tables_of_several_measures_are_named() -> None:
    report = irci.swap_error(QRELS, RUNS, measures=["map", "P_10"], sizes=[5], trials=2)
    assert {row["size"] for row in report.table("error_rate", "map").rows} == {5}
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
        for population in ("topics", "documents"):
            assert again.caption(population) == report.caption(population)
        assert (again.plot().svg, again.warnings) == (report.plot().svg, report.warnings)
        assert str(again.table("difference").rows[-1]["p"]) == str(report.table("difference").rows[-1]["p"])
    one = irci.map_ci(JUDGED, RANKED, population="topics")
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
    there_are = r"there are 0 or 'estimate map': mean .*; 1 or 'difference map': difference .*"
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
    found = [each for of in irci.Report.__mro__[:-1] for each in vars(of).items()]
    public = [name for name, value in found if not name.startswith("_") and callable(value)]
    public += [name for name, value in found if isinstance(value, property)]
    inner = {"confidence", "pictures", "explain", "canonical", "measures", "runs", "layout_in"}
    assert {name for name in public if f"report.{name}" not in page} == inner
    inner |= {"conclude", "drawn", "files", "caption", "sources"}
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
