"""Speed as ratios to plain versions of the same and to other programs that do it: make bench

One table of medians, each call timed in turns with ours; the machine's own speed drifts, so read the ratios. Programs
that are not installed are left out. Where two compute the same, that they do is checked (see README.md here).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before NumPy: its products of matrices, on as many threads as there are, would be at the mercy of what else runs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The plain versions and the rankings made for tests.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import commands
import documents
import formats
import reading
import studies
import topics
from harness import Job
from starts import Start, starts
from table import comparison, heading, line, line_of_start, processor, versions


def all_jobs() -> Iterator[Job]:
    """Every line, as soon as it is measured."""
    yield from documents.corpus_bootstrap()
    yield from documents.every_measure()
    yield from documents.paired_bootstrap()
    yield from studies.residual_bootstrap()
    yield from topics.topic_bootstrap()
    yield from topics.sign_flips()
    yield from studies.swap_errors()
    yield from documents.stages()
    if reading.TREC8.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            qrels, runs = reading.unpacked(Path(folder))
            yield from reading.read_and_score(qrels, runs)
            yield from reading.few_and_many(qrels, runs)
            yield from reading.from_memory(runs)
            yield from formats.each_format(Path(folder) / "formats", runs)
            yield from commands.scoring_commands(qrels, runs)
    with tempfile.TemporaryDirectory() as folder:
        yield from commands.large_scores(Path(folder))
    yield from commands.start_up()


def all_starts() -> Iterator[Start]:
    """Processor seconds of whole processes."""
    if reading.TREC8.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            qrels, runs = reading.unpacked(Path(folder))
            yield from starts(qrels, runs)


def main() -> None:
    """Print the table, and save or compare its ratios."""
    parser = argparse.ArgumentParser(description="Measure speed as ratios to naive versions and peers.")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the ratios, with versions, to this JSON file")
    parser.add_argument("--compare", metavar="FILE", type=Path, help="show the ratios beside those of a saved file")
    options = parser.parse_args()
    baseline = json.loads(options.compare.read_text()) if options.compare else None
    print(*heading(), sep="\n", flush=True)
    ratios = {}
    for job in all_jobs():
        print(line(job), flush=True)
        if job.others:
            ratios[job.name] = {column: float(f"{ratio:.3g}") for column, ratio in job.ratios().items()}
    print("\n# processor time of a start, user and system: median, least of 20 in turns, ratio of medians to the first")
    for start in all_starts():
        print(line_of_start(start), flush=True)
        ratios[f"start: {start.name}"] = {"reference": float(f"{start.ratio:.3g}")}
    if options.save:
        saved = {"machine": f"{processor()}, {os.cpu_count()} cores", "versions": versions(), "ratios": ratios}
        options.save.write_text(json.dumps(saved, indent=2, ensure_ascii=False) + "\n")
    if baseline:
        print(*comparison(ratios, baseline), sep="\n")


if __name__ == "__main__":
    main()
