"""Another judge as a source that claims are asked about: by all his judgments; or, of a part, by what both judged, of claims
that the first judge sustains on these documents."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import plural
from irci.base.records import Record
from irci.base.types import Floats, Pairs
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.data.inputs import where
from irci.data.judges import Share
from irci.data.measures import Measure
from irci.output.tables import ALL, NO_WORD, Row, Table, tables
from irci.stats.decisions import separated
from irci.stats.power import fewest_units
from irci.stats.survival import Survival, Told, survival
from irci.stats.tests import no_less_than_signs, paired_t
from irci.studies.compare.family import Family, Scored, Witness
from irci.studies.compare.second_judges import SecondJudge
from irci.studies.compare.sources.topics import Topics
from irci.studies.wording import amount

CHANGED, NOT_SHOWN = "changed", "not shown to differ"


class Found(Record):
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
        self.name, self.in_claims = f"judge:{judge.name}", judge.name
        self._found: dict[str, Found] = {}

    def evidence(self, family: Family) -> Told:
        return self.found(family).told

    def found(self, family: Family) -> Found:
        """Findings on the family's pairs, made once for all families that are adjusted as one."""
        if family.measure.name not in self._found:
            every = family.adjusted_as_one
            found = self._of_part(every) if self.judge.is_sample else self._of_all(every)
            self._found |= {
                each.measure.name: of._replace(told=_nothing(each)) if self._lacks(each) else of
                for each, of in zip(every, found, strict=True)
            }
        return self._found[family.measure.name]

    def _of_all(self, every: Sequence[Family]) -> Iterator[Found]:
        told = self._by_largest(every, self.judge.scores)
        for family, of in zip(every, told, strict=True):
            yield Found(of, self._change(family, of, family.values[:, self.judge.topics]))

    def _of_part(self, every: Sequence[Family]) -> Iterator[Found]:
        by_each = [self._by_largest(every, scores) for scores in (self.judge.of_first, self.judge.scores)]
        for family, by_first, by_second in zip(every, *by_each, strict=True):
            topics = next(source for source in self.scored.sources if source.name == TOPICS)  # shown or not
            control = survival(family.over(topics).tested.of.value, by_first, family.request.alpha)
            told = by_second.where(np.array(control) == "confirmed")
            yield Found(told, self._change(family, told, self._scaled(family, self.judge.of_first)), control)

    def _by_largest(self, every: Sequence[Family], scores: Callable[[Measure], Floats]) -> list[Told]:
        """Differences of scores[runs, T] by a judge, by max-T, of each family."""
        keys, lacking = self.scored.keys[self.judge.topics], self.scored.lacking
        scored = self.scored._replace(
            topics=where(self.scored.topics, self.judge.topics), keys=keys, sources=[Topics(keys)], ends={},
            values={each.measure.base.name: scores(each.measure.base) for each in every},
            lacking=lacking and lacking._replace(
                near={name: near[:, self.judge.topics] for name, near in lacking.near.items()}
            ),
        )  # fmt: skip
        measures: list[Family] = []
        for family in every:
            request = family.request._replace(adjusted_limits=False, best=False)
            of_judge = Family(
                request, family.design, scored, family.measure, family.comparison, family.threads, family.progress,
                measures if family.measures else [],
            )  # fmt: skip
            measures.append(of_judge)
        return [_of_topics(each) for each in measures]

    def _change(self, family: Family, told: Told, first: Floats) -> list[str]:
        """Words on pairs that he tells of and does not find to differ: a significant change from the differences of
        first[rows, T] or not, by a paired t test."""
        alpha = family.request.alpha
        asked = told.is_told & ~separated(np.nan_to_num(told.p_adjusted, nan=1.0), alpha)
        p = changes_p(first, self._scaled(family, self.judge.scores), family.pairs)
        words: list[str] = np.where(
            asked, np.where(separated(np.nan_to_num(p, nan=1.0), alpha), CHANGED, NOT_SHOWN), NO_WORD
        ).tolist()
        return words

    def _scaled(self, family: Family, scores: Callable[[Measure], Floats]) -> Floats:
        """Scores[rows, T] of the family's rows and topics, on the scale on which the measure is averaged."""
        found = family.request.scale(family.measure).forward(family.comparison.table(scores(family.measure.base)))
        return np.where(family.common[self.judge.topics], found, np.nan)

    def _lacks(self, family: Family) -> int | None:
        """The grade that no document of his has, so that by this measure all runs score 0."""
        return self.judge.lacking.get(family.measure.base.name)

    def remark(self, family: Family, place: int) -> str:
        if (grade := self._lacks(family)) is not None:
            return f"no document has grade {grade} in {os.path.basename(self.judge.path)}"
        found, number = self.found(family), int(self.judge.topics.sum())
        if number < fewest_units(family.request.alpha):
            return f"only {plural(number, 'topic')}"
        if found.change[place] != NO_WORD:
            return f"{amount(abs(float(found.told.value[place])))}, {found.change[place]}"
        return ""

    def claim_columns(self, family: Family, place: int) -> Mapping[str, Any]:
        found, name = self.found(family), self.judge.name
        columns = {f"change:{name}": found.change[place]}
        return columns | ({f"control:{name}": found.control[place]} if self.judge.is_sample else {})

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        found, measure = self.found(family), family.measure.name
        changes = Counter(found.change[place] for place in places)
        if lost := changes[CHANGED] + changes[NOT_SHOWN]:
            yield (
                f"In {measure}, {changes[CHANGED] or 'none'} of the {lost} that {self.in_claims} tells of and does not confirm"
                " differ significantly between both judges (changed)."
            )
        if self.judge.is_sample:
            sustained = [place for place in places if found.control[place] == "confirmed"]
            yield (
                f"In {measure}, on the documents that {self.in_claims} judged too, QRELS itself sustains"
                f" {len(sustained) or 'none'} of {plural(len(places), 'claim')}; {self.in_claims} is asked of no others."
            )

    def notes(self) -> Iterator[str]:
        judge = self.judge
        if not judge.is_sample:
            return
        by_grade = ", ".join(f"{_percent(share)} of grade {share.grade}" for share in judge.shares)
        every = judge.all_shares
        yield (
            f"{judge.name} judged {every.judged} of {every.documents} documents that QRELS judged: {by_grade}."
            " That the rest is irrelevant would be circular if it was left out for its grades."
        )

    def tables(self) -> list[Table]:
        judge = self.judge
        every = (*judge.shares, judge.all_shares) if judge.is_sample else ()
        return tables("judged_share", "", (_row(judge.name, share) for share in every))


def _row(name: str, share: Share) -> Row:
    grade = ALL if share.grade is None else str(share.grade)
    percent = 100 * share.judged / share.documents
    return {"judge": name, "grade": grade, "documents": share.documents, "judged": share.judged, "percent": percent}


def _percent(share: Share) -> str:
    return f"{100 * share.judged / share.documents:.0f}%"


def changes_p(first: Floats, second: Floats, pairs: Pairs) -> Floats:
    """float64[P]: p of paired t tests of differences of pairs[P, 2] of first[rows, T] against those of second[rows, T], no
    less than signs of so many topics can give; nan without a topic that both of a pair have."""
    p, units = np.full(len(pairs), np.nan), np.zeros(len(pairs), np.int64)
    for mask, some in in_blocks(common_topics(second, pairs)):
        if mask.any():
            differences = on_topics(first, pairs[some], mask) - on_topics(second, pairs[some], mask)
            p[some] = paired_t(differences, 0.95).p
            units[some] = mask.sum()
    return no_less_than_signs(p, units)[0]


def _nothing(family: Family) -> Told:
    nothing = np.full(len(family.pairs), np.nan)
    return Told(nothing, nothing, nothing)


def _of_topics(family: Family) -> Told:
    """Differences over a family's only source, topics."""
    if not family.common.any():
        return _nothing(family)
    found = family.over(family.scored.sources[0])
    of = found.tested.of
    return Told(of.value, found.tested.p, found.p_adjusted).where(of.units >= fewest_units(family.request.alpha))
