"""A case for each use of a command: the report of what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irci.base import UsageError, logger, path_and_level
from irci.base.choices import BOTH, DOCUMENTS, FOR_READING, JUDGMENTS
from irci.options.commands import STRUCTURED
from irci.options.rows import ask, check, check_outputs, options_of
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
    from irci.data import keep_none, kept
    from irci.output.report import arranged

    if not asked.has_receipts:
        keep_none()
    report = _report(asked)
    # A command without such tables has no such options.
    tables = arranged(chosen_tables(asked, report.tables), asked.sort)
    signature = {"irci": irci.__version__, **report.signature}
    signature["command"] = str(signature["command"]).replace(asked.command.name, asked.command.typed, 1)
    if (receipts := kept()) is not None:
        import numpy as np
        import scipy

        # What the last digits of a result rest on.
        computed_with = f"{kind_of_processor()}, numpy {np.__version__}, scipy {scipy.__version__}"
        signature |= {"line": asked.line or None, "computed_with": computed_with, **receipts.signature()}
    return report._replace(tables=tables, signature=signature, drawn=lambda: report.pictures)


def _report(asked: Asked) -> Report:
    """The report of a use of a command; what makes others is not imported."""
    match asked.command.name, asked.use.name:
        case "ap-ci", "judgments":  # bounds of each topic's scores over the grades of unjudged documents
            values = {name: getattr(asked, name) for name in options_of("map-ci") if name in asked.options}
            of_means = ask("map-ci", {**values, "population": (JUDGMENTS,), "per_topic": True}, asked.memory)
            report = compare(of_means, inputs(asked))
            return report._replace(drawn=None, signature={**report.signature, "command": "ap-ci"})
        case "ap-ci" | "map-ci", "validate":
            from irci.studies.ap_ci import validation

            return validation(asked, inputs(asked))
        case "ap-ci", _:
            from irci.studies.ap_ci import ap_ci

            return ap_ci(asked, inputs(asked))
        case "map-ci", _:
            return _map_ci(asked)
        case "partition-anova", _:
            return _partition_anova(asked)
        case "stdap-ci", "published":
            from irci.studies.stdap_ci import summaries_compared

            return summaries_compared(asked.summaries, asked.confidence)
        case "stdap-ci", _:
            from irci.studies.stdap_ci import stdap_ci

            return stdap_ci(asked, inputs(asked, standardise=None))
        case "swap-error", _:
            return _swap_error(asked)
        case "wcw", _:
            return _wcw(asked)
        case _:
            from irci.studies.judges import compare_judges

            return compare_judges(asked, inputs(asked), with_runs=asked.use.name == "runs")


def chosen_tables(asked: Asked, tables: Sequence[Table]) -> Sequence[Table]:
    """Those asked for; all, if none was asked for. A warning tells of a kind that has no rows; UsageError if none has."""
    if not (asked.tables and tables):  # a plan that is saved has none
        return tables
    from irci.output.tables import printed_name

    made = {table.kind: printed_name(table.kind) for table in tables}
    lacking = [printed_name(kind) for kind in dict.fromkeys(asked.tables) if kind not in made]
    printed = [table for table in tables if table.kind in asked.tables]
    if not printed:
        raise UsageError(f"--table {', '.join(lacking)}: this call makes {', '.join(made.values())} alone.")
    for name in lacking:
        notify("lacking", measure=f"--table {name}", what="rows", who="", why="this call makes none")
    return printed


def inputs(asked: Asked, **settings: Any) -> Inputs:
    """The files, and what of them is used; raises UsageError if one is an output too."""
    from irci.data.inputs import Inputs

    paths_and_levels = [
        path_and_level(path, asked.memory) for path in settings.pop("other_qrels", asked.other_qrels or ())
    ]
    levels = {path: level for path, level in paths_and_levels if level is not None}
    if asked.scores and levels:
        raise UsageError("scores are read that are already computed: leave out the level behind the file of scores.")
    files_and_settings = asked.record(
        Inputs, memory=asked.memory, other_qrels=tuple(path for path, _ in paths_and_levels), levels=levels,
        baseline_first=asked.is_with_first, by_intent=_is_by_intent(asked),
        fractions=asked.are_means_over_topics, **settings,
    )  # fmt: skip
    paths = files_and_settings.paths()
    if asked.compare and not asked.scores:  # the file of the baseline, one of runs/*, once, unless there is no other
        from irci.data.inputs import is_same_file

        other_runs = [path for path in paths[2:] if not is_same_file(path, paths[1])]
        paths = [*paths[:2], *other_runs] if other_runs else paths
    check_outputs(asked, paths)
    return files_and_settings._replace(files=tuple(paths))


def _is_by_intent(asked: Asked) -> bool:
    """True if measures read qrels by intent. Raises UsageError for measures or options that do not."""
    measures = asked.measures or ()
    by_intent = [measure.name for measure in measures if measure.family.by_intent]
    if asked.scores or not by_intent:
        return False
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
    return True


def _map_ci(asked: Asked) -> Report:
    """Means, pairs and ranks, whatever varies."""
    if asked.save_plan is not None:
        from irci.comparison.looks import plan_of

        return plan_of(asked, inputs(asked))
    collections = asked.collections
    if collections is not None:
        from irci.data.collection_files import read_collection_list, refuse_one

        if isinstance(collections, dict):  # from Python
            refuse_one(list(collections), "collections")
        else:
            collections = read_collection_list(collections, scores=asked.scores)
        check_outputs(asked, [file for files in collections.values() for file in files])
    request = asked.replaced(collections=collections, adjusted_limits=asked.output_format not in FOR_READING)
    judge = () if asked.judge is None else (asked.judge,)
    return compare(request, inputs(asked, other_qrels=(*judge, *asked.other_qrels)))


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
        from irci.comparison.reading import refuse_rankings

        refuse_rankings(request.population or ())
    if not inputs.scores:
        return _compare(request, inputs)
    from irci.data.experiment import files_of
    from irci.data.score_tables import measures_apart, named_in
    from irci.output.report import joined

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
        reports.append(_compare(request.replaced(measures=of_group), inputs._replace(score_tables=tables)))
    return joined(reports)._replace(files=files_of(inputs, *inputs.score_tables))


def _with_tables(request: Asked, inputs: Inputs) -> Inputs:
    """With the tables of scores of the topics and measures asked for: of the collections that are listed, or those named in
    the files, if the request may be about several, or else of one."""
    from irci.data.collection_files import refuse_one
    from irci.data.score_tables import chosen_of_collections, read_tables

    bases = list({measure.base.name: measure.base for measure in request.measures}.values())
    if request.collections is not None:
        by_name = {name: inputs._replace(files=files) for name, files in request.collections.items()}
        tables = [
            table._replace(collection=name) for name, of in by_name.items() for table in read_tables(of, bases, False)
        ]
    else:
        is_asked = "collections" in (request.population or ())
        tables = read_tables(inputs, bases, is_asked or request.use.name == "means")
        if is_asked and len(tables) == 1:
            raise UsageError("--population collections is for several collections: these are scores of one.")
        if len(tables) > 1:
            check(request, "collections")
            refuse_one([str(table.collection) for table in tables], ", ".join(inputs.files))
    return inputs._replace(score_tables=chosen_of_collections(inputs, tables, bases))


def _compare(request: Asked, inputs: Inputs) -> Report:
    from irci.comparison import reading
    from irci.comparison.study import compared, report_of

    option = next((name for name in STRUCTURED if getattr(request, name) is not None), None)
    if option == "collections" or len(inputs.score_tables) > 1:
        from irci.comparison.parts import over_collections

        return over_collections(request, inputs)
    if option == "slices":
        from irci.comparison.parts import in_slices

        return in_slices(request, inputs)
    if option is not None:
        from irci.comparison.sources.grouped import READERS

        scored = READERS[option](request, inputs)
    elif request.looks is not None:
        from irci.comparison.looks import at_a_look

        return at_a_look(request, inputs)
    else:
        scored = reading.on_topics(request, inputs)
    if request.survives:
        from irci.comparison.survival import with_survival

        return with_survival(request, scored, inputs)
    return report_of(compared(request, scored, inputs), reading.signature_of(inputs))


def _partition_anova(asked: Asked) -> Report:
    """The analysis, with the defaults that go with what is asked."""
    from irci.studies.partition_anova import PUBLISHED_TESTS, partition_anova

    defaults: dict[str, Any] = {"model": "nested" if asked.use.name == "versions" else "interaction"}
    if asked.published:
        defaults["tests"] = PUBLISHED_TESTS
    defaults = {name: value for name, value in defaults.items() if not asked.has(name)}
    levels = asked.confidence
    alphas = tuple(round(1 - level, 12) for level in levels)
    return partition_anova(asked.replaced(confidence=levels[0], alphas=alphas, **defaults), inputs(asked))


def _swap_error(asked: Asked) -> Report:
    """A procedure, or counts made elsewhere."""
    from irci.studies.swap_error import rates_of_file, swap_error

    path, *runs = asked.files
    if not (runs or asked.scores or path in asked.memory):
        from irci.data.inputs import ONLY_QRELS
        from irci.data.rules import read_counts

        if (counts := read_counts(path)) is not None:
            check(asked, "counts")
            return rates_of_file(asked, path, counts)
        raise UsageError(ONLY_QRELS.format(path))
    return swap_error(asked, inputs(asked))


def _wcw(asked: Asked) -> Report:
    """Widths and numbers of topics; or topics that people must judge beside a judge, by files of both or R:M."""
    if asked.use.name in ("judge", "correlation"):
        from irci.studies.wcw_variances import human_topics

        return human_topics(asked, *([inputs(asked, other_qrels=(asked.judge,))] if asked.files else []))
    from irci.studies.wcw import noncentralities, wcw

    if asked.use.name == "noncentrality":
        return noncentralities(asked)
    if asked.variances:
        return wcw(asked, [])
    from irci.studies.wcw_variances import variances_of

    read = inputs(asked)
    return wcw(asked, *variances_of(asked, read), read)
