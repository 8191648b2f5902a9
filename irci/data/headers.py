"""Headers of csv and tsv files, and of data frames: by which names columns are known, and which lines are rows of runs."""

from collections.abc import Mapping, Sequence

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS

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


def is_number(text: str) -> bool:
    """True if a cell is what float() takes, so that it is no name."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def known(names: Sequence[str], more: Sequence[str] = ()) -> dict[str, str]:
    """Column -> its name among these; `more`: columns of other tables, which are called nothing else."""
    columns: Mapping[str, Sequence[str]] = {**COLUMNS, **{column: (column,) for column in more}}
    found = {column: next((each for each in known if each in names), None) for column, known in columns.items()}
    return {column: name for column, name in found.items() if name is not None}


def places(header: Sequence[str], path: str, number: int, more: Sequence[str] = ()) -> dict[str, int]:
    """Places of run, topic, measure, value and `more`. Raises FormatError where one does not, or twice."""
    names = lowered(header)
    found = known(names, more)
    if len(found) < len(COLUMNS) + len(more):
        raise not_understood(header, path, number, more)
    for name in (*found.values(), *COLLECTION, "split", "part"):
        if names.count(name) > 1:
            raise FormatError(path, [Problem(number, f"two columns named {name}")])
    if set(COLLECTION) <= set(names):
        reason = f"columns {' and '.join(COLLECTION)}: which of the two names the collection? Leave out the other"
        raise FormatError(path, [Problem(number, reason)])
    return {column: names.index(name) for column, name in found.items()}


def place_of_collection(names: Sequence[str]) -> int | None:
    """Place of the column of collections among these names, if there is one."""
    return next((names.index(name) for name in COLLECTION if name in names), None)


def not_understood(header: Sequence[str], path: str, number: int | None, more: Sequence[str] = ()) -> FormatError:
    """The refusal of a header: what is needed, and what is there."""
    wanted = [*list(COLUMNS)[:-1], *more, "value"]
    found = known(lowered(header), more)
    lacking = [column for column in wanted if column not in found]
    which = f" (no {', '.join(lacking)})" if found and lacking else ""
    there = ", ".join(name.strip(BLANKS) for name in header)
    reason = f"header not understood: needs {', '.join(wanted)}; found {there}{which}"
    return FormatError(path, [Problem(number, reason)])


def rows_are_runs(names: Sequence[str]) -> bool:
    """True if the header of a matrix says that its lines are runs, not topics."""
    return names[0] in COLUMNS["run"] and set(known(names)) == {"run"} and len(names) > 1


def column_named(names: Sequence[str], known: Sequence[str]) -> str | None:
    """The name among these that a column is known by, if there is one."""
    return next((name for name in known if name in names), None)


def grade_named(names: Sequence[str]) -> str | None:
    """The name of the column of grades; BEIR calls it score, which no run of more columns is taken for."""
    return column_named(names, GRADE) or (column_named(names, SCORE) if len(names) == 3 else None)
