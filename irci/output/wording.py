"""Measures in words, as papers write them: AP for map, nDCG@10 for ndcg_cut_10. A name that is not known stays as it is."""

import re

from irci.base.names import BORDA

WORDS = {
    "map": "AP", "lmap": "AP (mean of logits)", "Rprec": "R-precision", "bpref": "bpref", "recip_rank": "RR", "ndcg": "nDCG",
    "ndcg_exp": "nDCG (gains 2^grade − 1)", "11pt_avg": "11-point average precision", "rbp": "RBP", "set_P": "set precision",
    "set_recall": "set recall", "set_F": "set F", "set_map": "set AP", "Pplus": "P+",
}  # fmt: skip
CUT = {
    "P": "P", "recall": "recall", "map_cut": "AP", "ndcg_cut": "nDCG", "ndcg_exp_cut": "nDCG (gains 2^grade − 1)",
    "success": "success", "relative_P": "relative P",
}  # fmt: skip
# Names that say themselves what they are a mean of, or that have none; and measures as ir_measures spells them.
NO_MEAN = re.compile("gm_|num_|GMAP|L-MAP|MAP|MRR|Num")
TYPED = re.compile(r"(G?MAP|L-MAP|AP|n?ERR|nDCG|RBP|M?RR|R-prec|Bpref|IPrec|Judged|Set[A-Z]|(P|R|Q)[(@])")
STANDARDISED = re.compile(r"(.+)_std_(cdf|ab)")


def in_words(measure: str) -> str:
    """The name that papers give a measure. `measure`: its name in a table, as trec_eval spells it, or a standardised one's."""
    if measure in WORDS:
        return WORDS[measure]
    family, _, cut = measure.rpartition("_")
    if family in CUT and cut.isdigit():
        return f"{CUT[family]}@{cut}"
    if match := STANDARDISED.fullmatch(measure):
        return f"standardised {in_words(match[1])} ({match[2]})"
    if measure.endswith(BORDA):
        return f"Borda points by {in_words(measure.removesuffix(BORDA))}"
    if measure.startswith("s") and (in_words(measure[1:]) != measure[1:] or TYPED.match(measure[1:])):
        return f"standardised {in_words(measure[1:])} (z)"
    if measure.startswith("gm_"):
        return f"geometric mean {in_words(measure[3:])}"
    return measure


def as_typed(measure: str) -> str:
    """The name of a measure as it was asked for; standardised scores have none that anybody types."""
    words = in_words(measure)
    return words if words.startswith(("standardised", "Borda")) else measure


def mean_of(measure: str) -> str:
    """The name of a measure's mean over topics, with the measure as it was asked for."""
    words = as_typed(measure)
    return words if NO_MEAN.match(measure) else f"mean {words}"
