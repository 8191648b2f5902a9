"""Scoring runs on parts of the collection, and writing the parts as TREC files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from irci.base.choices import Policy
from irci.base.errors import DataError, plural
from irci.base.names import raw, text
from irci.data.collection import JudgedRun
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs, where
from irci.data.measures import MAP, Measure
from irci.data.part_scores import PartScores
from irci.data.parts import SplitCollection, hash_splits, qrels_of_part
from irci.data.splits import FileSplit, Split
from irci.data.trec_files import Qrels, Run
from irci.system.threads import in_order


@dataclass(frozen=True)
class Splitting:
    """A way of splitting documents: into so many `parts`, at random so many times, or as a file says; `policy`: see
    `parts.balanced`. `write_parts`: the folder that the parts' files are written to."""

    parts: int | None = None
    splits: int = 1
    parts_file: str | None = None
    policy: Policy = "redraw"
    write_parts: str | None = None
    seed: int = 1


def score_parts(splitting: Splitting, inputs: Inputs, measures: Sequence[Measure]) -> PartScores:
    """Scores of every run on every part of every split and on the whole; the parts' files are written if asked for."""
    measures = measures or [MAP]
    experiment = Experiment(inputs, measures)
    qrels = experiment.qrels
    chosen, num_parts = _splits(qrels, inputs.relevance_level, splitting)
    splits = [SplitCollection.of(qrels, split, num_parts, inputs.relevance_level, inputs.max_grade) for split in chosen]
    folders = _folders(splitting.write_parts, len(splits))
    for folder, of_split in zip(folders, splits, strict=False):
        _write_qrels(folder, qrels, of_split, num_parts)
    found = []
    for run in experiment.runs():
        whole = np.array([run.scores(measure) for measure in measures])
        on_parts = _scores_on_parts(run.run, run.judged, measures, splits, inputs.threads)
        for values in on_parts:
            values[:, ~run.kept] = np.nan
        found.append((run.name, whole, on_parts))
        for folder, of_split in zip(folders, splits, strict=False):
            _write_run(folder, run.name, run.run, run.judged, qrels, of_split, num_parts)
    found.sort(key=lambda of_run: raw(of_run[0]))
    # Where a run lacks a topic, all do: the analysis needs the same topics of all.
    common = np.asarray(~np.any([np.isnan(whole).any(axis=0) for _, whole, _ in found], axis=0))
    if not common.any():
        raise DataError("the runs have no topic in common")
    return PartScores(
        runs=[name for name, _, _ in found],
        topics=where(experiment.topics, common),
        whole={m.name: np.stack([whole[i, common] for _, whole, _ in found], axis=1) for i, m in enumerate(measures)},
        splits={
            m.name: [np.stack([of[split][i, common] for _, _, of in found], axis=1) for split in range(len(chosen))]
            for i, m in enumerate(measures)
        },
        numbers=list(range(1, len(chosen) + 1)),
        relevant=[each.relevant[common] for each in splits],
    )


def _folders(folder: str | None, splits: int) -> list[Path]:
    if folder is None:
        return []
    try:
        taken = Path(folder).exists() and any(Path(folder).iterdir())
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    if taken:
        raise DataError(f"{folder}: not empty: name a new folder for the parts")
    return [Path(folder) / f"split-{number}" for number in range(1, splits + 1)]


def _scores_on_parts(
    run: Run, judged: JudgedRun, measures: Sequence[Measure], splits: Sequence[SplitCollection], threads: int
) -> list[NDArray[np.float64]]:
    """One run's scores float64[measures, T, x] on the parts of each split."""
    ranked = run.docnos.take(judged.lines)
    return list(in_order(lambda split: split.scores(ranked, judged, measures), splits, threads))


def _splits(qrels: Qrels, level: int, splitting: Splitting) -> tuple[list[Split], int]:
    parts, parts_file, policy = splitting.parts, splitting.parts_file, splitting.policy
    if parts_file is None:
        number = parts or 2
        splits = hash_splits(qrels, level, splits=splitting.splits, parts=number, seed=splitting.seed, policy=policy)
        return splits, number
    given = FileSplit.read(parts_file, parts)
    if len(given.names) < 2:
        raise DataError(f"{parts_file}: a split needs at least two parts")
    if policy == "redraw":
        counts = SplitCollection.of(qrels, given, len(given.names), level, None).relevant
        empty = [text(topic) for topic, of_topic in zip(qrels.topics, counts, strict=True) if not of_topic.all()]
        if empty:
            raise DataError(
                f"{parts_file}: a part without relevant documents of {plural(len(empty), 'topic')}: {' '.join(empty[:5])};"
                " given parts cannot be redrawn: --policy drop, zero or mean"
            )
    return [given], len(given.names)


def _write_qrels(folder: Path, qrels: Qrels, of_split: SplitCollection, parts: int) -> None:
    for number in range(parts):
        part = qrels_of_part(qrels, of_split.part, number)
        topics = np.repeat(np.arange(len(part.topics)), np.diff(part.offsets))
        lines = [
            b"%b 0 %b %d\n" % (part.topics[topic], docno, grade)
            for topic, docno, grade in zip(topics, part.docnos.texts(), part.grade.tolist(), strict=True)
        ]
        _write(folder / f"part-{number + 1}" / "qrels", b"".join(lines))


def _write_run(
    folder: Path, name: str, run: Run, judged: JudgedRun, qrels: Qrels, of_split: SplitCollection, parts: int
) -> None:
    docnos = run.docnos.take(judged.lines)
    part: NDArray[np.uint8] = of_split.split.of(docnos)
    topic = np.repeat(np.arange(len(qrels.topics)), np.diff(judged.line_offsets))
    texts, scores = list(docnos.texts()), run.score[judged.lines].tolist()
    tag = raw(name)
    for number in range(parts):
        lines = []
        rank, last = 0, -1
        for place in np.flatnonzero(part == number).tolist():
            rank = rank + 1 if topic[place] == last else 1
            last = topic[place]
            lines.append(
                b"%b Q0 %b %d %b %b\n" % (qrels.topics[last], texts[place], rank, repr(scores[place]).encode(), tag)
            )
        _write(folder / f"part-{number + 1}" / "runs" / name.replace("%", "%25").replace("/", "%2F"), b"".join(lines))


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror})") from None
