"""Slices in plain words: what a difference is in each, and whether it is shown to differ between them."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.names import plural
from irci.compare.request import Request
from irci.compare.wording import MOST, amount, name_of_p, number, p_text
from irci.data.rules import ALL
from irci.output.tables import Row, Table, as_read
from irci.stats.anova import FEWEST_TOPICS
from irci.stats.decisions import separated
from irci.stats.power import fewest_units

NO_INFERENCE = (
    "That a difference is significant in one slice and not in another does not show that it differs between the two: F asks"
    " that."
)
TOLD = 4  # slices of a pair, the largest
# The slices that F compares, and those it leaves out, by measure, run and baseline.
OfF = dict[tuple[str, str, str], tuple[list[str], list[str]]]
HOW = {
    "maxt": "by the largest statistic of all, under one sign for each topic", "holm": "by Holm's method",
    "bh": "by Benjamini and Hochberg's method",
}  # fmt: skip


def sentences(request: Request, found: Sequence[Table], pairs: int, of_f: OfF) -> Iterator[str]:
    """Sentences on the differences in slices; `pairs`: as many as are one family."""
    yield from conclusion(request, found, of_f)
    differences = [table for table in found if table.kind == "difference"]
    if not differences:
        yield "Limits in a slice are for other topics of that slice."
        return
    correction = request.correction or "maxt"
    if correction == "none":
        yield f"In slices, p is not adjusted for the number of differences of a measure, {pairs}."
    else:
        each = "for all measures together" if request.family == "joint" else "for each measure by itself"
        yield (
            f"In slices, p is adjusted for {plural(pairs, 'difference')} {HOW[correction]}, {each}; limits hold for each"
            " difference on its own."
        )
    if correction == "maxt":
        yield f"Signs need {fewest_units(request.alpha)} topics in a slice to find anything at this level."
    yield NO_INFERENCE


def conclusion(request: Request, found: Sequence[Table], of_f: OfF) -> Iterator[str]:
    """Sentences on differences that differ between slices: pair by pair, or counted where they are many."""
    differences = {table.measure: table for table in found if table.kind == "difference"}
    for table in found:
        if table.kind != "heterogeneity":
            continue
        rows = [as_read(row) for table in (differences[table.measure],) for row in table.rows if row["slice"] != ALL]
        if len(table.rows) <= MOST:
            yield from _of_pairs(table, rows, request, of_f)
        else:
            yield from _counted(table, rows, request, of_f)


def _of_pairs(table: Table, rows: Sequence[Row], request: Request, of_f: OfF) -> Iterator[str]:
    by_pair: dict[tuple[object, object], list[Row]] = {}
    for row in rows:
        by_pair.setdefault((row["run"], row["baseline"]), []).append(row)
    for of_pair in map(as_read, table.rows):
        some = by_pair[of_pair["run"], of_pair["baseline"]]
        largest = sorted(sorted(some, key=lambda row: -number(row, "topics"))[:TOLD], key=some.index)
        told = ", ".join(f"{_signed(row)} on {row['slice']} (n = {row['topics']})" for row in largest)
        told += f" ({plural(len(some) - TOLD, 'smaller slice')} left out)" if len(some) > TOLD else ""
        finding = _finding(
            of_pair, table, request, *of_f[str(table.measure), str(of_pair["run"]), str(of_pair["baseline"])]
        )
        yield f"{of_pair['run']} minus {of_pair['baseline']} in {table.measure}: {told}: {finding}."


def _signed(row: Row) -> str:
    value = number(row, "value")
    return f"+{amount(value)}" if value > 0 else amount(value)


def _finding(row: Row, table: Table, request: Request, compared: Sequence[str], small: Sequence[str]) -> str:
    p = number(row, "p_adjusted")
    if np.isnan(p):
        return "whether the difference differs between slices cannot be told"
    is_found = bool(separated(np.array([p]), request.alpha)[0])
    shown = "differs" if is_found else "is not shown to differ"
    told = f"the difference {shown} between"
    p_of = p_text(p, name_of_p(len(table.rows)))
    if not small:
        return f"{told} slices ({p_of})"
    between = " and ".join(compared) if len(compared) < TOLD else f"{len(compared)} slices"
    left_out = ", ".join(small) if len(small) < TOLD else f"{len(small)} slices"
    return f"{told} {between} ({left_out} left out: fewer than {FEWEST_TOPICS} topics; {p_of})"


def _counted(table: Table, rows: Sequence[Row], request: Request, of_f: OfF) -> Iterator[str]:
    by_slice: dict[str, list[float]] = {}
    for row in rows:
        by_slice.setdefault(str(row["slice"]), []).append(number(row, "p_adjusted"))
    found = {name: _significant(p, request) for name, p in by_slice.items()}
    listed = ", ".join(f"{count or 'none'} in {name}" for name, count in found.items())
    yield f"In {table.measure}, of {len(table.rows)} pairs of runs these differ significantly in a slice: {listed}."
    count = _significant([number(row, "p_adjusted") for row in table.rows], request)
    has_small = any(small for (measure, *_), (_, small) in of_f.items() if measure == table.measure)
    of_large = f" of {FEWEST_TOPICS} topics or more" * has_small
    yield (
        f"In {table.measure}, the difference of {count or 'none'} of {len(table.rows)} pairs is shown to differ between slices"
        f"{of_large} (F, by adjusted p)."
    )


def _significant(p: Sequence[float], request: Request) -> int:
    return int(separated(np.nan_to_num(np.array(p), nan=1.0), request.alpha).sum())
