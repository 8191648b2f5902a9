"""Results in words: pairs one by one, or counted where they are many; means; ranks; families; and what rows are for.

Functions find facts, templates of comparisons.toml make sentences of them. The adjusted p decides; a difference that is not
significant is inconclusive, and no equality.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

import numpy as np

from irci.base import BORDA, NAMED, Margin, first_names, plural
from irci.base.choices import TOPICS, OverMeasures, PairCorrection, TopicTest
from irci.base.types import Ints, reaches
from irci.comparison.claims import how_few_of_others, resolution, sentences_of_best
from irci.comparison.family import Family, Scored
from irci.comparison.means import MOST, highest_means, mean_in_words, sentences_of_means
from irci.comparison.notices import which_to_report
from irci.comparison.reading import by_base
from irci.comparison.rows import OnMeasure, Scope, differences, in_one, means
from irci.comparison.sources import Source
from irci.data.scores import UNIT
from irci.estimators.joint_resamples import POOLED
from irci.estimators.means import Design
from irci.output.columns import in_words
from irci.output.formats import TESTS
from irci.output.tables import PValue, Row, Table
from irci.stats.bounded import at_ends
from irci.stats.decisions import Ranks, separated
from irci.wording import (
    amount,
    decimals_of,
    direction,
    directions,
    interval_in_words,
    listed,
    name_of_p,
    p_text,
    rounded,
    say,
    verdict_of,
)

SCALES = {"": "", "logit": " of logits", "log": " of logarithms"}  # on which scores are averaged
MOST_PAIRS = 6  # reported one by one
FEWEST_RUNS = 3  # of two, one is the best anyway


def explanation(scope: Scope, tables: Sequence[Table]) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for."""
    scored, compared = scope.scored, scope.paired
    for family in compared:
        if len(family.pairs) <= MOST_PAIRS:
            for index in range(len(family.pairs)):
                yield from sentences_of_pair(family, index, scored.sources)
        elif not family.is_diagnostic:
            for source in scored.sources:
                yield from _counted(family, source)
                yield from _verdicts(family, source)
    with_p = [source for source in scored.sources if source.has_p]
    if any((signs_of(family, source) == 0).any() for family in compared for source in with_p):
        yield say("pair.not_equal")
    if not compared:
        yield from _of_means(scope)
    for on_measures in by_base([on.measure for on in scope.on if not on.measure.is_count]):
        on_base = [scope.on_measure(measure) for measure in on_measures]
        yield from on_base[0].combined.sentences() if on_base[0].combined is not None else ()
        yield from (sentence for on in on_base for of in on.ranks for sentence in sentences_of_ranks(on, *of))
    yield from _of_sources(scope)
    for first in [family for family in compared if not family.is_diagnostic][:1]:
        yield from _of_family(first)
    if advice := which_to_report(tables):
        yield advice
    yield from sentences_of_best(scope.on)
    if not scored.where:
        yield from sentences_of_selection(scope)


def conclusion(scope: Scope) -> Iterator[str]:
    """A paragraph a measure, over the first of several sources of variation: the run picked as the best; which run is best, if
    all are ranked; of pairs, whether a run is better, over each source that was asked for; else which run scores highest."""
    request, scored = scope.request, scope.scored
    asked, ranks = scored.sources[0], [on for on in scope.on if on.ranks]
    populations = scored.sources if request.population else [asked]
    compared = [family for family in scope.paired if not family.is_diagnostic]
    yield from sentences_of_best(scope.on)
    if ranks:
        for on in ranks:
            yield from (" ".join(sentences_of_ranks(on, *of)) for of in on.ranks if of[0] is asked)
    elif compared:
        for family in compared:
            if len(family.pairs) == 1:
                yield " ".join(sentences_of_pair(family, 0, populations, is_short=True))
            else:
                counted = (text for source in populations for text in _counted(family, source, is_short=True))
                yield " ".join([*counted, *_of_margin(family, asked)])
    elif not request.best:
        rows = [row for _, row in _means(scope)]
        own = [asked.sentence(row) for row in rows] if len(scored.runs) == 1 else []
        yield from filter(None, own) if any(own) else highest_means(rows, request.confidence, TOPICS)


# A pair


class Finding:
    """The finding on a pair, by its place, over a source: nan or "" is not asked for, or not defined.

    topics: how many, if these are a plain sample, else 0
    own: the sentence of a source without p
    is_apart: whether the test is of something else than the mean
    is_significant: by the verdict, if there is one
    """

    def __init__(self, family: Family, source: Source, index: int) -> None:
        self.family, self.source, self.index = family, source, index
        adjusted = family.over(source)
        tested = adjusted.tested
        self.lower, self.upper = (float(limit[index]) for limit in tested.limits)
        self.has_limits = self.lower < self.upper
        self.p, self.p_adjusted = (PValue(p[index], source.least_p) for p in (tested.p, adjusted.p_adjusted))
        self.test = tested.test[index]
        self.topics = int(tested.of.units[index]) if source.is_plain_topics else 0
        self.is_apart = self.topics > 0 and family.design.test in ("wilcoxon", "sign")
        self.claims = resolution(family, source) if source.tells_verdicts else None
        self.verdict = "" if self.claims is None else self.claims.verdict[index]
        self.is_significant = self.verdict in ("better", "worse") if self.verdict else self.reaches(self.p_adjusted)
        self.own = ""
        if not source.has_p:
            self.own = source.sentence(differences(family, source).row(index, {}))

    def reaches(self, p: float) -> bool:
        """True if a p is at most the level."""
        return bool(reaches(p, self.family.alpha))


def sentences_of_pair(
    family: Family, index: int, sources: Sequence[Source], *, is_short: bool = False
) -> Iterator[str]:
    """Sentences on what was observed, with the evidence of the first source, if the measure finds anything, then on each other
    source that has any and on claims; `is_short`: of claims, equivalence alone. The difference is on the scale on which scores
    are averaged."""
    measure = family.measure
    run, baseline = family.pairs[index].tolist()
    difference = float(family.over(sources[0]).tested.of.value[index])
    (of_run,) = measure.scale().back(sources[0].baseline_means(family)[[index]] + difference).tolist()
    asked = () if family.is_diagnostic else sources
    findings = [Finding(family, source, index) for source in asked if family.over(source).tested.of.is_told[index]]
    first = findings[0] if findings and not findings[0].own else None
    decimals, scale = 4 if first is None else decimals_of(first.lower, first.upper), _scale(family)
    facts = {
        "run": family.names[run], "baseline": _baseline(family, baseline), "measure": measure.name, "scale": scale,
        "of_run": amount(of_run), "value": rounded(difference, decimals), "size": rounded(abs(difference), decimals),
        "word": direction(difference, measure),
    }  # fmt: skip
    if math.isnan(difference):
        yield say("pair.none", **facts)
        return
    if any(over.verdict == "identical" for over in findings):
        yield say("pair.identical", **facts)
        return
    evidence = "" if first is None else _evidence(first)
    clause = "" if first is None else _clause(first, is_equal=difference == 0)
    kind = "equal" if difference == 0 else "scaled" if scale else "higher"
    yield say(f"pair.{kind}", **facts, evidence=f" ({evidence})" * bool(evidence), clause=clause)
    for over in findings:
        if over.own:
            yield over.own
            continue
        if over is not first:
            yield _over(over, first, is_equal=difference == 0)
        yield from _of_test(over, difference, str(facts["run"]))
        yield from _of_claims(over, str(facts["run"]), str(facts["baseline"]), is_short=is_short)


def _scale(family: Family) -> str:
    """The scale on which scores are averaged, if it is not their own."""
    return SCALES.get(family.measure.scale().name, "")


def _baseline(family: Family, index: int) -> str:
    """The name that sentences give what runs are compared with."""
    name = family.names[index]
    return f"the {name} of all runs" if family.comparison.pooled else name


def _p_name(family: Family) -> str:
    """p, or adjusted p where there are others that it is adjusted for."""
    return name_of_p(family.number if family.design.correction != "none" else 1)


def _p(over: Finding) -> str:
    """paired t test, p = .0005, 50 topics."""
    # By the largest statistic p comes from signs, whatever the statistic.
    is_named = over.topics > 0 and over.family.design.correction != "maxt" and over.test in get_args(TopicTest)
    parts = [TESTS[over.test]] if is_named and not over.is_apart else []
    parts += [p_text(over.p_adjusted, _p_name(over.family))]
    return ", ".join(parts + ([plural(over.topics, "topic")] if over.topics else []))


def _evidence(over: Finding, *, names_source: bool = True) -> str:
    """95% CI .041 to .138, and p."""
    parts, design, predicted = list[str](), over.family.design, over.source.word("predicted")
    if over.has_limits:
        is_new = over.topics > 0 and design.interval == "prediction"
        text = f"{100 * design.confidence:g}% {'prediction interval' if is_new else 'CI'}"
        if predicted:
            text += f" for {predicted}"
        elif names_source and over.source.over != TOPICS and not over.topics:
            text += f" over {over.source.over}"
        parts.append(f"{text} {interval_in_words(over.lower, over.upper)}")
    if not math.isnan(over.p_adjusted) and not over.is_apart:
        parts.append(_p(over))
    return "; ".join(parts)


def _clause(over: Finding, *, is_equal: bool) -> str:
    """The conclusion from interval and p; "" of a significant difference whose interval excludes 0."""
    if math.isnan(over.p_adjusted):
        return "" if over.source.word("predicted") else say("clause.untested")
    if over.is_apart:
        return ""
    has_zero, pairs = over.lower <= 0 <= over.upper, over.family.number
    if over.is_significant and not is_equal:
        kind = "significant_alone" if not over.has_limits else "significant_within" if has_zero else "none"
    elif over.verdict in ("equivalent", "not worse"):
        kind = "not_significant"
    elif not over.has_limits:
        kind = "open_alone"
    elif has_zero:
        kind = "open"
    else:
        kind = "open_among" if pairs > 1 and over.reaches(over.p) else "open_outside"
    return say(f"clause.{kind}", pairs=pairs)


def _over(over: Finding, first: Finding | None, *, is_equal: bool) -> str:
    """The finding over a further source, after that over the first."""
    words = over.source.over
    if math.isnan(over.p_adjusted) and not (over.source.word("predicted") and over.has_limits):
        return say("pair.over_untested", over=words)
    if over.source.by_resamples and over.lower == over.upper:
        return say("pair.over_no_change", over=words)
    evidence, clause = _evidence(over, names_source=False), _clause(over, is_equal=is_equal)
    if first and over.has_limits and (over.lower, over.upper, over.p) == (first.lower, first.upper, first.p):
        evidence = say("pair.equal_evidence")
    return say("pair.over", over=words, evidence=evidence, clause=clause)


def _of_test(over: Finding, difference: float, run: str) -> Iterator[str]:
    """Where p is not about the mean, or comes from signs, or is not to be relied on."""
    p, measure, test = over.p_adjusted, over.family.measure, over.family.design.test
    if math.isnan(p):
        return
    if over.is_apart and not over.is_significant:
        yield say("test.open", test={"sign": "the sign test"}.get(test, "Wilcoxon's test"), p=_p(over))
    elif over.is_apart:
        of_means, word = direction(difference, measure), directions(measure)[over.verdict == "worse"]
        though = f", although its mean is {of_means}" if word != of_means and difference else ""
        yield say(f"test.{test}", run=run, word=word, p=_p(over), though=though)
    if over.topics and over.test == "signs":
        yield say("test.signs_and_limits" if over.has_limits else "test.signs")
    if over.test == "t, signs" and not over.topics and not over.reaches(p):
        yield say("test.fewest", counted=over.source.counted)
    if over.source.by_resamples and measure.is_of_the_top and over.reaches(p):
        yield say("test.top", measure=measure.name)


def _interval_of_margin(over: Finding) -> str:
    """90% CI -.004 to .009 of a single pair: that which lies within a margin where two one-sided t tests at .05 say so."""
    confidence = 2 * over.family.design.confidence - 1
    if over.family.number > 1 or over.test != "t" or confidence <= 0:
        return ""
    limits = over.family.over(over.source).tested.of.limits(confidence)
    lower, upper = (float(limit[over.index]) for limit in limits)
    return "" if math.isnan(lower) else f"{100 * confidence:.4g}% CI {interval_in_words(lower, upper)}"


def _of_claims(over: Finding, run: str, baseline: str, *, is_short: bool) -> Iterator[str]:
    """Sentences on equivalence and on power."""
    family, claims, index = over.family, over.claims, over.index
    if claims is None:
        return
    margin, within, power = family.request.margin, claims.equivalence, family.request.power
    if margin is not None and within is not None:
        p, of_margin = float(within.p_adjusted[index]), _margin_in_words(margin) + _scale(family)
        evidence = [_interval_of_margin(over)] if over.reaches(p) and not within.few[index] else []
        evidence += [] if math.isnan(p) else [p_text(p, name_of_p(family.number))]
        p_said = f" ({', '.join(filter(None, evidence))})" if evidence else ""
        few = how_few_of_others(family, claims, index)
        kind = "within" if over.reaches(p) else "not_within"
        if kind == "within" or over.verdict not in ("better", "worse"):
            yield say(f"claims.{kind}", margin=of_margin, p=p_said, few=f": {few}" * bool(few))
        if over.verdict == "not worse":
            p_not_worse = p_text(float(within.p_not_worse_adjusted[index]), name_of_p(family.number))
            yield say("claims.not_worse", run=run, baseline=baseline, margin=of_margin, p=p_not_worse)
    if is_short:
        return
    reason, smallest, detectable, needed = (
        claims.reason[index], *(float(of[index]) for of in (claims.smallest_p, claims.detectable, claims.topics_needed))
    )  # fmt: skip
    if reason == "unresolvable" and smallest == smallest:
        p_name = _p_name(family) if family.design.correction == "maxt" else "p"
        yield say("claims.unresolvable", p_name=p_name, smallest=p_text(smallest).split()[-1])
    is_open = over.verdict == "inconclusive" and not reason
    if is_open and detectable > 0 and (power or (family.number == 1 and over.topics)):
        kind = "not_detectable" if math.isinf(detectable) else "detectable"
        yield say(f"claims.{kind}", counted=over.source.counted, scale=_scale(family), detectable=amount(detectable))
    if power and not math.isnan(needed):
        yield say("claims.not_needed" if math.isinf(needed) else "claims.needed", needed=f"{needed:.0f}")


# Many pairs


def signs_of(family: Family, source: Source) -> Ints:
    """int64[P]: 1 or -1 where a pair differs significantly, as the test points, else 0."""
    if source.tells_verdicts:
        verdicts = resolution(family, source).verdict
        return np.array([(verdict == "better") - (verdict == "worse") for verdict in verdicts], np.int64)
    adjusted = family.over(source)
    significant = separated(adjusted.p_adjusted, family.alpha)
    return np.where(significant, np.sign(adjusted.tested.of.value), 0).astype(np.int64)


def _has_baselines(family: Family) -> bool:
    """True if runs are compared with several others, not with one baseline."""
    return family.request.all_pairs or len(np.unique(family.pairs[:, 1])) > 1


def _names(family: Family, pairs: Iterable[int]) -> list[str]:
    """The runs compared with one baseline, or both of each pair."""
    sides = 1 + _has_baselines(family)
    return [" and ".join(family.names[side] for side in family.pairs[index][:sides]) for index in pairs]


def _counted(family: Family, source: Source, *, is_short: bool = False) -> Iterator[str]:
    """How many of many pairs differ significantly, and which do not; `is_short`: without naming these."""
    tested, measure, number = family.over(source).tested, family.measure, len(family.pairs)
    if not source.has_p:
        yield source.sentence_on_many(measure.name, tested.of.columns)
        return
    signs = signs_of(family, source)
    order = np.argsort(-np.abs(tested.of.value), kind="stable")
    is_tested = ~np.isnan(family.over(source).p_adjusted) | (tested.of.value == 0)
    names = {sign: _names(family, order[(signs == sign)[order] & is_tested[order]]) for sign in (1, -1, 0)}
    untested = _names(family, np.flatnonzero(~is_tested).tolist())
    higher, lower = directions(measure)
    facts = {"over": source.over, "all": number, "measure": measure.name, "p_name": _p_name(family)}
    if _has_baselines(family):
        count = int(np.count_nonzero(signs))
        yield say("many.pairs", **facts, count=count or "none", number=count)
        if names[0] and not is_short:
            of_pairs = "all of them" if len(names[0]) == number else f"the other {len(names[0])}"
            yield say("many.open_pairs", of_pairs=of_pairs, names=listed(sorted(names[0]), NAMED))
        if untested:
            yield say("many.untested_pairs", pairs=len(untested), names=listed(untested, NAMED))
    else:
        not_higher = [("lower", names[-1], None), ("open", names[0], NAMED), ("untested", untested, NAMED)]
        yield say(
            "many.runs", **facts, count=len(names[1]) or "none", number=len(names[1]), higher=higher,
            baseline=_baseline(family, int(family.pairs[0, 1])), names=listed(names[1]),
            others="".join(
                say(f"many.{kind}", count=len(of), number=len(of), lower=lower, names=listed(of, most))
                for kind, of, most in not_higher if of
            ),
        )  # fmt: skip
    if source.by_resamples and measure.is_of_the_top and signs.any():
        yield say("test.top", measure=measure.name)


def _of_margin(family: Family, source: Source) -> Iterator[str]:
    """How many of several pairs are equivalent within the margin, and which."""
    margin = family.request.margin
    within = resolution(family, source).equivalence if source.tells_verdicts else None
    if within is None or margin is None:
        return
    is_shown = separated(within.p_adjusted, family.alpha)
    names = _names(family, np.flatnonzero(is_shown).tolist())
    yield say(
        "many.within", count=len(names) or "None", number=len(names), all=len(family.pairs), names=listed(names),
        noun="pairs" if _has_baselines(family) else "runs", margin=_margin_in_words(margin),
    )  # fmt: skip


def _margin_in_words(margin: Margin) -> str:
    return f"{margin} of the baseline's mean" if margin.is_share else str(margin).removeprefix("0")


def _verdicts(family: Family, source: Source) -> Iterator[str]:
    """How many of many pairs have which verdict."""
    request, measure = family.request, family.measure
    if not source.tells_verdicts or not (request.power or request.margin is not None):
        return
    claims = resolution(family, source)
    verdicts = Counter(verdict_of(verdict, measure) for verdict in claims.verdict)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    yield say("many.verdicts", over=source.over, all=len(family.pairs), measure=measure.name, counts=counts)


# Means


def _means(scope: Scope) -> Iterator[tuple[Source, Row]]:
    """The rows of means, run by run, and what they are over."""
    over = [(on.alone, source) for on in scope.on for source in scope.scored.sources if not scope.request.no_summary]
    blocks = [block for alone, source in over for block in means(alone, source)]
    for run in range(len(scope.scored.runs)):
        yield from ((block.source, block.row(run, {})) for block in blocks if block.is_told[run])


def _of_means(scope: Scope) -> Iterator[str]:
    request, scored, means_over = scope.request, scope.scored, list(_means(scope))
    if all(source.observes for source in scored.sources):
        predicted = str(request.new_topics or "as many") if request.interval == "prediction" else ""
        yield from sentences_of_means((row for _, row in means_over), request.confidence, TOPICS, predicted)
        yield from _of_hits(scope)
        return
    for source, row in means_over if len(means_over) <= MOST * len(scored.sources) else ():
        by_source = {source.word("predicted") or source.over: row}
        yield source.sentence(row) or mean_in_words(str(row["measure"]), str(row["run"]), by_source, request.confidence)


def _of_hits(scope: Scope) -> Iterator[str]:
    """For runs whose scores are all 0 or 1 how many queries succeed, and how many of such queries do; none of points, of which
    1 is no success, or if there are many runs."""
    topics, confidence = scope.scored.plain_topics, f"{100 * scope.request.confidence:g}%"
    for family in [on_measure.alone for on_measure in scope.on]:
        if topics is None or family.ends != UNIT or family.are_points or len(family.raw) > MOST:
            continue
        tested = family.over(topics).tested
        for index, run in enumerate(family.names):
            scores = family.raw[index][~np.isnan(family.raw[index])]
            if len(scores) and tested.interval[index] == "bounded" and at_ends(scores, *UNIT):
                hits, queries = int(scores.round().sum()), len(scores)
                kind = "all_hit" if hits == queries else "some_hit" if hits else "none_hit"
                lower, upper = (f"{limit[index]:.1%}" for limit in tested.limits)
                facts = {"run": run, "measure": family.measure.name, "hits": hits, "queries": queries}
                yield say(f"mean.{kind}", **facts, confidence=confidence, lower=lower, upper=upper)


# Ranks and combinations


def sentences_of_ranks(on: OnMeasure, source: Source, ranked: Ranks) -> Iterator[str]:
    """Which runs may be the best by a measure, a sentence or two."""
    measure, names, number = on.measure, on.alone.names, len(ranked.rank)
    best = [names[run] for run in np.argsort(ranked.rank, kind="stable").tolist() if ranked.lower[run] == 1]
    yield say(
        "rank.one" if len(best) == 1 else "rank.any" if len(best) == number else "rank.some",
        over=source.over, first="best" if measure.more_is_better else "highest", all=number, number=len(best),
        measure=measure.name, either="either run" if number == 2 else f"any of the {number} runs",
        lowest=", whose lower is 1" * (len(best) > MOST), names=first_names(best, MOST),
        confidence=f"{100 * on.alone.request.confidence:g}%",
    )  # fmt: skip
    if source.by_resamples and measure.is_of_the_top and len(best) < number:
        yield say("test.top", measure=measure.name)


# Rows


def _of_sources(scope: Scope) -> Iterator[str]:
    """Sentences on what limits over each source are for, where these are not plain topics or documents."""
    request, scored, compared = scope.request, scope.scored, bool(scope.paired)
    families = scope.paired or [on.alone for on in scope.on if not (request.no_summary or on.measure.is_count)]
    contrasts = {source.key: sum(of_told(family, source) for family in families) for source in scored.sources}
    sources = [source for source in scored.sources if contrasts[source.key]]
    are_plain = all(source.observes for source in scored.sources)
    if compared and are_plain and request.interval == "prediction":
        yield say("mean.new_topics", number=request.new_topics or "as many")
    elif compared or not are_plain:
        yield from (sentence for source in sources for sentence in source.explained())
    if compared:
        yield from filter(None, (source.word("of_pairs") for source in sources))


def of_told(family: Family, source: Source) -> int:
    """The number of contrasts of which a source tells something."""
    return int(family.over(source).tested.of.is_told.sum())


# Families


def _of_family(family: Family) -> Iterator[str]:
    """Sentences on all pairs of a family: how p is adjusted, and what signs hold for."""
    request, scored = family.request, family.scored
    sources = [source for source in scored.sources if source.has_p]
    correction, pairs = family.design.correction, family.number
    if sources and pairs > 1 and scored.kind != "collections":  # each of which has a family of its own
        counts = {of_told(family, source) for source in sources} - {0}
        of_pairs = "up to " * (len(counts) > 1) + str(pairs)  # of some nothing is known over one of the sources
        other_corrections = {family.correction_over(source.name) for source in sources} - {correction}
        yield how_adjusted(of_pairs, correction, request.family, otherwise=next(iter(other_corrections), None))
    if sources and correction == "maxt" and not all(source.observes for source in scored.sources):
        p_name = "adjusted p" if pairs > 1 else "p that decides"
        if request.test == "t":
            yield say("adjusted.by_signs", p_name=p_name, over=" over topics" * request.survives)


def adjusted_in_words(correction: PairCorrection) -> str:
    """How p is adjusted, in captions."""
    return "p not adjusted" if correction == "none" else f"p adjusted {say(f'how.{correction}')}"


def how_adjusted(
    pairs: str,
    correction: PairCorrection,
    family: OverMeasures = "each",
    of_each: str = "each measure and each population",
    *,
    otherwise: PairCorrection | None = None,
) -> str:
    """For how many pairs p is adjusted, how over topics and, if that is another way, `otherwise`, and `of_each` of what
    separately."""
    how = say(f"how.{correction}")
    if otherwise is not None:
        how = f"over topics {how}, otherwise {say(f'how.{otherwise}')}"
    kind = "none" if correction == "none" else "joint" if family == "joint" else "each"
    return say(f"adjusted.{kind}", pairs=pairs, how=how, each=of_each)


def of_families(on: Sequence[OnMeasure], *, one_population: bool) -> Iterator[str]:
    """The families that measures, and slices, make, and the chance of a false finding in any of them; nothing of one family.
    `one_population`: the findings reported are those over one of the sources."""
    diagnostic = [
        on_measure.measure.name for on_measure in on if on_measure.families and on_measure.alone.is_diagnostic
    ]
    if diagnostic:
        yield say("families.diagnostic", measures=", ".join(diagnostic))
    compared = [on_measure for on_measure in on if on_measure.families and not on_measure.alone.is_diagnostic]
    if not compared or (len(compared) == 1 and compared[0].alone.request.slices is None):
        return
    if not any(source.has_p for source in compared[0].alone.scored.sources):
        return
    family, lead = compared[0].families[-1], plural(len(compared), "measure")
    request, design, one = family.request, family.design, in_one(on)
    if request.slices is not None:
        # F of each measure is a family, others are on all topics and in slices.
        with_f, is_joint = sum(bool(on.pairs and len(on.pairs.pairs)) for on in compared), request.family == "joint"
        of_which = f"all topics, slices{',' * is_joint} and F" if with_f else "all topics and slices"
        of_which += " of each" if len(compared) > 1 and (with_f > 0 or not is_joint) else ""
        families = 2 * (1 if is_joint else len(compared)) + with_f
        yield false_findings(
            lead, families, design, request.correction or "maxt", where=f" ({of_which})", separate="each"
        )
        return
    with_test = [source for source in family.scored.sources if source.has_test_column]
    in_each, in_short = ("", "") if one_population or len(with_test) < 2 else (" in each population", " in each")
    if one is None:
        yield false_findings(
            lead, len(compared), design, where=in_each, suffix=in_short, separate="each measure", pairs=len(family.pairs),
        )  # fmt: skip
        return
    is_bh, chance = design.correction == "bh", f"{100 * family.alpha:.4g}%"
    of_pairs = "" if is_bh else f" of {plural(one.number, 'difference')}"
    of_all = say("families.one_bh" if is_bh else "families.one", chance=chance, each=in_short)
    yield say("families.found", lead=f"{lead}, one family{of_pairs}{in_each}", chance=of_all)


def false_findings(
    lead: str, families: int, design: Design, correction: PairCorrection | None = None, *, where: str = "",
    suffix: str = "", separate: str = "each of them", pairs: int = 2,
) -> str:  # fmt: skip
    """How many families there are, or tests if p of so many pairs is not adjusted, and the chance of a false finding in any of
    them, if these were independent. `correction`: of all, if not the design's, where F is adjusted in any case."""
    own = correction or design.correction
    tests = families * pairs if own == "none" and correction is None else families
    counted = plural(tests, "test") if tests != families else f"{tests} families"
    kind = "in_f" if own == "none" and correction else "several_bh" if pairs > 1 and own == "bh" else "several"
    chance = say(f"families.{kind}", chance=f"{1 - design.confidence**tests:.0%}", each=suffix, which=separate)
    return say("families.found", lead=f"{lead}, {counted}{where}", chance=chance)


def sentences_of_selection(scope: Scope) -> Iterator[str]:
    """Sentences on the families of the measures compared, and on a baseline that is the best or the worst run."""
    yield from of_families(scope.on, one_population=False)
    compared = [on_measure for on_measure in scope.on if on_measure.families and on_measure.measure.more_is_better]
    for baseline in scope.request.baseline:
        ends: dict[str, list[str]] = {}
        for family in [on_measure.alone for on_measure in compared if baseline not in POOLED]:
            means = family.over(family.scored.sources[0]).tested.of.value
            if len(means) < FEWEST_RUNS or baseline not in family.names or np.isnan(means).any() or np.ptp(means) == 0:
                continue
            mean = means[family.names.index(baseline)]
            if mean in (means.max(), means.min()):
                ends.setdefault("highest" if mean == means.max() else "lowest", []).append(family.measure.name)
        for extreme, measures in ends.items():
            runs, names = len(compared[0].alone.names), ", ".join(measures)
            yield say("families.baseline", baseline=baseline, extreme=extreme, runs=runs, measures=names)


# Points


def sentences_of_points(scored: Scored) -> Iterator[str]:
    """Sentences on what points depend on, and on what a sample of tasks is, where nothing says how topics belong together."""
    yield say("report.points", all=len(scored.runs))
    if not scored.kind:
        yield say("report.tasks")


def means_against_points(scope: Scope) -> Iterator[str]:
    """A sentence on each of the first pairs whose means go the other way than points, which ask another question."""
    against: list[str] = []
    scored, source = scope.scored, scope.scored.sources[0]
    for family in scope.paired:
        if family.measure.name not in scored.before:
            continue
        scores = family.comparison.table(scored.before[family.measure.name])
        points, measure = family.over(source).tested.of.value, in_words(family.measure.name.removesuffix(BORDA))
        for (run, baseline), more in zip(family.pairs.tolist(), points.tolist(), strict=False):
            is_shared = ~np.isnan(scores[[run, baseline]]).any(axis=0)
            means = source.means_of(np.where(is_shared, scores[[run, baseline]], np.nan)).tolist()
            if (means[0] - means[1]) * more < 0:
                word, than = ("lower", "more") if more > 0 else ("higher", "fewer")
                facts = {"run": family.names[run], "baseline": family.names[baseline], "measure": measure}
                facts |= {"of_run": amount(means[0]), "of_baseline": amount(means[1]), "word": word, "more": than}
                against.append(say("report.against_points", **facts))
    yield from against[:MOST]
    if len(against) > MOST:
        yield say("report.more_against_points", pairs=len(against) - MOST)
