"""Teams of systems: each fitted alone, beside all systems together."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from irci.cli.console import plural, warn
from irci.data.text_files import read_text_lines
from irci.errors import DataError, FormatError, Problem
from irci.methods.partition_anova import all_pairs
from irci.studies.partition_anova.decisions import Row
from irci.studies.partition_anova.study import Report, length_row


def rows_of_groups(report: Report, path: str, team_of: dict[str, str]) -> Iterator[Row]:
    """Each team's runs fitted alone beside all together, on the first split: interval lengths, and decisions on pairs
    within teams."""
    unknown = [run for run in report.table.runs if run not in team_of]
    if unknown and not report.quiet:
        warn(f"{path}: no team for {plural(len(unknown), 'run')}, left out: {' '.join(unknown[:5])}")
    teams: dict[str, list[int]] = {}
    for place, run in enumerate(report.table.runs):
        if run in team_of:
            teams.setdefault(team_of[run], []).append(place)
    teams = {team: runs for team, runs in sorted(teams.items()) if len(runs) > 1}
    if not teams:
        raise DataError(f"{path}: no team has two of the runs")
    label: Row = {"split": report.table.numbers[0]} if len(report.table.numbers) > 1 else {}
    for measure in report.table.whole:
        yield from (row | label for row in _rows_of_teams(report, measure, teams))


def _rows_of_teams(report: Report, measure: str, teams: dict[str, list[int]]) -> Iterator[Row]:
    alpha, split = report.request.alphas[0], report.table.numbers[0]
    y, _ = report.balanced(measure, split)
    beside = {"across": report.decided(report.effects(y, measure, split, report.settings)).at(alpha)}
    randomized = [test for test in report.tests(measure) if test.test.startswith("randomization")]
    if randomized:
        beside["randomization"] = randomized[0].at(alpha)
    place_of = {(int(a), int(b)): place for place, (a, b) in enumerate(report.pairs)}
    decided: Counter[str] = Counter()
    lengths = []
    for team, runs in teams.items():
        effects = report.effects(y, measure, split, report.settings, runs)
        lengths.append(effects.lengths)
        yield length_row(measure, f"{report.settings.model}/within/{team}", effects.lengths)
        within = report.decided(effects).at(alpha).tolist()
        for (first, second), sign in zip(all_pairs(len(runs)).tolist(), within, strict=True):
            across, *randomization = (signs[place_of[runs[first], runs[second]]] for signs in beside.values())
            decided["/".join("differ" if each else "-" for each in (across, sign, *randomization))] += 1
    yield length_row(measure, f"{report.settings.model}/within", np.concatenate(lengths))
    criteria = "across/within" + ("/randomization" if len(beside) > 1 else "")
    for name, count in decided.most_common():
        percent = 100 * count / decided.total()
        yield {"table": f"within_{measure}", criteria: name, "pairs": count, "percent": percent}


def read_groups(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team` or `run group` is left out."""
    teams: dict[str, str] = {}
    problems = []
    for place, (number, line) in enumerate(read_text_lines(path)):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2:
            problems.append(Problem(number, f"{len(fields)} fields with tabs, expected 2 (run, team)"))
        elif place == 0 and fields[0].lower() == "run" and fields[1].lower() in ("team", "group"):
            continue
        elif not all(fields):
            problems.append(Problem(number, "no run or no team"))
        elif fields[0] in teams:
            problems.append(Problem(number, f"run {fields[0]!r} again"))
        else:
            teams[fields[0]] = fields[1]
    if problems:
        raise FormatError(path, problems)
    return teams
