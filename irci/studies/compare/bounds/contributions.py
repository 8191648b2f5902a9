"""Unique contributions: how each run would score, and where it would rank, had its group come after the judging."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import first_few, plural
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints
from irci.data.about_runs import read_teams
from irci.data.collection import JudgedRun
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.measures import JudgmentsByLevel, Measure
from irci.data.notices import warn_of_topics
from irci.data.scale_ends import lie_within
from irci.methods.compare.differences import over_topics
from irci.methods.unjudged.contributions import in_pools, only_in_own, places
from irci.output.tables import Row, Table, tables
from irci.stats.bounded import FEW_DIFFERING, few_differ
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.studies.compare.request import Request
from irci.studies.wording import MOST, amount

SAMPLED = "infAP"


class Changes(Record):
    """Changes of one measure: scores float64[R, T] by all judgments, and without those that only a run's group contributed;
    limits of the mean difference of each run, and its places among all runs when all are scored so."""

    measure: Measure
    scores: Floats
    without: Floats
    limits: Interval
    rank: Ints
    rank_without: Ints


class Contributions:
    """The contributions of the groups of runs, which are to be added."""

    def __init__(self, request: Request, experiment: Experiment, measures: Sequence[Measure]) -> None:
        """Raises FormatError for what is no file of groups."""
        assert request.without_contributions is not None
        self._request, self._experiment = request, experiment
        self._group_of: Mapping[str, str] = read_teams(request.without_contributions)
        scored = [each for each in measures if each.scores_topics and each.more_is_better]
        # What is taken away here was never pooled, and infAP counts what was and is not judged.
        self._measures = [each for each in scored if each.family.name != SAMPLED]
        for why, left_out in (
            ("no mean of scores, of which more is better", [each.name for each in measures if each not in scored]),
            ("what is pooled counts, judged or not", [each.name for each in scored if each not in self._measures]),
        ):
            if left_out:
                logger.warning(f"{', '.join(left_out)}: {why}: no contributions")
        self.names: list[str] = []
        self._judged: list[JudgedRun] = []
        self._kept: list[Bools] = []

    def add(self, run: ExperimentRun) -> None:
        """Keep what of a run is judged."""
        self.names.append(run.name)
        self._judged.append(run.judged.without_lines())
        self._kept.append(run.kept)

    @cached_property
    def groups(self) -> list[str]:
        """The group of each run: itself, if the file has none for it. Raises DataError if there are none, or but one."""
        path = self._request.without_contributions
        own = [name for name in self.names if name not in self._group_of]
        if len(own) == len(self.names):
            raise DataError(f"{path}: none of its runs is among {first_few(self.names)}")
        warn_of_topics(str(path), "without a group, each taken for one", own, "run")
        found = [self._group_of.get(name, name) for name in self.names]
        if len(set(found)) < 2:
            raise DataError(f"{path}: all runs are of one group, {found[0]}: nothing is left without it")
        return found

    @cached_property
    def only(self) -> Bools:
        """bool[R, J]: the judgments that only a run's group contributed."""
        names = sorted(set(self.groups))
        group = np.array([names.index(each) for each in self.groups], np.int64)
        grades = self._experiment.qrels.grade
        retrieved = [(each.ranks, each.rows) for each in self._judged]
        found = only_in_own(in_pools(retrieved, group, len(grades), self._request.pool_depth))
        return np.asarray((found & (grades >= 0))[group])

    @cached_property
    def changes(self) -> list[Changes]:
        """Changes of each measure."""
        inputs, qrels = self._experiment.inputs, self._experiment.qrels
        every = self._scores(self._experiment.judgments)
        without = np.empty_like(every)
        rank_without = np.empty(every.shape[:2], np.int64)
        of_group: dict[str, Floats] = {}
        for run, group in enumerate(self.groups):
            if group not in of_group:
                grades = np.where(self.only[run], -1, qrels.grade)
                judgments = JudgmentsByLevel(qrels._replace(grade=grades), inputs.relevance_level, inputs.max_grade)
                of_group[group] = self._scores(judgments) if self.only[run].any() else every
            scores = of_group[group]
            without[:, run] = scores[:, run]
            rank_without[:, run] = [places(_means(each))[run] for each in scores]
        return [
            Changes(
                measure, scores, new, self._limits(measure, scores, new), places(_means(scores)), rank_without[place]
            )
            for place, (measure, scores, new) in enumerate(zip(self._measures, every, without, strict=True))
        ]

    def _scores(self, judgments: JudgmentsByLevel) -> Floats:
        """float64[measures, R, T] by these judgments; nan where a topic does not count for a run."""
        lists = [judgments.of_run(judged) for judged in self._judged]
        kept = np.array(self._kept)
        return np.array([
            np.where(kept, [measure.scores(of(measure.level)) for of in lists], np.nan) for measure in self._measures
        ]).reshape(len(self._measures), *kept.shape)  # fmt: skip

    def _limits(self, measure: Measure, scores: Floats, without: Floats) -> Interval:
        """Limits over topics of each run's mean change."""
        runs, values = np.arange(len(scores)), np.vstack((scores, without))
        pairs, known = np.column_stack((runs + len(scores), runs)), values[~np.isnan(values)]
        ends = measure.ends if measure.ends is not None and lie_within(known, measure.ends) else None
        change = np.nan_to_num(without - scores)
        some = few_differ(change) & (change != 0).any(axis=1)
        if some.any():
            logger.warning(
                f"{measure.name}: the scores of {some.sum()} of {plural(len(scores), 'run')} change on fewer than"
                f" {FEW_DIFFERING} topics: limits of the change assume that no rare large one was missed"
            )
        return over_topics(values, pairs, self._experiment.keys, self._request.design("none"), ends=ends).limits

    def tables(self) -> list[Table]:
        """A table a measure, a row a run."""
        return [table for of in self.changes for table in tables("contribution", of.measure.name, self._rows(of))]

    def _rows(self, of: Changes) -> Iterator[Row]:
        value, without = _means(of.scores), _means(of.without)
        relevant = self._experiment.qrels.grade >= self._experiment.inputs.relevance_level
        for run, name in enumerate(self.names):
            yield {
                "run": name, "group": self.groups[run], "documents": int(self.only[run].sum()),
                "relevant": int((self.only[run] & relevant).sum()), "value": float(value[run]),
                "without": float(without[run]), "change": float(without[run] - value[run]),
                "lower": float(of.limits[0][run]), "upper": float(of.limits[1][run]),
                "rank": int(of.rank[run]), "rank_without": int(of.rank_without[run]),
            }  # fmt: skip

    def sentences(self) -> Iterator[str]:
        """Sentences on how much runs lose, and which loses most."""
        for of in self.changes:
            yield from self._of_each(of) if len(self.names) <= MOST else self._of_many(of)
        falls = any((_means(of.without) < _means(of.scores)).any() for of in self.changes)
        yield (
            f"A new run of this kind may score {'too low' if falls else 'otherwise'} by as much. Contributions are among these"
            f" runs alone, down to rank {self._request.pool_depth}: judged documents that other runs contributed too count as"
            " only theirs."
        )

    def _of_each(self, of: Changes) -> Iterator[str]:
        value, without = _means(of.scores), _means(of.without)
        for run, name in enumerate(self.names):
            places = f"take place {of.rank_without[run]} instead of {of.rank[run]}"
            if of.rank_without[run] == of.rank[run]:
                places = f"keep place {of.rank[run]}"
            yield (
                f"Without the {plural(int(self.only[run].sum()), 'judgment')} that only its group contributed, {name} would"
                f" score {amount(without[run])} in {of.measure.name}, not {amount(value[run])}, and {places}."
            )

    def _of_many(self, of: Changes) -> Iterator[str]:
        name, change, lost = of.measure.name, _means(of.without) - _means(of.scores), of.rank_without - of.rank
        most, losers = int(np.argmin(change)), int((lost > 0).sum())
        yield (
            f"Without the judgments that only its group contributed, a run's {name} changes by"
            f" {amount(float(np.median(change)))} (median), that of {self.names[most]} by {amount(float(change[most]))}."
        )
        if losers:
            yield f"{losers} of {len(lost)} runs would lose places in {name}, at most {int(lost.max())}."
        else:
            yield f"None of {len(lost)} runs would lose a place in {name}."


def _means(scores: Floats) -> Floats:
    """Means[R] of scores[R, T] over the topics that each has."""
    return np.array([mean_over_topics(row[~np.isnan(row)]) for row in scores])
