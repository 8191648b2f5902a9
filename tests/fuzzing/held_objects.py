"""Judgments and runs that are objects in memory: a plain account of what may stand in them, and the check that irci takes the
same."""

import itertools
import math
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import polars as pl

from fuzzing.plain_text import DECIMAL, INTEGER, Refused, agree, refuse_unless
from fuzzing.rankings import bits, read_qrels, read_run
from irci.api.objects import documents_of
from irci.base import raw, text
from irci.data.in_memory import qrels_of, run_of

BLANKS = set(" \t\v\f\r\n\0")
NOT_NUMBERS = {"None": None, "True": True, "nan": math.nan, "-inf": -math.inf, "1j": 1j}


class Row(NamedTuple):
    """A document, under the names that ir_measures has."""

    query_id: Any
    doc_id: Any
    score: Any

    @property
    def relevance(self) -> Any:
        return self.score


def _named(token: str) -> Any:
    # Digits as the whole number that they stand for.
    return int(token) if INTEGER.fullmatch(token) and len(token) < 4000 and str(int(token)) == token else token


def _number(token: str) -> Any:
    if INTEGER.fullmatch(token) and len(token) < 4000:
        return int(token)
    return float(token) if DECIMAL.fullmatch(token) else NOT_NUMBERS.get(token, token)


def rows_of(data: bytes) -> list[Row]:
    """The documents that the lines of a file stand for: topic, docno and number, with tabs between them."""
    lines = (line.split("\t") for line in text(data).split("\n") if line)
    padded = ([*fields, "", "", ""][:3] for fields in lines)
    return [Row(_named(topic), _named(docno), _number(number)) for topic, docno, number in padded]


def held(rows: Sequence[Row], data: bytes, kind: str) -> Any:
    """They as a mapping, tuples or a data frame, whichever the data say; tuples where a library refuses them itself."""
    which = zlib.crc32(data) % 4
    if which == 0:
        return {
            topic: {row.doc_id: row.score for row in of} for topic, of in itertools.groupby(rows, lambda row: row[0])
        }
    if which == 1:
        return rows
    name = "score" if kind == "run" else "relevance"
    columns = dict(zip(("query_id", "doc_id", name), map(list, zip(*rows, strict=True)), strict=True))
    try:
        return (pd if which == 2 else pl).DataFrame(columns)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return rows


def plain(rows: Sequence[Row], kind: str, by_double: bool) -> dict[bytes, dict[bytes, Any]]:
    """Topic -> docno -> what irci should have, where it should not refuse. `by_double`: whole numbers became doubles."""
    table: dict[bytes, dict[bytes, Any]] = {}
    for topic, docno, number in rows:
        of_topic = table.setdefault(raw(str(topic)), {})
        refuse_unless(all(str(name) and not set(str(name)) & BLANKS for name in (topic, docno)))
        refuse_unless(raw(str(docno)) not in of_topic)
        refuse_unless(isinstance(number, int | float) and not isinstance(number, bool))
        try:
            value = float(number)
        except OverflowError:
            raise Refused from None
        refuse_unless(math.isfinite(value))
        is_exact = isinstance(number, int) and not by_double and abs(number) < 10**18
        refuse_unless(kind == "run" or is_exact or (abs(value) < 2**53 and value == math.floor(value)))
        of_topic[raw(str(docno))] = bits(value) if kind == "run" else int(number)
    refuse_unless(table)
    return table


def check_held(data: bytes, kind: str) -> bool:
    """Held documents: accepted if names are such as files may hold, no document twice, numbers finite, and then read so."""
    rows = rows_of(data)
    thing = held(rows, data, kind) if rows else rows
    if isinstance(thing, dict):
        rows = [Row(topic, docno, number) for topic, of in thing.items() for docno, number in of.items()]
    by_double = hasattr(thing, "columns") and any(isinstance(row.score, float) for row in rows)

    def ours() -> dict[bytes, dict[bytes, Any]]:
        documents = documents_of("held", thing, kind)
        if kind == "qrels":
            return read_qrels(qrels_of("held", documents))
        return {topic: dict(of) for topic, of in read_run(run_of("held", documents, "docno"))["scores"].items()}

    return agree(lambda: plain(rows, kind, by_double), ours, path="held")
