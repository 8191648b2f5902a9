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
    """How many files each target was given and accepted, and the shortest file of each finding."""

    given: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    often: Counter[str] = field(default_factory=Counter)

    def note(self, label: str, data: bytes, told: str) -> None:
        """Keep the file if it is the shortest of its kind."""
        if label not in self.findings or len(data) < len(self.findings[label][0]):
            self.findings[label] = data, told

    def add(self, other: "Report") -> None:
        """What another has counted and found."""
        self.given += other.given
        self.accepted += other.accepted
        self.often += other.often
        for label, finding in other.findings.items():
            self.note(label, *finding)


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
                report.often[finding.label] += 1
                report.note(finding.label, data, str(finding)[:300])


def shrink(name: str, data: bytes, label: str) -> bytes:
    """A shorter file with the same finding: stretches left out as long as that works."""

    def same(candidate: bytes) -> bool:
        try:
            outcome(name, TARGETS[name], candidate)
        except Finding as finding:
            return finding.label == label
        return False

    size = max(len(data) // 2, 1)
    while size:
        place = 0
        while place < len(data):
            candidate = data[:place] + data[place + size :]
            if same(candidate):
                data = candidate
            else:
                place += size
        size //= 2
    return data


def turns(number: int, seed: int, names: Sequence[str] = (), stop: float = math.inf) -> Report:
    """Fuzz the targets in turns, so many of them, or until `stop`."""
    logging.disable(logging.INFO)  # what is left out is told once a file
    report = Report()
    for turn in range(number):
        for name in names or TARGETS:
            each = LINES_IN_A_TURN if name == LINES else IN_A_TURN
            fuzz(name, maker(name, seed * 1_000_003 + turn), each, report, stop)
        if time.monotonic() > stop:
            break
    return report


def main(seconds: float, seed: int = 0, *names: str) -> None:
    """Print what came out in so long, findings minimised."""
    warm_up()
    began = time.monotonic()
    report = turns(1_000_000, seed, names, began + seconds)
    spent = time.monotonic() - began
    for name, count in report.given.items():
        print(f"{name}\t{count}\t{report.accepted[name]} accepted")
    print(f"all\t{report.given.total()}\t{report.given.total() / spent:.0f} a second")
    with limits():
        for label, (data, told) in report.findings.items():
            smallest = shrink(label.split(":")[0], data, label)
            print(json.dumps({"label": label, "times": report.often[label], "file": repr(smallest), "told": told}))


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:])
