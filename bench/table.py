"""The table: its heading, its lines, and the comparison of its ratios with a baseline."""

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness import PEERS, Job, installed

COLUMNS = ("reference", "naive", *PEERS, "scipy")
WIDTHS = {"reference": 32} | dict.fromkeys(COLUMNS[1:], 15)
# A ratio that fell by more than this factor since the baseline is flagged.
WORSE = 1.3


def processor() -> str:
    """Its name, as far as the system tells."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Of Python and of every distribution measured."""
    present = [PEERS[module] for module in PEERS if installed(module)]
    return {"Python": platform.python_version()} | {
        name: version(name) for name in ("irci", "numpy", "scipy", "numba", *present)
    }


def heading() -> Iterator[str]:
    """What is measured on what, and the columns' names."""
    yield f"# {processor()}, {os.cpu_count()} cores"
    yield "# " + ", ".join(f"{name} {number}" for name, number in versions().items())
    missing = [name for module, name in PEERS.items() if not installed(module)]
    if missing:
        yield f"# not installed and left out: {', '.join(missing)}"
    yield "# times, and how many times ours they are; irci on one thread unless it says otherwise, ranx on all"
    yield _row("", "irci", {column: "naive NumPy" if column == "naive" else column for column in columns()})


def columns() -> list[str]:
    """Without those of peers that are not installed."""
    return [column for column in COLUMNS if column not in PEERS or installed(column)]


def line(job: Job) -> str:
    """A job's line of the table."""
    cells = {column: f"{shown(job.others[column])} {times(ratio):>6}" for column, ratio in job.ratios().items()}
    if job.reference:
        cells["reference"] = f"{job.reference} {cells['reference']}"
    return _row(job.name, shown(job.ours, job.unit), cells)


def _row(name: str, ours: str, cells: dict[str, str]) -> str:
    return f"{name:<56}{ours:>9}" + "".join(f"{cells.get(column, ''):>{WIDTHS[column]}}" for column in columns())


def shown(quantity: float, unit: str = "s") -> str:
    """Two or three digits and a unit; seconds in the unit that suits."""
    if unit == "s":
        unit, size = next((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 0)) if quantity >= s)
        quantity /= size or 1e-9
    return f"{quantity:.{_decimals(quantity)}f} {unit}"


def times(ratio: float) -> str:
    """A ratio."""
    return f"{ratio:.{_decimals(ratio)}f}x"


def _decimals(number: float) -> int:
    return 0 if number >= 100 else 1 if number >= 10 else 2


def comparison(ratios: dict[str, dict[str, float]], baseline: dict[str, Any]) -> Iterator[str]:
    """Each job's ratios now and in a baseline, worse where ours lost to the other."""
    yield f"\n{'# ratio to':<72}{'now':>9}{'then':>9}{'then/now':>10}"
    for name, then in baseline["versions"].items():
        now = versions().get(name, "none")
        if now != then:
            yield f"# {name} {now}, then {then}"
    for job, of_job in ratios.items():
        for column, now in of_job.items():
            then = baseline["ratios"].get(job, {}).get(column)
            quotient = f"{times(then):>9}{then / now:>10.2f}{'  WORSE' if then / now > WORSE else ''}" if then else ""
            yield f"{job:<58}{column:<14}{times(now):>9}{quotient}"
    for job in (job for job in baseline["ratios"] if job not in ratios):
        yield f"{job:<58}not measured now"
