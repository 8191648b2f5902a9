"""Files: written as a whole or not at all."""

import os
import stat
from contextlib import suppress

from irci.base.errors import DataError
from irci.system import process

LONGEST_PART = 60  # letters of a name that its temporary file shows: names have a limit, in bytes


def write_file(path: str, text: bytes) -> None:
    """Write a file as a whole or not at all: whoever reads `path` sees the old content or the new one.

    A link stays a link to the file written; a pipe or a device (/dev/stdout) is written to as it is. Raises DataError.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


def is_written_in_place(path: str) -> bool:
    """True where there is something that no file can take the place of: a device, a pipe, or a stream that is open already."""
    return path.startswith(("/dev/std", "/dev/fd/")) or not os.path.isfile(path)


def _write(path: str, text: bytes) -> None:
    if os.path.exists(path) and is_written_in_place(path):
        with open(path, "wb") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    with process.changing:
        import tempfile  # takes time

        handle, temporary = tempfile.mkstemp(prefix=f".{name[:LONGEST_PART]}.", dir=folder)
        process.temporaries.add(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.chmod(temporary, _mode_of(path))
        with process.changing:
            os.replace(temporary, path)
    finally:
        with process.changing:
            process.temporaries.remove(temporary)
            with suppress(FileNotFoundError):  # it has been moved
                os.unlink(temporary)


def _mode_of(path: str) -> int:
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)  # which cannot be read without setting it
    os.umask(mask)
    return 0o666 & ~mask
