"""swap-error: from request and inputs to a report."""

from dataclasses import replace
from typing import assert_never

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
    signature = {"command": "swap-error", "procedure": request.procedure}
    sources = among(SETS, [request.procedure])
    if request.versions is not None:
        cube = cube_of(inputs, request.measures, request.versions, request.seed)
        found = rates_over_versions(request, cube, inputs.threads)
        return replace(found, signature={**signature, **found.signature, **inputs.signature()}, sources=sources)
    if request.procedure == "judges":
        found = compare_judges(request, inputs)
        return replace(found, signature={**signature, **found.signature, **inputs.signature()}, sources=sources)
    units, runs, files = common_scores(request, inputs)
    if units.word != "topic":
        warn_of_few_groups(len(units), units.word, f"what sets of them show is a rough guide to other {units.word}s")
    match request.procedure:
        case "error-rate":
            found = rates_over_units(request, units, inputs.threads)
        case "swap":
            found = swaps_over_units(request, units, inputs.threads, inputs.progress)
        case "discriminative-power":
            found = powers(request, units, runs)
        case _:
            assert_never(request.procedure)
    counted = {
        "num_runs": len(runs), "num_topics": units.topics, "standardise": inputs.standardise,
        **request.of_clusters(), **units.signature(),
    }  # fmt: skip
    sources = among(SETS, [request.procedure, units.signature().get("units")])
    signed = {**signature, **found.signature, **counted, **inputs.signature()}
    return replace(found, signature=signed, files=files, sources=sources)
