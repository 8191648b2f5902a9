"""The comparisons on a measure, what is found of them as arrays, and these as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.base import first_names
from irci.base.types import Bools, Floats, Pairs
from irci.comparison.best import Best, best_lead, best_run
from irci.comparison.claims import resolution
from irci.comparison.family import Family, Scored, difference_name
from irci.comparison.sources import Source
from irci.data.scores import MEND
from irci.estimators.means import Design, Tested
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.kinds import KINDS
from irci.output.tables import NO_WORD, Bounded, Cell, PValue, Row, Rows
from irci.stats.decisions import MOST_LETTERS, Ranks, better, ranks, separated
from irci.stats.scales import PLAIN
from irci.stats.tests import NOTHING, Comparison, pool
from irci.wording import notify, verdict_of

if TYPE_CHECKING:
    from irci.comparison.meta import CombinedEffects

Columns = Mapping[str, np.ndarray]
LIMITS = ("value", "lower", "upper")


def tells_verdicts(request: Asked) -> bool:
    """True if a column says in a word what is found of each pair."""
    return request.margin is not None or request.power or bool({*(request.fail_if or ())} - {"reversed"})


@dataclass
class OnMeasure:
    """The comparisons on one measure: the means of runs, and the pairs, and all pairs of runs for ranks, if asked for."""

    alone: Family
    pairs: Family | None
    ranked: Family | None

    @cached_property
    def best(self) -> Best | None:
        """The best run over topics by its mean, if it is asked for."""
        return best_run(self.alone, topics) if (topics := self.alone.picks_best_over) else None

    @cached_property
    def lead(self) -> Best | None:
        """The best run's difference from a baseline that was named beforehand, if the best is asked for."""
        return best_lead(self.pairs, topics) if self.pairs and (topics := self.pairs.picks_best_over) else None

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
            decided = separated(adjusted.p_adjusted, family.alpha)
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
    def combined(self) -> CombinedEffects | None:
        """Effects on single topics combined for each pair, or run, if that is asked for."""
        family, resampled = self.pairs or self.alone, self.alone.scored.resampled
        if family.request.meta is None or resampled is None:
            return None
        from irci.comparison.meta import combined_effects

        return combined_effects(family, resampled, family.request.meta)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.alone.measure

    @property
    def families(self) -> list[Family]:
        """All pairs compared, each family once."""
        return [family for family in (self.pairs, self.ranked) if family is not None]


def in_one(on: Sequence[OnMeasure]) -> Family | None:
    """A family of several measures that are adjusted as one, if they are."""
    families = (family for on_measure in on for family in on_measure.families)
    return next((family for family in families if len(family.adjusted_as_one) > 1), None)


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

    def on_measure(self, measure: Measure) -> OnMeasure:
        """The comparisons on one of the measures."""
        return next(on for on in self.on if on.measure is measure)


class Block(NamedTuple):
    """Findings on P contrasts, means or differences, of one measure over one source in one scope.

    measure: str  # as rows name it
    names, pairs: of rows of scores, and int64[P, 2] places among them
    is_told: bool[P]  # contrasts of which anything is said
    columns: [P] each, the value and its limits first
    """

    measure: str
    names: Sequence[str]
    pairs: Pairs
    source: Source
    is_told: Bools
    columns: Columns

    def row(self, contrast: int, lacking: Mapping[str, Cell]) -> Row:
        """The row of a contrast, with cells for the columns that the block itself lacks."""
        run, baseline = self.pairs[contrast].tolist()
        cells = {name: self._cell(name, column[contrast]) for name, column in self.columns.items()}
        row: dict[str, Cell] = {"measure": self.measure, "topic": "all"}
        row |= {name: cells.pop(name) for name in LIMITS} | {"run": self.names[run]}
        row |= {} if baseline == NOTHING else {"baseline": self.names[baseline]}
        return row | {"population": self.source.name, **self.source.labels} | {**lacking, **cells}

    def _cell(self, name: str, cell: Any) -> Cell:
        value: Cell = cell.item() if isinstance(cell, np.generic) else cell
        if name in ("p", "p_adjusted"):
            return PValue(float(value or 0), self.source.least_p)
        if name.startswith("p_"):
            return PValue(float(value or 0), 1e-16)
        is_needed = name in ("topics_needed", "passes_needed")
        return int(value) if is_needed and isinstance(value, float) and np.isfinite(value) else value


def of_blocks(blocks: Sequence[Block], order: Sequence[tuple[str, str]]) -> tuple[Rows, list[int]]:
    """Rows of contrasts, each made when it is looked at, and how many each has: of one over all sources and scopes, then of
    the next. All have the columns that any block has, nan (or -) where one has none.

    order: run and baseline ("" if none) of contrasts, by default as they come
    """
    lacking = lacking_cells(blocks)
    ranks = {contrast: rank for rank, contrast in enumerate(order)}
    of_blocks = [np.zeros((0, 3), np.int64)]  # rank, block and place there, of each row
    for block_index, block in enumerate(blocks):
        if not ranks and block.pairs is blocks[0].pairs and block.names is blocks[0].names:
            rank = np.arange(len(block.pairs))
        else:
            ranks = ranks or {contrast: number for number, contrast in enumerate(_names(blocks[0]))}
            rank = np.array([ranks.setdefault(contrast, len(ranks)) for contrast in _names(block)], np.int64)
        contrasts = np.flatnonzero(block.is_told)
        of_blocks.append(np.column_stack((rank[contrasts], np.full(len(contrasts), block_index), contrasts)))
    index = np.vstack(of_blocks)
    index = index[np.lexsort((index[:, 1], index[:, 0]))]

    def row(row_index: int) -> Row:
        _, block, contrast = index[row_index].tolist()
        row_of_block: Row = blocks[block].row(contrast, lacking)
        return row_of_block

    number = len(ranks) or (len(blocks[0].pairs) if blocks else 0)
    return Rows(len(index), row), np.bincount(index[:, 0], minlength=number).tolist()


def lacking_cells(blocks: Sequence[Block]) -> dict[str, Cell]:
    """The columns that any block has beside the limits, in the order of rows of a kind, with what stands where another has
    none."""
    columns = {name: column for block in blocks for name, column in block.columns.items()}
    is_of_pairs = any((block.pairs[:, 1] != NOTHING).any() for block in blocks)
    in_order = KINDS["difference" if is_of_pairs else "estimate"].columns
    names = sorted(columns.keys() - {*LIMITS}, key=in_order.index)
    return {name: NO_WORD if columns[name].dtype.kind in "OU" else np.nan for name in names}


def _names(block: Block) -> Iterator[tuple[str, str]]:
    names = [*block.names, ""]  # the last is NOTHING
    return ((names[run], names[baseline]) for run, baseline in block.pairs.tolist())


def means(alone: Family, source: Source) -> Iterator[Block]:
    """The mean of each run with limits over a source, transformed back; of logits that of the logits too. A count has a sum,
    and no limits."""
    measure, scale, unknown = alone.measure, alone.measure.scale(), np.full(len(alone.pairs), np.nan)
    has_kinds = source.has_p
    if measure.is_count:
        sums = np.array([round(measure.summary(scores[~np.isnan(scores)])) for scores in alone.raw])
        kinds = {"interval": np.full(len(sums), NO_WORD, object)} if has_kinds else {}
        limits = {"value": sums, "lower": unknown, "upper": unknown}
        yield Block(measure.name, alone.names, alone.pairs, source, np.ones(len(sums), np.bool_), limits | kinds)
        return
    tested = alone.over(source)
    of, kinds = tested.of, {"interval": kinds_of_limits(tested)} if has_kinds else {}
    columns = {name: column for name, column in of.columns.items() if name != "effect_size"}
    columns |= {"df": of.df} if source.tells_df else {}
    scales = {measure.name: scale} | ({f"{measure.name}_logit": PLAIN} if measure.family.summary == "logit" else {})
    for name, back in scales.items():
        limits = dict(zip(LIMITS, map(back.back, (of.value, *tested.limits)), strict=True))
        yield Block(name, alone.names, alone.pairs, source, of.is_told, limits | columns | kinds)


def differences(family: Family, source: Source) -> Block:
    """The differences of pairs over a source; with what is claimed of them, if that is asked for."""
    tested = family.over(source)
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
    if source.tells_verdicts and tells_verdicts(family.request):
        claims = resolution(family, source)
        if family.request.margin is not None:
            columns |= {
                "p_equivalence": claims.sides.max(axis=0), "p_equivalence_adjusted": claims.p_equivalence,
                "p_not_worse": claims.sides[0], "p_not_worse_adjusted": claims.p_not_worse,
            }  # fmt: skip
        if family.request.power:
            columns |= {"detectable": claims.detectable, "topics_needed": claims.topics_needed}
            if (effect_limits := claims.effect_limits) is not None:
                columns |= {"effect_lower": effect_limits[0], "effect_upper": effect_limits[1]}
        verdicts = [verdict_of(verdict, family.measure) for verdict in claims.verdict]
        reasons = [reason or NO_WORD for reason in claims.reason]
        columns |= {"verdict": np.array(verdicts, object), "reason": np.array(reasons, object)}
    return Block(difference_name(family.measure), family.names, family.pairs, source, of.is_told, columns)


def kinds_of_limits(tested: Tested) -> np.ndarray:
    """object[P]: the kinds of limits of contrasts, in a word; one for none where there are none."""
    kinds = np.where(tested.interval == "", "t", tested.interval)
    return np.where(np.isnan(tested.limits[0]), NO_WORD, kinds)


def of_topics(scored: Scored, run_index: int, alone: Sequence[Family]) -> Iterator[Row]:
    """A run's scores, with the limits between which resampled documents, or other grades, let them vary; means alone have
    others."""
    source = scored.of_one_topic
    families = [family for family in alone if family.measure.is_of_topics]
    columns_of_each = [source.topic_columns(family, run_index) for family in families]
    for topic in range(len(scored.topics)):
        for family, columns in zip(families, columns_of_each, strict=True):
            value, measure = family.raw[run_index][topic].item(), family.measure
            if not np.isnan(value):
                value, names = round(value) if measure.is_count else value, {"run": scored.runs[run_index]}
                row = _on_topic(scored, topic, measure.name, value, names, source.labels, columns)
                yield Bounded(row) if columns.keys() - {"lower", "upper"} and measure.is_bounded else row


def of_topic_differences(family: Family, pair: int) -> Iterator[Row]:
    """A pair's differences on single topics, with the limits that resampled documents, or other grades, give them."""
    scored, (run, baseline) = family.scored, family.pairs[pair].tolist()
    source, differences = scored.of_one_topic, family.values[run] - family.values[baseline]
    columns, title = source.topic_columns(family, pair), difference_name(family.measure)
    names = {"run": family.names[run], "baseline": family.names[baseline]}
    test: dict[str, Cell] = {"p": np.nan, "p_adjusted": np.nan, "effect_size": np.nan, "test": NO_WORD}
    for topic in np.flatnonzero(~np.isnan(differences)).tolist():
        further = test if source.has_p else {}
        yield _on_topic(scored, topic, title, float(differences[topic]), names, further, columns)


def _on_topic(
    scored: Scored, topic: int, measure: str, value: float, names: Mapping[str, str], further: Mapping[str, Cell],
    columns: Columns,
) -> Row:  # fmt: skip
    cells = ((name, column[topic]) for name, column in columns.items())
    return {
        "measure": measure, "topic": scored.topics[topic], "value": value, "lower": np.nan, "upper": np.nan, **names,
        "population": scored.of_one_topic.name, **further,
        **{name: cell.item() if isinstance(cell, np.generic) else cell for name, cell in cells},
    }  # fmt: skip


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
WITHOUT_PAIRS: dict[str, Any] = {"compare": False, "baseline": (), "all_pairs": False, "meta": None}


def of_those_made(request: Asked, scored: Scored) -> Asked:
    """The request of runs that are not missing: without pairs where all baselines are, or fewer than two are left."""
    is_alone = len(scored.runs) < 2
    made = tuple(name for name in request.baseline if name not in scored.missing)
    if not is_alone and (made or not request.baseline):
        return request.replaced(baseline=made)
    of_many = {"ranks": False, "best": False} if is_alone else {}
    return request.replaced(**(WITHOUT_PAIRS if request.has_pairs else {}), **of_many)


def pairs_of_missing(request: Asked, scored: Scored) -> Comparison:
    """The pairs asked for of which a run is missing."""
    if not (request.has_pairs and scored.missing):
        return Comparison.alone(())
    asked = Comparison.of(scored.every_run, request.baseline, all_pairs=request.all_pairs)
    is_missing = np.array([name in scored.missing for name in asked.names], np.bool_)
    return asked._replace(pairs=asked.pairs[is_missing[asked.pairs].any(axis=1)])


def missing_contrasts(scope: Scope, measure: Measure, source: Source, comparison: Comparison) -> Iterator[Block]:
    """Contrasts of which a run is missing, if any: differences, or means of runs by themselves."""
    names, pairs, lacking = comparison.names, comparison.pairs, scope.scored.lacking
    if lacking is None or not len(pairs):
        return
    scale, is_of_pairs, (runs, baselines) = measure.scale(), pairs[0, 1] != NOTHING, pairs.T
    made = scope.scored.scores(measure, scope.on_measure(measure).alone.comparison)
    scores_of = dict(
        zip([*scope.scored.runs, *lacking.of], [*made, *scope.scored.scores_of_missing(measure)], strict=True)
    )
    if comparison.pooled is not None:
        scores_of[comparison.pooled] = pool(made, comparison.pooled)
    scores = np.array([scores_of[name] for name in names])
    if measure.is_count:
        values = np.array([round(measure.summary(of_run[~np.isnan(of_run)])) for of_run in scores])
    else:
        means = np.append(source.means_of(scale.forward(scores)), 0.0)  # the last is NOTHING
        values = means[runs] - means[baselines]
    columns = dict(source.counts_of_missing(scores[runs]))
    unknown, title = np.full(len(pairs), np.nan), measure.name
    if is_of_pairs:
        title = difference_name(measure)
        unknown_words = np.full(len(pairs), NO_WORD, object)
        columns |= {"p": unknown, "p_adjusted": unknown} if source.has_p else {"sign": unknown_words}
        has_verdicts = tells_verdicts(scope.asked) and source.tells_verdicts
        columns |= {"verdict": np.full(len(pairs), MISSING, object)} if has_verdicts else {}
    elif not measure.is_count:
        values = scale.back(values)
    limits = {"value": values, "lower": unknown, "upper": unknown}
    yield Block(title, names, pairs, source, np.ones(len(pairs), np.bool_), limits | columns)


def untold_of_missing(whole: Scope) -> Iterator[str]:
    """The pairs that --fail-if is about of which a run is missing, for each measure."""
    scored = whole.scored
    for condition in (whole.asked.fail_if or ())[:1]:
        comparison = pairs_of_missing(whole.asked, scored)
        for run, baseline in [[comparison.names[place] for place in pair] for pair in comparison.pairs]:
            lacks = _lacks(scored, [name for name in (run, baseline) if name in scored.missing])
            for measure in (on.measure.name for on in whole.on if not on.alone.is_diagnostic):
                yield f"{measure}: {run} against {baseline}: {lacks} ({MEND}) (--fail-if {condition})"


def sentences_of_missing(scored: Scored) -> Iterator[str]:
    """Sentence on runs that are missing, if there are any: nothing else in an answer speaks of them."""
    if scored.missing:
        yield f"{_lacks(scored, list(scored.missing))}: 0 counts there, and nothing is tested."


def _lacks(scored: Scored, runs: Sequence[str]) -> str:
    lacks = [f"{run} lacks {scored.missing[run]}" for run in runs]
    return f"{first_names(lacks)}, and so {'are' if len(runs) > 1 else 'is'} {MISSING}"
