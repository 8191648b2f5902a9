"""The collection that first outputs are shown on: 50 topics, five runs as of today, graded judgments with holes.

A keyword run, the same with feedback, a dense run, the fusion of both kinds, and that reranked. Two kinds of noise, of
words and of meanings, make runs of one kind err alike; topics suit the one or the other. Pools of the top ranks of three of
the runs are judged, so that the others retrieve some documents nobody has seen. Seeded, from the standard library's
generator alone, so that it comes out the same everywhere.
"""

import math
import random
from collections.abc import Callable

SEED = 2026
TOPICS = range(301, 351)
DOCUMENTS = 20000
CANDIDATES = 1000  # a topic: what any of the runs could retrieve
DEPTH = 100
POOL_DEPTH = 70
POOLED = ("bm25", "dense", "hybrid")
GRADES = (1, 1, 1, 1, 2, 2, 3)  # drawn with equal chances

# How a run writes its scores, which are about -1 to 5; that of the dense run has ties
WRITTEN: dict[str, Callable[[float], str]] = {
    "bm25": lambda score: f"{11 + 3.2 * score:.6f}",
    "bm25+rm3": lambda score: f"{9 + 2.9 * score:.6f}",
    "dense": lambda score: f"{0.62 + 0.045 * score:.5f}",
    "hybrid": lambda score: f"{0.3 + 0.1 * score:.8f}",
    "reranked": lambda score: f"{-4 + 2.3 * score:.6f}",
}


def files() -> dict[str, str]:
    """The qrels and the runs, by file name."""
    rng = random.Random(SEED)
    docnos = [f"{rng.choice(('FBIS', 'FT', 'LA'))}-{number:05d}" for number in rng.sample(range(100000), DOCUMENTS)]
    lines: dict[str, list[str]] = {name: [] for name in WRITTEN}
    qrels = []
    for topic in TOPICS:
        candidates = rng.sample(docnos, CANDIDATES)
        num_relevant = round(min(max(math.exp(rng.gauss(4.3, 0.45)), 35), 180))
        grade = {docno: rng.choice(GRADES) for docno in rng.sample(candidates, num_relevant)}
        rankings = _rankings(rng, candidates, grade)
        for name, ranking in rankings.items():
            lines[name] += [
                f"{topic} Q0 {docno} {rank} {WRITTEN[name](score)} {name}"
                for rank, (docno, score) in enumerate(ranking, 1)
            ]
        pool = {docno for name in POOLED for docno, _ in rankings[name][:POOL_DEPTH]}
        qrels += [f"{topic} 0 {docno} {grade.get(docno, 0)}" for docno in sorted(pool)]
    files = {f"runs/{name}.run": text for name, text in lines.items()}
    return {name: "\n".join(text) + "\n" for name, text in {"qrels.txt": qrels, **files}.items()}


def _rankings(rng: random.Random, candidates: list[str], grade: dict[str, int]) -> dict[str, list[tuple[str, float]]]:
    """The best of one topic's documents and their scores, by run."""
    ease = rng.gauss(0, 0.35)
    words, meanings = (max(suits + ease + rng.gauss(0, 0.28), 0.45) for suits in (0.95, 1.08))  # what a grade adds
    gain = {docno: math.sqrt(grade.get(docno, 0)) for docno in candidates}
    seen = {docno: rng.gauss(0, 0.8) for docno in candidates}  # what every run gets wrong
    by_words = {docno: words * gain[docno] + seen[docno] + rng.gauss(0, 0.75) for docno in candidates}
    by_meaning = {docno: meanings * gain[docno] + seen[docno] + rng.gauss(0, 0.75) for docno in candidates}

    def run(score: Callable[[str], float], of: list[str] = candidates) -> list[tuple[str, float]]:
        scored = ((docno, score(docno)) for docno in of)
        return sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)[:DEPTH]

    hybrid = run(lambda docno: 0.5 * by_words[docno] + 0.5 * by_meaning[docno])
    fused = dict(hybrid)
    return {
        "bm25": run(lambda docno: by_words[docno] + rng.gauss(0, 0.2)),
        "bm25+rm3": run(lambda docno: by_words[docno] + 0.15 * gain[docno] + rng.gauss(0, 0.35)),
        "dense": run(lambda docno: by_meaning[docno] + rng.gauss(0, 0.2)),
        "hybrid": hybrid,
        "reranked": run(lambda docno: fused[docno] + 0.16 * gain[docno] + rng.gauss(0, 0.4), list(fused)),
    }
