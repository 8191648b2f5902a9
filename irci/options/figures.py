"""Types of figures: lists of numbers, margins, and names with figures."""

import math
import re
from collections.abc import Iterable
from typing import Any, ClassVar

from irci.base.names import BLANKS, Margin, decimal, whole_number
from irci.options.types import BadValue, Type, number_of


class Numbers(Type):
    """A list of numbers with commas, whole ones or others, from the least to the most; 1,2,...,10 is equal steps up to 10, and
    of whole numbers 5-10 is all from 5 to 10."""

    name: ClassVar[str] = "list"

    def __init__(self, least: float, most: float, *, whole: bool = False) -> None:
        self.least, self.most, self.whole = least, most, whole

    @property
    def annotation(self) -> str:  # type: ignore[override]
        """One number or several."""
        return "Several[int]" if self.whole else "Several[float]"

    def value(self, raw: Any) -> tuple[float, ...]:
        """The numbers, each once."""
        if not isinstance(raw, str):
            raw = tuple(raw) if isinstance(raw, Iterable) else (raw,)
        try:
            parts = _spelled_out(raw) if isinstance(raw, str) else [str(part) for part in raw]
            numbers = tuple((whole_number if self.whole else decimal)(part) for part in parts)
        except ValueError:
            numbers = ()
        if not numbers or not all(self.least <= number <= self.most for number in numbers):
            kind = "whole numbers" if self.whole else "numbers"
            ends = (
                f"from {self.least:.10g} to {self.most:.10g}" if self.most > 1 else "between 0 and 1, such as 0.05,0.01"
            )
            raise BadValue(f"{raw!r} is not a list of {kind} {ends}")
        return tuple(dict.fromkeys(numbers))


def _spelled_out(listed: str) -> list[str]:
    """The numbers of a list, and those that dots between them stand for. Raises ValueError, or BadValue for uneven steps."""
    parts = [each for part in listed.split(",") if part.strip() for each in _range(part.strip())]
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


def _range(part: str) -> list[str]:
    """All numbers of a range such as 5-10; another part as it is."""
    ends = re.fullmatch(r"(\d{1,7})-(\d{1,7})", part)
    return [part] if ends is None else list(map(str, range(int(ends[1]), int(ends[2]) + 1)))


class MarginSize(Type):
    """A margin: an amount, or a percentage of the baseline's mean."""

    name: ClassVar[str] = "margin"
    annotation: ClassVar[str] = "float | str"

    def value(self, raw: Any) -> Any:
        text = str(raw)
        is_share = text.endswith("%")
        amount = number_of(text.removesuffix("%")) / (100 if is_share else 1)
        if not 1e-12 <= amount <= 1e9:
            wanted = "neither an amount from 1e-12 to 1e9, such as .01, nor a percentage, such as 2%"
            raise BadValue(f"{text!r} is {wanted}")
        return Margin(amount, is_share)


class EndsOfScale(Type):
    """Two numbers with a comma, the lesser first: the least and the greatest score."""

    name: ClassVar[str] = "range"
    annotation: ClassVar[str] = "str | Sequence[float]"

    def value(self, raw: Any) -> tuple[float, float]:
        """Both."""
        parts = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, Iterable) else [raw]
        numbers = [number_of(part) for part in parts]
        if (
            len(numbers) != 2
            or not all(abs(number) <= 1e9 for number in numbers)
            or not numbers[1] - numbers[0] >= 1e-9
        ):
            raise BadValue(f"{raw!r} is not LOWEST,HIGHEST, such as 0,5")
        return numbers[0], numbers[1]


class VarianceFigure(Type):
    """The name of a measure and its variance, NAME=NUMBER."""

    name: ClassVar[str] = "variance"
    annotation: ClassVar[str] = "Mapping[str, float] | Several[str]"

    def value(self, raw: Any) -> tuple[str, float]:
        text = spelled(raw)
        name, equals, number = text.rpartition("=")
        variance = number_of(number)
        if not (equals and name and (variance == 0 or 1e-12 <= variance <= 1e9)):
            raise BadValue(f"{text!r} is not NAME=VARIANCE")
        return name, variance


class SummaryFigures(Type):
    """Published figures, NAME=mean,sd,n, and a name of the reference systems if it is known."""

    name: ClassVar[str] = "summary"
    annotation: ClassVar[str] = "Mapping[str, Sequence[object]] | Several[str]"

    def value(self, raw: Any) -> tuple[str, float, float, int, str]:
        """Name, mean, sd, n and reference."""
        text = spelled(raw)
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


def spelled(raw: Any) -> str:
    """A name and figures as they are typed, NAME=FIGURE,..., whether typed so or a pair of both."""
    if isinstance(raw, str):
        return raw
    name, figures = raw
    some = figures if isinstance(figures, list | tuple) else [figures]
    return f"{name}=" + ",".join(
        each if isinstance(each, str) else repr(each.item() if hasattr(each, "item") else each) for each in some
    )
