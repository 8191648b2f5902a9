"""How often 95% intervals cover the true value on known populations: tables of doc/trust.md, those of means over
documents with fewer experiments."""

import math
from collections.abc import Iterator

import test_soundness as known
from page import Section, Table

OF_TOPICS = 2000  # experiments a cell for a topic's AP over documents
OF_MEANS = 1000
OVER_TOPICS = 20_000
SIZES = (5, 10, 30, 100)


def _error(experiments: int, share: float = 0.95) -> str:
    return f"{100 * math.sqrt(share * (1 - share) / experiments):.1f} points"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def of_documents() -> Iterator[list[object]]:
    """Each kind of interval of one topic's AP."""
    found = {size: {name: share for name, share, _ in known.coverage_over_documents(size)} for size in SIZES}
    for name in known.KINDS:
        yield [name, *(_percent(found[size][name]) for size in SIZES)]


def of_means() -> Iterator[list[object]]:
    """Means of 25 topics over documents: the expected score of such collections, without and with the small-R correction."""
    for shift in (known.SHIFT, known.EASY):
        for relevant in (3, 5, 30):
            kinds = [known.coverage_of_means(relevant, known.FEWER_TOPICS, kind, shift) for kind in ("none", "wider")]
            yield [f"{shift:g}", relevant, *(_percent(each.this_size) for each in kinds)]


def over_topics() -> Iterator[list[object]]:
    """Intervals of a mean over topics, and tests of two systems with the same distribution of scores."""
    for population, (_, words) in known.POPULATIONS.items():
        for topics in (5, 10, 25, 50):
            shares = known.coverage_over_topics(population, topics), *known.type_one_errors(population, topics).values()
            yield [words, topics, *map(_percent, shares)]


def section() -> Section:
    """The numbers of experiments are set for the time that the page may take."""
    tables = []
    known.EXPERIMENTS = OF_TOPICS
    headers = ["interval", *(f"R = {size}" for size in SIZES)]
    caption = f"AP of a topic over documents, {OF_TOPICS} experiments a cell, standard error {_error(OF_TOPICS)}"
    tables.append(Table(caption, headers, list(of_documents())))
    known.EXPERIMENTS = OF_MEANS
    caption = f"Means of {known.FEWER_TOPICS} topics over documents, {OF_MEANS} experiments, standard error {_error(OF_MEANS)}"
    tables.append(Table(caption, ["shift", "R", "--small-r none", "corrected"], list(of_means())))
    known.TOPIC_EXPERIMENTS = OVER_TOPICS
    caption = f"Means over topics, and tests of equal systems at .05, {OVER_TOPICS} experiments, standard error"
    caption += f" {_error(OVER_TOPICS)}"
    headers = ["scores", "topics", "t", "paired t rejects", "randomization rejects"]
    tables.append(Table(caption, headers, list(over_topics())))
    return Section("Coverage", (__doc__ or "").strip().replace("\n", " "), tables)
