"""Swap rates: how often a second topic set contradicts the difference that a first one shows."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irci.base.errors import logger
from irci.base.names import plural
from irci.base.types import Progress
from irci.estimators.swap_error.swap import (
    BIN_WIDTH,
    LEAST_RUNS,
    LEAST_SIZES,
    Swaps,
    bin_label,
    difference_needed,
    swaps,
)
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import NO_WORD, Row, Table, tables
from irci.studies.swap_error.request import DrawnUnits, SwapErrorRequest, from_pairs

SMALLEST = 5  # topics in a set; clusters or collections too, if that leaves sizes enough for a curve


def swaps_over_units(request: SwapErrorRequest, units: DrawnUnits, threads: int, progress: Progress) -> Report:
    """Rates by difference, as measured and as fitted, and the difference that it takes."""
    topics, of_method = len(units), request.of_swaps()
    most = topics // 2
    first = min(SMALLEST, most) if units.word == "topic" or most - SMALLEST + 1 >= LEAST_SIZES else 1
    asked = sorted(request.sizes or (most, topics, 2 * topics))
    sizes = sorted({*range(first, most + 1), *(size for size in asked if size <= most)})
    by_measure: dict[str, Swaps] = {}
    for measure, totals in units.totals.items():
        by_measure[measure] = swaps(totals, sizes, of_method, weights=units.weights, threads=threads, progress=progress)
    _warn_of_no_curves(by_measure.values())

    def shown(swap_rates: Swaps) -> Sequence[int]:
        """Numbers of topics that have rows: without curves, of those drawn, or the largest of them."""
        return asked if swap_rates.has_curves else [size for size in asked if size in sizes] or sizes[-1:]

    def table(kind: Kind, measure: str, rows: Iterable[Row]) -> list[Table]:
        return tables(kind, measure, ({**row, **units.columns()} for row in rows))

    def drawn() -> list[Table]:
        return [
            table_by_bin
            for measure, swap_rates in by_measure.items()
            for table_by_bin in table("swap", measure, _rows(swap_rates, sizes))
        ]

    def printed() -> Iterator[Table]:
        for measure, swap_rates in by_measure.items():
            if swap_rates.has_curves:
                yield from table("needed", measure, (_row_needed(swap_rates, size, request.max_rate) for size in asked))
            yield from table("swap", measure, _rows(swap_rates, shown(swap_rates)))

    def explained() -> Iterator[str]:
        for measure, swap_rates in by_measure.items():
            yield from (_sentence(measure, swap_rates, size, request, units.word) for size in shown(swap_rates))

    return Report(
        tables=list(printed()),
        signature=of_method._asdict() | {"sizes": " ".join(map(str, sizes))},
        explain=explained,
        drawn=drawn,
    )


def _warn_of_no_curves(by_measure: Iterable[Swaps]) -> None:
    """Say why no difference is named."""
    without = [swap_rates for swap_rates in by_measure if not swap_rates.has_curves]
    runs = min((swap_rates.runs for swap_rates in without), default=LEAST_RUNS)
    if runs < LEAST_RUNS:
        logger.warning(
            f"only {plural(runs, 'different run')}: swap rates of sets up to half of the topics, without curves and the"
            f" difference needed, which take {LEAST_RUNS} runs ({math.comb(LEAST_RUNS, 2)} pairs)"
        )
    elif without and len(without[0].sizes) < LEAST_SIZES:
        logger.warning(f"no curves: they take {LEAST_SIZES} sizes of sets, not {len(without[0].sizes)}")


def _rows(swap_rates: Swaps, sizes: Sequence[int]) -> Iterator[Row]:
    """Rates as they were and as they were fitted; beyond the sizes drawn there are only the latter."""
    rates = swap_rates.rates()
    for size in sizes:
        measured = swap_rates.sizes.index(size) if size in swap_rates.sizes else None
        for index, fitted in enumerate(swap_rates.predicted(size).tolist()):
            yield {
                "size": size, "bin": bin_label(index),
                "rate": math.nan if measured is None else float(rates[measured, index]), "fitted": fitted,
                "comparisons": 0 if measured is None else int(swap_rates.comparisons[measured, index]),
                **_origin(size, swap_rates.sizes_of(index)),
            }  # fmt: skip


def _origin(size: int, sizes: Sequence[int]) -> dict[str, str | bool]:
    return {"extrapolated": Swaps.is_extrapolated(size, sizes), "fitted_on": _range(sizes)}


def _range(sizes: Sequence[int]) -> str:
    return "-".join(map(str, sorted({min(sizes), max(sizes)}))) if sizes else NO_WORD


def _row_needed(swap_rates: Swaps, size: int, max_rate: float) -> Row:
    needed = difference_needed(swap_rates.predicted(size), max_rate)
    return {
        "size": size,
        "difference": needed,
        "max_rate": max_rate,
        **_origin(size, _sizes_behind(swap_rates, needed)),
    }


def _sizes_behind(swap_rates: Swaps, needed: float) -> Sequence[int]:
    """The sizes that a difference needed rests on, those of its bin; all where none is enough."""
    return swap_rates.sizes if math.isnan(needed) else swap_rates.sizes_of(round(needed / BIN_WIDTH))


def _sentence(measure: str, swap_rates: Swaps, size: int, request: SwapErrorRequest, unit: str) -> str:
    topics = plural(size, unit)
    if not swap_rates.has_curves:
        place = swap_rates.sizes.index(size)
        rate = swap_rates.swaps[place].sum() / swap_rates.comparisons[place].sum()
        return (
            f"With {topics}, {rate:.1%} of comparisons of two runs in {measure} are contradicted by another {topics}"
            f" ({_from_pairs(swap_rates)})."
        )
    rates = swap_rates.predicted(size)
    needed = difference_needed(rates, request.max_rate)
    seldom = f"{100 * request.max_rate:g}% of the time"
    sizes = _sizes_behind(swap_rates, needed)
    origin = f" (extrapolated from {_sets(sizes, unit)})" if swap_rates.is_extrapolated(size, sizes) else ""
    if math.isnan(needed):
        return f"With {topics}, no difference in {measure} is contradicted by another {topics} as seldom as {seldom}{origin}."
    unknown = int((np.isnan(rates) & swap_rates.comparisons.any(axis=0))[round(needed / BIN_WIDTH) :].sum())
    but = f", {plural(unknown, 'bin')} of larger differences without a curve left out" if unknown else ""
    return (
        f"With {topics}, a difference of {needed:.2f} or more in {measure} is contradicted by another {topics} at most"
        f" {seldom}{but}{origin}."
    )


def _from_pairs(swap_rates: Swaps) -> str:
    """How many pairs of runs a rate is from, and why no more is said."""
    pairs = from_pairs(swap_rates.runs)
    few = swap_rates.runs < LEAST_RUNS
    return f"{pairs}: {'too few' if few else 'no curve could be fitted'} to name a difference that seldom is"


def _sets(sizes: Sequence[int], unit: str) -> str:
    return f"sets of {_range(sizes).replace('-', ' to ')} {unit if list(sizes) == [1] else f'{unit}s'}"
