"""--survives: claims, what each other source says of them against the rows that map-ci prints for it, words and refusals."""

import math
from typing import Any

import numpy as np
import pytest
from command_lines import irci as command
from command_lines import printed
from helpers import SHARED, SMALL

import irci
from irci.stats.tests import adjusted

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
OPTIONS: dict[str, Any] = {"all_pairs": True}


def rows(found: Any, kind: str) -> list[dict[str, Any]]:
    return [dict(row) for table in found.tables if table.kind == kind for row in table.rows]


def by_pair(found: list[dict[str, Any]], population: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["run"], row["baseline"]): row for row in found if row["population"] == population}


@pytest.mark.parametrize("measure", ["map", "P_10"])
def test_claims_and_verdicts_are_those_of_the_rows_of_each_source(measure: str) -> None:
    """By max-T over topics, by Holm's p over documents and both, and by signs that are sure; p_all by hand."""
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures=measure, **OPTIONS), "claim")
    over = {}
    for name in ("topics", "documents", "both", "judgments"):
        more = {"correction": "maxt"} if name == "topics" else {}
        alone = irci.map_ci(QRELS, RUNS, population=name, measures=measure, **OPTIONS, **more)
        over[name] = by_pair(rows(alone, "difference_bounds" if name == "judgments" else "difference"), name)
    claims = {pair for pair, row in over["topics"].items() if row["p_adjusted"] <= 0.05}
    turned = [(row["run"], row["baseline"]) for row in found]
    assert {pair if pair in over["topics"] else pair[::-1] for pair in turned} == claims
    largest = {}
    for pair, row in over["topics"].items():
        told = [row["p"], over["documents"][pair]["p"], over["both"][pair]["p"]]
        told += [0.0] * (over["judgments"][pair]["sign"] == "sure")
        largest[pair] = max(told)
    p_all = dict(zip(largest, adjusted(np.array(list(largest.values())), "holm").tolist(), strict=True))
    for row, pair in zip(found, turned, strict=True):
        pair = pair if pair in over["topics"] else pair[::-1]
        assert row["value"] == pytest.approx(abs(over["topics"][pair]["value"]))
        for name in ("documents", "both"):
            assert row[name] == ("confirmed" if over[name][pair]["p_adjusted"] <= 0.05 else "weaker")
        assert row["judgments"] == ("confirmed" if over["judgments"][pair]["sign"] == "sure" else "untold")
        verdicts = [row[name] for name in ("documents", "both", "judgments")]
        assert (row["survives"], row["of"]) == (verdicts.count("confirmed"), 3 - verdicts.count("untold"))
        assert float(row["p_all"]) == pytest.approx(p_all[pair], abs=1e-12)


def test_other_rows_are_those_of_maxt() -> None:
    """Of the populations asked for, the same as without --survives."""
    for options in ({"population": "topics"}, {"population": "documents", "baseline": "bravo"}, {"compare": True}):
        given = {
            "resamples": 300,
            **options,
            **({} if "baseline" in options or "compare" in options else {"compare": True}),
        }
        plain = irci.map_ci(QRELS, RUNS, correction="maxt", **given)
        beside = irci.map_ci(QRELS, RUNS, survives=True, **given)
        for kind in ("estimate", "difference"):
            assert repr(rows(beside, kind)) == repr(rows(plain, kind))


def test_measures_that_look_at_the_top_tell_nothing_over_documents() -> None:
    found = rows(irci.map_ci(QRELS, RUNS, survives=True, measures="RR", **OPTIONS), "claim")
    assert found
    assert {row["documents"] for row in found} == {"untold"}


def test_no_claim() -> None:
    found = irci.map_ci(QRELS, RUNS[:2], survives=True, compare=True, topics="1,2,4,5", resamples=100)
    assert not rows(found, "claim")
    assert any("there is no claim to be tried" in each for each in found.conclusion)


def ranked_runs(scores: dict[str, list[list[int]]], unjudged: bool = False) -> tuple[bytes, list[bytes]]:
    """Judgments, and runs that retrieve judged documents d0, d1, ... of each topic in the order given; one that is not judged
    behind those of the first run."""
    topics = range(len(next(iter(scores.values()))))
    qrels = "".join(f"{topic} 0 d{each} {int(each < 2)}\n" for topic in topics for each in range(5))
    runs = []
    for name, orders in scores.items():
        lines = [
            f"{topic} Q0 d{each} 0 {9 - rank} {name}\n" for topic in topics for rank, each in enumerate(orders[topic])
        ]
        lines += [f"{topic} Q0 other 0 1 {name}\n" for topic in topics if unjudged and not runs]
        runs.append("".join(lines).encode())
    return qrels.encode(), runs


GOOD, MIDDLE, BAD = [0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [2, 3, 4, 0, 1]


def test_claims_of_few_topics() -> None:
    """Signs of 5 topics find something at .1, of 4 do not: where p_adjusted is 1/16 there is a claim."""
    for topics, claims in ((5, 1), (4, 0)):
        qrels, runs = ranked_runs({"good": [GOOD, MIDDLE, *[GOOD] * (topics - 2)], "bad": [BAD] * topics})
        found = irci.map_ci(qrels, runs, survives=True, compare=True, measures="map", confidence=0.9, resamples=100)
        assert len(rows(found, "claim")) == claims
        over_topics = by_pair(rows(found, "difference"), "topics")
        assert [row["p_adjusted"] for row in over_topics.values()] == [2 ** (1 - topics)]


def test_that_nothing_is_unjudged_is_said() -> None:
    """No grades can change a sign then, and that is no evidence."""
    for unjudged in (False, True):
        qrels, runs = ranked_runs({"good": [GOOD, MIDDLE] * 6, "bad": [BAD] * 12}, unjudged)
        found = irci.map_ci(qrels, runs, survives=True, compare=True, measures="map,P_5", resamples=100)
        told = [each for each in found.conclusion if " survives " in each]
        # Behind five judged documents one of grade 1 counts in the average precision, but not down to rank 5.
        assert [("unjudged documents, of which there are none" in each) for each in told] == [not unjudged]


def test_words() -> None:
    found = irci.compare(QRELS, RUNS, survives=True, resamples=300)
    (first, *_) = rows(found, "claim")
    (told,) = (each for each in found.sentences if each.startswith(f"That {first['run']} scores higher than bravo"))
    assert f"survives {first['survives']} of {first['of']} sources" in told
    assert any("Not checked: another judge" in each for each in found.sentences)
    assert not any("%" in each for each in found.sentences if "survive" in each)


@pytest.mark.parametrize(("options", "message"), [
    (["--survives"], "--survives needs pairs"),
    (["--compare", "--survives", "--correction", "holm"], "leave out --correction"),
    (["--compare", "--survives", "--test", "sign"], "--test sign is not"),
    (["--compare", "--survives", "--scores"], "scores do not have"),
])  # fmt: skip
def test_refusals(options: list[str], message: str) -> None:
    assert message in command("map-ci", *options, QRELS, *RUNS, status=2).stderr


@pytest.mark.check
def test_the_table_of_dl_2019() -> None:
    """The published counts: 692 claims of 1830 pairs; documents and bounds confirm all of them, both 472."""
    folder = SHARED / "trec-dl19-passage"
    if not folder.exists():
        pytest.skip("no TREC 2019 here")
    files = [folder / "qrels.dl19-passage.gz", *sorted((folder / "runs").iterdir())]
    words = (
        "-n",
        "--all-pairs",
        "--survives",
        "-m",
        "nDCG@10",
        "--names",
        "file",
        "--table",
        "claim",
        "--format",
        "tsv",
    )
    lines = [line.split("\t") for line in printed("map-ci", "--quiet", *words, *files).splitlines()]
    header, claims = lines[0], lines[1:]
    counts = {name: sum(row[header.index(name)] == "confirmed" for row in claims) for name in header[5:8]}
    assert len(claims) == 692
    assert (counts["documents"], counts["judgments"]) == (692, 692)
    assert math.isclose(counts["both"], 472, abs_tol=5)
