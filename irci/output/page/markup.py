"""Texts as HTML: what a name holds is never more than text."""

from collections.abc import Iterable, Sequence
from html import escape

from irci.base.names import visible_unicode


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
    return f"{unfolding(f'{len(parts)} {what}')}{''.join(parts)}</details>\n" if parts else ""


def unfolding(summary: str) -> str:
    """The beginning of a part that is shown if asked for, and on paper, below its summary."""
    return f'<details class="whole">\n<summary>{summary}</summary>\n'
