"""A report as a page: one file of HTML that needs nothing else, for reading on a screen or printed. Computes nothing."""

import base64
import hashlib
import importlib.util
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain
from typing import NamedTuple
from xml.etree import ElementTree

from irci.base import Record, first_names, plural
from irci.output.page.tables import described, element, escaped, folded, framed, listed, unfolding
from irci.output.plots import MOST_PANELS, draw_each
from irci.output.report import Report

TITLED = 3  # runs, and measures, that the title names
CONTENTS_FROM = 4  # sections
FIRST_SENTENCES = 12  # the others are folded away
MOST_SENTENCES = 300
FIRST_PICTURES = 6  # the others are folded away
POINTS_TO_PIXELS = 96 / 72
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
    if len(sections) >= CONTENTS_FROM:
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
    concluded, said = report.conclusion, report.sentences
    first = [element("p", element("strong", escaped(sentence)).rstrip()) for sentence in concluded[:MOST_SENTENCES]]
    yield from first[:FIRST_SENTENCES]
    more = [sentence for sentence in said if sentence not in concluded]
    further = [element("p", escaped(sentence)) for sentence in more[:MOST_SENTENCES]]
    yield folded(
        [*first[FIRST_SENTENCES:], *further], "more sentences" if len(first) + len(further) > 1 else "more sentence"
    )
    if len(more) > MOST_SENTENCES:
        extent = f"These are {MOST_SENTENCES} of {len(more):,} sentences"
        yield element("p", f"{extent}; --format text --explain has them all.")


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
    yield folded(pictures[FIRST_PICTURES:], "more pictures")
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
