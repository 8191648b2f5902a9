"""--meta: effects on single topics, differences of logits, combined into one for each pair or run."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base import plural
from irci.base.choices import DOCUMENTS, TOPICS, MetaMethod, Population
from irci.comparison.family import Family
from irci.comparison.sources.documents import LEAST_NORMAL_P, ResampledDocuments
from irci.estimators.differences import combined
from irci.measures import MAP
from irci.output.tables import PValue, Row
from irci.stats.intervals import normal_quantile
from irci.stats.meta import Combined
from irci.stats.tests import NOTHING, adjusted
from irci.wording import amount, name_of_p, notify, p_text, say

MOST_PAIRS = 6  # told one by one
MUCH_LEFT_OUT = 0.1  # of the topics
FEWEST = 2  # topics of which limits can be told
# The variance between topics, and a mean of effects that differ, speak of other topics.
POPULATIONS: dict[MetaMethod, Population] = {"random": TOPICS, "fixed": DOCUMENTS, "stouffer": DOCUMENTS}
LEAST = {TOPICS: 1e-16, DOCUMENTS: LEAST_NORMAL_P}  # p that is told
LEAD = {TOPICS: "For the population of topics", DOCUMENTS: "On these topics, for other documents"}


class CombinedEffects(NamedTuple):
    """Effects on single topics combined by a method, for each pair or run: [P].

    effects: of each, and how many topics are left out
    p, p_adjusted: told to readers as far as the method goes
    """

    family: Family
    method: MetaMethod
    effects: Sequence[tuple[Combined, int]]
    p: Sequence[PValue]
    p_adjusted: Sequence[PValue]

    def rows(self) -> Iterator[Row]:
        """A row for each pair, or run; for Stouffer the z."""
        family, method, has_pairs = self.family, self.method, self.family.is_of_pairs
        population = POPULATIONS[method]
        for index, (effect, left_out) in enumerate(self.effects):
            run, baseline = family.pairs[index].tolist()
            lower, upper = effect.limits(family.design.confidence)
            row: dict[str, Any] = {
                "measure": f"{family.measure.base.name}_logit_{'diff_' * has_pairs}{method}", "topic": "all",
                "value": effect.z if method == "stouffer" else effect.effect, "lower": lower, "upper": upper,
                "run": family.names[run], **({"baseline": family.names[baseline]} if has_pairs else {}),
                "population": population, "p": self.p[index], "p_adjusted": self.p_adjusted[index],
                "topics": effect.topics, "left_out": left_out,
            }  # fmt: skip
            if method != "stouffer":
                row |= {"Q": effect.q, "Q_p": PValue(effect.q_p), "I2": effect.i2, "tau": math.sqrt(effect.tau2)}
            elif has_pairs:
                row["p_single_tailed"] = PValue(effect.p_above(), LEAST[population])
            yield row

    def sentences(self) -> Iterator[str]:
        """The plain difference of logits and the combined effect of each pair or run, if they are few; and its assumptions."""
        family, sure = self.family, f"{100 * self.family.design.confidence:g}% confidence"
        if len(family.pairs) <= MOST_PAIRS:
            yield from (self._sentence(index, sure) for index in range(len(family.pairs)))
        if family.is_of_pairs:
            errs, misses = ERRS[self.method]
            missed = f", and its limits miss {misses}" if misses else ""
            yield say("meta.errs", method=self.method, errs=errs, missed=missed)
        yield say(f"meta.{self.method}")

    def _sentence(self, index: int, sure: str) -> str:
        family, (effect, left_out), p = self.family, self.effects[index], self.p_adjusted[index]
        names = [family.names[row] for row in family.pairs[index].tolist() if row != NOTHING]
        if not effect.topics:
            return say("meta.nothing", who=" minus ".join(names))
        is_z, (lower, upper) = self.method == "stouffer", effect.limits(family.design.confidence)
        population, topics = POPULATIONS[self.method], plural(effect.topics, "topic")
        over = "Over" if population == TOPICS else "On"
        neither = "neither run scores 0 or 1" if family.is_of_pairs else "the run scores neither 0 nor 1"
        lead = say("meta.left", over=over, topics=topics, neither=f"on which {neither}")
        return say(
            "meta.combined", lead=lead if left_out else LEAD[population], who=" minus ".join(names),
            what="Stouffer's z" if is_z else "the combined logit effect", value=amount(effect.z if is_z else effect.effect),
            limits="" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {sure}",
            p="" if math.isnan(p) else f" ({p_text(p, name_of_p(len(family.pairs)))})",
        )  # fmt: skip


def combined_effects(family: Family, resampled: ResampledDocuments, method: MetaMethod) -> CombinedEffects:
    """For each pair, or run, the effects on single topics combined over resampled documents."""
    effects = list(combined(family.raw, family.pairs, resampled.joint(family), method))
    # That a run's own logits average 0 is a hypothesis that nobody has.
    p = np.array([effect.p() if family.is_of_pairs else np.nan for effect, _ in effects])
    # Holm where others have the largest t: combined effects have no signs in common.
    correction = family.design.correction
    p_adjusted = adjusted(p, "holm" if correction == "maxt" else correction)
    _warn(family, method, effects)
    least = LEAST[POPULATIONS[method]]
    as_printed = ([PValue(of_pair, least) for of_pair in of_all.tolist()] for of_all in (p, p_adjusted))
    return CombinedEffects(family, method, effects, *as_printed)


def _warn(family: Family, method: MetaMethod, effects: Sequence[tuple[Combined, int]]) -> None:
    """Warn of topics left out by their scores, of effects that do not vary, and of limits narrower than they can be: of two
    topics, or of effects that lie closer than chance lets them on average."""
    noun, base = "pair" if family.is_of_pairs else "run", family.measure.base.name
    shares = [left_out / (effect.topics + left_out) if effect.topics else 1.0 for effect, left_out in effects]
    if many := sum(share > MUCH_LEFT_OUT for share in shares):
        most = max(left_out for _, left_out in effects)
        instead = "; lmap is of all topics" if base == MAP.name else ""
        notify("meta_left_out", measure=base, which=plural(many, noun), most=most, instead=instead)
    if method != "random":
        return
    confidence = family.design.confidence
    if without := sum(effect.topics > 1 and np.isnan(effect.standard_error) for effect, _ in effects):
        who = f" for {plural(without, noun)}"
        notify("lacking", measure=base, what="limits and p of effects", who=who, why="effects do not vary")
    close = [effect for effect, _ in effects if effect.topics == FEWEST or effect.q < effect.topics - 1]
    fixed = 2 * normal_quantile(confidence)  # standard errors of a fixed effect
    if narrow := sum(float(np.diff(effect.limits(confidence))[0]) < fixed * effect.fixed_error for effect in close):
        notify("meta_narrow", measure=base, which=plural(narrow, noun))


# Of tests at .05 and of 95% limits, in simulations on matrices of real scores: how often the first err where runs are equal on
# average, and the second miss.
ERRS = {"fixed": ("39 to 50%", "43 to 52%"), "random": ("4 to 6%", "8 to 13%"), "stouffer": ("37 to 40%", "")}
