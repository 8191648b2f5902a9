"""Reading runs in each format: the time for as many bytes as TREC's take, and the standard library's reader of the format."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import naive
from harness import Call, Job, Part, measured

from irci.data.ranking_formats import read_run

SOME = 8  # of the runs
Ranking = dict[str, dict[str, float]]


def each_format(folder: Path, runs: list[Path]) -> Iterator[Job]:
    """A line a format, of one file with the documents of several runs."""
    folder.mkdir()
    ranking: Ranking = {}
    for place, path in enumerate(runs[:SOME]):
        for topic, _, docno, _, score, *_ in naive.lines_of(str(path)):
            ranking.setdefault(f"{place}{topic.decode()}", {})[docno.decode()] = float(score)
    trec = _written(
        folder / "trec", "".join(f"{t} Q0 {d} {rank} {score} tag\n" for t, d, rank, score in _rows(ranking))
    )
    for name, text in _texts(ranking).items():
        path = _written(folder / name.replace(" ", "-"), text)
        share = path.stat().st_size / trec.stat().st_size
        plain = {"naive": _plain(path, name)} if name in ("JSON", "csv") else {}
        read_run(str(path))  # kernels are compiled
        of_trec = Part(lambda: read_run(str(trec)), share)
        job = measured(f"read {name}", lambda path=path: read_run(str(path)), rounds=25, trec=of_trec, **plain)
        yield Job(job.name, job.ours, {"reference": job.others.pop("trec"), **job.others}, "TREC's bytes")
        yield Job(f"read {name}, bytes", path.stat().st_size / job.ours / 1e6, unit="MB/s")


def _rows(ranking: Ranking) -> Iterator[tuple[str, str, int, float]]:
    for topic, documents in ranking.items():
        for rank, (docno, score) in enumerate(documents.items(), 1):
            yield topic, docno, rank, score


def _texts(ranking: Ranking) -> dict[str, str]:
    rows = list(_rows(ranking))
    return {
        "csv": "qid,docno,score\n" + "".join(f"{topic},{docno},{score}\n" for topic, docno, _, score in rows),
        "tsv with six columns": "query_id\tQ0\tdoc_id\trank\tscore\ttag\n"
        + "".join(f"{topic}\tQ0\t{docno}\t{rank}\t{score}\ttag\n" for topic, docno, rank, score in rows),
        "quoted csv": '"qid","docno","score"\n' + "".join(f'"{t}","{docno}",{score}\n' for t, docno, _, score in rows),
        "MS MARCO": "".join(f"{topic}\t{docno}\t{rank}\n" for topic, docno, rank, _ in rows),
        "JSON": json.dumps(ranking),
        "JSON in lines": json.dumps(ranking, indent=2),
        "JSON with escapes": json.dumps({t: {f"{d}\u00e9": s for d, s in each.items()} for t, each in ranking.items()}),
    }


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _plain(path: Path, name: str) -> Call:
    if name == "JSON":
        return lambda: json.loads(path.read_bytes())

    def rows() -> int:
        with path.open(newline="") as file:
            return sum(1 for _ in csv.reader(file))

    return rows
