"""Runs and judgments as JSON, {topic: {docno: number}}: what pytrec_eval, ranx and MTEB keep.

MTEB keeps what it knows of a model beside the topics, or beside subsets, {subset: {split: {topic: {docno: score}}}}.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import accumulate, islice
from typing import Any

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, text
from irci.base.types import Floats
from irci.data import in_memory
from irci.data.guesses import HINTS, OF_SCORES, hint_of_documents, kind_of
from irci.data.rankings import Qrels, Run, has_fractions
from irci.data.scanned import Asked
from irci.data.text_files import Documents, TextFile, tell_comments_above

OF_MODEL = "mteb_model_meta"
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(\s*:)?')  # the group tells that it is a name


class Pairs(Mapping[str, Any]):
    """The members of an object, in order, of which several may have one name."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs

    def __getitem__(self, name: str) -> Any:
        return dict(self.pairs)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def values(self) -> Any:
        return [value for _, value in self.pairs]

    def items(self) -> Any:
        return self.pairs


def looks_so(line: str) -> bool:
    """True if a line begins an object, or an array, which is none of these."""
    return line.lstrip(BLANKS).startswith(("{", "["))


def run_of(path: str, file: TextFile, place: int, asked: Asked) -> Run:
    """The run in a text. Raises FormatError for what is none."""
    return in_memory.run_of(path, _documents(path, file, place), asked.ties, asked.duplicates)


def qrels_of(path: str, file: TextFile, place: int) -> Qrels:
    """The judgments in a text. Raises FormatError for what is none."""
    documents = _documents(path, file, place)

    def meant(numbers: Floats) -> str:
        return HINTS["run"] if has_fractions(numbers) else documents.meant(numbers)

    return in_memory.qrels_of(path, documents._replace(meant=meant))


def _documents(path: str, file: TextFile, place: int) -> Documents:
    # The documents in the object at a place; of a file of MTEB's those of its only split.
    tell_comments_above(path, file, place)
    first = file.line_number(place)
    content = file.token(place, file.size)
    # Scores by topic or by measure are objects too, and so are lines of a table.
    line = file.first_line()
    hint = hint_of_documents(line) or (OF_SCORES if kind_of(line.removeprefix("{")) == "scores" else "")
    try:
        members = whole = _parsed(content)
    except RecursionError:
        raise FormatError.whole_file(path, "objects too deep within each other") from None
    except ValueError as error:  # of json's own, but where a number has thousands of digits
        problem = Problem(first - 1 + getattr(error, "lineno", 1), f"not JSON: {getattr(error, 'msg', error)}")
        raise FormatError(path, [problem], hint=hint) from None
    if isinstance(whole, Mapping) and OF_MODEL in whole:
        members = _without_model(path, whole)

    def line_of_name(number: int) -> int | None:
        """The line of a name, by how many are before it; of MTEB's files nobody knows how many."""
        if members is not whole:
            return None
        source = text(content)
        found = next(islice((name for name in STRING.finditer(source) if name[1]), number, None))
        return first + source.count("\n", 0, found.start())

    def refusal(topic: int, reason: str) -> FormatError:
        before = sum(map(len, islice(members.values(), topic)))
        return FormatError(path, [Problem(line_of_name(topic + before), reason)], hint=hint)

    if not isinstance(members, Mapping):
        reason = "an object {topic: {docno: number}} is expected"
        raise FormatError(path, [Problem(first, reason)], hint=hint)
    topics: set[str] = set()
    for place, (topic, documents) in enumerate(members.items()):
        if not isinstance(documents, Mapping):
            raise refusal(place, f"topic {topic!r}: an object {{docno: number}} is expected")
        if reason := f"topic {topic!r} twice" if topic in topics else in_memory.unfit("topic", topic):
            raise refusal(place, reason)
        topics.add(topic)
    if not any(members.values()):
        raise FormatError.whole_file(path, "empty file: no document in {topic: {docno: number}}")
    ends = [*accumulate(map(len, members.values()))]

    def line_of(document: int) -> int | None:
        return line_of_name(document + 1 + sum(end <= document for end in ends))

    return in_memory.of_mapping(members)._replace(line_of=line_of, meant=lambda numbers: hint)


def _parsed(content: bytes) -> Any:
    """The content of JSON. Objects are Pairs, but for {topic: {docno: ...}} in which no name is twice, which are dicts.

    No name is twice if there are as many as colons. Raises ValueError for what is not JSON.
    """
    found = json.loads(text(content))
    is_plain = isinstance(found, dict) and all(isinstance(documents, dict) for documents in found.values())
    if is_plain and len(found) + sum(map(len, found.values())) == content.count(b":"):
        return found
    return json.loads(text(content), object_pairs_hook=Pairs)


def _without_model(path: str, members: Mapping[str, Any]) -> Mapping[str, Any]:
    """The members beside MTEB's model: topics, or {subset: {split: topics}}, of which there must be one split."""
    others = Pairs([member for member in members.items() if member[0] != OF_MODEL])
    inner = [
        (f"{subset}/{split}", topics)
        for subset, splits in others.items()
        if isinstance(splits, Mapping)
        for split, topics in splits.items()
    ]
    if not inner or not isinstance(inner[0][1], Mapping):
        return others
    if len(inner) > 1 or not all(isinstance(splits, Mapping) for splits in others.values()):
        names = ", ".join(name for name, _ in inner)
        raise FormatError.whole_file(path, f"several splits, where a run is one: {names}")
    topics: Mapping[str, Any] = inner[0][1]
    return topics
