"""The request of swap-error; and the units that topic sets are made of: single topics, all topics of a cluster together, or
collections; with scores on them."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from irci.base.choices import MeanOf, Procedure
from irci.base.errors import DataError, UsageError, logger
from irci.base.names import places_by_name, plural
from irci.base.records import Checked, Record
from irci.base.types import Floats, Ints
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_topics
from irci.data.rules import Clusters
from irci.data.score_tables import joined, scores_by_collection
from irci.data.scores import Scores
from irci.data.versions import Versions
from irci.estimators.swap_error import error_rate, swap
from irci.measures import Measure
from irci.output.tables import Row
from irci.stats.estimates import group_means, group_sums


def from_pairs(runs: int) -> str:
    """How many pairs of so many runs, none a copy of another, a rate is from."""
    return f"from {plural(math.comb(runs, 2), 'pair')} of runs" if runs > 1 else "the runs have the same scores"


def warn_of_few_runs(runs: Iterable[int]) -> None:
    """Say that what so few runs show is no guide to others; `runs`: how many differ by each measure."""
    fewest = min(runs)
    if fewest < swap.LEAST_RUNS:
        logger.warning(
            f"only {plural(fewest, 'different run')}: how often others are ordered wrongly can be quite another number"
            f" ({swap.LEAST_RUNS} runs, {math.comb(swap.LEAST_RUNS, 2)} pairs, are a rough guide)"
        )


class SwapErrorRequest(Checked):
    """The options by their names. None: as many `trials`, such `sizes`, as the procedure has by default.

    counts_pairs: rows tell how often which of a pair is better, for the query sets as they are
    lists_levels: rows tell the level of each pair
    published: as the papers do it, a difference is a share of the smaller score, and an exponential extrapolates swap rates
    """

    procedure: Procedure = "error-rate"
    measures: Sequence[Measure] = ()
    fuzziness: tuple[float, ...] = (5,)
    sizes: tuple[int, ...] | None = None
    versions: Versions | None = None
    clusters: Clusters | None = None
    mean: MeanOf | None = None
    counts_pairs: bool = False
    lists_levels: bool = False
    trials: int | None = None
    max_rate: float = 0.05
    alphas: tuple[float, ...] | None = None
    resamples: int | None = None
    seed: int = 1
    published: bool = False

    def refuse_contradictions(self) -> None:
        for is_wrong, message in (
            (self.clusters is not None and self.versions is not None, "--clusters and --versions do not go together."),
            (self.mean is not None and self.clusters is None, "--mean is for --clusters."),
        ):
            if is_wrong:
                raise UsageError(message)
        resamples = self.resamples_or(1000)
        low = [alpha for alpha in self.levels if not 1 / resamples <= alpha < 1]
        if self.procedure == "discriminative-power" and low:
            raise UsageError(f"--alpha {low[0]:g} with {resamples} resamples: it must be between 1/B and 1.")

    def of_clusters(self) -> dict[str, str]:
        return {} if self.clusters is None else {"clusters": self.clusters.given, "mean": self.mean or "topics"}

    @property
    def levels(self) -> tuple[float, ...]:
        return self.alphas or (0.01, 0.05, 0.1)

    def resamples_or(self, default: int) -> int:
        return default if self.resamples is None else self.resamples

    def of_error_rates(self) -> error_rate.QuerySetDesign:
        design = error_rate.QuerySetDesign(self.fuzziness, seed=self.seed, published=self.published)
        if self.trials is None:
            return design
        return design._replace(**{"designs" if self.versions is None else "trials": self.trials})

    def of_swaps(self) -> swap.SwapTrials:
        return swap.SwapTrials(self.trials or 50, self.seed, self.published)

    def sizes_up_to(self, most: int, default: Sequence[int], unit: str = "topic") -> list[int]:
        """The sizes of topic sets, ascending; of the default those there are topics (or other units) for."""
        sizes = sorted(set(self.sizes or [size for size in default if size <= most]))
        if sizes[-1] > most:
            raise DataError(f"--sizes {sizes[-1]}: a topic set can have at most {plural(most, unit)}")
        return sizes


class DrawnUnits(Record):
    """U units, each drawn as a whole; `word`: what one of them is called. `topics`: how many topics they have together.

    `totals`: of each measure float64[runs, U]. A mean over a set is the sum of its units' totals, divided by that of their
    `weights` float64[U].
    """

    word: str
    totals: Mapping[str, Floats]
    weights: Floats
    topics: int

    @classmethod
    def of(cls, table: Scores, clusters: Clusters | None, *, alike: bool) -> "DrawnUnits":
        """Topics, or clusters of them; raises DataError if there is but one."""
        if clusters is None:
            return cls("topic", table.values, np.ones(len(table.topics)), len(table.topics))
        place = clusters.of_topics(table.topics).place
        if not place.any():
            raise DataError(f"{clusters.given}: one cluster: nothing can be drawn")
        return cls.of_groups("cluster", table.values, place, alike=alike)

    @classmethod
    def of_groups(cls, word: str, values: Mapping[str, Floats], place: Ints, *, alike: bool) -> "DrawnUnits":
        """Groups place[T] of the topics of values[runs, T]: a mean weighs topics alike, or groups if `alike`."""
        total, sizes = (group_means, np.ones(place.max() + 1)) if alike else (group_sums, np.bincount(place))
        totals = {measure: total(scores, place) for measure, scores in values.items()}
        return cls(word, totals, sizes.astype(np.float64), len(place))

    def __len__(self) -> int:
        return len(self.weights)

    def columns(self) -> Row:
        return {} if self.word == "topic" else {"units": f"{self.word}s"}

    def signature(self) -> dict[str, str | int]:
        return {} if self.word == "topic" else {"units": f"{self.word}s", f"num_{self.word}s": len(self)}


def common_scores(request: SwapErrorRequest, inputs: Inputs) -> tuple[DrawnUnits, list[str], dict[str, str]]:
    """The units that sets are made of, with the scores of all runs, by name, on the topics that all of them have; the runs'
    names; and what --save-scores writes."""
    tables, files = scores_by_collection(inputs, request.measures)
    if len(tables) > 1:
        if request.clusters is not None:
            raise UsageError(
                "--clusters are of the topics of one collection; of several, sets are made of collections."
            )
        found = joined([_of_all_runs(table, f"collection {table.collection}") for table in tables])
        if len(found.runs) < 2:
            raise DataError("needs at least two runs in all collections")
        return DrawnUnits.of_groups("collection", found.values, found.place, alike=True), found.runs, files
    if request.clusters is not None and inputs.topics is None:
        request.clusters.warn_of_others(tables[0].topics)
    table = _of_all_runs(tables[0], "all runs")
    order = places_by_name(table.runs)
    if len(order) < 2 or len(table.topics) < 2:
        raise DataError("needs at least two runs that share two topics")
    table = table._replace(values={measure: values[order] for measure, values in table.values.items()})
    units = DrawnUnits.of(table, request.clusters, alike=request.mean == "clusters")
    return units, [table.runs[place] for place in order], files


def _of_all_runs(table: Scores, name: str) -> Scores:
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    warn_of_topics(name, "that some run lacks, dropped", where(table.topics, lacking))
    values = {measure: each[:, ~lacking] for measure, each in table.values.items()}
    return table._replace(topics=where(table.topics, ~lacking), values=values)


def pair_names(systems: Sequence[str]) -> list[str]:
    """Every two systems, A/B."""
    return [f"{first}/{second}" for first, second in itertools.combinations(systems, 2)]


def refuse_negative(measure: str, values: Floats, fuzziness: Sequence[float]) -> None:
    """Refuse scores below 0 where differences are told in percent."""
    if (values < 0).any() and tuple(fuzziness) != (0,):
        raise DataError(f"{measure}: a percentage of scores below 0 means nothing: --fuzziness 0")
