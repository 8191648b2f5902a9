"""Agreement of two orders of the same things: M. G. Kendall, Biometrika 33, 1945."""

import numpy as np

from irci.base.types import Floats


def tau_b(first: Floats, second: Floats) -> float:
    """Kendall's tau_b of values[R] of the same things; nan where all of one are equal.

    To the last bit that of scipy.stats.kendalltau, which takes longer to load than a command to run.
    """
    signs = [np.sign(values[:, np.newaxis] - values) for values in (first, second)]
    untied = [np.count_nonzero(each) // 2 for each in signs]
    if 0 in untied:
        return float("nan")
    tau = (signs[0] * signs[1]).sum() / 2 / np.sqrt(untied[0]) / np.sqrt(untied[1])
    return float(min(1.0, max(-1.0, tau)))
