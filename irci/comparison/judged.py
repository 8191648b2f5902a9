"""The same runs scored by people on few topics, and by a judge on all: from runs and two qrels, or from score files."""

from collections.abc import Sequence

import numpy as np

from irci.base.errors import DataError
from irci.base.names import first_few, plural, text
from irci.base.records import Record
from irci.base.types import Bools, Floats, Ints, Pairs
from irci.data.inputs import Inputs, where
from irci.data.judges import experiments_by, on_topics_of, read_judges, scores_by
from irci.data.missing import SETTLED, settle
from irci.data.notices import warn_of_topics
from irci.data.score_tables import refuse_no_scores, score_files
from irci.data.scores import Lacking, Scores, renamed
from irci.estimators.compare.prediction_powered import FEWEST
from irci.estimators.compare.prediction_powered import BothScores as BothScores
from irci.estimators.joint_resamples import NOTHING, Comparison, common_topics, in_blocks
from irci.measures import MAP, Measure, named
from irci.wording import tell

DEEP = 10  # the judge's share of judged documents is looked at down to here, where a measure has no cutoff


class Judged(Record):
    """Runs by M topics: `human` bool[M] those that people judged; `people` and `judge` float64[runs, M] of each measure, nan
    where there is no score. `judged`: measures of how much the judge has judged, of which nothing is estimated. `lacking`:
    what runs lack, if anything may be, with what missing runs score by people."""

    runs: list[str]
    topics: list[str]
    human: Bools
    people: dict[str, Floats]
    judge: dict[str, Floats]
    judged: dict[str, Floats]
    lacking: Lacking | None = None

    @classmethod
    def of(cls, people: Scores, judge: Scores, human: Sequence[str], judged: Sequence[str], inputs: Inputs) -> "Judged":
        """Two tables of the same runs. `human`: the topics that people judged, scored or not; `judged`: see there."""
        place_of = {topic: index for index, topic in enumerate(judge.topics)}
        of_people = {}
        for name, values in people.values.items():
            of_people[name] = np.full((len(people.runs), len(judge.topics)), np.nan)
            of_people[name][:, [place_of[topic] for topic in people.topics]] = values
        asked = set(human)
        table = cls(
            people.runs, judge.topics, np.array([topic in asked for topic in judge.topics], np.bool_),
            {name: values for name, values in of_people.items() if name not in judged},
            {name: values for name, values in judge.values.items() if name not in judged},
            {name: judge.values[name] for name in judged},
        )  # fmt: skip
        return table._settled(inputs) if inputs.missing in SETTLED else table

    def _settled(self, inputs: Inputs) -> "Judged":
        """The same as --missing says: a run lacks a topic that the judge, or people, did not score it on."""
        both = [[*of.values()] for of in (self.people, self.judge)]
        absent = np.isnan(both[1]).any(axis=0) | (np.isnan(both[0]).any(axis=0) & self.human)
        scored = {name: np.where(absent & self.human, 0.0, values) for name, values in self.people.items()}
        table, notices = settle(Scores(self.runs, self.topics, scored), dict.fromkeys(scored, absent), inputs)
        tell(*notices)
        assert table.lacking is not None
        rows = np.array([run not in table.lacking.missing for run in self.runs])
        left = set(table.topics)
        kept = np.ix_(rows, np.array([topic in left for topic in self.topics], np.bool_))
        judge, judged = (
            {name: np.where(absent, 0.0, values)[kept] for name, values in of.items()}
            for of in (self.judge, self.judged)
        )
        human = self.human[kept[1].ravel()]
        return Judged(table.runs, table.topics, human, table.values, judge, judged, table.lacking)

    def without_lacking(self) -> "Judged":
        """The same without the topics that runs lack."""
        if self.lacking is None:
            return self
        near = self.lacking.near
        people, judge = (
            {name: np.where(near[name], np.nan, values) for name, values in of.items()}
            for of in (self.people, self.judge)
        )
        return self._replace(people=people, judge=judge)

    def effects(self, measure: str, comparison: Comparison, pairs: Pairs) -> list[tuple[Ints, BothScores]]:
        """The scores of each run, or the differences of each pair, and which [k] of the pairs they are of."""
        people, judge = comparison.table(self.people[measure]), comparison.table(self.judge[measure])
        scored = np.where(self.human, people + judge, judge)
        effects = []
        for mask, in_block in in_blocks(common_topics(scored, np.where(pairs == NOTHING, pairs[:, :1], pairs))):
            human, judge_alone = mask & self.human, mask & ~self.human
            y, f, u = (
                _less(values[:, topics], pairs[in_block])
                for values, topics in ((people, human), (judge, human), (judge, judge_alone))
            )
            effects.append((in_block, BothScores(y, f, u)))
        return effects


def _less(values: Floats, pairs: Pairs) -> Floats:
    """float64[P, T]: the first of each pair less the second, if there is one."""
    baseline: Floats = np.where(pairs[:, 1:] == NOTHING, 0.0, values[pairs[:, 1]])
    return np.asarray(values[pairs[:, 0]] - baseline)


def judged_runs(inputs: Inputs, measures: Sequence[Measure]) -> tuple[Judged, list[Measure]]:
    """The scores by people, whose qrels come first, and by the judge in `other_qrels`; and the measures.

    Raises DataError for fewer than 4 topics that people judged, before any run is read.
    """
    measures = list(measures) or [MAP]
    refuse_no_scores(measures)
    people, judge = read_judges(inputs)
    people = on_topics_of(people, judge)
    human = list(map(text, people.qrels.topics))
    refuse_too_few(len(human))
    judged = list(dict.fromkeys(f"Judged@{measure.cut or DEEP}" for measure in measures))
    levels = [inputs.relevance_level, inputs.level_of(judge.path)]
    scored = [*measures, *(named(name) for name in judged)]
    of_people, of_judge = scores_by(experiments_by(inputs, measures, [people, judge], levels), scored)
    return Judged.of(of_people, of_judge, human, judged, inputs), measures


def judged_scores(inputs: Inputs, measures: Sequence[Measure]) -> tuple[Judged, list[Measure]]:
    """The same from files of scores: people's, and the judge's in `other_qrels`."""
    refuse_no_scores(measures)
    everything = inputs._replace(topics=None)
    complete = inputs.missing not in SETTLED
    people = score_files(everything, measures, complete=complete)
    judge = score_files(everything._replace(files=inputs.other_qrels, other_qrels=()), measures, complete=complete)
    (path,) = inputs.other_qrels
    judge = _only_topics(judge, inputs.asked_for(judge.topics, path, "there"))
    in_judge = np.array([topic in set(judge.topics) for topic in people.topics], np.bool_)
    dropped = where(people.topics, ~in_judge)
    if inputs.topics is None:
        warn_of_topics(", ".join(inputs.files), f"that {path} does not have, dropped", dropped)
    people = _only_topics(people, in_judge)
    refuse_too_few(len(people.topics))
    people, judge = renamed(_same_runs(people, judge, path))
    names = [name for name in people.values if name in judge.values]
    if not names:
        raise DataError(f"{path}: no scores of {', '.join(people.values)}; there are {', '.join(judge.values)}")
    people, judge = (table._replace(values={name: table.values[name] for name in names}) for table in (people, judge))
    return Judged.of(people, judge, people.topics, (), inputs), [named(name) for name in names]


def refuse_too_few(topics: int) -> None:
    """Raise DataError if so few topics that people judged say nothing."""
    if topics < FEWEST:
        raise DataError(
            f"{plural(topics, 'topic')} judged by people and by the judge: no limits with fewer than {FEWEST}"
        )


def _only_topics(scores: Scores, keep: Bools) -> Scores:
    values = {name: values[:, keep] for name, values in scores.values.items()}
    return Scores(scores.runs, where(scores.topics, keep), values)


def _same_runs(people: Scores, judge: Scores, path: str) -> tuple[Scores, Scores]:
    """The runs that both have, in the order of people's; those dropped are counted."""
    runs = [run for run in people.runs if run in set(judge.runs)]
    if not runs:
        raise DataError(f"{path}: none of its runs is among {first_few(people.runs)}")
    dropped = [run for run in (*people.runs, *judge.runs) if run not in set(runs)]
    warn_of_topics(path, "not in both files, dropped", dropped, "run")
    return _of_runs(people, runs), _of_runs(judge, runs)


def _of_runs(scores: Scores, runs: list[str]) -> Scores:
    places = [scores.runs.index(run) for run in runs]
    return Scores(runs, scores.topics, {name: values[places] for name, values in scores.values.items()})
