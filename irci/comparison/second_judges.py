"""Second sets of judgments, by which claims are tried: runs scored by them while they are read for the first set, by all that
is judged there or, where that is a part of the first set, by what both have."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import first_few, plural
from irci.base.records import Record
from irci.base.types import Bools, Floats, Pairs
from irci.comparison.family import Family, Scored, Witness
from irci.comparison.sources.topics import Topics
from irci.comparison.wording import amount
from irci.data.collection import Collection, judge
from irci.data.experiment import Experiment, ExperimentRun, Judge, Share, common, lacking, on_topics_of_both, shares
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.rankings import Qrels
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.measures import JudgmentsByLevel, Measure
from irci.output.tables import NO_WORD
from irci.stats.decisions import Survival, Told, separated, survival
from irci.stats.power import fewest_units
from irci.stats.tests import no_less_than_signs, paired_t
from irci.wording import notify, say

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
        self.lacking = {measure.name: grade for measure in measures if (grade := measure.least_grade(level)) > highest}
        for grade in sorted(set(self.lacking.values())):
            names = [name for name, lacks in self.lacking.items() if lacks == grade]
            why = f"nothing can be tested by {first_few(names)}"
            notify("lacking", measure=path, what=f"document of grade {grade}", who="", why=why)
        if len(self.lacking) < len(measures):
            of_second = settings._replace(level_elsewhere=True)
            Experiment(
                of_second, measures, second, with_intervals=False
            )  # which says what is to be said of any judgments
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
        return Share(None, sum(share.documents for share in self.shares), sum(share.judged for share in self.shares))

    def add(self, run: ExperimentRun) -> None:
        """Score a run."""
        for view in self._views:
            view.add(run, self.topics)

    def scores(self, measure: Measure) -> Floats:
        """Scores float64[runs, T] by what he judged; of a sample in rankings of what both judged alone."""
        return np.asarray(self._views[0].scores(measure))

    def of_first(self, measure: Measure) -> Floats:
        """Scores float64[runs, T] by the first judge in these very rankings."""
        return np.asarray(self._views[1].scores(measure))


def second_judges(experiment: Experiment, measures: Sequence[Measure]) -> list[SecondJudge]:
    """The judges of --other-qrels, of an experiment whose runs are to be added to each."""
    judges = [SecondJudge(experiment, measures, path) for path in experiment.inputs.other_qrels]
    if len({judge.name for judge in judges}) < len(judges):
        raise UsageError("--other-qrels: two files of one name: rename one.")
    return judges


def _on_topics_of_both(experiment: Experiment, second: Judge) -> tuple[Judge, Judge]:
    """Both judges on the topics of both; which others are left out is said."""
    inputs, first = experiment.inputs, Judge(experiment.qrels_path, experiment.qrels, experiment.qrels)
    only_first, only_second = lacking(first.qrels, second.qrels), lacking(second.qrels, first.qrels)
    warn_of_topics(first.path, f"that {second.path} does not judge, of which it tells nothing", only_first)
    if inputs.topics is None and inputs.no_relevant == "zero":
        warn_of_topics(second.path, f"that {first.path} does not judge, left out", only_second)
    return on_topics_of_both(first, second)


CHANGED, NOT_SHOWN = "changed", "not shown to differ"


class PairsByJudge(Record):
    """Findings of a judge on P pairs: `told` by all his judgments, or by those that both made; `change`, in a word, whether
    the difference by the first judge less his is other than 0. `control`, where he judged a part: the first judge's verdicts
    on the documents that both judged."""

    told: Told
    change: Sequence[str]
    control: Sequence[Survival] = ()


class AnotherJudge(Witness):
    """A judge of the same topics."""

    def __init__(self, judge: SecondJudge, scored: Scored) -> None:
        self.judge, self.scored = judge, scored
        self.name = f"judge:{judge.name}"
        self._found: dict[str, PairsByJudge] = {}

    @property
    def in_claims(self) -> str:
        return self.judge.name

    def evidence(self, family: Family) -> Told:
        return self.found(family).told

    def found(self, family: Family) -> PairsByJudge:
        """Findings on the family's pairs, made once for all families that are adjusted as one."""
        if family.measure.name not in self._found:
            families = family.adjusted_as_one
            by_judge = self._of_part(families) if self.judge.is_sample else self._of_all(families)
            self._found |= {
                family_of_measure.measure.name: of._replace(told=_nothing(family_of_measure))
                if self._lacks(family_of_measure)
                else of
                for family_of_measure, of in zip(families, by_judge, strict=True)
            }
        return self._found[family.measure.name]

    def _of_all(self, families: Sequence[Family]) -> Iterator[PairsByJudge]:
        findings = self._by_largest(families, self.judge.scores)
        for family, of in zip(families, findings, strict=True):
            yield PairsByJudge(of, self._change(family, of, family.values[:, self.judge.topics]))

    def _of_part(self, families: Sequence[Family]) -> Iterator[PairsByJudge]:
        by_each = [self._by_largest(families, scores) for scores in (self.judge.of_first, self.judge.scores)]
        for family, by_first, by_second in zip(families, *by_each, strict=True):
            control = survival(family.over(self.scored.claimed_over).tested.of.value, by_first, family.request.alpha)
            finding = by_second.where(np.array(control) == "confirmed")
            yield PairsByJudge(
                finding, self._change(family, finding, self._scaled(family, self.judge.of_first)), control
            )

    def _by_largest(self, families: Sequence[Family], scores: Callable[[Measure], Floats]) -> list[Told]:
        """Differences of scores[runs, T] by a judge, by max-T, of each family."""
        keys, lacking = self.scored.keys[self.judge.topics], self.scored.lacking
        scored = self.scored._replace(
            topics=where(self.scored.topics, self.judge.topics), keys=keys, sources=[Topics(keys)], ends={},
            values={family.measure.base.name: scores(family.measure.base) for family in families},
            lacking=lacking and lacking._replace(
                near={name: near[:, self.judge.topics] for name, near in lacking.near.items()}
            ),
        )  # fmt: skip
        measures: list[Family] = []
        for family in families:
            request = family.request._replace(adjusted_limits=False, best=False)
            of_judge = Family(
                request, family.design, scored, family.measure, family.comparison, family.threads, family.progress,
                measures if family.measures else [],
            )  # fmt: skip
            measures.append(of_judge)
        return [_of_topics(family) for family in measures]

    def _change(self, family: Family, finding: Told, first: Floats) -> list[str]:
        """Words on pairs that he tells of and does not find to differ: a significant change from the differences of
        first[rows, T] or not, by a paired t test."""
        alpha = family.request.alpha
        asked = finding.is_told & ~separated(np.nan_to_num(finding.p_adjusted, nan=1.0), alpha)
        p = changes_p(first, self._scaled(family, self.judge.scores), family.pairs)
        words: list[str] = np.where(
            asked, np.where(separated(np.nan_to_num(p, nan=1.0), alpha), CHANGED, NOT_SHOWN), NO_WORD
        ).tolist()
        return words

    def _scaled(self, family: Family, scores: Callable[[Measure], Floats]) -> Floats:
        """Scores[rows, T] of the family's rows and topics, on the scale on which the measure is averaged."""
        scaled = family.request.scale(family.measure).forward(family.comparison.table(scores(family.measure.base)))
        return np.where(family.common[self.judge.topics], scaled, np.nan)

    def _lacks(self, family: Family) -> int | None:
        """The grade that no document of his has, so that by this measure all runs score 0."""
        return self.judge.lacking.get(family.measure.base.name)

    def remark(self, family: Family, index: int) -> str:
        if (grade := self._lacks(family)) is not None:
            return f"no document has grade {grade} in {os.path.basename(self.judge.path)}"
        by_judge, number = self.found(family), int(self.judge.topics.sum())
        if number < fewest_units(family.request.alpha):
            return f"only {plural(number, 'topic')}"
        if by_judge.change[index] != NO_WORD:
            return f"{amount(abs(float(by_judge.told.value[index])))}, {by_judge.change[index]}"
        return ""

    def claim_columns(self, family: Family, index: int) -> Mapping[str, Any]:
        by_judge, name = self.found(family), self.judge.name
        columns = {f"change:{name}": by_judge.change[index]}
        return columns | ({f"control:{name}": by_judge.control[index]} if self.judge.is_sample else {})

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        pairs, facts = self.found(family), {"measure": family.measure.name, "source": self.in_claims}
        changes = Counter(pairs.change[index] for index in places)
        if lost := changes[CHANGED] + changes[NOT_SHOWN]:
            yield say("survival.changed", count=changes[CHANGED] or "none", all=lost, **facts)
        if self.judge.is_sample:
            sustained = sum(pairs.control[index] == "confirmed" for index in places)
            yield say("survival.control", count=sustained or "none", claims=len(places), **facts)

    def notes(self) -> Iterator[str]:
        judge, of_all = self.judge, self.judge.all_shares
        if judge.is_sample:
            by_grade = ", ".join(
                f"{100 * share.judged / share.documents:.0f}% of grade {share.grade}" for share in judge.shares
            )
            facts = {"judged": of_all.judged, "documents": of_all.documents, "by_grade": by_grade}
            yield say("survival.shares", source=judge.name, **facts)
            yield say("survival.circular")


def changes_p(first: Floats, second: Floats, pairs: Pairs) -> Floats:
    """float64[P]: p of paired t tests of differences of pairs[P, 2] of first[rows, T] against those of second[rows, T], no
    less than signs of so many topics can give; nan without a topic that both of a pair have."""
    p, units = np.full(len(pairs), np.nan), np.zeros(len(pairs), np.int64)
    for mask, in_block in in_blocks(common_topics(second, pairs)):
        if mask.any():
            differences = on_topics(first, pairs[in_block], mask) - on_topics(second, pairs[in_block], mask)
            p[in_block] = paired_t(differences, 0.95).p
            units[in_block] = mask.sum()
    return no_less_than_signs(p, units)[0]


def _nothing(family: Family) -> Told:
    nothing = np.full(len(family.pairs), np.nan)
    return Told(nothing, nothing, nothing)


def _of_topics(family: Family) -> Told:
    """Differences over a family's only source, topics."""
    if not family.common.any():
        return _nothing(family)
    adjusted = family.over(family.scored.sources[0])
    of = adjusted.tested.of
    return Told(of.value, adjusted.tested.p, adjusted.p_adjusted).where(of.units >= fewest_units(family.request.alpha))
