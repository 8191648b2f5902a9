"""Sentences on the topics that a measure needs, and what so many of them assure."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from irci.output.tables import Row, Table
from irci.studies.wcw.request import FORMULAS, SIZES, WORST, VarianceDesign, WcwRequest

if TYPE_CHECKING:
    from irci.base.choices import Tool

FEW_ROWS = 12  # of a table, which are told each
USUAL = SIZES[2]  # of several numbers of topics, the one that a conclusion tells of
SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic
PAIRS = {
    "median of pairs": "in half of the pairs of these runs", WORST: "in nine of ten pairs of these runs",
    "pair": "between these two runs",
}  # fmt: skip


def conclusions(request: WcwRequest, found: Sequence[Table]) -> Iterator[str]:
    """The answer for each measure: of what was asked for first, about nine of ten pairs where there are several."""
    concluded = set()
    for table in found:
        rows = [row for row in table.rows if row.get("purpose") != "median of pairs" and _says_something(row)]
        told = table.measure, table.kind, table.kind == "width" and "width" in table.columns
        if rows and told not in concluded and "variance" not in table.kind:
            row = next((row for row in rows if table.kind != "topics" and row["topics"] == USUAL), rows[0])
            concluded.add(told)
            yield from _sentences(row, table.measure, request)


def explanation(request: WcwRequest, designs: Sequence[VarianceDesign], found: Sequence[Table]) -> Iterator[str]:
    """Sentences on what is planned, of few rows each, and on what that rests on."""
    for table in found:
        for row in table.rows if len(table.rows) <= FEW_ROWS else ():
            if _says_something(row):
                yield from _sentences(row, table.measure, request)
    rows = [row for table in found for row in table.rows]
    has_differences = any("difference" in row for row in rows)
    if has_differences:
        yield f"Tests are two-sided, at level {request.alpha:g} (--alpha)."
    if any(design.upper is not None for design in designs):
        cautious = "the variance itself" if request.published else "the variance's upper 80% limit"
        yield f"Topics and differences are planned by {cautious}, widths by the variance itself."
        if has_differences:
            yield "Where the difference is an estimate too, it takes more: topics_needed of irci compare --power."
    of_anova = [row["topics"] for row in rows if "width" in row and row.get("tool", "anova") == "anova"]
    if any(isinstance(topics, int) and topics < SURROGATE_FROM for topics in of_anova):
        yield f"Below {SURROGATE_FROM} topics the ANOVA's width is too narrow, by 2 to 16% (--tool ci)."
    if any(design.in_clusters for design in designs):
        helps = any(design.correlation > 0 and design.size > 1 for design in designs)
        yield "Clusters are sampled" + (": more topics in each help less than more clusters." if helps else ".")
    if any(design.df_share < 1 for design in designs):
        yield "Sizes of clusters are taken to differ as they do here, which costs degrees of freedom."
    if "paired" in request.chosen_tools and any(design.pair for design in designs):
        yield "Pairs are planned for by the variance of their differences: runs on the same topics vary together."
    if set(request.chosen_tools) - {"paired"} or request.variances:
        yield "Widths by the tools anova and ci are the worst case: systems that vary alike and independently."
        if request.variances:
            yield "On the same topics systems vary together, so a paired comparison takes fewer: give QRELS and RUN..."


def _says_something(row: Row) -> bool:
    """False of a variance of 0, of which the warning speaks: by it nothing is planned."""
    return not any(row[name] != row[name] for name in ("topics", "width", "difference") if name in row)


def _sentences(row: Row, measure: str, request: WcwRequest) -> Iterator[str]:
    """One sentence on each amount of a row, which has its tool unless both amounts are by their usual ones."""
    for amount, tools in FORMULAS.items():
        if amount in row:
            tool = cast("Tool", row.get("tool", next(iter(tools))))
            yield _sentence(row, measure, request, tools[tool], cast("float", row[amount]))


def _sentence(row: Row, measure: str, request: WcwRequest, formula: str, amount: float) -> str:
    with_topics = f"With {row['topics']} topics" + (f" in {row['clusters']} clusters" if "clusters" in row else "")
    often = f"{100 * request.power:.4g}% of the time"
    of_pairs = PAIRS.get(str(row.get("purpose")), "between two systems")
    test = "a paired t test" if formula == "t" else f"an ANOVA of {request.systems} systems"
    if amount == math.inf and formula != "ci":
        return f"{with_topics}, {test} finds no true difference in {measure}, however large, {often} {of_pairs}."
    if formula == "ci":
        return f"{with_topics}, the interval of a difference in {measure} {of_pairs} is {amount:.4f} wide on average."
    if formula == "anova":
        of_pairs = "between best and worst"
    return f"{with_topics}, {test} finds a true difference of {amount:.4f} in {measure} {of_pairs} {often}."
