"""ap-ci and map-ci --validate: how often intervals from one half of the documents contain the scores on the other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from irci.base import DataError, UsageError
from irci.base.types import Floats, Ints
from irci.comparison.means import sources_of
from irci.data.collection import Relevance
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.parts import halves
from irci.estimators import ap_ci
from irci.measures import MAP, Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.wording import say


def validation(request: Asked, inputs: Inputs) -> Report:
    """Tables of how many scores fall below, in and above intervals: ap-ci tries those of topics, map-ci those of means."""
    if request.resamples == 0:
        raise UsageError("--validate needs resamples: use -B 2 or more.")
    settings, is_of_topics = request.record(ap_ci.IntervalMethod), request.command.name == "ap-ci"
    measures = (request.measures if is_of_topics else ()) or [MAP]
    experiment = Experiment(inputs._replace(missing="drop", no_relevant="drop"), measures)
    splits = halves(request.validate, settings.seed)
    classes: dict[Measure, tuple[Relevance, list[Ints]]] = {}  # with the documents of each half of each split in them
    for measure in measures:
        relevance = experiment.relevance(measure)
        counts = [ap_ci.split_counts(experiment.qrels, relevance, split) for split in splits]
        is_relevant = relevance.gains >= relevance.level
        if not any((of_split[..., is_relevant].sum(axis=-1) > 0).all(axis=0).any() for of_split in counts):
            raise DataError(f"{experiment.qrels.path}: no topic has relevant documents in both halves")
        classes[measure] = relevance, counts
    outcomes: dict[Measure, list[list[tuple[Ints, Floats]]]] = {measure: [] for measure in measures}
    for run in experiment.runs():
        for measure, (relevance, counts) in classes.items():
            of_run = []  # split after split, both directions each
            for split, of_split in zip(splits, counts, strict=True):
                both = ap_ci.halves_of(run.run, run.judged, relevance, split, of_split, measure)
                for pair in (both, both[::-1]):
                    listed = run.judged.retrieved > 0
                    of_run.append(
                        ap_ci.outcome(*pair, listed, experiment.keys, settings, measure, threads=inputs.threads)
                    )
            outcomes[measure].append(of_run)
    # One split: either direction separately; several: all together.
    directions = {"A": slice(0, 1), "B": slice(1, 2)} if len(splits) == 1 else {"both": slice(None)}
    predicted = 100 * ap_ci.predicted_share(settings.confidence)
    printed: list[Table] = []
    for measure, of_runs in outcomes.items():
        topics, means = (np.array([[outcome[kind] for outcome in of_run] for of_run in of_runs]) for kind in (0, 1))
        if not topics.any():
            raise DataError("no run has a topic with relevant documents in both halves")
        if is_of_topics:
            rows = _topic_rows(measure, topics.sum(axis=0), directions, settings.small_r, predicted)
        else:
            rows = _mean_rows(means, directions, predicted)
        printed += tables("in_interval", "", rows)
    return Report(
        tables=printed,
        signature={
            "command": f"{request.command.name} --validate", "resamples": settings.resamples,
            "confidence": settings.confidence, "seed": settings.seed, "small_r": settings.small_r,
            "validate": request.validate, "published": settings.published, **experiment.inputs.signature(),
            "measures": " ".join(measure.name for measure in measures),
            "num_runs": len(outcomes[measures[0]]),
        },
        explain=lambda: [_sentence(table.rows, settings.confidence) for table in printed],
        sources=sources_of("halves"),
    )  # fmt: skip


def _row(interval: str, counts: Ints, predicted: float) -> Row:
    """Percentages below, in and above an interval by counts[cases, 3], cases one split and direction each, on average, and the
    standard deviation of that inside over cases. Cases without lists take no part."""
    total = counts.sum(axis=1)
    percent = 100 * counts[total > 0] / total[total > 0, np.newaxis]
    below, inside, above = percent.mean(axis=0).tolist() if len(percent) else [math.nan] * 3
    sd = float(percent[:, ap_ci.INSIDE].std(ddof=1)) if len(percent) > 1 else math.nan
    return {"interval": interval, "below": below, "in": inside, "above": above, "sd": sd, "predicted": predicted}


def _topic_rows(
    measure: Measure, counts: Ints, directions: Mapping[str, slice], small_r: str, predicted: float
) -> Iterator[Row]:
    """The paper's Tables 1 and 2: percentages below, in and above the intervals of single topics, by counts as of `outcome` of
    each case. Only AP's are corrected."""
    corrections = ("none", small_r) if measure.family is MAP.family else ("none",)
    for direction, cases in directions.items():
        for (column, correction), many, (kind, name) in product(enumerate(corrections), (0, 1), enumerate(ap_ci.KINDS)):
            if name in ap_ci.ON_LOGIT_SCALE and not measure.is_bounded:
                continue
            of_cases = counts[cases, kind, column, many]
            yield {
                **_row(f"{name}/bootstrap", of_cases, predicted if name in ap_ci.MODELLED else math.nan),
                "direction": direction, "relevant": "R>5" if many else "all", "correction": correction,
                "measure": measure.name,
            }  # fmt: skip


def _mean_rows(means: Floats, directions: Mapping[str, slice], predicted: float) -> Iterator[Row]:
    """How many of means[runs, cases, MEANS, 4], as of `outcome`, are below, in and above their intervals."""
    value, lower, upper, other = np.moveaxis(means, -1, 0)
    below, above = other < lower, other > upper
    counts = np.stack([below, ~(below | above | np.isnan(value)), above], axis=-1).sum(axis=0)
    for (direction, cases), (column, name) in product(directions.items(), enumerate(ap_ci.MEANS)):
        yield {**_row(name, counts[cases, column], predicted), "direction": direction}


def _sentence(rows: Sequence[Row], confidence: float) -> str:
    """How often the default interval contains the score on the other half: the last of logit ones on all topics."""
    *_, row = [
        row for row in rows if row["interval"] in ("logit/bootstrap", ap_ci.MEANS[0]) and row.get("relevant") != "R>5"
    ]
    facts = {"about": row.get("measure", "means of AP"), "within": row["in"], "confidence": 100 * confidence}
    return say("validation.shares", **{**row, **facts})
