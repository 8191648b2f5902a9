"""The request of stdap-ci; and the reference systems it asks for: which runs they are, and their means and standard deviations
on each topic."""

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base.choices import MeanOf, Transform
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import BLANKS, places_by_name, plural, unknown
from irci.base.records import Checked
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats
from irci.data.factors import read_factors
from irci.data.rules import Clusters
from irci.data.scores import Scores
from irci.measures import Measure, named
from irci.stats.scales import reference_factors
from irci.stats.tests import different_rows


class StdapCiRequest(Checked):
    """The options by their names. `validate`: samples of each run and size, of the type I experiment."""

    measures: Sequence[Measure] = ()
    per_topic: bool = False
    no_summary: bool = False
    reference: str | None = None
    save_factors: str | None = None
    standardise: Transform = "z"
    validate: int | None = None
    sizes: tuple[int, ...] = (5,)
    confidence: float = 0.95
    seed: int = 1
    clusters: Clusters | None = None
    mean: MeanOf | None = None

    def signature(self) -> dict[str, Any]:
        """All of it but the measures, which rows name, and clusters if there are none."""
        others = ("measures", "clusters", "mean")
        values = {name: value for name, value in self.__dict__.items() if name not in others}
        values["sizes"] = " ".join(map(str, self.sizes))
        if self.clusters:
            values |= {"units": "clusters", "clusters": self.clusters.given, "mean": self.mean or "topics"}
        return values

    def refuse_contradictions(self) -> None:
        if self.mean is not None and self.clusters is None:
            raise UsageError("--mean is for --clusters.")
        if self.validate is not None and (self.standardise in ("cdf", "ab") or not self.is_sampled):
            raise UsageError("--validate takes z scores by all runs or by --reference random:N, or --standardise none.")
        if self.reference == OTHERS and self.save_factors is not None:
            raise UsageError("--reference others makes factors for each run: leave out --save-factors.")

    @property
    def is_shown(self) -> bool:
        """True if standardised scores, or the factors, are asked for."""
        return self.per_topic or not self.no_summary or self.save_factors is not None

    @property
    def is_sampled(self) -> bool:
        """True if references are all runs, or so many of them drawn at random."""
        return self.reference is None or self.number_at_random > 0

    @property
    def number_at_random(self) -> int:
        """How many references are drawn at random; 0: they are not."""
        match = re.fullmatch(r"random:(\d+)", self.reference or "")
        return int(match[1]) if match else 0


OTHERS = "others"


class References(NamedTuple):
    """The references that scores are standardised by.

    places: list[int]  # of the reference runs, by name, so that the order of runs changes no last bit
    others_alone: bool  # each run is standardised by the others of them
    factors: str  # the file of means and standard deviations, "" where runs tell them
    """

    places: list[int]
    others_alone: bool = False
    factors: str = ""


# How often 95% limits of z scores miss, of a run outside so many references or more, on topics of TREC collections drawn anew.
MISSED = ((5, "6 to 17%"), (0, "10 to 25%"))
ENOUGH_REFERENCES = 10
FEW_REFERENCES = 5  # fewer have a standard deviation on a topic that says little
FEWEST_REFERENCES = 3  # of two runs each is as far from their mean as the other, on every topic
Factors = dict[str, tuple[Floats, Floats]]  # of each measure the mean and sd of each topic


def references_of(request: StdapCiRequest, table: Scores) -> References:
    """The references asked for: runs by name; else the other runs of each, runs drawn at random, or a file of factors."""
    order = places_by_name(table.runs)
    if request.reference is None:
        return References(order)
    names = [name.strip(BLANKS) for name in request.reference.split(",")]
    strangers = [name for name in names if name not in table.runs]
    if not strangers:
        return References([run for run in order if table.runs[run] in names])
    if request.reference == OTHERS:
        return References(order, others_alone=True)
    if number := request.number_at_random:
        if number > len(table.runs):
            raise DataError(f"--reference {request.reference}: there are only {len(table.runs)} runs")
        rng = np.random.default_rng(int(seed_word(request.seed, Purpose.REFERENCES)))
        chosen = rng.choice(len(order), number, replace=False)
        return References([order[place] for place in sorted(chosen.tolist())])
    if os.path.exists(request.reference):
        return References([], factors=request.reference)
    raise DataError(unknown("run", strangers[0], table.runs))


def factors_of(request: StdapCiRequest, table: Scores, references: References) -> Factors:
    """The factors of each measure, of the reference runs or read from a file; none where scores stay as they are."""
    if request.standardise == "none":
        return {}
    if references.factors:
        read = read_factors(references.factors, table.topics)
        canonical = {name: named(name).canonical for name in table.values}
        if lacking := [name for name in table.values if canonical[name] not in read]:
            raise DataError(f"{references.factors}: no factors of {', '.join(lacking)}")
        return {name: read[canonical[name]] for name in table.values}
    if request.is_shown and len(references.places) - references.others_alone < FEWEST_REFERENCES:
        refuse_few_references(next(iter(table.values)), len(references.places) - references.others_alone)
    return {name: reference_factors(values[references.places]) for name, values in table.values.items()}


def check_references(measure: str, scores: Floats, references: References, request: StdapCiRequest) -> None:
    """Refuse fewer than three different references among the runs with scores[m, T]; warn of few."""
    if not request.is_shown:
        return
    different = different_references(scores[references.places]) - references.others_alone
    refuse_few_references(measure, different)
    few = f"{measure}: only {plural(different, 'different reference run')}"
    is_outside = len(references.places) < len(scores) or references.others_alone
    if request.standardise == "z" and is_outside and different < ENOUGH_REFERENCES:
        missed = next(share for least, share in MISSED if different >= least)
        logger.warning(
            f"{few}: limits of z scores of a run that is not one of them miss in {missed} of samples where 5% is due"
            " (1 to 7% by --standardise cdf)"
        )
    elif different < FEW_REFERENCES:
        logger.warning(f"{few}: standardised scores depend strongly on which these are")


def refuse_few_references(measure: str, different: int) -> None:
    """Raise DataError for fewer than three different reference systems."""
    if different < FEWEST_REFERENCES:
        raise DataError(
            f"{measure}: only {plural(different, 'different reference system')}: standardised scores need"
            f" {FEWEST_REFERENCES} or more (--reference)"
        )


def different_references(scores: Floats) -> int:
    """How many runs with scores[m, T] are not copies of others, on the topics that all of them have."""
    return different_rows(scores[:, ~np.isnan(scores).any(axis=0)])
