"""Calls made in turns and timed, jobs, and the check that two programs compute the same."""

import importlib.util
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import irci

# Modules that may be missing, and the distributions that have them; scipy is a dependency.
PEERS = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}
# A call is not made again once it has taken so many seconds.
ENOUGH = 3.0
# Where the irci lies whose functions are measured. Commands are run there, since `python -m` looks there first.
TREE = Path(irci.__file__).resolve().parent.parent

Call = Callable[[], Any]


@dataclass(frozen=True)
class Part:
    """A call that does 1 / `share` of the work."""

    call: Call
    share: float


@dataclass(frozen=True)
class Job:
    """A line of the table: our time, those of others by column, what the reference is, and what each call returned."""

    name: str
    ours: float
    others: dict[str, float] = field(default_factory=dict)
    reference: str = ""
    unit: str = "s"
    results: dict[str, Any] = field(default_factory=dict)

    def ratios(self) -> dict[str, float]:
        """Of the others' times to ours."""
        return {column: theirs / self.ours for column, theirs in self.others.items()}


def installed(module: str) -> bool:
    """Whether it can be imported."""
    return importlib.util.find_spec(module) is not None


def in_turns(calls: dict[str, Call], rounds: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The median time of each call and what it returned; in turns, so that a slower machine slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    results = {}
    for _ in range(rounds):
        for name, call in calls.items():
            if sum(times[name]) < ENOUGH:
                start = time.perf_counter()
                results[name] = call()
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}, results


def measured(
    name: str, ours: Call, *, reference: tuple[str, Call] | None = None, rounds: int = 5, **others: Call | Part | None
) -> Job:
    """Our call, compiled before, and the others' by column, None if not installed; `reference`: its name and call."""
    label, others["reference"] = reference or ("", None)
    parts = {column: each if isinstance(each, Part) else Part(each, 1) for column, each in others.items() if each}
    times, results = in_turns({"irci": ours} | {column: part.call for column, part in parts.items()}, rounds)
    theirs = {column: times[column] * part.share for column, part in parts.items()}
    return Job(name, times["irci"], theirs, label, results=results)


def agree(what: str, ours: Any, theirs: Any, tolerance: float) -> None:
    """Stop where two programs did not compute the same."""
    apart = np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))
    assert apart <= tolerance, f"{what}: {apart:.2g} apart, more than {tolerance:.2g}"


def output_of(command: list[str]) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=TREE).stdout
