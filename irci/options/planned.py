"""Options that a plan fixes: those of `irci compare` that change what is tested, and what of a call contradicts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irci.base.errors import FormatError, UsageError
from irci.options.given import Given, default_of, measures_of, options_of
from irci.options.option import Option
from irci.options.types import BadValue

if TYPE_CHECKING:
    from irci.data.plans import Plan

PLANNED = (
    "measures", "family", "baseline", "test", "correction", "margin", "adjusted_limits",
    "looks", "interval", "range", "confidence", "resamples", "seed", "relevance_level", "max_grade", "depth", "judged_only",
    "ties", "missing", "no_relevant", "ignore_identical_ids",
)  # fmt: skip
# What changes no planned test: how files are read, and what is told besides. All else would.
FREE = (
    "plan", "files", "topics", "scores", "names", "population", "per_topic",
    "no_summary", "power", "difference", "fail_if", "complete", "compare",
)  # fmt: skip


def key_of(option: Option) -> str:
    """The name of an option in a plan: as it is spelled, without dashes."""
    return option.spelling.removeprefix("--")


def with_plan(command: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Request of a command together with what a plan among it fixes.

    Further measures may be asked for where each is a family of its own. Raises UsageError for what contradicts the plan, and
    FormatError for a plan of other options.
    """
    plan: Plan | None = chosen.get("plan")
    if plan is None or Given.of(command, chosen, {}).request.name != "means":  # of which --plan is refused
        return dict(chosen)
    planned, rows = _values(command, plan), options_of("map-ci")
    for name, value in chosen.items():
        is_free = name in (*FREE, "measures") or rows[name].heading == "Output"
        if not is_free and planned.get(name, default_of(rows[name])) != value:
            raise UsageError(f"{rows[name].spelling} contradicts the plan: {_fixed(plan, name)}.")
    of_rankings = [
        name for name in planned if "!scores" in rows[name].needs and planned[name] != default_of(rows[name])
    ]
    if chosen.get("scores") and of_rankings:
        raise UsageError(f"{_fixed(plan, of_rankings[0])}, which scores do not tell: give QRELS and RUNs.")
    measures, asked = planned["measures"], chosen.get("measures", ())
    there = {measure.canonical for measure in measures}
    others = [measure for measure in asked if measure.canonical not in there]
    if others and planned.get("family", "each") != "each":
        raise UsageError(
            f"-m {others[0].name} contradicts the plan: {_fixed(plan, 'measures')}, and these are one family."
        )
    return {**chosen, **planned, "measures": [*measures, *others]}


def _fixed(plan: Plan, name: str) -> str:
    key = key_of(options_of("map-ci")[name])
    return f"{plan.path} has {key} = {plan.asked[key]!r}" if key in plan.asked else f"{plan.path} has no {key}"


def _values(command: str, plan: Plan) -> dict[str, Any]:
    rows = options_of("map-ci")
    names = {key_of(rows[name]): name for name in PLANNED}
    found: dict[str, Any] = {}
    for key, words in plan.asked.items():
        if key not in names:
            raise FormatError.whole_file(plan.path, f"{key} is none of what a plan fixes: {', '.join(names)}")
        option = rows[names[key]]
        try:
            found[option.name] = _value(option, words)
            if option.name == "measures":
                found["measures"] = measures_of(found["measures"], command, found)
        except BadValue as error:
            raise FormatError.whole_file(plan.path, f"{key}: {error}") from None
    for needed in ("measures", "baseline"):
        if needed not in found:
            raise FormatError.whole_file(plan.path, f"not a plan: no {key_of(rows[needed])}")
    return found


def _value(option: Option, words: str | bool | Sequence[str]) -> Any:
    if option.is_flag != (words is True) or option.many != isinstance(words, list):
        raise BadValue(f"{words!r} is no value of it")
    return tuple(map(option.type.value, words)) if isinstance(words, list) else option.type.value(words)
