"""Notices on comparisons: each function finds those on one kind of thing."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from irci.base import DataError, plural
from irci.base.choices import TOPICS
from irci.base.types import Bools, Ints
from irci.comparison.claims import signs_of
from irci.comparison.family import Family
from irci.comparison.rows import OnMeasure, Scope, in_one
from irci.comparison.sources import Source
from irci.estimators.means import limits_by_ends, of_differences
from irci.output.formats import TESTS
from irci.stats.scales import FEW_DIFFERING, differing_topics
from irci.stats.signs import is_exact
from irci.stats.tests import least_of_signs
from irci.wording import Notice, interval_in_words, notice, tell

# Student's t with fewer degrees of freedom is a rough description of what CR2 and sums of variances do, then none.
FEW_DF, TOO_FEW_DF = 4, 2
# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1


def warn(scope: Scope) -> None:
    """Give the notices on what rows do not say. Raises DataError if nothing is known of any pair."""
    if not any(source.own_notices for source in scope.scored.sources):
        for find in (_of_topics, _of_sources, _few_differing, _of_means, _of_pairs, _no_small_p):
            tell(*dict.fromkeys(find(scope)))  # over several sources the same once


def _of_topics(scope: Scope) -> Iterator[Notice]:
    """Topics that some run lacks, left out where all are compared on the same ones; and those of which
    resampled documents know too little: `tests/test_soundness.py` measures how wrong p is then."""
    request, scored, resampled = scope.request, scope.scored, scope.scored.resampled
    if not (request.has_pairs or request.ranks or request.best or request.meta is not None):
        return
    over_documents = request.has_pairs and any(source.by_resamples for source in scored.sources)
    for on, *_ in scope.by_base:
        base = on.measure.base
        family = (on.families or [on.alone])[0]
        lacking = int(np.isnan(family.comparison.table(scored.scores(base))).any(axis=0).sum())
        if lacking and ((family.design.correction == "maxt" and family.is_of_pairs) or request.best):
            units = plural(lacking, "version" if scored.kind == "versions" else "topic")
            yield notice("incomplete", measure=family.prefix + base.name, units=units)
        num_relevant = None if resampled is None else resampled.num_relevant(base)
        if num_relevant is None:
            continue
        has_scores = ~np.isnan(family.raw).all(axis=0)
        relevant, topics = num_relevant[has_scores], np.array(scored.topics, object)[has_scores]
        for least, is_asked, share, then in (
            (FEW, over_documents, MANY_TOPICS, "p over documents is too small (--population topics)"),
            (FEW_FOR_META, request.meta is not None, 0.0, "--meta trusts these too much"),
        ):
            is_few = (relevant > 0) & (relevant < least)
            if is_asked and is_few.sum() > share * len(is_few):
                names, then = topics[is_few].tolist(), f"with fewer than {least} relevant documents: {then}"
                number = plural(len(names), "topic")
                yield notice("topics", where=base.name, number=number, size=len(names), then=then, names=names)


def _of_sources(scope: Scope) -> Iterator[Notice]:
    """Few degrees of freedom (plain topics have as many as everybody expects); and p and limits over documents of
    pairs by measures that look at the top alone.

    Two jittered copies of one ranking, exchangeable on every topic, differ significantly over documents in 9 to 13 of 100
    pairs by RR, success and the like, where it should be 5; over topics in 3 to 5 (doc/trust.md).
    """
    request, scored = scope.request, scope.scored
    for source in scored.sources if not scored.where else ():
        df = [family.over(source).of.df for on in scope.on for family in _printed(scope, on)] if source.tells_df else []
        least = min((of[np.isfinite(of)].min(initial=math.inf) for of in df), default=math.inf)
        if least < FEW_DF:
            then = "do not rely on them" if least < TOO_FEW_DF else "take them as rough"
            yield notice("few_df", population=source.name, df=f"{math.floor(10 * least) / 10:g}", then=then)
    has_p = (request.has_pairs or request.ranks) and any(source.by_resamples for source in scored.sources)
    if names := [measure.name for measure in scored.measures if measure.is_of_the_top and has_p]:
        yield notice("top", measures=", ".join(names))


def _printed(scope: Scope, on: OnMeasure) -> list[Family]:
    """The means, and the pairs, that have rows."""
    return ([] if scope.request.no_summary else [on.alone]) + ([] if on.pairs is None else [on.pairs])


def _few_differing(scope: Scope) -> Iterator[Notice]:
    """Limits by t over plain topics are sure only if no rare large difference was missed; of a single pair what bounded limits
    are. And signs of few differing topics decide in one family of measures: in two skewed measures of 10 topics max-T errs in
    9 of 100 experiments where it should in 5."""
    plain = [source for source in scope.scored.sources if source.is_plain_topics and not scope.scored.where]
    for family, topics in product(scope.paired, plain):
        number, is_few = _differing(family, topics)
        is_few &= family.over(topics).interval == "t"
        if not is_few.any():
            continue
        in_words, hint = f"fewer than {FEW_DIFFERING} topics differ much in {is_few.sum()} of {len(number)} pairs", ""
        if len(number) > 1:
            hint = " (--interval bounded)"
        else:
            ((_, _, differences),) = family.on_units(topics)
            verb, topics_of_both = "differs" if number[0] == 1 else "differ", plural(differences.shape[1], "topic")
            in_words = f"{number[0]} of {topics_of_both} {verb} much"
            if family.ends is not None:
                scale, mean = of_differences(family.ends), differences.mean(axis=1)
                limits = limits_by_ends(differences, mean, scale, family.design.confidence)
                hint = f"; bounded limits are {interval_in_words(*limits[:, 0].tolist())}"
        then = f"limits assume that no rare large difference was missed{hint}"
        yield notice("few_differing", measure=family.title, which=in_words, then=then)
    if (one := in_one(scope.on)) is None:
        return
    for source in [of for of in scope.scored.sources if of.has_test_column and one.correction_over(of.name) == "maxt"]:
        if names := [of.measure.name for of in one.adjusted_jointly if _differing(of, source)[1].any()]:
            in_words = f"fewer than {FEW_DIFFERING} {source.counted} differ in some pair"
            hint = "" if one.request.survives else " (--correction holm is cautious)"
            then = f"p by the largest statistic is too small for skewed differences{hint}"
            yield notice("few_differing", measure=one.prefix + ", ".join(names), which=in_words, then=then)


def _differing(family: Family, source: Source) -> tuple[Ints, Bools]:
    """int64[P]: the units on which pairs differ by more than next to nothing; bool[P]: true of so few that a rare large
    difference may have been missed."""
    number = np.zeros(len(family.pairs), np.int64)
    for in_block, _, differences in family.on_units(source):
        number[in_block], _ = differing_topics(differences)
    return number, np.asarray((number > 0) & (number < FEW_DIFFERING))


def _of_means(scope: Scope) -> Iterator[Notice]:
    """Runs as good as the best one, and best runs without a lower limit; means and pairs without limits, as topics are not
    scored, or as nothing varies."""
    yield from (of_best for on in scope.on for *_, notices in on.best for of_best in notices)
    missing = "versions" if scope.scored.kind == "versions" else TOPICS
    for on, source in product(scope.on, scope.scored.sources):
        rows = Counter[str]()
        for family in _printed(scope, on):
            tested = family.over(source)
            of, has_value = tested.of, ~np.isnan(tested.of.value)
            lacks_limits = of.is_told & has_value & np.isnan(tested.limits[0])
            if family.is_of_pairs:
                rows["both runs are scored on no topic"] += int((of.is_told & ~has_value).sum())
            why = f"{missing} are missing" if np.isnan(family.values).any() else source.alike
            if why and not source.observes:
                rows[why] += int((lacks_limits & np.isnan(of.error)).sum())
            if source.is_plain_topics or not source.observes:
                rows[f"nothing varies over {source.counted}"] += int((lacks_limits & (of.error == 0)).sum())
        for why, number in (+rows).items():
            limits, who = f"limits over {source.name}", f" for {plural(number, 'row')}"
            yield notice("lacking", measure=on.alone.title, what=limits, who=who, why=why)


def _of_pairs(scope: Scope) -> Iterator[Notice]:
    """Pairs of which nothing is known over a source; and p that is not about the difference of means that is printed. Raises
    DataError if nothing is known of all over all."""
    sources, topics = scope.scored.sources, scope.scored.plain_topics
    for family in scope.paired:
        unknown = {source.name: int((~family.over(source).of.is_told).sum()) for source in sources}
        if all(number == len(family.pairs) for number in unknown.values()):
            hint = "" if TOPICS in unknown else f" (--population {TOPICS})"
            of_pairs = plural(len(family.pairs), "pair")
            raise DataError(f"{family.title}: nothing can be said about {of_pairs} over {sources[0].name}{hint}")
        for population, pairs in unknown.items():
            if pairs:
                test, who = f"test over {population}", f" for {plural(pairs, 'pair')}"
                yield notice("lacking", measure=family.title, what=test, who=who, why="too little is known")
        if topics is not None and family.design.test in ("wilcoxon", "sign"):
            count = int((signs_of(family, topics) * family.over(topics).of.value < 0).sum())
            against = f"; it finds {plural(count, 'pair')} to differ in the opposite direction" if count else ""
            test = TESTS[family.design.test]
            yield notice("other_test", measure=family.measure.name, test=test, against=against)


def _no_small_p(scope: Scope) -> Iterator[Notice]:
    """Even the least p that there is, of these signs, units or resamples, is not significant: with the option to type."""
    for family, source in product([on.families[-1] for on in scope.on if on.families], scope.scored.sources):
        design, alpha, correction = family.design, family.alpha, family.correction_over(source.name)
        of, pairs = family.over(source).of, family.number if correction == "holm" else 1
        units, least, few, test = int(of.units.max(initial=0)), 0.0, source.counted, {*family.over(source).test}
        if source.by_resamples and correction == "maxt" and source.has_draws:
            few, least = "resamples (-B)", 1 / (design.resamples + 1)
        elif source.by_resamples or not units:
            continue
        elif correction == "maxt" or design.test in ("randomization", "wilcoxon"):
            exact = is_exact(units, design.signs)
            few, least = (few, 2.0 ** (1 - units)) if exact else ("resamples (-B)", 1 / (design.signs + 1))
        elif test and test <= {"t", "t, signs", "signs"} and (source.held_to_signs(of)[of.units > 0] > 0).all():
            least = float(least_of_signs(units))
            few += " (--correction maxt)" * (least <= alpha and source.has_draws)
        if least > alpha / pairs:
            yield notice("no_small_p", measure=family.title, few=few, alpha=f"{alpha:.3g}")
