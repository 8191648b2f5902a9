"""Where the data are, and the helpers that several test modules share."""

import gc
import importlib.util
import logging
import os
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

from irci.data.collection import Collection, JudgedRun, Relevance, RelevantRanks, judge
from irci.data.retrieved import RankedDocuments, RetrievedDocuments, TopicDocuments
from irci.data.trec_files import read_run

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT / "testdata"
SMALL = TESTDATA / "small"
SHARED = ROOT.parent / "shared" / "data"

# Compilation happens inside the first example; the same examples every time.
settings.register_profile("irci", deadline=None, derandomize=True)
settings.load_profile("irci")

sys.path.insert(0, str(ROOT / "testdata"))

# Where an installed command finds its bytecode, the processes that tests start would compile all of irci each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Which test compiles a kernel depends on what ran before: what is said of it belongs to no output.
logging.getLogger("irci.kernels").addFilter(
    lambda record: "compil" not in str(record.msg) or record.levelno > logging.INFO
)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What has been loaded by now stays: it is not gone through for garbage again and again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What was logged of names that are no UTF-8 cannot be sent from one process of the tests to another as it is."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where matplotlib is not installed: a page says so, and takes less time."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def trec8() -> Path:
    """TREC-8 ad hoc: 41 runs, their qrels and trec_eval's output for them."""
    return _shared("trec8-adhoc")


@pytest.fixture
def trec_eval_test() -> Path:
    """trec_eval's own test files."""
    return _shared("trec_eval_test")


def _shared(name: str) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"{name} is not beside this checkout")
    return SHARED / name


def relevance_of(counts: Sequence[int], *, graded: bool = False) -> Relevance:
    """So many relevant documents a topic, all alike."""
    per_topic = np.array(counts, np.int64)[:, np.newaxis]
    return Relevance(np.zeros(sum(counts), np.int32), np.ones(1), per_topic, level=1, most=1, graded=graded)


def ranked(
    collection: Collection, *paths: str, seen: NDArray[np.bool_] | None = None, whole: bool = False
) -> tuple[list[tuple[JudgedRun, RankedDocuments]], TopicDocuments]:
    """Runs read and judged, and their documents, as comparisons of rankings take them: down to the last one seen, which are
    relevant ones unless told, or as a whole."""
    seen = collection.qrels.grade > 0 if seen is None else seen
    retrieved = RetrievedDocuments(collection.qrels, seen, to_the_end=whole)
    rankings = []
    for run in map(read_run, paths):
        judged = judge(collection, run)
        rankings.append((judged, retrieved.add(run, judged)))
    return rankings, retrieved.by_topic()


def lists_of(*rankings: tuple[Sequence[int] | NDArray[np.bool_], int]) -> RelevantRanks:
    """Rankings given as (0s and 1s by rank, number of relevant documents in the collection)."""
    ranks = [np.flatnonzero(relevance) + 1 for relevance, _ in rankings]
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in ranks])))
    return RelevantRanks(
        offsets=offsets.astype(np.int64),
        ranks=np.concatenate(ranks).astype(np.int32),
        classes=np.zeros(offsets[-1], np.int32),
        gains=np.ones(1),
        counts=np.array([[num_relevant] for _, num_relevant in rankings], np.int64),
        retrieved=np.array([len(relevance) for relevance, _ in rankings], np.int64),
    )


def random_ranking(rng: np.random.Generator, depth: int, share: float) -> list[int]:
    """0s and 1s, the 1s denser at the top."""
    chance = np.clip(2 * share / np.sqrt(1 + np.arange(depth) / 8), 0, 0.95)
    return (rng.random(depth) < chance).astype(int).tolist()


def ap_scores(lists: RelevantRanks) -> np.ndarray:
    """AP of every ranking."""
    scores = []
    for topic, num_relevant in enumerate(lists.num_relevant):
        ranks = lists.ranks[lists.offsets[topic] : lists.offsets[topic + 1]]
        scores.append(sum((i + 1) / rank for i, rank in enumerate(ranks)) / num_relevant if num_relevant else 0.0)
    return np.array(scores)
