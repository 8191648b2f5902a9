"""Warnings about people's topics and a judge: too few topics, those unlike the others, a judge who adds nothing or less."""

from collections.abc import Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import logger
from irci.base.names import plural
from irci.methods.compare.prediction_powered import FEW, LEAST_OTHERS, balance_p
from irci.stats.tests import adjusted
from irci.studies.compare.family import Family
from irci.studies.compare.judged import Judged
from irci.studies.compare.people_sentences import HUMAN, ROUNDING
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure

ALIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike


def warn_of_people(request: Request, judged: Judged, found: Sequence[OnMeasure]) -> None:
    """Warn of too few human topics, of those unlike the others, and of a judge who adds nothing, or less."""
    for on in found:
        families = [family for family in (on.alone, on.pairs) if family is not None]
        columns = families[-1].over(on.alone.scored.sources[0]).tested.of.columns
        least = int(columns["human"].min())
        if least < FEW:
            logger.warning(
                f"{on.measure.name}: only {plural(least, 'topic')} judged by people: limits rest on scores (or differences)"
                " being close to normal"
            )
        if not on.alone.over(on.alone.scored.sources[0]).tested.of.columns["others"].any():
            logger.warning(
                f"{on.measure.name}: people have judged all topics that the judge has, so the judge adds nothing"
            )
        else:
            for family, what, last in ((on.alone, "run", None), (on.pairs, "pair", on.shown)):
                if family is not None:
                    _warn_of_estimates(request, family, what, last)
                    _warn_of_draw(judged, family, last)
        _warn_of_unknown(on.alone)
        if on.pairs is not None:
            _warn_of_ties(on.pairs, on.shown)
    _warn_of_labels(judged)


def _warn_of_unknown(alone: Family) -> None:
    """Say of how many runs no limits are claimed."""
    without = [np.isnan(alone.over(source).tested.limits[0]) for source in alone.scored.sources]
    if number := int(np.any(without, axis=0).sum()):
        logger.warning(
            f"{alone.measure.name}: no limits with the judge, or on the same topics, for {plural(number, 'run')}: half or"
            " more of the human topics have the same score, and fewer than 10 another, so how much others do is not known"
        )


def _warn_of_ties(family: Family, shown: int) -> None:
    """Say of how many pairs nothing is claimed with the judge."""
    without = [family.over(source).tested.of.columns["reason"][:shown] == "ties" for source in family.scored.sources]
    if number := int(np.any(without, axis=0).sum()):
        logger.warning(
            f"{family.measure.name}_diff: no limits with the judge, or on the same topics, for {plural(number, 'pair')}: half"
            " or more of the human topics hardly differ from their median, and fewer than 10 do"
        )


def _warn_of_estimates(request: Request, family: Family, what: str, last: int | None) -> None:
    name = f"{family.measure.name}_diff" if family.is_of_pairs else family.measure.name
    for source in family.scored.sources:
        if source.labels["estimator"] == HUMAN:
            continue
        tested = family.over(source).tested
        columns, (lower, upper) = tested.of.columns, tested.limits
        few = (columns["others"] < LEAST_OTHERS) & (source.name == TOPICS)
        reasons = {"too few others": few, "scores or differences that do not rise with people's": ~few}
        for reason, for_it in reasons.items():
            alone = int((for_it & (columns["lambda"] == 0))[:last].sum())
            if alone:
                logger.warning(
                    f"{name}: lambda is 0 for {plural(alone, what)}, over {source.name}: only people's topics count (the"
                    f" judge has {reason})"
                )
        wider = columns["gain"][:last] > 1 + ROUNDING
        if wider.any():
            logger.warning(
                f"{name}: limits over {source.name} are wider with the judge than without for"
                f" {plural(int(wider.sum()), what)} (gain up to {np.nanmax(columns['gain'][:last]):.2f}): rely on people's"
                " topics alone"
            )
        without = int((upper == lower)[:last].sum())
        if without:
            logger.warning(
                f"{name}: limits over {source.name} have no width for {plural(without, what)}: nothing varies"
            )


def _warn_of_draw(judged: Judged, family: Family, last: int | None) -> None:
    """Say so if the judge scores some run, or sees some pair differ, otherwise on human topics than on the others: by the
    smallest p of them all, by Holm's method."""
    pairs = family.pairs[:last]
    p, human, others = np.full((3, len(pairs)), np.nan)
    for some, scores in judged.effects(family.measure.name, family.comparison, pairs):
        p[some] = balance_p(scores)
        human[some], others[some] = scores.judge.mean(axis=-1), scores.others.mean(axis=-1)
    p = adjusted(p, "holm")
    if not (p < ALIKE).any():
        return
    place = int(np.nanargmin(p))
    run, baseline = (family.names[row] for row in pairs[place].tolist())
    verb, who = ("differs by", f"{run} minus {baseline}") if family.is_of_pairs else ("scores", run)
    name = "adjusted p" if len(pairs) > 1 else "p"
    logger.warning(
        f"{family.measure.name}: by the judge, {who} {verb} {human[place]:.4f} on the human topics, {others[place]:.4f} on the"
        f" others (Welch's t test: {name} = {p[place]:.2g}): were the human topics drawn at random? If so, the draw was"
        " unlucky"
    )


def _warn_of_labels(judged: Judged) -> None:
    for name, shares in judged.judged.items():
        scored = ~np.isnan(shares).all(axis=0)
        if not (scored & ~judged.human).any():
            continue
        human, others = (float(np.nanmean(shares[:, scored & some])) for some in (judged.human, ~judged.human))
        if abs(human - others) > JUDGED_ALIKE:
            logger.warning(
                f"{name}: {human:.3f} by the judge on human topics, {others:.3f} on the others: were their labels made in the"
                " same way?"
            )
