"""Speed as ratios, each measured in one run against a naive version or a peer: make bench

Times are medians; the machine's own speed drifts, so read the ratios.
"""

import gzip
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytrec_eval

from irci import trec
from irci.anova import anova
from irci.collection import Collection, RankedHashes, judge
from irci.comparisons import sign_flip
from irci.corpus_bootstrap import StepTables, resampled_scores
from irci.kernels import corpus_bootstrap as kernel
from irci.kernels.generator import LANES, draw
from irci.kernels.poisson_tables import look_up, pair_table
from irci.measures import MAP, Judgments, parse
from irci.methods import swap
from irci.methods.error_rate import Study, designs_of_versions, error_rates_over_versions, orders_of_topics
from irci.methods.partition_anova import Settings, all_pairs, partition_anova
from irci.paired_bootstrap import Rankings, paired_replicates
from irci.resampling import topic_keys

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import naive
from conftest import lists_of, random_ranking

TREC8 = ROOT.parent / "shared" / "data" / "trec8-adhoc"


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_memory(command: list[str]) -> float:
    """In MB, measured by a small process of its own: a child counts what its parent had when it was born."""
    measure = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", measure, *command], check=True, capture_output=True).stdout)


def show(what: str, ours: str, against: str = "", ratio: float | None = None) -> None:
    """One line of the table."""
    print(f"{what:<52} {ours:>12} {against:>34} {f'{ratio:.1f} x' if ratio else '':>9}", flush=True)


def corpus_bootstrap() -> None:
    """One thread against the literal NumPy bootstrap: 60 runs, 50 topics, 2000 resamples, depth 1000."""
    rng = np.random.default_rng(1)
    runs = [[(random_ranking(rng, 1000, 0.115), 90) for _ in range(50)] for _ in range(60)]
    lists = [lists_of(*rankings) for rankings in runs]
    relevant = sum(len(each.ranks) for each in lists)
    keys = topic_keys([b"%d" % number for number in range(50)])
    tables = StepTables()

    def ours(threads: int) -> None:
        for each in lists:
            resampled_scores(each, keys, resamples=2000, seed=1, tables=tables, threads=threads)

    def literal() -> None:
        for rankings in runs[::15]:
            for relevance, num_relevant in rankings[::10]:
                naive.resampled_ap(relevance, num_relevant, 500, rng)

    ours(1)
    fast, slow = seconds(lambda: ours(1)), seconds(literal, 3) * (60 * 50 / 20) * (2000 / 500)
    each = fast / relevant / 2000 * 1e9
    show(
        "corpus bootstrap, 60 x 50 lists x 2000, one thread",
        f"{fast:.2f} s",
        f"literal NumPy {slow:.0f} s",
        slow / fast,
    )
    show(f"  a relevant document ({relevant / 3000:.0f} a list) and resample", f"{each:.2f} ns")
    two = seconds(lambda: ours(2))
    show("  two threads", f"{two:.2f} s", f"one thread {fast:.2f} s", fast / two)


def paired_bootstrap() -> None:
    """Pairs of runs: 50 topics, 2000 resamples, depth 1000, one thread; against the literal NumPy version, and single runs."""
    rng = np.random.default_rng(2)
    runs = [[] for _ in range(41)]
    relevant = []
    for topic in range(50):
        documents = np.array([f"{'n' if not hit else 'r'}{topic}-{i}" for i, hit in enumerate(_relevance(rng, 3000))])
        relevant.append([d for d in documents if d[0] == "r"])
        for run in runs:
            order = np.argsort(np.arange(3000) + 300 * rng.standard_normal(3000))
            run.append(documents[order][:1000].tolist())
    keys = topic_keys([b"%d" % number for number in range(50)])
    rankings = [_rankings_of(run, relevant) for run in runs]
    lists = [
        lists_of(*(([int(d[0] == "r") for d in r], len(rel)) for r, rel in zip(run, relevant, strict=True)))
        for run in runs
    ]
    tables = StepTables()

    def together(some: int) -> None:
        together = replace(rankings[0], runs=[each.runs[0] for each in rankings[:some]])
        for _ in paired_replicates(together, keys, resamples=[2000] * 50, seed=1):
            pass

    def singly() -> None:
        for each in lists[:40]:
            resampled_scores(each, keys, resamples=2000, seed=1, tables=tables)

    def literal() -> None:
        for topic in range(0, 50, 10):
            naive.resampled_together([runs[0][topic], runs[1][topic]], relevant[topic], 200, rng)

    together(2), singly()
    pair, slow = seconds(lambda: together(2)), seconds(literal, 3) * 10 * 10
    show("paired bootstrap, 2 runs x 50 topics x 2000", f"{pair:.3f} s", f"literal NumPy {slow:.1f} s", slow / pair)
    all_runs, single = seconds(lambda: together(41), 3), seconds(singly, 3)
    show("  40 runs and their baseline", f"{all_runs:.2f} s", f"of 40 single runs {single:.2f} s", all_runs / single)


def _relevance(rng: np.random.Generator, depth: int) -> list[int]:
    return random_ranking(rng, depth, 0.05)


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


def residual_bootstrap() -> None:
    """129 systems, 50 topics, 2 parts, 10,000 resamples, both models; and all pairs by sign flips."""
    rng = np.random.default_rng(3)
    y = rng.beta(1, 3, (50, 129, 2))

    def ours(threads: int) -> None:
        for model in ("interaction", "additive"):
            partition_anova(y, Settings(model), threads=threads)

    def vectorised() -> None:
        for model in ("interaction", "additive"):
            pool = anova(y, model).residuals.ravel()
            for _ in range(10):  # 1000 resamples at a time: 100 MB
                drawn = pool[rng.integers(0, len(pool), (1000, 129, 100), dtype=np.int32)].mean(axis=2)
                drawn - drawn.mean(axis=1, keepdims=True)

    ours(2)
    fast, slow, one = seconds(lambda: ours(2)), seconds(vectorised, 3), seconds(lambda: ours(1))
    show(
        "residual bootstrap, 129 x 50 x 2 x 10,000, two models",
        f"{fast:.2f} s",
        f"vectorised NumPy {slow:.2f} s",
        slow / fast,
    )
    show("  one thread", f"{one:.2f} s")
    first, second = all_pairs(129).T
    scores = y[:, :, 0].T
    keys = topic_keys([b"%d" % number for number in range(50)])
    flips = seconds(lambda: sign_flip(scores[first] - scores[second], keys, 10_000, 1), 3)
    show("sign flips, 8256 pairs x 10,000", f"{flips:.2f} s")


def stages() -> None:
    """What the bootstrap's stages cost a lane and step; those with table lookups are not vectorised."""
    rng = np.random.default_rng(1)
    state = rng.integers(0, 2**63, (4, LANES)).astype(np.uint64)
    bits, packed = np.zeros(LANES, np.uint64), np.zeros(LANES, np.uint32)
    before, after, irrelevant = (rng.integers(0, 1000, LANES).astype(np.int32) for _ in range(3))
    difference, sums = np.zeros(LANES), np.zeros(LANES)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 3000))))
    table_bits, threshold, choice, *_ = pair_table(10.0, 1.0)
    draw(state, bits)

    calls = {
        "draw": (draw, (state, bits)),
        "look_up": (look_up, (bits, 32, threshold, choice, 0, table_bits, packed)),
        "_advance": (kernel._advance, (packed, irrelevant, before, after)),
        "subtract_harmonics": (kernel.subtract_harmonics, (harmonic, before, after, difference)),
        "add_precisions": (kernel.add_precisions, (irrelevant, before, after, difference, sums)),
    }
    for name, (stage, arguments) in calls.items():
        loop = _loop(stage)
        if name == "subtract_harmonics":
            before[:], after[:] = 100, 101
        loop(10, arguments)
        show(
            f"  stage {name}",
            f"{seconds(lambda loop=loop, a=arguments: loop(20_000, a)) / 20_000 / LANES * 1e9:.2f} ns",
        )


def _loop(stage: Callable[..., None]) -> Callable[[int, tuple[object, ...]], None]:
    @numba.njit
    def loop(times: int, arguments: tuple[object, ...]) -> None:
        for _ in range(times):
            stage(*arguments)

    return loop


TWENTY = (
    "map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "P_20", "P_100", "recall_10", "recall_100", "recall_1000", "infAP",
    "11pt_avg", "ndcg", "ndcg_cut_10", "ndcg_cut_100", "map_cut_100", "success_1", "set_P", "set_recall",
)  # fmt: skip


def reading(folder: Path) -> None:
    """Reading and scoring all TREC-8 runs, uncompressed, against trec_eval's binding in the same process."""
    qrels = folder / "qrels"
    qrels.write_bytes(gzip.decompress((TREC8 / "qrels.trec8.adhoc.gz").read_bytes()))
    runs = []
    for packed in sorted((TREC8 / "runs").iterdir()):
        runs.append(folder / packed.stem)
        runs[-1].write_bytes(gzip.decompress(packed.read_bytes()))
    three_fold = [folder / f"{copy}-{run.name}" for run in runs for copy in "abc"] + [
        folder / f"d-{runs[i].name}" for i in range(6)
    ]
    for copy in three_fold:
        copy.symlink_to(folder / copy.name[2:])
    size = sum(run.stat().st_size for run in runs)
    collection = Collection.of(trec.read_qrels(str(qrels)))
    judgments = Judgments.of(collection.qrels, 1)
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map"})

    def ours() -> None:
        for run in runs:
            MAP.scores(judgments.of_run(judge(collection, trec.read_run(str(run)))))

    def theirs() -> None:
        for run in runs:
            with run.open() as file:
                evaluator.evaluate(pytrec_eval.parse_run(file))

    ours()
    fast, slow = seconds(ours), seconds(theirs, 3)
    show("read and score 41 TREC-8 runs (map)", f"{fast:.2f} s", f"pytrec_eval {slow:.2f} s", slow / fast)
    show("  bytes of runs", f"{size / fast / 1e6:.0f} MB/s")
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(map(_in_binding, TWENTY)))
    measures = [measure for name in TWENTY for measure in parse(name)]

    def ours_twenty() -> None:
        for run in runs:
            lists = judgments.of_run(judge(collection, trec.read_run(str(run))))
            for measure in measures:
                measure.scores(lists)

    ours_twenty()
    fast, slow = seconds(ours_twenty), seconds(theirs, 3)
    show("  the same with 20 measures", f"{fast:.2f} s", f"pytrec_eval {slow:.2f} s", slow / fast)
    command = [sys.executable, "-m", "irci", "ap-ci", "--quiet", "-q", str(qrels)]
    peak = peak_memory([*command, *map(str, runs)])
    show("peak memory, irci ap-ci -q on all of them", f"{peak:.0f} MB")
    call = [*command, str(runs[0])]
    chosen = [part for name in TWENTY for part in ("-m", name)]
    many = [*command, "--names", "file", "-B", "0", *chosen, *map(str, three_fold)]
    whole = seconds(lambda: subprocess.run(many, check=True, stdout=subprocess.DEVNULL), 3)
    show("irci ap-ci, 129 runs x 50 topics x 20 measures, -B 0", f"{whole:.2f} s")
    warm = seconds(lambda: subprocess.run(call, check=True, stdout=subprocess.DEVNULL), 9)
    show("irci ap-ci -q on one of them, whole process", f"{warm:.2f} s")


def _in_binding(name: str) -> str:
    """The measure's name in the binding, which takes cutoffs after a dot."""
    family, _, cut = name.rpartition("_")
    return f"{family}.{cut}" if cut.isdigit() else name


def swap_errors() -> None:
    """The error-rate study at the size of Buckley & Voorhees, against NumPy vectorised over designs, sets and pairs."""
    rng = np.random.default_rng(5)
    ability = rng.normal(0.3, 0.03, 9)
    cubes = [np.clip(ability + rng.normal(0, 0.15, (50, 21, 9)), 0, 1) for _ in range(17)]
    sizes = (5, 10, 15, 20, 25, 30, 40, 50)
    study = Study(tuple(range(1, 11)))

    def ours(threads: int, trials: int = 100) -> None:
        for cube in cubes:
            list(error_rates_over_versions(cube, sizes, replace(study, trials=trials), threads))

    def vectorised(trials: int) -> None:
        designs = designs_of_versions(50, 21, study)
        orders = orders_of_topics(50, 50, replace(study, trials=trials))
        first, second = np.triu_indices(9, 1)
        dealt = np.take_along_axis(cubes[0][np.newaxis], designs[..., np.newaxis], axis=2)  # [D, T, V, S]
        for order in orders:
            totals = dealt[:, order].cumsum(axis=1)
            for size in sizes:
                a, b = totals[:, size - 1][..., first], totals[:, size - 1][..., second]
                difference, larger = a - b, np.maximum(a, b)
                for threshold in study.thresholds():
                    better = (difference >= threshold * larger).sum(axis=1)
                    worse = (-difference >= threshold * larger).sum(axis=1)
                    np.minimum(better, worse).sum(), (21 - better - worse).sum()

    ours(1, 1)
    one, two = seconds(lambda: ours(1), 3), seconds(lambda: ours(2), 3)
    slow = seconds(lambda: vectorised(5), 3) * 20 * 17
    what = "error rates, 17 x 9 x 21 x 50, 8 x 100 x 50, 10 fuzz"
    show(what, f"{one:.2f} s", f"vectorised NumPy {slow:.0f} s", slow / one)
    show("  two threads", f"{two:.2f} s", f"one thread {one:.2f} s", one / two)
    scores = rng.random((41, 50))
    fast = seconds(lambda: swap.swaps(scores, range(5, 26), swap.Settings()))
    show("swap method, 41 runs, 21 sizes x 50 trials", f"{fast:.2f} s")


def start_up() -> None:
    """How long a user waits for help."""
    command = [str(Path(sys.executable).parent / "irci"), "--help"]
    show("irci --help", f"{seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), 9):.3f} s")


def main() -> None:
    """Print the table."""
    python, processor = platform.python_version(), platform.processor() or platform.machine()
    print(f"# Python {python}, numpy {np.__version__}, numba {numba.__version__}, {processor}")
    corpus_bootstrap()
    paired_bootstrap()
    residual_bootstrap()
    swap_errors()
    stages()
    if TREC8.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            reading(Path(folder))
    start_up()


if __name__ == "__main__":
    main()
