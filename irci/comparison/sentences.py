"""Results in words: pairs one by one, or counted where they are many; means; ranks; families; and what rows are for.

Functions find facts, templates of comparisons.toml make sentences of them. The adjusted p decides; a difference that is not
significant is inconclusive, and no equality.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any

import numpy as np

from irci.base import NAMED, Margin, first_names, plural
from irci.base.choices import TOPICS
from irci.base.types import reaches
from irci.comparison.claims import how_few, resolution, signs_of
from irci.comparison.family import Family
from irci.comparison.means import MOST, mean_in_words, sentences_of_means
from irci.comparison.rows import OnMeasure, Scope, findings
from irci.comparison.sources import Source
from irci.data.scores import UNIT
from irci.output.formats import TESTS
from irci.output.tables import PValue, Row
from irci.stats.scales import at_ends
from irci.wording import amount, decimals_of, directions, interval_in_words, listed, name_of_p, p_text, rounded, say

SCALES = {"": "", "logit": " of logits", "log": " of logarithms"}  # on which scores are averaged
MOST_PAIRS = 6  # reported one by one


def explanation(scope: Scope, scopes: Sequence[Scope]) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for. `scopes`: all whose rows stand
    side by side."""
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
        yield from sentences_of_selection(scope, scopes)


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
        yield from chain.from_iterable(_of_many(family, source) for source in sources)


# A pair


def sentences_of_pair(
    family: Family, index: int, sources: Sequence[Source], *, is_short: bool = False
) -> Iterator[str]:
    """Sentences on what was observed, with the evidence of the first source, if the measure finds anything, then on each other
    source that has any and on claims; `is_short`: of claims, equivalence alone. The difference is on the scale on which scores
    are averaged."""
    measure, (run, baseline), scale = family.measure, family.pairs[index].tolist(), _scale(family)
    difference, of_baseline = family.over(sources[0]).of.value[index].item(), sources[0].baseline_means(family)[[index]]
    sources = [source for source in sources if not family.is_diagnostic and family.over(source).of.is_told[index]]
    has_evidence = bool(sources) and sources[0].has_p
    limits = family.over(sources[0]).limits[:, index].tolist() if has_evidence else (0.0, 0.0)
    facts = {
        "run": family.names[run], "baseline": _baseline(family, baseline), "measure": measure.name, "scale": scale,
        "of_run": amount(measure.scale().back(of_baseline + difference).item()),
        "size": rounded(abs(difference), decimals_of(*limits)), "word": directions(measure)[difference <= 0],
    }  # fmt: skip
    if math.isnan(difference) or any(_verdict(family, source, index) == "identical" for source in sources):
        yield say("pair.none" if math.isnan(difference) else "pair.identical", **facts)
        return
    evidence, clause = _evidence(family, sources[0], index) if has_evidence else ("", "")
    kind = "equal" if difference == 0 else "scaled" if scale else "higher"
    yield say(f"pair.{kind}", **facts, evidence=f" ({evidence})" if evidence else "", clause=clause)
    for source in sources:
        if not source.has_p:
            yield from (source.sentence(block.row(index)) for block in findings(family, source))
        elif source is not sources[0]:
            evidence, clause = _evidence(family, source, index, names_source=False)
            kind = "over" if evidence else "over_untested"
            yield say(f"pair.{kind}", over=source.over, evidence=evidence, clause=clause)
        if source.tells_verdicts:
            yield from _of_margin(family, source, index, facts)
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


def _evidence(family: Family, source: Source, index: int, *, names_source: bool = True) -> tuple[str, str]:
    """The evidence, such as "95% CI .041 to .138; paired t test, p = .0005, 50 topics", and the conclusion from it, "" of a
    significant difference whose interval excludes 0."""
    tested, design, predicted, parts = family.over(source), family.design, source.word("predicted"), list[str]()
    (lower, upper), p = tested.limits[:, index].tolist(), tested.p_adjusted[index]
    topics, has_interval = int(tested.of.units[index]) if source.is_plain_topics else 0, lower < upper
    if has_interval:
        is_new = topics > 0 and design.interval == "prediction"
        kind = f"{100 * design.confidence:g}% {'prediction interval' if is_new else 'CI'}"
        if family.request.looks is not None:
            kind = "CI for all looks"  # whose confidence stands above the rows; that of this look alone is another
        over = f" over {source.over}" if names_source and source.over != TOPICS and not topics else ""
        parts.append(f"{kind}{f' for {predicted}' if predicted else over} {interval_in_words(lower, upper)}")
    if np.isnan(p):
        return "".join(parts), "" if predicted else say("clause.untested")
    # By the largest statistic p comes from signs, whatever the statistic.
    test = TESTS.get(tested.test[index], "") if topics and design.correction != "maxt" else ""
    of_p = (test, p_text(PValue(p, source.least_p), _p_name(family)), plural(topics, "topic") if topics else "")
    parts.append(", ".join(filter(None, of_p)))
    verdict, sign, pairs = _verdict(family, source, index), signs_of(family, source)[index], family.number
    has_zero = lower <= 0 <= upper
    holds = {  # the first that does
        "opposite": sign and sign != np.sign(tested.of.value[index]),
        "significant_alone": sign and not has_interval,
        "significant_within": sign and has_zero,
        "none": sign,
        "not_significant": verdict in ("equivalent", "not worse"),
        "open_alone": not has_interval,
        "open": has_zero,
        "open_among": pairs > 1 and reaches(tested.p[index], family.alpha),
        "open_outside": True,
    }
    kind = next(name for name, is_so in holds.items() if is_so)
    return "; ".join(parts), say(f"clause.{kind}", pairs=pairs, word=directions(family.measure)[verdict == "worse"])


def _of_margin(family: Family, source: Source, index: int, names: Mapping[str, str]) -> Iterator[str]:
    """Sentences on whether a pair lies within the margin, and whether the run is not worse by it."""
    claims, tested, margin = resolution(family, source), family.over(source), family.request.margin
    if margin is None:
        return
    facts, evidence = {**names, "margin": _margin_in_words(margin) + _scale(family)}, list[str]()
    p, verdict, p_name = (
        float(claims["p_equivalence_adjusted"][index]),
        claims["verdict"][index],
        name_of_p(family.number),
    )
    is_within, of_ends = bool(reaches(p, family.alpha)), 2 * family.design.confidence - 1
    if is_within and not claims["few"][index] and family.number == 1 and tested.test[index] == "t" and of_ends > 0:
        # That which lies within a margin where two one-sided t tests of a single pair say so.
        lower, upper = tested.of.limits(of_ends)[:, index].tolist()
        evidence += [] if math.isnan(lower) else [f"{100 * of_ends:.4g}% CI {interval_in_words(lower, upper)}"]
    evidence += [] if math.isnan(p) else [p_text(p, p_name)]
    p_said = f" ({', '.join(evidence)})" if evidence else ""
    if is_within:
        yield say("claims.within", **facts, p=p_said)
    elif verdict not in ("better", "worse"):
        few, share = how_few(family, source, index)
        if few:
            of_others = f"on up to {share:.1%} of other {source.counted} the two may differ"
            few = f": {few}; {of_others} ({100 * family.design.confidence:g}% confidence)"
        yield say("claims.not_within", **facts, p=p_said, few=few)
    if verdict == "not worse":
        yield say("claims.not_worse", **facts, p=p_text(float(claims["p_not_worse_adjusted"][index]), p_name))


def _of_power(family: Family, source: Source, index: int) -> Iterator[str]:
    """Sentences on what a pair could have shown."""
    claims, power = resolution(family, source), family.request.power
    verdict, reason, smallest, detectable = (
        claims[name][index] for name in ("verdict", "reason", "smallest_p", "detectable")
    )
    if reason == "unresolvable" and not math.isnan(smallest):
        p_name = _p_name(family) if family.design.correction == "maxt" else "p"
        yield say("claims.unresolvable", p_name=p_name, smallest=p_text(smallest).split()[-1])
    is_asked = power or (family.number == 1 and source.is_plain_topics)
    if verdict == "inconclusive" and not reason and is_asked and 0 < detectable < math.inf:
        facts = {"counted": source.counted, "scale": _scale(family), "detectable": amount(detectable)}
        yield say("claims.detectable", **facts)
    if power and (needed := claims["topics_needed"][index]) < math.inf:
        yield say("claims.needed", needed=f"{needed:.0f}")


def _margin_in_words(margin: Margin) -> str:
    return f"{margin} of the baseline's mean" if margin.is_share else str(margin).removeprefix("0")


# Many pairs


def _of_many(family: Family, source: Source) -> Iterator[str]:
    """How many of many pairs differ significantly, and which do not; and how many are equivalent within the margin."""
    measure, tested, margin, parts = family.measure, family.over(source), family.request.margin, list[str]()
    if not source.has_p:
        yield source.sentence_on_many(measure.name, tested.of.columns)
        return
    # Runs are named where they are compared with one baseline, else both runs of a pair.
    has_one = not family.request.all_pairs and len(np.unique(family.pairs[:, 1])) == 1
    names = [" and ".join(family.names[row] for row in pair[: 2 - has_one]) for pair in family.pairs.tolist()]
    value, signs = tested.of.value, signs_of(family, source)
    is_tested, order = ~np.isnan(tested.p_adjusted) | (value == 0), np.argsort(-np.abs(value), kind="stable")
    differing = {"higher": signs > 0, "lower": signs < 0} if has_one else {"differ": signs != 0}
    groups = {**differing, "open": (signs == 0) & is_tested, "untested": ~is_tested}
    higher, lower = directions(measure)
    facts = {
        "over": source.over, "all": len(names), "measure": measure.name, "p_name": _p_name(family),
        "higher": higher, "lower": lower, "baseline": _baseline(family, int(family.pairs[0, 1])),
    }  # fmt: skip

    def counted(kind: str, members: Iterable[int], most: int | None = None, **more: object) -> str:
        of_kind = [names[index] for index in members]
        number = {"count": len(of_kind) or "none", "number": len(of_kind)}
        return say(f"many.{kind}", **facts, **number, **more, names=listed(of_kind, most))

    for kind, is_member in groups.items():
        if is_member.any() or not parts:
            parts.append(counted(kind, order[is_member[order]], None if kind in ("higher", "lower") else NAMED))
    yield f"{'; '.join(parts)}."
    if margin is not None and source.tells_verdicts:
        is_within = reaches(resolution(family, source)["p_equivalence_adjusted"], family.alpha)
        noun, of_margin = "runs" if has_one else "pairs", _margin_in_words(margin)
        yield counted("within", np.flatnonzero(is_within), noun=noun, margin=of_margin)


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


def sentences_of_ranks(on: OnMeasure, source: Source, ranked: Mapping[str, Any]) -> str:
    """Which runs may be the best by a measure."""
    measure, names, number = on.measure, on.alone.names, len(ranked["value"])
    best = [names[run] for run in np.argsort(ranked["value"], kind="stable") if ranked["lower"][run] == 1]
    return say(
        "rank.one" if len(best) == 1 else "rank.several", over=source.over, all=number, number=len(best),
        first="best" if measure.more_is_better else "highest", measure=measure.name, names=first_names(best, MOST),
        lowest=", whose lower is 1" * (len(best) > MOST), confidence=f"{100 * on.alone.request.confidence:g}%",
    )  # fmt: skip


# Families


def of_families(whole: Scope, scopes: Sequence[Scope], *, one_population: bool = False) -> Iterator[str]:
    """The measures whose differences are no findings about runs; and how many families the others make in all scopes, or how
    many tests if p is not adjusted, with the chance of a false finding in any of them, if these were independent; nothing of
    one family. `one_population`: the findings reported are those over one of the sources."""
    compared = [on for on in whole.on if any(scope.on_measure(on.measure).families for scope in scopes)]
    sources = whole.scored.sources
    if diagnostic := [on.measure.name for on in compared if on.alone.is_diagnostic]:
        yield say("families.diagnostic", measures=", ".join(diagnostic))
    measures = [on.measure for on in compared if not on.alone.is_diagnostic]
    members = [of[-1] for scope in scopes for name in measures if (of := scope.on_measure(name).families)]
    is_sliced, correction = whole.request.slices is not None, members[0].design.correction if members else "none"
    if len(members) < 2 or not any(source.has_p for source in sources) or (is_sliced and correction == "none"):
        return
    lead, with_f = plural(len(measures), "measure"), 0
    if is_sliced:  # F of each measure is a family, others are on all topics and in slices
        with_f = sum(bool(on.pairs) for on in compared)
        lead += " (all topics, slices and F)" if with_f else " (all topics and slices)"
    elif len(scopes) > 1:
        lead += f" on each of {plural(len(scopes) - 1, 'collection')} and over all"
    elif not one_population and sum(source.has_test_column for source in sources) > 1:
        lead = f"In each population, {lead}"
    number = len({id(member.adjusted_jointly[0]) for member in members}) + with_f
    kind = {"none": "tests", "bh": "families_bh" if members[0].number > 1 else "families"}.get(correction, "families")
    number = sum(len(member.pairs) for member in members) if kind == "tests" else number
    chance = 1 - members[0].design.confidence ** number
    yield say(f"false.{kind}", lead=lead, number=number, chance=f"{100 * chance:.{0 if chance > 0.01 else 2}f}%")


def sentences_of_selection(whole: Scope, scopes: Sequence[Scope]) -> Iterator[str]:
    """Sentences on the families of the measures compared, and on a baseline that is the best or the worst run."""
    yield from of_families(whole, scopes)
    compared, runs = [on for on in whole.on if on.families and on.measure.more_is_better], whole.scored.runs
    means = {on.measure.name: on.alone.over(whole.scored.sources[0]).of.value for on in compared}
    means = {name: of for name, of in means.items() if len(of) > 2 and np.ptp(of) > 0}  # of two, one is the best anyway
    for name, (extreme, end) in product(whole.request.baseline, (("highest", np.max), ("lowest", np.min))):
        if measures := [of for of, values in means.items() if name in runs and values[runs.index(name)] == end(values)]:
            facts = {"baseline": name, "runs": len(runs), "measures": ", ".join(measures)}
            yield say("families.baseline", extreme=extreme, **facts)
