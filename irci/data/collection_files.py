"""The files that each of several collections is made of, as a list or a folder says; and results of models in a folder."""

import os
from collections.abc import Mapping, Sequence

from irci.base import OF_COLLECTIONS, STDIN, DataError, first_few, plural
from irci.data import headers, text_files

MEAN = "all"  # what stands in the place of a collection's name where all are meant
QRELS = ("qrels.txt", "qrels.txt.gz", "qrels/test.tsv", "qrels/test.tsv.gz")  # ours, and BEIR's
RUNS = "runs"


# The files of each collection, by its name: qrels and runs, or files of scores.
CollectionFiles = Mapping[str, tuple[str, ...]]


def read_collection_list(path: str, *, scores: bool) -> CollectionFiles:
    """The collections of a file of lines (name, qrels, runs; with `scores` name and files of scores), or of a folder with
    NAME/qrels.txt or NAME/qrels/test.tsv and runs; at least two. Raises FormatError for what is neither."""
    if not os.path.isdir(path):
        collections = _of_lines(path, scores)
    else:
        qrels = qrels_in(path)
        if not qrels:  # what has none is something else
            contents = first_few(_listed(path)) or "nothing"
            wanted = "NAME/qrels.txt or NAME/qrels/test.tsv"
            raise DataError(f"{path}: no {wanted} in this folder, which holds {contents}")
        folders = {name: os.path.join(path, name, RUNS) for name in qrels}
        collections = {
            name: (qrels[name], *(os.path.join(folder, run) for run in _listed(folder)))
            for name, folder in folders.items()
        }
        for name, files in collections.items():
            if len(files) < 2:
                raise DataError(f"{folders[name]}: no runs of collection {name}")
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
    from glob import glob  # takes time

    def fields_of(line: str) -> list[str]:
        return list(filter(None, text_files.cells_of(line))) if "\t" in line else text_files.fields_of(line)

    def matching(file: str) -> list[str]:
        # The files that a pattern of the shell's stands for; a path stands for itself.
        return [file] if os.path.lexists(file) else sorted(glob(file), key=os.fsencode) or [file]

    asks, fewest = ("name and files of scores", 2) if scores else ("name, qrels and runs", 3)
    folder = "" if path == STDIN else os.path.dirname(path)
    rows = text_files.table_of(
        path,
        text_files.read_fields(path, fields=fields_of),
        lambda fields: "" if len(fields) >= fewest else f"{plural(len(fields), 'field')}, expected {asks}",
        "collection {!r}",
    )
    return {
        name: tuple(match for file in files for match in matching(os.path.join(folder, file)))
        for (name,), files in rows.items()
    }


def qrels_in(path: str) -> dict[str, str]:
    """The qrels of each collection of a folder, by name."""
    candidates = [(name, os.path.join(path, name, file)) for name in _listed(path) for file in reversed(QRELS)]
    return {name: file for name, file in candidates if os.path.isfile(file)}


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


def hold_scores(files: Sequence[str]) -> bool:
    """True if the first of some files is a table of scores by its first line; or a folder of MTEB's results, without judgments
    of collections."""
    if os.path.isdir(files[0]):
        return len(files) == 1 and not qrels_in(files[0]) and bool(files_in(files[0]))
    head = text_files.head_of(files[0]).decode("utf-8", "replace")
    if head.lstrip().startswith("{"):
        return headers.are_samples(head)
    line = text_files.first_line(files[0])
    return bool(set(line) & set("\t;,")) and headers.is_of_scores(line)
