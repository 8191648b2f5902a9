"""trec_eval's own lines, and the first three columns of `irci ap-ci -q -m all_trec`, byte for byte.

Left out are runid, relstring, and rbp_resid, which is a different number if all retrieved documents are judged.
"""

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import first_columns as checks
from commands import SHARED, TESTDATA, rows
from page import Section, Table
from trec_eval_output import CASES, FOLDER

OWN_TESTS = [
    ("out.test.aq", (), "qrels.test", "results.test"),
    ("out.test.aqc", (), "qrels.test", "results.trunc"),
    ("out.test.aqcM", ("-M", "100"), "qrels.test", "results.trunc"),
    ("out.test.aql", ("-l", "2"), "qrels.rel_level", "results.test"),
]
LEADERBOARD = {"map": "map", "ndcg_cut_10": "ndcg@10", "P_5": "P@5", "bpref": "bpref"}


def _compared(ours: list[bytes], theirs: list[bytes]) -> list[object]:
    """Lines compared, and those that one has and the other has not."""
    return [
        len(theirs),
        len(set(theirs) ^ set(ours)) + abs(len(theirs) - len(set(theirs)) - len(ours) + len(set(ours))),
    ]


def comparisons() -> Iterator[list[object]]:
    """Each source of trec_eval's output."""
    ours, theirs = [], []
    for name, (options, qrels, run) in CASES.items():
        here = checks.first_columns([], *options, TESTDATA / qrels, TESTDATA / run)
        there = (FOLDER / f"{name}.txt").read_bytes().splitlines()
        ours += [name.encode() + line for line in checks.without_residuals(here)]
        theirs += [name.encode() + line for line in checks.without_residuals(there)]
    yield ["testdata/, output of trec_eval 10 committed there", len(CASES), *_compared(ours, theirs)]
    if (SHARED / "trec_eval_test").is_dir():
        yield [
            "trec_eval's own test files, with -q",
            len(OWN_TESTS),
            *_compared(*_own_tests(SHARED / "trec_eval_test")),
        ]
    if (SHARED / "trec8-adhoc").is_dir():
        yield ["TREC-8 ad hoc, all measures, output made at NIST", 41, *_compared(*_trec8(SHARED / "trec8-adhoc"))]


def _own_tests(folder: Path) -> tuple[list[bytes], list[bytes]]:
    ours, theirs = [], []
    for output, options, qrels, results in OWN_TESTS:
        here = checks.first_columns(["all_trec"], *options, folder / qrels, folder / results)
        there = (folder / output).read_bytes().splitlines()
        ours += [output.encode() + line for line in checks.without_residuals(here)]
        theirs += [output.encode() + line for line in checks.without_residuals(there)]
    return ours, theirs


def _trec8(folder: Path) -> tuple[list[bytes], list[bytes]]:
    ours, theirs = [], []
    for run in sorted((folder / "runs").iterdir()):
        name = run.name.removeprefix("input.")
        here = checks.first_columns(["all_trec"], folder / "qrels.trec8.adhoc.gz", run)
        there = gzip.decompress((folder / "nist-eval" / f"eval.{name}").read_bytes()).splitlines()
        ours += [name.encode() + line for line in checks.without_residuals(here)]
        theirs += [name.encode() + line for line in checks.without_residuals(there)]
    return ours, theirs


def leaderboard(folder: Path) -> list[list[object]]:
    """Official means of TREC-COVID, round 3, to the four decimals published."""
    with open(folder / "leaderboard.csv", encoding="utf-8") as file:
        official = {row["file"]: row for row in csv.DictReader(file)}
    chosen = [part for measure in LEADERBOARD for part in ("-m", measure)]
    (qrels,) = folder.glob("qrels*")
    found = rows("ap-ci", "-B", 0, "--names", "file", *chosen, qrels, *sorted((folder / "runs").iterdir()))
    lines = []
    for ours, theirs in LEADERBOARD.items():
        pairs = [(row["value"], float(official[row["run"]][theirs])) for row in found if row["measure"] == ours]
        lines.append([ours, len(pairs), sum(abs(a - b) > 5.0001e-5 for a, b in pairs)])
    return lines


def section() -> Section:
    """Lines compared and lines that differ."""
    tables = [Table("Lines", ["source", "runs", "lines compared", "different"], list(comparisons()))]
    told = (__doc__ or "").strip()
    if (SHARED / "trec-covid-round3").is_dir():
        lines = leaderboard(SHARED / "trec-covid-round3")
        tables.append(Table("TREC-COVID round 3: official means", ["measure", "runs", "different"], lines))
    if not SHARED.is_dir():
        told += " The TREC collections were not beside the checkout: only what is committed is compared."
    return Section("trec_eval", told, tables)
