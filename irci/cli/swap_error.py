"""irci swap-error: its options, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

import irci
from irci.cli import options
from irci.cli.parameters import Numbers

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
    "max_rate": ("swap",),
    "alphas": ("discriminative-power",),
    "resamples": ("discriminative-power",),
    "figures": ("swap", "discriminative-power"),
}


class Rule(click.ParamType[Any]):
    """A file, or a regular expression with groups system and version, or topic and version."""

    name = "rule"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """What it says (`irci.data.versions.Versions`), or a usage error."""
        from irci.data.versions import Versions

        if RULE not in value:
            return Versions.of_file(value)
        try:
            return Versions.of_rule(value)
        except ValueError as error:
            self.fail(f"{value!r}: {error}", param, ctx)


@click.command(
    "swap-error", cls=options.Command, short_help="How often does an experiment of this size order two systems wrongly?"
)
@click.option(
    "--procedure",
    type=click.Choice(["error-rate", "swap", "discriminative-power"]),
    default="error-rate",
    show_default=True,
    help="Query sets that disagree with the majority of them (Buckley & Voorhees), two topic sets that disagree (Voorhees &"
    " Buckley), or pairs that a bootstrap test tells apart (Sakai).",
)
@options.measures_with("Any score of a topic will do.")
@click.option(
    "--fuzziness",
    type=Numbers(least=0),
    default="5",
    show_default=True,
    metavar="LIST",
    help="Differences below so many percent are ties; 1,2,...,10 for a sweep.",
)
@click.option(
    "--base",
    type=click.Choice(["larger", "smaller", "mean", "first"]),
    default="larger",
    show_default=True,
    help="Percent of which of the two scores.",
)
@click.option(
    "--sizes",
    type=Numbers(whole=True, least=1),
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
    "--counts", metavar="FILE", help="Without other files: rates from two systems and how often better, worse, equal."
)
@click.option("--matrix", is_flag=True, help="With --versions: print these counts for the query sets as they are.")
@click.option(
    "--draw",
    type=click.Choice(["subset", "partition", "bootstrap"]),
    help="Without versions: topics without replacement, disjoint, or with replacement.  [default: subset; swap: partition]",
)
@click.option(
    "--sets", type=click.IntRange(2), default=100, show_default=True, metavar="N", help="Subsets in a design."
)
@click.option(
    "--designs",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="How often versions are dealt to query sets, or subsets drawn.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    metavar="N",
    help="How many topic sets of a size.  [default: 100; swap: 50]",
)
@click.option(
    "--at",
    type=Numbers(whole=True, least=1),
    metavar="LIST",
    help="Print swap rates with so many topics, extrapolated beyond half of all.  [default: half, all, and twice as many]",
)
@click.option("--relative", is_flag=True, help="Swaps by percent of the larger score, not by absolute difference.")
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
    type=Numbers(),
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
@options.outputs
@click.argument("files", metavar="[QRELS RUN...]", nargs=-1)
def swap_error_command(
    procedure: str,
    files: tuple[str, ...],
    measures: Sequence[Any],
    counts: str | None,
    output_format: str,
    output: str | None,
    plot: str | None,
    explain: bool,
    **others: Any,
) -> None:
    """How often does an experiment of this size order two systems wrongly?

    Example: irci swap-error --sizes 5,10 qrels.txt runs/*

    Prints for each size of topic set and fuzziness the error rate (the share of comparisons in which a set disagrees with the
    majority of sets), its standard deviation, and the share of ties. Sets are subsets of the topics, or versions of their
    queries. Other procedures print swap rates, and the power of a bootstrap test.
    """
    from irci.cli.console import write
    from irci.data.experiment import Inputs
    from irci.studies.swap_error.inputs import Source
    from irci.studies.swap_error.study import Request, answer, counts_answer

    for name, procedures in OF_PROCEDURE.items():
        if options.is_given(name) and (counts is not None or procedure not in procedures):
            option = {"alphas": "alpha", "max_rate": "max-rate"}.get(name, name)
            where = f"for --procedure {' and '.join(procedures)}" + (", not for --counts" if counts else "")
            raise click.UsageError(f"--{option} is {where}.")
    signature = {"irci": irci.__version__, "command": "swap-error", "procedure": procedure}
    if counts is not None:
        taken = ("counts", "procedure", "output_format", "output", "explain", "quiet")
        given = [
            str(each.name) for each in click.get_current_context().command.params if options.is_given(str(each.name))
        ]
        if procedure != "error-rate" or not set(given) <= set(taken):
            raise click.UsageError("--counts takes no files, and of options --explain and those of output.")
        rows, notes = counts_answer(counts, others["quiet"])
        write(rows, output_format, output, signature, notes if explain else ())
        return
    if not files:
        raise click.UsageError("Missing QRELS and RUN..., --scores FILE..., or --counts FILE.")
    if others["versions"] is not None and (options.is_given("draw") or options.is_given("sets")):
        raise click.UsageError("--draw and --sets are for query sets without --versions.")
    if others["matrix"] and others["versions"] is None:
        raise click.UsageError("--matrix is for --versions.")
    if others["versions"] is not None and others["standardise"] is not None:
        raise click.UsageError("--standardise does not go with --versions.")
    if others["draw"] == "partition" and options.is_given("sets"):
        raise click.UsageError("--draw partition makes as many sets as there are topics for: leave out --sets.")
    if procedure == "swap" and others["draw"] == "subset":
        raise click.UsageError("the two sets of a swap are disjoint (--draw partition) or --draw bootstrap.")
    source = Source(
        files=files,
        measures=measures,
        **{name: others.pop(name) for name in ("scores", "scores_format", "save_scores", "runs_from", "standardise")},
    )
    inputs = Inputs.taken_from(others)
    found = answer(Request(procedure=procedure, **others), source, inputs)
    signature |= {**found.settings, **inputs.signature()}
    write(found.rows, output_format, output, signature, found.notes if explain else (), plot=plot, drawn=found.drawn)
