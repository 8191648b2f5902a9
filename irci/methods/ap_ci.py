"""ap-ci: how precise is a topic's average precision?

Estimates AP of one run on each topic and how much it would vary over collections like this one. Resampled: the documents,
each with a Poisson(1) number of copies; topics and system are fixed, so nothing is said about other topics. Assumes that
the collection is a sample of similar documents (same relevance, neighbouring rank).

G. V. Cormack and T. R. Lynam, "Statistical precision of information retrieval evaluation", SIGIR 2006, 533-540.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.collection import RelevantRanks
from irci.corpus_bootstrap import StepTables, resampled_ap
from irci.intervals import Interval, linear_interval, logit_interval, normal_interval, percentile_interval
from irci.measures import average_precision, mean_over_topics

KINDS = ("logit", "linear", "percentile")
# Topics whose replicates are in memory at once.
TOPICS_AT_ONCE = 256

Row = dict[str, str | float]


@dataclass(frozen=True)
class ApIntervals:
    """AP of one run with its limits, float64[T] in topic order (nan limits where R = 0), and the mean with its own."""

    value: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    mean: float
    mean_lower: float
    mean_upper: float

    def rows(self, run: str, topics: Sequence[str], per_topic: bool, summary: bool) -> Iterator[Row]:
        """One row a topic if `per_topic`, then the mean if `summary`; limits are clipped to [0, 1]."""
        estimates = zip(topics, self.value, self.lower, self.upper, strict=True)
        everything = ("all", self.mean, self.mean_lower, self.mean_upper)
        for topic, value, lower, upper in [*(estimates if per_topic else ()), *([everything] if summary else ())]:
            yield {
                "measure": "map",
                "topic": topic,
                "value": float(value),
                "lower": float(np.clip(lower, 0, 1)),
                "upper": float(np.clip(upper, 0, 1)),
                "run": run,
            }


def ap_ci(
    lists: RelevantRanks,
    keys: NDArray[np.uint64],
    *,
    interval: str = "logit",
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
    threads: int = 1,
    tables: StepTables | None = None,
) -> ApIntervals:
    """Confidence intervals of AP for one run's T rankings, and of their mean.

    `keys` uint64[T]: the topics' stream keys (`resampling.topic_keys`). `interval`: one of KINDS, for the topics; the
    mean's is always MAP +- z sd(MAP*), topics resampled independently (MAP* a mean over topics of AP*). A topic without
    relevant documents scores 0 and has nan limits. `tables` can be shared between runs.
    """
    tables = tables or StepTables()
    value = average_precision(lists)
    limits = np.empty((2, len(value)))
    sum_of_replicates = np.zeros(resamples)
    for first in range(0, len(value), TOPICS_AT_ONCE):
        some = slice(first, first + TOPICS_AT_ONCE)
        replicates = resampled_ap(
            lists.topics(some), keys[some], resamples=resamples, seed=seed, tables=tables, threads=threads
        )
        limits[:, some] = topic_interval(interval, value[some], replicates, confidence)
        for of_topic in replicates:  # in topic order, so that the sum does not depend on TOPICS_AT_ONCE
            sum_of_replicates += of_topic
    limits[:, lists.num_relevant == 0] = np.nan
    mean = mean_over_topics(value)
    mean_lower, mean_upper = normal_interval(mean, (sum_of_replicates / len(value)).std(ddof=1), confidence)
    return ApIntervals(value, limits[0], limits[1], float(mean), float(mean_lower), float(mean_upper))


def topic_interval(
    kind: str, value: NDArray[np.float64], replicates: NDArray[np.float64], confidence: float
) -> Interval:
    """The limits of each topic's AP value[T] from its replicates[T, B]."""
    match kind:
        case "logit":
            return logit_interval(value, replicates, confidence)
        case "linear":
            return linear_interval(value, replicates, confidence)
        case "percentile":
            return percentile_interval(replicates, confidence)
        case _:
            raise ValueError(f"unknown kind of interval: {kind}")
