"""Sentences and notices: the templates of *.toml in this folder, to which code gives facts.

In a template {runs:run} is a number with its noun ("1 run", "3 runs"), {runs:has|have} the word that goes with it, {names} the
first few of a list, and {value:.4f} a decimal number without a 0 before its point.
"""

from __future__ import annotations

import math
import os
import string
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from irci.base import first_few, first_names, logger, plural

if TYPE_CHECKING:
    from irci.measures import Measure


@cache
def templates() -> dict[str, dict[str, str]]:
    """The templates of all files by section and name; a section stands in one file."""
    sections: dict[str, dict[str, str]] = {}
    folder = os.path.dirname(__file__)
    for name in os.listdir(folder):
        if name.endswith(".toml"):
            with open(os.path.join(folder, name), "rb") as file:
                own = tomllib.load(file)
            assert sections.keys().isdisjoint(own), f"{name}: a section of another file"
            sections |= own
    return sections


class _Formatter(string.Formatter):
    """Numbers with nouns and verbs, and lists."""

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, list | tuple):
            return first_few(value)
        if isinstance(value, int) and len(format_spec) > 1 and format_spec.replace(" ", "").isalpha():
            return plural(value, format_spec)
        if isinstance(value, int) and "|" in format_spec:
            return format_spec.split("|")[value != 1]
        if isinstance(value, float) and format_spec in (".2f", ".4f"):
            return rounded(value, int(format_spec[1]))
        return str(format(value, format_spec))


_FORMATTER = _Formatter()


class Notice(str):
    """The text of a notice, with the name of its template and the facts in it, by which notices can be told apart."""

    name: str = ""
    facts: Mapping[str, object] = {}


def importance(message: str) -> int:
    """The place of a notice among the templates of notices.toml, which stand in the order of importance; others come last."""
    names = [*templates()["notice"]]
    return names.index(message.name) if isinstance(message, Notice) else len(names)


def say(name: str, **facts: object) -> str:
    """The sentence of a template, named as section.template, with these facts in place of their names."""
    section, _, template = name.rpartition(".")
    return _FORMATTER.vformat(templates()[section][template], (), facts)


def notice(name: str, **facts: object) -> Notice:
    """A template of the section `notice` with its facts: what is affected, by how much, what to type."""
    text = Notice(say(f"notice.{name}", **facts))
    text.name, text.facts = name, facts
    return text


def tell(*notices: str) -> None:
    """Warn the user by these."""
    for text in notices:
        logger.warning(text)


def notify(name: str, **facts: object) -> None:
    """Warn the user by a template of the section `notice`."""
    tell(notice(name, **facts))


# Notices about many things in one line

FEW_GROUPS = 10  # topics, clusters or collections; fewer say little of others


def warn_of_topics(
    source: str, happens: str, topics: Sequence[str], noun: str = "topic", of: int | None = None
) -> None:
    """Count the topics of which something is to be said, out of so many, and name the first few."""
    if topics:
        number = plural(len(topics), noun) if of is None else f"{len(topics)} of {plural(of, noun)}"
        notify("topics", where=source, size=len(topics), number=number, then=happens, names=topics)


def warn_of_few_groups(number: int, noun: str, happens: str = "", few: int = FEW_GROUPS, *, least: int = 2) -> None:
    """Say what so few topics, or groups of them, mean; limits over them unless told otherwise, which take the `least`."""
    usual = f"limits over {noun}s are usually wide, and assume that other {noun}s are like these"
    if number < few:
        then = happens or (usual if number >= least else f"no limits over {noun}s")
        notify("few_units", number=plural(number, noun), then=then)


def warn_of_few_resamples(limits: str, resamples: int, least: int, confidence: float, instead: str = "") -> None:
    """Say so if percentiles of so few resamples are no limits at this confidence; `instead`: what else would do."""
    if resamples < least:
        of_limits = f"{limits} limits at confidence {confidence:.10g}"
        notify("few_resamples", limits=of_limits, resamples=resamples, least=least, instead=instead)


# Facts of which a notice may have others where it says the like of another collection.
VARYING = ("where", "run", "names", "number", "more")
Begins = Callable[[str, Iterable[str]], None]


@contextmanager
def told_once(noun: str = "collection") -> Iterator[Begins]:
    """Hold back notices of one collection after the other, so that one that many give is told once.

    `with told_once() as begins: for ...: begins(name, files)`: notices of one template that differ in nothing but numbers,
    files and names are one, that with the largest number, and name the collections; `noun`: what they are called.
    """
    thread, begun = threading.get_ident(), [("", frozenset[str]())]
    held: dict[tuple[object, ...], dict[str, tuple[Notice, bool]]] = {}  # the notice of each, and if it names that

    def keeps(level: int, message: str) -> bool:
        if level < logger.WARNING or threading.get_ident() != thread or not isinstance(message, Notice):
            return False
        name, own_names = begun[-1]
        words = {fact: value for fact, value in message.facts.items() if isinstance(value, str)}
        is_named = not name or not own_names.isdisjoint(words.values())
        common = (  # not "3 topics"
            value for fact, value in words.items()
            if fact not in VARYING and value not in own_names and not value[:1].isdigit()
        )  # fmt: skip
        held.setdefault((message.name, *common), {}).setdefault(name, (message, is_named))
        return True

    try:
        with logger.heard_by(keeps):
            yield lambda name, files: begun.append((name, frozenset((name, *files))))
    finally:
        for by_name in held.values():
            (largest, is_named), names = max(by_name.values(), key=lambda of_one: _sizes(of_one[0])), [*by_name]
            if len(names) > 1:
                tell(f"{largest} (the like in {plural(len(names), noun)}: {first_few(names)})")
            else:
                tell(largest if is_named else f"{largest} (in {names[0]})")


def _sizes(message: Notice) -> list[int]:
    """The numbers among its facts, also those that stand before a noun."""
    words = (str(value).partition(" ")[0] for value in message.facts.values() if isinstance(value, int | str))
    return [int(word) for word in words if word.isdecimal()]


def notices_of_run(
    run: str, then: str, names: Sequence[str] = (), *, number: int = 0, noun: str = "topic", about: str = "", detail: str = "",
    size: float = 0,
) -> list[Notice]:  # fmt: skip
    """A notice on things of a run, by their names or so many; none on nothing. `size`: by which several runs are compared."""
    if not (number := number or len(names)):
        return []
    more = f"{detail}: {first_few(names)}" if names else detail
    about, in_words = f"{about}: " if about else "", plural(number, noun)
    return [notice("run", run=run, about=about, size=size or number, number=in_words, then=then, more=more)]


def tell_of_runs(notices: Iterable[Notice]) -> None:
    """Give notices on runs: of those that say the like of several, that of the largest size, with the names of the others."""
    by_kind: dict[tuple[object, ...], list[Notice]] = {}
    for of_run in notices:
        by_kind.setdefault((of_run.facts["about"], of_run.facts["then"]), []).append(of_run)
    for alike in by_kind.values():
        largest: Mapping[str, Any] = max((of.facts for of in alike), key=lambda facts: facts["size"])
        others = [str(of.facts["run"]) for of in alike if of.facts is not largest]
        more = f" (the like of {plural(len(others), 'other run')}: {first_few(others)})" if others else ""
        notify("run", **{**largest, "more": f"{largest['more']}{more}"})


# Numbers, p, intervals and lists

MOST_DECIMALS = 10
USUAL_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001)
LEAST_P = 0.0001


def rounded(number: float, decimals: int) -> str:
    """With so many decimals, and no 0 before them; or with one digit where these are all 0."""
    text = f"{number:.{decimals}f}"
    text = f"{number:.1g}" if float(text) == 0 and number != 0 else text
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def amount(number: float) -> str:
    """With four decimals."""
    return rounded(number, 4)


def decimals_of(lower: float, upper: float) -> int:
    """As many as show two digits of half an interval's width; four if there is none."""
    half = (upper - lower) / 2
    return min(max(1 - math.floor(math.log10(half)), 0), MOST_DECIMALS) if 0 < half < math.inf else 4


def interval_in_words(lower: float, upper: float) -> str:
    """.041 to .138, with the digits that its width carries."""
    decimals = decimals_of(lower, upper)
    return f"{rounded(lower, decimals)} to {rounded(upper, decimals)}"


def plain(number: float) -> float:
    """A whole number as such, which is printed without decimals."""
    return int(number) if number == int(number) else number


def p_text(p: float, name: str = "p") -> str:
    """p = .031, or p < .0001; with as many digits as it takes to tell it from a usual level."""
    least = max(getattr(p, "least", 0.0), LEAST_P)  # of what is told
    if p < least:
        return f"{name} < {rounded(least, 4)}"
    if 1 - 0.5 / 100 <= p < 1:
        return f"{name} > .99"
    usual = 2 if p >= 0.001 else 1
    digits = next((digits for digits in (usual, 3, 4) if float(f"{p:.{digits}g}") not in USUAL_LEVELS), 2)
    return f"{name} = {f'{float(p):.{digits}g}'.removeprefix('0') or '0'}"


def name_of_p(pairs: int) -> str:
    """p, or adjusted p where there are other pairs that it is adjusted for."""
    return "adjusted p" if pairs > 1 else "p"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """The first of some names behind a colon; nothing if there are none, or more than `most`."""
    return f": {first_names(names)}" if names and (most is None or len(names) <= most) else ""


def directions(measure: Measure) -> tuple[str, str]:
    """The words for a score above another and for one below: higher and lower, or more and less where more is not better."""
    return ("higher", "lower") if measure.more_is_better else ("more", "less")


def verdict_of(verdict: str, measure: Measure) -> str:
    """The verdict in a word: where more is not better, more and less in place of better and worse."""
    return verdict if measure.more_is_better else verdict.replace("better", "more").replace("worse", "less")
