"""What --explain says of a pair of runs: every combination of outcomes, held against rules of logic and of language."""

import itertools
import math
import re
from collections.abc import Iterator

import pytest

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, Population
from irci.compare.pair_sentences import Claims, Finding, Pair, Terms, sentences_of_pair
from irci.compare.sources.documents import Both, DocumentSource
from irci.compare.sources.topics import Topics
from irci.compare.wording import p_text
from irci.stats.decisions import Verdict

NAN = math.nan
ALPHA = 0.05
# p alone and adjusted; limits; as they may be for any population. Significant or not is p_adjusted's to say.
PS = ((0.001, 0.004), (0.02, 0.2), (0.4, 1.0), (NAN, NAN))
LIMITS = ((0.01, 0.09), (-0.02, 0.12), (0.05, 0.05), (NAN, NAN))
POPULATIONS: tuple[tuple[Population, ...], ...] = ((DOCUMENTS,), (TOPICS,), (BOTH,), (DOCUMENTS, TOPICS))
SOME = itertools.cycle(itertools.product(("", "logit"), ("holm", "maxt", "none", "bh", "holm")))
LEAD = {source.name: source.lead for source in (Topics, DocumentSource, Both)}
TERMS = [
    Terms("map", scale, lead=LEAD, pairs=pairs, correction=correction, test=test, interval=interval, power=power)
    for (pairs, test, interval, power), (scale, correction) in zip(
        itertools.product((1, 10), ("t", "sign", "wilcoxon"), ("t", "prediction", "bounded"), (False, True)),
        SOME,
        strict=False,
    )
]


def verdicts_for(p_adjusted: float, difference: float, equivalent: bool) -> list[Verdict]:
    """Those that can be, by the definition of verdicts."""
    if difference == 0:
        return ["identical", "equivalent" if equivalent else "inconclusive"]
    if p_adjusted <= ALPHA:
        word = "better" if difference > 0 else "worse"
        return [word]  # type: ignore[list-item]
    return ["equivalent"] if equivalent else ["inconclusive"]


def with_claims(over: dict[Population, Finding], of_topics: Claims) -> dict[str, Finding]:
    """The same with claims over topics."""
    return {**over, TOPICS: over[TOPICS]._replace(claims=of_topics)}


def topics_of(pair: Pair) -> Claims | None:
    """The claims over topics, if there are any."""
    return pair.over[TOPICS].claims if TOPICS in pair.over else None


def pairs() -> Iterator[Pair]:
    """All outcomes."""
    for difference, (p, p_adjusted), (lower, upper), populations, margin in itertools.product(
        (0.05, -0.05, 0.0), PS, LIMITS, POPULATIONS, (None, 0.2, 0.001)
    ):
        if difference == 0 and p < 1:
            p, p_adjusted = 1.0, 1.0
        sign = -1 if difference < 0 else 1
        limits = sorted((sign * lower, sign * upper)) if lower == lower else (NAN, NAN)
        over = {population: Finding(*limits, p, p_adjusted) for population in populations}
        if TOPICS not in populations:
            if margin is None:
                yield Pair("new", "old", 0.35, 0.35 - difference, difference, over)
            continue
        equivalent = margin == 0.2 and p == p
        for verdict in verdicts_for(p_adjusted, difference, equivalent):
            of_topics = Claims(
                verdict, "unresolvable" if verdict == "inconclusive" and p == p and p > 0.2 else "",
                NAN if p != p else 0.0625, margin, NAN if p != p else 0.01 if equivalent else 0.6,
                NAN if p != p else 0.08, math.inf if difference == 0 else 120.0,
            )  # fmt: skip
            yield Pair("new", "old", 0.35, 0.35 - difference, difference, with_claims(over, of_topics))


CASES = list(pairs())
IN_ALL_TERMS = pytest.mark.parametrize(
    "some", [TERMS[::4], pytest.param(TERMS, marks=pytest.mark.check)], ids=["some terms", "all terms"]
)
OF_OTHERS = re.compile(r"other topics|all topics|on others")
PLACES = (
    "Over all topics of this kind",
    "Over all topics and documents",
    "On these topics",
    "other topics of this kind",
)


def sentences(pair: Pair, terms: Terms) -> list[str]:
    return list(sentences_of_pair(pair, terms))


@IN_ALL_TERMS
def test_the_logic_of_sentences(some: list[Terms]) -> None:
    for pair, terms in itertools.product(CASES, some):
        told = sentences(pair, terms)
        text = " ".join(told)
        significant = {population: over.p_adjusted <= ALPHA for population, over in pair.over.items()}
        where = (pair, told)
        # Evidence only where p says so, and never beside its opposite in a sentence.
        of_others = any(significant.get(population) for population in (TOPICS, BOTH))
        assert ("evidence that" in text) == (of_others and pair.difference != 0), where
        for sentence in told:
            assert (
                sum(
                    word in sentence
                    for word in ("not enough evidence", "evidence that", "could reverse", "is unlikely to")
                )
                <= 1
            )
            assert not ("nothing can be said" in sentence and "evidence" in sentence), where
        if not math.isnan(next(iter(pair.over.values())).p):
            assert "nothing can be said" not in text, where
            assert "cannot show" not in text, where
        # Other topics only from populations that have such.
        if not {TOPICS, BOTH} & set(pair.over):
            assert not OF_OTHERS.search(text), where
        if DOCUMENTS not in pair.over:
            assert "sample of documents" not in text, where
            assert "On these topics" not in text, where
        elif pair.difference and significant[DOCUMENTS] and not math.isnan(pair.over[DOCUMENTS].p):
            assert "could reverse" not in text, where
        # Which run is higher is the same throughout: here every test points as the mean does.
        word, wrong = ("higher", "lower") if pair.difference > 0 else ("lower", "higher")
        if pair.difference:
            assert f" {word} in map than old" in told[0], where
            assert not re.search(rf"evidence that new [a-z ]*{wrong}", text), where


@IN_ALL_TERMS
def test_the_language_of_sentences(some: list[Terms]) -> None:
    """Short, one population each, no undefined numbers, no runs called tied or the same, nothing said twice."""
    for pair, terms in itertools.product(CASES, some):
        told = sentences(pair, terms)
        where = (pair, told)
        assert len(set(told)) == len(told), where
        for sentence in told:
            assert re.fullmatch(r"[A-Za-z0-9].*[^.]\.", sentence), where
            assert len(sentence) < 230, where
            assert not re.search(r"\bnan\b|\binf\b|None|\btied?\b|the same|proves|no difference between", sentence), (
                where
            )
            assert sum(sentence.count(place) for place in PLACES) <= 1, where
            assert sentence.count("confidence") <= 1, where
        if (of_topics := topics_of(pair)) is not None and of_topics.verdict == "identical":
            assert "equal scores in map on every topic" in told[0], where
            assert not any("all topics" in sentence for sentence in told), where
        if not terms.power and terms.pairs == 1:
            assert len(told) <= 6, where


def test_equivalence_is_claimed_where_its_test_says_so_and_nowhere_else() -> None:
    for pair in CASES:
        text = " ".join(sentences(pair, Terms("map", lead=LEAD)))
        of_topics = topics_of(pair)
        is_open = of_topics is not None and of_topics.verdict != "identical" and of_topics.margin is not None
        shown = is_open and of_topics is not None and of_topics.p_equivalence <= ALPHA
        assert ("the two differ on average by less than the margin" in text) == shown
        assert ("is not shown" in text) == (is_open and not shown)


def test_limits_that_do_not_agree_with_p_are_told_so() -> None:
    """p decides: significant with limits around 0, or not with limits that leave it out, which many pairs may explain."""

    def said(limits: tuple[float, float], p: float, p_adjusted: float, pairs: int = 1) -> str:
        verdict: Verdict = "better" if p_adjusted <= ALPHA else "inconclusive"
        pair = Pair(
            "new", "old", 0.4, 0.3, 0.1, with_claims({TOPICS: Finding(*limits, p, p_adjusted)}, Claims(verdict, ""))
        )
        return sentences(pair, Terms("map", pairs=pairs, lead=LEAD))[1]

    assert "evidence that new scores higher on average, although the limits contain 0" in said((-0.1, 0.3), 0.01, 0.01)
    assert "which run scores higher, although the limits leave out 0" in said((0.1, 0.3), 0.1, 0.1)
    assert "with 10 pairs compared, not enough evidence" in said((0.1, 0.3), 0.01, 0.1, 10)
    for agreeing in (said((0.1, 0.3), 0.01, 0.01), said((-0.1, 0.3), 0.2, 0.2)):
        assert "although" not in agreeing


def test_a_test_that_contradicts_the_means_is_told_so() -> None:
    pair = Pair(
        "new", "old", 0.3, 0.4, -0.1, with_claims({TOPICS: Finding(-0.3, 0.1, 0.01, 0.01)}, Claims("better", ""))
    )
    for test in ("wilcoxon", "sign"):
        _, found, limits = sentences(pair, Terms("map", test=test, lead=LEAD))  # type: ignore[arg-type]
        assert "higher" in found
        assert "though its mean is lower" in found
        assert "p is not about this" in limits


def test_differences_too_small_for_four_decimals_are_not_told_as_0() -> None:
    pair = Pair(
        "new",
        "old",
        0.3,
        0.29999,
        0.00001,
        with_claims({TOPICS: Finding(-1e-5, 3e-5, 0.2, 0.2)}, Claims("inconclusive", "")),
    )
    told = sentences(pair, Terms("map", lead=LEAD))
    assert told[0].startswith("new scores 1e-05 higher in map than old")
    assert "between -1e-05 and 3e-05" in told[1]


def test_p_is_told_from_a_usual_level() -> None:
    told = [p_text(p) for p in (0.0504, 0.05, 0.0496, 0.0997, 0.031, 1e-5)]
    assert told == ["p = 0.0504", "p = 0.05", "p = 0.0496", "p = 0.0997", "p = 0.031", "p = 1e-05"]
