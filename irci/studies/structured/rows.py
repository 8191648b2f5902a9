"""What the study of structured topics says of runs and pairs, as rows."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.choices import Varies
from irci.base.types import Ints
from irci.bootstrap.joint_resamples import NOTHING
from irci.output.report import Bounded, PValue, Row
from irci.stats.decisions import MOST_LETTERS, better, ranks, separated
from irci.stats.estimates import Estimates
from irci.stats.scales import PLAIN, Scale
from irci.studies.structured.compared import Compared
from irci.studies.structured.resolution import Resolution
from irci.studies.structured.settings import Settings

logger = logging.getLogger("irci")


def rows_of_means(runs: Compared, place: int, varies: Sequence[Varies]) -> Iterator[Row]:
    """For the run at a place its mean with limits over each population, transformed back; for a mean of logits that of the
    logits too. `runs`: each with NOTHING."""
    measure, scale = runs.measure, runs.settings.scale(runs.measure)
    scales = {measure.name: scale} | ({f"{measure.name}_logit": PLAIN} if measure.family.summary == "logit" else {})
    for each in varies:
        tested = runs.tested(each)
        for name, back in scales.items() if tested.of.is_told[place] else ():
            row = _estimate(name, runs.comparison.names[place], tested.of, tested.limits, place, each, back)
            yield Bounded(row) if scale == PLAIN and measure.is_bounded else row


def _estimate(
    name: str, run: str, of: Estimates, limits: tuple[Any, Any], place: int, varies: Varies, scale: Scale
) -> dict[str, Any]:
    value, lower, upper = scale.back(np.array([of.value[place], limits[0][place], limits[1][place]])).tolist()
    return {
        "measure": name, "topic": "all", "value": value, "lower": lower, "upper": upper, "run": run, "population": varies,
        "df": float(of.df[place]), **_columns(of, place),
    }  # fmt: skip


def _columns(of: Estimates, place: int) -> dict[str, Any]:
    """What else is told of an estimate."""
    return {name: column[place].item() for name, column in of.columns.items()}


def rows_of_differences(pairs: Compared, shown: Ints, told: Mapping[Varies, Resolution]) -> Iterator[Row]:
    """For the pairs shown a row a population, with what is told of them in each."""
    names = pairs.comparison.names
    scale = pairs.settings.scale(pairs.measure).name
    name = "_".join(filter(None, (pairs.measure.name, scale, "diff")))
    for place in shown.tolist():
        run, baseline = pairs.comparison.pairs[place].tolist()
        assert baseline != NOTHING
        for each, resolution in told.items():
            tested = pairs.tested(each)
            if not tested.of.is_told[place]:
                continue
            row: dict[str, Any] = {
                "measure": name, "topic": "all", "value": float(tested.of.value[place]),
                "lower": float(tested.limits[0][place]), "upper": float(tested.limits[1][place]),
                "run": names[run], "baseline": names[baseline], "population": each, "p": PValue(tested.p[place]),
                "p_adjusted": PValue(tested.p_adjusted[place]), "df": float(tested.of.df[place]), "test": tested.test[place],
            }  # fmt: skip
            if tested.limits_adjusted is not None:
                row["lower_adjusted"], row["upper_adjusted"] = (float(each[place]) for each in tested.limits_adjusted)
            if tested.p_error is not None:
                row["p_error"] = PValue(tested.p_error[place], least=0.0)  # 0 if all signs were gone through
            yield row | _columns(tested.of, place) | _resolved(pairs.settings, resolution, place)


def _resolved(settings: Settings, found: Resolution, place: int) -> dict[str, Any]:
    """The columns on equivalence, and a word."""
    columns: dict[str, Any] = {}
    if found.p_equivalence is not None and found.p_equivalence_adjusted is not None:
        columns["p_equivalence"] = PValue(found.p_equivalence[place])
        columns["p_equivalence_adjusted"] = PValue(found.p_equivalence_adjusted[place])
    return columns | ({"verdict": found.verdict[place]} if settings.tells_verdicts else {})


def rows_of_ranks(pairs: Compared, varies: Sequence[Varies]) -> Iterator[Row]:
    """For each run its rank among all, limits and letters, for each population; `pairs`: all of them."""
    runs = len(pairs.structure.runs)
    alone = np.column_stack((np.arange(runs), np.full(runs, NOTHING)))
    common = ~np.isnan(pairs.structure.of_runs(pairs.values)).any(axis=0)
    if not common.any():
        return  # which was told of
    for each in varies:
        means = pairs.structure.estimates(np.where(common, pairs.values, np.nan), alone, each).value
        if np.isnan(means).all():
            logger.warning(f"{pairs.title}: no ranks ({each}): the runs have no topic in common in some collection")
            continue
        tested = pairs.tested(each)
        decided = separated(np.nan_to_num(tested.p_adjusted, nan=1.0), 1 - pairs.settings.confidence)
        ranked = ranks(means, better(pairs.comparison.pairs, tested.of.value, decided, runs))
        if ranked.letters[0] == "-":
            logger.warning(f"{pairs.title}: more than {MOST_LETTERS} groups of runs ({each}): no letters")
        for place, run in enumerate(pairs.structure.runs):
            yield {
                "measure": "rank", "topic": "all", "value": int(ranked.rank[place]), "lower": int(ranked.lower[place]),
                "upper": int(ranked.upper[place]), "run": run, "letters": ranked.letters[place], "population": each,
                "ranked_by": pairs.measure.name,
            }  # fmt: skip
