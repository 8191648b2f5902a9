"""Several collections: which files each of them is made of, as a list or a folder says."""

import os
from collections.abc import Sequence
from glob import glob
from typing import NamedTuple

from irci.base.errors import DataError, Problem, UsageError, plural
from irci.base.errors import first_few as first
from irci.base.names import OF_COLLECTIONS, STDIN, raw, text
from irci.data.text_files import problems_of, read_text_lines

MEAN = "all"  # what stands in the place of a collection's name where all are meant
QRELS = ("qrels.txt", "qrels.txt.gz")


class CollectionFiles(NamedTuple):
    """A collection: its name, and its files, which are qrels and runs or files of scores."""

    name: str
    files: tuple[str, ...]


def read_collection_list(path: str, *, scores: bool) -> list[CollectionFiles]:
    """The collections of a file of lines (name, qrels, runs; with `scores` name and files of scores), or of a folder with
    NAME/qrels.txt and NAME/runs/*; at least two. Raises FormatError for what is neither."""
    if os.path.isdir(path):
        if scores:
            raise UsageError(
                f"--collections {path}: a folder holds qrels and runs; with --scores give a file that lists files of scores."
            )
        found = list(_of_folder(path))
    else:
        found = _of_lines(path, scores)
    refuse_one([each.name for each in found], path)
    return found


def refuse_one(names: Sequence[str], where: str) -> None:
    """Raise DataError if there is but one collection, or one with the name of their mean."""
    for reserved in OF_COLLECTIONS:
        if reserved in names:
            raise DataError(f"{where}: a collection is called {reserved}, as the mean over collections is: rename it")
    if len(names) < 2:
        raise DataError(f"{where}: {plural(len(names), 'collection')}, where several are compared")


def _of_lines(path: str, scores: bool) -> list[CollectionFiles]:
    fewest = 2 if scores else 3
    asks = "name and files of scores" if scores else "name, qrels and runs"
    folder = "" if path == STDIN else os.path.dirname(path)
    table: dict[str, CollectionFiles] = {}
    with problems_of(path) as problems:
        for number, line in read_text_lines(path):
            fields = line.split("\t") if "\t" in line else [text(field) for field in raw(line).split()]
            name, *files = [field.strip() for field in fields if field.strip()] or [""]
            if len(fields) < fewest or len(files) < fewest - 1:
                problems.append(Problem(number, f"{plural(len(files) + 1, 'field')}, expected {asks}"))
            elif name in table:
                problems.append(Problem(number, f"collection {name!r} twice", "again"))
            else:
                table[name] = CollectionFiles(
                    name, tuple(each for file in files for each in _matching(os.path.join(folder, file)))
                )
    return list(table.values())


def _matching(path: str) -> list[str]:
    # The files that a pattern of the shell's stands for; a path stands for itself.
    return [path] if os.path.lexists(path) else sorted(glob(path), key=os.fsencode) or [path]


def _of_folder(path: str) -> list[CollectionFiles]:
    # By name; what has no qrels is something else.
    found = []
    for name in sorted(os.listdir(path), key=os.fsencode):
        qrels = next((file for each in QRELS if os.path.exists(file := os.path.join(path, name, each))), None)
        if qrels is None or name.startswith("."):
            continue
        folder = os.path.join(path, name, "runs")
        runs = sorted(os.listdir(folder), key=os.fsencode) if os.path.isdir(folder) else []
        files = [os.path.join(folder, run) for run in runs if not run.startswith(".")]
        if not files:
            raise DataError(f"{folder}: no runs of collection {name}")
        found.append(CollectionFiles(name, (qrels, *files)))
    if not found:
        others = first(sorted(os.listdir(path), key=os.fsencode)) or "nothing"
        raise DataError(f"{path}: no NAME/{QRELS[0]} in this folder, which holds {others}")
    return found
