"""Judgments of unjudged documents: between which bounds do means and differences lie, whatever grades these have?"""

import numpy as np

from irci.base.choices import JUDGMENTS
from irci.base.types import Bools, Floats
from irci.data.experiment import Experiment, ExperimentRun
from irci.data.measures import Measure
from irci.methods.compare.means import Design, Tested
from irci.methods.unjudged.bounds import RBP
from irci.output.tables import NO_WORD, Row
from irci.stats.estimates import Estimates
from irci.stats.intervals import Interval
from irci.stats.scales import mean_over_topics
from irci.studies.compare.bounds.pairs import compared, refuse_pooled
from irci.studies.compare.bounds.runs import BoundsOfRuns, check_measures, mean_bounds
from irci.studies.compare.bounds.study import begin, warn_of_no_bounds
from irci.studies.compare.family import Family, Source
from irci.studies.compare.request import Request
from irci.studies.wording import amount, number


class Judgments(Source):
    """Bounds, which have no error, p or units: worst cases, no confidence limits."""

    name = over = counted = JUDGMENTS
    lead = "Whatever grades unjudged documents have"
    explains = "Rows for judgments are bounds, worst cases over all grades of unjudged documents: no confidence limits."
    before = ()
    label = "for any grades of unjudged documents"
    varies = "the grades of unjudged documents vary: bounds are the least and the greatest value over all of them, worst cases"
    stays = "The judgments there are, the topics and the runs"
    tells_verdicts = has_test_column = units_alone = False

    def __init__(self, request: Request, experiment: Experiment, measures: list[Measure]) -> None:
        """`experiment`: whose runs are to be added."""
        check_measures(request, measures, experiment.inputs)
        self.asked, self.measures, self.experiment = request, measures, experiment
        self.highest = begin(self.asked, experiment, measures)
        self.bounds = BoundsOfRuns(self.asked, experiment, measures)

    def add(self, run: ExperimentRun) -> None:
        """Find one run's bounds."""
        self.bounds.add(run)

    def warn(self) -> None:
        """Say what has no bounds, and which topics may score."""
        self.bounds.warn_of_no_relevant()
        warn_of_no_bounds(self.measures, self.experiment.inputs, self.highest)

    def means(self, alone: Family) -> Tested:
        measure, scale = alone.measure, alone.request.scale(alone.measure)
        found = np.array([mean_bounds(measure, run, self.asked) for run in self.bounds.found])
        value, lower, upper = (scale.forward(column) for column in found[:, :3].T)
        kinds = np.array([run.bounds[measure.name].kind or NO_WORD for run in self.bounds.found])
        columns = {"judged": found[:, 3], "bounds": kinds}
        if any(each.family.name in RBP for each in self.measures):  # a column of all measures or none
            columns["residual"] = np.where(measure.family.name in RBP, found[:, 2] - found[:, 0], np.nan)
        return _bounded(value, (lower, upper), columns)

    def tested(self, family: Family) -> Tested:
        refuse_pooled(family.comparison)
        found = compared(
            self.asked._replace(per_topic=False), family.scored.topics, self.bounds.found, family.measure,
            self.experiment.inputs.relevance_level, self.highest, family.progress, family.comparison,
        )  # fmt: skip
        knows = found.kind in ("exact", "outer")
        signs = [("sure" if is_sure else "open") if knows else NO_WORD for is_sure in found.is_sure]
        columns = {"sign": np.array(signs), "bounds": np.full(len(signs), found.kind or NO_WORD)}
        return _bounded(found.value, (found.lower, found.upper), columns)

    def has_unjudged(self, family: Family) -> Bools:
        """bool[P]: on a topic that both runs of a pair have, either has an unjudged document that counts, or ranks that do
        below the end of its list."""
        runs, name = self.bounds.found, family.measure.name
        if family.measure.family.name in RBP:
            return np.ones(len(family.pairs), np.bool_)
        unjudged = np.array([np.diff(run.sides[name].unknown.offsets) > 0 for run in runs])
        kept = np.array([run.kept for run in runs])
        found = [(unjudged[pair].any(axis=0) & kept[pair].all(axis=0)).any() for pair in family.pairs]
        return np.array(found, np.bool_)

    def sentence(self, row: Row) -> str:
        who = f"the difference of {row['run']} minus {row['baseline']} in {str(row['measure']).removesuffix('_diff')}"
        if row["bounds"] == NO_WORD:
            return f"No bounds over judgments are known for {who}."
        lead = "If these have grade 0 or the highest alone" if row["bounds"] == "two-grade" else self.lead
        sign = {"sure": ", so its sign is sure", "open": ", so its sign is open"}.get(str(row["sign"]), "")
        lower, upper = number(row, "lower"), number(row, "upper")
        if lower == upper:
            return f"{lead}, {who} is {amount(lower)}: no document that counts is unjudged."
        return f"{lead}, {who} lies between {amount(lower)} and {amount(upper)}{sign}."

    def kind_of_limits(self, design: Design) -> str:
        return NO_WORD

    def limits(self, family: Family, tested: Tested, confidence: float) -> Interval:
        return np.full(len(family.pairs), np.nan), np.full(len(family.pairs), np.nan)

    def at_once(self, family: Family, tested: Tested) -> tuple[Floats, Interval | None]:
        nothing = np.full(len(family.pairs), np.nan)
        return nothing, (nothing, nothing)

    def run_means(self, family: Family, runs: int) -> Floats:
        return mean_over_topics(family.values[:runs, family.common].T)


def _bounded(value: Floats, limits: Interval, columns: dict[str, np.ndarray]) -> Tested:
    nothing = np.full(len(value), np.nan)
    return Tested(Estimates(value, nothing, nothing, np.zeros(len(value), np.int64), columns), limits, nothing, [])
