"""irci partition-anova: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from irci.choices import Model, Policy, PValue, ResidualDraw, Residuals, RunTest
from irci.cli import options
from irci.cli.command import Command, Given
from irci.cli.parameters import InputFile, OutputFolder, Whole
from irci.cli.tables import table_option

if TYPE_CHECKING:
    from irci.output.report import Report

# What --scores has decided already.
OF_RUNS = (
    "parts", "splits", "parts_file", "write_parts", "topics", "relevance_level", "depth", "missing", "max_grade", "names",
    "judged_only", "ties",
)  # fmt: skip


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
    short_help="Which systems differ, with parts as replicates?",
)
@options.measures_with("Any score of a topic will do.")
@click.option("-x", "parts", type=Whole(2, 100), metavar="N", help="Number of parts.  [default: 2]")
@click.option("--splits", type=Whole(1, 10_000), default=1, show_default=True, metavar="N", help="Number of splits.")
@click.option(
    "--parts", "parts_file", type=InputFile(), metavar="FILE", help="Take these parts: lines of docno and part."
)
@click.option(
    "--policy",
    type=click.Choice(get_args(Policy)),
    default="redraw",
    show_default=True,
    help="Where a part has no relevant document of a topic: split its relevant documents again, drop the topic, score the part"
    " 0, or give it the mean of the run's other parts.",
)
@click.option(
    "--model",
    type=click.Choice(get_args(Model)),
    default="interaction",
    show_default=True,
    help="Effects fitted: topic and system (additive, md2; md1 on the unsplit collection), their interaction (md3), and of the"
    " part (md4), of system and part (md5), of topic and part (md6).",
)
@click.option(
    "--residuals",
    type=click.Choice(get_args(Residuals)),
    default="rescaled",
    show_default=True,
    help="Rescale residuals to the variance of errors, or leave them too small.",
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
    help="From resampled differences, from a normal with their variance (no floor), or from each system by itself.",
)
@click.option(
    "--correction",
    type=click.Choice(["bh", "holm", "none"]),
    default="bh",
    show_default=True,
    help="How p_adjusted allows for the number of pairs: Benjamini-Hochberg, Holm, or not. The family is all pairs of"
    " systems, of one measure on one split.",
)
@click.option(
    "--tests",
    type=Several(get_args(RunTest)),
    default=("t", "randomization"),
    metavar="LIST",
    help=f"Tests of the unsplit scores to compare with: {', '.join(get_args(RunTest))} (randomized Tukey HSD), or none."
    "  [default: t,randomization]",
)
@click.option(
    "--test-correction",
    type=click.Choice(["none", "bh", "holm"]),
    default="none",
    show_default=True,
    help="How these tests allow for all pairs (randomized Tukey HSD does by itself).",
)
@click.option(
    "--alpha",
    "alphas",
    type=options.FRACTIONS,
    default=(0.05, 0.01),
    metavar="LIST",
    help="Levels; pairs, agreement and groups go by the first.  [default: 0.05,0.01]",
)
@click.option("--pairs", is_flag=True, help="List all pairs.")
@click.option("--groups", type=InputFile(), metavar="FILE", help="Also fit each team alone: lines of run, tab, team.")
@click.option(
    "--published",
    is_flag=True,
    help="Do as the paper did: --residuals raw --p-value marginal --tests unpaired-t,randomization-one-sided.",
)
@click.option(
    "--write-parts", type=OutputFolder(), metavar="DIR", help="Write the runs and qrels of each part as TREC files."
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
    """Which systems differ, system-topic interaction counted?

    Example: irci partition-anova --splits 11 qrels.txt runs/*

    Splits the documents in parts and scores every run on each; these replicates go into an analysis of variance
    whose residuals are resampled. Prints the systems' effects with limits, the table of variances, and how many
    pairs differ, beside tests of the unsplit scores. The topics are fixed: nothing is said about others.

    With --scores the files are tables of such scores: run, topic, measure, split, part, value (split and part 0: the whole).
    """
    from irci.studies.partition_anova import PUBLISHED, Settings, partition_anova

    given.refuse("standardise", "scores_format", "no_relevant", message="{} is for other commands.")
    if given["scores"]:
        given.refuse(*OF_RUNS, message="--scores reads scores that are already computed: leave out {}.")
    if given["parts_file"] is not None:
        given.refuse("splits", message="--parts FILE is one split: leave out {}.")
    chosen = {}
    if given["model"] == "md1":
        given.refuse("splits", "parts", message="--model md1 is for the unsplit collection: leave out {}.")
        chosen["policy"] = "drop"  # what a part lacks is nothing to it
    if given["published"]:
        chosen |= PUBLISHED
    chosen = {name: value for name, value in chosen.items() if not given.has(name)}
    return partition_anova(given.record(Settings, **chosen), given.inputs())
