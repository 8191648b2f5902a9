"""irci: how far can an information-retrieval evaluation be trusted? Made of the table of options by `make doc`."""

# fmt: off
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from irci.base import DataError as DataError
from irci.base import FormatError as FormatError
from irci.base import IrciError as IrciError
from irci.base import UsageError as UsageError
from irci.base import choices
from irci.output.notebook import Drawing as Drawing
from irci.output.report import Report as Report
from irci.output.tables import Table as Table

__version__: str
__all__: list[str]

Value = TypeVar("Value")
Source: TypeAlias = Any
Path: TypeAlias = str | os.PathLike[str]
Several: TypeAlias = Value | Sequence[Value]
Measures: TypeAlias = Any
Topics: TypeAlias = Sequence[str] | Sequence[int] | Path
Groups: TypeAlias = Path | Mapping[Any, Any] | Any

def ap_ci(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, no_summary: bool = False,
    standardise: choices.Standardisation | None = None, population: choices.ApPopulation = 'documents',
    interval: choices.ApInterval | None = None, confidence: float = 0.95, resamples: int = 2000,
    seed: int = 1, small_r: choices.SmallR = 'wider', names: choices.Names | None = None,
    sort: choices.Sort | None = None, save_scores: Path | None = None, threads: int | None = None,
    published: bool = False, validate: int | Path | None = None,
) -> Report: ...

def score(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, no_summary: bool = False,
    standardise: choices.Standardisation | None = None, names: choices.Names | None = None,
    sort: choices.Sort | None = None, save_scores: Path | None = None, threads: int | None = None,
) -> Report: ...

def compare(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, per_topic: bool = False, no_summary: bool = False,
    standardise: choices.Standardisation | None = None, versions: Groups | None = None,
    baseline: Several[str] = (), all_pairs: bool = False, population: Several[str] | None = None,
    clusters: Groups | None = None, slices: Groups | None = None,
    collections: Path | Mapping[str, tuple[Source, Source]] | None = None, seeds: Groups | None = None,
    mean: choices.MeanOf | None = None, judge: Source = None, other_qrels: Source = (),
    passes: Groups | None = None, test: choices.TopicTest = 't',
    correction: choices.PairCorrection | None = None, family: choices.OverMeasures = 'each',
    survives: bool = False, plan: Path | None = None, save_plan: Path | None = None,
    looks: Several[int] | None = None, ranks: bool = False, best: bool = False,
    margin: float | str | None = None, power: bool = False, fail_if: Several[str] | None = None,
    meta: choices.MetaMethod | None = None, interval: choices.TopicInterval | None = None,
    range: str | Sequence[float] | None = None, confidence: float = 0.95, resamples: int = 2000,
    seed: int = 1, small_r: choices.SmallR = 'wider', names: choices.Names | None = None,
    sort: choices.Sort | None = None, save_scores: Path | None = None, threads: int | None = None,
) -> Report: ...

def map_ci(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, per_topic: bool = False, no_summary: bool = False,
    standardise: choices.Standardisation | None = None, versions: Groups | None = None,
    baseline: Several[str] = (), all_pairs: bool = False, population: Several[str] | None = None,
    clusters: Groups | None = None, slices: Groups | None = None,
    collections: Path | Mapping[str, tuple[Source, Source]] | None = None, seeds: Groups | None = None,
    mean: choices.MeanOf | None = None, judge: Source = None, other_qrels: Source = (),
    passes: Groups | None = None, test: choices.TopicTest = 't',
    correction: choices.PairCorrection | None = None, family: choices.OverMeasures = 'each',
    survives: bool = False, plan: Path | None = None, save_plan: Path | None = None,
    looks: Several[int] | None = None, ranks: bool = False, best: bool = False,
    margin: float | str | None = None, power: bool = False, fail_if: Several[str] | None = None,
    meta: choices.MetaMethod | None = None, interval: choices.TopicInterval | None = None,
    range: str | Sequence[float] | None = None, confidence: float = 0.95, resamples: int = 2000,
    seed: int = 1, small_r: choices.SmallR = 'wider', names: choices.Names | None = None,
    sort: choices.Sort | None = None, save_scores: Path | None = None, threads: int | None = None,
    published: bool = False, validate: int | Path | None = None,
) -> Report: ...

def partition_anova(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, x: Several[int] | Path = 2, splits: int = 1,
    policy: choices.Policy = 'redraw', versions: Groups | None = None,
    correction: choices.Correction = 'bh', model: choices.Model | None = None,
    test: Several[str] = ('t', 'randomization'), groups: Path | None = None,
    confidence: Several[float] = (0.95, 0.99), resamples: int = 10000, seed: int = 1,
    names: choices.Names | None = None, sort: choices.Sort | None = None, threads: int | None = None,
    published: bool = False,
) -> Report: ...

def stdap_ci(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, per_topic: bool = False, no_summary: bool = False,
    standardise: choices.Transform = 'z', reference: str | Path | Sequence[str] | None = None,
    clusters: Groups | None = None, mean: choices.MeanOf | None = None,
    sizes: Several[int] | None = None, summaries: Mapping[str, Sequence[object]] | Several[str] = (),
    confidence: float = 0.95, seed: int = 1, names: choices.Names | None = None,
    sort: choices.Sort | None = None, save_scores: Path | None = None, save_factors: Path | None = None,
    threads: int | None = None, validate: int | None = None,
) -> Report: ...

def swap_error(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, standardise: choices.Standardisation | None = None,
    versions: Groups | None = None, clusters: Groups | None = None, mean: choices.MeanOf | None = None,
    alpha: Several[float] | None = None, procedure: choices.Procedure = 'error-rate',
    fuzziness: Several[float] = 5.0, sizes: Several[int] | None = None, trials: int | None = None,
    max_rate: float = 0.05, resamples: int | None = None, seed: int = 1,
    names: choices.Names | None = None, save_scores: Path | None = None, threads: int | None = None,
    published: bool = False,
) -> Report: ...

def wcw(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, standardise: choices.Standardisation | None = None,
    variances: Mapping[str, float] | Several[str] = (), clusters: Groups | None = None,
    judge: Source | tuple[float, int] | None = None, alpha: float = 0.05, power: float = 0.8,
    sizes: Several[int] | None = None, width: Several[float] | None = None,
    difference: Several[float] | None = None, systems: int = 10, tools: Several[choices.Tool] = (),
    names: choices.Names | None = None, save_scores: Path | None = None, threads: int | None = None,
    published: bool = False,
) -> Report: ...

def judges(
    qrels: Source = None, runs: Source = None, *,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: choices.Ties = 'docno', duplicates: choices.Duplicates = 'error',
    missing: choices.Missing = 'auto', no_relevant: choices.NoRelevant = 'zero',
    topics: Topics | None = None, correction: choices.Correction = 'none', alpha: Several[float] = 0.05,
    other_qrels: Source = (), groups: Path | None = None, confidence: float = 0.95,
    resamples: int = 2000, seed: int = 1, names: choices.Names | None = None, threads: int | None = None,
) -> Report: ...
