"""Sentences on the topics that a measure needs, and what so many of them assure."""

import math
from collections.abc import Iterator, Sequence

from irci.output.tables import Row, Table
from irci.studies.wcw.request import FORMULAS, Amount, Design, WcwRequest

PLANS = ("width", "detectable", "topics", "power")
FOR = {
    "median-pair": " for at least half of the pairs of runs here", "worst-tenth": " for nine in ten pairs of runs here",
    "pair": " for the two runs here",
}  # fmt: skip


def explanation(request: WcwRequest, designs: Sequence[Design], found: Sequence[Table]) -> Iterator[str]:
    """Sentences on what is planned, of few rows each, and on what that rests on."""
    for table in found:
        few = table.kind in PLANS and len(table.rows) <= 12
        yield from (_sentence(row, table.measure, request) for row in table.rows if few and _says_something(row))
    if any("difference" in row for table in found if table.kind in PLANS for row in table.rows):
        yield f"Tests are two-sided, at level {request.alpha:g} (--alpha)."
    if any(design.upper is not None for design in designs):
        told = "Plans go by the variance's upper 80% limit, widths by the variance itself"
        of = "; where the difference is an estimate too, it takes more: topics_needed of map-ci --power"
        yield f"{told}{of * any('difference' in row for table in found for row in table.rows)}."
    yield from _of_designs(designs)
    if set(request.chosen_tools) <= {"paired"}:
        yield "Pairs are planned for by the variance of their differences here: runs on the same topics vary together."
    elif request.residual:
        yield "The variance is what topics and systems leave: what systems have in common on a topic is out of it already."
        yield "It is taken to be alike and independent; a pair of systems less alike than most takes more topics."
    else:
        of_files = "give QRELS and RUN... (or --scores)" if request.variances else "use --tool paired"
        yield (
            "Systems are taken to vary alike and independently, the worst case; on the same topics they vary together, so a"
            f" paired comparison takes fewer topics: to plan for pairs, {of_files}."
        )


def _says_something(row: Row) -> bool:
    """False of a variance of 0, of which the warning speaks: by it nothing is planned."""
    planned = (row[name] for name in ("topics", "width", "difference", "power") if name in row)
    return not any(each != each for each in planned)


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
    of: Amount = "difference" if "difference" in row else "width"
    chance = float(row["power"] or 0) if "power" in row else 1 - request.beta
    often, pairs = f"{100 * chance:.4g}% of the time", FOR.get(str(row["purpose"]), "")
    found = f"finds a true difference of {row[of]:.4f} in {measure}"
    of_two, between_two = ("", "") if pairs else (" of two systems", " between two systems")
    formula = FORMULAS[of][row["tool"]]  # type: ignore[index]
    tests = {"anova": f"an ANOVA of {request.systems} systems", "t": "a paired t test", "ci": ""}[formula]
    units = next((f" in {row[word]} {word}" for word in ("clusters", "collections") if word in row), "")
    if row[of] == math.inf:
        return (
            f"With {row['topics']} topics{units}, no true difference in {measure}, however large, is found {often} by"
            f" {tests}{pairs}."
        )
    what = {
        "ci": f"the interval of a difference{of_two} in {measure} is at most {row[of]:.4f} wide on average",
        "anova": f"{tests} {found} between best and worst {often}",
        "t": f"{tests} {found}{between_two} {often}",
    }[formula]
    looks = (
        f", in looks at {str(row['at']).replace(',', ', ')} topics, of which {row['expected']:.0f} are judged on average"
        if "at" in row
        else ""
    )
    return f"With {row['topics']} topics{units}{looks}, {what}{pairs}."
