"""Systems that lack what Unix has (Windows): functions and commands work, without kernels that are kept."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import SMALL, TESTDATA

from irci import system

# What Python does not have on Windows, of what irci, or what it loads, asks for.
MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
NAMES = {
    "os": "fchdir fchmod fork geteuid getuid sched_getaffinity sysconf O_CLOEXEC O_NOFOLLOW O_NONBLOCK",
    "signal": "SIGHUP SIGPIPE",
}
HIDE = f"""
import importlib, signal, threading
sys.modules.update(dict.fromkeys({MODULES}))
for module, names in {NAMES}.items():
    for name in names.split():
        delattr(importlib.import_module(module), name)
"""
SCORES = str(SMALL / "seeds.csv")
FILES = [str(TESTDATA / "qrels.txt"), str(TESTDATA / "runs" / "bm25.run"), str(TESTDATA / "runs" / "hybrid.run")]
COMMAND = """
sys.argv = {}
from irci.__main__ import main
main()
"""
COMPARE = ["irci", "compare", "--quiet"]
WORK = {
    "function, scores": f"import irci; print(*irci.compare(scores={SCORES!r}, baseline='bm25').sentences)",
    "command, scores": COMMAND.format([*COMPARE, "--scores", "--baseline", "bm25", SCORES]),
    "command, a wrong file": COMMAND.format([*COMPARE, "--scores", "--baseline", "bm25", "nowhere.csv"]),
    "command": COMMAND.format([*COMPARE, *FILES]),  # compiles kernels, in each process where none are kept
}
MARKS = {"function, scores": pytest.mark.check, "command": pytest.mark.slow}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "work", [pytest.param(code, marks=MARKS.get(name, ()), id=name) for name, code in WORK.items()]
)
def test_what_is_said_and_how_it_ends_is_as_elsewhere(work: str) -> None:
    here, there = (
        subprocess.run([sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=False)
        for code in (work, HIDE + work)
    )
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout), there.stderr
    assert (
        there.stderr == here.stderr != "" if here.returncode else here.stdout != "" and "Traceback" not in there.stderr
    )


def test_levels_of_instructions_are_those_of_x86_64_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulated processor of another kind may tell the flags of the one that it runs on."""
    flags = tmp_path / "cpuinfo"
    flags.write_text("processor\t: 0\nflags\t\t: sse4_2 avx2\n")
    monkeypatch.setattr(system, "CPUINFO", str(flags))
    kinds = {}
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setattr(os, "uname", lambda machine=machine: SimpleNamespace(machine=machine))
        kinds[machine] = system.kind_of_processor()
    assert kinds == {"x86_64": "x86_64-v3", "aarch64": "aarch64"}
