"""The command line: the group of commands, each made of its row; what is asked is answered, and errors become statuses."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.base import ConditionHolds, ConditionUntold, FormatError, IrciError, PipeClosed, UsageError, logger, visible
from irci.base.choices import OF_ENDING
from irci.cli import console, parameters
from irci.cli.parameters import parameters_of
from irci.data import keeping
from irci.options.asked import Command
from irci.options.commands import COMMANDS
from irci.options.types import BadValue
from irci.system import EXIT_INTERRUPTED, hear_warnings

if TYPE_CHECKING:
    from irci.options.asked import Asked

EXIT_DATA = 4
# A shell says 141 of a filter that SIGPIPE ended.
EXIT_OF = {UsageError: 2, FormatError: 3, ConditionHolds: 5, ConditionUntold: 6, PipeClosed: 128 + 13}
TAKES_LESS = (
    "fewer resamples, one measure at a time (-m), or scores in place of runs (--save-scores, then --scores) take less"
)


class StudyCommand(click.Command):
    """A command that asks the study of its name; it can say whom to cite whatever is asked."""

    def __init__(self, row: Command) -> None:
        self.row = row
        self._made: list[click.Parameter] | None = None
        self._parser: Any = None
        super().__init__(row.name, help=cleandoc(row.help), short_help=row.question)

    @property
    def params(self) -> list[click.Parameter]:
        """Its options and files, made when they are first asked for: the help of the group asks for none."""
        if self._made is None:
            bare = click.Command(str(self.name), params=parameters_of(self.row, {"quiet": _quiet}))
            self._made = console.short_option(parameters.version_option(bare)).params
        return self._made

    @params.setter
    def params(self, params: list[click.Parameter]) -> None:
        """They are made of the row, whatever click sets."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print citations if asked to; what was typed is kept."""
        ctx.meta[console.TYPED] = tuple(args)
        if "--cite" in args and not ctx.resilient_parsing:
            cited = self.make_context(ctx.info_name, list(args), ctx.parent, resilient_parsing=True)
            if cited.params["cite"]:
                from irci.options.rows import ask
                from irci.options.words import bibtex

                requested = {name: value for name, value in _typed_values(cited).items() if name != "measures"}
                click.echo(bibtex(ask(str(self.name), requested, {}), irci.__version__), nl=False)
                ctx.exit()
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from irci.cli.console import unknown_option

            raise unknown_option(str(self.name), error, words, ctx) from None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option for everything, which tells of the one for a screen."""
        return console.help_option(self, "Show all options; -h: the most common, and examples.")

    def make_parser(self, ctx: click.Context) -> Any:
        """The parser of its words, made once.

        A short option is taken for one at once: click looks for long ones that are much like it first, which takes time.
        """
        if self._parser is None:
            parser: Any = super().make_parser(ctx)
            shorts, usual = getattr(parser, "_short_opt", {}), parser._process_opts

            def process(word: str, state: Any) -> None:
                (parser._match_short_opt if word in shorts else usual)(word, state)

            parser._process_opts, self._parser = process, parser
        self._parser.ctx = ctx
        return self._parser

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, under their headings."""
        console.write_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Have what is asked answered, and write that; what is refused is wrong usage of this command."""
        from irci.cli.writing import write
        from irci.studies.commands import answered

        try:
            asked = self.checked(ctx)
            if asked.explain and not asked.quiet:
                logger.show = console.show
            write(asked, answered(asked))
        except UsageError as error:
            raise click.UsageError(str(error), ctx) from None

    def checked(self, ctx: click.Context) -> Asked:
        """The request of the command, checked as far as may be before anything is read. Raises UsageError."""
        from irci.cli.writing import check_layout, check_tables
        from irci.options.rows import check, check_outputs, require_files

        asked = asked_of(ctx)
        asked = asked.replaced(line=self.line(ctx)) if asked.has_receipts else asked
        require_files(asked)
        check_layout(asked)
        check_outputs(asked)
        check_tables(asked)
        check(asked)
        return asked

    def line(self, ctx: click.Context) -> str:
        """The line that asks for the same result as the one that was typed."""
        from irci.options.words import line_of

        typed, _, _ = self.make_parser(ctx).parse_args(list(ctx.meta[console.TYPED]))
        return line_of(self.row.name, typed, ctx.params["files"])


def _quiet(ctx: click.Context, param: click.Parameter, is_quiet: bool) -> bool:
    if is_quiet and not ctx.resilient_parsing:
        console.be_quiet()
    return is_quiet


def _typed_values(ctx: click.Context) -> dict[str, Any]:
    typed = click.core.ParameterSource.COMMANDLINE
    return {name: value for name, value in ctx.params.items() if ctx.get_parameter_source(name) is typed}


def asked_of(ctx: click.Context) -> Asked:
    """Options and files, as asked by the words of a command line."""
    from irci.options.rows import ask, with_scores
    from irci.options.words import measures_of

    command = str(ctx.command.name)
    requested = with_scores(command, _typed_values(ctx), {})
    if "measures" in requested:
        try:
            requested["measures"] = measures_of(requested["measures"], command, requested)
        except BadValue as error:
            option = next(param for param in ctx.command.params if param.name == "measures")
            raise click.BadParameter(str(error), ctx, option) from None
    ending = os.path.splitext(requested.get("output", ""))[1].lower()[1:]
    if ending in OF_ENDING:
        requested.setdefault("output_format", OF_ENDING[ending])
    if "plan" in requested:
        from irci.options.words import with_plan

        requested = with_plan(command, requested)
    return ask(command, requested, {})


def _reason(error: OSError | MemoryError | RuntimeError) -> str:
    """The reason of an error of the system; what is wrong with a file is said where it is opened."""
    if isinstance(error, MemoryError):
        needed = f" ({error})" if error.args else ""
        return f"not enough memory for so many resamples or so large an input{needed}: {TAKES_LESS}"
    if isinstance(error, RuntimeError):
        if "start new thread" not in str(error):  # what the interpreter says where the system has no more
            raise error
        return "no more threads can be started: use fewer (--threads)"
    try:
        os.getcwd()
    except OSError:
        return "the current folder is no more: cd to another one"
    return visible(f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")


class MainGroup(click.Group):
    """A group whose commands turn errors of ours and an interrupt into their exit statuses."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Parse and run, --help and the like included."""
        try:
            return super().main(*args, **options)
        except IrciError as error:
            click.echo("".join(f"irci: {line}\n" for line in error.args), nl=False, err=True)
            raise SystemExit(EXIT_OF.get(type(error), EXIT_DATA)) from None
        except (OSError, MemoryError, RuntimeError) as error:
            click.echo(f"irci: {_reason(error)}", err=True)
            raise SystemExit(EXIT_DATA) from None

    @property
    def commands(self) -> MutableMapping[str, click.Command]:
        """All of them, loaded, in the order of the help."""
        return {name: command for name in console.ORDER if (command := self._command(name))}

    @commands.setter
    def commands(self, commands: MutableMapping[str, click.Command]) -> None:
        self._commands = dict(commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, loaded without the others."""
        return self._command(cmd_name)

    def _command(self, name: str) -> click.Command | None:
        if name in COMMANDS:
            self._commands.setdefault(name, StudyCommand(COMMANDS[name]))
        elif name == "verify" and name not in self._commands:
            from irci.cli.verifying import verify

            self._commands[name] = verify
        return self._commands.get(name)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option for its help."""
        return console.help_option(self, "Show this message and exit.")

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands: what most people need first."""
        return list(console.ORDER)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a word behind irci, the short help."""
        if not args and not ctx.resilient_parsing:
            click.echo(console.short(self, ctx), nl=False, err=True)
            ctx.exit(EXIT_OF[UsageError])
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from irci.cli.console import line_meant

            if not (meant := line_meant(words)) or (len(words) < 2 and words[0].lstrip("-") not in console.ORDER):
                raise
            raise click.UsageError(f"No such option '{error.option_name}'. Did you mean: {meant}", ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is typed; of another word, the line that may be meant."""
        if args[0] not in console.ORDER:
            from irci.cli.console import line_meant

            if meant := line_meant(args):
                ctx.fail(f"No such command {args[0]!r}. Did you mean: {meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All commands, under their headings."""
        console.write_commands(self, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, and where more is told."""
        console.write_examples("main", formatter)
        formatter.write(console.MORE)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        notices = ctx.meta[console.NOTICES] = console.FewNotices()
        logger.show = notices.show
        # Nothing here is dated, and numpy, when some of it is loaded, takes for a number whatever stands there.
        os.environ.pop("SOURCE_DATE_EPOCH", None)
        try:
            with hear_warnings() as ctx.meta[console.WARNINGS], keeping():
                return super().invoke(ctx)
        except KeyboardInterrupt:  # where nothing ended the process before (`irci.system`)
            click.echo("irci: interrupted", err=True)
            ctx.exit(EXIT_INTERRUPTED)
        finally:
            notices.end()


@click.group(
    cls=MainGroup,
    short_help="How far can an information-retrieval evaluation be trusted?",
    subcommand_metavar="COMMAND [OPTIONS] QRELS RUN...",
    options_metavar="",
    help=f"How far can an information-retrieval evaluation be trusted?\n\n{console.WHAT}",
)
@parameters.version_option
@console.short_option
def main() -> None:
    """Options of irci itself end it."""


for command in (parameters.measures, parameters.compile_kernels):
    main._commands[str(command.name)] = command
