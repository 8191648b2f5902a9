"""wcw: what numbers of topics are worth, and topics for differences and widths; from variances given, or from files."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby, product, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from irci.base.choices import Tool
from irci.base.errors import DataError, UsageError, logger
from irci.base.records import values_of
from irci.compare.sources_in_words import OF_SIZE, among
from irci.estimators.wcw import (
    TopicSetDesign,
    exact_noncentrality,
    linear_noncentrality,
    topics_needed,
    worst_case_width,
)
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, tables
from irci.studies.wcw.request import AMOUNTS, FORMULAS, OF_SIZES, WORST, Amount, VarianceDesign, WcwRequest
from irci.studies.wcw.sentences import conclusions, explanation

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs

CURVE = (*range(5, 50, 5), *range(50, 210, 10))  # numbers of topics that pictures show


def noncentralities(settings: TopicSetDesign) -> Report:
    """Report of the noncentrality, by number of systems."""
    signature: Signature = {"command": "wcw", "alpha": settings.alpha, "power": settings.power}
    found = tables("noncentrality", "", _noncentrality_rows(settings))
    return Report(found, signature, sources=among(OF_SIZE, ["topics"]))


def wcw(request: WcwRequest, inputs: "Inputs | None" = None) -> Report:
    """Report of how many topics a measure needs, or how wide an interval can get with so many."""
    if request.variances and inputs is not None:
        raise UsageError("--variance is given: leave out the files.")
    if not request.variances and inputs is None:
        raise UsageError("Missing --variance NAME=V, or QRELS and RUN... to estimate it from.")
    designs = [VarianceDesign(name, variance) for name, variance in request.variances]
    of_variances: list[Table] = []
    files: dict[str, str] = {}
    if inputs is not None:
        from irci.data.scale_ends import refuse_impossible
        from irci.studies.wcw.variances import tables_of, variances_of

        estimated, files = variances_of(request, inputs)
        designs = [variance.design() for variance in estimated if variance.kind != "two-way"]
        of_variances = list(tables_of(estimated)) if request.lists_variances else []
        for design, difference in product(designs, request.amounts("difference")):
            if design.ends is not None:
                refuse_impossible(design.measure, difference, design.ends)
    by_measure = {measure: list(of_one) for measure, of_one in groupby(designs, key=attrgetter("measure"))}
    found = [table for measure, of_one in by_measure.items() for table in _tables(request, measure, of_one)]
    _warn(request, designs, found)
    in_clusters = any(design.in_clusters for design in designs)
    of_clusters = {"units": "clusters", "clusters": request.clusters.given} if request.clusters is not None else {}
    return Report(
        tables=[*of_variances, *found],
        signature=_signature(request, inputs) | of_clusters,
        explain=lambda: explanation(request, designs, found),
        conclude=lambda: conclusions(request, found),
        drawn=lambda: _drawn(request, by_measure, found),
        sources=among(OF_SIZE, ["topics", *["clusters"] * in_clusters]),
        files=files,
    )


def _signature(request: WcwRequest, inputs: "Inputs | None") -> dict[str, Any]:
    settings = {name: value for name, value in values_of(request, TopicSetDesign).items() if name != "df_share"}
    return {
        "command": "wcw",
        **settings,
        "tools": " ".join(request.chosen_tools),
        "standardise": None if inputs is None else inputs.standardise,
        **({} if inputs is None else inputs.signature()),
    }


def _tables(request: WcwRequest, measure: str, designs: Sequence[VarianceDesign]) -> Iterator[Table]:
    if request.tools or request.variances:
        for amount in AMOUNTS:
            tools = [tool for tool in request.tools_for_sizes if OF_SIZES[tool] == amount]
            rows = _amount_rows(request, designs, amount, tools, lambda design: design.sizes(request))
            yield from tables("width", measure, rows)
    elif request.chosen_sizes:
        yield from tables("width", measure, _usual_rows(request, designs))
    for amount in AMOUNTS:
        yield from tables("topics", measure, _topics_rows(request, designs, amount))


def _with_tools(designs: Sequence[VarianceDesign], tools: Sequence[Tool]) -> Iterator[tuple[Tool, VarianceDesign]]:
    """Each tool with the designs that it plans for: pairs if there are any, or systems that vary independently."""
    has_pairs = any(design.pair for design in designs)
    for tool, design in product(tools, designs):
        if (tool == "paired" and has_pairs) is bool(design.pair):
            yield tool, design


def _by_size(
    designs: Sequence[VarianceDesign], tools: Sequence[Tool], sizes: Callable[[VarianceDesign], Sequence[int]]
) -> Iterator[list[tuple[int, Tool, VarianceDesign]]]:
    """The tools and designs at each number of topics: each design has its own, in whole clusters of its size."""
    planned = list(_with_tools(designs, tools))
    for of_each in zip_longest(*(sizes(design) for _, design in planned)):
        yield [(topics, *plan) for topics, plan in zip(of_each, planned, strict=True) if topics is not None]


def _amount(request: WcwRequest, design: VarianceDesign, amount: Amount, tool: Tool, topics: int) -> float:
    """The width, or difference, that so many topics assure; nan of scores that do not vary."""
    units, settings = design.units(topics), request._replace(df_share=design.df_share)
    variance = design.variance if amount == "width" else design.cautious(request)
    if not variance > 0:
        return math.nan
    if amount == "difference" and units < design.fewest_units(tool, request):
        return math.inf
    found = worst_case_width(units, variance, FORMULAS[amount][tool], settings)
    return design.possible(found) if amount == "difference" else found


def _amount_rows(
    request: WcwRequest,
    designs: Sequence[VarianceDesign],
    amount: Amount,
    tools: Sequence[Tool],
    sizes: Callable[[VarianceDesign], Sequence[int]],
) -> Iterator[Row]:
    """The widths, or differences, that numbers of topics assure by these tools."""
    for topics, tool, design in chain.from_iterable(_by_size(designs, tools, sizes)):
        found = _amount(request, design, amount, tool, topics)
        yield {"topics": topics, amount: found, **design.purpose(tool), **design.columns(design.units(topics))}


def _usual_rows(request: WcwRequest, designs: Sequence[VarianceDesign]) -> Iterator[Row]:
    """The worst-case width, and the difference that is found in nine of ten pairs, or in the only one."""
    independent = next(design for design in designs if not design.pair)
    pair = next((design for design in reversed(designs) if design.pair in (WORST, "pair")), None)
    for topics in independent.sizes(request):
        width = _amount(request, independent, "width", "anova", topics)
        difference = {} if pair is None else {"difference": _amount(request, pair, "difference", "paired", topics)}
        of_pair = {} if pair is None else {"purpose": pair.pair}
        yield {
            "topics": topics,
            "width": width,
            **difference,
            **of_pair,
            **independent.columns(independent.units(topics)),
        }


def _topics_rows(request: WcwRequest, designs: Sequence[VarianceDesign], amount: Amount) -> Iterator[Row]:
    """The topics that widths, or differences, take."""
    for size, (tool, design) in product(request.amounts(amount), list(_with_tools(designs, request.tools_for(amount)))):
        variance, settings = design.cautious(request), request._replace(df_share=design.df_share)
        fewest = design.fewest_units(tool, request) if amount == "difference" else 2
        units: float = math.nan  # of scores that do not vary, of which nothing follows
        if variance > 0:
            try:
                units = max(topics_needed(size, variance, FORMULAS[amount][tool], settings), fewest)
            except ValueError as error:
                word = "clusters" if design.in_clusters else "topics"
                raise DataError(f"{design.measure}: a {amount} of {size:g} takes {error} {word}") from None
        topics = units if math.isnan(units) else design.topics(int(units))
        yield {amount: size, "topics": topics, **design.purpose(tool), **design.columns(units)}


def _noncentrality_rows(settings: TopicSetDesign) -> Iterator[Row]:
    """lambda over the number of systems, exact and by Nagata's formula."""
    for systems in range(2, 51):
        of_systems = settings._replace(systems=systems)
        yield {
            "systems": systems, "exact": exact_noncentrality(of_systems), "linear": linear_noncentrality(of_systems),
        }  # fmt: skip


def _drawn(
    request: WcwRequest, by_measure: Mapping[str, Sequence[VarianceDesign]], found: Sequence[Table]
) -> list[Table]:
    """Widths and differences along a curve of topics, as far as the topics that are needed."""
    planned = (row["topics"] for table in found for row in table.rows if row["topics"] == row["topics"])
    most = max(map(int, planned), default=0)  # type: ignore[arg-type]
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    drawn = [table for table in found if table.kind == "topics"]
    for amount, (measure, designs) in product(AMOUNTS, by_measure.items()):
        tools = [tool for tool in request.tools_for_sizes if OF_SIZES[tool] == amount]
        tools += request.tools_for(amount) if request.amounts(amount) else ()
        rows = _amount_rows(request, designs, amount, tuple(dict.fromkeys(tools)), lambda design: design.of(along))
        drawn += tables("width", measure, rows)
    return drawn


def _warn(request: WcwRequest, designs: Sequence[VarianceDesign], found: Sequence[Table]) -> None:
    """Say where nothing can be planned, and where the ANOVA tool is not what it seems to be."""
    if any(design.variance == 0 for design in designs):
        logger.warning("the variance is 0, which says nothing of other topics: nothing can be planned by it")
    if "anova" not in request.chosen_tools:
        return
    of_anova = [row for table in found for row in table.rows if row.get("tool", "anova") == "anova"]
    if any(design.upper is not None for design in designs) and any(
        "difference" in row for row in of_anova if "tool" in row
    ):
        logger.warning(
            "the ANOVA tool takes topics for unpaired: tests of pairs planned by it found the difference in 53 to 75% of"
            " simulated experiments where 80% is promised (--tool paired)"
        )
    if any("width" in row for row in of_anova) and not request.stands_in:
        logger.warning(
            f"with alpha {request.alpha:g}, power {request.power:g}, {request.systems} systems the ANOVA tool is about"
            " ranges of means, not widths of intervals (--tool ci)"
        )
