"""A plan: what will be tested, how many topics that takes by what other topics say, and the order in which they are judged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import irci
from irci.base.errors import DataError, UsageError
from irci.base.names import plural
from irci.base.records import Record
from irci.data.inputs import read_topics
from irci.data.plans import Asked, as_toml, in_order
from irci.data.receipts import BYTES, JUDGMENTS
from irci.output.tables import Row
from irci.stats.looks import looks_at
from irci.stats.tests import least_of_signs
from irci.studies.compare.looks import check_looks

if TYPE_CHECKING:
    from irci.output.report import Report

COMMENT = """irci {}: what will be tested, written before it is. irci compare --plan FILE takes it from here.
A changed plan is another one; and no line of it may rest on scores of topics that are still to be tested."""
POWER = 0.8


class PlanRequest(Record):
    """The test, by the words of options of compare; the numbers of topics at its `looks`, if it has any; `number` of topics,
    if it is given; the `difference` to be seen; which `topics` may be judged, and the `seed` of their order; `alpha`: the
    level, of all looks together."""

    asked: Asked
    looks: Sequence[int] = ()
    number: int | None = None
    difference: float | None = None
    topics: str | None = None
    seed: int = 1
    alpha: float = 0.05


class Planned(NamedTuple):
    """The text of a plan, and what there is to say of it."""

    text: str
    sentences: list[str]


def planned(request: PlanRequest, pilot: Report | None) -> Planned:
    """The plan of a test; `pilot`: what other topics tell of how many a difference takes. Raises UsageError without a number
    of topics, DataError where fewer topics may be judged."""
    needed = (
        [] if pilot is None else [row | {"table": table.name} for table in pilot.tables for row in _needed(table.rows)]
    )
    number = _number(request, needed)
    topics: dict[str, Any] = {"number": number}
    if request.topics is not None:
        order = in_order(read_topics(request.topics), request.seed)
        if len(order) < number:
            raise DataError(f"{plural(number, 'topic')} planned, of {len(order)} that may be judged: {request.topics}")
        topics |= {"seed": request.seed, "order": order}
    sections: dict[str, Mapping[str, Any]] = {"compare": request.asked, "topics": topics}
    sentences = [f"{plural(number, 'topic')} planned.", *_of_looks(request)]
    if pilot is not None:
        sections["needed"] = {"difference": request.difference, "power": POWER} | {
            f"{row['table']} {row['purpose']}": {"topics": row["topics"]} for row in needed
        }
        files = {name: value for name, value in pilot.signature.items() if name.startswith((JUDGMENTS, BYTES))}
        sections["pilot"] = files
        sentences += pilot.conclusion
    return Planned(as_toml(COMMENT.format(irci.__version__), sections), sentences)


def _of_looks(request: PlanRequest) -> Iterator[str]:
    """Sentences on the p that stops at each look, on looks that can stop nothing, and on the order of topics they need."""
    if not request.looks:
        return
    sizes = tuple(sorted(request.looks))
    check_looks(sizes, request.alpha)
    levels = looks_at(sizes, request.alpha).level.tolist()
    listed = ", ".join(f"{level:.2g} at {size} topics" for size, level in zip(sizes, levels, strict=True))
    yield f"The p of one pair at or below which a look stops: {listed}; less for each of several pairs."
    for size, level in zip(sizes, levels, strict=True):
        if (least := float(least_of_signs(size))) > level:
            yield f"p over {size} topics is never below {least:.2g}: the look at them can stop nothing, a later one could."
    if request.topics is None:
        yield "Looks need topics that are judged in random order: with --topics the plan has one, which compare insists on."


def _needed(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(row) for row in rows if "topics" in row and "purpose" in row]


def _number(request: PlanRequest, needed: Sequence[Mapping[str, Any]]) -> int:
    # That which is given, or the last look, or what a difference takes of nine in ten pairs, if variances are at their upper
    # 80% limits, as plans go by (Browne 1995): those that were estimated are as often too small as too large.
    if request.looks:
        if request.number not in (None, max(request.looks)):
            raise UsageError("--looks ends with the number of topics: leave out --number.")
        return max(request.looks)
    if request.number is not None:
        return request.number
    found = [row["topics"] for row in needed]
    if not found:
        raise UsageError(
            "how many topics? Add --number N, --looks LIST, or --difference and QRELS and RUNs of other topics."
        )
    most = max(found)
    if not math.isfinite(most):
        raise DataError("no number of topics shows such a difference here: give --number")
    return int(most)
