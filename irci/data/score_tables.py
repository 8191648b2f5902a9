"""Score tables: the scores of all runs, computed or read from files, with the topics and measures asked for, completed.

Where a column of score files names several collections, each has a table, of the same runs and measures.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from irci.base import (
    BORDA,
    DataError,
    FormatError,
    UsageError,
    first_few,
    first_names,
    logger,
    plural,
    raw,
)
from irci.base.choices import Standardisation
from irci.base.types import Floats, Ints, gathered
from irci.data.collection_files import CollectionFiles
from irci.data.experiment import Experiment, files_of
from irci.data.inputs import Inputs, where
from irci.data.scores import Scores, lie_within, refuse_beyond, renamed, settle, topics_and_missing
from irci.measures import MAP, Measure, named, together
from irci.stats.scales import points, reference_factors, standardised
from irci.wording import Notice, notices_of_run, notify, tell_of_runs, told_once, warn_of_topics

# What standardised scores are called, by how they are.
NAME_OF: dict[Standardisation, str] = {"z": "{}_z", "cdf": "{}_std_cdf", "ab": "{}_std_ab", "rank": "{}" + BORDA}
MEANS = ("mean", "average", "avg", "amean", "overall")  # what people call the last line of a table


def refuse_no_scores(measures: Sequence[Measure]) -> None:
    """Refuse measures that are no score of single topics averaged as it is: counts, means of logits and of logarithms."""
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise UsageError(f"{', '.join(wrong)}: not a mean of scores of topics, which this command needs")


def scores_of(
    inputs: Inputs, measures: Sequence[Measure], *, takes_several: bool = False
) -> tuple[list[Scores], dict[str, str]]:
    """The scores of all runs, from runs or from files of scores, a table a collection, by name, of which there is one unless
    several are taken: completed as --missing says and standardised if asked for, without runs that are missing; and what
    --save-scores writes: a file's path and text."""
    refuse_no_scores(measures)
    own = measures or [MAP]
    if inputs.scores:
        tables = [chosen_scores(inputs, table, measures) for table in read_tables(inputs, measures, takes_several)]
        # Not in order of lines, which changes no digit.
        tables = [completed(table, inputs) for table in sorted(tables, key=lambda table: raw(table.collection or ""))]
    else:
        tables = [Experiment(inputs, own).scores(own)]
    tables, _, files = standardised_if_asked(tables, own, inputs)
    return [table.made for table in tables], files


def score_files(inputs: Inputs, measures: Sequence[Measure]) -> Scores:
    """Read score files of one collection, unless they were; keep the topics and, if any is named, the measures asked for."""
    (table,) = inputs.score_tables or read_tables(inputs, measures, takes_several=False)
    return table if inputs.score_tables else chosen_scores(inputs, table, measures)


def read_tables(inputs: Inputs, measures: Sequence[Measure], takes_several: bool = True) -> list[Scores]:
    """All that is in score files, a table a collection, as it is (see `chosen_scores`); say which formats have more than one
    score a line. Raises DataError for several collections, whose topics are not mixed, unless they are taken.
    `measures`: if one is asked for, that is what a matrix holds."""
    from irci.data.score_files import read_scores  # takes time

    name = measures[0].name if len(measures) == 1 else None
    tables, recognised = read_scores(inputs.paths(), None, name, inputs.memory)
    for path, form in recognised:
        if form != "long":
            logger.info(f"{path}: read as {form}")
    if len(tables) > 1 and not takes_several:
        names = first_few([str(table.collection) for table in tables])
        raise DataError(
            f"{inputs.named}: scores of {len(tables)} collections ({names}): this command takes one at a time (means and"
            " differences by map-ci can be over several)"
        )
    return tables


def chosen_scores(inputs: Inputs, table: Scores, measures: Sequence[Measure]) -> Scores:
    """The topics and, if any is named, the measures asked for, out of one collection's scores. Raises FormatError for scores
    that a measure never has, unless the user says what range it has."""
    name_of_measure = {named(name, is_column=True): name for name in table.values}
    if lacking := [measure.name for measure in measures if measure not in name_of_measure]:
        raise DataError(f"no scores of {', '.join(lacking)}; there are {', '.join(table.values)}")
    keep = inputs.asked_for(table.topics, inputs.named, "there")
    own = {measure.name: name_of_measure[measure] for measure in measures or name_of_measure}
    selected = {name: table.values[of_file][:, keep] for name, of_file in own.items()}
    topics = where(table.topics, keep)
    means = [topic for topic in topics if topic.lower() in MEANS]
    happens = "that is the mean of others by its name, counted like these (leave its scores out)"
    warn_of_topics(inputs.named, happens, means)
    for name, values in selected.items():
        ends = named(name).ends
        if inputs.range is not None:
            refuse_beyond(name, values, inputs.range, table.runs, topics)
        elif ends is not None and not lie_within(values, ends):
            least, greatest = float(np.nanmin(values)), float(np.nanmax(values))
            extent = f"up to {greatest:.10g}" if greatest > ends[1] else f"down to {least:.10g}"
            of_scale = f"whose range is {ends[0]:g} to {ends[1]:g}: --range gives another, such as 0,100"
            raise FormatError.whole_file(inputs.named, f"scores {extent} for {name}, {of_scale}")
    return table._replace(topics=topics, values=selected)


def refuse_unmeasured(scores: Scores, inputs: Inputs) -> None:
    """Raise DataError for a run without a single score of a measure: it was not measured, which is no score of 0."""
    topics = "" if inputs.topics is None else " on the topics asked for"
    for name, values in scores.values.items():
        for run in where(scores.runs, np.asarray(np.isnan(values).all(axis=1))):
            reason = f"run {run!r} has no score of {name}{topics}{scores.within}: leave it out, or choose by -m"
            raise DataError(f"{inputs.named}: {reason}")


def measures_apart(inputs: Inputs) -> list[list[str]]:
    """The measures in groups by which --missing auto takes the same runs for missing, in each of the tables that were read.
    Counts, which have no mean, are in none. Raises DataError for a run without any score of a measure."""

    tables = inputs.score_tables if len(inputs.score_tables) == 1 else [*map(_of_collection, inputs.score_tables)]
    for table in tables:
        refuse_unmeasured(table, inputs)
    settled_later = [] if inputs.standardise == "rank" else [table for table in tables if not table.of_tasks]
    names = (name for name in inputs.score_tables[0].values if not named(name, is_column=True).is_count)
    missing = (
        (tuple(topics_and_missing(1.0 - np.isnan(table.values[name]))[1].tobytes() for table in settled_later), name)
        for name in names
    )
    return list(gathered(missing).values())


def completed(scores: Scores, inputs: Inputs, noun: str = "topic", of_topic: Ints | None = None) -> Scores:
    """The scores of each run as --missing says, 0 where there are none, or still nan for what has no points. By default means
    are over the tasks that all runs have. `of_topic` int64[T]: the topics that columns are versions (`noun`) of. Raises
    DataError for a run without any score of a measure, unless it is of versions."""
    if of_topic is None:
        refuse_unmeasured(scores, inputs)
    has_points = inputs.standardise == "rank"
    if inputs.missing == "drop" or (inputs.missing == "auto" and not has_points and len(scores.runs) > 1):
        return settle(scores, inputs, "task" if scores.of_tasks else noun, of_topic)
    notices = list[Notice]()
    for run, lacks in zip(scores.runs, np.asarray(np.isnan([*scores.values.values()]).any(axis=0)), strict=True):
        topics = where(scores.topics, lacks)
        if topics and inputs.missing == "error":
            number = plural(len(topics), noun)
            raise DataError(f"{run}{scores.within}: {number} missing (--missing error): {topics[0]} ...")
        notices += notices_of_run(run + scores.within, "missing, scored 0", topics, noun=noun)
    tell_of_runs(notices)
    return scores if has_points else scores.with_zeros


def standardised_scores(scores: Scores, inputs: Inputs) -> Scores:
    """Every measure standardised over the runs as --standardise says, under a name that says so.
    A measure drops the topics that some run lacks, and those on which all runs score the same; points have a place for both.
    Raises DataError if there are fewer than two runs, or no topic is left."""
    made, kind = scores.made, inputs.standardise
    if len(made.runs) < 2:
        raise DataError("to standardise scores, give at least two runs")
    assert kind is not None
    if kind == "rank" and len(made.runs) == 2:
        notify("few_units", number="2 runs", then="points show only which is better on each topic")
    # By name, so that the order of runs makes no difference, not even in the last bit.
    values, references = dict[str, Floats](), made.only(sorted(made.runs, key=raw)).values
    for name, raw_scores in scores.values.items():
        if kind == "rank":  # where none is missing
            values[name], lacking = points(raw_scores), np.zeros(len(scores.topics), np.bool_)
        else:
            values[name] = standardised(raw_scores, *reference_factors(references[name]), kind)
            lacking = np.asarray(np.isnan(raw_scores).any(axis=0))
        same = np.asarray(np.isnan(values[name]).all(axis=0)) & ~lacking
        warn_of_topics(name, "that some run lacks, dropped", where(scores.topics, lacking))
        warn_of_topics(name, "on which all runs score the same, dropped", where(scores.topics, same))
        if (lacking | same).all():
            raise DataError(f"{name}: no topic is left to standardise")
    named_so = NAME_OF[kind].format
    near = {named_so(name): of_measure for name, of_measure in scores.near.items()}
    return scores._replace(values={named_so(name): own for name, own in values.items()}, near=near)


def standardised_if_asked(
    tables: Sequence[Scores], measures: Sequence[Measure], inputs: Inputs
) -> tuple[list[Scores], list[Measure], dict[str, str]]:
    """The scores of each collection, standardised by themselves if that is asked for, their measures, and files to save, of
    scores as they were. Raises DataError for points among other runs in some collections than in others, which are no more
    comparable than their sums."""
    files = files_of(inputs, *tables)
    if inputs.standardise is None:
        return [*tables], [*measures], files
    if inputs.standardise == "rank" and len({frozenset(table.runs) for table in tables}) > 1:
        raise DataError("--standardise rank: some collections have other runs to be beaten: leave out incomplete runs")
    tables = [standardised_scores(table, inputs) for table in tables]
    return tables, named_in(tables[0].values), files


def read_collections(
    inputs: Inputs, collections: CollectionFiles | None, measures: Sequence[Measure]
) -> tuple[list[Scores], list[Measure], dict[str, str]]:
    """The scores of each collection, by its runs or as read: a table a collection, the measures, and files to save."""
    if inputs.scores:
        tables = [completed(_of_collection(table), inputs) for table in inputs.score_tables]
        measures = measures or named_in(tables[0].values)
    else:
        assert collections is not None
        bases = list({measure.base.name: measure.base for measure in measures}.values())
        tables, measures = _score_each(inputs, collections, bases or [MAP]), measures or [MAP]
    return standardised_if_asked(tables, measures, inputs)


def chosen_of_collections(inputs: Inputs, tables: Sequence[Scores], measures: Sequence[Measure]) -> list[Scores]:
    """The topics and measures asked for, of each collection. Raises DataError for a collection without a measure."""
    chosen = [chosen_scores(inputs, table, measures) for table in renamed(tables)]
    names = dict.fromkeys(name for table in chosen for name in table.values)
    for table in chosen:
        if lacking := [name for name in names if name not in table.values]:
            raise DataError(f"{table.collection}: no scores of {', '.join(lacking)}; choose measures of all by -m")
    return chosen


def _of_collection(table: Scores) -> Scores:
    """The scores of a collection, in which a run is not that has none at all of a measure. Raises DataError without a run."""
    has_scores = np.asarray(~np.isnan([*table.values.values()]).all(axis=2).any(axis=0))
    if not has_scores.any():
        raise DataError(f"{table.collection}: no run has scores of {', '.join(table.values)}")
    values = {name: of_measure[has_scores] for name, of_measure in table.values.items()}
    return table._replace(runs=where(table.runs, has_scores), values=values)


def _score_each(inputs: Inputs, collections: CollectionFiles, bases: Sequence[Measure]) -> list[Scores]:
    # A collection without a grade as high as -l is scored if another one has it.
    settings, tables = inputs.replaced(save_scores=None, level_elsewhere=True), list[Scores]()
    with told_once() as begins:
        experiments = list[Experiment]()
        for name, files in collections.items():
            begins(name, files)
            experiments.append(Experiment(settings.replaced(files=files), bases, with_intervals=False))
        if all(experiment.why_no_level for experiment in experiments):
            raise DataError(experiments[0].why_no_level)
        for (name, files), experiment in zip(collections.items(), experiments, strict=True):
            begins(name, files)
            tables.append(experiment.scores(bases)._replace(collection=name))
    return tables


def joined(tables: Sequence[Scores]) -> Scores:
    """The runs that all collections have, on the topics of all; a warning names the others. A run that is missing in some of
    them is missing. Raises DataError if there are none."""
    all_runs = dict.fromkeys(run for table in tables for run in table.runs)
    by_lacking = gathered(
        (tuple(str(table.collection) for table in tables if run not in table.runs), run) for run in all_runs
    )
    runs = by_lacking.pop((), [])
    if not runs:
        raise DataError(
            "no run is in all collections: runs need the same name in each (--names file takes that of the file)"
        )
    for collections, names in by_lacking.items():
        notify("not_everywhere", number=len(names), where=collections, names=names)
    missing = gathered(
        (run, f"{table.missing[run]} in {table.collection}") for run in runs for table in tables if run in table.missing
    )
    rows = [table.only(runs) for table in tables]
    names_of_near = tables[0].values if all(table.near for table in tables) else ()
    return Scores(
        runs,
        # The same topic id in two collections is two topics.
        [f"{table.collection}\t{topic}" for table in tables for topic in table.topics],
        {name: np.hstack([table.values[name] for table in rows]) for name in tables[0].values},
        missing={run: first_names(of_run) for run, of_run in missing.items()},
        near={name: np.hstack([table.near[name] for table in rows]) for name in names_of_near},
    )


def named_in(values: Iterable[str]) -> list[Measure]:
    """The measures of these names, without counts, which have no mean. Raises DataError if there are no others."""
    measures = together(named(name, is_column=True) for name in values)
    averaged = [measure for measure in measures if not measure.is_count]
    counts = ", ".join(measure.name for measure in measures if measure.is_count)
    if not averaged:
        raise DataError(f"{counts}: counts are not averaged over topics")
    if counts:
        logger.info(f"{counts}: left out, as counts are not averaged over topics")
    return averaged
