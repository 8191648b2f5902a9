"""Several collections: right means each one's numbers as by itself, means and limits by plain loops, and no topic of one taken
for that of another."""

import itertools
import json
import math
import os
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive_structured
import numpy as np
import pytest
from command_lines import irci
from helpers import SMALL, pick
from scipy import stats

from irci.data.score_files import read_scores
from irci.data.scores import saved_text

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
TABLE = "collection,run,topic,measure,value\nx,a,1,map,.1\nx,b,1,map,.2\ny,b,1,map,.3\ny,a,1,map,.4\ny,a,2,map,.5\n"


rows_of = partial(command_lines.rows_of, "map-ci")
warnings_of = partial(command_lines.warnings_of, "map-ci")


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
        (TABLE.replace("y,a,2", ",a,2"), "6: a collection without a name, or with a tab, a line end or a NUL in it"),
        (TABLE.replace("y,a,2", "y,a,1"), "6: map of run 'a' on topic '1' of collection 'y' twice"),
        (TABLE.replace("n,run", "n,collection,run").replace(",a", ",a,a"), "1: two columns named collection"),
        (TABLE.replace("n,run", "n,Dataset,run").replace(",a", ",a,a"), "1: columns collection and dataset: which of"),
        ('{"query_id": "1", "measure": "AP", "value": 1, "dataset": "x", "collection": "y"}', "1: not an object with"),
        ('{"query_id": "1", "measure": "AP", "value": 1, "collection": 3}', "1: not an object with"),
    ],
)
def test_bad_columns_of_collections(text: str, reason: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x", text)
    refused = irci("map-ci", "--scores", path)
    assert refused.exit_code == 3
    assert reason in refused.stderr


@pytest.mark.parametrize("name", ["collection", "Dataset"])
def test_objects_name_their_collection(name: str, tmp_path: Path) -> None:
    """Of ir_measures' jsonl: scores of two collections are not pooled."""
    lines = [
        json.dumps({"query_id": "1", "measure": "AP", "value": value, name: collection})
        for collection, value in (("x", 0.1), ("y", 0.4))
    ]
    (x, y), _ = read_scores([written(tmp_path / "run", "\n".join(lines))])
    assert (x.collection, x.values["AP"].tolist()) == ("x", [[0.1]])
    assert (y.collection, y.values["AP"].tolist()) == ("y", [[0.4]])


def test_files_with_and_without_the_column_are_not_mixed(tmp_path: Path) -> None:
    paths = [written(tmp_path / "x", TABLE), written(tmp_path / "y", "run,topic,measure,value\na,1,map,.1\n")]
    for each in (paths, paths[::-1]):
        refused = irci("map-ci", "--scores", *each)
        assert refused.exit_code == 3
        assert refused.stderr.endswith(
            f"{each[1]}: other files have a column collection, this one has not, or the reverse\n"
        )


@pytest.mark.parametrize(
    "command", [["ap-ci"], ["map-ci", "--clusters", "(?P<cluster>.)"]], ids=" ".join
)  # fmt: skip
def test_collections_are_not_merged(command: list[str], tmp_path: Path) -> None:
    refused = irci(*command, "--quiet", "--scores", written(tmp_path / "x", TABLE))
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "scores of 2 collections (x y)" in refused.stderr


def of_collection(table: str, name: str) -> str:
    """Saved scores with the name of their collection."""
    head, *lines = table.splitlines()
    return "\n".join([f"collection\t{head}", *(f"{name}\t{line}" for line in lines), ""])


def test_one_collection_with_a_name_is_as_any_other(tmp_path: Path) -> None:
    """The name comes and goes with the scores, and changes nothing else."""
    saved, again, plain = (str(tmp_path / name) for name in ("saved", "again", "plain"))
    options = ["-B", "0", "-m", "P_10"]
    from_runs = irci("ap-ci", *options, "--save-scores", plain, QRELS, *RUNS)
    Path(saved).write_text(of_collection(Path(plain).read_text(), "small set"))
    assert irci("ap-ci", "--quiet", *options, "--scores", "--save-scores", again, saved).stdout == from_runs.stdout
    assert Path(again).read_text() == Path(saved).read_text()


def test_partitions_of_a_collection_have_its_name(tmp_path: Path) -> None:
    saved, again, two = (str(tmp_path / name) for name in ("saved", "again", "two"))
    options = ["--quiet", "--policy", "drop", "-B", "20"]
    irci("partition-anova", *options, "--save-scores", saved, QRELS, *RUNS[:3])
    Path(saved).write_text(of_collection(Path(saved).read_text(), "x"))
    assert irci("partition-anova", *options, "--scores", "--save-scores", again, saved).exit_code == 0
    assert Path(again).read_text() == Path(saved).read_text()
    Path(two).write_text(Path(saved).read_text() + Path(saved).read_text().replace("\nx\t", "\ny\t"))
    refused = irci("partition-anova", "--scores", two)
    assert (refused.exit_code, refused.stderr) == (
        4,
        f"irci: {two}: scores of 2 collections (x y): take one at a time\n",
    )


# Numbers, of runs r0, r1, ... on collections of these sizes.

SIZES = {"x": 5, "why": 9, "z": 3}
Cells = dict[str, dict[str, dict[str, float]]]  # collection -> run -> topic -> score


def cells_of(sizes: dict[str, int] = SIZES, runs: int = 4, seed: int = 1) -> Cells:
    """Scores that differ by run, more in some collections than in others; topics of all collections have the same ids."""
    rng = np.random.default_rng(seed)
    return {
        name: {
            f"r{run}": {
                f"{topic}": float(np.clip(0.3 + 0.06 * run * place + rng.normal(0, 0.15), 0, 1).round(4))
                for topic in range(size)
            }
            for run in range(runs)
        }
        for place, (name, size) in enumerate(sizes.items())
    }  # fmt: skip


def table_of(cells: Cells, column: bool = True) -> str:
    head = "collection\t" * column + "run\ttopic\tmeasure\tvalue"
    lines = [
        f"{name}\t" * column + f"{run}\t{topic}\tmap\t{value}"
        for name, runs in cells.items()
        for run, topics in runs.items()
        for topic, value in topics.items()
    ]
    return "\n".join([head, *lines, ""])


def differences(cells: Cells, run: str, baseline: str | None) -> tuple[list[float], list[str]]:
    """On all topics, and the collection of each."""
    found = [
        (value - (runs[baseline][topic] if baseline else 0), name)
        for name, runs in cells.items()
        for topic, value in runs[run].items()
    ]
    return [value for value, _ in found], [name for _, name in found]


def test_means_and_limits_against_naive(tmp_path: Path) -> None:
    """Both populations, of runs and of differences, by plain loops over collections; over collections no surer than over
    topics of these, which is the wider of the two for some."""
    cells = cells_of()
    rows = rows_of("--all-pairs", "--scores", written(tmp_path / "x", table_of(cells)))
    compared, narrower = 0, 0
    for row in pick(rows, collection="all"):
        baseline = row.get("baseline")
        values, names = differences(cells, str(row["run"]), None if baseline is None else str(baseline))
        of_these = naive_structured.strata(values, names, True)
        is_of_these = row["population"] == "topics"
        found = of_these if is_of_these else naive_structured.mean_of_means(values, names)
        lower, upper, p = naive_structured.limits_and_p(found)
        if baseline is not None:
            lower, upper, p = naive_structured.of_few(found, len(values) if is_of_these else len(SIZES))
        if not is_of_these:
            others = naive_structured.limits_and_p(of_these)
            if baseline is not None:
                others = naive_structured.of_few(of_these, len(values))
            narrower += others[0] < lower
            lower, upper, p = naive_structured.no_surer((lower, upper, p), others)
        lower, upper = np.clip([lower, upper], 0 if baseline is None else -1, 1)
        assert row["value"] == pytest.approx(found[0], rel=1e-12)
        assert (row["lower"], row["upper"]) == pytest.approx((lower, upper), rel=1e-9, abs=1e-12)
        assert (row["df"], row["topics"]) == (pytest.approx(found[2], rel=1e-9), sum(SIZES.values()))
        if baseline is not None:
            assert row["p"] == pytest.approx(p, rel=1e-9)
        compared += 1
    assert compared == 2 * (4 + 6)
    assert 0 < narrower < 10


def test_pairs_of_a_population_are_adjusted_together(tmp_path: Path) -> None:
    rows = pick(rows_of("--all-pairs", "--scores", written(tmp_path / "x", table_of(cells_of()))), measure="map_diff")
    for collection, population in (*((name, "topics") for name in SIZES), ("all", "topics"), ("all", "collections")):
        some = sorted(pick(rows, collection=collection, population=population), key=lambda row: float(str(row["p"])))
        holm = list(itertools.accumulate((min(1, (6 - k) * float(str(row["p"]))) for k, row in enumerate(some)), max))
        assert [row["p_adjusted"] for row in some] == pytest.approx(holm, rel=1e-12)


def numbers_of(row: dict[str, object], among: dict[str, object]) -> dict[str, object]:
    """What both rows have."""
    return {name: cell for name, cell in row.items() if name in among}


ADJUSTED = ("lower_adjusted", "upper_adjusted")
ASKED = [["--baseline", "r1"], ["--all-pairs", "--ranks"], ["--baseline", "r0", "--test", "randomization"]]


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_rows_of_a_collection_are_those_of_map_ci_alone(asked: list[str], tmp_path: Path) -> None:
    """To the last digit; limits of all pairs at once but for that."""
    cells = cells_of({"x": 12, "y": 7})
    rows = rows_of(*asked, "--scores", written(tmp_path / "all", table_of(cells)))
    for name, runs in cells.items():
        path = written(tmp_path / name, table_of({name: runs}, column=False))
        alone = [row for row in rows_of(*asked, "--population", "topics", "--scores", path) if row["measure"] != "rank"]
        found = pick(rows, collection=name)
        assert len(found) == len(alone) == 4 + len(pick(alone, measure="map_diff"))
        for row, expected in zip(found, alone, strict=True):
            both = numbers_of(row, expected)
            assert set(expected) - set(both) <= {"effect_size"}
            for each in ADJUSTED:
                if each in both:
                    assert both.pop(each) == pytest.approx(expected[each], rel=1e-12)
            assert both == {each: expected[each] for each in both}


@pytest.mark.parametrize("population", ["topics", "collections"])
def test_signs_against_enumeration(population: str, tmp_path: Path) -> None:
    """One sign a collection, or one a topic, which counts as its collection's mean does: all assignments gone through."""
    cells = cells_of({"x": 2, "y": 5, "z": 3}, runs=3)
    path = written(tmp_path / "x", table_of(cells))
    rows = pick(
        rows_of("--all-pairs", "--test", "randomization", "--population", population, "--scores", path),
        collection="all",
    )
    compared = pick(rows, measure="map_diff")
    assert len(compared) == 3
    for row in compared:
        values, names = differences(cells, str(row["run"]), str(row["baseline"]))
        weighed = [value / names.count(name) for value, name in zip(values, names, strict=True)]
        units = names if population == "collections" else range(len(names))
        assert row["p"] == pytest.approx(naive_structured.p_by_signs(weighed, list(units)), rel=1e-12)
        assert row["test"] == "randomization"


def test_largest_statistic_against_enumeration(tmp_path: Path) -> None:
    """Step-down p of all pairs over collections given: u of differences that count as their collections do."""
    cells = cells_of({"x": 2, "y": 4, "z": 3}, runs=3)
    path = written(tmp_path / "x", table_of(cells))
    rows = rows_of("--all-pairs", "--correction", "maxt", "--ranks", "--population", "topics", "--scores", path)
    pairs = pick(pick(rows, measure="map_diff"), collection="all")
    columns = []
    for row in pairs:
        values, names = differences(cells, str(row["run"]), str(row["baseline"]))
        columns.append([value / names.count(name) for value, name in zip(values, names, strict=True)])
    z = np.array(columns)
    signs = np.array(list(itertools.product((1, -1), repeat=z.shape[1])))
    u = np.abs(signs @ z.T) / np.sqrt((z**2).sum(axis=1))
    observed = np.abs(z.sum(axis=1)) / np.sqrt((z**2).sum(axis=1))
    order, p = np.argsort(-observed), np.zeros(len(pairs))
    for k, place in enumerate(order):
        largest = u[:, order[k:]].max(axis=1)
        p[place] = (largest >= observed[place] - 1e-9).mean()
    p[order] = np.maximum.accumulate(p[order])
    assert [row["p_adjusted"] for row in pairs] == pytest.approx(p.tolist(), rel=1e-12)
    ranks = pick(rows, measure="rank")
    assert [row["population"] for row in ranks] == ["topics"] * 3
    for row in ranks:
        sure = [
            pair
            for pair in pairs
            if float(str(pair["p_adjusted"])) <= 0.05 and row["run"] in (pair["run"], pair["baseline"])
        ]
        worse = sum((float(str(pair["value"])) > 0) != (pair["run"] == row["run"]) for pair in sure)
        assert (row["lower"], row["upper"]) == (1 + worse, 3 - (len(sure) - worse))


def test_heterogeneity_against_naive(tmp_path: Path) -> None:
    cells = cells_of()
    rows = rows_of("--baseline", "r0", "--scores", written(tmp_path / "x", table_of(cells)))
    found = [row for row in rows if row.get("table") == "heterogeneity_map"]
    assert [(row["run"], row["baseline"]) for row in found] == [("r1", "r0"), ("r2", "r0"), ("r3", "r0")]
    for row in found:
        values, names = differences(cells, str(row["run"]), "r0")
        of = naive_structured.by_group(values, names)
        x = [float(np.mean(each)) for each in of]
        w = [len(each) / float(np.var(each, ddof=1)) for each in of]
        mean = sum(a * b for a, b in zip(w, x, strict=True)) / sum(w)
        q = sum(a * (b - mean) ** 2 for a, b in zip(w, x, strict=True))
        tau2 = max(0.0, (q - 2) / (sum(w) - sum(each**2 for each in w) / sum(w)))
        assert (row["Q"], row["df"], row["Q_p"]) == (pytest.approx(q), 2, pytest.approx(stats.chi2.sf(q, 2)))
        assert row["tau"] == pytest.approx(math.sqrt(tau2))
        assert row["I2"] == pytest.approx(max(0.0, 1 - 2 / q))


# Where collections come from.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two collections of runs alpha and bravo, whose topics have the same ids: the small one, and half of it."""
    lines = (SMALL / "qrels.txt").read_text().splitlines(keepends=True)
    for name, kept in (("whole", 1), ("half", 2)):
        (tmp_path / "beir" / name / "runs").mkdir(parents=True)
        (tmp_path / "beir" / name / "qrels.txt").write_text(
            "".join(line for line in lines if int(line.split()[0]) % kept == 0)
        )
        for run in ("alpha", "bravo"):
            source = next((SMALL / "runs").glob(f"{run}*"))
            shutil.copy(source, tmp_path / "beir" / name / "runs" / source.name)
    (tmp_path / "beir" / "README").write_text("no collection")
    (tmp_path / "beir" / "notes").mkdir()
    return tmp_path / "beir"


def listing(folder: Path, separator: str = " ") -> str:
    lines = [separator.join((name, f"{name}/qrels.txt", f"{name}/runs/*")) for name in ("half", "whole")]
    return written(folder / "list", "\n".join([*lines, ""]))


def test_a_list_and_a_folder_and_saved_scores_say_the_same(folder: Path, tmp_path: Path) -> None:
    """And scores saved of each collection, joined; each with its own numbers."""
    saved = str(tmp_path / "saved")
    options = ["-m", "map", "-m", "P_10", "-m", "lmap", "--baseline", "alpha"]
    expected = rows_of(*options, str(folder), "--save-scores", saved)
    assert rows_of(*options, "--collections", listing(folder)) == expected
    assert rows_of(*options, "--collections", listing(folder, "\t")) == expected
    assert rows_of(*options, "--scores", saved) == expected
    parts = []
    for name in ("half", "whole"):
        runs = sorted(map(str, (folder / name / "runs").iterdir()))
        for run in runs:
            part = str(tmp_path / f"part{len(parts)}")
            irci(
                "ap-ci",
                "-B",
                "0",
                "-m",
                "map",
                "-m",
                "P_10",
                "--save-scores",
                part,
                str(folder / name / "qrels.txt"),
                run,
            )
            parts.append(of_collection(Path(part).read_text(), name))
        alone = rows_of(*options, "--population", "topics", str(folder / name / "qrels.txt"), *runs)
        found = pick(expected, collection=name)
        assert [numbers_of(row, other) for row, other in zip(found, alone, strict=True)] == [
            numbers_of(other, row) for row, other in zip(found, alone, strict=True)
        ]
    result = irci("map-ci", "--quiet", "--format", "json", *options, "--scores", "-", given="".join(parts))
    assert json.loads(result.stdout)["rows"] == json.loads(json.dumps(expected).replace("NaN", "null"))
    lists = [f"{name} part{place}\n" for place, name in ((0, "half"), (2, "whole"))]
    of_list = rows_of("-m", "map", "--scores", "--collections", written(tmp_path / "scores", "".join(lists)))
    assert of_list == [row for row in expected if row["run"] == "alpha" and row["measure"] == "map"]


def test_means_of_logits_are_means_of_each_collection(folder: Path) -> None:
    rows = rows_of("-m", "lmap", str(folder))
    for run in ("alpha", "bravo"):
        of = {
            str(row["collection"]): float(str(row["value"]))
            for row in pick(rows, run=run, measure="lmap_logit", population="topics")
        }
        assert of["all"] == pytest.approx((of["half"] + of["whole"]) / 2)
        (back,) = pick(rows, run=run, measure="lmap", population="topics", collection="all")
        assert back["value"] == pytest.approx(1 / (1 + math.exp(-of["all"])))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a q r\nb q\n", "2: 2 fields, expected name, qrels and runs"),
        ("a q r\na q r\n", "2: collection 'a' twice"),
        ("", "0 collections, where several are compared"),
        ("a q r\n", "1 collection, where several are compared"),
        ("a q r\nall q r\n", "a collection is called all"),
        ("a q r\nb q r\n", "q: no such file or directory"),
    ],
)
def test_bad_lists(text: str, reason: str, tmp_path: Path) -> None:
    refused = irci("map-ci", "--collections", written(tmp_path / "list", text))
    assert refused.exit_code == (4 if "several" in reason or "called" in reason else 3), refused.output
    assert reason in refused.stderr


def test_bad_folders(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    refused = irci("map-ci", str(tmp_path))
    assert refused.exit_code == 4
    assert "no NAME/qrels.txt or NAME/qrels/test.tsv in this folder, which holds x" in refused.stderr
    written(tmp_path / "x" / "qrels.txt", "1 0 a 1\n")
    refused = irci("map-ci", str(tmp_path))
    assert (refused.exit_code, f"{tmp_path}{os.sep}x{os.sep}runs: no runs of collection x" in refused.stderr) == (
        4,
        True,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--collections", "{folder}"], "is a folder: give it in place of QRELS and RUNs, without this option"),
        (["-q"], "--per-topic is not for several collections."),
        (["--topics", "1"], "--topics is not for several collections."),
        (["--mean", "clusters"], "--mean is not for several collections."),
        (
            ["--population", "documents"],
            "--population documents is not for several collections: use collections or topics.",
        ),
        (["--clusters", "(?P<cluster>.)"], "--clusters and --collections do not go together."),
        (["--test", "wilcoxon"], "--test wilcoxon is not for several collections: use t or randomization."),
        (["-n"], "-n alone leaves nothing to print"),
        (
            ["--baseline", "alpha", "--standardise", "z", "--margin", "2%"],
            "a percentage of a mean of z scores means nothing",
        ),
        (["--save-scores", "{folder}/half/qrels.txt"], "would overwrite the input"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_collections_refuse(options: list[str], message: str, folder: Path) -> None:
    refused = irci("map-ci", str(folder), *(each.format(folder=folder) for each in options))
    assert refused.exit_code == 2, refused.output
    assert message in refused.stderr


# The picture.


def forests(scores: str, **pairs: Any) -> list[tuple[str, list[str]]]:
    """Of each panel of a picture its title and the names of its rows."""
    from irci.api.functions import map_ci
    from irci.output.plots import drawing, panels_of
    from irci.output.plots.layout import figure_of

    report = map_ci(scores=scores, no_summary=True, **pairs)
    panels = panels_of(report)
    with drawing():
        axes = figure_of(panels).axes
    forests = [axis for panel, axis in zip(panels, axes, strict=True) if "−" in panel.title]
    assert [axis.get_legend() is not None for axis in forests] == [place == 0 for place in range(len(forests))]
    return [
        (panel.title, [each.get_text() for each in axis.get_yticklabels()])
        for panel, axis in zip(panels, axes, strict=True)
    ]


def test_forests(tmp_path: Path) -> None:
    """A forest a pair, collections with their topics above both means; the means of pairs together if there are several."""
    names = ["x (5)", "why (9)", "z (3)", "mean, like these", "mean, these"]
    two = written(tmp_path / "two", table_of(cells_of(runs=2)))
    assert forests(two, baseline="r0") == [("r1 − r0", names)]
    three = written(tmp_path / "three", table_of(cells_of(runs=3)))
    first, *others = forests(three, all_pairs=True)
    assert first[0] == "difference in mean map"
    assert others == [(title, names) for title in ("r1 − r0", "r2 − r0", "r2 − r1")]
    many = written(tmp_path / "many", table_of(cells_of(runs=8)))
    assert [title for title, _ in forests(many, all_pairs=True)] == ["difference in mean map"]


SHOWN = {"all": "collections"}  # populations of columns of a paper's table, others topics


def test_a_table_for_a_paper(tmp_path: Path) -> None:
    """A column a collection, and their mean last, with the signs and limits that hold for other collections."""
    path = written(tmp_path / "x", table_of(cells_of()))
    options = ["map-ci", "--quiet", "--baseline", "r0", "--scores", path]
    header, _, *lines = irci(*options, "--layout", "wide", "--digits", "4").stdout.splitlines()
    assert header.split() == ["run", "x", "why", "z", "mean"]
    rows = rows_of(*options[2:])
    for line, run in zip(lines, ("r0", "r1", "r2", "r3"), strict=False):
        cells = re.findall(r"(\.\d+)[\^†‡]* +\[(-?\.\d+), (-?\.\d+)\]", line.replace("-0.", "-.").replace(" 0.", " ."))
        for name, cell in zip((*SIZES, "all"), cells, strict=True):
            (row,) = pick(rows, run=run, collection=name, measure="map", population=SHOWN.get(name, "topics"))
            shown = [min(max(float(str(row[each])), 0), 1) for each in ("value", "lower", "upper")]
            assert [float(each) for each in cell] == pytest.approx(shown, abs=6e-5)
    sure = [
        row
        for row in pick(rows, measure="map_diff")
        if float(str(row["p_adjusted"])) <= 0.05 and row["population"] == SHOWN.get(str(row["collection"]), "topics")
    ]
    marks = "".join(lines[:4])
    assert marks.count("†") == sum(float(str(row["value"])) > 0 for row in sure)
    assert marks.count("†") + marks.count("‡") == len(sure) > 0
    assert (
        "# Mean map on each of 3 collections (17 topics in all), and over all, collections weighted equally, with 95%"
        in "\n".join(lines)
    )
    csv = irci(*options, "--layout", "wide", "--format", "csv").stdout.splitlines()[0].split(",")
    assert [name for name in csv if name.endswith("_lower") and "diff" not in name] == [
        "map_x_lower", "map_why_lower", "map_z_lower", "map_lower",
    ]  # fmt: skip


def test_columns_stand_in_the_order_of_the_table(tmp_path: Path) -> None:
    """Whichever collection the first run lacks."""
    cells = cells_of()
    del cells["why"]["r0"]
    table = irci("map-ci", "--quiet", "--layout", "wide", "--scores", written(tmp_path / "x", table_of(cells))).stdout
    assert table.splitlines()[0].split() == ["run", *SIZES, "mean"]


# Edges.


def test_a_run_that_a_collection_lacks_is_left_out_of_means(tmp_path: Path) -> None:
    """And named; its own rows stay, and other runs' means do not change."""
    cells = cells_of()
    whole = rows_of("--all-pairs", "--scores", written(tmp_path / "whole", table_of(cells)))
    del cells["why"]["r2"]
    path = written(tmp_path / "x", table_of(cells))
    rows = rows_of("--all-pairs", "--scores", path)
    assert warnings_of("--all-pairs", "--scores", path)[0] == "1 run not in why, left out of means over collections: r2"
    assert {row["collection"] for row in pick(rows, run="r2")} == {"x", "z"}
    means = [row for row in pick(whole, collection="all", measure="map") if row["run"] != "r2"]
    assert pick(rows, collection="all", measure="map") == means
    assert len(pick(rows, collection="why", measure="map_diff")) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--baseline", "r2"], "--baseline r2: not in why"),
        (
            ["--baseline", "mean"],
            "--baseline mean: would be that of other runs in some collections: leave out incomplete runs",
        ),
        (["--baseline", "r5"], "no run is named 'r5'"),
    ],
)
def test_baselines_that_not_all_collections_have(options: list[str], message: str, tmp_path: Path) -> None:
    cells = cells_of()
    del cells["why"]["r2"]
    refused = irci("map-ci", "--quiet", *options, "--scores", written(tmp_path / "x", table_of(cells)))
    assert refused.exit_code == 4
    assert message in refused.stderr


def test_no_run_is_in_all_collections(tmp_path: Path) -> None:
    cells = cells_of({"x": 4, "y": 4}, runs=1)
    cells["y"] = {"other": cells["y"]["r0"]}
    refused = irci("map-ci", "--scores", written(tmp_path / "x", table_of(cells)))
    assert (refused.exit_code, "no run is in all collections" in refused.stderr) == (4, True)


def test_a_collection_of_one_topic_has_no_variance(tmp_path: Path) -> None:
    path = written(tmp_path / "x", table_of(cells_of({"x": 4, "one": 1, "y": 4})))
    rows = rows_of("--baseline", "r0", "--scores", path)
    (over_topics, over_collections) = pick(rows, run="r1", measure="map_diff", collection="all")[::-1]
    assert (over_topics["population"], math.isnan(float(str(over_topics["lower"])))) == ("topics", True)
    assert math.isfinite(float(str(over_collections["lower"])))
    told = warnings_of("--baseline", "r0", "--scores", path)
    assert "one: no limits over the topics of all collections: one topic, whose variance cannot be estimated" in told


def test_runs_without_a_topic_in_common_in_one_collection(tmp_path: Path) -> None:
    cells = cells_of({"x": 6, "y": 7}, runs=2)
    cells["x"]["elsewhere"] = {"alone": 0.3}
    path = written(tmp_path / "x", table_of(cells))
    refused = irci("map-ci", "-n", "--baseline", "r0", "--missing", "drop", "--scores", path)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert f"{path} in x: the runs have no topic in common" in refused.stderr


def test_a_measure_that_a_collection_lacks(tmp_path: Path) -> None:
    text = TABLE + "x,a,1,P_5,.1\nx,b,1,P_5,.1\n"
    refused = irci("map-ci", "--scores", written(tmp_path / "x", text))
    assert (refused.exit_code, "irci: y: no scores of P_5; choose measures of all by -m" in refused.stderr) == (4, True)
    assert irci("map-ci", "-m", "map", "--scores", str(tmp_path / "x")).exit_code == 0


def test_one_collection_where_several_are_asked_for(tmp_path: Path) -> None:
    table = written(tmp_path / "x", "run,topic,measure,value\na,1,map,1")
    refused = irci("map-ci", "--scores", "--population", "collections", table)
    assert refused.exit_code == 2
    assert "--population collections is for several collections: these are scores of one." in refused.stderr


def test_rows_are_sorted_within_each_collection(tmp_path: Path) -> None:
    rows = rows_of("--sort", "value", "--scores", written(tmp_path / "x", table_of(cells_of())))
    for collection in (*SIZES, "all"):
        values = [float(str(row["value"])) for row in pick(rows, collection=collection, population="topics")]
        assert values == sorted(values, reverse=True)
    names = [row["collection"] for row in rows]
    assert list(dict.fromkeys(names)) == [name for name, _ in itertools.groupby(names)] == [*SIZES, "all"]


# Simulated: 13 collections of BEIR's sizes, whose true differences vary with a standard deviation of .05 around 0; those of
# topics with .186, which makes limits over the topics of these collections .013 wide.

BEIR = (49, 50, 300, 323, 400, 648, 1000, 1406, 1535, 3452, 2000, 2171, 6666)


def test_what_is_warned_of_several_collections_alike_is_told_once(tmp_path: Path) -> None:
    """With the largest number, and the names of all; what only one has is told of that one."""
    for name, topics in (("one", 1), ("two", 3), ("three", 2)):
        folder = tmp_path / name
        (folder / "runs").mkdir(parents=True)
        judged = "".join(f"{topic} 0 d{topic} 1\n" for topic in range(9))
        (folder / "qrels.txt").write_text(judged + "".join(f"z{topic} 0 d 0\n" for topic in range(topics)))
        for run in "ab":
            lines = [f"{topic} Q0 d{topic if run == 'a' else 0} 1 1 {run}\n" for topic in range(9)]
            more = "9 Q0 d 1 1 a\n" if (run, name) == ("a", "two") else ""
            (folder / "runs" / run).write_text("".join(lines) + more)
    told = warnings_of(tmp_path, "--baseline", "a")
    assert (
        f"{tmp_path}/two/qrels.txt: 3 topics without relevant documents, counted in means as 0: z0 z1 z2 (the like in 3"
        " collections: one three two)" in told
    )
    like = "(the like in 3 collections: one three two)"
    assert f"--missing auto: 3 topics that no more than half of the runs have, left out: z0 z1 z2 {like}" in told
    assert [each for each in told if "without judgments" in each] == [
        f"{tmp_path}/two/runs/a: 1 topic without judgments, ignored: 9"
    ]
