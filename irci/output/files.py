"""Files: written as a whole or not at all."""

import os
import stat
import tempfile

from irci.errors import DataError


def write_file(path: str, text: bytes) -> None:
    """Write a file as a whole or not at all: whoever reads `path` sees the old content or the new one.

    A link stays a link to the file written; a pipe or a device (/dev/stdout) is written to as it is. Raises DataError.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None


def _write(path: str, text: bytes) -> None:
    if path.startswith("/dev/") or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "wb") as file:
            file.write(text)
        return
    path = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_of(path: str) -> int:
    """The permissions of a file, or those that a new one would get."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
