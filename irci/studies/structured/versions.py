"""Query versions of topics, as in the study of structured topics: topics a sample, or given and their versions a sample."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from irci.base.choices import TOPICS, Varies
from irci.base.errors import DataError, first_few, plural
from irci.base.names import raw
from irci.base.streams import topic_keys
from irci.base.types import Floats, Ints, Pairs, Words
from irci.bootstrap.joint_resamples import Comparison, common_topics
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.version_scores import version_scores
from irci.data.versions import Versions, VersionScores
from irci.methods.structured.grouped import Groups
from irci.output.report import Report
from irci.stats.estimates import Estimates
from irci.studies.structured.grouped import GroupedRuns
from irci.studies.structured.settings import Settings
from irci.studies.structured.study import structured
from irci.studies.structured.tables import named_in, refuse_counts, signature_of

logger = logging.getLogger("irci")


@dataclass(frozen=True)
class RunsOnVersions(GroupedRuns):
    """Runs (systems) on several versions of each topic (a `Structure`).

    A mean is that of the topics' means over their versions, so that each topic counts alike, however many versions it has.
    """

    sample: ClassVar[Varies] = "topics"
    table: VersionScores
    measures: Sequence[Measure]
    topics: Sequence[str]
    groups: Groups
    given: str
    kind: str = "versions"
    where: str = ""
    varies: Sequence[Varies] = ("topics", "versions")
    with_signs: Sequence[Varies] = ("topics", "versions")
    _told: set[str] = field(default_factory=set)

    @property
    def runs(self) -> Sequence[str]:
        """The systems' names."""
        return self.table.systems

    @property
    def made_of(self) -> str:
        """What means are over."""
        return f"{plural(len(self.topics), 'topic')}, each the mean of its versions ({len(self.table.versions)} in all)"

    @property
    def lead(self) -> Mapping[Varies, str]:
        """How sentences begin."""
        return {"topics": "Over all topics, in wordings like these", "versions": "Over all wordings of these topics"}

    @property
    def means(self) -> Mapping[Varies, str]:
        """What limits are for."""
        return {
            "topics": "Limits over topics are for the mean over other topics, in wordings like these: each topic counts once,"
            " by the average of its versions, which are not as many independent topics.",
            "versions": "Limits over versions are for the mean over other wordings of these very topics; they say nothing"
            " about other topics.",
        }

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """float64[rows, M]: on every version of every topic."""
        return comparison.table(self.table.values[base.name])

    def estimates(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """With the numbers of topics and of their versions."""
        found = self.of_groups(values, pairs, varies)
        if varies != TOPICS:
            self._warn_of_no_limits(values, pairs, found)
        return replace(found, columns={"topics": found.columns["groups"], "versions": found.columns["members"]})

    def signature(self) -> Mapping[str, Any]:
        """The rule, and how many of what there are."""
        return {"versions": self.given, "num_topics": len(self.topics), "num_versions": len(self.table.versions)}

    def _warn_of_no_limits(self, values: Floats, pairs: Pairs, found: Estimates) -> None:
        """Say which topics have one version that both of a pair are scored on, so that it is not known how versions vary; and
        if they do not vary."""
        of_rows = np.vstack((values, np.zeros(values.shape[1])))  # a last row, which NOTHING is
        alone = np.zeros(len(self.topics), np.bool_)
        for mask, some in common_topics(of_rows, pairs):
            single = np.bincount(self.groups.place[mask], minlength=len(self.topics)) == 1
            alone |= single
            if mask.any() and not single.any() and np.isnan(found.error[some]).any():
                self._tell("scores are the same on all versions of each topic: no limits over versions")
        if alone.any():
            named = [topic for topic, is_alone in zip(self.topics, alone.tolist(), strict=True) if is_alone]
            self._tell(f"{plural(len(named), 'topic')} with one version: no limits over versions: {first_few(named)}")

    def _tell(self, message: str) -> None:
        """Once."""
        if message not in self._told:
            self._told.add(message)
            logger.warning(f"versions: {message}")


def on_versions(settings: Settings, inputs: Inputs, versions: Versions) -> Report:
    """Means and differences of runs on several versions of each topic."""
    refuse_counts(settings.measures)
    bases = list({measure.base.name: measure.base for measure in settings.measures}.values())
    table = version_scores(inputs, bases, versions)
    topics = list(dict.fromkeys(topic for topic, _ in table.versions))
    _refuse_what_has_no_others(settings, versions.given, len(topics), len(table.versions))
    groups = Groups(_places(table.versions), _keys(table.versions), by_group=True)
    measures = list(settings.measures) or named_in(table)
    structure = RunsOnVersions(table, measures, topics, groups, versions.given)
    return structured(settings, structure, signature_of(inputs), threads=inputs.threads)


def _refuse_what_has_no_others(settings: Settings, given: str, topics: int, versions: int) -> None:
    """Raise DataError if all that is asked is of others of what there is one of."""
    if topics == versions and settings.population == "versions":
        raise DataError(f"{given}: one version of each topic: nothing can be said of others (--population topics)")
    if topics == 1:
        if settings.population == TOPICS:
            raise DataError(f"{given}: one topic: nothing can be said of others (--population versions)")
        if settings.population is None:
            logger.warning("one topic: no limits over topics")


def _places(versions: Sequence[tuple[str, str]]) -> Ints:
    """The number of each version's topic, as topics come."""
    place_of = {topic: place for place, topic in enumerate(dict.fromkeys(topic for topic, _ in versions))}
    return np.array([place_of[topic] for topic, _ in versions], np.int64)


def _keys(versions: Sequence[tuple[str, str]]) -> Words:
    """The streams of signs: of a topic's first version those of the topic, so that a topic with one version has its own."""
    before = ["", *(topic for topic, _ in versions)]
    return topic_keys(
        [
            raw(topic) if topic != last else raw(topic) + b"\0" + raw(version)
            for (topic, version), last in zip(versions, before, strict=False)
        ]
    )
