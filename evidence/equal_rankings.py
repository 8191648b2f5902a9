"""How often p over documents is at most .05 for two runs that are equal, by measure.

A ranking is jittered twice (normal noise is added to the logarithms of ranks), so that on every topic both are as likely to be
the better one: `map-ci --population documents,topics` compares them."""

import gzip
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from commands import SHARED, TESTDATA
from page import Section, Table

import irci

ALPHA = 0.05
MEASURES = ("map", "P_10", "ndcg_cut_10", "recip_rank", "RR@10", "success_1")
NOISE = (1.0, 2.0)  # standard deviations: with 1, a third of ranks are multiplied or divided by e or more
EXPERIMENTS = 400
DEPTH = 100
RESAMPLES = 500
TREC8 = SHARED / "trec8-adhoc"
Ranking = Mapping[str, Sequence[str]]


def lines(name: str, qrels: Path, runs: Path) -> Iterator[list[object]]:
    """A line a noise: the share of p <= ALPHA by each measure over documents, and the range of these shares over topics."""
    rankings = [_read(path) for path in sorted(runs.iterdir())]
    for noise in NOISE:
        rng = np.random.default_rng(1)
        found: Counter[tuple[str, str]] = Counter()
        calls = -(-EXPERIMENTS // len(rankings))
        for seed in range(calls):
            copies = {
                f"{run}{copy}": _jittered(ranking, noise, rng) for run, ranking in enumerate(rankings) for copy in "ab"
            }
            found += _significant(qrels, copies, seed)
        number = calls * len(rankings)
        of = {each: [found[measure, each] / number for measure in MEASURES] for each in ("documents", "topics")}
        shares = (
            f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / number):.1f}" for share in of["documents"]
        )
        over_topics = f"{100 * min(of['topics']):.1f} to {100 * max(of['topics']):.1f}"
        yield [name, f"{noise:g}", number, *shares, over_topics]


def _significant(
    qrels: Path, copies: Mapping[str, Mapping[str, Mapping[str, float]]], seed: int
) -> Counter[tuple[str, str]]:
    """How many pairs of copies have p <= ALPHA, by measure and by what varies."""
    report = irci.map_ci(
        qrels, copies, measures=MEASURES, all_pairs=True, population=["documents", "topics"], resamples=RESAMPLES,
        seed=seed,
    )  # fmt: skip
    return Counter(
        (row["measure"].removesuffix("_diff"), row["population"])
        for table in report.tables
        for row in table.rows
        if row.get("baseline", "")[:-1] == row["run"][:-1] and row["p"] <= ALPHA
    )


def _jittered(ranking: Ranking, noise: float, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Scores of documents by topic, the higher the better."""
    jittered = {}
    for topic, docnos in ranking.items():
        scores = noise * rng.standard_normal(len(docnos)) - np.log(np.arange(1, len(docnos) + 1))
        jittered[topic] = dict(zip(docnos, scores.tolist(), strict=True))
    return jittered


def _read(path: Path) -> Ranking:
    """The first DEPTH documents of each topic, by score."""
    scored: dict[str, list[tuple[float, str]]] = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines_of_run:
        for line in lines_of_run:
            topic, _, docno, _, score, _ = line.split()
            scored.setdefault(topic, []).append((-float(score), docno))
    return {topic: [docno for _, docno in sorted(documents)[:DEPTH]] for topic, documents in scored.items()}


def section() -> Section:
    """On testdata/, and TREC-8's runs if they are there."""
    found = [*lines("testdata", TESTDATA / "qrels.txt", TESTDATA / "runs")]
    if TREC8.is_dir():
        found += lines("TREC-8", TREC8 / "qrels.trec8.adhoc.gz", TREC8 / "runs")
    told = f" The first {DEPTH} documents of each ranking; {RESAMPLES} resamples."
    caption = f"p of equal runs over documents that are at most {ALPHA}, in % ± Monte-Carlo error"
    headers = ["rankings", "noise", "pairs", *MEASURES, "all of them, over topics"]
    return Section("Equal rankings", " ".join((__doc__ or "").split()) + told, [Table(caption, headers, found)])
