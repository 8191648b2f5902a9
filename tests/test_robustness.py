"""What must not bring the program down: full disks, sudden death, huge lines, hostile names, packed nonsense; numbers at their
limits; and what a program that is trusted with data must not do.
"""

import gzip
import json
import os
import re
import resource
import signal
import subprocess
from pathlib import Path

import naive
import numpy as np
import pytest
from command_lines import by_python, by_shell, irci, result_lines, rows
from helpers import QRELS, ROOT, SMALL, all_written, written
from numba import njit

from irci.base import FormatError
from irci.data import inputs as trec
from irci.data import rankings, text_files
from irci.kernels import scan

ALPHA = str(SMALL / "runs" / "alpha.run")


# As much as the process may write to a file: more, and the system sends it a signal, of which Python makes an error.
CUT_SHORT = 100
CUT_SHORT_CODE = f"""
import resource, signal, sys
from irci.cli.group import main
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, ({CUT_SHORT}, {CUT_SHORT}))
signal.signal(signal.SIGXFSZ, signal.SIG_DFL if sys.argv.pop(1) == "dies" else signal.SIG_IGN)
main(prog_name="irci")
"""


def cut_short(how: str, out: Path) -> "subprocess.CompletedProcess[str]":
    """A process that fails, or dies, after so many bytes of its result. Nothing else is written: no kernels, no bytecode."""
    out.write_text("old\n")
    words = ["-B", "-c", CUT_SHORT_CODE, how, "wcw", "--quiet", "--variance", "AP=.05", "-o", str(out)]
    return by_python(*words)


@pytest.mark.parametrize("how", [pytest.param("dies", marks=pytest.mark.check), "fails"])
def test_an_end_in_the_middle_of_writing_leaves_the_old_file(how: str, tmp_path: Path) -> None:
    """What was written before a sudden death lies beside it, hidden; a failure is told, and leaves nothing."""
    process, told = cut_short(how, tmp_path / "out"), f"irci: {tmp_path / 'out'}: cannot be written (File too large)\n"
    assert (process.returncode, process.stderr) == ((-signal.SIGXFSZ, "") if how == "dies" else (4, told))
    assert (tmp_path / "out").read_text() == "old\n"
    left = [path.stat().st_size for path in tmp_path.iterdir() if path.name.startswith(".out.")]
    assert left == [CUT_SHORT] * (how == "dies")
    assert len(list(tmp_path.iterdir())) == 1 + len(left)


# What is read.


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "secret").touch(mode=0)
    reasons = {"a": "too many levels of symbolic links", "none": "no such file or directory"}
    reasons["."] = "is a directory"
    if os.geteuid():  # root may read everything
        reasons["secret"] = "permission denied"
    for name, reason in reasons.items():
        path = tmp_path / name
        assert irci("ap-ci", "--quiet", QRELS, path, status=3).stderr == f"irci: {path}: {reason}\n"


def test_a_docno_of_a_million_letters_is_a_docno(tmp_path: Path) -> None:
    long = "d" * 10**6
    texts = {"qrels": f"1 0 {long} 1\n1 0 {long}e 0\n", "run": f"1 Q0 {long}e 1 2 x\n1 Q0 {long} 2 1 x\n"}
    assert "\t0.5000\t" in irci("ap-ci", "--quiet", "-B", "0", *all_written(tmp_path, texts)).stdout


@pytest.mark.check
@pytest.mark.parametrize("read", [trec.read_run, trec.read_qrels])
def test_lines_that_are_too_long_are_refused(read: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two gigabytes take long: what the limit is compared with is the same for a smaller limit."""
    fields = "1 Q0 {} 1 2.5 x\n" if read is trec.read_run else "1 0 {} 1\n"
    path = written(tmp_path / "file", "".join(map(fields.format, ("a", "d" * 500, "b"))))
    monkeypatch.setattr(rankings, "LONGEST", 400)
    kernel = scan.scan_records.py_func
    limited = njit(type(kernel)(kernel.__code__, {**kernel.__globals__, "LONGEST": 400}))
    monkeypatch.setattr(rankings, "scan_records", limited)
    with pytest.raises(FormatError, match=r":2: a line of 5\d\d bytes"):
        read(path)  # type: ignore[operator]
    assert np.iinfo(np.int32).max == scan.LONGEST


def test_gzip_that_unpacks_out_of_proportion_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "SUSPICIOUS", 1 << 20)
    bomb = written(tmp_path / "bomb.gz", gzip.compress(b"a" * (1 << 23)))
    with pytest.raises(FormatError, match="unpacks to more than 100 times its size"):
        trec.read_run(bomb)
    lines = b"".join(b"1 Q0 doc%d 1 %d.5 tag\n" % (number, 200_000 - number) for number in range(200_000))
    run = written(tmp_path / "run.gz", gzip.compress(lines[:10]) + gzip.compress(lines[10:]))
    assert len(trec.read_run(run).score) == 200_000


def test_many_runs_from_a_list(tmp_path: Path) -> None:
    """Files are closed after reading: more of them than may be open at once."""
    texts = {f"r{number}": f"1 Q0 law-00076 1 {number} r{number}\n2 Q0 x 1 1 r{number}\n" for number in range(200)}
    listed = written(tmp_path / "list", "".join(f"{path}\n" for path in all_written(tmp_path, texts)))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 100, hard))
    try:
        result = irci("stdap-ci", "--quiet", "--standardise", "none", QRELS, f"@{listed}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(result_lines(result.stdout)) == 200


# Numbers.

EXTREME = ("1e308", "1.7976931348623157e308", "-1e308", "5e-324", "2.2250738585072014e-308", "-0.0", "0", "1e-400")


def test_scores_at_the_limits_of_doubles_are_in_order(tmp_path: Path) -> None:
    """-0 and 0 are equal, and what is below the smallest double is 0; the rest falls as it should."""
    lines = (f"1 Q0 d{place} 1 {score} x\n" for place, score in enumerate(EXTREME))
    judged = (f"1 0 d{place} {place % 2}\n" for place in range(len(EXTREME)))
    qrels, run = all_written(tmp_path, {"qrels": "".join(judged), "run": "".join(lines)})
    assert trec.read_run(run).score.tolist() == [float(score) for score in EXTREME]
    ranking = naive.read_run(run)[b"1"]
    assert ranking == [b"d1", b"d0", b"d4", b"d3", b"d7", b"d6", b"d5", b"d2"]
    expected = naive.average_precision([int(docno[1:]) % 2 for docno in ranking], 4)
    assert rows("ap-ci", "-B", "50", qrels, run)[0]["value"] == pytest.approx(expected, abs=1e-15)


def one_topic(folder: Path, relevant: int, found: int, retrieved: int, topics: int = 1, runs: int = 1) -> list[str]:
    """Judgments with so many relevant documents a topic, and runs that rank the first ones found on top."""
    judged = [f"{topic} 0 r{number} 1\n" for topic in range(topics) for number in range(relevant)]
    texts = {"qrels": "".join([*judged, *(f"{topic} 0 n0 0\n" for topic in range(topics))])}
    docnos = [*(f"r{number}" for number in range(found)), *(f"n{number}" for number in range(retrieved - found))]
    for run in (f"run{name}" for name in range(runs)):
        ranked = ((topic, docno, retrieved - rank) for topic in range(topics) for rank, docno in enumerate(docnos))
        texts[run] = "".join(f"{topic} Q0 {docno} 1 {score} {run}\n" for topic, docno, score in ranked)
    return all_written(folder, texts)


COMMANDS = {
    "map-ci": "map-ci --all-pairs --ranks --meta random", "partition-anova": "partition-anova -B 100", "stdap-ci": "stdap-ci",
    "swap-error": "swap-error --sizes 2", "swap": "swap-error --procedure swap --sizes 2",
    "power": "swap-error --procedure discriminative-power", "wcw": "wcw",
}  # fmt: skip


@pytest.mark.parametrize("found", [0, 6], ids=["all 0", "all 1"])
@pytest.mark.parametrize("command", COMMANDS)
def test_scores_without_any_variance_are_an_answer_or_a_refusal(command: str, found: int, tmp_path: Path) -> None:
    """Identical runs whose every score is 0 (or 1): no difference anywhere, no traceback, no infinity."""
    files = one_topic(tmp_path / "c", 6, found, max(found, 3), topics=6, runs=3)
    result = irci(*COMMANDS[command].split(), "--quiet", "--format", "json", *files)
    if command == "stdap-ci":
        assert (result.exit_code, result.stderr) == (4, f"irci: {FEW_REFERENCES}\n")
        return
    assert (result.exit_code, result.stderr) == (0, "")
    rows = json.loads(result.stdout)["rows"]
    assert len(rows) > 0
    no_difference = {"error_rate_": {"rate": 0, "ties": 1}, "power_": {"share": 0}, "significant_": {"pairs": 0}}
    for row in rows:
        if str(row.get("measure", "")).endswith("_diff"):
            assert (row["value"], row["p"]) == (0, 1)
        for table, cells in no_difference.items():
            if str(row.get("table", "")).startswith(table):
                assert row.items() >= cells.items()


TWO_OF_BOTH = "needs at least two runs that share two topics"
# Why three runs of one topic, one run of six, and one of one are refused; nothing where they are an answer.
FEW_REFERENCES = "map: only 1 different reference system: standardised scores need 3 or more (--reference)"
TOO_LITTLE = {
    "map-ci": ("", "to compare runs, give at least two", "to compare runs, give at least two"),
    "partition-anova": ("", *["to compare systems, give at least two runs"] * 2),
    "stdap-ci": (FEW_REFERENCES,) * 3,
    "swap-error": (TWO_OF_BOTH,) * 3,
    "swap": (TWO_OF_BOTH,) * 3,
    "power": (TWO_OF_BOTH,) * 3,
    "wcw": ("map: a variance needs at least two topics", "", "map: a variance needs at least two topics"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_one_run_and_one_topic_are_an_answer_or_a_refusal(command: str, tmp_path: Path) -> None:
    for (topics, runs), refusal in zip(((1, 3), (6, 1), (1, 1)), TOO_LITTLE[command], strict=True):
        files = one_topic(tmp_path / "c", 6, 2, 10, topics=topics, runs=runs)
        result = irci(*COMMANDS[command].split(), "--quiet", *files)
        told = f"irci: {refusal}\n" if refusal else ""
        assert (result.exit_code, result.stderr) == (4 if refusal else 0, told)
        assert (result.stdout == "") == bool(refusal)


# What a program that is trusted with data does not do.


def test_files_on_the_way_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is being written is nobody else's to read; what has been written is as readable as any new file."""
    made, original, out = [], os.fdopen, tmp_path / "out"

    def opened(handle: int, mode: str) -> object:
        made.append(os.fstat(handle).st_mode)
        return original(handle, mode)

    monkeypatch.setattr(os, "fdopen", opened)
    mask = os.umask(0o022)
    try:
        assert irci("wcw", "--variance", "AP=.05", "-o", str(out)).exit_code == 0
    finally:
        os.umask(mask)
    assert [mode & 0o777 for mode in made] == [0o600]
    assert out.stat().st_mode & 0o777 == 0o644


def test_lower_bounds_of_dependencies_are_what_is_tested() -> None:
    """`make oldest` installs these versions, and no others, before it runs the tests."""
    wanted = re.search(r"^dependencies = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.S | re.M)
    assert wanted is not None
    bounds = sorted(re.findall(r'"([a-z]+)>=([\d.]+)"', wanted.group(1)))
    oldest = sorted(re.findall(r"^([a-z]+)==([\d.]+)", (ROOT / "oldest.txt").read_text(), re.M))
    assert [name for name, _ in oldest] == [name for name, _ in bounds]
    for (name, version), (_, bound) in zip(oldest, bounds, strict=True):
        assert version.split(".")[: bound.count(".") + 1] == bound.split("."), name


def test_standard_input_is_bytes_whatever_the_locale_says_of_them() -> None:
    name = "caf\u00e9".encode("latin-1")
    text = b"1 Q0 law-00076 1 2 " + name + b"\n"
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8:strict"}
    result = by_python("-m", "irci", "ap-ci", "--quiet", "-B", "0", QRELS, "-", input=text, text=False, env=environment)
    assert result.stdout.rstrip().endswith(b"\t" + name)


def test_a_folder_that_is_no_more_is_told_in_a_line(tmp_path: Path) -> None:
    status, told = by_shell("mkdir gone && cd gone && rmdir ../gone && irci compare qrels.txt a b", tmp_path)
    assert (status, told.count("\n")) == (4, 1), told


def test_too_little_memory_for_the_library_is_told_in_a_line() -> None:
    limit = (240_000 * 1024,) * 2  # with more, the library of numba 0.60 loads, and the process is aborted later
    how = {
        "env": os.environ | {"IRCI_KERNELS": "kept"},
        "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    }
    refused = by_python("-m", "irci", "ap-ci", QRELS, ALPHA, **how)
    assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (4, "", 1)
    assert "memory" in refused.stderr
