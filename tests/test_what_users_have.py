"""The table of doc/formats.md: what users of other tools have, and the line that they type, which is run on just that."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pytest
from command_lines import said
from held import Ranking, ranking
from helpers import ROOT, TESTDATA

import irci

QRELS, FILES = TESTDATA / "qrels.txt", {name: TESTDATA / "runs" / f"{name}.run" for name in ("bm25", "dense")}
TABLE = re.findall(
    r"^\| (.+) \| `(.+)` \|$", (ROOT / "doc" / "formats.md").read_text().partition("\n## Input")[0], re.MULTILINE
)
Names = Mapping[str, Any]


JUDGED = ranking(QRELS, int, 3)
RANKED = {name: ranking(path, float, 4) for name, path in FILES.items()}


def frame(given: Ranking, columns: str) -> pd.DataFrame:
    return pd.DataFrame([(topic, docno, number) for topic, of in given.items() for docno, number in of.items()],
                        columns=columns.split())  # fmt: skip


def evaluator() -> Any:
    return pytest.importorskip("pytrec_eval").RelevanceEvaluator(JUDGED, {"map", "ndcg_cut.10"})


def of_trec_eval(folder: Path) -> None:
    for name, path in FILES.items():
        shutil.copy(path, folder / f"{name}.run")
        scores = evaluator().evaluate(RANKED[name])
        lines = [f"map                   \t{topic}\t{of['map']:.4f}\n" for topic, of in scores.items()]
        end = f"runid                 \tall\t{name}\nmap                   \tall\t0.1234\n"
        (folder / f"{name}.eval").write_text("".join(lines) + end)
    shutil.copy(QRELS, folder / "qrels.txt")


def of_ir_measures(folder: Path) -> Names:
    package = pytest.importorskip("ir_measures")
    for name, run in RANKED.items():
        results = package.iter_calc([package.AP], JUDGED, run)
        (folder / f"{name}.txt").write_text(
            "".join(f"{each.query_id}\t{each.measure}\t{each.value:.4f}\n" for each in results)
        )
    return {"iter_calc": package.iter_calc, "AP": package.AP, "qrels": JUDGED, **RANKED}


def of_pytrec_eval(folder: Path) -> Names:
    for name, content in {"qrels": JUDGED, **RANKED}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return {"qrels": JUDGED, "evaluator": evaluator(), **RANKED}


class Held:
    """As ranx's Qrels and Run hold judgments and runs."""

    def __init__(self, content: Ranking, name: str | None = None) -> None:
        self.content, self.name = content, name

    def to_dict(self) -> Ranking:
        return self.content


def of_ranx(folder: Path) -> Names:
    return {"qrels": Held(JUDGED), **{name: Held(run, name) for name, run in RANKED.items()}}


def of_pyterrier(folder: Path) -> Names:
    runs = {name: frame(run, "qid docno score").assign(rank=0, query="some words") for name, run in RANKED.items()}
    scores = {name: evaluator().evaluate(run) for name, run in RANKED.items()}
    rows = [(name, topic, "map", of["map"]) for name, by_topic in scores.items() for topic, of in by_topic.items()]
    experiment = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return {"qrels": frame(JUDGED, "qid docno label").assign(iteration=0), "experiment": experiment, **runs}


def of_pyserini(folder: Path) -> None:
    for name, path in FILES.items():
        lines = [line.rpartition(" ")[0] for line in path.read_text().splitlines()]
        (folder / f"run.{name}.txt").write_text("".join(f"{line} Anserini\n" for line in lines))
        with (folder / f"{name}.tsv").open("w") as file:
            for topic, of in RANKED[name].items():
                order = sorted(of, key=lambda docno: (of[docno], docno), reverse=True)
                file.writelines(f"{topic}\t{docno}\t{rank}\n" for rank, docno in enumerate(order, 1))
    for name in ("qrels.txt", "qrels.dev.tsv"):
        shutil.copy(QRELS, folder / name)


def of_beir(folder: Path) -> None:
    for name in ("scifact", "nfcorpus"):
        (folder / "datasets" / name / "qrels").mkdir(parents=True)
        lines = "".join(f"{topic}\t{docno}\t{grade}\n" for topic, of in JUDGED.items() for docno, grade in of.items())
        (folder / "datasets" / name / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    (folder / "datasets" / "runs").mkdir()
    for name, run in RANKED.items():
        for path in (
            folder / f"{name}.json",
            *(folder / "datasets" / "runs" / f"{of}.{name}.json" for of in ("scifact", "nfcorpus")),
        ):
            path.write_text(json.dumps(run))


def of_mteb(folder: Path) -> None:
    shutil.copytree(TESTDATA / "leaderboard", folder / "results", ignore=shutil.ignore_patterns("*.txt"))
    of_beir(folder)
    shutil.copy(folder / "datasets" / "scifact" / "qrels" / "test.tsv", folder / "test.tsv")
    for name, run in RANKED.items():
        content = {"mteb_model_meta": {"model_name": name}, "default": {"test": run}}
        (folder / f"{name}_predictions.json").write_text(json.dumps(content))


def of_repro_eval(folder: Path) -> None:
    shutil.copy(QRELS, folder / "qrels.txt")
    for name, path in {"orig_b": FILES["bm25"], "orig_a": FILES["dense"]}.items():
        shutil.copy(path, folder / f"{name}.txt")


def of_frames(folder: Path) -> Names:
    runs = {name: pl.from_dict(frame(run, "query_id doc_id score").to_dict("list")) for name, run in RANKED.items()}
    for name, run in runs.items():
        run.write_parquet(folder / f"{name}.parquet")
    qrels = frame(JUDGED, "query_id doc_id relevance")
    qrels.to_csv(folder / "qrels.csv", index=False)
    both = pd.concat([frame(run, "query_id doc_id score").assign(run=name) for name, run in RANKED.items()])
    scores = {name: evaluator().evaluate(run) for name, run in RANKED.items()}
    values = pd.DataFrame(
        {name: {topic: of["map"] for topic, of in by_topic.items()} for name, by_topic in scores.items()}
    )
    values = values.rename_axis("topic")
    for name in runs:
        values[name].rename("map").to_csv(folder / f"{name}.csv")
    return {"qrels": qrels, "runs": both, "frame": values, **runs}


# What each tool's users have, by the word that a row begins with.
HAVE: dict[str, Callable[[Path], Names | None]] = {
    "trec_eval": of_trec_eval, "ir_measures": of_ir_measures, "pytrec_eval": of_pytrec_eval, "ranx": of_ranx,
    "PyTerrier": of_pyterrier, "pyserini": of_pyserini, "BEIR": of_beir, "MTEB": of_mteb, "repro_eval": of_repro_eval,
    "pandas": of_frames,
}  # fmt: skip


def differences(line: str, names: Names, folder: Path) -> list[dict[str, Any]]:
    """The rows that a line prints, in a folder with its files, or that a call gives."""
    if line.startswith("irci."):
        rows: list[dict[str, Any]] = json.loads(eval(line, {"irci": irci, **names}).to_json())["rows"]
    else:
        status, shown = said(
            f"{line} --quiet --format json".replace("datasets/scifact", f"{folder}/datasets/scifact"), folder
        )
        assert status == 0, shown
        rows = json.loads(shown)["rows"]
    return [row for row in rows if "baseline" in row or "letters" in row]


@pytest.fixture(scope="module")
def expected() -> dict[str, float]:
    """The difference of dense minus bm25, by measure, of the files that trec_eval reads."""
    runs = [str(path) for path in FILES.values()]
    report = irci.compare(str(QRELS), runs, measures=["map", "nDCG@10", "RR@10"])
    return {of: report.table("difference", of).rows[0]["value"] for of in ("map", "nDCG@10", "RR@10")}


@pytest.mark.parametrize(("have", "line"), TABLE, ids=[have[:50] for have, _ in TABLE])
def test_each_line_of_the_table_is_run(have: str, line: str, expected: dict[str, float], tmp_path: Path) -> None:
    """And finds the difference that trec_eval's own files show; scores with four decimals to so many."""
    names = HAVE[re.split("[:,]", have)[0]](tmp_path) or {}
    rows = differences(line, names, tmp_path)
    assert rows
    if "--ranks" in line:
        assert {row["run"] for row in rows} == {"base", "large", "multilingual", "small"}
        return
    measure = next((name for name in ("nDCG@10", "RR@10") if name in line), "map")
    found = [row["value"] for row in rows if "value" in row]
    assert found == pytest.approx([expected[measure]] * len(found), abs=6e-5)


def test_the_table_is_complete() -> None:
    """No tool without a row, and no row that nobody prepares."""
    told = " ".join(have for have, _ in TABLE)
    tools = ("trec_eval", "ir_measures", "pytrec_eval", "ranx", "PyTerrier", "pyserini", "BEIR", "MTEB", "MS MARCO",
             "repro_eval", "pandas", "polars")  # fmt: skip
    assert all(tool in told for tool in tools)
    assert {re.split("[:,]", have)[0] for have, _ in TABLE} == set(HAVE)


def test_the_lines_for_pyterrier_are_run(tmp_path: Path) -> None:
    """Those of doc/python.md, with frames like its: answers over topics from the experiment, and over documents from rankings,
    and both are those of the files."""
    (lines,) = re.findall(r"^```py\n(.*?)^```", (ROOT / "doc" / "python.md").read_text(), re.DOTALL | re.MULTILINE)
    have, names = of_pyterrier(tmp_path), {"BM25": "bm25", "DPH": "dense"}

    def experiment(retrievers: Any, topics: Any, qrels: Any, measures: Any, *, names: Any, perquery: bool) -> Any:
        assert (len(retrievers), measures[0], names, perquery) == (2, "map", ["BM25", "DPH"], True)
        return have["experiment"].replace({"name": {"bm25": "BM25", "dense": "DPH"}})

    terrier = SimpleNamespace(Retriever=lambda index, wmodel: lambda topics: have[names[wmodel]])
    scope = {"irci": irci, "pt": SimpleNamespace(terrier=terrier, Experiment=experiment), "index": None, "topics": None}
    exec(lines.replace("import pyterrier as pt\n", ""), scope := scope | {"qrels": have["qrels"]})
    of_files = irci.compare(
        QRELS, list(FILES.values()), measures=["map", "nDCG@10"], population=["topics", "documents"]
    )
    for name, measure, place in (("report", "map", 0), ("documents", "nDCG@10", 1)):
        (found,), expected = (
            scope[name].table("difference", measure).rows,
            of_files.table("difference", measure).rows[place],
        )
        assert (found["run"], found["baseline"], found["population"]) == ("DPH", "BM25", expected["population"])
        columns = ("value", "lower", "upper", "p")
        assert [found[each] for each in columns] == pytest.approx([expected[each] for each in columns], abs=1e-6)
