"""What irci swap-error studies: scores of runs on topics, scores by query versions, or counts somebody else has made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from irci.cli.console import plural, save, warn, warn_of_topics
from irci.data.collection import judge
from irci.data.experiment import Inputs, run_files, where_text
from irci.data.measures import MAP, Judgments, Measure
from irci.data.names import places_by_name, raw, text
from irci.data.scores import Scores, read_cells
from irci.data.text_files import read_text_lines, whole_number
from irci.data.trec_files import Run
from irci.data.versions import Cell, Cube, Versions, arrange
from irci.errors import DataError, FormatError, Problem

Floats = NDArray[np.float64]

COUNTS = 5  # fields of a line of counts


@dataclass(frozen=True)
class Source:
    """The files and the options that say what they are."""

    files: tuple[str, ...]
    measures: Sequence[Measure]
    scores: bool
    scores_format: str | None
    save_scores: str | None
    runs_from: str | None
    standardise: str | None


def matrix_of(source: Source, inputs: Inputs) -> Scores:
    """Scores of all runs, by name, on the topics that all of them have."""
    table = _scores(source, inputs)
    if source.standardise is not None:
        table = inputs.standardised(table, source.standardise)
    order = places_by_name(table.runs)
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    if not inputs.quiet:
        warn_of_topics("all runs", "that some run lacks, dropped", where_text(table.topics, lacking))
    if len(order) < 2 or (~lacking).sum() < 2:
        raise DataError("two runs and two topics that both have are the least")
    values = {measure: each[order][:, ~lacking] for measure, each in table.values.items()}
    return Scores([table.runs[place] for place in order], where_text(table.topics, ~lacking), values)


def check_measures(measures: Sequence[Measure]) -> Sequence[Measure]:
    """The measures, if means of their scores mean something."""
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise DataError(f"{', '.join(wrong)}: no mean of scores")
    return measures


def _scores(source: Source, inputs: Inputs) -> Scores:
    measures = check_measures(source.measures)
    if source.scores:
        paths = run_files(source.files, source.runs_from, "")
        table = inputs.filled(inputs.scores(paths, source.scores_format, measures))
    else:
        qrels, *runs = source.files
        table = inputs.scored(qrels, run_files(runs, source.runs_from, qrels), measures or [MAP])
    if source.save_scores is not None:
        save(table, source.save_scores)
    return table


def cube_of(source: Source, inputs: Inputs, versions: Versions, seed: int) -> Cube:
    """Scores by topic, version and system; says what is missing, and what had to be left out."""
    if source.save_scores is not None:
        raise DataError("--save-scores does not go with --versions: irci ap-ci -B 0 --save-scores keeps such scores")
    cells = _cells_of_table(source, inputs, versions) if source.scores else _cells_of_runs(source, inputs, versions)
    cube = arrange(cells, inputs.missing, seed)
    if not inputs.quiet:
        what = "scored 0" if inputs.missing == "zero" else "dropped for all systems"
        for system in cube.systems:
            named = [f"{topic}/{version}" for of, topic, version in cube.lacking if of == system]
            warn_of_topics(system, f"in a version that other systems have missing, {what}", named)
        warn_of_topics("versions", "with one version, dropped", cube.alone)
        warn_of_topics("versions", "with more versions than others, some left out at random", cube.surplus)
    return cube


def _cells_of_table(source: Source, inputs: Inputs, versions: Versions) -> Iterator[tuple[Cell, dict[str, float]]]:
    """Every score in files of scores that is of a version."""
    paths = run_files(source.files, source.runs_from, "")
    table = inputs.scores(paths, source.scores_format, check_measures(source.measures))
    for place, run in enumerate(table.runs):
        others = []
        for column, topic in enumerate(table.topics):
            cell = versions.cell(run, topic)
            if cell is not None:
                yield cell, {measure: float(values[place, column]) for measure, values in table.values.items()}
            elif not all(np.isnan(values[place, column]) for values in table.values.values()):
                others.append(topic)
        _warn_of_unknown(run, others, len(table.topics), inputs.quiet)


def _warn_of_unknown(run: str, topics: list[str], of: int, quiet: bool) -> None:
    if topics and not quiet:
        if len(topics) == of:
            warn(f"{run}: nothing that --versions knows, ignored")
        else:
            warn_of_topics(run, "that --versions does not know, ignored", topics)


def _cells_of_runs(source: Source, inputs: Inputs, versions: Versions) -> Iterator[tuple[Cell, dict[str, float]]]:
    """Scores of runs, by the judgments of a topic id that holds a version or else of its topic."""
    qrels, *runs = source.files
    paths = run_files(runs, source.runs_from, qrels)
    if not paths:
        raise DataError("QRELS alone: runs are needed, or --scores")
    measures = check_measures(source.measures) or [MAP]
    collection = inputs.collection(qrels)
    judgments = Judgments.of(collection.qrels, inputs.relevance_level, inputs.max_grade)
    place_of = {text(topic): place for place, topic in enumerate(collection.qrels.topics)}
    absent = set(place_of)
    for path, name, run in inputs.read(paths):
        for version, cells in _by_version(path, name, run, versions, inputs.quiet).items():
            judged_as = {topic_id: topic_id if topic_id in place_of else cell[1] for topic_id, cell in cells.items()}
            renamed = replace(run, topics=[raw(judged_as.get(text(topic), "")) for topic in run.topics])
            judged = judge(collection, renamed, inputs.depth, inputs.threads)
            inputs.check_run(f"{path}, version {version}", collection, judged, run)
            lists = judgments.of_run(judged)
            scores = {measure.name: measure.scores(lists).tolist() for measure in measures}
            unknown = [topic_id for topic_id in cells if judged_as[topic_id] not in place_of]
            if unknown and not inputs.quiet and inputs.topics is None and inputs.no_relevant == "zero":
                warn_of_topics(f"{path}, version {version}", "without judgments, ignored", unknown)
            for topic_id, cell in cells.items():
                place = place_of.get(judged_as[topic_id])
                if place is not None:
                    absent.discard(judged_as[topic_id])
                    yield cell, {measure: of_topics[place] for measure, of_topics in scores.items()}
            del renamed, judged
        del run
    missing = [topic for topic in place_of if topic in absent]
    if missing and inputs.missing == "error":
        raise DataError(
            f"{plural(len(missing), 'judged topic')} missing from all runs (--missing error): {missing[0]} ..."
        )
    if not inputs.quiet:
        warn_of_topics("all runs", "missing, dropped", missing, "judged ")


def _by_version(path: str, name: str, run: Run, versions: Versions, quiet: bool) -> dict[str, dict[str, Cell]]:
    """For each version in a run the cell of each of its topic ids."""
    found: dict[str, dict[str, Cell]] = {}
    others = []
    for topic_id in map(text, run.topics):
        cell = versions.cell(name, topic_id)
        if cell is None:
            others.append(topic_id)
        else:
            found.setdefault(cell[2], {})[topic_id] = cell
    _warn_of_unknown(path, others, len(run.topics), quiet)
    return found


def read_counts(path: str) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path)
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    problems = []
    rows = read_cells(lines, path) if lines else []
    for place, (number, cells) in enumerate(rows):
        try:
            first, second, *counts = (cell.strip() for cell in cells)
            better, worse, equal = (whole_number(count) for count in counts)
            if min(better, worse, equal) < 0 or not first or not second or first == second:
                raise ValueError
        except ValueError:
            if place or len(cells) != COUNTS or any(map(_is_count, cells[2:])):
                problems.append(Problem(number, "not two systems and how often the first is better, worse, equal"))
            continue
        if (first, second) in found or (second, first) in found:
            problems.append(Problem(number, f"{first} and {second} again"))
        found[first, second] = better, worse, equal
    if problems:
        raise FormatError(path, problems)
    if not any(sum(counts) for counts in found.values()):
        raise FormatError.whole_file(path, "no counts")
    return found


def _is_count(cell: str) -> bool:
    """Whether a cell is a number, or nothing, and so no name of a column."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def warn_of_counts(found: dict[tuple[str, str], tuple[int, int, int]]) -> None:
    """Say so if the pairs have not all been compared equally often."""
    totals = {sum(counts) for counts in found.values()}
    if len(totals) > 1:
        warn(
            f"counts of {plural(len(found), 'pair')} add up to {min(totals)} to {max(totals)}, not to one number of query sets"
        )
