"""Tables: their kinds, with the columns of each and what these mean; and rows of one kind."""

import math
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

Kind = str  # the name of a row of KINDS
ESTIMATE = "measure topic value lower upper run"
# What every page that shows an estimate explains, and the first column of other rows.
OF_EVERY_ESTIMATE = (*ESTIMATE.split(), "table")


class KindOfTable(NamedTuple):
    """A kind of table.

    names: the columns that they may have, in this order
    title: what rows of estimates are called, which begin with their measure's name
    printed: the name of other tables, with which their rows begin; the kind unless given
    of_measure: whether that name goes on with the measure's
    has_limits: whether lower and upper make a confidence interval
    of_topics: whether rows are of single topics
    sorted_with: kinds with the same word here are sorted together
    cell: what of a run's cell a paper's table takes from the row
    is_aside: whether a plain call leaves them out
    """

    names: str
    title: str = ""
    printed: str = ""
    of_measure: bool = True
    has_limits: bool = False
    of_topics: bool = False
    sorted_with: str = ""
    cell: Literal["", "score", "difference", "rank"] = ""
    is_aside: bool = False

    @property
    def columns(self) -> list[str]:
        return self.names.split()

    @property
    def is_estimate(self) -> bool:
        return bool(self.title)  # they begin with the name of a measure, as trec_eval's lines do


KINDS: dict[Kind, KindOfTable] = {
    "topic": KindOfTable(
        ESTIMATE + " corrected population raw judged bounds residual",
        title="topics", has_limits=True, of_topics=True, sorted_with="means",
    ),
    "estimate": KindOfTable(
        ESTIMATE + (" corrected population judge collection slice sd_documents sd_topics df sd topics clusters raw "
            "lower_raw upper_raw versions seeds sd_seeds sd_seeds_component passes sd_passes share "
            "passes_needed estimator human others lambda r gain judge_mean judged bounds residual interval"),
        title="means", has_limits=True, sorted_with="means", cell="score",
    ),
    "difference": KindOfTable(
        ESTIMATE + (" baseline population judge collection slice estimator p p_adjusted human others lambda r gain "
            "judge_mean effect_size df topics clusters versions seeds seeds_baseline sd_seeds_component "
            "passes sd_passes share passes_needed test interval lower_adjusted upper_adjusted sd_documents "
            "sd_topics p_equivalence p_equivalence_adjusted p_not_worse p_not_worse_adjusted detectable "
            "topics_needed effect_lower effect_upper verdict reason sign bounds"),
        title="differences", has_limits=True, sorted_with="differences", cell="difference",
    ),
    "claim": KindOfTable(
        "run baseline value p_adjusted documents judgments judge clusters collections seeds versions "
        "passes change control survives of p_all",
    ),
    "heterogeneity": KindOfTable("run baseline Q F df Q_p p p_adjusted I2 tau lower upper"),
    "look": KindOfTable("run baseline look of p_level boundary decision"),
    "topic_difference": KindOfTable(
        ESTIMATE + " baseline population p p_adjusted effect_size test sign bounds",
        title="differences on topics", has_limits=True, of_topics=True, sorted_with="differences",
    ),
    "meta": KindOfTable(
        ESTIMATE + " baseline population p p_single_tailed p_adjusted topics left_out Q Q_p I2 tau",
        title="combined effects", has_limits=True, sorted_with="meta",
    ),
    "rank": KindOfTable(
        ESTIMATE + " letters population judge slice estimator ranked_by",
        title="ranks", sorted_with="rank", cell="rank",
    ),
    "best": KindOfTable(
        ESTIMATE + " baseline population of corrected p_best reason",
        title="best runs", has_limits=True, sorted_with="best",
    ),
    "effect": KindOfTable(ESTIMATE + " model letters", title="effects", has_limits=True, sorted_with="effect"),
    "anova": KindOfTable("source df ss F p omega2", is_aside=True),
    "length": KindOfTable("model value lower upper split"),
    "check": KindOfTable("part tau difference relevant_min imbalance split", is_aside=True),
    "significant": KindOfTable("test alpha pairs percent correction part split", is_aside=True),
    "agreement": KindOfTable("between decision pairs percent"),
    "pair": KindOfTable("run baseline difference p p_adjusted decision test correction", sorted_with="pair"),
    "vote": KindOfTable("run baseline value share test"),
    "order": KindOfTable(ESTIMATE + " judge topics", title="orders", has_limits=True),
    "score": KindOfTable(ESTIMATE + " judge of", title="scores by each judge", is_aside=True),
    "labels": KindOfTable("measure topic value lower upper judge documents topics", title="labels", has_limits=True),
    "confusion": KindOfTable("judge grade grade_judge documents percent", of_measure=False),
    "bias": KindOfTable(ESTIMATE + " judge p p_adjusted", title="biases", is_aside=True),
    "judged_pairs": KindOfTable(
        "judge AA AD MA MD PA PD bias unconfirmed missed pairs alpha correction", printed="agreement", is_aside=True
    ),
    "in_interval": KindOfTable("interval below in above sd predicted direction relevant correction measure", of_measure=False),
    "type_one": KindOfTable("alpha rate sd upper width topics sigma reference"),
    "error_rate": KindOfTable("size rate sd ties comparisons fuzziness sets draws units"),
    "matrix": KindOfTable("run baseline better worse ties fuzziness"),
    "swap": KindOfTable("size difference rate predicted comparisons extrapolated units", is_aside=True),
    "needed": KindOfTable("size difference rate extrapolated units"),
    "discriminative_power": KindOfTable("alpha share difference pairs units", printed="power"),
    "level": KindOfTable("p difference run baseline units", printed="asl", is_aside=True),
    "variance": KindOfTable("kind value df upper topics clusters icc run baseline"),
    "width": KindOfTable("topics width difference tool kind clusters alone population r", printed="wcw"),
    "topics": KindOfTable("width difference topics tool kind clusters"),
    "noncentrality": KindOfTable("systems value predicted", of_measure=False),
}  # fmt: skip


@cache
def meanings() -> dict[str, dict[str, str]]:
    """By kind, what its tables answer ("answer"), and columns that mean something else there than in `columns`."""
    with open(os.path.join(os.path.dirname(__file__), "meanings.toml"), "rb") as file:
        return tomllib.load(file)


def meaning(kind: Kind, column: str) -> str:
    """The meaning of a column in tables of a kind."""
    return meanings()[kind].get(stem(column)) or meanings()["columns"][stem(column)]


def goes_without_saying(kind: Kind, column: str) -> bool:
    """True if a column means the same in every estimate."""
    return column in OF_EVERY_ESTIMATE and column not in meanings()[kind]


def stem(column: str) -> str:
    """The name of a column without what it is about, of several of a kind: judge of judge:people."""
    return column.partition(":")[0]


def printed_name(kind: Kind) -> str:
    """The first cell of rows that are no estimates, before _MEASURE; the word for the kind on the command line."""
    return KINDS[kind].printed or kind


def title(kind: Kind, measure: str = "MEASURE") -> str:
    """The name of a table of this kind: means, or error_rate_map."""
    row = KINDS[kind]
    return row.title or printed_name(kind) + f"_{measure}" * row.of_measure


# Measures whose names say themselves what they are a mean of, or that have none, begin so.
NO_MEAN = ("gm_", "num_", "GMAP", "L-MAP", "MAP", "MRR", "Num")


def mean_of(measure: str) -> str:
    """The name of a measure's mean over topics."""
    return measure if measure.startswith(NO_MEAN) else f"mean {measure}"


Cell = str | float | int | bool | None
Row = Mapping[str, Cell]
Signature = Mapping[str, Cell]
NO_WORD = "-"  # a word that there is none of: an empty cell would be no cell in text


class PValue(float):
    """A p-value, told to readers as less than `least` where it is: below that its digits mean nothing."""

    def __new__(cls, p: float, least: float = 1e-16) -> "PValue":
        self = super().__new__(cls, p)
        self.least = least
        return self

    least: float

    def __str__(self) -> str:
        return f"<1e-{-math.log10(self.least):.0f}" if self < self.least else format(float(self), ".4g")


OF_LIMITS = ("lower", "upper", "lower_adjusted", "upper_adjusted")


class Bounded(dict[str, Cell]):
    """A row whose score lies in [0, 1], or whose difference of two such scores in [-1, 1], as the study declares that knows
    its measure: rows of one table may be of several.

    Its limits are what their formula gives, which may lie beyond; whoever reads them is shown `as_read`.
    """


def as_read(row: Row) -> Row:
    """A row for reading: limits of a bounded score are shown no further than it goes."""
    if not isinstance(row, Bounded):
        return row
    least = -1.0 if "baseline" in row else 0.0
    return {
        name: min(max(cell, least), 1.0) if name in OF_LIMITS and isinstance(cell, float) else cell
        for name, cell in row.items()
    }


class Rows(Sequence[Row]):
    """So many rows, each made when it is looked at: those of millions of pairs take no memory."""

    def __init__(self, number: int, make: Callable[[int], Row]) -> None:
        self._places = range(number)
        self._make = make  # the row at a place, from 0 on

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Row]:
        # Without this a row that raises IndexError would be taken for the end.
        return map(self._make, self._places)

    def __getitem__(self, index: Any) -> Any:
        selected = self._places[index]
        return self._make(selected) if isinstance(selected, int) else list(map(self._make, selected))

    def __reduce__(self) -> Any:
        return list, (list(self),)  # what makes them is not pickled


class Table(NamedTuple):
    """Rows of one kind, all with the same columns.

    `measure`: the one that all rows are of, or "" where each row names its own. Rows of estimates begin with the column
    measure; the others have no column for the name of their table, which is made of the kind and the measure.
    """

    kind: Kind
    measure: str
    rows: Sequence[Row]

    @property
    def name(self) -> str:
        """The first cell of its rows, unless they are estimates: error_rate_map."""
        return "_".join(filter(None, (printed_name(self.kind), self.measure)))

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as they are printed."""
        first = [] if KINDS[self.kind].is_estimate else ["table"]
        return [*first, *self.rows[0]] if self.rows else []

    def printed(self) -> Iterator[Row]:
        """The rows with their first column."""
        if KINDS[self.kind].is_estimate:
            yield from self.rows
        else:
            yield from ({"table": self.name, **row} for row in self.rows)


def number(row: Row, column: str) -> float:
    """The number that a cell holds, nan if none."""
    cell = row[column]
    return float(cell) if isinstance(cell, float | int) else math.nan


def tables(kind: Kind, measure: str, rows: Iterable[Row]) -> list[Table]:
    """Rows as a table; no rows are no table."""
    listed = rows if isinstance(rows, Rows) else list(rows)
    if not listed:
        return []
    unknown = set(map(stem, listed[0])).difference(KINDS[kind].columns)
    assert not unknown, f"columns that tables of the kind {kind} do not have: {unknown}"
    return [Table(kind, measure, listed)]


def rows_of(**columns: Any) -> list[Row]:
    """Rows made of columns: lists and arrays of one length, and single cells that all rows have."""
    lists = {name: column.tolist() if hasattr(column, "tolist") else column for name, column in columns.items()}
    (number,) = {len(column) for column in lists.values() if isinstance(column, list)}
    return [
        {name: column[index] if isinstance(column, list) else column for name, column in lists.items()}
        for index in range(number)
    ]


ALL = "all"
# Columns that name a part of what means are over, ALL for the whole, and what the mean over that is called.
PARTS = {"collection": "mean", "slice": "all topics"}


def part_of(row: Row) -> str:
    """The part that a row is of, ALL where it is of the whole; "" where there are no parts."""
    return next((str(row[column]) for column in PARTS if column in row), "")
