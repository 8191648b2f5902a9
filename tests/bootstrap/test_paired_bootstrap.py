"""The paired bootstrap: right means the exact joint distribution on small rankings, and the literal bootstrap's on larger.

A run's replicates must not depend on what it is compared with, which promises (A, B) = -(B, A) and much else.
"""

import itertools

import naive
import numpy as np
import pytest
from helpers import SMALL, lists_of, random_ranking, ranked, relevance_of, resampled_scores
from naive_measures import Topic, ndcg
from scipy import stats

from irci.base.streams import topic_keys
from irci.base.types import Floats
from irci.data import inputs as trec
from irci.data.collection import Relevance
from irci.estimators.joint_resamples import Rankings, paired_replicates
from irci.kernels.generator import LANES
from irci.kernels.paired_bootstrap import MOST_COPIES, WORDS, draw_copies
from irci.measures import parse

RESAMPLES = 50_000
Z = 4  # standard errors


def docno_hash(docno: str) -> np.uint64:
    return np.uint64(naive.docno_hash(docno.encode()))


def rankings_of(rankings: list[list[str]], relevant: list[str], measure: str = "map") -> Rankings:
    """One topic, each run down to its last relevant document."""
    lasts = [max((i + 1 for i, d in enumerate(ranking) if d in relevant), default=0) for ranking in rankings]
    cut_off = [ranking[:last] for ranking, last in zip(rankings, lasts, strict=True)]
    number = {docno: i for i, docno in enumerate(dict.fromkeys([*relevant, *itertools.chain(*cut_off)]))}
    words = np.array([docno_hash(docno) for docno in number], np.uint64)
    return Rankings(
        runs=[[np.array([number[d] for d in of], np.int32)] for of in cut_off],
        documents=[words],
        seen=np.array([number[d] for d in relevant], np.int32),
        classes=np.zeros(len(relevant), np.int32),
        offsets=np.array([0, len(relevant)]),
        relevance=relevance_of([len(relevant)]),
        measure=parse(measure)[0],
    )


def replicates_of(
    rankings: list[list[str]], relevant: list[str], resamples: int = RESAMPLES, seed: int = 1, key: bytes = b"1"
) -> Floats:
    of = rankings_of(rankings, relevant)
    return next(iter(paired_replicates(of, topic_keys([key]), resamples=resamples, seed=seed)))


# Rankings, relevant documents, and the mean and sd of the difference of the first two where they are published.
ENUMERATED = [
    ([["r1", "n", "r2"], ["n", "r1", "r2"]], ["r1", "r2"], (0.1686749, 0.2131775)),
    ([["r1", "n"], ["n", "r1"]], ["r1"], None),
    ([["r1", "n1", "r2"], ["r2", "n2", "r1"]], ["r1", "r2"], None),
    ([["n1", "r1"], ["n1", "n2", "r2"]], ["r1", "r2", "r3"], None),
    ([["r1"], ["r2"], ["n1", "r1", "r2"]], ["r1", "r2"], None),
    ([["n1", "r1"], ["n2"]], ["r1", "r2"], None),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("rankings", "relevant", "published"), ENUMERATED)
def test_joint_distribution_against_enumeration(
    rankings: list[list[str]], relevant: list[str], published: tuple[float, float] | None
) -> None:
    documents = {document for ranking in rankings for document in ranking} | set(relevant)
    scores, probabilities = naive.exact_joint_distribution(rankings, relevant, 12 if len(documents) < 4 else 8)
    ours = replicates_of(rankings, relevant)
    for run, baseline in [(0, 1), (0, 0), (1, 0), (len(rankings) - 1, 0)]:
        exact = scores[run] - scores[baseline]
        mean = exact @ probabilities
        variance, fourth = ((exact - mean) ** power @ probabilities for power in (2, 4))
        if published and (run, baseline) == (0, 1):
            assert (mean, np.sqrt(variance)) == pytest.approx(published, abs=5e-8)
            independent = sum(row**2 @ probabilities - (row @ probabilities) ** 2 for row in scores)
            assert np.sqrt(independent) == pytest.approx(0.3299271, abs=5e-8)
        difference = ours[run] - ours[baseline]
        assert abs(difference.mean() - mean) <= Z * np.sqrt(variance / RESAMPLES)
        assert abs(difference.var() - variance) <= Z * np.sqrt((fourth - variance**2) / RESAMPLES) + 1e-12
    for exact, row in zip(scores, ours, strict=True):
        for value in np.unique(exact.round(9)):
            chance = probabilities[np.abs(exact - value) < 1e-8].sum()
            share = (np.abs(row - value) < 1e-8).mean()
            if chance * RESAMPLES > 25:  # else a count is not nearly normal
                assert abs(share - chance) <= Z * np.sqrt(chance * (1 - chance) / RESAMPLES) + 1e-9


def shuffled(rng: np.random.Generator, documents: list[str], moves: float) -> list[str]:
    """A ranking like another, the more different the more it moves."""
    return [documents[i] for i in np.argsort(np.arange(len(documents)) + moves * rng.standard_normal(len(documents)))]


@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(6))
def test_joint_distribution_against_naive(number: int) -> None:
    """Means, sds, correlation and Kolmogorov-Smirnov against the literal bootstrap, three runs, and one by itself."""
    rng = np.random.default_rng(number)
    depth, share = [(30, 0.15), (150, 0.15), (1000, 0.03)][number % 3]
    relevance = random_ranking(rng, depth, share)
    documents = [f"{'r' if relevant else 'n'}{i}" for i, relevant in enumerate(relevance)]
    relevant = [d for d in documents if d[0] == "r"] + [f"r-{i}" for i in range(5)]
    runs = [documents, shuffled(rng, documents, 3), shuffled(rng, documents, 40)[: len(documents) // 2]]
    resamples = 4000
    slow = naive.resampled_together(runs, relevant, resamples, rng)
    fast = replicates_of(runs, relevant, resamples=20_000)
    alone = resampled_scores(lists_of((relevance, len(relevant))), topic_keys([b"1"]), resamples=20_000, seed=1)[0]
    pairs = [(0, 1), (0, 2), (2, 1)]
    differences = [(fast[run] - fast[baseline], slow[run] - slow[baseline]) for run, baseline in pairs]
    for ours, theirs in [*differences, (alone, slow[0])]:
        assert abs(ours.mean() - theirs.mean()) < Z * np.sqrt(ours.var() / 20_000 + theirs.var() / resamples)
        kurtosis = ((theirs - theirs.mean()) ** 4).mean() / theirs.var() ** 2
        assert ours.var() == pytest.approx(theirs.var(), rel=Z * np.sqrt((kurtosis - 1) * (1 / resamples + 1 / 20_000)))
        assert stats.ks_2samp(ours.round(9), theirs.round(9), method="asymp").pvalue > 0.001 / 24
    for run, baseline in pairs:
        # The Fisher transform of a correlation has this standard error for normal pairs; doubled for others.
        r, s = np.corrcoef(fast[[run, baseline]])[0, 1], np.corrcoef(slow[[run, baseline]])[0, 1]
        assert abs(np.arctanh(r) - np.arctanh(s)) < 2 * Z / np.sqrt(resamples)


def test_copies_against_poisson() -> None:
    """Every count as often as it should be, those that take further bits too; documents and neighbours uncorrelated."""
    words = np.empty(WORDS, np.uint64)
    blocks = 4000
    copies = np.empty((blocks, LANES), np.uint8)
    for block in range(blocks):
        draw_copies(np.uint64(12345), block, words, words.view(np.uint16), copies, block)
    draws = copies.ravel().astype(int)
    expected = stats.poisson.pmf(np.arange(MOST_COPIES + 1), 1) * len(draws)
    observed = np.bincount(draws, minlength=MOST_COPIES + 1)
    common = expected > 5
    statistic = ((observed - expected)[common] ** 2 / expected[common]).sum()
    assert stats.chi2.sf(statistic, common.sum() - 1) > 1e-4
    assert observed[~common].sum() <= stats.poisson.ppf(1 - 1e-4, expected[~common].sum())
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < Z / np.sqrt(len(draws))
    assert abs(np.corrcoef(draws[:-LANES], draws[LANES:])[0, 1]) < Z / np.sqrt(len(draws))
    other = np.empty_like(copies)
    for block in range(blocks):
        draw_copies(np.uint64(12346), block, words, words.view(np.uint16), other, block)
    assert abs(np.corrcoef(draws, other.ravel())[0, 1]) < Z / np.sqrt(len(draws))


@pytest.fixture(scope="module")
def three() -> tuple[list[list[str]], list[str]]:
    rng = np.random.default_rng(5)
    documents = [f"{'r' if relevant else 'n'}{i}" for i, relevant in enumerate(random_ranking(rng, 300, 0.1))]
    return [documents, shuffled(rng, documents, 5), shuffled(rng, documents, 50)], [d for d in documents if d[0] == "r"]


def test_company_and_order(three: tuple[list[list[str]], list[str]]) -> None:
    runs, relevant = three
    together = replicates_of(runs, relevant, 700)
    assert np.array_equal(replicates_of(runs[::-1], relevant, 700), together[::-1])
    for place, run in enumerate(runs):
        assert np.array_equal(replicates_of([run], relevant, 700)[0], together[place])
    assert np.array_equal(replicates_of(runs, relevant[::-1], 700), together)


def test_prefix_seed_and_topic(three: tuple[list[list[str]], list[str]]) -> None:
    runs, relevant = three
    long = replicates_of(runs, relevant, 1000)
    for resamples in (1, LANES - 1, LANES, LANES + 1, 999):
        assert np.array_equal(replicates_of(runs, relevant, resamples), long[:, :resamples])
    assert (replicates_of(runs, relevant, 1000, seed=2) != long).mean() > 0.9
    assert (replicates_of(runs, relevant, 1000, key=b"2") != long).mean() > 0.9


def test_threads() -> None:
    judgments = trec.read_qrels(str(SMALL / "qrels.txt"))
    runs = (str(SMALL / "runs" / name) for name in ("alpha.run", "delta.run.gz"))
    rankings = Rankings.of(judgments, Relevance.of(judgments, "relevance"), *ranked(judgments, *runs))
    keys = topic_keys(judgments.topics)
    one, *others = (list(paired_replicates(rankings, keys, resamples=300, seed=1, threads=n)) for n in (1, 2, 7))
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_rankings_that_cannot_differ() -> None:
    """The same sets of documents in every gap and group: no resample tells such rankings apart, and their words are equal."""
    relevant = ["r1", "r2", "r3"]
    runs = [
        ["n1", "n2", "r1", "r2", "n3", "r3", "n4"],
        ["n2", "n1", "r2", "r1", "n3", "r3", "n5"],  # order within a gap and a group, and what follows: no difference
        ["n1", "n3", "r1", "r2", "n2", "r3"],  # other documents in the gaps
        ["n1", "n2", "r1", "r3", "n3", "r2"],  # other relevant documents
        ["n1", "n2", "r1", "n3", "r2", "r3"],  # other ranks
    ]
    found = replicates_of(runs, relevant, 2000)
    assert np.array_equal(found[0], found[1])
    assert all((found[0] != found[other]).any() for other in (2, 3, 4))


def test_nothing_retrieved() -> None:
    runs = [["n1"], [], ["r1"]]
    found = replicates_of(runs, ["r1"], 300)
    assert (found[:2] == 0).all()
    assert (found[2] == 1).all()  # drawn again until the only relevant document is there


def test_ideal_ranking_longer_than_the_lists() -> None:
    """nDCG at a cut far below short lists: the ideal ranking goes on with what is not retrieved. Against the definition."""
    relevant, resamples = [f"r{i}" for i in range(60)], 4000
    (found,), (first,) = (
        paired_replicates(rankings_of(runs, relevant, "ndcg_cut_100"), topic_keys([b"1"]), resamples=resamples, seed=1)
        for runs in ([["r0"], ["n", "r1", "r0"]], [["r0"]])
    )
    assert np.array_equal(found[0], first[0])
    copies = np.random.default_rng(1).poisson(1.0, (resamples, 60)).tolist()
    topic = Topic((1,), (1,) * 59)
    slow = np.array([ndcg(topic.resampled(of), 100) for of in copies])
    assert abs(slow.mean() - found[0].mean()) < Z * np.sqrt((slow.var() + found[0].var()) / resamples)
    assert stats.ks_2samp(found[0].round(9), slow.round(9), method="asymp").pvalue > 0.001


def test_long_gaps() -> None:
    """More copies in one gap than 16 bits hold: 70,000 documents above the only relevant one."""
    run = [*(f"n{i}" for i in range(70_000)), "r"]
    ap = replicates_of([run], ["r"], 500)[0]
    rng = np.random.default_rng(1)
    gap, copies = rng.poisson(70_000, 50_000), stats.poisson.rvs(1, size=80_000, random_state=rng)
    copies = copies[copies > 0][:50_000]
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, 80_000))))
    expected = (copies - gap * (harmonic[gap + copies] - harmonic[gap])) / copies
    assert abs(ap.mean() - expected.mean()) < Z * expected.std() / np.sqrt(500)


def test_docnos_are_those_ranked_above_the_last_relevant_document() -> None:
    judgments = trec.read_qrels(str(SMALL / "qrels.txt"))
    path = str(SMALL / "runs" / "charlie.run.gz")
    ((_, documents),), of_topics = ranked(judgments, path)
    judgments, rankings = naive.read_qrels(str(SMALL / "qrels.txt")), naive.read_run(path)
    for place, topic in enumerate(sorted(judgments)):
        ranking = rankings.get(topic, [])
        last = max((i + 1 for i, docno in enumerate(ranking) if judgments[topic].get(docno, 0) > 0), default=0)
        numbers = documents[place]
        words = of_topics[place][numbers]
        assert words.tolist() == [naive.docno_hash(docno) for docno in ranking[:last]]
