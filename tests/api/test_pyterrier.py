"""The lines of doc/python.md for PyTerrier: run with frames like its."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from helpers import ROOT, TESTDATA

import irci

PAGE = (ROOT / "doc" / "python.md").read_text()
(LINES,) = re.findall(r"^```py\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
MEASURES = {"map": "map", "ndcg_cut_10": "ndcg_cut.10"}


def lines_of(path: Path, *columns: str, dtype: dict[int, type]) -> pd.DataFrame:
    rows = [line.split() for line in path.read_text().splitlines()]
    return pd.DataFrame(rows, columns=list(columns)).astype({columns[place]: kind for place, kind in dtype.items()})


def nested(frame: pd.DataFrame, number: str) -> dict[str, dict[str, Any]]:
    return {
        str(topic): dict(zip(of["docno"], of[number], strict=True)) for topic, of in frame.groupby("qid", sort=False)
    }


def results(name: str) -> pd.DataFrame:
    """As a retriever gives them: with ranks from 0 and the query beside."""
    frame = lines_of(
        TESTDATA / "runs" / f"{name}.run", "qid", "Q0", "docno", "rank", "score", "tag", dtype={3: int, 4: float}
    )
    return frame.assign(rank=frame["rank"] - 1, query="words", docid=range(len(frame))).drop(columns=["Q0", "tag"])


def like_pyterrier() -> Any:
    """What the lines take of the package, of frames that it could have made."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    of_model = {"BM25": results("bm25"), "DPH": results("dense")}

    def retriever(index: Any, wmodel: str) -> Callable[[Any], pd.DataFrame]:
        return lambda topics: of_model[wmodel]

    def experiment(
        retrievers: Any, topics: Any, qrels: pd.DataFrame, measures: Any, *, names: Any, perquery: bool
    ) -> Any:
        assert perquery
        judged = pytrec_eval.RelevanceEvaluator(nested(qrels, "label"), {MEASURES[name] for name in measures})
        rows = [
            (name, topic, measure, value)
            for name, found in zip(names, retrievers, strict=True)
            for topic, of_topic in judged.evaluate(nested(found(topics), "score")).items()
            for measure, value in of_topic.items()
        ]
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    return SimpleNamespace(terrier=SimpleNamespace(Retriever=retriever), Experiment=experiment)


def test_the_lines_are_run() -> None:
    """An answer over topics from the experiment, one over documents from rankings, and both are those of the files."""
    qrels = lines_of(TESTDATA / "qrels.txt", "qid", "iteration", "docno", "label", dtype={3: int})
    topics = pd.DataFrame({"qid": qrels["qid"].unique(), "query": "words"})
    scope = {"irci": irci, "pt": like_pyterrier(), "index": "an index", "topics": topics, "qrels": qrels}
    exec(LINES.replace("import pyterrier as pt\n", ""), scope)
    report, documents = scope["report"], scope["documents"]
    runs = [TESTDATA / "runs" / f"{name}.run" for name in ("bm25", "dense")]
    measures = ["map", "ndcg_cut_10"]
    of_files = irci.compare(TESTDATA / "qrels.txt", runs, measures=measures, population=["topics", "documents"])
    for measure in measures:
        (found,), (over_topics, _) = (each.table("difference", measure).rows for each in (report, of_files))
        assert (found["run"], found["baseline"], found["population"]) == ("DPH", "BM25", "topics")
        assert [found[name] for name in ("value", "lower", "upper", "p")] == pytest.approx(
            [over_topics[name] for name in ("value", "lower", "upper", "p")], abs=1e-6
        )
    (over_documents,), (_, expected) = (
        each.table("difference", measure).rows for each, measure in ((documents, "nDCG@10"), (of_files, "ndcg_cut_10"))
    )
    assert [over_documents[name] for name in ("value", "p")] == [expected[name] for name in ("value", "p")]
