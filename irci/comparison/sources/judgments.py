"""Judgments of unjudged documents: between which bounds do scores and differences lie, whatever grades these have?"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

import numpy as np

from irci.base import DataError, UsageError, logger
from irci.base.choices import JUDGMENTS
from irci.base.types import Bools, Floats
from irci.comparison.family import Family
from irci.comparison.sources import Source
from irci.data.collection import RetrievedDocuments
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.inputs import where
from irci.estimators import unjudged
from irci.estimators.means import Tested
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import NO_WORD, Row, number
from irci.stats.scales import mean_over_topics
from irci.stats.tests import Estimates
from irci.system import with_progress
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

    def __init__(self, request: Asked, experiment: Experiment, measures: list[Measure]) -> None:
        """`experiment`: whose runs are to be added. Raises an error for what has no bounds, or no meaning, and where the scale
        ends below a grade in the file, or below what is relevant."""
        self.request, self.measures, self.experiment = request, measures, experiment
        qrels, bounded = (
            experiment.qrels,
            [measure for measure in measures if measure.base.family.name in unjudged.BOUNDED],
        )
        level = experiment.inputs.relevance_level
        levels = [measure.least_grade(level) for measure in bounded]
        if min(levels, default=1) < 1:
            raise UsageError(
                "at level 0 whatever is judged is relevant: bounds of unjudged documents need -l 1 or more."
            )
        self.highest, option = experiment.judgments(None).most, "--max-grade"
        if qrels.highest_grade > self.highest:
            raise DataError(f"{experiment.qrels.path}: grade {qrels.highest_grade}, but {option} is {self.highest}")
        if max(levels, default=0) > self.highest:
            raise UsageError(
                f"relevant from grade {max(levels, default=level)} on, but the highest grade is {self.highest}: no document"
                f" could be relevant ({option} says where the scale ends)."
            )
        grades = f"any grade from 0 to {self.highest} ({option})"
        logger.info(f"bounds: {which_documents(measures)} may have {grades}; all others count as not relevant")
        self.bounds: dict[str, list[Floats]] = {measure.name: [] for measure in measures}
        self.sides: dict[str, list[unjudged.Side]] = {measure.name: [] for measure in measures}
        self._may_score = np.zeros(len(experiment.topics), np.bool_)  # though they have no score
        self._numbered = RetrievedDocuments(qrels, np.zeros(len(qrels.grade), np.bool_), to_the_end=True)

    def add(self, run: ExperimentRun) -> None:
        """Find one run's bounds, and its side of pairs if there are any."""
        has_pairs = self.request.has_pairs or self.request.ranks
        ranked = self._numbered.add(run.run, run.judged) if has_pairs else None
        documents = unjudged.unjudged_documents(run.judged, self.experiment.qrels, ranked)
        for measure in self.measures:
            lists = run.lists(measure.level)
            of_run = unjudged.side(measure, lists, measure.base.scores(lists), *documents)
            value, _, upper, _ = of_measure = unjudged.bounds(of_run)
            self.bounds[measure.name].append(of_measure)
            self._may_score |= run.kept & (value == 0) & (upper > 0)
            self.sides[measure.name] += [of_run] if has_pairs else []

    def settle(self, is_made: Sequence[bool], is_left: Bools) -> None:
        """Leave the runs that are made, of those that were added, and the topics bool[T] that count. Say which of these may
        score though they have no relevant documents, and what has no bounds."""
        self._left, experiment = is_left, self.experiment
        self.sides = {name: list(compress(sides, is_made)) for name, sides in self.sides.items()}
        self.bounds = {name: [of[:, is_left] for of in compress(own, is_made)] for name, own in self.bounds.items()}
        happens = "without relevant documents, which may score if unjudged ones are relevant"
        is_open = self._may_score & is_left & (experiment.judgments(None).relevant == 0)
        topics = where(experiment.topics, is_open)
        warn_of_topics(experiment.qrels.path, happens, topics)
        if without := [measure.name for measure in self.measures if measure.base.family.name not in unjudged.BOUNDED]:
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
            pairs = with_progress(family.pairs.tolist(), "pair")
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
        return result._replace(of=result.of._replace(columns=self._columns(family.measure, np.array(rows))))

    def topic_columns(self, family: Family, index: int) -> Mapping[str, np.ndarray]:
        bounds_of_runs, pair = self.bounds[family.measure.name], family.pairs[index]
        of_topics = self._of_pair(family, pair) if family.is_of_pairs else bounds_of_runs[index]
        return {"lower": of_topics[1], "upper": of_topics[2], **self._columns(family.measure, of_topics)}

    def _of_pair(self, family: Family, pair: Sequence[int]) -> Floats:
        """The difference of two runs on each topic, and its bounds: float64[3, T]."""
        sides = (self.sides[family.measure.name][index] for index in pair)
        return unjudged.difference_bounds(*sides, scale=family.measure.scale())[:, self._left]

    def _columns(self, measure: Measure, rows: Floats) -> dict[str, np.ndarray]:
        """The kind of bounds; of runs' values, bounds and shares judged, rows[4, n], these shares and RBP's residual; of
        pairs, rows[3, n], signs as far as bounds tell."""
        lists, (value, lower, upper, *judged) = self.experiment.judgments(measure.level), rows
        kind = unjudged.bounds_kind(measure, lists.most, lists.level, of_pairs=not judged)
        kinds = np.full(len(value), kind or NO_WORD)
        if not judged:
            signs = np.where(unjudged.is_sure(lower, upper), DETERMINED, UNDETERMINED)
            return {"sign": signs if kind in ("exact", "outer") else np.full(len(signs), NO_WORD), "bounds": kinds}
        columns: dict[str, np.ndarray] = {"judged": judged[0], "bounds": kinds}
        if any(of_rows.family.name in unjudged.RBP for of_rows in self.measures):  # a column of all measures or none
            columns["residual"] = np.where(measure.family.name in unjudged.RBP, upper - value, np.nan)
        return columns

    def evidence(self, family: Family) -> Floats:
        """p is 0 of a sign that is determined, and there is none where it is not."""
        of = family.over(self).of
        p = np.where(of.columns["sign"] == DETERMINED, 0.0, np.nan)
        return np.stack((of.value, p, p))

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
        has_holes = (np.diff(run.holes.offsets) + np.diff(baseline.holes.offsets) > 0)[self._left]
        return family.measure.family.name in unjudged.RBP or bool((has_holes & has_scores).any())

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
        of_rbp = [measure for measure in self.measures if measure.family.name in unjudged.RBP]
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
