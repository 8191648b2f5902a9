"""What is so of every source over which map-ci has rows: p over few units is no less than signs of them can give, and what is
then said, failed and told of claims; what is refused; files with wrong lines."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from claim_cases import csv_of
from command_lines import irci, printed, rows_of, warnings_of
from helpers import TESTDATA, pick, run_scores, score_table
from scipy import stats

import irci as package

SEEDS, CLUSTERS = r"(?P<system>.)\.s(?P<seed>\d)", r"(?P<cluster>.)\d"
NORMAL = np.random.default_rng(1).normal(0.2, 0.01, 200)
SKEWED = 0.02 + np.random.default_rng(2).exponential(0.2, 200)
RARE = np.where(np.arange(200) % 9, 0.2001, 0.19)  # nearly constant
SIZE = 5  # topics in a cluster, versions of a topic
OPTIONS = {
    "topics": [], "clusters": ["--clusters", CLUSTERS], "seeds": ["--seeds", SEEDS], "collections": [],
    "versions": ["--versions", r"(?P<topic>.)(?P<version>\d)"],
}  # fmt: skip


def written(path: Path, units: int, laws: np.ndarray, design: str) -> list[str]:
    """Scores of b, larger than those of a on every unit, and the options of the design."""
    cells: list[tuple[object, ...]] = []
    for unit, letter in enumerate(map(chr, range(97, 97 + units))):
        for member in range(1 if design in ("topics", "seeds") else SIZE):
            gain = float(laws[unit]) + 0.001 * member
            for seed in range(8 if design == "seeds" else 1):
                for run, score in (("a", 0.1 + 0.01 * unit), ("b", 0.1 + 0.01 * unit + gain)):
                    name = f"{run}.s{seed}" if design == "seeds" else run
                    cells.append((letter, f"{letter}{member}", name, score + 0.001 * ((seed * 7) % 5)))
    if design == "collections":
        score_table(path, cells, "collection topic run value")
    else:
        score_table(path, (cell[1:] for cell in cells), "topic run value")
    return ["map-ci", "--scores", str(path), *OPTIONS[design]]


@pytest.mark.sample(5)
@pytest.mark.parametrize("design", OPTIONS)
@pytest.mark.parametrize("laws", [NORMAL, SKEWED, RARE], ids=["normal", "skewed", "rare"])
def test_p_and_limits_over_few_units(design: str, laws: np.ndarray, tmp_path: Path) -> None:
    """b is ahead on every unit: of 2^n signs two are as large, so p >= 2^(1-n), and below 6 units limits hold 0.
    From 6 on p over clusters and collections is t's, unless these are nearly alike."""
    population = "topics" if design == "versions" else design
    for units in (3, 5, 6):
        words = [*written(tmp_path / str(units), units, laws, design), "--baseline", "a"]
        rows = [row for row in rows_of(*words) if "baseline" in row and row.get("collection", "all") == "all"]
        (row,) = pick(rows, population=population)
        df = row.get("df", units - 1)
        by_t = 2 * stats.t.sf(stats.t.ppf(0.975, df) * row["value"] / (row["upper"] - row["value"]), df)
        free = units >= 6 and design in ("clusters", "collections") and laws is not RARE
        assert row["p"] == pytest.approx(by_t if free else max(by_t, 2 ** (1 - units)), rel=1e-6)
        assert (row["lower"] <= 0) == (row["p"] > 0.05)
        assert row["test"] == ("t, signs" if row["p"] == 2 ** (1 - units) else "t")
        counted = "topics" if design in ("seeds", "versions") else design
        assert any(f"map: too few {counted}" in each for each in warnings_of(*words)) == (units < 6)
        failed = irci(*words, "--population", population, "--fail-if", "inconclusive")
        assert failed.exit_code == (6 if row["p"] > 0.05 else 0)
        if units < 6:
            assert f"b against a{'' if design == 'topics' else ' ('}" in failed.stderr
            assert "unresolvable" in failed.stderr


def test_a_broader_claim_is_no_surer_than_what_signs_of_topics_allow(tmp_path: Path) -> None:
    """Eight seeds on five topics: p over seeds was 5e-7 where p over topics is 1/16."""
    words = [*written(tmp_path / "x", 5, NORMAL, "seeds"), "--baseline", "a"]
    over = {row["population"]: row["p"] for row in rows_of(*words) if "baseline" in row}
    assert over == {"seeds": 1 / 16, "topics": 1 / 16}
    assert "p: t test (floor: least sign-test p) over seeds" in printed(*words)


def test_clusters_that_a_pair_lacks_count_for_neither_p_nor_limits(tmp_path: Path) -> None:
    """Seven clusters, of which b has five, and is right where a is wrong: p is 2 of 2^5 signs, and bounded limits hold 0."""
    scores = [
        (f"{cluster}{member}", run, int(run == "b"))
        for cluster in "abcdefg" for member in range(4) for run in "ab"[: 1 + (cluster < "f")]
    ]  # fmt: skip
    path = score_table(tmp_path / "s.tsv", scores, "topic run value", "P_1")
    asked = ["map-ci", "--scores", "--baseline", "a", "--missing", "drop", "--clusters", CLUSTERS, path]
    (row,) = pick(rows_of(*asked), population="clusters", baseline="a")
    assert [row[name] for name in ("p", "lower", "clusters", "interval")] == [1 / 16, 0, 5, "bounded"]


ALONE: dict[str, dict[str, Any]] = {
    "clusters": {"clusters": "(?P<cluster>.+)", "population": "clusters"},
    "versions": {"versions": "(?P<topic>.+)(?P<version>)", "population": "topics"},
}


@pytest.mark.parametrize(
    "options",
    [
        {"measures": ["AP", "lmap", "gm_map"]}, {"correction": "maxt", "ranks": True}, {"correction": "maxt"},
        {"correction": "bh"}, {"test": "randomization", "correction": "none"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("source", ALONE)
def test_topics_alone_in_their_groups_are_plain_topics(source: str, options: dict[str, Any]) -> None:
    """To the last bit of differences, p and ranks; means are added up by others, limits for all pairs wider by rounding."""
    found, plain = (
        [row for table in report.tables for row in table.rows]
        for report in (
            package.map_ci(scores=csv_of("topics", "graded", 4, 40), all_pairs=True, **given, **options)
            for given in (ALONE[source], {"population": "topics"})
        )
    )
    assert len(found) == len(plain) >= 4
    for ours, theirs in zip(found, plain, strict=True):
        for name in ours.keys() & theirs.keys() - {"population", "topics", "df"}:
            digits = 0 if "baseline" in ours or "letters" in ours else 1e-14
            digits = 1e-8 if name.endswith("er_adjusted") and source == "versions" else digits
            is_number = isinstance(theirs[name], float)
            assert ours[name] == (
                pytest.approx(theirs[name], rel=digits, abs=0, nan_ok=True) if is_number else theirs[name]
            )
        if "baseline" in ours:
            assert ours["df"] == 39


# Claims and seeds.


def of_seeds(path: Path, seeds: tuple[int, int], topics: int = 12) -> str:
    rng = np.random.default_rng(3)
    level = rng.uniform(0.2, 0.4, topics)
    runs = {
        f"{run}.s{seed}": level + 0.2 * place + rng.normal(0, 0.02, topics)
        for place, run in enumerate("ab") for seed in range(seeds[place])
    }  # fmt: skip
    return run_scores(path, runs)


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
    words = ["map-ci", "--scores", "--all-pairs", "--survives", "--explain", "--seeds", SEEDS]
    told = irci(*words, of_seeds(tmp_path / "x.tsv", seeds), status=0).stdout
    if why is None:  # nothing varies but topics
        assert "other seeds" in told.partition("Not checked: ")[2]
    else:
        assert ("cannot be tested by other seeds" in told) == bool(why)
        assert f"1 of 1 difference in map cannot be tested by other seeds: {why}." in told or not why


# What is refused: of a source, with these options, for this reason, which ends with status 2 unless told.

REFUSED = r"""
clusters --clusters (?P<cluster> | not a regular expression
clusters --clusters (?P<topic>.) | its named groups must be cluster (of a topic)
clusters --clusters x(?P<cluster>.) | 4: gives no topic a cluster (a0 a1 a2 a3 a4 ...)
clusters --clusters .(?P<cluster>x)?.* --baseline a --fail-if worse | 4: gives no topic a cluster
clusters --clusters (?P<cluster>).* --population clusters | 4: gives no topic a cluster
clusters --population documents | --population documents resamples documents, which scores do not have
clusters --validate 2 | --validate is not for --clusters
clusters --test wilcoxon | --test wilcoxon is not for --clusters
clusters --interval prediction | --interval prediction is not for --clusters
clusters --mean collections | 'collections' is not one of
clusters --baseline a --margin 2% -m lmap | means nothing: give an amount
clusters --baseline a --margin 2% --standardise z | a percentage of a mean of z scores means nothing: give an amount
topics --population clusters | --population clusters is for --clusters
topics --population collections | --population collections is for several collections: these are scores of one.
versions --clusters (?P<cluster>.).* | --versions is not for --clusters
versions --population documents | --population documents is not for --versions
versions --population seeds | --population seeds is not for --versions: use versions or topics.
versions --test wilcoxon --baseline a | --test wilcoxon is not for --versions
versions --save-scores x | --save-scores cannot be used with --versions
versions --standardise z | --standardise and --versions do not go together
versions --versions (?P<topic>.)-(?P<version>.) | 4: names a version of no topic
versions --versions (?P<topic>.*)(?P<version>) --population versions | 4: one version of each topic
versions --versions (?P<topic>)(?P<version>.*) --population topics | 4: one topic: nothing can be said about others
versions --versions (?P<topic>.) | its named groups must be system and version (of a run) or topic and version (of a topic id)
collections --clusters (?P<cluster>.) | 4: scores of 6 collections (a b c d e ...)
collections --topics a1 | --topics is not for several collections.
collections --baseline a --test wilcoxon | --test wilcoxon is not for several collections: use t or randomization.
collections --baseline a --standardise z --margin 2% | a percentage of a mean of z scores means nothing
collections --interval prediction --population topics | for one more collection: needs --population collections.
folder --mean clusters | --mean is not for several collections.
folder --population documents | --population documents is not for several collections: use collections or topics.
folder --clusters (?P<cluster>.) | --collections is not for --clusters.
folder --collections {folder} | --collections names qrels, runs and files of scores: leave out other files
folder --save-scores {folder}/news/qrels.txt | would overwrite the input
seeds --baseline mean | --baseline mean is not for --seeds: name a system.
seeds --ranks --correction maxt | --correction maxt changes signs, which seeds do not have
seeds --baseline a --test randomization | --test randomization changes signs, which seeds do not have
seeds --clusters (?P<cluster>.).* | --seeds is not for --clusters
seeds --seeds (?P<seed>.*) | its named groups must be system and seed
seeds --seeds (?P<system>.*)(?P<seed>...s.) | 4: names the system and seed of no run (a.s0 b.s0
seeds --seeds (?P<system>)(?P<seed>.*) | 4: (?P<system>)(?P<seed>.*): names the system and seed of no run
seeds --seeds (?P<system>.*?)(_s(?P<seed>\d+))? | 4: no run has a seed but - (a.s0 b.s0 a.s1 b.s1 a.s2 ...)
seeds --seeds (?P<system>.\.s[0-5])(?P<seed>) --population seeds | 4: no system has three seeds: nothing can be said
"""


def words_of(source: str, path: Path) -> list[str]:
    return ["map-ci", str(TESTDATA / "several")] if source == "folder" else written(path, 6, NORMAL, source)


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_is_refused(line: str, tmp_path: Path) -> None:
    asked, reason = line.split(" | ")
    source, *options = asked.format(folder=TESTDATA / "several").split() if "{folder}" in asked else asked.split()
    status = 4 if reason.startswith("4: ") else 2
    refused = irci(*words_of(source, tmp_path / "s"), *options)
    assert (refused.exit_code, refused.stdout) == (status, "")
    assert reason.removeprefix("4: ") in refused.stderr


# Files with wrong lines, | for line ends.

WRONG = """
clusters 1 a|2|3 b c|1 d => :2: 1 field, expected topic and cluster
clusters 1 a|2|3 b c|1 d => :2: 1 field, expected topic and cluster (and 1 more line: 3)
clusters 1 a|2|3 b c|1 d => :4: topic '1' twice
clusters 1 \xff\xfe|2 a|2 b => :3: topic '2' twice
clusters => : empty file
seeds => : empty file: no line of run, system and seed
seeds a.s1 a 1|a.s1 a 2|a.s2 a => :3: 2 fields, expected run, system and seed
seeds a.s1,a,1 => :1: 1 field, expected run, system and seed
seeds a.s1 a 1|a.s2 a 1 => 4: runs 'a.s1' and 'a.s2' are both system 'a', seed '1'
seeds x a 1 => 4: names the system and seed of no run (a.s0 b.s0
seeds a.s1 a -|a.s2 a 1 => 4: system 'a' has seeds and none: a.s1 a.s2
seeds a.s1 b.s1 1 => 4: system 'b.s1' has seeds and none: a.s1 b.s1
collections a q r|b q => :2: 2 fields, expected name, qrels and runs
collections a q r|a q r => :2: collection 'a' twice
collections a q r|b q r => q: no such file or directory
collections => 4: 0 collections, where several are compared
collections a q r => 4: 1 collection, where several are compared
collections a q r|all q r => 4: a collection is called all
"""


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong_lines_are_refused(line: str, tmp_path: Path) -> None:
    """All problems of a file are told, with their lines."""
    given, reason = line.split(" => ")
    source, _, text = given.partition(" ")
    path, status = tmp_path / "file", 4 if reason.startswith("4: ") else 3
    path.write_bytes("".join(f"{each}\n" for each in text.split("|") if each).encode("latin-1"))
    scores = [] if source == "collections" else words_of(source, tmp_path / "s")[1:]
    refused = irci("map-ci", *scores, f"--{source}", path)
    assert (refused.exit_code, refused.stdout) == (status, ""), refused.stderr
    assert (f"{path}{reason}" if reason.startswith(":") else reason.removeprefix("4: ")) in refused.stderr
