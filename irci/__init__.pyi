"""irci: how far can an information-retrieval evaluation be trusted? Made of the table of options by `make doc`."""

# fmt: off
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from irci.base import DataError as DataError
from irci.base import FormatError as FormatError
from irci.base import IrciError as IrciError
from irci.base import UsageError as UsageError
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
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    no_summary: bool = False, standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None,
    population: Literal['documents', 'judgments'] = 'documents',
    interval: Literal['logit', 'linear', 'percentile', 'bca', 'parametric'] | None = None,
    confidence: float = 0.95, resamples: int = 2000, seed: int = 1,
    small_r: Literal['wider', 'none'] = 'wider', names: Literal['tag', 'file'] | None = None,
    sort: Literal['value', 'name'] | None = None, save_scores: Path | None = None,
    threads: int | None = None, published: bool = False, validate: int | Path | None = None,
) -> Report: ...

def score(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    no_summary: bool = False, standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None,
    names: Literal['tag', 'file'] | None = None, sort: Literal['value', 'name'] | None = None,
    save_scores: Path | None = None, threads: int | None = None,
) -> Report: ...

def compare(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None, per_topic: bool = False,
    no_summary: bool = False, standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None,
    versions: Groups | None = None, baseline: Several[str] = (), all_pairs: bool = False,
    population: Several[str] | None = None, clusters: Groups | None = None, slices: Groups | None = None,
    collections: Path | Mapping[str, tuple[Source, Source]] | None = None, seeds: Groups | None = None,
    mean: Literal['topics', 'clusters'] | None = None, judge: Source = None, other_qrels: Source = (),
    passes: Groups | None = None, test: Literal['t', 'randomization', 'wilcoxon', 'sign'] = 't',
    correction: Literal['holm', 'maxt', 'bh', 'none'] | None = None,
    family: Literal['each', 'joint'] = 'each', survives: bool = False, plan: Path | None = None,
    save_plan: Path | None = None, looks: Several[int] | None = None, ranks: bool = False,
    best: bool = False, margin: float | str | None = None, power: bool = False,
    fail_if: Several[str] | None = None, meta: Literal['fixed', 'random', 'stouffer'] | None = None,
    interval: Literal['auto', 't', 'bounded', 'parametric', 'linear', 'prediction'] | None = None,
    range: str | Sequence[float] | None = None, confidence: float = 0.95, resamples: int = 2000,
    seed: int = 1, small_r: Literal['wider', 'none'] = 'wider',
    names: Literal['tag', 'file'] | None = None, sort: Literal['value', 'name'] | None = None,
    save_scores: Path | None = None, threads: int | None = None,
) -> Report: ...

def map_ci(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None, per_topic: bool = False,
    no_summary: bool = False, standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None,
    versions: Groups | None = None, baseline: Several[str] = (), all_pairs: bool = False,
    population: Several[str] | None = None, clusters: Groups | None = None, slices: Groups | None = None,
    collections: Path | Mapping[str, tuple[Source, Source]] | None = None, seeds: Groups | None = None,
    mean: Literal['topics', 'clusters'] | None = None, judge: Source = None, other_qrels: Source = (),
    passes: Groups | None = None, test: Literal['t', 'randomization', 'wilcoxon', 'sign'] = 't',
    correction: Literal['holm', 'maxt', 'bh', 'none'] | None = None,
    family: Literal['each', 'joint'] = 'each', survives: bool = False, plan: Path | None = None,
    save_plan: Path | None = None, looks: Several[int] | None = None, ranks: bool = False,
    best: bool = False, margin: float | str | None = None, power: bool = False,
    fail_if: Several[str] | None = None, meta: Literal['fixed', 'random', 'stouffer'] | None = None,
    interval: Literal['auto', 't', 'bounded', 'parametric', 'linear', 'prediction'] | None = None,
    range: str | Sequence[float] | None = None, confidence: float = 0.95, resamples: int = 2000,
    seed: int = 1, small_r: Literal['wider', 'none'] = 'wider',
    names: Literal['tag', 'file'] | None = None, sort: Literal['value', 'name'] | None = None,
    save_scores: Path | None = None, threads: int | None = None, published: bool = False,
    validate: int | Path | None = None,
) -> Report: ...

def partition_anova(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    x: Several[int] | Path = 2, splits: int = 1,
    policy: Literal['redraw', 'drop', 'zero', 'mean'] = 'redraw', versions: Groups | None = None,
    correction: Literal['bh', 'holm', 'none'] = 'bh',
    model: Literal['interaction', 'additive', 'parts', 'nested'] | None = None,
    test: Several[str] = ('t', 'randomization'), groups: Path | None = None,
    confidence: Several[float] = (0.95, 0.99), resamples: int = 10000, seed: int = 1,
    names: Literal['tag', 'file'] | None = None, sort: Literal['value', 'name'] | None = None,
    threads: int | None = None, published: bool = False,
) -> Report: ...

def stdap_ci(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None, per_topic: bool = False,
    no_summary: bool = False, standardise: Literal['z', 'cdf', 'ab', 'none'] = 'z',
    reference: str | Path | Sequence[str] | None = None, clusters: Groups | None = None,
    mean: Literal['topics', 'clusters'] | None = None, sizes: Several[int] | None = None,
    summaries: Mapping[str, Sequence[object]] | Several[str] = (), confidence: float = 0.95,
    seed: int = 1, names: Literal['tag', 'file'] | None = None,
    sort: Literal['value', 'name'] | None = None, save_scores: Path | None = None,
    save_factors: Path | None = None, threads: int | None = None, validate: int | None = None,
) -> Report: ...

def swap_error(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None, versions: Groups | None = None,
    clusters: Groups | None = None, mean: Literal['topics', 'clusters'] | None = None,
    alpha: Several[float] | None = None,
    procedure: Literal['error-rate', 'swap', 'discriminative-power'] = 'error-rate',
    fuzziness: Several[float] = 5.0, sizes: Several[int] | None = None, trials: int | None = None,
    max_rate: float = 0.05, resamples: int | None = None, seed: int = 1,
    names: Literal['tag', 'file'] | None = None, threads: int | None = None, published: bool = False,
) -> Report: ...

def wcw(
    qrels: Source = None, runs: Source = None, *, scores: Source = None,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    standardise: Literal['z', 'cdf', 'ab', 'rank'] | None = None,
    variances: Mapping[str, float] | Several[str] = (), clusters: Groups | None = None,
    judge: Source | tuple[float, int] | None = None, alpha: float = 0.05, power: float = 0.8,
    sizes: Several[int] | None = None, width: Several[float] | None = None,
    difference: Several[float] | None = None, systems: int = 10,
    tools: Several[Literal['paired', 'anova', 'ci']] = (), names: Literal['tag', 'file'] | None = None,
    threads: int | None = None, published: bool = False,
) -> Report: ...

def judges(
    qrels: Source = None, runs: Source = None, *,
    measures: Measures = (), relevance_level: float = 1, max_grade: int | None = None,
    depth: int | None = None, judged_only: bool = False, ignore_identical_ids: bool = False,
    ties: Literal['docno', 'rank', 'file', 'mean'] = 'docno',
    duplicates: Literal['error', 'first'] = 'error',
    missing: Literal['auto', 'zero', 'drop', 'error'] = 'auto',
    no_relevant: Literal['zero', 'drop'] = 'zero', topics: Topics | None = None,
    correction: Literal['holm', 'bh', 'none'] = 'none', alpha: Several[float] = 0.05,
    other_qrels: Source = (), groups: Path | None = None, confidence: float = 0.95,
    resamples: int = 2000, seed: int = 1, names: Literal['tag', 'file'] | None = None,
    threads: int | None = None,
) -> Report: ...
