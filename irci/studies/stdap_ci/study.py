"""stdap-ci: from request and inputs to a report of means of standardised scores; published means compared."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import DataError, logger
from irci.base.names import plural
from irci.base.types import Ends, Floats, Ints, reaches
from irci.compare.sources_in_words import NEW_TOPICS, among
from irci.compare.wording import amount, highest_means, kinds_in_words, means_in, p_text, sentences_of_means
from irci.data.factors import as_lines
from irci.data.inputs import Inputs, where
from irci.data.notices import warn_of_one_topic, warn_of_topics
from irci.data.scale_ends import UNIT, ends_of_scales, lie_within
from irci.data.score_tables import scores_of
from irci.data.scores import Scores
from irci.estimators.compare.edges import on_scale
from irci.estimators.compare.grouped import Groups
from irci.estimators.joint_resamples import NOTHING
from irci.estimators.stdap_ci import Mean, clustered_interval, interval_of, mean_interval, welch
from irci.measures import named
from irci.output.report import Report
from irci.output.tables import NO_WORD, Bounded, Caption, Cell, Row, Table, tables
from irci.stats.scales import reference_factors, standardised
from irci.studies.stdap_ci.request import (
    Factors,
    References,
    StdapCiRequest,
    check_references,
    factors_of,
    references_of,
)
from irci.studies.stdap_ci.type_one import tables_of_experiment

FEW = 10  # clusters: limits over fewer hold if their means are near to normal


def stdap_ci(request: StdapCiRequest, inputs: Inputs) -> Report:
    """Report of the mean score that a new sample of topics would give, comparable across papers."""
    request.refuse_contradictions()
    table, files = scores_of(inputs, request.measures)
    signature = {
        "command": "stdap-ci", **request.signature(), **inputs.signature(), "num_runs": len(table.runs),
    }  # fmt: skip
    sources = among(NEW_TOPICS, ["topics", signature.get("units")])
    if request.validate is not None:
        shown = list(tables_of_experiment(request, table))
        told = (
            "An exact interval would miss the mean of all topics in a share alpha of the samples, or less without"
            " replacement.",
            "mean, sd and max are over runs; the finite-population factor is that of samples without replacement.",
        )
        return Report(shown, signature, lambda: told, files=files, sources=sources)
    warn_of_one_topic(len(table.topics))
    clusters = _clusters(request, table, of_all=inputs.topics is None)
    references = references_of(request, table)
    factors = factors_of(request, table, references)
    if request.save_factors is not None:
        files[request.save_factors] = as_lines(factors, table.topics)
    names = references.factors or " ".join(table.runs[run] for run in references.places)
    found = list(_tables(request, table, references, factors, clusters))
    return Report(
        tables=found,
        signature=signature | {"reference_runs": names},
        explain=lambda: _explanation(request, found, names),
        conclude=lambda: highest_means(means_in(found), request.confidence, TOPICS),
        files=files,
        caption=lambda _: Caption(
            f"Means over {plural(len(table.topics), 'topic')}{_in_clusters(request, clusters)}"
            f"{_standardised(request, references)}",
            f"{100 * request.confidence:g}% confidence limits over {'topics' if clusters is None else 'clusters'}"
            f" ({_kinds(request, clusters, found)})",
        ),
        sources=sources,
    )


def _clusters(request: StdapCiRequest, table: Scores, *, of_all: bool) -> Ints | None:
    """The cluster of each topic, if they come in some; warns of few, and `of_all`, of topics that only the file has."""
    if request.clusters is None:
        return None
    found = request.clusters.of_topics(table.topics, are_all=of_all)
    if len(found.names) == 1:
        raise DataError(f"{request.clusters.given}: one cluster: nothing can be said about others")
    if len(found.names) < FEW:
        few = f"only {plural(len(found.names), 'cluster')}"
        logger.warning(f"{few}: limits over clusters are usually wide, and assume that clusters are alike")
    return found.place


def _kinds(request: StdapCiRequest, clusters: Ints | None, found: Sequence[Table]) -> str:
    if clusters is not None and request.mean != "clusters":
        return "CR2"
    return kinds_in_words(str(row["interval"]) for table in found if table.kind == "estimate" for row in table.rows)


def _in_clusters(request: StdapCiRequest, clusters: Ints | None) -> str:
    if clusters is None:
        return ""
    alike = ", each weighted equally," if request.mean == "clusters" else ""
    return f" in {plural(int(clusters.max()) + 1, 'cluster')}{alike}"


def _standardised(request: StdapCiRequest, references: References) -> str:
    if request.standardise == "none":
        return ""
    by = references.factors or plural(len(references.places), "reference run")
    how = {"z": "z scores", "cdf": "normal distribution function of z scores", "ab": "std-AB"}[request.standardise]
    return f" of standardised scores ({how}, {by})"


def _explanation(request: StdapCiRequest, found: Sequence[Table], names: str) -> Iterator[str]:
    yield from sentences_of_means(means_in(found), request.confidence, TOPICS)
    if request.standardise != "none":
        yield f"Scores are standardised by {names}, and compare only with scores standardised by these."
        yield "To let others compare, report with a mean its sd, the number of topics and the reference systems."


def _tables(
    request: StdapCiRequest, table: Scores, references: References, factors: Factors, clusters: Ints | None
) -> Iterator[Table]:
    for name, (_, sd) in factors.items():
        undefined = np.isnan(sd)
        warn_of_topics(name, "without reference scores that differ, dropped", where(table.topics, undefined))
        if undefined.all():
            raise DataError(f"{name}: no topic is left to standardise")
        if not references.factors:
            check_references(name, table.values[name], references, request)
    raw_ends = _ends_of(table)
    for index, run in enumerate(table.runs):
        scores = _scores_of(request, table, index, references, factors)
        if request.per_topic:
            yield from tables("topic", "", _rows_of_topics(run, table.topics, scores))
        if not request.no_summary:
            yield from tables("estimate", "", _rows_of_means(request, run, scores, clusters, raw_ends))


def _ends_of(table: Scores) -> dict[str, Ends]:
    """The ends of the scales of measures that have any, by name."""
    found = {}
    for name, values in table.values.items():
        measure = named(name)
        ends = ends_of_scales([measure], [{measure.base.name: values}], None, None).get(measure.name)
        if ends is not None and lie_within(values, ends):
            found[name] = ends
    return found


class StandardisedRun(NamedTuple):
    """One run's scores by a measure.

    raw_name: str  # the measure
    name: str  # under which standardised scores are printed; the measure where scores stay as they are
    raw: Floats  # [T]
    scores: Floats  # [T], standardised, or as they are
    """

    raw_name: str
    name: str
    raw: Floats
    scores: Floats


def _scores_of(
    request: StdapCiRequest, table: Scores, place: int, references: References, factors: Factors
) -> list[StandardisedRun]:
    if request.standardise == "none":
        return [StandardisedRun(name, name, values[place], values[place]) for name, values in table.values.items()]
    pattern = {"z": "s{}", "cdf": "{}_std_cdf", "ab": "{}_std_ab"}[request.standardise]
    found = []
    for name, values in table.values.items():
        mean, sd = factors[name]
        if references.others_alone:
            mean, sd = reference_factors(values[[run for run in references.places if run != place]])
        scores = standardised(values[place], mean, sd, request.standardise)
        found.append(StandardisedRun(name, pattern.format(name), values[place], scores))
    return found


def _rows_of_topics(run: str, topics: Sequence[str], of_run: Sequence[StandardisedRun]) -> Iterator[Row]:
    for (place, topic), of_measure in itertools.product(enumerate(topics), of_run):
        if not np.isnan(of_measure.scores[place]):
            raw: Row = {} if of_measure.name == of_measure.raw_name else {"raw": float(of_measure.raw[place])}
            yield {
                "measure": of_measure.name, "topic": topic, "value": float(of_measure.scores[place]),
                "lower": math.nan, "upper": math.nan, "run": run, **raw,
            }  # fmt: skip


def _rows_of_means(
    request: StdapCiRequest,
    run: str,
    of_run: Sequence[StandardisedRun],
    clusters: Ints | None,
    raw_ends: Mapping[str, Ends],
) -> Iterator[Row]:
    for of_measure in of_run:
        is_raw = of_measure.name == of_measure.raw_name
        ends = raw_ends.get(of_measure.raw_name)
        of_raw = _mean(request, of_measure.raw, clusters, ends)
        found = of_raw
        if not is_raw:
            ends = UNIT if request.standardise in ("cdf", "ab") else None
            found = _mean(request, of_measure.scores, clusters, ends)
        row: dict[str, Cell] = {
            "measure": of_measure.name, "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": run, "population": "clusters", "df": found.df, "sd": found.sd, "topics": found.topics,
            "clusters": found.clusters, "interval": NO_WORD if math.isnan(found.lower) else found.kind,
        }  # fmt: skip
        if clusters is None:
            row = {name: row[name] for name in row if name not in ("population", "df", "clusters")}
        if not is_raw:
            row |= {"raw": of_raw.value, "lower_raw": of_raw.lower, "upper_raw": of_raw.upper}
        # Standardised scores are z scores, without bounds, or in [0, 1].
        is_bounded = named(of_measure.name).is_bounded if is_raw else ends is not None
        yield Bounded(row) if is_bounded else row


def _mean(request: StdapCiRequest, scores: Floats, clusters: Ints | None, ends: Ends | None) -> Mean:
    """The mean of scores[T], for other topics or other clusters."""
    if clusters is None:
        return interval_of(scores, request.confidence, ends)
    by_cluster = request.mean == "clusters"
    found = clustered_interval(scores, clusters, request.confidence, by_cluster=by_cluster, ends=ends)
    if ends is not None and found.clusters not in (0, 1, found.topics):
        return _on_scale(found, scores, clusters, request, ends)
    return found


def _on_scale(found: Mean, scores: Floats, clusters: Ints, request: StdapCiRequest, ends: Ends) -> Mean:
    """The mean with limits over clusters that end where the scale does, bounded where topics' scores are such an end or
    hardly vary."""
    limits, scored = on_scale((np.array([found.lower]), np.array([found.upper])), ends), ~np.isnan(scores)
    groups = Groups(clusters[scored], np.zeros(int(scored.sum()), np.uint64), by_group=request.mean == "clusters")
    alone = np.array([[0, NOTHING]])
    bounded = groups.bounded(scores[scored][np.newaxis], alone, ends, "auto", request.confidence)
    if bounded.some[0]:
        limits = bounded.no_surer_than(limits, np.full(1, np.nan)).limits
    kind = "bounded" if bounded.some[0] else "t"
    return found._replace(lower=limits[0].item(), upper=limits[1].item(), kind=kind)


class Summary(NamedTuple):
    """Published figures: a mean over topics, its standard deviation, and the reference systems' name if it is known."""

    name: str
    mean: float
    sd: float
    topics: int
    reference: str = ""


def summaries_compared(summaries: Sequence[Summary], confidence: float) -> Report:
    """The interval of each published mean, and the difference of every two; refused where the references differ."""
    references = sorted({summary.reference for summary in summaries if summary.reference})
    if len(references) > 1:
        raise DataError(f"different reference systems ({', '.join(references)}): not comparable")
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
        sources=among(NEW_TOPICS, ["topics"]),
    )


def _compared(differences: Sequence[Row], confidence: float) -> Iterator[str]:
    for row in differences:
        value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p"))
        if math.isnan(p):
            continue
        told = "not enough evidence to tell which scores higher"
        if reaches(p, 1 - confidence):
            told = f"evidence that {row['run']} scores {'higher' if value > 0 else 'lower'}"
        yield (
            f"{row['run']} minus {row['baseline']} is {amount(value)}, {amount(lower)} to {amount(upper)} with"
            f" {100 * confidence:g}% confidence ({p_text(p)}): {told}."
        )
