"""Score files that claims of little go wrong on: two sparse, one dense."""

import numpy as np

TOPICS, RUNS = 48, ("alpha_1", "alpha_2", "bravo_1", "bravo_2", "delta_1")
MEASURES = {"hits": "success@1", "ranks": "recip_rank", "dense": "nDCG@10"}


def scores() -> dict[str, np.ndarray]:
    """float64[RUNS, TOPICS] by name. hits: 0 and 1, two topics of which differ from the first run's in each other one; ranks:
    reciprocal ranks, mostly 1, with a few that change by a place; dense: no two alike."""
    rng = np.random.default_rng(4)
    hits = np.tile((rng.random(TOPICS) < 0.9).astype(float), (len(RUNS), 1))
    ranks = np.tile(rng.choice([1, 1, 1, 1, 2, 3, 10], TOPICS), (len(RUNS), 1))
    for place in range(1, len(RUNS)):
        some = rng.choice(TOPICS, 2, replace=False)
        hits[place, some] = 1 - hits[place, some]
        ranks[place, rng.choice(TOPICS, 6, replace=False)] += 1
    level = rng.beta(2, 3, TOPICS)
    dense = np.clip(level + np.linspace(0, 0.06, len(RUNS))[:, np.newaxis] + rng.normal(0, 0.06, hits.shape), 0, 1)
    return {"hits": hits, "ranks": 1 / ranks, "dense": dense}


def files() -> dict[str, bytes]:
    """Tables of these, by name."""
    return {name: _table(values, MEASURES[name]).encode() for name, values in scores().items()}


def _table(values: np.ndarray, measure: str) -> str:
    lines = [
        f"{run}\tq{topic % 9}-{topic}\t{measure}\t{score:.6f}"
        for run, row in zip(RUNS, values.tolist(), strict=True)
        for topic, score in enumerate(row)
    ]
    return "\n".join(["run\ttopic\tmeasure\tvalue", *lines, ""])
