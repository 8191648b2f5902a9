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


@click.command("swap-error", cls=Command, short_help="How often are two systems ordered the wrong way round?")
@click.option(
    "--procedure",
    type=click.Choice(get_args(Procedure)),
    default="error-rate",
    show_default=True,
    help="Query sets that disagree with the majority of them (Buckley & Voorhees), two topic sets that disagree (Voorhees &"
    " Buckley), or pairs that a bootstrap test tells apart (Sakai).",
)
@options.measures_with("Any score of a topic will do.")
@click.option(
    "--fuzziness",
    type=Numbers(0, 1_000_000),
    default="5",
    show_default=True,
    metavar="LIST",
    help="Differences below so many percent are ties; 1,2,...,10 for a sweep.",
)
@click.option(
    "--base",
    type=click.Choice(get_args(Base)),
    default="larger",
    show_default=True,
    help="Percent of which of the two scores.",
)
@click.option(
    "--sizes",
    type=Numbers(1, 1_000_000, whole=True),
    metavar="LIST",
    help="Topics in a set.  [default: 5,10,15,20,25,30,40,50 and all, without versions up to half of all; swap: each from 5 to"
    " half of all]",
)
@click.option(
    "--versions",
    type=Rule(),
    metavar="RULE|FILE",
    help="Make query sets of versions of each topic's query: a regular expression with groups (?P<topic>) and"
    " (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for run names; or a file of run, system, version, or"
    " of run, topic id, system, topic, version.",
)
@click.option(
    "--counts",
    type=InputFile(),
    metavar="FILE",
    help="Without other files: rates from two systems and how often better, worse, equal.",
)
@click.option("--matrix", is_flag=True, help="With --versions: print these counts for the query sets as they are.")
@click.option(
    "--draw",
    type=click.Choice(get_args(TopicDraw)),
    help="Without versions: topics without replacement, disjoint, or with replacement.  [default: subset; swap: partition]",
)
@click.option(
    "--sets", type=Whole(2, 1_000_000), default=100, show_default=True, metavar="N", help="Subsets in a design."
)
@click.option(
    "--designs",
    type=Whole(1, 1_000_000),
    default=50,
    show_default=True,
    metavar="N",
    help="How often versions are dealt to query sets, or subsets drawn.",
)
@click.option(
    "--trials",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="How many topic sets of a size.  [default: 100; swap: 50]",
)
@click.option(
    "--at",
    type=Numbers(1, 1_000_000, whole=True),
    metavar="LIST",
    help="Print swap rates with so many topics, extrapolated, and marked so, beyond --sizes.  [default: half, all, and twice"
    " as many]",
)
@click.option("--relative", is_flag=True, help="Swaps by percent of the larger score, not by absolute difference.")
@click.option(
    "--fit",
    type=click.Choice(get_args(Fit)),
    default="probit",
    show_default=True,
    help="The curve that extrapolates swap rates: a probit in the root of the number of topics, or Voorhees & Buckley's"
    " exponential, which falls too fast.",
)
@click.option(
    "--max-rate",
    type=options.FRACTION,
    default=0.05,
    show_default=True,
    metavar="P",
    help="Find the smallest difference with no more swaps.",
)
@click.option(
    "--alpha",
    "alphas",
    type=options.FRACTIONS,
    default="0.01,0.05,0.1",
    show_default=True,
    metavar="LIST",
    help="Levels of the bootstrap test.",
)
@options.resamples_by_default(1000)
@click.option(
    "--figures", is_flag=True, help="Print what the figures of swaps and of power show, instead of the tables."
)
@options.seed
@options.inputs
@table_option("swap-error")
@options.long_layout_only
@options.outputs
@options.any_files
def swap_error_command(given: Given) -> Report:
    """How often does an experiment of this size order two systems wrongly?

    Example: irci swap-error --sizes 5,10 qrels.txt runs/*

    Prints for each size of topic set and fuzziness the error rate (the share of comparisons in which a set disagrees with the
    majority of sets), its standard deviation, and the share of ties. Sets are subsets of the topics, or versions of their
    queries. Other procedures print swap rates, and the power of a bootstrap test.
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
