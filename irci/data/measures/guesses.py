"""Guesses at the measure that is meant by a name that none has; entered only where somebody is to read of it."""

import difflib
import re
from collections.abc import Iterator

from irci.data.measures.measure import SPELLED, asked_for, is_measure, parse
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


def guessed(text: str) -> Iterator[str]:
    """Measures that are meant by other tools' names, or by other ways to write a cutoff: hit@5, ndcg10, "P@10"."""
    plain = re.sub(r"[\s'\"`]", "", text)
    found = GUESS.fullmatch(plain)
    word, cut = found.groups() if found is not None else ("", "")
    whole = OTHERS_NAMES.get(_letters(plain), plain)
    name = OTHERS_NAMES.get(_letters(word), word)
    spelled = SPELLED.get(name.lower(), name)
    several = text.replace(",", " ").split()
    if len(several) > 1 and all(map(is_measure, several)):
        yield ",".join(several)
    for candidate in (whole, f"{spelled}@{cut}", f"{spelled}(p={cut})", spelled):
        is_beta = "@" in candidate and is_measure(candidate) and parse(candidate)[0].family.parameter == "beta"
        if candidate not in (text, "") and not is_beta and (candidate in NICKNAMES or is_measure(candidate)):
            yield candidate
    yield from _near(text)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _near(text: str) -> Iterator[str]:
    # Measures that are spelled much alike, with the cutoff or arguments of what was asked for.
    match = NAME_AND_REST.fullmatch(text)
    assert match is not None
    name, rest = match["name"], match["rest"] or ""
    in_trec_eval = {known.lower(): known for known in (*FAMILIES, *NICKNAMES)}
    spelled = in_trec_eval | SPELLED if rest.startswith(("(", "@")) else SPELLED | in_trec_eval
    for near in difflib.get_close_matches(name.lower(), spelled, 3, 0.6):
        try:
            asked_for(spelled[near] + rest)
        except ValueError:
            continue
        yield spelled[near] + rest
