"""Kinds of values that options take: files, measures, lists of numbers, fractions."""

import logging
import math
from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from irci.base.names import BLANKS, OF_COLLECTIONS, is_name, is_text
from irci.base.numerals import decimal, whole_number

logger = logging.getLogger("irci")

SMALLEST_FRACTION = 1e-9
STANDARD_STREAM = "-"
OF_ALL_TREC = "rbp_resid is Moffat and Zobel's: trec_eval prints 0 for it where nothing retrieved lacks a judgment"


class InputFile(click.Path):
    """What is read, or something else that the option takes instead. Whether it can be read is seen when it is."""

    def __init__(self) -> None:
        super().__init__(readable=False, allow_dash=True)

    def paths(self, value: Any) -> Iterable[str]:
        """The paths in a value of the option: itself, or each of several."""
        return value if isinstance(value, tuple) else (value,)


class TopicsFile(InputFile):
    """A list of topics, or the file that holds one: behind @, or with a slash (`irci.data.inputs`)."""

    def paths(self, value: Any) -> Iterable[str]:
        """The file, if it is one."""
        is_file = value.startswith("@") or "/" in value or value == STANDARD_STREAM
        return (value.removeprefix("@"),) if is_file else ()


class OutputFile(click.Path):
    """What is written: looked at before anything is read (`irci.cli.outputs`)."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, readable=False, allow_dash=True)


class OutputFolder(click.Path):
    """A folder that is written into."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, readable=False)


class CollectionName(click.ParamType[Any]):
    """What can stand in a column of a table."""

    name = "collection"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or a usage error."""
        name = str(value)
        if not is_name(name) or name != name.strip(BLANKS) or not is_text(name) or set(name) & set("\r\0"):
            self.fail(
                f"{name!r} is no name: give it letters, without tabs, line ends or blanks at the ends", param, ctx
            )
        if name in OF_COLLECTIONS:
            self.fail(f"{name!r} stands for the mean over collections: give another name", param, ctx)
        return name


class MeasureName(click.ParamType[Any]):
    """Measures by trec_eval's name, or ir_measures'."""

    name = "measure"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The measures of this name, or a usage error."""
        from irci.data.measures import ALL_TREC, asked_for, named

        try:
            measures = asked_for(value)
        except ValueError as error:
            if ctx is not None and ctx.params.get("scores"):
                return [named(value)]  # a file of scores may hold any measure
            self.fail(str(error), param, ctx)
        if value == ALL_TREC:
            logger.warning(OF_ALL_TREC)
        return measures

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The measures that begin so."""
        from irci.data.measures import FAMILIES, NICKNAMES

        return [CompletionItem(name) for name in (*FAMILIES, *NICKNAMES) if name.startswith(incomplete)]


class Whole(click.IntRange):
    """A whole number between two bounds, both of which it may be, in ASCII digits."""

    name = "whole number"

    def __init__(self, least: int, most: int) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a usage error."""
        is_text = isinstance(value, str)
        if isinstance(value, bool) or not (is_text or hasattr(value, "__index__")):  # of a call from Python
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        if is_text and ("_" in value or not value.isascii()):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(value, param, ctx)


class Numbers(click.ParamType[Any]):
    """A list of numbers with commas, whole ones or others, from the least to the most; 1,2,...,10 is equal steps up to 10."""

    name = "list"

    def __init__(self, least: float, most: float, *, whole: bool = False) -> None:
        self.least, self.most, self.whole = least, most, whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The numbers, or a usage error; a call from Python gives them as a tuple."""
        try:
            parts = [str(part) for part in value] if isinstance(value, tuple) else _spelled_out(value)
            numbers = tuple((whole_number if self.whole else decimal)(part) for part in parts)
        except ValueError:
            numbers = ()
        if not numbers or not all(self.least <= number <= self.most for number in numbers):
            kind = "whole numbers" if self.whole else "numbers"
            ends = (
                f"from {self.least:.10g} to {self.most:.10g}" if self.most > 1 else "between 0 and 1, such as 0.05,0.01"
            )
            self.fail(f"{value!r} is not a list of {kind} {ends}", param, ctx)
        return tuple(dict.fromkeys(numbers))


def _spelled_out(value: str) -> list[str]:
    """The numbers of a list, and those that dots between them stand for."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
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
            raise click.BadParameter(f"{value!r}: steps of {step:.12g} lead to {below} and {above}, not to {last:.12g}")
        parts[place : place + 1] = [f"{low + step * i:.12g}" for i in range(2, round(steps))]
    return parts


class Real(click.FloatRange):
    """A number in a range, in ASCII digits; nan is in none."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        try:
            number = decimal(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return super().convert(number, param, ctx)


class Fraction(click.ParamType[Any]):
    """A number between 0 and 1, neither of which it is."""

    name = "fraction"
    least, most = SMALLEST_FRACTION, 1 - SMALLEST_FRACTION

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error."""
        try:
            number = decimal(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not self.least <= number <= self.most:
            self.fail(f"{value!r} must be between 0 and 1{_fraction_meant(value)}", param, ctx)
        return number


def _fraction_meant(value: Any) -> str:
    """The fraction that a percentage stands for, or an example."""
    try:
        share = decimal(str(value).removesuffix("%")) / 100
    except ValueError:
        share = math.nan
    return f"; did you mean {share:.10g}?" if 0 < share < 1 else ", such as 0.95"


class MarginSize(click.ParamType[Any]):
    """A margin: an amount, or a percentage of the baseline's mean."""

    name = "margin"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The margin, or a usage error."""
        from irci.studies.map_ci.settings import Margin

        value = str(value)  # a number, in a call from Python
        is_share = value.endswith("%")
        try:
            amount = decimal(value.removesuffix("%")) / (100 if is_share else 1)
        except ValueError:
            amount = 0.0
        if not 1e-12 <= amount <= 1e9:
            self.fail(
                f"{value!r} is neither an amount from 1e-12 to 1e9, such as .01, nor a percentage, such as 2%",
                param,
                ctx,
            )
        return Margin(amount, is_share)
