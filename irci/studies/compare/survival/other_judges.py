"""Another judge as a source that claims are asked about: by all his judgments; or, of a sample, by grades drawn for the rest,
beside which stands what he and the first judge say on the documents that both judged."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import plural
from irci.base.records import Record
from irci.base.types import Floats
from irci.data.inputs import where
from irci.data.judges import Share
from irci.data.measures import Measure
from irci.methods.compare.hot_deck import FEWEST, IMPUTATIONS, over_imputations
from irci.output.tables import ALL, NO_WORD, Row, Table, tables
from irci.stats.decisions import separated
from irci.stats.power import fewest_units
from irci.stats.survival import Survival, Told, survival
from irci.stats.tests import adjusted, no_less_than_signs
from irci.studies.compare.family import Family, Scored
from irci.studies.compare.second_judges import SecondJudge
from irci.studies.compare.sources.topics import Topics
from irci.studies.compare.survival.other_source import OtherSource
from irci.studies.wording import amount

CHANGED, NOT_SHOWN = "changed", "not shown to differ"


class Found(Record):
    """Findings of a judge on P pairs: `told` by all his judgments, or by those drawn too; `change`, in a word, whether the
    difference by the first judge less his is other than 0. Of a sample, verdicts on the documents that both judged: the first
    judge's `control`, and `common`, by the other of what that confirms."""

    told: Told
    change: Sequence[str]
    common: Sequence[Survival] = ()
    control: Sequence[Survival] = ()


class AnotherJudge(OtherSource):
    """A judge of the same topics."""

    def __init__(self, judge: SecondJudge, scored: Scored) -> None:
        self.judge, self.scored = judge, scored
        self.name, self.in_words = f"judge:{judge.name}", judge.name
        self._found: dict[str, Found] = {}

    def told(self, family: Family) -> Told:
        return self.found(family).told

    def found(self, family: Family) -> Found:
        """Findings on the family's pairs, made once for all families that are adjusted as one."""
        if family.measure.name not in self._found:
            every = family.adjusted_as_one
            found = self._of_sample(every) if self.judge.is_sample else self._of_all(every)
            self._found |= {
                each.measure.name: of._replace(told=_nothing(each)) if self._lacks(each) else of
                for each, of in zip(every, found, strict=True)
            }
        return self._found[family.measure.name]

    def _of_all(self, every: Sequence[Family]) -> Iterator[Found]:
        told = self._by_largest(every, self.judge.scores)
        for family, of in zip(every, told, strict=True):
            yield Found(of, self._change(family, of, self.judge.scores(family.measure.base)[np.newaxis]))

    def _of_sample(self, every: Sequence[Family]) -> Iterator[Found]:
        by_each = [self._by_largest(every, scores) for scores in (self.judge.of_first, self.judge.scores)]
        for family, told, *both in zip(every, self._by_imputation(every), *by_each, strict=True):
            topics = next(each for each in self.scored.sources if each.name == TOPICS)  # shown or not
            claimed = family.over(topics).tested.of.value
            control, by_second = (survival(claimed, each, family.request.alpha) for each in both)
            common: list[Survival] = [
                verdict if of_first == "confirmed" else "untold"
                for verdict, of_first in zip(by_second, control, strict=True)
            ]
            imputed = None if self.judge.too_few else self.judge.imputed(family.measure.base)
            change = [NO_WORD] * len(common) if imputed is None else self._change(family, told, imputed)
            yield Found(told, change, common, control)

    def _by_imputation(self, every: Sequence[Family]) -> list[Told]:
        """Differences by grades that he gave and those drawn for him, by t and Holm's method, of each family."""
        if self.judge.too_few:
            return [_nothing(family) for family in every]
        of = [over_imputations(self._scaled(each, self.judge.imputed(each.measure.base)), each.pairs) for each in every]
        p = [no_less_than_signs(each.p(), each.units)[0] for each in of]
        p_adjusted = np.split(adjusted(np.concatenate(p), "holm"), np.cumsum([len(each) for each in p])[:-1])
        least = fewest_units(every[0].request.alpha)
        return [
            Told(each.value, *both).where(each.units >= least) for each, *both in zip(of, p, p_adjusted, strict=True)
        ]

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

    def _change(self, family: Family, told: Told, imputed: Floats) -> list[str]:
        """Words on pairs that he tells of and does not find to differ: a significant change or not, by t."""
        alpha, first = family.request.alpha, family.values[:, self.judge.topics]
        of = over_imputations(self._scaled(family, imputed), family.pairs, first)
        p, _ = no_less_than_signs(of.p(), of.units)
        asked = told.is_told & ~separated(np.nan_to_num(told.p_adjusted, nan=1.0), alpha)
        changed = separated(np.nan_to_num(p, nan=1.0), alpha)
        words: list[str] = np.where(asked, np.where(changed, CHANGED, NOT_SHOWN), NO_WORD).tolist()
        return words

    def _scaled(self, family: Family, imputed: Floats) -> Floats:
        """Scores[M, rows, T] of the family's rows and topics, on the scale on which the measure is averaged."""
        scale, counts = family.request.scale(family.measure), family.common[self.judge.topics]
        found = np.array([scale.forward(family.comparison.table(each)) for each in imputed])
        return np.where(counts, found, np.nan)

    def _lacks(self, family: Family) -> int | None:
        """The grade that no document of his has, so that by this measure all runs score 0."""
        return self.judge.lacking.get(family.measure.base.name)

    def remark(self, family: Family, place: int) -> str:
        if (grade := self._lacks(family)) is not None:
            return f"no document has grade {grade} in {os.path.basename(self.judge.path)}"
        found, number = self.found(family), int(self.judge.topics.sum())
        if self.judge.too_few:
            return f"fewer than {FEWEST} documents of grade {self.judge.too_few[0]} judged"
        if number < fewest_units(family.request.alpha):
            return f"only {plural(number, 'topic')}"
        if found.change[place] != NO_WORD:
            return f"{amount(abs(float(found.told.value[place])))}, {found.change[place]}"
        return ""

    def columns(self, family: Family, place: int) -> Mapping[str, Any]:
        found, name = self.found(family), self.judge.name
        columns = {f"change:{name}": found.change[place]}
        if self.judge.is_sample:
            columns |= {f"common:{name}": found.common[place], f"control:{name}": found.control[place]}
        return columns

    def of_many(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        found, measure = self.found(family), family.measure.name
        changes = Counter(found.change[place] for place in places)
        if lost := changes[CHANGED] + changes[NOT_SHOWN]:
            yield (
                f"In {measure}, {changes[CHANGED] or 'none'} of the {lost} that {self.in_words} tells of and does not confirm"
                " differ significantly between both judges (changed)."
            )
        if self.judge.is_sample:
            control, common = (
                sum(verdicts[place] == "confirmed" for place in places) for verdicts in (found.control, found.common)
            )
            yield (
                f"In {measure}, on the documents that {self.in_words} judged too, QRELS itself sustains {control or 'none'} of"
                f" {plural(len(places), 'claim')}; of these {self.in_words} confirms {common or 'none'}."
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
        if not judge.too_few:
            yield (
                "Each of these has the grade of one drawn from those of the same topic and grade by QRELS, in"
                f" {IMPUTATIONS} imputations."
            )
            yield (
                f"That is right if what {judge.name} judged depends on topic and grade alone; it makes differences smaller"
                " rather than larger."
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
