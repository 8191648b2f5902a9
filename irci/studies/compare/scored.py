"""Scores of runs, read or computed, and the sources of variation that limits and tests over them are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irci.base.names import raw
from irci.base.streams import topic_keys
from irci.base.types import Floats, Words
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import MAP, Measure, named
from irci.data.score_tables import files_of, score_files, standardised_scores
from irci.data.scores import Scores
from irci.data.versions import VersionScores

if TYPE_CHECKING:
    from irci.bootstrap.joint_resamples import Comparison
    from irci.data.experiment import ExperimentRun
    from irci.studies.compare.sources.documents import ResampledDocuments
    from irci.studies.compare.sources.judgments import Judgments
    from irci.studies.compare.sources.source import Source
    from irci.studies.compare.study import OnMeasure


def _nothing(found: Sequence[OnMeasure]) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Scored:
    """Scores of runs (or systems) on what means are over, and the sources of variation, in order of output.

    `values`: float64[rows, M] by the name of a base measure, nan where there is none; rows are the runs', or those of the
    seeds of systems if `several_rows` make a run. `topics`: their names, and `keys` uint64[M] the streams of what rows are
    scored on. `kind`: the option that says how topics or runs belong together, "" if they do not; `where`: the collection, if
    it is one of several; `made_of`: what means are over ("50 topics in 8 clusters"). `signature`: what of it changes a digit,
    and how many of what there are; `files`: what else is to be written, by path; `resampled`: what documents say, where these
    are resampled, and `judgments`: bounds, where these are found; `further_notices`: warnings after the usual ones.
    """

    runs: Sequence[str]
    topics: Sequence[str]
    measures: Sequence[Measure]
    values: Mapping[str, Floats]
    keys: Words
    sources: Sequence[Source] = ()
    kind: str = ""
    where: str = ""
    made_of: str = ""
    several_rows: bool = False
    signature: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    resampled: ResampledDocuments | None = None
    judgments: Judgments | None = None
    further_notices: Callable[[Sequence[OnMeasure]], None] = _nothing

    @classmethod
    def of(cls, table: Scores, measures: Sequence[Measure], files: Mapping[str, str] | None = None) -> Scored:
        """A table of scores."""
        return cls(table.runs, table.topics, measures, table.values, keys_of(table), files=files or {})

    def varying(self, sources: Sequence[Source], **others: Any) -> Scored:
        """The same scores with sources of variation, and what else comes with these."""
        return replace(self, sources=sources, **others)

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """Scores float64[rows, M] of a base measure, with that of pooled runs if these are compared with."""
        values = self.values[base.name]
        return values if self.several_rows else comparison.table(values)


def keys_of(table: Scores) -> Words:
    """The stream keys of a table's topics."""
    return topic_keys([raw(topic) for topic in table.topics])


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
