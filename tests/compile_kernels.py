"""Compile the kernels that the tests take, which are then kept: python tests/compile_kernels.py

Two processes at once, of about the same length, run lines that take kernels of different modules.
A kernel that is missing here is compiled by the first test that takes it, in each process of the tests.
"""

import multiprocessing
import sys
import time
from collections.abc import Sequence

from digits.make import computed, inputs, lines

FILES = "qrels.txt runs/bm25.run runs/hybrid.run"
ONE = "small/qrels.txt small/runs/echo.run.gz"
OF_DOCUMENTS = (
    "map-ci-wide", "baseline-median-bh", f"ap-ci -q --interval bca --published {ONE}",
    f"ap-ci -q --interval parametric {ONE}", "map-ci --scores --all-pairs small/ten.csv",
    f"map-ci --all-pairs --correction maxt --population topics {FILES}",
    f"ap-ci -B 0 --ties rank {FILES}",
)  # fmt: skip
OF_MEASURES = (
    "partition-anova-redraw", "partition-anova-versions", "swap-error-versions", "swap-error-fuzziness-table",
    "swap-error --procedure swap --sizes 10,40 small/qrels.txt small/runs/*", "judgments", "ap-ci-all-measures",
    "compare -m nDCG@10 --judge llm.qrels people.qrels runs/bm25.run runs/hybrid.run runs/reranked.run", "ap-ci-unjudged-2",
    f"ap-ci -q -m P_10 -m Rprec -m ndcg_cut_10 -m map --interval percentile {ONE}",
    f"compare --population judgments -m nDCG -m nDCG@10 -m RR -m Rprec {FILES}",
)  # fmt: skip


def run(names: Sequence[str]) -> None:
    """Run lines, most of them by their names in tests/digits."""
    with inputs():
        for name in names:
            computed(lines().get(name, name))


def main() -> None:
    """Run both parts; status 1 if one of them fails."""
    start = time.perf_counter()
    processes = [multiprocessing.Process(target=run, args=(names,)) for names in (OF_DOCUMENTS, OF_MEASURES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print(f"kernels of the tests are there after {time.perf_counter() - start:.0f} s")
    sys.exit(any(process.exitcode for process in processes))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
