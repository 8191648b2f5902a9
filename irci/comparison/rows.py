"""The comparisons on a measure, what is found of them as arrays, and these as rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from irci.base import first_names
from irci.base.types import Bools, Floats, Ints, gathered, reaches
from irci.comparison.best import Picked, best_of
from irci.comparison.claims import resolution
from irci.comparison.family import Family, Scored, difference_name
from irci.comparison.sources import Source
from irci.data.scores import MEND
from irci.estimators.means import Design, Tested
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import KINDS, NO_WORD, Bounded, Cell, Kind, PValue, Row, Rows, Table, number, rows_of, tables
from irci.stats.decisions import MOST_LETTERS, better, ranks
from irci.stats.scales import PLAIN
from irci.stats.tests import NOTHING, Comparison, pool
from irci.wording import notify, verdict_of

Columns = dict[str, Any]  # by name, an array or what all rows have in common
LIMITS = ("value", "lower", "upper")


def tells_verdicts(request: Asked) -> bool:
    """True if a column says in a word what is found of each pair."""
    return request.margin is not None or request.power or bool({*(request.fail_if or ())} - {"reversed"})


@dataclass
class OnMeasure:
    """The comparisons on one measure: the means of runs, and the pairs, and all pairs of runs for ranks, if asked for."""

    measure: Measure
    alone: Family
    pairs: Family | None = None
    ranked: Family | None = None

    @cached_property
    def best(self) -> list[Picked]:
        """The best run over topics, and its lead, if they are asked for."""
        return [*best_of(self.alone, self.pairs)] if self.alone.request.best else []

    @cached_property
    def ranks(self) -> list[tuple[Source, Columns]]:
        """The ranks of all runs over each source, if they are asked for."""
        if (family := self.ranked) is None:
            return []
        runs, of_sources = len(family.names), list[tuple[Source, Columns]]()
        for source in family.scored.sources:
            means: Floats = source.run_means(family)
            facts = {"measure": family.title, "who": f" over {source.name}"}
            if np.isnan(means).all():
                notify("lacking", **facts, what="ranks", why="the runs have no topic in common in some collection")
                continue
            tested = family.over(source)
            is_better = better(family.pairs, tested.of.value, reaches(tested.p_adjusted, family.alpha), runs)
            ranked = ranks(means, is_better)
            if ranked["letters"][0] == "-":
                order = np.argsort(ranked["value"], kind="stable")
                apart = np.count_nonzero((is_better | is_better.T)[order[:-1], order[1:]])
                apart_in_words = f"{apart} of the {runs - 1} pairs next to each other in rank differ significantly"
                why = f"there are more than {MOST_LETTERS} groups of runs; {apart_in_words}"
                notify("lacking", **facts, what="letters", why=why)
            of_sources.append((source, ranked))
        return of_sources

    @cached_property
    def combined(self) -> tuple[list[Row], list[str]]:
        """Rows and sentences on effects on single topics combined for each pair, or run, if that is asked for."""
        family, resampled = self.pairs or self.alone, self.alone.scored.resampled
        if family.request.meta is None or resampled is None:
            return [], []
        from irci.comparison.between import combined_effects

        return combined_effects(family, resampled, family.request.meta)

    @property
    def families(self) -> list[Family]:
        """All pairs compared, each family once."""
        return [family for family in (self.pairs, self.ranked) if family is not None]


def in_one(on: Sequence[OnMeasure]) -> Family | None:
    """A family of several measures that are adjusted as one, if they are."""
    families = (family for on_measure in on for family in on_measure.families)
    return next((family for family in families if len(family.adjusted_jointly) > 1), None)


@dataclass(frozen=True)
class Scope:
    """Runs compared on some topics: all that there are, a slice of them, or one of several collections.

    asked, request: what is asked of all runs, and of those that are not missing
    on: the comparisons on each measure, nothing of which is computed before it is looked at
    """

    asked: Asked
    request: Asked
    scored: Scored
    design: Design
    on: Sequence[OnMeasure]

    @property
    def paired(self) -> list[Family]:
        """The pairs compared by each measure, if there are any."""
        return [on.pairs for on in self.on if on.pairs is not None and len(on.pairs.pairs)]

    @property
    def by_base(self) -> Iterable[list[OnMeasure]]:
        """The comparisons by what measures average, without counts."""
        return gathered((on.measure.base.name, on) for on in self.on).values()

    def on_measure(self, measure: Measure) -> OnMeasure:
        """The comparisons on one of the measures."""
        return next(on for on in self.on if on.measure is measure)


class Block(NamedTuple):
    """Rows on one measure over one source in one scope: of contrasts, or of a contrast on single topics.

    columns: by name, [P] or what all have in common
    is_told: bool[P]  # rows that say anything
    """

    source: Source
    columns: Columns
    is_told: Bools

    @classmethod
    def of(cls, title: str, comparison: Comparison, source: Source, columns: Columns, is_told: Bools) -> Block:
        """Rows of the contrasts of a comparison."""
        run, baseline = np.array([*comparison.names, ""], object)[comparison.pairs.T]  # the last is NOTHING
        names = {"run": run} | ({"baseline": baseline} if comparison.is_of_pairs else {})
        cells = {"measure": title, "topic": "all", "population": source.name, **source.labels}
        return cls(source, {**cells, **names, **columns}, is_told)

    def row(self, index: int) -> Row:
        """The row at a place."""
        return {name: cell(index) for name, cell in self.cells(self.columns).items()}

    def cells(self, names: Iterable[str], lacking: Mapping[str, Cell] = {}) -> dict[str, Callable[[int], Cell]]:
        """Functions of a place that give the cells of these columns; of those that the block has not, that in `lacking`."""
        return {name: self._cell(name, self.columns.get(name, lacking.get(name))) for name in names}

    def _cell(self, name: str, column: Any) -> Callable[[int], Cell]:
        item: Callable[[int], Any] = column.item if isinstance(column, np.ndarray) else lambda _: column
        if name.startswith("p_") or name == "p":
            least = {"least": self.source.least_p} if name in ("p", "p_adjusted") else {}
            return lambda index: PValue(item(index), **least)
        if name in ("topics_needed", "passes_needed"):
            return lambda index: int(needed) if np.isfinite(needed := item(index)) else needed
        return item


def in_order(kind: Kind, blocks: Sequence[Block], ranks: Iterable[Sequence[int] | Ints]) -> tuple[Rows, list[int]]:
    """The rows of blocks by the ranks [P] of the rows of each, those of one rank in order of blocks, and how many there are of
    each rank. All have the columns that any block has, nan (or -) where one has none."""
    columns = {name: column for block in blocks for name, column in block.columns.items()}
    lacking = {
        name: NO_WORD if isinstance(columns[name], str) or columns[name].dtype.kind in "OU" else np.nan
        for name in KINDS[kind].columns
        if name in columns
    }
    of_blocks = [np.zeros((0, 3), np.int64)]  # rank, block and place there, of each row
    for block_index, (block, rank) in enumerate(zip(blocks, ranks, strict=True)):
        told = np.flatnonzero(block.is_told)
        of_blocks.append(np.column_stack((np.asarray(rank, np.int64)[told], np.full(len(told), block_index), told)))
    index = np.vstack(of_blocks)
    index = index[np.argsort(index[:, 0], kind="stable")]

    of_block = [block.cells(lacking, lacking) for block in blocks]

    def row(row_index: int) -> Row:
        _, block, place = index[row_index].tolist()
        return {name: cell(place) for name, cell in of_block[block].items()}

    return Rows(len(index), row), np.bincount(index[:, 0]).tolist()


def tables_of_contrasts(measure: str, blocks: Sequence[Block], on_topics: Iterable[list[Row]] = ()) -> Iterator[Table]:
    """Rows of contrasts, of means if these are of no one measure: of one over all sources and scopes, then of the next, as
    they come, each behind its rows of single topics, if there are any."""
    kind, of_topics = ("difference", "topic_difference") if measure else ("estimate", "topic")
    sides = ("run", "baseline") if measure else ("run",)
    contrasts = [list(zip(*(block.columns[side] for side in sides), strict=True)) for block in blocks]
    ranks = {names: rank for rank, names in enumerate(dict.fromkeys(chain.from_iterable(contrasts)))}
    printed, numbers = in_order(kind, blocks, [[ranks[names] for names in of_block] for of_block in contrasts])
    last = 0
    for topics, size in zip(on_topics, chain(numbers, repeat(0)), strict=False):
        yield from tables(of_topics, measure, topics)
        yield from tables(kind, measure, printed[last : last + size])
        last += size
    yield from tables(kind, measure, printed if last == 0 else printed[last:])


def findings(family: Family, source: Source) -> Iterator[Block]:
    """Findings on a family over a source: means with their limits, transformed back, of logits those of the logits too;
    or differences, with what is claimed of them, if that is asked for."""
    tested, request, measure, comparison = family.over(source), family.request, family.measure, family.comparison
    of, is_of_pairs = tested.of, comparison.is_of_pairs
    columns: Columns = {name: column for name, column in of.columns.items() if is_of_pairs or name != "effect_size"}
    if source.tells_df:
        columns["df"] = of.df
    if source.has_p:
        columns["interval"] = kinds_of_limits(tested)
    scales = {measure.name: measure.scale()}
    scales |= {f"{measure.name}_logit": PLAIN} if measure.family.summary == "logit" else {}
    if is_of_pairs:
        scales = {difference_name(measure): PLAIN}
        columns |= {"p": tested.p, "p_adjusted": tested.p_adjusted} if source.has_p else {}
        columns |= {"test": tested.test} if source.has_test_column else {}
        if tested.limits_adjusted is not None:
            columns["lower_adjusted"], columns["upper_adjusted"] = tested.limits_adjusted
        if source.tells_verdicts and tells_verdicts(request):
            claims = resolution(family, source)
            columns |= {name: claims[name] for name in KINDS["difference"].columns if name in claims}
            columns["verdict"] = np.array([verdict_of(verdict, measure) for verdict in claims["verdict"]], object)
            columns["reason"] = np.where(claims["reason"] == "", NO_WORD, claims["reason"])
            if not request.power:
                del columns["detectable"]
    for name, scale in scales.items():
        limits = dict(zip(LIMITS, map(scale.back, (of.value, *tested.limits)), strict=True))
        yield Block.of(name, comparison, source, limits | columns, of.is_told)


def kinds_of_limits(tested: Tested) -> np.ndarray:
    """object[P]: the kinds of limits of contrasts, in a word; one for none where there are none."""
    return np.where(np.isnan(tested.limits[0]), NO_WORD, tested.interval)


def on_topics(scored: Scored, families: Sequence[Family], contrast: int) -> list[Row]:
    """A run's scores, or a pair's differences, on single topics by each measure, with the limits that resampled documents, or
    other grades, give them; means alone have others."""
    source = next((source for source in scored.sources if not source.brings_others), scored.sources[0])
    unknown, of_families = np.full(len(scored.topics), np.nan), list[list[Row]]()
    for family in families:
        measure, own = family.measure, source.topic_columns(family, contrast)
        run, baseline = family.pairs[contrast].tolist()
        title, values, names = measure.name, family.raw[run], {"run": family.names[run]}
        is_bounded, no_test = bool(own.keys() - {"lower", "upper"}) and measure.is_bounded, Columns()
        if baseline != NOTHING:
            title, values, is_bounded = difference_name(measure), family.values[run] - family.values[baseline], False
            names["baseline"] = family.names[baseline]
            no_test = {**dict.fromkeys(("p", "p_adjusted", "effect_size"), unknown), "test": NO_WORD}
        columns = {"measure": title, "topic": [*scored.topics], "value": values, "lower": unknown, "upper": unknown}
        columns |= {**names, "population": source.name, **(no_test if source.has_p else {}), **own}
        of_families.append([Bounded(row) if is_bounded else row for row in rows_of(**columns)])
    by_topic = chain.from_iterable(zip(*of_families, strict=True))
    return [row for row in by_topic if not math.isnan(number(row, "value"))]


def of_ranks(on: OnMeasure) -> Iterator[Row]:
    """For each run its rank by a measure among all over each source, limits and letters."""
    for source, ranked in on.ranks:
        labels = {name: label for name, label in source.labels.items() if name != "collection"}  # the mean is ranked
        yield from rows_of(
            measure="rank", topic="all", **{name: ranked[name] for name in LIMITS}, run=[*on.alone.scored.runs],
            letters=ranked["letters"], population=source.name, **labels, ranked_by=on.measure.name,
        )  # fmt: skip


# Runs that are missing, as they lack too many topics: they have their means, with 0 for what they lack, and nothing else. All
# other rows are as they would be without them.

MISSING = "missing"


def contrasts_of_missing(scope: Scope, *, of_pairs: bool) -> Comparison:
    """The means, or pairs asked for, of which a run is missing, by the rows of all runs."""
    asked, table = scope.asked, scope.scored.table
    if not table.missing or (of_pairs and not asked.has_pairs):
        return Comparison.alone(())
    comparison = Comparison.alone(table.runs)
    if of_pairs:
        comparison = Comparison.of(table.runs, asked.baseline, all_pairs=asked.all_pairs)
    is_missing = np.array([*(name in table.missing for name in comparison.names), False])  # the last is NOTHING
    return comparison._replace(pairs=comparison.pairs[is_missing[comparison.pairs].any(axis=1)])


def missing_contrasts(scope: Scope, measure: Measure, source: Source, *, of_pairs: bool) -> Iterator[Block]:
    """Contrasts of which a run is missing, if any: differences, or means of runs by themselves."""
    comparison = contrasts_of_missing(scope, of_pairs=of_pairs)
    (run, baseline), size = comparison.pairs.T, len(comparison.pairs)
    if not size:
        return
    scores, scale = scope.scored.scores(measure, with_missing=True), measure.scale()
    if comparison.pooled is not None:  # of runs that are not missing
        scores = np.vstack((scores, pool(scope.scored.scores(measure), comparison.pooled)))
    means, unknown = source.means_of(scale.forward(scores)), np.full(size, np.nan)
    columns: Columns = {"value": means[run] - means[baseline] if of_pairs else scale.back(means[run])}
    columns |= {"lower": unknown, "upper": unknown}
    columns |= {"topics": np.count_nonzero(~np.isnan(scores[run]), axis=1)} if source.tells_topics else {}
    if of_pairs:
        columns |= {"p": unknown, "p_adjusted": unknown} if source.has_p else {"sign": NO_WORD}
        columns |= {"verdict": MISSING} if tells_verdicts(scope.asked) and source.tells_verdicts else {}
    title = difference_name(measure) if of_pairs else measure.name
    yield Block.of(title, comparison, source, columns, np.ones(size, np.bool_))


def untold_of_missing(whole: Scope) -> Iterator[str]:
    """The pairs that --fail-if is about of which a run is missing, for each measure."""
    missing, comparison = whole.scored.table.missing, contrasts_of_missing(whole, of_pairs=True)
    for condition in (whole.asked.fail_if or ())[:1]:
        for run, baseline in [[comparison.names[place] for place in pair] for pair in comparison.pairs]:
            lacks = they_lack({name: missing[name] for name in (run, baseline) if name in missing})
            for measure in (on.measure.name for on in whole.on if not on.alone.is_diagnostic):
                yield f"{measure}: {run} against {baseline}: {lacks} ({MEND}) (--fail-if {condition})"


def they_lack(missing: Mapping[str, str]) -> str:
    """How many topics runs lack that are missing, in words."""
    lacks = first_names([f"{run} lacks {topics}" for run, topics in missing.items()])
    return f"{lacks}, and so {'are' if len(missing) > 1 else 'is'} {MISSING}"
