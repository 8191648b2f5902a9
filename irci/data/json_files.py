"""Runs and judgments as JSON, {topic: {docno: number}}: what pytrec_eval, ranx and MTEB keep."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from irci.base.choices import Ties
from irci.base.errors import FormatError, Problem
from irci.base.names import text
from irci.data.in_memory import qrels_of as qrels_of_documents
from irci.data.in_memory import run_of as run_of_documents
from irci.data.text_files import Documents, TextFile
from irci.data.trec_files import Qrels, Run

OF_MODEL = "mteb_model_meta"  # what MTEB keeps beside subsets, their splits and the topics of these


def looks_so(line: str) -> bool:
    """True if a line begins an object."""
    return line.lstrip().startswith("{")


def run_of(path: str, file: TextFile, threads: int, ties: Ties) -> Run:
    """The run in a text. Raises FormatError for what is none."""
    return run_of_documents(path, _documents(path, file, "score"), ties)


def qrels_of(path: str, file: TextFile) -> Qrels:
    """The judgments in a text. Raises FormatError for what is none."""
    return qrels_of_documents(path, _documents(path, file, "grade"))


def _documents(path: str, file: TextFile, number: str) -> Documents:
    try:
        given = json.loads(text(file.token(file.start, file.size)), object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise FormatError(path, [Problem(error.lineno, f"not JSON: {error.msg}")]) from None
    topics = _topics(path, given)
    for topic, documents in topics.items():
        if not isinstance(documents, Mapping):
            reason = f"topic {topic!r} has no object {{docno: {number}}}"
            raise FormatError.whole_file(path, f"expected {{topic: {{docno: {number}}}}}; {reason}")
    some = {topic: documents for topic, documents in topics.items() if documents}
    docnos = [docno for documents in some.values() for docno in documents]
    numbers = [value for documents in some.values() for value in documents.values()]
    return Documents(list(some), np.array([len(each) for each in some.values()], np.int64), docnos, numbers)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(pairs)


def _topics(path: str, given: dict[str, Any]) -> dict[str, Any]:
    # Without what is kept of the model; of the one split of one subset, if there are some.
    if OF_MODEL not in given:
        return given
    topics = {topic: documents for topic, documents in given.items() if topic != OF_MODEL}
    inner: Any = next((documents for documents in topics.values() if documents), {})
    if not isinstance(inner, Mapping) or not any(isinstance(each, Mapping) for each in _second(inner)):
        return topics
    splits = {f"{subset}/{split}": found for subset, each in topics.items() for split, found in each.items()}
    if len(splits) > 1:
        raise FormatError.whole_file(path, f"several splits, of which one makes a run: {', '.join(splits)}")
    return next(iter(splits.values()))


def _second(inner: Mapping[str, Any]) -> list[Any]:
    return [value for each in inner.values() if isinstance(each, Mapping) for value in each.values()]
