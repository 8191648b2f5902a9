"""Runs scored by the workers of joblib or dask, a task each, and compared here:

python examples/cluster.py --dask tcp://scheduler:8786 --baseline bm25 -m nDCG@10 qrels.txt runs/*

What compares runs needs the scores of all of them and no more, so that it is done once, in one place: pairs, ranks, and p
adjusted for all pairs are the same as of one process. Workers read the files, and so must see them under the same names.
"""

import argparse
import sys
from collections.abc import Sequence

import irci

Scores = dict[str, dict[str, dict[str, float]]]  # of runs, by measure, by topic
Task = tuple[str, str, list[str]]  # qrels, a run, measures


def scored(task: Task) -> tuple[Scores, Sequence[str]]:
    """Scores of one run to the last digit, and what is warned of: what a worker sends back."""
    qrels, run, measures = task
    report = irci.score(qrels, run, measures=measures, no_summary=True, threads=1)
    scores: Scores = {}
    for row in report.table("topic").rows:
        scores.setdefault(row["run"], {}).setdefault(row["measure"], {})[row["topic"]] = row["value"]
    return scores, report.warnings


def by_joblib(tasks: list[Task], backend: str) -> list[tuple[Scores, Sequence[str]]]:
    """The same of each task: loky, threading, or what else joblib knows, as ray is once it is registered."""
    import joblib

    with joblib.parallel_config(backend=backend, n_jobs=-1):
        return list(joblib.Parallel()(joblib.delayed(scored)(task) for task in tasks))


def by_dask(tasks: list[Task], scheduler: str) -> list[tuple[Scores, Sequence[str]]]:
    """The same by the scheduler at an address, or by one of this machine: processes, threads, synchronous."""
    import dask

    found = [dask.delayed(scored)(task) for task in tasks]
    if ":" not in scheduler:
        return list(dask.compute(*found, scheduler=scheduler))
    from dask.distributed import Client

    with Client(scheduler):
        return list(dask.compute(*found))


def main() -> None:
    """Print what `irci map-ci --scores` prints of all runs' scores; what workers warn of goes to standard error, each once."""
    parser = argparse.ArgumentParser(description="Score runs by many workers, and compare them.")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--joblib", metavar="BACKEND", default="loky")
    where.add_argument("--dask", metavar="ADDRESS")
    parser.add_argument("-m", dest="measures", metavar="MEASURE", action="append")
    parser.add_argument("--baseline", help="a run's name, to be compared with each of the others; all pairs without")
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    asked = parser.parse_args()
    measures = asked.measures or ["map"]
    tasks = [(asked.qrels, run, measures) for run in asked.runs]
    try:
        found = by_dask(tasks, asked.dask) if asked.dask else by_joblib(tasks, asked.joblib)
    except irci.IrciError as error:
        sys.exit(str(error))
    for warning in dict.fromkeys(warning for _, warnings in found for warning in warnings):
        print(warning, file=sys.stderr)
    scores: Scores = {}
    for each, _ in found:
        if scores.keys() & each.keys():
            sys.exit(f"two runs are called {', '.join(scores.keys() & each.keys())}")
        scores |= each
    report = irci.map_ci(scores=scores, measures=measures, baseline=asked.baseline, all_pairs=asked.baseline is None)
    print(report.to_text("text"), end="")


if __name__ == "__main__":
    main()
