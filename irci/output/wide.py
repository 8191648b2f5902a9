"""A paper's table in each format: a row a run, a column a measure, with limits, signs of significance, and a caption.

Differences from a baseline and ranks stand with the mean of their run. Of several populations one is shown: topics rather
than documents, as a claim about a system needs them, else the first. So the mean over collections is about other collections,
unless only topics were asked for; single collections have topics alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from irci.base import UsageError, visible, visible_unicode
from irci.base.choices import DOCUMENTS, SEEDS, TOPICS, Format, Limits
from irci.base.types import gathered, reaches
from irci.output import formats
from irci.output.tables import ALL, KINDS, PARTS, Row, as_read, part_of

if TYPE_CHECKING:
    from irci.output.report import Report

DIGITS = 3
HIGHER, LOWER = "†", "‡"
WIDEST = 160  # letters
LEFT_OUT = "Limits are left out, as the table would be too wide (--limits brackets shows them)."
LETTERS = "Runs that share a letter are not significantly different"
WITHOUT_A_CELL = ("verdict", "topics_needed", "slice", "estimator")  # columns
# How the name of what differences are of goes on behind the measure's, where means are of logits or logarithms.
SCALES = ("", "_logit", "_log")
# Signs that a caption of ours has, and LaTeX no letters for; and what else stands in its cells.
SIGNS = {ord(HIGHER): r"$\dagger$", ord(LOWER): r"$\ddagger$", ord("±"): r"$\pm$", ord("≤"): r"$\le$"}
SIGNS_OF_CELLS = {**SIGNS, ord("-"): "$-$"}
Column = tuple[str, str]  # the measure; and of several collections (or slices) one, or ALL
Entry = dict[str, Row]  # the rows about a run by a measure: its score, difference and rank


def _in_html(text: str) -> str:  # in UTF-8: bytes that are not are written as escapes
    return escape(visible_unicode(text), quote=False)


HTML = formats.Syntax(_in_html, ("", "", ""), "", "<b>{}</b>", "<sup>{}</sup>")


class WideTable:
    """The means of a report as a format writes them: runs, a baseline first; titles of columns; sentences.

    cells: by column and run the value, the value with its marks, and the limits or ""
    """

    def __init__(self, report: Report, form: str, digits: int, limits: Limits) -> None:
        self.form, self.digits, self.limits = form, digits, limits
        self.syntax = formats.SYNTAXES.get(form, HTML)
        self.alpha = 0.0 if report.confidence is None else 1 - report.confidence
        rows = gathered((KINDS[table.kind].cell, (table.measure, row)) for table in report.tables for row in table.rows)
        scores = [row for _, row in rows.get("score", ())]
        if report.caption is None or not scores:
            raise UsageError("--layout wide is for means of runs over the same topics, which are not printed here.")
        names = dict.fromkeys(str(row.get("population", "")) for row in scores if _is_of_whole(row))
        usual = TOPICS if {TOPICS, DOCUMENTS} <= names.keys() else next(iter(names), "")
        population = SEEDS if SEEDS in names else usual  # for seeds not all runs have rows

        def is_in_table(row: Row) -> bool:
            return row["topic"] == ALL and row.get("population", "") == (population if _is_of_whole(row) else TOPICS)

        whole = next((name for column, name in PARTS.items() if column in scores[0]), "")
        self.entries: dict[tuple[str, Column], Entry] = {}
        for row in scores:
            key = str(row["run"]), (str(row["measure"]), part_of(row))
            if is_in_table(row):
                self.entries[key] = {"score": row}
            elif row["topic"] == ALL:  # without limits, if there are only those of another population
                self.entries.setdefault(key, {"score": {"value": row["value"]}})
        baselines = dict.fromkeys(str(row["baseline"]) for _, row in rows.get("difference", ()))
        self.baseline = next(iter(baselines), "") if len(baselines) < 2 else ""  # all pairs, of which a run has several
        for cell in ("difference", "rank") if self.baseline else ("rank",):
            for name, row in filter(lambda pair: is_in_table(pair[1]), rows.get(cell, ())):
                name, part = str(row.get("ranked_by", name)), part_of(row) or (ALL if whole else "")
                for scale in SCALES:
                    self.entries.get((str(row["run"]), (name.removesuffix(scale), part)), {})[cell] = row
        self.runs = sorted(dict.fromkeys(run for run, _ in self.entries), key=lambda run: run != self.baseline)
        # As they come, first those of the run that has most; the mean over collections behind them all, measure by measure.
        fullest = sorted(gathered(self.entries).values(), key=len, reverse=True)
        columns = dict.fromkeys(column for of_run in fullest for column in of_run)
        measures = list(dict.fromkeys(measure for measure, _ in columns))
        self.columns = sorted(columns, key=lambda column: (measures.index(column[0]), column[1] == ALL))
        self.titles = [
            ", ".join(filter(None, [measure if len(measures) > 1 or not part else "", whole if part == ALL else part]))
            for measure, part in self.columns
        ]
        # By column, True if all pairs of runs were compared: bold are then all runs that none is significantly above.
        self.is_ranked = [any("rank" in self._entry(run, column) for run in self.runs) for column in self.columns]
        self.has_bold: set[bool] = set()  # of such columns, and of others
        self.has_letters = False
        self.cells = [list(self._cells(*column)) for column in zip(self.columns, self.is_ranked, strict=True)]
        in_table = [
            table._replace(rows=rows_in_table)
            for table in report.tables
            if KINDS[table.kind].cell and (rows_in_table := list(filter(is_in_table, table.rows)))
        ]
        sentences = self._sentences(formats.Manner(in_table, report))
        self.sentences = list(map(visible, chain(sentences, report.caption())))

    def _entry(self, run: str, column: Column) -> Entry:
        return self.entries.get((run, column), {})

    def _cells(self, column: Column, is_ranked: bool) -> Iterator[tuple[str, str, str]]:
        entries = [self._entry(run, column) for run in self.runs]
        scores = [as_read(entry.get("score", {})) for entry in entries]
        # Value and limits of each run, nan where there is none; a count has no best.
        numbers = np.array([
            [cell if isinstance(cell := row.get(name), float) else math.nan for name in ("value", "lower", "upper")]
            for row in scores
        ])  # fmt: skip
        are_undefined = np.isnan(numbers)
        # As a paper prints them: without the zero before the point where all lies in [0, 1].
        are_shares = bool(((numbers >= 0) & (numbers <= 1) | are_undefined).all())
        below, above = numbers[:, 0] - numbers[:, 1], numbers[:, 2] - numbers[:, 0]
        has_halves = bool((np.isclose(below, above, rtol=1e-9, atol=1e-12) | are_undefined.any(axis=1)).all())

        def written(number: float) -> str:
            text = f"{number:.{self.digits}f}"
            return text.removeprefix("0") if are_shares else text

        of_cells = SIGNS_OF_CELLS if self.form == "latex" else {}
        cells = [row.get("value", "") for row in scores]
        values = [written(cell) if isinstance(cell, float) else str(cell) for cell in cells]
        means = [mean for row, mean in zip(scores, numbers[:, 0].tolist(), strict=True) if row]
        has_best = means and not any(map(math.isnan, means)) and len(set(values)) > 1
        highest = written(max(means)) if has_best else None
        for value, entry, (_, lower, upper) in zip(values, entries, numbers.tolist(), strict=True):
            is_bold = entry.get("rank", {}).get("lower") == 1 if is_ranked else value == highest
            marks, limits = _marks(entry, self.alpha), ""
            if self.limits != "none" and not math.isnan(lower + upper):
                is_half = self.limits == "plus-minus" and has_halves
                limits = f"± {written((upper - lower) / 2)}" if is_half else f"[{written(lower)}, {written(upper)}]"
            self.has_bold |= {is_ranked} if is_bold else set()
            self.has_letters |= bool(marks.strip(HIGHER + LOWER))
            plain, marks, limits = (text.translate(of_cells) for text in (value, marks, limits))
            signs = self.syntax.bold.format(plain) if is_bold else plain
            yield value, signs + (self.syntax.raised.format(marks) if marks else ""), limits

    def _sentences(self, manner: formats.Manner) -> Iterator[str]:
        limits = {limits[0] for of_column in self.cells for _, _, limits in of_column if limits}
        with_limits = f", with {' and '.join(manner.limits())}" if limits else ""
        yield f"Means over {' in '.join(manner.counted())}{with_limits}."
        if {"±", "$"} & limits:
            yield "±: half the distance between the limits."
        if self.has_bold:
            meaning = "the highest of its column"
            if True in self.has_bold:
                only = "no run is significantly higher"
                meaning = f"{meaning}; with letters: {only}" if False in self.has_bold else only
            yield f"{self.syntax.bold.format('') if self.form == 'table' else 'Bold'}: {meaning}."
        marks, family = dict[str, str](), manner.family()
        tested = [entry.get("difference", {}).get("p_adjusted") for entry in self.entries.values()]
        if any(isinstance(p, float) and not math.isnan(p) for p in tested):
            adjusted = f"p adjusted for {family}" if family else ""
            marks[f"{HIGHER}: significantly higher than {self.baseline}; {LOWER}: lower"] = adjusted
        if self.has_letters:
            marks[LETTERS] = manner.of_ranks()
        level = f"p ≤ {self.alpha:.10g}".replace("0.", ".")
        for meaning, how in marks.items():
            yield f"{meaning} ({'; '.join(filter(None, [manner.tests(), how, level]))})."

    def written_columns(self) -> list[list[str]]:
        """Columns, headers first, as the format writes them; as text limits stand below one another."""
        name = self.syntax.name
        columns = [[name(visible(text)) for text in ("run", *self.runs)]]
        for title, cells in zip(self.titles, self.cells, strict=True):
            width = max(len(signs) for _, signs, _ in cells) if self.form == "table" else 0
            texts = (f"{signs:<{width}} {limits}".rstrip() for _, signs, limits in cells)
            columns.append([name(visible(title)), *texts])
        return columns

    def tabulated(self, form: Format) -> str:
        """All but the sentences, in a format that is not html."""
        return formats.tabulated(form, self.written_columns(), "l" * (1 + len(self.titles)))


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
    if limits is None:
        lines = WideTable(report, "table", digits, "brackets").tabulated("table").split("\n")
        if max(map(len, lines)) > WIDEST:
            limits, notes = "none", [*notes, LEFT_OUT]  # is for the author of a table, not for its readers
    table = WideTable(report, form, digits, limits or "brackets")
    text, caption = table.tabulated(form), table.syntax.name(" ".join(table.sentences))
    if form == "table":
        return f"{text}\n{formats.below(form, [*table.sentences, *notes])}"
    if form == "markdown":
        return f"{text}\n\n{caption}\n{formats.below(form, notes)}"
    head = [r"% \usepackage{booktabs}", r"\begin{table}", r"\centering", rf"\caption{{{caption.translate(SIGNS)}}}"]
    return "\n".join([*head, r"\label{tab:irci-means}", text, r"\end{table}"]) + formats.below(form, notes)


def as_html(report: Report, digits: int, limits: Limits) -> str:
    """A table of HTML under its heading, to be put into a page; its cells with what the page sorts by."""
    from irci.output.page import scrolling

    table = WideTable(report, "html", digits, limits)
    runs, *columns = table.written_columns()
    heads = (f'<th scope="col">{title}</th>' for title, *_ in (runs, *columns))
    tds = (
        [f'<td data-value="{value}">{cell}</td>' for (value, *_), cell in zip(cells, column[1:], strict=True)]
        for cells, column in zip(table.cells, columns, strict=True)
    )
    rows = (
        f'<tr><th scope="row">{run}</th>{"".join(of_run)}</tr>\n' for run, *of_run in zip(runs[1:], *tds, strict=True)
    )
    frame = scrolling("wide", _in_html(" ".join(table.sentences)), heads, rows)
    return "".join(['<h3 id="wide-heading">Runs by measures</h3>\n', *frame])
