"""Runs and qrels in formats other than TREC's: plain readers of them, by the modules csv and json, and checks that irci reads
the same, and TREC files as ever."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest import mock

from fuzzing.findings import given
from fuzzing.plain_text import Refused, agree, content, is_finite, number_in, plain_text, refuse_unless
from fuzzing.rankings import bits, plain_qrels, plain_run, read_qrels, read_run
from irci.base import BLANKS, FormatError, raw, text
from irci.data import headers, text_files
from irci.data.inputs import read_qrels as ours_of_qrels
from irci.data.inputs import read_run as ours_of_run

Records = list[tuple[bytes, bytes, float]]  # topic, docno, number
Table = list[tuple[bytes, Any]]  # topic, and its documents
META = "mteb_model_meta"


class Unsure(Exception):
    """A file that the plain reader cannot tell enough of."""


def refuse_if(condition: object) -> None:
    refuse_unless(not condition)


def first_record(data: bytes, kind: str) -> tuple[int, bytes]:
    """The number and the text of the first line that is no comment to TREC's reader."""
    widths, place = (range(6, 10**6), 4) if kind == "run" else ([4], 3)
    trec = content(data, widths, place, is_finite)
    number = next((number for number, _ in trec), 0)
    return number, plain_text(data).split(b"\n")[number - 1] if number else b""


def is_trec(line: bytes, kind: str) -> bool:
    fields = line.split()
    if kind == "run":
        return len(fields) >= 6 and is_finite(fields[4])
    return len(fields) == 4 and is_finite(fields[3])


def split_header(line: str) -> tuple[list[str], str, bool]:
    separator = "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","
    quoted = separator != "\t" or line.strip(BLANKS).startswith('"')
    line = line.removesuffix("\r")
    try:
        cells = next(csv.reader([line], delimiter=separator, strict=True), []) if quoted else line.split(separator)
    except csv.Error:
        cells = []
    return [cell.strip(BLANKS).lower() for cell in cells], separator, quoted


def known(names: list[str], wanted: tuple[str, ...]) -> int:
    name = next((name for name in wanted if name in names), None)
    refuse_if(name is None or names.count(name) > 1)
    return names.index(str(name))


def cells_of(body: str, separator: str, quoted: bool) -> Iterator[list[str]]:
    if not quoted:
        yield from ([cell.strip(BLANKS) for cell in line.split(separator)] for line in body.split("\n"))
        return
    if re.search("\r(?!\n)", body):
        raise Unsure  # the module takes it for a line end, or not, by what is before it
    try:
        for row in csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True):
            yield [cell.strip(BLANKS) for cell in row]
    except csv.Error:
        raise Refused from None


def is_name(name: str) -> bool:
    return as_bytes(name).split() == [as_bytes(name)] and "\0" not in name


def plain_columns(data: bytes, kind: str) -> tuple[Records, bytes, bool]:
    """Records, the first tag, and whether numbers are ranks."""
    lines = text(plain_text(data)).split("\n")
    number = first_record(data, kind)[0]
    names, separator, quoted = split_header(lines[number - 1])
    grades = headers.GRADE if set(headers.GRADE) & set(names) or len(names) != 3 else headers.SCORE
    score = headers.SCORE if set(headers.SCORE) & set(names) else headers.RANK
    topic, docno = known(names, headers.TOPIC), known(names, headers.DOCNO)
    value = known(names, score if kind == "run" else grades)
    tag = known(names, headers.RUN) if kind == "run" and set(headers.RUN) & set(names) else None
    records, tags = [], []
    for row in cells_of("\n".join(lines[number:]), separator, quoted):
        if row in ([], [""]):
            continue
        refuse_if(len(row) != len(names))
        for name in (row[topic], row[docno]):
            in_marks = name.startswith('"') and name.endswith('"') and len(name) > 1
            refuse_if(not is_name(name) or (not quoted and in_marks))
            if quoted and name.startswith('"'):
                raise Unsure  # doubled in a quoted cell, or behind a blank that csv does not know
        records.append((raw(row[topic]), raw(row[docno]), number_in(row[value])))
        tags.append(b"" if tag is None else raw(row[tag]))
    refuse_if(not records)
    whole = [abs(number) < 2**53 and number == math.floor(number) for *_, number in records if not math.isnan(number)]
    refuse_if(names == ["query-id", "corpus-id", "score"] and kind == "run" and all(whole))
    return records, tags[0], kind == "run" and score == headers.RANK


def plain_ranks(data: bytes) -> tuple[Records, bytes, bool]:
    """The same of MS MARCO's runs, whose ranks are 1, 2, ... or 0, 1, ..."""
    records = []
    for _, fields in content(data, [3], 2, is_finite):
        refuse_if(len(fields) != 3 or fields[0].startswith(b"#"))
        records.append((fields[0], fields[1], number_in(fields[2].decode("latin-1"))))
    topics: dict[bytes, list[float]] = {}
    for topic, _, rank in records:
        topics.setdefault(topic, []).append(rank)
    least = min((rank for ranks in topics.values() for rank in ranks), default=0)
    for ranks in topics.values():
        refuse_if(least not in (0, 1) or sorted(ranks) != [least + place for place in range(len(ranks))])
    longer = [ranks for ranks in topics.values() if len(ranks) > 1]
    refuse_if(longer and all(ranks == sorted(ranks, reverse=True) for ranks in longer))
    return records, b"", True


def plain_json(data: bytes, kind: str) -> tuple[Records, bytes, bool]:
    """The same of JSON."""
    source = b"\n".join(plain_text(data).split(b"\n")[first_record(data, kind)[0] - 1 :])
    try:
        found = json.loads(text(source), object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        raise Refused from None
    refuse_if(not isinstance(found, tuple))
    metas = [value for name, value in found if name == META]
    if metas:
        if len(metas) > 1 or b"\\" in source:
            raise Unsure
        found = tuple(pair for pair in found if pair[0] != META)
        nested = [pair for _, value in found for pair in (value if is_object(value) else [])]
        if nested and is_object(nested[0][1]):
            refuse_if(not all(is_object(value) for _, value in found) or len(nested) != 1)
            found = nested[0][1]
    records: Records = []
    topics = set()
    for topic, documents in found:
        refuse_if(not is_object(documents))
        refuse_if(not is_name(topic) or topic in topics)
        topics.add(topic)
        for docno, value in documents:
            refuse_if(not is_name(docno) or isinstance(value, bool | str | list | tuple | None))
            records.append((as_bytes(topic), as_bytes(docno), as_number(value)))
    return records, b"", False


def is_object(value: Any) -> bool:
    """Pairs in a tuple, not a list of anything."""
    return isinstance(value, tuple)


def as_bytes(name: str) -> bytes:
    try:
        return raw(name)
    except UnicodeEncodeError:
        raise Refused from None


def as_number(value: float) -> float:
    """A number as a double."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def plain_of(data: bytes, kind: str) -> tuple[Records, bytes, bool] | None:
    """What the plain readers make of a file; None for TREC's, or for what looks like nothing."""
    line = first_record(data, kind)[1]
    if is_trec(line, kind):
        return None
    if line.lstrip().startswith((b"{", b"[")):
        return plain_json(data, kind)
    names = split_header(text(line))[0]
    if len(names) > 1 and set(headers.DOCNO) & set(names):
        return plain_columns(data, kind)
    if kind == "run" and len(line.split()) == 3 and number_in(line.split()[2].decode("latin-1")).is_integer():
        return plain_ranks(data)
    return None


def is_of_trec(data: bytes, kind: str) -> bool:
    try:
        return plain_of(data, kind) is None
    except Refused:
        return False


def plain_table(data: bytes, kind: str) -> Table:
    """By topic, documents with their scores in order, or their grades."""
    found = plain_of(data, kind)
    if found is None:
        return [*(plain_run(data)["scores"] if kind == "run" else plain_qrels(data)).items()]
    records, _, by_rank = found
    refuse_if(not records or len({record[:2] for record in records}) < len(records))
    topics: dict[bytes, list[tuple[bytes, float]]] = {}
    for topic, docno, number in records:
        is_fit = abs(number) < 2**53 and number == math.floor(number) if kind == "qrels" else math.isfinite(number)
        refuse_if(not is_fit)
        topics.setdefault(topic, []).append((docno, number))
    if kind == "qrels":
        return [(topic, {docno: int(grade) for docno, grade in pairs}) for topic, pairs in sorted(topics.items())]
    for pairs in topics.values() if by_rank else ():
        ranks = {rank for _, rank in pairs}
        refuse_if(any(not 0 <= rank < 2**53 or rank != math.floor(rank) for rank in ranks) or len(ranks) < len(pairs))
    sign = -1 if by_rank else 1
    return [(topic, [(docno, bits(float(sign * score))) for docno, score in pairs]) for topic, pairs in topics.items()]


def check_any(data: bytes, kind: str) -> bool:
    """A file of any format, and TREC files: the very documents and numbers, whatever the number of threads."""
    try:
        of_trec = is_of_trec(data, kind)
    except Unsure:
        try:
            ours(data, kind)
        except FormatError:
            return False
        return True
    plain = partial(plain_table, data, kind)
    with mock.patch.object(text_files, "SHARE", 12):
        accepted = [agree(plain, partial(ours, data, kind, threads), exactly=of_trec) for threads in (1, 3)]
    return accepted[0]


def ours(data: bytes, kind: str, threads: int = 1) -> Table:
    """The same of irci's reading."""
    if kind == "qrels":
        return [*read_qrels(ours_of_qrels(given(data))).items()]
    return [*read_run(ours_of_run(given(data), threads))["scores"].items()]
