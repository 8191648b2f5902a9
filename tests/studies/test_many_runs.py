"""Thousands of runs: what all their pairs take is bounded, told beforehand, and shown while it goes on; and in what order
runs come changes no digit."""

import gc
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from command_lines import rows, warnings_of
from helpers import QRELS, RUNS, inputs_of, written

from irci.base.choices import TopicInterval, TopicTest
from irci.base.types import all_pairs
from irci.estimators.means import Design, over_topics
from irci.options.rows import ask
from irci.output import formats
from irci.stats import tests
from irci.stats.intervals import resamples_needed
from irci.stats.tests import common_topics, in_blocks
from irci.studies.map_ci import compare


def file_of_scores(path: Path, scores: np.ndarray, order: np.ndarray) -> str:
    """A matrix of scores[S, T], its columns in this order of the runs."""
    lines = [["topic", *(f"run{run}" for run in order)]]
    lines += [[f"t{topic}", *map(repr, column)] for topic, column in enumerate(scores[order].T.tolist())]
    return written(path, "".join("\t".join(line) + "\n" for line in lines))


@pytest.mark.check
def test_pairs_take_no_more_memory_than_is_said(tmp_path: Path) -> None:
    """A row of each as a dictionary would take five times as much."""
    runs, topics = 100, 3
    path = file_of_scores(tmp_path / "map", np.random.default_rng(1).random((runs, topics)), np.arange(runs))
    inputs = inputs_of(path, scores=True, baseline=("run0",))
    compare(ask("map-ci", {"baseline": ("run0",)}, {}), inputs)  # what is loaded at first is no part of it
    gc.collect()
    tracemalloc.start()
    report = compare(ask("map-ci", {"all_pairs": True}, {}), inputs)
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    length = sum(map(len, formats.written(report, "json")))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pairs = runs * (runs - 1) // 2
    assert len(report.tables[-1].rows) == pairs
    assert held < 250 * pairs + 1500 * runs  # and the rows of the runs themselves
    assert length > 200 * pairs
    assert peak < held + 100_000


def scores_with_gaps(runs: int, topics: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    scores = rng.random((runs, topics))
    scores[rng.random(runs) < 0.5, 1] = np.nan
    scores[::5, 2:4] = np.nan
    return scores


def test_topics_that_pairs_share_against_naive() -> None:
    scores = scores_with_gaps(20, 7)
    pairs = all_pairs(20)
    groups = common_topics(scores, pairs)
    assert sorted(pair for _, some in groups for pair in some.tolist()) == list(range(len(pairs)))
    for mask, some in groups:
        for run, other in pairs[some].tolist():
            assert (mask == ~np.isnan(scores[run] + scores[other])).all()
    assert len({mask.tobytes() for mask, _ in groups}) == len(groups)
    assert common_topics(scores, pairs[:0]) == []


@pytest.mark.parametrize(
    ("interval", "test"), [("t", "t"), ("prediction", "randomization"), ("t", "wilcoxon"), ("bounded", "sign")]
)
def test_blocks_of_pairs_change_no_digit(
    interval: TopicInterval, test: TopicTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, pairs = scores_with_gaps(40, 12), all_pairs(40)
    assert len(in_blocks(common_topics(scores, pairs))) <= len(common_topics(scores, pairs))
    found = []
    for block in (10**9, 1):
        monkeypatch.setattr(tests, "BLOCK", block)
        design = Design(interval=interval, test=test, resamples=50, signs=100)
        found.append(over_topics(scores, pairs, np.arange(12, dtype=np.uint64), design))
    assert len(in_blocks(common_topics(scores, pairs))) > len(common_topics(scores, pairs))
    whole, in_parts = (each._asdict() | each.of._asdict() | {**each.of.columns} for each in found)
    for name in ("value", "error", "df", "units", "effect_size", "limits", "p", "test"):
        np.testing.assert_array_equal(whole[name], in_parts[name])
    differences = [values[~np.isnan(values)] for values in scores[pairs[:, 0]] - scores[pairs[:, 1]]]
    effects = [values.mean() / values.std(ddof=1) for values in differences if len(values) > 1]
    several = found[0].of.units > 1
    assert found[0].of.columns["effect_size"][several] == pytest.approx(effects, rel=1e-12)
    assert np.isnan(found[0].of.columns["effect_size"][~several]).all()


def test_effects_without_spread_and_without_topics() -> None:
    """Identical runs: exactly 0; the same difference everywhere, one topic or none: not known. No test of no topic."""
    scores = np.array([[0.5] * 3, [0.5] * 3, [0.25] * 3, [0.5, np.nan, np.nan], [np.nan, 0.5, 0.5]])
    found = over_topics(scores, all_pairs(5), np.arange(3, dtype=np.uint64), Design())
    assert found.of.columns["effect_size"].tolist() == pytest.approx([0, *[np.nan] * 2] * 3 + [np.nan], nan_ok=True)
    assert (found.test[-1], found.of.units[-1]) == ("", 0)


# In what order runs come.


LINES = """map-ci --ranks --interval bounded
map-ci --baseline mean --interval t --power --margin .02
map-ci --standardise cdf --baseline median
swap-error --procedure discriminative-power --table asl
wcw"""


@pytest.mark.parametrize("line", LINES.splitlines())
def test_order_of_runs_changes_no_digit(line: str, tmp_path: Path) -> None:
    """To the last bit: values of very different size make every other order of a sum another sum."""
    rng = np.random.default_rng(7)
    scores = rng.random((11, 18)) ** rng.integers(1, 30, (11, 1))
    one, other = (
        sorted(json.dumps(row, sort_keys=True) for row in rows(*line.split(), "--scores", path))
        for path in (
            file_of_scores(tmp_path / "one" / "map", scores, np.arange(11)),
            file_of_scores(tmp_path / "other" / "map", scores, rng.permutation(11)),
        )
    )
    assert one == other


def test_resamples_needed_are_those_of_which_one_lies_beyond_each_limit() -> None:
    assert [resamples_needed(confidence) for confidence in (0.8, 0.9, 0.95, 0.99, 0.999)] == [10, 20, 40, 200, 2000]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("ap-ci -q --interval percentile -B 20 --confidence .99", "-B 200 or more, or --interval logit"),
        ("ap-ci -q --interval bca -B 199 --confidence .99", "-B 200 or more, or --interval logit"),
        ("ap-ci -q --interval percentile -B 200 --confidence .99", None),
        ("ap-ci -q -B 20 --confidence .99", None),
        ("ap-ci -q --interval bca", None),
        ("map-ci --population documents -B 39", None),
        ("map-ci --population topics,documents -B 39", None),
        ("partition-anova --policy drop -B 39", "-B 40 or more"),
        ("partition-anova --policy drop", None),
    ],
)
def test_limits_that_resamples_cannot_resolve_are_warned_of(line: str, warning: str | None) -> None:
    told = [each for each in warnings_of(*line.split(), QRELS, *RUNS[:3]) if "fewer than one of" in each]
    assert len(told) == (warning is not None)
    assert all(each.endswith(f"lies beyond each; {warning}") for each in told)
