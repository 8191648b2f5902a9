"""The table of all options, in the order of the help; what is asked made of it; and refusals, before anything is read: of a
call without files, of options that have no effect in what is asked, and of outputs that would overwrite an input or
another output.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from irci.base import UsageError, either, is_list
from irci.base.choices import SOURCE_OF_NAME, SOURCES
from irci.options import comparing, scoring
from irci.options.asked import Asked, Option, UseName
from irci.options.commands import COMMANDS
from irci.options.types import STANDARD_STREAM

HEADINGS: Mapping[str, tuple[Option, ...]] = {
    "What to score": scoring.ROWS,
    "Compare": comparing.ROWS,
    "Intervals": scoring.INTERVALS,
    "Input": scoring.FILES,
    "Output": scoring.OUTPUTS,
    "Replicating a paper": comparing.REPLICATING,
}
NAMES = tuple(dict.fromkeys(option.name for rows in HEADINGS.values() for option in rows))


@cache
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command, by their names, in the order of the help; each knows its heading."""
    row = COMMANDS[command]
    return {
        option.name: option._replace(heading=heading)
        for heading, rows in HEADINGS.items()
        for option in rows
        if any(option.suits(row, use.name) for use in row.uses)
    }


def ask(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Asked:
    """Everything asked, by the values requested; others are the options' defaults, or these.

    A command that is like another becomes that one, with what it always takes; a folder that is the only file is one of
    collections; the number of prediction:50 is the size of the sample that is predicted.
    """
    row, values = COMMANDS[command], dict(requested)
    files = tuple(values.get("files", ()))
    is_one = len(files) == 1 and files[0] not in memory and not {"scores", "collections"} & values.keys()
    if row.rows == "map-ci" and is_one and os.path.isdir(files[0]):
        values |= {"collections": files[0], "files": ()}
        files = ()
    kind, _, number = str(values.get("interval", "")).partition(":")
    if number:
        values |= {"interval": kind, "new_topics": int(number)}
    options = options_of(row.rows)
    unset = {name: option.unset for name, option in options.items()}
    return Asked(
        {
            **dict.fromkeys(NAMES), **unset, **defaults, **values, **row.always, "files": files, "runs": files[1:],
            "command": row._replace(name=row.rows, typed=command), "options": options, "given": frozenset(values),
            "memory": memory, "line": "",
        }
    )  # fmt: skip


def with_scores(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any]) -> dict[str, Any]:
    """Take files for those of --scores where the first of them is a table of scores by its first line."""
    files = requested.get("files", ())
    is_open = files and "scores" not in requested and files[0] not in memory and "scores" in options_of(command)
    return {**requested, "scores": True} if is_open and _are_scores(files) else dict(requested)


def _are_scores(files: Sequence[str]) -> bool:
    if os.path.isdir(files[0]):  # of MTEB's results, without judgments of collections
        from irci.data.collection_files import files_in, qrels_in

        return len(files) == 1 and not qrels_in(files[0]) and bool(files_in(files[0]))
    from irci.data.text_files import first_line, head_of

    if (head := head_of(files[0]).decode("utf-8", "replace")).lstrip().startswith("{"):
        from irci.data.model_results import are_samples  # only for these

        return are_samples(head)
    line = first_line(files[0])
    if not set(line) & set("\t;,"):
        return False
    from irci.data.headers import is_of_scores  # only for these

    return is_of_scores(line)


# Options that print something besides the means.
PRINTED = ("per_topic", "compare", "baseline", "all_pairs", "ranks", "best", "meta")


def require_files(asked: Asked) -> None:
    """Raise UsageError if there are none, nor what makes them needless."""
    command, files = asked.command, asked.files
    if not files and not command.without(asked):
        raise UsageError(f"Missing argument '{command.files}'.")
    is_elsewhere = asked.scores or asked.collections or any(map(is_list, files))
    if command.files.startswith("QRELS BASELINE") and 0 < len(files) < 3 and not is_elsewhere:
        raise UsageError(f"only {', '.join(files)} given, where {command.files} are expected.")


def check(asked: Asked, turned_out: UseName | None = None) -> None:
    """Raise UsageError for an option that is given and has no effect.

    turned_out: the use that is asked for, if that is not the one that it looked like
    """
    if turned_out is not None:
        asked = asked.replaced(use=next(use for use in asked.command.uses if use.name == turned_out))
    command, use = asked.command, asked.use
    if asked.files and use.alone:
        raise UsageError(f"{command.files.strip('[]')} is not for {use.words}.")
    for holds, message in command.needs:
        if not holds(asked):
            raise UsageError(message)
    requested = [option for name, option in asked.options.items() if name in asked.given]
    for option in requested:
        if not option.suits(command, use.name) and use.words:
            raise UsageError(f"{option.spelling} is not for {use.words}.")
        if not option.suits(command, use.name):
            uses = [other.words for other in command.uses if other.words and option.suits(command, other.name)]
            raise UsageError(f"{option.spelling} is for {either(list(dict.fromkeys(uses)))}.")
    if command.name == "map-ci" and use.name in SOURCE_OF_NAME:
        _check_words(asked)
    for option in requested:
        for holds, message in option.needs:
            if not holds(asked):
                raise UsageError(message.format(option.spelling, asked=asked))
    is_printed = any(getattr(asked, name) for name in (*PRINTED, "save_scores", "save_factors"))
    if asked.no_summary and command.name != "ap-ci" and not is_printed:
        names = [name for name in PRINTED if name in asked.options and asked.options[name].suits(command, use.name)]
        options = either(["-q" if name == "per_topic" else asked.spelling(name) for name in names])
        raise UsageError(f"-n alone leaves nothing to print: add {options}.")


def _check_words(asked: Asked) -> None:
    """Refuse words that the source of variation does not take."""
    source = SOURCE_OF_NAME[asked.use.name]
    for name, words in source.takes.items():
        value = getattr(asked, name)
        refused = [word for word in (value if isinstance(value, tuple) else (value,)) if word not in words]
        if not asked.has(name) or not words or not refused:
            continue
        if name == "population" and source.name == "means":
            asked_by = next(other.asked_by for other in SOURCES if refused[0] in other.words)
            raise UsageError(f"--population {refused[0]} is for --{asked_by}.")
        raise UsageError(f"{asked.spelling(name)} {refused[0]} is not for {asked.use.words}: use {either(words)}.")
    if asked.new_topics and asked.use.name != "means":
        raise UsageError(
            f"--interval prediction:{asked.new_topics} is not for {asked.use.words}: leave out the number."
        )


Identity = tuple[int, int] | str


def check_outputs(asked: Asked) -> None:
    """Raise UsageError for an output in a folder that is not there, or that is an input or another output under whatever
    name; and for a picture without what draws it."""
    seen: dict[Identity, str] = {}
    for option, path in _outputs(asked):
        if path != STANDARD_STREAM and (os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or os.curdir)):
            reason = "it is a folder" if os.path.isdir(path) else "no such folder"
            raise UsageError(f"{option}: {path}: cannot be written ({reason})")
        identity = _identity(path, 1)
        if identity is not None and identity in seen:
            raise UsageError(f"{seen[identity]} and {option}: {path}: one would overwrite the other")
        if identity is not None:
            seen[identity] = option
    refuse_inputs(asked, _inputs(asked))
    if asked.plot is not None:
        from importlib.util import find_spec

        if find_spec("matplotlib") is None:
            raise UsageError(
                "--plot needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder"
            )


def refuse_inputs(asked: Asked, paths: Iterable[str]) -> None:
    """Raise UsageError if an output is one of these files, which are to be read."""
    read = {_identity(path, 0): path for path in paths}
    for option, path in _outputs(asked):
        identity = _identity(path, 1)
        if isinstance(identity, tuple) and identity in read:
            raise UsageError(f"{option}: {path}: would overwrite the input {read[identity]}")


def _outputs(asked: Asked) -> Iterator[tuple[str, str]]:
    """The options that name an output, each as it is spelled, and the paths."""
    for name, option in asked.options.items():
        if option.type.writes and (path := getattr(asked, name)) is not None:
            yield option.spelling, path


def _inputs(asked: Asked) -> Iterator[str]:
    """The paths of what is read; some may be no files but what else the option takes."""
    yield from (path[1:] if is_list(path) else path for path in asked.files)
    for name, option in asked.options.items():
        if option.type.paths is not None and (value := getattr(asked, name)) is not None:
            yield from option.type.paths(value)


def _identity(path: str, stream: int) -> Identity | None:
    """The identity that all names of a file share, or of one to be made; a device or a pipe, which loses nothing, has none.

    `stream`: what - stands for, which the shell may have connected to a file.
    """
    is_stream = path == STANDARD_STREAM
    try:
        status = os.fstat(stream) if is_stream else os.stat(path)
    except OSError:
        return path if is_stream else os.path.realpath(path)
    if stat.S_ISREG(status.st_mode):
        return status.st_dev, status.st_ino
    return path if is_stream else None
