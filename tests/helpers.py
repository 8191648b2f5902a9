"""Where the data are, and the small collections that several test modules make."""

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from irci.base import IrciError
from irci.base.streams import topic_keys
from irci.base.types import Floats, Ints32, Words
from irci.data.collection import Relevance, RetrievedDocuments, judge
from irci.data.inputs import Inputs, read_run
from irci.data.rankings import Qrels
from irci.estimators.documents import by_block
from irci.measures import JudgedLists
from irci.options.rows import ask

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT / "testdata"
SMALL = TESTDATA / "small"
SHARED = ROOT.parent / "shared" / "data"
# The small collection.
QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
RUN_BY_NAME = {Path(run).name.split(".")[0]: run for run in RUNS}


def shared(*names: str) -> Path:
    """A path of the data beside this checkout; tests of what is not there are skipped."""
    path = SHARED.joinpath(*names)
    if not path.exists():
        pytest.skip(f"{'/'.join(names)} is not beside this checkout")
    return path


def inputs_of(*files: str | Path, **settings: Any) -> Inputs:
    """What is asked of map-ci, or would be, with these files."""
    return Inputs(ask("map-ci", {"files": tuple(map(str, files)), **settings}, {}))


def words(line: str) -> list[str]:
    """Of a line typed."""
    return line.split()


def relevance_of(counts: Sequence[int], *, graded: bool = False) -> Relevance:
    """So many relevant documents a topic, all alike."""
    per_topic = np.array(counts, np.int64)[:, np.newaxis]
    return Relevance(np.zeros(sum(counts), np.int32), np.ones(1), per_topic, level=1, most=1, graded=graded)


def ranked(
    qrels: Qrels, *paths: str, relevance: Relevance | None = None, whole: bool = False
) -> tuple[list[tuple[Relevance, list[Ints32]]], list[Words]]:
    """Runs read and judged, and their documents, as comparisons of rankings take them: down to the last one seen, which are
    relevant ones unless told, or as a whole."""
    relevance = relevance or Relevance.of(qrels, "relevance")
    retrieved = RetrievedDocuments(qrels, relevance.classes >= 0, to_the_end=whole)
    rankings = []
    for run in map(read_run, paths):
        judged = judge(qrels, run)
        rankings.append((relevance.of_run(judged), retrieved.add(run, judged)))
    return rankings, retrieved.by_topic()


def lists_of(*rankings: tuple[Sequence[int] | NDArray[np.bool_], int]) -> Relevance:
    """Rankings given as (0s and 1s by rank, number of relevant documents in the collection)."""
    ranks = [np.flatnonzero(relevance) + 1 for relevance, _ in rankings]
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in ranks])))
    return Relevance(
        offsets=offsets.astype(np.int64),
        ranks=np.concatenate(ranks).astype(np.int32),
        classes=np.zeros(offsets[-1], np.int32),
        gains=np.ones(1),
        counts=np.array([[num_relevant] for _, num_relevant in rankings], np.int64),
        retrieved=np.array([len(relevance) for relevance, _ in rankings], np.int64),
    )


def judged_lists(grades: Sequence[int], missing: Sequence[int], level: int = 1, most: int | None = None) -> JudgedLists:
    """One topic: the grades of the ranking (-1: not judged), and those of judged documents that it lacks."""
    judged = np.flatnonzero(np.array(grades) >= 0)
    every = np.array([*(grade for grade in grades if grade >= 0), *missing], np.int64)
    ideal = np.sort(every[(every > 0) | (every >= level)])[::-1].copy()
    return JudgedLists(
        offsets=np.array([0, len(judged)]),
        ranks=(judged + 1).astype(np.int32),
        grades=np.array(grades, np.int64)[judged],
        level=level,
        retrieved=np.array([len(grades)]),
        relevant=np.array([(every >= level).sum()]),
        nonrelevant=np.array([(every < level).sum()]),
        ideal=ideal,
        ideal_offsets=np.array([0, len(ideal)]),
        most=int(every.max(initial=0)) if most is None else most,
    )


def random_ranking(rng: np.random.Generator, depth: int, share: float) -> list[int]:
    """0s and 1s, the 1s denser at the top."""
    chance = np.clip(2 * share / np.sqrt(1 + np.arange(depth) / 8), 0, 0.95)
    return (rng.random(depth) < chance).astype(int).tolist()


def ap_scores(lists: Relevance) -> np.ndarray:
    """AP of every ranking."""
    scores = []
    for topic, num_relevant in enumerate(lists.num_relevant):
        ranks = lists.ranks[lists.offsets[topic] : lists.offsets[topic + 1]]
        scores.append(sum((i + 1) / rank for i, rank in enumerate(ranks)) / num_relevant if num_relevant else 0.0)
    return np.array(scores)


def keys(topics: int) -> Words:
    """Keys of the random streams of so many topics."""
    return topic_keys([b"%d" % topic for topic in range(topics)])


def interval(value: float, half: float = 0.05, **cells: Any) -> dict[str, Any]:
    """A row of a mean, or of what the other cells make of it."""
    return {"measure": "map", "topic": "all", "value": value, "lower": value - half, "upper": value + half, **cells}


def matrix(path: Path, values: np.ndarray) -> str:
    """A file of scores[runs, topics]."""
    names = ",".join(f"r{run}" for run in range(len(values)))
    lines = [f"{topic}," + ",".join(map(repr, column)) for topic, column in enumerate(values.T.tolist(), 1)]
    path.write_text("\n".join(["topic," + names, *lines]))
    return str(path)


def written(path: Path, content: Any, **how: Any) -> str:
    """A file of this text, of these bytes, or of anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, str | bytes):
        content = json.dumps(content, **how)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def unpacked(path: Path) -> bytes:
    """What is in a file, packed or not."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def all_written(folder: Path, contents: Mapping[str, Any]) -> list[str]:
    """Files of these names."""
    return [written(folder / name, content) for name, content in contents.items()]


def refusal(read: Callable[[], object], *paths: object) -> list[str]:
    """What is said of files that are refused, a line each, without their paths."""
    with pytest.raises(IrciError) as caught:
        read()
    lines = str(caught.value).splitlines()
    for path in paths:
        lines = [line.removeprefix(str(path)) for line in lines]
    return lines


def score_table(
    path: Path, cells: Iterable[Sequence[object]], columns: str = "run topic value", measure: str = "map"
) -> Path:
    """A file of scores of one measure, a line for the cells of each column; those that are nan are left out."""
    lines = ["\t".join(map(str, (measure, *cell))) for cell in cells if cell[-1] == cell[-1]]
    path.write_text("\n".join(["\t".join(("measure", *columns.split())), *lines, ""]))
    return path


def run_scores(
    path: Path, runs: Mapping[str, Iterable[float]], topics: Sequence[str] | None = None, measure: str = "map"
) -> str:
    """A file of each run's scores on topics t000, t001, ... unless named."""
    names = topics or [f"t{topic:03}" for topic in range(1000)]
    cells = ((run, *cell) for run, scores in runs.items() for cell in zip(names, scores, strict=False))
    return str(score_table(path, cells, measure=measure))


def scores_csv(tables: Mapping[str, np.ndarray]) -> bytes:
    """Scores[runs, topics] by measure, of runs r0, r1, ...; nan where there is none."""
    lines = [f"r{run},t{topic},{measure},{float(value)!r}" for measure, table in tables.items()
             for (run, topic), value in np.ndenumerate(table) if value == value]  # fmt: skip
    return "\n".join(["run,topic,measure,value", *lines, ""]).encode()


def pick(rows: Sequence[dict[str, Any]], **wanted: object) -> list[dict[str, Any]]:
    """The rows that have these cells."""
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def resampled_scores(lists: Relevance, keys: Words, **options: Any) -> Floats:
    """Scores float64[T, B] of one run's T rankings, each under B independent resamples; options as in `by_block`."""
    return np.concatenate(list(by_block(lambda some, scores: scores, lists, keys, **options)))
