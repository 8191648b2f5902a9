"""Query versions, several wordings of each topic, told from names of runs or from topic ids; and scores arranged by them, of
runs or of files of scores."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irci.base import DataError, places_by_name, plural, raw, text
from irci.base.streams import Purpose, seed_word, topic_keys
from irci.base.types import gathered
from irci.data.experiment import UNJUDGED, Experiment
from irci.data.inputs import Inputs
from irci.data.parts import PartScores
from irci.data.rules import Rule
from irci.data.score_tables import completed, refuse_no_scores, refuse_unmeasured, score_files
from irci.data.scores import Scores
from irci.measures import MAP, Measure, lists_by_level
from irci.wording import notices_of_run, tell_of_runs, warn_of_topics

Cell = tuple[str, str, str]  # system, topic, version
Cells = Iterator[tuple[Cell, dict[str, float]]]

UNKNOWN = "that --versions does not know, ignored"


def cell_of(versions: Rule, run: str, topic_id: str) -> Cell | None:
    """The cell that the score of a run on a topic id is for; None if for none."""
    groups = versions.find(run, topic_id)
    return (groups.get("system", run), groups.get("topic", topic_id), groups["version"]) if groups else None


Columns = list[tuple[str, str]]  # topic and version of each column of a table of scores


def scores_on_versions(inputs: Inputs) -> PartScores:
    """Scores by topic, version and system, as many versions of each topic; says what is missing or was left out."""
    refuse_no_scores(inputs.measures)
    table, columns = version_scores(inputs, inputs.measures, inputs.versions)
    return arranged(table.made, columns, inputs.seed)


def arranged(table: Scores, columns: Columns, seed: int) -> PartScores:
    """Scores by topic, version and system. Topics with more versions than others keep as many, at random; a topic with one
    version is left out. Raises DataError where nothing is left, or one system."""
    columns_of = gathered((topic, column) for column, (topic, _) in enumerate(columns))
    alone = [topic for topic, own in columns_of.items() if len(own) == 1]
    columns_of = {topic: own for topic, own in columns_of.items() if len(own) > 1}
    if not columns_of:
        raise DataError(
            "query versions: no topic has two of them, scored for all systems (does --versions match the names?)"
        )
    if len(table.runs) < 2:
        raise DataError("only one system: give at least two")
    fewest = min(map(len, columns_of.values()))
    surplus = [topic for topic, own in columns_of.items() if len(own) > fewest]
    word = int(seed_word(seed, Purpose.VERSIONS))
    for topic, key in zip(surplus, topic_keys([raw(topic) for topic in surplus]).tolist(), strict=True):
        own = columns_of[topic]
        drawn = np.random.default_rng([word, key]).permutation(len(own))[:fewest]
        columns_of[topic] = [own[index] for index in sorted(drawn.tolist())]
    warn_of_topics("versions", "with one version, dropped", alone)
    warn_of_topics("versions", "with more versions than others, some left out at random", surplus)
    order, places = places_by_name(table.runs), np.array([*columns_of.values()])
    # [T, V, S], in which sums are taken.
    values = {
        name: np.ascontiguousarray(scores[order][:, places].transpose(1, 2, 0)) for name, scores in table.values.items()
    }
    names = {tuple(columns[column][1] for column in own) for own in columns_of.values()}
    return PartScores(
        runs=[table.runs[row] for row in order],
        topics=[*columns_of],
        whole={name: scores.mean(axis=1) for name, scores in values.items()},
        splits={name: [scores.transpose(0, 2, 1)] for name, scores in values.items()},
        labels=list(*names) if len(names) == 1 else None,
        replicate="version",
    )


def version_scores(inputs: Inputs, measures: Sequence[Measure], versions: Rule) -> tuple[Scores, Columns]:
    """Scores by system and version of a topic, completed as --missing says."""
    cells = _cells_of_table if inputs.scores else _cells_of_runs
    table, columns = table_of_cells(cells(inputs, measures, versions), versions.given)
    places = {topic: index for index, topic in enumerate(dict.fromkeys(topic for topic, _ in columns))}
    left = completed(table, inputs, "version", np.array([places[topic] for topic, _ in columns]))
    return left, [version for version, name in zip(columns, table.topics, strict=True) if name in {*left.topics}]


def table_of_cells(cells: Iterable[tuple[Cell, dict[str, float]]], given: str) -> tuple[Scores, Columns]:
    """The scores of systems, as they come, on versions of topics, sorted bytewise; nan of all measures where one is nan or not
    there. Raises DataError for a cell twice, and where there is none; `given`: what says which there are."""
    scores: dict[Cell, dict[str, float]] = {}
    for cell, of_measures in cells:
        if cell in scores:
            raise DataError("system {!r}, topic {!r}, version {!r} twice".format(*cell))
        scores[cell] = of_measures
    if not scores:
        raise DataError(f"{given}: names a version of no topic")
    systems = list(dict.fromkeys(system for system, _, _ in scores))
    columns = sorted({(topic, version) for _, topic, version in scores}, key=lambda names: [*map(raw, names)])
    measures = [*next(iter(scores.values()))]
    values = np.full((len(measures), len(systems), len(columns)), np.nan)
    row_of, column_of = ({name: place for place, name in enumerate(names)} for names in (systems, columns))
    for (system, *column), of_measures in scores.items():
        values[:, row_of[system], column_of[tuple(column)]] = [*of_measures.values()]
    values[:, np.isnan(values).any(axis=0)] = np.nan
    names = [f"{topic}/{version}" for topic, version in columns]
    return Scores(systems, names, dict(zip(measures, values, strict=True))), columns


def _cells_of_table(inputs: Inputs, measures: Sequence[Measure], versions: Rule) -> Cells:
    """Every score in files of scores that is of a version."""
    table = score_files(inputs, measures)
    refuse_unmeasured(table, inputs)
    values = np.array([*table.values.values()])
    for row, run in enumerate(table.runs):
        # A table has a cell for each run and topic id, whether or not there is such a version.
        columns = np.flatnonzero(~np.isnan(values[:, row]).all(axis=0)).tolist()
        cells = {column: cell_of(versions, run, table.topics[column]) for column in columns}
        for column, cell in cells.items():
            if cell is not None:
                yield cell, dict(zip(table.values, values[:, row, column].tolist(), strict=True))
        unknown = [table.topics[column] for column, cell in cells.items() if cell is None]
        warn_of_topics(run, UNKNOWN, unknown, of=len(table.topics))


def _cells_of_runs(inputs: Inputs, measures: Sequence[Measure], versions: Rule) -> Cells:
    """Scores of runs, by the judgments of a topic id that holds a version or else of its topic; nan where one lacks a judged
    version."""
    measures = measures or [MAP]
    experiment = Experiment(inputs, measures, with_intervals=False)
    place_of = {topic: index for index, topic in enumerate(experiment.topics)}
    absent = set(place_of)
    for path, name, run in experiment.read():
        renamed, judged_documents, topic_ids = run, 0, [text(topic) for topic in run.topics]
        known = {topic_id: cell for topic_id in topic_ids if (cell := cell_of(versions, name, topic_id)) is not None}
        unknown = [topic_id for topic_id in topic_ids if topic_id not in known]
        warn_of_topics(path, UNKNOWN, unknown, of=len(topic_ids))
        for version, cells in gathered((cell[2], (topic_id, cell)) for topic_id, cell in known.items()).items():
            judged_as = {topic_id: topic_id if topic_id in place_of else cell[1] for topic_id, cell in cells}
            renamed = run._replace(topics=[raw(judged_as.get(topic_id, "")) for topic_id in topic_ids])
            judged = experiment.judge(renamed)
            judged_documents += len(judged.rows)
            lists = lists_by_level(experiment.judgments, judged)
            experiment.notice(f"{path}, version {version}", renamed, judged, lists, ~judged.missing)
            scores = {measure.name: measure.scores(lists(measure.level)).tolist() for measure in measures}
            if inputs.topics is None and inputs.no_relevant == "zero":
                unknown = [topic_id for topic_id, topic in judged_as.items() if topic not in place_of]
                experiment.notices += notices_of_run(f"{path}, version {version}", UNJUDGED, unknown)
            for topic_id, cell in cells:
                if (index := place_of.get(judged_as[topic_id])) is not None:
                    absent.discard(judged_as[topic_id])
                    yield cell, {measure: of_topics[index] for measure, of_topics in scores.items()}
            del judged
        if renamed is not run:
            experiment.check_documents(path, renamed, judged_documents)
            of_run = set(topic_ids)
            for topic_id in [topic for topic in place_of if topic not in of_run]:
                if (lacks := cell_of(versions, name, topic_id)) is not None:
                    absent.discard(topic_id)
                    yield lacks, dict.fromkeys((measure.name for measure in measures), np.nan)
        del run, renamed
    tell_of_runs(experiment.notices)
    missing = [topic for topic in place_of if topic in absent]
    if missing and inputs.missing == "error":
        raise DataError(
            f"{plural(len(missing), 'judged topic')} missing from all runs (--missing error): {missing[0]} ..."
        )
    warn_of_topics("all runs", "missing, dropped", missing, "judged topic")
