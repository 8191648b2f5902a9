"""How means and differences of runs are estimated and tested: what changes a digit."""

from dataclasses import asdict, dataclass
from typing import Literal

from irci.base.choices import MetaMethod, PairCorrection, Pairing, Slots, SmallR, TopicInterval, TopicTest, check
from irci.data.measures import Measure
from irci.stats.scales import EPSILON, Scale


@dataclass(frozen=True)
class Design:
    """What changes a digit of means, differences, ranks and combined effects.

    `interval` and `test` are for topics; but with the interval delta limits over documents are those of the delta rule, and
    over topics t's. `signs`: assignments of them, for tests by signs. `slots`: a topic drawn twice has other documents each
    time (fresh) or the same (shared). `pairing`: two runs share their resampled documents or have their own. `meta`: "" for
    none. `new_topics`: over how many a predicted mean is, None for as many again.
    """

    interval: TopicInterval = "t"
    resamples: int = 2000
    signs: int = 10_000
    confidence: float = 0.95
    seed: int = 1
    epsilon: float = EPSILON
    small_r: SmallR = "wider"
    slots: Slots = "fresh"
    pairing: Pairing = "paired"
    test: TopicTest = "t"
    correction: PairCorrection = "holm"
    meta: MetaMethod | Literal[""] = ""
    new_topics: int | None = None

    def __post_init__(self) -> None:
        check(self)

    def signature(self) -> dict[str, str | float]:
        """All fields."""
        return asdict(self)

    def scale(self, measure: Measure) -> Scale:
        """The scale on which a measure is averaged."""
        return measure.scale(self.epsilon)
