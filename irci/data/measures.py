"""The table of measures: name as trec_eval spells it, parameter, definition, source, and how a run is scored.

One row of FAMILIES drives names and their aliases, `irci help-measures`, scores and the corpus bootstrap.
"""

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

import numpy as np

from irci.choices import Parameter, Summary
from irci.data.collection import JudgedRun, Relevance
from irci.data.numerals import decimal
from irci.data.trec_files import Qrels
from irci.kernels import measures as kernels
from irci.kernels.corpus_bootstrap import AVERAGE_PRECISION, NDCG, PRECISION, R_PRECISION
from irci.kernels.shapes import expect_groups
from irci.stats.scales import EPSILON, LOG, PLAIN, Scale, logit_scale, mean_over_topics
from irci.types import Bools, Floats, Ints, Ints32, offsets, owners

LARGEST_CUT = 2**31 - 1  # ranks have 32 bits
RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(i / 10 for i in range(11))


class JudgedLists(NamedTuple):
    """What one run retrieves of the judged documents, and what there is: see `irci.kernels.measures`."""

    offsets: Ints
    ranks: Ints32
    grades: Ints
    level: int
    retrieved: Ints
    relevant: Ints
    nonrelevant: Ints
    ideal: Ints
    ideal_offsets: Ints
    most: int


@dataclass(frozen=True)
class Judgments:
    """What the measures need of the qrels: counts a topic, gains in descending order, the highest grade."""

    level: int
    grade: Ints
    relevant: Ints
    nonrelevant: Ints
    ideal: Ints
    ideal_offsets: Ints
    most: int

    @classmethod
    def of(cls, qrels: Qrels, level: int, highest: int | None = None) -> "Judgments":
        """Of qrels in which documents of at least this grade are relevant; `highest`: of the scale of grades."""
        level = max(level, 0)
        topic = owners(qrels.offsets)

        def count(chosen: Bools) -> Ints:
            return np.bincount(topic[chosen], minlength=len(qrels.topics))

        gainful = np.flatnonzero((qrels.grade > 0) | (qrels.grade >= level))
        order = gainful[np.lexsort((-qrels.grade[gainful], topic[gainful]))]
        sizes = np.bincount(topic[order], minlength=len(qrels.topics))
        return cls(
            level=level,
            grade=qrels.grade,
            relevant=count(qrels.grade >= level),
            nonrelevant=count((qrels.grade >= 0) & (qrels.grade < level)),
            ideal=qrels.grade[order],
            ideal_offsets=offsets(sizes),
            most=qrels.highest_grade if highest is None else highest,
        )

    def of_run(self, judged: JudgedRun) -> JudgedLists:
        """What one run retrieves of the judged documents, with these counts."""
        expect_groups(judged.offsets, len(self.relevant), min(len(judged.ranks), len(judged.rows)))
        expect_groups(self.ideal_offsets, len(self.relevant), len(self.ideal))
        return JudgedLists(
            judged.offsets, judged.ranks, self.grade[judged.rows], self.level, judged.retrieved,
            self.relevant, self.nonrelevant, self.ideal, self.ideal_offsets, self.most,
        )  # fmt: skip


def _share(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """part / whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=np.asarray(whole) > 0)


def _set_f(lists: JudgedLists, beta: float) -> Floats:
    found = kernels.found(lists, kernels.INFINITE)
    precision, recall = _share(found, lists.retrieved), _share(found, lists.relevant)
    return _share((beta + 1) * precision * recall, recall + beta * precision)


@dataclass(frozen=True)
class Family:
    """One row of the table.

    `parameter`: "", or what follows the name: "rank", "recall", "beta" or "persistence"; `defaults`: its values where none is
    given, of which None means no cut and no suffix. `summary`: mean, sum, geometric or logit (of the scores over topics).
    `resampled_as`: what the corpus bootstrap calls it, if documents can be resampled for it. `exponential`: its gains are
    2^grade - 1.
    """

    name: str
    score: Callable[..., Floats]
    definition: str
    source: str
    parameter: Parameter = ""
    defaults: tuple[float | None, ...] = (None,)
    summary: Summary = "mean"
    resampled_as: int | None = None
    graded: bool = False
    exponential: bool = False


BUCKLEY = "Buckley & Voorhees 2005"
SAKAI = "Sakai 2014"
# In trec_eval's order, which is the order of output.
TABLE = (
    Family("num_ret", lambda r: r.retrieved.astype(float), "documents retrieved", "trec_eval", summary="sum"),
    Family("num_rel", lambda r: r.relevant.astype(float), "relevant documents, R", "trec_eval", summary="sum"),
    Family("num_rel_ret", lambda r: kernels.found(r, kernels.INFINITE), "relevant documents retrieved", "trec_eval",
           summary="sum"),
    Family("map", lambda r: kernels.average_precision(r, kernels.INFINITE),
           "mean over the R relevant documents of the precision at their ranks", BUCKLEY, resampled_as=AVERAGE_PRECISION),
    Family("gm_map", lambda r: kernels.average_precision(r, kernels.INFINITE),
           "geometric mean over topics of AP, at least 0.00001 each", "Robertson 2006", summary="geometric"),
    Family("lmap", lambda r: kernels.average_precision(r, kernels.INFINITE),
           "mean over topics of the logit of AP, transformed back", "Cormack & Lynam 2006", summary="logit"),
    Family("Rprec", kernels.r_precision, "share of relevant documents among the first R", BUCKLEY, resampled_as=R_PRECISION),
    Family("bpref", kernels.bpref, "mean share of the first R judged non-relevant documents ranked below each relevant one",
           "Buckley & Voorhees 2004"),
    Family("recip_rank", kernels.reciprocal_rank, "1 / rank of the first relevant document", BUCKLEY),
    Family("iprec_at_recall", lambda r, x: kernels.interpolated_precision(r, np.array([x])),
           "highest precision at or below the rank with this recall", BUCKLEY, "recall", RECALLS),
    Family("P", lambda r, k: kernels.found(r, k) / k, "share of relevant documents among the first k", BUCKLEY,
           "rank", RANKS, resampled_as=PRECISION),
    Family("recall", lambda r, k: _share(kernels.found(r, k), r.relevant), "share of the R relevant among the first k",
           BUCKLEY, "rank", RANKS),
    Family("infAP", kernels.inferred_ap, "AP inferred from a judged sample of the pool (grade -1: not judged)",
           "Yilmaz & Aslam 2006"),
    Family("11pt_avg", lambda r: kernels.interpolated_precision(r, np.array(RECALLS)),
           "mean of iprec_at_recall at 0, .1, ..., 1", BUCKLEY),
    Family("ndcg", lambda r: kernels.ndcg(r, kernels.INFINITE, False),
           "gains (grades) discounted by log2(rank + 1), over those of the best ranking", "Järvelin & Kekäläinen 2002"),
    Family("ndcg_cut", lambda r, k: kernels.ndcg(r, k, False), "the same down to rank k", "Järvelin & Kekäläinen 2002",
           "rank", RANKS, resampled_as=NDCG, graded=True),
    Family("map_cut", kernels.average_precision, "AP of the first k documents, over all R", BUCKLEY, "rank", RANKS),
    Family("success", lambda r, k: (kernels.found(r, k) > 0).astype(float), "1 if one of the first k is relevant", BUCKLEY,
           "rank", (1, 5, 10)),
    Family("set_P", lambda r: _share(kernels.found(r, kernels.INFINITE), r.retrieved), "share of relevant among all retrieved",
           "van Rijsbergen 1979"),
    Family("set_recall", lambda r: _share(kernels.found(r, kernels.INFINITE), r.relevant), "share of the R relevant retrieved",
           "van Rijsbergen 1979"),
    Family("set_F", lambda r, x=None: _set_f(r, 1.0 if x is None else x), "(x + 1) P R / (R + x P) of the set, x = 1",
           "van Rijsbergen 1979", "beta"),
    Family("rbp", lambda r, p=None: kernels.rank_biased_precision(r, 0.9 if p is None else p),
           "(1 - p) sum of p^(rank - 1) grade / highest grade of the topic, p = .9", "Moffat & Zobel 2008", "persistence"),
    Family("Q", lambda r, k=None: kernels.q_measure(r, k or kernels.INFINITE, 1.0),
           "mean over R of the blended ratio (C + cg) / (rank + cg*) at the relevant documents", SAKAI, "rank"),
    Family("Pplus", lambda r, k=None: kernels.p_plus(r, k or kernels.INFINITE, 1.0),
           "mean blended ratio down to the first document of the highest gain retrieved", SAKAI, "rank"),
    Family("ERR", lambda r, k=None: kernels.expected_reciprocal_rank(r, k or kernels.INFINITE, r.most, False),
           "expected 1 / rank where a user stops, who stops with probability (2^grade - 1) / 2^highest",
           "Chapelle et al. 2009", "rank", exponential=True),
    Family("nERR", lambda r, k=None: kernels.expected_reciprocal_rank(r, k or kernels.INFINITE, r.most, True),
           "ERR over that of the best ranking", SAKAI, "rank", exponential=True),
    Family("ndcg_exp_cut", lambda r, k: kernels.ndcg(r, k, True), "ndcg_cut with gains 2^grade - 1", "Burges et al. 2005",
           "rank", RANKS, exponential=True),
)  # fmt: skip
FAMILIES = {family.name: family for family in TABLE}
# Other spellings, each with the family that is meant without and with a cutoff.
ALIASES = {
    "ap": ("map", "map_cut"), "map": ("map", "map_cut"), "gmap": ("gm_map", ""), "l-map": ("lmap", ""),
    "r-prec": ("Rprec", ""), "rprec": ("Rprec", ""), "rr": ("recip_rank", ""), "mrr": ("recip_rank", ""),
    "p": ("P", "P"), "r": ("", "recall"), "recall": ("recall", "recall"), "ndcg": ("ndcg", "ndcg_cut"),
    "success": ("success", "success"), "bpref": ("bpref", ""), "infap": ("infAP", ""), "rbp": ("rbp", ""),
    "iprec": ("iprec_at_recall", "iprec_at_recall"), "q": ("Q", "Q"), "p+": ("Pplus", "Pplus"), "err": ("ERR", "ERR"),
    "nerr": ("nERR", "nERR"), "setp": ("set_P", ""), "setr": ("set_recall", ""), "setf": ("set_F", ""),
}  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A measure: its family and parameter; `given`: how a beta or a persistence was spelled."""

    family: Family
    parameter: float | None = None
    given: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """As trec_eval prints it: a rank as a whole number, a recall with two decimals, others as they were given."""
        if self.parameter is None:
            return self.family.name
        match self.family.parameter:
            case "rank":
                return f"{self.family.name}_{self.parameter:.0f}"
            case "recall":
                return f"{self.family.name}_{self.parameter:.2f}"
            case "beta" | "":
                return f"{self.family.name}_{self._spelled}"
            case "persistence":
                return f"{self.family.name}_p={self._spelled}"
            case _:
                assert_never(self.family.parameter)

    @property
    def _spelled(self) -> str:
        return self.given or repr(self.parameter).removesuffix(".0")

    @property
    def cut(self) -> int:
        """The rank it is cut at, 0 if at none."""
        return int(self.parameter or 0) if self.family.parameter == "rank" else 0

    @property
    def is_count(self) -> bool:
        """Whether its values are whole numbers, printed as such."""
        return self.family.summary == "sum"

    @property
    def is_bounded(self) -> bool:
        """Whether its scores are known to lie in [0, 1]: those of all measures here but counts; of others nothing is known."""
        return self.family.name in FAMILIES and not self.is_count

    @property
    def scores_topics(self) -> bool:
        """Whether it is a score of single topics that is averaged as it is: no count, no mean of logarithms or logits."""
        return not self.is_count and self.scale() == PLAIN

    def relevance(self, qrels: Qrels, level: int) -> Relevance:
        """What the corpus bootstrap takes for relevant."""
        return Relevance.graded(qrels) if self.family.graded else Relevance.binary(qrels, level)

    def scores(self, lists: JudgedLists) -> Floats:
        """float64[T], trec_eval's to the last bit; a topic without relevant documents scores 0."""
        return self.family.score(lists) if self.parameter is None else self.family.score(lists, self.parameter)

    def summary(self, scores: Floats) -> float:
        """The score over all topics."""
        if self.is_count:
            return float(scores.sum())
        scale = self.scale()
        return float(scale.back(mean_over_topics(scale.forward(scores))))

    def scale(self, epsilon: float = EPSILON) -> Scale:
        """On which scale it is averaged over topics; `epsilon`: see `logit_scale`."""
        match self.family.summary:
            case "geometric":
                return LOG
            case "logit":
                return logit_scale(epsilon)
            case "mean" | "sum":
                return PLAIN
            case _:
                assert_never(self.family.summary)

    @property
    def base(self) -> "Measure":
        """What is averaged: AP where this is GMAP or L-MAP."""
        return MAP if self.family.summary in ("geometric", "logit") else self


class UnknownMeasure(ValueError):
    """A measure that is none; the one that is meant is looked for only if somebody wants to read about it."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text, name)
        self.text = text
        self.name = name

    def __str__(self) -> str:
        return f"no measure {self.text!r}{_nearest(self.name)} irci help-measures lists them all"


def parse(text: str) -> list[Measure]:
    """The measures of this name: trec_eval's, with cutoffs after `_` or `.` (P_10, P.5,10,20; P alone: trec_eval's nine), or
    an alias (AP, P@10, nDCG@10, RR). Raises ValueError, worded for the user."""
    name, values = _split(text)
    family = FAMILIES.get(name)
    if family is None:
        raise UnknownMeasure(text, name)
    if not values:
        return [Measure(family, value) for value in family.defaults]
    return [_with_parameter(family, value) for value in values]


def _nearest(name: str) -> str:
    """The measure that is meant, if one is spelled much alike."""
    spelled = {known.lower(): known for known in (*ALIASES, *FAMILIES)}
    near = difflib.get_close_matches(name.lower(), spelled, 1, 0.6)
    return f"; is it {spelled[near[0]]}?" if near else ";"


def _split(text: str) -> tuple[str, list[str]]:
    """A family's name and the parameters given."""
    if text in FAMILIES:
        return text, []
    name, at, values = text.partition("@")
    plain, cut = ALIASES.get(name.lower(), ("", ""))
    if at:
        return cut or name, values.split(",")
    for known in sorted(FAMILIES, key=len, reverse=True):
        if re.match(re.escape(known) + "[._]", text):
            return known, text[len(known) + 1 :].split(",")
    return plain or name, []


def _with_parameter(family: Family, text: str) -> Measure:
    """A family's measure with this parameter."""
    if not family.parameter:
        raise ValueError(f"{family.name} takes no cutoff")
    if family.parameter == "rank":
        if not (text.isascii() and text.isdigit() and 0 < int(text) <= LARGEST_CUT):
            raise ValueError(f"{family.name} needs a rank for its cutoff, not {text!r}")
        return Measure(family, int(text))
    number = text.removeprefix("p=") if family.parameter == "persistence" else text
    try:
        value = decimal(number)
    except ValueError:
        value = math.nan
    if not (0 <= value <= 1 or (family.parameter == "beta" and 0 <= value < math.inf)):
        raise ValueError(f"{family.name} needs a {family.parameter} for its parameter, not {text!r}")
    return Measure(family, value, number.strip())


def named(name: str) -> Measure:
    """The measure of this name, or one of which nothing is known but that it is averaged over topics."""
    try:
        (measure,) = parse(name)
    except ValueError:
        return Measure(Family(name, _unknown, "from a file of scores", ""))
    return measure


def _unknown(lists: JudgedLists) -> Floats:
    raise NotImplementedError("scores of this measure come from files only")


MAP = Measure(FAMILIES["map"])
