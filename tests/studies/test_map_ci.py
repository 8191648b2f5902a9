"""map-ci: closed forms of its standard errors, plain formulas on the same replicates, and the promises about company."""

import json
import math
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from command_lines import irci, result_lines, rows
from helpers import QRELS, all_written, ap_scores, lists_of, pick, random_ranking, ranked, resampled_scores
from helpers import RUN_BY_NAME as RUNS
from helpers import RUNS as ALL_RUNS
from scipy import special, stats

from irci.base.streams import topic_keys
from irci.base.types import Floats, gathered
from irci.data.collection import Relevance
from irci.data.inputs import read_qrels
from irci.estimators.ap_ci import IntervalMethod, ap_ci
from irci.estimators.joint_resamples import Rankings, paired_replicates
from irci.estimators.means import Design, document_errors, topic_means
from irci.measures import parse
from irci.stats.intervals import corrected, logit_interval, normal_interval
from irci.stats.scales import LOG, LOGIT, PLAIN, mean_over_topics

MEASURES = [parse(name)[0] for name in ("map", "lmap", "gm_map")]
RANKINGS = [(random_ranking(np.random.default_rng(n), 100, 0.15), 30 + n) for n in range(10)] + [
    ([0] * 50, 4),
    ([0], 0),
]
BOTH = ("--population", "topics,documents")


def rows_of(*options: str) -> list[dict[str, Any]]:
    """Rows over topics and documents, where no other population is asked for."""
    return rows("map-ci", "-B", "300", *(() if "--population" in options else BOTH), *options)


@pytest.mark.parametrize("small_r", ["wider", "none"])
@pytest.mark.parametrize("case", ["some corrected", "all corrected", "none corrected"])
def test_document_intervals_against_naive(case: str, small_r: str) -> None:
    """On every scale, and for MAP also ap-ci's line of the mean, whatever the kind of its topics' intervals."""
    rankings = {
        "some corrected": [*RANKINGS, ([1, 1, 1], 3), ([1], 1), ([0] * 900 + [1], 2)],
        "all corrected": [([0] * 50, 4), ([1, 1], 2), ([0], 0)],
        "none corrected": RANKINGS[:10],
    }[case]
    lists, keys = lists_of(*rankings), topic_keys([b"%d" % n for n in range(len(rankings))])
    ap = ap_scores(lists)
    replicates = resampled_scores(lists, keys, resamples=700, seed=3)
    z = stats.norm.ppf(0.95)
    on_scale = {
        "map": lambda p: p,
        "lmap": lambda p: np.log(np.clip(p, 1e-5, 1 - 1e-5) / (1 - np.clip(p, 1e-5, 1 - 1e-5))),
        "gm_map": lambda p: np.log(np.maximum(p, 1e-5)),
    }
    limits, changed = logit_interval(ap, replicates, 0.9), np.zeros(len(ap), np.bool_)
    if small_r != "none":
        limits, changed = corrected(ap, limits, lists.num_relevant, lists.retrieved, 0.9, small_r)
        expected_corrections = {"some corrected": {10, 12, 13}, "all corrected": {0, 1}, "none corrected": set()}[case]
        assert expected_corrections <= set(np.flatnonzero(changed)) <= expected_corrections | {14}
    options = {"resamples": 700, "confidence": 0.9, "seed": 3, "small_r": small_r}
    _, found = document_errors(ap, lists, keys, MEASURES, Design(interval="linear", **options))
    for (error, *_), measure in zip(found, MEASURES, strict=True):
        forward = on_scale[measure.name]
        of_corrected = [
            (forward(lower), forward(upper)) if chosen else None
            for lower, upper, chosen in zip(*limits, changed, strict=True)
        ]
        sd = naive.error_of_mean(forward(replicates).tolist(), of_corrected, z)
        assert error == pytest.approx(sd, abs=1e-9)
    for kind in ("logit", "linear", "percentile", "bca"):
        of_ap_ci = ap_ci(ap, lists, keys, IntervalMethod(kind, **options))
        limits_of_mean = normal_interval(mean_over_topics(ap), found[0][0], 0.9)
        assert (of_ap_ci.summary_lower, of_ap_ci.summary_upper) == tuple(limits_of_mean)


def test_parametric_against_plain_formulas() -> None:
    """From logit limits of each topic: those of ap-ci, or for MAP such with .01 and .99 in place of scores of exactly 0 and 1,
    while others beyond .01 and .99 stay. A topic without relevant documents does not vary."""
    lists = lists_of(*RANKINGS, ([1, 0, 1], 2), ([1] * 29 + [0, 1], 30))
    keys, ap = topic_keys([b"%d" % n for n in range(14)]), ap_scores(lists)
    replicates = resampled_scores(lists, keys, resamples=700, seed=3)
    assert all(((replicates > low) & (replicates < high)).any() for low, high in ((0, 0.01), (0.99, 1)))
    assert (replicates[12] == 1).any()
    z = stats.norm.ppf(0.975)
    variance = {"map": 0.0, "lmap": 0.0, "gm_map": 0.0}

    def within(scores: Floats, end: float) -> Floats:
        return np.where(scores == 0, end, np.where(scores == 1, 1 - end, scores))

    for end, measures in ((0.01, ["map"]), (1e-5, ["lmap", "gm_map"])):
        sd = special.logit(within(replicates, end)).std(axis=1, ddof=1)
        centre = special.logit(within(ap, end))
        limits = np.minimum(special.expit(centre - z * sd), ap), np.maximum(special.expit(centre + z * sd), ap)
        (lower, upper), _ = corrected(ap, limits, lists.num_relevant, lists.retrieved, 0.95)
        for p, low, high, num_relevant in zip(
            ap, within(lower, end), within(upper, end), lists.num_relevant, strict=True
        ):
            on_logits, on_logs = ((scale(high) - scale(low)) / (2 * z) for scale in (special.logit, np.log))
            sd_of = {"map": (p - p * p) * on_logits, "lmap": on_logits, "gm_map": on_logs}
            for measure in measures if num_relevant else []:
                variance[measure] += sd_of[measure] ** 2
    found, usual, resampled = (
        document_errors(ap, lists, keys, MEASURES, Design(interval, resamples=700, seed=3))[1]
        for interval in ("parametric", "auto", "linear")
    )
    for (error, *_), measure in zip(found, MEASURES, strict=True):
        assert error == pytest.approx(math.sqrt(variance[measure.name]) / 14, rel=1e-9)
    assert usual == [(max(found[0][0], resampled[0][0]), "parametric", found[0][2]), *resampled[1:]]


def test_few_scores_near_1_have_the_resampled_interval_by_default() -> None:
    """Scores of 1 have no variance by the rule of the parametric interval, and much by the small-R correction."""
    lists = lists_of(*[([1, 1], 2)] * 4, ([1, 0, 1, 1, 1], 4))
    keys = topic_keys([b"%d" % topic for topic in range(5)])
    usual, resampled, parametric = (
        document_errors(ap_scores(lists), lists, keys, MEASURES[:1], Design(interval))[1][0]
        for interval in ("auto", "linear", "parametric")
    )
    assert usual == resampled
    assert usual[1] == "linear"
    assert usual[0] > 1.4 * parametric[0]


def test_topic_intervals_against_scipy() -> None:
    scores = np.random.default_rng(1).beta(1, 3, 40)
    for scale in (PLAIN, LOGIT, LOG):
        values = scale.forward(scores)
        found = topic_means(np.array([values]), Design(confidence=0.9), None)
        expected = stats.t.interval(0.9, 39, loc=values.mean(), scale=stats.sem(values))
        assert found.limits[:, 0] == pytest.approx(expected, abs=1e-12)
    one = topic_means(scores[np.newaxis, :1], Design(), None)
    assert one.of.value[0] == scores[0]
    assert np.isnan(one.limits).all()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "options",
    [
        [], ["-m", "P_10"], ["--small-r", "none"], ["-m", "ndcg_cut_5", "-l", "2", "--confidence", "0.8", "--seed", "7"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_documents_line_is_that_of_ap_ci(options: list[str]) -> None:
    """Also of runs with corrected topics, which four of these have, and where a run lacks one."""
    line = ["--quiet", "--missing", "zero", *options, QRELS, *RUNS.values()]
    ours, theirs = (
        [row.split("\t")[:6] for row in result_lines(irci(*command, *line).stdout)]
        for command in (
            ["map-ci", "--population", "documents", "--interval", "linear"], ["ap-ci", "--table", "estimate"],
        )
    )  # fmt: skip
    assert ours == theirs


OPTIONS = [[], ["-m", "lmap"], ["--population", "both"], ["--test", "randomization"], ["--meta", "random"],
           ["-q", "-m", "gm_map"], ["-m", "ndcg_cut_10", "-m", "P_10"],
           ["--interval", "bounded"]]  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_pairs_mirror_each_other(options: list[str]) -> None:
    there, back = (
        [row for row in rows_of("-n", "--baseline", one, *options, QRELS, RUNS[one], RUNS[other]) if "baseline" in row]
        for one, other in (("alpha", "bravo"), ("bravo", "alpha"))
    )
    assert there
    for a, b in zip(there, back, strict=True):
        assert (a["run"], a["baseline"]) == (b["baseline"], b["run"])
        assert (a["value"], a["p"], a["p_adjusted"]) == (-b["value"], b["p"], b["p_adjusted"])
        if a["lower"] is not None:
            assert (a["lower"], a["upper"]) == pytest.approx((-b["upper"], -b["lower"]), abs=1e-15)


@pytest.mark.parametrize("options", OPTIONS[:6], ids=" ".join)
def test_identical_runs(options: list[str], tmp_path: Path) -> None:
    """Exactly 0, p 1; limits by the ends of the scale, if it has any, over documents no width; and nothing to combine."""
    copy = tmp_path / "copy"
    copy.write_text(Path(RUNS["alpha"]).read_text().replace(" alpha\n", " copy\n"))
    rows = rows_of("--baseline", "alpha", *options, QRELS, RUNS["alpha"], str(copy))
    reach = 1 - 0.05 ** (1 / 20)  # Beta(20, 1) and the extra score at either end by halves
    for row in rows:
        if "random" in str(row["measure"]):
            assert (row["value"], row["p"], row["topics"], row["left_out"]) == (None, None, 0, 20)
        elif "baseline" in row:
            assert (row["value"], row["p"]) == (0, 1)
            of_topics = row["population"] == "topics" and row["topic"] == "all"
            if row["measure"] == "map_diff" or not of_topics:
                expected = pytest.approx((-reach, reach)) if of_topics else (0, 0)
                assert (row["lower"], row["upper"]) == expected
    assert any("baseline" in row for row in rows)


@pytest.mark.parametrize("options", [["--ranks", "-q", "--baseline", "alpha"]], ids=" ".join)
def test_rows_for_topics_come_first(options: list[str]) -> None:
    """However --population is typed; but limits of single topics are over documents, and their rows say so."""
    runs = [QRELS, RUNS["alpha"], RUNS["bravo"]]
    given, other = (
        rows_of(*options, "--population", f"{both},both", *runs) for both in ("documents,topics", "topics,documents")
    )
    assert given == other
    of_all = gathered(((row["measure"], row["run"]), row["population"]) for row in given if row["topic"] == "all")
    assert set(map(tuple, of_all.values())) == {("topics", "documents", "both")}
    assert {row["population"] for row in given if row["topic"] != "all"} <= {"documents"}


def test_differences_against_replicates_and_scipy() -> None:
    """The paired line from the replicates it says it has, the topics line from scipy's paired t test."""
    qrels, runs = read_qrels(QRELS), (RUNS["alpha"], RUNS["bravo"])
    rankings = Rankings.of(qrels, Relevance.of(qrels, "relevance"), *ranked(qrels, *runs))
    keys = topic_keys(qrels.topics)
    replicates = np.array([*paired_replicates(rankings, keys, resamples=300, seed=1)])
    rows = rows_of("--all-pairs", "-q", QRELS, *runs)
    alpha, bravo = (
        np.array([row["value"] for row in pick(rows, run=name, measure="map") if row["topic"] != "all"])
        for name in ("alpha", "bravo")
    )
    d, z = bravo - alpha, stats.norm.ppf(0.975)
    sd = (replicates[:, 1] - replicates[:, 0]).mean(axis=0).std(ddof=1)
    documents, topics = (
        pick(rows, topic="all", measure="map_diff", population=name)[0] for name in ("documents", "topics")
    )
    assert (documents["value"], documents["lower"]) == pytest.approx((d.mean(), d.mean() - z * sd), abs=1e-12)
    assert documents["p"] == pytest.approx(2 * stats.norm.sf(abs(d.mean()) / sd), rel=1e-9)
    expected = stats.ttest_rel(bravo, alpha)
    assert topics["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert topics["upper"] == pytest.approx(expected.confidence_interval().high, abs=1e-12)
    sds = (replicates[:, 1] - replicates[:, 0]).std(axis=1, ddof=1)
    lower = [row["lower"] for row in pick(rows, measure="map_diff") if row["topic"] != "all"]
    assert lower == pytest.approx((d - z * sds).tolist(), abs=1e-12)


def test_meta_leaves_out_topics_that_tell_nothing() -> None:
    """Topics where an AP is exactly 0 (set by epsilon) or 1, and where rankings cannot differ."""
    rows = rows_of("-q", "--all-pairs", "--meta", "fixed", QRELS, RUNS["alpha"], RUNS["delta"])
    of_topics = [row for row in pick(rows, measure="map") if row["topic"] != "all"]
    useless = {row["topic"] for row in of_topics if row["value"] in (0, 1)}
    (combined,) = pick(rows, measure="map_logit_diff_fixed")
    assert (combined["topics"], combined["left_out"]) == (20 - len(useless), len(useless))
    assert useless


def test_scores_that_no_resample_changes_tell_nothing(tmp_path: Path) -> None:
    """One relevant document, at the top of one run and not in the other: no p of 0, no limits, no ranks."""
    files = {"qrels": "1 0 a 1\n2 0 a 1\n3 0 a 1\n3 0 b 0\n"}
    for name, docno in (("top", "a"), ("none", "b")):
        files[name] = "".join(f"{topic} Q0 {docno} 1 1 {name}\n" for topic in (1, 2, 3))
    asked = ("-q", "--baseline", "top", "--ranks", "--population", "documents")
    rows = rows_of(*asked, *all_written(tmp_path, files))
    found = [[row[name] for name in ("value", "lower", "upper", "p")] for row in pick(rows, measure="map_diff")]
    assert found == [[-1, None, None, None]] * 4
    assert [row["letters"] for row in pick(rows, measure="rank")] == ["a", "a"]


def test_a_single_topic_says_nothing_about_others() -> None:
    """Not where documents are resampled with it either, which alone would vary."""
    asked = ("--population", "both", "--topics", "4", QRELS, RUNS["alpha"], RUNS["bravo"])
    for row in rows_of("--baseline", "alpha", *asked):
        assert [row.get(each) for each in ("lower", "upper", "p", "sd_topics")] == [None] * 4
        assert row.get("sd_documents", 1) > 0
    assert [(row["lower"], row["upper"]) for row in pick(rows_of("--ranks", *asked), measure="rank")] == [(1, 2)] * 2


@pytest.mark.parametrize(
    ("options", "topics", "warning"),
    [
        ("--baseline x --population topics,documents", "a b c d e f g h i j", None),  # one in ten is not many
        ("--baseline x --population topics,documents", "a b c d e f g h i",
         "1 topic with fewer than 3 relevant documents: p over documents is too small"),
        ("--baseline x --population topics", "a b", None),
        ("", "a b", None),
        ("--meta fixed", "c d", None),
        ("--meta fixed", "a b", "2 topics with fewer than 5 relevant documents: --meta trusts these too much: a b"),
    ],
)  # fmt: skip
def test_few_relevant_documents_are_warned_of(options: str, topics: str, warning: str | None, tmp_path: Path) -> None:
    """Topic a has two relevant documents, b four, the others five."""
    relevant = dict.fromkeys("cdefghijk", 5) | {"a": 2, "b": 4}
    lines = [(topic, document) for topic in relevant for document in range(6)]
    files = {"qrels": "".join(f"{topic} 0 {document} {int(document < relevant[topic])}\n" for topic, document in lines)}
    for name, sign in (("x", 1), ("y", -1)):
        files[name] = "".join(f"{topic} Q0 {document} 0 {sign * document} {name}\n" for topic, document in lines)
    asked = ["map-ci", *options.split(), "--topics", topics.replace(" ", ","), *all_written(tmp_path, files)]
    told = [line for line in irci(*asked, status=0).stderr.splitlines() if "relevant documents" in line]
    assert bool(told) == (warning is not None)
    assert warning is None or warning in told[0]


# Combined effects: of which topics, and limits that few or like effects make too narrow.


LEFT_OUT = "--meta leaves out topics by their scores"
NARROW = "are narrower than those of a fixed effect"


def meta_rows(*words: object) -> tuple[list[dict[str, float]], list[str]]:
    """Rows of effects that have a Q, and what is warned of."""
    result = irci("map-ci", "-n", *words, "--format", "json", QRELS, *ALL_RUNS, status=0)
    found = [row for row in json.loads(result.stdout)["rows"] if "left_out" in row and row["Q"] is not None]
    told = [line.removeprefix("irci: warning: ") for line in result.stderr.splitlines() if "irci: warning: " in line]
    return [{name: math.nan if cell is None else cell for name, cell in row.items()} for row in found], told


@pytest.mark.sample(5)
@pytest.mark.parametrize("measure", ["map", "P_10", "ndcg"])
@pytest.mark.parametrize("method", ["fixed", "random"])
def test_many_topics_left_out_by_their_scores_are_told(measure: str, method: str) -> None:
    words = ["--meta", method, "-m", measure, "--all-pairs"]
    found, warned = meta_rows(*words)
    many = sum(row["left_out"] > 0.1 * (row["left_out"] + row["topics"]) for row in found)
    told = [each for each in warned if LEFT_OUT in each]
    assert bool(told) == (many > 0)
    for each in told:
        most = max(row["left_out"] for row in found)
        assert f"for {many} pair{'s' * (many > 1)} more than 10% of them (up to {most:.0f})" in each
        assert ("lmap is of all topics" in each) == (measure == "map")


@pytest.mark.sample(4)
@pytest.mark.parametrize("topics", ["1,2", "2,4", "5,6", "8,9", "1,2,4,5", "6,8,9,12", "10,12,14,15,17", ""])
def test_limits_narrower_than_fixed_ones_are_told(topics: str) -> None:
    """Without variance between topics they are sqrt(Q / (k - 1)) t / z times as wide."""
    words = ["--meta", "random", "--all-pairs", *(["--topics", topics] if topics else [])]
    found, warned = meta_rows(*words)
    z = stats.norm.ppf(0.975)
    narrow = 0
    for row in found:
        df = row["topics"] - 1
        narrow += int(row["tau"] == 0 < df and row["Q"] / df * (stats.t.ppf(0.975, df) / z) ** 2 < 1)
    told = [each for each in warned if NARROW in each]
    assert len(told) == (narrow > 0)
    assert all(f"limits of {narrow} pair{'s' * (narrow > 1)} are narrower" in each for each in told)
