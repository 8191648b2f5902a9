"""Resampling topics: intervals of a mean, and the randomization test."""

import types
from collections.abc import Iterator
from functools import partial
from typing import Any

import naive
import numpy as np
from harness import Job, Part, agree, installed, measured

from irci.base.streams import topic_keys
from irci.bootstrap.topics import resampled_means, topic_counts, topic_limits
from irci.methods.partition_anova import all_pairs
from irci.stats.signs import sign_flip

TOPICS = topic_keys([b"%d" % number for number in range(50)])
RESAMPLES = 10_000
SCIPY_METHODS = {"percentile": "percentile", "bca": "BCa"}


def topic_bootstrap() -> Iterator[Job]:
    """Intervals of a mean over 50 topics; scipy's from our resamples must be ours."""
    from scipy import stats

    values = np.random.default_rng(4).beta(1, 3, (41, 50))

    def ours(runs: int, interval: str) -> Any:
        return topic_limits(values[:runs], interval, topic_counts(50, RESAMPLES, 1), 0.95)

    def theirs(runs: int, interval: str, **options: Any) -> Any:
        return stats.bootstrap((values[:runs],), np.mean, axis=-1, method=SCIPY_METHODS[interval], **options)

    def plain(runs: int, interval: str) -> None:
        rng = np.random.default_rng(4)
        for of_run in values[:runs]:
            means = of_run[rng.integers(0, 50, (RESAMPLES, 50))].mean(axis=1)
            _plain_limits(of_run, means, interval)

    def foostraps(runs: int, interval: str) -> Any:
        from foostrap import foostrap

        method = SCIPY_METHODS[interval]
        found = [
            foostrap(each, boot_samples=RESAMPLES, ci_method=method, random_state=4, parallel=False).ci
            for each in values[:runs]
        ]
        return np.array(found).T

    replicates = types.SimpleNamespace(bootstrap_distribution=resampled_means(values, topic_counts(50, RESAMPLES, 1)))
    for runs, interval in ((1, "percentile"), (1, "bca"), (41, "bca")):
        if installed("foostrap"):
            foostraps(1, interval)  # which compiles it
        from_ours = theirs(41, interval, n_resamples=0, bootstrap_result=replicates).confidence_interval
        agree(f"{interval} limits", ours(41, interval), from_ours, 1e-9)
        job = measured(
            f"{interval} interval of a mean of 50 topics x 10,000" + (", 41 runs" if runs > 1 else ""),
            partial(ours, runs, interval),
            naive=partial(plain, runs, interval),
            foostrap=partial(foostraps, runs, interval) if installed("foostrap") else None,
            scipy=partial(theirs, runs, interval, n_resamples=RESAMPLES, batch=1000),
        )
        apart = {"scipy": job.results["scipy"].confidence_interval} | (
            {"foostrap": job.results["foostrap"]} if "foostrap" in job.others else {}
        )
        for column, limits in apart.items():
            agree(f"{interval} limits by {column}, resampled apart", job.results["irci"], limits, 0.01)
        yield job


def _plain_limits(values: np.ndarray, means: np.ndarray, interval: str) -> Any:
    """The limits of a mean from its resampled values."""
    if interval == "percentile":
        return np.quantile(means, [0.025, 0.975])
    left_out = (values.sum() - values) / (len(values) - 1)
    return naive.bca_limits(values.mean(), means, left_out, 0.95)


def sign_flips() -> Iterator[Job]:
    """The paired randomization test over 50 topics: one pair, and all pairs of 129 systems."""
    scores = np.random.default_rng(3).beta(1, 3, (129, 50))
    first, second = all_pairs(129).T
    differences = scores[first] - scores[second]

    def ours(pairs: int) -> np.ndarray:
        return sign_flip(differences[:pairs], TOPICS, RESAMPLES, 1)

    def scipys() -> float:
        from scipy import stats

        return stats.permutation_test(
            (differences[0],), np.mean, permutation_type="samples", n_resamples=RESAMPLES
        ).pvalue

    def ranxs() -> float:
        from ranx.statistical_tests import fisher_randomization_test

        return fisher_randomization_test(scores[first[0]], scores[second[0]], RESAMPLES)[0]

    def plain(pairs: int) -> np.ndarray:
        signs = np.random.default_rng(3).choice([-1.0, 1.0], (RESAMPLES, 50))
        return np.array([(np.abs(signs @ each) >= abs(each.sum()) - 1e-12).mean() for each in differences[:pairs]])

    others = {"scipy": scipys} | ({"ranx": ranxs} if installed("ranx") else {})
    for call in (partial(ours, 1), *others.values()):
        call()
    one = measured("sign flips, one pair x 50 topics x 10,000", partial(ours, 1), naive=partial(plain, 1), **others)
    for column in one.others:
        agree(f"p by {column}", one.results["irci"], one.results[column], 0.04)
    yield one
    singly = {column: Part(call, len(differences)) for column, call in others.items()}
    name = "sign flips, 8256 pairs; scipy, ranx: one pair 8256 times"
    every = measured(name, partial(ours, len(differences)), naive=partial(plain, len(differences)), **singly)
    agree("p of all pairs", every.results["irci"], every.results["naive"], 0.04)
    yield every
