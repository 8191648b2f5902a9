"""map-ci of structured topics: from settings and a structure to a report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irci.base.choices import PairCorrection, Varies
from irci.base.errors import DataError, UsageError, unknown
from irci.base.types import Pairs
from irci.bootstrap.joint_resamples import POOLED, Comparison
from irci.data.measures import Measure
from irci.output.report import Report, Table, tables
from irci.stats.decisions import all_pairs
from irci.studies.map_ci.margin import check_margin
from irci.studies.map_ci.runs import by_base
from irci.studies.sources_in_words import STRUCTURED, among
from irci.studies.structured.captions import caption
from irci.studies.structured.compared import Compared
from irci.studies.structured.notices import (
    warn_of_constant,
    warn_of_constant_means,
    warn_of_dropped,
    warn_of_few_df,
    warn_of_missing_limits,
    warn_of_nothing_common,
    warn_of_smallest_p,
    warn_of_untold,
)
from irci.studies.structured.resolution import Resolution, failures, resolution
from irci.studies.structured.rows import rows_of_differences, rows_of_means, rows_of_ranks
from irci.studies.structured.sentences import explanation
from irci.studies.structured.settings import Settings
from irci.studies.structured.structure import Structure


@dataclass(frozen=True)
class OnMeasure:
    """What is compared on one measure: the runs by themselves, the pairs shown (the first of a family that may have more),
    and the family of all pairs if ranks are asked for."""

    runs: Compared
    pairs: Compared | None
    shown: int
    ranked: Compared | None
    _resolutions: dict[Varies, Resolution] = field(default_factory=dict)

    def resolution(self, varies: Varies) -> Resolution:
        """What is told of the pairs shown, found once."""
        if varies not in self._resolutions:
            assert self.pairs is not None
            self._resolutions[varies] = resolution(self.pairs, self.shown, varies)
        return self._resolutions[varies]

    def failures(self, varies: Sequence[Varies]) -> Iterator[str]:
        """The pairs of which --fail-if holds, each in the first population that tells of it, or the first of all."""
        if self.pairs is None or not self.shown:
            return
        told = np.array([self.pairs.tested(each).of.is_told[: self.shown] for each in varies])
        for place, each in enumerate(varies):
            yield from failures(self.pairs, self.resolution(each), each, told.argmax(axis=0) == place)

    @property
    def families(self) -> list[Compared]:
        """All pairs compared, each family once."""
        found = [self.pairs] if self.pairs is self.ranked else [self.pairs, self.ranked]
        return [family for family in found if family is not None]

    @classmethod
    def of(
        cls, settings: Settings, structure: Structure, correction: PairCorrection, measure: Measure, threads: int
    ) -> "OnMeasure":
        """With ranks all pairs of runs decide, about the pairs shown as well."""
        # A run's own limits do not depend on the others.
        by_itself = replace(settings, ranks=False, interval=None, adjusted_limits=False, test="t")
        alone = Comparison.of(structure.runs, None, False, False, alone=True)
        runs = Compared(by_itself, structure, "none", measure, alone)
        chosen = Comparison.of(structure.runs, settings.baseline, settings.has_pairs, settings.all_pairs, alone=False)
        every = replace(chosen, names=list(structure.runs), pairs=_with_all_others(chosen), pooled=None)
        ranked = Compared(settings, structure, correction, measure, every, threads) if settings.ranks else None
        pairs = ranked
        if settings.has_pairs and (ranked is None or chosen.pooled):
            pairs = Compared(settings, structure, correction, measure, chosen, threads)
        return cls(runs, pairs, len(chosen.pairs), ranked)


def _with_all_others(chosen: Comparison) -> Pairs:
    """The pairs chosen, as they are, and behind them all other pairs of runs."""
    if chosen.pooled:
        return all_pairs(len(chosen.names) - 1)
    there = {frozenset(pair) for pair in chosen.pairs.tolist()}
    others = [pair for pair in all_pairs(len(chosen.names)).tolist() if frozenset(pair) not in there]
    return np.array([*chosen.pairs.tolist(), *others], np.int64).reshape(-1, 2)


def structured(
    settings: Settings, structure: Structure, signature: Mapping[str, Any], *, threads: int = 1,
    files: Mapping[str, str] | None = None,
) -> Report:  # fmt: skip
    """Means, differences and ranks of runs whose topics belong together; `signature`: of what was read; `files`: to save."""
    varies = settings.varying(structure.varies)
    if not varies:
        raise UsageError(f"--population {settings.population}: there are only {' and '.join(structure.varies)} here.")
    correction = settings.chosen_correction(structure.with_signs, varies)
    _check_runs(settings, structure)
    for measure in structure.measures:
        check_margin(settings.equivalence, measure, settings.scale(measure), signature.get("standardise"))
    found = [OnMeasure.of(settings, structure, correction, each, threads) for each in structure.measures]
    result = [*([] if settings.no_summary else _means(found, varies)), *_comparisons(found, varies)]
    _warn(found, varies, with_means=not settings.no_summary)
    return Report(
        tables=result,
        signature={
            "command": f"map-ci --{structure.kind}",
            "measures": " ".join(measure.name for measure in structure.measures),
            "populations": " ".join(varies),
            "baseline": settings.compared_with,
            "test": settings.test,
            "interval": settings.interval or "t",
            "correction": correction,
            "signs": settings.signs(correction),
            "equivalence": None if settings.equivalence is None else str(settings.equivalence),
            "confidence": settings.confidence,
            "seed": settings.seed,
            "epsilon": settings.epsilon,
            **signature,
            **structure.signature(),
        },
        explain=lambda: explanation(result, structure, settings, correction),
        failures=[failure for each in found for failure in each.failures(varies)],
        files=files or {},
        caption=lambda shown: caption(
            settings,
            structure,
            correction,
            shown,
            [each.pairs for each in found if each.pairs],
            [each.ranked for each in found if each.ranked],
        ),
        sources=among(STRUCTURED[structure.kind], varies),
    )


def _means(found: Sequence[OnMeasure], varies: Sequence[Varies]) -> Iterator[Table]:
    """For each run its means."""
    for place in range(len(found[0].runs.comparison.names) if found else 0):
        yield from tables("estimate", "", (row for each in found for row in rows_of_means(each.runs, place, varies)))


def _comparisons(found: Sequence[OnMeasure], varies: Sequence[Varies]) -> Iterator[Table]:
    """Differences, then ranks, by all means of one base measure."""
    for _, of_base in by_base([each.runs.measure for each in found]):
        some = [each for each in found if each.runs.measure in of_base]
        for each in some:
            if each.pairs is not None and each.shown:
                told = {population: each.resolution(population) for population in varies}
                rows = rows_of_differences(each.pairs, np.arange(each.shown), told)
                yield from tables("difference", each.runs.measure.name, rows)
        for each in some:
            if each.ranked is not None:
                yield from tables("rank", each.runs.measure.name, rows_of_ranks(each.ranked, varies))


def _warn(found: Sequence[OnMeasure], varies: Sequence[Varies], *, with_means: bool) -> None:
    """Of what rows do not say."""
    families = [family for each in found for family in each.families]
    warn_of_dropped(families)
    shown = [(each.runs, len(each.runs.comparison.pairs) * with_means) for each in found]
    warn_of_few_df([*shown, *((each.pairs, each.shown) for each in found if each.pairs is not None)], varies)
    for each in found:
        warn_of_missing_limits(each.runs, each.pairs, each.shown, varies)
        if each.pairs is not None:
            warn_of_constant(each.pairs, each.shown, varies)
        if each.pairs is not None and each.shown:
            warn_of_untold(each.pairs, each.shown, varies)
            warn_of_nothing_common(each.pairs, each.shown, varies)
        if with_means:
            warn_of_constant_means(each.runs, varies)
        for family in each.families[-1:]:
            warn_of_smallest_p(family, varies)


def _check_runs(settings: Settings, structure: Structure) -> None:
    if (settings.has_pairs or settings.ranks) and len(structure.runs) < 2:
        raise DataError("to compare runs, give at least two")
    if settings.baseline is not None and settings.baseline not in (*structure.runs, *POOLED):
        raise DataError(unknown("run", settings.baseline, structure.runs))
