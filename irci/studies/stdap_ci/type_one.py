"""The type I experiment: the paper's tables, or the data of its figures."""

import math
from collections.abc import Iterator

import numpy as np

from irci.base.errors import DataError
from irci.base.names import places_by_name
from irci.base.types import Floats
from irci.data.scores import Scores
from irci.methods.stdap_ci import TypeOne, TypeOneExperiment, type_one
from irci.output.tables import Row, Table, tables
from irci.stats.scales import reference_factors
from irci.studies.stdap_ci.request import StdapCiRequest, refuse_few_own
from irci.system import special

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))


def tables_of_experiment(request: StdapCiRequest, table: Scores) -> Iterator[Table]:
    """For each measure the paper's Tables 1 to 8, or what its figures show."""
    references = request.reference_sample or (0 if request.transform == "none" else -1)
    label = {0: "none", -1: "all"}.get(references, str(references))
    order = places_by_name(table.runs)
    experiment = TypeOneExperiment(
        request.sizes, request.trials, request.replace, references, request.ddof, request.seed
    )
    for name, values in table.values.items():
        scores = _complete_scores(request, name, values[order], references)
        found = type_one(scores, ALPHAS, experiment)
        if not request.figures:
            yield from tables("type_one", name, (row for each in found for row in _table_rows(label, each)))
            continue
        if references < 1:
            mean, sd = reference_factors(scores, request.ddof)
            of_scores = (scores - mean) / sd if references else scores
            yield from tables("histogram", name, _histogram_rows("scores", of_scores, 1, label))
        for each in found:
            yield from tables("quantile", name, _quantile_rows(label, each))
            yield from tables("histogram", name, _histogram_rows("means", each.means, each.size, label))


def _complete_scores(request: StdapCiRequest, name: str, values: Floats, references: int) -> Floats:
    """The scores[runs, T] of the topics on which all runs have one, and the references differ; enough of them."""
    scores = values[:, ~np.isnan(values).any(axis=0)]
    if references == -1:
        scores = scores[:, ~np.isnan(reference_factors(scores, request.ddof)[1])]
    if not scores.shape[1]:
        raise DataError(f"{name}: no topic on which all runs have scores that differ")
    largest = max(request.sizes)
    if largest > scores.shape[1] and not request.replace:
        raise DataError(
            f"{name}: --sizes {largest} of {scores.shape[1]} topics (--replace draws topics more than once)"
        )
    if references == -1:
        refuse_few_own(name, scores)
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


def _quantile_rows(label: str, found: TypeOne) -> Iterator[Row]:
    """The paper's Q-Q plots of (n - 1) s^2 / sigma^2."""
    probabilities = (np.arange(99) + 1) / 100
    theory = 2 * special.gammaincinv((found.size - 1) / 2, probabilities)
    if np.isnan(found.chi2).all():
        raise DataError("--figures: all scores are the same, so there are no variances to draw")
    sample = np.nanquantile(found.chi2, probabilities)
    for probability, of_theory, of_sample in zip(probabilities.tolist(), theory.tolist(), sample.tolist(), strict=True):
        yield {
            "probability": probability, "chi2": of_theory, "sample": of_sample, "n": found.size, "reference": label,
        }  # fmt: skip


def _histogram_rows(of: str, values: Floats, size: int, label: str) -> Iterator[Row]:
    """The paper's histograms: of single scores (n is 1), or of the means of samples."""
    some = values[~np.isnan(values)]
    low, high = float(some.min()), float(some.max())
    # Bins must differ in more than the last bits.
    margin = max(0.5, abs(high)) if high - low < 1e-12 * abs(high) else 0.0
    counts, edges = np.histogram(some, 40, (low - margin, high + margin))
    for count, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield {
            "of": of, "from": low, "to": high, "percent": 100 * count / counts.sum(), "n": size, "reference": label,
        }  # fmt: skip
