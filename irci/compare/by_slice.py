"""A report on slices of the topics: of all topics as ever, of each slice, and whether differences themselves differ between
slices.

That a difference is significant in one slice and not in another says nothing of that: with equal gains it happens in 38 to 77
of 100 experiments. Differences in slices are one family, of all pairs in all of them, under the same signs of topics.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import logger
from irci.base.names import first_few, plural
from irci.base.types import Bools, Floats, Ints
from irci.compare import reading
from irci.compare.captions import tests_instead
from irci.compare.family import Family, Scored
from irci.compare.missing_rows import of_those_made, without_missing
from irci.compare.request import Request
from irci.compare.rows import OnMeasure, kinds_of_limits
from irci.compare.slice_sentences import NO_INFERENCE, OfF, conclusion, sentences
from irci.compare.sources.topics import TopicsOfPart
from irci.compare.study import Scope, compared, correction_over, on_measures, report_of
from irci.compare.wording import kinds_in_words
from irci.data.inputs import Inputs
from irci.data.rules import ALL, SlicedTopics
from irci.estimators.joint_resamples import common_topics, in_blocks, on_topics
from irci.output.report import Report
from irci.output.tables import NO_WORD, Caption, PValue, Table, tables
from irci.stats.anova import FEWEST_TOPICS, interaction
from irci.stats.power import fewest_units
from irci.stats.scales import SAME
from irci.stats.tests import adjusted

ALL_TOPICS = "all topics"  # in pictures
WIDE = 3  # times the spread of the other slices
FEW_TOPICS = 10  # of a slice that spreads so much


def in_slices(request: Request, inputs: Inputs) -> Report:
    """The report on all topics and on each slice of them."""
    request = request._replace(population=(TOPICS,))
    everything = reading.on_topics(request, inputs)
    slices: SlicedTopics = request.slices.of_topics(everything.topics, are_all=inputs.topics is None)
    asked = request.of_runs(everything.every_run, everything.paths)
    request = of_those_made(asked, everything)
    signature = reading.signature_of(inputs)
    names = {"slices": request.slices.given, **everything.signature, "num_slices": len(slices.names)}
    everything = everything._replace(signature=names, sources=[TopicsOfPart(everything.keys, "slice", ALL)])
    whole = compared(asked, everything, inputs.threads, inputs.progress, signature["standardise"])
    return InSlices(whole, slices, inputs.threads).report(signature)


@dataclass(frozen=True)
class InSlices:
    """The comparisons on all topics, and the slices of these. `of_f`: which F compares, once there are tables."""

    whole: Scope
    slices: SlicedTopics
    threads: int
    of_f: OfF = field(default_factory=dict)

    @property
    def request(self) -> Request:
        """The request on all topics."""
        return self.whole.request

    @property
    def everything(self) -> Scored:
        """The scores on all topics."""
        return self.whole.scored

    @cached_property
    def in_each(self) -> Request:
        """The request of the slices, all of whose pairs are adjusted together."""
        return self.request._replace(correction=self.request.correction or "maxt")

    @cached_property
    def found(self) -> list[Scope]:
        """The slices; pairs of runs are one family for each measure."""
        scopes: list[Scope] = []
        design = self.in_each.design(correction_over(self.in_each, self.everything.sources))
        for index, name in enumerate(self.slices.names):
            scored = _only(self.everything, name, self.slices.place == index)
            on = list(on_measures(self.in_each, scored, design, self.threads))
            if self._has_common(name, on):
                scopes.append(Scope(self.whole.asked, self.in_each, scored, design, on))
        for families in (lambda on: on.pairs, lambda on: on.ranked):
            measures = list(zip(*(scope.on for scope in scopes), strict=True))
            if self.request.family == "joint":
                measures = [tuple(chain.from_iterable(measures))]
            for on_slices in measures:
                as_one = [family for on in on_slices if (family := families(on)) is not None]
                for family in as_one:
                    family.measures[:] = as_one
        return scopes

    def _has_common(self, name: str, on: Sequence[OnMeasure]) -> bool:
        # With maxt a slice needs topics that all runs share.
        lacking = [
            on_measure.measure.name
            for on_measure in on
            if any(not family.common.any() for family in on_measure.families)
        ]
        if lacking and self.in_each.correction == "maxt":
            logger.warning(f"{name}: the runs have no topic of it in common in {', '.join(lacking)}, so it has no rows")
            return False
        return True

    def report(self, signature: Mapping[str, Any]) -> Report:
        """The report on all topics and on slices of them."""
        self._warn_of_small()
        of_all = report_of(self.whole, signature, [self.whole, *self.found], self._interaction)
        own, told = of_all.caption, without_missing(of_all.tables, self.everything)
        return of_all._replace(
            drawn=None,
            sources={of: each._replace(mean=ALL_TOPICS, means=ALL_TOPICS) for of, each in of_all.sources.items()},
            explain=lambda: chain(of_all.sentences, sentences(self.in_each, told, self.family_size, self.of_f)),
            conclude=lambda: chain(of_all.conclusion, conclusion(self.in_each, told, self.of_f)),
            caption=None if own is None else self._caption(own, list(conclusion(self.in_each, told, self.of_f))),
        )

    @property
    def family_size(self) -> int:
        """How many differences are one family: on a measure, or on all."""
        families = (family for scope in self.found for on in scope.on for family in on.families)
        return next((family.number for family in families), 0)

    def _caption(self, own: Callable[[str], Caption], between: Sequence[str]) -> Callable[[str], Caption]:
        source = self.everything.sources[0]
        on_slices = [on for scope in self.found for on in scope.on if not on.measure.is_count]
        alone = [(on.alone, on.alone.over(source).tested) for on in on_slices]
        kinds = {kind for of, each in alone for kind in kinds_of_limits(of, source, each).tolist()}
        of_each = f"; in slices {kinds_in_words(kinds)}" if kinds - {"t", NO_WORD} else ""
        tests = {test for on in on_slices if on.pairs is not None for test in on.pairs.over(source).tested.test}
        how = "the largest statistic" if self.in_each.correction == "maxt" else "the same method"
        which = "all measures" if self.request.family == "joint" else "each measure"
        number = f"for {plural(self.family_size, 'difference')} of {which}"
        adjusted_ = "not adjusted" if self.in_each.correction == "none" else f"adjusted {number} by {how}"

        def caption(shown: str) -> Caption:
            told = own(shown)
            means = f"{told.means}, and over {plural(len(self.found), 'slice')} of these"
            test = f"{told.test}; in slices {adjusted_}{tests_instead(tests)}" if told.test else ""
            selection = [*told.selection, *between, *[NO_INFERENCE] * bool(between)]
            return told._replace(means=means, limits=told.limits + of_each, test=test, selection=selection)

        return caption

    def _interaction(self, measure: str) -> Iterator[Table]:
        """For each pair whether its difference differs between slices; adjusted for all pairs of the family."""
        on = next(on for on in self.whole.on if on.measure.name == measure)
        if on.pairs is None:
            return
        family, source = on.pairs, self.everything.sources[0]
        found, left_out, wide = self._f_of(family)
        if (without := family.without_lacking) is not None:
            others, *_ = self._f_of(without)
            is_surer = family.lacks_topics(source) & ~(others[3] <= found[3])
            found = np.where(is_surer, others, found)
        self._warn_of_interaction(on, found[3], left_out, wide)
        p_adjusted = adjusted(found[3], "holm")
        rows = [
            {
                "run": family.names[run], "baseline": family.names[baseline], "F": f, "df1": df1, "df2": df2,
                "p": PValue(p), "p_adjusted": PValue(p_all),
            }
            for (run, baseline), (f, df1, df2, p), p_all in zip(
                family.pairs.tolist(), found.T.tolist(), p_adjusted.tolist(), strict=True
            )
        ]  # fmt: skip
        yield from tables("interaction", on.measure.name, rows)

    def _f_of(self, family: Family) -> tuple[Floats, list[str], Ints]:
        """F, its degrees of freedom and p[4, P] of the pairs of a family; the slices that it leaves out for some of them; and
        for how many of them differences vary much more in a slice, int64[G], than elsewhere."""
        names, slices = self.slices.names, len(self.slices.names)
        found, wide = np.full((4, len(family.pairs)), np.nan), np.zeros(slices, np.int64)
        left_out: dict[str, None] = {}
        for mask, some in in_blocks(common_topics(family.values, family.pairs)):
            place = self.slices.place[mask]
            sizes = np.bincount(place, minlength=slices)
            large = np.flatnonzero(sizes >= FEWEST_TOPICS)
            small = [names[slice_] for slice_ in np.flatnonzero(sizes < FEWEST_TOPICS).tolist()]
            left_out |= dict.fromkeys(small)
            compared = [names[slice_] for slice_ in large.tolist()], small
            for run, baseline in family.pairs[some].tolist():
                self.of_f.setdefault((family.measure.name, family.names[run], family.names[baseline]), compared)
            if len(large) < 2:
                continue
            chosen = np.isin(place, large)
            label = np.searchsorted(large, place[chosen])
            differences = on_topics(family.values, family.pairs[some], mask)[:, chosen]
            signs, seed = family.design.signs, family.design.seed
            found[:, some] = interaction(differences, label, resamples=signs, seed=seed, threads=self.threads)
            wide[large] += _spread_much(differences, label)
        return found, [*left_out], wide

    def _warn_of_interaction(self, on: OnMeasure, p: Floats, left_out: Sequence[str], wide: Ints) -> None:
        measure = on.measure.name
        if without := int(np.isnan(p).sum()):
            few = f"fewer than two slices of {FEWEST_TOPICS} topics or more"
            logger.warning(f"{measure}: no F for {plural(without, 'pair')}: {few}")
        elif left_out:
            logger.warning(
                f"{measure}: F leaves out slices of fewer than {FEWEST_TOPICS} topics: {first_few(left_out)}"
            )
        for name, pairs in zip(self.slices.names, wide.tolist(), strict=True):
            if pairs:
                logger.warning(
                    f"{measure}: {name} has fewer than {FEW_TOPICS} topics, and differences of {plural(pairs, 'pair')} vary"
                    f" over {WIDE} times as much there as elsewhere: up to 18 of 100 such F are falsely significant at .05"
                )

    def _warn_of_small(self) -> None:
        """Say how many topics a slice needs for signs, and which have fewer."""
        if not self.request.has_pairs or self.in_each.correction != "maxt":
            return
        least, alpha = fewest_units(self.request.alpha), self.request.alpha
        sizes = np.bincount(self.slices.place).tolist()
        small = [f"{name} ({size})" for name, size in zip(self.slices.names, sizes, strict=True) if size < least]
        told = f"least n_g for signs at {f'{alpha:.10g}'.removeprefix('0')}: {least}"
        if small:
            logger.warning(f"{told}; {first_few(small)}: fewer topics, where nothing can be significant")
        else:
            logger.info(told)


def _only(scored: Scored, name: str, there: Bools) -> Scored:
    """The scores on the topics of a slice, bool[T], alone."""

    def only(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {name: np.where(there, each, np.nan) for name, each in values.items()}

    lacking = scored.lacking
    if lacking is not None:
        missing = {run: only(values) for run, values in lacking.missing.items()}
        lacking = lacking._replace(missing=missing, near={name: each & there for name, each in lacking.near.items()})
    source = TopicsOfPart(scored.keys, "slice", name)
    return scored._replace(values=only(scored.values), lacking=lacking, sources=[source])


def _spread_much(differences: Floats, label: Ints) -> Ints:
    """int64[G]: for how many of differences[P, n] each group, if it is small, varies much more than the others do."""
    groups = int(label.max()) + 1
    found, sizes = np.zeros(groups, np.int64), np.bincount(label)
    squares = np.array([differences[:, label == group].var(axis=1) * sizes[group] for group in range(groups)])
    for group in np.flatnonzero(sizes < FEW_TOPICS).tolist():
        others = (squares.sum(axis=0) - squares[group]) / (len(label) - sizes[group] - groups + 1)
        own = squares[group] / (sizes[group] - 1)
        found[group] = ((own > WIDE**2 * others) & (own > (SAME * np.abs(differences).max(axis=1)) ** 2)).sum()
    return found
