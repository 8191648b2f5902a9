"""A family of pairs of runs, compared on one measure: differences over documents, topics or both, adjusted together."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, Population
from irci.base.errors import DataError, plural
from irci.base.types import Bools, Floats, Ints, Pairs
from irci.bootstrap.joint_resamples import NOTHING, Comparison, JointResamples, Wanted, joint_resamples
from irci.bootstrap.shared_documents import Rankings
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.scores import Scores
from irci.methods.map_ci.differences import (
    Differences,
    independent_errors,
    joint_errors,
    over_both,
    over_documents,
    over_topics,
)
from irci.stats.decisions import max_t_p
from irci.stats.intervals import Interval
from irci.stats.scales import Scale, logit_scale, mean_over_topics
from irci.stats.simultaneous import Simultaneous, simultaneous
from irci.stats.tests import adjusted
from irci.studies.map_ci.runs import Asked, FromRuns, keys_of

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class Tested:
    """For each population the differences of all pairs, their p adjusted for the family, and limits so adjusted if asked."""

    differences: dict[Population, Differences]
    p_adjusted: dict[Population, Floats]
    limits_adjusted: dict[Population, Interval] = field(default_factory=dict)


@dataclass(frozen=True)
class PlaceOfPairs:
    """Where some pairs, either way round, are among all: `chosen` int64[P], and `mirrored` bool[P]."""

    chosen: Ints
    mirrored: Bools

    @classmethod
    def of(cls, pairs: Pairs, among: Pairs) -> "PlaceOfPairs":
        """The places of pairs[P, 2] among others, which hold all of them."""
        place_of = np.empty((int(among.max()) + 1,) * 2, np.int64)
        first, second = among.T
        place_of[first, second] = place_of[second, first] = np.arange(len(among))
        chosen = place_of[pairs[:, 0], pairs[:, 1]]
        return cls(chosen, among[chosen, 0] != pairs[:, 0])

    def limits(self, of_all: Interval) -> Interval:
        """The limits of these pairs from those of all."""
        lower, upper = (limit[self.chosen] for limit in of_all)
        return np.where(self.mirrored, -upper, lower), np.where(self.mirrored, -lower, upper)


@dataclass(frozen=True)
class Family:
    """Pairs of rows of values[rows, T], and what joint resamples of their documents say."""

    asked: Asked
    table: Scores
    found: FromRuns
    comparison: Comparison
    base: Measure
    values: Floats
    joint: JointResamples
    inputs: Inputs
    _tested: dict[str, Tested] = field(default_factory=dict)
    _simultaneous: dict[str, Simultaneous] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        asked: Asked,
        table: Scores,
        found: FromRuns,
        comparison: Comparison,
        base: Measure,
        measures: Sequence[Measure],
        inputs: Inputs,
    ) -> "Family":
        """Resample the rankings of all runs together, as far as what is asked needs it."""
        values = comparison.table(table.values[base.name])
        if asked.method.correction == "maxt":  # which is of topics that all runs share, and so are the pairs
            values = np.where(np.isnan(values).any(axis=0), np.nan, values)
        joint = JointResamples()
        if (
            found.collection is not None
            and found.retrieved is not None
            and asked.resamples(base)
            and len(comparison.pairs)
        ):
            rankings = Rankings.of(
                found.collection,
                found.relevances[base.sees],
                found.rankings,
                found.retrieved,
                base,
            )
            joint = joint_resamples(
                rankings, keys_of(table), comparison, values, _wanted(asked, comparison, measures),
                resamples=asked.method.resamples, seed=asked.method.seed, threads=inputs.threads,
            )  # fmt: skip
        return cls(asked, table, found, comparison, base, values, joint, inputs)

    @property
    def common(self) -> Bools:
        """bool[T]: the topics on which all runs are scored."""
        return np.asarray(~np.isnan(self.values).any(axis=0))

    def tested(self, measure: Measure) -> Tested:
        """The differences by a measure, found once."""
        if measure.name not in self._tested:
            settings = self.asked.method
            on_scale = settings.scale(measure).forward(self.values)
            of_topics = over_topics(
                on_scale, self.comparison.pairs, keys_of(self.table), settings, self.inputs.progress
            )
            found = {each: self._differences(measure, each, on_scale, of_topics) for each in self.asked.populations}
            p_adjusted = {population: self._p_adjusted(measure, population, of) for population, of in found.items()}
            self._tested[measure.name] = Tested(found, p_adjusted)
        return self._tested[measure.name]

    def _differences(
        self, measure: Measure, population: Population, on_scale: Floats, of_topics: Differences
    ) -> Differences:
        """Over one population, from the differences over topics of the values on the measure's scale."""
        settings, pairs = self.asked.method, self.comparison.pairs
        scale = settings.scale(measure)
        if population == TOPICS:
            if settings.interval == "simultaneous":
                limits = self.simultaneous(measure)
                return replace(of_topics, lower=limits.lower, upper=limits.upper)
            return of_topics
        if population == BOTH:
            spreads = self.joint.spreads.get(scale.name)
            if spreads is None:
                return over_documents(of_topics, np.full(len(pairs), np.nan), settings.confidence)
            return over_both(of_topics, on_scale, spreads, settings)
        return over_documents(of_topics, self._errors(measure, scale), settings.confidence)

    def _errors(self, measure: Measure, scale: Scale) -> Floats:
        """Standard errors[P] of differences over documents."""
        if self.asked.method.pairing == "independent":
            return self._independent_errors(measure)
        return joint_errors(self.joint.for_pairs, self.comparison.pairs, scale)

    def _independent_errors(self, measure: Measure) -> Floats:
        """From the runs' own standard errors."""
        if self.comparison.pooled:
            raise DataError(
                f"the {self.comparison.pooled} of all runs has no resamples of its own: use --pairing paired"
            )
        if np.isnan(self.values).any():
            raise DataError("runs that lack topics can only be compared with --pairing paired")
        means = self.found.means
        errors = [
            means[run, measure.name, DOCUMENTS].error if (run, measure.name, DOCUMENTS) in means else np.nan
            for run in self.table.runs
        ]
        return independent_errors(np.array(errors), self.comparison.pairs)

    def _p_adjusted(self, measure: Measure, population: Population, found: Differences) -> Floats:
        correction = self.asked.method.correction
        if correction != "maxt":
            return adjusted(found.p, correction)
        if population == TOPICS:
            return self.simultaneous(measure).p
        if population == BOTH:
            with np.errstate(divide="ignore", invalid="ignore"):
                t = found.value / found.error
            p = self.simultaneous(measure).p_of(np.nan_to_num(t, nan=0.0), int(self.common.sum()))
            return np.where(np.isnan(found.p), np.nan, np.where(found.value == 0, 1.0, p))
        if self.joint.of_all is None:
            return np.full(len(found.p), np.nan)
        scale = self.asked.method.scale(measure)
        means = mean_over_topics(scale.forward(self.values[:, self.common]).T)
        return max_t_p(means, self.joint.of_all.means(scale), self.comparison.pairs)

    def simultaneous(self, measure: Measure) -> Simultaneous:
        """The pairs compared over topics all at once, by signs, on the topics that all runs share."""
        if measure.name not in self._simultaneous:
            common = self.common
            if not common.any():
                raise DataError("the runs have no topic in common")
            settings = self.asked.method
            self._simultaneous[measure.name] = simultaneous(
                settings.scale(measure).forward(self.values[:, common]), self.comparison.pairs,
                keys_of(self.table)[common], resamples=settings.signs, seed=settings.seed,
                confidence=settings.confidence, threads=self.inputs.threads,
            )  # fmt: skip
        return self._simultaneous[measure.name]

    def warn_of_no_limits_at_once(self, measure: Measure) -> None:
        """Say so if it takes more topics, or signs, for limits that hold for all pairs at once."""
        found = self._simultaneous.get(measure.name)
        if found is not None and not np.isfinite(found.width):
            topics = plural(int(self.common.sum()), "topic")
            warn_of_too_few(measure.name, topics if found.exact else f"{found.signs.number} resamples (-B)")


def warn_of_too_few(measure: str, few: str) -> None:
    """Say of what there are too few for limits that hold for all pairs at once."""
    logger.warning(f"{measure}: {few} allow no limits for all pairs at once at this confidence")


def _wanted(asked: Asked, comparison: Comparison, measures: Sequence[Measure]) -> Wanted:
    """What joint resamples are needed for."""
    settings = asked.settings
    documents = DOCUMENTS in asked.populations
    are_pairs = bool((comparison.pairs[:, 1] != NOTHING).all())
    paired = documents and are_pairs and asked.method.pairing == "paired"
    logit = [logit_scale(settings.epsilon)] if settings.meta is not None else []
    scales = list({scale.name: scale for scale in map(asked.method.scale, measures)}.values())
    by_topic = are_pairs and (BOTH in asked.populations or (settings.per_topic and settings.has_pairs and documents))
    topic_scales = {scale.name: scale for scale in [*(scales if by_topic else []), *logit]}
    return Wanted(scales, paired, paired and asked.method.correction == "maxt", list(topic_scales.values()))
