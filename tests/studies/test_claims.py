"""What is claimed of little, sparse, constant and bounded data, over every source: rows, ranks, sentences,
captions, pages and conditions of --fail-if, held against the rules that every claim obeys.
"""

import itertools
import math
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import pytest
from claim_cases import (
    MARGIN,
    RUN_NAMES,
    Case,
    by_seed,
    cases,
    cases_of_many,
    populations,
    rows_of,
    rows_of_claims,
    scores,
    tried,
)  # fmt: skip
from helpers import pick

from irci.output import page, wide

ALPHA = 0.05
CONCLUSIVE = {"better", "worse", "more", "less", "identical", "equivalent"}
FEWEST = 6  # units of which signs can find anything at ALPHA
ROUNDING = 1e-9  # beside a pair's largest score, which scores that are equal may be apart

NO_WORDS = re.compile(
    r"\bnan\b|\binf\b|\bNone\b(?! of)|  |\.\.|\b1 (topics|pairs|runs|clusters|systems)\b|[^.?]$", re.MULTILINE
)


def number(row: dict[str, Any], name: str) -> float:
    value = row.get(name)
    return math.nan if value is None or isinstance(value, str) else float(value)


def units_of(case: Case, row: dict[str, Any]) -> np.ndarray:
    """float64[U]: the differences of a row on the units of its source, by its population: topics, means over clusters, ..."""
    values = scores(case.kind, case.runs, case.topics)
    if case.source == "seeds":
        values = by_seed(case.kind, values).mean(axis=2)
    both = values[[RUN_NAMES.index(str(row[side])) for side in ("run", "baseline")]]
    place = np.arange(case.topics)
    label = place
    match case.source, row["population"]:
        case ("clusters", "clusters"):
            label = place % 4
        case ("versions", "topics"):
            label = place // 2
        case ("collections", "collections"):
            label = place % 3
        case ("collections", _) if row["collection"] != "all":
            mine = place % 3 == int(str(row["collection"]).removeprefix("col"))
            both, label = both[:, mine], place[mine]
        case ("slices", _) if row["slice"] != "all":
            mine = place % 3 == int(str(row["slice"]).removeprefix("s"))
            both, label = both[:, mine], place[mine]
    run, baseline = np.array([both[:, label == each].mean(axis=1) for each in np.unique(label)]).T
    apart = run - baseline
    return np.where(np.abs(apart) <= ROUNDING * max(run.max(), baseline.max()), 0.0, apart)


def reach_of_nothing(units: int) -> float:
    """The upper bounded limit at confidence 1 - 2 alpha of so many differences, all 0, on a scale of length 1: the c at which
    F(c) = 1 - (1 - c)^U / 2 is 1 - alpha, about ln(.5 / alpha) / U. Where some differ the limits reach further."""
    return float(1 - (2 * ALPHA) ** (1 / units))


def broken_by(case: Case, row: dict[str, Any]) -> Iterator[str]:
    """The rules that a row breaks."""
    p, p_adjusted, verdict = number(row, "p"), number(row, "p_adjusted"), row["verdict"]
    apart = units_of(case, row)
    size = np.abs(apart)
    differ = int((size > 0.01 * size.max()).sum())  # more than next to nothing, beside the largest
    much = int((size > 0.1 * size.max()).sum())
    few = differ < min(10, len(size)) or (much < 10 and 2 * much < len(size))
    plain = case.source in ("topics", "slices")
    if p_adjusted < p:
        yield "p_adjusted below p"
    if plain and row.get("test") != "midp" and p < 2.0 ** (1 - len(size)) * (1 - 1e-12):
        yield "p below what signs allow"
    if number(row, "p_equivalence") < 2.0 ** -len(size) * (1 - 1e-12):
        yield "p of equivalence below what signs allow"
    if verdict.startswith(("better", "worse")) and not p_adjusted <= ALPHA * (1 + 1e-9):
        yield "a direction without a small p"
    if row.get("reason") == "few-differ" and not few:
        yield "few-differ where many differ"
    if verdict == "equivalent" and few and size.max() > 1e-9 and reach_of_nothing(len(size)) > MARGIN:
        yield "equivalent though few units differ"
    lower, upper = number(row, "lower_adjusted"), number(row, "upper_adjusted")
    if lower == lower and not math.isnan(p_adjusted) and row.get("test") != "signs":
        holds = lower < 0 < upper
        if p_adjusted <= ALPHA and holds:
            yield "adjusted limits hold 0 against p_adjusted"
        if p_adjusted > ALPHA * (1 + 1e-9) and (lower > 0 or upper < 0):
            yield "adjusted limits leave out 0 against p_adjusted"
    lower, upper = number(row, "lower"), number(row, "upper")
    if plain and lower == lower and row.get("test") != "signs":
        if p <= ALPHA * (1 - 1e-9) and lower < 0 < upper:
            yield "limits hold 0 against p"
        if p > ALPHA * (1 + 1e-9) and (lower > 0 or upper < 0):
            yield "limits leave out 0 against p"
    if lower == upper and number(row, "value") == number(row, "value"):
        yield "limits without width"
    if not (lower != lower or lower <= number(row, "value") <= upper):
        yield "limits without the value"
    if number(row, "detectable") == 0:
        yield "no difference at all is detectable"


def broken_by_mean(case: Case, row: dict[str, Any]) -> Iterator[str]:
    lower, value, upper = (number(row, name) for name in ("lower", "value", "upper"))
    if case.source == "topics" and lower == lower and not 0 <= lower <= value <= upper <= 1:
        yield "limits off the scale, or without the mean"
    if lower == upper and lower == lower:
        yield "limits without width"


def broken_by_words(case: Case, report: Any) -> Iterator[str]:
    rows = rows_of(report, "difference")
    verdicts = {row["verdict"] for row in rows}
    text = "\n".join([*report.sentences, *report.conclusion])
    claims = {
        r"\binconclusive\b(?! does not)": bool(verdicts - CONCLUSIVE),
        r"difference is within the margin": "equivalent" in verdicts or any(pick(rows, reason="negligible")),
        r"equal scores": "identical" in verdicts,
        r"(?<!documents )at once": any(number(row, "lower_adjusted") == number(row, "lower_adjusted") for row in rows)
        or "No limits that hold for all pairs at once" in text,
        r"adjusted p": case.runs > 2,
    }
    for words, may in claims.items():
        if re.search(words, text) and not may:
            yield f"words: {words}"
    for sentence in [*report.sentences, *report.conclusion]:
        between = re.search(
            r"(?:lies|difference) between (\S+) and ([^\s,]+),? .*: evidence that (?!.*although the limits contain 0)",
            sentence,
        )
        if between and float(between[1]) < 0 < float(between[2]):
            yield f"evidence beside limits that hold 0: {sentence}"
        if re.search(r"is 0\.0000 here \(p = 1\)", sentence) and verdicts == {"identical"}:
            yield f"equal scores told as evidence that lacks: {sentence}"
        if re.match(r"0% of the variance", sentence):
            yield f"nothing told as known: {sentence}"
        if re.search(r"(?<!meant to )hold for all \d+ pairs at once", sentence):
            yield f"more than the warning leaves: {sentence}"
        if re.search(NO_WORDS, sentence):
            yield f"language: {sentence}"


def broken_by_ranks(case: Case, report: Any) -> Iterator[str]:
    """The rules that ranks break beside the pairs that they are made of, which are all pairs of runs."""
    slices = list(dict.fromkeys(row.get("slice") for row in rows_of(report, "estimate")))
    for population, name in itertools.product(populations(report), slices):
        of = {"population": population, **({} if name is None else {"slice": name})}
        ranks = {row["run"]: row for row in rows_of(report, "rank") if of.items() <= row.items()}
        pairs = [row for row in rows_of(report, "difference") if of.items() <= row.items()]
        pairs = [row for row in pairs if row.get("collection", "all") == "all"]
        above, below = dict.fromkeys(ranks, 0), dict.fromkeys(ranks, 0)
        for row in pairs if ranks else ():
            sure = number(row, "p_adjusted") <= ALPHA * (1 + 1e-9)
            higher, lower = ("run", "baseline") if number(row, "value") > 0 else ("baseline", "run")
            above[row[lower]] += sure
            below[row[higher]] += sure
            letters = [set(str(ranks[row[side]]["letters"])) for side in ("run", "baseline")]
            if {"-"} not in letters and bool(letters[0] & letters[1]) == sure:
                yield "letters against p_adjusted"
        for run, row in ranks.items():
            if (row["lower"], row["upper"]) != (1 + above[run], len(ranks) - below[run]):
                yield "limits of a rank against p_adjusted"
        first = [run for run, row in ranks.items() if row["lower"] == 1]
        if ranks and case.kind in ("perfect", "constant") and len(first) < len(ranks):
            yield "ranks of runs that do not differ"
    sure_of_one = re.compile(r"(\w+) is the (best|highest) of")
    named = [found[1] for sentence in report.sentences if (found := sure_of_one.search(sentence))]
    whole = [row for row in rows_of(report, "rank") if row.get("slice", "all") == "all"]
    alone = [row["run"] for row in whole if row["upper"] == 1]
    if set(named) - set(alone):
        yield "the best of all, whose rank may be another"


def said_in_caption(report: Any, population: str) -> str:
    """The caption of a paper's table of a population, without its markup."""
    assert report.caption is not None
    tables = [table._replace(rows=pick(table.rows, population=population)) for table in report.tables]
    return unescape(wide.as_html(report._replace(tables=tables), 4, "brackets").split("</caption>")[0])


# What a caption names by other words than the column `interval` or `test`.
IN_CAPTIONS = {
    "t": r"\bt\b", "bounded": "bounded", "midp": "mid-p", "points": "sign test of points",
    "signs": "signs of equal differences",
    "prediction": "prediction", "selected": "allowing for (its )?having been picked",
}  # fmt: skip


def broken_by_captions(case: Case, report: Any) -> Iterator[str]:
    for population in populations(report):
        caption = said_in_caption(report, population)
        means = [row for row in rows_of(report, "estimate") if row["population"] == population]
        limits = {row["interval"] for row in means if not math.isnan(number(row, "lower")) and "interval" in row}
        for kind in limits:
            if not re.search(IN_CAPTIONS[kind], caption):
                yield f"caption without the kind of limits {kind}: {caption}"
        if not limits and "confidence intervals" in caption and "interval" in means[0]:
            yield f"caption of limits that there are not: {caption}"
        pairs = [row for row in rows_of(report, "difference") if row["population"] == population]
        if "†" not in caption:  # letters are of the mean over collections, and over all slices
            pairs = [row for row in pairs if {row.get("collection", "all"), row.get("slice", "all")} == {"all"}]
        tests = {row["test"] for row in pairs if "significantly different" in caption and case.correction == "holm"}
        for test in tests - {"t", "t, signs"}:  # whose p is only kept from being too small
            if not re.search(IN_CAPTIONS[test], caption):
                yield f"caption without the test {test}: {caption}"
        if re.search(r"\bnan\b|\binf\b|\bNone\b|\(\)|\b0 pairs|\b1 (topics|pairs|runs)\b|  ", caption):
            yield f"language: {caption}"
        if case.runs <= 2 and re.search(r"adjusted(?! for \d+ differences in slices)", caption):
            yield f"adjusted for one pair: {caption}"


def broken_by_best(report: Any) -> Iterator[str]:
    """The rules that the best run breaks: its limits hold those of its mean and the corrected mean, and its row says what
    sentences do."""
    for row in (row for row in rows_of(report, "best") if "baseline" not in row):
        names = ("value", "lower", "upper", "corrected", "p_best")
        value, lower, upper, corrected, p = (number(row, each) for each in names)
        (mean,) = pick(rows_of(report, "estimate"), run=row["run"])
        if number(mean, "value") != pytest.approx(value) or lower > number(mean, "lower") + ROUNDING:
            yield "limits of the best run that are surer than those of its mean"
        if not (lower - ROUNDING <= corrected <= value + ROUNDING <= upper + 2 * ROUNDING) and not math.isnan(lower):
            yield f"limits of the best run without its corrected mean: {row}"
        told = [each for each in report.sentences if each.startswith(f"{row['run']} came out best of {row['of']} runs")]
        if len(told) != (row["of"] > 1):
            yield f"sentences on the best run: {told}"
        for where in told:
            shown = "lead over all other runs is significant" in where
            not_shown = "lead over all other runs is not significant" in where
            if (shown, not_shown) != (p <= ALPHA, p > ALPHA):
                yield f"p_best {p}: {where}"


def broken_by_page(report: Any) -> Iterator[str]:
    """The rules that a page breaks: what it says beside its tables are its conclusion and sentences, and what columns mean."""
    asked = {"question": "Which?", "line": "irci map-ci", "citations": "", "warnings": report.warnings}
    whole = "".join(page.page(report, 4, **asked))
    said = re.search(r'<section id="answer">(.*?)</section>', whole, re.DOTALL)
    answer = [unescape(each) for each in re.findall(r"<p>(.*?)</p>", said[1] if said else "", re.DOTALL)]
    others = [each for each in report.sentences if each not in report.conclusion]
    if answer != [*(f"<strong>{each}</strong>" for each in report.conclusion), *others[:300]]:
        yield "a page that says another thing"
    warned = re.search(r'<section id="warnings">(.*?)</section>', whole, re.DOTALL)
    if warned is None or len(re.findall("<li>", warned[1])) != len(report.warnings):
        yield "a page without warnings of the report"
    beside = re.sub(r"(?s)<(table|style|script|dl).*?</\1>|<pre>.*?</pre>", "", whole)
    beside = unescape(re.sub(r"<[^>]*>", "", beside.replace(said[0] if said else "", "")))
    if re.search(r"\bnan\b|\bevidence\b|\bequivalent\b|unlikely to|(?<!documents )at once(?! over)", beside):
        yield f"a page that claims beside its answer: {beside}"


def broken_by_claims(case: Case, report: Any) -> Iterator[str]:
    """The rules that --survives breaks: claims are those of rows by the largest statistic over topics, verdicts and counts
    those of the rows of differences beside them."""
    if case.correction != "survives":
        return
    rows = [row for row in rows_of(report, "difference") if row.get("collection", "all") == "all"]
    of = {(row["population"], row["run"], row["baseline"]): row for row in rows}
    claims = {}
    for claim in rows_of(report, "claim"):
        key = claim["run"], claim["baseline"]
        sign = 1 if ("topics", *key) in of else -1
        claims[key[::sign]] = sign * claim["value"], claim
    family = rows_of_claims(case)
    if claims.keys() - {(row["run"], row["baseline"]) for row in family}:
        yield "a claim that is no pair"
    for row in family:
        key = row["run"], row["baseline"]
        few = case.topics // (2 if case.source == "versions" else 1) < FEWEST
        is_found = number(row, "p_adjusted") <= ALPHA * (1 + 1e-9) and row["value"] != 0 and not few
        if is_found != (key in claims):
            yield "a claim that no row is, or a row that no claim is"
        if not is_found or key not in claims:
            continue
        value, claim = claims[key]
        other = of[(case.source, *key)]
        p_other, known = number(other, "p_adjusted"), len(units_of(case, other)) >= FEWEST
        verdict = "not testable"
        if known and p_other == p_other and other["value"] != 0:
            same, sure = other["value"] * value > 0, p_other <= ALPHA * (1 + 1e-9)
            verdict = ("confirmed" if same else "reversed") if sure else "not confirmed"
        if value != row["value"] or float(claim["p_adjusted"]) != float(row["p_adjusted"]):
            yield "a claim that is not its row"
        if claim[case.source] != verdict:
            yield f"{claim[case.source]} where the rows say {verdict}"
        if (claim["survives"], claim["of"]) != (verdict == "confirmed", verdict != "not testable"):
            yield "counts that are not those of verdicts"
        p_all = number(claim, "p_all")
        if (p_all == p_all) != (verdict != "not testable") or p_all < max(number(row, "p"), number(other, "p")):
            yield "p_all without its sources"
    said = [*report.conclusion, *report.sentences]
    said_of_claims = ("nothing to confirm", "onfirmed by", "to confirm it", "could be tested")
    if not any(words in sentence for sentence in said for words in said_of_claims):
        yield "no sentence on claims"
    if any("%" in each for each in said if "surviv" in each):
        yield "a percentage of sources"


def broken(case: Case) -> set[str]:
    report = tried(case)
    if isinstance(report, str):
        return set() if case.topics == 1 else {f"refused: {report}"}
    found = {rule for row in rows_of(report, "difference") for rule in broken_by(case, row)}
    means = rows_of(report, "estimate")
    found |= {f"mean: {rule}" for row in means for rule in broken_by_mean(case, row)}
    for broken_by_report in (broken_by_words, broken_by_claims, broken_by_ranks, broken_by_captions):
        found |= set(broken_by_report(case, report))
    return found | set(broken_by_best(report)) | set(broken_by_page(report))


@pytest.fixture(autouse=True)
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without pictures, which take long."""
    monkeypatch.setattr(page, "_figures", lambda report: ())


@pytest.mark.sample(25, 300)
@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_claims_hold_under_their_conditions(case: Case) -> None:
    assert broken(case) == set()


@pytest.mark.sample(1, 12)
@pytest.mark.parametrize("case", list(cases_of_many()), ids=lambda case: case.name)
def test_claims_of_many_runs_hold(case: Case) -> None:
    assert broken(case) == set()
