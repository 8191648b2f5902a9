"""Rows of the table of options as parameters of click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irci.options import commands
from irci.options.call import options_of
from irci.options.option import Option
from irci.options.types import BadValue, InputFile, Several, Type

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
        value: dict[str, Any] = (
            {"is_flag": True} if row.is_flag else {"type": Typed(row.type), "metavar": row.metavar_shown()}
        )
        if not row.many and (row.default is not None or "/" in row.spelled):
            value["default"] = row.default
        super().__init__(
            [*([row.spelled] if "/" in row.spelled else row.spellings), row.name],
            multiple=row.many or self._is_list, help=row.help, hidden=row.hidden, **value,
        )  # fmt: skip

    @property
    def _is_list(self) -> bool:
        return isinstance(self.row.type, Several)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value; lists with commas that are given one after the other are one."""
        found = super().type_cast_value(ctx, value)
        return tuple(dict.fromkeys(word for words in found for word in words)) if self._is_list and found else found

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The text that stands behind the help, in brackets."""
        default = self.row.default_shown
        return {"default": default} if default else {}


def parameters_of(command: commands.Command, callbacks: dict[str, Any]) -> list[click.Parameter]:
    """The options of a command, in the order of the help, and its files; `callbacks`: of options that act at once."""
    options: list[click.Parameter] = []
    for name, row in options_of(command.name).items():
        option = RowOption(row)
        if name in callbacks:
            option.callback, option.is_eager = callbacks[name], True
        options.append(option)
    return [*options, click.Argument(["files"], type=Typed(InputFile()), metavar=command.files, nargs=-1)]
