"""Scores of runs, the sources of variation that limits and tests over them are about, and families of contrasts (means of
runs, or differences) on one measure that are adjusted together, over each source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.base import BORDA, raw
from irci.base.choices import TOPICS, PairCorrection
from irci.base.streams import topic_keys
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, ProgressBar, Words, as_they_are
from irci.comparison.sources import Source
from irci.data.scores import Lacking, Scores, lie_within
from irci.estimators.differences import adjusted_limits, level, over_topics
from irci.estimators.grouped import Trainings
from irci.estimators.means import Design, Tested, of_differences, topic_means
from irci.measures import Measure
from irci.options.asked import Asked
from irci.stats.decisions import agreeing
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval, holding_both
from irci.stats.power import fewest_units
from irci.stats.signs import Layer, Simultaneous, Units, stacked
from irci.stats.tests import NOTHING, Comparison, adjusted, common_topics, in_blocks, on_topics

if TYPE_CHECKING:
    from irci.comparison.claims import Resolution
    from irci.comparison.sources.documents import ResampledDocuments


class Scored(NamedTuple):
    """Scores of runs (or systems) on what means are over, and the sources of variation, in order of output.

    `values`: float64[rows, M] by the name of a base measure, nan where there is none; rows are the runs', or those of the
    seeds of systems, if these have `trainings`, and missing ones `trainings_of_missing`. `topics`: their names, and `keys`
    uint64[M] the streams of what rows are scored on. `kind`: the option that says how topics or runs belong together, "" if
    they do not; `where`: the collection, if it is one of several; `made_of`: what means are over ("50 topics in 8 clusters").
    `signature`: what of it changes a digit, and how many of what there are; `files`: what else is to be written, by path;
    `resampled`: what documents say, where these are resampled, `judgments`: bounds, and `judges`: what others make of the
    runs, where these are found; `further_notices`: warnings after the usual ones. `ends`: of the scales of measures that have
    any, by name; `paths`: of the runs' files. `lacking`: what runs, or rows, lack, and the runs that are missing.
    """

    runs: Sequence[str]
    topics: Sequence[str]
    measures: Sequence[Measure]
    values: Mapping[str, Floats]
    keys: Words
    sources: Sequence[Source] = ()
    kind: str = ""
    where: str = ""
    made_of: str = ""
    trainings: Trainings | None = None
    trainings_of_missing: Trainings | None = None
    signature: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    resampled: ResampledDocuments | None = None
    judgments: Source | None = None
    judges: Sequence[Source] = ()
    further_notices: Callable[[], None] = lambda: None
    ends: Mapping[str, Ends] = {}
    paths: Sequence[str] = ()
    lacking: Lacking | None = None

    @classmethod
    def of(cls, table: Scores, measures: Sequence[Measure], files: Mapping[str, str] | None = None) -> Scored:
        """A table of scores."""
        return cls(
            table.runs, table.topics, measures, table.values, topic_keys(list(map(raw, table.topics))),
            files=files or {}, lacking=table.lacking,
        )  # fmt: skip

    def near(self, measure: str) -> Bools:
        """bool[runs, M]: topics that a run, or any of a system's, lacks, and scores 0 on, by a base measure."""
        if self.lacking is None:
            return np.zeros((len(self.runs), len(self.keys)), np.bool_)
        near = self.lacking.near[measure]
        systems = () if self.trainings is None else self.trainings.runs
        return np.array([near[list(rows)].any(axis=0) for rows in systems]) if systems else near

    def without_near(self) -> Scored:
        """The same without these scores of 0."""
        near = {} if self.lacking is None else self.lacking.near
        return self._replace(values={name: np.where(near[name], np.nan, of) for name, of in self.values.items()})

    @property
    def missing(self) -> Mapping[str, str]:
        """How many of how many topics each run lacks that lacks too many."""
        return {} if self.lacking is None else self.lacking.of

    @property
    def every_run(self) -> Sequence[str]:
        """The names of runs, with those that are missing, as they came."""
        return self.lacking.order if self.missing and self.lacking is not None else self.runs

    @property
    def plain_topics(self) -> Source | None:
        """The source of topics as a plain sample, if it is one of them."""
        return next((source for source in self.sources if source.is_plain_topics), None)

    def scores(self, measure: Measure, *, of_missing: bool = False) -> Floats:
        """Scores float64[runs, M] that a measure is of, or those of runs that are missing; of systems those whose values on
        its scale are their seeds' means."""
        values, trainings, scale = self.values, self.trainings, measure.scale()
        if of_missing and self.lacking is not None:
            values, trainings = self.lacking.scores, self.trainings_of_missing
        scores = values[measure.base.name]
        return scores if trainings is None else scale.back(trainings.means(scale.forward(scores)))


@dataclass(frozen=True, eq=False)
class Family:
    """Contrasts of rows of scores by one measure. With maxt only topics that all runs share count.

    `measures`: the families, one a measure (and slice), whose contrasts are adjusted as one, itself among them; none if it is
    by itself.
    `is_without`: without topics that some run lacks.
    """

    request: Asked
    design: Design
    scored: Scored
    measure: Measure
    comparison: Comparison
    threads: int = 1
    progress: ProgressBar = as_they_are
    measures: list[Family] = field(default_factory=list)
    is_without: bool = False
    is_of_claims: bool = False
    _tested: dict[str, Tested] = field(default_factory=dict, init=False)
    _adjusted: dict[str, Tested] = field(default_factory=dict, init=False)
    _stacked: dict[str, list[Simultaneous]] = field(default_factory=dict, init=False)
    _without: list[Family] = field(default_factory=list, init=False)
    resolutions: dict[str, Resolution] = field(default_factory=dict, init=False)  # by source: see `claims.resolution`

    @property
    def pairs(self) -> Pairs:
        """The contrasts int64[P, 2]: run and baseline, or NOTHING."""
        return self.comparison.pairs

    @property
    def names(self) -> list[str]:
        """The rows' names."""
        return self.comparison.names

    def names_of_pairs(self) -> Iterator[dict[str, str]]:
        """The run and the baseline of each contrast, by these columns of rows."""
        return ({"run": self.names[run], "baseline": self.names[other]} for run, other in self.pairs.tolist())

    @property
    def title(self) -> str:
        """The beginning of messages: the collection, if it is one of several, and the measure."""
        return self.prefix + self.measure.name

    @property
    def prefix(self) -> str:
        """The collection, if it is one of several."""
        return f"{self.scored.where}: " if self.scored.where else ""

    @property
    def is_diagnostic(self) -> bool:
        """True if it tells how much is judged, beside a measure of how well runs rank: nothing is found by it, unless that is
        asked for."""
        is_asked = self.request.family != "each" or self.request.slices is not None
        has_ranking = any(measure.more_is_better and not measure.is_count for measure in self.scored.measures)
        return not is_asked and not self.measure.more_is_better and has_ranking

    @property
    def are_points(self) -> bool:
        """True if scores are Borda points."""
        return self.measure.name.endswith(BORDA)

    @property
    def is_of_pairs(self) -> bool:
        """True if contrasts are differences."""
        return bool((self.pairs[:, 1] != NOTHING).any())

    @property
    def alpha(self) -> float:
        """The level of all tests."""
        return 1 - self.design.confidence

    @property
    def adjusted_as_one(self) -> Sequence[Family]:
        """The families whose contrasts are adjusted as one: by default this one."""
        return self.measures or [self]

    @property
    def number(self) -> int:
        """The number of contrasts that p is adjusted for."""
        return sum(len(family.pairs) for family in self.adjusted_as_one)

    @cached_property
    def raw(self) -> Floats:
        """Scores float64[rows, M]."""
        values = self.comparison.table(self.scored.scores(self.measure))
        if self.design.correction == "maxt":
            as_one = [member for member in self.adjusted_as_one if member.scored is self.scored]
            rows = [member.comparison.table(self.scored.scores(member.measure)) for member in as_one]
            values = np.where(np.isnan(np.vstack(rows)).any(axis=0), np.nan, values)
        return values

    @cached_property
    def values(self) -> Floats:
        """The scores on the scale on which the measure is averaged."""
        return self.measure.scale().forward(self.raw)

    @cached_property
    def ends(self) -> Ends | None:
        """The least and the greatest score of the scale, None where it has no such."""
        if (scale_ends := self.scored.ends.get(self.measure.name)) is not None:
            return scale_ends
        if self.are_points:  # of several collections, with the same runs
            return 0.0, len(self.scored.runs) - 1.0
        usual = self.request.range or self.measure.ends  # of versions, and of several collections
        return usual if usual is not None and lie_within(self.values[~np.isnan(self.values)], usual) else None

    @property
    def common(self) -> Bools:
        """The scores bool[M] that all rows have."""
        return np.asarray(~np.isnan(self.values).any(axis=0))

    @property
    def without_lacking(self) -> Family | None:
        """The same contrasts without the topics that a run lacks, which scores 0 there, and so all that are adjusted as one
        with them; None where no run lacks any."""
        members = self.adjusted_as_one
        if self.is_without or not any(member.scored.near(member.measure.base.name).any() for member in members):
            return None
        if not (cached := members[0]._without):
            scored = {id(member.scored): member.scored.without_near() for member in members}
            cached += [replace(of, scored=scored[id(of.scored)], measures=cached, is_without=True) for of in members]
        return cached[members.index(self)]

    def lacks_topics(self) -> Bools:
        """bool[P]: contrasts of which a run lacks some topic."""
        near: Bools = np.asarray(self.scored.near(self.measure.base.name).any(axis=1))
        pooled = [bool(near.any())] * (self.comparison.pooled is not None)  # made of those that lack topics too
        lacks: Bools = np.array([*near, *pooled, False])  # the last is NOTHING
        return np.asarray(lacks[self.pairs].any(axis=1))

    def held(self, values: Floats, find: Callable[[Family], Any], joined: Callable[..., Floats] = np.maximum) -> Floats:
        """Values[..., P] of the contrasts, those of which a run lacks topics joined with what is found without these."""
        without = self.without_lacking
        return values if without is None else np.where(self.lacks_topics(), joined(values, find(without)), values)

    @cached_property
    def over_topics(self) -> Tested:
        """The contrasts with topics as a plain sample."""
        if not self.is_of_pairs:
            return topic_means(self.values, self.design, self.ends)
        return over_topics(
            self.values, self.pairs, self.scored.keys, self.design, self.progress, self.ends, are_points=self.are_points
        )  # fmt: skip

    def fewest_units(self, source: Source, of: Estimates) -> Ints:
        """int64[P]: the fewest units of a source on which p of contrasts like these can be significant by the test at hand."""
        by_t = self.design.test == "t" and self.correction_over(source.name) != "maxt"
        is_alike = (source.held_to_signs(of) > 0) & ~source.holds_to_signs(of.units)
        return np.where(is_alike | (not by_t), fewest_units(self.alpha), source.fewest_units(self.alpha))

    def correction_over(self, population: str) -> PairCorrection:
        """How p over a population is adjusted: by Holm's method over all but topics, where claims over these are tried."""
        is_tried = self.is_of_claims and self.design.correction == "maxt" and population != TOPICS
        return "holm" if is_tried else self.design.correction

    def over(self, source: Source) -> Tested:
        """The contrasts over a source, adjusted, found once."""
        if source.key not in self._adjusted:
            result = source.finished(self, self._adjust(source))
            limits = result.limits_adjusted
            if limits is not None and self.without_lacking is not None:
                wide = self.held(
                    limits, lambda of: of.over(source).limits_adjusted if of.common.any() else limits, holding_both
                )
                limits = agreeing(wide, result.of.value, result.p_adjusted, self.design.confidence)
            self._adjusted[source.key] = result._replace(limits_adjusted=limits)
        return self._adjusted[source.key]

    def tested(self, source: Source) -> Tested:
        """Each contrast by itself over a source, found once."""
        if source.key not in self._tested:
            result = source.tested(self)
            result = result._replace(limits=self.on_scale(result.limits))
            if (without := self.without_lacking) is not None:
                result = result.no_surer_than(without.tested(source), self.lacks_topics())
            self._tested[source.key] = result
        return self._tested[source.key]

    def _p_adjusted(self, source: Source) -> Floats:
        """p[P], adjusted for all that are adjusted as one."""
        tested, correction = self.tested(source), self.correction_over(source.name)
        if correction != "maxt":
            p_of_members = [member.tested(source).p for member in self.adjusted_as_one]
            p = adjusted(np.concatenate(p_of_members), correction)
            return np.split(p, np.cumsum([len(member) for member in p_of_members])[:-1])[
                self.adjusted_as_one.index(self)
            ]
        p = source.p_at_once(self, tested)
        p = self.held(p, lambda of: source.p_at_once(of, of.tested(source)) if of.common.any() else tested.p)
        return np.where(np.isnan(p), np.nan, np.fmax(p, tested.p))  # which another test may have given

    def _adjust(self, source: Source) -> Tested:
        tested, correction = self.tested(source), self.correction_over(source.name)
        if not source.has_p:
            return tested._replace(p_adjusted=tested.p)
        p_adjusted, confidence = self._p_adjusted(source), self.design.confidence
        tested = tested._replace(p_adjusted=p_adjusted)
        # Limits for programs: p has to be about the means that they are of.
        of_means = self.request.test not in ("wilcoxon", "sign") and self.request.interval != "prediction"
        if not (self.request.adjusted_limits and of_means) or correction == "none":
            return tested
        # A slice of which a run has no topic has no p by the largest statistic.
        members = [family for family in self.adjusted_as_one if family.common.any() or correction != "maxt"]
        of_family = np.concatenate([family._p_adjusted(source) for family in members])
        limits = source.limits_at_once(self, tested) if correction == "maxt" else None
        if limits is None:
            of_each, is_selected = level(p_adjusted, correction, confidence, of_family)
            by_itself = replace(self, design=self.design._replace(confidence=of_each, test="t"), progress=as_they_are)
            limits = source.tested(by_itself).limits
            if len(of_family) > 1:
                on_units = self.on_units(source) if source.has_draws and source.units_alone else ()
                limits = adjusted_limits(tested, limits, on_units, self.ends, of_each, self.threads)
            is_selected &= ~np.isnan(tested.p)  # one topic, say: no member of the family
            limits = np.where(is_selected, limits, np.nan)
        if len(of_family) > 1 or correction == "maxt":
            limits = agreeing(limits, tested.of.value, p_adjusted, confidence)
        return tested._replace(limits_adjusted=self.on_scale(limits))

    def on_units(self, source: Source) -> Iterator[tuple[Ints, Units, Floats]]:
        """Blocks of p pairs: their places, the U units of a source that both runs have, and the differences float64[p, U]."""
        for mask, in_block in in_blocks(common_topics(self.values, self.pairs)):
            if mask.any():
                units = source.units(self.values, mask)
                yield in_block, units, on_topics(units.values, self.pairs[in_block])

    def on_scale(self, limits: Interval) -> Interval:
        """Limits of the contrasts, as far as the scale goes, if it has ends."""
        if self.ends is None:
            return limits
        return np.clip(limits, *(of_differences(self.ends) if self.is_of_pairs else self.ends))

    def simultaneous(self, source: Source) -> Simultaneous:
        """All pairs at once by signs of a source's units, on the scores that all rows have, of which there are some."""
        members = [member for member in self.adjusted_as_one if member.common.any()]
        cached = members[0]._stacked
        if source.key not in cached:
            has_scores = np.logical_or.reduce([member.common for member in members])  # slices have no topic in common
            keys, layers = source.units(self.values, has_scores).keys, list[Layer]()
            for member in members:
                units, is_part = source.units(member.values, member.common), member.common.sum() < has_scores.sum()
                in_part = member.common[has_scores] if is_part else None
                layers.append(Layer(units.values, member.pairs, in_part))
            cached[source.key] = stacked(
                layers, keys, resamples=self.design.signs, seed=self.design.seed, threads=self.threads
            )
        return cached[source.key][members.index(self)]


def difference_name(measure: Measure) -> str:
    """The name of differences: the measure, and the scale on which it is averaged."""
    return "_".join(filter(None, (measure.name, measure.scale().name, "diff")))
