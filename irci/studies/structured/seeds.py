"""Systems trained several times, as in the study of structured topics: their seeds a sample, or given."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irci.base.choices import SEEDS, TOPICS, SeedVariance, Varies
from irci.base.errors import DataError, UsageError, first_few, plural
from irci.base.types import Bools, Floats, Pairs, Words
from irci.bootstrap.joint_resamples import POOLED, Comparison
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.rules import Seeds, System
from irci.data.scores import Scores
from irci.methods.structured.seeds import Trainings
from irci.methods.structured.units import Units
from irci.output.report import Report, Row
from irci.stats.estimates import Estimates
from irci.studies.map_ci.runs import keys_of
from irci.studies.structured.settings import Settings
from irci.studies.structured.study import structured
from irci.studies.structured.tables import read_scores, signature_of
from irci.studies.wording import number

logger = logging.getLogger("irci")

FEW = 3  # seeds; the variance between two has one degree of freedom


@dataclass(frozen=True)
class TrainedSystems:
    """Systems with runs from several seeds each (a `Structure`, whose runs are the systems)."""

    table: Scores
    measures: Sequence[Measure]
    systems: Sequence[System]
    trainings: Trainings
    keys: Words
    given: str
    varies: Sequence[Varies]
    kind: str = "seeds"
    where: str = ""
    with_signs: Sequence[Varies] = ("topics",)

    @property
    def runs(self) -> Sequence[str]:
        """The systems' names."""
        return [system.name for system in self.systems]

    @property
    def made_of(self) -> str:
        """What means are over."""
        sizes = sorted({len(system.runs) for system in self.systems if system.is_trained})
        seeds = plural(sizes[0], "seed") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} seeds"
        untrained = " (trained systems)" * any(not system.is_trained for system in self.systems)
        return f"{plural(len(self.table.topics), 'topic')} and {seeds}{untrained}"

    @property
    def lead(self) -> Mapping[Varies, str]:
        """How sentences begin."""
        return {
            "seeds": "Over all seeds and all topics of this kind",
            "topics": "Over all topics of this kind, for these checkpoints",
        }

    @property
    def means(self) -> Mapping[Varies, str]:
        """What limits are for."""
        return {
            "seeds": "Limits over seeds are for the mean of systems trained again, from other seeds, on other topics of this"
            " kind.",
            "topics": "Limits over topics are for the mean of these very checkpoints on other topics of this kind.",
        }

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """float64[runs, T]: of every seed of every system."""
        return self.table.values[base.name]

    def of_runs(self, values: Floats) -> Floats:
        """The systems' means over seeds."""
        return self.trainings.means(values)

    def estimates(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """With the numbers of seeds and what they add to the error."""
        return self.trainings.estimates(values, pairs, seeds_vary=varies != TOPICS)

    def units(self, values: Floats, mask: Bools, varies: Varies) -> Units:
        """A topic."""
        return Units(self.trainings.means(values[:, mask]), self.keys[mask])

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """How much of the variance is the seeds', and why limits over them can be narrower."""
        for row in rows:
            of_seeds, of_topics = (number(row, name) ** 2 for name in ("sd_seeds", "sd_topics"))
            if not of_seeds + of_topics > 0 or not any(row.get(name) for name in ("seeds", "seeds_baseline")):
                continue
            what = f"{_what(row)} in {str(row['measure']).removesuffix('_diff')}"
            if of_seeds:
                share = f"{of_seeds / (of_seeds + of_topics):.0%} of the variance of the {what}"
                yield f"{share} is due to seeds beyond what varies by topic, the rest to topics."
            else:
                yield f"In the variance of the {what}, no part of seeds could be shown beyond what varies by topic."
        narrower = next(_narrower(rows), None)
        if narrower is not None:
            yield (
                f"Limits over seeds can be narrower than those over topics, as of the {_what(narrower)}: they are given more"
                " degrees of freedom. With so few topics, the broader claim is no surer for that."
            )

    def signature(self) -> Mapping[str, Any]:
        """The seeds, how they vary, and how many of what there are."""
        return {
            "seeds": self.given, "seed_variance": "pooled" if self.trainings.pooled else "own",
            "num_topics": len(self.table.topics), "num_systems": len(self.systems), "num_runs": len(self.table.runs),
        }  # fmt: skip


def seeded(settings: Settings, inputs: Inputs, seeds: Seeds, seed_variance: SeedVariance) -> Report:
    """Means and differences of systems, each trained from several seeds."""
    read = read_scores(inputs, settings.measures)
    systems = seeds.of_runs(read.table.runs)
    if settings.baseline in POOLED and settings.baseline not in [system.name for system in systems]:
        raise UsageError(f"--baseline {settings.baseline} is not for --seeds: name a system.")
    seeds_vary = any(system.is_trained and len(system.runs) > 1 for system in systems)
    if not seeds_vary and settings.population == "seeds":
        raise DataError(f"{seeds.given}: no system has two seeds: nothing can be said of others (--population topics)")
    trainings = Trainings(
        [system.runs for system in systems],
        np.array([system.is_trained for system in systems]),
        pooled=seed_variance == "pooled",
    )
    varies: list[Varies] = ["seeds", "topics"] if seeds_vary else ["topics"]
    structure = TrainedSystems(
        read.table, read.measures, systems, trainings, keys_of(read.table), seeds.given, varies
    )  # fmt: skip
    report = structured(settings, structure, signature_of(inputs), threads=inputs.threads, files=read.files)
    _warn_of_few(systems, settings, pooled=trainings.pooled)
    return report


def _what(row: Row) -> str:
    return f"difference of {row['run']} less {row['baseline']}" if "baseline" in row else f"mean of {row['run']}"


def _narrower(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows over seeds whose limits are narrower than those over topics."""
    width = {(*_of(row), row["population"]): number(row, "upper") - number(row, "lower") for row in rows}
    for row in rows:
        if row["population"] == SEEDS and width[*_of(row), SEEDS] < (1 - 1e-9) * width.get((*_of(row), TOPICS), 0):
            yield row


def _of(row: Row) -> tuple[object, ...]:
    return row["measure"], row["run"], row.get("baseline")


def _warn_of_few(systems: Sequence[System], settings: Settings, *, pooled: bool) -> None:
    """Say for which systems limits speak of one checkpoint, and for which they rest on two seeds."""
    over_seeds = settings.population in (None, SEEDS)
    trained = [system for system in systems if system.is_trained]
    single = [system.name for system in trained if len(system.runs) == 1]
    few = [system.name for system in trained if 1 < len(system.runs) < FEW]
    if single:
        of_mean, unknown = " of its mean" * pooled, "; its rank over seeds is unknown" * (
            settings.ranks and over_seeds and not pooled
        )  # fmt: skip
        logger.warning(
            f"{plural(len(single), 'system')} with one seed: how its scores vary from seed to seed is not known, and limits"
            f"{of_mean} hold for this checkpoint only{unknown}: {first_few(single)} (if nothing in it is trained, give it the"
            " seed - in a file)"
        )
    if few and over_seeds and not (pooled and settings.no_summary):
        instead = " (--seed-variance pooled, if all vary alike)" * (
            not pooled and (settings.has_pairs or settings.ranks)
        )
        logger.warning(
            f"{plural(len(few), 'system')} with two seeds: how far they vary is estimated with one degree of freedom each, and"
            f" limits over seeds{' of means' * pooled} can be wide: {first_few(few)}{instead}"
        )
