"""Work in shares, a thread each: kernels run without the interpreter's lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from irci.system.interrupts import heeding

Result = TypeVar("Result")
Item = TypeVar("Item")


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_shares(work: Callable[[slice], Result], number: int, threads: int) -> list[Result]:
    """What `work` makes of each share of so many things, in order."""
    edges = [number * share // threads for share in range(threads + 1)]
    shares = [slice(low, high) for low, high in pairwise(edges) if low < high]
    work = heeding(work)
    if len(shares) < 2:
        return [work(share) for share in shares]
    with ThreadPoolExecutor(len(shares)) as pool:
        return list(pool.map(work, shares))


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """What `work` makes of each item, in order; no more results wait than there are threads."""
    work = heeding(work)
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        coming: deque[Future[Result]] = deque()
        for item in items:
            coming.append(pool.submit(work, item))
            if len(coming) > threads:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
