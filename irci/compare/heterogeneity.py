"""How much a difference between two runs itself differs from collection to collection: rows and sentences."""

import math
from collections.abc import Iterator

import numpy as np

from irci.base.errors import logger
from irci.base.names import plural
from irci.base.types import Ends, Floats
from irci.compare.family import Family
from irci.compare.request import Request
from irci.compare.sources.collections import in_each
from irci.compare.wording import MOST, amount, number, p_text
from irci.data.scale_ends import lie_within
from irci.estimators.compare.edges import holding_both, replaced
from irci.estimators.compare.grouped import Groups
from irci.output.tables import PValue, Row, Table
from irci.stats.decisions import separated
from irci.stats.intervals import Interval
from irci.stats.meta import random_effects, tau2_limits
from irci.stats.scales import PLAIN


def heterogeneity(family: Family, groups: Groups) -> Iterator[Row]:
    """Rows of pairs: how much the differences of each vary from collection to collection, `groups` of topics."""
    measure, comparison = family.measure, family.comparison
    found, limits = _spread(family, groups)
    if (without := family.without_lacking) is not None:
        lacks, (others, other_limits) = family.lacks_topics(family.scored.sources[0]), _spread(without, groups)
        found = np.where(lacks & ~(others[1] <= found[1]), others, found)
        limits = replaced(limits, lacks, holding_both(limits, other_limits))
    if unknown := int(np.isnan(found[0]).sum()):
        pairs = plural(unknown, "pair")
        logger.warning(f"{measure.name}: no Q for {pairs}, whose variance cannot be estimated in some collection")
    numbers = zip(*found.tolist(), *(limit.tolist() for limit in limits), strict=True)
    for (run, baseline), (q, p, i2, tau2, lower, upper) in zip(comparison.pairs.tolist(), numbers, strict=True):
        yield {
            "run": comparison.names[run], "baseline": comparison.names[baseline],
            "Q": q, "df": groups.number - 1, "Q_p": PValue(p), "I2": i2, "tau2": tau2, "tau": math.sqrt(tau2),
            "tau_lower": lower, "tau_upper": upper,
        }  # fmt: skip


def _spread(family: Family, groups: Groups) -> tuple[Floats, Interval]:
    """Q, its p, I^2 and tau^2 [4, P] of pairs, nan where the variance cannot be estimated in some collection, and limits[P] of
    tau."""
    request, measure, values = family.request, family.measure, family.values
    effects, errors = in_each(groups, values, family.pairs)
    is_plain = request.scale(measure) == PLAIN and family.scored.signature.get("standardise") is None
    most = _most_spread((request.range or measure.ends) if is_plain else None, values)
    found, limits = np.full((4, len(effects)), np.nan), np.empty((2, len(effects)))
    for index, (effect, error) in enumerate(zip(effects, errors, strict=True)):
        if (error > 0).all():
            of_pair = random_effects(effect, error)
            found[:, index] = of_pair.q, of_pair.q_p, of_pair.i2, of_pair.tau2
        limits[:, index] = np.sqrt(np.minimum(tau2_limits(effect, error, request.confidence), most**2))
    return found, (limits[0], limits[1])


def _most_spread(ends: Ends | None, values: Floats) -> float:
    """The largest standard deviation that true differences of scores between these ends can have, half of the range of
    differences (T. Popoviciu, Mathematica 9, 1935); infinite where values are not between them."""
    is_on_scale = ends is not None and lie_within(values[~np.isnan(values)], ends)
    return ends[1] - ends[0] if ends is not None and is_on_scale else math.inf


def sentences_of_heterogeneity(table: Table, request: Request) -> Iterator[str]:
    """A sentence a pair, or one on all if they are many."""
    rows = [row for row in table.rows if not math.isnan(number(row, "Q"))]
    alpha = 1 - request.confidence
    if len(rows) > MOST:
        count = int(separated(np.array([number(row, "Q_p") for row in rows]), alpha).sum())
        yield (
            f"In {table.measure}, the differences of {count or 'none'} of {len(rows)} pairs vary from collection to"
            " collection more than chance explains (by Q, p not adjusted)."
        )
        return
    for row in rows:
        who = f"In {table.measure}, the difference of {row['run']} minus {row['baseline']}"
        p = number(row, "Q_p")
        if separated(np.array([p]), alpha)[0]:
            yield (
                f"{who} varies from collection to collection more than chance explains (Q, {p_text(p, 'p')}): true"
                f" differences have a standard deviation of about {amount(number(row, 'tau'))}"
                f" ({amount(number(row, 'tau_lower'))} to {amount(number(row, 'tau_upper'))})."
            )
        else:
            yield (
                f"{who} varies from collection to collection no more than chance may explain (Q, {p_text(p, 'p')}); that"
                f" does not show that it is the same in all (standard deviation up to {amount(number(row, 'tau_upper'))})."
            )
    if rows:
        yield "95% limits of this standard deviation missed it in 5 to 13% of simulated experiments."
