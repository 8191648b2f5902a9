"""--meta: effects on single topics, differences of logits, combined into one for each pair or run."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS, Correction, MetaMethod
from irci.base.errors import logger
from irci.base.names import plural
from irci.base.records import Record
from irci.compare.family import Family, Resampled
from irci.compare.sources.documents import LEAST_NORMAL_P, DocumentSource
from irci.compare.sources.topics import Topics
from irci.compare.wording import amount, direction, directions, of_other_documents, p_text
from irci.estimators.compare.differences import combined, over_topics
from irci.estimators.joint_resamples import NOTHING
from irci.measures import MAP, named
from irci.output.tables import PValue, Row, Table
from irci.stats.decisions import separated
from irci.stats.meta import Combined
from irci.stats.scales import clamped_logit
from irci.stats.tests import adjusted

MOST_PAIRS = 6  # told one by one
MUCH_LEFT_OUT = 0.1  # of the topics
FEWEST = 2  # topics of which limits can be told
LEAD = {source.name: source.lead for source in (Topics, DocumentSource)}


class Combination(Record):
    """Contrasts whose effects on single topics are combined: pairs, or runs by themselves, over resampled documents."""

    family: Family
    resampled: Resampled
    method: MetaMethod

    def table(self) -> Table:
        """For each pair (or run) the combined effect; for Stouffer the z."""
        return Table("meta", self.family.measure.base.name, list(self._rows()))

    def _rows(self) -> Iterator[Row]:
        family, method = self.family, self.method
        has_pairs, base = family.is_of_pairs, family.measure.base.name
        spreads = self.resampled.joint(family).spreads["logit"]
        found = list(combined(family.raw, spreads, method))
        # That a run's own logits average 0 is a hypothesis that nobody has.
        p = np.array([np.nan if each is None or not has_pairs else each.p() for each, _ in found])
        p_adjusted = adjusted(p, self._correction)
        # The variance between topics, and a mean of effects that differ, speak of other topics.
        over_topics = method == "random"
        population, least = (TOPICS, 1e-16) if over_topics else (DOCUMENTS, LEAST_NORMAL_P)
        self._warn(found)
        nothing = Combined(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, topics=0)
        for pair, (of_pair, left_out) in enumerate(found):
            each = of_pair or nothing
            lower, upper = each.limits(family.design.confidence)
            row: dict[str, Any] = {
                "measure": f"{base}_logit_{'diff_' * has_pairs}{method}", "topic": "all",
                "value": each.z if method == "stouffer" else each.effect, "lower": lower, "upper": upper,
                **self._names(pair), "population": population, "p": PValue(p[pair], least),
                "p_adjusted": PValue(p_adjusted[pair], least), "topics": each.topics, "left_out": left_out,
            }  # fmt: skip
            if method != "stouffer":
                row |= {"Q": each.q, "Q_p": PValue(each.q_p), "I2": each.i2, "tau2": each.tau2}
            yield row

    def _warn(self, found: Sequence[tuple[Combined | None, int]]) -> None:
        """Warn of topics left out by their scores, of effects that do not vary, and of limits narrower than they can be."""
        noun, base = "pair" if self.family.is_of_pairs else "run", self.family.measure.base.name
        shares = [left_out / max(each.topics + left_out, 1) if each else 1.0 for each, left_out in found]
        many = sum(share > MUCH_LEFT_OUT for share in shares)
        if many:
            most = max(left_out for _, left_out in found)
            instead = "; lmap is of all topics" if base == MAP.name else ""
            logger.warning(
                f"{base}: --meta leaves out topics by their scores (0, 1), for {plural(many, noun)} more than"
                f" {MUCH_LEFT_OUT:.0%} of them (up to {most}): effects are for the remaining topics only{instead}"
            )
        if self.method != "random":
            return
        without = sum(each is not None and each.topics > 1 and np.isnan(each.standard_error) for each, _ in found)
        if without:
            logger.warning(f"{base}: effects of {plural(without, noun)} are the same on all topics: no limits, no p")
        narrow = sum(self._is_too_narrow(each) for each, _ in found if each)
        if narrow:
            logger.warning(
                f"{base}: Hartung-Knapp limits of {plural(narrow, noun)} are narrower than those of a fixed effect, as effects"
                " on so few topics, or so alike, happened to be close: do not trust them"
            )

    def _is_too_narrow(self, found: Combined) -> bool:
        """True if Hartung and Knapp's limits are narrower than those of a fixed effect: of two topics, or of effects that lie
        closer than chance lets them on average."""
        lower, upper = found.limits(self.family.design.confidence)
        is_close = found.topics == FEWEST or found.q < found.topics - 1
        return is_close and upper - lower < found.fixed_width(self.family.design.confidence)

    def _names(self, pair: int) -> dict[str, str]:
        run, baseline = self.family.pairs[pair].tolist()
        names = {"run": self.family.names[run]}
        return names if baseline == NOTHING else names | {"baseline": self.family.names[baseline]}

    @property
    def _correction(self) -> Correction:
        """Holm where others have the largest t: combined effects have no signs in common."""
        correction = self.family.design.correction
        return "holm" if correction == "maxt" else correction


# Of tests at .05 and of 95% limits, in simulations on matrices of real scores: how often the first err where runs are equal on
# average, and the second miss.
ERRS = {"fixed": ("39 to 50%", "43 to 52%"), "random": ("4 to 6%", "8 to 13%"), "stouffer": ("37 to 40%", "")}
OF_LOGITS = "by t of the same logits over topics 3 to 5%, and limits miss 4.5 to 8%"


def sentences_of_meta(table: Table, method: MetaMethod, family: Family) -> Iterator[str]:
    """Sentences on the effects combined over topics, of each pair or run unless they are many; and on what they weigh. Of
    pairs the plain difference of the same logits leads."""
    confidence = family.design.confidence
    if len(table.rows) <= MOST_PAIRS:
        yield from _of_plain_logits(family, len(table.rows))
        for row in table.rows:
            yield from _of_combined(row, method, confidence, len(table.rows))
    if family.is_of_pairs:
        errs, misses = ERRS[method]
        missed = f", and its limits miss {misses}" if misses else ""
        yield f"Of runs that are equal on average, tests at .05 by {method} err in {errs}{missed}; {OF_LOGITS}."
    if method == "stouffer":
        yield "Stouffer's z adds up the topics' differences of logits, each divided by its error; it is a test, not an effect."
    else:
        differ = "a different effect on each topic, with a variance that is DerSimonian and Laird's"
        shared = "one effect for all topics" if method == "fixed" else differ
        yield f"This assumes {shared}; topics are weighted by their precision, so results may differ from plain means."


def _of_plain_logits(family: Family, shown: int) -> Iterator[str]:
    """The mean difference of logits of each pair, over the topics that both have."""
    if not family.is_of_pairs:
        return
    logits = clamped_logit(family.raw)
    plain = over_topics(
        logits, family.pairs[:shown], family.scored.keys, family.design._replace(interval="t", test="t")
    )
    name = "lmap's" if family.measure.base == MAP else "the mean"
    for index, (run, baseline) in enumerate(family.pairs[:shown].tolist()):
        value, lower, upper = (float(each[index]) for each in (plain.of.value, *plain.limits))
        yield (
            f"{LEAD[TOPICS]}, {name} difference of logits of {family.names[run]} minus {family.names[baseline]} is"
            f" {amount(value)}, {amount(lower)} to {amount(upper)} with {100 * family.design.confidence:g}% confidence"
            f" ({p_text(float(plain.p[index]), 'p')})."
        )


def _lead(row: Row) -> str:
    """The topics that an effect is about: those that could be combined, if some were left out by their scores."""
    if row["left_out"] == 0:
        return LEAD[str(row["population"])]
    topics = plural(int(row["topics"] or 0), "topic")
    neither = "on which neither run scores 0 or 1" if "baseline" in row else "on which the run scores neither 0 nor 1"
    return f"{'Over' if row['population'] == TOPICS else 'On'} the {topics} {neither}"


def _of_combined(row: Row, method: MetaMethod, confidence: float, pairs: int) -> Iterator[str]:
    value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p_adjusted"))
    lead = _lead(row)
    who = f"{row['run']} minus {row['baseline']}" if "baseline" in row else str(row["run"])
    if math.isnan(value):
        yield f"{who}: no topic is left to combine."
        return
    what = "Stouffer's z" if method == "stouffer" else "the combined logit effect"
    limits = "" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {100 * confidence:g}% confidence"
    told = f"{lead}, {what} of {who} is {amount(value)}{limits}"
    if math.isnan(p):
        yield f"{told}."
        return
    shown = p_text(
        p if not isinstance(row["p_adjusted"], float) else row["p_adjusted"], "adjusted p" if pairs > 1 else "p"
    )
    found = bool(separated(np.array([p]), 1 - confidence)[0])
    measure = named(str(row["measure"]).partition("_logit")[0])
    if row["population"] == TOPICS:
        said = (
            f"evidence that {row['run']} scores {direction(value, measure)}"
            if found
            else f"not enough evidence to tell which run scores {directions(measure)[0]}"
        )
    else:
        said = of_other_documents(measure, found=found)
    yield f"{told} ({shown}): {said}."
