"""--table: which tables are printed, by kind, and which options make each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from irci.base.errors import UsageError
from irci.cli.command import Given
from irci.output.kinds import OF_COMMAND, Kind, printed_name

if TYPE_CHECKING:
    from irci.output.report import Table

logger = logging.getLogger("irci")

# What a table of a command takes: of each group of options, at least one that is given, or has this value; ! is not so.
Groups = tuple[tuple[str, ...], ...]
PAIRS = ("compare", "baseline", "all_pairs")
BOUNDED, NOT_BOUNDED = ("population=judgments",), ("!population=judgments", "judge")
TOPIC: Groups = (("per_topic",), ("!validate",))
JUDGED: Groups = (("procedure=judges",), ("!labels_only",))
ESTIMATE: Groups = (("!no_summary",), ("!validate",))
JUDGE = ("judge", "judge_correlation")
NO_JUDGE: Groups = tuple((f"!{name}",) for name in JUDGE)
TAKES: dict[str, dict[Kind, Groups]] = {
    "ap-ci": {
        "topic": (*TOPIC, ("!unjudged",)), "estimate": (*ESTIMATE, ("!unjudged",)),
        "topic_bounds": (("unjudged",), ("per_topic",)), "bounds": (("unjudged",), ("!no_summary",)),
        "in_interval": (("validate",), ("!figures",)), "normalised": (("validate",), ("figures",)),
    },
    "map-ci": {
        "topic": (*TOPIC, NOT_BOUNDED), "estimate": (*ESTIMATE, ("!sample",), NOT_BOUNDED), "sample": (("sample",),),
        "topic_difference": (("per_topic",), PAIRS, NOT_BOUNDED), "difference": (PAIRS, NOT_BOUNDED),
        "heterogeneity": (("collections", "scores"), PAIRS),
        "topic_bounds": (BOUNDED, ("per_topic",)), "bounds": (BOUNDED, ("!no_summary",), ("!judge",)),
        "topic_difference_bounds": (BOUNDED, ("per_topic",), PAIRS), "difference_bounds": (BOUNDED, PAIRS, ("!judge",)),
        "meta": (("meta",),), "rank": (("ranks",),), "in_interval": (("validate",), ("!figures",)),
        "half_interval": (("validate",), ("figures",)),
    },
    "partition-anova": {
        "effect": (("splits=1",),), "anova": (("splits=1",),), "check": (("!model=md1",),),
        "agreement": (("!splits=1", "scores"),), "pair": (("pairs",),), "within": (("groups",),),
    },
    "stdap-ci": {
        "topic": (("per_topic",),), "estimate": (("!no_summary",), ("!type_one",)), "difference": (("summaries",),),
        "type_one": (("type_one",), ("!figures",)), "quantile": (("type_one",), ("figures",)),
        "histogram": (("type_one",), ("figures",)),
    },
    "swap-error": {
        "error_rate": (("procedure=error-rate",), ("!counts",)), "count": (("matrix",),),
        "matrix": (("matrix", "counts"),), "swap": (("procedure=swap",),),
        "needed": (("procedure=swap",), ("!figures",)), "fit": (("procedure=swap",), ("!figures",)),
        "discriminative_power": (("procedure=discriminative-power",), ("!figures",)),
        "level": (("procedure=discriminative-power",), ("figures",)),
        "order": JUDGED, "judged_pairs": JUDGED, "labels": (("procedure=judges",),), "confusion": (("procedure=judges",),),
        "bias": JUDGED, "score": JUDGED,
    },
    "wcw": {
        "variance": (("files",),), "clustering": (("clusters", "scores"),),
        "width": (("sizes", "curve", "!widths"), ("!power",), ("!noncentrality",), *NO_JUDGE),
        "topics": (("widths",), ("!power",), *NO_JUDGE), "human_width": (("sizes", "!widths"), JUDGE),
        "human_topics": (("widths",), JUDGE), "power": (("power",),), "noncentrality": (("noncentrality",),),
    },
}  # fmt: skip


class TableKind(click.ParamType[Any]):
    """A kind of table that a command prints, under the name that its rows begin with if they have one."""

    name = "kind"

    def __init__(self, command: str) -> None:
        self.kinds: dict[str, Kind] = {printed_name(kind): kind for kind in OF_COMMAND[command]}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The kind, or a usage error that names the nearest."""
        if value not in self.kinds:
            near = get_close_matches(value.replace("-", "_"), self.kinds, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            self.fail(f"no table {value!r}{hint}: there are {', '.join(self.kinds)}", param, ctx)
        return self.kinds[value]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The kinds that begin so."""
        return [CompletionItem(name) for name in self.kinds if name.startswith(incomplete)]


def check_tables(given: Given) -> None:
    """Raise UsageError for a table that these options do not make, saying which would."""
    takes = TAKES[str(given.context.command.name)]
    for kind in given["tables"]:
        lacking = [group for group in takes.get(kind, ()) if not any(_holds(given, each) for each in group)]
        if lacking:
            what = ", and ".join(_either([_in_words(given, each) for each in group]) for group in lacking)
            raise UsageError(f"--table {printed_name(kind)} takes {what}.")


def chosen_tables(given: Given, tables: Sequence[Table]) -> Sequence[Table]:
    """Those asked for; all, if none was asked for. A warning tells of a kind that has no rows."""
    kinds: Sequence[Kind] = given["tables"]
    if not kinds:
        return tables
    for kind in dict.fromkeys(kinds):
        if all(table.kind != kind for table in tables):
            logger.warning(f"--table {printed_name(kind)}: it has no rows here")
    return [table for table in tables if table.kind in kinds]


def _holds(given: Given, condition: str) -> bool:
    """Whether an option is given, or has a value, or with ! the contrary."""
    name, _, value = condition.removeprefix("!").partition("=")
    found = str(given[name]) == value if value else bool(given[name])
    return found != condition.startswith("!")


def _either(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _in_words(given: Given, condition: str) -> str:
    name, _, value = condition.removeprefix("!").partition("=")
    spelled = "QRELS RUN... " if name == "files" else given.spelling(name)
    if condition.startswith("!"):
        return f"{spelled} other than {value}" if value else f"no {spelled}"
    return f"{spelled} {value}" if value else spelled


def table_option(command: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--table for a command."""
    kind = TableKind(command)
    return click.option(
        "--table",
        "tables",
        type=kind,
        multiple=True,
        metavar="KIND",
        help=f"Print only tables of this kind; repeatable: {', '.join(kind.kinds)}.",
    )
