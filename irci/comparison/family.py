"""Scores of runs, the sources of variation that limits and tests over them are about, and families of contrasts (means of
runs, or differences) on one measure that are adjusted together, over each source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from irci.base import BORDA, raw
from irci.base.choices import TOPICS, PairCorrection
from irci.base.streams import topic_keys
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words
from irci.comparison.sources import Source
from irci.data.scores import Scores, lie_within
from irci.estimators.differences import adjusted_limits, level
from irci.estimators.means import Design, Tested, of_differences, over_topics
from irci.measures import Measure
from irci.options.asked import Asked
from irci.stats.decisions import agreeing
from irci.stats.intervals import Interval, holding_both
from irci.stats.power import fewest_units
from irci.stats.signs import Simultaneous, Units, step_down
from irci.stats.tests import Comparison, Estimates, adjusted, common_topics, in_blocks, on_topics

if TYPE_CHECKING:
    from irci.comparison.sources.documents import DocumentSource


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of runs (or systems) on what means are over, and the sources of variation, in order of output.

    table: of all runs (or systems), those that are missing too; by the names of measures, if `by_measure`, or else of what
        they average
    kind: the option that says how topics or runs belong together, "" if they do not
    where: the collection, if it is one of several
    signature: what of it changes a digit, and how many of what there are
    files: what else is to be written, by path
    resampled, judges: what documents say, where these are resampled, and what others make of the runs, where these are asked
    ends: of the scales of measures that have any, by name
    paths: of the runs' files
    mask: bool[M], the topics of a slice, by which alone runs are compared; None: all
    is_without: without topics that some run lacks, which would score 0 there
    """

    table: Scores
    measures: Sequence[Measure]
    sources: Sequence[Source] = ()
    by_measure: bool = False
    kind: str = ""
    where: str = ""
    signature: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    resampled: DocumentSource | None = None
    judges: Sequence[Source] = ()
    ends: Mapping[str, Ends] = field(default_factory=dict)
    paths: Sequence[str] = ()
    mask: Bools | None = None
    is_without: bool = False

    def replaced(self, **values: Any) -> Scored:
        """The same with other values."""
        return replace(self, **values)

    @cached_property
    def made(self) -> Scores:
        """The scores of those that are not missing."""
        return self.table.made

    @property
    def runs(self) -> Sequence[str]:
        """The names of runs, or systems, that are not missing."""
        return self.made.runs

    @property
    def topics(self) -> Sequence[str]:
        """The names of the topics, or versions, that all are scored on."""
        return self.table.topics

    @cached_property
    def keys(self) -> Words:
        """The streams uint64[M] of the topics."""
        return topic_keys(list(map(raw, self.topics)))

    @property
    def plain_topics(self) -> Source | None:
        """The source of topics as a plain sample, if it is one of them."""
        return next((source for source in self.sources if source.is_plain_topics), None)

    def name_of(self, measure: Measure) -> str:
        """By which name the scores of a measure are in the table."""
        return measure.name if self.by_measure else measure.base.name

    def near(self, measure: Measure) -> Bools:
        """bool[runs, M]: topics that a run, or any of a system's, lacks, and scores 0 on."""
        near = self.made.near.get(self.name_of(measure), np.zeros((len(self.runs), len(self.topics)), np.bool_))
        return near if self.mask is None else near & self.mask

    def scores(self, measure: Measure, *, with_missing: bool = False) -> Floats:
        """Scores float64[runs, M] that a measure is of, or those of all, those that are missing too."""
        scores = (self.table if with_missing else self.made).values[self.name_of(measure)]
        scores = np.where(self.near(measure), np.nan, scores) if self.is_without else scores
        return scores if self.mask is None else np.where(self.mask, scores, np.nan)


Result = TypeVar("Result")


def once(find: Callable[[Family, Source], Result]) -> Callable[[Family, Source], Result]:
    """Have what is found of a family over a source kept, and by sources of one key found once."""

    @wraps(find)
    def kept(family: Family, source: Source) -> Result:
        key = find.__name__, source.key
        if key not in family.kept:
            family.kept[key] = find(family, source)
        return cast(Result, family.kept[key])

    return kept


@dataclass(frozen=True, eq=False)
class Family:
    """Contrasts of rows of scores by one measure, tested over each source. With maxt only topics that all runs share count.

    adjusted_with: the families, one a measure (and slice), whose contrasts are adjusted jointly, itself among them; none if
        its own are adjusted separately
    is_of_claims: of which other sources are asked
    kept: what was found of it, by functions that are to find it `once`
    """

    request: Asked
    design: Design
    scored: Scored
    measure: Measure
    comparison: Comparison
    threads: int
    adjusted_with: list[Family] = field(default_factory=list)
    is_of_claims: bool = False
    kept: dict[tuple[str, str], Any] = field(default_factory=dict, init=False)

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
        has_ranking = any(measure.more_is_better for measure in self.scored.measures)
        return not is_asked and not self.measure.more_is_better and has_ranking

    @property
    def are_points(self) -> bool:
        """True if scores are Borda points."""
        return self.measure.name.endswith(BORDA)

    @property
    def is_of_pairs(self) -> bool:
        """True if contrasts are differences."""
        return self.comparison.is_of_pairs

    @property
    def alpha(self) -> float:
        """The level of all tests."""
        return 1 - self.design.confidence

    @property
    def adjusted_jointly(self) -> Sequence[Family]:
        """The families whose contrasts are adjusted jointly: by default this one."""
        return self.adjusted_with or [self]

    @property
    def number(self) -> int:
        """The number of contrasts that p is adjusted for."""
        return sum(len(family.pairs) for family in self.adjusted_jointly)

    @cached_property
    def raw(self) -> Floats:
        """Scores float64[rows, M]."""
        values = self.comparison.table(self.scored.scores(self.measure))
        if self.design.correction == "maxt":
            on_topics = [member for member in self.adjusted_jointly if member.scored is self.scored]
            rows = [member.comparison.table(self.scored.scores(member.measure)) for member in on_topics]
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
        """The same contrasts without the topics that a run lacks, which scores 0 there, and so all that are adjusted jointly
        with them; None where no run lacks any."""
        members = self.adjusted_jointly
        if self.scored.is_without or not any(member.scored.near(member.measure).any() for member in members):
            return None
        return members[0]._all_without[members.index(self)]

    @cached_property
    def _all_without(self) -> list[Family]:
        """All that are adjusted jointly, of which this is the first, without what runs lack."""
        without, members = list[Family](), self.adjusted_jointly
        scored = {id(member.scored): member.scored.replaced(is_without=True) for member in members}
        without += [replace(of, scored=scored[id(of.scored)], adjusted_with=without) for of in members]
        return without

    def lacks_topics(self) -> Bools:
        """bool[P]: contrasts of which a run lacks some topic."""
        near: Bools = np.asarray(self.scored.near(self.measure).any(axis=1))
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
        return over_topics(
            self.values, self.pairs, self.scored.keys, self.design, self.ends, are_points=self.are_points
        )  # fmt: skip

    def fewest_units(self, source: Source, of: Estimates) -> Ints:
        """int64[P]: the fewest units of a source on which p of contrasts like these can be significant by the test at hand."""
        by_t = self.design.test == "t" and self.correction_over(source.name) != "maxt"
        is_alike = (source.held_to_signs(of) > 0) & ~source.holds_to_signs(of.units)
        least = fewest_units(self.alpha)
        return np.where(is_alike | (not by_t), least, min(least, source.held_below)).astype(np.int64)

    def correction_over(self, population: str) -> PairCorrection:
        """How p over a population is adjusted: by Holm's method over all but topics, where claims over these are tried."""
        is_tried = self.is_of_claims and self.design.correction == "maxt" and population != TOPICS
        return "holm" if is_tried else self.design.correction

    @once
    def over(self, source: Source) -> Tested:
        """The contrasts over a source, adjusted."""
        tested, correction, confidence = self.tested(source), self.correction_over(source.name), self.design.confidence
        if not source.has_p:
            return source.finished(self, tested._replace(p_adjusted=tested.p))
        tested = tested._replace(p_adjusted=self._p_adjusted(source))
        # Limits for programs: p has to be about the means that they are of.
        of_means = self.request.test not in ("wilcoxon", "sign") and self.request.interval != "prediction"
        if self.request.adjusted_limits and of_means and correction != "none":
            tested = tested._replace(limits_adjusted=self.on_scale(self._limits_adjusted(source, tested)))
        result = source.finished(self, tested)
        limits = result.limits_adjusted
        if limits is not None and self.without_lacking is not None:
            wide = self.held(
                limits, lambda of: of.over(source).limits_adjusted if of.common.any() else limits, holding_both
            )
            limits = agreeing(wide, result.of.value, result.p_adjusted, confidence)
        return result._replace(limits_adjusted=limits)

    @once
    def tested(self, source: Source) -> Tested:
        """Each contrast separately over a source."""
        result = source.tested(self)
        result = result._replace(limits=self.on_scale(result.limits))
        without = self.without_lacking
        return result if without is None else result.no_surer_than(without.tested(source), self.lacks_topics())

    @once
    def _p_adjusted(self, source: Source) -> Floats:
        """p[P], adjusted for all that are adjusted jointly."""
        tested, correction = self.tested(source), self.correction_over(source.name)
        if correction != "maxt":
            members = self.adjusted_jointly
            return self._own(members, adjusted(np.concatenate([of.tested(source).p for of in members]), correction))
        p = source.p_at_once(self, tested)
        p = self.held(p, lambda of: source.p_at_once(of, of.tested(source)) if of.common.any() else tested.p)
        return np.where(np.isnan(p), np.nan, np.fmax(p, tested.p))  # which another test may have given

    def _limits_adjusted(self, source: Source, tested: Tested) -> Interval:
        """Limits[P] that account for the number of pairs, of contrasts with adjusted p."""
        correction, confidence = self.correction_over(source.name), self.design.confidence
        # A slice of which a run has no topic has no p by the largest statistic.
        members = [family for family in self.adjusted_jointly if family.common.any() or correction != "maxt"]
        of_family = np.concatenate([family._p_adjusted(source) for family in members])
        limits = source.limits_at_once(self, tested) if correction == "maxt" else None
        if limits is None:
            of_each, is_selected = level(tested.p_adjusted, correction, confidence, of_family)
            alone = replace(self, design=self.design._replace(confidence=of_each, test="t"))
            limits = source.tested(alone).limits
            if len(of_family) > 1:
                on_units = self.on_units(source) if source.has_draws and source.units_alone else ()
                limits = adjusted_limits(tested, limits, on_units, self.ends, of_each, self.threads)
            # Without p, of one topic, say, a pair is no member of the family.
            limits = np.where(is_selected & ~np.isnan(tested.p), limits, np.nan)
        if len(of_family) > 1 or correction == "maxt":
            limits = agreeing(limits, tested.of.value, tested.p_adjusted, confidence)
        return limits

    def on_units(self, source: Source) -> Iterator[tuple[Ints, Units, Floats]]:
        """Blocks of p pairs: their places, the U units of a source that both runs have, and the differences float64[p, U]."""
        for mask, in_block in in_blocks(common_topics(self.values, self.pairs)):
            if mask.any():
                units = source.units(self, mask)
                yield in_block, units, on_topics(units.values, self.pairs[in_block])

    def on_scale(self, limits: Interval) -> Interval:
        """Limits of the contrasts, as far as the scale goes, if it has ends."""
        if self.ends is None:
            return limits
        return np.clip(limits, *(of_differences(self.ends) if self.is_of_pairs else self.ends))

    def _own(self, members: Sequence[Family], values: Floats) -> Floats:
        """Values[P] of its own contrasts, out of those of members laid end to end."""
        first = sum(len(member.pairs) for member in members[: members.index(self)])
        return values[first : first + len(self.pairs)]

    def simultaneous(self, source: Source) -> Simultaneous:
        """All pairs jointly by signs of a source's units, on the scores that all rows have, of which there are some."""
        members = [member for member in self.adjusted_jointly if member.common.any()]
        draws = members[0]._stacked(source)
        return draws._replace(p=self._own(members, draws.p))

    @once
    def _stacked(self, source: Source) -> Simultaneous:
        """The same of all that are adjusted jointly with this one, which is the first of them, and have such scores."""
        members = [member for member in self.adjusted_jointly if member.common.any()]
        has_scores = np.logical_or.reduce([member.common for member in members])  # slices have no topic in common
        keys, values, pairs = source.units(self, has_scores).keys, list[Floats](), list[Pairs]()
        for member in members:
            of_units, is_part = source.units(member, member.common).values, member.common[has_scores]
            if not is_part.all():
                of_units, own = np.zeros((len(of_units), len(keys))), of_units
                of_units[:, is_part] = own
            pairs.append(member.pairs + sum(map(len, values)))
            values.append(of_units)
        return step_down(
            np.vstack(values), np.vstack(pairs), keys, resamples=self.design.signs, seed=self.design.seed,
            threads=self.threads,
        )  # fmt: skip


def difference_name(measure: Measure) -> str:
    """The name of differences: the measure, and the scale on which it is averaged."""
    return "_".join(filter(None, (measure.name, measure.scale().name, "diff")))
