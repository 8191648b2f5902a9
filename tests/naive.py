"""Each method once more, slowly and plainly, straight from its definition: what the fast code is held against."""

import gzip
import itertools
import math
import statistics
from collections.abc import Iterator, Sequence

import numpy as np

Judgments = dict[bytes, dict[bytes, int]]
Ranking = list[bytes]


def lines_of(path: str) -> Iterator[list[bytes]]:
    """The fields of every line but blank ones and comments."""
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


def exact_ap_distribution(
    relevance: Sequence[int], num_relevant: int, most_copies: int = 9
) -> tuple[np.ndarray, np.ndarray]:
    """Every outcome of the corpus bootstrap with at most so many copies of a document: AP* and probability, given R* > 0."""
    poisson = [math.exp(-1) / math.factorial(k) for k in range(most_copies + 1)]
    unretrieved = num_relevant - sum(relevance)
    # Of so many copies of documents not retrieved: a sum of Poisson(1) counts is Poisson(unretrieved).
    chances = [
        math.exp(-unretrieved) * unretrieved**others / math.factorial(others)
        for others in range(most_copies * unretrieved + 1)
    ]
    copies = every_outcome(len(relevance), most_copies)
    probability, precisions = np.array(poisson)[copies].prod(axis=1), sums_of_precisions(relevance, copies)
    scores, weights = [], []
    for others, chance in enumerate(chances):
        found = copies @ np.array(relevance) + others
        scores.append(precisions[found > 0] / found[found > 0])
        weights.append(probability[found > 0] * chance)
    values, place = np.unique(np.concatenate(scores), return_inverse=True)
    probabilities = np.bincount(place, weights=np.concatenate(weights))
    return values, probabilities / probabilities.sum()


def every_outcome(documents: int, most_copies: int) -> np.ndarray:
    """All numbers of copies of so many documents [outcomes, documents]."""
    return np.indices((most_copies + 1,) * documents).reshape(documents, -1).T


def sums_of_precisions(relevance: Sequence[int], copies: np.ndarray) -> np.ndarray:
    """The numerator of AP of each outcome: down the list, in which a document stands so many times in a row."""
    ranks, found, total = np.zeros((3, len(copies)))
    for relevant, times in zip(relevance, copies.T, strict=True):
        for k in range(times.max()):
            is_there = times > k
            ranks += is_there
            found += is_there * relevant
            total += np.where(is_there, relevant * found / np.maximum(ranks, 1), 0)
    return total


def error_of_mean(
    replicates: Sequence[Sequence[float]], corrected: Sequence[tuple[float, float] | None], z: float
) -> float:
    """The standard error of a mean over topics, all on one scale: topics whose limits were corrected vary as these say, the
    others (None) as the mean of their replicates does."""
    topics = len(replicates)
    stand = [of_topic for of_topic, limits in zip(replicates, corrected, strict=True) if limits is None]
    means = [sum(of_resample) / topics for of_resample in zip(*stand, strict=True)]
    centre = sum(means) / len(means) if means else 0.0
    variance = sum((mean - centre) ** 2 for mean in means) / (len(means) - 1) if means else 0.0
    for limits in corrected:
        if limits is not None:
            lower, upper = limits
            variance += ((upper - lower) / (2 * z)) ** 2 / topics**2
    return math.sqrt(variance)


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


def ndcg_at(gains: Sequence[float], ideal: Sequence[float], cut: int) -> float:
    """nDCG of a ranking given by its gains; `ideal`: the gains of all documents that have one."""
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(sorted(ideal, reverse=True)[:cut], 1))
    found = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:cut], 1))
    return found / best if best else 0.0


def ap_without_each(relevance: Sequence[int], num_relevant: int) -> list[float]:
    """AP of the ranking without each of its documents, and without each relevant one it does not retrieve."""
    left_out = []
    for i, relevant in enumerate(relevance):
        if num_relevant - relevant > 0:
            left_out.append(average_precision([*relevance[:i], *relevance[i + 1 :]], num_relevant - relevant))
    if num_relevant > 1:
        left_out += [average_precision(relevance, num_relevant - 1)] * (num_relevant - sum(relevance))
    return left_out


def weighted_ap(relevance: Sequence[int], weights: Sequence[float], unretrieved: float) -> float:
    """AP in which every document counts with a weight: what the infinitesimal jackknife differentiates."""
    found = seen = total = 0.0
    for relevant, weight in zip(relevance, weights, strict=True):
        seen += weight
        if relevant:
            found += weight
            total += weight * found / seen
    return total / (found + unretrieved)


def expected_ap_of_bullets(num_relevant: int, depth: int, u: float) -> float:
    """E(AP) where each relevant document is a bullet with probability u and the bullets stand at random ranks: every case."""
    expected = 0.0
    for bullets in range(num_relevant + 1):
        chance = math.comb(num_relevant, bullets) * u**bullets * (1 - u) ** (num_relevant - bullets)
        subsets = list(itertools.combinations(range(depth), min(bullets, depth)))
        scores = [average_precision([int(r in ranks) for r in range(depth)], num_relevant) for ranks in subsets]
        expected += chance * sum(scores) / len(scores)
    return expected


def _relevant_gain(grade: int, level: int) -> int:
    return grade if grade >= level else 0


def _blended(grades: Sequence[int], missing: Sequence[int], level: int) -> list[tuple[bool, float]]:
    """Whether each document is relevant, and the blended ratio at its rank (beta 1)."""
    ideal = sorted((_relevant_gain(grade, level) for grade in [*grades, *missing]), reverse=True)
    ratios = []
    relevant = gained = best = 0
    for rank, (grade, best_here) in enumerate(zip(grades, ideal, strict=False), 1):
        relevant += grade >= level
        gained += _relevant_gain(grade, level)
        best += best_here
        ratios.append((grade >= level, (relevant + gained) / (rank + best)))
    return ratios


def q_measure(grades: Sequence[int], missing: Sequence[int], cut: int, level: int, most: int) -> float:
    """Q at a cut."""
    num_relevant = sum(grade >= level for grade in [*grades, *missing])
    total = sum(ratio for relevant, ratio in _blended(grades, missing, level)[:cut] if relevant)
    return total / num_relevant if num_relevant else 0.0


def p_plus(grades: Sequence[int], missing: Sequence[int], cut: int, level: int, most: int) -> float:
    """P+ at a cut."""
    top = [_relevant_gain(grade, level) for grade in grades[:cut]]
    if not any(top):
        return 0.0
    preferred = top.index(max(top)) + 1
    ratios = [ratio for relevant, ratio in _blended(grades, missing, level)[:preferred] if relevant]
    return sum(ratios) / len(ratios)


def err(grades: Sequence[int], missing: Sequence[int], cut: int, level: int, most: int) -> float:
    """ERR at a cut."""
    total, going_on = 0.0, 1.0
    for rank, grade in enumerate(grades[:cut], 1):
        stop = (2 ** _relevant_gain(grade, level) - 1) / 2**most
        total += going_on * stop / rank
        going_on *= 1 - stop
    return total


def nerr(grades: Sequence[int], missing: Sequence[int], cut: int, level: int, most: int) -> float:
    """ERR over that of the best ranking."""
    best = err(sorted([*grades, *missing], reverse=True), [], cut, level, most)
    return err(grades, missing, cut, level, most) / best if best else 0.0


def resampled_together(
    rankings: Sequence[Sequence[str]], relevant: Sequence[str], resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """AP of several rankings [runs, B] under the same copies of every document, drawn again where none is relevant."""
    documents = sorted({document for ranking in rankings for document in ranking} | set(relevant))
    place = {document: i for i, document in enumerate(documents)}
    is_relevant = np.array([document in relevant for document in documents])
    places = [np.array([place[document] for document in ranking], int) for ranking in rankings]
    scores = []
    while len(scores) < resamples:
        copies = rng.poisson(1.0, len(documents))
        relevant_now = copies[is_relevant].sum()
        if relevant_now:
            of_runs = []
            for ranking in places:
                hits = np.repeat(is_relevant[ranking], copies[ranking])
                of_runs.append((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].sum() / relevant_now)
            scores.append(of_runs)
    return np.array(scores).T


def exact_joint_distribution(
    rankings: Sequence[Sequence[str]], relevant: Sequence[str], most_copies: int
) -> tuple[np.ndarray, np.ndarray]:
    """Every outcome of the joint bootstrap with so many copies of a document at most: AP [runs, outcomes], probabilities."""
    documents = sorted({document for ranking in rankings for document in ranking} | set(relevant))
    poisson = [math.exp(-1) / math.factorial(k) for k in range(most_copies + 1)]
    copies = every_outcome(len(documents), most_copies)
    relevant_now = copies @ np.array([document in relevant for document in documents], int)
    copies, relevant_now = copies[relevant_now > 0], relevant_now[relevant_now > 0]
    scores = [
        sums_of_precisions([d in relevant for d in ranking], copies[:, [documents.index(d) for d in ranking]])
        / relevant_now
        for ranking in rankings
    ]
    probabilities = np.array(poisson)[copies].prod(axis=1)
    return np.array(scores), probabilities / math.fsum(probabilities)


def error_rate(query_sets: Sequence[Sequence[float]], fuzz: float) -> tuple[int, int, int]:
    """Errors, ties and comparisons from the scores of systems on each query set; fuzz as a share of the smaller one (Buckley &
    Voorhees)."""
    errors = ties = comparisons = 0
    for i, j in itertools.combinations(range(len(query_sets[0])), 2):
        greater = less = equal = 0
        for scores in query_sets:
            a, b = scores[i], scores[j]
            if a == b or abs(a - b) < fuzz * min(a, b):
                equal += 1
            elif a > b:
                greater += 1
            else:
                less += 1
        errors += min(greater, less)
        ties += equal
        comparisons += greater + less + equal
    return errors, ties, comparisons


def all_designs(topics: int, versions: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way of dealing a topic's versions to as many query sets: a permutation for each topic."""
    return itertools.product(itertools.permutations(range(versions)), repeat=topics)


def query_sets_of(cube: np.ndarray, design: Sequence[Sequence[int]], topics: Sequence[int]) -> list[list[float]]:
    """The mean scores of the systems of cube[T, V, S] on each query set of a design, over some topics."""
    return [
        [statistics.fmean(cube[t, design[t][v], s] for t in topics) for s in range(cube.shape[2])]
        for v in range(cube.shape[1])
    ]


def swaps(scores: np.ndarray, first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """For each pair of the systems of scores[S, T] the bin of its difference on the first topics, and if the second swap."""
    for a, b in itertools.combinations(scores, 2):
        one, other = (statistics.fmean(float(a[t] - b[t]) for t in topics) for topics in (first, second))
        yield min(int(abs(one) / 0.01), 20), one * other < 0


def achieved_level(differences: Sequence[float], resamples: Sequence[Sequence[int]]) -> tuple[float, list[float]]:
    """Sakai's achieved significance level over given resamples of topics, and |mean| of the resamples by |t| descending."""

    def t(values: Sequence[float]) -> float:
        mean, sd = statistics.fmean(values), statistics.stdev(values)
        if sd < 1e-12:
            return 0.0 if abs(mean) < 1e-12 else math.inf
        return abs(mean) / (sd / math.sqrt(len(values)))

    mean = statistics.fmean(differences)
    drawn = [[differences[topic] - mean for topic in resample] for resample in resamples]
    observed = t(differences)
    level = sum(t(each) >= observed * (1 - 1e-9) for each in drawn) / len(drawn)
    ordered = sorted(drawn, key=t, reverse=True)
    return level, [abs(statistics.fmean(each)) for each in ordered]


def prediction_powered(
    human: Sequence[float], judge: Sequence[float], others: Sequence[float], lam: float | str, new_topics: bool
) -> dict[str, float]:
    """A mean from few human scores and the judge's on all topics, one formula a line; every topic left out by itself.

    `judge`: its scores of the human topics, `others`: of the rest; `lam`: a number, or "tuned".
    """
    n, rest = len(human), len(others)
    centre = statistics.fmean(others) if new_topics else statistics.fmean([*judge, *others])

    def slope(y: Sequence[float], f: Sequence[float]) -> float:
        if lam != "tuned":
            return float(lam)
        spread = statistics.variance(f) if len(set(f)) > 1 else 0.0
        b = statistics.covariance(y, f) / spread if spread else 0.0
        return max(b / (1 + len(y) / rest) if new_topics else b, 0.0)

    def estimate(y: Sequence[float], f: Sequence[float]) -> float:
        return statistics.fmean(y) + slope(y, f) * (centre - statistics.fmean(f))

    chosen = slope(human, judge)
    if lam == "tuned" and chosen > 0:
        pairs = list(zip(human, judge, strict=True))
        left_out = [estimate(*zip(*pairs[:i], *pairs[i + 1 :], strict=True)) for i in range(n)]
        v1 = (n - 1) / n * sum((each - statistics.fmean(left_out)) ** 2 for each in left_out)
    else:
        v1 = statistics.variance([y - chosen * f for y, f in zip(human, judge, strict=True)]) / n
    v2 = chosen**2 * statistics.variance(others) / rest if new_topics else 0.0
    v1 *= 1 if new_topics else 1 - n / (n + rest)
    df = (v1 + v2) ** 2 / (v1**2 / (n - 1) + v2**2 / (rest - 1))
    return {"value": estimate(human, judge), "error": math.sqrt(v1 + v2), "df": df, "lam": chosen}


def slope_by_regression(human: np.ndarray, judge: np.ndarray, *, topics: bool) -> float:
    """The coefficient of the judge's score beside an indicator for each run and, perhaps, topic."""
    runs, number = human.shape
    columns = [judge.ravel(), *np.repeat(np.eye(runs), number, axis=1)]
    columns += list(np.tile(np.eye(number), runs)) if topics else []
    return float(np.linalg.lstsq(np.column_stack(columns), human.ravel(), rcond=None)[0][0])


def human_topics(
    variance: float, correlation: float, judged: int, width: float, new_topics: bool, confidence: float = 0.95
) -> int | None:
    """The fewest human topics for an interval so wide, tried one after the other; none if not even all will do."""
    from scipy import stats

    for n in range(4, judged + 1):
        v1 = variance * (1 - correlation**2) / n * (n - 2) / (n - 3)
        v2 = variance * correlation**2 / judged if new_topics else 0.0
        df = (v1 + v2) ** 2 / (v1**2 / (n - 2) + v2**2 / (judged - 1))
        if correlation == 0 or (new_topics and n > judged - 2):
            v1, v2, df = variance / n, 0.0, n - 1
        v1 *= 1 if new_topics else 1 - n / judged
        if 2 * stats.t.ppf((1 + confidence) / 2, df) * math.sqrt(v1 + v2) <= width:
            return n
    return None
