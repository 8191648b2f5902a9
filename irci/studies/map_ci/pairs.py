"""What map-ci says of several runs: differences, combined effects and ranks, as tables."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS, Correction, MetaMethod, Population
from irci.base.errors import DataError, plural, unknown
from irci.base.types import Floats
from irci.bootstrap.joint_resamples import NOTHING, POOLED, Comparison
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.data.scores import Scores
from irci.methods.map_ci.differences import Differences, combined, mean_values
from irci.methods.map_ci.resolution import Resolution, resolution
from irci.output.report import NO_WORD, PValue, Row, Rows, Table, tables
from irci.stats.decisions import MOST_LETTERS, all_pairs, better, ranks, separated
from irci.stats.intervals import normal_interval
from irci.stats.meta import Combined
from irci.stats.scales import mean_over_topics
from irci.stats.tests import adjusted, normal_p
from irci.studies.map_ci.adjusted_limits import adjusted_limits
from irci.studies.map_ci.family import Family, PlaceOfPairs, Tested
from irci.studies.map_ci.runs import Asked, FromRuns

logger = logging.getLogger("irci")

# A normal tail of a resampled standard error says no more than that p is less than this.
LEAST_NORMAL_P = 1e-4


@dataclass(frozen=True)
class ComparedRuns:
    """Runs compared on one base measure: the `family` of the pairs that are shown, and that of all pairs if ranks are asked
    for (which decides about the pairs shown as well, so that ranks and adjusted p agree)."""

    asked: Asked
    table: Scores
    found: FromRuns
    base: Measure
    family: Family
    of_all_pairs: Family | None
    _tested: dict[str, Tested] = field(default_factory=dict)
    _resolutions: dict[str, Resolution] = field(default_factory=dict)

    @classmethod
    def on(
        cls, asked: Asked, table: Scores, found: FromRuns, base: Measure, measures: Sequence[Measure], inputs: Inputs
    ) -> "ComparedRuns":
        """Which runs are compared, and all that joint resamples say of them."""
        settings = asked.settings
        if (settings.has_pairs or settings.ranks) and len(table.runs) < 2:
            raise DataError("to compare runs, give at least two")
        if settings.baseline is not None and settings.baseline not in (*table.runs, *POOLED):
            raise DataError(unknown("run", settings.baseline, table.runs))
        comparison = Comparison.of(
            table.runs, settings.baseline, settings.has_pairs, settings.all_pairs, alone=settings.meta is not None
        )
        if asked.method.correction == "maxt":
            lacking = int(np.isnan(table.values[base.name]).any(axis=0).sum())
            if lacking:
                dropped = plural(lacking, "topic")
                logger.warning(f"{base.name}: {dropped} that some run lacks, dropped as all pairs are compared at once")
        family = Family.of(asked, table, found, comparison, base, measures, inputs)
        if not settings.ranks:
            return cls(asked, table, found, base, family, None)
        if settings.all_pairs:
            return cls(asked, table, found, base, family, family)
        every = replace(comparison, names=table.runs, pairs=all_pairs(len(table.runs)), pooled=None)
        return cls(asked, table, found, base, family, Family.of(asked, table, found, every, base, measures, inputs))

    @property
    def all_tested(self) -> Family:
        """The pairs for whose number p is adjusted."""
        return self.of_all_pairs if self.of_all_pairs and not self.family.comparison.pooled else self.family

    @property
    def values(self) -> Floats:
        """The scores[rows, T] compared, that of pooled runs last."""
        return self.family.values

    @property
    def names(self) -> list[str]:
        """What the rows are called."""
        return self.family.comparison.names

    def tested(self, measure: Measure) -> Tested:
        """The differences of the pairs shown, p (and simultaneous limits) adjusted with all pairs where these are ranked."""
        if measure.name not in self._tested:
            self._tested[measure.name] = self._test(measure)
        return self._tested[measure.name]

    def _test(self, measure: Measure) -> Tested:
        own, whole = self.family.tested(measure), self.all_tested
        every = own if whole is self.family or not self.asked.settings.has_pairs else whole.tested(measure)
        with_limits = self.asked.settings.adjusted_limits
        limits = adjusted_limits(whole, measure) if with_limits else {}
        if with_limits or self.asked.method.interval == "simultaneous":
            whole.warn_of_no_limits_at_once(measure)
        if every is own:
            return replace(own, limits_adjusted=limits)
        place = PlaceOfPairs.of(self.family.comparison.pairs, whole.comparison.pairs)
        differences = dict(own.differences)
        if self.asked.method.interval == "simultaneous" and TOPICS in differences:
            of_all = every.differences[TOPICS]
            lower, upper = place.limits((of_all.lower, of_all.upper))
            differences[TOPICS] = replace(differences[TOPICS], lower=lower, upper=upper)
        return Tested(
            differences,
            {population: p[place.chosen] for population, p in every.p_adjusted.items()},
            {population: place.limits(of_all) for population, of_all in limits.items()},
        )

    def margin(self, measure: Measure) -> Floats | None:
        """Within which differences[P] do not matter; a share is one of the baseline's observed mean, taken as fixed."""
        margin = self.asked.settings.equivalence
        if margin is None:
            return None
        pairs = self.family.comparison.pairs
        if not margin.is_share:
            return np.full(len(pairs), margin.amount)
        scale = self.asked.method.scale(measure)
        return margin.amount * np.abs(mean_values(scale.forward(self.values), pairs)[1])

    def resolution(self, measure: Measure) -> Resolution:
        """What the pairs' differences over topics can show."""
        if measure.name not in self._resolutions:
            tested = self.tested(measure)
            self._resolutions[measure.name] = resolution(
                self.asked.method.scale(measure).forward(self.values), self.family.comparison.pairs,
                tested.differences[TOPICS], tested.p_adjusted[TOPICS], self.asked.method, self.margin(measure),
                with_power=self.asked.settings.power,
            )  # fmt: skip
        return self._resolutions[measure.name]

    def tables_of_differences(self, measure: Measure) -> Iterator[Table]:
        """For each pair a row a topic if asked for, then one a population."""
        on_scale = self.on_scale(measure)
        pairs, populations = len(self.family.comparison.pairs), list(self.tested(measure).differences)
        if self.asked.settings.tells_verdicts:
            self.resolution(measure)  # not only when the rows are written

        def row(place: int) -> Row:
            pair, population = divmod(place, len(populations))
            return self._row(measure, pair, populations[population])

        if not self.asked.settings.per_topic:
            yield from tables("difference", on_scale, Rows(pairs * len(populations), row))
            return
        scale = self.asked.method.scale(measure)
        values = scale.forward(self.values)
        for pair in range(pairs):
            topics = self._rows_of_topics(f"{on_scale}_diff", values, scale.name, pair, self._names(pair))
            yield from tables("topic_difference", on_scale, topics)
            yield from tables("difference", on_scale, [self._row(measure, pair, each) for each in populations])

    def on_scale(self, measure: Measure) -> str:
        """What differences are of: the measure, on the scale on which it is averaged."""
        return "_".join(filter(None, (measure.name, self.asked.method.scale(measure).name)))

    def _names(self, pair: int) -> dict[str, str]:
        run, baseline = self.family.comparison.pairs[pair].tolist()
        names = {"run": self.names[run]}
        return names if baseline == NOTHING else names | {"baseline": self.names[baseline]}

    def p_value(self, p: float, population: Population) -> PValue:
        """As it is told: normal tails of resampled standard errors only so far down, unless asked for."""
        is_tail = population == DOCUMENTS and self.asked.method.test != "normal"
        return PValue(p, LEAST_NORMAL_P) if is_tail else PValue(p)

    def _row(self, measure: Measure, pair: int, population: Population) -> Row:
        """What one population says of a pair."""
        tested = self.tested(measure)
        of = tested.differences[population]
        row: dict[str, Any] = {
            "measure": f"{self.on_scale(measure)}_diff", "topic": "all", "value": float(of.value[pair]),
            "lower": float(of.lower[pair]), "upper": float(of.upper[pair]), **self._names(pair),
            "population": population, "p": self.p_value(float(of.p[pair]), population),
            "p_adjusted": self.p_value(float(tested.p_adjusted[population][pair]), population),
            "effect_size": float(of.effect_size[pair]), "test": of.test[pair],
        }  # fmt: skip
        if tested.limits_adjusted:
            row["lower_adjusted"], row["upper_adjusted"] = (
                float(each[pair]) for each in tested.limits_adjusted[population]
            )
        with_error = tested.differences.get(TOPICS)
        if with_error is not None and with_error.p_error is not None:
            row["p_error"] = float(of.p_error[pair]) if of.p_error is not None else np.nan
        if of.both is not None:
            row |= {name: float(each[pair]) for name, each in of.both.items()}
        if self.asked.settings.tells_verdicts:
            row |= self._resolved(measure, pair, of if population == TOPICS else None)
        return row

    def _resolved(self, measure: Measure, pair: int, of: Differences | None) -> dict[str, Any]:
        """The columns on what topics can show; nothing is said of other populations."""
        found = self.resolution(measure)
        columns: dict[str, Any] = {}
        if found.p_equivalence is not None and found.p_equivalence_adjusted is not None:
            columns["p_equivalence"] = PValue(found.p_equivalence[pair])
            columns["p_equivalence_adjusted"] = PValue(found.p_equivalence_adjusted[pair])
        if found.power is not None:
            columns |= {name: float(getattr(found.power, name)[pair]) for name in found.power.__dataclass_fields__}
            needed = columns["topics_needed"]
            columns["topics_needed"] = int(needed) if np.isfinite(needed) else needed
            columns["smallest_p"] = PValue(found.smallest_p[pair])
        if of is None:
            return dict.fromkeys(columns, np.nan) | {"verdict": NO_WORD}
        return columns | {"verdict": found.verdict[pair]}

    def _rows_of_topics(
        self, name: str, on_scale: Floats, scale: str, pair: int, names: dict[str, str]
    ) -> Iterator[Row]:
        """A pair's differences on single topics, with the limits that resampled documents give them."""
        run, baseline = self.family.comparison.pairs[pair]
        differences = on_scale[run] - on_scale[baseline]
        spreads = self.family.joint.spreads.get(scale)
        sd = np.full(len(differences), np.nan) if spreads is None else spreads.sd[pair]
        p = normal_p(differences, sd)
        lower, upper = normal_interval(differences, np.where(np.isnan(p), np.nan, sd), self.asked.method.confidence)
        for topic, topic_name in enumerate(self.table.topics):
            if not np.isnan(differences[topic]):
                yield {
                    "measure": name, "topic": topic_name, "value": float(differences[topic]),
                    "lower": float(lower[topic]), "upper": float(upper[topic]), **names,
                    "population": self.asked.populations[0], "p": self.p_value(float(p[topic]), DOCUMENTS),
                    "p_adjusted": np.nan,
                    "effect_size": np.nan, "test": "normal",
                }  # fmt: skip

    @property
    def _correction_of_meta(self) -> Correction:
        """Combined effects have no signs in common: Holm where the others have the largest t."""
        correction = self.asked.method.correction
        return "holm" if correction == "maxt" else correction

    def table_of_meta(self, method: MetaMethod) -> Table:
        """For each pair (or run) the effects on single topics, differences of logits, combined; for Stouffer the z."""
        return Table("meta", self.base.name, list(self._rows_of_meta(method)))

    def _rows_of_meta(self, method: MetaMethod) -> Iterator[Row]:
        name = f"{self.base.name}_logit_{'' if not self.asked.settings.has_pairs else 'diff_'}{method}"
        spreads = self.family.joint.spreads["logit"]
        found = list(combined(self.values, spreads, method))
        # That a run's own logits average 0 is a hypothesis that nobody has.
        has_pairs = self.asked.settings.has_pairs
        p = np.array([np.nan if each is None or not has_pairs else each.p() for each, _ in found])
        p_adjusted = adjusted(p, self._correction_of_meta)
        # The variance between topics, and a mean of effects that differ, speak of other topics.
        population: Population = TOPICS if method in ("random", "random-z") else DOCUMENTS
        without = sum(each is not None and each.topics > 1 and np.isnan(each.standard_error) for each, _ in found)
        if method == "random" and without:
            of_pairs = plural(without, "pair" if has_pairs else "run")
            logger.warning(f"{self.base.name}: effects of {of_pairs} are the same on all topics: no limits, no p")
        nothing = Combined(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, topics=0)
        for pair, (of_pair, left_out) in enumerate(found):
            each = of_pair or nothing
            lower, upper = each.limits(self.asked.method.confidence)
            row: dict[str, Any] = {
                "measure": name, "topic": "all", "value": each.z if method == "stouffer" else each.effect, "lower": lower,
                "upper": upper, **self._names(pair), "population": population, "p": self.p_value(p[pair], population),
                "p_adjusted": self.p_value(p_adjusted[pair], population), "topics": each.topics, "left_out": left_out,
            }  # fmt: skip
            if method != "stouffer":
                row |= {"Q": each.q, "Q_p": PValue(each.q_p), "I2": each.i2, "tau2": each.tau2}
            yield row

    def table_of_ranks(self, measure: Measure) -> Table:
        """For each run its rank, limits and letters, for each population."""
        return Table("rank", measure.name, list(self._rows_of_ranks(measure)))

    def _rows_of_ranks(self, measure: Measure) -> Iterator[Row]:
        whole = self.of_all_pairs
        assert whole is not None
        runs = len(self.table.runs)
        common = whole.common
        if not common.any():
            raise DataError("the runs have no topic in common")
        means = mean_over_topics(self.asked.method.scale(measure).forward(whole.values[:runs, common]).T)
        tested = whole.tested(measure)
        for population, found in tested.differences.items():
            p = tested.p_adjusted[population]
            decided = separated(np.nan_to_num(p, nan=1.0), 1 - self.asked.method.confidence)
            ranked = ranks(means, better(whole.comparison.pairs, found.value, decided, runs))
            if ranked.letters[0] == "-":
                logger.warning(f"{measure.name}: more than {MOST_LETTERS} groups of runs ({population}): no letters")
            for place, run in enumerate(self.table.runs):
                yield {
                    "measure": "rank", "topic": "all", "value": int(ranked.rank[place]),
                    "lower": int(ranked.lower[place]), "upper": int(ranked.upper[place]), "run": run,
                    "letters": ranked.letters[place], "population": population, "ranked_by": measure.name,
                }  # fmt: skip
