"""Types of values, but for figures: each takes what is typed, or comes from Python, and says what is wrong with another."""

import math
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, get_args

from irci.base.choices import INCHES, NARROWEST, WIDEST, Picture
from irci.base.errors import UsageError
from irci.base.names import decimal, nearest, path_and_level

SMALLEST_FRACTION = 1e-9
STANDARD_STREAM = "-"


class BadValue(UsageError):
    """A value that an option does not take, and why; the option is named by whoever asked."""


class Type:
    """A type of values; this one is any text."""

    name: ClassVar[str] = "text"
    annotation: ClassVar[str] = "str"  # of a value from Python

    def value(self, raw: Any) -> Any:
        """The value that a word, or an object from Python, stands for; raises BadValue if it is none."""
        return ",".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)

    def words(self) -> Sequence[str]:
        """Words to choose from, if there are any."""
        return ()

    def range(self) -> str:
        """The range of its numbers, if it has any."""
        return ""


class Flag(Type):
    """Yes or no; `default`: what it is where it is not given."""

    name: ClassVar[str] = "boolean"
    annotation: ClassVar[str] = "bool"

    def value(self, raw: Any) -> bool:
        if not isinstance(raw, bool):
            raise BadValue(f"{raw!r} is neither True nor False.")
        return raw


class Choice(Type):
    """One of several words, those of a Literal."""

    name: ClassVar[str] = "choice"

    def __init__(self, of: Any) -> None:
        self.of = of

    def value(self, raw: Any) -> str:
        if str(raw) not in self.words():
            raise BadValue(
                f"{raw!r} is not one of {', '.join(map(repr, self.words()))}{meant(raw, self.words()) or '.'}"
            )
        return str(raw)

    def words(self) -> Sequence[str]:
        """Each word once, in the order of the help."""
        return tuple(dict.fromkeys(_words(self.of)))


# Words of other tools, each line with what is called otherwise here.
OTHERS_WORDS = {
    "xls xlsx excel": "csv", "md": "markdown", "tex": "latex", "htm": "html", "txt": "text", "jsonlines ndjson": "jsonl",
    "permutation fisher": "randomization", "ttest t-test student paired-t": "t", "bonferroni": "holm",
    "fdr benjamini-hochberg hochberg": "bh", "query queries topic": "topics",
    "docs document doc": "documents", "max-t tukey": "maxt", "signed-rank": "wilcoxon",
    "unjudged holes bounds judgements qrels": "judgments", "significantly-worse lower regression": "worse",
    "equivalent different": "not-equivalent", "pm plusminus +- se sd": "plus-minus", "ci interval limits": "brackets",
    "no off": "none", "paper": "wide",
}  # fmt: skip


def meant(raw: Any, words: Sequence[str]) -> str:
    """Which of these words may be meant, as a question behind others; "" if none is."""
    plain = str(raw).lower().replace("_", "-")
    others = (word for spelled, word in OTHERS_WORDS.items() if plain in spelled.split() and word in words)
    near = next(others, "") or nearest(plain, words)
    return f"; did you mean {near}?" if near else ""


def _words(of: Any) -> tuple[str, ...]:
    arguments = get_args(of)
    return arguments if all(isinstance(argument, str) for argument in arguments) else sum(map(_words, arguments), ())


class Several(Choice):
    """A list with commas of some of the words; `none`: whether the word none stands for none of them."""

    name: ClassVar[str] = "list"

    def __init__(self, of: Any, *, none: bool = False) -> None:
        super().__init__(of)
        self.none = ("none",) if none else ()

    def value(self, raw: Any) -> tuple[str, ...]:  # type: ignore[override]
        """The words chosen, each once."""
        parts = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, Iterable) else [raw]
        words = [word for part in parts if (word := str(part).strip())]
        for word in words:
            if word not in (*self.words(), *self.none):
                there_are = ", ".join((*self.words(), *self.none))
                raise BadValue(f"{word!r} is not one of {there_are}{meant(word, self.words())}")
        if not words:
            raise BadValue(f"{raw!r} is none of {', '.join((*self.words(), *self.none))}")
        return tuple(dict.fromkeys(word for word in words if word not in self.none))


class Whole(Type):
    """A whole number between two bounds, both of which it may be, in ASCII digits; but `excluded`, for a reason."""

    name: ClassVar[str] = "whole number"
    annotation: ClassVar[str] = "int"

    def __init__(self, least: int, most: int, excluded: Mapping[int, str] = MappingProxyType({})) -> None:
        self.least, self.most, self.excluded = least, most, excluded

    def value(self, raw: Any) -> int:
        typed = isinstance(raw, str)
        takes = raw.isascii() and "_" not in raw if typed else hasattr(raw, "__index__")
        try:
            number = int(raw) if takes and not isinstance(raw, bool) else None
        except (ValueError, TypeError):
            number = None
        if number is None:
            raise BadValue(f"{raw!r} is not a valid {self.name}.")
        if not self.least <= number <= self.most:
            raise BadValue(f"{number} is not in the range {self.range()}.")
        if number in self.excluded:
            raise BadValue(self.excluded[number])
        return number

    def range(self) -> str:
        return f"{self.least}<=x<={self.most}"


class TopicIntervals(Choice):
    """Kinds of intervals over topics, of which a prediction may be for a number of topics: prediction:50."""

    sizes: ClassVar[Whole] = Whole(1, 1_000_000)

    def value(self, raw: Any) -> str:
        kind, colon, number = str(raw).partition(":")
        return f"{kind}:{self.sizes.value(number)}" if kind == "prediction" and colon else super().value(raw)


class Real(Type):
    """A number between two bounds, the upper of which it may be unless that is `open`, in ASCII digits; nan is in none."""

    name: ClassVar[str] = "number"
    annotation: ClassVar[str] = "float"

    def __init__(self, least: float, most: float, *, open: bool = False) -> None:
        self.least, self.most, self.open = least, most, open

    def value(self, raw: Any) -> float:
        number = number_of(raw)
        if math.isnan(number):
            raise BadValue(f"{raw!r} is not a valid {self.name}.")
        if not self.least <= number <= self.most or (self.open and number == self.most):
            raise BadValue(f"{number} is not in the range {self.range()}.")
        return number

    def range(self) -> str:
        return f"{self.least}<=x{'<' if self.open else '<='}{self.most}"


def number_of(raw: Any) -> float:
    """The number that a word spells, or an object from Python is; nan for others."""
    try:
        return decimal(raw) if isinstance(raw, str) else float(raw)
    except (TypeError, ValueError, OverflowError):
        return math.nan


class Fraction(Type):
    """A number between 0 and 1, neither of which it is."""

    name: ClassVar[str] = "fraction"
    annotation: ClassVar[str] = "float"
    least: ClassVar[float] = SMALLEST_FRACTION
    most: ClassVar[float] = 1 - SMALLEST_FRACTION

    def value(self, raw: Any) -> float:
        """The number; a percentage is told which fraction it is."""
        number = number_of(raw)
        if self.least <= number <= self.most:
            return number
        share = number_of(str(raw).removesuffix("%")) / 100
        meant = f"; did you mean {share:.10g}?" if 0 < share < 1 else ", such as 0.95"
        raise BadValue(f"{raw!r} must be between 0 and 1{meant}")


class MeasureName(Type):
    """A measure by trec_eval's name, or ir_measures'; `irci.options.call` makes measures of all that are given."""

    name: ClassVar[str] = "measure"

    def words(self) -> Sequence[str]:
        """The names that there are."""
        from irci.measures import FAMILIES, NICKNAMES

        return (*FAMILIES, *NICKNAMES)


class InputFile(Type):
    """A path of what is read, or something else that the option takes instead. Whether it can be read is seen when it is."""

    name: ClassVar[str] = "path"
    annotation: ClassVar[str] = "Path"

    def value(self, raw: Any) -> Any:
        return os.fspath(raw)

    def paths(self, value: Any) -> Iterable[str]:
        """The paths in a value of the option: itself, or each of several."""
        return value if isinstance(value, tuple) else (value,)


class NumberOrFile(InputFile):
    """A whole number, or one of some words, or else a path of a file; digits and commas are no path."""

    annotation: ClassVar[str] = "int | Path"
    number: ClassVar[Whole]
    others: ClassVar[tuple[str, ...]] = ()

    def value(self, raw: Any) -> Any:
        is_number = set(raw) <= set("0123456789,") if isinstance(raw, str) else hasattr(raw, "__index__")
        return self.number.value(raw) if is_number else super().value(raw)

    def paths(self, value: Any) -> Iterable[str]:
        """The file, if it is one."""
        return (value,) if isinstance(value, str) and value not in self.others else ()


class Parts(NumberOrFile):
    """A number of parts, or a path of a file that lists them."""

    number: ClassVar[Whole] = Whole(2, 100)


class Halves(NumberOrFile):
    """A number of random splits into halves, md5, or a path of a file that lists two parts."""

    number: ClassVar[Whole] = Whole(1, 100_000)
    others: ClassVar[tuple[str, ...]] = ("md5",)


class Reference(InputFile):
    """Names of runs with commas between them, or a word, or a path of a file of factors."""

    annotation: ClassVar[str] = "str | Path | Sequence[str]"

    def value(self, raw: Any) -> str:
        """The names, the word or the path."""
        text = ",".join(raw) if isinstance(raw, list | tuple) else str(super().value(raw))
        if text in ("random:0", "random:1", "random:2"):
            raise BadValue(f"{text!r}: standardised scores need 3 or more reference systems")
        return text

    def paths(self, value: Any) -> Iterable[str]:
        """The file, if there is one of this name."""
        return (value,) if os.path.exists(value) else ()


class JudgmentsFile(InputFile):
    """A path of qrels, with :LEVEL behind it or not; from Python also what else holds judgments, alone or with a level."""

    annotation: ClassVar[str] = "Source"

    def paths(self, value: Any) -> Iterable[str]:
        """The paths, without levels."""
        return (path_and_level(each)[0] for each in super().paths(value))


class JudgeWorth(JudgmentsFile):
    """A judge of topics beside people: a path of qrels; or the correlation of scores and the number of topics, R:M."""

    annotation: ClassVar[str] = "Source | tuple[float, int]"
    correlation: ClassVar[Real] = Real(0, 1 - 1e-9)
    topics: ClassVar[Whole] = Whole(4, 1_000_000)

    def value(self, raw: Any) -> Any:
        """The path, or both numbers."""
        both = raw.split(":") if isinstance(raw, str) and re.fullmatch(r"[\d.]+:\d+", raw) else raw
        if isinstance(both, list | tuple):
            return self.correlation.value(both[0]), self.topics.value(both[1])
        return super().value(raw)

    def paths(self, value: Any) -> Iterable[str]:
        """The file, if it is one."""
        return () if isinstance(value, tuple) else super().paths(value)


class CollectionsFile(InputFile):
    """A path of a list of collections; from Python also their files, each in memory or not."""

    annotation: ClassVar[str] = "Path | Mapping[str, tuple[Source, Source]]"

    def value(self, raw: Any) -> Any:
        if isinstance(raw, list):
            return raw
        path = super().value(raw)
        if _is(stat.S_ISDIR, path):
            raise BadValue(f"{path!r} is a folder: give it in place of QRELS and RUNs, without this option")
        return path

    def paths(self, value: Any) -> Iterable[str]:
        return (value,) if isinstance(value, str) else ()


class PlanFile(InputFile):
    """A path of a plan, which is read at once."""

    def value(self, raw: Any) -> Any:
        """The plan."""
        from irci.data.plans import ComparisonPlan  # takes time

        return ComparisonPlan.of_file(os.fspath(raw))

    def paths(self, value: Any) -> Iterable[str]:
        """The file that it was read from."""
        return (value.path,)


class TopicsFile(InputFile):
    """A list of topics, or the file that holds one: behind @, or with a slash (`irci.data.inputs`)."""

    annotation: ClassVar[str] = "Topics"

    def paths(self, value: Any) -> Iterable[str]:
        """The file, if it is one."""
        is_file = value.startswith("@") or "/" in value or value == STANDARD_STREAM
        return (value.removeprefix("@"),) if is_file else ()


class OutputFile(Type):
    """A path of what is written: looked at before anything is read (`irci.options.outputs`)."""

    name: ClassVar[str] = "path"
    annotation: ClassVar[str] = "Path"

    def value(self, raw: Any) -> str:
        path = os.fspath(raw)
        if path != STANDARD_STREAM and _is(stat.S_ISDIR, path):
            raise BadValue(f"File {path!r} is a directory.")
        return str(path)


class PictureFile(OutputFile):
    """A path of a picture, whose ending says of which format."""

    def value(self, raw: Any) -> str:
        path = super().value(raw)
        if path.rpartition(".")[2].lower() not in get_args(Picture):
            raise BadValue(f"{path!r} does not end in .{', .'.join(get_args(Picture))}")
        return path


class PictureWidth(Type):
    """Inches of a picture in print, by number, or by what it spans."""

    name: ClassVar[str] = "width"
    annotation: ClassVar[str] = "float"

    def value(self, raw: Any) -> float:
        inches = INCHES.get(raw) or number_of(raw)
        if not NARROWEST <= inches <= WIDEST:
            raise BadValue(f"{raw!r} is no width: column, page, or from {NARROWEST:g} to {WIDEST:g} inches")
        return inches


def _is(kind: Any, path: str) -> bool:
    try:
        return bool(kind(os.stat(path).st_mode))
    except (OSError, ValueError):
        return False
