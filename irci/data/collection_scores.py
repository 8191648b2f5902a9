"""Scores of several collections, which a column of score files names: a table each, of the same runs and measures."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irci.base.errors import DataError, first_few, plural
from irci.base.names import raw, text
from irci.base.types import Floats, Ints
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.notices import warn_of_topics
from irci.data.score_tables import (
    chosen_scores,
    files_of,
    read_tables,
    refuse_no_scores,
    scores_of,
    standardised_scores,
)
from irci.data.scores import Scores
from irci.data.topics import read_topics

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class Joined:
    """Scores of several collections side by side: of each measure float64[runs, T], and of each topic the place of its
    collection, int64[T]. Topics of two collections are two, whatever they are called."""

    runs: list[str]
    values: dict[str, Floats]
    place: Ints


def scores_by_collection(inputs: Inputs, measures: Sequence[Measure]) -> tuple[list[Scores], dict[str, str]]:
    """As `scores_of`, a table a collection, by name: each completed, and standardised, by itself. One if none is named.

    A collection without any of the topics asked for is left out. Raises DataError if scores of several are to be saved.
    """
    if not inputs.scores:
        table, files = scores_of(inputs, measures)
        return [table], files
    refuse_no_scores(measures)
    tables = read_tables(inputs, measures)
    if len(tables) > 1 and inputs.save_scores is not None:
        raise DataError("--save-scores writes the scores of one collection: leave it out")
    tables = sorted(
        tables, key=lambda table: raw(table.collection or "")
    )  # not in order of lines, which changes no digit
    tables = [chosen_scores(inputs, table, measures) for table in _with_topics(inputs, tables)]
    files = files_of(inputs, tables[0])
    if inputs.standardise is not None:
        tables = [standardised_scores(table, inputs.standardise) for table in tables]
    return tables, files


def _with_topics(inputs: Inputs, tables: Sequence[Scores]) -> Sequence[Scores]:
    """The collections that have some of the topics asked for, if any has; a warning names the others."""
    if inputs.topics is None or len(tables) < 2:
        return tables
    chosen = {text(topic) for topic in read_topics(inputs.topics)}
    found = [table for table in tables if not chosen.isdisjoint(table.topics)]
    if not found:
        return tables
    names = [str(table.collection) for table in tables if chosen.isdisjoint(table.topics)]
    warn_of_topics(", ".join(inputs.paths()), "without any of the topics asked for, left out", names, "collection")
    return found


def joined(tables: Sequence[Scores]) -> Joined:
    """The runs that all collections have scores of, by name; others are named in a warning, and left out.

    Raises DataError if no run is in all of them, or a measure in some but not in others.
    """
    names = [str(table.collection) for table in tables]
    measures = list(tables[0].values)
    for table in tables:
        if set(table.values) != set(measures):
            raise DataError(
                f"collections {names[0]} and {table.collection} have scores of other measures: choose one (-m)"
            )
    everywhere = set.intersection(*(set(table.runs) for table in tables))
    others = sorted({run for table in tables for run in table.runs} - everywhere)
    if not everywhere:
        raise DataError(f"no run has scores on every collection ({first_few(names)}): a run has the same name in each")
    if others:
        logger.warning(f"{plural(len(others), 'run')} without scores on some collection, left out: {first_few(others)}")
    runs = sorted(everywhere, key=raw)
    rows = [[table.runs.index(run) for run in runs] for table in tables]
    values = {
        measure: np.hstack([table.values[measure][some] for table, some in zip(tables, rows, strict=True)])
        for measure in measures
    }
    return Joined(runs, values, np.repeat(np.arange(len(tables)), [len(table.topics) for table in tables]))
