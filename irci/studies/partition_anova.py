"""partition-anova: which systems differ, where scores on parts of the collection, or versions of topics, are replicates.

Measure after measure the model is fitted to each split, and every two systems are decided on by it and by tests of the unsplit
scores; further tables show how well parts stand for the whole, whether splits agree, and teams of systems fitted alone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, Record, first_few, first_names, plural, raw
from irci.base.choices import Model, PublishedTest
from irci.base.streams import topic_keys
from irci.base.types import Array, Bools, Floats, all_pairs, gathered, reaches
from irci.comparison.means import sources_of
from irci.data.inputs import Inputs, where
from irci.data.notices import Together, warn_of_few_resamples, warn_of_topics
from irci.data.parts import PartScores, balanced, score_parts
from irci.data.rules import read_teams
from irci.data.score_tables import refuse_no_scores
from irci.data.versions import Versions, cube_of
from irci.estimators.judges import signs, tau_b
from irci.estimators.partition_anova import ResidualBootstrap, SystemEffects, agreement, pair_p_values
from irci.estimators.partition_anova import partition_anova as fitted_effects
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Rows, Table, tables
from irci.stats.anova import anova
from irci.stats.decisions import MOST_LETTERS, letters
from irci.stats.signs import sign_flip
from irci.stats.tests import PAIRS_AT_ONCE, adjusted, paired_t_or_signs, tukey, unpaired_t
from irci.wording import notify, p_text, say

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
    p: Floats  # [P]
    p_adjusted: Floats  # [P]
    sign: Array[np.int64]  # [P], of the difference
    """

    test: str
    correction: str
    p: Floats
    p_adjusted: Floats
    sign: Array[np.int64]

    def at(self, alpha: float) -> Array[np.int64]:
        """int64[P]: the sign of each significant difference, else 0."""
        return np.where(reaches(self.p_adjusted, alpha), self.sign, 0)

    def count(self, alpha: float) -> int:
        """The number of significant differences."""
        return int((self.at(alpha) != 0).sum())


class SplitFits(NamedTuple):
    """One split of one measure.

    fit: SystemEffects  # by the model asked for
    by_model: dict[str, SystemEffects]  # that and the paper's two
    decisions: Decisions
    checks: list[dict[str, Any]]  # rows
    """

    number: int
    fit: SystemEffects
    by_model: dict[str, SystemEffects]
    decisions: Decisions
    checks: list[dict[str, Any]]


class MeasureResults(NamedTuple):
    """One measure: its splits, tests of the unsplit scores, differences [P] of effects (first split) and of means."""

    measure: str
    splits: list[SplitFits]
    tests: list[Decisions]
    differences: Floats
    whole_differences: Floats


def partition_anova(request: Asked, inputs: Inputs) -> Report:
    """Report of which systems differ, system-topic interaction counted."""
    refuse_no_scores(request.measures)
    teams = {} if request.groups is None else read_teams(request.groups)
    is_of_versions = request.versions is not None
    further: list[PartScores] = []
    if request.versions is not None:
        table = _score_versions(request, inputs, request.versions)
    else:
        inputs = inputs._replace(no_relevant="drop")  # topics without relevant documents cannot be split
        all_parts = [request.parts] if isinstance(request.parts, str) else request.parts
        with Together("") as together:
            for parts in all_parts:
                together.of(f"-x {parts}" if len(all_parts) > 1 else "", ())
                further.append(
                    score_parts(
                        inputs, request.measures, parts, splits=request.splits, policy=request.policy, seed=request.seed
                    )
                )
        table = further.pop(0)
    warn_of_few_resamples("effects'", request.resamples, request.confidence, "")
    with Together("") as together:
        analysis = Analysis(table, request, inputs.threads, together, further)
        results = [analysis.of_measure(measure) for measure in table.whole]
        printed = [table for of_measure in results for table in analysis.tables(of_measure)]
        if request.groups is not None:
            printed += analysis.tables_of_groups(request.groups, teams)
    replicates = analysis.parts
    by_replicate: dict[str, Any] = {"num_versions": replicates}
    if table.replicate == "part":
        numbers = [replicates, *(other.parts for other in analysis.further)]
        by_replicate = {"splits": len(table.numbers), "parts": " ".join(map(str, numbers)) if further else replicates}
    return Report(
        tables=printed,
        signature={
            "command": "partition-anova" + " --versions" * is_of_versions,
            "measures": " ".join(table.whole),
            **request.record(ResidualBootstrap)._asdict(),
            **({"policy": request.policy} if request.versions is None else {"versions": request.versions.given}),
            "correction": request.correction,
            "tests": " ".join(request.tests),
            "alphas": " ".join(f"{alpha:g}" for alpha in request.alphas),
            "groups": request.groups,
            **({"parts_file": request.parts} if isinstance(request.parts, str) and not is_of_versions else {}),
            **by_replicate,
            **inputs.signature(),
            "num_topics": len(table.topics),
        },
        explain=lambda: analysis.explanation(results),
        remarks=[remark for of_measure in results for remark in analysis.remarks(of_measure, several=len(results) > 1)]
        + [say("partition_anova.not_listed", pairs=len(analysis.pairs))] * (not analysis.lists_pairs)
        + [say("partition_anova.first_parts", parts=analysis.parts)] * bool(further)
        + [say("partition_anova.published")] * request.published,
        drawn=lambda: [table for of_measure in results for table in analysis.drawn(of_measure)],
        sources=sources_of("replicates", ["versions" if is_of_versions else "parts"]),
    )


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
    """A table of scores on parts, and what is asked of it. `together`: of notices that splits have in common; `further`:
    tables of other numbers of parts."""

    def __init__(
        self, table: PartScores, request: Asked, threads: int, together: Together, further: Sequence[PartScores] = ()
    ) -> None:
        if len(table.runs) < 2:
            raise DataError("to compare systems, give at least two runs")
        self.table, self.request, self.threads, self.together = table, request, threads, together
        self.pairs = all_pairs(len(table.runs))
        self.has_splits = len(table.numbers) > 1
        self.parts = table.splits[next(iter(table.whole))][0].shape[2]
        self.further = [Analysis(other, request, threads, together) for other in further]
        self.lists_pairs = "pair" in request.tables or len(self.pairs) <= MOST_PAIRS

    # What is computed.

    def of_measure(self, measure: str) -> MeasureResults:
        """Fit the model to each split, and test every two systems."""
        splits = [self.of_split(measure, number) for number in self.table.numbers]
        tests, means = list(self._tests(measure)), self.table.whole[measure].mean(axis=0)
        first, second = self.pairs.T
        of_effects, of_means = (values[first] - values[second] for values in (splits[0].fit.value, means))
        return MeasureResults(measure, splits, tests, of_effects, of_means)

    def of_split(self, measure: str, number: int) -> SplitFits:
        """Fit the models to a split, and decide on every two systems."""
        request, model = self.request, self.request.model
        y, kept = self._balanced(measure, number)
        if model == "interaction" and not request.published and number == self.table.numbers[0]:
            self._tell_error_in_common(measure, y)
        effects = self._effects(y, measure, number, model)
        decisions = self._decided(effects)
        if effects.is_exact:
            why = f"--model {model} fits every score exactly"
            notify("lacking", measure=measure, what="limits, and no p of pairs", who="", why=why)
        elif effects.fit.df < FEW_DF:
            tests = "whole scores" if request.versions is None else "averages over versions"
            then = f"too many pairs may differ significantly by the model (tests of {tests}, such as t, do not rest on these)"
            notify("few_units", number=f"{plural(effects.fit.df, 'degree')} of freedom of error", then=then)
        fit = effects.without_replicates()
        del effects
        by_model: dict[str, SystemEffects] = {
            other: fit if other == model else self._effects(y, measure, number, other).without_replicates()
            for other in dict.fromkeys((*MODELS_OF_THE_PAPER, model))
        }
        return SplitFits(number, fit, by_model, decisions, list(self._checks(measure, y, kept, number)))

    def _balanced(self, measure: str, split: int) -> tuple[Floats, Bools]:
        """A split's scores, made complete, and the topics kept."""
        policy, topics = self.request.policy, self.table.topics
        scores = self.table.splits[measure][self.table.numbers.index(split)]
        y, kept = balanced(scores, policy)
        name = f"{measure}, split {split}"
        labels = (
            f"split {split}" if self.has_splits else "",
            measure if len(self.table.whole) > 1 else "",
            f"-x {self.parts}" if isinstance(self.request.parts, tuple) and len(self.request.parts) > 1 else "",
        )
        self.together.of(" of ".join(filter(None, labels)), (name,))
        imputed, missing = where(topics, np.isnan(scores).any(axis=(1, 2)) & kept), where(topics, ~kept)
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

    def _checks(self, measure: str, y: Floats, kept: Bools, split: int) -> Iterator[dict[str, Any]]:
        """Rows that show whether the parts represent the whole: order of systems, shift of their means, relevant documents. So
        for versions, if all topics have the same."""
        table = self.table
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
        if p < self.request.alphas[0]:
            share = squares / anova(y, self.request.model).table["error"][1]
            shares = f"{share:.0%} ({measure}; F {f:.2f}, {p_text(p)})"
            notify("error_in_common", source=in_words, shares=shares, model=self.request.model, better=model)

    def _decided(self, effects: SystemEffects) -> Decisions:
        request = self.request
        p = pair_p_values(effects, published=request.published)
        first, second = all_pairs(len(effects.value)).T
        sign = np.sign(effects.value[first] - effects.value[second]).astype(np.int64)
        p_adjusted = adjusted(p, request.correction)
        at_floor = p <= 2 / (request.resamples + 1) * (1 + 1e-9)
        for alpha in request.alphas if at_floor.any() and not effects.is_exact else ():
            if not np.any(reaches(p_adjusted[at_floor], alpha)):
                aim = f"difference at {alpha:g} possible after {request.correction} over {plural(len(p), 'pair')}"
                why = f"p is at least {2 / (request.resamples + 1):.2g}: take more"
                notify("lacking", measure=f"-B {request.resamples}", what=aim, who="", why=why)
        return Decisions("marginal" if request.published else "difference", request.correction, p, p_adjusted, sign)

    def _tests(self, measure: str) -> Iterator[Decisions]:
        """Decisions by tests of the unsplit scores."""
        if not self.request.tests:
            return
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
        sign = of_pairs(lambda first, second: np.sign((first - second).mean(axis=1))).astype(np.int64)
        for test in self.request.tests:
            p = p_of[test]()
            is_tukey = test == "tukey"  # its p allow for all pairs
            yield Decisions(TUKEY if is_tukey else test, test if is_tukey else "none", p, p, sign)

    # Tables.

    def tables(self, results: MeasureResults) -> Iterator[Table]:
        """The tables of a measure."""
        measure, (first, *_) = results.measure, results.splits
        decisions = [split.decisions for split in results.splits]
        if not self.has_splits:
            yield Table("effect", measure, list(self._effect_rows(measure, first.fit, self.letters_of(first))))
        if self.lists_pairs:
            yield from tables("pair", measure, self._pair_rows(decisions[0], results.differences))
        if not self.has_splits:
            yield Table("anova", measure, [
                {"source": source.replace("part", self.table.replicate), "df": df, "ss": ss, "F": f, "p": p, "omega2": omega2}
                for source, (df, ss, _, f, p, omega2) in first.fit.fit.table.items()
            ])  # fmt: skip
        lengths, checks, counts = [], [], []
        for split in results.splits:
            label = {"split": split.number} if self.has_splits else {}
            further = {other.parts: other.of_split(measure, split.number) for other in self.further}
            by_parts = {self.parts: split} | further
            lengths += [
                row_of_lengths(model, {parts: fits.by_model[model].lengths for parts, fits in by_parts.items()}) | label
                for model in split.by_model
            ]
            checks += [row | label for row in split.checks]
            for parts, fits in by_parts.items():
                of_parts = label | ({"part": parts} if further else {})
                counts += [row | of_parts for row in self._count_rows(fits.decisions)]
        for test in results.tests:
            counts += [row | ({"split": 0} if self.has_splits else {}) for row in self._count_rows(test)]
        yield from tables("length", measure, lengths)
        yield from tables("check", measure, checks)
        yield from tables("significant", measure, counts)
        if self.has_splits:
            classes, unanimous, both = agreement(
                np.array([of_criterion.at(self.request.alphas[0]) for of_criterion in decisions])
            )
            numbers = {**classes, "unanimous": unanimous, "both_directions": both}
            yield from tables("agreement", measure, self._decision_rows("splits", numbers, len(self.pairs)))
        conflicts: list[Row] = []
        for between, opposed in self._opposed(results).items():
            conflicts += self._decision_rows(between, {"opposite": int(opposed.sum())}, len(self.pairs))
        yield from tables("agreement", measure, conflicts)
        for test in results.tests if self.lists_pairs else ():
            yield from tables("pair", measure, self._pair_rows(test, results.whole_differences))

    def letters_of(self, split: SplitFits) -> list[str] | None:
        """Letters of the systems at the first level: those that share one do not differ significantly. None if it takes too
        many, or without a p of pairs."""
        if split.fit.is_exact:
            return None
        separated = np.zeros((len(self.table.runs),) * 2, np.bool_)
        first, second = self.pairs.T
        separated[first, second] = separated[second, first] = split.decisions.at(self.request.alphas[0]) != 0
        return letters(separated, np.argsort(-split.fit.value, kind="stable"), MOST_LETTERS)

    def _effect_rows(
        self, measure: str, fit: SystemEffects, letters_by_run: Sequence[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The effects, the highest first."""
        for run in np.argsort(-fit.value, kind="stable").tolist():
            yield {
                "measure": f"effect_{measure}", "topic": "all", "value": float(fit.value[run]),
                "lower": float(fit.lower[run]), "upper": float(fit.upper[run]), "run": self.table.runs[run],
                **({} if letters_by_run is None else {"letters": letters_by_run[run]}),
            }  # fmt: skip

    def _pair_rows(self, decisions: Decisions, differences: Floats) -> Rows:
        signs = decisions.at(self.request.alphas[0])
        return Rows(len(signs), lambda pair: {
            **self._names_of(pair), "difference": float(differences[pair]), "p": float(decisions.p[pair]),
            "p_adjusted": float(decisions.p_adjusted[pair]), "decision": ("=", ">", "<")[signs[pair]],
            "test": decisions.test, "correction": decisions.correction,
        })  # fmt: skip

    def _names_of(self, pair: int) -> dict[str, str]:
        first, second = self.pairs[pair]
        return {"run": self.table.runs[first], "baseline": self.table.runs[second]}

    def _name(self, pair: int) -> str:
        return "/".join(self._names_of(pair).values())

    def _count_rows(self, decisions: Decisions) -> Iterator[dict[str, Any]]:
        for alpha in self.request.alphas:
            number = decisions.count(alpha)
            yield {
                "test": decisions.test, "alpha": alpha, "pairs": number, "percent": 100 * number / len(decisions.p),
                "correction": decisions.correction,
            }  # fmt: skip

    @staticmethod
    def _decision_rows(between: str, numbers: dict[str, int], pairs: int) -> Iterator[Row]:
        for name, number in numbers.items():
            yield {"between": between, "decision": name, "pairs": number, "percent": 100 * number / pairs}

    def _opposed(self, results: MeasureResults) -> dict[str, Bools]:
        """The pairs bool[P] that two splits, or a split and a test, or two tests, find to differ in opposite directions."""
        alpha = self.request.alphas[0]
        signs = np.array([split.decisions.at(alpha) for split in results.splits])
        by_test = {test.test: test.at(alpha) for test in results.tests}
        model = results.splits[0].decisions.test
        opposed = {"split/split": np.asarray((signs > 0).any(axis=0) & (signs < 0).any(axis=0))}
        opposed |= {
            f"{model}/{test}": np.asarray((signs * of_test < 0).any(axis=0)) for test, of_test in by_test.items()
        }
        for index, (test, of_test) in enumerate(by_test.items()):
            for other in list(by_test)[:index]:
                opposed[f"{test}/{other}"] = of_test * by_test[other] < 0
        return {between: pairs for between, pairs in opposed.items() if pairs.any()}

    def drawn(self, results: MeasureResults) -> Iterator[Table]:
        """Effects by all models, and the share of splits in which a pair differs, one way less the other: for pictures."""
        measure, splits = results.measure, results.splits
        if not self.has_splits:
            for model, fit in splits[0].by_model.items():
                yield from tables(
                    "effect", measure, ({**row, "model": model} for row in self._effect_rows(measure, fit))
                )
        alpha, first = self.request.alphas[0], splits[0].decisions
        shares = np.array([split.decisions.at(alpha) for split in splits]).sum(axis=0) / len(splits)
        of_splits = f", of {len(splits)} splits" if self.has_splits else ""
        test = f"significant differences ({first.test}, {first.correction}, {alpha:g}){of_splits}"
        rows: Iterator[Row] = (
            {
                "run": self.table.runs[run], "baseline": self.table.runs[baseline],
                "value": float(results.differences[pair]), "share": float(shares[pair]), "test": test,
            }
            for pair, (run, baseline) in enumerate(self.pairs.tolist())
        )  # fmt: skip
        yield from tables("vote", measure, rows)

    def tables_of_groups(self, path: str, team_of: dict[str, str]) -> Iterator[Table]:
        """Each team's runs fitted alone beside all together, on the first split: interval lengths, and decisions on pairs
        within teams."""
        runs, model, number = self.table.runs, self.request.model, self.table.numbers[0]
        warn_of_topics(path, "without a team, left out", [run for run in runs if run not in team_of], "run")
        by_team = gathered((team_of[run], index) for index, run in enumerate(runs) if run in team_of)
        teams = {team: members for team, members in sorted(by_team.items()) if len(members) > 1}
        if not teams:
            raise DataError(f"{path}: no team has two of the runs")
        label = {"split": number} if self.has_splits else {}
        alpha = self.request.alphas[0]
        pair_of = {tuple(pair): index for index, pair in enumerate(self.pairs.tolist())}
        for measure in self.table.whole:
            y, _ = self._balanced(measure, number)
            beside = [self._decided(self._effects(y, measure, number, model)).at(alpha)]
            randomized = [test.at(alpha) for test in self._tests(measure) if test.test.startswith("randomization")]
            decided: Counter[str] = Counter()
            lengths: dict[str, Floats] = {}
            within: dict[str, list[int]] = {}
            for fitted in dict.fromkeys((*MODELS_OF_THE_PAPER, model)):
                of_model = []
                for team, members in teams.items():
                    effects = self._effects(y[:, members], measure, number, fitted)
                    if fitted == model:
                        within[team] = self._decided(effects).at(alpha).tolist()
                    if self.request.published:
                        effects = self._effects(y[:, members], measure, number, fitted, is_centred=False)
                    of_model.append(effects.lengths)
                    lengths[f"{fitted}/within/{team}"] = effects.lengths
                lengths[f"{fitted}/within"] = np.concatenate(of_model)
            for team, members in teams.items():
                for (first, second), sign in zip(all_pairs(len(members)).tolist(), within[team], strict=True):
                    pair = pair_of[members[first], members[second]]
                    signs = (beside[0][pair], sign, *(test[pair] for test in randomized[:1]))
                    decided["/".join("differ" if differs else "-" for differs in signs)] += 1
            yield from tables(
                "length", measure, (row_of_lengths(name, {0: of_team}) | label for name, of_team in lengths.items())
            )
            criteria = "across/within" + "/randomization" * bool(randomized)
            yield from tables(
                "agreement", measure, self._decision_rows(criteria, dict(decided.most_common()), decided.total())
            )

    # Words.

    def remarks(self, results: MeasureResults, *, several: bool) -> Iterator[str]:
        """How many pairs differ by the model and by tests, and whether criteria conflict."""
        alpha, total = self.request.alphas[0], len(self.pairs)
        lead = f"{results.measure}: " if several else ""
        by_tests = ""
        for is_tukey, how in ((False, "unadjusted"), (True, "for all pairs at once")):
            numbers = [
                f"{say(f'partition_anova_tests.{test.test}')} {test.count(alpha)}"
                for test in results.tests
                if (test.test == TUKEY) is is_tukey
            ]
            by_tests += f"; {', '.join(numbers)}, {how}" if numbers else ""
        yield lead + say(
            "partition_anova.remark", number=results.splits[0].decisions.count(alpha),
            pairs=plural(total, "pair"), split=" on the first split" if self.has_splits else "",
            correction=self.request.correction, alpha=f"{alpha:g}".removeprefix("0"), tests=by_tests,
        )  # fmt: skip
        found_by = np.array([split.decisions.at(alpha) != 0 for split in results.splits]).sum(axis=0)
        by_some = np.flatnonzero((found_by > 0) & (found_by < len(results.splits))).tolist()
        if by_some:
            pairs = [f"{self._name(pair)} ({found_by[pair]} of {len(results.splits)})" for pair in by_some]
            yield lead + say("partition_anova.some_splits", pairs=first_names(pairs))
        if opposed := self._opposed(results):
            pairs = [self._name(pair) for pair in np.flatnonzero(np.any(list(opposed.values()), axis=0)).tolist()]
            yield lead + say("partition_anova.conflicts", pairs=plural(len(pairs), "pair"), names=first_few(pairs))
        elif self.has_splits:
            yield lead + say("partition_anova.no_conflicts")
        only = results.splits[0]
        if not (self.has_splits or only.fit.is_exact) and self.letters_of(only) is None:
            yield lead + say("partition_anova.no_letters", most=MOST_LETTERS)

    def _how(self) -> str:
        """The model, and that results rest on one random split, if they do."""
        is_drawn = self.table.replicate == "part" and not self.has_splits
        kind = "one_split" if is_drawn and not isinstance(self.request.parts, str) else "model"
        return say(f"partition_anova.{kind}", model=self.request.model, parts=self.parts)

    def explanation(self, all_results: Sequence[MeasureResults]) -> Iterator[str]:
        """How many pairs differ by each criterion, and on what that rests."""
        request, alpha = self.request, self.request.alphas[0]
        facts: dict[str, Any] = {
            "pairs": plural(len(self.pairs), "pair"), "alpha": alpha,
            "differ": "differs" if len(self.pairs) == 1 else "differ", "do": "does" if len(self.pairs) == 1 else "do",
            "split": " on the first split" if self.has_splits else "",
            "unsplit": "the unsplit scores" if request.versions is None else "each topic's average over its versions",
        }  # fmt: skip
        for results in all_results:
            decisions = results.splits[0].decisions
            yield say(
                f"partition_anova.{decisions.test}", number=decisions.count(alpha), measure=results.measure,
                adjusted=say(f"partition_anova.adjusted_{request.correction}"), how=self._how(), **facts,
            )  # fmt: skip
            for test in results.tests:
                yield say(
                    "partition_anova.by_test", test=say(f"partition_anova_tests.{test.test}"),
                    number=test.count(alpha),
                    adjusted="for all pairs at once" if test.test == TUKEY else say("partition_anova.adjusted_none"),
                    **facts,
                )  # fmt: skip
            by_source = results.splits[0].fit.fit.table
            if request.versions is not None and not np.isnan(by_source.get("topic:system", [np.nan] * 6)[4]):
                *_, f, p, _ = by_source["topic:system"]
                how = "depends" if reaches(p, alpha) else "inconclusive"
                yield say(f"partition_anova.{how}", measure=results.measure, f=f, p=p_text(p))
                yield say("partition_anova.equal_noise")
        if request.model == "interaction" and not request.published:
            model, _, source = OF_ALL_SYSTEMS[self.table.replicate]
            yield say("partition_anova.in_common", source=source, model=model)
        if not self.has_splits:
            limits = "limits"
            if all(np.isnan(results.splits[0].fit.lower).all() for results in all_results):
                limits = "limits_exact"
            elif request.versions is not None:
                limits = "limits_same_versions" if request.model == "parts" else "limits_versions"
            yield say(f"partition_anova.{limits}", confidence=100 * request.confidence)
        if request.published:
            yield say("partition_anova.published")
        yield say("partition_anova.topics")


def row_of_lengths(model: str, lengths_by_parts: dict[int, Floats]) -> dict[str, Any]:
    """Lengths of a model's intervals; of several numbers of parts each has columns, value:2, lower:2, upper:2."""
    row: dict[str, Any] = {"model": model}
    for parts, lengths in lengths_by_parts.items():
        of_parts = f":{parts}" if len(lengths_by_parts) > 1 else ""
        ends = {"value": lengths.mean(), "lower": lengths.min(), "upper": lengths.max()}
        row |= {f"{name}{of_parts}": float(length) for name, length in ends.items()}
    return row
