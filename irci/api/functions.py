"""The public functions: each asks a command, by keywords that are rows of the table of options; `irci/__init__.pyi` tells
their types to checkers. Nothing that takes long to load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, Signature
from keyword import iskeyword
from textwrap import fill
from typing import TYPE_CHECKING, Any

from irci.options.commands import COMMANDS
from irci.options.option import Option
from irci.options.rows import options_of
from irci.system import between_kernels

if TYPE_CHECKING:
    from irci.output.report import Report

# Each function with its command, options that it always takes, and what help says besides the question of the command.
FUNCTIONS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "score": ("ap-ci", {"resamples": 0}, "The scores alone, without intervals: what `irci ap-ci -B 0` prints."),
    **{name.replace("-", "_"): (name, {}, row.of_function) for name, row in COMMANDS.items()},
}
INPUTS = ("qrels", "runs", "scores")
SOURCE = "Source"  # the type of what may be a file or an object
INDENT = "    "


@cache
def keywords_of(command: str) -> Mapping[str, Option]:
    """The options that a call may have, by their keywords: their long names; of several values, that of the list."""
    options: dict[str, Option] = {}
    for option in options_of(command).values():
        name = option.key.replace("-", "_")
        if option.python and not option.hidden:
            options[option.name if option.many or iskeyword(name) else name] = option
    return options


def _signature(command: str, fixed: Mapping[str, Any]) -> Signature:
    """The signature of a function; `fixed`: options that it always takes, for scores alone, which have no intervals."""
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY if name == "scores" else Parameter.POSITIONAL_OR_KEYWORD,
                  default=None, annotation=SOURCE)
        for name in (INPUTS if "scores" in options_of(command) else INPUTS[:2])
    ]  # fmt: skip
    for keyword, option in keywords_of(command).items():
        if fixed and option.heading in ("Intervals", "Replicating a paper"):
            continue
        default = None if callable(option.default) else option.unset  # None for what depends on the machine
        if isinstance(default, tuple) and len(default) == 1:
            default = default[0]
        annotation = option.type.annotation
        if option.many and "Mapping" not in annotation and annotation not in (SOURCE, "Measures"):
            annotation = f"Several[{annotation}]"
        if default is None and annotation != SOURCE:
            annotation += " | None"
        parameters.append(Parameter(keyword, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    return Signature(parameters, return_annotation="Report")


def _function(name: str) -> Callable[..., Report]:
    command, fixed, note = FUNCTIONS[name]
    signature = _signature(command, fixed)

    def function(*args: Any, **options: Any) -> Report:
        keywords = {**signature.bind(*args, **options).arguments, **fixed}
        with between_kernels():
            from irci.api.answer import answer

            return answer(command, keywords_of(command), keywords)

    helps = [
        fill(f"{keyword}: {option.help}", 110, initial_indent=INDENT, subsequent_indent=2 * INDENT)
        for keyword, option in keywords_of(command).items()
        if keyword in signature.parameters
    ]
    inputs = "qrels, runs, scores: files, bytes, dicts, named tuples or data frames, as doc/python.md says."
    about = f"{COMMANDS[command].question} `irci {command}`.\n\n{INDENT}{note}\n\n{INDENT}{inputs}"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{about}\n\n{INDENT}Options, as on the command line:\n\n" + "\n".join(helps) + f"\n{INDENT}"
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {keyword.name: keyword.annotation for keyword in signature.parameters.values()}
    return function


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _function(name))
