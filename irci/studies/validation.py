"""ap-ci and map-ci --validate: how often intervals from one half of the documents hold the scores on the other."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.records import values_of
from irci.base.types import Array, Ints, Words
from irci.compare.sources_in_words import HALVES
from irci.data.collection import Relevance
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import Inputs
from irci.data.splits import Split, halves
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


class ValidationRequest(SplitHalf):
    """The options of --validate by their names; `command`: ap-ci tries intervals of topics, map-ci those of means."""

    command: Literal["ap-ci", "map-ci"] = "ap-ci"
    measures: Sequence[Measure] = ()

    def of_method(self) -> SplitHalf:
        if self.resamples == 0:
            raise UsageError("--validate needs resamples: use -B 2 or more.")
        return SplitHalf(**values_of(self, SplitHalf))


def validation(request: ValidationRequest, inputs: Inputs) -> Report:
    """Tables of how many scores fall below, in and above intervals."""
    of_method = request.of_method()
    inputs = inputs._replace(missing="drop", no_relevant="drop")
    experiment = Experiment(inputs, request.measures or [MAP])
    tried = [_Trials.of(experiment, measure, of_method) for measure in request.measures or [MAP]]
    runs = []
    with ThreadPoolExecutor(inputs.threads) as pool:
        for run in experiment.runs():
            runs.append(run.name)
            for each in tried:
                each.add(run, pool)
    of_signature = of_method._asdict()
    if request.command == "map-ci":  # whose means it does not change
        del of_signature["published"]
    return Report(
        tables=[table for each in tried for table in _tables(request, of_method, each)],
        signature={
            "command": f"{request.command} --validate",
            **of_signature,
            **inputs.signature(),
            "measures": " ".join(each.measure.name for each in tried),
            "num_runs": len(runs),
        },
        sources=HALVES,
    )


@dataclass
class _Trials:
    """One measure's intervals on halves: for each run its outcomes, split after split, both directions each."""

    measure: Measure
    relevance: Relevance
    splits: Sequence[Split]
    counts: Sequence[Ints]
    validator: Validator
    keys: Words
    outcomes: list[list[Outcome]] = field(default_factory=list)

    @classmethod
    def of(cls, experiment: Experiment, measure: Measure, of_method: SplitHalf) -> "_Trials":
        """Split the judgments; some topic must have relevant documents in both halves."""
        relevance = experiment.relevance(measure)
        splits = halves(of_method.validate, of_method.seed)
        counts = [split_counts(experiment.collection, relevance, split) for split in splits]
        relevant = relevance.gains >= relevance.level
        if not any((of_split[..., relevant].sum(axis=-1) > 0).all(axis=0).any() for of_split in counts):
            raise DataError(f"{experiment.qrels_path}: no topic has relevant documents in both halves")
        return cls(measure, relevance, splits, counts, Validator(of_method, measure), experiment.keys)

    def add(self, run: ExperimentRun, pool: ThreadPoolExecutor) -> None:
        lines, judged = run.run, run.judged

        def of_split(place: int) -> list[Outcome]:
            both = halves_of(lines, judged, self.relevance, self.splits[place], self.counts[place], self.measure)
            return [self.validator.outcome(*pair, judged.retrieved > 0, self.keys) for pair in (both, both[::-1])]

        self.outcomes.append([each for both in pool.map(of_split, range(len(self.splits))) for each in both])


def _tables(request: ValidationRequest, of_method: SplitHalf, tried: _Trials) -> list[Table]:
    outcomes = tried.outcomes
    if not any(outcome.topics.any() for of_run in outcomes for outcome in of_run):
        raise DataError("no run has a topic with relevant documents in both halves")
    if request.command == "ap-ci":
        return tables("in_interval", "", _topic_rows(tried, of_method))
    means = np.array([[outcome.means for outcome in of_run] for of_run in outcomes])
    return tables("in_interval", "", _mean_rows(means, of_method))


def _directions(splits: int) -> list[tuple[str, slice]]:
    """One split: either direction by itself; several: all together."""
    return [("A", slice(0, 1)), ("B", slice(1, 2))] if splits == 1 else [("both", slice(None))]


def _row(interval: str, found: tuple[Any, float, float], predicted: float) -> dict[str, Any]:
    (below, inside, above), sd, lists = found
    return {
        "interval": interval, "below": float(below), "in": float(inside), "above": float(above), "sd": sd,
        "predicted": predicted, "lists": round(lists),
    }  # fmt: skip


def _topic_rows(tried: _Trials, of_method: SplitHalf) -> Iterator[Row]:
    """The paper's Tables 1 and 2: percentages below, in and above the intervals of single topics. Only AP's are corrected."""
    counts = np.array([[outcome.topics for outcome in of_run] for of_run in tried.outcomes]).sum(axis=0)
    splits = len(counts) // 2
    corrections = ("none", of_method.small_r) if tried.measure.family is MAP.family else ("none",)
    for direction, cases in _directions(splits):
        for (correction, told), many, (kind, name) in product(enumerate(corrections), (0, 1), enumerate(KINDS)):
            if name in ON_LOGIT_SCALE and not tried.measure.is_bounded:
                continue
            (found,) = shares(counts[cases, kind, correction, many][np.newaxis])
            predicted = 100 * of_method.predicted() if name in MODELLED else np.nan
            yield _row(f"{name}/bootstrap", found, predicted) | {
                "direction": direction, "relevant": "R>5" if many else "all", "correction": told,
                "measure": tried.measure.name,
            }  # fmt: skip


def _mean_rows(means: Array[np.float64], of_method: SplitHalf) -> Iterator[Row]:
    counts = place_of_means(np.moveaxis(means, 0, 2))
    splits = len(counts) // 2
    for (direction, cases), (place, name) in product(_directions(splits), enumerate(MEANS)):
        (found,) = shares(counts[cases, place][np.newaxis])
        yield _row(name, found, 100 * of_method.predicted()) | {"direction": direction}
