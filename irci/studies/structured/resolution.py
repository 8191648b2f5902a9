"""What pairs of runs are told in a word, and whether they differ by less than matters."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from irci.base.choices import SEEDS, Varies
from irci.base.types import Bools, Floats
from irci.bootstrap.joint_resamples import NOTHING, common_topics, in_blocks, on_topics
from irci.stats.decisions import FAILING, Verdict, best_signs_p, best_t_p, differing_topics, verdicts
from irci.stats.signs import is_exact
from irci.stats.tests import adjusted
from irci.studies.structured.compared import Compared


@dataclass(frozen=True)
class Resolution:
    """Of the P pairs shown, in one population: verdicts; margin[P], p of equivalence and that adjusted by Holm's method (None
    without a margin)."""

    verdict: list[Verdict]
    margin: Floats | None = None
    p_equivalence: Floats | None = None
    p_equivalence_adjusted: Floats | None = None


def resolution(pairs: Compared, shown: int, varies: Varies) -> Resolution:
    """Of the first pairs of a family, so many of which are shown."""
    if not pairs.settings.tells_verdicts:
        return Resolution([])
    tested, alpha = pairs.tested(varies), 1 - pairs.settings.confidence
    p_adjusted, difference = tested.p_adjusted[:shown], tested.of.value[:shown]
    best = np.where(np.isnan(p_adjusted), np.nan, _best_p(pairs, shown, varies))
    identical = (_identical(pairs) & ~(tested.of.error > 0))[:shown]
    if varies == SEEDS:  # which can differ where their averages do not
        identical &= ~_seeds_differ(pairs)[:shown]
    margin = _margin(pairs, shown, varies)
    if margin is None:
        return Resolution(verdicts(difference, p_adjusted, best, identical, alpha))
    p = tested.of.equivalence_p(np.pad(margin, (0, len(tested.p) - shown)))[:shown]
    in_family = adjusted(p, "holm")
    return Resolution(verdicts(difference, p_adjusted, best, identical, alpha, in_family), margin, p, in_family)


def failures(pairs: Compared, found: Resolution, varies: Varies, chosen: Bools) -> Iterator[str]:
    """The pairs of which --fail-if holds, of the chosen ones, bool[P] of those shown."""
    condition, names = pairs.settings.fail_if, pairs.comparison.names
    if condition is None:
        return
    of_pairs = zip(found.verdict, pairs.comparison.pairs.tolist(), chosen.tolist(), strict=False)
    for verdict, (run, baseline), is_chosen in of_pairs:
        if is_chosen and verdict in FAILING[condition]:
            of_pair = f"{pairs.measure.name}: {names[run]} against {names[baseline]} ({varies})"
            yield f"{of_pair}: {verdict} (--fail-if {condition})"


def _identical(pairs: Compared) -> Bools:
    """bool[P]: whether the two score the same on every topic."""
    values, result = pairs.structure.of_runs(pairs.values), np.zeros(len(pairs.comparison.pairs), np.bool_)
    for mask, some in in_blocks(common_topics(values, pairs.comparison.pairs)):
        if mask.any():
            result[some] = differing_topics(on_topics(values, pairs.comparison.pairs[some], mask)) == 0
    return result


def _seeds_differ(pairs: Compared) -> Bools:
    """bool[P]: whether seeds of either of the two differ on some topic: the mean of squares is not the square of the mean."""
    values, of_systems = pairs.values, pairs.structure.of_runs
    largest = np.nan_to_num(np.abs(values)).max(initial=0.0)
    differ = (np.abs(of_systems(values**2) - of_systems(values) ** 2) > 1e-12 * largest**2).any(axis=1)
    of_either: Bools = differ[pairs.comparison.pairs].any(axis=1)
    return of_either


def _best_p(pairs: Compared, shown: int, varies: Varies) -> Floats:
    """The least p that differences of these sizes could have had; 0 where that is not worked out: by t, if units are not alike
    in weight, or seeds vary."""
    best, chosen = np.zeros(shown), pairs.comparison.pairs[:shown]
    by_signs = pairs.settings.test == "randomization" or pairs.correction == "maxt"
    if varies not in pairs.structure.with_signs:
        return best
    for mask, some in in_blocks(common_topics(pairs.structure.of_runs(pairs.values), chosen)):
        if mask.any():
            units = pairs.structure.units(pairs.values, mask, varies)
            differences = on_topics(units.values, chosen[some], np.ones(len(units.keys), np.bool_))
            if by_signs:
                drawn = not is_exact(len(units.keys), pairs.signs)
                best[some] = best_signs_p(differences, 1 / (pairs.signs + 1) if drawn else 0.0)
            elif units.weights is None:
                best[some] = best_t_p(differences)
    return best


def _margin(pairs: Compared, shown: int, varies: Varies) -> Floats | None:
    """Within which differences[shown] do not matter; a share is one of the baseline's observed mean on the topics that the two
    share, taken as fixed."""
    margin = pairs.settings.equivalence
    if margin is None:
        return None
    if not margin.is_share:
        return np.full(shown, margin.amount)
    chosen, mean = pairs.comparison.pairs[:shown], np.full(shown, np.nan)
    alone = np.column_stack((chosen[:, 1], np.full(shown, NOTHING)))
    for mask, some in common_topics(pairs.structure.of_runs(pairs.values), chosen):
        common = np.where(mask, pairs.values, np.nan)
        mean[some] = pairs.structure.estimates(common, alone[some], varies).value
    share: Floats = margin.amount * np.abs(mean)
    return share
