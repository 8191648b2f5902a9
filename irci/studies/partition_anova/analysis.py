"""Scores on parts analysed, measure after measure: fitted models, decisions on pairs, how well parts represent the whole."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, assert_never

import numpy as np

from irci.base.choices import Model, PublishedTest, RunTest
from irci.base.errors import DataError, logger
from irci.base.names import first_few, plural, raw
from irci.base.records import Record
from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats, Words, all_pairs, reaches
from irci.compare.wording import p_text
from irci.data.inputs import where
from irci.data.notices import warn_of_topics
from irci.data.part_scores import PartScores
from irci.data.parts import balanced
from irci.estimators.partition_anova import SystemEffects, pair_p_values, partition_anova
from irci.stats.anova import anova
from irci.stats.signs import sign_flip, tau_b
from irci.stats.tests import PAIRS_AT_ONCE, adjusted, paired_t_or_signs, tukey, unpaired_t
from irci.studies.partition_anova.decisions import Decisions
from irci.studies.partition_anova.request import PartitionAnovaRequest

PAIRS = 16 * PAIRS_AT_ONCE  # whose scores are looked at together
# Of parts and of versions: the model that takes out of the error what all systems have in common, its source, in words.
OF_ALL_SYSTEMS: dict[str, tuple[Model, str, str]] = {
    "part": ("parts", "topic:part", "topic x part"), "version": ("nested", "part(topic)", "the version within its topic"),
}  # fmt: skip
FEW_DF = 30  # of the error; from fewer residuals, draws vary less than what they are drawn for


def row_of_lengths(model: str, lengths: Floats) -> dict[str, Any]:
    """Lengths of a model's intervals."""
    return {"model": model, "mean": float(lengths.mean()), "min": float(lengths.min()), "max": float(lengths.max())}


class SplitFindings(Record):
    """One split: the model asked for, that and the paper's two by name, the decisions on pairs, and the rows of checks."""

    number: int
    fitted: SystemEffects
    by_model: dict[str, SystemEffects]
    decisions: Decisions
    checks: list[dict[str, Any]]


class MeasureFindings(Record):
    """One measure: its splits, tests of the unsplit scores, and differences[P] of effects (first split) and of means."""

    measure: str
    splits: list[SplitFindings]
    tests: list[Decisions]
    differences: Floats
    whole_differences: Floats


class Analysis:
    """A table of scores on parts, and what is asked of it."""

    def __init__(self, table: PartScores, request: PartitionAnovaRequest, threads: int) -> None:
        if len(table.runs) < 2:
            raise DataError("to compare systems, give at least two runs")
        self.table = table
        self.request = request
        self.threads = threads
        self.pairs = all_pairs(len(table.runs))
        self._warned: set[str] = set()
        self._topics: dict[str, dict[str, list[str]]] = {}  # by what happens to them, by measure and split
        self._shares: list[str] = []  # of the error that all systems have in common, in words

    def tell(self) -> None:
        """Give the notices of all measures and splits, one of each kind."""
        for happens, topics_by_split in self._topics.items():
            names = list(dict.fromkeys(topic for topics in topics_by_split.values() for topic in topics))
            (what, of_first), *others = topics_by_split.items()
            if others:
                most = max(len(topics) for topics in topics_by_split.values())
                logger.warning(f"up to {plural(most, 'topic')} of a split {happens}: {first_few(names)}")
            else:
                warn_of_topics(what, happens, of_first)
        if self._shares:
            model, _, what = OF_ALL_SYSTEMS[self.table.replicate]
            logger.warning(
                f"{what} is {', '.join(self._shares)} of the error of --model {self.request.model}, the same for all systems:"
                f" intervals are too wide, and too few pairs differ (--model {model} takes it out)"
            )

    def of_measure(self, measure: str) -> MeasureFindings:
        splits = [self._of_split(measure, number) for number in self.table.numbers]
        tests = list(self.tests(measure))
        means = self._whole(measure).mean(axis=0) if tests else np.full(len(self.table.runs), np.nan)
        first, second = self.pairs.T
        of_effects, of_means = (values[first] - values[second] for values in (splits[0].fitted.value, means))
        return MeasureFindings(measure, splits, tests, of_effects, of_means)

    def _of_split(self, measure: str, number: int) -> SplitFindings:
        y, kept = self.balanced(measure, number)
        if self.request.model == "interaction" and number == self.table.numbers[0]:
            self._note_topic_by_part(measure, y)
        effects = self.effects(y, measure, number, self.request.model)
        decisions = self.decided(effects)
        self._warn_of_error(measure, effects)
        fitted = effects.without_replicates()
        del effects
        beside: tuple[Model, ...] = ("additive", "interaction")
        by_model: dict[str, SystemEffects] = {
            model: fitted
            if model == self.request.model
            else self.effects(y, measure, number, model).without_replicates()
            for model in dict.fromkeys((*beside, self.request.model))
        }
        return SplitFindings(number, fitted, by_model, decisions, list(self._checks(measure, y, kept, number)))

    def balanced(self, measure: str, split: int) -> tuple[Floats, Bools]:
        """A split's scores, made complete, and the topics kept."""
        scores = self.table.splits[measure][self.table.numbers.index(split)]
        y, kept = balanced(scores, self.request.policy)
        what = f"{measure}, split {split}"
        imputed = np.asarray(np.isnan(scores).any(axis=(1, 2))) & kept
        self._warn_of_topics(
            what, f"with parts that --policy {self.request.policy} scores", where(self.table.topics, imputed)
        )
        missing = where(self.table.topics, ~kept)
        if missing and self.request.policy == "redraw":
            raise DataError(
                f"{what}: no score of some run or part on {plural(len(missing), 'topic')}"
                f" ({' '.join(missing[:5])}): --policy drop, zero or mean"
            )
        self._warn_of_topics(what, "without a score of every run and part, dropped", missing)
        if not kept.any():
            raise DataError(f"{measure}: no topic has a score of every run and part")
        return y, kept

    def _warn_of_topics(self, what: str, happens: str, topics: list[str]) -> None:
        if topics:
            self._topics.setdefault(happens, {})[what] = topics

    def effects(
        self, y: Floats, measure: str, split: int, model: Model, runs: Sequence[int] | None = None
    ) -> SystemEffects:
        """The fit of a split's scores y[n, m, x]; of some of the runs alone if asked for."""
        scores = y if runs is None else y[:, runs]
        try:
            return partition_anova(scores, self.request._replace(model=model), split=split, threads=self.threads)
        except ValueError as error:
            raise DataError(f"{measure}: {error}") from None

    def _whole(self, measure: str) -> Floats:
        """The unsplit scores[n, m] of the topics on which all runs have one."""
        whole = self.table.whole[measure]
        whole = whole[~np.isnan(whole).any(axis=1)]
        if not len(whole):
            raise DataError(f"{measure}: no scores on the whole collection (split 0, part 0)")
        return whole

    def _checks(self, measure: str, y: Floats, kept: Bools, split: int) -> Iterator[dict[str, Any]]:
        """Rows that show whether the parts represent the whole: relevant documents, order of systems, shift of their means. So
        for versions, if all topics have the same."""
        table = self.table
        if table.replicate == "version" and table.labels is None:
            return
        whole = table.whole[measure][kept]
        whole = whole[~np.isnan(whole).any(axis=1)]
        relevant = table.relevant[table.numbers.index(split)][kept] if table.relevant else None
        for part in range(y.shape[2]):
            means = y[:, :, part].mean(axis=0)
            row: dict[str, Any] = {
                table.replicate: table.labels[part] if table.labels else part + 1,
                "tau": tau_b(means, whole.mean(axis=0)) if len(whole) else np.nan,
                "shift": float(means.mean() - whole.mean()) if len(whole) else np.nan,
            }
            if relevant is not None:
                of_part = relevant[:, part]
                row |= {
                    "relevant_min": int(of_part.min()),
                    "imbalance": float((of_part * relevant.shape[1] / relevant.sum(axis=1)).max()),
                }  # fmt: skip
            yield row

    def _note_topic_by_part(self, measure: str, y: Floats) -> None:
        """Note, where a model can be fitted that finds an interaction of topic and part (or that versions of a topic differ),
        how much of the error that is.

        It is the same for all systems and cancels in their differences, so that as error it makes these look less certain
        than they are. Notable is what its F test, which the table of that model prints, finds at the first level.
        """
        model, source, _ = OF_ALL_SYSTEMS[self.table.replicate]
        try:
            fitted = anova(y, model).table
        except ValueError:
            return
        _, squares, _, f, p, _ = fitted[source]
        if p < self.request.alphas[0]:
            share = squares / anova(y, self.request.model).table["error"][1]
            split = f", split {self.table.numbers[0]}" if len(self.table.numbers) > 1 else ""
            self._shares.append(f"{share:.0%} ({measure}{split}; F {f:.2f}, {p_text(p)})")

    def _warn_of_error(self, measure: str, effects: SystemEffects) -> None:
        df, tests = effects.fit.df, "averages over versions" if self.request.versions else "whole scores"
        if effects.is_exact:
            self._warn_once(
                f"{measure}: --model {self.request.model} fits every score exactly: no limits, and no p of pairs"
            )
        elif df < FEW_DF:
            self._warn_once(
                f"only {plural(df, 'degree')} of freedom of error: too many pairs may differ significantly by the"
                f" model (tests of {tests}, such as t, do not rest on these)"
            )

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            logger.warning(message)

    def decided(self, effects: SystemEffects) -> Decisions:
        correction = self.request.correction
        p = pair_p_values(effects, published=self.request.published)
        first, second = all_pairs(len(effects.value)).T
        sign = np.sign(effects.value[first] - effects.value[second]).astype(np.int64)
        by = "marginal" if self.request.published else "difference"
        decided = Decisions(by, correction, p, adjusted(p, correction), sign)
        if len(p) and not effects.is_exact:
            self._warn_of_floor(decided)
        return decided

    def _warn_of_floor(self, decided: Decisions) -> None:
        floor = 2 / (self.request.resamples + 1)
        at_floor = decided.p <= floor * (1 + 1e-9)
        for alpha in self.request.alphas:
            if at_floor.any() and not np.any(reaches(decided.p_adjusted[at_floor], alpha)):
                self._warn_once(
                    f"p is at least {floor:.2g} with {self.request.resamples} resamples (-B): no pair can differ at {alpha:g}"
                    f" after {decided.correction} over {plural(len(decided.p), 'pair')}: take more"
                )

    def tests(self, measure: str) -> Iterator[Decisions]:
        if not self.request.tests:
            return
        if np.isnan(self.table.whole[measure]).all():
            logger.warning(f"{measure}: no scores on the whole collection, no tests of them")
            return
        scored = np.asarray(~np.isnan(self.table.whole[measure]).any(axis=1))
        whole = self._whole(measure)
        keys = topic_keys([raw(topic) for topic in where(self.table.topics, scored)])
        sign = self._in_blocks(whole, lambda first, second: np.sign((first - second).mean(axis=1))).astype(np.int64)
        for test in self.request.tests:
            p = self._p(test, whole, keys)
            # Tukey's is not of the studentized range, as the name may suggest.
            yield Decisions(test.replace("tukey", "randomized-tukey"), "none", p, p, sign)

    def _in_blocks(self, whole: Floats, of_pairs: Callable[[Floats, Floats], Floats]) -> Floats:
        """Results float64[P] of the pairs' scores first[P, n] and second[P, n] out of whole[n, m], float64[P], many at a
        time."""
        blocks = np.split(self.pairs, range(PAIRS, len(self.pairs), PAIRS))
        return np.concatenate([of_pairs(whole.T[some[:, 0]], whole.T[some[:, 1]]) for some in blocks])

    def _p(self, test: RunTest | PublishedTest, whole: Floats, keys: Words) -> Floats:
        resamples, seed = self.request.resamples, self.request.seed
        match test:
            case "t":
                return self._in_blocks(whole, lambda first, second: paired_t_or_signs(first - second, 0.95).p)
            case "unpaired-t":
                return self._in_blocks(whole, unpaired_t)
            case "tukey":
                return tukey(whole, resamples, seed)
            case "randomization":
                return self._in_blocks(whole, lambda first, second: sign_flip(first - second, keys, resamples, seed))
            case "randomization-one-sided":
                return self._in_blocks(
                    whole, lambda first, second: sign_flip(first - second, keys, resamples, seed, one_sided=True)
                )
            case _:
                assert_never(test)
