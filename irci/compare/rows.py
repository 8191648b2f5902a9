"""The comparisons on a measure, and their rows: means, differences and ranks of runs, over each source of variation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irci.base.errors import logger
from irci.base.types import Floats
from irci.compare.claims import Resolution, resolution
from irci.compare.family import Family, Scored, Source
from irci.compare.wording import verdict_of
from irci.data.scale_ends import UNIT
from irci.estimators.compare.means import Tested
from irci.measures import Measure
from irci.output.tables import NO_WORD, Bounded, PValue, Row, Rows
from irci.stats.decisions import MOST_LETTERS, better, ranks, separated
from irci.stats.scales import PLAIN, Scale

Cells = dict[str, Any]


@dataclass
class OnMeasure:
    """The comparisons on one measure: the means of runs, and the pairs, and all pairs of runs for ranks, if asked for."""

    alone: Family
    pairs: Family | None
    ranked: Family | None
    _resolutions: dict[str, Resolution] = field(default_factory=dict)

    @property
    def shown(self) -> int:
        """The number of pairs."""
        return 0 if self.pairs is None else len(self.pairs.pairs)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.alone.measure

    def resolution(self, source: Source) -> Resolution:
        """The claims on the pairs shown, over one source, found once."""
        if source.key not in self._resolutions:
            assert self.pairs is not None
            self._resolutions[source.key] = resolution(self.pairs, source)
        return self._resolutions[source.key]

    @property
    def is_diagnostic(self) -> bool:
        """True if it tells how much is judged, beside a measure of how well runs rank: nothing is found by it."""
        return self.alone.request.is_diagnostic(self.measure, self.alone.scored.measures)

    @property
    def finds(self) -> bool:
        """True if sentences and conditions speak of findings by the measure: neither a secondary one nor a diagnostic one."""
        return not self.is_diagnostic

    @property
    def tells_verdicts(self) -> bool:
        """True if a column says in a word what is found of each pair: not by a secondary measure, which finds nothing."""
        request = self.alone.request
        return request.tells_verdicts and self.pairs is not None

    @property
    def families(self) -> list[Family]:
        """All pairs compared, each family once."""
        return [family for family in (self.pairs, self.ranked) if family is not None]


def rows_of_means(alone: Family, place: int, sources: Sequence[Source]) -> Iterator[Row]:
    """For the run at a place its mean with limits over each source, transformed back; for a mean of logits that of the logits
    too. A count has a sum, and no limits."""
    measure, scale, run = alone.measure, alone.request.scale(alone.measure), alone.names[place]
    scales = {measure.name: scale} | ({f"{measure.name}_logit": PLAIN} if measure.family.summary == "logit" else {})
    found: list[tuple[Cells, Cells, str, bool]] = []
    for source in sources:
        if measure.is_count:
            scores = alone.raw[place]
            total = round(measure.summary(scores[~np.isnan(scores)]))
            found.append((_estimate(measure.name, run, source, (total, np.nan, np.nan)), {}, NO_WORD, False))
            continue
        tested = alone.over(source).tested
        if not tested.of.is_told[place]:
            continue
        columns = _columns(source, tested.of.df, tested.of.columns, place)
        for name, back in scales.items():
            limits = np.array([tested.of.value[place], tested.limits[0][place], tested.limits[1][place]])
            row = _estimate(name, run, source, _back(back, limits))
            kind = kind_of_limits(alone, source, tested, place)
            found.append((row, columns, kind, _is_bounded(alone)))
    every, has_intervals = _union([columns for _, columns, *_ in found]), any(source.has_p for source in sources)
    for row, columns, kind, is_bounded in found:
        whole = {**row, **every, **columns, **({"interval": kind} if has_intervals else {})}
        yield Bounded(whole) if is_bounded else whole


def _is_bounded(family: Family) -> bool:
    """True if scores lie in [0, 1], and are averaged as they are."""
    return family.request.scale(family.measure) == PLAIN and family.measure.is_bounded and family.ends == UNIT


def kind_of_limits(family: Family, source: Source, tested: Tested, place: int) -> str:
    """The kind of limits of a contrast, in a word; one for none where there are none."""
    if np.isnan(tested.limits[0][place]):
        return NO_WORD
    kind = tested.interval[place] if tested.interval else ""
    return kind or source.kind_of_limits(family.design)


def _back(scale: Scale, limits: Floats) -> tuple[float, float, float]:
    value, lower, upper = scale.back(limits).tolist()
    return value, lower, upper


def _estimate(name: str, run: str, source: Source, limits: tuple[float, float, float], topic: str = "all") -> Cells:
    value, lower, upper = limits
    return {
        "measure": name, "topic": topic, "value": value, "lower": lower, "upper": upper, "run": run,
        "population": source.name, **source.labels,
    }  # fmt: skip


def _union(columns: Sequence[Mapping[str, Any]]) -> Cells:
    """All columns that some rows have, in order, with what stands where there is none: nan, or a word for none."""
    return {name: NO_WORD if isinstance(cell, str) else np.nan for row in columns for name, cell in row.items()}


def _columns(source: Source, df: Floats, columns: Mapping[str, Any], place: int) -> Cells:
    """Further columns of an estimate of a run: degrees of freedom, if they are told of differences too, and the rest."""
    freedom = {"df": float(df[place])} if "df" in source.before else {}
    return freedom | {name: column[place].item() for name, column in columns.items() if name != "effect_size"}


def rows_of_topics(scored: Scored, place: int, alone: Sequence[Family]) -> Iterator[Row]:
    """A run's scores, with the limits between which resampled documents, or other grades, let them vary; means alone have
    others."""
    run, source = scored.runs[place], scored.of_one_topic
    families = [family for family in alone if family.measure.is_of_topics]
    columns_of_each = [source.topic_columns(family, place) for family in families]
    for topic, name in enumerate(scored.topics):
        for family, columns in zip(families, columns_of_each, strict=True):
            value = float(family.raw[place][topic])
            if not np.isnan(value):
                value = round(value) if family.measure.is_count else value
                further = {column: cells[topic].item() for column, cells in columns.items()}
                limits = (further.pop("lower", np.nan), further.pop("upper", np.nan))
                row = {**_estimate(family.measure.name, run, source, (value, *limits), name), **further}
                yield Bounded(row) if further and family.measure.is_bounded else row


def difference_name(measure: Measure, scale: Scale) -> str:
    """The name of differences: the measure, and the scale on which it is averaged."""
    return "_".join(filter(None, (measure.name, scale.name, "diff")))


def rows_of_differences(family: Family, sources: Sequence[Source], claims: Mapping[str, Resolution]) -> Sequence[Row]:
    """For each pair a row a source that tells of them, made when it is looked at; `claims`: by the sources' names."""
    told = np.array([family.over(source).tested.of.is_told for source in sources])
    places = np.flatnonzero(told.T)
    cells = DifferenceCells(family, sources, claims)

    def row(place: int) -> Row:
        pair, source = divmod(int(places[place]), len(sources))
        return cells.row(pair, sources[source])

    return Rows(len(places), row)


class DifferenceCells:
    """Rows of differences of one family: the same columns over each source, nan (or -) where one has none."""

    def __init__(self, family: Family, sources: Sequence[Source], claims: Mapping[str, Resolution]) -> None:
        self.family, self.claims, self.name = (
            family,
            claims,
            difference_name(family.measure, family.request.scale(family.measure)),
        )
        self.is_bounded = _is_bounded(family)
        found = [(source, family.over(source)) for source in sources]
        self.before = _union([_before(source, each.tested.of, 0) for source, each in found])
        self.after = _union([_after(source, each.tested.of, 0) for source, each in found])
        self.has_p = any(source.has_p for source in sources)
        self.has_tests = any(source.has_test_column for source in sources)
        self.has_errors = any(each.tested.p_error is not None for _, each in found)
        self.has_limits = self.has_p and any(each.limits_adjusted is not None for _, each in found)
        every: Cells = {}
        for source in sources:
            if source.name in claims:
                every |= _claimed(claims[source.name], 0)
        self.claimed = dict.fromkeys(every, np.nan) | ({"verdict": NO_WORD, "reason": NO_WORD} if every else {})

    def row(self, pair: int, source: Source) -> Row:
        """The row of a pair over one source."""
        family, adjusted = self.family, self.family.over(source)
        tested = adjusted.tested
        of, (lower, upper) = tested.of, tested.limits
        run, baseline = family.pairs[pair].tolist()
        row: Cells = {
            "measure": self.name, "topic": "all", "value": float(of.value[pair]), "lower": float(lower[pair]),
            "upper": float(upper[pair]), "run": family.names[run], "baseline": family.names[baseline],
            "population": source.name, **source.labels,
        }  # fmt: skip
        if self.has_p:
            row["p"] = PValue(tested.p[pair], source.least_p)
            row["p_adjusted"] = PValue(adjusted.p_adjusted[pair], source.least_p)
        row |= self.before | _before(source, of, pair)
        if self.has_tests:
            row["test"] = tested.test[pair] if tested.test else NO_WORD
        if self.has_p:
            row["interval"] = kind_of_limits(family, source, tested, pair)
        if self.has_limits:
            limits = adjusted.limits_adjusted or (np.full(pair + 1, np.nan),) * 2
            row["lower_adjusted"], row["upper_adjusted"] = (float(limit[pair]) for limit in limits)
        if self.has_errors:  # 0 if all signs were gone through
            row["p_error"] = PValue(np.nan if tested.p_error is None else tested.p_error[pair], least=0.0)
        claimed = _claimed(self.claims[source.name], pair) if source.name in self.claims else {}
        if claimed:
            claimed["verdict"] = verdict_of(claimed["verdict"], family.measure)
        whole = row | self.after | _after(source, of, pair) | self.claimed | claimed
        return Bounded(whole) if self.is_bounded else whole


def _before(source: Source, of: Any, place: int) -> Cells:
    if not len(of.value):
        return {}
    return {name: (of.df if name == "df" else of.columns[name])[place].item() for name in source.before}


def _after(source: Source, of: Any, place: int) -> Cells:
    if not len(of.value):
        return {}
    return {name: column[place].item() for name, column in of.columns.items() if name not in source.before}


def _claimed(found: Resolution, place: int) -> Cells:
    columns: Cells = {}
    if found.equivalence is not None:
        columns["p_equivalence"] = PValue(found.equivalence.p[place])
        columns["p_equivalence_adjusted"] = PValue(found.equivalence.p_adjusted[place])
        columns["p_not_worse"] = PValue(found.equivalence.sides[0, place])
        columns["p_not_worse_adjusted"] = PValue(found.equivalence.p_not_worse_adjusted[place])
    if found.power is not None:
        needed = float(found.topics_needed[place])
        columns |= {
            "detectable": float(found.detectable[place]),
            "topics_needed": int(needed) if np.isfinite(needed) else needed,
        }
        if found.power.effect_limits is not None:
            lower, upper = found.power.effect_limits
            columns |= {"effect_lower": float(lower[place]), "effect_upper": float(upper[place])}
        columns["smallest_p"] = PValue(found.smallest_p[place])
    return columns | {"verdict": found.verdict[place], "reason": found.reason[place] or NO_WORD}


def rows_of_ranks(family: Family, sources: Sequence[Source]) -> Iterator[Row]:
    """For each run its rank among all, limits and letters, over each source; `family`: all pairs of runs."""
    runs = family.scored.runs
    if not family.common.any() and family.scored.where:
        return  # which was told of
    for source in sources:
        means = source.run_means(family, len(runs))
        if np.isnan(means).all():
            logger.warning(
                f"{family.title}: no ranks ({source.name}): the runs have no topic in common in some collection"
            )
            continue
        adjusted = family.over(source)
        decided = separated(np.nan_to_num(adjusted.p_adjusted, nan=1.0), family.request.alpha)
        ranked = ranks(means, better(family.pairs, adjusted.tested.of.value, decided, len(runs)))
        # A run's own mean may be over more topics, or with another lambda, than the differences that decide.
        least, most = np.minimum(ranked.rank, ranked.lower), np.maximum(ranked.rank, ranked.upper)
        if ranked.letters[0] == "-":
            logger.warning(f"{family.title}: more than {MOST_LETTERS} groups of runs ({source.name}): no letters")
        for index, run in enumerate(runs):
            yield {
                "measure": "rank", "topic": "all", "value": int(ranked.rank[index]), "lower": int(least[index]),
                "upper": int(most[index]), "run": run, "letters": ranked.letters[index],
                "population": source.name, **source.labels, "ranked_by": family.measure.name,
            }  # fmt: skip


def rows_of_topic_differences(family: Family, pair: int) -> Iterator[Row]:
    """A pair's differences on single topics, with the limits that resampled documents, or other grades, give them."""
    scored, (run, baseline) = family.scored, family.pairs[pair]
    source, differences = scored.of_one_topic, family.values[run] - family.values[baseline]
    columns = source.topic_difference_columns(family, pair)
    of_difference = difference_name(family.measure, family.request.scale(family.measure))
    test: Cells = {"p": np.nan, "p_adjusted": np.nan, "effect_size": np.nan, "test": NO_WORD} if source.has_p else {}
    for topic, name in enumerate(scored.topics):
        if not np.isnan(differences[topic]):
            cells = {column: cells[topic] for column, cells in columns.items()}
            yield {
                "measure": of_difference, "topic": name, "value": float(differences[topic]),
                "lower": np.nan, "upper": np.nan, "run": family.names[run],
                "baseline": family.names[baseline], "population": source.name, **test, **cells,
            }  # fmt: skip
