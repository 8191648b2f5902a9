"""Speed as ratios, each measured in one run against a naive version: make bench"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from irci.corpus_bootstrap import StepTables, resampled_scores
from irci.resampling import topic_keys

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import naive
from conftest import lists_of, random_ranking


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def corpus_bootstrap() -> None:
    """One thread against the literal NumPy bootstrap: 60 runs, 50 topics, 2000 resamples, depth 1000."""
    rng = np.random.default_rng(1)
    runs = [[(random_ranking(rng, 1000, 0.115), 90) for _ in range(50)] for _ in range(60)]
    lists = [lists_of(*rankings) for rankings in runs]
    relevant = sum(len(each.ranks) for each in lists)
    keys = topic_keys([b"%d" % number for number in range(50)])
    tables = StepTables()

    def ours() -> None:
        for each in lists:
            resampled_scores(each, keys, resamples=2000, seed=1, tables=tables)

    def theirs() -> None:
        for relevance, num_relevant in runs[0][:10]:
            naive.resampled_ap(relevance, num_relevant, 2000, rng)

    ours()
    fast, slow = seconds(ours), seconds(theirs, 1) * 60 * 50 / 10
    print(f"corpus bootstrap, {relevant / 3000:.0f} retrieved relevant documents a list, one thread:")
    nanoseconds = fast / relevant / 2000 * 1e9
    print(f"  {fast:.2f} s, {nanoseconds:.1f} ns a document and resample, {slow / fast:.0f} times the literal one")


if __name__ == "__main__":
    corpus_bootstrap()
