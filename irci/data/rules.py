"""Rules that tell from names what belongs together: files that list it, or regular expressions with named groups. And files
that say of runs their teams, and how often each of a pair is better; and of topics the standardisation factors, as trec_eval
-Z reads them: topic, measure, mean and sd of the reference systems.
"""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, FormatError, UsageError, decimal, first_few, plural, raw, takes
from irci.base.types import Bools, Floats, Ints, gathered
from irci.data.headers import is_number
from irci.data.score_formats import read_cells
from irci.data.scores import LARGEST, SMALLEST
from irci.data.text_files import cells_of, fields_of, read_fields, read_text_lines, table_of
from irci.measures import named
from irci.wording import warn_of_topics

ALL, NO_SLICE = "all", "(none)"  # slices: of all topics, of those that are in none
UNTRAINED = "-"  # the seed of a system that draws on none
TOPIC_ID = "topic_id"  # the second name that a row of versions may be about


class Rule(NamedTuple):
    """The groups that names are in: `find(name)` has those of a name, by what they are called, or None of one that the file
    does not have, or that does not match. Of versions it is `find(run, topic_id)`.
    `given`: the file or the regular expression; `listed`: the names in the file, of a `noun`."""

    given: str
    find: Callable[..., dict[str, str] | None]
    noun: str
    listed: Sequence[str] = ()

    def warn_of_others(self, names: Sequence[str]) -> None:
        """Say which names the file has besides these."""
        scored = set(names)
        warn_of_topics(self.given, "not scored here", [name for name in self.listed if name not in scored], self.noun)


Layouts = Sequence[tuple[str, ...]]  # the columns that rows may have: names first, their groups behind


def read_rule(source: Any, label: str, layouts: Layouts) -> Rule:
    """The rule that a file of such rows says, or a regular expression that names groups, or rows, which `label` stands for.
    Raises ValueError for what is no such expression, FormatError for other rows, and for a name twice."""
    if isinstance(source, list):
        return _of_rows(label, [*enumerate(source, 1)], layouts)
    text = os.fspath(source)
    if "(?P<" in text:  # which begins a named group, and which the name of a file has not
        return _of_pattern(text, layouts)
    return _of_rows(text, read_fields(text, fields=cells_of if _has_tabs(layouts) else fields_of), layouts)


def _has_tabs(layouts: Layouts) -> bool:
    # Topic ids of versions may have blanks in them.
    return any(TOPIC_ID in layout for layout in layouts)


def _of_pattern(pattern: str, layouts: Layouts) -> Rule:
    expression = compiled(pattern)
    groups = {*expression.groupindex}
    # Of versions an expression is about runs, or about topic ids alone.
    allowed = {layout[-2:] if TOPIC_ID in layout else layout[1:]: layout[TOPIC_ID in layout] for layout in layouts}
    if groups not in map(set, allowed):
        asks = [f"{' and '.join(names)} (of a {noun.replace('_', ' ')})" for names, noun in allowed.items()]
        raise ValueError(f"its named groups must be {' or '.join(asks)}")

    @cache
    def groups_in(name: str) -> dict[str, str] | None:
        match = expression.fullmatch(name)
        return match.groupdict(default="") if match else None

    return Rule(pattern, lambda *names: groups_in(names[-1 if "topic" in groups else 0]), layouts[0][0])


def _of_rows(path: str, rows: Sequence[tuple[int, Sequence[str]]], layouts: Layouts) -> Rule:
    tabs, noun = ", with tabs" if _has_tabs(layouts) else "", layouts[0][0]
    layout_of = {len(layout): layout for layout in layouts}
    if rows and (first := layout_of.get(len(rows[0][1]))):  # rows are about as many names each
        layout_of = {size: layout for size, layout in layout_of.items() if (TOPIC_ID in layout) == (TOPIC_ID in first)}
    asks = ", or ".join(f"{', '.join(columns)} and {last}" for *columns, last in layout_of.values()) + tabs
    keys = 1 + (TOPIC_ID in layout_of[min(layout_of)])

    def wrong(fields: Sequence[str]) -> str:
        number = len([*filter(None, fields)])
        is_right = number == len(fields) and number in layout_of
        return "" if is_right else f"{plural(number, 'field')}, expected {asks}"

    table = table_of(path, rows, wrong, ", ".join(f"{column} {{!r}}" for column in layouts[-1][:keys]), keys)
    if not table:
        raise FormatError.whole_file(path, f"empty file: no line of {asks}")

    def find(*names: str) -> dict[str, str] | None:
        groups = table.get(names[:keys])
        return dict(zip(layout_of[keys + len(groups)][keys:], groups, strict=True)) if groups else None

    return Rule(path, find, noun, [name for name, *_ in table])


def compiled(text: str) -> re.Pattern[str]:
    """A regular expression of Python's. Raises ValueError for what is none, or too large a one."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(f"not a regular expression ({str(error) or 'too large'})") from None


def matching(pattern: str, names: Sequence[str], option: str) -> Bools:
    """bool[n]: the names in which a regular expression finds something; some of them, not all.

    `option`: where it comes from. Raises UsageError for what is none, DataError where it tells none apart.
    """
    try:
        finds = compiled(pattern).search
    except ValueError as error:
        raise UsageError(f"{option} {pattern}: {error}.") from None
    is_matched = np.array([finds(name) is not None for name in names], np.bool_)
    if is_matched.all() or not is_matched.any():
        why = "all runs match" if is_matched.all() else "no run matches"
        raise DataError(f"{option} {pattern}: {why}: nothing to compare")
    return is_matched


class System(NamedTuple):
    """A system and its runs, each from another seed: their places among all runs, in bytewise order of their names.
    `is_trained`: whether it would score otherwise from another seed."""

    name: str
    runs: Sequence[int]
    is_trained: bool


def systems_of(seeds: Rule, runs: Sequence[str]) -> list[System]:
    """The systems that runs are of, in the order in which they come; a run of none is its own, which a warning says, as it
    does of runs that only the file has. A rule that finds no seed in a name finds a system that is not trained.

    Raises DataError if no run is of a system, or none with a seed, for a seed of a system twice, and for a system that has
    seeds and none.
    """
    groups_of = {run: groups for run in runs if (groups := seeds.find(run)) and groups["system"]}
    alone = [run for run in runs if run not in groups_of]
    untrained = [run for run, groups in groups_of.items() if groups["seed"] in ("", UNTRAINED)]
    if not groups_of or len(untrained) == len(runs):
        why = f"no run has a seed but {UNTRAINED}" if groups_of else "names the system and seed of no run"
        raise DataError(f"{seeds.given}: {why} ({first_few(runs)})")
    happens = "without a system and seed, each taken for a system with one seed"
    warn_of_topics(seeds.given, happens, alone, "run", len(runs))
    if not seeds.listed:
        happens = "without a seed, taken for systems that are not trained"
        warn_of_topics(seeds.given, happens, untrained, "run", len(runs))
    seeds.warn_of_others(runs)
    by_system: dict[str, dict[str, int]] = {}  # places of runs by seed, "" of a run that is its own system
    for index, run in enumerate(runs):
        groups = groups_of.get(run, {"system": run, "seed": ""})
        system, seed = groups["system"], (groups["seed"] or UNTRAINED) if run in groups_of else ""
        first = by_system.setdefault(system, {}).setdefault(seed, index)
        if first != index:
            both = f"runs {runs[first]!r} and {run!r}"
            raise DataError(f"{seeds.given}: {both} are both system {system!r}, seed {seed!r}")
        if len(by_system[system]) > 1 and not {UNTRAINED, ""}.isdisjoint(by_system[system]):
            own = first_few([runs[row] for row in by_system[system].values()])
            raise DataError(f"{seeds.given}: system {system!r} has seeds and none: {own}")
    return [
        System(system, sorted(of.values(), key=lambda place: raw(runs[place])), is_trained=UNTRAINED not in of)
        for system, of in by_system.items()
    ]


def passes_of(passes: Rule, files: Sequence[str]) -> dict[str, list[int]]:
    """The places of the files of each judge's passes, as they come, of one judge unless several are named. Raises DataError
    for a file of no pass, a pass twice, and a judge with one pass."""
    places: dict[tuple[str, str], int] = {}
    for place, file in enumerate(files):
        groups = passes.find(file) or {"pass": ""}
        if not groups["pass"]:
            raise DataError(f"{passes.given}: does not say which pass {file!r} is")
        one = groups["pass"], groups.get("judge", "")
        if (first := places.setdefault(one, place)) != place:
            name = " of ".join(filter(None, one))
            raise DataError(f"{passes.given}: {files[first]!r} and {file!r} are both pass {name!r}")
    passes.warn_of_others(files)
    by_judge = gathered((judge, place) for (_, judge), place in places.items())
    for judge, (first, *further) in by_judge.items():
        if not further:
            of = f" of {judge}" * bool(judge)
            raise DataError(f"{passes.given}: {files[first]!r} is the only pass{of}: how passes vary needs two")
    return by_judge


class GroupedTopics(NamedTuple):
    """The cluster or slice of each of T topics, place int64[T], numbered from 0 as they come, NO_SLICE last; their names."""

    place: Ints
    names: Sequence[str]


def grouped_topics(rule: Rule, group: str, topics: Sequence[str], *, are_all: bool) -> GroupedTopics:
    """The clusters or slices of these topics. One without a cluster is its own, those without a slice are one slice, which a
    warning says, as it does of topics that only the file has, if these `are_all`. Raises DataError if no topic has a group,
    all are in one slice, or one has the name of all."""
    has_slices = group == "slice"
    if are_all:
        rule.warn_of_others(topics)
    labels = [(rule.find(topic) or {group: ""})[group] for topic in topics]
    if not any(labels):
        raise DataError(f"{rule.given}: gives no topic a {group} ({first_few(topics)})")
    happens = f"taken for one called {NO_SLICE}" if has_slices else "each taken for a cluster of its own"
    without = [topic for topic, label in zip(topics, labels, strict=True) if not label]
    warn_of_topics(rule.given, f"without a {group}, {happens}", without, of=len(topics))
    alone = [NO_SLICE] * len(topics) if has_slices else topics
    groups = [(label or name, not label and not has_slices) for label, name in zip(labels, alone, strict=True)]
    distinct = sorted(dict.fromkeys(groups), key=lambda of: has_slices and of[0] == NO_SLICE)
    names = [name for name, _ in distinct]
    if has_slices and len(names) == 1:
        raise DataError(f"{rule.given}: all topics are in one slice, {names[0]!r}: nothing to tell apart")
    if has_slices and ALL in names:
        raise DataError(f"{rule.given}: a slice cannot be called {ALL!r}, which rows for all topics are")
    place_of = {of: place for place, of in enumerate(distinct)}
    return GroupedTopics(np.array([place_of[of] for of in groups], np.int64), names)


COUNT = re.compile(r"[+-]?[0-9]{1,15}")
Counts = dict[tuple[str, str], tuple[int, ...]]


def read_teams(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team`, `run group` or `run judge` is left out."""
    records = read_fields(path, fields=cells_of)
    if records and [name.lower() for name in records[0][1]] in (["run", "team"], ["run", "group"], ["run", "judge"]):
        del records[0]

    def wrong(fields: Sequence[str]) -> str:
        return "" if len(fields) == 2 and all(fields) else "not a run and its team with a tab between them"

    return {run: team for (run,), (team,) in table_of(path, records, wrong, "run {!r}").items()}


def read_counts(path: str) -> Counts | None:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    None for a file that has no such line among its first two. Raises FormatError for rubbish or a pair twice.
    """

    def has_counts(line: str) -> bool:
        # With tabs, where a name may have commas in it, or as csv.
        try:
            ((_, cells),) = read_cells([(1, line)], "")
        except FormatError:
            return False
        return len(cells) == 5 and all(map(COUNT.fullmatch, cells[2:]))

    def wrong(fields: Sequence[str]) -> str:
        first, second, _, _, *counts = fields
        is_right = len(counts) == 3 and all(map(COUNT.fullmatch, counts)) and min(map(int, counts)) >= 0
        is_right = is_right and first != second and first != ""
        return "" if is_right else "not two systems and how often the first is better, worse, equal"

    lines = read_text_lines(path, is_record=has_counts)
    if not any(has_counts(line) for _, line in lines[:2]):
        return None
    records = [*read_cells(lines, path)]
    _, head = records[0]
    if len(head) == 5 and not any(is_number(cell or "nan") for cell in head[2:]):
        del records[0]
    # A pair is there once, whichever of both comes first.
    by_pair = [(number, [*sorted([*cells, ""][:2]), *cells, *[""] * (2 - len(cells))]) for number, cells in records]
    table = table_of(path, by_pair, wrong, "{} and {}", 2)
    counts_of_pair = {(first, second): tuple(map(int, counts)) for first, second, *counts in table.values()}
    if not any(map(any, counts_of_pair.values())):
        raise FormatError.whole_file(path, "no counts")
    return counts_of_pair


Factors = Mapping[str, tuple[Floats, Floats]]  # measure -> mean and sd of each topic; sd nan: undefined


def read_factors(path: str, topics: Sequence[str]) -> dict[str, tuple[Floats, Floats]]:
    """The factors of these topics, nan where the file has none, by canonical names of measures.

    Raises FormatError for rubbish or a line twice.
    """
    place_of = {topic: index for index, topic in enumerate(topics)}
    factors: dict[str, tuple[Floats, Floats]] = {}
    records = read_fields(path)
    for _, fields in records:
        if len(fields) == 4:
            fields[1] = named(fields[1]).canonical

    def wrong(fields: Sequence[str]) -> str:
        if len(fields) == 4 and takes(decimal, fields[2]) and takes(decimal, fields[3]):
            mean, sd = map(decimal, fields[2:])
            if abs(mean) <= LARGEST and (sd == 0 or SMALLEST <= sd <= LARGEST):
                return ""
        return "not topic, measure, mean and standard deviation"

    for (topic, measure), (mean, sd) in table_of(path, records, wrong, "{1} of topic {0!r}", 2).items():
        means, sds = factors.setdefault(measure, (np.full(len(topics), np.nan), np.full(len(topics), np.nan)))
        if topic in place_of:
            means[place_of[topic]], sds[place_of[topic]] = decimal(mean), decimal(sd) or math.nan
    if not factors:
        raise FormatError.whole_file(path, "empty file: no factors")
    return factors


def as_lines(factors: Factors, topics: Sequence[str]) -> str:
    """The text of a file of factors, at full precision; a topic on which all references score the same has sd 0."""
    return "".join(
        f"{topic}\t{measure}\t{mean!r}\t{0.0 if math.isnan(sd) else sd!r}\n"
        for measure, (means, sds) in factors.items()
        for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True)
        if not math.isnan(mean)
    )
