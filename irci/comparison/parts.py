"""Reports by different measures as one."""

from collections.abc import Sequence
from itertools import chain

from irci.measures import Measure, named
from irci.output.report import Report
from irci.output.tables import Table


def measures_named(names: Sequence[str], asked: Sequence[Measure]) -> list[Measure]:
    """The measures of base measures of these names: those asked for, or where none are these themselves."""
    return [measure for measure in asked if measure.base.name in names] or [named(name) for name in names]


def joined(reports: Sequence[Report]) -> Report:
    """Reports by different measures as one: tables of a kind one after another, and what is said, once."""
    first = reports[0]
    kinds = dict.fromkeys(table.kind for report in reports for table in report.tables)
    signature = {
        name: cell
        for name, cell in first.signature.items()
        if all(report.signature.get(name) == cell for report in reports)
    }
    measures = " ".join(str(report.signature["measures"]) for report in reports)

    def of_kinds(tables: Sequence[Sequence[Table]]) -> list[Table]:
        return [table for kind in kinds for of_report in tables for table in of_report if table.kind == kind]

    return first._replace(
        tables=of_kinds([report.tables for report in reports]),
        signature={"command": first.signature["command"], "measures": measures, **signature},
        explain=lambda: dict.fromkeys(chain.from_iterable(report.sentences for report in reports)),
        conclude=lambda: dict.fromkeys(chain.from_iterable(report.conclusion for report in reports)),
        failures=[failure for report in reports for failure in report.failures],
        untold=[pair for report in reports for pair in report.untold],
        drawn=lambda: of_kinds([report.pictures for report in reports]),
        caption=None,
        sources={name: source for report in reports for name, source in report.sources.items()},
    )
