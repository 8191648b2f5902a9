"""irci wcw: its options, and what it does with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.base.choices import Tool
from irci.base.errors import UsageError
from irci.base.numerals import decimal
from irci.cli import judge, options, structured
from irci.cli.command import Command, Given
from irci.cli.parameters import Numbers, Real, Whole
from irci.cli.tables import table_option

if TYPE_CHECKING:
    from irci.output.report import Report

MOST_SYSTEMS, MOST_TOPICS = 10_000, 1_000_000
OF_FILES = (
    "residual",
    "pool",
    "clusters",
    "standardise",
    "measures",
    "save_scores",
    "collection",
    "scores",
    "scores_format",
    "judged_only",
    "ties",
    "progress",
)


OF_JUDGE = ("judge", "judge_correlation", "judged_topics")
# What is about several systems, powers, or other variances than a run's.
NOT_FOR_JUDGE = (
    "beta", "systems", "curve", "power", "tools", "noncentrality", "increment", "approximate", "residual", "pool",
    "clusters", "cluster_size", "icc",
    "standardise", "save_scores", "collection", "no_relevant",
)  # fmt: skip


class Variance(click.ParamType[Any]):
    """NAME=NUMBER."""

    name = "variance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name and the number, or a usage error."""
        name, equals, number = value.rpartition("=")
        try:
            variance = decimal(number)
        except ValueError:
            variance = math.nan
        if not (equals and name and (variance == 0 or 1e-12 <= variance <= 1e9)):
            self.fail(f"{value!r} is not NAME=VARIANCE", param, ctx)
        return name, variance


@click.command("wcw", cls=Command, short_help="How many topics does a measure need?")
@click.option(
    "--variance",
    "variances",
    type=Variance(),
    multiple=True,
    metavar="NAME=V",
    help="Within-system variance of a measure; repeatable. Without this option, variances are estimated from the files.",
)
@options.measures_with("Any measure with a score for each topic will do.")
@click.option(
    "--alpha", type=options.FRACTION, default=0.05, show_default=True, help="Significance level of tests and intervals."
)
@click.option(
    "--beta", type=options.FRACTION, default=0.20, show_default=True, help="Probability of a type II error: 1 - power."
)
@click.option(
    "--systems",
    type=Whole(2, MOST_SYSTEMS),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of systems that the ANOVA compares.",
)
@click.option(
    "--sizes",
    type=Numbers(2, MOST_TOPICS, whole=True),
    metavar="LIST",
    help="Print the widths for these numbers of topics.  [default: 10,20,50,100]",
)
@click.option(
    "--width",
    "widths",
    type=Numbers(1e-9, 1e9),
    metavar="LIST",
    help="Print the number of topics needed for these widths (or differences).",
)
@click.option("--curve", is_flag=True, help="Print the widths for 5 to 200 topics.")
@click.option(
    "--power",
    is_flag=True,
    help="With --sizes and --width: print the power to find these differences with these numbers of topics.",
)
@click.option(
    "--tool",
    "tools",
    type=click.Choice(get_args(Tool)),
    multiple=True,
    help="ANOVA of several systems, interval of the difference between two, or paired t test; repeatable.  [default: anova and"
    " ci]",
)
@click.option(
    "--noncentrality",
    is_flag=True,
    help="Instead, print the noncentrality for 2 to 50 systems, exact and by Nagata's formulas.",
)
@click.option(
    "--sakai-increment",
    "increment",
    is_flag=True,
    help="Search for the number of topics only upwards from equation (2), as Sakai does.",
)
@click.option(
    "--approximate", is_flag=True, help="Use the normal approximation of Sakai's spreadsheet for the noncentral F."
)
@click.option(
    "--residual",
    is_flag=True,
    help="From files: use the residual variance after topics and systems (two-way), for paired designs, instead of the"
    " variance within systems.",
)
@click.option(
    "--pool",
    is_flag=True,
    help="With --scores: treat each file as a collection, and pool variances weighted by degrees of freedom.",
)
@structured.clusters_with("From files: estimates the variances within and between them.")
@click.option(
    "--cluster-size",
    type=Whole(1, MOST_TOPICS),
    metavar="N",
    help="Topics in each cluster.  [default: sizes as in the files]",
)
@click.option(
    "--icc",
    type=Real(0, 1),
    metavar="R",
    help="Without --clusters: assume this correlation between the scores of two topics of a cluster. Takes --cluster-size.",
)
@click.option(
    "--judge-correlation",
    type=Real(0, 1 - 1e-9),
    metavar="R",
    help="Correlation over topics between the scores that a judge, such as a language model, and people give a run: how many"
    " topics people must judge themselves. Takes --judged-topics.",
)
@click.option(
    "--judged-topics",
    type=Whole(4, MOST_TOPICS),
    metavar="M",
    help="Topics that the judge has judged.  [default: those in --judge]",
)
@judge.judge
@judge.level_b
@options.inputs
@table_option("wcw")
@options.long_layout_only
@options.outputs
@options.any_files
def wcw_command(given: Given) -> Report:
    """How many topics does a measure need, and how wide can an interval get with a number of topics?

    Example: irci wcw --variance AP=.0471 --width .05,.1

    From the within-system variance of a measure, prints the worst-case width of the confidence interval for the difference
    between two systems with a number of topics (wcw_NAME), or the number of topics needed for a width (topics_NAME). No data
    are needed; with QRELS and RUNs, or --scores, variances are estimated (from standardised scores, if you ask for these).
    With --judge-correlation, prints how many topics people must judge where a judge, such as a language model, has judged
    many.
    """
    from irci.studies.wcw import WcwRequest, wcw

    if any(given.has(name) for name in OF_JUDGE):
        return _with_judge(given)
    given.refuse("level_b", message="{} is for --judge.")
    if not given["files"]:
        given.refuse(*OF_FILES, message="{} is for variances from files.")
    return wcw(given.record(WcwRequest), given.inputs() if given["files"] else None)


def _with_judge(given: Given) -> Report:
    """How many topics people must judge beside a judge."""
    from irci.studies.human_topics import HumanTopicsRequest, human_topics

    given.refuse(*NOT_FOR_JUDGE, message="{} is not for a judge's topics.")
    if given["judge"] is None:
        given.refuse("level_b", message="{} is for --judge.")
        if given["files"]:
            raise UsageError("files tell what a judge is worth with --judge alone: add it, or leave them out.")
        given.refuse(*OF_FILES, message="{} is for variances from files.")
        return human_topics(given.record(HumanTopicsRequest))
    given.refuse("judge_correlation", message="--judge tells the correlation: leave out {}.")
    if not given["files"]:
        raise UsageError("--judge needs people's QRELS and RUN..., or --scores and a file.")
    if given["scores"]:
        given.refuse("level_b", message="--scores reads scores that are already computed: leave out {}.")
    return human_topics(given.record(HumanTopicsRequest), given.inputs(other_qrels=(given["judge"],)))
