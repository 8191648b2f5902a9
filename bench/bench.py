"""Speed as ratios to plain versions of the same and to other programs that do it: make bench

One table of medians, each call timed in turns with ours; the machine's own speed drifts, so read the ratios. Programs
that are not installed are left out. Where two compute the same, that they do is checked (see README.md here).
"""

import argparse
import gzip
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

# Before NumPy: its products of matrices, on as many threads as there are, would be at the mercy of what else runs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba
import numpy as np

from irci.bootstrap.documents import StepTables, resampled_scores
from irci.bootstrap.shared_documents import Rankings, paired_replicates
from irci.bootstrap.topics import resampled_means, topic_counts, topic_limits
from irci.data import trec_files as trec
from irci.data.collection import Collection, RankedHashes, judge
from irci.data.measures import Judgments, parse
from irci.kernels import corpus_bootstrap as kernel
from irci.kernels.generator import LANES, draw
from irci.kernels.poisson_tables import AliasTables, look_up, pair_table
from irci.methods.partition_anova import Settings, all_pairs, partition_anova
from irci.methods.swap_error import error_rate, swap
from irci.methods.swap_error.error_rate import designs_of_versions, error_rates_over_versions, orders_of_topics
from irci.stats.anova import anova
from irci.stats.tests import sign_flip
from irci.streams import topic_keys

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import naive
from conftest import lists_of, random_ranking

TREC8 = ROOT.parent / "shared" / "data" / "trec8-adhoc"

# Modules that may be missing, and the distributions that have them; scipy is a dependency.
PEERS = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}
COLUMNS = ("reference", "naive", *PEERS, "scipy")
WIDTHS = {"reference": 32} | dict.fromkeys(COLUMNS[1:], 15)
# A call is not made again once it has taken so many seconds.
ENOUGH = 3.0
# A ratio that fell by more than this factor since the baseline is flagged.
WORSE = 1.3

TOPICS = topic_keys([b"%d" % number for number in range(50)])
RESAMPLES = 10_000
SCIPY_METHODS = {"percentile": "percentile", "bca": "BCa"}

Call = Callable[[], Any]


@dataclass(frozen=True)
class Part:
    """A call that does 1 / `share` of the work."""

    call: Call
    share: float


@dataclass(frozen=True)
class Job:
    """A line of the table: our time, those of others by column, what the reference is, and what each call returned."""

    name: str
    ours: float
    others: dict[str, float] = field(default_factory=dict)
    reference: str = ""
    unit: str = "s"
    results: dict[str, Any] = field(default_factory=dict)

    def ratios(self) -> dict[str, float]:
        """Of the others' times to ours."""
        return {column: theirs / self.ours for column, theirs in self.others.items()}


def installed(module: str) -> bool:
    """Whether it can be imported."""
    return importlib.util.find_spec(module) is not None


def in_turns(calls: dict[str, Call], rounds: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The median time of each call and what it returned; in turns, so that a slower machine slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    results = {}
    for _ in range(rounds):
        for name, call in calls.items():
            if sum(times[name]) < ENOUGH:
                start = time.perf_counter()
                results[name] = call()
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in times.items()}, results


def measured(
    name: str, ours: Call, *, reference: tuple[str, Call] | None = None, rounds: int = 5, **others: Call | Part | None
) -> Job:
    """Our call, compiled before, and the others' by column, None if not installed; `reference`: its name and call."""
    label, others["reference"] = reference or ("", None)
    parts = {column: each if isinstance(each, Part) else Part(each, 1) for column, each in others.items() if each}
    times, results = in_turns({"irci": ours} | {column: part.call for column, part in parts.items()}, rounds)
    theirs = {column: times[column] * part.share for column, part in parts.items()}
    return Job(name, times["irci"], theirs, label, results=results)


def agree(what: str, ours: Any, theirs: Any, tolerance: float) -> None:
    """Stop where two programs did not compute the same."""
    apart = np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))
    assert apart <= tolerance, f"{what}: {apart:.2g} apart, more than {tolerance:.2g}"


def corpus_bootstrap() -> Iterator[Job]:
    """Against the literal NumPy bootstrap: 60 runs, 50 topics, 2000 resamples, depth 1000."""
    rng = np.random.default_rng(1)
    runs = [[(random_ranking(rng, 1000, 0.115), 90) for _ in range(50)] for _ in range(60)]
    lists = [lists_of(*rankings) for rankings in runs]
    relevant = sum(len(each.ranks) for each in lists)
    tables = StepTables()

    def ours(threads: int) -> np.ndarray:
        scores = [resampled_scores(e, TOPICS, resamples=2000, seed=1, tables=tables, threads=threads) for e in lists]
        return scores[0][0]

    def literal() -> np.ndarray:
        scores = [naive.resampled_ap(*ranking, 500, rng) for rankings in runs[::15] for ranking in rankings[::10]]
        return scores[0]

    ours(2)
    share = (60 * 50 / 20) * (2000 / 500)
    one = measured("corpus bootstrap, 60 x 50 lists x 2000", lambda: ours(1), naive=Part(literal, share))
    first, second = one.results["irci"], one.results["naive"]
    agree("mean resampled AP", first.mean(), second.mean(), 5 * second.std() / np.sqrt(500))
    yield one
    yield Job(f"corpus bootstrap, a relevant document ({relevant / 3000:.0f} a list)", one.ours / relevant / 2000)
    yield measured(
        "corpus bootstrap, two threads", lambda: ours(2), reference=("one thread", lambda: ours(1)), rounds=3
    )


def paired_bootstrap() -> Iterator[Job]:
    """Pairs of runs: 50 topics, 2000 resamples, depth 1000, one thread; against the literal one, and single runs."""
    rng = np.random.default_rng(2)
    runs = [[] for _ in range(41)]
    relevant = []
    for topic in range(50):
        hits = random_ranking(rng, 3000, 0.05)
        documents = np.array([f"{'r' if hit else 'n'}{topic}-{i}" for i, hit in enumerate(hits)])
        relevant.append([d for d in documents if d[0] == "r"])
        for run in runs:
            order = np.argsort(np.arange(3000) + 300 * rng.standard_normal(3000))
            run.append(documents[order][:1000].tolist())
    rankings = [_rankings_of(run, relevant) for run in runs]
    lists = [
        lists_of(*(([int(d[0] == "r") for d in r], len(rel)) for r, rel in zip(run, relevant, strict=True)))
        for run in runs
    ]
    tables = StepTables()

    def together(some: int) -> None:
        together = replace(rankings[0], runs=[each.runs[0] for each in rankings[:some]])
        for _ in paired_replicates(together, TOPICS, resamples=[2000] * 50, seed=1):
            pass

    def singly() -> None:
        for each in lists[:40]:
            resampled_scores(each, TOPICS, resamples=2000, seed=1, tables=tables)

    def literal() -> None:
        for topic in range(0, 50, 10):
            naive.resampled_together([runs[0][topic], runs[1][topic]], relevant[topic], 200, rng)

    together(2), singly()
    yield measured("paired bootstrap, 2 runs x 50 topics x 2000", lambda: together(2), naive=Part(literal, 10 * 10))
    yield measured(
        "paired bootstrap, 40 runs and their baseline", lambda: together(41), reference=("40 single runs", singly)
    )


def _rankings_of(run: list[list[str]], relevant: list[list[str]]) -> Rankings:
    """One run's rankings, with made-up hashes."""

    def hashes(docnos: list[list[str]]) -> np.ndarray:
        return np.array([naive.docno_hash(d.encode()) for docno in docnos for d in docno], np.uint64)

    def offsets(docnos: list[list[str]]) -> np.ndarray:
        return np.cumsum([0, *map(len, docnos)])

    cut = [ranking[: max(i + 1 for i, d in enumerate(ranking) if d[0] == "r")] for ranking in run]
    return Rankings(
        [RankedHashes(offsets(cut), hashes(cut))], hashes(relevant), np.zeros(sum(map(len, relevant)), np.int32), np.ones(1),
        offsets(relevant), kernel.AVERAGE_PRECISION, 0,
    )  # fmt: skip


def residual_bootstrap() -> Iterator[Job]:
    """129 systems, 50 topics, 2 parts, 10,000 resamples, both models."""
    y = np.random.default_rng(3).beta(1, 3, (50, 129, 2))

    def ours(threads: int) -> None:
        for model in ("interaction", "additive"):
            partition_anova(y, Settings(model), threads=threads)

    def vectorised() -> None:
        rng = np.random.default_rng(3)
        for model in ("interaction", "additive"):
            pool = anova(y, model).residuals.ravel()
            for _ in range(10):  # 1000 resamples at a time: 100 MB
                drawn = pool[rng.integers(0, len(pool), (1000, 129, 100), dtype=np.int32)].mean(axis=2)
                drawn - drawn.mean(axis=1, keepdims=True)

    ours(2)
    name = "residual bootstrap, 129 x 50 x 2 x 10,000, two threads"
    yield measured(name, lambda: ours(2), naive=vectorised, reference=("one thread", lambda: ours(1)))


def topic_bootstrap() -> Iterator[Job]:
    """Intervals of a mean over 50 topics; scipy's from our resamples must be ours."""
    from scipy import stats

    values = np.random.default_rng(4).beta(1, 3, (41, 50))

    def ours(runs: int, interval: str) -> Any:
        return topic_limits(values[:runs], interval, topic_counts(50, RESAMPLES, 1), 0.95)

    def theirs(runs: int, interval: str, **options: Any) -> Any:
        return stats.bootstrap((values[:runs],), np.mean, axis=-1, method=SCIPY_METHODS[interval], **options)

    def plain(runs: int, interval: str) -> None:
        rng = np.random.default_rng(4)
        for of_run in values[:runs]:
            means = of_run[rng.integers(0, 50, (RESAMPLES, 50))].mean(axis=1)
            _plain_limits(of_run, means, interval)

    replicates = types.SimpleNamespace(bootstrap_distribution=resampled_means(values, topic_counts(50, RESAMPLES, 1)))
    for runs, interval in ((1, "percentile"), (1, "bca"), (41, "bca")):
        from_ours = theirs(41, interval, n_resamples=0, bootstrap_result=replicates).confidence_interval
        agree(f"{interval} limits", ours(41, interval), from_ours, 1e-9)
        job = measured(
            f"{interval} interval of a mean of 50 topics x 10,000" + (", 41 runs" if runs > 1 else ""),
            partial(ours, runs, interval),
            naive=partial(plain, runs, interval),
            scipy=partial(theirs, runs, interval, n_resamples=RESAMPLES, batch=1000),
        )
        agree(
            f"{interval} limits, resampled apart", job.results["irci"], job.results["scipy"].confidence_interval, 0.01
        )
        yield job


def _plain_limits(values: np.ndarray, means: np.ndarray, interval: str) -> Any:
    """The limits of a mean from its resampled values."""
    if interval == "percentile":
        return np.quantile(means, [0.025, 0.975])
    left_out = (values.sum() - values) / (len(values) - 1)
    return naive.bca_limits(values.mean(), means, left_out, 0.95)


def sign_flips() -> Iterator[Job]:
    """The paired randomization test over 50 topics: one pair, and all pairs of 129 systems."""
    scores = np.random.default_rng(3).beta(1, 3, (129, 50))
    first, second = all_pairs(129).T
    differences = scores[first] - scores[second]

    def ours(pairs: int) -> np.ndarray:
        return sign_flip(differences[:pairs], TOPICS, RESAMPLES, 1)

    def scipys() -> float:
        from scipy import stats

        return stats.permutation_test(
            (differences[0],), np.mean, permutation_type="samples", n_resamples=RESAMPLES
        ).pvalue

    def ranxs() -> float:
        from ranx.statistical_tests import fisher_randomization_test

        return fisher_randomization_test(scores[first[0]], scores[second[0]], RESAMPLES)[0]

    def plain(pairs: int) -> np.ndarray:
        signs = np.random.default_rng(3).choice([-1.0, 1.0], (RESAMPLES, 50))
        return np.array([(np.abs(signs @ each) >= abs(each.sum()) - 1e-12).mean() for each in differences[:pairs]])

    others = {"scipy": scipys} | ({"ranx": ranxs} if installed("ranx") else {})
    for call in (partial(ours, 1), *others.values()):
        call()
    one = measured("sign flips, one pair x 50 topics x 10,000", partial(ours, 1), naive=partial(plain, 1), **others)
    for column in one.others:
        agree(f"p by {column}", one.results["irci"], one.results[column], 0.04)
    yield one
    singly = {column: Part(call, len(differences)) for column, call in others.items()}
    name = "sign flips, 8256 pairs; scipy, ranx: one pair 8256 times"
    every = measured(name, partial(ours, len(differences)), naive=partial(plain, len(differences)), **singly)
    agree("p of all pairs", every.results["irci"], every.results["naive"], 0.04)
    yield every


def stages() -> Iterator[Job]:
    """What the bootstrap's stages cost a lane and step; those with table lookups are not vectorised."""
    rng = np.random.default_rng(1)
    state = rng.integers(0, 2**63, (4, LANES)).astype(np.uint64)
    bits, packed = np.zeros(LANES, np.uint64), np.zeros(LANES, np.uint32)
    before, after, irrelevant = (rng.integers(0, 1000, LANES).astype(np.int32) for _ in range(3))
    difference, sums = np.zeros(LANES), np.zeros(LANES)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 3000))))
    table_bits, threshold, choice, *_ = pair_table(10.0, 1.0)
    tables = AliasTables(threshold, choice, np.zeros(1, np.int64), np.array([table_bits]))
    draw(LANES, state, bits)

    calls = {
        "draw": (draw, (LANES, state, bits)),
        "look_up": (look_up, (LANES, bits, 32, tables, 0, packed)),
        "_advance": (kernel._advance, (LANES, packed, irrelevant, before, after)),
        "subtract_harmonics": (kernel.subtract_harmonics, (LANES, harmonic, before, after, difference)),
        "add_precisions": (kernel.add_precisions, (LANES, irrelevant, before, after, difference, sums)),
    }
    loops = {name: _loop(stage, arguments) for name, (stage, arguments) in calls.items()}
    before[:], after[:] = 100, 101
    for loop in loops.values():
        loop(10)
    for name, loop in loops.items():
        yield Job(
            f"corpus bootstrap, stage {name}", in_turns({name: partial(loop, 20_000)}, 25)[0][name] / 20_000 / LANES
        )


def _loop(stage: Callable[..., None], arguments: tuple[object, ...]) -> Callable[[int], None]:
    @numba.njit
    def loop(times: int, arguments: tuple[object, ...]) -> None:
        for _ in range(times):
            stage(*arguments)

    return lambda times: loop(times, arguments)


# Twenty measures: their names in ir_measures, where the mean of several is meant, and in ranx.
MEASURES = {
    "map": ("AP", "map"),
    "Rprec": ("Rprec", "r-precision"),
    "bpref": ("Bpref", "bpref"),
    "recip_rank": ("RR", "mrr"),
    "P_5": ("P@5", "precision@5"),
    "P_10": ("P@10", "precision@10"),
    "P_20": ("P@20", "precision@20"),
    "P_100": ("P@100", "precision@100"),
    "recall_10": ("R@10", "recall@10"),
    "recall_100": ("R@100", "recall@100"),
    "recall_1000": ("R@1000", "recall@1000"),
    "infAP": ("infAP", None),
    "11pt_avg": (" ".join(f"IPrec@{tenth / 10}" for tenth in range(11)), None),
    "ndcg": ("nDCG", "ndcg"),
    "ndcg_cut_10": ("nDCG@10", "ndcg@10"),
    "ndcg_cut_100": ("nDCG@100", "ndcg@100"),
    "map_cut_100": ("AP@100", "map@100"),
    "success_1": ("Success@1", "hit_rate@1"),
    "set_P": ("SetP", "precision"),
    "set_recall": ("SetR", "recall"),
}

# Its recall cutoffs are others in the trec_eval that the binding has than in trec_eval 10, whose scores are ours.
OLDER = {"11pt_avg"}
SLOW = {"ir_measures", "ranx"}

# From a file to the means of some measures over topics.
Scorer = Callable[[Path], list[float]]


def scorer_of_irci(qrels: Path, names: list[str]) -> Scorer:
    """Ours, with judgments read before."""
    collection = Collection.of(trec.read_qrels(str(qrels)))
    judgments = Judgments.of(collection.qrels, 1)
    measures = [measure for name in names for measure in parse(name)]

    def score(run: Path) -> list[float]:
        lists = judgments.of_run(judge(collection, trec.read_run(str(run))))
        return [measure.summary(measure.scores(lists)) for measure in measures]

    return score


def scorer_of_naive(qrels: Path, names: list[str]) -> Scorer:
    """MAP in plain Python."""
    judgments = naive.read_qrels(str(qrels))

    def score(run: Path) -> list[float]:
        rankings = naive.read_run(str(run))
        scores = []
        for topic, grades in judgments.items():
            relevance = [grades.get(docno, 0) > 0 for docno in rankings.get(topic, [])]
            scores.append(naive.average_precision(relevance, sum(grade > 0 for grade in grades.values())))
        return [statistics.fmean(scores)]

    return score


def scorer_of_pytrec_eval(qrels: Path, names: list[str]) -> Scorer:
    """trec_eval's binding."""
    import pytrec_eval

    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(map(_in_binding, names)))

    def score(run: Path) -> list[float]:
        with run.open() as file:
            topics = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
        return [statistics.fmean(scores[name] for scores in topics) for name in names]

    return score


def scorer_of_ir_measures(qrels: Path, names: list[str]) -> Scorer:
    """Its evaluator of choice."""
    import ir_measures

    measures = [[ir_measures.parse_measure(part) for part in MEASURES[name][0].split()] for name in names]
    evaluator = ir_measures.evaluator(list(chain(*measures)), list(ir_measures.read_trec_qrels(str(qrels))))

    def score(run: Path) -> list[float]:
        means = evaluator.calc_aggregate(ir_measures.read_trec_run(str(run)))
        return [statistics.fmean(means[part] for part in parts) for parts in measures]

    return score


def scorer_of_ranx(qrels: Path, names: list[str]) -> Scorer:
    """As many of the measures as it has, the others nan; on all its threads."""
    import ranx

    warnings.filterwarnings("ignore", category=numba.core.errors.NumbaTypeSafetyWarning)
    judgments = ranx.Qrels.from_file(str(qrels), kind="trec")
    theirs = [MEASURES[name][1] for name in names]
    chosen = [name for name in theirs if name]

    def score(run: Path) -> list[float]:
        run_read = ranx.Run.from_file(str(run), kind="trec")
        means = ranx.evaluate(judgments, run_read, chosen, make_comparable=True)
        return [means[name] if name else np.nan for name in theirs] if len(chosen) > 1 else [means]

    return score


SCORERS = {
    "irci": scorer_of_irci,
    "naive": scorer_of_naive,
    "pytrec_eval": scorer_of_pytrec_eval,
    "ir_measures": scorer_of_ir_measures,
    "ranx": scorer_of_ranx,
}


def _in_binding(name: str) -> str:
    """The measure's name in the binding, which takes cutoffs after a dot."""
    family, _, cut = name.rpartition("_")
    return f"{family}.{cut}" if cut.isdigit() else name


def ties_of(run: Path) -> tuple[bool, bool]:
    """Whether documents of a topic have equal scores, and whether more have when scores are single-precision."""
    topics: dict[bytes, list[bytes]] = {}
    for topic, _, _, _, score, *_ in naive.lines_of(str(run)):
        topics.setdefault(topic, []).append(score)
    scores = [np.array(each, np.float64) for each in topics.values()]
    distinct = [len(np.unique(each)) for each in scores]
    coarse = [len(np.unique(each.astype(np.float32))) for each in scores]
    return distinct != [len(each) for each in scores], distinct != coarse


def reading(folder: Path) -> Iterator[Job]:
    """Reading and scoring all TREC-8 runs, uncompressed, in one process; their qrels are read before."""
    qrels, runs = _unpacked(folder)
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
    yield from _processes(qrels, runs)


def _agree_on_measures(column: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Means [runs, measures]; nan for a measure that is not theirs."""
    for name, our_means, their_means in zip(MEASURES, ours.T, theirs.T, strict=False):
        if name not in OLDER and not np.isnan(their_means).any():
            agree(f"{name} by {column}", our_means, their_means, 1e-6)


def _unpacked(folder: Path) -> tuple[Path, list[Path]]:
    """The qrels and runs."""
    qrels = folder / "qrels"
    qrels.write_bytes(gzip.decompress((TREC8 / "qrels.trec8.adhoc.gz").read_bytes()))
    runs = []
    for packed in sorted((TREC8 / "runs").iterdir()):
        runs.append(folder / packed.stem)
        runs[-1].write_bytes(gzip.decompress(packed.read_bytes()))
    return qrels, runs


def _scoring(qrels: Path, runs: list[Path], names: list[str]) -> Job:
    """By each program that has most of the measures: each run's means are the results. Slow ones score some runs only."""
    calls = {}
    for column, scorer_of in SCORERS.items():
        if (column != "naive" or len(names) == 1) and (column not in PEERS or installed(column)):
            score = scorer_of(qrels, names)
            score(runs[0])
            some = runs[1::4] if column in SLOW else runs
            share = sum(run.stat().st_size for run in runs) / sum(run.stat().st_size for run in some)
            calls[column] = Part(lambda score=score, some=some: {run: score(run) for run in some}, share)
    what = (
        "map" if len(names) == 1 else f"{len(names)} measures, ranx {sum(b is not None for _, b in MEASURES.values())}"
    )
    return measured(f"read and score {len(runs)} TREC-8 runs by {what}", calls.pop("irci").call, **calls)


def _processes(qrels: Path, runs: list[Path]) -> Iterator[Job]:
    """Whole processes, start-up included."""
    command = [sys.executable, "-m", "irci", "ap-ci", "--quiet"]
    theirs = [sys.executable, "-m", "ir_measures", str(qrels), str(runs[0]), "AP"]
    job = measured(
        "irci ap-ci -B 0 on one run",
        lambda: output_of([*command, "-B", "0", str(qrels), str(runs[0])]),
        reference=IMPORTS,
        ir_measures=(lambda: output_of(theirs)) if installed("ir_measures") else None,
    )
    if "ir_measures" in job.others:
        agree("printed map", float(job.results["irci"].split()[2]), float(job.results["ir_measures"].split()[1]), 1e-4)
    yield job
    command += ["-q", str(qrels)]
    yield measured(
        "irci ap-ci -q on one run, 1000 resamples", lambda: output_of([*command, str(runs[0])]), reference=IMPORTS
    )
    copies = [qrels.parent / f"{copy}-{run.name}" for copy in "abcd" for run in runs][:129]
    for copy in copies:
        copy.symlink_to(qrels.parent / copy.name[2:])
    measures = [part for name in MEASURES for part in ("-m", name)]
    many = [*command, "--names", "file", "-B", "0", *measures, *map(str, copies)]
    yield measured("irci ap-ci -q -B 0, 129 runs x 50 topics x 20 measures", lambda: output_of(many), rounds=3)
    yield Job("irci ap-ci -q on 41 runs, peak memory", peak_memory([*command, *map(str, runs)]), unit="MB")


def output_of(command: list[str]) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# What no process can do without: any, and one with compiled functions.
BARE = ("python -c pass", partial(output_of, [sys.executable, "-c", "pass"]))
IMPORTS = ("import numba", partial(output_of, [sys.executable, "-c", "import numba"]))


def peak_memory(command: list[str]) -> float:
    """In MB, measured by a small process of its own: a child counts what its parent had when it was born."""
    measure = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", measure, *command], check=True, capture_output=True).stdout)


def swap_errors() -> Iterator[Job]:
    """The error-rate study at the size of Buckley & Voorhees, against NumPy vectorised over designs, sets and pairs."""
    rng = np.random.default_rng(5)
    ability = rng.normal(0.3, 0.03, 9)
    cubes = [np.clip(ability + rng.normal(0, 0.15, (50, 21, 9)), 0, 1) for _ in range(17)]
    sizes = (5, 10, 15, 20, 25, 30, 40, 50)
    settings = error_rate.Settings(tuple(range(1, 11)))

    def ours(threads: int, trials: int = 100) -> None:
        for cube in cubes:
            list(error_rates_over_versions(cube, sizes, replace(settings, trials=trials), threads))

    def vectorised(trials: int) -> None:
        designs = designs_of_versions(50, 21, settings)
        orders = orders_of_topics(50, 50, replace(settings, trials=trials))
        first, second = np.triu_indices(9, 1)
        dealt = np.take_along_axis(cubes[0][np.newaxis], designs[..., np.newaxis], axis=2)  # [D, T, V, S]
        for order in orders:
            totals = dealt[:, order].cumsum(axis=1)
            for size in sizes:
                a, b = totals[:, size - 1][..., first], totals[:, size - 1][..., second]
                difference, larger = a - b, np.maximum(a, b)
                for threshold in settings.thresholds():
                    better = (difference >= threshold * larger).sum(axis=1)
                    worse = (-difference >= threshold * larger).sum(axis=1)
                    np.minimum(better, worse).sum(), (21 - better - worse).sum()

    ours(1, 1)
    one = measured(
        "error rates, 17 x 9 x 21 x 50, 8 x 100 x 50, 10 fuzz",
        lambda: ours(1),
        naive=Part(lambda: vectorised(5), 20 * 17),
        reference=("two threads", lambda: ours(2)),
    )
    two = one.others.pop("reference")
    yield replace(one, reference="")
    yield Job("error rates, two threads", two, {"reference": one.ours}, "one thread")
    scores = rng.random((41, 50))

    def plain() -> None:
        for size in (5, 15, 25):
            first, second = swap.topic_sets(50, size, swap.Settings(trials=1))
            list(naive.swaps(scores, first[0], second[0]))

    name = "swap method, 41 runs, 21 sizes x 50 trials"
    yield measured(name, lambda: swap.swaps(scores, range(5, 26), swap.Settings()), naive=Part(plain, 21 * 50 / 3))


def start_up() -> Iterator[Job]:
    """How long a user waits for help."""
    command = [str(Path(sys.executable).parent / "irci"), "--help"]
    yield measured("irci --help", lambda: output_of(command), rounds=9, reference=BARE)


def all_jobs() -> Iterator[Job]:
    """Every line, as soon as it is measured."""
    for of_method in (
        corpus_bootstrap,
        paired_bootstrap,
        residual_bootstrap,
        topic_bootstrap,
        sign_flips,
        swap_errors,
        stages,
    ):
        yield from of_method()
    if TREC8.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            yield from reading(Path(folder))
    yield from start_up()


def processor() -> str:
    """Its name, as far as the system tells."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Of Python and of every distribution measured."""
    present = [PEERS[module] for module in PEERS if installed(module)]
    return {"Python": platform.python_version()} | {
        name: version(name) for name in ("irci", "numpy", "scipy", "numba", *present)
    }


def heading() -> Iterator[str]:
    """What is measured on what, and the columns' names."""
    yield f"# {processor()}, {os.cpu_count()} cores"
    yield "# " + ", ".join(f"{name} {number}" for name, number in versions().items())
    missing = [name for module, name in PEERS.items() if not installed(module)]
    if missing:
        yield f"# not installed and left out: {', '.join(missing)}"
    yield "# times, and how many times ours they are; irci on one thread unless it says otherwise, ranx on all"
    yield _row("", "irci", {column: "naive NumPy" if column == "naive" else column for column in columns()})


def columns() -> list[str]:
    """Without those of peers that are not installed."""
    return [column for column in COLUMNS if column not in PEERS or installed(column)]


def line(job: Job) -> str:
    """A job's line of the table."""
    cells = {column: f"{shown(job.others[column])} {times(ratio):>6}" for column, ratio in job.ratios().items()}
    if job.reference:
        cells["reference"] = f"{job.reference} {cells['reference']}"
    return _row(job.name, shown(job.ours, job.unit), cells)


def _row(name: str, ours: str, cells: dict[str, str]) -> str:
    return f"{name:<56}{ours:>9}" + "".join(f"{cells.get(column, ''):>{WIDTHS[column]}}" for column in columns())


def shown(quantity: float, unit: str = "s") -> str:
    """Two or three digits and a unit; seconds in the unit that suits."""
    if unit == "s":
        unit, size = next((u, s) for u, s in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 0)) if quantity >= s)
        quantity /= size or 1e-9
    return f"{quantity:.{_decimals(quantity)}f} {unit}"


def times(ratio: float) -> str:
    """A ratio."""
    return f"{ratio:.{_decimals(ratio)}f}x"


def _decimals(number: float) -> int:
    return 0 if number >= 100 else 1 if number >= 10 else 2


def comparison(ratios: dict[str, dict[str, float]], baseline: dict[str, Any]) -> Iterator[str]:
    """Each job's ratios now and in a baseline, worse where ours lost to the other."""
    yield f"\n{'# ratio to':<72}{'now':>9}{'then':>9}{'then/now':>10}"
    for name, then in baseline["versions"].items():
        now = versions().get(name, "none")
        if now != then:
            yield f"# {name} {now}, then {then}"
    for job, of_job in ratios.items():
        for column, now in of_job.items():
            then = baseline["ratios"].get(job, {}).get(column)
            quotient = f"{times(then):>9}{then / now:>10.2f}{'  WORSE' if then / now > WORSE else ''}" if then else ""
            yield f"{job:<58}{column:<14}{times(now):>9}{quotient}"
    for job in (job for job in baseline["ratios"] if job not in ratios):
        yield f"{job:<58}not measured now"


def main() -> None:
    """Print the table, and save or compare its ratios."""
    parser = argparse.ArgumentParser(description="Measure speed as ratios to naive versions and peers.")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the ratios, with versions, to this JSON file")
    parser.add_argument("--compare", metavar="FILE", type=Path, help="show the ratios beside those of a saved file")
    options = parser.parse_args()
    baseline = json.loads(options.compare.read_text()) if options.compare else None
    print(*heading(), sep="\n", flush=True)
    ratios = {}
    for job in all_jobs():
        print(line(job), flush=True)
        if job.others:
            ratios[job.name] = {column: float(f"{ratio:.3g}") for column, ratio in job.ratios().items()}
    if options.save:
        saved = {"machine": f"{processor()}, {os.cpu_count()} cores", "versions": versions(), "ratios": ratios}
        options.save.write_text(json.dumps(saved, indent=2, ensure_ascii=False) + "\n")
    if baseline:
        print(*comparison(ratios, baseline), sep="\n")


if __name__ == "__main__":
    main()
