"""The public functions, declared: their options, types and defaults. The command of each function's name answers.

Checks and help are those of the command; a test holds the names and defaults here against its options.
"""

# What stands below declarations is nothing: `asks` puts the command there.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from irci.api.call import asks
from irci.choices import (
    ApInterval,
    ApMethod,
    Base,
    BcaQuantile,
    BcaTies,
    Correction,
    FailIf,
    Fit,
    KappaInterval,
    LabelWeights,
    MeanMethod,
    MeanOf,
    MetaMethod,
    Missing,
    Model,
    Names,
    NoRelevant,
    PairCorrection,
    Pairing,
    Policy,
    Population,
    Procedure,
    PValue,
    ResidualDraw,
    Residuals,
    ScoresFormat,
    Slots,
    SmallR,
    Sort,
    Standardisation,
    TauInterval,
    Ties,
    Tool,
    TopicDraw,
    TopicInterval,
    TopicTest,
    Transform,
    Unjudged,
    Varies,
)
from irci.output.report import Report

Value = TypeVar("Value")

Source: TypeAlias = Any
"""Judgments, a run, runs or scores, as doc/python.md lists them."""
Path: TypeAlias = str | os.PathLike[str]
Several: TypeAlias = Value | Sequence[Value]
Measures: TypeAlias = Any
"""A measure or several: names, or objects of ir_measures."""
Topics: TypeAlias = Sequence[str] | Sequence[int] | Path
"""Topics, or a path of a file with one a line; text is a list with commas or @FILE, as on the command line."""


@asks("ap-ci")
def ap_ci(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    measures: Measures = (),
    per_topic: bool = False,
    no_summary: bool = False,
    interval: ApInterval | None = None,
    method: ApMethod = "bootstrap",
    unjudged: Unjudged | None = None,
    tail: bool = True,
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
    small_r: SmallR = "wider",
    no_small_r: bool = False,
    epsilon: float = 1e-5,
    bca_ties: BcaTies = "strict",
    bca_quantile: BcaQuantile = "type7",
    validate: bool = False,
    splits: int = 20,
    split_by: Path = "hash",
    figures: bool = False,
    published: bool = False,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
    sort: Sort | None = None,
    show_width: bool = False,
) -> Report:
    """How precise is each topic's average precision? `irci ap-ci`: the documents are resampled, topics and run stay fixed."""


@asks("ap-ci", resamples=0)
def score(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    measures: Measures = (),
    per_topic: bool = False,
    no_summary: bool = False,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
    sort: Sort | None = None,
    show_width: bool = False,
) -> Report:
    """Scores alone, no interval: what `irci ap-ci -B 0` prints."""


@asks("map-ci")
def map_ci(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    measures: Measures = (),
    per_topic: bool = False,
    no_summary: bool = False,
    population: Population | Varies | None = None,
    unjudged: Unjudged | None = None,
    tail: bool = True,
    method: MeanMethod | None = None,
    interval: TopicInterval | None = None,
    compare: bool = False,
    baseline: str | None = None,
    all_pairs: bool = False,
    pairing: Pairing | None = None,
    test: TopicTest = "t",
    correction: PairCorrection | None = None,
    adjusted_limits: bool = False,
    equivalence: float | str | None = None,
    power: bool = False,
    fail_if: FailIf | None = None,
    new_topics: int | None = None,
    meta: MetaMethod | None = None,
    ranks: bool = False,
    slots: Slots = "fresh",
    judge: Source = None,
    lam: float | Literal["tuned"] | None = None,
    level_b: int | None = None,
    sample: int | None = None,
    clusters: Path | None = None,
    versions: Path | None = None,
    mean: MeanOf | None = None,
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
    epsilon: float = 1e-5,
    small_r: SmallR = "wider",
    no_small_r: bool = False,
    validate: bool = False,
    splits: int = 20,
    split_by: Path = "hash",
    figures: bool = False,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
    sort: Sort | None = None,
    show_width: bool = False,
) -> Report:
    """How precise is a run's mean score, and is one run really better than another? `irci map-ci`.

    Documents, topics or both vary.
    """


@asks("partition-anova")
def partition_anova(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    measures: Measures = (),
    x: int | None = None,
    splits: int = 1,
    parts: Path | None = None,
    versions: Path | None = None,
    policy: Policy = "redraw",
    model: Model | None = None,
    residuals: Residuals = "rescaled",
    draw: ResidualDraw = "replacement",
    p_value: PValue = "difference",
    correction: Literal["bh", "holm", "none"] = "bh",
    tests: Several[str] = ("t", "randomization"),
    test_correction: Literal["none", "bh", "holm"] = "none",
    alpha: Several[float] = (0.05, 0.01),
    pairs: bool = False,
    groups: Path | None = None,
    published: bool = False,
    write_parts: Path | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 1,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
    sort: Sort | None = None,
    show_width: bool = False,
) -> Report:
    """Which systems differ, system-topic interaction counted? `irci partition-anova`: parts of the collection are replicates.

    `scores`: of the whole and of parts, a long frame with columns run, topic, measure, split, part and value."""


@asks("stdap-ci")
def stdap_ci(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    measures: Measures = (),
    per_topic: bool = False,
    no_summary: bool = False,
    reference: str | None = None,
    reference_sample: int | None = None,
    factors: Path | None = None,
    save_factors: Path | None = None,
    transform: Transform = "z",
    leave_one_out: bool = False,
    ddof: int = 1,
    summaries: Mapping[str, Sequence[object]] | Several[str] = (),
    any_reference: bool = False,
    type_one: bool = False,
    sizes: Several[int] = 5,
    trials: int = 1000,
    replace: bool = False,
    figures: bool = False,
    confidence: float = 0.95,
    seed: int = 1,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
    sort: Sort | None = None,
    show_width: bool = False,
) -> Report:
    """What mean score would a new sample of topics give, comparably across papers? `irci stdap-ci`: scores are standardised.

    `summaries`: published figures, {name: (mean, sd, n)}, or with the name of the reference fourth."""


@asks("swap-error")
def swap_error(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    procedure: Procedure = "error-rate",
    measures: Measures = (),
    fuzziness: Several[float] = 5,
    base: Base = "larger",
    sizes: Several[int] | None = None,
    versions: Path | None = None,
    clusters: Path | None = None,
    mean: MeanOf | None = None,
    counts: Path | None = None,
    matrix: bool = False,
    draw: TopicDraw | None = None,
    sets: int = 100,
    designs: int = 50,
    trials: int | None = None,
    at: Several[int] | None = None,
    relative: bool = False,
    fit: Fit = "probit",
    max_rate: float = 0.05,
    alpha: Several[float] | None = None,
    resamples: int | None = None,
    figures: bool = False,
    other_qrels: Source = (),
    level_b: int | None = None,
    common: bool = False,
    labels_only: bool = False,
    weights: LabelWeights = "none",
    interval: TauInterval = "jackknife",
    kappa_interval: KappaInterval = "topics",
    correction: Correction = "none",
    group: str | None = None,
    confidence: float = 0.95,
    seed: int = 1,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Report:
    """How often does an experiment of this size order two systems wrongly? `irci swap-error`.

    Sets are of topics, or of query versions; with `procedure="judges"` others' judgments, `other_qrels`, are compared.
    """


@asks("wcw")
def wcw(
    qrels: Source = None,
    runs: Source = None,
    *,
    scores: Source = None,
    variances: Mapping[str, float] | Several[str] = (),
    measures: Measures = (),
    alpha: float = 0.05,
    beta: float = 0.2,
    systems: int = 10,
    sizes: Several[int] | None = None,
    width: Several[float] | None = None,
    curve: bool = False,
    power: bool = False,
    tools: Several[Tool] = (),
    noncentrality: bool = False,
    sakai_increment: bool = False,
    approximate: bool = False,
    residual: bool = False,
    pool: bool = False,
    clusters: Path | None = None,
    cluster_size: int | None = None,
    icc: float | None = None,
    judge_correlation: float | None = None,
    judged_topics: int | None = None,
    judge: Source = None,
    level_b: int | None = None,
    relevance_level: int = 1,
    max_grade: int | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "docno",
    topics: Topics | None = None,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    names: Names = "tag",
    scores_format: ScoresFormat | None = None,
    save_scores: Path | None = None,
    collection: str | None = None,
    standardise: Standardisation | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Report:
    """How many topics does a measure need; how wide can an interval get? `irci wcw`.

    From `variances`, {measure: variance}, or from runs or scores.
    """
