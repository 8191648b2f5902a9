"""The files that each of several collections is made of, as a list or a folder says; and results of models in a folder."""

import os
from collections.abc import Iterator, Mapping, Sequence

from irci.base import OF_COLLECTIONS, STDIN, DataError, first_few, plural
from irci.data import text_files

MEAN = "all"  # what stands in the place of a collection's name where all are meant
QRELS = ("qrels.txt", "qrels/test.tsv")  # ours, and BEIR's; gzipped or not
RUNS = "runs"


# The files of each collection, by its name: qrels and runs, or files of scores.
CollectionFiles = Mapping[str, tuple[str, ...]]


def read_collection_list(path: str, *, scores: bool) -> CollectionFiles:
    """The collections of a file of lines (name, qrels, runs; with `scores` name and files of scores), or of a folder with
    NAME/qrels.txt or NAME/qrels/test.tsv and runs; at least two. Raises FormatError for what is neither."""
    collections = dict(_of_folder(path)) if os.path.isdir(path) else _of_lines(path, scores)
    refuse_one(list(collections), path)
    return collections


def refuse_one(names: Sequence[str], where: str) -> None:
    """Raise DataError if there is but one collection, or one with the name of their mean."""
    for reserved in OF_COLLECTIONS:
        if reserved in names:
            raise DataError(f"{where}: a collection is called {reserved}, as the mean over collections is: rename it")
    if len(names) < 2:
        raise DataError(f"{where}: {plural(len(names), 'collection')}, where several are compared")


def _of_lines(path: str, scores: bool) -> CollectionFiles:
    asks, fewest = ("name and files of scores", 2) if scores else ("name, qrels and runs", 3)
    folder = "" if path == STDIN else os.path.dirname(path)
    rows = text_files.table_of(
        path,
        text_files.read_fields(path, fields=_fields_of),
        lambda fields: "" if len(fields) >= fewest else f"{plural(len(fields), 'field')}, expected {asks}",
        "collection {!r}",
    )
    return {
        name: tuple(path for file in files for path in _matching(os.path.join(folder, file)))
        for (name,), files in rows.items()
    }


def _fields_of(line: str) -> list[str]:
    return list(filter(None, text_files.cells_of(line))) if "\t" in line else text_files.fields_of(line)


def _matching(path: str) -> list[str]:
    # The files that a pattern of the shell's stands for; a path stands for itself.
    from glob import glob  # takes time

    return [path] if os.path.lexists(path) else sorted(glob(path), key=os.fsencode) or [path]


def qrels_in(path: str) -> dict[str, str]:
    """The qrels of each collection of a folder, by name."""
    return {name: qrels_path for name in _listed(path) if (qrels_path := _qrels_of(path, name))}


def _of_folder(path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The collections of a folder by name. What has no qrels is something else."""
    qrels = qrels_in(path)
    if not qrels:
        contents = first_few(_listed(path)) or "nothing"
        wanted = " or ".join(f"NAME/{qrels_name}" for qrels_name in QRELS)
        raise DataError(f"{path}: no {wanted} in this folder, which holds {contents}")
    for name, of_name in qrels.items():
        folder = os.path.join(path, name, RUNS)
        runs = [os.path.join(folder, run) for run in _listed(folder)]
        if not runs:
            raise DataError(f"{folder}: no runs of collection {name}")
        yield name, (of_name, *runs)


def _qrels_of(path: str, name: str) -> str | None:
    files = (os.path.join(path, name, qrels_name + packed) for qrels_name in QRELS for packed in ("", ".gz"))
    return next(filter(os.path.isfile, files), None)


def _listed(path: str) -> list[str]:
    """The names in a folder, but hidden ones, bytewise; none if it is no folder."""
    names = os.listdir(path) if os.path.isdir(path) else []
    return sorted((name for name in names if not name.startswith(".")), key=os.fsencode)


OF_MODEL = "model_meta.json"  # says which model the results beside it are of


def files_in(folder: str) -> list[str]:
    """The JSON files in a folder and all below, but what says which model it is; bytewise."""
    paths = []
    for below, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [os.path.join(below, name) for name in names if name.endswith(".json") and name != OF_MODEL]
    return sorted(paths, key=os.fsencode)
