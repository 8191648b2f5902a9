"""Families in plain words: how p is adjusted, for which pairs limits and signs hold, and the chance of a false finding over
several measures."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import OverMeasures, PairCorrection
from irci.base.errors import UsageError, logger
from irci.base.names import plural
from irci.compare.family import Family, Scored, Source
from irci.compare.request import Request
from irci.compare.rows import OnMeasure, differences, rows_of_blocks
from irci.estimators.joint_resamples import POOLED, common_topics, in_blocks, on_topics
from irci.measures import Measure
from irci.output.tables import Row
from irci.stats.bounded import FEW_DIFFERING, differing_topics
from irci.stats.decisions import separated
from irci.wording import say

HOW_ADJUSTED = {
    "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
    "bh": "by Benjamini and Hochberg's method",
}  # fmt: skip


def is_of(row: Row, source: Source) -> bool:
    """True if a row is about a source."""
    return row["population"] == source.name and all(row.get(name) == label for name, label in source.labels.items())


def sentences_of_family(request: Request, scored: Scored, on: OnMeasure) -> Iterator[str]:
    """Sentences on all pairs of a family: how p is adjusted, and what limits and signs hold for."""
    family = on.pairs
    assert family is not None
    sources = [source for source in scored.sources if source.has_p]
    correction, pairs = family.design.correction, family.number
    if not sources:
        return
    rows = rows_of_blocks([differences(on, source, has_verdicts=False) for source in sources])
    if pairs > 1 and scored.kind != "collections":  # each of which has a family of its own
        counts = {sum(is_of(row, source) for row in rows) for source in sources} - {0}
        of_pairs = "up to " * (len(counts) > 1) + str(pairs)  # of some nothing is known over one of the sources
        others = {family.correction_over(source.name) for source in sources} - {correction}
        yield from how_adjusted(of_pairs, correction, request.family, otherwise=next(iter(others), None))
        yield from limits_hold(correction)
    if correction == "maxt" and not all(source.observes for source in scored.sources):
        by_signs = [source for source in sources if family.correction_over(source.name) == "maxt"]
        yield from _of_signs(request, by_signs, rows, "adjusted p" if pairs > 1 else "p that decides")


def how_adjusted(
    pairs: str,
    correction: PairCorrection,
    family: OverMeasures = "each",
    each: str = "each measure and each population",
    *,
    otherwise: PairCorrection | None = None,
) -> Iterator[str]:
    """For how many pairs p is adjusted, how over topics and, if that is another way, `otherwise`, and `each` of what by
    itself."""
    how = HOW_ADJUSTED.get(correction, "")
    how = how if otherwise is None else f"over topics {how}, otherwise {HOW_ADJUSTED[otherwise]}"
    kind = "none" if correction == "none" else "joint" if family == "joint" else "each"
    yield say(f"adjusted.{kind}", pairs=pairs, how=how, each=each)


def limits_hold(correction: PairCorrection) -> Iterator[str]:
    """For which pairs limits hold."""
    if correction != "none":
        yield say("adjusted.alone")


def _of_signs(request: Request, sources: Sequence[Source], rows: Sequence[Row], p_name: str) -> Iterator[str]:
    if request.test == "t":
        yield say("adjusted.by_signs", p_name=p_name, over=" over topics" * request.survives)
    for source in sources:
        if source.members_of and any(is_of(row, source) for row in rows):
            yield say(
                "adjusted.members", members=source.name, groups=source.members_of, p_name=p_name,
                instead="" if request.survives else "; --correction holm has more power there",
            )  # fmt: skip


FEWEST_RUNS = 3  # of two, one is the best anyway


def check_best(request: Request, measures: Sequence[Measure]) -> None:
    """Refuse to pick the best run where no measure has one."""
    if request.best and not any(measure.more_is_better and not measure.is_count for measure in measures):
        names = ", ".join(measure.name for measure in measures)
        raise UsageError(f"--best: by {names} no run is better than another.")


def in_one(found: Sequence[OnMeasure]) -> Family | None:
    """A family of several measures that are adjusted as one, if they are."""
    families = (family for each in found for family in each.families)
    return next((family for family in families if len(family.adjusted_as_one) > 1), None)


def of_families(found: Sequence[OnMeasure], *, one_population: bool) -> Iterator[str]:
    """The families that measures, and slices, make, and the chance of a false finding in any of them; nothing of one family.
    `one_population`: the findings told are those over one of the sources."""
    diagnostic = ", ".join(each.measure.name for each in found if each.families and each.is_diagnostic)
    if diagnostic:
        yield f"Differences in {diagnostic} say how much is judged, and are no findings about runs."
    compared = [each for each in found if each.families and not each.is_diagnostic]
    if not compared or (len(compared) == 1 and compared[0].alone.request.slices is None):
        return
    if not any(source.has_p for source in compared[0].alone.scored.sources):
        return
    family, number = compared[0].families[-1], plural(len(compared), "measure")
    request, one = family.request, in_one(found)
    tested = [source for source in family.scored.sources if source.has_test_column]
    in_each = ("", "") if one_population or len(tested) < 2 else (" in each population", " in each")
    if request.slices is not None:
        yield _of_slices(compared, number)
    elif one is None:
        yield from _of_several(compared, number, in_each)
    elif one.design.correction == "bh":
        yield f"{number}, one family{in_each[0]}: the false discovery rate holds for all of them together."
    else:
        chance = f"the chance of any false finding is at most {100 * request.alpha:.4g}%"
        yield f"{number}, one family of {plural(one.number, 'difference')}{in_each[0]}: {chance}{in_each[1]}."


def _of_slices(compared: Sequence[OnMeasure], number: str) -> str:
    """The same of slices, where F of each measure is a family, and others are on all topics and in slices."""
    request, measures = compared[0].alone.request, len(compared)
    with_f = sum(on_measure.pairs is not None and on_measure.shown > 0 for on_measure in compared)
    is_joint = request.family == "joint"
    tests = 2 * (1 if is_joint else measures) + with_f
    which = f"all topics, slices{',' * is_joint} and F" if with_f else "all topics and slices"
    which += " of each" * (measures > 1 and (with_f > 0 or not is_joint))
    told = f"{number}, {tests} families ({which})"
    if request.correction == "none":
        return f"{told}: p is adjusted in F alone."
    if request.correction == "bh":
        return f"{told}: the false discovery rate holds for each by itself."
    return f"{told}: the chance of some false finding is up to {1 - (1 - request.alpha) ** tests:.0%}."


def _of_several(compared: Sequence[OnMeasure], number: str, in_each: tuple[str, str]) -> Iterator[str]:
    """The chance of a false finding in any of several families, if these were independent."""
    family, tests = compared[0].families[-1], len(compared)
    families = f"{tests} families"
    pairs = len(family.pairs)
    if pairs > 1 and family.design.correction == "none":
        tests *= pairs
        families = plural(tests, "test")
    if pairs > 1 and family.design.correction == "bh":
        yield f"{number}, {families}{in_each[0]}: the false discovery rate holds for each measure by itself."
        return
    chance = 1 - (1 - family.request.alpha) ** tests
    yield f"{number}, {families}{in_each[0]}: the chance of some false finding is up to {chance:.0%}{in_each[1]}."


def counted_as_one(found: Sequence[OnMeasure], sources: Sequence[Source]) -> Iterator[str]:
    """How many of all differences of a family over several measures are significant, over each source."""
    one = in_one(found)
    if one is None:
        return
    shown = [each for each in found if each.pairs is not None and each.shown]
    for source in [each for each in sources if each.has_test_column] if shown else ():
        p = np.concatenate(
            [each.pairs.over(source).p_adjusted[: each.shown] for each in shown if each.pairs is not None]
        )
        count = int(separated(np.nan_to_num(p, nan=1.0), one.request.alpha).sum())
        over = f"{len(shown)} measures and {plural(shown[0].shown, 'pair')} each"
        yield f"{source.among}, {count or 'none'} of {len(p)} differences, over {over}, are significant (by adjusted p)."


def warn_of_few_differing_in_one(found: Sequence[OnMeasure], sources: Sequence[Source]) -> None:
    """Say of which measures of one family signs of few differing topics decide: in two skewed measures of 10 topics max-T errs
    in 9 of 100 experiments where it should in 5."""
    one = in_one(found)
    if one is None:
        return
    hint = "" if one.request.survives else " (--correction holm is cautious)"
    by_signs = [each for each in sources if each.has_test_column and one.correction_over(each.name) == "maxt"]
    for source in by_signs:
        few = [each.measure.name for each in one.adjusted_as_one if _least_differing(each, source) < FEW_DIFFERING]
        if few:
            logger.warning(
                f"{one.prefix}{', '.join(few)}: fewer than {FEW_DIFFERING} {source.counted} differ in some pair: skewed"
                f" differences then find too much by the largest statistic{hint}"
            )


def _least_differing(family: Family, source: Source) -> int:
    """The fewest units on which a pair differs that differs at all."""
    least = FEW_DIFFERING
    for mask, some in in_blocks(common_topics(source.of_runs(family.values), family.pairs)):
        if mask.any():
            units = source.units(family.values, mask)
            number, _ = differing_topics(
                on_topics(units.values, family.pairs[some], np.ones(len(units.keys), np.bool_))
            )
            least = min(least, int(number[number > 0].min(initial=least)))
    return least


def sentences_of_selection(request: Request, found: Sequence[OnMeasure]) -> Iterator[str]:
    """Sentences on the measures compared, and on the baseline."""
    yield from of_families(found, one_population=False)
    compared = [each for each in found if each.families]
    for baseline in request.baseline:
        if baseline not in POOLED:
            yield from _of_baseline(baseline, [on for on in compared if on.measure.more_is_better])


def _of_baseline(baseline: str, compared: Sequence[OnMeasure]) -> Iterator[str]:
    """That a baseline is the best or the worst run, by which measures, if it is."""
    ends: dict[str, list[str]] = {}
    for on in compared:
        family = on.alone
        means = family.over(family.scored.sources[0]).tested.of.value
        if len(means) < FEWEST_RUNS or baseline not in family.names or np.isnan(means).any() or np.ptp(means) == 0:
            continue
        mean = means[family.names.index(baseline)]
        for word, extreme in (("highest", means.max()), ("lowest", means.min())):
            if mean == extreme:
                ends.setdefault(word, []).append(on.measure.name)
    for word, measures in ends.items():
        runs = len(compared[0].alone.names)
        yield (
            f"{baseline} has the {word} mean of {runs} runs in {', '.join(measures)}: if it was chosen for its score, compare"
            " all pairs (--all-pairs)."
        )
