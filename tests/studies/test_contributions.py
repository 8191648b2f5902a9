"""--without-contributions: each run without what its group alone contributed, against a loop over lines of files; refusals."""

import gzip
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_lines import irci as command
from helpers import SHARED, SMALL

import irci

QRELS = SMALL / "qrels.txt"
RUNS = sorted((SMALL / "runs").iterdir())
FILE = SMALL / "groups.tsv"
GROUPS = {"alpha": "x", "bravo": "y", "charlie": "y", "delta": "z"}  # what the file has; echo is one of its own


def lines_of(path: Path) -> list[list[str]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [line.split() for line in text.decode("latin-1").splitlines() if line.strip()]


def naive(
    qrels: Path, runs: list[Path], group_of: dict[str, str], depth: int, folder: Path, some: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Of all groups, or some: average precision by all judgments, and by a file without those that a run's group alone had
    down to this rank. Rankings as trec_eval has them."""
    judged = {(topic, docno): (line, int(grade)) for line in lines_of(qrels) for topic, _, docno, grade in [line]}
    had: dict[tuple[str, str], set[str]] = defaultdict(set)
    names = {}
    for path in runs:
        by_topic: dict[str, list[tuple[float, bytes]]] = defaultdict(list)
        for topic, _, docno, _, score, tag in lines_of(path):
            by_topic[topic].append((float(score), docno.encode("latin-1")))
            names[path] = tag
        for topic, documents in by_topic.items():
            for _, docno in sorted(documents, reverse=True)[:depth]:
                had[topic, docno.decode("latin-1")].add(group_of.get(names[path], names[path]))
    found = {}
    whole = means(qrels, runs)
    for group in some or {group_of.get(name, name) for name in names.values()}:
        only = {key for key in judged if had[key] == {group} and judged[key][1] >= 0}
        rest = folder / f"{group}.qrels"
        rest.write_text(
            "".join(" ".join(line) + "\n" for key, (line, _) in judged.items() if key not in only), "latin-1"
        )
        without = means(rest, runs)
        for name in (name for name in names.values() if group_of.get(name, name) == group):
            found[name] = {
                "documents": len(only), "relevant": sum(judged[key][1] > 0 for key in only), "value": whole[name],
                "without": without[name], "rank": 1 + sum(other > whole[name] for other in whole.values()),
                "rank_without": 1 + sum(other > without[name] for other in without.values()),
            }  # fmt: skip
    return found


def means(qrels: Path, runs: list[Path]) -> dict[str, float]:
    report = irci.map_ci(qrels, runs, measures="map", population="topics")
    return {str(row["run"]): float(str(row["value"])) for table in report.tables for row in table.rows}


def contributions(qrels: Path, runs: list[Path], groups: Path, **options: Any) -> Any:
    return irci.map_ci(qrels, runs, measures="map", population="judgments", without_contributions=groups, **options)


def rows(report: Any) -> dict[str, dict[str, Any]]:
    return {row["run"]: dict(row) for table in report.tables if table.kind == "contribution" for row in table.rows}


def file_of(folder: Path, groups: dict[str, str]) -> Path:
    path = folder / "groups.tsv"
    path.write_text("run\tgroup\n" + "".join(f"{run}\t{group}\n" for run, group in groups.items()))
    return path


def agree(found: dict[str, dict[str, Any]], expected: dict[str, dict[str, Any]]) -> None:
    assert found.keys() == expected.keys()
    for name, row in found.items():
        of = expected[name]
        exact = ("documents", "relevant", "rank", "rank_without")
        assert {key: row[key] for key in exact} == {key: of[key] for key in exact}, name
        assert row["value"] == pytest.approx(of["value"], abs=1e-12)
        assert row["without"] == pytest.approx(of["without"], abs=1e-12)
        assert row["change"] == pytest.approx(of["without"] - of["value"], abs=1e-12)


@pytest.mark.parametrize("depth", [5, 100])
def test_against_a_loop(tmp_path: Path, depth: int) -> None:
    report = contributions(QRELS, RUNS, FILE, pool_depth=depth)
    expected = naive(QRELS, RUNS, GROUPS, depth, tmp_path)
    agree(rows(report), expected)
    assert any(of["documents"] for of in expected.values())


@pytest.mark.slow
def test_trec_8(tmp_path: Path) -> None:
    """41 runs of as many groups. The manual runs, which found what nobody else did, lose most."""
    folder = SHARED / "trec8-adhoc"
    if not folder.is_dir():
        pytest.skip("no TREC-8 here")
    runs = sorted((folder / "runs").iterdir())
    groups = dict(lines_of(folder / "groups.tsv")[1:])
    some = ("miti", "oracle", "city-pliers")
    report = contributions(folder / "qrels.trec8.adhoc.gz", runs, folder / "groups.tsv")
    found = rows(report)
    chosen = {name: row for name, row in found.items() if row["group"] in some}
    agree(chosen, naive(folder / "qrels.trec8.adhoc.gz", runs, groups, 100, tmp_path, some))
    assert sorted(found, key=lambda name: found[name]["change"])[:2] == ["READWARE", "orcl99man"]
    assert any("orcl99man" in each or "READWARE" in each for each in report.sentences)


def test_limits_are_those_of_paired_differences(tmp_path: Path) -> None:
    """What map-ci prints of the pair of the run before and after, as two runs of one table of scores."""
    report = contributions(QRELS, RUNS, FILE, pool_depth=5)
    naive(QRELS, RUNS, GROUPS, 5, tmp_path)  # which writes the files
    scores = {}
    for name, qrels in (("before", QRELS), ("after", tmp_path / "y.qrels")):
        found = irci.map_ci(qrels, RUNS, measures="map", population="topics", per_topic=True)
        topics = (row for table in found.tables if table.kind == "topic" for row in table.rows if row["run"] == "bravo")
        scores[name] = {row["topic"]: row["value"] for row in topics}
    csv = "run,topic,measure,value\n" + "".join(
        f"{name},{topic},map,{value!r}\n" for name, of in scores.items() for topic, value in of.items()
    )
    (tmp_path / "scores.csv").write_text(csv)
    compared = irci.map_ci(scores=tmp_path / "scores.csv", baseline="before")
    (expected,) = (row for table in compared.tables if table.kind == "difference" for row in table.rows)
    row = rows(report)["bravo"]
    assert row["change"] < 0
    for name in ("lower", "upper"):
        assert row[name] == pytest.approx(expected[name], abs=1e-12)


def test_bounds_stand_beside_them_as_they_are(tmp_path: Path) -> None:
    report, alone = (
        irci.map_ci(QRELS, RUNS, population="judgments", **options) for options in ({"without_contributions": FILE}, {})
    )
    kinds = [
        [(table.kind, list(map(dict, table.rows))) for table in each.tables if table.kind == "bounds"]
        for each in (report, alone)
    ]
    assert repr(kinds[0]) == repr(kinds[1])


def test_words(tmp_path: Path) -> None:
    report = contributions(QRELS, RUNS[:3], FILE, pool_depth=5)
    assert sum("that only its group contributed" in each for each in report.sentences) == 3
    assert any("among these runs alone" in each for each in report.sentences)


@pytest.mark.parametrize(("groups", "options", "message", "status"), [
    ({"nobody": "x"}, (), "none of its runs is among", 4),
    (dict.fromkeys(("alpha", "bravo", "charlie", "delta", "echo"), "x"), (), "all runs are of one group", 4),
    (GROUPS, ("-m", "num_rel_ret"), "a count", 2),
    (GROUPS, ("--judged-only",), "removes the unjudged documents", 2),
])  # fmt: skip
def test_refusals(tmp_path: Path, groups: dict[str, str], options: tuple[str, ...], message: str, status: int) -> None:
    words = ["--population", "judgments", "--without-contributions", file_of(tmp_path, groups), *options]
    assert message in command("map-ci", *words, QRELS, *RUNS, status=status).stderr


def test_options_that_need_each_other(tmp_path: Path) -> None:
    path = FILE
    assert "--population judgments" in command("map-ci", "--without-contributions", path, QRELS, *RUNS, status=2).stderr
    alone = command("map-ci", "--population", "judgments", "--pool-depth", 5, QRELS, *RUNS, status=2)
    assert "--pool-depth is for --without-contributions" in alone.stderr


def test_what_is_no_file_of_groups(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("alpha\tx\nbravo y\n")
    words = ("--population", "judgments", "--without-contributions", tmp_path / "bad")
    assert f"{tmp_path / 'bad'}:2: " in command("map-ci", *words, QRELS, *RUNS, status=3).stderr
