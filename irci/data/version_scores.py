"""Scores by query version: read from runs or from files of scores, and arranged; what is missing is told."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irci.base.errors import DataError, UsageError, logger
from irci.base.names import plural, raw, text
from irci.data.experiment import UNJUDGED, Experiment
from irci.data.inputs import Inputs
from irci.data.missing import SETTLED, settle
from irci.data.notices import warn_of_topics
from irci.data.rankings import Run
from irci.data.rules import whole_names
from irci.data.score_tables import refuse_no_scores, refuse_unmeasured, score_files
from irci.data.scores import Scores
from irci.data.versions import Cell, Cube, Versions, VersionScores, arrange, scores_on_versions
from irci.measures import MAP, Measure
from irci.wording import notify

Cells = Iterator[tuple[Cell, dict[str, float]]]


def cube_of(inputs: Inputs, measures: Sequence[Measure], versions: Versions, seed: int) -> Cube:
    """Scores by topic, version and system, as many versions of each topic; says what is missing or was left out."""
    refuse_no_scores(measures)
    if inputs.missing == "auto":
        cube = arrange(_settled_cells(version_scores(inputs, measures, versions)), "zero", seed)
    else:
        cube = arrange(_cells(inputs, measures, versions, with_missing=False), inputs.missing, seed)
        _warn_of_lacking(cube.lacking, "scored 0" if inputs.missing == "zero" else "dropped for all systems")
    warn_of_topics("versions", "with one version, dropped", cube.alone)
    warn_of_topics("versions", "with more versions than others, some left out at random", cube.surplus)
    return cube


def _settled_cells(table: VersionScores) -> Cells:
    """The scores of systems that are not missing, 0 where one lacks a version that most others have."""
    for row, system in enumerate(table.systems):
        for column, (topic, version) in enumerate(table.versions):
            scores = {measure: float(values[row, column]) for measure, values in table.values.items()}
            yield (system, topic, version), scores


def version_scores(inputs: Inputs, measures: Sequence[Measure], versions: Versions) -> VersionScores:
    """Scores by system and version of a topic, all there are; says what is missing."""
    cells = _cells(inputs, measures, versions, with_missing=True)
    if inputs.scores:  # a table has a cell for each run and topic id, whether or not there is such a version
        cells = (cell for cell in cells if not np.isnan(list(cell[1].values())).all())
    found = scores_on_versions(cells, inputs.missing)
    if inputs.missing not in SETTLED:
        absent = [
            (system, *version)
            for system, lacking in zip(found.systems, found.absent.tolist(), strict=True)
            for version, is_absent in zip(found.versions, lacking, strict=True)
            if is_absent
        ]
        _warn_of_lacking(absent, "scored 0")
        return found
    names = [f"{topic}/{version}" for topic, version in found.versions]
    places = {topic: index for index, topic in enumerate(dict.fromkeys(topic for topic, _ in found.versions))}
    of_topic = np.array([places[topic] for topic, _ in found.versions])
    absent_of = dict.fromkeys(found.values, found.absent)
    table, told = settle(Scores(found.systems, names, found.values), absent_of, inputs, "version", of_topic)
    for notice in told:
        logger.warning(notice)
    left = set(table.topics)
    those = [version for version, name in zip(found.versions, names, strict=True) if name in left]
    assert table.lacking is not None
    return VersionScores(table.runs, those, table.values, np.zeros(0, np.bool_), table.lacking)


def _warn_of_lacking(lacking: Sequence[Cell], happens: str) -> None:
    for system in dict.fromkeys(system for system, _, _ in lacking):
        named = [f"{topic}/{version}" for of, topic, version in lacking if of == system]
        warn_of_topics(system, f"missing, {happens}", named, "version")


def _cells(inputs: Inputs, measures: Sequence[Measure], versions: Versions, *, with_missing: bool) -> Cells:
    # Every score that is of a version; nan where a table has none, and, `with_missing`, where runs lack a judged version.
    if inputs.save_scores is not None:
        raise UsageError(
            "--save-scores cannot be used with --versions: irci ap-ci -B 0 --save-scores keeps such scores"
        )
    if inputs.standardise is not None:
        raise UsageError("--standardise cannot be used with --versions.")
    if inputs.scores:
        return _cells_of_table(inputs, measures, versions)
    return _cells_of_runs(inputs, measures, versions, with_missing)


def _cells_of_table(inputs: Inputs, measures: Sequence[Measure], versions: Versions) -> Cells:
    table = score_files(inputs, measures, complete=False)
    refuse_unmeasured(table, inputs)
    _refuse_none(versions, ((run, topic) for run in table.runs for topic in table.topics))
    for index, run in enumerate(table.runs):
        others = []
        for column, topic in enumerate(table.topics):
            cell = versions.cell(run, topic)
            if cell is not None:
                yield cell, {measure: float(values[index, column]) for measure, values in table.values.items()}
            elif not all(np.isnan(values[index, column]) for values in table.values.values()):
                others.append(topic)
        _warn_of_unknown(run, others, len(table.topics))


def _warn_of_unknown(run: str, topics: list[str], of: int) -> None:
    if topics and len(topics) == of:
        notify("run_without_versions", run=run)
    else:
        warn_of_topics(run, "that --versions does not know, ignored", topics, of=of)


def _refuse_none(versions: Versions, scored: Iterable[tuple[str, str]]) -> None:
    """Raise DataError if none of these runs' topics is of a version."""
    run = topic = ""
    for run, topic in scored:
        if versions.cell(run, topic) is not None:
            return
    raise DataError(
        f"{versions.given}: names a version of no topic (run {run}, topic {topic}){whole_names(versions.given)}"
    )


def _cells_of_runs(inputs: Inputs, measures: Sequence[Measure], versions: Versions, with_missing: bool) -> Cells:
    # Scores of runs, by the judgments of a topic id that holds a version or else of its topic.
    measures = measures or [MAP]
    experiment = Experiment(inputs, measures, with_intervals=False)
    place_of = {topic: place for place, topic in enumerate(experiment.topics)}
    absent = set(place_of)
    scored: list[tuple[str, str]] = []
    for path, name, run in experiment.read():
        renamed, found = run, 0
        for version, cells in _by_version(path, name, run, versions).items():
            judged_as = {topic_id: topic_id if topic_id in place_of else cell[1] for topic_id, cell in cells.items()}
            renamed = run._replace(topics=[raw(judged_as.get(text(topic), "")) for topic in run.topics])
            judged = experiment.judge(renamed)
            found += len(judged.rows)
            lists = experiment.judgments.of_run(judged)
            experiment.notice(f"{path}, version {version}", renamed, judged, lists, ~judged.missing)
            scores = {measure.name: measure.scores(lists(measure.level)).tolist() for measure in measures}
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
            if with_missing:
                lacking = set(place_of) - set(map(text, run.topics))
                for topic_id, cell in _known_of(versions, name, sorted(lacking, key=place_of.__getitem__)).items():
                    absent.discard(topic_id)
                    yield cell, dict.fromkeys((measure.name for measure in measures), np.nan)
        scored += [(name, text(topic)) for topic in run.topics]
        del run, renamed
    _refuse_none(versions, scored)
    experiment.notices.tell()
    missing = [topic for topic in place_of if topic in absent]
    if missing and inputs.missing == "error":
        raise DataError(
            f"{plural(len(missing), 'judged topic')} missing from all runs (--missing error): {missing[0]} ..."
        )
    warn_of_topics("all runs", "missing, dropped", missing, "judged topic")


def _known_of(versions: Versions, run: str, topic_ids: Iterable[str]) -> dict[str, Cell]:
    return {topic_id: cell for topic_id in topic_ids if (cell := versions.cell(run, topic_id)) is not None}


def _by_version(path: str, name: str, run: Run, versions: Versions) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    topic_ids = [text(topic) for topic in run.topics]
    known = _known_of(versions, name, topic_ids)
    for topic_id, cell in known.items():
        found.setdefault(cell[2], {})[topic_id] = cell
    _warn_of_unknown(path, [topic_id for topic_id in topic_ids if topic_id not in known], len(topic_ids))
    return found
