"""A report as a page: one file of HTML that needs nothing else, for reading on a screen or printed. Computes nothing."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from irci.base import first_names, plural
from irci.base.types import gathered
from irci.output.formats import escaped, for_reading
from irci.output.plots import MOST_PANELS, figure_of, file_of, panels_of
from irci.output.tables import KINDS, Row, Table, as_read, meaning, meanings, printed_name

if TYPE_CHECKING:
    from irci.output.report import Report

TITLED = 3  # runs, and measures, that the title names
FIRST_SENTENCES = 12  # the others are folded away
FIRST_PICTURES = 6  # the others are folded away
RUNS = ("run", "baseline")
FILES = ("page.html", "style.css", "script.js")
SETTINGS = {"True": "yes", "False": "no", "None": "none", "''": "none"}  # in words, as Python writes them


def page(
    report: Report, digits: int, wide: str = "", *, long: bool = True, question: str, collection: str = "", line: str,
    citations: str, warnings: Sequence[str] = (),
) -> str:  # fmt: skip
    """The page; the same for the same arguments. Nothing is fetched, and no script runs but ours, whatever a name holds.

    wide: a paper's table, before the report's tables, which are shown if they are `long`
    question, collection, line: what is asked, of which files of judgments or scores, and how to ask it again
    citations, warnings: whom to cite, and what was warned of
    """
    names = [first_names(names, TITLED) for names in (report.runs, report.measures) if names]
    title = escaped(" · ".join(filter(None, [collection, *names])) if report.runs else question)
    counts = {"run": len(report.runs) or report.signature.get("num_runs"), "topic": report.signature.get("num_topics")}
    numbers = (plural(number, noun) for noun, number in counts.items() if isinstance(number, int) and number)
    concluded = dict.fromkeys(report.conclusion)
    first = [element("p", element("strong", escaped(sentence)).rstrip()) for sentence in concluded]
    further = [paragraph(sentence) for sentence in report.sentences if sentence not in concluded]
    settings = ((name, SETTINGS.get(repr(value), str(value))) for name, value in report.signature.items())
    # Their names and titles, whether they are folded, and what they hold, if anything.
    parts: list[tuple[str, str, bool, Iterable[str]]] = [
        ("answer", "The answer", False, [*first[:FIRST_SENTENCES], folded([*first[FIRST_SENTENCES:], *further], "sentence")]),
        ("pictures", "Pictures", False, _figures(report)),
        ("tables", "Tables", False, [wide, *framed(report.tables if long else (), digits, first_open=not wide)]),
        ("warnings", "Warnings", False, [listed(warnings) if warnings else element("p", "None.")]),
        ("varies", "What varies, and what does not", True, [paragraph(of["page"]) for of in report.sources.values()]),
        ("settings", "Settings", True, [described(settings, "settings")]),
        ("again", "To run it again", True, [element("pre", escaped(line))]),
        ("cite", "To cite", True, [element("pre", escaped(citations.rstrip()))]),
    ]  # fmt: skip
    links, sections = [], []
    for name, heading, is_folded, pieces in parts:
        if inside := "".join(pieces):
            links.append(element("li", f'<a href="#{name}">{heading}</a>'))
            level = f"<h2>{heading}</h2>"
            begin, end = (unfolding(level), "</details>\n") if is_folded else (f"{level}\n", "")
            sections.append(f'<section id="{name}">\n{begin}{inside}{end}</section>\n')
    frame, style, script = (files(__name__).joinpath(name).read_text("utf-8") for name in FILES)
    return Template(frame).substitute(
        title=title, about=escaped(" · ".join([question, " ".join(line.split()[:2]), *numbers])), style=style, script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(), links="".join(links),
        sections="".join(sections),
    )  # fmt: skip


def _figures(report: Report) -> Iterator[str]:
    if importlib.util.find_spec("matplotlib") is None:
        yield element("p", "For pictures, install matplotlib: <code>pip install '.[plot]'</code>.")
        return
    panels = panels_of(report)
    pictures = [
        image(panel.title, file_of(figure_of([panel], None, report.confidence), "svg", is_opaque=False))
        for panel in panels[:MOST_PANELS]
    ]
    yield from pictures[:FIRST_PICTURES]
    yield folded(pictures[FIRST_PICTURES:], "picture")
    if len(panels) > MOST_PANELS:
        few = f"These are the first {MOST_PANELS} of {len(panels)} pictures"
        yield element("p", f"{few}: choose fewer measures or runs.")


def image(title: str, svg: bytes) -> str:
    """A picture as data of its own: ids in it are not those of another one."""
    return f'<figure><img alt="{escaped(title)}" src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"></figure>\n'


def framed(tables: Sequence[Table], digits: int, *, first_open: bool = True) -> Iterator[str]:
    """All tables, those of single topics last, each under its heading in a frame that scrolls, with what its columns mean; all
    are folded but the first. Tables of a kind with the same columns are one.
    """
    groups = gathered(((table.kind, tuple(table.columns)), table) for table in tables)
    ordered = sorted(groups.items(), key=lambda group: KINDS[group[0][0]].of_topics)
    for number, ((kind_name, names), of_kind) in enumerate(ordered, 1):
        kind, opens = KINDS[kind_name], first_open and number == 1
        measures = ", ".join(dict.fromkeys(filter(None, (table.measure for table in of_kind))))
        words = (kind.title or printed_name(kind_name)).replace("_", " ")
        words = words[:1].upper() + words[1:] + (f": {measures}" if measures else "")
        heading = f'<h3 id="table{number}-heading">{escaped(words)}</h3>'
        number_of_rows = plural(sum(len(table.rows) for table in of_kind), "row")
        yield f"{heading}\n" if opens else unfolding(f"{heading} <span>{number_of_rows}</span>")
        # Runs first; without a column that says nothing: a table name that all rows share, or that they are of all topics.
        silent = {"table"} if len({table.name for table in of_kind}) == 1 else set()
        silent |= {"topic"} if kind.is_estimate and not kind.of_topics else set()
        columns = sorted({*names} - silent, key=lambda name: (name not in RUNS, names.index(name)))
        first = next(of_kind[0].printed())
        heads = (f'<th scope="col"{_of_number(first[column])}>{escaped(column)}</th>' for column in columns)
        rows = (_row(as_read(row), columns, digits) for table in of_kind for row in table.printed())
        yield from scrolling(f"table{number}", escaped(meanings()[kind_name]["answer"]), heads, rows)
        of_columns = described((column, meaning(kind_name, column)) for column in columns)
        yield f"<details>\n<summary>What the columns mean</summary>\n{of_columns}</details>\n"
        yield "" if opens else "</details>\n"


def scrolling(name: str, caption: str, heads: Iterable[str], rows: Iterable[str]) -> Iterator[str]:
    """A table, of which all is HTML, in a frame that scrolls, below its heading."""
    yield f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}-heading">\n<table id="{name}">\n'
    yield f"<caption><span>{caption}</span></caption>\n<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
    yield from rows
    yield "</tbody>\n</table>\n</div>\n"


def _of_number(cell: object) -> str:
    """The attribute of a cell that holds a number."""
    return ' class="n"' if isinstance(cell, int | float) and not isinstance(cell, bool) else ""


def _row(row: Row, columns: Sequence[str], digits: int) -> str:
    cells = [f"{_of_number(row[name])}>{escaped(for_reading(name, row[name], f'.{digits}f'))}" for name in columns]
    return f'<tr><th scope="row"{cells[0]}</th>{"".join(f"<td{cell}</td>" for cell in cells[1:])}</tr>\n'


def element(tag: str, inside: str) -> str:
    """An element on lines of its own."""
    return f"<{tag}>{inside}</{tag}>\n"


def paragraph(text: str) -> str:
    """A text as a paragraph."""
    return element("p", escaped(text))


def listed(texts: Iterable[str]) -> str:
    """Texts as a list."""
    return element("ul", "".join(element("li", escaped(text)) for text in texts))


def described(pairs: Iterable[tuple[str, str]], kind: str = "meanings") -> str:
    """Names, and what belongs to each."""
    terms = (f"<div><dt>{escaped(name)}</dt><dd>{escaped(meaning)}</dd></div>\n" for name, meaning in pairs)
    return f'<dl class="{kind}">\n{"".join(terms)}</dl>\n'


def folded(parts: Sequence[str], noun: str) -> str:
    """Parts of the page that are shown if asked for, and on paper; of none nothing."""
    return f"{unfolding(plural(len(parts), f'more {noun}'))}{''.join(parts)}</details>\n" if parts else ""


def unfolding(summary: str) -> str:
    """The beginning of a part that is shown if asked for, and on paper, below its summary."""
    return f'<details class="whole">\n<summary>{summary}</summary>\n'
