"""Guesses at what a file is that was given as something else."""

import re

from irci.base.names import BLANKS, decimal
from irci.data.headers import COLUMNS, DOCNO, TOPIC, TOPICS, known, lowered, rows_are_runs
from irci.measures import is_measure

# What headers of score files have that first lines of runs and of qrels have not.
HEADER = r"(?i)\b(measure|metric|value|score|topic|qid|query_id)\b"
OF_SCORES = "are these scores? They are read with --scores"
HINTS = {
    "run": "is this a run? QRELS come first, then RUNs",
    "qrels": "are these qrels? QRELS come first, then RUNs",
    "scores": OF_SCORES,
}
OF_DOCUMENTS = {  # what a line that says docno may be
    True: "are these lines of JSON, a document each? Write them as csv, or as one object {topic: {docno: number}}",
    False: "is this a header? Tabs, commas or semicolons separate columns that have one",
}
WITHOUT_HEADER = {
    "run": "is this a run without its header? It names columns: query_id, doc_id, score (or rank), with tabs or commas",
    "qrels": "are these qrels without their header? It names columns: query_id, doc_id, relevance, with tabs or commas",
}


def is_of_scores(line: str) -> bool:
    """True of the first line of a table of scores, which no run and no qrels has. JSON may be either."""
    separator = next((each for each in "\t;," if each in line), "")
    if not separator or line.startswith(("{", "[")):
        return False
    cells = [cell.strip(BLANKS) for cell in line.split(separator)]
    names = lowered(cells)
    if {*DOCNO} & {*names}:
        return False
    is_matrix = names[0] in TOPICS[1:] or rows_are_runs(names)
    if len(cells) == 3 and separator == "\t" and not is_matrix:
        has_measure = is_measure(cells[0]) or is_measure(cells[1])
        return cells[0] == "runid" or (_is_number(cells[2]) and has_measure)
    is_irci = len(cells) > 5 and all(map(_is_number, cells[2:5])) and is_measure(cells[0])
    return len(known(names)) == len(COLUMNS) or is_irci or is_matrix


def kind_of(line: str) -> str | None:
    """The kind of a file with this first line: run, qrels, scores, or None if nothing in particular."""
    fields, cells = line.split(), re.split("[\t,;]", line)
    if line.startswith("{") or len(re.findall(HEADER, line)) > 1:
        return "scores"
    if len(cells) == 3 and _is_number(cells[2]):  # trec_eval's output, and ir_measures'
        return "scores"
    if len(cells) > 5 and cells[0] != cells[0].rstrip() and all(map(_is_number, cells[2:5])):  # irci's
        return "scores"
    if "\t" in line and (len(fields) < 2 or fields[1].upper() not in ("0", "Q0")):  # a table of another kind
        return None
    if len(fields) == 4 and re.fullmatch("-?[0-9]+", fields[3]):
        return "qrels"
    return "run" if len(fields) == 6 and _is_number(fields[4]) else None


def hint(line: str, given_as: str) -> str:
    """A question about a file with this first line that was given as a run, or as qrels."""
    if of_documents := hint_of_documents(line):
        return of_documents
    found = kind_of(line)
    has_fields = given_as == "qrels" and len(line.split()) == 4  # TREC's: it is their values that are wrong
    if found in (None, "scores") and _has_columns(line) and not has_fields:
        return WITHOUT_HEADER[given_as]
    return HINTS[found] if found is not None and found != given_as else ""


def hint_of_documents(line: str) -> str:
    """A question about a line that says docno, or the like, where no such word is a name; or nothing."""
    words = lowered(re.findall(r"[\w-]+", line))
    return OF_DOCUMENTS["{" in line] if {*DOCNO} & {*words} and {*TOPIC} & {*words} else ""


def _has_columns(line: str) -> bool:
    """True of what may be a row of a table that is no measure's."""
    cells = [cell.strip(BLANKS) for cell in re.split("[\t,;]", line)]
    cells = cells if len(cells) > 1 else line.split()
    return 3 <= len(cells) <= 5 and any(map(_is_number, cells[2:])) and not any(map(is_measure, cells))


def _is_number(text: str) -> bool:
    try:
        decimal(text)
    except ValueError:
        return False
    return True
