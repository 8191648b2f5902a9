"""Objects that users hold, as `Inputs` take them: paths, bytes, dicts, tuples, data frames, of libraries not imported here."""

import os
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from irci.base.errors import FormatError, UsageError
from irci.base.names import STDIN, is_name, is_text
from irci.data.headers import DOCNO, GRADE, RUN, SCORE, TOPIC
from irci.data.in_memory import collected, column, in_stretches, is_frame, objects, of_frame, of_mapping
from irci.data.inputs import ALONE
from irci.data.text_files import Documents, InMemory

NUMBER = {"qrels": GRADE[0], "run": SCORE[0]}  # the field of named tuples, which are called as ir_measures' are


class Files:
    """The names that stand for what is given, as `Inputs.files` has them, and what of them is not read from a path."""

    def __init__(self, memory: dict[str, InMemory] | None = None, within: str = "") -> None:
        """`memory`: shared with that of other files; `within`: what labels begin with, to tell them from those of others."""
        self.names: list[str] = []
        self.memory: dict[str, InMemory] = {} if memory is None else memory
        self.within = within

    def add(self, label: str, content: str | bytes | Documents, name: str | None = None) -> None:
        """Something under a label that no other has; a path that needs no other name is its own label."""
        if content == STDIN:
            raise UsageError("- is standard input on the command line only: pass a binary file, as sys.stdin.buffer.")
        if isinstance(content, str) and content not in self.memory:
            if name is None:
                self.names.append(content)
                return
            label = label if content in self.names else content
        self.names.append(self._keep(label, InMemory(content, name)))

    def _keep(self, label: str, thing: InMemory) -> str:
        """Under its label, or if another has it, or a path is spelled so, one much like it."""
        label = self.within + label
        while label in self.memory or label in self.names:
            label += "*"
        self.memory[label] = thing
        return label

    def add_qrels(self, qrels: Any) -> None:
        """Judgments."""
        content = of_file(qrels)
        self.add("qrels", documents_of(f"{self.within}qrels", qrels, "qrels") if content is None else content)

    def aside(self, label: str, qrels: Any, *, named: bool = False) -> str:
        """Other judgments, which an option names: the path of their file, or what stands for it; always that, if `named`."""
        content = of_file(qrels)
        if isinstance(content, str) and not named:
            return content
        judgments = documents_of(label, qrels, "qrels") if content is None else content
        return self._keep(label, InMemory(judgments, label if named else None))

    def add_runs(self, runs: Any) -> None:
        """One run, a mapping of names to runs, a frame with a column of their names, or a list of files and of what has a
        name of its own."""
        content = of_file(runs)
        if content is not None:
            self.add("run", content)
        elif isinstance(runs, Mapping) and not is_ranking(runs):
            for name, run in runs.items():
                self.add_run(name_of(name), run)
        elif isinstance(runs, Mapping):
            self.add_run(ALONE, runs)
        elif is_frame(runs):
            self._add_frame(runs)
        elif is_held(runs):
            self.add_run(own_name(runs) or ALONE, runs)
        else:
            self._add_items(_listed("runs", runs))

    def _add_frame(self, frame: Any) -> None:
        """The runs of a frame by the column of their names; without one it is one run."""
        frame = collected(f"{self.within}runs", frame)
        if not set(RUN) & set(frame.columns):
            self.add_run(ALONE, frame)
            return
        names = column("runs", frame, RUN).to_list()
        index = {name: number for number, name in enumerate(dict.fromkeys(names))}
        places = np.fromiter(map(index.__getitem__, names), np.int64, len(names))
        for name in index:
            label = f"{self.within}run {name_of(name)!r}"
            content = of_frame(label, frame, "run", np.flatnonzero(places == index[name]))
            self.add(label.removeprefix(self.within), content, name_of(name))

    def _add_items(self, items: Sequence[Any]) -> None:
        if not items:
            raise UsageError("no runs: the collection is empty (a generator gives its items only once).")
        if hasattr(items[0], TOPIC[0]):
            self.add_run(ALONE, items)
            return
        for number, item in enumerate(items, 1):
            content = of_file(item)
            if content is not None:
                self.add(f"run {number}", content)
            elif is_frame(item) and set(RUN) & set(collected(f"{self.within}run {number}", item).columns):
                self._add_frame(item)
            elif is_held(item) and own_name(item):
                self.add_run(own_name(item), item)
            else:
                raise UsageError(
                    f"runs: item {number} is a {type(item).__name__} without a name: name runs in memory, {{'bm25': ...}}, or"
                    " give frames a column run."
                )

    def add_run(self, name: str, run: Any) -> None:
        """A run of this name."""
        label, content = f"run {name!r}", of_file(run)
        self.add(label, documents_of(self.within + label, run, "run") if content is None else content, name)


def of_file(thing: Any) -> str | bytes | None:
    """The path or the bytes of what is a file, a path or bytes; None for everything else."""
    if isinstance(thing, str | os.PathLike):
        return _path(os.fsdecode(thing))
    if isinstance(thing, bytes | bytearray | memoryview):
        return bytes(thing)
    if not hasattr(thing, "read") or is_frame(thing):
        return None
    content = thing.read()
    if not isinstance(content, bytes):
        raise UsageError(f"{getattr(thing, 'name', 'a file')!s} is open as text: open it in mode 'rb'.")
    return content


def _path(path: str) -> str:
    if not path or set(path) & set("\0\n") or not is_text(path):
        start = path if len(path) <= 40 else f"{path[:37]}..."
        raise UsageError(f"{start!r} is not a path to a file: give the content of a file as bytes.")
    return path


def is_held(thing: Any) -> bool:
    """True of an object that gives its content as a dict, as ranx's Qrels and Run do."""
    return hasattr(type(thing), "to_dict") and not isinstance(thing, Mapping) and not is_frame(thing)


def own_name(run: Any) -> str:
    """The name that an object has for a run; empty if it has none."""
    name = getattr(run, "name", None)
    return name_of(name) if name else ""


def is_ranking(runs: Mapping[Any, Any]) -> bool:
    """True of a run itself, {topic: {docno: score}}, and not a mapping from names to such runs."""
    inner = next((value for value in runs.values() if not isinstance(value, Mapping) or value), None)
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values())), Mapping)


def name_of(name: Any) -> str:
    """The name of a run, or of a judge."""
    text = str(name) if isinstance(name, str | int) and not isinstance(name, bool) else ""
    if not is_name(text) or "\n" in text or not is_text(text):
        raise UsageError(f"{name!r} is not a name: use text without tabs and line ends.")
    return text


def _listed(role: str, things: Any) -> list[Any]:
    if not isinstance(things, Iterable):
        raise UsageError(f"{role}: a {type(things).__name__} is neither a file, a mapping, a data frame nor a list.")
    return list(things)


def documents_of(label: str, thing: Any, kind: str) -> Documents:
    """Documents of a mapping, a data frame, or named tuples; `kind`: qrels or run."""
    if is_held(thing):
        thing = thing.to_dict()
    if isinstance(thing, Mapping):
        return _of_mapping(label, thing)
    if is_frame(thing):
        return of_frame(label, collected(label, thing), kind)
    return _of_tuples(label, _listed(label, thing), kind)


def _of_mapping(label: str, thing: Mapping[Any, Any]) -> Documents:
    for topic, documents in thing.items():
        if not isinstance(documents, Mapping):
            kind = type(documents).__name__
            raise FormatError.whole_file(f"{label}, topic {str(topic)!r}", f"a {kind}, not {{docno: number}}")
    return of_mapping(thing)


def _of_tuples(label: str, rows: Sequence[Any], kind: str) -> Documents:
    fields = (TOPIC[0], DOCNO[0], NUMBER[kind])
    try:
        topics, docnos, numbers = (list(map(attrgetter(name), rows)) for name in fields)
    except AttributeError:
        wrong = next(row for row in rows if not all(hasattr(row, name) for name in fields))
        reason = f"a {type(wrong).__name__} among the items, which lacks {', '.join(fields[:2])} or {fields[2]}"
        raise FormatError.whole_file(label, reason) from None
    return in_stretches(objects(topics), docnos, numbers)
