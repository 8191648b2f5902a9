"""Sentences and notices by rules: templates with extreme facts, pairs with every outcome, words about sources."""

import ast
import itertools
import math
import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from command_lines import printed, rows_of
from helpers import QRELS, RUNS

import irci
from irci.base import Margin
from irci.base.choices import DOCUMENTS, TOPICS
from irci.base.types import Ends
from irci.comparison.family import Family, Scored
from irci.comparison.means import sources_of
from irci.comparison.sentences import sentences_of_pair
from irci.comparison.sources import Source, Topics
from irci.comparison.sources.documents import DocumentSource, TopicsAndDocuments
from irci.data.scores import Scores
from irci.estimators import means
from irci.measures import named
from irci.options.rows import ask
from irci.stats.decisions import Verdict
from irci.stats.tests import Comparison, Estimates
from irci.wording import amount, interval_in_words, p_text, say, templates

IRCI = Path(irci.__file__).parent
NAN = math.nan
ALPHA = 0.05
MOST_WORDS = 30
LONG_NAME = "a-run-with-a-name-as-long-as-they-come-" * 3
# The words of users: what is not said, as another word is the field's own.
NOT_SAID = re.compile(
    r"of this kind|\b(is|are|was) (not )?told\b|untold|enough evidence|it is shown|\bweaker\b|\bcontrary\b|worst-tenth"
    r"|median-pair|\breversal\b|(query|topic) set|\bvery topics|\balike\b|\bat once\b|\bas ever\b|\bby itself\b|\btogether\b"
    r"|for reading|as it is read|confidence limits"
)
UNDEFINED = re.compile(r"\bnan\b|\binf\b|\bNone\b(?! of)")
SINGULAR = re.compile(r"\b(?!1 )\d+ (topic|run|pair|system|measure|difference|resample|claim|source|seed|cluster)\b")
PLURAL = re.compile(r"(?<![\d.])1 (topic|run|pair|system|measure|difference|resample|claim|source|seed|cluster)s\b")
COUNTS = (0, 1, 3, 100_000)
# What facts may be empty, or are clauses of their own, which are counted where they are made.
PARTS = {"evidence", "clause", "lower_runs", "open_runs"}


def fields(template: str) -> Iterator[tuple[str, str]]:
    """The names of a template's facts, each with its format."""
    return ((name, form or "") for _, name, form, _ in string.Formatter().parse(template) if name)


def rendered() -> Iterator[tuple[str, str]]:
    """Each template with the least, a single and many things, and with long names."""
    for section, of_section in templates().items():
        for name, template in of_section.items():
            of_counts = {fact for fact, form in fields(template) if form}
            for count in COUNTS:
                facts: dict[str, object] = {
                    fact: count if fact in of_counts else "" if fact in PARTS else LONG_NAME
                    for fact, _ in fields(template)
                }
                yield f"{section}.{name}", say(f"{section}.{name}", **facts)


def test_templates_keep_the_rules_with_extreme_facts() -> None:
    for name, text in rendered():
        sentences = re.split(r"(?<=[.:;]) ", text) if name.startswith(("notice.", "study.")) else [text]
        assert all(len(sentence.split()) <= MOST_WORDS for sentence in sentences), (name, text)
        assert not UNDEFINED.search(text), (name, text)
        assert not SINGULAR.search(text), (name, text)
        assert not PLURAL.search(text), (name, text)
        assert not NOT_SAID.search(text), (name, text)
        assert "  " not in text, (name, text)


def test_calls_give_the_facts_that_their_templates_take() -> None:
    """Of calls by a name that stands in them: another template takes other facts. Some facts are for joining notices."""
    calls = 0
    for path in IRCI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name("say" | "notify" | "notice" as called), [ast.Constant(name)], keywords):
                    section, _, key = (name if called == "say" else f"notice.{name}").rpartition(".")
                    given = {keyword.arg for keyword in keywords}
                    if None not in given:
                        calls += 1
                        given -= {"size", "kind"} if section == "notice" else set()
                        assert given == {fact for fact, _ in fields(templates()[section][key])}, name
    assert calls > 130


@pytest.mark.parametrize("wrong", ["1 runs differ", "3 run differ", "over all topics of this kind", "nan"])
def test_the_rules_find_what_breaks_them(wrong: str) -> None:
    assert any(rule.search(wrong) for rule in (UNDEFINED, SINGULAR, PLURAL, NOT_SAID))


# Words about sources

NOUNS = {
    "topics": "topic", "documents": "document|collection", "both": "document", "judgments": "judgment|grade",
    "clusters": "cluster", "seeds": "seed", "checkpoints": "checkpoint|topic", "collections": "collection",
    "another-collection": "collection", "versions": "wording", "people": "people|topic", "people-of-these": "topic",
}  # fmt: skip
OTHERS = ("cluster", "seed", "wording", "checkpoint", "grade")  # said of no other source


def strangers(section: str, words: Mapping[str, str]) -> list[str]:
    """The words about a source that lack its noun, or have that of another one."""
    own = NOUNS.get(section) or f"topic|{section.removeprefix('topics-in-').rstrip('s')}|wording"
    noun = re.compile(own)
    return [
        text
        for key, text in words.items()
        if key in ("over", "label", "explains")
        and (
            not (noun.search(text) or key in ("over", "label"))
            or any(other in text and not noun.search(other) for other in OTHERS)
        )
    ]


def test_words_about_a_source_have_its_nouns() -> None:
    sections = {name.partition(".")[2]: words for name, words in templates().items() if name.startswith("source.")}
    assert NOUNS.keys() <= sections.keys()
    for section, words in sections.items():
        assert not strangers(section, words), section
        assert words.get("label", "for ").startswith("for "), section
        assert " " not in words.get("counted", ""), section
        assert re.fullmatch(r"The [^.]*", words.get("stays", "The runs")), section
        assert re.fullmatch(r"(Intervals|Rows) .*\.", words.get("explains", "Rows .")), section
    planted = {**sections["versions"], "explains": sections["clusters"]["explains"]}
    assert strangers("versions", planted) == [planted["explains"]]


def test_sources_of_other_commands_have_labels_and_sentences() -> None:
    for study in ("ap", "halves", "replicates", "new-topics", "sets", "judges", "size"):
        assert all(source["page"].endswith(".") for source in sources_of(study).values())
    assert list(sources_of("sets", ["clusters", None])) == ["clusters"]


# Pairs

# p alone and adjusted; limits; as they may be for any population. Significant or not is p_adjusted's to say.
PS = ((0.001, 0.004), (0.02, 0.2), (0.4, 1.0), (NAN, NAN))
LIMITS = ((0.01, 0.09), (-0.02, 0.12), (0.05, 0.05), (NAN, NAN))
POPULATIONS = ((DOCUMENTS,), (TOPICS,), ("topics and documents",), (TOPICS, DOCUMENTS))
TERMS = [
    {"measure": measure, "pairs": pairs, "correction": correction, "test": test, "interval": interval, "power": power}
    for (pairs, test, interval, power), (measure, correction) in zip(
        itertools.product((1, 10), ("t", "sign", "wilcoxon"), ("t", "prediction", "bounded"), (False, True)),
        itertools.cycle(itertools.product(("map", "lmap"), ("holm", "maxt", "none", "bh", "holm"))),
        strict=False,
    )
]
SOURCES: dict[str, Source] = {
    TOPICS: Topics(), DOCUMENTS: object.__new__(DocumentSource),  # type: ignore[arg-type]
    "topics and documents": TopicsAndDocuments(None),  # type: ignore[arg-type]
}  # fmt: skip


def verdicts_for(p_adjusted: float, difference: float, equivalent: bool) -> list[Verdict]:
    """Those that can be, by the definition of verdicts."""
    if difference == 0:
        return ["identical", "equivalent" if equivalent else "inconclusive"]
    if p_adjusted <= ALPHA:
        return ["better" if difference > 0 else "worse"]
    return ["equivalent"] if equivalent else ["inconclusive"]


class Outcome(NamedTuple):
    """What is found of a pair: the same over each of several sources, with a verdict and its claims over topics."""

    difference: float
    limits: Ends
    p: float
    p_adjusted: float
    verdict: Verdict
    over: tuple[str, ...] = (TOPICS,)
    claims: Mapping[str, Any] = {}
    margin: float | None = None

    def sentences(self, terms: Mapping[str, Any]) -> list[str]:
        terms = {"measure": "map", "pairs": 1, "power": False, **terms}
        measure, number = named(terms["measure"]), terms["pairs"]
        margin = None if self.margin is None else Margin(self.margin)
        design = means.Design(**{name: value for name, value in terms.items() if name in means.Design._fields})
        scored = Scored(
            Scores(["new", "old"], ["1"], {"map": np.array([[0.4], [0.3]])}),
            [measure],
            [SOURCES[name] for name in self.over],
        )
        comparison = Comparison.of(["new", "old"], ["old"])._replace(pairs=np.array([[0, 1]] * number))
        asked = ask("map-ci", {"power": terms["power"], "margin": margin}, {})
        family = Family(asked, design, scored, measure, comparison, threads=1)
        nan = np.full(number, NAN)
        of = Estimates(np.full(number, self.difference), nan, nan, np.full(number, 50))
        limits = np.repeat([self.limits], number, axis=0).T
        for source in scored.sources:
            tests = np.full(number, "t" if source.name == TOPICS else "", object)
            p, p_adjusted = np.full(number, self.p), np.full(number, self.p_adjusted)
            family.kept["over", source.key] = means.Tested(of, limits, p, tests, p_adjusted=p_adjusted)
        numbers = {"smallest_p", "detectable", "topics_needed", "p_equivalence_adjusted", "p_not_worse_adjusted"}
        family.kept["resolution", TOPICS] = {
            "verdict": np.array([self.verdict] * number), "reason": np.array([self.claims.get("reason", "")] * number),
            "few": np.zeros(number, np.bool_), **{name: np.full(number, self.claims.get(name, NAN)) for name in numbers},
        }  # fmt: skip
        return list(sentences_of_pair(family, 0, scored.sources))


def outcomes() -> Iterator[Outcome]:
    """All outcomes of a pair."""
    for difference, (p, p_adjusted), (lower, upper), populations, margin in itertools.product(
        (0.05, -0.05, 0.0), PS, LIMITS, POPULATIONS, (None, 0.2, 0.001)
    ):
        if difference == 0 and p < 1:
            p, p_adjusted = 1.0, 1.0
        sign = -1 if difference < 0 else 1
        limits = (min(sign * lower, sign * upper), max(sign * lower, sign * upper)) if lower == lower else (NAN, NAN)
        equivalent = margin == 0.2 and p == p
        for verdict in verdicts_for(p_adjusted, difference, equivalent):
            claims: dict[str, Any] = {
                "reason": "unresolvable" if verdict == "inconclusive" and p == p and p > 0.2 else "",
                "smallest_p": NAN if p != p else 0.0625,
                "p_equivalence_adjusted": NAN if p != p else 0.01 if equivalent else 0.6,
                "detectable": NAN if p != p else 0.08, "topics_needed": math.inf if difference == 0 else 120.0,
            }  # fmt: skip
            yield Outcome(difference, limits, p, p_adjusted, verdict, populations, claims, margin)


CASES = list(outcomes())


@pytest.mark.parametrize(
    ("cases", "terms"),
    [(CASES[::5], TERMS[::7]), pytest.param(CASES, TERMS, marks=pytest.mark.check)],
    ids=["some", "all"],
)
def test_sentences_on_pairs_follow_their_findings(cases: list[Outcome], terms: list[Mapping[str, Any]]) -> None:
    for outcome, of_all in itertools.product(cases, terms):
        sentences = outcome.sentences(of_all)
        text, case, is_significant = " ".join(sentences), (outcome, of_all, sentences), outcome.p_adjusted <= ALPHA
        if outcome.verdict == "identical" and TOPICS in outcome.over:
            assert len(sentences) == 1, case
            continue
        is_known = not math.isnan(outcome.p_adjusted)
        # A difference is called inconclusive where no p is significant, and never where all are.
        assert ("inconclusive" in text) == any(
            is_known
            and not (is_significant and outcome.difference)
            and (over != TOPICS or outcome.verdict != "equivalent")
            for over in outcome.over
        ), case
        assert ("cannot be tested" in text) != is_known, case
        # Which run is higher is the same throughout: here every test points as the mean does.
        if outcome.difference:
            assert f" {'higher' if outcome.difference > 0 else 'lower'} " in sentences[0], case
            assert not re.search("lower|fewer" if outcome.difference > 0 else "higher", text), case
        first = outcome.over[0]
        if outcome.limits[0] < outcome.limits[1] and is_known and "although" not in text:
            assert ("the interval includes 0" in sentences[0]) <= (outcome.limits[0] <= 0 <= outcome.limits[1]), case
        # Equivalence is said where its test says so.
        if outcome.margin and first == TOPICS:
            is_within = outcome.claims["p_equivalence_adjusted"] == 0.01
            assert ("The difference is within the margin of" in text) == is_within, case
        assert len(set(sentences)) == len(sentences), case
        for sentence in sentences:
            assert len(sentence.split()) <= MOST_WORDS + 2, case
            assert re.fullmatch(r"[A-Za-z0-9].*[^.]\.", sentence), case
            assert not UNDEFINED.search(sentence), case
            assert not NOT_SAID.search(sentence), case
            assert sentence.count("% CI") <= 1, case


def test_intervals_that_do_not_agree_with_p() -> None:
    """p decides: significant with an interval around 0, or not with one that excludes it, which many pairs may explain."""

    def said(limits: Ends, p: float, p_adjusted: float, pairs: int = 1) -> str:
        verdict: Verdict = "better" if p_adjusted <= ALPHA else "inconclusive"
        return Outcome(0.1, limits, p, p_adjusted, verdict).sentences({"pairs": pairs})[0]

    assert "significant, although the interval includes 0" in said((-0.1, 0.3), 0.01, 0.01)
    assert "inconclusive, although the interval excludes 0" in said((0.1, 0.3), 0.1, 0.1)
    assert "inconclusive: p is adjusted for 10 pairs" in said((0.1, 0.3), 0.01, 0.1, 10)
    for agreeing in (said((0.1, 0.3), 0.01, 0.01), said((-0.1, 0.3), 0.2, 0.2)):
        assert "although" not in agreeing
    assert (
        said((0.0410, 0.1384), 0.0005489, 0.0005489)
        == "new scores .100 higher than old in map (95% CI .041 to .138; paired t test, p = .0005, 50 topics)."
    )


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_test_that_contradicts_the_means(test: str) -> None:
    (sentence,) = Outcome(-0.1, (-0.3, 0.1), 0.01, 0.01, "better").sentences({"test": test})
    assert sentence.startswith("new scores .10 lower than old")
    assert sentence.endswith(", but significantly higher by this test.")


def test_numbers_have_the_digits_of_their_interval() -> None:
    assert interval_in_words(0.0410, 0.1384) == ".041 to .138"
    assert interval_in_words(-0.02, 0.38) == "-.02 to .38"
    assert interval_in_words(-1e-5, 3e-5) == "-.000010 to .000030"
    assert interval_in_words(12.0, 88.0) == "12 to 88"
    assert " ".join(map(amount, (0.53021, -0.5, 1.25, 0.0, 1e-5))) == ".5302 -.5000 1.2500 .0000 1e-05"


def test_p_is_told_from_a_usual_level() -> None:
    p = [p_text(p) for p in (0.0504, 0.05, 0.0496, 0.0997, 0.031, 0.0005489, 1e-5, 1.0)]
    assert p == [
        "p = .0504", "p = .05", "p = .0496", "p = .0997", "p = .031", "p = .0005", "p < .0001", "p = 1",
    ]  # fmt: skip


def test_the_widest_interval_of_a_topic_is_named() -> None:
    topics = [row for row in rows_of("ap-ci", QRELS, RUNS[0]) if row["topic"] != "all"]
    widest = max(topics, key=lambda row: row["upper"] - row["lower"])
    interval = interval_in_words(widest["lower"], widest["upper"])
    sentence = f"# The widest interval in map is that of topic {widest['topic']}: {interval}.\n"
    assert sentence in printed("ap-ci", "--explain", QRELS, RUNS[0])
