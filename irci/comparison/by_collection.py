"""Several collections, those that are listed or that tables of scores name: of each by itself, of all, and how much
differences vary from one to another; in plain words too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, UsageError, first_few, plural, unknown
from irci.base.choices import TOPICS
from irci.base.types import Floats
from irci.comparison.family import Family, Scored
from irci.comparison.means import MOST
from irci.comparison.reading import asked_about, refuse_counts, signature_of
from irci.comparison.rows import Scope
from irci.comparison.sentences import adjusted_in_words, false_findings, how_adjusted, of_families
from irci.comparison.sources.grouped import COLLECTIONS, CollectionSource, all_collections, one_collection
from irci.comparison.study import compared, kinds_and_tests, of_runs, report_of
from irci.comparison.survival import in_populations_asked, read_with, with_claims
from irci.data.collection_files import CollectionFiles, refuse_one
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups, warn_of_topics
from irci.data.score_tables import read_collections, read_tables, rows_of, runs_in_all
from irci.data.scores import Scores, ends_of_scales, lie_within
from irci.estimators.grouped import Groups
from irci.estimators.joint_resamples import POOLED
from irci.estimators.means import holding_both, replaced
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.shown import mean_of
from irci.output.tables import Caption, PValue, Row
from irci.stats.decisions import separated
from irci.stats.meta import random_effects, tau2_limits
from irci.stats.scales import PLAIN
from irci.wording import amount, directions, notify, p_text, say

USELESS = 2  # collections
FEWEST_PREDICTING = 3  # collections: t has two degrees of freedom less
FEW_TOPICS = 20  # for Q, which takes the variances for known: with 6 collections of 8 it errs in 13% where it says 5%


def over_collections(
    request: Asked, inputs: Inputs, collections: Sequence[CollectionFiles] | Sequence[Scores] | None
) -> Report:
    """Means and differences of runs over several collections: those listed, or those of the tables that were read, or are."""
    if collections is None:
        collections = read_tables(inputs, [measure.base for measure in request.measures])
        if len(collections) == 1:
            raise UsageError("--population collections is for several collections: these are scores of one.")
        refuse_one([str(table.collection) for table in collections], ", ".join(inputs.files))
    refuse_counts(request.measures)
    tables, measures, files = read_collections(inputs, collections, request.measures)
    if request.interval == "prediction" and not asked_about(request, [COLLECTIONS]):
        raise UsageError("--interval prediction is for one more collection: needs --population collections.")
    if request.interval == "prediction" and len(tables) < FEWEST_PREDICTING:
        raise DataError(f"--interval prediction needs {FEWEST_PREDICTING} collections or more, not {len(tables)}")
    runs = runs_in_all(tables)
    _check_baseline(request, tables, runs)
    _warn(request, tables, runs)
    reading = read_with(request, inputs) if request.survives else request
    everything = all_collections(reading, tables, measures, runs)
    values = [table.values for table in tables]
    ends = {} if request.interval == "t" else ends_of_scales(measures, values, request.range, inputs.standardise)
    everything = everything._replace(ends=ends)
    of_each = [one_collection(table, measures, ends) for table in tables]
    # One baseline in all collections, whichever run comes first there.
    request, signature = of_runs(request, everything.every_run), signature_of(inputs)
    printed = in_populations_asked(request, everything) if request.survives else everything
    whole = compared(request, printed, inputs)
    report = report_of_collections(request, whole, of_each, signature, inputs)
    if request.survives:
        report = with_claims(report, whole, everything, inputs)
    return report._replace(files=files)


def _check_baseline(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Refuse a baseline that some collection lacks, as one may be that is pooled over other runs there than elsewhere."""
    everywhere = list(dict.fromkeys(run for table in tables for run in table.every_run))
    for baseline in request.baseline:
        lacking = [str(table.collection) for table in tables if baseline not in table.every_run]
        if not lacking:
            continue
        if baseline in POOLED:
            if len(everywhere) > len(runs):
                raise DataError(
                    f"--baseline {baseline}: would be that of other runs in some collections: leave out incomplete runs"
                )
        elif baseline in everywhere:
            raise DataError(f"--baseline {baseline}: not in {first_few(lacking)}")
        else:
            raise DataError(unknown("run", baseline, everywhere))


def _warn(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Say of how little limits over collections, and over their topics, and Q make use."""
    if asked_about(request, [COLLECTIONS]):
        wide = "wide, and assume that collections are alike (--population topics: limits for these collections)"
        wide = "so wide that they say next to nothing" if len(tables) <= USELESS else wide
        warn_of_few_groups(len(tables), "collection", f"limits over collections are {wide}")
    fewest: dict[str, int] = {}  # topics of any run and measure
    for table in tables:
        scored = [(~np.isnan(rows_of(table, name, runs))).sum(axis=1) for name in table.values]
        fewest[str(table.collection)] = int(np.min(scored, initial=len(table.topics)))
    if single := [name for name, topics in fewest.items() if topics == 1]:
        why = "one topic, whose variance cannot be estimated"
        notify("lacking", measure=first_few(single), what="limits over the topics of all collections", who="", why=why)
    few = [name for name, topics in fewest.items() if 1 < topics < FEW_TOPICS]
    if few and request.has_pairs and request.layout != "wide":
        warn_of_topics("Q_p", f"with fewer than {FEW_TOPICS} topics, where Q_p is too small", few, "collection")


FEW = 5  # collections; limits over fewer are hardly of use


def report_of_collections(
    request: Asked, whole: Scope, of_each: Sequence[Scored], signature: Mapping[str, Any], inputs: Inputs
) -> Report:
    """The report on all collections, and on each by itself unless all are asked about alone."""
    has_single = asked_about(request, [TOPICS])
    # Limits of one collection are t's; there are pairs if there are several runs, and no ranks.
    alone = {"compare": False, "baseline": (), "all_pairs": False, "margin": None, "power": False, "fail_if": None}
    of_one = request.replaced(interval=None, ranks=False)
    single = [
        compared(of_one if len(one.every_run) > 1 else of_one.replaced(**alone), one, inputs)
        for one in of_each
        if has_single
    ]
    by_measure: list[Heterogeneity] = []

    def between(pairs: Family) -> Iterator[Row]:
        by_measure.append(between_collections(pairs, groups_of(whole.scored)))
        return by_measure[-1].rows()

    report = report_of(whole, signature, [*single, whole], between)
    _warn_of_no_mean(whole)
    pairs = [
        max((len((on.pairs or on.families[0]).pairs) for on in scope.on if on.families), default=0)
        for scope in (whole, *single)
    ]
    own = report.caption
    return report._replace(
        drawn=None,
        caption=_caption(own, whole, pairs, single) if own is not None and single else own,
        explain=lambda: _sentences(report, whole, single, by_measure, pairs),
        conclude=lambda: chain(report.conclusion, _of_single_ones(whole, single)),
    )


def groups_of(everything: Scored) -> Groups:
    """The collections that topics belong to."""
    source = everything.sources[0]
    assert isinstance(source, CollectionSource)
    return source.groups


def _caption(
    of_mean: Callable[[str], Caption], whole: Scope, pairs: Sequence[int], single: Sequence[Scope]
) -> Callable[[str], Caption]:
    """The caption of a table with a column a collection, before that of their mean; `pairs`: of all, and of each."""
    everything, correction = whole.scored, whole.design.correction
    of_each, instead = kinds_and_tests(
        (family, scope.scored.sources[0])
        for scope in single
        for on in scope.on
        for family in (on.alone, on.pairs)
        if family is not None
    )
    measures = {mean_of(measure.name) for measure in everything.measures}
    quantity, number = measures.pop() if len(measures) == 1 else "means", groups_of(everything).number
    topics = plural(len(everything.topics), "topic")
    by_itself = ", each column by itself" + f" (up to {max(pairs)} pairs)" * (max(pairs) > pairs[0])
    if pairs[0] == 1:  # which is adjusted for no other, unlike those of single collections
        by_itself = f", {adjusted_in_words(correction)}{by_itself}"

    columns = _columns(everything)
    selection = [false_findings(f"{columns} columns", columns, whole.design, pairs=max(pairs))]

    def caption(population: str) -> Caption:
        mean = of_mean(population)
        limits = f"; of single collections {of_each}" if of_each != "t" else ""
        over_topics = ""
        if population != TOPICS:
            limits, over_topics = f", of single collections over their topics ({of_each})", " over their topics"
        test = mean.test + by_itself if mean.test and max(pairs) > 1 else mean.test
        if mean.test and (over_topics or instead not in mean.test):
            test += f"; of single collections{over_topics}{instead}"
        return mean._replace(
            means=f"{quantity[:1].upper()}{quantity[1:]} on each of {number} collections ({topics} in all), and over all,"
            " collections weighted equally",
            limits=f"{mean.limits}{limits}", test=test,
            selection=selection if mean.test else [],
        )  # fmt: skip

    return caption


def _columns(everything: Scored) -> int:
    """Number of means of a run: of each measure, on each collection and over all."""
    return sum(not measure.is_count for measure in everything.measures) * (1 + groups_of(everything).number)


def _warn_of_no_mean(whole: Scope) -> None:
    of_means = [] if whole.request.no_summary else [on.alone for on in whole.on if not on.measure.is_count]
    lacking = {
        (*names.values(),)
        for family in (*of_means, *whole.paired)
        for source in whole.scored.sources
        for names, value in zip(family.names_of_pairs(), family.over(source).tested.of.value.tolist(), strict=True)
        if math.isnan(value)
    }
    if lacking:
        why = "in some collection no topic is scored by all that it is of"
        notify("lacking", measure="collections", what=plural(len(lacking), "mean"), who=" over collections", why=why)


def _sentences(
    report: Report, whole: Scope, single: Sequence[Scope], by_measure: Sequence[Heterogeneity], pairs: Sequence[int]
) -> Iterator[str]:
    """Sentences on all collections, on how single ones differ, and on families; `pairs`: of all, and of single ones."""
    request, everything, has_pairs = whole.request, whole.scored, any(scope.paired for scope in (*single, whole))
    narrower = of_families(whole.on, one_population=False) if single and request.family == "each" else ()
    yield from [sentence for sentence in report.sentences if sentence not in {*narrower}]
    yield from _of_single_ones(whole, single)
    for heterogeneity in by_measure:
        yield from heterogeneity.sentences()
    if has_pairs and max(pairs) > 1:
        of_pairs = "up to " * (len(set(pairs)) > 1) + str(max(pairs))
        by_itself = "each measure, each single collection and each population over all collections"
        yield how_adjusted(
            of_pairs, whole.design.correction, of_each=by_itself, otherwise="holm" if request.survives else None
        )
    number = groups_of(everything).number
    if single:
        if has_pairs and request.family == "each":
            measures = plural(len(everything.measures), "measure")
            yield false_findings(
                f"{measures} on each of {number} collections and over all",
                _columns(everything),
                whole.design,
                pairs=max(pairs),
            )
        yield say("collections.rows")
    if number < FEW and any(
        source.groups_vary for source in everything.sources if isinstance(source, CollectionSource)
    ):
        yield say("collections.few", number=number)


def _of_single_ones(whole: Scope, single: Sequence[Scope]) -> Iterator[str]:
    """In how many collections each of a few pairs differs: its run scores higher, and in which significantly less."""
    names = {(*pair.values(),) for scope in (*single, whole) for of in scope.paired for pair in of.names_of_pairs()}
    for measure in whole.scored.measures if len(names) <= MOST else ():
        yield from _of_each_pair(
            measure, [(scope, family) for scope in single for family in scope.paired if family.measure is measure]
        )


def _of_each_pair(measure: Measure, single: Sequence[tuple[Scope, Family]]) -> Iterator[str]:
    by_pair: dict[tuple[str, ...], list[tuple[str, float, bool]]] = {}
    for scope, family in single:
        over = family.over(scope.scored.sources[0])
        is_sure, pairs = separated(over.p_adjusted, family.alpha).tolist(), family.names_of_pairs()
        for pair, value, sure in zip(pairs, over.tested.of.value.tolist(), is_sure, strict=True):
            if value == value:
                by_pair.setdefault((*pair.values(),), []).append((scope.scored.where, value, sure))
    more, less = directions(measure)
    for (run, baseline), of_collections in by_pair.items():
        up, down = (
            [name for name, value, sure in of_collections if sure and (value > 0) == is_up] for is_up in (True, False)
        )
        yield say(
            "collections.single", measure=measure.name, run=run, baseline=baseline, more=more, less=less,
            all=len(of_collections), higher=sum(value > 0 for _, value, _ in of_collections), up=len(up) or "none",
            down=len(down) or "none", where=f": {first_few(down)}" if down else "",
        )  # fmt: skip


# How much a difference varies between collections (Cochran's Q)


class Heterogeneity(NamedTuple):
    """How much the differences of a family vary between collections: Q, its p, I^2, tau and its limits, float64[6, P]; and Q's
    degrees of freedom."""

    family: Family
    q: Floats
    df: int

    def rows(self) -> Iterator[Row]:
        """A row for each pair."""
        for names, (q, p, *variation) in zip(self.family.names_of_pairs(), self.q.T.tolist(), strict=True):
            i2_tau_and_limits = zip(("I2", "tau", "lower", "upper"), variation, strict=True)
            yield {**names, "Q": q, "df": self.df, "Q_p": PValue(p), **dict(i2_tau_and_limits)}

    def sentences(self) -> Iterator[str]:
        """A sentence a pair, or one on all if they are many."""
        is_known, measure = ~np.isnan(self.q[0]), self.family.measure.name
        varies = separated(self.q[1], self.family.alpha)
        if is_known.sum() > MOST:
            count = int(varies[is_known].sum()) or "none"
            yield say("collections.many_vary", measure=measure, count=count, pairs=int(is_known.sum()))
            return
        for names, (q, p, _, *spread), is_so in zip(
            self.family.names_of_pairs(), self.q.T.tolist(), varies, strict=True
        ):
            if q == q:
                tau, lower, upper = map(amount, spread)
                facts = {**names, "measure": measure, "p": p_text(p), "tau": tau, "lower": lower, "upper": upper}
                yield say("collections.varies" if is_so else "collections.open", **facts)
        if is_known.any():
            yield say("collections.limits")


def between_collections(family: Family, groups: Groups) -> Heterogeneity:
    """How much the differences of each pair vary from collection to collection, `groups` of topics."""
    # Each difference on the topics that its own runs have.
    alone = replace(family, design=family.design._replace(correction="none"), measures=[])
    statistics, limits = _heterogeneity(alone, groups)
    if (without := alone.without_lacking) is not None:
        lacks = alone.lacks_topics(alone.scored.sources[0])
        of_fewer, limits_of_fewer = _heterogeneity(without, groups)
        statistics = np.where(lacks & ~(of_fewer[1] <= statistics[1]), of_fewer, statistics)
        limits_both = holding_both((limits[0], limits[1]), (limits_of_fewer[0], limits_of_fewer[1]))
        limits = np.array(replaced((limits[0], limits[1]), lacks, limits_both))
    if unknown := int(np.isnan(statistics[0]).sum()):
        pairs = plural(unknown, "pair")
        why = "their variance cannot be estimated in some collection"
        notify("lacking", measure=family.measure.name, what="Q", who=f" for {pairs}", why=why)
    return Heterogeneity(family, np.vstack((statistics, limits)), groups.number - 1)


def _heterogeneity(family: Family, groups: Groups) -> tuple[Floats, Floats]:
    """Q, its p, I^2 and tau [4, P] of pairs, nan where the variance cannot be estimated in some collection; and limits
    [2, P] of tau, at most half of the range of differences, the largest standard deviation of true differences of scores
    that have ends (T. Popoviciu, Mathematica 9, 1935)."""
    request, measure, values = family.request, family.measure, family.values
    effects, errors = groups.in_each(values, family.pairs)
    is_plain = measure.scale() == PLAIN and family.scored.signature.get("standardise") is None
    ends = (request.range or measure.ends) if is_plain else None
    is_on_scale = ends is not None and lie_within(values[~np.isnan(values)], ends)
    most = ends[1] - ends[0] if ends is not None and is_on_scale else math.inf
    statistics, limits = np.full((4, len(effects)), np.nan), np.empty((2, len(effects)))
    for index, (effect, error) in enumerate(zip(effects, errors, strict=True)):
        if (error > 0).all():
            model = random_effects(effect, error)
            statistics[:, index] = model.q, model.q_p, model.i2, math.sqrt(model.tau2)
        limits[:, index] = np.sqrt(np.minimum(tau2_limits(effect, error, request.confidence), most**2))
    return statistics, limits
