"""Passes of a judge over the same documents: would other passes, and other topics, say the same of the runs?"""

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irci.base import DataError, UsageError, visible
from irci.base.choices import PASSES, TOPICS
from irci.base.types import Floats, Pairs, Words
from irci.comparison.family import Family, Scored
from irci.comparison.reading import on_topics
from irci.comparison.rows import tells_verdicts
from irci.comparison.second_judges import SecondJudge
from irci.comparison.sources import Source, Topics
from irci.data.inputs import Inputs, where
from irci.data.rules import Groups, passes_of
from irci.estimators.grouped import FEWEST, over_passes
from irci.estimators.means import Tested
from irci.options.asked import Asked
from irci.output.tables import NO_WORD
from irci.stats.estimates import Estimates
from irci.stats.scales import mean_over_topics
from irci.wording import notify


class PassSource(Source):
    """The passes of a judge: these and topics vary. Nothing is surer than over topics alone, by the passes' mean scores."""

    name = PASSES
    has_draws = tells_verdicts = False

    def __init__(self, passes: Sequence[SecondJudge], keys: Words, judge: str) -> None:
        """`judge`: his name, "" if he is the only one. Raises DataError unless passes judged the same part of QRELS."""
        self.passes, self.topics = passes, np.all([one.topics for one in passes], axis=0)
        if len({one.is_sample for one in passes}) > 1 or not self.topics.any():
            parts = ", ".join(f"{one.path} {one.judged} of {one.documents} documents" for one in passes)
            raise DataError(f"passes are over the same documents, but of those that QRELS judges {parts}")
        self.of_topics = Topics(keys[self.topics])
        self.labels = {"judge": judge} if judge else {}

    @property
    def column(self) -> str:
        return ":".join((PASSES, *self.labels.values()))

    @property
    def in_claims(self) -> str:
        return " of ".join((super().in_claims, *self.labels.values()))

    def _scores(self, family: Family) -> Floats:
        """Scores float64[passes, rows, T] of the family's rows, on the scale on which the measure is averaged."""
        by_pass = [one.scores(family.measure.base.name)[:, self.topics[one.topics]] for one in self.passes]
        scaled = family.measure.scale().forward(np.array([family.comparison.table(scores) for scores in by_pass]))
        return np.where(np.isnan(family.values[:, self.topics]), np.nan, scaled)

    def _by_mean(self, family: Family) -> Family:
        """The same contrasts of the means over passes."""
        values = {family.measure.base.name: family.measure.scale().back(mean_over_topics(self._scores(family)))}
        topics, keys = where(family.scored.topics, self.topics), self.of_topics.keys
        scored = family.scored._replace(topics=topics, keys=keys, values=values, lacking=None)
        return replace(family, scored=scored, comparison=family.comparison._replace(pooled=None), measures=[])

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        of = over_passes(self._scores(family), pairs, share)
        unknown = np.full_like(of.error, np.nan)
        return of if len(self.passes) >= FEWEST else of._replace(error=unknown, df=unknown)

    def tested(self, family: Family) -> Tested:
        return _no_surer(super().tested(family), self.of_topics.tested(self._by_mean(family)))

    def means(self, alone: Family) -> Tested:
        return _no_surer(super().tested(alone), self.of_topics.means(self._by_mean(alone)))

    def means_of(self, values: Floats) -> Floats:
        return np.full(len(values), np.nan)  # scores are by QRELS

    def run_means(self, family: Family) -> Floats:
        return self.of_topics.run_means(self._by_mean(family))

    def baseline_means(self, family: Family) -> Floats:
        return self.of_topics.baseline_means(self._by_mean(family))


def _no_surer(tested: Tested, over_these: Tested) -> Tested:
    """Findings with limits no narrower, and p no less, than over the topics of these passes; the limits of these where passes
    and topics do not vary."""
    held = tested.no_surer_than(over_these, np.ones(len(tested.p), np.bool_))
    limits = np.where(tested.of.error == 0, over_these.limits, held.limits)
    return held._replace(limits=limits, interval=over_these.interval)


def by_passes(request: Asked, inputs: Inputs, passes: Groups) -> Scored:
    """Scores by QRELS, and by the passes of one or several judges over the same documents, which vary beside the topics."""
    memory, asked = inputs.memory, request.population or (TOPICS, PASSES)
    names = [(path in memory and memory[path].name) or visible(os.path.basename(path)) for path in inputs.other_qrels]
    by_judge = passes_of(passes, names)
    if TOPICS not in asked and tells_verdicts(request):
        raise UsageError("--margin, --power and --fail-if are about topics: add these to --population.")
    scored = on_topics(request.replaced(population=(TOPICS, *asked)), inputs)
    judges, sources = [judge for judge in scored.judges if isinstance(judge, SecondJudge)], list[Source]()
    for judge, indices in by_judge.items():
        label = (judge or NO_WORD) if len(by_judge) > 1 else ""
        sources.append(PassSource([judges[index] for index in indices], scored.keys, label))
        if len(indices) < FEWEST:
            number = " of ".join(filter(None, (f"{len(indices)} passes", judge)))
            notify("few_units", number=number, then="no limits over passes, and no p: these need three")
    for source in scored.sources:
        if source.is_plain_topics and len(by_judge) > 1:
            source.labels = {"judge": NO_WORD}
    return scored._replace(
        sources=[source for source in (*scored.sources, *sources) if source.name in asked],
        judges=sources, kind=PASSES,
        signature={**scored.signature, "passes": passes.given, "num_passes": len(names), "levels": inputs.levels_told},
    )  # fmt: skip
