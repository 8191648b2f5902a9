"""The table of all options, in the order of the help; what is asked made of it, by words or values; and refusals, before
anything is read: of a call without files, of options that have no effect in what is asked, and of outputs that would overwrite
an input or another output; and whom to cite for what is asked, the line and the plan that ask for the same.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from irci.base import FormatError, Margin, UsageError, either, first_few, is_list, logger, path_and_level
from irci.base.choices import SOURCES
from irci.options.asked import Asked
from irci.options.commands import COMMANDS
from irci.options.comparing import Compare, Replicating
from irci.options.option import Need, Option
from irci.options.scoring import Input, Intervals, Output, WhatToScore
from irci.options.types import STANDARD_STREAM, BadValue
from irci.wording import notify

if TYPE_CHECKING:
    from irci.data.plans import ComparisonPlan
    from irci.measures import Measure

HEADINGS = {
    "What to score": WhatToScore, "Compare": Compare, "Intervals": Intervals, "Input": Input, "Output": Output,
    "Replicating a paper": Replicating,
}  # fmt: skip
ROWS = [
    row._replace(name=name, heading=row.heading or heading)
    for heading, of_heading in HEADINGS.items()
    for name, rows in vars(of_heading).items()
    if isinstance(rows, list)
    for row in rows
]
NAMES = tuple(dict.fromkeys(row.name for row in ROWS))


@cache
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command, by their names, in the order of the help."""
    row = COMMANDS[command]
    return {option.name: option for option in ROWS if any(option.suits(row, use.name) for use in row.uses)}


def asked_of(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Asked:
    """Everything asked, by values as they are given: the names of measures are read, a file of scores is recognised, and what
    a plan fixes is taken. Raises UsageError for names of no measures."""
    values = dict(requested)
    if has_scores(command, values, memory):
        values["scores"] = True
    if "measures" in values:
        values["measures"] = measures_of(values["measures"], command, values)
    if "plan" in values:
        values |= _planned(command, values["plan"], values)
    return ask(command, values, memory, **defaults)


def ask(command: str, values: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Asked:
    """Everything asked, by the values of options as studies take them; others are the options' defaults, or these.

    A command that is like another becomes that one, with what it always takes; a folder that is the only file is one of
    collections; the number of prediction:50 is the size of the sample that is predicted.
    """
    row, values = COMMANDS[command], dict(values)
    files = tuple(values.get("files", ()))
    is_one = len(files) == 1 and files[0] not in memory and not {"scores", "collections"} & values.keys()
    if row.rows == "map-ci" and is_one and os.path.isdir(files[0]):
        values |= {"collections": files[0], "files": ()}
        files = ()
    kind, _, number = str(values.get("interval", "")).partition(":")
    if number:
        values |= {"interval": kind, "new_topics": int(number)}
    options = options_of(row.rows)
    unset = {name: option.unset for name, option in options.items()}
    return Asked(
        {
            **dict.fromkeys(NAMES), **unset, **defaults, **values, **row.always, "files": files, "runs": files[1:],
            "command": row._replace(name=row.rows, typed=command), "options": options, "given": frozenset(values),
            "memory": memory,
        }
    )  # fmt: skip


def has_scores(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any]) -> bool:
    """True if files are those of --scores: as requested, or by the first of them."""
    files: Sequence[str] = requested.get("files", ())
    if "scores" in requested or not files or files[0] in memory or "scores" not in options_of(command):
        return "scores" in requested
    from irci.data.collection_files import hold_scores  # takes time

    return hold_scores(files)


# Commas outside brackets and before a letter that begins no parameter: those of P.5,10 and rbp_p=.5,p=.8 are of one measure.
BETWEEN_MEASURES = r"\s*,\s*(?=[A-Za-z])(?!p=)(?![^(]*\))"


def measures_of(names: Sequence[str], command: str, requested: Mapping[str, Any]) -> list[Measure]:
    """The measures of these names, each once, in the order in which they are given; of trec_eval's names for several those
    that the command can average, as it says in a line.

    In trec_eval's order of output where lines are to be compared with its lines: ap-ci's, and all with those of single
    topics. A file of scores may hold any measure. `requested`: the values of the options that are given.
    """
    if not names:
        return []
    from irci.measures import ALL_TREC, NICKNAMES, TABLE, asked_for, is_measure, named, together

    scores = "scores" in requested
    parts: list[str] = []
    for name in names:  # of which several may stand in one word, which may be one name in a file of scores
        separated = re.split(BETWEEN_MEASURES, name)
        parts += [name] if scores and not all(map(is_measure, separated)) else separated
    measures: list[Measure] = []
    for name in parts:
        try:
            of_name = asked_for(name)
        except ValueError as error:
            if not scores:
                raise UsageError(str(error)) from None
            of_name = [named(name)]
        if name == ALL_TREC:
            notify("rbp_resid")
        if name in NICKNAMES and command != "ap-ci":
            averages_logs = COMMANDS[command].rows == "map-ci"
            taken = [
                measure for measure in of_name if measure.scores_topics or (averages_logs and not measure.is_count)
            ]
            left_out = first_few([measure.name for measure in of_name if measure not in taken])
            logger.info(f"{name}: left out, as they are no means of scores of topics: {left_out}")
            of_name = taken
        measures += of_name
    measures = together(measures)
    if command != "ap-ci" and not requested.get("per_topic"):
        return measures
    order = {family.name: index for index, family in enumerate(TABLE)}
    return sorted(
        measures,
        key=lambda measure: (
            order.get(measure.family.name, len(order)), measure.parameter or 0, measure.level or 0, measure.canonical
        ),
    )  # fmt: skip


PLANNED = (
    "measures", "family", "baseline", "all_pairs", "test", "correction", "margin",
    "looks", "interval", "range", "confidence", "resamples", "seed", "relevance_level", "max_grade", "depth", "judged_only",
    "ties", "missing", "no_relevant", "ignore_identical_ids",
)  # fmt: skip


def _planned(command: str, plan: ComparisonPlan, requested: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options that a plan fixes, under the keys that they are spelled by, without dashes.

    Raises UsageError for what is requested and contradicts the plan, and FormatError for a plan of other options.
    """
    rows, planned = options_of("map-ci"), dict[str, Any]()
    options = {rows[name].key: rows[name] for name in PLANNED}
    for key, value in plan.asked.items():
        if key not in options:
            keys = ", ".join([*options, "runs", "topics"])
            raise FormatError.whole_file(plan.path, f"{key} is none of what a plan fixes: {keys}")
        option, values = options[key], value if isinstance(value, list) else [value]
        try:
            if not all(isinstance(one, str | int | float) for one in values) or option.is_flag != (value is True):
                raise BadValue(f"{value!r} is no value of it")
            taken = tuple(map(option.type.value, values)) if option.many else option.type.value(value)
            planned[option.name] = measures_of(taken, command, planned) if option.name == "measures" else taken
        except UsageError as error:
            raise FormatError.whole_file(plan.path, f"{key}: {error}") from None
    for name, value in requested.items():
        if not _is_free(rows, name) and planned.get(name, rows[name].unset) != value:
            key = rows[name].key
            fixed = f"{key} = {plan.asked[key]!r}" if key in plan.asked else f"no {key}"
            raise UsageError(f"{rows[name].spelling} contradicts --plan: {plan.path} has {fixed}.")
    return planned


def _is_free(rows: Mapping[str, Option], name: str) -> bool:
    """True if a plan leaves it open."""
    return name == "files" or rows[name].is_free or rows[name].heading == "Output"


def check(asked: Asked, turned_out: str | None = None) -> None:
    """Raise UsageError for files that lack or are too many, for an option that is given and has no effect, and for outputs
    that would overwrite something.

    turned_out: the use that is asked for, if that is not the one that it looked like
    """
    if turned_out is not None:
        asked = asked.replaced(use=next(use for use in asked.command.uses if use.name == turned_out))
    command, use = asked.command, asked.use
    has_files: Need = (lambda asked: asked.files or command.without(asked), f"Missing argument '{command.files}'.")
    _require(asked, [has_files, *command.needs])
    requested = [option for name, option in asked.options.items() if name in asked.given]
    for option in requested:
        if not option.suits(command, use.name):
            uses = dict.fromkeys(other.words for other in command.uses if option.suits(command, other.name))
            reason = f"not for {use.words}" if use.words else f"for {either([words for words in uses if words])}"
            raise UsageError(f"{option.spelling} is {reason}.")
    for option in requested:
        _check_words(asked, option)
        _require(asked, option.needs, option.spelling)
    check_outputs(asked, _inputs(asked))


def _require(asked: Asked, needs: Iterable[Need], spelling: str = "") -> None:
    """Raise UsageError for the first need that is not met."""
    for holds, message in needs:
        if not holds(asked):
            raise UsageError(message.format(spelling, asked=asked))


def _check_words(asked: Asked, option: Option) -> None:
    """Refuse words that the source of variation of map-ci does not take."""
    source = SOURCES.get(asked.use.name) if asked.command.name == "map-ci" else None
    words, value = (source.takes.get(option.name) if source else None) or (), getattr(asked, option.name)
    refused = [word for word in (value if isinstance(value, tuple) else (value,)) if words and word not in words]
    if refused:
        asked_by = next((name for name, other in SOURCES.items() if refused[0] in other.words), "")
        reason = f"not for {asked.use.words}: use {either(words)}" if asked.use.words else f"for --{asked_by}"
        raise UsageError(f"{option.spelling} {refused[0]} is {reason}.")


def check_outputs(asked: Asked, inputs: Iterable[str]) -> None:
    """Raise UsageError for an output in a folder that is not there, or that is one of these inputs or another output under
    whatever name."""
    taken: dict[Identity | None, str] = {
        identity: f"the input {path}" for path in inputs if isinstance(identity := _identity(path, 0), tuple)
    }
    for name, option in asked.options.items():
        path = getattr(asked, name)
        if not option.type.writes or path is None:
            continue
        if path != STANDARD_STREAM and (os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or os.curdir)):
            reason = "it is a folder" if os.path.isdir(path) else "no such folder"
            raise UsageError(f"{option.spelling}: {path}: cannot be written ({reason})")
        identity = _identity(path, 1)
        if identity in taken:
            raise UsageError(f"{option.spelling}: {path}: would overwrite {taken[identity]}")
        if identity is not None:
            taken[identity] = f"what {option.spelling} writes"


def _inputs(asked: Asked) -> Iterator[str]:
    """The paths of what is read; some may be no files but what else the option takes."""
    yield from (path[1:] if is_list(path) else path for path in asked.files)
    for name, option in asked.options.items():
        value = getattr(asked, name)
        if option.type.name != "path" or option.type.writes:
            continue
        value = getattr(value, "given", getattr(value, "path", value))  # of rules and plans, which have been read
        for path in value if isinstance(value, tuple) else (value,):
            if isinstance(path, str):
                yield path_and_level(path)[0].removeprefix("@")


Identity = tuple[int, int] | str


def _identity(path: str, stream: int) -> Identity | None:
    """The identity that all names of a file share, or of one to be made; a device or a pipe, which loses nothing, has none.

    `stream`: what - stands for, which the shell may have connected to a file.
    """
    is_stream = path == STANDARD_STREAM
    try:
        status = os.fstat(stream) if is_stream else os.stat(path)
    except OSError:
        return path if is_stream else os.path.realpath(path)
    if stat.S_ISREG(status.st_mode):
        return status.st_dev, status.st_ino
    return path if is_stream else None


def bibtex(asked: Asked, version: str) -> str:
    """The entries for what is asked, and irci's own."""
    from importlib.resources import files

    keys = asked.command.cites.split()
    for name, option in asked.options.items():
        value = getattr(asked, name)
        values = () if value in (None, False, ()) else value if isinstance(value, tuple) else (value,)
        for case, papers in option.cites.items():
            if values and (case is None or (case(asked) if callable(case) else case in values)):
                keys += papers.split()
    entries = files(__package__).joinpath("papers.bib").read_text("utf-8").split("\n\n")
    by_key = {entry.partition("{")[2].partition(",")[0]: f"{entry.rstrip()}\n" for entry in entries}
    return "\n".join(by_key[key] for key in dict.fromkeys([*keys, "irci"])).replace("VERSION", version)


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


def plan_values(asked: Asked) -> dict[str, Any]:
    """The options that a plan of what is asked has, by their keys, as `as_toml` takes them. UsageError for others, of which a
    call by the plan would be refused."""
    values = {}
    for name, option in asked.options.items():
        if asked.has(name) and name not in (*PLANNED, "topics", "save_plan") and not _is_free(asked.options, name):
            raise UsageError(
                f"{option.spelling}: no plan fixes this, so that a call with --plan could not have it: leave it out."
            )
    for name in PLANNED:
        value = getattr(asked, name)
        if name == "measures":
            value = [measure.name for measure in value] or ["map"]
        elif name == "interval" and asked.new_topics:
            value = f"{value}:{asked.new_topics}"
        elif not asked.has(name) or (name == "seed" and not asked.has_draws):
            continue
        values[asked.options[name].key] = str(value) if isinstance(value, Margin) else value
    return values
