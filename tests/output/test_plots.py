"""Pictures: every command draws its own, in all three kinds, with few runs and with many, without text over text."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from helpers import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st

from irci.base.choices import Picture
from irci.base.errors import DataError
from irci.base.names import text
from irci.cli.group import main
from irci.output.plots import SETTINGS, draw, panels_of
from irci.output.plots.names import GAP, LONGEST_LABEL
from irci.output.plots.panels import figure_of, page_of
from irci.output.report import Report
from irci.output.tables import SourceInReport, Table, tables

matplotlib = pytest.importorskip("matplotlib")

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
MANY = 129
COMMANDS = {
    "ap-ci": ["ap-ci", QRELS, *RUNS[:3]],
    "ap-ci many": ["ap-ci", "-m", "map", "-m", "P_10", QRELS, *RUNS],
    "map-ci": ["map-ci", "--baseline", "alpha", "--meta", "random", "--ranks", QRELS, *RUNS],
    "map-ci topics": ["compare", "-q", "--population", "documents", QRELS, *RUNS[:2]],
    "map-ci judgments": ["compare", "-q", "--population", "judgments", QRELS, *RUNS[:3]],
    "partition-anova": ["partition-anova", "--policy", "drop", "-B", "500", QRELS, *RUNS],
    "partition-anova splits": ["partition-anova", "--policy", "drop", "-B", "500", "--splits", "3", QRELS, *RUNS],
    "stdap-ci": ["stdap-ci", QRELS, *RUNS],
    "stdap-ci type-one": ["stdap-ci", "--validate", "50", "--sizes", "2,5", QRELS, *RUNS],
    "stdap-ci summary": ["stdap-ci", "--summary", "a=.3,.1,50", "--summary", "b=.4,.1,50"],
    "swap-error": ["swap-error", "--sizes", "3,5,7", "--fuzziness", "1,5", QRELS, *RUNS],
    "swap-error swap": ["swap-error", "--procedure", "swap", QRELS, *RUNS],
    "swap-error power": ["swap-error", "--procedure", "discriminative-power", QRELS, *RUNS],
    "judges": ["judges", "--other-qrels", str(SMALL / "llm.txt"), QRELS, *RUNS],
    "wcw": ["wcw", "--variance", "AP=.05", "--width", ".05,.1"],
    "wcw noncentrality": ["wcw", "--table", "noncentrality"],
}
# What is to be read in each picture, besides the names of runs.
SAID = {
    "ap-ci": ["map of each topic: bravo", "mean map of each run: for other documents, same topics"],
    "ap-ci many": ["mean map of each run: for other documents, same topics", "mean P_10 and 95% limits"],
    "map-ci": [
        "mean map of each run: for other topics", "difference in mean map, for other topics: run − alpha",
        "effect and 95% limits, on the logit scale",
        "ranks by mean map: for other topics", "adjusted p &gt; 0.05",
    ],
    "map-ci topics": [
        "difference in map of each topic: bravo − alpha", "mean map of each run: for other documents, same topics",
        "difference in mean map, for other documents, same topics: run − alpha",
    ],
    "map-ci judgments": [
        "bounds, worst cases", "mean map of each run: for any grades of unjudged documents",
        "difference in mean map, for any grades of unjudged documents: run − alpha",
        "difference in map of each topic: bravo − alpha", "open: some grades might",
    ],
    "partition-anova": ["without interaction", "with interaction", "map: significant differences", "row is better"],
    "partition-anova splits": [
        "map: significant differences (difference, bh, 0.05), of 3", "splits", "row is better in all splits",
    ],
    "stdap-ci": ["mean standardised AP (z) of each run: for other topics", "mean standardised AP (z) and 95% limits"],
    "stdap-ci type-one": ["type I errors", "2 topics, σ known"],
    "stdap-ci summary": ["mean summary of each run", "difference in mean summary: run − a", "p (not adjusted) ≤ 0.05"],
    "swap-error": [
        "error rate of map against topics in a set",
        "error rate of map against fuzziness, percent",
        "1% fuzziness",
    ],
    "swap-error swap": ["map: swap rate by difference", "0.01-0.02"],
    "swap-error power": ["achieved significance levels", "pairs of runs"],
    "judges": [
        "mean map of each run:", "mean map by the other judge and 95% limits", "grade by QRELS",
        "map: pairs of runs significant", "both judges, same direction", "percent of all pairs", "charlie",
    ],
    "wcw": ["worst-case widths", "topics needed"],
    "wcw noncentrality": ["noncentrality λ", "number of runs"],
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", COMMANDS)
def test_every_command_draws(case: str, tmp_path: Path) -> None:
    """The picture says what it shows, by measures as they were asked for."""
    path = tmp_path / "picture.svg"
    drawn = CliRunner().invoke(main, [*COMMANDS[case], "--quiet", "--plot", str(path)])
    assert drawn.exit_code == 0, drawn.output
    picture = path.read_text()
    for said in SAID[case]:
        assert said in picture
    read = re.findall(r">([^<>]*)</text>", picture)
    assert "nan" not in read
    assert not [text for text in read if "system" in text]


def test_text_output_stays_what_it_is(tmp_path: Path) -> None:
    command = [*COMMANDS["wcw"], "--quiet"]
    drawn = CliRunner().invoke(main, [*command, "--plot", str(tmp_path / "picture.svg")])
    assert drawn.stdout == CliRunner().invoke(main, command).stdout


@pytest.mark.sample(1)
@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_kinds_of_pictures(kind: str, magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"picture.{kind.upper()}"
    assert CliRunner().invoke(main, [*COMMANDS["wcw"], "--plot", str(path)]).exit_code == 0
    assert path.read_bytes().startswith(magic)


def tables_of(runs: int) -> list[Table]:
    """Means, ranks and effects of many runs, and all pairs."""
    rng = np.random.default_rng(1)
    long = "x" * 30 if runs == 41 else ""
    means: list[dict[str, Any]] = []
    ranks: list[dict[str, Any]] = []
    effects: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for run in range(runs):
        value = float(rng.random())
        limits = {
            "topic": "all",
            "value": value,
            "lower": value - 0.05,
            "upper": value + 0.1,
            "run": f"system-{run:03}{long}",
        }
        means += [{"measure": "map", **limits, "population": what} for what in ("documents", "topics")]
        rank = {"value": run + 1, "lower": max(1, run - 9), "upper": min(runs, run + 10), "letters": "abcdefghij"}
        ranks.append({"measure": "rank", **limits, **rank, "population": "topics", "ranked_by": "map"})
        effects += [{"measure": "effect_map", **limits, "model": model} for model in ("additive", "interaction")]
        for other in range(run):
            pair = {
                **limits,
                "baseline": f"system-{other:03}{long}",
                "population": "topics",
                "p_adjusted": float(rng.random()),
            }
            pairs.append({"measure": "map_diff", **pair})
    return [
        Table("estimate", "", means),
        Table("rank", "map", ranks),
        Table("effect", "map", effects),
        Table("difference", "map", pairs),
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("runs", [10, 41, pytest.param(MANY, marks=pytest.mark.slow)])
def test_no_text_lies_over_other_text(runs: int) -> None:
    """The boxes of all words of a panel: tick labels, titles, legends, letters."""
    panels = panels_of(report_of(tables_of(runs)))
    assert len(panels) == 4
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with matplotlib.rc_context(SETTINGS):
        figure = figure_of(page_of(panels))
        canvas = FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        renderer = canvas.get_renderer()
        boxes = []
        for axis in figure.axes:
            words = [axis.xaxis.label, axis.yaxis.label, axis._left_title, *axis.texts]
            for line, low, high in ((axis.xaxis, *sorted(axis.get_xlim())), (axis.yaxis, *sorted(axis.get_ylim()))):
                words += [tick.label1 for tick in line.get_major_ticks() if low <= tick.get_loc() <= high]
            words += axis.get_legend().get_texts() if axis.get_legend() else []
            boxes += [word.get_window_extent(renderer) for word in words if word.get_text().strip()]
    low, high = (np.array([getattr(box, corner) for box in boxes]) for corner in ("min", "max"))
    assert (low > -1).all()
    assert (high < np.array(canvas.get_width_height()) + 1).all()
    for place in range(len(boxes)):
        overlap = np.minimum(high[place], high[place + 1 :]) - np.maximum(low[place], low[place + 1 :])
        # Pixels: boxes are a little larger than the letters.
        assert (overlap.min(axis=1) < 1.5).all(), boxes[place]


# Names, and what is drawn of those that cannot be drawn as they are.
NAMES = {
    "a\x1b[31mb": "a\\x1b[31mb", "caf\udce9": "caf\\xe9", "x\ny": "x\\ny", "\ufffe": "\\ufffe", "\u202eabc": "\\u202eabc",
    "\0": "\\x00", "x" * 500: GAP.join(("x" * 16, "x" * (LONGEST_LABEL - 17))),
    **{name: name for name in ("$x^2$", "$\\frac", "a<b>&c", "日本", "\U0001f600", "_a", "café", "]]>", "%", "\\n", "a  b")},
}  # fmt: skip


def named(names: Sequence[str], measure: str = "map") -> list[Table]:
    """Scores of runs and topics of these names, differences and ranks."""
    limits = {"value": 0.5, "lower": 0.25, "upper": 0.75}
    row = {"measure": measure, "topic": "all", **limits}
    pair = {"run": names[0], "baseline": names[-1], "population": "topics", "p_adjusted": 0.5}
    rank = {**row, "population": "topics", "letters": "a", "ranked_by": measure}
    return [
        *tables("estimate", "", [{**row, "run": name} for name in names]),
        *tables("topic", "", [{**row, "topic": name, "run": names[0]} for name in names]),
        *tables("difference", measure, [{**row, **pair}]),
        *tables("rank", measure, [{**rank, "run": name} for name in names]),
    ]


def report_of(shown: Sequence[Table]) -> Report:
    """A report of scores on topics that vary."""
    return Report(shown, {}, sources={"topics": SourceInReport("for other topics")})


def texts(svg: bytes) -> list[str]:
    """All that is to be read in a picture, which is well-formed XML."""
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_any_name_is_drawn(kind: Picture, capfd: pytest.CaptureFixture[str]) -> None:
    """As it is if it can be: no formula, no markup, nothing that XML may not hold, and not a word of matplotlib's."""
    picture = draw(report_of(named(list(NAMES), "odd\x07\udcff")), kind)
    assert capfd.readouterr() == ("", "")
    if kind == "svg":
        drawn = texts(picture)
        times = dict.fromkeys(NAMES.values(), 3)  # runs, topics, ranks
        times[next(iter(times))] += 1  # the difference
        assert {name: drawn.count(name) for name in times} == times
        assert "mean odd\\x07\\xff of each run: for other topics" in drawn


@pytest.mark.check
@settings(max_examples=8)
@given(name=st.binary(min_size=1, max_size=8).map(text))
def test_any_bytes_make_well_formed_pictures(name: str) -> None:
    assert texts(draw(report_of(named([name, "other"], name)[:1]), "svg"))


@pytest.mark.check
def test_a_measure_of_any_length_is_drawn() -> None:
    assert draw(report_of(named(["a", "b"], "m" * 2000)), "svg")


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_pictures_follow_from_the_tables_alone(kind: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is set for matplotlib, whatever time it is, and wherever in memory; settings are left as they were."""
    tables_drawn = named(["a", "b"])[: 4 if kind == "pdf" else 1]  # pdf tells the sign of zeros
    expected = draw(report_of(tables_drawn), kind)
    odd = {"text.usetex": True, "font.size": 30, "savefig.dpi": 20, "savefig.transparent": True, "axes.grid": True,
           "pdf.compression": 0, "svg.fonttype": "path", "lines.linewidth": 9}  # fmt: skip
    with matplotlib.rc_context(odd):
        for time in ("nonsense", "99999999999999999999", "0") if kind == "svg" else ("nonsense",):
            monkeypatch.setenv("SOURCE_DATE_EPOCH", time)
            assert draw(report_of(tables_drawn), kind) == expected
        assert os.environ["SOURCE_DATE_EPOCH"] == time
        assert {name: matplotlib.rcParams[name] for name in odd} == odd


def drawn_elsewhere(folder: Path, **environment: str) -> None:
    """A command run by a process of its own, in another folder and environment: its output and its picture are the same."""
    command = ["map-ci", "--quiet", "--population", "topics", QRELS, *RUNS[:2], "--plot"]
    done = subprocess.run(
        [sys.executable, "-m", "irci", *command, "picture.svg"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    here = CliRunner().invoke(main, [*command, str(folder / "here.svg")])
    assert done.stdout.decode() == here.stdout
    assert (folder / "picture.svg").read_bytes() == (folder / "here.svg").read_bytes()


@pytest.mark.check
def test_a_command_runs_whatever_its_libraries_read_of_files_and_the_environment(tmp_path: Path) -> None:
    """matplotlib on being loaded, from three places; and numpy, which takes a date for a number."""
    for name in ("matplotlibrc", "other"):
        (tmp_path / name).write_bytes(b"text.usetex: True\nfont.size: \xff\n")
    drawn_elsewhere(tmp_path, MPLBACKEND="nonsense", MATPLOTLIBRC=str(tmp_path / "other"), SOURCE_DATE_EPOCH="nonsense")


@pytest.mark.slow
def test_a_picture_is_drawn_where_matplotlib_can_keep_nothing(tmp_path: Path) -> None:
    """It looks for all fonts again, and says nothing of it; there is no window for its backend."""
    (tmp_path / "no-folder").touch()
    drawn_elsewhere(tmp_path, MPLCONFIGDIR=str(tmp_path / "no-folder"), MPLBACKEND="TkAgg", HOME="/nonexistent")


def test_rows_without_a_picture_and_too_many_panels_are_refused() -> None:
    with pytest.raises(DataError, match="there is nothing to draw"):
        draw(report_of(tables("anova", "map", [{"source": "topic"}])), "png")
    rows = [
        {"measure": f"m{i}", "topic": "all", "value": 0.5, "lower": 0.1, "upper": 0.9, "run": "r"} for i in range(30)
    ]
    with pytest.raises(DataError, match="too many"):
        draw(report_of(tables("estimate", "", rows)), "png")


def test_a_picture_higher_than_png_can_be_is_refused() -> None:
    rows = [
        {"measure": "map", "topic": "all", "value": 0.5, "lower": 0.1, "upper": 0.9, "run": f"r{i}"}
        for i in range(6000)
    ]
    with pytest.raises(DataError, match=r"inches are too high for \.png: choose \.svg or \.pdf"):
        draw(report_of(tables("estimate", "", rows)), "png")


def test_a_wrong_ending_is_refused_before_anything_is_read() -> None:
    result = CliRunner().invoke(main, ["ap-ci", "--plot", "x.gif", "no-such-file", "nor-this"])
    assert result.exit_code == 2
    assert "does not end in .png, .svg, .pdf" in result.stderr


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = CliRunner().invoke(main, ["wcw", "--variance", "AP=.05", "--plot", "x.png"])
    assert result.exit_code == 2
    assert "pip install '.[plot]'" in result.stderr
    assert CliRunner().invoke(main, ["wcw", "--variance", "AP=.05"]).exit_code == 0
