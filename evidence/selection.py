"""What selecting does to limits and p that are right for one comparison, planned beforehand: the best of many runs, many
measures, topics added until a difference is significant; and limits of all pairs at once.

Matrices of real scores are taken for populations whose topics are drawn with replacement; equal runs are pairs of real ones
whose difference on each topic has a sign at random."""

import math

import numpy as np
from commands import SHARED, TESTDATA
from matrices import Matrix, matrices, scored
from page import Section, Table

from irci.base.streams import topic_keys
from irci.base.types import Floats
from irci.estimators.differences import adjusted_limits
from irci.estimators.means import Design, over_topics, paired_t
from irci.stats.decisions import agreeing
from irci.stats.intervals import Interval
from irci.stats.signs import Units, step_down

CONFIDENCE = 0.95
ALPHA = 0.05
TOPICS = 50
CANDIDATES = 20
AHEAD = (0, 20, 40)
SAMPLES = 1000
PAIRS = 60
FLIPS = 200  # of each pair
MEASURES = ("AP", "P_10", "nDCG@10", "RR", "Rprec", "nDCG", "bpref", "P_5", "P_20", "P_100", "recall_100", "recall_1000",
            "nDCG@5", "nDCG@20", "infAP", "11pt_avg", "ERR@20", "Q", "rbp", "success_10")  # fmt: skip
FEW = 5
LOOKS = (10, 25, TOPICS)
SIZES = (25, 50)
FAMILY = 30
FAMILIES = 200
SIGNS = 2000
UNIT = (0.0, 1.0)
KINDS = ("limits", "order")
TREC8 = SHARED / "trec8-adhoc"


def shown(shares: Floats | float, number: int) -> str:
    """A share of so many experiments in %, and its Monte-Carlo error."""
    share = float(np.mean(shares))
    return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / number):.1f}"


def best_of_many(matrix: Matrix, ahead: int) -> list[object]:
    """How often t's limits of the best run's lead over a fixed baseline miss it, and the second is ahead on other topics.

    So many runs are ahead of the candidates on all topics, and the baseline is the next after these.
    """
    runs = np.argsort(-matrix.values.mean(axis=1), kind="stable")[ahead : ahead + CANDIDATES + 1]
    matrix = Matrix(matrix.name, matrix.values[runs])
    rng = np.random.default_rng(1)
    drawn, again = (matrix.resampled(TOPICS, SAMPLES, rng) for _ in range(2))
    ranked = np.argsort(-drawn[:, :-1].mean(axis=2), axis=1, kind="stable")
    experiments, best, second = np.arange(SAMPLES), ranked[:, 0], ranked[:, 1]
    truth = matrix.values.mean(axis=1)
    lead = paired_t(drawn[experiments, best] - drawn[:, -1], CONFIDENCE)
    true_lead = truth[best] - truth[-1]
    missed = (lead.limits[0] > true_lead) | (lead.limits[1] < true_lead)
    reversed_ = again[experiments, best].mean(axis=1) < again[experiments, second].mean(axis=1)
    ranks = f"{ahead + 1} to {ahead + CANDIDATES}"
    return [matrix.name, ranks, shown(missed, SAMPLES), shown(reversed_, SAMPLES)]


def many_measures(of_measures: list[Matrix]) -> list[object]:
    """How often some measure, of the first and of all, has p <= ALPHA between two equal runs."""
    values = np.array([matrix.values for matrix in of_measures])
    rng = np.random.default_rng(1)
    pairs = rng.permutation(np.column_stack(np.triu_indices(values.shape[1], 1)))[:PAIRS]
    found = []
    for first, second in pairs:
        signs = rng.choice([-1.0, 1.0], (FLIPS, values.shape[2]))
        of_pair = [paired_t(signs * difference, CONFIDENCE).p for difference in values[:, first] - values[:, second]]
        found.append(np.array(of_pair) <= ALPHA)
    by_measure = np.array(found)  # pairs, measures, flips
    errors = [_over_pairs(by_measure[:, :number].any(axis=1)) for number in (1, FEW, len(MEASURES))]
    return [of_measures[0].name.split(",")[0], len(pairs), *errors]


def topics_added(matrix: Matrix) -> list[object]:
    """How often t on growing numbers of topics is significant once, between two equal runs."""
    rng = np.random.default_rng(1)
    pairs = rng.permutation(np.column_stack(np.triu_indices(len(matrix.values), 1)))[:PAIRS]
    differences = matrix.values[pairs[:, 0]] - matrix.values[pairs[:, 1]]
    drawn = rng.choice(differences, TOPICS, axis=1)
    looked = []
    for of_pair in drawn:
        # Topics come in any order, each with a sign at random.
        equal = rng.permuted(np.tile(of_pair, (FLIPS, 1)), axis=1) * rng.choice([-1.0, 1.0], (FLIPS, TOPICS))
        p = [paired_t(equal[:, :topics], CONFIDENCE).p for topics in range(LOOKS[0], TOPICS + 1)]
        looked.append(np.array(p) <= ALPHA)
    by_look = np.array(looked)  # pairs, looks, flips
    planned = [topics - LOOKS[0] for topics in LOOKS]
    return [matrix.name, *(_over_pairs(by_look[:, looks].any(axis=1)) for looks in ([-1], planned, slice(None)))]


def _over_pairs(errors: Floats) -> str:
    """A share of errors[P, N] in %, and its Monte-Carlo error over pairs."""
    of_pair = errors.mean(axis=1)
    return f"{100 * of_pair.mean():.1f} ± {100 * of_pair.std(ddof=1) / math.sqrt(len(of_pair)):.1f}"


def all_pairs(matrix: Matrix) -> list[object]:
    """How often a limit of some pair misses, where limits should hold for all at once, and how often some significant pair is
    in the wrong order."""
    runs = np.random.default_rng(1).permutation(len(matrix.values))[:FAMILY]
    matrix = Matrix(matrix.name, matrix.values[runs])
    pairs = np.column_stack(np.triu_indices(len(runs), 1))
    truth = matrix.values.mean(axis=1)
    true_differences = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    shares = []
    for topics in SIZES:
        keys = topic_keys([b"%d" % topic for topic in range(topics)])
        wrong = []
        for seed, values in enumerate(matrix.resampled(topics, FAMILIES, np.random.default_rng(topics))):
            design = Design(confidence=1 - ALPHA / len(pairs))
            tested = over_topics(values, pairs, keys, design, ends=UNIT)
            p = np.fmax(step_down(values, pairs, keys, resamples=SIGNS, seed=seed).p, tested.p)
            units = [(np.arange(len(pairs)), Units(values, keys), values[pairs[:, 0]] - values[pairs[:, 1]])]
            limits = adjusted_limits(tested, tested.limits, units, UNIT, design.confidence)
            limits = agreeing(limits, tested.of.value, p, CONFIDENCE)
            reversed_ = (p <= ALPHA) & (tested.of.value * true_differences < 0)
            wrong.append([_misses(limits, true_differences), reversed_.any()])
        shares += [shown(of, FAMILIES) for of in np.array(wrong).T]
    return [matrix.name, len(runs), *shares]


def _misses(limits: Interval, truth: Floats) -> bool:
    """True where limits[P] of some pair leave out its true difference[P]."""
    lower, upper = limits
    return bool(((lower > truth) | (upper < truth)).any())


def section() -> Section:
    """All four, on the matrices that are there."""
    there = list(matrices())
    measured = [("testdata", TESTDATA / "qrels.txt", TESTDATA / "runs")]
    if TREC8.is_dir():
        measured.append(("TREC-8", TREC8 / "qrels.trec8.adhoc.gz", TREC8 / "runs"))
    in_percent = "in % ± Monte-Carlo error"
    tables = [
        Table(
            f"The best of {CANDIDATES} runs on {TOPICS} topics, {in_percent}: 95% limits of its lead over a baseline named"
            " beforehand that miss; how often the second is ahead on other topics",
            ["scores", f"ranks of the {CANDIDATES}", "limits miss", "second ahead"],
            [
                best_of_many(matrix, ahead)
                for matrix in there
                if len(matrix.values) > max(AHEAD) + CANDIDATES
                for ahead in AHEAD
            ],
        ),
        Table(
            f"Two equal runs, {FLIPS} experiments a pair: some measure has p of t <= {ALPHA}, {in_percent}",
            ["scores", "pairs", "1 measure", f"{FEW} measures", f"{len(MEASURES)} measures"],
            [many_measures(scored(*of, *MEASURES)) for of in measured],
        ),
        Table(
            f"Two equal runs, {FLIPS} experiments a pair: p of t <= {ALPHA} once, {in_percent}",
            [
                "scores",
                f"at {TOPICS} topics",
                f"at {', '.join(map(str, LOOKS))}",
                f"at any from {LOOKS[0]} to {TOPICS}",
            ],
            [topics_added(matrix) for matrix in there],
        ),
        Table(
            f"All pairs of up to {FAMILY} runs, {FAMILIES} experiments: some 95% limit for all pairs at once misses,"
            f" {in_percent}: limits: the wider of Bonferroni's t and Hall's,"
            f" bounded where few topics differ; order: some pair with p_adjusted <= {ALPHA} is in the wrong order",
            ["scores", "runs", *(f"{topics} topics, {kind}" for topics in SIZES for kind in KINDS)],
            [all_pairs(matrix) for matrix in there],
        ),
    ]
    return Section("Selection", " ".join((__doc__ or "").split()), tables)
