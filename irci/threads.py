"""Work in shares, a thread each: kernels run without the interpreter's lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Result = TypeVar("Result")


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_shares(work: Callable[[slice], Result], number: int, threads: int) -> list[Result]:
    """What `work` makes of each share of so many things, in order."""
    edges = [number * share // threads for share in range(threads + 1)]
    shares = [slice(low, high) for low, high in pairwise(edges) if low < high]
    if len(shares) < 2:
        return [work(share) for share in shares]
    with ThreadPoolExecutor(len(shares)) as pool:
        return list(pool.map(work, shares))
