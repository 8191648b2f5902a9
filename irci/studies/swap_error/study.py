"""swap-error: from request and inputs to a report; of discriminative power, the share of pairs that a bootstrap test tells
apart, by itself."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irci.base.names import plural
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.version_scores import cube_of
from irci.methods.swap_error.discriminative_power import Power, discriminative_power
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.studies.sources_in_words import SETS, among
from irci.studies.swap_error.error_rates import rates_over_units, rates_over_versions
from irci.studies.swap_error.judges.study import compare_judges
from irci.studies.swap_error.request import SwapErrorRequest, Units, common_scores, pair_names
from irci.studies.swap_error.swaps import swaps_over_units


def swap_error(request: SwapErrorRequest, inputs: Inputs) -> Report:
    """Report of how often an experiment of this size orders two systems wrongly."""
    request.refuse_contradictions()
    if request.versions is not None:
        cube = cube_of(inputs, request.measures, request.versions, request.seed)
        return _signed(rates_over_versions(request, cube, inputs.threads), request, inputs)
    if request.procedure == "judges":
        return _signed(compare_judges(request, inputs), request, inputs)
    units, runs, files = common_scores(request, inputs)
    if units.word != "topic":
        warn_of_few_groups(len(units), units.word, f"what sets of them show is a rough guide to other {units.word}s")
    if request.procedure == "error-rate":
        found = rates_over_units(request, units, inputs.threads)
    elif request.procedure == "swap":
        found = swaps_over_units(request, units, inputs.threads, inputs.progress)
    else:
        found = powers(request, units, runs)
    counted = {"num_runs": len(runs), "num_topics": units.topics, "standardise": inputs.standardise}
    of_units = request.of_clusters() | units.signature()
    return _signed(replace(found, files=files), request, inputs, **counted, **of_units)


def _signed(found: Report, request: SwapErrorRequest, inputs: Inputs, **counted: Any) -> Report:
    signature = {"command": "swap-error", "procedure": request.procedure, **found.signature, **counted}
    sources = among(SETS, [request.procedure, counted.get("units")])
    return replace(found, signature=signature | inputs.signature(), sources=sources)


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
