"""Scores of runs, from files of scores or from runs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irci.base.types import Floats
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure, named
from irci.data.score_tables import files_of, score_files, standardised_scores
from irci.data.scores import Scores
from irci.data.versions import VersionScores
from irci.studies.compare.family import Scored


def by_base(measures: Sequence[Measure]) -> list[list[Measure]]:
    """The measures by what they average: AP for MAP, L-MAP and GMAP."""
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        groups.setdefault(measure.base.name, []).append(measure)
    return list(groups.values())


def read_scores(inputs: Inputs, measures: Sequence[Measure], *, counts: bool = False) -> Scored:
    """Scores from files of scores; without measures asked for, all that have a mean, or `counts` too."""
    table = score_files(inputs, [measure.base for measure in measures])
    return _standardised(inputs, table, list(measures) or named_in(table, counts=counts), counts=counts)


def score_runs(
    inputs: Inputs,
    measures: Sequence[Measure],
    experiment: Experiment | None = None,
    hearers: Sequence[Callable[[ExperimentRun], None]] = (),
    *,
    counts: bool = False,
) -> Scored:
    """Read runs and score them; `hearers` are told of each run while it is there."""
    chosen = list(measures) or [MAP]
    bases = [some[0].base for some in by_base(chosen)]
    experiment = experiment or Experiment(inputs, bases, with_intervals=False)
    names: list[str] = []
    values: dict[str, list[Floats]] = {base.name: [] for base in bases}
    for run in experiment.runs():
        names.append(run.name)
        for base in bases:
            values[base.name].append(run.scores(base))
        for hear in hearers:
            hear(run)
    table = Scores(names, experiment.topics, {name: np.array(of_runs) for name, of_runs in values.items()})
    return _standardised(inputs, table, chosen, counts=counts)


def _standardised(inputs: Inputs, table: Scores, measures: list[Measure], *, counts: bool) -> Scored:
    """A table as it is, or standardised if that is asked for; what is saved is as it was."""
    files = files_of(inputs, table)
    if inputs.standardise is not None:
        table = standardised_scores(table, inputs.standardise)
        measures = named_in(table, counts=counts)
    return Scored.of(table, measures, files)


def signature_of(inputs: Inputs) -> dict[str, Any]:
    """What of inputs changes a digit."""
    return {**inputs.signature(), "scores": inputs.scores, "standardise": inputs.standardise}


def named_in(table: Scores | VersionScores, *, counts: bool = False) -> list[Measure]:
    """The measures of a table, without counts, which have no mean, unless these are wanted too."""
    found = [named(name) for name in table.values]
    return [measure for measure in found if counts or not measure.is_count]
