"""Where results go: no input is overwritten, and no result lost."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_lines import ENVIRONMENT, by_shell, irci, printed, result_lines
from command_lines import irci as run
from helpers import ROOT, SMALL
from users import USER, as_root, user

from irci.cli.group import Typed, main
from irci.system import is_written_in_place, write_file

ALPHA = (SMALL / "runs" / "alpha.run").read_bytes()
LINE = "map                   \tall\t0.4127\tnan\tnan\talpha"
SCORES = ["ap-ci", "--table", "estimate", "--quiet", "-B", "0"]


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, which is where the command is typed, with qrels, a run, and other names of the run."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMALL / "qrels.txt", "qrels")
    Path("run").write_bytes(ALPHA)
    Path("hard").hardlink_to("run")
    Path("soft").symlink_to("run")
    Path("list").write_text("run\n")
    Path("versions").write_text("alpha\ta\t1\n")
    Path("sub").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["run", "qrels", "./sub/../run", "hard", "soft"])
@pytest.mark.parametrize("option", ["-o", "--save-scores"])
def test_an_input_is_not_overwritten_under_any_name(name: str, option: str, inputs: Path) -> None:
    before = Path(name).read_bytes()
    refused = run(*SCORES, option, name, "qrels", "run")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f": {name}: would overwrite the input " in refused.stderr
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["ap-ci", "-o", "list", "qrels", "@list"], "list"),
        (["ap-ci", "-o", "run", "qrels", "@list"], "run"),
        (["ap-ci", "--topics", "@list", "-o", "list", "qrels", "run"], "list"),
        (["ap-ci", "--validate", "list", "-o", "list", "qrels", "run"], "list"),
        (["partition-anova", "-x", "list", "-o", "list", "qrels", "run"], "list"),
        (["partition-anova", "--groups", "list", "-o", "list", "qrels", "run"], "list"),
        (["stdap-ci", "--reference", "list", "--save-factors", "list", "qrels", "run"], "list"),
        (["swap-error", "list", "-o", "list"], "list"),
        (["swap-error", "--versions", "versions", "-o", "versions", "qrels", "run"], "versions"),
        (["wcw", "--scores", "-o", "list", "list"], "list"),
    ],
)
def test_whatever_an_option_reads_is_an_input(arguments: list[str], name: str, inputs: Path) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert refused.stderr.endswith(f": {name}: would overwrite the input {name}\n")


def test_every_option_that_takes_a_file_says_whether_it_is_read_or_written() -> None:
    for command in main.commands.values():
        for parameter in command.params:
            metavar = str(parameter.metavar)
            is_file = any(word in metavar for word in ("FILE", "DIR", "QRELS"))
            kind = parameter.type.kind if isinstance(parameter.type, Typed) else None
            assert (kind is not None and (kind.writes or kind.paths is not None)) == is_file, parameter.name
            assert not is_file or parameter.type is not click.STRING


def test_two_outputs_are_two_files(inputs: Path) -> None:
    Path("there").touch()
    Path("other").hardlink_to("there")
    before = sorted(inputs.iterdir())
    for first, second in (("new.svg", "./new.svg"), ("new", "sub/../new"), ("there", "other"), ("-", "-")):
        option = "--plot" if second.endswith(".svg") else "--save-scores"
        refused = run(*SCORES, "-o", first, option, second, "qrels", "run")
        assert refused.exit_code == 2
        told = {f"{a} and {b}: one would overwrite the other" for a, b in (
            ("--output", f"{option}: {second}"), (option, f"--output: {first}"))}  # fmt: skip
        assert refused.stderr.splitlines()[-1].removeprefix("Error: ") in told
    assert run(*SCORES, "-o", "/dev/null", "--save-scores", "/dev/null", "qrels", "run").exit_code == 0
    assert sorted(inputs.iterdir()) == before


@pytest.mark.parametrize("line", ["irci ap-ci qrels - -o run < run", "irci ap-ci qrels run >> run"])
def test_standard_streams_may_be_files(line: str, inputs: Path) -> None:
    """Whatever the shell has connected them to."""
    status, told = by_shell(f"{line} 2> said; S=$?; cat said; exit $S", inputs)
    assert status == 2
    assert "would overwrite the input" in told
    assert Path("run").read_bytes() == ALPHA


def test_a_dash_is_standard_output(inputs: Path) -> None:
    assert result_lines(run(*SCORES, "-o", "-", "qrels", "run").stdout) == [LINE]
    both = run(*SCORES, "-o", "out", "--save-scores", "-", "qrels", "run")
    assert run(*SCORES, "--save-scores", "saved", "qrels", "run").exit_code == 0
    assert both.stdout == Path("saved").read_text()
    assert result_lines(Path("out").read_text()) == [LINE]
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-o", "no/out"], "--output: no/out: cannot be written (no such folder)"),
        (["-o", "run/out"], "--output: run/out: cannot be written (no such folder)"),
        (["-o", "new/"], "--output: new/: cannot be written (no such folder)"),
        (["-o", "sub"], "Invalid value for '-o' / '--output': File 'sub' is a directory."),
        (["--plot", "no/x.svg"], "--plot: no/x.svg: cannot be written (no such folder)"),
        (["--save-scores", "no/x"], "--save-scores: no/x: cannot be written (no such folder)"),
    ],
)
def test_an_output_in_no_folder_is_refused_before_anything_is_read(options: list[str], told: str, inputs: Path) -> None:
    refused = run("ap-ci", *options, "qrels", "nothing")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"Error: {told}\n")


def test_a_name_of_250_letters(inputs: Path) -> None:
    for name in ("n" * 250, "\u20ac" * 83):
        assert run(*SCORES, "-o", name, "qrels", "run").exit_code == 0
        assert result_lines(Path(name).read_text()) == [LINE]


def test_an_interrupt_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporaries = []

    def interrupted(path: str, mode: int) -> None:
        temporaries.append(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(str(tmp_path / "out"), b"new")
    assert temporaries[0].startswith(str(tmp_path / ".out."))
    assert not list(tmp_path.iterdir())


def test_only_streams_and_devices_are_written_in_place(tmp_path: Path) -> None:
    """Not files that are kept in memory: their readers see the old content or the new."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if Path("/dev/shm").is_dir() else tmp_path) as kept:
        assert not is_written_in_place(kept.name)
        with Path(f"/dev/fd/{kept.fileno()}").open() as _:
            assert is_written_in_place(f"/dev/fd/{kept.fileno()}")
    assert is_written_in_place("/dev/null")


# Standard streams that are closed, full, or nobody's: only a shell makes them so.

# A command that warns and takes no kernels, and what it prints.
WARNS = "irci wcw --variance AP=.05 --sizes 10 --systems 5"
FULL = "irci: standard output: cannot be written (No space left on device)\n"
OF_HELP = "irci: No space left on device\n"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("line", "status", "stderr"),
    [
        ("irci wcw --quiet --scores - <&-", 3, "irci: -: empty file: no scores\n"),
        ("irci --help > /dev/full", 4, OF_HELP),
        ("irci ap-ci --help > /dev/full", 4, OF_HELP),
        ("irci --version > /dev/full", 4, OF_HELP),
        ("irci --version >&-", 4, OF_HELP),
        ("irci ap-ci --cite | true; exit ${PIPESTATUS[0]}", 141, ""),
        ("irci measures | true; exit ${PIPESTATUS[0]}", 141, ""),
        (f"{WARNS} --quiet -o /dev/stdout >&-", 4, "irci: /dev/stdout: cannot be written (No space left on device)\n"),
        (f"{WARNS} --quiet >&-", 4, FULL),
        (f"{WARNS} --quiet > /dev/full", 4, FULL),
        (f"{WARNS} --quiet -o /dev/full", 4, FULL.replace("standard output", "/dev/full")),
        ("irci ap-ci --nothing 2>&-", 2, ""),
    ],
)
def test_a_result_that_cannot_be_written_is_told(line: str, status: int, stderr: str) -> None:
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", stderr)


@pytest.mark.sample(1)
@pytest.mark.parametrize("messages", ["2>&-", "2>/dev/full"])
def test_messages_that_cannot_be_written_change_nothing(messages: str) -> None:
    words = WARNS.split()[1:]
    assert run(*words).stderr
    done = subprocess.run(
        ["bash", "-c", f"{WARNS} {messages}"], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, run(*words).stdout, "")


def test_messages_do_not_get_into_files_where_standard_error_is_closed(tmp_path: Path) -> None:
    """The next file that is opened would get its number."""
    line = f"{WARNS} -o {tmp_path}/out <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", line], env=ENVIRONMENT, check=False).returncode == 0
    assert (tmp_path / "out").read_text().startswith(run(*WARNS.split()[1:]).stdout)


AP = ["ap-ci", "--quiet", "-B", "0", "qrels", "run"]
WRITING = {
    "-o out": [*AP, "-o", "{}/out"],
    "--save-scores out": [*AP, "--save-scores", "{}/out"],
    "--plot out.svg": [*AP, "--plot", "{}/out.svg"],
}
INPUTS = {"qrels": SMALL / "qrels.txt", "run": SMALL / "runs" / "alpha.run", "other": SMALL / "runs" / "bravo.run.gz"}
# To be done where the process has mounts of its own: a folder with the inputs, in which nothing can be written from then on.
MOUNTED = """
set -e
folder=$1; shift
mount -t tmpfs none "$folder"; cp -r "$folder"-inputs/. "$folder"; mount -o remount,ro "$folder"
cd "$folder"; exec "$@"
"""
MOUNTS = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


def has_mounts() -> bool:
    """True if a process may have mounts of its own here."""
    test = [*MOUNTS, "mount", "-t", "tmpfs", "none", "/tmp"]
    return (
        shutil.which("unshare") is not None and subprocess.run(test, capture_output=True, check=False).returncode == 0
    )


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of root's with inputs, where everybody may read, and where the command is typed."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        for each, path in INPUTS.items():
            shutil.copyfile(path, Path(name) / (each if path.suffix != ".gz" else f"{each}.gz"))
        os.rename(Path(name) / "other.gz", Path(name) / "other")
        monkeypatch.chdir(name)
        yield Path(name)


@as_root
@pytest.mark.sample(3)
@pytest.mark.parametrize("options", WRITING.values(), ids=WRITING)
def test_an_output_in_a_folder_of_another_user(options: list[str], folder: Path, tmp_path: Path) -> None:
    ours, theirs = ([word.format(place) for word in options] for place in (tmp_path, folder))
    plain = printed(*ours[:-2])
    irci(*ours, status=0)  # all modules are loaded, which the user may be unable to read
    before = sorted(folder.rglob("*"))
    with user(USER):
        read = irci(*ours[:-2])
        refused = irci(*theirs)
    assert (read.exit_code, read.stdout, read.stderr) == (0, plain, "")
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert refused.stderr == f"irci: {theirs[-1]}: cannot be written (Permission denied)\n"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.skipif(not has_mounts(), reason="no mounts of its own")
def test_a_read_only_mount_is_home_cache_and_working_directory(tmp_path: Path) -> None:
    """Kernels are compiled for this process alone, one warning says why, and the result is as ever."""
    shutil.copytree(SMALL, tmp_path / "here-inputs")
    (tmp_path / "here").mkdir()
    places = {"HOME": "{}", "NUMBA_CACHE_DIR": "{}/kernels", "TMPDIR": "{}"}
    environment = {name: value.format(tmp_path / "here") for name, value in places.items()}
    environment = {**os.environ, **environment, "PYTHONPATH": str(ROOT)}
    environment.pop("XDG_CACHE_HOME", None)
    words = [sys.executable, "-m", "irci", "ap-ci", "-B", "0", "qrels.txt", "runs/alpha.run"]
    command = [*MOUNTS, "sh", "-c", MOUNTED, "sh", str(tmp_path / "here"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    expected = printed("ap-ci", "-B", "0", SMALL / "qrels.txt", SMALL / "runs" / "alpha.run")
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    (told,) = (line for line in done.stderr.splitlines() if "kernels cannot be kept" in line)
    assert told.count("(Read-only file system)") == 1
