"""Several collections: would other collections agree, and other topics of these?"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import first_names, plural, raw
from irci.base.streams import topic_keys
from irci.base.types import Ends, Floats, Pairs
from irci.comparison.family import Family, Scored, keys_of
from irci.comparison.request import Request
from irci.comparison.sources.grouped import (
    GroupSource,
    both_sources,
)
from irci.comparison.sources.topics import TopicsOfPart
from irci.data.inputs import MEAN
from irci.data.scores import Lacking, Scores
from irci.estimators.grouped import Groups
from irci.estimators.means import Tested
from irci.measures import Measure
from irci.stats.intervals import prediction_interval

COLLECTIONS = "collections"


class CollectionSource(GroupSource):
    """Collections as a sample, or the topics of those that are given."""

    counts = {"members": "topics"}  # noqa: RUF012
    noun = "collection"

    def __init__(
        self, groups: Groups, name: str, of_these: GroupSource | None = None, *, predicts: bool = False
    ) -> None:
        """`predicts`: limits over collections are for one more of them, not for the mean over all."""
        super().__init__(groups, name, groups_vary=name == COLLECTIONS, of_these=of_these)
        self.labels = {"collection": MEAN}
        self.words_as = COLLECTIONS if self.groups_vary else "topics-in-collections"
        self.predicts = predicts and self.groups_vary
        if self.predicts:
            self.words_as = "another-collection"

    def tested(self, family: Family) -> Tested:
        result = super().tested(family)
        if not self.predicts:
            return result
        of, number = result.of, self.groups.number
        sd = np.where(of.error > 0, of.error, np.nan) * math.sqrt(number)
        limits = prediction_interval(of.value, sd, number, family.design.confidence, new_topics=1)
        return result._replace(limits=limits, interval=["prediction"] * len(of.value))


def all_collections(
    request: Request, tables: Sequence[Scores], measures: Sequence[Measure], runs: Sequence[str]
) -> Scored:
    """The runs that all collections have, on the topics of all."""
    names = [str(table.collection) for table in tables]
    sizes = [len(table.topics) for table in tables]
    # The same topic id in two collections is two topics.
    topics = [f"{name}\t{topic}" for name, table in zip(names, tables, strict=True) for topic in table.topics]
    keys = topic_keys([raw(topic) for topic in topics])
    groups = Groups(np.repeat(np.arange(len(sizes)), sizes), keys, by_group=True, complete=True)
    populations = [name for name in (COLLECTIONS, TOPICS) if request.population is None or name in request.population]
    return Scored(
        runs=runs,
        topics=topics,
        measures=measures,
        values={name: np.hstack([rows_of(table, name, runs) for table in tables]) for name in tables[0].values},
        keys=keys,
        sources=both_sources(
            partial(CollectionSource, groups, predicts=request.interval == "prediction"), populations
        ),
        kind=COLLECTIONS,
        lacking=_lacking(tables, runs),
        before={
            name: np.hstack([rows_of(table._replace(values={**table.before}), name, runs) for table in tables])
            for name in tables[0].before
        },
        made_of=f"{plural(len(topics), 'topic')} in {plural(len(names), 'collection')}, each weighted equally",
        signature={
            "collections": " ".join(names), "num_topics": len(topics), "num_collections": len(names),
        },
    )  # fmt: skip


def one_collection(table: Scores, measures: Sequence[Measure], ends: Mapping[str, Ends]) -> Scored:
    """One of several collections by itself; `ends`: of the scales of measures that have any."""
    keys, name = keys_of(table), str(table.collection)
    source = TopicsOfPart(keys, "collection", name, tells_df=True)
    return Scored(
        table.runs, table.topics, measures, table.values, keys, [source], COLLECTIONS, where=name,
        made_of=f"{plural(len(table.topics), 'topic')} in 1 collection, each topic weighted equally", ends=ends,
        lacking=table.lacking,
    )  # fmt: skip


def _lacking(tables: Sequence[Scores], runs: Sequence[str]) -> Lacking | None:
    """Topics that runs lack in all collections; a run that is missing in some of them is missing in all of them together."""
    if any(table.lacking is None for table in tables):
        return None
    lacking_of_tables = [(table, table.lacking) for table in tables if table.lacking is not None]
    order = [
        run for run in lacking_of_tables[0][1].order if all(run in lacking.order for _, lacking in lacking_of_tables)
    ]
    missing, of = {}, {}
    for run in order:
        lacks = [
            (str(table.collection), lacking.of[run]) for table, lacking in lacking_of_tables if run in lacking.missing
        ]
        if lacks:
            of[run] = first_names([f"{number} in {name}" for name, number in lacks])
            missing[run] = {
                name: np.hstack([scores_of(table, name, run) for table in tables]) for name in tables[0].values
            }
    near = {
        name: np.hstack(
            [lacking.near[name][[table.runs.index(run) for run in runs]] for table, lacking in lacking_of_tables]
        )
        for name in tables[0].values
    }
    return Lacking(missing, of, near, [run for run in order if run in missing or run in runs])


def scores_of(table: Scores, measure: str, run: str) -> Floats:
    """float64[T]: what a run scores, which may be missing there."""
    if table.lacking is not None and run in table.lacking.missing:
        return table.lacking.missing[run][measure]
    return np.asarray(table.values[measure][table.runs.index(run)])


def in_each(groups: Groups, values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
    """float64[P, G]: the value in each collection, and its standard error, as they are of that collection alone."""
    of_groups = []
    for index in range(groups.number):
        topics = np.flatnonzero(groups.place == index)
        alone = Groups(np.arange(len(topics)), groups.keys[topics])
        of_groups.append(alone.estimates(values[:, topics], pairs, groups_are_a_sample=True))
    return np.column_stack([of_group.value for of_group in of_groups]), np.column_stack(
        [of_group.error for of_group in of_groups]
    )


def rows_of(table: Scores, measure: str, runs: Sequence[str]) -> Floats:
    """float64[runs, T]: what these runs score, in this order."""
    row_of = {run: row_of for row_of, run in enumerate(table.runs)}
    return np.asarray(table.values[measure][[row_of[run] for run in runs]])
