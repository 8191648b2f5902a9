"""Tables of scores, computed or read (`irci.data.score_files`), the text that they are saved as, and the ends of measures'
scales: of the table's, or taken from scores, or given. Bounded limits (`irci.stats.bounded`) rest on these, and a measure's
name does, so a score beyond them is refused."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from irci.base import DataError, FormatError, Record, logger
from irci.base.choices import Standardisation
from irci.base.types import Bools, Ends, Floats
from irci.measures import Measure, named, one_name_each
from irci.stats.scales import PLAIN, SAME
from irci.wording import notify

# Of scores: variances of variances of them are numbers, and not all 0.
SMALLEST, LARGEST = 1e-50, 1e50
LONG = ("run", "topic", "measure", "split", "part", "value")
WHOLE = "0"  # the split, and the part, that is the whole collection


class Lacking(Record):
    """Topics that runs of a table lack. `missing`: runs that are not in it, with what they score, float64[T] of each measure;
    `of`: how many of how many topics each of these lacks. `near` bool[R, T] by measure: where a run that is in it lacks a
    topic, and scores 0. `order`: all runs, as they came."""

    missing: Mapping[str, Mapping[str, Floats]]
    of: Mapping[str, str]
    near: Mapping[str, Bools]
    order: Sequence[str]


class Scores(Record):
    """Scores float64[runs, topics] of each measure, nan where there is none; topics sorted bytewise, runs as they came.
    `collection`: what their collection is called, if it has a name. `of_tasks`: topics are tasks that models are
    run on, where one that lacks a score was not run, rather than without result. `one_a_file`: each file that they were read
    from brought one run. `whole`: the same before runs and topics were left out, to be saved;
    `lacking`: what runs lack, if anything may be. `before`: of points, by their names, the scores that they are of."""

    runs: list[str]
    topics: list[str]
    values: dict[str, Floats]
    collection: str | None = None
    of_tasks: bool = False
    one_a_file: bool = False
    whole: "Scores | None" = None
    lacking: Lacking | None = None
    before: Mapping[str, Floats] = {}

    @property
    def every_run(self) -> Sequence[str]:
        """The runs, with those that are missing."""
        return self.runs if self.lacking is None else self.lacking.order


def renamed(tables: Sequence[Scores]) -> list[Scores]:
    """The tables with one name for each measure, that of the first table which has it."""
    name_of = one_name_each()
    return [
        table._replace(
            values={name_of(name): values for name, values in table.values.items()},
        )
        for table in tables
    ]


def refuse_tiny(measure: str, values: Floats, where: str) -> None:
    """Raise DataError if all scores of a measure are so small that their squares would be 0, though they are not."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    if 0 < largest < SMALLEST:
        raise DataError(
            f"{where}: no score of {measure} is larger than {largest:g}: too small to compute with (--scale multiplies all)"
        )


def saved_text(*tables: Scores) -> str:
    """The long table, with tabs, that `read_scores` reads back to the last digit; each collection but one has its name."""
    named_tables = any(scores.collection is not None for scores in tables)
    rows = (
        (f"{scores.collection}\t" * named_tables, run, topic, measure, WHOLE, WHOLE, value)
        for scores in tables
        for measure, values in scores.values.items()
        for run, of_run in zip(scores.runs, values, strict=True)
        for topic, value in zip(scores.topics, of_run.tolist(), strict=True)
    )
    return long_table("collection\t" * named_tables, rows)


Row = tuple[str, str, str, str, object, object, float]


def long_table(begin: str, rows: Iterable[Row]) -> str:
    """The text of a long table, of rows of a beginning, run, topic, measure, split, part and value; nan is left out.
    `begin`: of the header."""
    lines = (
        f"{of_row}{run}\t{topic}\t{measure}\t{split}\t{part}\t{value!r}\n"
        for of_row, run, topic, measure, split, part, value in rows
        if not math.isnan(value)
    )
    return "".join((begin, "\t".join(LONG), "\n", *lines))


UNIT = (0.0, 1.0)
PERCENT = 100.0
SMALLEST_MARGIN = 0.01  # of the range


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
        if measure.is_count or measure.scale() != PLAIN:
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


def refuse_impossible(measure: str, difference: float, ends: Ends) -> None:
    """Raise DataError for a true difference that scores on the scale cannot have."""
    if difference > ends[1] - ends[0]:
        raise DataError(f"{measure}: no means of scores from {ends[0]:g} to {ends[1]:g} differ by {difference:g}")


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


def refuse_other_scale(where: str, measure: str, scores: Floats) -> None:
    """Raise FormatError for scores of a measure that irci knows, and that never has such; `where`: the files."""
    ends = named(measure).ends
    if ends is None or lie_within(scores, ends):
        return
    least, greatest = float(np.nanmin(scores)), float(np.nanmax(scores))
    extent = f"up to {greatest:.10g}" if greatest > ends[1] else f"down to {least:.10g}"
    is_percent = least >= ends[0] and greatest <= PERCENT * ends[1]
    hint = (
        "percentages? irci compare and map-ci take them with --range 0,100"
        if is_percent
        else "standardised? Then give the measure another name"
    )
    raise FormatError.whole_file(
        where, f"scores {extent} for {measure}, whose range is {ends[0]:g} to {ends[1]:g}: {hint}"
    )


def warn_of_margin(margin: float, ends: Ends) -> None:
    """Say of a margin that it is hardly any, as one in other units than the scores would be."""
    share = margin / (ends[1] - ends[0])
    if share < SMALLEST_MARGIN:
        notify("small_margin", margin=margin, percentage=100 * share, low=ends[0], high=ends[1])
