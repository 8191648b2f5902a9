"""A report as a page: one file of HTML that needs nothing else, for reading on a screen or printed. Computes nothing."""

import base64
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import chain, islice
from typing import NamedTuple
from xml.etree import ElementTree

from irci.base.names import visible_unicode
from irci.output.formats import for_reading
from irci.output.kinds import KINDS, Kind, KindOfTable, printed_name
from irci.output.plots import MOST_PANELS, draw_each
from irci.output.tables import Answer, Row, Signature, Table, as_read

MANY = 200  # rows of one kind: each measure has its own table
LONG = 40  # rows of a table that is folded
SEEN = 100  # rows that tell which columns hold numbers
RUNS = ("run", "baseline")


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
    terms = (f"<div><dt>{escaped(name)}</dt><dd>{escaped(what)}</dd></div>\n" for name, what in pairs)
    return f'<dl class="{kind}">\n{"".join(terms)}</dl>\n'


def folded(parts: Sequence[str], what: str) -> str:
    """Parts of the page that are shown if asked for, and on paper; of none nothing."""
    inside = f"<summary>{len(parts)} {what}</summary>\n{''.join(parts)}"
    return f'<details class="whole">\n{inside}</details>\n' if parts else ""


class Group(NamedTuple):
    """Tables with the same columns that make one."""

    kind: Kind
    columns: Sequence[str]
    tables: list[Table]

    @property
    def of(self) -> KindOfTable:
        return KINDS[self.kind]

    @property
    def heading(self) -> str:
        measures = dict.fromkeys(filter(None, (table.measure for table in self.tables)))
        what = (self.of.title or printed_name(self.kind)).replace("_", " ")
        return what[:1].upper() + what[1:] + (f": {', '.join(measures)}" if measures else "")

    @property
    def shown(self) -> list[str]:
        # Runs first; without one that says nothing: a table name that all rows share, or that they are of all topics.
        silent = {"table"} if len({table.name for table in self.tables}) == 1 else set()
        silent |= {"topic"} if self.of.is_estimate and not self.of.of_topics else set()
        runs = [column for column in RUNS if column in self.columns]
        return [*runs, *(column for column in self.columns if column not in (*runs, *silent))]


def framed(given: Sequence[Table], digits: int) -> Iterator[str]:
    """All tables, those of single topics last, each with its heading, in a frame that scrolls, and what its columns mean."""
    for number, group in enumerate(_groups(given), 1):
        yield from _one(f"table{number}", group, digits)


def _groups(given: Sequence[Table]) -> list[Group]:
    rows = {of: sum(len(table.rows) for table in given if table.kind == of) for of in {each.kind for each in given}}
    found: dict[tuple[object, ...], Group] = {}
    for table in given:
        key = (table.kind, tuple(table.columns), table.measure if rows[table.kind] > MANY else "")
        found.setdefault(key, Group(table.kind, table.columns, [])).tables.append(table)
    return sorted(found.values(), key=lambda group: group.of.of_topics)


def _one(name: str, group: Group, digits: int) -> Iterator[str]:
    rows = sum(len(table.rows) for table in group.tables)
    opened, closed = f'<details class="rows whole">\n<summary>All {rows:,} rows</summary>\n', "</details>\n"
    yield f'<h3 id="{name}-heading">{escaped(group.heading)}</h3>\n' + opened * (rows > LONG)
    yield f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{name}-heading">\n<table id="{name}">\n'
    yield f"<caption><span>{escaped(group.of.answer)}</span></caption>\n"
    columns, numbers = group.shown, _numbers(group)
    heads = (f'<th scope="col"{numbers.get(column, "")}>{escaped(column)}</th>' for column in columns)
    yield f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
    yield from (_row(row, columns, numbers, digits) for row in _rows(group))
    yield "</tbody>\n</table>\n</div>\n" + closed * (rows > LONG)
    meanings = ((column, group.of.meaning(column)) for column in columns)
    yield f"<details>\n<summary>What the columns mean</summary>\n{described(meanings)}</details>\n"


def _rows(group: Group) -> Iterable[Row]:
    return map(as_read, chain.from_iterable(table.printed() for table in group.tables))


# The attribute of cells, by columns that hold numbers.
def _numbers(group: Group) -> dict[str, str]:
    first = list(islice(_rows(group), SEEN))
    return {
        column: ' class="n"'
        for column in group.columns
        if all(isinstance(row[column], int | float) and not isinstance(row[column], bool) for row in first)
    }


def _row(row: Row, columns: Sequence[str], numbers: dict[str, str], digits: int) -> str:
    texts = [(numbers.get(column, ""), escaped(for_reading(column, row[column], f".{digits}f"))) for column in columns]
    (of_first, first), *others = texts
    cells = "".join(f"<td{of}>{text}</td>" for of, text in others)
    return f'<tr><th scope="row"{of_first}>{first}</th>{cells}</tr>\n'


FIRST_SENTENCES = 12  # the others are folded away
MOST_SENTENCES = 300
FIRST_PICTURES = 6  # the others are folded away
POINTS_TO_PIXELS = 96 / 72
# Of a paper's table (`irci.output.wide.as_html`), which scrolls.
FRAME = """<h3 id="wide-heading">Runs by measures</h3>
<div class="scroll" tabindex="0" role="region" aria-labelledby="wide-heading">
{}</div>
"""


@dataclass(frozen=True)
class Request:
    """The request that a report answers: the question, how to ask it again, whom to cite, and what was warned of."""

    question: str
    line: str
    citations: str
    warnings: Sequence[str] = ()


def page(report: Answer, asked: Request, digits: int, table: str = "") -> Iterator[str]:
    """The page in pieces; the same ones for the same report and question. `table`: what is shown instead of the report's."""
    yield _head(asked.question)
    yield f"<body>\n<main>\n{_header(asked, report.signature)}"
    yield from _section("The answer", _answer(report.sentences), "answer")
    yield from _section("Pictures", _figures(report))
    yield from _section("Tables", [FRAME.format(table)] if table else framed(report.tables, digits))
    varies = (element("p", escaped(source.page)) for source in report.sources.values())
    yield from _section("What varies, and what does not", varies)
    warned = listed(asked.warnings) if asked.warnings else element("p", "None.")
    yield from _section("Warnings", [warned], "warnings")
    settings = ((name, _setting(value)) for name, value in report.signature.items())
    yield from _section("Settings", [described(settings, "settings")])
    yield from _section("To run it again", [element("pre", escaped(asked.line))])
    yield from _section("To cite", [element("pre", escaped(asked.citations.rstrip()))])
    yield f"</main>\n<script>{_own('script.js')}</script>\n</body>\n</html>\n"


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


def _header(asked: Request, signature: Signature) -> str:
    numbers = [f"{signature[name]} {name[4:]}" for name in ("num_runs", "num_topics") if signature.get(name)]
    measures = [str(signature["measures"]).replace(" ", ", ")] if signature.get("measures") else []
    about = [f"irci {signature['command']}", *numbers, *measures]
    return f"<header>\n<h1>{escaped(asked.question)}</h1>\n<p>{escaped(' · '.join(about))}</p>\n</header>\n"


def _section(title: str, pieces: Iterable[str], kind: str = "") -> Iterator[str]:
    heading = f'<section class="{kind}">\n' if kind else "<section>\n"
    heading += element("h2", escaped(title))
    for piece in filter(None, pieces):
        yield heading + piece
        heading = ""
    if not heading:
        yield "</section>\n"


def _answer(said: Sequence[str]) -> Iterator[str]:
    paragraphs = [element("p", escaped(sentence)) for sentence in said[:MOST_SENTENCES]]
    yield from paragraphs[:FIRST_SENTENCES]
    yield folded(paragraphs[FIRST_SENTENCES:], "more sentences")
    if len(said) > MOST_SENTENCES:
        shown = f"These are {MOST_SENTENCES} of {len(said):,} sentences"
        yield element("p", f"{shown}; --format text --explain has them all.")


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)


def _figures(report: Answer) -> Iterator[str]:
    if importlib.util.find_spec("matplotlib") is None:
        yield element("p", "For pictures, install matplotlib: <code>pip install '.[plot]'</code>.")
        return
    titles, drawn = draw_each(report)
    shown = [_figure(f"picture{place}", *each) for place, each in enumerate(zip(titles, drawn, strict=False), 1)]
    yield from shown[:FIRST_PICTURES]
    yield folded(shown[FIRST_PICTURES:], "more pictures")
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
    return f'<figure tabindex="0" aria-label="{escaped(title)}">\n{ElementTree.tostring(root, "unicode")}\n</figure>\n'


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _own_ids(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return value.replace("url(#", f"url(#{name}-")
