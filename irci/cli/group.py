"""The command line: the group of commands, and what errors become."""

import gc
import os
from collections.abc import MutableMapping
from typing import Any

import click

from irci.base.errors import ConditionHolds, FormatError, IrciError, PipeClosed, UsageError
from irci.cli.command import Command, version_option
from irci.cli.console import WARNINGS, show_what_is_logged
from irci.cli.help import MORE, ORDER, WHAT, short, short_option, write_examples
from irci.options.commands import COMMANDS
from irci.system.signals import EXIT_INTERRUPTED
from irci.system.standard_streams import hear_warnings

EXIT_DATA = 4
# A shell says 141 of a filter that SIGPIPE ended.
EXIT_OF = {UsageError: 2, FormatError: 3, ConditionHolds: 5, PipeClosed: 128 + 13}


class Group(click.Group):
    """A group whose commands turn errors of ours and an interrupt into their exit statuses."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Parse and run, --help and the like included."""
        try:
            return super().main(*args, **options)
        except IrciError as error:
            click.echo("".join(f"irci: {line}\n" for line in error.args), nl=False, err=True)
            raise SystemExit(EXIT_OF.get(type(error), EXIT_DATA)) from None
        except MemoryError:
            click.echo("irci: not enough memory for so many resamples or so large an input", err=True)
            raise SystemExit(EXIT_DATA) from None
        except RuntimeError as error:
            if "start new thread" not in str(error):  # what the interpreter says where the system has no more
                raise
            click.echo("irci: no more threads can be started: use fewer (--threads)", err=True)
            raise SystemExit(EXIT_DATA) from None

    @property
    def commands(self) -> MutableMapping[str, click.Command]:
        """All of them, loaded, in the order of the help."""
        return {name: command for name in ORDER if (command := self._command(name))}

    @commands.setter
    def commands(self, commands: MutableMapping[str, click.Command]) -> None:
        self._commands = dict(commands)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """One that is here already."""
        self._commands[name or str(cmd.name)] = cmd

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, loaded without the others."""
        return self._command(cmd_name)

    def _command(self, name: str) -> click.Command | None:
        if name in COMMANDS and name not in self._commands:
            self._commands[name] = Command(COMMANDS[name])
        return self._commands.get(name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """What most people need first."""
        return list(ORDER)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a word behind irci, the short help."""
        if not args and not ctx.resilient_parsing:
            click.echo(short(self, ctx), nl=False, err=True)
            ctx.exit(EXIT_OF[UsageError])
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, and where more is told."""
        write_examples("main", formatter)
        formatter.write(MORE)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        show_what_is_logged()
        # Nothing here is dated, and numpy, when some of it is loaded, takes for a number whatever stands there.
        os.environ.pop("SOURCE_DATE_EPOCH", None)
        gc.disable()  # loading numba makes a million objects and no garbage; arrays need no collector
        try:
            with hear_warnings() as ctx.meta[WARNINGS]:
                return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)
        finally:
            gc.enable()


@click.group(
    cls=Group,
    short_help="How far can an information-retrieval evaluation be trusted?",
    subcommand_metavar="COMMAND [OPTIONS] QRELS RUN...",
    options_metavar="",
    help=f"How far can an information-retrieval evaluation be trusted?\n\n{WHAT}",
)
@version_option
@short_option
def main() -> None:
    """Options of irci itself end it."""


@main.command(
    "help-measures",
    short_help="Which measures can be computed?",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@version_option
def help_measures_command() -> None:
    """List the measures: what they are and where they come from.

    After trec_eval's name, a cutoff follows _ or . (P_10, P.5,10,20). Without a cutoff, P and similar measures use the nine
    cutoffs of trec_eval. The names of ir_measures work too: AP, P@10, RR@10, nDCG(dcg='exp-log2')@10, RBP(p=0.8). To give a
    measure its own relevance level instead of -l, add the argument rel to either name: AP(rel=2)@100, gm_map(rel=2). Quote
    parentheses for the shell. irci prints trec_eval's name of a measure, or that of ir_measures if trec_eval does not have
    it; either can be given to -m again.

    official, set and all_trec stand for the same measures as in trec_eval, except those listed as left out at the end.

    irci ap-ci and map-ci resample documents for all measures except counts (num_...). Measures marked * divide by the number
    of relevant documents or by an ideal gain: a resample without a relevant document is drawn again for them; other
    measures score 0 on it. A single topic gets logit limits for map, as in the paper, and percentile limits for other
    measures: on halves of real collections these came closest to the coverage that they should have (doc/trust.md).
    """
    from irci.data.measures import REMARKS, TABLE

    for family in TABLE:
        mark = "*" if family.undefined_without else " "
        click.echo(f"{mark} {family.pattern}")
        click.echo(click.wrap_text(f"{family.definition}. {family.source}", 78, "    ", "    "))
    for remark in REMARKS:
        click.echo("\n" + click.wrap_text(remark, 78))
