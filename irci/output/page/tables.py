"""The tables of a page, those with the same columns as one."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain, islice
from typing import NamedTuple

from irci.base import plural, visible_unicode
from irci.output.formats import for_reading
from irci.output.kinds import KINDS, Kind, KindOfTable, printed_name
from irci.output.shown import in_words
from irci.output.tables import Row, Table, as_read


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
    return f"{unfolding(f'{len(parts)} {noun}')}{''.join(parts)}</details>\n" if parts else ""


def unfolding(summary: str) -> str:
    """The beginning of a part that is shown if asked for, and on paper, below its summary."""
    return f'<details class="whole">\n<summary>{summary}</summary>\n'


MANY = 200  # rows of one kind: each measure has its own table
SEEN = 100  # rows that tell which columns hold numbers
RUNS = ("run", "baseline")


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
        yield from (_row(row, table.measure, columns, numbers, digits) for row in map(as_read, table.printed()))
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


def _row(row: Row, measure: str, columns: Sequence[str], numbers: dict[str, str], digits: int) -> str:
    texts = [(numbers.get(column, ""), escaped(for_reading(column, row[column], f".{digits}f"))) for column in columns]
    (of_first, first), *further = texts
    cells = "".join(f"<td{of}>{text}</td>" for of, text in further)
    # What the box that filters finds it by besides: its measure where no cell says it, and as papers write it.
    name = (measure or str(row.get("measure", ""))).removesuffix("_diff")
    words = " ".join(
        {
            spelling: None
            for spelling in (name, in_words(name))
            if not any(escaped(spelling) in text for _, text in texts)
        }
    )
    also = f' data-words="{escaped(words)}"' if words else ""
    return f'<tr{also}><th scope="row"{of_first}>{first}</th>{cells}</tr>\n'
