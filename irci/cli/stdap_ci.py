"""irci stdap-ci: its options, and what it does with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.base.choices import Transform
from irci.base.errors import UsageError
from irci.base.names import BLANKS
from irci.base.numerals import decimal, whole_number
from irci.cli import options, structured
from irci.cli.command import Command, Given
from irci.cli.parameters import InputFile, Numbers, OutputFile, Whole
from irci.cli.tables import table_option

if TYPE_CHECKING:
    from irci.output.report import Report


class SummaryFigures(click.ParamType[Any]):
    """NAME=mean,sd,n, and a name of the reference systems if it is known."""

    name = "summary"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Name, mean, sd, n and reference, or a usage error."""
        name, _, figures = value.partition("=")
        mean, sd, topics, *reference = [*figures.split(","), "", "", ""][: max(3, figures.count(",") + 1)]
        try:
            numbers = decimal(mean), decimal(sd), whole_number(topics)
        except ValueError:
            numbers = math.nan, math.nan, 0
        if not (
            name
            and abs(numbers[0]) <= 1e9
            and (numbers[1] == 0 or 1e-9 <= numbers[1] <= 1e9)
            and 2 <= numbers[2] <= 10**9
            and len(reference) < 2
        ):
            self.fail(f"{value!r} is not NAME=MEAN,SD,N or NAME=MEAN,SD,N,REFERENCE", param, ctx)
        from irci.studies.stdap_ci import Summary

        return Summary(name, *numbers, reference[0].strip(BLANKS) if reference else "")


@click.command("stdap-ci", cls=Command, short_help="What mean would other topics give, on a comparable scale?")
@options.measures_with("Any measure with a score for each topic will do.")
@options.per_topic
@options.no_summary
@click.option("--reference", metavar="RUN,...", help="Standardise by these runs.  [default: all]")
@click.option(
    "--reference-sample", type=Whole(2, 1_000_000), metavar="K", help="Standardise by K runs drawn at random (--seed)."
)
@click.option(
    "--factors",
    type=InputFile(),
    metavar="FILE",
    help="Standardise by the factors in this file: lines of topic, measure, mean, sd.",
)
@click.option("--save-factors", type=OutputFile(), metavar="FILE", help="Save the factors to this file.")
@click.option(
    "--transform",
    type=click.Choice(get_args(Transform)),
    default="z",
    show_default=True,
    help="z scores, their normal CDF, std-AB (.15 z + .5, clipped to [0, 1]), or none.",
)
@click.option("--leave-one-out", is_flag=True, help="Standardise each reference run by the other reference runs.")
@click.option(
    "--ddof",
    type=Whole(0, 1),
    default=1,
    show_default=True,
    help="Divisor of the references' variance: n - 1 (1) or n (0).",
)
@click.option(
    "--summary",
    "summaries",
    type=SummaryFigures(),
    multiple=True,
    metavar="NAME=MEAN,SD,N",
    help="Print intervals and differences from published figures, without files; a fourth value names the reference."
    " Repeatable.",
)
@click.option("--any-reference", is_flag=True, help="Compare summaries even if their references differ.")
@click.option(
    "--type-one", is_flag=True, help="Count how often intervals from samples of the topics miss the mean of all topics."
)
@click.option(
    "--sizes",
    type=Numbers(2, 1_000_000, whole=True),
    default=(5,),
    metavar="LIST",
    help="With --type-one: sizes of the samples.  [default: 5]",
)
@click.option(
    "--trials",
    type=Whole(1, 1_000_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="With --type-one: samples for each run and size.",
)
@click.option("--replace", is_flag=True, help="With --type-one: draw the samples with replacement.")
@click.option(
    "--figures", is_flag=True, help="With --type-one: print the paper's Q-Q plots and histograms instead of its tables."
)
@structured.clusters_with("Limits are for other clusters in place of other topics.")
@structured.mean_over_clusters
@options.confidence
@options.seed
@options.inputs
@options.arrangement
@table_option("stdap-ci")
@options.layouts
@options.outputs
@options.any_files
def stdap_ci_command(given: Given) -> Report:
    """What mean score would a new sample of topics give, on a scale that is comparable across papers?

    Example: irci stdap-ci --save-factors factors.tsv qrels.txt runs/*

    Standardises each topic's scores by those of reference systems, and prints the means of the standardised and of the raw
    scores, each with its t interval: measure, all, value, lower, upper, run, standard deviation, topics. Intervals under
    different reference systems cannot be compared: save the factors and use them again.
    """
    from irci.studies.stdap_ci import StdapCiRequest, stdap_ci, summaries_compared

    given.refuse("standardise", message="{} is for other commands: here it is --transform.")
    if given["summaries"]:
        given.refuse_all_but(
            "summaries",
            "confidence",
            "any_reference",
            "sort",
            "show_width",
            message="--summary does not take {}: it is for published figures.",
        )
        return summaries_compared(given["summaries"], given["confidence"], given["any_reference"])
    if not given["files"]:
        raise UsageError("Missing QRELS and RUN..., --scores FILE..., or --summary NAME=MEAN,SD,N.")
    if given["type_one"]:
        given.refuse("save_factors", "per_topic", "no_summary", "confidence", "clusters", "mean", "sort", "show_width",
                     message="--type-one does not take {}.")  # fmt: skip
    else:
        given.refuse("sizes", "trials", "replace", "figures", message="{} is for --type-one.")
        given.refuse_nothing("per_topic")
    return stdap_ci(given.record(StdapCiRequest), given.inputs())
