"""Swap rates: how often a second topic set contradicts the difference that a first one shows."""

import logging
import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.data.scores import Scores
from irci.errors import first_few, plural
from irci.methods.swap_error.swap import NUM_BINS, Swaps, bin_label, difference_needed, swaps
from irci.output.report import Report, Row, Table, tables
from irci.studies.swap_error.names import refuse_negative
from irci.studies.swap_error.settings import Settings

logger = logging.getLogger("irci")

SMALLEST = 5  # topics in a set


def swaps_over_topics(settings: Settings, table: Scores) -> Report:
    """Rates by difference, as measured and as fitted, and the difference that it takes."""
    topics, of_method = len(table.topics), settings.of_swaps()
    most = topics if of_method.draw == "bootstrap" else topics // 2
    sizes = settings.sizes_up_to(most, range(min(SMALLEST, most), most + 1))
    at = settings.at or ((most, topics, 2 * topics) if most < topics else (topics, 2 * topics))
    found: dict[str, Swaps] = {}
    for measure, values in table.values.items():
        refuse_negative(measure, values, settings.relative, "leave out --relative")
        found[measure] = swaps(values, sizes, of_method)
        _warn_of_fits(measure, found[measure])

    def drawn() -> list[Table]:
        return [each for measure, of in found.items() for each in tables("swap", measure, _rows(of, sizes))]

    def printed() -> Iterator[Table]:
        for measure, of in found.items():
            yield from tables("swap", measure, _rows(of, at))
            yield from tables("needed", measure, (_row_needed(of, size, settings) for size in at))

    return Report(
        tables=drawn() if settings.figures else list(printed()),
        signature=of_method.signature() | {"sizes": " ".join(map(str, sizes))},
        explain=lambda: (_sentence(measure, of, size, settings) for measure, of in found.items() for size in at),
        drawn=drawn,
    )


def _warn_of_fits(measure: str, found: Swaps) -> None:
    unfitted = [bin_label(place) for place in range(1, NUM_BINS) if np.isnan(found.fitted[place, 0])]
    if unfitted:
        logger.warning(f"{measure}: no fit that falls in {plural(len(unfitted), 'bin')}: {first_few(unfitted)}")


def _rows(found: Swaps, sizes: Sequence[int]) -> Iterator[Row]:
    """Rates as they were and as they were fitted; beyond the sizes tried there are only the latter."""
    rates = found.rates()
    for size in sizes:
        measured = found.sizes.index(size) if size in found.sizes else None
        for place, fitted in enumerate(found.extrapolated(size).tolist()):
            yield {
                "size": size, "bin": bin_label(place),
                "rate": math.nan if measured is None else float(rates[measured, place]), "fitted": fitted,
                "comparisons": 0 if measured is None else int(found.comparisons[measured, place]),
            }  # fmt: skip


def _row_needed(found: Swaps, size: int, settings: Settings) -> Row:
    needed = difference_needed(found.extrapolated(size), settings.max_rate)
    return {"size": size, "difference": needed, "max_rate": settings.max_rate}


def _sentence(measure: str, found: Swaps, size: int, settings: Settings) -> str:
    needed = difference_needed(found.extrapolated(size), settings.max_rate)
    kind = "of {:.0%} of the larger score" if settings.relative else "of {:.2f}"
    what = f"a difference {kind.format(needed)} or more" if not math.isnan(needed) else "no difference in these bins"
    return (
        f"With {size} topics, it takes {what} in {measure} for another {size} topics to contradict it in no more than"
        f" {settings.max_rate:.0%} of cases."
    )
