"""Types of values: each takes a word that is typed, or a value from Python, and says what is wrong with another."""

import math
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, get_args

from irci.base import names
from irci.base.choices import Picture
from irci.base.errors import UsageError
from irci.base.names import BLANKS, OF_COLLECTIONS, decimal, is_name, is_text, whole_number

SMALLEST_FRACTION = 1e-9
STANDARD_STREAM = "-"


class BadValue(UsageError):
    """A value that an option does not take, and why; the option is named by whoever asked."""


class Type:
    """A type of values; this one is any text."""

    name: ClassVar[str] = "text"
    annotation: ClassVar[str] = "str"  # of a value from Python

    def value(self, given: Any) -> Any:
        """The value that a word, or an object from Python, stands for; raises BadValue if it is none."""
        return ",".join(map(str, given)) if isinstance(given, list | tuple) else str(given)

    def words(self) -> Sequence[str]:
        """Words to choose from, if there are any."""
        return ()

    def range(self) -> str:
        """The range of its numbers, if help tells it."""
        return ""


class Flag(Type):
    """Yes or no; `default`: what it is where it is not given."""

    name: ClassVar[str] = "boolean"
    annotation: ClassVar[str] = "bool"

    def value(self, given: Any) -> bool:
        """The same."""
        if not isinstance(given, bool):
            raise BadValue(f"{given!r} is neither True nor False.")
        return given


class Choice(Type):
    """One of several words, those of a Literal."""

    name: ClassVar[str] = "choice"

    def __init__(self, of: Any) -> None:
        self.of = of

    def value(self, given: Any) -> str:
        """The same."""
        if str(given) not in self.words():
            raise BadValue(f"{given!r} is not one of {', '.join(map(repr, self.words()))}.")
        return str(given)

    def words(self) -> Sequence[str]:
        """Each word once, in the order of the help."""
        return tuple(dict.fromkeys(_words(self.of)))


def _words(of: Any) -> tuple[str, ...]:
    arguments = get_args(of)
    return arguments if all(isinstance(each, str) for each in arguments) else sum(map(_words, arguments), ())


class Several(Choice):
    """A list with commas of some of the words; `none`: whether the word none stands for none of them."""

    name: ClassVar[str] = "list"

    def __init__(self, of: Any, *, none: bool = False) -> None:
        super().__init__(of)
        self.none = ("none",) if none else ()

    def value(self, given: Any) -> tuple[str, ...]:  # type: ignore[override]
        """The words chosen, each once."""
        parts = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else [given]
        words = [word for part in parts if (word := str(part).strip())]
        for word in words:
            if word not in (*self.words(), *self.none):
                raise BadValue(f"{word!r} is not one of {', '.join((*self.words(), *self.none))}")
        if not words:
            raise BadValue(f"{given!r} is none of {', '.join((*self.words(), *self.none))}")
        return tuple(dict.fromkeys(word for word in words if word not in self.none))


class Whole(Type):
    """A whole number between two bounds, both of which it may be, in ASCII digits; but `excluded`, for a reason."""

    name: ClassVar[str] = "whole number"
    annotation: ClassVar[str] = "int"

    def __init__(self, least: int, most: int, excluded: Mapping[int, str] = MappingProxyType({})) -> None:
        self.least, self.most, self.excluded = least, most, excluded

    def value(self, given: Any) -> int:
        """The number."""
        typed = isinstance(given, str)
        takes = given.isascii() and "_" not in given if typed else hasattr(given, "__index__")
        try:
            number = int(given) if takes and not isinstance(given, bool) else None
        except (ValueError, TypeError):
            number = None
        if number is None:
            raise BadValue(f"{given!r} is not a valid {self.name}.")
        if not self.least <= number <= self.most:
            raise BadValue(f"{number} is not in the range {self.range()}.")
        if number in self.excluded:
            raise BadValue(self.excluded[number])
        return number

    def range(self) -> str:
        """Both bounds."""
        return f"{self.least}<=x<={self.most}"


class Real(Type):
    """A number between two bounds, the upper of which it may be unless that is `open`, in ASCII digits; nan is in none."""

    name: ClassVar[str] = "number"
    annotation: ClassVar[str] = "float"

    def __init__(self, least: float, most: float, *, open: bool = False) -> None:
        self.least, self.most, self.open = least, most, open

    def value(self, given: Any) -> float:
        """The number."""
        number = number_of(given)
        if math.isnan(number):
            raise BadValue(f"{given!r} is not a valid {self.name}.")
        if not self.least <= number <= self.most or (self.open and number == self.most):
            raise BadValue(f"{number} is not in the range {self.range()}.")
        return number

    def range(self) -> str:
        """Both bounds."""
        return f"{self.least}<=x{'<' if self.open else '<='}{self.most}"


def number_of(given: Any) -> float:
    """The number that a word spells, or an object from Python is; nan for others."""
    try:
        return decimal(given) if isinstance(given, str) else float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


class Fraction(Type):
    """A number between 0 and 1, neither of which it is."""

    name: ClassVar[str] = "fraction"
    annotation: ClassVar[str] = "float"
    least: ClassVar[float] = SMALLEST_FRACTION
    most: ClassVar[float] = 1 - SMALLEST_FRACTION

    def value(self, given: Any) -> float:
        """The number; a percentage is told which fraction it is."""
        number = number_of(given)
        if self.least <= number <= self.most:
            return number
        share = number_of(str(given).removesuffix("%")) / 100
        meant = f"; did you mean {share:.10g}?" if 0 < share < 1 else ", such as 0.95"
        raise BadValue(f"{given!r} must be between 0 and 1{meant}")


class Numbers(Type):
    """A list of numbers with commas, whole ones or others, from the least to the most; 1,2,...,10 is equal steps up to 10."""

    name: ClassVar[str] = "list"

    def __init__(self, least: float, most: float, *, whole: bool = False) -> None:
        self.least, self.most, self.whole = least, most, whole

    @property
    def annotation(self) -> str:  # type: ignore[override]
        """One number or several."""
        return "Several[int]" if self.whole else "Several[float]"

    def value(self, given: Any) -> tuple[float, ...]:
        """The numbers, each once."""
        if not isinstance(given, str):
            given = tuple(given) if isinstance(given, Iterable) else (given,)
        try:
            parts = _spelled_out(given) if isinstance(given, str) else [str(part) for part in given]
            numbers = tuple((whole_number if self.whole else decimal)(part) for part in parts)
        except ValueError:
            numbers = ()
        if not numbers or not all(self.least <= number <= self.most for number in numbers):
            kind = "whole numbers" if self.whole else "numbers"
            ends = (
                f"from {self.least:.10g} to {self.most:.10g}" if self.most > 1 else "between 0 and 1, such as 0.05,0.01"
            )
            raise BadValue(f"{given!r} is not a list of {kind} {ends}")
        return tuple(dict.fromkeys(numbers))


def _spelled_out(listed: str) -> list[str]:
    """The numbers of a list, and those that dots between them stand for. Raises ValueError, or BadValue for uneven steps."""
    parts = [part.strip() for part in listed.split(",") if part.strip()]
    if "..." in parts:
        place = parts.index("...")
        low, step_to, last = (
            (decimal(parts[place + i]) for i in (-2, -1, 1)) if 2 <= place < len(parts) - 1 else (0, 0, 0)
        )
        step = step_to - low
        if not 0 < step <= (last - low) < 1e4 * step:
            raise ValueError
        steps = (last - low) / step
        if abs(steps - round(steps)) > 1e-6:
            below, above = (f"{low + step * i:.12g}" for i in (math.floor(steps), math.ceil(steps)))
            raise BadValue(f"{listed!r}: steps of {step:.12g} lead to {below} and {above}, not to {last:.12g}")
        parts[place : place + 1] = [f"{low + step * i:.12g}" for i in range(2, round(steps))]
    return parts


class MarginSize(Type):
    """A margin: an amount, or a percentage of the baseline's mean."""

    name: ClassVar[str] = "margin"
    annotation: ClassVar[str] = "float | str"

    def value(self, given: Any) -> Any:
        """The margin."""
        text = str(given)
        is_share = text.endswith("%")
        amount = number_of(text.removesuffix("%")) / (100 if is_share else 1)
        if not 1e-12 <= amount <= 1e9:
            wanted = "neither an amount from 1e-12 to 1e9, such as .01, nor a percentage, such as 2%"
            raise BadValue(f"{text!r} is {wanted}")
        return names.Margin(amount, is_share)


class Lambda(Type):
    """A number from 0 to 10, or `tuned`."""

    name: ClassVar[str] = "lambda"
    annotation: ClassVar[str] = 'float | Literal["tuned"]'

    def value(self, given: Any) -> Any:
        """The number or the word."""
        if isinstance(given, str) and given == "tuned":
            return given
        number = number_of(given if isinstance(given, str) else str(given))
        if not 0 <= number <= 10:
            raise BadValue(f"{given!r} is neither tuned nor a number from 0 to 10")
        return number


class Variance(Type):
    """The name of a measure and its variance, NAME=NUMBER."""

    name: ClassVar[str] = "variance"
    annotation: ClassVar[str] = "Mapping[str, float] | Several[str]"

    def value(self, given: Any) -> tuple[str, float]:
        """Both."""
        text = spelled(given)
        name, equals, number = text.rpartition("=")
        variance = number_of(number)
        if not (equals and name and (variance == 0 or 1e-12 <= variance <= 1e9)):
            raise BadValue(f"{text!r} is not NAME=VARIANCE")
        return name, variance


class Summary(Type):
    """Published figures, NAME=mean,sd,n, and a name of the reference systems if it is known."""

    name: ClassVar[str] = "summary"
    annotation: ClassVar[str] = "Mapping[str, Sequence[object]] | Several[str]"

    def value(self, given: Any) -> tuple[str, float, float, int, str]:
        """Name, mean, sd, n and reference."""
        text = spelled(given)
        name, _, figures = text.partition("=")
        mean, sd, topics, *reference = [*figures.split(","), "", "", ""][: max(3, figures.count(",") + 1)]
        try:
            numbers = decimal(mean), decimal(sd), whole_number(topics)
        except ValueError:
            numbers = math.nan, math.nan, 0
        has_spread = numbers[1] == 0 or 1e-9 <= numbers[1] <= 1e9
        if not (name and abs(numbers[0]) <= 1e9 and has_spread and 2 <= numbers[2] <= 10**9 and len(reference) < 2):
            raise BadValue(f"{text!r} is not NAME=MEAN,SD,N or NAME=MEAN,SD,N,REFERENCE")
        return name, *numbers, reference[0].strip(BLANKS) if reference else ""


def spelled(given: Any) -> str:
    """A name and figures as they are typed, NAME=FIGURE,..., whether typed so or a pair of both."""
    if isinstance(given, str):
        return given
    name, figures = given
    some = figures if isinstance(figures, list | tuple) else [figures]
    return f"{name}=" + ",".join(
        each if isinstance(each, str) else repr(each.item() if hasattr(each, "item") else each) for each in some
    )


class CollectionName(Type):
    """Names that can stand in a column of a table."""

    name: ClassVar[str] = "collection"

    def value(self, given: Any) -> str:
        """The name."""
        name = str(given)
        if not is_name(name) or name != name.strip(BLANKS) or not is_text(name) or set(name) & set("\r\0"):
            raise BadValue(f"{name!r} is no name: give it letters, without tabs, line ends or blanks at the ends")
        if name in OF_COLLECTIONS:
            raise BadValue(f"{name!r} stands for the mean over collections: give another name")
        return name


class MeasureName(Type):
    """A measure by trec_eval's name, or ir_measures'; `irci.options.given` makes measures of all that are given."""

    name: ClassVar[str] = "measure"

    def words(self) -> Sequence[str]:
        """The names that there are."""
        from irci.data.measures import FAMILIES, NICKNAMES

        return (*FAMILIES, *NICKNAMES)


class InputFile(Type):
    """A path of what is read, or something else that the option takes instead. Whether it can be read is seen when it is."""

    name: ClassVar[str] = "path"
    annotation: ClassVar[str] = "Path"

    def value(self, given: Any) -> Any:
        """The path."""
        return os.fspath(given)

    def paths(self, value: Any) -> Iterable[str]:
        """The paths in a value of the option: itself, or each of several."""
        return value if isinstance(value, tuple) else (value,)


class Judgments(InputFile):
    """A path of qrels; from Python also what else holds judgments."""

    annotation: ClassVar[str] = "Source"


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

    def value(self, given: Any) -> str:
        """The path."""
        path = os.fspath(given)
        if path != STANDARD_STREAM and _is(stat.S_ISDIR, path):
            raise BadValue(f"File {path!r} is a directory.")
        return str(path)


class PictureFile(OutputFile):
    """A path of a picture, whose ending says of which format."""

    def value(self, given: Any) -> str:
        """The path."""
        path = super().value(given)
        if path.rpartition(".")[2].lower() not in get_args(Picture):
            raise BadValue(f"{path!r} does not end in .{', .'.join(get_args(Picture))}")
        return path


class OutputFolder(OutputFile):
    """A folder that is written into."""

    def value(self, given: Any) -> str:
        """The path."""
        path = os.fspath(given)
        if _is(stat.S_ISREG, path):
            raise BadValue(f"Directory {path!r} is a file.")
        return str(path)


def _is(kind: Any, path: str) -> bool:
    try:
        return bool(kind(os.stat(path).st_mode))
    except (OSError, ValueError):
        return False
