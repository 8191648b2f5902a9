"""Sentences and notices: the templates of *.toml in this folder, to which code gives facts.

In a template {runs:run} is a number with its noun ("1 run", "3 runs"), {runs:has|have} the word that goes with it, {names} the
first few of a list, and {value:.4f} a decimal number without a 0 before its point.
"""

from __future__ import annotations

import math
import os
import string
import tomllib
from collections.abc import Iterable, Mapping, Sequence
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
                sections |= tomllib.load(file)
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

    def __new__(cls, text: str, name: str, facts: Mapping[str, object]) -> Notice:
        notice = super().__new__(cls, text)
        notice.name, notice.facts = name, facts
        return notice

    def __reduce__(self) -> tuple[Any, ...]:
        return Notice, (str(self), self.name, self.facts)

    name: str
    facts: Mapping[str, object]


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
    return Notice(say(f"notice.{name}", **facts), name, facts)


def tell(*notices: str) -> None:
    """Warn the user by these."""
    for text in notices:
        logger.warning(text)


def notify(name: str, **facts: object) -> None:
    """Warn the user by a template of the section `notice`."""
    tell(notice(name, **facts))


# Numbers, p, intervals and lists

MOST_DECIMALS = 10
USUAL_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001)
LEAST_P = 0.0001


def kinds_in_words(kinds: Iterable[str]) -> str:
    """The kinds of limits of several means, in words; t where nothing else is known."""
    distinct, bounded = set(kinds), "bounded by the ends of the scale"
    if "bounded" not in distinct:
        return "t"
    return bounded if len(distinct) == 1 else f"t, or {bounded} where scores hardly vary"


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


def direction(difference: float, measure: Measure) -> str:
    """The word for what a run scores, seen from its baseline."""
    return directions(measure)[0 if difference > 0 else 1]


def verdict_of(verdict: str, measure: Measure) -> str:
    """The verdict in a word: where more is not better, more and less in place of better and worse."""
    return verdict if measure.more_is_better else verdict.replace("better", "more").replace("worse", "less")
