"""partition-anova: which systems differ, where scores on parts of the collection, or versions of topics, are replicates.

Measure after measure the model is fitted to each split, and every two systems are decided on by it and by tests of the unsplit
scores; further tables show how well parts stand for the whole, whether splits agree, and teams of systems fitted alone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, Record, first_names, plural, raw
from irci.base.choices import Model, PublishedTest
from irci.base.streams import topic_keys
from irci.base.types import Bools, Floats, Ints, all_pairs, gathered, reaches
from irci.comparison.means import sources_of
from irci.data.inputs import Inputs, where
from irci.data.parts import PartScores, balanced, score_parts
from irci.data.rules import read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.versions import Versions, cube_of
from irci.estimators.judges import signs, tau_b
from irci.estimators.partition_anova import ResidualBootstrap, SystemEffects, agreement, pair_p_values
from irci.estimators.partition_anova import partition_anova as fitted_effects
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Rows, Table, rows_of, tables
from irci.stats.anova import anova
from irci.stats.decisions import MOST_LETTERS, letters
from irci.stats.intervals import resamples_needed
from irci.stats.signs import sign_flip
from irci.stats.tests import PAIRS_AT_ONCE, adjusted, paired_t_or_signs, tukey, unpaired_t
from irci.wording import Together, listed, notify, p_text, say, warn_of_few_resamples, warn_of_topics

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


class Decisions(Record):
    """Decisions on P pairs by one criterion.

    test: str
    correction: str
    difference: Floats  # [P]
    p: Floats  # [P]
    p_adjusted: Floats  # [P]
    """

    test: str
    correction: str
    difference: Floats
    p: Floats
    p_adjusted: Floats

    def at(self, alpha: float) -> Ints:
        """int64[P]: the sign of each significant difference, else 0."""
        return np.where(reaches(self.p_adjusted, alpha), np.sign(self.difference), 0).astype(np.int64)

    def count(self, alpha: float) -> int:
        """The number of significant differences."""
        return int(np.count_nonzero(self.at(alpha)))


class SplitFits(NamedTuple):
    """One split of one measure.

    effects: SystemEffects  # by the model asked for
    by_model: dict[Model, SystemEffects]  # by that and the paper's two
    checks: list[dict[str, Any]]  # rows
    """

    effects: SystemEffects
    by_model: dict[Model, SystemEffects]
    decisions: Decisions
    checks: list[dict[str, Any]]


def partition_anova(request: Asked, inputs: Inputs) -> Report:
    """Report of which systems differ, system-topic interaction counted."""
    refuse_no_scores(request.measures)
    teams = {} if request.groups is None else read_teams(request.groups)
    if request.versions is None:
        inputs = inputs._replace(no_relevant="drop")  # topics without relevant documents cannot be split
        scored = _score_parts(request, inputs)
    else:
        scored = [_score_versions(request, inputs, request.versions)]
    least = resamples_needed(request.confidence)
    warn_of_few_resamples("effects'", request.resamples, least, request.confidence)
    with Together("") as together:
        analysis = Analysis(scored, request, inputs.threads, together)
        printed = [table for measure in analysis.measures for table in analysis.tables(measure)]
        if request.groups is not None:
            printed += analysis.tables_of_groups(request.groups, teams)
    parts, has_several = analysis.parts, len(scored) > 1
    if request.versions is None:
        command, source, replicates = "partition-anova", "parts", {"policy": request.policy}
        numbers: dict[str, Any] = {"splits": len(scored[0].numbers), "parts": " ".join(map(str, parts))}
        if not has_several:
            numbers["parts"] = parts[0]
        if isinstance(request.parts, str):
            numbers = {"parts_file": request.parts, **numbers}
    else:
        command, source, replicates = "partition-anova --versions", "versions", {"versions": request.versions.given}
        numbers = {"num_versions": parts[0]}
    return Report(
        tables=printed,
        signature={
            "command": command,
            "measures": " ".join(analysis.measures),
            **request.record(ResidualBootstrap)._asdict(),
            **replicates,
            "correction": request.correction,
            "tests": " ".join(request.tests),
            "alphas": " ".join(f"{alpha:g}" for alpha in request.alphas),
            "groups": request.groups,
            **numbers,
            **inputs.signature(),
            "num_topics": len(scored[0].topics),
        },
        explain=lambda: analysis.explanation(),
        remarks=[remark for measure in analysis.measures for remark in analysis.remarks(measure)]
        + [say("partition_anova.not_listed", pairs=len(analysis.pairs))] * (not analysis.lists_pairs)
        + [say("partition_anova.first_parts", parts=parts[0])] * has_several
        + [say("partition_anova.published")] * request.published,
        drawn=lambda: [table for measure in analysis.measures for table in analysis.drawn(measure)],
        sources=sources_of("replicates", [source]),
    )


def _score_parts(request: Asked, inputs: Inputs) -> list[PartScores]:
    """Every run on parts of the collection, as many as are asked for, or on several numbers of these."""
    numbers = [request.parts] if isinstance(request.parts, str) else request.parts
    scored = []
    with Together("") as together:
        for parts in numbers:
            together.of(f"-x {parts}" if len(numbers) > 1 else "", ())
            splits, policy, seed = request.splits, request.policy, request.seed
            scored.append(score_parts(inputs, request.measures, parts, splits=splits, policy=policy, seed=seed))
    return scored


def _score_versions(request: Asked, inputs: Inputs, versions: Versions) -> PartScores:
    """Every system on as many versions of each topic, and on average over them; DataError for a model that needs the same
    versions of all topics, where they are not the same."""
    cube = cube_of(inputs, request.measures, versions, request.seed)
    if cube.versions is None and request.model == "parts":
        raise DataError(
            "--model parts needs versions of the same names for every topic: these are each of one topic (--model nested)"
        )
    return PartScores(
        runs=cube.systems,
        topics=cube.topics,
        whole={measure: values.mean(axis=1) for measure, values in cube.values.items()},
        splits={measure: [values.transpose(0, 2, 1)] for measure, values in cube.values.items()},
        replicate="version",
        labels=cube.versions,
    )


class Analysis:
    """Scores on one number of parts or more, what is asked of them, and what comes of it: for each of these numbers the fits
    of splits by measure, and the tests of the unsplit scores. `together`: of notices that splits have in common."""

    def __init__(self, scored: Sequence[PartScores], request: Asked, threads: int, together: Together) -> None:
        self.table = scored[0]
        self.runs, self.measures = self.table.runs, [*self.table.whole]
        if len(self.runs) < 2:
            raise DataError("to compare systems, give at least two runs")
        self.request, self.threads, self.together = request, threads, together
        self.alpha, self.models = request.alphas[0], tuple(dict.fromkeys((*MODELS_OF_THE_PAPER, request.model)))
        self.parts = [table.splits[self.measures[0]][0].shape[2] for table in scored]
        self.pairs = all_pairs(len(self.runs))
        self.has_splits = len(self.table.numbers) > 1
        self.lists_pairs = "pair" in request.tables or len(self.pairs) <= MOST_PAIRS
        self.fits = [
            {measure: [self._fitted(table, measure, split) for split in table.numbers] for measure in self.measures}
            for table in scored
        ]
        self.tests = {measure: list(self._tests(measure)) for measure in self.measures}

    # What is computed.

    def _fitted(self, table: PartScores, measure: str, split: int) -> SplitFits:
        """Fit the models to a split, and decide on every two systems."""
        request, model = self.request, self.request.model
        y, kept = self._balanced(table, measure, split)
        if model == "interaction" and not request.published and split == table.numbers[0]:
            self._tell_error_in_common(measure, y)
        effects = self._effects(y, measure, split, model)
        decisions = self._decided(effects)
        if effects.is_exact:
            why = f"--model {model} fits every score exactly"
            notify("lacking", measure=measure, what="limits, and no p of pairs", who="", why=why)
        elif effects.fit.df < FEW_DF:
            tests = "whole scores" if request.versions is None else "averages over versions"
            then = f"too many pairs may differ significantly by the model (tests of {tests}, such as t, do not rest on these)"
            notify("few_units", number=f"{plural(effects.fit.df, 'degree')} of freedom of error", then=then)
        effects = effects.without_replicates()
        by_model = {
            other: effects if other == model else self._effects(y, measure, split, other).without_replicates()
            for other in self.models
        }
        checks = list(_checks(table, measure, y, kept, split))
        return SplitFits(effects, by_model, decisions, checks)

    def _balanced(self, table: PartScores, measure: str, split: int) -> tuple[Floats, Bools]:
        """A split's scores, made complete, and the topics kept."""
        policy = self.request.policy
        scores = table.splits[measure][table.numbers.index(split)]
        y, kept = balanced(scores, policy)
        name = f"{measure}, split {split}"
        labels = (
            f"split {split}" if self.has_splits else "",
            measure if len(self.measures) > 1 else "",
            f"-x {scores.shape[2]}" if len(self.parts) > 1 else "",
        )
        self.together.of(" of ".join(filter(None, labels)), (name,))
        imputed = where(table.topics, np.isnan(scores).any(axis=(1, 2)) & kept)
        missing = where(table.topics, ~kept)
        if missing and policy == "redraw":
            raise DataError(
                f"{name}: no score of some run or part on {plural(len(missing), 'topic')}"
                f" ({' '.join(missing[:5])}): --policy drop, zero or mean"
            )
        warn_of_topics(name, f"with parts that --policy {policy} scores", imputed)
        warn_of_topics(name, "without a score of every run and part, dropped", missing)
        if not kept.any():
            raise DataError(f"{measure}: no topic has a score of every run and part")
        return y, kept

    def _effects(self, y: Floats, measure: str, split: int, model: Model, *, is_centred: bool = True) -> SystemEffects:
        settings = self.request.record(ResidualBootstrap, model=model)
        try:
            return fitted_effects(y, settings, split=split, threads=self.threads, is_centred=is_centred)
        except ValueError as error:
            raise DataError(f"{measure}: {error}") from None

    def _tell_error_in_common(self, measure: str, y: Floats) -> None:
        """Tell how much of the error an interaction of topic and part (or that versions of a topic differ) is, by a model that
        finds it at the first level.

        It is the same for all systems and cancels in their differences, so that as error it makes these look less certain
        than they are.
        """
        model, source, in_words = OF_ALL_SYSTEMS[self.table.replicate]
        try:
            by_source = anova(y, model).table
        except ValueError:
            return
        _, squares, _, f, p, _ = by_source[source]
        if p < self.alpha:
            share = squares / anova(y, self.request.model).table["error"][1]
            shares = f"{share:.0%} ({measure}; F {f:.2f}, {p_text(p)})"
            notify("error_in_common", source=in_words, shares=shares, model=self.request.model, better=model)

    def _decided(self, effects: SystemEffects) -> Decisions:
        request = self.request
        p = pair_p_values(effects, published=request.published)
        first, second = all_pairs(len(effects.value)).T
        p_adjusted = adjusted(p, request.correction)
        least = 2 / (request.resamples + 1)
        at_floor = p <= least * (1 + 1e-9)
        for alpha in request.alphas if at_floor.any() and not effects.is_exact else ():
            if not np.any(reaches(p_adjusted[at_floor], alpha)):
                aim = f"difference at {alpha:g} possible after {request.correction} over {plural(len(p), 'pair')}"
                why = f"p is at least {least:.2g}: take more"
                notify("lacking", measure=f"-B {request.resamples}", what=aim, who="", why=why)
        test = "marginal" if request.published else "difference"
        return Decisions(test, request.correction, effects.value[first] - effects.value[second], p, p_adjusted)

    def _tests(self, measure: str) -> Iterator[Decisions]:
        """Decisions by tests of the unsplit scores."""
        whole = self.table.whole[measure]
        keys = topic_keys([raw(topic) for topic in self.table.topics])
        blocks = np.split(self.pairs, range(PAIRS, len(self.pairs), PAIRS))

        def of_pairs(of_block: Callable[[Floats, Floats], Floats]) -> Floats:
            """float64[P], of the scores first[P, n] and second[P, n] of many pairs at a time."""
            return np.concatenate([of_block(whole.T[pairs[:, 0]], whole.T[pairs[:, 1]]) for pairs in blocks])

        resamples, seed = self.request.resamples, self.request.seed
        p_of: dict[str, Callable[[], Floats]] = {
            "t": lambda: of_pairs(lambda first, second: paired_t_or_signs(first - second, 0.95).p),
            "unpaired-t": lambda: of_pairs(unpaired_t),
            "tukey": lambda: tukey(whole, resamples, seed),
            "randomization": lambda: of_pairs(lambda first, second: sign_flip(first - second, keys, resamples, seed)),
            "randomization-one-sided": lambda: of_pairs(
                lambda first, second: sign_flip(first - second, keys, resamples, seed, one_sided=True)
            ),
        }
        means = whole.mean(axis=0)
        difference = means[self.pairs[:, 0]] - means[self.pairs[:, 1]]
        for test in self.request.tests:
            p = p_of[test]()
            name, correction = (TUKEY, test) if test == "tukey" else (test, "none")  # its p allow for all pairs
            yield Decisions(name, correction, difference, p, p)

    def opposed(self, measure: str) -> dict[str, Bools]:
        """The pairs bool[P] that two splits, or a split and a test, or two tests, find to differ in opposite directions."""
        splits = self.fits[0][measure]
        signs = np.array([split.decisions.at(self.alpha) for split in splits])
        opposed = {"split/split": np.asarray((signs > 0).any(axis=0) & (signs < 0).any(axis=0))}
        by_test = {test.test: test.at(self.alpha) for test in self.tests[measure]}
        for test, of_test in by_test.items():
            opposed[f"{splits[0].decisions.test}/{test}"] = np.asarray((signs * of_test < 0).any(axis=0))
        for other, test in combinations(by_test, 2):
            opposed[f"{test}/{other}"] = by_test[test] * by_test[other] < 0
        return {between: pairs for between, pairs in opposed.items() if pairs.any()}

    # Tables.

    def tables(self, measure: str) -> Iterator[Table]:
        """The tables of a measure."""
        splits, tests = self.fits[0][measure], self.tests[measure]
        first = splits[0]
        if not self.has_splits:
            by_run = self._letters(measure)
            letters_of_runs = {} if by_run is None else {"letters": by_run}
            yield from tables("effect", measure, self._effect_rows(measure, first.effects, **letters_of_runs))
        if self.lists_pairs:
            yield from tables("pair", measure, self._pair_rows(first.decisions))
        if not self.has_splits:
            yield Table("anova", measure, [
                {"source": source.replace("part", self.table.replicate), "df": df, "ss": ss, "F": f, "p": p, "omega2": omega2}
                for source, (df, ss, _, f, p, omega2) in first.effects.fit.table.items()
            ])  # fmt: skip
        lengths, checks = [], []
        counts: list[Row] = []
        for index, split in enumerate(splits):
            label = {"split": index + 1} if self.has_splits else {}
            by_parts = {parts: fits[measure][index] for parts, fits in zip(self.parts, self.fits, strict=True)}
            for model in self.models:
                of_model = {parts: fits.by_model[model].lengths for parts, fits in by_parts.items()}
                lengths.append(row_of_lengths(model, of_model) | label)
            checks += [row | label for row in split.checks]
            for parts, fits in by_parts.items():
                counts += self._count_rows(fits.decisions, label | ({"part": parts} if len(by_parts) > 1 else {}))
        for test in tests:
            counts += self._count_rows(test, {"split": 0} if self.has_splits else {})
        yield from tables("length", measure, lengths)
        yield from tables("check", measure, checks)
        yield from tables("significant", measure, counts)
        if self.has_splits:
            classes, unanimous, both = agreement(np.array([split.decisions.at(self.alpha) for split in splits]))
            numbers = {**classes, "unanimous": unanimous, "both_directions": both}
            yield from tables("agreement", measure, _decision_rows("splits", numbers, len(self.pairs)))
        conflicts: list[Row] = []
        for between, pairs in self.opposed(measure).items():
            conflicts += _decision_rows(between, {"opposite": int(pairs.sum())}, len(self.pairs))
        yield from tables("agreement", measure, conflicts)
        for test in tests if self.lists_pairs else ():
            yield from tables("pair", measure, self._pair_rows(test))

    def _letters(self, measure: str) -> list[str] | None:
        """Letters of the systems at the first level: those that share one do not differ significantly. None if it takes too
        many, or without a p of pairs."""
        split = self.fits[0][measure][0]
        if split.effects.is_exact:
            return None
        separated = np.zeros((len(self.runs),) * 2, np.bool_)
        first, second = self.pairs.T
        separated[first, second] = separated[second, first] = split.decisions.at(self.alpha) != 0
        return letters(separated, np.argsort(-split.effects.value, kind="stable"), MOST_LETTERS)

    def _effect_rows(self, measure: str, effects: SystemEffects, **further: Any) -> list[Row]:
        """The effects, the highest first, with further columns in the order of runs."""
        rows = rows_of(
            measure=f"effect_{measure}", topic="all", value=effects.value, lower=effects.lower, upper=effects.upper,
            run=self.runs, **further,
        )  # fmt: skip
        return [rows[run] for run in np.argsort(-effects.value, kind="stable")]

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

    def _name(self, pair: int) -> str:
        return "/".join(self._names_of(pair).values())

    def _count_rows(self, decisions: Decisions, label: dict[str, int]) -> Iterator[dict[str, Any]]:
        for alpha in self.request.alphas:
            number = decisions.count(alpha)
            yield {
                "test": decisions.test, "alpha": alpha, "pairs": number, "percent": 100 * number / len(decisions.p),
                "correction": decisions.correction, **label,
            }  # fmt: skip

    def drawn(self, measure: str) -> Iterator[Table]:
        """Effects by all models, and the share of splits in which a pair differs, one way less the other: for pictures."""
        splits = self.fits[0][measure]
        first = splits[0].decisions
        if not self.has_splits:
            for model, effects in splits[0].by_model.items():
                yield from tables("effect", measure, self._effect_rows(measure, effects, model=model))
        shares = np.array([split.decisions.at(self.alpha) for split in splits]).sum(axis=0) / len(splits)
        of_splits = f", of {len(splits)} splits" if self.has_splits else ""
        test = f"significant differences ({first.test}, {first.correction}, {self.alpha:g}){of_splits}"
        votes: Iterator[Row] = (
            {**self._names_of(pair), "value": float(difference), "share": float(share), "test": test}
            for pair, (difference, share) in enumerate(zip(first.difference, shares, strict=True))
        )
        yield from tables("vote", measure, votes)

    def tables_of_groups(self, path: str, team_of: dict[str, str]) -> Iterator[Table]:
        """Each team's runs fitted alone beside all together, on the first split: interval lengths, and decisions on pairs
        within teams."""
        split = self.table.numbers[0]
        label = {"split": split} if self.has_splits else {}
        warn_of_topics(path, "without a team, left out", [run for run in self.runs if run not in team_of], "run")
        by_team = gathered((team_of[run], index) for index, run in enumerate(self.runs) if run in team_of)
        teams = {team: members for team, members in sorted(by_team.items()) if len(members) > 1}
        if not teams:
            raise DataError(f"{path}: no team has two of the runs")
        pair_of = {tuple(pair): index for index, pair in enumerate(self.pairs.tolist())}
        for measure in self.measures:
            y, _ = self._balanced(self.table, measure, split)
            lengths: dict[str, Floats] = {}
            within: dict[str, Ints] = {}
            for model in self.models:
                for team, members in teams.items():
                    effects = self._effects(y[:, members], measure, split, model)
                    if model == self.request.model:
                        within[team] = self._decided(effects).at(self.alpha)
                    if self.request.published:
                        effects = self._effects(y[:, members], measure, split, model, is_centred=False)
                    lengths[f"{model}/within/{team}"] = effects.lengths
                lengths[f"{model}/within"] = np.concatenate([lengths[f"{model}/within/{team}"] for team in teams])
            yield from tables(
                "length", measure, (row_of_lengths(model, {0: of_model}) | label for model, of_model in lengths.items())
            )
            criteria, across = "across/within", [self.fits[0][measure][0].decisions.at(self.alpha)]
            for test in [test for test in self.tests[measure] if test.test.startswith("randomization")][:1]:
                criteria, across = f"{criteria}/randomization", [*across, test.at(self.alpha)]
            decided: Counter[str] = Counter()
            for team, members in teams.items():
                for (first, second), sign in zip(all_pairs(len(members)).tolist(), within[team], strict=True):
                    of_all, *of_test = (signs[pair_of[members[first], members[second]]] for signs in across)
                    decided["/".join("differ" if differs else "-" for differs in (of_all, sign, *of_test))] += 1
            numbers = dict(decided.most_common())
            yield from tables("agreement", measure, _decision_rows(criteria, numbers, decided.total()))

    # Words.

    def remarks(self, measure: str) -> Iterator[str]:
        """How many pairs differ by the model and by tests, and whether criteria conflict."""
        lead = f"{measure}: " if len(self.measures) > 1 else ""
        by_tests = ""
        for is_tukey, how in ((False, "unadjusted"), (True, "for all pairs at once")):
            numbers = [
                f"{say(f'partition_anova_tests.{test.test}')} {test.count(self.alpha)}"
                for test in self.tests[measure]
                if (test.test == TUKEY) is is_tukey
            ]
            by_tests += f"; {', '.join(numbers)}, {how}" if numbers else ""
        splits = self.fits[0][measure]
        first = splits[0]
        yield lead + say(
            "partition_anova.remark", number=first.decisions.count(self.alpha), pairs=len(self.pairs),
            split=self._split, correction=self.request.correction, alpha=f"{self.alpha:g}".removeprefix("0"), tests=by_tests,
        )  # fmt: skip
        if self.has_splits:
            found_by = np.array([split.decisions.at(self.alpha) != 0 for split in splits]).sum(axis=0)
            by_none = [self._name(pair) for pair in np.flatnonzero(found_by == 0).tolist()]
            by_some = np.flatnonzero((found_by > 0) & (found_by < len(splits))).tolist()
            pairs = [f"{self._name(pair)} ({found_by[pair]} of {len(splits)})" for pair in by_some]
            yield lead + say(
                "partition_anova.by_splits", all=int((found_by == len(splits)).sum()), splits=len(splits),
                none=len(by_none), names=listed(by_none), pairs=f", in some {first_names(pairs)}" if pairs else "",
            )  # fmt: skip
        if opposed := self.opposed(measure):
            pairs = [self._name(pair) for pair in np.flatnonzero(np.any(list(opposed.values()), axis=0)).tolist()]
            yield lead + say("partition_anova.conflicts", pairs=len(pairs), names=pairs)
        elif self.has_splits:
            yield lead + say("partition_anova.no_conflicts")
        if not (self.has_splits or first.effects.is_exact) and self._letters(measure) is None:
            yield lead + say("partition_anova.no_letters", most=MOST_LETTERS)

    @property
    def _split(self) -> str:
        return " on the first split" if self.has_splits else ""

    def explanation(self) -> Iterator[str]:
        """How many pairs differ by the model, and on what that rests."""
        request = self.request
        is_one_split = request.versions is None and not (self.has_splits or isinstance(request.parts, str))
        how = say(
            f"partition_anova.{'one_split' if is_one_split else 'model'}", model=request.model, parts=self.parts[0]
        )
        for measure in self.measures:
            first = self.fits[0][measure][0]
            yield say(
                f"partition_anova.{first.decisions.test}", number=first.decisions.count(self.alpha), measure=measure,
                pairs=len(self.pairs), alpha=self.alpha, split=self._split,
                adjusted=say(f"partition_anova.adjusted_{request.correction}"), how=how,
            )  # fmt: skip
            *_, f, p, _ = first.effects.fit.table.get("topic:system", [np.nan] * 6)
            if request.versions is not None and not np.isnan(p):
                depends = "depends" if reaches(p, self.alpha) else "inconclusive"
                yield say(f"partition_anova.{depends}", measure=measure, f=f, p=p_text(p))
                yield say("partition_anova.equal_noise")
        if request.model == "interaction" and not request.published:
            model, _, source = OF_ALL_SYSTEMS[self.table.replicate]
            yield say("partition_anova.in_common", source=source, model=model)
        if not self.has_splits:
            limits = "limits"
            if all(np.isnan(fits[0].effects.lower).all() for fits in self.fits[0].values()):
                limits = "limits_exact"
            elif request.versions is not None:
                limits = "limits_same_versions" if request.model == "parts" else "limits_versions"
            yield say(f"partition_anova.{limits}", confidence=100 * request.confidence)
        if request.published:
            yield say("partition_anova.published")
        yield say("partition_anova.topics")


def _checks(table: PartScores, measure: str, y: Floats, kept: Bools, split: int) -> Iterator[dict[str, Any]]:
    """Rows that show whether the parts represent the whole: order of systems, shift of their means, relevant documents. So
    for versions, if all topics have the same."""
    if table.replicate == "version" and table.labels is None:
        return
    whole = table.whole[measure][kept]
    relevant = table.relevant[table.numbers.index(split)][kept] if table.relevant else None
    for part in range(y.shape[2]):
        means = y[:, :, part].mean(axis=0)
        row: dict[str, Any] = {
            "part": table.labels[part] if table.labels else part + 1,
            "tau": tau_b(signs(means), signs(whole.mean(axis=0))),
            "difference": float(means.mean() - whole.mean()),
        }
        if relevant is not None:
            share = relevant[:, part] * relevant.shape[1] / relevant.sum(axis=1)
            row |= {"relevant_min": int(relevant[:, part].min()), "imbalance": float(share.max())}
        yield row


def _decision_rows(between: str, numbers: dict[str, int], pairs: int) -> Iterator[Row]:
    for name, number in numbers.items():
        yield {"between": between, "decision": name, "pairs": number, "percent": 100 * number / pairs}


def row_of_lengths(model: str, lengths_by_parts: dict[int, Floats]) -> dict[str, Any]:
    """Lengths of a model's intervals; of several numbers of parts each has columns, value:2, lower:2, upper:2."""
    row: dict[str, Any] = {"model": model}
    for parts, lengths in lengths_by_parts.items():
        of_parts = f":{parts}" if len(lengths_by_parts) > 1 else ""
        ends = {"value": lengths.mean(), "lower": lengths.min(), "upper": lengths.max()}
        row |= {f"{name}{of_parts}": float(length) for name, length in ends.items()}
    return row
