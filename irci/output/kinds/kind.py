"""A kind of table: its columns and what they mean in it, the question it answers, its name and its picture."""

from collections.abc import Container, Mapping
from typing import Literal

from irci.base.records import Record
from irci.output.columns import COLUMNS, Words

Kind = str  # the name of a row of KINDS
# The columns that every page which shows an estimate tells of; table: of other rows, which begin with its name.
ESTIMATE = "measure topic value lower upper run"
OF_EVERY_ESTIMATE = (*ESTIMATE.split(), "table")


def stem(column: str) -> str:
    """The name of a column, without what it is of: judge of judge:people."""
    return column.partition(":")[0]


class KindOfTable(Record):
    """One kind: the question that its tables answer, in a sentence, and the columns that they may have, in this order.

    `title`: what rows of estimates are called, which begin with their measure's name; others begin with that of their table,
    which is `printed` (by default the kind), and goes on with the measure's if `of_measure`. `limits`: what lower and upper
    are, where they make an interval whose width can be asked for. `of_topics`: rows are of single topics. `sorted_with`: the
    kinds with the same word here are sorted together. `cell`: what of a run's cell a paper's table takes from the row.
    `picture`: the functions of `irci.output.plots` that draw it, alone or with others. `meanings`: of columns that mean
    something else than in other kinds.
    """

    answer: str
    names: str
    title: str = ""
    printed: str = ""
    of_measure: bool = True
    limits: Literal["", "confidence"] = ""
    of_topics: bool = False
    sorted_with: str = ""
    cell: Literal["", "score", "difference", "rank", "claim"] = ""
    picture: str = ""
    meanings: Mapping[str, str | Words] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.names.split())

    @property
    def is_estimate(self) -> bool:
        return bool(self.title)  # they begin with the name of a measure, as trec_eval's lines do

    def has(self, column: str) -> bool:
        """True if its tables may have the column; of several of a kind each has what it is of behind a colon."""
        return stem(column) in self.columns

    def meaning(self, column: str, shown: Container[object] | None = None) -> str:
        """The meaning of a column, with those of the words that are `shown` in it, or of all that it may hold."""
        found = self._meaning(column)
        return found.among(shown) if isinstance(found, Words) else found

    def has_words(self, column: str) -> bool:
        """True if the meaning of the column depends on the words that stand in it."""
        return isinstance(self._meaning(column), Words)

    def _meaning(self, column: str) -> str | Words:
        return self.meanings.get(stem(column)) or COLUMNS[stem(column)]

    def goes_without_saying(self, column: str) -> bool:
        return column in OF_EVERY_ESTIMATE and column not in self.meanings
