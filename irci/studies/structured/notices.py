"""What is warned of where topics belong together: p that cannot be small, limits that are missing or rest on little."""

import logging
import math
from collections.abc import Iterable, Sequence

import numpy as np

from irci.base.choices import SEEDS, TOPICS, Varies
from irci.base.errors import DataError, first_few, plural
from irci.stats.signs import smallest_sign_flip_p
from irci.studies.structured.compared import Compared

logger = logging.getLogger("irci")

# Student's t with fewer degrees of freedom is a rough description of what CR2 and sums of variances do, then none.
FEW_DF, TOO_FEW_DF = 4, 2


def warn_of_dropped(families: Iterable[Compared]) -> None:
    """Say what is left out where all pairs are compared at once, once a base measure."""
    told = set()
    for family in families:
        scored, base = family.structure.of_runs(family.values), family.prefix + family.measure.base.name
        lacking = int(np.isnan(scored).any(axis=0).sum())
        if family.correction == "maxt" and lacking and base not in told:
            told.add(base)
            dropped = plural(lacking, "version" if family.structure.kind == "versions" else "topic")
            logger.warning(f"{base}: {dropped} that some run lacks, dropped as all pairs are compared at once")


def warn_of_few_df(families: Iterable[tuple[Compared, int]], varies: Sequence[Varies]) -> None:
    """Say so if limits rest on few degrees of freedom, of the fewest; of each family so many pairs are shown."""
    # A single collection is as plain map-ci of it, which does not warn of Student's t of few topics.
    found = [each for each in families if not each[0].structure.where]
    for each in varies:
        df = np.concatenate([np.empty(0), *(family.tested(each).of.df[:shown] for family, shown in found)])
        least = df[np.isfinite(df)].min(initial=math.inf)
        if least < FEW_DF:
            trust = "do not rely on them" if least < TOO_FEW_DF else "take them as rough"
            fewest = math.floor(10 * least) / 10
            degrees = "degree" if fewest == 1 else "degrees"
            logger.warning(f"limits over {each} rest on only {fewest:g} {degrees} of freedom: {trust}")


def warn_of_missing_limits(runs: Compared, pairs: Compared | None, shown: int, varies: Sequence[Varies]) -> None:
    """Say how many runs, and of the pairs shown, have none because of topics that are not scored; where all are, it is the
    structure that leaves none."""
    for each in varies:
        without = []
        for family, noun, last in ((runs, "run", None), (pairs, "pair", shown)):
            if family is not None and np.isnan(family.values).any():
                of = family.tested(each).of
                number = int((of.is_told & np.isnan(of.error) & ~np.isnan(of.value))[:last].sum())
                without += [plural(number, noun)] * (number > 0)
        if without:
            of_them = " and ".join(without)
            missing = "versions" if runs.structure.kind == "versions" else TOPICS
            logger.warning(f"{runs.title}: no limits over {each} for {of_them}, where {missing} are missing")


def warn_of_constant(pairs: Compared, shown: int, varies: Sequence[Varies]) -> None:
    """Say where p comes from that Student's t has not."""
    counted = {
        (pairs.tested(each).test[:shown].count("signs"), TOPICS if each == SEEDS else each): None for each in varies
    }
    for count, units in counted:
        if count:
            of_pairs = plural(count, "pair")
            logger.warning(
                f"{pairs.title}: differences of {of_pairs} are equal on all {units}: p comes from the signs, and limits"
                " without width are no certainty"
            )


def warn_of_untold(pairs: Compared, shown: int, varies: Sequence[Varies]) -> None:
    """Say of how many of the pairs shown nothing is known in a population. Raises DataError if that is so of all in all."""
    untold = {each: int((~pairs.tested(each).of.is_told[:shown]).sum()) for each in varies}
    if all(number == shown for number in untold.values()):
        others = [each for each in pairs.structure.varies if each not in varies]
        hint = f" (--population {others[0]})" if others else ""
        raise DataError(f"{pairs.title}: nothing is known of {plural(shown, 'pair')} over {varies[0]}{hint}")
    for each, number in untold.items():
        if number:
            logger.warning(f"{pairs.title}: nothing is known of {plural(number, 'pair')} over {each}")


def warn_of_constant_means(runs: Compared, varies: Sequence[Varies]) -> None:
    """Say where limits of means have no width."""
    counted: dict[tuple[int, str], None] = {}
    for each in varies:
        of = runs.tested(each).of
        counted[int((of.is_told & of.constant & (of.value != 0)).sum()), TOPICS if each == SEEDS else each] = None
    for count, units in counted:
        if count:
            means = plural(count, "mean")
            logger.warning(
                f"{runs.title}: {means} of scores that are equal on all {units}: limits without width are no certainty"
            )


def warn_of_nothing_common(pairs: Compared, shown: int, varies: Sequence[Varies]) -> None:
    """Name the pairs that no topic compares."""
    nothing = np.isnan(pairs.tested(varies[0]).of.value[:shown])
    if nothing.any() and pairs.structure.kind != "collections":
        names = pairs.comparison.names
        named = [f"{names[run]}/{names[other]}" for run, other in pairs.comparison.pairs[:shown][nothing].tolist()]
        logger.warning(f"{pairs.title}: no topic that both runs are scored on: {first_few(named)}")


def warn_of_smallest_p(family: Compared, varies: Sequence[Varies]) -> None:
    """Say so if no p that signs can give survives the correction for so many pairs."""
    alpha = 1 - family.settings.confidence
    if family.settings.test != "randomization" and family.correction != "maxt":
        return
    number = len(family.comparison.pairs) if family.correction == "holm" else 1
    for each in varies:
        units = int(family.tested(each).of.units.max(initial=0))
        if units and smallest_sign_flip_p(units, family.signs) > alpha / number:
            few = each if family.is_exact(each) else "resamples (-B)"
            logger.warning(f"{family.title}: too few {few} for any p_adjusted below {alpha:g}")
