"""One collection in every format that people keep runs and judgments in: the answer is the same to the byte."""

import csv
import gzip
import hashlib
import io
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive
import pytest
from command_lines import irci as typed
from command_lines import printed
from fuzzing import foreign, rankings
from fuzzing.findings import given
from helpers import TESTDATA, all_written, refusal, written

import irci
from irci.api.objects import content_of
from irci.data import keeping, receipts
from irci.data.collection import judge
from irci.data.inputs import read_qrels, read_run
from irci.data.rankings import judgments_digest

RUNS = ("bm25", "bm25+rm3")
Table = dict[str, dict[str, float]]


@pytest.fixture(autouse=True)
def standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `given` puts there is gone after the test: children of other tests close theirs."""
    monkeypatch.setattr("sys.stdin", None)


def table_of(path: Path, place: int) -> Table:
    """The numbers in this column of qrels or a run in TREC's format."""
    found: Table = {}
    for fields in naive.lines_of(str(path)):
        number = float(fields[place]) if place == 4 else int(fields[place])
        found.setdefault(fields[0].decode(), {})[fields[2].decode()] = number
    return found


def run(name: str) -> Table:
    return table_of(TESTDATA / "runs" / f"{name}.run", 4)


def rows(table: Table) -> list[tuple[str, str, float, int]]:
    """Topic, docno, number, and rank as trec_eval orders documents."""
    ranked = {topic: enumerate(sorted(((n, d) for d, n in of.items()), reverse=True), 1) for topic, of in table.items()}
    return [(topic, docno, number, rank) for topic, of in ranked.items() for rank, (number, docno) in of]


def columns(table: Table, names: str, separator: str, quoting: int = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    """A table with a header; a name in capitals is a column of something else."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerow(names.lower().split())
    for topic, docno, number, rank in rows(table):
        cells = dict.fromkeys(("qid", "q_id", "query_id", "query-id"), topic) | {"QUERY": "what is,\tit?", "Q0": "Q0"}
        cells |= dict.fromkeys(("docno", "docid", "doc_id", "corpus-id"), docno) | {"rank": rank}
        cells |= dict.fromkeys(("score", "relevance", "label"), number)
        writer.writerow([cells[name] for name in names.split()])
    return text.getvalue()


def mteb(table: Table) -> str:
    return json.dumps({"mteb_model_meta": {"model_name": "a/b", "revision": None}, "default": {"test": table}})


QRELS: dict[str, Callable[[Table], str]] = {
    "BEIR": lambda table: columns(table, "query-id corpus-id score", "\t"),
    "BEIR with CR LF": lambda table: columns(table, "query-id corpus-id score", "\t", end="\r\n"),
    "json": lambda table: json.dumps(table),
    "json in lines": lambda table: "# a comment\n" + json.dumps(table, indent=1),
    "csv": lambda table: columns(table, "query_id doc_id relevance Q0 Q0", ",").replace("q0,q0", ",", 1),
    "semicolons": lambda table: columns(table, "QUERY qid docno label", ";"),
}
RUN: dict[str, Callable[[Table], str]] = {
    "MS MARCO": lambda table: "".join(f"{topic}\t{docno}\t{rank}\n" for topic, docno, _, rank in rows(table)),
    "from 0, with blanks": lambda table: "".join(f"{topic} {docno}  {rank - 1}.0\n" for topic, docno, _, rank in rows(table)),
    "json": lambda table: json.dumps(table),
    "json in lines": lambda table: "\n # a comment\n#\n" + json.dumps(table, indent=2),
    "json with a model": lambda table: json.dumps({"mteb_model_meta": {"model_name": "a"}} | table),
    "MTEB": mteb,
    "ir_measures": lambda table: columns(table, "query_id doc_id score", "\t"),
    "PyTerrier": lambda table: columns(table, "qid QUERY docno rank score Q0 Q0", ",").replace("q0,q0", ",", 1),
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
    """Also by the digest of judgments."""
    text = QRELS[form](table_of(TESTDATA / "qrels.txt", 3))
    judged = Path(written(tmp_path / "judged", gzip.compress(text.encode())))
    assert answer(judged, *(TESTDATA / "runs" / f"{name}.run" for name in RUNS)) == expected
    assert judgments_digest(read_qrels(str(judged))) == judgments_digest(read_qrels(str(TESTDATA / "qrels.txt")))


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", RUN)
def test_runs_in_every_format(form: str, tmp_path: Path, expected: str) -> None:
    paths = [tmp_path / f"{name}.csv" for name in RUNS]
    for path in paths:
        path.write_text(RUN[form](run(path.stem)), newline="")
    assert answer(TESTDATA / "qrels.txt", *paths) == expected


def told_of(path: str, kind: str = "run", **options: Any) -> list[str]:
    """What is said of a file, without its path."""
    return refusal(lambda: (read_run if kind == "run" else read_qrels)(path, **options), path)


OF_RUN, OF_QRELS = "(topic Q0 docno rank score tag)", "(topic iteration docno grade)"
THREE, FOUR = f":1: 3 fields, expected 6 {OF_RUN}", f":1: 4 fields, expected 6 {OF_RUN}"
HASHED_RUN, HASHED_QRELS, HASHED_RANKS = (
    rankings.HASHED.format(fields) for fields in (OF_RUN[1:-1], OF_QRELS[1:-1], "qid pid rank")
)
HEADER, CSV = "qid\tdocno\tscore\n", "qid,docno,score\n"
NO_FIELD = "a name is empty, has a blank in it, or is in quotation marks"
NO_NAME = "cannot be a name in a file (it is empty, or contains a blank, a line end or a NUL)"
ARE_RANKS = "are these scores? A header says so: query_id, doc_id, score, with tabs between them"
COUNTED = f"where all topics have ranks 1, 2, ... or all 0, 1, ...; {ARE_RANKS}"
ONCE = "is not a whole number from 0 on, once a topic"
HALF = ":1: topic '1', document 'a': grade 0.5 is not an integer"
NO_DOCUMENTS = ":1: topic '{}': an object {{docno: number}} is expected"
SPLITS = ": several splits, where a run is one: {}"
WRONG_QRELS = [
    ("1\ta\t1\n", f":1: 3 fields, expected 4 {OF_QRELS}"),
    ("1 0 a 1\n#2 0 b 1\n3 0 a 1\n", f":2: {HASHED_QRELS}"),
    ("query-id\tcorpus-id\tscore\n1\ta\t2.5\n", ":2: grade 2.5 is not an integer"),
    ("1 0 a 1\n1 0 b 2.5\n", ":2: grade '2.5' is not an integer"),
    ("1 0 a 1\n1 0 a #\n", ":2: grade '#' is not an integer", ":2: document 'a' twice for topic '1', first on line 1"),
    ("qid,docno,relevance\n1,a,0.5\n", ":2: grade 0.5 is not an integer"),
    ('{"1": {"a": 0.5}}', HALF),
    ('{"1": {"a": 0.5, "b": 0.25, "c": 1}}', f"{HALF} (and 1 more)"),
]
WRONG_RUNS = [
    ("1\ta\t0.5\n", THREE),
    ("1,a,0.5\n", f":1: 1 field, expected 6 {OF_RUN}"),
    ("1 a 7\n1 b 3\n", f":1: rank 7 {COUNTED} (and 1 more line: 2)"),
    ("1 a 2\n1 b 1\n", f":1: rank 2 first, and the others fall from line to line; {ARE_RANKS}"),
    ("1 a 1\n1 b 1\n", f":2: rank 1 {COUNTED}"),
    ("1 a 1\n1 b 2.4\n", f":2: rank 2.4 {COUNTED}"),
    ("1 a 9.0\n1 b 8.5\n", f":1: rank 9 {COUNTED} (and 1 more line: 2)"),
    ("qid,docno,rank\n1,a,1.5\n", f":2: rank 1.5 {ONCE}"),
    ("qid,docno,rank\n1,a,9\n1,b,9\n", f":3: rank 9 {ONCE}"),
    ("1 a 1\n1 b 2\n2 a 0\n2 b 1\n", f":1: rank 1 {COUNTED} (and 1 more line: 2)"),
    ("1 b 0\n1 a 1\n2 c 1\n3 d 1\n3 c 0\n", f":3: rank 1 {COUNTED}"),
    ("1 a 1\n1 b\n", ":2: 2 fields, expected 3 (qid pid rank)"),
    ("1 a 1\n#2 made by me\n#2 a 1\n", f":3: {HASHED_RANKS}"),
    ("#2 Q0 a 1 1 x\n", f":1: {HASHED_RUN}"),
    ("1 Q0 a 1 1 x\n #2 Q0 a 1 1e400 x y\n #2 Q0 a 1 1e-400 x y\n", f":3: {HASHED_RUN}"),
    ("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n1 Q0 c 1 2 y\n1 Q0 a 2 1 y\n",
     ":4: document 'a' twice for topic '1', first on line 1; line 3 has another tag: are these several runs?"),
    # With a header.
    (HEADER + "1\ta\n1\tb\t2\n", ":2: 2 columns, expected 3 as in the header"),
    (HEADER + "1\ta\tx\n", ":2: score 'x' is not a finite number"),
    (HEADER + "1\ta\t\n", ":2: score '' is not a finite number"),
    (HEADER + "1\ta b\t2\n\t\t\n", f":2: topic '1', document 'a b': {NO_FIELD} (and 1 more line: 3)"),
    (HEADER + '1\t"a"\t2\n', f":2: topic '1', document '\"a\"': {NO_FIELD}"),
    (CSV.replace("\n", "\r\n") + '1,"a\r\nb,c",2\r\n"2\n",b,x',
     f":3: topic '1', document 'a  b,c': {NO_FIELD}", ":5: score 'x' is not a finite number"),
    (CSV.replace("\n", "\r\n") + '1,"a,b",2\r\n"2\n",b,x', ":4: score 'x' is not a finite number"),
    (CSV + '1,"a",2\n\n2,b\n', ":4: 2 columns, expected 3 as in the header"),
    (CSV + '1,"a\n', ":2: not csv: unexpected end of data"),
    (HEADER, ": empty file: no line of qid, docno, score"),
    (HEADER + "1\ta\t2\n1\ta\t1\n1\ta\t0\n",
     ":3: document 'a' twice for topic '1', first on line 2; --duplicates first keeps one (and 1 more line: 4)"),
    ("qid,docno\n1,a\n", ":1: header not understood: no score or rank; found qid, docno"),
    ("qid,docno,label\n1,a,1\n", ":1: header not understood: no score or rank; found qid, docno, label"),
    ("qid,qid,docno,score\n", ":1: two columns named qid"),
    ("query-id\tcorpus-id\tscore\n1\ta\t2\n", ": BEIR's header of qrels, and whole numbers below it"),
    ("qid docno score\n1 a 2.5\n", f"{THREE} (and 1 more line: 2)"),
    # JSON.
    ('{"1": {"a": 1,\n"b": "2"}}', ":2: topic '1', document 'b': score '2' is not a finite number"),
    ('{"1": {"a": 1}\n,}', ":2: not JSON: Expecting property name enclosed in double quotes"),
    ('{"1": {"a": NaN}}', ":1: topic '1', document 'a': score nan is not a finite number"),
    ('{"1": {"a": 1}', ":2: not JSON: Expecting ',' delimiter"),
    ('{"1": {"a": 1e999}}', ":1: topic '1', document 'a': score inf is not a finite number"),
    ('{"1": {"a b": 1}}', f":1: document 'a b' {NO_NAME}"),
    ('{"1": {"\\u0020": 1}}', f":1: document ' ' {NO_NAME}"),
    ('{"1": {"\\ud800": 1}}', f":1: document '\\ud800' {NO_NAME}"),
    ('{"1": {"a": 1},\n"\\u0031": {"b": 1}}', ":2: topic '1' twice"),
    ('{"1": {},\n"1": {"b": 1}}', ":2: topic '1' twice"),
    ('{"1": {"a": 1},\n"\\ud800": {}}', f":2: topic '\\ud800' {NO_NAME}"),
    ('[{"a": 1}]', ":1: an object {topic: {docno: number}} is expected"),
    ('{"1": {}}', ": empty file: no document in {topic: {docno: number}}"),
    ('{"qid": "1", "docno": "a", "score": 0.5}', NO_DOCUMENTS.format("qid")),
    ('{"mteb_model_meta": {}, "en": {"dev": {}, "test": {}}}', SPLITS.format("en/dev, en/test")),
    ('{"mteb_model_meta": {}, "en": {"test": {"1": {"a": 1}}}, "de": 1}', SPLITS.format("en/test")),
    # Other files.
    ('{"query_id": "1", "measure": "AP", "value": 0.5}', NO_DOCUMENTS.format("query_id")),
    ("map                   \t1\t0.5\nmap                   \t2\t0.5\n", f"{THREE} (and 1 more line: 2)"),
    ("run\ttopic\tmeasure\tsplit\tpart\tvalue\na\t1\tmap\t0\t0\t.5\n", ":1: score 'part' is not a finite number"),
    ("# of a\nname,qid,measure,value\na,1,map,.5\n", f":2: 1 field, expected 6 {OF_RUN} (and 1 more line: 3)"),
    ("map    \t1\t0.5\tnan\tnan\ta\n", ":1: score 'nan' is not a finite number"),
    ("1 0 a 1\n1 0 b 0\n", f"{FOUR} (and 1 more line: 2)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "reasons"),
    [(kind, text, of) for kind, table in (("run", WRONG_RUNS), ("qrels", WRONG_QRELS)) for text, *of in table],
)
def test_what_is_said_of_wrong_files(kind: str, text: str, reasons: list[str], tmp_path: Path) -> None:
    assert told_of(written(tmp_path / "given", text), kind) == reasons


CELLS = [
    "a", '"a"', '""', '"a""b"', '"""a"', '"a,b"', '"a;b"', "a;b", '"', 'a"', 'a""b', '"a"b', ' "a"', '"a" ', '"a b"', '"a\n"',
    '"a\r"', "a\r", '"a', "x" * 70, f'"{"x" * 58}"', "",
]  # fmt: skip


@pytest.mark.parametrize("topic", ["1", '"1"', '"1,1"', '"1""1"'])
def test_cells_in_quotation_marks_as_csv_has_them(topic: str) -> None:
    """Lines that are read whole, and others, beside the standard library's csv."""
    accepted = 0
    for docno, number, end in itertools.product(CELLS, ("2", '"2"'), ("\n", "\r\n")):
        lines = [f"{topic},{docno},{number}", "1,c,1", f"{topic},d,0", ""]
        accepted += foreign.check_any(f'"qid","docno","score"{end}{end.join(lines)}'.encode(), "run")
    assert accepted >= 30


@pytest.mark.parametrize("between", [" ", "   ", " \t"])
def test_quotation_marks_are_part_of_names_between_blanks(between: str) -> None:
    found = read_run(given(between.join(['"1"', '"a"', "1\n"]).encode()))
    assert (found.topics, list(found.docnos.texts())) == ([b'"1"'], [b'"a"'])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("1 Q0 a 1 2 x\n".encode("utf-16"), ":1: binary data (a NUL byte), not text"),
        (
            gzip.compress(gzip.compress(b"1 Q0 a 1 2 x\n" * 99, mtime=0), mtime=0),
            ":1: binary data (a NUL byte), not text",
        ),
        (b"PAR1 and nothing else\4\0\0\0PAR1", ": parquet that cannot be read: "),
    ],
)
def test_what_is_said_of_files_that_are_no_text(data: bytes, reason: str, tmp_path: Path) -> None:
    (told,) = told_of(written(tmp_path / "given", data))
    assert told.startswith(reason)


@pytest.mark.parametrize("form", ["1 0 a {}\n", "qid,docno,relevance\n1,a,{}\n", '# a comment\n{{"1": {{"a": {}}}}}'])
@pytest.mark.parametrize("grade", [2**53 - 1, 1 - 2**53, 2**53, 10**18])
def test_grades_beyond_what_doubles_hold(form: str, grade: int) -> None:
    """Refused, in every format and in memory."""
    for read in (
        lambda: read_qrels(given(form.format(grade).encode())),
        lambda: read_qrels("held", content_of("held", {"1": {"a": grade}}, "qrels")),
    ):
        if abs(grade) < 2**53:
            assert read().grade.tolist() == [grade]
        else:
            assert "is not an integer" in refusal(read)[0]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_parquet(library: str, tmp_path: Path, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By each library alone, without pandas."""
    frames = pytest.importorskip(library)
    if library == "pyarrow":
        frames.parquet = pytest.importorskip("pyarrow.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in RUNS]
    for path in paths:
        columns = dict(zip(("qid", "docno", "score", "rank"), zip(*rows(run(path.stem)), strict=True), strict=True))
        if library == "polars":
            frames.DataFrame(columns).write_parquet(path)
        else:
            frames.parquet.write_table(frames.table({name: [*cells] for name, cells in columns.items()}), path)
    without(monkeypatch, *{"polars", "pyarrow", "pandas"} - {library})
    assert answer(TESTDATA / "qrels.txt", *paths) == expected


def without(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    """As if these were not installed."""

    class Missing:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name in libraries:
                raise ModuleNotFoundError(name)

    for name in libraries:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])


def test_parquet_without_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "polars", "pyarrow")
    path = written(tmp_path / "given", b"PAR1 anything\4\0\0\0PAR1")
    assert told_of(path) == [": parquet, which polars or pyarrow reads: pip install polars"]


TWICE = {
    "TREC": "1 Q0 a 1 5 x\n1 Q0 b 2 4 x\n1 Q0 a 3 3 x\n2 Q0 a 1 1 x\n1 Q0 b 0 4 x\n1 Q0 c 9 9 x\n1 Q0 a 9 7 x\n",
    "csv": "qid,docno,rank,score\n1,a,1,5\n1,b,2,4\n1,a,3,3\n2,a,1,1\n1,b,0,4\n1,c,9,9\n1,a,9,7\n",
    "json": '{"1": {"a": 5, "b": 4, "\\u0061": 3, "b": 4, "c": 9, "a": 7}, "2": {"a": 1}}',
}


@pytest.mark.parametrize("form", TWICE)
def test_the_better_of_a_documents_ranks_is_kept(form: str, tmp_path: Path) -> None:
    """Of a, at 5, 3 and 7, that at 7; of b, twice at 4, the first by --ties."""
    run, qrels = all_written(tmp_path, {"run": TWICE[form], "qrels": "1 0 b 1\n1 0 a 1\n1 0 c 1\n2 0 a 1\n"})
    found = read_run(run, duplicates="first")
    judged = judge(read_qrels(qrels), found)
    docnos = list(found.docnos.texts())
    assert (found.duplicates, judged.retrieved.tolist()) == (3, [3, 1])
    kept = [(docnos[line], found.score[line]) for line in judged.lines.tolist()]
    assert kept == [(b"c", 9), (b"a", 7), (b"b", 4), (b"a", 1)]
    if form != "json":
        by_rank = read_run(run, ties="rank", duplicates="first")
        assert by_rank.precedence[[line for line in by_rank.lines.tolist() if docnos[line] == b"b"]].tolist() == [0]


def test_duplicates_are_warned_of_and_named_in_the_signature(tmp_path: Path) -> None:
    run_file, command = TESTDATA / "runs" / "bm25.run", ["ap-ci", "-B", "0"]
    lines = run_file.read_text().splitlines()
    worse = [" ".join([*fields[:4], "-1", fields[5]]) for fields in map(str.split, lines[10:14])]
    again = written(tmp_path / "run", "\n".join([*worse, *lines, *worse[:1]]) + "\n")
    told_twice = typed(*command, "--duplicates", "first", TESTDATA / "qrels.txt", again)
    files = [TESTDATA / "qrels.txt", run_file]
    assert told_twice.stdout == printed(*command, *files)
    assert "5 documents twice in a topic: the better rank kept" in told_twice.stderr
    assert '"duplicates": "first"' in printed(*command, "--format", "json", "--duplicates", "first", *files)
    assert "duplicates" not in printed(*command, "--format", "json", *files)


def test_a_frame_with_a_document_twice(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]})
    judgments = {"1": {"a": 1, "b": 0}}
    with pytest.raises(irci.FormatError, match="document 'a' twice for topic '1'; --duplicates"):
        irci.score(judgments, frame, measures="P@1")
    found = irci.score(judgments, frame, measures="P@1", duplicates="first")
    assert found.table("estimate").rows[0]["value"] == 1.0


def test_ties_by_the_ranks_of_a_table(tmp_path: Path) -> None:
    head, path = 'docno,qid,score,rank\n"a""b",1,2,7\nb,1,2,1\n', tmp_path / "run"
    for above, line in ((head, 4), ("docno,qid,score,rank\na,1,2,7\n", 3)):
        told = told_of(written(path, above + "c,1,2,x\n"), ties="rank")
        assert told == [f":{line}: rank 'x' is not an integer (--ties rank)"]
    found = read_run(written(path, head), ties="rank")
    assert (found.precedence.tolist(), list(found.docnos.texts())) == ([7, 1], [b'a"b', b"b"])


@pytest.mark.parametrize(
    "data",
    [b'{"1": {"\\u00e9": 1, "a": 2}}', b'{"mteb_model_meta": {}, "1": {"a": 2}}', b'qid,docno,score\n1,"a""b",2\n'],
)
def test_receipts_are_of_what_the_file_holds(data: bytes, tmp_path: Path) -> None:
    """Whatever is decoded or left out as it is read: also of files that are hashed beside, which small ones are not."""
    data += b"\n" * (1 << 17)
    path = written(tmp_path / "run", data)
    with keeping():
        read_run(path)
        kept = receipts.get()
        assert kept is not None
        assert kept.signature() == {f"sha256:{path}": hashlib.sha256(data).hexdigest()}
