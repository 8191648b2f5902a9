"""Names of measures, spelled as trec_eval does, or as ir_measures does, NAME(ARGUMENTS)@CUT."""

import math
import re
from collections.abc import Callable, Iterable
from functools import cache

from irci.base import decimal, takes
from irci.base.types import Floats
from irci.measures.scorers import JudgedLists
from irci.measures.table import FAMILIES, NICKNAMES, P_OF_IR_MEASURES, Measure, Row

LONGEST_FIRST = sorted(FAMILIES, key=len, reverse=True)
LARGEST_CUT = 2**31 - 1  # ranks have 32 bits
LARGEST = {"recall": 1.0, "persistence": 1.0, "multiple": 1e6, "beta": math.inf}
RBP, NUM_RET = "RBP", "NumRet"  # ir_measures': which family they are depends on their arguments
# Other spellings, in whatever case, each with what is meant without and with a cutoff.
ALIASES = {
    "AP": ("map", "map_cut"), "MAP": ("map", "map_cut"), "GMAP": ("gm_map", ""), "L-MAP": ("lmap", ""),
    "R-prec": ("Rprec", ""), "Rprec": ("Rprec", ""), "RR": ("recip_rank", "recip_rank"), "MRR": ("recip_rank", "recip_rank"),
    "P": ("P", "P"), "Precision": ("P", "P"), "R": ("", "recall"), "Recall": ("recall", "recall"),
    "nDCG": ("ndcg", "ndcg_cut"), "Success": ("success", "success"), "Bpref": ("bpref", ""), "infAP": ("infAP", ""),
    "RBP": (RBP, ""), "IPrec": ("iprec_at_recall", "iprec_at_recall"), "Q": ("Q", "Q"), "P+": ("Pplus", "Pplus"),
    "ERR": ("ERR", "ERR"), "nERR": ("nERR", "nERR"), "Judged": ("Judged", "Judged"), "SetP": ("set_P", ""),
    "SetRelP": ("set_relative_P", ""), "SetR": ("set_recall", ""), "SetF": ("set_F", ""), "SetAP": ("set_map", ""),
    "alpha-nDCG": ("alpha_nDCG", "alpha_nDCG"), "nERR-IA": ("nERR_IA", "nERR_IA"), "D#-nDCG": ("Dsharp_nDCG", "Dsharp_nDCG"),
    "NumQ": ("num_q", ""), NUM_RET: (NUM_RET, ""), "NumRel": ("num_rel", ""), "NumRelRet": ("num_rel_ret", ""),
}  # fmt: skip
SPELLED = {name.lower(): name for name in ALIASES}
# What an argument makes of a family; of the others the value alone counts.
VARIANTS = {
    ("ndcg", "dcg", "exp-log2"): "ndcg_exp", ("ndcg_cut", "dcg", "exp-log2"): "ndcg_exp_cut", ("ndcg", "dcg", "log2"): "ndcg",
    ("ndcg_cut", "dcg", "log2"): "ndcg_cut", ("set_P", "relative", "True"): "set_relative_P",
    ("set_P", "relative", "False"): "set_P",
}  # fmt: skip
PARAMETERS = {"cutoff": "rank", "recall": "recall", "beta": "beta", "p": "persistence"}
CALL = r"(?P<head>[^()@]*)(\((?P<arguments>[^()]*)\))?(@(?P<cut>[^()@]*))?"
ARGUMENT = r"\s*(?P<key>[a-z_]+)\s*=\s*(?P<quote>['\"]?)(?P<value>[^'\",]*?)(?P=quote)\s*"


class UnknownMeasure(ValueError):
    """A name that no measure has; the one that is spelled most alike is looked for only where this is read, as names of runs
    and columns are tried as measures too."""

    def __str__(self) -> str:
        from difflib import get_close_matches  # takes time

        (text,) = self.args
        name, rest = re.findall(r"(?s)^(.*?)((?:[._]\d|[(@]).*|)$", text)[0]
        of_trec_eval = {family.lower(): family for family in FAMILIES}
        names = of_trec_eval | SPELLED if rest.startswith("@") else SPELLED | of_trec_eval
        meant = "".join(names[near] + rest for near in get_close_matches(name.lower(), names, 1))
        hint = f"; is it {meant}?" if meant != text and takes(asked_for, meant) else ";"
        return f"no measure {text!r}{hint} irci measures lists them all"


@cache
def is_measure(name: str) -> bool:
    """True if a measure is called so, or spelled so."""
    return takes(parse, name)


def asked_for(text: str) -> list[Measure]:
    """The measures of this name, or those that trec_eval has one name for: official, set, all_trec."""
    if text in NICKNAMES:
        return [measure for name in NICKNAMES[text] for measure in parse(name)]
    return parse(text)


def parse(text: str) -> list[Measure]:
    """The measures of this name: trec_eval's, with cutoffs after `_` or `.` (P_10, P.5,10,20; P alone: trec_eval's nine), or
    ir_measures', NAME(ARGUMENTS)@CUT (AP(rel=2)@100, nDCG(dcg='exp-log2')@10). Arguments may follow trec_eval's names too.

    Raises ValueError, worded for the user.
    """
    call = re.fullmatch(CALL, text)
    if call is None:
        raise UnknownMeasure(text)
    arguments = _arguments(text, call["arguments"])
    cut = arguments.pop("cutoff", None) if call["cut"] is None else call["cut"]  # AP(cutoff=10) is AP@10
    name, values = _split(text, call["head"], cut)
    is_trec_evals = call["arguments"] is None and cut is None and (values or call["head"] in FAMILIES)
    if name == RBP:
        arguments.setdefault("p", str(P_OF_IR_MEASURES))
    if name in (RBP, NUM_RET):
        name = {RBP: ("rbp", "rbp_binary"), NUM_RET: ("num_ret", "num_rel_ret")}[name]["rel" in arguments]
    level = arguments.pop("rel", None)
    for key, value in arguments.items():
        if (name, key, value) in VARIANTS:
            name = VARIANTS[name, key, value]
        elif PARAMETERS.get(key) != FAMILIES[name].parameter:
            raise ValueError(f"{text!r}: {name} takes no {key}={value}")
        elif values:
            raise ValueError(f"{text!r}: {name} takes no second parameter")
        else:
            values = [value]
    family = FAMILIES[name]
    parameters = [_parameter(family, value) for value in values] or [(value, "") for value in family.defaults]
    own = _level(family, level)
    measures = [Measure(family, parameter, own, spelling) for parameter, spelling in parameters]
    if is_trec_evals or (len(measures) > 1 and cut is None):
        return measures
    # Under the names typed, of a list of cuts each with its own; those that nothing typed stands for keep trec_eval's.
    typed = "".join(text.split())
    names = [f"{typed.partition('@')[0]}@{value}" for value in values] if len(measures) > 1 else [typed]
    return [measure._replace(typed=name) for measure, name in zip(measures, names, strict=True)]


def together(measures: Iterable[Measure]) -> list[Measure]:
    """The measures, each once and under its first name, which is also that of what another one averages."""
    typed_names = {measure: measure.typed for measure in dict.fromkeys(measures)}
    return [measure._replace(typed_base=typed_names.get(measure.base, "")) for measure in typed_names]


def one_name_each() -> Callable[[str], str]:
    """A function from a name to the first one that was given of the same measure."""
    first: dict[Measure, str] = {}

    @cache
    def name_of(name: str) -> str:
        measure = named(name)
        return first.setdefault(measure, measure.name)

    return name_of


def _split(text: str, head: str, cut: str | None) -> tuple[str, list[str]]:
    # A family's name, or one of those that depend on arguments, and the parameters given with it.
    plain, with_cut = ALIASES.get(SPELLED.get(head.lower(), ""), ("", ""))
    values = [] if cut is None else cut.split(",")
    if (cut is not None and with_cut) or head in FAMILIES:
        return (with_cut if cut is not None and with_cut else head), values
    family = next((name for name in LONGEST_FIRST if head.startswith((f"{name}_", f"{name}."))), "")
    if family and cut is None:
        return family, head[len(family) + 1 :].split(",")
    if not plain:
        raise UnknownMeasure(text)
    return plain, values


def _arguments(text: str, arguments: str | None) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in [] if arguments is None or not arguments.strip() else arguments.split(","):
        argument = re.fullmatch(ARGUMENT, part)
        if argument is None or argument["key"] in parameters:
            raise ValueError(f"{text!r}: arguments are KEY=VALUE, each once, not {part!r}")
        parameters[argument["key"]] = argument["value"]
    return parameters


def _level(family: Row, text: str | None) -> int | None:
    if text is None:
        if family.level == "required":
            raise ValueError(f"{family.name} needs a level: {family.pattern}")
        return None
    if family.level == "none":
        raise ValueError(f"{family.name} takes no rel={text}: no relevance level changes it")
    if (level := _whole(text)) is None:
        raise ValueError(f"{family.name} needs a grade for its rel, not {text!r}")
    return level


def _whole(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_CUT))
    return int(text) if is_number and int(text) <= LARGEST_CUT else None


def _parameter(family: Row, text: str) -> tuple[float | None, str]:
    # The value, and how a beta or a persistence is spelled.
    if not family.parameter:
        raise ValueError(f"{family.name} takes no cutoff")
    if family.parameter == "rank":
        if not (rank := _whole(text)):
            raise ValueError(f"{family.name} needs a rank for its cutoff, not {text!r}")
        return rank, ""
    number = text.removeprefix("p=") if family.parameter == "persistence" else text
    value = decimal(number) if takes(decimal, number) else math.nan
    if not (0 <= value <= LARGEST[family.parameter] and value < math.inf):
        raise ValueError(f"{family.name} needs a {family.parameter} for its parameter, not {text!r}")
    return abs(value), number.strip() if family.parameter in ("beta", "persistence") else ""  # abs of -0


def named(name: str, *, is_column: bool = False) -> Measure:
    """The measure of this name, or one of which nothing is known but that it is averaged over topics; as what a column of
    scores holds is, even if it is called gm_map."""
    measures = parse(name) if is_measure(name) else []
    if len(measures) == 1 and not (is_column and measures[0] != measures[0].base):
        return measures[0]
    return Measure(Row(name, _unknown, "from a file of scores", "", in_trec_eval="no"))


def _unknown(lists: JudgedLists) -> Floats:
    raise NotImplementedError("scores of this measure come from files only")
