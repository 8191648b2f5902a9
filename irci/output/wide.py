"""A paper's table in each format: runs by measures, with limits, the highest bold, signs of significance, and a caption.

For machines a row a run, with all that is known of it under names of their own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from irci.base.choices import FORMATS, IN_WIDE, Format, Limits
from irci.base.names import visible, visible_unicode
from irci.output.formats import (
    WRITERS,
    Notes,
    Tables,
    Writer,
    below,
    for_machines,
    in_columns,
    in_comment,
    in_latex,
    in_lines,
    in_markdown,
)
from irci.output.grid import DAGGER, Grid, Shown
from irci.output.kinds import KINDS
from irci.output.tables import ALL, Caption, Cell, Signature
from irci.output.wording import as_typed

FORMS = tuple(form for form in IN_WIDE if form in WRITERS)  # of a page it is a part
DIGITS = 3
HIGHEST = "^"  # in place of bold, where there is none; a star would be read as significant
WIDEST = 160  # letters
LEFT_OUT = "Limits are left out, as the table would be too wide (--limits brackets shows them)."
WITHOUT_A_CELL = ("verdict", "topics_needed", "slice", "estimator")  # columns
OfPopulation = Callable[[str], Caption]
# Signs that a caption of ours has, and LaTeX no letters for.
SIGNS = {DAGGER: r"$\dagger$", "±": r"$\pm$", "≤": r"$\le$"}


def in_html(text: str) -> str:
    """A text between tags, in UTF-8: bytes that are not are written as escapes."""
    return escape(visible_unicode(text), quote=False)


class WideTable(NamedTuple):
    """A table for reading: a header, a row of cells a run, and the sentences of a caption. `blocks`: how many columns are of
    each measure, where these are parts of several."""

    titles: Sequence[str]
    runs: Sequence[str]
    cells: list[tuple[Shown, ...]]
    sentences: Sequence[str]
    blocks: Mapping[str, int]

    @property
    def caption(self) -> str:
        return " ".join(self.sentences)

    def parts(self) -> Iterator[tuple[str, "WideTable"]]:
        """The lines above the runs, and the table; of parts of several measures a block a measure, as no page is as wide as
        all of them."""
        if not self.blocks:
            yield "run", self
        first = 0
        for measure, number in self.blocks.items():
            some = slice(first, first := first + number)
            titles = [title.removeprefix(f"{measure}, ") for title in self.titles[some]]
            yield measure, self._replace(titles=titles, cells=[row[some] for row in self.cells], blocks={})

    @property
    def width(self) -> int:
        """Letters of the longest line, where columns stand below their headers."""
        return max(len(line) for line in _aligned(self).split("\n"))

    def lines(self, name: Callable[[str], str], cell: Callable[[Shown], str], corner: str = "run") -> list[list[str]]:
        header = [name(visible(each)) for each in (corner, *self.titles)]
        return [
            header,
            *([name(visible(run)), *map(cell, row)] for run, row in zip(self.runs, self.cells, strict=True)),
        ]


def has_whole_result(tables: Tables) -> bool:
    """True if a paper's table shows all that these have to say: means of runs over topics, of one population, with differences
    from one baseline, ranks and claims; no topics of their own, no verdicts, no plans. Of several collections it shows the
    mean over them, and leaves out how much they differ."""
    tables = [table for table in tables if table.kind != "heterogeneity"]
    rows = [(KINDS[table.kind].cell, row) for table in tables for row in table.rows]
    has_collections = any("collection" in table.columns for table in tables)
    return (
        any(cell == "score" for cell, _ in rows)
        and all(cell for cell, _ in rows)
        and (has_collections or len({row.get("population") for _, row in rows}) == 1)
        and len({row["baseline"] for cell, row in rows if cell == "difference"}) <= 1
        and all(row.get("topic", ALL) == ALL for _, row in rows)
        and not any(column in table.columns for table in tables for column in WITHOUT_A_CELL)
    )


def writer(form: Format, digits: int, limits: Limits | None, caption: OfPopulation) -> Writer:
    """The function that writes a paper's table in a format; `limits` None: in brackets, if that is not too wide."""
    if FORMATS[form].for_reading:
        return partial(_for_reading, form, digits, limits, caption)
    return partial(_for_machines, form)


def as_html(tables: Tables, signature: Signature, digits: int, limits: Limits, caption: OfPopulation) -> str:
    """A table of HTML, to be put into a page."""

    def cell(shown: Shown) -> str:  # with what a page sorts by
        return f'<td data-value="{shown.value}">{_cell("<b>{}</b>", "<sup>{}</sup>", shown)}</td>'

    page = _page(tables, signature, digits, limits, caption, "Bold")
    header, *rows = page.lines(in_html, cell)
    lines = [f'<tr><th scope="row">{run}</th>{"".join(cells)}</tr>\n' for run, *cells in rows]
    heads = "".join(f'<th scope="col">{each}</th>' for each in header)
    return (
        f'<table id="wide">\n<caption><span>{in_html(page.caption)}</span></caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table>\n"
    )


def _for_machines(form: Format, tables: Tables, signature: Signature, notes: Notes) -> Iterator[str]:
    grid = Grid.of(tables)
    same = {name: cell for name, cell in (("population", grid.population), ("baseline", grid.baseline)) if cell}
    of_runs: dict[str, dict[str, Cell]] = {run: {"run": run} for run in grid.runs}
    for (run, column), entry in grid.entries.items():
        of_runs[run].update(entry.columns(column.prefix))
    # The columns of a measure stand together, though the baseline, which has fewer, comes first.
    columns = ["run"]
    for column in grid.columns:
        found = [list(entry.columns(column.prefix)) for (_, of), entry in grid.entries.items() if of == column]
        columns += [name for name, _ in max(found, key=len)]
    lines = [[for_machines({**row, **same}.get(name, "")) for name in (*columns, *same)] for row in of_runs.values()]
    yield from in_lines(form, [[*map(visible, columns), *same], *lines] if lines else [])


def _for_reading(
    form: Format,
    digits: int,
    limits: Limits | None,
    caption: OfPopulation,
    tables: Tables,
    signature: Signature,
    notes: Notes,
) -> Iterator[str]:
    highest = HIGHEST if form == "table" else "Bold"
    page = _page(tables, signature, digits, limits or "brackets", caption, highest)
    if limits is None and page.width > WIDEST:
        page = _page(tables, signature, digits, "none", caption, highest)
        page = page._replace(sentences=[*page.sentences, LEFT_OUT])
    if form == "table":
        yield _aligned(page) + below("# ", "", [*page.sentences, *notes])
    elif form == "markdown":
        yield _in_pipes(page) + below("<!-- ", " -->", notes, in_comment)
    else:
        yield _in_latex(page) + below("% ", "", notes)[1:]


def _page(
    tables: Tables, signature: Signature, digits: int, limits: Limits, caption: OfPopulation, highest: str
) -> WideTable:
    confidence = signature.get("confidence")
    alpha = 1 - confidence if isinstance(confidence, float) else 0.0
    grid = Grid.of(tables)
    columns = [grid.cells(column, digits, limits, alpha) for column in grid.columns_shown]
    said = _caption(grid, columns, caption(grid.population), alpha, highest)
    blocks = Counter(as_typed(column.measure) for column in grid.columns_shown if column.part)
    return WideTable(grid.titles, grid.runs, list(zip(*columns, strict=True)), said, blocks if len(blocks) > 1 else {})


def _caption(grid: Grid, columns: Sequence[Sequence[Shown]], caption: Caption, alpha: float, highest: str) -> list[str]:
    cells = [cell for column in columns for cell in column]
    kinds = {cell.limits[:1] for cell in cells} - {""}
    level = f"p ≤ {f'{alpha:.10g}'.removeprefix('0')}"
    sentences = [f"{caption.means}, with {caption.limits}." if kinds else f"{caption.means}."]
    if "±" in kinds:
        sentences.append("±: half the distance between the limits.")
    sentences += _of_bold(grid, columns, highest)
    meanings: dict[str, list[str]] = {}
    if grid.is_tested:
        meanings[caption.test] = [f"{DAGGER}: significantly different from {grid.baseline}"]
    if any(cell.marks.strip(DAGGER) for cell in cells):
        of_letters = "runs that share a letter are not significantly different"
        meanings.setdefault(caption.test_of_letters, []).append(of_letters)
    for test, told in meanings.items():
        said = "; ".join(told)
        sentences.append(f"{said[:1].upper()}{said[1:]} ({test}; {level}).")
    if meanings:
        sentences += caption.selection
    if len(grid.columns_shown) > len(grid.columns):
        sentences.append(
            "Survives: how many of the other sources of variation that could be told confirm a difference that is significant"
            f" over topics ({', '.join(grid.sources_of_claims)})."
        )
    sentences += caption.best
    return list(map(visible, sentences))


def _of_bold(grid: Grid, columns: Sequence[Sequence[Shown]], bold: str) -> list[str]:
    is_bold = [any(cell.is_bold for cell in column) for column in columns]
    ranked = [grid.is_ranked(column) for column in grid.columns_shown]
    in_ranked = any(bold and of for bold, of in zip(is_bold, ranked, strict=True))
    in_others = any(bold and not of for bold, of in zip(is_bold, ranked, strict=True))
    if in_ranked and in_others:
        return [f"{bold}: the highest of its column; with letters: no run is significantly higher."]
    of_ranked = [f"{bold}: no run is significantly higher."] * in_ranked
    return of_ranked + [f"{bold}: the highest of its column."] * in_others


def _cell(bold: str, raised: str, cell: Shown, plain: Callable[[str], str] = str) -> str:
    value = bold.format(plain(cell.value)) if cell.is_bold else plain(cell.value)
    marks = raised.format(plain(cell.marks)) if cell.marks else ""
    return f"{value}{marks} {plain(cell.limits)}".rstrip()


def _aligned(page: WideTable) -> str:
    """Columns below their headers, a block a measure."""
    return "\n".join(
        f"{corner}\n" * bool(page.blocks) + _block(part.titles, part.runs, part.cells) for corner, part in page.parts()
    )


def _block(titles: Sequence[str], runs: Sequence[str], cells: Sequence[Sequence[Shown]]) -> str:
    def signs(cell: Shown) -> str:
        return f"{cell.value}{HIGHEST * cell.is_bold}{cell.marks}"

    # Limits stand below one another, whatever signs stand before them.
    widths = [max(len(signs(cell)) for cell in column) for column in zip(*cells, strict=True)]
    rows = [
        [
            visible(run),
            *(f"{signs(cell):<{width}} {cell.limits}".rstrip() for cell, width in zip(row, widths, strict=True)),
        ]
        for run, row in zip(runs, cells, strict=True)
    ]
    return f"{in_columns(['run', *map(visible, titles)], rows)}\n"


def _in_pipes(page: WideTable) -> str:
    from tabulate import tabulate

    header, *rows = page.lines(in_markdown, partial(_cell, "**{}**", "<sup>{}</sup>"))
    table = tabulate(rows, headers=header, tablefmt="github", disable_numparse=True)
    return f"{table}\n\n{in_markdown(page.caption)}\n"


def _in_latex(page: WideTable) -> str:
    def plain(text: str) -> str:  # tabulate would escape markup too
        return "".join(SIGNS.get(letter, "$-$" if letter == "-" else letter) for letter in text)

    cell, blocks = partial(_cell, r"\textbf{{{}}}", r"\textsuperscript{{{}}}", plain=plain), []
    for corner, part in page.parts():
        header, *rows = (" & ".join(line) + " \\\\" for line in part.lines(in_latex, cell, corner))
        blocks.append([header, r"\midrule", *rows])
    lines = [line for block in blocks for line in (r"\midrule", *block)][1:]
    caption = "".join(SIGNS.get(letter, letter) for letter in in_latex(page.caption))
    return "\n".join((
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        r"\label{tab:irci-means}",
        rf"\begin{{tabular}}{{{'l' * (1 + max(len(part.titles) for _, part in page.parts()))}}}",
        r"\toprule", *lines, r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ))  # fmt: skip
