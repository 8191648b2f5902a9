"""Intervals that speak of other populations than a plain confidence interval over topics does.

Topics and documents together; the mean of another sample of topics (prediction), and whether its difference would have
the other sign (G. Cumming and R. Maillardet, "Confidence intervals and replication: where will the next mean fall?",
Psychological Methods 11, 2006).
"""

from typing import NamedTuple

import numpy as np

from irci.base.types import Floats
from irci.stats.intervals import Interval
from irci.system import special


class BothPopulations(NamedTuple):
    """P means or differences, float64[P] each, topics and documents varying: limits, p, standard error, degrees of freedom.

    sd_documents, sd_topics: the parts of the standard error; share_documents: how much of the variance between topics is that
    of their documents, at most 1.
    """

    lower: Floats
    upper: Floats
    p: Floats
    error: Floats
    df: Floats
    sd_documents: Floats
    sd_topics: Floats
    share_documents: Floats


def both_populations(
    value: Floats, over_topics: Floats, over_documents: Floats, topics: int, confidence: float, *, shared: bool = False
) -> BothPopulations:
    """Limits of values[P], means over so many topics (on the measure's scale), for other topics and other documents.

    over_topics[P]: the variance (ddof 1) between topics of the observed scores or differences; over_documents[P]: the mean
    over topics of each topic's variance (ddof 1) under resampled documents. Their sum over T is the squared standard error,
    with Satterthwaite's degrees of freedom, documents' part taken as known; as scores of topics already vary with the
    documents it is conservative. `shared`: a topic drawn twice has the same documents each time. p is of value = 0; where
    nothing varies 1 for 0, else nan. One topic: nan. (F. E. Satterthwaite, Biometrics Bulletin 2, 1946.)
    """
    from_documents = over_documents / topics * (2 - 1 / topics if shared else 1)
    from_topics = over_topics / topics if topics > 1 else np.full(len(value), np.nan)
    variance = from_topics + from_documents
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.where(from_topics == 0, np.inf, (topics - 1) * (variance / from_topics) ** 2)
        share = np.minimum(1, over_documents / over_topics)
        error = np.sqrt(variance)
        p = 2 * special.stdtr(df, -np.abs(value) / error)
    reach = special.stdtrit(df, (1 + confidence) / 2) * error
    return BothPopulations(
        value - reach, value + reach, np.where(error == 0, np.where(value == 0, 1.0, np.nan), p), error, df,
        np.sqrt(from_documents), np.sqrt(from_topics), share if topics > 1 else np.full(len(value), np.nan),
    )  # fmt: skip


def prediction_interval(
    mean: Floats, sd: Floats, topics: int, confidence: float, new_topics: int | None = None
) -> Interval:
    """Limits within which the mean over `new_topics` (as many again) other topics will lie: means[P] with sd[P] (ddof 1) over
    so many.

    mean +- t sd sqrt(1/n + 1/n'); nan for fewer than 2 topics.
    """
    t = float(special.stdtrit(topics - 1, (1 + confidence) / 2)) if topics > 1 else np.nan
    reach = t * sd * np.sqrt(1 / topics + 1 / (new_topics or topics))
    return mean - reach, mean + reach


def reversal_probability(difference: Floats, error: Floats, topics: int) -> Floats:
    """The probability[P] that another experiment on as many topics gives the difference the other sign.

    F_t(-|t| / sqrt(2)), t = difference / error of the paired t test; nan where the two never differ, and for one topic.
    """
    if topics < 2:
        return np.full(len(difference), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(difference) / error
    return np.asarray(special.stdtr(topics - 1, -t / np.sqrt(2)))
