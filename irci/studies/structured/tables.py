"""The scores that structures are made of: from runs or from files of scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irci.base.errors import UsageError
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure, named
from irci.data.score_tables import files_of, score_files, standardised_scores
from irci.data.scores import Scores
from irci.data.versions import VersionScores


@dataclass(frozen=True)
class Read:
    """Scores of the measures' bases, the measures, and files to save."""

    table: Scores
    measures: list[Measure]
    files: dict[str, str]


def read_scores(inputs: Inputs, measures: Sequence[Measure]) -> Read:
    """Read runs and score them, or read scores."""
    refuse_counts(measures)
    if inputs.scores:
        table = score_files(inputs, [measure.base for measure in measures])
        chosen = list(measures) or named_in(table)
    else:
        chosen = list(measures) or [MAP]
        table = scores_of_runs(inputs, chosen)
    files = files_of(inputs, table)
    if inputs.standardise is not None:
        table = standardised_scores(table, inputs.standardise)
        chosen = named_in(table)
    return Read(table, chosen, files)


def signature_of(inputs: Inputs) -> dict[str, Any]:
    """What of inputs changes a digit."""
    return {**inputs.signature(), "scores": inputs.scores, "standardise": inputs.standardise}


def scores_of_runs(inputs: Inputs, measures: Sequence[Measure]) -> Scores:
    """Read runs, and score them by the bases of measures."""
    bases = list({measure.base.name: measure.base for measure in measures}.values())
    return Experiment(inputs, bases, with_intervals=False).scores(bases)


def named_in(table: Scores | VersionScores) -> list[Measure]:
    """The measures of a table, but counts, which have no mean."""
    found = [named(name) for name in table.values]
    return [measure for measure in found if not measure.is_count]


def refuse_counts(measures: Sequence[Measure]) -> None:
    """Raise UsageError for a count."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise UsageError(f"{', '.join(counts)}: a count is not averaged over topics: choose other measures.")
