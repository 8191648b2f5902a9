"""Types of options that name files: of what is read, alone or in place of a number or a rule, and of what is
written, which are looked at before anything is read: no result is lost after long work, and no input."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Any, get_args

from irci.base import UsageError, is_list, path_and_level
from irci.base.choices import Picture
from irci.options.asked import Asked
from irci.options.commands import PANELS
from irci.options.types import BadValue, Type, number_of, numbers, whole
from irci.system import is_written_in_place

STANDARD_STREAM = "-"
GROUP = "(?P<"  # begins a named group, which a rule has and the name of a file has not


def _itself(value: Any) -> Iterable[str]:
    return value if isinstance(value, tuple) else (value,)


def _is(kind: Callable[[int], bool], path: str) -> bool:
    try:
        return kind(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


INPUT = Type("path", "Path", os.fspath, paths=_itself)


def number_or_file(number: Type, *words: str) -> Type:
    """A whole number or one of some words, or else the path of a file; digits and commas are no path."""

    def value(raw: Any) -> Any:
        is_number = set(raw) <= set("0123456789,") if isinstance(raw, str) else not hasattr(raw, "__fspath__")
        return number.value(raw) if is_number else os.fspath(raw)

    def paths(value: Any) -> Iterable[str]:
        return (value,) if isinstance(value, str) and value not in words else ()

    return Type("path", f"{number.annotation} | Path", value, paths=paths)


PARTS = number_or_file(numbers(2, 100, are_whole=True))
HALVES = number_or_file(whole(1, 100_000), "md5")


def _reference(raw: Any) -> str:
    text = ",".join(raw) if isinstance(raw, list | tuple) else os.fspath(raw)
    if text in ("random:0", "random:1", "random:2"):
        raise BadValue(f"{text!r}: standardised scores need 3 or more reference systems")
    return text


REFERENCE = Type(
    "path", "str | Path | Sequence[str]", _reference, paths=lambda value: (value,) if os.path.exists(value) else ()
)


def _judgments_paths(value: Any) -> Iterable[str]:
    return (path_and_level(path)[0] for path in _itself(value))


JUDGMENTS = Type("path", "Source", os.fspath, paths=_judgments_paths)


def _judge(raw: Any) -> Any:
    """The path of a judge's qrels; or R:M, the correlation of scores and the number of topics."""
    both = raw.split(":") if isinstance(raw, str) and re.fullmatch(r"[\d.]+:\d+", raw) else raw
    if not isinstance(both, list | tuple):
        return os.fspath(raw)
    correlation = number_of(both[0])
    if not 0 <= correlation <= 1 - 1e-9:
        raise BadValue(f"{both[0]} is no correlation from 0 to below 1.")
    return correlation, whole(4, 1_000_000).value(both[1])


JUDGE = Type(
    "path", "Source | tuple[float, int]", _judge,
    paths=lambda value: () if isinstance(value, tuple) else _judgments_paths(value),
)  # fmt: skip


def _collections(raw: Any) -> Any:
    if isinstance(raw, list):  # from Python: the files of each collection
        return raw
    path = os.fspath(raw)
    if _is(stat.S_ISDIR, path):
        raise BadValue(f"{path!r} is a folder: give it in place of QRELS and RUNs, without this option")
    return path


COLLECTIONS = Type(
    "path", "Path | Mapping[str, tuple[Source, Source]]", _collections,
    paths=lambda value: (value,) if isinstance(value, str) else (),
)  # fmt: skip


def _plan(raw: Any) -> Any:
    from irci.data.plans import ComparisonPlan  # takes time

    return ComparisonPlan.of_file(os.fspath(raw))


PLAN = Type("path", "Path", _plan, paths=lambda plan: (plan.path,))


def _topics_paths(value: str) -> Iterable[str]:
    is_file = value.startswith("@") or "/" in value or value == STANDARD_STREAM
    return (value.removeprefix("@"),) if is_file else ()


TOPICS = Type("path", "Topics", os.fspath, paths=_topics_paths)


def _reader(group: str) -> Any:
    """The class that reads a rule with this group, or a file that says the same."""
    from irci.data.rules import Clusters, Passes, Seeds, Slices
    from irci.data.versions import Versions

    return {"version": Versions, "cluster": Clusters, "slice": Slices, "seed": Seeds, "pass": Passes}[group]


def _rule(group: str, *columns: tuple[str, ...]) -> Type:
    """A regular expression with named groups, or a file that says the same of every name; from Python also rows."""

    def value(raw: Any) -> Any:
        reader = _reader(group)
        if isinstance(raw, list):
            return reader.of_rows(f"{group}{'es' if group == 'pass' else 's'}", [*enumerate(raw, 1)])
        text = os.fspath(raw)
        if GROUP in text:
            try:
                return reader.of_rule(text)
            except ValueError as error:
                raise BadValue(f"{text!r}: {error}") from None
        if not os.path.exists(text):
            if "(" in text:
                raise BadValue(f"{text!r}: no such file, and no regular expression with {_with_names(text, group)}")
            if group == "seed" and text.isdecimal():
                raise BadValue(f"{text!r}: no such file; for the seed of random numbers use --seed")
        return reader.of_file(text)

    return Type("path", "Groups", value, paths=lambda rule: (rule.given,), columns=columns)


def _with_names(text: str, group: str) -> str:
    """How to name the groups of a rule: in place of as many plain ones, or by an example."""
    names = ["system", group] if group == "seed" else [group]
    plain = r"(?<!\\)\((?!\?)"
    if len(re.findall(plain, text)) != len(names):
        return "a named group, " + " and ".join(f"{GROUP}{name}>...)" for name in names)
    left = iter(names)
    named = "named groups: " + re.sub(plain, lambda _: f"{GROUP}{next(left)}>", text)
    optional = r"; where some runs have no seed, '(?P<system>.*?)(_s(?P<seed>\d+))?' or the like"
    return named + optional if group == "seed" else named


VERSIONS = _rule("version", ("run", "system", "version"), ("run", "topic_id", "system", "topic", "version"))
CLUSTERS = _rule("cluster", ("topic", "cluster"))
SLICES = _rule("slice", ("topic", "slice"))
SEEDS = _rule("seed", ("run", "system", "seed"))
PASSES = _rule("pass", ("file", "pass"), ("file", "pass", "judge"))
RULES = (VERSIONS, CLUSTERS, SLICES, SEEDS, PASSES)


def _output(raw: Any) -> str:
    path = os.fspath(raw)
    if path != STANDARD_STREAM and _is(stat.S_ISDIR, path):
        raise BadValue(f"File {path!r} is a directory.")
    return str(path)


def _picture(raw: Any) -> str:
    path = _output(raw)
    if path.rpartition(".")[2].lower() not in get_args(Picture):
        raise BadValue(f"{path!r} does not end in .{', .'.join(get_args(Picture))}")
    return path


OUTPUT = Type("path", "Path", _output, writes=True)
PICTURE = Type("path", "Path", _picture, writes=True)


Identity = tuple[int, int] | str


def check_outputs(asked: Asked) -> None:
    """Raise UsageError for an output that cannot be written, or that is an input or another output under whatever name."""
    seen: dict[Identity, str] = {}
    for option, path in _outputs(asked):
        _refuse_unwritable(option, path)
        identity = _identity(path, 1)
        if identity is not None and identity in seen:
            raise UsageError(f"{seen[identity]} and {option}: {path}: one would overwrite the other")
        if identity is not None:
            seen[identity] = option
    refuse_inputs(asked, _inputs(asked))
    if asked.plot is not None:
        _check_picture(asked)


def _refuse_unwritable(option: str, path: str) -> None:
    if path == STANDARD_STREAM:
        return
    try:
        reason = _why_no_file(path)
    except OSError as error:
        reason = error.strerror
    if reason:
        raise UsageError(f"{option}: {path}: cannot be written ({reason})")


def _check_picture(asked: Asked) -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError(
            "--plot needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder"
        )
    from irci.output.plots import refuse_too_many

    panels = sum(bool(holds(asked)) for holds in PANELS.get(asked.command.name, ()))
    refuse_too_many(len(asked.measures or ()) * panels)


def refuse_inputs(asked: Asked, paths: Iterable[str]) -> None:
    """Raise UsageError if an output is one of these files, which are to be read."""
    read = {_identity(path, 0): path for path in paths}
    for option, path in _outputs(asked):
        identity = _identity(path, 1)
        if isinstance(identity, tuple) and identity in read:
            raise UsageError(f"{option}: {path}: would overwrite the input {read[identity]}")


def _outputs(asked: Asked) -> Iterator[tuple[str, str]]:
    """The options that name an output, each as it is spelled, and the paths."""
    for name, option in asked.options.items():
        if option.type.writes and (path := getattr(asked, name)) is not None:
            yield option.spelling, path


def _inputs(asked: Asked) -> Iterator[str]:
    """The paths of what is read; some may be no files but what else the option takes."""
    yield from (path[1:] if is_list(path) else path for path in asked.files)
    for name, option in asked.options.items():
        if option.type.paths is not None and (value := getattr(asked, name)) is not None:
            yield from option.type.paths(value)


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


def _why_no_file(path: str) -> str | None:
    """Why a file cannot be written. Raises OSError for other reasons."""
    if not os.path.basename(path):
        return "not the name of a file"
    folder = os.path.dirname(os.path.realpath(path))
    try:
        os.stat(path)
    except FileNotFoundError:
        return _why_not_into(folder)
    return _why_not_into(path if is_written_in_place(path) else folder)


def _why_not_into(path: str) -> str | None:
    """Why nothing can be written to a file, or put into a folder. Raises OSError if it is not there."""
    is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    if os.access(path, os.W_OK | (os.X_OK if is_folder else 0)):
        return None
    return f"no permission to write {'into ' if is_folder else ''}{path}"
