"""swap-error: error rates, swaps, discriminative power."""

from irci.studies.swap_error.counts import rates_of_file
from irci.studies.swap_error.settings import Settings
from irci.studies.swap_error.study import swap_error

__all__ = ["Settings", "rates_of_file", "swap_error"]
