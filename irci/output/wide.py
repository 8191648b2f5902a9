"""A paper's table in each format: a row a run, a column a measure, with limits, signs of significance, and a caption.

Differences from a baseline and ranks stand with the mean of their run. Of several populations one is shown: topics rather
than documents, as a claim about a system needs them, else the first. So the mean over collections is about other collections,
unless only topics were asked for; single collections have topics alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from irci.base import UsageError, visible
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
HIGHEST, UNBEATEN = "the highest of its column", "no run is significantly higher"
LETTERS = "Runs that share a letter are not significantly different"
WITHOUT_A_CELL = ("verdict", "topics_needed", "slice", "estimator")  # columns
# How the name of what differences are of goes on behind the measure's, where means are of logits or logarithms.
SCALES = ("", "_logit", "_log")
# Signs that a caption of ours has, and LaTeX no letters for; and what else stands in its cells.
SIGNS = {ord(HIGHER): r"$\dagger$", ord(LOWER): r"$\ddagger$", ord("±"): r"$\pm$", ord("≤"): r"$\le$"}
SIGNS_OF_CELLS = {**SIGNS, ord("-"): "$-$"}
Column = tuple[str, str]  # the measure; and of several collections (or slices) one, or ALL
Entry = dict[str, Row]  # the rows about a run by a measure: its score, difference and rank


class Cell(NamedTuple):
    """A run by a measure: its value, and what it is bold for, if it is; letters and signs; limits as they are written."""

    value: str
    bold: str
    marks: str
    limits: str


class WideTable:
    """The means of a report: runs, a baseline first, and titles of columns; cells by column and run."""

    def __init__(self, report: Report, digits: int, limits: Limits) -> None:
        # Rows are made once, not each time that they are looked at.
        tables = [table._replace(rows=list(table.rows)) for table in report.tables if KINDS[table.kind].cell]
        rows = gathered((KINDS[table.kind].cell, (table.measure, row)) for table in tables for row in table.rows)
        scores = [row for _, row in rows.get("score", ())]
        if report.caption is None or not scores:
            raise UsageError("--layout wide is for means of runs over the same topics, which are not printed here.")
        self.digits, self.limits, self.beside = digits, limits, report.caption
        self.alpha = 0.0 if report.confidence is None else 1 - report.confidence
        names = dict.fromkeys(str(row.get("population", "")) for row in scores if _is_of_whole(row))
        usual = TOPICS if {TOPICS, DOCUMENTS} <= names.keys() else next(iter(names), "")
        population = SEEDS if SEEDS in names else usual  # for seeds not all runs have rows

        def is_in_table(row: Row) -> bool:
            return row["topic"] == ALL and row.get("population", "") == (population if _is_of_whole(row) else TOPICS)

        whole = next((name for column, name in PARTS.items() if column in scores[0]), "")
        entries: dict[tuple[str, Column], Entry] = {}
        for row in scores:
            key = str(row["run"]), (str(row["measure"]), part_of(row))
            if is_in_table(row):
                entries[key] = {"score": row}
            elif row["topic"] == ALL:  # without limits, if there are only those of another population
                entries.setdefault(key, {"score": {"value": row["value"]}})
        baselines = dict.fromkeys(str(row["baseline"]) for _, row in rows.get("difference", ()))
        self.baseline = next(iter(baselines), "") if len(baselines) < 2 else ""  # all pairs, of which a run has several
        for cell in ("difference", "rank") if self.baseline else ("rank",):
            for name, row in filter(lambda pair: is_in_table(pair[1]), rows.get(cell, ())):
                name, part = str(row.get("ranked_by", name)), part_of(row) or (ALL if whole else "")
                for scale in SCALES:
                    entries.get((str(row["run"]), (name.removesuffix(scale), part)), {})[cell] = row
        self.runs = sorted(dict.fromkeys(run for run, _ in entries), key=lambda run: run != self.baseline)
        # As they come, first those of the run that has most; the mean over collections behind them all, measure by measure.
        fullest = sorted(gathered(entries).values(), key=len, reverse=True)
        as_they_come = dict.fromkeys(column for of_run in fullest for column in of_run)
        measures = list(dict.fromkeys(measure for measure, _ in as_they_come))
        columns = sorted(as_they_come, key=lambda column: (measures.index(column[0]), column[1] == ALL))
        self.titles = [
            ", ".join(filter(None, [measure if len(measures) > 1 or not part else "", whole if part == ALL else part]))
            for measure, part in columns
        ]
        self.cells = [list(self._cells([entries.get((run, column), {}) for run in self.runs])) for column in columns]
        p_values = [entry["difference"].get("p_adjusted") for entry in entries.values() if "difference" in entry]
        self.is_tested = any(isinstance(p, float) and not math.isnan(p) for p in p_values)
        in_table = (table._replace(rows=list(filter(is_in_table, table.rows))) for table in tables)
        self.manner = formats.Manner([table for table in in_table if table.rows], report)

    def _cells(self, entries: Sequence[Entry]) -> Iterator[Cell]:
        scores = [as_read(entry.get("score", {})) for entry in entries]
        # Value and limits of each run, nan where there is none; a count has no best.
        numbers = [
            [cell if isinstance(cell := row.get(name), float) else math.nan for name in ("value", "lower", "upper")]
            for row in scores
        ]
        # As a paper prints them: without the zero before the point where all lies in [0, 1].
        are_shares = all(math.isnan(number) or 0 <= number <= 1 for of_run in numbers for number in of_run)
        has_halves = self.limits == "plus-minus" and all(
            math.isnan(lower + value + upper) or math.isclose(value - lower, upper - value, rel_tol=1e-9, abs_tol=1e-12)
            for value, lower, upper in numbers
        )

        def written(number: float) -> str:
            text = f"{number:.{self.digits}f}"
            return text.removeprefix("0") if are_shares else text

        cells = [row.get("value", "") for row in scores]
        values = [written(cell) if isinstance(cell, float) else str(cell) for cell in cells]
        means = [value for row, (value, *_) in zip(scores, numbers, strict=True) if row]
        has_best = means and not any(map(math.isnan, means)) and len(set(values)) > 1
        highest = written(max(means)) if has_best else None
        # Where all pairs of runs were compared, bold are all that none is significantly above.
        is_ranked = any("rank" in entry for entry in entries)
        for value, entry, (_, lower, upper) in zip(values, entries, numbers, strict=True):
            is_bold = entry.get("rank", {}).get("lower") == 1 if is_ranked else value == highest
            limits = f"± {written((upper - lower) / 2)}" if has_halves else f"[{written(lower)}, {written(upper)}]"
            has_limits = self.limits != "none" and not math.isnan(lower + upper)
            bold = (UNBEATEN if is_ranked else HIGHEST) if is_bold else ""
            yield Cell(value, bold, _marks(entry, self.alpha), limits if has_limits else "")

    def sentences(self, form: str) -> Iterator[str]:
        """The caption in a format, without its markup."""
        cells, manner = list(chain.from_iterable(self.cells)), self.manner
        limits = {cell.limits[0] for cell in cells if cell.limits}
        yield f"Means over {' in '.join(manner.counted())}" + (
            f", with {' and '.join(manner.limits())}." if limits else "."
        )
        if "±" in limits:
            yield "±: half the distance between the limits."
        if meanings := sorted({cell.bold for cell in cells} - {""}, key=(HIGHEST, UNBEATEN).index):
            bold = formats.SYNTAXES[form].bold.format("") if form == "table" else "Bold"
            yield f"{bold}: {'; with letters: '.join(meanings)}."
        marks, family = dict[str, str](), manner.family()
        if self.is_tested:
            adjusted = "not adjusted" if manner.signature.get("correction") == "none" else "adjusted"
            signs = f"{HIGHER}: significantly higher than {self.baseline}; {LOWER}: lower"
            marks[signs] = f"p {adjusted} for {family}" if family else ""
        if any(cell.marks.strip(HIGHER + LOWER) for cell in cells):
            marks[LETTERS] = manner.of_ranks()
        level = f"p ≤ {self.alpha:.10g}".replace("0.", ".")
        for meaning, how in marks.items():
            yield f"{meaning} ({'; '.join(filter(None, [manner.tests(), how, level]))})."
        yield from self.beside()

    def columns(self, form: str) -> list[list[str]]:
        """Columns, headers first, as a format writes them; as text limits stand below one another."""
        syntax, signs = formats.SYNTAXES[form], SIGNS_OF_CELLS if form == "latex" else {}
        columns = [[syntax.name(visible(text)) for text in ("run", *self.runs)]]
        for title, cells in zip(self.titles, self.cells, strict=True):
            values = [syntax.bold.format(cell.value) if cell.bold else cell.value for cell in cells]
            marks = [syntax.raised.format(cell.marks) if cell.marks else "" for cell in cells]
            texts = list(map(str.__add__, values, marks))
            width = max(map(len, texts)) if form == "table" else 0
            whole = (f"{text:<{width}} {cell.limits}".rstrip() for text, cell in zip(texts, cells, strict=True))
            columns.append([syntax.name(visible(title)), *(text.translate(signs) for text in whole)])
        return columns


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
    table = WideTable(report, digits, limits or "brackets")
    align = "l" * (1 + len(table.titles))
    if limits is None:
        lines = formats.tabulated("table", table.columns("table"), align).split("\n")
        if max(map(len, lines)) > WIDEST:  # which is for the author of a table, not for its readers
            table.cells = [[cell._replace(limits="") for cell in cells] for cells in table.cells]
            notes = [*notes, LEFT_OUT]
    text, sentences = formats.tabulated(form, table.columns(form), align), list(map(visible, table.sentences(form)))
    caption = formats.SYNTAXES[form].name(" ".join(sentences))
    if form == "table":
        return f"{text}\n{formats.below(form, [*sentences, *notes])}"
    if form == "markdown":
        return f"{text}\n\n{caption}\n{formats.below(form, notes)}"
    head = [r"% \usepackage{booktabs}", r"\begin{table}", r"\centering", rf"\caption{{{caption.translate(SIGNS)}}}"]
    return "\n".join([*head, r"\label{tab:irci-means}", text, r"\end{table}"]) + formats.below(form, notes)


def as_html(report: Report, digits: int, limits: Limits) -> str:
    """A table of HTML under its heading, to be put into a page; its cells with what the page sorts by."""
    from irci.output.page import scrolling

    table = WideTable(report, digits, limits)
    runs, *columns = table.columns("html")
    heads = (f'<th scope="col">{title}</th>' for title, *_ in (runs, *columns))
    tds = (
        [f'<td data-value="{cell.value}">{text}</td>' for cell, text in zip(cells, texts, strict=True)]
        for cells, (_, *texts) in zip(table.cells, columns, strict=True)
    )
    rows = (
        f'<tr><th scope="row">{run}</th>{"".join(of_run)}</tr>\n' for run, *of_run in zip(runs[1:], *tds, strict=True)
    )
    caption = formats.SYNTAXES["html"].name(" ".join(map(visible, table.sentences("html"))))
    return "".join(['<h3 id="wide-heading">Runs by measures</h3>\n', *scrolling("wide", caption, heads, rows)])
