"""Where results go: no input is overwritten, and no result lost."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from command_lines import ENVIRONMENT, by_shell, result_lines
from command_lines import irci as run
from helpers import SMALL

from irci.cli.group import RowOption, main
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
            kind = parameter.row.type if isinstance(parameter, RowOption) else parameter.type
            assert (kind.name == "path") == is_file, parameter.name


def test_two_outputs_are_two_files(inputs: Path) -> None:
    Path("there").touch()
    Path("other").hardlink_to("there")
    before = sorted(inputs.iterdir())
    for first, second in (("new.svg", "./new.svg"), ("new", "sub/../new"), ("there", "other"), ("-", "-")):
        option = "--plot" if second.endswith(".svg") else "--save-scores"
        refused = run(*SCORES, "-o", first, option, second, "qrels", "run")
        assert refused.exit_code == 2
        told = {f"{one} would overwrite what {other} writes" for one, other in (
            (f"{option}: {second}:", "--output"), (f"--output: {first}:", option))}  # fmt: skip
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
        (["-o", "sub"], "--output: sub: cannot be written (it is a folder)"),
        (["--plot", "no/x.svg"], "--plot: no/x.svg: cannot be written (no such folder)"),
        (["--save-scores", "no/x"], "--save-scores: no/x: cannot be written (no such folder)"),
    ],
)
def test_an_output_in_no_folder_is_refused_before_anything_is_read(options: list[str], told: str, inputs: Path) -> None:
    refused = run("ap-ci", *options, "qrels", "nothing")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"Error: {told}\n")


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


# A command that warns and takes no kernels, and what it prints.
WARNS = "irci wcw --variance AP=.05 --sizes 10 --systems 5"
FULL = "irci: standard output: cannot be written (No space left on device)\n"
OF_HELP = "irci: No space left on device\n"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("line", "status", "stderr"),
    [
        ("irci wcw --quiet --scores - <&-", 3, "irci: -: empty file: no scores\n"),
        ("irci ap-ci --help > /dev/full", 4, OF_HELP),
        ("irci --version >&-", 4, OF_HELP),
        ("irci ap-ci --cite | true; exit ${PIPESTATUS[0]}", 141, ""),
        (f"{WARNS} --quiet >&-", 4, FULL),
        (f"{WARNS} --quiet > /dev/full", 4, FULL),
        (f"{WARNS} --quiet -o /dev/full", 4, FULL.replace("standard output", "/dev/full")),
        ("irci ap-ci --nothing 2>&-", 2, ""),
    ],
)
def test_a_result_that_cannot_be_written_is_told(line: str, status: int, stderr: str) -> None:
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", stderr)
