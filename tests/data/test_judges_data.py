"""Several judges of the same runs: scores by each are those of separate experiments, from runs that are read once."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, printed, warnings_of
from fuzzing.rankings import read_qrels
from helpers import SMALL, all_written, inputs_of, unpacked, written

from irci import wording
from irci.base import DataError
from irci.data import inputs as reading
from irci.data.experiment import Experiment, common, experiments_by, on_topics_of, read_judges, scored_by
from irci.data.inputs import Inputs
from irci.data.scores import Scores, settle
from irci.measures import parse

RUNS = tuple(str(path) for path in sorted((SMALL / "runs").iterdir()))
QRELS = SMALL / "qrels.txt"
MEASURES = [*parse("map"), *parse("ndcg_cut_10")]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another judge: fewer topics, one that nobody else has, some documents left out, other grades, another order."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    topics = sorted({topic for topic, *_ in lines})
    chosen = [(place, line) for place, line in enumerate(lines) if line[0] in topics[2:] and place % 7]
    kept = [(*line[:3], str((int(line[3]) + place) % 3 - (place % 11 == 0))) for place, line in chosen]
    text = "\n".join(map(" ".join, [*reversed(kept), ("zzz", "0", "law-00073", "1")])) + "\n"
    return Path(written(tmp_path / "other.gz", gzip.compress(text.encode())))


def inputs(other: Path, **settings: object) -> Inputs:
    return inputs_of(QRELS, *RUNS, other_qrels=(str(other),), **settings)


def settled(scores: Scores, given: Inputs) -> Scores:
    """The scores as --missing says, nan where a run lacks a topic."""
    return scores.with_zeros if given.missing == "zero" else settle(scores, given)


@pytest.mark.parametrize("missing", ["auto", "zero"])
def test_each_judge_scores_as_if_alone(missing: str, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = inputs(other, missing=missing)
    alone = [
        Experiment(given.replaced(files=(path, *RUNS), topics=None), MEASURES).scores(MEASURES)
        for path in (str(QRELS), str(other))
    ]
    read: list[str] = []
    read_run = reading.read_run
    monkeypatch.setattr(reading, "read_run", lambda path, *more: read.append(path) or read_run(path, *more))
    first, second = read_judges(given)
    first = on_topics_of(first, second)  # as few people and a model for the rest have it: the other keeps its topics
    found = [settled(scores, given) for scores in scored_by(experiments_by(given, MEASURES, [first, second]), MEASURES)]
    assert read == list(RUNS)
    assert found[0].topics == [topic for topic in alone[0].topics if topic in alone[1].topics]
    assert found[1].topics == alone[1].topics
    assert (found[1].topics[-1] == "zzz") == (missing == "zero")  # which no run has
    for ours, theirs in zip(found, alone, strict=True):
        assert ours.runs == theirs.runs
        columns = [theirs.topics.index(topic) for topic in ours.topics]
        for name, values in ours.values.items():
            np.testing.assert_array_equal(values, theirs.values[name][:, columns])


@pytest.mark.parametrize("missing", ["auto", "zero"])
def test_each_judge_may_have_a_level_of_its_own(missing: str, other: Path) -> None:
    given = inputs(other, missing=missing)
    judges = read_judges(given)
    _, found = scored_by(experiments_by(given, MEASURES, judges, [1, 2]), MEASURES)
    alone = Experiment(given.replaced(files=(str(other), *RUNS), relevance_level=2), MEASURES).scores(MEASURES)
    np.testing.assert_array_equal(settled(found, given).values["map"], alone.values["map"])


def test_matched_against_dictionaries(other: Path) -> None:
    first, second = read_judges(inputs(other))

    def grades(path: Path) -> dict[tuple[str, str], int]:
        fields = [line.split() for line in unpacked(path).decode().splitlines()]
        return {(topic, docno): int(grade) for topic, _, docno, grade in fields if int(grade) >= 0}

    ours, theirs = grades(QRELS), grades(other)
    expected = sorted((ours[key], theirs[key]) for key in ours.keys() & theirs.keys())
    by_first, by_second = common(first, second)
    assert sorted(zip(by_first.grade, by_second.grade, strict=True)) == expected


def test_common_keeps_the_documents_that_both_have_judged(other: Path) -> None:
    first, second = common(*read_judges(inputs(other)))
    of_first, of_second = (
        {(topic, docno) for topic, of in read_qrels(each).items() for docno in of} for each in (first, second)
    )
    assert of_first == of_second
    assert of_first
    assert (second.grade >= 0).all()
    assert first.highest_grade == first.whole.highest_grade


def test_topics_are_those_asked_for_and_in_both(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(wording.logger, "warning", said.append)
    whole = inputs_of().read_qrels(str(QRELS)).topics
    chosen = b",".join([whole[0], whole[5], whole[6], b"zzz", b"nowhere"]).decode()
    first, second = read_judges(inputs(other, topics=chosen))
    assert first.topics == [whole[0], *whole[5:7]]
    assert second.topics == [*whole[5:7], b"zzz"]
    assert on_topics_of(first, second).topics == whole[5:7]
    assert said == [
        f"{QRELS}, {other}: 1 topic asked for but not judged: nowhere",
        f"{QRELS}: 1 topic that {other} does not judge, dropped: {whole[0].decode()}",
    ]


def test_judges_of_other_topics_are_refused(tmp_path: Path) -> None:
    first, second = read_judges(inputs(Path(written(tmp_path / "qrels", "zzz 0 law-00073 1\n"))))
    with pytest.raises(DataError, match="have no topic in common"):
        on_topics_of(first, second)


LEVELS = {"qrels": "1 0 a 2\n1 0 b 1\n2 0 a 0\n", "run": "1 Q0 a 1 2 r\n2 Q0 a 1 1 r\n"}
NOT_REACHED = "qrels: no judgment has a grade of 3 or more (-l), the highest is 2"


@pytest.mark.parametrize("command", [["ap-ci", "-B", "0"], ["map-ci"]], ids=" ".join)
def test_a_level_that_no_judgment_reaches_is_refused(command: list[str], tmp_path: Path) -> None:
    """But for a scale that goes on to it."""
    asked, files = [*command, "--quiet"], all_written(tmp_path, LEVELS)
    assert NOT_REACHED in printed(*asked, "-l", "3", *files, status=4)
    irci(*asked, "-l", "3", "--max-grade", "3", *files, status=0)
    binary = written(tmp_path / "binary", "1 0 a 1\n2 0 a 0\n")
    told = printed("judges", "-l", "2", "--other-qrels", binary, *files, status=4)
    assert "binary: no judgment has a grade of 2 or more (-l), the highest is 1; FILE:1 gives a file a level" in told
    irci(*asked, "-l", "2", *files, status=0)
    written(tmp_path / "qrels", "1 0 a 0\n2 0 a 0\n")
    irci(*asked, *files, status=0)


def test_a_level_of_another_collection_is_warned_of(tmp_path: Path) -> None:
    qrels, run, higher = all_written(tmp_path, LEVELS | {"higher": "1 0 a 3\n2 0 a 3\n"})
    listed = written(tmp_path / "list", f"x {qrels} {run}\ny {higher} {run}\n")
    assert any(NOT_REACHED in told for told in warnings_of("map-ci", "-l", "3", "--collections", listed))
    irci("map-ci", "-l", "4", "--collections", listed, status=4)
