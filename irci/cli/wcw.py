"""irci wcw: its options, and what it does with them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci.cli import options
from irci.cli.parameters import Numbers

if TYPE_CHECKING:
    from irci.methods.wcw import Settings

    Row = dict[str, str | float | int]

SURROGATE_FROM = 20  # topics: with fewer, the ANOVA tool is optimistic
CURVE = (*range(5, 50, 5), *range(50, 210, 10))


class Variance(click.ParamType[Any]):
    """NAME=NUMBER."""

    name = "variance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name and the number, or a usage error."""
        name, equals, number = value.rpartition("=")
        try:
            variance = float(number)
        except ValueError:
            variance = math.nan
        if not (equals and name and (variance == 0 or 1e-12 <= variance < 1e9)):
            self.fail(f"{value!r} is not NAME=VARIANCE", param, ctx)
        return name, variance


@click.command(
    "wcw", cls=options.Command, short_help="How many topics does a measure need; how wide can an interval get?"
)
@click.option(
    "--variance",
    "variances",
    type=Variance(),
    multiple=True,
    metavar="NAME=V",
    help="Variance of a measure within a system; repeatable. Without it, variances come from the files.",
)
@options.measures_with("Any score of a topic will do.")
@click.option("--alpha", type=options.FRACTION, default=0.05, show_default=True, help="Level of tests and intervals.")
@click.option("--beta", type=options.FRACTION, default=0.20, show_default=True, help="1 - power.")
@click.option(
    "--systems",
    type=click.IntRange(2),
    default=10,
    show_default=True,
    metavar="N",
    help="Systems that the ANOVA compares.",
)
@click.option(
    "--sizes",
    type=Numbers(whole=True),
    metavar="LIST",
    help="Widths with so many topics.  [default: 10,20,50,100]",
)
@click.option("--width", "widths", type=Numbers(), metavar="LIST", help="Topics for these widths (or differences).")
@click.option("--curve", is_flag=True, help="Widths with 5 to 200 topics.")
@click.option(
    "--power", is_flag=True, help="With --sizes and --width: the power to find such a difference with so many topics."
)
@click.option(
    "--tool",
    "tools",
    type=click.Choice(["anova", "ci", "t"]),
    multiple=True,
    help="ANOVA of several systems, interval of a difference of two, or paired t test; repeatable.  [default: anova and ci]",
)
@click.option(
    "--noncentrality", is_flag=True, help="Noncentrality for 2 to 50 systems, exact and by Nagata's formulas, instead."
)
@click.option(
    "--sakai-increment", "increment", is_flag=True, help="Search topics from equation (2) upwards only, as Sakai."
)
@click.option("--approximate", is_flag=True, help="The noncentral F by the spreadsheet's normal approximation.")
@click.option(
    "--residual",
    is_flag=True,
    help="From files: the variance that topics and systems leave (two-way), for paired designs, not that within systems.",
)
@click.option(
    "--pool", is_flag=True, help="With --scores: each file is a collection; pool variances by degrees of freedom."
)
@options.inputs
@options.outputs
@click.argument("files", metavar="[QRELS RUN...]", nargs=-1)
def wcw_command(
    files: tuple[str, ...],
    variances: Sequence[tuple[str, float]],
    measures: Sequence[Any],
    sizes: tuple[int, ...] | None,
    widths: tuple[float, ...] | None,
    curve: bool,
    power: bool,
    tools: tuple[str, ...],
    noncentrality: bool,
    residual: bool,
    pool: bool,
    runs_from: str | None,
    scores: bool,
    scores_format: str | None,
    save_scores: str | None,
    standardise: str | None,
    output_format: str,
    output: str | None,
    plot: str | None,
    explain: bool,
    **others: Any,
) -> None:
    """How many topics does a measure need; how wide can an interval get with so many?

    Example: irci wcw --variance AP=.0471 --width .05,.1

    From the variance of a measure within a system, prints the worst-case width of the interval of a difference
    between two systems with a number of topics (wcw_NAME), or the number of topics for a width (topics_NAME).
    No data are needed; with QRELS and RUNs, or --scores, variances are estimated (and may be standardised first).
    """
    from irci.cli.console import warn, write
    from irci.methods.wcw import Settings

    settings = Settings(**{name: others.pop(name) for name in Settings.__dataclass_fields__})
    quiet, given = others["quiet"], {name: value for name, value in others.items() if name != "quiet"}
    if settings.beta >= 1 - settings.alpha:
        raise click.UsageError("a power of 1 - beta should be more than alpha.")
    if noncentrality and (variances or files):
        raise click.UsageError("--noncentrality takes neither variances nor files.")
    if curve and sizes:
        raise click.UsageError("--curve or --sizes, not both.")
    for name in ("residual", "pool", "standardise", "measures", "save_scores", "scores", "scores_format"):
        if options.is_given(name) and not files:
            raise click.UsageError(f"--{name.replace('_', '-')} is for variances from files.")
    if pool and save_scores is not None:
        raise click.UsageError("--pool takes several files of scores: there are none to save.")
    rows: list[Row] = []
    if noncentrality:
        rows += noncentrality_rows(settings)
    elif variances and files:
        raise click.UsageError("variances are given: leave out the files.")
    elif files:
        from irci.studies.wcw import variances_of

        found = variances_of(
            files, measures, residual, pool, runs_from, scores, scores_format, save_scores, standardise, others
        )
        rows += found
        variances = [(str(row["table"]).removeprefix("variance_"), float(row["value"])) for row in found]
    elif not variances:
        raise click.UsageError("Missing --variance NAME=V, or QRELS and RUN... to estimate it from.")
    tools = tuple(dict.fromkeys(tools)) or (("anova", "t") if power else ("anova", "ci"))
    if power and not (sizes and widths):
        raise click.UsageError("--power needs --sizes and --width.")
    if power and "ci" in tools:
        raise click.UsageError("an interval has no power: --tool anova or t.")
    chosen = sizes or (CURVE if curve else () if widths else (10, 20, 50, 100))
    for name, variance in variances:
        rows += (power_rows if power else width_rows)(name, variance, chosen, widths or (), tools, settings)
    if not quiet and any(variance == 0 for _, variance in variances):
        warn("a variance of 0: no width, and two topics are enough by definition")
    if not quiet and not noncentrality and not power and "anova" in tools:
        for message in surrogate_warnings(rows, settings):
            warn(message)
    signature = {
        "irci": irci.__version__, "command": "wcw", **settings.signature(), "tools": " ".join(tools), "residual": residual,
        "pool": pool, "standardise": standardise, **{name: given[name] for name in given if files},
    }  # fmt: skip
    drawn = list(rows)
    if plot is not None and not noncentrality and not power:
        most = max((int(row["topics"]) for row in rows if "topics" in row), default=0)
        along = [*CURVE, *range(CURVE[-1] + 20, most + 20, max(20, most // 50))]
        drawn = [row for row in rows if not str(row["table"]).startswith("wcw_")]
        for name, variance in variances:
            drawn += width_rows(name, variance, along, (), tools, settings)
    notes = list(explanation(rows, settings)) if explain else ()
    write(rows, output_format, output, signature, notes, plot=plot, drawn=drawn)


def explanation(rows: Sequence[Row], settings: Settings) -> Iterator[str]:
    """The rows in plain words."""
    of_tool = {
        "anova": f"an ANOVA of {settings.systems} systems finds a difference between best and worst of",
        "ci": "the interval of a difference of two systems will be no wider on average than",
        "t": "a paired t test of two systems finds a difference of",
    }
    for row in rows:
        table, _, name = str(row["table"]).partition("_")
        if table in ("wcw", "topics"):
            power = "" if row["tool"] == "ci" else f", with power {1 - settings.beta:g}"
            yield f"With {row['topics']} topics, {of_tool[str(row['tool'])]} {row['width']:.4f} in {name}{power}."
    yield "Systems are taken to vary alike and independently; on the same topics they vary together, which helps."


def width_rows(
    name: str, variance: float, sizes: Sequence[int], widths: Sequence[float], tools: Sequence[str], settings: Settings
) -> Iterator[Row]:
    """Widths for numbers of topics, and numbers of topics for widths."""
    from irci.errors import DataError
    from irci.methods.wcw import topics_needed, worst_case_width

    for topics in sizes:
        for tool in tools:
            width = worst_case_width(topics, variance, tool, settings)
            yield {"table": f"wcw_{name}", "topics": topics, "width": width, "tool": tool}
    for width in widths:
        for tool in tools:
            try:
                needed = topics_needed(width, variance, tool, settings)
            except ValueError as error:
                raise DataError(f"{name}: {error}") from None
            yield {"table": f"topics_{name}", "width": width, "topics": needed, "tool": tool}


def power_rows(
    name: str, variance: float, sizes: Sequence[int], widths: Sequence[float], tools: Sequence[str], settings: Settings
) -> Iterator[Row]:
    """The power for each number of topics and difference."""
    from irci.methods.wcw import power

    for topics in sizes:
        for difference in widths:
            for tool in tools:
                found = power(topics, difference, variance, tool, settings) if variance > 0 else 1.0
                yield {
                    "table": f"power_{name}", "topics": topics, "difference": difference, "power": found, "tool": tool,
                }  # fmt: skip


def noncentrality_rows(settings: Settings) -> Iterator[Row]:
    """lambda over the number of systems, and 4 z^2, near which the ANOVA tool stands in for the interval."""
    from dataclasses import replace

    from irci.methods.wcw import exact_noncentrality, linear_noncentrality
    from irci.stats.intervals import normal_quantile

    for systems in range(2, 51):
        of_systems = replace(settings, systems=systems)
        yield {
            "table": "noncentrality", "systems": systems, "exact": exact_noncentrality(of_systems),
            "linear": linear_noncentrality(of_systems), "4z^2": 4 * normal_quantile(1 - settings.alpha) ** 2,
        }  # fmt: skip


def surrogate_warnings(rows: Sequence[Row], settings: Settings) -> Iterator[str]:
    """Where the ANOVA tool does not stand in for the interval."""
    if not settings.stands_in:
        yield (
            f"with alpha {settings.alpha:g}, beta {settings.beta:g}, {settings.systems} systems the ANOVA tool is about ranges"
            " of means, not widths of intervals (which it is for .05, .20, 10; .05, .10, 5; .01, .20, 18; .01, .10, 10)"
        )
    few = [row for row in rows if row.get("tool") == "anova" and int(row["topics"]) < SURROGATE_FROM]
    if few and settings.stands_in:
        yield f"below about {SURROGATE_FROM} topics the ANOVA tool is optimistic: go by --tool ci"
