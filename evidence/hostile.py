"""Damaged files for all readers and command lines of all options, by `tests/fuzz.py` (`python tests/fuzz.py 600` for more)."""

import subprocess
import sys
from collections.abc import Iterator

import fuzz
from commands import ROOT
from fuzzing.targets import warm_up
from page import Section, Table

TURNS = 4  # of 1000 files for each reader and 200 command lines
SEED = 20
INTERRUPTS = 50


def findings() -> tuple[list[list[object]], list[list[object]]]:
    """Executions for each target, and what they found."""
    warm_up()
    report = fuzz.turns(TURNS, SEED)
    lines: list[list[object]] = [[name, count, report.accepted[name]] for name, count in report.given.items()]
    found: list[list[object]] = [
        [label, report.often[label], repr(data)[:120], told[:120]]
        for label, (data, told) in sorted(report.findings.items())
    ]
    return [*lines, ["all", report.given.total(), report.accepted.total()]], found


def scripts() -> Iterator[str]:
    """What other scripts of hostile doings print, as far as there are any."""
    for name, arguments in (("interrupts.py", [str(INTERRUPTS)]), ("collisions.py", [])):
        path = ROOT / "tests" / name
        if path.exists():
            done = subprocess.run(
                [sys.executable, path, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
            )
            yield f"`python tests/{' '.join([name, *arguments])}`:\n\n```\n{(done.stdout + done.stderr).strip()}\n```"


def section() -> Section:
    """Counts a target, and findings."""
    lines, found = findings()
    tables = [Table(f"Executions, seed {SEED}", ["target", "executions", "accepted"], lines)]
    if found:
        tables.append(Table("Findings", ["label", "times", "smallest seen", "told"], found))
    told = [
        (__doc__ or "").strip()
        + " A finding is a crash, a hang, a warning from a library, an undocumented status, a file read differently"
        f" by a plain reader, or a message without its line: {len(found)} findings.",
        *scripts(),
    ]
    return Section("Hostile inputs", "\n\n".join(told), tables)
