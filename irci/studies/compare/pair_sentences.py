"""A pair of runs in plain words: what was observed, then what each population says of it, one finding a sentence.

The adjusted p decides, as everywhere; limits are told beside it, with a word where the two do not agree. A difference that is
not significant is neither evidence nor equality.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS, OverMeasures, PairCorrection, TopicInterval, TopicTest
from irci.base.names import plural
from irci.base.records import Record
from irci.data.measures import Measure, named
from irci.output.shown import TESTS
from irci.stats.decisions import Reason, Verdict, separated
from irci.studies.compare.request import SCALES
from irci.studies.wording import (
    although,
    amount,
    direction,
    directions,
    name_of_p,
    of_other_documents,
    p_text,
    sentence_on_detectable,
    sentence_on_margin,
    sentence_on_topics_needed,
)


class Terms(Record):
    """The terms that all pairs share. scale: "", "logit" or "log"; pairs: those that p is adjusted for, of so many runs
    tried; lead: how sentences over each source begin."""

    measure: str
    scale: str = ""
    confidence: float = 0.95
    pairs: int = 1
    correction: PairCorrection = "holm"
    test: TopicTest = "t"
    interval: TopicInterval = "t"
    new_topics: int | None = None
    power: bool = False
    lead: Mapping[str, str] = {}
    family: OverMeasures = "each"

    @property
    def known(self) -> Measure:
        """Measure, as far as it is known."""
        return named(self.measure)

    @property
    def p_name(self) -> str:
        """p, or adjusted p where there are others that it is adjusted for."""
        return name_of_p(self.pairs if self.correction != "none" else 1)

    @property
    def among(self) -> str:
        """The reason why p that is significant by itself is not when it is adjusted."""
        return f"with {self.pairs} {'pairs' if self.family == 'each' else 'differences'} compared"

    @property
    def sure(self) -> str:
        """The confidence of limits."""
        return f"{100 * self.confidence:g}% confidence"

    @property
    def limits_are_apart(self) -> bool:
        """True if limits over topics are of something else than p is about."""
        return self.interval == "prediction" or self.test in ("wilcoxon", "sign")

    def finds(self, p: float) -> bool:
        """True if p is significant."""
        return bool(separated(np.array([p]), 1 - self.confidence)[0])


class Finding(NamedTuple):
    """Limits over one source, p alone, and p adjusted; the test that p comes from, if it is told, and of how many topics."""

    lower: float
    upper: float
    p: float
    p_adjusted: float
    test: str = ""
    topics: int = 0

    def told(self, terms: "Terms") -> str:
        """The p that decides, with its test and the number of topics: p = 0.03, paired t test of 50 topics."""
        p = p_text(self.p_adjusted, terms.p_name)
        if not self.topics:
            return p
        of_topics = plural(self.topics, "topic")
        # By the largest statistic p comes from signs, whatever the statistic.
        known = terms.correction != "maxt" and self.test in get_args(TopicTest)
        return f"{p}, {TESTS[self.test]} of {of_topics}" if known else f"{p}, {of_topics}"


class Claims(NamedTuple):
    """Claims over topics; one that is not asked for, or not defined, is None or nan. `share`: the margin as it is given, if it
    is a share of the baseline's mean; `few`: on how few topics the two differ, where these are too few."""

    verdict: Verdict
    reason: Reason
    smallest_p: float = math.nan
    margin: float | None = None
    p_equivalence: float = math.nan
    detectable: float = math.nan
    needed: float = math.nan
    share: str = ""
    few: str = ""


class Pair(Record):
    """A run and what it is compared with; `difference` is on the scale on which scores are averaged."""

    run: str
    baseline: str
    of_run: float
    of_baseline: float
    difference: float
    over: Mapping[str, Finding] = {}
    topics: Claims | None = None


def sentences_of_pair(pair: Pair, terms: Terms) -> Iterator[str]:
    """Sentences on what was observed, and on each population."""
    yield observed(pair, terms)
    if math.isnan(pair.difference):
        return
    for population in pair.over:
        if not (population == TOPICS and is_identical(pair)):
            yield from _of_population(pair, terms, population)
            if population == TOPICS and pair.topics is not None:
                yield from _of_equivalence(pair.topics, terms)
                yield from _of_power(pair.topics, terms)


def sentence_on_pair(pair: Pair, terms: Terms, population: str) -> str:
    """The answer in one sentence: what was observed and what is concluded, or that it cannot be told; equivalence after it."""
    first, *others = sentences_of_pair(pair, terms)
    if population not in pair.over or is_identical(pair) or math.isnan(pair.over[population].p_adjusted):
        return " ".join([first, *others[:1]])
    over, told = pair.over[population], _conclusion(pair, terms, population)
    p, but = over.told(terms), ""
    if over.lower < over.upper and not (population == TOPICS and terms.limits_are_apart):
        p = f"difference between {amount(over.lower)} and {amount(over.upper)}, {terms.sure}, {p}"
        found_alone = terms.pairs > 1 and terms.finds(over.p)
        but = although(over.lower, over.upper, found=terms.finds(over.p_adjusted), found_alone=found_alone)
    if population == TOPICS and not told.startswith("evidence"):
        means = f"{amount(pair.of_run)} against {amount(pair.of_baseline)}"
        sentence = f"These topics cannot tell {pair.run} from {pair.baseline} in {terms.measure}: {means} ({p}){but}."
    else:
        seen = first.removesuffix(".")
        sentence = f"{seen[:-1]}; {p}): {told}{but}." if seen.endswith(")") else f"{seen} ({p}): {told}{but}."
    of_topics = pair.topics if population == TOPICS else None
    return " ".join([sentence, *(() if of_topics is None else _of_equivalence(of_topics, terms))])


def is_identical(pair: Pair) -> bool:
    """True if no topic shows a difference."""
    return pair.topics is not None and pair.topics.verdict == "identical"


def pointed(pair: Pair, terms: Terms) -> str:
    """Which way the test over topics points, if it does, or else the means."""
    verdict = "" if pair.topics is None else pair.topics.verdict
    if verdict in ("better", "worse"):
        return direction(1.0 if verdict == "better" else -1.0, terms.known)
    return direction(pair.difference, terms.known)


def observed(pair: Pair, terms: Terms) -> str:
    """Sentence on what was observed: which run scores higher, by how much."""
    run, baseline, measure = pair.run, pair.baseline, terms.measure
    if math.isnan(pair.difference):
        return f"{run} and {baseline} have no topic in common."
    if is_identical(pair):
        return f"{run} and {baseline} have equal scores in {measure} on every topic, {amount(pair.of_run)} on average."
    if pair.difference == 0:
        return f"{run} and {baseline} have equal means in {measure}, {amount(pair.of_run)}."
    means = f"({amount(pair.of_run)} against {amount(pair.of_baseline)})"
    word = direction(pair.difference, terms.known)
    if terms.scale:
        apart = f"a difference{SCALES[terms.scale]} of {amount(pair.difference)}"
        return f"{run} scores {word} in {measure} than {baseline} {means}, {apart}."
    return f"{run} scores {amount(abs(pair.difference))} {word} in {measure} than {baseline} {means}."


def _of_population(pair: Pair, terms: Terms, population: str) -> Iterator[str]:
    over = pair.over[population]
    if math.isnan(over.p_adjusted):
        yield _nothing_told(terms, population)
        return
    p = over.told(terms)
    kind = "expected" if population == DOCUMENTS else "mean"
    what = f"the {kind} difference{SCALES[terms.scale]}"
    has_limits = over.lower < over.upper
    if population == DOCUMENTS and over.lower == over.upper:
        yield "On these topics, resampled documents show no difference either."
    elif population == TOPICS and terms.limits_are_apart:
        yield f"{terms.lead[population]}, {p}: {_conclusion(pair, terms, population)}."
        if has_limits:
            yield _apart(over, terms, what)
    elif has_limits:
        limits = f"{what} lies between {amount(over.lower)} and {amount(over.upper)} ({terms.sure}, {p})"
        found_alone = terms.pairs > 1 and terms.finds(over.p)
        but = although(over.lower, over.upper, found=terms.finds(over.p_adjusted), found_alone=found_alone)
        yield f"{terms.lead[population]}, {limits}: {_conclusion(pair, terms, population)}{but}."
    else:
        yield f"{terms.lead[population]}, {p}: {_conclusion(pair, terms, population)}."
    if population == TOPICS and over.test == "signs":
        yield _of_signs(has_limits=has_limits)


def _of_signs(*, has_limits: bool) -> str:
    by_signs = "Every topic shows an equal difference, so p comes from the signs alone"
    if not has_limits:
        return f"{by_signs}, and there are no limits."
    return f"{by_signs}, and assumes that differences are symmetric about their mean; the limits do not."


def _nothing_told(terms: Terms, population: str) -> str:
    if population == TOPICS:
        return f"These topics alone cannot show which run scores {directions(terms.known)[0]} on other topics."
    if population == DOCUMENTS:
        return "On these topics, documents were not resampled, or resampling them changes nothing."
    return f"{terms.lead[population]}, nothing can be said."


def _apart(over: Finding, terms: Terms, what: str) -> str:
    limits = f"between {amount(over.lower)} and {amount(over.upper)} ({terms.sure})"
    if terms.interval != "prediction":
        return f"{terms.lead[TOPICS]}, {what} lies {limits}; p is not about this."
    number = "as many" if terms.new_topics is None else str(terms.new_topics)
    return f"On {number} other topics of this kind, {what} will lie {limits}."


def _conclusion(pair: Pair, terms: Terms, population: str) -> str:
    over = pair.over[population]
    found = terms.finds(over.p_adjusted) and pair.difference != 0
    if population == TOPICS and pair.topics is not None:
        found = pair.topics.verdict in ("better", "worse")
    among = f"{terms.among}, " if not found and terms.pairs > 1 and terms.finds(over.p) else ""
    if population == DOCUMENTS:
        if pair.difference == 0:
            return "a different sample of documents could favour either run"
        return among + of_other_documents(terms.known, found=found)
    if not found:
        return f"{among}not enough evidence to tell which run scores {directions(terms.known)[0]}"
    return f"evidence that {pair.run} {_found(pair, terms, population)}"


def _found(pair: Pair, terms: Terms, population: str) -> str:
    """The finding of a significant test, which is about means only if the test is."""
    of_means = direction(pair.difference, terms.known)
    if population != TOPICS:
        return f"scores {of_means} on average"
    word = pointed(pair, terms)
    though = "" if word == of_means else f", though its mean is {of_means}"
    match terms.test:
        case "sign":
            return f"scores {word} more often than not{though}"
        case "wilcoxon":
            return f"tends to score {word}, by the ranks of the differences{though}"
        case _:
            return f"scores {word} on average"


def _of_equivalence(topics: Claims, terms: Terms) -> Iterator[str]:
    if topics.margin is None:
        return
    within = f"{amount(topics.margin)}{SCALES[terms.scale]}"
    if topics.share:
        within = f"{topics.share} of the baseline's mean"
    found = terms.finds(topics.p_equivalence)
    yield sentence_on_margin(
        terms.lead[TOPICS], within, topics.p_equivalence, name_of_p(terms.pairs), found=found, few=topics.few
    )


def _of_power(topics: Claims, terms: Terms) -> Iterator[str]:
    of_scale = SCALES[terms.scale]
    if topics.reason == "unresolvable" and topics.smallest_p == topics.smallest_p:
        smallest = p_text(topics.smallest_p).partition(" ")[2].removeprefix("= ")
        which = terms.p_name if terms.correction == "maxt" else "p"
        yield f"Even if all differences of these sizes favoured one run, {which} could not be below {smallest}."
    if (
        topics.verdict == "inconclusive"
        and not topics.reason
        and topics.detectable > 0
        and (terms.power or terms.pairs == 1)
    ):
        found = f"a true difference{of_scale} of {amount(topics.detectable)}"
        yield f"With this many topics, {sentence_on_detectable(topics.detectable, found)}"
    if terms.power and not math.isnan(topics.needed):
        yield sentence_on_topics_needed(topics.needed)
