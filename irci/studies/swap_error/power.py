"""Discriminative power: the share of pairs that a bootstrap test tells apart."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from irci.base.names import plural
from irci.methods.swap_error.discriminative_power import Power, discriminative_power
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.swap_error.units import Units, pair_names


def powers(request: SwapErrorRequest, units: Units, runs: Sequence[str]) -> Report:
    """For each level the share of pairs and the difference required, or each pair's achieved level."""
    pairs, resamples = pair_names(runs), request.resamples_or(1000)
    found = {
        measure: discriminative_power(totals, request.levels, resamples, request.seed, weights=units.weights)
        for measure, totals in units.totals.items()
    }

    def shown(kind: Kind, rows_of: Callable[[Power], Iterable[Row]]) -> list[Table]:
        return [
            table
            for measure, of in found.items()
            for table in tables(kind, measure, ({**row, **units.columns()} for row in rows_of(of)))
        ]

    def drawn() -> list[Table]:
        return shown("level", lambda of: _rows_of_levels(of, pairs))

    return Report(
        tables=drawn() if request.figures else shown("discriminative_power", _rows),
        signature={"alphas": " ".join(map(str, request.levels)), "resamples": resamples, "seed": request.seed},
        explain=lambda: (sentence for measure, of in found.items() for sentence in _sentences(measure, of)),
        drawn=drawn,
    )


def _rows(found: Power) -> Iterator[Row]:
    shares, differences = found.shares().tolist(), found.differences().tolist()
    for alpha, share, difference in zip(found.alphas, shares, differences, strict=True):
        yield {"alpha": alpha, "share": share, "difference": difference, "pairs": len(found.asl)}


def _rows_of_levels(found: Power, pairs: Sequence[str]) -> Iterator[Row]:
    for rank, place in enumerate(np.argsort(-found.asl, kind="stable").tolist(), 1):
        yield {
            "rank": rank, "asl": float(found.asl[place]), "difference": float(found.difference[place]),
            "pair": pairs[place],
        }  # fmt: skip


def _sentences(measure: str, found: Power) -> Iterator[str]:
    """Sentences of what was found, and what Sakai's estimate is: no promise, so how it did on these pairs is counted."""
    for alpha, row, required in zip(found.alphas, _rows(found), found.differences(), strict=True):
        at_least = np.abs(found.difference) >= required
        missed = int((at_least & (found.asl >= alpha)).sum())
        yield f"At level {alpha:g}, {row['share']:.1%} of {plural(len(found.asl), 'pair')} differ significantly in {measure}."
        yield f"The difference required is estimated as {required:.4f}, the largest resampled one of any pair at that level."
        if at_least.any():
            pairs = plural(int(at_least.sum()), "pair")
            yield f"Of {pairs} that differ by at least that much, the test misses {missed or 'none'}."
        else:
            yield "No pair differs by that much."
