"""Claims on one measure, what each other source tells of them, and a row for each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from irci.base.types import Bools, Floats
from irci.output.tables import PValue, Row
from irci.stats.decisions import separated
from irci.stats.survival import Survival, Told, p_of_all, survival
from irci.studies.compare.family import Family, Source, Witness


@dataclass(frozen=True)
class Claims:
    """The claims on one measure: all pairs of the family, how many of them are shown, what topics tell of them, and what each
    other source does. `as_one`: the claims on all measures whose p are adjusted as one, none if these are by themselves."""

    family: Family
    shown: int
    topics: Told
    others: Mapping[str, Witness]
    told: Mapping[str, Told]
    as_one: list["Claims"] = field(default_factory=list)

    @classmethod
    def on(cls, family: Family, shown: int, topics: Source, others: Sequence[Witness]) -> "Claims":
        """The claims on the first pairs of a family, so many of which are shown."""
        named = {other.name: other for other in others}
        told = {name: other.evidence(family) for name, other in named.items()}
        return cls(family, shown, _of_topics(family, topics), named, told)

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.family.measure.name

    @cached_property
    def claimed(self) -> Bools:
        """bool[shown]: the pairs that differ significantly over topics."""
        found = separated(np.nan_to_num(self.topics.p_adjusted, nan=1.0), self.family.request.alpha)
        return np.asarray((found & self.topics.is_told)[: self.shown])

    @property
    def places(self) -> list[int]:
        """The claims' places among the pairs."""
        return np.flatnonzero(self.claimed).tolist()

    @cached_property
    def verdicts(self) -> dict[str, list[Survival]]:
        """Verdicts of each other source on all pairs."""
        alpha = self.family.request.alpha
        return {name: survival(self.topics.value, told, alpha) for name, told in self.told.items()}

    def reversed_by(self) -> Iterator[str]:
        """The claims that other sources reverse, each with the sources that do."""
        for place, row in zip(self.places, self.rows(), strict=True):
            found = [other.in_claims for name, other in self.others.items() if self.verdicts[name][place] == "reversed"]
            if found:
                yield f"{self.measure}: {row['run']} against {row['baseline']}: reversed by {', '.join(found)}"

    @cached_property
    def p_all(self) -> Floats:
        """p[P] that all sources agree, adjusted for all pairs of the family, or of all measures."""
        every = self.as_one or [self]
        tables = [(claims.topics, *claims.told.values()) for claims in every]
        together = [Told(*map(np.concatenate, zip(*of_source, strict=True))) for of_source in zip(*tables, strict=True)]
        ends = np.cumsum([len(claims.topics.p) for claims in every])
        found = np.split(p_of_all(together[0].value, together), ends[:-1])
        return next(p for p, claims in zip(found, every, strict=True) if claims is self)

    def rows(self) -> Iterator[Row]:
        """A row a claim: the run with the higher mean first."""
        topics, p_all = self.topics, self.p_all
        for place in self.places:
            better, worse = self.family.pairs[place].tolist()
            if topics.value[place] < 0:
                better, worse = worse, better
            columns: dict[str, Any] = {}
            for name, verdicts in self.verdicts.items():
                columns |= {name: verdicts[place], **self.others[name].claim_columns(self.family, place)}
            counted = [verdicts[place] for name, verdicts in self.verdicts.items() if self.others[name].brings_others]
            counts = Counter(counted)
            yield {
                "run": self.family.names[better], "baseline": self.family.names[worse],
                "value": abs(float(topics.value[place])), "p_adjusted": PValue(topics.p_adjusted[place]), **columns,
                "survives": counts["confirmed"], "of": len(counted) - counts["not testable"],
                "p_all": PValue(p_all[place], max((other.least_p for other in self.others.values()), default=0.0)),
            }  # fmt: skip


def _of_topics(family: Family, topics: Source) -> Told:
    found = family.over(topics)
    of = found.tested.of
    told = Told(of.value, found.tested.p, found.p_adjusted)
    return told.where(of.units >= family.fewest_units(topics, of))
