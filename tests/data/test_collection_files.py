"""Folders of --collections: one collection a folder, as irci has them and as BEIR does."""

import gzip
from pathlib import Path

from command_lines import rows
from helpers import TESTDATA, written

SEVERAL, HEADER = TESTDATA / "several", "query-id\tcorpus-id\tscore\n"


def as_beir(folder: Path) -> None:
    """The collections of testdata/several with BEIR's qrels, and runs without tags."""
    for name in (path.name for path in SEVERAL.iterdir()):
        lines = map(str.split, (SEVERAL / name / "qrels.txt").read_text().splitlines())
        table = HEADER + "".join(f"{topic}\t{docno}\t{grade}\n" for topic, _, docno, grade in lines)
        written(folder / name / "qrels" / "dev.tsv", "is never read")
        if name == "finance":
            written(folder / name / "qrels" / "test.tsv.gz", gzip.compress(table.encode()))
        else:
            written(folder / name / "qrels" / "test.tsv", table)
        for path in (SEVERAL / name / "runs").iterdir():
            run: dict[str, dict[str, float]] = {}
            for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
                run.setdefault(topic, {})[docno] = float(score)
            written(folder / name / "runs" / f"{path.stem}.json", run)


def test_folders_as_beir_has_them(tmp_path: Path) -> None:
    """The same rows as of qrels.txt and TREC's runs."""
    as_beir(tmp_path)
    (tmp_path / "nothing.zip").write_text("is not looked at")
    options = ["map-ci", "-m", "nDCG@10", "--baseline", "bm25"]
    assert rows(*options, tmp_path) == rows(*options, SEVERAL)
