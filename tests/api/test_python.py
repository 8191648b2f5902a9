"""The functions of irci: the commands' own answers, from whatever holds the judgments, runs and scores."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from held import (
    FUNCTIONS,
    JUDGED,
    LONG,
    QRELS,
    RANKED,
    RUNS,
    SCORED,
    Metric,
    Qrel,
    ScoredDoc,
    refused,
    said,
    shuffled,
    triples,
)

import irci
from irci.base.errors import UsageError

# Each way to hold judgments and runs: (qrels, runs).
HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "files": (QRELS, lambda: list(RUNS)),
    "dicts": (JUDGED, lambda: RANKED),
    "pandas": (
        pd.DataFrame(triples(JUDGED), columns=["query_id", "doc_id", "relevance"]),
        lambda: {name: pd.DataFrame(shuffled(run), columns=["qid", "docno", "score"]) for name, run in RANKED.items()},
    ),
}


# A row a document of every run, in no order.
ALL_RUNS = pd.DataFrame(
    [(name, *row) for name, run in RANKED.items() for row in shuffled(run)], columns=["run", "qid", "docno", "score"]
).sample(frac=1, random_state=1)
ALL_RUNS = ALL_RUNS.sort_values("run", key=lambda names: names.map(list(RANKED).index), kind="stable")


MORE_HELD: dict[str, tuple[Any, Callable[[], Any]]] = {
    "paths by name": (str(QRELS), lambda: dict(zip(RANKED, map(str, RUNS), strict=True))),
    "bytes": (QRELS.read_bytes(), lambda: [path.read_bytes() for path in RUNS]),
    "tuples": (
        [Qrel(*row) for row in triples(JUDGED)],
        lambda: {name: (ScoredDoc(*row) for row in triples(run)) for name, run in RANKED.items()},
    ),
    "a frame of all runs": (pd.DataFrame(triples(JUDGED), columns=["qid", "docno", "label"]), lambda: ALL_RUNS),
    "frames of some runs": (
        JUDGED,
        lambda: [
            pl.DataFrame(ALL_RUNS[ALL_RUNS["run"] == name].rename(columns={"run": "tag"}).to_dict("list"))
            for name in RANKED
        ],
    ),
}


# Command lines, and the same as options of a function.
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("ap-ci", "-B 50", {"resamples": 50}),
    ("ap-ci", "-q -B 100 -m map -m P.5,10 --interval percentile --seed 7 -l 2 -M 50",
     {"resamples": 100, "measures": ["map", "P.5,10"], "interval": "percentile", "seed": 7,
      "relevance_level": 2, "depth": 50}),
    ("ap-ci", "--validate 2 -B 50 -J", {"validate": 2, "resamples": 50, "judged_only": True}),
    ("compare", "-B 100 --population topics,documents -m nDCG@10 -m RR@10",
     {"resamples": 100, "population": "topics,documents", "measures": ["nDCG@10", "RR@10"]}),
    ("map-ci", "--all-pairs --ranks --population topics --sort value",
     {"all_pairs": True, "ranks": True, "population": "topics", "sort": "value"}),
    ("map-ci", "--baseline alpha --population topics --margin 2% --test randomization -B 200 --missing drop",
     {"baseline": "alpha", "population": "topics", "margin": "2%", "test": "randomization", "resamples": 200,
      "missing": "drop"}),
    ("partition-anova", "-B 50 --policy drop", {"resamples": 50, "policy": "drop"}),
    ("partition-anova", "-x 3 --policy mean -B 50 --test none --confidence .9",
     {"x": 3, "policy": "mean", "resamples": 50, "test": "none", "confidence": 0.9}),
    ("partition-anova", "--splits 3 --policy zero -B 50 --published", {"splits": 3, "policy": "zero", "resamples": 50,
     "published": True}),
    ("stdap-ci", "", {}),
    ("stdap-ci", "--reference alpha,bravo,delta --standardise cdf -q",
     {"reference": ["alpha", "bravo", "delta"], "standardise": "cdf", "per_topic": True}),
    ("stdap-ci", "--validate 20 --sizes 3,5", {"validate": 20, "sizes": [3, 5]}),
    ("swap-error", "--sizes 3,5 --trials 5", {"sizes": (3, 5), "trials": 5}),
    ("swap-error", "--procedure swap --trials 10", {"procedure": "swap", "trials": 10}),
    ("swap-error", "--procedure discriminative-power -B 50 --alpha .05",
     {"procedure": "discriminative-power", "resamples": 50, "alpha": [0.05]}),
    ("judges", f"--other-qrels {QRELS.parent / 'llm.txt'}:2 -B 50 --alpha .1 --groups ^a",
     {"other_qrels": f"{QRELS.parent / 'llm.txt'}:2", "resamples": 50, "alpha": 0.1, "groups": "^a"}),
    ("wcw", "--sizes 20,50", {"sizes": [20, 50]}),
    ("wcw", "--difference .1 --tool anova --power .9", {"difference": 0.1, "tools": "anova", "power": 0.9}),
    ("wcw", "--sizes 5-9 --standardise z -m map -m P_10", {"sizes": "5-9", "standardise": "z", "measures": ["map", "P_10"]}),
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("command", "line", "options"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_files_dicts_and_frames_give_the_json_of_the_command(command: str, line: str, options: dict[str, Any]) -> None:
    expected = said([command, *line.split(), str(QRELS), *map(str, RUNS)])
    for held, (qrels, runs) in HELD.items():
        assert FUNCTIONS[command](qrels, runs(), **options).to_json() == expected, held


@pytest.mark.check
def test_whatever_else_holds_them_gives_the_same() -> None:
    expected = irci.ap_ci(QRELS, RUNS, resamples=50).to_json()
    for held, (qrels, runs) in MORE_HELD.items():
        assert irci.ap_ci(qrels, runs(), resamples=50).to_json() == expected, held


SEEDS_OF = {f"{name}.{seed}": (name, seed) for name in ("alpha", "bravo") for seed in range(2)}
VERSIONS_OF = {f"{name}.{version}": (name, f"v{version}") for name in ("alpha", "bravo") for version in range(2)}
OF_TOPICS = {topic: f"cluster {place % 4}".replace(" ", "-") for place, topic in enumerate(JUDGED)}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("option", "table", "columns"),
    [
        ("clusters", OF_TOPICS, ("topic", "cluster")),
        ("slices", OF_TOPICS, ("topic", "slice")),
        ("seeds", SEEDS_OF, ("run", "system", "seed")),
        ("versions", VERSIONS_OF, ("run", "system", "version")),
    ],
)
def test_what_belongs_together_is_told_by_files_dicts_and_frames(
    option: str, table: dict[str, Any], columns: tuple[str, ...], tmp_path: Path
) -> None:
    runs = {
        name: RANKED[name.partition(".")[0]]
        for name in (SEEDS_OF if option in ("seeds", "versions") else ("alpha", "bravo"))
    }
    rows = [(key, *([of] if isinstance(of, str) else of)) for key, of in table.items()]
    (tmp_path / "file").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    frames = pd.DataFrame(rows, columns=list(columns)), pl.DataFrame(rows, list(columns), orient="row")
    said = {irci.compare(JUDGED, runs, **{option: each}).to_text("csv") for each in (tmp_path / "file", table, *frames)}
    assert len(said) == 1


def test_collections_are_files_or_what_is_in_memory(tmp_path: Path) -> None:
    """The same collection thrice, each held in another way, is what a list of files gives."""
    (tmp_path / "list").write_text(
        "".join(f"{name}\t{QRELS.absolute()}\t{RUNS[0].absolute()}\t{RUNS[1].absolute()}\n" for name in "abc")
    )
    some = dict([*RANKED.items()][:2])
    held = {"a": (QRELS, RUNS[:2]), "b": (JUDGED, some), "c": [QRELS, some]}
    from_list, from_memory = (irci.map_ci(collections=each, baseline="alpha") for each in (tmp_path / "list", held))
    assert from_list.to_text("csv") == from_memory.to_text("csv")
    assert from_list.signature == from_memory.signature


def test_one_run_needs_no_name_and_may_have_two() -> None:
    (name, run), *_ = RANKED.items()
    alone = irci.score(JUDGED, run).to_pandas("estimate")
    assert list(alone["run"]) == ["run"]
    assert list(alone["value"]) == list(irci.score(JUDGED, {name: run}).to_pandas("estimate")["value"])
    with RUNS[0].open("rb") as file:
        assert irci.score(JUDGED, file).to_json() == irci.score(JUDGED, RUNS[0]).to_json()
    twice = irci.score(QRELS, {"a": RUNS[0], "b": RUNS[0]}).to_pandas("estimate")
    assert list(twice["run"]) == ["a", "b"]


def test_score_is_what_ap_ci_prints_without_resamples() -> None:
    line = ["ap-ci", "-B", "0", "-q", "-m", "P@10", str(QRELS), *map(str, RUNS)]
    assert irci.score(QRELS, RUNS, measures="P@10").to_json() == said(line)


def test_ties_go_by_the_order_given_or_by_a_column_of_ranks() -> None:
    grades, run = {"1": {"b": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    ranked = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": 1.0, "rank": [3, 2, 1]})

    def rr(run: Any, ties: Any) -> float:
        return float(irci.score(grades, {"x": run}, measures="RR", ties=ties).to_pandas("estimate")["value"][0])

    assert [rr(run, ties) for ties in ("docno", "file")] == [1 / 2, 1.0]
    assert [rr(ranked, ties) for ties in ("docno", "file", "rank")] == [1 / 2, 1 / 2, 1 / 2]
    assert rr(ranked.assign(rank=[2, 1, 3]), "rank") == 1.0
    refused(UsageError, r"run 'x' has no ranks for --ties rank, as .*", rr, run, "rank")


def test_files_and_judges_may_be_called_as_what_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "qrels"
    run.write_bytes(RUNS[0].read_bytes())
    assert irci.score(JUDGED, ["qrels"]).to_json() == irci.score(QRELS, [RUNS[0]]).to_json()
    assert irci.score(JUDGED, {"alpha": "qrels"}).to_json() == irci.score(QRELS, [RUNS[0]]).to_json()
    none = {topic: dict.fromkeys(of, 0) for topic, of in JUDGED.items()}
    kappas = [irci.judges(JUDGED, other_qrels={name: none}).to_pandas()["value"] for name in ("qrels", "other")]
    assert kappas[0].equals(kappas[1])


def test_a_judge_s_scores_are_held_as_people_s_are(tmp_path: Path) -> None:
    people, judge = (
        {
            run: {"map": {str(topic): topic * step % 1 for topic in range(number)}}
            for run, step in (("a", 0.13), ("b", 0.29))
        }
        for number in (8, 20)
    )
    rows = [(run, topic, "map", value) for run, of in judge.items() for topic, value in of["map"].items()]
    frame, path = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"]), tmp_path / "judge.csv"
    frame.to_csv(path, index=False)
    expected = irci.map_ci(scores=people, judge=path).to_pandas("estimate")
    for held in (judge, frame, path.read_bytes(), [path]):
        assert irci.map_ci(scores=people, judge=held).to_pandas("estimate").equals(expected)
    judge["a"]["map"]["3"] = float("nan")
    wrong = "judge: scores, run 'a', topic '3', .* not a finite number"
    refused(irci.FormatError, wrong, irci.map_ci, scores=people, judge=judge)
    refused(UsageError, "judge: one table of scores, not 2 files.", irci.map_ci, scores=people, judge=[path, path])
    refused(UsageError, "judge: scores: a int is neither .*", irci.map_ci, scores=people, judge=7)


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\n" + "".join(f"{r},{t},{m},{v}\n" for r, t, m, v in LONG))
    return path


def test_scores_from_whatever_holds_them(long_file: Path) -> None:
    expected = said(["map-ci", "--scores", "--baseline", "bm25", str(long_file)])
    rows = pd.DataFrame(LONG, columns=["name", "qid", "measure", "value"])  # as pt.Experiment(perquery=True) has it
    results = {
        run: [Metric(topic, measure, value) for other, topic, measure, value in LONG if other == run] for run in SCORED
    }
    held: dict[str, Any] = {
        "file": long_file, "bytes": long_file.read_bytes(), "files": [long_file], "mapping": SCORED, "long": rows,
        "filtered": rows[rows["value"] > -1].iloc[::1], "int topics": rows.astype({"qid": int}), "iter_calc": results,
        "polars": pl.DataFrame(LONG, ["run", "topic", "measure", "value"], orient="row"),
        "category": rows.astype({"name": "category", "measure": "category"}),
    }  # fmt: skip
    for what, scores in held.items():
        assert irci.map_ci(scores=scores, baseline="bm25").to_json() == expected, what


def test_a_wide_frame_is_a_matrix_of_one_measure(tmp_path: Path) -> None:
    wide = pd.DataFrame({run: of["map"] for run, of in SCORED.items()})
    path = tmp_path / "map.csv"
    wide.to_csv(path)
    expected = said(["map-ci", "--scores", "--all-pairs", str(path)])
    held: list[Any] = [
        wide, wide.rename_axis("topic"), wide.rename_axis("qid").reset_index(), pl.from_dict(
            wide.rename_axis("qid").reset_index().to_dict("list")
        ),
    ]  # fmt: skip
    for number, each in enumerate(held):
        assert irci.map_ci(scores=each, all_pairs=True, measures="map").to_json() == expected, number


@pytest.mark.parametrize("runs", [3, 7])
def test_runs_of_a_wide_frame_may_be_numbers(runs: int) -> None:
    values = np.random.default_rng(1).random((4, runs))
    wide = pd.DataFrame(values, index=[301, 302, 303, 304])
    found = json.loads(irci.map_ci(scores=wide, measures="map").to_json())["rows"]
    assert [row["run"] for row in found] == [str(run) for run in range(runs)]
    np.testing.assert_allclose([row["value"] for row in found], values.mean(axis=0))


def test_scores_of_parts_are_a_long_frame(tmp_path: Path) -> None:
    saved = tmp_path / "parts.tsv"
    irci.partition_anova(QRELS, RUNS, policy="drop", resamples=20, save_scores=saved)
    expected = said(["partition-anova", "--scores", "--policy", "drop", "-B", "20", str(saved)])
    frame = pd.read_csv(saved, sep="\t", dtype={"topic": str}, converters={"value": float})  # exact before 3.1
    assert irci.partition_anova(scores=frame, policy="drop", resamples=20).to_json() == expected
    assert irci.partition_anova(scores=saved, policy="drop", resamples=20).to_json() == expected


def test_without_data() -> None:
    assert irci.wcw(variances={"AP": 0.0471}, width=0.1).to_json() == said(
        ["wcw", "--variance", "AP=.0471", "--width", ".1"]
    )
    line = ["stdap-ci", "--summary", "a=.1,.9,50", "--summary", "b=.3,1,40,base"]
    summaries = {"a": (0.1, np.float64(0.9), 50), "b": (0.3, 1, 40, "base")}
    assert irci.stdap_ci(summaries=summaries).to_json() == said(line)
    refused(UsageError, r"Missing QRELS and RUN.*|give qrels.*", irci.stdap_ci)


def test_another_judge_in_memory_is_the_commands(tmp_path: Path) -> None:
    other = tmp_path / "other"
    lenient = {topic: {docno: max(1, grade) for docno, grade in of.items()} for topic, of in JUDGED.items()}
    other.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in triples(lenient)))
    line = ["judges", "--other-qrels", str(other), str(QRELS), *map(str, RUNS)]
    expected = json.loads(said(line))["rows"]
    for each in (other, lenient, pd.DataFrame(triples(lenient), columns=["qid", "docno", "label"])):
        report = irci.judges(JUDGED, RANKED, other_qrels=each)
        rows = json.loads(report.to_json())["rows"]
        assert [without_names(row) for row in rows] == [without_names(row) for row in expected]
    line[2] = f"{other}:2"
    expected = json.loads(said(line))["rows"]
    for each in (f"{other}:2", (lenient, 2), [(other, 2)], {"other": (lenient, 2)}, {"other": f"{other}:2"}):
        rows = json.loads(irci.judges(JUDGED, RANKED, other_qrels=each).to_json())["rows"]
        assert [without_names(row) for row in rows] == [without_names(row) for row in expected]
    other.rename(tmp_path / "other:2")  # which is then the name of a file
    report = irci.judges(JUDGED, RANKED, other_qrels=f"{other}:2")
    assert (report.signature["levels"], set(report.to_pandas()["judge"].dropna())) == ("1", {"other:2"})
    other = tmp_path / "other:2"
    for each in ({"gpt": lenient, "human": JUDGED}, {"gpt": other, "human": QRELS.read_bytes()}):
        report = irci.judges(JUDGED, other_qrels=each)
        assert set(report.to_pandas()["judge"]) == {"gpt", "human"}


def without_names(row: dict[str, Any]) -> dict[str, Any]:
    """A row but for what names judges by their files."""
    return {name: cell for name, cell in row.items() if not isinstance(cell, str)}
