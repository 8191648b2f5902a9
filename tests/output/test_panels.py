"""What is on the axes of pictures: where panels stand, their order, marks, ticks and legends."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from irci.output.plots import draw, drawing, panels_of, settle
from irci.output.plots.pairs import ALPHA
from irci.output.plots.panels import figure_of, page_of, wrapped
from irci.output.report import Report
from irci.output.tables import SourceInReport, Table
from irci.output.wording import in_words, mean_of

pytest.importorskip("matplotlib")

NAN = math.nan
PAIRS = {"b": (0.1, 0.001), "c": (-0.2, 0.2), "d": (0.3, 0.04)}  # run: difference from a, adjusted p


def interval(value: float, half: float = 0.05, **cells: Any) -> dict[str, Any]:
    return {"measure": "map", "topic": "all", "value": value, "lower": value - half, "upper": value + half, **cells}


def report_of(tables: Sequence[Table]) -> Report:
    """A report as ap-ci gives it: where rows name no population, documents vary."""
    labels = {"documents": "for other documents, same topics", "topics": "for other topics"}
    return Report(tables, {}, sources={name: SourceInReport(label) for name, label in labels.items()})


def figure_with(tables: Sequence[Table]) -> Any:
    """The figure that is saved, its panels in place."""
    page = page_of(panels_of(report_of(tables)))
    with drawing():
        figure = figure_of(page, "95% ")
        settle(figure, page, "svg")
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


@pytest.mark.check
def test_panels_of_a_column_begin_at_one_place_whatever_their_names() -> None:
    left = {axis.get_position().x0 for axis in compared().values()}
    assert max(left) - min(left) < 1e-9
    assert len(compared()) == 5


def test_topics_stand_in_one_order_for_all_runs_and_are_named_once() -> None:
    """Means: 3 (.65), 1 (.55), 2 (.2)."""
    first, second = (compared()[f"map of each topic: {run}"] for run in "ab")
    assert first.get_xlim() == second.get_xlim()
    assert (names(first, "x"), names(second, "x")) == (["", "", ""], ["3", "1", "2"])
    heights = [list(axis.lines[0].get_ydata()) for axis in (first, second)]
    assert heights == [[0.2, 0.3, 0.8], [0.9, 0.1]]  # of topics 1, 2, 3: that without limits is drawn by itself
    assert list(first.lines[0].get_xdata()) == [1, 2, 0]


def test_a_value_without_limits_is_a_cross_that_the_legend_explains() -> None:
    with_all, without = (compared()[f"map of each topic: {run}"] for run in "ab")
    assert keys(with_all) == []
    assert keys(without) == ["no limits"]
    crosses = [line for line in without.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in crosses] == [([0], [0.5])]


def test_means_of_these_topics_say_so_on_the_scale_of_the_topics() -> None:
    means = compared()["mean map of each run: for other documents, same topics"]
    assert means.get_xlim() == compared()["map of each topic: a"].get_ylim()
    assert means.get_xlabel() == "mean map and 95% limits"


def test_bars_reach_from_limit_to_limit_though_one_is_further_off() -> None:
    rows = [interval(0.4, lower=0.375, upper=0.75, run=run, population="topics") for run in ("a", "b")]
    (axis,) = figure_with([Table("estimate", "", rows)]).axes
    bars = [segment[:, 0].tolist() for lines in axis.collections for segment in lines.get_segments()]
    assert bars == [[pytest.approx(0.375), pytest.approx(0.75)]] * 2


def test_differences_are_sorted_and_hollow_where_adjusted_p_tells_nothing_apart() -> None:
    axis = compared()["difference in mean map, for other topics: run − a"]
    assert names(axis, "y") == ["d", "b", "c"]  # from the top; the baseline is in the title
    assert axis.get_ylim()[0] > axis.get_ylim()[1]
    assert keys(axis) == [f"adjusted p ≤ {ALPHA}", f"adjusted p > {ALPHA}"]
    hollow = {
        x: line.get_markerfacecolor() == "white"
        for line in axis.lines
        if line.get_marker() == "s"  # of topics, the second of what varies
        for x in line.get_xdata()
    }
    assert hollow == {value: p > ALPHA for value, p in PAIRS.values()}


def test_ranks_are_whole_numbers() -> None:
    axis = compared()["ranks by mean map: for other topics"]
    assert list(axis.get_xticks()) == [1, 2, 3, 4]
    assert names(axis, "y")[-1] == "d" * 20


def test_runs_of_a_column_of_one_panel_are_one_page_wide_or_high() -> None:
    """41 runs and 129 runs, each with means, ranks and differences from the first."""
    for runs, most in ((41, 11), (129, 16)):  # letters of 7 points take so much
        rows = [interval(run / runs, run=f"r{run}", population="topics") for run in range(runs)]
        ranks = [{**row, "letters": "a", "ranked_by": "map"} for row in rows]
        differences = [{**row, "baseline": "r0", "p_adjusted": 0.5} for row in rows[1:]]
        tables = [Table("estimate", "", rows), Table("rank", "map", ranks), Table("difference", "map", differences)]
        page = page_of(panels_of(report_of(tables)))
        assert len(page.panels) == 3
        assert page.height < most


def test_a_matrix_says_its_classes_in_patches() -> None:
    votes = [
        {"run": run, "baseline": other, "value": 0.1, "share": 1.0, "test": "pairs"}
        for run, other in ("ab", "bc", "ac")
    ]
    (axis,) = figure_with([Table("vote", "map", votes)]).axes  # no bar of colours beside it
    assert keys(axis) == ["row is better", "no significant difference", "row is worse"]
    assert [handle.get_facecolor()[:3] for handle in axis.get_legend().get_patches()][1] == (1, 1, 1)


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
    of_legend = [line for line in axis.lines if len(line.get_xdata()) == 0]
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
    assert names(axis, "y") == ["a", "b", "a"]
    assert axis._left_title.get_text().endswith(": run > c")
    turned = [*claims[:2], {**claims[2], "run": "c", "baseline": "a"}]
    (axis,) = figure_with([Table("claim", "map", turned)]).axes
    assert names(axis, "y") == ["a <", "b >", "a >"]
    several = [*claims[:2], {**claims[2], "run": "e", "baseline": "d"}]
    (axis,) = figure_with([Table("claim", "map", several)]).axes
    assert names(axis, "y") == ["e > d", "b > c", "a > c"]
    many = [{**claims[0], "run": f"r{place}"} for place in range(31)]
    assert not panels_of(report_of([Table("claim", "map", many)]))


def test_ticks_stand_at_the_sizes_and_widths_asked_for() -> None:
    rates = [
        {"size": size, "rate": 0.1, "sd": 0.01, "ties": 0, "fuzziness": 5, "sets": 2, "draws": 2}
        for size in (5, 10, 25)
    ]
    widths = [
        {"topics": n, "width": 5 / n, "tool": tool} for tool in ("anova", "ci") for n in (10, 20, 40, 80, 160)
    ]  # the two curves are one
    needed = [{"width": width, "topics": 5 / width, "tool": "ci"} for width in (0.07, 0.13)]
    tables = [Table("error_rate", "map", rates), Table("width", "map", widths), Table("topics", "map", needed)]
    errors, curves = figure_with(tables).axes
    assert list(errors.get_xticks()) == [5, 10, 25]
    assert {0.07, 0.13} <= set(curves.get_yticks())
    anova, ci = curves.get_legend().get_lines()[:2]
    assert anova.is_dashed() is False
    assert ci.is_dashed()


def test_swaps_are_named_at_the_ends_of_their_curves() -> None:
    """Those that would lie over each other keep a distance."""
    rows = [
        {"size": size, "bin": f"0.0{n}", "rate": 0.3 - n / 1000, "fitted": 0.3 - n / 1000, "comparisons": 9}
        for n in range(4)
        for size in (5, 10)
    ]
    (axis,) = figure_with([Table("swap", "map", rows)]).axes
    heights = {text.get_text(): text.get_position()[1] for text in axis.texts}
    assert list(heights) == ["0.03", "0.02", "0.01", "0.00"]
    assert max(heights.values()) <= axis.get_ylim()[1]
    steps = [high - low for low, high in zip(list(heights.values())[:-1], list(heights.values())[1:], strict=True)]
    assert min(steps) > 0.9  # percent, of 31: a line of letters
    assert list(axis.get_xticks()) == [5, 10]
    assert axis.get_legend() is None


@pytest.mark.check
def test_letters_of_a_pdf_are_an_outline_font() -> None:
    """Type 42, which journals take; type 3 they refuse."""
    picture = draw(report_of([Table("estimate", "", [interval(0.4, run="a"), interval(0.5, run="b")])]), "pdf")
    assert b"/FontFile2" in picture
    assert b"/Type3" not in picture


@pytest.mark.parametrize(
    ("measure", "words", "mean"),
    [
        ("map", "AP", "mean map"),
        ("ndcg_cut_10", "nDCG@10", "mean ndcg_cut_10"),
        ("P_5", "P@5", "mean P_5"),
        ("smap", "standardised AP (z)", "mean standardised AP (z)"),
        ("ndcg_std_cdf", "standardised nDCG (cdf)", "mean standardised nDCG (cdf)"),
        ("gm_map", "geometric mean AP", "gm_map"),
        ("my_own", "my_own", "mean my_own"),
        ("nERR@10", "nERR@10", "mean nERR@10"),
    ],
)
def test_measures_are_in_words_and_as_they_were_asked_for(measure: str, words: str, mean: str) -> None:
    assert (in_words(measure), mean_of(measure)) == (words, mean)


def test_what_has_no_limits_does_not_speak_of_any() -> None:
    """Scores of topics without resamples; and ranks whose letters were too many to be made."""
    topics = [interval(0.5, run=run) | {"topic": "1", "lower": NAN, "upper": NAN} for run in "ab"]
    ranks = [interval(1, 1, run=run, letters="-", population="topics", ranked_by="map") for run in "ab"]
    *scores, rank = figure_with([Table("topic", "", topics), Table("rank", "map", ranks)]).axes
    assert {(axis.get_ylabel(), *keys(axis)) for axis in scores} == {("map", "no limits")}
    assert rank.get_xlabel() == "rank and 95% limits"
    assert {text.get_text().strip() for text in rank.texts} == {""}


@pytest.mark.check
def test_topics_of_each_measure_and_of_pairs_have_a_scale_and_an_order_of_their_own() -> None:
    topics = [
        interval(value) | {"measure": measure, "topic": topic, "run": run}
        for measure, values in {"map": (0.1, 0.9), "utility": (50.0, -3.0)}.items()
        for run in "ab"
        for topic, value in zip("xy", values, strict=True)
    ]
    pairs = [
        interval(value) | {"measure": "map_diff", "topic": "x", "run": run, "baseline": "a", "population": "documents"}
        for run, value in {"b": 0.1, "c": -0.6}.items()
    ]
    axes = figure_with([Table("topic", "", topics), Table("topic_difference", "map", pairs)]).axes
    assert [names(axis, "x") for axis in axes] == [["", ""], ["y", "x"], ["", ""], ["x", "y"], [""], ["x"]]
    scales = [axis.get_ylim() for axis in axes]
    assert scales[::2] == scales[1::2]
    assert len(set(scales)) == 3
    assert scales[4][0] < -0.65


def test_a_long_title_takes_lines() -> None:
    title = "difference in mean map: for other documents, same topics; adjusted p ≤ 0.05"
    assert wrapped(title, 7) == title
    lines = wrapped(title, 3).split("\n")
    assert " ".join(lines) == title
    assert max(map(len, lines)) < 45
    assert wrapped("m" * 999, 3).count("\n") == 2
