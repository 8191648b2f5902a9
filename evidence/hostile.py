"""Damaged files and objects for all readers, command lines of all options, and weird names against a plain scorer.

Files are those of `tests/fuzz.py` (`python tests/fuzz.py 600` for more). A finding is a crash, a hang, a warning from a
library, an undocumented status, a file read differently by a plain reader, or a message without its line. Readers run with
numba's checks of array bounds, in a process of their own (`python evidence/hostile.py` prints what it counts).
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import fuzz
from fuzzing import weird
from fuzzing.targets import LINES, TARGETS, warm_up
from page import Section, Table

TURNS = 4  # of 1000 files for each reader and 200 command lines
MORE_TURNS = 100  # of the readers that were added last
LATEST = ("clusters", "seeds", "splits", "teams", "held-run", "held-qrels", "factors", "counts")
SEED = 20
WEIRD = 2000  # pairs of files
BOUNDS = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(ROOT / ".venv" / "bounds")}

Lines = list[list[object]]


def counted(report: fuzz.Report) -> tuple[Lines, Lines]:
    """Executions for each target, and what they found."""
    lines: Lines = [[name, count, report.accepted[name]] for name, count in report.given.items()]
    found: Lines = [
        [label, report.often[label], repr(data)[:120], told[:120]]
        for label, (data, told) in sorted(report.findings.items())
    ]
    return lines, found


def of_readers() -> tuple[Lines, Lines]:
    """Those of all readers, in this process."""
    warm_up(lines=False)
    report = fuzz.turns(TURNS, SEED, [name for name in TARGETS if name not in (LINES, *LATEST)])
    report.add(fuzz.turns(MORE_TURNS, SEED, LATEST))
    return counted(report)


def findings() -> tuple[Lines, Lines]:
    """Those of all targets."""
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=True, env={**os.environ, **BOUNDS}
    )
    lines, found = json.loads(done.stdout)
    warm_up()
    more, also = counted(fuzz.turns(TURNS, SEED, [LINES]))
    lines += more
    return [*lines, ["all", *(sum(line[place] for line in lines) for place in (1, 2))]], found + also


def differences() -> list[object]:
    """Pairs of weird files, those that have topics in common, topics compared, and pairs with any difference."""
    with tempfile.TemporaryDirectory() as folder:
        topics = [weird.compared(seed, Path(folder)) for seed in range(WEIRD)]
    return [WEIRD, sum(bool(each) for each in topics), sum(each or 0 for each in topics), topics.count(None)]


def section() -> Section:
    """Counts a target, findings, and differences."""
    lines, found = findings()
    names = ["pairs of files", "scored", "topics compared", "pairs that differ"]
    tables = [
        Table(f"Executions, seed {SEED}", ["target", "executions", "accepted"], lines),
        Table("Names with #, and all: AP by irci and by a plain reader and scorer", names, [differences()]),
    ]
    if found:
        tables.append(Table("Findings", ["label", "times", "smallest seen", "told"], found))
    return Section("Hostile inputs", (__doc__ or "").strip() + f" {len(found)} findings.", tables)


if __name__ == "__main__":
    print(json.dumps(of_readers()))
