"""The bootstrap over documents: of single runs, and of pairs of them."""

from collections.abc import Callable, Iterator
from functools import partial
from unittest.mock import patch

import naive
import numpy as np
from harness import Job, Part, agree, measured
from helpers import lists_of, random_ranking, resampled_scores
from studies import TOPICS

from irci.base.types import offsets, owners
from irci.data.collection import Relevance
from irci.estimators.documents import ADDED_UP, lowest_rank
from irci.estimators.joint_resamples import Rankings, paired_replicates
from irci.measures import MAP, parse


def corpus_bootstrap() -> Iterator[Job]:
    """Against the literal NumPy bootstrap: 60 runs, 50 topics, 2000 resamples, depth 1000."""
    rng = np.random.default_rng(1)
    runs = [[(random_ranking(rng, 1000, 0.115), 90) for _ in range(50)] for _ in range(60)]
    lists = [lists_of(*rankings) for rankings in runs]
    relevant = sum(len(each.ranks) for each in lists)

    def ours(threads: int) -> np.ndarray:
        scores = [resampled_scores(e, TOPICS, resamples=2000, seed=1, threads=threads) for e in lists]
        return scores[0][0]

    def literal() -> np.ndarray:
        scores = [naive.resampled_ap(*ranking, 500, rng) for rankings in runs[::15] for ranking in rankings[::10]]
        return scores[0]

    ours(2)
    share = (60 * 50 / 20) * (2000 / 500)
    one = measured("corpus bootstrap, 60 x 50 lists x 2000", lambda: ours(1), naive=Part(literal, share))
    first, second = one.results["irci"], one.results["naive"]
    agree("mean resampled AP", first.mean(), second.mean(), 5 * second.std() / np.sqrt(500))
    yield one
    yield Job(f"corpus bootstrap, a relevant document ({relevant / 3000:.0f} a list)", one.ours / relevant / 2000)
    yield measured(
        "corpus bootstrap, two threads", lambda: ours(2), reference=("one thread", lambda: ours(1)), rounds=3
    )


def every_measure() -> Iterator[Job]:
    """Rankings written down and scored by the measure itself, one thread: a judged document that can come above the cut."""
    rng = np.random.default_rng(3)
    found = lists_of(*[(random_ranking(rng, 1000, 0.115), 90) for _ in range(50)])._replace(graded=True)
    classes = rng.integers(0, 2, len(found.ranks)).astype(np.int32)
    judged = found._replace(
        classes=classes, gains=np.array([0.0, 1.0]), counts=np.tile([60, 60], (50, 1)), graded=False
    )
    for name in ("map", "recip_rank", "RR@10", "ndcg_cut_10", "Q", "ERR", "rbp", "bpref", "infAP"):
        (measure,) = parse(name)
        lists = judged if measure.family.sight == "judgments" else found
        calls = partial(resampled_scores, lists, TOPICS, resamples=2000, seed=1, measure=measure)
        within = (lists.ranks <= lowest_rank(measure, lists.num_relevant)[owners(lists.offsets)]).sum()

        def written_down(calls: Callable[[], np.ndarray] = calls) -> np.ndarray:
            with patch.dict(ADDED_UP, clear=True):
                return calls()

        one = measured(f"{name}, written down", written_down, reference=("its own way", calls))
        yield one
        yield Job(f"{name}, a judged document within reach ({within / 50:.0f} a list)", one.ours / within / 2000)


def paired_bootstrap() -> Iterator[Job]:
    """Pairs of runs: 50 topics, 2000 resamples, depth 1000, one thread; against the literal one, and single runs."""
    rng = np.random.default_rng(2)
    runs = [[] for _ in range(41)]
    relevant, universes = [], []
    for topic in range(50):
        hits = random_ranking(rng, 3000, 0.05)
        documents = np.array([f"{'r' if hit else 'n'}{topic}-{i}" for i, hit in enumerate(hits)])
        relevant.append([d for d in documents if d[0] == "r"])
        universes.append({d: number for number, d in enumerate(documents.tolist())})
        for run in runs:
            order = np.argsort(np.arange(3000) + 300 * rng.standard_normal(3000))
            run.append(documents[order][:1000].tolist())
    rankings = [_rankings_of(run, relevant, universes) for run in runs]
    lists = [
        lists_of(*(([int(d[0] == "r") for d in r], len(rel)) for r, rel in zip(run, relevant, strict=True)))
        for run in runs
    ]

    def together(some: int) -> None:
        together = rankings[0]._replace(runs=[each.runs[0] for each in rankings[:some]])
        for _ in paired_replicates(together, TOPICS, resamples=2000, seed=1):
            pass

    def singly() -> None:
        for each in lists[:40]:
            resampled_scores(each, TOPICS, resamples=2000, seed=1)

    def literal() -> None:
        for topic in range(0, 50, 10):
            naive.resampled_together([runs[0][topic], runs[1][topic]], relevant[topic], 200, rng)

    together(2), singly()
    yield measured("paired bootstrap, 2 runs x 50 topics x 2000", lambda: together(2), naive=Part(literal, 10 * 10))
    yield measured(
        "paired bootstrap, 40 runs and their baseline", lambda: together(41), reference=("40 single runs", singly)
    )


def _rankings_of(run: list[list[str]], relevant: list[list[str]], universes: list[dict[str, int]]) -> Rankings:
    """One run's rankings, with made-up hashes of all documents, which are numbered topic by topic."""

    def numbers(docnos: list[list[str]]) -> list[np.ndarray]:
        return [np.array([*map(of.get, own)], np.int32) for of, own in zip(universes, docnos, strict=True)]

    cut = [ranking[: max(i + 1 for i, d in enumerate(ranking) if d[0] == "r")] for ranking in run]
    words = [np.array([naive.docno_hash(d.encode()) for d in universe], np.uint64) for universe in universes]
    sizes = [*map(len, relevant)]
    return Rankings(
        [numbers(cut)], words, np.concatenate(numbers(relevant)), np.zeros(sum(sizes), np.int32), offsets(sizes),
        _relevance(sizes), MAP,
    )  # fmt: skip


def _relevance(counts: list[int]) -> Relevance:
    """So many relevant documents a topic, all alike."""
    per_topic = np.array(counts, np.int64)[:, np.newaxis]
    return Relevance(np.zeros(sum(counts), np.int32), np.ones(1), per_topic, level=1, most=1, graded=False)
