"""What a paper says of a table of means: over what its limits are, and how runs were tested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, TOPICS, PairCorrection, TopicTest
from irci.base.errors import plural
from irci.methods.compare.design import Design
from irci.output.tables import Caption
from irci.stats.signs import is_exact
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.request import Request

if TYPE_CHECKING:
    from irci.studies.compare.claims import OnMeasure

OF_INTERVAL = {"percentile": "percentile", "bca": "BCa", "bootstrap-t": "bootstrap t"}  # the others are t's
OF_TEST: dict[TopicTest, str] = {
    "t": "paired t test", "randomization": "randomization test", "wilcoxon": "Wilcoxon's test", "sign": "sign test",
}  # fmt: skip
OF_CORRECTION: dict[PairCorrection, str] = {
    "holm": "p adjusted by Holm's method", "bh": "p adjusted by Benjamini and Hochberg's method",
    "maxt": "p adjusted by the largest statistic of all pairs", "none": "p not adjusted",
}  # fmt: skip


def caption(request: Request, scored: Scored, design: Design, shown: str, found: Sequence[OnMeasure]) -> Caption:
    """The caption of means with limits over the source shown."""
    source = next(each for each in scored.sources if each.name == shown)
    pairs = [each.pairs for each in found if each.pairs is not None]
    ranked = [each.ranked for each in found if each.ranked is not None]
    return Caption(
        f"Means over {scored.made_of}",
        _limits(source, design),
        _test(source, design, pairs) if pairs else "",
        _test(source, design, ranked or pairs) if ranked or (pairs and source.observes) else "",
    )


def _limits(source: Source, design: Design) -> str:
    percent, resamples = f"{100 * design.confidence:g}%", f"{design.resamples} resamples"
    if source.name == BOTH:
        return f"{percent} confidence limits over topics and documents ({resamples} of the documents)"
    if source.name == DOCUMENTS:
        how = "delta method" if design.interval == "delta" else resamples
        return f"{percent} confidence limits over documents ({how}; topics fixed)"
    if not source.observes:
        return f"{percent} confidence limits over {source.over} (t)"
    kind = OF_INTERVAL.get(design.interval, "t")
    if design.interval == "prediction":
        number = "as many" if design.new_topics is None else str(design.new_topics)
        return f"{percent} prediction limits for the mean over {number} other topics ({kind})"
    how = kind if kind == "t" else f"{kind}, {resamples}"
    return f"{percent} confidence limits over {source.over} ({how})"


def _test(source: Source, design: Design, families: Sequence[Family]) -> str:
    family = families[0]
    # p is adjusted for none of those of which nothing is known.
    pairs = len(family.pairs) if source.observes else int((~np.isnan(family.over(source).p_adjusted)).sum())
    number = plural(pairs, "pair") + " of each measure" * (len(families) > 1)
    of_pairs = f"of the {number}" if design.correction == "none" else f"for {number}"
    exact = is_exact(source.most_units(family, family.over(source).tested), design.signs)
    if design.correction == "maxt" and source.name not in (BOTH, DOCUMENTS):
        signs = f"all signs of {source.over}" if exact else f"{design.signs} random signs of {source.over}"
        return f"randomization test by the largest t of {number}, {signs}"
    drawn = "all" if exact else str(design.signs)
    if source.name == DOCUMENTS:
        how = "delta method" if design.interval == "delta" else f"{design.resamples} resamples"
        test = f"normal test over documents, {how}"
    elif source.name == BOTH:
        test = f"t test over topics and documents, {design.resamples} resamples of the documents"
    elif source.name == TOPICS and source.observes:
        signs = f" ({drawn} signs)" if design.test in ("randomization", "wilcoxon") else ""
        test = f"{OF_TEST[design.test]} over topics{signs}"
    else:
        named = "t test" if design.test == "t" else f"randomization test ({drawn} signs)"
        test = f"{named} over {source.over}"
    return f"{test}, {OF_CORRECTION[design.correction]} {of_pairs}"
