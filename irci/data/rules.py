"""Rules that tell from names what belongs together: files that list it, or regular expressions with named groups. And files
that say of runs their teams, and how often each of a pair is better; and of topics the standardisation factors, as trec_eval
-Z reads them: topic, measure, mean and sd of the reference systems.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from irci.base import (
    DataError,
    FormatError,
    Problem,
    UsageError,
    decimal,
    first_few,
    plural,
    raw,
    takes,
)
from irci.base.types import Bools, Floats, Ints, gathered
from irci.data.headers import is_number
from irci.data.score_formats import read_cells
from irci.data.scores import LARGEST, SMALLEST
from irci.data.text_files import cells_of, problems_of, read_fields, read_text_lines, table_of
from irci.measures import named
from irci.wording import warn_of_topics

ALL, NO_SLICE = "all", "(none)"  # slices: of all topics, of those that are in none
UNTRAINED = "-"  # the seed of a system that draws on none


def compiled(text: str) -> re.Pattern[str]:
    """A regular expression of Python's. Raises ValueError for what is none, or too large a one."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        raise ValueError(f"not a regular expression ({str(error) or 'too large'})") from None


def rule(text: str, allowed: Collection[frozenset[str]], asks: str) -> tuple[
    frozenset[str], Callable[[str], dict[str, str] | None]
]:  # fmt: skip
    """The named groups of a regular expression, and what they are of a name it matches as a whole (None: it does not).

    `allowed`: which sets of groups may be named; `asks`: these in words. Raises ValueError for what is no such expression.
    """
    pattern = compiled(text)
    groups = frozenset(pattern.groupindex)
    if groups not in allowed:
        raise ValueError(f"its named groups must be {asks}")

    def groups_in(name: str) -> dict[str, str] | None:
        match = pattern.fullmatch(name)
        return match.groupdict(default="") if match else None

    return groups, cache(groups_in)


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


class NamedGroups(NamedTuple):
    """Groups by name: `find(name)`, those that the name is in, None if that is nothing known.
    `given`: the rule or the file that says so; `listed`: the names in the file, of a `noun`."""

    given: str
    find: Callable[[str], tuple[str, ...] | None]
    noun: str
    listed: Sequence[str] = ()

    def warn_of_others(self, names: Sequence[str]) -> None:
        """Say which names the file has besides these."""
        scored = set(names)
        warn_of_topics(self.given, "not scored here", [name for name in self.listed if name not in scored], self.noun)


class Grouping(NamedTuple):
    """Groups that things of a noun are in. So many may lack, the last ones, or where a rule finds nothing the last
    is something else."""

    noun: str
    groups: tuple[str, ...]
    optional: int = 0
    otherwise: str = ""

    def of_rule(self, pattern: str) -> NamedGroups:
        """Groups by a regular expression with the named groups. Raises ValueError for what is no such expression."""
        fewest = len(self.groups) - self.optional
        required, further = self.groups[:fewest], self.groups[fewest:]
        asks = " and ".join(required) if len(self.groups) > 1 else f"{required[0]} alone"
        allowed = frozenset(required), frozenset(self.groups)
        _, match = rule(pattern, allowed, asks + "".join(f", and perhaps {group}" for group in further))

        def find(name: str) -> tuple[str, ...] | None:
            named = match(name)
            if named is None:
                return None
            *first, last = (named.get(group, "") for group in self.groups)
            return (*first, last or self.otherwise) if all(first) else None

        return NamedGroups(pattern, find, self.noun)

    def of_file(self, path: str) -> NamedGroups:
        """Groups by a file of lines of a name and its groups. Raises FormatError for others, and for a name twice."""
        return self.of_rows(path, read_fields(path))

    def of_rows(self, given: str, rows: Sequence[tuple[int, Sequence[str]]]) -> NamedGroups:
        """Groups by numbered rows of a name and its groups; `given`: what they are of. Raises what `of_file` raises."""
        size, expected = 1 + len(self.groups), f"{', '.join((self.noun, *self.groups[:-1]))} and {self.groups[-1]}"

        def wrong(fields: Sequence[str]) -> str:
            is_right = size - self.optional <= len(fields) <= size
            return "" if is_right else f"{plural(len(fields), 'field')}, expected {expected}"

        rows_of_name = table_of(given, rows, wrong, f"{self.noun} {{!r}}")
        table = {name: (*own, *[""] * (size - 1 - len(own))) for (name,), own in rows_of_name.items()}
        if not table:
            raise FormatError.whole_file(given, f"empty file: no line of {expected}")
        return NamedGroups(given, table.get, self.noun, list(table))


CLUSTERS = Grouping("topic", ("cluster",))
SLICES = Grouping("topic", ("slice",))
SEEDS = Grouping("run", ("system", "seed"), otherwise=UNTRAINED)
PASSES = Grouping("file", ("pass", "judge"), optional=1)


class System(NamedTuple):
    """A system and its runs, each from another seed: their places among all runs, in bytewise order of their names.
    `is_trained`: whether it would score otherwise from another seed."""

    name: str
    runs: Sequence[int]
    is_trained: bool


def systems_of(seeds: NamedGroups, runs: Sequence[str]) -> list[System]:
    """The systems that runs are of, in the order in which they come; a run of none is its own, which a warning says, as it
    does of runs that only the file has. A rule that finds no seed in a name finds a system that is not trained.

    Raises DataError if no run is of a system, or none with a seed, for a seed of a system twice, and for a system that has
    seeds and none.
    """
    groups_of = {run: groups for run in runs if (groups := seeds.find(run)) is not None}
    alone = [run for run in runs if run not in groups_of]
    untrained = [run for run, (_, seed) in groups_of.items() if seed == UNTRAINED]
    if not groups_of or len(untrained) == len(runs):
        why = f"no run has a seed but {UNTRAINED}" if groups_of else "says of no run which system and seed it is"
        raise DataError(f"{seeds.given}: {why} ({first_few(runs)})")
    happens = "without a system and seed, each taken for a system with one seed"
    warn_of_topics(seeds.given, happens, alone, "run", len(runs))
    if not seeds.listed:
        happens = "without a seed, taken for systems that are not trained"
        warn_of_topics(seeds.given, happens, untrained, "run", len(runs))
    seeds.warn_of_others(runs)
    by_system: dict[str, dict[str, str]] = {}  # runs by seed
    for run in runs:
        system, seed = groups_of.get(run, (run, ""))
        of_system = by_system.setdefault(system, {})
        if seed in of_system:
            both = f"runs {of_system[seed]!r} and {run!r}"
            raise DataError(f"{seeds.given}: {both} are both system {system!r}, seed {seed!r}")
        of_system[seed] = run
        if len(of_system) > 1 and not {UNTRAINED, ""}.isdisjoint(of_system):
            raise DataError(f"{seeds.given}: system {system!r} has seeds and none: {first_few([*of_system.values()])}")
    place_of = {run: index for index, run in enumerate(runs)}
    return [
        System(system, [place_of[run] for run in sorted(of.values(), key=raw)], is_trained=UNTRAINED not in of)
        for system, of in by_system.items()
    ]


def passes_of(passes: NamedGroups, files: Sequence[str]) -> dict[str, list[int]]:
    """The places of the files of each judge's passes, as they come, of one judge unless several are named. Raises DataError
    for a file of no pass, a pass twice, and a judge with one pass."""
    places: dict[tuple[str, ...], int] = {}
    for place, file in enumerate(files):
        groups = passes.find(file)
        if not groups:
            raise DataError(f"{passes.given}: does not say which pass {file!r} is")
        if (first := places.setdefault(groups, place)) != place:
            named = " of ".join(filter(None, groups))
            raise DataError(f"{passes.given}: {files[first]!r} and {file!r} are both pass {named!r}")
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


def _labels(groups: NamedGroups, group: str, topics: Sequence[str], happens: str, *, are_all: bool) -> list[str]:
    """The group of each of these topics, "" if it has none, which a warning says, as it does of topics that only the file has,
    if these `are_all`. Raises DataError if no topic has a group."""
    if are_all:
        groups.warn_of_others(topics)
    labels = [(groups.find(topic) or ("",))[0] for topic in topics]
    if not any(labels):
        raise DataError(f"{groups.given}: gives no topic a {group} ({first_few(topics)})")
    without = [topic for topic, label in zip(topics, labels, strict=True) if not label]
    warn_of_topics(groups.given, happens, without, of=len(topics))
    return labels


def clusters_of(groups: NamedGroups, topics: Sequence[str], *, are_all: bool) -> GroupedTopics:
    """The clusters of these topics; one without a cluster is its own, which a warning says."""
    happens = "without a cluster, each taken for a cluster of its own"
    labels = _labels(groups, "cluster", topics, happens, are_all=are_all)
    clusters = [(label, "" if label else topic) for topic, label in zip(topics, labels, strict=True)]
    place_of = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
    return GroupedTopics(np.array([place_of[cluster] for cluster in clusters], np.int64), [*map("".join, place_of)])


def slices_of(groups: NamedGroups, topics: Sequence[str], *, are_all: bool) -> GroupedTopics:
    """The slices of these topics; those without one are a slice, which a warning says. Raises DataError if all topics are in
    one, or one has the name of all."""
    labels = _labels(groups, "slice", topics, f"without a slice, taken for one called {NO_SLICE}", are_all=are_all)
    slices = [label or NO_SLICE for label in labels]
    names = sorted(dict.fromkeys(slices), key=lambda name: name == NO_SLICE)
    if len(names) == 1:
        raise DataError(f"{groups.given}: all topics are in one slice, {names[0]!r}: nothing to tell apart")
    if ALL in names:
        raise DataError(f"{groups.given}: a slice cannot be called {ALL!r}, which rows for all topics are")
    return GroupedTopics(np.array([names.index(name) for name in slices], np.int64), names)


COUNT = re.compile(r"[+-]?[0-9]{1,15}")
Counts = dict[tuple[str, str], tuple[int, int, int]]


def read_teams(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team`, `run group` or `run judge` is left out."""
    records = read_fields(path, fields=cells_of)
    if records and [name.lower() for name in records[0][1]] in (["run", "team"], ["run", "group"], ["run", "judge"]):
        del records[0]

    def wrong(fields: Sequence[str]) -> str:
        return "" if len(fields) == 2 and all(fields) else "not a run and its team with a tab between them"

    return {run: team for (run,), (team,) in table_of(path, records, wrong, "run {!r}").items()}


def _has_counts(line: str) -> bool:
    """True of two names and three counts: with tabs, where a name may have commas in it, or as csv."""
    try:
        ((_, cells),) = read_cells([(1, line)], "")
    except FormatError:
        return False
    return len(cells) == 5 and all(map(COUNT.fullmatch, cells[2:]))


def read_counts(path: str) -> Counts | None:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    None for a file that has no such line among its first two. Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path, is_record=_has_counts)
    if not any(_has_counts(line) for _, line in lines[:2]):
        return None
    counts_of_pair: Counts = {}
    with problems_of(path) as problems:
        for index, (number, cells) in enumerate(read_cells(lines, path)):
            first, second = (*cells, "")[:2]
            counts = [int(cell) for cell in cells[2:] if COUNT.fullmatch(cell)]
            if len(cells) == 5 and len(counts) == 3 and min(counts) >= 0 and first and second and first != second:
                if (first, second) in counts_of_pair or (second, first) in counts_of_pair:
                    problems.append(Problem(number, f"{first} and {second} twice", "again"))
                counts_of_pair[first, second] = counts[0], counts[1], counts[2]
            elif index or len(cells) != 5 or any(is_number(cell or "nan") for cell in cells[2:]):  # no header
                problems.append(Problem(number, "not two systems and how often the first is better, worse, equal"))
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
