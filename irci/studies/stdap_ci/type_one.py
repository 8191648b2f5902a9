"""The type I experiment: the paper's tables."""

import math
from collections.abc import Iterator

import numpy as np

from irci.base.errors import DataError
from irci.base.names import places_by_name
from irci.base.types import Floats
from irci.data.scores import Scores
from irci.estimators.stdap_ci import TypeOne, TypeOneExperiment, type_one
from irci.output.tables import Row, Table, tables
from irci.stats.scales import reference_factors
from irci.studies.stdap_ci.request import StdapCiRequest, different_references, refuse_few_references

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))


def tables_of_experiment(request: StdapCiRequest, table: Scores) -> Iterator[Table]:
    """For each measure the paper's Tables 1 to 8."""
    references = request.number_at_random or (0 if request.standardise == "none" else -1)
    label = {0: "none", -1: "all"}.get(references, str(references))
    order = places_by_name(table.runs)
    assert request.validate is not None
    experiment = TypeOneExperiment(request.sizes, request.validate, references, request.seed)
    for name, values in table.values.items():
        scores = _complete_scores(request, name, values[order], references)
        found = type_one(scores, ALPHAS, experiment)
        yield from tables("type_one", name, (row for each in found for row in _table_rows(label, each)))


def _complete_scores(request: StdapCiRequest, name: str, values: Floats, references: int) -> Floats:
    """The scores[runs, T] of the topics on which all runs have one, and the references differ; enough of them."""
    scores = values[:, ~np.isnan(values).any(axis=0)]
    if references == -1:
        scores = scores[:, ~np.isnan(reference_factors(scores)[1])]
    if not scores.shape[1]:
        raise DataError(f"{name}: no topic on which all runs have scores that differ")
    largest = max(request.sizes)
    if largest > scores.shape[1]:
        raise DataError(f"{name}: --sizes {largest} of {scores.shape[1]} topics")
    if references:
        refuse_few_references(name, different_references(scores))
    if len(scores) < max(2, references):
        raise DataError(f"{name}: too few runs: give at least {max(2, references)}")
    return scores


def _table_rows(label: str, found: TypeOne) -> Iterator[Row]:
    for known, sigma in enumerate(("known", "estimated")):
        for alpha, error, width in zip(ALPHAS, found.error[:, known], found.width[:, known].tolist(), strict=True):
            some = error[~np.isnan(error)]
            yield {
                "alpha": alpha, "mean": float(some.mean()) if len(some) else math.nan,
                "sd": float(some.std(ddof=1)) if len(some) > 1 else math.nan,
                "max": float(some.max(initial=0)) if len(some) else math.nan, "width": width, "n": found.size,
                "sigma": sigma, "reference": label, "factor": found.factor, "undefined": float(found.undefined[known]),
            }  # fmt: skip
