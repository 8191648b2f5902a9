"""Scores of runs on topics that swap-error studies."""

from dataclasses import replace

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import places_by_name
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.score_tables import joined, scores_by_collection
from irci.data.scores import Scores
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.swap_error.units import Units


def common_scores(request: SwapErrorRequest, inputs: Inputs) -> tuple[Units, list[str], dict[str, str]]:
    """The units that sets are made of, with the scores of all runs, by name, on the topics that all of them have; the runs'
    names; and what --save-scores writes."""
    tables, files = scores_by_collection(inputs, request.measures)
    if len(tables) > 1:
        if request.clusters is not None:
            raise UsageError(
                "--clusters are of the topics of one collection; of several, sets are made of collections."
            )
        found = joined([_of_all_runs(table, f"collection {table.collection}") for table in tables])
        if len(found.runs) < 2:
            raise DataError("needs at least two runs in all collections")
        return Units.of_groups("collection", found.values, found.place, alike=True), found.runs, files
    if request.clusters is not None and inputs.topics is None:
        request.clusters.warn_of_others(tables[0].topics)
    table = _of_all_runs(tables[0], "all runs")
    order = places_by_name(table.runs)
    if len(order) < 2 or len(table.topics) < 2:
        raise DataError("needs at least two runs that share two topics")
    table = replace(table, values={measure: values[order] for measure, values in table.values.items()})
    runs = [table.runs[place] for place in order]
    return Units.of(table, request.clusters, alike=request.mean == "clusters"), runs, files


def _of_all_runs(table: Scores, name: str) -> Scores:
    """The scores on the topics that all runs have; a warning of the others."""
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    warn_of_topics(name, "that some run lacks, dropped", where(table.topics, lacking))
    values = {measure: each[:, ~lacking] for measure, each in table.values.items()}
    return replace(table, topics=where(table.topics, ~lacking), values=values)
