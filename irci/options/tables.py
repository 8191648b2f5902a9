"""Which options make each kind of table of a command, and the type of --table."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from irci.base.names import nearest
from irci.options.types import BadValue, Type
from irci.output.kinds import Kind, printed_name
from irci.output.tables import Table

PAIRS = "compare|baseline|all_pairs"
OF_SIZES = "sizes|!widths & sizes|!differences & !judge"
SWAP = "procedure=swap"
# The kinds that a command may print, in order, each with the condition on its options under which it does.
TABLES: dict[str, dict[Kind, str]] = {
    "ap-ci": {
        "topic": "!validate", "estimate": "!no_summary & !validate",
        "in_interval": "validate",
    },
    "map-ci": {
        "topic": "per_topic & !validate", "estimate": "!no_summary & !validate",
        "topic_difference": f"per_topic & {PAIRS}", "difference": PAIRS,
        "claim": f"survives & {PAIRS}", "judged_share": f"survives & {PAIRS} & other_qrels|judge", "look": f"looks & {PAIRS}",
        "interaction": f"slices & {PAIRS}",
        "heterogeneity": f"collections|scores & {PAIRS}", "meta": "meta", "rank": "ranks", "best": "best",
        "in_interval": "validate",
    },
    "partition-anova": {
        "effect": "splits=1", "pair": "", "anova": "splits=1", "length": "", "check": "", "significant": "",
        "agreement": "",
    },
    "stdap-ci": {
        "topic": "per_topic", "estimate": "!no_summary & !validate", "difference": "summaries",
        "type_one": "validate",
    },
    "swap-error": {
        "error_rate": "procedure=error-rate", "matrix": "procedure=error-rate & versions|!runs & versions|!scores",
        "needed": SWAP, "swap": SWAP,
        "discriminative_power": "procedure=discriminative-power",
        "level": "procedure=discriminative-power",
    },
    "wcw": {
        "variance": "files", "width": f"{OF_SIZES} & !tables=noncentrality",
        "topics": "widths|differences & !judge", "noncentrality": "",
        "human": "judge",
    },
    "judges": {
        "confusion": "", "labels": "", "order": "runs", "judged_pairs": "runs", "bias": "runs", "score": "runs",
    },
}  # fmt: skip
# How many panels a picture has at least for each measure: one for each of these conditions that holds.
PANELS: Mapping[str, Sequence[str]] = {
    "ap-ci": ("!no_summary & !validate",),
    "map-ci": ("!no_summary & !validate", f"{PAIRS} & !validate", "ranks & !validate"),
    "partition-anova": ("",),
    "stdap-ci": ("!no_summary & !validate",),
    "swap-error": ("procedure=swap",),
    "wcw": (),
    "judges": (),
}
ASIDE: Mapping[str, frozenset[Kind]] = {
    "judges": frozenset(("judged_pairs", "bias", "score")),
    "swap-error": frozenset(("swap", "level")),
    "partition-anova": frozenset(("anova", "check", "significant")),
}
OF_MODEL = ("difference", "marginal")  # how the p of a model's pairs is computed


def is_aside(command: str, table: Table, tables: Sequence[Table]) -> bool:
    """True of a table that a plain call leaves out where people read it, among all of a report.

    --table prints it, and formats for machines have it. Of pairs of systems the model's are shown, on one split.
    """
    if table.kind == "pair":
        return all(each.kind != "effect" for each in tables) or table.rows[0]["test"] not in OF_MODEL
    if table.kind == "length":  # told beside those of teams
        return not any("/within" in str(row["model"]) for each in tables if each.kind == "length" for row in each.rows)
    return table.kind in ASIDE.get(command, ())


class TableKind(Type):
    """A kind of table that a command prints, under the name that its rows begin with if they have one."""

    name: ClassVar[str] = "kind"

    def __init__(self, command: str) -> None:
        self.command = command

    def value(self, raw: Any) -> Kind:
        """The kind."""
        kinds = {printed_name(kind): kind for kind in TABLES[self.command]}
        if raw not in kinds:
            near = nearest(raw.replace("-", "_"), kinds)
            hint = f" (did you mean {near}?)" if near else ""
            raise BadValue(f"no table {raw!r}{hint}: there are {', '.join(kinds)}")
        return kinds[raw]

    def words(self) -> Sequence[str]:
        """The names of the kinds."""
        return [printed_name(kind) for kind in TABLES[self.command]]
