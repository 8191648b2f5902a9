"""A command of click, made of its row: words become what is asked, and what is answered is written."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.base.errors import UsageError
from irci.cli.console import be_quiet
from irci.cli.help import short_option, write_options
from irci.options import commands

if TYPE_CHECKING:
    from irci.options.given import Given

TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context


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
            from irci.cli.parameters import parameters_of

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
        from irci.cli.layout import check_layout, check_tables
        from irci.cli.writing import write
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
    from irci.options.types import BadValue

    values = dict(ctx.params)
    given = {name for name in values if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    if "measures" in values:
        try:
            values["measures"] = measures_of(values["measures"], scores=values["scores"])
        except BadValue as error:
            option = next(each for each in ctx.command.params if each.name == "measures")
            raise click.BadParameter(str(error), ctx, option) from None
    return Given(commands.COMMANDS[str(ctx.command.name)], values, frozenset(given))
