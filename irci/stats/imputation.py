"""Estimates from data of which a part is missing and drawn several times: each drawing is estimated as if it were known, and
what varies from one to the next adds to the error.

D. B. Rubin, Multiple Imputation for Nonresponse in Surveys, 1987, section 3.1.
"""

import numpy as np

from irci.base.types import Floats, Ints
from irci.stats.estimates import Estimates


def combined(values: Floats, errors: Floats, units: Ints) -> Estimates:
    """P estimates of the same from M completed data sets as one: values[M, P] with standard errors[M, P], of units[P].

    With W the mean squared error, B the variance of the values (ddof 1; 0 of one data set) and V = (1 + 1/M) B, the squared
    error is W + V, and the degrees of freedom are (M - 1)(1 + W/V)^2, no more than units - 1.
    """
    imputations = len(values)
    within = np.square(errors).mean(axis=0)
    between = (1 + 1 / imputations) * (values.var(axis=0, ddof=1) if imputations > 1 else np.zeros_like(within))
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.where(between > 0, (imputations - 1) * np.square(1 + within / between), np.inf)
    return Estimates(values.mean(axis=0), np.sqrt(within + between), np.minimum(df, units - 1.0), units)
