"""What a paper says of a table of map-ci: what the limits of each population are, and how runs were tested."""

from collections.abc import Sequence

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, Missing, PairCorrection, Population, TopicInterval, TopicTest
from irci.base.errors import plural
from irci.output.report import Caption
from irci.stats.signs import is_exact
from irci.studies.limits import means_over
from irci.studies.map_ci.family import Family
from irci.studies.map_ci.pairs import ComparedRuns
from irci.studies.map_ci.runs import Asked

OF_INTERVAL: dict[TopicInterval, str] = {
    "t": "t", "simultaneous": "t", "prediction": "t", "percentile": "percentile", "bca": "BCa", "bootstrap-t": "bootstrap t",
}  # fmt: skip
OF_TEST: dict[TopicTest, str] = {
    "t": "paired t test", "normal": "paired t test", "randomization": "randomization test", "wilcoxon": "Wilcoxon's test",
    "sign": "sign test",
}  # fmt: skip
OF_CORRECTION: dict[PairCorrection, str] = {
    "holm": "p adjusted by Holm's method", "bh": "p adjusted by Benjamini and Hochberg's method",
    "maxt": "p adjusted by the largest statistic of all pairs", "none": "p not adjusted",
}  # fmt: skip


def caption(asked: Asked, shown: str, topics: int, missing: Missing, compared: Sequence[ComparedRuns]) -> Caption:
    """Of means over so many topics, with limits over the population shown; `missing`: what a topic that a run lacks does.

    `compared`: the runs on each measure.
    """
    settings = asked.settings
    population = next(each for each in asked.populations if each == shown)
    tested = compared if settings.has_pairs or settings.ranks else ()
    return Caption(
        means_over(topics, missing),
        _limits(asked, population),
        _test(asked, population, [each.all_tested for each in tested]) if tested else "",
        _test(asked, population, [each.of_all_pairs or each.family for each in tested]) if tested else "",
    )


def _limits(asked: Asked, population: Population) -> str:
    method = asked.method
    percent = f"{100 * method.confidence:g}%"
    resamples = f"{method.resamples} resamples"
    if population == BOTH:
        return f"{percent} confidence limits over topics and documents ({resamples} of the documents)"
    if population == DOCUMENTS:
        how = "delta method" if method.method == "parametric" else resamples
        return f"{percent} confidence limits over documents ({how}; topics fixed)"
    kind = OF_INTERVAL[method.interval]
    if method.interval == "prediction":
        number = "as many" if method.new_topics is None else str(method.new_topics)
        return f"{percent} prediction limits for the mean over {number} other topics ({kind})"
    how = kind if kind == "t" else f"{kind}, {resamples}"
    return f"{percent} confidence limits over topics ({how})"


def _test(asked: Asked, population: Population, families: Sequence[Family]) -> str:
    """How the runs were tested, and for how many pairs p is adjusted, each measure by itself."""
    method, family = asked.method, families[0]
    number = plural(len(family.comparison.pairs), "pair") + " of each measure" * (len(families) > 1)
    of_pairs = f"of the {number}" if method.correction == "none" else f"for {number}"
    if method.correction == "maxt" and population == TOPICS:
        exact = is_exact(int(family.common.sum()), method.signs)
        signs = "all signs of topics" if exact else f"{method.signs} random signs of topics"
        return f"randomization test by the largest t of {number}, {signs}"
    test = {
        DOCUMENTS: f"normal test over documents, {method.resamples} resamples",
        TOPICS: f"{OF_TEST[method.test]} over topics{_signs(asked, family)}",
        BOTH: f"t test over topics and documents, {method.resamples} resamples of the documents",
    }[population]
    if method.method == "parametric" and population == DOCUMENTS:
        test = "normal test over documents, delta method"
    return f"{test}, {OF_CORRECTION[method.correction]} {of_pairs}"


def _signs(asked: Asked, family: Family) -> str:
    """How many signs were drawn, if any were."""
    if asked.method.test not in ("randomization", "wilcoxon"):
        return ""
    drawn = "all" if is_exact(int(family.common.sum()), asked.method.signs) else str(asked.method.signs)
    return f" ({drawn} signs)"
