"""Published figures of the five papers that public data allow us to recompute: ours, theirs, the difference, and why.

The public collections here have no runs of TREC-3, TREC-6, Terabyte, the Query track and NTCIR. Tables about these alone are
left out, or compared with the same table for another collection; the column `why` then says so.
"""

import csv
import gzip
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np
from commands import SHARED, rows
from page import Section, Table

from irci.base.streams import topic_keys
from irci.base.types import Floats, all_pairs, reaches
from irci.stats.anova import unpaired_t
from irci.stats.signs import p_by_signs

Line = list[object]
HEADERS = ["what", "irci", "published", "difference", "why"]
TREC8 = SHARED / "trec8-adhoc"
SCORES = SHARED / "soboroff-confint"
MATRICES = SHARED / "score-matrices"
PRINTED = SHARED / "buckley-voorhees-2000"


def compared(what: str, ours: float, theirs: float, decimals: int, why: str = "") -> Line:
    """A line: equal, to the published decimals, or not and why."""
    shown, published = f"{ours:.{decimals}f}", f"{theirs:.{decimals}f}"
    if shown == published:
        return [what, shown, published, "none", ""]
    return [what, shown, published, f"{float(shown) - float(published):+.{decimals}f}", why]


def _runs() -> list[Path]:
    return [TREC8 / "qrels.trec8.adhoc.gz", *sorted((TREC8 / "runs").iterdir())]


# Cormack and Lynam 2006: TREC-6, of which there are no runs; TREC-8, one run a group, stands in.

SPLITS = 10
OTHER = f"TREC-8, 41 runs, mean of {SPLITS} splits; theirs TREC-6, 74 runs, one split"
# Below, in and above: of the halves' means where the paper has both halves; table 1 has the first half alone.
IN_INTERVAL = {
    ("linear/bootstrap", "all", "wider"): (2.25, 83.35, 14.3),
    ("logit/bootstrap", "all", "wider"): (8.6, 83.15, 8.3),
    ("linear/bootstrap", "all", "none"): (3.7, 77.8, 11.1),
    ("logit/bootstrap", "all", "none"): (11.1, 76.5, 12.5),
    ("bca/bootstrap", "all", "none"): (7.4, 77.1, 15.5),
    ("linear/bootstrap", "R>5", "none"): (2.8, 82.0, 15.1),
    ("logit/bootstrap", "R>5", "none"): (9.4, 81.4, 9.1),
    ("bca/bootstrap", "R>5", "none"): (6.7, 80.8, 12.5),
}
OF_MEANS = {
    "map/bootstrap": (24.3, 72.25, 3.35), "lmap/bootstrap": (8.75, 83.05, 8.05),
    "map/parametric": (8.75, 79.65, 11.45), "lmap/parametric": (12.8, 74.3, 12.8),
}  # fmt: skip


def cormack_lynam() -> Iterator[Line]:
    """Tables 1 to 4, both halves together."""
    options = ("--validate", SPLITS)
    found = {(row["interval"], row["relevant"], row["correction"]): row
             for row in rows("ap-ci", "--published", *options, *_runs())}  # fmt: skip
    for (interval, relevant, correction), theirs in IN_INTERVAL.items():
        row = found[interval, relevant, correction]
        table = "2, corrected" if correction == "wider" else "1"
        for name, published in zip(("below", "in", "above"), theirs, strict=True):
            told = f"{OTHER}, sd over splits {row['sd']:.1f}" if name == "in" else OTHER
            if sum(theirs) < 99:
                told = f"the row printed adds up to {sum(theirs):.1f}"
            yield compared(f"table {table}, {interval}, {relevant}: % {name}", row[name], published, 1, told)
    yield compared(
        "model: % in", found["linear/bootstrap", "all", "none"]["predicted"], 83.5, 1, "they round 1.386 to 1.39"
    )
    for row in rows("map-ci", "--published", *options, *_runs()):
        for name, published in zip(("below", "in", "above"), OF_MEANS[row["interval"]], strict=True):
            told = f"{OTHER}, sd over splits {row['sd']:.0f}" if name == "in" else OTHER
            yield compared(f"table 3 or 4, {row['interval']}: % {name}", row[name], published, 1, told)


# Voorhees, Samarov and Soboroff 2017.

COUNTS = {
    "map": {"unpaired-t": (4164, 3437), "randomization-one-sided": (6325, 5571)},
    "P10": {"unpaired-t": (4317, 3695), "randomization-one-sided": (5663, 4903)},
}
# Mean lengths on TREC-8, without and with interaction, by measure and number of parts.
LENGTHS = {
    ("map", 2): (0.088, 0.039), ("map", 3): (0.078, 0.044), ("map", 5): (0.069, 0.049),
    ("P_10", 2): (0.122, 0.061), ("P_10", 3): (0.098, 0.061), ("P_10", 5): (0.071, 0.048),
}  # fmt: skip


def voorhees() -> Iterator[Line]:
    """Pairs of TREC-8's 129 runs that tests tell apart; lengths of intervals, of which only ratios can be compared."""
    for measure, published in COUNTS.items():
        scores, topics = _scores_of(measure)
        differences = np.subtract(*scores[all_pairs(len(scores)).T])
        signs = p_by_signs(differences, topic_keys(topics), 10_000, 1, one_sided=True)
        p = {"unpaired-t": unpaired_t(scores.T), "randomization-one-sided": signs}
        for (test, counts), (place, alpha) in itertools.product(published.items(), enumerate((0.05, 0.01))):
            why = "10,000 random sign patterns decide" if "random" in test else "scores rounded to four decimals"
            if measure == "P10" and "random" in test:
                why += "; and ties with the observed count, which we count as extreme"
            yield compared(
                f"TREC-8, {measure}: pairs at {alpha:g} by {test}", reaches(p[test], alpha).sum(), counts[place], 0, why
            )
    why = "41 runs of 129"
    for (measure, parts), (without, with_it) in LENGTHS.items():
        options = ("--published", "--test", "none", "-x", parts, "-m", measure, "-B", 2000, "--policy", "drop")
        of = {row["model"]: row["value"] for row in rows("partition-anova", *options, *_runs())
              if row.get("table", "").startswith("length_")}  # fmt: skip
        ratio = of["interaction"] / of["additive"]
        name = f"TREC-8, {measure}, {parts} parts: length with interaction over without"
        yield compared(name, ratio, with_it / without, 2, why)
        told = (
            f"{why}; theirs are no 2.5% and 97.5% quantiles (nor have others reproduced them): 1.5 to 1.9 times as long"
        )
        yield compared(
            f"TREC-8, {measure}, {parts} parts: length with interaction", of["interaction"], with_it, 3, told
        )


def _scores_of(measure: str) -> tuple[Floats, list[bytes]]:
    """The scores float64[runs, T] and the topics."""
    with gzip.open(SCORES / "trec8.adhoc.scores.csv.gz", "rt") as file:
        of = {
            (row["run"], row["topic"]): float(row["score"]) for row in csv.DictReader(file) if row["measure"] == measure
        }
    runs, topics = (sorted(names) for names in map(set, zip(*of, strict=True)))
    scores = np.array([[of[run, topic] for topic in topics] for run in runs])
    return scores, [topic.encode() for topic in topics]


# Park 2010: Robust 2004 with 249 topics; the public matrix has 99 of them.

TYPE_ONE: list[tuple[str, tuple[str, ...], str, tuple[float, float, float]]] = [
    ("1: AP, sigma known", ("--standardise", "none"), "known", (0.040, 0.005, 0.051)),
    ("2: AP, s", ("--standardise", "none"), "estimated", (0.082, 0.027, 0.255)),
    ("3: sAP, sigma known", (), "known", (0.046, 0.006, 0.062)),
    ("4: sAP, s", (), "estimated", (0.050, 0.010, 0.090)),
    ("5: sAP of 5, s", ("--reference", "random:5"), "estimated", (0.062, 0.017, 0.157)),
]
OF_ERRORS = {"rate": "mean", "sd": "sd", "upper": "max"}
SIZES = (2, 5, 10, 20, 50)
OF_SIZES = {"rate": (0.050, 0.062, 0.068, 0.068, 0.054), "width": (20.217, 3.456, 2.172, 1.518, 0.981)}
FEWER = "99 of their 249 topics, another 1000 samples"


def park() -> Iterator[Line]:
    """Tables 1 to 5 at .05, of five topics each, and 6 and 7."""
    matrix = MATRICES / "robust2004_ap.csv.gz"
    for table, options, sigma, theirs in TYPE_ONE:
        (row,) = (each for each in rows("stdap-ci", "--validate", 1000, *options, "--scores", matrix)
                  if (each["alpha"], each["sigma"], each["topics"]) == (0.05, sigma, 5))  # fmt: skip
        for (name, words), published in zip(OF_ERRORS.items(), theirs, strict=True):
            yield compared(f"table {table}: {words} of errors at .05", row[name], published, 3, FEWER)
    sizes = ",".join(map(str, SIZES))
    found = rows("stdap-ci", "--validate", 1000, "--reference", "random:5", "--sizes", sizes, "--scores", matrix)
    chosen = [row for row in found if (row["alpha"], row["sigma"]) == (0.05, "estimated")]
    for (name, theirs), title in zip(OF_SIZES.items(), ("table 6, sAP of 5: error", "table 7: width"), strict=True):
        for row, published in zip(chosen, theirs, strict=True):
            why = FEWER
            if name == "rate" and row["topics"] == 50:
                why += ": 50 of 99 without replacement vary less than 50 of 249"
            yield compared(f"{title}, {row['topics']} topics", row[name], published, 3, why)


# Buckley and Voorhees 2000.


def buckley_voorhees() -> Iterator[Line]:
    """Figure 1's matrices and what the text says of them."""
    for measure, errors, ties in (("ap", 2.1, 13.0), ("p10", 3.8, 27.6)):
        (row,) = rows("swap-error", PRINTED / f"matrix_{measure}.csv")
        yield compared(f"figure 1, {measure}: comparisons", row["comparisons"], 36 * 21, 0)
        yield compared(f"figure 1, {measure}: % errors", 100 * row["rate"], errors, 1)
        yield compared(f"figure 1, {measure}: % ties", 100 * row["ties"], ties, 1)


# Sakai 2017.

EQUAL_AT = ((0.05, 0.20, 10), (0.05, 0.10, 5), (0.01, 0.20, 18), (0.01, 0.10, 10))
MEASURES = {"ap": "AP", "ndcg": "nDCG"}
AROUND = {"AP": (0.0824, 0.23), "nDCG": (0.0441, 0.16), "Q": (0.0368, 0.16), "nERR": (0.0863, 0.23)}


def sakai() -> Iterator[Line]:
    """Table 1's variances where there are scores; where the noncentrality meets 4 z^2 (figure 1); widths the text tells."""
    for name, published in (("ap", 0.0471), ("ndcg", 0.0456)):
        value = rows("wcw", "--table", "variance", "--scores", MATRICES / f"robust2004_{name}.csv.gz")[0]["value"]
        why = "99 topics of 2004; theirs is pooled over Robust 2003 and 2004"
        yield compared(f"table 1, Robust: variance of {MEASURES[name]}", value, published, 4, why)
    for alpha, beta, systems in EQUAL_AT:
        found = rows("wcw", "--table", "noncentrality", "--alpha", alpha, "--power", 1 - beta)
        of_interval = 4 * NormalDist().inv_cdf(1 - alpha / 2) ** 2
        nearest = min(found, key=lambda row: abs(row["value"] - of_interval))
        yield compared(f"figure 1: systems at alpha {alpha:g}, beta {beta:g}", nearest["systems"], systems, 0)
    for name, (variance, published) in AROUND.items():
        (row,) = rows("wcw", "--variance", f"{name}={variance}", "--sizes", 50, "--tool", "anova")
        yield compared(f"section 4, {name}: width with 50 topics", row["width"], published, 2, 'the text says "around"')


# Soboroff 2014, whose published intervals come with the scores.


def soboroff() -> Iterator[Line]:
    """Intervals of means over topics that another program published by t, with n in the place of n - 1."""
    for collection, topics in (("trec8.adhoc", 50), ("trec13.robust", 100)):
        published: dict[tuple[str, str], tuple[float, float]] = {}
        with gzip.open(SCORES / f"{collection}.ci.txt.gz", "rt") as file:
            for run, measure, method, _, lower, upper, *_ in csv.reader(itertools.islice(file, 1, None), delimiter=" "):
                if method == "t":
                    published[run, measure] = float(lower), float(upper)
        options = ("--scores", "--population", "topics", "--interval", "t", "-m", "map", "-m", "recip_rank")
        off, equal = [], 0
        for row in rows("map-ci", *options, SCORES / f"{collection}.scores.csv.gz"):
            theirs = published.get((row["run"], row["measure"]))
            if theirs and row["topic"] == "all":
                # Theirs is narrower by this, once the divisor is n.
                half = (row["upper"] - row["value"]) * (1 - 1 / topics) ** 0.5
                ours = row["value"] - half, row["value"] + half
                worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
                off.append(worst / (theirs[1] - theirs[0] or 1))
                equal += worst < 1.01e-4
        all_equal = equal == len(off)
        why = (
            "" if all_equal else f"their scores have four decimals; the largest difference is {max(off):.2%} of a width"
        )
        title = f"{collection}, t: intervals equal to 1e-4, ours narrowed by sqrt(1 - 1/n)"
        yield [title, equal, len(off), "none" if all_equal else equal - len(off), why]


PAPERS: Sequence[tuple[str, Callable[[], Iterator[Line]], Path]] = (
    ("Cormack and Lynam, SIGIR 2006", cormack_lynam, TREC8),
    ("Voorhees, Samarov and Soboroff, TOIS 2017 (slides)", voorhees, SCORES),
    ("Park, ADCS 2010", park, MATRICES),
    ("Buckley and Voorhees, SIGIR 2000", buckley_voorhees, PRINTED),
    ("Sakai, EVIA 2017", sakai, MATRICES),
    ("Soboroff, EVIA 2014 (not one of the five)", soboroff, SCORES),
)


def section() -> Section:
    """A table a paper, as far as the data are there."""
    here = [(title, lines) for title, lines, needed in PAPERS if needed.is_dir()]
    absent = [title for title, _, needed in PAPERS if not needed.is_dir()]
    told = (__doc__ or "").replace("\n", " ").replace("  ", " ").strip()
    if absent:
        told += f" Left out, as the data are not beside the checkout: {'; '.join(absent)}."
    return Section("The papers", told, [Table(title, HEADERS, list(lines())) for title, lines in here])
