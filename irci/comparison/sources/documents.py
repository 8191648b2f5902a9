"""Documents, topics fixed: would other collections agree? And both, varying."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from irci.base import DataError
from irci.base.choices import BOTH, DOCUMENTS, Sight
from irci.base.types import Bools, Floats, Ints, Ints32, Words
from irci.comparison.family import Family
from irci.comparison.sources import Source, Topics
from irci.data import collection
from irci.data.experiment import Experiment, ExperimentRun
from irci.estimators.joint_resamples import JointResamples, Rankings, joint_resamples
from irci.estimators.means import Design, Tested, document_errors
from irci.measures import Measure
from irci.options.asked import Asked
from irci.output.tables import PValue
from irci.stats.decisions import max_t
from irci.stats.intervals import Interval, normal_interval
from irci.stats.scales import LOGIT, added_up, mean_over_topics
from irci.stats.tests import Comparison, normal_p, with_documents

# A normal tail of a resampled standard error says no more than that p is less than this.
LEAST_NORMAL_P = 1e-4


class DocumentSource(Source):
    """Documents, topics fixed: of runs that are read, each resampled by itself, or their rankings together.

    relevances: what measures see of the judgments; none without resamples
    """

    name = DOCUMENTS
    observes = by_resamples = True
    tells_df = tells_verdicts = units_alone = brings_others = False
    least_p = LEAST_NORMAL_P

    def __init__(
        self, request: Asked, design: Design, experiment: Experiment, measures: Sequence[Sequence[Measure]],
        populations: Sequence[str],
    ) -> None:  # fmt: skip
        """`measures`: by what they average; `populations`: those that rows are about."""
        self.request, self.design, self.experiment = request, design, experiment
        self.populations = populations
        self.by_base = {of_base[0].base.name: of_base for of_base in measures}
        bases = [of_base[0].base for of_base in measures] if design.resamples > 0 else []
        self.relevances: dict[tuple[Sight, int | None], collection.Relevance] = {
            base.sees: experiment.relevance(base) for base in bases
        }
        self._retrieved = None
        if bases and (request.has_pairs or request.ranks or request.meta is not None):
            seen = np.any([relevance.classes >= 0 for relevance in self.relevances.values()], axis=0)
            to_the_end = any(base.family.sees_retrieved for base in bases)
            self._retrieved = collection.RetrievedDocuments(experiment.qrels, seen, to_the_end=to_the_end)
        # Of each run what measures see, and its ranking.
        self._runs: list[tuple[Mapping[Any, collection.Relevance], list[Ints32]]] = []
        self._by_run: dict[tuple[str, int, bytes], tuple[Interval, Sequence[tuple[float, str, float]]]] = {}
        self._documents: list[Words] = []
        self._joint: list[tuple[Comparison, tuple[str, bool], JointResamples]] = []

    def add(self, run: ExperimentRun) -> None:
        """Keep the ranks of one run's relevant documents, and its ranking if runs are resampled together."""
        lists = {sees: relevance.of_run(run.judged) for sees, relevance in self.relevances.items()}
        self._runs.append((lists, self._retrieved.add(run.run, run.judged) if self._retrieved is not None else []))

    def settle(self, is_made: Sequence[bool], is_left: Bools) -> None:
        """Leave the runs that are made, of those that were added, and the topics bool[T] that count."""
        self._runs, self._left = list(compress(self._runs, is_made)), is_left

    def _on_all(self, scores: Floats) -> Floats:
        """Scores[..., M] on all topics [..., T], nan on those that do not count."""
        on_all = np.full((*scores.shape[:-1], len(self._left)), np.nan)
        on_all[..., self._left] = scores
        return on_all

    def num_relevant(self, base: Measure) -> Ints | None:
        """The relevant documents of each topic that counts, int64[M], as a measure sees them; None without resamples."""
        return self.relevances[base.sees].num_relevant[self._left] if self.relevances else None

    def _of_run(self, family: Family, row: int) -> tuple[Interval, Sequence[tuple[float, str, float]]]:
        """How a run's scores on its topics, and means of them by all measures that average these scores, vary with the
        documents, as `document_errors` has it, found once."""
        base, scores, experiment = family.measure.base, self._on_all(family.raw[row]), self.experiment
        has_score = ~np.isnan(scores)
        key = base.name, row, has_score.tobytes()
        if key not in self._by_run:
            scores, lists = scores[has_score], self._runs[row][0][base.sees].only(has_score)
            keys, measures, threads = experiment.keys[has_score], self.by_base[base.name], experiment.inputs.threads
            self._by_run[key] = document_errors(scores, lists, keys, measures, self.design, threads=threads)
        return self._by_run[key]

    def of_means(self, family: Family) -> tuple[Floats, np.ndarray, Floats]:
        """How the means of a family's runs vary with the documents: their standard errors, the kinds of their limits, and
        topics' mean variances; nan without resamples."""
        place, unknown = self.by_base[family.measure.base.name].index(family.measure), (np.nan, "", np.nan)
        of_runs = [
            self._of_run(family, row)[1][place] if self.relevances else unknown for row in range(len(family.values))
        ]
        errors, kinds, variances = np.array(of_runs, object).reshape(-1, 3).T
        return errors.astype(np.float64), kinds, variances.astype(np.float64)

    def joint(self, family: Family) -> JointResamples:
        """The rankings of all runs resampled together, once for all means of what a family's measure averages."""
        base, request, comparison = family.measure.base, self.request, family.comparison
        key = base.name, family.scored.is_without
        for of_comparison, of_key, resamples in self._joint:
            if of_comparison is comparison and of_key == key:
                return resamples
        if self._retrieved is None or not len(family.pairs):
            return JointResamples({}, {}, {})
        self._documents = self._documents or self._retrieved.by_topic()
        runs = [(lists[base.sees], ranked) for lists, ranked in self._runs]
        rankings = Rankings.of(self.experiment.qrels, self.relevances[base.sees], runs, self._documents, base)
        has_rows, is_of_pairs = DOCUMENTS in self.populations, family.is_of_pairs
        paired = has_rows and is_of_pairs and family.design.interval != "parametric"
        by_topic = is_of_pairs and (BOTH in self.populations or (request.per_topic and request.has_pairs and has_rows))
        scales = {(scale := measure.scale()).name: scale for measure in self.by_base[base.name]}
        topic_scales = {**(scales if by_topic else {}), **({} if request.meta is None else {LOGIT.name: LOGIT})}
        resamples = joint_resamples(
            rankings, self.experiment.keys, comparison, self._on_all(family.raw),
            scales=[*scales.values()] if paired else [], all_runs=family.correction_over(DOCUMENTS) == "maxt",
            topic_scales=[*topic_scales.values()], resamples=self.design.resamples, seed=self.design.seed,
            threads=family.threads,
        )  # fmt: skip
        resamples = resamples._replace(sd={name: sd[:, self._left] for name, sd in resamples.sd.items()})
        self._joint.append((comparison, key, resamples))
        return resamples

    def topic_columns(self, family: Family, index: int) -> Mapping[str, np.ndarray]:
        raw, (run, baseline) = family.raw, family.pairs[index]
        if not family.is_of_pairs:
            limits = np.full((2, raw.shape[1]), np.nan)
            if self.relevances:
                limits[:, ~np.isnan(raw[run])], _ = self._of_run(family, run)
            return {"lower": limits[0], "upper": limits[1]}
        of_pairs = self.joint(family).sd.get(family.measure.scale().name)
        if of_pairs is None:
            return {}
        sd, differences = of_pairs[index], family.values[run] - family.values[baseline]
        if family.comparison.pooled is None:  # nothing varies of what was never made
            sd = np.where(family.scored.near(family.measure)[[run, baseline]].any(axis=0), np.nan, sd)
        p = normal_p(differences, sd)
        lower, upper = normal_interval(differences, np.where(np.isnan(p), np.nan, sd), family.design.confidence)
        p_values = np.array([PValue(value, LEAST_NORMAL_P) for value in p.tolist()], object)
        return {"lower": lower, "upper": upper, "p": p_values, "test": np.full(len(p), "normal", object)}

    def evidence(self, family: Family) -> Floats:
        over = family.over(self)
        return np.where(family.measure.is_of_the_top, np.nan, np.stack((over.of.value, over.p, over.p_adjusted)))

    def remark(self, family: Family, index: int) -> str:
        return f"p is too small to rely on for {family.measure.name}" if family.measure.is_of_the_top else ""

    def tested(self, family: Family) -> Tested:
        of, is_of_pairs, kind = family.over_topics.of, family.is_of_pairs, np.array("linear", object)
        if not is_of_pairs:
            errors, kind, _ = self.of_means(family)
        elif family.design.interval != "parametric":
            unknown = np.full(len(family.pairs), np.nan)
            errors = self.joint(family).errors.get(family.measure.scale().name, unknown)
        elif pooled := family.comparison.pooled:
            raise DataError(f"the {pooled} of all runs is not a run: leave out --interval parametric")
        else:
            # Documents of either run are resampled each by themselves (Cormack & Lynam 2006, section 6).
            of_run, of_baseline = self.of_means(family)[0][family.pairs].T
            errors, kind = np.sqrt(of_run**2 + of_baseline**2), np.array("parametric", object)
        p = normal_p(of.value, errors)
        # nan where there is a difference but no error.
        limits = normal_interval(
            of.value, np.where(np.isnan(p) & is_of_pairs, np.nan, errors), family.design.confidence
        )
        of = of._replace(error=errors, df=np.full(len(p), np.inf))
        return Tested(of, limits, p, np.full(len(p), "normal", object), kind)

    def _max_t(self, family: Family, differences: Floats) -> tuple[Floats, float]:
        replicates = self.joint(family).means.get(family.measure.scale().name)
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

    def __init__(self, documents: DocumentSource) -> None:
        super().__init__()
        self.documents = documents

    def tested(self, family: Family) -> Tested:
        """Estimates with what documents add to those over topics; p is no less than the least that signs of these can give."""
        of, is_of_pairs = family.over_topics.of, family.is_of_pairs
        if is_of_pairs:
            sd = self.documents.joint(family).sd[family.measure.scale().name]
            lacks = np.isnan(family.values[family.pairs]).any(axis=1)
            squares = added_up(np.where(lacks, 0.0, sd**2).T)
            variances = np.divide(squares, of.units, out=np.full_like(squares, np.nan), where=of.units > 0)
        else:
            *_, variances = self.documents.of_means(family)
        tested = Tested.by_t(with_documents(of, variances), of.units * is_of_pairs, family.design.confidence)
        is_equal = (tested.of.error == 0) & is_of_pairs  # rankings
        return tested._replace(limits=np.where(is_equal, 0.0, tested.limits))

    def p_at_once(self, family: Family, tested: Tested) -> Floats:
        # The largest statistic of signs of topics, as a t, is as many standard errors of both.
        of = tested.of
        draws = family.simultaneous(self)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = of.value / of.error
        p = draws.p_of(np.nan_to_num(t, nan=0.0), int(family.common.sum()))
        return np.where(np.isnan(tested.p), np.nan, np.where(of.value == 0, 1.0, p))
