"""What irci stdap-ci says: means of standardised scores, published figures compared, and the type I experiment."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irci.cli.console import save, warn_of_topics, write_text
from irci.data.experiment import Inputs, run_files, where_text
from irci.data.factors import as_lines, read_factors
from irci.data.measures import MAP, Measure
from irci.data.names import places_by_name
from irci.data.scores import Scores
from irci.errors import DataError
from irci.methods.stdap_ci import Experiment, TypeOne, interval_of, mean_interval, type_one, welch
from irci.stats.standardisation import reference_factors, standardised
from irci.streams import Purpose, seed_word

Floats = NDArray[np.float64]
Row = dict[str, str | float | int]

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))
BINS = 40


@dataclass(frozen=True)
class Request:
    """What is asked, under the options' names."""

    per_topic: bool
    no_summary: bool
    reference: str | None
    reference_sample: int | None
    factors: str | None
    save_factors: str | None
    transform: str
    leave_one_out: bool
    ddof: int
    type_one: bool
    sizes: tuple[int, ...]
    trials: int
    replace: bool
    figures: bool
    confidence: float
    seed: int


def summary_rows(
    summaries: Sequence[tuple[str, float, float, int, str]], confidence: float, any_reference: bool
) -> Iterator[Row]:
    """The interval of each published mean, and the difference of every two; refused where the references differ."""
    references = sorted({reference for *_, reference in summaries if reference})
    if len(references) > 1 and not any_reference:
        raise DataError(
            f"different reference systems ({', '.join(references)}): such scores do not compare (--any-reference)"
        )
    means = {}
    for name, mean, sd, topics, _ in summaries:
        if name in means:
            raise DataError(f"two summaries are named {name!r}")
        means[name] = found = mean_interval(mean, sd, topics, confidence)
        yield {
            "measure": "summary", "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": name, "sd": sd, "topics": topics,
        }  # fmt: skip
    for first, second in itertools.combinations(means, 2):
        difference = welch(means[second], means[first], confidence)
        yield {
            "measure": "summary_diff", "topic": "all", "value": difference.value, "lower": difference.lower,
            "upper": difference.upper, "run": second, "baseline": first, "p": difference.p,
            "effect_size": difference.effect_size, "df": difference.df, "test": "welch",
        }  # fmt: skip


def answer(
    request: Request, files: Sequence[str], measures: Sequence[Measure], others: dict[str, Any]
) -> tuple[list[Row], list[str], dict[str, Any]]:
    """Rows, notes and the signature's settings."""
    scores, scores_format, save_scores, runs_from = (
        others.pop(name) for name in ("scores", "scores_format", "save_scores", "runs_from")
    )
    inputs = Inputs.taken_from(others)
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise DataError(f"{', '.join(wrong)}: no mean of scores")
    if scores:
        table = inputs.filled(inputs.scores(run_files(files, runs_from, ""), scores_format, measures))
    else:
        qrels, *runs = files
        table = inputs.scored(qrels, run_files(runs, runs_from, qrels), measures or [MAP])
    if save_scores is not None:
        save(table, save_scores)
    settings = {
        **asdict(request),
        "sizes": " ".join(map(str, request.sizes)),
        **inputs.signature(),
        "num_runs": len(table.runs),
    }
    if request.type_one:
        return list(_type_one_rows(request, table)), _type_one_notes(), settings
    reference = _reference(request, table)
    factors = _factors(request, table, reference)
    if request.save_factors is not None:
        write_text(request.save_factors, as_lines(factors, table.topics))
    rows = list(_rows(request, table, reference, factors, inputs.quiet))
    named = request.factors or " ".join(table.runs[run] for run in reference)
    settings["reference_runs"] = named
    notes = [
        f"To be compared, report with a mean its standard deviation, the number of topics and the reference systems: {named}.",
        "The intervals are for other topics of this kind, under these reference systems only.",
    ]
    return rows, notes, settings


def _reference(request: Request, table: Scores) -> list[int]:
    """The reference runs' places, by name, so that the order of runs makes no difference, not even in the last bit."""
    order = places_by_name(table.runs)
    if request.reference is not None:
        names = [name.strip() for name in request.reference.split(",")]
        unknown = [name for name in names if name not in table.runs]
        if unknown:
            raise DataError(f"no run is named {unknown[0]!r}: there are {', '.join(table.runs)}")
        return [run for run in order if table.runs[run] in names]
    if request.reference_sample is not None:
        if request.reference_sample > len(table.runs):
            raise DataError(f"{request.reference_sample} reference runs out of {len(table.runs)}")
        rng = np.random.default_rng(int(seed_word(request.seed, Purpose.REFERENCES)))
        return [
            order[place] for place in sorted(rng.choice(len(order), request.reference_sample, replace=False).tolist())
        ]
    return order


def _factors(request: Request, table: Scores, reference: list[int]) -> dict[str, tuple[Floats, Floats]]:
    """For each measure the mean and sd of each topic."""
    if request.transform == "none":
        return {}
    if request.factors is not None:
        found = read_factors(request.factors, table.topics)
        lacking = [name for name in table.values if name not in found]
        if lacking:
            raise DataError(f"{request.factors}: no factors of {', '.join(lacking)}")
        return {name: found[name] for name in table.values}
    if len(reference) < 2 + request.leave_one_out:
        raise DataError("standardisation takes at least two reference runs")
    return {name: reference_factors(values[reference], request.ddof) for name, values in table.values.items()}


def _rows(
    request: Request, table: Scores, reference: list[int], factors: dict[str, tuple[Floats, Floats]], quiet: bool
) -> Iterator[Row]:
    prefix = {"z": "s{}", "cdf": "{}_std_cdf", "ab": "{}_std_ab", "none": "{}"}[request.transform]
    for name, (_, sd) in factors.items():
        if not quiet:
            undefined = np.isnan(sd)
            warn_of_topics(name, "without reference scores that differ, dropped", where_text(table.topics, undefined))
        if np.isnan(sd).all():
            raise DataError(f"{name}: no topic is left to standardise")
    for place, run in enumerate(table.runs):
        shown: dict[str, Floats] = {}
        for name, values in table.values.items():
            if name in factors:
                mean, sd = factors[name]
                if request.leave_one_out and place in reference:
                    mean, sd = reference_factors(values[[each for each in reference if each != place]], request.ddof)
                shown[prefix.format(name)] = standardised(values[place], mean, sd, request.transform)
            shown[name] = values[place]
        for topic, topic_name in enumerate(table.topics) if request.per_topic else ():
            for name, of_run in shown.items():
                if not np.isnan(of_run[topic]):
                    yield {
                        "measure": name, "topic": topic_name, "value": float(of_run[topic]), "lower": math.nan,
                        "upper": math.nan, "run": run,
                    }  # fmt: skip
        for name, of_run in shown.items() if not request.no_summary else ():
            found = interval_of(of_run, request.confidence)
            yield {
                "measure": name, "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper, "run": run,
                "sd": found.sd, "topics": found.topics,
            }  # fmt: skip


def _type_one_rows(request: Request, table: Scores) -> Iterator[Row]:
    references = request.reference_sample or (0 if request.transform == "none" else -1)
    label = {0: "none", -1: "all"}.get(references, str(references))
    if request.transform in ("cdf", "ab") or request.reference or request.factors:
        raise DataError(
            "the experiment is with z scores by all runs or by --reference-sample, or with --transform none"
        )
    order = places_by_name(table.runs)
    for name, values in table.values.items():
        scores = values[order][:, ~np.isnan(values).any(axis=0)]
        if references == -1:
            scores = scores[:, ~np.isnan(reference_factors(scores, request.ddof)[1])]
        if max(request.sizes) > scores.shape[1] and not request.replace:
            raise DataError(
                f"{name}: samples of {max(request.sizes)} topics out of {scores.shape[1]} (--replace draws them again)"
            )
        if len(scores) < max(2, references):
            raise DataError(f"{name}: too few runs")
        experiment = Experiment(request.sizes, request.trials, request.replace, references, request.ddof, request.seed)
        if request.figures and references < 1:
            mean, sd = reference_factors(scores, request.ddof)
            yield from _histogram_rows(name, "scores", (scores - mean) / sd if references else scores, 1, label)
        for found in type_one(scores, ALPHAS, experiment):
            yield from _figure_rows(name, label, found) if request.figures else _table_rows(name, label, found)


def _table_rows(name: str, label: str, found: TypeOne) -> Iterator[Row]:
    """The paper's Tables 1 to 8."""
    for known, sigma in enumerate(("known", "estimated")):
        for alpha, error, width in zip(ALPHAS, found.error[:, known], found.width[:, known].tolist(), strict=True):
            some = error[~np.isnan(error)]
            yield {
                "table": f"type_one_{name}", "alpha": alpha, "mean": float(some.mean()) if len(some) else math.nan,
                "sd": float(some.std(ddof=1)) if len(some) > 1 else math.nan,
                "max": float(some.max(initial=0)) if len(some) else math.nan, "width": width, "n": found.size,
                "sigma": sigma, "reference": label, "factor": found.factor, "undefined": float(found.undefined[known]),
            }  # fmt: skip


def _figure_rows(name: str, label: str, found: TypeOne) -> Iterator[Row]:
    """The paper's Q-Q plots of (n - 1) s^2 / sigma^2 and histograms of sample means."""
    from scipy.special import gammaincinv

    probabilities = (np.arange(99) + 1) / 100
    theory = 2 * gammaincinv((found.size - 1) / 2, probabilities)
    sample = np.nanquantile(found.chi2, probabilities)
    for probability, of_theory, of_sample in zip(probabilities.tolist(), theory.tolist(), sample.tolist(), strict=True):
        yield {
            "table": f"qq_{name}", "probability": probability, "chi2": of_theory, "sample": of_sample, "n": found.size,
            "reference": label,
        }  # fmt: skip
    yield from _histogram_rows(name, "means", found.means, found.size, label)


def _histogram_rows(name: str, of: str, values: Floats, size: int, label: str) -> Iterator[Row]:
    """The paper's histograms: of single scores (n is 1), or of the means of samples."""
    counts, edges = np.histogram(values[~np.isnan(values)], BINS)
    for count, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield {
            "table": f"histogram_{name}", "of": of, "from": low, "to": high, "percent": 100 * count / counts.sum(), "n": size,
            "reference": label,
        }  # fmt: skip


def _type_one_notes() -> list[str]:
    return [
        "mean, sd and max are over runs, of the share of samples whose interval misses the mean of all topics; an exact"
        " interval would miss it in a share alpha, but for the finite-population factor of samples drawn without replacement."
    ]
