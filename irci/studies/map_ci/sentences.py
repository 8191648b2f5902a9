"""map-ci in plain words: means, and pairs by their verdicts."""

from collections.abc import Iterable, Iterator

import numpy as np

from irci.choices import BOTH, DOCUMENTS, TOPICS, Population
from irci.data.measures import Measure
from irci.methods.map_ci.differences import mean_values
from irci.methods.map_ci.resolution import POWER, Resolution
from irci.output.report import PValue, Row, as_read
from irci.stats.scales import Scale
from irci.stats.verdicts import Verdict
from irci.studies.map_ci.pairs import ComparedRuns
from irci.studies.map_ci.settings import Settings

OTHERS: dict[Population, str] = {
    DOCUMENTS: "over other documents on these topics",
    TOPICS: "over other topics of this kind",
    BOTH: "over other topics and other documents",
}

OF_MEAN: dict[Population, str] = {
    DOCUMENTS: "on these topics, its expected mean over collections of this size and kind lies",
    TOPICS: "its mean over all topics of this kind lies",
    BOTH: "allowing for other topics and other documents of this kind, its mean lies",
}


def sentences_of_means(rows: Iterable[Row], settings: Settings) -> Iterator[str]:
    """A sentence for each mean that has limits."""
    for row in map(as_read, rows):
        lower, upper = float(row["lower"] or 0), float(row["upper"] or 0)
        if np.isnan(lower):
            continue
        if lower == upper and row["population"] != DOCUMENTS:
            yield f"{row['run']} scores {row['value']:.4f} in {row['measure']} on every topic: that says nothing of others."
            continue
        what = OF_MEAN[row["population"]]  # type: ignore[index]
        if settings.interval == "prediction" and row["population"] == TOPICS:
            what = f"its mean over {_number(settings.new_topics)} other topics of this kind will lie"
        yield (
            f"{row['run']} scores {row['value']:.4f} in {row['measure']}; {what} between {lower:.4f} and {upper:.4f}"
            f" ({100 * settings.confidence:g}% confidence)."
        )


def sentences_of_pairs(runs: ComparedRuns, measure: Measure) -> Iterator[str]:
    """One plain sentence a pair."""
    scale = runs.asked.method.scale(measure)
    pairs = runs.family.comparison.pairs
    of_runs, of_baselines = (scale.back(each) for each in mean_values(scale.forward(runs.values), pairs))
    for pair, (run, baseline) in enumerate(pairs.tolist()):
        beginning = (
            f"{runs.names[run]} scores {of_runs[pair]:.4f} in {measure.name}"
            f" and {runs.names[baseline]} {of_baselines[pair]:.4f}"
        )
        parts = [_part(runs, measure, population, pair) for population in runs.asked.populations]
        yield f"{beginning}: {'; '.join(parts)}."


def _part(runs: ComparedRuns, measure: Measure, population: Population, pair: int) -> str:
    """What one population says of a pair."""
    tested = runs.tested(measure)
    of, p = tested.differences[population], float(tested.p_adjusted[population][pair])
    alpha = 1 - runs.asked.method.confidence
    adjusted = "" if runs.asked.method.correction == "none" else "adjusted "
    shown = f"({adjusted}p {_as_told(runs.p_value(p, population))})"
    word = "higher" if of.value[pair] > 0 else "lower"
    if population == TOPICS:
        return _of_topics(runs, measure, pair, shown, word)
    if population == BOTH:
        if np.isnan(p):
            return "allowing for other topics and documents, nothing can be told"
        if p <= alpha and of.value[pair] != 0:
            return f"it scores {word}, allowing for other topics and other documents at once {shown}"
        return f"allowing for other topics and other documents at once, that is too little to tell {shown}"
    if np.isnan(p):
        return "on these topics, documents are not resampled, or say nothing"
    if of.value[pair] == 0:
        return "on these topics, there is no difference"
    if p <= alpha:
        return f"on these topics, a different sample of documents would hardly reverse this {shown}"
    return f"on these topics, a different sample of documents could reverse this {shown}"


def _as_told(p: PValue) -> str:
    """= 0.03, or < 1e-16."""
    text = str(p)
    return f"< {text[1:]}" if text.startswith("<") else f"= {float(p):.2g}"


def _of_topics(runs: ComparedRuns, measure: Measure, pair: int, shown: str, word: str) -> str:
    """What the topics say of a pair, by its verdict."""
    found = runs.resolution(measure)
    of = runs.tested(measure).differences[TOPICS]
    margin = runs.margin(measure)
    of_scale = scale_in_words(runs.asked.method.scale(measure))
    within = "" if margin is None else f"{margin[pair]:.4f}{of_scale}"
    verdict: Verdict = found.verdict[pair]
    match verdict:
        case "identical":
            return "no topic shows a difference"
        case "better" | "worse":
            return f"on topics of this kind, {_found(runs, verdict)} {shown}"
        case "better-negligible" | "worse-negligible":
            return (
                f"on topics of this kind, {_found(runs, verdict)} {shown},"
                f" but on average by less than the margin of {within}"
            )
        case "equivalent":
            p = (
                _as_told(PValue(float(found.p_equivalence_adjusted[pair])))
                if found.p_equivalence_adjusted is not None
                else ""
            )
            return f"on topics of this kind, the two differ on average by less than the margin of {within} (adjusted p {p})"
        case "unresolvable":
            smallest = _as_told(PValue(float(found.smallest_p[pair])))
            which = "the adjusted p" if runs.asked.method.correction == "maxt" else "p"
            cannot = f"these topics cannot tell whether it scores {word} on others"
            return f"{cannot}: {which} could not have been below {smallest[2:]}"
        case "unresolved":
            limits = f"{of.lower[pair]:.4f} and {of.upper[pair]:.4f} {_holds_for(runs)}"
            what = f"the mean difference{of_scale}{_on_others(runs)} between {limits}"
            detectable = _detectable(found, pair, of_scale)
            return f"on topics of this kind, that is too little to tell {shown}: {what}{detectable}"


def _found(runs: ComparedRuns, verdict: Verdict) -> str:
    """What a significant test says, which is about means only if the test is."""
    word = "higher" if verdict.startswith("better") else "lower"
    match runs.asked.method.test:
        case "sign":
            return f"it scores {word} more often than not"
        case "wilcoxon":
            return f"it tends to score {word}, by the ranks of the differences"
        case _:
            return f"it scores {word} on average"


def scale_in_words(scale: Scale) -> str:
    """What is averaged and subtracted, where it is not the scores themselves."""
    return {"logit": " of logits", "log": " of logarithms"}.get(scale.name, "")


def _on_others(runs: ComparedRuns) -> str:
    """Of which topics limits speak."""
    settings = runs.asked.method
    if settings.interval != "prediction":
        return " lies"
    return f" on {_number(settings.new_topics)} other topics will lie"


def _number(new_topics: int | None) -> str:
    return "as many" if new_topics is None else str(new_topics)


def _holds_for(runs: ComparedRuns) -> str:
    """How sure limits are, and of what: unlike the adjusted p, nearly all are of the pair alone."""
    percent = f"{100 * runs.asked.method.confidence:g}% confidence"
    if len(runs.family.comparison.pairs) == 1:
        return f"({percent})"
    together = runs.asked.method.interval == "simultaneous"
    return f"({percent} for all pairs at once)" if together else f"({percent} for this pair alone)"


def _detectable(found: Resolution, pair: int, of_scale: str) -> str:
    """The least difference that would have been found."""
    least = found.detectable[pair]
    if not least > 0:
        return ""
    return (
        f"; a t test of this pair alone would have found a true difference{of_scale} of {least:.4f}"
        f" in {POWER:.0%} of such experiments"
    )


def sentence_of_family(runs: ComparedRuns) -> str:
    """For how many pairs p is adjusted, and how."""
    correction = runs.asked.method.correction
    number = len(runs.all_tested.comparison.pairs)
    pairs = "the pair shown" if number == 1 else f"{number} pairs"
    if correction == "none":
        return f"p is not adjusted for the number of pairs, {number}."
    how = {
        "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
        "bh": "by Benjamini and Hochberg's method",
    }[correction]  # fmt: skip
    limits = "; limits hold for all pairs at once, and where they contain 0 the adjusted p decides"
    simultaneously = limits if runs.asked.method.interval == "simultaneous" else ""
    return f"p is adjusted {how} for {pairs}; each measure and each population is a family of its own{simultaneously}."
