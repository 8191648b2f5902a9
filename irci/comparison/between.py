"""How much differences vary between parts: between slices of the topics by Welch's F, between collections by Cochran's Q; and
--meta: effects on single topics, differences of logits, combined into one for each pair or run. As rows and in words.

That a difference is significant in one slice and not in another happens with equal gains in 38 to 77 of 100 experiments.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from irci.base import first_names, plural
from irci.base.choices import DOCUMENTS, TOPICS, MetaMethod
from irci.base.types import Floats, Ints, reaches
from irci.comparison.family import Family
from irci.comparison.means import MOST
from irci.comparison.sources import Source, Topics
from irci.comparison.sources.documents import DocumentSource
from irci.data.rules import GroupedTopics
from irci.data.scores import lie_within
from irci.estimators.differences import combined
from irci.estimators.grouped import Groups
from irci.estimators.means import Tested
from irci.measures import MAP
from irci.output.tables import PValue, Row, rows_of
from irci.stats.anova import FEWEST_TOPICS, interaction
from irci.stats.intervals import Interval, holding_both, normal_quantile
from irci.stats.meta import heterogeneity, tau2_limits
from irci.stats.scales import PLAIN, SAME
from irci.stats.tests import NOTHING, Estimates, adjusted, common_topics, in_blocks, on_topics
from irci.system import special
from irci.wording import amount, name_of_p, notify, p_text, say, warn_of_topics

WIDE = 3  # times the spread of the other slices
FEW_TOPICS = 10  # of a slice that spreads so much
OF_P = ("p", "p_adjusted", "Q_p")

Columns = Mapping[str, np.ndarray]  # [P] each, of rows
Small = Mapping[int, list[str]]  # of each pair, the slices that F leaves out


def rows_between(family: Family, columns: Columns) -> list[Row]:
    """A row for each pair of a family."""
    cells = {name: list(map(PValue, column)) if name in OF_P else column for name, column in columns.items()}
    return [{**names, **row} for names, row in zip(family.names_of_pairs(), rows_of(**cells), strict=True)]


def _less_sure(own: Floats, fewer: Floats, place: int) -> Floats:
    """Statistics[n, P], their p at a place among them: those whose p is larger."""
    return np.where(fewer[place] <= own[place], own, fewer)


# Slices


def between_slices(family: Family, slices: GroupedTopics) -> tuple[Columns, Small]:
    """For each pair whether its difference differs between slices; a warning tells of those that are left out."""
    f, small_of_pair, wide = _interaction(family, slices)
    f = family.held(f, lambda of: _interaction(of, slices)[0], partial(_less_sure, place=3))
    measure, small = family.measure.name, dict.fromkeys(chain.from_iterable(small_of_pair.values()))
    if unknown := int(np.isnan(f[3]).sum()):
        few = f"fewer than two slices of {FEWEST_TOPICS} topics or more"
        notify("lacking", measure=measure, what="F", who=f" for {plural(unknown, 'pair')}", why=few)
    else:
        warn_of_topics(measure, f"of fewer than {FEWEST_TOPICS} topics, left out of F", [*small], "slice")
    for name, pairs in zip(slices.names, wide.tolist(), strict=True):
        if pairs:
            notify("slice_varies", measure=measure, slice=name, least=FEW_TOPICS, pairs=pairs, times=WIDE)
    return {"F": f[0], "df": f[1], "p": f[3], "p_adjusted": adjusted(f[3], "holm")}, small_of_pair


def _interaction(family: Family, slices: GroupedTopics) -> tuple[Floats, Small, Ints]:
    """F between G slices, df1, df2 and p, float64[4, P] of pairs; the slices that are left out; and int64[G] the pairs whose
    differences vary much more in a slice than elsewhere."""
    design, names = family.design, np.array(slices.names, object)
    f, wide = np.full((4, len(family.pairs)), np.nan), np.zeros(len(names), np.int64)
    small_of_pair = dict[int, list[str]]()
    for mask, places in in_blocks(common_topics(family.values, family.pairs)):
        slice_of_topic = slices.place[mask]
        is_large = np.bincount(slice_of_topic, minlength=len(names)) >= FEWEST_TOPICS
        large = np.flatnonzero(is_large)
        small_of_pair |= dict.fromkeys(places.tolist(), names[~is_large].tolist())
        if len(large) < 2:
            continue
        in_large = np.isin(slice_of_topic, large)
        label = np.searchsorted(large, slice_of_topic[in_large])
        differences = on_topics(family.values, family.pairs[places], mask)[:, in_large]
        f[:, places] = interaction(differences, label, resamples=design.signs, seed=design.seed, threads=family.threads)
        wide[large] += _spread_much(differences, label)
    return f, small_of_pair, wide


def _spread_much(differences: Floats, label: Ints) -> Ints:
    """int64[G]: for how many of differences[P, n] each group, if it is small, varies much more than the others do."""
    groups = int(label.max()) + 1
    pairs, sizes = np.zeros(groups, np.int64), np.bincount(label)
    squares = np.array([differences[:, label == group].var(axis=1) * sizes[group] for group in range(groups)])
    for group in np.flatnonzero(sizes < FEW_TOPICS).tolist():
        elsewhere = (squares.sum(axis=0) - squares[group]) / (len(label) - sizes[group] - groups + 1)
        own = squares[group] / (sizes[group] - 1)
        pairs[group] = ((own > WIDE**2 * elsewhere) & (own > (SAME * np.abs(differences).max(axis=1)) ** 2)).sum()
    return pairs


def sentences_between_slices(
    family: Family, p_adjusted: Floats, small_of_pair: Small, in_slices: Mapping[str, Tested]
) -> Iterator[str]:
    """Sentences on differences `in_slices` and between them: pair by pair, or counted where they are many."""
    alpha = family.alpha
    facts = {"measure": family.measure.name, "pairs": len(family.pairs)}
    if len(p_adjusted) > MOST:
        counts = {name: reaches(of_slice.p_adjusted, alpha).sum() for name, of_slice in in_slices.items()}
        in_each = ", ".join(f"{count or 'none'} in {name}" for name, count in counts.items())
        yield say("slice.many", **facts, counts=in_each)
        large = say("slice.large", least=FEWEST_TOPICS) if any(small_of_pair.values()) else ""
        yield say("slice.many_differ", **facts, count=reaches(p_adjusted, alpha).sum() or "none", large=large)
        return
    for index, names in enumerate(family.names_of_pairs()):
        p, small, finding, on_each = float(p_adjusted[index]), small_of_pair[index], say("slice.untested"), list[str]()
        for name, of_slice in in_slices.items():
            value, topics = float(of_slice.of.value[index]), int(of_slice.of.columns["topics"][index])
            on_each.append(f"{'+' * (value > 0)}{amount(value)} on {name} (n = {topics})")
        if not np.isnan(p):
            left_out = say("slice.small", names=first_names(small), least=FEWEST_TOPICS) if small else ""
            p_said = p_text(p, name_of_p(len(family.pairs)))
            finding = say("slice.differs" if reaches(p, alpha) else "slice.open", small=left_out, p=p_said)
        yield say("slice.pair", **facts, **names, differences=first_names(on_each), finding=finding)


# Collections


def between_collections(family: Family, groups: Groups) -> Columns:
    """How much the differences of each pair vary from collection to collection, `groups` of topics: Q, its p, I^2, tau and
    its limits."""
    # Each difference on the topics that its own runs have.
    alone = replace(family, design=family.design._replace(correction="none"), adjusted_with=[])

    def joined(own: Floats, fewer: Floats) -> Floats:
        return np.vstack((_less_sure(own, fewer, 1)[:4], holding_both(own[4:], fewer[4:])))

    statistics = alone.held(_heterogeneity(alone, groups), partial(_heterogeneity, groups=groups), joined)
    q, p, i2, tau, lower, upper = statistics
    if unknown := int(np.isnan(q).sum()):
        why = "their variance cannot be estimated in some collection"
        notify("lacking", measure=family.measure.name, what="Q", who=f" for {plural(unknown, 'pair')}", why=why)
    df = np.full(len(q), groups.number - 1)
    return {"Q": q, "df": df, "Q_p": p, "I2": i2, "tau": tau, "lower": lower, "upper": upper}


def _heterogeneity(family: Family, groups: Groups) -> Floats:
    """Q, its p, I^2 and tau of pairs, nan where the variance cannot be estimated in some collection, and limits of tau, at
    most half of the range of differences, the largest standard deviation of true differences of scores that have ends
    (T. Popoviciu, Mathematica 9, 1935): float64[6, P]."""
    request, measure, values = family.request, family.measure, family.values
    effects, errors = groups.in_each(values, family.pairs)
    is_plain = measure.scale() == PLAIN and family.scored.signature.get("standardise") is None
    ends = (request.range or measure.ends) if is_plain else None
    is_on_scale = ends is not None and lie_within(values[~np.isnan(values)], ends)
    most = ends[1] - ends[0] if ends is not None and is_on_scale else math.inf
    limits = [tau2_limits(*of_pair, request.confidence) for of_pair in zip(effects, errors, strict=True)]
    q, p, i2, tau2 = heterogeneity(effects, np.where((errors > 0).all(axis=1, keepdims=True), errors, np.nan))
    lower, upper = np.sqrt(np.minimum(np.reshape(limits, (-1, 2)).T, most**2))
    return np.stack((q, p, i2, np.sqrt(tau2), lower, upper))


def sentences_between_collections(family: Family, columns: Columns) -> Iterator[str]:
    """A sentence a pair, or one on all if they are many."""
    is_known, measure, varies = ~np.isnan(columns["Q"]), family.measure.name, reaches(columns["Q_p"], family.alpha)
    if is_known.sum() > MOST:
        count = int(varies[is_known].sum()) or "none"
        yield say("collections.many_vary", measure=measure, count=count, pairs=int(is_known.sum()))
        return
    for index, names in enumerate(family.names_of_pairs()):
        if is_known[index]:
            facts = {name: amount(columns[name][index]) for name in ("tau", "lower", "upper")}
            kind = "varies" if varies[index] else "open"
            yield say(f"collections.{kind}", **names, measure=measure, p=p_text(columns["Q_p"][index]), **facts)
    if is_known.any():
        yield say("collections.limits")


# Topics

MOST_EFFECTS = 6  # told one by one
MUCH_LEFT_OUT = 0.1  # of the topics
FEWEST = 2  # topics of which limits can be told
LEAD = {TOPICS: "For the population of topics", DOCUMENTS: "On these topics, for other documents"}


def combined_effects(family: Family, resampled: DocumentSource, method: MetaMethod) -> tuple[list[Row], list[str]]:
    """Effects on single topics combined over resampled documents for each pair, or run: rows, and sentences."""
    of, has_pairs = combined(family.raw, family.pairs, resampled.joint(family), method), family.is_of_pairs
    # The variance between topics, and a mean of effects that differ, speak of other topics.
    over: Source = Topics() if method == "random" else resampled
    # That a run's own logits average 0 is a hypothesis that nobody has.
    p = of.p() if has_pairs else np.full(len(of.value), np.nan)
    limits = np.full((2, len(p)), np.nan) if method == "stouffer" else of.limits(family.design.confidence)
    # Holm where others have the largest t: combined effects have no signs in common.
    correction = family.design.correction
    p_adjusted = adjusted(p, "holm" if correction == "maxt" else correction)
    _warn(family, of, limits)
    as_printed = [[PValue(of_pair, over.least_p) for of_pair in of_all.tolist()] for of_all in (p, p_adjusted)]
    run, baseline = np.array([*family.names, ""], object)[family.pairs.T]
    columns = {"run": run, **({"baseline": baseline} if has_pairs else {}), "population": over.name}
    columns |= {"p": as_printed[0], "p_adjusted": as_printed[1], "topics": of.units, **of.columns}
    if method != "stouffer":
        columns |= {"Q_p": list(map(PValue, of.columns["Q_p"])), "tau": np.sqrt(columns.pop("tau2"))}
        del columns["fixed_error"]
    elif has_pairs:  # single-tailed, of an effect that is not above 0 (Cormack & Lynam 2006, section 9)
        columns["p_single_tailed"] = [PValue(p_above, over.least_p) for p_above in special.ndtr(-of.value)]
    title, (lower, upper) = f"{family.measure.base.name}_logit_{'diff_' * has_pairs}{method}", limits
    rows = rows_of(measure=title, topic="all", value=of.value, lower=lower, upper=upper, **columns)
    return rows, list(_sentences(family, method, over.name, of, limits, as_printed[1]))


def _sentences(
    family: Family, method: MetaMethod, population: str, of: Estimates, limits: Interval, p_adjusted: Sequence[PValue]
) -> Iterator[str]:
    """The combined effect of each pair or run, if they are few; and what the method assumes."""
    number = len(family.pairs)
    neither = "neither run scores 0 or 1" if family.is_of_pairs else "the run scores neither 0 nor 1"
    for index in range(number if number <= MOST_EFFECTS else 0):
        who = " minus ".join(family.names[row] for row in family.pairs[index].tolist() if row != NOTHING)
        topics, (lower, upper), p, lead = int(of.units[index]), limits[:, index], p_adjusted[index], LEAD[population]
        if not topics:
            yield say("meta.nothing", who=who)
            continue
        if of.columns["left_out"][index]:
            facts = {"topics": plural(topics, "topic"), "neither": f"on which {neither}"}
            lead = say("meta.left", over="Over" if population == TOPICS else "On", **facts)
        sure = f"{100 * family.design.confidence:g}% confidence"
        yield say(
            "meta.combined", lead=lead, who=who, value=amount(of.value[index]),
            what="Stouffer's z" if method == "stouffer" else "the combined logit effect",
            limits="" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {sure}",
            p="" if math.isnan(p) else f" ({p_text(p, name_of_p(number))})",
        )  # fmt: skip
    if family.is_of_pairs:
        errs, misses = ERRS[method]
        missed = f", and its limits miss {misses}" if misses else ""
        yield say("meta.errs", method=method, errs=errs, missed=missed)
    yield say(f"meta.{method}")


def _warn(family: Family, of: Estimates, limits: Interval) -> None:
    """Warn of topics left out by their scores, of effects that do not vary, and of limits narrower than they can be: of two
    topics, or of effects that lie closer than chance lets them on average."""
    noun, base, left_out = "pair" if family.is_of_pairs else "run", family.measure.base.name, of.columns["left_out"]
    is_much = (of.units == 0) | (left_out > MUCH_LEFT_OUT * (of.units + left_out))
    if many := int(is_much.sum()):
        instead = "; lmap is of all topics" if base == MAP.name else ""
        notify("meta_left_out", measure=base, which=plural(many, noun), most=int(left_out.max()), instead=instead)
    if family.request.meta != "random":
        return
    if without := int(((of.units > 1) & np.isnan(of.error)).sum()):
        who = f" for {plural(without, noun)}"
        notify("lacking", measure=base, what="limits and p of effects", who=who, why="effects do not vary")
    of_fixed = 2 * normal_quantile(family.design.confidence) * of.columns["fixed_error"]
    is_close = (of.units == FEWEST) | (of.columns["Q"] < of.units - 1)
    if narrow := int((is_close & (limits[1] - limits[0] < of_fixed)).sum()):
        notify("meta_narrow", measure=base, which=plural(narrow, noun))


# Of tests at .05 and of 95% limits, in simulations on matrices of real scores: how often the first err where runs are equal on
# average, and the second miss.
ERRS = {"fixed": ("39 to 50%", "43 to 52%"), "random": ("4 to 6%", "8 to 13%"), "stouffer": ("37 to 40%", "")}
