"""Whole processes from their start, in processor seconds: what a pipeline pays each time that it calls a command."""

import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from commands import IRCI
from harness import TREE, installed

ROUNDS = 20
# A process is not started again once it has taken so many seconds.
ENOUGH = 20.0

# MAP of a run by each program, as its documentation has it: qrels and run are arguments.
PYTREC_EVAL = """
import sys, pytrec_eval
qrels, run = sys.argv[1:]
with open(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map"})
with open(run) as file:
    scores = evaluator.evaluate(pytrec_eval.parse_run(file))
print(sum(each["map"] for each in scores.values()) / len(scores))
"""
RANX = """
import sys, ranx
qrels, run = sys.argv[1:]
print(ranx.evaluate(ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec"), "map"))
"""


class Start(NamedTuple):
    """Processor seconds of a program's starts, and how many times the first one's median they are."""

    name: str
    median: float
    least: float
    ratio: float


def starts(qrels: Path, runs: list[Path]) -> Iterator[Start]:
    """All programs in turns; ratios to `irci ap-ci -B 0`, which does what the others do."""
    processes = dict(_commands(qrels, runs)) | dict(_peers(qrels, runs[0]))
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    for command in processes.values():
        processor_seconds(command)
    for _ in range(ROUNDS):
        for name, command in processes.items():
            if sum(seconds[name]) < ENOUGH:
                seconds[name].append(processor_seconds(command))
    unit = statistics.median(next(iter(seconds.values())))
    for name, each in seconds.items():
        yield Start(name, statistics.median(each), min(each), statistics.median(each) / unit)


def _commands(qrels: Path, runs: list[Path]) -> Iterator[tuple[str, list[str]]]:
    one, few = [str(qrels), str(runs[0])], [str(qrels), *map(str, runs[:5])]
    yield "irci ap-ci -B 0, one run", [*IRCI, "ap-ci", "-B", "0", *one]
    yield "irci ap-ci, one run", [*IRCI, "ap-ci", *one]
    yield "irci map-ci, one run", [*IRCI, "map-ci", *one]
    yield "irci partition-anova, five runs", [*IRCI, "partition-anova", *few]
    yield "irci stdap-ci, five runs", [*IRCI, "stdap-ci", *few]
    yield "irci swap-error, five runs", [*IRCI, "swap-error", *few]
    yield "irci wcw --variance", [*IRCI, "wcw", "--variance", "AP=.0471", "--width", ".05,.1"]
    yield "irci --help", [*IRCI, "--help"]


def _peers(qrels: Path, run: Path) -> Iterator[tuple[str, list[str]]]:
    """Those that are there, and what no process in Python can do without."""
    one = [str(qrels), str(run)]
    if program := shutil.which("trec_eval"):
        yield "trec_eval -m map, one run", [program, "-m", "map", *one]
    if installed("pytrec_eval"):
        yield "pytrec_eval, map of one run", [sys.executable, "-c", PYTREC_EVAL, *one]
    if installed("ir_measures"):
        yield "ir_measures, AP of one run", [sys.executable, "-m", "ir_measures", *one, "AP"]
    if installed("ranx"):
        yield "ranx, map of one run", [sys.executable, "-c", RANX, *one]
    for what in ("pass", "import click", "import numpy", "import numba"):
        yield f"python -c '{what}'", [sys.executable, "-c", what]


def processor_seconds(command: list[str]) -> float:
    """User and system time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=TREE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
