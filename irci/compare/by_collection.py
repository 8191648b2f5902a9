"""A report on several collections: of each by itself, of all, and how much differences vary from one to another;
in plain words too."""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS, PairCorrection
from irci.base.errors import logger
from irci.base.names import first_few, plural
from irci.compare.between import between_collections
from irci.compare.captions import OF_CORRECTION, tests_instead
from irci.compare.family import Scored
from irci.compare.family_sentences import how_adjusted, limits_hold
from irci.compare.missing_rows import of_those_made, without_missing
from irci.compare.request import Request
from irci.compare.rows import kinds_of_limits
from irci.compare.study import Scope, compared, correction_over
from irci.compare.wording import MOST, amount, directions, kinds_in_words, number, p_text
from irci.data.collection_files import MEAN
from irci.estimators.compare.grouped import Groups
from irci.estimators.joint_resamples import Comparison
from irci.measures import named
from irci.output.report import Report
from irci.output.tables import NO_WORD, Caption, Row, Table, tables
from irci.output.wording import mean_of
from irci.stats.decisions import separated


def scopes_of(request: Request, whole: Scope, each: Sequence[Scored], threads: int) -> list[Scope]:
    """Each collection by itself, unless all are asked about alone, and all of them."""
    if request.population is not None and TOPICS not in request.population:
        return [whole]
    return [*(compared(_of_one(request, one), one, threads) for one in each), whole]


def heterogeneity_of(whole: Scope) -> Callable[[str], Iterator[Table]]:
    """How much differences on a measure vary from collection to collection."""

    def between(measure: str) -> Iterator[Table]:
        on = next(on for on in whole.on if on.measure.name == measure)
        if on.pairs is not None:
            yield from tables("heterogeneity", measure, between_collections(on.pairs.unadjusted, _groups(whole.scored)))

    return between


def in_words(of_all: Report, request: Request, whole: Scope, scopes: Sequence[Scope]) -> Report:
    """The report with what is said of single collections beside all of them."""
    everything, of_mean, has_single = whole.scored, of_all.caption, len(scopes) > 1
    _warn_of_no_mean(of_all.tables)
    assert of_mean is not None
    pairs = [_pairs(of_those_made(request, scope.scored), scope.scored.runs) for scope in (whole, *scopes[:-1])]
    caption = _with_columns(of_mean, request, everything, pairs, scopes[:-1]) if has_single else of_mean
    found = without_missing(of_all.tables, everything)
    return of_all._replace(
        drawn=None,
        caption=caption,
        explain=lambda: sentences(of_all, found, request, everything, pairs),
    )


def _groups(everything: Scored) -> Groups:
    groups: Groups = everything.sources[0].groups  # type: ignore[attr-defined]
    return groups


def _pairs(request: Request, runs: Sequence[str]) -> int:
    if request.ranks and not request.has_pairs:
        return math.comb(len(runs), 2)
    is_one = len(runs) < 2 or not request.has_pairs
    return 0 if is_one else len(Comparison.of(runs, request.baseline, True, request.all_pairs, alone=False).pairs)


def _with_columns(
    of_mean: Callable[[str], Caption],
    request: Request,
    everything: Scored,
    pairs: Sequence[int],
    single: Sequence[Scope],
) -> Callable[[str], Caption]:
    """The caption of a table with a column a collection, before that of their mean; `pairs`: of all, and of each."""
    correction = correction_over(request, everything.sources)
    kinds, tests = set(), set()
    for scope in single:
        for on in scope.on:
            source = scope.scored.sources[0]
            for family in filter(None, (on.alone, on.pairs)):
                tested = family.over(source).tested
                kinds |= {str(kind) for kind in kinds_of_limits(family, source, tested)} - {NO_WORD}
                tests |= {*tested.test}
    of_each, instead = kinds_in_words(kinds), tests_instead(tests)
    measures = {mean_of(measure.name) for measure in everything.measures}
    what = measures.pop() if len(measures) == 1 else "means"
    topics = plural(len(everything.topics), "topic")
    means = f"{what[:1].upper()}{what[1:]} on each of {_groups(everything).number} collections ({topics} in all), and over all"
    by_itself = ", each column by itself" + f" (up to {max(pairs)} pairs)" * (max(pairs) > pairs[0])
    if pairs[0] == 1:  # which is adjusted for no other, unlike those of single collections
        by_itself = f", {OF_CORRECTION[correction]}{by_itself}"

    def caption(shown: str) -> Caption:
        mean = of_mean(shown)
        limits = f"; of single collections {of_each}" if kinds - {"t"} else ""
        topics_of_each = ""
        if shown != TOPICS:
            limits, topics_of_each = f", of single collections over their topics ({of_each})", " over their topics"
        test = mean.test + by_itself if mean.test and max(pairs) > 1 else mean.test
        if mean.test and (topics_of_each or instead not in mean.test):
            test += f"; of single collections{topics_of_each}{instead}"
        columns = _columns(everything)
        families = list(_of_columns(f"{columns} columns", columns, max(pairs), correction, request.alpha))
        families = families if mean.test else []
        means_of = f"{means}, collections weighted equally"
        return mean._replace(means=means_of, limits=f"{mean.limits}{limits}", test=test, selection=families)

    return caption


def _columns(everything: Scored) -> int:
    """Number of means of a run: of each measure, on each collection and over all."""
    return sum(not measure.is_count for measure in everything.measures) * (1 + _groups(everything).number)


def _of_columns(told: str, columns: int, pairs: int, correction: PairCorrection, alpha: float) -> Iterator[str]:
    """The chance of a false finding in any column, each of which has a family of its own, if these were independent; `told`:
    which there are."""
    if pairs > 1 and correction == "bh":
        yield f"{told}, {columns} families: the false discovery rate holds for each of them by itself."
        return
    tests = columns * pairs if correction == "none" else columns
    counted = f"{tests} tests" if correction == "none" else f"{tests} families"
    yield f"{told}, {counted}: the chance of some false finding is up to {1 - (1 - alpha) ** tests:.0%}."


def _of_one(request: Request, one: Scored) -> Request:
    """The request of one collection, whose limits are t's: pairs if there are any, in the family that ranks make of all."""
    request = request._replace(interval=None)
    if len(one.every_run) < 2:
        return request._replace(
            compare=False, baseline=None, all_pairs=False, ranks=False, adjusted_limits=False,
            margin=None, power=False, fail_if=None,
        )  # fmt: skip
    return request._replace(ranks=False)


def _warn_of_no_mean(found: Sequence[Table]) -> None:
    rows = [row for table in found for row in table.rows if row.get("collection") == MEAN]
    lacking = {(row["run"], row.get("baseline")) for row in rows if math.isnan(float(row["value"] or 0))}
    if lacking:
        means = plural(len(lacking), "mean")
        logger.warning(f"no {means} over collections: in some collection no topic is scored by all that it is of")


FEW = 5  # collections; limits over fewer are hardly of use


def sentences(
    of_all: Report, found: Sequence[Table], request: Request, everything: Scored, pairs: Sequence[int]
) -> Iterator[str]:
    """Sentences on all collections, on how single ones differ, and on what each kind of row is for; `pairs`: as many as each
    family has, that of all collections and those of single ones."""
    told = of_all.sentences
    general = [
        each for each in told if each.startswith(("Rows over", "The adjusted p", "The p that decides", "Signs of"))
    ]
    measures, correction = plural(len(everything.measures), "measure"), correction_over(request, everything.sources)
    # Of measures alone, where single collections are families too.
    fewer = () if _is_of_all_alone(request) else [each for each in told if each.startswith(f"{measures}, ")]
    yield from (each for each in told if each not in (*general, *fewer))
    differences = [table for table in found if table.kind == "difference"]
    if len({(row["run"], row["baseline"]) for table in differences for row in table.rows}) <= MOST:
        for table in differences:
            yield from _in_single_ones(table, request)
    for table in found:
        if table.kind == "heterogeneity":
            yield from _of_heterogeneity(table, request)
    yield from (each for each in general if each.startswith("Rows over"))
    rows = [row for table in differences for row in table.rows]
    if rows and max(pairs) > 1:
        of_pairs = "up to " * (len(set(pairs)) > 1) + str(max(pairs))
        by_itself = "each measure, each single collection and each population over all collections"
        otherwise: PairCorrection | None = "holm" if request.survives else None
        yield from how_adjusted(of_pairs, correction, each=by_itself, otherwise=otherwise)
        yield from limits_hold(correction)
    if rows and not _is_of_all_alone(request):
        where = f"{measures} on each of {_groups(everything).number} collections and over all"
        yield from _of_columns(where, _columns(everything), max(pairs), correction, request.alpha)
    yield from (each for each in general if not each.startswith("Rows over"))
    yield from _of_rows(request, everything)


def _is_of_all_alone(request: Request) -> bool:
    """True if no rows of single collections stand beside those of all, or if all measures are one family."""
    return not (request.population is None or TOPICS in request.population) or request.family != "each"


def _of_rows(request: Request, everything: Scored) -> Iterator[str]:
    if request.population is None or TOPICS in request.population:
        yield "Rows of a single collection are about other topics of that collection, as those of map-ci for it alone are."
    if everything.signature["num_collections"] < FEW and request.population != (TOPICS,):
        collections = plural(everything.signature["num_collections"], "collection")
        yield f"With only {collections}, limits over collections are valid, but so wide that they are of little use."


def _in_single_ones(table: Table, request: Request) -> Iterator[str]:
    by_pair: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        if row["collection"] != MEAN and not math.isnan(number(row, "value")):
            by_pair.setdefault((str(row["run"]), str(row["baseline"])), []).append(row)
    for (run, baseline), rows in by_pair.items():
        p = np.array([number(row, "p_adjusted") for row in rows])
        sure = separated(np.nan_to_num(p, nan=1.0), 1 - request.confidence).tolist()
        higher = [row for row in rows if number(row, "value") > 0]
        up, down = (
            [
                str(row["collection"])
                for row, is_sure in zip(rows, sure, strict=True)
                if is_sure and (row in higher) == is_up
            ]
            for is_up in (True, False)
        )
        where = f": {first_few(down)}" if down else ""
        more, less = directions(named(table.measure))
        yield (
            f"In {table.measure}, {run} scores {more} than {baseline} in {len(higher)} of {plural(len(rows), 'collection')},"
            f" significantly in {len(up) or 'none'}; significantly {less} in {len(down) or 'none'}{where}"
            " (p not adjusted for the number of collections)."
        )


def _of_heterogeneity(table: Table, request: Request) -> Iterator[str]:
    """A sentence a pair, or one on all if they are many."""
    rows = [row for row in table.rows if not math.isnan(number(row, "Q"))]
    alpha = 1 - request.confidence
    if len(rows) > MOST:
        count = int(separated(np.array([number(row, "Q_p") for row in rows]), alpha).sum())
        yield (
            f"In {table.measure}, the differences of {count or 'none'} of {len(rows)} pairs vary from collection to"
            " collection more than chance explains (by Q, p not adjusted)."
        )
        return
    for row in rows:
        who = f"In {table.measure}, the difference of {row['run']} minus {row['baseline']}"
        p = number(row, "Q_p")
        if separated(np.array([p]), alpha)[0]:
            yield (
                f"{who} varies from collection to collection more than chance explains (Q, {p_text(p, 'p')}): true"
                f" differences have a standard deviation of about {amount(number(row, 'tau'))}"
                f" ({amount(number(row, 'tau_lower'))} to {amount(number(row, 'tau_upper'))})."
            )
        else:
            yield (
                f"{who} varies from collection to collection no more than chance may explain (Q, {p_text(p, 'p')}); that"
                f" does not show that it is the same in all (standard deviation up to {amount(number(row, 'tau_upper'))})."
            )
    if rows:
        yield "95% limits of this standard deviation missed it in 5 to 13% of simulated experiments."
