"""Signs of topics: the randomization test."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from harness import Job, Part, agree, measured

from irci.base.streams import topic_keys
from irci.estimators.partition_anova import all_pairs
from irci.stats.signs import sign_flip

TOPICS = topic_keys([b"%d" % number for number in range(50)])
RESAMPLES = 10_000


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

    def plain(pairs: int) -> np.ndarray:
        signs = np.random.default_rng(3).choice([-1.0, 1.0], (RESAMPLES, 50))
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
