"""Types of options' values: each takes a word, or an object from Python, and says what is wrong with another; those of files
that are read, alone or in place of a number or a rule, and of files that are written among them."""

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, get_args

from irci.base import BLANKS, Margin, UsageError, decimal, whole_number
from irci.base.choices import INCHES, NARROWEST, WIDEST, Picture

SMALLEST_FRACTION = 1e-9


class BadValue(UsageError):
    """A value that an option does not take, and why; whoever asked names the option."""


class Type(NamedTuple):
    """A type of values."""

    name: str  # in messages; a value of a "path" may name a file
    annotation: str  # of a value from Python, in the stub
    value: Callable[[Any], Any]  # the value of a word or an object; raises BadValue
    metavar: str  # the word that stands for a value in help
    words: Callable[[], Sequence[str]] = tuple  # to choose from
    is_list: bool = False  # a value is several words with commas between them
    bounds: tuple[float, float] | None = None  # the least and the greatest number
    writes: bool = False  # a value is the path of an output
    columns: Sequence[tuple[str, ...]] = ()  # of the rows that a value may be, from Python


def _text(raw: Any) -> str:
    return ",".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)


def _listed(raw: Any) -> list[Any]:
    """The values of a list with commas, or of what may be one or several in Python."""
    return raw.split(",") if isinstance(raw, str) else [*raw] if isinstance(raw, Iterable) else [raw]


def _flag(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise BadValue(f"{raw!r} is neither True nor False.")
    return raw


def _measure_names() -> Sequence[str]:
    from irci.measures import FAMILIES, NICKNAMES

    return (*FAMILIES, *NICKNAMES)


NAME = Type("name", "str", _text, "NAME")
FLAG = Type("boolean", "bool", _flag, "")
MEASURE = Type("measure", "Measures", _text, "MEASURE", _measure_names)


def _words(literal: Any) -> tuple[str, ...]:
    arguments = get_args(literal)
    is_literal = all(isinstance(argument, str) for argument in arguments)
    return tuple(dict.fromkeys(arguments if is_literal else sum(map(_words, arguments), ())))


def within(number: float, least: float, most: float) -> float:
    """The number. Raises ValueError if it is not between these."""
    if not least <= number <= most:
        raise ValueError(number)
    return number


def number_of(raw: Any) -> float:
    """The number that a word spells, or an object from Python is. Raises an error for others."""
    return decimal(raw) if isinstance(raw, str) else float(raw)


def refusing(reason: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Have a reader of values say this of those for which it raises an error."""

    def with_reason(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def value(raw: Any) -> Any:
            try:
                return read(raw)
            except (TypeError, ValueError, OverflowError):
                raise BadValue(f"{raw!r} {reason}") from None

        return value

    return with_reason


def choice(literal: Any) -> Type:
    """One of the words of a Literal, or of a union of such, in the order of the help."""
    words = _words(literal)
    value = refusing(f"is not one of {', '.join(map(repr, words))}.")(lambda raw: words[words.index(str(raw))])
    annotation, metavar = f"Literal[{', '.join(map(repr, words))}]", f"[{'|'.join(words)}]"
    return Type("choice", annotation, value, metavar, lambda: words)


def several(literal: Any, *, none: bool = False) -> Type:
    """A list with commas of some of the words, each once; `none`: whether the word none stands for none of them."""
    one = choice(literal)

    def value(raw: Any) -> tuple[str, ...]:
        typed = [word for part in _listed(raw) if (word := str(part).strip())] or [""]
        return tuple(dict.fromkeys(one.value(word) for word in typed if not (none and word == "none")))

    return Type("list", "Several[str]", value, "LIST", one.words, is_list=True)


def whole(least: int, most: int) -> Type:
    """A whole number between two bounds, in ASCII digits."""

    @refusing(f"is not a whole number from {least} to {most}.")
    def value(raw: Any) -> float:
        is_number = raw.isascii() and "_" not in raw if isinstance(raw, str) else hasattr(raw, "__index__")
        return within(int(raw) if is_number and not isinstance(raw, bool) else math.nan, least, most)

    return Type("whole number", "int", value, "N", bounds=(least, most))


def number(least: float, most: float, refusal: str, metavar: str) -> Type:
    """A number between two bounds, mostly a whole one; refusal: what is said of others."""

    @refusing(refusal)
    def value(raw: Any) -> float:
        number = within(math.nan if isinstance(raw, bool) else number_of(raw), least, most)
        return int(number) if number == int(number) else number

    return Type("number", "float", value, metavar, bounds=(least, most))


HIGHEST_LEVEL = 10**9
LEVEL = number(0, HIGHEST_LEVEL, f"is not a number from 0 to {HIGHEST_LEVEL}.", "N")
BETWEEN_0_AND_1 = (SMALLEST_FRACTION, 1 - SMALLEST_FRACTION)
FRACTION = number(*BETWEEN_0_AND_1, "must be between 0 and 1, such as 0.95", "P")


def numbers(least: float, most: float, *, are_whole: bool = False) -> Type:
    """A list of numbers with commas, each once; 1,2,...,10 is equal steps, and of whole numbers 5-10 is all from 5 to 10."""
    convert: Callable[[str], float] = whole_number if are_whole else decimal
    ends = f"from {least:.10g} to {most:.10g}" if most > 1 else "between 0 and 1, such as 0.05,0.01"

    @refusing(f"is not a list of {'whole numbers' if are_whole else 'numbers'} {ends}")
    def value(raw: Any) -> tuple[float, ...]:
        values = _spelled_out(raw, convert) if isinstance(raw, str) else [convert(str(part)) for part in _listed(raw)]
        within(len(values), 1, math.inf)
        return tuple(dict.fromkeys(within(number, least, most) for number in values))

    return Type("list", "Several[int]" if are_whole else "Several[float]", value, "LIST", bounds=(least, most))


def _spelled_out(typed: str, convert: Callable[[str], float]) -> list[float]:
    """The numbers of a list, and those that dots between them stand for. Raises ValueError for others, and uneven steps."""
    numbers: list[float] = []
    words = [word for part in typed.split(",") if (word := part.strip())]
    for index, word in enumerate(words):
        if ends := re.fullmatch(r"(\d{1,7})-(\d{1,7})", word):
            numbers += range(int(ends[1]), int(ends[2]) + 1)
        elif word != "...":
            numbers.append(convert(word))
        else:
            low, second, last = *numbers[-2:], convert("".join(words[index + 1 : index + 2]))
            step = second - low
            steps = (last - low) / step if step > 0 else 0.0
            if not 1 <= steps < 1e4 or abs(steps - round(steps)) > 1e-6:
                raise ValueError(typed)
            numbers += [convert(f"{low + step * i:.12g}") for i in range(2, round(steps))]
    return numbers


@refusing("is neither an amount from 1e-12 to 1e9, such as .01, nor a percentage, such as 2%")
def _margin(raw: Any) -> Margin:
    text = str(raw)
    is_share = text.endswith("%")
    return Margin(within(number_of(text.removesuffix("%")) / (100 if is_share else 1), 1e-12, 1e9), is_share)


@refusing("is not LOWEST,HIGHEST, such as 0,5")
def _ends_of_scale(raw: Any) -> tuple[float, float]:
    low, high = (within(number_of(part), -1e9, 1e9) for part in _listed(raw))
    within(high - low, 1e-9, math.inf)
    return low, high


@refusing("is not NAME=VARIANCE")
def _variance(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    if not name or re.search(r"=[\d.eE+-]+,", name):  # several
        raise ValueError(text)
    variance = number_of(number)
    return name, variance and within(variance, 1e-12, 1e9)


@refusing("is not NAME=MEAN,SD,N or NAME=MEAN,SD,N,REFERENCE")
def _summary(text: str) -> tuple[str, float, float, int, str]:
    name, _, figures = text.partition("=")
    mean, sd, topics, *reference = figures.split(",")
    if not name or len(reference) > 1:
        raise ValueError(text)
    spread, number = decimal(sd), whole_number(topics)
    within(number, 2, 10**9)
    return (
        name,
        within(decimal(mean), -1e9, 1e9),
        spread and within(spread, 1e-9, 1e9),
        number,
        "".join(reference).strip(BLANKS),
    )


def _with_name(raw: Any) -> str:
    """NAME=FIGURE,..., whether typed so or a pair of a name and its figures."""
    if isinstance(raw, str):
        return raw
    name, figures = raw
    listed = figures if isinstance(figures, list | tuple) else [figures]
    plain = [own.item() if hasattr(own, "item") else own for own in listed]
    return f"{name}=" + ",".join(own if isinstance(own, str) else repr(own) for own in plain)


@refusing(f"is no width: column, page, or from {NARROWEST:g} to {WIDEST:g} inches")
def _width(raw: Any) -> float:
    return INCHES.get(raw) or within(number_of(raw), NARROWEST, WIDEST)


MARGIN = Type("margin", "float | str", _margin, "MARGIN")
ENDS_OF_SCALE = Type("range", "str | Sequence[float]", _ends_of_scale, "LOWEST,HIGHEST")
VARIANCE = Type("variance", "Mapping[str, float] | Several[str]", lambda raw: _variance(_with_name(raw)), "NAME=V")
SUMMARY = Type(
    "summary", "Mapping[str, Sequence[object]] | Several[str]", lambda raw: _summary(_with_name(raw)), "NAME=MEAN,SD,N"
)
WIDTH = Type("width", "float", _width, "column|page|INCHES")

STANDARD_STREAM = "-"
INPUT = Type("path", "Path", os.fspath, "FILE")


def number_or_file(number: Type, metavar: str) -> Type:
    """A whole number, several or a word, or else the path of a file; digits and commas are no path."""

    def value(raw: Any) -> Any:
        is_number = set(raw) <= set("0123456789,") if isinstance(raw, str) else not hasattr(raw, "__fspath__")
        return number.value(raw) if is_number else os.fspath(raw)

    return Type("path", f"{number.annotation} | Path", value, metavar)


PARTS = number_or_file(numbers(2, 100, are_whole=True), "N,...|FILE")
HALVES = number_or_file(whole(1, 100_000), "N|md5|FILE")


def _reference(raw: Any) -> str:
    return ",".join(raw) if isinstance(raw, list | tuple) else os.fspath(raw)


def _judge(raw: Any) -> Any:
    """The path of a judge's qrels; or R:M, the correlation of scores and the number of topics."""
    both = raw.split(":") if isinstance(raw, str) and re.fullmatch(r"[\d.]+:\d+", raw) else raw
    if not isinstance(both, list | tuple):
        return os.fspath(raw)
    try:
        return within(number_of(both[0]), 0, 1 - 1e-9), whole(4, 1_000_000).value(both[1])
    except ValueError:
        raise BadValue(f"{both[0]} is no correlation from 0 to below 1.") from None


def _collections(raw: Any) -> Any:
    return raw if isinstance(raw, dict) else os.fspath(raw)  # from Python: the files of each collection


def _plan(raw: Any) -> Any:
    from irci.data.plans import ComparisonPlan  # takes time

    return ComparisonPlan.of_file(os.fspath(raw))


def _picture(raw: Any) -> str:
    path = os.fspath(raw)
    if path.rpartition(".")[2].lower() not in get_args(Picture):
        raise BadValue(f"{path!r} does not end in .{', .'.join(get_args(Picture))}")
    return str(path)


REFERENCE = Type("path", "str | Path | Sequence[str]", _reference, "RUN,...|FILE")
JUDGMENTS = Type("path", "Source", os.fspath, "FILE[:LEVEL]")
JUDGE = Type("path", "Source | tuple[float, int]", _judge, "QRELS_B|R:M")
COLLECTIONS = Type("path", "Path | Mapping[str, tuple[Source, Source]]", _collections, "FILE")
PLAN = Type("path", "Path", _plan, "FILE")
TOPICS = Type("path", "Topics", os.fspath, "LIST|@FILE")
OUTPUT = Type("path", "Path", os.fspath, "FILE", writes=True)
PICTURE = Type("path", "Path", _picture, "FILE", writes=True)


def _rule(label: str, *columns: tuple[str, ...]) -> Type:
    """A regular expression with named groups, or a file that says the same of every name; from Python also rows."""

    def value(raw: Any) -> Any:
        from irci.data.rules import read_rule  # takes time

        try:
            return read_rule(raw, label, columns)
        except ValueError as error:
            raise BadValue(f"{os.fspath(raw)!r}: {error}") from None

    return Type("path", "Groups", value, "FILE|REGEX", columns=columns)


VERSIONS = _rule("versions", ("run", "system", "version"), ("run", "topic_id", "system", "topic", "version"))
CLUSTERS = _rule("clusters", ("topic", "cluster"))
SLICES = _rule("slices", ("topic", "slice"))
SEEDS = _rule("seeds", ("run", "system", "seed"))
PASSES = _rule("passes", ("file", "pass"), ("file", "pass", "judge"))
RULES = (VERSIONS, CLUSTERS, SLICES, SEEDS, PASSES)
