"""Claims on one measure, what each other source tells of them, and a row for each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irci.base.choices import TOPICS
from irci.base.types import Bools, Progress
from irci.output.tables import PValue, Row
from irci.stats.decisions import separated
from irci.stats.power import fewest_units
from irci.stats.survival import Survival, Told, p_of_all, survival
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure
from irci.studies.compare.sources.documents import LEAST_NORMAL_P
from irci.studies.compare.survival.other_source import OtherSource


@dataclass(frozen=True)
class Claims:
    """The claims on one measure: all pairs of the family, whose p is adjusted by Holm's method, how many of them are shown,
    what topics tell of them, by max-T, and what each other source does."""

    family: Family
    shown: int
    topics: Told
    others: Mapping[str, OtherSource]
    told: Mapping[str, Told]

    @classmethod
    def on(
        cls,
        request: Request,
        scored: Scored,
        on: OnMeasure,
        others: Sequence[OtherSource],
        threads: int,
        progress: Progress,
    ) -> "Claims":
        """Over topics by max-T, over other sources by Holm's method."""
        family = on.pairs
        assert family is not None
        by_holm = Family(request, request.design("holm"), scored, family.measure, family.comparison, threads, progress)
        topics = next(source for source in scored.sources if source.name == TOPICS)
        named = {other.name: other for other in others}
        told = {name: other.told(by_holm) for name, other in named.items()}
        return cls(by_holm, on.shown, _of_topics(family, topics), named, told)

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

    def rows(self) -> Iterator[Row]:
        """A row a claim: the run with the higher mean first."""
        topics, p_all = self.topics, p_of_all(self.topics.value, [self.topics, *self.told.values()])
        for place in self.places:
            better, worse = self.family.pairs[place].tolist()
            if topics.value[place] < 0:
                better, worse = worse, better
            columns: dict[str, Any] = {}
            for name, verdicts in self.verdicts.items():
                columns |= {name: verdicts[place], **self.others[name].columns(self.family, place)}
            counts = Counter(verdicts[place] for verdicts in self.verdicts.values())
            yield {
                "run": self.family.names[better], "baseline": self.family.names[worse],
                "value": abs(float(topics.value[place])), "p_adjusted": PValue(topics.p_adjusted[place]), **columns,
                "survives": counts["confirmed"], "of": len(self.verdicts) - counts["untold"],
                "p_all": PValue(p_all[place], LEAST_NORMAL_P),
            }  # fmt: skip


def _of_topics(family: Family, topics: Source) -> Told:
    found = family.over(topics)
    of = found.tested.of
    told = Told(of.value, found.tested.p, found.p_adjusted)
    return told.where(of.units >= fewest_units(family.request.alpha))
