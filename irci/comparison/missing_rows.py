"""Runs that are missing, as they lack too many topics: their means, with 0 for what they lack, and nothing else.

They are no part of what is compared: all other rows are as they would be without them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irci.base.choices import Pooled
from irci.base.names import first_names
from irci.base.types import Floats, Pairs
from irci.comparison.family import Scored, Source
from irci.comparison.request import Request
from irci.comparison.rows import Block, Columns, difference_name
from irci.data.missing import MEND
from irci.estimators.joint_resamples import NOTHING, Comparison, pool
from irci.measures import Measure
from irci.output.tables import NO_WORD, Row, Table

MISSING = "missing"
WITHOUT_PAIRS: dict[str, Any] = {"compare": False, "baseline": (), "all_pairs": False, "meta": None}


def of_those_made(request: Request, scored: Scored) -> Request:
    """The request of runs that are not missing: without pairs where all baselines are, or fewer than two are left."""
    if not scored.missing:
        return request
    is_alone = len(scored.runs) < 2
    made = tuple(name for name in request.baseline if name not in scored.missing)
    if not is_alone and (made or not request.baseline):
        return request._replace(baseline=made)
    of_many = {"ranks": False, "best": False} if is_alone else {}
    return request._replace(**(WITHOUT_PAIRS if request.has_pairs else {}), **of_many)


def pairs_of_missing(request: Request, scored: Scored) -> list[tuple[str, str]]:
    """The pairs asked for of which a run is missing, by name: run and baseline."""
    if not (scored.missing and request.has_pairs):
        return []
    asked = Comparison.of(scored.every_run, request.baseline, True, request.all_pairs, alone=False)
    pairs = [(asked.names[run], asked.names[baseline]) for run, baseline in asked.pairs.tolist()]
    return [pair for pair in pairs if not scored.missing.keys().isdisjoint(pair)]


def missing_means(request: Request, measure: Measure, scored: Scored, source: Source) -> Block:
    """The means of runs that are missing."""
    names, by_measure = list(scored.missing), [of_run[measure.base.name] for of_run in scored.missing.values()]
    pairs = np.column_stack((np.arange(len(names)), np.full(len(names), NOTHING)))
    if measure.is_count:
        values = np.array([round(measure.summary(scores)) for scores in by_measure])
    else:
        scale = request.scale(measure)
        values = scale.back(np.array([source.mean_of(scale.forward(scores)) for scores in by_measure]))
    return _block(measure.name, names, pairs, source, values, ({}, _counts(source, by_measure), {}))


def missing_differences(asked: Request, measure: Measure, scored: Scored, source: Source) -> Block:
    """The differences of pairs of which a run is missing."""
    means: dict[str, float] = {}

    def mean(name: str) -> float:
        if name not in means:
            means[name] = _mean(name, asked, measure, scored, source)
        return means[name]

    missing_pairs = pairs_of_missing(asked, scored)
    names = list(dict.fromkeys(name for pair in missing_pairs for name in pair))
    index_of = {name: index for index, name in enumerate(names)}
    pairs = np.array([(index_of[run], index_of[baseline]) for run, baseline in missing_pairs], np.int64).reshape(-1, 2)
    values = np.array([mean(run) - mean(baseline) for run, baseline in missing_pairs])
    lacking = [next(name for name in pair if name in scored.missing) for pair in missing_pairs]
    scores = [scored.missing[name][measure.base.name] for name in lacking]
    unknown, words = np.full(len(missing_pairs), np.nan), np.full(len(missing_pairs), MISSING, object)
    tested = {"p": unknown, "p_adjusted": unknown} if source.has_p else {}
    signs = {} if source.has_p else {"sign": np.full(len(missing_pairs), NO_WORD, object)}
    claimed = {"verdict": words} if asked.tells_verdicts and source.tells_verdicts else {}
    groups: Sequence[Columns] = (tested, _counts(source, scores), {}, {}, {}, signs, claimed)
    return _block(difference_name(measure, asked.scale(measure)), names, pairs, source, values, groups)


def _counts(source: Source, scores: Sequence[Floats]) -> Columns:
    counted = [source.counts_of_missing(of_run) for of_run in scores]
    return {name: np.array([counts[name] for counts in counted]) for name in (counted[0] if counted else ())}


def _block(
    name: str, names: Sequence[str], pairs: Pairs, source: Source, values: Floats, groups: Sequence[Columns]
) -> Block:
    unknown = np.full(len(values), np.nan)
    limits = {"value": values, "lower": unknown, "upper": unknown}
    return Block(name, names, pairs, source, False, np.ones(len(values), np.bool_), (limits, *groups))


def _mean(name: str, request: Request, measure: Measure, scored: Scored, source: Source) -> float:
    """The mean of a run, missing or not, or of all that are not, on the measure's scale."""
    base, scale = measure.base.name, request.scale(measure)
    if name in scored.missing:
        return source.mean_of(scale.forward(scored.missing[name][base]))
    values: Floats = source.of_runs(scored.values[base])
    pooled: Pooled = "mean" if name == "mean" else "median"
    of_run = values[scored.runs.index(name)] if name in scored.runs else pool(values, pooled)
    return source.mean_of(scale.forward(of_run))


def without_missing(tables: Sequence[Table], scored: Scored) -> Sequence[Table]:
    """The tables without rows of runs that are missing, of which sentences report nothing."""
    if not scored.missing:
        return tables

    def is_made(row: Row) -> bool:
        return row.get("run") not in scored.missing and row.get("baseline") not in scored.missing

    made = (table._replace(rows=[row for row in table.rows if is_made(row)]) for table in tables)
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
