"""Where results are to go: looked at before anything is read, so that no result is lost after long work, and no input."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from irci.base.errors import UsageError
from irci.cli.parameters import STANDARD_STREAM, InputFile, OutputFile, OutputFolder
from irci.output.files import is_written_in_place

Identity = tuple[int, int] | str


@dataclass(frozen=True)
class Output:
    """An option that names an output, as it is spelled, and the path."""

    option: str
    path: str
    is_folder: bool

    @property
    def identity(self) -> Identity | None:
        """What two outputs share that overwrite each other."""
        return _identity(self.path, 1)

    def refuse_unwritable(self) -> None:
        """Raise UsageError if it cannot be written, as far as that can be known without trying."""
        if self.path == STANDARD_STREAM:
            return
        try:
            reason = _why_no_folder(self.path) if self.is_folder else _why_no_file(self.path)
        except OSError as error:
            reason = error.strerror
        if reason:
            raise UsageError(f"{self.option}: {self.path}: cannot be written ({reason})")


def check_outputs(context: click.Context) -> None:
    """Raise UsageError for an output that cannot be written, or that is an input or another output under whatever name."""
    seen: dict[Identity, str] = {}
    for output in _outputs(context):
        output.refuse_unwritable()
        identity = output.identity
        if identity is not None and identity in seen:
            path = output.path
            raise UsageError(f"{seen[identity]} and {output.option}: {path}: one would overwrite the other")
        if identity is not None:
            seen[identity] = output.option
    refuse_inputs(context, _inputs(context))
    if context.params["plot"] is not None:
        from irci.output.plots import refuse_too_many

        refuse_too_many(len(context.params.get("measures", ())) * _least_panels(context.command.name, context.params))


def _least_panels(command: str | None, options: Mapping[str, Any]) -> int:
    """How many panels a picture has at least for each measure, of several; `draw` counts them."""
    means = not options.get("no_summary")
    match command:
        case "ap-ci" | "map-ci" if options["validate"]:
            panels = 0
        case "ap-ci":
            panels = means
        case "map-ci":
            compares = options["compare"] or options["all_pairs"] or options["baseline"] is not None
            panels = means + compares + options["ranks"]
        case "stdap-ci":
            panels = 0 if options["type_one"] else means * (2 - (options["transform"] == "none"))
        case "swap-error":
            panels = options["procedure"] == "swap"
        case _:
            panels = command == "partition-anova"
    return int(panels)


def refuse_inputs(context: click.Context, paths: Iterable[str]) -> None:
    """Raise UsageError if an output is one of these files, which are to be read."""
    read = {_identity(path, 0): path for path in paths}
    for output in _outputs(context):
        if isinstance(output.identity, tuple) and output.identity in read:
            path = read[output.identity]
            raise UsageError(f"{output.option}: {output.path}: would overwrite the input {path}")


def _outputs(context: click.Context) -> Iterator[Output]:
    for parameter in context.command.params:
        path = context.params.get(str(parameter.name))
        if path is not None and isinstance(parameter.type, OutputFile | OutputFolder):
            yield Output(parameter.opts[-1], path, isinstance(parameter.type, OutputFolder))


def _inputs(context: click.Context) -> Iterator[str]:
    """The paths of what is read; some may be no files but what else the option takes."""
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if value is not None and isinstance(parameter.type, InputFile):
            yield from parameter.type.paths(value)


def _identity(path: str, stream: int) -> Identity | None:
    """What all names of a file share, or of one that is to be made; a device or a pipe, which loses nothing, has none.

    `stream`: what - stands for, which the shell may have connected to a file.
    """
    is_stream = path == STANDARD_STREAM
    try:
        found = os.fstat(stream) if is_stream else os.stat(path)
    except OSError:
        return path if is_stream else os.path.realpath(path)
    if stat.S_ISREG(found.st_mode):
        return found.st_dev, found.st_ino
    return path if is_stream else None


def _why_no_file(path: str) -> str | None:
    """Why a file cannot be written. Raises OSError for other reasons."""
    if not os.path.basename(path):
        return "not the name of a file"
    folder = os.path.dirname(os.path.realpath(path))
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return _why_not_into(folder)
    if is_written_in_place(path):
        return _why_not_into(path)
    return _why_not_into(folder) or _why_not_replaced(path, found, os.stat(folder))


def _why_not_replaced(path: str, found: os.stat_result, folder: os.stat_result) -> str | None:
    """Why a file cannot be replaced in a folder that can be written into, nor overwritten if it has other names."""
    if found.st_nlink > 1:
        return _why_not_into(path)
    if folder.st_mode & stat.S_ISVTX and os.geteuid() not in (0, found.st_uid, folder.st_uid):
        return "it belongs to another user, in a folder with the sticky bit"
    return None


def _why_no_folder(path: str) -> str | None:
    """Why a folder cannot be made, or be written into if there is one. Raises OSError for other reasons."""
    place = os.path.realpath(path)
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    return _why_not_into(place) if os.path.isdir(place) else f"{place} is not a folder"


def _why_not_into(place: str) -> str | None:
    """Why nothing can be written to a file, or put into a folder. Raises OSError if it is not there."""
    is_folder = stat.S_ISDIR(os.stat(place).st_mode)
    if os.access(place, os.W_OK | (os.X_OK if is_folder else 0)):
        return None
    return f"no permission to write {'into ' if is_folder else ''}{place}"
