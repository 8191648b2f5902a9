"""A paper's table in each format: a row a run, a column a measure, with limits, signs of significance, and a caption.

Differences from a baseline and ranks stand with the mean of their run. Of several populations one is shown: topics rather
than documents, as a claim about a system needs them, else the first. So the mean over collections is about other collections,
unless only topics were asked for; single collections have topics alone.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from itertools import starmap
from typing import NamedTuple

from irci.base import visible, visible_unicode
from irci.base.choices import DOCUMENTS, IN_WIDE, SEEDS, TOPICS, Format, Limits
from irci.base.types import gathered, reaches
from irci.output import formats
from irci.output.kinds import KINDS
from irci.output.tables import ALL, PARTS, Caption, Row, Signature, as_read, part_of

FORMS = tuple(form for form in IN_WIDE if form in formats.WRITERS)  # of a page it is a part
DIGITS = 3
HIGHEST = "^"  # in place of bold, where there is none; a star would be read as significant
HIGHER, LOWER = "†", "‡"
WIDEST = 160  # letters
LEFT_OUT = "Limits are left out, as the table would be too wide (--limits brackets shows them)."
LETTERS = "runs that share a letter are not significantly different"
WITHOUT_A_CELL = ("verdict", "topics_needed", "slice", "estimator")  # columns
# How the name of what differences are of goes on behind the measure's, where means are of logits or logarithms.
SCALES = ("", "_logit", "_log")
# Signs that a caption of ours has, and LaTeX no letters for.
SIGNS = {HIGHER: r"$\dagger$", LOWER: r"$\ddagger$", "±": r"$\pm$", "≤": r"$\le$"}
OfPopulation = Callable[[str], Caption]
Entry = dict[str, Row]  # the rows about a run by a measure: its score, difference and rank


class Column(NamedTuple):
    """The means in a column; `part`: of several collections (or slices) one, or ALL."""

    measure: str
    part: str


class Shown(NamedTuple):
    """A cell for reading: a number, whether it is bold, signs of significance, and limits, if there are any."""

    value: str
    is_bold: bool = False
    marks: str = ""
    limits: str = ""


class Grid:
    """Entries by run and column in the order of output, a baseline first; `population`: of means, of collections over them."""

    def __init__(self, tables: formats.Tables) -> None:
        rows = gathered((KINDS[table.kind].cell, (table.measure, row)) for table in tables for row in table.rows)
        scores = [row for _, row in rows.get("score", ())]
        self.population = _population(scores)
        self.whole = next((name for column, name in PARTS.items() if scores and column in scores[0]), "")
        self.entries: dict[tuple[str, Column], Entry] = {}
        for row in scores:
            key = str(row["run"]), Column(str(row["measure"]), part_of(row))
            if self._is_shown(row):
                self.entries[key] = {"score": row}
            elif row["topic"] == ALL:  # without limits, if there are only those of another population
                self.entries.setdefault(key, {"score": {"value": row["value"]}})
        # As they come, first those of the run that has most; the mean over collections behind them all, measure by measure.
        fullest = sorted(gathered(self.entries).values(), key=len, reverse=True)
        columns = dict.fromkeys(column for of_run in fullest for column in of_run)
        measures = list(dict.fromkeys(column.measure for column in columns))
        self.columns = sorted(columns, key=lambda column: (measures.index(column.measure), column.part == ALL))
        baselines = dict.fromkeys(str(row["baseline"]) for _, row in rows.get("difference", ()))
        self.baseline = next(iter(baselines), "") if len(baselines) < 2 else ""  # all pairs, of which a run has several
        for cell in ("difference", "rank") if self.baseline else ("rank",):
            for measure, row in rows.get(cell, ()):
                measure, part = str(row.get("ranked_by", measure)), part_of(row) or (ALL if self.whole else "")
                for key in [(str(row["run"]), Column(measure.removesuffix(scale), part)) for scale in SCALES]:
                    if self._is_shown(row) and key in self.entries:
                        self.entries[key][cell] = row
        self.runs = sorted(dict.fromkeys(run for run, _ in self.entries), key=lambda run: run != self.baseline)

    def _is_shown(self, row: Row) -> bool:
        population = self.population if row.get("collection", ALL) == ALL else TOPICS
        return row.get("population", "") == population and row["topic"] == ALL

    def of(self, column: Column) -> list[Entry]:
        """Return the entries of a column, run by run."""
        return [self.entries.get((run, column), {}) for run in self.runs]

    def title(self, column: Column) -> str:
        """Return the title of a column: its measure, its part, or both where there are several measures."""
        part = self.whole if column.part == ALL else column.part
        has_measures = len({other.measure for other in self.columns}) > 1
        return ", ".join(filter(None, (column.measure if has_measures or not part else "", part)))

    def is_ranked(self, column: Column) -> bool:
        """Return whether all pairs of runs were compared: bold are then all runs that none is significantly above."""
        return any("rank" in entry for entry in self.of(column))

    def cells(self, column: Column, digits: int, limits: Limits, alpha: float) -> list[Shown]:
        """Return the cells of a column for reading."""
        entries = self.of(column)
        scores = [as_read(entry.get("score", {})) for entry in entries]
        # Value and limits of each run, nan where there is none.
        numbers = [
            [cell if isinstance(cell := row.get(name), float) else math.nan for name in ("value", "lower", "upper")]
            for row in scores
        ]
        # As a paper prints them: without the zero before the point where all lies in [0, 1].
        are_shares = all(0 <= number <= 1 or math.isnan(number) for of_run in numbers for number in of_run)
        has_halves = limits == "plus-minus" and all(starmap(_is_symmetrical, numbers))

        def written(number: float) -> str:
            text = f"{number:.{digits}f}"
            return text.removeprefix("0") if are_shares else text

        def limits_of(lower: float, upper: float) -> str:
            if limits == "none" or math.isnan(lower + upper):
                return ""
            return f"± {written((upper - lower) / 2)}" if has_halves else f"[{written(lower)}, {written(upper)}]"

        cells = [row.get("value") for row in scores]
        values = [written(cell) if isinstance(cell, float) else "" if cell is None else str(cell) for cell in cells]
        # A count has no best.
        means = [mean for row, (mean, *_) in zip(scores, numbers, strict=True) if row]
        has_best = means and not any(map(math.isnan, means)) and len(set(values)) > 1
        highest, is_ranked = written(max(means)) if has_best else None, self.is_ranked(column)
        return [
            Shown(
                value,
                is_bold=entry.get("rank", {}).get("lower") == 1 if is_ranked else value == highest,
                marks=_marks(entry, alpha),
                limits=limits_of(lower, upper),
            )
            for value, entry, (_, lower, upper) in zip(values, entries, numbers, strict=True)
        ]


def _is_symmetrical(value: float, lower: float, upper: float) -> bool:
    """Return whether a value lies in the middle of its limits, if it has any."""
    return math.isnan(value + lower + upper) or math.isclose(value - lower, upper - value, rel_tol=1e-9, abs_tol=1e-12)


def _population(scores: Iterable[Row]) -> str:
    names = dict.fromkeys(str(row.get("population", "")) for row in scores if row.get("collection", ALL) == ALL)
    if SEEDS in names:  # for which not all runs have rows
        return SEEDS
    return TOPICS if {TOPICS, DOCUMENTS} <= set(names) else next(iter(names), "")


def _marks(entry: Entry, alpha: float) -> str:
    """Return the letters of a run, and a dagger if it scores significantly higher than the baseline, a double one if lower."""
    letters = str(entry.get("rank", {}).get("letters", "")).strip("-")
    difference = entry.get("difference", {})
    p, value = difference.get("p_adjusted"), difference.get("value")
    if not isinstance(p, float) or not isinstance(value, float) or value == 0 or not reaches(p, alpha):
        return letters
    return letters + (HIGHER if value > 0 else LOWER)


def has_whole_result(tables: formats.Tables) -> bool:
    """Return whether a paper's table shows all that these have to say: means of runs over topics, of one population, with
    differences from one baseline, and ranks; no topics of their own, no verdicts, no plans. Of several collections it
    shows the mean over them, and leaves out how much they differ; of seeds and topics the rows over both."""
    tables = [table for table in tables if table.kind != "heterogeneity"]
    rows = [(KINDS[table.kind].cell, row) for table in tables for row in table.rows]
    populations = {row.get("population") for _, row in rows}
    has_collections = any("collection" in table.columns for table in tables)
    return (
        any(cell == "score" for cell, _ in rows)
        and all(cell for cell, _ in rows)
        and (has_collections or len(populations) == 1 or populations == {SEEDS, TOPICS})
        and len({row["baseline"] for cell, row in rows if cell == "difference"}) <= 1
        and all(row.get("topic", ALL) == ALL for _, row in rows)
        and not any(column in table.columns for table in tables for column in WITHOUT_A_CELL)
    )


class WideTable(NamedTuple):
    """A header, a row of cells a run, and the sentences of a caption."""

    titles: Sequence[str]
    runs: Sequence[str]
    cells: list[tuple[Shown, ...]]
    sentences: Sequence[str]

    def lines(self, name: Callable[[str], str], cell: Callable[[Shown], str]) -> list[list[str]]:
        """Return the header and the rows, as a format writes names and cells."""
        header = [name(visible(title)) for title in ("run", *self.titles)]
        rows = zip(self.runs, self.cells, strict=True)
        return [header, *([name(visible(run)), *map(cell, row)] for run, row in rows)]


def written(
    form: Format, tables: formats.Tables, signature: Signature, notes: formats.Notes, caption: OfPopulation, *,
    digits: int = DIGITS, limits: Limits | None = None,
) -> str:  # fmt: skip
    """Write a paper's table in a format; `limits` None: in brackets, if that is not too wide."""
    highest = HIGHEST if form == "table" else "Bold"
    table = _table(tables, signature, digits, limits or "brackets", caption, highest)
    if limits is None and max(map(len, _aligned(table).split("\n"))) > WIDEST:
        table = _table(tables, signature, digits, "none", caption, highest)
        notes = [*notes, LEFT_OUT]  # is for the author of a table, not for its readers
    if form == "table":
        return _aligned(table) + formats.below(form, [*table.sentences, *notes])
    if form == "latex":
        return _latex(table) + formats.below(form, notes)[1:]
    rows = table.lines(formats.in_markdown, partial(_cell, "**{}**", "<sup>{}</sup>"))
    sentences = formats.in_markdown(" ".join(table.sentences))
    return f"{formats.in_pipes(rows)}\n\n{sentences}\n{formats.below(form, notes)}"


def as_html(tables: formats.Tables, signature: Signature, digits: int, limits: Limits, caption: OfPopulation) -> str:
    """Return a table of HTML under its heading, to be put into a page."""
    from irci.output.page import scrolling

    def in_html(text: str) -> str:  # in UTF-8: bytes that are not are written as escapes
        return escape(visible_unicode(text), quote=False)

    def cell(entry: Shown) -> str:  # with what a page sorts by
        return f'<td data-value="{entry.value}">{_cell("<b>{}</b>", "<sup>{}</sup>", entry)}</td>'

    table = _table(tables, signature, digits, limits, caption, "Bold")
    header, *rows = table.lines(in_html, cell)
    heads = (f'<th scope="col">{title}</th>' for title in header)
    lines = (f'<tr><th scope="row">{run}</th>{"".join(cells)}</tr>\n' for run, *cells in rows)
    frame = scrolling("wide", in_html(" ".join(table.sentences)), heads, lines)
    return "".join(['<h3 id="wide-heading">Runs by measures</h3>\n', *frame])


def _table(
    tables: formats.Tables, signature: Signature, digits: int, limits: Limits, caption: OfPopulation, highest: str
) -> WideTable:
    confidence = signature.get("confidence")
    alpha = 1 - confidence if isinstance(confidence, float) else 0.0
    grid = Grid(tables)
    columns = [grid.cells(column, digits, limits, alpha) for column in grid.columns]
    sentences = list(map(visible, _caption(grid, columns, caption(grid.population), alpha, highest)))
    titles = list(map(grid.title, grid.columns))
    return WideTable(titles, grid.runs, list(zip(*columns, strict=True)), sentences)


def _caption(
    grid: Grid, columns: Sequence[Sequence[Shown]], caption: Caption, alpha: float, bold: str
) -> Iterator[str]:
    cells = [cell for column in columns for cell in column]
    kinds = {cell.limits[:1] for cell in cells} - {""}
    yield f"{caption.means}, with {caption.limits}." if kinds else f"{caption.means}."
    if "±" in kinds:
        yield "±: half the distance between the limits."
    are_bold = [
        grid.is_ranked(name)
        for name, column in zip(grid.columns, columns, strict=True)
        if any(c.is_bold for c in column)
    ]
    if len(set(are_bold)) == 2:
        yield f"{bold}: the highest of its column; with letters: no run is significantly higher."
    elif are_bold:
        yield f"{bold}: no run is significantly higher." if are_bold[0] else f"{bold}: the highest of its column."
    meanings: dict[str, list[str]] = {}
    tested = [entry.get("difference", {}).get("p_adjusted") for entry in grid.entries.values()]
    if any(isinstance(p, float) and not math.isnan(p) for p in tested):
        meanings[caption.test] = [f"{HIGHER}: significantly higher than {grid.baseline}; {LOWER}: lower"]
    if any(cell.marks.strip(HIGHER + LOWER) for cell in cells):
        meanings.setdefault(caption.test_of_letters, []).append(LETTERS)
    for test, texts in meanings.items():
        sentence = "; ".join(texts)
        yield f"{sentence[:1].upper()}{sentence[1:]} ({test}; p ≤ {f'{alpha:.10g}'.removeprefix('0')})."
    yield from caption.selection if meanings else ()


def _cell(bold: str, raised: str, cell: Shown, plain: Callable[[str], str] = str) -> str:
    value = bold.format(plain(cell.value)) if cell.is_bold else plain(cell.value)
    marks = raised.format(plain(cell.marks)) if cell.marks else ""
    return f"{value}{marks} {plain(cell.limits)}".rstrip()


def _aligned(table: WideTable) -> str:
    """Return columns below their headers; limits below one another, whatever signs stand before them."""

    def signs(cell: Shown) -> str:
        return f"{cell.value}{HIGHEST * cell.is_bold}{cell.marks}"

    widths = [max(len(signs(cell)) for cell in column) for column in zip(*table.cells, strict=True)]
    lines = [
        [
            visible(run),
            *(f"{signs(cell):<{width}} {cell.limits}".rstrip() for cell, width in zip(row, widths, strict=True)),
        ]
        for run, row in zip(table.runs, table.cells, strict=True)
    ]
    return formats.in_columns([["run", *map(visible, table.titles)], *lines]) + "\n"


def _latex(table: WideTable) -> str:
    def plain(text: str) -> str:  # tabulate would escape markup too
        return "".join(SIGNS.get(letter, "$-$" if letter == "-" else letter) for letter in text)

    cell = partial(_cell, r"\textbf{{{}}}", r"\textsuperscript{{{}}}", plain=plain)
    header, *rows = (" & ".join(line) + " \\\\" for line in table.lines(formats.in_latex, cell))
    caption = "".join(SIGNS.get(letter, letter) for letter in formats.in_latex(" ".join(table.sentences)))
    return "\n".join((
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        r"\label{tab:irci-means}",
        rf"\begin{{tabular}}{{{'l' * (1 + len(table.titles))}}}",
        r"\toprule", header, r"\midrule", *rows, r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ))  # fmt: skip
