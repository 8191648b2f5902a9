"""Notices on comparisons: a table of conditions, each of which finds the facts of a template where it holds."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from irci.base import DataError, first_few, plural
from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats
from irci.comparison.claims import signs_of
from irci.comparison.family import Family
from irci.comparison.reading import by_base
from irci.comparison.rows import Scope, in_one
from irci.comparison.sources import Source
from irci.estimators.means import limits_by_ends, of_differences
from irci.output.formats import TESTS
from irci.stats.bounded import FEW_DIFFERING, differing_topics
from irci.stats.signs import is_exact
from irci.stats.tests import least_of_signs
from irci.wording import interval_in_words, notify

# Student's t with fewer degrees of freedom is a rough description of what CR2 and sums of variances do, then none.
FEW_DF, TOO_FEW_DF = 4, 2
# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1

Facts = dict[str, Any]


def warn_of_bases(scope: Scope) -> None:
    """Give the notices on what is left out, or known too little, of each base measure, where runs are compared."""
    request = scope.request
    if request.has_pairs or request.ranks or request.best or request.meta is not None:
        for of_base in by_base([on.measure for on in scope.on if not on.measure.is_count]):
            _give(OF_BASE, replace(scope, on=[on for on in scope.on if on.measure in of_base]))


def warn(scope: Scope) -> None:
    """Give the notices on what rows do not say. Raises DataError if nothing is known of any pair."""
    if not any(source.own_notices for source in scope.scored.sources):
        _give(NOTICES, scope)


def _give(notices: Sequence[tuple["Condition", str]], scope: Scope) -> None:
    for condition, template in notices:
        for facts in condition(scope):
            notify(template, **facts)


def _family(scope: Scope) -> Family:
    return next((on.families[0] for on in scope.on if on.families), scope.on[0].alone)


def _incomplete(scope: Scope) -> Iterator[Facts]:
    """Topics that some run lacks are left out where all are compared on the same ones."""
    request, scored, family = scope.request, scope.scored, _family(scope)
    scores = scored.scores(family.measure.base, family.comparison)
    lacking = int(np.isnan(scores).any(axis=0).sum())
    if lacking and ((family.design.correction == "maxt" and family.is_of_pairs) or request.best):
        units = plural(lacking, "version" if scored.kind == "versions" else "topic")
        yield {"measure": family.prefix + family.measure.base.name, "units": units}


def _few_relevant(scope: Scope) -> Iterator[Facts]:
    """Resampled documents know too little: `tests/test_soundness.py` measures how wrong p is then."""
    request, scored, family = scope.request, scope.scored, _family(scope)
    resampled = scored.resampled
    relevance = None if resampled is None else resampled.relevances.get(family.measure.base.sees)
    if relevance is None:
        return
    has_scores = ~np.isnan(family.raw).all(axis=0)
    relevant, topics = relevance.num_relevant[has_scores], np.array(family.scored.topics, object)[has_scores]
    over_documents = request.has_pairs and any(source.by_resamples for source in scored.sources)
    for least, is_asked, share, then in (
        (FEW, over_documents, MANY_TOPICS, "p over documents is too small (--population topics)"),
        (FEW_FOR_META, request.meta is not None, 0.0, "--meta trusts these too much"),
    ):
        is_few = (relevant > 0) & (relevant < least)
        if is_asked and is_few.sum() > share * len(is_few):
            names, then = topics[is_few].tolist(), f"with fewer than {least} relevant documents: {then}"
            facts = {"number": plural(len(names), "topic"), "size": len(names), "then": then, "names": names}
            yield {"where": family.measure.base.name, **facts}


def _few_df(scope: Scope) -> Iterator[Facts]:
    """Few degrees of freedom, of the fewest; plain topics have as many as everybody expects."""
    if scope.scored.where:
        return
    for source in scope.scored.sources:
        if source.tells_df:
            families = [on.pairs for on in scope.on if on.pairs is not None]
            families += [] if scope.request.no_summary else [on.alone for on in scope.on]
            df = np.concatenate([np.empty(0), *(family.over(source).tested.of.df for family in families)])
            least = df[np.isfinite(df)].min(initial=math.inf)
            if least < FEW_DF:
                then = "do not rely on them" if least < TOO_FEW_DF else "take them as rough"
                yield {"population": source.name, "df": f"{math.floor(10 * least) / 10:g}", "then": then}


def _top(scope: Scope) -> Iterator[Facts]:
    """p and limits over documents of pairs by measures that look at the top alone.

    Two jittered copies of one ranking, exchangeable on every topic, differ significantly over documents in 9 to 13 of 100
    pairs by RR, success and the like, where it should be 5; over topics in 3 to 5 (doc/trust.md).
    """
    request, scored = scope.request, scope.scored
    has_p = (request.has_pairs or request.ranks) and scored.resampled is not None
    if has_p and any(source.by_resamples for source in scored.sources):
        names = [measure.name for measure in scored.measures if measure.is_of_the_top]
        if names:
            yield {"measures": ", ".join(names)}


def _few_differing_in_one(scope: Scope) -> Iterator[Facts]:
    """Signs of few differing topics decide in one family of measures: in two skewed measures of 10 topics max-T errs in 9 of
    100 experiments where it should in 5."""
    if (one := in_one(scope.on)) is None:
        return
    hint = "" if one.request.survives else " (--correction holm is cautious)"
    then = f"p by the largest statistic is too small for skewed differences{hint}"
    for source in scope.scored.sources:
        if source.has_test_column and one.correction_over(source.name) == "maxt":
            few = [of.measure.name for of in one.adjusted_as_one if _least_differing(of, source) < FEW_DIFFERING]
            pairs_in_words = f"fewer than {FEW_DIFFERING} {source.counted} differ in some pair"
            if few:
                yield {"measure": f"{one.prefix}{', '.join(few)}", "which": pairs_in_words, "then": then}


def _least_differing(family: Family, source: Source) -> int:
    """The fewest units on which a pair differs that differs at all."""
    least = FEW_DIFFERING
    for _, _, differences in family.on_units(source):
        number, _ = differing_topics(differences)
        least = min(least, int(number[number > 0].min(initial=least)))
    return least


def _few_differing(scope: Scope) -> Iterator[Facts]:
    """Limits by t over plain topics are sure only if no rare large difference was missed, where fewer than 10
    topics differ; of a single pair what bounded limits are."""
    topics = scope.scored.plain_topics
    if topics is None or scope.scored.where:
        return
    for family in scope.paired:
        few, number = 0, len(family.pairs)
        by_t = family.over(topics).tested.interval == "t"
        pairs_in_words = ""
        for pairs, _, differences in family.on_units(topics):
            differ, share = differing_topics(differences)
            few += int((by_t[pairs] & (differ > 0) & (differ < FEW_DIFFERING)).sum())
            if number == 1 and few:
                pairs_in_words = _of_one_pair(differences, int(differ[0]), float(share[0]))
                hint = _bounded(family, differences)
        if number > 1:
            pairs_in_words = f"fewer than {FEW_DIFFERING} topics differ in {few} of {plural(number, 'pair')}"
            hint = " (--interval bounded)"
        if few:
            then = f"limits assume that no rare large difference was missed{hint}"
            yield {"measure": family.title, "which": pairs_in_words, "then": then}


def _of_one_pair(differences: Floats, differ: int, share: float) -> str:
    number, hardly = differences.shape[1], int((differences != 0).sum()) > differ
    by = f" by more than {share:.0%} of the largest difference" if hardly else ""
    return f"{f'{differ} of' if differ < number else 'only'} {plural(number, 'topic')} differ{'s' * (differ == 1)}{by}"


def _bounded(family: Family, differences: Floats) -> str:
    if family.ends is None:
        return ""
    scale, mean = of_differences(family.ends), differences.mean(axis=1)
    lower, upper = (limit.item() for limit in limits_by_ends(differences, mean, scale, family.design.confidence))
    return f"; bounded limits are {interval_in_words(lower, upper)}"


def _other_tests(scope: Scope) -> Iterator[Facts]:
    """p that is not about the difference of means that is printed."""
    topics = scope.scored.plain_topics
    for family in scope.paired:
        if topics is not None and family.design.test in ("wilcoxon", "sign"):
            against = int((signs_of(family, topics) * family.over(topics).tested.of.value < 0).sum())
            of_pairs = f"; it finds {plural(against, 'pair')} to differ in the opposite direction" if against else ""
            yield {"measure": family.measure.name, "test": TESTS[family.design.test], "against": of_pairs}


def _no_limits(scope: Scope) -> Iterator[Facts]:
    """Means and pairs without limits, as topics are not scored, or as nothing varies."""
    missing = "versions" if scope.scored.kind == "versions" else TOPICS
    for on in scope.on:
        for source in scope.scored.sources:
            why: dict[str, list[str]] = {}
            for family, noun in ((on.alone, "run"), (on.pairs, "pair")):
                if family is None or not len(family.pairs):
                    continue
                tested = family.over(source).tested
                of = tested.of
                without: dict[str, Bools] = {}
                if not source.observes and np.isnan(family.values).any():
                    without[f"{missing} are missing"] = of.is_told & np.isnan(of.error) & ~np.isnan(of.value)
                is_given = not scope.request.no_summary and not on.measure.is_count
                is_tested = (tested.test != "").any() if family.is_of_pairs else is_given
                if is_tested and (source.is_plain_topics or not source.observes):
                    is_without = of.is_told & (of.error == 0) & np.isnan(tested.limits[0])
                    by_signs = tested.test == "signs"
                    without[f"nothing varies over {source.counted}"] = is_without & ~by_signs
                    without[f"nothing varies over {source.counted}, and p is that of the signs"] = is_without & by_signs
                for reason, is_so in without.items():
                    why.setdefault(reason, []).extend([plural(int(is_so.sum()), noun)] if is_so.any() else [])
            for reason, of_which in why.items():
                if of_which:
                    facts = {"measure": on.alone.title, "what": f"limits over {source.name}", "why": reason}
                    yield {**facts, "who": f" for {' and '.join(of_which)}"}


def _by_signs(scope: Scope) -> Iterator[Facts]:
    """Pairs with one difference on all units, whose p is that of the signs though they have limits."""
    for family, source in product(scope.paired, scope.scored.sources):
        tested = family.over(source).tested
        count = int(((tested.test == "signs") & ~np.isnan(tested.limits[0])).sum())
        if count and (source.is_plain_topics or not source.observes):
            yield {"measure": family.title, "pairs": count, "units": source.counted}


def _untested(scope: Scope) -> Iterator[Facts]:
    """Pairs of which nothing is known over a source. Raises DataError if that is so of all over all."""
    sources = scope.scored.sources
    for family in scope.paired:
        unknown = {source.name: int((~family.over(source).tested.of.is_told).sum()) for source in sources}
        if all(number == len(family.pairs) for number in unknown.values()):
            hint = "" if TOPICS in unknown else f" (--population {TOPICS})"
            of_pairs = plural(len(family.pairs), "pair")
            raise DataError(f"{family.title}: nothing can be said about {of_pairs} over {sources[0].name}{hint}")
        for population, pairs in unknown.items():
            if pairs:
                who, why = f" for {plural(pairs, 'pair')}", "too little is known"
                yield {"measure": family.title, "what": f"test over {population}", "who": who, "why": why}


def _nothing_common(scope: Scope) -> Iterator[Facts]:
    """Pairs without a topic in common."""
    for family in scope.paired if scope.scored.kind != "collections" else ():
        is_nothing = np.isnan(family.over(scope.scored.sources[0]).tested.of.value)
        if pairs := family.pairs[is_nothing].tolist():
            names = [f"{family.names[run]}/{family.names[baseline]}" for run, baseline in pairs]
            why = "both runs are scored on no topic"
            yield {"measure": family.title, "what": "comparison", "who": f" of {first_few(names)}", "why": why}


def _no_small_p(scope: Scope) -> Iterator[Facts]:
    """Even the least p that there is, of these signs, units or resamples, is not significant."""
    for family in [on.families[-1] for on in scope.on if on.families]:
        for units in dict.fromkeys(_few_for_p(family, source) for source in scope.scored.sources):
            if units:
                yield {"measure": family.title, "few": units, "alpha": f"{family.alpha:.3g}"}


def _few_for_p(family: Family, source: Source) -> str:
    """The units of which there are too few for any significant p, and the option to type; "" if there are enough."""
    design, alpha, correction = family.design, family.alpha, family.correction_over(source.name)
    tested, pairs = family.over(source).tested, family.number if correction == "holm" else 1
    units, least, few, hint = int(tested.of.units.max(initial=0)), 0.0, source.counted, ""
    if source.by_resamples:
        if correction == "maxt" and source.has_draws:
            few, least = "resamples (-B)", 1 / (design.resamples + 1)
    elif not units:
        return ""
    elif correction == "maxt" or design.test in ("randomization", "wilcoxon"):
        least = 2.0 ** (1 - units) if is_exact(units, design.signs) else 1 / (design.signs + 1)
        few = few if is_exact(units, design.signs) else "resamples (-B)"
    elif len(tested.test) and set(tested.test) <= {"t", "t, signs", "signs"}:
        held = source.held_to_signs(tested.of)
        least = float(least_of_signs(units)) if (held[tested.of.units > 0] > 0).all() else 0.0
        hint = " (--correction maxt)" * (least <= alpha and source.has_draws)
    return f"{few}{hint}" if least > alpha / pairs else ""


def _tied_best(scope: Scope) -> Iterator[Facts]:
    for on in scope.on:
        if on.best is not None and len(on.best.tied) > 1:
            yield {"measure": on.alone.title, "names": [on.alone.names[run] for run in on.best.tied]}


def _unbounded_best(scope: Scope) -> Iterator[Facts]:
    for on in scope.on:
        if on.best is not None and on.best.of > 1 and on.alone.ends is None:
            why = "the scale has no known ends (--range)"
            yield {"measure": on.alone.title, "what": "lower limit", "who": " for the best run", "why": why}


Condition = Callable[[Scope], Iterator[Facts]]
OF_BASE: Sequence[tuple[Condition, str]] = ((_incomplete, "incomplete"), (_few_relevant, "topics"))
NOTICES: Sequence[tuple[Condition, str]] = (
    (_few_df, "few_df"),
    (_top, "top"),
    (_few_differing_in_one, "few_differing"),
    (_few_differing, "few_differing"),
    (_tied_best, "tied_best"),
    (_unbounded_best, "lacking"),
    (_no_limits, "lacking"),
    (_by_signs, "by_signs"),
    (_untested, "lacking"),
    (_nothing_common, "lacking"),
    (_other_tests, "other_test"),
    (_no_small_p, "no_small_p"),
)
