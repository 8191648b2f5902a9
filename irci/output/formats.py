"""Tables to text, table, tsv, csv, json, jsonl, latex or markdown (html: irci.output.page). Computes nothing.

Text, table, latex and markdown are for reading, with 4 decimals or as many as are wanted, and limits no further than scores
go. They leave out columns that only further computations need (`FOR_MACHINES`), and those that say in each row how it was
made (`MANNER`), unless they vary: one line says what is the same in all rows. The others are for machines, with all columns
and every digit as it was computed. An undefined number is nan, in json null; so is an infinite one there. The signature is in
json.

A name (any text: cells, notes, the signature) is written by one function a format: `visible` in text, table, tsv and csv;
`visible_unicode` in json and jsonl, which are UTF-8; those of `SYNTAXES` in the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from irci.base import plural, visible, visible_unicode
from irci.base.choices import DOCUMENTS, FOR_READING, JUDGMENTS, TOPICS, Format
from irci.base.types import gathered
from irci.output.tables import ALL, KINDS, NO_WORD, Cell, PValue, Row, Rows, Table, as_read, part_of

if TYPE_CHECKING:
    from irci.output.report import Report

WRITTEN = tuple(form for form in get_args(Format) if form != "html")
DIGITS = 4  # decimals, as trec_eval prints
FOR_MACHINES = frozenset((
    "effect_size", "effect_lower", "effect_upper", "df", "sd_documents", "sd_topics",
    "lower_adjusted", "upper_adjusted", "reason", "lower_raw", "upper_raw", "seeds_baseline", "sd_seeds_component",
    "passes",
))  # fmt: skip
METHODS = ("interval", "test")  # of estimates part of the line, whether they vary or not: limits and p are in the row
MANNER = (
    "population", *METHODS, "topics", "clusters", "versions", "estimator", "human", "others", "ranked_by", "fuzziness",
    "sets", "draws", "units", "alpha", "correction", "tool", "kind", "judge",
)  # fmt: skip
COUNTED = ("topics", "clusters", "versions")  # of estimates these are said as numbers: 50 topics
OVER = (*COUNTED, "collections")  # what means may be over
SAID = ("population", *METHODS, *COUNTED)  # of estimates in sentences of their own
TESTS = {
    "t": "paired t test", "randomization": "randomization test", "wilcoxon": "Wilcoxon's test", "sign": "sign test",
    "normal": "normal test", "signs": "signs of equal differences, taken for symmetric",
    "t, signs": "paired t test (floor: least sign-test p)",
    "midp": "McNemar's mid-p", "bounded": "from bounded limits", "points": "sign test of points",
}  # fmt: skip
OF_EACH_PAIR = "p_adjusted"
# Each p that is adjusted for other pairs, left out where it is the same as that of the pair alone in all rows.
ADJUSTED = {
    OF_EACH_PAIR: "p", "p_equivalence_adjusted": "p_equivalence", "p_not_worse_adjusted": "p_not_worse",
}  # fmt: skip
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg", "maxt": "max-T"}
# Letters that are markup in Markdown, not all kinds of which take \\<; and in LaTeX.
IN_MARKDOWN = str.maketrans({
    **{letter: f"\\{letter}" for letter in r"\|*_`~$[]"}, "&": "&amp;", "<": "&lt;", ">": "&gt;",
})  # fmt: skip
IN_LATEX = str.maketrans({
    **{letter: f"\\{letter}" for letter in "&%$#_{}"}, "^": r"\^{}", "~": r"\textasciitilde{}", "|": r"\textbar{}",
    "\\": r"\textbackslash{}", "<": r"\ensuremath{<}", ">": r"\ensuremath{>}",
})  # fmt: skip


def escaped(text: str) -> str:
    """A text as HTML, which is UTF-8: bytes that are not, and what is obeyed, are written as escapes."""
    return escape("\n".join(map(visible_unicode, text.split("\n"))))


def _in_latex(name: str) -> str:
    # No ligatures, and no * or [ at its beginning, which the \\ before it would take.
    return re.sub(r"^[*\[]", r"{\g<0>}", re.sub("-(?=-)", "-{}", name.translate(IN_LATEX)))


class Syntax(NamedTuple):
    """How a format for reading writes a name, a line of cells (what begins, parts and ends it) and a comment; a bold value,
    and raised marks."""

    name: Callable[[str], str]
    line: tuple[str, str, str]
    comment: str
    bold: str
    raised: str


SYNTAXES = {
    "table": Syntax(str, ("", "  ", ""), "# {}\n", "{}^", "{}"),  # a star for bold would be read as significant
    "markdown": Syntax(
        lambda name: name.translate(IN_MARKDOWN), ("| ", " | ", " |"), "<!-- {} -->\n", "**{}**", "<sup>{}</sup>"
    ),
    "latex": Syntax(_in_latex, ("", " & ", r" \\"), "% {}\n", r"\textbf{{{}}}", r"\textsuperscript{{{}}}"),
    "html": Syntax(escaped, ("", "", ""), "", "<b>{}</b>", "<sup>{}</sup>"),
}


def written(report: Report, form: Format, notes: Sequence[str] = (), digits: int = DIGITS) -> Iterator[str]:
    """Write the tables of a report in pieces, of rows that are made one after the other; for reading with so many decimals."""
    if form == "text":
        return _as_text(report, notes, digits)
    if form in FOR_READING:
        return _as_aligned(report, form, notes, digits)
    if form in ("tsv", "csv"):
        return _as_separated(report, form)
    return _as_json(report, form, notes)


def _as_text(report: Report, notes: Sequence[str], digits: int) -> Iterator[str]:
    """Write trec_eval's lines, extended: measure padded to 22, topic, value, lower, upper, run, and what follows.

    What is true or false is the column's name or nothing, and a line ends with its last cell that is something. Lines that
    begin with # are names of columns, what is the same in all rows, and notes.
    """
    for header, tables, line in stretches(report):
        if len(header) > 1:  # a column of topics is a list of them, for --topics
            yield "# " + "\t".join(header) + "\n"
            yield f"# {visible(line)}\n" if line else ""
        for row in _rows(tables):
            first, *rest = (for_reading(name, cell, f"{digits + 2}.{digits}f") for name, cell in row.items())
            yield "\t".join([f"{first:<22}" if rest else first, *rest]).rstrip("\t") + "\n"
    yield from (f"# {visible(note)}\n" for note in notes if note)


def _as_aligned(report: Report, form: Format, notes: Sequence[str], digits: int) -> Iterator[str]:
    """Write columns below their headers, a pipe table, or a booktabs tabular; names are escaped.

    What is the same in all rows, and notes, follow as comments.
    """
    texts, lines, name_in = [], [], SYNTAXES[form].name
    for header, tables, line in stretches(report):
        rows = list(_rows(tables))
        columns = [[row.get(name, "") for row in rows] for name in header]
        align = "".join(
            "r" if all(cell == "" or type(cell) in (int, float) for cell in cells) else "l" for cells in columns
        )
        cells = (
            [name, *(for_reading(name, cell, f".{digits}f") for cell in column)]
            for name, column in zip(header, columns, strict=True)
        )
        texts.append(tabulated(form, [list(map(name_in, column)) for column in cells], align))
        lines += [line] if line else []
    yield "\n\n".join(texts) + below(form, [*lines, *notes])


def _as_separated(report: Report, form: Format) -> Iterator[str]:
    """Write a header of all column names, then one unpadded line a row, with tabs between cells, or with commas, and quotes
    where they are needed (RFC 4180); what a row has not is empty."""
    columns = list(dict.fromkeys(column for table in report.tables for column in table.columns))
    rows = ([for_machines(row.get(column, "")) for column in columns] for row in _rows(report.tables))
    lines = chain([columns] if columns else [], rows)
    if form == "tsv":
        return ("\t".join(line) + "\n" for line in lines)
    import csv  # takes time

    as_it_is: Any = SimpleNamespace(write=str)  # writerow gives what writing gives
    return map(csv.writer(as_it_is, lineterminator="\n").writerow, lines)


def _as_json(report: Report, form: Format, notes: Sequence[str]) -> Iterator[str]:
    """Write an object a row, or {"signature": {...}, "rows": [{column: value}, ...]}, and "notes" if there are any."""
    import json  # takes time

    if form == "jsonl":
        yield from (json.dumps(_in_json(row), allow_nan=False) + "\n" for row in _rows(report.tables))
        return

    def indented(value: object) -> str:
        return json.dumps(value, indent=1, allow_nan=False).replace("\n", "\n ")

    # Of a row; what indents by itself is slow, and leaves cycles behind, row by row.
    cells = json.JSONEncoder(allow_nan=False, separators=(",\n   ", ": "))
    yield '{\n "signature": ' + indented(_in_json(report.signature)) + ',\n "rows": ['
    for index, row in enumerate(_rows(report.tables)):
        yield f"{',' if index else ''}\n  {{\n   {cells.encode(_in_json(row))[1:-1]}\n  }}"
    yield "\n ]" if report.tables else "]"
    yield ',\n "notes": ' + indented([visible_unicode(note.strip()) for note in notes]) if notes else ""
    yield "\n}\n"


def _in_json(row: Row) -> dict[str, Cell]:
    return {
        name: visible_unicode(cell) if isinstance(cell, str) else None if _is_undefined(cell) else cell
        for name, cell in row.items()
    }


def _is_undefined(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)


def for_machines(cell: Cell) -> str:
    """A cell with every digit."""
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(float(cell)) if isinstance(cell, float) else visible(str(cell))


def for_reading(name: str, cell: Cell, form: str) -> str:
    """A cell of a column as people read it; `form`: how numbers are written that are no p-values."""
    if isinstance(cell, bool):
        return name if cell else ""
    if not isinstance(cell, float):
        return visible(str(cell))
    if _is_undefined(cell):
        return str(float(cell))
    # p-values have four significant digits, not four decimals.
    if name.startswith("p_") or name in ("p", "Q_p") or (isinstance(cell, PValue) and cell < cell.least):
        return str(cell if isinstance(cell, PValue) else PValue(cell))
    return format(cell, form)


def _rows(tables: Iterable[Table]) -> Iterator[Row]:
    return (row for table in tables for row in table.printed())


def tabulated(form: Format, columns: Sequence[Sequence[str]], align: str) -> str:
    """Write columns of cells, headers first, as they stand below one another: above a line of dashes, as a pipe table, or as a
    booktabs tabular. align: l or r for each column."""
    widths = [max(map(len, column)) for column in columns]
    padded = (
        [cell.ljust(width) if side == "l" else cell.rjust(width) for cell in column]
        for column, width, side in zip(columns, widths, align, strict=True)
    )
    begin, between, end = SYNTAXES[form].line
    header, *lines = (f"{begin}{between.join(cells)}{end}".rstrip() for cells in zip(*padded, strict=True))
    if form == "latex":
        above, below = [rf"\begin{{tabular}}{{{align}}}", r"\toprule"], [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*above, header, r"\midrule", *lines, *below])
    return "\n".join([header, begin + between.join("-" * width for width in widths) + end, *lines])


def below(form: Format, notes: Sequence[str]) -> str:
    """Write comments below a table: without -- in one of HTML, however many dashes follow one another."""
    texts = (re.sub("-(?=-)", "- ", note) if form == "markdown" else note for note in map(visible, notes))
    return "\n" + "".join(map(SYNTAXES[form].comment.format, texts))


def stretches(report: Report) -> list[tuple[list[str], list[Table], str]]:
    """The tables as people are shown them, in order: a header, the tables whose columns it begins with, and the line that says
    how their rows were made, "" where one above does."""
    # Tables made in one manner: all estimates, or those of one kind.
    family_of = {kind: "" if row.is_estimate else kind for kind, row in KINDS.items()}
    families = gathered((family_of[table.kind], table) for table in report.tables)
    manners = {family: Manner(tables, report) for family, tables in families.items()}
    lines = {family: manner.line() for family, manner in manners.items()}
    made: list[tuple[list[str], list[Table], str]] = []
    for table in report.tables:
        family = family_of[table.kind]
        printed = manners[family].without_constants(table)
        columns, (header, below, _) = printed.columns, made[-1] if made else ([], [], "")
        if made and columns[: len(header)] == header[: len(columns)]:
            header += columns[len(header) :]
            below.append(printed)
        else:
            made.append((columns, [printed], lines.pop(family, "")))
    return made


class Manner:
    """How the rows of some tables of a report were made.

    words: the values of each column of `MANNER`, by population, in order
    telling: of the columns that may say nothing (lower, corrected, those of `ADJUSTED`) those that do
    tested: pairs of slices, and others, by measure, population, and collection or ""
    constants: the columns that are the same in all rows, and how
    """

    def __init__(self, tables: Sequence[Table], report: Report) -> None:
        self.signature, self.confidence, self.sources = report.signature, report.confidence, report.sources
        self.is_estimate = all(KINDS[table.kind].is_estimate for table in tables)
        self.words: dict[str, dict[str, dict[str, None]]] = {}
        self.telling: set[str] = set()
        self.tested = {in_slice: Counter[tuple[str, ...]]() for in_slice in (True, False)}
        usual = next(iter(report.sources), "")  # where rows name no population
        for table in tables:
            # Numbers that rows are about, in tables that are no estimates, are those of topics to be judged, say.
            columns = [name for name in MANNER if name in table.columns and (self.is_estimate or name not in COUNTED)]
            has_limits, has_pairs = KINDS[table.kind].has_limits, table.kind == "difference"
            for row in table.rows:
                population = str(row.get("population", usual))
                for column in columns:
                    self.words.setdefault(column, {}).setdefault(population, {})[str(row[column])] = None
                if has_limits and isinstance(lower := row.get("lower"), float) and not math.isnan(lower):
                    self.telling.add("lower")
                if row.get("corrected", False) is not False:
                    self.telling.add("corrected")
                for column in ADJUSTED.keys() - self.telling:
                    if column in row and str(row[column]) != str(row.get(ADJUSTED[column])):
                        self.telling.add(column)
                if has_pairs and not math.isnan(float(row.get(OF_EACH_PAIR, math.nan) or 0)):
                    in_slice = str(row.get("slice", ALL)) != ALL  # all slices are one family
                    part = "" if in_slice else part_of(row)
                    self.tested[in_slice][table.measure, f"{population} {row.get('estimator', '')}", part] += 1
        self.populations = list(self.words.get("population", {usual: None} if report.sources else ()))
        constants = {name: {word for words in of.values() for word in words} for name, of in self.words.items()}
        self.constants = {name: min(constants[name]) for name in MANNER if len(constants.get(name, ())) == 1}

    def without_constants(self, table: Table) -> Table:
        """The table with the columns that people are shown, its rows for reading."""
        out = {*self.constants, *({*ADJUSTED, "corrected"} - self.telling)}
        out |= {*METHODS, *FOR_MACHINES} if self.is_estimate else set()

        def row(index: int) -> Row:
            return {column: cell for column, cell in as_read(table.rows[index]).items() if column not in out}

        return table._replace(rows=Rows(len(table.rows), row))

    def line(self) -> str:
        """The manner of all rows in words: "95% confidence intervals over topics (t), 50 topics; p: paired t test"."""
        same = [f"{name}: {word}" for name, word in self.constants.items() if name not in SAID or not self.is_estimate]
        if not self.is_estimate:
            return "; ".join(same)
        tests, family = self.tests() if "test" in self.words else "", self.family()
        # Of ranks where it is not that of pairs.
        says_ranks = "ranked_by" in self.words and "correction_of_ranks" in self.signature
        parts = [
            ", ".join([*self.limits(), *self.counted()]), f"p: {tests}" if tests else "",
            f"p_adjusted: {family}" if family and OF_EACH_PAIR in self.telling else "",
            f"ranks and letters: {self.of_ranks()}" if says_ranks else "",
            _model(self.signature), *same,
        ]  # fmt: skip
        return "; ".join(filter(None, parts))

    def limits(self) -> list[str]:
        """The limits over each population, if any: 95% confidence intervals over topics (t), over documents (normal)."""
        kinds, further = self.words.get("interval", {}), self.signature.get("new_topics")
        names = {"bounded": "bounded by the scale", "prediction": "t" if further is None else f"for {further} others"}
        if (resamples := self.signature.get("resamples")) is not None:
            names["linear"] = f"{resamples} resamples"
        over, limits = list[str](), list[str]()
        for population in self.populations:
            if population != JUDGMENTS:
                words = _either(kinds.get(population, ()), names)
                over.append(f"over {self._over(population)}" + (f" ({words})" if words else ""))
        if over and self.confidence is not None:
            is_predicted = {kind for words in kinds.values() for kind in words} - {NO_WORD} == {"prediction"}
            level = f"{self.confidence * 100:.10g}% {'prediction' if is_predicted else 'confidence'}"
            at_looks = f"limits {', '.join(over)} that hold at all looks with {level}"
            limits.append(at_looks if "looks" in self.signature else f"{level} intervals {', '.join(over)}")
        limits += ["bounds over all grades of unjudged documents"] if JUDGMENTS in self.populations else []
        return limits if "lower" in self.telling else []

    def counted(self) -> list[str]:
        """All that means are over: 20 topics, 7 clusters."""
        numbers = {name: str(self.constants.get(name, self.signature.get(f"num_{name}"))) for name in OVER}
        equally = {"collections", self.signature.get("mean")} - {TOPICS}
        return [
            plural(int(number), name.removesuffix("s")) + " weighted equally" * (name in equally)
            for name, number in numbers.items()
            if number.isdigit()
        ]

    def tests(self) -> str:
        """The tests over each population, if there are several: "paired t test over topics, normal test over documents"."""
        test, tests = str(self.signature.get("test", "")), dict[str, str]()
        of_ranks = {name: [test if name != DOCUMENTS else "normal"] for name in self.words.get("ranked_by", ())}
        for name, words in self.words.get("test", of_ranks).items():
            over, test = self._over(name), _either(words, TESTS)
            if test:  # runs are paired by topics
                tests[over] = test if over == TOPICS else test.replace("paired t test", "t test")
        if len({*tests.values()}) < 2:
            return next(iter(tests.values()), "")
        return ", ".join(f"{test} over {over}" for over, test in tests.items())

    def _over(self, population: str) -> str:
        return self.sources.get(population, {}).get("over") or population

    def family(self) -> str:
        """The family that p is adjusted over: "19 pairs with bm25, Holm"."""
        whole, of_slices = (self._number(noun, in_slices=noun != "pair") for noun in ("pair", "difference"))
        baseline, families = self.signature.get("baseline"), list[tuple[str, str]]()
        if whole not in ("", "1 pair"):
            with_one = f" with {baseline}" if baseline not in (None, "all pairs") else ""
            families.append((whole + with_one, "correction"))
        if of_slices:
            families.append((f"{of_slices} in slices", "correction_in_slices"))
        parts = [
            f"{of}, {how}" if (how := CORRECTIONS.get(str(self.signature.get(name)))) else of for of, name in families
        ]
        if len({part for *_, part in self.tested[False]}) > 1 and parts:
            parts[0] += ", separately in each collection"
        return "; ".join(parts)

    def of_ranks(self) -> str:
        """The family that ranks and letters are adjusted over: "all pairs, Holm"."""
        correction = self.signature.get("correction_of_ranks", self.signature.get("correction"))
        return f"all pairs, {CORRECTIONS.get(str(correction), 'not adjusted')}"

    def _number(self, noun: str, *, in_slices: bool) -> str:
        """How many pairs p is adjusted for, the most if families differ; "" if none."""
        tested = self.tested[in_slices]
        measures = len({measure for measure, *_ in tested})
        is_joint = self.signature.get("family") == "joint" and measures > 1
        families = gathered((names[is_joint:], pairs) for names, pairs in tested.items())
        sizes = {sum(numbers) for numbers in families.values()}
        if not sizes:
            return ""
        number = plural(max(sizes), "difference" if is_joint else noun)
        number = f"{number} in {plural(measures, 'measure')}" if is_joint else number
        return f"up to {number}" if len(sizes) > 1 else number


def _model(signature: Mapping[str, Cell]) -> str:
    """The model of an ANOVA and its random splits: "model: interaction, 1 random split into 2 parts (seed 0)"."""
    if "model" not in signature:
        return ""
    is_drawn = "splits" in signature and not ("parts_file" in signature or signature.get("scores"))
    parts, *_ = str(signature.get("parts")).split()  # effects and pairs are of the first number of parts
    splits = plural(int(str(signature["splits"])), "random split") if is_drawn else ""
    return f"model: {signature['model']}" + f", {splits} into {parts} parts (seed {signature['seed']})" * is_drawn


def _either(words: Collection[str], names: Mapping[str, str]) -> str:
    words = [word for word in words if word != "t" or "t, signs" not in words]  # which says both
    return " or ".join(names.get(word, word) for word in words if word not in (NO_WORD, ""))
