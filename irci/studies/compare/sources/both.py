"""Topics and documents together, each a sample: cautious, as the scores of topics vary with the documents already."""

import numpy as np

from irci.base.choices import BOTH
from irci.base.types import Bools, Floats
from irci.methods.compare.differences import over_both, over_documents
from irci.methods.compare.means import Tested
from irci.stats.intervals import Interval
from irci.stats.signs import Units
from irci.studies.compare.family import Family
from irci.studies.compare.sources.documents import ResampledDocuments
from irci.studies.compare.sources.topics import Plain
from irci.studies.wording import LIMITS_ARE_OF


class Both(Plain):
    """Topics and documents."""

    name = counted = BOTH
    lead = "Over all topics and documents of this kind"
    explains = LIMITS_ARE_OF[BOTH]
    over = "topics and documents"
    before = ("effect_size",)
    tells_verdicts = units_alone = False
    label = "for other documents and topics"
    varies = "documents and topics vary at once"
    stays = "The runs"

    def __init__(self, resampled: ResampledDocuments) -> None:
        self.resampled = resampled

    def units(self, values: Floats, mask: Bools) -> Units:
        return Units(values[:, mask], self.resampled.experiment.keys[mask])

    def tested(self, family: Family) -> Tested:
        return self._tested(family, family.design.confidence)

    def _tested(self, family: Family, confidence: float) -> Tested:
        spreads = self.resampled.joint(family).spreads.get(family.request.scale(family.measure).name)
        differences = family.over_topics.of
        if spreads is None:
            return over_documents(differences, np.full(len(family.pairs), np.nan), confidence)
        return over_both(differences, family.values, spreads, confidence)

    def means(self, alone: Family) -> Tested:
        return self.resampled.means(alone, BOTH)

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        return self._tested(family, confidence).limits

    def at_once(self, family: Family, tested: Tested) -> tuple[Floats, Interval | None]:
        # The largest statistic of signs of topics, as a t, is as many standard errors of both.
        of = tested.of
        found = family.simultaneous(self)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = of.value / of.error
        p = found.p_of(np.nan_to_num(t, nan=0.0), int(family.common.sum()))
        p = np.where(np.isnan(tested.p), np.nan, np.where(of.value == 0, 1.0, p))
        return p, None
