"""Several collections: right means each one's numbers as by itself, means and limits by plain loops, and no topic of one taken
for that of another; limits of tau, and of one more collection."""

import json
import math
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive_inference
import naive_structured
import numpy as np
import pytest
from command_lines import irci
from helpers import QRELS, RUNS, SMALL, pick, score_table, written
from scipy import optimize, stats

from irci.data.score_files import read_scores
from irci.data.scores import saved_text

TABLE = "collection,run,topic,measure,value\nx,a,1,map,.1\nx,b,1,map,.2\ny,b,1,map,.3\ny,a,1,map,.4\ny,a,2,map,.5\n"


rows_of = partial(command_lines.rows_of, "map-ci")
warnings_of = partial(command_lines.warnings_of, "map-ci")


@pytest.mark.parametrize("name", ["collection", "Dataset"])
def test_a_table_holds_several_collections(name: str, tmp_path: Path) -> None:
    """The same topic id in two collections is two topics; runs and collections as they come."""
    path = written(tmp_path / "x", TABLE.replace("collection", name))
    (x, y), recognised = read_scores([path])
    assert recognised == [(path, "long")]
    assert (x.collection, x.runs, x.topics, x.values["map"].tolist()) == ("x", ["a", "b"], ["1"], [[0.1], [0.2]])
    assert (y.collection, y.runs, y.topics) == ("y", ["a", "b"], ["1", "2"])
    assert y.values["map"][:, 0].tolist() == [0.4, 0.3]
    again, _ = read_scores([written(tmp_path / "again", saved_text(x) + saved_text(y))])
    assert [saved_text(each) for each in again] == [saved_text(x), saved_text(y)]
    assert saved_text(x, y).splitlines() == [*saved_text(x).splitlines(), *saved_text(y).splitlines()[1:]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TABLE.replace("y,a,2", ",a,2"), "6: a collection without a name, or with a tab, a line end or a NUL in it"),
        (TABLE.replace("y,a,2", "y,a,1"), "6: map of run 'a' on topic '1' of collection 'y' twice"),
        (TABLE.replace("n,run", "n,collection,run").replace(",a", ",a,a"), "1: two columns named collection"),
        ('{"query_id": "1", "measure": "AP", "value": 1, "dataset": "x", "collection": "y"}', "1: not an object with"),
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
        refused = irci("map-ci", "--scores", *each, status=3)
        told = f"{each[1]}: other files have a column collection, this one has not, or the reverse\n"
        assert refused.stderr.endswith(told)


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


# Numbers, of runs r0, r1, ... on collections of these sizes.

SIZES = {"x": 5, "why": 9, "z": 3}
Cells = dict[str, dict[str, dict[str, float]]]  # collection -> run -> topic -> score


def cells_of(sizes: dict[str, int] = SIZES, runs: int = 4, seed: int = 1) -> Cells:
    """Scores that differ by run, more in some collections than in others; topics of all collections have the same ids."""
    rng = np.random.default_rng(seed)

    def of_run(size: int, effect: float) -> dict[str, float]:
        return {f"{topic}": float(np.clip(0.3 + effect + rng.normal(0, 0.15), 0, 1).round(4)) for topic in range(size)}

    return {name: {f"r{run}": of_run(size, 0.06 * run * place) for run in range(runs)}
            for place, (name, size) in enumerate(sizes.items())}  # fmt: skip


def table_of(path: Path, cells: Cells, column: bool = True) -> str:
    found = ((name, run, topic, value)[not column:] for name, runs in cells.items() for run, topics in runs.items()
             for topic, value in topics.items())  # fmt: skip
    return str(score_table(path, found, "collection " * column + "run topic value"))


def differences(cells: Cells, run: str, baseline: str | None) -> tuple[list[float], list[str]]:
    """On all topics, and the collection of each."""
    found = [(value - (runs[baseline][topic] if baseline else 0), name) for name, runs in cells.items()
             for topic, value in runs[run].items()]  # fmt: skip
    return [value for value, _ in found], [name for _, name in found]


def weighed(cells: Cells, run: str, baseline: str | None = None) -> tuple[list[float], list[str]]:
    """The same as much as each counts in the mean."""
    values, names = differences(cells, run, baseline)
    return [value / names.count(name) for value, name in zip(values, names, strict=True)], names


ADJUSTED = ("lower_adjusted", "upper_adjusted")
ASKED = [["--baseline", "r1"], ["--all-pairs", "--ranks"], ["--baseline", "r0", "--test", "randomization"]]


@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_rows_of_a_collection_are_those_of_map_ci_alone(asked: list[str], tmp_path: Path) -> None:
    """To the last digit; limits of all pairs at once but for that."""
    cells = cells_of({"x": 12, "y": 7})
    rows = rows_of(*asked, "--scores", table_of(tmp_path / "all", cells))
    for name, runs in cells.items():
        path = table_of(tmp_path / name, {name: runs}, column=False)
        alone = [row for row in rows_of(*asked, "--population", "topics", "--scores", path) if row["measure"] != "rank"]
        found = pick(rows, collection=name)
        assert len(found) == len(alone) == 4 + len(pick(alone, measure="map_diff"))
        for row, expected in zip(found, alone, strict=True):
            assert expected.keys() - row.keys() <= {"effect_size"}
            expected |= {each: pytest.approx(expected[each], rel=1e-12) for each in ADJUSTED if each in expected}
            assert {each: row[each] for each in expected if each in row} == {
                each: cell for each, cell in expected.items() if each in row
            }


def test_largest_statistic_against_enumeration(tmp_path: Path) -> None:
    """Step-down p of all pairs over collections given: u of differences that count as their collections do."""
    cells = cells_of({"x": 2, "y": 4, "z": 3}, runs=3)
    asks = ("--all-pairs", "--correction", "maxt", "--ranks", "--population", "topics", "--scores")
    rows = rows_of(*asks, table_of(tmp_path / "x", cells))
    pairs = pick(rows, measure="map_diff", collection="all")
    places = [(int(row["run"][1:]), int(row["baseline"][1:])) for row in pairs]
    p = naive_inference.step_down(np.array([weighed(cells, f"r{run}")[0] for run in range(3)]), places)
    assert [row["p_adjusted"] for row in pairs] == pytest.approx(p, rel=1e-12)
    ranks = pick(rows, measure="rank")
    assert [row["population"] for row in ranks] == ["topics"] * 3
    for row in ranks:
        sure = [pair for pair in pairs if pair["p_adjusted"] <= 0.05 and row["run"] in (pair["run"], pair["baseline"])]
        worse = sum((pair["value"] > 0) != (pair["run"] == row["run"]) for pair in sure)
        assert (row["lower"], row["upper"]) == (1 + worse, 3 - (len(sure) - worse))


def test_heterogeneity_against_naive(tmp_path: Path) -> None:
    cells = cells_of()
    asks = ("--baseline", "r0", "--scores", table_of(tmp_path / "x", cells))
    found, said = pick(rows_of(*asks), table="heterogeneity_map"), irci("map-ci", *asks, "--explain", status=0).stdout
    assert [(row["run"], row["baseline"]) for row in found] == [("r1", "r0"), ("r2", "r0"), ("r3", "r0")]
    for row in found:
        of = naive_structured.by_group(*differences(cells, row["run"], "r0"))
        x = np.array([np.mean(each) for each in of])
        w = np.array([len(each) / np.var(each, ddof=1) for each in of])
        q = (w * (x - np.average(x, weights=w)) ** 2).sum()
        tau2 = max(0.0, (q - 2) / (w.sum() - (w**2).sum() / w.sum()))
        assert (row["Q"], row["df"], row["Q_p"]) == (pytest.approx(q), 2, pytest.approx(stats.chi2.sf(q, 2)))
        assert (row["tau"], row["I2"]) == pytest.approx((math.sqrt(tau2), max(0.0, 1 - 2 / q)))
        extent = "more than chance explains" if row["Q_p"] <= 0.05 else "no more than chance may explain"
        assert f"{row['run']} minus r0 varies between collections {extent} (Q, " in said
    assert {row["Q_p"] <= 0.05 for row in found} == {True, False}


# Where collections come from.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two collections of runs alpha and bravo, whose topics have the same ids: the small one, and half of it."""
    lines = (SMALL / "qrels.txt").read_text().splitlines(keepends=True)
    for name, kept in (("whole", 1), ("half", 2)):
        of = tmp_path / "beir" / name
        (of / "runs").mkdir(parents=True)
        written(of / "qrels.txt", "".join(line for line in lines if int(line.split()[0]) % kept == 0))
        for run in ("alpha", "bravo"):
            shutil.copy(next((SMALL / "runs").glob(f"{run}*")), of / "runs")
    written(tmp_path / "beir" / "README", "no collection")
    (tmp_path / "beir" / "notes").mkdir()
    return tmp_path / "beir"


def test_false_findings_are_counted_once_over_all_columns(folder: Path) -> None:
    """Two measures on each of two collections and over both: no sentence counts those over both alone."""
    printed = irci("map-ci", "-m", "map", "-m", "P_5", "--all-pairs", "--explain", str(folder), status=0).stdout
    counted = [line for line in printed.splitlines() if "false finding" in line]
    assert len(counted) == 1
    assert counted[0].startswith("# 2 measures on each of 2 collections and over all, 6 families:")


def test_false_findings_are_counted_where_no_pair_is_tested_over_all(tmp_path: Path) -> None:
    cells = cells_of({"x": 4, "y": 4}, runs=4)
    cells["x"].pop("r2"), cells["y"].pop("r0"), cells["y"]["r3"].popitem()  # r3, which is in both, is missing in y
    asked = ("--all-pairs", "--explain", "--format", "json", "--scores", table_of(tmp_path / "x", cells))
    assert "1 measure on each of 2 collections and over all, 2 families:" in irci("map-ci", *asked, status=0).stdout


def listing(folder: Path, separator: str = " ") -> str:
    lines = [separator.join((name, f"{name}/qrels.txt", f"{name}/runs/*")) for name in ("half", "whole")]
    return written(folder / "list", "\n".join([*lines, ""]))


def test_a_list_and_a_folder_and_saved_scores_say_the_same(folder: Path, tmp_path: Path) -> None:
    """And scores saved of each collection, joined; each with its own numbers."""
    saved = str(tmp_path / "saved")
    options = ["-m", "map", "-m", "P_10", "-m", "lmap", "--baseline", "alpha"]
    expected = rows_of(*options, str(folder), "--save-scores", saved)
    for source in (["--collections", listing(folder)], ["--collections", listing(folder, "\t")], ["--scores", saved]):
        assert rows_of(*options, *source) == expected
    parts = []
    for name in ("half", "whole"):
        qrels, runs = str(folder / name / "qrels.txt"), sorted(map(str, (folder / name / "runs").iterdir()))
        for run in runs:
            part = tmp_path / f"part{len(parts)}"
            irci("ap-ci", "-B", "0", "-m", "map", "-m", "P_10", "--save-scores", part, qrels, run)
            parts.append(of_collection(part.read_text(), name))
        alone = rows_of(*options, "--population", "topics", qrels, *runs)
        for row, other in zip(pick(expected, collection=name), alone, strict=True):
            assert {each: row[each] for each in row if each in other} == {
                each: other[each] for each in other if each in row
            }
    result = irci("map-ci", "--quiet", "--format", "json", *options, "--scores", "-", given="".join(parts))
    assert json.loads(result.stdout)["rows"] == json.loads(json.dumps(expected).replace("NaN", "null"))
    lists = [f"{name} part{place}\n" for place, name in ((0, "half"), (2, "whole"))]
    of_list = rows_of("-m", "map", "--scores", "--collections", written(tmp_path / "scores", "".join(lists)))
    assert of_list == pick(expected, run="alpha", measure="map")


def test_bad_folders(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    told = "no NAME/qrels.txt or NAME/qrels/test.tsv in this folder, which holds x"
    assert told in irci("map-ci", tmp_path, status=4).stderr
    written(tmp_path / "x" / "qrels.txt", "1 0 a 1\n")
    assert f"{tmp_path}{os.sep}x{os.sep}runs: no runs of collection x" in irci("map-ci", tmp_path, status=4).stderr


# The picture.


def forests(scores: str, **pairs: Any) -> list[tuple[str, list[str]]]:
    """Of each panel of a picture its title and the names of its rows."""
    from irci.api.functions import map_ci
    from irci.output.plots import drawing, figure_of, panels_of

    report = map_ci(scores=scores, no_summary=True, **pairs)
    panels = panels_of(report)
    with drawing():
        axes = figure_of(panels, None, None).axes
    forests = [axis for panel, axis in zip(panels, axes, strict=True) if "−" in panel.title]
    assert [axis.get_legend() is not None for axis in forests] == [place == 0 for place in range(len(forests))]
    return [
        (panel.title, [each.get_text() for each in axis.get_yticklabels()])
        for panel, axis in zip(panels, axes, strict=True)
    ]


def test_forests(tmp_path: Path) -> None:
    """A forest a pair, collections with their topics above both means; the means of pairs together if there are several."""
    names = ["x (5)", "why (9)", "z (3)", "mean, like these", "mean, these"]
    two, three, many = (table_of(tmp_path / f"{runs}", cells_of(runs=runs)) for runs in (2, 3, 8))
    assert forests(two, baseline="r0") == [("r1 − r0", names)]
    first, *others = forests(three, all_pairs=True)
    assert first[0] == "difference in mean map"
    assert others == [(title, names) for title in ("r1 − r0", "r2 − r0", "r2 − r1")]
    assert [title for title, _ in forests(many, all_pairs=True)] == ["difference in mean map"]


# Edges.


def test_baselines_that_not_all_collections_have(tmp_path: Path) -> None:
    cells = cells_of()
    del cells["why"]["r2"]
    path = table_of(tmp_path / "x", cells)
    of_others = "mean: would be that of other runs in some collections: leave out incomplete runs"
    for baseline, told in (("r2", "r2: not in why"), ("mean", of_others)):
        refused = irci("map-ci", "--quiet", "--baseline", baseline, "--scores", path, status=4)
        assert f"--baseline {told}" in refused.stderr


def test_no_run_is_in_all_collections(tmp_path: Path) -> None:
    cells = cells_of({"x": 4, "y": 4}, runs=1)
    cells["y"] = {"other": cells["y"]["r0"]}
    refused = irci("map-ci", "--scores", table_of(tmp_path / "x", cells), status=4)
    assert "no run is in all collections" in refused.stderr


def test_a_collection_of_one_topic_has_no_variance(tmp_path: Path) -> None:
    asks = ("--baseline", "r0", "--scores", table_of(tmp_path / "x", cells_of({"x": 4, "one": 1, "y": 4})))
    rows = pick(rows_of(*asks), run="r1", measure="map_diff", collection="all")
    assert {row["population"]: math.isnan(row["lower"]) for row in rows} == {"collections": False, "topics": True}
    told = "one: no limits over the topics of all collections: one topic, whose variance cannot be estimated"
    assert told in warnings_of(*asks)


def test_runs_without_a_topic_in_common_in_one_collection(tmp_path: Path) -> None:
    cells = cells_of({"x": 6, "y": 7}, runs=2)
    cells["x"]["elsewhere"] = {"alone": 0.3}
    path = table_of(tmp_path / "x", cells)
    refused = irci("map-ci", "-n", "--baseline", "r0", "--missing", "drop", "--scores", path, status=4)
    assert f"{path} in x: the runs have no topic in common" in refused.stderr


def test_a_measure_that_a_collection_lacks(tmp_path: Path) -> None:
    path = written(tmp_path / "x", TABLE + "x,a,1,P_5,.1\nx,b,1,P_5,.1\n")
    refused = irci("map-ci", "--scores", path, status=4)
    assert "irci: y: no scores of P_5; choose measures of all by -m" in refused.stderr
    irci("map-ci", "-m", "map", "--scores", path, status=0)


def test_a_run_without_a_measure_in_a_collection_is_left_out_of_that_measure_alone(tmp_path: Path) -> None:
    """Where measures are compared apart, as b lacks half of the topics of P_10 in y."""
    lines = [
        f"{name},{run},{topic},{measure},{(len(measure) * topic + ord(run)) % 7 / 10}"
        for name in "xy" for measure in ("map", "P_10") for run in "abc" for topic in range(4)
        if measure == "map" or run != "b" or (name == "y" and topic < 2)
    ]  # fmt: skip
    path = written(tmp_path / "x", "\n".join(["collection,run,topic,measure,value", *lines, ""]))
    by_map = rows_of("--population", "collections", "-m", "map", path)
    both = rows_of("--population", "collections", "-m", "map,P_10", path)
    assert [row for row in both if row["measure"] == "map"] == by_map
    assert [[row["run"] for row in both if row["measure"] == name] for name in ("map", "P_10")] == [[*"abc"], [*"ac"]]


def test_what_is_warned_of_several_collections_alike_is_told_once(tmp_path: Path) -> None:
    """With the largest number, and the names of all; what only one has is told of that one."""
    for name, topics in (("one", 1), ("two", 3), ("three", 2)):
        folder = tmp_path / name
        (folder / "runs").mkdir(parents=True)
        judged = "".join(f"{topic} 0 d{topic} 1\n" for topic in range(9))
        written(folder / "qrels.txt", judged + "".join(f"z{topic} 0 d 0\n" for topic in range(topics)))
        for run in "ab":
            lines = [f"{topic} Q0 d{topic if run == 'a' else 0} 1 1 {run}\n" for topic in range(9)]
            more = "9 Q0 d 1 1 a\n" if (run, name) == ("a", "two") else ""
            written(folder / "runs" / run, "".join(lines) + more)
    told, like = warnings_of(tmp_path, "--baseline", "a"), "(the like in 3 collections: one three two)"
    counted = "3 topics without relevant documents, counted in means: z0 z1 z2"
    assert f"{tmp_path}/two/qrels.txt: {counted} {like}" in told
    assert f"--missing auto: 3 topics that no more than half of the runs have, left out: z0 z1 z2 {like}" in told
    without = [each for each in told if "without judgments" in each]
    assert without == [f"{tmp_path}/two/runs/a: 1 topic without judgments, ignored: 9"]


# One more collection, and tau.


LARGER = {"x": 25, "y": 30, "z": 22, "w": 40}
PREDICTION = ("--interval", "prediction")

Drawn = dict[str, dict[str, np.ndarray]]


def drawn(sizes: dict[str, int], seed: int = 1, tau: float = 0.08) -> Drawn:
    """Scores of two runs on each collection; their true difference varies from one to another."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, size in sizes.items():
        first = rng.normal(0.5, 0.1, size)
        found[name] = {"a": first, "b": first + rng.normal(0.02 + rng.normal(0, tau), 0.08, size)}
    return found


def saved(path: Path, cells: Drawn, measure: str = "x") -> str:
    found = ((name, run, topic, score) for name, runs in cells.items() for run, scores in runs.items()
             for topic, score in enumerate(scores))  # fmt: skip
    return str(score_table(path, found, "collection run topic value", measure))


def moments(cells: Drawn, of: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean in each collection, and its variance, of a run or of the difference."""
    scores = [runs["b"] - runs["a"] if of == "difference" else runs[of] for runs in cells.values()]
    return np.array([each.mean() for each in scores]), np.array([each.var(ddof=1) / len(each) for each in scores])


def excess(tau2: float, means: np.ndarray, variances: np.ndarray, level: float) -> float:
    """Q with these weights, above a level."""
    weights = 1 / (variances + tau2)
    return float((weights * (means - np.average(means, weights=weights)) ** 2).sum() - level)


def test_limits_of_tau_are_ones_that_differences_on_the_scale_can_have(tmp_path: Path) -> None:
    """Differences of scores from 0 to 1 lie in [-1, 1]: their standard deviation is at most 1; without a scale nothing is
    known of it."""
    rng = np.random.default_rng(4)
    small: Drawn = {name: {run: rng.uniform(low, low + 0.2, 8) for run, low in runs.items()}
                    for name, runs in {"x": {"a": 0.1, "b": 0.1}, "y": {"a": 0.1, "b": 0.3}}.items()}  # fmt: skip
    beyond = {name: {run: scores + 2 for run, scores in runs.items()} for name, runs in small.items()}
    means, variances = moments(small, "difference")
    level = stats.chi2.ppf(0.025, 1)
    free = math.sqrt(optimize.brentq(excess, 0, 1e3, (means, variances, level)))
    assert free > 2
    for measure, cells, expected in (("AP", small, 1), ("z", beyond, free)):
        path = saved(tmp_path / "x", cells, measure)
        (row,) = (row for row in rows_of("-n", "--baseline", "a", "--scores", path) if "tau" in row)
        assert row["upper"] == pytest.approx(expected, rel=1e-6)
        assert row["lower"] <= row["tau"] <= row["upper"]


def test_limits_of_one_more_collection(tmp_path: Path) -> None:
    """m +- t(G - 1) s sqrt(1 + 1 / G), of runs and of the difference; all other cells as without."""
    cells = drawn(LARGER)
    path = saved(tmp_path / "x", cells)
    plain, predicted = (rows_of("--baseline", "a", *option, "--scores", path) for option in ((), PREDICTION))
    told = 0
    for row, other in zip(predicted, plain, strict=True):
        if row.get("population") != "collections":
            for_all = {
                name: cell for name, cell in other.items() if not name.endswith("_adjusted") or name == "p_adjusted"
            }
            assert all(row[name] == cell for name, cell in for_all.items() if cell == cell)
            continue
        means, _ = moments(cells, "difference" if "baseline" in row else str(row["run"]))
        reach = stats.t.ppf(0.975, 3) * means.std(ddof=1) * math.sqrt(1 + 1 / 4)
        expected = [means.mean(), means.mean() - reach, means.mean() + reach]
        assert [row[name] for name in ("value", "lower", "upper")] == pytest.approx(expected, rel=1e-9)
        assert row["upper"] > other["upper"]
        assert [row.get(name) for name in ("p", "df")] == [other.get(name) for name in ("p", "df")]
        told += 1
    assert told == 3


def test_where_there_is_no_such_collection(tmp_path: Path) -> None:
    two = saved(tmp_path / "two", drawn({"x": 25, "y": 30}))
    refused = irci("map-ci", *PREDICTION, "--population", "collections", "--scores", two, status=4)
    assert "--interval prediction needs 3 collections or more, not 2" in refused.stderr


# The wider claim, beside the narrower one.

P_OF_PAIRS = [f"p{what}{how}" for what in ("", "_equivalence", "_not_worse") for how in ("", "_adjusted")]


@pytest.mark.parametrize(("seed", "correction"), [(0, "holm"), (1, "maxt"), (2, "bh")])
@pytest.mark.parametrize("groups", ["clusters", "collections"])
def test_rows_over_groups_are_no_surer_than_over_their_topics(
    groups: str, seed: int, correction: str, tmp_path: Path
) -> None:
    """Every p, adjusted or not, is no less, and every limit no nearer; of graded scores, of hits, of copies, of few groups."""
    rng = np.random.default_rng([seed, len(groups), len(correction)])
    sizes = rng.integers(2, 12, rng.integers(2, 9))
    place = np.repeat(np.arange(len(sizes)), sizes)
    effects = rng.normal(0, rng.choice([0, 0.05, 0.15]), (3, len(sizes)))[:, place]
    scores = np.clip(0.5 + effects + rng.normal(0, 0.1, (3, len(place))), 0, 1).round(6)
    scores = [scores, (scores > 0.5) * 1.0, np.where(rng.random(len(place)) < 0.7, scores[0], scores)][seed % 3]
    cells = [(f"c{place[topic]}", f"r{run}", f"c{place[topic]}t{topic}", score)
             for (run, topic), score in np.ndenumerate(scores)]  # fmt: skip
    options = ["--all-pairs", "--margin", ".05", "--correction", correction, *scores_in(groups, tmp_path / "s", cells)]
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for row in command_lines.rows("map-ci", *options):
        if row.get("collection", "all") == "all" and "population" in row:
            found.setdefault((row["run"], row.get("baseline")), {})[row["population"]] = row
    compared = 0
    for (_, baseline), both in found.items():
        for row in both.values():
            if row["lower"] is not None:  # scores lie between 0 and 1
                assert (-1 if baseline else 0) <= row["lower"] <= row["value"] <= row["upper"] <= 1
        wide, narrow = both[groups], both["topics"]
        assert wide["value"] == pytest.approx(narrow["value"], abs=1e-12)
        for name in P_OF_PAIRS:
            if wide.get(name) is not None and narrow.get(name) is not None:
                assert wide[name] >= narrow[name] - 1e-12, name
                compared += 1
        for name, side in (("lower", -1), ("upper", 1), ("lower_adjusted", -1), ("upper_adjusted", 1)):
            if wide.get(name) is not None and narrow.get(name) is not None:
                assert side * wide[name] >= side * narrow[name] - 1e-12, name
    assert len(found) == 6
    assert compared > 3


def scores_in(groups: str, path: Path, cells: list[tuple[str, str, str, float]]) -> list[str]:
    """Of (group, run, topic, score) the options that read them as clusters or collections."""
    if groups == "collections":
        return ["--scores", str(score_table(path, cells, "collection run topic value", "main_score"))]
    return ["--clusters", r"(?P<cluster>c\d)t.*", "--scores",
            str(score_table(path, (cell[1:] for cell in cells), measure="main_score"))]  # fmt: skip
