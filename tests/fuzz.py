"""Give the checks of fuzzing/ mutants of valid files: python tests/fuzz.py SECONDS [SEED [TARGET ...]]"""

import json
import math
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from fuzzing.findings import Finding, limits, outcome
from fuzzing.mutants import Mutator
from fuzzing.targets import SEEDS, TARGETS, corpus, warm_up


@dataclass
class Report:
    """How many files each target was given and accepted, and the shortest file of each finding."""

    given: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    often: Counter[str] = field(default_factory=Counter)

    def note(self, finding: Finding, data: bytes) -> None:
        """Keep the file if it is the shortest of its kind."""
        self.often[finding.label] += 1
        if finding.label not in self.findings or len(data) < len(self.findings[finding.label][0]):
            self.findings[finding.label] = data, str(finding)[:300]


def fuzz(name: str, number: int, seed: int, report: Report, stop: float = math.inf) -> None:
    """So many mutants for one target, or until `stop` (of the monotonic clock)."""
    mutator = Mutator(seed)
    found = [path.read_bytes() for path in corpus(name) if path.stat().st_size < 4096]
    seeds = SEEDS[name] * (1 + 2 * len(found) // len(SEEDS[name])) + found  # most mutants come from what is valid
    with limits():
        for _ in range(number):
            if time.monotonic() > stop:
                break
            data = mutator.mutant(seeds)
            report.given[name] += 1
            try:
                report.accepted[name] += outcome(name, TARGETS[name], data)
            except Finding as finding:
                report.note(finding, data)


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


def main(seconds: float, seed: int = 0, *names: str) -> None:
    """Fuzz the targets in turns, then print what came out, findings minimised."""
    warm_up()
    began = time.monotonic()
    report = Report()
    turn = 0
    while time.monotonic() < began + seconds:
        for name in names or TARGETS:
            fuzz(name, 1000, seed * 1_000_003 + turn, report, began + seconds)
        turn += 1
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
