"""A paper's table: a row a run, a column a measure; the same numbers as one row an estimate has, and what marks mean."""

import csv
import io
import math
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import Result
from command_lines import irci as command
from command_lines import printed
from helpers import QRELS, SMALL
from hostile_names import EVERY, THREE, cells_of_latex, is_obeyed, shown
from hypothesis import example, given

from irci.output.report import Report
from irci.output.tables import Bounded, Row, Table, tables
from irci.output.wide import HIGHER, LOWER, _marks, written

RUNS = [str(next((SMALL / "runs").glob(f"{name}.run*"))) for name in ("charlie", "delta", "alpha", "bravo")]
MEASURES = ("map", "recip_rank", "P_5")
ASKED = [word for measure in MEASURES for word in ("-m", measure)]
MAP_CI = ["map-ci", "-B", "200", "--baseline", "alpha", "--ranks", *ASKED]
FOR_PAPERS = ("table", "latex", "markdown", "html")
Cells = list[list[str]]


def irci(*arguments: str) -> Result:
    return command(*arguments, "--quiet", QRELS, *RUNS, status=0)


def rows(*arguments: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(irci(*arguments, "--format", "csv").stdout)))


def refused(*arguments: str) -> str:
    return command(*arguments, QRELS, *RUNS, status=2).stderr


class Read(HTMLParser):
    """The cells of a table of HTML, as they are shown; bold as two stars, what is set higher in brackets of its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: Cells = []
        self.caption = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "b", "sup", "span")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("td", "th", "caption"):
            self.inside = tag
        self.handle_data({"b": "**", "sup": "^"}.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self.handle_data({"b": "**"}.get(tag, ""))
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "caption":
            self.caption += data
        elif self.inside:
            self.rows[-1][-1] += data


def of_latex(output: str) -> Cells:
    body = output[output.index("\\toprule") : output.index("\\bottomrule")].split("\n")
    lines = [line for line in body if line.endswith("\\\\")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix("\\\\"))] for line in lines]


def read(form: str, output: str) -> Cells:
    """Rows of cells, the header first, in one notation: **.412**^a† [.352, .473]."""
    if form == "html":
        begin = output.index('<table id="wide">')
        found = Read(output[begin : output.index("</table>", begin)]).rows
        return [[cell.strip() for cell in row] for row in found]
    if form == "latex":
        found = of_latex(output)
        plain = [
            [cell.replace("$\\dagger$", "†").replace("$\\ddagger$", "‡").replace("\\_", "_") for cell in row]
            for row in found
        ]
        bold = [[re.sub(r"\\textbf\{([^}]*)\}", r"**\1**", cell) for cell in row] for row in plain]
        return [[re.sub(r"\\textsuperscript\{([^}]*)\}", r"^\1", cell) for cell in row] for row in bold]
    lines = output.split("\n\n")[0].split("\n")
    if form == "markdown":
        found = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        del found[1]
        return [[re.sub(r"<sup>(.*)</sup>", r"^\1", cell).replace("\\_", "_") for cell in row] for row in found]
    edges = [match.span() for match in re.finditer("-+", lines[1])]
    del lines[1]
    found = [[re.sub(" +", " ", line[begin:end].strip()) for begin, end in edges] for line in lines]
    return [
        [re.sub(r"^([.\d-]+)(\^?)([a-z†‡]*)", _as_in_papers, cell) if line else cell for cell in row]
        for line, row in enumerate(found)
    ]


def _as_in_papers(match: re.Match[str]) -> str:
    value, highest, marks = match.groups()
    bold = "**" if highest else ""
    return f"{bold}{value}{bold}" + (f"^{marks}" if marks else "")


def in_paper(number: float) -> str:
    return f"{number:.3f}".removeprefix("0")


@pytest.mark.sample(1)
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("form", [*FOR_PAPERS])
def test_cells_hold_what_is_computed_and_marks_mean_what_is_said(form: str) -> None:
    exact = {(row["run"], row["ranked_by"] or row["measure"], row["measure"] == "rank"): row for row in rows(*MAP_CI)}
    header, *body = read(form, irci(*MAP_CI, "--layout", "wide", "--format", form).stdout)
    assert header[1:] == ["map", "recip_rank", "P_5"]
    # The baseline first, the others as given.
    assert [row[0] for row in body] == ["alpha", "charlie", "delta", "bravo"]
    marked = 0
    for place, measure in enumerate(MEASURES, 1):
        for run, *cells in body:
            mean, rank = exact[run, measure, False], exact[run, measure, True]
            difference = exact.get((run, f"{measure}_diff", False), {"p_adjusted": "nan", "value": ""})
            value, lower, upper = (in_paper(float(mean[name])) for name in ("value", "lower", "upper"))
            differs = float(difference["p_adjusted"]) <= 0.05
            marks = rank["letters"] + ("‡" if difference["value"].startswith("-") else "†") * differs
            marked += differs
            bold = f"**{value}**" if float(rank["lower"]) == 1 else value
            assert cells[place - 1] == f"{bold}^{marks} [{lower}, {upper}]"
    assert 0 < marked < 3 * len(MEASURES)


@pytest.mark.sample(1)
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("form", FOR_PAPERS)
def test_the_caption_tells_test_correction_level_numbers_and_population(form: str) -> None:
    output = irci("compare", *ASKED, "--layout", "wide", "--format", form).stdout
    plain = output.replace("\\", "").replace("$dagger$", "†").replace("$ddagger$", "‡").replace("$le$", "≤")
    assert "Means over 20 topics, with 95% confidence intervals over topics (t or bounded by the scale)." in plain
    assert "†: significantly higher than charlie; ‡: lower" in plain
    assert "(paired t test; p adjusted for 3 pairs with charlie, Holm; p ≤ .05)" in plain
    unadjusted = irci("compare", "--correction", "none", "--layout", "wide", "--format", form).stdout
    assert "p not adjusted for 3 pairs with charlie; p " in unadjusted
    documents = irci(
        "compare", "--population", "documents", "-m", "map", "-m", "P_10", "--layout", "wide", "--format", form
    )
    assert "over documents (parametric or 2000 resamples)." in documents.stdout
    ranks = irci("map-ci", "--all-pairs", "--ranks", "--confidence", ".9", "--layout", "wide", "--format", form).stdout
    assert "Runs that share a letter are not significantly different" in ranks
    assert "(paired t test; all pairs, max-T; p ≤ .1)." in ranks.replace("\\", "").replace("$le$", "≤")
    assert "†" not in ranks
    assert "dagger" not in ranks


def test_text_gives_way_to_an_aligned_table_and_digits_are_three_unless_told() -> None:
    asked = ["stdap-ci", *ASKED, "--layout", "wide"]
    shown = irci(*asked).stdout
    assert (
        shown == irci(*asked, "--format", "table").stdout == irci(*asked, "--format", "table", "--digits", "3").stdout
    )
    assert re.search(r" -?\d?\.\d{5} ", irci(*asked, "--digits", "5").stdout.replace("^", " "))


def estimate(run: str, value: float, lower: float, upper: float, measure: str = "map") -> Row:
    return Bounded({"measure": measure, "topic": "all", "value": value, "lower": lower, "upper": upper, "run": run})


def wide(form: str, found: list[Table], limits: str = "brackets") -> str:
    signature = {"command": "map-ci", "confidence": 0.95, "num_topics": 2}
    return written(Report(found, signature, caption=tuple), form, (), 2, limits)  # type: ignore[arg-type]


def test_plus_minus_only_where_all_limits_of_a_column_are_symmetrical() -> None:
    of_map = [estimate("a", 0.5, 0.4, 0.6), estimate("b", 0.25, 0.2, 0.3)]
    clipped = [estimate("a", 0.5, 0.4, 0.6, "P_5"), estimate("b", 0.95, 0.85, 1.05, "P_5")]
    header, a, b = read("markdown", wide("markdown", tables("estimate", "", [*of_map, *clipped]), "plus-minus"))
    assert header == ["run", "map", "P_5"]
    assert a == ["a", "**.50** ± .10", ".50 [.40, .60]"]
    assert b == ["b", ".25 ± .05", "**.95** [.85, 1.00]"]
    both = wide("markdown", tables("estimate", "", of_map), "plus-minus")
    assert "±: half the distance between the limits" in both
    none = wide("markdown", tables("estimate", "", of_map), "none")
    assert read("markdown", none)[1:] == [["a", "**.50**"], ["b", ".25"]]
    assert "limits" not in none


def test_what_has_no_limits_no_zero_to_leave_out_or_no_best() -> None:
    """nan limits are left out; scores beyond [0, 1] keep their zeros; counts, equals and a single run have no best."""
    z = [{**estimate(run, value, -1.5, 1.5), "measure": "smap"} for run, value in (("a", -0.25), ("b", 0.5))]
    count = [{**estimate(run, 0, math.nan, math.nan), "measure": "num_ret", "value": 7} for run in "ab"]
    same = [estimate(run, 0.123, math.nan, math.nan, "P_5") for run in "ab"]
    _, a, b = read("markdown", wide("markdown", [Table("estimate", "", [*z, *count, *same])]))
    assert a == ["a", "-0.25 [-1.50, 1.50]", "7", ".12"]
    assert b == ["b", "**0.50** [-1.50, 1.50]", "7", ".12"]
    alone = wide("markdown", [Table("estimate", "", [estimate("a", 0.5, 0.4, 0.6)])])
    assert read("markdown", alone)[1] == ["a", ".50 [.40, .60]"]
    assert "old" not in alone
    minus = of_latex(wide("latex", [Table("estimate", "", z)]))[1][1]
    assert minus == "$-$0.25 [$-$1.50, 1.50]"


def hostile(names: tuple[str, str, str]) -> list[Table]:
    measure, one, other = names
    return tables(
        "estimate", "", [estimate(one, 0.5, 0.4, 0.6, measure), estimate("x" + other, 0.25, 0.2, 0.3, measure)]
    )


@EVERY
@given(names=THREE)
@example(names=("x_5", "[2mm]", "100% & more # $x$ {~^} \\"))
@example(names=("*", "*", "--->"))
def test_latex_has_a_cell_a_column_whatever_names_hold(names: tuple[str, str, str]) -> None:
    output = wide("latex", hostile(names))
    assert not any(is_obeyed(letter) for letter in output if letter != "\n")
    (columns,) = map(len, re.findall(r"\\begin\{tabular\}\{(l+)\}", output))
    body = output[output.index("\\toprule") : output.index("\\bottomrule")].split("\n")[1:-1]
    body.remove("\\midrule")
    header, first, second = (cells_of_latex(line, columns) for line in body)
    assert [each.strip(" ") for each in (header[1], first[0], second[0])] == [
        shown(name).strip(" ") for name in (names[0], names[1], "x" + names[2])
    ]
    for group in ("table", "tabular"):
        assert output.count(f"\\begin{{{group}}}") == output.count(f"\\end{{{group}}}") == 1


def test_latex_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no TeX here")
    table = irci(*MAP_CI, "--limits", "plus-minus", "--layout", "wide", "--format", "latex").stdout
    assert "% \\usepackage{booktabs}" in table
    names = wide("latex", hostile(("a_b", "[2mm] 100% & # $x$ {~^} \\", "*é -- |<>")))
    lines = [r"\documentclass{article}", r"\usepackage{booktabs}", r"\begin{document}", table, names, r"\end{document}"]
    (tmp_path / "table.tex").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["partition-anova"], "No such option '--layout'"),
        (["swap-error"], "No such option '--layout'"),
        (["wcw"], "No such option '--layout'"),
        (["ap-ci", "--format", "json"], "--layout wide is for table, latex, markdown and html"),
        (["ap-ci", "-q"], "--layout wide has one row per run: leave out --per-topic"),
        (["map-ci", "--no-summary"], "--layout wide has one row per run: leave out --no-summary"),
        (["map-ci", "--meta", "fixed"], "leave out --meta"),
        (["map-ci", "--validate", "2"], "--layout is not for --validate"),
        (["stdap-ci", "--validate", "9"], "leave out --validate"),
        (["map-ci", "--table", "estimate"], "leave out --table"),
        (["map-ci", "--all-pairs"], "--layout wide shows all pairs by letters: add --ranks"),
        (["compare", "--power"], "--layout wide does not show --power: leave it out here"),
        (["compare", "--survives"], "--layout wide has one row per run: leave out --survives"),
        (["map-ci", "--save-plan", os.devnull], "--layout wide is for means of runs"),
        (["ap-ci", "--limits", "none", "--layout", "long"], "--limits is for --layout wide"),
        (["ap-ci", "--format", "csv"], "--layout wide is for table, latex, markdown and html"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_refused(arguments: list[str], said: str) -> None:
    assert said in refused(arguments[0], "--layout", "wide", *arguments[1:])


def test_p_at_the_level_is_marked_whatever_its_last_digit() -> None:
    """1 - .9 is a little less than .1."""
    for p, is_marked in ((0.1, True), (0.1001, False), (math.nan, False), (None, False)):
        assert _marks({"difference": {"value": 0.2, "p_adjusted": p}}, 1 - 0.9) == HIGHER * is_marked
        assert _marks({"difference": {"value": -0.2, "p_adjusted": p}}, 1 - 0.9) == LOWER * is_marked


@pytest.mark.parametrize(
    ("options", "is_wide", "form"),
    [
        ([], True, "markdown"), (["--limits", "none"], True, "latex"), (["-q"], False, "latex"), (["-n"], False, "latex"),
        (["--margin", ".05"], False, "latex"), (["--best"], False, "latex"), (["--all-pairs"], False, "markdown"),
        (["--population", "topics,documents"], False, "latex"), (["--layout", "long"], False, "latex"),
    ],
)  # fmt: skip
def test_formats_of_papers_have_a_papers_table_unless_it_leaves_something_out(
    options: list[str], is_wide: bool, form: str
) -> None:
    command, others = ("map-ci", options) if "--all-pairs" in options else ("compare", options)
    usual = irci(command, *others, "--format", form).stdout
    asked = [] if "--layout" in options else ["--layout", "wide" if is_wide else "long"]
    assert usual == irci(command, *others, *asked, "--format", form).stdout
    assert ("Means over" in usual) == is_wide
    if "--limits" not in options:
        assert irci(command, *others, "--format", "tsv").stdout.startswith("measure\t")


def test_a_table_wider_than_a_page_has_no_limits(tmp_path: Path) -> None:
    """Thirteen collections with limits take 300 letters; without them they fit 160, and the caption says why."""
    collections = [f"set{number}" for number in range(13)]
    lines = [
        f"{collection},{run},{topic},AP,{(3 * place + 5 * topic) % 7 / 10}"
        for collection in collections
        for place, run in enumerate(("one", "two"))
        for topic in range(5)
    ]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["collection,run,topic,measure,value", *lines, ""]))
    asked = ["compare", "--quiet", "--scores", "--baseline", "one", "--layout", "wide", file]
    table, caption = printed(*asked).split("\n\n")
    assert max(map(len, table.splitlines())) <= 160
    assert "[" not in table
    assert "--limits brackets" in caption
    assert printed(*asked, "--limits", "none").split("\n\n")[0] == table
    assert "[" in printed(*asked, "--limits", "brackets")
    few = file.with_name("few.csv")
    few.write_text("\n".join(["collection,run,topic,measure,value", *lines[:30], ""]))
    assert "[" in printed(*asked[:-1], few)
