"""partition-anova: which systems differ, where scores on parts of the collection, or versions of topics, are replicates.

Measure after measure the model is fitted to each split, and every two systems are decided on by it and by tests of the unsplit
scores; further tables show how well parts stand for the whole, whether splits agree, and teams of systems fitted alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, first_names, plural, raw
from irci.base.choices import Model
from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats, Ints, all_pairs, gathered, reaches
from irci.comparison.means import sources_of
from irci.data.inputs import Inputs
from irci.data.parts import PartScores, score_parts
from irci.data.rules import read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.versions import scores_on_versions
from irci.estimators.judges import signs, tau_b
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Kind, Row, Rows, Table, rows_of, tables
from irci.stats.anova import Anova, anova, effect_limits, p_of_test, pair_p_values, residual_bootstrap
from irci.stats.decisions import MOST_LETTERS, better, letters
from irci.stats.intervals import resamples_needed
from irci.stats.tests import adjusted
from irci.wording import Begins, listed, notify, p_text, say, told_once, warn_of_few_resamples, warn_of_topics

MOST_PAIRS = 45  # that are listed unless they are asked for: those of ten systems
FEW_DF = 30  # of the error; from fewer residuals, draws vary less than what they are drawn for
MODELS_OF_THE_PAPER: tuple[Model, ...] = ("additive", "interaction")
# Of --published, unless others are given.
PUBLISHED_TESTS = ("unpaired-t", "randomization-one-sided")
TUKEY = "randomized-tukey"  # not of the studentized range, as the name --test tukey may suggest
# Of parts and of versions: the model that takes out of the error what all systems have in common, its source, in words.
OF_ALL_SYSTEMS: dict[str, tuple[Model, str, str]] = {
    "part": ("parts", "topic:part", "topic x part"), "version": ("nested", "part(topic)", "the version within its topic"),
}  # fmt: skip


Effects = dict[Model, tuple[Anova, Floats]]  # by each model, with limits[2, m] of them


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

    def rows(self, alphas: Sequence[float], label: Row) -> list[Row]:
        """How many are significant at each level."""
        counts = np.array([np.count_nonzero(self.at(alpha)) for alpha in alphas])
        return rows_of(
            test=self.test, alpha=[*alphas], pairs=counts, percent=100 * counts / len(self.p), correction=self.correction,
            **label,
        )  # fmt: skip


def partition_anova(request: Asked, inputs: Inputs) -> Report:
    """Report of which systems differ, system-topic interaction counted, with the defaults that go with what is asked."""
    has_versions = request.versions is not None
    inputs = inputs.replaced(
        confidence=request.confidence[0], alphas=tuple(round(1 - level, 12) for level in request.confidence),
        model=request.model if request.has("model") else "nested" if has_versions else "interaction",
        tests=PUBLISHED_TESTS if request.published and not request.has("tests") else request.tests,
        # Topics without relevant documents cannot be split.
        no_relevant=request.no_relevant if has_versions else "drop",
    )  # fmt: skip
    refuse_no_scores(inputs.measures)
    team_of = None if inputs.groups is None else read_teams(inputs.groups)
    scored = [scores_on_versions(inputs)] if has_versions else score_parts(inputs)
    if has_versions and scored[0].labels is None and inputs.model == "parts":
        needs = "--model parts needs versions of the same names for every topic"
        raise DataError(f"{needs}: these are each of one topic (--model nested)")
    warn_of_few_resamples("effects'", inputs.resamples, resamples_needed(inputs.confidence), inputs.confidence)
    if len(scored[0].runs) < 2:
        raise DataError("to compare systems, give at least two runs")
    with told_once("fit") as begins:
        analyses = [Analysis(measure, scored, inputs, begins) for measure in scored[0].whole]
        printed = [table for analysis in analyses for table in analysis.tables()]
        if team_of is not None:
            teams = _teams(str(inputs.groups), team_of, scored[0].runs)
            printed += [table for analysis in analyses for table in analysis.tables_of_teams(teams)]
    first, command = analyses[0], "partition-anova"
    parts = " ".join(map(str, first.parts)) if len(scored) > 1 else first.parts[0]
    numbers: dict[str, Any] = {"parts_file": inputs.parts} if isinstance(inputs.parts, str) else {}
    numbers |= {"policy": inputs.policy, "splits": first.splits, "parts": parts}
    if has_versions:
        command = "partition-anova --versions"
        numbers = {"versions": inputs.versions.given, "num_versions": parts}
    names = ("model", "published", "resamples", "confidence", "seed", "correction", "groups")
    return Report(
        tables=printed,
        signature={
            "command": command, "measures": " ".join(scored[0].whole), **{name: getattr(inputs, name) for name in names},
            "tests": " ".join(inputs.tests), "alphas": " ".join(f"{alpha:g}" for alpha in inputs.alphas), **numbers,
            **inputs.signature(), "num_topics": len(scored[0].topics),
        },
        explain=lambda: [*chain(*(analysis.explanation() for analysis in analyses)), *_assumptions(analyses, inputs)],
        remarks=[f"{analysis.lead}{remark}" for analysis in analyses for remark in analysis.remarks()]
        + [say("partition_anova.not_listed", pairs=len(first.pairs))] * (not first.lists_pairs)
        + [say("partition_anova.first_parts", parts=first.parts[0])] * (len(scored) > 1)
        + [say("partition_anova.published")] * inputs.published,
        drawn=lambda: [table for analysis in analyses for table in analysis.drawn()],
        sources=sources_of("replicates", ["versions" if has_versions else "parts"]),
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

    def __init__(self, measure: str, scored: list[PartScores], request: Inputs, begins: Begins) -> None:
        self.measure, self.table, self.runs = measure, scored[0], scored[0].runs
        self.lead = f"{measure}: " if len(self.table.whole) > 1 else ""
        self.request, self.begins = request, begins
        self.alpha, self.models = request.alphas[0], tuple(dict.fromkeys((*MODELS_OF_THE_PAPER, request.model)))
        self.parts = [table.splits[measure][0].shape[2] for table in scored]
        self.splits = len(self.table.splits[measure])
        self.has_splits = self.splits > 1
        self.pairs = all_pairs(len(self.runs))
        self.names = np.array(self.runs, object)[self.pairs]  # [P, 2]
        self.lists_pairs = "pair" in request.tables or len(self.pairs) <= MOST_PAIRS
        # Of all splits the rows of tables; of the first one the models fitted, with limits[2, m] of their effects.
        self.rows: dict[Kind, list[Row]] = {"length": [], "check": [], "significant": []}
        self.effects = Effects()
        of_splits = [self._fitted(scored, split) for split in range(self.splits)]
        self.decisions, (self.fit, _) = of_splits[0], self.effects[request.model]
        whole, keys = self.table.whole[measure], topic_keys(list(map(raw, self.table.topics)))
        difference = np.subtract(*whole.mean(axis=0)[self.pairs.T])
        self.tests = list[Decisions]()
        for test in request.tests:
            p = p_of_test(whole, test, keys, request.resamples, request.seed)
            names = (TUKEY, "tukey") if test == "tukey" else (test, "none")  # its p allow for all pairs
            self.tests.append(Decisions(*names, difference, p, p))
        of_whole: Row = ({"split": 0} if self.has_splits else {}) | ({"part": 0} if len(scored) > 1 else {})
        self.rows["significant"] += chain(*(test.rows(request.alphas, of_whole) for test in self.tests))
        # The sign of each difference that is significant, else 0: on each split int64[S, P], and by each test int64[P].
        self.signs = np.array([decisions.at(self.alpha) for decisions in of_splits])
        self.by_test = by_test = {test.test: test.at(self.alpha) for test in self.tests}
        self.splits_that_find = np.count_nonzero(self.signs, axis=0)  # int64[P], a difference
        # The pairs bool[P] that two splits, or a split and a test, or two tests, find to differ in opposite directions.
        opposed = {"split/split": (self.signs > 0).any(axis=0) & (self.signs < 0).any(axis=0)}
        opposed |= {f"{self.decisions.test}/{test}": (self.signs * of < 0).any(axis=0) for test, of in by_test.items()}
        opposed |= {f"{test}/{other}": by_test[test] * by_test[other] < 0 for other, test in combinations(by_test, 2)}
        self.opposed = {between: pairs for between, pairs in opposed.items() if pairs.any()}
        self.has_limits = bool(self.fit.residuals.any())
        # Shared by systems that do not differ significantly; none if it takes too many.
        self.letters: list[str] | None = None
        if self.has_limits and not self.has_splits:
            is_better = better(self.pairs, self.decisions.difference, self.signs[0] != 0, len(self.runs))
            self.letters = letters(is_better | is_better.T, np.argsort(-self.fit.system, kind="stable"))
        self.facts: dict[str, Any] = {
            "measure": measure, "number": np.count_nonzero(self.signs[0]), "pairs": len(self.pairs), "alpha": self.alpha,
            "split": " on the first split" if self.has_splits else "", "splits": self.splits, "parts": self.parts[0],
            "model": request.model, "correction": request.correction,
        }  # fmt: skip

    # What is computed.

    def _fitted(self, scored: Sequence[PartScores], split: int) -> Decisions:
        """Fit the models to a split, and add rows on it; of the first number of parts keep effects, and return decisions."""
        label = {"split": split + 1} if self.has_splits else {}
        lengths, of_numbers = {model: dict[str, Any](model=model) for model in self.models}, list[Decisions]()
        for parts, table in zip(self.parts, scored, strict=True):
            y, kept = self._balanced(table, split)
            effects, decisions = self._fits(y, split)
            of_numbers.append(decisions)
            self._tell_of_error(y, effects[self.request.model][0], split)
            column, of_parts = (f":{parts}", {"part": parts}) if len(scored) > 1 else ("", {})
            for model, (_, limits) in effects.items():
                lengths[model] |= _lengths(limits, column)
            self.rows["significant"] += decisions.rows(self.request.alphas, label | of_parts)
            if table is self.table:
                self.effects = self.effects or effects
                self.rows["check"] += ({**row, **label} for row in _checks(table, self.measure, split, y, kept))
        self.rows["length"] += (row | label for row in lengths.values())
        return of_numbers[0]

    def _balanced(self, table: PartScores, split: int) -> tuple[Floats, Bools]:
        """A split's scores, made complete, and the topics kept."""
        number, of_parts = f"split {split + 1}", f"-x {table.splits[self.measure][split].shape[2]}"
        # What tells this fit from others; nothing of the only one.
        labels = (number, self.has_splits), (self.measure, self.lead), (of_parts, self.parts[1:])
        self.begins(" of ".join(label for label, varies in labels if varies), (f"{self.measure}, {number}",))
        return table.complete(self.measure, split, self.request.policy)

    def _fits(self, y: Floats, split: int, *, is_centred: bool = True) -> tuple[Effects, Decisions]:
        """The models fitted, with limits[2, m] of effects; and decisions by the one that is asked for on every two systems."""
        request, effects = self.request, Effects()
        for model in sorted(self.models, key=lambda model: model == request.model):  # what is asked for last
            try:
                fit = anova(y, model)
            except ValueError as error:
                raise DataError(f"{self.measure}: {error}") from None
            replicates = residual_bootstrap(
                fit, request.resamples, request.seed, split=split + 1, published=request.published, threads=request.threads,
                is_centred=is_centred,
            )  # fmt: skip
            effects[model] = fit, effect_limits(fit, replicates, request.confidence)
        replicates -= 0 if is_centred else replicates.mean(axis=0)
        p = pair_p_values(fit, replicates, published=request.published)
        p_adjusted, least = adjusted(p, request.correction), 2 / (request.resamples + 1)
        at_floor = p <= least * (1 + 1e-9)
        for alpha in request.alphas if at_floor.any() else ():
            if not reaches(p_adjusted[at_floor], alpha).any():
                aim = f"difference at {alpha:g} possible after {request.correction} over {plural(len(p), 'pair')}"
                why = f"p is at least {least:.2g}: take more"
                notify("lacking", measure=f"-B {request.resamples}", what=aim, who="", why=why)
        test, pairs = "marginal" if request.published else "difference", all_pairs(y.shape[1])
        return effects, Decisions(test, request.correction, np.subtract(*fit.system[pairs.T]), p, p_adjusted)

    def _tell_of_error(self, y: Floats, fit: Anova, split: int) -> None:
        """Tell of an error that a model leaves none of, or few degrees of freedom; and how much of it an interaction of topic
        and part (or that versions of a topic differ) is, if that is significant: it cancels in differences, so that as error
        it makes these look less certain than they are."""
        request, (model, source, in_words) = self.request, OF_ALL_SYSTEMS[self.table.replicate]
        if request.model == "interaction" and not request.published and split == 0:
            with suppress(ValueError):  # of one topic
                _, squares, _, f, p, _ = anova(y, model).table[source]
                if p < self.alpha:
                    share = squares / fit.table["error"][1]
                    shares = f"{share:.0%} ({self.measure}; F {f:.2f}, {p_text(p)})"
                    notify("error_in_common", source=in_words, shares=shares, model=request.model, better=model)
        if not fit.residuals.any():
            why = f"--model {request.model} fits every score exactly"
            notify("lacking", measure=self.measure, what="limits, and no p of pairs", who="", why=why)
        elif fit.df < FEW_DF:
            scores = "whole scores" if request.versions is None else "averages over versions"
            then = "too many pairs may differ significantly by the model"
            then += f" (tests of {scores}, such as t, do not rest on these)"
            notify("few_units", number=f"{plural(fit.df, 'degree')} of freedom of error", then=then)

    # Tables.

    def tables(self) -> Iterator[Table]:
        """The tables of a measure."""
        letters = {} if self.letters is None else {"letters": self.letters}
        sources: list[Row] = [
            {"source": source.replace("part", self.table.replicate), "df": df, "ss": ss, "F": f, "p": p, "omega2": omega2}
            for source, (df, ss, _, f, p, omega2) in self.fit.table.items()
        ]  # fmt: skip
        agreement, splits, number = list[Row](), self.splits, len(self.pairs)
        if self.has_splits:  # c find a difference: as many pairs max(c, S - c) decide alike
            larger, at_least_half = np.maximum(self.splits_that_find, splits - self.splits_that_find), (splits + 1) // 2
            alike = {f"{most}:{splits - most}": (larger == most).sum() for most in range(splits, at_least_half - 1, -1)}
            alike["unanimous"] = (np.abs(self.signs.sum(axis=0)) == splits).sum()
            alike["both_directions"] = self.opposed.get("split/split", np.zeros(number, np.bool_)).sum()
            agreement += _agreement("splits", alike, number)
        for between, pairs in self.opposed.items():
            agreement += _agreement(between, {"opposite": pairs.sum()}, number)
        of_fit, *of_tests = (self._pair_rows(by) if self.lists_pairs else [] for by in (self.decisions, *self.tests))
        rows_by_kind: list[tuple[Kind, Sequence[Row]]] = [
            ("effect", [] if self.has_splits else self._effect_rows(self.request.model, letters)), ("pair", of_fit),
            ("anova", [] if self.has_splits else sources), *self.rows.items(), ("agreement", agreement),
            *(("pair", of_test) for of_test in of_tests),
        ]  # fmt: skip
        for kind, rows in rows_by_kind:
            yield from tables(kind, self.measure, rows)

    def _effect_rows(self, model: Model, further: Mapping[str, Any]) -> list[Row]:
        """The effects by a model, the highest first, with further columns in the order of runs."""
        fit, (lower, upper) = self.effects[model]
        rows = rows_of(
            measure=f"effect_{self.measure}", topic="all", value=fit.system, lower=lower, upper=upper, run=self.runs, **further
        )  # fmt: skip
        return [rows[run] for run in np.argsort(-fit.system, kind="stable")]

    def _pair_rows(self, by: Decisions) -> Rows:
        signs = by.at(self.alpha)
        return Rows(len(signs), lambda pair: {
            "run": self.names[pair, 0], "baseline": self.names[pair, 1], "difference": float(by.difference[pair]),
            "p": float(by.p[pair]), "p_adjusted": float(by.p_adjusted[pair]), "decision": ("=", ">", "<")[signs[pair]],
            "test": by.test, "correction": by.correction,
        })  # fmt: skip

    def _named(self, pairs: Bools) -> list[str]:
        """The names of those of all pairs[P]."""
        return ["/".join(names) for names in self.names[pairs]]

    def drawn(self) -> Iterator[Table]:
        """Effects by all models, and the share of splits in which a pair differs, one way less the other: for pictures."""
        for model in self.models if not self.has_splits else ():
            yield Table("effect", self.measure, self._effect_rows(model, {"model": model}))
        of_splits = f", of {self.splits} splits" if self.has_splits else ""
        (name, correction, value, *_), share, (run, baseline) = self.decisions, self.signs.mean(axis=0), self.names.T
        test = f"significant differences ({name}, {correction}, {self.alpha:g}){of_splits}"
        yield Table("vote", self.measure, rows_of(run=run, baseline=baseline, value=value, share=share, test=test))

    def tables_of_teams(self, teams: dict[str, list[int]]) -> Iterator[Table]:
        """Each team's runs fitted alone, on the first split: lengths of intervals, and decisions on pairs within teams."""
        y, _ = self._balanced(self.table, 0)
        label = {"split": 1} if self.has_splits else {}
        is_centred = not self.request.published
        fits = {team: self._fits(y[:, members], 0, is_centred=is_centred) for team, members in teams.items()}
        rows = list[Row]()
        for model in self.models:
            limits_of = {f"/{team}": effects[model][1] for team, (effects, _) in fits.items()}
            limits_of[""] = np.concatenate([*limits_of.values()], axis=1)
            rows += [{"model": f"{model}/within{team}", **_lengths(own), **label} for team, own in limits_of.items()]
        yield Table("length", self.measure, rows)
        by_test = [signs for test, signs in self.by_test.items() if test.startswith("randomization")][:1]
        decided: Counter[str] = Counter()
        for team, members in teams.items():
            of_all = np.array([self.signs[0], *by_test])[:, np.isin(self.pairs, members).all(axis=1)]
            words = np.where(np.insert(of_all, 1, fits[team][1].at(self.alpha), axis=0), "differ", "-")
            decided.update(map("/".join, words.T))
        criteria = "across/within" + "/randomization" * len(by_test)
        yield Table("agreement", self.measure, _agreement(criteria, dict(decided.most_common()), decided.total()))

    # Words.

    def remarks(self) -> Iterator[str]:
        """How many pairs differ by the model and by tests, and whether criteria conflict."""
        splits = self.splits_that_find
        by_how = gathered(
            ("for all pairs jointly" if test == TUKEY else "unadjusted",
             f"{say(f'partition_anova_tests.{test}')} {np.count_nonzero(signs)}") for test, signs in self.by_test.items()
        )  # fmt: skip
        tests = "".join(f"; {', '.join(by_how[how])}, {how}" for how in sorted(by_how, reverse=True))
        yield say("partition_anova.remark", **self.facts, level=f"{self.alpha:g}".removeprefix("0"), tests=tests)
        if self.has_splits:
            by_none, is_some = self._named(splits == 0), (splits > 0) & (splits < self.splits)
            some = [
                f"{name} ({number} of {self.splits})"
                for name, number in zip(self._named(is_some), splits[is_some], strict=True)
            ]
            yield say(
                "partition_anova.by_splits", all=int((splits == self.splits).sum()), splits=self.splits,
                none=len(by_none), names=listed(by_none), some=f"; only in some: {first_names(some)}" if some else "",
            )  # fmt: skip
        if self.opposed:
            names = self._named(np.any([*self.opposed.values()], axis=0))
            yield say("partition_anova.conflicts", pairs=len(names), names=names)
        elif self.has_splits:
            yield say("partition_anova.no_conflicts")
        if self.has_limits and not self.has_splits and self.letters is None:
            yield say("partition_anova.no_letters", most=MOST_LETTERS)

    def explanation(self) -> Iterator[str]:
        """How many pairs differ by the model."""
        request = self.request
        is_one_split = request.versions is None and not (self.has_splits or isinstance(request.parts, str))
        how = say(f"partition_anova.{'one_split' if is_one_split else 'model'}", **self.facts)
        adjusted = say(f"partition_anova.adjusted_{request.correction}")
        yield say(f"partition_anova.{self.decisions.test}", **self.facts, adjusted=adjusted, how=how)
        *_, f, p, _ = self.fit.table.get("topic:system", [np.nan] * 6)
        if request.versions is not None and not np.isnan(p):
            depends = "depends" if reaches(p, self.alpha) else "inconclusive"
            yield say(f"partition_anova.{depends}", measure=self.measure, f=f, p=p_text(p))
            yield say("partition_anova.equal_noise")


def _assumptions(analyses: Sequence[Analysis], request: Inputs) -> Iterator[str]:
    """Say what the numbers of all measures rest on."""
    model, _, source = OF_ALL_SYSTEMS[analyses[0].table.replicate]
    limits = "limits" if request.versions is None else "limits_versions"
    if not any(analysis.has_limits for analysis in analyses):
        limits = "limits_exact"
    elif request.versions is not None and request.model == "parts":
        limits = "limits_same_versions"
    rests_on = {
        "in_common": request.model == "interaction" and not request.published, limits: not analyses[0].has_splits,
        "published": request.published, "topics": True,
    }  # fmt: skip
    for name in (name for name, holds in rests_on.items() if holds):
        yield say(f"partition_anova.{name}", source=source, model=model, confidence=100 * request.confidence)


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
