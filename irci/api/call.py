"""A declaration made a function that asks a command; nothing that takes long to load is loaded before a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from inspect import signature
from keyword import iskeyword
from textwrap import fill
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import click

from irci.cli.command import Command
from irci.system.interrupts import between_kernels

if TYPE_CHECKING:
    from irci.output.report import Report

Arguments = ParamSpec("Arguments")

# What a command line has besides: how its output looks and where it goes, and other ways to name its files.
NOT_IN_PYTHON = (
    "files", "scores", "runs_from", "output_format", "digits", "output", "plot", "explain", "cite", "layout",
    "limits", "tables",
)  # fmt: skip
INDENT = "    "
INPUTS = "qrels, runs, scores: files, bytes, dicts, named tuples or data frames, as doc/python.md says."
NOT_OPTIONS = ("qrels", "runs", "scores")


def asks(name: str, **fixed: Any) -> Callable[[Callable[Arguments, Report]], Callable[Arguments, Report]]:
    """Make a declaration a function that asks the command of this name; `fixed`: options that it always takes."""

    def of(declaration: Callable[Arguments, Report]) -> Callable[Arguments, Report]:
        declared = signature(declaration)
        declaration.__doc__ = f"{str(declaration.__doc__).rstrip()}\n\n{_help(command_of(name), declared.parameters)}"

        @wraps(declaration)
        def function(*args: Arguments.args, **options: Arguments.kwargs) -> Report:
            given = {**declared.bind(*args, **options).arguments, **fixed}
            with between_kernels():
                from irci.api.answer import answer

                return answer(command_of(name), given)

        return function

    return of


def _help(command: Command, names: Iterable[str]) -> str:
    """What the command's help says of its options."""
    helps = {name: str(option.help).replace("\b", "") for name, option in options_of(command).items() if name in names}
    lines = [
        fill(f"{name}: {text}", 110, initial_indent=INDENT, subsequent_indent=2 * INDENT)
        for name, text in helps.items()
    ]
    return f"{INDENT}{INPUTS}\n\n{INDENT}Options, as on the command line:\n\n" + "\n".join(lines) + "\n" + INDENT


def command_of(name: str) -> Command:
    """The command of this name."""
    module = name.replace("-", "_")
    return cast(Command, getattr(import_module(f"irci.cli.{module}"), f"{module}_command"))


def keyword(option: click.Parameter) -> str:
    """What an option is called here: its long name; of several values, that of the list; no word of Python's own."""
    if not isinstance(option, click.Option) or option.multiple:
        return str(option.name)
    name = max(option.opts, key=len).lstrip("-").replace("-", "_")
    return str(option.name) if iskeyword(name) else name


def options_of(command: Command) -> dict[str, click.Option]:
    """The options that a call may have, by their keywords."""
    options = [each for each in command.params if isinstance(each, click.Option) and each.expose_value]
    return {keyword(each): each for each in options if str(each.name) not in NOT_IN_PYTHON}
