"""Plain transcriptions of what is said of slices, and the specification's example."""

import itertools
import math

import numpy as np
from naive_inference import step_down_of_layers

FIRST, SECOND = [0.30, 0.25, 0.40, 0.20, 0.35], [0.02, -0.05, 0.10, 0.04, 0.01]


def welch(groups: list[list[float]], least: float) -> float:
    """F as Welch has it, in plain Python, without its degrees of freedom; the variance of a group of which fewer than three
    members are beyond a tenth of the root mean square of all is no less than that of all."""
    every = [x for each in groups for x in each]
    tenth = 0.1 * math.sqrt(sum(x * x for x in every) / len(every))
    centre = sum(every) / len(every)
    of_all = sum((x - centre) ** 2 for x in every) / (len(every) - 1)
    sizes = [len(each) for each in groups]
    means = [sum(each) / len(each) for each in groups]
    variances = [
        max(
            sum((x - mean) ** 2 for x in each) / (len(each) - 1),
            max(of_all, least) if sum(abs(x) > tenth for x in each) < 3 else least,
        )
        for each, mean in zip(groups, means, strict=True)
    ]
    weights = [size / variance for size, variance in zip(sizes, variances, strict=True)]
    total = sum(weights)
    middle = sum(weight * mean for weight, mean in zip(weights, means, strict=True)) / total
    g = len(groups)
    between = sum(weight * (mean - middle) ** 2 for weight, mean in zip(weights, means, strict=True)) / (g - 1)
    h = sum((1 - weight / total) ** 2 / (size - 1) for weight, size in zip(weights, sizes, strict=True))
    return between / (1 + 2 * (g - 2) / (g**2 - 1) * h)


def exact_p(values: list[float], place: list[int]) -> float:
    """p by every distinct arrangement of labels."""
    least = 1e-18 * max(x * x for x in values) or 1.0

    def of(labels: tuple[int, ...]) -> float:
        split = [[x for x, label in zip(values, labels, strict=True) if label == g] for g in range(max(place) + 1)]
        return welch(split, least)

    observed = of(tuple(place))
    every = [of(labels) for labels in set(itertools.permutations(place))]
    return sum(each >= observed * (1 - 1e-9) - 1e-9 for each in every) / len(every)


def naive_maxt(differences: np.ndarray, place: np.ndarray) -> np.ndarray:
    """p_adjusted[G, P] by step-down over every assignment of one sign a topic."""
    pieces = [
        {int(topic): float(row[topic]) for topic in np.flatnonzero(place == group)}
        for group in range(place.max() + 1)
        for row in differences
    ]
    return np.array(step_down_of_layers(pieces, len(place))).reshape(-1, len(differences))
