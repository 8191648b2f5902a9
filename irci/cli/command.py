"""A command of click, made of its row: words become what is asked, and what is answered is written."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import irci
from irci.base.errors import UsageError
from irci.cli.console import TYPED, be_quiet
from irci.cli.help import short_option, write_options
from irci.options import commands
from irci.options.option import Option
from irci.options.table import options_of
from irci.options.types import BadValue, InputFile, Type

if TYPE_CHECKING:
    from irci.options.given import Given

version_option = click.version_option(irci.__version__, "-v", "--version", prog_name="irci")


class Command(click.Command):
    """A command that asks the study of its name; it can say whom to cite whatever is asked."""

    def __init__(self, row: commands.Command) -> None:
        self.row = row
        self._made: list[click.Parameter] | None = None
        super().__init__(row.name, help=cleandoc(row.help), short_help=row.question)

    @property
    def params(self) -> list[click.Parameter]:
        """Its options and files, made when they are first asked for: the help of the group asks for none."""
        if self._made is None:
            plain = click.Command(str(self.name), params=parameters_of(self.row, {"quiet": _quiet}))
            self._made = short_option(version_option(plain)).params
        return self._made

    @params.setter
    def params(self, params: list[click.Parameter]) -> None:
        """They are made of the row, whatever click sets."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print citations if asked to; else as ever. What was typed is kept."""
        ctx.meta[TYPED] = tuple(args)
        if "--cite" in args and not ctx.resilient_parsing:
            asked = self.make_context(ctx.info_name, list(args), ctx.parent, resilient_parsing=True).params
            if asked["cite"]:
                from irci.options.citations import bibtex

                click.echo(bibtex(str(self.name), asked, irci.__version__), nl=False)
                ctx.exit()
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option for everything, which tells of the one for a screen."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Show all options; -h: the most common, and examples."
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, under their headings."""
        write_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Have what is asked answered, and write that; what is refused is wrong usage of this command."""
        from irci.cli.writing import check_layout, check_tables, write
        from irci.options.outputs import check_outputs
        from irci.studies.commands import answered

        try:
            given = given_of(ctx)
            given.require_files()
            check_layout(given)
            check_outputs(given)
            check_tables(given)
            given.check()
            write(given, answered(given))
        except UsageError as error:
            raise click.UsageError(str(error), ctx) from None


def _quiet(ctx: click.Context, param: click.Parameter, quiet: bool) -> None:
    if quiet and not ctx.resilient_parsing:
        be_quiet()


def given_of(ctx: click.Context) -> Given:
    """What is asked by the words of a command line."""
    from irci.options.given import Given
    from irci.options.measures import measures_of

    values = dict(ctx.params)
    given = {name for name in values if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    if "measures" in values:
        try:
            values["measures"] = measures_of(values["measures"], scores=values["scores"])
        except BadValue as error:
            option = next(each for each in ctx.command.params if each.name == "measures")
            raise click.BadParameter(str(error), ctx, option) from None
    return Given(commands.COMMANDS[str(ctx.command.name)], values, frozenset(given))


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
        if self.name == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.kind.words() if word.startswith(incomplete)]


class RowOption(click.Option):
    """An option as its row says; help shows its default and its range."""

    def __init__(self, row: Option) -> None:
        self.row = row
        value: dict[str, Any] = (
            {"is_flag": True} if row.is_flag else {"type": Typed(row.type), "metavar": row.metavar_shown()}
        )
        if not row.many and (row.default is not None or "/" in row.spelled):
            value["default"] = row.default
        super().__init__(
            [*_declared(row), row.name],
            multiple=row.many,
            help=row.help,
            hidden=row.hidden,
            **value,
        )

    def get_help_extra(self, ctx: click.Context) -> Any:
        """What stands behind the help, in brackets."""
        shown = {"default": self.row.default_shown, "range": self.row.type.range()}
        return {name: text for name, text in shown.items() if text}


def _declared(row: Option) -> Sequence[str]:
    return [row.spelled] if "/" in row.spelled else row.spellings


def parameters_of(command: commands.Command, callbacks: dict[str, Any]) -> list[click.Parameter]:
    """The options of a command, in the order of the help, and its files; `callbacks`: of options that act at once."""
    options: list[click.Parameter] = []
    for name, row in options_of(command.name).items():
        option = RowOption(row)
        if name in callbacks:
            option.callback, option.is_eager = callbacks[name], True
        options.append(option)
    return [*options, click.Argument(["files"], type=Typed(InputFile()), metavar=command.files, nargs=-1)]
