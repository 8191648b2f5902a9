"""What a command does with what is asked: one module a command, whose `report` makes settings and inputs of a Given."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irci.data.inputs import Inputs
    from irci.options.given import Given
    from irci.output.report import Report
    from irci.output.tables import Table

logger = logging.getLogger("irci")


def answered(given: Given) -> Report:
    """The report of a command, signed by this version, its tables chosen and their rows arranged as asked for."""
    import irci
    from irci.output.tables import arranged

    module = import_module(f"{__name__}.{given.command.name.replace('-', '_')}")
    report: Report = module.report(given)
    # A command without such tables has no such options.
    chosen = chosen_tables(given, report.tables)
    tables = arranged(chosen, given.option("sort"), with_width=bool(given.option("show_width")))
    signature = {"irci": irci.__version__, **report.signature}
    return replace(report, tables=tables, signature=signature, drawn=lambda: report.pictures)


def chosen_tables(given: Given, tables: Sequence[Table]) -> Sequence[Table]:
    """Those asked for; all, if none was asked for. A warning tells of a kind that has no rows."""
    kinds = given["tables"]
    if not kinds:
        return tables
    from irci.output.kinds import printed_name

    for kind in dict.fromkeys(kinds):
        if all(table.kind != kind for table in tables):
            logger.warning(f"--table {printed_name(kind)}: it has no rows here")
    return [table for table in tables if table.kind in kinds]


def inputs(given: Given, **others: Any) -> Inputs:
    """The files, and what of them is used; raises UsageError if one is an output too."""
    from irci.data.inputs import Inputs
    from irci.options.outputs import refuse_inputs
    from irci.system.standard_streams import progress_of

    found = given.record(Inputs, progress=progress_of(given["progress"]), memory=given.memory, **others)
    paths = found.paths()
    refuse_inputs(given, paths)
    return replace(found, files=tuple(paths), runs_from=None)
