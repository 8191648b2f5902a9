"""Seeds and passes, several for the same topics. Seeds: would systems trained again agree, and these checkpoints on other
topics? Passes of a judge over the same documents: would other passes, and other topics, say the same of the runs?"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from irci.base import DataError, UsageError, plural, visible
from irci.base.choices import PASSES, SEEDS, TOPICS
from irci.base.types import Floats, Ints, Pairs, Words
from irci.comparison.family import Family, Scored
from irci.comparison.reading import asked_about, on_topics, read, warn_of_few_topics
from irci.comparison.rows import tells_verdicts
from irci.comparison.sources import Source, Topics
from irci.comparison.sources.judgments import SecondJudge
from irci.data.inputs import Inputs, where
from irci.data.rules import NamedGroups, System, passes_of, systems_of
from irci.data.scores import Lacking
from irci.estimators.grouped import FEWEST, Trainings, over_passes
from irci.estimators.means import Tested
from irci.options.asked import Asked
from irci.output.tables import NO_WORD
from irci.stats.estimates import Estimates
from irci.stats.scales import mean_over_topics
from irci.stats.tests import POOLED
from irci.wording import notify


class SeedSource(Topics):
    """Systems with runs from several seeds each: these and topics vary, or topics alone."""

    observes = is_plain_topics = False
    tells_df = True

    def __init__(self, trainings: Trainings, keys: Words, name: str) -> None:
        super().__init__(keys)
        self.trainings, self.name = trainings, name
        self.has_draws = self.units_alone = name == TOPICS
        self.words_as = SEEDS if name == SEEDS else "checkpoints"

    def _of_runs(self, family: Family) -> Floats:
        """Scores float64[runs, T] on the topics on which their systems have one, on the measure's scale."""
        values = family.measure.scale().forward(family.scored.values[family.measure.base.name]).copy()
        for system, scores in zip(self.trainings.runs, family.values, strict=True):
            values[list(system)] = np.where(np.isnan(scores), np.nan, values[list(system)])
        return values

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        return self.trainings.estimates(self._of_runs(family), pairs, share, seeds_vary=self.name == SEEDS)

    def tested(self, family: Family) -> Tested:
        if self.name == SEEDS:
            return Source.tested(self, family)
        return super().tested(family)._replace(of=self.estimates(family, family.pairs))

    def kinds_of_units(self, of: Estimates) -> Mapping[str, Ints]:
        """The topics, and the seeds of both systems together, as many as matter where neither is trained."""
        if self.name != SEEDS:
            return super().kinds_of_units(of)
        seeds = of.columns["seeds"] + of.columns.get("seeds_baseline", 0)
        return {TOPICS: of.units, SEEDS: np.where(seeds > 0, seeds, of.units)}

    def remark(self, family: Family, index: int) -> str:
        if family.over(self).of.is_told[index]:
            return super().remark(family, index)
        few = [
            f"{plural(len(self.trainings.runs[system]), 'seed')} of {family.names[system]}"
            for system in family.pairs[index].tolist()
            if self.trainings.trained[system] and len(self.trainings.runs[system]) < FEWEST
        ]
        return f"only {' and '.join(few)}"


def of_systems(request: Asked, inputs: Inputs, seeds: NamedGroups) -> Scored:
    """Scores of systems, each trained from several seeds, whose runs are read."""
    scored, systems = _of_made(read(request, inputs, []), seeds)
    names = [system.name for system in systems]
    for baseline in request.baseline:
        if baseline in POOLED and baseline not in names:
            raise UsageError(f"--baseline {baseline} is not for --seeds: name a system.")
    seeds_vary = any(system.is_trained and len(system.runs) >= FEWEST for system in systems)
    if not seeds_vary and request.population == (SEEDS,):
        raise DataError(
            f"{seeds.given}: no system has three seeds: nothing can be said about others (--population topics)"
        )
    trained = np.array([system.is_trained for system in systems], np.bool_)
    trainings = Trainings([system.runs for system in systems], trained)
    populations = [SEEDS, TOPICS] if seeds_vary else [TOPICS]
    selected = asked_about(request, populations)
    if len(scored.topics) > 1:
        warn_of_few_topics(len(scored.topics))
    if few := [system.name for system in systems if system.is_trained and len(system.runs) < FEWEST]:
        unknown = "; their ranks over seeds are unknown" * (request.ranks and bool(asked_about(request, [SEEDS])))
        notify("few_seeds", number=len(few), ranks=unknown, systems=few)
    made_of, sizes = plural(len(scored.topics), "topic"), {len(system.runs) for system in systems if system.is_trained}
    if sizes:
        made_of += " and " + (plural(max(sizes), "seed") if len(sizes) == 1 else f"{min(sizes)} to {max(sizes)} seeds")
        made_of += " (trained systems)" * any(not system.is_trained for system in systems)
    return scored._replace(
        sources=[SeedSource(trainings, scored.keys, name) for name in selected],
        kind=SEEDS,
        runs=names,
        made_of=made_of,
        trainings=trainings,
        signature={
            "seeds": seeds.given, "num_topics": len(scored.topics), "num_systems": len(systems),
            "num_runs": sum(len(system.runs) for system in systems),
        },
    )  # fmt: skip


def _of_made(scored: Scored, seeds: NamedGroups) -> tuple[Scored, list[System]]:
    """The scores of the systems of which no run is missing; one of which some is, is missing with all its runs. Rows are those
    of all runs, of missing ones last."""
    lacking, number, systems = scored.lacking, len(scored.runs), systems_of(seeds, scored.every_run)
    row_of = {run: row for row, run in enumerate([*scored.runs, *scored.missing])}
    rows = [[row_of[scored.every_run[place]] for place in system.runs] for system in systems]
    made = [system._replace(runs=own) for system, own in zip(systems, rows, strict=True) if max(own) < number]
    if lacking is None or len(made) == len(systems):
        return scored, made
    lacks = [*lacking.of.values()]
    values = {name: np.vstack((of, lacking.scores[name])) for name, of in scored.values.items()}
    near = {name: np.vstack((of, np.zeros(lacking.scores[name].shape, np.bool_))) for name, of in lacking.near.items()}
    missing = {system.name: own for system, own in zip(systems, rows, strict=True) if max(own) >= number}
    of = {name: lacks[next(row for row in own if row >= number) - number] for name, own in missing.items()}
    trainings = Trainings([*missing.values()], np.ones(len(missing), np.bool_))
    everything = Lacking(of, values, near, [system.name for system in systems])
    return scored._replace(values=values, lacking=everything, trainings_of_missing=trainings), made


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
        return replace(family, scored=scored, comparison=family.comparison._replace(pooled=None), adjusted_with=[])

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        of = over_passes(self._scores(family), pairs, share)
        unknown = np.full_like(of.error, np.nan)
        return of if len(self.passes) >= FEWEST else of._replace(error=unknown, df=unknown)

    def tested(self, family: Family) -> Tested:
        """Limits no narrower, and p no less, than over the topics of these passes; the limits of these where passes and topics
        do not vary."""
        over_these = self.of_topics.tested(self._by_mean(family))
        by_t = replace(family, design=family.design._replace(test="t"))  # passes have no signs
        tested = super().tested(by_t).no_surer_than(over_these, np.ones(len(family.pairs), np.bool_))
        limits = np.where(tested.of.error == 0, over_these.limits, tested.limits)
        return tested._replace(limits=limits, interval=over_these.interval)

    def means_of(self, values: Floats) -> Floats:
        return np.full(len(values), np.nan)  # scores are by QRELS

    def run_means(self, family: Family) -> Floats:
        return self.of_topics.run_means(self._by_mean(family))

    def baseline_means(self, family: Family) -> Floats:
        return self.of_topics.baseline_means(self._by_mean(family))


def by_passes(request: Asked, inputs: Inputs, passes: NamedGroups) -> Scored:
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
