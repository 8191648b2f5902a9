"""Folders of --collections: one collection a folder, as irci has them and as BEIR does."""

import gzip
from pathlib import Path

import pytest
from command_lines import rows
from helpers import TESTDATA, written

from irci.data.collection_files import read_collection_list

SEVERAL, HEADER = TESTDATA / "several", "query-id\tcorpus-id\tscore\n"


def as_beir(folder: Path, names: dict[str, str], runs: str) -> None:
    """The collections of testdata/several under other names, with BEIR's qrels, and runs without tags, called so."""
    for name, place in names.items():
        lines = map(str.split, (SEVERAL / name / "qrels.txt").read_text().splitlines())
        table = HEADER + "".join(f"{topic}\t{docno}\t{grade}\n" for topic, _, docno, grade in lines)
        written(folder / place / "qrels" / "dev.tsv", "is never read")
        if name == "finance":
            written(folder / place / "qrels" / "test.tsv.gz", gzip.compress(table.encode()))
        else:
            written(folder / place / "qrels" / "test.tsv", table)
        for path in (SEVERAL / name / "runs").iterdir():
            run: dict[str, dict[str, float]] = {}
            for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
                run.setdefault(topic, {})[docno] = float(score)
            parent, _, part = place.rpartition("/")
            of = {"name": place, "part": part, "parent": f"{parent}/" * bool(parent), "tag": path.stem}
            written(folder / runs.format(**of), run)


@pytest.mark.sample(1)
@pytest.mark.parametrize("runs", ["{name}/runs/{tag}.json", "runs/{name}.{tag}.json", "{parent}runs/{part}.{tag}.json"])
def test_folders_as_beir_has_them(tmp_path: Path, runs: str) -> None:
    """The same rows as of qrels.txt and runs/*; the parts of CQADupstack are collections of their own."""
    # In the order of the names before.
    names = {
        path.name: f"parts/{path.name}" if path.name in ("news", "questions") else path.name
        for path in SEVERAL.iterdir()
    }
    as_beir(tmp_path, names, runs)
    (tmp_path / "nothing.zip").write_text("is not looked at")
    options = ["map-ci", "-m", "nDCG@10", "--baseline", "bm25"]
    expected = [
        row | {"collection": names.get(row["collection"], "all")} if "collection" in row else row
        for row in rows(*options, SEVERAL)
    ]
    assert rows(*options, tmp_path) == expected


def test_one_collection_made_of_parts(tmp_path: Path) -> None:
    """A folder with qrels of its own is one collection, whatever folders it has."""
    for name in ("cqadupstack", "cqadupstack/android", "fiqa"):
        written(tmp_path / name / "qrels" / "test.tsv", HEADER + "1\ta\t1\n")
        written(tmp_path / name / "runs" / "x.json", '{"1": {"a": 1}}')
    assert [each.name for each in read_collection_list(str(tmp_path), scores=False)] == ["cqadupstack", "fiqa"]


def test_runs_of_a_collection_whose_name_begins_like_another(tmp_path: Path) -> None:
    """a.b.run is a run of a.b, not of a; a file that is called as its collection holds a run called run."""
    for name in ("a", "a.b"):
        written(tmp_path / name / "qrels.txt", "1 0 x 1\n")
        written(tmp_path / "runs" / f"{name}.json", '{"1": {"x": 1}}')
    written(tmp_path / "runs" / "a.s.json", '{"1": {"x": 1}}')
    written(tmp_path / "runs" / "a.b.t.run", "1 Q0 x 1 1 s\n")
    listed = read_collection_list(str(tmp_path), scores=False)
    runs = {each.name: sorted(Path(file).name for file in each.files[1:]) for each in listed}
    assert runs == {"a": ["a.json", "a.s.json"], "a.b": ["a.b.json", "a.b.t.run"]}
    asked = ["map-ci", "--population", "topics", tmp_path]
    assert {row["run"] for row in rows(*asked) if row["collection"] == "all"} == {"run", "s"}
    assert {row["run"] for row in rows(*asked, "--names", "file") if row["collection"] == "a.b"} == {"run", "t"}
