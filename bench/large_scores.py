"""Made scores of many runs on many topics, as a matrix, a long table or trec_eval's output."""

from collections.abc import Iterator

import numpy as np

FORMATS = ("matrix", "long", "trec_eval")


def made(runs: int, topics: int) -> np.ndarray:
    """Scores float64[topics, runs] of runs of unlike quality on topics of unlike difficulty, with 4 decimals."""
    random = np.random.default_rng(1)
    logits = random.normal(-0.5, 1.2, (topics, 1)) + random.normal(0, 0.3, runs) + random.normal(0, 0.7, (topics, runs))
    return np.round(1 / (1 + np.exp(-logits)), 4)


def lines(form: str, scores: np.ndarray) -> Iterator[str]:
    """The lines of a file of scores[topics, runs] in one of the FORMATS."""
    topics = range(1, len(scores) + 1)
    if form == "matrix":
        yield "topic," + ",".join(f"run{run:04}" for run in range(scores.shape[1])) + "\n"
        for topic, row in zip(topics, scores.tolist(), strict=True):
            yield f"{topic}," + ",".join(f"{value:.4f}" for value in row) + "\n"
        return
    if form == "long":
        yield "run,topic,measure,value\n"
    for run, column in enumerate(scores.T.tolist()):
        for topic, value in zip(topics, column, strict=True):
            if form == "long":
                yield f"run{run:04},{topic},map,{value:.4f}\n"
            else:
                yield f"{'map':22}\t{topic}\t{value:.4f}\n"
        if form == "trec_eval":
            yield f"{'runid':22}\tall\trun{run:04}\n{'map':22}\tall\t{np.mean(column):.4f}\n"
