"""A report as a page: one file of HTML that needs nothing else, for reading on a screen or printed. Computes nothing."""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from irci.output.page.pictures import figures
from irci.output.page.tables import framed
from irci.output.page.text import described, element, escaped, folded, listed
from irci.output.report import Report, Signature, Source

FIRST_SENTENCES = 12  # the others are folded away
MOST_SENTENCES = 300


@dataclass(frozen=True)
class Request:
    """The request that a report answers: the question, how to ask it again, whom to cite, and what was warned of."""

    question: str
    line: str
    citations: str
    warnings: Sequence[str] = ()


def page(report: Report, asked: Request, digits: int, table: str = "") -> Iterator[str]:
    """The page in pieces; the same ones for the same report and question. `table`: what is shown instead of the report's."""
    yield _head(asked.question)
    yield f"<body>\n<main>\n{_header(asked, report.signature)}"
    yield from _section("The answer", _answer(report.sentences), "answer")
    yield from _section("Pictures", figures(report))
    yield from _section("Tables", [_framed(table)] if table else framed(report.tables, digits))
    yield from _section("What varies, and what does not", _varies(report.sources.values()))
    yield from _section("Warnings", _warnings(asked.warnings), "warnings")
    yield from _section("Settings", _settings(report.signature))
    yield from _section("To run it again", [element("pre", escaped(asked.line))])
    yield from _section("To cite", [element("pre", escaped(asked.citations.rstrip()))])
    yield f"</main>\n<script>{_own('script.js')}</script>\n</body>\n</html>\n"


def _framed(table: str) -> str:
    """A paper's table (`irci.output.wide.as_html`) with its heading, in a frame that scrolls."""
    frame = '<div class="scroll" tabindex="0" role="region" aria-labelledby="wide-heading">'
    return f'<h3 id="wide-heading">Runs by measures</h3>\n{frame}\n{table}</div>\n'


def _own(name: str) -> str:
    """A file of this folder."""
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
    about = [f"irci {signature['command']}"]
    about += [
        f"{signature[name]} {name.removeprefix('num_')}" for name in ("num_runs", "num_topics") if signature.get(name)
    ]
    if signature.get("measures"):
        about.append(str(signature["measures"]).replace(" ", ", "))
    return f"<header>\n<h1>{escaped(asked.question)}</h1>\n<p>{escaped(' · '.join(about))}</p>\n</header>\n"


def _section(title: str, pieces: Iterable[str], kind: str = "") -> Iterator[str]:
    """A section with a heading; without pieces none."""
    opened = False
    for piece in filter(None, pieces):
        if not opened:
            yield f'<section class="{kind}">\n' if kind else "<section>\n"
            yield element("h2", escaped(title))
            opened = True
        yield piece
    if opened:
        yield "</section>\n"


def _answer(sentences: Iterable[str]) -> Iterator[str]:
    said = list(sentences)
    paragraphs = [element("p", escaped(sentence)) for sentence in said[:MOST_SENTENCES]]
    yield from paragraphs[:FIRST_SENTENCES]
    yield folded(paragraphs[FIRST_SENTENCES:], "more sentences")
    if len(said) > MOST_SENTENCES:
        yield element(
            "p", f"These are {MOST_SENTENCES} of {len(said):,} sentences; --format text --explain has them all."
        )


def _varies(sources: Iterable[Source]) -> Iterator[str]:
    yield from (element("p", escaped(source.page)) for source in sources)


def _warnings(warnings: Sequence[str]) -> Iterator[str]:
    yield listed(warnings) if warnings else element("p", "None.")


def _settings(signature: Signature) -> Iterator[str]:
    yield described(((name, _setting(value)) for name, value in signature.items()), "settings")


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)
