"""Another source of variation than topics: what it says of the pairs of a family, one by one, and in which words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irci.base.names import plural
from irci.output.tables import Table
from irci.stats.survival import Told
from irci.studies.compare.family import Family, Source


class OtherSource:
    """Source as `--survives` asks about it. `name`: its column in the table of claims; `in_words`: in sentences and lists;
    `least_p`: p below it is not told to readers. `brings_others`: other topics, seeds, collections or judges, so that it
    counts among those that a claim survives; what is found on the claim's own topics confirms false claims too.
    """

    name = in_words = ""
    brings_others = True
    least_p = Source.least_p

    def told(self, family: Family) -> Told:
        """Estimates and p of the pairs of a family, adjusted by Holm's method; nan of pairs it tells nothing of."""
        raise NotImplementedError

    def remark(self, family: Family, place: int) -> str:
        """Remark on the pair at a place in brackets behind the words, if any: why nothing can be told."""
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
    """A source of the engine, by its own test."""

    def __init__(self, source: Source, in_words: str) -> None:
        self.source, self.name, self.in_words, self.least_p = source, source.name, in_words, source.least_p

    def told(self, family: Family) -> Told:
        found = family.over(self.source)
        return Told(found.tested.of.value, found.tested.p, found.p_adjusted)


class Grouped(Estimated):
    """A source of units that topics or runs make, of which nothing is told where they are fewer than signs take."""

    def told(self, family: Family) -> Told:
        of = family.over(self.source).tested.of
        least, counts = family.fewest_units(self.source, of), self.source.kinds_of_units(of)
        return super().told(family).where(np.all([number >= least for number in counts.values()], axis=0))

    def remark(self, family: Family, place: int) -> str:
        of = family.over(self.source).tested.of
        if not of.is_told[place]:
            return self.source.why_unknown(family, place)
        numbers = {name.removesuffix("s"): int(each[place]) for name, each in self.source.kinds_of_units(of).items()}
        least = family.fewest_units(self.source, of)[place]
        few = [plural(number, name) for name, number in numbers.items() if number < least]
        return f"only {' and '.join(few)}" if few else ""


class Documents(Estimated):
    """Documents, of which no p is to be relied on for measures that look at the top alone."""

    brings_others = False

    def told(self, family: Family) -> Told:
        told = super().told(family)
        return told.where(np.full(len(told.p), not family.measure.is_of_the_top))

    def remark(self, family: Family, place: int) -> str:
        return f"p is too small to rely on for {family.measure.name}" if family.measure.is_of_the_top else ""
