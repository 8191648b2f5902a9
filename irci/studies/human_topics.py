"""wcw --judge: how many topics must people judge, if a judge has judged many?"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.compare.sources_in_words import OF_SIZE, among
from irci.data.inputs import Inputs
from irci.estimators.human_topics import FEWEST, Varies, least_width, topics_needed, widths, within_correlation
from irci.estimators.wcw import effective_df, system_variance
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, tables
from irci.stats.power import variance_upper

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs

SIZES = (10, 20, 50, 100)
VARIES: dict[Varies, str] = {"topics": "new topics", "judgments": "these topics"}


class Known(NamedTuple):
    """A measure and what is known of it: the variance of a run's scores over topics, the correlation of the judge's with
    people's, and the topics that the judge has. `human`: the topics that variance and correlation were found on, 0 if they
    were given; `upper`: the variance's upper 80% limit, None if it was given."""

    measure: str
    variance: float
    correlation: float
    judged: int
    human: int = 0
    df: int = 0
    upper: float | None = None


def human_topics(request: Asked, inputs: "Inputs | None" = None) -> Report:
    """Widths for numbers of human topics, and human topics for widths, with a judge and without."""
    known = _given(request) if inputs is None else _found(request, inputs)
    of_data = []
    for each in (each for each in known if each.human):
        limit, none = {"upper": each.upper}, {"upper": np.nan}
        rows: list[Row] = [
            {"kind": "one-way", "value": each.variance, "df": each.df, **limit, "topics": each.human},
            {"kind": "correlation", "value": each.correlation, "df": each.df - 1, **none, "topics": each.human},
        ]
        of_data += tables("variance", each.measure, rows)
    found = [table for each in known for table in _tables(request, each)]
    signature: Signature = {
        "command": "wcw", "alpha": request.alpha,
        "judge": ":".join(map(str, request.judge or ())) if inputs is None else inputs.other_qrels[0],
        **({} if inputs is None else {"levels": inputs.levels_told, **inputs.signature()}),
    }  # fmt: skip
    return Report(
        [*of_data, *found],
        signature,
        explain=lambda: _sentences(found, known),
        sources=among(OF_SIZE, ["topics"]),
    )


def _given(request: Asked) -> list[Known]:
    if not request.variances:
        raise UsageError("Missing --variance NAME=V, or --judge with QRELS and RUN... to estimate it from.")
    assert isinstance(request.judge, tuple)
    return [Known(name, variance, *request.judge) for name, variance in request.variances]


def _found(request: Asked, inputs: "Inputs") -> list[Known]:
    """Variance and correlation within runs, on the topics that people judged and all runs have."""
    from irci.compare.judged import judged_runs, judged_scores

    if request.variances:
        raise UsageError("--variance is given: leave out the files.")
    if inputs.scores:
        both, measures = judged_scores(inputs, request.measures)
    else:
        both, measures = judged_runs(inputs, request.measures)
    judged = len(both.topics)
    found = []
    for name in (measure.name for measure in measures):
        people, judge = both.people[name], both.judge[name]
        complete = both.human & ~np.isnan(people + judge).any(axis=0)
        if complete.sum() < FEWEST:
            raise DataError(f"{name}: fewer than {FEWEST} topics judged by people that all runs have")
        y, f = np.ascontiguousarray(people[:, complete].T), np.ascontiguousarray(judge[:, complete].T)
        variance, df = system_variance(y, residual=False)
        of_limit = effective_df(y, residual=False)
        upper = float(variance_upper(variance, of_limit))
        found.append(Known(name, variance, within_correlation(y, f), judged, len(y), df, upper))
    return found


def _tables(request: Asked, known: Known) -> Iterator[Table]:
    sizes = request.sizes or (() if request.widths else tuple(size for size in SIZES if size <= known.judged))
    if any(not FEWEST <= size <= known.judged for size in sizes):
        raise UsageError(f"--sizes: human topics are from {FEWEST} to {known.judged}, as many as the judge has.")
    yield from tables("width", known.measure, _width_rows(request, known, sizes))
    yield from tables("width", known.measure, _topics_rows(request, known))


def _width_rows(request: Asked, known: Known, sizes: Sequence[int]) -> Iterator[Row]:
    for size, varies in product(sizes, VARIES):
        of_variance = partial(_width, size, known.judged, varies, 1 - request.alpha)
        yield {
            "topics": size, "width": of_variance(known.variance, known.correlation),
            "alone": of_variance(known.variance, 0.0), "population": varies, "r": known.correlation,
        }  # fmt: skip


def _width(size: int, judged: int, varies: Varies, confidence: float, variance: float, r: float) -> float:
    return float(widths(np.array([size]), variance, r, judged, varies, confidence)[0])


def _topics_rows(request: Asked, known: Known) -> Iterator[Row]:
    for width, varies in product(request.widths or (), VARIES):
        confidence = 1 - request.alpha
        # The upper limit of a variance that is estimated.
        wanted = width, known.variance if known.upper is None else known.upper
        limit = 1_000_000 if varies == "topics" else known.judged  # topics that people alone could judge
        with_judge, without = (known.correlation, known.judged), (0.0, limit)
        needed, alone = (
            topics_needed(*wanted, *each, varies, confidence) if wanted[1] > 0 else None
            for each in (with_judge, without)
        )
        if needed is None and wanted[1] > 0:
            least = least_width(wanted[1], known.correlation, known.judged, varies, confidence)
            logger.warning(
                f"{known.measure}: not with {known.judged} topics: intervals for new topics are at least {least:.4f}"
                f" wide, not {width:g}, however many of these people judge"
            )
        yield {
            "width": width, "topics": np.nan if needed is None else needed, "alone": np.nan if alone is None else alone,
            "population": varies, "r": known.correlation,
        }  # fmt: skip


def _sentences(found: Sequence[Table], known: Sequence[Known]) -> Iterator[str]:
    for table in found:
        for row in table.rows:
            about = f"a run's mean {table.measure} over {VARIES[row['population']]}"  # type: ignore[index]
            if next(iter(row)) == "topics":
                yield (
                    f"With {row['topics']} human topics and the judge, the interval of {about} is {row['width']:.4f} wide,"
                    f" without the judge {row['alone']:.4f}."
                )
            elif row["topics"] == row["topics"]:
                yield (
                    f"For an interval of {about} {row['width']:g} wide, people judge {row['topics']} topics with the"
                    f" judge, and {row['alone']} without."
                )
    for each in known:
        yield (
            f"With a judge whose scores in {each.measure} correlate {each.correlation:.2f} with people's, people judge at best"
            f" about {1 - each.correlation**2:.2f} times as many topics as alone, however many the judge has judged."
        )
    yield "For the difference of two runs, give the variance of their differences and the correlation of those."
    yield "Scores are taken as normal, and human topics as drawn at random."
