"""Signs of topics, ANOVA over splits of a collection, error rates and the swap method."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import naive
import numpy as np
from harness import Job, Part, agree, measured

from irci.base.streams import topic_keys
from irci.base.types import all_pairs
from irci.estimators import swap_error as estimator
from irci.estimators.swap_error import designs_of_versions, error_rates, orders_of_topics
from irci.stats import anova as residuals
from irci.stats.anova import anova
from irci.stats.signs import p_by_signs

TOPICS = topic_keys([b"%d" % number for number in range(50)])
SIGNS = 10_000


def sign_flips() -> Iterator[Job]:
    """The paired randomization test over 50 topics: one pair, and all pairs of 129 systems."""
    scores = np.random.default_rng(3).beta(1, 3, (129, 50))
    first, second = all_pairs(129).T
    differences = scores[first] - scores[second]

    def ours(pairs: int) -> np.ndarray:
        return p_by_signs(differences[:pairs], TOPICS, SIGNS, 1)

    def scipys() -> float:
        from scipy import stats

        return stats.permutation_test((differences[0],), np.mean, permutation_type="samples", n_resamples=SIGNS).pvalue

    def plain(pairs: int) -> np.ndarray:
        signs = np.random.default_rng(3).choice([-1.0, 1.0], (SIGNS, 50))
        return np.array([(np.abs(signs @ each) >= abs(each.sum()) - 1e-12).mean() for each in differences[:pairs]])

    for call in (partial(ours, 1), scipys):
        call()
    one = measured("sign flips, one pair x 50 topics x 10,000", partial(ours, 1), naive=partial(plain, 1), scipy=scipys)
    for column in one.others:
        agree(f"p by {column}", one.results["irci"], one.results[column], 0.04)
    yield one
    number = len(differences)
    name = "sign flips, 8256 pairs; scipy: one pair 8256 times"
    every = measured(name, partial(ours, number), naive=partial(plain, number), scipy=Part(scipys, number))
    agree("p of all pairs", every.results["irci"], every.results["naive"], 0.04)
    yield every


def residual_bootstrap() -> Iterator[Job]:
    """129 systems, 50 topics, 2 parts, 10,000 resamples, both models."""
    y = np.random.default_rng(3).beta(1, 3, (50, 129, 2))

    def ours(threads: int) -> None:
        for model in ("interaction", "additive"):
            fit = anova(y, model)
            residuals.effect_limits(fit, residuals.residual_bootstrap(fit, 10_000, 1, split=1, threads=threads), 0.95)

    def vectorised() -> None:
        rng = np.random.default_rng(3)
        for model in ("interaction", "additive"):
            pool = anova(y, model).residuals.ravel()
            for _ in range(10):  # 1000 resamples at a time: 100 MB
                drawn = pool[rng.integers(0, len(pool), (1000, 129, 100), dtype=np.int32)].mean(axis=2)
                drawn - drawn.mean(axis=1, keepdims=True)

    ours(2)
    name = "residual bootstrap, 129 x 50 x 2 x 10,000, two threads"
    yield measured(name, lambda: ours(2), naive=vectorised, reference=("one thread", lambda: ours(1)))


def swap_errors() -> Iterator[Job]:
    """The error-rate study at the size of Buckley & Voorhees, against NumPy vectorised over designs, sets and pairs."""
    rng = np.random.default_rng(5)
    ability = rng.normal(0.3, 0.03, 9)
    cubes = [np.clip(ability + rng.normal(0, 0.15, (50, 21, 9)), 0, 1) for _ in range(17)]
    sizes = (5, 10, 15, 20, 25, 30, 40, 50)
    fuzziness = range(1, 11)

    def ours(threads: int, trials: int = 100) -> None:
        for cube in cubes:
            error_rates(cube.transpose(2, 0, 1), sizes, fuzziness, trials=trials, threads=threads)

    def vectorised(trials: int) -> None:
        designs = designs_of_versions(50, 21)
        orders = orders_of_topics(50, 50, trials)
        first, second = np.triu_indices(9, 1)
        dealt = np.take_along_axis(cubes[0][np.newaxis], designs[..., np.newaxis], axis=2)  # [D, T, V, S]
        for order in orders:
            totals = dealt[:, order].cumsum(axis=1)
            for size in sizes:
                a, b = totals[:, size - 1][..., first], totals[:, size - 1][..., second]
                difference, larger = a - b, np.maximum(a, b)
                for threshold in estimator.thresholds(fuzziness):
                    better = (difference >= threshold * larger).sum(axis=1)
                    worse = (-difference >= threshold * larger).sum(axis=1)
                    np.minimum(better, worse).sum(), (21 - better - worse).sum()

    ours(1, 1)
    one = measured(
        "error rates, 17 x 9 x 21 x 50, 8 x 100 x 50, 10 fuzz",
        lambda: ours(1),
        naive=Part(lambda: vectorised(5), 20 * 17),
        reference=("two threads", lambda: ours(2)),
    )
    two = one.others.pop("reference")
    yield replace(one, reference="")
    yield Job("error rates, two threads", two, {"reference": one.ours}, "one thread")
    scores = rng.random((41, 50))

    def plain() -> None:
        for size in (5, 15, 25):
            first, second = estimator.topic_sets(50, size, 1)
            list(naive.swaps(scores, first[0], second[0]))

    name = "swap method, 41 runs, 21 sizes x 50 trials"
    yield measured(name, lambda: estimator.swaps(scores, range(5, 26)), naive=Part(plain, 21 * 50 / 3))
