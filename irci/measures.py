"""The measures: name as trec_eval spells it, score of every topic, and how documents are resampled for it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irci.collection import Relevance, RelevantRanks
from irci.kernels import measures as kernels
from irci.kernels.corpus_bootstrap import AVERAGE_PRECISION, NDCG, PRECISION, R_PRECISION
from irci.trec import Qrels

# name: (what the corpus bootstrap calls it, whether a cutoff follows, whether grades matter, definition)
FAMILIES = {
    "map": (AVERAGE_PRECISION, False, False, "mean over the relevant documents of the precision at their ranks"),
    "P": (PRECISION, True, False, "share of relevant documents among the first k"),
    "Rprec": (R_PRECISION, False, False, "share of relevant documents among the first R"),
    "ndcg_cut": (
        NDCG,
        True,
        True,
        "gains (grades) discounted by log2(rank + 1) down to rank k, over the best possible",
    ),
}


LARGEST_CUT = 2**31 - 1  # ranks have 32 bits


@dataclass(frozen=True)
class Measure:
    """One measure: its family, and the cutoff if it has one (else 0)."""

    family: str
    cut: int = 0

    @property
    def name(self) -> str:
        """As trec_eval prints it."""
        return f"{self.family}_{self.cut}" if self.cut else self.family

    @property
    def resampled_as(self) -> int:
        """What the corpus bootstrap calls it."""
        return FAMILIES[self.family][0]

    def relevance(self, qrels: Qrels, level: int) -> Relevance:
        """What the measure takes for relevant."""
        return Relevance.graded(qrels) if FAMILIES[self.family][2] else Relevance.binary(qrels, level)

    def scores(self, lists: RelevantRanks) -> NDArray[np.float64]:
        """float64[T], trec_eval's to the last bit; a topic without relevant documents scores 0."""
        scores: NDArray[np.float64]
        match self.family:
            case "map":
                scores = kernels.average_precision(lists.offsets, lists.ranks, lists.num_relevant)
            case "P":
                scores = kernels.precision(lists.offsets, lists.ranks, np.full(len(lists.counts), self.cut))
            case "Rprec":
                scores = kernels.precision(lists.offsets, lists.ranks, lists.num_relevant)
            case _:
                scores = kernels.ndcg(lists.offsets, lists.ranks, lists.classes, lists.gains, lists.counts, self.cut)
        return scores


MAP = Measure("map")


def parse(name: str) -> Measure:
    """The measure of this name; a cutoff follows `_` or `.`. Raises ValueError, worded for the user."""
    family, _, cut = name.replace(".", "_").rpartition("_")
    if name in FAMILIES and not FAMILIES[name][1]:
        return Measure(name)
    if family in FAMILIES and FAMILIES[family][1] and cut.isascii() and cut.isdigit() and 0 < int(cut) <= LARGEST_CUT:
        return Measure(family, int(cut))
    if name in FAMILIES:
        raise ValueError(f"{name} needs a cutoff, as in {name}_10")
    raise ValueError(f"no measure {name!r}; there are {', '.join(known())}")


def known() -> list[str]:
    """The names to choose from."""
    return [f"{name}_K" if cut else name for name, (_, cut, _, _) in FAMILIES.items()]


def mean_over_topics(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the first axis, added up in topic order as trec_eval does (numpy's pairwise sum may differ)."""
    total = np.zeros(scores.shape[1:])
    for of_topic in scores:
        total = total + of_topic
    return total / len(scores)
