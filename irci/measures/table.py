"""The table of measures: name as trec_eval spells it, parameter, definition, source, and how a run is scored; a measure is
a row with its parameter and, if it has one, a relevance level of its own.

One row of TABLE drives names and their aliases, `irci measures`, scores and the corpus bootstrap.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from irci.base import spelled
from irci.base.choices import Sight
from irci.base.types import Ends, Floats
from irci.kernels import measures
from irci.kernels.measures import INFINITE
from irci.measures import scorers
from irci.measures.scorers import (
    JudgedLists,
    by_kernel,
    down_to_cut,
    hits,
    rank_biased_residual,
    reciprocal_rank,
    share,
)
from irci.stats.scales import LOG, LOGIT, PLAIN, Scale, mean_over_topics

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
P_OF_IR_MEASURES = 0.8  # RBP's persistence where none is given; trec_eval's is 0.9


class Row(NamedTuple):
    """One row of the table.

    `parameter`: "", or what follows the name: "rank", "recall", "multiple" (of R), "beta" or "persistence"; `defaults`: its
    values where none is given, of which None means no cut and no suffix.
    `in_trec_eval`: "yes", "uncut" (without a parameter only) or "no". `spelled` and `option`: its name, and an argument that
    belongs to it, in NAME(ARGUMENTS)@CUT, as ir_measures writes it if it has the measure; "" for `name`.
    `level`: whether it can have a relevance level of its own: "none" where no level changes it, "optional" (-l holds without
    one), or "required".
    `summary`: mean, sum, topics (their number), geometric or logit (of the scores over topics); `base`: the name of what is
    averaged, "" for itself. `bounded`: whether scores lie in [0, 1].
    `undefined_without`: what a collection lacks whose score means nothing, so that such a resample is drawn again: "relevant"
    documents (R = 0), "gain" (of the best ranking), or "" (every collection has a score).
    `sight`: the judgments that it sees, in a word. `sees_retrieved`: it depends on the number of documents retrieved, or on
    the ranks of those that are not judged.
    `interval`: the kind that a single topic's score gets if none is asked for (doc/trust.md).
    `exponential`: its gains are 2^grade - 1. `scores_irrelevant`: a topic without relevant documents may score other than 0.
    `of_the_top`: scores hang on one or a few documents, so that resampled documents make p too small (doc/trust.md).
    `more_is_better`: False of what tells how much is judged, not how well a run ranks. `by_intent`: of qrels by intent.
    """

    name: str
    score: Callable[..., Floats]
    definition: str
    source: str
    parameter: Literal["", "rank", "recall", "multiple", "beta", "persistence"] = ""
    defaults: tuple[float | None, ...] = (None,)
    in_trec_eval: Literal["yes", "uncut", "no"] = "yes"
    spelled: str = ""
    option: str = ""
    level: Literal["none", "optional", "required"] = "optional"
    summary: Literal["mean", "sum", "topics", "geometric", "logit"] = "mean"
    base: str = ""
    bounded: bool = True
    undefined_without: Literal["", "relevant", "gain"] = ""
    sight: Sight = "relevance"
    sees_retrieved: bool = False
    interval: Literal["logit", "percentile"] = "percentile"
    exponential: bool = False
    scores_irrelevant: bool = False
    of_the_top: bool = False
    more_is_better: bool = True
    by_intent: bool = False

    @property
    def pattern(self) -> str:
        """Its spelling, with capitals for what is to be filled in."""
        number = "" if self.in_trec_eval == "uncut" else self.parameter.upper()
        return self.written(number, "rel=LEVEL" * (self.level == "required"), as_trec_eval=self.in_trec_eval != "no")

    def written(self, number: str, level: str, *, as_trec_eval: bool) -> str:
        """Its name with a parameter and a level, where these are not "": trec_eval's, or NAME(ARGUMENTS)@CUT."""
        key = {"beta": "beta=", "persistence": "p="}.get(self.parameter, "")
        if as_trec_eval:
            return self.name + (f"_{key.removeprefix('beta=')}{number}" if number else "")
        arguments = ",".join(filter(None, (self.option, key + number if key and number else "", level)))
        cut = f"@{number}" if number and not key else ""
        return (self.spelled or self.name) + (f"({arguments})" if arguments else "") + cut


# Rows of measures that no collection without relevant documents has a score of, and of those of gains alone.
_of_relevance = partial(Row, undefined_without="relevant")
_of_gains = partial(Row, level="none", undefined_without="gain", sight="gains")
BUCKLEY = "Buckley & Voorhees 2005"
JARVELIN = "Järvelin & Kekäläinen 2002"
RIJSBERGEN = "van Rijsbergen 1979"
MOFFAT = "Moffat & Zobel 2008"
SAKAI = "Sakai 2014"
bpref = by_kernel(measures.bpref)
ap = down_to_cut(measures.average_precision)
ndcg = down_to_cut(measures.ndcg, False)
ndcg_exp = down_to_cut(measures.ndcg, True)
# In trec_eval's order, which is the order of output.
TABLE = (
    Row("num_q", lambda lists: np.ones(len(lists.relevant)), "topics", "trec_eval", spelled="NumQ", level="none",
        summary="topics", scores_irrelevant=True),
    Row("num_ret", lambda lists: lists.retrieved.astype(np.float64), "documents retrieved", "trec_eval",
        spelled="NumRet", level="none", summary="sum", sees_retrieved=True, scores_irrelevant=True),
    Row("num_rel", lambda lists: lists.relevant.astype(np.float64), "relevant documents, R", "trec_eval",
        spelled="NumRel", summary="sum"),
    Row("num_rel_ret", hits, "relevant documents retrieved", "trec_eval", spelled="NumRet", summary="sum"),
    _of_relevance("map", ap, "mean over the R relevant documents of the precision at their ranks", BUCKLEY,
        spelled="AP", interval="logit"),
    _of_relevance("gm_map", ap, "geometric mean over topics of AP, at least 0.00001 each", "Robertson 2006",
        summary="geometric", base="map"),
    _of_relevance("lmap", ap, "mean over topics of the logit of AP, transformed back", "Cormack & Lynam 2006",
        in_trec_eval="no", summary="logit", base="map"),
    _of_relevance("Rprec", scorers.r_precision, "share of relevant documents among the first R", BUCKLEY),
    _of_relevance("bpref", bpref, "mean share of the first R judged non-relevant documents ranked below each"
        " relevant one", "Buckley & Voorhees 2004", spelled="Bpref", sight="judgments"),
    Row("recip_rank", reciprocal_rank, "1 / rank of the first relevant document (RR@RANK: 0 if"
        " that is below the cut)", BUCKLEY, "rank", in_trec_eval="uncut", spelled="RR", of_the_top=True),
    _of_relevance("iprec_at_recall", scorers.interpolated_precision, "highest precision at or below the rank with this"
        " recall", BUCKLEY, "recall", scorers.RECALLS, spelled="IPrec"),
    Row("P", lambda lists, cut: hits(lists, cut) / cut, "share of relevant documents among the first k", BUCKLEY,
        "rank", RANKS),
    _of_relevance("recall", scorers.recall, "share of the R relevant documents found among the first k", BUCKLEY,
        "rank", RANKS, spelled="R"),
    _of_relevance("infAP", by_kernel(measures.inferred_ap), "AP inferred from a judged sample of the pool (grade -1:"
        " not judged)", "Yilmaz & Aslam 2006", sight="judgments"),
    _of_relevance("gm_bpref", bpref, "geometric mean over topics of bpref, at least 0.00001 each", "trec_eval",
        summary="geometric", base="bpref", sight="judgments"),
    _of_relevance("Rprec_mult", scorers.r_precision, "share of relevant documents among the first x R", "trec_eval",
        "multiple", tuple(i / 5 for i in range(1, 11))),
    Row("utility", lambda lists: 2 * hits(lists) - lists.retrieved, "relevant documents retrieved minus other documents"
        " retrieved", "trec_eval", bounded=False, sees_retrieved=True, scores_irrelevant=True),
    _of_relevance("11pt_avg", scorers.interpolated_precision, "mean of iprec_at_recall at 0, .1, ..., 1", BUCKLEY),
    _of_relevance("binG", by_kernel(measures.binary_gain), "mean over the R relevant documents of 1 / log2(2 + documents"
        " above that are not relevant)", "trec_eval"),
    _of_gains("G", by_kernel(measures.normalised_gain), "gains (grades) discounted by log2(2 + gain missed above),"
        " divided by the total gain possible", "trec_eval"),
    _of_gains("ndcg", ndcg, "gains (grades) discounted by log2(rank + 1), divided by those of the ideal ranking",
        JARVELIN, spelled="nDCG"),
    _of_gains("ndcg_rel", by_kernel(measures.ndcg_at_relevant), "mean of ndcg at the ranks of all documents with a gain",
        "trec_eval"),
    Row("Rndcg", by_kernel(measures.ndcg_at_levels), "mean of ndcg at the ranks where the ideal ranking moves to a"
        " lower grade or ends, and at the last document", "trec_eval", level="none", undefined_without="gain", sight="grades",
        sees_retrieved=True),
    _of_gains("ndcg_cut", ndcg, "ndcg of the first k documents", JARVELIN, "rank", RANKS, spelled="nDCG"),
    _of_relevance("map_cut", ap, "AP of the first k documents, divided by R", BUCKLEY, "rank", RANKS, spelled="AP"),
    _of_relevance("relative_P", lambda lists, cut: share(hits(lists, cut), np.minimum(lists.relevant, cut)), "P divided"
        " by the highest value that k and R allow", "trec_eval", "rank", RANKS),
    Row("success", lambda lists, cut: (hits(lists, cut) > 0).astype(np.float64), "1 if any of the first k is relevant,"
        " else 0", BUCKLEY, "rank", (1, 5, 10), spelled="Success", of_the_top=True),
    Row("set_P", lambda lists: share(hits(lists), lists.retrieved), "share of relevant documents among all retrieved",
        RIJSBERGEN, spelled="SetP", sees_retrieved=True),
    _of_relevance("set_relative_P", lambda lists: share(hits(lists), np.minimum(lists.retrieved, lists.relevant)), ""
        "set_P divided by the highest value that the number retrieved and R allow", "trec_eval", spelled="SetRelP",
        sees_retrieved=True),
    _of_relevance("set_recall", scorers.recall, "share of the R relevant documents that are retrieved", RIJSBERGEN,
        spelled="SetR"),
    _of_relevance("set_map", lambda lists: share(hits(lists) ** 2, lists.retrieved * lists.relevant),
        "set_P times set_recall", "trec_eval", spelled="SetAP", sees_retrieved=True),
    _of_relevance("set_F", scorers.set_f, "(x + 1) P R / (R + x P) of the set, x = 1", RIJSBERGEN, "beta",
        spelled="SetF", sees_retrieved=True),
    Row("num_nonrel_judged_ret", lambda lists: np.asarray(hits(lists, least=0) - hits(lists)), "judged documents"
        " retrieved that are not relevant", "trec_eval", summary="sum", sight="judgments", scores_irrelevant=True),
    Row("rbp", scorers.rank_biased_precision, "(1 - p) sum of p^(rank - 1) grade / highest grade of the topic, p = .9 (RBP:"
        " p = .8)", MOFFAT, "persistence", spelled="RBP",
        level="none", sight="gains"),
    Row("rbp_resid", rank_biased_residual, "what rbp would gain if"
        " all unjudged documents were relevant: p^retrieved + (1 - p) sum of p^(rank - 1) over the unjudged documents,"
        " p = .9; trec_eval prints 0 if all retrieved documents are judged", MOFFAT, "persistence", level="none",
        sight="judgments", sees_retrieved=True, scores_irrelevant=True, more_is_better=False),
    Row("unj", lambda lists, cut: (np.minimum(lists.retrieved, cut) - hits(lists, cut, 0)) / cut, "share of unjudged"
        " documents among the first k", "trec_eval", "rank", (5, 10, 20), level="none", sight="judgments",
        sees_retrieved=True, scores_irrelevant=True, more_is_better=False),
    Row("Judged", lambda lists, cut=INFINITE: share(hits(lists, cut, 0), np.minimum(lists.retrieved, cut)), "share of"
        " judged documents among the first k, or among all if fewer are retrieved", "ir_measures", "rank",
        in_trec_eval="no", level="none", sight="judgments", sees_retrieved=True, scores_irrelevant=True,
        more_is_better=False),
    Row("rbp_binary", partial(scorers.rank_biased_precision, binary=True), "(1 - p) sum of p^(rank - 1)"
        " over documents of this grade or higher, p = .8", MOFFAT, "persistence", (P_OF_IR_MEASURES,),
        in_trec_eval="no", spelled="RBP", level="required"),
    _of_relevance("Q", down_to_cut(measures.q_measure), "sum of the blended ratio (C + cg) / (rank + cg*) over the"
        " relevant documents retrieved, divided by R", SAKAI, "rank", in_trec_eval="no", sight="grades"),
    Row("Pplus", down_to_cut(measures.p_plus), "mean blended ratio down to the first document of the highest gain"
        " retrieved", SAKAI, "rank", in_trec_eval="no", sight="grades", of_the_top=True),
    Row("ERR", scorers.expected_reciprocal_rank, "expected 1 / rank at which a user stops who"
        " stops at each document with probability (2^grade - 1) / 2^highest (--max-grade; ir_measures: 4)",
        "Chapelle et al. 2009", "rank", in_trec_eval="no", sight="grades", exponential=True),
    Row("nERR", partial(scorers.expected_reciprocal_rank, normalised=True), "ERR divided by that of the ideal ranking", SAKAI,
        "rank", in_trec_eval="no", undefined_without="gain", sight="grades", exponential=True),
    _of_gains("ndcg_exp", ndcg_exp, "ndcg with gains 2^grade - 1", "Burges et al. 2005", in_trec_eval="no",
        spelled="nDCG", option="dcg='exp-log2'", exponential=True),
    _of_gains("ndcg_exp_cut", ndcg_exp, "the same of the first k documents", "Burges et al. 2005", "rank", RANKS,
        in_trec_eval="no", spelled="nDCG", option="dcg='exp-log2'", exponential=True),
    _of_gains("alpha_nDCG", scorers.by_novelty(scorers.discount), "gains of .5^(documents above of the same intent) an"
        " intent, discounted by log2(rank + 1), divided by those of the best ranking (ndeval)", "Clarke et al. 2008",
        "rank", (5, 10, 20), in_trec_eval="no", by_intent=True),
    _of_gains("nERR_IA", scorers.by_novelty(lambda rank: 1 / rank), "the same gains divided by the rank, divided by"
        " those of the best ranking (ndeval)", "Chapelle et al. 2011", "rank", (5, 10, 20), in_trec_eval="no",
        by_intent=True),
    _of_gains("Dsharp_nDCG", scorers.over_topics(scorers.dsharp), "mean of the share of intents found and of nDCG whose"
        " gains are grades summed over intents (NTCIREVAL)", "Sakai & Song 2011", "rank", (5, 10, 20),
        in_trec_eval="no", by_intent=True),
)  # fmt: skip
FAMILIES = {family.name: family for family in TABLE}
# Names for several, as trec_eval has them.
ALL_TREC = "all_trec"
# What else is to be known of names that others have too.
REMARKS = (
    "These parts of trec_eval 10 are left out: runid and relstring, which are not numbers; yaap, dcg and ideal_dcg, which are"
    " in none of its lists; all measures of preferences and of several judges (prefs_*, *_avgjg), whose qrels have other"
    " formats; and gains and weights as parameters (ndcg.1=3,2=9; utility.2,-1,0,0; 11pt_avg.25,.5). With -c and -l, num_rel"
    " of trec_eval over all topics counts all grades above 0; that of irci is the sum over topics.",
    "irci and ir_measures agree, with these exceptions. ir_measures breaks ties differently: in single precision, as trec_eval"
    " 9 did, and for RR@RANK and Judged by ascending docno. For its Judged, grade -1 is a judgment. Its ERR is that of"
    " --max-grade 4, and its IPrec rounds recalls as trec_eval 9 does. RBP of ir_measures has p = .8, rbp of trec_eval p = .9;"
    " with rel, RBP ignores how far grades exceed it.",
)
NICKNAMES = {
    "official": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P",
    ),
    "set": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    ),
    ALL_TREC: tuple(family.name for family in TABLE if family.in_trec_eval != "no"),
}  # fmt: skip


class Measure(NamedTuple):
    """A measure: its family, its parameter, and a relevance level of its own (None: what -l says).

    `given`: how a beta or a persistence was spelled; `typed`: its name, where it was not spelled as trec_eval does, and
    `typed_base`: that of what it averages. Spellings make no difference: measures are equal whatever they are called.
    """

    family: Row
    parameter: float | None = None
    level: int | None = None
    given: str = ""
    typed: str = ""
    typed_base: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self[:3] == other[:3]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:3])

    @property
    def name(self) -> str:
        """As it was typed, or else as trec_eval prints it if it does, or else NAME(ARGUMENTS)@CUT; all are read back."""
        return self.typed or self.canonical

    @property
    def canonical(self) -> str:
        """Its one name, whoever spelled it: trec_eval's, or else NAME(ARGUMENTS)@CUT."""
        family, number = self.family, "" if self.parameter is None else self.given or spelled(self.parameter)
        has_own_name = self.level is None and family.in_trec_eval in (("yes",) if number else ("yes", "uncut"))
        has_decimals = number and family.parameter in ("recall", "multiple")
        decimals = f"{self.parameter:.2f}" if has_decimals else number  # trec_eval's, of recalls
        if has_own_name and (decimals == number or float(decimals) == self.parameter):
            return family.written(decimals, "", as_trec_eval=True)
        return family.written(number, "" if self.level is None else f"rel={self.level}", as_trec_eval=False)

    @property
    def cut(self) -> int:
        return int(self.parameter or 0) if self.family.parameter == "rank" else 0

    @property
    def is_count(self) -> bool:
        """True if its values are whole numbers, printed as such."""
        return self.family.summary in ("sum", "topics")

    @property
    def is_bounded(self) -> bool:
        """True if its scores are known to lie in [0, 1]: of measures that are not of the table nothing is known."""
        return self.is_known and self.family.bounded and not self.is_count

    @property
    def is_known(self) -> bool:
        """True if it is of the table."""
        return self.family == FAMILIES.get(self.family.name)

    @property
    def ends(self) -> Ends | None:
        """The least and the greatest score, where these are known and means are of scores as they are; else None."""
        return (0.0, 1.0) if self.is_bounded and self.scores_topics else None

    @property
    def is_of_the_top(self) -> bool:
        """True if its scores hang on one or a few documents at the top: those of RR, success or P+, or any at cutoff 1."""
        return self.family.of_the_top or self.cut == 1

    @property
    def more_is_better(self) -> bool:
        """True if a higher score is a better one."""
        return self.family.more_is_better

    def least_grade(self, level: int) -> int:
        """The grade below which no document counts as relevant; `level`: what -l says. 0 of measures that see none."""
        if self.family.scores_irrelevant:
            return 0
        if self.level is not None:
            return self.level
        return 1 if self.family.sight == "gains" else level

    @property
    def scores_topics(self) -> bool:
        """True if it is a score of single topics that is averaged as it is: no count, no mean of logarithms or logits."""
        return self.family.summary == "mean"

    @property
    def is_of_topics(self) -> bool:
        """True if single topics have a line, as in trec_eval: not the number of topics, nor means of logarithms or logits."""
        return self.family.summary in ("mean", "sum")

    @property
    def sees(self) -> tuple[Sight, int | None]:
        """Sight and own level: measures that see the same judgments share what is found of them."""
        return self.family.sight, self.level

    def scores(self, lists: JudgedLists) -> Floats:
        """float64[T], trec_eval's to the last bit; a topic without relevant documents scores 0. `lists`: at its level."""
        return self.family.score(lists) if self.parameter is None else self.family.score(lists, self.parameter)

    def summary(self, scores: Floats) -> float:
        if self.is_count:
            return float(scores.sum())
        scale = self.scale()
        return float(scale.back(mean_over_topics(scale.forward(scores))))

    def scale(self) -> Scale:
        """On which scale it is averaged over topics."""
        return {"geometric": LOG, "logit": LOGIT}.get(self.family.summary, PLAIN)

    @property
    def base(self) -> "Measure":
        """The measure that is averaged: AP where this is GMAP or L-MAP."""
        if not self.family.base:
            return self
        return Measure(FAMILIES[self.family.base], None, self.level, typed=self.typed_base)


MAP = Measure(FAMILIES["map"])
