"""Several collections: those that are listed, or those that tables of scores name; their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import first_few, unknown
from irci.base.records import Record
from irci.comparison.by_collection import report_of_collections
from irci.comparison.reading import by_base, named_in, signature_of
from irci.comparison.request import Request, refuse_counts
from irci.comparison.sources.collections import all_collections, one_collection, rows_of
from irci.comparison.study import compared
from irci.comparison.survival import in_populations_asked, read_with, with_claims
from irci.data.collection_files import CollectionFiles, refuse_one
from irci.data.experiment import Experiment, NoSuchGrade, files_of
from irci.data.inputs import Inputs
from irci.data.notices import Together, warn_of_few_groups, warn_of_topics
from irci.data.score_tables import chosen_scores, completed, read_tables, score_files, standardised_if_asked
from irci.data.scores import Scores, ends_of_scales, renamed
from irci.estimators.joint_resamples import POOLED
from irci.measures import MAP, Measure
from irci.output.report import Report
from irci.wording import notify

USELESS = 2  # collections
FEWEST_PREDICTING = 3  # collections: t has two degrees of freedom less
FEW_TOPICS = 20  # for Q, which takes the variances for known: with 6 collections of 8 it errs in 13% where it says 5%


def over_collections(
    request: Request, inputs: Inputs, collections: Sequence[CollectionFiles] | Sequence[Scores] | None
) -> Report:
    """Means and differences of runs over several collections: those listed, or those of the tables that were read, or are."""
    if collections is None:
        collections = _tables_of_several(request, inputs)
    read = read_collections(inputs, collections, request.measures)
    _check_prediction(request, len(read.tables))
    runs = _in_all(read.tables)
    _check_baseline(request, read.tables, runs)
    _warn(request, read.tables, runs)
    if request.has_pairs:
        _warn_of_heterogeneity(read.tables, runs)
    reading = read_with(request, inputs) if request.survives else request
    everything = all_collections(reading, read.tables, read.measures, runs)
    values = [table.values for table in read.tables]
    ends = {} if request.interval == "t" else ends_of_scales(read.measures, values, request.range, inputs.standardise)
    everything = everything._replace(ends=ends)
    of_each = [one_collection(table, read.measures, ends) for table in read.tables]
    # One baseline in all collections, whichever run comes first there.
    request, signature = request.of_runs(everything.every_run), signature_of(inputs)
    printed = in_populations_asked(request, everything) if request.survives else everything
    whole = compared(request, printed, inputs.threads, inputs.progress, inputs.standardise)
    report = report_of_collections(request, whole, of_each, signature, inputs.threads)
    if request.survives:
        report = with_claims(report, whole, everything, inputs)
    return report._replace(files=read.files)


def _tables_of_several(request: Request, inputs: Inputs) -> Sequence[Scores]:
    tables = read_tables(inputs, [measure.base for measure in request.measures])
    if len(tables) == 1:
        raise UsageError("--population collections is for several collections: these are scores of one.")
    refuse_one([str(table.collection) for table in tables], ", ".join(inputs.files))
    return tables


def _check_prediction(request: Request, number: int) -> None:
    """Refuse limits for one more collection where these are not asked about, or too few."""
    if request.interval != "prediction":
        return
    if request.population is not None and "collections" not in request.population:
        raise UsageError("--interval prediction is for one more collection: needs --population collections.")
    if number < FEWEST_PREDICTING:
        raise DataError(f"--interval prediction needs {FEWEST_PREDICTING} collections or more, not {number}")


def _in_all(tables: Sequence[Scores]) -> list[str]:
    """The runs that all collections have; a warning names the others. Raises DataError if there are none."""
    lacks: dict[str, list[str]] = {}
    of_table = [(table, _every_run(table)) for table in tables]
    for run in dict.fromkeys(run for _, runs in of_table for run in runs):
        lacks[run] = [str(table.collection) for table, runs in of_table if run not in runs]
    complete = [run for run, collections in lacks.items() if not collections]
    if not complete:
        raise DataError(
            "no run is in all collections: runs need the same name in each (--names file takes that of the file)"
        )
    for collections in dict.fromkeys(tuple(lacked) for lacked in lacks.values() if lacked):
        runs_lacking = [run for run, lacked in lacks.items() if tuple(lacked) == collections]
        warn_of_topics(", ".join(collections), "not there, left out of means over collections", runs_lacking, "run")
    return [run for run in complete if all(run in table.runs for table in tables)]


def _every_run(table: Scores) -> Sequence[str]:
    """The runs of a table, with those that are missing."""
    return table.runs if table.lacking is None else table.lacking.order


def _check_baseline(request: Request, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    """Refuse a baseline that some collection lacks, as one may be that is pooled over other runs there than elsewhere."""
    everywhere = list(dict.fromkeys(run for table in tables for run in _every_run(table)))
    for baseline in request.baseline:
        lacking = [str(table.collection) for table in tables if baseline not in _every_run(table)]
        if not lacking:
            continue
        if baseline in POOLED:
            if len(everywhere) > len(runs):
                raise DataError(
                    f"--baseline {baseline}: would be that of other runs in some collections: leave out incomplete runs"
                )
        elif baseline in everywhere:
            raise DataError(f"--baseline {baseline}: not in {first_few(lacking)}")
        else:
            raise DataError(unknown("run", baseline, everywhere))


def _warn_of_few(number: int) -> None:
    wide = "wide, and assume that collections are alike (--population topics: limits for these collections)"
    wide = "so wide that they say next to nothing" if number <= USELESS else wide
    warn_of_few_groups(number, "collection", f"limits over collections are {wide}")


def _warn(request: Request, tables: Sequence[Scores], runs: Sequence[str]) -> None:
    if "collections" in (request.population or ("collections",)):
        _warn_of_few(len(tables))
    single = [str(table.collection) for table in tables if _fewest(table, runs) == 1]
    if single:
        why = "one topic, whose variance cannot be estimated"
        notify("lacking", measure=first_few(single), what="limits over the topics of all collections", who="", why=why)


def _warn_of_heterogeneity(tables: Sequence[Scores], runs: Sequence[str]) -> None:
    few = [str(table.collection) for table in tables if 1 < _fewest(table, runs) < FEW_TOPICS]
    if few:
        warn_of_topics("Q_p", f"with fewer than {FEW_TOPICS} topics, where Q_p is too small", few, "collection")


def _fewest(table: Scores, runs: Sequence[str]) -> int:
    scored = [(~np.isnan(rows_of(table, name, runs))).sum(axis=1) for name in table.values]
    return int(np.min(scored, initial=len(table.topics)))


class Collections(Record):
    """Scores of the measures' bases, a table a collection; the measures, and files to save."""

    tables: list[Scores]
    measures: list[Measure]
    files: dict[str, str]


def read_collections(
    inputs: Inputs, collections: Sequence[CollectionFiles] | Sequence[Scores], measures: Sequence[Measure]
) -> Collections:
    """Read the runs of each collection and score them, or the scores of each, unless they were read."""
    refuse_counts(measures)
    if inputs.scores:
        bases = [measure.base for measure in measures]
        tables = [
            collection if isinstance(collection, Scores) else _read(inputs, collection, bases)
            for collection in collections
        ]
        tables = [_completed(chosen_scores(inputs, table, bases, complete=False), inputs) for table in renamed(tables)]
        requested = list(measures) or named_in(tables[0])
        _refuse_different(tables)
    else:
        requested = list(measures) or [MAP]
        with Together() as together:
            tables = _score_each(
                inputs,
                [collection for collection in collections if isinstance(collection, CollectionFiles)],
                requested,
                together,
            )
    saved = files_of(inputs, *tables)
    tables = standardised_if_asked(tables, inputs)
    return Collections(tables, requested if inputs.standardise is None else named_in(tables[0]), saved)


def _read(inputs: Inputs, listed: CollectionFiles, bases: Sequence[Measure]) -> Scores:
    table = score_files(inputs._replace(files=listed.files), bases, complete=False)
    return table._replace(collection=listed.name)


def _score_each(
    inputs: Inputs, listed: Sequence[CollectionFiles], measures: Sequence[Measure], together: Together
) -> list[Scores]:
    # A collection without a grade as high as -l is scored if another one has it.
    score_tables: list[Scores | None] = []
    refused = None
    for files in listed:
        together.of(files.name, files.files)
        try:
            score_tables.append(_score(inputs, files, measures))
        except NoSuchGrade as error:
            score_tables.append(None)
            refused = error
    if refused is not None and not any(score_tables):
        raise refused
    beside = inputs._replace(level_elsewhere=True)
    for index, files in enumerate(listed):
        together.of(files.name, files.files)
        score_tables[index] = score_tables[index] or _score(beside, files, measures)
    return [table for table in score_tables if table is not None]


def _score(inputs: Inputs, listed: CollectionFiles, measures: Sequence[Measure]) -> Scores:
    bases = [variants[0].base for variants in by_base(measures)]
    experiment = Experiment(
        inputs._replace(files=listed.files, prefix=listed.prefix, save_scores=None), bases, with_intervals=False
    )
    return experiment.scores(bases)._replace(collection=listed.name)


def _completed(table: Scores, inputs: Inputs) -> Scores:
    """Missing scores as --missing says; a run that has no score at all of a measure is none of the collection's."""
    has_scores = np.asarray(~np.isnan(list(table.values.values())).all(axis=2).any(axis=0))
    runs = [run for run, is_there in zip(table.runs, has_scores.tolist(), strict=True) if is_there]
    values = {name: of_measure[has_scores] for name, of_measure in table.values.items()}
    if not runs:
        raise DataError(f"{table.collection}: no run has scores of {', '.join(values)}")
    return completed(table._replace(runs=runs, values=values), inputs)


def _refuse_different(tables: Sequence[Scores]) -> None:
    names = list(dict.fromkeys(name for table in tables for name in table.values))
    for table in tables:
        lacking = [name for name in names if name not in table.values]
        if lacking:
            raise DataError(f"{table.collection}: no scores of {', '.join(lacking)}; choose measures of all by -m")
