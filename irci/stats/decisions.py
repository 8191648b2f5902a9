"""Decisions on pairs of runs: which pairs there are, what is significant, and who is better; from those on all pairs the ranks
of runs, the limits within which they lie, and letters; verdicts, what can be said of a pair in a word; and claims.

A difference that is not significant is not "no difference": it is `equivalent` where tests within a margin say so, `not worse`
where one of its lower side does, else `inconclusive`; for the reason `few-differ` where there is a margin and so few topics
differ that no test can say so, and `unresolvable` where no outcome on these topics could have been significant.

Over topics ranks are by `irci.stats.signs`; over documents by the largest |t| of joint resamples (J. P. Romano and
M. Wolf, JASA 100, 2005). Letters: H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons",
Journal of Computational and Graphical Statistics 13, 2004.
"""

import math
from string import ascii_lowercase
from typing import Any, Literal, get_args

import numpy as np

from irci.base.choices import TopicTest
from irci.base.types import WHOLE, Bools, Floats, Ints, Pairs, reaches
from irci.stats.intervals import Interval
from irci.stats.scales import SAME
from irci.stats.signs import is_exact
from irci.stats.tests import adjusted, including_zero, least_of_signs, of_sample
from irci.system import special


def better(pairs: Pairs, difference: Floats, separated: Bools, runs: int) -> Bools:
    """bool[m, m]: whether run i is surely better than run j, from the separated[P] of pairs[P, 2] and their differences[P]."""
    result = np.zeros((runs, runs), np.bool_)
    up, down = separated & (difference > 0), separated & (difference < 0)
    result[pairs[up, 0], pairs[up, 1]] = True
    result[pairs[down, 1], pairs[down, 0]] = True
    return result


MOST_LETTERS = 26  # a to z: nobody reads more
SAME_T = 1e-12  # t of the same replicates, in another order


def ranks(means: Floats, better: Bools) -> dict[str, Any]:
    """Ranks int64[m] by means[m] (`value`; 1 the best, equal means the same), the limits within which they lie by
    better[m, m], whether run i is surely better than run j, and letters.

    Runs that share a letter are separated by none of the comparisons; where more than MOST_LETTERS were needed, all have "-".
    """
    order, rank = np.argsort(-means, kind="stable"), 1 + (means > means[:, np.newaxis]).sum(axis=1)
    # A run's own mean may be over more topics, or with another lambda, than the differences that decide.
    lower, upper = np.minimum(rank, 1 + better.sum(axis=0)), np.maximum(rank, len(means) - better.sum(axis=1))
    names = letters(better | better.T, order) or ["-"] * len(means)
    return {"value": rank, "lower": lower, "upper": upper, "letters": names}


def max_t(differences: Floats, replicates: Floats, pairs: Pairs, confidence: float) -> tuple[Floats, float]:
    """p[P] for all pairs[P, 2] at once, of differences[P], from replicates[m, B] under joint resamples: how often the largest
    |t| of the pairs' centred replicates is as large, (k + 1)/(B + 1), with one standard error a pair (Romano & Wolf 2005). nan
    where no resample changes a difference, which is no certainty; 1 where there is none.

    And the number of standard errors that |difference| must exceed for p of at most 1 - confidence, so that limits this wide
    hold for all pairs at once; infinite where resamples are too few.
    """
    centred = replicates - replicates.mean(axis=1, keepdims=True)
    errors, largest = np.empty(len(pairs)), np.zeros(replicates.shape[1])
    for index, (run, other) in enumerate(pairs.tolist()):
        errors[index] = (replicates[run] - replicates[other]).std(ddof=1)
        if errors[index] > 0:
            np.maximum(largest, np.abs(centred[run] - centred[other]) / errors[index], out=largest)
    largest.sort()
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num(np.abs(differences) / errors)
    p = (len(largest) - np.searchsorted(largest, t * (1 - SAME_T), side="left") + 1) / (len(largest) + 1)
    allowed = math.floor((1 - confidence) * (len(largest) + 1) + WHOLE) - 1
    width = math.inf if allowed < 0 else float(largest[-1 - allowed]) / (1 - SAME_T)
    return np.where(errors > 0, p, np.where(differences == 0, 1.0, np.nan)), width


def letters(separated: Bools, order: Ints) -> list[str] | None:
    """A compact letter display: two runs share a letter unless they are separated, bool[m, m]; best of `order` first.
    None where it takes more than MOST_LETTERS, which real collections may by the hundred.

    A letter is a largest set without a separated pair. Runs join one after the other: those of a set that a run is not
    separated from make one with it, unless they lie in another such; a set goes where they are all of it.
    """
    near, groups = ~separated[np.ix_(order, order)], [frozenset[int]()]
    for run in range(len(order)):
        near_run = frozenset(np.flatnonzero(near[run, :run]).tolist())
        joined = {group & near_run for group in groups}
        largest = [group for group in joined if not any(group < other for other in joined)]
        groups = [group for group in groups if group not in joined] + [group | {run} for group in largest]
        if len(groups) > MOST_LETTERS:  # of a part of the runs; all take no fewer
            return None
    names = [""] * len(order)
    for letter, group in zip(ascii_lowercase, sorted(groups, key=sorted), strict=False):
        for position in group:
            names[int(order[position])] += letter
    return names


Verdict = Literal["better", "worse", "equivalent", "not worse", "inconclusive", "identical", "missing"]
Reason = Literal["", "negligible", "few-differ", "unresolvable"]


def smallest_p(differences: Floats, test: TopicTest, signs: int, *, maxt: bool, held: Bools | bool = False) -> Floats:
    """The smallest p[P] that tests of differences[P, U] of these sizes can give, those of all favouring one run: unadjusted,
    as what is not significant so is not under any correction, but adjusted if `maxt` makes it of so many signs.
    `held` bool[P]: p by t is held to what signs of so many units can give.

    By t of differences of one size, where it would be infinite, 2^(1 - U), by signs, or less if all but one do; nan of one. By
    signs, of differences or their ranks, 2^(1 - k) where k differ at all, and no less than so many signs allow.
    """
    size, units = np.abs(differences), differences.shape[1]
    of = of_sample(size)
    all_but_one = 2 * special.stdtr(units - 1, -(units - 2) / 2) if units > 1 else np.nan
    by_t = np.where(of.constant & (of.value > 0), np.minimum(of.p(), all_but_one), of.p())
    by_t = np.maximum(by_t, np.where(held, least_of_signs(units), 0.0))
    if test == "t" and not maxt:
        return by_t
    differing = (size > SAME * size.max(axis=1, initial=0.0, keepdims=True)).sum(axis=1)
    by_signs = least_of_signs(np.maximum(differing, 1))
    if (maxt or test != "sign") and not is_exact(units, signs):
        by_signs = np.maximum(by_signs, 1 / (signs + 1))
    return np.fmax(by_signs, by_t) if test == "t" else by_signs  # adjusted p is no less than p


def verdicts(
    difference: Floats,
    p_adjusted: Floats,
    best_p: Floats,
    identical: Bools,
    alpha: float,
    p_equivalence: Floats | float = math.nan,
    p_not_worse: Floats | float = math.nan,
    few: Bools | bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """A `Verdict` on each of P pairs, the first that applies, and the `Reason` where it takes one, object[P]; all arrays [P].

    difference: what the test speaks of, run less baseline. identical: whether the two score the same on every topic.
    best_p: of the test in use (nan: it can tell nothing). p_equivalence, p_not_worse: adjusted too, where there is a margin;
    `few`: where, then, so few topics differ that what rare ones may do is not known.
    """
    differ = reaches(p_adjusted, alpha) & (difference != 0)
    same, not_worse = reaches(p_equivalence, alpha), reaches(p_not_worse, alpha)
    words: list[Verdict] = ["identical", "better", "worse", "equivalent", "not worse", "inconclusive"]
    result = np.select([identical, differ & (difference > 0), differ, same, not_worse], words[:-1], words[-1])
    is_open, reasons = ~(identical | differ | same), get_args(Reason)
    why = [~identical & differ & same, is_open & few, is_open & ~reaches(best_p, alpha)]
    return result.astype(object), np.select(why, reasons[1:], reasons[0]).astype(object)


Survival = Literal["confirmed", "not confirmed", "reversed", "not testable"]
VERDICTS: tuple[Survival, ...] = get_args(Survival)


def is_told(evidence: Floats) -> Bools:
    """bool[..., P]: whether evidence[..., 3, P] of a source on pairs, their difference, two-sided p, and p adjusted for the
    family, each nan where nothing can be told, has a difference and p."""
    value, p = evidence[..., 0, :], evidence[..., 1, :]
    return np.asarray(~np.isnan(p) & ~np.isnan(value) & (value != 0))


def survival(claimed: Floats, evidence: Floats, alpha: float) -> list[Survival]:
    """Verdicts[P] of another source's evidence[3, P] on claims, each that the difference claimed[P] has the sign it has."""
    value, _, p_adjusted = evidence
    result = reaches(np.nan_to_num(p_adjusted, nan=1.0), alpha)
    position = np.where(result, np.where(np.sign(claimed) == np.sign(value), 0, 2), 1)
    return [VERDICTS[index] for index in np.where(is_told(evidence), position, 3).tolist()]


def p_of_all(evidence: Floats) -> Floats:
    """p[P], by Holm's method for all P pairs, that all sources of evidence[S, 3, P] that can be told agree with the sign of
    the first, that of the claim; nan of pairs of which fewer than two can be told, which count for the others as p of 1 do."""
    value, p, _ = evidence.swapaxes(0, 1)
    is_reported, is_against = is_told(evidence), np.sign(value) != np.sign(value[0])
    largest = np.where(is_reported, np.where(is_against, 1.0, p), -np.inf).max(axis=0)
    has_p = is_reported.sum(axis=0) > 1
    return np.where(has_p, adjusted(np.where(has_p, largest, 1.0), "holm"), np.nan)


def agreeing(limits: Interval, value: Floats, p: Floats, confidence: float) -> Interval:
    """Limits[P] of value[P] that leave out 0 where p[P] is at most 1 - confidence, if need be by being 0, and nowhere else. As
    they are where p is nan; nan stays nan."""
    is_apart = reaches(p, 1 - confidence)
    lower, upper = including_zero(limits, ~is_apart & ~np.isnan(p))
    up, down = is_apart & (value > 0), is_apart & (value < 0)
    return np.stack((np.where(up, np.maximum(lower, 0), lower), np.where(down, np.minimum(upper, 0), upper)))
