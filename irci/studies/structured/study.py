"""map-ci of structured topics: from settings and a structure to a report."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irci.bootstrap.joint_resamples import POOLED, Comparison
from irci.choices import PairCorrection
from irci.data.measures import Measure
from irci.errors import DataError, UsageError, unknown
from irci.output.report import Report, Table, tables
from irci.stats.simultaneous import all_pairs
from irci.studies.structured.captions import caption
from irci.studies.structured.compared import Compared
from irci.studies.structured.rows import rows_of_differences, rows_of_means, rows_of_ranks
from irci.studies.structured.sentences import explanation
from irci.studies.structured.settings import Settings
from irci.studies.structured.structure import Structure
from irci.types import Pairs


@dataclass(frozen=True)
class OnMeasure:
    """What is compared on one measure: the runs by themselves, the pairs shown (the first of a family that may have more),
    and the family of all pairs if ranks are asked for."""

    runs: Compared
    pairs: Compared | None
    shown: int
    ranked: Compared | None

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
    found = [OnMeasure.of(settings, structure, correction, each, threads) for each in structure.measures]
    means: list[Table] = []
    compared: list[Table] = []
    for each in found:
        if not settings.no_summary:
            means += tables("estimate", "", rows_of_means(each.runs, varies))
        if each.pairs is not None and each.shown:
            rows = rows_of_differences(each.pairs, np.arange(each.shown), varies)
            compared += tables("difference", each.runs.measure.name, rows)
        if each.ranked is not None:
            compared += tables("rank", each.runs.measure.name, rows_of_ranks(each.ranked, varies))
    result = [*means, *compared]
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
            "signs": settings.signs,
            "confidence": settings.confidence,
            "seed": settings.seed,
            "epsilon": settings.epsilon,
            **signature,
            **structure.signature(),
        },
        explain=lambda: explanation(result, structure, settings, correction),
        files=files or {},
        caption=lambda shown: caption(
            settings,
            structure,
            correction,
            shown,
            [each.pairs for each in found if each.pairs],
            [each.ranked for each in found if each.ranked],
        ),
    )


def _check_runs(settings: Settings, structure: Structure) -> None:
    if (settings.has_pairs or settings.ranks) and len(structure.runs) < 2:
        raise DataError("to compare runs, give at least two")
    if settings.baseline is not None and settings.baseline not in (*structure.runs, *POOLED):
        raise DataError(unknown("run", settings.baseline, structure.runs))
