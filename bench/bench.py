"""Speed as ratios to plain versions of the same and to other programs that do it: make bench

One table of medians, each call timed in turns with ours; the machine's own speed drifts, so read the ratios. Programs
that are not installed are left out. Where two compute the same, that they do is checked (see README.md here).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Container, Iterator
from itertools import chain
from pathlib import Path

# Before NumPy: its products of matrices, on as many threads as there are, would be at the mercy of what else runs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The plain versions and the rankings made for tests.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import commands
import documents
import reading
import studies
from harness import Job
from table import comparison, heading, line, processor, versions

# Parts that can be measured by themselves: what needs nothing; what needs a folder of its own, and TREC-8's qrels and runs.
ALONE: dict[str, list[Callable[[], Iterator[Job]]]] = {
    "documents": [documents.corpus_bootstrap, documents.every_measure, documents.paired_bootstrap],
    "topics": [studies.sign_flips],
    "studies": [studies.residual_bootstrap, studies.swap_errors],
    "start": [commands.start_up],
}
OF_TREC8: dict[str, Callable[[Path, list[Path]], Iterator[Job]]] = {
    "reading": lambda qrels, runs: chain(
        reading.read_and_score(qrels, runs), reading.few_and_many(qrels, runs), reading.from_memory(runs)
    ),
    "commands": lambda qrels, runs: commands.scoring_commands(qrels, runs),
}
PARTS = (*ALONE, *OF_TREC8, "large-scores")


def all_jobs(parts: Container[str]) -> Iterator[Job]:
    """Every line of these parts, as soon as it is measured."""
    for name, functions in ALONE.items():
        for function in functions if name in parts else ():
            yield from function()
    if reading.TREC8.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            qrels, runs = reading.unpacked(Path(folder))
            for name, of_runs in OF_TREC8.items():
                if name in parts:
                    yield from of_runs(qrels, runs)
    if "large-scores" in parts:
        with tempfile.TemporaryDirectory() as folder:
            yield from commands.large_scores(Path(folder))


def main() -> None:
    """Print the table, and save or compare its ratios; a saved file keeps those of parts that are not measured."""
    parser = argparse.ArgumentParser(description="Measure speed as ratios to naive versions and peers.")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the ratios, with versions, to this JSON file")
    parser.add_argument("--compare", metavar="FILE", type=Path, help="show the ratios beside those of a saved file")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"all, or {', '.join(PARTS)}")
    options = parser.parse_args()
    parts = options.parts or PARTS
    baseline = json.loads(options.compare.read_text()) if options.compare else None
    print(*heading(), sep="\n", flush=True)
    ratios = {}
    for job in all_jobs(parts):
        print(line(job), flush=True)
        if job.others:
            ratios[job.name] = {column: float(f"{ratio:.3g}") for column, ratio in job.ratios().items()}
    if options.save:
        saved = {"machine": f"{processor()}, {os.cpu_count()} cores", "versions": versions(), "ratios": ratios}
        if options.parts and options.save.exists():
            then = json.loads(options.save.read_text())
            saved = then | {"ratios": then["ratios"] | ratios}
        options.save.write_text(json.dumps(saved, indent=2, ensure_ascii=False) + "\n")
    if baseline:
        print(*comparison(ratios, baseline), sep="\n")


if __name__ == "__main__":
    main()
