"""Do two judges give documents the same grades? Cohen's kappa, and what it is to be read beside.

Limits come from topics drawn with replacement, the documents of a topic staying together: the textbook's standard error takes
documents for independent, and is too small: on the topics of TREC 2019 four to five times.

J. Cohen 1960 and 1968 (weights); E. M. Voorhees, "Variations in relevance judgments and the measurement of retrieval
effectiveness", IPM 36, 2000 (overlap).
"""

import numpy as np

from irci.base.choices import LabelWeights
from irci.base.records import Record
from irci.base.streams import Purpose
from irci.base.types import Floats, Ints
from irci.estimators.joint_resamples import topic_counts
from irci.stats.intervals import percentile_interval
from irci.system.work import claim


class Labels(Record):
    """Documents of T topics that both have judged: tables float64[T, K, K] count those with a grade by the first and one by
    the second, of grades int64[K], ascending."""

    tables: Floats
    grades: Ints

    @classmethod
    def of(cls, topic: Ints, first: Ints, second: Ints) -> "Labels":
        """Labels by each document's topic and grades, int64[D] each; topics without any document count for nothing."""
        topics, place = np.unique(topic, return_inverse=True)
        grades, both = np.unique(np.concatenate((first, second)), return_inverse=True)
        claim(len(topics), len(grades), len(grades))
        shape = len(topics), len(grades), len(grades)
        cells = np.ravel_multi_index((place, both[: len(first)], both[len(first) :]), shape)
        return cls(np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64), grades)

    def binary(self, level: int, other_level: int) -> "Labels":
        """The labels with grades 0 and 1: below the lowest relevant grade of each judge, or not."""
        first, second = self.grades >= level, self.grades >= other_level
        tables = np.array([
            [self.tables[:, rows][:, :, columns].sum(axis=(1, 2)) for columns in (~second, second)]
            for rows in (~first, first)
        ])  # fmt: skip
        return Labels(np.moveaxis(tables, 2, 0), np.array([0, 1]))

    @property
    def table(self) -> Floats:
        return np.asarray(self.tables.sum(axis=0))

    @property
    def documents(self) -> int:
        return int(self.tables.sum())

    def overlap(self) -> float:
        """The overlap of binary labels: documents that both find relevant, by those that either does; nan of none."""
        table = self.table
        either = table.sum() - table[0, 0]
        return float(table[1, 1] / either) if either else np.nan

    def means(self) -> tuple[float, float]:
        """The mean grade that each gives: of binary labels the share relevant."""
        table = self.table
        number = table.sum()
        return float(table.sum(axis=1) @ self.grades / number), float(table.sum(axis=0) @ self.grades / number)


def disagreement(grades: Ints, weights: LabelWeights) -> Floats:
    """float64[K, K]: how much it counts that one judge gives this grade and the other that one, from 0 to 1."""
    distance = np.abs(grades[:, np.newaxis] - grades).astype(np.float64)
    if weights == "none":
        return np.where(distance > 0, 1.0, 0.0)
    share: Floats = distance / max(distance.max(initial=0.0), 1.0)
    return share if weights == "linear" else np.square(share)


def kappa(tables: Floats, weights: Floats) -> Floats:
    """1 - sum w O / sum w E of tables[..., K, K], E from the margins; nan where both margins lie in one class."""
    number = tables.sum(axis=(-2, -1))
    expected = np.einsum("...i,...j,ij->...", tables.sum(axis=-1), tables.sum(axis=-2), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = 1 - (tables * weights).sum(axis=(-2, -1)) * number / expected
    return np.where(expected > 0, found, np.nan)


def kappa_over_topics(
    labels: Labels, weights: Floats, *, confidence: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Percentile limits over topics drawn with replacement; nan of one topic. Resamples without a kappa are left out."""
    topics = len(labels.tables)
    if topics < 2:
        return np.nan, np.nan
    counts = topic_counts(topics, resamples, seed, Purpose.LABELS).astype(np.float64)
    found = kappa(np.einsum("tb,tij->bij", counts, labels.tables, optimize=True), weights)
    defined = found[~np.isnan(found)]
    if not len(defined):
        return np.nan, np.nan
    lower, upper = percentile_interval(defined, confidence)
    return float(lower), float(upper)
