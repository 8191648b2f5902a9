"""Query versions, several wordings of each topic: told from names of runs or from topic ids, and scores arranged by them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from irci.base.choices import Missing
from irci.base.errors import DataError, FormatError
from irci.base.names import BLANKS, raw
from irci.base.records import Record
from irci.base.streams import Purpose, seed_word, topic_keys
from irci.base.types import Bools, Floats, gathered
from irci.data.rules import rule
from irci.data.scores import Lacking
from irci.data.text_files import read_text_lines, table_of

Cell = tuple[str, str, str]  # system, topic, version

OF_RUNS, OF_TOPICS = frozenset({"system", "version"}), frozenset({"topic", "version"})


class Versions(Record):
    """Cells of scores: `cell(run, topic_id)`, None where a run's score on a topic id is for none.
    `given`: the rule or the file that says so."""

    given: str
    cell: Callable[[str, str], Cell | None]

    @classmethod
    def of_rule(cls, text: str) -> "Versions":
        """Versions by a regular expression whose groups are system and version, of a run's name, or topic and version, of a
        topic id.

        Raises ValueError for what is no such expression. A name with too many ways to match is refused by UsageError.
        """
        asks = "system and version (for run names) or topic and version (for topic ids)"
        groups, match = rule(text, (OF_RUNS, OF_TOPICS), asks, "--versions")

        def cell(run: str, topic: str) -> Cell | None:
            found = match(run if groups == OF_RUNS else topic)
            return (found.get("system", run), found.get("topic", topic), found["version"]) if found else None

        return cls(text, cell)

    @classmethod
    def of_file(cls, path: str) -> "Versions":
        """Versions by a file of lines with tabs: run, system, version, or run, topic id, system, topic, version.
        Raises FormatError for others."""
        lines = read_text_lines(path, is_record=lambda line: line.count("\t") in (2, 4))
        return cls.of_rows(
            path, [(number, [field.strip(BLANKS) for field in line.split("\t")]) for number, line in lines]
        )

    @classmethod
    def of_rows(cls, raw: str, rows: Sequence[tuple[int, Sequence[str]]]) -> "Versions":
        """Versions by numbered rows of such fields; `given`: what they are of. Raises FormatError as `of_file` does."""
        if not rows:
            raise FormatError.whole_file(raw, "empty file: no versions")
        width = len(rows[0][1])
        keys = 1 if width == 3 else 2
        wrong = "not run, system, version, or run, topic id, system, topic, version, with tabs", ""
        table = table_of(
            raw,
            rows,
            lambda fields: None if len(fields) == width and width in (3, 5) and all(fields) else wrong,
            " ".join(["{}"] * keys),
            keys,
        )

        def cell(run: str, topic: str) -> Cell | None:
            found = table.get((run, topic)[:keys])
            return (found[0], found[1] if width == 5 else topic, found[-1]) if found else None

        return cls(raw, cell)


class Cube(Record):
    """Scores float64[T, V, S] of each measure: T topics, V versions of each, S systems, topics and systems sorted bytewise.

    `lacking`: cells that only other systems have, in order; `alone`: topics left out, as they have but one version;
    `surplus`: topics of which versions were left out at random; `versions`: their names, if all topics have versions of the
    same names.
    """

    systems: list[str]
    topics: list[str]
    values: dict[str, Floats]
    lacking: list[Cell]
    alone: list[str]
    surplus: list[str]
    versions: list[str] | None

    @property
    def alike(self) -> bool:
        return self.versions is not None


def arrange(scores: Iterable[tuple[Cell, dict[str, float]]], missing: Missing, seed: int) -> Cube:
    """Arrange scores by topic, version and system. A score that is nan is missing, and `missing` says what then: zero, drop
    (the version of that topic, for all systems) or error. Topics with more versions than others keep as many, at random.

    A topic with one version is left out. Raises DataError for a cell twice, for a system without any score on a version, and
    where nothing is left, or one system.
    """
    cells, known = _by_cell(scores)
    systems = sorted({system for system, _, _ in cells}, key=raw)
    there = {(topic, version) for _, topic, version in known}
    lacking = sorted((s, t, v) for s in systems for t, v in there if (s, t, v) not in known)
    _refuse_gaps(systems, known, lacking, missing)
    if missing == "drop":
        there -= {(topic, version) for _, topic, version in lacking}
    chosen, alone, surplus = _as_many_each(there, seed)
    if len(systems) < 2:
        raise DataError("only one system: give at least two")
    values = {
        measure: np.array([
            [[cells[s, t, v][measure] if (s, t, v) in known else 0.0 for s in systems] for v in versions]
            for t, versions in chosen.items()
        ])
        for measure in next(iter(cells.values()))
    }  # fmt: skip
    names = {tuple(versions) for versions in chosen.values()}
    return Cube(systems, list(chosen), values, lacking, alone, surplus, list(*names) if len(names) == 1 else None)


def _by_cell(scores: Iterable[tuple[Cell, dict[str, float]]]) -> tuple[dict[Cell, dict[str, float]], set[Cell]]:
    # With the cells that have a score of every measure.
    cells: dict[Cell, dict[str, float]] = {}
    for cell, of_measures in scores:
        if cell in cells:
            raise DataError("system {!r}, topic {!r}, version {!r} twice".format(*cell))
        cells[cell] = of_measures
    return cells, {cell for cell, of_measures in cells.items() if not np.isnan(list(of_measures.values())).any()}


def _refuse_gaps(systems: list[str], known: set[Cell], lacking: list[Cell], missing: Missing) -> None:
    # Raise DataError for a system without any score on a version that several topics have, and where `missing` says so.
    present = {(system, version) for system, _, version in known}
    topics = Counter(version for _, version in {(topic, version) for _, topic, version in known})
    for version in sorted(version for version, number in topics.items() if number > 1):
        for system in systems:
            if (system, version) not in present:
                raise DataError(f"system {system!r} has no version {version!r}, which others have (--missing drop)")
    if lacking and missing == "error":
        raise DataError(
            "system {!r} lacks version {!r} of topic {!r} (--missing error)".format(*(lacking[0][i] for i in (0, 2, 1)))
        )


def _as_many_each(there: set[tuple[str, str]], seed: int) -> tuple[dict[str, list[str]], list[str], list[str]]:
    # As many versions of each topic that has two; the topics that have one, and those that had more.
    versions = gathered(sorted(there, key=lambda each: (raw(each[0]), raw(each[1]))))
    alone = [topic for topic, each in versions.items() if len(each) == 1]
    versions = {topic: each for topic, each in versions.items() if len(each) > 1}
    if not versions:
        raise DataError(
            "query versions: no topic has two of them, scored for all systems (does --versions match the names?)"
        )
    fewest = min(len(each) for each in versions.values())
    surplus = [topic for topic, each in versions.items() if len(each) > fewest]
    word = int(seed_word(seed, Purpose.VERSIONS))
    for topic, key in zip(surplus, topic_keys([raw(topic) for topic in surplus]).tolist(), strict=True):
        kept = np.random.default_rng([word, key]).permutation(len(versions[topic]))[:fewest]
        versions[topic] = [versions[topic][place] for place in sorted(kept.tolist())]
    return versions, alone, surplus


class VersionScores(Record):
    """Scores float64[S, M] of each measure: S systems, as they came, on M versions of topics.
    `versions`: topic and version of each, sorted bytewise. `absent` bool[S, M]: where a score is 0 as there is none;
    `lacking`: what systems lack, once that is settled."""

    systems: list[str]
    versions: list[tuple[str, str]]
    values: dict[str, Floats]
    absent: Bools
    lacking: Lacking | None = None


def scores_on_versions(scores: Iterable[tuple[Cell, dict[str, float]]], missing: Missing) -> VersionScores:
    """Arrange scores by system and version of a topic, however many versions each topic has. A score that is nan or not there
    is 0.

    Raises DataError for a cell twice and where there is none; where `missing` is error for what is absent, and where it is
    that or zero for a system without any score on a version that several topics have.
    """
    cells, known = _by_cell(scores)
    if not cells:
        raise DataError("query versions: there are none (does --versions match the names?)")
    systems = list(dict.fromkeys(system for system, _, _ in cells))
    versions = sorted({(topic, version) for _, topic, version in cells}, key=lambda each: (raw(each[0]), raw(each[1])))
    lacking = [(s, t, v) for s in systems for t, v in versions if (s, t, v) not in known]
    if missing in ("zero", "error"):
        _refuse_gaps(sorted(systems, key=raw), known, lacking, missing)
    absent = np.array([[(s, t, v) not in known for t, v in versions] for s in systems])
    values = {}
    for measure in next(iter(cells.values())):
        found = [[cells.get((s, t, v), {}).get(measure, np.nan) for t, v in versions] for s in systems]
        values[measure] = np.where(absent, 0.0, np.array(found))
    return VersionScores(systems, versions, values, absent)
