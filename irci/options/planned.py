"""Options that a plan fixes: those of `irci compare` that change what is tested, and what of a call contradicts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irci.base.errors import FormatError, UsageError
from irci.options.asked import Asked, Option
from irci.options.rows import ask, measures_of, options_of
from irci.options.scoring import RANKINGS
from irci.options.types import BadValue

if TYPE_CHECKING:
    from irci.data.plans import ComparisonPlan

PLANNED = (
    "measures", "family", "baseline", "all_pairs", "test", "correction", "margin",
    "looks", "interval", "range", "confidence", "resamples", "seed", "relevance_level", "max_grade", "depth", "judged_only",
    "ties", "missing", "no_relevant", "ignore_identical_ids",
)  # fmt: skip
# What changes no planned test: how files are read, and what is told besides. All else would.
FREE = (
    "plan", "files", "topics", "scores", "names", "population", "per_topic", "no_summary", "power", "fail_if",
    "complete",
)  # fmt: skip


def key_of(option: Option) -> str:
    """The name of an option in a plan: as it is spelled, without dashes."""
    return option.spelling.removeprefix("--")


def with_plan(command: str, requested: Mapping[str, Any]) -> dict[str, Any]:
    """Request of a command together with what a plan among it fixes.

    Raises UsageError for what contradicts the plan, and FormatError for a plan of other options.
    """
    plan: ComparisonPlan | None = requested.get("plan")
    if plan is None or ask(command, requested, {}).use.name != "means":  # of which --plan is refused
        return dict(requested)
    planned, rows = _values(command, plan), options_of("map-ci")
    for name, value in requested.items():
        is_free = name in FREE or rows[name].heading == "Output"
        if not is_free and planned.get(name, rows[name].unset) != value:
            raise UsageError(f"{rows[name].spelling} contradicts the plan: {_fixed(plan, name)}.")
    of_rankings = [name for name in planned if RANKINGS in rows[name].needs and planned[name] != rows[name].unset]
    if requested.get("scores") and of_rankings:
        raise UsageError(f"{_fixed(plan, of_rankings[0])}, which scores do not tell: give QRELS and RUNs.")
    return {**requested, **planned}


def _fixed(plan: ComparisonPlan, name: str) -> str:
    key = key_of(options_of("map-ci")[name])
    return f"{plan.path} has {key} = {plan.asked[key]!r}" if key in plan.asked else f"{plan.path} has no {key}"


def _values(command: str, plan: ComparisonPlan) -> dict[str, Any]:
    rows = options_of("map-ci")
    names = {key_of(rows[name]): name for name in PLANNED}
    values: dict[str, Any] = {}
    for key, raw in plan.asked.items():
        if key not in names:
            keys = ", ".join([*names, "runs", "topics"])
            raise FormatError.whole_file(plan.path, f"{key} is none of what a plan fixes: {keys}")
        option = rows[names[key]]
        try:
            values[option.name] = _value(option, raw)
            if option.name == "measures":
                values["measures"] = measures_of(values["measures"], command, values)
        except BadValue as error:
            raise FormatError.whole_file(plan.path, f"{key}: {error}") from None
    return values


def _value(option: Option, raw: Any) -> Any:
    several = raw if isinstance(raw, list) else [raw]
    if not all(isinstance(value, str | int | float) for value in several) or option.is_flag != (raw is True):
        raise BadValue(f"{raw!r} is no value of it")
    return tuple(map(option.type.value, several)) if option.many else option.type.value(raw)


def plan_values(asked: Asked) -> dict[str, Any]:
    """The options that a plan of what is asked has, by their keys, as `as_toml` takes them."""
    values = {}
    for name in PLANNED:
        value = getattr(asked, name)
        if name == "measures":
            value = [measure.name for measure in value] or ["map"]
        elif name == "interval" and asked.new_topics:
            value = f"{value}:{asked.new_topics}"
        elif not asked.has(name) or (name == "seed" and not asked.has_draws):
            continue
        is_plain = isinstance(value, bool | int | float | list | tuple)
        values[key_of(asked.options[name])] = value if is_plain else str(value)
    return values
