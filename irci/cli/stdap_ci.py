"""irci stdap-ci: its options, and what it does with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

import irci
from irci.cli import options
from irci.cli.parameters import Numbers


def _parameters() -> list[click.Parameter]:
    return click.get_current_context().command.params


class Summary(click.ParamType[Any]):
    """NAME=mean,sd,n, and a name of the reference systems if it is known."""

    name = "summary"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Name, mean, sd, n and reference, or a usage error."""
        name, _, figures = value.partition("=")
        mean, sd, topics, *reference = [*figures.split(","), "", "", ""][: max(3, figures.count(",") + 1)]
        try:
            numbers = float(mean), float(sd), int(topics)
        except ValueError:
            numbers = math.nan, math.nan, 0
        if not (
            name
            and abs(numbers[0]) < 1e9
            and (numbers[1] == 0 or 1e-9 <= numbers[1] < 1e9)
            and numbers[2] >= 2
            and len(reference) < 2
        ):
            self.fail(f"{value!r} is not NAME=MEAN,SD,N or NAME=MEAN,SD,N,REFERENCE", param, ctx)
        return name, *numbers, reference[0].strip() if reference else ""


@click.command(
    "stdap-ci", cls=options.Command, short_help="What mean would other topics give, comparably across papers?"
)
@options.measures_with("Any score of a topic will do.")
@options.per_topic
@options.no_summary
@click.option("--reference", metavar="RUN,...", help="Standardise by these runs.  [default: all]")
@click.option(
    "--reference-sample", type=click.IntRange(2), metavar="K", help="Standardise by so many runs, drawn by --seed."
)
@click.option("--factors", metavar="FILE", help="Standardise by these factors: lines of topic, measure, mean, sd.")
@click.option(
    "--save-factors", type=click.Path(dir_okay=False), metavar="FILE", help="Write the factors used to this file."
)
@click.option(
    "--transform",
    type=click.Choice(["z", "cdf", "ab", "none"]),
    default="z",
    show_default=True,
    help="z scores, their normal distribution function, std-AB (.15 z + .5, clipped), or none.",
)
@click.option("--leave-one-out", is_flag=True, help="Standardise a reference run by the other reference runs.")
@click.option(
    "--ddof", type=click.IntRange(0, 1), default=1, show_default=True, help="Of the reference's sd: n - 1 or n."
)
@click.option(
    "--summary",
    "summaries",
    type=Summary(),
    multiple=True,
    metavar="NAME=MEAN,SD,N",
    help="Intervals and differences of published figures, without files; a fourth figure names the reference. Repeatable.",
)
@click.option("--any-reference", is_flag=True, help="Compare summaries whose references differ all the same.")
@click.option("--type-one", is_flag=True, help="How often intervals from samples of the topics miss the mean of all.")
@click.option(
    "--sizes",
    type=Numbers(whole=True),
    default=(5,),
    metavar="LIST",
    help="Sizes of these samples.  [default: 5]",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Samples for each run and size.",
)
@click.option("--replace", is_flag=True, help="Draw these samples with replacement.")
@click.option(
    "--figures", is_flag=True, help="With --type-one: the paper's Q-Q plots and histograms instead of its tables."
)
@options.confidence
@options.seed
@options.inputs
@options.outputs
@click.argument("files", metavar="[QRELS RUN...]", nargs=-1)
def stdap_ci_command(
    files: tuple[str, ...],
    measures: Sequence[Any],
    summaries: Sequence[tuple[str, float, float, int, str]],
    any_reference: bool,
    standardise: str | None,
    output_format: str,
    output: str | None,
    plot: str | None,
    explain: bool,
    **others: Any,
) -> None:
    """What mean score would a new sample of topics give, comparably across papers?

    Example: irci stdap-ci --save-factors factors.tsv qrels.txt runs/*

    Each topic's scores are standardised by reference systems; printed are the mean of these and of the raw scores,
    each with its t interval: measure, all, value, lower, upper, run, standard deviation, topics. Intervals under
    different reference systems cannot be compared: keep the factors, and use them again.
    """
    from irci.cli.console import write

    if standardise is not None:
        raise click.UsageError("--standardise is for other commands: here it is --transform.")
    signature = {"irci": irci.__version__, "command": "stdap-ci"}
    if summaries:
        taken = ("summaries", "confidence", "any_reference", "output_format", "output", "plot", "quiet")
        if files or any(options.is_given(str(each.name)) and each.name not in taken for each in _parameters()):
            raise click.UsageError(
                "--summary takes no files, and of options --confidence, --any-reference and those of output."
            )
        from irci.studies.stdap_ci import summary_rows

        rows = list(summary_rows(summaries, others["confidence"], any_reference))
        write(rows, output_format, output, signature | {"confidence": others["confidence"]}, plot=plot)
        return
    if not files:
        raise click.UsageError("Missing QRELS and RUN..., --scores FILE..., or --summary NAME=MEAN,SD,N.")
    given = [name for name in ("reference", "reference_sample", "factors") if others[name] is not None]
    if len(given) > 1 or (given and others["transform"] == "none" and not others["type_one"]):
        raise click.UsageError(
            "one reference, and only if there is a transform: --reference, --reference-sample or --factors."
        )
    if others["leave_one_out"] and others["save_factors"] is not None:
        raise click.UsageError("--leave-one-out has factors for each run: none to save.")
    if others["transform"] == "none" and others["save_factors"] is not None:
        raise click.UsageError("--transform none has no factors to save.")
    if others["leave_one_out"] and (given == ["factors"] or others["transform"] == "none" or others["type_one"]):
        raise click.UsageError("--leave-one-out is for reference runs.")
    if others["type_one"]:
        for name in ("save_factors", "per_topic", "no_summary", "confidence"):
            if options.is_given(name):
                raise click.UsageError(f"--type-one does not take --{name.replace('_', '-')}.")
    else:
        for name in ("sizes", "trials", "replace", "figures"):
            if options.is_given(name):
                raise click.UsageError(f"--{name} is for --type-one.")
    from irci.studies.stdap_ci import Request, answer

    request = Request(**{name: others.pop(name) for name in Request.__dataclass_fields__})
    rows, notes, settings = answer(request, files, measures, others)
    write(rows, output_format, output, {**signature, **settings}, notes if explain else (), plot=plot)
