"""Pictures: every command draws its own, in all three kinds, with few runs and with many, without text over text."""

import math
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from command_lines import irci
from helpers import QRELS, RUNS, SMALL, interval
from hypothesis import given
from hypothesis import strategies as st

from irci.base import DataError
from irci.base.choices import Picture
from irci.output.plots import draw, drawing, figure_of, panels_of, wrapped
from irci.output.plots.panels import ALPHA, GAP, LONGEST_LABEL, PAGE, short_names
from irci.output.report import Report
from irci.output.tables import Table, tables

matplotlib = pytest.importorskip("matplotlib")

ANOVA = ["partition-anova", "--policy", "drop", "-B", "500", QRELS, *RUNS]
# Each with what is to be read in its picture, besides the names of runs.
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "ap-ci": (["ap-ci", QRELS, *RUNS[:3]], [
        "map of each topic: bravo", "mean map of each run: for other documents, same topics",
    ]),
    "ap-ci many": (["ap-ci", "-m", "map", "-m", "P_10", QRELS, *RUNS], [
        "mean map of each run: for other documents, same topics", "mean P_10 and 95% limits",
    ]),
    "map-ci": (["map-ci", "--baseline", "alpha", "--meta", "random", "--ranks", QRELS, *RUNS], [
        "mean map of each run: for other topics", "difference in mean map, for other topics: run − alpha",
        "effect and 95% limits, on the logit scale", "ranks by mean map: for other topics", "adjusted p &gt; 0.05",
    ]),
    "map-ci topics": (["compare", "-q", "--population", "documents", QRELS, *RUNS[:2]], [
        "difference in map of each topic: bravo − alpha", "mean map of each run: for other documents, same topics",
        "difference in mean map, for other documents, same topics: run − alpha",
    ]),
    "map-ci judgments": (["compare", "-q", "--population", "judgments", QRELS, *RUNS[:3]], [
        "bounds, worst cases", "mean map of each run: for any grades of unjudged documents",
        "difference in mean map, for any grades of unjudged documents: run − alpha",
        "difference in map of each topic: bravo − alpha", "sign undetermined: some grades might change it",
    ]),
    "partition-anova": (ANOVA, [
        "without interaction", "with interaction", "map: significant differences", "row is better",
    ]),
    "partition-anova splits": ([*ANOVA, "--splits", "3"], [
        "map: significant differences (difference, bh, 0.05), of 3", "splits", "row is better in all splits",
    ]),
    "stdap-ci": (["stdap-ci", QRELS, *RUNS], [
        "mean smap of each run: for other topics", "mean smap and 95% limits",
    ]),
    "stdap-ci summary": (["stdap-ci", "--summary", "a=.3,.1,50", "--summary", "b=.4,.1,50"], [
        "mean summary of each run", "difference in mean summary: run − a", "p (not adjusted) ≤ 0.05",
    ]),
    "swap-error": (["swap-error", "--sizes", "3,5,7", "--fuzziness", "1,5", QRELS, *RUNS], [
        "error rate of map against topics in a set", "error rate of map against fuzziness, percent", "1% fuzziness",
    ]),
    "swap-error swap": (["swap-error", "--procedure", "swap", QRELS, *RUNS], [
        "map: swap rate by difference", "from 0.01",
    ]),
    "swap-error power": (["swap-error", "--procedure", "discriminative-power", QRELS, *RUNS], [
        "achieved significance levels", "pairs of runs",
    ]),
    "judges": (["judges", "--other-qrels", str(SMALL / "llm.txt"), QRELS, *RUNS], [
        "mean map of each run by QRELS and llm", "mean map and 95% limits", "grade by QRELS",
        "grade by the other judge", "charlie",
    ]),
    "wcw": (["wcw", "--variance", "AP=.05", "--width", ".05,.1"], ["worst-case widths", "topics needed"]),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", COMMANDS)
def test_every_command_draws(case: str, tmp_path: Path) -> None:
    """The picture says what it shows, by measures as they were asked for."""
    path = tmp_path / "picture.svg"
    line, said = COMMANDS[case]
    drawn = irci(*line, "--quiet", "--plot", path)
    assert drawn.exit_code == 0, drawn.output
    picture = path.read_text()
    assert [words for words in said if words not in picture] == []
    read = re.findall(r">([^<>]*)</text>", picture)
    assert "nan" not in read
    assert not [text for text in read if "system" in text]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("kind", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_kinds_of_pictures(kind: str, magic: bytes, tmp_path: Path) -> None:
    """By the ending; the text output stays what it is."""
    line, path = COMMANDS["wcw"][0], tmp_path / f"picture.{kind.upper()}"
    drawn = irci(*line, "--plot", path)
    assert (drawn.exit_code, drawn.stdout) == (0, irci(*line).stdout)
    assert path.read_bytes().startswith(magic)


LABELS = {"topics": "for other topics", "documents": "for other documents, same topics"}


def report_of(shown: Sequence[Table], *sources: str) -> Report:
    """A report of scores on topics, or what the first of the sources is, that vary."""
    return Report(shown, {"confidence": 0.95}, sources={name: {"label": LABELS[name]} for name in sources or LABELS})


PREFIX = "a-laboratory-with-a-long-name-2026."


def of_many(runs: int, letters: str = "abcdefghij", *, short: bool = False) -> Report:
    """Means and ranks over topics and documents, effects, and all pairs of so many runs."""
    names = [f"system-{run:03}" if short else f"{PREFIX}{run}-{'model' * 8}" for run in range(runs)]
    rows = [interval(run / runs, 0.1, run=name) for run, name in enumerate(names)]
    rank = {"population": "documents", "letters": letters, "ranked_by": "map"}
    return report_of([
        Table("estimate", "", [{**row, "population": source} for row in rows for source in LABELS]),
        Table("effect", "map", [{**row, "model": model} for row in rows for model in ("additive", "interaction")]),
        Table("difference", "map", [
            {**row, "baseline": other, "population": "topics", "p_adjusted": place / runs}
            for place, row in enumerate(rows) for other in names[:place]
        ]),
        Table("rank", "map", [
            {**row, **rank, "value": place, "lower": max(1, place - 9), "upper": min(runs, place + 9)}
            for place, row in enumerate(rows, 1)
        ]),
    ])  # fmt: skip


def words_of(drawn: Any) -> list[Any]:
    """All texts of a figure that are seen: tick labels, titles, legends, letters."""
    words = []
    for axis in drawn.axes:
        words += [axis.xaxis.label, axis.yaxis.label, axis._left_title, *axis.texts]
        for line, low, high in ((axis.xaxis, *sorted(axis.get_xlim())), (axis.yaxis, *sorted(axis.get_ylim()))):
            words += [tick.label1 for tick in line.get_major_ticks() if low <= tick.get_loc() <= high]
        words += axis.get_legend().get_texts() if axis.get_legend() else []
        words += [word for right in axis.child_axes for word in right.get_yticklabels()]
    return [word for word in words if word.get_text().strip()]


@pytest.mark.parametrize(
    ("runs", "width"),
    [
        (2, 3.3), pytest.param(22, 3.3, marks=pytest.mark.check), pytest.param(83, 7.0, marks=pytest.mark.check),
        (10, None), pytest.param(41, None, marks=pytest.mark.check), pytest.param(180, None, marks=pytest.mark.check),
    ],
)  # fmt: skip
def test_a_picture_is_as_wide_as_asked_and_all_its_letters_can_be_read(runs: int, width: float | None) -> None:
    """None is smaller than seven points, cut off, or over another: names have the place that the width leaves, and of more
    than a page has room for some are left out."""
    panels = panels_of(of_many(runs, short=width is None and runs != 41), width)
    with drawing():
        drawn = figure_of(panels, width, 0.95)
        drawn.draw_without_rendering()
        words = words_of(drawn)
        boxes = [each.get_window_extent() for each in words]
    assert drawn.get_figwidth() == width or width is None
    assert min(each.get_fontsize() for each in words) >= 7
    low, high = (np.array([getattr(box, corner) for box in boxes]) for corner in ("min", "max"))
    assert (low > -2).all()  # a letter's side bearings are not ink
    assert (high < drawn.bbox.max + 2).all()
    for place in range(len(boxes)):
        overlap = np.minimum(high[place], high[place + 1 :]) - np.maximum(low[place], low[place + 1 :])
        # Pixels: boxes are a little larger than the letters.
        assert (overlap.min(axis=1) < 1.5).all(), (words[place], boxes[place])
    places = [axis.get_position(original=True) for axis in drawn.axes]
    assert len({place.x0 for place in places}) == 1
    heights = [place.height * drawn.get_figheight() for place in places]
    ((axis, panel),) = [of_panel for of_panel in zip(drawn.axes, panels, strict=True) if of_panel[1].kind == "rank"]
    assert panel.height <= PAGE
    assert len(axis.get_yticks()) == (runs if runs < 180 else 90)
    assert ("(one in 2 is named)" in axis.get_xlabel().replace("\n", " ")) == (runs == 180)
    assert heights == pytest.approx([panel.height for panel in panels], rel=1e-2)


@given(st.lists(st.text("ab-", min_size=30, max_size=60), min_size=1, max_size=6, unique=True))
def test_short_names_are_short_and_as_different_as_names(names: list[str]) -> None:
    short = short_names([*names, "a"], 12)
    assert len(set(short.values())) == len(names) + 1
    assert max(map(len, short.values())) <= 12
    assert short["a"] == "a"


def test_the_width_is_an_option_of_pictures(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    drawn = irci(*COMMANDS["wcw"][0], "--plot", path, "--plot-width", "column")
    assert drawn.exit_code == 0, drawn.output
    assert 'width="237.6pt"' in path.read_text()
    for given_width in ("2", "nan", "colum", "41"):
        refused = irci(*COMMANDS["wcw"][0], "--plot", path, "--plot-width", given_width)
        assert refused.exit_code == 2
        assert "is no width: column, page, or from 3 to 40 inches" in refused.stderr
    alone = irci("ap-ci", "--plot-width", "page", QRELS, "no-such-run")
    assert (alone.exit_code, "--plot-width is the width of a picture: add --plot FILE." in alone.stderr) == (2, True)


# Names, and what is drawn of those that cannot be drawn as they are.
NAMES = {
    "a\x1b[31mb": "a\\x1b[31mb", "caf\udce9": "caf\\xe9", "x\ny": "x\\ny", "\ufffe": "\\ufffe", "\u202eabc": "\\u202eabc",
    "\0": "\\x00", "x" * 500: GAP.join(("x" * 16, "x" * (LONGEST_LABEL - 17))),
    **{name: name for name in ("$x^2$", "$\\frac", "a<b>&c", "日本", "\U0001f600", "_a", "café", "]]>", "%", "\\n", "a  b")},
}  # fmt: skip


def named(names: Sequence[str], measure: str = "map") -> list[Table]:
    """Scores of runs and topics of these names, differences and ranks."""
    row = interval(0.5, 0.25, measure=measure)
    pair = {"run": names[0], "baseline": names[-1], "population": "topics", "p_adjusted": 0.5}
    rank = {**row, "population": "topics", "letters": "a", "ranked_by": measure}
    return [
        *tables("estimate", "", [{**row, "run": name} for name in names]),
        *tables("topic", "", [{**row, "topic": name, "run": names[0]} for name in names]),
        *tables("difference", measure, [{**row, **pair}]),
        *tables("rank", measure, [{**rank, "run": name} for name in names]),
    ]


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


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_pictures_follow_from_the_tables_alone(kind: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is set for matplotlib, whatever time it is, and wherever in memory; settings are left as they were."""
    tables_drawn = named(["a", "b"])[: 4 if kind == "pdf" else 1]  # pdf tells the sign of zeros
    expected = draw(report_of(tables_drawn), kind)
    odd = {"text.usetex": True, "font.size": 30, "savefig.dpi": 20, "savefig.transparent": True, "axes.grid": True,
           "pdf.compression": 0, "svg.fonttype": "path", "lines.linewidth": 9}  # fmt: skip
    with matplotlib.rc_context(odd):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
        assert draw(report_of(tables_drawn), kind) == expected
        assert {name: matplotlib.rcParams[name] for name in odd} == odd


def test_what_no_picture_holds_is_refused() -> None:
    many = tables("estimate", "", [interval(0.5, run="r", measure=f"m{i}") for i in range(30)])
    with pytest.raises(DataError, match="too many"):
        draw(report_of(many), "png")
    with pytest.raises(DataError, match="there is nothing to draw"):
        draw(report_of(tables("anova", "map", [{"source": "topic"}])), "png")
    long = tables("estimate", "", [interval(0.5, run=f"r{i}", population=i % 7) for i in range(700)])
    assert [panel.height for panel in panels_of(report_of(long))] == [PAGE]


def test_a_wrong_ending_is_refused_before_anything_is_read() -> None:
    result = irci("ap-ci", "--plot", "x.gif", "no-such-file", "nor-this")
    assert result.exit_code == 2
    assert "does not end in .png, .svg, .pdf" in result.stderr


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = irci("wcw", "--variance", "AP=.05", "--plot", "x.png")
    assert result.exit_code == 2
    assert "pip install '.[plot]'" in result.stderr
    assert irci("wcw", "--variance", "AP=.05").exit_code == 0


NAN = math.nan
PAIRS = {"b": (0.1, 0.001), "c": (-0.2, 0.2), "d": (0.3, 0.04)}  # run: difference from a, adjusted p


def figure_with(tables: Sequence[Table]) -> Any:
    """The figure that is saved, its panels in place."""
    panels = panels_of(report_of(tables, "documents", "topics"))
    with drawing():
        figure = figure_of(panels, None, 0.95)
    return figure


@cache
def compared() -> dict[str, Any]:
    """The axes, by title, of a picture of ap-ci's and map-ci's tables of four runs; one name is long."""
    runs = ("a", "b", "c", "d" * 20)
    topics = [
        {**interval(value, 0.02), "topic": topic, "run": run}
        for run, values in {"a": (0.2, 0.3, 0.8), "b": (0.9, 0.1, 0.5)}.items()
        for topic, value in zip(("1", "2", "3"), values, strict=True)
    ]
    topics[-1] |= {"lower": NAN, "upper": NAN}
    ranks = [
        interval(place + 1, 1, run=run, letters="a", population="topics", ranked_by="map")
        for place, run in enumerate(runs)
    ]
    differences = [
        interval(value, run=run, baseline="a", population="topics", p=p / 3, p_adjusted=p)
        for run, (value, p) in PAIRS.items()
    ]
    figure = figure_with([
        Table("topic", "", topics),
        Table("estimate", "", [interval(0.4, run=run, corrected=False) for run in ("a", "b")]),
        Table("difference", "map", [{**row, "measure": "map_diff"} for row in differences]),
        Table("rank", "map", [{**row, "measure": "rank"} for row in ranks]),
    ])  # fmt: skip
    return {axis.get_title(loc="left"): axis for axis in figure.axes}


def names(axis: Any, line: str) -> list[str]:
    return [tick.get_text() for tick in getattr(axis, f"get_{line}ticklabels")()]


def keys(axis: Any) -> list[str]:
    """The words of a legend."""
    return [text.get_text() for text in axis.get_legend().get_texts()] if axis.get_legend() else []


def test_topics_stand_in_one_order_for_all_runs_and_are_named_once() -> None:
    """Means: 3 (.65), 1 (.55), 2 (.2). A value without limits is a cross that the legend explains; panels begin at one place
    whatever their names."""
    axes = compared()
    assert np.ptp([axis.get_position().x0 for axis in axes.values()]) < 1e-9
    assert len(axes) == 5
    first, second = (axes[f"map of each topic: {run}"] for run in "ab")
    assert first.get_xlim() == second.get_xlim()
    assert (names(first, "x"), names(second, "x")) == (["", "", ""], ["3", "1", "2"])
    assert [list(axis.lines[0].get_ydata()) for axis in (first, second)] == [
        [0.2, 0.3, 0.8],
        [0.9, 0.1],
    ]  # topics 1, 2, 3
    assert list(first.lines[0].get_xdata()) == [1, 2, 0]
    assert (keys(first), keys(second)) == ([], ["no limits"])
    crosses = [line for line in second.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in crosses] == [([0], [0.5])]
    means = axes["mean map of each run: for other documents, same topics"]
    assert means.get_xlabel() == "mean map and 95% limits"


def test_differences_are_sorted_and_hollow_where_adjusted_p_tells_nothing_apart() -> None:
    """And ranks are whole numbers."""
    axis, ranks = (compared()[title] for title in (
        "difference in mean map, for other topics: run − a", "ranks by mean map: for other topics"))  # fmt: skip
    assert names(axis, "y") == ["d", "b", "c"]  # from the top; the baseline is in the title
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert keys(axis) == [f"adjusted p ≤ {ALPHA}", f"adjusted p > {ALPHA}"]
    of_topics = [line for line in axis.lines if line.get_marker() == "s"]  # the second of what varies
    hollow = {x: line.get_markerfacecolor() == "white" for line in of_topics for x in line.get_xdata()}
    assert hollow == {value: p > ALPHA for value, p in PAIRS.values()}
    low, high = ranks.get_xlim()
    assert [tick for tick in ranks.get_xticks() if low <= tick <= high] == [1, 2, 3, 4]
    assert (names(ranks, "y")[-1], names(ranks.child_axes[0], "y")) == ("d" * 20, ["a"] * 4)
    has_zero = [any(list(line.get_xdata()) == [0, 0] for line in each.lines) for each in (axis, ranks)]
    assert has_zero == [True, False]


def test_bars_reach_from_limit_to_limit_though_one_is_further_off() -> None:
    rows = [interval(0.4, lower=0.375, upper=0.75, run=run, population="topics") for run in ("a", "b")]
    (axis,) = figure_with([Table("estimate", "", rows)]).axes
    bars = [segment[:, 0].tolist() for lines in axis.collections for segment in lines.get_segments()]
    assert bars == [[pytest.approx(0.375), pytest.approx(0.75)]] * 2


def test_a_matrix_says_its_classes_in_patches() -> None:
    votes = [
        {"run": run, "baseline": other, "value": 0.1, "share": 1.0, "test": "pairs"}
        for run, other in ("ab", "bc", "ac")
    ]
    (axis,) = figure_with([Table("vote", "map", votes)]).axes  # no bar of colours beside it
    assert keys(axis) == ["row is better", "no significant difference", "row is worse"]
    assert [handle.get_facecolor()[:3] for handle in axis.get_legend().get_patches()][1] == (1, 1, 1)


def test_counts_stand_out_from_the_cells_that_they_are_in() -> None:
    counts = {(0, 0): 97, (0, 1): 3, (1, 0): 40, (1, 1): 60}
    cells = [
        {"judge": "b", "grade": down, "grade_judge": across, "documents": number}
        for (down, across), number in counts.items()
    ]
    (axis,) = figure_with([Table("confusion", "", cells)]).axes
    (image,) = axis.images
    for text in axis.texts:
        x, y = map(int, text.get_position())
        colours = image.cmap(image.norm(image.get_array()[y, x])), matplotlib.colors.to_rgba(text.get_color())
        under, over = (np.dot((0.299, 0.587, 0.114), colour[:3]) for colour in colours)
        assert int(text.get_text()) == counts[y, x]
        assert abs(under - over) > 0.4  # of black and white


def test_claims_are_a_grid_of_symbols_up_to_thirty() -> None:
    """The largest first; every verdict of every source at its place, told apart by form and filling; no legend of others."""
    verdicts = [
        ("confirmed", "not confirmed", "not testable"),
        ("confirmed", "confirmed", "confirmed"),
        ("not confirmed", "reversed", "not testable"),
    ]
    claims = [
        {
            "run": "ab"[place % 2],
            "baseline": "c",
            "value": 0.1 + place / 10,
            **dict(zip(("documents", "judgments", "clusters"), each, strict=True)),
        }
        for place, each in enumerate(verdicts)
    ]
    (axis,) = figure_with([Table("claim", "map", claims)]).axes
    of_legend = axis.get_legend_handles_labels()[0]
    looks = {line.get_label(): (line.get_marker(), line.get_markerfacecolor() == "white") for line in of_legend}
    assert set(looks) == {"confirmed", "not confirmed", "reversed", "not testable"}
    assert len(set(looks.values())) == 4
    marks = {
        (int(x), int(y)): (line.get_marker(), line.get_markerfacecolor() == "white")
        for line in axis.lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }
    assert [[marks[across, down] for across in range(3)] for down in range(3)] == [
        [looks[verdict] for verdict in each] for each in reversed(verdicts)
    ]
    assert names(axis, "y") == ["a > c", "b > c", "a > c"]
    many = [{**claims[0], "run": f"r{place}"} for place in range(31)]
    assert not panels_of(report_of([Table("claim", "map", many)]))


def test_ticks_stand_at_the_sizes_asked_for_and_equal_curves_are_seen() -> None:
    rates = [
        {"size": size, "rate": 0.1, "sd": 0.01, "ties": 0, "fuzziness": 5, "sets": 2, "draws": 2}
        for size in (5, 10, 25)
    ]
    widths = [
        {"topics": n, "width": 5 / n, "tool": tool} for tool in ("anova", "ci") for n in (10, 20, 40, 80, 160)
    ]  # the two curves are one
    tables = [Table("error_rate", "map", rates), Table("width", "map", widths)]
    errors, curves = figure_with(tables).axes
    assert list(errors.get_xticks()) == [5, 10, 25]
    anova, ci = curves.get_legend().get_lines()[:2]
    assert anova.is_dashed() is False
    assert [line.get_marker() for line in errors.get_lines()[:1]] == ["o"]  # a rate a size
    assert anova.get_marker() == "none"
    assert ci.is_dashed()


def test_a_long_title_takes_lines() -> None:
    title = "difference in mean map: for other documents, same topics; adjusted p ≤ 0.05"
    assert wrapped(title, 7) == title
    lines = wrapped(title, 3).split("\n")
    assert " ".join(lines) == title
    assert max(map(len, lines)) < 50
