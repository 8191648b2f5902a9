"""Memory: more than there is is refused before it is asked for, since systems promise what they cannot give."""

import math
import os
from contextlib import suppress
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container, or of a job on a cluster
SHARE = 0.5  # of what is available, that the results of a command may take


def physical() -> float:
    """The bytes of memory of this machine; infinite if it does not tell."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def claim(*shape: int, bytes_each: int = 8) -> None:
    """Raise MemoryError if an array of this shape cannot fit, whatever else there is."""
    needed = math.prod(shape) * bytes_each
    if needed > physical():
        raise MemoryError(f"{needed / 1e9:.3g} GB are needed, which this machine does not have")


def available() -> float:
    """The bytes that this process may still take: of the machine, of a container, by its own limit."""
    found = [physical()]
    with suppress(OSError, ValueError):
        found.append(float(int(LIMIT.read_text())))
    with suppress(OSError, StopIteration):
        line = next(line for line in MEMINFO.read_text().splitlines() if line.startswith("MemAvailable:"))
        found.append(float(line.split()[1]) * 1024)
    with suppress(ImportError, OSError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [float(limit)] if limit != resource.RLIM_INFINITY else []
    return min(found)


def is_too_much(needed: int) -> bool:
    """Whether results of so many bytes are more than may be taken of what is available."""
    return needed > SHARE * available()


def in_words(size: int) -> str:
    """A number of bytes, roughly."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"
