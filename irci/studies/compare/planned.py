"""Planned parts of a report, by its plan, and exploratory ones."""

from collections.abc import Iterator, Sequence
from itertools import chain

from irci.base.choices import TOPICS
from irci.base.names import first_names
from irci.data.measures import named
from irci.data.plans import Plan
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Bounded, Row, Rows, Table

PLANNED, EXPLORATORY = "planned", "exploratory"
TESTED: tuple[Kind, ...] = ("difference", "look")


def marked(report: Report, plan: Plan) -> Report:
    """A report whose tests say whether they were planned; its signature has the plan's digest."""
    measures = [named(str(name)).canonical for name in plan.asked["measure"]]  # type: ignore[union-attr]
    tables = [_marked(table, measures) if table.kind in TESTED else table for table in report.tables]
    return report._replace(
        tables=tables,
        signature={**report.signature, "plan": plan.digest},
        explain=lambda: chain(report.sentences, _explained(plan, tables)),
        drawn=lambda: report.pictures,
    )


def _marked(table: Table, measures: Sequence[str]) -> Table:
    def row(place: int) -> Row:
        given = table.rows[place]
        found = {**given, "plan": PLANNED if is_planned(given) else EXPLORATORY}
        return Bounded(found) if isinstance(given, Bounded) else found

    def is_planned(row: Row) -> bool:
        return named(table.measure).canonical in measures and row.get("population", TOPICS) == TOPICS

    return Table(table.kind, table.measure, Rows(len(table.rows), row))


def _explained(plan: Plan, tables: Sequence[Table]) -> Iterator[str]:
    asked = "; ".join(f"{name} {_told(words)}" for name, words in plan.asked.items())
    yield f"Planned beforehand, in {plan.path} (SHA-256 {plan.digest[:12]}...): {asked}. Rows that say so are those tests."
    others = dict.fromkeys(table.name for table in tables if any(row.get("plan") == EXPLORATORY for row in table.rows))
    if others:
        yield f"Exploratory, as no plan names it: {first_names(list(others), 6)}. p there does not allow for having looked."


def _told(words: object) -> str:
    return ", ".join(map(str, words)) if isinstance(words, list) else "" if words is True else str(words)
