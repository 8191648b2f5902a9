"""The comparisons on a measure, what is found of them as arrays, and these as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from irci.base import first_names
from irci.base.types import Bools, Floats, gathered, reaches
from irci.comparison.best import Picked, best_of
from irci.comparison.claims import resolution
from irci.comparison.family import Family, Scored, difference_name
from irci.comparison.sources import Source
from irci.data.scores import MEND
from irci.estimators.means import Design, Tested
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import KINDS, NO_WORD, Bounded, Cell, PValue, Row, Rows, Table, tables
from irci.stats.decisions import MOST_LETTERS, Ranks, better, ranks
from irci.stats.scales import PLAIN
from irci.stats.tests import NOTHING, Comparison, pool
from irci.wording import notify, verdict_of

Columns = Mapping[str, np.ndarray]
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
    def ranks(self) -> list[tuple[Source, Ranks]]:
        """The ranks of all runs over each source, if they are asked for."""
        of_sources, runs = list[tuple[Source, Ranks]](), len(self.alone.scored.runs)
        for family, source in [(self.ranked, source) for source in self.alone.scored.sources]:
            if family is None:
                continue
            means: Floats = source.run_means(family)
            if np.isnan(means).all():
                why = "the runs have no topic in common in some collection"
                notify("lacking", measure=family.title, what="ranks", who=f" over {source.name}", why=why)
                continue
            adjusted = family.over(source)
            decided = reaches(adjusted.p_adjusted, family.alpha)
            ranked = ranks(means, better(family.pairs, adjusted.of.value, decided, runs))
            if ranked.letters[0] == "-":
                apart = f"{ranked.neighbours_apart} of the {runs - 1} pairs next to each other in rank differ"
                why = f"there are more than {MOST_LETTERS} groups of runs; {apart} significantly"
                notify("lacking", measure=family.title, what="letters", who=f" over {source.name}", why=why)
            # A run's own mean may be over more topics, or with another lambda, than the differences that decide.
            least, most = np.minimum(ranked.rank, ranked.lower), np.maximum(ranked.rank, ranked.upper)
            of_sources.append((source, ranked._replace(lower=least, upper=most)))
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
    """Findings on the P contrasts of a comparison, means or differences, of one measure over one source in one scope.

    measure: str  # as rows name it
    columns: [P] each, the value and its limits first
    is_told: bool[P]  # contrasts of which anything is said
    """

    measure: str
    comparison: Comparison
    source: Source
    columns: Columns
    is_told: Bools

    def row(self, contrast: int, lacking: Mapping[str, Cell]) -> Row:
        """The row of a contrast, with cells for the columns that the block itself lacks."""
        names, (run, baseline) = self.comparison.names, self.comparison.pairs[contrast].tolist()
        cells = {name: self._cell(name, column[contrast]) for name, column in self.columns.items()}
        row: dict[str, Cell] = {"measure": self.measure, "topic": "all"}
        row |= {name: cells.pop(name) for name in LIMITS} | {"run": names[run]}
        row |= {} if baseline == NOTHING else {"baseline": names[baseline]}
        return row | {"population": self.source.name, **self.source.labels} | {**lacking, **cells}

    def _cell(self, name: str, cell: Any) -> Cell:
        value: Cell = cell.item() if isinstance(cell, np.generic) else cell
        if name in ("p", "p_adjusted"):
            return PValue(float(value or 0), self.source.least_p)
        if name.startswith("p_"):
            return PValue(float(value or 0))
        is_needed = name in ("topics_needed", "passes_needed")
        return int(value) if is_needed and isinstance(value, float) and np.isfinite(value) else value


def tables_of_contrasts(
    measure: str,
    blocks: Sequence[Block],
    on_topics: Iterable[Iterator[Row]] = (),
) -> Iterator[Table]:
    """Rows of contrasts, of means if these are of no one measure: of one over all sources and scopes, then of the next, as
    they come, each behind its rows of single topics, if there are any. All have the columns that any block has, nan (or -)
    where one has none."""
    kind, of_topics = ("difference", "topic_difference") if measure else ("estimate", "topic")
    columns = {name: column for block in blocks for name, column in block.columns.items()}
    names = sorted(columns.keys() - {*LIMITS}, key=KINDS[kind].columns.index)
    lacking = {name: NO_WORD if columns[name].dtype.kind in "OU" else np.nan for name in names}
    ranks = dict[tuple[str, str], int]()
    of_blocks = [np.zeros((0, 3), np.int64)]  # rank, block and place there, of each row
    for block_index, block in enumerate(blocks):
        of_rows = [*block.comparison.names, ""]  # the last is NOTHING
        contrasts = ((of_rows[run], of_rows[baseline]) for run, baseline in block.comparison.pairs.tolist())
        rank = np.array([ranks.setdefault(contrast, len(ranks)) for contrast in contrasts], np.int64)
        told = np.flatnonzero(block.is_told)
        of_blocks.append(np.column_stack((rank[told], np.full(len(told), block_index), told)))
    index = np.vstack(of_blocks)
    index = index[np.lexsort((index[:, 1], index[:, 0]))]

    def row(row_index: int) -> Row:
        _, block, contrast = index[row_index].tolist()
        row_of_block: Row = blocks[block].row(contrast, lacking)
        return row_of_block

    printed, last = Rows(len(index), row), 0
    for topics, number in zip(on_topics, chain(np.bincount(index[:, 0]).tolist(), repeat(0)), strict=False):
        yield from tables(of_topics, measure, topics)
        yield from tables(kind, measure, printed[last : last + number])
        last += number
    yield from tables(kind, measure, printed if last == 0 else printed[last:])


def means(alone: Family, source: Source) -> Iterator[Block]:
    """The mean of each run with limits over a source, transformed back; of logits that of the logits too."""
    measure, tested = alone.measure, alone.over(source)
    columns = {name: column for name, column in tested.of.columns.items() if name != "effect_size"}
    columns |= {"df": tested.of.df} if source.tells_df else {}
    columns |= {"interval": kinds_of_limits(tested)} if source.has_p else {}
    scales = {measure.name: measure.scale()}
    scales |= {f"{measure.name}_logit": PLAIN} if measure.family.summary == "logit" else {}
    for name, scale in scales.items():
        limits = dict(zip(LIMITS, map(scale.back, (tested.of.value, *tested.limits)), strict=True))
        yield Block(name, alone.comparison, source, limits | columns, tested.of.is_told)


def differences(family: Family, source: Source) -> Block:
    """The differences of pairs over a source; with what is claimed of them, if that is asked for."""
    tested, request = family.over(source), family.request
    of = tested.of
    columns: dict[str, np.ndarray] = dict(zip(LIMITS, (of.value, *tested.limits), strict=True)) | {**of.columns}
    if source.has_p:
        columns |= {"p": tested.p, "p_adjusted": tested.p_adjusted, "interval": kinds_of_limits(tested)}
        if (limits := tested.limits_adjusted) is not None:
            columns |= {"lower_adjusted": limits[0], "upper_adjusted": limits[1]}
    if source.tells_df:
        columns["df"] = of.df
    if source.has_test_column:
        columns["test"] = tested.test
    if source.tells_verdicts and tells_verdicts(request):
        claims = resolution(family, source)
        names = [name for name in KINDS["difference"].columns if request.power or name != "detectable"]
        columns |= {name: claims[name] for name in names if name in claims}
        columns["verdict"] = np.array([verdict_of(verdict, family.measure) for verdict in claims["verdict"]], object)
        columns["reason"] = np.where(claims["reason"] == "", NO_WORD, claims["reason"])
    return Block(difference_name(family.measure), family.comparison, source, columns, of.is_told)


def kinds_of_limits(tested: Tested) -> np.ndarray:
    """object[P]: the kinds of limits of contrasts, in a word; one for none where there are none."""
    return np.where(np.isnan(tested.limits[0]), NO_WORD, tested.interval)


NO_TEST: Row = {"p": np.nan, "p_adjusted": np.nan, "effect_size": np.nan, "test": NO_WORD}


def on_topics(scored: Scored, families: Sequence[Family], contrast: int) -> Iterator[Row]:
    """A run's scores, or a pair's differences, on single topics by each measure, with the limits that resampled documents, or
    other grades, give them; means alone have others."""
    source = next((source for source in scored.sources if not source.brings_others), scored.sources[0])
    of_families = list[tuple[str, Floats, Row, Columns, bool]]()
    for family in families:
        measure, columns = family.measure, source.topic_columns(family, contrast)
        run, baseline = family.pairs[contrast].tolist()
        cells: Row = {"run": family.names[run], "population": source.name, **source.labels}
        title, values = measure.name, family.raw[run]
        has_bounds = bool(columns.keys() - {"lower", "upper"}) and measure.is_bounded
        if baseline != NOTHING:
            title, values, has_bounds = difference_name(measure), family.values[run] - family.values[baseline], False
            cells = {"run": family.names[run], "baseline": family.names[baseline], "population": source.name}
            cells |= NO_TEST if source.has_p else {}
        of_families.append((title, values, cells, columns, has_bounds))
    for topic, name in enumerate(scored.topics):
        for title, values, cells, columns, has_bounds in of_families:
            value = values[topic].item()
            if not np.isnan(value):
                of_topic = {name: column[topic] for name, column in columns.items()}
                row = {"measure": title, "topic": name, "value": value, "lower": np.nan, "upper": np.nan, **cells}
                row |= {name: cell.item() if isinstance(cell, np.generic) else cell for name, cell in of_topic.items()}
                yield Bounded(row) if has_bounds else row


def of_ranks(on: OnMeasure) -> Iterator[Row]:
    """For each run its rank by a measure among all over each source, limits and letters."""
    for source, ranked in on.ranks:
        labels = {name: label for name, label in source.labels.items() if name != "collection"}  # the mean is ranked
        for index, run in enumerate(on.alone.scored.runs):
            rank, lower, upper = (int(of[index]) for of in (ranked.rank, ranked.lower, ranked.upper))
            yield {
                "measure": "rank", "topic": "all", "value": rank, "lower": lower, "upper": upper, "run": run,
                "letters": ranked.letters[index], "population": source.name, **labels, "ranked_by": on.measure.name,
            }  # fmt: skip


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
    scores = scope.scored.scores(measure, with_missing=True)
    if comparison.pooled is not None:  # of runs that are not missing
        scores = np.vstack((scores, pool(scope.scored.scores(measure), comparison.pooled)))
    means, unknown = source.means_of(measure.scale().forward(scores)), np.full(size, np.nan)
    columns: dict[str, np.ndarray] = {"value": measure.scale().back(means[run]), "lower": unknown, "upper": unknown}
    if source.tells_topics:
        columns["topics"] = np.count_nonzero(~np.isnan(scores[run]), axis=1)
    if of_pairs:
        columns["value"] = means[run] - means[baseline]
        no_sign = {"sign": np.full(size, NO_WORD, object)}
        columns |= {"p": unknown, "p_adjusted": unknown} if source.has_p else no_sign
        if tells_verdicts(scope.asked) and source.tells_verdicts:
            columns["verdict"] = np.full(size, MISSING, object)
    title = difference_name(measure) if of_pairs else measure.name
    yield Block(title, comparison, source, columns, np.ones(size, np.bool_))


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
