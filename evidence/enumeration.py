"""Results of resampling compared with exact enumeration of all outcomes, on cases small enough for that.

Differences are in Monte-Carlo standard errors of the printed quantity; a correct program is within 2 of them 95% of the time.
"""

import itertools
import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import naive
import naive_inference
import numpy as np
from commands import rows
from page import Section, Table

from irci.estimators.swap_error import error_rates

RESAMPLES = 50_000
FLIPS = 100_000
DESIGNS = 4000
EXACT = "equal"
HEADERS = ("what", "irci", "enumerated", "difference", "standard errors")
Z = 1.959963984540054  # of 95% intervals
# Rankings (1: relevant) and how many relevant documents there are.
RANKINGS = [
    ("01", 1), ("101", 2), ("101", 3), ("1", 2), ("011", 2), ("1101", 5), ("0010", 2), ("10011", 4), ("01010", 2),
    ("11101", 7), ("011001", 3), ("101010", 3),
]  # fmt: skip
# Two rankings of documents, r relevant ones, and the relevant documents.
PAIRS = [
    ("r1 n r2", "n r1 r2", "r1 r2"), ("r1 n", "n r1", "r1"), ("r1 n1 r2", "r2 n2 r1", "r1 r2"),
    ("n1 r1", "n1 n2 r2", "r1 r2 r3"), ("n1 r1", "n2 n3 r1", "r1 r2"), ("r1", "n1 r1 r2", "r1 r2"),
]  # fmt: skip


def moments(values: np.ndarray, chances: np.ndarray) -> tuple[float, float]:
    """The standard deviation of a distribution, and the standard error of that of RESAMPLES draws."""
    mean = values @ chances
    second, fourth = ((values - mean) ** power @ chances for power in (2, 4))
    return math.sqrt(second), math.sqrt((fourth - second**2) / (4 * second * RESAMPLES))


def _qrels(topics: Sequence[tuple[int, Sequence[str]]]) -> str:
    return "".join(f"{topic} 0 {docno} 1\n" for topic, relevant in topics for docno in relevant)


def _run(topics: Sequence[tuple[int, Sequence[str]]], tag: str) -> str:
    return "".join(
        f"{topic} Q0 {docno} {rank} {-rank} {tag}\n" for topic, docnos in topics for rank, docno in enumerate(docnos, 1)
    )


def _files(**texts: str) -> tuple[tempfile.TemporaryDirectory[str], list[Path]]:
    folder = tempfile.TemporaryDirectory()
    paths = [Path(folder.name) / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return folder, paths


def document_bootstrap() -> Iterator[list[object]]:
    """ap-ci: the sd of AP* from the width of linear intervals; all multiplicities of all documents (up to 7 or 9 copies)."""
    judged, ranked = [], []
    for topic, (relevance, relevant) in enumerate(RANKINGS):
        docnos = [f"{'r' if each == '1' else 'n'}{place}" for place, each in enumerate(relevance)]
        missing = [f"r-{number}" for number in range(relevant - relevance.count("1"))]
        judged.append((topic, [*(docno for docno in docnos if docno[0] == "r"), *missing]))
        ranked.append((topic, docnos))
    folder, paths = _files(qrels=_qrels(judged), run=_run(ranked, "a"))
    with folder:
        options = ("-q", "-n", "--interval", "linear", "--small-r", "none", "-B", RESAMPLES)
        found = {int(row["topic"]): (row["upper"] - row["lower"]) / 2 / Z for row in rows("ap-ci", *options, *paths)}
    for topic, (relevance, relevant) in enumerate(RANKINGS):
        copies = 9 if len(relevance) < 5 else 7
        exact, error = moments(*naive.exact_ap_distribution([int(each) for each in relevance], relevant, copies))
        yield [f"sd of AP*: {relevance}, R = {relevant}", *_cells(found[topic], exact, error)]


def paired_bootstrap() -> Iterator[list[object]]:
    """map-ci over documents: the sd of the difference; all multiplicities of all documents of both rankings."""
    for first, second, relevant in PAIRS:
        rankings, judged = [first.split(), second.split()], relevant.split()
        folder, paths = _files(
            qrels=_qrels([(1, judged)]), a=_run([(1, rankings[0])], "a"), b=_run([(1, rankings[1])], "b")
        )
        with folder:
            options = ("--population", "documents", "-B", RESAMPLES)
            (row,) = (each for each in rows("compare", *options, *paths) if each["measure"] == "map_diff")
        documents = {docno for ranking in rankings for docno in ranking} | set(judged)
        scores, chances = naive.exact_joint_distribution(rankings, judged, 12 if len(documents) < 4 else 8)
        exact, error = moments(scores[1] - scores[0], chances)
        half = max(row["upper"] - row["value"], row["value"] - row["lower"])  # that which the end of the scale leaves
        yield [f"sd of the difference: {first} / {second}", *_cells(half / Z, exact, error)]


def sign_patterns() -> Iterator[list[object]]:
    """map-ci's tests over topics: p from all patterns of signs; random patterns beyond those that the command enumerates."""
    for topics, test in itertools.product((6, 10, 20), ("randomization", "wilcoxon", "sign")):
        rng = np.random.default_rng(topics)
        a = rng.integers(0, 1000, topics) / 1000
        b = np.clip(a + rng.integers(-150, 300, topics) / 1000, 0, 1)
        differences = [round(float(x), 3) for x in b - a]
        matrix = "a,b\n" + "".join(f"{x},{y}\n" for x, y in zip(a.tolist(), b.tolist(), strict=True))
        folder, paths = _files(matrix=matrix)
        with folder:
            draws = () if test == "sign" else ("-B", FLIPS)
            options = ("--scores", "--baseline", "a", "--test", test, *draws)
            (row,) = (each for each in rows("compare", *options, *paths) if str(each["measure"]).endswith("_diff"))
        terms = {
            "randomization": [round(1000 * each) for each in differences],
            "wilcoxon": [2 * each for each in naive_inference.signed_ranks(differences)],
            "sign": [(each > 0) - (each < 0) for each in differences],
        }[test]
        exact = p_of_all_signs([round(each) for each in terms])
        error = math.sqrt(exact * (1 - exact) / FLIPS) if test == "randomization" else 0.0
        yield [f"p by {test}, {topics} topics", *_cells(row["p"], exact, error)]


def p_of_all_signs(terms: Sequence[int]) -> float:
    """The share of all 2^n patterns of signs whose sum of whole numbers is as far from 0 as theirs, or further."""
    sums = {0: 1}
    for term in terms:
        further: dict[int, int] = {}
        for total, count in sums.items():
            for signed in (total + term, total - term):
                further[signed] = further.get(signed, 0) + count
        sums = further
    observed = abs(sum(terms))
    return sum(count for total, count in sums.items() if abs(total) >= observed) / 2 ** len(terms)


def designs_of_versions() -> Iterator[list[object]]:
    """swap-error over query versions: error rate and ties, by all ways to deal versions to query sets."""
    for topics, versions, systems in ((2, 3, 3), (3, 3, 2), (4, 2, 4)):
        rng = np.random.default_rng(topics)
        cube = np.round(rng.random((topics, versions, systems)), 2)
        (rate,) = error_rates(cube.transpose(2, 0, 1), [topics], [5.0], designs=DESIGNS)
        found = [
            naive.error_rate(naive.query_sets_of(cube, design, range(topics)), 0.05)
            for design in naive.all_designs(topics, versions)
        ]
        for place, name in enumerate(("rate", "ties")):
            each = np.array([counts[place] / counts[2] for counts in found])
            title = f"{name}: {topics} topics, {versions} versions, {systems} systems"
            yield [title, *_cells(rate[name], each.mean(), each.std() / math.sqrt(DESIGNS))]


def _cells(found: float, exact: float, error: float) -> list[object]:
    """Ours, exact, the difference, and how many standard errors that is: none where all outcomes were gone through."""
    off = found - exact
    errors = EXACT if abs(off) < 1e-9 else f"{off / error:+.1f}" if error else "inf"
    return [f"{found:.6f}", f"{exact:.6f}", f"{off:+.1e}", errors]


def section() -> Section:
    """All of them, and how many are further off than they should be."""
    tables = [
        Table(f"Documents: irci ap-ci -B {RESAMPLES}", HEADERS, list(document_bootstrap())),
        Table(
            f"Documents, two runs: irci compare --population documents -B {RESAMPLES}",
            HEADERS,
            list(paired_bootstrap()),
        ),
        Table(f"Topics: irci compare --test, -B {FLIPS}", HEADERS, list(sign_patterns())),
        Table(f"Query versions: irci swap-error --versions, {DESIGNS} designs", HEADERS, list(designs_of_versions())),
    ]
    shares = [abs(float(line[-1])) for table in tables for line in table.lines if line[-1] != EXACT]
    beyond = sum(share > 2 for share in shares)
    told = (__doc__ or "").replace("\n", " ").strip()
    return Section(
        "Exact enumerations",
        f"{told} Of {len(shares)} figures with a Monte-Carlo error, {beyond} are more than 2 standard errors off; the"
        f" largest deviation is {max(shares):.1f}.",
        tables,
    )
