"""Guesses at the measure that is meant by a name that none has; entered only where somebody is to read of it."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from irci.data.measures.table import FAMILIES, NICKNAMES

# A name and a cutoff, whatever stands between them.
GUESS = re.compile(r"([A-Za-z1+_-]*?[A-Za-z1])[-_@:./=,(]*(?:(?:cut|at|top|k)[-_@:=]*)?(\d*\.?\d+)\)?")
# What other tools call them, letters alone.
OTHERS_NAMES = {
    "hit": "Success", "hits": "Success", "hitrate": "Success", "hr": "Success", "accuracy": "Success", "acc": "Success",
    "top": "Success", "prec": "P", "f1": "SetF", "f": "SetF", "fscore": "SetF", "f1score": "SetF", "fmeasure": "SetF",
    "dcg": "nDCG", "ndcgcut": "nDCG", "ndcgat": "nDCG", "mapcut": "AP", "mapat": "AP", "averageprecision": "AP",
    "meanaverageprecision": "AP", "rprecision": "Rprec", "rprec": "Rprec", "meanreciprocalrank": "RR", "reciprocalrank": "RR",
    "mrrat": "RR", "rec": "R", "recallat": "R", "pat": "P", "precisionat": "P", "rankbiasedprecision": "RBP",
    "expectedreciprocalrank": "ERR", "binarypreference": "Bpref", "all": "all_trec",
}  # fmt: skip
# Where a name ends that nobody knows, and what follows it begins.
NAME_AND_REST = re.compile(r"(?P<name>.*?)(?P<rest>([._]\d|[(@]).*)?", re.DOTALL)


def guessed(text: str, spellings: Mapping[str, str], asked_for: Callable[[str], Sequence[Any]]) -> Iterator[str]:
    """Measures that are meant by other tools' names, by other ways to write a cutoff (hit@5, ndcg10, "P@10"), or by slips.

    `spellings`: of names in lower case; `asked_for`: the measures of a name, or ValueError.
    """
    plain = re.sub(r"[\s'\"`]", "", text)
    found = GUESS.fullmatch(plain)
    word, cut = found.groups() if found is not None else ("", "")
    name = OTHERS_NAMES.get(_letters(word), word)
    name = spellings.get(name.lower(), name)
    several = text.replace(",", " ").split()
    others = [OTHERS_NAMES.get(_letters(plain), plain), f"{name}@{cut}", f"{name}(p={cut})", name]
    if len(several) > 1 and all(_measures(each, asked_for) for each in several):
        yield ",".join(several)
    for candidate in (*others, *_near(text, spellings)):
        measures = () if candidate in (text, "") else _measures(candidate, asked_for)
        if measures and not (candidate == others[1] and measures[0].family.parameter == "beta"):
            yield candidate


def _measures(name: str, asked_for: Callable[[str], Sequence[Any]]) -> Sequence[Any]:
    try:
        return asked_for(name)
    except ValueError:
        return ()


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _near(text: str, spellings: Mapping[str, str]) -> Iterator[str]:
    # Names that are spelled much alike, with the cutoff or arguments of what was asked for.
    match = NAME_AND_REST.fullmatch(text)
    assert match is not None
    name, rest = match["name"], match["rest"] or ""
    in_trec_eval = {known.lower(): known for known in (*FAMILIES, *NICKNAMES)}
    both = (in_trec_eval, spellings) if rest.startswith(("(", "@")) else (spellings, in_trec_eval)
    spelled = {**both[0], **both[1]}
    for near in difflib.get_close_matches(name.lower(), spelled, 3, 0.6):
        yield spelled[near] + rest
