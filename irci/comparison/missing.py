"""Runs that are missing, as they lack too many topics: they have their means, with 0 for what they lack, and nothing else. All
other rows are as they would be without them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irci.base import first_names
from irci.base.types import Floats
from irci.comparison.family import Scored, difference_name
from irci.comparison.rows import Block, Scope, tells_verdicts
from irci.comparison.sources import Source
from irci.data.scores import MEND
from irci.estimators.joint_resamples import NOTHING, Comparison, pool
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import NO_WORD, Row, Table

MISSING = "missing"
WITHOUT_PAIRS: dict[str, Any] = {"compare": False, "baseline": (), "all_pairs": False, "meta": None}


def of_those_made(request: Asked, scored: Scored) -> Asked:
    """The request of runs that are not missing: without pairs where all baselines are, or fewer than two are left."""
    is_alone = len(scored.runs) < 2
    made = tuple(name for name in request.baseline if name not in scored.missing)
    if not is_alone and (made or not request.baseline):
        return request.replaced(baseline=made)
    of_many = {"ranks": False, "best": False} if is_alone else {}
    return request.replaced(**(WITHOUT_PAIRS if request.has_pairs else {}), **of_many)


def pairs_of_missing(request: Asked, scored: Scored) -> list[tuple[str, str]]:
    """The pairs asked for of which a run is missing, by name: run and baseline."""
    if not (request.has_pairs and scored.missing):
        return []
    asked = Comparison.of(scored.every_run, request.baseline, True, request.all_pairs, alone=False)
    pairs = [(asked.names[run], asked.names[baseline]) for run, baseline in asked.pairs.tolist()]
    return [pair for pair in pairs if not scored.missing.keys().isdisjoint(pair)]


def missing_contrasts(
    scope: Scope, measure: Measure, source: Source, pairs: Sequence[tuple[str, str]]
) -> Iterator[Block]:
    """Contrasts of which a run is missing, if any: differences of pairs of names, or means where baselines are ""."""
    if not pairs:
        return
    scored, base, scale = scope.scored, measure.base.name, measure.scale()
    names = list(dict.fromkeys(name for pair in pairs for name in pair if name))
    of_missing = [next(scored.missing[name][base] for name in pair if name in scored.missing) for pair in pairs]
    unknown, counts = np.full(len(pairs), np.nan), [source.counts_of_missing(scores) for scores in of_missing]
    counted = {name: np.array([of_run[name] for of_run in counts]) for name in counts[0]}
    title, columns = measure.name, counted
    if measure.is_count:
        values = np.array([round(measure.summary(scores)) for scores in of_missing])
    else:
        means = {name: source.mean_of(scale.forward(_scores(name, base, scored, source))) for name in names} | {"": 0.0}
        values = np.array([means[run] - means[baseline] for run, baseline in pairs])
        values = values if pairs[0][1] else scale.back(values)
    if pairs[0][1]:
        title = difference_name(measure)
        unknown_words = np.full(len(pairs), NO_WORD, object)
        columns |= {"p": unknown, "p_adjusted": unknown} if source.has_p else {"sign": unknown_words}
        has_verdicts = tells_verdicts(scope.asked) and source.tells_verdicts
        columns |= {"verdict": np.full(len(pairs), MISSING, object)} if has_verdicts else {}
    index_of = {name: index for index, name in enumerate(names)} | {"": NOTHING}
    places = np.array([[index_of[name] for name in pair] for pair in pairs])
    limits = {"value": values, "lower": unknown, "upper": unknown}
    yield Block(title, names, places, source, False, np.ones(len(pairs), np.bool_), limits | columns)


def _scores(name: str, base: str, scored: Scored, source: Source) -> Floats:
    """A run's scores, missing or not, or of the mean or median of all that are not."""
    if name in scored.missing:
        return scored.missing[name][base]
    values: Floats = source.of_runs(scored.values[base])
    return (
        values[scored.runs.index(name)] if name in scored.runs else pool(values, "mean" if name == "mean" else "median")
    )


def without_missing(tables: Sequence[Table], scored: Scored) -> Sequence[Table]:
    """The tables without rows of runs that are missing, of which sentences report nothing."""

    def is_made(row: Row) -> bool:
        return row.get("run") not in scored.missing and row.get("baseline") not in scored.missing

    made = (table._replace(rows=[row for row in table.rows if is_made(row)]) for table in tables)
    return [table for table in made if table.rows]


def untold_of_missing(whole: Scope) -> Iterator[str]:
    """The pairs that --fail-if is about of which a run is missing, for each measure."""
    scored = whole.scored
    for condition in (whole.asked.fail_if or ())[:1]:
        for run, baseline in pairs_of_missing(whole.asked, scored):
            lacks = _lacks(scored, [name for name in (run, baseline) if name in scored.missing])
            for measure in (on.measure.name for on in whole.on if not on.alone.is_diagnostic):
                yield f"{measure}: {run} against {baseline}: {lacks} ({MEND}) (--fail-if {condition})"


def sentences_of_missing(scored: Scored) -> Iterator[str]:
    """Sentence on runs that are missing, if there are any."""
    if scored.missing:
        yield f"{_lacks(scored, list(scored.missing))}: 0 counts there, and nothing is tested."


def _lacks(scored: Scored, runs: Sequence[str]) -> str:
    assert scored.lacking is not None
    lacks = [f"{run} lacks {scored.lacking.of[run]}" for run in runs]
    return f"{first_names(lacks)}, and so {'are' if len(runs) > 1 else 'is'} {MISSING}"
