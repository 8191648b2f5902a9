"""A call as a command line: the same options with the same checks, of values instead of words, and the same report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from irci.api.call import NOT_OPTIONS, keyword, options_of
from irci.api.objects import TOPIC, Files, is_ranking, name_of
from irci.api.scores import add_scores
from irci.base.errors import UsageError
from irci.base.names import is_text
from irci.cli.command import Command, Given
from irci.cli.console import hear_warnings
from irci.cli.outputs import check_outputs
from irci.cli.parameters import STANDARD_STREAM, InputFile, Numbers, OutputFile, OutputFolder, TopicsFile
from irci.cli.partition_anova import Several
from irci.output.files import write_file

if TYPE_CHECKING:
    from irci.output.report import Report


# Options that name other judgments than qrels.
JUDGMENTS = ("judge", "other_qrels")


def answer(command: Command, given: Mapping[str, Any]) -> Report:
    """What a command says, and has to warn of, to options and inputs given by their keywords."""
    with hear_warnings() as warnings:
        try:
            files = _inputs(given)
            options = _options(command, given, files)
            if files.names:
                options |= {"files": tuple(files.names)} | ({} if given.get("scores") is None else {"scores": True})
            context = command.make_context(command.name, [], default_map=options)
            with context:
                report = _report(Given(context, files.memory), bool(given.get("progress", False)))
        except click.UsageError as error:
            raise UsageError(_worded(error)) from None
    return replace(report, warnings=tuple(warnings))


def _report(given: Given, progress: bool) -> Report:
    given.context.params["progress"] = progress
    check_outputs(given.context)
    report = cast(Command, given.context.command).report(given)
    for path, text in report.files.items():
        write_file(path, text.encode("utf-8", "surrogateescape"))
    return report


def _inputs(given: Mapping[str, Any]) -> Files:
    """What is to be read."""
    files = Files()
    qrels, runs, scores = (given.get(name) for name in NOT_OPTIONS)
    if scores is not None:
        if qrels is not None or runs is not None:
            raise UsageError("scores= is in place of qrels and runs: leave those out.")
        add_scores(files, scores)
    elif qrels is None and runs is not None:
        raise UsageError("runs without qrels: give both, or scores=.")
    elif qrels is not None:
        files.add_qrels(qrels)
    if runs is not None:
        files.add_runs(runs)
    return files


def _options(command: Command, given: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """The options that are given, by the names of the command's parameters. What is None or empty is not given, nor False, but
    for an option that is True unless it is turned off."""
    known = options_of(command)
    chosen = {name: value for name, value in given.items() if name not in (*NOT_OPTIONS, "progress")}
    return {
        str(known[name].name): _typed(name, _value(known[name], value, files))
        for name, value in chosen.items()
        if value is not None and not (isinstance(value, Sized) and len(value) == 0)
        if value is not False or known[name].default is True
    }


def _typed(name: str, value: Any) -> Any:
    """The same value, if it is no text that nobody could type."""
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and ("\0" in text or not is_text(text)):
            raise UsageError(f"{name}: {text!r} has a NUL or half a letter in it.")
    return value


def _value(option: click.Option, value: Any, files: Files) -> Any:
    """A value as the option's type takes it."""
    if keyword(option) in JUDGMENTS:
        return _judgments(option, value, files)
    if isinstance(option.type, InputFile | OutputFile | OutputFolder):
        return _path(option, value)
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"{keyword(option)}: {value!r} is neither True nor False.")
        return value
    if option.multiple:
        return _several(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = tuple(value)
    if isinstance(option.type, Numbers):
        return value if isinstance(value, str | tuple) else (value,)
    is_list = isinstance(option.type, Several) or option.type is click.STRING
    return ",".join(map(str, value)) if isinstance(value, tuple) and is_list else value


def _judgments(option: click.Option, value: Any, files: Files) -> Any:
    """Somebody else's judgments, held as qrels may be; or those of several, in a list or named."""
    if not option.multiple:
        return files.aside(keyword(option), value)
    if isinstance(value, Mapping) and not is_ranking(value):
        return [files.aside(name_of(name), each, named=True) for name, each in value.items()]
    is_list = isinstance(value, list | tuple) and not hasattr(value[0], TOPIC[0])
    several = [*value] if is_list else [value]
    return [files.aside(f"{keyword(option)} {number}", each) for number, each in enumerate(several, 1)]


def _several(value: Any) -> list[Any]:
    """The values of an option that may be repeated: one, several, or a mapping from names to numbers."""
    if isinstance(value, Mapping):
        return [f"{name}={_figures(figures)}" for name, figures in value.items()]
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    return [each if isinstance(each, str) else str(each) for each in value]


def _figures(figures: Any) -> str:
    some = figures if isinstance(figures, list | tuple) else [figures]
    return ",".join(each if isinstance(each, str) else repr(_plain(each)) for each in some)


def _plain(number: Any) -> Any:
    """A number of Python's for one of numpy's."""
    return number.item() if hasattr(number, "item") else number


def _path(option: click.Option, value: Any) -> Any:
    """A path; or what else such an option takes, as text."""
    if isinstance(option.type, TopicsFile) and not isinstance(value, str | os.PathLike):
        return _list_of_topics(value)
    path = os.fsdecode(value) if isinstance(value, str | os.PathLike) else None
    if path is None or path == STANDARD_STREAM:
        raise UsageError(f"{keyword(option)}: {value!r} is no path of a file.")
    return f"@{path}" if isinstance(option.type, TopicsFile) and isinstance(value, os.PathLike) else path


def _list_of_topics(topics: Any) -> str:
    try:
        names = [str(topic) for topic in topics]
    except TypeError:
        names = [str(topics)]
    for name in names:
        if set(name) & set(",/") or name.startswith("@") or name in ("", STANDARD_STREAM):
            raise UsageError(f"topics: {name!r} cannot stand in a list: give the path of a file with one topic a line.")
    return ",".join(names)


def _worded(error: click.UsageError) -> str:
    """What is wrong with an option, under its name here."""
    if isinstance(error, click.MissingParameter):
        return "give qrels and runs, or scores=."
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{keyword(error.param)}: {error.message}"
    return error.message
