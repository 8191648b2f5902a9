"""A measure: a family of the table with its parameter and, if it has one, a relevance level of its own; and its names,
spelled as trec_eval does, or as ir_measures does, NAME(ARGUMENTS)@CUT."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from irci.base.choices import Sight
from irci.base.names import decimal
from irci.base.types import Ends, Floats
from irci.data.collection import Relevance
from irci.data.measures.scorers import JudgedLists
from irci.data.measures.table import FAMILIES, NICKNAMES, P_OF_IR_MEASURES, Family
from irci.data.rankings import Qrels
from irci.stats.scales import EPSILON, LOG, PLAIN, Scale, logit_scale, mean_over_topics


@dataclass(frozen=True)
class Measure:
    """A measure: its family, its parameter, and a relevance level of its own (None: what -l says).

    `given`: how a beta or a persistence was spelled; `typed`: its name, where it was not spelled as trec_eval does, and
    `typed_base`: that of what it averages. Spellings make no difference: measures are equal whatever they are called.
    """

    family: Family
    parameter: float | None = None
    level: int | None = None
    given: str = field(default="", compare=False)
    typed: str = field(default="", compare=False)
    typed_base: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """As it was typed, or else as trec_eval prints it if it does, or else NAME(ARGUMENTS)@CUT; `parse` reads all back."""
        return self.typed or self.canonical

    @property
    def canonical(self) -> str:
        """Its one name, whoever spelled it: trec_eval's, or else NAME(ARGUMENTS)@CUT."""
        return self._in_trec_eval() or self._as_a_call()

    def _in_trec_eval(self) -> str:
        # trec_eval's name, "" if there is none: it has two decimals for recalls.
        whole = self.parameter is None
        if self.level is not None or self.family.in_trec_eval not in (("yes", "uncut") if whole else ("yes",)):
            return ""
        if whole:
            return self.family.name
        match self.family.parameter:
            case "recall" | "multiple":
                text = f"{self.parameter:.2f}"
                return f"{self.family.name}_{text}" if float(text) == self.parameter else ""
            case "persistence":
                return f"{self.family.name}_p={self._parameter_text}"
            case "rank" | "beta" | "":
                return f"{self.family.name}_{self._parameter_text}"

    def _as_a_call(self) -> str:
        key = {"beta": "beta=", "persistence": "p="}.get(self.family.parameter, "@")
        given = "" if self.parameter is None else key + self._parameter_text
        level = "" if self.level is None else f"rel={self.level}"
        cut = given if key == "@" else ""
        arguments = ",".join(filter(None, (self.family.option, given.removeprefix(cut), level)))
        return (self.family.spelled or self.family.name) + (f"({arguments})" if arguments else "") + cut

    @property
    def _parameter_text(self) -> str:
        return self.given or repr(self.parameter).removesuffix(".0")

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
        return self.family.name in FAMILIES

    @property
    def ends(self) -> Ends | None:
        """The least and the greatest score, where these are known and means are of scores as they are; else None."""
        return (0.0, 1.0) if self.is_bounded and self.scale() == PLAIN else None

    @property
    def is_of_the_top(self) -> bool:
        """True if its scores hang on one or a few documents at the top: those of RR, success or P+, or any at cutoff 1."""
        return self.family.of_the_top or self.cut == 1

    @property
    def more_is_better(self) -> bool:
        """True if a higher score is a better one."""
        return self.family.more_is_better

    def may_score_without(self, level: int) -> bool:
        """True if a topic without documents of this grade or a higher one may score other than 0; `level`: what -l says."""
        if self.family.scores_irrelevant:
            return True
        if self.family.level == "none" and not self.family.looks_at.level:  # of grades, whatever -l says
            return level > 1
        return self.level is not None and self.level < level

    @property
    def scores_topics(self) -> bool:
        """True if it is a score of single topics that is averaged as it is: no count, no mean of logarithms or logits."""
        return not self.is_count and self.scale() == PLAIN

    @property
    def is_of_topics(self) -> bool:
        """True if single topics have a line, as in trec_eval: not the number of topics, nor means of logarithms or logits."""
        return self.family.summary != "topics" and self.scale() == PLAIN

    @property
    def sees(self) -> tuple[Sight, int | None]:
        """Sight and own level: measures that see the same judgments share what is found of them."""
        return self.sight, self.level

    @property
    def sight(self) -> Sight:
        """The judgments that it sees, in a word."""
        looks_at = self.family.looks_at
        if looks_at.nonrelevant:
            return "judgments"
        if looks_at.grades:
            return "gains" if self.family.level == "none" and not looks_at.level else "grades"
        return "relevance"

    def relevance(self, qrels: Qrels, level: int, most: int | None = None) -> Relevance:
        """The judgments that it sees; `level`: of measures without one of their own; `most`: the highest of the scale."""
        return Relevance.of(qrels, self.sight, level if self.level is None else self.level, most)

    def scores(self, lists: JudgedLists) -> Floats:
        """float64[T], trec_eval's to the last bit; a topic without relevant documents scores 0. `lists`: at its level."""
        return self.family.score(lists) if self.parameter is None else self.family.score(lists, self.parameter)

    def summary(self, scores: Floats) -> float:
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
            case "mean" | "sum" | "topics":
                return PLAIN

    @property
    def base(self) -> "Measure":
        """The measure that is averaged: AP where this is GMAP or L-MAP."""
        if not self.family.base:
            return self
        return Measure(FAMILIES[self.family.base], None, self.level, typed=self.typed_base)


MAP = Measure(FAMILIES["map"])


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
    """A measure that is none; the one that is meant is looked for only if somebody wants to read about it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        from irci.data.measures.guesses import guessed

        meant = next(guessed(self.text, SPELLED, asked_for), None)
        hint = f"; is it {meant}?" if meant else ";"
        return f"no measure {self.text!r}{hint} irci help-measures lists them all"


@cache
def is_measure(name: str) -> bool:
    """True if a measure is called so, or spelled so."""
    try:
        parse(name)
    except ValueError:
        return False
    return True


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
    name, values = _split(text, call["head"], has_cut=call["cut"] is not None)
    is_trec_evals = call["arguments"] is None and call["cut"] is None and (values or call["head"] in FAMILIES)
    given = [values, [] if call["cut"] is None else call["cut"].split(",")]
    arguments = _arguments(text, call["arguments"])
    if name in (RBP, NUM_RET):
        if name == RBP:
            arguments.setdefault("p", str(P_OF_IR_MEASURES))
        name = {RBP: ("rbp", "rbp_binary"), NUM_RET: ("num_ret", "num_rel_ret")}[name]["rel" in arguments]
    level = arguments.pop("rel", None)
    for key, value in arguments.items():
        name, values = _with_argument(text, name, key, value)
        given.append(values)
    family = FAMILIES[name]
    own = _level(family, level)
    parameters = list(filter(None, given))
    if len(parameters) > 1:
        raise ValueError(f"{text!r}: {family.name} takes no second parameter")
    if parameters:
        found = [_with_parameter(family, value, own) for value in parameters[0]]
    else:
        found = [Measure(family, value, own) for value in family.defaults]
    return found if is_trec_evals else _as_typed(found, text, call["cut"])


def _as_typed(found: Sequence[Measure], text: str, cut: str | None) -> list[Measure]:
    # Under the names typed, of a list of cuts each with its own; those that nothing typed stands for keep trec_eval's.
    text = "".join(text.split())
    if len(found) == 1:
        return [replace(found[0], typed=text)]
    if cut is None:
        return list(found)
    return [
        replace(each, typed=f"{text.partition('@')[0]}@{one}") for each, one in zip(found, cut.split(","), strict=True)
    ]


def together(measures: Iterable[Measure]) -> list[Measure]:
    """The measures, each once and under its first name, which is also that of what another one averages."""
    found = {measure: measure.typed for measure in dict.fromkeys(measures)}
    return [replace(measure, typed_base=found.get(measure.base, "")) for measure in found]


def one_name_each() -> Callable[[str], str]:
    """A function from a name to the first one that was given of the same measure."""
    first: dict[Measure, str] = {}

    @cache
    def name_of(name: str) -> str:
        measure = named(name)
        return first.setdefault(measure, measure.name)

    return name_of


def _split(text: str, head: str, *, has_cut: bool) -> tuple[str, list[str]]:
    # A family's name, or one of those that depend on arguments, and the parameters given with it.
    plain, cut = ALIASES.get(SPELLED.get(head.lower(), ""), ("", ""))
    if has_cut and cut:
        return cut, []
    if head in FAMILIES:
        return head, []
    for known in sorted(FAMILIES, key=len, reverse=True):
        if not has_cut and re.match(re.escape(known) + "[._]", head):
            return known, head[len(known) + 1 :].split(",")
    if not plain:
        raise UnknownMeasure(text)
    return plain, []


def _arguments(text: str, arguments: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in [] if arguments is None or not arguments.strip() else arguments.split(","):
        argument = re.fullmatch(ARGUMENT, part)
        if argument is None or argument["key"] in found:
            raise ValueError(f"{text!r}: arguments are KEY=VALUE, each once, not {part!r}")
        found[argument["key"]] = argument["value"]
    return found


def _with_argument(text: str, name: str, key: str, value: str) -> tuple[str, list[str]]:
    # The family that an argument makes of another, or the value of its parameter.
    if (name, key, value) in VARIANTS:
        return VARIANTS[name, key, value], []
    if key == "cutoff":  # AP(cutoff=10) is AP@10
        cuts = (*(cut for plain, cut in ALIASES.values() if plain == name), f"{name}_cut")
        name = next((cut for cut in cuts if cut in FAMILIES), name)
    if PARAMETERS.get(key) != FAMILIES[name].parameter:
        raise ValueError(f"{text!r}: {name} takes no {key}={value}")
    return name, [value]


def _level(family: Family, text: str | None) -> int | None:
    if text is None:
        if family.level == "required":
            raise ValueError(f"{family.name} needs a level: {family.pattern}")
        return None
    if family.level == "none":
        raise ValueError(f"{family.name} takes no rel={text}: no relevance level changes it")
    if not (_is_whole(text) and int(text) <= LARGEST_CUT):
        raise ValueError(f"{family.name} needs a grade for its rel, not {text!r}")
    return int(text)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_CUT))


def _with_parameter(family: Family, text: str, level: int | None) -> Measure:
    if not family.parameter:
        raise ValueError(f"{family.name} takes no cutoff{_at_rank(f'{family.name}_cut', text)}")
    if family.parameter == "rank":
        if not (_is_whole(text) and 0 < int(text) <= LARGEST_CUT):
            raise ValueError(f"{family.name} needs a rank for its cutoff, not {text!r}{_at_rank(family.name, text)}")
        return Measure(family, int(text), level)
    number = text.removeprefix("p=") if family.parameter == "persistence" else text
    try:
        value = decimal(number)
    except ValueError:
        value = math.nan
    if not (0 <= value <= LARGEST[family.parameter] and value < math.inf):
        raise ValueError(f"{family.name} needs a {family.parameter} for its parameter, not {text!r}")
    given = number.strip() if family.parameter in ("beta", "persistence") else ""
    return Measure(family, abs(value), level, given)  # abs of -0


def _at_rank(family: str, text: str) -> str:
    # Which measure of a family is meant, if a whole number is to be seen in what was given for its rank.
    found = re.fullmatch(r"\D*([1-9]\d{0,8})", text)
    return f"; is it {family}_{found[1]}?" if found and family in FAMILIES else ""


def named(name: str) -> Measure:
    """The measure of this name, or one of which nothing is known but that it is averaged over topics."""
    try:
        (measure,) = parse(name)
    except ValueError:
        return Measure(Family(name, _unknown, "from a file of scores", "", in_trec_eval="no"))
    return measure


def _unknown(lists: JudgedLists) -> Floats:
    raise NotImplementedError("scores of this measure come from files only")
