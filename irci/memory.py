"""Memory: more than the machine has is refused before it is asked for, since systems promise what they cannot give."""

import math
import os


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
