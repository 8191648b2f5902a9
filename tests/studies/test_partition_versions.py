"""partition-anova --versions: wordings of topics as replicates, against statsmodels, map-ci, and on a real collection."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import numpy as np
import pandas as pd
import pytest
from command_lines import irci
from helpers import SMALL, pick, score_table
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

RULE = r"(?P<topic>[^.]+)\.(?P<version>.+)"
TABLE = ("--scores", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", SMALL / "versions.csv")


invoke = partial(irci, "partition-anova")
rows = partial(command_lines.rows, "partition-anova")


def table(found: Sequence[dict[str, Any]], name: str, column: str) -> dict[str, dict[str, Any]]:
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


FORMULAS = {
    "interaction": "y ~ C(topic) * C(system)",
    "parts": "y ~ C(topic) * C(system) + C(version) + C(system):C(version) + C(topic):C(version)",
    "nested": "y ~ C(topic) * C(system) + C(topic):C(version)",
}


@pytest.mark.parametrize("model", FORMULAS)
def test_against_statsmodels(model: str, tmp_path: Path) -> None:
    """Least squares on dummy variables, each source by the name of what it is; nested is the default."""
    data = some_data()
    names = {"Residual": "error", "C(topic)": "topic", "C(system)": "system", "C(topic):C(system)": "topic:system",
             "C(version)": "version", "C(system):C(version)": "system:version",
             "C(topic):C(version)": "version(topic)" if model == "nested" else "topic:version"}  # fmt: skip
    theirs = anova_lm(ols(FORMULAS[model], data).fit())
    asked = () if model == "nested" else ("--model", model)
    printed = rows("-B", 50, "--scores", "--versions", RULE, *asked, saved(tmp_path / "s", data))
    found = table(printed, "anova_map", "source")
    assert set(found) == {names[str(source)] for source in theirs.index} | {"total"}
    for source, line in theirs.iterrows():
        row = found[names[str(source)]]
        assert (row["df"], row["ss"]) == pytest.approx((line["df"], line["sum_sq"]))
        if names[str(source)] == "topic" and model == "nested":
            within = theirs.loc["C(topic):C(version)"]
            assert row["F"] == pytest.approx(line["mean_sq"] / within["mean_sq"])
            assert row["p"] == pytest.approx(stats.f.sf(row["F"], line["df"], within["df"]))
        elif source != "Residual":
            assert (row["F"], row["p"]) == pytest.approx((line["F"], line["PR(>F)"]))


def test_two_systems_are_compared_as_by_map_ci_over_versions(tmp_path: Path) -> None:
    """One difference, and one variance: V = (1/T^2) sum s_t^2 / n_t."""
    file = saved(tmp_path / "s", some_data("AB"))
    options = ("--scores", "--versions", RULE)
    found = rows(*options, "-B", 20_000, "--test", "none", file)
    (pair,) = (row for row in found if row.get("table") == "pair_map")
    (over,) = command_lines.rows("compare", "--baseline", "A", *options, "-n", "--population", "versions", file)
    assert pair["difference"] == pytest.approx(-over["value"])
    error = (over["upper"] - over["value"]) / stats.t.ppf(0.975, over["df"])
    # The effects of two are half their difference; a quantile of B resamples errs by 2% of a deviation.
    for row in pick(found, measure="effect_map"):
        assert row["upper"] - row["lower"] == pytest.approx(stats.norm.ppf(0.975) * error, rel=0.03)


def test_effects_and_tests_are_of_averages_over_versions(tmp_path: Path) -> None:
    """Effects are means by map-ci, less their mean; the t test beside them is map-ci's over topics."""
    file = saved(tmp_path / "s", some_data())
    found = rows("-B", 50, "--scores", "--versions", RULE, "--test", "t", file)
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
    found = rows(*options, file)
    crossed = rows(*options, saved(tmp_path / "alike", alike))
    assert found == [row for row in crossed if row.get("table") != "check_map"]
    checks = table(crossed, "check_map", "part")
    shifts = alike.groupby("version").y.mean() - alike.y.mean()
    assert {version: row["difference"] for version, row in checks.items()} == pytest.approx(dict(shifts))
    refused = invoke(*options, "--model", "parts", file)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "--model parts needs versions of the same names for every topic" in refused.stderr
    assert rows(*options, "--model", "interaction", file)


def test_as_many_versions_of_each_topic(tmp_path: Path) -> None:
    data = some_data()
    result = invoke("-B", 50, "--scores", "--versions", RULE, "--format", "json",
                    saved(tmp_path / "s", data[(data.topic != "t1") | (data.version != "v2")]))  # fmt: skip
    assert "versions: 4 topics with more versions than others, some left out at random: t0 t2 t3 t4" in result.stderr
    report = json.loads(result.stdout)
    assert table(report["rows"], "anova_map", "source")["total"]["df"] == 3 * 5 * 2 - 1
    assert (report["signature"]["num_versions"], report["signature"]["num_topics"]) == (2, 5)


def test_what_wording_is_counted_as_error_is_told() -> None:
    """All of the error that version(topic) makes up, of the model without it."""
    told = invoke("-B", 50, *TABLE, "--model", "interaction", "--format", "json")
    nested = table(rows("-B", 50, *TABLE), "anova_map", "source")
    error = table(json.loads(told.stdout)["rows"], "anova_map", "source")["error"]
    share = nested["version(topic)"]["ss"] / error["ss"]
    assert f"the version within its topic is {share:.0%} (map; F " in told.stderr
    assert "--model nested takes it out" in told.stderr


def without_error(differences: Sequence[float], versions: int = 2) -> pd.DataFrame:
    """Two systems, all versions of a topic alike, B better by so much on each topic."""
    return pd.DataFrame([
        {"system": run, "topic": f"t{topic}", "version": f"v{version}", "y": 0.5 + (run == "B") * difference}
        for run in "AB" for topic, difference in enumerate(differences) for version in range(versions)
    ])  # fmt: skip


@pytest.mark.parametrize("differences", [(0.1, 0.1, 0.1), (0.1, -0.1, 0.2)])
@pytest.mark.parametrize("replicate", ["version", "part"])
def test_scores_that_a_model_fits_exactly_are_no_certainty(
    differences: Sequence[float], replicate: str, tmp_path: Path
) -> None:
    """No limits, no p of the model's, and a warning; by t a constant difference has the p of signs, 2^(1 - 3)."""
    data = without_error(differences)
    options: tuple[object, ...] = ("-B", 50, "--scores", "--test", "t", "--explain")
    if replicate == "version":
        options = (*options, "--versions", RULE, saved(tmp_path / "s", data))
    else:
        parts = [(r.system, r.topic, 1, int(r.version[1:]) + 1, r.y) for r in data.itertuples()]
        whole = [(system, topic, 0, 0, y) for system, topic, _, part, y in parts if part == 1]
        options = (*options, score_table(tmp_path / "s", [*whole, *parts], "run topic split part value"))
    result = invoke("--format", "json", *options)
    assert result.exit_code == 0, result.output
    assert "no limits, and no p of pairs: --model" in result.stderr
    found = json.loads(result.stdout)["rows"]
    pairs = {row["test"]: row["p"] for row in found if row.get("table") == "pair_map"}
    assert pairs["difference"] is None
    assert pairs["t"] == pytest.approx(0.25) if len(set(differences)) == 1 else pairs["t"] > 0.25
    assert {row["lower"] for row in found if row.get("measure") == "effect_map"} == {None}
    assert {row["pairs"] for row in found if row.get("table") == "significant_map"} == {0}
    told = invoke("--quiet", *options).stdout
    assert "# 0 of 1 pair of systems differs significantly" in told
    assert "Effects have no confidence intervals" in told
    assert not any("letters" in row for row in found)  # equal letters would say that they do not differ
