"""Runs that lack topics: a run that was never made on more than a tenth of them is missing, and no finding.

A table is over the topics that more than half of its runs have (of two runs, those that either has; of one run, which nothing
can be held against, all of them, with 0 for what it lacks, as trec_eval -c). Of these a run should
have all that more than half of the other runs have: one that lacks more than a tenth of them is missing. It has a mean, with
0 for what it lacks, and nothing else; all others are as they would be without it. Of equal runs one of which lacks 10 of 100
topics differs significantly from the others in 89 of 100 experiments where these score 0. A run that lacks less has 0 there,
and limits and p that hold without these topics too.
"""

import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import STDIN, first_few, first_names, plural
from irci.base.types import Bools, Floats, Ints
from irci.data.file_bytes import bytes_of_pipe
from irci.data.inputs import Inputs, where
from irci.data.scores import Lacking, Scores
from irci.data.text_files import InMemory

MOST = 0.1  # of the topics that other runs have
SETTLED = ("auto", "drop")  # what runs are settled by
WHOLE = 1e-9  # shares of versions add up to whole topics but for rounding
MEND = "--missing zero scores 0 there, drop leaves these topics out"
Read = TypeVar("Read")


class Unsettled(Exception):
    """A table that is over fewer topics or runs than were read, where more than scores was found of each run."""

    def __init__(self, scores: Scores, notices: Sequence[str]) -> None:
        super().__init__()
        self.scores, self.notices = scores, notices


def made(present: Floats) -> tuple[Bools, Bools]:
    """The topics bool[T] that a table is over, and which runs bool[R] are missing, of the share of each topic that each run
    has, float64[R, T]. Those that are missing have no say in what others lack."""
    missing, every = np.zeros(len(present), np.bool_), _over(present)
    while True:
        rest = np.flatnonzero(~missing)
        topics = _over(present[rest]) if len(rest) else every
        found = rest[_lack_too_many(present[rest], topics)]
        if not len(found):
            return topics, missing
        missing[found] = True


def _over(present: Floats) -> Bools:
    """The topics that more than half of the runs have, of two those that either has; all for one, which nothing tells of."""
    if len(present) == 1:
        return np.ones(present.shape[1], np.bool_)
    count = present.sum(axis=0)
    return np.asarray(count > (0 if len(present) == 2 else len(present) / 2))


def _lack_too_many(present: Floats, topics: Bools) -> Bools:
    """bool[R]: true of runs that lack more than a tenth of what most others have."""
    others = present.sum(axis=0) - present
    theirs = topics & (others > (len(present) - 1) / 2)
    lacking = np.where(theirs, 1 - present, 0.0).sum(axis=1)
    return np.asarray(lacking > MOST * theirs.sum(axis=1) + WHOLE)


def _made_of_versions(present: Floats, of_topic: Ints) -> tuple[Bools, Bools]:
    """The same of versions of topics, float64[R, T]: a run has the share of a topic that it has of the versions which most
    runs have."""
    versions = _over(present)
    counts = np.bincount(of_topic, versions)
    shares = np.array([np.bincount(of_topic, each * versions, len(counts)) / np.maximum(counts, 1) for each in present])
    topics, missing = made(shares)
    rest = present[~missing] if not missing.all() else present
    return _over(rest) & topics[of_topic], missing


def settle(
    scores: Scores, absent: Mapping[str, Bools], inputs: Inputs, noun: str = "topic", of_topic: Ints | None = None
) -> tuple[Scores, list[str]]:
    """A table of scores, which are 0 where one is absent, bool[R, T] by measure, as --missing auto or drop says, and what is
    to be told; nan on topics that the table of a measure is not over. `of_topic` int64[T]: the topics that columns are
    versions (`noun`) of. Raises DataError where no topic is left by some measure."""
    within = "" if scores.collection is None else f" in {scores.collection}"
    every: Bools = np.logical_or.reduce([*absent.values()])
    kept, missing = _of_measures(absent, of_topic) if inputs.missing == "auto" else _of_all_runs(absent)
    if not all(each.any() for each in kept.values()):
        raise DataError(f"{inputs.named}{within}: the runs have no topic in common")
    topics, rest = np.logical_or.reduce([*kept.values()]), ~missing
    rows = np.flatnonzero(missing).tolist()
    if inputs.missing == "drop":
        notices = [_not_of_all(scores, every, within, noun)] if every.any() else []
    else:
        notices = list(_told(scores, every, topics, missing, within, noun))
    over = {name: np.where(kept[name], each, np.nan)[:, topics] for name, each in scores.values.items()}
    lacking = Lacking(
        {scores.runs[row]: {name: each[row] for name, each in over.items()} for row in rows},
        {scores.runs[row]: _number(np.asarray(every[row]), topics, noun) for row in rows},
        {name: (absent[name] & kept[name])[np.ix_(rest, topics)] & (rest.sum() > 1) for name in absent},
        list(scores.runs),
    )
    whole = {name: np.where(absent[name], np.nan, each) for name, each in scores.values.items()}
    return scores._replace(
        runs=where(scores.runs, rest), topics=where(scores.topics, topics),
        values={name: each[rest] for name, each in over.items()}, whole=scores._replace(values=whole), lacking=lacking,
    ), notices  # fmt: skip


def _of_all_runs(absent: Mapping[str, Bools]) -> tuple[dict[str, Bools], Bools]:
    """The topics bool[T] of each measure that all runs have, none of which is missing."""
    kept = {name: np.asarray(~each.any(axis=0)) for name, each in absent.items()}
    return kept, np.zeros(len(next(iter(absent.values()))), np.bool_)


def _of_measures(absent: Mapping[str, Bools], of_topic: Ints | None) -> tuple[dict[str, Bools], Bools]:
    """The topics bool[T] that the table of each measure is over, and the runs bool[R] that are missing by any of them."""
    kept, missing = {}, np.zeros(len(next(iter(absent.values()))), np.bool_)
    for name, each in absent.items():
        present = np.where(each, 0.0, 1.0)
        kept[name], of_measure = made(present) if of_topic is None else _made_of_versions(present, of_topic)
        missing |= of_measure
    for name, each in absent.items():
        if not missing.all() and of_topic is None:  # runs that are missing by another measure have no say
            kept[name] = _over(np.where(each[~missing], 0.0, 1.0))
    return kept, missing


def _number(absent: Bools, kept: Bools, noun: str) -> str:
    return f"{int((absent & kept).sum())} of {plural(int(kept.sum()), noun)}"


def _not_of_all(scores: Scores, absent: Bools, within: str, noun: str) -> str:
    topics = where(scores.topics, np.asarray(absent.any(axis=0)))
    most, run = max((int(lacking.sum()), run) for run, lacking in zip(scores.runs, absent, strict=True))
    left_out = f"{len(topics)} of {plural(len(scores.topics), noun)}{within} left out, as not all runs have them"
    return f"{left_out} ({run} lacks {most}): {first_few(topics)}"


def _told(scores: Scores, absent: Bools, kept: Bools, missing: Bools, within: str, noun: str) -> Iterator[str]:
    """Notices of topics that few runs have, of runs that are missing, and of those that lack some topics."""
    if not kept.all():
        few = where(scores.topics, ~kept)
        yield f"{plural(len(few), noun)}{within} that no more than half of the runs have, left out: {first_few(few)}"
    if missing.any():
        rows = np.flatnonzero(missing).tolist()
        lacks = [f"{scores.runs[row]} lacks {_number(np.asarray(absent[row]), kept, noun)}" for row in rows]
        which = "it is missing: no limits, no p" if len(rows) == 1 else "they are missing: no limits, no p"
        yield f"{first_names(lacks)}{within}: {which} ({MEND})"
    near: Bools = absent & kept & ~missing[:, np.newaxis]
    if near.any() and (~missing).sum() == 1:
        row = int(np.argmin(missing))
        of_run = where(scores.topics, np.asarray(near[row]))
        yield f"{scores.runs[row]}: {plural(len(of_run), noun)}{within} missing, scored 0: {first_few(of_run)}"
    elif near.any():
        rows, these = (
            np.flatnonzero(near.any(axis=1)).tolist(),
            f"this {noun}" if near.any(axis=0).sum() == 1 else f"these {noun}s",
        )
        lacks = [f"{scores.runs[row]} lacks {first_few(where(scores.topics, np.asarray(near[row])))}" for row in rows]
        yield f"{first_names(lacks)}{within}: scored 0 (compare: limits and p hold without {these} too)"


def left(runs: Sequence[str], absent: Bools, inputs: Inputs, topics: Sequence[str] = ()) -> Bools:
    """Which runs are not missing, bool[R], where they are looked at one by one; absent bool[R, T]: topics that each lacks.
    `topics`: their names, where it is told which of them others lack."""
    if inputs.missing != "auto" or not absent.any():
        return np.ones(len(runs), np.bool_)
    kept, missing = made(np.where(absent, 0.0, 1.0))
    if missing.any():
        rows = np.flatnonzero(missing).tolist()
        lacks = [f"{runs[row]} lacks {_number(np.asarray(absent[row]), kept, 'topic')}" for row in rows]
        which = "missing, and so left out" if len(rows) == 1 else "they are missing, and so left out"
        logger.warning(f"{first_names(lacks)}: {which} (--missing zero scores 0 there)")
    if missing.all():
        raise DataError("no run is left, as each lacks topics that others have: --missing zero scores 0 there")
    near = absent & ~missing[:, np.newaxis]
    if topics and near.any():
        rows = np.flatnonzero(near.any(axis=1)).tolist()
        lacks = [f"{runs[row]} lacks {first_few(where(topics, np.asarray(near[row])))}" for row in rows]
        logger.warning(f"{first_names(lacks)}: scored 0")
    return ~missing


def settled(inputs: Inputs, read: Callable[[Inputs], Read]) -> Read:
    """The result of `read` of inputs: once more, of the topics and runs that are left, where the table is over fewer."""
    if inputs.missing not in SETTLED:
        return read(inputs)
    inputs = _with_pipes_kept(inputs)
    try:
        with _held_back():
            return read(inputs)
    except Unsettled as found:
        for notice in found.notices:
            logger.warning(notice)
        return read(inputs._replace(settled=found.scores))


def _with_pipes_kept(inputs: Inputs) -> Inputs:
    """The inputs with the bytes of what can be read only once."""
    kept = {
        path: InMemory(bytes_of_pipe(path)) for path in inputs.paths() if path not in inputs.memory and _is_pipe(path)
    }
    return inputs._replace(memory={**inputs.memory, **kept}) if kept else inputs


def _is_pipe(path: str) -> bool:
    if path == STDIN:
        return True
    with suppress(OSError, ValueError):
        return stat.S_ISFIFO(os.stat(path).st_mode)
    return False


@contextmanager
def _held_back() -> Iterator[None]:
    """Messages of the block, told at its end unless it is gone through once more."""
    messages: list[tuple[int, str]] = []
    thread = threading.get_ident()

    def keeps(level: int, message: str) -> bool:
        is_own = threading.get_ident() == thread
        if is_own:
            messages.append((level, message))
        return is_own

    try:
        with logger.heard_by(keeps):
            yield
    except Unsettled:
        messages.clear()
        raise
    finally:
        for level, message in messages:
            logger.warning(message) if level >= logger.WARNING else logger.info(message)
