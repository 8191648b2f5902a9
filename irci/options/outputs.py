"""Where results are to go: looked at before anything is read, so that no result is lost after long work, and no input."""

import os
import stat
from collections.abc import Iterable, Iterator

from irci.base.errors import UsageError
from irci.base.names import is_list
from irci.base.records import Record
from irci.options.call import Call
from irci.options.option import holds
from irci.options.tables import PANELS
from irci.options.types import STANDARD_STREAM, InputFile, OutputFile
from irci.output.files import is_written_in_place

Identity = tuple[int, int] | str


class Output(Record):
    """An option that names an output, as it is spelled, and the path."""

    option: str
    path: str

    @property
    def identity(self) -> Identity | None:
        """The identity that two outputs share that overwrite each other."""
        return _identity(self.path, 1)

    def refuse_unwritable(self) -> None:
        """Raise UsageError if it cannot be written, as far as that can be known without trying."""
        if self.path == STANDARD_STREAM:
            return
        try:
            reason = _why_no_file(self.path)
        except OSError as error:
            reason = error.strerror
        if reason:
            raise UsageError(f"{self.option}: {self.path}: cannot be written ({reason})")


def check_outputs(call: Call) -> None:
    """Raise UsageError for an output that cannot be written, or that is an input or another output under whatever name."""
    seen: dict[Identity, str] = {}
    for output in _outputs(call):
        output.refuse_unwritable()
        identity = output.identity
        if identity is not None and identity in seen:
            path = output.path
            raise UsageError(f"{seen[identity]} and {output.option}: {path}: one would overwrite the other")
        if identity is not None:
            seen[identity] = output.option
    refuse_inputs(call, _inputs(call))
    if call["plot"] is not None:
        _check_picture(call)


def _check_picture(call: Call) -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError(
            "--plot needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder"
        )
    from irci.output.plots import refuse_too_many

    panels = sum(holds(call.values, condition) for condition in PANELS[call.command.name])
    refuse_too_many(len(call.option("measures") or ()) * panels)


def refuse_inputs(call: Call, paths: Iterable[str]) -> None:
    """Raise UsageError if an output is one of these files, which are to be read."""
    read = {_identity(path, 0): path for path in paths}
    for output in _outputs(call):
        if isinstance(output.identity, tuple) and output.identity in read:
            path = read[output.identity]
            raise UsageError(f"{output.option}: {output.path}: would overwrite the input {path}")


def _outputs(call: Call) -> Iterator[Output]:
    for name, option in call.options.items():
        if call[name] is not None and isinstance(option.type, OutputFile):
            yield Output(option.spelling, call[name])


def _inputs(call: Call) -> Iterator[str]:
    """The paths of what is read; some may be no files but what else the option takes."""
    yield from (path[1:] if is_list(path) else path for path in call["files"])
    for name, option in call.options.items():
        if call[name] is not None and isinstance(option.type, InputFile):
            yield from option.type.paths(call[name])


def _identity(path: str, stream: int) -> Identity | None:
    """The identity that all names of a file share, or of one to be made; a device or a pipe, which loses nothing, has none.

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
        os.stat(path)
    except FileNotFoundError:
        return _why_not_into(folder)
    return _why_not_into(path if is_written_in_place(path) else folder)


def _why_not_into(place: str) -> str | None:
    """Why nothing can be written to a file, or put into a folder. Raises OSError if it is not there."""
    is_folder = stat.S_ISDIR(os.stat(place).st_mode)
    if os.access(place, os.W_OK | (os.X_OK if is_folder else 0)):
        return None
    return f"no permission to write {'into ' if is_folder else ''}{place}"
