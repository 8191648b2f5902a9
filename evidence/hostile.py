"""Damaged files for all readers, and command lines of all options.

Files are those of `tests/fuzz.py` (`python tests/fuzz.py 600` for more). A finding is a crash, a hang, a warning from a
library, an undocumented status, a file read differently by a plain reader, or a message without its line. Readers run with
numba's checks of array bounds, in a process of their own (`python evidence/hostile.py` prints what it counts).
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence

from commands import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import fuzz
from fuzzing.targets import LINES, TARGETS, warm_up
from page import Section, Table

TURNS, TURNS_OF_LINES = 20, 4  # of 1000 files for each reader, and of 200 command lines
SEED = 20
BOUNDS = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(ROOT / ".venv" / "bounds")}

Lines = list[list[object]]


def counted(turns: int, names: Sequence[str]) -> tuple[Lines, Lines]:
    """Executions for each target, and what they found."""
    report = fuzz.turns(turns, SEED, names)
    lines: Lines = [[name, count, report.accepted[name]] for name, count in report.given.items()]
    findings: Lines = [
        [label, repr(data)[:120], message[:120]] for label, (data, message) in sorted(report.findings.items())
    ]
    return lines, findings


def of_readers() -> tuple[Lines, Lines]:
    """Those of all readers, in this process."""
    warm_up(lines=False)
    return counted(TURNS, [name for name in TARGETS if name != LINES])


def section() -> Section:
    """Counts a target, and findings."""
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=True, env={**os.environ, **BOUNDS}
    )
    lines, findings = json.loads(done.stdout)
    warm_up()
    of_lines, in_lines = counted(TURNS_OF_LINES, [LINES])
    lines += of_lines
    findings += in_lines
    lines.append(["all", *(sum(line[place] for line in lines) for place in (1, 2))])
    tables = [Table(f"Executions, seed {SEED}", ["target", "executions", "accepted"], lines)]
    if findings:
        tables.append(Table("Findings", ["label", "shortest file", "message"], findings))
    return Section("Hostile inputs", (__doc__ or "").strip() + f" {len(findings)} findings.", tables)


if __name__ == "__main__":
    print(json.dumps(of_readers()))
