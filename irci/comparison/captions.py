"""Captions of tables for papers: what means are over, and what limits and tests rest on."""

from collections.abc import Iterable, Sequence

import numpy as np

from irci.base.choices import PairCorrection
from irci.base.names import plural
from irci.comparison.family import Family, Scored, Source
from irci.comparison.request import Request
from irci.comparison.rows import OnMeasure, captions_of_best, kinds_of_limits
from irci.comparison.sentences import of_families
from irci.comparison.wording import kinds_in_words
from irci.estimators.compare.means import Design
from irci.output.shown import TESTS
from irci.output.tables import NO_WORD, Caption
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
    tested = [on.alone.over(source).tested for on in on_measures if not on.measure.is_count]
    kinds = [kind for on in tested for kind, lower in zip(on.interval, on.limits[0], strict=False) if lower == lower]
    if own := source.limits_in_caption():
        return own
    resamples = f"{design.resamples} resamples"
    facts = {
        "confidence": f"{100 * design.confidence:g}%", "kind": kinds_in_words(kinds), "resamples": resamples,
        "by": " or ".join(resamples if kind == "linear" else kind for kind in dict.fromkeys(kinds)) or resamples,
        "number": "as many" if design.new_topics is None else str(design.new_topics),
        "over": source.over, "predicted": source.predicted,
    }  # fmt: skip
    predicts = design.interval == "prediction" and source.is_plain_topics
    return source.say("predicted_limits" if predicts or source.predicted else "limits", **facts)


# What p comes from in place of the test asked for, by the name in rows; not where t's is only kept from being too small.
INSTEAD = {
    "midp": "McNemar's mid-p where all scores are 0 or 1", "signs": "signs where all differences are equal",
    "bounded": "p of bounded limits where scores hardly vary",
    "points": "the sign test of points of two runs",
}  # fmt: skip


def kinds_and_tests(families: Iterable[tuple[Family, Source]]) -> tuple[str, str]:
    """The kinds of limits of several families, each over a source, in words; and which other tests some of their pairs have
    than the one asked for (`tests_instead`)."""
    kinds: set[str] = set()
    tests: list[str] = []
    for family, source in families:
        tested = family.over(source).tested
        kinds |= {*kinds_of_limits(family, source, tested).tolist()}
        tests += tested.test
    return kinds_in_words(kinds - {NO_WORD}), tests_instead(tests)


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
    if pairs and correction == "maxt" and source.units_alone:
        signs = f"all signs of {source.counted}" if exact else f"{design.signs} random signs of {source.counted}"
        return f"randomization test by the largest t of {number}, {signs}"
    drawn = f" ({'all' if exact else design.signs} signs)" if design.test in ("randomization", "wilcoxon") else ""
    test = source.say(
        "test", test=TESTS[design.test], plain="t test" if design.test == "t" else "randomization test", signs=drawn,
        over=source.over, resamples=f"{design.resamples} resamples",
        by="delta method" if design.interval == "parametric" else f"{design.resamples} resamples",
    )  # fmt: skip
    test += tests_instead(name for member in families for name in member.over(source).tested.test)
    if pairs <= 1:
        return test
    return f"{test}, {OF_CORRECTION[correction]} {of_pairs}"
