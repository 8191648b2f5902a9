"""The command line: the group of commands, each made of its row; what is asked is answered, and errors become statuses."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from inspect import cleandoc
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.base import ConditionHolds, ConditionUntold, FormatError, IrciError, UsageError, logger, plural, visible
from irci.base.choices import OF_ENDING
from irci.cli import others
from irci.data import keeping
from irci.options.commands import COMMANDS
from irci.options.option import Command, Option
from irci.options.rows import asked_of, bibtex, check, line_of, options_of
from irci.options.types import BadValue
from irci.system import hear_warnings
from irci.wording import importance

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irci.options.asked import Asked

EXIT_DATA = 4
EXIT_OF = {UsageError: 2, FormatError: 3, ConditionHolds: 5, ConditionUntold: 6}
TAKES_LESS = (
    "fewer resamples, one measure at a time (-m), or scores in place of runs (--save-scores, then --scores) take less"
)
MOST_NOTICES = 3  # on a terminal
TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context
WARNINGS = "irci.warnings"  # where what has been warned of stands in the context of a command
MAIN_EXAMPLES = (
    ("Is the second run really better?", "irci compare qrels.txt baseline.run new.run"),
    ("MAP as in trec_eval, with a confidence interval", "irci map-ci qrels.txt run.txt"),
    ("Every topic, as with trec_eval -q", "irci ap-ci qrels.txt run.txt"),
)
WHAT = (
    "Reads qrels and runs as trec_eval does, prints the scores that trec_eval prints, and tells you how far to trust them:"
    " a confidence interval for each score, and tests between runs."
)


def show(level: int, message: str) -> None:
    """Print a notice on standard error: also that kernels are being compiled, which takes its time."""
    line = f"irci: {'' if level < logger.WARNING else 'warning: '}{visible(message)}"
    if sys.stderr.isatty():  # where lines are broken between words
        import textwrap

        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    with suppress(OSError):  # a full disk of messages is no reason to lose results
        click.echo(line, err=True)


@contextmanager
def few_notices() -> Iterator[None]:
    """In the block notices are printed; on a terminal a few of them at its end, the most important ones first."""
    waiting: list[str] = []

    def wait(level: int, message: str) -> None:
        if level < logger.WARNING or not sys.stderr.isatty():
            show(level, message)
        else:
            waiting.append(message)

    logger.show = wait
    try:
        yield
    finally:
        for message in sorted(waiting, key=importance)[:MOST_NOTICES]:
            show(logger.WARNING, message)
        if len(waiting) > MOST_NOTICES and logger.show is wait:
            click.echo(f"irci: {plural(len(waiting) - MOST_NOTICES, 'more warning')}: --explain prints all", err=True)


def grouped(parameters: Iterable[click.Parameter]) -> Mapping[str, Sequence[click.Option]]:
    """The options that help shows, by their headings, in order; those of no row, such as --help, go to Output."""
    groups: dict[str, list[click.Option]] = {}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            heading = parameter.row.heading if hasattr(parameter, "row") else "Output"
            groups.setdefault(heading, []).append(parameter)
    return groups


def short(command: click.Command, ctx: click.Context) -> str:
    """The screen that -h prints: what the command is for, the options most people need, and examples."""
    name, formatter = str(command.name), ctx.make_formatter()
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
    formatter.write(f"\n  {command.short_help}\n")
    lines: dict[str, list[tuple[str, str]]] = {}
    for row in options_of(name).values():
        if row.short:
            is_choice = row.type.name == "choice" or row.type.is_list
            word = "FORMAT" if row.name == "output_format" else "WORD" if is_choice else row.type.metavar
            spelled = f"{', '.join(row.spellings)}{'' if row.is_flag else f' {word}'}"
            lines.setdefault(row.heading, []).append((spelled, row.short))
    lines.setdefault("Output", []).append(("--help", "show all options"))
    width = max(len(spelled) for pairs in lines.values() for spelled, _ in pairs)  # of all headings
    for heading, pairs in lines.items():
        formatter.write(f"\n{heading}:\n")
        formatter.write("".join(f"  {spelled:<{width}}  {text}\n" for spelled, text in pairs))
    write_examples(COMMANDS[name].examples, formatter)
    return formatter.getvalue()


def write_examples(examples: Sequence[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    """Examples: what each is for, and the line."""
    formatter.write("\nExamples:\n")
    formatter.write("".join(f"  # {purpose}\n  {line}\n" for purpose, line in examples))


class RowOption(click.Option):
    """An option as its row says; help shows its default."""

    def __init__(self, row: Option) -> None:
        self.row = row
        has_default = row.default is not None and not (row.many or row.is_flag)
        default = {"default": row.default} if has_default else {}
        value: dict[str, Any] = {"type": click.UNPROCESSED, "metavar": row.type.metavar, **default}
        super().__init__(
            [*row.spellings, row.name], multiple=row.many or row.type.is_list, help=row.help, hidden=row.hidden,
            show_default=has_default and "[default:" not in row.help,
            **({"is_flag": True} if row.is_flag else value),
        )  # fmt: skip

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value as the row's type has it; lists with commas that are given one after the other are one."""
        try:
            values = tuple(map(self.row.type.value, value if self.multiple else (value,)))
        except BadValue as error:
            raise click.BadParameter(str(error), ctx, self) from None
        if self.row.type.is_list:
            return tuple(dict.fromkeys(chain.from_iterable(values)))
        return values if self.multiple else values[0]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The words that begin so; files and folders where a path is wanted."""
        from click.shell_completion import CompletionItem  # takes time

        if self.row.type.name == "path":
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.row.type.words() if word.startswith(incomplete)]


def _show_short(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        click.echo(short(ctx.command, ctx), nl=False)
        ctx.exit()


version_option = click.version_option(irci.__version__, "-v", "--version", prog_name="irci")
short_option = click.option(
    "-h", "short_help", is_flag=True, is_eager=True, expose_value=False, callback=_show_short, hidden=True,
    help="Show the most common options, and examples.",
)  # fmt: skip


class StudyCommand(click.Command):
    """A command that asks the study of its name."""

    def __init__(self, row: Command) -> None:
        self.row = row
        files = click.Argument(["files"], type=click.Path(readable=False), metavar=row.files, nargs=-1)
        parameters = [*map(RowOption, options_of(row.name).values()), files]
        example, about = row.examples[0][1], cleandoc(row.about)
        text = f"{row.question}\n\nExample: {example}\n\n{about}\n\nFiles may be gzipped; - is standard input."
        super().__init__(row.name, params=parameters, help=text, short_help=row.question)
        short_option(version_option(self))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was typed."""
        ctx.meta[TYPED] = tuple(args)
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option for everything, which tells of the one for a screen."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Show all options; -h: the most common, and examples."
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, under their headings."""
        for heading, options in grouped(self.get_params(ctx)).items():
            with formatter.section(heading):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))], col_max=4)

    def asked(self, ctx: click.Context) -> Asked:
        """Options and files, as the words of a command line ask for them, and the line that asks for the same result."""
        typed = click.core.ParameterSource.COMMANDLINE
        requested = {name: value for name, value in ctx.params.items() if ctx.get_parameter_source(name) is typed}
        ending = os.path.splitext(requested.get("output", ""))[1].lower()[1:]
        if ending in OF_ENDING:
            requested.setdefault("output_format", OF_ENDING[ending])
        words, _, _ = self.make_parser(ctx).parse_args(list(ctx.meta[TYPED]))
        return asked_of(self.row.name, requested, {}, line=line_of(self.row.name, words, ctx.params["files"]))

    def invoke(self, ctx: click.Context) -> Any:
        """Have what is asked answered, and write that; what is refused is wrong usage of this command."""
        from irci.cli.writing import write
        from irci.studies.commands import answered

        if ctx.params["quiet"]:
            logger.be_quiet()
        try:
            asked = self.asked(ctx)
            if asked.cite:
                click.echo(bibtex(asked, irci.__version__), nl=False)
                return
            check(asked)
            if asked.explain and not asked.quiet:
                logger.show = show
            report, typed = answered(asked), [self.row.name, *ctx.meta[TYPED]]
            write(asked, report, typed, ctx.meta[WARNINGS])
        except UsageError as error:
            raise click.UsageError(str(error), ctx) from None


class MainGroup(click.Group):
    """A group whose commands turn errors of ours and an interrupt into their exit statuses."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Parse and run, --help and the like included."""
        try:
            return super().main(*args, **options)
        except IrciError as error:
            click.echo("".join(f"irci: {line}\n" for line in error.args), nl=False, err=True)
            raise SystemExit(EXIT_OF.get(type(error), EXIT_DATA)) from None
        except MemoryError as error:
            needed = f" ({error})" if error.args else ""
            reason = f"not enough memory for so many resamples or so large an input{needed}: {TAKES_LESS}"
        except RuntimeError as error:
            if "start new thread" not in str(error):  # what the interpreter says where the system has no more
                raise
            reason = "no more threads can be started: use fewer (--threads)"
        except OSError as error:  # what is wrong with a file is said where it is opened
            reason = visible(f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}")
        click.echo(f"irci: {reason}", err=True)
        raise SystemExit(EXIT_DATA)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands: what most people need first."""
        return [*self.commands]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All commands under their headings, each with its question and the paper that it is of."""
        widest, groups = max(map(len, self.commands)), dict[str, list[tuple[str, str]]]()
        for name, command in self.commands.items():
            row = COMMANDS.get(name)
            question = f"{command.short_help} ({row.paper})" if row and row.paper else str(command.short_help)
            groups.setdefault(row.heading if row else "More", []).append((name.ljust(widest), question))
        for heading, lines in groups.items():
            with formatter.section(heading):
                formatter.write_dl(lines)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, and where more is told."""
        write_examples(MAIN_EXAMPLES, formatter)
        formatter.write("\nirci COMMAND -h: the most common options; --help: all options; see also man irci\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        # Nothing here is dated, and numpy, when some of it is loaded, takes for a number whatever stands there.
        os.environ.pop("SOURCE_DATE_EPOCH", None)
        with few_notices(), hear_warnings() as ctx.meta[WARNINGS], keeping():
            return super().invoke(ctx)


@click.group(
    cls=MainGroup,
    commands=[*map(StudyCommand, COMMANDS.values()), *map(version_option, others.OTHERS)],
    short_help="How far can an information-retrieval evaluation be trusted?",
    subcommand_metavar="COMMAND [OPTIONS] QRELS RUN...",
    options_metavar="",
    context_settings={"help_option_names": ["--help", "-h"]},
    help=f"How far can an information-retrieval evaluation be trusted?\n\n{WHAT}",
)
@version_option
def main() -> None:
    """Options of irci itself end it."""
