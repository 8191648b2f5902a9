"""--equivalence: of which means a margin can be a share."""

from irci.base.errors import UsageError
from irci.base.numerals import Margin
from irci.data.measures import Measure
from irci.stats.scales import PLAIN, Scale
from irci.studies.map_ci.pair_sentences import SCALES


def check_margin(margin: Margin | None, measure: Measure, scale: Scale, standardise: object) -> None:
    """Refuse a share of a mean of this measure, averaged on this scale, where 0 is not the least a mean can be."""
    if margin is None or not margin.is_share:
        return
    if standardise == "z":
        raise UsageError(f"--equivalence {margin}: a percentage of a mean of z scores means nothing: give an amount.")
    if scale != PLAIN:
        of_scale = f"a mean{SCALES.get(scale.name, '')}, like {measure.name}"
        raise UsageError(f"--equivalence {margin}: a percentage of {of_scale}, means nothing: use an amount.")
