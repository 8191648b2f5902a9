"""The table of all options, in the order of the help; what is asked made of it; and measures of the names given."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from irci.base.errors import logger
from irci.base.names import first_few
from irci.options import comparing, procedures, results, scoring
from irci.options.asked import Asked, Option
from irci.options.commands import COMMANDS
from irci.options.types import BadValue
from irci.wording import notify

if TYPE_CHECKING:
    from irci.measures import Measure

HEADINGS: Mapping[str, tuple[Option, ...]] = {
    "What to score": scoring.ROWS,
    "Compare": (*comparing.ROWS, *procedures.ROWS),
    "Intervals": results.INTERVALS,
    "Input": scoring.FILES,
    "Output": results.OUTPUTS,
    "Replicating a paper": procedures.REPLICATING,
}
NAMES = tuple(dict.fromkeys(option.name for rows in HEADINGS.values() for option in rows))


@cache
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command, by their names, in the order of the help; each knows its heading."""
    row = COMMANDS[command]
    return {
        option.name: option._replace(heading=heading)
        for heading, rows in HEADINGS.items()
        for option in rows
        if option.taken(row.rows) and any(option.suits(row, use.name) for use in row.uses)
    }


def ask(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Asked:
    """Everything asked, by the values requested; others are the options' defaults, or these.

    A command that is like another becomes that one, with what it always takes.
    """
    row = COMMANDS[command]
    requested = _with_size_of_prediction(_with_folder(row.rows, requested, memory))
    options = options_of(row.rows)
    unset = {name: option.unset for name, option in options.items()}
    files = tuple(requested.get("files", ()))
    return Asked(
        {
            **dict.fromkeys(NAMES), **unset, **defaults, **requested, **row.always, "files": files, "runs": files[1:],
            "command": row._replace(name=row.rows, typed=command), "options": options, "given": frozenset(requested),
            "memory": memory, "line": "",
        }
    )  # fmt: skip


def _with_folder(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take a folder that is the only file for one of collections."""
    files = requested.get("files", ())
    is_one = command == "map-ci" and "scores" not in requested and len(files) == 1 and files[0] not in memory
    return {**requested, "collections": files[0], "files": ()} if is_one and os.path.isdir(files[0]) else requested


def _with_size_of_prediction(requested: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take the number of prediction:50 for the size of the sample that is predicted."""
    kind, _, number = str(requested.get("interval", "")).partition(":")
    return {**requested, "interval": kind, "new_topics": int(number)} if number else requested


def with_scores(command: str, requested: Mapping[str, Any], memory: Mapping[str, Any]) -> dict[str, Any]:
    """Take files for those of --scores where the first of them is a table of scores by its first line."""
    files = requested.get("files", ())
    if not files or "scores" in requested or files[0] in memory or "scores" not in options_of(command):
        return dict(requested)
    if _are_scores(files):
        return {**requested, "scores": True}
    return dict(requested)


def _are_scores(files: Sequence[str]) -> bool:
    if os.path.isdir(files[0]):  # of MTEB's results, without judgments of collections
        from irci.data.collection_files import qrels_in
        from irci.data.mteb_results import files_in

        return len(files) == 1 and not qrels_in(files[0]) and bool(files_in(files[0]))
    from irci.data.file_bytes import first_line, head_of

    if (head := head_of(files[0]).decode("utf-8", "replace")).lstrip().startswith("{"):
        from irci.data.model_items import are_samples  # only for these

        return are_samples(head)
    line = first_line(files[0])
    is_of_qrels = len(line.split()) == 4 and line.split()[-1].lstrip("-").isdecimal()  # TREC's, as most are
    if is_of_qrels or not set(line) & set("\t;,"):
        return False
    from irci.data.headers import is_of_scores  # only for these

    return is_of_scores(line)


# Commas outside brackets and before a letter that begins no parameter: those of P.5,10 and rbp_p=.5,p=.8 are of one measure.
BETWEEN_MEASURES = r"\s*,\s*(?=[A-Za-z])(?!p=)(?![^(]*\))"


def measures_of(names: Sequence[str], command: str, requested: Mapping[str, Any]) -> list[Measure]:
    """The measures of these names, each once, in the order in which they are given.

    In trec_eval's order of output where lines are to be compared with its lines: ap-ci's, and all with those of single
    topics. A file of scores may hold any measure. `requested`: the values of the options that are given.
    """
    if not names:
        return []
    from irci.measures import TABLE, together

    scores = "scores" in requested
    separated = _separated(names, scores=scores)
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


def _separated(names: Iterable[str], *, scores: bool) -> Iterator[str]:
    """The names, of which several may stand with commas in one word; in a file of scores such a word may be one name."""
    from irci.measures import is_measure

    for name in names:
        parts = re.split(BETWEEN_MEASURES, name)
        yield from [name] if scores and not all(map(is_measure, parts)) else parts


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
