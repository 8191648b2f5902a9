"""Whom to cite for what is asked, and the line and the plan that ask for the same."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from irci.base import Margin, UsageError
from irci.options.asked import Asked
from irci.options.rows import PLANNED, options_of
from irci.options.types import STANDARD_STREAM


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
    """The options that a plan of what is asked has, by their keys, as `as_toml` takes them."""
    values = {}
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
