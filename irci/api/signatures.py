"""The functions' signatures and help, of the rows of the table of options; nothing that takes long to load."""

from collections.abc import Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from keyword import iskeyword
from textwrap import fill
from typing import Any

from irci.options.asked import Option
from irci.options.commands import COMMANDS
from irci.options.rows import options_of

INPUTS = ("qrels", "runs", "scores")
INDENT = "    "
INPUTS_HELP = "qrels, runs, scores: files, bytes, dicts, named tuples or data frames, as doc/python.md says."


@cache
def keywords_of(command: str) -> Mapping[str, Option]:
    """The options that a call may have, by their keywords: their long names; of several values, that of the list."""
    rows = [option for option in options_of(command).values() if option.python and not option.hidden]
    return {_keyword(option): option for option in rows}


def _keyword(option: Option) -> str:
    name = option.spelling.lstrip("-").replace("-", "_")
    return option.name if option.many or iskeyword(name) else name


def parameters_of(command: str, fixed: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Each keyword of a function with its annotation and default; `fixed`: options that it always takes."""
    left_out = ("Intervals", "Replicating a paper") if fixed else ()  # scores alone have no intervals
    options = {keyword: option for keyword, option in keywords_of(command).items() if option.heading not in left_out}
    return [(keyword, _annotation(option), _default(option)) for keyword, option in options.items()]


def _default(option: Option) -> Any:
    """The default of a keyword; None for what depends on the machine."""
    default = None if callable(option.default) else option.unset
    return default[0] if isinstance(default, tuple) and len(default) == 1 else default


def _annotation(option: Option) -> str:
    annotation = option.type.annotation
    if option.name == "measures":
        return annotation
    if option.many and "Mapping" not in annotation and annotation != "Source":
        annotation = f"Several[{annotation}]"
    return f"{annotation} | None" if _default(option) is None and annotation != "Source" else annotation


def inputs_of(command: str) -> Sequence[str]:
    """The keywords of inputs that a function has: scores where the command reads files of them."""
    return INPUTS if "scores" in options_of(command) else INPUTS[:2]


def signature_of(command: str, fixed: Mapping[str, Any]) -> Signature:
    """The signature of a function."""
    inputs = [
        Parameter(name, Parameter.KEYWORD_ONLY if name == "scores" else Parameter.POSITIONAL_OR_KEYWORD, default=None)
        for name in inputs_of(command)
    ]
    options = [
        Parameter(keyword, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for keyword, annotation, default in parameters_of(command, fixed)
    ]
    return Signature([*inputs, *options], return_annotation="Report")


def help_of(command: str, note: str, fixed: Mapping[str, Any]) -> str:
    """The docstring of a function: the question of its command, a note, and what the command's help says of its options."""
    rows = keywords_of(command)
    lines = [
        fill(f"{keyword}: {rows[keyword].help}", 110, initial_indent=INDENT, subsequent_indent=2 * INDENT)
        for keyword, _, _ in parameters_of(command, fixed)
    ]
    about = f"{COMMANDS[command].question} `irci {command}`.\n\n{INDENT}{note}\n\n{INDENT}{INPUTS_HELP}"
    return f"{about}\n\n{INDENT}Options, as on the command line:\n\n" + "\n".join(lines) + f"\n{INDENT}"
