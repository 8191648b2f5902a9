"""swap-error: how often an experiment of this size puts two systems in the wrong order.

Sets are made of units: topics, or clusters of topics; or of versions of each topic's query. Rates of error are over such sets,
or from counts in a file; swap rates are between two sets; discriminative power is that of a bootstrap test.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError, UsageError, file_name, plural, raw
from irci.base.types import Floats, Ints
from irci.comparison.means import sources_of
from irci.data.inputs import ONLY_QRELS, Inputs, where
from irci.data.rules import Counts, grouped_topics, read_counts
from irci.data.score_tables import scores_of
from irci.data.versions import scores_on_versions
from irci.estimators import swap_error as estimator
from irci.options.asked import Asked
from irci.options.rows import check
from irci.output.report import Report
from irci.output.tables import Row, Signature, Table, rows_of, tables
from irci.stats.groups import group_means, group_sums
from irci.stats.tests import different_rows
from irci.wording import notify, plain, say, warn_of_few_groups, warn_of_topics

SIZES = (5, 10, 15, 20, 25, 30, 40, 50)
SMALLEST = 5  # topics in a set of a swap; clusters or collections too, if that leaves sizes enough for a curve
OFTEN = 0.1  # rates that a share says better than one in so many
ENOUGH_RUNS = 40  # for a difference needed: simulated, it was too small in 23 to 40% below, in 17 to 18% with these
RANDOM_ABOVE = 0.25  # error rates, says the paper, are chance's above


class SetUnits(NamedTuple):
    """Units that sets are made of, each drawn as a whole; a mean over a set is a sum of totals divided by that of weights."""

    word: str  # topic or cluster
    runs: Sequence[str]
    totals: Mapping[str, Floats]  # by measure, float64[runs, U], or of V versions [runs, U, V]
    weights: Floats  # [U]
    signature: Signature  # what is told of them

    @property
    def label(self) -> Row:
        """The column by which rows tell clusters."""
        return {"units": "clusters"} if self.word == "cluster" else {}

    def in_clusters(self, cluster: Ints, *, are_equal: bool) -> "SetUnits":
        """Clusters int64[T] of topics; a mean weighs topics or, `are_equal`, clusters equally."""
        total, sizes = (group_means, np.ones(cluster.max() + 1)) if are_equal else (group_sums, np.bincount(cluster))
        totals = {measure: total(scores, cluster) for measure, scores in self.totals.items()}
        return self._replace(word="cluster", totals=totals, weights=sizes.astype(np.float64))


def swap_error(request: Asked, inputs: Inputs) -> Report:
    """Report of how often an experiment of this size orders two systems wrongly, by its inputs or by counts made elsewhere."""
    path, *runs = request.files
    if not (runs or request.scores or path in request.memory):
        if (counts := read_counts(path)) is None:
            raise UsageError(ONLY_QRELS.format(path))
        check(request, "counts")
        return rates_of_file(request, path, counts)
    procedures = {"error-rate": _rates, "swap": _swaps, "discriminative-power": _powers}
    units = (_units_of if request.versions is None else _versions_of)(inputs)
    report = procedures[request.procedure](inputs, units)
    signature = {"command": "swap-error", "procedure": request.procedure, **report.signature, **units.signature}
    signature |= inputs.signature()
    return report._replace(signature=signature, sources=sources_of("sets", [request.procedure, f"{units.word}s"]))


def _versions_of(request: Inputs) -> SetUnits:
    """The topics, with the scores of all runs on versions of each."""
    table = scores_on_versions(request)
    if "matrix" in request.tables and table.labels is None:
        raise DataError("--table matrix needs the same versions of every topic")
    cubes = {measure: scores.swapaxes(0, 1) for measure, (scores,) in table.splits.items()}
    systems, topics, versions = next(iter(cubes.values())).shape
    numbers = {"num_systems": systems, "num_topics": topics, "num_versions": versions}
    return SetUnits("topic", table.runs, cubes, np.ones(topics), {"versions": request.versions.given, **numbers})


def _units_of(request: Inputs) -> SetUnits:
    """The units, with the scores of all runs, by name, on the topics that all of them have."""
    (table,), _ = scores_of(request, request.measures)
    if request.clusters is not None and request.topics is None:
        request.clusters.warn_of_others(table.topics)
    lacking = np.any([np.isnan(scores).any(axis=0) for scores in table.values.values()], axis=0)
    warn_of_topics("all runs", "that some run lacks, dropped", where(table.topics, lacking))
    topics, runs = where(table.topics, ~lacking), sorted(table.runs, key=raw)
    if len(runs) < 2 or len(topics) < 2:
        raise DataError("needs at least two runs that share two topics")
    values = {name: scores[:, ~lacking] for name, scores in table.only(runs).values.items()}
    signature: dict[str, Any] = {"num_runs": len(runs), "num_topics": len(topics), "standardise": request.standardise}
    units = SetUnits("topic", runs, values, np.ones(len(topics)), signature)
    if request.clusters is None:
        return units
    cluster = grouped_topics(request.clusters, "cluster", topics, are_all=False).place
    if not cluster.any():
        raise DataError(f"{request.clusters.given}: one cluster: nothing can be drawn")
    number = int(cluster.max()) + 1
    warn_of_few_groups(number, "cluster", "what sets of them show is a rough guide to other clusters")
    signature |= {"clusters": request.clusters.given, "mean": request.mean or "topics", "units": "clusters"}
    signature["num_clusters"] = number
    return units.in_clusters(cluster, are_equal=request.mean == "clusters")


def _pairs(runs: int) -> str:
    """How many pairs of so many runs, none a copy of another, a rate is from."""
    return f"from {plural(math.comb(runs, 2), 'pair')} of runs" if runs > 1 else "the runs have the same scores"


def _warn_of_few_runs(different_runs: Iterable[int]) -> None:
    least = estimator.LEAST_RUNS
    then = f"how often others are ordered wrongly may be quite different ({least} runs are a rough guide)"
    warn_of_few_groups(min(different_runs), "different run", then, least)


# Error rates.


def _rates(request: Inputs, units: SetUnits) -> Report:
    """Rows of error rates by size, of several measures the highest first. Sets are made of versions, topic by topic, or are
    subsets of the units, of which sums stand for means, since a difference is a share of a score."""
    number, has_versions = len(units.weights), request.versions is not None
    designs, most, largest = estimator.DESIGNS, number, number
    settings: dict[str, Any] = {"designs": designs, "trials": request.trials or estimator.TRIALS, "seed": request.seed}
    if not has_versions:  # by default those of which subsets do not overlap much
        settings = {"designs": request.trials or designs, "sets": estimator.SETS, "seed": request.seed}
        most, largest = number - 1, max(1, number // 2)
    usual = [size for size in SIZES if size <= largest]
    usual += [largest] if has_versions or not usual else []
    sizes = sorted(set(request.sizes or usual))
    if sizes[-1] > most:
        raise DataError(f"--sizes {sizes[-1]}: a set of topics can have at most {plural(most, units.word)}")
    if (large := [str(size) for size in sizes if size > number / 2]) and not has_versions:
        notify("subsets_overlap", sizes=", ".join(large), units=plural(number, units.word))
    rates, runs = list[tuple[str, estimator.Rate]](), dict[str, int]()
    for measure, values in units.totals.items():
        if (values < 0).any() and tuple(request.fuzziness) != (0,):
            raise DataError(f"{measure}: a percentage of scores below 0 means nothing: --fuzziness 0")
        runs[measure] = different_rows(values.reshape(len(values), -1))
        own = estimator.error_rates(values, sizes, request.fuzziness, threads=request.threads, **settings)
        rates += [(measure, rate) for rate in own]
    printed, ordered = list[Table](), sorted(rates, key=lambda of: (of[1]["size"], of[1]["fuzziness"], -of[1]["rate"]))
    for measure, group in itertools.groupby(ordered, key=lambda of: of[0]):
        rows = [{**rate, "fuzziness": plain(rate["fuzziness"]), **units.label} for _, rate in group]
        printed += tables("error_rate", measure, rows)
    _warn_of_few_runs(runs.values())
    if chance := sorted({rate["size"] for _, rate in rates if rate["rate"] > RANDOM_ABOVE}):
        notify("error_rates_of_chance", unit=f"{units.word}s", sizes=", ".join(map(str, chance)))
    sentences, remarks = list[str](), [say("swap_error.ties")]
    for measure, rate in ((measure, rate) for measure, rate in rates if rate["size"] == sizes[-1]):
        share = rate["rate"]
        how = "never" if share == 0 else "seldom" if share <= OFTEN else "often"
        facts = {"set": plural(int(rate["size"]), units.word), "measure": measure, "pairs": _pairs(runs[measure])}
        sentences.append(say(f"swap_error.{how}", one_in=1 / share if share else math.inf, **facts, **rate))
    if not has_versions:
        sentences.append(say("swap_error.shared", units=f"{units.word}s"))
        remarks.append(say("swap_error.halves", units=f"{units.word}s"))
    elif "matrix" in request.tables:
        of_sets, sentences, remarks = _matrices(request, units)
        printed += of_sets
    signature = {"fuzziness": " ".join(f"{percent:g}" for percent in request.fuzziness), **settings}
    return Report(printed, signature, explain=lambda: [*sentences, *remarks], conclude=lambda: sentences)


def _matrices(request: Inputs, units: SetUnits) -> tuple[list[Table], list[str], list[str]]:
    """The counts of the sets of versions as they are, and sentences on these."""
    printed, sentences = list[Table](), list[str]()
    levels = zip(request.fuzziness, estimator.thresholds(request.fuzziness).tolist(), strict=True)
    for (measure, values), (percent, threshold) in itertools.product(units.totals.items(), levels):
        pairs, counts = itertools.combinations(units.runs, 2), estimator.counts(values.sum(axis=1), threshold)
        printed += _matrix(measure, dict(zip(pairs, counts.tolist(), strict=True)), fuzziness=plain(percent))
        facts = {"measure": measure, "fuzziness": plain(percent), **row_of_counts(counts)}
        sentences.append(say("swap_error.counts_of", **facts))
    return printed, sentences, []


def rates_of_file(request: Asked, path: str, counts_by_pair: Counts) -> Report:
    """The error rate and the share of ties of the counts in a file, and the counts where they are asked for."""
    name = file_name(path).removesuffix(".csv").removesuffix(".tsv").removeprefix("matrix_")
    row = row_of_counts(np.array([*counts_by_pair.values()]))
    printed = tables("error_rate", name, [row])
    if "matrix" in request.tables:
        printed += _matrix(name, counts_by_pair)
    sentences = (say("swap_error.counts", **row),)
    signature = {"command": "swap-error", "procedure": "error-rate"}
    # No picture: counts have neither sizes nor fuzziness.
    return Report(printed, signature, lambda: sentences, drawn=tuple, sources=sources_of("sets", ["error-rate"]))


def row_of_counts(counts: Ints) -> dict[str, int | float]:
    """Row of what counts[P, 3] better, worse, equal come to: an error is a set that orders a pair as the fewer do."""
    errors, ties, comparisons = int(counts[:, :2].min(axis=1).sum()), int(counts[:, 2].sum()), int(counts.sum())
    return {"rate": errors / comparisons, "ties": ties / comparisons, "comparisons": comparisons}


def _matrix(measure: str, counts_by_pair: Counts, **further: float) -> list[Table]:
    return tables("matrix", measure, (
        {"run": run, "baseline": baseline, "better": better, "worse": worse, "ties": equal, **further}
        for (run, baseline), (better, worse, equal) in counts_by_pair.items()
    ))  # fmt: skip


# Swaps.


def _swaps(request: Inputs, units: SetUnits) -> Report:
    """Rates by difference, as measured and as fitted, and the difference that is needed."""
    number = len(units.weights)
    settings: dict[str, Any] = {"trials": request.trials or 50, "seed": request.seed, "published": request.published}
    most = number // 2
    first = min(SMALLEST, most) if units.word == "topic" or most - SMALLEST + 1 >= estimator.LEAST_SIZES else 1
    requested = sorted(request.sizes or (most, number, 2 * number))
    sizes = sorted({*range(first, most + 1), *(size for size in requested if size <= most)})
    rates_by_measure = {
        measure: estimator.swaps(totals, sizes, **settings, weights=units.weights, threads=request.threads)
        for measure, totals in units.totals.items()
    }
    _warn_of_curves([*rates_by_measure.values()], sizes)
    printed, drawn, sentences = list[Table](), list[Table](), list[str]()
    for measure, rates in rates_by_measure.items():
        printed_sizes = requested
        if rates.has_curves:
            needed = [rates.needed(size, request.max_rate) for size in requested]
            printed += tables("needed", measure, rows_of(
                size=requested, difference=[difference for difference, _ in needed], rate=request.max_rate,
                extrapolated=[fitted_on is not None for _, fitted_on in needed], **units.label,
            ))  # fmt: skip
        else:  # those drawn, or the largest of them
            printed_sizes = [size for size in requested if size in sizes] or sizes[-1:]
        rows_by_size = {size: rows_of(**rates.at(size), **units.label) for size in {*sizes, *printed_sizes}}
        printed += tables("swap", measure, itertools.chain(*(rows_by_size[size] for size in printed_sizes)))
        drawn += tables("swap", measure, itertools.chain(*(rows_by_size[size] for size in sizes)))
        for size in printed_sizes:
            sentences += _sentences_on_swaps(measure, rates, size, request, units.word)
    signature: Signature = {**settings, "sizes": " ".join(map(str, sizes))}
    return Report(printed, signature, lambda: sentences, drawn=lambda: drawn)


def _warn_of_curves(rates_by_measure: Sequence[estimator.Swaps], sizes: Sequence[int]) -> None:
    """Say why there are none, or what few runs mean for the differences needed that they name."""
    without = [rates.runs for rates in rates_by_measure if not rates.has_curves]
    if without and min(without) < estimator.LEAST_RUNS:
        why = f"they take {estimator.LEAST_RUNS} different runs, not {min(without)}"
        notify("lacking", measure="swap rates", what="curves and no estimate of the difference needed", who="", why=why)
    elif without and len(sizes) < estimator.LEAST_SIZES:
        why = f"they take {estimator.LEAST_SIZES} sizes of sets, not {len(sizes)}"
        notify("lacking", measure="swap rates", what="curves", who="", why=why)
    runs = min((rates.runs for rates in rates_by_measure if rates.has_curves), default=ENOUGH_RUNS)
    then = "the difference named is too small in a quarter to two fifths of such experiments"
    warn_of_few_groups(runs, "different run", f"{then} ({ENOUGH_RUNS} runs are a rough guide)", ENOUGH_RUNS)


def _sentences_on_swaps(measure: str, rates: estimator.Swaps, size: int, request: Inputs, unit: str) -> Iterator[str]:
    facts: dict[str, Any] = {"set": plural(size, unit), "measure": measure, "max_rate": 100 * request.max_rate}
    comparisons, swapped = rates.counts_of(size)
    if comparisons.any():  # else all differences are beyond all bins, or none was drawn
        name = "contradicted_of_few" if rates.runs < estimator.LEAST_RUNS else "contradicted_without_curve"
        facts["rate"], facts["pairs"] = swapped.sum() / comparisons.sum(), _pairs(rates.runs)
        yield say("swap_error.contradicted" if rates.has_curves else f"swap_error.{name}", **facts)
    if not rates.has_curves:
        return
    needed, beyond = rates.needed(size, request.max_rate)
    sentence = say("swap_error.no_difference" if math.isnan(needed) else "swap_error.needed", needed=needed, **facts)
    if left_out := rates.left_out(size, needed):
        sentence += say("swap_error.left_out", bins=left_out)
    if beyond is not None:
        sentence += say("swap_error.extrapolated", least=beyond[0], most=plural(beyond[1], unit))
    yield f"{sentence}."


# Discriminative power.


def _powers(request: Inputs, units: SetUnits) -> Report:
    """For each level the share of pairs and the difference required, or each pair's achieved level."""
    resamples = 1000 if request.resamples is None else request.resamples
    alphas = request.alphas or (0.01, 0.05, 0.1)
    if low := [alpha for alpha in alphas if not 1 / resamples <= alpha < 1]:
        raise UsageError(f"--alpha {low[0]:g} with {resamples} resamples: it must be between 1/B and 1.")
    first, second = map(list, zip(*itertools.combinations(units.runs, 2), strict=True))
    _warn_of_few_runs(different_rows(totals) for totals in units.totals.values())
    printed, drawn, sentences = list[Table](), list[Table](), list[str]()
    for measure, totals in units.totals.items():
        asl, difference, required = estimator.discriminative_power(
            totals, alphas, resamples, request.seed, weights=units.weights
        )
        share = (asl[:, np.newaxis] < alphas).mean(axis=0)
        rows = rows_of(alpha=[*alphas], share=share, difference=required, pairs=len(first), **units.label)
        printed += tables("discriminative_power", measure, rows)
        levels = rows_of(p=asl, difference=difference, run=first, baseline=second, **units.label)
        drawn += tables("level", measure, [levels[pair] for pair in np.argsort(-asl, kind="stable").tolist()])
        for alpha, share_at, least in zip(alphas, share, required, strict=True):
            sentences.append(say("swap_error.power", alpha=alpha, share=share_at, pairs=len(first), measure=measure))
            sentences.append(say("swap_error.required", required=least))
            # No promise, so that how it does on these pairs is counted.
            large = np.abs(difference) >= least
            missed = int((large & (asl >= alpha)).sum())
            name = "missed" if large.any() else "none_required"
            sentences.append(say(f"swap_error.{name}", pairs=int(large.sum()), missed=missed or "none"))
    return Report(
        [*printed, *(drawn if "level" in request.tables else ())],
        {"alphas": " ".join(map(str, alphas)), "resamples": resamples, "seed": request.seed},
        explain=lambda: sentences,
        drawn=lambda: drawn,
    )
