"""wcw: what numbers of topics are worth, and topics for differences and widths; from variances given, or from files."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby, product, zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from irci.base import DataError, Record
from irci.base.choices import Tool
from irci.base.types import Ends
from irci.comparison.means import sources_of
from irci.estimators.wcw import (
    MEDIAN,
    WORST,
    Formula,
    TopicSetDesign,
    exact_noncentrality,
    linear_noncentrality,
    topics_needed,
    worst_case_width,
)
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, tables
from irci.stats.power import fewest_groups, fewest_units, variance_upper
from irci.wording import notify, say

if TYPE_CHECKING:  # what reads files takes kernels along, and variances that are given need none
    from irci.data.inputs import Inputs
    from irci.options.asked import Asked
    from irci.stats.estimates import Nested

SIZES = (10, 20, 50, 100)
USUAL = 50  # of several numbers of topics, the one that a conclusion is about
CLUSTERS = (2, 5, 10, 20)  # where clusters are so large that the usual numbers of topics do not make two
CURVE = (*range(5, 50, 5), *range(50, 210, 10))  # numbers of topics that pictures show
CLOSE = 1e-9
FEW_ROWS = 12  # of a table, each of which has a sentence
SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic
# What is planned, and the formula by which each tool plans it: for each amount the first tool is the usual one.
Amount = Literal["width", "difference"]
AMOUNTS: Final[tuple[Amount, ...]] = ("width", "difference")
FORMULAS: Mapping[Amount, Mapping[Tool, Formula]] = {
    "width": {"anova": "anova", "ci": "ci", "paired": "ci"},
    "difference": {"paired": "t", "anova": "anova"},
}
# What numbers of topics are asked for with each tool.
OF_SIZES: Mapping[Tool, Amount] = {"anova": "width", "ci": "width", "paired": "difference"}


def amounts(request: "Asked", amount: Amount) -> Sequence[float]:
    """The widths, or differences, that topics are asked for."""
    return (request.widths if amount == "width" else request.differences) or ()


def tools_for(request: "Asked", amount: Amount) -> tuple[Tool, ...]:
    """The tools that plan for widths, or for differences."""
    usual = next(iter(FORMULAS[amount]))
    return tuple(tool for tool in dict.fromkeys(request.tools) or (usual,) if tool in FORMULAS[amount])


def _sizes(request: "Asked") -> Sequence[int]:
    """The numbers of topics that widths, or differences, are printed for."""
    return request.sizes or (() if request.widths or request.differences else SIZES)


def _tools_for_sizes(request: "Asked") -> tuple[Tool, ...]:
    """The tools that numbers of topics are planned by; from files the usual ones stand in one row."""
    if not _sizes(request):
        return ()
    return tuple(dict.fromkeys(request.tools)) or (("anova",) if request.variances else ("anova", "paired"))


def all_tools(request: "Asked") -> tuple[Tool, ...]:
    """All tools that are used."""
    of_amounts = [tools_for(request, amount) for amount in AMOUNTS if amounts(request, amount)]
    return tuple(dict.fromkeys(chain(_tools_for_sizes(request), *of_amounts)))


def _settings(request: "Asked", df_share: float = 1.0) -> TopicSetDesign:
    return request.record(TopicSetDesign, df_share=df_share)


class Variance(Record):
    """A measure's variance of a topic's score, as it is given, or as estimated from files."""

    measure: str
    value: float
    # one-way: within a system; two-way: what topics and systems leave; else which pair's differences it is of
    kind: str = "one-way"
    df: int = 0  # as many as if systems were independent
    upper_df: tuple[float, ...] = ()  # effective; of clusters, of the mean squares between and within; none if given
    topics: int = 0
    runs: int = 0  # those that are not copies of others
    nested: "Nested | None" = None  # how much is within clusters, and how much between them; clusters are sampled then
    pair: tuple[str, str] | None = None  # a pair's runs
    ends: Ends | None = None  # of the scale, if it has any

    @cached_property
    def of_unit(self) -> float:
        """That of a system's score on a topic, or of its mean over a cluster: half of that of a pair's differences. Where
        clusters differ in size, what each adds to the variance of a mean, times their number."""
        variance = self.value if self.nested is None else self.nested.of_cluster
        return variance / 2 if self.pair else variance

    @cached_property
    def upper(self) -> float:
        """The upper limit of the variance; of clusters by that of the mean square between, without which there is none, and of
        that within where it adds."""
        nested = self.nested
        if nested is None:
            return float(variance_upper(self.value, *self.upper_df))
        between, within = map(float, variance_upper([nested.between_ms, nested.within_ms], self.upper_df))
        if math.isnan(between):
            return between
        return max(nested._replace(between_ms=between, within_ms=ms).of_cluster for ms in (nested.within_ms, within))

    @cached_property
    def size(self) -> float:
        """Topics in a cluster, on average; 1 where they come in none."""
        return 1.0 if self.nested is None else float(self.nested.sizes.mean())

    @cached_property
    def df_share(self) -> float:
        """Degrees of freedom over the number of units less one: below 1 where clusters differ in size."""
        return 1.0 if self.nested is None else self.nested.df_share

    def cautious(self, request: "Asked") -> float:
        """The variance that plans go by: of one that is estimated the upper limit, else half of them find too little."""
        if not self.upper_df or request.published:
            return self.of_unit
        return self.upper / 2 if self.pair else self.upper

    def fewest_units(self, tool: Tool, request: "Asked") -> int:
        """The fewest that a test can find anything on: p of pairs is no less than signs can give."""
        fewest = fewest_units if self.nested is None else fewest_groups
        return fewest(request.alpha) if tool == "paired" and self.pair else 2

    def units(self, topics: int) -> int:
        return math.floor(topics / self.size * (1 + CLOSE))

    def in_topics(self, units: int) -> int:
        return math.ceil(units * self.size * (1 - CLOSE))

    def whole(self, topics: Sequence[int]) -> Sequence[int]:
        """These numbers of topics in whole clusters, two or more."""
        return sorted({self.in_topics(self.units(number)) for number in topics if self.units(number) > 1})

    def sizes(self, request: "Asked") -> Sequence[int]:
        """The numbers of topics that are printed; raises DataError for one asked for that makes fewer than two clusters."""
        if self.nested is None:
            return _sizes(request)
        if few := [topics for topics in request.sizes or () if self.units(topics) < 2]:
            raise DataError(f"--sizes {few[0]}: fewer than two clusters of {self.size:g} topics")
        enough = self.whole(_sizes(request))
        return enough if enough or _sizes(request) != SIZES else [self.in_topics(units) for units in CLUSTERS]

    def columns(self, units: float, tool: Tool | None = None) -> Row:
        """The tool, what the number is for, and clusters if topics come in any."""
        row: dict[str, Any] = {}
        if tool is not None:
            independent = "best-worst" if tool == "anova" else "independent-pair"
            row = {"tool": tool, "kind": self.kind if self.pair else independent}
        return row if self.nested is None else row | {"clusters": units}

    def rows(self) -> Iterator[Row]:
        """The variance, or that within clusters and that between them, with what it costs that topics come in these."""
        runs: Row = {} if self.pair is None else dict(zip(("run", "baseline"), self.pair, strict=True))
        nested = self.nested
        if nested is None:
            of_topics: Row = {"value": self.value, "df": self.df, "upper": self.upper, "topics": self.topics}
            yield {"kind": self.kind, **of_topics, **runs}
            return
        counted: Row = {"topics": self.topics, "clusters": len(nested.sizes), "icc": nested.correlation, **runs}
        yield {"kind": f"{self.kind} within clusters", "value": nested.within_ms, "df": nested.within_df, **counted}
        yield {"kind": f"{self.kind} between clusters", "value": nested.between, "df": nested.between_df, **counted}


def noncentralities(request: "Asked") -> Report:
    """Report of the noncentrality by number of systems, exact and by Nagata's formula."""
    rows = (
        {"systems": systems, "value": exact_noncentrality(design), "predicted": linear_noncentrality(design)}
        for systems in range(2, 51)
        for design in [request.record(TopicSetDesign, systems=systems)]
    )
    signature: Signature = {"command": "wcw", "alpha": request.alpha, "power": request.power}
    return Report(tables("noncentrality", "", rows), signature, sources=sources_of("size", ["topics"]))


def wcw(request: "Asked", estimated: Sequence[Variance], inputs: "Inputs | None" = None) -> Report:
    """Report of how many topics a measure needs, or how wide an interval can get with so many: by variances estimated from
    the inputs, or by those that are given."""
    by_measure: dict[str, list[Variance]] = {}
    designs = [Variance(name, variance) for name, variance in request.variances]
    designs += [variance for variance in estimated if variance.kind != "two-way"]
    for design in designs:
        by_measure.setdefault(design.measure, []).append(design)
    planned = [table for measure, of_measure in by_measure.items() for table in _tables(request, measure, of_measure)]
    _warn(request, designs, planned)
    printed: list[Table] = []
    # Those of pairs, which name the runs, are a table of their own.
    for (measure, _), group in groupby(estimated, lambda variance: (variance.measure, variance.pair is not None)):
        if "variance" in request.tables:
            printed += tables("variance", measure, [row for variance in group for row in variance.rows()])
    settings = _settings(request)._asdict()
    del settings["df_share"]
    units = ["topics", *(["clusters"] if any(design.nested is not None for design in designs) else [])]
    return Report(
        tables=[*printed, *planned],
        signature={
            "command": "wcw",
            **settings,
            "tools": " ".join(all_tools(request)),
            "standardise": None if inputs is None else inputs.standardise,
            **({} if inputs is None else inputs.signature()),
            **({} if request.clusters is None else {"units": "clusters", "clusters": request.clusters.given}),
        },
        explain=lambda: _explanation(request, designs, planned),
        conclude=lambda: _conclusions(request, designs, planned),
        drawn=lambda: _drawn(request, by_measure, planned),
        sources=sources_of("size", units),
    )


def _tables(request: "Asked", measure: str, designs: Sequence[Variance]) -> Iterator[Table]:
    if request.tools or request.variances:
        for amount in AMOUNTS:
            tools = [tool for tool in _tools_for_sizes(request) if OF_SIZES[tool] == amount]
            rows = _amount_rows(request, designs, amount, tools, lambda design: design.sizes(request))
            yield from tables("width", measure, rows)
    elif _sizes(request):
        yield from tables("width", measure, _usual_rows(request, designs))
    for amount in AMOUNTS:
        yield from tables("topics", measure, _topics_rows(request, designs, amount))


def _with_tools(designs: Sequence[Variance], tools: Sequence[Tool]) -> Iterator[tuple[Tool, Variance]]:
    """Each tool with the designs that it plans for: pairs if there are any, or systems that vary independently."""
    has_pairs = any(design.pair for design in designs)
    for tool, design in product(tools, designs):
        if (tool == "paired" and has_pairs) is bool(design.pair):
            yield tool, design


def _amount(request: "Asked", design: Variance, amount: Amount, tool: Tool, topics: int) -> float:
    """The width, or difference, that so many topics assure; nan of scores that do not vary, infinite beyond the scale."""
    units, settings = design.units(topics), _settings(request, design.df_share)
    variance = design.of_unit if amount == "width" else design.cautious(request)
    if not variance > 0:
        return math.nan
    if amount == "difference" and units < design.fewest_units(tool, request):
        return math.inf
    assured = worst_case_width(units, variance, FORMULAS[amount][tool], settings)
    is_impossible = amount == "difference" and design.ends is not None and assured > design.ends[1] - design.ends[0]
    return math.inf if is_impossible else assured


def _amount_rows(
    request: "Asked",
    designs: Sequence[Variance],
    amount: Amount,
    tools: Sequence[Tool],
    sizes: Callable[[Variance], Sequence[int]],
) -> Iterator[Row]:
    """The widths, or differences, that numbers of topics assure by these tools; each design has its own numbers, in whole
    clusters of its size."""
    plans = list(_with_tools(designs, tools))
    for topics_by_plan in zip_longest(*(sizes(design) for _, design in plans)):
        for topics, (tool, design) in zip(topics_by_plan, plans, strict=True):
            if topics is not None:
                assured = _amount(request, design, amount, tool, topics)
                yield {"topics": topics, amount: assured, **design.columns(design.units(topics), tool)}


def _usual_rows(request: "Asked", designs: Sequence[Variance]) -> Iterator[Row]:
    """The worst-case width, and the difference that is found in nine of ten pairs, or in the only one."""
    independent = next(design for design in designs if not design.pair)
    pair = next((design for design in reversed(designs) if design.kind in (WORST, "pair")), None)
    for topics in independent.sizes(request):
        row: dict[str, Any] = {"topics": topics, "width": _amount(request, independent, "width", "anova", topics)}
        if pair is not None:
            row |= {"difference": _amount(request, pair, "difference", "paired", topics), "kind": pair.kind}
        yield {**row, **independent.columns(independent.units(topics))}


def _topics_rows(request: "Asked", designs: Sequence[Variance], amount: Amount) -> Iterator[Row]:
    """The topics that widths, or differences, take."""
    for size, (tool, design) in product(
        amounts(request, amount), list(_with_tools(designs, tools_for(request, amount)))
    ):
        variance, settings = design.cautious(request), _settings(request, design.df_share)
        fewest = design.fewest_units(tool, request) if amount == "difference" else 2
        units: float = math.nan  # of scores that do not vary, of which nothing follows
        if variance > 0:
            try:
                units = max(topics_needed(size, variance, FORMULAS[amount][tool], settings), fewest)
            except ValueError as error:
                word = "topics" if design.nested is None else "clusters"
                raise DataError(f"{design.measure}: a {amount} of {size:g} takes {error} {word}") from None
        topics = units if math.isnan(units) else design.in_topics(int(units))
        yield {amount: size, "topics": topics, **design.columns(units, tool)}


def _drawn(request: "Asked", by_measure: Mapping[str, Sequence[Variance]], planned: Sequence[Table]) -> list[Table]:
    """Widths and differences along a curve of topics, as far as the topics that are needed."""
    needed = [cast("float", row["topics"]) for table in planned for row in table.rows]
    most = max((int(topics) for topics in needed if not math.isnan(topics)), default=0)
    along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
    drawn = [table for table in planned if table.kind == "topics"]
    for amount, (measure, designs) in product(AMOUNTS, by_measure.items()):
        tools = [tool for tool in _tools_for_sizes(request) if OF_SIZES[tool] == amount]
        tools += tools_for(request, amount) if amounts(request, amount) else ()
        rows = _amount_rows(request, designs, amount, tuple(dict.fromkeys(tools)), lambda design: design.whole(along))
        drawn += tables("width", measure, rows)
    return drawn


def _warn(request: "Asked", designs: Sequence[Variance], planned: Sequence[Table]) -> None:
    """Say where nothing can be planned, and where the ANOVA tool is not what it seems to be."""
    if any(design.of_unit == 0 for design in designs):
        notify("lacking", measure="variance", what="plan", who="", why="it is 0, which says nothing of other topics")
    if "anova" not in all_tools(request):
        return
    by_anova = [row for table in planned for row in table.rows if row.get("tool", "anova") == "anova"]
    if any(design.upper_df for design in designs) and any("difference" in row and "tool" in row for row in by_anova):
        notify("unpaired_plan")
    if any("width" in row for row in by_anova) and not _settings(request).stands_in:
        notify("ranges_of_means", alpha=request.alpha, power=request.power, systems=request.systems)


# Sentences.


def _conclusions(request: "Asked", designs: Sequence[Variance], planned: Sequence[Table]) -> Iterator[str]:
    """The answer for each measure: of what was asked for first, about nine of ten pairs where there are several."""
    concluded = set()
    for table in planned:
        rows = [row for row in table.rows if row.get("kind") != MEDIAN and _is_planned(row)]
        subject = table.measure, table.kind, table.kind == "width" and "width" in table.columns
        if rows and subject not in concluded:
            concluded.add(subject)
            usual = [row for row in rows if table.kind == "width" and row["topics"] == USUAL]
            yield from _sentences(request, table.measure, (usual or rows)[0])
    if concluded and _is_cautious(request, designs):
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
    is_estimated = any(design.upper_df for design in designs)
    by_anova = [row["topics"] for row in rows if "width" in row and row.get("tool", "anova") == "anova"]
    nested = [design.nested for design in designs if design.nested is not None]
    is_independent = bool(set(all_tools(request)) - {"paired"} or request.variances)
    remarks = {
        "level": has_differences,
        "cautious": _is_cautious(request, designs),
        "not_cautious": is_estimated and request.published,
        "estimated": is_estimated and has_differences,
        "surrogate": any(isinstance(topics, int) and topics < SURROGATE_FROM for topics in by_anova),
        "clusters": nested,
        "more_clusters": any(clusters.correlation > 0 and clusters.sizes.mean() > 1 for clusters in nested),
        "sizes_of_clusters": any(design.df_share < 1 for design in designs),
        "pairs": "paired" in all_tools(request) and any(design.pair for design in designs),
        "independent": is_independent,
        "paired_takes_fewer": is_independent and request.variances,
    }
    yield from (
        say(f"wcw.{name}", alpha=request.alpha, fewest=SURROGATE_FROM) for name, is_so in remarks.items() if is_so
    )


def _is_cautious(request: "Asked", designs: Sequence[Variance]) -> bool:
    """True if a variance is an estimate, and what is planned by it allows for that."""
    return any(design.upper_df for design in designs) and not request.published


def _is_planned(row: Row) -> bool:
    """False of a variance of 0, by which nothing is planned."""
    return not any(row[name] != row[name] for name in ("topics", *AMOUNTS) if name in row)


def _sentences(request: "Asked", measure: str, row: Row) -> Iterator[str]:
    """One sentence on each amount of a row, which has its tool unless both amounts are by their usual ones."""
    topics = f"{row['topics']} topics" + (f" in {row['clusters']} clusters" if "clusters" in row else "")
    of_pairs = {
        MEDIAN: "in half of the pairs of these runs", WORST: "in nine of ten pairs of these runs",
        "pair": "between these two runs",
    }.get(str(row.get("kind")), "between two systems")  # fmt: skip
    for amount, formulas in FORMULAS.items():
        if amount not in row:
            continue
        formula, number = formulas[cast("Tool", row.get("tool", next(iter(formulas))))], cast("float", row[amount])
        is_worst = (amount, formula) == ("width", "anova") and _settings(request).stands_in
        name = "ci" if formula == "ci" else "nothing" if number == math.inf else "worst" if is_worst else "found"
        yield say(
            f"wcw.{name}", topics=topics, measure=measure, amount=number, systems=request.systems,
            confidence=100 * (1 - request.alpha), often=f"{100 * request.power:.4g}%",
            test="a paired t test" if formula == "t" else f"an ANOVA of {request.systems} systems",
            pairs="between best and worst" if (formula, name) == ("anova", "found") else of_pairs,
        )  # fmt: skip
