"""Rows of the table of options as parameters of click."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from irci.options.asked import Command, Option
from irci.options.files import INPUT
from irci.options.rows import options_of
from irci.options.types import BadValue, Type

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Typed(click.ParamType[Any]):
    """A type of values, for click."""

    def __init__(self, kind: Type) -> None:
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, or a usage error."""
        try:
            return self.kind.value(value)
        except BadValue as error:
            self.fail(str(error), param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words that begin so; files and folders where a path is wanted."""
        from click.shell_completion import CompletionItem  # takes time

        if self.name == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.kind.words() if word.startswith(incomplete)]


class RowOption(click.Option):
    """An option as its row says; help shows its default."""

    def __init__(self, row: Option) -> None:
        self.row = row
        value: dict[str, Any] = {"type": Typed(row.type), "metavar": row.metavar_in_help}
        if not row.many and row.default is not None:
            value["default"] = row.default
        super().__init__(
            [*row.spellings, row.name], multiple=row.many or row.type.is_list, help=row.help, hidden=row.hidden,
            **({"is_flag": True} if row.is_flag else value),
        )  # fmt: skip

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value; lists with commas that are given one after the other are one."""
        cast = super().type_cast_value(ctx, value)
        return (
            tuple(dict.fromkeys(word for words in cast for word in words)) if self.row.type.is_list and cast else cast
        )

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The text that stands behind the help, in brackets."""
        default = self.row.default_in_help
        return {"default": default} if default else {}


def parameters_of(command: Command, callbacks: dict[str, Callable[..., Any]]) -> list[click.Parameter]:
    """The options of a command, in the order of the help, and its files; `callbacks`: of options that act at once."""
    options: list[click.Parameter] = []
    for name, row in options_of(command.name).items():
        option = RowOption(row)
        if name in callbacks:
            option.callback, option.is_eager = callbacks[name], True
        options.append(option)
    return [*options, click.Argument(["files"], type=Typed(INPUT), metavar=command.files, nargs=-1)]
