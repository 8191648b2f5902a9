"""A pair of runs in plain words: what was observed, then what each source of variation says of it, one finding a sentence.

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
from irci.compare.request import SCALES
from irci.compare.wording import although, amount, direction, directions, name_of_p, p_text
from irci.measures import Measure, named
from irci.output.shown import TESTS
from irci.stats.decisions import Reason, Verdict, separated
from irci.wording import say


class Terms(Record):
    """The terms that all pairs share. scale: "", "logit" or "log"; pairs: those that p is adjusted for; lead: how sentences
    over each source begin."""

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
    def sure(self) -> str:
        """The confidence of limits."""
        return f"{100 * self.confidence:g}% confidence"

    def has_limits_apart(self, population: str) -> bool:
        """True if limits over topics are of something else than p is about."""
        return population == TOPICS and (self.interval == "prediction" or self.test in ("wilcoxon", "sign"))

    def finds(self, p: float) -> bool:
        """True if p is significant."""
        return bool(separated(np.array([p]), 1 - self.confidence)[0])


class Claims(NamedTuple):
    """Claims over a source; one that is not asked for, or not defined, is None or nan. `share`: the margin as it is given, if
    it is a share of the baseline's mean; `few`: on how few units the two differ, where these are too few."""

    verdict: Verdict
    reason: Reason
    smallest_p: float = math.nan
    margin: float | None = None
    p_equivalence: float = math.nan
    detectable: float = math.nan
    needed: float = math.nan
    share: str = ""
    few: str = ""


class Finding(NamedTuple):
    """Limits over one source, p alone, and p adjusted; the test that p comes from, if it is told, and of how many topics;
    `predicted`: what limits are for where that is no mean; `own`: the sentence of a source without p; `few`: the units that
    are so few that they allow no smaller p; and claims, if the source has such."""

    lower: float
    upper: float
    p: float
    p_adjusted: float
    test: str = ""
    topics: int = 0
    predicted: str = ""
    own: str = ""
    few: str = ""
    claims: Claims | None = None

    @property
    def has_limits(self) -> bool:
        """True of limits with something between them."""
        return self.lower < self.upper

    def told(self, terms: "Terms") -> str:
        """The p that decides, with its test and the number of topics: p = 0.03, paired t test of 50 topics."""
        p = p_text(self.p_adjusted, terms.p_name)
        if not self.topics:
            return p
        of_topics = plural(self.topics, "topic")
        # By the largest statistic p comes from signs, whatever the statistic.
        is_named = terms.correction != "maxt" and self.test in get_args(TopicTest)
        return f"{p}, {TESTS[self.test]} of {of_topics}" if is_named else f"{p}, {of_topics}"

    def but(self, terms: "Terms") -> str:
        """Words where limits and the p that decides do not agree."""
        is_found, found_alone = terms.finds(self.p_adjusted), terms.pairs > 1 and terms.finds(self.p)
        told = although(self.lower, self.upper, found=is_found, found_alone=found_alone)
        return told + f" (so few {self.few} allow no smaller p)" * (bool(self.few) and not terms.finds(self.p))


class Pair(Record):
    """A run and what it is compared with; `difference` is on the scale on which scores are averaged."""

    run: str
    baseline: str
    of_run: float
    of_baseline: float
    difference: float
    over: Mapping[str, Finding] = {}

    @property
    def is_identical(self) -> bool:
        """True if no topic shows a difference."""
        return any(over.claims is not None and over.claims.verdict == "identical" for over in self.over.values())

    def facts(self, terms: Terms) -> dict[str, str]:
        """The names and amounts that sentences on the pair have in common."""
        return {
            "run": self.run, "baseline": self.baseline, "measure": terms.measure, "of_run": amount(self.of_run),
            "of_baseline": amount(self.of_baseline), "value": amount(self.difference), "size": amount(abs(self.difference)),
            "scale": SCALES[terms.scale], "word": direction(self.difference, terms.known),
            "more": directions(terms.known)[0], "sure": terms.sure,
        }  # fmt: skip


def sentences_of_pair(pair: Pair, terms: Terms) -> Iterator[str]:
    """Sentences on what was observed, and on each population."""
    yield observed(pair, terms)
    if math.isnan(pair.difference) or pair.is_identical:
        return
    for population, over in pair.over.items():
        yield from _over(pair, terms, population)
        if over.claims is not None:
            yield from _of_claims(over, over.claims, terms, population)


def sentence_on_pair(pair: Pair, terms: Terms, population: str) -> str:
    """The answer in one sentence: what was observed and what is concluded, or that it cannot be told; equivalence after it."""
    first, *others = sentences_of_pair(pair, terms)
    if population not in pair.over or pair.is_identical or math.isnan(pair.over[population].p_adjusted):
        return " ".join([first, *others[:1]])
    over, conclusion = pair.over[population], _conclusion(pair, terms, population)
    p, but = over.told(terms), ""
    if over.has_limits and not terms.has_limits_apart(population):
        p = f"difference between {amount(over.lower)} and {amount(over.upper)}, {terms.sure}, {p}"
        but = over.but(terms)
    if population == TOPICS and not conclusion.startswith("evidence"):
        sentence = say("seen.open", **pair.facts(terms), p=p, but=but)
    else:
        seen = first.removesuffix(".")
        sentence = (
            f"{seen[:-1]}; {p}): {conclusion}{but}." if seen.endswith(")") else f"{seen} ({p}): {conclusion}{but}."
        )
    return " ".join([sentence, *(_of_margin(over.claims, terms, population) if over.claims is not None else ())])


def observed(pair: Pair, terms: Terms) -> str:
    """Sentence on what was observed: which run scores higher, by how much."""
    if math.isnan(pair.difference):
        return say("seen.nothing", run=pair.run, baseline=pair.baseline)
    kind = (
        "identical" if pair.is_identical else "equal" if pair.difference == 0 else "scaled" if terms.scale else "apart"
    )
    return say(f"seen.{kind}", **pair.facts(terms))


def _over(pair: Pair, terms: Terms, population: str) -> Iterator[str]:
    over, lead = pair.over[population], terms.lead[population]
    facts = pair.facts(terms) | {
        "lead": lead, "lead_within": lead[:1].lower() + lead[1:], "predicted": over.predicted,
        "lower": amount(over.lower), "upper": amount(over.upper), "kind": "expected" if population == DOCUMENTS else "mean",
    }  # fmt: skip
    limits = f"lies between {facts['lower']} and {facts['upper']} ({terms.sure})"
    facts["between"] = limits if over.lower <= over.upper else "can lie anywhere"
    if over.own:
        yield over.own
        return
    if math.isnan(over.p_adjusted):
        nothing = {TOPICS: "over.nothing_topics", DOCUMENTS: "over.nothing_documents"}.get(population, "over.nothing")
        yield say("over.predicted_alone" if over.predicted else nothing, **facts)
        return
    facts |= {"p": over.told(terms), "conclusion": _conclusion(pair, terms, population), "but": over.but(terms)}
    is_apart = terms.has_limits_apart(population)
    if population == DOCUMENTS and over.lower == over.upper:
        yield say("over.same_documents", **facts)
    elif over.predicted:
        yield say("over.predicted", **facts)
    else:
        yield say("over.limits" if over.has_limits and not is_apart else "over.p_alone", **facts)
    if is_apart and over.has_limits:
        number = "as many" if terms.new_topics is None else str(terms.new_topics)
        yield say("over.new_topics" if terms.interval == "prediction" else "over.other_limits", **facts, number=number)
    if population == TOPICS and over.test == "signs":
        yield say("over.signs_and_limits" if over.has_limits else "over.signs", **facts)


def _conclusion(pair: Pair, terms: Terms, population: str) -> str:
    """The conclusion from p over a source, which is about means only if the test is."""
    over, facts = pair.over[population], pair.facts(terms)
    is_found, verdict = terms.finds(over.p_adjusted) and pair.difference != 0, ""
    if over.claims is not None:
        verdict = over.claims.verdict
        is_found = verdict in ("better", "worse")
    compared = f"with {terms.pairs} {'pairs' if terms.family == 'each' else 'differences'} compared, "
    facts["among"] = compared * (not is_found and terms.pairs > 1 and terms.finds(over.p))
    if population == DOCUMENTS:
        is_top = is_found and terms.known.is_of_the_top
        kind = "equal" if pair.difference == 0 else "top" if is_top else "found" if is_found else "open"
        return say(f"conclusion.documents_{kind}", **facts)
    if not is_found:
        return say("conclusion.open", **facts)
    of_means, facts["though"] = facts["word"], ""
    if verdict:
        facts["word"] = direction(1.0 if verdict == "better" else -1.0, terms.known)
        facts["though"] = f", though its mean is {of_means}" * (facts["word"] != of_means)
    kind = terms.test if population == TOPICS and terms.test in ("sign", "wilcoxon") else "t"
    return say(f"conclusion.{kind}", **facts)


def _of_claims(over: Finding, claims: Claims, terms: Terms, population: str) -> Iterator[str]:
    """Sentences on equivalence and on power."""
    yield from _of_margin(claims, terms, population)
    if claims.reason == "unresolvable" and claims.smallest_p == claims.smallest_p:
        smallest = p_text(claims.smallest_p).partition(" ")[2].removeprefix("= ")
        p_name = terms.p_name if terms.correction == "maxt" else "p"
        yield say("claims.unresolvable", p_name=p_name, smallest=smallest)
    is_open = claims.verdict == "inconclusive" and not claims.reason
    if is_open and claims.detectable > 0 and (terms.power or (terms.pairs == 1 and over.topics)):
        kind = "not_detectable" if math.isinf(claims.detectable) else "detectable"
        with_these = "With this many topics" if over.topics else terms.lead[population]
        facts = {"with_these": with_these, "scale": SCALES[terms.scale], "detectable": amount(claims.detectable)}
        yield say(f"claims.{kind}", **facts)
    if terms.power and not math.isnan(claims.needed):
        yield (
            say("claims.not_needed")
            if math.isinf(claims.needed)
            else say("claims.needed", needed=f"{claims.needed:.0f}")
        )


def _of_margin(claims: Claims, terms: Terms, population: str) -> Iterator[str]:
    if claims.margin is not None:
        margin = (
            f"{claims.share} of the baseline's mean" if claims.share else amount(claims.margin) + SCALES[terms.scale]
        )
        p = claims.p_equivalence
        yield say(
            "claims.within" if terms.finds(p) else "claims.not_within", lead=terms.lead[population], margin=margin,
            p="" if math.isnan(p) else f" ({p_text(p, name_of_p(terms.pairs))})", few=f": {claims.few}" * bool(claims.few),
        )  # fmt: skip
