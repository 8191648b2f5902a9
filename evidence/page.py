"""Sections and tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tabulate import tabulate


@dataclass(frozen=True)
class Table:
    """A caption, the names of columns, and lines of cells as they are shown."""

    caption: str
    headers: Sequence[str]
    lines: Sequence[Sequence[object]]

    def text(self) -> str:
        """In the format of Markdown."""
        table = tabulate(self._shown(), self.headers, "github", disable_numparse=True)
        return f"**{self.caption}**\n\n{table}"

    def _shown(self) -> list[list[str]]:
        return [[str(cell).replace("|", "\\|") for cell in line] for line in self.lines]

    def lines_on(self, page: str) -> bool:
        """Whether a page has all these lines, as wide as they may be there."""
        there = {" ".join(line.split()) for line in page.splitlines()}
        return all(f"| {' | '.join(line)} |" in there for line in self._shown())


@dataclass(frozen=True)
class Section:
    """A title, what was done, and its tables."""

    title: str
    told: str
    tables: Sequence[Table] = field(default_factory=tuple)

    def text(self) -> str:
        """In the format of Markdown."""
        return "\n\n".join([f"## {self.title}", self.told, *(table.text() for table in self.tables)])
