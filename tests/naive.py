"""Each method once more, slowly and plainly, straight from its definition: what the fast code is held against."""

import gzip
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

Judgments = dict[bytes, dict[bytes, int]]
Ranking = list[bytes]


def lines_of(path: str) -> Iterator[list[bytes]]:
    """The fields of every content line."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        for line in file:
            fields = line.removeprefix(b"\xef\xbb\xbf").split()
            if fields and not fields[0].startswith(b"#"):
                yield fields


def read_qrels(path: str) -> Judgments:
    """Topic -> docno -> grade."""
    judgments: Judgments = {}
    for topic, _, docno, grade in lines_of(path):
        judgments.setdefault(topic, {})[docno] = int(grade)
    return judgments


def read_run(path: str) -> dict[bytes, Ranking]:
    """Topic -> docnos by score descending, ties by docno descending."""
    scored: dict[bytes, list[tuple[float, bytes]]] = {}
    for topic, _, docno, _, score, *_ in lines_of(path):
        scored.setdefault(topic, []).append((float(score), docno))
    return {topic: [docno for _, docno in sorted(pairs, reverse=True)] for topic, pairs in scored.items()}


def average_precision(relevance: Sequence[int], num_relevant: int) -> float:
    """AP of a ranking given as 0s and 1s; 0 without relevant documents."""
    found, total = 0, 0.0
    for rank, relevant in enumerate(relevance, 1):
        if relevant:
            found += 1
            total += found / rank
    return total / num_relevant if num_relevant else 0.0


def resampled_ap(relevance: Sequence[int], num_relevant: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The literal corpus bootstrap: repeat every document of the list Poisson(1) times and score what comes out."""
    documents = np.asarray(relevance)
    unretrieved = num_relevant - documents.sum()
    scores = []
    while len(scores) < resamples:
        resampled = np.repeat(documents, rng.poisson(1.0, len(documents)))
        relevant_now = resampled.sum() + rng.poisson(1.0, unretrieved).sum()
        if relevant_now == 0:
            continue
        precision = np.cumsum(resampled) / np.arange(1, len(resampled) + 1)
        scores.append((precision * resampled).sum() / relevant_now)
    return np.array(scores)


def exact_ap_distribution(
    relevance: Sequence[int], num_relevant: int, most_copies: int = 9
) -> tuple[np.ndarray, np.ndarray]:
    """Every outcome of the corpus bootstrap with at most so many copies of a document: AP* and probability, given R* > 0."""
    poisson = [math.exp(-1) / math.factorial(k) for k in range(most_copies + 1)]
    unretrieved = num_relevant - sum(relevance)
    outcomes: dict[float, float] = {}
    for copies in itertools.product(range(most_copies + 1), repeat=len(relevance)):
        probability = math.prod(poisson[k] for k in copies)
        resampled = [relevant for relevant, k in zip(relevance, copies, strict=True) for _ in range(k)]
        precisions = average_precision(resampled, 1)
        for others in range(most_copies * unretrieved + 1):
            relevant_now = sum(resampled) + others
            if relevant_now:
                # A sum of Poisson(1) counts is Poisson(unretrieved).
                chance = math.exp(-unretrieved) * unretrieved**others / math.factorial(others)
                score = precisions / relevant_now
                outcomes[score] = outcomes.get(score, 0.0) + probability * chance
    scores, probabilities = np.array(list(outcomes)), np.array(list(outcomes.values()))
    return scores, probabilities / probabilities.sum()


MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def _finalise(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
    return word ^ (word >> 31)


def splitmix(word: int) -> int:
    """The output of splitmix64 whose state was `word`."""
    return _finalise((word + GOLDEN) & MASK)


def lane_seed(word: int, key: int, resample: int) -> list[int]:
    """The state on which the stream of one resample starts."""
    seed = splitmix(splitmix(word ^ splitmix(key)) ^ splitmix(resample))
    return [splitmix((seed + i * GOLDEN) & MASK) for i in range(4)]


def xoshiro256pp(state: list[int]) -> int:
    """The next output of xoshiro256++; moves the state on."""
    total = (state[0] + state[3]) & MASK
    result = (((total << 23) | (total >> 41)) + state[0]) & MASK
    shifted = state[1] << 17 & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = ((state[3] << 45) | (state[3] >> 19)) & MASK
    return result


def docno_hash(docno: bytes) -> int:
    """The 64-bit hash of a docno: little-endian words, each xored in and finalised, the length last."""
    state = 0
    whole = len(docno) // 8
    for i in range(whole):
        state = _finalise(state ^ int.from_bytes(docno[8 * i : 8 * i + 8], "little"))
    state = _finalise(state ^ int.from_bytes(docno[8 * whole :], "little"))
    return _finalise((state + len(docno)) & MASK)
