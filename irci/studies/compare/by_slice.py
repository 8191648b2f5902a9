"""A report on slices of the topics: of all topics as ever, of each slice, and whether differences themselves differ between
slices.

That a difference is significant in one slice and not in another says nothing of that: with equal gains it happens in 38 to 77
of 100 experiments. Differences in slices are one family, of all pairs in all of them, under the same signs of topics.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import logger
from irci.base.names import first_few, plural
from irci.base.types import Bools, Floats, Ints
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.data.inputs import Inputs
from irci.data.rules import ALL, SlicedTopics
from irci.output.kinds import KINDS, Kind
from irci.output.report import Report
from irci.output.tables import NO_WORD, Bounded, Caption, PValue, Row, Table, joined, tables
from irci.stats.anova import FEWEST_TOPICS, interaction
from irci.stats.power import fewest_units
from irci.stats.scales import SAME
from irci.stats.tests import adjusted
from irci.studies.compare import reading
from irci.studies.compare.captions import tests_instead
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.missing_rows import missing_differences, missing_means, of_those_made, without_missing
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure, kind_of_limits, rows_of_differences, rows_of_means, rows_of_ranks
from irci.studies.compare.slice_sentences import NO_INFERENCE, OfF, conclusion, sentences
from irci.studies.compare.study import correction_over, on_measures, report_on
from irci.studies.wording import kinds_in_words

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
    everything = everything._replace(signature=names)
    of_all = report_on(asked, everything, signature, threads=inputs.threads, progress=inputs.progress)
    return InSlices(asked, request, everything, slices, inputs.threads).added_to(of_all)


@dataclass(frozen=True)
class InSlices:
    """The scores of runs on all topics, and the slices of these. `of_f`: which F compares, once there are tables."""

    asked: Request
    request: Request
    everything: Scored
    slices: SlicedTopics
    threads: int
    of_f: OfF = field(default_factory=dict)

    @cached_property
    def in_each(self) -> Request:
        """The request of the slices, all of whose pairs are adjusted together."""
        return self.request._replace(correction=self.request.correction or "maxt")

    @cached_property
    def of_all(self) -> list[OnMeasure]:
        """The comparisons on all topics."""
        return list(self._on(self.request, self.everything))

    @cached_property
    def found(self) -> dict[str, list[OnMeasure]]:
        """The comparisons on each slice; pairs of runs are one family for each measure."""
        found = {}
        for place, name in enumerate(self.slices.names):
            there = self.slices.place == place
            found[name] = list(self._on(self.in_each, _only(self.everything, there)))
        found = {name: on for name, on in found.items() if self._has_common(name, on)}
        for families in (lambda on: on.pairs, lambda on: on.ranked):
            measures = list(zip(*found.values(), strict=True))
            if self.request.family == "joint":
                measures = [tuple(chain.from_iterable(measures))]
            for on_slices in measures:
                as_one = [family for on in on_slices if (family := families(on)) is not None]
                for family in as_one:
                    family.measures[:] = as_one
        return found

    def _on(self, request: Request, scored: Scored) -> Iterator[OnMeasure]:
        correction = correction_over(request, scored.sources)
        return on_measures(request, scored, request.design(correction), self.threads)

    def _has_common(self, name: str, on: Sequence[OnMeasure]) -> bool:
        # With maxt a slice needs topics that all runs share.
        lacking = [each.measure.name for each in on if each.pairs is not None and not each.pairs.common.any()]
        if lacking and self.in_each.correction == "maxt":
            logger.warning(f"{name}: the runs have no topic of it in common in {', '.join(lacking)}, so it has no rows")
            return False
        return True

    def added_to(self, of_all: Report) -> Report:
        """The report on all topics with the rows of slices, and what is said of these."""
        self._warn_of_small()
        found = list(self._tables())
        own, told = of_all.caption, without_missing(found, self.everything)
        return of_all._replace(
            tables=found,
            drawn=None,
            sources={of: each._replace(mean=ALL_TOPICS, means=ALL_TOPICS) for of, each in of_all.sources.items()},
            explain=lambda: chain(of_all.sentences, sentences(self.in_each, told, self.family_size, self.of_f)),
            conclude=lambda: chain(of_all.conclusion, conclusion(self.in_each, told, self.of_f)),
            caption=None if own is None else self._caption(own, list(conclusion(self.in_each, told, self.of_f))),
        )

    @property
    def family_size(self) -> int:
        """How many differences are one family: on a measure, or on all."""
        families = (each.pairs for on in self.found.values() for each in on if each.pairs is not None)
        return next((family.number for family in families), 0)

    def _caption(self, own: Callable[[str], Caption], between: Sequence[str]) -> Callable[[str], Caption]:
        source = self.everything.sources[0]
        on_slices = [on for found in self.found.values() for on in found if not on.measure.is_count]
        alone = [(on.alone, on.alone.over(source).tested) for on in on_slices]
        kinds = {kind_of_limits(of, source, each, place) for of, each in alone for place in range(len(each.of.value))}
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

    def _tables(self) -> Iterator[Table]:
        request, source = self.request, self.everything.sources[0]
        each = {ALL: self.of_all, **self.found}
        for place in range(0 if request.no_summary else len(self.everything.runs)):
            rows = (
                _named(row, "estimate", name, int((~np.isnan(on[number].alone.values[place])).sum()))
                for number in range(len(self.of_all))
                for name, on in each.items()
                for row in rows_of_means(on[number].alone, place, [source])
            )
            yield from tables("estimate", "", rows)
        yield from () if request.no_summary else self._missing_means(each)
        for number, on in enumerate(self.of_all):
            of_measure = {name: found[number] for name, found in each.items()}
            pairs = list(_differences(of_measure, source)) if on.pairs is not None and on.shown else []
            yield from tables("difference", on.measure.name, joined(pairs, self._missing_differences(on, each, pairs)))
            if pairs:
                yield from tables("interaction", on.measure.name, self._interaction(on))
        for number, on in enumerate(self.of_all):
            for_ranks = {name: family for name, found in each.items() if (family := found[number].ranked) is not None}
            ranks = ((name, row) for name, family in for_ranks.items() for row in rows_of_ranks(family, [source]))
            yield from tables("rank", on.measure.name, (_named(row, "rank", name) for name, row in ranks))

    def _scored(self, on: Sequence[OnMeasure]) -> Scored:
        return on[0].alone.scored

    def _missing_means(self, each: Mapping[str, Sequence[OnMeasure]]) -> Iterator[Table]:
        of_each = []
        for name, on in each.items():
            rows = list(rows_of_means(on[0].alone, 0, self.everything.sources)) if self.everything.runs else []
            found = missing_means(self.request, self._scored(on), rows)
            of_each.append([[_named(row, "estimate", name, self._size(name)) for row in table.rows] for table in found])
        for of_run in zip(*of_each, strict=True):
            yield from tables("estimate", "", chain.from_iterable(zip(*of_run, strict=True)))

    def _missing_differences(
        self, measure: OnMeasure, each: Mapping[str, Sequence[OnMeasure]], rows: Sequence[Row]
    ) -> list[Row]:
        found = {
            name: missing_differences(self.asked, measure.measure, self._scored(on), rows[:1])
            for name, on in each.items()
        }
        return [
            _named(row, "difference", name, self._size(name))
            for of_pair in zip(*found.values(), strict=True)
            for name, row in zip(found, of_pair, strict=True)
        ]

    def _size(self, name: str) -> int:
        """The number of topics of a slice, or of all."""
        places = self.slices.place
        return len(places) if name == ALL else int((places == self.slices.names.index(name)).sum())

    def _interaction(self, on: OnMeasure) -> Iterator[Row]:
        """For each pair shown whether its difference differs between slices; adjusted for all pairs of the family."""
        family, source = on.pairs, self.everything.sources[0]
        assert family is not None
        found, left_out, wide = self._f_of(family, on.shown)
        if (without := family.without_lacking) is not None:
            others, *_ = self._f_of(without, on.shown)
            is_surer = family.lacks_topics(source) & ~(others[3] <= found[3])
            found = np.where(is_surer, others, found)
        self._warn_of_interaction(on, found[3], left_out, wide)
        p_adjusted = adjusted(found[3], "holm")
        for (run, baseline), (f, df1, df2, p), p_all in zip(
            family.pairs[: on.shown].tolist(), found.T.tolist(), p_adjusted.tolist(), strict=False
        ):
            yield {
                "run": family.names[run], "baseline": family.names[baseline], "F": f, "df1": df1, "df2": df2,
                "p": PValue(p), "p_adjusted": PValue(p_all),
            }  # fmt: skip

    def _f_of(self, family: Family, shown: int) -> tuple[Floats, list[str], Ints]:
        """F, its degrees of freedom and p[4, P] of the pairs of a family; the slices that it leaves out for some of them; and
        for how many of those shown differences vary much more in a slice, int64[G], than elsewhere."""
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
            for run, baseline in family.pairs[some[some < shown]].tolist():
                self.of_f.setdefault((family.measure.name, family.names[run], family.names[baseline]), compared)
            if len(large) < 2:
                continue
            chosen = np.isin(place, large)
            label = np.searchsorted(large, place[chosen])
            differences = on_topics(family.values, family.pairs[some], mask)[:, chosen]
            signs, seed = family.design.signs, family.design.seed
            found[:, some] = interaction(differences, label, resamples=signs, seed=seed, threads=self.threads)
            wide[large] += _spread_much(differences[some < shown], label)
        return found, [*left_out], wide

    def _warn_of_interaction(self, on: OnMeasure, p: Floats, left_out: Sequence[str], wide: Ints) -> None:
        measure = on.measure.name
        if without := int(np.isnan(p[: on.shown]).sum()):
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


def _only(scored: Scored, there: Bools) -> Scored:
    """The scores on some topics, bool[T], alone."""

    def only(values: Mapping[str, Floats]) -> dict[str, Floats]:
        return {name: np.where(there, each, np.nan) for name, each in values.items()}

    lacking = scored.lacking
    if lacking is not None:
        missing = {run: only(values) for run, values in lacking.missing.items()}
        lacking = lacking._replace(missing=missing, near={name: each & there for name, each in lacking.near.items()})
    return scored._replace(values=only(scored.values), lacking=lacking)


def _differences(of_measure: Mapping[str, OnMeasure], source: Source) -> Iterator[Row]:
    """The rows of each pair shown, on all topics and on each slice; columns that some lack are nan (or -) there."""
    rows, units = {}, {}
    for name, on in of_measure.items():
        assert on.pairs is not None
        claims = {source.name: on.resolution(source)} if on.alone.request.tells_verdicts else {}
        rows[name] = rows_of_differences(on.pairs, on.shown, [source], claims)
        units[name] = on.pairs.over(source).tested.of.units
    every = {column: cell for some in rows.values() for column, cell in some[0].items()}
    nothing = {column: NO_WORD if isinstance(cell, str) else math.nan for column, cell in every.items()}
    for place in range(len(rows[ALL])):
        for name, some in rows.items():
            yield _named({**nothing, **some[place]}, "difference", name, int(units[name][place]))


def _named(row: Row, kind: Kind, name: str, topics: int | None = None) -> Row:
    """The row with its slice and number of topics, columns in the order of the kind."""
    cells = {**row, "slice": name, **({} if topics is None else {"topics": topics})}
    found = {column: cells[column] for column in KINDS[kind].columns if column in cells}
    return Bounded(found) if isinstance(row, Bounded) else found


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
