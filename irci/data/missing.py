"""Runs that lack topics: a run that was never made on more than a tenth of them is missing, and no finding.

A table is over the topics that more than half of its runs have (of two runs, those that either has; of one run, which nothing
can be held against, all of them, with 0 for what it lacks, as trec_eval -c). Of these a run should
have all that more than half of the other runs have: one that lacks more than a tenth of them is missing. It has a mean, with
0 for what it lacks, and nothing else; all others are as they would be without the runs that are missing. Of equal runs one of
which lacks 10 of 100 topics differs significantly from the others in 89 of 100 experiments where these score 0. A run that
lacks less has 0 there, and limits and p that hold without these topics too.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from irci.base import STDIN, DataError, first_few, first_names, logger, plural
from irci.base.types import Bools, Floats, Ints, gathered
from irci.data.file_bytes import bytes_of_pipe, pipe_at
from irci.data.inputs import Inputs, where
from irci.data.scores import Lacking, Scores
from irci.data.text_files import InMemory
from irci.wording import notice, notify, tell

MOST = 0.1  # of the topics that other runs have
SETTLED = ("auto", "drop")  # what runs are settled by
WHOLE = 1e-9  # shares of versions add up to whole topics but for rounding
MEND = "--missing zero scores 0 there, drop leaves these topics out"


# The rule.


def topics_and_missing(present: Floats) -> tuple[Bools, Bools]:
    """The topics bool[T] that a table is over, and which runs bool[R] are missing, of the share of each topic that each run
    has, float64[R, T].

    Runs that are missing have no say in what others lack: the rule is applied to the rest again until none is. The topics are
    those of the rest; of all runs where all are missing.
    """
    missing, topics = np.zeros(len(present), np.bool_), _of_most(present)
    while not missing.all():
        rest = np.flatnonzero(~missing)
        topics_of_rest = _of_most(present[rest])
        lacking = rest[_lack_too_many(present[rest], topics_of_rest)]
        if not len(lacking):
            return topics_of_rest, missing
        missing[lacking] = True
    return topics, missing


def _of_most(present: Floats) -> Bools:
    """The topics that more than half of the runs have; of two those that either has, of one all."""
    runs, topics = present.shape
    if runs == 1:
        return np.ones(topics, np.bool_)
    return np.asarray(present.sum(axis=0) > (0 if runs == 2 else runs / 2))


def _lack_too_many(present: Floats, topics: Bools) -> Bools:
    """bool[R]: true of runs that lack more than a tenth of those topics which more than half of the other runs have."""
    of_other_runs = present.sum(axis=0) - present
    expected = topics & (of_other_runs > (len(present) - 1) / 2)
    lacking = np.where(expected, 1 - present, 0.0).sum(axis=1)
    return np.asarray(lacking > MOST * expected.sum(axis=1) + WHOLE)


def _versions_and_missing(present: Floats, of_topic: Ints) -> tuple[Bools, Bools]:
    """The same of versions of topics, float64[R, V], averaged first: a run has that share of a topic which it has of the
    versions of most runs. of_topic int64[V]: the topic of each."""
    versions = _of_most(present)
    counts = np.bincount(of_topic, versions)
    shares = np.array([np.bincount(of_topic, run * versions, len(counts)) / np.maximum(counts, 1) for run in present])
    topics, missing = topics_and_missing(shares)
    rest = present if missing.all() else present[~missing]
    return _of_most(rest) & topics[of_topic], missing


def _by_measure(absent: Mapping[str, Bools], of_topic: Ints | None, *, apart: bool) -> tuple[dict[str, Bools], Bools]:
    """The topics bool[T] that the table of each measure is over, and the runs bool[R] that are missing by any of them. Raises
    MissingApart, if `apart`, where other runs are missing by some measures than by others."""
    over, missing_by = {}, {}
    present = {name: np.where(of_measure, 0.0, 1.0) for name, of_measure in absent.items()}
    for name, of_measure in present.items():
        by_rule = topics_and_missing(of_measure) if of_topic is None else _versions_and_missing(of_measure, of_topic)
        over[name], missing_by[name] = by_rule
    groups = gathered((runs.tobytes(), name) for name, runs in missing_by.items())
    if apart and len(groups) > 1:
        raise MissingApart(list(groups.values()))
    missing: Bools = np.logical_or.reduce([*missing_by.values()])
    if of_topic is None and not missing.all():  # nor have runs a say that are missing by another measure
        over = {name: _of_most(of_measure[~missing]) for name, of_measure in present.items()}
    return over, missing


# Tables.


def settle(
    scores: Scores, absent: Mapping[str, Bools], inputs: Inputs, noun: str = "topic", of_topic: Ints | None = None
) -> tuple[Scores, list[str]]:
    """A table of scores, which are 0 where one is absent, bool[R, T] by measure, as --missing auto or drop says, and notices
    of what was done; nan on topics that the table of a measure is not over. `of_topic` int64[T]: the topics that columns are
    versions (`noun`) of. Raises DataError where no topic is left by some measure."""
    within = "" if scores.collection is None else f" in {scores.collection}"
    if inputs.missing == "auto":
        over, missing = _by_measure(absent, of_topic, apart=inputs.measures_apart)
    else:
        over = {name: np.asarray(~of_measure.any(axis=0)) for name, of_measure in absent.items()}
        missing = np.zeros(len(scores.runs), np.bool_)
    if not all(topics.any() for topics in over.values()):
        raise DataError(f"{inputs.named}{within}: the runs have no topic in common")
    by_any: Bools = np.logical_or.reduce([*absent.values()])
    topics, is_made = np.logical_or.reduce([*over.values()]), ~missing
    if inputs.missing == "auto":
        notices = list(_notices(scores, by_any, topics, missing, within, noun))
    else:
        notices = [_not_of_all(scores, by_any, within, noun)] if by_any.any() else []
    values = {name: np.where(over[name], of_measure, np.nan)[:, topics] for name, of_measure in scores.values.items()}
    rows = np.flatnonzero(missing).tolist()
    lacking = Lacking(
        {scores.runs[row]: {name: of_measure[row] for name, of_measure in values.items()} for row in rows},
        {scores.runs[row]: _number(by_any[row], topics, noun) for row in rows},
        {
            name: (absent[name] & over[name])[np.ix_(is_made, topics)] & (is_made.sum() > 1) for name in absent
        },  # nothing is held against one run
        list(scores.runs),
    )
    read = {name: np.where(absent[name], np.nan, of_measure) for name, of_measure in scores.values.items()}
    return scores._replace(
        runs=where(scores.runs, is_made), topics=where(scores.topics, topics),
        values={name: of_measure[is_made] for name, of_measure in values.items()},
        whole=scores._replace(values=read), lacking=lacking,
    ), notices  # fmt: skip


def not_missing(runs: Sequence[str], absent: Bools, inputs: Inputs, topics: Sequence[str] = ()) -> Bools:
    """Which runs are not missing, bool[R], where they are looked at one by one; absent bool[R, T]: topics that each lacks.
    `topics`: their names, where a notice is to say which of them the others lack."""
    if inputs.missing != "auto" or not absent.any():
        return np.ones(len(runs), np.bool_)
    over, missing = topics_and_missing(np.where(absent, 0.0, 1.0))
    if missing.any():
        named = _numbers_lacked(runs, absent, over, missing, "topic")
        notify("missing", runs=named, number=int(missing.sum()), then="left out", mend="--missing zero scores 0 there")
    if missing.all():
        raise DataError("no run is left, as each lacks topics that others have: --missing zero scores 0 there")
    if lacks := _topics_lacked(runs, topics, absent & ~missing[:, np.newaxis]) if topics else {}:
        notify("scored_0", runs=_lack(lacks), more="")
    return ~missing


# Notices.


def _notices(scores: Scores, absent: Bools, over: Bools, missing: Bools, within: str, noun: str) -> Iterator[str]:
    """Notices of topics that few runs have, of runs that are missing, and of those that lack some topics."""
    if not over.all():
        few = where(scores.topics, ~over)
        number = plural(len(few), noun) + within
        then = "that no more than half of the runs have, left out"
        yield notice("topics", where="--missing auto", size=len(few), number=number, then=then, names=few)
    if missing.any():
        runs = _numbers_lacked(scores.runs, absent, over, missing, noun) + within
        yield notice("missing", runs=runs, number=int(missing.sum()), then="no limits, no p", mend=MEND)
    lacks = _topics_lacked(scores.runs, scores.topics, absent & over & ~missing[:, np.newaxis])
    if lacks and (~missing).sum() == 1:
        ((run, topics),) = lacks.items()
        number = plural(len(topics), noun) + within
        yield notice("topics", where=run, size=len(topics), number=number, then="missing, scored 0", names=topics)
    elif lacks:
        these = (
            f"this {noun}" if len({topic for topics in lacks.values() for topic in topics}) == 1 else f"these {noun}s"
        )
        more = f"; limits and p of differences are the more cautious ones, with and without {these}"
        yield notice("scored_0", runs=_lack(lacks) + within, more=more)


def _topics_lacked(runs: Sequence[str], topics: Sequence[str], near: Bools) -> dict[str, list[str]]:
    """The topics that each run lacks, near bool[R, T], of those that lack any."""
    rows = np.flatnonzero(near.any(axis=1)).tolist()
    return {runs[row]: where(topics, np.asarray(near[row])) for row in rows}


def _lack(topics_of: Mapping[str, Sequence[str]]) -> str:
    return first_names([f"{run} lacks {first_few(topics)}" for run, topics in topics_of.items()])


def _numbers_lacked(runs: Sequence[str], absent: Bools, over: Bools, missing: Bools, noun: str) -> str:
    """How many of how many topics the runs lack that are missing."""
    rows = np.flatnonzero(missing).tolist()
    return first_names([f"{runs[row]} lacks {_number(absent[row], over, noun)}" for row in rows])


def _number(absent: Bools, over: Bools, noun: str) -> str:
    return f"{int((absent & over).sum())} of {plural(int(over.sum()), noun)}"


def _not_of_all(scores: Scores, absent: Bools, within: str, noun: str) -> str:
    topics = where(scores.topics, np.asarray(absent.any(axis=0)))
    most, run = max((int(lacking.sum()), run) for run, lacking in zip(scores.runs, absent, strict=True))
    number = f"{len(topics)} of {plural(len(scores.topics), noun)}{within}"
    then = f"left out, as not all runs have them ({run} lacks {most})"
    return notice("topics", where="--missing drop", size=len(topics), number=number, then=then, names=topics)


Read = TypeVar("Read")


class ReadAgain(Exception):
    """Inputs are to be read once more, in another way."""


class MissingApart(ReadAgain):
    """Other runs are missing by some measures than by others: the names of measures, in groups by which runs those are."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        super().__init__()
        self.groups = groups


class Unsettled(ReadAgain):
    """A table that is over fewer topics or runs than were read, where more than scores was found of each run."""

    def __init__(self, scores: Scores, notices: Sequence[str]) -> None:
        super().__init__()
        self.scores, self.notices = scores, notices


def read_settled(inputs: Inputs, read: Callable[[Inputs], Read]) -> Read:
    """The result of `read` of inputs: once more, of the topics and runs that are left, where the table is over fewer."""
    if inputs.missing not in SETTLED:
        return read(inputs)
    inputs = with_pipes_kept(inputs)
    try:
        with held_back():
            return read(inputs)
    except Unsettled as unsettled:
        tell(*unsettled.notices)
        return read(inputs._replace(settled=unsettled.scores))


def with_pipes_kept(inputs: Inputs) -> Inputs:
    """The inputs with the bytes of what can be read only once."""
    paths = [path for path in inputs.paths() if path not in inputs.memory and (path == STDIN or pipe_at(path))]
    kept = {path: InMemory(bytes_of_pipe(path)) for path in paths}
    return inputs._replace(memory={**inputs.memory, **kept}) if kept else inputs


@contextmanager
def held_back() -> Iterator[None]:
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
    except ReadAgain:
        messages.clear()
        raise
    finally:
        for level, message in messages:
            tell(message) if level >= logger.WARNING else logger.info(message)
