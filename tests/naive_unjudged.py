"""All grades that unjudged documents could have, one assignment after the other: what bounds are held against."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import naive_measures
from naive_measures import MEASURES, Topic, precision, recall

FAR = 10**9
Score = Callable[[Topic], float]
# Each measure with its cutoff.
MORE: dict[str, Score] = {
    "map_cut_3": lambda topic: naive_measures.ap(topic, 3),
    "recall_3": lambda topic: recall(topic, 3),
    "P_3": lambda topic: precision(topic, 3),
    "ndcg_cut_3": lambda topic: naive_measures.ndcg(topic, 3),
    "ndcg_exp_cut_3": lambda topic: naive_measures.ndcg(topic, 3, True),
    "ERR@3": lambda topic: MEASURES["ERR"][0](replace(topic, ranking=topic.ranking[:3])),
}
CUTS = {"2": 2, "3": 3}
EXACT = (
    "map", "map_cut_2", "map_cut_3", "Rprec", "recip_rank", "RR@2", "P_2", "P_3", "recall_2", "recall_3", "ndcg", "ndcg_cut_2",
    "ndcg_cut_3", "ndcg_exp_cut_2", "ndcg_exp_cut_3", "nDCG(dcg='exp-log2')", "success_2", "set_P", "set_recall", "ERR",
    "ERR@3", "RBP(p=0.8,rel=1)",
)  # fmt: skip
TWO_GRADES = ("Q", "Q_2")


def score_of(name: str) -> Score:
    """The plain transcription of a measure."""
    return MORE[name] if name in MORE else MEASURES[name][0]


def cut_of(name: str) -> int:
    """Its cutoff."""
    return CUTS.get(name[-1], FAR) if name[-2:-1] in ("_", "@") else FAR


def is_unknown(grade: int | None) -> bool:
    """Whether nobody judged this document."""
    return grade is None or grade < 0


def unknown_places(topic: Topic, cut: int) -> list[int]:
    """Where unknown documents stand, from 0."""
    return [i for i, grade in enumerate(topic.ranking) if is_unknown(grade) and i < cut]


def assigned(topic: Topic, places: Sequence[int], grades: Sequence[int], others: Sequence[int] = ()) -> Topic:
    """The topic with these grades; `others`: of unknown documents that it does not retrieve."""
    ranking = list(topic.ranking)
    for place, grade in zip(places, grades, strict=True):
        ranking[place] = grade
    return replace(topic, ranking=tuple(ranking), missing=(*topic.missing, *others))


def every_grade(topic: Topic, places: Sequence[int], grades: Sequence[int]) -> Iterator[Topic]:
    """All assignments."""
    for some in itertools.product(grades, repeat=len(places)):
        yield assigned(topic, places, some)


def extremes(topic: Topic, name: str) -> tuple[float, float]:
    """The least and the greatest score."""
    grades = (0, topic.most) if name in TWO_GRADES else range(topic.most + 1)
    places = unknown_places(topic, cut_of(name))
    scores = [score_of(name)(each) for each in every_grade(topic, places, grades)]
    return min(scores), max(scores)


def rbp_extremes(topic: Topic, p: float) -> tuple[float, float]:
    """Of RBP: gains up to 1, the divisor that of the judged documents."""
    divisor = max([1, *topic.judged])
    base = (1 - p) * math.fsum(gain / divisor * p**i for i, gain in enumerate(topic.gains))
    residual = (1 - p) * math.fsum(p**i for i, grade in enumerate(topic.ranking) if is_unknown(grade))
    return base, base + residual + p ** len(topic.ranking)
