"""Means and differences over topics that come in groups: clusters, collections, or query versions of topics.

Scores have members, each of a group; `stats.groups` says what a mean weighs and what varies. Differences are of the members on
which both runs are scored.
"""

from typing import NamedTuple

import numpy as np

from irci.base.choices import TopicInterval
from irci.base.records import Record
from irci.base.types import Bools, Ends, Floats, Ints, Pairs, Words
from irci.estimators.compare import edges
from irci.estimators.joint_resamples import NOTHING, common_topics, in_blocks, on_topics
from irci.stats.bounded import bounded_p
from irci.stats.estimates import Estimates, group_means, group_sums, groups_vary, members_vary, numbered
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.stats.signs import Units


class BoundedOverGroups(NamedTuple):
    """Which of P contrasts get bounded limits, bool[P]; these, nan of the others; and for differences of scores that are all
    ends of the scale the p[P] that such limits invert, nan of the others. `unlike` bool[P]: groups whose sizes differ weigh
    unlike in the mean, so that these are of another one, of groups that count alike."""

    some: Bools
    limits: Interval
    p: Floats
    unlike: Bools

    def no_surer_than(self, limits: Interval, p: Floats) -> "BoundedOverGroups":
        """The same where sizes differ with limits no narrower than others[P], and p[P] no less than another: where large
        groups differ from small ones, the means that these are of differ."""
        is_known = self.unlike & ~np.isnan(limits[0])
        wider = edges.replaced(self.limits, is_known, edges.wider(self.limits, limits))
        return self._replace(limits=wider, p=np.where(is_known, np.fmax(self.p, p), self.p))


class Groups(Record):
    """Which of G groups each of M members belongs to: place int64[M].

    `keys` uint64[M]: the members' streams of signs; a group's is that of its first member. `by_group`: a mean is that of the
    groups' means, each weighted equally. `complete`: a mean is over all groups, or there is none; else over those left.
    """

    place: Ints
    keys: Words
    by_group: bool = False
    complete: bool = False

    @property
    def number(self) -> int:
        """G."""
        return int(self.place.max()) + 1

    def estimates(self, values: Floats, pairs: Pairs, *, groups_are_a_sample: bool) -> Estimates:
        """Estimates of each of pairs[P, 2] (a run, or a run less its baseline) of values[rows, M], nan where a run is not
        scored.

        Columns `groups` and `members`: how many of them the two are scored in, and on.
        """
        value, error, df = np.full((3, len(pairs)), np.nan)
        units, groups, members = np.zeros((3, len(pairs)), np.int64)
        result = Estimates(value, error, df, units, {"groups": groups, "members": members})
        estimator = groups_vary if groups_are_a_sample else members_vary
        of_rows = np.vstack((values, np.zeros(values.shape[1])))  # a last row, which NOTHING is
        assert NOTHING == -1
        for mask, index in in_blocks(common_topics(of_rows, pairs)):
            first, group = numbered(self.place[mask])
            if not mask.any() or (self.complete and len(first) < self.number):
                continue
            of_pairs = estimator(on_topics(of_rows, pairs[index], mask), group, by_group=self.by_group)
            groups[index], members[index] = len(first), len(group)
            for name in ("value", "error", "df", "units"):
                getattr(result, name)[index] = getattr(of_pairs, name)
        return result

    def bounded(
        self,
        values: Floats,
        pairs: Pairs,
        ends: Ends,
        interval: TopicInterval,
        confidence: float,
        *,
        are_points: bool = False,
    ) -> BoundedOverGroups:
        """Bounded limits of the contrasts, as `estimates` has them of groups that are a sample, where members' scores are at
        the ends of the scale, or hardly vary."""
        lower, upper, p = np.full((3, len(pairs)), np.nan)
        hits, bounded, unlike = np.zeros((3, len(pairs)), np.bool_)
        of_rows = np.vstack((values, np.zeros(values.shape[1])))  # a last row, which NOTHING is
        for mask, index in in_blocks(common_topics(of_rows, pairs)):
            _, group = numbered(self.place[mask])
            if not mask.any():
                continue
            terms = on_topics(of_rows, pairs[index], mask)
            due = edges.due_of(terms, of_rows[:, mask], pairs[index], ends, interval, are_points=are_points)
            selected = index[due.bounded]
            if not len(selected):
                continue
            hits[index], bounded[index] = due.hits, due.bounded
            means, scale = group_means(terms[due.bounded], group), edges.scale_of(pairs, ends)
            value = mean_over_topics((means if self.by_group else terms[due.bounded]).T)
            # Groups of unlike sizes: the mean over members need not lie within what holds that over groups.
            lower[selected], upper[selected] = edges.limits(means, value, scale, confidence)
            p[selected] = bounded_p(np.clip(means, *scale), *scale)
            unlike[selected] = not self.by_group and np.ptp(np.bincount(group)) > 0
            p[selected] = np.where(unlike[selected] & (value * mean_over_topics(means.T) <= 0), 1.0, p[selected])
        return BoundedOverGroups(bounded, (lower, upper), np.where(hits & bounded, p, np.nan), unlike)

    def are_alike_within(self, estimates: Estimates) -> bool:
        """True if, of groups given, all have several members, and there are no errors though nothing is missing: some scores,
        or differences, are the same within each group, but not from one to another."""
        unknown = np.isnan(estimates.error) & (estimates.columns["members"] == len(self.place))
        return bool((np.bincount(self.place) > 1).all() and unknown.any())

    def units(self, values: Floats, mask: Bools, *, groups_are_a_sample: bool) -> Units:
        """The units that one sign each is drawn for, of values[rows, M] on the members of the mask: the groups' sums (or
        means), or members, each as much as it counts; with weights, unless errors are those of Student's t of as many
        alike."""
        first, group = numbered(self.place[mask])
        keys, sizes = self.keys[mask], np.bincount(group)
        if groups_are_a_sample:
            if self.by_group:
                return Units(group_means(values[:, mask], group), keys[first])
            sums = group_sums(values[:, mask], group)
            if (sizes == sizes[0]).all():
                return Units(sums, keys[first], members=int(sizes[0]))
            return Units(sums, keys[first], sizes.astype(float))
        if (sizes == 1).all():
            return Units(values[:, mask], keys)
        share = 1 / sizes[group] if self.by_group else np.ones(len(group))
        return Units(values[:, mask] * share, keys, share)
