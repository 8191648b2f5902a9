"""Slices of the topics: all topics as they are without slices, each slice, and whether differences differ between slices.

Differences in slices are one family, of all pairs in all of them, under the same signs of topics. That one is significant in
one slice and not in another happens with equal gains in 38 to 77 of 100 experiments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from irci.base import plural
from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats, Ints, reaches
from irci.comparison import reading
from irci.comparison.family import Family, Scored
from irci.comparison.means import MOST
from irci.comparison.rows import Scope
from irci.comparison.sources.plain import TopicsOfPart
from irci.comparison.study import compared, correction_over, kinds_and_tests, on_measures, report_of
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_topics
from irci.data.rules import ALL, GroupedTopics
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Caption, PValue, Row
from irci.stats.anova import FEWEST_TOPICS, interaction
from irci.stats.decisions import separated
from irci.stats.estimates import Estimates
from irci.stats.power import fewest_units
from irci.stats.scales import SAME
from irci.stats.tests import adjusted
from irci.wording import amount, name_of_p, notify, p_text, say

ALL_TOPICS = "all topics"  # in pictures
WIDE = 3  # times the spread of the other slices
FEW_TOPICS = 10  # of a slice that spreads so much


def in_slices(request: Asked, inputs: Inputs) -> Report:
    """The report on all topics and on each slice of them."""
    request = request.replaced(population=(TOPICS,))
    everything = reading.on_topics(request, inputs)
    slices: GroupedTopics = request.slices.of_topics(everything.topics, are_all=inputs.topics is None)
    signature = reading.signature_of(inputs)
    everything = everything._replace(
        signature={
            "slices": request.slices.given,
            **everything.signature,
            "num_slices": len(slices.names),
            "correction_in_slices": request.correction or "maxt",
        },
        sources=[TopicsOfPart(everything.keys, "slice", ALL)],
    )
    whole = compared(request, everything, inputs)
    in_each = whole.request.replaced(correction=whole.request.correction or "maxt")
    _warn_of_small(in_each, slices)
    scopes = _in_each(whole, in_each, slices, inputs.threads)
    families = [family for scope in scopes for on in scope.on for family in on.families]
    number = families[0].number if families else 0
    by_measure: list[BetweenSlices] = []

    def between(pairs: Family) -> Iterator[Row]:
        by_measure.append(between_slices(pairs, slices))
        return by_measure[-1].rows()

    report = report_of(whole, signature, [whole, *scopes], between)
    answers = partial(conclusion, by_measure, scopes)
    own = report.caption
    return report._replace(
        drawn=None,
        sources={of: words._replace(mean=ALL_TOPICS, means=ALL_TOPICS) for of, words in report.sources.items()},
        explain=lambda: chain(report.sentences, sentences(in_each, by_measure, scopes, number)),
        conclude=lambda: chain(report.conclusion, answers()),
        caption=None if own is None else _caption(own, in_each, scopes, number, list(answers())),
    )


def _in_each(whole: Scope, request: Asked, slices: GroupedTopics, threads: int) -> list[Scope]:
    """A scope a slice; by maxt those of which all runs share topics. Pairs in all of them are one family for each measure."""
    scopes = []
    design = reading.design_of(request, correction_over(request, whole.scored.sources))
    for index, name in enumerate(slices.names):
        scored = _only(whole.scored, name, slices.place == index)
        on = list(on_measures(request, scored, design, threads))
        lacking = [
            on_measure.measure.name
            for on_measure in on
            if any(not family.common.any() for family in on_measure.families)
        ]
        if lacking and request.correction == "maxt":
            why = f"the runs have no topic of it in common in {', '.join(lacking)}"
            notify("lacking", measure=name, what="rows", who="", why=why)
        else:
            scopes.append(Scope(whole.asked, request, scored, design, on))
    for kind in ("pairs", "ranked"):
        by_measure: dict[str, list[Family]] = {}
        for on_measure in chain.from_iterable(scope.on for scope in scopes):
            family = getattr(on_measure, kind)
            if family is not None:
                by_measure.setdefault("" if request.family == "joint" else on_measure.measure.name, []).append(family)
        for as_one in by_measure.values():
            for family in as_one:
                family.measures[:] = as_one
    return scopes


def _only(scored: Scored, name: str, in_slice: Bools) -> Scored:
    """The scores on the topics of a slice, bool[T], alone."""

    def only(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {name: np.where(in_slice, scores, np.nan) for name, scores in values.items()}

    lacking = scored.lacking
    if lacking is not None:
        missing = {run: only(values) for run, values in lacking.missing.items()}
        near = {name: lacks & in_slice for name, lacks in lacking.near.items()}
        lacking = lacking._replace(missing=missing, near=near)
    source = TopicsOfPart(scored.keys, "slice", name)
    return scored._replace(values=only(scored.values), lacking=lacking, sources=[source])


def _caption(
    own: Callable[[str], Caption], request: Asked, scopes: Sequence[Scope], number: int, answers: Sequence[str]
) -> Callable[[str], Caption]:
    in_slices = [(on, scope.scored.sources[0]) for scope in scopes for on in scope.on if not on.measure.is_count]
    kinds, _ = kinds_and_tests((on.alone, source) for on, source in in_slices)
    _, instead = kinds_and_tests((on.pairs, source) for on, source in in_slices if on.pairs is not None)
    of_each = f"; in slices {kinds}" if kinds != "t" else ""
    how = "the largest statistic" if request.correction == "maxt" else "the same method"
    of_measures = "all measures" if request.family == "joint" else "each measure"
    adjusted = f"adjusted for {plural(number, 'difference')} of {of_measures} by {how}"
    adjusted = "not adjusted" if request.correction == "none" else adjusted

    def caption(population: str) -> Caption:
        plain = own(population)
        return plain._replace(
            means=f"{plain.means}, and over {plural(len(scopes), 'slice')} of these",
            limits=plain.limits + of_each,
            test=f"{plain.test}; in slices {adjusted}{instead}" if plain.test else "",
            selection=[*plain.selection, *answers, *([say("slice.no_inference")] if answers else [])],
        )

    return caption


def _warn_of_small(request: Asked, slices: GroupedTopics) -> None:
    """Say which slices have fewer topics than signs need."""
    if not (request.has_pairs and request.correction == "maxt"):
        return
    least, sizes = fewest_units(1 - request.confidence), np.bincount(slices.place).tolist()
    small = [f"{name} ({size})" for name, size in zip(slices.names, sizes, strict=True) if size < least]
    level = f"{1 - request.confidence:.10g}".removeprefix("0")
    few = f"with fewer topics than the {least} that signs need at {level}, where nothing can be significant"
    warn_of_topics("slices", few, small, "slice")


MOST_SLICES = 4  # of a pair, the largest


class BetweenSlices(NamedTuple):
    """How the differences of a family differ between slices: F, df1, df2, p and p adjusted for all pairs by Holm's method,
    float64[5, P]; and for each pair which slices F compares, and which it leaves out."""

    family: Family
    f: Floats
    compared: Mapping[int, tuple[list[str], list[str]]]

    def rows(self) -> Iterator[Row]:
        """A row for each pair."""
        for names, (f, df1, _, p, p_adjusted) in zip(self.family.names_of_pairs(), self.f.T.tolist(), strict=True):
            yield {**names, "F": f, "df": df1, "p": PValue(p), "p_adjusted": PValue(p_adjusted)}


def sentences(
    request: Asked, by_measure: Sequence[BetweenSlices], scopes: Sequence[Scope], differences: int
) -> Iterator[str]:
    """Sentences on the differences in slices; `differences`: as many as are one family."""
    yield from conclusion(by_measure, scopes)
    if not by_measure:
        yield say("slice.means")
        return
    correction = request.correction or "maxt"
    of_each = "for all measures jointly" if request.family == "joint" else "for each measure separately"
    if correction == "none":
        yield say("slice.none", differences=differences)
    else:
        how = "by the largest statistic under signs of topics" if correction == "maxt" else say(f"how.{correction}")
        yield say("slice.adjusted", differences=differences, how=how, each=of_each)
    if correction == "maxt":
        yield say("slice.signs", least=fewest_units(1 - request.confidence))
    yield say("slice.no_inference")


def conclusion(by_measure: Sequence[BetweenSlices], scopes: Sequence[Scope]) -> Iterator[str]:
    """Sentences on differences between slices: pair by pair, or counted where they are many."""
    sources = [scope.scored.sources[0] for scope in scopes]
    for family, f, slices_of_f in by_measure:
        in_slices = {
            source.labels["slice"]: pairs.over(source)
            for scope, source in zip(scopes, sources, strict=True)
            for pairs in scope.paired
            if pairs.measure.name == family.measure.name
        }
        p_adjusted, facts = f[4], {"measure": family.measure.name}
        if len(p_adjusted) > MOST:
            counts = {name: separated(of_slice.p_adjusted, family.alpha).sum() for name, of_slice in in_slices.items()}
            counted = ", ".join(f"{count or 'none'} in {name}" for name, count in counts.items())
            yield say("slice.many", **facts, pairs=len(p_adjusted), counts=counted)
            has_small = any(small for _, small in slices_of_f.values())
            large = say("slice.large", least=FEWEST_TOPICS) if has_small else ""
            count = separated(p_adjusted, family.alpha).sum() or "none"
            yield say("slice.many_differ", **facts, pairs=len(p_adjusted), count=count, large=large)
            continue
        for index, names in enumerate(family.names_of_pairs()):
            values, left_out = _of_largest(index, {name: of_slice.tested.of for name, of_slice in in_slices.items()})
            finding = _finding(float(p_adjusted[index]), family, *slices_of_f[index])
            yield say("slice.pair", **facts, **names, differences=values, left_out=left_out, finding=finding)


def _of_largest(index: int, in_slices: Mapping[str, Estimates]) -> tuple[str, str]:
    """A pair's differences in the largest slices, and how many are left out."""
    topics = {name: int(of.columns["topics"][index]) for name, of in in_slices.items()}
    largest = sorted(topics, key=lambda name: -topics[name])[:MOST_SLICES]
    values = {name: float(of.value[index]) for name, of in in_slices.items() if name in largest}
    parts = [f"{'+' * (value > 0)}{amount(value)} on {name} (n = {topics[name]})" for name, value in values.items()]
    more = len(topics) - len(largest)
    return ", ".join(parts), f" ({plural(more, 'smaller slice')} left out)" if more else ""


def _finding(p: float, family: Family, compared: Sequence[str], small: Sequence[str]) -> str:
    """By p of F whether a difference differs between the slices compared; `small`: those left out."""
    if np.isnan(p):
        return say("slice.untested")
    left_out = ", ".join(small) if len(small) < MOST_SLICES else f"{len(small)} slices"
    between = " and ".join(compared) if len(compared) < MOST_SLICES else f"{len(compared)} slices"
    return say(
        "slice.differs" if reaches(p, family.alpha) else "slice.open", between=between if small else "slices",
        small=say("slice.small", names=left_out, least=FEWEST_TOPICS) if small else "",
        p=p_text(p, name_of_p(len(family.pairs))),
    )  # fmt: skip


# Whether a difference differs between slices (Welch's F)


def between_slices(family: Family, slices: GroupedTopics) -> BetweenSlices:
    """For each pair whether its difference differs between slices; a warning tells of those that are left out."""
    f, compared, wide = _interaction(family, slices)
    if (without := family.without_lacking) is not None:
        of_fewer, _, _ = _interaction(without, slices)
        is_surer = family.lacks_topics(family.scored.sources[0]) & ~(of_fewer[3] <= f[3])
        f = np.where(is_surer, of_fewer, f)
    measure, small = family.measure.name, dict.fromkeys(name for _, left_out in compared.values() for name in left_out)
    if without_f := int(np.isnan(f[3]).sum()):
        few = f"fewer than two slices of {FEWEST_TOPICS} topics or more"
        notify("lacking", measure=measure, what="F", who=f" for {plural(without_f, 'pair')}", why=few)
    elif small:
        warn_of_topics(measure, f"of fewer than {FEWEST_TOPICS} topics, left out of F", [*small], "slice")
    for name, pairs in zip(slices.names, wide.tolist(), strict=True):
        if pairs:
            notify("slice_varies", measure=measure, slice=name, least=FEW_TOPICS, pairs=pairs, times=WIDE)
    return BetweenSlices(family, np.vstack((f, adjusted(f[3], "holm"))), compared)


def _interaction(
    family: Family, slices: GroupedTopics
) -> tuple[Floats, Mapping[int, tuple[list[str], list[str]]], Ints]:
    """F between G slices, df1, df2 and p, float64[4, P] of pairs; which slices are compared; and int64[G] the pairs whose
    differences vary much more in a slice than elsewhere."""
    design, names = family.design, slices.names
    f, wide = np.full((4, len(family.pairs)), np.nan), np.zeros(len(names), np.int64)
    compared: dict[int, tuple[list[str], list[str]]] = {}
    for mask, places in in_blocks(common_topics(family.values, family.pairs)):
        slice_of_topic = slices.place[mask]
        is_large = np.bincount(slice_of_topic, minlength=len(names)) >= FEWEST_TOPICS
        large = np.flatnonzero(is_large)
        of_pair = (
            [names[index] for index in large.tolist()],
            [names[index] for index in np.flatnonzero(~is_large).tolist()],
        )
        compared |= dict.fromkeys(places.tolist(), of_pair)
        if len(large) < 2:
            continue
        in_large = np.isin(slice_of_topic, large)
        label = np.searchsorted(large, slice_of_topic[in_large])
        differences = on_topics(family.values, family.pairs[places], mask)[:, in_large]
        f[:, places] = interaction(differences, label, resamples=design.signs, seed=design.seed, threads=family.threads)
        wide[large] += _spread_much(differences, label)
    return f, compared, wide


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
