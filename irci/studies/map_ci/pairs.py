"""What map-ci says of several runs: differences, combined effects and ranks, as tables and as sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irci.bootstrap.joint_resamples import (
    NOTHING,
    POOLED,
    Comparison,
    JointResamples,
    Wanted,
    joint_resamples,
)
from irci.bootstrap.shared_documents import Rankings
from irci.bootstrap.topics import topic_counts
from irci.choices import BOTH, DOCUMENTS, TOPICS, MetaMethod, Population
from irci.data.measures import Measure
from irci.data.notices import warn_of_topics
from irci.data.scores import Scores
from irci.errors import DataError
from irci.methods.map_ci.differences import (
    Differences,
    combined,
    from_errors,
    independent_errors,
    joint_errors,
    mean_values,
    over_topics,
)
from irci.output.report import Row, Table, tables
from irci.stats.intervals import normal_interval
from irci.stats.ranks import ranks, surely_better, surely_better_over_topics
from irci.stats.scales import logit_scale, mean_over_topics
from irci.stats.tests import adjusted, normal_p, smallest_sign_flip_p
from irci.studies.map_ci.runs import Asked, FromRuns, keys_of
from irci.types import Floats

# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1


@dataclass(frozen=True)
class Tested:
    """For each population the differences of all pairs, and their p adjusted."""

    differences: dict[Population, Differences]
    p_adjusted: dict[Population, Floats]


@dataclass(frozen=True)
class ComparedRuns:
    """Runs compared on one base measure, and what joint resamples of their documents say."""

    asked: Asked
    table: Scores
    found: FromRuns
    comparison: Comparison
    base: Measure
    values: Floats
    joint: JointResamples
    _tests: dict[str, Tested] = field(default_factory=dict)

    @classmethod
    def on(
        cls,
        asked: Asked,
        table: Scores,
        found: FromRuns,
        base: Measure,
        measures: Sequence[Measure],
        threads: int,
    ) -> "ComparedRuns":
        """Resample the rankings of all runs together, as far as what is asked needs it."""
        settings = asked.settings
        if (settings.has_pairs or settings.ranks) and len(table.runs) < 2:
            raise DataError("to compare runs takes at least two")
        if settings.baseline is not None and settings.baseline not in (*table.runs, *POOLED):
            raise DataError(f"no run is named {settings.baseline!r}: there are {', '.join(table.runs)}")
        comparison = Comparison.of(
            table.runs, settings.baseline, settings.has_pairs, settings.all_pairs, alone=settings.meta is not None
        )
        values = comparison.table(table.values[base.name])
        joint = JointResamples()
        if found.collection is not None and asked.resamples(base):
            rankings = Rankings.of(
                found.collection,
                found.relevances[base.family.graded],
                found.rankings,
                base.family.resampled_as,
                base.cut,
            )
            joint = joint_resamples(
                rankings, keys_of(table), comparison, values, settings.draws, _wanted(asked, measures), threads=threads
            )
        return cls(asked, table, found, comparison, base, values, joint)

    def differences(self, measure: Measure, population: Population) -> Differences:
        """The differences of all pairs, with the p that the population gives."""
        settings, pairs = self.asked.method, self.comparison.pairs
        scale = settings.scale(measure)
        of_topics = over_topics(
            scale.forward(self.values), pairs, keys_of(self.table), interval=settings.interval,
            test=settings.test, resamples=settings.resamples, seed=settings.seed, confidence=settings.confidence,
        )  # fmt: skip
        if population == TOPICS:
            return of_topics
        if population in self.joint.for_pairs and (population == BOTH or not self._independent):
            errors = joint_errors(self.joint.for_pairs[population], pairs, scale)
        elif population == DOCUMENTS and self._independent:
            errors = self._independent_errors(measure)
        else:
            errors = np.full(len(pairs), np.nan)
        return from_errors(of_topics, errors, settings.confidence)

    def tested(self, measure: Measure) -> Tested:
        """The differences by a measure, found once."""
        if measure.name not in self._tests:
            found = {population: self.differences(measure, population) for population in self.asked.populations}
            correction = self.asked.method.correction
            p_adjusted = {population: adjusted(of.p, correction) for population, of in found.items()}
            self._tests[measure.name] = Tested(found, p_adjusted)
        return self._tests[measure.name]

    @property
    def can_reject(self) -> bool:
        """Whether the smallest p that the randomization test can give survives the correction for so many pairs."""
        settings, (pairs, topics) = self.asked.method, (len(self.comparison.pairs), len(self.table.topics))
        smallest = smallest_sign_flip_p(topics, settings.resamples)
        allowed = (1 - settings.confidence) / (pairs if settings.correction == "holm" else 1)
        return settings.test != "randomization" or TOPICS not in self.asked.populations or smallest <= allowed

    def warn_of_few_relevant(self) -> None:
        """Say where resampled documents know too little: `tests/test_soundness_pairs.py` measures how wrong p is then."""
        relevance = self.found.relevances.get(self.base.family.graded)
        if relevance is None or DOCUMENTS not in self.asked.populations:
            return
        scored = ~np.isnan(self.values).all(axis=0)
        relevant = relevance.counts.sum(axis=1)[scored]
        topics = np.array(self.table.topics, object)[scored]
        few = (relevant > 0) & (relevant < FEW)
        if self.asked.settings.has_pairs and few.sum() > MANY_TOPICS * len(few):
            happens = f"with fewer than {FEW} relevant documents, p over documents too small (--population topics)"
            warn_of_topics(self.base.name, happens, topics[few].tolist())
        few = (relevant > 0) & (relevant < FEW_FOR_META)
        if self.asked.settings.meta is not None:
            happens = f"with fewer than {FEW_FOR_META} relevant documents, which --meta trusts too much"
            warn_of_topics(self.base.name, happens, topics[few].tolist())

    @property
    def _independent(self) -> bool:
        return self.asked.method.pairing == "independent"

    def _independent_errors(self, measure: Measure) -> Floats:
        """From the runs' own standard errors."""
        if self.comparison.pooled:
            raise DataError(f"the {self.comparison.pooled} of all runs has no resamples of its own: compare it paired")
        if np.isnan(self.values).any():
            raise DataError("runs that lack topics can only be compared paired")
        means = self.found.means
        errors = [
            means[run, measure.name, DOCUMENTS].error if (run, measure.name, DOCUMENTS) in means else np.nan
            for run in self.table.runs
        ]
        return independent_errors(np.array(errors), self.comparison.pairs)

    def tables_of_differences(self, measure: Measure) -> Iterator[Table]:
        """For each pair a row a topic if asked for, then one a population."""
        name = f"{self._on_scale(measure)}_diff"
        if not self.asked.settings.per_topic:
            pairs = range(len(self.comparison.pairs))
            yield from tables(
                "difference", self._on_scale(measure), (row for pair in pairs for row in self._rows(measure, pair))
            )
            return
        scale = self.asked.method.scale(measure)
        on_scale = scale.forward(self.values)
        for pair in range(len(self.comparison.pairs)):
            topics = self._rows_of_topics(name, on_scale, scale.name, pair, self._names(pair))
            yield from tables("topic_difference", self._on_scale(measure), topics)
            yield from tables("difference", self._on_scale(measure), self._rows(measure, pair))

    def _on_scale(self, measure: Measure) -> str:
        """What differences are of: the measure, on the scale on which it is averaged."""
        return "_".join(filter(None, (measure.name, self.asked.method.scale(measure).name)))

    def _names(self, pair: int) -> dict[str, str]:
        run, baseline = self.comparison.pairs[pair].tolist()
        names = {"run": self.comparison.names[run]}
        return names if baseline == NOTHING else names | {"baseline": self.comparison.names[baseline]}

    def _rows(self, measure: Measure, pair: int) -> Iterator[Row]:
        """A pair's rows, one a population."""
        name, tested = f"{self._on_scale(measure)}_diff", self.tested(measure)
        for population, of in tested.differences.items():
            yield {
                "measure": name, "topic": "all", "value": float(of.value[pair]), "lower": float(of.lower[pair]),
                "upper": float(of.upper[pair]), **self._names(pair), "population": population, "p": float(of.p[pair]),
                "p_adjusted": float(tested.p_adjusted[population][pair]), "effect_size": float(of.effect_size[pair]),
                "test": of.test,
            }  # fmt: skip

    def _rows_of_topics(
        self, name: str, on_scale: Floats, scale: str, pair: int, names: dict[str, str]
    ) -> Iterator[Row]:
        """A pair's differences on single topics, with the limits that resampled documents give them."""
        run, baseline = self.comparison.pairs[pair]
        differences = on_scale[run] - on_scale[baseline]
        spreads = self.joint.spreads.get(scale)
        sd = np.full(len(differences), np.nan) if spreads is None else spreads.sd[pair]
        p = normal_p(differences, sd)
        lower, upper = normal_interval(differences, np.where(np.isnan(p), np.nan, sd), self.asked.method.confidence)
        for topic, topic_name in enumerate(self.table.topics):
            if not np.isnan(differences[topic]):
                yield {
                    "measure": name, "topic": topic_name, "value": float(differences[topic]),
                    "lower": float(lower[topic]), "upper": float(upper[topic]), **names,
                    "population": self.asked.populations[0], "p": float(p[topic]), "p_adjusted": np.nan,
                    "effect_size": np.nan, "test": "normal",
                }  # fmt: skip

    def table_of_meta(self, method: MetaMethod) -> Table:
        """For each pair (or run) the effects on single topics, differences of logits, combined; for Stouffer the z."""
        return Table("meta", self.base.name, list(self._rows_of_meta(method)))

    def _rows_of_meta(self, method: MetaMethod) -> Iterator[Row]:
        name = f"{self.base.name}_logit_{'' if not self.asked.settings.has_pairs else 'diff_'}{method}"
        spreads = self.joint.spreads.get("logit")
        if spreads is None:
            raise DataError(f"{self.base.name}: --meta needs resampled documents, which this measure has not")
        found = list(combined(self.values, spreads, method))
        # That a run's own logits average 0 is a hypothesis that nobody has.
        z = np.array([np.nan if each is None or not self.asked.settings.has_pairs else each.z for each, _ in found])
        p = normal_p(z, np.ones(len(z)))
        p_adjusted = adjusted(p, self.asked.method.correction)
        for pair, (each, left_out) in enumerate(found):
            value, error = (np.nan, np.nan) if each is None else (each.effect, each.standard_error)
            lower, upper = normal_interval(value, error, self.asked.method.confidence)
            row: dict[str, Any] = {
                "measure": name, "topic": "all", "value": value if method != "stouffer" or each is None else each.z,
                "lower": float(lower), "upper": float(upper), **self._names(pair), "population": DOCUMENTS,
                "p": float(p[pair]), "p_adjusted": float(p_adjusted[pair]), "topics": 0 if each is None else each.topics,
                "left_out": left_out,
            }  # fmt: skip
            if method != "stouffer":
                q, q_p, i2, tau2 = (np.nan,) * 4 if each is None else (each.q, each.q_p, each.i2, each.tau2)
                row |= {"Q": q, "Q_p": q_p, "I2": i2, "tau2": tau2}
            yield row

    def table_of_ranks(self, measure: Measure) -> Table:
        """For each run its rank, limits and letters, for each population."""
        return Table("rank", measure.name, list(self._rows_of_ranks(measure)))

    def _rows_of_ranks(self, measure: Measure) -> Iterator[Row]:
        runs = len(self.table.runs)
        scored = ~np.isnan(self.values[:runs]).any(axis=0)
        if not scored.any():
            raise DataError("no topic is common to all runs")
        scale = self.asked.method.scale(measure)
        values = scale.forward(self.values[:runs, scored])
        means = mean_over_topics(values.T)
        for population in self.asked.populations:
            if population == TOPICS:
                counts = topic_counts(values.shape[1], self.asked.method.resamples, self.asked.method.seed)
                better = surely_better_over_topics(values, counts, self.asked.method.confidence)
            elif population in self.joint.for_ranks:
                replicates = self.joint.for_ranks[population].means(scale)
                better = surely_better(means, replicates, self.asked.method.confidence)
            else:
                raise DataError(f"{measure.name}: no documents are resampled for it; --population topics --ranks")
            found = ranks(means, better)
            for place, run in enumerate(self.table.runs):
                yield {
                    "measure": "rank", "topic": "all", "value": int(found.rank[place]), "lower": int(found.lower[place]),
                    "upper": int(found.upper[place]), "run": run, "letters": found.letters[place],
                    "population": population, "ranked_by": measure.name,
                }  # fmt: skip

    def sentences(self, measure: Measure) -> Iterator[str]:
        """One plain sentence a pair."""
        level = 1 - self.asked.method.confidence
        scale = self.asked.method.scale(measure)
        p_adjusted = self.tested(measure).p_adjusted
        of_runs, of_baselines = (
            scale.back(each) for each in mean_values(scale.forward(self.values), self.comparison.pairs)
        )
        for pair, (run, baseline) in enumerate(self.comparison.pairs.tolist()):
            higher = of_runs[pair] > of_baselines[pair]
            beginning = (
                f"{self.comparison.names[run]} scores {of_runs[pair]:.4f} in {measure.name}"
                f" and {self.comparison.names[baseline]} {of_baselines[pair]:.4f}"
            )
            if of_runs[pair] == of_baselines[pair]:
                yield f"{beginning}: no difference."
                continue
            parts = [
                _meaning(population, float(p_adjusted[population][pair]), level, bool(higher))
                for population in self.asked.populations
            ]
            if TOPICS not in self.asked.populations:
                parts.append("this alone says nothing about other topics")
            yield f"{beginning}: {'; '.join(parts)}."


def _wanted(asked: Asked, measures: Sequence[Measure]) -> Wanted:
    """What joint resamples are needed for."""
    settings = asked.settings
    paired = asked.method.pairing == "paired"
    populations = [
        each for each in asked.populations if each == BOTH or (each == DOCUMENTS and (paired or settings.ranks))
    ]
    logit = [logit_scale(settings.epsilon)] if settings.meta is not None else []
    scales = list({scale.name: scale for scale in map(asked.method.scale, measures)}.values())
    by_topic = settings.per_topic and settings.has_pairs and DOCUMENTS in asked.populations
    topic_scales = {scale.name: scale for scale in [*(scales if by_topic else []), *logit]}
    return Wanted(populations, scales, list(topic_scales.values()), settings.ranks)


def _meaning(population: Population, p: float, level: float, higher: bool) -> str:
    """What a p-value says about a population, in plain words."""
    what = {DOCUMENTS: "on these topics", TOPICS: "on other topics of this kind", BOTH: "on other topics and documents"}
    if np.isnan(p):
        return f"{what[population]} nothing can be told"
    shown = f"(adjusted p = {p:.2g})"
    if p > level:
        return {
            DOCUMENTS: f"on these topics other documents could well turn that round {shown}",
            TOPICS: f"that is no evidence of a difference on other topics of this kind {shown}",
            BOTH: f"that is no evidence of a difference on other topics and documents {shown}",
        }[population]
    word = "higher" if higher else "lower"
    return {
        DOCUMENTS: f"on these topics other documents of this kind would hardly turn that round {shown}",
        TOPICS: f"that is evidence that it scores {word} on other topics of this kind {shown}",
        BOTH: f"that is evidence that it scores {word} on other topics and documents of this kind {shown}",
    }[population]
