"""Pictures for print: as wide as asked, letters that can be read, nothing cut off; what is left out of names is told."""

from pathlib import Path
from typing import Any

import pytest
from command_lines import irci
from helpers import SMALL
from hypothesis import given
from hypothesis import strategies as st

from irci.output.plots import drawing, figure, panels_of
from irci.output.plots.layout import GAP, LONGEST_LABEL, figure_of, naming, place_panels
from irci.output.report import Report
from irci.output.tables import SourceInReport, Table

pytest.importorskip("matplotlib")

PREFIX = "a-laboratory-with-a-long-name-2026."
SOURCES = {"topics": SourceInReport("other topics"), "documents": SourceInReport("other documents, these topics")}


def report_of(runs: int, letters: str = "ab") -> Report:
    """Means over two sources, ranks over one of them, and the pairs of runs whose names are long."""
    names = [f"{PREFIX}{run}-{'model' * 8}" for run in range(runs)]
    rows: list[dict[str, Any]] = [
        {
            "measure": "map",
            "topic": "all",
            "value": run / runs,
            "lower": run / runs - 0.1,
            "upper": run / runs + 0.1,
            "run": name,
        }
        for run, name in enumerate(names)
    ]
    means = [{**row, "population": source} for row in rows for source in SOURCES]
    ranks = [{**row, "population": "documents", "letters": letters, "ranked_by": "map"} for row in rows]
    pairs = [
        {**row, "baseline": other, "population": "topics", "p_adjusted": 0.01}
        for place, row in enumerate(rows)
        for other in names[:place]
    ]
    tables = [Table("estimate", "", means), Table("rank", "map", ranks), Table("difference", "map", pairs)]
    return Report(tables, {"confidence": 0.95}, sources=SOURCES)


def words_of(drawn: Any) -> list[Any]:
    """All texts of a figure that are seen."""
    words = []
    for axis in drawn.axes:
        words += [axis.xaxis.label, axis.yaxis.label, axis._left_title, *axis.texts]
        for line, low, high in ((axis.xaxis, *sorted(axis.get_xlim())), (axis.yaxis, *sorted(axis.get_ylim()))):
            words += [tick.label1 for tick in line.get_major_ticks() if low <= tick.get_loc() <= high]
        words += axis.get_legend().get_texts() if axis.get_legend() else []
    return [word for word in words if word.get_text().strip()]


@pytest.mark.parametrize(
    ("runs", "width"),
    [(2, 3.3), pytest.param(22, 3.3, marks=pytest.mark.check), pytest.param(83, 7.0, marks=pytest.mark.check)],
)
def test_a_picture_is_as_wide_as_asked_and_all_its_letters_can_be_read(runs: int, width: float) -> None:
    panels = panels_of(report_of(runs), width)
    with drawing():
        drawn = figure_of(panels, width, "95% ")
        place_panels(drawn, panels)
        drawn.draw_without_rendering()
        boxes = [each.get_window_extent() for each in words_of(drawn)]
    assert drawn.get_figwidth() == width
    assert min(each.get_fontsize() for each in words_of(drawn)) >= 7
    # A letter's side bearings are not ink.
    assert min(box.x0 for box in boxes) > -2
    assert max(box.x1 for box in boxes) < drawn.bbox.width + 2
    assert min(box.y0 for box in boxes) > -2
    assert max(box.y1 for box in boxes) < drawn.bbox.height + 2
    places = [axis.get_position(original=True) for axis in drawn.axes]
    assert len({place.x0 for place in places}) == 1
    heights = [place.height * drawn.get_figheight() for place in places]
    assert heights == pytest.approx([panel.height for panel in panels], rel=1e-3)


@pytest.mark.check
def test_no_letter_of_any_picture_is_smaller_than_seven_points() -> None:
    assert min(each.get_fontsize() for each in words_of(figure(report_of(30)))) >= 7


def test_a_common_prefix_is_cut_before_the_names_that_it_begins_and_told() -> None:
    names = [f"{PREFIX}bm25", f"{PREFIX}dense"]
    cut = naming(names, LONGEST_LABEL)
    assert (cut.short, cut.prefix) == (dict(zip(names, ("bm25", "dense"), strict=True)), PREFIX)
    assert cut.notes(["bm25"]) == [f"all names of runs begin with {PREFIX}"]
    assert cut.notes(["of topics"]) == []
    assert naming(names, len(PREFIX) + 5).short == {name: name for name in names}
    # One that consists of it keeps it, as do names without parts, and one that is alone.
    for kept in ([PREFIX, *names], [f"{'m' * 40}{each}" for each in "ab"], names[:1]):
        assert naming(kept, LONGEST_LABEL).prefix == ""


@given(st.lists(st.text("ab-", min_size=30, max_size=60), min_size=1, max_size=6, unique=True))
def test_short_names_are_short_and_as_different_as_names(names: list[str]) -> None:
    cut = naming(names, 12)
    assert len(set(cut.short.values())) == len(names)
    assert max(map(len, cut.short.values())) <= 12


@pytest.mark.check
def test_what_is_left_out_is_told_below_the_axes_where_it_is() -> None:
    means, *_, ranks = figure(report_of(22, "abcdefghijklmnopq")).axes
    assert f"all names of runs begin with {PREFIX}" in means.get_xlabel().replace("\n", " ")
    assert f"{GAP} stands for letters left out" in means.get_xlabel()
    assert "more than 16 letters of a run are left out" in ranks.get_xlabel().replace("\n", " ")


@pytest.mark.check
def test_what_varies_has_one_colour_and_no_mark_hides_another() -> None:
    """Documents are the second series of the means, and the only one of ranks."""
    means, *_, ranks = figure(report_of(22)).axes
    marked = [line for line in means.lines if len(line.get_xdata()) == 22 and line.get_marker() in "os"]
    (of_ranks,) = (line for line in ranks.lines if len(line.get_xdata()) == 22 and line.get_marker() in "os")
    assert [line.get_color() == of_ranks.get_color() for line in marked] == [False, True]
    size = marked[0].get_markersize() + marked[0].get_markeredgewidth()
    height = means.get_position(original=True).height * means.figure.get_figheight() * 72
    ends = [line.get_ydata()[0] for line in marked]
    assert size <= abs(ends[1] - ends[0]) / 22 * height + 0.1


def test_the_width_is_an_option_of_pictures(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    drawn = irci("wcw", "--variance", "AP=.05", "--plot", str(path), "--plot-width", "column")
    assert drawn.exit_code == 0, drawn.output
    assert 'width="237.6pt"' in path.read_text()
    for given_width in ("2", "nan", "colum", "41"):
        refused = irci("wcw", "--variance", "AP=.05", "--plot", str(path), "--plot-width", given_width)
        assert refused.exit_code == 2
        assert "is no width: column, page, or from 3 to 40 inches" in refused.stderr
    alone = irci("ap-ci", "--plot-width", "page", str(SMALL / "qrels.txt"), "no-such-run")
    assert alone.exit_code == 2
    assert "--plot-width is the width of a picture: add --plot FILE." in alone.stderr
