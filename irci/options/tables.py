"""Which options make each kind of table of a command, and the type of --table."""

from collections.abc import Mapping, Sequence
from typing import Any

from irci.base.names import nearest
from irci.options.asked import Condition, Needs
from irci.options.types import BadValue, Type
from irci.output.kinds import Kind, printed_name
from irci.output.tables import Table

IS_PROCEDURE = {
    name: Needs(lambda asked, name=name: asked.procedure == name, f"--procedure {name}")  # type: ignore[misc]
    for name in ("error-rate", "swap", "discriminative-power")
}
PAIRS = Needs(lambda asked: asked.has_pairs, "--baseline or --all-pairs")
PER_TOPIC = Needs(lambda asked: asked.per_topic, "--per-topic")
SUMMARY = Needs(lambda asked: not asked.no_summary, "no --no-summary")
VALIDATED = Needs(lambda asked: asked.validate is not None, "--validate")
NOT_VALIDATED = Needs(lambda asked: asked.validate is None, "no --validate")
ONE_SPLIT = Needs(lambda asked: asked.splits == 1, "--splits 1")
RUNS = Needs(lambda asked: asked.runs, "RUN...")
NO_JUDGE = Needs(lambda asked: not asked.judge, "no --judge")
# The kinds that a command may print, in order, each with what it takes.
TABLES: Mapping[str, Mapping[Kind, Sequence[Needs]]] = {
    "ap-ci": {"topic": [NOT_VALIDATED], "estimate": [SUMMARY, NOT_VALIDATED], "in_interval": [VALIDATED]},
    "map-ci": {
        "topic": [PER_TOPIC, NOT_VALIDATED],
        "estimate": [SUMMARY, NOT_VALIDATED],
        "topic_difference": [PER_TOPIC, PAIRS],
        "difference": [PAIRS],
        "claim": [Needs(lambda asked: asked.survives, "--survives"), PAIRS],
        "look": [Needs(lambda asked: asked.looks, "--looks"), PAIRS],
        "heterogeneity": [
            Needs(
                lambda asked: asked.collections is not None or asked.slices is not None or asked.scores,
                "--collections, --slices or --scores",
            ),
            PAIRS,
        ],
        "meta": [Needs(lambda asked: asked.meta, "--meta")],
        "rank": [Needs(lambda asked: asked.ranks, "--ranks")],
        "best": [Needs(lambda asked: asked.best, "--best")],
        "in_interval": [VALIDATED],
    },
    "partition-anova": {
        "effect": [ONE_SPLIT], "pair": [], "anova": [ONE_SPLIT], "length": [], "check": [], "significant": [],
        "agreement": [],
    },
    "stdap-ci": {
        "topic": [PER_TOPIC],
        "estimate": [SUMMARY, NOT_VALIDATED],
        "difference": [Needs(lambda asked: asked.summaries, "--summary")],
        "type_one": [VALIDATED],
    },
    "swap-error": {
        "error_rate": [IS_PROCEDURE["error-rate"]],
        "matrix": [
            IS_PROCEDURE["error-rate"],
            Needs(lambda asked: asked.versions is not None or not (asked.runs or asked.scores), "--versions"),
        ],
        "needed": [IS_PROCEDURE["swap"]],
        "swap": [IS_PROCEDURE["swap"]],
        "discriminative_power": [IS_PROCEDURE["discriminative-power"]],
        "level": [IS_PROCEDURE["discriminative-power"]],
    },
    "wcw": {
        "variance": [Needs(lambda asked: asked.files, "QRELS RUN...")],
        "width": [
            Needs(
                lambda asked: asked.judge or asked.sizes or not (asked.widths or asked.differences),
                "--sizes, or no --width and no --difference",
            ),
            Needs(lambda asked: "noncentrality" not in asked.tables, "no --table noncentrality"),
        ],
        "topics": [Needs(lambda asked: asked.widths or asked.differences, "--width or --difference"), NO_JUDGE],
        "noncentrality": [],
    },
    "judges": {"confusion": [], "labels": [], "order": [RUNS], "judged_pairs": [RUNS], "bias": [RUNS], "score": [RUNS]},
}  # fmt: skip
# The panels that a picture has at least for each measure: one for each of these conditions that holds.
MEANS: Condition = lambda asked: not asked.no_summary and asked.validate is None  # noqa: E731
PANELS: Mapping[str, Sequence[Condition]] = {
    "ap-ci": [MEANS],
    "map-ci": [
        MEANS,
        lambda asked: asked.has_pairs and asked.validate is None,
        lambda asked: asked.ranks and asked.validate is None,
    ],
    "partition-anova": [lambda asked: True],
    "stdap-ci": [MEANS],
    "swap-error": [IS_PROCEDURE["swap"].holds],
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
        return all(other.kind != "effect" for other in tables) or table.rows[0]["test"] not in OF_MODEL
    if table.kind == "length":  # shown beside those of teams
        return not any(
            "/within" in str(row["model"]) for other in tables if other.kind == "length" for row in other.rows
        )
    return table.kind in ASIDE.get(command, ())


def kind_of_table(command: str) -> Type:
    """A kind of table that a command prints, by the name that its rows begin with if they have one."""
    kinds = {printed_name(kind): kind for kind in TABLES[command]}

    def value(raw: Any) -> Kind:
        if raw not in kinds:
            near = nearest(raw.replace("-", "_"), kinds)
            hint = f" (did you mean {near}?)" if near else ""
            raise BadValue(f"no table {raw!r}{hint}: there are {', '.join(kinds)}")
        return kinds[raw]

    return Type("kind", "str", value, lambda: list(kinds))
