"""Training seeds: would systems trained again agree, and these checkpoints on other topics?"""

from collections.abc import Mapping, Sequence

import numpy as np

from irci.base import DataError, UsageError, plural
from irci.base.choices import SEEDS, TOPICS
from irci.base.types import Bools, Floats, Ints, Pairs, Words
from irci.comparison.family import Family, Scored
from irci.comparison.reading import asked_about, read, warn_of_few_topics
from irci.comparison.sources import Source, Topics
from irci.data.inputs import Inputs
from irci.data.rules import Groups, System, systems_of
from irci.data.scores import Lacking
from irci.estimators.grouped import FEWEST, Trainings
from irci.estimators.joint_resamples import POOLED
from irci.estimators.means import Tested
from irci.options.asked import Asked
from irci.stats.estimates import Estimates
from irci.wording import notify

# Percent of experiments in which topics planned for 80% find the difference, planned from pilots with three seeds and
# chi-squared variances: the least of six settings (seeds make .1 or .4 of the squared error; the difference is 2.5, 3.5 or 5
# errors), reached at .4 and 2.5, without the pilots that find no number of topics enough.
FOUND = 71


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

    def means(self, alone: Family) -> Tested:
        if self.name == SEEDS:
            return Source.tested(self, alone)
        return super().means(alone)._replace(of=self.estimates(alone, alone.pairs))

    def kinds_of_units(self, of: Estimates) -> Mapping[str, Ints]:
        """The topics, and the seeds of both systems together, as many as matter where neither is trained."""
        if self.name != SEEDS:
            return super().kinds_of_units(of)
        seeds = of.columns["seeds"] + of.columns.get("seeds_baseline", 0)
        return {TOPICS: of.units, SEEDS: np.where(seeds > 0, seeds, of.units)}

    def remark(self, family: Family, index: int) -> str:
        if family.over(self).tested.of.is_told[index]:
            return super().remark(family, index)
        few = [
            f"{plural(len(self.trainings.runs[system]), 'seed')} of {family.names[system]}"
            for system in family.pairs[index].tolist()
            if self.trainings.trained[system] and len(self.trainings.runs[system]) < FEWEST
        ]
        return f"only {' and '.join(few)}"

    def identical(self, family: Family, same: Bools) -> Bools:
        if self.name != SEEDS:
            return same
        # Where seeds of either differ on some topic, the mean of squares is not the square of the mean.
        values = self._of_runs(family)
        largest = np.nan_to_num(np.abs(values)).max(initial=0.0)
        differ = (np.abs(self.trainings.means(values**2) - family.values**2) > 1e-12 * largest**2).any(axis=1)
        of_either: Bools = differ[family.pairs[: len(same)]].any(axis=1)
        return same & ~of_either


def of_systems(request: Asked, inputs: Inputs, seeds: Groups) -> Scored:
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
    trainings = Trainings([system.runs for system in systems], np.array([system.is_trained for system in systems]))
    populations = [SEEDS, TOPICS] if seeds_vary else [TOPICS]
    selected = asked_about(request, populations)
    if len(scored.topics) > 1:
        warn_of_few_topics(len(scored.topics))
    sizes = sorted({len(system.runs) for system in systems if system.is_trained})
    of_each = plural(sizes[0], "seed") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} seeds"
    of_each += " (trained systems)" * any(not system.is_trained for system in systems)
    return scored._replace(
        sources=[SeedSource(trainings, scored.keys, name) for name in selected],
        kind=SEEDS,
        runs=names,
        made_of=f"{plural(len(scored.topics), 'topic')} and {of_each}",
        trainings=trainings,
        signature={
            "seeds": seeds.given, "num_topics": len(scored.topics), "num_systems": len(systems), "num_runs": len(scored.runs),
        },
        further_notices=lambda: _warn_of_few(systems, request),
    )  # fmt: skip


def _of_made(scored: Scored, seeds: Groups) -> tuple[Scored, list[System]]:
    """The scores of the systems of which no run is missing; one of which some is, is missing with all its runs."""
    systems = systems_of(seeds, scored.every_run)
    if scored.lacking is None or not scored.missing:
        return scored, systems
    order, lacking = list(scored.every_run), scored.lacking
    row_of = {run: row for row, run in enumerate(scored.runs)}
    made = {run: {name: values[row] for name, values in scored.values.items()} for run, row in row_of.items()}
    scores_of: Mapping[str, Mapping[str, Floats]] = {**made, **lacking.missing}
    missing, of, left = {}, {}, []
    for system in systems:
        runs = [order[row] for row in system.runs]
        if lacks := [run for run in runs if run in lacking.missing]:
            means = {name: np.mean([scores_of[run][name] for run in runs], axis=0) for name in scored.values}
            missing[system.name], of[system.name] = means, lacking.of[lacks[0]]
        else:
            left.append(system)
    rows = sorted(row_of[order[row]] for system in left for row in system.runs)
    runs = [scored.runs[row] for row in rows]
    of_left = scored._replace(
        runs=runs, values={name: of_measure[rows] for name, of_measure in scored.values.items()},
        lacking=Lacking(
            missing, of, {name: of_measure[rows] for name, of_measure in lacking.near.items()},
            [system.name for system in systems],
        ),
    )  # fmt: skip
    return of_left, [system._replace(runs=[runs.index(order[row]) for row in system.runs]) for system in left]


def _warn_of_few(systems: Sequence[System], request: Asked) -> None:
    over_seeds = bool(asked_about(request, [SEEDS]))
    trained = [system for system in systems if system.is_trained]
    few = [system for system in trained if len(system.runs) < FEWEST]
    if few:
        unknown = "; their ranks over seeds are unknown" * (request.ranks and over_seeds)
        names = [system.name for system in few]
        notify("few_seeds", number=len(few), ranks=unknown, systems=names)
    if request.power and over_seeds and any(len(system.runs) == FEWEST for system in trained):
        then = f"of experiments planned over them for 80% power as few as {FOUND}% found the difference"
        notify("few_units", number="three seeds", then=then)
