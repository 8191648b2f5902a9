"""ap-ci: each topic's score with its limits, and their mean; ap-ci and map-ci --validate: how often intervals from one half of
the documents contain the scores on the other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import NormalDist

import numpy as np

from irci.base import DataError, UsageError
from irci.base.choices import DOCUMENTS
from irci.base.types import Floats, Ints
from irci.comparison.means import sentences_of_means, sources_of
from irci.data.collection import Relevance
from irci.data.experiment import Experiment, ExperimentRun, files_of, scored_by
from irci.data.inputs import Inputs, where
from irci.data.parts import halves, within_part
from irci.data.score_tables import completed, score_files, standardised_scores
from irci.data.scores import Scores, without_missing
from irci.estimators import ap_ci as method
from irci.estimators.ap_ci import ApIntervals, IntervalMethod, without_limits
from irci.measures import MAP, Measure, named
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import Bounded, Cell, Row, Table, number, tables
from irci.stats.intervals import normal_quantile, resamples_needed
from irci.wording import Notice, interval_in_words, notices_of_run, notify, say, tell_of_runs, warn_of_few_resamples

# Of each run its topics, and for each measure their intervals.
ByRun = dict[str, tuple[Sequence[str], list[ApIntervals]]]


def ap_ci(request: Asked, inputs: Inputs) -> Report:
    """Report of how precise each topic's average precision is, or its score by other measures."""
    not_ap = [measure.name for measure in request.measures if measure.family is not MAP.family]
    if not_ap and request.interval in ("bca", "parametric"):
        raise UsageError(f"--interval {request.interval} is for map, not for {', '.join(not_ap)}.")
    unbounded = [measure.name for measure in request.measures if not (measure.is_bounded or measure.is_count)]
    if unbounded and request.interval == "logit":
        raise UsageError(f"--interval logit needs scores between 0 and 1, which {', '.join(unbounded)} does not have.")
    # No documents are resampled for scores that depend on other runs.
    is_standardised = inputs.standardise is not None
    settings = request.record(IntervalMethod, resamples=0 if is_standardised else request.resamples)
    limits: ByRun = {}
    if inputs.scores:
        table = completed(score_files(inputs, request.measures), inputs).made
    else:
        table, limits = _resampled(request, settings, inputs)
    by_topics = "(irci map-ci gives limits over topics)"
    of_mean = "it is a mean of logits or logarithms of scores; irci map-ci has its limits"
    why_none = {
        measure.name: "a count has none" if measure.is_count else of_mean
        for measure in request.measures
        if not settings.gives_limits(measure)
    }
    if is_standardised:
        why_none = {"standardised scores": f"they depend on the other runs {by_topics}"}
    elif inputs.scores:
        why_none = {"files of scores": f"they have no documents to resample {by_topics}"}
    for name, why in why_none.items() if request.interval == "parametric" or request.resamples > 0 else ():
        notify("lacking", measure=name, what="limits", who="", why=why)
    files = files_of(inputs, table)
    if is_standardised:
        table, limits = standardised_scores(table, inputs), {}
    scores = [(named(name), values) for name, values in table.values.items()]
    results: ByRun = {
        run: limits.get(run) or (table.topics, [without_limits(own[row], measure) for measure, own in scores])
        for row, run in enumerate(table.runs)
    }
    kinds = dict.fromkeys(settings.kind_of(measure) for measure, _ in scores if settings.gives_limits(measure))
    means = [row for table in tables_of_runs(results, per_topic=False, summary=True) for row in table.rows]
    remarks, lists_topics = [], not request.tables or "topic" in request.tables
    if len(results) == 1 and lists_topics:
        ((topics, of_run),) = results.values()
        for result in of_run:
            width = result.upper - result.lower
            if result.measure.is_of_topics and not np.isnan(width).all():
                index = int(np.nanargmax(width))
                interval = interval_in_words(float(result.lower[index]), float(result.upper[index]))
                remarks.append(say("ap_ci.widest", measure=result.measure.name, topic=topics[index], interval=interval))
    if any(not math.isnan(number(row, "lower")) for row in means):
        remarks.append(say("ap_ci.topics_stay"))
    return Report(
        tables=tables_of_runs(results, per_topic=lists_topics, summary=not request.no_summary),
        signature={
            "command": "ap-ci",
            **settings._asdict() | {"interval": " ".join(kinds) or settings.kind_of(MAP)},
            **inputs.signature(),
            "scores": inputs.scores,
            "standardise": inputs.standardise,
            "measures": " ".join(table.values),
            "num_topics": len(table.topics),
        },
        explain=lambda: [*sentences_of_means(means, request.confidence, DOCUMENTS), *remarks],
        conclude=lambda: [*sentences_of_means(means, request.confidence, DOCUMENTS, is_short=True), *remarks],
        drawn=lambda: tables_of_runs(results, per_topic=True, summary=True),
        files=files,
        caption=tuple,
        sources=sources_of("ap"),
    )


def _resampled(request: Asked, settings: IntervalMethod, inputs: Inputs) -> tuple[Scores, ByRun]:
    """The scores of runs, and their intervals."""
    measures, lists_topics = request.measures or [MAP], not request.tables or "topic" in request.tables
    for kind in dict.fromkeys(map(settings.kind_of, filter(settings.gives_limits, measures))):
        if lists_topics and kind in ("percentile", "bca"):
            least = resamples_needed(settings.confidence)
            warn_of_few_resamples(kind, settings.resamples, least, settings.confidence, ", or --interval logit")
    experiment = Experiment(inputs, measures)
    # Measures that look at the same documents share their ranks; those without limits need none.
    with_limits = {measure.sees: measure for measure in measures if settings.gives_limits(measure)}
    relevances = {sees: experiment.relevance(measure) for sees, measure in with_limits.items()}
    results, notices = ByRun(), list[Notice]()

    def resample(run: ExperimentRun) -> None:
        kept, topics = run.kept, where(experiment.topics, run.kept)
        ranks = {sees: relevance.of_run(run.judged).only(kept) for sees, relevance in relevances.items()}
        results[run.name] = topics, [
            method.ap_ci(
                run.scores(measure)[kept], ranks[measure.sees], experiment.keys[kept], settings, measure=measure,
                threads=inputs.threads,
            )
            if settings.gives_limits(measure) else without_limits(run.scores(measure)[kept], measure)
            for measure in measures
        ]  # fmt: skip
        for measure, result in zip(measures, results[run.name][1], strict=True) if lists_topics else ():
            is_percentile = settings.kind_of(measure) == "percentile"
            hint = " (one topic shows little: look at the mean)" if is_percentile else "; try --interval percentile"
            width = np.clip(result.upper, 0, 1) - np.clip(result.lower, 0, 1)
            for happens, affected in (
                ("without BCa limits, percentile taken", result.fallen_back),
                (f"with an interval wider than 0.9{hint}", width > 0.9),
            ):
                notices.extend(notices_of_run(run.name, happens, where(topics, affected), about=measure.name))

    (table,) = scored_by([experiment], measures, [resample])
    tell_of_runs(notices)
    return without_missing(table, inputs)._replace(whole=table), results


def tables_of_runs(results: ByRun, *, per_topic: bool, summary: bool) -> list[Table]:
    """Run after run, its topics and its means."""
    printed: list[Table] = []
    for run, (topics, of_run) in results.items():
        if per_topic:
            printed += tables("topic", "", (
                _row(
                    result.measure, topic, run, bool(result.corrected[index]), result.value[index], result.lower[index],
                    result.upper[index],
                )
                for index, topic in enumerate(topics) for result in of_run
                if result.measure.is_of_topics and not np.isnan(result.value[index])
            ))  # fmt: skip
        if summary:
            printed += tables("estimate", "", (
                _row(result.measure, "all", run, False, result.summary, result.summary_lower, result.summary_upper)
                for result in of_run if not np.isnan(result.summary)
            ))  # fmt: skip
    return printed


def _row(measure: Measure, topic: str, run: str, corrected: bool, value: float, lower: float, upper: float) -> Row:
    row: dict[str, Cell] = {
        "measure": measure.name, "topic": topic, "value": round(value) if measure.is_count else float(value),
        "lower": float(lower), "upper": float(upper), "run": run, "corrected": corrected,
    }  # fmt: skip
    return Bounded(row) if measure.is_bounded else row


# Split-half validation.


def validation(request: Asked, inputs: Inputs) -> Report:
    """How many scores lie below, in and above intervals from the other half: ap-ci tries those of topics, map-ci of means."""
    if request.resamples == 0:
        raise UsageError("--validate needs resamples: use -B 2 or more.")
    settings, is_of_topics = request.record(IntervalMethod), request.command.name == "ap-ci"
    measures = (request.measures if is_of_topics else ()) or [MAP]
    experiment = Experiment(inputs.replaced(missing="drop", no_relevant="drop"), measures)
    splits = halves(request.validate, settings.seed)
    halves_of: dict[Measure, list[list[Relevance]]] = {}  # split after split
    for measure in measures:
        relevance = experiment.relevance(measure)
        halves_of[measure] = [method.in_halves(experiment.qrels, relevance, split) for split in splits]
        has_relevant = np.array([[half.num_relevant > 0 for half in of_split] for of_split in halves_of[measure]])
        if not has_relevant.all(axis=1).any():
            raise DataError(f"{experiment.qrels.path}: no topic has relevant documents in both halves")
    outcomes: dict[Measure, list[list[tuple[Ints, Floats]]]] = {measure: [] for measure in measures}
    for run in experiment.runs():
        listed, docnos = run.judged.retrieved > 0, run.run.docnos.take(run.judged.lines)
        for measure in measures:
            outcomes[measure].append([])  # split after split, both directions each
        for place, split in enumerate(splits):
            part = split(docnos)
            judged = [within_part(run.judged, part == half) for half in (0, 1)]
            for measure in measures:
                first, second = method.on_halves(judged, halves_of[measure][place], measure)
                outcomes[measure][-1] += [
                    method.outcome(here, there, listed, experiment.keys, settings, measure, threads=inputs.threads)
                    for here, there in ((first, second), (second, first))
                ]
    # One split: either direction separately; several: all together.
    directions = {"A": slice(0, 1), "B": slice(1, 2)} if len(splits) == 1 else {"both": slice(None)}
    predicted = 200 * NormalDist().cdf(normal_quantile(settings.confidence) / math.sqrt(2)) - 100  # by the model
    printed: list[Table] = []
    for measure, of_runs in outcomes.items():
        topics, means = (np.array([[outcome[kind] for outcome in of_run] for of_run in of_runs]) for kind in (0, 1))
        if not topics.any():
            raise DataError("no run has a topic with relevant documents in both halves")
        if is_of_topics:
            rows = _topic_rows(measure, topics.sum(axis=0), directions, settings.small_r, predicted)
        else:
            rows = _mean_rows(means, directions, predicted)
        printed += tables("in_interval", "", rows)
    return Report(
        tables=printed,
        signature={
            "command": f"{request.command.name} --validate", "resamples": settings.resamples,
            "confidence": settings.confidence, "seed": settings.seed, "small_r": settings.small_r,
            "validate": request.validate, "published": settings.published, **experiment.inputs.signature(),
            "measures": " ".join(measure.name for measure in measures),
            "num_runs": len(outcomes[measures[0]]),
        },
        explain=lambda: [_sentence(table.rows, settings.confidence) for table in printed],
        sources=sources_of("halves"),
    )  # fmt: skip


def _shares(interval: str, counts: Ints, predicted: float) -> Row:
    """Percentages below, in and above an interval by counts[cases, 3], cases one split and direction each, on average, and the
    standard deviation of that inside over cases. Cases without lists take no part."""
    total = counts.sum(axis=1)
    percent = 100 * counts[total > 0] / total[total > 0, np.newaxis]
    below, inside, above = percent.mean(axis=0).tolist() if len(percent) else [math.nan] * 3
    sd = float(percent[:, method.INSIDE].std(ddof=1)) if len(percent) > 1 else math.nan
    return {"interval": interval, "below": below, "in": inside, "above": above, "sd": sd, "predicted": predicted}


def _topic_rows(
    measure: Measure, counts: Ints, directions: Mapping[str, slice], small_r: str, predicted: float
) -> Iterator[Row]:
    """The paper's Tables 1 and 2, by counts as of `outcome` of each case. Only AP's intervals are corrected."""
    rules = ("none", small_r) if measure.family is MAP.family else ("none",)
    for direction, cases in directions.items():
        for (column, correction), many, (kind, name) in product(enumerate(rules), (0, 1), enumerate(method.KINDS)):
            if "logit" in name and not measure.is_bounded:
                continue
            of_cases = counts[cases, kind, column, many]
            yield {
                **_shares(f"{name}/bootstrap", of_cases, predicted if name in method.MODELLED else math.nan),
                "direction": direction, "relevant": "R>5" if many else "all", "correction": correction,
                "measure": measure.name,
            }  # fmt: skip


def _mean_rows(means: Floats, directions: Mapping[str, slice], predicted: float) -> Iterator[Row]:
    """How many of means[runs, cases, method.MEANS, 4], as of `outcome`, are below, in and above their intervals."""
    value, lower, upper, other = np.moveaxis(means, -1, 0)
    below, above = other < lower, other > upper
    counts = np.stack([below, ~(below | above | np.isnan(value)), above], axis=-1).sum(axis=0)
    for (direction, cases), (column, name) in product(directions.items(), enumerate(method.MEANS)):
        yield {**_shares(name, counts[cases, column], predicted), "direction": direction}


def _sentence(rows: Sequence[Row], confidence: float) -> str:
    """How often the default interval contains the score on the other half: the last of logit ones on all topics."""
    *_, row = [
        row for row in rows if row["interval"] in ("logit/bootstrap", method.MEANS[0]) and row.get("relevant") != "R>5"
    ]
    facts = {"about": row.get("measure", "means of AP"), "within": row["in"], "confidence": 100 * confidence}
    return say("validation.shares", **{**row, **facts})
