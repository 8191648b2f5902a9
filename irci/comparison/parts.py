"""Parts of what means are over, each by itself beside the whole: slices of the topics; several collections, those that are
listed or that tables of scores name.

Differences in slices are one family, of all pairs in all of them, under the same signs of topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from irci.base import DataError, UsageError, first_few, plural, unknown
from irci.base.choices import TOPICS
from irci.comparison import reading
from irci.comparison.between import (
    between_collections,
    between_slices,
    rows_between,
    sentences_between_collections,
    sentences_between_slices,
)
from irci.comparison.family import Family
from irci.comparison.reading import asked_about, signature_of
from irci.comparison.rows import Scope
from irci.comparison.sentences import adjusted_in_words, false_findings, of_families
from irci.comparison.sources import Topics
from irci.comparison.sources.grouped import COLLECTIONS, GroupSource, all_collections, one_collection
from irci.comparison.study import caption as caption_of
from irci.comparison.study import compared, correction_over, kinds_over, of_runs, on_measures, report_of, tests_instead
from irci.comparison.survival import in_populations_asked, with_claims
from irci.data.inputs import Inputs
from irci.data.rules import ALL, GroupedTopics, grouped_topics
from irci.data.score_tables import joined, read_collections
from irci.data.scores import Scores, ends_of_scales
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Caption, mean_of
from irci.stats.power import fewest_units
from irci.stats.tests import POOLED
from irci.wording import kinds_in_words, notify, say, warn_of_few_groups, warn_of_topics

ALL_TOPICS = "all topics"  # in pictures
USELESS = 2  # collections: limits over so few say next to nothing
FEWEST_PREDICTING = 3  # collections: t has two degrees of freedom less
FEW_TOPICS = 20  # for Q, which takes the variances for known: with 6 collections of 8 it errs in 13% where it says 5%


# Slices


def in_slices(request: Asked, inputs: Inputs) -> Report:
    """The report on all topics and on each slice of them."""
    request = request.replaced(population=(TOPICS,))
    everything = reading.on_topics(request, inputs)
    slices = grouped_topics(request.slices, "slice", everything.topics, are_all=inputs.topics is None)
    correction = request.correction or "maxt"
    signature = {
        "slices": request.slices.given, **everything.signature, "num_slices": len(slices.names),
        "correction_in_slices": correction,
    }  # fmt: skip
    everything = everything.replaced(signature=signature, sources=[Topics({"slice": ALL})])
    whole = compared(request, everything, inputs)
    in_each, least = whole.request.replaced(correction=correction), fewest_units(1 - request.confidence)
    if in_each.has_pairs and correction == "maxt":
        sizes, level = np.bincount(slices.place).tolist(), f"{1 - request.confidence:.10g}".removeprefix("0")
        small = [f"{name} ({size})" for name, size in zip(slices.names, sizes, strict=True) if size < least]
        few = f"with fewer topics than the {least} that signs need at {level}, where nothing can be significant"
        warn_of_topics("slices", few, small, "slice")
    scopes = _in_each(whole, in_each, slices, inputs.threads)
    by_measure = [(pairs, *between_slices(pairs, slices)) for pairs in whole.paired]
    between = {family.measure.name: rows_between(family, columns) for family, columns, _ in by_measure}
    report = report_of(whole, signature_of(inputs), [whole, *scopes], between)
    answers = list[str]()
    for family, columns, small_of_pair in by_measure:
        pairs = [(scope.scored.sources[0], scope.on_measure(family.measure).pairs) for scope in scopes]
        in_slices = {topics.labels["slice"]: of.over(topics) for topics, of in pairs if of is not None}
        answers += sentences_between_slices(family, columns["p_adjusted"], small_of_pair, in_slices)
    kinds = (["signs"] * (correction == "maxt") + ["no_inference"]) if by_measure else ["means"]
    return report._replace(
        sources={of: {**words, "mean": ALL_TOPICS, "means": ALL_TOPICS} for of, words in report.sources.items()},
        explain=lambda: chain(report.sentences, answers, [say(f"slice.{kind}", least=least) for kind in kinds]),
        conclude=lambda: chain(report.conclusion, answers),
        caption=lambda population: _caption_in_slices(caption_of(whole, population), in_each, scopes, answers),
    )


def _in_each(whole: Scope, request: Asked, slices: GroupedTopics, threads: int) -> list[Scope]:
    """A scope a slice; by maxt those of which all runs share topics. Pairs in all of them are one family for each measure."""
    scopes = []
    design = reading.design_of(request, correction_over(request, whole.scored.sources))
    for index, name in enumerate(slices.names):
        scored = whole.scored.replaced(mask=slices.place == index, sources=[Topics({"slice": name})])
        comparisons = on_measures(request, scored, design, threads)
        lacking = [of.measure.name for of in comparisons if any(not family.common.any() for family in of.families)]
        if lacking and request.correction == "maxt":
            why = f"the runs have no topic of it in common in {', '.join(lacking)}"
            notify("lacking", measure=name, what="rows", who="", why=why)
        else:
            scopes.append(Scope(whole.asked, request, scored, design, comparisons))
    as_one: dict[tuple[str, str], list[Family]] = {}
    for on in chain.from_iterable(scope.on for scope in scopes):
        measure = "" if request.family == "joint" else on.measure.name
        for kind, family in (("pairs", on.pairs), ("ranked", on.ranked)):
            as_one.setdefault((kind, measure), []).extend([] if family is None else [family])
    for families in as_one.values():
        for family in families:
            family.adjusted_with[:] = families
    return scopes


def _caption_in_slices(plain: Caption, request: Asked, scopes: Sequence[Scope], answers: Sequence[str]) -> Caption:
    """That of all topics, with what holds in slices behind it."""
    on = [(on, scope.scored.sources[0]) for scope in scopes for on in scope.on]
    kinds = kinds_in_words(kinds_over((of.alone, source) for of, source in on))
    instead = tests_instead((of.pairs, source) for of, source in on if of.pairs is not None)
    how = "the largest statistic" if request.correction == "maxt" else "the same method"
    of_measures = "all measures" if request.family == "joint" else "each measure"
    number = next((family.number for of, _ in on for family in of.families), 0)
    adjusted = f"adjusted for {plural(number, 'difference')} of {of_measures} by {how}"
    adjusted = "not adjusted" if request.correction == "none" else adjusted
    return plain._replace(
        means=f"{plain.means}, and over {plural(len(scopes), 'slice')} of these",
        limits=plain.limits + (f"; in slices {kinds}" if kinds != "t" else ""),
        test=f"{plain.test}; in slices {adjusted}{instead}" if plain.test else "",
        selection=[*plain.selection, *answers, *([say("slice.no_inference")] if answers else [])],
    )


# Collections


def over_collections(request: Asked, inputs: Inputs) -> Report:
    """Means and differences of runs over several collections: those listed, or those of the tables that were read."""
    tables, measures, files = read_collections(inputs, request.collections, request.measures)
    if request.interval == "prediction" and not asked_about(request, [COLLECTIONS]):
        raise UsageError("--interval prediction is for one more collection: needs --population collections.")
    if request.interval == "prediction" and len(tables) < FEWEST_PREDICTING:
        raise DataError(f"--interval prediction needs {FEWEST_PREDICTING} collections or more, not {len(tables)}")
    together = joined(tables)
    _check_baseline(request, tables, together.made.runs)
    _warn(request, tables, together.made.runs)
    everything = all_collections(request, tables, measures, together)
    values = [table.made.values for table in tables]
    ends = {} if request.interval == "t" else ends_of_scales(measures, values, request.range, inputs.standardise)
    everything = everything.replaced(ends=ends)
    # One baseline in all collections, whichever run comes first there.
    request = of_runs(request, everything.table.runs)
    printed = in_populations_asked(request, everything) if request.survives else everything
    whole = compared(request, printed, inputs)
    # Limits of one collection are t's; there are pairs if there are several runs, and no ranks.
    alone = {"compare": False, "baseline": (), "all_pairs": False, "margin": None, "power": False, "fail_if": None}
    of_one = request.replaced(interval=None, ranks=False)
    single = [
        compared(of_one if len(one.table.runs) > 1 else of_one.replaced(**alone), one, inputs)
        for one in (one_collection(table, measures, ends) for table in tables if asked_about(request, [TOPICS]))
    ]
    report = _of_collections(whole, single, inputs)
    if request.survives:
        report = with_claims(report, whole, everything, inputs)
    return report._replace(files=files)


def _check_baseline(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Refuse a baseline that some collection lacks, as one may be that is pooled over other runs there than elsewhere."""
    everywhere = list(dict.fromkeys(run for table in tables for run in table.runs))
    for baseline in request.baseline:
        lacking = [str(table.collection) for table in tables if baseline not in table.runs]
        if not lacking or (baseline in POOLED and len(everywhere) == len(runs)):
            continue
        if baseline in POOLED:
            why = "would be that of other runs in some collections: leave out incomplete runs"
        elif baseline in everywhere:
            why = f"not in {first_few(lacking)}"
        else:
            raise DataError(unknown("run", baseline, everywhere))
        raise DataError(f"--baseline {baseline}: {why}")


def _warn(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Say of how little limits over collections, and over their topics, and Q make use."""
    if asked_about(request, [COLLECTIONS]):
        wide = "wide, and assume that collections are alike (--population topics: limits for these collections)"
        wide = "so wide that they say next to nothing" if len(tables) <= USELESS else wide
        warn_of_few_groups(len(tables), "collection", f"limits over collections are {wide}")
    fewest: dict[str, int] = {}  # topics of any run and measure
    for table in tables:
        scored = [(~np.isnan(of)).sum(axis=1) for of in table.only(runs).values.values()]
        fewest[str(table.collection)] = int(np.min(scored, initial=len(table.topics)))
    if single := [name for name, topics in fewest.items() if topics == 1]:
        why = "one topic, whose variance cannot be estimated"
        notify("lacking", measure=first_few(single), what="limits over the topics of all collections", who="", why=why)
    few = [name for name, topics in fewest.items() if 1 < topics < FEW_TOPICS]
    if few and request.has_pairs and request.layout != "wide":
        warn_of_topics("Q_p", f"with fewer than {FEW_TOPICS} topics, where Q_p is too small", few, "collection")


def _of_collections(whole: Scope, single: Sequence[Scope], inputs: Inputs) -> Report:
    """The report on all collections, and on each by itself unless all are asked about alone."""
    source = whole.scored.sources[0]
    assert isinstance(source, GroupSource)
    by_measure = [(pairs, between_collections(pairs, source.groups)) for pairs in whole.paired]
    between = {family.measure.name: rows_between(family, columns) for family, columns in by_measure}
    varying = [sentence for of in by_measure for sentence in sentences_between_collections(*of)]
    report = report_of(whole, signature_of(inputs), [*single, whole], between)
    families = [*whole.paired, *(on.alone for on in whole.on if not whole.request.no_summary)]
    lacking = {
        (*names.values(),)
        for family in families
        for source in whole.scored.sources
        for names, value in zip(family.names_of_pairs(), family.over(source).of.value.tolist(), strict=True)
        if math.isnan(value)
    }
    if lacking:
        why = "in some collection no topic is scored by all that it is of"
        notify("lacking", measure="collections", what=plural(len(lacking), "mean"), who=" over collections", why=why)
    if not single:
        return report._replace(explain=lambda: chain(report.sentences, varying))
    number = len(whole.scored.measures)
    columns = number * (1 + len(single))  # of means of a run
    if whole.paired or any(scope.paired for scope in single):
        lead = f"{plural(number, 'measure')} on each of {len(single)} collections and over all"
        varying.append(false_findings(lead, columns, whole.design, pairs=_most_pairs([whole, *single])))

    def explained() -> Iterator[str]:
        narrower = {*of_families(whole.on, one_population=False)}  # of all collections alone
        yield from (sentence for sentence in report.sentences if sentence not in narrower)
        yield from (*varying, say("collections.rows"))

    return report._replace(
        explain=explained,
        caption=lambda population: _caption_of_collections(whole, single, columns, population),
    )


def _most_pairs(scopes: Sequence[Scope]) -> int:
    return max((len(on.families[0].pairs) for scope in scopes for on in scope.on if on.families), default=0)


def _caption_of_collections(whole: Scope, single: Sequence[Scope], columns: int, population: str) -> Caption:
    """The caption of a table with columns of each collection, before those of their mean."""
    mean, most, own = caption_of(whole, population), _most_pairs([whole, *single]), _most_pairs([whole])
    of_single = [(on, scope.scored.sources[0]) for scope in single for on in scope.on]
    families = [(of, source) for on, source in of_single for of in (on.alone, on.pairs) if of is not None]
    of_each, instead = kinds_in_words(kinds_over(families)), tests_instead(families)
    measures = {mean_of(measure.name) for measure in whole.scored.measures}
    quantity, topics = measures.pop() if len(measures) == 1 else "means", plural(len(whole.scored.topics), "topic")
    over_topics = "" if population == TOPICS else " over their topics"
    limits = f"; of single collections {of_each}" if of_each != "t" else ""
    limits = f", of single collections{over_topics} ({of_each})" if over_topics else limits
    test = mean.test
    if test and most > 1:
        # The only pair of all is adjusted for no other, unlike those of single collections.
        test += f", {adjusted_in_words(whole.design.correction)}" * (own == 1)
        test += ", each column by itself" + f" (up to {most} pairs)" * (most > own)
    if test and (over_topics or instead not in mean.test):
        test += f"; of single collections{over_topics}{instead}"
    return mean._replace(
        means=f"{quantity[:1].upper()}{quantity[1:]} on each of {len(single)} collections ({topics} in"
        " all), and over all, collections weighted equally",
        limits=f"{mean.limits}{limits}", test=test,
        selection=[false_findings(f"{columns} columns", columns, whole.design, pairs=most)] if test else [],
    )  # fmt: skip
