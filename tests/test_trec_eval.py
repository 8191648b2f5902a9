"""The first three columns are trec_eval 10's, byte for byte."""

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from irci.cli import main

COLUMNS = 3


def first_columns(*arguments: str | Path) -> bytes:
    """What `irci ap-ci ... | cut -f1-3` prints."""
    result = CliRunner().invoke(main, ["ap-ci", "-q", "--quiet", "-B", "2", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return b"".join(b"\t".join(line.split(b"\t")[:COLUMNS]) + b"\n" for line in result.stdout_bytes.splitlines())


def map_lines(trec_eval_output: bytes) -> bytes:
    """The lines of `map` alone."""
    return b"".join(line + b"\n" for line in trec_eval_output.splitlines() if line.split(b"\t")[0].rstrip() == b"map")


def test_trec8_against_trec_eval(trec8: Path) -> None:
    compared = 0
    for run in sorted((trec8 / "runs").iterdir()):
        name = run.name.removeprefix("input.")
        expected = map_lines(gzip.decompress((trec8 / "nist-eval" / f"eval.{name}").read_bytes()))
        assert first_columns(trec8 / "qrels.trec8.adhoc.gz", run) == expected, name
        compared += expected.count(b"\n")
    assert compared == 41 * 51


@pytest.mark.parametrize(
    ("output", "options", "qrels", "results"),
    [
        ("out.test.aq", [], "qrels.test", "results.test"),
        ("out.test.aq", [], "qrels.test.with-comments", "results.test"),
        ("out.test.aqc", [], "qrels.test", "results.trunc"),
        ("out.test.aqcM", ["-M", "100"], "qrels.test", "results.trunc"),
        ("out.test.aql", ["-l", "2"], "qrels.rel_level", "results.test"),
        ("out.test", ["-n"], "qrels.test", "results.test"),
        ("out.comment.test", [], "qrels.comment.test", "results.comment.test.gz"),
    ],
)
def test_own_tests_against_trec_eval(
    trec_eval_test: Path, output: str, options: list[str], qrels: str, results: str
) -> None:
    expected = map_lines((trec_eval_test / output).read_bytes())
    assert expected
    printed = first_columns(*options, trec_eval_test / qrels, trec_eval_test / results)
    if output in ("out.test", "out.comment.test"):  # made without -q: means only
        printed = first_columns(trec_eval_test / qrels, trec_eval_test / results).splitlines(keepends=True)[-1]
    assert printed == expected
