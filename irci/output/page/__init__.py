"""A report as a page: one file of HTML that needs nothing else, for reading on a screen or printed. Computes nothing."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from irci.base import Record, first_names, plural, visible_unicode
from irci.output.formats import for_reading
from irci.output.kinds import KINDS, Kind, KindOfTable, printed_name
from irci.output.plots import MOST_PANELS, draw_each
from irci.output.tables import Row, Table, as_read

if TYPE_CHECKING:
    from irci.output.report import Report

TITLED = 3  # runs, and measures, that the title names
FIRST_SENTENCES = 12  # the others are folded away
FIRST_PICTURES = 6  # the others are folded away
POINTS_TO_PIXELS = 96 / 72
MANY = 200  # rows of one kind: each measure has its own table
SEEN = 100  # rows that tell which columns hold numbers
RUNS = ("run", "baseline")
# Of a paper's table (`irci.output.wide.as_html`), which scrolls.
FRAME = """<h3 id="wide-heading">Runs by measures</h3>
<div class="scroll" tabindex="0" role="region" aria-labelledby="wide-heading">
{}</div>
"""


class Question(Record):
    """The request that a report answers: the question, the files of judgments or scores that it is asked of, how to ask it
    again, whom to cite, and what was warned of."""

    question: str
    line: str
    citations: str
    warnings: Sequence[str] = ()
    collection: str = ""


class Section(NamedTuple):
    """A part of the page under a heading, shown or folded."""

    name: str
    title: str
    pieces: Iterator[str]
    is_folded: bool = False

    def written(self) -> Iterator[str]:
        heading, last = element("h2", escaped(self.title)), ""
        if self.is_folded:
            heading, last = unfolding(heading.rstrip()), "</details>\n"
        yield f'<section id="{self.name}">\n{heading}'
        yield from self.pieces
        yield f"{last}</section>\n"


def page(report: Report, asked: Question, digits: int, wide: str = "", *, long: bool = True) -> Iterator[str]:
    """The page in pieces; the same ones for the same report and question. `wide`: a paper's table, before the report's tables,
    which are shown if they are `long`."""
    sections = list(filter(None, map(_unless_empty, _sections(report, asked, digits, wide, long=long))))
    title = _title(report, asked)
    yield _head(title)
    yield f"<body>\n<main>\n{_header(title, asked, report)}"
    links = (element("li", f'<a href="#{section.name}">{escaped(section.title)}</a>') for section in sections)
    yield f'<nav aria-label="Contents">\n<ul>{"".join(links)}</ul>\n</nav>\n'
    for section in sections:
        yield from section.written()
    yield f"</main>\n<script>{_own('script.js')}</script>\n</body>\n</html>\n"


def _sections(report: Report, asked: Question, digits: int, wide: str, *, long: bool) -> Iterator[Section]:
    yield Section("answer", "The answer", _answer(report))
    yield Section("pictures", "Pictures", _figures(report))
    tables = framed(report.tables if long else (), digits, first_open=not wide)
    yield Section("tables", "Tables", chain([FRAME.format(wide)] if wide else (), tables))
    warned = listed(asked.warnings) if asked.warnings else element("p", "None.")
    yield Section("warnings", "Warnings", iter([warned]))
    varies = (element("p", escaped(source.page)) for source in report.sources.values())
    yield Section("varies", "What varies, and what does not", varies, is_folded=True)
    settings = described(((name, _setting(value)) for name, value in report.signature.items()), "settings")
    yield Section("settings", "Settings", iter([settings]), is_folded=True)
    yield Section("again", "To run it again", iter([element("pre", escaped(asked.line))]), is_folded=True)
    yield Section("cite", "To cite", iter([element("pre", escaped(asked.citations.rstrip()))]), is_folded=True)


def _unless_empty(section: Section) -> Section | None:
    first = next(filter(None, section.pieces), None)
    return None if first is None else section._replace(pieces=chain([first], section.pieces))


def _title(report: Report, asked: Question) -> str:
    parts = [asked.collection, *(first_names(names, TITLED) for names in (report.runs, report.measures) if names)]
    return " · ".join(filter(None, parts)) if report.runs else asked.question


def _own(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


def _head(title: str) -> str:
    """The head: nothing may be fetched, and no script may run but ours, whatever a name holds."""
    digest = base64.b64encode(hashlib.sha256(_own("script.js").encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';"
        f" script-src 'sha256-{digest}'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{_own('style.css')}</style>\n</head>\n"
    )


def _header(title: str, asked: Question, report: Report) -> str:
    counts = (
        ("run", len(report.runs) or report.signature.get("num_runs")),
        ("topic", report.signature.get("num_topics")),
    )
    numbers = (plural(number, noun) for noun, number in counts if isinstance(number, int) and number)
    about = [asked.question, " ".join(asked.line.split()[:2]), *numbers]
    return f"<header>\n<h1>{escaped(title)}</h1>\n<p>{escaped(' · '.join(about))}</p>\n</header>\n"


def _answer(report: Report) -> Iterator[str]:
    concluded = dict.fromkeys(report.conclusion)
    first = [element("p", element("strong", escaped(sentence)).rstrip()) for sentence in concluded]
    further = [element("p", escaped(sentence)) for sentence in report.sentences if sentence not in concluded]
    yield from first[:FIRST_SENTENCES]
    yield folded([*first[FIRST_SENTENCES:], *further], "sentence")


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)


def _figures(report: Report) -> Iterator[str]:
    if importlib.util.find_spec("matplotlib") is None:
        yield element("p", "For pictures, install matplotlib: <code>pip install '.[plot]'</code>.")
        return
    titles, drawn = draw_each(report)
    pictures = [_figure(f"picture{index}", *panel) for index, panel in enumerate(zip(titles, drawn, strict=False), 1)]
    yield from pictures[:FIRST_PICTURES]
    yield folded(pictures[FIRST_PICTURES:], "picture")
    if len(titles) > MOST_PANELS:
        few = f"These are the first {MOST_PANELS} of {len(titles)} pictures"
        yield element("p", f"{few}: choose fewer measures or runs.")


def _figure(name: str, title: str, svg: bytes) -> str:
    """A picture as part of the page: no namespaces, its ids behind a name, its style in the page's."""
    root = ElementTree.fromstring(svg)
    for part in root.iter():
        part[:] = [child for child in part if _local(child.tag) not in ("metadata", "style")]
        part.tag = _local(part.tag)
        part.attrib = {_local(key): _own_ids(_local(key), value, name) for key, value in part.attrib.items()}
        part.tail = part.tail if part.tail and part.tail.strip() else None
    width = float(root.attrib.pop("width").removesuffix("pt")) * POINTS_TO_PIXELS
    del root.attrib["height"]
    root.attrib |= {"role": "img", "aria-labelledby": f"{name}-title", "style": f"--natural: {width:.0f}px"}
    said = ElementTree.Element("title", id=f"{name}-title")
    said.text = title
    root.insert(0, said)
    return f'<figure aria-label="{escaped(title)}">\n{ElementTree.tostring(root, "unicode")}\n</figure>\n'


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _own_ids(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return value.replace("url(#", f"url(#{name}-")


class TableGroup(NamedTuple):
    """Tables with the same columns that make one."""

    kind: Kind
    columns: Sequence[str]
    tables: list[Table]

    @property
    def of(self) -> KindOfTable:
        return KINDS[self.kind]

    @property
    def size(self) -> int:
        return sum(len(table.rows) for table in self.tables)

    @property
    def heading(self) -> str:
        measures = dict.fromkeys(filter(None, (table.measure for table in self.tables)))
        words = (self.of.title or printed_name(self.kind)).replace("_", " ")
        return words[:1].upper() + words[1:] + (f": {', '.join(measures)}" if measures else "")

    @property
    def shown(self) -> list[str]:
        # Runs first; without one that says nothing: a table name that all rows share, or that they are of all topics.
        silent = {"table"} if len({table.name for table in self.tables}) == 1 else set()
        silent |= {"topic"} if self.of.is_estimate and not self.of.of_topics else set()
        runs = [column for column in RUNS if column in self.columns]
        return [*runs, *(column for column in self.columns if column not in (*runs, *silent))]


def framed(tables: Sequence[Table], digits: int, *, first_open: bool = True) -> Iterator[str]:
    """All tables, those of single topics last, each under its heading in a frame that scrolls, with what its columns mean; all
    are folded but the first.
    """
    for number, group in enumerate(_groups(tables), 1):
        name, heading = f"table{number}", f'<h3 id="table{number}-heading">{escaped(group.heading)}</h3>'
        opens = first_open and number == 1
        yield f"{heading}\n" if opens else unfolding(f"{heading} <span>{plural(group.size, 'row')}</span>")
        yield from _one(name, group, digits)
        yield "" if opens else "</details>\n"


def _groups(tables: Sequence[Table]) -> list[TableGroup]:
    rows = {of: sum(len(table.rows) for table in tables if table.kind == of) for of in {table.kind for table in tables}}
    groups: dict[tuple[object, ...], TableGroup] = {}
    for table in tables:
        key = (table.kind, tuple(table.columns), table.measure if rows[table.kind] > MANY else "")
        groups.setdefault(key, TableGroup(table.kind, table.columns, [])).tables.append(table)
    return sorted(groups.values(), key=lambda group: group.of.of_topics)


def _one(name: str, group: TableGroup, digits: int) -> Iterator[str]:
    yield f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}-heading">\n<table id="{name}">\n'
    yield f"<caption><span>{escaped(group.of.answer)}</span></caption>\n"
    columns, numbers = group.shown, _numbers(group)
    heads = (f'<th scope="col"{numbers.get(column, "")}>{escaped(column)}</th>' for column in columns)
    yield f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
    for table in group.tables:
        yield from (_row(row, columns, numbers, digits) for row in map(as_read, table.printed()))
    yield "</tbody>\n</table>\n</div>\n"
    meanings = ((column, group.of.meaning(column)) for column in columns)
    yield f"<details>\n<summary>What the columns mean</summary>\n{described(meanings)}</details>\n"


# The attribute of cells, by columns that hold numbers.
def _numbers(group: TableGroup) -> dict[str, str]:
    rows = chain.from_iterable(table.printed() for table in group.tables)
    first = list(map(as_read, islice(rows, SEEN)))
    return {
        column: ' class="n"'
        for column in group.columns
        if all(isinstance(row[column], int | float) and not isinstance(row[column], bool) for row in first)
    }


def _row(row: Row, columns: Sequence[str], numbers: dict[str, str], digits: int) -> str:
    texts = [(numbers.get(column, ""), escaped(for_reading(column, row[column], f".{digits}f"))) for column in columns]
    (of_first, first), *further = texts
    cells = "".join(f"<td{of}>{text}</td>" for of, text in further)
    return f'<tr><th scope="row"{of_first}>{first}</th>{cells}</tr>\n'


def escaped(text: str) -> str:
    """A text as HTML, which is UTF-8: bytes that are not, and what is obeyed, are written as escapes."""
    return escape("\n".join(map(visible_unicode, text.split("\n"))))


def element(tag: str, inside: str) -> str:
    """An element on lines of its own."""
    return f"<{tag}>{inside}</{tag}>\n"


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
