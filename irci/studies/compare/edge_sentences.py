"""Scores of 0 and 1 in plain words: how many queries succeed, and how many of such queries do."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.names import BORDA, plural
from irci.data.scale_ends import UNIT
from irci.stats.bounded import at_ends
from irci.studies.compare.family import Source
from irci.studies.compare.rows import OnMeasure
from irci.studies.wording import MOST


def sentences_of_hits(on: Sequence[OnMeasure], sources: Sequence[Source], confidence: float) -> Iterator[str]:
    """For runs whose scores are all 0 or 1 how many queries succeed, and with limits how many of such queries do; none of
    points, of which 1 is no success, or if there are many runs."""
    topics = next((source for source in sources if source.name == TOPICS), None)
    for family in [each.alone for each in on]:
        of_hits = family.ends == UNIT and not family.measure.name.endswith(BORDA)
        if topics is None or not of_hits or len(family.raw) > MOST:
            continue
        tested = family.over(topics).tested
        for place, run in enumerate(family.names):
            scores = family.raw[place][~np.isnan(family.raw[place])]
            if len(scores) and tested.interval[place] == "bounded" and at_ends(scores, *UNIT):
                limits = tested.limits[0][place], tested.limits[1][place]
                yield _hits(f"{run} in {family.measure.name}", scores, *limits, f"{100 * confidence:g}% confidence")


def _hits(what: str, scores: np.ndarray, lower: float, upper: float, sure: str) -> str:
    hits, number = int(scores.round().sum()), len(scores)
    queries = plural(number, "query").replace("querys", "queries")
    if hits == number:
        of_all = "The only query succeeded" if number == 1 else f"All {queries} succeeded"
        return f"{what}: {of_all[:1].lower()}{of_all[1:]}; with {sure} at least {lower:.1%} of such queries do."
    if hits == 0:
        none = "the only query failed" if number == 1 else f"none of {queries} succeeded"
        return f"{what}: {none}; with {sure} at most {upper:.1%} of such queries do."
    return f"{what}: {hits} of {queries} succeeded; with {sure} {lower:.1%} to {upper:.1%} of such queries do."
