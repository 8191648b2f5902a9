"""irci partition-anova: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.cli import options

if TYPE_CHECKING:
    from irci.data.measures import Measure
    from irci.data.part_scores import PartScores

TESTS = ("t", "unpaired-t", "randomization", "randomization-one-sided", "tukey")
# What --published sets, unless the option is given.
PUBLISHED = {
    "residuals": "raw",
    "p_value": "marginal",
    "tests": ("unpaired-t", "randomization-one-sided"),
}


class Several(click.ParamType[Any]):
    """A list with commas, of names or of fractions."""

    name = "list"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self.choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The names or numbers, or a usage error."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if self.choices:
            for part in parts:
                if part not in (*self.choices, "none"):
                    self.fail(f"{part!r} is not one of {', '.join(self.choices)}, none", param, ctx)
            return tuple(dict.fromkeys(part for part in parts if part != "none"))
        try:
            numbers = tuple(float(part) for part in parts)
        except ValueError:
            numbers = ()
        if not numbers or not all(0 < number < 1 for number in numbers):
            self.fail(f"{value!r} is no list of fractions between 0 and 1", param, ctx)
        return tuple(dict.fromkeys(numbers))


@click.command(
    "partition-anova",
    cls=options.Command,
    short_help="Which systems differ, with parts of the collection as replicates?",
)
@options.measures_with("Any score of a topic will do.")
@click.option("-x", "parts", type=click.IntRange(2, 100), metavar="N", help="Number of parts.  [default: 2]")
@click.option("--splits", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Number of splits.")
@click.option("--parts", "parts_file", metavar="FILE", help="Take these parts: lines of docno and part.")
@click.option(
    "--policy",
    type=click.Choice(["redraw", "drop", "zero", "mean"]),
    default="redraw",
    show_default=True,
    help="Where a part has no relevant document of a topic: split its relevant documents again, drop the topic, score the part"
    " 0, or give it the mean of the run's other parts.",
)
@click.option(
    "--model",
    type=click.Choice(["interaction", "additive", "md1", "md2", "md3", "md4", "md5", "md6"]),
    default="interaction",
    show_default=True,
    help="Effects fitted: topic and system (additive, md2; md1 on the unsplit collection), their interaction (md3), and of the"
    " part (md4), of system and part (md5), of topic and part (md6).",
)
@click.option(
    "--residuals",
    type=click.Choice(["rescaled", "raw"]),
    default="rescaled",
    show_default=True,
    help="Rescale residuals to the variance of errors, or leave them too small.",
)
@click.option(
    "--draw",
    type=click.Choice(["replacement", "permutation"]),
    default="replacement",
    show_default=True,
    help="Draw residuals with replacement, or shuffle them.",
)
@click.option(
    "--p-value",
    type=click.Choice(["difference", "normal", "marginal"]),
    default="difference",
    show_default=True,
    help="From resampled differences, from a normal with their variance (no floor), or from each system by itself.",
)
@click.option(
    "--correction",
    type=click.Choice(["bh", "holm", "none"]),
    default="bh",
    show_default=True,
    help="How p_adjusted allows for all pairs: Benjamini-Hochberg, Holm, or not.",
)
@click.option(
    "--tests",
    type=Several(TESTS),
    default=("t", "randomization"),
    metavar="LIST",
    help=f"Tests of the unsplit scores to compare with: {', '.join(TESTS)}, or none.  [default: t,randomization]",
)
@click.option(
    "--test-correction",
    type=click.Choice(["none", "bh", "holm"]),
    default="none",
    show_default=True,
    help="How these tests allow for all pairs (tukey does by itself).",
)
@click.option(
    "--alpha",
    "alphas",
    type=Several(),
    default=(0.05, 0.01),
    metavar="LIST",
    help="Levels; pairs, agreement and groups go by the first.  [default: 0.05,0.01]",
)
@click.option("--pairs", is_flag=True, help="List all pairs.")
@click.option("--groups", metavar="FILE", help="Also fit each team alone: lines of run, tab, team.")
@click.option(
    "--published",
    is_flag=True,
    help="Do as the paper did: --residuals raw --p-value marginal --tests unpaired-t,randomization-one-sided.",
)
@click.option("--write-parts", metavar="DIR", help="Write the runs and qrels of each part as TREC files.")
@options.resamples_by_default(10_000)
@options.confidence
@options.seed
@options.inputs
@options.outputs
@options.qrels
@options.runs
def partition_anova_command(
    qrels: str,
    runs: tuple[str, ...],
    runs_from: str | None,
    measures: Sequence[Measure],
    output_format: str,
    output: str | None,
    plot: str | None,
    scores: bool,
    scores_format: str | None,
    save_scores: str | None,
    standardise: str | None,
    published: bool,
    explain: bool,
    write_parts: str | None,
    groups: str | None,
    **others: Any,
) -> None:
    """Which systems differ, system-topic interaction counted?

    Example: irci partition-anova --splits 11 qrels.txt runs/*

    Splits the documents in parts and scores every run on each; these replicates go into an analysis of variance
    whose residuals are resampled. Prints the systems' effects with limits, the table of variances, and how many
    pairs differ, beside tests of the unsplit scores. The topics are fixed: nothing is said about others.

    With --scores the files are tables of such scores: run, topic, measure, split, part, value (split and part 0: the whole).
    """
    from dataclasses import replace

    from irci.cli.console import save_rows, write
    from irci.data.experiment import Inputs, run_files
    from irci.data.measures import MAP
    from irci.data.part_scores import read_part_scores, saved_rows
    from irci.errors import DataError
    from irci.methods.partition_anova import Settings
    from irci.studies.partition_anova.groups import read_groups, rows_of_groups
    from irci.studies.partition_anova.study import Report, Request

    if standardise is not None or scores_format is not None or options.is_given("no_relevant"):
        raise click.UsageError("--standardise, --scores-format and --no-relevant are for other commands.")
    if others["model"] == "md1" and not options.is_given("policy"):
        others["policy"] = "drop"  # what a part lacks is nothing to it
    if published:
        others.update(_unless_given(PUBLISHED))
    # Without relevant documents there is nothing to split.
    inputs = replace(Inputs.taken_from(others), no_relevant="drop")
    check_measures(measures)
    check_splitting(scores, others)
    settings = Settings(**{name: others.pop(name) for name in Settings.__dataclass_fields__})
    request = Request(**{name: others.pop(name) for name in Request.__dataclass_fields__})
    paths = run_files(runs, runs_from, qrels)
    teams = {} if groups is None else read_groups(groups)
    if scores:
        table: PartScores = read_part_scores([qrels, *paths])
        wanted = [measure.name for measure in measures] or list(table.whole)
        if not set(wanted) <= set(table.whole):
            lacking = ", ".join(sorted(set(wanted) - set(table.whole)))
            raise DataError(f"no scores of {lacking}; there are {', '.join(table.whole)}")
        table.whole = {name: table.whole[name] for name in wanted}
    else:
        from irci.studies.partition_anova.parts import score_parts

        if not paths:
            raise click.UsageError("Missing argument 'RUN...'.")
        table = score_parts(
            inputs, qrels, paths, measures or [MAP], settings.seed, write_parts, policy=request.policy, **others
        )
    if save_scores is not None:
        save_rows(list(saved_rows(table)), save_scores)
    report = Report(table, settings, request, inputs.threads, inputs.quiet)
    rows = list(report.rows())
    if groups is not None:
        rows += rows_of_groups(report, groups, teams)
    signature = {
        "irci": irci.__version__,
        "command": "partition-anova",
        "measures": " ".join(table.whole),
        **settings.signature(),
        **request.signature(),
        "groups": groups,
        "parts_file": others["parts_file"],
        "splits": len(table.numbers),
        "parts": table.splits[next(iter(table.whole))][0].shape[2],
        **({} if scores else inputs.signature()),
        "num_topics": len(table.topics),
    }
    notes = report.notes() if explain else ()
    write(rows, output_format, output, signature, notes, plot=plot, drawn=[] if plot is None else report.drawn())


def _unless_given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not options.is_given(name)}


def check_splitting(scores: bool, chosen: dict[str, Any]) -> None:
    """Refuse options that would have no effect."""
    about_runs = (
        "parts", "splits", "parts_file", "write_parts", "topics", "relevance_level", "depth", "missing", "max_grade", "names",
    )  # fmt: skip
    for name in about_runs if scores else ():
        if options.is_given(name):
            raise click.UsageError(f"with --scores the scores are there already: no {name.replace('_', '-')}.")
    if chosen["parts_file"] is not None and options.is_given("splits"):
        raise click.UsageError("--parts FILE is one split: leave out --splits.")
    if chosen["model"] == "md1" and (options.is_given("splits") or options.is_given("parts")):
        raise click.UsageError("--model md1 is for the unsplit collection: leave out --splits and -x.")


def check_measures(measures: Sequence[Measure]) -> None:
    """Refuse what is no mean of scores."""
    wrong = [measure.name for measure in measures if not measure.scores_topics]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: no score of a topic to analyse.")
