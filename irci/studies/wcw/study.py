"""wcw: widths for numbers of topics, topics for widths, powers; from variances given, or estimated from files."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from irci.base.choices import values_of
from irci.base.errors import DataError, UsageError, logger
from irci.methods.wcw import (
    TopicSetDesign,
    exact_noncentrality,
    linear_noncentrality,
    power,
    safe_topics,
    topics_needed,
    worst_case_width,
)
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.stats.intervals import normal_quantile
from irci.studies.sources_in_words import OF_SIZE, among
from irci.studies.wcw.request import CURVE, Design, WcwRequest

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs

SAFE = ("width_safe", "topics_safe", "power_safe")
NO_VARIANCE = {"power": 1.0, "power_safe": math.nan}
SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic


def wcw(request: WcwRequest, inputs: "Inputs | None" = None) -> Report:
    """Report of how many topics a measure needs, or how wide an interval can get with so many."""
    request.refuse_contradictions()
    if request.noncentrality:
        if request.variances or inputs is not None:
            raise UsageError("--noncentrality needs no data: leave out variances and files.")
        rows = _noncentrality_rows(request)
        return Report(tables("noncentrality", "", rows), _signature(request, None), sources=among(OF_SIZE, ["topics"]))
    if request.variances and inputs is not None:
        raise UsageError("--variance is given: leave out the files.")
    if not request.variances and inputs is None:
        raise UsageError("Missing --variance NAME=V, or QRELS and RUN... to estimate it from.")
    designs = [Design.assumed(name, variance, request) for name, variance in request.variances]
    of_variances: list[Table] = []
    files: dict[str, str] = {}
    if inputs is None:
        if request.cluster_size is not None and request.icc is None:
            raise UsageError("--cluster-size needs --icc, or --clusters and files.")
    else:
        from irci.studies.wcw.variances import variances_of

        estimated, files = variances_of(request, inputs)
        designs = [each.design(request) for each in estimated]
        of_variances = [table for each in estimated for table in each.tables(request)]
    found = [table for design in designs for table in _tables(request, design)]
    _warn(request, designs, found)
    of_clusters: dict[str, Any] = {}
    if words := {f"{design.word}s" for design in designs} - {"topics"}:
        given = None if request.clusters is None else request.clusters.given
        of_clusters = {
            "units": words.pop(),
            "clusters": given,
            "cluster_size": request.cluster_size,
            "icc": request.icc,
        }
    return Report(
        tables=[*of_variances, *found],
        signature=_signature(request, inputs) | of_clusters,
        explain=lambda: _explanation(request, designs, found),
        drawn=lambda: _drawn(request, designs, found),
        sources=among(OF_SIZE, ["topics", of_clusters.get("units")]),
        files=files,
    )


def _signature(request: WcwRequest, inputs: "Inputs | None") -> dict[str, Any]:
    return {
        "command": "wcw",
        **values_of(request, TopicSetDesign),
        "tools": " ".join(request.chosen_tools),
        "residual": request.residual,
        "pool": request.pool,
        "standardise": None if inputs is None else inputs.standardise,
        **({} if inputs is None else inputs.signature()),
    }


def _tables(request: WcwRequest, design: Design) -> Iterator[Table]:
    sizes = design.sizes(request)
    if request.power:
        yield from tables("power", design.measure, _power_rows(request, design, sizes))
        return
    yield from tables("width", design.measure, _width_rows(request, design, sizes))
    yield from tables("topics", design.measure, _topics_rows(request, design))


def _width_rows(request: WcwRequest, design: Design, sizes: Sequence[int]) -> Iterator[Row]:
    for topics, tool in product(sizes, request.chosen_tools):
        units = design.units(topics)
        width = worst_case_width(units, design.variance, tool, request)
        safe = {} if design.upper is None else {"width_safe": worst_case_width(units, design.upper, tool, request)}
        yield {"topics": topics, "width": width, **safe, "tool": tool, **design.columns(units)}


def _topics_rows(request: WcwRequest, design: Design) -> Iterator[Row]:
    for width, tool in product(request.widths or (), request.chosen_tools):
        try:
            units = topics_needed(width, design.variance, tool, request, of=f"{design.word}s")
        except ValueError as error:
            raise DataError(f"{design.measure}: {error}") from None
        safe: dict[str, float] = {}
        if design.upper is not None:
            needed = safe_topics(width, design.upper, tool, request)
            safe["topics_safe"] = design.topics(int(needed)) if math.isfinite(needed) else needed
        yield {"width": width, "topics": design.topics(units), **safe, "tool": tool, **design.columns(units)}


def _power_rows(request: WcwRequest, design: Design, sizes: Sequence[int]) -> Iterator[Row]:
    for topics, difference, tool in product(sizes, request.widths or (), request.chosen_tools):
        assert tool != "ci", "an interval has no power"
        units = design.units(topics)
        of_variance = {"power": design.variance}
        if design.upper is not None:
            of_variance["power_safe"] = design.upper
        found = {
            name: power(units, difference, variance, tool, request) if variance > 0 else NO_VARIANCE[name]
            for name, variance in of_variance.items()
        }
        yield {"topics": topics, "difference": difference, **found, "tool": tool, **design.columns(units)}


def _noncentrality_rows(request: WcwRequest) -> Iterator[Row]:
    """lambda over the number of systems, and 4 z^2, near which the ANOVA tool stands in for the interval."""
    for systems in range(2, 51):
        of_systems = replace(request, systems=systems)
        yield {
            "systems": systems, "exact": exact_noncentrality(of_systems), "linear": linear_noncentrality(of_systems),
            "4z^2": 4 * normal_quantile(1 - request.alpha) ** 2,
        }  # fmt: skip


def _drawn(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> list[Table]:
    """Widths along a curve of topics, as far as the topics that are needed; powers as they are."""
    if request.power:
        return list(found)
    most = max((int(row["topics"]) for table in found for row in table.rows), default=0)  # type: ignore[arg-type]
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    curves = [
        table
        for design in designs
        for table in tables("width", design.measure, _width_rows(request, design, design.of(along)))
    ]
    return [*(table for table in found if table.kind != "width"), *curves]


def _warn(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> None:
    """Say where widths mean nothing, and where the ANOVA tool does not stand in for the interval."""
    words = {f"{design.word}s" for design in designs}
    units = words.pop() if words else "topics"  # all designs are of one kind
    if any(design.variance == 0 for design in designs):
        logger.warning(f"the variance is 0: any width is reached with two {units}")
    if request.power or "anova" not in request.chosen_tools:
        return
    if not request.stands_in:
        logger.warning(
            f"with alpha {request.alpha:g}, beta {request.beta:g}, {request.systems} systems the ANOVA tool is about ranges"
            " of means, not widths of intervals (which it is for .05, .20, 10; .05, .10, 5; .01, .20, 18; .01, .10, 10)"
        )
    elif any(
        row["tool"] == "anova" and int(row[units]) < SURROGATE_FROM  # type: ignore[arg-type]
        for table in found
        if table.kind in ("width", "topics", "power")
        for row in table.rows
    ):
        logger.warning(f"below about {SURROGATE_FROM} {units} the ANOVA tool is optimistic: use --tool ci")


def _explanation(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> Iterator[str]:
    for table in found:
        few = table.kind in ("width", "topics", "power") and len(table.rows) <= 12
        yield from (_sentence(row, table.measure, request) for row in table.rows if few and _says_something(row))
    yield from _of_designs(designs)
    if request.residual:
        yield "The variance is what topics and systems leave: what systems have in common on a topic is out of it already."
        yield "It is taken to be alike and independent; a pair of systems less alike than most takes more topics."
    else:
        yield "Systems are taken to vary alike and independently; on the same topics they vary together, which helps."


def _says_something(row: Row) -> bool:
    """False of a variance of 0, of which the warning speaks: it has no width, and if it is estimated no upper limit."""
    safe = [float(row[name] or 0) for name in SAFE if name in row]
    return not any(map(math.isnan, safe)) and (row.get("width") != 0 or "power" in row)


def _of_designs(designs: Sequence[Design]) -> Iterator[str]:
    word = next((design.word for design in designs), "topic")
    if word == "topic":
        return
    helps = any(design.correlation > 0 and design.size > 1 for design in designs)
    yield f"It is {word}s that are sampled" + (f": more topics in each help less than more {word}s." if helps else ".")
    if any(design.sizes_differ for design in designs):
        weighed = "collection" if word == "collection" else "topic"
        yield f"Sizes of {word}s are taken to differ as they do here, and means to weigh each {weighed} alike."


def _sentence(row: Row, measure: str, request: WcwRequest) -> str:
    amount = row["difference"] if "difference" in row else row["width"]
    chance = float(row["power"] or 0) if "power" in row else 1 - request.beta
    found = f"finds a difference of {amount:.4f} in {measure} between"
    often = f"{100 * chance:.4g}% of the time"
    what = {
        "ci": f"the interval of a difference of two systems in {measure} is at most {amount:.4f} wide on average",
        "anova": f"an ANOVA of {request.systems} systems {found} best and worst {often}",
        "t": f"a paired t test {found} two systems {often}",
    }[str(row["tool"])]
    units = next((f" in {row[word]} {word}" for word in ("clusters", "collections") if word in row), "")
    return f"With {row['topics']} topics{units}, {what}{_safely(row)}."


def _safely(row: Row) -> str:
    """The result if the variance is as large as its upper limit; nothing of a variance that is given."""
    if_so = "; if the variance is at its upper 80% limit,"
    width, topics, chance = (
        float(row.get(name, math.nan) or 0) for name in ("width_safe", "topics_safe", "power_safe")
    )
    if not math.isnan(width):
        return f"{if_so} this is {width:.4f}"
    if not math.isnan(topics):
        return f"{if_so} that takes {f'{topics:.0f}' if math.isfinite(topics) else 'too many'} topics"
    return "" if math.isnan(chance) else f"{if_so} {100 * chance:.4g}% of the time"
