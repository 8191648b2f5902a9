"""Teams of systems: each fitted alone, beside all systems together."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import plural
from irci.base.types import gathered
from irci.output.tables import Table, tables
from irci.stats.decisions import all_pairs
from irci.studies.partition_anova.analysis import Analysis, row_of_lengths


def tables_of_groups(analysis: Analysis, path: str, team_of: dict[str, str]) -> Iterator[Table]:
    """Each team's runs fitted alone beside all together, on the first split: interval lengths, and decisions on pairs
    within teams."""
    table = analysis.table
    unknown = [run for run in table.runs if run not in team_of]
    if unknown:
        logger.warning(f"{path}: no team for {plural(len(unknown), 'run')}, left out: {' '.join(unknown[:5])}")
    known = gathered((team_of[run], place) for place, run in enumerate(table.runs) if run in team_of)
    teams = {team: runs for team, runs in sorted(known.items()) if len(runs) > 1}
    if not teams:
        raise DataError(f"{path}: no team has two of the runs")
    label = {"split": table.numbers[0]} if len(table.numbers) > 1 else {}
    for measure in table.whole:
        lengths, decisions = _rows_of_teams(analysis, measure, teams)
        yield from tables("length", measure, (row | label for row in lengths))
        yield from tables("within", measure, (row | label for row in decisions))


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
    place_of = {(int(a), int(b)): place for place, (a, b) in enumerate(analysis.pairs)}
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
        {criteria: name, "pairs": count, "percent": 100 * count / decided.total()}
        for name, count in decided.most_common()
    ]
    return rows, counts
