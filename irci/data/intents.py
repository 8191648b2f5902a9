"""Qrels by intent, TREC's diversity format: lines `topic intent docno grade`, in which a document has a line an intent."""

from irci.base.errors import FormatError, Problem
from irci.base.names import plural, raw, whole_number
from irci.data.ranking_files import read_qrels
from irci.data.rankings import Qrels
from irci.data.text_files import fields_of, has_fields, problems_of, read_text_lines
from irci.measures.diversity import numbered


def read_by_intent(path: str, content: bytes | None = None) -> tuple[Qrels, str]:
    """Judgments whose grades are numbers of documents (`irci.measures.diversity`); and SHA-256 of the lines, sorted.

    Raises FormatError for other lines, a grade that is no integer, a document twice for an intent.
    """
    topics: dict[str, dict[str, dict[str, int]]] = {}
    with problems_of(path) as problems:
        for number, line in read_text_lines(path, content, is_record=has_fields(4)):
            fields = fields_of(line)
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
