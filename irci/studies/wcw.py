"""Variances of scores from runs or files of scores, for irci wcw."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irci.cli.console import save
from irci.data.experiment import Inputs, run_files
from irci.data.measures import MAP, Measure
from irci.errors import DataError
from irci.methods.wcw import one_way_variance, two_way_variance

Row = dict[str, str | float | int]


def variances_of(
    files: Sequence[str],
    measures: Sequence[Measure],
    residual: bool,
    pool: bool,
    runs_from: str | None,
    scores: bool,
    scores_format: str | None,
    save_scores: str | None,
    standardise: str | None,
    others: dict[str, Any],
) -> list[Row]:
    """For each measure its variance within systems (or the residual one), pooled over files if asked for."""
    inputs = Inputs.taken_from(others)
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise DataError(f"{', '.join(wrong)}: no mean of scores")
    if scores:
        groups = [[path] for path in files] if pool else [list(run_files(files, runs_from, ""))]
        tables = [inputs.filled(inputs.scores(group, scores_format, measures)) for group in groups]
    else:
        if pool:
            raise DataError("--pool is for --scores, one file a collection")
        qrels, *runs = files
        tables = [inputs.scored(qrels, run_files(runs, runs_from, qrels), measures or [MAP])]
    if save_scores is not None:
        save(tables[0], save_scores)
    if standardise is not None:
        tables = [inputs.standardised(table, standardise) for table in tables]
    kind = "two-way" if residual else "one-way"
    found: list[Row] = []
    for name in dict.fromkeys(name for table in tables for name in table.values):
        squares = degrees = topics = 0.0
        for table in tables:
            if name not in table.values:
                raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
            values = table.values[name].T
            complete = values[~np.isnan(values).any(axis=1)]
            if len(complete) < 2 or (residual and complete.shape[1] < 2):
                raise DataError(f"{name}: a variance takes at least two topics" + (" and two runs" if residual else ""))
            variance, df = (two_way_variance if residual else one_way_variance)(complete)
            squares, degrees, topics = squares + variance * df, degrees + df, topics + len(complete)
        found.append(
            {
                "table": f"variance_{name}",
                "kind": kind,
                "value": squares / degrees,
                "df": int(degrees),
                "topics": int(topics),
            }
        )
    return found
