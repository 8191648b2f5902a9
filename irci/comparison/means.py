"""Means of runs in words, as several commands say them, and the words of their sources of variation (the sections `study` of
sources.toml)."""

import math
from collections.abc import Iterable, Iterator, Mapping

from irci.base import first_names
from irci.base.choices import TOPICS, Population
from irci.base.types import gathered
from irci.output.tables import Row, Table, as_read, number
from irci.wording import amount, decimals_of, interval_in_words, rounded, say, templates

MOST = 10  # runs reported one by one


def sentences_of_means(
    rows: Iterable[Row], confidence: float, default: Population, new_topics: str = "", *, is_short: bool = False
) -> Iterator[str]:
    """Sentences on what runs score, with intervals over what varies; if runs are many, or `is_short`, only which is the
    highest, of one run its mean.

    new_topics: how many other topics intervals over topics are for, if they predict another mean.
    """
    listed = list(map(as_read, rows))
    for measure, of_measure in gathered((str(row["measure"]), row) for row in listed).items():
        by_run = gathered((str(row["run"]), row) for row in of_measure)
        values = {run: number(of_run[0], "value") for run, of_run in by_run.items()}
        top = max((value for value in values.values() if not math.isnan(value)), default=math.nan)
        names = [run for run, value in values.items() if value == top]
        for run, of_run in by_run.items():
            if len(values) == 1 or (len(values) <= MOST and not is_short):
                by_population = {str(row.get("population", default)): row for row in of_run[: 1 if is_short else None]}
                yield mean_in_words(measure, run, by_population, confidence)
        if names and len(values) > (1 if is_short else MOST):
            facts = {"names": first_names(names), "number": len(names), "all": len(values), "value": amount(top)}
            yield say("mean.highest", measure=measure, **facts)
    populations = dict.fromkeys(str(row.get("population", default)) for row in listed if _has_limits(row))
    for population in () if is_short else populations:
        if population == TOPICS and new_topics:
            yield say("mean.new_topics", number=new_topics)
        else:
            yield say(f"source.{population}.explains")


def means_in(tables: Iterable[Table]) -> Iterator[Row]:
    """The rows of means in tables of any kinds."""
    return (row for table in tables if table.kind == "estimate" for row in table.rows)


def _has_limits(row: Row) -> bool:
    return not (math.isnan(number(row, "lower")) or math.isnan(number(row, "upper")))


def mean_in_words(measure: str, run: str, by_population: Mapping[str, Row], confidence: float) -> str:
    """A run's mean with its intervals over each population."""
    value = next(iter(by_population.values()))["value"]
    ends = {
        over: (number(row, "lower"), number(row, "upper")) for over, row in by_population.items() if _has_limits(row)
    }
    decimals = max((decimals_of(*limits) for limits in ends.values()), default=4)
    of_each = ", ".join(f"{interval_in_words(*limits)} over {over}" for over, limits in ends.items())
    in_words = str(value) if isinstance(value, int) else rounded(number({"value": value}, "value"), decimals)
    evidence = f" ({100 * confidence:g}% CI {of_each})" if ends else ""
    return say("mean.one", run=run, measure=measure, value=in_words, evidence=evidence)


LABELLED = ("ap", "new-topics")  # whose pictures say what intervals are for


def sources_of(study: str, names: Iterable[object] | None = None) -> dict[str, dict[str, str]]:
    """The words of pictures and pages of a study of another command about its sources, or about those of some names."""
    sentences = templates()[f"study.{study}"]
    labels = {name: say(f"source.{name}.label") if study in LABELLED else "" for name in sentences}
    asked = sentences if names is None else set(names)
    return {name: {"label": labels[name], "page": page} for name, page in sentences.items() if name in asked}
