"""swap-error: from request and inputs to a report."""

from dataclasses import replace
from typing import Any

from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.version_scores import cube_of
from irci.output.report import Report
from irci.studies.sources_in_words import SETS, among
from irci.studies.swap_error.error_rates import rates_over_units, rates_over_versions
from irci.studies.swap_error.judges.study import compare_judges
from irci.studies.swap_error.power import powers
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.swap_error.swaps import swaps_over_units
from irci.studies.swap_error.units import common_scores


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
