"""Results in words: pairs one by one, or counted where they are many; means; ranks; families; and what rows are for.

Functions find facts, templates of comparisons.toml make sentences of them. The adjusted p decides; a difference that is not
significant is inconclusive, and no equality.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from irci.base import NAMED, Margin, first_names, plural
from irci.base.choices import TOPICS, PairCorrection
from irci.base.types import reaches
from irci.comparison.claims import how_few, resolution, signs_of
from irci.comparison.family import Family
from irci.comparison.means import MOST, mean_in_words, sentences_of_means
from irci.comparison.rows import OnMeasure, Scope, findings, in_one
from irci.comparison.sources import Source
from irci.data.scores import UNIT
from irci.estimators.means import Design
from irci.output.formats import TESTS
from irci.output.tables import PValue, Row
from irci.stats.decisions import Ranks
from irci.stats.scales import at_ends
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
)

SCALES = {"": "", "logit": " of logits", "log": " of logarithms"}  # on which scores are averaged
MOST_PAIRS = 6  # reported one by one


def explanation(scope: Scope) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for."""
    compared, sources = scope.paired, scope.scored.sources
    for family in compared:
        yield from _of_pairs(family, sources, MOST_PAIRS)
    if any((signs_of(family, source) == 0).any() for family in compared for source in sources if source.has_p):
        yield say("pair.not_equal")
    if not compared:
        yield from _of_means(scope)
    for on_base in scope.by_base:
        yield from on_base[0].combined[1]
        yield from (sentences_of_ranks(on, *of) for on in on_base for of in on.ranks)
    is_plain = all(source.observes for source in sources)
    families = compared or [on.alone for on in scope.on if not scope.request.no_summary]
    if compared and is_plain and scope.request.interval == "prediction":
        yield say("mean.new_topics", number=scope.request.new_topics or "as many")
    elif compared or not is_plain:
        for source in sources:
            if any(family.over(source).of.is_told.any() for family in families):
                yield from source.explained()
    yield from (sentence for on in scope.on for _, of_best, _ in on.best for sentence in of_best)
    if not scope.scored.where:
        yield from sentences_of_selection(scope)


def conclusion(scope: Scope) -> Iterator[str]:
    """A paragraph a measure, over the first of several sources of variation: the run picked as the best; which run is best, if
    all are ranked; of pairs, whether a run is better, over each source that was asked for; else which run scores highest."""
    request, first = scope.request, scope.scored.sources[0]
    populations = scope.scored.sources if request.population else [first]
    ranks, compared = [on for on in scope.on if on.ranks], [of for of in scope.paired if not of.is_diagnostic]
    yield from (sentence for on in scope.on for _, of_best, _ in on.best for sentence in of_best)
    if ranks:
        yield from (sentences_of_ranks(on, *of) for on in ranks for of in on.ranks if of[0] is first)
    elif compared:
        yield from (" ".join(_of_pairs(family, populations, 1, is_short=True)) for family in compared)
    elif not request.best:
        rows = [row for _, row in _means(scope)]
        own = [first.sentence(row) for row in rows] if len(scope.scored.runs) == 1 else []
        highest = sentences_of_means(rows, request.confidence, TOPICS, is_short=True)
        yield from filter(None, own) if any(own) else highest


def _of_pairs(family: Family, sources: Sequence[Source], most: int, *, is_short: bool = False) -> Iterator[str]:
    """Sentences on each pair, or over each source on how many of more than `most` differ."""
    if len(family.pairs) <= most:
        for index in range(len(family.pairs)):
            yield from sentences_of_pair(family, index, sources, is_short=is_short)
    elif not family.is_diagnostic:
        for source in sources:
            yield _counted(family, source)
            yield from _of_margin(family, source)


# A pair


def sentences_of_pair(
    family: Family, index: int, sources: Sequence[Source], *, is_short: bool = False
) -> Iterator[str]:
    """Sentences on what was observed, with the evidence of the first source, if the measure finds anything, then on each other
    source that has any and on claims; `is_short`: of claims, equivalence alone. The difference is on the scale on which scores
    are averaged."""
    measure, (run, baseline), scale = family.measure, family.pairs[index].tolist(), _scale(family)
    observed = family.over(sources[0])
    difference = float(observed.of.value[index])
    (of_run,) = measure.scale().back(sources[0].baseline_means(family)[[index]] + difference).tolist()
    sources = [source for source in sources if not family.is_diagnostic and family.over(source).of.is_told[index]]
    first = sources[0] if sources and sources[0].has_p else None
    decimals = 4 if first is None else decimals_of(*family.over(first).limits[:, index].tolist())
    names = {"run": family.names[run], "baseline": _baseline(family, baseline)}
    facts = {
        **names, "measure": measure.name, "scale": scale, "of_run": amount(of_run),
        "value": rounded(difference, decimals), "size": rounded(abs(difference), decimals),
        "word": directions(measure)[difference <= 0],
    }  # fmt: skip
    if math.isnan(difference) or any(_verdict(family, source, index) == "identical" for source in sources):
        yield say("pair.none" if math.isnan(difference) else "pair.identical", **facts)
        return
    evidence = "" if first is None else _evidence(family, first, index)
    clause = "" if first is None else _clause(family, first, index)
    kind = "equal" if difference == 0 else "scaled" if scale else "higher"
    yield say(f"pair.{kind}", **facts, evidence=f" ({evidence})" if evidence else "", clause=clause)
    for source in sources:
        if not source.has_p:
            yield from (source.sentence(block.row(index)) for block in findings(family, source))
        elif source is not first:
            yield _over(family, source, index)
        if source.tells_verdicts:
            yield from _of_margin_of_pair(family, source, index, names)
            yield from () if is_short else _of_power(family, source, index)


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


def _verdict(family: Family, source: Source, index: int) -> str:
    """The verdict on a pair, "" over a source that has none."""
    return resolution(family, source)["verdict"][index] if source.tells_verdicts else ""


def _evidence(family: Family, source: Source, index: int, *, names_source: bool = True) -> str:
    """95% CI .041 to .138; paired t test, p = .0005, 50 topics."""
    tested, design, parts = family.over(source), family.design, list[str]()
    (lower, upper), p = tested.limits[:, index].tolist(), tested.p_adjusted[index]
    topics = int(tested.of.units[index]) if source.is_plain_topics else 0
    if lower < upper:
        is_new = topics > 0 and design.interval == "prediction"
        kind = f"{100 * design.confidence:g}% {'prediction interval' if is_new else 'CI'}"
        if family.request.looks is not None:
            kind = "CI for all looks"  # whose confidence stands above the rows; that of this look alone is another
        if predicted := source.word("predicted"):
            kind += f" for {predicted}"
        elif names_source and source.over != TOPICS and not topics:
            kind += f" over {source.over}"
        parts.append(f"{kind} {interval_in_words(lower, upper)}")
    if not np.isnan(p):
        # By the largest statistic p comes from signs, whatever the statistic.
        test = TESTS.get(tested.test[index], "") if topics and design.correction != "maxt" else ""
        of_p = p_text(PValue(p, source.least_p), _p_name(family))
        parts.append(", ".join(filter(None, (test, of_p, plural(topics, "topic") if topics else ""))))
    return "; ".join(parts)


def _clause(family: Family, source: Source, index: int) -> str:
    """The conclusion from interval and p; "" of a significant difference whose interval excludes 0."""
    tested, verdict = family.over(source), _verdict(family, source, index)
    if np.isnan(tested.p_adjusted[index]):
        return "" if source.word("predicted") else say("clause.untested")
    (lower, upper), sign = tested.limits[:, index].tolist(), signs_of(family, source)[index]
    has_zero, pairs = lower <= 0 <= upper, family.number
    holds = {  # the first that does
        "opposite": sign and sign != np.sign(tested.of.value[index]),
        "significant_alone": sign and not lower < upper,
        "significant_within": sign and has_zero,
        "none": sign,
        "not_significant": verdict in ("equivalent", "not worse"),
        "open_alone": not lower < upper,
        "open": has_zero,
        "open_among": pairs > 1 and reaches(tested.p[index], family.alpha),
        "open_outside": True,
    }
    kind = next(name for name, is_so in holds.items() if is_so)
    return say(f"clause.{kind}", pairs=pairs, word=directions(family.measure)[verdict == "worse"])


def _over(family: Family, source: Source, index: int) -> str:
    """The finding over a further source, after that over the first."""
    tested, words = family.over(source), source.over
    lower, upper = tested.limits[:, index].tolist()
    if np.isnan(tested.p_adjusted[index]) and not (source.word("predicted") and lower < upper):
        return say("pair.over_untested", over=words)
    evidence = _evidence(family, source, index, names_source=False)
    return say("pair.over", over=words, evidence=evidence, clause=_clause(family, source, index))


def _of_margin_of_pair(family: Family, source: Source, index: int, names: Mapping[str, str]) -> Iterator[str]:
    """Sentences on whether a pair lies within the margin, and whether the run is not worse by it."""
    claims, tested, margin = resolution(family, source), family.over(source), family.request.margin
    if margin is None:
        return
    confidence, p_name, verdict = family.design.confidence, name_of_p(family.number), claims["verdict"][index]
    p, of_margin = float(claims["p_equivalence_adjusted"][index]), _margin_in_words(margin) + _scale(family)
    evidence, (few, share), of_ends = list[str](), how_few(family, source, index), 2 * confidence - 1
    is_within = bool(reaches(p, family.alpha))
    if is_within and not claims["few"][index] and family.number == 1 and tested.test[index] == "t" and of_ends > 0:
        # That which lies within a margin where two one-sided t tests of a single pair say so.
        lower, upper = tested.of.limits(of_ends)[:, index].tolist()
        evidence += [] if math.isnan(lower) else [f"{100 * of_ends:.4g}% CI {interval_in_words(lower, upper)}"]
    evidence += [] if math.isnan(p) else [p_text(p, p_name)]
    p_said = f" ({', '.join(evidence)})" if evidence else ""
    if is_within:
        yield say("claims.within", margin=of_margin, p=p_said)
    elif verdict not in ("better", "worse"):
        if few:
            of_others = f"on up to {share:.1%} of other {source.counted} the two may differ"
            few = f": {few}; {of_others} ({100 * confidence:g}% confidence)"
        yield say("claims.not_within", margin=of_margin, p=p_said, few=few)
    if verdict == "not worse":
        p_said = p_text(float(claims["p_not_worse_adjusted"][index]), p_name)
        yield say("claims.not_worse", **names, margin=of_margin, p=p_said)


def _of_power(family: Family, source: Source, index: int) -> Iterator[str]:
    """Sentences on what a pair could have shown."""
    claims, power = resolution(family, source), family.request.power
    reason, smallest, detectable = (claims[name][index] for name in ("reason", "smallest_p", "detectable"))
    if reason == "unresolvable" and not math.isnan(smallest):
        p_name = _p_name(family) if family.design.correction == "maxt" else "p"
        yield say("claims.unresolvable", p_name=p_name, smallest=p_text(smallest).split()[-1])
    is_asked, is_open = power or (family.number == 1 and source.is_plain_topics), not reason
    if claims["verdict"][index] == "inconclusive" and is_open and is_asked and 0 < detectable < math.inf:
        facts = {"counted": source.counted, "scale": _scale(family), "detectable": amount(detectable)}
        yield say("claims.detectable", **facts)
    if power and (needed := claims["topics_needed"][index]) < math.inf:
        yield say("claims.needed", needed=f"{needed:.0f}")


# Many pairs


def _names(family: Family, pairs: Iterable[int]) -> list[str]:
    """The runs compared with one baseline, or both of each pair."""
    sides = 1 + _has_baselines(family)
    return [" and ".join(family.names[side] for side in family.pairs[index][:sides]) for index in pairs]


def _has_baselines(family: Family) -> bool:
    """True if runs are compared with several others, not with one baseline."""
    return family.request.all_pairs or len(np.unique(family.pairs[:, 1])) > 1


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
            listed_names = listed(names, None if kind in ("higher", "lower") else NAMED)
            parts.append(
                say(f"many.{kind}", **facts, count=len(names) or "none", number=len(names), names=listed_names)
            )
    return f"{'; '.join(parts)}."


def _of_margin(family: Family, source: Source) -> Iterator[str]:
    """How many of several pairs are equivalent within the margin, and which."""
    if (margin := family.request.margin) is not None and source.tells_verdicts:
        is_shown = reaches(resolution(family, source)["p_equivalence_adjusted"], family.alpha)
        names, noun = _names(family, np.flatnonzero(is_shown).tolist()), "pairs" if _has_baselines(family) else "runs"
        yield say(
            "many.within", over=source.over, count=len(names) or "none", number=len(names), all=len(family.pairs), noun=noun,
            margin=_margin_in_words(margin), names=listed(names),
        )  # fmt: skip


def _margin_in_words(margin: Margin) -> str:
    return f"{margin} of the baseline's mean" if margin.is_share else str(margin).removeprefix("0")


# Means and ranks


def _means(scope: Scope) -> Iterator[tuple[Source, Row]]:
    """The rows of means, run by run, and what they are over."""
    over = [(on.alone, source) for on in scope.on for source in scope.scored.sources if not scope.request.no_summary]
    blocks = [block for alone, source in over for block in findings(alone, source)]
    for run in range(len(scope.scored.runs)):
        yield from ((block.source, block.row(run)) for block in blocks if block.is_told[run])


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
    if (topics := scored.plain_topics) is None:
        return
    confidence = f"{100 * request.confidence:g}%"
    for family in [on.alone for on in scope.on if len(scored.runs) <= MOST]:
        tested = family.over(topics)
        for run in np.flatnonzero(tested.interval == "bounded").tolist() if not family.are_points else ():
            scores = family.raw[run][~np.isnan(family.raw[run])]
            if family.ends == UNIT and at_ends(scores, *UNIT):
                lower, upper = (f"{limit:.1%}" for limit in tested.limits[:, run])
                facts = {"run": family.names[run], "measure": family.measure.name, "lower": lower, "upper": upper}
                hits = int(scores.round().sum())
                yield say("mean.hits", **facts, hits=hits, queries=len(scores), confidence=confidence)


def sentences_of_ranks(on: OnMeasure, source: Source, ranked: Ranks) -> str:
    """Which runs may be the best by a measure."""
    measure, names, number = on.measure, on.alone.names, len(ranked.rank)
    best = [names[run] for run in np.argsort(ranked.rank, kind="stable").tolist() if ranked.lower[run] == 1]
    return say(
        "rank.one" if len(best) == 1 else "rank.several", over=source.over, all=number, number=len(best),
        first="best" if measure.more_is_better else "highest", measure=measure.name, names=first_names(best, MOST),
        lowest=", whose lower is 1" * (len(best) > MOST), confidence=f"{100 * on.alone.request.confidence:g}%",
    )  # fmt: skip


# Families


def adjusted_in_words(correction: PairCorrection) -> str:
    """How p is adjusted, in captions."""
    return "p not adjusted" if correction == "none" else f"p adjusted {say(f'how.{correction}')}"


def of_families(on: Sequence[OnMeasure], *, one_population: bool) -> Iterator[str]:
    """The families that measures, and slices, make, and the chance of a false finding in any of them; nothing of one family.
    `one_population`: the findings reported are those over one of the sources."""
    compared = [of for of in on if of.families and not of.alone.is_diagnostic]
    sources = compared[0].alone.scored.sources if compared else ()
    if not any(source.has_p for source in sources):
        return
    family, lead, one = compared[0].families[-1], plural(len(compared), "measure"), in_one(on)
    if family.request.slices is not None and family.design.correction != "none":
        # F of each measure is a family, others are on all topics and in slices.
        with_f = sum(bool(on.pairs and len(on.pairs.pairs)) for on in compared)
        families = 2 * (1 if family.request.family == "joint" else len(compared)) + with_f
        parts = "all topics, slices and F" if with_f else "all topics and slices"
        yield false_findings(f"{lead} ({parts})", families, family.design)
    elif family.request.slices is None and len(compared) > 1:
        if not one_population and sum(source.has_test_column for source in sources) > 1:
            lead = f"In each population, {lead}"
        number, pairs = (len(compared), len(family.pairs)) if one is None else (1, one.number)
        yield false_findings(lead, number, family.design, pairs=pairs)


def of_diagnostics(on: Sequence[OnMeasure]) -> Iterator[str]:
    """The measures, if any, whose differences are no findings about runs."""
    if diagnostic := [of.measure.name for of in on if of.families and of.alone.is_diagnostic]:
        yield say("families.diagnostic", measures=", ".join(diagnostic))


def false_findings(lead: str, families: int, design: Design, pairs: int = 2) -> str:
    """How many families of so many pairs there are, or tests if p is not adjusted, and the chance of a false finding in any of
    them, if these were independent."""
    number = families * pairs if design.correction == "none" else families
    kind = {"none": "tests", "bh": "families_bh" if pairs > 1 else "families"}.get(design.correction, "families")
    chance = 1 - design.confidence**number
    return say(f"false.{kind}", lead=lead, number=number, chance=f"{100 * chance:.{0 if chance > 0.01 else 2}f}%")


def sentences_of_selection(scope: Scope) -> Iterator[str]:
    """Sentences on the families of the measures compared, and on a baseline that is the best or the worst run."""
    yield from of_diagnostics(scope.on)
    yield from of_families(scope.on, one_population=False)
    compared = [on for on in scope.on if on.families and on.measure.more_is_better]
    means = {on.measure.name: on.alone.over(scope.scored.sources[0]).of.value for on in compared}
    means = {name: of for name, of in means.items() if len(of) > 2 and np.ptp(of) > 0}  # of two, one is the best anyway
    runs = scope.scored.runs
    for name, (extreme, end) in product(scope.request.baseline, (("highest", np.max), ("lowest", np.min))):
        if measures := [of for of, values in means.items() if name in runs and values[runs.index(name)] == end(values)]:
            facts = {"baseline": name, "runs": len(runs), "measures": ", ".join(measures)}
            yield say("families.baseline", extreme=extreme, **facts)
