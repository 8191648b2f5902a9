"""Rules that tell from names what belongs together: files that list it, or regular expressions with named groups, matched for
no longer than is sensible."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from irci.base.errors import DataError, FormatError, UsageError
from irci.base.names import first_few, is_name, plural, raw
from irci.base.records import Record
from irci.base.types import Bools, Ints
from irci.data.notices import warn_of_topics
from irci.data.text_files import fields_of, has_fields, read_text_lines, table_of

SECONDS = 5.0  # of the processor's time, for a rule and all names
UNFIT = (OverflowError, RecursionError, MemoryError)  # what is too large a regular expression
ALL, NO_SLICE = "all", "(none)"  # slices: of all topics, of those that are in none
UNTRAINED = "-"  # the seed of a system that draws on none


class Pattern:
    """A regular expression as Python's `re` takes it, which takes no more than SECONDS for all names together.

    It is matched by the package regex, which looks at the clock of the processor while it matches. Python's own engine heeds
    nothing but signals, and these in the main thread only: in another one, a match could take for ever, and hold the
    interpreter's lock.
    """

    def __init__(self, text: str, option: str) -> None:
        """`option`: where it comes from. Raises ValueError for what is no such expression."""
        import regex  # here, as most commands need none

        try:
            self.compiled = regex.compile(text)
        except (regex.error, *UNFIT) as error:
            raise ValueError(f"not a regular expression ({str(error) or 'too large'})") from None
        self.given = f"{option} {text}"
        self.taken = 0.0
        self.slowest = (0.0, "")

    def fullmatch(self, name: str) -> dict[str, str] | None:
        """Named groups of a name, None if it does not match as a whole. Raises UsageError out of time."""
        found = self._timed(self.compiled.fullmatch, name)
        return found.groupdict(default="") if found else None

    def is_in(self, name: str) -> bool:
        """True if something in the name matches. Raises UsageError out of time."""
        return self._timed(self.compiled.search, name) is not None

    def _timed(self, match: Callable[..., Any], name: str) -> Any:
        began, found, is_late = time.thread_time(), None, self.taken >= SECONDS
        if not is_late:
            try:
                found = match(name, timeout=SECONDS - self.taken)
            except TimeoutError:
                is_late = True
        seconds = time.thread_time() - began
        self.taken += seconds
        self.slowest = max(self.slowest, (seconds, name))
        if is_late:
            raise UsageError(
                f"{self.given}: takes more than {SECONDS:g} s, most of it on {self.slowest[1]!r}; avoid repetitions inside"
                " repetitions."
            )
        return found


def rule(text: str, allowed: Collection[frozenset[str]], asks: str, option: str) -> tuple[
    frozenset[str], Callable[[str], dict[str, str] | None]
]:  # fmt: skip
    """The named groups of a regular expression, and what they are of a name it matches as a whole (None: it does not).

    `allowed`: which sets of groups may be named; `asks`: these in words; `option`: where the rule comes from. Raises
    ValueError for what is no such expression. What takes too long is refused by UsageError.
    """
    pattern = Pattern(text, option)
    groups = frozenset(pattern.compiled.groupindex)
    if groups not in allowed:
        raise ValueError(f"its named groups must be {asks}")
    return groups, cache(pattern.fullmatch)


def whole_names(given: str) -> str:
    """How to extend a rule that matches no name; nothing about a file."""
    return "; a rule matches whole names: add .* where more may stand" if "(?P<" in given else ""


def _no_commas(fields: Sequence[str]) -> str:
    return ", separated by blanks or tabs, not commas" if any("," in field for field in fields) else ""


def matching(pattern: str, names: Sequence[str], option: str) -> Bools:
    """bool[n]: the names in which a regular expression finds something; some of them, not all.

    `option`: where it comes from. Raises UsageError for what is none or takes too long, DataError where it tells none apart.
    """
    try:
        compiled = Pattern(pattern, option)
    except ValueError as error:
        raise UsageError(f"{option} {pattern}: {error}.") from None
    found = np.array([compiled.is_in(name) for name in names], np.bool_)
    if found.all() or not found.any():
        raise DataError(
            f"{option} {pattern}: {'all runs match' if found.all() else 'no run matches'}: nothing to compare"
        )
    return found


class NamedGroups(Record):
    """Groups by name, `find(name)`: the parts GROUPS of what the name says, None if that is nothing known.
    `given`: the rule or the file that says so; `listed`: the names in the file. Subclasses say what of what is grouped."""

    given: str
    find: Callable[[str], tuple[str, ...] | None]
    listed: Sequence[str] = ()

    OPTION: ClassVar[str]
    NOUN: ClassVar[str]
    GROUPS: ClassVar[tuple[str, ...]]
    OTHERWISE: ClassVar[Mapping[str, str]] = {}  # a group of which a rule finds nothing

    @classmethod
    def of_rule(cls, pattern: str) -> Self:
        """Groups by a regular expression with the named groups. Raises ValueError for what is no such expression."""
        asks = " and ".join(cls.GROUPS) if len(cls.GROUPS) > 1 else f"{cls.GROUPS[0]} alone"
        _, match = rule(pattern, (frozenset(cls.GROUPS),), asks, cls.OPTION)

        def find(name: str) -> tuple[str, ...] | None:
            found = match(name)
            return tuple(found[group] or cls.OTHERWISE.get(group, "") for group in cls.GROUPS) if found else None

        return cls(pattern, find)

    @classmethod
    def of_file(cls, path: str) -> Self:
        """Groups by a file of lines of a name and its groups. Raises FormatError for others, and for a name twice."""
        lines = read_text_lines(path, is_record=has_fields(1 + len(cls.GROUPS)))
        return cls.of_rows(path, [(number, fields_of(line)) for number, line in lines])

    @classmethod
    def of_rows(cls, given: str, rows: Sequence[tuple[int, Sequence[str]]]) -> Self:
        """Groups by numbered rows of a name and its groups; `given`: what they are of. Raises what `of_file` raises."""
        size, expected = 1 + len(cls.GROUPS), f"{', '.join((cls.NOUN, *cls.GROUPS[:-1]))} and {cls.GROUPS[-1]}"
        found = table_of(
            given,
            rows,
            lambda fields: (
                None
                if len(fields) == size
                else (f"{plural(len(fields), 'field')}, expected {expected}{_no_commas(fields)}", "")
            ),
            f"{cls.NOUN} {{!r}}",
            but=cls._reversed(rows),
        )
        table = {name: groups for (name,), groups in found.items()}
        if not table:
            raise FormatError.whole_file(given, f"empty file: no {cls.OPTION.removeprefix('--')}")
        return cls(given, table.get, list(table))

    @classmethod
    def _reversed(cls, rows: Sequence[tuple[int, Sequence[str]]]) -> str:
        """A question behind a name that comes twice, where the second field would name each line once."""
        seconds = [fields[1] for _, fields in rows if len(fields) == 1 + len(cls.GROUPS)]
        in_order = " ".join((cls.NOUN, *cls.GROUPS))
        is_reversed = 2 < len(set(seconds)) == len(rows)  # two lines tell no order
        return f"; are the columns in another order? A line is '{in_order}'" if is_reversed else ""

    def warn_of_others(self, names: Sequence[str]) -> None:
        there = set(names)
        warn_of_topics(self.given, "not scored here", [name for name in self.listed if name not in there], self.NOUN)


class System(Record):
    """A system and its runs, each from another seed: their places among all runs, in bytewise order of their names.
    `is_trained`: whether it would score otherwise from another seed."""

    name: str
    runs: Sequence[int]
    is_trained: bool = True


class Seeds(NamedGroups):
    """Systems and seeds by run. A rule that finds no seed in a name finds a system that is not trained."""

    OPTION, NOUN, GROUPS, OTHERWISE = "--seeds", "run", ("system", "seed"), {"seed": UNTRAINED}

    def of_runs(self, runs: Sequence[str]) -> list[System]:
        """The systems that these runs are of, in the order in which they come; a run of none is its own, which a warning
        says, as it does of runs that only the file has.

        Raises DataError if no run is of a system, or none with a seed though the file has others, and for a seed of a system
        twice.
        """
        found = [self.find(run) for run in runs]
        alone = [run for run, of in zip(runs, found, strict=True) if of is None]
        if len(alone) == len(runs):
            known = f"{self.given}: says of no run which system and seed it is ({first_few(runs)})"
            raise DataError(known + whole_names(self.given))
        absent = [run for run in self.listed if run not in runs]
        if alone and absent and all(of is None or of[1] == UNTRAINED for of in found):
            raise DataError(
                f"{self.given}: says which system and seed a run is of runs that are not here ({first_few(absent)}), but not"
                f" of {first_few(alone)}; a run's name is its tag, or with --names file that of its file"
            )
        happens = "without a system and seed, each taken for a system with one seed"
        warn_of_topics(self.given, happens, alone, "run", len(runs))
        if not self.listed:
            untrained = [run for run, of in zip(runs, found, strict=True) if of is not None and of[1] == UNTRAINED]
            warn_of_topics(
                self.given, "without a seed, taken for systems that are not trained", untrained, "run", len(runs)
            )
        self.warn_of_others(runs)
        seeds: dict[str, dict[str, int]] = {}
        for place, of in enumerate(found):
            if of is not None:
                self._add(runs, seeds.setdefault(of[0], {}), place, *of)
        for run in alone:
            if run in seeds:
                other = runs[next(iter(seeds[run].values()))]
                raise DataError(
                    f"{self.given}: run {run!r} is of no system, but run {other!r} is of a system of that name"
                )
        order = dict.fromkeys(run if of is None else of[0] for run, of in zip(runs, found, strict=True))
        place_of = {run: place for place, run in enumerate(runs)}
        systems = [(name, seeds.get(name) or {"": place_of[name]}) for name in order]
        return [
            System(name, sorted(of.values(), key=lambda place: raw(runs[place])), is_trained=UNTRAINED not in of)
            for name, of in systems
        ]

    def _add(self, runs: Sequence[str], of_system: dict[str, int], place: int, system: str, seed: str) -> None:
        run = runs[place]
        if not is_name(system):
            raise DataError(f"{self.given}: run {run!r}: the name of its system is empty")
        if seed in of_system:
            raise DataError(
                f"{self.given}: runs {runs[of_system[seed]]!r} and {run!r} are both system {system!r}, seed {seed!r}"
            )
        of_system[seed] = place
        if UNTRAINED in of_system and len(of_system) > 1:
            raise DataError(f"{self.given}: system {system!r} has seeds ({first_few(list(of_system))}) and none (-)")


class Clusters(NamedGroups):
    """Clusters by topic."""

    OPTION, NOUN, GROUPS = "--clusters", "topic", ("cluster",)

    def of_topics(self, topics: Sequence[str], *, are_all: bool = False) -> "ClusteredTopics":
        """The clusters of these topics; one without a cluster is its own, which a warning says, as it does of topics that only
        the file has, if these `are_all`. Raises DataError if no topic has a cluster."""
        if are_all:
            self.warn_of_others(topics)
        labels = [
            (cluster, "" if cluster else topic) for topic in topics for cluster in (self.find(topic) or ("",))[:1]
        ]
        alone = [topic for _, topic in labels if topic]
        if len(alone) == len(topics):
            raise DataError(f"{self.given}: gives no topic a cluster ({first_few(topics)}){whole_names(self.given)}")
        warn_of_topics(self.given, "without a cluster, each taken for a cluster of its own", alone, of=len(topics))
        place_of = {label: place for place, label in enumerate(dict.fromkeys(labels))}
        names = [cluster or topic for cluster, topic in place_of]
        return ClusteredTopics(np.array([place_of[label] for label in labels], np.int64), names)


class Slices(NamedGroups):
    """Slices by topic: groups of topics that are looked at each by itself too."""

    OPTION, NOUN, GROUPS = "--slices", "topic", ("slice",)

    def of_topics(self, topics: Sequence[str], *, are_all: bool = False) -> "SlicedTopics":
        """The slices of these topics; those without one are a slice, which a warning says, as it does of topics that only the
        file has, if these `are_all`. Raises DataError if no topic has a slice, all have one, or one has the name of all."""
        if are_all:
            self.warn_of_others(topics)
        found = [(self.find(topic) or ("",))[0] or NO_SLICE for topic in topics]
        names = sorted(dict.fromkeys(found), key=lambda name: name == NO_SLICE)
        if names == [NO_SLICE]:
            raise DataError(f"{self.given}: gives no topic a slice ({first_few(topics)}){whole_names(self.given)}")
        if len(names) == 1:
            raise DataError(f"{self.given}: all topics are in one slice, {names[0]!r}: nothing to tell apart")
        if ALL in names:
            raise DataError(f"{self.given}: a slice cannot be called {ALL!r}, which rows for all topics are")
        without = [topic for topic, name in zip(topics, found, strict=True) if name == NO_SLICE]
        warn_of_topics(self.given, f"without a slice, taken for one called {NO_SLICE}", without, of=len(topics))
        return SlicedTopics(np.array([names.index(name) for name in found], np.int64), names)


class SlicedTopics(Record):
    """The slice of each of T topics, place int64[T], numbered as `names`: in the order in which they come, NO_SLICE last."""

    place: Ints
    names: Sequence[str]


class ClusteredTopics(Record):
    """The cluster of each of T topics, place int64[T], numbered from 0 as they come; and the clusters' names."""

    place: Ints
    names: Sequence[str]

    @property
    def of_one(self) -> Sequence[str]:
        return [name for name, size in zip(self.names, np.bincount(self.place).tolist(), strict=True) if size == 1]
