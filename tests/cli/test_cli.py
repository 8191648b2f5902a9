"""The command as its users meet it: statuses, warnings, pipes, the promises about sameness, and options that are refused."""

import gzip
import itertools
import json
import os
import threading
from contextlib import chdir
from functools import partial
from pathlib import Path

import pytest
from command_lines import by_python, irci, result_lines
from helpers import QRELS, TESTDATA
from helpers import RUN_BY_NAME as RUNS

from irci.cli.group import main

run = partial(irci, "ap-ci", "-B", "300")


def lines(*arguments: str) -> list[str]:
    result = run("-q", *arguments)
    assert result.exit_code == 0, result.output
    return result_lines(result.stdout)


def test_what_cannot_be_read_is_told_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by click, as if the line were wrong: with the status of data, and in the words of every other such file."""
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    with main.commands["map-ci"].make_context("map-ci", [QRELS, RUNS["alpha"]]) as context:
        assert context.params["files"] == (QRELS, RUNS["alpha"])


def test_order_of_runs_and_company() -> None:
    """A run's lines are the same alone, in company, and in any order."""
    alone = {name: lines(QRELS, path) for name, path in RUNS.items()}
    for order in itertools.islice(itertools.permutations(RUNS), 0, 120, 37):
        together = lines(QRELS, *(RUNS[name] for name in order))
        assert together == [line for name in order for line in alone[name]]


def test_names_do_not_enter_the_randomness(tmp_path: Path) -> None:
    path = tmp_path / "renamed"
    path.write_text(Path(RUNS["alpha"]).read_text().replace(" alpha\n", " zulu\n"))
    renamed = [line.replace("zulu", "alpha") for line in lines(QRELS, str(path))]
    assert renamed == lines(QRELS, RUNS["alpha"])


def test_what_to_print() -> None:
    assert [line.split("\t")[1] for line in lines(QRELS, RUNS["alpha"])][-3:] == ["8", "9", "all"]
    assert len(lines("-n", QRELS, RUNS["alpha"])) == 20
    assert lines("-c", QRELS, RUNS["alpha"]) == lines(QRELS, RUNS["alpha"])


def test_standard_input_and_gzip() -> None:
    expected = lines(QRELS, RUNS["alpha"])
    data = Path(RUNS["alpha"]).read_bytes()
    for piped in (data, gzip.compress(data)):
        assert result_lines(run("-q", QRELS, "-", given=piped).stdout) == expected
    twice = run("--quiet", "-", "-", given=b"1 0 a 1\n")
    assert (twice.exit_code, twice.stderr) == (4, "irci: standard input (-) can be read only once\n")


def test_warnings_count_and_name_topics(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{n} 0 a {int(n != 9)}\n" for n in range(1, 10)))
    (tmp_path / "run").write_text("1 Q0 a 1 2 x y\n1 Q0 b 2 2 x\nzz Q0 a 1 1 x\n9 Q0 a 1 1 x\n")
    qrels, a_run = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert run(qrels, a_run).stderr.replace("irci: warning: ", "").splitlines() == [
        f"{qrels}: 1 topic without relevant documents, given no interval, but counted in means: 9",
        f"{a_run}: 7 judged topics missing, scored 0 (their intervals mean nothing): 2 3 4 5 6 ...",
        f"{a_run}: 1 topic without judgments, ignored: zz",
        f"{a_run}: 1 topic with tied scores of judged documents (ordered by docno, as trec_eval; map is 0.0556 to 0.1111 in"
        " other orders, 0.0833 on average (--ties mean)): 1",
        f"{a_run}: 1 line with more than six fields, the rest ignored",
        "x: map: 1 topic with an interval wider than 0.9; try --interval percentile: 1",
    ]
    assert run("--quiet", qrels, a_run).stderr == ""


def columns_of(*arguments: str) -> list[list[str]]:
    return [line.split("\t") for line in lines(*arguments)]


def test_topics_chosen(tmp_path: Path) -> None:
    """A topic's line does not depend on the others; the mean is over those chosen."""
    everything = {line[1]: line for line in columns_of(QRELS, RUNS["alpha"])}
    (tmp_path / "topics").write_text("# some\n10\n 2\n\n5\n")
    for chosen in ("5,2,10", str(tmp_path / "topics"), f"@{tmp_path}/topics"):
        some = columns_of("--topics", chosen, QRELS, RUNS["alpha"])
        assert [line[1] for line in some] == ["10", "2", "5", "all"]
        assert some[:3] == [everything[topic] for topic in ("10", "2", "5")]
        assert float(some[3][2]) == pytest.approx(sum(float(line[2]) for line in some[:3]) / 3, abs=1e-4)
    warned = run("--topics", "5,zz", QRELS, RUNS["alpha"])
    assert "1 topic asked for but not judged: zz" in warned.stderr
    none = run("--quiet", "--topics", "zz", QRELS, RUNS["alpha"])
    assert (none.exit_code, none.stderr) == (
        4,
        f"irci: {QRELS}: none of the topics asked for is judged (--topics takes a list, or @FILE)\n",
    )


def test_a_list_of_topics_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever files are there: one is named by @ or by a slash, and must exist."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1").write_text("2\n")
    assert [line[1] for line in columns_of("--topics", "1", QRELS, RUNS["alpha"])] == ["1", "all"]
    for chosen in ("@1", "./1"):
        assert [line[1] for line in columns_of("--topics", chosen, QRELS, RUNS["alpha"])] == ["2", "all"]
    (tmp_path / "topics.txt").write_text("2\n")
    hint = run("--quiet", "--topics", "topics.txt", QRELS, RUNS["alpha"])
    assert hint.exit_code == 4
    assert "none of the topics asked for is judged (--topics takes a list, or @FILE)" in hint.stderr
    for chosen in ("@none", "./none"):
        absent = run("--topics", chosen, QRELS, RUNS["alpha"])
        path = chosen.removeprefix("@")
        assert (absent.exit_code, absent.stderr) == (3, f"irci: {path}: no such file or directory\n")
    twice = run("--topics", "@-", QRELS, "-")
    assert (twice.exit_code, "standard input (-) can be read only once" in twice.stderr) == (4, True)


def test_topics_that_may_not_be_missing_or_without_relevant_documents() -> None:
    """delta has no line for topic 13."""
    result = run("--missing", "error", QRELS, RUNS["delta"])
    assert (result.exit_code, result.stdout) == (4, "")
    assert "1 judged topic missing (--missing error): 13" in result.stderr

    none = run("--no-relevant", "drop", "-l", "9", "--max-grade", "9", QRELS, RUNS["alpha"])
    assert (none.exit_code, none.stderr) == (4, f"irci: {QRELS}: no topic has relevant documents\n")


def test_runs_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("\n".join(["# runs", *RUNS.values()]))
    assert lines(QRELS, f"@{tmp_path / 'runs'}") == lines(QRELS, *RUNS.values())
    (tmp_path / "@alpha").symlink_to(RUNS["alpha"])
    (tmp_path / "names").write_text("@alpha")
    with chdir(tmp_path):  # in a list, and on the line behind ./, a name that begins so is that of a file
        assert lines(QRELS, "@names") == lines(QRELS, "./@alpha") == lines(QRELS, RUNS["alpha"])
    piped = run("-q", QRELS, "@-", given=(tmp_path / "runs").read_bytes())
    assert result_lines(piped.stdout) == lines(QRELS, *RUNS.values())
    none = run(QRELS, f"@{tmp_path / 'none'}")
    assert (none.exit_code, none.stderr) == (3, f"irci: {tmp_path / 'none'}: no such file or directory\n")


def test_output_is_written_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old")
    refused = run("-o", str(out), QRELS, str(TESTDATA / "bad" / "empty.run"))
    assert refused.exit_code == 3
    assert "empty.run: empty file" in refused.stderr
    assert out.read_text() == "old"
    printed = run("-o", str(out), QRELS, RUNS["alpha"])
    assert (printed.exit_code, printed.stdout) == (0, "")
    assert out.read_text() == run(QRELS, RUNS["alpha"]).stdout + "# irci 0.1.0 ap-ci -B 300\n"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl", "latex", "markdown"])
def test_a_file_is_in_the_format_of_its_ending(form: str, tmp_path: Path) -> None:
    ending = {"latex": "tex", "markdown": "MD"}.get(form, form)
    out, text = tmp_path / f"out.{ending}", tmp_path / f"text.{ending}"
    assert run("-o", str(out), QRELS, RUNS["alpha"]).exit_code == 0
    assert out.read_text().startswith(run("--format", form, QRELS, RUNS["alpha"]).stdout)
    assert run("-o", str(text), "--format", "text", QRELS, RUNS["alpha"]).exit_code == 0
    assert text.read_text() == run(QRELS, RUNS["alpha"]).stdout + "# irci 0.1.0 ap-ci -B 300 --format text\n"


def test_names(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 law-00073 1 2 x\n2 Q0 a 1 2 y\n")
    (tmp_path / "input.b.gz").write_bytes(gzip.compress(b"1 Q0 law-00073 1 2 x\n2 Q0 a 1 2 x\n"))
    varied = run(QRELS, str(tmp_path / "a.run"))
    assert varied.exit_code == 4
    assert f"{tmp_path}/a.run:2: a tag other than 'x'" in varied.stderr
    assert "--names file" in varied.stderr
    (tmp_path / "copied").write_bytes(Path(RUNS["alpha"]).read_bytes())
    shared = run("--table", "estimate", QRELS, RUNS["alpha"], str(tmp_path / "copied"), RUNS["bravo"])
    assert [line.split("\t")[5] for line in result_lines(shared.stdout)] == ["alpha", "copied", "bravo"]
    assert "2 runs have the tag 'alpha', and are named by their files: alpha copied" in shared.stderr
    asked = run("--names", "tag", QRELS, RUNS["alpha"], str(tmp_path / "copied"))
    assert (asked.exit_code, "'alpha': --names file names" in asked.stderr) == (4, True)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "copied").write_bytes((tmp_path / "copied").read_bytes())
    same_names = run(QRELS, str(tmp_path / "copied"), str(tmp_path / "folder" / "copied"))
    assert (same_names.exit_code, "are both named 'copied': rename a file" in same_names.stderr) == (4, True)
    (tmp_path / "link").symlink_to(tmp_path / "copied")
    twice = run(QRELS, str(tmp_path / "link"), str(tmp_path / "copied"))
    assert (twice.exit_code, "given twice as a run" in twice.stderr) == (4, True)
    asked = ["--table", "estimate", "--names", "file"]
    by_file = run(*asked, QRELS, str(tmp_path / "a.run"), str(tmp_path / "input.b.gz"))
    assert [line.split("\t")[5] for line in result_lines(by_file.stdout)] == ["a", "b"]


def test_no_topic_in_common(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("zz Q0 a 1 2 x\n")
    result = run(QRELS, str(path))
    assert (result.exit_code, result.stdout) == (4, "")
    spelled = f"are topics spelled differently? (topic zz of {path}; topic 1 of {QRELS})"
    assert f"has 1 topic, none judged; {spelled}" in result.stderr


def test_warnings_survive_odd_locales(tmp_path: Path) -> None:
    """Letters that a stream of ASCII does not have."""
    (tmp_path / "caf\u00e9").write_bytes(gzip.decompress(Path(RUNS["delta"]).read_bytes()))
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    result = by_python("-m", "irci", "ap-ci", "-B", "2", QRELS, tmp_path / "caf\u00e9", text=False, env=environment)
    assert "caf\u00e9: 1 judged topic missing".encode() in result.stderr


def test_a_system_without_threads_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter's own words where a limit of processes or memory allows no more."""

    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    result = irci("ap-ci", "--threads", "2", QRELS, RUNS["alpha"])
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.endswith("irci: no more threads can be started: use fewer (--threads)\n")


FROM_FILES = ("ap-ci", "map-ci", "partition-anova", "stdap-ci", "swap-error", "wcw")
FEW = {"partition-anova": ["--policy", "drop", "-B", "100"], "swap-error": ["--sizes", "5", "--trials", "2"]}


@pytest.mark.sample(3)
@pytest.mark.usefixtures("many_threads")
@pytest.mark.parametrize("command", FROM_FILES)
def test_signatures_hold_no_threads(command: str) -> None:
    """Which change no digit: the same bytes with one and with two."""
    shown = [
        irci(command, *FEW.get(command, ()), "--format", "json", "--threads", threads, QRELS, *RUNS.values())
        for threads in "12"
    ]
    assert shown[0].exit_code == 0, shown[0].stderr
    assert shown[0].stdout == shown[1].stdout
    assert "threads" not in json.loads(shown[0].stdout)["signature"]


def test_ties_are_told_of_runs_whose_means_they_move() -> None:
    """A run by itself is named, and its topics; nothing is said of the ties of others, which move no mean."""
    ties = "20 topics with tied scores of judged documents ("
    for runs in ([RUNS["charlie"]], RUNS.values()):
        many = irci("ap-ci", "-B", "0", QRELS, *runs).stderr.splitlines()
        assert many[1].startswith(f"irci: warning: {RUNS['charlie']}: {ties}")
    assert [line for line in many if "judged topic missing" in line] == [
        f"irci: warning: {RUNS['delta']}: 1 judged topic missing, scored 0 (their intervals mean nothing): 13"
    ]
    assert len(many) == 3


def test_quiet_is_quiet_for_one_command_only() -> None:
    assert irci("ap-ci", "-B", "0", "--quiet", QRELS, RUNS["charlie"]).stderr == ""
    assert irci("ap-ci", "-B", "0", QRELS, RUNS["charlie"], "--quiet").stderr == ""
    assert irci("ap-ci", "-B", "0", QRELS, RUNS["charlie"]).stderr != ""
