"""A command of click, made of its row: words become what is asked, and what is answered is written."""

from __future__ import annotations

from typing import Any

import click

from irci.base.errors import UsageError
from irci.cli.help import write_options
from irci.options import commands
from irci.options.given import Given
from irci.options.types import BadValue

TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context


class Command(click.Command):
    """A command that asks the study of its name; it can say whom to cite whatever is asked."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print citations if asked to; else as ever. What was typed is kept."""
        ctx.meta[TYPED] = tuple(args)
        if "--cite" in args and not ctx.resilient_parsing:
            asked = self.make_context(ctx.info_name, list(args), ctx.parent, resilient_parsing=True).params
            if asked["cite"]:
                import irci
                from irci.options.citations import bibtex

                click.echo(bibtex(str(self.name), asked, irci.__version__), nl=False)
                ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, under their headings."""
        write_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Have what is asked answered, and write that; what is refused is wrong usage of this command."""
        from irci.cli.layout import check_layout
        from irci.cli.tables import check_tables
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


def given_of(ctx: click.Context) -> Given:
    """What is asked by the words of a command line."""
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
