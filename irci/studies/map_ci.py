"""map-ci and compare: how precise is a mean, is one run better than another, and which may be the best?"""

from __future__ import annotations

from irci.base import UsageError, logger
from irci.base.choices import FOR_READING, JUDGMENTS
from irci.comparison import reading
from irci.comparison.looks import at_a_look, plan_of
from irci.comparison.study import compared, report_of
from irci.comparison.survival import with_survival
from irci.data.collection_files import read_collection_list, refuse_one
from irci.data.experiment import files_of
from irci.data.inputs import Inputs
from irci.data.score_tables import chosen_of_collections, measures_apart, named_in, read_tables
from irci.options.asked import Asked
from irci.options.commands import STRUCTURED
from irci.options.rows import ask, check, check_outputs, options_of
from irci.output.report import Report, joined


def map_ci(request: Asked, inputs: Inputs) -> Report:
    """Report of means, pairs and ranks, whatever varies; or the plan of these."""
    if request.save_plan is not None:
        return plan_of(request, inputs)
    collections = request.collections
    if collections is not None:
        if isinstance(collections, dict):  # from Python
            refuse_one(list(collections), "collections")
        else:
            collections = read_collection_list(collections, scores=request.scores)
        check_outputs(request, [file for files in collections.values() for file in files])
    adjusted_limits = request.output_format not in FOR_READING
    return compare(request.replaced(collections=collections, adjusted_limits=adjusted_limits), inputs)


def bounds_of_topics(request: Asked, inputs: Inputs) -> Report:
    """Report of ap-ci's bounds of each topic's scores over the grades of unjudged documents."""
    values = {name: getattr(request, name) for name in options_of("map-ci") if name in request.options}
    report = compare(ask("map-ci", {**values, "population": (JUDGMENTS,), "per_topic": True}, request.memory), inputs)
    return report._replace(drawn=None, signature={**report.signature, "command": "ap-ci"})


def compare(request: Asked, inputs: Inputs) -> Report:
    """How precise is a mean, is one run better than another, and which may be the best?

    A run that is missing by some measures of files of scores is missing by these alone: they are then compared apart.
    """
    if request.judge is not None and not request.survives:
        from irci.comparison.sources.people import with_judge

        return with_judge(request, inputs)
    if counts := [measure.name for measure in request.measures if measure.is_count]:
        raise UsageError(f"{', '.join(counts)}: a count is not averaged over topics: choose other measures.")
    if inputs.has_only_scores:
        reading.refuse_rankings(request.population or ())
    if not inputs.scores:
        return _compare(request, inputs)
    inputs = _with_tables(request, inputs)
    is_by_measure = inputs.missing == "auto" and request.family != "joint" and request.versions is None
    groups = measures_apart(inputs) if is_by_measure else []
    if len(groups) < 2:
        return _compare(request, inputs)
    averaged = request.measures or named_in(inputs.score_tables[0].values)
    measures = [[measure for measure in averaged if measure.base.name in names] for names in groups]
    named_so = " and ".join(", ".join(measure.name for measure in of_group) for of_group in measures)
    logger.info(f"other runs are missing by {named_so}: these are compared apart")
    reports = []
    for names, of_group in zip(groups, measures, strict=True):
        tables = [table._replace(values={name: table.values[name] for name in names}) for table in inputs.score_tables]
        reports.append(_compare(request.replaced(measures=of_group), inputs.replaced(score_tables=tables)))
    return joined(reports)._replace(files=files_of(inputs, *inputs.score_tables))


def _with_tables(request: Asked, inputs: Inputs) -> Inputs:
    """With the tables of scores of the topics and measures asked for: of the collections that are listed, or those named in
    the files, if the request may be about several, or else of one."""
    bases = list({measure.base.name: measure.base for measure in request.measures}.values())
    if request.collections is not None:
        tables = [
            table._replace(collection=name)
            for name, files in request.collections.items()
            for table in read_tables(inputs.replaced(files=files), bases, False)
        ]
    else:
        is_asked = "collections" in (request.population or ())
        tables = read_tables(inputs, bases, is_asked or request.use.name == "means")
        if is_asked and len(tables) == 1:
            raise UsageError("--population collections is for several collections: these are scores of one.")
        if len(tables) > 1:
            check(request, "collections")
            refuse_one([str(table.collection) for table in tables], ", ".join(inputs.files))
    return inputs.replaced(score_tables=chosen_of_collections(inputs, tables, bases))


def _compare(request: Asked, inputs: Inputs) -> Report:
    option = next((name for name in STRUCTURED if getattr(request, name) is not None), None)
    is_of_collections = option == "collections" or len(inputs.score_tables) > 1
    if is_of_collections or option == "slices":
        from irci.comparison.parts import in_slices, over_collections

        return (over_collections if is_of_collections else in_slices)(request, inputs)
    if option is not None:
        from irci.comparison.sources.grouped import READERS

        scored = READERS[option](request, inputs)
    elif request.looks is not None:
        return at_a_look(request, inputs)
    else:
        scored = reading.on_topics(request, inputs)
    if request.survives:
        return with_survival(request, scored, inputs)
    return report_of(compared(request, scored, inputs), reading.signature_of(inputs))
