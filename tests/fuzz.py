"""Give the checks of fuzzing/ mutants of valid files and hostile lines: python tests/fuzz.py SECONDS [SEED [TARGET ...]]

With NUMBA_BOUNDSCHECK=1, and a NUMBA_CACHE_DIR of its own, kernels look whether places are in their arrays too.
"""

import json
import logging
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fuzzing.findings import Finding, limits, outcome
from fuzzing.targets import LINES, TARGETS, maker, warm_up

IN_A_TURN, LINES_IN_A_TURN = 1000, 200


@dataclass
class Report:
    """How many files each target was given and accepted; the shortest file of each finding, with its message."""

    given: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)


def fuzz(name: str, make: Callable[[], bytes], number: int, report: Report, stop: float = math.inf) -> None:
    """So many checks of a target, or until `stop` (of the monotonic clock)."""
    with limits():
        for _ in range(number):
            if time.monotonic() > stop:
                break
            data = make()
            report.given[name] += 1
            try:
                report.accepted[name] += outcome(name, TARGETS[name], data)
            except Finding as finding:
                shortest, _ = report.findings.get(finding.label, (data, ""))
                if len(data) <= len(shortest):
                    report.findings[finding.label] = data, str(finding)[:300]


def turns(number: int, seed: int, names: Sequence[str] = (), stop: float = math.inf) -> Report:
    """Fuzz the targets in turns, so many of them, or until `stop`."""
    logging.disable(logging.INFO)  # what is left out is told once a file
    report = Report()
    for turn in range(number):
        for name in names or TARGETS:
            in_this_turn = LINES_IN_A_TURN if name == LINES else IN_A_TURN
            fuzz(name, maker(name, seed * 1_000_003 + turn), in_this_turn, report, stop)
        if time.monotonic() > stop:
            break
    return report


def main(seconds: float, seed: int = 0, *names: str) -> None:
    """Print what came out in so long."""
    warm_up()
    report = turns(1_000_000, seed, names, time.monotonic() + seconds)
    for name, count in report.given.items():
        print(f"{name}\t{count}\t{report.accepted[name]} accepted")
    for label, (data, message) in report.findings.items():
        print(json.dumps({"label": label, "file": repr(data), "message": message}))


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:])
