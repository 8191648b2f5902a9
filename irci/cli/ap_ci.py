"""irci ap-ci: its options, and what it does with them."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, get_args

import click

from irci.base.choices import ApInterval, ApMethod, BcaQuantile, BcaTies
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.parameters import STANDARD_STREAM
from irci.cli.tables import table_option
from irci.cli.unjudged import bounded, refuse_options_of_bounds, unjudged_options
from irci.cli.validation import validated

if TYPE_CHECKING:
    from irci.output.report import Report


logger = logging.getLogger("irci")
OF_ALL = "limits of `all` are for these topics; for other topics of their kind: irci map-ci --population topics"


@click.command("ap-ci", cls=Command, short_help="How precise is each topic's average precision?")
@options.measures
@options.per_topic
@options.no_summary
@click.option(
    "--interval",
    type=click.Choice(get_args(ApInterval)),
    help="Kind of interval for each topic; the interval of the mean is always linear.  [default: for map logit, or"
    " delta-logit with --method delta; for other measures percentile]",
)
@click.option(
    "--method",
    type=click.Choice(get_args(ApMethod)),
    default="bootstrap",
    show_default=True,
    help="Resample, or compute the standard deviation from a closed form (only for map, with linear or delta-logit"
    " intervals).",
)
@unjudged_options(
    "Print, instead of confidence limits, bounds over all grades up to --max-grade that unjudged documents could have: those"
    " down to a measure's cutoff (scored), or all that are retrieved."
)
@options.resamples_of_documents()
@options.confidence
@options.seed
@options.small_r
@options.no_small_r
@options.epsilon
@click.option(
    "--bca-ties",
    type=click.Choice(get_args(BcaTies)),
    default="strict",
    show_default=True,
    help="For bca, of the replicates equal to AP count none as below it (strict), or half if they are more than 5% (mid).",
)
@click.option(
    "--bca-quantile",
    type=click.Choice(get_args(BcaQuantile)),
    default="type7",
    show_default=True,
    help="For bca, interpolate quantiles (type7), or take the order statistics that bcanon of S-Plus takes (order).",
)
@options.validation
@click.option(
    "--published",
    is_flag=True,
    help="With --validate: count a score of 0 or 1 as inside if the score clamped by --epsilon is inside, as the paper did.",
)
@options.inputs
@options.arrangement
@table_option("ap-ci")
@options.layouts
@options.outputs
@options.files
def ap_ci_command(given: Given) -> Report:
    """How precise is each topic's average precision?

    Example: irci ap-ci -q qrels.txt run.txt

    Prints trec_eval's map with confidence limits for the score expected on collections of this size and kind. Documents are
    resampled; topics and system stay fixed, so the limits say nothing about other topics. The columns are measure, topic
    (or all), value, lower, upper, run; the first three are what `trec_eval -q -c -m map` prints. A seventh column,
    `corrected`, marks limits that come from the correction for few relevant documents.

    Files may be gzipped; - is standard input.
    """
    from irci.studies.ap_ci import ApCiRequest, ap_ci

    if given["validate"]:
        return validated(given, "ap-ci")
    if given["unjudged"] is not None:
        return bounded(given, "ap-ci")
    refuse_options_of_bounds(given, "--unjudged")
    given.refuse(*options.VALIDATION, "published", message="{} is for --validate.")
    given.refuse_nothing("per_topic")
    report = ap_ci(given.record(ApCiRequest), given.inputs())
    _tell_what_all_is(given, report)
    return report


def _tell_what_all_is(given: Given, report: Report) -> None:
    """Say whom the limits of the mean are for, unless a program may read all topics' lines.

    On standard error, so that what a pipe gets is trec_eval's lines and nothing else, at a terminal or not.
    """
    is_read = given["per_topic"] and (given["output"] != STANDARD_STREAM or not sys.stdout.isatty())
    rows = (row for table in report.tables if table.kind == "estimate" for row in table.rows)
    if given["output_format"] == "text" and not is_read and any(row["lower"] == row["lower"] for row in rows):
        logger.info(OF_ALL)
