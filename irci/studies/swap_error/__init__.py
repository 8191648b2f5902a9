"""swap-error: error rates, swaps, discriminative power."""

from irci.studies.swap_error.error_rates import rates_of_file
from irci.studies.swap_error.request import SwapErrorRequest
from irci.studies.swap_error.study import swap_error

__all__ = ["SwapErrorRequest", "rates_of_file", "swap_error"]
