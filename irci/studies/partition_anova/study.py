"""partition-anova: from request and inputs to a report; teams of systems, each fitted alone, beside all together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import first_few, plural
from irci.base.types import all_pairs, gathered, reaches
from irci.compare.sources_in_words import REPLICATES, among
from irci.compare.wording import p_text
from irci.data.about_runs import read_teams
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_resamples
from irci.data.part_scores import PartScores, read_part_scores, saved_text
from irci.data.parts import score_parts
from irci.data.scale_ends import refuse_other_scale
from irci.data.score_tables import refuse_no_scores
from irci.data.version_scores import cube_of
from irci.data.versions import Versions
from irci.estimators.partition_anova import SystemEffects
from irci.measures import named
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.stats.decisions import MOST_LETTERS, letters
from irci.studies.partition_anova.analysis import (
    OF_ALL_SYSTEMS,
    Analysis,
    MeasureFindings,
    SplitFindings,
    row_of_lengths,
)
from irci.studies.partition_anova.decisions import Decisions, PairRows
from irci.studies.partition_anova.request import PartitionAnovaRequest

MOST_PAIRS = 45  # that are listed unless they are asked for: those of ten systems


def partition_anova(request: PartitionAnovaRequest, inputs: Inputs) -> Report:
    """Report of which systems differ, system-topic interaction counted."""
    refuse_no_scores(request.measures)
    teams = {} if request.groups is None else read_teams(request.groups)
    if request.versions is not None:
        table = _score_versions(request, inputs, request.versions)
    elif inputs.scores:
        table = _from_files(request, inputs)
    else:
        inputs = inputs._replace(no_relevant="drop")  # topics without relevant documents cannot be split
        table = score_parts(request, inputs, request.measures)
    files = {} if inputs.save_scores is None else {inputs.save_scores: saved_text(table)}
    warn_of_few_resamples("effects'", request.resamples, request.confidence, "")
    analysis = Analysis(table, request, inputs.threads)
    found = [analysis.of_measure(measure) for measure in table.whole]
    shown = [each for of_measure in found for each in _tables(analysis, of_measure)]
    if request.groups is not None:
        shown += tables_of_groups(analysis, request.groups, teams)
    analysis.tell()
    number = table.splits[next(iter(table.whole))][0].shape[2]
    counted = {"splits": len(table.numbers), "parts": number} if table.replicate == "part" else {"num_versions": number}
    return Report(
        tables=shown,
        signature={
            "command": "partition-anova" + " --versions" * (request.versions is not None),
            "measures": " ".join(table.whole),
            **request.signature(),
            **counted,
            **({} if inputs.scores and request.versions is None else inputs.signature()),
            "num_topics": len(table.topics),
        },
        explain=lambda: _explanation(analysis, found),
        remarks=list(_remarks(analysis, found, shown)),
        drawn=lambda: [each for of_measure in found for each in _drawn(analysis, of_measure)],
        sources=among(REPLICATES, ["parts" if request.versions is None else "versions"]),
        files=files,
    )


def _score_versions(request: PartitionAnovaRequest, inputs: Inputs, versions: Versions) -> PartScores:
    """Every system on as many versions of each topic, and on average over them.

    Raises DataError for a model that needs the same versions of all topics, where they are not the same.
    """
    cube = cube_of(inputs, request.measures, versions, request.seed)
    if cube.versions is None and request.model == "parts":
        raise DataError(
            "--model parts needs versions of the same names for every topic: these are each of one topic (--model"
            " nested)"
        )
    return PartScores(
        runs=cube.systems,
        topics=cube.topics,
        whole={measure: values.mean(axis=1) for measure, values in cube.values.items()},
        splits={measure: [values.transpose(0, 2, 1)] for measure, values in cube.values.items()},
        numbers=[1],
        replicate="version",
        labels=cube.versions,
    )


def _from_files(request: PartitionAnovaRequest, inputs: Inputs) -> PartScores:
    table = read_part_scores(inputs.paths(), inputs.memory)
    there = {named(name): name for name in table.whole}
    if lacking := [measure.name for measure in request.measures if measure not in there]:
        raise DataError(f"no scores of {', '.join(lacking)}; there are {', '.join(table.whole)}")
    wanted = {measure.name: there[measure] for measure in request.measures or there}
    table.whole = {name: table.whole[own] for name, own in wanted.items()}
    table.splits = {name: table.splits[own] for name, own in wanted.items()}
    for name, whole in table.whole.items():
        for values in (whole, *table.splits[name]):
            refuse_other_scale(inputs.named, name, values)
    return table


def _tables(analysis: Analysis, found: MeasureFindings) -> Iterator[Table]:
    request, measure, several = analysis.request, found.measure, len(found.splits) > 1
    rows = PairRows(analysis.table.runs, request.alphas)
    decisions = [each.decisions for each in found.splits]
    has_pairs = request.lists_pairs or len(analysis.pairs) <= MOST_PAIRS
    if not several:
        (only,) = found.splits
        yield Table(
            "effect", measure, list(_rows_of_effects(analysis, measure, only.fitted, letters_of(analysis, only)))
        )
    if has_pairs:
        yield from tables("pair", measure, rows.singly(decisions[0], found.differences))
    if not several:
        yield Table("anova", measure, list(_rows_of_anova(only.fitted, analysis.table.replicate)))
    yield from tables("length", measure, _by_split(found, _rows_of_lengths))
    yield from tables("check", measure, _by_split(found, lambda split: split.checks))
    counts = list(_by_split(found, lambda split: rows.counts(split.decisions)))
    counts += [row | ({"split": 0} if several else {}) for test in found.tests for row in rows.counts(test)]
    yield from tables("significant", measure, counts)
    if several:
        yield from tables("agreement", measure, rows.agreement(decisions))
    yield from tables("agreement", measure, rows.conflicts(rows.opposed(decisions, found.tests)))
    if has_pairs:
        for test in found.tests:
            yield from tables("pair", measure, rows.singly(test, found.whole_differences))


def _by_split(found: MeasureFindings, rows_of: Callable[[SplitFindings], Iterable[dict[str, Any]]]) -> Iterator[Row]:
    for split in found.splits:
        label = {"split": split.number} if len(found.splits) > 1 else {}
        yield from (row | label for row in rows_of(split))


def letters_of(analysis: Analysis, split: SplitFindings) -> list[str] | None:
    """Letters of the systems at the first level: who share one do not differ significantly. None if it takes too many, or
    without a p of pairs."""
    if split.fitted.is_exact:
        return None
    systems = len(analysis.table.runs)
    separated = np.zeros((systems, systems), np.bool_)
    first, second = analysis.pairs.T
    separated[first, second] = separated[second, first] = split.decisions.at(analysis.request.alphas[0]) != 0
    return letters(separated, np.argsort(-split.fitted.value, kind="stable"), MOST_LETTERS)


def _rows_of_effects(
    analysis: Analysis, measure: str, fitted: SystemEffects, letters_by_run: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The effects, the highest first."""
    for index in np.argsort(-fitted.value, kind="stable").tolist():
        yield {
            "measure": f"effect_{measure}", "topic": "all", "value": float(fitted.value[index]),
            "lower": float(fitted.lower[index]), "upper": float(fitted.upper[index]), "run": analysis.table.runs[index],
            **({} if letters_by_run is None else {"letters": letters_by_run[index]}),
        }  # fmt: skip


def _rows_of_anova(fitted: SystemEffects, replicate: str) -> Iterator[Row]:
    for source, values in fitted.fit.table.items():
        named = zip(("df", "ss", "ms", "F", "p", "omega2"), values, strict=True)
        yield {"source": source.replace("part", replicate), **dict(named)}


def _rows_of_lengths(split: SplitFindings) -> Iterator[dict[str, Any]]:
    for model, fitted in split.by_model.items():
        yield row_of_lengths(model, fitted.lengths)


def _drawn(analysis: Analysis, found: MeasureFindings) -> Iterator[Table]:
    """Effects by all models, and in how many splits a pair is told apart, one way and the other."""
    if len(found.splits) == 1:
        for model, fitted in found.splits[0].by_model.items():
            rows = _rows_of_effects(analysis, found.measure, fitted)
            yield from tables("effect", found.measure, ({**row, "model": model} for row in rows))
    pairs = PairRows(analysis.table.runs, analysis.request.alphas)
    decisions = [split.decisions for split in found.splits]
    yield from tables("vote", found.measure, pairs.votes(found.differences, decisions))


NAMES = {
    "t": "paired t", "unpaired-t": "unpaired t", "randomization": "randomization",
    "randomization-one-sided": "one-sided randomization", "randomized-tukey": "randomized Tukey HSD",
}  # fmt: skip
TUKEY = "randomized-tukey"


def _remarks(analysis: Analysis, found: Sequence[MeasureFindings], shown: Sequence[Table]) -> Iterator[str]:
    """How many pairs differ by the model and by tests, whether criteria conflict, and what is not listed."""
    request, several, total = analysis.request, len(analysis.table.numbers) > 1, len(analysis.pairs)
    alpha = f"{request.alphas[0]:g}".removeprefix("0")

    def differ(decisions: Decisions) -> int:
        return int(np.count_nonzero(decisions.at(request.alphas[0])))

    def beside(tests: Iterable[Decisions], adjusted: str) -> str:
        numbers = ", ".join(f"{NAMES[test.test]} {differ(test)}" for test in tests)
        return f"; {numbers}, {adjusted}" if numbers else ""

    for of_measure in found:
        lead = f"{of_measure.measure}: " if len(found) > 1 else ""
        where = " on the first split" if several else ""
        by_model = f"{differ(of_measure.splits[0].decisions)} of {plural(total, 'pair')} differ{where}"
        tukey = [test for test in of_measure.tests if test.test == TUKEY]
        others = [test for test in of_measure.tests if test.test != TUKEY]
        tests = beside(others, "unadjusted") + beside(tukey, "for all pairs at once")
        yield f"{lead}{by_model} ({request.correction}, {alpha}){tests}"
        rows = PairRows(analysis.table.runs, request.alphas)
        opposed = rows.opposed([split.decisions for split in of_measure.splits], of_measure.tests)
        if opposed:
            pairs = [rows.name(pair) for pair in np.flatnonzero(np.any(list(opposed.values()), axis=0)).tolist()]
            yield f"{lead}two criteria find opposite directions in {plural(len(pairs), 'pair')}: {first_few(pairs)}"
        elif several:
            yield f"{lead}no conflicts: no two splits, nor a split and a test, find opposite directions in a pair"
        effects = [table for table in shown if (table.kind, table.measure) == ("effect", of_measure.measure)]
        if effects and "letters" not in effects[0].columns and not of_measure.splits[0].fitted.is_exact:
            yield f"{lead}more than {MOST_LETTERS} groups of systems: no letters"
    if total > MOST_PAIRS and not request.lists_pairs:
        yield f"{total} pairs are too many to be listed: --table pair lists them"


BY_MODEL = {"difference": "by resampled differences", "marginal": "by each system's own resamples"}
ADJUSTED = {
    "bh": "adjusted by Benjamini and Hochberg's method",
    "holm": "adjusted by Holm's method",
    "none": "not adjusted",
}


def _explanation(analysis: Analysis, found: Sequence[MeasureFindings]) -> Iterator[str]:
    request, several = analysis.request, len(analysis.table.numbers) > 1
    alpha, pairs = request.alphas[0], plural(len(analysis.pairs), "pair")
    differ = "differs" if len(analysis.pairs) == 1 else "differ"
    unsplit = "the unsplit scores" if request.versions is None else "each topic's average over its versions"
    for of_measure in found:
        count = int(np.count_nonzero(of_measure.splits[0].decisions.at(alpha)))
        first = " on the first split" if several else ""
        yield (
            f"{count} of {pairs} of systems {differ} significantly in {of_measure.measure} at {alpha:g}{first}"
            f" ({BY_MODEL[of_measure.splits[0].decisions.test]}, {ADJUSTED[request.correction]})."
        )
        for test in of_measure.tests:
            by_test = int(np.count_nonzero(test.at(alpha)))
            how = "for all pairs at once" if test.test == TUKEY else ADJUSTED[test.correction]
            do = "does" if len(analysis.pairs) == 1 else "do"
            yield f"By {NAMES[test.test]} on {unsplit}, {by_test} of {pairs} {do} ({how})."
        if request.versions is not None:
            yield from _interaction(of_measure.measure, of_measure.splits[0].fitted, alpha)
    if request.model == "interaction":
        model, _, what = OF_ALL_SYSTEMS[analysis.table.replicate]
        yield (
            f"Counting {what} as error, equal systems differ significantly in at most 1 of 100 experiments, a level near 0;"
            f" --model {model} takes it out (4 to 7)."
        )
    if not several:
        yield _of_limits(request, [of_measure.splits[0].fitted for of_measure in found])
    if request.published:
        yield (
            "Raw residuals are too small, and marginal p-values ignore half of the variance, as in the paper: more pairs"
            " differ significantly than should."
        )
    yield "The topics are taken as given; where they vary, usually fewer pairs differ significantly."


def _of_limits(request: PartitionAnovaRequest, fitted: Sequence[SystemEffects]) -> str:
    if all(np.isnan(each.lower).all() for each in fitted):
        return "Effects have no confidence intervals: the model fits every score, and no error is left to resample."
    limits = f"The {100 * request.confidence:g}% confidence intervals of effects"
    if request.versions is None:
        return f"{limits} allow for errors of scores on these topics."
    if request.model == "parts":
        return f"{limits} are for these versions of these topics, and do not allow for other wordings."
    return f"{limits} allow for other wordings of these topics."


def _interaction(measure: str, fitted: SystemEffects, alpha: float) -> Iterator[str]:
    """Sentences of whether systems differ by topic, beyond what wording explains."""
    if "topic:system" not in fitted.fit.table:
        return
    *_, f, p, _ = fitted.fit.table["topic:system"]
    if np.isnan(p):
        return
    depend = f"differences between systems in {measure} depend on the topic, beyond what wording explains"
    evidence = f"(topic x system: F = {f:.2f}, {p_text(p)})"
    if reaches(p, alpha):
        yield f"{depend[0].upper()}{depend[1:]} {evidence}."
    else:
        yield f"It is inconclusive if {depend} {evidence}."
    yield (
        "This assumes that wording adds as much noise on one topic as on another; where scores near 0 or 1 vary less, the"
        " interaction is found too often."
    )


def tables_of_groups(analysis: Analysis, path: str, team_of: dict[str, str]) -> Iterator[Table]:
    """Each team's runs fitted alone beside all together, on the first split: interval lengths, and decisions on pairs
    within teams."""
    table = analysis.table
    unknown = [run for run in table.runs if run not in team_of]
    if unknown:
        logger.warning(f"{path}: no team for {plural(len(unknown), 'run')}, left out: {' '.join(unknown[:5])}")
    known = gathered((team_of[run], index) for index, run in enumerate(table.runs) if run in team_of)
    teams = {team: runs for team, runs in sorted(known.items()) if len(runs) > 1}
    if not teams:
        raise DataError(f"{path}: no team has two of the runs")
    label = {"split": table.numbers[0]} if len(table.numbers) > 1 else {}
    for measure in table.whole:
        lengths, decisions = _rows_of_teams(analysis, measure, teams)
        yield from tables("length", measure, (row | label for row in lengths))
        yield from tables("agreement", measure, decisions)


def _rows_of_teams(
    analysis: Analysis, measure: str, teams: dict[str, list[int]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Interval lengths of each team and of all, and how often pairs within teams differ by one criterion and another."""
    alpha, split, model = analysis.request.alphas[0], analysis.table.numbers[0], analysis.request.model
    y, _ = analysis.balanced(measure, split)
    beside = {"across": analysis.decided(analysis.effects(y, measure, split, model)).at(alpha)}
    randomized = [test for test in analysis.tests(measure) if test.test.startswith("randomization")]
    if randomized:
        beside["randomization"] = randomized[0].at(alpha)
    place_of = {(int(a), int(b)): index for index, (a, b) in enumerate(analysis.pairs)}
    decided: Counter[str] = Counter()
    lengths, rows = [], []
    for team, runs in teams.items():
        effects = analysis.effects(y, measure, split, model, runs)
        lengths.append(effects.lengths)
        rows.append(row_of_lengths(f"{model}/within/{team}", effects.lengths))
        within = analysis.decided(effects).at(alpha).tolist()
        for (first, second), sign in zip(all_pairs(len(runs)).tolist(), within, strict=True):
            across, *randomization = (signs[place_of[runs[first], runs[second]]] for signs in beside.values())
            decided["/".join("differ" if each else "-" for each in (across, sign, *randomization))] += 1
    rows.append(row_of_lengths(f"{model}/within", np.concatenate(lengths)))
    criteria = "across/within" + ("/randomization" if len(beside) > 1 else "")
    counts = [
        {"between": criteria, "decision": name, "pairs": count, "percent": 100 * count / decided.total()}
        for name, count in decided.most_common()
    ]
    return rows, counts
