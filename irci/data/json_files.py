"""Runs and judgments as JSON, {topic: {docno: number}}: what pytrec_eval, ranx and MTEB keep.

MTEB keeps what it knows of a model beside the topics, or beside subsets, {subset: {split: {topic: {docno: score}}}}.
"""

import json
from functools import partial

import numpy as np

from irci.base.errors import FormatError
from irci.base.names import BLANKS, raw, text
from irci.base.types import Floats
from irci.data.guesses import HINTS, OF_SCORES, hint_of_documents, kind_of
from irci.data.rankings import Docnos, Qrels, Run, secret
from irci.data.ranks import whole
from irci.data.scanned import Asked, Reader, Scanned, as_qrels, as_run, scanned, unfit
from irci.data.text_files import LONG, TextFile, shown, tell_comments_above
from irci.kernels.fields import BLANK, NEWLINE
from irci.kernels.records import Found, Stretches
from irci.kernels.scan_json import (
    COLON,
    DOCUMENTS,
    NAME,
    NEXT,
    NOTHING,
    NUMBER,
    OBJECT,
    VALUE,
    object_members,
    scan_json,
)

OF_MODEL = b"mteb_model_meta"
SPACE = b" \t\r\n"
SEPARATOR = b'","'
HEAD = 1 << 16  # bytes in which MTEB names the model, before all else
WANTED = {
    OBJECT: "an object {{topic: {{docno: {}}}}} is expected",
    NAME: "a name in quotation marks is expected",
    VALUE: "a colon is expected",
    DOCUMENTS: "an object {{docno: {}}} is expected",
    NUMBER: "a number is expected, the {}",
    NEXT: "a comma or a closing brace is expected",
    NOTHING: "nothing is expected behind the closing brace",
}
Members = list[tuple[bytes, int, int]]  # names of an object's members, and where their values begin and end


def looks_so(line: str) -> bool:
    """True if a line begins an object, or an array, which is none of these."""
    return line.lstrip(BLANKS).startswith(("{", "["))


def run_of(path: str, file: TextFile, place: int, asked: Asked) -> Run:
    """The run in a text. Raises FormatError for what is none."""
    reader, found = _scanned(path, file, place, "score")
    return as_run(path, reader, found, asked, meant=partial(_meant, found))


def qrels_of(path: str, file: TextFile, place: int) -> Qrels:
    """The judgments in a text. Raises FormatError for what is none."""
    reader, found = _scanned(path, file, place, "grade")
    has_fractions = not found.problems.worded and len(whole(found.number)[1]) > 0
    return as_qrels(path, reader, found, lambda: HINTS["run"] if has_fractions else _meant(found))


def _meant(found: Scanned) -> str:
    # Scores by topic or by measure are objects too, and so are lines of a table.
    line = found.file.first_line()
    return hint_of_documents(line) or (OF_SCORES if kind_of(line.removeprefix("{")) == "scores" else "")


def _scanned(path: str, file: TextFile, place: int, what: str) -> tuple[Reader, Scanned]:
    # The numbers in the object at a place, which are called so; of a file of MTEB's those of its only split.
    tell_comments_above(path, file, place)
    file = file._replace(start=place)
    if OF_MODEL in file.token(file.start, min(file.start + HEAD, file.size)):
        file = _without_model(path, file)
    text = _Json(file, what)
    reader = Reader(f"{{topic: {{docno: {what}}}}}", text.scan, text.wrong, COLON, _unescaped, shares=False)
    found = scanned(path, file, reader, what)
    topics = found.found.stretches
    names = [found.file.token(begin, begin + length) for begin, length in zip(topics.start, topics.length, strict=True)]
    first = {name: place for place, name in reversed([*enumerate(names)])}
    twice = [place for place, name in enumerate(names) if first[name] < place]
    found.problems.add("topic", topics.start[twice], lambda i: f"topic {shown(names[twice[i]])} twice")
    has_documents = np.diff(topics.line, append=found.found.lines) > 0
    line, start, length = topics
    with_documents = Stretches(line[has_documents], start[has_documents], length[has_documents])
    return reader, found._replace(found=found.found._replace(stretches=with_documents))


class _Json:
    """A text of JSON as it is scanned, and what it lacks."""

    def __init__(self, file: TextFile, what: str) -> None:
        self.file = file
        self.what = what
        self.wanted = 0

    def scan(self, begin: int, end: int, docnos: Docnos, number: Floats) -> Found:
        """Records found from one place to another."""
        found: Found
        found, self.wanted = scan_json(begin, end, docnos, number, secret())
        return found

    def wrong(self, place: int) -> str:
        """Reason why there is no record at a place."""
        found = self.file.token(place, min(self.file.line_end(place), place + LONG, self.file.size))
        there = shown(found) if found else "the end"
        if self.wanted == NAME and found.startswith(b'"'):
            name = found[1:].partition(b'"')[0]
            return f"name {shown(name)} {unfit(name) or 'has a control character in it, or does not end'}"
        return f"{WANTED[self.wanted].format(self.what)}, found {there}"


def _unescaped(names: list[bytes]) -> list[bytes]:
    # Empty for what json does not read; halves of letters (surrogates) are not text.
    try:
        return [raw(name) for name in json.loads(f'["{text(SEPARATOR.join(names))}"]')]
    except (json.JSONDecodeError, UnicodeEncodeError):
        return [b""] if len(names) == 1 else [_unescaped([name])[0] for name in names]


def _without_model(path: str, file: TextFile) -> TextFile:
    # The part of a text of MTEB's that is {topic: {docno: score}}; all of it where it is not as MTEB's are.
    members = _members(file, file.start, file.size)
    model = next((member for member in members if member[0] == OF_MODEL), None)
    if model is None or not _is_json(file.token(model[1], model[2])):
        return file
    inner: Members = []
    for subset, begin, end in members:
        if subset != OF_MODEL:
            splits = _members(file, begin, end)
            if not splits and file.token(begin, end).split() not in ([b"{}"], [b"{", b"}"]):
                return file
            inner += [(subset + b"/" + split, first, last) for split, first, last in splits]
    if not inner or file.token(inner[0][1], inner[0][1] + 1) != b"{":
        file = file._replace(buffer=file.buffer.copy())
        _blank(file, model)
        return file
    if len(inner) > 1:
        names = ", ".join(text(each[0]) for each in inner)
        raise FormatError.whole_file(path, f"several splits, where a run is one: {names}")
    return file._replace(start=inner[0][1], size=inner[0][2])


def _members(file: TextFile, begin: int, end: int) -> Members:
    # None of what is not an object, with nothing behind it.
    if begin == end:
        return []
    found, is_object = object_members(file.buffer, begin, end)
    members = [(file.token(name, name_end), value, last) for name, name_end, value, last in found.tolist()]
    closing = members[-1][2] if members else begin
    is_whole = (
        is_object
        and file.token(closing, end).strip(SPACE) == b"}"
        and all(_is_json(b'"%b"' % each[0]) for each in members)
    )
    return members if is_whole else []


def _is_json(found: bytes) -> bool:
    try:
        json.loads(text(found))
    except (ValueError, RecursionError):
        return False
    return True


def _blank(file: TextFile, member: tuple[bytes, int, int]) -> None:
    # Write blanks over a member and a comma beside it; line ends stay.
    name, value, end = member
    begin = value - len(name)
    while file.token(begin, begin + len(name) + 2) != b'"' + name + b'"':
        begin -= 1
    if file.token(end, end + 1) == b",":
        end += 1
    else:
        before = begin
        while file.token(before - 1, before) in (b" ", b"\t", b"\r", b"\n"):
            before -= 1
        begin = before - 1 if file.token(before - 1, before) == b"," else begin
    part = file.buffer[begin:end]
    part[part != NEWLINE] = BLANK
