"""The request for means, pairs and ranks of runs, and which options do not go together."""

import os
from collections.abc import Sequence
from typing import Any

from irci.base.choices import (
    FailIf,
    MeanOf,
    MetaMethod,
    OverMeasures,
    PairCorrection,
    SmallR,
    TopicInterval,
    TopicTest,
)
from irci.base.errors import UsageError
from irci.base.names import Margin, file_name
from irci.base.records import Checked
from irci.base.types import Ends
from irci.data.inputs import CollectionFiles
from irci.data.plans import ComparisonPlan
from irci.data.scores import warn_of_margin
from irci.estimators.means import Design
from irci.measures import Measure
from irci.stats.scales import PLAIN

RESAMPLES = 2000
SIGNS, SIGNS_OF_ONE_TEST = 10_000, 20_000
SCALES = {"": "", "logit": " of logits", "log": " of logarithms"}


class Request(Checked):
    """The values asked for, under the options' names.

    None for `population` is all that the sources have; for `correction` holm, or maxt with ranks where all sources have joint
    draws; for `resamples` 2000, and of signs 10,000, or 20,000 for one test by itself. `clusters`, `collections`, `seeds`,
    `slices` and `versions` are what `irci.data` makes of a rule, a list or a file.
    """

    measures: Sequence[Measure] = ()
    per_topic: bool = False
    no_summary: bool = False
    population: tuple[str, ...] | None = None
    interval: TopicInterval | None = None
    range: Ends | None = None
    compare: bool = False
    baseline: Sequence[str] = ()
    all_pairs: bool = False
    test: TopicTest = "t"
    correction: PairCorrection | None = None
    family: OverMeasures = "each"
    best: bool = False
    survives: bool = False
    looks: tuple[int, ...] | None = None
    plan: ComparisonPlan | None = None
    adjusted_limits: bool = False
    meta: MetaMethod | None = None
    ranks: bool = False
    margin: Margin | None = None
    power: bool = False
    fail_if: tuple[FailIf, ...] | None = None
    new_topics: int | None = None
    resamples: int | None = None
    confidence: float = 0.95
    seed: int = 1
    small_r: SmallR = "wider"
    judge: str | None = None
    clusters: Any = None
    slices: Any = None
    collections: Sequence[CollectionFiles] | None = None
    seeds: Any = None
    versions: Any = None
    mean: MeanOf | None = None

    @property
    def adjusts_limits(self) -> bool:
        """True if limits of differences account for the number of pairs too, in columns for programs: p has to be about the
        means that they are of."""
        is_of_means = self.test not in ("wilcoxon", "sign") and self.interval != "prediction"
        return self.adjusted_limits and is_of_means

    @property
    def has_pairs(self) -> bool:
        """True if runs are compared."""
        return bool(self.compare or self.baseline or self.all_pairs)

    @property
    def compared_with(self) -> str | None:
        """The run, or runs, that others are compared with, in words."""
        return "all pairs" if self.all_pairs else ", ".join(self.baseline) or None

    def of_runs(self, runs: Sequence[str], paths: Sequence[str] = ()) -> "Request":
        """The same with the baselines by their names among these runs: the first run where none is named, or those that were
        read from files that are named; `paths`: where each was read, if each has a file."""
        if self.compare and not self.baseline and not self.all_pairs:
            return self._replace(baseline=(runs[0],))
        files = [(path, os.path.basename(path), file_name(path)) for path in paths]

        def run_of(baseline: str) -> str:
            if len(runs) != len(files):
                return baseline
            of_file = [run for run, names in zip(runs, files, strict=True) if baseline in names]
            return baseline if baseline in runs or len(of_file) != 1 else of_file[0]

        return self._replace(baseline=tuple(dict.fromkeys(map(run_of, self.baseline))))

    @property
    def tells_verdicts(self) -> bool:
        """True if a column says in a word what is found of each pair."""
        return self.margin is not None or self.power or bool({*(self.fail_if or ())} - {"reversed"})

    @property
    def alpha(self) -> float:
        """The level of all tests."""
        return 1 - self.confidence

    def draws(self, default: int) -> int:
        """The number of resamples, `default` where it is not given."""
        return default if self.resamples is None else self.resamples

    def design(self, correction: PairCorrection) -> Design:
        """The design that methods take."""
        by_itself = self.test in ("randomization", "wilcoxon") and correction != "maxt"
        return Design(
            interval=self.interval or "auto",
            resamples=self.draws(RESAMPLES),
            signs=self.draws(SIGNS_OF_ONE_TEST if by_itself else SIGNS),
            confidence=self.confidence,
            seed=self.seed,
            small_r=self.small_r,
            test=self.test,
            correction=correction,
            meta=self.meta or "",
            new_topics=self.new_topics,
        )

    def check_measures(self) -> None:
        """Refuse measures that have no mean, and those without bounds where these are needed."""
        refuse_counts(self.measures)
        unbounded = [measure.name for measure in self.measures if not measure.is_bounded]
        if unbounded and (self.meta is not None or self.interval == "parametric"):
            option = "--meta" if self.meta is not None else "--interval parametric"
            raise UsageError(f"{option} needs scores between 0 and 1, which {', '.join(unbounded)} does not have.")

    def is_diagnostic(self, measure: Measure, measures: Sequence[Measure]) -> bool:
        """True of a measure of how much is judged among `measures`, one of which says how well runs rank, unless findings by
        it are asked for."""
        is_asked = self.family != "each" or self.slices is not None
        ranking = (measure for measure in measures if measure.more_is_better and not measure.is_count)
        return not is_asked and not measure.more_is_better and any(ranking)

    def check_direction(self, measure: Measure, measures: Sequence[Measure]) -> None:
        """Refuse to call a run worse by what has no better and worse, where findings by it count."""
        counts = not self.is_diagnostic(measure, measures)
        if "worse" in (self.fail_if or ()) and counts and not measure.more_is_better:
            raise UsageError(f"--fail-if worse: {measure.name} tells how much is judged, of which more is not better.")

    def check_margin(self, measure: Measure, standardise: object) -> None:
        """Refuse a margin that all differences lie within, and a share of a mean of this measure where 0 is not the least that
        a mean can be."""
        margin, scale = self.margin, measure.scale()
        if margin is None:
            return
        if not margin.is_share:
            ends = (self.range or measure.ends) if scale == PLAIN and standardise is None else None
            if self.range is not None and ends is not None:
                warn_of_margin(margin.amount, ends)
            if ends is not None and margin.amount >= ends[1] - ends[0]:
                raise UsageError(
                    f"--margin {margin}: scores in {measure.name} are between {ends[0]:g} and {ends[1]:g}, where any two"
                    " runs are as near: give an amount such as .02, or 2% of the baseline's mean."
                )
            return
        if standardise == "z":
            raise UsageError(f"--margin {margin}: a percentage of a mean of z scores means nothing: give an amount.")
        if scale != PLAIN:
            of_scale = f"a mean{SCALES.get(scale.name, '')}, like {measure.name}"
            raise UsageError(f"--margin {margin}: a percentage of {of_scale}, means nothing: use an amount.")


def refuse_counts(measures: Sequence[Measure]) -> None:
    """Raise UsageError for a count."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise UsageError(f"{', '.join(counts)}: a count is not averaged over topics: choose other measures.")
