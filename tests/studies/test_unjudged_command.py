"""map-ci and ap-ci --population judgments: rows, refusals, words and pictures; real lists with judgments removed."""

import gzip
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_lines import irci, result_lines, rows
from helpers import QRELS, RUNS, SHARED, all_written, inputs_of, words

from irci.base.choices import JUDGMENTS
from irci.data.inputs import Inputs
from irci.measures import parse
from irci.options.asked import Asked
from irci.options.rows import ask as asked_by
from irci.output.plots import figure_of, panels_of
from irci.output.plots.panels import BOUNDS
from irci.studies.map_ci import compare

OF_MAP = ("map-ci", "--population", "judgments")
EVERY = (*words("map gm_map lmap Rprec recip_rank P_10 recall_10 ndcg ndcg_cut_10 success_5 set_P ERR"),)
DL19 = SHARED / "trec-dl19-passage"


def of_measures(*names: str) -> list[str]:
    return [word for name in names for word in ("-m", name)]


def written(folder: Path, qrels: str, **runs: str) -> list[str]:
    """Files of judgments `topic docno grade` and of rankings, docnos by topic, parted by blanks and semicolons."""
    files = {"qrels": "".join(f"{t} 0 {d} {g}\n" for t, d, g in (each.split() for each in qrels.split(";")))}
    for name, ranking in runs.items():
        rankings = [(topic, docnos) for topic, *docnos in map(str.split, ranking.split(";"))]
        files[name] = "".join(f"{topic} Q0 {docno} 0 {100 - rank} {name}\n" for topic, docnos in rankings
                              for rank, docno in enumerate(docnos))  # fmt: skip
    return all_written(folder, files)


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", [["ap-ci", "--population", "judgments"], list(OF_MAP)])
def test_value_is_trec_evals_and_lies_within(command: list[str]) -> None:
    """The first three columns are those of the command without bounds, which are trec_eval's."""
    measures = [*of_measures(*EVERY), "-q", QRELS, *RUNS]
    plain = result_lines(irci("ap-ci", "-B", "0", "--quiet", *measures).stdout)
    bounded = result_lines(irci(*command, "--quiet", *measures).stdout)
    bounded = [line for line in bounded if not line.startswith("lmap_logit")]
    assert [line.split("\t")[:3] for line in bounded] == [line.split("\t")[:3] for line in plain]
    for row in rows(*command, *measures):
        assert row["lower"] <= row["value"] <= row["upper"]
        assert row["population"] == JUDGMENTS
        assert 0 <= row["judged"] <= 1


def test_bounds_of_a_mean_are_means_of_bounds(tmp_path: Path) -> None:
    """On the measure's scale; a topic that the run lacks scores 0 whatever documents it does not retrieve are."""
    files = written(tmp_path, "1 a 1;1 b 1;2 a 1;2 b 0;3 a 1", run="1 a x b;2 b x a y;4 a", other="1 x a;2 a y b")
    of_run = rows(*OF_MAP, "-q", *of_measures("map", "gm_map"), *files[:2])
    found = {(row["measure"], row["topic"]): row for row in of_run}
    for limit in ("lower", "upper", "value"):
        of_topics = [found["map", topic][limit] for topic in "123"]
        assert found["map", "all"][limit] == pytest.approx(np.mean(of_topics), abs=1e-15)
        floored = np.maximum(of_topics, 1e-5)
        assert found["gm_map", "all"][limit] == pytest.approx(np.exp(np.log(floored).mean()), rel=1e-12)
        of_pair = [
            row[limit] for row in rows(*OF_MAP, "-nq", "-m", "gm_map", "--baseline", "run", *files) if "baseline" in row
        ]
        assert of_pair[-1] == pytest.approx(np.mean(of_pair[:-1]), abs=1e-12)
    assert found["map", "3"]["upper"] == found["map", "3"]["lower"] == 0
    assert [found["map", topic]["judged"] for topic in "123"] == [pytest.approx(2 / 3), 0.5, 0]


def test_the_scale_of_grades_is_the_files_or_as_given(tmp_path: Path) -> None:
    """ERR grows with the highest grade."""
    files = written(tmp_path, "1 a 1;1 b 0", run="1 x a")
    narrow, wide = (rows(*OF_MAP, "-m", "ERR", *more, *files)[0]["upper"] for more in ((), ("--max-grade", "3")))
    assert narrow == pytest.approx(1 / 2 + 1 / 2 * 1 / 2 / 2)
    assert wide == pytest.approx(7 / 8 + 1 / 8 * 1 / 8 / 2)


def test_rbp_has_its_residual(tmp_path: Path) -> None:
    files = written(tmp_path, "1 a 2;2 a 1", run="1 a x")
    (row,) = rows(*OF_MAP, "-m", "rbp_p=0.5", *files)
    assert row["residual"] == pytest.approx((0.25 + 0.25 + 1) / 2)  # the hole and the tail; a topic that is missing
    assert row["upper"] == pytest.approx(row["value"] + row["residual"])


def test_signs_are_determined_or_not(tmp_path: Path) -> None:
    """What both retrieve at the same rank cannot tell them apart."""
    files = written(
        tmp_path, "1 a 1;1 b 0;1 c 0", good="1 x a", bad="1 x b", other="1 y a", equal="1 x a"
    )  # fmt: skip
    found = {
        (row["measure"], row["run"]): row
        for row in rows(*OF_MAP, "-n", "--baseline", "good", *of_measures("P_2", "map", "bpref"), *files)
    }
    assert found["P_2_diff", "bad"]["sign"] == "determined"
    assert [found["P_2_diff", "bad"][name] for name in ("lower", "value", "upper")] == [-0.5, -0.5, -0.5]
    assert found["P_2_diff", "other"]["sign"] == "undetermined"
    assert [found["P_2_diff", "other"][name] for name in ("lower", "upper")] == [-0.5, 0.5]
    assert found["P_2_diff", "equal"]["sign"] == "determined"
    assert {found["map_diff", run]["bounds"] for run in ("bad", "other")} == {"outer"}
    assert {(row["sign"], row["bounds"]) for (name, _), row in found.items() if name == "bpref_diff"} == {("-", "-")}
    assert list(found["P_2_diff", "bad"]) == [
        "measure", "topic", "value", "lower", "upper", "run", "baseline", "population", "sign", "bounds",
    ]  # fmt: skip


def test_pictures_show_boxes_not_whiskers() -> None:
    pytest.importorskip("matplotlib")
    inputs = inputs_of(QRELS, *RUNS[:3])
    report = compare(asked_of(measures=parse("map"), per_topic=True, compare=True), inputs)
    panels = panels_of(report)
    assert len(panels) == 2 + 1 + 1  # topics of pairs, means, differences
    for axis in figure_of(panels, None, None).axes:
        assert BOUNDS in axis.get_legend_handles_labels()[1]
        assert not axis.collections  # which caps of whiskers would be
        assert all(box.get_hatch() for box in axis.patches)


def asked_of(**options: Any) -> Asked:
    """What is asked of bounds."""
    return asked_by("map-ci", {"population": (JUDGMENTS,), **options}, {})


Grades = dict[str, dict[str, int]]


def lines_of(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as file:
        return [line.split() for line in file]


@cache
def top(path: Path, depth: int) -> dict[str, list[str]]:
    """The first documents of each topic."""
    found: dict[str, list[str]] = defaultdict(list)
    for topic, _, docno, *_ in sorted(lines_of(path), key=lambda line: (float(line[4]), line[2]), reverse=True):
        found[topic].append(docno)
    return {topic: docnos[:depth] for topic, docnos in found.items()}


def pool(depth: int, paths: Sequence[Path]) -> Grades:
    """The judgments of the first documents of these runs."""
    pooled = {(topic, docno) for path in paths for topic, found in top(path, depth).items() for docno in found}
    kept: Grades = defaultdict(dict)
    for topic, _, docno, grade in lines_of(DL19 / "qrels.dl19-passage.gz"):
        if (topic, docno) in pooled:
            kept[topic][docno] = int(grade)
    return kept


def judged_by(grades: Grades, folder: Path, paths: Sequence[Path]) -> Inputs:
    lines = [f"{topic} 0 {docno} {grade}\n" for topic, of in grades.items() for docno, grade in of.items()]
    (folder / "qrels").write_text("".join(lines))
    return inputs_of(folder / "qrels", *paths, max_grade=3, names="file")


@pytest.mark.slow
def test_how_wide_bounds_are_with_a_shallow_pool(tmp_path: Path) -> None:
    """The other figures of doc/trust.md: share judged, width and pairs that are sure, with few judgments and with all."""
    if not DL19.is_dir():
        pytest.skip("trec-dl19-passage is not beside this checkout")
    every = sorted((DL19 / "runs").iterdir())
    request = asked_of(measures=parse("ndcg_cut_10"), all_pairs=True)
    whole = inputs_of(DL19 / "qrels.dl19-passage.gz", *every, names="file")
    few, all_judged = (
        [row for table in compare(request, inputs).tables for row in table.rows]
        for inputs in (judged_by(pool(3, every[::6][:10]), tmp_path, every), whole)
    )
    assert [[row.get("sign") for row in rows].count("determined") for rows in (few, all_judged)] == [0, 1496]
    judged, lower, upper = np.array(
        [[row[each] for each in ("judged", "lower", "upper")] for row in few[: len(every)]]
    ).T
    assert (round(np.median(judged), 2), round(np.median(upper - lower), 2)) == (0.55, 0.25)
