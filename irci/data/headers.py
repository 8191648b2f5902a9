"""Names of columns in headers and data frames, and what a file is by its first line."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from irci.base import BLANKS, FormatError, Problem, decimal, takes
from irci.measures import is_measure

# The names of a column in lower case; where a header has several of them, the first here is meant.
COLUMNS = {
    "run": ("run", "run_id", "runid", "system", "model", "tag", "name"),
    "topic": ("topic", "topic_id", "qid", "query_id", "query"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
}
# The names of a column of rankings and judgments, as ir_measures, PyTerrier, ranx and BEIR have them; the first here is meant.
TOPIC = ("query_id", "qid", "q_id", "query-id", "topic_id", "topic")
DOCNO = ("doc_id", "docno", "doc-id", "corpus_id", "corpus-id", "document_id", "docid", "pid")
SCORE, RANK = ("score",), ("rank",)
GRADE = ("relevance", "label", "grade", "rel")
RUN = ("run", "run_id", "tag", "system")
# Of a column that long tables may have besides, where topics of several collections stand in one table.
COLLECTION = ("collection", "dataset")
# Of the column with the topics in a matrix, whose header may be empty too.
TOPICS = ("", *COLUMNS["topic"], "topics", "topic id", "query id", "id", "qnum")


def lowered(header: Sequence[str]) -> list[str]:
    """The names in a header, case and blanks around them aside."""
    return [name.strip(BLANKS).lower() for name in header]


def separator_of(header: str) -> str:
    """The separator of the cells of a csv or tsv file with this header."""
    if "\t" in header:
        return "\t"
    return ";" if header.count(";") > header.count(",") else ","


def is_number(text: str) -> bool:
    """True if a cell is what float() takes, so that it is no name."""
    return takes(float, text)


_is_decimal = partial(takes, decimal)


def column_named(names: Sequence[str], spellings: Sequence[str]) -> str | None:
    """The name among these that a column is known by, if there is one."""
    return next((name for name in spellings if name in names), None)


def named_by(
    path: str,
    line: int | None,
    names: Sequence[str],
    spellings: Mapping[str, Sequence[str]],
    further: Sequence[str] = (),
) -> dict[str, str]:
    """The names of the columns that are needed, the first of its spellings of each. Raises FormatError where one is lacking,
    or there twice, as `further` columns may not be either."""
    columns = {role: column_named(names, own) for role, own in spellings.items()}
    if lacking := ", ".join(role for role, name in columns.items() if name is None):
        reason = f"header not understood: no {lacking}; found {', '.join(map(str, names))}"
        raise FormatError(path, [Problem(line, reason)])
    for name in (*columns.values(), *further):
        if name and names.count(name) > 1:
            raise FormatError(path, [Problem(line, f"two columns named {name}")])
    return {role: str(name) for role, name in columns.items()}


def of_ranking(path: str, line: int | None, names: Sequence[str], kind: str) -> tuple[str, str, str, str, str]:
    """The names of the columns of topic, docno, number (a score, rank or grade), tag and of a rank beside a score, "" without
    one, in a run or in qrels, as `kind` says. Raises FormatError as `named_by` does."""
    is_run = kind == "run"
    # BEIR calls grades scores, which no run of more columns is taken for.
    numbers = (*SCORE, *RANK) if is_run else (*GRADE, *SCORE) if len(names) == 3 else GRADE
    tag = (is_run and column_named(names, RUN)) or ""
    spellings = {"query_id": TOPIC, "doc_id": DOCNO, "score or rank" if is_run else "relevance": numbers}
    topic, docno, number = named_by(path, line, names, spellings, [tag]).values()
    has_rank = is_run and number not in RANK and names.count(*RANK) == 1
    return topic, docno, number, tag, RANK[0] if has_rank else ""


def known(names: Sequence[str]) -> set[str]:
    """The columns of scores that have a name among these."""
    return {column for column, spellings in COLUMNS.items() if column_named(names, spellings) is not None}


def places(header: Sequence[str], path: str, line: int | None) -> dict[str, int]:
    """Places of run, topic, measure and value, and of the collection if there is one. Raises FormatError as `named_by`."""
    names = lowered(header)
    columns = named_by(path, line, names, COLUMNS, COLLECTION)
    collection = column_named(names, COLLECTION)
    columns |= {"collection": collection} if collection is not None else {}
    return {column: names.index(name) for column, name in columns.items()}


def rows_are_runs(names: Sequence[str]) -> bool:
    """True if the header of a matrix says that its lines are runs, not topics."""
    return names[0] in COLUMNS["run"] and known(names) == {"run"} and len(names) > 1


def is_of_scores(line: str) -> bool:
    """True of the first line of a table of scores, which no run and no qrels has. JSON may be either."""
    separator = separator_of(line)
    cells = [cell.strip(BLANKS) for cell in line.split(separator)]
    names = lowered(cells)
    if {*DOCNO} & {*names} or line.startswith(("{", "[")):
        return False
    # Of a matrix without topics' names, with more columns than the line of a run has fields.
    are_runs = len(cells) > 6 and not any(map(_is_decimal, cells))
    is_matrix = names[0] in TOPICS[1:] or rows_are_runs(names) or are_runs
    if len(cells) == 3 and separator == "\t" and not is_matrix:
        has_measure = is_measure(cells[0]) or is_measure(cells[1])
        return cells[0] == "runid" or (_is_decimal(cells[2]) and has_measure)
    return len(known(names)) == len(COLUMNS) or is_matrix


def are_samples(head: str) -> bool:
    """True if a text begins as samples of lm-evaluation-harness, or as a log of Inspect."""
    is_log = '"version"' in head and '"eval"' in head
    return head.lstrip().startswith("{") and (('"doc_id"' in head and '"query_id"' not in head) or is_log)


def is_of_rankings(line: str) -> bool:
    """True of the first line of TREC's runs and qrels, which no file of scores has."""
    fields, cells = line.split(), line.split("\t")
    if len(cells) > 1 and (len(fields) < 2 or fields[1].upper() not in ("0", "Q0") or cells[0] != cells[0].rstrip()):
        return False
    is_of_qrels = len(fields) == 4 and re.fullmatch("-?[0-9]+", fields[3]) is not None
    return is_of_qrels or (len(fields) == 6 and _is_decimal(fields[4]))
