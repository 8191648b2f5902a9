"""wcw: topics for differences and widths, and these for numbers of topics; powers; from variances given, or from files."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby, product, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from irci.base.choices import Tool
from irci.base.errors import DataError, UsageError, logger
from irci.base.records import values_of
from irci.methods.wcw import (
    MOST_TOPICS,
    TopicSetDesign,
    exact_noncentrality,
    linear_noncentrality,
    power,
    topics_needed,
    worst_case_width,
)
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.stats.intervals import normal_quantile
from irci.stats.looks import planned
from irci.studies.sources_in_words import OF_SIZE, among
from irci.studies.wcw.request import AMOUNTS, CURVE, FORMULAS, OF_SIZES, Amount, Design, WcwRequest
from irci.studies.wcw.sentences import explanation

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs

KIND: Mapping[Amount, Kind] = {"width": "width", "difference": "detectable"}  # of numbers of topics
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
        from irci.data.scale_ends import refuse_impossible
        from irci.studies.wcw.variances import tables_of, variances_of

        estimated, files = variances_of(request, inputs)
        designs = [each.design(request) for each in estimated]
        of_variances = list(tables_of(estimated, request))
        for design, difference in product(designs, request.amounts("difference")):
            if design.ends is not None:
                refuse_impossible(design.measure, difference, design.ends)
    found = [table for _, some in groupby(designs, key=attrgetter("measure")) for table in _tables(request, list(some))]
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
        explain=lambda: explanation(request, designs, found),
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
        **({} if request.looks is None else {"looks": request.looks}),
        "pool": request.pool,
        "standardise": None if inputs is None else inputs.standardise,
        **({} if inputs is None else inputs.signature()),
    }


def _tables(request: WcwRequest, designs: Sequence[Design]) -> Iterator[Table]:
    """The tables of one measure."""
    measure = designs[0].measure
    if request.power:
        yield from tables("power", measure, _power_rows(request, designs))
        return
    for of in AMOUNTS:
        tools = [tool for tool in request.tools_for_sizes if OF_SIZES[tool] == of]
        yield from tables(
            KIND[of], measure, _amount_rows(request, designs, of, tools, lambda each: each.sizes(request))
        )
    for of in AMOUNTS:
        yield from tables("topics", measure, _topics_rows(request, designs, of))


def _with_tools(designs: Sequence[Design], tools: Sequence[Tool]) -> Iterator[tuple[Tool, Design]]:
    """Each tool with the designs that it plans for: pairs, or systems that vary independently."""
    for tool, design in product(tools, designs):
        if (tool == "paired") is bool(design.pair):
            yield tool, design


def _by_size(
    designs: Sequence[Design], tools: Sequence[Tool], sizes: Callable[[Design], Sequence[int]]
) -> Iterator[list[tuple[int, Tool, Design]]]:
    """The tools and designs at each number of topics: each design has its own, in whole clusters of its size."""
    planned = list(_with_tools(designs, tools))
    for of_each in zip_longest(*(sizes(design) for _, design in planned)):
        yield [(topics, *each) for topics, each in zip(of_each, planned, strict=True) if topics is not None]


def _amount_rows(
    request: WcwRequest,
    designs: Sequence[Design],
    of: Amount,
    tools: Sequence[Tool],
    sizes: Callable[[Design], Sequence[int]],
) -> Iterator[Row]:
    """The widths, or differences, that numbers of topics assure by these tools."""
    for topics, tool, design in chain.from_iterable(_by_size(designs, tools, sizes)):
        units, formula = design.units(topics), FORMULAS[of][tool]
        variance = design.variance if of == "width" else design.cautious
        found = worst_case_width(units, variance, formula, request) if variance > 0 else math.nan
        if of == "difference":
            few = units < design.fewest_units(tool, request) and found == found
            found = math.inf if few else design.possible(found)
        yield {"topics": topics, of: found, **design.purpose(tool, request), **design.columns(units)}


def _topics_rows(request: WcwRequest, designs: Sequence[Design], of: Amount) -> Iterator[Row]:
    """The topics that widths, or differences, take."""
    for amount, (tool, design) in product(request.amounts(of), list(_with_tools(designs, request.tools_for(of)))):
        formula = FORMULAS[of][tool]
        fewest = design.fewest_units(tool, request) if of == "difference" else 2
        if not design.cautious > 0:  # of which nothing follows
            yield {of: amount, "topics": math.nan, **design.purpose(tool, request), **design.columns(math.nan)}
            continue
        if request.looks is not None:
            yield {of: amount, **_with_looks(request, design, amount), **design.purpose(tool, request)}
            continue
        try:
            units = max(topics_needed(amount, design.cautious, formula, request), fewest)
        except ValueError as error:
            raise DataError(f"{design.measure}: a {of} of {amount:g} takes {error} {design.word}s") from None
        yield {of: amount, "topics": design.topics(units), **design.purpose(tool, request), **design.columns(units)}


def _with_looks(request: WcwRequest, design: Design, difference: float) -> Row:
    """The topics that a difference takes with several looks, all planned and those judged on average."""
    assert request.looks is not None
    plan = planned(difference / math.sqrt(2 * design.cautious), request.looks, request.alpha, 1 - request.beta)
    if plan.sizes[-1] > MOST_TOPICS:
        raise DataError(f"{design.measure}: a difference of {difference:g} takes more than {MOST_TOPICS:,} topics")
    return {"topics": plan.sizes[-1], "expected": plan.expected, "at": ",".join(map(str, plan.sizes))}


def _power_rows(request: WcwRequest, designs: Sequence[Design]) -> Iterator[Row]:
    by_size = _by_size(designs, request.tools_for("difference"), lambda each: each.sizes(request))
    of_all = (
        (difference, *each) for some, difference in product(by_size, request.amounts("difference")) for each in some
    )
    for difference, topics, tool, design in of_all:
        formula = FORMULAS["difference"][tool]
        assert formula != "ci", "an interval has no power"
        units = design.units(topics)
        found = power(units, difference, design.cautious, formula, request) if design.cautious > 0 else math.nan
        if units < design.fewest_units(tool, request):
            found *= 0  # nan stays nan
        purpose = design.purpose(tool, request)
        yield {"topics": topics, "difference": difference, "power": found, **purpose, **design.columns(units)}


def _noncentrality_rows(request: WcwRequest) -> Iterator[Row]:
    """lambda over the number of systems, and 4 z^2, near which the ANOVA tool stands in for the interval."""
    for systems in range(2, 51):
        of_systems = request._replace(systems=systems)
        yield {
            "systems": systems, "exact": exact_noncentrality(of_systems), "linear": linear_noncentrality(of_systems),
            "4z^2": 4 * normal_quantile(1 - request.alpha) ** 2,
        }  # fmt: skip


def _drawn(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> list[Table]:
    """Widths and differences along a curve of topics, as far as the topics that are needed; powers as they are."""
    if request.power:
        return list(found)
    planned = (row["topics"] for table in found for row in table.rows if row["topics"] == row["topics"])
    most = max(map(int, planned), default=0)  # type: ignore[arg-type]
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    shown = [table for table in found if table.kind == "topics"]
    for of, (measure, some) in product(AMOUNTS, [(m, list(d)) for m, d in groupby(designs, key=attrgetter("measure"))]):
        tools = [tool for tool in request.tools_for_sizes if request.chosen_sizes and OF_SIZES[tool] == of]
        tools += request.tools_for(of) if request.amounts(of) else ()
        shown += tables(
            KIND[of], measure, _amount_rows(request, some, of, tuple(dict.fromkeys(tools)), lambda each: each.of(along))
        )
    return shown


def _warn(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> None:
    """Say where widths mean nothing, and where the ANOVA tool does not stand in for the interval."""
    units = next((f"{design.word}s" for design in designs), "topics")  # all designs are of one kind
    if any(design.variance == 0 for design in designs):
        logger.warning("the variance is 0, which says nothing of other topics: nothing can be planned by it")
    if any(design.upper is not None for design in designs) and any(
        row.get("tool") == "anova" and "difference" in row for table in found for row in table.rows
    ):
        logger.warning(
            "the ANOVA tool takes topics for unpaired: tests of pairs planned by it found the difference in 53 to 75% of"
            " simulated experiments where 80% is promised (--tool paired)"
        )
    of_widths = [row for table in found if table.kind != "power" for row in table.rows if "width" in row]
    of_anova = [row for row in of_widths if row["tool"] == "anova"]
    if not of_anova:
        return
    if not request.stands_in:
        logger.warning(
            f"with alpha {request.alpha:g}, beta {request.beta:g}, {request.systems} systems the ANOVA tool is about ranges"
            " of means, not widths of intervals (which it is for .05, .20, 10; .05, .10, 5; .01, .20, 18; .01, .10, 10)"
        )
    elif any(row[units] < SURROGATE_FROM for row in of_anova):  # type: ignore[operator]
        logger.warning(f"below about {SURROGATE_FROM} {units} the ANOVA tool is optimistic: use --tool ci")
