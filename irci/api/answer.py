"""A call as what is asked of a command: values of its options, checked by their types, and the same report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sized
from itertools import chain
from typing import TYPE_CHECKING, Any

from irci.api.objects import Files, content_of, is_ranking, name_of, rows_of, runs_of, scores_of
from irci.base import UsageError, is_text, path_and_level, raw
from irci.data.collection_files import CollectionFiles
from irci.data.headers import COLUMNS, TOPIC, lowered
from irci.data.in_memory import is_frame
from irci.options import types
from irci.options.option import Option
from irci.options.rows import asked_of, check, has_scores
from irci.studies.commands import answered
from irci.system import hear_warnings, write_file

if TYPE_CHECKING:
    from irci.output.report import Report

MAY_BE_EMPTY = (*types.RULES, types.COLLECTIONS)


def answer(command: str, options: Mapping[str, Option], keywords: Mapping[str, Any]) -> Report:
    """The answer of a command, and what it has to warn of, to options and inputs given by their keywords."""
    with hear_warnings() as warnings:
        files = Files()
        names, are_scores = _inputs(command, keywords, files)
        requested: dict[str, Any] = {"files": names} if names else {}
        requested |= {"scores": True} if are_scores else {}
        try:
            for keyword, option in options.items():
                value = keywords.get(keyword)
                is_empty = isinstance(value, Sized) and not len(value)
                if not (value is None or value is False or (is_empty and option.type not in MAY_BE_EMPTY)):
                    requested[option.name] = _value(keyword, option, value, files, of_scores=are_scores)
        except types.BadValue as error:
            raise UsageError(f"{keyword}: {error}") from None
        asked = asked_of(command, requested, files.memory, output_format="csv")  # with every column
        check(asked)
        report = answered(asked)
        for path, text in report.files.items():
            write_file(path, raw(text))
    return report._replace(warnings=tuple(map(str, warnings)))  # which is pickled


def _inputs(command: str, keywords: Mapping[str, Any], files: Files) -> tuple[tuple[str, ...], bool]:
    """The names of inputs, and true if they are scores: so is a frame with a column of measures in place of qrels and runs."""
    qrels, runs, scores = (keywords.get(name) for name in ("qrels", "runs", "scores"))
    columns = lowered([str(name) for name in getattr(qrels, "columns", ())]) if is_frame(qrels) else []
    if runs is None and scores is None and {*COLUMNS["measure"]} & {*columns}:
        qrels, scores = None, qrels
    if scores is not None:
        if qrels is not None or runs is not None:
            raise UsageError("scores= is in place of qrels and runs: leave those out.")
        return tuple(files.put(*item) for item in scores_of("scores", scores)), True
    if qrels is None and runs is not None:
        raise UsageError("runs without qrels: give both, or scores=.")
    names = () if qrels is None else _collection(qrels, runs, files)
    return names, has_scores(command, {"files": names}, files.memory)


def _collection(qrels: Any, runs: Any, files: Files, within: str = "") -> tuple[str, ...]:
    """The names of qrels and runs."""
    first = files.put(f"{within}qrels", content_of(f"{within}qrels", qrels, "qrels"))
    return (first, *(files.put(*run) for run in (() if runs is None else runs_of(runs, within))))


def _value(keyword: str, option: Option, raw: Any, files: Files, *, of_scores: bool) -> Any:
    kind, words = option.type, [raw]
    is_correlation = kind is types.JUDGE and isinstance(raw, tuple) and isinstance(raw[0], float)
    if kind in types.RULES and (isinstance(raw, Mapping) or is_frame(raw)):
        words = [rows_of(keyword, raw, kind.columns)]
    elif kind is types.COLLECTIONS and isinstance(raw, Mapping):
        words = [_collections(raw, files)]
    elif kind in (types.JUDGE, types.JUDGMENTS) and not is_correlation:
        is_of_scores = of_scores and not option.many
        words = [_scores_of_judge(keyword, raw, files)] if is_of_scores else _judgments(keyword, option, raw, files)
    elif kind.name == "path" and not is_correlation and not (kind is types.REFERENCE and isinstance(raw, list | tuple)):
        words = [_path(kind, raw)]
    elif option.many and isinstance(raw, Mapping):
        words = [(str(name), figures) for name, figures in raw.items()]
    elif option.many or kind is types.NAME:
        listed = list(map(str, raw if isinstance(raw, Iterable) and not isinstance(raw, str) else [raw]))
        words = listed if option.many else [",".join(listed)]
    for text in chain.from_iterable(word if isinstance(word, list | tuple) else [word] for word in words):
        if isinstance(text, str) and ("\0" in text or not is_text(text)):
            raise UsageError(f"{keyword}: {text!r} contains a NUL or an incomplete character.")
    values = tuple(map(kind.value, words))
    return values if option.many else values[0]


def _scores_of_judge(keyword: str, raw: Any, files: Files) -> str:
    """Whatever `scores` may be, but one file."""
    names = [files.put(*item) for item in scores_of(f"{keyword}: scores", raw)]
    if len(names) != 1:
        raise UsageError(f"{keyword}: one table of scores, not {len(names)} files.")
    return names[0]


def _judgments(keyword: str, option: Option, raw: Any, files: Files) -> list[str]:
    """The judgments that an option names, by what stands for them, with the lowest grade that counts as relevant there where
    that is given."""

    def has_level(thing: Any) -> bool:
        return isinstance(thing, tuple) and len(thing) == 2 and hasattr(thing[1], "__index__")

    are_named = option.many and isinstance(raw, Mapping) and not is_ranking(raw)
    is_list = isinstance(raw, list | tuple) and not hasattr(raw[0], TOPIC[0]) and not has_level(raw)
    labelled: list[tuple[str, Any]] = [(keyword, raw)]
    if are_named:  # in which 1 and "1" are two names
        labelled = [(name_of(name), qrels) for name, qrels in raw.items()]
    elif option.many:
        labelled = [(f"{keyword} {number}", qrels) for number, qrels in enumerate(raw if is_list else [raw], 1)]
    paths = []
    for label, qrels in labelled:
        level = None
        if has_level(qrels):
            qrels, level = qrels[0], int(qrels[1])
        elif are_named and isinstance(qrels, str | os.PathLike):  # whose other name stands for all of this
            qrels, level = path_and_level(os.fsdecode(qrels))
        path = files.put(label, content_of(label, qrels, "qrels"), label if are_named else None)
        paths.append(path if level is None else f"{path}:{level}")
    return paths


def _collections(by_name: Mapping[Any, Any], files: Files) -> CollectionFiles:
    """The files of collections, each given by its name as qrels and runs."""
    collections = {}
    for name, pair in by_name.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise UsageError(f"collections: {name_of(name)!r} is no pair of qrels and runs.")
        collections[name_of(name)] = _collection(pair[0], pair[1], files, f"{name_of(name)}: ")
    return collections


def _path(kind: types.Type, raw: Any) -> Any:
    is_path = isinstance(raw, str | os.PathLike)
    if kind is types.TOPICS and not is_path:
        names = [str(topic) for topic in (raw if isinstance(raw, Iterable) else [raw])]
        for name in names:
            if set(name) & set(",/") or name.startswith("@") or name in ("", types.STANDARD_STREAM):
                cannot = f"{name!r} cannot stand in a list: give the path of a file with one topic a line."
                raise UsageError(f"topics: {cannot}")
        return ",".join(names)
    if kind in (types.PARTS, types.HALVES) and not is_path:
        return raw
    path = os.fsdecode(raw) if is_path else None
    if path is None or path == types.STANDARD_STREAM:
        raise types.BadValue(f"{raw!r} is not a path to a file.")
    return f"@{path}" if kind is types.TOPICS and isinstance(raw, os.PathLike) else path
