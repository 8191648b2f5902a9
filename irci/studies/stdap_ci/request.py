"""The request of stdap-ci; and the reference systems it asks for: which runs they are, and their means and standard deviations
on each topic."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irci.base.choices import MeanOf, Transform
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import BLANKS, places_by_name, plural, unknown
from irci.base.records import Checked
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats
from irci.data.factors import read_factors
from irci.data.measures import Measure, named
from irci.data.rules import Clusters
from irci.data.scores import Scores
from irci.stats.scales import reference_factors
from irci.stats.tests import different_rows


class StdapCiRequest(Checked):
    """The options by their names."""

    measures: Sequence[Measure] = ()
    per_topic: bool = False
    no_summary: bool = False
    reference: str | None = None
    reference_sample: int | None = None
    factors: str | None = None
    save_factors: str | None = None
    transform: Transform = "z"
    leave_one_out: bool = False
    ddof: int = 1
    type_one: bool = False
    sizes: tuple[int, ...] = (5,)
    trials: int = 1000
    replace: bool = False
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
        given = [name for name in ("reference", "reference_sample", "factors") if getattr(self, name) is not None]
        is_plain = self.transform == "none"
        saves = self.save_factors is not None
        for is_wrong, message in (
            (self.mean is not None and self.clusters is None, "--mean is for --clusters."),
            (
                len(given) > 1 or (given and is_plain and not self.type_one),
                "use one of --reference, --reference-sample and --factors, and none with --transform none.",
            ),
            (self.leave_one_out and saves, "--leave-one-out makes factors for each run: leave out --save-factors."),
            (is_plain and saves, "--transform none makes no factors: leave out --save-factors."),
            (
                self.leave_one_out and (given == ["factors"] or is_plain or self.type_one),
                "--leave-one-out needs reference runs: leave out --factors, --type-one and --transform none.",
            ),
            (
                self.type_one and (self.transform in ("cdf", "ab") or self.reference or self.factors),
                "--type-one takes z scores by all runs or by --reference-sample, or --transform none.",
            ),
        ):
            if is_wrong:
                raise UsageError(message)


# How often 95% limits of z scores miss, of a run outside so many references or more, on topics of TREC collections drawn anew.
MISSED = ((5, "6 to 17%"), (0, "10 to 25%"))
ENOUGH_REFERENCES = 10
FEW_REFERENCES = 5  # fewer have a standard deviation on a topic that says little
FEWEST_OWN = 3  # of two runs each is as far from their mean as the other, on every topic
Factors = dict[str, tuple[Floats, Floats]]  # of each measure the mean and sd of each topic


def reference_runs(request: StdapCiRequest, table: Scores) -> list[int]:
    """The reference runs' places, by name, so that the order of runs makes no difference, not even in the last bit."""
    order = places_by_name(table.runs)
    if request.reference is not None:
        names = [name.strip(BLANKS) for name in request.reference.split(",")]
        if strangers := [name for name in names if name not in table.runs]:
            raise DataError(unknown("run", strangers[0], table.runs))
        return [run for run in order if table.runs[run] in names]
    if request.reference_sample is not None:
        if request.reference_sample > len(table.runs):
            raise DataError(f"--reference-sample {request.reference_sample}: there are only {len(table.runs)} runs")
        rng = np.random.default_rng(int(seed_word(request.seed, Purpose.REFERENCES)))
        chosen = rng.choice(len(order), request.reference_sample, replace=False)
        return [order[place] for place in sorted(chosen.tolist())]
    return order


def factors_of(request: StdapCiRequest, table: Scores, reference: list[int]) -> Factors:
    """The factors of each measure, of the reference runs or read from a file; none where scores stay as they are."""
    if request.transform == "none":
        return {}
    if request.factors is not None:
        read = read_factors(request.factors, table.topics)
        canonical = {name: named(name).canonical for name in table.values}
        if lacking := [name for name in table.values if canonical[name] not in read]:
            raise DataError(f"{request.factors}: no factors of {', '.join(lacking)}")
        return {name: read[canonical[name]] for name in table.values}
    if len(reference) < 2 + request.leave_one_out:
        raise DataError("standardisation needs at least two reference runs")
    return {name: reference_factors(values[reference], request.ddof) for name, values in table.values.items()}


def check_references(measure: str, scores: Floats, reference: list[int], request: StdapCiRequest) -> None:
    """Refuse few of the runs with scores[m, T] as references of themselves, if any are shown so; warn of few references."""
    shows_any = request.per_topic or not request.no_summary
    if len(reference) == len(scores) and not request.leave_one_out and shows_any:
        refuse_few_own(measure, scores)
    different = _different(scores[reference]) - request.leave_one_out
    few = f"{measure}: only {plural(different, 'different reference run')}"
    is_outside = shows_any and (len(reference) < len(scores) or request.leave_one_out)
    if request.transform == "z" and is_outside and different < ENOUGH_REFERENCES:
        missed = next(share for least, share in MISSED if different >= least)
        logger.warning(
            f"{few}: limits of z scores of a run that is not one of them miss in {missed} of samples where 5% is due"
            " (1 to 7% by --transform cdf)"
        )
    elif different < FEW_REFERENCES:
        logger.warning(f"{few}: standardised scores depend strongly on which these are")


def refuse_few_own(measure: str, scores: Floats) -> None:
    """DataError of fewer than three different runs by whose scores[m, T] they are standardised themselves."""
    if (different := _different(scores)) < FEWEST_OWN:
        raise DataError(
            f"{measure}: only {plural(different, 'different run')}: standardised by themselves, {FEWEST_OWN} are needed"
        )


def _different(scores: Floats) -> int:
    """How many of the runs with scores[m, T] are not copies of others, on the topics that all of them have."""
    return different_rows(scores[:, ~np.isnan(scores).any(axis=0)])
