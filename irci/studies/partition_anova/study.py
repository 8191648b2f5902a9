"""What irci partition-anova says: effects, variances, decisions, agreement of splits, groups; as rows and in words."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from irci.cli.console import plural, warn, warn_of_topics
from irci.data.names import raw
from irci.data.part_scores import PartScores
from irci.data.replicates import balanced
from irci.errors import DataError
from irci.methods.partition_anova import Settings, SystemEffects, all_pairs, pair_p_values, partition_anova
from irci.stats.tests import adjusted, paired_t, sign_flip, tukey, unpaired_t
from irci.streams import topic_keys
from irci.studies.partition_anova.decisions import Decisions, Floats, PairRows, Row


@dataclass(frozen=True)
class Request:
    """What is decided and shown."""

    policy: str
    correction: str
    tests: tuple[str, ...]
    test_correction: str
    alphas: tuple[float, ...]
    pairs: bool

    def signature(self) -> dict[str, str | bool]:
        """What of it changes a digit."""
        lists = {"tests": " ".join(self.tests), "alphas": " ".join(f"{alpha:g}" for alpha in self.alphas)}
        return {**asdict(self), **lists}


class Report:
    """The rows of one table of scores on parts."""

    def __init__(self, table: PartScores, settings: Settings, request: Request, threads: int, quiet: bool) -> None:
        if len(table.runs) < 2:
            raise DataError("to compare systems takes at least two runs")
        self.table = table
        self.settings = settings
        self.request = request
        self.threads = threads
        self.quiet = quiet
        self.pairs = all_pairs(len(table.runs))
        self.pair_rows = PairRows(table.runs, request.alphas)
        self._counted: list[str] = []
        self._drawn: list[Row] = []
        self._warned: set[str] = set()

    def rows(self) -> Iterator[Row]:
        """All rows, measure after measure."""
        for measure in self.table.whole:
            yield from self._rows_of_measure(measure)

    def notes(self) -> list[str]:
        """The result in plain words."""
        notes = list(self._counted)
        if len(self.table.numbers) == 1:
            notes.append(
                "An effect is a system's mean score less the mean of all systems; between its limits it would lie if the"
                " errors of scores on these topics fell out otherwise."
            )
        if self.settings.residuals == "raw" or self.settings.p_value == "marginal":
            notes.append(
                "Raw residuals are too small and marginal p-values ignore half of the variance: as the paper did it, but more"
                " pairs are told apart than should be."
            )
        return [
            *notes,
            "The topics are fixed: this says nothing about other topics, for which far fewer pairs can be told apart.",
        ]

    def drawn(self) -> list[Row]:
        """What the pictures show, once the rows have been made: effects by both models, or for each pair in how many splits
        the first system is better, and the second.
        """
        return self._drawn

    def _rows_of_measure(self, measure: str) -> Iterator[Row]:
        several = len(self.table.numbers) > 1
        differences = np.empty(0)
        lengths: list[Row] = []
        checks: list[Row] = []
        found: list[Row] = []
        decisions: list[Decisions] = []
        for number in self.table.numbers:
            y, kept = self.balanced(measure, number)
            effects = self.effects(y, measure, number, self.settings)
            if not decisions:
                differences = effects.value[self.pairs[:, 0]] - effects.value[self.pairs[:, 1]]
            if not several:
                yield from self._rows_of_effects(measure, effects)
                yield from _rows_of_anova(measure, effects)
            decisions.append(self.decided(effects))
            label: Row = {"split": number} if several else {}
            lengths += (row | label for row in self._rows_of_lengths(measure, y, number, effects))
            if self.settings.model != "md1":
                checks += (row | label for row in self._rows_of_checks(measure, y, kept, number))
            found += (row | label for row in self.pair_rows.counts(measure, decisions[-1]))
        self._drawn += self.pair_rows.votes(measure, differences, decisions)
        tests = list(self.tests(measure))
        for test in tests:
            found += (row | ({"split": 0} if several else {}) for row in self.pair_rows.counts(measure, test))
        yield from (*lengths, *checks, *found)
        if several:
            yield from self.pair_rows.agreement(measure, decisions)
        yield from self.pair_rows.conflicts(measure, decisions, tests)
        if self.request.pairs:
            yield from self.pair_rows.singly(measure, decisions[0], differences)
            for test in tests:
                means = self._whole(measure).mean(axis=0)
                yield from self.pair_rows.singly(measure, test, means[self.pairs[:, 0]] - means[self.pairs[:, 1]])
        alpha = self.request.alphas[0]
        count = int((decisions[0].at(alpha) != 0).sum())
        self._counted.append(
            f"{measure}: {count} of {plural(len(self.pairs), 'pair')} of systems differ at {alpha:g}"
            f" ({self.settings.p_value}, {self.request.correction}{', first split' if several else ''})."
        )

    def balanced(self, measure: str, split: int) -> tuple[Floats, NDArray[np.bool_]]:
        """A split's scores, made complete, and the topics kept."""
        scores = self.table.splits[measure][self.table.numbers.index(split)]
        y, kept = balanced(scores, self.request.policy)
        if self.settings.model == "md1":
            return y, kept
        imputed = np.asarray(np.isnan(scores).any(axis=(1, 2))) & kept
        names = [topic for topic, is_imputed in zip(self.table.topics, imputed.tolist(), strict=True) if is_imputed]
        self._warn_of_topics(
            f"{measure}, split {split}", f"with parts that --policy {self.request.policy} scores", names
        )
        missing = [topic for topic, is_kept in zip(self.table.topics, kept.tolist(), strict=True) if not is_kept]
        if missing and self.request.policy == "redraw":
            raise DataError(
                f"{measure}, split {split}: no score of some run or part on {plural(len(missing), 'topic')}"
                f" ({' '.join(missing[:5])}): --policy drop, zero or mean"
            )
        self._warn_of_topics(f"{measure}, split {split}", "without a score of every run and part, dropped", missing)
        if not kept.any():
            raise DataError(f"{measure}: no topic has a score of every run and part")
        return y, kept

    def _warn_of_topics(self, what: str, happens: str, topics: list[str]) -> None:
        if not self.quiet and what + happens not in self._warned:
            self._warned.add(what + happens)
            warn_of_topics(what, happens, topics)

    def effects(
        self, y: Floats, measure: str, split: int, settings: Settings, runs: Sequence[int] | None = None
    ) -> SystemEffects:
        """The fit of a split's scores y[n, m, x], or of the unsplit ones for md1; of some of the runs alone if asked for."""
        scores = self._whole(measure)[:, :, np.newaxis] if settings.model == "md1" else y
        if runs is not None:
            scores = scores[:, runs]
        try:
            return partition_anova(scores, settings, split=split, threads=self.threads)
        except ValueError as error:
            raise DataError(f"{measure}: {error}") from None

    def _whole(self, measure: str) -> Floats:
        """The unsplit scores[n, m] of the topics on which all runs have one."""
        whole = self.table.whole[measure]
        whole = whole[~np.isnan(whole).any(axis=1)]
        if not len(whole):
            raise DataError(f"{measure}: no scores on the whole collection (split 0, part 0)")
        return whole

    def _rows_of_effects(self, measure: str, effects: SystemEffects) -> Iterator[Row]:
        for run, value, lower, upper in zip(
            self.table.runs, effects.value.tolist(), effects.lower.tolist(), effects.upper.tolist(), strict=True
        ):
            yield {
                "measure": f"effect_{measure}",
                "topic": "all",
                "value": value,
                "lower": lower,
                "upper": upper,
                "run": run,
            }

    def _rows_of_lengths(self, measure: str, y: Floats, split: int, effects: SystemEffects) -> Iterator[Row]:
        """Interval lengths of the model, and of the two of the paper."""
        models = ("md1",) if self.settings.model == "md1" else ("additive", "interaction", self.settings.model)
        for model in dict.fromkeys(models):
            found = effects
            if model != self.settings.model:
                found = self.effects(y, measure, split, replace(self.settings, model=model))
            if len(self.table.numbers) == 1:
                self._drawn += ({**row, "model": model} for row in self._rows_of_effects(measure, found))
            yield length_row(measure, model, found.lengths)

    def _rows_of_checks(self, measure: str, y: Floats, kept: NDArray[np.bool_], split: int) -> Iterator[Row]:
        """Whether the parts represent the whole: relevant documents, order of systems, shift of their means."""
        from scipy.stats import kendalltau

        whole = self.table.whole[measure][kept]
        whole = whole[~np.isnan(whole).any(axis=1)]
        relevant = self.table.relevant[self.table.numbers.index(split)][kept] if self.table.relevant else None
        for part in range(y.shape[2]):
            means = y[:, :, part].mean(axis=0)
            tau = float(kendalltau(means, whole.mean(axis=0)).statistic) if len(whole) else np.nan
            row: Row = {
                "table": f"check_{measure}", "part": part + 1, "tau": tau,
                "shift": float(means.mean() - whole.mean()) if len(whole) else np.nan,
            }  # fmt: skip
            if relevant is not None:
                of_part = relevant[:, part]
                row |= {
                    "relevant_min": int(of_part.min()), "relevant_median": float(np.median(of_part)),
                    "relevant_max": int(of_part.max()),
                    "imbalance": float((of_part * relevant.shape[1] / relevant.sum(axis=1)).max()),
                }  # fmt: skip
            yield row

    def decided(self, effects: SystemEffects) -> Decisions:
        settings, correction = self.settings, self.request.correction
        p = pair_p_values(effects, settings)
        first, second = all_pairs(len(effects.value)).T
        sign = np.sign(effects.value[first] - effects.value[second]).astype(np.int64)
        decided = Decisions(settings.p_value, correction, p, adjusted(p, correction), sign)
        if settings.p_value != "normal" and not self.quiet and len(p):
            self._warn_of_floor(decided)
        return decided

    def _warn_of_floor(self, decided: Decisions) -> None:
        """Say, once, that more pairs might differ if p could be smaller."""
        floor = 2 / (self.settings.resamples + 1)
        at_floor = decided.p <= floor * (1 + 1e-9)
        for alpha in self.request.alphas:
            message = (
                f"p is at least {floor:.2g} with {self.settings.resamples} resamples (-B): no pair can differ at {alpha:g}"
                f" after {decided.correction} over {plural(len(decided.p), 'pair')}; --p-value normal has no floor"
            )
            if at_floor.any() and not (decided.p_adjusted[at_floor] <= alpha).any() and message not in self._warned:
                self._warned.add(message)
                warn(message)

    def tests(self, measure: str) -> Iterator[Decisions]:
        """The tests of the unsplit scores."""
        if not self.request.tests:
            return
        if np.isnan(self.table.whole[measure]).all():
            if not self.quiet:
                warn(f"{measure}: no scores on the whole collection, no tests of them")
            return
        scored: list[bool] = np.asarray(~np.isnan(self.table.whole[measure]).any(axis=1)).tolist()
        whole = self._whole(measure)
        keys = topic_keys([raw(t) for t, is_kept in zip(self.table.topics, scored, strict=True) if is_kept])
        first, second = whole.T[self.pairs[:, 0]], whole.T[self.pairs[:, 1]]
        differences = first - second
        sign = np.sign(differences.mean(axis=1)).astype(np.int64)
        resamples, seed = self.settings.resamples, self.settings.seed
        for test in self.request.tests:
            correction = "none" if test == "tukey" else self.request.test_correction
            match test:
                case "t":
                    p = paired_t(differences, 0.95).p
                case "unpaired-t":
                    p = unpaired_t(first, second)
                case "tukey":
                    p = tukey(whole, resamples, seed)
                case _:
                    p = sign_flip(differences, keys, resamples, seed, one_sided=test == "randomization-one-sided")
            yield Decisions(test, correction, p, adjusted(p, correction), sign)


def length_row(measure: str, model: str, lengths: Floats) -> Row:
    """Lengths of a model's intervals."""
    return {
        "table": f"length_{measure}", "model": model, "mean": float(lengths.mean()), "min": float(lengths.min()),
        "max": float(lengths.max()),
    }  # fmt: skip


def _rows_of_anova(measure: str, effects: SystemEffects) -> Iterator[Row]:
    for source, (df, squares, mean, f, p, omega2) in effects.fit.table.items():
        yield {
            "table": f"anova_{measure}", "source": source, "df": df, "ss": squares, "ms": mean, "F": f, "p": p,
            "omega2": omega2,
        }  # fmt: skip
