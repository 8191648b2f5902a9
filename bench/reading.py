"""Reading and scoring the runs of TREC-8, in one process."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import naive
import numpy as np
from harness import PEERS, Call, Job, Part, agree, installed, measured
from helpers import SHARED
from scorers import MEASURES, OLDER, SCORERS, SLOW

import irci

TREC8 = SHARED / "trec8-adhoc"


def ties_of(run: Path) -> tuple[bool, bool]:
    """Whether documents of a topic have equal scores, and whether more have when scores are single-precision."""
    topics: dict[bytes, list[bytes]] = {}
    for topic, _, _, _, score, *_ in naive.lines_of(str(run)):
        topics.setdefault(topic, []).append(score)
    scores = [np.array(each, np.float64) for each in topics.values()]
    distinct = [len(np.unique(each)) for each in scores]
    coarse = [len(np.unique(each.astype(np.float32))) for each in scores]
    return distinct != [len(each) for each in scores], distinct != coarse


def read_and_score(qrels: Path, runs: list[Path]) -> Iterator[Job]:
    """Reading and scoring all runs, uncompressed; their qrels are read before."""
    tied, nearly = np.array([ties_of(run) for run in runs]).T
    size = sum(run.stat().st_size for run in runs)
    for job in (_scoring(qrels, runs, ["map"]), _scoring(qrels, runs, list(MEASURES))):
        for column in job.others:
            # The binding takes scores that differ less than single precision for equal, ranx equal ones in any order.
            same = ~tied if column == "ranx" else ~nearly
            theirs = job.results[column]
            compared = [i for i, run in enumerate(runs) if same[i] and run in theirs]
            assert compared, f"{job.name} by {column}: every run has ties"
            ours, theirs = ([by[runs[i]] for i in compared] for by in (job.results["irci"], theirs))
            _agree_on_measures(column, np.array(ours), np.array(theirs))
        yield job
        if "naive" in job.others:
            yield Job("read and score, bytes of runs", size / job.ours / 1e6, unit="MB/s")


def few_and_many(qrels: Path, runs: list[Path]) -> Iterator[Job]:
    """MAP of one run without ties, and of 129."""
    yield _scoring(qrels, [next(run for run in runs if not any(ties_of(run)))], ["map"], plain=False)
    yield _scoring(qrels, copies_beside(qrels), ["map"], plain=False)


def _agree_on_measures(column: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Means [runs, measures]; nan for a measure that is not theirs."""
    for name, our_means, their_means in zip(MEASURES, ours.T, theirs.T, strict=False):
        if name not in OLDER and not np.isnan(their_means).any():
            agree(f"{name} by {column}", our_means, their_means, 1e-6)


def copies_beside(qrels: Path) -> list[Path]:
    """129 runs: the 41 three times and some a fourth time."""
    return sorted(qrels.parent.glob("[a-d]-*"))[:129]


def unpacked(folder: Path) -> tuple[Path, list[Path]]:
    """The qrels and runs, where gzip does not count; beside them each run four times, under other names."""
    qrels = folder / "qrels"
    qrels.write_bytes(gzip.decompress((TREC8 / "qrels.trec8.adhoc.gz").read_bytes()))
    runs = []
    for packed in sorted((TREC8 / "runs").iterdir()):
        runs.append(folder / packed.stem)
        runs[-1].write_bytes(gzip.decompress(packed.read_bytes()))
        for letter in "abcd":
            (folder / f"{letter}-{packed.stem}").symlink_to(runs[-1])
    return qrels, runs


def _scoring(qrels: Path, runs: list[Path], names: list[str], *, plain: bool = True) -> Job:
    """By each program that has most of the measures: each run's means are the results. Slow ones score some runs only."""
    calls = {}
    for column, scorer_of in SCORERS.items():
        if (column != "naive" or (plain and len(names) == 1)) and (column not in PEERS or installed(column)):
            score = scorer_of(qrels, names)
            score(runs[0])
            some = runs[1::4] if column in SLOW and len(runs) > 1 else runs
            share = sum(run.stat().st_size for run in runs) / sum(run.stat().st_size for run in some)
            calls[column] = Part(lambda score=score, some=some: {run: score(run) for run in some}, share)
    what = (
        "map" if len(names) == 1 else f"{len(names)} measures, ranx {sum(b is not None for _, b in MEASURES.values())}"
    )
    return measured(
        f"read and score {len(runs)} TREC-8 run{'s' * (len(runs) > 1)} by {what}", calls.pop("irci").call, **calls
    )


def from_memory(runs: list[Path]) -> Iterator[Job]:
    """Scoring the same runs from dicts, beside pytrec_eval with these; and from data frames, beside files read twice."""
    judged: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in naive.lines_of(str(TREC8 / "qrels.trec8.adhoc.gz")):
        judged.setdefault(topic.decode(), {})[docno.decode()] = int(grade)
    dicts: dict[str, dict[str, dict[str, float]]] = {}
    for path in runs:
        ranking = dicts.setdefault(path.name, {})
        for topic, _, docno, _, score, *_ in naive.lines_of(str(path)):
            ranking.setdefault(topic.decode(), {})[docno.decode()] = float(score)
    options = {"threads": 1}
    calls = {"pytrec_eval": _by_binding(judged, dicts)} if installed("pytrec_eval") else {}
    what = f"score {len(runs)} TREC-8 runs by map, held as"
    job = measured(f"{what} dicts", lambda: _means(irci.score(judged, dicts, **options)), **calls)
    for theirs in job.others:
        same = [i for i, path in enumerate(runs) if not ties_of(path)[1]]
        ours, others = (np.array(job.results[column])[same] for column in ("irci", theirs))
        agree(f"map by {theirs}", ours, others, 1e-6)
    yield job
    if installed("pandas"):
        import pandas

        names = ["qid", "q0", "docno", "rank", "score", "tag"]
        frames = {
            path.name: pandas.read_csv(
                path, sep=r"\s+", names=names, compression=None, dtype={"qid": str, "docno": str}
            )
            for path in runs
        }
        files = {path.name: path for path in runs}
        job = measured(
            f"{what} data frames",
            lambda: _means(irci.score(judged, frames, **options)),
            reference=("files, twice", lambda: [_means(irci.score(judged, files, **options)) for _ in range(2)]),
        )
        agree("map by files", job.results["irci"], job.results["reference"][0], 0)
        yield job


def _means(report: irci.Report) -> list[float]:
    """Of the runs, in order."""
    return [float(str(row["value"])) for row in report.table("estimate").rows]


def _by_binding(judged: dict[str, dict[str, int]], dicts: dict[str, dict[str, dict[str, float]]]) -> Call:
    """MAP over all judged topics."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    return lambda: [
        sum(each["map"] for each in evaluator.evaluate(run).values()) / len(judged) for run in dicts.values()
    ]
