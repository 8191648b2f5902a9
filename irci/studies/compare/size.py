"""How large comparing all pairs of runs gets, which is told, or refused, before runs are read."""

import logging
import math

from irci.base.choices import BOTH, DOCUMENTS
from irci.base.errors import DataError
from irci.studies.map_ci.runs import Asked
from irci.system import memory

logger = logging.getLogger("irci")

MANY = 10**6  # pairs
# Bytes, measured: of what is found of a pair for one population, of its row where that is kept, of its spread on a topic.
OF_PAIR, OF_ROW, OF_TOPIC = 250, 1500, 9


def check_number_of_pairs(asked: Asked, runs: int, topics: int) -> None:
    """Say how many pairs there are if they are many, and raise DataError if there is no memory for them."""
    settings = asked.settings
    if not (settings.all_pairs or settings.ranks):
        return
    pairs = math.comb(runs, 2)
    needed = pairs * _bytes_of_pair(asked, topics)
    size = f"{pairs:,} pairs of {runs:,} runs take about {memory.in_words(needed)} of memory"
    if memory.is_too_much(needed):
        raise DataError(
            f"{size}, more than half of what is available: --compare or --baseline without --ranks, or fewer runs"
        )
    if pairs > MANY:
        logger.info(f"{size}; --compare or --baseline tests against one run")


def _bytes_of_pair(asked: Asked, topics: int) -> int:
    settings, populations = asked.settings, asked.populations
    by_topic = settings.per_topic and settings.all_pairs
    needs_spreads = BOTH in populations or settings.meta is not None or (by_topic and DOCUMENTS in populations)
    return (
        OF_PAIR * len(populations)
        + OF_ROW * topics * by_topic
        + OF_ROW * (settings.meta is not None)
        + OF_TOPIC * topics * needs_spreads
    )
