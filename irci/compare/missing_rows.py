"""Runs that are missing, as they lack too many topics: their means, with 0 for what they lack, and nothing else.

They are no part of what is compared: all other rows are as they would be without them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irci.base.choices import Pooled
from irci.base.names import first_names
from irci.base.types import Floats
from irci.compare.family import Scored, Source
from irci.compare.request import Request
from irci.compare.rows import difference_name
from irci.data.missing import MEND
from irci.estimators.joint_resamples import Comparison, pool
from irci.measures import Measure
from irci.output.tables import NO_WORD, Bounded, Cell, Row, Rows, Table, tables

MISSING = "missing"
WITHOUT_PAIRS: dict[str, Any] = {"compare": False, "baseline": None, "all_pairs": False, "meta": None}


def of_those_made(request: Request, scored: Scored) -> Request:
    """The request of runs that are not missing: without pairs where the baseline is, or fewer than two are left."""
    is_alone = len(scored.runs) < 2
    if not scored.missing or not (is_alone or request.baseline in scored.missing):
        return request
    of_many = {"ranks": False, "best": False} if is_alone else {}
    return request._replace(**(WITHOUT_PAIRS if request.has_pairs else {}), **of_many)


def pairs_of_missing(request: Request, scored: Scored) -> list[tuple[str, str]]:
    """The pairs asked for of which a run is missing, by name: run and baseline."""
    if not (scored.missing and request.has_pairs):
        return []
    asked = Comparison.of(scored.every_run, request.baseline, True, request.all_pairs, alone=False)
    pairs = [(asked.names[run], asked.names[baseline]) for run, baseline in asked.pairs.tolist()]
    return [pair for pair in pairs if not scored.missing.keys().isdisjoint(pair)]


def missing_means(request: Request, scored: Scored, rows: Sequence[Row]) -> Iterator[Table]:
    """The mean of each run that is missing, by each measure and over each source; `rows`: of others, whose columns it has."""
    example = rows[0] if rows else {}
    for run, by_measure in scored.missing.items():
        of_run = []
        for measure in scored.measures:
            scores = by_measure[measure.base.name]
            for source in scored.sources:
                if measure.is_count:
                    value = float(round(measure.summary(scores)))
                else:
                    scale = request.scale(measure)
                    value = float(scale.back(np.array([source.mean_of(scale.forward(scores))]))[0])
                cells: Row = {"measure": measure.name, "topic": "all", "value": value, "run": run}
                of_run.append(_row(example, {**cells, **source.counts_of_missing(scores)}, source))
        yield from tables("estimate", "", of_run)


def missing_differences(asked: Request, measure: Measure, scored: Scored, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of the pairs of which a run is missing; `rows`: of others, whose columns they have."""
    verdict: Row = {"verdict": ""} if asked.tells_verdicts else {}
    pairs, sources = pairs_of_missing(asked, scored), scored.sources
    of_test: Row = {"p": np.nan, "p_adjusted": np.nan} if any(source.has_p for source in sources) else {"sign": ""}
    example: Row = rows[0] if rows else {**of_test, **verdict}

    def row(place: int) -> Row:
        pair, source = divmod(place, len(sources))
        run, baseline = pairs[pair]
        means = [_mean(name, asked, measure, scored, sources[source]) for name in (run, baseline)]
        cells: dict[str, Cell] = {
            "measure": difference_name(measure, asked.scale(measure)), "topic": "all", "value": means[0] - means[1],
            "run": run, "baseline": baseline,
        }  # fmt: skip
        lacking = next(name for name in (run, baseline) if name in scored.missing)
        cells |= sources[source].counts_of_missing(scored.missing[lacking][measure.base.name])
        return _row(example, cells | ({"verdict": MISSING} if "verdict" in example else {}), sources[source])

    return Rows(len(pairs) * len(sources), row)


def _mean(name: str, request: Request, measure: Measure, scored: Scored, source: Source) -> float:
    """The mean of a run, missing or not, or of all that are not, on the measure's scale."""
    base, scale = measure.base.name, request.scale(measure)
    if name in scored.missing:
        return source.mean_of(scale.forward(scored.missing[name][base]))
    values: Floats = source.of_runs(scored.values[base])
    pooled: Pooled = "mean" if name == "mean" else "median"
    of_run = values[scored.runs.index(name)] if name in scored.runs else pool(values, pooled)
    return source.mean_of(scale.forward(of_run))


def _row(example: Row, cells: Row, source: Source) -> Row:
    """A row with the columns of another, of which these cells are known."""
    unknown: dict[str, Cell] = {name: NO_WORD if isinstance(cell, str) else np.nan for name, cell in example.items()}
    known: dict[str, Cell] = {"lower": np.nan, "upper": np.nan, **cells}
    first = ("measure", "topic", "value", "lower", "upper", "run", "baseline")
    row: dict[str, Cell] = {name: known[name] for name in first if name in known}
    row |= {"population": source.name, **source.labels}
    row = row | {name: cell for name, cell in (unknown | known).items() if name not in row}
    return Bounded(row) if isinstance(example, Bounded) else row


def without_missing(given: Sequence[Table], scored: Scored) -> Sequence[Table]:
    """The tables without rows of runs that are missing, of which sentences report nothing."""
    if not scored.missing:
        return given

    def is_made(row: Row) -> bool:
        return row.get("run") not in scored.missing and row.get("baseline") not in scored.missing

    made = (table._replace(rows=[row for row in table.rows if is_made(row)]) for table in given)
    return [table for table in made if table.rows]


def untold_of_missing(asked: Request, scored: Scored, measures: Sequence[str]) -> Iterator[str]:
    """The pairs that --fail-if is about of which a run is missing, for each measure."""
    for condition in (asked.fail_if or ())[:1]:
        for run, baseline in pairs_of_missing(asked, scored):
            lacks = [name for name in (run, baseline) if name in scored.missing]
            for measure in measures:
                yield f"{measure}: {run} against {baseline}: {_lacks(scored, lacks)} ({MEND}) (--fail-if {condition})"


def sentences_of_missing(scored: Scored) -> Iterator[str]:
    """Sentence on runs that are missing."""
    if scored.missing:
        them = "them" if len(scored.missing) > 1 else "it"
        yield f"{_lacks(scored, list(scored.missing))}: nothing is told of {them}."


def _lacks(scored: Scored, runs: Sequence[str]) -> str:
    assert scored.lacking is not None
    lacks = [f"{run} lacks {scored.lacking.of[run]}" for run in runs]
    return f"{first_names(lacks)}, and so {'are' if len(runs) > 1 else 'is'} {MISSING}"
