"""irci partition-anova: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.base.choices import Model, Policy, PValue, ResidualDraw, Residuals, RunTest
from irci.base.errors import UsageError
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.parameters import InputFile, OutputFolder, Whole
from irci.cli.rules import VersionsRule
from irci.cli.tables import table_option

if TYPE_CHECKING:
    from irci.output.report import Report

# What --scores has decided already.
OF_RUNS = (
    "parts", "splits", "parts_file", "write_parts", "topics", "relevance_level", "depth", "missing", "max_grade", "names",
    "judged_only", "ties",
)  # fmt: skip


# What is about parts of the collection, or about the paper's.
OF_PARTS = ("parts", "splits", "parts_file", "policy", "write_parts", "published")


class Several(click.ParamType[Any]):
    """A list with commas of some of the choices, or `none`."""

    name = "list"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The choices made, or a usage error."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        for part in parts:
            if part not in (*self.choices, "none"):
                self.fail(f"{part!r} is not one of {', '.join(self.choices)}, none", param, ctx)
        return tuple(dict.fromkeys(part for part in parts if part != "none"))


@click.command(
    "partition-anova",
    cls=Command,
    short_help="Which systems differ on exactly these topics?",
)
@options.measures_with("Any measure with a score for each topic will do.")
@click.option("-x", "parts", type=Whole(2, 100), metavar="N", help="Number of parts.  [default: 2]")
@click.option("--splits", type=Whole(1, 10_000), default=1, show_default=True, metavar="N", help="Number of splits.")
@click.option(
    "--parts",
    "parts_file",
    type=InputFile(),
    metavar="FILE",
    help="Read the parts from this file: lines of docno and part.",
)
@click.option(
    "--versions",
    type=VersionsRule(),
    metavar="FILE|REGEX",
    help="Replicates are several versions of each topic's query, not parts of the collection: a regular expression with groups"
    " (?P<topic>) and (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for run names; or a file with the columns"
    " run, system, version, or run, topic id, system, topic, version.",
)
@click.option(
    "--policy",
    type=click.Choice(get_args(Policy)),
    default="redraw",
    show_default=True,
    help="What to do if a part has no relevant document for a topic: split the topic's relevant documents again, drop the"
    " topic, score the part 0, or give it the mean of the run's other parts.",
)
@click.option(
    "--model",
    type=click.Choice(get_args(Model)),
    help="Effects fitted: topic and system (additive, md2; md1 on the unsplit collection), their interaction (interaction,"
    " md3), then also the part (md4), system by part (md5), topic by part (md6). With --versions, parts are versions that all"
    " topics have; nested: topic, system, their interaction, and versions that are each of one topic.  [default: interaction;"
    " with --versions: nested]",
)
@click.option(
    "--residuals",
    type=click.Choice(get_args(Residuals)),
    default="rescaled",
    show_default=True,
    help="Rescale residuals to the variance of the errors, or use them as they are (raw), which is too small.",
)
@click.option(
    "--draw",
    type=click.Choice(get_args(ResidualDraw)),
    default="replacement",
    show_default=True,
    help="Draw residuals with replacement, or shuffle them.",
)
@click.option(
    "--p-value",
    type=click.Choice(get_args(PValue)),
    default="difference",
    show_default=True,
    help="Compute p from the resampled differences, from a normal distribution with their variance (no smallest p), or from"
    " each system by itself.",
)
@click.option(
    "--correction",
    type=click.Choice(["bh", "holm", "none"]),
    default="bh",
    show_default=True,
    help="How p_adjusted accounts for the number of pairs: by Benjamini and Hochberg's method, Holm's method, or not at all."
    " A family is all pairs of systems for one measure on one split.",
)
@click.option(
    "--tests",
    type=Several(get_args(RunTest)),
    default=("t", "randomization"),
    metavar="LIST",
    help=f"Tests of the unsplit scores for comparison: {', '.join(get_args(RunTest))} (randomized Tukey HSD), or none."
    "  [default: t,randomization]",
)
@click.option(
    "--test-correction",
    type=click.Choice(["none", "bh", "holm"]),
    default="none",
    show_default=True,
    help="How these tests account for the number of pairs (randomized Tukey HSD does so by itself).",
)
@click.option(
    "--alpha",
    "alphas",
    type=options.FRACTIONS,
    default=(0.05, 0.01),
    metavar="LIST",
    help="Significance levels; pairs, agreement and groups use the first.  [default: 0.05,0.01]",
)
@click.option("--pairs", is_flag=True, help="List all pairs.")
@click.option(
    "--groups",
    type=InputFile(),
    metavar="FILE",
    help="Also fit each team by itself; the file has lines of run, tab, team.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Compute as in the paper: --residuals raw --p-value marginal --tests unpaired-t,randomization-one-sided.",
)
@click.option(
    "--write-parts",
    type=OutputFolder(),
    metavar="DIR",
    help="Write the runs and qrels of each part to this folder, as TREC files.",
)
@options.resamples_by_default(10_000)
@options.confidence
@options.seed
@options.inputs
@options.arrangement
@table_option("partition-anova")
@options.long_layout_only
@options.outputs
@options.files
def partition_anova_command(given: Given) -> Report:
    """Which systems differ, taking the interaction of system and topic into account?

    Example: irci partition-anova --splits 11 qrels.txt runs/*

    Splits the documents into parts and scores every run on each part. These replicates go into an analysis of variance whose
    residuals are resampled. Prints the system effects with confidence limits, the ANOVA table, and how many pairs differ
    significantly, next to tests of the unsplit scores. The topics are fixed: the results say nothing about other topics.

    With --versions the replicates are wordings of each topic's query: does the difference between systems depend on the topic,
    beyond what wording explains?

    With --scores the files are tables of such scores with the columns run, topic, measure, split, part, value (split and
    part 0 are the whole collection).
    """
    from irci.studies.partition_anova import PUBLISHED, PartitionAnovaRequest, partition_anova

    chosen: dict[str, Any] = {"model": "interaction"}
    given.refuse("standardise", message="{} is for other commands.")
    if given["versions"] is not None:
        given.refuse(*OF_PARTS, message="{} is for parts of the collection, not for --versions.")
        if given["model"] == "md1":
            raise UsageError("--model md1 is for the unsplit collection, not for --versions.")
        chosen["model"] = "nested"
    else:
        given.refuse("scores_format", "no_relevant", message="{} is for other commands.")
        if given["model"] == "nested":
            raise UsageError("--model nested is for --versions.")
    if given["scores"] and given["versions"] is None:
        given.refuse(*OF_RUNS, message="--scores reads scores that are already computed: leave out {}.")
    if given["parts_file"] is not None:
        given.refuse("splits", message="--parts FILE is one split: leave out {}.")
    if given["model"] == "md1":
        given.refuse("splits", "parts", message="--model md1 is for the unsplit collection: leave out {}.")
        chosen["policy"] = "drop"  # what a part lacks is nothing to it
    if given["published"]:
        chosen |= PUBLISHED
    chosen = {name: value for name, value in chosen.items() if not given.has(name)}
    return partition_anova(given.record(PartitionAnovaRequest, **chosen), given.inputs())
