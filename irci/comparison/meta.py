"""--meta: effects on single topics, differences of logits, combined into one for each pair or run."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irci.base import plural
from irci.base.choices import DOCUMENTS, TOPICS, MetaMethod
from irci.comparison.family import Family
from irci.comparison.sources.plain import LEAST_NORMAL_P, ResampledDocuments
from irci.estimators.differences import combined, over_topics
from irci.estimators.joint_resamples import NOTHING
from irci.measures import MAP
from irci.output.tables import PValue, Row, Table
from irci.stats.intervals import normal_quantile
from irci.stats.meta import Combined
from irci.stats.scales import clamped_logit
from irci.stats.tests import adjusted
from irci.wording import amount, name_of_p, notify, p_text, say

MOST_PAIRS = 6  # told one by one
MUCH_LEFT_OUT = 0.1  # of the topics
FEWEST = 2  # topics of which limits can be told
LEAST = {TOPICS: 1e-16, DOCUMENTS: LEAST_NORMAL_P}  # p that is told
LEAD = {TOPICS: "For the population of topics", DOCUMENTS: "On these topics, for other documents"}


def combined_rows(family: Family, resampled: ResampledDocuments, method: MetaMethod) -> Table:
    """For each pair, or run, the effects on single topics combined over resampled documents; for Stouffer the z."""
    has_pairs, base, confidence = family.is_of_pairs, family.measure.base.name, family.design.confidence
    effects = list(combined(family.raw, resampled.joint(family).spreads["logit"], method))
    # That a run's own logits average 0 is a hypothesis that nobody has.
    p = np.array([np.nan if effect is None or not has_pairs else effect.p() for effect, _ in effects])
    # Holm where others have the largest t: combined effects have no signs in common.
    correction = family.design.correction
    p_adjusted = adjusted(p, "holm" if correction == "maxt" else correction)
    # The variance between topics, and a mean of effects that differ, speak of other topics.
    population = TOPICS if method == "random" else DOCUMENTS
    least = LEAST[population]
    _warn(family, method, effects)
    nothing = Combined(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, topics=0)
    rows = []
    for index, ((run, baseline), (of_pair, left_out)) in enumerate(zip(family.pairs.tolist(), effects, strict=True)):
        effect = of_pair or nothing
        lower, upper = effect.limits(confidence)
        row: dict[str, Any] = {
            "measure": f"{base}_logit_{'diff_' * has_pairs}{method}", "topic": "all",
            "value": effect.z if method == "stouffer" else effect.effect, "lower": lower, "upper": upper,
            "run": family.names[run], **({} if baseline == NOTHING else {"baseline": family.names[baseline]}),
            "population": population, "p": PValue(p[index], least), "p_adjusted": PValue(p_adjusted[index], least),
            "topics": effect.topics, "left_out": left_out,
        }  # fmt: skip
        if method == "stouffer":
            if has_pairs:
                row["p_single_tailed"] = PValue(effect.p_above(), least)
        else:
            row |= {"Q": effect.q, "Q_p": PValue(effect.q_p), "I2": effect.i2, "tau": math.sqrt(effect.tau2)}
        rows.append(row)
    return Table("meta", base, rows)


def _warn(family: Family, method: MetaMethod, effects: Sequence[tuple[Combined | None, int]]) -> None:
    """Warn of topics left out by their scores, of effects that do not vary, and of limits narrower than they can be: of two
    topics, or of effects that lie closer than chance lets them on average."""
    noun, base = "pair" if family.is_of_pairs else "run", family.measure.base.name
    shares = [left_out / max(effect.topics + left_out, 1) if effect else 1.0 for effect, left_out in effects]
    if many := sum(share > MUCH_LEFT_OUT for share in shares):
        most = max(left_out for _, left_out in effects)
        instead = "; lmap is of all topics" if base == MAP.name else ""
        notify("meta_left_out", measure=base, which=plural(many, noun), most=most, instead=instead)
    if method != "random":
        return
    reported, confidence = [effect for effect, _ in effects if effect is not None], family.design.confidence
    if without := sum(effect.topics > 1 and np.isnan(effect.standard_error) for effect in reported):
        who = f" for {plural(without, noun)}"
        notify("lacking", measure=base, what="limits and p of effects", who=who, why="effects do not vary")
    close = (effect for effect in reported if effect.topics == FEWEST or effect.q < effect.topics - 1)
    fixed = 2 * normal_quantile(confidence)  # standard errors of a fixed effect
    if narrow := sum(float(np.diff(effect.limits(confidence))[0]) < fixed * effect.fixed_error for effect in close):
        notify("meta_narrow", measure=base, which=plural(narrow, noun))


# Of tests at .05 and of 95% limits, in simulations on matrices of real scores: how often the first err where runs are equal on
# average, and the second miss.
ERRS = {"fixed": ("39 to 50%", "43 to 52%"), "random": ("4 to 6%", "8 to 13%"), "stouffer": ("37 to 40%", "")}


def sentences_of_meta(table: Table, method: MetaMethod, family: Family) -> Iterator[str]:
    """The plain difference of logits and the combined effect of each pair or run, if they are few; and its assumptions."""
    sure = f"{100 * family.design.confidence:g}% confidence"
    if len(table.rows) <= MOST_PAIRS:
        yield from _of_plain_logits(family, sure)
        for row in table.rows:
            yield _of_combined(row, method, sure, len(table.rows))
    if family.is_of_pairs:
        errs, misses = ERRS[method]
        missed = f", and its limits miss {misses}" if misses else ""
        yield say("meta.errs", method=method, errs=errs, missed=missed)
    yield say(f"meta.{method}")


def _of_plain_logits(family: Family, sure: str) -> Iterator[str]:
    """The mean difference of logits of each pair, over the topics that both have."""
    if not family.is_of_pairs:
        return
    design = family.design._replace(interval="t", test="t")
    plain = over_topics(clamped_logit(family.raw), family.pairs, family.scored.keys, design)
    numbers = np.column_stack((plain.of.value, *plain.limits, plain.p)).tolist()
    for (run, baseline), (value, lower, upper, p) in zip(family.pairs.tolist(), numbers, strict=True):
        yield say(
            "meta.plain", whose="lmap's" if family.measure.base == MAP else "the mean", run=family.names[run],
            baseline=family.names[baseline], value=amount(value), lower=amount(lower), upper=amount(upper), sure=sure,
            p=p_text(p, "p"),
        )  # fmt: skip


def _of_combined(row: Row, method: MetaMethod, sure: str, pairs: int) -> str:
    value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p_adjusted"))
    has_pair, population = "baseline" in row, str(row["population"])
    who = f"{row['run']} minus {row['baseline']}" if has_pair else str(row["run"])
    if math.isnan(value):
        return say("meta.nothing", who=who)
    neither = "on which neither run scores 0 or 1" if has_pair else "on which the run scores neither 0 nor 1"
    over, topics = "Over" if population == TOPICS else "On", plural(int(row["topics"] or 0), "topic")
    lead = LEAD[population]
    return say(
        "meta.combined", lead=say("meta.left", over=over, topics=topics, neither=neither) if row["left_out"] else lead,
        what="Stouffer's z" if method == "stouffer" else "the combined logit effect", who=who, value=amount(value),
        limits="" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {sure}",
        p="" if math.isnan(p) else f" ({p_text(PValue(p, LEAST[population]), name_of_p(pairs))})",
    )  # fmt: skip
