"""Rows of the table of options as parameters of click; and commands that read no files, which have no row: what can be
measured, and kernels compiled ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from irci import __version__
from irci.base import DataError
from irci.options.asked import Command, Option
from irci.options.rows import options_of
from irci.options.types import INPUT, BadValue, Type

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


def _show_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"irci, version {__version__}", color=ctx.color)
        ctx.exit()


# click's own looks for a translation of its text, which takes time.
version_option = click.option(
    "-v", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Show the version and exit.",
)  # fmt: skip


def plain_command(
    name: str, question: str, kind: type[click.Command] = click.Command
) -> Callable[[Callable[..., None]], click.Command]:
    """A command of this name that is made of no row."""

    def made(function: Callable[..., None]) -> click.Command:
        settings: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
        return version_option(click.command(name, kind, short_help=question, context_settings=settings)(function))

    return made


@plain_command("measures", "Which measures can be computed?")
def measures() -> None:
    """List the measures: what they are and where they come from.

    After trec_eval's name, a cutoff follows _ or . (P_10, P.5,10,20). Without a cutoff, P and similar measures use the nine
    cutoffs of trec_eval. The names of ir_measures work too: AP, P@10, RR@10, nDCG(dcg='exp-log2')@10, RBP(p=0.8). To give a
    measure its own relevance level instead of -l, add the argument rel to either name: AP(rel=2)@100, gm_map(rel=2). Quote
    parentheses for the shell. irci prints a measure as you type it, in the order in which you do, or as trec_eval does where
    that is how you spell it (P.10 is P_10); ap-ci, and all that -q prints, keep trec_eval's order. A measure typed twice is
    one, under its first name.

    official, set and all_trec stand for the same measures as in trec_eval, except those listed as left out at the end.

    irci ap-ci and map-ci resample documents for all measures except counts (num_...). Measures marked * divide by the number
    of relevant documents or by an ideal gain: a resample without a relevant document is drawn again for them; other
    measures score 0 on it. A single topic gets logit limits for map, as in the paper, and percentile limits for other
    measures: on halves of real collections these came closest to the coverage that they should have (doc/trust.md).
    """
    from irci.measures import REMARKS, TABLE

    for family in TABLE:
        mark = "*" if family.undefined_without else " "
        click.echo(f"{mark} {family.pattern}")
        click.echo(click.wrap_text(f"{family.definition}. {family.source}", 78, "    ", "    "))
    for remark in REMARKS:
        click.echo("\n" + click.wrap_text(remark, 78))


@plain_command("compile", "Compile all kernels before they are needed")
def compile_kernels() -> None:
    """Compile all kernels at once, for an image or a cluster, and say where they are kept.

    Example: irci compile

    In a checkout on Linux (x86-64) with gcc, g++ and objcopy this makes a library, with which a command starts twice as fast;
    elsewhere numba compiles all that any command needs. Without this, commands compile what they need when they first need it.
    NUMBA_CACHE_DIR names another folder to keep kernels in, by which commands find them too. They serve one kind of processor.
    """
    from irci.native import ahead

    try:
        number, folder = ahead.compile_all()
    except OSError as error:
        raise DataError(
            f"kernels cannot be kept ({error.strerror or error}): set NUMBA_CACHE_DIR to a folder of your own"
        ) from error
    click.echo(f"{number} kernels compiled; all are in {folder}")
