"""Judgments of unjudged documents: between which bounds do scores and differences lie, whatever grades these have? Second sets
of judgments, by which claims are tried: runs scored by them while they are read for the first set, by all that is judged
there or, where that is a part of the first set, by what both have.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irci.base import DataError, UsageError, first_few, logger, plural
from irci.base.choices import JUDGMENTS
from irci.base.types import Floats
from irci.comparison.family import Family
from irci.comparison.sources import Source, Topics
from irci.data.collection import RetrievedDocuments, judge
from irci.data.experiment import Experiment, ExperimentRun, common, lacking
from irci.data.inputs import where
from irci.estimators.differences import over_topics
from irci.estimators.means import Design, Tested
from irci.estimators.unjudged import (
    BOUNDED,
    RBP,
    Side,
    bounds,
    bounds_kind,
    difference_bounds,
    is_sure,
    side,
    unjudged_documents,
)
from irci.measures import Measure, judgments_by_level, lists_by_level
from irci.options.asked import Asked
from irci.output.tables import NO_WORD, Row, number
from irci.stats.decisions import Survival, Told, separated, survival
from irci.stats.estimates import Estimates
from irci.stats.power import fewest_units
from irci.stats.scales import mean_over_topics
from irci.wording import amount, notify, say, warn_of_topics


def which_documents(measures: Sequence[Measure]) -> str:
    """Those that may have any grade, in words."""
    has_cut = any(measure.cut for measure in measures)
    return "unjudged documents that are retrieved" + (", down to a measure's cutoff," if has_cut else "")


DETERMINED, UNDETERMINED = "determined", "undetermined"  # the sign of a difference


class JudgmentSource(Source):
    """Bounds, which have no error, p or units: worst cases, no confidence limits.

    highest: the highest grade of the scale
    bounds, sides: by measure, of each run, in the order in which they are read: as `unjudged` has them; sides of pairs if
        there are any
    """

    name = JUDGMENTS
    tells_df = has_p = tells_verdicts = has_test_column = units_alone = brings_others = False
    has_topic_limits = True

    def __init__(self, request: Asked, experiment: Experiment, measures: list[Measure]) -> None:
        """`experiment`: whose runs are to be added. Raises an error for what has no bounds, or no meaning, and where the scale
        ends below a grade in the file, or below what is relevant."""
        if counts := [measure.name for measure in measures if measure.is_count]:
            raise UsageError(f"{', '.join(counts)}: a count has no bounds: choose other measures.")
        self.request, self.measures, self.experiment = request, measures, experiment
        qrels, bounded = experiment.qrels, [measure for measure in measures if measure.base.family.name in BOUNDED]
        levels = [measure.least_grade(experiment.inputs.relevance_level) for measure in bounded]
        if min(levels, default=1) < 1:
            raise UsageError(
                "at level 0 whatever is judged is relevant: bounds of unjudged documents need -l 1 or more."
            )
        self.highest, option = experiment.judgments(None).most, "--max-grade"
        if qrels.highest_grade > self.highest:
            raise DataError(f"{experiment.qrels.path}: grade {qrels.highest_grade}, but {option} is {self.highest}")
        if max(levels, default=0) > self.highest:
            raise UsageError(
                f"relevant from grade {max(levels)} on, but the highest grade is {self.highest}: no document could be"
                f" relevant ({option} says where the scale ends)."
            )
        grades = f"any grade from 0 to {self.highest} ({option})"
        logger.info(f"bounds: {which_documents(measures)} may have {grades}; all others count as not relevant")
        self.bounds: dict[str, list[Floats]] = {measure.name: [] for measure in measures}
        self.sides: dict[str, list[Side]] = {measure.name: [] for measure in measures}
        self._may_score = np.zeros(len(experiment.topics), np.bool_)  # though they have no score
        self._numbered = RetrievedDocuments(qrels, np.zeros(len(qrels.grade), np.bool_), to_the_end=True)

    def add(self, run: ExperimentRun) -> None:
        """Find one run's bounds, and its side of pairs if there are any."""
        has_pairs = self.request.has_pairs or self.request.ranks
        ranked = self._numbered.add(run.run, run.judged) if has_pairs else None
        documents = unjudged_documents(run.judged, self.experiment.qrels, ranked)
        for measure in self.measures:
            lists = run.lists(measure.level)
            of_run = side(measure, lists, measure.base.scores(lists), *documents)
            value, _, upper, _ = of_measure = bounds(of_run)
            self.bounds[measure.name].append(of_measure)
            self._may_score |= run.kept & (value == 0) & (upper > 0)
            self.sides[measure.name] += [of_run] if has_pairs else []

    def warn(self) -> None:
        """Say which topics without relevant documents may score, and what has no bounds."""
        experiment = self.experiment
        happens = "without relevant documents, which may score if unjudged ones are relevant"
        topics = where(experiment.topics, self._may_score & (experiment.judgments(None).relevant == 0))
        warn_of_topics(experiment.qrels.path, happens, topics)
        if without := [measure.name for measure in self.measures if measure.base.family.name not in BOUNDED]:
            why = "none are known for such a measure"
            notify("lacking", measure=", ".join(without), what="bounds over judgments", who="", why=why)

    def tested(self, family: Family) -> Tested:
        """Means of bounds on the topics that count: as topics are independent, they are bounds of the means."""
        has_score, forward = ~np.isnan(family.raw), family.measure.scale().forward
        if not family.is_of_pairs:
            of_runs = zip(self.bounds[family.measure.name], has_score, strict=True)
            of_rows = ((forward(of_run[:3]), topics) for of_run, topics in of_runs)
        elif pooled := family.comparison.pooled:
            raise UsageError(f"--baseline {pooled}: unjudged documents are those of runs: name a run.")
        else:
            pairs = family.progress(family.pairs.tolist(), "pair")
            of_rows = ((self._of_pair(family, pair), has_score[pair].all(axis=0)) for pair in pairs)
        means = np.array([mean_over_topics(of_row[:, topics].T) for of_row, topics in of_rows]).reshape(-1, 3)
        nothing = np.full(len(means), np.nan)
        of = Estimates(means[:, 0], nothing, nothing, np.zeros(len(means), np.int64))
        return Tested(of, means[:, 1:].T, nothing, np.full(len(means), "", object))

    def finished(self, family: Family, result: Tested) -> Tested:
        rows = [result.of.value, *result.limits]
        if not family.is_of_pairs:
            of_runs = zip(self.bounds[family.measure.name], ~np.isnan(family.raw), strict=True)
            rows.append(np.array([of_run[3, has_score].mean() for of_run, has_score in of_runs]))
        return result.with_columns(self._columns(family.measure, np.array(rows)))

    def topic_columns(self, family: Family, index: int) -> Mapping[str, np.ndarray]:
        bounds_of_runs, pair = self.bounds[family.measure.name], family.pairs[index]
        of_topics = self._of_pair(family, pair) if family.is_of_pairs else bounds_of_runs[index]
        return {"lower": of_topics[1], "upper": of_topics[2], **self._columns(family.measure, of_topics)}

    def _of_pair(self, family: Family, pair: Sequence[int]) -> Floats:
        """The difference of two runs on each topic, and its bounds: float64[3, T]."""
        run, baseline = (self.sides[family.measure.name][index] for index in pair)
        return difference_bounds(run, baseline, family.measure.scale())

    def _columns(self, measure: Measure, rows: Floats) -> dict[str, np.ndarray]:
        """The kind of bounds; of runs' values, bounds and shares judged, rows[4, n], these shares and RBP's residual; of
        pairs, rows[3, n], signs as far as bounds tell."""
        lists, (value, lower, upper, *judged) = self.experiment.judgments(measure.level), rows
        kind = bounds_kind(measure, lists.most, lists.level, of_pairs=not judged)
        kinds = np.full(len(value), kind or NO_WORD)
        if not judged:
            signs = np.where(is_sure(lower, upper), DETERMINED, UNDETERMINED)
            return {"sign": signs if kind in ("exact", "outer") else np.full(len(signs), NO_WORD), "bounds": kinds}
        columns: dict[str, np.ndarray] = {"judged": judged[0], "bounds": kinds}
        if any(of_rows.family.name in RBP for of_rows in self.measures):  # a column of all measures or none
            columns["residual"] = np.where(measure.family.name in RBP, upper - value, np.nan)
        return columns

    def evidence(self, family: Family) -> Told:
        """p is 0 of a sign that is determined, and there is none where it is not."""
        of = family.over(self).of
        p = np.where(of.columns["sign"] == DETERMINED, 0.0, np.nan)
        return Told(of.value, p, p)

    def remark(self, family: Family, index: int) -> str:
        if not self._has_unjudged(family, index):
            return "none looked at"
        sign = family.over(self).of.columns["sign"][index]
        return {UNDETERMINED: "their grades could change the sign", NO_WORD: "no bounds are known"}.get(str(sign), "")

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        if without := sum(not self._has_unjudged(family, index) for index in places):
            yield say("survival.no_unjudged", measure=family.measure.name, count=without, claims=len(places))

    def _has_unjudged(self, family: Family, index: int) -> bool:
        """True if on a topic that both runs of a pair have, either has an unjudged document that counts, or ranks that do
        below the end of its list."""
        run, baseline = (self.sides[family.measure.name][row] for row in family.pairs[index])
        has_scores = ~np.isnan(family.raw[family.pairs[index]]).any(axis=0)
        unjudged = np.diff(run.holes.offsets) + np.diff(baseline.holes.offsets) > 0
        return family.measure.family.name in RBP or bool((unjudged & has_scores).any())

    def limits_in_caption(self) -> str:
        documents = which_documents(self.measures).rstrip(",")
        return f"bounds over all grades, 0 to {self.highest}, of {documents} (worst cases)"

    # In words

    def sentence(self, row: Row) -> str:
        lower, upper = number(row, "lower"), number(row, "upper")
        grades = "two_grades" if row["bounds"] == "two-grade" else "any_grades"
        facts = {
            "run": row["run"], "measure": str(row["measure"]).removesuffix("_diff"), "value": amount(number(row, "value")),
            "lower": amount(lower), "upper": amount(upper), "grades": say(f"bounds.{grades}"),
        }  # fmt: skip
        if "baseline" not in row:
            kind = "score" if np.isnan(lower) else "score_fixed" if lower == upper else "score_within"
            percent = 100 * number(row, "judged")
            digits = int(0 < min(percent, 100 - percent) < 1)  # never rounded to all or nothing
            return say(f"bounds.{kind}", **facts, judged=f"{percent:.{digits}f}%")
        kind = "pair_unknown" if row["bounds"] == NO_WORD else "pair_fixed" if lower == upper else "pair_within"
        as_far = ", as far as these bounds tell" if (row["bounds"], row["sign"]) == ("outer", UNDETERMINED) else ""
        sign = "" if row["sign"] == NO_WORD else say("bounds.sign", sign=row["sign"], as_far=as_far)
        return say(f"bounds.{kind}", **facts, baseline=row["baseline"], sign=sign)

    def sentence_on_many(self, measure: str, columns: Mapping[str, np.ndarray]) -> str:
        signs = columns["sign"].tolist()
        count = signs.count(DETERMINED)
        kind = "many_unknown" if NO_WORD in signs else "many" if count else "many_none"
        return say(f"bounds.{kind}", measure=measure, count=count, pairs=len(signs))

    def explained(self) -> Iterator[str]:
        yield say("bounds.worst", highest=self.highest)
        yield say("bounds.documents", documents=which_documents(self.measures))
        of_rbp = [measure for measure in self.measures if measure.family.name in RBP]
        remarks = {
            "gains": [measure for measure in of_rbp if measure.family.name == "rbp" and self.highest > 1],
            "below_the_end": of_rbp,
            "too_high": [
                measure
                for measure in self.measures
                if any((lower < value).any() for value, lower, *_ in self.bounds[measure.name])
            ],
        }
        for name, measures in remarks.items():
            if measures:
                yield say(f"bounds.{name}", measures=", ".join(measure.name for measure in measures))
        if self.request.has_pairs:
            yield say("bounds.determined")


# Second sets

WHOLE = 0.99  # the share of the first judge's documents from which on the second is taken to have judged them all
CHANGED, NOT_SHOWN = "changed", "not shown to differ"


class SecondJudge(Source):
    """Another judge of the topics of an experiment, whose runs are to be added.

    `topics` bool[M]: those of the experiment that he judged too, T of them; `shares`: how much of each grade of the first
    judge's; `is_sample`: true if that is a part; `lacking`: by measure, the grade that no document of his reaches, so that all
    runs score 0.
    """

    def __init__(self, experiment: Experiment, measures: Sequence[Measure], path: str) -> None:
        """Raises DataError if he judged no topic or no document of the experiment's."""
        inputs = experiment.inputs
        level = inputs.levels.get(path, inputs.relevance_level)
        settings = inputs._replace(topics=None, no_relevant="zero", relevance_level=level)
        self.in_words, self.path, self.measures = inputs.name_of_judge(path), path, measures
        self.name = f"judge:{self.in_words}"
        first, second = experiment.qrels, inputs.read_qrels(path)
        only_first, only_second = lacking(first, second), lacking(second, first)
        warn_of_topics(first.path, f"that {path} does not judge, of which it tells nothing", only_first)
        if inputs.topics is None and inputs.no_relevant == "zero":
            warn_of_topics(path, f"that {first.path} does not judge, left out", only_second)
        first, second = first.on(second.topics), second.on(first.topics)
        if not first.topics:
            raise DataError(f"{first.path} and {path} have no topic in common")
        judged = set(first.topics)
        self.topics = np.array([topic in judged for topic in experiment.qrels.topics], np.bool_)
        by_first, by_second = common(first, second)
        self.documents, self.judged = int((first.grade >= 0).sum()), len(by_first.grade)
        self.shares = {
            grade: (by_first.grade == grade).sum() / (first.grade == grade).sum()
            for grade in np.unique(first.grade[first.grade >= 0]).tolist()
        }
        highest = second.highest_grade
        self.lacking = {measure.name: grade for measure in measures if (grade := measure.least_grade(level)) > highest}
        for grade in sorted(set(self.lacking.values())):
            names = [name for name, lacks in self.lacking.items() if lacks == grade]
            why = f"nothing can be tested by {first_few(names)}"
            notify("lacking", measure=path, what=f"document of grade {grade}", who="", why=why)
        if len(self.lacking) < len(measures):
            # Says what is to be said of any judgments.
            Experiment(settings._replace(level_elsewhere=True), measures, second, with_intervals=False)
        self.is_sample = self.judged < WHOLE * self.documents
        views = [(second, settings)]
        if self.is_sample:  # both judges in rankings of what both judged alone
            views = [(by_second, settings), (by_first, inputs)]
        self._views = [
            (qrels, judgments_by_level(qrels, view.relevance_level, view.max_grade), view) for qrels, view in views
        ]
        self._scores: list[dict[str, list[Floats]]] = [{measure.name: [] for measure in measures} for _ in views]
        self._found: dict[str, tuple[Told, Sequence[str], Sequence[Survival]]] = {}

    def add(self, run: ExperimentRun) -> None:
        """Score a run; nan where a topic does not count for it."""
        for (qrels, judgments, inputs), of_view in zip(self._views, self._scores, strict=True):
            judged_only = self.is_sample or inputs.judged_only
            of = lists_by_level(judgments, judge(qrels, run.run, inputs.depth, inputs.threads, judged_only=judged_only))
            for measure in self.measures:
                scores = measure.scores(of(measure.level))
                of_view[measure.name].append(np.where(run.kept[self.topics], scores, np.nan))

    def scores(self, base: str) -> Floats:
        """float64[runs, T]: by all his judgments, or by those that both made."""
        return np.array(self._scores[0][base])

    @property
    def in_claims(self) -> str:
        return self.in_words

    def evidence(self, family: Family) -> Told:
        return self.found(family)[0]

    def found(self, family: Family) -> tuple[Told, Sequence[str], Sequence[Survival]]:
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
                    finding, first = finding.where(np.array(control) == "confirmed"), by_first[0].values
                # A paired t test, no less than signs of so many topics can give, of what a difference changes by.
                changes = np.where(member.common[self.topics], first - of_judge.values, np.nan)
                p = over_topics(changes, member.pairs, of_judge.scored.keys, Design()).p
                asked = finding.is_told & ~separated(finding.p_adjusted, family.alpha)
                words = np.where(asked, np.where(separated(p, family.alpha), CHANGED, NOT_SHOWN), NO_WORD).tolist()
                has_grade = member.measure.base.name not in self.lacking
                self._found[member.measure.name] = finding.where(np.full(len(finding.p), has_grade)), words, control
        return self._found[family.measure.name]

    def _by_judge(self, families: Sequence[Family], view: int) -> list[Family]:
        """The families on scores by a judge of the topics, adjusted as one as they are."""
        scored, as_one = families[0].scored, list[Family]()
        keys, lacking = scored.keys[self.topics], scored.lacking
        near = {} if lacking is None else {name: of_base[:, self.topics] for name, of_base in lacking.near.items()}
        of_judge = scored._replace(
            topics=where(scored.topics, self.topics), keys=keys, sources=[Topics(keys)], ends={},
            values={base: np.array(scores) for base, scores in self._scores[view].items()},
            lacking=lacking and lacking._replace(near=near),
        )  # fmt: skip
        for family in families:
            request = family.request.replaced(adjusted_limits=False, best=False)
            with_these = as_one if family.adjusted_with else []
            as_one.append(replace(family, scored=of_judge, request=request, adjusted_with=with_these))
        return as_one

    def remark(self, family: Family, index: int) -> str:
        if (grade := self.lacking.get(family.measure.base.name)) is not None:
            return f"no document has grade {grade} in {os.path.basename(self.path)}"
        (finding, change, _), number = self.found(family), int(self.topics.sum())
        if number < fewest_units(family.alpha):
            return f"only {plural(number, 'topic')}"
        if change[index] != NO_WORD:
            return f"{amount(abs(float(finding.value[index])))}, {change[index]}"
        return ""

    def claim_columns(self, family: Family, index: int) -> Mapping[str, Any]:
        _, change, control = self.found(family)
        columns = {f"change:{self.in_words}": change[index]}
        return columns | ({f"control:{self.in_words}": control[index]} if self.is_sample else {})

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        _, change, control = self.found(family)
        facts, changes = {"measure": family.measure.name, "source": self.in_words}, Counter(change[at] for at in places)
        if lost := changes[CHANGED] + changes[NOT_SHOWN]:
            yield say("survival.changed", count=changes[CHANGED] or "none", all=lost, **facts)
        if self.is_sample:
            sustained = sum(control[index] == "confirmed" for index in places)
            yield say("survival.control", count=sustained or "none", claims=len(places), **facts)

    def notes(self) -> Iterator[str]:
        if self.is_sample:
            by_grade = [f"{100 * share:.0f}% of grade {grade}" for grade, share in self.shares.items()]
            facts = {"judged": self.judged, "documents": self.documents, "by_grade": ", ".join(by_grade)}
            yield say("survival.shares", source=self.in_words, **facts)
            yield say("survival.circular")


def _over_topics(family: Family) -> Told:
    """Differences over topics; nothing told of too few."""
    if not family.common.any():
        return Told(*np.full((3, len(family.pairs)), np.nan))
    return family.scored.sources[0].evidence(family)


def second_judges(experiment: Experiment, measures: Sequence[Measure]) -> list[SecondJudge]:
    """The judges of --other-qrels, of an experiment whose runs are to be added to each."""
    judges = [SecondJudge(experiment, measures, path) for path in experiment.inputs.other_qrels]
    experiment.inputs.refuse_judges_of_one_name()
    return judges
