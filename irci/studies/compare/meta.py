"""--meta: effects on single topics, differences of logits, combined into one for each pair or run."""

import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS, Correction, MetaMethod
from irci.base.names import plural
from irci.bootstrap.joint_resamples import NOTHING
from irci.data.measures import named
from irci.methods.compare.differences import combined
from irci.output.tables import PValue, Row, Table
from irci.stats.decisions import separated
from irci.stats.meta import Combined
from irci.stats.tests import adjusted
from irci.studies.compare.family import Family, Resampled
from irci.studies.compare.other_documents import of_other_documents
from irci.studies.compare.sources.documents import LEAST_NORMAL_P, Documents, Topics
from irci.studies.wording import amount, direction, directions, p_text

logger = logging.getLogger("irci")

MOST_PAIRS = 6  # told one by one
LEAD = {source.name: source.lead for source in (Topics, Documents)}


@dataclass(frozen=True)
class Combination:
    """Contrasts whose effects on single topics are combined: pairs, or runs by themselves, over resampled documents."""

    family: Family
    shown: int
    resampled: Resampled
    method: MetaMethod

    def table(self) -> Table:
        """For each pair (or run) the combined effect; for Stouffer the z."""
        return Table("meta", self.family.measure.base.name, list(self._rows()))

    def _rows(self) -> Iterator[Row]:
        family, method = self.family, self.method
        has_pairs, base = family.is_of_pairs, family.measure.base.name
        spreads = self.resampled.joint(family).spreads["logit"]
        found = list(combined(family.raw, spreads, method))[: self.shown]
        # That a run's own logits average 0 is a hypothesis that nobody has.
        p = np.array([np.nan if each is None or not has_pairs else each.p() for each, _ in found])
        p_adjusted = adjusted(p, self._correction)
        # The variance between topics, and a mean of effects that differ, speak of other topics.
        over_topics = method in ("random", "random-z")
        population, least = (TOPICS, 1e-16) if over_topics else (DOCUMENTS, LEAST_NORMAL_P)
        without = sum(each is not None and each.topics > 1 and np.isnan(each.standard_error) for each, _ in found)
        if method == "random" and without:
            of_pairs = plural(without, "pair" if has_pairs else "run")
            logger.warning(f"{base}: effects of {of_pairs} are the same on all topics: no limits, no p")
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

    def _names(self, pair: int) -> dict[str, str]:
        run, baseline = self.family.pairs[pair].tolist()
        names = {"run": self.family.names[run]}
        return names if baseline == NOTHING else names | {"baseline": self.family.names[baseline]}

    @property
    def _correction(self) -> Correction:
        """Holm where others have the largest t: combined effects have no signs in common."""
        correction = self.family.design.correction
        return "holm" if correction == "maxt" else correction


def sentences_of_meta(table: Table, method: MetaMethod, confidence: float) -> Iterator[str]:
    """Sentences on the effects combined over topics, of each pair or run unless they are many; and on what they weigh."""
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
    lead = LEAD[str(row["population"])]
    who = f"{row['run']} less {row['baseline']}" if "baseline" in row else str(row["run"])
    if math.isnan(value):
        yield f"{who}: no topic is left to combine."
        return
    what = "Stouffer's z is" if method == "stouffer" else "the combined effect on the logit scale is"
    limits = "" if math.isnan(lower) else f", {amount(lower)} to {amount(upper)} with {100 * confidence:g}% confidence"
    told = f"{lead}, {what} {amount(value)} for {who}{limits}"
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
