"""A call as what is asked of a command: values of its options, checked by their types, and the same report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any

from irci.api.objects import Files, is_ranking, name_of
from irci.api.scores import add_scores, rows_of
from irci.api.signatures import INPUTS, keywords_of
from irci.base.errors import FormatError, UsageError
from irci.base.names import is_text, path_and_level
from irci.data.collection_files import CollectionFiles
from irci.data.frames import is_frame
from irci.data.headers import COLUMNS, TOPIC, lowered
from irci.options.given import Given, MissingFiles, measures_of, with_scores
from irci.options.option import Option
from irci.options.outputs import check_outputs
from irci.options.planned import with_plan
from irci.options.rules import Rule
from irci.options.types import (
    STANDARD_STREAM,
    BadValue,
    CollectionsFile,
    InputFile,
    JudgeWorth,
    JudgmentsFile,
    NumberOrFile,
    OutputFile,
    Reference,
    TopicsFile,
    Type,
)
from irci.output.files import write_file
from irci.studies.commands import answered
from irci.system.standard_streams import hear_warnings

if TYPE_CHECKING:
    from irci.output.report import Report


def answer(command: str, asked: Mapping[str, Any]) -> Report:
    """The answer of a command, and what it has to warn of, to options and inputs given by their keywords."""
    with hear_warnings() as warnings:
        asked = _with_frame_of_scores(asked)
        files = _inputs(asked)
        chosen = _options(command, asked, files)
        if files.names:
            chosen["files"] = tuple(files.names)
        given = Given.of(command, with_plan(command, chosen), files.memory, output_format="csv")  # with every column
        try:
            given.require_files()
            given.check()
        except MissingFiles as missing:
            default = str(missing).startswith("Missing argument")
            inputs = "qrels and runs, or scores=" if "scores" in given.options else "qrels"
            raise UsageError(f"give {inputs}." if default else str(missing)) from None
        check_outputs(given)
        report = answered(given)
        for path, text in report.files.items():
            write_file(path, text.encode("utf-8", "surrogateescape"))
    return report._replace(warnings=tuple(warnings))


def _with_frame_of_scores(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take a data frame with a column of measures, in place of qrels and runs, for scores."""
    qrels: Any = asked.get("qrels")
    if asked.get("runs") is not None or asked.get("scores") is not None or not is_frame(qrels):
        return asked
    has_measures = bool({*COLUMNS["measure"]} & {*lowered([str(name) for name in qrels.columns])})
    return {**asked, "qrels": None, "scores": qrels} if has_measures else asked


def _inputs(asked: Mapping[str, Any]) -> Files:
    files = Files()
    qrels, runs, scores = (asked.get(name) for name in INPUTS)
    if scores is not None:
        if qrels is not None or runs is not None:
            raise UsageError("scores= is in place of qrels and runs: leave those out.")
        add_scores(files, scores)
    elif qrels is None and runs is not None:
        raise UsageError("runs without qrels: give both, or scores=.")
    elif qrels is not None:
        files.add_qrels(qrels)
    if runs is not None:
        files.add_runs(runs)
    return files


def _options(command: str, asked: Mapping[str, Any], files: Files) -> dict[str, Any]:
    """The options that are given. What is None is not, nor an empty list, nor False, but for an option that is True unless it
    is turned off."""
    known = keywords_of(command)
    chosen: dict[str, Any] = {}
    if asked.get("scores") is not None or "scores" in with_scores(command, {"files": files.names}, files.memory):
        chosen["scores"] = True
    for keyword, given in asked.items():
        if keyword in INPUTS or given is None:
            continue
        option = known[keyword]
        if not isinstance(given, str) and isinstance(given, Sized) and getattr(given, "shape", None) == ():
            raise UsageError(f"{keyword}: an array without dimensions ({given!r}): give what it holds.")
        if isinstance(given, Sized) and len(given) == 0 and not isinstance(option.type, Rule | CollectionsFile):
            continue
        if given is not False or option.default is True:
            try:
                chosen[option.name] = _value(keyword, option, given, files, of_scores="scores" in chosen)
            except BadValue as error:
                raise UsageError(f"{keyword}: {error}") from None
    if "measures" in chosen:
        try:
            chosen["measures"] = measures_of(chosen["measures"], command, chosen)
        except BadValue as error:
            raise UsageError(f"measures: {error}") from None
    return chosen


def _value(keyword: str, option: Option, given: Any, files: Files, *, of_scores: bool) -> Any:
    found: Any
    if isinstance(option.type, JudgeWorth) and isinstance(given, tuple) and isinstance(given[0], float):
        return option.type.value(given)
    if isinstance(option.type, JudgmentsFile) and of_scores and not option.many:
        found = _scores_by(keyword, given, files)
    elif isinstance(option.type, JudgmentsFile):
        found = _judgments(keyword, option, given, files)
    elif isinstance(option.type, Rule) and (isinstance(given, Mapping) or is_frame(given)):
        found = rows_of(keyword, given, option.type.columns)
        return option.type.value(found)
    elif isinstance(option.type, CollectionsFile) and isinstance(given, Mapping):
        found = _collections(given, files)
    elif isinstance(option.type, Reference) and isinstance(given, list | tuple):
        found = ",".join(map(str, given))
    elif isinstance(option.type, InputFile | OutputFile):
        found = _path(option.type, given)
    elif option.many:
        found = _several(given)
    elif type(option.type) is Type and isinstance(given, Iterable) and not isinstance(given, str):
        found = [*given]
    else:
        found = given
    for each in found if isinstance(found, list) else [found]:
        for text in each if isinstance(each, tuple) else [each]:
            if isinstance(text, str) and ("\0" in text or not is_text(text)):
                raise UsageError(f"{keyword}: {text!r} contains a NUL or an incomplete character.")
    return tuple(map(option.type.value, found)) if option.many else option.type.value(found)


def _judgments(keyword: str, option: Option, given: Any, files: Files) -> Any:
    if not option.many:
        return _aside(keyword, given, files)
    if isinstance(given, Mapping) and not is_ranking(given):
        return [_aside(name_of(name), each, files, named=True) for name, each in given.items()]
    is_list = isinstance(given, list | tuple) and not hasattr(given[0], TOPIC[0]) and not _has_level(given)
    several = [*given] if is_list else [given]
    return [_aside(f"{keyword} {number}", each, files) for number, each in enumerate(several, 1)]


def _has_level(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and hasattr(given[1], "__index__")


def _aside(label: str, given: Any, files: Files, *, named: bool = False) -> str:
    """Judgments that an option names, with the lowest grade that counts as relevant there where that is given."""
    level = None
    if _has_level(given):
        given, level = given[0], int(given[1])
    elif named and isinstance(given, str | os.PathLike):  # another name stands for the path, and what is behind it
        given, level = path_and_level(os.fsdecode(given))
    found = files.aside(label, given, named=named)
    return found if level is None else f"{found}:{level}"


def _scores_by(keyword: str, given: Any, files: Files) -> str:
    """The scores that an option names, beside those by people: whatever `scores` may be, but one file."""
    of_one = Files(files.memory, within=f"{keyword}: ")
    try:
        add_scores(of_one, given)
    except FormatError as error:
        raise FormatError.whole_file(keyword, str(error)) from None
    except UsageError as error:
        raise UsageError(f"{keyword}: {error}") from None
    if len(of_one.names) != 1:
        raise UsageError(f"{keyword}: one table of scores, not {len(of_one.names)} files.")
    return of_one.names[0]


def _collections(given: Mapping[Any, Any], files: Files) -> list[CollectionFiles]:
    """The files of collections, each given by its name as qrels and runs."""
    found = []
    for name, pair in given.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise UsageError(f"collections: {name_of(name)!r} is no pair of qrels and runs.")
        of_one = Files(files.memory, within=f"{name_of(name)}: ")
        of_one.add_qrels(pair[0])
        of_one.add_runs(pair[1])
        found.append(CollectionFiles(name_of(name), tuple(of_one.names)))
    return found


def _several(given: Any) -> list[Any]:
    if isinstance(given, Mapping):
        return [(str(name), figures) for name, figures in given.items()]
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    return [each if isinstance(each, str) else str(each) for each in given]


def _path(kind: Type, given: Any) -> Any:
    is_path = isinstance(given, str | os.PathLike)
    if isinstance(kind, TopicsFile) and not is_path:
        return _list_of_topics(given)
    if isinstance(kind, NumberOrFile) and hasattr(given, "__index__"):
        return int(given)
    path = os.fsdecode(given) if is_path else None
    if path is None or path == STANDARD_STREAM:
        raise BadValue(f"{given!r} is not a path to a file.")
    return f"@{path}" if isinstance(kind, TopicsFile) and isinstance(given, os.PathLike) else path


def _list_of_topics(topics: Any) -> str:
    try:
        names = [str(topic) for topic in topics]
    except TypeError:
        names = [str(topics)]
    for name in names:
        if set(name) & set(",/") or name.startswith("@") or name in ("", STANDARD_STREAM):
            raise UsageError(f"topics: {name!r} cannot stand in a list: give the path of a file with one topic a line.")
    return ",".join(names)
