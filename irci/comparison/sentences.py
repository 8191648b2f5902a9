"""Results in words: pairs one by one, or counted where they are many; means; ranks; families; and what rows are for.

Functions find facts, templates of comparisons.toml make sentences of them. The adjusted p decides; a difference that is not
significant is inconclusive, and no equality.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from irci.base import BORDA, NAMED, Margin, first_names, plural
from irci.base.choices import TOPICS, PairCorrection
from irci.base.types import reaches
from irci.comparison.best import sentences_of_best
from irci.comparison.claims import resolution, signs_of
from irci.comparison.family import Family
from irci.comparison.means import MOST, mean_in_words, sentences_of_means
from irci.comparison.rows import OnMeasure, Scope, differences, in_one, means
from irci.comparison.sources import Source
from irci.data.scores import UNIT
from irci.estimators.means import Design
from irci.output.formats import TESTS
from irci.output.tables import PValue, Row
from irci.stats.bounded import at_ends, share_limit
from irci.stats.decisions import Ranks, separated
from irci.wording import (
    amount,
    decimals_of,
    directions,
    interval_in_words,
    listed,
    name_of_p,
    p_text,
    rounded,
    say,
    templates,
)

SCALES = {"": "", "logit": " of logits", "log": " of logarithms"}  # on which scores are averaged
MOST_PAIRS = 6  # reported one by one


def explanation(scope: Scope) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for."""
    compared, sources = scope.paired, scope.scored.sources
    for family in compared:
        if len(family.pairs) <= MOST_PAIRS:
            for index in range(len(family.pairs)):
                yield from sentences_of_pair(family, index, sources)
        elif not family.is_diagnostic:
            for source in sources:
                yield _counted(family, source)
                yield from _of_margin(family, source)
    if any((signs_of(family, source) == 0).any() for family in compared for source in sources if source.has_p):
        yield say("pair.not_equal")
    if not compared:
        yield from _of_means(scope)
    for on_base in scope.by_base:
        yield from on_base[0].combined.sentences() if on_base[0].combined is not None else ()
        yield from (sentences_of_ranks(on, *of) for on in on_base for of in on.ranks)
    is_plain, families = all(source.observes for source in sources), _families_of_rows(scope)
    if compared and is_plain and scope.request.interval == "prediction":
        yield say("mean.new_topics", number=scope.request.new_topics or "as many")
    elif compared or not is_plain:
        for source in sources:
            if any(family.over(source).of.is_told.any() for family in families):
                yield from source.explained()
    yield from which_to_report(scope)
    yield from _of_best(scope)
    if not scope.scored.where:
        yield from sentences_of_selection(scope)


def conclusion(scope: Scope) -> Iterator[str]:
    """A paragraph a measure, over the first of several sources of variation: the run picked as the best; which run is best, if
    all are ranked; of pairs, whether a run is better, over each source that was asked for; else which run scores highest."""
    request, first = scope.request, scope.scored.sources[0]
    populations = scope.scored.sources if request.population else [first]
    ranks, compared = [on for on in scope.on if on.ranks], [of for of in scope.paired if not of.is_diagnostic]
    yield from _of_best(scope)
    if ranks:
        yield from (sentences_of_ranks(on, *of) for on in ranks for of in on.ranks if of[0] is first)
    elif compared:
        for family in compared:
            if len(family.pairs) == 1:
                yield " ".join(sentences_of_pair(family, 0, populations, is_short=True))
            else:
                yield " ".join([*(_counted(family, source) for source in populations), *_of_margin(family, first)])
    elif not request.best:
        rows = [row for _, row in _means(scope)]
        own = [first.sentence(row) for row in rows] if len(scope.scored.runs) == 1 else []
        highest = sentences_of_means(rows, request.confidence, TOPICS, is_short=True)
        yield from filter(None, own) if any(own) else highest
    yield from which_to_report(scope)


# A pair


class Finding:
    """The finding on a pair, by its place, over a source: nan or "" is not asked for, or not defined.

    topics: how many, if these are a plain sample, else 0
    own: the sentence of a source without p
    sign: 1 or -1 where the pair differs significantly, as the test points, which may be another way than the means
    """

    def __init__(self, family: Family, source: Source, index: int) -> None:
        self.family, self.source, self.index, tested = family, source, index, family.over(source)
        self.difference, self.lower, self.upper = (float(of[index]) for of in (tested.of.value, *tested.limits))
        self.has_limits = self.lower < self.upper
        self.p, self.p_adjusted = (PValue(p[index], source.least_p) for p in (tested.p, tested.p_adjusted))
        self.test, self.topics = tested.test[index], int(tested.of.units[index]) if source.is_plain_topics else 0
        self.claims = resolution(family, source) if source.tells_verdicts else None
        self.verdict = "" if self.claims is None else self.claims.verdict[index]
        self.sign = int(signs_of(family, source)[index])
        self.own = "" if source.has_p else source.sentence(differences(family, source).row(index, {}))


def sentences_of_pair(
    family: Family, index: int, sources: Sequence[Source], *, is_short: bool = False
) -> Iterator[str]:
    """Sentences on what was observed, with the evidence of the first source, if the measure finds anything, then on each other
    source that has any and on claims; `is_short`: of claims, equivalence alone. The difference is on the scale on which scores
    are averaged."""
    measure, (run, baseline) = family.measure, family.pairs[index].tolist()
    difference = float(family.over(sources[0]).of.value[index])
    (of_run,) = measure.scale().back(sources[0].baseline_means(family)[[index]] + difference).tolist()
    asked = () if family.is_diagnostic else sources
    findings = [Finding(family, source, index) for source in asked if family.over(source).of.is_told[index]]
    first = findings[0] if findings and not findings[0].own else None
    decimals, scale = 4 if first is None else decimals_of(first.lower, first.upper), _scale(family)
    names = {"run": family.names[run], "baseline": _baseline(family, baseline)}
    facts = {
        **names, "measure": measure.name, "scale": scale, "of_run": amount(of_run),
        "value": rounded(difference, decimals), "size": rounded(abs(difference), decimals),
        "word": directions(measure)[difference <= 0],
    }  # fmt: skip
    if math.isnan(difference):
        yield say("pair.none", **facts)
        return
    if any(over.verdict == "identical" for over in findings):
        yield say("pair.identical", **facts)
        return
    evidence, clause = ("", "") if first is None else (_evidence(first), _clause(first))
    kind = "equal" if difference == 0 else "scaled" if scale else "higher"
    yield say(f"pair.{kind}", **facts, evidence=f" ({evidence})" * bool(evidence), clause=clause)
    for over in findings:
        if over.own:
            yield over.own
            continue
        if over is not first:
            yield _over(over, first)
        yield from _of_margin_of_pair(over, names)
        if not is_short:
            yield from _of_power(over)


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


def _evidence(over: Finding, *, names_source: bool = True) -> str:
    """95% CI .041 to .138; paired t test, p = .0005, 50 topics."""
    parts, family, source = list[str](), over.family, over.source
    if over.has_limits:
        is_new = over.topics > 0 and family.design.interval == "prediction"
        text = f"{100 * family.design.confidence:g}% {'prediction interval' if is_new else 'CI'}"
        if family.request.looks is not None:
            text = "CI for all looks"  # whose confidence stands above the rows; that of this look alone is another
        if predicted := source.word("predicted"):
            text += f" for {predicted}"
        elif names_source and source.over != TOPICS and not over.topics:
            text += f" over {source.over}"
        parts.append(f"{text} {interval_in_words(over.lower, over.upper)}")
    if not math.isnan(over.p_adjusted):
        # By the largest statistic p comes from signs, whatever the statistic.
        is_named = over.topics > 0 and family.design.correction != "maxt"
        test, topics = TESTS.get(over.test, "") * is_named, plural(over.topics, "topic") * bool(over.topics)
        parts.append(", ".join(filter(None, (test, p_text(over.p_adjusted, _p_name(family)), topics))))
    return "; ".join(parts)


def _clause(over: Finding) -> str:
    """The conclusion from interval and p; "" of a significant difference whose interval excludes 0."""
    if math.isnan(over.p_adjusted):
        return "" if over.source.word("predicted") else say("clause.untested")
    has_zero, pairs, alpha = over.lower <= 0 <= over.upper, over.family.number, over.family.alpha
    if over.sign and over.sign != np.sign(over.difference):
        kind = "opposite"
    elif over.sign:
        kind = "significant_alone" if not over.has_limits else "significant_within" if has_zero else "none"
    elif over.verdict in ("equivalent", "not worse"):
        kind = "not_significant"
    elif not over.has_limits:
        kind = "open_alone"
    else:
        kind = "open" if has_zero else "open_among" if pairs > 1 and reaches(over.p, alpha) else "open_outside"
    return say(f"clause.{kind}", pairs=pairs, word=directions(over.family.measure)[over.verdict == "worse"])


def _over(over: Finding, first: Finding | None) -> str:
    """The finding over a further source, after that over the first."""
    words = over.source.over
    if math.isnan(over.p_adjusted) and not (over.source.word("predicted") and over.has_limits):
        return say("pair.over_untested", over=words)
    if over.source.by_resamples and over.lower == over.upper:
        return say("pair.over_no_change", over=words)
    evidence = _evidence(over, names_source=False)
    if first and over.has_limits and (over.lower, over.upper, over.p) == (first.lower, first.upper, first.p):
        evidence = say("pair.equal_evidence")
    return say("pair.over", over=words, evidence=evidence, clause=_clause(over))


def _of_margin_of_pair(over: Finding, names: Mapping[str, str]) -> Iterator[str]:
    """Sentences on whether a pair lies within the margin, and whether the run is not worse by it."""
    family, claims, index, margin = over.family, over.claims, over.index, over.family.request.margin
    if claims is None or margin is None:
        return
    design, p_name = family.design, name_of_p(family.number)
    p, of_margin = float(claims.p_equivalence[index]), _margin_in_words(margin) + _scale(family)
    evidence, confidence, is_within = list[str](), 2 * design.confidence - 1, bool(reaches(p, family.alpha))
    if is_within and not claims.few[index] and family.number == 1 and over.test == "t" and confidence > 0:
        # That which lies within a margin where two one-sided t tests of a single pair say so.
        lower, upper = (float(limit[index]) for limit in family.over(over.source).of.limits(confidence))
        evidence += [] if math.isnan(lower) else [f"{100 * confidence:.4g}% CI {interval_in_words(lower, upper)}"]
    evidence += [] if math.isnan(p) else [p_text(p, p_name)]
    p_said = f" ({', '.join(evidence)})" if evidence else ""
    if is_within:
        yield say("claims.within", margin=of_margin, p=p_said)
    elif over.verdict not in ("better", "worse"):
        if few := claims.how_few(index, over.source.counted):
            share = share_limit(int(claims.differing[index]), int(claims.units[index]), family.alpha)
            others, sure = f"other {over.source.counted}", f"{100 * design.confidence:g}% confidence"
            few = f": {few}; on up to {share:.1%} of {others} the two may differ ({sure})"
        yield say("claims.not_within", margin=of_margin, p=p_said, few=few)
    if over.verdict == "not worse":
        p_said = p_text(float(claims.p_not_worse[index]), p_name)
        yield say("claims.not_worse", **names, margin=of_margin, p=p_said)


def _of_power(over: Finding) -> Iterator[str]:
    """Sentences on what a pair could have shown."""
    family, claims, index, power = over.family, over.claims, over.index, over.family.request.power
    if claims is None:
        return
    smallest, detectable, needed = (
        float(of[index]) for of in (claims.smallest_p, claims.detectable, claims.topics_needed)
    )
    if claims.reason[index] == "unresolvable" and smallest == smallest:
        p_name = _p_name(family) if family.design.correction == "maxt" else "p"
        yield say("claims.unresolvable", p_name=p_name, smallest=p_text(smallest).split()[-1])
    is_open = over.verdict == "inconclusive" and not claims.reason[index]
    if is_open and 0 < detectable < math.inf and (power or (family.number == 1 and over.topics)):
        facts = {"counted": over.source.counted, "scale": _scale(family), "detectable": amount(detectable)}
        yield say("claims.detectable", **facts)
    if power and needed < math.inf:
        yield say("claims.needed", needed=f"{needed:.0f}")


# Many pairs


def _has_baselines(family: Family) -> bool:
    """True if runs are compared with several others, not with one baseline."""
    return family.request.all_pairs or len(np.unique(family.pairs[:, 1])) > 1


def _names(family: Family, pairs: Iterable[int]) -> list[str]:
    """The runs compared with one baseline, or both of each pair."""
    sides = 1 + _has_baselines(family)
    return [" and ".join(family.names[side] for side in family.pairs[index][:sides]) for index in pairs]


def _counted(family: Family, source: Source) -> str:
    """How many of many pairs differ significantly, and which do not."""
    measure, adjusted = family.measure, family.over(source)
    if not source.has_p:
        return source.sentence_on_many(measure.name, adjusted.of.columns)
    value, signs = adjusted.of.value, signs_of(family, source)
    is_tested = ~np.isnan(adjusted.p_adjusted) | (value == 0)
    differing = {"differ": signs != 0} if _has_baselines(family) else {"higher": signs > 0, "lower": signs < 0}
    groups = {**differing, "open": (signs == 0) & is_tested, "untested": ~is_tested}
    order, (higher, lower) = np.argsort(-np.abs(value), kind="stable"), directions(measure)
    facts = {
        "over": source.over, "all": len(signs), "measure": measure.name, "p_name": _p_name(family),
        "higher": higher, "lower": lower, "baseline": _baseline(family, int(family.pairs[0, 1])),
    }  # fmt: skip
    parts = list[str]()
    for kind, is_member in groups.items():
        names = _names(family, order[is_member[order]])
        if names or not parts:
            most = None if kind in ("higher", "lower") else NAMED
            count, number = len(names) or "none", len(names)
            parts.append(say(f"many.{kind}", **facts, count=count, number=number, names=listed(names, most)))
    return f"{'; '.join(parts)}."


def _of_margin(family: Family, source: Source) -> Iterator[str]:
    """How many of several pairs are equivalent within the margin, and which."""
    if (margin := family.request.margin) is not None and source.tells_verdicts:
        is_shown = separated(resolution(family, source).p_equivalence, family.alpha)
        names, noun = _names(family, np.flatnonzero(is_shown).tolist()), "pairs" if _has_baselines(family) else "runs"
        facts = {"over": source.over, "names": listed(names), "noun": noun, "margin": _margin_in_words(margin)}
        count, number = len(names) or "none", len(names)
        yield say("many.within", **facts, count=count, number=number, all=len(family.pairs))


def _margin_in_words(margin: Margin) -> str:
    return f"{margin} of the baseline's mean" if margin.is_share else str(margin).removeprefix("0")


# Means


def _means(scope: Scope) -> Iterator[tuple[Source, Row]]:
    """The rows of means, run by run, and what they are over."""
    over = [(on.alone, source) for on in scope.on for source in scope.scored.sources if not scope.request.no_summary]
    blocks = [block for alone, source in over for block in means(alone, source)]
    for run in range(len(scope.scored.runs)):
        yield from ((block.source, block.row(run, {})) for block in blocks if block.is_told[run])


def _of_means(scope: Scope) -> Iterator[str]:
    """Sentences on what runs score; where all scores of a run are 0 or 1, and runs are few, also on how many queries succeed,
    and how many of such queries do: but for points, of which 1 is no success."""
    request, scored, means_over = scope.request, scope.scored, list(_means(scope))
    if not all(source.observes for source in scored.sources):
        for source, row in means_over if len(means_over) <= MOST * len(scored.sources) else ():
            over = {source.word("predicted") or source.over: row}
            yield source.sentence(row) or mean_in_words(str(row["measure"]), str(row["run"]), over, request.confidence)
        return
    predicted = str(request.new_topics or "as many") if request.interval == "prediction" else ""
    yield from sentences_of_means((row for _, row in means_over), request.confidence, TOPICS, predicted)
    topics, confidence = scored.plain_topics, f"{100 * request.confidence:g}%"
    for family in [on.alone for on in scope.on]:
        if topics is None or family.ends != UNIT or family.are_points or len(family.raw) > MOST:
            continue
        tested = family.over(topics)
        for run, kind, scores, limits in zip(family.names, tested.interval, family.raw, tested.limits.T, strict=True):
            scores = scores[~np.isnan(scores)]
            if len(scores) and kind == "bounded" and at_ends(scores, *UNIT):
                lower, upper = (f"{limit:.1%}" for limit in limits)
                facts = {"run": run, "measure": family.measure.name, "lower": lower, "upper": upper}
                hits = int(scores.round().sum())
                yield say("mean.hits", **facts, hits=hits, queries=len(scores), confidence=confidence)


# Ranks


def _of_best(scope: Scope) -> Iterator[str]:
    for on in scope.on:
        for best in on.best:
            yield from sentences_of_best(best, is_alone=on.pairs is None)


def sentences_of_ranks(on: OnMeasure, source: Source, ranked: Ranks) -> str:
    """Which runs may be the best by a measure."""
    measure, names, number = on.measure, on.alone.names, len(ranked.rank)
    best = [names[run] for run in np.argsort(ranked.rank, kind="stable").tolist() if ranked.lower[run] == 1]
    return say(
        "rank.one" if len(best) == 1 else "rank.several", over=source.over, all=number, number=len(best),
        first="best" if measure.more_is_better else "highest", measure=measure.name, names=first_names(best, MOST),
        lowest=", whose lower is 1" * (len(best) > MOST), confidence=f"{100 * on.alone.request.confidence:g}%",
    )  # fmt: skip


# Rows


def _families_of_rows(scope: Scope) -> list[Family]:
    """The pairs by each measure, or else the means."""
    return scope.paired or [on.alone for on in scope.on if not (scope.request.no_summary or on.measure.is_count)]


def which_to_report(scope: Scope) -> Iterator[str]:
    """A sentence on which row to report for which claim, if there are limits over topics and over other sources."""
    families, with_p = _families_of_rows(scope), [source for source in scope.scored.sources if source.has_p]
    limits = {source.name: [family.over(source).limits[0] for family in families] for source in with_p}
    names = {name for name, lower in limits.items() if any(not np.isnan(of).all() for of in lower)}
    if TOPICS in names and len(names) > 1:
        about = {name: words for name, words in templates()["claim"].items() if name in names}
        beside = (words for name, words in templates()["topics_beside"].items() if name in names)
        about[TOPICS] = next(beside, about[TOPICS])
        of_each = (say("report.row", population=name, about=words) for name, words in about.items())
        yield say("report.rows", rows=", and ".join(of_each))


# Families


def adjusted_in_words(correction: PairCorrection) -> str:
    """How p is adjusted, in captions."""
    return "p not adjusted" if correction == "none" else f"p adjusted {say(f'how.{correction}')}"


def of_families(on: Sequence[OnMeasure], *, one_population: bool) -> Iterator[str]:
    """The families that measures, and slices, make, and the chance of a false finding in any of them; nothing of one family.
    `one_population`: the findings reported are those over one of the sources."""
    compared = [of for of in on if of.families and not of.alone.is_diagnostic]
    if diagnostic := [of.measure.name for of in on if of.families and of.alone.is_diagnostic]:
        yield say("families.diagnostic", measures=", ".join(diagnostic))
    sources = compared[0].alone.scored.sources if compared else ()
    if not any(source.has_p for source in sources):
        return
    family, measures, one = compared[0].families[-1], plural(len(compared), "measure"), in_one(on)
    if family.request.slices is not None and family.design.correction != "none":
        # F of each measure is a family, others are on all topics and in slices.
        with_f = sum(bool(on.pairs and len(on.pairs.pairs)) for on in compared)
        families = 2 * (1 if family.request.family == "joint" else len(compared)) + with_f
        parts = "all topics, slices and F" if with_f else "all topics and slices"
        yield false_findings(f"{measures} ({parts})", families, family.design)
    elif family.request.slices is None and len(compared) > 1:
        several = not one_population and sum(source.has_test_column for source in sources) > 1
        lead = f"In each population, {measures}" if several else measures
        number, pairs = (len(compared), len(family.pairs)) if one is None else (1, one.number)
        yield false_findings(lead, number, family.design, pairs=pairs)


def false_findings(lead: str, families: int, design: Design, pairs: int = 2) -> str:
    """How many families of so many pairs there are, or tests if p is not adjusted, and the chance of a false finding in any of
    them, if these were independent."""
    number = families * pairs if design.correction == "none" else families
    kind = {"none": "tests", "bh": "families_bh" if pairs > 1 else "families"}.get(design.correction, "families")
    chance = 1 - design.confidence**number
    return say(f"false.{kind}", lead=lead, number=number, chance=f"{100 * chance:.{0 if chance > 0.01 else 2}f}%")


def sentences_of_selection(scope: Scope) -> Iterator[str]:
    """Sentences on the families of the measures compared, and on a baseline that is the best or the worst run."""
    yield from of_families(scope.on, one_population=False)
    compared = [on for on in scope.on if on.families and on.measure.more_is_better]
    means = {on.measure.name: on.alone.over(scope.scored.sources[0]).of.value for on in compared}
    means = {name: of for name, of in means.items() if len(of) > 2 and np.ptp(of) > 0}  # of two, one is the best anyway
    runs = scope.scored.runs
    for name, (extreme, end) in product(scope.request.baseline, (("highest", np.max), ("lowest", np.min))):
        if measures := [of for of, values in means.items() if name in runs and values[runs.index(name)] == end(values)]:
            facts = {"baseline": name, "runs": len(runs), "measures": ", ".join(measures)}
            yield say("families.baseline", extreme=extreme, **facts)


# Points


def means_against_points(scope: Scope) -> Iterator[str]:
    """A sentence on each of the first pairs whose means go the other way than points, which ask another question."""
    against: list[str] = []
    scored, source = scope.scored, scope.scored.sources[0]
    for family in scope.paired:
        if family.measure.name not in scored.before:
            continue
        scores = family.comparison.table(scored.before[family.measure.name])
        points, measure = family.over(source).of.value, family.measure.name.removesuffix(BORDA)
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
