"""The ground of all sources of scores that come in groups: the groups vary, or they are given and their members vary. Clusters
of topics: would other clusters agree, and other topics of these? Several collections: the same of these. Versions of topics'
queries: would other topics agree, and other wordings of these? Seeds of systems: would systems trained again agree, and these
checkpoints on other topics?
"""

import math
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from irci.base import DataError, UsageError, plural, raw, visible
from irci.base.choices import BOTH, PASSES, SEEDS, TOPICS
from irci.base.streams import topic_keys
from irci.base.types import Bools, Ends, Floats, Ints, Pairs
from irci.comparison import reading
from irci.comparison.family import Family, Scored
from irci.comparison.rows import tells_verdicts
from irci.comparison.sources import Source, Topics
from irci.comparison.sources.judges import JudgeSource, PassSource
from irci.data.collection_files import MEAN
from irci.data.inputs import Inputs, where
from irci.data.rules import System, grouped_topics, passes_of, systems_of
from irci.data.score_tables import named_in
from irci.data.scores import Scores, ends_of_scales
from irci.data.versions import version_scores
from irci.estimators.grouped import FEWEST, Groups, over_seeds, system_means
from irci.estimators.means import Tested, topic_means
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import NO_WORD
from irci.stats.decisions import agreeing
from irci.stats.groups import is_mostly_one
from irci.stats.intervals import wider
from irci.stats.power import MANY_GROUPS
from irci.stats.signs import Units
from irci.stats.tests import NOTHING, POOLED, Estimates, reaching_zero
from irci.wording import notify, warn_of_few_groups, warn_of_topics

CLUSTERS, COLLECTIONS, VERSIONS = "clusters", "collections", "versions"
# What columns of the numbers of groups and members are called.
COUNTS = {
    CLUSTERS: {"groups": CLUSTERS}, COLLECTIONS: {"members": TOPICS}, VERSIONS: {"groups": TOPICS, "members": VERSIONS},
}  # fmt: skip


class GroupSource(Source):
    """Groups of a kind, a sample or given: clusters or collections of topics, or topics, whose members
    are versions.

    predicts: limits are for one more group, not for a mean
    """

    def __init__(
        self, groups: Groups, kind: str, name: str, of_these: Source | None = None, *, predicts: bool = False
    ) -> None:
        """`of_these`: the topics of these groups, over which a narrower claim is no less sure."""
        self.groups = groups._replace(vary=(name == TOPICS) == (kind == VERSIONS))
        self.kind, self.name, self.of_these, self.predicts = kind, name, of_these, predicts
        self.labels = {"collection": MEAN} if kind == COLLECTIONS else {}
        self.words_as, self.held_below = "another-collection" if predicts else name, float(MANY_GROUPS)
        if name == TOPICS:
            self.words_as, self.held_below = f"topics-in-{kind}", math.inf
        if kind == VERSIONS:
            self.topics_per_unit = 1.0 if self.groups.vary else math.nan
        elif self.groups.vary:
            self.topics_per_unit = len(groups.place) / groups.number
        if not self.groups.vary and (np.bincount(groups.place) > 1).all():  # of one member nothing is known
            members, group = (VERSIONS, "topic") if kind == VERSIONS else (TOPICS, kind.removesuffix("s"))
            self.alike = f"scores do not vary over the {members} of each {group}"

    @property
    def key(self) -> str:
        return f"{super().key} of {self.word('members_of')}"  # and not topics as a plain sample

    def tested(self, family: Family) -> Tested:
        tested, groups = super().tested(family), self.groups
        if self.predicts:
            limits = tested.of.predicting(1).limits(family.design.confidence)
            return tested._replace(limits=limits, interval=np.array("prediction", object))
        if self.kind == CLUSTERS and groups.vary and family.ends is not None:
            return groups.bounded(
                tested, self.holds_to_signs(tested.of.units), family.values, family.pairs, family.ends, family.design,
                are_points=family.are_points,
            )  # fmt: skip
        if self.kind == VERSIONS and groups.vary and groups.number > 1 and not family.is_of_pairs:
            averages, _ = groups.in_each(family.values, family.pairs)
            over_averages = topic_means(averages, family.design, family.ends)
            return tested._replace(limits=over_averages.limits, interval=over_averages.interval)
        return tested

    def finished(self, family: Family, result: Tested) -> Tested:
        """With limits no narrower, and p no less, than over topics of these: few groups that happen to agree would make limits
        too narrow by far. What groups tell nothing of stays so."""
        if self.of_these is None:
            return result
        narrower, of, adjusted = family.over(self.of_these), result.of, result.limits_adjusted
        is_known, confidence = ~np.isnan(of.error), family.design.confidence
        limits = np.where(is_known, wider(result.limits, narrower.limits), result.limits)
        p = np.where(is_known, np.fmax(result.p, narrower.p), result.p)
        p_adjusted = np.where(is_known, np.fmax(result.p_adjusted, narrower.p_adjusted), result.p_adjusted)
        if adjusted is not None and narrower.limits_adjusted is not None:
            by_others = ~np.isnan(narrower.p_adjusted) & np.isnan(narrower.limits_adjusted[0])
            unselected = (np.isnan(adjusted[0]) | by_others) & (family.design.correction == "bh")  # by both
            adjusted = np.where(is_known, wider(adjusted, narrower.limits_adjusted), adjusted)
            adjusted = np.where(unselected, np.nan, adjusted)
        if family.is_of_pairs and not self.predicts:
            # Limits over topics may stand alone, where means of groups are all equal, which few are by chance.
            limits = reaching_zero(limits, self.held_to_signs(of), confidence)
            adjusted = None if adjusted is None else agreeing(adjusted, of.value, p_adjusted, confidence)
        return result._replace(limits=limits, p=p, p_adjusted=p_adjusted, limits_adjusted=adjusted)

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        estimates = self.groups.estimates(family.values, pairs, share)
        counts = COUNTS[self.kind].items()
        return estimates._replace(columns={column: estimates.columns[name] for name, column in counts})

    def means_of(self, values: Floats) -> Floats:
        alone = np.column_stack((np.arange(len(values)), np.full(len(values), NOTHING)))
        return self.groups.estimates(values, alone).value

    def units(self, family: Family, mask: Bools) -> Units:
        return self.groups.units(family.values, mask)


def both_sources(groups: Groups, kind: str, names: Sequence[str], *, predicts: bool = False) -> list[GroupSource]:
    """The sources of these names, that of topics made whether it has rows or not."""
    of_these = GroupSource(groups, kind, TOPICS)
    return [
        of_these if name == TOPICS else GroupSource(groups, kind, name, of_these, predicts=predicts) for name in names
    ]


def in_clusters(request: Asked, inputs: Inputs) -> Scored:
    """Scores whose topics come in clusters, and what varies beside these. Claims are over topics as a plain sample, whatever
    clusters they come in."""
    beside = [name for name in reading.populations_read(request, inputs) if name != TOPICS]
    if BOTH in beside and not request.survives:
        raise UsageError("--population both takes each topic by itself: leave out --clusters.")
    if beside and request.mean == CLUSTERS:
        raise UsageError(f"--population {beside[0]} is about means of topics: leave out --mean clusters.")
    scored, rule, by_cluster = reading.read(request, inputs, beside), request.clusters, request.mean == CLUSTERS
    topics = grouped_topics(rule, "cluster", scored.topics, are_all=inputs.topics is None)
    sizes, number = np.bincount(topics.place), plural(len(scored.topics), "topic")
    names, one = reading.asked_about(request, [CLUSTERS, TOPICS]), f"one cluster has {sizes.max()} of {number}"
    if request.survives and CLUSTERS not in names:
        names.insert(0, CLUSTERS)
    is_alone, is_one = len(names) == 1, len(sizes) == 1 if by_cluster else is_mostly_one(sizes)
    if CLUSTERS in names and is_one:
        if is_alone:
            raise DataError(f"{rule.given}: {one}: nothing can be said about others (--population topics)")
        notify("lacking", measure=rule.given, what="rows over clusters", who="", why=one)
        names.remove(CLUSTERS)
    elif CLUSTERS in names:
        warn_of_few_groups(len(sizes), "cluster")
    if TOPICS in names and len(scored.topics) == 1:
        if is_alone:
            raise DataError(f"{rule.given}: one topic: nothing can be said about others")
        warn_of_few_groups(1, "topic")
    elif TOPICS in names:
        no_limits = "whose variance cannot be estimated: no limits over topics (--population clusters has limits)"
        warn_of_topics(rule.given, f"of one topic, {no_limits}", where(topics.names, sizes == 1), "cluster")
    groups = Groups(topics.place, scored.keys, by_group=by_cluster)
    return scored.replaced(
        sources=[*both_sources(groups, CLUSTERS, names), *[Topics()] * request.survives, *scored.sources],
        kind=CLUSTERS,
        signature={
            "clusters": rule.given, "mean": "clusters" if by_cluster else "topics",
            "num_topics": len(scored.topics), "num_clusters": len(sizes),
        },
    )  # fmt: skip


def all_collections(request: Asked, tables: Sequence[Scores], measures: Sequence[Measure], together: Scores) -> Scored:
    """The runs that all collections have, on the topics of all, `together`."""
    names, sizes = [str(table.collection) for table in tables], [len(table.topics) for table in tables]
    number, scored = len(together.topics), Scored(together, measures, kind=COLLECTIONS)
    groups = Groups(np.repeat(np.arange(len(sizes)), sizes), scored.keys, by_group=True, complete=True)
    populations, predicts = reading.names_tried(request, [COLLECTIONS, TOPICS]), request.interval == "prediction"
    return scored.replaced(
        sources=both_sources(groups, COLLECTIONS, populations, predicts=predicts),
        signature={"collections": " ".join(names), "num_topics": number, "num_collections": len(names)},
    )


def one_collection(table: Scores, measures: Sequence[Measure], ends: Mapping[str, Ends]) -> Scored:
    """One of several collections by itself; `ends`: of the scales of measures that have any."""
    name = str(table.collection)
    topics = Topics({"collection": name}, tells_df=True)
    return Scored(table, measures, [topics], kind=COLLECTIONS, where=name, ends=ends)


def on_versions(request: Asked, inputs: Inputs) -> Scored:
    """Scores of runs (systems) on several versions of each topic."""
    rule, names = request.versions, reading.names_tried(request, [TOPICS, VERSIONS])
    table, columns = version_scores(inputs, [of_base[0].base for of_base in reading.by_base(request.measures)], rule)
    is_first = np.array([True, *(topic != before for (before, _), (topic, _) in pairwise(columns))])
    topics, places = where([topic for topic, _ in columns], is_first), np.cumsum(is_first) - 1
    nothing = "nothing can be said about others (--population {})"
    if names == [VERSIONS] and len(topics) == len(columns):
        raise DataError(f"{rule.given}: one version of each topic: {nothing.format(TOPICS)}")
    if names == [TOPICS] and len(topics) == 1:
        raise DataError(f"{rule.given}: one topic: {nothing.format(VERSIONS)}")
    if TOPICS in names:
        warn_of_few_groups(len(topics), "topic")
    # The streams of signs: of a topic's first version those of the topic, so that a topic with one version has its own.
    further = [b"" if is_own else b"\0" + raw(version) for (_, version), is_own in zip(columns, is_first, strict=True)]
    keys = topic_keys([raw(topic) + version for (topic, _), version in zip(columns, further, strict=True)])
    groups = Groups(places, keys, by_group=True)
    if VERSIONS in names:
        alone = where(topics, np.bincount(places) == 1)
        warn_of_topics(rule.given, "with one version: no limits over versions", alone)
    scored = Scored(table, list(request.measures) or named_in(table.values), kind=VERSIONS)
    values, is_by_t = [scored.made.values], request.interval == "t"
    return scored.replaced(
        ends={} if is_by_t else ends_of_scales(scored.measures, values, request.range, inputs.standardise),
        sources=[GroupSource(groups, VERSIONS, name) for name in names],
        signature={"versions": rule.given, "num_topics": len(topics), "num_versions": len(columns)},
    )


class SeedSource(Topics):
    """Systems with runs from several seeds each, by their rows: these and topics vary, or topics alone."""

    observes = is_plain_topics = False

    def __init__(self, runs: Scores, systems: Sequence[System], name: str) -> None:
        super().__init__(tells_df=True)
        self.runs, self.systems, self.name = runs, systems, name
        self.has_draws = self.units_alone = name == TOPICS
        self.words_as = SEEDS if name == SEEDS else "checkpoints"

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        scores = family.measure.scale().forward(self.runs.values[family.measure.base.name])
        rows, trained = [of.runs for of in self.systems], np.array([of.is_trained for of in self.systems])
        return over_seeds(scores, family.values, rows, trained, pairs, share, seeds_vary=self.name == SEEDS)

    def tested(self, family: Family) -> Tested:
        if self.name == SEEDS:
            return Source.tested(self, family)
        return super().tested(family)._replace(of=self.estimates(family, family.pairs))

    def kinds_of_units(self, of: Estimates) -> Mapping[str, Ints]:
        """The topics, and the seeds of both systems together, as many as matter where neither is trained."""
        if self.name != SEEDS:
            return super().kinds_of_units(of)
        seeds = of.columns["seeds"] + of.columns.get("seeds_baseline", 0)
        return {TOPICS: of.units, SEEDS: np.where(seeds > 0, seeds, of.units)}

    def remark(self, family: Family, index: int) -> str:
        if family.over(self).of.is_told[index]:
            return super().remark(family, index)
        few = [
            f"{plural(len(system.runs), 'seed')} of {system.name}"
            for system in (self.systems[row] for row in family.pairs[index])
            if _has_few_seeds(system)
        ]
        return f"only {' and '.join(few)}"


def of_systems(request: Asked, inputs: Inputs) -> Scored:
    """Scores of systems, each trained from several seeds, whose runs are read."""
    rule, scored = request.seeds, reading.read(request, inputs, [])
    runs, systems = scored.table, systems_of(rule, scored.table.runs)
    scored = scored.replaced(table=_by_system(runs, systems, scored.measures), by_measure=True, kind=SEEDS)
    systems = [system for system in systems if system.name not in scored.table.missing]
    if pooled := [name for name in request.baseline if name in POOLED and name not in scored.runs]:
        raise UsageError(f"--baseline {pooled[0]} is not for --seeds: name a system.")
    sizes = {len(system.runs) for system in systems if system.is_trained}
    names, seeds_vary = reading.names_tried(request, [SEEDS, TOPICS]), max(sizes, default=0) >= FEWEST
    if names == [SEEDS] and not seeds_vary:
        why = "no system has three seeds: nothing can be said about others (--population topics)"
        raise DataError(f"{rule.given}: {why}")
    if len(scored.topics) > 1:
        warn_of_few_groups(len(scored.topics), "topic")
    if few := [system.name for system in systems if _has_few_seeds(system)]:
        unknown = "; their ranks over seeds are unknown" * (request.ranks and SEEDS in names)
        notify("few_seeds", number=len(few), ranks=unknown, systems=few)
    return scored.replaced(
        sources=[SeedSource(runs, systems, name) for name in (names if seeds_vary else [TOPICS])],
        signature={
            "seeds": rule.given, "num_topics": len(scored.topics), "num_systems": len(systems),
            "num_runs": sum(len(system.runs) for system in systems),
        },
    )  # fmt: skip


def _has_few_seeds(system: System) -> bool:
    return system.is_trained and len(system.runs) < FEWEST


def _by_system(table: Scores, systems: Sequence[System], measures: Sequence[Measure]) -> Scores:
    """The means over seeds of the scores of runs, on each measure's scale. A system is missing of which a run is."""
    rows, values, near = [system.runs for system in systems], dict[str, Floats](), dict[str, Bools]()
    for measure in (of for averaged in measures for of in (averaged.base, averaged)):
        scale, base = measure.scale(), measure.base.name
        values[measure.name] = scale.back(system_means(scale.forward(table.values[base]), rows))
        near |= {measure.name: np.array([table.near[base][own].any(axis=0) for own in rows])} if table.near else {}
    lacking = [filter(None, (table.missing.get(table.runs[row]) for row in own)) for own in rows]
    missing = {system.name: lacks for system, own in zip(systems, lacking, strict=True) if (lacks := next(own, ""))}
    return Scores([system.name for system in systems], table.topics, values, missing=missing, near=near)


def by_passes(request: Asked, inputs: Inputs) -> Scored:
    """Scores by QRELS, and by the passes of one or several judges over the same documents, which vary beside the topics."""
    memory, names, rule = inputs.memory, reading.names_tried(request, [TOPICS, PASSES]), request.passes
    files = [(path in memory and memory[path].name) or visible(os.path.basename(path)) for path in inputs.other_qrels]
    by_judge = passes_of(rule, files)
    if TOPICS not in names and tells_verdicts(request):
        raise UsageError("--margin, --power and --fail-if are about topics: add these to --population.")
    scored = reading.on_topics(request.replaced(population=None), inputs)
    judges, sources = [judge for judge in scored.judges if isinstance(judge, JudgeSource)], list[Source]()
    for name, indices in by_judge.items():
        label = (name or NO_WORD) if len(by_judge) > 1 else ""
        sources.append(PassSource([judges[index] for index in indices], label))
        if len(indices) < FEWEST:
            number = " of ".join(filter(None, (f"{len(indices)} passes", name)))
            notify("few_units", number=number, then="no limits over passes, and no p: these need three")
    for source in scored.sources:
        if source.is_plain_topics and len(by_judge) > 1:
            source.labels = {"judge": NO_WORD}
    has_rows = {TOPICS: TOPICS in names, PASSES: PASSES in names}
    return scored.replaced(
        sources=[source for source in (*scored.sources, *sources) if has_rows.get(source.name, True)],
        judges=sources, kind=PASSES,
        signature={**scored.signature, "passes": rule.given, "num_passes": len(files), "levels": inputs.levels_told},
    )  # fmt: skip


READERS = {
    CLUSTERS: in_clusters,
    SEEDS: of_systems,
    VERSIONS: on_versions,
    PASSES: by_passes,
}  # by the option that asks
