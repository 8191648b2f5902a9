"""Where results are to go: looked at before anything is read, so that no result is lost after long work, and no input."""

import os
import stat
from collections.abc import Iterable, Iterator

from irci.base.errors import UsageError
from irci.base.names import is_list
from irci.options.asked import Asked
from irci.options.files import STANDARD_STREAM
from irci.options.tables import PANELS
from irci.output.files import is_written_in_place

Identity = tuple[int, int] | str


def check_outputs(asked: Asked) -> None:
    """Raise UsageError for an output that cannot be written, or that is an input or another output under whatever name."""
    seen: dict[Identity, str] = {}
    for option, path in _outputs(asked):
        _refuse_unwritable(option, path)
        identity = _identity(path, 1)
        if identity is not None and identity in seen:
            raise UsageError(f"{seen[identity]} and {option}: {path}: one would overwrite the other")
        if identity is not None:
            seen[identity] = option
    refuse_inputs(asked, _inputs(asked))
    if asked.plot is not None:
        _check_picture(asked)


def _refuse_unwritable(option: str, path: str) -> None:
    if path == STANDARD_STREAM:
        return
    try:
        reason = _why_no_file(path)
    except OSError as error:
        reason = error.strerror
    if reason:
        raise UsageError(f"{option}: {path}: cannot be written ({reason})")


def _check_picture(asked: Asked) -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError(
            "--plot needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder"
        )
    from irci.output.plots import refuse_too_many

    panels = sum(bool(holds(asked)) for holds in PANELS.get(asked.command.name, ()))
    refuse_too_many(len(asked.measures or ()) * panels)


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


def _why_not_into(path: str) -> str | None:
    """Why nothing can be written to a file, or put into a folder. Raises OSError if it is not there."""
    is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    if os.access(path, os.W_OK | (os.X_OK if is_folder else 0)):
        return None
    return f"no permission to write {'into ' if is_folder else ''}{path}"
