"""Several collections that three runs have searched, as BEIR is: in some a dense run does better than bm25, in one worse.

Each has its own number of topics, and every topic a few judged candidates, of which runs retrieve the best ten. Seeded, from
the standard library's generator alone, so that it comes out the same everywhere.
"""

import random

SEED = 2021
DEPTH = 10
CANDIDATES = 40
# name: (topics, what a grade adds to the score of bm25, dense and hybrid)
COLLECTIONS = {
    "arguments": (24, (1.05, 0.80, 1.10)),
    "biomedical": (14, (0.95, 1.05, 1.20)),
    "encyclopedia": (36, (1.00, 1.40, 1.45)),
    "finance": (18, (0.55, 0.80, 0.85)),
    "news": (12, (1.10, 1.15, 1.30)),
    "questions": (30, (0.80, 1.25, 1.25)),
}
RUNS = ("bm25", "dense", "hybrid")


def files() -> dict[str, str]:
    """The qrels and the runs of each collection, by file name."""
    rng = random.Random(SEED)
    found: dict[str, list[str]] = {}
    for name, (topics, skills) in COLLECTIONS.items():
        for topic in range(1, topics + 1):
            docnos = [f"{name[:3]}{number:04d}" for number in rng.sample(range(10000), CANDIDATES)]
            grade = {docno: rng.choice((1, 1, 2)) for docno in docnos[: rng.randint(3, 9)]}
            found.setdefault(f"{name}/qrels.txt", []).extend(f"{topic} 0 {docno} {of}" for docno, of in grade.items())
            pull = {docno: rng.gauss(0, 0.6) for docno in docnos}  # what every run gets wrong
            ease = rng.gauss(0, 0.3)
            for run, skill in zip(RUNS, skills, strict=True):
                score = {
                    docno: pull[docno] + (skill + ease) * grade.get(docno, 0) + rng.gauss(0, 0.5) for docno in docnos
                }
                best = sorted(docnos, key=lambda docno: (round(score[docno], 5), docno), reverse=True)[:DEPTH]
                found.setdefault(f"{name}/runs/{run}.run", []).extend(
                    f"{topic} Q0 {docno} {rank} {score[docno] + 9:.5f} {run}" for rank, docno in enumerate(best, 1)
                )
    return {path: "\n".join(lines) + "\n" for path, lines in found.items()}
