"""Golden cases, man pages and README: what they show is what the commands print."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, TESTDATA

CASES = sorted((TESTDATA / "golden").iterdir())
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def shell(command: str) -> str:
    """Both outputs of a shell command run from the root of the checkout."""
    result = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return result.stdout


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden(case: Path) -> None:
    assert shell((case / "cmd").read_text()) == (case / "out").read_text()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # click-man calls what click is about to drop
def test_man_pages_are_current(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_man", ROOT / "man" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make_man = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_man)
    make_man.make(tmp_path)
    made = {page.name: page.read_text() for page in tmp_path.iterdir()}
    assert made == {page.name: page.read_text() for page in (ROOT / "man").glob("*.1")}


def test_readme_shows_what_is_printed() -> None:
    """Every `$ irci ...` line of the README, with all that follows it in its block; `...` stands for left-out lines."""
    sessions = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    commands = 0
    for session in sessions:
        for command, shown in re.findall(r"^\$ (irci .*)\n((?:(?!\$ ).*\n)*)", session, re.M):
            pattern = re.escape(shown).replace(re.escape("...\n"), r"(?:.*\n)+")
            assert re.fullmatch(pattern, shell(command)), command
            commands += 1
    assert commands > 0
