"""Files of runs and of qrels: how the first bytes, and the first line that is no comment, tell each format, and who reads it.

TREC's runs have lines `topic Q0 docno rank score tag`, of which the rank is ignored unless ties go by it; qrels
`topic iteration docno grade`; MS MARCO's runs `qid pid rank`. Fields are separated by blanks or tabs in any number. Blank
lines and comments, which begin with `#`, are skipped, as trec_eval does. What begins with `#` and has the fields of a record
is refused: topics that begin so would be lost. A text whose first record is one of TREC's is that: no other format is looked
for. What is none of the others either is read as TREC, whose reader says what is wrong.

Qrels by intent, TREC's diversity format: lines `topic intent docno grade`, in which a document has a line an intent.
"""

import re
from collections.abc import Callable

from irci.base import FormatError, Problem, plural, raw, text, whole_number
from irci.base.choices import Duplicates, Ties
from irci.data import scanned, text_files
from irci.data.file_bytes import read_bytes
from irci.data.rankings import Qrels, Run
from irci.data.scanned import Records, RunOptions
from irci.kernels.scan import Layout
from irci.kernels.words import BLANK
from irci.measures.scorers import numbered

RUN = Records(["topic", "Q0", "docno", "rank", "score", "tag"], Layout(BLANK, 0, 2, 4, 5, 6, has_more=True), rank=3)
QRELS = Records(["topic", "iteration", "docno", "grade"], Layout(BLANK, 0, 2, 3, -1, 4, is_whole=True))
MS_MARCO = Records(["qid", "pid", "rank"], Layout(BLANK, 0, 1, 2, -1, 3))
LONGEST_HEADER = 1 << 16  # bytes of a line that tell what it is
BETWEEN = r"[ \t\v\f\r]"
# Lines of a TREC run and of qrels: their fields, of which the last here is a number.
RUN_LINE = re.compile(rf"{BETWEEN}*(\S++)(?:{BETWEEN}+(\S++)){{4}}{BETWEEN}+\S".encode())
QRELS_LINE = re.compile(rf"{BETWEEN}*(\S++)(?:{BETWEEN}+(\S++)){{3}}{BETWEEN}*\n".encode())


def read_run(
    path: str, threads: int = 1, ties: Ties = "docno", content: bytes | None = None, duplicates: Duplicates = "error"
) -> Run:
    """Read a run file of any format, plain or gzip, or standard input for `-`, or what the file holds if that is given; each
    thread takes a share of a large one.

    `ties`: what orders documents with equal scores; `duplicates`: what becomes of a document that a topic has again. Raises
    FormatError for what is no run: too few fields, a score that is no finite number, a docno twice in a topic; a rank that is
    no integer if ties go by rank.
    """
    asked = RunOptions(threads, ties, duplicates)
    buffer, size = read_bytes(path, content)
    if is_parquet(buffer[:size].data):
        from irci.data import in_memory  # takes time

        return in_memory.run_of(path, in_memory.of_parquet(path, buffer, size, "run"), ties, duplicates)
    file = text_files.TextFile.of(path, buffer, size)
    start, line = foreign_line(file, RUN_LINE, text_files.is_finite)
    if line:
        from irci.data import foreign_files

        if foreign_files.is_json(line):
            return foreign_files.json_run(path, file, start, asked)
        if foreign_files.is_header(line):
            return foreign_files.column_run(path, file, start, asked)
        # The third column is ranks, or the file is refused, lest scores be read upside down.
        fields = raw(line).split()
        if len(fields) == 3 and text_files.number_in(fields[2]).is_integer():
            return scanned.run_of(path, file, MS_MARCO, asked, role="rank", by_rank="without gaps")
    return trec_run(path, file, asked)


def trec_run(path: str, file: text_files.TextFile, asked: RunOptions) -> Run:
    """The TREC run in a text."""
    return scanned.run_of(path, file, RUN, asked, meant=lambda: _meant(file, "run"))


def read_qrels(path: str, content: bytes | None = None, *, fractions: bool = False) -> Qrels:
    """Read relevance judgments of any format, as `read_run` does runs. Raises FormatError for what is none: a grade that is no
    integer, unless `fractions` may be grades, a docno twice in a topic."""
    buffer, size = read_bytes(path, content)
    if is_parquet(buffer[:size].data):
        from irci.data import in_memory

        return in_memory.qrels_of(path, in_memory.of_parquet(path, buffer, size, "qrels"), fractions=fractions)
    file = text_files.TextFile.of(path, buffer, size)
    start, line = foreign_line(file, QRELS_LINE, text_files.is_integer)
    if line:
        from irci.data import foreign_files

        if foreign_files.is_json(line):
            return foreign_files.json_qrels(path, file, start)
        if foreign_files.is_header(line):
            return foreign_files.column_qrels(path, file, start, fractions=fractions)
    return trec_qrels(path, file, fractions=fractions)


def trec_qrels(path: str, file: text_files.TextFile, *, fractions: bool = False) -> Qrels:
    """The TREC qrels in a text."""
    return scanned.qrels_of(path, file, QRELS, lambda grade: _meant(file, "qrels"), fractions=fractions)


def _meant(file: text_files.TextFile, given_as: str) -> str:
    from irci.data.text_files import hint  # only for what is wrong

    return hint(file.first_line(), given_as)


def is_parquet(content: memoryview) -> bool:
    """True of a file that begins and ends with the same bytes, and before the last of them tells how long its footer is: as
    text, four letters would be the length of one of 150 MB or more."""
    is_marked = len(content) > 12 and bytes(content[:4]) == bytes(content[-4:]) == b"PAR1"
    return is_marked and int.from_bytes(content[-8:-4], "little") <= len(content) - 12


def foreign_line(
    file: text_files.TextFile, record: re.Pattern[bytes], is_number: Callable[[bytes], bool]
) -> tuple[int, str]:
    """Where the first line begins that TREC's reader takes for no comment, and that line, shortened; it is empty if that
    reader reads it or refuses it for its #, or if there is none."""
    position = file.start
    while position < file.size:
        end = file.line_end(position)
        head = file.token(position, min(end, position + LONGEST_HEADER))
        content = head.strip()
        fields = record.match(file.buffer.data, position, end + 1)
        is_record = fields is not None and is_number(fields[2])
        if content and (not content.startswith(b"#") or (is_record and not content[1:2].isspace())):
            return position, "" if is_record else text(head)
        position = end + 1
    return position, ""


def read_by_intent(path: str, content: bytes | None = None) -> tuple[Qrels, str]:
    """Judgments whose grades are numbers of documents (`irci.measures.scorers`); and SHA-256 of the lines, sorted.

    Raises FormatError for other lines, a grade that is no integer, a document twice for an intent.
    """
    topics: dict[str, dict[str, dict[str, int]]] = {}
    with text_files.problems_of(path) as problems:
        for number, line in text_files.read_text_lines(path, content, is_record=text_files.has_fields(4)):
            fields = text_files.fields_of(line)
            if len(fields) != 4:
                found = f"{plural(len(fields), 'field')}, expected 4 (topic intent docno grade)"
                problems.append(Problem(number, found, "fields"))
                continue
            topic, intent, docno, grade = fields
            grades = topics.setdefault(topic, {}).setdefault(docno, {})
            if intent in grades:
                problems.append(
                    Problem(number, f"document {docno!r} of topic {topic!r} twice for intent {intent}", "again")
                )
            try:
                grades[intent] = whole_number(grade)
            except ValueError:
                problems.append(Problem(number, f"grade {grade!r} is not an integer", "grade"))
    if not topics:
        raise FormatError.whole_file(path, "empty file: no judgments")
    lines, by_intent = [], []
    for topic, documents in topics.items():
        docnos = sorted(documents, key=raw)
        numbers = numbered(documents[docno] for docno in docnos)
        lines += [f"{topic} 0 {docno} {number}\n" for docno, number in zip(docnos, numbers, strict=True)]
        by_intent += [
            f"{topic}\t{intent}\t{docno}\t{grade}\n" for docno in docnos for intent, grade in documents[docno].items()
        ]
    import hashlib  # takes time

    digest = hashlib.sha256(b"".join(sorted(map(raw, by_intent)))).hexdigest()
    return read_qrels(path, raw("".join(lines))), digest
