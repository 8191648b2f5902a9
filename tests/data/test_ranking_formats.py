"""One collection in every format that people keep runs and judgments in: the answer is the same to the byte."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import naive
import pytest
from command_lines import printed
from helpers import TESTDATA

RUNS = ("bm25", "bm25+rm3")
Table = dict[str, dict[str, float]]


def qrels() -> Table:
    found: Table = {}
    for topic, _, docno, grade in naive.lines_of(str(TESTDATA / "qrels.txt")):
        found.setdefault(topic.decode(), {})[docno.decode()] = int(grade)
    return found


def run(name: str) -> Table:
    found: Table = {}
    for topic, _, docno, _, score, _ in naive.lines_of(str(TESTDATA / "runs" / f"{name}.run")):
        found.setdefault(topic.decode(), {})[docno.decode()] = float(score)
    return found


def rows(table: Table) -> list[tuple[str, str, float, int]]:
    """Topic, docno, number, and rank as trec_eval orders documents."""
    return [
        (topic, docno, number, rank)
        for topic, documents in table.items()
        for rank, (number, docno) in enumerate(sorted(((n, d) for d, n in documents.items()), reverse=True), 1)
    ]


def columns(table: Table, names: str, separator: str, quoting: int = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    """A table with a header; a name in capitals is a column of something else."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerow(names.lower().split())
    for topic, docno, number, rank in rows(table):
        cells = {"topic": topic, "docno": docno, "number": number, "rank": rank, "QUERY": "what is,\tit?", "Q0": "Q0"}
        known = {"qid": "topic", "doc_id": "docno", "corpus-id": "docno", "query_id": "topic", "query-id": "topic"}
        known |= {"docid": "docno", "q_id": "topic", "score": "number", "relevance": "number", "label": "number"}
        writer.writerow([cells[known.get(name, name)] for name in names.split()])
    return text.getvalue()


def mteb(table: Table) -> str:
    return json.dumps({"mteb_model_meta": {"model_name": "a/b", "revision": None}, "default": {"test": table}})


QRELS: dict[str, Callable[[Table], str]] = {
    "BEIR": lambda table: columns(table, "query-id corpus-id score", "\t"),
    "BEIR with CR LF": lambda table: columns(table, "query-id corpus-id score", "\t", end="\r\n"),
    "json": lambda table: json.dumps(table),
    "json in lines": lambda table: json.dumps(table, indent=1),
    "csv": lambda table: columns(table, "query_id doc_id relevance Q0", ","),
    "semicolons": lambda table: columns(table, "QUERY qid docno label", ";"),
}
RUN: dict[str, Callable[[Table], str]] = {
    "MS MARCO": lambda table: "".join(f"{topic}\t{docno}\t{rank}\n" for topic, docno, _, rank in rows(table)),
    "from 0, with blanks": lambda table: "".join(f"{topic} {docno}  {rank - 1}\n" for topic, docno, _, rank in rows(table)),
    "json": lambda table: json.dumps(table),
    "json in lines": lambda table: "\n" + json.dumps(table, indent=2),
    "json with a model": lambda table: json.dumps({"mteb_model_meta": {"model_name": "a"}} | table),
    "MTEB": mteb,
    "ir_measures": lambda table: columns(table, "query_id doc_id score", "\t"),
    "PyTerrier": lambda table: columns(table, "qid QUERY docno rank score", ","),
    "ranks": lambda table: columns(table, "rank q_id docid", ","),
    "quoted": lambda table: "# a comment\n\ufeff"[:12] + columns(table, "qid docno score", ",", csv.QUOTE_ALL, "\r\n"),
    "quoted, with tabs": lambda table: columns(table, "qid docno score", "\t", csv.QUOTE_ALL),
    "semicolons": lambda table: columns(table, "score corpus-id query-id", ";"),
}  # fmt: skip


def answer(judged: Path, *runs: Path) -> str:
    return printed("ap-ci", "-B", "10", "-q", "--quiet", "-m", "map", "-m", "nDCG@10", str(judged), *map(str, runs))


@pytest.fixture(scope="module")
def expected() -> str:
    return answer(TESTDATA / "qrels.txt", *(TESTDATA / "runs" / f"{name}.run" for name in RUNS))


@pytest.mark.parametrize("form", QRELS)
def test_judgments_in_every_format(form: str, tmp_path: Path, expected: str) -> None:
    (tmp_path / "judged").write_bytes(gzip.compress(QRELS[form](qrels()).encode()))
    assert answer(tmp_path / "judged", *(TESTDATA / "runs" / f"{name}.run" for name in RUNS)) == expected


@pytest.mark.parametrize("form", RUN)
def test_runs_in_every_format(form: str, tmp_path: Path, expected: str) -> None:
    paths = [tmp_path / f"{name}.csv" for name in RUNS]
    for path in paths:
        path.write_text(RUN[form](run(path.stem)), newline="")
    assert answer(TESTDATA / "qrels.txt", *paths) == expected
