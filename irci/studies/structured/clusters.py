"""Topics in clusters, as in the study of structured topics: the clusters a sample, or given."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from irci.base.choices import TOPICS, MeanOf, Varies
from irci.base.errors import DataError, plural
from irci.base.types import Floats, Pairs
from irci.bootstrap.joint_resamples import Comparison
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.notices import warn_of_topics
from irci.data.rules import ClusteredTopics, Clusters
from irci.data.scores import Scores
from irci.methods.structured.grouped import Groups
from irci.output.report import Report
from irci.stats.estimates import Estimates
from irci.studies.map_ci.runs import keys_of
from irci.studies.structured.grouped import GroupedRuns
from irci.studies.structured.settings import Settings
from irci.studies.structured.study import structured
from irci.studies.structured.tables import read_scores, signature_of

logger = logging.getLogger("irci")

FEW = 10  # clusters: limits over fewer hold if their means are near to normal


@dataclass(frozen=True)
class ClusteredRuns(GroupedRuns):
    """Runs on topics in clusters (a `Structure`)."""

    sample: ClassVar[Varies] = "clusters"
    table: Scores
    measures: Sequence[Measure]
    groups: Groups
    given: str
    kind: str = "clusters"
    where: str = ""
    varies: Sequence[Varies] = ("clusters", "topics")
    with_signs: Sequence[Varies] = ("clusters", "topics")
    _told: list[str] = field(default_factory=list)

    @property
    def runs(self) -> Sequence[str]:
        """Their names."""
        return self.table.runs

    @property
    def made_of(self) -> str:
        """What means are over."""
        topics = plural(len(self.table.topics), "topic")
        return f"{topics} in {plural(self.groups.number, 'cluster')}" + ", each weighed alike" * self.groups.by_group

    @property
    def lead(self) -> Mapping[Varies, str]:
        """How sentences begin."""
        return {"clusters": "Over all clusters of this kind", "topics": "Over all topics of these clusters"}

    @property
    def means(self) -> Mapping[Varies, str]:
        """What limits are for."""
        weighed = "each cluster counting alike" if self.groups.by_group else "each topic counting alike"
        return {
            "clusters": f"Limits over clusters are for the mean over all clusters like these, not these alone, {weighed}.",
            "topics": f"Limits over topics are for the mean over all topics of these clusters, and no others, {weighed}.",
        }

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """float64[rows, T]."""
        return comparison.table(self.table.values[base.name])

    def estimates(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """With the number of clusters."""
        found = self.of_groups(values, pairs, varies)
        if varies == TOPICS and not self._told and self.groups.are_alike_within(found):
            self._told.append("alike")
            logger.warning("scores are the same on all topics of each cluster: no limits over topics")
        return replace(found, columns={"clusters": found.columns["groups"]})

    def signature(self) -> Mapping[str, Any]:
        """The clusters and what means weigh."""
        return {
            "clusters": self.given, "mean": "clusters" if self.groups.by_group else "topics",
            "num_topics": len(self.table.topics), "num_clusters": self.groups.number,
        }  # fmt: skip


def clustered(settings: Settings, inputs: Inputs, clusters: Clusters, mean: MeanOf) -> Report:
    """Means and differences of runs whose topics come in clusters."""
    read = read_scores(inputs, settings.measures)
    topics = clusters.of_topics(read.table.topics)
    groups = Groups(topics.place, keys_of(read.table), by_group=mean == "clusters")
    structure = ClusteredRuns(read.table, read.measures, groups, clusters.given)
    if inputs.topics is None:
        clusters.warn_of_others(read.table.topics)
    _warn_of_few(settings.varying(structure.varies), clusters.given, topics)
    return structured(settings, structure, signature_of(inputs), threads=inputs.threads, files=read.files)


def _warn_of_few(varies: Sequence[Varies], given: str, topics: ClusteredTopics) -> None:
    """Say of few clusters, and of those of one topic, what limits they leave."""
    number = len(topics.names)
    if number == 1 and "clusters" in varies:
        if len(varies) == 1:
            raise DataError(f"{given}: one cluster: nothing can be said of others (--population topics)")
        logger.warning(f"{given}: one cluster: no limits over clusters")
    elif number < FEW and "clusters" in varies:
        few = f"only {plural(number, 'cluster')}"
        logger.warning(f"{few}: limits over clusters are mostly wide, and assume that clusters are alike")
    if TOPICS in varies and len(topics.place) == 1:
        if len(varies) == 1:
            raise DataError(f"{given}: one topic: nothing can be said of others")
        logger.warning("one topic: no limits over topics")
    elif TOPICS in varies:
        happens = "of one topic, whose variance nobody knows: no limits over topics (--population clusters has limits)"
        warn_of_topics(given, happens, topics.of_one, "cluster")
