"""Published means, standard deviations and numbers of topics, compared."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from irci.base.choices import TOPICS
from irci.base.errors import DataError
from irci.methods.stdap_ci import mean_interval, welch
from irci.output.report import Report, Row, tables
from irci.studies.sources_in_words import NEW_TOPICS, among
from irci.studies.wording import amount, p_text, sentences_of_means


class Summary(NamedTuple):
    """Published figures: a mean over topics, its standard deviation, and the reference systems' name if it is known."""

    name: str
    mean: float
    sd: float
    topics: int
    reference: str = ""


def _compared(differences: Sequence[Row], confidence: float) -> Iterator[str]:
    for row in differences:
        value, lower, upper, p = (float(row[name] or 0) for name in ("value", "lower", "upper", "p"))
        if math.isnan(p):
            continue
        found = p <= 1 - confidence
        told = f"evidence that {row['run']} scores {'higher' if value > 0 else 'lower'}"
        yield (
            f"{row['run']} less {row['baseline']} is {amount(value)}, {amount(lower)} to {amount(upper)} with"
            f" {100 * confidence:g}% confidence ({p_text(p)}):"
            f" {told if found else 'not enough evidence to tell which scores higher'}."
        )


def summaries_compared(summaries: Sequence[Summary], confidence: float, any_reference: bool) -> Report:
    """The interval of each published mean, and the difference of every two; refused where the references differ."""
    references = sorted({summary.reference for summary in summaries if summary.reference})
    if len(references) > 1 and not any_reference:
        raise DataError(
            f"different reference systems ({', '.join(references)}): not comparable (--any-reference compares them anyway)"
        )
    means = {}
    for name, mean, sd, topics, _ in summaries:
        if name in means:
            raise DataError(f"two summaries are named {name!r}")
        means[name] = mean_interval(mean, sd, topics, confidence)
    estimates: list[Row] = [
        {
            "measure": "summary", "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": name, "sd": found.sd, "topics": found.topics,
        }
        for name, found in means.items()
    ]  # fmt: skip
    differences: list[Row] = []
    for first, second in itertools.combinations(means, 2):
        found = welch(means[second], means[first], confidence)
        differences.append({
            "measure": "summary_diff", "topic": "all", "value": found.value, "lower": found.lower, "upper": found.upper,
            "run": second, "baseline": first, "p": found.p, "effect_size": found.effect_size, "df": found.df,
            "test": "welch",
        })  # fmt: skip
    return Report(
        tables=[*tables("estimate", "", estimates), *tables("difference", "summary", differences)],
        signature={"command": "stdap-ci", "confidence": confidence},
        explain=lambda: [*sentences_of_means(estimates, confidence, TOPICS), *_compared(differences, confidence)],
        sources=among(NEW_TOPICS, ["topics"]),
    )
