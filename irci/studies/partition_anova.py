"""partition-anova: which systems differ, where scores on parts of the collection, or versions of topics, are replicates.

Measure after measure the model is fitted to each split, and every two systems are decided on by it and by tests of the unsplit
scores; further tables show how well parts stand for the whole, whether splits agree, and teams of systems fitted alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, first_names, plural, raw
from irci.base.choices import Model, PublishedTest
from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats, Ints, all_pairs, gathered, reaches
from irci.comparison.means import sources_of
from irci.data.inputs import Inputs, where
from irci.data.parts import PartScores, balanced, score_parts
from irci.data.rules import read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.versions import scores_on_versions
from irci.estimators.judges import signs, tau_b
from irci.estimators.means import paired_t
from irci.estimators.partition_anova import effect_limits, pair_p_values, residual_bootstrap
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Kind, Row, Rows, Table, rows_of, tables
from irci.stats.anova import Anova, anova, tukey, unpaired_t
from irci.stats.decisions import MOST_LETTERS, better, letters
from irci.stats.intervals import resamples_needed
from irci.stats.signs import p_by_signs
from irci.stats.tests import PAIRS_AT_ONCE, adjusted
from irci.wording import Begins, listed, notify, p_text, say, told_once, warn_of_few_resamples, warn_of_topics

MOST_PAIRS = 45  # that are listed unless they are asked for: those of ten systems
PAIRS = 16 * PAIRS_AT_ONCE  # whose scores are looked at together
FEW_DF = 30  # of the error; from fewer residuals, draws vary less than what they are drawn for
MODELS_OF_THE_PAPER: tuple[Model, ...] = ("additive", "interaction")
# Of --published, unless others are given.
PUBLISHED_TESTS: tuple[PublishedTest, ...] = ("unpaired-t", "randomization-one-sided")
TUKEY = "randomized-tukey"  # not of the studentized range, as the name --test tukey may suggest
# Of parts and of versions: the model that takes out of the error what all systems have in common, its source, in words.
OF_ALL_SYSTEMS: dict[str, tuple[Model, str, str]] = {
    "part": ("parts", "topic:part", "topic x part"), "version": ("nested", "part(topic)", "the version within its topic"),
}  # fmt: skip


class Decisions(NamedTuple):
    """Decisions on P pairs by one criterion."""

    test: str
    correction: str
    difference: Floats  # [P], as are p
    p: Floats
    p_adjusted: Floats

    def at(self, alpha: float) -> Ints:
        """int64[P]: the sign of each significant difference, else 0."""
        return np.where(reaches(self.p_adjusted, alpha), np.sign(self.difference), 0).astype(np.int64)

    def count(self, alpha: float) -> int:
        """The number of significant differences."""
        return int(np.count_nonzero(self.at(alpha)))

    def rows(self, alphas: Sequence[float], label: Row) -> list[Row]:
        """Their number at each level."""
        counts = np.array([self.count(alpha) for alpha in alphas])
        return rows_of(
            test=self.test, alpha=[*alphas], pairs=counts, percent=100 * counts / len(self.p), correction=self.correction,
            **label,
        )  # fmt: skip


def partition_anova(request: Asked, inputs: Inputs) -> Report:
    """Report of which systems differ, system-topic interaction counted, with the defaults that go with what is asked."""
    defaults: dict[str, Any] = {"model": "interaction" if request.versions is None else "nested"}
    if request.published:
        defaults["tests"] = PUBLISHED_TESTS
    defaults = {name: value for name, value in defaults.items() if not request.has(name)}
    level, alphas = request.confidence[0], tuple(round(1 - level, 12) for level in request.confidence)
    request = request.replaced(confidence=level, alphas=alphas, **defaults)
    refuse_no_scores(request.measures)
    team_of = None if request.groups is None else read_teams(request.groups)
    if request.versions is None:
        inputs = inputs.replaced(no_relevant="drop")  # topics without relevant documents cannot be split
        splits, policy, seed = request.splits, request.policy, request.seed
        scored = score_parts(inputs, request.measures, request.parts, splits=splits, policy=policy, seed=seed)
    else:
        scored = [scores_on_versions(inputs, request.measures, request.versions, request.seed)]
        if scored[0].labels is None and request.model == "parts":
            needs = "--model parts needs versions of the same names for every topic"
            raise DataError(f"{needs}: these are each of one topic (--model nested)")
    warn_of_few_resamples("effects'", request.resamples, resamples_needed(request.confidence), request.confidence)
    if len(scored[0].runs) < 2:
        raise DataError("to compare systems, give at least two runs")
    with told_once("fit") as begins:
        analyses = [Analysis(measure, scored, request, inputs.threads, begins) for measure in scored[0].whole]
        printed = [table for analysis in analyses for table in analysis.tables()]
        if team_of is not None:
            teams = _teams(str(request.groups), team_of, scored[0].runs)
            printed += [table for analysis in analyses for table in analysis.tables_of_teams(teams)]
    first, command, source = analyses[0], "partition-anova", "parts"
    parts = " ".join(map(str, first.parts)) if len(scored) > 1 else first.parts[0]
    replicates: dict[str, Any] = {"policy": request.policy}
    numbers: dict[str, Any] = {"parts_file": request.parts} if isinstance(request.parts, str) else {}
    numbers |= {"splits": first.splits, "parts": parts}
    if request.versions is not None:
        command, source = "partition-anova --versions", "versions"
        replicates, numbers = {"versions": request.versions.given}, {"num_versions": parts}
    return Report(
        tables=printed,
        signature={
            "command": command, "measures": " ".join(scored[0].whole), "model": request.model,
            "published": request.published, "resamples": request.resamples, "confidence": request.confidence,
            "seed": request.seed, **replicates, "correction": request.correction, "tests": " ".join(request.tests),
            "alphas": " ".join(f"{alpha:g}" for alpha in request.alphas), "groups": request.groups, **numbers,
            **inputs.signature(), "num_topics": len(scored[0].topics),
        },
        explain=lambda: [*chain(*(analysis.explanation() for analysis in analyses)), *_assumptions(analyses, request)],
        remarks=[f"{analysis.lead}{remark}" for analysis in analyses for remark in analysis.remarks()]
        + [say("partition_anova.not_listed", pairs=len(first.pairs))] * (not first.lists_pairs)
        + [say("partition_anova.first_parts", parts=first.parts[0])] * (len(scored) > 1)
        + [say("partition_anova.published")] * request.published,
        drawn=lambda: [table for analysis in analyses for table in analysis.drawn()],
        sources=sources_of("replicates", [source]),
    )  # fmt: skip


def _teams(path: str, team_of: Mapping[str, str], runs: Sequence[str]) -> dict[str, list[int]]:
    """The places of each team's runs, where it has several."""
    warn_of_topics(path, "without a team, left out", [run for run in runs if run not in team_of], "run")
    by_team = gathered((team_of[run], index) for index, run in enumerate(runs) if run in team_of)
    teams = {team: members for team, members in sorted(by_team.items()) if len(members) > 1}
    if not teams:
        raise DataError(f"{path}: no team has two of the runs")
    return teams


class Analysis:
    """Scores by a measure on one number of parts or more, what is asked of them, and what comes of it: for each of these
    numbers the fits of splits, and the tests of the unsplit scores. `begins`: called before each split, by its name."""

    def __init__(self, measure: str, scored: list[PartScores], request: Asked, threads: int, begins: Begins) -> None:
        self.measure, self.table, self.runs = measure, scored[0], scored[0].runs
        self.lead = f"{self.measure}: " if len(self.table.whole) > 1 else ""
        self.request, self.threads, self.begins = request, threads, begins
        self.alpha, self.models = request.alphas[0], tuple(dict.fromkeys((*MODELS_OF_THE_PAPER, request.model)))
        self.parts = [table.splits[measure][0].shape[2] for table in scored]
        self.pairs = all_pairs(len(self.runs))
        self.splits = len(self.table.splits[measure])
        self.has_splits = self.splits > 1
        self.on_first = " on the first split" if self.has_splits else ""
        self.lists_pairs = "pair" in request.tables or len(self.pairs) <= MOST_PAIRS
        # Of all splits the rows of tables; of the first one the models fitted, with limits[2, m] of their effects.
        self.rows: dict[Kind, list[Row]] = {"length": [], "check": [], "significant": []}
        self.effects: dict[Model, tuple[Anova, Floats]] = {}
        of_splits = [self._fitted(scored, split) for split in range(self.splits)]
        self.decisions, (self.fit, _) = of_splits[0], self.effects[request.model]
        self.tests = list(map(self._tested, request.tests))
        # The sign of each difference that is significant on each split, else 0, int64[S, P].
        self.signs = np.array([decisions.at(self.alpha) for decisions in of_splits])
        self.splits_that_find = np.count_nonzero(self.signs, axis=0)  # int64[P], a difference
        self.opposed = self._opposed()
        self.has_limits = bool(self.fit.residuals.any())
        self.letters: list[str] | None = (
            None  # shared by systems that do not differ significantly; none if it takes too many
        )
        if self.has_limits and not self.has_splits:
            is_better = better(self.pairs, self.decisions.difference, self.signs[0] != 0, len(self.runs))
            self.letters = letters(is_better | is_better.T, np.argsort(-self.fit.system, kind="stable"))

    # What is computed.

    def _fitted(self, scored: Sequence[PartScores], split: int) -> Decisions:
        """Fit the models to a split, and add rows on it; of the first number of parts keep effects, and return decisions."""
        request, of_numbers, label = self.request, list[Decisions](), {"split": split + 1} if self.has_splits else {}
        lengths: dict[Model, dict[str, Any]] = {model: {"model": model} for model in self.models}
        for parts, table in zip(self.parts, scored, strict=True):
            y, kept = self._balanced(table, split)
            if request.model == "interaction" and not request.published and split == 0:
                self._tell_error_in_common(y)
            column, of_parts = (f":{parts}", {"part": parts}) if len(scored) > 1 else ("", {})
            for model in sorted(self.models, key=lambda model: model != request.model):  # what is asked for first
                fit, limits, replicates = self._effects(y, split, model)
                lengths[model] |= _lengths(limits, column)
                if table is self.table:
                    self.effects.setdefault(model, (fit, limits))
                if model == request.model:
                    of_numbers.append(self._decided(fit, replicates))
                    self._tell_small_error(fit)
            self.rows["significant"] += of_numbers[-1].rows(request.alphas, label | of_parts)
            if table is self.table:
                self.rows["check"] += ({**row, **label} for row in _checks(table, self.measure, split, y, kept))
        self.rows["length"] += (row | label for row in lengths.values())
        return of_numbers[0]

    def _balanced(self, table: PartScores, split: int) -> tuple[Floats, Bools]:
        """A split's scores, made complete, and the topics kept."""
        policy, scores = self.request.policy, table.splits[self.measure][split]
        y, kept = balanced(scores, policy)
        number, of_parts, name = f"split {split + 1}", f"-x {y.shape[2]}", f"{self.measure}, split {split + 1}"
        # What tells this fit from others; nothing of the only one.
        labels = (number, self.has_splits), (self.measure, self.lead), (of_parts, self.parts[1:])
        self.begins(" of ".join(label for label, varies in labels if varies), (name,))
        missing = where(table.topics, ~kept)
        if missing and policy == "redraw":
            raise DataError(
                f"{name}: no score of some run or part on {plural(len(missing), 'topic')}"
                f" ({' '.join(missing[:5])}): --policy drop, zero or mean"
            )
        imputed = where(table.topics, np.isnan(scores).any(axis=(1, 2)) & kept)
        warn_of_topics(name, f"with parts that --policy {policy} scores", imputed)
        warn_of_topics(name, "without a score of every run and part, dropped", missing)
        if not kept.any():
            raise DataError(f"{self.measure}: no topic has a score of every run and part")
        return y, kept

    def _effects(self, y: Floats, split: int, model: Model, *, is_centred: bool = True) -> tuple[Anova, Floats, Floats]:
        """A fit, limits[2, m] of its effects, and their replicates[m, B]."""
        request = self.request
        try:
            fit = anova(y, model)
        except ValueError as error:
            raise DataError(f"{self.measure}: {error}") from None
        replicates = residual_bootstrap(
            fit, request.resamples, request.seed, split=split + 1, published=request.published, threads=self.threads,
            is_centred=is_centred,
        )  # fmt: skip
        return fit, effect_limits(fit, replicates, request.confidence), replicates

    def _tell_error_in_common(self, y: Floats) -> None:
        """Tell how much of the error an interaction of topic and part (or that versions of a topic differ) is, if that is
        found: it cancels in differences, so that as error it makes these look less certain than they are."""
        model, source, in_words = OF_ALL_SYSTEMS[self.table.replicate]
        try:
            _, squares, _, f, p, _ = anova(y, model).table[source]
        except ValueError:
            return
        if p < self.alpha:
            share = squares / anova(y, self.request.model).table["error"][1]
            shares = f"{share:.0%} ({self.measure}; F {f:.2f}, {p_text(p)})"
            notify("error_in_common", source=in_words, shares=shares, model=self.request.model, better=model)

    def _tell_small_error(self, fit: Anova) -> None:
        """Tell of a model that leaves no error to resample, or one of few degrees of freedom."""
        if not fit.residuals.any():
            why = f"--model {self.request.model} fits every score exactly"
            notify("lacking", measure=self.measure, what="limits, and no p of pairs", who="", why=why)
        elif fit.df < FEW_DF:
            scores = "whole scores" if self.request.versions is None else "averages over versions"
            then = "too many pairs may differ significantly by the model"
            then += f" (tests of {scores}, such as t, do not rest on these)"
            notify("few_units", number=f"{plural(fit.df, 'degree')} of freedom of error", then=then)

    def _decided(self, fit: Anova, replicates: Floats) -> Decisions:
        """Decisions by a fit on every two of its systems."""
        request = self.request
        p = pair_p_values(fit, replicates, published=request.published)
        p_adjusted = adjusted(p, request.correction)
        least = 2 / (request.resamples + 1)
        at_floor = p <= least * (1 + 1e-9)
        for alpha in request.alphas if at_floor.any() and fit.residuals.any() else ():
            if not np.any(reaches(p_adjusted[at_floor], alpha)):
                aim = f"difference at {alpha:g} possible after {request.correction} over {plural(len(p), 'pair')}"
                why = f"p is at least {least:.2g}: take more"
                notify("lacking", measure=f"-B {request.resamples}", what=aim, who="", why=why)
        first, second = fit.system[all_pairs(len(fit.system)).T]
        test = "marginal" if request.published else "difference"
        return Decisions(test, request.correction, first - second, p, p_adjusted)

    def _tested(self, test: str) -> Decisions:
        """Decisions by a test of the unsplit scores."""
        whole, resamples, seed = self.table.whole[self.measure], self.request.resamples, self.request.seed
        first, second = whole.mean(axis=0)[self.pairs.T]
        if test == "tukey":  # its p allow for all pairs
            p = tukey(whole, resamples, seed)
            return Decisions(TUKEY, "tukey", first - second, p, p)
        keys, p = topic_keys(list(map(raw, self.table.topics))), np.empty(len(self.pairs))
        for start in range(0, len(p), PAIRS):
            index = slice(start, start + PAIRS)
            scores, others = whole.T[self.pairs[index].T]
            if test == "t":
                p[index] = paired_t(scores - others, 0.95).p
            elif test == "unpaired-t":
                p[index] = unpaired_t(scores, others)
            else:
                is_one_sided = test == "randomization-one-sided"
                p[index] = p_by_signs(scores - others, keys, resamples, seed, one_sided=is_one_sided)
        return Decisions(test, "none", first - second, p, p)

    def _opposed(self) -> dict[str, Bools]:
        """The pairs bool[P] that two splits, or a split and a test, or two tests, find to differ in opposite directions."""
        by_model, by_test = self.decisions.test, {test.test: test.at(self.alpha) for test in self.tests}
        opposed = {"split/split": (self.signs > 0).any(axis=0) & (self.signs < 0).any(axis=0)}
        opposed |= {f"{by_model}/{test}": (self.signs * signs < 0).any(axis=0) for test, signs in by_test.items()}
        opposed |= {f"{test}/{other}": by_test[test] * by_test[other] < 0 for other, test in combinations(by_test, 2)}
        return {between: np.asarray(pairs) for between, pairs in opposed.items() if pairs.any()}

    # Tables.

    def tables(self) -> Iterator[Table]:
        """The tables of a measure."""
        if not self.has_splits:
            yield self._effects_by(self.request.model, {} if self.letters is None else {"letters": self.letters})
        if self.lists_pairs:
            yield from tables("pair", self.measure, self._pair_rows(self.decisions))
        if not self.has_splits:
            yield Table("anova", self.measure, [
                {"source": source.replace("part", self.table.replicate), "df": df, "ss": ss, "F": f, "p": p, "omega2": omega2}
                for source, (df, ss, _, f, p, omega2) in self.fit.table.items()
            ])  # fmt: skip
        of_whole: Row = ({"split": 0} if self.has_splits else {}) | ({"part": 0} if len(self.parts) > 1 else {})
        tested = chain.from_iterable(test.rows(self.request.alphas, of_whole) for test in self.tests)
        yield from tables("length", self.measure, self.rows["length"])
        yield from tables("check", self.measure, self.rows["check"])
        yield from tables("significant", self.measure, [*self.rows["significant"], *tested])
        yield from tables("agreement", self.measure, chain(
            _agreement("splits", self._agreement_of_splits(), len(self.pairs)),
            *(_agreement(between, {"opposite": pairs.sum()}, len(pairs)) for between, pairs in self.opposed.items()),
        ))  # fmt: skip
        for test in self.tests if self.lists_pairs else ():
            yield from tables("pair", self.measure, self._pair_rows(test))

    def _agreement_of_splits(self) -> dict[str, int]:
        """How many pairs max(c, S - c) splits decide alike, where c find a difference; all in one direction; some in both."""
        if not self.has_splits:
            return {}
        larger = np.maximum(self.splits_that_find, self.splits - self.splits_that_find)
        both = self.opposed.get("split/split", np.zeros(len(self.pairs), np.bool_))
        at_least_half = range(self.splits, (self.splits - 1) // 2, -1)
        numbers = {f"{most}:{self.splits - most}": (larger == most).sum() for most in at_least_half}
        is_unanimous = (self.splits_that_find == self.splits) & ~both
        return {**numbers, "unanimous": is_unanimous.sum(), "both_directions": both.sum()}

    def _effects_by(self, model: Model, further: Mapping[str, Any]) -> Table:
        """The effects by a model, the highest first, with further columns in the order of runs."""
        fit, (lower, upper) = self.effects[model]
        rows = rows_of(
            measure=f"effect_{self.measure}", topic="all", value=fit.system, lower=lower, upper=upper, run=self.runs, **further
        )  # fmt: skip
        return Table("effect", self.measure, [rows[run] for run in np.argsort(-fit.system, kind="stable")])

    def _pair_rows(self, decisions: Decisions) -> Rows:
        signs = decisions.at(self.alpha)
        return Rows(len(signs), lambda pair: {
            **self._names_of(pair), "difference": float(decisions.difference[pair]), "p": float(decisions.p[pair]),
            "p_adjusted": float(decisions.p_adjusted[pair]), "decision": ("=", ">", "<")[signs[pair]],
            "test": decisions.test, "correction": decisions.correction,
        })  # fmt: skip

    def _names_of(self, pair: int) -> dict[str, str]:
        first, second = self.pairs[pair]
        return {"run": self.runs[first], "baseline": self.runs[second]}

    def _names(self, pairs: Bools) -> list[str]:
        """The names of those of all pairs[P]."""
        return ["/".join(self._names_of(pair).values()) for pair in np.flatnonzero(pairs).tolist()]

    def drawn(self) -> Iterator[Table]:
        """Effects by all models, and the share of splits in which a pair differs, one way less the other: for pictures."""
        yield from (self._effects_by(model, {"model": model}) for model in self.models if not self.has_splits)
        of_splits = f", of {self.splits} splits" if self.has_splits else ""
        by = f"{self.decisions.test}, {self.decisions.correction}, {self.alpha:g}"
        test = f"significant differences ({by}){of_splits}"
        shares = rows_of(value=self.decisions.difference, share=self.signs.mean(axis=0), test=test)
        yield Table("vote", self.measure, [{**self._names_of(pair), **row} for pair, row in enumerate(shares)])

    def tables_of_teams(self, teams: dict[str, list[int]]) -> Iterator[Table]:
        """Each team's runs fitted alone, on the first split: lengths of intervals, and decisions on pairs within teams."""
        y, _ = self._balanced(self.table, 0)
        rows, within, label = list[Row](), dict[str, Ints](), {"split": 1} if self.has_splits else {}
        for model in self.models:
            limits_of: dict[str, Floats] = {}
            for team, members in teams.items():
                fit, limits, replicates = self._effects(y[:, members], 0, model)
                if model == self.request.model:
                    within[team] = self._decided(fit, replicates).at(self.alpha)
                if self.request.published:
                    _, limits, _ = self._effects(y[:, members], 0, model, is_centred=False)
                limits_of[f"/{team}"] = limits
            limits_of[""] = np.concatenate([*limits_of.values()], axis=1)
            rows += [{"model": f"{model}/within{team}", **_lengths(own), **label} for team, own in limits_of.items()]
        yield Table("length", self.measure, rows)
        by_test = [test for test in self.tests if test.test.startswith("randomization")][:1]
        all_runs = [decisions.at(self.alpha) for decisions in (self.decisions, *by_test)]
        decided: Counter[str] = Counter()
        for team, members in teams.items():
            of_all, *of_test = (signs[np.isin(self.pairs, members).all(axis=1)] for signs in all_runs)
            for pair in np.column_stack((of_all, within[team], *of_test)).tolist():
                decided["/".join("differ" if sign else "-" for sign in pair)] += 1
        criteria = "across/within" + "/randomization" * len(by_test)
        yield Table("agreement", self.measure, _agreement(criteria, dict(decided.most_common()), decided.total()))

    # Words.

    def remarks(self) -> Iterator[str]:
        """How many pairs differ by the model and by tests, and whether criteria conflict."""
        by_tests = ""
        for is_tukey, how in ((False, "unadjusted"), (True, "for all pairs at once")):
            tests = [test for test in self.tests if (test.test == TUKEY) is is_tukey]
            numbers = [f"{say(f'partition_anova_tests.{test.test}')} {test.count(self.alpha)}" for test in tests]
            by_tests += f"; {', '.join(numbers)}, {how}" if numbers else ""
        yield say(
            "partition_anova.remark", number=self.decisions.count(self.alpha), pairs=len(self.pairs),
            split=self.on_first, correction=self.request.correction, alpha=f"{self.alpha:g}".removeprefix("0"),
            tests=by_tests,
        )  # fmt: skip
        if self.has_splits:
            splits = self.splits_that_find
            by_none, by_some = self._names(splits == 0), (splits > 0) & (splits < self.splits)
            numbers = [
                f"{name} ({number} of {self.splits})"
                for name, number in zip(self._names(by_some), splits[by_some], strict=True)
            ]
            yield say(
                "partition_anova.by_splits", all=int((splits == self.splits).sum()), splits=self.splits,
                none=len(by_none), names=listed(by_none), pairs=f", in some {first_names(numbers)}" if numbers else "",
            )  # fmt: skip
        if self.opposed:
            names = self._names(np.any([*self.opposed.values()], axis=0))
            yield say("partition_anova.conflicts", pairs=len(names), names=names)
        elif self.has_splits:
            yield say("partition_anova.no_conflicts")
        if self.has_limits and not self.has_splits and self.letters is None:
            yield say("partition_anova.no_letters", most=MOST_LETTERS)

    def explanation(self) -> Iterator[str]:
        """How many pairs differ by the model."""
        request = self.request
        is_one_split = request.versions is None and not (self.has_splits or isinstance(request.parts, str))
        name = "one_split" if is_one_split else "model"
        how = say(f"partition_anova.{name}", model=request.model, parts=self.parts[0])
        yield say(
            f"partition_anova.{self.decisions.test}", number=self.decisions.count(self.alpha),
            measure=self.measure, pairs=len(self.pairs), alpha=self.alpha, split=self.on_first,
            adjusted=say(f"partition_anova.adjusted_{request.correction}"), how=how,
        )  # fmt: skip
        *_, f, p, _ = self.fit.table.get("topic:system", [np.nan] * 6)
        if request.versions is not None and not np.isnan(p):
            depends = "depends" if reaches(p, self.alpha) else "inconclusive"
            yield say(f"partition_anova.{depends}", measure=self.measure, f=f, p=p_text(p))
            yield say("partition_anova.equal_noise")


def _assumptions(analyses: Sequence[Analysis], request: Asked) -> Iterator[str]:
    """Say what the numbers of all measures rest on."""
    if request.model == "interaction" and not request.published:
        model, _, source = OF_ALL_SYSTEMS[analyses[0].table.replicate]
        yield say("partition_anova.in_common", source=source, model=model)
    if not analyses[0].has_splits:
        name = "limits"
        if not any(analysis.has_limits for analysis in analyses):
            name = "limits_exact"
        elif request.versions is not None:
            name = "limits_same_versions" if request.model == "parts" else "limits_versions"
        yield say(f"partition_anova.{name}", confidence=100 * request.confidence)
    if request.published:
        yield say("partition_anova.published")
    yield say("partition_anova.topics")


def _checks(table: PartScores, measure: str, split: int, y: Floats, kept: Bools) -> list[Row]:
    """Rows on whether parts, or versions that all topics have, stand for the whole: order and shift of means, relevance."""
    if table.replicate == "version" and table.labels is None:
        return []
    means, whole = np.ascontiguousarray(y.mean(axis=0).T), table.whole[measure][kept]
    order = signs(whole.mean(axis=0))
    parts, taus = table.labels or [*range(1, len(means) + 1)], [tau_b(signs(of_part), order) for of_part in means]
    columns: dict[str, Any] = {"part": parts, "tau": taus, "difference": means.mean(axis=1) - whole.mean()}
    if table.relevant:
        relevant = table.relevant[split][kept]
        shares = relevant * relevant.shape[1] / relevant.sum(axis=1, keepdims=True)
        columns |= {"relevant_min": relevant.min(axis=0), "imbalance": shares.max(axis=0)}
    return rows_of(**columns)


def _agreement(between: str, numbers: Mapping[str, int], pairs: int) -> list[Row]:
    counts = np.array([*numbers.values()], np.int64)
    return rows_of(between=between, decision=[*numbers], pairs=counts, percent=100 * counts / pairs)


def _lengths(limits: Floats, of_parts: str = "") -> dict[str, float]:
    """The mean, least and greatest length of intervals limits[2, m]; of several numbers of parts each has columns."""
    lengths = limits[1] - limits[0]
    ends = {"value": lengths.mean(), "lower": lengths.min(), "upper": lengths.max()}
    return {f"{name}{of_parts}": float(length) for name, length in ends.items()}
