"""Unjudged documents as a source that claims are asked about: does any assignment of grades change the sign?"""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.output.tables import NO_WORD
from irci.stats.survival import Told
from irci.studies.compare.family import Family, Source
from irci.studies.compare.sources.judgments import Judgments
from irci.studies.compare.survival.other_source import OtherSource


class UnjudgedDocuments(OtherSource):
    """Bounds over all grades: p is 0 of a sign that is sure, and nothing is told where it is open."""

    in_words = "unjudged documents"
    brings_others = False

    def __init__(self, source: Source) -> None:
        assert isinstance(source, Judgments)
        self.source, self.name = source, source.name
        self._has_unjudged: dict[str, list[bool]] = {}

    def told(self, family: Family) -> Told:
        of = family.over(self.source).tested.of
        p = np.where(of.columns["sign"] == "sure", 0.0, np.nan)
        return Told(of.value, p, p)

    def remark(self, family: Family, place: int) -> str:
        if not self.has_unjudged(family)[place]:
            return "there are none"
        sign = family.over(self.source).tested.of.columns["sign"][place]
        return {"open": "their grades could change the sign", NO_WORD: "no bounds are known"}.get(str(sign), "")

    def of_many(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        has_unjudged = self.has_unjudged(family)
        if without := sum(not has_unjudged[place] for place in places):
            of = f"{without} of {len(places)} claims"
            yield f"In {family.measure.name}, the runs of {of} have no unjudged documents that count."

    def has_unjudged(self, family: Family) -> list[bool]:
        """bool[P]: there are unjudged documents whose grades could tell anything."""
        name = family.measure.name
        if name not in self._has_unjudged:
            self._has_unjudged[name] = self.source.has_unjudged(family).tolist()
        return self._has_unjudged[name]
