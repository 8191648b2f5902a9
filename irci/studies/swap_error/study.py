"""swap-error: from settings and inputs to a report."""

from dataclasses import replace
from typing import assert_never

from irci.data.experiment import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.version_scores import cube_of
from irci.output.report import Report
from irci.studies.sources_in_words import SETS, among
from irci.studies.swap_error.error_rates import rates_over_units, rates_over_versions
from irci.studies.swap_error.judges import compare_judges
from irci.studies.swap_error.power import powers
from irci.studies.swap_error.scores import common_scores
from irci.studies.swap_error.settings import Settings
from irci.studies.swap_error.swaps import swaps_over_units


def swap_error(settings: Settings, inputs: Inputs) -> Report:
    """How often does an experiment of this size order two systems wrongly?"""
    settings.refuse_contradictions()
    signature = {"command": "swap-error", "procedure": settings.procedure}
    sources = among(SETS, [settings.procedure])
    if settings.versions is not None:
        cube = cube_of(inputs, settings.measures, settings.versions, settings.seed)
        found = rates_over_versions(settings, cube, inputs.threads)
        return replace(found, signature={**signature, **found.signature, **inputs.signature()}, sources=sources)
    if settings.procedure == "judges":
        found = compare_judges(settings, inputs)
        return replace(found, signature={**signature, **found.signature, **inputs.signature()}, sources=sources)
    units, runs, files = common_scores(settings, inputs)
    if units.word != "topic":
        warn_of_few_groups(len(units), units.word, f"what sets of them show is a rough guide to other {units.word}s")
    match settings.procedure:
        case "error-rate":
            found = rates_over_units(settings, units, inputs.threads)
        case "swap":
            found = swaps_over_units(settings, units, inputs.threads, inputs.progress)
        case "discriminative-power":
            found = powers(settings, units, runs)
        case _:
            assert_never(settings.procedure)
    counted = {
        "num_runs": len(runs), "num_topics": units.topics, "standardise": inputs.standardise,
        **settings.of_clusters(), **units.signature(),
    }  # fmt: skip
    sources = among(SETS, [settings.procedure, units.signature().get("units")])
    signed = {**signature, **found.signature, **counted, **inputs.signature()}
    return replace(found, signature=signed, files=files, sources=sources)
