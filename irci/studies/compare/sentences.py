"""The result in plain words: pairs one by one, or counted where they are many; means; ranks; what rows are for."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS
from irci.base.names import BORDA, NAMED, first_names
from irci.base.types import Ints
from irci.data.measures import named
from irci.methods.compare.differences import mean_values
from irci.output.tables import PValue, Row, Table, as_read
from irci.output.wording import in_words
from irci.stats.decisions import separated
from irci.studies.compare.best import sentences_of_best
from irci.studies.compare.edge_sentences import sentences_of_hits
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.pair_sentences import Claims, Finding, Pair, Terms, observed, sentences_of_pair
from irci.studies.compare.reported import which_to_report
from irci.studies.compare.request import SCALES, Request
from irci.studies.compare.row_sentences import (
    counted,
    how_adjusted,
    is_of,
    limits_hold,
    otherwise,
    sentences_of_family,
    sentences_of_row,
)
from irci.studies.compare.rows import DifferenceCells, OnMeasure, difference_name, rows_of_differences
from irci.studies.compare.selection import counted_as_one, sentences_of_selection
from irci.studies.wording import (
    MOST,
    amount,
    direction,
    directions,
    means_in,
    number,
    sentences_of_means,
    sentences_on_verdicts,
    too_sure,
    verdict_of,
)

MOST_PAIRS = 6  # whose means are told beside their differences
BOTH_IS_CAUTIOUS = (
    "Limits over both count the documents twice, because the topics' scores already vary with them: the row over topics"
    " answers for new topics with new documents."
)


def explanation(request: Request, scored: Scored, found: Sequence[Table], on: Sequence[OnMeasure]) -> Iterator[str]:
    """Sentences on the pairs compared, or else the means; on ranks; and on what rows are for."""
    compared = [each for each in on if each.pairs is not None and each.shown]
    if all(source.observes for source in scored.sources):
        yield from _of_plain_topics(request, scored, found, on, compared)
    else:
        yield from _of_sources(request, scored, found, compared)
    if told := which_to_report(found, "difference" if compared else "estimate"):
        yield told
    yield from sentences_of_best(on)
    yield from counted_as_one(on, scored.sources)
    if not scored.where:
        yield from sentences_of_selection(request, on)


def sentences_of_points(scored: Scored) -> Iterator[str]:
    """Sentences on what points depend on, and on what a sample of tasks is, where nothing says how topics belong together."""
    yield (
        f"Points are the number of runs that a run beats on a topic, half of one for a tie: they depend on which"
        f" {len(scored.runs)} runs are on the board, and with others on it even the order of two runs may change."
    )
    if not scored.kind:
        yield (
            "Where topics are tasks, limits are for other tasks of this kind, of which these are taken for a random sample;"
            " tasks made alike, of one family, are no such sample (--clusters)."
        )


def means_against_points(scored: Scored, on: Sequence[OnMeasure]) -> Iterator[str]:
    """A sentence on each pair whose means go the other way than points, which ask another question, or one on all if they are
    many."""
    for each in on:
        family, source = each.pairs, scored.sources[0]
        if family is None or each.measure.name not in scored.before:
            continue
        scores = family.comparison.table(scored.before[each.measure.name])
        points = family.over(source).tested.of.value
        against, measure = [], in_words(each.measure.name.removesuffix(BORDA))
        for (run, baseline), more in zip(family.pairs[: each.shown].tolist(), points.tolist(), strict=False):
            shared = ~np.isnan(scores[[run, baseline]]).any(axis=0)
            both = [source.mean_of(np.where(shared, scores[row], np.nan)) for row in (run, baseline)]
            if (both[0] - both[1]) * more < 0:
                against.append((family.names[run], family.names[baseline], *map(amount, both), more > 0))
        for run, baseline, mean, of_baseline, is_more in against if len(against) <= MOST else ():
            what = ("lower", "more") if is_more else ("higher", "fewer")
            means = f"({mean} against {of_baseline})"
            yield f"On average, {run} scores {what[0]} than {baseline} in {measure} {means}, though it has {what[1]} points."
        if len(against) > MOST:
            named = first_names([f"{run} and {baseline}" for run, baseline, *_ in against], MOST)
            yield f"In {len(against)} of {each.shown} pairs means of {measure} go the other way than points: {named}."


def _of_plain_topics(
    request: Request, scored: Scored, found: Sequence[Table], on: Sequence[OnMeasure], compared: Sequence[OnMeasure]
) -> Iterator[str]:
    if request.has_pairs:
        for each in compared:
            yield from _of_pairs(each, scored.sources)
    yield from _of_ranks_and_combinations(request, scored, found, on)
    if request.has_pairs:
        for first in [each for each in compared if each.finds][:1]:
            yield from _of_plain_family(first, scored.sources)
        return
    other = "as many" if request.new_topics is None else str(request.new_topics)
    predicted = other if request.interval == "prediction" else ""
    yield from sentences_of_means(means_in(found), request.confidence, TOPICS, predicted)
    yield from sentences_of_hits(on, scored.sources, request.confidence)


def _of_ranks_and_combinations(
    request: Request, scored: Scored, found: Sequence[Table], on: Sequence[OnMeasure]
) -> Iterator[str]:
    for table in found:
        if table.kind == "rank":
            yield from sentences_of_ranks(table, request, scored.sources)
        elif table.kind == "meta" and request.meta is not None:
            from irci.studies.compare.meta import sentences_of_meta

            of_base = next(each for each in on if each.measure.base.name == table.measure)
            family = of_base.pairs if request.has_pairs and of_base.pairs is not None else of_base.alone
            yield from sentences_of_meta(table, request.meta, family)


def _of_pairs(on: OnMeasure, sources: Sequence[Source]) -> Iterator[str]:
    assert on.pairs is not None
    if not on.finds:
        if on.shown <= MOST_PAIRS:
            terms = terms_of(on.pairs, sources)
            yield from (observed(pair_of(on, place, sources), terms) for place in range(on.shown))
        return
    if on.shown <= MOST_PAIRS:
        terms = terms_of(on.pairs, sources)
        for place in range(on.shown):
            yield from sentences_of_pair(pair_of(on, place, sources), terms)
    else:
        for source in sources:
            yield from _counted(on, source)
            yield from _verdicts(on, source)
    if any(source.name == BOTH for source in sources):
        yield BOTH_IS_CAUTIOUS


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
    family = on.pairs
    assert family is not None
    scale = family.request.scale(family.measure)
    run, baseline = family.pairs[place].tolist()
    means = mean_values(family.values, family.pairs[place : place + 1])
    of_run, of_baseline = (float(scale.back(each)[0]) for each in means)
    over = {source.name: _finding(family, place, source) for source in sources}
    difference = float(family.over(sources[0]).tested.of.value[place])
    topics = next((source for source in sources if source.name == TOPICS), None)
    claims = None if topics is None or not on.finds else _claims(on, place, topics)
    return Pair(family.names[run], baseline_of(family, baseline), of_run, of_baseline, difference, over, claims)


def baseline_of(family: Family, place: int) -> str:
    """The name that sentences give what runs are compared with; `place`: its place among the runs."""
    name = family.names[place]
    return f"the {name} of all runs" if family.comparison.pooled else name


def _finding(family: Family, place: int, source: Source) -> Finding:
    found = family.over(source)
    row = as_read(DifferenceCells(family, [source], {}).row(place, source))
    p, p_adjusted = (PValue(each[place], source.least_p) for each in (found.tested.p, found.p_adjusted))
    topics = int(found.tested.of.units[place]) if source.name == TOPICS else 0
    return Finding(number(row, "lower"), number(row, "upper"), p, p_adjusted, str(row.get("test", "")), topics)


def _claims(on: OnMeasure, place: int, topics: Source) -> Claims:
    found = on.resolution(topics)
    within, margin = found.equivalence, on.alone.request.margin
    needed = math.nan if found.power is None else float(found.topics_needed[place])
    return Claims(
        found.verdict[place], found.reason[place], float(found.smallest_p[place]),
        None if within is None else float(within.margin[place]),
        math.nan if within is None else float(within.p_adjusted[place]),
        float(found.detectable[place]), needed,
        str(margin) if margin is not None and margin.is_share else "", found.how_few(place),
    )  # fmt: skip


def signs_of(on: OnMeasure, source: Source) -> Ints:
    """int64[P]: 1 or -1 where a pair differs significantly, as the test points, else 0."""
    assert on.pairs is not None
    if source.name == TOPICS:
        verdicts = on.resolution(source).verdict
        return np.array([(each == "better") - (each == "worse") for each in verdicts], np.int64)
    found = on.pairs.over(source)
    significant = separated(np.nan_to_num(found.p_adjusted[: on.shown], nan=1.0), on.pairs.request.alpha)
    return np.where(significant, np.sign(found.tested.of.value[: on.shown]), 0).astype(np.int64)


def _counted(on: OnMeasure, source: Source) -> Iterator[str]:
    family = on.pairs
    assert family is not None
    signs, pairs, measure = signs_of(on, source), family.pairs[: on.shown], family.measure.name
    adjusted = terms_of(family, ()).p_name
    if family.request.all_pairs:
        of_pairs = f"{int(np.count_nonzero(signs)) or 'none'} of {len(signs)} pairs of runs"
        yield f"{source.among}, {of_pairs} differ significantly in {measure} (by {adjusted})."
    else:
        baseline = baseline_of(family, int(pairs[0, 1]))
        order = np.argsort(-np.abs(family.over(source).tested.of.value[: on.shown]), kind="stable")
        for sign, word in zip((1, -1), directions(family.measure), strict=True):
            names = [family.names[int(pairs[place, 0])] for place in order if signs[place] == sign]
            which = f": {first_names(names)}" if names else ""
            yield (
                f"{source.among}, {len(names) or 'none'} of {len(signs)} runs score significantly {word}"
                f" in {measure} than {baseline} (by {adjusted}){which}."
            )
    unclear = np.flatnonzero(signs == 0)
    if len(unclear):
        left = [" and ".join(family.names[side] for side in pairs[place]) for place in unclear[:NAMED]]
        which = f": {first_names(left)}" if len(unclear) <= NAMED else ""
        of_pairs = "all of them" if len(unclear) == len(signs) else f"the other {len(unclear)}"
        word = directions(family.measure)[0]
        yield f"For {of_pairs}, there is not enough evidence to tell which run scores {word}{which}."
    if source.name == DOCUMENTS and family.measure.is_of_the_top and signs.any():
        yield f"But {too_sure(family.measure)}."


def _verdicts(on: OnMeasure, source: Source) -> Iterator[str]:
    """How many of many pairs have which verdict, and what topics they need, if that is asked for."""
    request = on.alone.request
    if not source.tells_verdicts or not (request.power or request.margin is not None):
        return
    found, measure = on.resolution(source), on.measure
    needed = np.empty(0) if found.power is None else found.topics_needed
    words = [verdict_of(verdict, measure) for verdict in found.verdict]
    yield from sentences_on_verdicts(source.among, measure.name, words, needed.tolist())


def _of_plain_family(on: OnMeasure, sources: Sequence[Source]) -> Iterator[str]:
    assert on.pairs is not None
    design, pairs = on.pairs.design, on.pairs.number
    if pairs == 1:
        return
    request, how = on.pairs.request, otherwise(on.pairs, sources)
    yield from how_adjusted(str(pairs), design.correction, request.family, otherwise=how)
    rows = rows_of_differences(on.pairs, on.shown, sources, {})
    yield from limits_hold(request, rows, design.correction, str(pairs))


def sentences_of_ranks(table: Table, request: Request, sources: Sequence[Source]) -> Iterator[str]:
    """Which runs may be the best by a measure, a sentence or two a source."""
    by_source = {source.key: source for source in sources}
    for name, source in by_source.items():
        rows = [row for row in table.rows if is_of(row, source)]
        if not rows:
            continue
        measure = named(table.measure)
        first = "best" if measure.more_is_better else "highest"
        best = [str(row["run"]) for row in sorted(rows, key=lambda row: int(row["value"] or 0)) if row["lower"] == 1]
        runs, sure = f"{len(rows)} runs in {table.measure}", f" ({100 * request.confidence:g}% confidence)"
        if len(best) == 1:
            yield f"{source.among}, {best[0]} is the {first} of {runs}{sure}."
        elif len(best) == len(rows):
            either = "either run" if len(rows) == 2 else f"any of the {len(rows)} runs"
            yield f"{source.among}, {either} may be the {first} in {table.measure}."
        else:
            these = f"these {len(best)}{sure}" + ", whose lower is 1" * (len(best) > MOST)
            yield f"{source.among}, the {first} of {runs} is one of {these}: {first_names(best, MOST)}."
        if name == DOCUMENTS and measure.is_of_the_top and len(best) < len(rows):
            yield f"But {too_sure(measure)}."


def _of_sources(
    request: Request, scored: Scored, found: Sequence[Table], compared: Sequence[OnMeasure]
) -> Iterator[str]:
    differences = [table for table in found if table.kind == "difference"]
    told = differences or [table for table in found if table.kind == "estimate"]
    every = [as_read(row) for table in told for row in table.rows]
    sources = [source for source in scored.sources if any(is_of(row, source) for row in every)]
    unfound = {difference_name(each.measure, request.scale(each.measure)) for each in compared if not each.finds}
    rows = [row for row in every if row["measure"] not in unfound]
    few = len(rows) <= MOST * max(len(sources), 1)
    if few:
        for row in rows:
            source = next(source for source in sources if is_of(row, source))
            yield from sentences_of_row(row, source, request, *in_family(row, source, compared))
        seen = (row for row in every if row["measure"] in unfound and not math.isnan(number(row, "value")))
        yield from dict.fromkeys(map(_seen, seen))
    elif differences:
        yield from counted(rows, sources, request)
        for each in (each for each in compared if each.finds):
            for source in sources:
                yield from _verdicts(each, source)
    yield from _of_ranks_and_combinations(request, scored, found, compared)
    in_row_order = dict.fromkeys(row["population"] for row in rows)
    for name in in_row_order:
        yield from next(source for source in sources if source.name == name).explained()
    if few:
        for source in sources:
            yield from source.remarks(rows)
    if differences:
        yield from sentences_of_family(request, scored, rows, next(each for each in compared if each.finds))


def _seen(row: Row) -> str:
    measure, value = str(row["measure"]).removesuffix("_diff"), number(row, "value")
    if value == 0:
        return f"{row['run']} and {row['baseline']} have equal means in {measure}."
    return f"{row['run']} scores {amount(abs(value))} {direction(value, named(measure))} in {measure} than {row['baseline']}."


def in_family(row: Row, source: Source, compared: Sequence[OnMeasure]) -> tuple[int, str]:
    """The number of pairs that the p of a row is adjusted for, and on how few units its two runs differ, if too few."""
    for each in compared:
        family = each.pairs
        if (
            family is None
            or "baseline" not in row
            or row["measure"] != difference_name(family.measure, family.request.scale(family.measure))
        ):
            continue
        pair = [family.names.index(str(row[side])) for side in ("run", "baseline")]
        place = family.pairs[: each.shown].tolist().index(pair)
        few = each.resolution(source).how_few(place) if "verdict" in row and source.tells_verdicts else ""
        return family.number, few
    return 1, ""
