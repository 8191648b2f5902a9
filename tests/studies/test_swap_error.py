"""swap-error: the two matrices that the paper prints, all designs and splits of tiny cubes against the naive version, what the
checks of the specification found on TREC-8, and the shapes the papers claim on real query versions.
"""

import csv
import gzip
import itertools
import math
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import command_lines
import naive
import numpy as np
import pytest
from command_lines import printed
from helpers import SHARED, SMALL, all_written, inputs_of, pick, written

from irci.data.parts import PartScores
from irci.data.versions import arranged, scores_on_versions, table_of_cells
from irci.estimators import swap_error as estimator
from irci.estimators.joint_resamples import topic_counts
from irci.estimators.swap_error import (
    NUM_BINS,
    designs_of_versions,
    difference_needed,
    discriminative_power,
    error_rates,
)
from irci.kernels import query_sets
from irci.measures import parse
from irci.options.types import VERSIONS

PRINTED = SHARED / "buckley-voorhees-2000"
CLEF = SHARED / "clef-ehealth2016-query-variants"
ROBUST_SCORES = SHARED / "soboroff-confint" / "trec13.robust.scores.csv.gz"
Curve = Callable[..., np.ndarray]
Fitting = Callable[..., tuple[float, float]]
TEN = SMALL / "ten.csv"
RULE = r"(?P<topic>\d{3})(?P<version>\d{3})"

needs_printed = pytest.mark.skipif(not PRINTED.exists(), reason="no ../shared/data")


irci = partial(printed, "swap-error")
rows = partial(command_lines.rows, "swap-error")


def tiny_cube(seed: int, topics: int, versions: int, systems: int, step: float = 0.01) -> np.ndarray:
    """Scores in steps, so that there are ties, and few exact boundaries."""
    rng = np.random.default_rng(seed)
    return np.round(rng.random((topics, versions, systems)) / step) * step


# The paper's own matrices.


@needs_printed
@pytest.mark.parametrize(("name", "errors", "equal"), [("ap", 16, 98), ("p10", 29, 209)])
def test_printed_matrices_against_the_paper(name: str, errors: int, equal: int) -> None:
    (row,) = rows(PRINTED / f"matrix_{name}.csv")
    assert (row["rate"], row["ties"], row["comparisons"]) == (errors / 756, equal / 756, 756)
    triangle = rows("--table", "matrix", PRINTED / f"matrix_{name}.csv")
    assert [row["better"] + row["worse"] + row["ties"] for row in triangle] == [21] * 36
    assert sum(min(row["better"], row["worse"]) for row in triangle) == errors


# Error rates over query versions.


@pytest.mark.parametrize("fuzziness", [0.0, 3.0, 5.0, 11.0])
def test_counts_of_designs_against_naive(fuzziness: float) -> None:
    """Every number of a design's minorities and ties, at each size."""
    cube, sizes = tiny_cube(1, 4, 3, 5), np.array([2, 3])
    designs, orders = designs_of_versions(4, 3, 6, 3), estimator.orders_of_topics(4, 3, 4, 3)
    minority, ties = np.empty((2, 4, 6, 2, 1), np.int64)
    scores = np.ascontiguousarray(cube.reshape(12, 5).T)
    rounding = estimator.rounding(scores, 3)
    for order, *counts in zip(orders, minority, ties, strict=True):
        members = designs[:, order] + 3 * order[:, np.newaxis]
        query_sets.count_over_sets(scores, members, sizes, estimator.thresholds([fuzziness]), rounding, *counts)
    for (k, order), (d, design), (z, size) in itertools.product(*map(enumerate, (orders, designs, sizes))):
        means = naive.query_sets_of(np.round(cube, 10), design, order[:size])
        expected = naive.error_rate([[round(x, 12) for x in of_set] for of_set in means], fuzziness / 100)
        assert (minority[k, d, z, 0], ties[k, d, z, 0], 30) == expected


@pytest.mark.parametrize(("topics", "versions", "systems"), [(2, 3, 3), (3, 3, 2), (4, 2, 4)])
def test_rates_against_enumeration_of_all_designs(topics: int, versions: int, systems: int) -> None:
    """The mean over random designs against that over all of them; equal sd as well."""
    cube = tiny_cube(topics, topics, versions, systems)
    designs = naive.all_designs(topics, versions)
    every = [naive.error_rate(naive.query_sets_of(cube, design, range(topics)), 0.05) for design in designs]
    rates, ties = np.array([(errors / number, equal / number) for errors, equal, number in every]).T
    number = 4000
    (found,) = error_rates(cube.transpose(2, 0, 1), [topics], [5.0], designs=number)
    bound = 4 / math.sqrt(number)
    assert found["rate"] == pytest.approx(rates.mean(), abs=bound * rates.std() + 1e-12)
    assert found["ties"] == pytest.approx(ties.mean(), abs=bound * ties.std() + 1e-12)
    kurtosis = ((rates - rates.mean()) ** 4).mean() - rates.var() ** 2
    assert found["sd"] ** 2 == pytest.approx(rates.var(), abs=bound * math.sqrt(max(kurtosis, 0)) + 1e-3 * rates.var())
    assert (found["sets"], found["draws"]) == (versions, number)


def test_a_difference_of_exactly_the_fuzziness_counts() -> None:
    """.20 against .19 with 5%: not below, whatever 0.2 - 0.19 is in binary; and .1 + .2 is .3."""
    sums = np.array([[0.1 + 0.2, 0.2 * 3], [0.3, 0.19 * 3]])
    assert estimator.counts(sums, 0.0).tolist() == [[1, 0, 1]]
    assert estimator.counts(sums, float(estimator.thresholds([5.0])[0])).tolist() == [[1, 0, 1]]


def test_rates_do_not_depend_on_threads_or_on_other_sizes() -> None:
    cube = tiny_cube(5, 12, 4, 4)
    one, three, six = (
        error_rates(cube.transpose(2, 0, 1), sizes, [5.0], trials=20, threads=threads)
        for sizes, threads in (([3, 6, 12], 1), ([3, 6, 12], 3), ([6], 1))
    )
    assert (one, one[1:2]) == (three, six)
    scores = cube[:, 0].T
    one, three = (error_rates(scores, [3, 6], [5.0], threads=threads) for threads in (1, 3))
    assert one == three
    nine, five = (designs_of_versions(4, 3, number) for number in (9, 5))
    assert (nine[:5] == five).all()


# Shapes.


@pytest.mark.skipif(not CLEF.exists(), reason="no ../shared/data")
def test_scores_of_wordings_as_the_collection_describes_them() -> None:
    files = (CLEF / "qrels.task2.gz", *sorted((CLEF / "runs_t1").iterdir()))
    asked = {"names": "file", "measures": parse("P_10"), "versions": VERSIONS.value(RULE), "seed": 1}
    cube = scores_on_versions(inputs_of(*files, **asked))
    means = cube.splits["P_10"][0].mean(axis=0).T
    terrier = cube.runs.index("baselineterrierBM25spam80_EN_Run1")
    assert means[:, terrier].round(3).tolist() == [0.262, 0.290, 0.178, 0.264, 0.222, 0.248]
    assert (means[:, 0].round(4) == means[:, 1].round(4)).all()  # KDEIR_EN_Run1 and 2


# Swaps.


def test_swaps_against_enumeration_of_all_splits() -> None:
    """Shares of bins and swaps over random splits of six topics in two threes, against all twenty."""
    scores = np.round(np.random.default_rng(8).random((4, 6)), 3)
    expected = np.zeros((2, NUM_BINS))
    for first in itertools.combinations(range(6), 3):
        second = [topic for topic in range(6) if topic not in first]
        for place, swapped in naive.swaps(scores, first, second):
            expected[:, place] += 1 / 20, swapped / 20
    trials = 4000
    found = estimator.count_swaps(scores, *estimator.topic_sets(6, 3, trials))
    # Up to six pairs a trial: the variance of a count is at most six times that of so many independent ones.
    bound = 4 * np.sqrt(6 * expected / trials) + 1e-9
    assert (np.abs(np.array(found) / trials - expected) <= bound).all()


def test_boundaries_of_bins_and_equal_means() -> None:
    """.05 is in the bin from .05 on, whatever .15 - .1 is in binary; equal means do not swap."""
    scores = np.array([[0.15, 0.1, 0.2, 0.4], [0.1, 0.15, 0.2, 0.4]])
    comparisons, swapped = estimator.count_swaps(scores, np.array([[0], [2]]), np.array([[1], [3]]))
    assert comparisons.nonzero()[0].tolist() == [0, 5]
    assert swapped.nonzero()[0].tolist() == [5]
    exact = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]])
    _, swapped = estimator.count_swaps(exact, np.array([[0]]), np.array([[1]]))
    assert swapped.sum() == 0


NORMAL = statistics.NormalDist()
MANY = 10**9  # comparisons, so that counts are rates to 9 digits


def counted(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Comparisons and swaps of these rates; nan: nothing compared."""
    known = ~np.isnan(rates)
    return np.where(known, MANY, 0), np.rint(np.where(known, rates, 0) * MANY).astype(np.int64)


@pytest.mark.parametrize(
    ("curve", "fit", "given"),
    [
        (estimator.exponential, partial(estimator.fit, published=True), (0.45, 0.07)),
        (estimator.probit, estimator.fit, (0.1, 0.3)),
    ],
)
def test_fits_find_the_curve_they_are_given(curve: Curve, fit: Fitting, given: tuple[float, float]) -> None:
    sizes = np.arange(5.0, 26)
    rates = curve(sizes, *given)
    assert fit(sizes, *counted(rates)) == pytest.approx(given, rel=1e-6)
    with_gaps = rates.copy()
    with_gaps[3:9] = np.nan
    assert fit(sizes, *counted(with_gaps)) == pytest.approx(given, rel=1e-6)
    assert fit(sizes, *counted(np.zeros(21)))[0] in (0, math.inf)
    assert math.isnan(fit(sizes, *counted(np.append(np.full(19, np.nan), [0.1, 0.1])))[0])
    assert math.isnan(fit(sizes, *counted(sizes / 100))[0])  # rates that rise
    many = np.arange(100.0, 600, 100)  # where the usual start of an exponential is so far off that nothing slopes
    slow = (given[0], given[1] / 17)
    assert fit(many, *counted(curve(many, *slow))) == pytest.approx(slow, rel=1e-5)


def test_probit_against_naive_likelihood() -> None:
    """Few and uneven comparisons of a normal model: the likelihood is no lower than where a plain search ends."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(11)
    sizes = np.arange(5, 26)
    for _ in range(20):
        comparisons = rng.integers(0, 60, 21)
        swaps = rng.binomial(comparisons, [NORMAL.cdf(-(0.2 + 0.25 * math.sqrt(n))) for n in sizes])

        def lack(given: np.ndarray, comparisons: np.ndarray = comparisons, swaps: np.ndarray = swaps) -> float:
            return -sum(
                s * math.log(NORMAL.cdf(-(given[0] + given[1] * math.sqrt(n))))
                + (c - s) * math.log(NORMAL.cdf(given[0] + given[1] * math.sqrt(n)))
                for n, c, s in zip(sizes.tolist(), comparisons.tolist(), swaps.tolist(), strict=True)
            )

        search = minimize(lack, (0.0, 0.2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
        found = estimator.fit(sizes.astype(float), comparisons, swaps)
        if search.x[1] < 0:
            assert math.isnan(found[0])
        else:
            assert found == pytest.approx(search.x, abs=1e-5)


def test_what_is_extrapolated_is_marked() -> None:
    """Bin by bin, since not all sizes have comparisons in all of them; what has no curve cannot be extrapolated."""
    args = ("--procedure", "swap", "--sizes", "4,5,6,7,8,10,11", "--scores", TEN)
    found = rows(*args)
    bins, needed = (pick(found, table=table) for table in ("swap_map", "needed_map"))
    for row in bins:
        known = [other["size"] for other in pick(bins, difference=row["difference"]) if other["comparisons"]]
        outside = row["predicted"] is not None and not min(known) <= row["size"] <= max(known)
        assert row["extrapolated"] == outside
    assert len({row["predicted"] is None for row in bins}) == 2
    of_bins = {(row["size"], row["difference"]): row["extrapolated"] for row in bins}
    for row in needed:  # as the bin is marked that it rests on
        if row["difference"] is not None:
            assert row["extrapolated"] == of_bins[row["size"], round(row["difference"], 2)]
    assert [row["size"] for row in needed if row["extrapolated"]] == [11]
    sentences = irci(*args, "--quiet", "--explain").splitlines()
    told = [line for line in sentences if "(extrapolated from sets of 4 to 10 topics)." in line]
    assert [line.split()[2] for line in told] == ["11"]
    for size in (4, 10, 11):  # how often another set contradicts one, of sizes that were drawn
        of_size = [row for row in bins if row["size"] == size and row["comparisons"]]
        number = sum(row["comparisons"] for row in of_size)
        rate = sum(row["rate"] * row["comparisons"] for row in of_size) / number if number else 0
        said = f"With {size} topics, {rate:.1%} of comparisons of two runs in map are contradicted by another {size} topics"
        assert any(f"{said} (from 45 pairs of runs)." in line for line in sentences) == (size < 11)


def some_of_ten(path: Path, runs: int, copies: int = 0) -> Path:
    """A table of the first of the ten runs, and copies of the first under other names."""
    header, *lines = TEN.read_text().splitlines()
    of_some = [line for line in lines if int(line[3:5]) <= runs]
    of_some += [line.replace("run01", f"copy{n}") for n in range(copies) for line in lines if line.startswith("run01")]
    path.write_text("\n".join([header, *of_some]) + "\n")
    return path


@pytest.mark.parametrize(("runs", "copies", "pairs"), [(2, 0, "1 pair"), (9, 0, "36 pairs"), (9, 1, "36 pairs")])
def test_few_runs_have_no_curve_and_no_difference_needed(tmp_path: Path, runs: int, copies: int, pairs: str) -> None:
    """Of fewer than ten runs, of which copies are none, only rates: of sizes tried, the largest if no other is asked for."""
    args = ("--procedure", "swap", "--scores", some_of_ten(tmp_path / "s.csv", runs, copies))
    for at, sizes in (((), {10}), (("--sizes", "5,8,40"), {5, 8}), (("--sizes", "40"), {10})):
        found = rows(*args, *at)
        assert {(row["table"], row["predicted"], row["extrapolated"]) for row in found} == {("swap_map", None, False)}
        assert {row["size"] for row in found} == sizes
    of_last = [row for row in rows(*args) if row["comparisons"]]
    rate = sum(row["rate"] * row["comparisons"] for row in of_last) / sum(row["comparisons"] for row in of_last)
    told = irci(*args, "--quiet", "--explain")
    said = f"With 10 topics, {rate:.1%} of comparisons of two runs in map are contradicted by another 10 topics (from"
    assert said in told
    assert f"(from {pairs} of runs: too few to estimate the difference needed)." in told
    assert "at most 5%" not in told
    (warned,) = (line for line in command_lines.warnings_of("swap-error", *args) if "curves" in line)
    assert warned.endswith(f"they take 10 different runs, not {runs}")


def test_the_difference_needed_is_where_no_later_bin_is_above() -> None:
    rates = np.array([np.nan, 0.3, 0.04, 0.06, 0.05, np.nan, 0.01])
    assert difference_needed(rates, 0.05) == pytest.approx(0.04)
    assert difference_needed(rates, 0.5) == pytest.approx(0.01)
    assert math.isnan(difference_needed(np.array([np.nan, 0.3, 0.2]), 0.05))


@pytest.mark.skipif(not ROBUST_SCORES.exists(), reason="no ../shared/data")
@pytest.mark.parametrize(("published", "needed"), [(True, 0.04), (False, 0.05)])
def test_what_50_topics_take_on_robust_against_100_topics(published: bool, needed: float) -> None:
    """83 runs. Sets of 5 to 25 topics say by the exponential that .04 is enough for 5% with 50, where more than 5% of
    differences from .04 to .05 swap; the probit takes .05, where fewer do."""
    with gzip.open(ROBUST_SCORES, "rt") as lines:
        cells = [row for row in csv.DictReader(lines) if row["measure"] == "map"]
    runs, topics = (sorted({row[name] for row in cells}) for name in ("run", "topic"))
    of = {(row["run"], row["topic"]): float(row["score"]) for row in cells}
    scores = np.array([[of.get((run, topic), 0) for topic in topics] for run in runs])
    whole, part = (estimator.swaps(scores, range(5, most + 1), published=published) for most in (50, 25))
    actual = whole.swaps[-1, :6] / whole.comparisons[-1, :6]
    assert difference_needed(part.predicted(50), 0.05) == pytest.approx(needed)
    assert actual[4] > 0.05 > actual[5]
    assert published or part.predicted(50)[4] == pytest.approx(actual[4], abs=0.01)


# Discriminative power.


def test_levels_against_naive() -> None:
    rng = np.random.default_rng(6)
    scores = rng.random((4, 8))
    scores[3] = scores[0]  # a pair without any difference
    resamples = 200
    counts = topic_counts(8, resamples, 1)
    drawn = [np.repeat(np.arange(8), counts[:, b]).tolist() for b in range(resamples)]
    asl, _, required = discriminative_power(scores, (0.05, 0.1), resamples, 1)
    largest = []
    for place, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        level, means = naive.achieved_level((scores[a] - scores[b]).tolist(), drawn)
        assert asl[place] == level
        largest.append((means[9], means[19]))
    assert asl[2] == 1  # runs 0 and 3
    assert required.tolist() == pytest.approx(np.max(largest, axis=0), abs=1e-12)


# The command.


def test_what_versions_do_not_cover_is_told(tmp_path: Path) -> None:
    """Runs that the rule does not know, judged topics that no run has, topics that are not judged."""
    files = {"qrels": "".join(f"{topic} 0 r 1\n{topic} 0 n 0\n" for topic in range(1, 8))}
    for place, name in enumerate(("A-1", "A-2", "B-1", "B-2", "other"), 2):
        files[name] = "".join(
            f"{topic} Q0 {'r' if topic * place % 3 else 'n'} 1 1 {name}\n" for topic in (1, 2, 3, 4, 5, 9)
        )
    rule = ("--versions", "(?P<system>.)-(?P<version>.)")
    arguments = ["swap-error", "--sizes", "2", *rule, *all_written(tmp_path, files)]
    told = command_lines.irci(*arguments).stderr
    assert "other: 6 of 6 topics that --versions does not know, ignored" in told
    assert "4 versions that no more than half of the runs have, left out: 6/1 6/2 7/1 7/2" in told
    assert "1 topic without judgments, ignored: 9 (the like of 3 other runs: " in told
    assert "A: 4 versions missing (--missing error): 6/1 ..." in printed(*arguments, "--missing", "error", status=4)


def test_arranging_scores_by_version(caplog: pytest.LogCaptureFixture) -> None:
    def cube_with(cells: list[tuple[tuple[str, str, str], dict[str, float]]]) -> PartScores:
        return arranged(*table_of_cells(cells, "rule"), 1)

    cells = [((s, t, v), {"map": i / 10}) for i, (s, t, v) in enumerate(itertools.product("BA", "yx", "12"))]
    cube = cube_with(cells)
    assert cube.runs == ["A", "B"]
    assert cube.topics == ["x", "y"]
    assert cube.splits["map"][0][0, :, 1].tolist() == [0.7, 0.3]  # topic x, version 2
    assert cube.labels == ["1", "2"]
    with pytest.raises(Exception, match="system 'A', topic 'x', version '2' twice"):
        cube_with([*cells, cells[-1]])
    assert not caplog.messages
    further = [((s, t, "3"), {"map": 0.5}) for s in "AB" for t in "xy"]
    dropped = cube_with([each for each in cells if each[0][1:] != ("x", "2")] + further)
    assert dropped.splits["map"][0].shape == (2, 2, 2)
    assert dropped.labels is None
    assert "versions: 1 topic with more versions than others, some left out at random: y" in caplog.text
    alone = cube_with([each for each in cells if each[0][1:] != ("x", "2")])
    assert alone.topics == ["y"]
    assert "versions: 1 topic with one version, dropped: x" in caplog.text


def test_counts_on_a_page(tmp_path: Path) -> None:
    """Rates of counts have no size and no fuzziness to be drawn against."""
    counts = written(tmp_path / "counts.csv", "a,b,3,2,1\na,c,0,0,6\n")
    assert "16.7%" in printed("swap-error", "--format", "html", counts)
