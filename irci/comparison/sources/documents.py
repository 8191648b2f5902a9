"""Documents, topics fixed: would other collections agree? And both, varying."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irci.base import DataError
from irci.base.choices import BOTH, DOCUMENTS, Sight
from irci.base.types import Floats, Ints32, Words
from irci.comparison.family import Family
from irci.comparison.sources import Source, Topics
from irci.data import collection
from irci.data.experiment import Experiment, ExperimentRun
from irci.estimators.differences import over_both, over_documents
from irci.estimators.joint_resamples import JointResamples, Rankings, joint_resamples
from irci.estimators.means import Design, Tested, document_errors, of_means, topic_means
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import PValue
from irci.stats.decisions import max_t
from irci.stats.intervals import Interval, normal_interval
from irci.stats.scales import LOGIT, mean_over_topics
from irci.stats.tests import Comparison, normal_p, with_documents

# A normal tail of a resampled standard error says no more than that p is less than this.
LEAST_NORMAL_P = 1e-4


class ResampledDocuments:
    """Runs that are read, to be resampled by documents: each by itself, or their rankings together."""

    def __init__(
        self, request: Asked, design: Design, experiment: Experiment, measures: Sequence[Sequence[Measure]],
        populations: Sequence[str],
    ) -> None:  # fmt: skip
        """`measures`: by what they average."""
        self.request, self.design, self.experiment = request, design, experiment
        self.populations = populations
        self.by_base = {of_base[0].base.name: of_base for of_base in measures}
        bases = [of_base[0].base for of_base in measures]
        self.relevances: dict[tuple[Sight, int | None], collection.Relevance] = {  # none without resamples
            base.sees: experiment.relevance(base) for base in bases if design.resamples > 0
        }
        self.rankings: list[list[Ints32]] = []
        self.retrieved = None
        if self.relevances and (request.has_pairs or request.ranks or request.meta is not None):
            seen = np.any([relevance.classes >= 0 for relevance in self.relevances.values()], axis=0)
            to_the_end = any(base.family.sees_retrieved for base in bases)
            self.retrieved = collection.RetrievedDocuments(experiment.qrels, seen, to_the_end=to_the_end)
        self.lists: list[Mapping[Any, collection.Relevance]] = []  # of each run, by what measures see
        self._means: dict[tuple[str, int, bytes], tuple[Interval, Sequence[tuple[float, str, float]]]] = {}
        self._documents: list[Words] = []
        self._joint: list[tuple[str, Comparison, bool, JointResamples]] = []  # by base measure and comparison

    def add(self, run: ExperimentRun) -> None:
        """Keep the ranks of one run's relevant documents, and its ranking if runs are resampled together."""
        relevances = self.relevances.items()
        self.lists.append({sees: relevance.of_run(run.judged) for sees, relevance in relevances})
        if self.retrieved is not None:
            self.rankings.append(self.retrieved.add(run.run, run.judged))

    def of_run(self, family: Family, row: int) -> tuple[Interval, Sequence[tuple[float, str, float]]]:
        """How a run's scores on its topics, and means of them by all measures that average these scores, vary with the
        documents, as `document_errors` has it, found once."""
        measures, has_score = self.by_base[family.measure.base.name], ~np.isnan(family.raw[row])
        base = measures[0].base
        key = base.name, row, has_score.tobytes()
        if key not in self._means:
            scores, keys = family.raw[row][has_score], self.experiment.keys[has_score]
            lists, threads = self.lists[row][base.sees].only(has_score), self.experiment.inputs.threads
            self._means[key] = document_errors(scores, lists, keys, measures, self.design, threads=threads)
        return self._means[key]

    def means(self, family: Family, population: str) -> Tested:
        design, base = self.design, family.measure.base
        of, of_runs = topic_means(family.values, design, None).of, [(np.nan, "", np.nan)] * len(family.values)
        if self.relevances:
            place = self.by_base[base.name].index(family.measure)
            of_runs = [self.of_run(family, row)[1][place] for row in range(len(family.values))]
        errors, variances = np.array([(error, variance) for error, _, variance in of_runs]).reshape(-1, 2).T
        kinds = np.array(["t" if population == BOTH else kind for _, kind, _ in of_runs], object)
        if self.relevances and population == BOTH:
            of = with_documents(of, variances)
            return of_means(of, of.limits(design.confidence), kinds)
        limits = normal_interval(of.value, errors, design.confidence)
        return of_means(of._replace(error=errors, df=np.full(len(errors), np.nan)), limits, kinds)

    def joint(self, family: Family) -> JointResamples:
        """The rankings of all runs resampled together, once for all means of what a family's measure averages."""
        base, request, comparison = family.measure.base, self.request, family.comparison
        for name, of_comparison, is_without, resamples in self._joint:
            if of_comparison is comparison and (name, is_without) == (base.name, family.scored.is_without):
                return resamples
        if self.retrieved is None or not len(family.pairs):
            return JointResamples({}, {}, {})
        self._documents = self._documents or self.retrieved.by_topic()
        runs = [(lists[base.sees], ranked) for lists, ranked in zip(self.lists, self.rankings, strict=True)]
        rankings = Rankings.of(self.experiment.qrels, self.relevances[base.sees], runs, self._documents, base)
        documents = DOCUMENTS in self.populations
        paired = documents and family.is_of_pairs and family.design.interval != "parametric"
        scales = {scale.name: scale for scale in (measure.scale() for measure in self.by_base[base.name])}
        by_topic = family.is_of_pairs and (
            BOTH in self.populations or (request.per_topic and request.has_pairs and documents)
        )
        topic_scales = (scales if by_topic else {}) | ({LOGIT.name: LOGIT} if request.meta is not None else {})
        resamples = joint_resamples(
            rankings, family.scored.keys, comparison, family.raw, scales=list(scales.values()), pairs=paired,
            all_runs=paired and family.correction_over(DOCUMENTS) == "maxt", topic_scales=list(topic_scales.values()),
            resamples=self.design.resamples, seed=self.design.seed, threads=family.threads,
        )  # fmt: skip
        self._joint.append((base.name, comparison, family.scored.is_without, resamples))
        return resamples


class DocumentSource(Source):
    """Documents, topics fixed; what they say of runs is found when it is asked for."""

    name = DOCUMENTS
    observes = by_resamples = True
    tells_df = tells_verdicts = units_alone = brings_others = False
    least_p = LEAST_NORMAL_P

    def __init__(self, resampled: ResampledDocuments) -> None:
        self.resampled = resampled

    def topic_columns(self, family: Family, index: int) -> Mapping[str, np.ndarray]:
        base, raw, (run, baseline) = family.measure.base, family.raw, family.pairs[index]
        if not family.is_of_pairs:
            limits = np.full((2, raw.shape[1]), np.nan)
            if self.resampled.relevances:
                limits[:, ~np.isnan(raw[run])], _ = self.resampled.of_run(family, run)
            return {"lower": limits[0], "upper": limits[1]}
        of_pairs = self.resampled.joint(family).sd.get(family.measure.scale().name)
        if of_pairs is None:
            return {}
        sd, differences = of_pairs[index], family.values[run] - family.values[baseline]
        if family.comparison.pooled is None:  # nothing varies of what was never made
            sd = np.where(family.scored.near(base)[[run, baseline]].any(axis=0), np.nan, sd)
        p = normal_p(differences, sd)
        lower, upper = normal_interval(differences, np.where(np.isnan(p), np.nan, sd), family.design.confidence)
        p_values = np.array([PValue(value, LEAST_NORMAL_P) for value in p.tolist()], object)
        return {"lower": lower, "upper": upper, "p": p_values, "test": np.full(len(p), "normal", object)}

    def evidence(self, family: Family) -> Floats:
        return np.where(family.measure.is_of_the_top, np.nan, self.told_of_pairs(family))

    def remark(self, family: Family, index: int) -> str:
        return f"p is too small to rely on for {family.measure.name}" if family.measure.is_of_the_top else ""

    def tested(self, family: Family) -> Tested:
        if not family.is_of_pairs:
            return self.resampled.means(family, self.name)
        kind = "parametric" if family.design.interval == "parametric" else "linear"
        if kind == "linear":
            by_scale, unknown = self.resampled.joint(family).errors, np.full(len(family.pairs), np.nan)
            errors = by_scale.get(family.measure.scale().name, unknown)
        elif pooled := family.comparison.pooled:
            raise DataError(f"the {pooled} of all runs is no run of its own: leave out --interval parametric")
        else:
            # Documents of either run are resampled each by themselves (Cormack & Lynam 2006, section 6).
            of_run, of_baseline = self.resampled.means(family, DOCUMENTS).of.error[family.pairs].T
            errors = np.sqrt(of_run**2 + of_baseline**2)
        tested = over_documents(family.over_topics.of, errors, family.design.confidence)
        return tested._replace(interval=np.array(kind, object))

    def _max_t(self, family: Family, differences: Floats) -> tuple[Floats, float]:
        replicates = self.resampled.joint(family).means.get(family.measure.scale().name)
        if replicates is None:
            return np.full(len(differences), np.nan), np.inf
        return max_t(differences, replicates, family.pairs, family.design.confidence)

    def p_at_once(self, family: Family, tested: Tested) -> Floats:
        first, second = mean_over_topics(family.values[:, family.common].T)[family.pairs.T]
        return self._max_t(family, first - second)[0]

    def limits_at_once(self, family: Family, tested: Tested) -> Interval | None:
        value, (_, width) = tested.of.value, self._max_t(family, tested.of.value)
        # So few resamples that the width is infinite allow no limits for all pairs at once.
        has_limits = ~np.isnan(tested.limits[0]) & np.isfinite(width)
        reach = np.where(has_limits, width * tested.of.error, np.nan)
        return np.stack((value - reach, value + reach))


class TopicsAndDocuments(Topics):
    """Topics and documents."""

    name = BOTH
    is_plain_topics = tells_verdicts = units_alone = False

    def __init__(self, resampled: ResampledDocuments) -> None:
        super().__init__()
        self.resampled = resampled

    def tested(self, family: Family) -> Tested:
        if not family.is_of_pairs:
            return self.resampled.means(family, self.name)
        sd = self.resampled.joint(family).sd.get(family.measure.scale().name)
        differences, confidence = family.over_topics.of, family.design.confidence
        if sd is None:
            return over_documents(differences, np.full(len(family.pairs), np.nan), confidence)
        return over_both(differences, family.values, family.pairs, sd, confidence)

    def p_at_once(self, family: Family, tested: Tested) -> Floats:
        # The largest statistic of signs of topics, as a t, is as many standard errors of both.
        of = tested.of
        draws = family.simultaneous(self)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = of.value / of.error
        p = draws.p_of(np.nan_to_num(t, nan=0.0), int(family.common.sum()))
        return np.where(np.isnan(tested.p), np.nan, np.where(of.value == 0, 1.0, p))
