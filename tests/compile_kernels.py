"""Compile the kernels that the tests take, which are then kept: python tests/compile_kernels.py

Two processes at once, of about the same length, run golden cases and other lines, which take kernels of different modules.
A kernel that is missing here is compiled by the first test that takes it, in each process of the tests.
"""

import multiprocessing
import sys
import time
from collections.abc import Sequence

from command_lines import said
from helpers import TESTDATA

FILES = "testdata/qrels.txt testdata/runs/bm25.run testdata/runs/hybrid.run"
OF_DOCUMENTS = (
    "map-ci-wide", "map-ci-median-tsv", "ap-ci-bca", "ap-ci-delta", "map-ci-scores",
    f"irci map-ci --all-pairs --correction maxt --population topics {FILES}",
    f"irci ap-ci -B 0 --ties rank {FILES}",
)  # fmt: skip
OF_MEASURES = (
    "partition-anova-redraw", "partition-anova-versions", "swap-error-swap", "swap-error-versions",
    "swap-error-fuzziness-table", "map-ci-judgments", "map-ci-judge", "ap-ci-unjudged", "ap-ci-measures",
    f"irci compare --population judgments -m nDCG -m nDCG@10 -m RR -m Rprec {FILES}", "ap-ci-all-measures",
)  # fmt: skip


def run(lines: Sequence[str]) -> None:
    """Lines, or golden cases by their names; RuntimeError if one does not end well."""
    for line in lines:
        typed = line if " " in line else (TESTDATA / "golden" / line / "cmd").read_text()
        status, printed = said(typed)
        if status:
            raise RuntimeError(f"{typed}: {status}: {printed}")


def main() -> None:
    """Run both parts; status 1 if one of them fails."""
    start = time.perf_counter()
    processes = [multiprocessing.Process(target=run, args=(lines,)) for lines in (OF_DOCUMENTS, OF_MEASURES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(f"kernels of the tests are there after {time.perf_counter() - start:.0f} s")
    sys.exit(any(process.exitcode for process in processes))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
