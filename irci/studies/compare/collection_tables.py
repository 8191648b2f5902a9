"""The scores of several collections: from runs or from files of scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irci.base.errors import DataError
from irci.data.inputs import CollectionFiles, Inputs
from irci.data.measures import MAP, Measure
from irci.data.score_tables import chosen_scores, completed, score_files, standardised_scores
from irci.data.scores import Scores, saved_text
from irci.studies.compare.reading import named_in, score_runs
from irci.studies.compare.request import refuse_counts


@dataclass(frozen=True)
class Collections:
    """Scores of the measures' bases, a table a collection; the measures, and files to save."""

    tables: list[Scores]
    measures: list[Measure]
    files: dict[str, str]


def read_collections(
    inputs: Inputs, collections: Sequence[CollectionFiles] | Sequence[Scores], measures: Sequence[Measure]
) -> Collections:
    """Read the runs of each collection and score them, or the scores of each, unless they were read."""
    refuse_counts(measures)
    if inputs.scores:
        bases = [measure.base for measure in measures]
        tables = [each if isinstance(each, Scores) else _read(inputs, each, bases) for each in collections]
        tables = [_completed(chosen_scores(inputs, table, bases, complete=False), inputs) for table in tables]
        chosen = list(measures) or named_in(tables[0])
        _refuse_different(tables)
    else:
        chosen = list(measures) or [MAP]
        tables = [_score(inputs, each, chosen) for each in collections if isinstance(each, CollectionFiles)]
    saved = {} if inputs.save_scores is None else {inputs.save_scores: saved_text(*tables)}
    if inputs.standardise is not None:
        tables = [standardised_scores(table, inputs.standardise) for table in tables]
        chosen = named_in(tables[0])
    return Collections(tables, chosen, saved)


def _read(inputs: Inputs, listed: CollectionFiles, bases: Sequence[Measure]) -> Scores:
    """One collection's scores, whatever it is called in their files."""
    table = score_files(replace(inputs, files=listed.files), bases, complete=False)
    return replace(table, collection=listed.name)


def _score(inputs: Inputs, listed: CollectionFiles, measures: Sequence[Measure]) -> Scores:
    found = score_runs(replace(inputs, files=listed.files, save_scores=None, standardise=None), measures)
    return Scores(list(found.runs), list(found.topics), dict(found.values), listed.name)


def _completed(table: Scores, inputs: Inputs) -> Scores:
    """Missing scores as --missing says; a run that has no score at all of a measure is none of the collection's."""
    there = np.asarray(~np.isnan(list(table.values.values())).all(axis=2).any(axis=0))
    runs = [run for run, is_there in zip(table.runs, there.tolist(), strict=True) if is_there]
    values = {name: each[there] for name, each in table.values.items()}
    if not runs:
        raise DataError(f"{table.collection}: no run has scores of {', '.join(values)}")
    return completed(replace(table, runs=runs, values=values), inputs.missing)


def _refuse_different(tables: Sequence[Scores]) -> None:
    names = list(dict.fromkeys(name for table in tables for name in table.values))
    for table in tables:
        lacking = [name for name in names if name not in table.values]
        if lacking:
            raise DataError(f"{table.collection}: no scores of {', '.join(lacking)}; choose measures of all by -m")
