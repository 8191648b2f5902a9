"""Warnings: of p that cannot be small or means something else, of limits that are missing or rest on little, of scores and
differences that hardly vary."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS
from irci.base.errors import DataError, logger
from irci.base.names import first_few, plural
from irci.base.types import Bools, Floats
from irci.compare.best import warn_of_best
from irci.compare.family import Family, Resampled, Scored, Source
from irci.compare.family_sentences import warn_of_few_differing_in_one
from irci.compare.request import Request
from irci.compare.rows import OnMeasure
from irci.compare.wording import amount
from irci.data.notices import warn_of_topics
from irci.estimators.compare.edges import limits, of_differences
from irci.estimators.compare.means import Tested
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.stats.bounded import FEW_DIFFERING, differing_topics
from irci.stats.signs import is_exact, smallest_sign_flip_p
from irci.stats.tests import least_of_signs

# Student's t with fewer degrees of freedom is a rough description of what CR2 and sums of variances do, then none.
FEW_DF, TOO_FEW_DF = 4, 2
# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1
SYMMETRIC = "and assumes that differences are symmetric about their mean; the limits do not, and may contain 0"


def warn_of_bases(request: Request, scored: Scored, found: Sequence[OnMeasure]) -> None:
    """The same of all base measures, where runs are compared."""
    if not (request.has_pairs or request.ranks or request.best or request.meta is not None):
        return
    by_base: dict[str, list[OnMeasure]] = {}
    for on in found:
        if not on.measure.is_count:
            by_base.setdefault(on.measure.base.name, []).append(on)
    for of_base in by_base.values():
        _warn_of_base(request, scored, of_base)


def _warn_of_base(request: Request, scored: Scored, some: Sequence[OnMeasure]) -> None:
    """Say what is left out where all pairs are compared at once, and where resampled documents know too little; of all means
    of one base measure."""
    family = next((each.families[0] for each in some if each.families), some[0].alone)
    base = family.prefix + family.measure.base.name
    scored_by = scored.sources[0].of_runs(scored.scores(family.measure.base, family.comparison))
    lacking = int(np.isnan(scored_by).any(axis=0).sum())
    of_all = family.design.correction == "maxt" and family.is_of_pairs
    if lacking and (of_all or request.best):
        dropped = plural(lacking, "version" if scored.kind == "versions" else "topic")
        why = "all pairs are compared at once" if of_all else "the best run is the best of all on the same topics"
        logger.warning(f"{base}: {dropped} that some run lacks, dropped as {why}")
    if scored.resampled is not None:
        _warn_of_few_relevant(request, family, scored.resampled)


def _warn_of_few_relevant(request: Request, family: Family, resampled: Resampled) -> None:
    """Say where resampled documents know too little: `tests/test_soundness.py` measures how wrong p is then."""
    base = family.measure.base
    relevance = resampled.relevances.get(base.sees)
    if relevance is None:
        return
    there = ~np.isnan(family.raw).all(axis=0)
    relevant = relevance.num_relevant[there]
    topics = np.array(family.scored.topics, object)[there]
    few = (relevant > 0) & (relevant < FEW)
    over_documents = any(source.name == DOCUMENTS for source in family.scored.sources)
    if request.has_pairs and over_documents and few.sum() > MANY_TOPICS * len(few):
        happens = f"with fewer than {FEW} relevant documents, p over documents too small (--population topics)"
        warn_of_topics(base.name, happens, topics[few].tolist())
    few = (relevant > 0) & (relevant < FEW_FOR_META)
    if request.meta is not None:
        happens = f"with fewer than {FEW_FOR_META} relevant documents, which --meta trusts too much"
        warn_of_topics(base.name, happens, topics[few].tolist())


def _warn_of_tests(on: OnMeasure, sources: Sequence[Source]) -> None:
    """Say where p is not about the difference of means that is printed, and where limits lack."""
    assert on.pairs is not None
    design, name = on.pairs.design, on.measure.name
    topics = next((source for source in sources if source.observes and source.name == TOPICS), None)
    if topics is None:
        return
    if design.test in ("wilcoxon", "sign"):
        logger.warning(f"{name}: {design.test} does not test the difference of means that is printed")
        against = int(on.resolution(topics).contradicts.sum())
        if against:
            of_pairs = plural(against, "pair")
            logger.warning(f"{name}: {design.test} finds {of_pairs} to differ in the opposite direction to their means")


def warn(request: Request, scored: Scored, found: Sequence[OnMeasure]) -> None:
    """Warn of what rows do not say."""
    if any(source.own_notices for source in scored.sources):
        return
    _warn_of_few_df(request, scored, found)
    _warn_of_the_top(request, scored)
    warn_of_few_differing_in_one(found, scored.sources)
    warn_of_best(found)
    for each in found:
        _warn_of_missing_limits(each, scored)
        if each.pairs is not None:
            _warn_of_tests(each, scored.sources)
            _warn_of_constant(each.pairs, each.shown, scored.sources)
        if each.pairs is not None and each.shown:
            _warn_of_few_differing(each.pairs, each.shown, scored.sources)
            _warn_of_unknown(each.pairs, each.shown, scored.sources)
            _warn_of_nothing_common(each.pairs, each.shown, scored)
        if not request.no_summary and not each.measure.is_count:
            _warn_of_constant_means(each.alone, scored.sources)
        for family in each.families[-1:]:
            told = dict.fromkeys(_of_smallest_p(family, source) for source in scored.sources)
            _tell(family.title, filter(None, told))


def _warn_of_the_top(request: Request, scored: Scored) -> None:
    """Warn of p and limits over documents of pairs by measures that look at the top alone.

    Two jittered copies of one ranking, exchangeable on every topic, differ significantly over documents in 9 to 13 of 100
    pairs by RR, success and the like, where it should be 5; over topics in 3 to 5 (doc/trust.md).
    """
    has_p = (request.has_pairs or request.ranks) and scored.resampled is not None
    if has_p and any(source.name == DOCUMENTS for source in scored.sources):
        names = [measure.name for measure in scored.measures if measure.is_of_the_top]
        if names:
            logger.warning(
                f"p and limits over documents are too confident for {', '.join(names)}: about 10 in 100 equal pairs have p"
                " below .05 (--population topics)"
            )


def _warn_of_few_df(request: Request, scored: Scored, found: Sequence[OnMeasure]) -> None:
    """Say so if limits rest on few degrees of freedom, of the fewest; plain topics have as many as everybody expects."""
    if scored.where:
        return
    for source in scored.sources:
        if "df" not in source.before:
            continue
        df = [np.empty(0)]
        for each in found:
            if not request.no_summary:
                df.append(each.alone.over(source).tested.of.df)
            if each.pairs is not None:
                df.append(each.pairs.over(source).tested.of.df[: each.shown])
        every = np.concatenate(df)
        least = every[np.isfinite(every)].min(initial=math.inf)
        if least < FEW_DF:
            trust = "do not rely on them" if least < TOO_FEW_DF else "take them as rough"
            fewest = math.floor(10 * least) / 10
            degrees = "degree" if fewest == 1 else "degrees"
            logger.warning(f"limits over {source.name} rest on only {fewest:g} {degrees} of freedom: {trust}")


def _warn_of_missing_limits(on: OnMeasure, scored: Scored) -> None:
    """Say how many runs, and of the pairs shown, have none because of topics that are not scored; where all are, it is the
    source that leaves none."""
    for source in scored.sources:
        without = []
        for family, noun, last in ((on.alone, "run", None), (on.pairs, "pair", on.shown)):
            if family is not None and not source.observes and np.isnan(family.values).any():
                of = family.over(source).tested.of
                number = int((of.is_told & np.isnan(of.error) & ~np.isnan(of.value))[:last].sum())
                without += [plural(number, noun)] * (number > 0)
        if without:
            missing = "versions" if scored.kind == "versions" else TOPICS
            of_them = " and ".join(without)
            logger.warning(f"{on.alone.title}: no limits over {source.name} for {of_them}, where {missing} are missing")


def _warn_of_unknown(family: Family, shown: int, sources: Sequence[Source]) -> None:
    """Say of how many of the pairs shown nothing is known over a source. Raises DataError if that is so of all over all."""
    untold = {source.name: int((~family.over(source).tested.of.is_told[:shown]).sum()) for source in sources}
    if all(number == shown for number in untold.values()):
        hint = "" if TOPICS in untold else f" (--population {TOPICS})"
        of_pairs = plural(shown, "pair")
        raise DataError(f"{family.title}: nothing can be said about {of_pairs} over {sources[0].name}{hint}")
    for name, number in untold.items():
        if number:
            logger.warning(f"{family.title}: nothing can be said about {plural(number, 'pair')} over {name}")


def _warn_of_nothing_common(family: Family, shown: int, scored: Scored) -> None:
    nothing = np.isnan(family.over(scored.sources[0]).tested.of.value[:shown])
    if nothing.any() and scored.kind != "collections":
        named = [f"{family.names[run]}/{family.names[other]}" for run, other in family.pairs[:shown][nothing].tolist()]
        logger.warning(f"{family.title}: no topic that both runs are scored on: {first_few(named)}")


def _of_smallest_p(family: Family, source: Source) -> str:
    """Words where even the least p that there is, of these signs, units or resamples, is not significant; else none."""
    design, alpha, correction = family.design, family.request.alpha, family.correction_over(source.name)
    tested, pairs = family.over(source).tested, family.number if correction == "holm" else 1
    units, least = source.most_units(family, tested), 0.0
    few, instead = TOPICS if source.name == BOTH else source.counted, ""
    if source.name == DOCUMENTS:
        if correction == "maxt" and source.has_draws:
            few, least = "resamples (-B)", 1 / (design.resamples + 1)
    elif not units:
        return ""
    elif correction == "maxt" or design.test in ("randomization", "wilcoxon"):
        least = smallest_sign_flip_p(units, design.signs)
        few = few if is_exact(units, design.signs) else "resamples (-B)"
    elif tested.test and set(tested.test) <= {"t", "t, signs", "signs"}:
        held = source.held_to_signs(tested.of)
        least = float(least_of_signs(units)) if (held[tested.of.units > 0] > 0).all() else 0.0
        instead = " (--correction maxt)" * (least <= alpha and source.has_draws)
    return f"too few {few} for any p_adjusted below {alpha:.3g}{instead}" if least > alpha / pairs else ""


def _warn_of_constant(family: Family, shown: int, sources: Sequence[Source]) -> None:
    """Say how many of the pairs shown differ by one number on all units, and how many of all have no limits as nothing
    varies."""
    told: dict[str, None] = {}
    for source in _of_units(sources):
        tested = family.over(source).tested
        if not tested.test:  # bounds over judgments, of which nothing is tested
            continue
        without = _without_limits(tested)[:shown]
        signs = np.array(tested.test[:shown], object) == "signs"
        units = source.counted
        for chosen, happens in ((signs & ~without, SYMMETRIC), (signs & without, "and there are no limits")):
            if count := int(chosen.sum()):
                equal = f"{plural(count, 'pair')} with the same difference on all {units}"
                told[f"{equal}: p comes from the signs, {happens}"] = None
        if count := int((~signs & without).sum()):
            told[f"{plural(count, 'pair')} with the same difference on all {units}: no limits"] = None
    _tell(family.title, told)


def _warn_of_constant_means(alone: Family, sources: Sequence[Source]) -> None:
    """Say how many means have no limits as nothing varies."""
    told: dict[str, None] = {}
    for source in _of_units(sources):
        if count := int(_without_limits(alone.over(source).tested).sum()):
            told[f"{plural(count, 'mean')} of scores that are the same on all {source.counted}: no limits"] = None
    _tell(alone.title, told)


def _of_units(sources: Sequence[Source]) -> Iterable[Source]:
    # Documents are resampled, and what these resamples do not change is told where pairs are.
    return (source for source in sources if not source.observes or source.name == TOPICS)


def _without_limits(tested: Tested) -> Bools:
    """bool[P]: nothing varies, and there are no limits."""
    found: Bools = tested.of.is_told & (tested.of.error == 0) & np.isnan(tested.limits[0])
    return found


def _tell(title: str, told: Iterable[str]) -> None:
    for each in told:
        logger.warning(f"{title}: {each}")


def _warn_of_few_differing(family: Family, shown: int, sources: Sequence[Source]) -> None:
    """Say of the pairs shown that limits by t over plain topics are sure only if no rare large difference was missed, where
    fewer than 10 topics differ; of a single pair what bounded limits are."""
    topics = next((source for source in sources if source.observes and source.name == TOPICS), None)
    if topics is None or family.scored.where:
        return
    by_t = np.array(family.over(topics).tested.interval[:shown], object) == "t"
    few = 0
    for mask, some in in_blocks(common_topics(family.values, family.pairs[:shown])):
        if mask.any():
            differences = on_topics(family.values, family.pairs[some], mask)
            differ, share = differing_topics(differences)
            is_few = by_t[some] & (differ > 0) & (differ < FEW_DIFFERING)
            few += int(is_few.sum())
            if shown == 1 and few:
                _warn_of_pair(family, differences, int(differ[0]), float(share[0]))
                return
    if few:
        logger.warning(
            f"{family.title}: fewer than {FEW_DIFFERING} topics differ in {few} of {plural(shown, 'pair')}, whose limits"
            " assume that no rare large difference was missed (--interval bounded)"
        )


def _warn_of_pair(family: Family, differences: Floats, differ: int, share: float) -> None:
    bounded = ""
    if family.ends is not None:
        scale, mean = of_differences(family.ends), differences.mean(axis=1)
        lower, upper = (each.item() for each in limits(differences, mean, scale, family.design.confidence))
        bounded = f"; bounded limits are [{amount(lower)}, {amount(upper)}]"
    number, hardly = differences.shape[1], int((differences != 0).sum()) > differ
    which = (
        f"{differ} of {plural(number, 'topic')} differ{'s' * (differ == 1)}"
        if differ < number
        else f"only {plural(number, 'topic')} differ"
    )
    which += f" by more than {share:.0%} of the largest difference" * hardly
    logger.warning(f"{family.title}: {which}: limits assume that no rare large difference was missed{bounded}")
