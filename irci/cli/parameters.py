"""Kinds of values that options take: measures, lists of numbers, fractions."""

from typing import Any

import click
from click.shell_completion import CompletionItem


class MeasureName(click.ParamType[Any]):
    """Measures by trec_eval's name, or an alias."""

    name = "measure"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The measures of this name, or a usage error."""
        from irci.data.measures import named, parse

        try:
            return parse(value)
        except ValueError as error:
            if ctx is not None and ctx.params.get("scores"):
                return [named(value)]  # a file of scores may hold any measure
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The measures that begin so."""
        from irci.data.measures import TABLE

        return [CompletionItem(family.name) for family in TABLE if family.name.startswith(incomplete)]


class Numbers(click.ParamType[Any]):
    """A list of numbers with commas, whole ones or others, from the least on; 1,2,...,10 goes up by the same steps."""

    name = "list"

    def __init__(self, whole: bool = False, least: float | None = None) -> None:
        self.whole = whole
        self.least = (2 if whole else 1e-12) if least is None else least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The numbers, or a usage error."""
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple((int if self.whole else float)(part) for part in _spelled_out(value))
        except ValueError:
            numbers = ()
        if not numbers or not all(self.least <= number < 1e12 for number in numbers):
            kind = f"whole numbers from {self.least:g} on" if self.whole else "positive numbers"
            self.fail(f"{value!r} is no list of {kind if self.least else 'numbers from 0 on'}", param, ctx)
        return tuple(dict.fromkeys(numbers))


def _spelled_out(value: str) -> list[str]:
    """The numbers of a list, and those that dots between them stand for."""
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if "..." in parts:
        place = parts.index("...")
        low, step_to, last = (
            (float(parts[place + i]) for i in (-2, -1, 1)) if 2 <= place < len(parts) - 1 else (0, 0, 0)
        )
        step = step_to - low
        if not 0 < step <= (last - low) < 1e4 * step:
            raise ValueError
        between = [f"{low + step * i:.12g}" for i in range(2, round((last - low) / step))]
        parts[place : place + 1] = between
    return parts


class Fraction(click.ParamType[Any]):
    """A number between 0 and 1, neither of which it is."""

    name = "fraction"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a usage error."""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 1e-9 <= number <= 1 - 1e-9:
            self.fail(f"{value!r} is no fraction between 0 and 1, such as 0.95", param, ctx)
        return number


class MarginSize(click.ParamType[Any]):
    """A margin: an amount, or a percentage of the baseline's mean."""

    name = "margin"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The margin, or a usage error."""
        from irci.studies.map_ci.settings import Margin

        is_share = value.endswith("%")
        try:
            amount = float(value.removesuffix("%")) / (100 if is_share else 1)
        except ValueError:
            amount = 0.0
        if not 0 < amount < 1e9:
            self.fail(f"{value!r} is neither an amount above 0, such as .01, nor a percentage, such as 2%", param, ctx)
        return Margin(amount, is_share)
