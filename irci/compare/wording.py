"""Words that the sentences of several commands share: numbers, p-values, lists of names, and runs' means with their limits."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, Population
from irci.base.names import first_names, plural
from irci.base.types import gathered
from irci.output.tables import PValue, Row, Table, as_read

if TYPE_CHECKING:  # measures take kernels along
    from irci.measures import Measure

MOST = 10  # runs told one by one
USUAL_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001)
OF_KIND = {"bounded": "bounded by the ends of the scale"}

# What a limit over each population is a limit of.
LIMITS_ARE_OF: dict[str, str] = {
    DOCUMENTS: "Limits over documents are for the mean expected on these topics in collections of this size and kind.",
    TOPICS: "Limits over topics are for the mean over all topics of this kind.",
    BOTH: "Limits over both are for the mean over all topics and documents of this kind.",
    "clusters": "Limits over clusters are for the mean over all clusters like these, not these alone.",
}


def kinds_in_words(kinds: Iterable[str]) -> str:
    """The kinds of limits of several means, in words; t where nothing else is known."""
    every = list(dict.fromkeys(kinds))
    bounded, others = ([kind for kind in every if (kind == "bounded") is is_so] for is_so in (True, False))
    of_others = [OF_KIND.get(kind, "t") for kind in others]
    if not bounded:
        return of_others[0] if of_others else "t"
    (kind,) = bounded
    return f"t, or {OF_KIND[kind]} where scores hardly vary" if of_others else OF_KIND[kind]


def amount(number: float) -> str:
    """With four decimals, or one digit where these are all 0."""
    shown = f"{number:.4f}"
    return f"{number:.1g}" if float(shown) == 0 and number != 0 else shown


def directions(measure: "Measure") -> tuple[str, str]:
    """The words for a score above another and for one below: higher and lower, or more and less where more is not better."""
    return ("higher", "lower") if measure.more_is_better else ("more", "less")


def direction(difference: float, measure: "Measure") -> str:
    """The word for what a run scores, seen from its baseline."""
    return directions(measure)[0 if difference > 0 else 1]


def verdict_of(verdict: str, measure: "Measure") -> str:
    """The verdict in a word: where more is not better, more and less in place of better and worse."""
    return verdict if measure.more_is_better else verdict.replace("better", "more").replace("worse", "less")


def plain(number: float) -> float:
    """A whole number as such, which is printed without decimals."""
    return int(number) if number == int(number) else number


def p_text(p: float, name: str = "p") -> str:
    """p = 0.03, or p < 1e-16; with as many digits as it takes to tell it from a usual level."""
    told = p if isinstance(p, PValue) else PValue(p)
    if str(told).startswith("<"):
        return f"{name} < {str(told)[1:]}"
    digits = next((digits for digits in (2, 3, 4) if float(f"{p:.{digits}g}") not in USUAL_LEVELS), 2)
    return f"{name} = {float(p):.{digits}g}"


def although(lower: float, upper: float, *, found: bool, found_alone: bool) -> str:
    """Where limits and the p that decides do not agree, by which of them; "" where they do, are missing, or where p is not
    significant but for its adjustment. `found`: that p is significant; `found_alone`: p before it was adjusted."""
    if found and lower <= 0 <= upper:
        return ", although the limits contain 0"
    if not found and not found_alone and (lower > 0 or upper < 0):
        return ", although the limits leave out 0"
    return ""


def name_of_p(pairs: int) -> str:
    """p, or adjusted p where there are other pairs that it is adjusted for."""
    return "adjusted p" if pairs > 1 else "p"


def sentence_on_margin(lead: str, within: str, p: float, name: str, *, found: bool, few: str) -> str:
    """A sentence on equivalence within a margin, told in words; `few`: on how few the two differ, where these are too few."""
    told = "" if math.isnan(p) else f" ({p_text(p, name)})"
    if found:
        return f"{lead}, the two differ on average by less than the margin of {within}{told}."
    because = f": {few}" if few else ""
    return f"It is not shown that the mean difference is smaller than the margin of {within}{told}{because}."


def sentence_on_detectable(detectable: float, told: str) -> str:
    """The rest of a sentence on the difference that a test detects, told in words; infinite where it detects none."""
    if math.isinf(detectable):
        return "no difference, however large, is found 80% of the time by a t test of this pair alone."
    return f"a t test of this pair alone finds {told} 80% of the time."


def sentence_on_topics_needed(needed: float) -> str:
    """A sentence on the topics that a cautious estimate of the difference takes."""
    if math.isinf(needed):
        return "This difference is not known well enough to say how many topics would find it."
    will_do = f"{needed:.0f} topics will do, unless the true one is much smaller than seen"
    return f"To find this difference 80% of the time {will_do}."


def sentences_on_verdicts(
    lead: str,
    measure: str,
    verdicts: Sequence[str],
    needed: Sequence[float],
) -> Iterator[str]:
    """Sentences on many pairs: how many have which verdict; and, where these are told, the range of topics that cautious
    estimates of the differences take."""
    counts = Counter(verdicts).most_common()
    told = ", ".join(f"{number} {verdict}" for verdict, number in counts)
    yield f"{lead}, the verdicts on {len(verdicts)} pairs in {measure} are: {told}."
    finite, unknown = [each for each in needed if math.isfinite(each)], sum(map(math.isinf, needed))
    if finite:
        others = f"; for {plural(unknown, 'pair')} no number can be named" if unknown else ""
        yield (
            f"To find these differences 80% of the time {_range(finite)} topics will do, by the pair, unless the true ones are"
            f" much smaller than seen{others}."
        )
    elif unknown:
        yield "None of these differences is known well enough to say how many topics would find it."


def _range(numbers: Sequence[float]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}"


def sentences_of_means(
    rows: Iterable[Row], confidence: float, default: Population, new_topics: str = ""
) -> Iterator[str]:
    """Sentences of what runs score, with limits by what varies, or by the one thing that does; if runs are many only in
    summary.

    new_topics: how many other topics limits over topics are for, if they predict another mean.
    """
    means: dict[str, dict[str, dict[Population, Row]]] = {}  # of each measure and run
    for row in map(as_read, rows):
        population: Population = row.get("population", default)  # type: ignore[assignment]
        means.setdefault(str(row["measure"]), {}).setdefault(str(row["run"]), {})[population] = row
    limited: dict[Population, None] = {}
    for measure, of_measure in means.items():
        limited |= {each: None for of in of_measure.values() for each, row in of.items() if _has_limits(row)}
        if len(of_measure) > MOST:
            yield from _summary(measure, of_measure, confidence)
        else:
            yield from (_sentence(measure, run, of, confidence) for run, of in of_measure.items())
    for population in limited:
        if population == TOPICS and new_topics:
            yield f"Limits over topics are for the mean over {new_topics} other topics of this kind."
        else:
            yield LIMITS_ARE_OF[population]


def means_in(tables: Iterable[Table]) -> Iterator[Row]:
    """The rows of means in tables of any kinds."""
    return (row for table in tables if table.kind == "estimate" for row in table.rows)


def highest_means(rows: Iterable[Row], confidence: float, default: Population) -> Iterator[str]:
    """The run that scores highest by each measure, of one run its mean with limits; `rows`: of means, as for
    `sentences_of_means`."""
    means: dict[str, dict[str, Row]] = {}
    for row in map(as_read, rows):
        if row["topic"] == "all":
            means.setdefault(str(row["measure"]), {}).setdefault(str(row["run"]), row)
    for measure, of_run in means.items():
        values = {run: number(row, "value") for run, row in of_run.items()}
        top = max((value for value in values.values() if not math.isnan(value)), default=math.nan)
        first = [run for run, value in values.items() if value == top]
        if len(values) == 1:
            ((run, row),) = of_run.items()
            population: Population = row.get("population", default)  # type: ignore[assignment]
            yield _sentence(measure, run, {population: row}, confidence)
        elif first:
            who = f"{first_names(first)} {'scores' if len(first) == 1 else 'score'}"
            yield f"{who} highest of {len(values)} runs in {measure}, {amount(top)}; no difference was tested."


def _has_limits(row: Row) -> bool:
    return not (math.isnan(number(row, "lower")) or math.isnan(number(row, "upper")))


def number(row: Row, column: str) -> float:
    """The number that a cell holds, nan if none."""
    cell = row[column]
    return float(cell) if isinstance(cell, float | int) else math.nan


def _sentence(measure: str, run: str, of: Mapping[Population, Row], confidence: float) -> str:
    value = next(iter(of.values()))["value"]
    shown = str(value) if isinstance(value, int) else amount(number({"value": value}, "value"))
    limits = [
        f"{amount(number(row, 'lower'))} to {amount(number(row, 'upper'))} over {population}"
        for population, row in of.items()
        if _has_limits(row)
    ]
    if not limits:
        return f"{run} scores {shown} in {measure}."
    return f"{run} scores {shown} in {measure}: {100 * confidence:g}% confidence limits {', '.join(limits)}."


def _summary(measure: str, of_measure: Mapping[str, Mapping[Population, Row]], confidence: float) -> Iterator[str]:
    """Many runs: the highest and the lowest, and how wide their intervals are."""
    values = {run: number(next(iter(of.values())), "value") for run, of in of_measure.items()}
    best, worst = max(values, key=lambda run: values[run]), min(values, key=lambda run: values[run])
    lowest = f"{worst} lowest, {amount(values[worst])}"
    yield f"{best} scores highest of {len(values)} runs in {measure}, {amount(values[best])}; {lowest}."
    of_population = gathered(
        (population, number(row, "upper") - number(row, "lower"))
        for of in of_measure.values()
        for population, row in of.items()
        if _has_limits(row)
    )
    widths = [f"{amount(float(np.median(some)))} over {name}" for name, some in of_population.items()]
    if widths:
        yield f"The median width of the {100 * confidence:g}% confidence intervals is {', '.join(widths)}."


def of_other_documents(measure: "Measure", *, found: bool) -> str:
    """The conclusion from a significant, or another, difference over documents."""
    if found and measure.is_of_the_top:
        return too_sure(measure)
    return f"a different sample of documents {'is unlikely to' if found else 'could'} reverse this"


def too_sure(measure: "Measure") -> str:
    """The reason why nothing is concluded from p over documents."""
    return f"in {measure.name}, p over documents is too small to rely on; rely on topics (--population topics)"
