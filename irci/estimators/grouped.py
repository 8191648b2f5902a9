"""Means and differences over topics that come in groups: clusters, collections, or query versions of topics.

Scores have members, each of a group; `stats.groups` says what a mean weighs and what varies. Differences are of the members
on which both runs are scored.

Seeds: means and differences of systems trained several times, from several seeds, on the same topics.

A system's score on a topic is the mean over its seeds. If the checkpoints are given, topics alone vary: Student's t of these
scores or of their differences D. If seeds vary too (the systems trained again, other topics), V = s_D^2 / T + own_A + own_B,
where own = max(0, b - MS / T) / k of a system's k seeds: b is the variance between their means, MS the mean square of the
interaction of seed and topic (what a table of seeds by topics has beyond its margins), whose share of b is in s_D^2 already.
But for the maximum with 0 this is unbiased (R. L. Brennan, "Generalizability theory", Springer 2001). Degrees of freedom are
those of F. E. Satterthwaite, Biometrics Bulletin 2, 1946.

Seeds have no meaning between systems: seed 1 of one has nothing to do with seed 1 of another.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words
from irci.estimators.means import Design, Tested, by_ends, of_differences
from irci.stats import tests
from irci.stats.groups import group_means, group_sums, groups_vary, members_vary, numbered
from irci.stats.intervals import wider
from irci.stats.scales import ALL_OF_IT, SAME, excess, mean_over_topics
from irci.stats.signs import Units


class Groups(NamedTuple):
    """Which of G groups each of M members belongs to: place int64[M].

    `keys` uint64[M]: the members' streams of signs; a group's is that of its first member. `by_group`: a mean is that of the
    groups' means, each weighted equally. `complete`: a mean is over all groups, or there is none; else over those left.
    `vary`: the groups are a sample; else they are given, and their members vary.
    """

    place: Ints
    keys: Words
    by_group: bool = False
    complete: bool = False
    vary: bool = True

    @property
    def number(self) -> int:
        """G."""
        return int(self.place.max()) + 1

    def estimates(self, values: Floats, pairs: Pairs, share: float = 1.0) -> tests.Estimates:
        """Estimates of each of pairs[P, 2] (a run, or a run less a share of its baseline) of values[rows, M], nan where
        a run is not scored.

        Columns `groups` and `members`: how many of them the two are scored in, and on.
        """
        numbers, counts = np.full((3, len(pairs)), np.nan), np.zeros((3, len(pairs)), np.int64)
        estimator = groups_vary if self.vary else members_vary
        for index, mask, terms in tests.contrasts(values, pairs, share):
            first, group = numbered(self.place[mask])
            if len(first) == self.number or not self.complete:
                of = estimator(terms, group, by_group=self.by_group)
                numbers[:, index] = of.value, of.error, of.df
                counts[:, index] = [[of.units[0]], [len(first)], [len(group)]]
        (value, error, df), (units, groups, members) = numbers, counts
        return tests.Estimates(value, error, df, units, {"groups": groups, "members": members})

    def in_each(self, values: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
        """float64[P, G]: the value in each group, and its standard error, as they are of that group's members alone."""
        members = [np.flatnonzero(self.place == index) for index in range(self.number)]
        of_groups = [Groups(np.arange(len(own)), self.keys[own]).estimates(values[:, own], pairs) for own in members]
        value, error = (np.column_stack([getattr(of, name) for of in of_groups]) for name in ("value", "error"))
        return value, error

    def bounded(
        self, tested: Tested, holds: Bools, values: Floats, pairs: Pairs, ends: Ends, design: Design, *,
        are_points: bool = False,
    ) -> Tested:  # fmt: skip
        """Contrasts tested by t, of groups that are a sample, with bounded limits for those whose members' scores are at the
        ends of the scale, or hardly vary; and with the p that these invert, of differences of scores that are all ends.
        holds bool[P]: where signs of the groups hold p.

        Groups whose sizes differ weigh unlike in the mean, and bounded limits are of another one, of groups that count alike.
        Where large groups differ from small ones these differ: so they are no surer than limits and p by t.
        """
        limits, p = np.full((2, len(pairs)), np.nan), np.full(len(pairs), np.nan)
        unlike, are_means = np.zeros(len(pairs), np.bool_), bool((pairs[:, 1] == tests.NOTHING).all())
        scale = ends if are_means else of_differences(ends)
        for index, mask, terms in tests.contrasts(values, pairs):
            scores = terms[:, np.newaxis] if are_means else values[pairs[index]][:, :, mask]
            value, (_, group) = tested.of.value[index], numbered(self.place[mask])
            limits[:, index], of_bounds = by_ends(
                scores, terms, value, ends, design, are_points=are_points, group=group
            )
            unlike[index] = not self.by_group and np.ptp(np.bincount(group)) > 0
            # Groups of unlike sizes: the mean over members need not lie within what holds that over groups.
            is_other = unlike[index] & (value * mean_over_topics(group_means(terms, group).T) <= 0)
            p[index] = np.where(is_other & ~np.isnan(of_bounds), 1.0, of_bounds)
        bounded = ~np.isnan(limits[0])
        limits_by_t, is_known = np.clip(tested.limits, *scale), bounded & unlike & ~np.isnan(tested.limits[0])
        limits = np.where(is_known, wider(limits, limits_by_t), limits)
        p = np.where(is_known, np.fmax(p, tested.of.p()), p)
        held, has_p = np.where(holds & ~np.isnan(p), tested.of.units, 0), ~np.isnan(p) & (design.test == "t")
        limits, p = tests.reaching_zero(limits, held, design.confidence), tests.no_less_than_signs(p, held)[0]
        return tested._replace(
            limits=np.where(bounded, limits, tested.limits), interval=np.where(bounded, "bounded", "t"),
            p=np.where(has_p, p, tested.p), test=np.where(has_p, "bounded", tested.test),
        )  # fmt: skip

    def units(self, values: Floats, mask: Bools) -> Units:
        """The units that one sign each is drawn for, of values[rows, M] on the members of the mask: the groups' means, or sums
        where large ones count more, or members, each as much as it counts; with weights, unless errors are those of
        Student's t of as many alike."""
        scores, (first, group), keys = values[:, mask], numbered(self.place[mask]), self.keys[mask]
        sizes = np.bincount(group)
        is_even = bool((sizes == sizes[0]).all())
        if self.vary and (self.by_group or is_even):
            return Units(group_means(scores, group), keys[first])
        if self.vary:
            return Units(group_sums(scores, group), keys[first], sizes.astype(float))
        if is_even and sizes[0] == 1:
            return Units(scores, keys)
        share = 1 / sizes[group] if self.by_group else np.ones(len(group))
        return Units(scores * share, keys, share)


FEWEST = 3  # seeds; from two, limits miss in 10 to 11% where 5% are due


def system_means(values: Floats, systems: Sequence[Sequence[int]]) -> Floats:
    """float64[S, T]: the means over seeds of values[rows, T], of systems by their rows; nan where a seed is not scored."""
    means = [mean_over_topics(values[list(rows)]) for rows in systems]
    return np.array(means).reshape(len(means), values.shape[1])


def over_seeds(
    scores: Floats, values: Floats, systems: Sequence[Sequence[int]], trained: Bools, pairs: Pairs, share: float = 1.0,
    *, seeds_vary: bool,
) -> tests.Estimates:  # fmt: skip
    """Estimates of each of pairs[P, 2] (a system, or a system less a share of its baseline) of values[S, T], the means of
    scores[rows, T] of each of S systems, by its rows; nan where a system is not scored. `trained` bool[S]: whether it would
    score otherwise from other seeds.

    Columns: `seeds` and for pairs `seeds_baseline`, 0 of what is not trained; of systems `sd_seeds`, the standard
    deviation of a system's scores over its seeds, nan of fewer than two; `sd_seeds_component` and `sd_topics`, the parts
    of the error. Of a trained system with fewer than three seeds it is not known how it varies, and nothing `told`.
    """
    value, error, df, sd_seeds, component, sd_topics = np.full((6, len(pairs)), np.nan)
    units, parts = np.zeros(len(pairs), np.int64), np.zeros((3, len(pairs)))
    # The seeds of each system, 0 of one that is not trained, and of NOTHING, which is the last.
    sizes = np.append(np.where(trained, [len(rows) for rows in systems], 0), 0)
    seeds, is_known = sizes[pairs], None
    for index, mask, terms in tests.contrasts(values, pairs, share):
        topics, squares = terms.shape[1], np.zeros((2, len(sizes)))  # 0 without two seeds
        for system in np.flatnonzero(sizes > 1).tolist():
            squares[:, system] = _mean_squares(scores[systems[system]][:, mask])
        value[index], sd = tests.mean_and_sd(terms)
        of_topics, sides = sd**2 / topics, pairs[index].T[: 2 * seeds_vary]
        of_sides = squares[:, sides] * np.array([[1.0], [share**2]])[: len(sides)]
        error[index], df[index], own, parts[:, index] = _with_replicates(of_topics, topics, sizes[sides], *of_sides)
        units[index], sd_topics[index], component[index] = topics, np.sqrt(of_topics), np.sqrt(own)
        sd_seeds[index] = np.where(seeds[index, 0] > 1, np.sqrt(squares[0, pairs[index, 0]]), np.nan)
    if seeds_vary:  # how scores of both vary with seeds has to be known well enough
        is_known = ((seeds == 0) | (seeds >= FEWEST)).all(axis=1)
        error, df, component = np.where(is_known, (error, df, component), np.nan)
    else:
        component[:] = np.nan
    further = {"seeds_baseline": seeds[:, 1]} if (pairs[:, 1] != tests.NOTHING).any() else {"sd_seeds": sd_seeds}
    columns = {"seeds": seeds[:, 0], **further, "sd_seeds_component": component, "sd_topics": sd_topics}
    return tests.Estimates(value, error, df, units, columns, is_known, parts if seeds_vary else None)


def _with_replicates(
    of_topics: Floats, topics: int, number: Ints, between: Floats, residual: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Add to variances[P] over topics what replicates do, seeds of either system or passes of a judge, [S, P] each: their
    number k, the variance b between their means, and the mean square MS of replicate by topic.

    The error and its degrees of freedom; the variance beyond what topics make of it, max(0, b - MS / T) / k; and float64[3, P]
    its terms in the denominator of Satterthwaite's degrees of freedom, squares by their own freedom: with n topics the first
    stays, the second is over n, and the third over n (n - 1). Between the means there is what so many topics leave of the
    interaction, MS / n, beside what is their own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(number > 0, 1 / number, 0.0)
        added, noise = np.where(number > 1, excess(between, residual / topics) * weight, 0.0), residual * weight
        terms = np.stack((added**2, 2 * added * noise, noise**2)) / (number - 1)
        own, parts = added.sum(axis=0), np.where(added > 0, terms, 0.0).sum(axis=1)
        variance = of_topics + own
        falling = np.where(parts > 0, parts / [[1], [topics], [topics * (topics - 1.0)]], 0.0)
        squared = of_topics**2 / max(topics - 1, 1) + falling.sum(axis=0)
        return np.sqrt(variance), np.where(variance > 0, variance**2 / squared, np.nan), own, parts


def _mean_squares(values: Floats) -> tuple[Floats, Floats]:
    """Two figures of the scores of k seeds, values[k, ..., T]: the variance between their means, and the mean square of seed
    by topic, nan of one topic."""
    seeds, topics = len(values), values.shape[-1]
    # Both from the same deviations, so that their rounding is the same; where seeds agree on a topic there is none.
    deviations = values - values.mean(axis=0)
    deviations[:, np.abs(deviations).max(axis=0) <= ALL_OF_IT * np.abs(values).max(axis=0)] = 0
    means = deviations.mean(axis=-1)
    is_same = np.abs(means).max(axis=0) <= SAME * np.abs(values.mean(axis=-1)).max(axis=0)
    means = np.where(is_same, 0.0, means - means.mean(axis=0))
    squares = ((deviations - means[..., np.newaxis]) ** 2).sum(axis=(0, -1))
    mean_square = squares / ((seeds - 1) * (topics - 1)) if topics > 1 else np.full_like(squares, np.nan)
    return (means**2).sum(axis=0) / (seeds - 1), mean_square


LEAST_SHARE = 0.1  # of the squared error, below which the judge's part is to come


def over_passes(values: Floats, pairs: Pairs, share_of_baseline: float = 1.0) -> tests.Estimates:
    """Estimates over topics and passes of a judge of each of pairs[P, 2] of values[passes, rows, T], nan where a row is not
    scored: each pass judged both of a pair, so that differences vary over passes as one system's scores do over its seeds.

    Columns: `passes`; `sd_passes`, the standard deviation of the mean over passes; `share` of the squared error that is due to
    the judge, whose part is no less than its noise on single topics makes it; `passes_needed` to bring that below a tenth.
    """
    value, error, df, sd, share, needed = np.full((6, len(pairs)), np.nan)
    units, passes = np.zeros(len(pairs), np.int64), len(values)
    of_rows = np.concatenate((values, np.zeros((passes, 1, values.shape[2]))), axis=1)  # a last row, which NOTHING is
    for index, mask, _ in tests.contrasts(values.mean(axis=0), pairs, share_of_baseline):
        topics = int(mask.sum())
        scores = np.array([tests.on_topics(of_pass, pairs[index], mask, share_of_baseline) for of_pass in of_rows])
        between, residual = _mean_squares(scores)
        value[index], spread = tests.mean_and_sd(mean_over_topics(scores))
        of_topics, number = spread**2 / topics, np.full((1, len(index)), passes)
        error[index], df[index], own, _ = _with_replicates(of_topics, topics, number, between, residual)
        units[index], sd[index] = topics, np.sqrt(between)
        of_judge = own + residual / (topics * passes)
        rest = excess(of_topics, of_judge - own)
        with np.errstate(divide="ignore", invalid="ignore"):
            share[index] = of_judge / (rest + of_judge)
            needed[index] = np.floor((1 / LEAST_SHARE - 1) * passes * of_judge / rest * (1 + ALL_OF_IT)) + 1
    if passes < FEWEST:
        error[:], df[:] = np.nan, np.nan
    columns = {"passes": np.where(units > 0, passes, 0), "sd_passes": sd, "share": share, "passes_needed": needed}
    return tests.Estimates(value, error, df, units, columns)
