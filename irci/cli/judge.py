"""map-ci --judge and --sample: options, what they do not go with, and what they do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from irci.base.errors import UsageError
from irci.base.numerals import decimal
from irci.cli import options
from irci.cli.command import Given
from irci.cli.parameters import InputFile, Whole

if TYPE_CHECKING:
    from irci.output.report import Report

OF_JUDGE = ("lam", "level_b")
# What is about resamples, single topics or several runs at once.
NOT_FOR_JUDGE = (
    "per_topic", "method", "interval", "pairing", "test", "equivalence", "power", "fail_if", "new_topics",
    "meta", "slots", "resamples", "seed", "epsilon", "small_r", "no_small_r", "validate", *options.VALIDATION,
    "unjudged", "tail", "clusters", "collections", "versions", "seeds", "seed_variance", "mean", "standardise", "save_scores",
    "collection", "layout", "no_relevant", "sample",
)  # fmt: skip
FOR_SAMPLE = ("sample", "seed", "topics", "scores", "scores_format", "files", "threads", "progress", "quiet")


class Lambda(click.ParamType[Any]):
    """A number from 0 to 10, or tuned."""

    name = "lambda"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number or the word, or a usage error."""
        if value == "tuned":
            return value
        try:
            number = decimal(str(value))
        except ValueError:
            number = math.nan
        if not 0 <= number <= 10:
            self.fail(f"{value!r} is neither tuned nor a number from 0 to 10", param, ctx)
        return number


judge = click.option(
    "--judge",
    type=InputFile(),
    metavar="QRELS_B",
    help="A judge's (a language model's) qrels for all topics; QRELS are people's for a few, drawn by lot. Answers are"
    " for these topics and for new ones, and beside them stand those of people alone. With --scores: a score file.",
)
lam = click.option(
    "--lambda",
    "lam",
    type=Lambda(),
    metavar="tuned|NUMBER",
    help="With --judge: how much the judge's scores count.  [default: 1 with fewer than 20 human topics, then tuned]",
)
level_b = click.option(
    "--level-b",
    type=Whole(0, options.HIGHEST_LEVEL),
    metavar="N",
    help="Lowest grade of the other judge's that counts as relevant.  [default: as -l]",
)
sample = click.option(
    "--sample",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="Print N topics of QRELS drawn by lot, for people to judge; RUNs are not needed. --topics @FILE reads them.",
)


def judging(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a judge, in the order of the help."""
    for option in (sample, level_b, lam, judge):
        command = option(command)
    return command


def refuse_of_judge(given: Given) -> None:
    """Refuse what a judge does not take."""
    given.refuse(*NOT_FOR_JUDGE, message="{} is not for --judge.")
    if given["scores"]:
        given.refuse("level_b", message="--scores reads scores that are already computed: leave out {}.")
    given.refuse_nothing("compare", "baseline", "all_pairs")
    if given["correction"] == "maxt":
        raise UsageError("--correction maxt is not for --judge: use holm, bh or none.")
    if given["population"] not in (None, "topics", "judgments", "same-topics"):
        raise UsageError(f"--judge is about topics and judgments, not {given['population']}.")


def drawn(given: Given) -> Report:
    """Topics drawn by lot."""
    from irci.studies.sample import sample

    given.refuse_all_but(*FOR_SAMPLE, message="{} is not for --sample.")
    return sample(given["sample"], given["seed"], given.inputs())
