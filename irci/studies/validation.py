"""ap-ci and map-ci --validate: how often intervals from one half of the documents contain the scores on the other."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any, Literal

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.records import values_of
from irci.comparison.wording import sources_of
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import Inputs
from irci.data.splits import halves
from irci.estimators.validation import (
    KINDS,
    MEANS,
    MODELLED,
    ON_LOGIT_SCALE,
    Outcome,
    SplitHalf,
    Validator,
    halves_of,
    place_of_means,
    shares,
    split_counts,
)
from irci.measures import MAP, Measure
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.wording import say


class ValidationRequest(SplitHalf):
    """The options of --validate by their names; `command`: ap-ci tries intervals of topics, map-ci those of means."""

    command: Literal["ap-ci", "map-ci"] = "ap-ci"
    measures: Sequence[Measure] = ()


def validation(request: ValidationRequest, inputs: Inputs) -> Report:
    """Tables of how many scores fall below, in and above intervals."""
    if request.resamples == 0:
        raise UsageError("--validate needs resamples: use -B 2 or more.")
    settings = SplitHalf(**values_of(request, SplitHalf))
    measures = request.measures or [MAP]
    experiment = Experiment(inputs._replace(missing="drop", no_relevant="drop"), measures)
    trials = [Trials(experiment, measure, settings) for measure in measures]
    runs = []
    with ThreadPoolExecutor(inputs.threads) as pool:
        for run in experiment.runs():
            runs.append(run.name)
            for of_measure in trials:
                of_measure.add(run, pool)
    printed: list[Table] = []
    for of_measure in trials:
        if not any(outcome.topics.any() for of_run in of_measure.outcomes for outcome in of_run):
            raise DataError("no run has a topic with relevant documents in both halves")
        rows = _topic_rows if request.command == "ap-ci" else _mean_rows
        printed += tables("in_interval", "", rows(of_measure, settings))
    return Report(
        tables=printed,
        signature={
            "command": f"{request.command} --validate",
            **settings._asdict(),
            **experiment.inputs.signature(),
            "measures": " ".join(measure.name for measure in measures),
            "num_runs": len(runs),
        },
        explain=lambda: [_sentence(table.rows, settings.confidence) for table in printed],
        sources=sources_of("halves"),
    )


class Trials:
    """One measure's intervals on halves: for each run its outcomes, split after split, both directions each."""

    def __init__(self, experiment: Experiment, measure: Measure, settings: SplitHalf) -> None:
        self.measure, self.relevance, self.keys = measure, experiment.relevance(measure), experiment.keys
        self.splits = halves(settings.validate, settings.seed)
        self.counts = [split_counts(experiment.collection, self.relevance, split) for split in self.splits]
        is_relevant = self.relevance.gains >= self.relevance.level
        if not any((counts[..., is_relevant].sum(axis=-1) > 0).all(axis=0).any() for counts in self.counts):
            raise DataError(f"{experiment.qrels_path}: no topic has relevant documents in both halves")
        self.validator = Validator(settings, measure)
        self.outcomes: list[list[Outcome]] = []

    def add(self, run: ExperimentRun, pool: ThreadPoolExecutor) -> None:
        """Try the intervals of a run."""
        lines, judged = run.run, run.judged

        def of_split(split: int) -> list[Outcome]:
            both = halves_of(lines, judged, self.relevance, self.splits[split], self.counts[split], self.measure)
            return [self.validator.outcome(*pair, judged.retrieved > 0, self.keys) for pair in (both, both[::-1])]

        self.outcomes.append([outcome for both in pool.map(of_split, range(len(self.splits))) for outcome in both])

    def directions(self) -> list[tuple[str, slice]]:
        """One split: either direction separately; several: all together."""
        return [("A", slice(0, 1)), ("B", slice(1, 2))] if len(self.splits) == 1 else [("both", slice(None))]


def _row(interval: str, result: tuple[Any, float], predicted: float) -> dict[str, Any]:
    (below, inside, above), sd = result
    return {
        "interval": interval, "below": float(below), "in": float(inside), "above": float(above), "sd": sd,
        "predicted": predicted,
    }  # fmt: skip


def _topic_rows(trials: Trials, settings: SplitHalf) -> Iterator[Row]:
    """The paper's Tables 1 and 2: percentages below, in and above the intervals of single topics. Only AP's are corrected."""
    counts = np.array([[outcome.topics for outcome in of_run] for of_run in trials.outcomes]).sum(axis=0)
    corrections = ("none", settings.small_r) if trials.measure.family is MAP.family else ("none",)
    for direction, cases in trials.directions():
        for (column, correction), many, (kind, name) in product(enumerate(corrections), (0, 1), enumerate(KINDS)):
            if name in ON_LOGIT_SCALE and not trials.measure.is_bounded:
                continue
            (result,) = shares(counts[cases, kind, column, many][np.newaxis])
            predicted = 100 * settings.predicted() if name in MODELLED else np.nan
            yield _row(f"{name}/bootstrap", result, predicted) | {
                "direction": direction, "relevant": "R>5" if many else "all", "correction": correction,
                "measure": trials.measure.name,
            }  # fmt: skip


def _mean_rows(trials: Trials, settings: SplitHalf) -> Iterator[Row]:
    means = np.array([[outcome.means for outcome in of_run] for of_run in trials.outcomes])
    counts = place_of_means(np.moveaxis(means, 0, 2))
    for (direction, cases), (column, name) in product(trials.directions(), enumerate(MEANS)):
        (result,) = shares(counts[cases, column][np.newaxis])
        yield _row(name, result, 100 * settings.predicted()) | {"direction": direction}


def _sentence(rows: Sequence[Row], confidence: float) -> str:
    """How often the default interval contains the score on the other half: the last of logit ones on all topics."""
    *_, row = [row for row in rows if row["interval"] in ("logit/bootstrap", MEANS[0]) and row.get("relevant") != "R>5"]
    facts = {"about": row.get("measure", "means of AP"), "within": row["in"], "confidence": 100 * confidence}
    return say("validation.shares", **{**row, **facts})
