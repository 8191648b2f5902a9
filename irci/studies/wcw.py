"""wcw: widths for numbers of topics, topics for widths, powers; from variances given, or estimated from files."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irci.choices import Tool, check
from irci.errors import DataError, UsageError
from irci.methods.wcw import Settings as MethodSettings
from irci.methods.wcw import (
    exact_noncentrality,
    linear_noncentrality,
    one_way_variance,
    power,
    topics_needed,
    two_way_variance,
    worst_case_width,
)
from irci.output.report import Report, Row, Table, tables
from irci.stats.intervals import normal_quantile
from irci.types import Floats

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.experiment import Inputs
    from irci.data.measures import Measure
    from irci.data.scores import Scores

logger = logging.getLogger("irci")

SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic
SIZES = (10, 20, 50, 100)
MOST_TOLD = 12  # rows of a table told one by one
CURVE = (*range(5, 50, 5), *range(50, 210, 10))


@dataclass(frozen=True)
class Settings:
    """What is asked, under the options' names. None for `sizes`: 10, 20, 50 and 100, unless there are widths."""

    variances: tuple[tuple[str, float], ...] = ()
    measures: "Sequence[Measure]" = ()
    alpha: float = 0.05
    beta: float = 0.20
    systems: int = 10
    sizes: tuple[int, ...] | None = None
    widths: tuple[float, ...] | None = None
    curve: bool = False
    power: bool = False
    tools: tuple[Tool, ...] = ()
    noncentrality: bool = False
    increment: bool = False
    approximate: bool = False
    residual: bool = False
    pool: bool = False

    def __post_init__(self) -> None:
        for tool in self.tools:
            check(_OneTool(tool))

    def of_method(self) -> MethodSettings:
        """What the method takes."""
        return MethodSettings(**{field.name: getattr(self, field.name) for field in fields(MethodSettings)})

    @property
    def chosen_tools(self) -> tuple[Tool, ...]:
        """The tools, each once."""
        return tuple(dict.fromkeys(self.tools)) or (("anova", "t") if self.power else ("anova", "ci"))

    @property
    def chosen_sizes(self) -> Sequence[int]:
        """The numbers of topics that widths are printed for."""
        return self.sizes or (CURVE if self.curve else () if self.widths else SIZES)

    def refuse_contradictions(self) -> None:
        """Raise UsageError for what does not go together."""
        if self.beta >= 1 - self.alpha:
            raise UsageError("1 - beta must be larger than alpha.")
        if self.curve and self.sizes:
            raise UsageError("use --curve or --sizes, not both.")
        if self.power and not (self.sizes and self.widths):
            raise UsageError("--power needs --sizes and --width.")
        if self.power and "ci" in self.chosen_tools:
            raise UsageError("--tool ci has no power: use --tool anova or t.")


@dataclass(frozen=True)
class _OneTool:
    tool: Tool


class Variance(NamedTuple):
    """The variance of a measure's scores within a system (or what topics and systems leave), as estimated from files."""

    measure: str
    value: float
    df: int
    topics: int


def wcw(settings: Settings, inputs: "Inputs | None" = None) -> Report:
    """How many topics does a measure need; how wide can an interval get with so many?"""
    settings.refuse_contradictions()
    of_method = settings.of_method()
    if settings.noncentrality:
        if settings.variances or inputs is not None:
            raise UsageError("--noncentrality needs no data: leave out variances and files.")
        return Report(tables("noncentrality", "", _noncentrality_rows(of_method)), _signature(settings, None))
    if settings.variances and inputs is not None:
        raise UsageError("--variance is given: leave out the files.")
    if not settings.variances and inputs is None:
        raise UsageError("Missing --variance NAME=V, or QRELS and RUN... to estimate it from.")
    estimated, files = ([], {}) if inputs is None else variances_of(settings, inputs)
    variances = list(settings.variances) or [(each.measure, each.value) for each in estimated]
    of_variances = [table for each in estimated for table in _table_of_variance(each, settings.residual)]
    found = [table for name, variance in variances for table in _tables(settings, of_method, name, variance)]
    _warn(settings, of_method, variances, found)
    return Report(
        tables=[*of_variances, *found],
        signature=_signature(settings, inputs),
        explain=lambda: _explanation(found, of_method, residual=settings.residual),
        drawn=lambda: _drawn(settings, of_method, variances, found),
        files=files,
    )


def _signature(settings: Settings, inputs: "Inputs | None") -> dict[str, Any]:
    return {
        "command": "wcw",
        **settings.of_method().signature(),
        "tools": " ".join(settings.chosen_tools),
        "residual": settings.residual,
        "pool": settings.pool,
        "standardise": None if inputs is None else inputs.standardise,
        **({} if inputs is None else inputs.signature()),
    }


def variances_of(settings: Settings, inputs: "Inputs") -> tuple[list[Variance], dict[str, str]]:
    """For each measure its variance, pooled over files if asked for; and what --save-scores writes."""
    from irci.data.experiment import scores_of

    if settings.pool and inputs.save_scores is not None:
        raise UsageError("--pool reads files of scores: leave out --save-scores.")
    if settings.pool and not inputs.scores:
        raise UsageError("--pool needs --scores, with one file per collection.")
    several = [replace(inputs, files=(path,)) for path in inputs.files] if settings.pool else [inputs]
    found = [scores_of(each, settings.measures) for each in several]
    collections = [scores for scores, _ in found]
    names = dict.fromkeys(name for scores in collections for name in scores.values)
    return [_pooled(collections, name, settings.residual) for name in names], found[0][1]


def _pooled(collections: "Sequence[Scores]", name: str, residual: bool) -> Variance:
    """The variance of one measure, pooled by degrees of freedom."""
    squares = degrees = topics = 0.0
    for scores in collections:
        if name not in scores.values:
            raise DataError(f"no scores of {name} in every file (-m names what a matrix holds)")
        complete = _complete(scores, name)
        if len(complete) < 2 or (residual and complete.shape[1] < 2):
            raise DataError(f"{name}: a variance needs at least two topics" + (" and two runs" if residual else ""))
        variance, df = (two_way_variance if residual else one_way_variance)(complete)
        squares, degrees, topics = squares + variance * df, degrees + df, topics + len(complete)
    return Variance(name, squares / degrees, int(degrees), int(topics))


def _complete(scores: "Scores", name: str) -> Floats:
    """Scores[T, runs] of the topics on which all runs have one, runs by name: their order changes no digit."""
    from irci.data.names import places_by_name

    values = scores.values[name][places_by_name(scores.runs)]
    return np.ascontiguousarray(values.T[~np.isnan(values).any(axis=0)])


def _table_of_variance(found: Variance, residual: bool) -> list[Table]:
    kind = "two-way" if residual else "one-way"
    return tables(
        "variance", found.measure, [{"kind": kind, "value": found.value, "df": found.df, "topics": found.topics}]
    )


def _tables(settings: Settings, of_method: MethodSettings, name: str, variance: float) -> Iterator[Table]:
    """Powers, or widths for numbers of topics and topics for widths."""
    tools, widths = settings.chosen_tools, settings.widths or ()
    if settings.power:
        yield from tables("power", name, _power_rows(variance, settings.chosen_sizes, widths, tools, of_method))
        return
    yield from tables("width", name, _width_rows(variance, settings.chosen_sizes, tools, of_method))
    yield from tables("topics", name, _topics_rows(name, variance, widths, tools, of_method))


def _width_rows(
    variance: float, sizes: Sequence[int], tools: Sequence[Tool], of_method: MethodSettings
) -> Iterator[Row]:
    for topics in sizes:
        for tool in tools:
            width = worst_case_width(topics, variance, tool, of_method)
            yield {"topics": topics, "width": width, "tool": tool}


def _topics_rows(
    name: str, variance: float, widths: Sequence[float], tools: Sequence[Tool], of_method: MethodSettings
) -> Iterator[Row]:
    for width in widths:
        for tool in tools:
            try:
                needed = topics_needed(width, variance, tool, of_method)
            except ValueError as error:
                raise DataError(f"{name}: {error}") from None
            yield {"width": width, "topics": needed, "tool": tool}


def _power_rows(
    variance: float, sizes: Sequence[int], widths: Sequence[float], tools: Sequence[Tool], of_method: MethodSettings
) -> Iterator[Row]:
    """The power for each number of topics and difference."""
    for topics in sizes:
        for difference in widths:
            for tool in tools:
                assert tool != "ci", "an interval has no power"
                found = power(topics, difference, variance, tool, of_method) if variance > 0 else 1.0
                yield {"topics": topics, "difference": difference, "power": found, "tool": tool}


def _noncentrality_rows(of_method: MethodSettings) -> Iterator[Row]:
    """lambda over the number of systems, and 4 z^2, near which the ANOVA tool stands in for the interval."""
    for systems in range(2, 51):
        of_systems = replace(of_method, systems=systems)
        yield {
            "systems": systems, "exact": exact_noncentrality(of_systems), "linear": linear_noncentrality(of_systems),
            "4z^2": 4 * normal_quantile(1 - of_method.alpha) ** 2,
        }  # fmt: skip


def _drawn(
    settings: Settings, of_method: MethodSettings, variances: Sequence[tuple[str, float]], found: Sequence[Table]
) -> list[Table]:
    """Widths along a curve of topics, as far as the topics that are needed; powers as they are."""
    if settings.power:
        return list(found)
    most = max((int(row["topics"]) for table in found for row in table.rows), default=0)  # type: ignore[arg-type]
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    curves = [
        table
        for name, variance in variances
        for table in tables("width", name, _width_rows(variance, along, settings.chosen_tools, of_method))
    ]
    return [*(table for table in found if table.kind != "width"), *curves]


def _warn(
    settings: Settings, of_method: MethodSettings, variances: Sequence[tuple[str, float]], found: Sequence[Table]
) -> None:
    """Say where widths mean nothing, and where the ANOVA tool does not stand in for the interval."""
    if any(variance == 0 for _, variance in variances):
        logger.warning("the variance is 0: any width is reached with two topics")
    if settings.power or "anova" not in settings.chosen_tools:
        return
    if not of_method.stands_in:
        logger.warning(
            f"with alpha {settings.alpha:g}, beta {settings.beta:g}, {settings.systems} systems the ANOVA tool is about ranges"
            " of means, not widths of intervals (which it is for .05, .20, 10; .05, .10, 5; .01, .20, 18; .01, .10, 10)"
        )
    elif any(
        row["tool"] == "anova" and int(row["topics"]) < SURROGATE_FROM  # type: ignore[arg-type]
        for table in found
        for row in table.rows
    ):
        logger.warning(f"below about {SURROGATE_FROM} topics the ANOVA tool is optimistic: use --tool ci")


def _explanation(found: Sequence[Table], of_method: MethodSettings, *, residual: bool) -> Iterator[str]:
    """The rows in plain words."""
    for table in found:
        rows = list(table.rows) if table.kind in ("width", "topics", "power") else []
        for row in rows if len(rows) <= MOST_TOLD else []:
            if table.kind == "power" or row["width"]:  # a variance of 0, of which the warning speaks, has no width
                yield _sentence(row, table.measure, of_method)
    if residual:
        yield "The variance is what topics and systems leave: what systems have in common on a topic is out of it already."
        yield "It is taken to be alike and independent; a pair of systems less alike than most takes more topics."
    else:
        yield "Systems are taken to vary alike and independently; on the same topics they vary together, which helps."


def _sentence(row: Row, measure: str, of_method: MethodSettings) -> str:
    """What so many topics give."""
    amount = row["difference"] if "difference" in row else row["width"]
    chance = float(row["power"] or 0) if "power" in row else 1 - of_method.beta
    if row["tool"] == "ci":
        what = f"the interval of a difference of two systems in {measure} is at most {amount:.4f} wide on average"
    elif row["tool"] == "anova":
        what = f"an ANOVA of {of_method.systems} systems finds a difference of {amount:.4f} in {measure}"
    else:
        what = f"a paired t test finds a difference of {amount:.4f} in {measure}"
    what += {"anova": " between best and worst", "t": " between two systems"}.get(str(row["tool"]), "")
    power = "" if row["tool"] == "ci" else f" {_percent(chance)} of the time"
    return f"With {row['topics']} topics, {what}{power}."


def _percent(chance: float) -> str:
    return f"{100 * chance:.4g}%"
