"""Bounds of unjudged documents, of ap-ci and map-ci: their options, and which of the others go with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from irci.base.choices import Unjudged
from irci.base.errors import UsageError
from irci.cli.command import Given

if TYPE_CHECKING:
    from irci.output.report import Report

# The options that mean something for bounds.
TAKEN = (
    "files", "runs_from", "measures", "per_topic", "no_summary", "population", "unjudged", "tail", "compare", "baseline",
    "all_pairs", "epsilon", "relevance_level", "max_grade", "depth", "ties", "topics", "missing", "no_relevant", "names",
    "save_scores", "collection", "threads", "progress", "sort", "show_width", "layout", "limits",
)  # fmt: skip


def unjudged_options(asked: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options of bounds; `asked`: what the help says of when they hold."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            click.option(
                "--tail/--no-tail",
                default=True,
                show_default=True,
                help="In bounds of rbp, take the ranks below the end of a list for unknown too, or for not relevant.",
            ),
            click.option("--unjudged", type=click.Choice(get_args(Unjudged)), help=asked),
        ):
            command = option(command)
        return command

    return add


def bounded(given: Given, command: Literal["ap-ci", "map-ci"]) -> Report:
    """The bounds of scores, in place of confidence limits."""
    from irci.studies.compare.bounds.study import unjudged
    from irci.studies.compare.request import Request

    asks = "--unjudged" if command == "ap-ci" else "--population judgments"
    given.refuse("judged_only", message="{} removes the unjudged documents, whose grades the bounds are over.")
    given.refuse("scores", message=f"{{}}: scores have no documents: {asks} needs QRELS and RUNs.")
    given.refuse_all_but(*TAKEN, message=f"{asks} does not take {{}}: bounds are no confidence limits.")
    given.refuse_nothing("per_topic", *(() if command == "ap-ci" else ("compare", "baseline", "all_pairs")))
    return unjudged(
        given.record(Request, population=None, resamples=None, small_r="wider", interval=None),
        given.inputs(),
        f"{command} {asks}",
    )


def refuse_options_of_bounds(given: Given, asks: str) -> None:
    """Refuse the options of bounds where none are asked for; `asks`: what does."""
    given.refuse("unjudged", message="{} is for " + f"{asks}.")
    if given.has("tail"):
        raise UsageError(f"{'--tail' if given['tail'] else '--no-tail'} is for {asks}.")
