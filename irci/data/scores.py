"""Tables of scores, and which runs and topics they are over; and the ends of measures' scales, of the table's, or taken from
scores, or given, on which bounded limits (`irci.stats.bounded`) rest, so that a score beyond them is refused.

A table is over the topics that more than half of its runs have (of two runs, those that either has; of one run, which nothing
can be held against, all of them, with 0 for what it lacks, as trec_eval -c). Of these a run should
have all that more than half of the other runs have: one that lacks more than a tenth of them is missing. It has a mean, with
0 for what it lacks, and nothing else; all others are as they would be without the runs that are missing. Of equal runs one of
which lacks 10 of 100 topics differs significantly from the others in 89 of 100 experiments where these score 0. A run that
lacks less has 0 there, and limits and p that hold without these topics too.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irci.base import DataError, file_name, first_few, first_names, logger, plural
from irci.base.choices import Standardisation
from irci.base.types import Bools, Ends, Floats, Ints
from irci.data.inputs import Inputs, where
from irci.measures import Measure, one_name_each
from irci.stats.scales import SAME
from irci.wording import notice, notify, tell

ALL = "all"  # stands for all topics where a topic may
SMALLEST, LARGEST = 1e-50, 1e50  # of scores: variances of variances of them are numbers, and not all 0


class Scores(NamedTuple):
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came.
    `collection`: what their collection is called, if it has a name. `of_tasks`: topics are tasks that models are
    run on, where one that lacks a score was not run, rather than without result. `one_a_file`: each file that they were read
    from brought one run. `whole`: the same before topics were left out, to be saved. `missing`: of how many topics each run
    lacks how many that is missing. `near` bool[runs, topics] by measure, if any: where another run lacks a topic, and scores
    0."""

    runs: list[str]
    topics: list[str]
    values: dict[str, Floats]
    collection: str | None = None
    of_tasks: bool = False
    one_a_file: bool = False
    whole: "Scores | None" = None
    missing: Mapping[str, str] = {}
    near: Mapping[str, Bools] = {}

    def only(self, runs: Sequence[str]) -> "Scores":
        """The rows of these runs, in this order."""
        row_of = {run: row for row, run in enumerate(self.runs)}
        rows = [row_of[run] for run in runs]
        near = {name: of[rows] for name, of in self.near.items()}
        return self._replace(runs=list(runs), values={name: of[rows] for name, of in self.values.items()}, near=near)

    @property
    def made(self) -> "Scores":
        """The same without the runs that are missing."""
        if not self.missing:
            return self
        return self.only([run for run in self.runs if run not in self.missing])._replace(missing={})

    @property
    def within(self) -> str:
        """Where these are scores, for behind a name: nothing of a collection without one."""
        return "" if self.collection is None else f" in {self.collection}"

    @property
    def with_zeros(self) -> "Scores":
        """The same, with 0 for what is nan."""
        return self._replace(values={name: np.nan_to_num(values) for name, values in self.values.items()})


def renamed(tables: Sequence[Scores]) -> list[Scores]:
    """The tables with one name for each measure, that of the first table which has it."""
    name_of = one_name_each()
    return [table._replace(values={name_of(name): values for name, values in table.values.items()}) for table in tables]


def saved_text(*tables: Scores) -> str:
    """The long table, with tabs, that `read_scores` reads back to the last digit, without what is nan; each collection but one
    has its name. Raises DataError for a topic that would be read as the mean."""
    if any(ALL in scores.topics for scores in tables):
        raise DataError(f"--save-scores: a topic is called {ALL}, as what is over all topics is: rename it")
    has_names = any(scores.collection is not None for scores in tables)
    lines = ["collection\t" if has_names else "", "run\ttopic\tmeasure\tvalue\n"]
    for scores in tables:
        begin = f"{scores.collection}\t" if has_names else ""
        for measure, values in scores.values.items():
            for run, of_run in zip(scores.runs, values.tolist(), strict=True):
                lines += [
                    f"{begin}{run}\t{topic}\t{measure}\t{value!r}\n"
                    for topic, value in zip(scores.topics, of_run, strict=True)
                    if not math.isnan(value)
                ]
    return "".join(lines)


UNIT = (0.0, 1.0)


def ends_of_scales(
    measures: Sequence[Measure],
    tables: Sequence[Mapping[str, Floats]],
    given: Ends | None,
    standardised: Standardisation | None,
    option: str = "",
) -> dict[str, Ends]:
    """The ends of the scales of those measures that have any, by name; tables[collection][base name] float64[runs, T], nan
    where there is none. `given`: what the user says of all, before any is standardised;
    `standardised`: how scores are; `option`: what says otherwise.

    Measures that are counts, or averaged as logits or logarithms, have none. Of a measure that is not of the table the scale
    is 0 to 1 if all its scores lie there, which is told.
    """
    ends_of_measure: dict[str, Ends] = {}
    taken = []
    for measure in measures:
        if not measure.scores_topics:
            continue
        ends = measure.ends if given is None or standardised else given
        if standardised == "rank":  # the other runs, all beaten
            ends = (0.0, float(max(len(values[measure.base.name]) for values in tables) - 1))
        is_free = ends is None and not measure.is_known and standardised != "z"
        if is_free and all(lie_within(values[measure.base.name], UNIT) for values in tables):
            ends = UNIT
            taken += [measure.name] * (standardised is None)
        if ends is not None:
            ends_of_measure[measure.name] = ends
    if taken:
        logger.info(f"{', '.join(taken)}: all scores lie between 0 and 1, which is taken for the scale{option}")
    return ends_of_measure


def lie_within(scores: Floats, ends: Ends) -> bool:
    """True if all scores, but nan, lie between the ends, or beyond them by rounding."""
    return not _beyond(scores, ends).any()


def _beyond(scores: Floats, ends: Ends) -> Bools:
    slack = SAME * (ends[1] - ends[0])
    return np.asarray((scores < ends[0] - slack) | (scores > ends[1] + slack))


def refuse_beyond(measure: str, scores: Floats, ends: Ends, runs: Sequence[str], topics: Sequence[str]) -> None:
    """Raise DataError for a score, of float64[runs, T], beyond the ends that the user gave."""
    beyond = np.argwhere(_beyond(scores, ends))
    if len(beyond):
        run, topic = beyond[0].tolist()
        raise DataError(
            f"{measure} of run {runs[run]} on topic {topics[topic]} is {scores[run, topic]:.10g},"
            f" beyond --range {ends[0]:g},{ends[1]:g}"
        )


# Runs that lack topics.

MOST_MISSING = 0.1  # of the topics that other runs have
SETTLED = ("auto", "drop")  # what runs are settled by
ROUNDING = 1e-9  # shares of versions add up to whole topics but for rounding
MEND = "--missing zero scores 0 there, drop leaves these topics out"


def topics_and_missing(present: Floats) -> tuple[Bools, Bools]:
    """The topics bool[T] that a table is over, and which runs bool[R] are missing, of the share of each topic that each run
    has, float64[R, T].

    Runs that are missing have no say in what others lack: the rule is applied to the rest again until none is. The topics are
    those of the rest; of all runs where all are missing.
    """
    missing, topics = np.zeros(len(present), np.bool_), _of_most(present)
    while not missing.all():
        rest = present[~missing]
        topics_of_rest = _of_most(rest)
        expected = topics_of_rest & (rest.sum(axis=0) - rest > (len(rest) - 1) / 2)  # that most of the others have
        lacked = np.where(expected, 1 - rest, 0.0).sum(axis=1)
        lacks_too_many = lacked > MOST_MISSING * expected.sum(axis=1) + ROUNDING
        if not lacks_too_many.any():
            return topics_of_rest, missing
        missing[np.flatnonzero(~missing)[lacks_too_many]] = True
    return topics, missing


def _of_most(present: Floats) -> Bools:
    """The topics that more than half of the runs have; of two those that either has, of one all."""
    runs, topics = present.shape
    if runs == 1:
        return np.ones(topics, np.bool_)
    return np.asarray(present.sum(axis=0) > (0 if runs == 2 else runs / 2))


def _by_measure(absent: Mapping[str, Bools], of_topic: Ints | None) -> tuple[dict[str, Bools], Bools]:
    """The topics bool[T] that the table of each measure is over, and the runs bool[R] that are missing by any of them.
    of_topic int64[T]: of which columns are versions, if they are."""
    over, missing_by = dict[str, Bools](), dict[str, Bools]()
    present = {name: np.where(of_measure, 0.0, 1.0) for name, of_measure in absent.items()}
    for name, of_measure in present.items():
        if of_topic is None:
            over[name], missing_by[name] = topics_and_missing(of_measure)
            continue
        # Versions are averaged first: a run has that share of a topic which it has of the versions of most runs.
        versions = _of_most(of_measure)
        counts = np.bincount(of_topic, versions)
        shares = [np.bincount(of_topic, run * versions, len(counts)) / np.maximum(counts, 1) for run in of_measure]
        topics, missing = topics_and_missing(np.array(shares))
        over[name] = _of_most(of_measure if missing.all() else of_measure[~missing]) & topics[of_topic]
        missing_by[name] = missing
    by_any: Bools = np.logical_or.reduce([*missing_by.values()])
    if of_topic is None and not by_any.all():  # nor have runs a say that are missing by another measure
        over = {name: _of_most(of_measure[~by_any]) for name, of_measure in present.items()}
    return over, by_any


# Tables.

ZERO = "--missing zero scores 0 there"
NO_RUN_LEFT = f"no run is left, as each lacks topics that others have: {ZERO}"


def settle(
    scores: Scores, inputs: Inputs, noun: str = "topic", of_topic: Ints | None = None, paths: Sequence[str] = ()
) -> Scores:
    """A table of scores, nan where one is absent, as --missing auto or drop says: 0 there, those of runs that are missing too,
    and nan on topics that the table of a measure is not over; notices say what was done.
    `of_topic` int64[T]: the topics that columns are versions (`noun`) of; `paths`: where each run was read. Raises DataError
    where no topic is left by some measure."""
    absent = {name: np.isnan(values) for name, values in scores.values.items()}
    by_any: Bools = np.logical_or.reduce([*absent.values()])
    of_all = inputs.missing == "drop" or scores.of_tasks
    if of_all:
        over = {name: np.asarray(~of_measure.any(axis=0)) for name, of_measure in absent.items()}
        missing = np.zeros(len(scores.runs), np.bool_)
    else:
        over, missing = _by_measure(absent, of_topic)
    if not all(topics.any() for topics in over.values()):
        raise DataError(f"{inputs.named}{scores.within}: the runs have no {noun} in common")
    topics = np.logical_or.reduce([*over.values()])
    lacked = _numbers_lacked(scores.runs, by_any, topics, missing, noun, paths)
    if left_out := where(scores.topics, np.asarray(by_any.any(axis=0)) if of_all else ~topics):
        number, then = plural(len(left_out), noun), "that no more than half of the runs have, left out"
        if of_all:
            number = f"{len(left_out)} of {plural(len(scores.topics), noun)}"
            most, run = max(zip(by_any.sum(axis=1).tolist(), scores.runs, strict=True))
            then = f"left out, as not all runs have them ({run} lacks {most})"
        option, number = f"--missing {inputs.missing}", number + scores.within
        notify("topics", where=option, size=len(left_out), number=number, then=then, names=left_out)
    if not of_all:
        tell(*_notices(scores, by_any & topics, missing, lacked, noun))
    zeros = scores.with_zeros.values
    is_held = ~missing & ((~missing).sum() > 1)  # nothing is held against one run
    return scores._replace(
        topics=where(scores.topics, topics),
        values={name: np.where(over[name], own, np.nan)[:, topics] for name, own in zeros.items()},
        missing=lacked,
        near={name: (own & over[name] & is_held[:, np.newaxis])[:, topics] for name, own in absent.items()},
        whole=scores,
    )


def without_missing(scores: Scores, inputs: Inputs, *, names_topics: bool = False) -> Scores:
    """A table of scores, nan where one is absent, for what looks at runs one by one: without the runs that are missing, as a
    notice says, and 0 elsewhere but where --missing keeps what is. `names_topics`: a notice says which topics others lack."""
    absent: Bools = np.logical_or.reduce([*map(np.isnan, scores.values.values())])
    left = scores
    if inputs.missing == "auto" and absent.any():
        over, missing = topics_and_missing(np.where(absent, 0.0, 1.0))
        lacked = _numbers_lacked(scores.runs, absent, over, missing, "topic")
        tell(*_notices(scores, absent & names_topics, missing, lacked, then="left out", mend=ZERO, more=""))
        if missing.all():
            raise DataError(NO_RUN_LEFT)
        left = scores.only(where(scores.runs, ~missing))
    return left if inputs.keeps_missing else left.with_zeros


# Notices.


def _notices(
    scores: Scores, absent: Bools, missing: Bools, lacked_by: Mapping[str, str], noun: str = "topic", *,
    then: str = "0 there in means, no limits, no p", mend: str = MEND,
    more: str = "; limits and p of differences are the more cautious ones, with and without {}",
) -> Iterator[str]:  # fmt: skip
    """Notices of runs that are missing, and of those that lack some topics, bool[R, T]. `lacked_by`: how many those lack that
    are missing; `then`, `mend`: what becomes of them, and what to type; `more`: of those that lack some."""
    if missing.any():
        yield notice("missing", runs=_lack(lacked_by) + scores.within, number=len(lacked_by), then=then, mend=mend)
    lacks = absent & ~missing[:, np.newaxis]
    names = where(scores.topics, np.asarray(lacks.any(axis=0)))
    if names and (~missing).sum() == 1:
        (run,) = where(scores.runs, ~missing)
        number = plural(len(names), noun) + scores.within
        yield notice("topics", where=run, size=len(names), number=number, then="missing, scored 0", names=names)
    elif names:
        these = f"this {noun}" if len(names) == 1 else f"these {noun}s"
        topics = {run: first_few(where(scores.topics, own)) for run, own in zip(scores.runs, lacks, strict=True)}
        lacking = _lack({run: names for run, names in topics.items() if names}) + scores.within
        yield notice("scored_0", runs=lacking, more=more.format(these))


def _numbers_lacked(
    runs: Sequence[str], absent: Bools, over: Bools, missing: Bools, noun: str, paths: Sequence[str] = ()
) -> dict[str, str]:
    """How many of how many topics each run lacks that is missing; in brackets its path, if that does not say its name."""
    number = plural(int(over.sum()), noun)
    of_path = {run: f" ({path})" for run, path in zip(runs, paths, strict=False) if file_name(path) != run}
    lacked = zip(runs, (absent & over).sum(axis=1).tolist(), missing.tolist(), strict=True)
    return {run: f"{lacks} of {number}{of_path.get(run, '')}" for run, lacks, is_missing in lacked if is_missing}


def _lack(what_of_run: Mapping[str, str]) -> str:
    return first_names([f"{run} lacks {lacked}" for run, lacked in what_of_run.items()])
