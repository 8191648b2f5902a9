"""Types of options' values: each takes a word, or an object from Python, and says what is wrong with another; those of files
that are read, alone or in place of a number or a rule, and of files that are written among them."""

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, get_args

from irci.base import BLANKS, Margin, UsageError, decimal, whole_number
from irci.base.choices import INCHES, NARROWEST, WIDEST, Picture

STANDARD_STREAM = "-"


class BadValue(UsageError):
    """A value that an option does not take, and why; whoever asked names the option."""


class Type(NamedTuple):
    """A type of values."""

    name: str  # in messages; a value of a "path" may name a file
    annotation: str  # of a value from Python, in the stub
    metavar: str  # the word that stands for a value in help
    value: Callable[[Any], Any]  # the value of a word or an object; raises BadValue
    words: Callable[[], Sequence[str]] = tuple  # to choose from
    is_list: bool = False  # a value is several words with commas between them
    bounds: tuple[float, float] | None = None  # the least and the greatest number
    writes: bool = False  # a value is the path of an output
    columns: Sequence[tuple[str, ...]] = ()  # of the rows that a value may be, from Python


def typed(
    name: str, annotation: str, metavar: str, refusal: str, **fields: Any
) -> Callable[[Callable[[Any], Any]], Type]:
    """Make a type of a reader of values; `refusal`: what is said of values for which it raises an error."""

    def with_reader(read: Callable[[Any], Any]) -> Type:
        def value(raw: Any) -> Any:
            try:
                return read(raw)
            except (TypeError, ValueError, LookupError, OverflowError):
                raise BadValue(f"{raw!r} {refusal}") from None

        return Type(name, annotation, metavar, value, **fields)

    return with_reader


def within(number: float, least: float, most: float) -> float:
    """The number. Raises ValueError if it is not between these."""
    if not least <= number <= most:
        raise ValueError(number)
    return number


def number_of(raw: Any) -> float:
    """The number that a word spells, or that an object from Python is written as. Raises ValueError for others."""
    return decimal(str(raw))


def _listed(raw: Any) -> list[str]:
    """The words of a list with commas, or of what may be one or several in Python."""
    return raw.split(",") if isinstance(raw, str) else [*map(str, raw if isinstance(raw, Iterable) else [raw])]


def choice(*literals: Any) -> Type:
    """One of the words of Literals, in the order of the help."""
    words = tuple(dict.fromkeys(chain.from_iterable(map(get_args, literals))))
    annotation, refusal = f"Literal[{', '.join(map(repr, words))}]", f"is not one of {', '.join(map(repr, words))}."
    of_words = typed("choice", annotation, f"[{'|'.join(words)}]", refusal, words=lambda: words)
    return of_words(lambda raw: words[words.index(str(raw))])


def several(*literals: Any, none: bool = False) -> Type:
    """A list with commas of some of the words, each once; `none`: whether the word none stands for none of them."""
    one = choice(*literals)

    def value(raw: Any) -> tuple[str, ...]:
        words = [word for part in _listed(raw) if (word := part.strip())] or [""]
        return tuple(dict.fromkeys(one.value(word) for word in words if not (none and word == "none")))

    return Type("list", "Several[str]", "LIST", value, one.words, is_list=True)


def whole(least: int, most: int) -> Type:
    """A whole number between two bounds, in ASCII digits."""
    bounds = (least, most)

    @typed("whole number", "int", "N", f"is not a whole number from {least} to {most}.", bounds=bounds)
    def of_bounds(raw: Any) -> float:
        text = str(raw)
        return within(int(text if text.isascii() and "_" not in text else ""), least, most)

    return of_bounds


def number(least: float, most: float, refusal: str, metavar: str) -> Type:
    """A number between two bounds, mostly a whole one; refusal: what is said of others."""

    @typed("number", "float", metavar, refusal, bounds=(least, most))
    def of_bounds(raw: Any) -> float:
        number = within(number_of(raw), least, most)
        return int(number) if number == int(number) else number

    return of_bounds


LEVEL = number(0, 10**9, "is not a number from 0 to 1000000000.", "N")
BETWEEN_0_AND_1 = (1e-9, 1 - 1e-9)
FRACTION = number(*BETWEEN_0_AND_1, "must be between 0 and 1, such as 0.95", "P")


def numbers(least: float, most: float, *, are_whole: bool = False) -> Type:
    """A list of numbers with commas, each once; 1,2,...,10 is equal steps, and 5-10 all whole numbers from 5 to 10."""
    convert: Callable[[str], float] = whole_number if are_whole else decimal
    annotation, kind = ("Several[int]", "whole numbers") if are_whole else ("Several[float]", "numbers")
    ends = f"from {least:.10g} to {most:.10g}" if most > 1 else "between 0 and 1, such as 0.05,0.01"

    @typed("list", annotation, "LIST", f"is not a list of {kind} {ends}", bounds=(least, most))
    def of_bounds(raw: Any) -> tuple[float, ...]:
        numbers: list[float] = []
        words = [word for part in _listed(raw) if (word := part.strip())]
        for index, word in enumerate(words):
            if span := re.fullmatch(r"(\d{1,7})-(\d{1,7})", word):
                numbers += range(int(span[1]), int(span[2]) + 1)
            elif word != "...":
                numbers.append(convert(word))
            else:
                low, second, last = *numbers[-2:], convert("".join(words[index + 1 : index + 2]))
                steps = (last - low) / (second - low) if second > low else 0.0
                if not 1 <= steps < 1e4 or abs(steps - round(steps)) > 1e-6:
                    raise ValueError(raw)
                numbers += [convert(f"{low + (second - low) * i:.12g}") for i in range(2, round(steps))]
        if not numbers:
            raise ValueError(raw)
        return tuple(dict.fromkeys(within(number, least, most) for number in numbers))

    return of_bounds


NAME = Type("name", "str", "NAME", str)


def _measure_names() -> Sequence[str]:
    from irci.measures import FAMILIES, NICKNAMES

    return (*FAMILIES, *NICKNAMES)


MEASURE = Type("measure", "Measures", "MEASURE", str, _measure_names)

# Below here a type that no other is like is written as its reader.


@typed("boolean", "bool", "", "is neither True nor False.")
def FLAG(raw: Any) -> bool:
    """True or False."""
    if not isinstance(raw, bool):
        raise TypeError(raw)
    return raw


@typed(
    "margin", "float | str", "MARGIN",
    "is neither an amount from 1e-12 to 1e9, such as .01, nor a percentage, such as 2%",
)  # fmt: skip
def MARGIN(raw: Any) -> Margin:
    """An amount, or a share of the baseline's mean."""
    text = str(raw)
    is_share = text.endswith("%")
    return Margin(within(number_of(text.removesuffix("%")) / (100 if is_share else 1), 1e-12, 1e9), is_share)


@typed("range", "str | Sequence[float]", "LOWEST,HIGHEST", "is not LOWEST,HIGHEST, such as 0,5")
def ENDS_OF_SCALE(raw: Any) -> tuple[float, float]:
    """The lowest and the highest score."""
    low, high = (within(number_of(part), -1e9, 1e9) for part in _listed(raw))
    within(high - low, 1e-9, math.inf)
    return low, high


@typed("variance", "Mapping[str, float] | Several[str]", "NAME=V", "is not NAME=VARIANCE")
def VARIANCE(raw: Any) -> tuple[str, float]:
    """The name of a measure and its variance, from Python a pair of these."""
    name, number = raw.rsplit("=", 1) if isinstance(raw, str) else raw
    if not name or re.search(r"=[\d.eE+-]+,", name):  # several
        raise ValueError(raw)
    variance = number_of(number)
    return name, variance and within(variance, 1e-12, 1e9)


@typed(
    "summary", "Mapping[str, Sequence[object]] | Several[str]", "NAME=MEAN,SD,N",
    "is not NAME=MEAN,SD,N or NAME=MEAN,SD,N,REFERENCE",
)  # fmt: skip
def SUMMARY(raw: Any) -> tuple[str, float, float, int, str]:
    """A system's name, mean, standard deviation, number of topics and reference; from Python a pair of the name and these."""
    name, figures = raw.split("=", 1) if isinstance(raw, str) else raw
    mean, sd, topics, *reference = _listed(figures)
    if not name or len(reference) > 1:
        raise ValueError(raw)
    spread, number = number_of(sd), whole_number(topics)
    within(number, 2, 10**9)
    return (
        name, within(number_of(mean), -1e9, 1e9), spread and within(spread, 1e-9, 1e9), number,
        "".join(reference).strip(BLANKS),
    )  # fmt: skip


@typed("width", "float", "column|page|INCHES", f"is no width: column, page, or from {NARROWEST:g} to {WIDEST:g} inches")
def WIDTH(raw: Any) -> float:
    """Inches."""
    return INCHES.get(raw) or within(number_of(raw), NARROWEST, WIDEST)


# A value of a path from Python is a path, or what stands for it.
INPUT = Type("path", "Path", "FILE", os.fspath)
OUTPUT = INPUT._replace(writes=True)
TOPICS = Type("path", "Topics", "LIST|@FILE", os.fspath)
JUDGMENTS = Type("path", "Source", "FILE[:LEVEL]", os.fspath)
COLLECTIONS = Type(
    "path", "Path | Mapping[str, tuple[Source, Source]]", "FILE",
    lambda raw: raw if isinstance(raw, dict) else os.fspath(raw),
)  # fmt: skip
REFERENCE = Type(
    "path", "str | Path | Sequence[str]", "RUN,...|FILE",
    lambda raw: ",".join(raw) if isinstance(raw, list | tuple) else os.fspath(raw),
)  # fmt: skip


def number_or_file(number: Type, metavar: str) -> Type:
    """A whole number, several or a word, or else the path of a file; digits and commas are no path."""

    def value(raw: Any) -> Any:
        is_number = set(raw) <= set("0123456789,") if isinstance(raw, str) else not hasattr(raw, "__fspath__")
        return number.value(raw) if is_number else os.fspath(raw)

    return Type("path", f"{number.annotation} | Path", metavar, value)


PARTS = number_or_file(numbers(2, 100, are_whole=True), "N,...|FILE")
HALVES = number_or_file(whole(1, 100_000), "N|md5|FILE")


def _judge(raw: Any) -> Any:
    """The path of a judge's qrels; or R:M, the correlation of scores and the number of topics."""
    both = raw.split(":") if isinstance(raw, str) and re.fullmatch(r"[\d.]+:\d+", raw) else raw
    if not isinstance(both, list | tuple):
        return os.fspath(raw)
    try:
        return within(number_of(both[0]), 0, 1 - 1e-9), whole(4, 1_000_000).value(both[1])
    except ValueError:
        raise BadValue(f"{both[0]} is no correlation from 0 to below 1.") from None


def _plan(raw: Any) -> Any:
    from irci.data.plans import ComparisonPlan  # takes time

    return ComparisonPlan.of_file(os.fspath(raw))


def _picture(raw: Any) -> str:
    path = os.fspath(raw)
    if path.rpartition(".")[2].lower() not in get_args(Picture):
        raise BadValue(f"{path!r} does not end in .{', .'.join(get_args(Picture))}")
    return str(path)


JUDGE = Type("path", "Source | tuple[float, int]", "QRELS_B|R:M", _judge)
PLAN = Type("path", "Path", "FILE", _plan)
PICTURE = Type("path", "Path", "FILE", _picture, writes=True)


def _rule(label: str, *columns: tuple[str, ...]) -> Type:
    """A regular expression with named groups, or a file that says the same of every name; from Python also rows."""

    def value(raw: Any) -> Any:
        from irci.data.rules import read_rule  # takes time

        try:
            return read_rule(raw, label, columns)
        except ValueError as error:
            raise BadValue(f"{os.fspath(raw)!r}: {error}") from None

    return Type("path", "Groups", "FILE|REGEX", value, columns=columns)


VERSIONS = _rule("versions", ("run", "system", "version"), ("run", "topic_id", "system", "topic", "version"))
CLUSTERS = _rule("clusters", ("topic", "cluster"))
SLICES = _rule("slices", ("topic", "slice"))
SEEDS = _rule("seeds", ("run", "system", "seed"))
PASSES = _rule("passes", ("file", "pass"), ("file", "pass", "judge"))
RULES = (VERSIONS, CLUSTERS, SLICES, SEEDS, PASSES)
