"""Whole commands, start-up included."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness import TREE, Job, agree, installed, measured, output_of
from large_scores import FORMATS, lines, made
from reading import copies_beside
from scorers import MEASURES

# Not the script of the environment: PYTHONPATH decides what is measured.
IRCI = [sys.executable, "-m", "irci"]
# What no process can do without: any, and one with compiled functions.
BARE = ("python -c pass", partial(output_of, [sys.executable, "-c", "pass"]))
IMPORTS = ("import numba", partial(output_of, [sys.executable, "-c", "import numba"]))


def scoring_commands(qrels: Path, runs: list[Path]) -> Iterator[Job]:
    """From qrels and runs to printed lines."""
    command = [*IRCI, "ap-ci", "--quiet"]
    theirs = [sys.executable, "-m", "ir_measures", str(qrels), str(runs[0]), "AP"]
    job = measured(
        "irci ap-ci -B 0 on one run",
        lambda: output_of([*command, "-B", "0", "--table", "estimate", str(qrels), str(runs[0])]),
        reference=IMPORTS,
        ir_measures=(lambda: output_of(theirs)) if installed("ir_measures") else None,
    )
    if "ir_measures" in job.others:
        ours, expected = (job.results[name].split() for name in ("irci", "ir_measures"))
        agree("printed map", float(ours[ours.index("all") + 1]), float(expected[1]), 1e-4)
    yield job
    command += ["-q", str(qrels)]
    yield measured(
        "irci ap-ci -q on one run, 1000 resamples", lambda: output_of([*command, str(runs[0])]), reference=IMPORTS
    )
    measures = [part for name in MEASURES for part in ("-m", name)]
    many = [*command, "--names", "file", "-B", "0", *measures, *map(str, copies_beside(qrels))]
    yield measured("irci ap-ci -q -B 0, 129 runs x 50 topics x 20 measures", lambda: output_of(many), rounds=3)
    yield Job("irci ap-ci -q on 41 runs, peak memory", peak_memory([*command, *map(str, runs)]), unit="MB")


def large_scores(folder: Path) -> Iterator[Job]:
    """Reading of large files of scores, with a comparison, and ranks of 1,000 runs on 7,000 topics."""
    ours = {form: folder / form for form in FORMATS}
    for form, path in ours.items():
        runs = 1000 if form == "matrix" else 200
        with path.open("w") as file:
            file.writelines(lines(form, made(runs, 7000)))
        command = [*IRCI, "map-ci", "--quiet", "--scores", "--baseline", "run0000", str(path)]
        name = f"irci map-ci --baseline, {form} of {runs} runs x 7000 topics"
        yield measured(name, partial(output_of, command), rounds=3, reference=IMPORTS)
        yield Job(f"{name}, peak memory", peak_memory(command), unit="MB")
    ranks = [*IRCI, "map-ci", "--quiet", "--scores", "--ranks", str(ours["matrix"])]
    yield measured("irci map-ci --ranks, 1000 runs x 7000 topics", partial(output_of, ranks), rounds=1)
    yield Job("irci map-ci --ranks, 1000 runs x 7000 topics, peak memory", peak_memory(ranks), unit="MB")


def peak_memory(command: list[str]) -> float:
    """In MB, measured by a small process of its own: a child counts what its parent had when it was born."""
    measure = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    return float(
        subprocess.run([sys.executable, "-c", measure, *command], check=True, capture_output=True, cwd=TREE).stdout
    )


def start_up() -> Iterator[Job]:
    """How long a user waits for help."""
    yield measured("irci --help", lambda: output_of([*IRCI, "--help"]), rounds=9, reference=BARE)
