"""partition-anova as its users meet it: splits that leave no part empty, policies, files, decisions, and published counts;
wordings of topics as replicates, against statsmodels and map-ci."""

import csv
import gzip
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import command_lines
import numpy as np
import pandas as pd
import pytest
from command_lines import irci, printed
from helpers import QRELS, RUNS, pick, score_table, shared, unpacked, written
from scipy import stats

from irci.base.streams import topic_keys
from irci.base.types import all_pairs
from irci.data.parts import PartScores, hash_split
from irci.stats.anova import anova, unpaired_t
from irci.stats.signs import p_by_signs

OPTIONS = ["--policy", "drop", "-B", "500"]


invoke = partial(printed, "partition-anova", "--quiet")


def rows_of(*arguments: object) -> list[dict[str, Any]]:
    return command_lines.rows("partition-anova", *OPTIONS, *arguments)


def table(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [row for row in rows if name in (row.get("table"), row.get("measure"))]


def lines_of(path: str) -> list[str]:
    return unpacked(Path(path)).decode().splitlines(keepends=True)


def hashes(*documents: int) -> np.ndarray:
    """Well mixed words for documents with these numbers."""
    rng = np.random.default_rng(99)
    return rng.integers(0, 2**63, 50).astype(np.uint64)[list(documents)]


@pytest.mark.check
def test_redrawn_splits_against_rejection() -> None:
    """Two joined topics and one by itself: every assignment in which no part is empty is equally likely."""
    topics = [hashes(0, 1, 2), hashes(2, 3), hashes(4, 5)]
    documents: Any = SimpleNamespace(public_hashes=lambda: hashes(*range(6)))
    splits = 4000
    observed: Counter[tuple[int, ...]] = Counter()
    for number in range(splits):
        observed[tuple(hash_split(1, number, 2, topics)(documents).tolist())] += 1
    of_topics = (0, 1, 2), (2, 3), (4, 5)
    every = itertools.product((0, 1), repeat=6)
    allowed = [parts for parts in every if all(len({parts[d] for d in of}) == 2 for of in of_topics)]
    assert set(observed) == set(allowed)
    assert stats.chisquare([observed[a] for a in allowed]).pvalue > 1e-4


def test_policies_by_hand() -> None:
    nan = np.nan
    y = np.array([[[0.2, 0.4], [0.6, 0.8]], [[0.1, nan], [0.3, nan]], [[nan, nan], [nan, nan]]])
    table = PartScores(["A", "B"], ["1", "2", "3"], {}, {"map": [y]})
    dropped, kept = table.complete("map", 0, "drop")
    assert kept.tolist() == [True, False, False]
    assert dropped.tolist() == [[[0.2, 0.4], [0.6, 0.8]]]
    zero, kept = table.complete("map", 0, "zero")
    assert kept.all()
    assert zero[1:].tolist() == [[[0.1, 0], [0.3, 0]], [[0, 0], [0, 0]]]
    mean, kept = table.complete("map", 0, "mean")
    assert kept.tolist() == [True, True, False]
    assert mean[1].tolist() == [[0.1, 0.1], [0.3, 0.3]]


def test_effects_are_those_of_scores_of_the_lines_of_each_part(tmp_path: Path) -> None:
    """Runs and qrels cut into files by plain lines, and scored by ap-ci; their sums of squares and means by hand."""
    lines = {path: lines_of(path) for path in [QRELS, *RUNS]}
    documents = sorted({line.split()[2] for of_file in lines.values() for line in of_file})
    part_of = {document: str(place % 3) for place, document in enumerate(documents)}
    parts = written(tmp_path / "parts", "".join(f"{document} {part}\n" for document, part in part_of.items()))
    measures = ["map", "P_5", "ndcg"]
    cells: dict[str, dict[str, dict[tuple[str, str], float]]] = {measure: {} for measure in measures}
    for part in "012":
        paths = []
        for path, of_file in lines.items():
            of_part = "".join(line for line in of_file if part_of[line.split()[2]] == part)
            paths.append(written(tmp_path / f"{Path(path).name}-{part}", of_part))
        asked = ("-q", "-n", "-B", "0", "--no-relevant", "drop", "-m", ",".join(measures))
        for row in command_lines.rows("ap-ci", *asked, *paths):
            cells[row["measure"]].setdefault(row["topic"], {})[row["run"], part] = row["value"]
    printed_rows = rows_of("-m", ",".join(measures), "-x", parts, QRELS, *RUNS)
    for measure, by_topic in cells.items():
        y = np.array([[*of_topic.values()] for of_topic in by_topic.values() if len(of_topic) == 5 * 3])
        y = y.reshape(len(y), 3, 5)  # topics, parts, runs
        effects = {row["run"]: row["value"] for row in table(printed_rows, f"effect_{measure}")}
        means = y.mean(axis=(0, 1)) - y.mean()
        runs = [run for run, part in next(iter(by_topic.values())) if part == "0"]
        assert effects == pytest.approx(dict(zip(runs, means, strict=True)), abs=1e-12)
        (total,) = (row for row in table(printed_rows, f"anova_{measure}") if row["source"] == "total")
        assert (total["df"], total["ss"]) == pytest.approx((y.size - 1, ((y - y.mean()) ** 2).sum()))


def test_lengths_are_those_of_the_printed_intervals() -> None:
    one = rows_of("--threads", "1", QRELS, *RUNS)
    assert rows_of("--threads", "3", QRELS, *reversed(RUNS)) == one
    effects = table(one, "effect_map")
    assert all(row["lower"] < row["value"] < row["upper"] for row in effects)
    lengths = [row["upper"] - row["lower"] for row in effects]
    (length,) = pick(table(one, "length_map"), model="interaction")
    expected = [np.mean(lengths), min(lengths), max(lengths)]
    assert [length["value"], length["lower"], length["upper"]] == pytest.approx(expected)
    of_both = rows_of("-x", "3,2", QRELS, *RUNS)
    assert [row["part"] for row in table(of_both, "significant_map")] == [3, 3, 2, 2, 0, 0, 0, 0]
    (several,) = pick(table(of_both, "length_map"), model="interaction")
    (of_three,) = pick(table(rows_of("-x", "3", QRELS, *RUNS), "length_map"), model="interaction")
    for name, value in (length | {f"{name}:3": of_three[name] for name in ("value", "lower", "upper")}).items():
        assert several.get(name, several.get(f"{name}:2")) == value


def test_a_plain_call_prints_effects_pairs_and_a_line() -> None:
    """Effects highest first, letters that the model's pairs say; other tables where they are asked for, or for machines."""
    plain = invoke("--policy", "drop", "-B", "1000", QRELS, *RUNS)
    lines = [line.split("\t") for line in plain.splitlines() if not line.startswith("#")]
    assert list(dict.fromkeys(line[0].strip() for line in lines)) == ["effect_map", "pair_map"]
    effects = [line for line in lines if line[0].startswith("effect")]
    assert [float(line[2]) for line in effects] == sorted((float(line[2]) for line in effects), reverse=True)
    letters = {line[5]: set(line[6]) for line in effects}
    pairs = [line for line in lines if line[0].startswith("pair")]
    assert len(pairs) == 10
    for _, first, second, *_, decision in pairs:
        assert bool(letters[first] & letters[second]) == (decision == "=")
    rows = rows_of("--policy", "drop", "-B", "1000", QRELS, *RUNS)
    counts = {row["test"]: row["pairs"] for row in table(rows, "significant_map") if row["alpha"] == 0.05}
    assert "; model: interaction, 1 random split into 2 parts (seed 1)" in plain.splitlines()[1]
    tests = f"paired t {counts['t']}, randomization {counts['randomization']}, unadjusted"
    assert plain.splitlines()[-1] == f"# {counts['difference']} of 10 pairs differ (bh, .05); {tests}"
    assert {"anova_map", "length_map", "check_map", "significant_map"} < {row.get("table") for row in rows}


def test_pairs_that_only_some_splits_find_are_named() -> None:
    words = ["--policy", "drop", "--splits", "4", "-B", "1000", QRELS, *RUNS]
    counts = {row["decision"]: row["pairs"] for row in table(rows_of(*words), "agreement_map")}
    (line,) = (line for line in invoke(*words).splitlines() if "differ in all 4 splits" in line)
    by_all, by_none = map(int, re.findall(r"# (\d) pairs? .* and (\d) in none", line)[0])
    assert (by_all, by_all + by_none) == (counts["unanimous"], counts["4:0"])
    agreeing = Counter(max(int(number), 4 - int(number)) for number in re.findall(r"\((\d) of 4\)", line))
    assert agreeing == Counter({3: counts.get("3:1", 0), 2: counts.get("2:2", 0)})
    assert "pairs differ" not in invoke("--policy", "drop", "-B", "50", "--table", "anova", QRELS, *RUNS)


def test_groups(tmp_path: Path) -> None:
    groups = written(
        tmp_path / "groups.tsv", "run\tgroup\nalpha\tone\nbravo\tone\ncharlie\ttwo\ndelta\tone\necho\ttwo\n"
    )

    def lengths_of(*asked: object) -> dict[str, float]:
        return {row["model"]: row["value"] for row in table(rows_of(*asked), "length_map")}

    teams, team = ("--groups", groups, QRELS, *RUNS), (QRELS, RUNS[2], RUNS[4])
    assert sum(row["pairs"] for row in table(rows_of(*teams), "agreement_map")) == 3 + 1
    # A team alone: the same as an analysis of its runs, whose parts are the same.
    lengths, alone = lengths_of(*teams), lengths_of(*team)
    assert list(alone) == ["additive", "interaction"]
    for model, length in alone.items():
        one, two, both = (lengths[f"{model}/within{each}"] for each in ("/one", "/two", ""))
        assert two == pytest.approx(length, rel=1e-12)
        assert both == pytest.approx((3 * one + 2 * two) / 5, rel=1e-12)
    # As published: of means, which also vary together, and not of effects, whose variance is half of that of two runs.
    published, centred = (lengths_of("--published", "-B", "10000", *asked) for asked in (teams, team))
    for model in ("additive", "interaction"):
        assert published[f"{model}/within/two"] == pytest.approx(math.sqrt(2) * centred[model], rel=0.08)
    for options in ([], ["--explain"]):  # a remark, or one of the sentences
        assert invoke(*OPTIONS, "--published", *options, *team).count("as in the paper: more pairs differ") == 1


def test_given_parts(tmp_path: Path) -> None:
    documents = sorted({line.split()[2] for path in [QRELS, *RUNS] for line in lines_of(path)})
    parts = written(tmp_path / "parts", "".join(f"{document} {document[0]}\n" for document in documents))
    assert [row["part"] for row in table(rows_of("-x", parts, QRELS, *RUNS), "check_map")] == [1, 2, 3]
    assert "given parts cannot be redrawn" in invoke("-x", parts, QRELS, *RUNS, status=4)


@pytest.mark.check
@pytest.mark.parametrize(
    ("measure", "t_counts", "randomization_counts"),
    [("map", (4164, 3437), (6325, 5571)), ("P10", (4317, 3695), (5663, 4903))],
)
def test_published_counts(measure: str, t_counts: tuple[int, int], randomization_counts: tuple[int, int]) -> None:
    """TREC-8, 129 systems: the unpaired t test's counts exactly; the one-sided randomization test's as far as its resamples
    decide, which is within the pairs whose p is within four standard errors of the level (for P10, 1%: other rounding)."""
    with gzip.open(shared("soboroff-confint", "trec8.adhoc.scores.csv.gz"), "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["measure"] == measure]
    runs, topics = (sorted({row[name] for row in rows}) for name in ("run", "topic"))
    scores = np.empty((len(runs), len(topics)))
    for row in rows:
        scores[runs.index(row["run"]), topics.index(row["topic"])] = float(row["score"])
    first, second = all_pairs(len(runs)).T
    assert len(first) == 8256
    p = unpaired_t(scores.T)
    assert ((p <= 0.05).sum(), (p <= 0.01).sum()) == t_counts
    keys = topic_keys([topic.encode() for topic in topics])
    p = p_by_signs(scores[first] - scores[second], keys, 10_000, 1, one_sided=True)
    for alpha, published in zip((0.05, 0.01), randomization_counts, strict=True):
        undecided = (np.abs(p - alpha) < 4 * np.sqrt(alpha * (1 - alpha) / 10_000)).sum()
        slack = 0 if measure == "map" else 0.01 * published
        assert abs((p <= alpha).sum() - published) <= undecided + slack
    if measure == "map":
        same = (scores[first] == scores[second]).all(axis=1)
        assert same.sum() == 2
        assert (p[same] == 1).all()


# Wordings of topics as replicates.


RULE = r"(?P<topic>[^.]+)\.(?P<version>.+)"
typed = partial(irci, "partition-anova")
of_versions = partial(command_lines.rows, "partition-anova")


def by_column(found: Sequence[dict[str, Any]], name: str, column: str) -> dict[str, dict[str, Any]]:
    """The rows of a table by a column."""
    return {row[column]: row for row in found if row.get("table") == name}


def saved(path: Path, data: pd.DataFrame) -> Path:
    """With topic ids TOPIC.VERSION."""
    return score_table(path, ((row.system, f"{row.topic}.{row.version}", row.y) for row in data.itertuples()))


def some_data(runs: str = "ABC", topics: int = 5, versions: int = 3, *, alike: bool = True) -> pd.DataFrame:
    """Scores with effects of everything."""
    rng = np.random.default_rng(1)
    place = np.indices((len(runs), topics, versions)).reshape(3, -1).T
    y = rng.random((len(runs), topics, 1)) + rng.random((1, topics, versions))
    y = y + 0.1 * rng.random((len(runs), topics, versions))
    names = [f"v{k}" if alike else f"v{i}{k}" for _, i, k in place]
    return pd.DataFrame({
        "system": [runs[j] for j, _, _ in place], "topic": [f"t{i}" for _, i, _ in place], "version": names,
        "y": y.ravel() / 4,
    })  # fmt: skip


@pytest.mark.parametrize("model", ["interaction", "parts", "nested"])
def test_tables_of_versions_are_those_of_the_model(model: str, tmp_path: Path) -> None:
    """Each source by the name of what it is; nested is the default."""
    data = some_data()
    y = data["y"].to_numpy().reshape(3, 5, 3).swapaxes(0, 1)  # topics, systems, versions
    asked = () if model == "nested" else ("--model", model)
    printed = of_versions("-B", 50, "--scores", "--versions", RULE, *asked, saved(tmp_path / "s", data))
    found = by_column(printed, "anova_map", "source")
    expected = {source.replace("part", "version"): line for source, line in anova(y, model).table.items()}
    assert found.keys() == expected.keys()
    for source, (df, squares, _, *others) in expected.items():
        row = [found[source].get(name) for name in ("df", "ss", "F", "p", "omega2")]
        assert row == [None if np.isnan(cell) else pytest.approx(cell) for cell in (df, squares, *others)], source


def test_effects_and_tests_are_of_averages_over_versions(tmp_path: Path) -> None:
    """Effects are means by map-ci, less their mean; the t test beside them is map-ci's over topics."""
    file = saved(tmp_path / "s", some_data())
    found = of_versions("-B", 50, "--scores", "--versions", RULE, "--test", "t", file)
    options = ("--scores", "--versions", RULE, "--population", "topics", "--all-pairs")
    by_map_ci = command_lines.rows("map-ci", *options, file)
    means = {row["run"]: row["value"] for row in by_map_ci if row["measure"] == "map"}
    effects = {row["run"]: row["value"] for row in found if row.get("measure") == "effect_map"}
    overall = sum(means.values()) / 3
    assert effects == pytest.approx({run: mean - overall for run, mean in means.items()})
    by_t = {
        (row["run"], row["baseline"]): row["p"]
        for row in found
        if row.get("table") == "pair_map" and row["test"] == "t"
    }
    expected = {(row["baseline"], row["run"]): row["p"] for row in by_map_ci if row["measure"] == "map_diff"}
    assert by_t == pytest.approx(expected)


def test_versions_that_are_each_of_one_topic(tmp_path: Path) -> None:
    """The k-th of one topic has nothing to do with the k-th of another: no effects of versions, and no checks of them."""
    alike, unlike = some_data(), some_data(alike=False)
    options = ("-B", 50, "--scores", "--versions", RULE)
    file = saved(tmp_path / "unlike", unlike)
    found = of_versions(*options, file)
    crossed = of_versions(*options, saved(tmp_path / "alike", alike))
    assert found == [row for row in crossed if row.get("table") != "check_map"]
    checks = by_column(crossed, "check_map", "part")
    shifts = alike.groupby("version").y.mean() - alike.y.mean()
    assert {version: row["difference"] for version, row in checks.items()} == pytest.approx(dict(shifts))
    refused = typed(*options, "--model", "parts", file)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "--model parts needs versions of the same names for every topic" in refused.stderr
    assert of_versions(*options, "--model", "interaction", file)


def without_error(differences: Sequence[float], versions: int = 2) -> pd.DataFrame:
    """Two systems, all versions of a topic alike, B better by so much on each topic."""
    return pd.DataFrame([
        {"system": run, "topic": f"t{topic}", "version": f"v{version}", "y": 0.5 + (run == "B") * difference}
        for run in "AB" for topic, difference in enumerate(differences) for version in range(versions)
    ])  # fmt: skip


def test_systems_alike_differ_by_0_and_not_by_minus_0(tmp_path: Path) -> None:
    alike = saved(tmp_path / "s", without_error((0.0, 0.0, 0.0)))
    assert "\tA\tB\t0.0000\t" in typed("-B", 50, "--scores", "--versions", RULE, alike).stdout


@pytest.mark.parametrize("differences", [(0.1, 0.1, 0.1), (0.1, -0.1, 0.2)])
def test_scores_that_a_model_fits_exactly_are_no_certainty(differences: Sequence[float], tmp_path: Path) -> None:
    """No limits, no p of the model's, and a warning; by t a constant difference has the p of signs, 2^(1 - 3)."""
    data = without_error(differences)
    file = saved(tmp_path / "s", data)
    options = ("-B", 50, "--scores", "--test", "t", "--explain", "--versions", RULE, file)
    result = typed("--format", "json", *options)
    assert result.exit_code == 0, result.output
    assert "no limits, and no p of pairs: --model" in result.stderr
    found = json.loads(result.stdout)["rows"]
    pairs = {row["test"]: row["p"] for row in found if row.get("table") == "pair_map"}
    assert pairs["difference"] is None
    assert pairs["t"] == pytest.approx(0.25) if len(set(differences)) == 1 else pairs["t"] > 0.25
    assert {row["lower"] for row in found if row.get("measure") == "effect_map"} == {None}
    assert {row["pairs"] for row in found if row.get("table") == "significant_map"} == {0}
    told = typed("--quiet", *options).stdout
    assert "# 0 of 1 pair of systems differs significantly" in told
    assert "Effects have no confidence intervals" in told
    assert not any("letters" in row for row in found)  # equal letters would say that they do not differ
