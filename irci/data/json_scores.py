"""Scores as JSON: {topic: {measure: value}} as pytrec_eval gives them, {measure: {topic: value}} as ranx does, or either by
run; and results of MTEB, an object a task (`irci.data.mteb_results`).
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, first_few, raw, stem
from irci.data.measures import is_measure

OF_RUN = "{topic: {measure: value}} or {measure: {topic: value}}"
QUESTION = (
    "{}: are the measures outside ({}) or inside ({})? A table with columns run, topic, measure and value says so"
)
Lines = Sequence[tuple[int, str]]
Record = tuple[int, str | None, str, str | None, str, str, *tuple[str, ...]]


class Number(str):
    """A number as it is spelled, which is no name."""

    __slots__ = ()


def looks_so(head: str) -> bool:
    """True if a first line begins an object of objects, or one over several lines; ir_measures' lines are objects of cells."""
    if not head.startswith("{"):
        return False
    try:
        given = json.loads(head)
    except (ValueError, RecursionError):
        return '"query_id"' not in head
    return all(isinstance(each, Mapping) for each in given.values()) or "scores" in given


def parsed(lines: Lines, path: str) -> dict[str, Any]:
    """The object in a file. Raises FormatError for what is none, and for a name in it twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            twice = next(name for name, count in counts.items() if count > 1)
            raise FormatError.whole_file(path, f"{twice!r} twice in one object")
        return found

    try:
        given = json.loads(
            "\n".join(line for _, line in lines),
            object_pairs_hook=once, parse_int=Number, parse_float=Number, parse_constant=Number,
        )  # fmt: skip
    except json.JSONDecodeError as error:
        raise FormatError(path, [Problem(lines[error.lineno - 1][0], f"not JSON: {error.msg}")]) from None
    except RecursionError:
        raise FormatError.whole_file(path, "not JSON of scores: objects too deep within each other") from None
    if not isinstance(given, dict):
        raise FormatError.whole_file(path, f"not a JSON object of scores: {OF_RUN}, or such by run")
    return given


def records_of(lines: Lines, path: str) -> Iterator[Record]:
    """The scores in a file of nested objects; without names of runs they are of one, called as the file."""
    given = parsed(lines, path)
    runs = given if depth_of(given) > 2 else {stem(path): given}
    for run, scores in runs.items():
        for name, topic, value in cells_of(scores, f"{path}, run {run!r}"):
            if not isinstance(value, Number):
                raise FormatError.whole_file(path, f"{name} of run {run!r} on topic {topic!r} is not a number")
            yield 1, None, name_in(run, path), name_in(topic, path), name_in(name, path), str(value)


def name_in(given: str, path: str) -> str:
    """A name as it is printed. Raises FormatError for what JSON can spell and no line can hold: a NUL, or half of a letter."""
    try:
        # Through bytes: two halves may be those of one letter.
        name = raw(given).decode("utf-8", "surrogateescape").strip(BLANKS)
    except UnicodeEncodeError:
        name = "\0"
    if "\0" in name:
        raise FormatError.whole_file(path, f"{given!r} is not a name: half of a letter, or a NUL")
    return name


def cells_of(scores: Any, place: str) -> Iterator[tuple[Any, Any, Any]]:
    """Measure, topic and value of one run's scores, by measure or by topic. Raises FormatError for other things.

    Where only one level has names of known measures, that level's are all measures.
    """
    if not isinstance(scores, Mapping):
        raise FormatError.whole_file(place, f"a {type(scores).__name__.lower()}, not {OF_RUN}")
    for name, inner in scores.items():
        if not isinstance(inner, Mapping):
            raise FormatError.whole_file(
                f"{place}, {str(name)!r}", f"a {type(inner).__name__.lower()}, where {OF_RUN} of a run is expected"
            )
    inner_names = {name: None for inner in scores.values() for name in inner}
    by_topic = any(map(_is_measure, inner_names))
    if inner_names and by_topic == any(map(_is_measure, scores)):
        outside, inside = first_few([*map(str, scores)]), first_few([*map(str, inner_names)])
        which = "both levels have names of measures" if by_topic else "no name is that of a measure irci knows"
        raise FormatError.whole_file(place, QUESTION.format(which, outside, inside))
    for outer, inner in scores.items():
        for name, value in inner.items():
            yield (name, outer, value) if by_topic else (outer, name, value)


def _is_measure(name: Any) -> bool:
    return hasattr(name, "NAME") or (isinstance(name, str) and is_measure(name))


def depth_of(given: Any) -> int:
    """How deep objects lie in each other, by the first of each."""
    depth = 0
    while isinstance(given, Mapping) and given:
        given, depth = next(iter(given.values())), depth + 1
    return depth
