"""stdap-ci: means of standardised scores, published figures compared, and the type I experiment."""

import itertools
import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irci.choices import TOPICS, MeanOverClusters, Transform, check
from irci.data.clusters import Clusters
from irci.data.experiment import Inputs, scores_of, where
from irci.data.factors import as_lines, read_factors
from irci.data.measures import Measure, named
from irci.data.names import BLANKS, places_by_name
from irci.data.notices import warn_of_topics
from irci.data.scores import Scores
from irci.errors import DataError, UsageError, plural, unknown
from irci.methods.stdap_ci import Settings as ExperimentSettings
from irci.methods.stdap_ci import TypeOne, clustered_interval, interval_of, mean_interval, type_one, welch
from irci.output.report import Bounded, Caption, Report, Row, Table, tables
from irci.stats.standardisation import reference_factors, standardised
from irci.streams import Purpose, seed_word
from irci.studies.in_words import amount, p_in_words, sentences_of_means
from irci.studies.limits import means_over, warn_of_one_topic
from irci.types import Floats, Ints

logger = logging.getLogger("irci")

ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))
HISTOGRAM_BINS = 40
NARROW = 1e-12
FEW = 10  # clusters: limits over fewer hold if their means are near to normal

Factors = dict[str, tuple[Floats, Floats]]  # of each measure the mean and sd of each topic


class Summary(NamedTuple):
    """Published figures: a mean over topics, its standard deviation, and the reference systems' name if it is known."""

    name: str
    mean: float
    sd: float
    topics: int
    reference: str = ""


@dataclass(frozen=True)
class Settings:
    """What is asked, under the options' names."""

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
    figures: bool = False
    confidence: float = 0.95
    seed: int = 1
    clusters: Clusters | None = None
    mean: MeanOverClusters | None = None

    def __post_init__(self) -> None:
        check(self)

    def signature(self) -> dict[str, Any]:
        """All of it but the measures, which rows name, and clusters if there are none."""
        others = ("measures", "clusters", "mean")
        values = {name: value for name, value in self.__dict__.items() if name not in others}
        of_clusters = (
            {"units": "clusters", "clusters": self.clusters.given, "mean": self.mean or "topics"}
            if self.clusters
            else {}
        )
        return values | {"sizes": " ".join(map(str, self.sizes))} | of_clusters

    def refuse_contradictions(self) -> None:
        """Raise UsageError for what does not go together."""
        given = [name for name in ("reference", "reference_sample", "factors") if getattr(self, name) is not None]
        is_plain = self.transform == "none"
        if self.mean is not None and self.clusters is None:
            raise UsageError("--mean is for --clusters.")
        if len(given) > 1 or (given and is_plain and not self.type_one):
            raise UsageError(
                "use one of --reference, --reference-sample and --factors, and none with --transform none."
            )
        if self.leave_one_out and self.save_factors is not None:
            raise UsageError("--leave-one-out makes factors for each run: leave out --save-factors.")
        if is_plain and self.save_factors is not None:
            raise UsageError("--transform none makes no factors: leave out --save-factors.")
        if self.leave_one_out and (given == ["factors"] or is_plain or self.type_one):
            raise UsageError(
                "--leave-one-out needs reference runs: leave out --factors, --type-one and --transform none."
            )
        if self.type_one and (self.transform in ("cdf", "ab") or self.reference or self.factors):
            raise UsageError("--type-one takes z scores by all runs or by --reference-sample, or --transform none.")


def stdap_ci(settings: Settings, inputs: Inputs) -> Report:
    """What mean score would a new sample of topics give, comparably across papers?"""
    settings.refuse_contradictions()
    table, files = scores_of(inputs, settings.measures)
    signature = {
        "command": "stdap-ci",
        **settings.signature(),
        **inputs.signature(),
        "num_runs": len(table.runs),
    }
    if settings.type_one:
        return Report(list(_tables_of_experiment(settings, table)), signature, lambda: TYPE_ONE_EXPLAINED, files=files)
    warn_of_one_topic(len(table.topics))
    clusters = _clusters(settings, table, of_all=inputs.topics is None)
    reference = _reference(settings, table)
    factors = _factors(settings, table, reference)
    if settings.save_factors is not None:
        files[settings.save_factors] = as_lines(factors, table.topics)
    named = settings.factors or " ".join(table.runs[run] for run in reference)
    found = list(_tables(settings, table, reference, factors, clusters))
    return Report(
        tables=found,
        signature=signature | {"reference_runs": named},
        explain=lambda: _explanation(settings, found, named),
        files=files,
        caption=lambda _: Caption(
            f"{means_over(len(table.topics), inputs.missing)}{_in_clusters(settings, clusters)}"
            f"{_standardised(settings, reference)}",
            f"{100 * settings.confidence:g}% confidence limits over {'topics' if clusters is None else 'clusters'}"
            f" ({'t' if clusters is None or settings.mean == 'clusters' else 'CR2'})",
        ),
    )


def _clusters(settings: Settings, table: Scores, *, of_all: bool) -> Ints | None:
    """The cluster of each topic, if they come in some; warns of few, and `of_all`, of topics that only the file has."""
    if settings.clusters is None:
        return None
    if of_all:
        settings.clusters.warn_of_others(table.topics)
    found = settings.clusters.of_topics(table.topics)
    if len(found.names) == 1:
        raise DataError(f"{settings.clusters.given}: one cluster: nothing can be said of others")
    if len(found.names) < FEW:
        few = f"only {plural(len(found.names), 'cluster')}"
        logger.warning(f"{few}: limits over clusters are wide, and assume that clusters are alike")
    return found.place


def _in_clusters(settings: Settings, clusters: Ints | None) -> str:
    """What topics come in, for a caption."""
    if clusters is None:
        return ""
    alike = ", each weighed alike," if settings.mean == "clusters" else ""
    return f" in {plural(int(clusters.max()) + 1, 'cluster')}{alike}"


def _standardised(settings: Settings, reference: Sequence[int]) -> str:
    """How scores are standardised, for a caption."""
    if settings.transform == "none":
        return ""
    by = settings.factors or plural(len(reference), "reference run")
    how = {"z": "z scores", "cdf": "normal distribution function of z scores", "ab": "std-AB"}[settings.transform]
    return f" of scores as they are and standardised ({how}, {by})"


def _explanation(settings: Settings, found: Sequence[Table], named: str) -> Iterator[str]:
    """The means in plain words, and what to report with them."""
    rows = (row for table in found if table.kind == "estimate" for row in table.rows)
    yield from sentences_of_means(rows, settings.confidence, TOPICS)
    if settings.transform != "none":
        yield f"Scores are standardised by {named}, and compare only with scores standardised by these."
        yield "To let others compare, report with a mean its sd, the number of topics and the reference systems."


def _compared(differences: Sequence[Row], confidence: float) -> Iterator[str]:
    """Differences of published means in plain words."""
    for row in differences:
        value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p"))
        if math.isnan(p):
            continue
        found = p <= 1 - confidence
        told = f"evidence that {row['run']} scores {'higher' if value > 0 else 'lower'}"
        yield (
            f"{row['run']} less {row['baseline']} is {amount(value)}, {amount(lower)} to {amount(upper)} with"
            f" {100 * confidence:g}% confidence ({p_in_words(p)}):"
            f" {told if found else 'not enough evidence to tell which scores higher'}."
        )


def summaries_compared(summaries: Sequence[Summary], confidence: float, any_reference: bool) -> Report:
    """The interval of each published mean, and the difference of every two; refused where the references differ."""
    references = sorted({summary.reference for summary in summaries if summary.reference})
    if len(references) > 1 and not any_reference:
        raise DataError(
            f"different reference systems ({', '.join(references)}): not comparable (--any-reference compares them anyway)"
        )
    means = {}
    for name, mean, sd, topics, _ in summaries:
        if name in means:
            raise DataError(f"two summaries are named {name!r}")
        means[name] = mean_interval(mean, sd, topics, confidence)
    estimates: list[Row] = [
        {
            "measure": "summary", "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": name, "sd": found.sd, "topics": found.topics,
        }
        for name, found in means.items()
    ]  # fmt: skip
    differences: list[Row] = []
    for first, second in itertools.combinations(means, 2):
        found = welch(means[second], means[first], confidence)
        differences.append({
            "measure": "summary_diff", "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": second, "baseline": first, "p": found.p, "effect_size": found.effect_size, "df": found.df,
            "test": "welch",
        })  # fmt: skip
    return Report(
        tables=[*tables("estimate", "", estimates), *tables("difference", "summary", differences)],
        signature={"command": "stdap-ci", "confidence": confidence},
        explain=lambda: [*sentences_of_means(estimates, confidence, TOPICS), *_compared(differences, confidence)],
    )


def _reference(settings: Settings, table: Scores) -> list[int]:
    """The reference runs' places, by name, so that the order of runs makes no difference, not even in the last bit."""
    order = places_by_name(table.runs)
    if settings.reference is not None:
        names = [name.strip(BLANKS) for name in settings.reference.split(",")]
        strangers = [name for name in names if name not in table.runs]
        if strangers:
            raise DataError(unknown("run", strangers[0], table.runs))
        return [run for run in order if table.runs[run] in names]
    if settings.reference_sample is not None:
        if settings.reference_sample > len(table.runs):
            raise DataError(f"--reference-sample {settings.reference_sample}: there are only {len(table.runs)} runs")
        rng = np.random.default_rng(int(seed_word(settings.seed, Purpose.REFERENCES)))
        return [
            order[place] for place in sorted(rng.choice(len(order), settings.reference_sample, replace=False).tolist())
        ]
    return order


def _factors(settings: Settings, table: Scores, reference: list[int]) -> Factors:
    """For each measure the mean and sd of each topic."""
    if settings.transform == "none":
        return {}
    if settings.factors is not None:
        found = read_factors(settings.factors, table.topics)
        lacking = [name for name in table.values if name not in found]
        if lacking:
            raise DataError(f"{settings.factors}: no factors of {', '.join(lacking)}")
        return {name: found[name] for name in table.values}
    if len(reference) < 2 + settings.leave_one_out:
        raise DataError("standardisation needs at least two reference runs")
    return {name: reference_factors(values[reference], settings.ddof) for name, values in table.values.items()}


def _tables(
    settings: Settings, table: Scores, reference: list[int], factors: Factors, clusters: Ints | None
) -> Iterator[Table]:
    """For each run its topics if asked for, then its means."""
    for name, (_, sd) in factors.items():
        undefined = np.isnan(sd)
        warn_of_topics(name, "without reference scores that differ, dropped", where(table.topics, undefined))
        if undefined.all():
            raise DataError(f"{name}: no topic is left to standardise")
    for place, run in enumerate(table.runs):
        shown = _shown(settings, table, place, reference, factors)
        if settings.per_topic:
            yield from tables("topic", "", _rows_of_topics(run, table.topics, shown))
        if not settings.no_summary:
            yield from tables("estimate", "", _rows_of_means(settings, run, shown, table, clusters))


def _shown(settings: Settings, table: Scores, place: int, reference: list[int], factors: Factors) -> dict[str, Floats]:
    """One run's scores[T], standardised and as they are, by the names under which they are printed."""
    prefix = {"z": "s{}", "cdf": "{}_std_cdf", "ab": "{}_std_ab", "none": "{}"}[settings.transform]
    shown: dict[str, Floats] = {}
    for name, values in table.values.items():
        if name in factors and settings.transform != "none":
            mean, sd = factors[name]
            if settings.leave_one_out and place in reference:
                mean, sd = reference_factors(values[[each for each in reference if each != place]], settings.ddof)
            shown[prefix.format(name)] = standardised(values[place], mean, sd, settings.transform)
        shown[name] = values[place]
    return shown


def _rows_of_topics(run: str, topics: Sequence[str], shown: dict[str, Floats]) -> Iterator[Row]:
    for topic, topic_name in enumerate(topics):
        for name, of_run in shown.items():
            if not np.isnan(of_run[topic]):
                yield {
                    "measure": name, "topic": topic_name, "value": float(of_run[topic]), "lower": math.nan,
                    "upper": math.nan, "run": run,
                }  # fmt: skip


def _rows_of_means(
    settings: Settings, run: str, shown: dict[str, Floats], table: Scores, clusters: Ints | None
) -> Iterator[Row]:
    for name, of_run in shown.items():
        row: Row = {"measure": name, "topic": "all", **_mean(settings, of_run, run, clusters)}
        # Standardised scores are z scores, without bounds, or in [0, 1].
        is_bounded = named(name).is_bounded if name in table.values else settings.transform in ("cdf", "ab")
        yield Bounded(row) if is_bounded else row


def _mean(settings: Settings, of_run: Floats, run: str, clusters: Ints | None) -> Row:
    """The columns of a run's mean."""
    if clusters is None:
        plain = interval_of(of_run, settings.confidence)
        return {
            "value": plain.value, "lower": plain.lower, "upper": plain.upper, "run": run, "sd": plain.sd,
            "topics": plain.topics,
        }  # fmt: skip
    found = clustered_interval(of_run, clusters, settings.confidence, by_cluster=settings.mean == "clusters")
    return {
        "value": found.value, "lower": found.lower, "upper": found.upper, "run": run, "population": "clusters",
        "df": found.df, "sd": found.sd, "topics": found.topics, "clusters": found.clusters,
    }  # fmt: skip


TYPE_ONE_EXPLAINED = (
    "An exact interval would miss the mean of all topics in a share alpha of the samples, or less without replacement.",
    "mean, sd and max are over runs; the finite-population factor is that of samples without replacement.",
)


def _tables_of_experiment(settings: Settings, table: Scores) -> Iterator[Table]:
    """For each measure the paper's Tables 1 to 8, or what its figures show."""
    references = settings.reference_sample or (0 if settings.transform == "none" else -1)
    label = {0: "none", -1: "all"}.get(references, str(references))
    order = places_by_name(table.runs)
    experiment = ExperimentSettings(
        settings.sizes, settings.trials, settings.replace, references, settings.ddof, settings.seed
    )
    for name, values in table.values.items():
        scores = _complete_scores(settings, name, values[order], references)
        found = type_one(scores, ALPHAS, experiment)
        if not settings.figures:
            yield from tables("type_one", name, (row for each in found for row in _table_rows(label, each)))
            continue
        if references < 1:
            mean, sd = reference_factors(scores, settings.ddof)
            of_scores = (scores - mean) / sd if references else scores
            yield from tables("histogram", name, _histogram_rows("scores", of_scores, 1, label))
        for each in found:
            yield from tables("quantile", name, _quantile_rows(label, each))
            yield from tables("histogram", name, _histogram_rows("means", each.means, each.size, label))


def _complete_scores(settings: Settings, name: str, values: Floats, references: int) -> Floats:
    """The scores[runs, T] of the topics on which all runs have one, and the references differ; enough of them."""
    scores = values[:, ~np.isnan(values).any(axis=0)]
    if references == -1:
        scores = scores[:, ~np.isnan(reference_factors(scores, settings.ddof)[1])]
    if not scores.shape[1]:
        raise DataError(f"{name}: no topic on which all runs have scores that differ")
    largest = max(settings.sizes)
    if largest > scores.shape[1] and not settings.replace:
        raise DataError(
            f"{name}: --sizes {largest} of {scores.shape[1]} topics (--replace draws topics more than once)"
        )
    if len(scores) < max(2, references):
        raise DataError(f"{name}: too few runs: give at least {max(2, references)}")
    return scores


def _table_rows(label: str, found: TypeOne) -> Iterator[Row]:
    for known, sigma in enumerate(("known", "estimated")):
        for alpha, error, width in zip(ALPHAS, found.error[:, known], found.width[:, known].tolist(), strict=True):
            some = error[~np.isnan(error)]
            yield {
                "alpha": alpha, "mean": float(some.mean()) if len(some) else math.nan,
                "sd": float(some.std(ddof=1)) if len(some) > 1 else math.nan,
                "max": float(some.max(initial=0)) if len(some) else math.nan, "width": width, "n": found.size,
                "sigma": sigma, "reference": label, "factor": found.factor, "undefined": float(found.undefined[known]),
            }  # fmt: skip


def _quantile_rows(label: str, found: TypeOne) -> Iterator[Row]:
    """The paper's Q-Q plots of (n - 1) s^2 / sigma^2."""
    from irci.special import gammaincinv

    probabilities = (np.arange(99) + 1) / 100
    theory = 2 * gammaincinv((found.size - 1) / 2, probabilities)
    if np.isnan(found.chi2).all():
        raise DataError("--figures: all scores are the same, so there are no variances to draw")
    sample = np.nanquantile(found.chi2, probabilities)
    for probability, of_theory, of_sample in zip(probabilities.tolist(), theory.tolist(), sample.tolist(), strict=True):
        yield {
            "probability": probability, "chi2": of_theory, "sample": of_sample, "n": found.size, "reference": label,
        }  # fmt: skip


def _histogram_rows(of: str, values: Floats, size: int, label: str) -> Iterator[Row]:
    """The paper's histograms: of single scores (n is 1), or of the means of samples."""
    some = values[~np.isnan(values)]
    low, high = float(some.min()), float(some.max())
    margin = (
        max(0.5, abs(high)) if high - low < NARROW * abs(high) else 0.0
    )  # bins must differ in more than the last bits
    counts, edges = np.histogram(some, HISTOGRAM_BINS, (low - margin, high + margin))
    for count, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield {
            "of": of, "from": low, "to": high, "percent": 100 * count / counts.sum(), "n": size, "reference": label,
        }  # fmt: skip
