"""stdap-ci: the mean score that a new sample of topics would give, comparable across papers by reference systems.

Scores are standardised by the mean and standard deviation of reference runs, topic by topic. Published means are compared by
their standard deviations; --validate repeats the paper's type I experiment.
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from irci.base import BLANKS, DataError, UsageError, first_names, places_by_name, plural, unknown
from irci.base.choices import TOPICS
from irci.base.streams import Purpose, seed_word
from irci.base.types import Floats, all_pairs, reaches
from irci.comparison.means import means_in, sentences_of_means, sources_of
from irci.data.inputs import Inputs, where
from irci.data.rules import as_lines, grouped_topics, read_factors
from irci.data.score_tables import scores_of
from irci.data.scores import UNIT, Scores, ends_of_scales, lie_within
from irci.estimators.grouped import Groups
from irci.estimators.stdap_ci import means_of, type_one
from irci.measures import named
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import NO_WORD, Bounded, Row, Table, rows_of, tables
from irci.stats.scales import reference_factors, standardised
from irci.stats.tests import Estimates, different_rows, welch
from irci.wording import notify, p_text, say, warn_of_few_groups, warn_of_topics

OTHERS = "others"
# How often 95% limits of z scores miss, of a run outside so many references or more, on topics of TREC collections drawn anew.
MISSED = ((5, "6 to 17%"), (0, "10 to 25%"))
ENOUGH_REFERENCES = 10
FEW_REFERENCES = 5  # fewer have a standard deviation on a topic that says little
FEWEST_REFERENCES = 3  # of two runs each is as far from their mean as the other, on every topic
NAMES = {"z": "s{}", "cdf": "{}_std_cdf", "ab": "{}_std_ab", "none": "{}"}  # of measures of standardised scores
# Usual sizes of samples: 5 at all levels, as in the paper's Tables 1 to 5, others at the first one, as in 6 and 7.
AT_ALL_LEVELS, USUAL_SIZES = 5, (2, 5, 10, 20, 50)
ALPHAS = tuple(round(0.05 * step, 2) for step in range(1, 11))
# The options that the signature names; the rest are with the inputs, or in rows.
SIGNED = (
    "per_topic", "no_summary", "reference", "save_factors", "standardise", "validate", "confidence", "seed",
)  # fmt: skip
Factors = dict[str, tuple[Floats, Floats]]  # of each measure the mean and sd of each topic
# The places of the reference runs, by name, so that the order of runs changes no last bit; the file of means and standard
# deviations in their place, "" for none; and whether each run is standardised by the others of them.
References = tuple[list[int], str, bool]


def random_references(request: Asked) -> int:
    """How many references are drawn at random; 0: they are not."""
    match = re.fullmatch(r"random:(\d+)", request.reference or "")
    return int(match[1]) if match else 0


def stdap_ci(request: Asked, inputs: Inputs) -> Report:
    """Report of the mean score that a new sample of topics would give, comparable across papers."""
    is_sampled = request.reference is None or random_references(request) > 0
    if request.validate is not None and (request.standardise in ("cdf", "ab") or not is_sampled):
        raise UsageError("--validate takes z scores by all runs or by --reference random:N, or --standardise none.")
    (table,), files = scores_of(inputs.replaced(standardise=None), request.measures)
    most = len(table.topics) / 2 if request.validate is not None else 0
    sizes = request.sizes or [size for size in USUAL_SIZES if size == AT_ALL_LEVELS or size <= most]
    signature = {"command": "stdap-ci", **{name: getattr(request, name) for name in SIGNED}, **inputs.signature()}
    signature |= {"sizes": " ".join(map(str, sizes)), "num_runs": len(table.runs), "num_topics": len(table.topics)}
    if request.clusters is not None:
        signature |= {"units": "clusters", "clusters": request.clusters.given, "mean": request.mean or "topics"}
    sources = sources_of("new-topics", ["topics", signature.get("units")])
    if request.validate is not None:
        printed = list(_tables_of_type_one(request, table, sizes))
        sentences = [say("stdap_ci.type_one"), say("stdap_ci.type_one_columns")]
        return Report(printed, signature, lambda: sentences, files=files, sources=sources)
    warn_of_few_groups(len(table.topics), "topic", few=2)
    clusters = None if request.clusters is None else _clusters(request, table)
    references = runs, factors_file, _ = _references(request, table)
    factors, scaled = _standardised(request, table, references)
    if request.save_factors is not None:
        files[request.save_factors] = as_lines(factors, table.topics)
    names = [factors_file] if factors_file else [table.runs[run] for run in runs]
    printed = list(_tables(request, table, scaled, clusters))
    means, by_runs, by, comparable = [*means_in(printed)], list[str](), list[str](), list[str]()
    if request.standardise != "none":
        scale = say(f"stdap_ci.scale_{request.standardise}")
        by_runs = [f"{scale[:1].upper()}{scale[1:]} by {first_names(names)}"]
        by = [say("stdap_ci.references", by=by_runs[0])]
        comparable = [say("stdap_ci.comparable"), say("stdap_ci.to_compare", scale=request.standardise)]
    return Report(
        tables=printed,
        signature=signature | {"reference_runs": " ".join(names)},
        explain=lambda: [*sentences_of_means(means, request.confidence, TOPICS), *by, *comparable],
        conclude=lambda: [*sentences_of_means(means, request.confidence, TOPICS, is_short=True), *by],
        files=files,
        caption=lambda: [f"{by}." for by in by_runs],
        sources=sources,
    )


def _clusters(request: Asked, table: Scores) -> Groups:
    """The clusters that topics come in."""
    groups = grouped_topics(request.clusters, "cluster", table.topics, are_all=request.topics is None)
    if len(groups.names) == 1:
        raise DataError(f"{request.clusters.given}: one cluster: nothing can be said about others")
    warn_of_few_groups(len(groups.names), "cluster")
    return Groups(groups.place, np.zeros(len(table.topics), np.uint64), by_group=request.mean == "clusters")


def _references(request: Asked, table: Scores) -> References:
    """The references asked for: runs by name; else the other runs of each, runs drawn at random, or a file of factors."""
    order = places_by_name(table.runs)
    if request.reference is None:
        return order, "", False
    names = [name.strip(BLANKS) for name in request.reference.split(",")]
    if not (strangers := [name for name in names if name not in table.runs]):
        return [run for run in order if table.runs[run] in names], "", False
    if request.reference == OTHERS:
        return order, "", True
    if drawn_number := random_references(request):
        if drawn_number > len(table.runs):
            raise DataError(f"--reference {request.reference}: there are only {len(table.runs)} runs")
        rng = np.random.default_rng(int(seed_word(request.seed, Purpose.REFERENCES)))
        drawn = rng.choice(len(order), drawn_number, replace=False)
        return [order[index] for index in sorted(drawn.tolist())], "", False
    if os.path.exists(request.reference):
        return [], request.reference, False
    raise DataError(unknown("run", strangers[0], table.runs))


def _different_references(measure: str, scores: Floats, others: int = 0) -> int:
    """How many runs with scores[m, T], but for so many, are not copies on common topics; DataError for fewer than three."""
    different = different_rows(scores[:, ~np.isnan(scores).any(axis=0)]) - others
    if different < FEWEST_REFERENCES:
        raise DataError(
            f"{measure}: only {plural(different, 'different reference system')}: standardised scores need"
            f" {FEWEST_REFERENCES} or more (--reference)"
        )
    return different


def _standardised(request: Asked, table: Scores, references: References) -> tuple[Factors, dict[str, Floats]]:
    """The factors of each measure, if there are any, and the scores float64[R, T] standardised by them."""
    if request.standardise == "none":
        return {}, dict(table.values)
    runs, path, are_others = references
    read = read_factors(path, table.topics) if path else {}
    if lacking := [name for name in table.values if path and named(name).canonical not in read]:
        raise DataError(f"{path}: no factors of {', '.join(lacking)}")
    is_used = request.per_topic or not request.no_summary or request.save_factors is not None
    factors, scaled = Factors(), dict[str, Floats]()
    for name, values in table.values.items():
        if is_used and not path:
            different = _different_references(name, values[runs], int(are_others))
            is_outside = len(runs) < len(values) or are_others
            _warn_of_few_references(name, different, has_z_outside=request.standardise == "z" and is_outside)
        mean, sd = factors[name] = read.get(named(name).canonical) or reference_factors(values[runs])
        is_absent, is_constant = np.isnan(mean), np.isnan(sd) & ~np.isnan(mean)
        warn_of_topics(name, "without reference scores, dropped", where(table.topics, is_absent))
        warn_of_topics(name, "on which reference scores do not differ, dropped", where(table.topics, is_constant))
        if np.isnan(sd).all():
            why = ": reference scores are of other topics" if is_absent.all() else ""
            raise DataError(f"{name}: no topic is left to standardise{why}")
        if are_others:  # of each run by the others, [R, T]
            by_others = [reference_factors(np.delete(values[runs], place, axis=0)) for place in range(len(runs))]
            mean, sd = np.array(by_others).swapaxes(0, 1)[:, np.argsort(runs)]
        scaled[name] = standardised(values, mean, sd, request.standardise)
    return factors, scaled


def _warn_of_few_references(name: str, different: int, *, has_z_outside: bool) -> None:
    """Say what so few references mean; `has_z_outside`: for z scores of runs that are none of them."""
    if has_z_outside and different < ENOUGH_REFERENCES:
        missed = next(share for least, share in MISSED if different >= least)
        then = f"limits of z scores of a run that is not one of them miss in {missed} of samples where 5% is due"
        then += " (1 to 7% by --standardise cdf)"
    elif different < FEW_REFERENCES:
        then = "standardised scores depend strongly on which these are"
    else:
        return
    notify("few_units", number=f"{plural(different, 'different reference run')} of {name}", then=then)


def _tables(request: Asked, table: Scores, scaled: dict[str, Floats], clusters: Groups | None) -> Iterator[Table]:
    """Run after run, its topics and its means."""
    means = {name: _rows_of_means(request, table, name, values, clusters) for name, values in scaled.items()}
    for run, run_name in enumerate(table.runs):
        if request.per_topic:
            yield from tables("topic", "", (
                {
                    "measure": NAMES[request.standardise].format(name), "topic": topic, "value": float(values[run, index]),
                    "lower": math.nan, "upper": math.nan, "run": run_name,
                    **({} if request.standardise == "none" else {"raw": float(table.values[name][run, index])}),
                }
                for (index, topic), (name, values) in product(enumerate(table.topics), scaled.items())
                if not np.isnan(values[run, index])
            ))  # fmt: skip
        if not request.no_summary:
            yield from tables("estimate", "", [rows[run] for rows in means.values()])


def _rows_of_means(request: Asked, table: Scores, name: str, scores: Floats, clusters: Groups | None) -> Sequence[Row]:
    """The mean of each run's scores[R, T], and that of the raw ones, whose scale may have ends."""
    measure, raw_scores, further = named(name), table.values[name], dict[str, Any]()
    ends = ends_of_scales([measure], [{measure.base.name: raw_scores}], None, None).get(measure.name)
    ends = ends if ends is not None and lie_within(raw_scores, ends) else None
    tested, sd, topics = means_of(raw_scores, request.confidence, ends, clusters)
    is_bounded = measure.is_bounded
    if request.standardise != "none":
        lower, upper = tested.limits
        further = {"raw": tested.of.value, "lower_raw": lower, "upper_raw": upper}
        is_bounded = request.standardise in ("cdf", "ab")  # z scores have no ends
        tested, sd, topics = means_of(scores, request.confidence, UNIT if is_bounded else None, clusters)
    of, (lower, upper) = tested.of, tested.limits
    in_clusters: dict[str, Any] = {} if clusters is None else {"population": "clusters", "df": of.df}
    counted = {} if clusters is None else {"clusters": of.units}
    rows = rows_of(
        measure=NAMES[request.standardise].format(name), topic="all", value=of.value, lower=lower, upper=upper,
        run=table.runs, **in_clusters, sd=sd, topics=topics, **counted,
        interval=np.where(np.isnan(lower), NO_WORD, tested.interval), **further,
    )  # fmt: skip
    return [Bounded(row) for row in rows] if is_bounded else rows


# Published means.


def summaries_compared(summaries: Sequence[tuple[str, float, float, int, str]], confidence: float) -> Report:
    """The interval of each published mean, and the difference of every two; refused where the references differ.

    `summaries`: a name, a mean over topics, its standard deviation, their number, and the reference systems' name or "".
    """
    references = sorted({reference for *_, reference in summaries if reference})
    if len(references) > 1:
        raise DataError(f"different reference systems ({', '.join(references)}): not comparable")
    names, *figures, _ = map(list, zip(*summaries, strict=True))
    if repeated := [name for index, name in enumerate(names) if name in names[:index]]:
        raise DataError(f"two summaries are named {repeated[0]!r}")
    mean, sd, topics = map(np.array, figures)
    lower, upper = Estimates(mean, sd / np.sqrt(topics), topics - 1.0, topics).limits(confidence)
    estimates = rows_of(
        measure="summary", topic="all", value=mean, lower=lower, upper=upper, run=names, sd=sd, topics=topics
    )
    sides = all_pairs(len(names)).T[::-1]  # each less those before it
    of, number_of = welch(mean[sides], sd[sides], topics[sides]), topics[sides]
    (lower, upper), p = of.limits(confidence), of.p()
    pooled = np.sqrt(((number_of - 1) * sd[sides] ** 2).sum(axis=0) / (number_of.sum(axis=0) - 2))
    effect_size = np.divide(of.value, pooled, out=np.full(len(p), np.nan), where=of.error > 0)
    runs, baselines = np.array(names, object)[sides]
    differences = rows_of(
        measure="summary_diff", topic="all", value=of.value, lower=lower, upper=upper, run=runs, baseline=baselines, p=p,
        effect_size=effect_size, df=of.df, test="welch",
    )  # fmt: skip
    verdicts = np.where(reaches(p, 1 - confidence), np.where(of.value > 0, "higher", "lower"), "inconclusive")
    sentences = [
        say(f"stdap_ci.{verdict}", **{**row, "confidence": 100 * confidence, "p": p_text(p_of_pair)})
        for row, verdict, p_of_pair in zip(differences, verdicts, p.tolist(), strict=True)
        if not math.isnan(p_of_pair)
    ]
    return Report(
        tables=[*tables("estimate", "", estimates), *tables("difference", "summary", differences)],
        signature={"command": "stdap-ci", "confidence": confidence},
        explain=lambda: [*sentences_of_means(estimates, confidence, TOPICS), *sentences],
        sources=sources_of("new-topics", ["topics"]),
    )


# The type I experiment.


def _tables_of_type_one(request: Asked, table: Scores, sizes: Sequence[int]) -> Iterator[Table]:
    """For each measure the paper's Tables 1 to 8: AP's by its own name, sAP's by that of standardised scores."""
    references = random_references(request) or (0 if request.standardise == "none" else -1)
    label = {0: "none", -1: "all"}.get(references, str(references))
    order = places_by_name(table.runs)
    if len(order) < max(2, references):
        raise DataError(f"too few runs: give at least {max(2, references)}")
    assert request.validate is not None
    for name, values in table.values.items():
        # Of the topics on which all runs have scores, and the references differ; enough of them.
        scores = values[order][:, ~np.isnan(values).any(axis=0)]
        if references == -1:
            scores = scores[:, ~np.isnan(reference_factors(scores)[1])]
        topics = scores.shape[1]
        if not topics:
            raise DataError(f"{name}: no topic on which all runs have scores that differ")
        if max(sizes) > topics:
            raise DataError(f"{name}: --sizes {max(sizes)} of {topics} topics")
        if references:
            _different_references(name, scores)
        if large := [str(size) for size in sizes if size > topics / 2]:
            notify("subsets_overlap", sizes=", ".join(large), units=plural(topics, "topic"))
        errors, widths = type_one(scores, ALPHAS, sizes, request.validate, references, request.seed)
        rows: list[Row] = []
        for (index, size), (place, sigma) in product(enumerate(sizes), enumerate(("known", "estimated"))):
            levels = ALPHAS[:1] if request.sizes is None and size != AT_ALL_LEVELS else ALPHAS
            rates = errors[index, : len(levels), place]
            is_known = ~np.isnan(rates).any(axis=0)  # of a run, whatever the level
            rates = np.ascontiguousarray(rates[:, is_known] if is_known.any() else rates[:, :1])
            sd = rates.std(axis=1, ddof=1) if rates.shape[1] > 1 else math.nan
            rows += rows_of(
                alpha=[*levels], rate=rates.mean(axis=1), sd=sd, upper=rates.max(axis=1),
                width=widths[index, : len(levels), place], topics=size, sigma=sigma, reference=label,
            )  # fmt: skip
        yield from tables("type_one", NAMES[request.standardise].format(name), rows)
