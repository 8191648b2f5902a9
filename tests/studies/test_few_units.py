"""Few topics, clusters, collections: p over topics is no less than signs of them can give, and over fewer than six
of what else varies; what is then said, failed and told of claims."""

import math
from pathlib import Path

import numpy as np
import pytest
from command_lines import irci, rows_of, warnings_of
from helpers import pick
from scipy import stats

SEEDS, CLUSTERS = r"(?P<system>.)\.s(?P<seed>\d)", r"(?P<cluster>.)\d"
NORMAL = np.random.default_rng(1).normal(0.2, 0.01, 200)
SKEWED = 0.02 + np.random.default_rng(2).exponential(0.2, 200)
RARE = np.where(np.arange(200) % 9, 0.2001, 0.19)  # nearly constant
SIZE = 5  # topics in a cluster, versions of a topic


def written(path: Path, units: int, laws: np.ndarray, design: str) -> list[str]:
    """Scores of b, larger than those of a on every unit, and the options of the design."""
    path.mkdir(exist_ok=True)
    lines, size = [], 1 if design in ("topics", "seeds") else SIZE
    for unit in range(units):
        for member in range(size):
            name = f"{chr(97 + unit)}{member}"
            gain = float(laws[unit]) + 0.001 * member
            for seed in range(8 if design == "seeds" else 1):
                of_seed = f".s{seed}" * (design == "seeds")
                noise = 0.001 * ((seed * 7) % 5)
                of = f"{chr(97 + unit)}\t" * (design == "collections")
                for run, score in (("a", 0.1 + 0.01 * unit), ("b", 0.1 + 0.01 * unit + gain)):
                    lines.append(f"{of}{name}\t{run}{of_seed}\tmap\t{score + noise!r}")
    head = "collection\t" * (design == "collections") + "topic\trun\tmeasure\tvalue"
    (path / "scores.tsv").write_text("\n".join([head, *lines, ""]))
    asked = {
        "topics": [], "clusters": ["--clusters", CLUSTERS], "seeds": ["--seeds", SEEDS], "collections": [],
        "versions": ["--versions", r"(?P<topic>.)(?P<version>\d)"],
    }[design]  # fmt: skip
    return ["map-ci", "--scores", "--baseline", "a", *asked, str(path / "scores.tsv")]


POPULATION = {
    "topics": "topics",
    "clusters": "clusters",
    "collections": "collections",
    "seeds": "seeds",
    "versions": "topics",
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("design", POPULATION)
@pytest.mark.parametrize("laws", [NORMAL, SKEWED, RARE], ids=["normal", "skewed", "rare"])
def test_p_and_limits_over_few_units(design: str, laws: np.ndarray, tmp_path: Path) -> None:
    """b is ahead on every unit: of 2^n signs two are as large, so p >= 2^(1-n), and below 6 units limits hold 0.
    From 6 on p over clusters and collections is t's, unless these are nearly alike."""
    for units in (3, 5, 6):
        words = written(tmp_path / str(units), units, laws, design)
        rows = [row for row in rows_of(*words) if "baseline" in row and row.get("collection", "all") == "all"]
        (row,) = pick(rows, population=POPULATION[design])
        df = row.get("df", units - 1)
        by_t = 2 * stats.t.sf(stats.t.ppf(0.975, df) * row["value"] / (row["upper"] - row["value"]), df)
        free = units >= 6 and design in ("clusters", "collections") and laws is not RARE
        assert row["p"] == pytest.approx(by_t if free else max(by_t, 2 ** (1 - units)), rel=1e-6)
        assert (row["lower"] <= 0) == (row["p"] > 0.05)
        assert row["test"] == ("t, signs" if row["p"] == 2 ** (1 - units) else "t")
        counted = "topics" if design in ("seeds", "versions") else design
        told = any(f"map: too few {counted}" in each for each in warnings_of(*words))
        assert told == (units < 6)
        failed = irci(*words, "--population", POPULATION[design], "--fail-if", "inconclusive")
        assert failed.exit_code == (6 if row["p"] > 0.05 else 0)
        if units < 6:
            assert f"b against a{'' if design == 'topics' else ' ('}" in failed.stderr
            assert "unresolvable" in failed.stderr


def test_a_broader_claim_is_no_surer_than_what_signs_of_topics_allow(tmp_path: Path) -> None:
    """Eight seeds on five topics: p over seeds was 5e-7 where p over topics is 1/16."""
    words = written(tmp_path, 5, NORMAL, "seeds")
    over = {row["population"]: row["p"] for row in rows_of(*words) if "baseline" in row}
    assert over == {"seeds": 1 / 16, "topics": 1 / 16}
    told = irci(*words, "--explain", status=0).stdout
    assert told.count("p is the smallest that signs of so few topics allow") == 2


def test_clusters_that_a_pair_lacks_count_for_neither_p_nor_limits(tmp_path: Path) -> None:
    """Seven clusters, of which b has five, and is right where a is wrong: p is 2 of 2^5 signs, and bounded limits hold 0."""
    scores = [
        f"{cluster}{member}\t{run}\tP_1\t{int(run == 'b')}"
        for cluster in "abcdefg" for member in range(4) for run in "ab"[: 1 + (cluster < "f")]
    ]  # fmt: skip
    (tmp_path / "s.tsv").write_text("\n".join(["topic\trun\tmeasure\tvalue", *scores, ""]))
    asked = ["map-ci", "--scores", "--baseline", "a", "--missing", "drop", "--clusters", CLUSTERS, tmp_path / "s.tsv"]
    (row,) = pick(rows_of(*asked), population="clusters", baseline="a")
    assert [row[name] for name in ("p", "lower", "clusters", "interval")] == [1 / 16, 0, 5, "bounded"]


# Claims and seeds.


def of_seeds(path: Path, seeds: tuple[int, int], topics: int = 12) -> str:
    rng = np.random.default_rng(3)
    level = rng.uniform(0.2, 0.4, topics)
    lines = [
        f"t{topic}\t{run}.s{seed}\tmap\t{float(level[topic] + 0.2 * place + rng.normal(0, 0.02))!r}"
        for place, run in enumerate("ab")
        for seed in range(seeds[place])
        for topic in range(topics)
    ]
    path.write_text("\n".join(["topic\trun\tmeasure\tvalue", *lines, ""]))
    return str(path)


@pytest.mark.parametrize(
    ("seeds", "why"),
    [
        ((1, 4), "only 1 seed of a"),
        ((2, 3), "only 2 seeds of a"),
        ((4, 2), "only 2 seeds of b"),
        ((3, 3), ""),
        ((1, 1), None),
    ],
)
def test_claims_are_tested_by_three_seeds_of_each_system(
    seeds: tuple[int, int], why: str | None, tmp_path: Path
) -> None:
    told = irci(
        "map-ci", "--scores", "--all-pairs", "--survives", "--explain", "--seeds", SEEDS,
        of_seeds(tmp_path / "x.tsv", seeds), status=0,
    ).stdout  # fmt: skip
    if why is None:  # nothing varies but topics
        assert "other seeds" in told.partition("Not checked: ")[2]
    else:
        assert ("cannot be tested by other seeds" in told) == bool(why)
        assert f"1 of 1 difference in map cannot be tested by other seeds: {why}." in told or not why


def test_seeds_that_are_copies_are_named(tmp_path: Path) -> None:
    path = Path(of_seeds(tmp_path / "x.tsv", (3, 3)))
    asked = ("map-ci", "--scores", "--baseline", "a", "--seeds", SEEDS, path)
    assert not any("score equally on all topics" in each for each in warnings_of(*asked))
    path.write_text(path.read_text() + "".join(
        line.replace(".s2", ".s4") + "\n" for line in path.read_text().splitlines() if "b.s2" in line
    ))  # fmt: skip
    (told,) = (each for each in warnings_of(*asked) if "score equally on all topics" in each)
    assert (told.partition(" with ")[0], told.rpartition(": ")[2]) == ("1 system", "b")


def test_both_is_no_surer_than_signs_of_topics() -> None:
    """p over topics and documents at once, of topics that all agree."""
    from irci.estimators.differences import over_both
    from irci.estimators.joint_resamples import TopicSpreads
    from irci.stats.estimates import Estimates
    from irci.stats.scales import PLAIN

    values = np.array([[0.5, 0.51, 0.52, 0.5, 0.51], [0.1, 0.11, 0.1, 0.12, 0.11]])
    differences = Estimates(np.array([0.4]), np.array([0.01]), np.array([4.0]), np.array([5]))
    spreads = TopicSpreads(np.array([[0, 1]]), PLAIN, np.full((1, 5), 0.001), np.zeros((1, 5), np.bool_))
    found = over_both(differences, values, spreads, 0.95)
    assert (found.p[0], found.test, found.limits[0][0]) == (1 / 16, ["t, signs"], 0)
    assert not math.isnan(found.limits[1][0])


def test_people_who_judged_five_topics(tmp_path: Path) -> None:
    """p, with the judge or without, rests on five topics, on all of which b is ahead by about as much."""
    for name, topics in (("people", 5), ("judge", 40)):
        lines = [f"t{topic}\t{run}\tmap\t{0.3 + 0.01 * (topic % 7) + gain}" for topic in range(topics)
                 for run, gain in (("a", 0.0), ("b", 0.2 + 0.02 * (topic % (3 if name == "people" else 4))))]  # fmt: skip
        (tmp_path / name).write_text("\n".join(["topic\trun\tmeasure\tvalue", *lines, ""]))
    asked = ("map-ci", "--scores", "--baseline", "a", "--judge", tmp_path / "judge", tmp_path / "people")
    pairs = [row for row in rows_of(*asked) if "baseline" in row]
    assert len(pairs) == 4
    assert {(row["p"], row["lower"]) for row in pairs} == {(1 / 16, 0)}
