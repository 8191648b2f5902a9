"""Slices in words: the difference in each, and whether it differs between them."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.names import plural
from irci.comparison.request import Request
from irci.comparison.wording import MOST, amount, name_of_p, number, p_text
from irci.data.rules import ALL
from irci.output.tables import Row, Table, as_read
from irci.stats.anova import FEWEST_TOPICS
from irci.stats.decisions import separated
from irci.stats.power import fewest_units
from irci.wording import say

MOST_SLICES = 4  # of a pair, the largest
# The slices that F compares, and those it leaves out, by measure, run and baseline.
OfF = dict[tuple[str, str, str], tuple[list[str], list[str]]]


def sentences(request: Request, tables: Sequence[Table], differences: int, of_f: OfF) -> Iterator[str]:
    """Sentences on the differences in slices; `differences`: as many as are one family."""
    yield from conclusion(request, tables, of_f)
    if not any(table.kind == "difference" for table in tables):
        yield say("slice.means")
        return
    correction = request.correction or "maxt"
    of_each = "for all measures jointly" if request.family == "joint" else "for each measure separately"
    if correction == "none":
        yield say("slice.none", differences=differences)
    else:
        how = "by the largest statistic under signs of topics" if correction == "maxt" else say(f"how.{correction}")
        yield say("slice.adjusted", differences=differences, how=how, each=of_each)
    if correction == "maxt":
        yield say("slice.signs", least=fewest_units(request.alpha))
    yield say("slice.no_inference")


def conclusion(request: Request, tables: Sequence[Table], of_f: OfF) -> Iterator[str]:
    """Sentences on differences between slices: pair by pair, or counted where they are many."""
    differences = {table.measure: table for table in tables if table.kind == "difference"}
    for table in tables:
        if table.kind == "heterogeneity":
            rows = [row for row in map(as_read, differences[table.measure].rows) if row["slice"] != ALL]
            if len(table.rows) <= MOST:
                yield from (_of_pair(row, table, rows, request, of_f) for row in map(as_read, table.rows))
            else:
                yield from _counted(table, rows, request, of_f)


def _of_pair(pair: Row, table: Table, rows: Sequence[Row], request: Request, of_f: OfF) -> str:
    of_pair = [row for row in rows if (row["run"], row["baseline"]) == (pair["run"], pair["baseline"])]
    largest = sorted(of_pair, key=lambda row: -number(row, "topics"))[:MOST_SLICES]
    parts = [
        f"{'+' * (number(row, 'value') > 0)}{amount(number(row, 'value'))} on {row['slice']} (n = {row['topics']})"
        for row in of_pair
        if row in largest
    ]
    more = len(of_pair) - len(parts)
    left_out = f" ({plural(more, 'smaller slice')} left out)" if more else ""
    compared, small = of_f[table.measure, str(pair["run"]), str(pair["baseline"])]
    finding, p = say("slice.untested"), number(pair, "p_adjusted")
    if not np.isnan(p):
        names = ", ".join(small) if len(small) < MOST_SLICES else f"{len(small)} slices"
        few = len(compared) < MOST_SLICES
        between = "slices" if not small else " and ".join(compared) if few else f"{len(compared)} slices"
        finding = say(
            "slice.differs" if _count([p], request) else "slice.open", between=between,
            small=say("slice.small", names=names, least=FEWEST_TOPICS) if small else "",
            p=p_text(p, name_of_p(len(table.rows))),
        )  # fmt: skip
    return say(
        "slice.pair", run=pair["run"], baseline=pair["baseline"], measure=table.measure,
        differences=", ".join(parts), left_out=left_out, finding=finding,
    )  # fmt: skip


def _counted(table: Table, rows: Sequence[Row], request: Request, of_f: OfF) -> Iterator[str]:
    by_slice: dict[str, list[float]] = {}
    for row in rows:
        by_slice.setdefault(str(row["slice"]), []).append(number(row, "p_adjusted"))
    counts = ", ".join(f"{_count(p, request) or 'none'} in {name}" for name, p in by_slice.items())
    pairs = len(table.rows)
    yield say("slice.many", measure=table.measure, pairs=pairs, counts=counts)
    has_small = any(small for (measure, *_), (_, small) in of_f.items() if measure == table.measure)
    large = say("slice.large", least=FEWEST_TOPICS) if has_small else ""
    count = _count([number(row, "p_adjusted") for row in table.rows], request) or "none"
    yield say("slice.many_differ", measure=table.measure, pairs=pairs, count=count, large=large)


def _count(p: Sequence[float], request: Request) -> int:
    """How many are significant."""
    return int(separated(np.nan_to_num(np.array(p), nan=1.0), request.alpha).sum())
