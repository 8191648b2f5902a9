"""Another source of variation than topics: what it says of the pairs of a family, one by one, and in which words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.output.tables import Table
from irci.stats.survival import Told
from irci.studies.compare.family import Family, Source


class OtherSource:
    """What `--survives` asks of a source. `name`: its column in the table of claims; `in_words`: in sentences and lists."""

    name = in_words = ""

    def told(self, family: Family) -> Told:
        """What it tells of the pairs of a family, whose p is adjusted by Holm's method; nan of pairs it tells nothing of."""
        raise NotImplementedError

    def remark(self, family: Family, place: int) -> str:
        """What is to be said of the pair at a place behind the words, if anything: why nothing can be told."""
        return ""

    def columns(self, family: Family, place: int) -> Mapping[str, Any]:
        """Further columns of the pair's claim, behind that of its verdict: the same names for all pairs."""
        return {}

    def of_many(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        """Sentences on the claims at these places, behind how many of them it confirms."""
        return iter(())

    def notes(self) -> Iterator[str]:
        """Sentences on what it is, whatever the measure."""
        return iter(())

    def tables(self) -> list[Table]:
        """Tables of what it is made of, whatever the measure."""
        return []


class Estimated(OtherSource):
    """A source of the engine, tested by itself, with p adjusted by Holm's method."""

    def __init__(self, source: Source, in_words: str) -> None:
        self.source, self.name, self.in_words = source, source.name, in_words

    def told(self, family: Family) -> Told:
        found = family.over(self.source)
        return Told(found.tested.of.value, found.tested.p, found.p_adjusted)


class Documents(Estimated):
    """Documents, of which no p is to be relied on for measures that look at the top alone."""

    def told(self, family: Family) -> Told:
        told = super().told(family)
        return told.where(np.full(len(told.p), not family.measure.is_of_the_top))
