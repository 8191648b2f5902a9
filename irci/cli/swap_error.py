"""irci swap-error: its options, and what it does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from irci.base.choices import Base, Correction, Fit, KappaInterval, LabelWeights, Procedure, TauInterval, TopicDraw
from irci.base.errors import UsageError
from irci.cli import options, structured
from irci.cli.command import Command, Given
from irci.cli.parameters import InputFile, Numbers, Whole
from irci.cli.rules import VersionsRule
from irci.cli.tables import table_option

if TYPE_CHECKING:
    from irci.output.report import Report

OF_JUDGES = (
    "other_qrels", "level_b", "common", "labels_only", "weights", "interval", "kappa_interval", "correction", "group",
    "confidence",
)  # fmt: skip
# Which options are of which procedure alone.
OF_PROCEDURE = {
    "fuzziness": ("error-rate",),
    "base": ("error-rate",),
    "sizes": ("error-rate", "swap"),
    "versions": ("error-rate",),
    "clusters": ("error-rate", "swap", "discriminative-power"),
    "mean": ("error-rate", "swap", "discriminative-power"),
    "matrix": ("error-rate",),
    "draw": ("error-rate", "swap"),
    "sets": ("error-rate",),
    "designs": ("error-rate",),
    "trials": ("error-rate", "swap"),
    "at": ("swap",),
    "relative": ("swap",),
    "fit": ("swap",),
    "max_rate": ("swap",),
    "alphas": ("discriminative-power", "judges"),
    "resamples": ("discriminative-power", "judges"),
    "figures": ("swap", "discriminative-power"),
    **dict.fromkeys(OF_JUDGES, ("judges",)),
}
OF_RUNS = ("measures", "group", "alphas", "correction", "interval", "depth", "judged_only", "ties", "missing", "names")


@click.command("swap-error", cls=Command, short_help="How often are two systems put in the wrong order?")
@click.option(
    "--procedure",
    type=click.Choice(get_args(Procedure)),
    default="error-rate",
    show_default=True,
    help="error-rate: how often a query set disagrees with the majority of sets (Buckley & Voorhees); swap: how often"
    " two topic sets disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap test separates (Sakai);"
    " judges: how much another judge contradicts this experiment.",
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
    help="Topics (with --clusters: clusters) per set.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up to"
    " half of them; swap: each size from 5, or of few clusters from 1, to half of the topics]",
)
@click.option(
    "--versions",
    type=VersionsRule(),
    metavar="RULE|FILE",
    help="Build query sets from several versions of each topic's query: a regular expression with groups (?P<topic>) and"
    " (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for run names; or a file with the columns run, system,"
    " version, or run, topic id, system, topic, version.",
)
@structured.clusters_with("Draws whole clusters: sizes are numbers of clusters.")
@structured.mean_over_clusters
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
    metavar="LIST",
    help="Significance levels of the bootstrap test; judges: of paired t tests.  [default: 0.01,0.05,0.1; judges: 0.05]",
)
@click.option(
    "-B",
    "--resamples",
    type=Whole(2, options.MOST_RESAMPLES),
    metavar="N",
    help="Number of resamples.  [default: 1000; judges: 2000]",
)
@click.option(
    "--figures", is_flag=True, help="Print the data of the figures of swaps or of power instead of the tables."
)
@click.option(
    "--other-qrels",
    type=InputFile(),
    multiple=True,
    metavar="FILE",
    help="judges: judgments of the same topics by somebody else, a person or a model; repeatable.",
)
@click.option(
    "--level-b",
    type=Whole(0, options.HIGHEST_LEVEL),
    metavar="N",
    help="judges: the lowest grade that counts as relevant in all of --other-qrels.  [default: as -l]",
)
@click.option("--common", is_flag=True, help="judges: keep only documents that both have judged before scoring.")
@click.option("--labels-only", is_flag=True, help="judges: compare labels alone, without runs.")
@click.option(
    "--weights",
    type=click.Choice(get_args(LabelWeights)),
    default="none",
    show_default=True,
    help="judges: how much a disagreement counts in kappa: all alike, by the distance of the grades, or its square.",
)
@click.option(
    "--interval",
    type=click.Choice(get_args(TauInterval)),
    default="jackknife",
    show_default=True,
    help="judges: limits of tau over topics; percentiles of resampled topics lie too low.",
)
@click.option(
    "--kappa-interval",
    type=click.Choice(get_args(KappaInterval)),
    default="topics",
    show_default=True,
    help="judges: limits of kappa by resampled topics; or the textbook's, which take documents for independent and are"
    " too narrow, often by far.",
)
@click.option(
    "--correction",
    type=click.Choice(get_args(Correction)),
    default="none",
    show_default=True,
    help="judges: adjust p of the pairs that are counted, for the number of pairs under each judge.",
)
@click.option(
    "--group",
    metavar="REGEX",
    help="judges: are runs favoured whose names match? Compares their bias with the others', topic by topic.",
)
@options.confidence
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
    queries. Other procedures print swap rates, the power of a bootstrap test, or what another judge makes of the same runs.
    """
    from irci.studies.swap_error import SwapErrorRequest, rates_of_file, swap_error

    if given["counts"] is not None:
        given.refuse("plot", message="--counts does not take {}: there is nothing to draw.")
        given.refuse_all_but("counts", message="--counts does not take {}: it is for counts made elsewhere.")
        return rates_of_file(given["counts"])
    for name, procedures in OF_PROCEDURE.items():
        if given["procedure"] not in procedures:
            given.refuse(name, message=f"{{}} is for --procedure {' and '.join(procedures)}.")
    if not given["files"]:
        raise UsageError("Missing QRELS and RUN..., --scores FILE..., or --counts FILE.")
    if given["procedure"] == "judges":
        _check_judges(given)
    if given["versions"] is not None:
        given.refuse("draw", "sets", message="{} is for query sets without --versions.")
    if given["draw"] == "partition":
        given.refuse("sets", message="--draw partition makes as many sets as there are topics for: leave out {}.")
    return swap_error(given.record(SwapErrorRequest), given.inputs())


def _check_judges(given: Given) -> None:
    """Refuse what another judge can do nothing with."""
    if not given["other_qrels"]:
        raise UsageError("--procedure judges takes --other-qrels FILE.")
    given.refuse(
        "scores", "standardise", "save_scores", "collection",
        message="--procedure judges scores runs by each judge: leave out {}.",
    )  # fmt: skip
    if given["labels_only"]:
        given.refuse(*OF_RUNS, message="--labels-only compares labels alone: leave out {}.")
        if len(given["files"]) > 1 or given["runs_from"]:
            raise UsageError("--labels-only compares labels alone: give QRELS, and no RUNs.")
