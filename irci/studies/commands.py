"""A case for each use of a command: the report of what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irci.base import UsageError, path_and_level
from irci.base.choices import BOTH, DOCUMENTS, HAVE_RECEIPTS, JUDGMENTS
from irci.options.rows import check_outputs
from irci.system import kind_of_processor
from irci.wording import notify

if TYPE_CHECKING:
    from irci.data.inputs import Inputs
    from irci.options.asked import Asked
    from irci.output.report import Report
    from irci.output.tables import Table


def answered(asked: Asked) -> Report:
    """The report of a command, signed by this version, its tables chosen and their rows arranged as asked for."""
    import irci
    from irci.data import receipts
    from irci.output.report import arranged

    if asked.output_format not in HAVE_RECEIPTS:  # which say of which files a result is, and how it was asked for
        receipts.set(None)
    report = _report(asked)
    # A command without such tables has no such options.
    tables = arranged(chosen_tables(asked, report.tables), asked.sort)
    signature = {"irci": irci.__version__, **report.signature}
    signature["command"] = str(signature["command"]).replace(asked.command.name, asked.command.typed, 1)
    if (kept := receipts.get()) is not None:
        import numpy as np
        import scipy

        # What the last digits of a result rest on.
        computed_with = f"{kind_of_processor()}, numpy {np.__version__}, scipy {scipy.__version__}"
        signature |= {"line": asked.line or None, "computed_with": computed_with, **kept.signature()}
    return report._replace(tables=tables, signature=signature, drawn=lambda: report.pictures)


def _report(asked: Asked) -> Report:
    """The report of a use of a command; what makes others is not imported."""
    match asked.command.name, asked.use.name:
        case "stdap-ci", "published":
            from irci.studies.stdap_ci import summaries_compared

            return summaries_compared(asked.summaries, asked.confidence)
        case "wcw", "noncentrality":
            from irci.studies.wcw import noncentralities

            return noncentralities(asked)
        case "wcw", "variances":
            from irci.studies.wcw import wcw

            return wcw(asked, [])
        case "wcw", "judge" | "correlation":
            from irci.studies.wcw_variances import human_topics

            return human_topics(asked, inputs(asked) if asked.files else None)
        case "wcw", _:
            from irci.studies.wcw_variances import planned_from as study
        case "ap-ci", "judgments":
            from irci.studies.map_ci import bounds_of_topics as study
        case "ap-ci" | "map-ci", "validate":
            from irci.studies.ap_ci import validation as study
        case "ap-ci", _:
            from irci.studies.ap_ci import ap_ci as study
        case "map-ci", _:
            from irci.studies.map_ci import map_ci as study
        case "partition-anova", _:
            from irci.studies.partition_anova import partition_anova as study
        case "stdap-ci", _:
            from irci.studies.stdap_ci import stdap_ci as study
        case "swap-error", _:
            from irci.studies.swap_error import swap_error as study
        case _:
            from irci.studies.judges import compare_judges as study
    return study(asked, inputs(asked))


def chosen_tables(asked: Asked, tables: Sequence[Table]) -> Sequence[Table]:
    """Those asked for; all, if none was asked for. A warning tells of a kind that has no rows; UsageError if none has."""
    if not (asked.tables and tables):  # a plan that is saved has none
        return tables
    from irci.output.tables import printed_name

    made = {table.kind: printed_name(table.kind) for table in tables}
    lacking = [printed_name(kind) for kind in dict.fromkeys(asked.tables) if kind not in made]
    printed = [table for table in tables if table.kind in asked.tables]
    if not printed:
        raise UsageError(f"--table {', '.join(lacking)}: this call makes only {', '.join(made.values())}.")
    for name in lacking:
        notify("lacking", measure=f"--table {name}", what="rows", who="", why="this call makes none")
    return printed


def inputs(asked: Asked) -> Inputs:
    """The files, and what of them is used; raises UsageError if one is an output too."""
    from irci.data.inputs import Inputs

    judge = (asked.judge,) if isinstance(asked.judge, str) else ()  # its file, if not what it is worth
    paths_and_levels = [path_and_level(path, asked.memory) for path in (*judge, *(asked.other_qrels or ()))]
    levels = {path: level for path, level in paths_and_levels if level is not None}
    if asked.scores and levels:
        raise UsageError("scores are read that are already computed: leave out the level behind the file of scores.")
    _check_intents(asked)
    files_and_settings = Inputs(asked, other_qrels=tuple(path for path, _ in paths_and_levels), levels=levels)
    paths = files_and_settings.paths()
    if asked.compare and not asked.scores:  # the file of the baseline, one of runs/*, once, unless there is no other
        from irci.data.inputs import is_same_file

        other_runs = [path for path in paths[2:] if not is_same_file(path, paths[1])]
        paths = [*paths[:2], *other_runs] if other_runs else paths
    check_outputs(asked, paths)
    return files_and_settings.replaced(files=tuple(paths))


def _check_intents(asked: Asked) -> None:
    """Raise UsageError for measures or options that do not read qrels by intent, where a measure does."""
    measures = asked.measures or ()
    by_intent = [measure.name for measure in measures if measure.family.by_intent]
    if asked.scores or not by_intent:
        return
    if plain := [measure.name for measure in measures if not measure.family.by_intent]:
        raise UsageError(
            f"{by_intent[0]} reads the second column of QRELS as intents, {plain[0]} does not: ask for them separately."
        )
    if asked.command.name in ("ap-ci", "judges") or {DOCUMENTS, BOTH, JUDGMENTS} & {*asked.over} or asked.meta:
        raise UsageError(
            f"{by_intent[0]} is for means over topics, as of map-ci: no documents are resampled by intent, no labels compared."
        )
    for name in ("relevance_level", "max_grade"):
        if asked.has(name):
            raise UsageError(f"{asked.spelling(name)} has no effect on {by_intent[0]}: leave it out.")
