"""A paper's table in each format: a row a run, a column a measure, with limits, signs of significance, and a caption.

Differences from a baseline and ranks stand with the mean of their run. Of several populations one is shown: topics rather
than documents, as a claim about a system needs them, else the first. So the mean over collections is about other collections,
unless only topics were asked for; single collections have topics alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from irci.base import UsageError, visible, visible_unicode
from irci.base.choices import DOCUMENTS, SEEDS, TOPICS, Format, Limits
from irci.base.types import gathered, reaches
from irci.output import formats
from irci.output.tables import ALL, KINDS, PARTS, Caption, Row, as_read, part_of

if TYPE_CHECKING:
    from irci.output.report import Report

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
SIGNS = str.maketrans({HIGHER: r"$\dagger$", LOWER: r"$\ddagger$", "±": r"$\pm$", "≤": r"$\le$"})
Column = tuple[str, str]  # the measure; and of several collections (or slices) one, or ALL
Entry = dict[str, Row]  # the rows about a run by a measure: its score, difference and rank


class Shown(NamedTuple):
    """A cell for reading: a number, whether it is bold, signs of significance, and limits, if there are any."""

    value: str
    is_bold: bool
    marks: str
    limits: str


class WideTable:
    """The means of a report: titles of columns, a row of cells a run, a baseline's first, and the sentences of a caption.

    bold: what the caption calls the mark of the highest
    """

    def __init__(self, report: Report, digits: int, limits: Limits, bold: str) -> None:
        if report.caption is None:
            raise UsageError("--layout wide is for means of runs over the same topics, which are not printed here.")
        self.digits, self.limits = digits, limits
        self.alpha = 0.0 if report.confidence is None else 1 - report.confidence
        rows = gathered((KINDS[table.kind].cell, (table.measure, row)) for table in report.tables for row in table.rows)
        scores = [row for _, row in rows.get("score", ())]
        names = dict.fromkeys(str(row.get("population", "")) for row in scores if _is_of_whole(row))
        usual = TOPICS if {TOPICS, DOCUMENTS} <= names.keys() else next(iter(names), "")
        self.population = SEEDS if SEEDS in names else usual  # for seeds not all runs have rows
        whole = next((name for column, name in PARTS.items() if scores and column in scores[0]), "")
        self.entries: dict[tuple[str, Column], Entry] = {}
        for row in scores:
            key = str(row["run"]), (str(row["measure"]), part_of(row))
            if self._is_shown(row):
                self.entries[key] = {"score": row}
            elif row["topic"] == ALL:  # without limits, if there are only those of another population
                self.entries.setdefault(key, {"score": {"value": row["value"]}})
        baselines = dict.fromkeys(str(row["baseline"]) for _, row in rows.get("difference", ()))
        self.baseline = next(iter(baselines), "") if len(baselines) < 2 else ""  # all pairs, of which a run has several
        for cell in ("difference", "rank") if self.baseline else ("rank",):
            for name, row in rows.get(cell, ()):
                name, part = str(row.get("ranked_by", name)), part_of(row) or (ALL if whole else "")
                for key in [(str(row["run"]), (name.removesuffix(scale), part)) for scale in SCALES]:
                    if self._is_shown(row) and key in self.entries:
                        self.entries[key][cell] = row
        self.runs = sorted(dict.fromkeys(run for run, _ in self.entries), key=lambda run: run != self.baseline)
        # As they come, first those of the run that has most; the mean over collections behind them all, measure by measure.
        fullest = sorted(gathered(self.entries).values(), key=len, reverse=True)
        columns = dict.fromkeys(column for of_run in fullest for column in of_run)
        measures = list(dict.fromkeys(measure for measure, _ in columns))
        self.columns = sorted(columns, key=lambda column: (measures.index(column[0]), column[1] == ALL))
        self.titles = []
        for measure, part in self.columns:
            words = (measure if len(measures) > 1 or not part else "", whole if part == ALL else part)
            self.titles.append(", ".join(filter(None, words)))
        by_column = list(map(self._cells, self.columns))
        self.cells = list(zip(*by_column, strict=True))
        self.sentences = list(map(visible, self._sentences(report.caption(self.population), by_column, bold)))

    def _is_shown(self, row: Row) -> bool:
        population = self.population if _is_of_whole(row) else TOPICS
        return row.get("population", "") == population and row["topic"] == ALL

    def _is_ranked(self, column: Column) -> bool:
        """True if all pairs of runs were compared: bold are then all runs that none is significantly above."""
        return any("rank" in self.entries.get((run, column), {}) for run in self.runs)

    def _cells(self, column: Column) -> list[Shown]:
        entries = [self.entries.get((run, column), {}) for run in self.runs]
        scores = [as_read(entry.get("score", {})) for entry in entries]
        # Value and limits of each run, nan where there is none; a count has no best.
        numbers = [
            [cell if isinstance(cell := row.get(name), float) else math.nan for name in ("value", "lower", "upper")]
            for row in scores
        ]
        # As a paper prints them: without the zero before the point where all lies in [0, 1].
        are_shares = all(0 <= number <= 1 or math.isnan(number) for of_run in numbers for number in of_run)
        has_halves = self.limits == "plus-minus" and all(
            math.isnan(value + lower + upper) or math.isclose(value - lower, upper - value, rel_tol=1e-9, abs_tol=1e-12)
            for value, lower, upper in numbers
        )

        def written(number: float) -> str:
            text = f"{number:.{self.digits}f}"
            return text.removeprefix("0") if are_shares else text

        cells = [row.get("value", "") for row in scores]
        values = [written(cell) if isinstance(cell, float) else str(cell) for cell in cells]
        means = [mean for row, (mean, *_) in zip(scores, numbers, strict=True) if row]
        has_best = means and not any(map(math.isnan, means)) and len(set(values)) > 1
        highest, is_ranked = written(max(means)) if has_best else None, self._is_ranked(column)
        made = []
        for value, entry, (_, lower, upper) in zip(values, entries, numbers, strict=True):
            is_bold = entry.get("rank", {}).get("lower") == 1 if is_ranked else value == highest
            limits = f"± {written((upper - lower) / 2)}" if has_halves else f"[{written(lower)}, {written(upper)}]"
            has_limits = self.limits != "none" and not math.isnan(lower + upper)
            made.append(Shown(value, is_bold, _marks(entry, self.alpha), limits if has_limits else ""))
        return made

    def _sentences(self, caption: Caption, by_column: Sequence[Sequence[Shown]], bold: str) -> Iterator[str]:
        cells = [cell for column in by_column for cell in column]
        kinds = {cell.limits[:1] for cell in cells} - {""}
        yield f"{caption.means}, with {caption.limits}." if kinds else f"{caption.means}."
        if "±" in kinds:
            yield "±: half the distance between the limits."
        is_ranked = {
            self._is_ranked(column)
            for column, cells_of in zip(self.columns, by_column, strict=True)
            if any(cell.is_bold for cell in cells_of)
        }
        if len(is_ranked) == 2:
            yield f"{bold}: the highest of its column; with letters: no run is significantly higher."
        elif is_ranked:
            yield f"{bold}: {'no run is significantly higher' if True in is_ranked else 'the highest of its column'}."
        meanings: dict[str, list[str]] = {}
        tested = [entry.get("difference", {}).get("p_adjusted") for entry in self.entries.values()]
        if any(isinstance(p, float) and not math.isnan(p) for p in tested):
            meanings[caption.test] = [f"{HIGHER}: significantly higher than {self.baseline}; {LOWER}: lower"]
        if any(cell.marks.strip(HIGHER + LOWER) for cell in cells):
            meanings.setdefault(caption.test_of_letters, []).append(LETTERS)
        for test, texts in meanings.items():
            sentence = "; ".join(texts)
            level = f"{self.alpha:.10g}".removeprefix("0")
            yield f"{sentence[:1].upper()}{sentence[1:]} ({test}; p ≤ {level})."
        yield from caption.selection if meanings else ()

    def lines(self, name: Callable[[str], str], cell: Callable[[Shown], str]) -> list[list[str]]:
        """The header and the rows, as a format writes names and cells."""
        header = [name(visible(title)) for title in ("run", *self.titles)]
        rows = zip(self.runs, self.cells, strict=True)
        return [header, *([name(visible(run)), *map(cell, row)] for run, row in rows)]

    def aligned(self) -> str:
        """Columns below their headers; limits below one another, whatever signs stand before them."""
        columns: list[list[str]] = [["run", *map(visible, self.runs)]]
        for title, cells in zip(self.titles, zip(*self.cells, strict=True), strict=True):
            signs = [f"{cell.value}{HIGHEST * cell.is_bold}{cell.marks}" for cell in cells]
            width = max(map(len, signs))
            texts = [f"{sign:<{width}} {cell.limits}".rstrip() for sign, cell in zip(signs, cells, strict=True)]
            columns.append([visible(title), *texts])
        return formats.tabulated("table", list(zip(*columns, strict=True))) + "\n"

    def latex(self) -> str:
        """A table with its caption; rows without tabulate, which would escape markup too."""

        def plain(text: str) -> str:
            return text.replace("-", "$-$").translate(SIGNS)

        cell = partial(_cell, r"\textbf{{{}}}", r"\textsuperscript{{{}}}", plain=plain)
        header, *rows = (" & ".join(line) + " \\\\" for line in self.lines(formats.in_latex, cell))
        return "\n".join((
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{formats.in_latex(' '.join(self.sentences)).translate(SIGNS)}}}",
            r"\label{tab:irci-means}",
            rf"\begin{{tabular}}{{{'l' * (1 + len(self.titles))}}}",
            r"\toprule", header, r"\midrule", *rows, r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ))  # fmt: skip


def _is_of_whole(row: Row) -> bool:
    return row.get("collection", ALL) == ALL


def _marks(entry: Mapping[str, Row], alpha: float) -> str:
    """The letters of a run, and a dagger if it scores significantly higher than the baseline, a double one if lower."""
    letters = str(entry.get("rank", {}).get("letters", "")).strip("-")
    difference = entry.get("difference", {})
    p, value = difference.get("p_adjusted"), difference.get("value")
    if not isinstance(p, float) or not isinstance(value, float) or value == 0 or not reaches(p, alpha):
        return letters
    return letters + (HIGHER if value > 0 else LOWER)


def _cell(bold: str, raised: str, cell: Shown, plain: Callable[[str], str] = str) -> str:
    value = bold.format(plain(cell.value)) if cell.is_bold else plain(cell.value)
    marks = raised.format(plain(cell.marks)) if cell.marks else ""
    return f"{value}{marks} {plain(cell.limits)}".rstrip()


def has_whole_result(report: Report) -> bool:
    """True if a paper's table shows all that a report has to say: means of runs over topics, of one population, with
    differences from one baseline, and ranks; no topics of their own, no verdicts, no plans. Of several collections it
    shows the mean over them, and leaves out how much they differ; of seeds and topics the rows over both."""
    tables = [table for table in report.tables if table.kind != "heterogeneity"]
    columns = {column for table in tables for column in table.columns}
    rows = [(KINDS[table.kind].cell, row) for table in tables for row in table.rows]
    populations = {row.get("population") for _, row in rows}
    return (
        any(cell == "score" for cell, _ in rows)
        and all(cell for cell, _ in rows)
        and ("collection" in columns or len(populations) == 1 or populations == {SEEDS, TOPICS})
        and len({row["baseline"] for cell, row in rows if cell == "difference"}) <= 1
        and all(row.get("topic", ALL) == ALL for _, row in rows)
        and columns.isdisjoint(WITHOUT_A_CELL)
    )


def written(report: Report, form: Format, notes: Sequence[str], digits: int, limits: Limits | None) -> str:
    """Write a paper's table in a format; `limits` None: in brackets, if that is not too wide."""
    highest = HIGHEST if form == "table" else "Bold"
    table = WideTable(report, digits, limits or "brackets", highest)
    if limits is None and max(map(len, table.aligned().split("\n"))) > WIDEST:
        table = WideTable(report, digits, "none", highest)
        notes = [*notes, LEFT_OUT]  # is for the author of a table, not for its readers
    if form == "table":
        return table.aligned() + formats.below(form, [*table.sentences, *notes])
    if form == "latex":
        return table.latex() + formats.below(form, notes)[1:]
    rows = table.lines(formats.in_markdown, partial(_cell, "**{}**", "<sup>{}</sup>"))
    sentences = formats.in_markdown(" ".join(table.sentences))
    return f"{formats.tabulated(form, rows)}\n\n{sentences}\n{formats.below(form, notes)}"


def as_html(report: Report, digits: int, limits: Limits) -> str:
    """A table of HTML under its heading, to be put into a page."""
    from irci.output.page import scrolling

    def in_html(text: str) -> str:  # in UTF-8: bytes that are not are written as escapes
        return escape(visible_unicode(text), quote=False)

    def cell(entry: Shown) -> str:  # with what a page sorts by
        return f'<td data-value="{entry.value}">{_cell("<b>{}</b>", "<sup>{}</sup>", entry)}</td>'

    table = WideTable(report, digits, limits, "Bold")
    header, *rows = table.lines(in_html, cell)
    heads = (f'<th scope="col">{title}</th>' for title in header)
    lines = (f'<tr><th scope="row">{run}</th>{"".join(cells)}</tr>\n' for run, *cells in rows)
    frame = scrolling("wide", in_html(" ".join(table.sentences)), heads, lines)
    return "".join(['<h3 id="wide-heading">Runs by measures</h3>\n', *frame])
