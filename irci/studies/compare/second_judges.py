"""Runs as other judges score them, found while they are read for the first one: by all that a judge judged; or, where he
judged a part of it, by what both judged alone."""

from collections.abc import Sequence

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.names import first_few
from irci.base.types import Bools, Floats
from irci.data.collection import Collection, judge
from irci.data.experiment import Experiment, ExperimentRun, Judge
from irci.data.inputs import Inputs
from irci.data.judges import Share, common, lacking, on_topics_of_both, shares
from irci.data.measures import JudgmentsByLevel, Measure
from irci.data.notices import warn_of_topics
from irci.data.rankings import Qrels

WHOLE = 0.99  # the share of the first judge's documents from which on the second is taken to have judged them all


class Views:
    """Scores of runs, as they come, by a judge's grades."""

    def __init__(self, grades: Qrels, inputs: Inputs, measures: Sequence[Measure]) -> None:
        """The settings are those of the inputs."""
        self._inputs, self._measures = inputs, measures
        self._collection = Collection.of(grades)
        self._judgments = JudgmentsByLevel(grades, inputs.relevance_level, inputs.max_grade)
        self._rows: dict[str, list[Floats]] = {measure.name: [] for measure in measures}

    def add(self, run: ExperimentRun, topics: Bools) -> None:
        """Score a run on these T of its topics; nan where one does not count for it."""
        inputs = self._inputs
        judged = judge(self._collection, run.run, inputs.depth, inputs.threads, judged_only=inputs.judged_only)
        of = self._judgments.of_run(judged)
        for measure in self._measures:
            scores = measure.scores(of(measure.level))
            self._rows[measure.name].append(np.where(run.kept[topics], scores, np.nan))

    def scores(self, measure: Measure) -> Floats:
        """Scores float64[runs, T]."""
        return np.array(self._rows[measure.name])


class SecondJudge:
    """Another judge of the topics of an experiment, whose runs are to be added.

    `topics` bool[M]: those of the experiment that he judged too, T of them; `shares`: how much of each grade; `is_sample`:
    true if that is a part; `lacking`: by measure, the grade that no document of his reaches, so that all runs score 0.
    """

    def __init__(self, experiment: Experiment, measures: Sequence[Measure], path: str) -> None:
        """Raises DataError if he judged no topic or no document of the experiment's."""
        inputs = experiment.inputs
        level = inputs.level_of(path)
        settings = inputs._replace(topics=None, no_relevant="zero", relevance_level=level)
        self.name, self.path = inputs.name_of_judge(path), path
        first, second = _on_topics_of_both(experiment, Judge.read(inputs, path))
        judged = set(first.qrels.topics)
        self.topics = np.array([topic in judged for topic in experiment.qrels.topics], np.bool_)
        self.shares = shares(first.qrels, second.qrels)
        if not self.all_shares.judged:
            raise DataError(
                f"{first.path} and {path} have judged no document in common; are docnos spelled differently?"
            )
        highest = second.qrels.highest_grade
        self.lacking = {each.name: grade for each in measures if (grade := each.least_grade(level)) > highest}
        for grade in sorted(set(self.lacking.values())):
            names = [name for name, lacks in self.lacking.items() if lacks == grade]
            logger.warning(f"{path}: no document has grade {grade}: nothing can be tested by {first_few(names)}")
        if len(self.lacking) < len(measures):
            others = settings._replace(level_elsewhere=True)
            Experiment(others, measures, second, with_intervals=False)  # which says what is to be said of any judgments
        self.is_sample = self.all_shares.judged < WHOLE * self.all_shares.documents
        if not self.is_sample:
            self._views = [Views(second.qrels, settings, measures)]
            return
        by_first, by_second = common(first, second)
        self._views = [
            Views(by_second.qrels, settings._replace(judged_only=True), measures),
            Views(by_first.qrels, inputs._replace(judged_only=True), measures),
        ]

    @property
    def all_shares(self) -> Share:
        """The documents of all grades together."""
        return Share(None, sum(each.documents for each in self.shares), sum(each.judged for each in self.shares))

    def add(self, run: ExperimentRun) -> None:
        """Score a run."""
        for each in self._views:
            each.add(run, self.topics)

    def scores(self, measure: Measure) -> Floats:
        """Scores float64[runs, T] by what he judged; of a sample in rankings of what both judged alone."""
        return np.asarray(self._views[0].scores(measure))

    def of_first(self, measure: Measure) -> Floats:
        """Scores float64[runs, T] by the first judge in these very rankings."""
        return np.asarray(self._views[1].scores(measure))


def second_judges(experiment: Experiment, measures: Sequence[Measure]) -> list[SecondJudge]:
    """The judges of --other-qrels, of an experiment whose runs are to be added to each."""
    found = [SecondJudge(experiment, measures, path) for path in experiment.inputs.other_qrels]
    if len({each.name for each in found}) < len(found):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return found


def _on_topics_of_both(experiment: Experiment, second: Judge) -> tuple[Judge, Judge]:
    """Both judges on the topics of both; which others are left out is said."""
    inputs, first = experiment.inputs, Judge(experiment.qrels_path, experiment.qrels, experiment.qrels)
    only_first, only_second = lacking(first.qrels, second.qrels), lacking(second.qrels, first.qrels)
    warn_of_topics(first.path, f"that {second.path} does not judge, of which it tells nothing", only_first)
    if inputs.topics is None and inputs.no_relevant == "zero":
        warn_of_topics(second.path, f"that {first.path} does not judge, left out", only_second)
    return on_topics_of_both(first, second)
