"""Several collections: right means each one's numbers as by itself, means and limits by plain loops, and no topic of one taken
for that of another."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import SMALL

from irci.cli.group import main
from irci.data.scores import read_scores, saved_text

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
TABLE = "collection,run,topic,measure,value\nx,a,1,map,.1\nx,b,1,map,.2\ny,b,1,map,.3\ny,a,1,map,.4\ny,a,2,map,.5\n"


def irci(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=given, catch_exceptions=False)


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", ["collection", "Dataset"])
def test_a_table_holds_several_collections(name: str, tmp_path: Path) -> None:
    """The same topic id in two collections is two topics; runs and collections as they come."""
    path = written(tmp_path / "x", TABLE.replace("collection", name))
    (x, y), recognised = read_scores([path])
    assert recognised == [(path, "long")]
    assert (x.collection, x.runs, x.topics, x.values["map"].tolist()) == ("x", ["a", "b"], ["1"], [[0.1], [0.2]])
    assert (y.collection, y.runs, y.topics) == ("y", ["b", "a"], ["1", "2"])
    assert y.values["map"][:, 0].tolist() == [0.3, 0.4]
    again, _ = read_scores([written(tmp_path / "again", saved_text(x) + saved_text(y))])
    assert [saved_text(each) for each in again] == [saved_text(x), saved_text(y)]
    assert saved_text(x, y).splitlines() == [*saved_text(x).splitlines(), *saved_text(y).splitlines()[1:]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TABLE.replace("y,a,2", ",a,2"), "6: a collection without a name, or with a tab or a line end in it"),
        (TABLE.replace("y,a,2", "y,a,1"), "6: map of run 'a' on topic '1' of collection 'y' twice"),
        (TABLE.replace("n,run", "n,collection,run").replace(",a", ",a,a"), "1: two columns named collection"),
    ],
)
def test_bad_columns_of_collections(text: str, reason: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x", text)
    refused = irci("map-ci", "--scores", path)
    assert refused.exit_code == 3
    assert reason in refused.stderr


def test_files_with_and_without_the_column_are_not_mixed(tmp_path: Path) -> None:
    paths = [written(tmp_path / "x", TABLE), written(tmp_path / "y", "run,topic,measure,value\na,1,map,.1\n")]
    for each in (paths, paths[::-1]):
        refused = irci("map-ci", "--scores", *each)
        assert refused.exit_code == 3
        assert refused.stderr.endswith(
            f"{each[1]}: other files have a column collection, this one has not, or the reverse\n"
        )


@pytest.mark.parametrize(
    "command", [["ap-ci"], ["map-ci", "--sample", "1"], ["map-ci", "--clusters", "(?P<cluster>.)"]], ids=" ".join
)  # fmt: skip
def test_collections_are_not_merged(command: list[str], tmp_path: Path) -> None:
    refused = irci(*command, "--quiet", "--scores", written(tmp_path / "x", TABLE))
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "scores of 2 collections (x y)" in refused.stderr


def test_one_collection_with_a_name_is_as_any_other(tmp_path: Path) -> None:
    """The name comes and goes with the scores, and changes nothing else."""
    saved, again, plain = (str(tmp_path / name) for name in ("saved", "again", "plain"))
    options = ["-B", "0", "-m", "P_10"]
    from_runs = irci("ap-ci", *options, "--save-scores", saved, "--collection", "small set", QRELS, *RUNS)
    assert Path(saved).read_text().splitlines()[:2] == [
        "collection\trun\ttopic\tmeasure\tsplit\tpart\tvalue", "small set\talpha\t1\tP_10\t0\t0\t0.1",
    ]  # fmt: skip
    irci("ap-ci", *options, "--save-scores", plain, QRELS, *RUNS)
    assert [line.partition("\t")[2] for line in Path(saved).read_text().splitlines()] == Path(
        plain
    ).read_text().splitlines()
    assert irci("ap-ci", "--quiet", *options, "--scores", "--save-scores", again, saved).stdout == from_runs.stdout
    assert Path(again).read_text() == Path(saved).read_text()


def test_partitions_of_a_collection_have_its_name(tmp_path: Path) -> None:
    saved, again, two = (str(tmp_path / name) for name in ("saved", "again", "two"))
    options = ["--quiet", "--policy", "drop", "-B", "20"]
    irci("partition-anova", *options, "--save-scores", saved, "--collection", "x", QRELS, *RUNS[:3])
    assert Path(saved).read_text().startswith("collection\trun\ttopic\tmeasure\tsplit\tpart\tvalue\nx\t")
    assert irci("partition-anova", *options, "--scores", "--save-scores", again, saved).exit_code == 0
    assert Path(again).read_text() == Path(saved).read_text()
    Path(two).write_text(Path(saved).read_text() + Path(saved).read_text().replace("\nx\t", "\ny\t"))
    refused = irci("partition-anova", "--scores", two)
    assert (refused.exit_code, refused.stderr) == (
        4,
        f"irci: {two}: scores of 2 collections (x y): take one at a time\n",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--collection", "x"], "--collection is the name that saved scores are given: add --save-scores."),
        (["--collection", " x", "--save-scores", "/dev/null"], "' x' is no name"),
    ],
)
def test_names_of_collections_are_refused(options: list[str], message: str) -> None:
    refused = irci("map-ci", *options, QRELS, *RUNS)
    assert refused.exit_code == 2
    assert message in refused.stderr
