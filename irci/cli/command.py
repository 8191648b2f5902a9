"""What commands have in common: how options become records, how some are refused, what becomes of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from irci.base.errors import UsageError
from irci.cli.help import write_options

if TYPE_CHECKING:
    from irci.data.in_memory import Memory
    from irci.data.inputs import Inputs
    from irci.output.report import Report

Record = TypeVar("Record")

EVERYWHERE = ("tables", "output_format", "digits", "output", "plot", "explain", "cite")
TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context
# On the command line, and in a call from Python.
GIVEN = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.DEFAULT_MAP)
OF_RANKINGS = ("relevance_level", "max_grade", "depth", "judged_only", "ties", "no_relevant", "names")
SAVED = ("save_scores", "save_factors")


@dataclass(frozen=True)
class Given:
    """What was typed behind the name of a command: all its options, given or not, and which were given.

    `memory`: what of the files is no path, as a call from Python may have it, whose options come as a map of defaults.
    """

    context: click.Context
    memory: Memory = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """The value of an option."""
        return self.context.params[name]

    def option(self, name: str) -> Any:
        """The value of an option that only some commands have, or None."""
        return self.context.params.get(name)

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return self.context.get_parameter_source(name) in GIVEN

    def record(self, kind: Callable[..., Record], **others: Any) -> Record:
        """A record whose fields are options of the same names, but for those that are given here."""
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        return kind(**{name: self[name] for name in names if name in self.context.params} | others)

    def inputs(self, **others: Any) -> Inputs:
        """What is to be read."""
        from irci.cli.console import progress_of
        from irci.cli.outputs import refuse_inputs
        from irci.data.inputs import Inputs

        if self["scores"]:
            self.refuse(*OF_RANKINGS, message="--scores reads scores that are already computed: leave out {}.")
        if self["save_scores"] is None:
            self.refuse("collection", message="{} is the name that saved scores are given: add --save-scores.")
        inputs = self.record(Inputs, progress=progress_of(self["progress"]), memory=self.memory, **others)
        paths = inputs.paths()
        refuse_inputs(self.context, paths)
        return replace(inputs, files=tuple(paths), runs_from=None)

    def refuse(self, *names: str, message: str) -> None:
        """Refuse options that were given and have no effect; {} in the message stands for the option as it is spelled."""
        for name in names:
            if self.has(name):
                raise UsageError(message.format(self.spelling(name)))

    def refuse_all_but(self, *names: str, message: str) -> None:
        """Refuse all options but these, and those that every command takes."""
        self.refuse(*(each for each in self.context.params if each not in (*names, *EVERYWHERE)), message=message)

    def refuse_nothing(self, *names: str) -> None:
        """Refuse -n where none of the options is given that print something else than means, or save something."""
        if self["no_summary"] and not any(self.option(name) for name in (*names, *SAVED)):
            *others, last = ("-q" if name == "per_topic" else self.spelling(name) for name in names)
            asks = f"{', '.join(others)} or {last}" if others else last
            raise UsageError(f"-n alone leaves nothing to print: add {asks}.")

    def spelling(self, name: str) -> str:
        """An option as its long name has it, or an argument."""
        parameters = {str(each.name): each for each in self.context.command.params}
        parameter = parameters[name]
        return parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name


class Command(click.Command):
    """A command whose function takes what was `Given` and gives a report; it can say whom to cite whatever is asked."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print citations if asked to; else as ever. What was typed is kept."""
        ctx.meta[TYPED] = tuple(args)
        if "--cite" in args and not ctx.resilient_parsing:
            asked = self.make_context(ctx.info_name, list(args), ctx.parent, resilient_parsing=True).params
            if asked["cite"]:
                self._cite(ctx, asked)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, under the headings of the short help."""
        write_options(self, ctx, formatter)

    def _cite(self, ctx: click.Context, asked: Mapping[str, Any]) -> None:
        import irci
        from irci.studies.citations import bibtex

        click.echo(bibtex(str(self.name), asked, irci.__version__), nl=False)
        ctx.exit()

    def invoke(self, ctx: click.Context) -> Any:
        """Ask the function for its report and write that; what it refuses is wrong usage of this command."""
        from irci.cli.layout import check_layout
        from irci.cli.outputs import check_outputs
        from irci.cli.tables import check_tables
        from irci.cli.writing import write

        given = Given(ctx)
        try:
            check_layout(given)
            check_outputs(ctx)
            check_tables(given)
            write(given, self.report(given))
        except UsageError as error:
            raise click.UsageError(str(error), ctx) from None

    def report(self, given: Given) -> Report:
        """The function's report, signed by this version, its rows arranged as asked for."""
        import irci
        from irci.cli.tables import chosen_tables
        from irci.output.arranged import arranged

        assert self.callback is not None
        report: Report = self.callback(given)
        # A command without such tables has no such options.
        chosen = chosen_tables(given, report.tables)
        tables = arranged(chosen, given.option("sort"), with_width=bool(given.option("show_width")))
        signature = {"irci": irci.__version__, **report.signature}
        return replace(report, tables=tables, signature=signature, drawn=lambda: report.pictures)
