"""Words that are typed: measures of the names given, whom to cite, lines that ask again, and a plan's, put into what is
asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irci.base import FormatError, Margin, UsageError, first_few, logger
from irci.options.asked import Asked, Option
from irci.options.commands import COMMANDS
from irci.options.rows import ask, options_of, with_scores
from irci.options.scoring import RANKINGS
from irci.options.types import STANDARD_STREAM, BadValue
from irci.wording import notify

if TYPE_CHECKING:
    from irci.data.plans import ComparisonPlan
    from irci.measures import Measure


def asked_of(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Asked:
    """Everything asked, by values as they are given: the names of measures are read, a file of scores is recognised, and what
    a plan fixes is taken. Raises BadValue for names of measures."""
    values = with_scores(command, requested, memory)
    if "measures" in values:
        values["measures"] = measures_of(values["measures"], command, values)
    return ask(command, with_plan(command, values), memory, **defaults)


# Commas outside brackets and before a letter that begins no parameter: those of P.5,10 and rbp_p=.5,p=.8 are of one measure.
BETWEEN_MEASURES = r"\s*,\s*(?=[A-Za-z])(?!p=)(?![^(]*\))"


def measures_of(names: Sequence[str], command: str, requested: Mapping[str, Any]) -> list[Measure]:
    """The measures of these names, each once, in the order in which they are given.

    In trec_eval's order of output where lines are to be compared with its lines: ap-ci's, and all with those of single
    topics. A file of scores may hold any measure. `requested`: the values of the options that are given.
    """
    if not names:
        return []
    from irci.measures import TABLE, is_measure, together

    scores = "scores" in requested
    separated: list[str] = []
    for name in names:  # of which several may stand in one word, which may be one name in a file of scores
        parts = re.split(BETWEEN_MEASURES, name)
        separated += [name] if scores and not all(map(is_measure, parts)) else parts
    measures = together(measure for name in separated for measure in _named(name, command, scores=scores))
    if command != "ap-ci" and not requested.get("per_topic"):
        return measures
    order = {family.name: index for index, family in enumerate(TABLE)}
    return sorted(
        measures,
        key=lambda measure: (
            order.get(measure.family.name, len(order)), measure.parameter or 0, measure.level or 0, measure.canonical
        ),
    )  # fmt: skip


def _named(name: str, command: str, *, scores: bool) -> Sequence[Measure]:
    """The measures of a name; of trec_eval's names for several those that the command can average, as it says in a line."""
    from irci.measures import ALL_TREC, NICKNAMES, asked_for, named

    try:
        measures = asked_for(name)
    except ValueError as error:
        if scores:
            return [named(name)]
        raise BadValue(str(error)) from None
    if name == ALL_TREC:
        notify("rbp_resid")
    if name in NICKNAMES and command != "ap-ci":
        averages_logs = COMMANDS[command].rows == "map-ci"
        taken = [measure for measure in measures if measure.scores_topics or (averages_logs and not measure.is_count)]
        left_out = first_few([measure.name for measure in measures if measure not in taken])
        logger.info(f"{name}: left out, as they are no means of scores of topics: {left_out}")
        return taken
    return measures


OWN = """@misc{{irci,
  author = {{{{The irci developers}}}},
  title = {{irci: how far can an information-retrieval evaluation be trusted?}},
  note = {{Version {version}}},
  year = {{2026}}
}}
"""


def bibtex(asked: Asked, version: str) -> str:
    """The entries for what is asked, and irci's own."""
    from importlib.resources import files

    entries = files(__package__).joinpath("papers.bib").read_text("utf-8").split("\n\n")
    by_key = {entry.partition("{")[2].partition(",")[0]: f"{entry.rstrip()}\n" for entry in entries}
    return "\n".join([*(by_key[key] for key in dict.fromkeys(_keys(asked))), OWN.format(version=version)])


def _keys(asked: Asked) -> Iterator[str]:
    yield from asked.command.cites.split()
    for name, option in asked.options.items():
        value = getattr(asked, name)
        if value in (None, False, ()):
            continue
        values = value if isinstance(value, tuple) else (value,)
        for case, papers in option.cites.items():
            if case is None or (case(asked) if callable(case) else case in values):
                yield from papers.split()


def line_of(command: str, typed: Mapping[str, Any], files: Sequence[str]) -> str:
    """The line that asks for a result by what was typed: options by their names, in the order of the help and without those
    of how a result is written, then files."""
    words: list[str] = []
    for name, option in options_of(command).items():
        if name not in typed or not option.is_of_result:
            continue
        if option.is_flag:
            words.append(option.spelling)
            continue
        for value in typed[name] if isinstance(typed[name], list) else [typed[name]]:
            words += [f"{option.spelling}={value}"] if value.startswith("-") else [option.spelling, value]
    words += ["--"] if any(file.startswith("-") and file != STANDARD_STREAM for file in files) else []
    return shlex.join(["irci", command, *words, *files])


def words_of(line: str) -> list[str]:
    """The words behind `irci` of a line. Raises UsageError for what is none."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation without an end
        words = []
    if words[:1] != ["irci"] or len(words) == 1 or any("\0" in word for word in words):
        raise UsageError("this is no line of irci")
    return words[1:]


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

    def fixed(name: str) -> str:
        key = key_of(rows[name])
        return f"{plan.path} has {key} = {plan.asked[key]!r}" if key in plan.asked else f"{plan.path} has no {key}"

    for name, value in requested.items():
        is_free = name in FREE or rows[name].heading == "Output"
        if not is_free and planned.get(name, rows[name].unset) != value:
            raise UsageError(f"{rows[name].spelling} contradicts the plan: {fixed(name)}.")
    of_rankings = [name for name in planned if RANKINGS in rows[name].needs and planned[name] != rows[name].unset]
    if requested.get("scores") and of_rankings:
        raise UsageError(f"{fixed(of_rankings[0])}, which scores do not tell: give QRELS and RUNs.")
    return {**requested, **planned}


def _values(command: str, plan: ComparisonPlan) -> dict[str, Any]:
    """The values of the options that a plan fixes."""
    rows = options_of("map-ci")
    options = {key_of(rows[name]): rows[name] for name in PLANNED}
    values: dict[str, Any] = {}
    for key, planned in plan.asked.items():
        if key not in options:
            keys = ", ".join([*options, "runs", "topics"])
            raise FormatError.whole_file(plan.path, f"{key} is none of what a plan fixes: {keys}")
        option, several = options[key], planned if isinstance(planned, list) else [planned]
        is_plain = all(isinstance(value, str | int | float) for value in several)
        try:
            if not is_plain or option.is_flag != (planned is True):
                raise BadValue(f"{planned!r} is no value of it")
            value = tuple(map(option.type.value, several)) if option.many else option.type.value(planned)
            values[option.name] = measures_of(value, command, values) if option.name == "measures" else value
        except BadValue as error:
            raise FormatError.whole_file(plan.path, f"{key}: {error}") from None
    return values


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
        values[key_of(asked.options[name])] = str(value) if isinstance(value, Margin) else value
    return values
