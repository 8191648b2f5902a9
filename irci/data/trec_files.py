"""TREC runs and qrels; and MS MARCO's runs, which are as plain.

Runs: `topic Q0 docno rank score tag`, the rank ignored unless ties go by it; qrels: `topic iteration docno grade`. Fields
are separated by blanks or tabs in any number. Blank lines and comments, which begin with `#`, are skipped, as trec_eval does.
What begins with `#` and has the fields of a record is refused: topics that begin so would be lost.
"""

from irci.base.choices import Duplicates, Ties
from irci.base.names import raw
from irci.data import scanned
from irci.data.rankings import Qrels, Run
from irci.data.scanned import Asked, Records
from irci.data.text_files import TextFile, number_in
from irci.kernels.scan import Layout
from irci.kernels.words import BLANK

RUN = Records(["topic", "Q0", "docno", "rank", "score", "tag"], Layout(BLANK, 0, 2, 4, 5, 6, has_more=True), rank=3)
QRELS = Records(["topic", "iteration", "docno", "grade"], Layout(BLANK, 0, 2, 3, -1, 4, is_whole=True))
MS_MARCO = Records(["qid", "pid", "rank"], Layout(BLANK, 0, 1, 2, -1, 3))


def read_run(
    path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None, duplicates: Duplicates = "error"
) -> Run:
    """Read a TREC run, plain or gzip, or standard input for `-`; each thread takes a share of a large one.

    `ties`: what orders documents with equal scores. `content`: what the file holds, if that is known. Raises FormatError for
    what is no run: too few fields, a score that is no finite number, a docno twice in a topic; a rank that is no integer if
    ties go by rank.
    """
    return run_of(path, TextFile.read(path, content), Asked(threads, ties, duplicates))


def run_of(path: str, file: TextFile, asked: Asked) -> Run:
    """The run in a text. Raises FormatError as `read_run` does."""
    return scanned.run_of(path, file, RUN, asked, meant=lambda: _meant(file, "run"))


def has_ranks(line: str) -> bool:
    """True if a line has three fields, of which the last is a whole number, however it is spelled."""
    fields = raw(line).split()
    return len(fields) == 3 and number_in(fields[2]).is_integer()


def ranked_run_of(path: str, file: TextFile, asked: Asked) -> Run:
    """The run in a text of lines `qid pid rank`. The third column is ranks, or the file is refused, lest scores be read upside
    down."""
    return scanned.run_of(path, file, MS_MARCO, asked, what="rank", by_rank="without gaps")


def read_qrels(path: str, content: bytes | None = None) -> Qrels:
    """Read TREC qrels, plain or gzip, or standard input for `-`, or from what the file holds.

    Raises FormatError for what is no qrels: other than four fields, a grade that is no integer, a docno twice in a
    topic.
    """
    return qrels_of(path, TextFile.read(path, content))


def qrels_of(path: str, file: TextFile) -> Qrels:
    """The judgments in a text. Raises FormatError as `read_qrels` does."""
    return scanned.qrels_of(path, file, QRELS, lambda grade: _meant(file, "qrels"))


def _meant(file: TextFile, given_as: str) -> str:
    from irci.data.guesses import hint  # only for what is wrong

    return hint(file.first_line(), given_as)
