"""What irci swap-error says: error rates, swap rates, discriminative power, and all that in words."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irci.cli.console import NAMED, plural, warn
from irci.data.experiment import Inputs
from irci.data.names import file_name
from irci.data.scores import Scores
from irci.data.versions import Cube, Versions
from irci.errors import DataError
from irci.methods.swap_error import error_rate, swap
from irci.methods.swap_error.discriminative_power import Power, discriminative_power
from irci.methods.swap_error.error_rate import Rate, Study, counts, rates_of_counts
from irci.methods.swap_error.swap import BINS, Swaps, bin_label, difference_needed
from irci.studies.swap_error.inputs import Source, cube_of, matrix_of, read_counts, warn_of_counts

Row = dict[str, str | float | int]

SIZES = (5, 10, 15, 20, 25, 30, 40, 50)
SMALLEST = 5  # topics in a set of the swap method
RANDOM_ABOVE = 0.25  # error rates, says the paper, are chance's above


class Answer(NamedTuple):
    """Rows, notes, the signature's settings, and the rows to draw if these are others."""

    rows: list[Row]
    notes: list[str]
    settings: dict[str, Any]
    drawn: list[Row] | None = None


@dataclass(frozen=True)
class Request:
    """What is asked, under the options' names."""

    procedure: str
    fuzziness: tuple[float, ...]
    base: str
    sizes: tuple[int, ...] | None
    versions: Versions | None
    matrix: bool
    draw: str | None
    sets: int
    designs: int
    trials: int | None
    at: tuple[int, ...] | None
    relative: bool
    max_rate: float
    alphas: tuple[float, ...]
    resamples: int
    figures: bool
    seed: int

    def study(self) -> Study:
        """The part that is of error rates."""
        return Study(
            self.fuzziness, self.base, self.designs, self.trials or 100, self.sets, self.draw or "subset", self.seed
        )


def counts_answer(path: str, quiet: bool) -> tuple[list[Row], list[str]]:
    """Rows and notes from a file of counts."""
    found = read_counts(path)
    if not quiet:
        warn_of_counts(found)
    name = file_name(path).removesuffix(".csv").removesuffix(".tsv").removeprefix("matrix_")
    row = _matrix_row(name, np.array(list(found.values())))
    return [row], [_matrix_sentence(row)]


def answer(request: Request, source: Source, inputs: Inputs) -> Answer:
    """Rows, notes and the signature's settings."""
    if request.versions is not None:
        return _of_versions(request, cube_of(source, inputs, request.versions, request.seed), inputs)
    table = matrix_of(source, inputs)
    settings = {"num_runs": len(table.runs), "num_topics": len(table.topics), "standardise": source.standardise}
    of_procedure = {"error-rate": _of_topics, "swap": _of_swaps, "discriminative-power": _of_power}[request.procedure]
    found = of_procedure(request, table, inputs)
    return found._replace(settings={**found.settings, **settings})


def _of_versions(request: Request, cube: Cube, inputs: Inputs) -> Answer:
    if request.matrix and not cube.alike:
        raise DataError("--matrix: topics have different versions, so that there are no query sets as they are")
    topics = len(cube.topics)
    sizes = _sizes(request, topics, (*SIZES, topics))
    rows: list[Row] = []
    notes = []
    for measure, values in cube.values.items():
        _refuse_negative(measure, values, request.fuzziness != (0.0,), "--fuzziness 0")
        if request.matrix:
            rows += _count_rows(measure, cube, request)
        rates = list(error_rate.error_rates_over_versions(values, sizes, request.study(), inputs.threads))
        rows += (_rate_row(measure, rate, request) for rate in rates)
        notes += [_rate_sentence(measure, rate, request.base) for rate in rates if rate.size == sizes[-1]]
        _warn_of_rates(measure, rates, inputs.quiet)
    study = {name: value for name, value in request.study().signature().items() if name not in ("sets", "draw")}
    counted = {"num_systems": len(cube.systems), "num_topics": topics, "num_versions": _versions(cube)}
    settings = {**study, "versions": request.versions.given if request.versions else None, **counted}
    return Answer(rows, notes, settings)


def _versions(cube: Cube) -> int:
    return int(next(iter(cube.values.values())).shape[1])


def _count_rows(measure: str, cube: Cube, request: Request) -> Iterator[Row]:
    """Of the query sets as they are: the counts of each pair, and what they come to."""
    totals = cube.values[measure].sum(axis=0).T
    pairs = _pair_names(cube.systems)
    for percent, threshold in zip(request.fuzziness, request.study().thresholds().tolist(), strict=True):
        triples = counts(totals, threshold, request.base)
        for pair, (better, worse, equal) in zip(pairs, triples.tolist(), strict=True):
            yield {
                "table": f"count_{measure}", "pair": pair, "better": better, "worse": worse, "equal": equal,
                "fuzziness": _plain(percent), "base": request.base,
            }  # fmt: skip
        yield _matrix_row(measure, triples) | {"fuzziness": _plain(percent), "base": request.base}


def _pair_names(systems: Sequence[str]) -> list[str]:
    return [f"{first}/{second}" for first, second in itertools.combinations(systems, 2)]


def _matrix_row(name: str, triples: error_rate.Ints) -> Row:
    errors, ties, comparisons = rates_of_counts(triples)
    return {
        "table": f"matrix_{name}", "pairs": len(triples), "errors": errors, "equal": ties, "comparisons": comparisons,
        "rate": errors / comparisons, "ties": ties / comparisons,
    }  # fmt: skip


def _matrix_sentence(row: Row) -> str:
    return (
        f"Of {row['comparisons']} comparisons {row['errors']} ({row['rate']:.1%}) disagree with what most query sets say of"
        f" that pair, and {row['equal']} ({row['ties']:.1%}) are ties."
    )


def _of_topics(request: Request, table: Scores, inputs: Inputs) -> Answer:
    topics = len(table.topics)
    study = request.study()
    most = topics if study.draw == "bootstrap" else topics // 2 if study.draw == "partition" else topics - 1
    sizes = _sizes(request, most, tuple(size for size in SIZES if size <= topics // 2) or (max(1, topics // 2),))
    above_half = [size for size in sizes if size > topics / 2 and study.draw == "subset"]
    if above_half and not inputs.quiet:
        named = ", ".join(map(str, above_half))
        warn(f"subsets of {named} out of {topics} topics overlap so much that their error rates are too small")
    rows: list[Row] = []
    notes = []
    for measure, values in table.values.items():
        _refuse_negative(measure, values, request.fuzziness != (0.0,), "--fuzziness 0")
        rates = list(error_rate.error_rates_over_topics(values, sizes, study, inputs.threads))
        rows += (_rate_row(measure, rate, request) for rate in rates)
        notes += [_rate_sentence(measure, rate, request.base) for rate in rates if rate.size == sizes[-1]]
        _warn_of_rates(measure, rates, inputs.quiet)
    return Answer(rows, notes, study.signature())


def _sizes(request: Request, most: int, default: Sequence[int]) -> list[int]:
    """The sizes of topic sets, ascending; of the default those there are topics for."""
    sizes = sorted(set(request.sizes or [size for size in default if size <= most]))
    if sizes[-1] > most:
        raise DataError(f"a topic set of {sizes[-1]}: there can be no more than {most} topics in one")
    return sizes


def _refuse_negative(measure: str, values: error_rate.Floats, as_percentage: bool, instead: str) -> None:
    if (values < 0).any() and as_percentage:
        raise DataError(f"{measure}: scores below 0, of which a percentage says nothing: {instead}")


def _rate_row(measure: str, rate: Rate, request: Request) -> Row:
    return {
        "table": f"error_rate_{measure}", "size": rate.size, "rate": rate.rate, "sd": rate.sd, "ties": rate.ties,
        "fuzziness": _plain(rate.fuzziness), "base": request.base, "sets": rate.sets, "draws": rate.draws,
    }  # fmt: skip


def _plain(number: float) -> float | int:
    """A whole number as such, which is printed without decimals."""
    return int(number) if number == int(number) else number


def _rate_sentence(measure: str, rate: Rate, base: str) -> str:
    return (
        f"With {rate.size} topics, {rate.rate:.1%} of all comparisons of two systems by {measure} come out the wrong way"
        f" round, if what most query sets say is right, and {rate.ties:.1%} are ties, differences below {rate.fuzziness:g}% of"
        f" the {base} score."
    )


def _warn_of_rates(measure: str, rates: Sequence[Rate], quiet: bool) -> None:
    sizes = sorted({rate.size for rate in rates if rate.rate > RANDOM_ABOVE})
    if sizes and not quiet:
        named = ", ".join(map(str, sizes))
        warn(f"{measure}: error rates above 25% (topics: {named}) are mostly chance's")


def _of_swaps(request: Request, table: Scores, inputs: Inputs) -> Answer:
    topics = len(table.topics)
    settings = swap.Settings(request.draw or "partition", request.trials or 50, request.relative, request.seed)
    most = topics if settings.draw == "bootstrap" else topics // 2
    sizes = _sizes(request, most, range(min(SMALLEST, most), most + 1))
    figures: list[Row] = []
    at = request.at or (most, topics, 2 * topics) if most < topics else request.at or (topics, 2 * topics)
    rows: list[Row] = []
    notes = []
    for measure, values in table.values.items():
        _refuse_negative(measure, values, request.relative, "leave out --relative")
        found = swap.swaps(values, sizes, settings)
        unfitted = [bin_label(place) for place in range(1, BINS) if np.isnan(found.fitted[place, 0])]
        if unfitted and not inputs.quiet:
            more = " ..." if len(unfitted) > NAMED else ""
            warn(f"{measure}: no fit that falls in {plural(len(unfitted), 'bin')}: {' '.join(unfitted[:NAMED])}{more}")
        figures += _swap_rows(measure, found, sizes)
        rows += _swap_rows(measure, found, sizes if request.figures else at)
        if not request.figures:
            rows += (_needed_row(measure, found, size, request) for size in at)
        notes += [_swap_sentence(measure, found, size, request) for size in at]
    return Answer(rows, notes, settings.signature() | {"sizes": " ".join(map(str, sizes))}, figures)


def _swap_rows(measure: str, found: Swaps, sizes: Sequence[int]) -> Iterator[Row]:
    """Rates as they were and as they were fitted; beyond the sizes tried there are only the latter."""
    rates = found.rates()
    for size in sizes:
        measured = found.sizes.index(size) if size in found.sizes else None
        for place, fitted in enumerate(found.extrapolated(size).tolist()):
            yield {
                "table": f"swap_{measure}", "size": size, "bin": bin_label(place),
                "rate": math.nan if measured is None else float(rates[measured, place]), "fitted": fitted,
                "comparisons": 0 if measured is None else int(found.comparisons[measured, place]),
            }  # fmt: skip


def _needed_row(measure: str, found: Swaps, size: int, request: Request) -> Row:
    return {
        "table": f"needed_{measure}", "size": size,
        "difference": difference_needed(found.extrapolated(size), request.max_rate), "max_rate": request.max_rate,
    }  # fmt: skip


def _swap_sentence(measure: str, found: Swaps, size: int, request: Request) -> str:
    needed = difference_needed(found.extrapolated(size), request.max_rate)
    kind = "of {:.0%} of the larger score" if request.relative else "of {:.2f}"
    what = f"a difference {kind.format(needed)} or more" if not math.isnan(needed) else "no difference in these bins"
    return (
        f"With {size} topics, it takes {what} in {measure} for another {size} topics to contradict it in no more than"
        f" {request.max_rate:.0%} of cases."
    )


def _of_power(request: Request, table: Scores, inputs: Inputs) -> Answer:
    low = [alpha for alpha in request.alphas if not 1 / request.resamples <= alpha < 1]
    if low:
        raise DataError(f"alpha {low[0]:g} with {request.resamples} resamples: between 1/B and 1")
    rows: list[Row] = []
    notes = []
    figures: list[Row] = []
    pairs = _pair_names(table.runs)
    for measure, values in table.values.items():
        found = discriminative_power(values, request.alphas, request.resamples, request.seed)
        levels = list(_level_rows(measure, found, pairs))
        figures += levels
        rows += levels if request.figures else _power_rows(measure, found)
        for row in _power_rows(measure, found):
            notes.append(
                f"At level {row['alpha']:g}, {row['share']:.1%} of {row['pairs']} pairs differ in {measure}; with as many"
                f" topics, a difference of {row['difference']:.4f} would have been found for every pair."
            )
    settings = {"alphas": " ".join(map(str, request.alphas)), "resamples": request.resamples, "seed": request.seed}
    return Answer(rows, notes, settings, figures)


def _power_rows(measure: str, found: Power) -> Iterator[Row]:
    for alpha, share, difference in zip(
        found.alphas, found.shares().tolist(), found.differences().tolist(), strict=True
    ):
        yield {
            "table": f"power_{measure}", "alpha": alpha, "share": share, "difference": difference, "pairs": len(found.asl),
        }  # fmt: skip


def _level_rows(measure: str, found: Power, pairs: Sequence[str]) -> Iterator[Row]:
    """The curve of achieved significance levels, from the largest down."""
    for rank, place in enumerate(np.argsort(-found.asl, kind="stable").tolist(), 1):
        yield {
            "table": f"asl_{measure}", "rank": rank, "asl": float(found.asl[place]),
            "difference": float(found.difference[place]), "pair": pairs[place],
        }  # fmt: skip
