"""ap-ci and map-ci --validate: how often intervals from one half of the documents hold the scores on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import irci
from irci.cli import options
from irci.cli.console import write
from irci.data.collection import Relevance
from irci.data.experiment import Inputs
from irci.data.splits import halves
from irci.errors import DataError
from irci.methods.validation import (
    BINS,
    KINDS,
    MEANS,
    MODELLED,
    Outcome,
    Settings,
    Validator,
    halves_of,
    place_of_means,
    shares,
    split_counts,
)
from irci.stats.intervals import normal_quantile
from irci.streams import topic_keys

Row = dict[str, str | float | int]

# The options that mean something together with --validate.
TAKEN = {
    "qrels", "runs", "runs_from", "resamples", "confidence", "seed", "epsilon", "small_r", "relevance_level",
    "depth", "topics", "complete", "names", "quiet", "output_format", "output", "plot",
    "threads", "validate", "splits", "split_by", "figures",
}  # fmt: skip


def validate_command(command: str, inputs: Inputs, paths: Sequence[str]) -> None:
    """Validate ap-ci's intervals of topics or map-ci's of means, and write the tables, or the data of the figures.

    All else is taken from the options of the command that runs.
    """
    given = click.get_current_context().params
    chosen = {name: given[name] for name in Settings.__dataclass_fields__}
    qrels, figures, threads = given["qrels"], given["figures"], given["threads"]
    refuse_other_options()
    if given["plot"] is not None and not figures:
        raise click.UsageError("--plot draws the figures of --validate: add --figures.")
    if not paths:
        raise click.UsageError("Missing argument 'RUN...'.")
    if chosen["split_by"] != "hash" or (figures and command == "map-ci"):
        if options.is_given("splits"):
            raise click.UsageError("--splits is for the tables of random splits; here there is one.")
        chosen["splits"] = 1
    settings = Settings(**chosen)
    inputs = replace(inputs, missing="drop", no_relevant="drop")
    if settings.resamples == 0:
        raise click.UsageError("--validate needs resamples: take more than 0.")
    outcomes, runs, full = _outcomes(inputs, qrels, paths, settings, threads, with_full=figures and command == "map-ci")
    if command == "ap-ci":
        rows = list((_histogram_rows if figures else _topic_rows)(outcomes, settings))
    else:
        means = np.array([[outcome.means for outcome in of_run] for of_run in outcomes])
        rows = list(_interval_rows(means, runs, full) if figures else _mean_rows(means, settings))
    signature = {
        "irci": irci.__version__,
        "command": f"{command} --validate",
        **asdict(settings),
        **inputs.signature(),
        "num_runs": len(runs),
    }
    write(rows, given["output_format"], given["output"], signature, plot=given["plot"])


def refuse_other_options() -> None:
    """An option given that --validate takes no notice of is refused."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if options.is_given(str(parameter.name)) and parameter.name not in TAKEN:
            raise click.UsageError(f"--validate does not take {parameter.opts[-1]}.")


def _outcomes(
    inputs: Inputs, qrels: str, paths: Sequence[str], settings: Settings, threads: int, with_full: bool
) -> tuple[list[list[Outcome]], list[str], dict[str, NDArray[np.float64]]]:
    """For each run its outcomes, split after split, both directions each; the runs' names; and, if asked for, each run's
    intervals on the whole collection, as `Outcome.means` has them."""
    collection = inputs.collection(qrels)
    relevance = Relevance.binary(collection.qrels, inputs.relevance_level)
    keys = topic_keys(collection.qrels.topics)
    splits = halves(settings.split_by, settings.splits, settings.seed)
    counts = [split_counts(collection, relevance, split) for split in splits]
    if not any((of_split > 0).all(axis=0).any() for of_split in counts):
        raise DataError(f"{qrels}: no topic has relevant documents in both halves")
    validator = Validator(settings)
    outcomes, runs = [], []
    full: dict[str, NDArray[np.float64]] = {}
    with ThreadPoolExecutor(threads) as pool, validator:
        for name, run, judged in inputs.runs(collection, paths):

            def of_split(place: int, run: Any = run, judged: Any = judged) -> list[Outcome]:
                first, second = halves_of(run, judged, relevance, splits[place], counts[place])
                listed = judged.retrieved > 0
                return [validator.outcome(*pair, listed, keys) for pair in ((first, second), (second, first))]

            outcomes.append([each for both in pool.map(of_split, range(len(splits))) for each in both])
            runs.append(name)
            if with_full:
                full[name] = validator.on_whole(judged, relevance, keys)
            del run, judged, of_split
    if not any(outcome.topics.any() for of_run in outcomes for outcome in of_run):
        raise DataError("no run has a topic with relevant documents in both halves")
    return outcomes, runs, full


def _directions(splits: int) -> list[tuple[str, slice]]:
    """One split: either direction by itself; several: all together."""
    return [("A", slice(0, 1)), ("B", slice(1, 2))] if splits == 1 else [("both", slice(None))]


def _row(table: str, key: str, found: tuple[Any, float, float], predicted: float, splits: int) -> Row:
    (below, inside, above), sd, lists = found
    return {
        "table": table, "interval": key, "below": float(below), "in": float(inside), "above": float(above), "sd_in": sd,
        "predicted": predicted, "lists": round(lists), "splits": splits,
    }  # fmt: skip


def _topic_rows(outcomes: Sequence[Sequence[Outcome]], settings: Settings) -> Iterator[Row]:
    """The paper's Tables 1 and 2: percentages below, in and above the intervals of single topics."""
    counts = np.array([[outcome.topics for outcome in of_run] for of_run in outcomes]).sum(axis=0)
    splits = len(counts) // 2
    for direction, cases in _directions(splits):
        for correction in (0, 1):
            for many in (0, 1):
                for kind, name in enumerate(KINDS):
                    (found,) = shares(counts[cases, kind, correction, many][np.newaxis])
                    predicted = 100 * settings.predicted() if name in MODELLED else np.nan
                    yield _row("in_interval", f"{name}/bootstrap", found, predicted, splits) | {
                        "direction": direction,
                        "relevant": "R>5" if many else "all",
                        "correction": settings.small_r if correction else "none",
                    }


def _mean_rows(means: NDArray[np.float64], settings: Settings) -> Iterator[Row]:
    """The paper's Tables 3 and 4: percentages of runs; means[runs, cases, MEANS, 4]."""
    counts = place_of_means(np.moveaxis(means, 0, 2))
    splits = len(counts) // 2
    for direction, cases in _directions(splits):
        for place, name in enumerate(MEANS):
            (found,) = shares(counts[cases, place][np.newaxis])
            yield _row("in_interval", name, found, 100 * settings.predicted(), splits) | {"direction": direction}


def _histogram_rows(outcomes: Sequence[Sequence[Outcome]], settings: Settings) -> Iterator[Row]:
    """The paper's Figures 1 and 2: normalised differences, intervals corrected; the limits are at -1 and 1."""
    counts = np.array([[outcome.histogram for outcome in of_run] for of_run in outcomes]).sum(axis=(0, 1))
    edges = np.concatenate(([-np.inf], BINS, [np.inf]))
    chances = np.diff([_normal_share(edge, settings) for edge in edges])
    for kind, name in enumerate(KINDS):
        for place, count in enumerate(counts[kind]):
            yield {
                "table": "histogram", "interval": f"{name}/bootstrap", "from": float(edges[place]),
                "to": float(edges[place + 1]), "percent": float(100 * count / counts[kind].sum()),
                "predicted": float(100 * chances[place]) if name in MODELLED else np.nan,
            }  # fmt: skip


def _normal_share(edge: float, settings: Settings) -> float:
    """The share of normalised differences below an edge, which the model makes normal with variance 2 / z^2."""
    from statistics import NormalDist

    return NormalDist(0, 2**0.5 / normal_quantile(settings.confidence)).cdf(edge)


def _interval_rows(
    means: NDArray[np.float64], runs: Sequence[str], full: dict[str, NDArray[np.float64]]
) -> Iterator[Row]:
    """The paper's Figures 3 and 4: each run's intervals on the halves of the first split and on the whole, best runs last."""
    whole = np.array([full[run] for run in runs])
    for half, of_runs in (("A", means[:, 0]), ("B", means[:, 1]), ("all", whole)):
        for place, name in enumerate(MEANS):
            for run in np.argsort(of_runs[:, place, 0], kind="stable"):
                value, lower, upper, other = of_runs[run, place].tolist()
                if np.isnan(value):
                    continue
                yield {
                    "table": "half_interval", "interval": name, "value": value, "lower": lower, "upper": upper,
                    "run": runs[run], "half": half, "other_half": other,
                }  # fmt: skip
