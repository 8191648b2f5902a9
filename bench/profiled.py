"""Where a command's time goes, function by function: python bench/profiled.py COMMAND [ARGUMENT ...] > /dev/null"""

import atexit
import cProfile
import pstats
import sys

from irci.__main__ import main

LINES = 40


def tell(profile: cProfile.Profile) -> None:
    """Print the functions that took longest, with all that they called, on standard error."""
    profile.disable()
    pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(LINES)


if __name__ == "__main__":
    profile = cProfile.Profile()
    atexit.register(tell, profile)
    profile.enable()
    main()
