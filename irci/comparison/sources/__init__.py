"""Sources of variation: the ground of all, in estimates and in words; and topics: would others of this kind agree?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irci.base import DataError, plural
from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats, Ints, Pairs
from irci.estimators.means import Tested
from irci.output.tables import Row
from irci.stats.intervals import Interval
from irci.stats.scales import NEXT_TO_NOTHING, mean_over_topics
from irci.stats.signs import Units, directions, p_by_signs
from irci.stats.tests import Estimates, common_topics, contrasts
from irci.wording import templates

if TYPE_CHECKING:
    from irci.comparison.family import Family

THE_REST = "The documents, their judgments and the runs"


class Source:
    """A source of variation: its words, and estimates of means and differences with errors that it makes; `--survives` asks it
    about claims.

    `name`: the population of its rows; `words_as`: its section among templates, the name unless given. `least_p`: p below it
    is not told to readers. `brings_others`: other topics, seeds, collections or judges, so that it counts among the sources
    that a claim survives; what is found on the claim's own topics confirms false claims too.
    `labels`: further columns behind the population. `tells_df`: rows have degrees of freedom. `has_draws`: signs of its units,
    or joint resamples, from which the largest statistic of all pairs follows. `units_alone`: errors have no other part than
    that of units.
    `observes`: sentences begin with what was observed; `is_plain_topics`: of topics, each by itself; `by_resamples`: of
    documents alone, whose p come from joint resamples. `own_notices`: what is to be warned of is its own.
    `tells_topics`: rows of runs that are missing have the number of topics.
    `of_these`: a narrower source, over which nothing is less sure. `held_below`: on fewer units p by t is held to signs.
    `topics_per_unit`: that another unit like these brings along; nan if it brings none. `alike`: why errors are not known
    though nothing is missing, where units are alike within groups that differ.
    """

    name = words_as = ""
    least_p = 1e-16
    brings_others = True
    labels: Mapping[str, str] = {}
    has_draws = has_p = True
    tells_df = units_alone = has_test_column = tells_verdicts = True
    observes = is_plain_topics = by_resamples = own_notices = tells_topics = False
    of_these: Source | None = None
    held_below, topics_per_unit, alike = math.inf, 1.0, ""

    @property
    def key(self) -> str:
        """Its name, with the labels that tell it from others of this name."""
        return self.name + "".join(self.labels.values())

    @cached_property
    def column(self) -> str:
        """Its name in tables of claims."""
        return self.name

    def word(self, key: str) -> str:
        """A word or a sentence about it, "" if there is none."""
        return templates().get(f"source.{self.words_as or self.name}", {}).get(key, "")

    @property
    def over(self) -> str:
        """The thing that varies, in sentences."""
        return self.word("over")

    @property
    def counted(self) -> str:
        """The units that messages count."""
        return self.word("counted") or self.over

    @cached_property
    def in_claims(self) -> str:
        """Its name where claims are tried."""
        return self.word("claims") or self.over

    @property
    def in_report(self) -> Mapping[str, str]:
        """The words for headers, pictures and pages."""
        page = f"{self.word('explains')} {self.word('stays') or THE_REST} stay the same there."
        over = self.word("in_headers") or self.word("predicted") or self.over
        return {"over": over, "page": page, **{key: self.word(key) for key in ("label", "mean", "means")}}

    def explained(self) -> Iterator[str]:
        """Sentences on what intervals over it are for."""
        yield self.word("explains")

    def sentence(self, row: Row) -> str:
        """A sentence of its own on a mean or a difference, of a source without p."""
        return ""

    def sentence_on_many(self, measure: str, columns: Mapping[str, np.ndarray]) -> str:
        """A sentence of its own on many pairs, by columns of their rows, of a source without p."""
        return ""

    def claim_columns(self, family: Family, index: int) -> Mapping[str, Any]:
        """Further columns of the pair's claim, behind that of its verdict: the same names for all pairs."""
        return {}

    def sentences_on_claims(self, family: Family, places: Sequence[int]) -> Iterator[str]:
        """Sentences on the claims at these places, behind how many of them it confirms."""
        return iter(())

    def notes(self) -> Iterator[str]:
        """Sentences on what it is, whatever the measure."""
        return iter(())

    def evidence(self, family: Family) -> Floats:
        """float64[3, P]: differences of the pairs of a family, p, and p adjusted as the family is; nan of pairs it tells
        nothing of."""
        over = family.over(self)
        least, counts = family.fewest_units(self, over.of), self.kinds_of_units(over.of)
        has_units = np.all([number >= least for number in counts.values()], axis=0)
        return np.where(has_units, np.stack((over.of.value, over.p, over.p_adjusted)), np.nan)

    def remark(self, family: Family, index: int) -> str:
        """Remark on the pair at a place in brackets behind the words, if any: why nothing can be told."""
        of = family.over(self).of
        if not of.is_told[index]:
            return ""
        numbers = {name.removesuffix("s"): int(units[index]) for name, units in self.kinds_of_units(of).items()}
        least = family.fewest_units(self, of)[index]
        few = [plural(number, name) for name, number in numbers.items() if number < least]
        return f"only {' and '.join(few)}" if few else ""

    def topic_columns(self, family: Family, index: int) -> Mapping[str, np.ndarray]:
        """Columns [M], the limits among them, of a run's scores, or a pair's differences, on single topics."""
        return {}

    def estimates(self, family: Family, pairs: Pairs, share: float = 1.0) -> Estimates:
        """Estimates of each of pairs[P, 2] (a run, or a run less a share of its baseline) of the rows of a family."""
        raise NotImplementedError

    def units(self, family: Family, mask: Bools) -> Units:
        """The units that one sign each is drawn for, of a family's scores on what the mask bool[M] chooses."""
        raise NotImplementedError

    def tested(self, family: Family) -> Tested:
        """Estimates of the family's contrasts, with limits and p of each by itself; p by t is no less than the least that
        signs of the units can give, where it is held to that."""
        of, design = self.estimates(family, family.pairs), family.design
        held = self.held_to_signs(of) if family.is_of_pairs else np.zeros_like(of.units)
        result = Tested.by_t(of, held, design.confidence)
        if design.test != "randomization":
            return result
        p = np.full(len(of.value), np.nan)
        for in_block, units, differences in family.on_units(self):
            p[in_block] = p_by_signs(differences, units.keys, design.signs, design.seed)
        return result._replace(p=p, test=np.full(len(p), "randomization", object))

    def held_to_signs(self, of: Estimates) -> Ints:
        """int64[P]: the units whose signs p is held to, 0 of none. Where they are so alike that t says how alike they are and
        not what others are, it always is."""
        alike = of.error <= NEXT_TO_NOTHING * np.abs(of.value)
        return np.where(alike | self.holds_to_signs(of.units), of.units, 0)

    def holds_to_signs(self, units: Ints) -> Bools:
        """bool[P]: true where p by t over so many units is no less than the least that their signs can give."""
        return (units > 0) & (units < self.held_below)

    def p_at_once(self, family: Family, tested: Tested) -> Floats:
        """Adjusted p of all pairs at once, by one sign a unit."""
        of, common = tested.of, family.common
        if not common.any():
            raise DataError("the runs have no topic in common")
        return np.where(np.isnan(of.value) | (of.units < 2), np.nan, family.simultaneous(self).p)

    def limits_at_once(self, family: Family, tested: Tested) -> Interval | None:
        """Limits of all pairs at once, if such p have their own."""
        return None

    def finished(self, family: Family, result: Tested) -> Tested:
        """Findings on a family, held to those over another source."""
        return result

    def means_of(self, values: Floats) -> Floats:
        """The means, float64[rows], of values[rows, M] on the measure's scale, nan where there is none."""
        scores_of_rows = [scores[~np.isnan(scores)] for scores in values]
        return np.array([mean_over_topics(scores) if len(scores) else np.nan for scores in scores_of_rows])

    def baseline_means(self, family: Family) -> Floats:
        """The baselines' means, float64[P], on the topics that they share with the run."""
        mean = np.full(len(family.pairs), np.nan)
        for mask, in_block in common_topics(family.values, family.pairs):
            baselines, place = np.unique(family.pairs[in_block, 1], return_inverse=True)
            mean[in_block] = self.means_of(np.where(mask, family.values[baselines], np.nan))[place]
        return mean

    def run_means(self, family: Family) -> Floats:
        """The means of all runs, float64[runs], on the topics that all of them share: what ranks go by."""
        if not family.common.any():
            raise DataError("the runs have no topic in common")
        return self.means_of(np.where(family.common, family.values, np.nan))

    def directions(self, family: Family, values: Floats) -> Floats:
        """The signs, float64[P], of what the test speaks of, of differences values[P]."""
        result, test = np.sign(values), family.design.test
        if test in ("wilcoxon", "sign"):  # which speak of other things than means
            for index, _, differences in contrasts(family.values, family.pairs):
                result[index] = directions(differences, test)
        return result

    def kinds_of_units(self, of: Estimates) -> Mapping[str, Ints]:
        """How many units of each kind that varies the contrasts have, int64[P], by what they are counted as."""
        return {self.counted: of.units}


class Topics(Source):
    """Topics, each of which is a unit.

    `part`: the name of a slice or a collection, whose topics they are by themselves, by the column of it; rows tell how many
    topics that has, and with `tells_df` degrees of freedom in place of effect sizes.
    """

    name = TOPICS
    observes = is_plain_topics = True

    def __init__(self, part: Mapping[str, str] | None = None, *, tells_df: bool = False) -> None:
        self.labels, self.is_part, self.tells_df = part or {}, bool(part), tells_df
        self.tells_topics = self.is_part and not tells_df

    @property
    def key(self) -> str:
        return self.name  # signs are drawn once for all parts

    def units(self, family: Family, mask: Bools) -> Units:
        return Units(family.values[:, mask], family.scored.keys[mask])

    def tested(self, family: Family) -> Tested:
        result = family.over_topics
        columns = {**({} if self.tells_df else result.of.columns), "topics": result.of.units}
        return result._replace(of=result.of._replace(columns=columns)) if self.is_part else result
