"""What swap-error studies: scores of runs on topics, or by query versions."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from irci.data.experiment import UNJUDGED, Experiment, Inputs, refuse_no_scores, score_files, scores_of, where
from irci.data.measures import MAP
from irci.data.names import places_by_name, raw, text
from irci.data.notices import warn_of_topics
from irci.data.scores import Scores
from irci.data.trec_files import Run
from irci.data.versions import Cell, Cube, Versions, arrange
from irci.errors import DataError, UsageError, plural
from irci.studies.swap_error.settings import Settings

logger = logging.getLogger("irci")


def common_scores(settings: Settings, inputs: Inputs) -> tuple[Scores, dict[str, str]]:
    """Scores of all runs, by name, on the topics that all of them have; and what --save-scores writes."""
    table, files = scores_of(inputs, settings.measures)
    order = places_by_name(table.runs)
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    warn_of_topics("all runs", "that some run lacks, dropped", where(table.topics, lacking))
    if len(order) < 2 or (~lacking).sum() < 2:
        raise DataError("needs at least two runs that share two topics")
    values = {measure: each[order][:, ~lacking] for measure, each in table.values.items()}
    return Scores([table.runs[place] for place in order], where(table.topics, ~lacking), values), files


def cube_of(settings: Settings, inputs: Inputs, versions: Versions) -> Cube:
    """Scores by topic, version and system; says what is missing, and what had to be left out."""
    if inputs.save_scores is not None:
        raise UsageError(
            "--save-scores cannot be used with --versions: irci ap-ci -B 0 --save-scores keeps such scores"
        )
    refuse_no_scores(settings.measures)
    cells = (_cells_of_table if inputs.scores else _cells_of_runs)(settings, inputs, versions)
    cube = arrange(cells, inputs.missing, settings.seed)
    what = "scored 0" if inputs.missing == "zero" else "dropped for all systems"
    for system in cube.systems:
        named = [f"{topic}/{version}" for of, topic, version in cube.lacking if of == system]
        warn_of_topics(system, f"in a version that other systems have missing, {what}", named)
    warn_of_topics("versions", "with one version, dropped", cube.alone)
    warn_of_topics("versions", "with more versions than others, some left out at random", cube.surplus)
    return cube


def _cells_of_table(settings: Settings, inputs: Inputs, versions: Versions) -> Iterator[tuple[Cell, dict[str, float]]]:
    """Every score in files of scores that is of a version."""
    table = score_files(inputs, settings.measures, complete=False)
    for place, run in enumerate(table.runs):
        others = []
        for column, topic in enumerate(table.topics):
            cell = versions.cell(run, topic)
            if cell is not None:
                yield cell, {measure: float(values[place, column]) for measure, values in table.values.items()}
            elif not all(np.isnan(values[place, column]) for values in table.values.values()):
                others.append(topic)
        _warn_of_unknown(run, others, len(table.topics))


def _warn_of_unknown(run: str, topics: list[str], of: int) -> None:
    if topics and len(topics) == of:
        logger.warning(f"{run}: nothing that --versions knows, ignored")
    else:
        warn_of_topics(run, "that --versions does not know, ignored", topics)


def _cells_of_runs(settings: Settings, inputs: Inputs, versions: Versions) -> Iterator[tuple[Cell, dict[str, float]]]:
    """Scores of runs, by the judgments of a topic id that holds a version or else of its topic."""
    measures = settings.measures or [MAP]
    experiment = Experiment(inputs, measures)
    place_of = {topic: place for place, topic in enumerate(experiment.topics)}
    absent = set(place_of)
    for path, name, run in experiment.read():
        renamed, found = run, 0
        for version, cells in _by_version(path, name, run, versions).items():
            judged_as = {topic_id: topic_id if topic_id in place_of else cell[1] for topic_id, cell in cells.items()}
            renamed = replace(run, topics=[raw(judged_as.get(text(topic), "")) for topic in run.topics])
            judged = experiment.judge(renamed)
            found += len(judged.rows)
            experiment.notice(f"{path}, version {version}", run, judged)
            lists = experiment.judgments.of_run(judged)
            scores = {measure.name: measure.scores(lists.at(measure.level)).tolist() for measure in measures}
            if inputs.topics is None and inputs.no_relevant == "zero":
                unknown = [topic_id for topic_id in cells if judged_as[topic_id] not in place_of]
                experiment.notices.add(f"{path}, version {version}", UNJUDGED, unknown)
            for topic_id, cell in cells.items():
                place = place_of.get(judged_as[topic_id])
                if place is not None:
                    absent.discard(judged_as[topic_id])
                    yield cell, {measure: of_topics[place] for measure, of_topics in scores.items()}
            del judged
        if renamed is not run:
            experiment.check_documents(path, renamed, found)
        del run, renamed
    experiment.notices.tell()
    _check_absent([topic for topic in place_of if topic in absent], inputs)


def _check_absent(missing: list[str], inputs: Inputs) -> None:
    """Say which topics no run has, or refuse the runs."""
    if missing and inputs.missing == "error":
        raise DataError(
            f"{plural(len(missing), 'judged topic')} missing from all runs (--missing error): {missing[0]} ..."
        )
    warn_of_topics("all runs", "missing, dropped", missing, "judged topic")


def _by_version(path: str, name: str, run: Run, versions: Versions) -> dict[str, dict[str, Cell]]:
    """For each version in a run the cell of each of its topic ids."""
    found: dict[str, dict[str, Cell]] = {}
    others = []
    for topic_id in map(text, run.topics):
        cell = versions.cell(name, topic_id)
        if cell is None:
            others.append(topic_id)
        else:
            found.setdefault(cell[2], {})[topic_id] = cell
    _warn_of_unknown(path, others, len(run.topics))
    return found
