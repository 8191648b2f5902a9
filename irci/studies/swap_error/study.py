"""swap-error: from request and inputs to a report.

Discriminative power: the share of pairs that a bootstrap test tells apart. Error rates: over topic subsets, over versions of
each topic's query, or from counts that somebody else has made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from irci.base.errors import DataError, logger
from irci.base.names import file_name, plural
from irci.base.types import Floats, Ints
from irci.compare.sources_in_words import SETS, among
from irci.compare.wording import plain
from irci.data.about_runs import Counts
from irci.data.inputs import Inputs
from irci.data.notices import warn_of_few_groups
from irci.data.version_scores import cube_of
from irci.data.versions import Cube
from irci.estimators.swap_error.discriminative_power import PowerOfTests, discriminative_power
from irci.estimators.swap_error.error_rate import Rate, counts, error_rates_over_topics, error_rates_over_versions
from irci.output.kinds import Kind
from irci.output.report import Report
from irci.output.tables import Row, Table, tables
from irci.stats.tests import different_rows
from irci.studies.swap_error.request import (
    DrawnUnits,
    SwapErrorRequest,
    common_scores,
    from_pairs,
    pair_names,
    refuse_negative,
    warn_of_few_runs,
)
from irci.studies.swap_error.swaps import swaps_over_units


def swap_error(request: SwapErrorRequest, inputs: Inputs) -> Report:
    """Report of how often an experiment of this size orders two systems wrongly."""
    request.refuse_contradictions()
    if request.versions is not None:
        cube = cube_of(inputs, request.measures, request.versions, request.seed)
        return _signed(rates_over_versions(request, cube, inputs.threads), request, inputs)
    units, runs, files = common_scores(request, inputs)
    if units.word != "topic":
        warn_of_few_groups(len(units), units.word, f"what sets of them show is a rough guide to other {units.word}s")
    if request.procedure == "error-rate":
        report = rates_over_units(request, units, inputs.threads)
    elif request.procedure == "swap":
        report = swaps_over_units(request, units, inputs.threads, inputs.progress)
    else:
        report = powers(request, units, runs)
    counted = {"num_runs": len(runs), "num_topics": units.topics, "standardise": inputs.standardise}
    of_units = request.of_clusters() | units.signature()
    return _signed(report._replace(files=files), request, inputs, **counted, **of_units)


def _signed(report: Report, request: SwapErrorRequest, inputs: Inputs, **counted: Any) -> Report:
    signature = {"command": "swap-error", "procedure": request.procedure, **report.signature, **counted}
    sources = among(SETS, [request.procedure, counted.get("units")])
    return report._replace(signature=signature | inputs.signature(), sources=sources)


def powers(request: SwapErrorRequest, units: DrawnUnits, runs: Sequence[str]) -> Report:
    """For each level the share of pairs and the difference required, or each pair's achieved level."""
    pairs, resamples = pair_names(runs), request.resamples_or(1000)
    power_by_measure = {
        measure: discriminative_power(totals, request.levels, resamples, request.seed, weights=units.weights)
        for measure, totals in units.totals.items()
    }
    warn_of_few_runs(different_rows(totals) for totals in units.totals.values())

    def shown(kind: Kind, rows_of: Callable[[PowerOfTests], Iterable[Row]]) -> list[Table]:
        return [
            table
            for measure, power in power_by_measure.items()
            for table in tables(kind, measure, ({**row, **units.columns()} for row in rows_of(power)))
        ]

    def drawn() -> list[Table]:
        return shown("level", lambda power: _rows_of_levels(power, pairs))

    return Report(
        tables=[*shown("discriminative_power", _rows), *(drawn() if request.lists_levels else ())],
        signature={"alphas": " ".join(map(str, request.levels)), "resamples": resamples, "seed": request.seed},
        explain=lambda: (
            sentence for measure, power in power_by_measure.items() for sentence in _sentences(measure, power)
        ),
        drawn=drawn,
    )


def _rows(power: PowerOfTests) -> Iterator[Row]:
    shares, differences = power.shares().tolist(), power.differences().tolist()
    for alpha, share, difference in zip(power.alphas, shares, differences, strict=True):
        yield {"alpha": alpha, "share": share, "difference": difference, "pairs": len(power.asl)}


def _rows_of_levels(power: PowerOfTests, pairs: Sequence[str]) -> Iterator[Row]:
    for rank, place in enumerate(np.argsort(-power.asl, kind="stable").tolist(), 1):
        yield {
            "rank": rank, "asl": float(power.asl[place]), "difference": float(power.difference[place]),
            "pair": pairs[place],
        }  # fmt: skip


def _sentences(measure: str, power: PowerOfTests) -> Iterator[str]:
    """Say what share of pairs differs, and what Sakai's estimate is: no promise, so how it did on these pairs is counted."""
    for alpha, row, required in zip(power.alphas, _rows(power), power.differences(), strict=True):
        at_least = np.abs(power.difference) >= required
        missed = int((at_least & (power.asl >= alpha)).sum())
        yield f"At level {alpha:g}, {row['share']:.1%} of {plural(len(power.asl), 'pair')} differ significantly in {measure}."
        yield f"The difference required is estimated as {required:.4f}, the largest resampled one of any pair at that level."
        if at_least.any():
            pairs = plural(int(at_least.sum()), "pair")
            yield f"Of {pairs} that differ by at least that much, the test misses {missed or 'none'}."
        else:
            yield "No pair differs by that much."


SIZES = (5, 10, 15, 20, 25, 30, 40, 50)
OFTEN = 0.1  # rates that a share says better than one in so many
RANDOM_ABOVE = 0.25  # error rates, says the paper, are chance's above

Rates = dict[str, list[Rate]]  # of each measure


def rates_over_versions(request: SwapErrorRequest, cube: Cube, threads: int) -> Report:
    """Query sets are made of versions, topic by topic."""
    if request.counts_pairs and not cube.alike:
        raise DataError("--table matrix needs the same versions of every topic")
    topics, of_method = len(cube.topics), request.of_error_rates()
    sizes = request.sizes_up_to(topics, (*SIZES, topics))
    rates, pairs = {}, {}
    counted: list[Table] = []
    for measure, values in cube.values.items():
        refuse_negative(measure, values, request.fuzziness)
        if request.counts_pairs:
            counted += tables("matrix", measure, _rows_of_matrix(values, request))
        pairs[measure] = different_rows(np.nan_to_num(values).reshape(-1, len(cube.systems)).T)
        rates[measure] = list(error_rates_over_versions(values, sizes, of_method, threads))
    signature = {
        **{name: value for name, value in of_method.signature().items() if name != "sets"},
        "versions": request.versions.given if request.versions else None, "num_systems": len(cube.systems),
        "num_topics": topics, "num_versions": int(next(iter(cube.values.values())).shape[1]),
    }  # fmt: skip
    report = report_of_rates(rates, pairs, request)
    return report._replace(tables=[*report.tables, *counted], signature=signature)


def rates_over_units(request: SwapErrorRequest, units: DrawnUnits, threads: int) -> Report:
    """Query sets are subsets of the topics, or of clusters of them.

    Of the sums over a set: each system's mean is that, divided by the same number, and a difference is a share of a score.
    """
    of_method = request.of_error_rates()
    sizes = _sizes_of_subsets(request, units)
    rates, pairs = {}, {}
    for measure, totals in units.totals.items():
        refuse_negative(measure, totals, request.fuzziness)
        pairs[measure] = different_rows(totals)
        rates[measure] = list(error_rates_over_topics(totals, sizes, of_method, threads))
    signature = {name: value for name, value in of_method.signature().items() if name != "trials"}
    return report_of_rates(rates, pairs, request, units)._replace(signature=signature)


def _sizes_of_subsets(request: SwapErrorRequest, units: DrawnUnits) -> list[int]:
    """Those asked for, or those for which subsets do not overlap much; a warning of those that do."""
    topics = len(units)
    default = tuple(size for size in SIZES if size <= topics // 2) or (max(1, topics // 2),)
    sizes = request.sizes_up_to(topics - 1, default, units.word)
    if sizes[-1] > topics / 2:
        named = ", ".join(str(size) for size in sizes if size > topics / 2)
        logger.warning(
            f"subsets of {named} out of {plural(topics, units.word)} overlap so much that their error rates are too small"
        )
    return sizes


def _rows_of_matrix(values: Floats, request: SwapErrorRequest) -> Iterator[Row]:
    """Sum up the query sets as they are, of scores[topics, versions, systems]: a row a fuzziness."""
    thresholds = request.of_error_rates().thresholds().tolist()
    for percent, threshold in zip(request.fuzziness, thresholds, strict=True):
        triples = counts(values.sum(axis=0).T, threshold, of_smaller=request.published)
        yield {**row_of_counts(triples), "fuzziness": plain(percent)}


def report_of_rates(
    rates: Rates, runs: Mapping[str, int], request: SwapErrorRequest, units: DrawnUnits | None = None
) -> Report:
    """Rows of error rates by size, of several measures the highest first; `runs`: how many of each measure differ."""
    word, columns = ("topic", {}) if units is None else (units.word, units.columns())
    by_size = sorted(
        ((measure, rate) for measure, of_measure in rates.items() for rate in of_measure),
        key=lambda item: (item[1].size, item[1].fuzziness, -item[1].rate),
    )
    shown: list[Table] = []
    for measure, group in groupby(by_size, key=lambda item: item[0]):
        rows = [
            {
                "size": rate.size, "rate": rate.rate, "sd": rate.sd, "ties": rate.ties,
                "fuzziness": plain(rate.fuzziness), "sets": rate.sets, "draws": rate.draws, **columns,
            }
            for _, rate in group
        ]  # fmt: skip
        shown += tables("error_rate", measure, rows)
    warn_of_few_runs(runs.values())
    chance = sorted({rate.size for of_measure in rates.values() for rate in of_measure if rate.rate > RANDOM_ABOVE})
    if chance:
        logger.warning(f"error rates above 25% ({word}s: {', '.join(map(str, chance))}) are mostly chance")
    sentences = [
        _sentence(measure, rate, runs[measure], word)
        for measure, of_measure in rates.items()
        for rate in of_measure
        if rate.size == by_size[-1][1].size
    ]
    whole = "smaller" if request.published else "larger"
    remark = f"Ties are differences below the fuzziness, a percentage of the {whole} score."
    return Report(shown, {}, explain=lambda: [*sentences, remark], conclude=lambda: sentences)


def _sentence(measure: str, rate: Rate, runs: int, word: str) -> str:
    """An error rate as one comparison in so many."""
    lead, of_pairs = f"With {plural(rate.size, word)}", f"comparisons of two of these systems in {measure}"
    if rate.rate == 0:
        often = f"none of the {of_pairs} comes out the other way round"
    elif rate.rate > OFTEN:
        often = f"{rate.rate:.1%} of {of_pairs} come out the other way round"
    else:
        often = f"1 in {1 / rate.rate:,.0f} {of_pairs} comes out the other way round"
    return f"{lead}, {often} ({from_pairs(runs)}); {rate.ties:.1%} are ties at {rate.fuzziness:g}% fuzziness."


def rates_of_file(path: str, counts_by_pair: Counts) -> Report:
    """The error rate and the share of ties of the counts in a file."""
    totals = {sum(counts) for counts in counts_by_pair.values()}
    if len(totals) > 1:
        logger.warning(
            f"counts of {plural(len(counts_by_pair), 'pair')} add up to {min(totals)} to {max(totals)}, not to one number of"
            " query sets"
        )
    name = file_name(path).removesuffix(".csv").removesuffix(".tsv").removeprefix("matrix_")
    row = row_of_counts(np.array(list(counts_by_pair.values())))
    signature = {"command": "swap-error", "procedure": "error-rate"}
    sentences = (
        f"{row['errors']} of {row['comparisons']} comparisons ({row['rate']:.1%}) contradict what most query sets say of the"
        f" pair; {row['equal']} ({row['ties']:.1%}) are ties.",
    )
    return Report([Table("matrix", name, [row])], signature, lambda: sentences, sources=among(SETS, ["error-rate"]))


def row_of_counts(triples: Ints) -> dict[str, str | int | float]:
    """Row of what counts better, worse, equal [P, 3] come to: an error is a set that orders a pair as the fewer do."""
    errors, ties = int(triples[:, :2].min(axis=1).sum()), int(triples[:, 2].sum())
    comparisons = int(triples.sum())
    return {
        "pairs": len(triples), "errors": errors, "equal": ties, "comparisons": comparisons, "rate": errors / comparisons,
        "ties": ties / comparisons,
    }  # fmt: skip
