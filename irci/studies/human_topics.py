"""wcw --judge: how many topics must people judge, if a judge has judged many?"""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.comparison.wording import sources_of
from irci.estimators.human_topics import FEWEST, Varies, least_width, topics_needed, widths, within_correlation
from irci.estimators.wcw import effective_df, system_variance
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, tables
from irci.stats.power import variance_upper
from irci.wording import notify, say

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs

SIZES = (10, 20, 50, 100)
VARIES: dict[Varies, str] = {"topics": "new topics", "judgments": "these topics"}
MOST_TOPICS = 1_000_000  # that people alone could judge


class JudgedMeasure(NamedTuple):
    """A measure and what plans with a judge rest on.

    variance: float  # of a run's scores over topics
    correlation: float  # of the judge's scores with people's
    judged: int  # topics that the judge has
    human: int  # topics that variance and correlation were found on, 0 if they were given
    upper: float | None  # the variance's upper 80% limit, None if it was given
    """

    measure: str
    variance: float
    correlation: float
    judged: int
    human: int = 0
    df: int = 0
    upper: float | None = None


def human_topics(request: Asked, inputs: "Inputs | None" = None) -> Report:
    """Widths for numbers of human topics, and human topics for widths, with a judge and without."""
    if inputs is not None:
        measures = _estimated(request, inputs)
    elif request.variances:
        assert isinstance(request.judge, tuple)
        measures = [JudgedMeasure(name, variance, *request.judge) for name, variance in request.variances]
    else:
        raise UsageError("Missing --variance NAME=V, or --judge with QRELS and RUN... to estimate it from.")
    of_variances: list[Table] = []
    for of in (measure for measure in measures if measure.human):
        of_variances += tables("variance", of.measure, [
            {
                "kind": "one-way", "value": of.variance, "df": of.df, "upper": of.upper,
                "topics": of.human,
            },
            {
                "kind": "correlation", "value": of.correlation, "df": of.df - 1, "upper": math.nan,
                "topics": of.human,
            },
        ])  # fmt: skip
    planned: list[Table] = []
    for of in measures:
        sizes = request.sizes or (() if request.widths else tuple(size for size in SIZES if size <= of.judged))
        if any(not FEWEST <= size <= of.judged for size in sizes):
            raise UsageError(f"--sizes: human topics are from {FEWEST} to {of.judged}, as many as the judge has.")
        planned += tables("width", of.measure, _width_rows(request, of, sizes))
        planned += tables("width", of.measure, _topics_rows(request, of))
    signature: Signature = {
        "command": "wcw", "alpha": request.alpha,
        "judge": ":".join(map(str, request.judge or ())) if inputs is None else inputs.other_qrels[0],
        **({} if inputs is None else {"levels": inputs.levels_told, **inputs.signature()}),
    }  # fmt: skip
    return Report(
        [*of_variances, *planned],
        signature,
        explain=lambda: _sentences(planned, measures),
        sources=sources_of("size", ["topics"]),
    )


def _estimated(request: Asked, inputs: "Inputs") -> list[JudgedMeasure]:
    """Variance and correlation within runs, on the topics that people judged and all runs have."""
    from irci.comparison.judged import judged_runs, judged_scores

    if request.variances:
        raise UsageError("--variance is given: leave out the files.")
    both, measures = (judged_scores if inputs.scores else judged_runs)(inputs, request.measures)
    estimated = []
    for name in (measure.name for measure in measures):
        people, judge = both.people[name], both.judge[name]
        is_complete = both.human & ~np.isnan(people + judge).any(axis=0)
        if is_complete.sum() < FEWEST:
            raise DataError(f"{name}: fewer than {FEWEST} topics judged by people that all runs have")
        y, f = np.ascontiguousarray(people[:, is_complete].T), np.ascontiguousarray(judge[:, is_complete].T)
        variance, df = system_variance(y, residual=False)
        upper_df = effective_df(y, residual=False)
        upper = float(variance_upper(variance, upper_df))
        correlation = within_correlation(y, f)
        estimated.append(JudgedMeasure(name, variance, correlation, len(both.topics), len(y), df, upper))
    return estimated


def _width_rows(request: Asked, of: JudgedMeasure, sizes: Sequence[int]) -> Iterator[Row]:
    for size, varies in product(sizes, VARIES):
        width, alone = (
            float(widths(np.array([size]), of.variance, r, of.judged, varies, 1 - request.alpha)[0])
            for r in (of.correlation, 0.0)
        )
        yield {
            "topics": size, "width": width, "alone": alone, "population": varies, "r": of.correlation,
        }  # fmt: skip


def _topics_rows(request: Asked, of: JudgedMeasure) -> Iterator[Row]:
    variance = of.variance if of.upper is None else of.upper  # the upper limit of one that is estimated
    confidence = 1 - request.alpha
    for width, varies in product(request.widths or (), VARIES):
        limit = MOST_TOPICS if varies == "topics" else of.judged
        needed, alone = (
            topics_needed(width, variance, r, judged, varies, confidence) if variance > 0 else None
            for r, judged in ((of.correlation, of.judged), (0.0, limit))
        )
        if needed is None and variance > 0:
            least = least_width(variance, of.correlation, of.judged, varies, confidence)
            why = f"those for new topics are at least {least:.4f} wide, however many of these people judge"
            aim = f"interval as narrow as {width:g} with {of.judged} topics"
            notify("lacking", measure=of.measure, what=aim, who="", why=why)
        yield {
            "width": width, "topics": math.nan if needed is None else needed, "alone": math.nan if alone is None else alone,
            "population": varies, "r": of.correlation,
        }  # fmt: skip


def _sentences(planned: Sequence[Table], measures: Sequence[JudgedMeasure]) -> Iterator[str]:
    for table in planned:
        for row in table.rows:
            is_of_width = next(iter(row)) == "topics"
            if is_of_width or row["topics"] == row["topics"]:
                over = VARIES[row["population"]]  # type: ignore[index]
                facts = {**row, "measure": table.measure, "over": over}
                yield say("human_topics.width" if is_of_width else "human_topics.needed", **facts)
    for of in measures:
        share = 1 - of.correlation**2
        yield say("human_topics.at_best", measure=of.measure, correlation=of.correlation, share=share)
    yield say("human_topics.differences")
    yield say("human_topics.normal")
