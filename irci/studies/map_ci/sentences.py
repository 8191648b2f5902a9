"""map-ci in plain words: pairs one by one, or counted where they are many; ranks; effects combined over topics."""

import math
from collections.abc import Iterator

import numpy as np

from irci.base.choices import BOTH, TOPICS, MetaMethod, PairCorrection, Population
from irci.base.errors import NAMED
from irci.base.types import Ints
from irci.data.measures import Measure
from irci.methods.map_ci.differences import mean_values
from irci.output.report import Row, Table
from irci.stats.decisions import separated
from irci.studies.map_ci.pair_sentences import LEAD, ORDER, SCALES, OfTopics, Over, Pair, Terms, sentences_of_pair
from irci.studies.map_ci.pairs import ComparedRuns
from irci.studies.wording import MOST, amount, first_names, p_text

MOST_PAIRS = 6  # told one by one
# Where counts and ranks are told, whose beginnings are those of pairs but for what documents mean.
AMONG: dict[Population, str] = {**LEAD, "documents": "In collections of this size and kind, on these topics"}
BOTH_IS_CAUTIOUS = (
    "Limits over both count the documents twice, because the topics' scores already vary with them: --population topics"
    " is enough."
)


def sentences_of_pairs(runs: ComparedRuns, measure: Measure) -> Iterator[str]:
    """What is said of each pair; of many, how many differ."""
    if len(runs.family.comparison.pairs) <= MOST_PAIRS:
        for place in range(len(runs.family.comparison.pairs)):
            yield from sentences_of_pair(_pair(runs, measure, place), terms_of(runs, measure))
    else:
        for population in ORDER:
            if population in runs.asked.populations:
                yield from _counted(runs, measure, population)
    if BOTH in runs.asked.populations:
        yield BOTH_IS_CAUTIOUS


def terms_of(runs: ComparedRuns, measure: Measure) -> Terms:
    """What holds for all pairs."""
    settings = runs.asked.method
    scale = settings.scale(measure).name
    return Terms(
        measure.name, scale if scale in SCALES else "", settings.confidence, _pairs_adjusted_for(runs),
        settings.correction, settings.test, settings.interval, settings.new_topics, runs.asked.settings.power,
    )  # fmt: skip


def _pairs_adjusted_for(runs: ComparedRuns) -> int:
    return len(runs.all_tested.comparison.pairs)


def _pair(runs: ComparedRuns, measure: Measure, place: int) -> Pair:
    """One pair as sentences take it."""
    scale, tested = runs.asked.method.scale(measure), runs.tested(measure)
    run, baseline = runs.family.comparison.pairs[place].tolist()
    means = mean_values(scale.forward(runs.values), runs.family.comparison.pairs[place : place + 1])
    of_run, of_baseline = (float(scale.back(each)[0]) for each in means)
    over = {
        population: Over(
            float(of.lower[place]), float(of.upper[place]), runs.p_value(float(of.p[place]), population),
            runs.p_value(float(tested.p_adjusted[population][place]), population),
        )
        for population, of in tested.differences.items()
    }  # fmt: skip
    difference = float(next(iter(tested.differences.values())).value[place])
    topics = _of_topics(runs, measure, place) if TOPICS in over else None
    name = f"the {runs.names[baseline]} of all runs" if runs.family.comparison.pooled else runs.names[baseline]
    return Pair(runs.names[run], name, of_run, of_baseline, difference, over, topics)


def _of_topics(runs: ComparedRuns, measure: Measure, place: int) -> OfTopics:
    found, margin = runs.resolution(measure), runs.margin(measure)
    power = found.power
    return OfTopics(
        found.verdict[place], float(found.smallest_p[place]), None if margin is None else float(margin[place]),
        math.nan if found.p_equivalence_adjusted is None else float(found.p_equivalence_adjusted[place]),
        float(found.detectable[place]), math.nan if power is None else float(power.topics_needed[place]),
        math.nan if power is None else float(power.reversal[place]),
    )  # fmt: skip


def _signs(runs: ComparedRuns, measure: Measure, population: Population) -> Ints:
    """int64[P]: 1 or -1 where a pair differs significantly, as the test points, else 0."""
    tested = runs.tested(measure)
    if population == TOPICS:
        verdicts = runs.resolution(measure).verdict
        return np.array([each.startswith("better") - each.startswith("worse") for each in verdicts], np.int64)
    found = separated(np.nan_to_num(tested.p_adjusted[population], nan=1.0), 1 - runs.asked.method.confidence)
    return np.where(found, np.sign(tested.differences[population].value), 0).astype(np.int64)


def _counted(runs: ComparedRuns, measure: Measure, population: Population) -> Iterator[str]:
    """How many of many pairs differ significantly; against a baseline, which runs."""
    signs, pairs = _signs(runs, measure, population), runs.family.comparison.pairs
    adjusted = terms_of(runs, measure).p_name
    if runs.asked.settings.all_pairs:
        count = int(np.count_nonzero(signs))
        of_pairs = f"{count} of {len(signs)} pairs of runs"
        yield f"{AMONG[population]}, {of_pairs} differ significantly in {measure.name} (by {adjusted})."
    else:
        baseline = runs.names[int(pairs[0, 1])]
        if runs.family.comparison.pooled:
            baseline = f"the {baseline} of all runs"
        order = np.argsort(-np.abs(runs.tested(measure).differences[population].value), kind="stable")
        for sign, word in ((1, "higher"), (-1, "lower")):
            names = [runs.names[int(pairs[place, 0])] for place in order if signs[place] == sign]
            which = f": {first_names(names)}" if names else ""
            yield (
                f"{AMONG[population]}, {len(names) or 'none'} of {len(signs)} runs score significantly {word}"
                f" in {measure.name} than {baseline} (by {adjusted}){which}."
            )
    unclear = int((signs == 0).sum())
    if unclear:
        left = [" and ".join(runs.names[side] for side in pairs[place]) for place in np.flatnonzero(signs == 0)[:NAMED]]
        which = f": {first_names(left)}" if unclear <= NAMED else ""
        of_pairs = "all of them" if unclear == len(signs) else f"the other {unclear}"
        yield f"For {of_pairs}, there is not enough evidence to tell which run scores higher{which}."


def sentences_of_family(runs: ComparedRuns) -> Iterator[str]:
    """For how many pairs p is adjusted, how, and for which of them limits hold; of one pair there is nothing to say."""
    correction, pairs = runs.asked.method.correction, _pairs_adjusted_for(runs)
    if pairs == 1:
        return
    if correction == "none":
        yield f"p is not adjusted for the number of pairs, {pairs}; limits of differences hold for each pair alone."
        return
    how = {
        "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
        "bh": "by Benjamini and Hochberg's method",
    }[correction]  # fmt: skip
    yield f"p is adjusted for {pairs} pairs {how}, for each measure and each population by itself."
    if runs.asked.method.interval == "simultaneous":
        yield "Limits over topics hold for all pairs at once; where they contain 0, the adjusted p decides."
    else:
        yield "Limits of differences hold for each pair alone."
    if runs.asked.settings.adjusted_limits:
        yield _of_adjusted_limits(correction, pairs, 1 - runs.asked.method.confidence)


def _of_adjusted_limits(correction: PairCorrection, pairs: int, alpha: float) -> str:
    """What they hold for, and where they and the adjusted p may differ."""
    if correction == "bh":
        return (
            "Adjusted limits are for the pairs whose adjusted p is significant: over many experiments, on average at most"
            f" {100 * alpha:.4g}% of them miss the true difference, where an experiment without such pairs counts as 0%. That"
            " is proved for independent pairs, which pairs on the same topics are not. It is said only of limits of pairs so"
            " selected, so the other pairs have none."
        )
    by_steps = "Holm's method" if correction == "holm" else "the largest statistic"
    return (
        f"Adjusted limits hold for all {pairs} pairs at once with {100 * (1 - alpha):g}% confidence; {by_steps} goes by steps"
        " and may find a difference significant where they contain 0: the adjusted p decides."
    )


def sentences_of_ranks(table: Table, confidence: float) -> Iterator[str]:
    """Which runs may be the best."""
    by_population: dict[Population, list[Row]] = {}
    for row in table.rows:
        by_population.setdefault(row["population"], []).append(row)  # type: ignore[arg-type]
    for population in sorted(by_population, key=ORDER.index):
        rows = by_population[population]
        names = [str(row["run"]) for row in sorted(rows, key=lambda row: int(row["value"] or 0)) if row["lower"] == 1]
        sure = f"({100 * confidence:g}% confidence)"
        if len(names) == len(rows):
            which = (
                f"{'either run' if len(rows) == 2 else f'any of {len(rows)} runs'} may be the best in {table.measure}"
            )
        elif len(names) == 1:
            which = f"{names[0]} is the best of {len(rows)} runs in {table.measure} {sure}"
        else:
            which = f"the best of {len(rows)} runs in {table.measure} is among {len(names)} {sure}: {first_names(names, MOST)}"
        yield f"{AMONG[population]}, {which}."


def sentences_of_meta(table: Table, method: MetaMethod, confidence: float) -> Iterator[str]:
    """What the effects combined over topics say of each pair or run, unless they are many; and what they weigh."""
    if len(table.rows) <= MOST_PAIRS:
        for row in table.rows:
            yield from _of_combined(row, method, confidence, len(table.rows))
    if method == "stouffer":
        yield "Stouffer's z adds up the topics' differences of logits, each divided by its error; it is a test, not an effect."
    else:
        shared = "one effect for all topics" if method == "fixed" else "a different effect on each topic"
        yield f"This assumes {shared}; topics are weighted by their precision, so results may differ from plain means."


def _of_combined(row: Row, method: MetaMethod, confidence: float, pairs: int) -> Iterator[str]:
    value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p_adjusted"))
    population: Population = row["population"]  # type: ignore[assignment]
    who = f"{row['run']} less {row['baseline']}" if "baseline" in row else str(row["run"])
    if math.isnan(value):
        yield f"{who}: no topic is left to combine."
        return
    what = "Stouffer's z is" if method == "stouffer" else "the combined effect on the logit scale is"
    limits = "" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {100 * confidence:g}% confidence"
    told = f"{LEAD[population]}, {what} {amount(value)} for {who}{limits}"
    if math.isnan(p):
        yield f"{told}."
        return
    shown = p_text(
        p if not isinstance(row["p_adjusted"], float) else row["p_adjusted"], "adjusted p" if pairs > 1 else "p"
    )
    found = bool(separated(np.array([p]), 1 - confidence)[0])
    word = "higher" if value > 0 else "lower"
    if population == TOPICS:
        said = (
            f"evidence that {row['run']} scores {word}"
            if found
            else "not enough evidence to tell which run scores higher"
        )
    else:
        said = f"a different sample of documents {'is unlikely to' if found else 'could'} reverse this"
    yield f"{told} ({shown}): {said}."
