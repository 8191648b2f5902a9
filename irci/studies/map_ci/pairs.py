"""What irci map-ci says of several runs: differences, combined effects and ranks, as rows and as sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.bootstrap.joint_resamples import Comparison, Together, resampled_together
from irci.bootstrap.shared_documents import Rankings
from irci.bootstrap.topics import topic_counts
from irci.cli.console import warn_of_topics
from irci.data.measures import Measure, mean_over_topics
from irci.data.scores import Scores
from irci.errors import DataError
from irci.methods.map_ci.differences import (
    NOTHING,
    Differences,
    combined,
    from_errors,
    joint_errors,
    mean_values,
    over_topics,
)
from irci.methods.map_ci.means import BOTH, DOCUMENTS, TOPICS, Row, Settings
from irci.stats.intervals import normal_interval
from irci.stats.ranks import ranks, surely_better, surely_better_over_topics
from irci.stats.scales import logit_scale
from irci.stats.tests import adjusted, normal_p, smallest_sign_flip_p
from irci.studies.map_ci.runs import Evidence, Question, is_resampled, keys_of

Floats = NDArray[np.float64]

# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1


@dataclass(frozen=True)
class Pairs:
    """Runs to be compared on one base measure, and what joint resamples say of them."""

    question: Question
    settings: Settings
    table: Scores
    evidence: Evidence
    comparison: Comparison
    base: Measure
    values: Floats
    together: Together

    @classmethod
    def of(
        cls,
        question: Question,
        settings: Settings,
        table: Scores,
        evidence: Evidence,
        base: Measure,
        measures: Sequence[Measure],
        threads: int,
    ) -> "Pairs":
        """Resample the rankings of all runs together, as far as the question needs it."""
        if (question.has_pairs or question.ranks) and len(table.runs) < 2:
            raise DataError("to compare runs takes at least two")
        if question.baseline is not None and question.baseline not in (*table.runs, "mean", "median"):
            raise DataError(f"no run is named {question.baseline!r}: there are {', '.join(table.runs)}")
        comparison = Comparison.of(
            table.runs, question.baseline, question.compare, question.all_pairs, alone=question.meta
        )
        values = comparison.table(table.values[base.name])
        together = Together()
        if evidence.collection is not None and is_resampled(base, settings):
            paired = settings.pairing == "paired"
            populations = [
                each
                for each in question.populations
                if each == BOTH or (each == DOCUMENTS and (paired or question.ranks))
            ]
            logit = [logit_scale(settings.epsilon)] if question.meta else []
            scales = list({scale.name: scale for scale in map(settings.scale, measures)}.values())
            by_topic = question.per_topic and question.has_pairs and DOCUMENTS in question.populations
            topic_scales = {scale.name: scale for scale in [*(scales if by_topic else []), *logit]}
            together = resampled_together(
                Rankings.of(
                    evidence.collection, evidence.relevances[base.family.graded], evidence.rankings,
                    base.family.resampled_as, base.cut,
                ),
                keys_of(table), comparison, values, settings, populations=populations, scales=scales,
                topic_scales=list(topic_scales.values()), with_ranks=question.ranks, threads=threads,
            )  # fmt: skip
        return cls(question, settings, table, evidence, comparison, base, values, together)

    def differences(self, measure: Measure, population: str) -> Differences:
        """The differences of all pairs, with the p that the population gives."""
        settings, pairs = self.settings, self.comparison.pairs
        scale = settings.scale(measure)
        of_topics = over_topics(
            scale.forward(self.values), pairs, keys_of(self.table), interval=settings.interval,
            test=settings.test, resamples=settings.resamples, seed=settings.seed, confidence=settings.confidence,
        )  # fmt: skip
        if population == TOPICS:
            return of_topics
        if population in self.together.for_pairs and (population == BOTH or not self._independent):
            errors = joint_errors(self.together.for_pairs[population], pairs, scale)
        elif population == DOCUMENTS and self._independent:
            errors = self._independent_errors(measure)
        else:
            errors = np.full(len(pairs), np.nan)
        return from_errors(of_topics, errors, settings.confidence)

    def _tested(self, measure: Measure) -> tuple[dict[str, Differences], dict[str, Floats]]:
        """For each population the differences of all pairs, and their p adjusted."""
        found = {population: self.differences(measure, population) for population in self.question.populations}
        return found, {population: adjusted(of.p, self.settings.correction) for population, of in found.items()}

    @property
    def can_reject(self) -> bool:
        """Whether the smallest p that the randomization test can give survives the correction for so many pairs."""
        settings, (pairs, topics) = self.settings, (len(self.comparison.pairs), len(self.table.topics))
        smallest = smallest_sign_flip_p(topics, settings.resamples)
        allowed = (1 - settings.confidence) / (pairs if settings.correction == "holm" else 1)
        return settings.test != "randomization" or TOPICS not in self.question.populations or smallest <= allowed

    def warn_of_few_relevant(self) -> None:
        """Say where resampled documents know too little: `tests/test_soundness_pairs.py` measures how wrong p is then."""
        relevance = self.evidence.relevances.get(self.base.family.graded)
        if relevance is None or DOCUMENTS not in self.question.populations:
            return
        scored = ~np.isnan(self.values).all(axis=0)
        relevant = relevance.counts.sum(axis=1)[scored]
        topics = np.array(self.table.topics, object)[scored]
        few = (relevant > 0) & (relevant < FEW)
        if self.question.has_pairs and few.sum() > MANY_TOPICS * len(few):
            happens = f"with fewer than {FEW} relevant documents, p over documents too small (--population topics)"
            warn_of_topics(self.base.name, happens, topics[few].tolist())
        few = (relevant > 0) & (relevant < FEW_FOR_META)
        if self.question.meta:
            happens = f"with fewer than {FEW_FOR_META} relevant documents, which --meta trusts too much"
            warn_of_topics(self.base.name, happens, topics[few].tolist())

    @property
    def _independent(self) -> bool:
        return self.settings.pairing == "independent"

    def _independent_errors(self, measure: Measure) -> Floats:
        """sqrt(e_x^2 + e_y^2) of the runs' own standard errors (Cormack & Lynam 2006, section 6)."""
        if self.comparison.pooled:
            raise DataError(f"the {self.comparison.pooled} of all runs has no resamples of its own: compare it paired")
        if np.isnan(self.values).any():
            raise DataError("runs that lack topics can only be compared paired")
        means = self.evidence.means
        errors = [
            means[run, measure.name, DOCUMENTS].error if (run, measure.name, DOCUMENTS) in means else np.nan
            for run in self.table.runs
        ]
        of_run, of_baseline = np.array(errors)[self.comparison.pairs].T
        both: Floats = np.sqrt(of_run**2 + of_baseline**2)
        return both

    def rows(self, measure: Measure) -> Iterator[Row]:
        """For each pair a row a topic if asked for, then one a population."""
        scale = self.settings.scale(measure)
        name = "_".join(filter(None, (measure.name, scale.name, "diff")))
        found, p_adjusted = self._tested(measure)
        for pair, (run, baseline) in enumerate(self.comparison.pairs.tolist()):
            names = {"run": self.comparison.names[run], "baseline": self.comparison.names[baseline]}
            if self.question.per_topic:
                yield from self._rows_of_topics(name, scale.forward(self.values), scale.name, pair, names)
            for population, of in found.items():
                yield {
                    "measure": name, "topic": "all", "value": float(of.value[pair]), "lower": float(of.lower[pair]),
                    "upper": float(of.upper[pair]), **names, "population": population, "p": float(of.p[pair]),
                    "p_adjusted": float(p_adjusted[population][pair]), "effect_size": float(of.effect_size[pair]),
                    "test": of.test,
                }  # fmt: skip

    def _rows_of_topics(
        self, name: str, on_scale: Floats, scale: str, pair: int, names: dict[str, str]
    ) -> Iterator[Row]:
        """A pair's differences on single topics, with the limits that resampled documents give them."""
        run, baseline = self.comparison.pairs[pair]
        differences = on_scale[run] - on_scale[baseline]
        spreads = self.together.spreads.get(scale)
        sd = np.full(len(differences), np.nan) if spreads is None else spreads.sd[pair]
        p = normal_p(differences, sd)
        lower, upper = normal_interval(differences, np.where(np.isnan(p), np.nan, sd), self.settings.confidence)
        for topic, topic_name in enumerate(self.table.topics):
            if not np.isnan(differences[topic]):
                yield {
                    "measure": name, "topic": topic_name, "value": float(differences[topic]),
                    "lower": float(lower[topic]), "upper": float(upper[topic]), **names,
                    "population": self.question.populations[0], "p": float(p[topic]), "p_adjusted": np.nan,
                    "effect_size": np.nan, "test": "normal",
                }  # fmt: skip

    def rows_of_meta(self) -> Iterator[Row]:
        """For each pair (or run) the effects on single topics, differences of logits, combined; for Stouffer the z."""
        method = self.settings.meta
        name = f"{self.base.name}_logit_{'' if not self.question.has_pairs else 'diff_'}{method}"
        spreads = self.together.spreads.get("logit")
        if spreads is None:
            raise DataError(f"{self.base.name}: --meta needs resampled documents, which this measure has not")
        found = list(combined(self.values, spreads, method))
        # That a run's own logits average 0 is a hypothesis that nobody has.
        z = np.array([np.nan if each is None or not self.question.has_pairs else each.z for each, _ in found])
        p = normal_p(z, np.ones(len(z)))
        p_adjusted = adjusted(p, self.settings.correction)
        for pair, (each, left_out) in enumerate(found):
            run, baseline = self.comparison.pairs[pair].tolist()
            names = {"run": self.comparison.names[run]}
            if baseline != NOTHING:
                names["baseline"] = self.comparison.names[baseline]
            value, error = (np.nan, np.nan) if each is None else (each.effect, each.standard_error)
            lower, upper = normal_interval(value, error, self.settings.confidence)
            row: Row = {
                "measure": name, "topic": "all", "value": value if method != "stouffer" or each is None else each.z,
                "lower": float(lower), "upper": float(upper), **names, "population": DOCUMENTS, "p": float(p[pair]),
                "p_adjusted": float(p_adjusted[pair]), "topics": 0 if each is None else each.topics,
                "left_out": left_out,
            }  # fmt: skip
            if method != "stouffer":
                q, q_p, i2, tau2 = (np.nan,) * 4 if each is None else (each.q, each.q_p, each.i2, each.tau2)
                row |= {"Q": q, "Q_p": q_p, "I2": i2, "tau2": tau2}
            yield row

    def rows_of_ranks(self, measure: Measure) -> Iterator[Row]:
        """For each run its rank, limits and letters, for each population."""
        runs = len(self.table.runs)
        scored = ~np.isnan(self.values[:runs]).any(axis=0)
        if not scored.any():
            raise DataError("no topic is common to all runs")
        scale = self.settings.scale(measure)
        values = scale.forward(self.values[:runs, scored])
        means = mean_over_topics(values.T)
        for population in self.question.populations:
            if population == TOPICS:
                counts = topic_counts(values.shape[1], self.settings.resamples, self.settings.seed)
                better = surely_better_over_topics(values, counts, self.settings.confidence)
            elif population in self.together.for_ranks:
                replicates = self.together.for_ranks[population].means(scale)
                better = surely_better(means, replicates, self.settings.confidence)
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
        level = 1 - self.settings.confidence
        scale = self.settings.scale(measure)
        _, p_adjusted = self._tested(measure)
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
                for population in self.question.populations
            ]
            if TOPICS not in self.question.populations:
                parts.append("this alone says nothing about other topics")
            yield f"{beginning}: {'; '.join(parts)}."


def _meaning(population: str, p: float, level: float, higher: bool) -> str:
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
