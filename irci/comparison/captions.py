"""Captions of tables for papers: what means are over, and what limits and tests rest on."""

from collections.abc import Iterable, Sequence

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, PairCorrection
from irci.base.names import plural
from irci.comparison.family import Family, Scored, Source
from irci.comparison.request import Request
from irci.comparison.rows import OnMeasure, captions_of_best
from irci.comparison.sentences import of_families
from irci.comparison.wording import kinds_in_words
from irci.estimators.compare.means import Design
from irci.output.shown import TESTS
from irci.output.tables import Caption
from irci.stats.signs import is_exact

OF_CORRECTION: dict[PairCorrection, str] = {
    "holm": "p adjusted by Holm's method", "bh": "p adjusted by Benjamini and Hochberg's method",
    "maxt": "p adjusted by the largest statistic of all pairs", "none": "p not adjusted",
}  # fmt: skip


def caption(
    request: Request, scored: Scored, design: Design, source_name: str, on_measures: Sequence[OnMeasure]
) -> Caption:
    """The caption of means with limits over the source shown."""
    source = next(on for on in scored.sources if on.name == source_name)
    pairs = [(on.pairs or on.families[-1]) for on in on_measures if on.families and source.has_p]
    ranked = [on.ranked for on in on_measures if on.ranked is not None and source.has_p]
    return Caption(
        f"Means over {scored.made_of}",
        _limits(source, design, on_measures),
        _test(source, design, pairs) if pairs else "",
        _test(source, design, ranked or pairs) if ranked or (pairs and source.observes) else "",
        list(of_families(on_measures, one_population=True)),
        list(captions_of_best(on_measures)),
    )


def _limits(source: Source, design: Design, on_measures: Sequence[OnMeasure]) -> str:
    percent, resamples = f"{100 * design.confidence:g}%", f"{design.resamples} resamples"
    tested = [on.alone.over(source).tested for on in on_measures if not on.measure.is_count]
    kinds = [kind for on in tested for kind, lower in zip(on.interval, on.limits[0], strict=False) if lower == lower]
    if own := source.limits_in_caption():
        return own
    if source.name == BOTH:
        return f"{percent} confidence intervals over topics and documents ({resamples} of the documents)"
    if source.name == DOCUMENTS:
        how = " or ".join(resamples if kind == "linear" else kind for kind in dict.fromkeys(kinds)) or resamples
        return f"{percent} confidence intervals over documents ({how}; topics fixed)"
    if source.predicted:
        return f"{percent} prediction limits for {source.predicted} (t)"
    kind = kinds_in_words(kinds)
    if not source.observes:
        return f"{percent} confidence intervals over {source.over} ({kind})"
    if design.interval == "prediction":
        number = "as many" if design.new_topics is None else str(design.new_topics)
        return f"{percent} prediction limits for the mean over {number} other topics ({kind})"
    return f"{percent} confidence intervals over {source.over} ({kind})"


# What p comes from in place of the test asked for, by the name in rows; not where t's is only kept from being too small.
INSTEAD = {
    "midp": "McNemar's mid-p where all scores are 0 or 1", "signs": "signs where all differences are equal",
    "bounded": "p of bounded limits where scores hardly vary",
    "points": "the sign test of points of two runs",
}  # fmt: skip


def tests_instead(tests: Iterable[str]) -> str:
    """In brackets, which other tests some pairs have than the one asked for; "" where all have that."""
    test_names = set(tests)
    words_of_tests = "; ".join(words for name, words in INSTEAD.items() if name in test_names)
    return f" ({words_of_tests})" if words_of_tests else ""


def _test(source: Source, design: Design, families: Sequence[Family]) -> str:
    family = families[0]
    correction = family.correction_over(source.name)
    # p is adjusted for none of those of which nothing is known.
    tested_pairs = [int((~np.isnan(member.over(source).p_adjusted)).sum()) for member in family.adjusted_as_one]
    pairs = family.number if source.observes else sum(tested_pairs)
    number = plural(pairs, "pair") + " of each measure" * (len(families) > 1)
    if len(tested_pairs) > 1:
        number = f"{plural(pairs, 'difference')} in {len(tested_pairs)} measures"
    of_pairs = f"of the {number}" if correction == "none" else f"for {number}"
    exact = is_exact(source.most_units(family, family.over(source).tested), design.signs)
    if pairs and correction == "maxt" and source.name not in (BOTH, DOCUMENTS):
        signs = f"all signs of {source.counted}" if exact else f"{design.signs} random signs of {source.counted}"
        return f"randomization test by the largest t of {number}, {signs}"
    drawn = "all" if exact else str(design.signs)
    if source.name == DOCUMENTS:
        how = "delta method" if design.interval == "parametric" else f"{design.resamples} resamples"
        test = f"normal test over documents, {how}"
    elif source.name == BOTH:
        test = f"t test over topics and documents, {design.resamples} resamples of the documents"
    elif source.name == TOPICS and source.observes:
        signs = f" ({drawn} signs)" if design.test in ("randomization", "wilcoxon") else ""
        test = f"{TESTS[design.test]} over topics{signs}"
    else:
        named = "t test" if design.test == "t" else f"randomization test ({drawn} signs)"
        test = f"{named} over {source.over}"
    test += tests_instead(name for member in families for name in member.over(source).tested.test)
    if pairs <= 1:
        return test
    return f"{test}, {OF_CORRECTION[correction]} {of_pairs}"
