"""What map-ci warns of when runs are compared: p that cannot be small, or means something else, or is too small."""

import logging

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS
from irci.base.errors import plural
from irci.data.measures import Measure
from irci.data.notices import warn_of_topics
from irci.stats.signs import is_exact, smallest_sign_flip_p
from irci.studies.map_ci.pairs import ComparedRuns

logger = logging.getLogger("irci")

# With so few relevant documents a topic's resamples vary too little; in a mean that matters where many topics have so few.
FEW, FEW_FOR_META = 3, 5
MANY_TOPICS = 0.1


def warn_of_smallest_p(runs: ComparedRuns, measure: Measure) -> None:
    """Say so if no p that signs can give survives the correction for so many pairs."""
    settings, family = runs.asked.method, runs.of_all_pairs or runs.family
    by_signs = settings.test in ("randomization", "wilcoxon") or settings.correction == "maxt"
    pairs = len(family.comparison.pairs) if settings.correction == "holm" else 1
    alpha, topics = 1 - settings.confidence, int(family.common.sum())
    too_few = ""
    if by_signs and TOPICS in runs.asked.populations and smallest_sign_flip_p(topics, settings.signs) > alpha / pairs:
        too_few = "topics" if is_exact(topics, settings.signs) else "resamples (-B)"
    of_documents = family.joint.of_all is not None and DOCUMENTS in runs.asked.populations
    if of_documents and settings.correction == "maxt" and 1 / (settings.resamples + 1) > alpha:
        too_few = "resamples (-B)"
    if too_few:
        logger.warning(f"{measure.name}: too few {too_few} for any p_adjusted below {alpha:g}")


def warn_of_tests(runs: ComparedRuns, measure: Measure) -> None:
    """Say where p is not about the difference of means that is printed."""
    settings = runs.asked.method
    if settings.test in ("wilcoxon", "sign") and TOPICS in runs.asked.populations:
        logger.warning(f"{measure.name}: {settings.test} does not test the difference of means that is printed")
        against = int(runs.resolution(measure).contradicts.sum())
        if against:
            of_pairs = plural(against, "pair")
            logger.warning(
                f"{measure.name}: {settings.test} finds {of_pairs} to differ in the opposite direction to their means"
            )
    over_topics = runs.tested(measure).differences.get(TOPICS)
    if over_topics is None:
        return
    without = int((np.isnan(over_topics.lower) & (over_topics.error > 0)).sum())
    if settings.interval == "bootstrap-t" and without:
        logger.warning(
            f"{measure.name}: bootstrap-t gives no limits for {plural(without, 'pair')}, too many of whose resamples"
            " repeat a single topic"
        )
    count = over_topics.test.count("signs")
    if count:
        logger.warning(
            f"{measure.name}: differences of {plural(count, 'pair')} are equal on all topics: p comes from the signs"
        )


def warn_of_few_relevant(runs: ComparedRuns) -> None:
    """Say where resampled documents know too little: `tests/test_soundness_pairs.py` measures how wrong p is then."""
    relevance = runs.found.relevances.get(runs.base.sees)
    if relevance is None or DOCUMENTS not in runs.asked.populations:
        return
    scored = ~np.isnan(runs.values).all(axis=0)
    relevant = relevance.num_relevant[scored]
    topics = np.array(runs.table.topics, object)[scored]
    few = (relevant > 0) & (relevant < FEW)
    if runs.asked.settings.has_pairs and few.sum() > MANY_TOPICS * len(few):
        happens = f"with fewer than {FEW} relevant documents, p over documents too small (--population topics)"
        warn_of_topics(runs.base.name, happens, topics[few].tolist())
    few = (relevant > 0) & (relevant < FEW_FOR_META)
    if runs.asked.settings.meta is not None:
        happens = f"with fewer than {FEW_FOR_META} relevant documents, which --meta trusts too much"
        warn_of_topics(runs.base.name, happens, topics[few].tolist())
