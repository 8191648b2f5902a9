"""Folders that cannot be written: results come all the same where none is to be written there, and else one line says so."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_lines import irci, printed
from helpers import ROOT, SMALL
from users import USER, as_root, user

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
@pytest.mark.parametrize(("real", "status"), [(True, 2), (False, 4)], ids=["foreseen", "found out"])
@pytest.mark.parametrize("options", WRITING.values(), ids=WRITING)
def test_an_output_in_a_folder_of_another_user(
    options: list[str], real: bool, status: int, folder: Path, tmp_path: Path
) -> None:
    """Refused before anything is read; or, where the system does not say so beforehand, when it is to be written."""
    ours, theirs = ([word.format(place) for word in options] for place in (tmp_path, folder))
    plain = printed(*ours[:-2])
    irci(*ours, status=0)  # all modules are loaded, which the user may be unable to read
    before = sorted(folder.rglob("*"))
    with user(USER, real=real):
        read = irci(*ours[:-2])
        refused = irci(*theirs)
    assert (read.exit_code, read.stdout, read.stderr) == (0, plain, "")
    assert (refused.exit_code, refused.stdout) == (status, "")
    told = refused.stderr.splitlines()[-1]
    reason = f"no permission to write into {folder}" if real else "Permission denied"
    assert theirs[-1] in told
    assert told.endswith(f": cannot be written ({reason})")
    assert len(refused.stderr.splitlines()) == (4 if real else 1)
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
