"""Second sets of judgments, by which claims are tried: runs scored by them while they are read for the first set, by all that
is judged there or, where that is a part of the first set, by what both have. Passes of a judge over the same documents: would
other passes, and other topics, say the same of the runs?
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from irci.base import DataError, first_few, plural
from irci.base.choices import PASSES
from irci.base.types import Bools, Floats, Pairs, gathered, reaches
from irci.comparison.family import Family
from irci.comparison.sources import Source, Topics
from irci.data.collection import judge
from irci.data.experiment import Experiment, ExperimentRun, common, on_topics_of
from irci.data.inputs import where
from irci.data.scores import Scores
from irci.estimators.grouped import over_passes
from irci.estimators.means import Design, Tested, over_topics
from irci.measures import Measure, judgments_by_level, lists_by_level
from irci.output.tables import NO_WORD
from irci.stats.decisions import Survival, is_told, survival
from irci.stats.power import fewest_units
from irci.stats.scales import mean_over_topics
from irci.stats.tests import Estimates
from irci.wording import amount, notify, say

WHOLE = 0.99  # the share of the first judge's documents from which on the second is taken to have judged them all
CHANGED, NOT_SHOWN = "changed", "not shown to differ"
OF_TOPICS = Topics()


class JudgeSource(Source):
    """Another judge of the topics of an experiment, whose runs are to be added.

    `topics` bool[M]: those of the experiment that he judged too, T of them; `shares`: how much of each grade of the first
    judge's; `is_sample`: true if that is a part; `lacking`: by measure, the grade that no document of his reaches, so that all
    runs score 0.
    """

    def __init__(self, experiment: Experiment, measures: Sequence[Measure], path: str) -> None:
        """Raises DataError if he judged no topic or no document of the experiment's."""
        inputs = experiment.inputs
        level = inputs.levels.get(path, inputs.relevance_level)
        settings = inputs.replaced(topics=None, no_relevant="zero", relevance_level=level)
        self.in_claims, self.path, self.measures = inputs.name_of_judge(path), path, measures
        self.name = f"judge:{self.in_claims}"
        whole, second = experiment.qrels, inputs.read_qrels(path)
        self._nothing_in_common = DataError(f"{whole.path} and {path} have no topic in common")
        first = on_topics_of(whole, second, "of which it tells nothing")
        is_told = inputs.topics is None and inputs.no_relevant == "zero"
        second = on_topics_of(second, first, "left out" if is_told else "")
        judged = set(first.topics)
        self.topics = np.array([topic in judged for topic in whole.topics], np.bool_)
        by_first, by_second = common(first, second)
        self.documents, self.judged = int((first.grade >= 0).sum()), len(by_first.grade)
        self.shares = {
            grade: (by_first.grade == grade).sum() / (first.grade == grade).sum()
            for grade in np.unique(first.grade[first.grade >= 0]).tolist()
        }
        highest = second.highest_grade
        self.lacking = {measure.name: grade for measure in measures if (grade := measure.least_grade(level)) > highest}
        for grade, names in sorted(gathered((grade, name) for name, grade in self.lacking.items()).items()):
            why = f"nothing can be tested by {first_few(names)}"
            notify("lacking", measure=path, what=f"document of grade {grade}", who="", why=why)
        if len(self.lacking) < len(measures):
            # Says what is to be said of any judgments.
            Experiment(settings.replaced(level_elsewhere=True), measures, second, with_intervals=False)
        self.is_sample = self.judged < WHOLE * self.documents
        views = [(second, settings)]
        if self.is_sample:  # both judges in rankings of what both judged alone
            views = [(by_second, settings), (by_first, inputs)]
        self._views = [
            (qrels, judgments_by_level(qrels, view.relevance_level, view.max_grade), view) for qrels, view in views
        ]
        self._scores: list[Floats] = []  # [views, measures, topics] of each run
        self._found: dict[str, tuple[Floats, Sequence[str], Sequence[Survival]]] = {}

    def add(self, run: ExperimentRun) -> None:
        """Score a run; nan where a topic does not count for it."""
        by_view = list[list[Floats]]()
        for qrels, judgments, inputs in self._views:
            judged_only = self.is_sample or inputs.judged_only
            of = lists_by_level(judgments, judge(qrels, run.run, inputs.depth, inputs.threads, judged_only=judged_only))
            by_view.append([measure.scores(of(measure.level)) for measure in self.measures])
        self._scores.append(np.where(run.kept[self.topics], by_view, np.nan))

    def settle(self, is_made: Sequence[bool], is_left: Bools) -> None:
        """Leave the runs that are made, of those that were added, and the topics bool[T] that count; DataError for none."""
        own, self.topics = is_left[self.topics], self.topics[is_left]
        if not self.topics.any():
            raise self._nothing_in_common
        names, views = [measure.name for measure in self.measures], len(self._views)
        by_run = np.array([*compress(self._scores, is_made)]).reshape(-1, views, len(names), len(own))[..., own]
        # float64[runs, T] by measure: by all his judgments, or those that both made; then by the first judge's own of these.
        self.scores = [dict(zip(names, view, strict=True)) for view in np.ascontiguousarray(np.moveaxis(by_run, 0, 2))]

    def evidence(self, family: Family) -> Floats:
        return self.found(family)[0]

    def found(self, family: Family) -> tuple[Floats, Sequence[str], Sequence[Survival]]:
        """Findings on the family's pairs by all his judgments, or by those that both made; in a word, whether the difference
        by the first judge less his is other than 0; and, where he judged a part, the first judge's verdicts on the documents
        that both judged. Made once for all families that are adjusted as one."""
        if family.measure.name not in self._found:
            families = family.adjusted_jointly
            by_view = [self._by_judge(families, view) for view in range(len(self._views))]
            for member, of_judge, *by_first in zip(families, *by_view, strict=True):
                finding, control, first = _over_topics(of_judge), [], member.values[:, self.topics]
                if by_first:
                    control = survival(member.over_topics.of.value, _over_topics(by_first[0]), family.alpha)
                    finding, first = np.where(np.array(control) == "confirmed", finding, np.nan), by_first[0].values
                # A paired t test, no less than signs of so many topics can give, of what a difference changes by.
                changes = np.where(member.common[self.topics], first - of_judge.values, np.nan)
                p = over_topics(changes, member.pairs, of_judge.scored.keys, Design()).p
                asked = is_told(finding) & ~reaches(finding[2], family.alpha)
                words = np.where(asked, np.where(reaches(p, family.alpha), CHANGED, NOT_SHOWN), NO_WORD).tolist()
                has_grade = member.measure.base.name not in self.lacking
                self._found[member.measure.name] = np.where(has_grade, finding, np.nan), words, control
        return self._found[family.measure.name]

    def _by_judge(self, families: Sequence[Family], view: int) -> list[Family]:
        """The families on scores by a judge of the topics, adjusted as one as they are."""
        scored, as_one = families[0].scored, list[Family]()
        near = {base: near[:, self.topics] for base, near in scored.made.near.items()}
        topics = where(scored.topics, self.topics)
        table = scored.made._replace(topics=topics, values=self.scores[view], near=near)
        of_judge = scored.replaced(table=table, sources=[OF_TOPICS], ends={})
        request = families[0].request.replaced(adjusted_limits=False)
        as_one += [
            replace(of, scored=of_judge, request=request, adjusted_with=as_one if of.adjusted_with else [])
            for of in families
        ]
        return as_one

    def remark(self, family: Family, index: int) -> str:
        if (grade := self.lacking.get(family.measure.base.name)) is not None:
            return f"no document has grade {grade} in {os.path.basename(self.path)}"
        (finding, change, _), number = self.found(family), int(self.topics.sum())
        if number < fewest_units(family.alpha):
            return f"only {plural(number, 'topic')}"
        if change[index] != NO_WORD:
            return f"{amount(abs(float(finding[0, index])))}, {change[index]}"
        return ""

    def claim_columns(self, family: Family, index: int) -> Mapping[str, Any]:
        _, change, control = self.found(family)
        columns = {f"change:{self.in_claims}": change[index]}
        return columns | ({f"control:{self.in_claims}": control[index]} if self.is_sample else {})

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        _, change, control = self.found(family)
        facts, changes = (
            {"measure": family.measure.name, "source": self.in_claims},
            Counter(change[at] for at in places),
        )
        if lost := changes[CHANGED] + changes[NOT_SHOWN]:
            yield say("survival.changed", count=changes[CHANGED] or "none", all=lost, **facts)
        if self.is_sample:
            sustained = sum(control[index] == "confirmed" for index in places)
            yield say("survival.control", count=sustained or "none", claims=len(places), **facts)

    def notes(self) -> Iterator[str]:
        if self.is_sample:
            by_grade = [f"{100 * share:.0f}% of grade {grade}" for grade, share in self.shares.items()]
            facts = {"judged": self.judged, "documents": self.documents, "by_grade": ", ".join(by_grade)}
            yield say("survival.shares", source=self.in_claims, **facts)
            yield say("survival.circular")


def _over_topics(family: Family) -> Floats:
    """Differences over topics; nothing told of too few."""
    return OF_TOPICS.evidence(family) if family.common.any() else np.full((3, len(family.pairs)), np.nan)


class PassSource(Source):
    """The passes of a judge: these and topics vary. Nothing is surer than over topics alone, by the passes' mean scores."""

    name = PASSES
    has_draws = tells_verdicts = False

    def __init__(self, passes: Sequence[JudgeSource], judge: str) -> None:
        """`judge`: his name, "" if he is the only one. Raises DataError unless passes judged the same part of QRELS."""
        self.passes, self.topics = passes, np.all([one.topics for one in passes], axis=0)
        if len({one.is_sample for one in passes}) > 1 or not self.topics.any():
            parts = ", ".join(f"{one.path} {one.judged} of {one.documents} documents" for one in passes)
            raise DataError(f"passes are over the same documents, but of those that QRELS judges {parts}")
        if judge:
            self.labels = {"judge": judge}
            self.column, self.in_claims = f"{PASSES}:{judge}", f"{self.in_claims} of {judge}"

    def _scores(self, family: Family) -> Floats:
        """Scores float64[passes, rows, T] of the family's rows, on the scale on which the measure is averaged."""
        by_pass = [one.scores[0][family.measure.base.name][:, self.topics[one.topics]] for one in self.passes]
        scaled = family.measure.scale().forward(np.array([family.comparison.table(scores) for scores in by_pass]))
        return np.where(np.isnan(family.values[:, self.topics]), np.nan, scaled)

    def _by_mean(self, family: Family) -> Family:
        """The same contrasts of the means over passes."""
        values = {family.measure.base.name: family.measure.scale().back(mean_over_topics(self._scores(family)))}
        table = Scores(family.names, where(family.scored.topics, self.topics), values)
        scored = family.scored.replaced(table=table)
        return replace(family, scored=scored, comparison=family.comparison._replace(pooled=None), adjusted_with=[])

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        return over_passes(self._scores(family), pairs, share)

    def tested(self, family: Family) -> Tested:
        """Limits no narrower, and p no less, than over the topics of these passes; the limits of these where passes and topics
        do not vary."""
        over_these = self._by_mean(family).over_topics
        by_t = replace(family, design=family.design._replace(test="t"))  # passes have no signs
        tested = super().tested(by_t).no_surer_than(over_these, np.ones(len(family.pairs), np.bool_))
        limits = np.where(tested.of.error == 0, over_these.limits, tested.limits)
        return tested._replace(limits=limits, interval=over_these.interval)

    def means_of(self, values: Floats) -> Floats:
        return np.full(len(values), np.nan)  # scores are by QRELS

    def run_means(self, family: Family) -> Floats:
        return OF_TOPICS.run_means(self._by_mean(family))

    def baseline_means(self, family: Family) -> Floats:
        return OF_TOPICS.baseline_means(self._by_mean(family))
