"""The result in plain words: pairs one by one, or counted where they are many; means; ranks; what rows are for; and the answer
in a sentence for each measure."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, SEEDS, TOPICS
from irci.base.names import BORDA, NAMED, first_names
from irci.base.types import Ints
from irci.compare.best import sentences_of_best
from irci.compare.family import Family, Scored, Source
from irci.compare.family_sentences import counted_as_one, is_of, sentences_of_family, sentences_of_selection
from irci.compare.pair_sentences import (
    Claims,
    Finding,
    Pair,
    Terms,
    observed,
    sentence_on_pair,
    sentences_of_pair,
)
from irci.compare.request import SCALES, Request
from irci.compare.rows import OnMeasure, differences
from irci.compare.wording import (
    MOST,
    amount,
    directions,
    highest_means,
    means_in,
    number,
    sentences_of_means,
    sentences_on_verdicts,
    verdict_of,
)
from irci.data.scale_ends import UNIT
from irci.measures import named
from irci.output.tables import PValue, Row, Table, as_read
from irci.output.wording import in_words
from irci.stats.bounded import at_ends
from irci.stats.decisions import separated
from irci.wording import say

MOST_PAIRS = 6  # told one by one
LOOKED_AT = 1000  # rows of a table, which may have a million: the same sources come with each pair
# What a claim is about that a row answers for, the widest first; that over both adds nothing to that over topics.
CLAIMS = {
    SEEDS: "systems that are trained again",
    "clusters": "other clusters of topics",
    "collections": "other collections",
    TOPICS: "other topics",
    DOCUMENTS: "these topics in other collections of documents",
    "versions": "other wordings of these topics",
    "same-topics": "these topics",
}


def explanation(request: Request, scored: Scored, tables: Sequence[Table], on: Sequence[OnMeasure]) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for."""
    compared = [on_measure for on_measure in on if on_measure.pairs is not None and on_measure.shown]
    for on_measure in compared:
        yield from _of_pairs(on_measure, scored.sources)
    if not compared:
        yield from _of_means(request, scored, tables, on)
    yield from _of_ranks_and_combinations(request, scored, tables, on)
    yield from _of_sources(scored, tables, compared)
    for first in [on_measure for on_measure in compared if on_measure.finds][:1]:
        yield from sentences_of_family(request, scored, first)
    if advice := which_to_report(tables, "difference" if compared else "estimate"):
        yield advice
    yield from sentences_of_best(on)
    yield from counted_as_one(on, scored.sources)
    if not scored.where:
        yield from sentences_of_selection(request, on)


def conclusion(request: Request, scored: Scored, tables: Sequence[Table], on: Sequence[OnMeasure]) -> Iterator[str]:
    """A paragraph a measure, a sentence unless that alone would mislead, over the first of several sources of variation: which
    run is best, if all are ranked; of pairs, whether a run is better; without pairs, which run scores highest."""
    asked, ranks = scored.sources[0], [table for table in tables if table.kind == "rank"]
    compared = [
        on_measure for on_measure in on if on_measure.pairs is not None and on_measure.shown and on_measure.finds
    ]
    if ranks:
        of_each = (" ".join(sentences_of_ranks(table, request, [asked])) for table in ranks)
        yield from filter(None, of_each)
    elif compared:
        yield from (_answer(on_measure, asked) for on_measure in compared)
    elif request.best:
        yield from sentences_of_best(on)
    else:
        rows = [as_read(row) for row in means_in(tables) if row["topic"] == "all"] if len(scored.runs) == 1 else []
        own = [sentence for row in rows if (sentence := asked.sentence(row)) is not None]
        yield from own or highest_means(means_in(tables), request.confidence, TOPICS)


# Pairs


def _of_pairs(on: OnMeasure, sources: Sequence[Source]) -> Iterator[str]:
    """Sentences on the pairs compared by a measure: each by itself, or how many differ over each source."""
    assert on.pairs is not None
    if on.shown <= MOST_PAIRS:
        terms = terms_of(on.pairs, sources)
        pairs = (pair_of(on, index, sources) for index in range(on.shown))
        yield from (
            sentence
            for pair in pairs
            for sentence in (sentences_of_pair(pair, terms) if on.finds else [observed(pair, terms)])
        )
    elif on.finds:
        for source in sources:
            yield from _counted(on, source)
            yield from _verdicts(on, source)


def terms_of(family: Family, sources: Sequence[Source]) -> Terms:
    """The terms that all pairs share."""
    design, scale = family.design, family.request.scale(family.measure).name
    return Terms(
        family.measure.name, scale if scale in SCALES else "", design.confidence, family.number, design.correction,
        design.test, design.interval, design.new_topics, family.request.power,
        {source.name: source.lead for source in sources}, family.request.family,
    )  # fmt: skip


def pair_of(on: OnMeasure, place: int, sources: Sequence[Source]) -> Pair:
    """A pair compared by a measure, at its place in the family, with its findings over each source."""
    family, first = on.pairs, sources[0]
    assert family is not None
    scale = family.request.scale(family.measure)
    run, baseline = family.pairs[place].tolist()
    difference = float(family.over(first).tested.of.value[place])
    mean = float(first.baseline_means(family)[place])
    of_run, of_baseline = scale.back(np.array([mean + difference, mean])).tolist()
    over = {source.name: _finding(on, place, source) for source in sources if _tells(family, place, source)}
    return Pair(family.names[run], _baseline(family, baseline), of_run, of_baseline, difference, over)


def _tells(family: Family, place: int, source: Source) -> bool:
    return bool(family.over(source).tested.of.is_told[place])


def _baseline(family: Family, place: int) -> str:
    """The name that sentences give what runs are compared with; `place`: its place among the runs."""
    name = family.names[place]
    return f"the {name} of all runs" if family.comparison.pooled else name


def _finding(on: OnMeasure, place: int, source: Source) -> Finding:
    family = on.pairs
    assert family is not None
    adjusted = family.over(source)
    block = differences(on, source, has_verdicts=False)
    row = as_read(block.row(place, {}))
    p, p_adjusted = (PValue(each[place], source.least_p) for each in (adjusted.tested.p, adjusted.p_adjusted))
    test, is_plain = str(row.get("test", "")), source.observes and source.name == TOPICS
    own = source.sentence(row) or ""
    if not own and math.isnan(p_adjusted) and not (source.observes or source.predicted):
        own = say("over.nothing", lead=source.lead)
    return Finding(
        number(row, "lower"), number(row, "upper"), p, p_adjusted, test,
        int(adjusted.tested.of.units[place]) if is_plain else 0, source.predicted, own,
        source.counted if test == "t, signs" and not source.observes else "",
        _claims(on, place, source) if source.tells_verdicts and on.finds else None,
    )  # fmt: skip


def _claims(on: OnMeasure, place: int, source: Source) -> Claims:
    of_pairs = on.resolution(source)
    within, margin = of_pairs.equivalence, on.alone.request.margin
    needed = math.nan if of_pairs.power is None else float(of_pairs.topics_needed[place])
    return Claims(
        of_pairs.verdict[place], of_pairs.reason[place], float(of_pairs.smallest_p[place]),
        None if within is None else float(within.margin[place]),
        math.nan if within is None else float(within.p_adjusted[place]),
        float(of_pairs.detectable[place]), needed,
        str(margin) if margin is not None and margin.is_share else "", of_pairs.how_few(place),
    )  # fmt: skip


class _Many:
    """Many pairs by a measure over a source: which differ significantly, and which way."""

    def __init__(self, on: OnMeasure, source: Source) -> None:
        assert on.pairs is not None
        self.family, self.source, self.shown = on.pairs, source, on.shown
        self.signs = signs_of(on, source)
        self.all_pairs = len(np.unique(self.family.pairs[: on.shown, 1])) > 1 or on.pairs.request.all_pairs
        self.facts = {
            "among": source.among, "measure": on.measure.name, "more": directions(on.measure)[0], "all": on.shown,
            "baseline": _baseline(self.family, int(self.family.pairs[0, 1])), "p_name": terms_of(self.family, ()).p_name,
        }  # fmt: skip

    def names(self, places: Iterable[int]) -> list[str]:
        """The runs compared with one baseline, or both of each pair."""
        pairs = (self.family.pairs[place][: 1 + self.all_pairs] for place in places)
        return [" and ".join(self.family.names[side] for side in pair) for pair in pairs]

    def in_order(self, sign: int) -> list[str]:
        """The pairs with a sign, the largest difference first."""
        order = np.argsort(-np.abs(self.family.over(self.source).tested.of.value[: self.shown]), kind="stable")
        return self.names(place for place in order.tolist() if self.signs[place] == sign)

    def of_all(self) -> str:
        """How many of all pairs differ."""
        return say("many.pairs", **self.facts, count=int(np.count_nonzero(self.signs)) or "none")

    def own(self) -> str | None:
        """The sentence of a source that has no p."""
        columns = self.family.over(self.source).tested.of.columns
        cells = {name: column[: self.shown].tolist() for name, column in columns.items()}
        return self.source.sentence_on_many(self.family.measure.name, cells)

    def top(self) -> Iterator[str]:
        """That p over documents of measures of the top is not to be relied on, where it finds something."""
        if self.source.name == DOCUMENTS and self.family.measure.is_of_the_top and self.signs.any():
            yield say("many.top", **self.facts)


def signs_of(on: OnMeasure, source: Source) -> Ints:
    """int64[P]: 1 or -1 where a pair differs significantly, as the test points, else 0."""
    assert on.pairs is not None
    if source.tells_verdicts:
        verdicts = on.resolution(source).verdict
        return np.array([(verdict == "better") - (verdict == "worse") for verdict in verdicts], np.int64)
    adjusted = on.pairs.over(source)
    significant = separated(np.nan_to_num(adjusted.p_adjusted[: on.shown], nan=1.0), on.pairs.request.alpha)
    return np.where(significant, np.sign(adjusted.tested.of.value[: on.shown]), 0).astype(np.int64)


def _counted(on: OnMeasure, source: Source) -> Iterator[str]:
    """How many of many pairs differ significantly, and which do not."""
    many = _Many(on, source)
    if (own := many.own()) is not None:
        yield own
        return
    if many.all_pairs:
        yield many.of_all()
    else:
        for sign, word in zip((1, -1), directions(on.measure), strict=True):
            runs = many.in_order(sign)
            yield say("many.runs", **many.facts, count=len(runs) or "none", word=word, names=_listed(runs))
    if unclear := np.flatnonzero(many.signs == 0).tolist():
        of_pairs = "all of them" if len(unclear) == on.shown else f"the other {len(unclear)}"
        names = [
            " and ".join(many.family.names[side] for side in many.family.pairs[place]) for place in unclear[:NAMED]
        ]
        yield say("many.open", **many.facts, of_pairs=of_pairs, names=_listed(names) if len(unclear) <= NAMED else "")
    yield from many.top()


def _answer(on: OnMeasure, source: Source) -> str:
    """The answer of a measure: of the pair, or of the pairs with a baseline, or of all pairs."""
    assert on.pairs is not None
    if on.shown == 1:
        pair, terms = pair_of(on, 0, [source]), terms_of(on.pairs, [source])
        return sentence_on_pair(pair, terms, source.name) if source.observes else " ".join(_of_pairs(on, [source]))
    many = _Many(on, source)
    if (own := many.own()) is not None:
        return own
    after = [*many.top(), *_of_margin(on, many)]
    if many.all_pairs:
        return " ".join([many.of_all(), *after])
    names = {
        sign: [many.family.names[run] for run in many.family.pairs[: on.shown, 0][many.signs == sign]]
        for sign in (1, -1, 0)
    }
    higher, lower = directions(on.measure)
    of = "score significantly {word} in {measure} than {baseline} (by {p_name})".format(**many.facts, word=higher)
    told = [f"{len(names[1]) or 'none'} of {on.shown} runs {of}{_listed(names[1])}"]
    told += [f"{len(names[-1])} significantly {lower}{_listed(names[-1])}"] if names[-1] else []
    told += [f"{len(names[0])} cannot be told from {many.facts['baseline']}{_listed(names[0])}"] if names[0] else []
    return " ".join([f"{source.among}, {'; '.join(told)}.", *after])


def _of_margin(on: OnMeasure, many: _Many) -> Iterator[str]:
    """How many of several pairs are shown to differ by less than the margin, and which."""
    margin = many.family.request.margin
    within = on.resolution(many.source).equivalence if many.source.tells_verdicts and on.tells_verdicts else None
    if within is None or margin is None:
        return
    shown = np.flatnonzero(separated(np.nan_to_num(within.p_adjusted, nan=1.0), many.family.request.alpha)).tolist()
    names = many.names(shown)
    yield say(
        "many.within", count=len(names) or "None", all=on.shown, pairs="pairs" if many.all_pairs else "runs",
        are="is" if len(names) < 2 else "are", names=_listed(names),
        margin=f"{margin} of the baseline's mean" if margin.is_share else amount(margin.amount),
    )  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    return f": {first_names(names)}" if names else ""


def _verdicts(on: OnMeasure, source: Source) -> Iterator[str]:
    """How many of many pairs have which verdict, and what topics they need, if that is asked for."""
    request = on.alone.request
    if source.tells_verdicts and (request.power or request.margin is not None):
        of_pairs, measure = on.resolution(source), on.measure
        needed = np.empty(0) if of_pairs.power is None else of_pairs.topics_needed
        words = [verdict_of(verdict, measure) for verdict in of_pairs.verdict]
        yield from sentences_on_verdicts(source.among, measure.name, words, needed.tolist())


# Means


def _of_means(request: Request, scored: Scored, tables: Sequence[Table], on: Sequence[OnMeasure]) -> Iterator[str]:
    if all(source.observes for source in scored.sources):
        new_topics = "as many" if request.new_topics is None else str(request.new_topics)
        predicted = new_topics if request.interval == "prediction" else ""
        yield from sentences_of_means(means_in(tables), request.confidence, TOPICS, predicted)
        yield from _of_hits(on, scored.sources, f"{100 * request.confidence:g}% confidence")
        return
    rows = [as_read(row) for row in means_in(tables)]
    for row in rows if len(rows) <= MOST * len(scored.sources) else ():
        yield _of_mean(row, next(source for source in scored.sources if is_of(row, source)), request)


def _of_mean(row: Row, source: Source, request: Request) -> str:
    """A mean with its limits over a source."""
    if (own := source.sentence(row)) is not None:
        return own
    lower, upper = number(row, "lower"), number(row, "upper")
    sure = f"{100 * request.confidence:g}% confidence"
    limits = f"lies between {amount(lower)} and {amount(upper)} ({sure})"
    kind = "predicted" if source.predicted else "alone" if math.isnan(lower) else "limits"
    return say(
        f"mean.{kind}", run=row["run"], measure=row["measure"], value=amount(number(row, "value")), sure=sure,
        lead=source.lead, lower=amount(lower), upper=amount(upper), predicted=source.predicted,
        between=limits if lower <= upper else "can lie anywhere",
    )  # fmt: skip


def _of_hits(on: Sequence[OnMeasure], sources: Sequence[Source], sure: str) -> Iterator[str]:
    """For runs whose scores are all 0 or 1 how many queries succeed, and with limits how many of such queries do; none of
    points, of which 1 is no success, or if there are many runs."""
    topics = next((source for source in sources if source.name == TOPICS), None)
    for family in [on_measure.alone for on_measure in on]:
        of_hits = family.ends == UNIT and not family.measure.name.endswith(BORDA)
        if topics is None or not of_hits or len(family.raw) > MOST:
            continue
        tested = family.over(topics).tested
        for index, run in enumerate(family.names):
            scores = family.raw[index][~np.isnan(family.raw[index])]
            if len(scores) and tested.interval[index] == "bounded" and at_ends(scores, *UNIT):
                hits, queries = int(scores.round().sum()), len(scores)
                if queries == 1:
                    kind = "only_hit" if hits else "only_missed"
                else:
                    kind = "all_hit" if hits == queries else "some_hit" if hits else "none_hit"
                yield say(
                    f"mean.{kind}", run=run, measure=family.measure.name, hits=hits, queries=f"{queries} queries",
                    sure=sure, lower=f"{tested.limits[0][index]:.1%}", upper=f"{tested.limits[1][index]:.1%}",
                )  # fmt: skip


# Ranks and combinations


def _of_ranks_and_combinations(
    request: Request, scored: Scored, tables: Sequence[Table], on: Sequence[OnMeasure]
) -> Iterator[str]:
    for table in tables:
        if table.kind == "rank":
            yield from sentences_of_ranks(table, request, scored.sources)
        elif table.kind == "meta" and request.meta is not None:
            from irci.compare.meta import sentences_of_meta

            of_base = next(on_measure for on_measure in on if on_measure.measure.base.name == table.measure)
            family = of_base.pairs if request.has_pairs and of_base.pairs is not None else of_base.alone
            yield from sentences_of_meta(table, request.meta, family)


def sentences_of_ranks(table: Table, request: Request, sources: Sequence[Source]) -> Iterator[str]:
    """Which runs may be the best by a measure, a sentence or two a source."""
    measure = named(table.measure)
    for source in {source.key: source for source in sources}.values():
        rows = [row for row in table.rows if is_of(row, source)]
        if not rows:
            continue
        best = [str(row["run"]) for row in sorted(rows, key=lambda row: int(row["value"] or 0)) if row["lower"] == 1]
        yield say(
            "rank.one" if len(best) == 1 else "rank.any" if len(best) == len(rows) else "rank.some",
            among=source.among, first="best" if measure.more_is_better else "highest", all=len(rows), number=len(best),
            measure=table.measure, either="either run" if len(rows) == 2 else f"any of the {len(rows)} runs",
            lowest=", whose lower is 1" * (len(best) > MOST), names=first_names(best, MOST),
            sure=f"{100 * request.confidence:g}% confidence",
        )  # fmt: skip
        if source.name == DOCUMENTS and measure.is_of_the_top and len(best) < len(rows):
            yield say("many.top", measure=measure.name)


# Rows


def _of_sources(scored: Scored, tables: Sequence[Table], compared: Sequence[OnMeasure]) -> Iterator[str]:
    """Sentences on what limits over each source are for, where these are not plain topics or documents."""
    kind = "difference" if compared else "estimate"
    rows = [as_read(row) for table in tables if table.kind == kind for row in islice(table.rows, LOOKED_AT)]
    sources = [source for source in scored.sources if any(is_of(row, source) for row in rows)]
    if not all(source.observes for source in scored.sources):
        yield from (sentence for source in sources for sentence in source.explained())
        if len(rows) <= MOST * max(len(sources), 1):
            yield from (sentence for source in sources for sentence in source.remarks(rows))
    if compared and any(source.name == BOTH for source in sources):
        yield say("report.both")


def which_to_report(tables: Iterable[Table], kind: Literal["difference", "estimate"] = "difference") -> str:
    """A sentence on which row of a pair, or of a run's mean, to report for which claim; "" unless rows of this kind name
    several sources, whose p, or limits, are known."""
    told_by = "p" if kind == "difference" else "lower"
    rows = (row for table in tables if table.kind == kind for row in islice(table.rows, LOOKED_AT))
    with_limits = (row for row in rows if told_by in row and "population" in row)
    sources = list(dict.fromkeys(str(row["population"]) for row in with_limits if not math.isnan(number(row, told_by))))
    if len(sources) < 2 or TOPICS not in sources:
        return ""
    rows_of_claims = [f"the row over {name} for a claim about {CLAIMS[name]}" for name in CLAIMS if name in sources]
    return f"Report {', and '.join(rows_of_claims)}."


# Points


def sentences_of_points(scored: Scored) -> Iterator[str]:
    """Sentences on what points depend on, and on what a sample of tasks is, where nothing says how topics belong together."""
    yield say("report.points", all=len(scored.runs))
    if not scored.kind:
        yield say("report.tasks")


def means_against_points(scored: Scored, on: Sequence[OnMeasure]) -> Iterator[str]:
    """A sentence on each pair whose means go the other way than points, which ask another question, or one on all if they are
    many."""
    for on_measure in on:
        family, source = on_measure.pairs, scored.sources[0]
        if family is None or on_measure.measure.name not in scored.before:
            continue
        scores = family.comparison.table(scored.before[on_measure.measure.name])
        points = family.over(source).tested.of.value
        against, measure = [], in_words(on_measure.measure.name.removesuffix(BORDA))
        for (run, baseline), more in zip(family.pairs[: on_measure.shown].tolist(), points.tolist(), strict=False):
            shared = ~np.isnan(scores[[run, baseline]]).any(axis=0)
            of_run, of_baseline = (source.mean_of(np.where(shared, scores[row], np.nan)) for row in (run, baseline))
            if (of_run - of_baseline) * more < 0:
                facts = {
                    "run": family.names[run], "baseline": family.names[baseline], "of_run": amount(of_run),
                    "of_baseline": amount(of_baseline), "word": "lower" if more > 0 else "higher",
                    "more": "more" if more > 0 else "fewer",
                }  # fmt: skip
                against.append(facts)
        yield from (
            say("report.against_points", measure=measure, **facts)
            for facts in (against if len(against) <= MOST else ())
        )
        if len(against) > MOST:
            names = first_names([f"{facts['run']} and {facts['baseline']}" for facts in against], MOST)
            yield say(
                "report.many_against_points", count=len(against), all=on_measure.shown, measure=measure, names=names
            )
