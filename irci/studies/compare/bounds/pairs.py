"""Bounds of differences, pair by pair: which runs are better whatever grades unjudged documents have."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import JUDGMENTS, BoundsKind
from irci.base.errors import DataError, UsageError
from irci.base.names import unknown
from irci.base.records import Record
from irci.base.types import Floats, Progress
from irci.bootstrap.joint_resamples import POOLED, Comparison
from irci.data.measures import Measure
from irci.methods.unjudged.differences import DifferenceBounds, difference_bounds, difference_kind, is_sure
from irci.output.tables import NO_WORD, Cell, Row, Rows, Table, tables
from irci.stats.scales import mean_over_topics
from irci.studies.compare.bounds.runs import RunBounds, level_of
from irci.studies.compare.request import Request


class Compared(Record):
    """Pairs of runs by one measure: value, lower and upper float64[P] of mean differences, of which `kind` says what bounds
    they are; their rows of topics, if these are asked for."""

    measure: Measure
    name: str
    runs: Sequence[str]
    comparison: Comparison
    value: Floats
    lower: Floats
    upper: Floats
    kind: BoundsKind | None
    of_topics: Sequence[Sequence[Row]]

    @property
    def is_sure(self) -> Sequence[bool]:
        """bool[P], true of a pair that no grades would reverse. Bounds over two grades alone do not tell."""
        knows = self.kind in ("exact", "outer")
        return [knows and is_sure(*each) for each in zip(self.lower.tolist(), self.upper.tolist(), strict=True)]

    def tables(self) -> Iterator[Table]:
        """For each pair its topics, if asked for, and its mean."""
        if not self.of_topics:
            yield from tables("difference_bounds", self.name, Rows(len(self.value), self.row))
            return
        for pair, of_topics in enumerate(self.of_topics):
            yield from tables("topic_difference_bounds", self.name, of_topics)
            yield from tables("difference_bounds", self.name, [self.row(pair)])

    def row(self, pair: int) -> Row:
        """A pair's mean difference."""
        numbers = (float(each[pair]) for each in (self.value, self.lower, self.upper))
        return _row(self.name, "all", self.names(pair), self.kind, *numbers)

    def names(self, pair: int) -> tuple[str, str]:
        """The run and what it is compared with."""
        run, baseline = self.comparison.pairs[pair].tolist()
        return self.runs[run], self.runs[baseline]


def compared(
    request: Request,
    topics: Sequence[str],
    runs: Sequence[RunBounds],
    measure: Measure,
    level: int,
    highest: int,
    progress: Progress,
    comparison: Comparison | None = None,
) -> Compared:
    """All pairs asked for, or those of a comparison, by a measure. `level`: what -l says; `highest`: grade of the scale."""
    comparison = comparison or comparison_of(request, [run.name for run in runs])
    scale = measure.scale()
    kind = difference_kind(measure, highest, level_of(measure, level))
    name = "_".join(filter(None, (measure.name, scale.name, "diff")))
    means, of_topics = np.full((3, len(comparison.pairs)), np.nan), []
    for pair, (run, baseline) in enumerate(progress(comparison.pairs.tolist(), "pair")):
        sides = runs[run].sides[measure.name], runs[baseline].sides[measure.name]
        found = difference_bounds(measure, *sides, scale)
        common = runs[run].kept & runs[baseline].kept
        if not common.any():
            raise DataError(f"{runs[run].name} and {runs[baseline].name} have no topic in common")
        there = common & ~runs[run].near & ~runs[baseline].near  # without what a run lacks bounds hold too
        lower, upper = (
            [mean_over_topics(each[topics]) for topics in (common, there) if topics.any()]
            for each in (found.lower, found.upper)
        )
        means[:, pair] = mean_over_topics(found.value[common]), min(lower), max(upper)
        if request.per_topic:
            names = runs[run].name, runs[baseline].name
            places = np.flatnonzero(common).tolist()
            of_topics.append([_row(name, topics[place], names, kind, *_numbers(found, place)) for place in places])
    return Compared(
        measure, name, [run.name for run in runs], comparison, means[0], means[1], means[2], kind, of_topics
    )


def comparison_of(request: Request, names: Sequence[str]) -> Comparison:
    """Which runs are compared."""
    if len(names) < 2:
        raise DataError("to compare runs, give at least two")
    if request.baseline is not None and request.baseline not in (*names, *POOLED):
        raise DataError(unknown("run", request.baseline, names))
    found = Comparison.of(names, request.baseline, True, request.all_pairs, alone=False)
    refuse_pooled(found)
    return found


def refuse_pooled(comparison: Comparison) -> None:
    """Raise UsageError where runs are compared with the mean or median of all, which has no documents."""
    if comparison.pooled:
        raise UsageError(f"--baseline {comparison.pooled}: unjudged documents are those of runs: name a run.")


def _numbers(found: DifferenceBounds, place: int) -> tuple[float, float, float]:
    return float(found.value[place]), float(found.lower[place]), float(found.upper[place])


def _row(
    name: str,
    topic: str,
    names: tuple[str, str],
    kind: BoundsKind | None,
    value: float,
    lower: float,
    upper: float,
) -> Row:
    sign = ("sure" if is_sure(lower, upper) else "open") if kind in ("exact", "outer") else NO_WORD
    row: dict[str, Cell] = {
        "measure": name, "topic": topic, "value": value, "lower": lower, "upper": upper, "run": names[0],
        "baseline": names[1], "population": JUDGMENTS, "sign": sign, "bounds": kind or NO_WORD,
    }  # fmt: skip
    return row
