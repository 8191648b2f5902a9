"""irci swap-error: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.choices import Base, Fit, Procedure, TopicDraw
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.parameters import InputFile, Numbers, Whole
from irci.cli.tables import table_option
from irci.errors import UsageError

if TYPE_CHECKING:
    from irci.output.report import Report

RULE = "(?P<"  # what a rule has and the name of a file has not

# Which options are of which procedure alone.
OF_PROCEDURE = {
    "fuzziness": ("error-rate",),
    "base": ("error-rate",),
    "sizes": ("error-rate", "swap"),
    "versions": ("error-rate",),
    "matrix": ("error-rate",),
    "draw": ("error-rate", "swap"),
    "sets": ("error-rate",),
    "designs": ("error-rate",),
    "trials": ("error-rate", "swap"),
    "at": ("swap",),
    "relative": ("swap",),
    "fit": ("swap",),
    "max_rate": ("swap",),
    "alphas": ("discriminative-power",),
    "resamples": ("discriminative-power",),
    "figures": ("swap", "discriminative-power"),
}


class Rule(InputFile):
    """A file, or a regular expression with groups system and version, or topic and version."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What it says (`irci.data.versions.Versions`), or a usage error."""
        from irci.data.versions import Versions

        if RULE not in value:
            return Versions.of_file(value)
        try:
            return Versions.of_rule(value)
        except ValueError as error:
            self.fail(f"{value!r}: {error}", param, ctx)

    def paths(self, value: Any) -> Iterable[str]:
        """The file, or the rule, which is no file."""
        return (value.given,)


@click.command("swap-error", cls=Command, short_help="How often are two systems put in the wrong order?")
@click.option(
    "--procedure",
    type=click.Choice(get_args(Procedure)),
    default="error-rate",
    show_default=True,
    help="error-rate: how often a query set disagrees with the majority of sets (Buckley & Voorhees); swap: how often"
    " two topic sets disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap test separates (Sakai).",
)
@options.measures_with("Any measure with a score for each topic will do.")
@click.option(
    "--fuzziness",
    type=Numbers(0, 1_000_000),
    default="5",
    show_default=True,
    metavar="LIST",
    help="Differences below this percentage are ties; 1,2,...,10 for a sweep.",
)
@click.option(
    "--base",
    type=click.Choice(get_args(Base)),
    default="larger",
    show_default=True,
    help="Which of the two scores the percentage refers to.",
)
@click.option(
    "--sizes",
    type=Numbers(1, 1_000_000, whole=True),
    metavar="LIST",
    help="Topics per set.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up to half of them;"
    " swap: each size from 5 to half of the topics]",
)
@click.option(
    "--versions",
    type=Rule(),
    metavar="RULE|FILE",
    help="Build query sets from several versions of each topic's query: a regular expression with groups (?P<topic>) and"
    " (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for run names; or a file with the columns run, system,"
    " version, or run, topic id, system, topic, version.",
)
@click.option(
    "--counts",
    type=InputFile(),
    metavar="FILE",
    help="Compute rates from this file alone: two systems, and how often the first is better, worse, equal.",
)
@click.option("--matrix", is_flag=True, help="With --versions: print such counts for the query sets as they are.")
@click.option(
    "--draw",
    type=click.Choice(get_args(TopicDraw)),
    help="Without --versions: draw topics without replacement (subset), in disjoint sets (partition), or with replacement"
    " (bootstrap).  [default: subset; swap: partition]",
)
@click.option(
    "--sets",
    type=Whole(2, 1_000_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Number of subsets in a design.",
)
@click.option(
    "--designs",
    type=Whole(1, 1_000_000),
    default=50,
    show_default=True,
    metavar="N",
    help="How often versions are assigned to query sets, or subsets are drawn.",
)
@click.option(
    "--trials",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="Number of topic sets of each size.  [default: 100; swap: 50]",
)
@click.option(
    "--at",
    type=Numbers(1, 1_000_000, whole=True),
    metavar="LIST",
    help="Print swap rates for these numbers of topics; beyond --sizes they are extrapolated, and marked as such. "
    " [default: half of the topics, all of them, and twice as many]",
)
@click.option(
    "--relative", is_flag=True, help="Bin swaps by percentage of the larger score instead of by absolute difference."
)
@click.option(
    "--fit",
    type=click.Choice(get_args(Fit)),
    default="probit",
    show_default=True,
    help="Curve used to extrapolate swap rates: a probit in the square root of the number of topics, or the exponential of"
    " Voorhees & Buckley, which falls too fast.",
)
@click.option(
    "--max-rate",
    type=options.FRACTION,
    default=0.05,
    show_default=True,
    metavar="P",
    help="Find the smallest difference whose swap rate is at most this.",
)
@click.option(
    "--alpha",
    "alphas",
    type=options.FRACTIONS,
    default="0.01,0.05,0.1",
    show_default=True,
    metavar="LIST",
    help="Significance levels of the bootstrap test.",
)
@options.resamples_by_default(1000)
@click.option(
    "--figures", is_flag=True, help="Print the data of the figures of swaps or of power instead of the tables."
)
@options.seed
@options.inputs
@table_option("swap-error")
@options.long_layout_only
@options.outputs
@options.any_files
def swap_error_command(given: Given) -> Report:
    """How often does an experiment of this size put two systems in the wrong order?

    Example: irci swap-error --sizes 5,10 qrels.txt runs/*

    For each topic set size and fuzziness, prints the error rate (the share of comparisons in which a set disagrees with the
    majority of sets), its standard deviation, and the share of ties. Sets are subsets of the topics, or versions of their
    queries. Other procedures print swap rates, or the power of a bootstrap test.
    """
    from irci.studies.swap_error import Settings, rates_of_file, swap_error

    if given["counts"] is not None:
        given.refuse("plot", message="--counts does not take {}: there is nothing to draw.")
        given.refuse_all_but("counts", message="--counts does not take {}: it is for counts made elsewhere.")
        return rates_of_file(given["counts"])
    for name, procedures in OF_PROCEDURE.items():
        if given["procedure"] not in procedures:
            given.refuse(name, message=f"{{}} is for --procedure {' and '.join(procedures)}.")
    if not given["files"]:
        raise UsageError("Missing QRELS and RUN..., --scores FILE..., or --counts FILE.")
    if given["versions"] is not None:
        given.refuse("draw", "sets", message="{} is for query sets without --versions.")
    if given["draw"] == "partition":
        given.refuse("sets", message="--draw partition makes as many sets as there are topics for: leave out {}.")
    return swap_error(given.record(Settings), given.inputs())
