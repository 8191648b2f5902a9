"""wcw: what numbers of topics are worth, and topics for differences and widths; from variances given, or from files."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from irci.base import DataError
from irci.base.choices import Tool
from irci.base.types import Ends, gathered
from irci.comparison.means import sources_of
from irci.estimators import wcw as estimator
from irci.output.report import Report
from irci.output.tables import Cell, Row, Signature, Table, number, rows_of, tables
from irci.stats.power import MANY_GROUPS, fewest_units
from irci.wording import notify, say

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs
    from irci.options.asked import Asked

SIZES = (10, 20, 50, 100)
USUAL = 50  # of several numbers of topics, the one that a conclusion is about
CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CURVE = (*range(5, 50, 5), *range(50, 210, 10))  # numbers of topics that pictures show
CLOSE = 1e-9
FEW_ROWS = 12  # of a table, each of which has a sentence
SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic
# What is planned, and the formula by which each tool plans it: for each amount the first tool is the usual one.
Amount = Literal["width", "difference"]
FORMULAS: Final[Mapping[Amount, Mapping[Tool, estimator.Formula]]] = {
    "width": {"anova": "anova", "ci": "ci", "paired": "ci"},
    "difference": {"paired": "t", "anova": "anova"},
}


def _sizes(request: "Asked") -> Sequence[int]:
    """The numbers of topics that widths, or differences, are printed for."""
    return request.sizes or (() if request.widths or request.differences else SIZES)


def _amounts(request: "Asked") -> Mapping[Amount, Sequence[float]]:
    """The widths and differences that topics are asked for."""
    return {"width": request.widths or (), "difference": request.differences or ()}


def _tools(request: "Asked", amount: Amount, *, of_sizes: bool) -> list[Tool]:
    """The tools that plan widths, or differences: `of_sizes`, those that numbers of topics assure, else their topics."""
    if of_sizes and _sizes(request):
        tools = request.tools or (("anova",) if request.variances else ("anova", "paired"))
        return [tool for tool in dict.fromkeys(tools) if (tool == "paired") is (amount == "difference")]
    if of_sizes or not _amounts(request)[amount]:
        return []
    return [tool for tool in dict.fromkeys(request.tools) or [*FORMULAS[amount]][:1] if tool in FORMULAS[amount]]


def all_tools(request: "Asked") -> list[Tool]:
    """All tools that are used, in the order in which they were given."""
    uses = product((True, False), FORMULAS)
    tools = {tool: None for of_sizes, amount in uses for tool in _tools(request, amount, of_sizes=of_sizes)}
    return [tool for tool in dict.fromkeys((*request.tools, *tools)) if tool in tools]


class Variance(NamedTuple):
    """A measure's variance of a topic's score, or of its mean over a cluster where topics come in these, given or estimated.

    Half of the variance of a pair's differences stands for that of a system. `clusters`: their number, 0 where topics come in
    none; where they differ in size, what each adds to the variance of a mean, times their number.
    """

    measure: str
    value: float
    upper: float  # its upper 80% limit; itself if it was given; nan of 0
    # one-way: within a system; else which pair's differences it is of
    kind: str = "one-way"
    is_of_pair: bool = False
    runs: int = 0  # those that are not copies of others
    topics: int = 0
    clusters: int = 0
    size: float = 1.0  # topics in a cluster, on average
    correlation: float = 0.0  # of two topics of a cluster
    df_share: float = 1.0  # degrees of freedom over the number of units less one: below 1 where clusters differ in size
    ends: Ends | None = None  # of the scale, if it has any

    def fewest_units(self, tool: Tool, request: "Asked") -> int:
        """The fewest that a test can find a difference on: p of pairs is no less than signs can give."""
        most = MANY_GROUPS if self.clusters else math.inf  # below which p over clusters is held to their signs
        return int(min(fewest_units(request.alpha), most)) if tool == "paired" and self.is_of_pair else 2

    def units(self, topics: int) -> int:
        return math.floor(topics / self.size * (1 + CLOSE))

    def in_topics(self, units: int) -> int:
        return math.ceil(units * self.size * (1 - CLOSE))

    def whole(self, topics: Sequence[int]) -> Sequence[int]:
        """These numbers of topics in whole clusters, two or more."""
        return sorted({self.in_topics(self.units(number)) for number in topics if self.units(number) > 1})

    def sizes(self, request: "Asked") -> Sequence[int]:
        """The numbers of topics that are printed; raises DataError for one asked for that makes fewer than two clusters."""
        if not self.clusters:
            return _sizes(request)
        if few := [topics for topics in request.sizes or () if self.units(topics) < 2]:
            raise DataError(f"--sizes {few[0]}: fewer than two clusters of {self.size:g} topics")
        enough = self.whole(_sizes(request))
        return enough if enough or _sizes(request) != SIZES else [self.in_topics(units) for units in CLUSTERS]

    def columns(self, units: float, tool: Tool) -> Row:
        """The tool, what the number is for, and clusters if topics come in any."""
        independent = "best-worst" if tool == "anova" else "independent-pair"
        row: Row = {"tool": tool, "kind": self.kind if self.is_of_pair else independent}
        return {**row, "clusters": units} if self.clusters else row


def noncentralities(request: "Asked") -> Report:
    """Report of the noncentrality by number of systems, exact and by Nagata's formula."""
    designs = [request.record(estimator.TopicSetDesign, systems=systems) for systems in range(2, 51)]
    rows = rows_of(
        systems=[design.systems for design in designs],
        value=[*map(estimator.exact_noncentrality, designs)],
        predicted=[*map(estimator.linear_noncentrality, designs)],
    )
    signature: Signature = {"command": "wcw", "alpha": request.alpha, "power": request.power}
    return Report(tables("noncentrality", "", rows), signature, sources=sources_of("size", ["topics"]))


def wcw(
    request: "Asked", designs: Sequence[Variance], printed: Sequence[Table] = (), inputs: "Inputs | None" = None
) -> Report:
    """Report of how many topics a measure needs, or how wide an interval can get with so many: by variances estimated from
    the inputs, with tables of these, or by those that are given."""
    designs = designs or [Variance(name, variance, variance) for name, variance in request.variances]
    by_measure = gathered((design.measure, design) for design in designs)
    planned = [table for measure, of_measure in by_measure.items() for table in _tables(request, measure, of_measure)]
    _warn(request, designs, planned)
    units = ["topics", *(["clusters"] if any(design.clusters for design in designs) else [])]
    return Report(
        tables=[*printed, *planned],
        signature={
            "command": "wcw",
            **{name: getattr(request, name) for name in ("alpha", "power", "systems", "published")},
            "tools": " ".join(all_tools(request)),
            "standardise": None if inputs is None else inputs.standardise,
            **({} if inputs is None else inputs.signature()),
            **({} if request.clusters is None else {"units": "clusters", "clusters": request.clusters.given}),
        },
        explain=lambda: _explanation(request, designs, planned),
        conclude=lambda: _conclusions(request, planned),
        drawn=lambda: _drawn(request, by_measure, planned),
        sources=sources_of("size", units),
    )


def _tables(request: "Asked", measure: str, designs: Sequence[Variance]) -> Iterator[Table]:
    if request.tools or request.variances:
        for amount in FORMULAS:
            plans = _plans(designs, _tools(request, amount, of_sizes=True), lambda design: design.sizes(request))
            yield from tables("width", measure, (_assuring(request, amount, *plan) for plan in plans))
    elif _sizes(request):
        yield from tables("width", measure, _usual_rows(request, designs))
    for amount, sizes in _amounts(request).items():
        plans = _plans(designs, _tools(request, amount, of_sizes=False), sizes)
        yield from tables("topics", measure, [_taking(request, amount, *plan) for plan in plans])


def _plans(
    designs: Sequence[Variance], tools: Iterable[Tool], targets: Sequence[Any] | Callable[[Variance], Sequence[Any]]
) -> Iterator[tuple[Tool, Variance, Any]]:
    """The first target of each tool and design, then the second of each: pairs if there are any, or independent systems."""
    has_pairs = any(design.is_of_pair for design in designs)
    plans = [plan for plan in product(tools, designs) if (plan[0] == "paired" and has_pairs) is plan[1].is_of_pair]
    for targets_by_plan in zip_longest(*(targets(plan[1]) if callable(targets) else targets for plan in plans)):
        for plan, target in zip(plans, targets_by_plan, strict=True):
            if target is not None:
                yield *plan, target


def _assuring(request: "Asked", amount: Amount, tool: Tool, design: Variance, topics: int) -> Row:
    """The width, or difference, that so many topics assure."""
    assured = _assured(request, design, amount, tool, topics)
    return {"topics": topics, amount: assured, **design.columns(design.units(topics), tool)}


def _assured(request: "Asked", design: Variance, amount: Amount, tool: Tool, topics: int) -> float:
    """nan of scores that do not vary, infinite beyond the scale."""
    units, is_difference = design.units(topics), amount == "difference"
    variance = design.upper if is_difference and not request.published else design.value
    if not variance > 0:
        return math.nan
    if is_difference and units < design.fewest_units(tool, request):
        return math.inf
    settings = request.record(estimator.TopicSetDesign, df_share=design.df_share)
    assured = estimator.worst_case_width(units, variance, FORMULAS[amount][tool], settings)
    is_impossible = is_difference and design.ends is not None and assured > design.ends[1] - design.ends[0]
    return math.inf if is_impossible else assured


def _taking(request: "Asked", amount: Amount, tool: Tool, design: Variance, size: float) -> Row:
    """The topics that a width, or difference, takes; nan of scores that do not vary, of which nothing follows."""
    variance = design.value if request.published else design.upper
    if not variance > 0:
        return {amount: size, "topics": math.nan, **design.columns(math.nan, tool)}
    settings = request.record(estimator.TopicSetDesign, df_share=design.df_share)
    try:
        units = estimator.topics_needed(size, variance, FORMULAS[amount][tool], settings)
    except ValueError as error:
        word = "clusters" if design.clusters else "topics"
        raise DataError(f"{design.measure}: a {amount} of {size:g} takes {error} {word}") from None
    if amount == "difference":
        units = max(units, design.fewest_units(tool, request))
    return {amount: size, "topics": design.in_topics(units), **design.columns(units, tool)}


def _usual_rows(request: "Asked", designs: Sequence[Variance]) -> Iterator[Row]:
    """The worst-case width, and the difference that is found in nine of ten pairs, or in the only one."""
    independent = next(design for design in designs if not design.is_of_pair)
    pair = next((design for design in reversed(designs) if design.kind in (estimator.WORST, "pair")), None)
    for topics in independent.sizes(request):
        row: dict[str, Cell] = {"topics": topics, "width": _assured(request, independent, "width", "anova", topics)}
        if pair is not None:
            row |= {"difference": _assured(request, pair, "difference", "paired", topics), "kind": pair.kind}
        yield row | ({"clusters": independent.units(topics)} if independent.clusters else {})


def _drawn(request: "Asked", by_measure: Mapping[str, Sequence[Variance]], planned: Sequence[Table]) -> list[Table]:
    """Widths and differences along a curve of topics, as far as the topics that are needed."""
    needed = [number(row, "topics") for table in planned for row in table.rows]
    most = max((int(topics) for topics in needed if not math.isnan(topics)), default=0)
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    drawn = [table for table in planned if table.kind == "topics"]
    for amount, (measure, designs) in product(FORMULAS, by_measure.items()):
        tools = dict.fromkeys(tool for of_sizes in (True, False) for tool in _tools(request, amount, of_sizes=of_sizes))
        plans = _plans(designs, tools, lambda design: design.whole(along))
        drawn += tables("width", measure, (_assuring(request, amount, *plan) for plan in plans))
    return drawn


def _warn(request: "Asked", designs: Sequence[Variance], planned: Sequence[Table]) -> None:
    """Say where nothing can be planned, and where the ANOVA tool is not what it seems to be."""
    if any(design.value == 0 for design in designs):
        notify("lacking", measure="variance", what="plan", who="", why="it is 0, which says nothing of other topics")
    if "anova" not in all_tools(request):
        return
    by_anova = [row for table in planned for row in table.rows if row.get("tool", "anova") == "anova"]
    if not request.variances and any("difference" in row and "tool" in row for row in by_anova):
        notify("unpaired_plan")
    if any("width" in row for row in by_anova) and not request.record(estimator.TopicSetDesign).stands_in:
        notify("ranges_of_means", alpha=request.alpha, power=request.power, systems=request.systems)


# Sentences.


def _conclusions(request: "Asked", planned: Sequence[Table]) -> Iterator[str]:
    """The answer for each measure: of what was asked for first, about nine of ten pairs where there are several."""
    concluded = set()
    for table in planned:
        rows = [row for row in table.rows if row.get("kind") != estimator.MEDIAN and _is_planned(row)]
        subject = table.measure, table.kind, table.kind == "width" and "width" in table.columns
        if rows and subject not in concluded:
            concluded.add(subject)
            usual = [row for row in rows if table.kind == "width" and row["topics"] == USUAL]
            yield from _sentences(request, table.measure, (usual or rows)[0])
    if concluded and not (request.published or request.variances):
        yield say("wcw.cautious")
    if request.variances and request.differences:
        yield say("wcw.paired_takes_fewer")


def _explanation(request: "Asked", designs: Sequence[Variance], planned: Sequence[Table]) -> Iterator[str]:
    """Sentences on what is planned, of few rows each, and on what that rests on."""
    rows = [row for table in planned for row in table.rows]
    for table in planned:
        for row in filter(_is_planned, table.rows if len(table.rows) <= FEW_ROWS else ()):
            yield from _sentences(request, table.measure, row)
    has_differences = any("difference" in row for row in rows)
    by_anova = [row["topics"] for row in rows if "width" in row and row.get("tool", "anova") == "anova"]
    is_independent = bool({*all_tools(request)} - {"paired"} or request.variances)
    remarks = {
        "level": has_differences,
        "cautious": not request.variances and not request.published,
        "not_cautious": not request.variances and request.published,
        "estimated": not request.variances and has_differences,
        "surrogate": any(isinstance(topics, int) and topics < SURROGATE_FROM for topics in by_anova),
        "clusters": any(design.clusters for design in designs),
        "more_clusters": any(design.correlation > 0 and design.size > 1 for design in designs),
        "sizes_of_clusters": any(design.df_share < 1 for design in designs),
        "pairs": "paired" in all_tools(request) and any(design.is_of_pair for design in designs),
        "independent": is_independent,
        "paired_takes_fewer": is_independent and request.variances,
    }
    said = (name for name, is_so in remarks.items() if is_so)
    yield from (say(f"wcw.{name}", alpha=request.alpha, fewest=SURROGATE_FROM) for name in said)


def _is_planned(row: Row) -> bool:
    """False of a variance of 0, by which nothing is planned."""
    return not any(math.isnan(number(row, name)) for name in ("topics", *FORMULAS) if name in row)


def _sentences(request: "Asked", measure: str, row: Row) -> Iterator[str]:
    """One sentence on each amount of a row, which has its tool unless both amounts are by their usual ones."""
    topics = f"{row['topics']} topics" + (f" in {row['clusters']} clusters" if "clusters" in row else "")
    of_pairs = {
        estimator.MEDIAN: "in half of the pairs of these runs", estimator.WORST: "in nine of ten pairs of these runs",
        "pair": "between these two runs",
    }.get(str(row.get("kind")), "between two systems")  # fmt: skip
    for amount in [amount for amount in FORMULAS if amount in row]:
        size, formulas = number(row, amount), FORMULAS[amount]
        formula = next(formula for tool, formula in formulas.items() if row.get("tool", tool) == tool)
        is_worst = (amount, formula) == ("width", "anova") and request.record(estimator.TopicSetDesign).stands_in
        name = "ci" if formula == "ci" else "nothing" if size == math.inf else "worst" if is_worst else "found"
        yield say(
            f"wcw.{name}", topics=topics, measure=measure, amount=size, systems=request.systems,
            confidence=100 * (1 - request.alpha), often=f"{100 * request.power:.4g}%",
            test="a paired t test" if formula == "t" else f"an ANOVA of {request.systems} systems",
            pairs="between best and worst" if (formula, name) == ("anova", "found") else of_pairs,
        )  # fmt: skip
