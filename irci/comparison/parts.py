"""Parts of what means are over, each by itself beside the whole: slices of the topics; several collections, those that are
listed or that tables of scores name.

Differences in slices are one family, of all pairs in all of them, under the same signs of topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from irci.base import DataError, UsageError, first_few
from irci.base.choices import TOPICS
from irci.base.types import gathered
from irci.comparison import reading
from irci.comparison.between import (
    between_collections,
    between_slices,
    rows_between,
    sentences_between_collections,
    sentences_between_slices,
)
from irci.comparison.reading import asked_about, signature_of
from irci.comparison.rows import Scope
from irci.comparison.sources import Topics
from irci.comparison.sources.grouped import COLLECTIONS, GroupSource, all_collections, one_collection
from irci.comparison.study import (
    compared,
    correction_over,
    of_runs,
    on_measures,
    report_of,
)
from irci.comparison.survival import in_populations_asked, with_claims
from irci.data.inputs import Inputs
from irci.data.rules import ALL, GroupedTopics, grouped_topics
from irci.data.score_tables import joined, read_collections
from irci.data.scores import Scores, ends_of_scales
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row
from irci.stats.power import fewest_units
from irci.stats.tests import POOLED
from irci.wording import notify, say, warn_of_few_groups, warn_of_topics

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
        few = f"with fewer topics than the {least} a sign test needs at {level}, where nothing can be significant"
        warn_of_topics("slices", few, small, "slice")
    scopes = [whole, *_in_each(whole, in_each, slices, inputs.threads)]
    between, answers = dict[str, list[Row]](), list[str]()
    for family in whole.paired:
        columns, small_of_pair = between_slices(family, slices)
        between[family.measure.name] = rows_between(family, columns)
        pairs = [(scope.scored.sources[0], scope.on_measure(family.measure).pairs) for scope in scopes[1:]]
        tested = {topics.labels["slice"]: of.over(topics) for topics, of in pairs if of is not None}
        answers += sentences_between_slices(family, columns["p_adjusted"], small_of_pair, tested)
    rows_are = say("slice.no_inference" if between else "slice.means")
    report = report_of(whole, signature_of(inputs), scopes, between)
    return report._replace(
        sources={of: {**words, "mean": ALL_TOPICS, "means": ALL_TOPICS} for of, words in report.sources.items()},
        explain=lambda: chain(report.sentences, answers, [rows_are]),
        conclude=lambda: chain(report.conclusion, answers),
    )


def _in_each(whole: Scope, request: Asked, slices: GroupedTopics, threads: int) -> list[Scope]:
    """A scope a slice; by maxt those of which all runs share topics. Pairs in all of them are one family for each measure."""
    scopes, design = list[Scope](), reading.design_of(request, correction_over(request, whole.scored.sources))
    for index, name in enumerate(slices.names):
        of_slice = whole.scored.replaced(mask=slices.place == index, sources=[Topics({"slice": name})])
        comparisons = on_measures(request, of_slice, design, threads)
        lacking = [of.measure.name for of in comparisons if any(not family.common.any() for family in of.families)]
        if lacking and request.correction == "maxt":
            why = f"the runs have no topic of it in common in {', '.join(lacking)}"
            notify("lacking", measure=name, what="rows", who="", why=why)
        else:
            scopes.append(Scope(whole.asked, request, of_slice, design, comparisons))
    as_one = gathered(
        ((family is on.ranked, "" if request.family == "joint" else on.measure.name), family)
        for scope in scopes for on in scope.on for family in on.families
    )  # fmt: skip
    for families in as_one.values():
        for family in families:
            family.adjusted_with[:] = families
    return scopes


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
    report = _of_collections(whole, [*single, whole], inputs)
    if request.survives:
        report = with_claims(report, whole, everything, inputs)
    return report._replace(files=files)


def _check_baseline(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Refuse a baseline that some collection lacks, as one may be that is pooled over other runs there than elsewhere."""
    everywhere = {run for table in tables for run in table.runs}
    for baseline in request.baseline:
        lacking = [str(table.collection) for table in tables if baseline not in table.runs]
        if lacking and baseline in POOLED and len(everywhere) > len(runs):
            why = "would be that of other runs in some collections: leave out incomplete runs"
            raise DataError(f"--baseline {baseline}: {why}")
        if lacking and baseline in everywhere:
            raise DataError(f"--baseline {baseline}: not in {first_few(lacking)}")


def _warn(request: Asked, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Say of how little limits over collections, and over their topics, and Q make use."""
    if asked_about(request, [COLLECTIONS]):
        wide = "wide, and assume similar collections (--population topics: limits for these collections)"
        wide = "so wide that they show next to nothing" if len(tables) <= USELESS else wide
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


def _of_collections(whole: Scope, scopes: Sequence[Scope], inputs: Inputs) -> Report:
    """The report on all collections, and on each by itself unless all are asked about alone."""
    source = whole.scored.sources[0]
    assert isinstance(source, GroupSource)
    between, beside = dict[str, list[Row]](), list[str]()
    for family in whole.paired:
        columns = between_collections(family, source.groups)
        between[family.measure.name] = rows_between(family, columns)
        beside += sentences_between_collections(family, columns)
    report = report_of(whole, signature_of(inputs), scopes, between)
    beside += [say("collections.rows")] * (len(scopes) > 1)
    return report._replace(explain=lambda: chain(report.sentences, beside))
